// The built page in Chromium, served from a sub-path: counts, drawing, times, keys, sizes, themes, hosts.
//
// Pictures of all scenes are written to target/pictures.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Comparison, duration, speed, typical } from "../page/times.js";
import { open, withBrowser } from "./browser.mjs";
import { assemble, repositoryOf } from "./build.mjs";
import { serve } from "./serve.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PICTURES = join(ROOT, "target/pictures");
const NAMES = ["asteroids", "bullets", "tumbling", "contact", "lidar", "level", "rocks"];
const BUILDS = ["simd128", "scalar"];
const DESKTOP = { viewport: { width: 1280, height: 760 } };
const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
// Index of the first counter of a scene's own.
const OWN = 5;

function native() {
  console.log("counters of the native library: the first build takes minutes");
  const text = execFileSync("cargo", ["run", "--quiet", "--bin", "counters"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(text);
}

/** Touching pairs by all 15 separating axes, from the columns that are drawn. */
function touching(columns) {
  const [cx, cy, cz, hx, hy, hz, qx, qy, qz, qw] = columns;
  const boxes = cx.map((_, k) => {
    const length = Math.hypot(qx[k], qy[k], qz[k], qw[k]);
    const [x, y, z, w] = [qx[k], qy[k], qz[k], qw[k]].map((number) => number / length);
    const sides = [
      [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
      [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
      [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    ];
    const half = [hx[k], hy[k], hz[k]];
    return { center: [cx[k], cy[k], cz[k]], half, sides, radius: Math.hypot(...half) };
  });
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const reach = (box, axis) => box.half.reduce((sum, half, k) => sum + half * Math.abs(dot(box.sides[k], axis)), 0);
  const gap = (a, b, between) => {
    const crossed = a.sides.flatMap((side) => b.sides.map((other) => cross(side, other)));
    const gaps = [...a.sides, ...b.sides, ...crossed].map((axis) => {
      const length = Math.hypot(...axis);
      return length < 1e-9 ? -Infinity : (Math.abs(dot(axis, between)) - reach(a, axis) - reach(b, axis)) / length;
    });
    return Math.max(...gaps);
  };
  const pairs = [];
  boxes.forEach((a, i) => {
    for (let j = i + 1; j < boxes.length; j++) {
      const b = boxes[j];
      const between = [0, 1, 2].map((k) => b.center[k] - a.center[k]);
      if (Math.hypot(...between) > a.radius + b.radius) continue;
      const apart = gap(a, b, between);
      assert(Math.abs(apart) > 1e-5, `boxes ${i} and ${j} are ${apart} apart: too near to be judged, another seed`);
      if (apart < 0) pairs.push([i, j]);
    }
  });
  return pairs;
}

/** Counters by both builds, by a switch between them, and by plain loops. */
async function counts(browser, url, trials) {
  const { page, problems, close } = await open(browser, `${url}?test`, DESKTOP);
  const at = (frames, start, builds) =>
    page.evaluate(
      ([frames, { scene, len, seed }, builds]) => {
        window.page.use(builds[0]);
        window.page.start(scene, len, seed);
        window.page.steps(Math.floor(frames / 2));
        if (builds[1]) window.page.use(builds[1]);
        return window.page.steps(Math.ceil(frames / 2));
      },
      [frames, start, builds],
    );
  assert.deepEqual(await page.evaluate(() => window.page.builds), BUILDS);
  for (const trial of trials) {
    for (const builds of [["simd128"], ["scalar"], ["simd128", "scalar"], ["scalar", "simd128"]]) {
      const counted = await at(trial.frames, trial, builds);
      const by = `${trial.name} by ${builds.join(", then ")}`;
      assert.deepEqual(counted, trial.counters, by);
      const state = Buffer.from(await page.evaluate(() => window.page.state())).toString("hex");
      assert(state === trial.state, `${by}: places, turns and tints differ`);
    }
    assert(trial.counters[2] > 0 && trial.counters[4] === 0);
  }
  const says = {};
  for (const name of BUILDS) {
    says[name] = await page.evaluate((name) => {
      window.page.use(name);
      return window.page.simd();
    }, name);
  }
  assert.equal(says.simd128, "simd128");
  assert.notEqual(says.scalar, "simd128");

  const [asteroids, bullets, tumbling, lidar, level, cloud] = trials;
  for (const frames of [1, asteroids.frames]) {
    const counted = await at(frames, asteroids, ["simd128"]);
    const columns = await page.evaluate(() => window.page.columns(0));
    const pairs = touching(columns);
    const hit = new Set(pairs.flat());
    assert.equal(counted[3], pairs.length, "boxes that touch");
    assert.equal(counted[OWN], hit.size, "asteroids that touch");
    const coloured = columns[10].flatMap((tint, k) => (tint === 1 ? [k] : []));
    assert.deepEqual(
      coloured,
      [...hit].sort((a, b) => a - b),
      "asteroids in the colour of hits",
    );
  }
  const [crossed, tunnelled, , sweptCrossed, sweptTunnelled] = bullets.counters.slice(OWN);
  assert(tunnelled > 50 && tunnelled <= crossed);
  assert.deepEqual([sweptCrossed, sweptTunnelled], [0, 0]);
  const [hits, unseen] = tumbling.counters.slice(OWN);
  assert(unseen > 0 && unseen < hits);
  const [rocks, seen, ground] = lidar.counters.slice(OWN);
  assert(seen > 10 && seen < rocks && rocks + ground === lidar.counters[3]);
  const [checked, wrong] = level.counters.slice(OWN + 7);
  assert(checked > 20 && wrong === 0, `${wrong} rays of ${checked} were missed or hit late`);
  const counted = await at(cloud.frames, cloud, ["simd128"]);
  const kinds = await page.evaluate(() => window.page.kinds());
  const tinted = kinds.flatMap((columns) => columns[10].filter((tint) => tint === 1));
  const [rocksTouching, , boxes, points, deepest] = cloud.counters.slice(OWN);
  assert.equal(kinds.length, 16, "kinds of rocks");
  assert.deepEqual([counted[OWN], tinted.length], [rocksTouching, rocksTouching], "rocks in the colour of hits");
  assert(counted[3] > 20 && counted[3] < boxes && boxes < counted[2], `${boxes} pairs of boxes touch`);
  assert(points >= counted[3] && points <= 4 * counted[3] && deepest > 0, `${points} contact points`);
  assert.deepEqual([counted[OWN + 3], counted[OWN + 4]], [points, deepest], "contacts");
  assert.deepEqual(problems, []);
  await close();
  console.log(`counts: ${trials.map((trial) => `${trial.name} ${trial.counters.slice(1, 4)}`).join("; ")}`);
  console.log(`tunnelled: ${tunnelled} tested at the end of the frame, ${sweptTunnelled} swept`);
  console.log(
    `hits on posts: ${hits}, ${unseen} of them missed by poses; instruction sets ${Object.values(says).join(", ")}`,
  );
}

/** Arithmetic of times, without a browser. */
function times() {
  assert(Number.isNaN(typical([])));
  assert.equal(typical([1, 1, 2, 100]), 4 / 3, "outliers are dropped");
  assert.equal(typical([0, 0, 0, 1], 1), 0.25, "a coarse clock has a mean");
  const frames = (len, slow, pairs = 2000) => {
    const made = new Comparison(0.005);
    for (let k = 0; k < len; k++) made.add({ simd128: k < 5 ? 9 : 1, scalar: k < 5 ? 90 : slow }, pairs);
    return made;
  };
  assert(Number.isNaN(frames(34, 3).ratio("scalar", "simd128")), "34 frames have no ratio");
  assert.equal(frames(35, 3).ratio("scalar", "simd128"), 3, "the first five are discarded");
  const coarse = new Comparison(1);
  for (let k = 0; k < 35; k++) coarse.add({ simd128: k % 10 === 0 ? 1 : 0, scalar: 1 }, 2000);
  assert(coarse.isDone && Number.isNaN(coarse.ratio("scalar", "simd128")), "the clock is too coarse");
  const cooling = new Comparison(0.005);
  for (let k = 0; k < 200; k++) {
    cooling.add({ simd128: 1, scalar: Math.max(2, 20 - k / 4) }, 2000);
    if (k === 40) assert(!cooling.isDone, "times that fall are not steady");
  }
  assert(cooling.isDone && cooling.len < 91);
  assert(frames(1, 3, 999).isFew && !frames(1, 3, 1000).isFew && !frames(0, 3).isFew, "few pairs");
  assert.equal(speed(0.05, 1000, "pair"), "50.0 ns/pair");
  assert.equal(speed(Number.NaN, 2000, "pair"), "–");
  const shown = [0.0042, 0.123, 1.234, 12.34, 1234].map(duration);
  assert.deepEqual(shown, ["4.2 µs", "123 µs", "1.23 ms", "12.3 ms", "1234 ms"]);
  console.log("times: outliers, warm frames, steady frames, clock, units");
}

/** Both builds on the same frames, unasked. */
async function compares(browser, url) {
  const { page, problems, close } = await open(browser, `${url}?test`, DESKTOP);
  const after = (frames) =>
    page.evaluate((frames) => {
      window.page.steps(frames);
      const visible = (selector) => [...document.querySelectorAll(selector)].filter((it) => it.checkVisibility());
      const text = (selector) => visible(selector).map((it) => it.textContent);
      return { ...window.page.compared(), values: text(".bar .value"), note: text("#speed-note")[0] };
    }, frames);
  for (const [scene, len, unit] of [
    [0, 20_000, "ns/pair"],
    [0, 1000, undefined],
    [2, 400, undefined],
    [4, 2000, "ns/ray"],
    [5, 1000, "ns/ray"],
    [6, 4000, "ns/pair"],
  ]) {
    await page.evaluate(
      ([scene, len]) => {
        window.page.compare(false);
        window.page.start(scene, len, 1999);
        window.page.steps(3);
        window.page.compare(true);
      },
      [scene, len],
    );
    const early = await after(34);
    assert.deepEqual([early.frames, early.isDone, early.areEqual], [34, false, undefined]);
    assert.deepEqual(early.values, unit ? ["–", "–"] : [], "no value of 34 frames");
    assert.doesNotMatch(early.note, /× as fast/, "no ratio of 34 frames");
    const late = await after(56);
    assert(late.isDone && late.frames >= 35 && late.frames <= 90);
    assert.equal(late.areEqual, true, `${NAMES[scene]}: the states of both builds differ`);
    assert(
      late.values.every((text) => text.endsWith(unit)) && late.values.length === (unit ? 2 : 0),
      `${NAMES[scene]}: ${late.values} instead of ${unit}`,
    );
    assert.match(late.note, unit ? /× as fast with SIMD|too short for the clock/ : /too few pairs/);
    if (len === 20_000) console.log(`compares: ${late.values.join(", ")}; ${late.note}; ${late.frames} frames`);
  }
  assert.deepEqual(problems, []);
  await close();
}

/** A plain host: another path, no headers, nothing from elsewhere. */
async function hosts(browser) {
  const folder = join(ROOT, "target/hosted");
  for (const bad of ["example.org", "javascript:alert(1)", "/README.md"]) {
    assert.throws(() => repositoryOf(bad), /REPOSITORY is no http\(s\) address/);
  }
  assert.equal(repositoryOf(undefined), undefined);
  for (const repository of [undefined, "https://example.org/phalanx?a=1&b=2"]) {
    assemble(folder, repositoryOf(repository));
    const { server, url } = await serve(0, { folder, path: "/~user/a/b/", isIsolated: false });
    try {
      const context = await browser.newContext({ ...DESKTOP, reducedMotion: "reduce" });
      context.setDefaultTimeout(60_000);
      const requests = [];
      context.on("request", (request) => requests.push(request.url()));
      const page = await context.newPage();
      const problems = [];
      page.on("console", (message) => problems.push(message.text()));
      page.on("pageerror", (error) => problems.push(error.message));
      await page.goto(`${url}#tumbling`);
      await page.waitForSelector("html[data-ready]");
      assert.equal(await page.getAttribute('[data-scene="2"]', "aria-pressed"), "true", "the address names the scene");
      const rows = await page.evaluate(() => document.querySelector("#numbers").textContent);
      assert(Number(/hits on posts(\d+)/.exec(rows)?.[1]) > 20, `the scene starts in the middle: ${rows}`);
      assert.match(await page.textContent("#drawing-note"), /Software rendering \(SwiftShader\)/);
      const narrow = await page.evaluate(() => document.querySelector("canvas").width / innerWidth);
      assert(narrow <= 0.5, "a software renderer draws fewer pixels");
      await page.click('[data-scene="0"]');
      assert.match(await page.textContent("#drawing-note"), /one of 7 shapes drawn, lower/, "and fewer shapes");
      assert.match(page.url(), /#asteroids$/);
      assert.equal(await page.isVisible("#source"), true);
      if (repository) {
        assert.equal(await page.getAttribute("#source", "href"), repository);
      } else {
        await page.click("#source");
        await page.waitForURL(`${url}readme.html`);
        assert.match(await page.textContent("pre"), /^# phalanx/);
      }
      assert.deepEqual(
        requests.filter((place) => !place.startsWith(url)),
        [],
        "all files are in the folder",
      );
      assert.deepEqual(problems, []);
      await context.close();
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }
  console.log("hosts: another path, no headers, link, software rendering, a start in the middle");
}

/** Every scene at a size and in a theme: drawn, nothing wide or wrapped, all labelled, controls and numbers above the fold. */
async function looks(browser, url, size, colorScheme) {
  const { page, problems, close } = await open(browser, `${url}?test`, { ...size, colorScheme });
  const { width } = size.viewport;
  const frames = [40, 100, 90, 2, 20, 170, 30];
  const lens = [3000, 3000, 400, 2, 8000, 8000, 4000];
  for (const [scene, name] of NAMES.entries()) {
    await page.evaluate(
      ([scene, len, frames]) => {
        // Its rows are filled, and its longest values shown.
        window.page.compare(true);
        window.page.start(scene, len, 1999);
        window.page.steps(frames);
      },
      [scene, lens[scene], frames[scene]],
    );
    const colour = ["hit", "missed", "hit", "focus", "stopped", "stopped", "hit"][scene];
    const pixels = await page.evaluate((colour) => window.page.pixels(colour, 40), colour);
    assert(pixels > 40, `${name}: ${pixels} pixels in the colour ${colour}`);
    const wide = await page.evaluate(() => {
      const shown = [...document.querySelectorAll("body *")].filter((it) => it.checkVisibility());
      const named = shown.filter((it) => it.matches("button, input"));
      const buttons = shown.filter((it) => it.dataset.scene);
      const first = "#tagline, #controls button, #count, #rates dd, .value, #numbers dd:nth-of-type(-n + 4)";
      return {
        scroll: document.documentElement.scrollWidth,
        past: shown
          .filter((it) => it.getBoundingClientRect().right > innerWidth + 0.5)
          .map((it) => it.id || it.tagName),
        cut: shown
          .filter((it) => it.matches("button, dt, dd, .value") && it.scrollWidth > it.clientWidth + 1)
          .map((it) => it.textContent),
        wrapped: shown
          .filter((it) => it.matches("dt, dd, .value, #speed-note, #promises") && it.clientHeight > 31)
          .map((it) => it.textContent),
        below: shown
          .filter((it) => it.matches(first))
          .filter((it) => it.getBoundingClientRect().bottom > innerHeight)
          .map((it) => it.textContent),
        rows: Object.values(Object.groupBy(buttons, (it) => it.getBoundingClientRect().top)).map((row) => row.length),
        keys: matchMedia("(pointer: coarse)").matches ? shown.filter((it) => it.matches("kbd, .keys")).length : 0,
        nameless: named
          .filter((it) => !(it.textContent.trim() || it.ariaLabel || it.labels?.length))
          .map((it) => it.id),
      };
    });
    const expected = { scroll: width, past: [], cut: [], wrapped: [], below: [], rows: [4, 3], keys: 0, nameless: [] };
    assert.deepEqual(wide, expected, `${name} at ${width}`);
    await page.screenshot({ path: join(PICTURES, `${name}-${width}-${colorScheme}.png`), fullPage: width < 720 });
  }
  // Drawn with less, the last scene still shows its hits.
  await page.evaluate(() => window.page.reduce(1));
  assert((await page.evaluate(() => window.page.pixels("hit", 40))) > 10, "a reduced drawing shows hits");
  assert.match(await page.textContent("#drawing-note"), /^Slow drawing/);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await ground();
  await page.click("#theme");
  assert.notEqual(await ground(), before, "the button changes the theme");
  assert((await page.evaluate(() => window.page.pixels("background", 3))) > 1000, "the drawing follows the theme");
  assert.deepEqual(problems, []);
  await close();
  console.log(`looks: ${NAMES.length} scenes, ${width} wide, ${colorScheme}`);
}

/** Bullets as they run: the label of the drawing has the number of the table in every frame. */
async function labels(page) {
  const seen = await page.evaluate(async () => {
    const names = [...document.querySelectorAll("#numbers dt")];
    const row = names.find((it) => it.textContent.startsWith("tunnelled, end")).nextElementSibling;
    const texts = [];
    for (let k = 0; k < 40; k++) {
      await new Promise(requestAnimationFrame);
      texts.push([document.querySelector("#labels b").textContent, row.textContent]);
    }
    return texts;
  });
  assert(new Set(seen.map(([label]) => label)).size > 1, "the number rises");
  for (const [label, row] of seen) assert.equal(label, row, "label and table differ");
}

/** Keys, as frames run. */
async function keys(browser, url) {
  const { page, problems, close } = await open(browser, url, { viewport: { width: 800, height: 600 } });
  const pressed = (selector) => page.getAttribute(selector, "aria-pressed");
  const expect = async (selector, value, what) => assert.equal(await pressed(selector), value, what);
  // Few shapes, as graphics are computed by the CPU here.
  await page.focus("#count");
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.querySelector("#count-value").textContent.startsWith("1\u2009000 "));
  const frame = () => page.textContent("#numbers");
  const moves = async () => {
    const before = await frame();
    await page.waitForFunction((before) => document.querySelector("#numbers").textContent !== before, before);
  };
  await moves();
  // Unasked, both builds are measured.
  await page.waitForFunction(() => /bit-identical/.test(document.querySelector("#numbers").textContent));
  assert.match(await page.textContent("#speed-note"), /too few pairs/);
  const rates = await page.locator("#rates dd").allTextContents();
  assert(
    rates.every((text) => /^[\d.]+ (\([\d.]+ )?(µs|ms)\)?$/.test(text)),
    `fps and times are shown: ${rates}`,
  );
  await expect("#simd", "true");
  await page.keyboard.press("s");
  await expect("#simd", "false", "S turns SIMD off");
  await moves();
  await page.keyboard.press("s");
  await expect("#simd", "true", "and on");
  for (const scene of [1, 2, 3, 4, 5, 6, 0]) {
    if (scene === 2) await labels(page);
    await page.keyboard.press(String(scene + 1));
    await expect(`[data-scene="${scene}"]`, "true", `${scene + 1} starts scene ${scene}`);
  }
  await page.focus("#canvas");
  await page.keyboard.press(" ");
  await expect("#pause", "true", "space pauses");
  await page.waitForTimeout(600);
  const still = await frame();
  await page.waitForTimeout(600);
  assert.equal(await frame(), still, "nothing moves");
  await page.keyboard.press(".");
  assert.notEqual(await frame(), still, "a dot is a step");
  await page.keyboard.press(" ");
  await expect("#pause", "false", "space goes on");
  // Space on a button presses that button, once.
  await page.focus("#simd");
  await page.keyboard.press(" ");
  await expect("#simd", "false");
  await expect("#pause", "false");
  // All controls by the tab key, each with a mark.
  await page.focus("#canvas");
  const reached = [];
  for (let k = 0; k < 15; k++) {
    await page.keyboard.press("Tab");
    const [name, outline] = await page.evaluate(() => {
      const it = document.activeElement;
      return [it.id || it.dataset.scene, getComputedStyle(it).outlineStyle];
    });
    if (!name) break;
    reached.push(name);
    assert.equal(outline, "solid", `the focus shows on ${name}`);
  }
  const all = ["source", "theme", "0", "1", "2", "3", "4", "5", "6", "count", "simd", "pause", "step"];
  assert.deepEqual(reached.slice(0, all.length), all);
  assert.deepEqual(problems, []);
  await close();
  console.log("keys: scenes, SIMD, pause, step, slider, focus");
}

/** Two boxes by keys, by mouse and by touch. */
async function drags(browser, url) {
  const { page, problems, close } = await open(browser, `${url}?test`, DESKTOP);
  const start = () => page.evaluate(() => window.page.start(3, 2, 1999));
  const upper = () => page.evaluate(() => window.page.columns(0).map((column) => column[1]));
  const counters = () => page.evaluate(() => window.page.counters());
  await start();
  await page.focus("#canvas");
  const touching = await counters();
  assert(touching[3] === 1 && touching[OWN] < 0 && touching[OWN + 4] > 0);
  const before = await upper();
  for (let k = 0; k < 30; k++) await page.keyboard.press("ArrowUp");
  const above = await upper();
  assert(above[1] > before[1] + 1, "arrows move");
  assert.deepEqual(above.slice(6, 10), before.slice(6, 10));
  const apart = await counters();
  assert.deepEqual([apart[3], apart[OWN], apart[OWN + 4]], [0, Infinity, 0], "no contact, no point");
  await page.keyboard.press("Shift+ArrowLeft");
  const turned = await upper();
  assert.notDeepEqual(turned.slice(6, 10), above.slice(6, 10), "with shift they turn");
  assert.deepEqual(turned.slice(0, 3), above.slice(0, 3));

  await start();
  const place = (await upper()).slice(0, 3);
  const [x, y] = await page.evaluate((place) => window.page.screen(place), place);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 60, { steps: 4 });
  await page.mouse.up();
  const dragged = await upper();
  assert(dragged[1] > place[1] + 0.2, "the mouse drags");
  const [, after] = await page.evaluate((place) => window.page.screen(place), dragged.slice(0, 3));
  assert(Math.abs(after - (y - 60)) < 3, "a box stays under the pointer");
  await page.keyboard.press("b");
  assert.equal((await page.textContent("#choose")).trim().replace(/\s+/g, " "), "B Lower box");
  assert.deepEqual(problems, []);
  await close();
  await touches(browser, url);
  console.log("drags: arrows, shift, mouse, one finger, two");
}

/** A finger moves a box, a second one turns it. */
async function touches(browser, url) {
  const { page, problems, close } = await open(browser, `${url}?test`, PHONE);
  await page.evaluate(() => window.page.start(3, 2, 1999));
  const upper = () => page.evaluate(() => window.page.columns(0).map((column) => column[1]));
  const fingers = await page.context().newCDPSession(page);
  const touch = (type, ...points) => {
    const touchPoints = points.map(([x, y], id) => ({ x, y, id }));
    return fingers.send("Input.dispatchTouchEvent", { type, touchPoints });
  };
  // Moves of fingers arrive with the next frame.
  const changes = (column, before) =>
    page.waitForFunction(([column, before]) => window.page.columns(0)[column][1] !== before, [column, before]);
  const before = await upper();
  const [x, y] = await page.evaluate((place) => window.page.screen(place), before.slice(0, 3));
  await touch("touchStart", [x, y]);
  await touch("touchMove", [x + 40, y]);
  await changes(0, before[0]);
  const moved = await upper();
  assert(moved[0] > before[0] + 0.1, "a finger moves");
  assert.deepEqual(moved.slice(6, 10), before.slice(6, 10));
  await touch("touchStart", [x + 40, y], [x, y + 60]);
  await touch("touchMove", [x + 40, y], [x + 80, y + 60]);
  await changes(6, moved[6]);
  const turned = await upper();
  assert.notDeepEqual(turned.slice(6, 10), moved.slice(6, 10), "a second one turns");
  assert.deepEqual(turned.slice(0, 3), moved.slice(0, 3));
  await touch("touchEnd");
  assert.deepEqual(problems, []);
  await close();
}

/** The character by keys. */
async function walks(browser, url) {
  const { page, problems, close } = await open(browser, `${url}?test`, DESKTOP);
  await page.evaluate(() => window.page.start(5, 1000, 1999));
  const after = (frames) => page.evaluate((frames) => window.page.steps(frames), frames);
  const before = await after(60);
  assert(before[OWN] > -39, "it follows its own path");
  await page.focus("#canvas");
  await page.keyboard.down("ArrowDown");
  const back = await after(60);
  assert(back[OWN] < before[OWN] - 2 && back[OWN + 2] > before[OWN + 2] + 2, "an arrow steers it towards the eye");
  await page.keyboard.up("ArrowDown");
  await page.keyboard.down("j");
  const jump = await after(10);
  assert(jump[OWN + 4] === 1 && jump[OWN + 1] > back[OWN + 1] + 0.3, "J jumps");
  await page.keyboard.up("j");
  await after(120);
  const still = await after(1);
  const own = await after(30);
  assert(own[OWN] > still[OWN] + 1, "and it goes on by itself");
  assert.deepEqual(problems, []);
  await close();
  console.log("walks: by itself, arrows, J");
}

/** Messages where something is missing, and a page that runs if it can. */
async function missing(browser, url) {
  const with_ = async (spoil, work) => {
    const context = await browser.newContext(DESKTOP);
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    await spoil(page);
    await page.goto(`${url}?test`);
    await work(page);
    await context.close();
  };
  const says = (pattern) => async (page) => {
    await page.waitForSelector("#trouble:not([hidden])");
    assert.match(await page.textContent("#trouble"), pattern);
  };
  await with_((page) => page.addInitScript(() => delete window.WebAssembly), says(/needs WebAssembly/));
  const noWebGl = () => {
    HTMLCanvasElement.prototype.getContext = () => null;
  };
  await with_((page) => page.addInitScript(noWebGl), says(/no WebGL/));
  await with_(
    (page) => page.route("**/scalar.wasm", (route) => route.fulfill({ status: 404 })),
    says(/scalar\.wasm.*404/),
  );
  // To a browser without simd128 that build is not valid.
  const notValid = (route) => route.fulfill({ body: "not wasm", contentType: "application/wasm" });
  await with_(
    (page) => page.route("**/simd128.wasm", notValid),
    async (page) => {
      await page.waitForSelector("html[data-ready]");
      assert.equal(await page.evaluate(() => window.page.name()), "scalar");
      assert(await page.isDisabled("#simd"));
      assert.match(await page.textContent("#status"), /no simd128/);
      const [counted] = await page.evaluate(() => window.page.steps(3));
      assert.equal(counted, 3);
    },
  );
  const { page, problems, close } = await open(browser, url, { ...DESKTOP, reducedMotion: "reduce" });
  assert.equal(await page.getAttribute("#pause", "aria-pressed"), "true", "less motion: paused");
  assert.deepEqual(problems, []);
  await close();
  console.log("missing: WebAssembly, WebGL, a file, simd128, motion");
}

mkdirSync(PICTURES, { recursive: true });
const trials = native();
times();
await withBrowser(480, async (browser, url) => {
  await counts(browser, url, trials);
  await compares(browser, url);
  for (const size of [DESKTOP, PHONE]) {
    for (const theme of ["dark", "light"]) await looks(browser, url, size, theme);
  }
  await keys(browser, url);
  await drags(browser, url);
  await walks(browser, url);
  await missing(browser, url);
  await hosts(browser);
});
console.log(`all tests passed; pictures are in ${PICTURES}`);
