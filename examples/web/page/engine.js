// The scenes as wasm: one build with simd128, one without.

const COLUMNS = 11;
const decoder = new TextDecoder();

export const BUILDS = ["simd128", "scalar"];

/** Compiles a build; null if this browser cannot, as one without simd128. */
export async function load(name) {
  const place = `wasm/${name}.wasm`;
  const response = await fetch(place);
  if (!response.ok) throw new Error(`${place} cannot be read: ${response.status} ${response.statusText}`);
  const bytes = await response.arrayBuffer();
  if (!WebAssembly.validate(bytes)) return null;
  const { instance } = await WebAssembly.instantiate(bytes, {});
  return new Engine(name, instance.exports);
}

/** A build, and the scene in it. */
class Engine {
  #exports;

  constructor(name, exports) {
    this.name = name;
    this.#exports = exports;
  }

  /** Starts a scene with so many shapes, or as many of them as it may have. */
  start(scene, len, seed) {
    this.#check(this.#exports.page_start(scene, len, seed));
  }

  /** The fewest and the most shapes of a scene. */
  range(scene) {
    return [this.#exports.page_fewest(scene), this.#exports.page_most(scene)];
  }

  /** Goes on by a frame. Returns the milliseconds of candidates, of the verb and of all. */
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

  /** What to draw: for each kind its columns, as they are in memory until the next call. */
  kinds() {
    return Array.from({ length: this.#exports.page_kinds() }, (_, kind) => {
      const len = this.#exports.page_kind_len(kind);
      const places = new Uint32Array(this.#buffer, this.#exports.page_kind_columns(kind), COLUMNS);
      return Array.from(places, (place) => new Float32Array(this.#buffer, place, len));
    });
  }

  /** The surface of the scene: corners of triangles, ends of edges, and its number of triangles of terrain; or null. */
  surface() {
    const [corners, len, edges, ends, terrain] = new Uint32Array(this.#buffer, this.#exports.page_surface(), 5);
    if (len === 0) return null;
    const copy = (place, len) => new Float32Array(this.#buffer, place, len).slice();
    return { corners: copy(corners, len), edges: copy(edges, ends), terrain };
  }

  /** The instruction set that the detector says it uses. */
  simd() {
    return this.#text(this.#exports.page_simd());
  }

  /** The state of the scene, to go on with it in another build. */
  save() {
    const len = this.#exports.page_save();
    return new Uint8Array(this.#buffer, this.#exports.page_state(), len).slice();
  }

  /** Goes on from the state that such a scene had after so many frames. */
  load(frame, state) {
    this.#check(this.#exports.page_make_room(state.length));
    new Uint8Array(this.#buffer, this.#exports.page_state(), state.length).set(state);
    this.#check(this.#exports.page_load(frame));
  }

  /** The box that a ray meets first, or -1. */
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
