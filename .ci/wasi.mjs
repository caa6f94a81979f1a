// Runs a WASI program: node wasi.mjs program.wasm arguments...
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [, , program, ...args] = process.argv;
const wasi = new WASI({
  version: "preview1",
  args: [program, ...args],
  env: process.env,
  preopens: { "/": process.cwd() },
  returnOnExit: true,
});
// A C library without threads imports their functions nevertheless: 58 is ENOTSUP.
const noThreads = new Proxy({}, { get: (_, name) => () => (name === "pthread_create" ? 58 : 0) });
const { instance } = await WebAssembly.instantiate(readFileSync(program), {
  ...wasi.getImportObject(),
  env: noThreads,
});
process.exitCode = wasi.start(instance);
