// Builds the library as wasm twice: with simd128, and without.

import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TARGET = "wasm32-unknown-unknown";
const BUILDS = { simd128: "-C target-feature=+simd128", scalar: "" };

function fail(text) {
  console.error(text);
  process.exit(1);
}

for (const name of ["three", "playwright-core"]) {
  if (!existsSync(join(ROOT, "node_modules", name))) fail(`${name} is not installed: npm ci`);
}
if (spawnSync("cargo", ["--version"]).error) fail("There is no cargo: https://rustup.rs");
const libraries = execFileSync("rustc", ["--print", "target-libdir", "--target", TARGET], { encoding: "utf8" });
if (!existsSync(libraries.trim())) fail(`Rust has no ${TARGET} yet: rustup target add ${TARGET}`);

mkdirSync(join(ROOT, "page/wasm"), { recursive: true });
for (const [name, flags] of Object.entries(BUILDS)) {
  const place = join(ROOT, "target", name);
  console.log(`wasm with ${name}: the first time this takes minutes`);
  const built = spawnSync("cargo", ["build", "--release", "--lib", "--target", TARGET, "--target-dir", place], {
    cwd: ROOT,
    env: { ...process.env, RUSTFLAGS: flags },
    stdio: "inherit",
  });
  if (built.status !== 0) fail(`the build of ${name} failed`);
  copyFileSync(join(place, TARGET, "release/phalanx_web.wasm"), join(ROOT, "page/wasm", `${name}.wasm`));
}
