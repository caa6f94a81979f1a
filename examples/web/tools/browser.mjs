// Headless Chromium and a server of the built page, both for the time of one function.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "./serve.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** Path of the browser: $CHROMIUM, or found on $PATH; undefined if there is none. */
export function findBrowser() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((place) => existsSync(place));
}

/** Path that the page is served from: no file of it may depend on being at the root. */
export const SUB_PATH = "/some/sub-path/";

/** Calls `work` with a browser and the address of the page, for at most `seconds`. */
export async function withBrowser(seconds, work) {
  const executablePath = findBrowser();
  if (!executablePath) throw new Error("Chromium not found: apt-get install chromium, or CHROMIUM=/path/to/it");
  const { server, url } = await serve(0, { path: SUB_PATH });
  let browser;
  let timer;
  try {
    browser = await chromium.launch({
      executablePath,
      timeout: 60_000,
      // WebGL without a graphics card. Containers have no room for a sandbox.
      args: ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox", "--disable-dev-shm-usage"],
    });
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done after ${seconds} s`)), seconds * 1000);
    });
    return await Promise.race([work(browser, url), late]);
  } finally {
    clearTimeout(timer);
    await browser?.close();
    server.close();
    server.closeAllConnections();
  }
}

/** Opens the page and collects all problems in it. `options` are those of a context. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 760 }, ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("requestfailed", (request) => problems.push(`failed: ${request.url()}`));
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
  });
  await page.goto(url);
  await page.waitForSelector("html[data-ready]");
  return { page, problems, close: () => context.close() };
}

// As a program: exits with 0 if there is a browser.
if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = findBrowser() ? 0 : 1;
