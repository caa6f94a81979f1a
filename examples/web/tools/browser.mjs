// A real browser without a window, and a server for it; both end with what is done in them.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "./serve.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** Where the browser is: $CHROMIUM, or found on the path; undefined if there is none. */
export function findBrowser() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((place) => existsSync(place));
}

/** Does something with a browser and the address of the page, for at most so many seconds. */
export async function withBrowser(seconds, work) {
  const executablePath = findBrowser();
  if (!executablePath) throw new Error("There is no Chromium: apt-get install chromium, or CHROMIUM=/where/it/is");
  const { server, url } = await serve(0);
  let browser;
  let timer;
  try {
    browser = await chromium.launch({
      executablePath,
      timeout: 60_000,
      // WebGL without a graphics card. In containers there is no room for a sandbox.
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

/** Opens the page, and notes all that goes wrong in it. `options` are those of a context. */
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

// Run as a program it says whether there is a browser.
if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = findBrowser() ? 0 : 1;
