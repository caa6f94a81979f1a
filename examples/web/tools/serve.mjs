// Serves the built page.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { DIST } from "./build.mjs";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};
// Isolated pages have a clock of 5 µs instead of 100.
const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

async function answer(request, response, { folder, path, isIsolated }) {
  const { pathname } = new URL(request.url, "http://localhost");
  if (pathname === "/" && path !== "/") {
    response.writeHead(302, { location: path }).end();
    return;
  }
  const place = normalize(decodeURIComponent(pathname)).replace(/\/$/, "/index.html");
  const type = TYPES[extname(place)];
  try {
    if (!place.startsWith(path) || !type) throw new Error("not served");
    const bytes = await readFile(join(folder, place.slice(path.length)));
    response.writeHead(200, { "content-type": type, "cache-control": "no-store", ...(isIsolated && ISOLATED) });
    response.end(bytes);
  } catch {
    response.writeHead(404, { "content-type": "text/plain" }).end(`not found: ${place}\n`);
  }
}

/**
 * Serves a folder on a port, or on a free one if that is 0.
 *
 * path: under this path, which begins and ends with a slash. isIsolated: with the headers for a fine clock.
 */
export function serve(port, { folder = DIST, host = "127.0.0.1", path = "/", isIsolated = true } = {}) {
  const server = createServer((request, response) => {
    answer(request, response, { folder, path, isIsolated }).catch(() => response.writeHead(400).end());
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve({ server, url: `http://localhost:${server.address().port}${path}` }));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { PORT = "8080", HOST = "127.0.0.1" } = process.env;
  serve(Number(PORT), { host: HOST }).then(
    ({ url }) => console.log(`The page is at ${url} (interface ${HOST}); Ctrl+C ends it.`),
    (error) => {
      console.error(`port ${PORT} of ${HOST} not available (${error.code}): PORT=8081 npm start takes another one`);
      process.exitCode = 1;
    },
  );
}
