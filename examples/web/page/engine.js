// The scenes as wasm: one build with simd128, one without.

const COLUMNS = 11;
const decoder = new TextDecoder();

export const BUILDS = ["simd128", "scalar"];

/** Compiles a build; null if this browser cannot, for lack of simd128. */
export async function load(name) {
  const place = `wasm/${name}.wasm`;
  const response = await fetch(new URL(place, import.meta.url));
  if (!response.ok) throw new Error(`${place} cannot be read: ${response.status} ${response.statusText}`);
  const bytes = await response.arrayBuffer();
  if (!WebAssembly.validate(bytes)) return null;
  const { instance } = await WebAssembly.instantiate(bytes, {});
  return new Engine(name, instance.exports);
}

/** A build and its scene. */
class Engine {
  #exports;

  constructor(name, exports) {
    this.name = name;
    this.#exports = exports;
  }

  /** Starts a scene with `len` shapes, clamped to the range of the scene. */
  start(scene, len, seed) {
    this.#check(this.#exports.page_start(scene, len, seed));
  }

  /** Minimum and maximum number of shapes of a scene. */
  range(scene) {
    return [this.#exports.page_fewest(scene), this.#exports.page_most(scene)];
  }

  /** Advances by a frame. Returns the milliseconds of candidates, of the verb and of all. */
  frame() {
    const start = performance.now();
    this.#check(this.#exports.page_advance());
    const moved = performance.now();
    this.#check(this.#exports.page_candidates());
    const listed = performance.now();
    this.#check(this.#exports.page_test());
    const tested = performance.now();
    this.#check(this.#exports.page_settle());
    return { candidates: listed - moved, verb: tested - listed, all: performance.now() - start };
  }

  /** A copy of the counters. */
  counters() {
    const len = this.#exports.page_counters_len();
    return Array.from(new Float64Array(this.#buffer, this.#exports.page_counters(), len));
  }

  /** Columns to draw, by kind: views of memory, valid until the next call. */
  kinds() {
    return Array.from({ length: this.#exports.page_kinds() }, (_, kind) => {
      const len = this.#exports.page_kind_len(kind);
      const places = new Uint32Array(this.#buffer, this.#exports.page_kind_columns(kind), COLUMNS);
      return Array.from(places, (place) => new Float32Array(this.#buffer, place, len));
    });
  }

  /** Surface of the scene: corners of triangles, ends of edges, and number of triangles of terrain; or null. */
  surface() {
    const [corners, len, edges, ends, terrain] = new Uint32Array(this.#buffer, this.#exports.page_surface(), 5);
    if (len === 0) return null;
    const copy = (place, len) => new Float32Array(this.#buffer, place, len).slice();
    return { corners: copy(corners, len), edges: copy(edges, ends), terrain };
  }

  /** Points of the convex hull of each kind, three numbers for each point; empty if kinds have shapes of their own. */
  hulls() {
    return Array.from({ length: this.#exports.page_hulls() }, (_, kind) => {
      const [place, len] = new Uint32Array(this.#buffer, this.#exports.page_hull_points(kind), 2);
      return new Float32Array(this.#buffer, place, len).slice();
    });
  }

  /** Instruction set of the detector. */
  simd() {
    return this.#text(this.#exports.page_simd());
  }

  /** State of the scene, for another build. */
  save() {
    const len = this.#exports.page_save();
    return new Uint8Array(this.#buffer, this.#exports.page_state(), len).slice();
  }

  /** Continues from the state of such a scene after `frame` frames. */
  load(frame, state) {
    this.#check(this.#exports.page_make_room(state.length));
    new Uint8Array(this.#buffer, this.#exports.page_state(), state.length).set(state);
    this.#check(this.#exports.page_load(frame));
  }

  /** First box that a ray hits, or -1. */
  pick(from, way) {
    return this.#exports.page_pick(from.x, from.y, from.z, way.x, way.y, way.z);
  }

  /** Moves and turns a box. */
  drag(box, by, turn) {
    this.#check(this.#exports.page_drag(box, by.x, by.y, by.z, turn.x, turn.y, turn.z));
  }

  /** Directs the character in the next frame. */
  steer(x, z, jumps) {
    this.#check(this.#exports.page_steer(x, z, Number(jumps)));
  }

  get #buffer() {
    return this.#exports.memory.buffer;
  }

  #text(len) {
    return decoder.decode(new Uint8Array(this.#buffer, this.#exports.page_text(), len));
  }

  #check(status) {
    if (status !== 0) throw new Error(this.#text(this.#exports.page_text_len()));
  }
}
