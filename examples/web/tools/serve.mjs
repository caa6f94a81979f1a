// Serves the page to this machine.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};
// What the page is made of, and nothing else.
const SERVED = /^\/(page|node_modules\/three)\//;

async function answer(request, response) {
  const { pathname } = new URL(request.url, "http://localhost");
  if (pathname === "/") {
    response.writeHead(302, { location: "/page/" }).end();
    return;
  }
  const place = normalize(decodeURIComponent(pathname)).replace(/\/$/, "/index.html");
  const type = TYPES[extname(place)];
  try {
    if (!SERVED.test(place) || !type) throw new Error("not served");
    const bytes = await readFile(join(ROOT, place));
    response.writeHead(200, {
      "content-type": type,
      "cache-control": "no-store",
      // Isolated pages have a clock of 5 µs instead of 100.
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    });
    response.end(bytes);
  } catch {
    response.writeHead(404, { "content-type": "text/plain" }).end(`there is no ${place}\n`);
  }
}

/** Serves on a port, or on a free one if that is 0. */
export function serve(port) {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(400).end());
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve({ server, url: `http://localhost:${server.address().port}/page/` }));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const port = Number(process.env.PORT ?? 8080);
  serve(port).then(
    ({ url }) => console.log(`The page is at ${url}; Ctrl+C ends it.`),
    (error) => {
      console.error(`Port ${port} cannot be had (${error.code}); another one: PORT=8081 npm start`);
      process.exitCode = 1;
    },
  );
}
