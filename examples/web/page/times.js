// Times of calls, and the ratio of the two builds.

/** Frames of each build that are discarded first, and frames that a ratio is made from. */
export const WARM = 5;
export const MEASURED = 30;
/** Maximum number of frames, steady or not. */
const PATIENCE = 90;
/** Ratio of the two halves of the measured frames below which times are steady. */
const STEADY = 1.2;
/** Below this number of pairs, calls are not compared: other work than tests of pairs takes their time. */
export const FEW = 1000;
/** Minimum length of all measured calls of a build, in steps of the clock. */
const STEPS = 40;

/**
 * Mean without outliers: times above four medians and four steps of the clock are dropped.
 *
 * A mean, because the median of a coarse clock is one of its few steps.
 */
export function typical(times, step = 0) {
  if (times.length === 0) return Number.NaN;
  const sorted = times.toSorted((a, b) => a - b);
  const limit = 4 * sorted[sorted.length >> 1] + 4 * step;
  const kept = sorted.filter((x) => x <= limit);
  return kept.reduce((sum, x) => sum + x, 0) / kept.length;
}

/** Smallest step of the clock, in milliseconds. */
export function clockStep(now = () => performance.now()) {
  let smallest = Infinity;
  for (let k = 0; k < 8; k++) {
    const before = now();
    let after = before;
    while (after === before) after = now();
    smallest = Math.min(smallest, after - before);
  }
  return smallest;
}

/** The last 60 times. */
export class Times {
  #last = [];
  #step;

  constructor(step = 0) {
    this.#step = step;
  }

  add(x) {
    this.#last.push(x);
    if (this.#last.length > 60) this.#last.shift();
  }

  get len() {
    return this.#last.length;
  }

  get typical() {
    return typical(this.#last, this.#step);
  }
}

/** Times of the same frames by two builds. */
export class Comparison {
  #step;
  #frames = [];

  constructor(step = 0) {
    this.#step = step;
  }

  /** Adds a frame: milliseconds by build, and its number of pairs. */
  add(times, pairs) {
    if (!this.isDone) this.#frames.push({ ...times, pairs });
  }

  /** Number of frames so far. */
  get len() {
    return this.#frames.length;
  }

  /** Number of frames it takes at least. */
  get least() {
    return WARM + MEASURED;
  }

  /** Whether there are enough frames, with times that are steady: engines compile hot loops again while they run. */
  get isDone() {
    if (this.len < this.least) return false;
    if (this.len >= PATIENCE) return true;
    const frames = this.#measured;
    return Object.keys(frames[0])
      .filter((name) => name !== "pairs")
      .every((name) => {
        const half = frames.length >> 1;
        const [before, after] = [frames.slice(0, half), frames.slice(half)].map((part) => this.#mean(part, name));
        return before <= STEADY * after + this.#step;
      });
  }

  /** Milliseconds of a call of a build; NaN before it is done. */
  call(name) {
    return this.isDone ? this.#mean(this.#measured, name) : Number.NaN;
  }

  /** Whether calls have too few pairs. */
  get isFew() {
    return this.len > 0 && typical(this.#frames.map((frame) => frame.pairs)) < FEW;
  }

  /** Pairs of a call; NaN before it is done. */
  get pairs() {
    return this.isDone ? typical(this.#measured.map((frame) => frame.pairs)) : Number.NaN;
  }

  /** Whether the steps of the clock are too large for these calls. */
  isCoarse(name) {
    return this.call(name) * MEASURED < STEPS * this.#step;
  }

  /** How many times as long the calls of `slow` take as those of `fast`; NaN if that is not known. */
  ratio(slow, fast) {
    if (this.isCoarse(slow) || this.isCoarse(fast)) return Number.NaN;
    return this.call(slow) / this.call(fast);
  }

  get #measured() {
    return this.#frames.slice(-MEASURED);
  }

  #mean(frames, name) {
    return typical(
      frames.map((frame) => frame[name]),
      this.#step,
    );
  }
}

/** A time with three digits or so, in ms or µs. */
export function duration(ms) {
  if (Number.isNaN(ms)) return "–";
  if (ms >= 100) return `${ms.toFixed(0)} ms`;
  if (ms >= 1) return `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
  const us = ms * 1000;
  return `${us.toFixed(us < 10 ? 1 : 0)} µs`;
}

/** Time of a pair. */
export function speed(ms, pairs, unit) {
  if (Number.isNaN(ms) || Number.isNaN(pairs)) return "–";
  const ns = (ms * 1e6) / pairs;
  return `${ns.toFixed(ns < 1000 ? 1 : 0)} ns/${unit}`;
}
