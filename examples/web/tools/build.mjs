// Builds the page into dist: a folder for any static server, under any path.
//
// The library is built as wasm twice: with simd128, and without. REPOSITORY=https://… links the page to that address;
// without it the page links to a copy of the README.

import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const DIST = join(ROOT, "dist");
const TARGET = "wasm32-unknown-unknown";
const BUILDS = { simd128: "-C target-feature=+simd128", scalar: "" };
const LINK = '<a id="source" href="readme.html">README</a>';
const THREE = {
  "build/three.module.js": "three.module.js",
  "build/three.core.js": "three.core.js",
  "examples/jsm/controls/OrbitControls.js": "addons/controls/OrbitControls.js",
  "examples/jsm/geometries/ConvexGeometry.js": "addons/geometries/ConvexGeometry.js",
  "examples/jsm/math/ConvexHull.js": "addons/math/ConvexHull.js",
  LICENSE: "LICENSE",
};

const escaped = (text) => text.replace(/[&<>"]/g, (it) => `&#${it.charCodeAt(0)};`);
const wasm = (name) => join(ROOT, "target", name, TARGET, "release/phalanx_web.wasm");

/** Address of the repository, from the text of a variable; undefined if that is empty. Throws if it is no address. */
export function repositoryOf(text) {
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!["http:", "https:"].includes(url?.protocol)) throw new Error(`REPOSITORY is no http(s) address: ${text}`);
  return url.href;
}

/** Writes all files of the page into a folder, which is emptied. */
export function assemble(folder, repository) {
  rmSync(folder, { recursive: true, force: true });
  const put = (from, to) => {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    copyFileSync(from, join(folder, to));
  };
  const files = readdirSync(join(ROOT, "page"), { withFileTypes: true }).filter((it) => it.isFile());
  for (const { name } of files) put(join(ROOT, "page", name), name);
  for (const name of Object.keys(BUILDS)) put(wasm(name), `wasm/${name}.wasm`);
  for (const [from, to] of Object.entries(THREE)) put(join(ROOT, "node_modules/three", from), `three/${to}`);
  const page = readFileSync(join(folder, "index.html"), "utf8");
  if (!page.includes(LINK)) throw new Error(`index.html lacks the link ${LINK}`);
  if (repository) {
    const link = `<a id="source" href="${escaped(repository)}">Repository</a>`;
    writeFileSync(join(folder, "index.html"), page.replace(LINK, () => link));
  } else {
    writeFileSync(join(folder, "readme.html"), readme());
  }
}

/** The README of the repository as a page: servers do not agree on the type of Markdown. */
function readme() {
  const text = escaped(readFileSync(join(ROOT, "../../README.md"), "utf8"));
  const style = "margin: 2rem auto; max-width: 130ch; padding: 0 1rem; white-space: pre-wrap";
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>phalanx: README</title>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<pre style="${style}">${text}</pre>
</html>
`;
}

function build() {
  const repository = repositoryOf(process.env.REPOSITORY);
  for (const name of ["three", "playwright-core"]) {
    if (!existsSync(join(ROOT, "node_modules", name))) throw new Error(`${name} is not installed: npm ci`);
  }
  if (spawnSync("cargo", ["--version"]).error) throw new Error("cargo not found: https://rustup.rs");
  const libraries = execFileSync("rustc", ["--print", "target-libdir", "--target", TARGET], { encoding: "utf8" });
  if (!existsSync(libraries.trim())) throw new Error(`Rust lacks ${TARGET}: rustup target add ${TARGET}`);
  for (const [name, flags] of Object.entries(BUILDS)) {
    const place = join(ROOT, "target", name);
    console.log(`wasm with ${name}: the first build takes minutes`);
    const built = spawnSync("cargo", ["build", "--release", "--lib", "--target", TARGET, "--target-dir", place], {
      cwd: ROOT,
      env: { ...process.env, RUSTFLAGS: flags },
      stdio: "inherit",
    });
    if (built.status !== 0) throw new Error(`the build of ${name} failed`);
  }
  assemble(DIST, repository);
  console.log(`${DIST}: any static server can serve this folder`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    build();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
