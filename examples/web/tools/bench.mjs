// Time of a frame of asteroids in the browser, with SIMD and without. Nothing is drawn meanwhile.
//
// The builds take turns. Printed are the best and the median frame of each.

import { cpus } from "node:os";
import { open, withBrowser } from "./browser.mjs";

const ROUNDS = 6;
const FRAMES = 20;

await withBrowser(600, async (browser, url) => {
  const { page, close } = await open(browser, `${url}?test`);
  console.log(`Chromium ${browser.version()}, ${cpus()[0]?.model}, one thread`);
  console.log(
    "asteroids  build      pairs   ns a pair: best, median   candidates ms   overlap ms   a frame ms: best, median",
  );
  for (const len of [20_000, 200_000]) {
    const rows = { simd128: [], scalar: [] };
    const starts = await page.evaluate((len) => {
      window.page.start(0, len, 1999);
      window.page.steps(2);
      return window.page.builds;
    }, len);
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of starts) {
        const measured = await page.evaluate(
          ([name, frames]) => {
            window.page.use(name);
            window.page.measure(2);
            return window.page.measure(frames);
          },
          [name, FRAMES],
        );
        rows[name].push(...measured);
      }
    }
    const best = {};
    for (const name of starts) {
      const sorted = (what) => rows[name].map(what).sort((a, b) => a - b);
      const [first, middle] = [(list) => list[0], (list) => list[list.length >> 1]];
      const perPair = sorted((row) => (row.verb * 1e6) / row.pairs);
      const [candidates, verb, all] = ["candidates", "verb", "all"].map((what) => sorted((row) => row[what]));
      best[name] = first(perPair);
      const columns = [
        String(len).padStart(9),
        name.padEnd(8),
        String(middle(sorted((row) => row.pairs))).padStart(7),
        `${first(perPair).toFixed(1)}, ${middle(perPair).toFixed(1)}`.padStart(25),
        first(candidates).toFixed(2).padStart(15),
        first(verb).toFixed(3).padStart(12),
        `${first(all).toFixed(2)}, ${middle(all).toFixed(2)}`.padStart(26),
      ];
      console.log(columns.join("  "));
    }
    if (best.simd128)
      console.log(`           a pair is ${(best.scalar / best.simd128).toFixed(2)} × as fast with SIMD`);
  }
  await close();
});
