// The page: controls, numbers, and the loop of frames.

import { BUILDS, load } from "./engine.js";
import { SCENES, contactOf, count } from "./scenes.js";

const at = (id) => document.getElementById(id);
const parameters = new URLSearchParams(location.search);
// Frames are then stepped from outside.
const isTest = parameters.has("test");

/** The last measurements of something, of which the middle one counts. */
class Times {
  #last = [];

  add(x) {
    this.#last.push(x);
    if (this.#last.length > 60) this.#last.shift();
  }

  get middle() {
    const sorted = this.#last.toSorted((a, b) => a - b);
    return sorted.length ? sorted[sorted.length >> 1] : Number.NaN;
  }
}

const engines = {};
let engine;
let drawing;
let scene = 0;
let isPaused = false;
let isStale = true;
let counters = [];
let chosen = 1;
// Milliseconds of this scene with so many shapes, by build.
let times = {};
const lens = SCENES.map((spec) => spec.len);

function trouble(text) {
  at("trouble").textContent = text;
  at("trouble").hidden = false;
}

function say(text) {
  at("status").textContent = text;
}

/** Starts a scene from its first frame. */
function start(number) {
  scene = number;
  const spec = SCENES[scene];
  times = Object.fromEntries(
    BUILDS.map((name) => [
      name,
      { candidates: new Times(), verb: new Times(), all: new Times(), perPair: new Times() },
    ]),
  );
  engine.start(scene, lens[scene], spec.seed);
  // Contacts are there from the first picture on.
  if (spec.contact) engine.frame();
  counters = engine.counters();
  drawing.show(spec, counters, engine.surface());
  drawing.update(engine.kinds());
  for (const button of document.querySelectorAll("[data-scene]")) {
    button.setAttribute("aria-pressed", Number(button.dataset.scene) === scene);
  }
  at("about").textContent = spec.about;
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

/** Goes on by a frame. */
function step() {
  if (held.size > 0) steer();
  const taken = engine.frame();
  counters = engine.counters();
  drawing.update(engine.kinds());
  const mine = times[engine.name];
  for (const what of ["candidates", "verb", "all"]) mine[what].add(taken[what]);
  if (counters[2] > 0) mine.perPair.add((taken.verb * 1e6) / counters[2]);
  isStale = true;
}

/** Hands the scene to another build, as it is. */
function use(name) {
  const next = engines[name];
  if (!next || next === engine) return;
  const state = engine.save();
  next.start(scene, lens[scene], SCENES[scene].seed);
  next.load(counters[0], state);
  engine = next;
  counters = engine.counters();
  drawing.update(engine.kinds());
  const isSimd = name === "simd128";
  at("simd").setAttribute("aria-pressed", isSimd);
  say(`${isSimd ? "With" : "Without"} SIMD: the detector says ${engine.simd()}.`);
  showNumbers();
  isStale = true;
}

function pause(isTrue) {
  isPaused = isTrue;
  at("pause").setAttribute("aria-pressed", isPaused);
  at("pause").lastElementChild.textContent = isPaused ? "Play" : "Pause";
  say(isPaused ? "Paused." : "Running.");
}

const milliseconds = (x) => (Number.isNaN(x) ? "–" : `${x.toFixed(x < 1 ? 3 : 2)} ms`);

function showNumbers() {
  const spec = SCENES[scene];
  const mine = times[engine.name];
  const rows = spec.numbers(counters);
  if (!spec.fixed) {
    if (!spec.noPairs) rows.push([spec.before ?? "candidates", milliseconds(mine.candidates.middle)]);
    rows.push([spec.verb, milliseconds(mine.verb.middle)]);
  }
  rows.push(["a frame, motion included", milliseconds(mine.all.middle)]);
  rows.push(["the detector says", engine.simd()]);
  const list = at("numbers");
  if (list.children.length !== 2 * rows.length) {
    list.replaceChildren(...rows.flatMap(() => [document.createElement("dt"), document.createElement("dd")]));
  }
  rows.forEach(([name, value, mark], k) => {
    list.children[2 * k].textContent = name;
    list.children[2 * k + 1].textContent = value;
    list.children[2 * k + 1].className = mark ?? "";
  });
  showSpeed();
}

function showSpeed() {
  const perPair = Object.fromEntries(BUILDS.map((name) => [name, times[name].perPair.middle]));
  const longest = Math.max(...Object.values(perPair).filter((x) => !Number.isNaN(x)), 0);
  for (const bar of document.querySelectorAll(".bar")) {
    const ns = perPair[bar.dataset.build];
    bar.classList.toggle("active", bar.dataset.build === engine.name);
    bar.querySelector(".fill").style.width = longest > 0 && ns > 0 ? `${(100 * ns) / longest}%` : "0";
    const text = `${ns.toFixed(ns < 1000 ? 1 : 0)} ns/${SCENES[scene].unit ?? "pair"}`;
    bar.querySelector(".value").textContent = Number.isNaN(ns) ? "–" : text;
  }
  const { simd128, scalar } = perPair;
  const ratio = scalar / simd128;
  const compared = Number.isNaN(ratio) ? "S measures the other build." : `${ratio.toFixed(1)} × as fast with SIMD.`;
  at("speed-note").textContent = counters[2] < SHORT ? "So few pairs: mostly the call itself and the clock." : compared;
}

function draw() {
  drawing.render(counters, SCENES[scene].contact ? contactOf(counters) : null);
  isStale = false;
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
  // At most 60 steps a second, also on faster screens.
  if (!isPaused && now - lastStep > 14) {
    lastStep = now;
    step();
  }
  if (isStale) draw();
  if (now - lastNumbers > 250) {
    lastNumbers = now;
    showNumbers();
  }
}

/** Moves or turns the chosen box, and asks about it. */
function drag(by, turn) {
  engine.drag(chosen, by, turn);
  if (isPaused || isTest) step();
}

// Lists below this take less than the steps of the clock.
const SHORT = 500;
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

// The keys of the character that are held: its directions to the right and ahead, as seen, and its jump.
const STEERS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1], j: [0, 0], J: [0, 0] };
const held = new Set();

function steer() {
  const [right, , back] = drawing.axes();
  const way = right.clone().set(0, 0, 0);
  for (const key of held) {
    const [x, y] = STEERS[key];
    way.addScaledVector(right, x).addScaledVector(back.setY(0).normalize(), -y);
  }
  engine.steer(way.x, way.z, held.has("j") || held.has("J"));
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

// A slider that moves starts no scene for each of its steps.
let restart = 0;
function restartSoon() {
  cancelAnimationFrame(restart);
  restart = requestAnimationFrame(() => start(scene));
}

async function main() {
  if (typeof WebAssembly !== "object") return trouble("This page needs WebAssembly, which this browser does not have.");
  try {
    const loaded = await Promise.all(BUILDS.map(load));
    BUILDS.forEach((name, k) => {
      if (loaded[k]) engines[name] = loaded[k];
    });
  } catch (error) {
    return trouble(`The library cannot be loaded: ${error.message}`);
  }
  engine = engines.simd128 ?? engines.scalar;
  if (!engine) return trouble("This browser takes neither build of the library: its WebAssembly is too old.");
  if (!engines.simd128) {
    at("simd").disabled = true;
    at("simd").setAttribute("aria-pressed", false);
    at("simd").title = "This browser has no simd128.";
    say("This browser has no simd128: the scalar build is used.");
  }
  const canvas = at("canvas");
  let Drawing;
  try {
    ({ Drawing } = await import("./drawing.js"));
    drawing = new Drawing(canvas, at("labels"), () => (isStale = true));
  } catch (error) {
    return trouble(`The scenes cannot be drawn, as there is no WebGL: ${error.message}`);
  }
  start(0);
  listen();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    pause(true);
    step();
    say("Paused, as this system asks for less motion.");
  }
  if (isTest) expose();
  else requestAnimationFrame(loop);
  document.documentElement.dataset.ready = "";
}

/** What a test drives the page by. */
function expose() {
  window.page = {
    builds: Object.keys(engines),
    start(number, len, seed) {
      lens[number] = len;
      SCENES[number].seed = seed;
      start(number);
    },
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
    name: () => engine.name,
    simd: () => engine.simd(),
    scene: () => scene,
    screen: (place) => drawing.screen(place),
    /** Draws, and counts the pixels that are within `near` of a colour of the style sheet. */
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
