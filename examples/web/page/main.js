// The page: controls, numbers, and the loop of frames.

import { BUILDS, load } from "./engine.js";
import { SCENES, contactOf, count } from "./scenes.js";
import { Comparison, Times, clockStep, duration, speed } from "./times.js";

const at = (id) => document.getElementById(id);
const parameters = new URLSearchParams(location.search);
// Tests step the frames themselves.
const isTest = parameters.has("test");

const engines = {};
let engine;
let drawing;
let scene = 0;
let isPaused = false;
let isStale = true;
let counters = [];
/** Counters in the table, which labels of the drawing repeat. */
let shown = [];
let chosen = 1;
/** Smallest step of the clock in milliseconds. */
let clock = 0;
/** Milliseconds of the build in use: calls of the library, the step of the scene, and all work of a frame. */
let times = {};
/** Intervals between frames, in milliseconds. */
let intervals;
/** Both builds on the same frames. */
let comparison;
let compares = !isTest;
/** Whether the other build has the state of this one. */
let isInStep = false;
/** Whether both states were equal after the last compared frame; undefined before. */
let areEqual;
/** Milliseconds that the other build took in this frame. */
let aside = 0;
const lens = SCENES.map((spec) => spec.len);

function trouble(text) {
  at("trouble").textContent = text;
  at("trouble").hidden = false;
}

function say(text) {
  at("status").textContent = text;
}

function resetTimes() {
  times = Object.fromEntries(["candidates", "verb", "calls", "all", "work"].map((what) => [what, new Times(clock)]));
  intervals = new Times(clock);
}

/** Starts a scene, `isWarm` in the middle: where something happens. */
function start(number, isWarm = true) {
  scene = number;
  const spec = SCENES[scene];
  resetTimes();
  comparison = new Comparison(clock);
  isInStep = false;
  areEqual = undefined;
  engine.start(scene, lens[scene], spec.seed);
  // Contacts are there from the first picture on.
  const frames = spec.contact ? 1 : isWarm ? (spec.warm ?? 0) : 0;
  for (let k = 0; k < frames; k++) engine.frame();
  counters = engine.counters();
  drawing.show(spec, counters, engine.surface(), engine.hulls());
  drawing.update(engine.kinds());
  for (const button of document.querySelectorAll("[data-scene]")) {
    button.setAttribute("aria-pressed", Number(button.dataset.scene) === scene);
  }
  at("about-text").textContent = spec.about;
  at("about-keys").textContent = spec.keys ?? "";
  at("amount").hidden = Boolean(spec.fixed);
  at("speed").hidden = Boolean(spec.fixed);
  at("drag-controls").hidden = !spec.contact;
  held.clear();
  at("legend").replaceChildren(
    ...spec.legend.map(([colour, text]) => {
      const item = document.createElement("li");
      const swatch = document.createElement("i");
      swatch.style.background = `var(--${colour})`;
      item.append(swatch, text);
      return item;
    }),
  );
  setSlider();
  noteDrawing();
  showNumbers();
  isStale = true;
}

// The slider goes in equal factors.
function setSlider() {
  const [fewest, most] = engine.range(scene);
  const share = Math.log(lens[scene] / fewest) / Math.log(most / fewest);
  at("count").value = Number.isFinite(share) ? Math.round(share * 1000) : 0;
  nameAmount();
}

function lenOfSlider() {
  const [fewest, most] = engine.range(scene);
  const len = fewest * (most / fewest) ** (at("count").value / 1000);
  const digits = 10 ** Math.max(Math.floor(Math.log10(len)) - 1, 0);
  return Math.min(Math.max(Math.round(len / digits) * digits, fewest), most);
}

function nameAmount() {
  const text = `${count(lens[scene])} ${SCENES[scene].noun}`;
  at("count-value").textContent = text;
  at("count").setAttribute("aria-valuetext", text);
}

/** Advances the scene by a frame, in both builds while they are compared. */
function step() {
  aside = 0;
  if (held.size > 0) steer(engine);
  const taken = compares && other() && !SCENES[scene].fixed && !comparison.isDone ? both() : engine.frame();
  counters = engine.counters();
  drawing.update(engine.kinds());
  for (const what of ["candidates", "verb", "all"]) times[what].add(taken[what]);
  times.calls.add(taken.candidates + taken.verb);
  isStale = true;
}

const other = () => engines[BUILDS.find((name) => name !== engine.name)];

/** The same frame by both builds, which take turns in going first. Returns the times of the build in use. */
function both() {
  const before = performance.now();
  const shadow = other();
  if (!isInStep) {
    shadow.start(scene, lens[scene], SCENES[scene].seed);
    shadow.load(counters[0], engine.save());
    isInStep = true;
  }
  if (held.size > 0) steer(shadow);
  const order = comparison.len % 2 === 0 ? [engine, shadow] : [shadow, engine];
  const taken = Object.fromEntries(order.map((it) => [it.name, it.frame()]));
  const calls = Object.fromEntries(order.map((it) => [it.name, taken[it.name].verb]));
  comparison.add(calls, engine.counters()[2]);
  if (comparison.isDone) {
    const [mine, its] = [engine.save(), shadow.save()];
    areEqual = mine.length === its.length && mine.every((byte, k) => byte === its[k]);
    isInStep = false;
  }
  aside = performance.now() - before - taken[engine.name].all;
  return taken[engine.name];
}

/** Passes the scene to another build, with its state. */
function use(name) {
  const next = engines[name];
  if (!next || next === engine) return;
  const state = engine.save();
  next.start(scene, lens[scene], SCENES[scene].seed);
  next.load(counters[0], state);
  engine = next;
  isInStep = true;
  resetTimes();
  counters = engine.counters();
  drawing.update(engine.kinds());
  const isSimd = name === "simd128";
  at("simd").setAttribute("aria-pressed", isSimd);
  say(`${isSimd ? "With" : "Without"} SIMD. Instruction set: ${engine.simd()}.`);
  showNumbers();
  isStale = true;
}

function pause(isTrue) {
  isPaused = isTrue;
  intervals = new Times(clock);
  at("pause").setAttribute("aria-pressed", isPaused);
  at("pause").lastElementChild.textContent = isPaused ? "Play" : "Pause";
  say(isPaused ? "Paused." : "Running.");
}

function showNumbers() {
  const spec = SCENES[scene];
  // The labels of the drawing have the same numbers.
  if (shown !== counters) isStale = true;
  shown = counters;
  const rows = spec.numbers(counters);
  if (!spec.fixed) {
    if (!spec.noPairs) rows.push([spec.before ?? "candidates", duration(times.candidates.typical)]);
    rows.push([spec.verb, duration(times.verb.typical)]);
  }
  if (!spec.fixed && other()) {
    const text = areEqual === undefined ? "–" : areEqual ? "bit-identical" : "different";
    rows.push(["state, simd128 and scalar", text, areEqual === undefined ? "" : areEqual ? "good" : "bad"]);
  }
  rows.push(["instruction set", engine.simd()]);
  const list = at("numbers");
  if (list.children.length !== 2 * rows.length) {
    list.replaceChildren(...rows.flatMap(() => [document.createElement("dt"), document.createElement("dd")]));
  }
  rows.forEach(([name, value, mark], k) => {
    list.children[2 * k].textContent = name;
    list.children[2 * k + 1].textContent = value;
    list.children[2 * k + 1].className = mark ?? "";
  });
  showRates();
  showSpeed();
}

function showRates() {
  const rate = (id, text) => (at(id).lastElementChild.textContent = text);
  const fps = 1000 / intervals.typical;
  const shown = Number.isNaN(fps) ? "–" : `${fps.toFixed(fps < 10 ? 1 : 0)} (${duration(1000 / fps)})`;
  rate("fps", isPaused ? "paused" : shown);
  // Frames that are stepped only are not drawn in the same turn.
  const isDrawn = times.work.len > 0;
  at("frame").firstElementChild.textContent = isDrawn ? "frame, CPU" : "frame, not drawn";
  rate("frame", duration((isDrawn ? times.work : times.all).typical));
  rate("calls", duration(times.calls.typical));
}

function showSpeed() {
  const calls = Object.fromEntries(BUILDS.map((name) => [name, comparison.call(name)]));
  const longest = Math.max(...Object.values(calls));
  for (const bar of document.querySelectorAll(".bar")) {
    bar.hidden = comparison.isFew;
    const ms = calls[bar.dataset.build];
    bar.classList.toggle("active", bar.dataset.build === engine.name);
    bar.querySelector(".fill").style.width = longest > 0 ? `${(100 * ms) / longest}%` : "0";
    bar.querySelector(".value").textContent = speed(ms, comparison.pairs, SCENES[scene].unit ?? "pair");
  }
  at("speed-note").textContent = compared();
}

/** The result of the comparison, or its state. */
function compared() {
  const { verb } = SCENES[scene];
  if (!other()) return "This browser has no simd128: no comparison.";
  if (comparison.isFew) return `${verb}: too few pairs a call to compare both builds`;
  if (!comparison.isDone) {
    const { len, least } = comparison;
    return len < least ? `Comparing both builds: frame ${len} of ${least}` : "Comparing both builds: times not steady yet";
  }
  const ratio = comparison.ratio("scalar", "simd128");
  if (Number.isNaN(ratio)) return `${verb}: too short for the clock of this browser (${duration(clock)})`;
  return `${verb}: ${ratio.toFixed(1)} × as fast with SIMD, same frames`;
}

function draw() {
  const { contact } = SCENES[scene];
  drawing.render(counters, contact ? contactOf(counters) : null, contact ? counters : shown);
  isStale = false;
}

/** Says what is left out of the drawing, if anything is. */
function noteDrawing() {
  const { level, part, software } = drawing.load;
  at("drawing-note").hidden = level === 0;
  const cause = software ? `Software rendering (${software})` : "Slow drawing";
  const what = part > 1 ? `one of ${part} shapes drawn, lower resolution` : "lower resolution";
  at("drawing-note").textContent = `${cause}: ${what}. phalanx tests all shapes.`;
}

function reduce(level) {
  drawing.reduce(level);
  drawing.update(engine.kinds());
  intervals = new Times(clock);
  noteDrawing();
  isStale = true;
}

// Slow frames: intervals above this, most of which are neither the scene's nor the library's.
const SLOW = 50;
const SLOW_FRAMES = 12;

function reduceIfSlow() {
  const { level, most } = drawing.load;
  if (level === most || intervals.len < SLOW_FRAMES) return;
  const interval = intervals.typical;
  if (interval > SLOW && times.work.typical < 0.5 * interval) reduce(level + 1);
}

let lastStep = 0;
let lastNumbers = 0;

function loop(now) {
  try {
    turn(now);
    requestAnimationFrame(loop);
  } catch (error) {
    trouble(`The scene has stopped: ${error.message}`);
    throw error;
  }
}

function turn(now) {
  const begin = performance.now();
  // At most 60 steps a second, also on faster screens.
  const steps = !isPaused && now - lastStep > 14;
  if (steps) {
    // Not the first one, none of a page that was hidden, and without the other build.
    const interval = now - lastStep - aside;
    if (lastStep > 0 && interval < 5000) intervals.add(interval);
    lastStep = now;
    step();
  }
  // Before the drawing, whose labels have the same numbers.
  const isDue = now - lastNumbers > 250;
  if (isDue) {
    lastNumbers = now;
    showNumbers();
  }
  if (isStale) draw();
  if (steps) times.work.add(performance.now() - begin - aside);
  if (isDue) reduceIfSlow();
}

/** Moves or rotates the selected box, and finds its contacts. */
function drag(by, turn) {
  engine.drag(chosen, by, turn);
  if (isPaused || isTest) step();
}

const NONE = { x: 0, y: 0, z: 0 };

function listenForDrags() {
  const canvas = at("canvas");
  const fingers = new Map();
  let held = null;
  canvas.addEventListener(
    "pointerdown",
    (event) => {
      if (!SCENES[scene].contact) return;
      const { from, way } = drawing.ray(event.clientX, event.clientY);
      const box = held === null ? engine.pick(from, way) : chosen;
      if (box < 0) return;
      event.stopImmediatePropagation();
      choose(box);
      held ??= { pointer: event.pointerId, turns: event.shiftKey || event.button === 2 };
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      canvas.setPointerCapture(event.pointerId);
    },
    { capture: true },
  );
  canvas.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]];
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    const [right, up] = drawing.axes();
    if (held.turns || event.pointerId !== held.pointer) {
      drag(NONE, up.multiplyScalar(dx * 0.01).add(right.multiplyScalar(dy * 0.01)));
      return;
    }
    const kind = engine.kinds()[0];
    const center = right.clone().set(kind[0][chosen], kind[1][chosen], kind[2][chosen]);
    const before = drawing.onPlane(drawing.ray(...last).ray, center);
    const after = drawing.onPlane(drawing.ray(event.clientX, event.clientY).ray, center);
    if (before && after) drag(after.sub(before), NONE);
  });
  const release = (event) => {
    fingers.delete(event.pointerId);
    if (held?.pointer === event.pointerId) {
      held = null;
      fingers.clear();
    }
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("contextmenu", (event) => {
    if (SCENES[scene].contact) event.preventDefault();
  });
}

function choose(box) {
  chosen = box;
  at("choose").lastElementChild.textContent = box === 1 ? "Upper box" : "Lower box";
}

const AXES = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [1, 1],
  ArrowDown: [1, -1],
  PageUp: [2, -1],
  PageDown: [2, 1],
};

// Keys that steer the character: directions to the right and ahead, in the view, and the jump.
const STEERS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1], j: [0, 0], J: [0, 0] };
const held = new Set();

function steer(steered) {
  const [right, , back] = drawing.axes();
  const way = right.clone().set(0, 0, 0);
  for (const key of held) {
    const [x, y] = STEERS[key];
    way.addScaledVector(right, x).addScaledVector(back.setY(0).normalize(), -y);
  }
  steered.steer(way.x, way.z, held.has("j") || held.has("J"));
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key;
  const isOnControl = event.target instanceof Element && event.target.closest("button, input");
  if (key >= "1" && key <= String(SCENES.length)) go(Number(key) - 1);
  else if (key === "s" || key === "S") toggleSimd();
  else if (key === "b" || key === "B") choose(1 - chosen);
  else if (key === ".") stepOnce();
  else if (key === " " && !isOnControl) pause(!isPaused);
  else if (STEERS[key] && SCENES[scene].walks && !(event.target instanceof HTMLInputElement)) held.add(key);
  else if (AXES[key] && SCENES[scene].contact && !(event.target instanceof HTMLInputElement)) {
    const [axis, sign] = AXES[key];
    const direction = drawing.axes()[axis];
    if (event.shiftKey) {
      // Up and down about the axis across the view, left and right about the one along it.
      const about = drawing.axes()[axis === 2 ? 2 : 1 - axis];
      drag(NONE, about.multiplyScalar(0.08 * sign * (axis === 1 ? -1 : 1)));
    } else drag(direction.multiplyScalar(0.06 * sign), NONE);
  } else return;
  event.preventDefault();
}

function go(number) {
  start(number);
  history.replaceState(null, "", `#${SCENES[scene].name.toLowerCase()}`);
  say(`${SCENES[scene].name}: ${SCENES[scene].about}`);
}

function toggleSimd() {
  use(engine.name === "simd128" ? "scalar" : "simd128");
}

function stepOnce() {
  pause(true);
  step();
  showNumbers();
}

function listen() {
  addEventListener("keydown", press);
  addEventListener("keyup", (event) => held.delete(event.key));
  addEventListener("blur", () => held.clear());
  for (const button of document.querySelectorAll("[data-scene]")) {
    button.addEventListener("click", () => go(Number(button.dataset.scene)));
  }
  at("count").addEventListener("input", () => {
    const len = lenOfSlider();
    if (len === lens[scene]) return;
    lens[scene] = len;
    nameAmount();
    restartSoon();
  });
  at("simd").addEventListener("click", toggleSimd);
  at("pause").addEventListener("click", () => pause(!isPaused));
  at("step").addEventListener("click", stepOnce);
  at("choose").addEventListener("click", () => choose(1 - chosen));
  at("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark =
      getComputedStyle(root).getPropertyValue("color-scheme") === "dark" ||
      (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    root.dataset.theme = isDark ? "light" : "dark";
    recolour();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  new ResizeObserver(() => {
    drawing.resize();
    isStale = true;
    if (isTest) draw();
  }).observe(at("view"));
  listenForDrags();
}

function recolour() {
  drawing.recolour();
  isStale = true;
  if (isTest) draw();
}

// A slider that moves does not restart the scene at each of its steps.
let restart = 0;
function restartSoon() {
  clearTimeout(restart);
  restart = setTimeout(() => start(scene), 120);
}

/** The scene that the address names, or the first one. */
function sceneOfAddress() {
  const name = location.hash.slice(1).toLowerCase();
  return Math.max(
    SCENES.findIndex((spec) => spec.name.toLowerCase() === name),
    0,
  );
}

async function main() {
  if (typeof WebAssembly !== "object") return trouble("This page needs WebAssembly, which this browser lacks.");
  try {
    const loaded = await Promise.all(BUILDS.map(load));
    BUILDS.forEach((name, k) => {
      if (loaded[k]) engines[name] = loaded[k];
    });
  } catch (error) {
    return trouble(`The library cannot be loaded: ${error.message}`);
  }
  engine = engines.simd128 ?? engines.scalar;
  if (!engine) return trouble("The WebAssembly of this browser is too old: it runs neither build of the library.");
  if (!engines.simd128) {
    at("simd").disabled = true;
    at("simd").setAttribute("aria-pressed", false);
    at("simd").title = "This browser has no simd128.";
    say("This browser has no simd128. The scalar build runs.");
  }
  const canvas = at("canvas");
  let Drawing;
  try {
    ({ Drawing } = await import("./drawing.js"));
    drawing = new Drawing(canvas, at("labels"), !isTest, () => (isStale = true));
  } catch (error) {
    return trouble(`This browser has no WebGL, so the scenes cannot be drawn: ${error.message}`);
  }
  clock = clockStep();
  start(sceneOfAddress(), !isTest);
  listen();
  addEventListener("hashchange", () => start(sceneOfAddress()));
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    pause(true);
    step();
    say("Paused: this system prefers reduced motion.");
  }
  if (isTest) expose();
  else requestAnimationFrame(loop);
  document.documentElement.dataset.ready = "";
}

/** The page as tests drive it. */
function expose() {
  window.page = {
    builds: Object.keys(engines),
    start(number, len, seed) {
      lens[number] = len;
      SCENES[number].seed = seed;
      start(number, false);
    },
    /** Compares both builds in the next frames, or does not. */
    compare: (isTrue) => (compares = isTrue),
    compared: () => ({ frames: comparison.len, isDone: comparison.isDone, areEqual }),
    reduce,
    steps(len) {
      for (let k = 0; k < len; k++) step();
      showNumbers();
      return counters;
    },
    draw,
    use,
    counters: () => counters,
    state: () => Array.from(engine.save()),
    columns: (kind) => engine.kinds()[kind].map((column) => Array.from(column)),
    kinds: () => engine.kinds().map((columns) => columns.map((column) => Array.from(column))),
    name: () => engine.name,
    simd: () => engine.simd(),
    scene: () => scene,
    screen: (place) => drawing.screen(place),
    /** Draws, and counts the pixels within `near` of a colour of the style sheet. */
    pixels(colour, near) {
      draw();
      return drawing.pixels(colour, near);
    },
    /** The milliseconds of each of the next frames, and its pairs. */
    measure: (frames) => Array.from({ length: frames }, () => ({ ...engine.frame(), pairs: engine.counters()[2] })),
  };
}

main().catch((error) => {
  trouble(`Something went wrong: ${error.message}`);
  throw error;
});
