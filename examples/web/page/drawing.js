// Draws the scenes.
//
// Each column in the memory of the library is an attribute of instances: data is copied only to the GPU.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";

const UP = new THREE.Vector3(0, 1, 0);
const NUMBERS = ["cx", "cy", "cz", "hx", "hy", "hz", "qx", "qy", "qz", "qw", "tint"];

// Outputs of the vertex shader.
const VARYINGS = /* glsl */ `
varying vec3 vColour;
varying vec3 vNormal;
varying vec3 vPlace;
varying vec3 vLocal;
varying vec3 vHalf;
varying float vGlow;
`;

const VERTEX = /* glsl */ `
attribute float ${NUMBERS.join(", ")};
uniform vec3 colours[3];
uniform vec3 light;
uniform float ground;
${VARYINGS}
vec3 turned(vec4 q, vec3 v) {
  return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

void main() {
  vec4 q = vec4(qx, qy, qz, qw);
  vHalf = vec3(hx, hy, hz);
  vLocal = position;
  vNormal = turned(q, normal);
  vPlace = turned(q, position * vHalf) + vec3(cx, cy, cz);
  vColour = tint <= 1.0 ? mix(colours[0], colours[1], tint) : mix(colours[1], colours[2], tint - 1.0);
  vGlow = clamp(tint, 0.0, 1.0);
#ifdef SHADOW
  // Away from the light, onto the ground.
  vPlace -= light * ((vPlace.y - ground) / max(light.y, 0.1));
#endif
  gl_Position = projectionMatrix * viewMatrix * vec4(vPlace, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 light;
uniform float isSun;
uniform vec3 lightColour;
uniform vec3 background;
uniform vec2 fog;
uniform float alpha;
uniform float glows;
${VARYINGS}
void main() {
  vec3 colour = vColour;
#if !defined(SHADOW) && !defined(FLAT)
  vec3 normal = normalize(vNormal);
  vec3 toLight = isSun > 0.5 ? normalize(-vPlace) : light;
  vec3 toEye = normalize(cameraPosition - vPlace);
  float key = max(dot(normal, toLight), 0.0);
  float sky = 0.5 + 0.5 * normal.y;
  float rim = pow(1.0 - max(dot(normal, toEye), 0.0), 3.0);
  vec3 lit = colour * (0.26 + 0.3 * sky + 1.1 * key * lightColour) + 0.10 * rim * lightColour;
#ifdef EDGED
  // The distance from the next edge: of the distances from the faces the middle one.
  vec3 d = (1.0 - abs(vLocal)) * vHalf;
  float edge = max(min(d.x, d.y), min(max(d.x, d.y), d.z));
  float pixel = fwidth(edge);
  float near = 1.0 - smoothstep(0.6 * pixel, 1.8 * pixel, edge);
  float large = smoothstep(4.0, 14.0, min(vHalf.x, max(vHalf.y, vHalf.z)) / max(pixel, 1e-6));
  lit = mix(lit, lit * 1.5 + 0.05, 0.55 * near * large);
#endif
  colour = mix(lit, colour * 1.15, 0.35 * glows * vGlow);
#endif
  float away = smoothstep(fog.x, fog.y, distance(cameraPosition, vPlace));
  gl_FragColor = vec4(mix(colour, background, away), alpha);
  #include <colorspace_fragment>
}`;

const SURFACE_VERTEX = /* glsl */ `
uniform int terrain;
varying vec3 vPlace;
varying vec3 vCorner;
varying float vTerrain;
void main() {
  int corner = gl_VertexID % 3;
  vCorner = vec3(corner == 0, corner == 1, corner == 2);
  vTerrain = gl_VertexID < 3 * terrain ? 1.0 : 0.0;
  vPlace = position;
  gl_Position = projectionMatrix * viewMatrix * vec4(vPlace, 1.0);
}`;

// What hides the figure is cut away: a tube from the eye that ends in a cone.
const CUT = /* glsl */ `
uniform vec3 colours[3];
uniform vec3 background;
uniform vec2 fog;
uniform vec3 figure;
varying vec3 vPlace;
float cut() {
  vec3 sight = figure - cameraPosition;
  float t = dot(vPlace - cameraPosition, sight) / dot(sight, sight);
  float left = (1.0 - t) * length(sight) - 0.8;
  return distance(vPlace, cameraPosition + t * sight) - min(0.8 * left, 2.0);
}`;

const SURFACE_FRAGMENT = /* glsl */ `
${CUT}
uniform vec3 light;
uniform vec3 lightColour;
varying vec3 vCorner;
varying float vTerrain;
void main() {
  float rim = cut();
  if (rim < 0.0) discard;
  vec3 normal = normalize(cross(dFdx(vPlace), dFdy(vPlace)));
  float key = max(dot(normal, light), 0.0);
  vec3 colour = mix(colours[1], colours[0], vTerrain);
  colour *= 0.34 + 0.2 * normal.y + 0.75 * key * lightColour;
  // The edges of triangles that are large enough.
  vec3 pixel = fwidth(vCorner);
  vec3 to = vCorner / pixel;
  float wire = 1.0 - smoothstep(0.3, 1.2, min(to.x, min(to.y, to.z)));
  float large = smoothstep(9.0, 40.0, 1.0 / max(pixel.x, max(pixel.y, pixel.z)));
  colour = mix(colour, colour * 0.72, wire * large);
  // A shadow below the figure.
  vec3 by = vPlace - figure;
  float below = step(by.y, 0.0) * (1.0 - smoothstep(1.0, 4.0, -by.y));
  colour *= 1.0 - 0.55 * below * (1.0 - smoothstep(0.2, 0.6, length(by.xz)));
  colour = mix(colours[2], colour, smoothstep(0.5, 1.5, rim / fwidth(rim)));
  float away = smoothstep(fog.x, fog.y, distance(cameraPosition, vPlace));
  gl_FragColor = vec4(mix(colour, background, away), 1.0);
  #include <colorspace_fragment>
}`;

const EDGE_FRAGMENT = /* glsl */ `
${CUT}
void main() {
  if (cut() < 0.0) discard;
  float away = smoothstep(fog.x, fog.y, distance(cameraPosition, vPlace));
  gl_FragColor = vec4(mix(colours[2], background, away), 1.0);
  #include <colorspace_fragment>
}`;

/** Triangles that do not change, and their sharp edges. */
class Surface {
  constructor({ corners, edges, terrain }, names, uniforms) {
    this.names = names;
    this.colours = names.map(() => new THREE.Color());
    const material = (fragmentShader) =>
      new THREE.ShaderMaterial({
        vertexShader: SURFACE_VERTEX,
        fragmentShader,
        uniforms: { ...uniforms, colours: { value: this.colours }, terrain: { value: terrain } },
        // Edges are drawn over what they bound.
        polygonOffset: true,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
      });
    const geometry = (places) =>
      new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(places, 3));
    this.meshes = [
      new THREE.Mesh(geometry(corners), material(SURFACE_FRAGMENT)),
      new THREE.LineSegments(geometry(edges), material(EDGE_FRAGMENT)),
    ];
    for (const mesh of this.meshes) mesh.frustumCulled = false;
  }

  dispose() {
    for (const mesh of this.meshes) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
  }
}

/** Levels of load: maximum pixel ratio, pixels, and instances of a kind, and the detail of a sphere. */
const LOADS = [
  { ratio: 2, pixels: Infinity, instances: Infinity, detail: 2 },
  { ratio: 1, pixels: Infinity, instances: 10_000, detail: 1 },
  { ratio: 1, pixels: 240_000, instances: 3_000, detail: 0 },
];
/** Maximum stride of an attribute, in columns of 4 bytes: WebGL allows 255 bytes. */
const MAX_STRIDE = 63;
const SOFTWARE = /swiftshader|llvmpipe|softpipe|lavapipe|software|basic render/i;

/** Name of the software renderer, or an empty text. */
function softwareRenderer() {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return "";
  let name = String(context.getParameter(context.RENDERER));
  // Firefox has the name here, and warns of the extension.
  if (name === "WebKit WebGL") {
    const info = context.getExtension("WEBGL_debug_renderer_info");
    if (info) name = String(context.getParameter(info.UNMASKED_RENDERER_WEBGL));
  }
  return name.match(SOFTWARE)?.[0] ?? "";
}

/** Convex hull of points, three numbers for each, with a normal for each face. */
function hullOf(numbers) {
  const points = Array.from({ length: numbers.length / 3 }, (_, k) => new THREE.Vector3().fromArray(numbers, 3 * k));
  return new ConvexGeometry(points);
}

/** Instances of one kind. */
class Kind {
  #columns = [];
  #load;

  constructor(spec, uniforms, load, points) {
    this.spec = spec;
    this.stride = 1;
    this.#load = load;
    const shape = {
      box: () => new THREE.BoxGeometry(2, 2, 2),
      ball: () => new THREE.IcosahedronGeometry(1, spec.fine ? 3 : load.detail),
      dot: () => new THREE.OctahedronGeometry(1),
      hull: () => hullOf(points),
      // The character: 1.8 m tall with a radius of 0.35 m.
      capsule: () => new THREE.CapsuleGeometry(1, 1.1 / 0.35, 8, 20),
    }[spec.shape]();
    this.geometry = new THREE.InstancedBufferGeometry();
    if (shape.index) this.geometry.setIndex(shape.index);
    this.geometry.setAttribute("position", shape.getAttribute("position"));
    this.geometry.setAttribute("normal", shape.getAttribute("normal"));
    const seeThrough = spec.seeThrough !== undefined;
    this.colours = [0, 1, 2].map(() => new THREE.Color());
    const material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      defines: { ...(spec.shape === "box" && { EDGED: "" }), ...(spec.flat && { FLAT: "" }) },
      uniforms: {
        ...uniforms,
        colours: { value: this.colours },
        alpha: { value: spec.seeThrough ?? 1 },
        glows: { value: spec.glows ? 1 : 0 },
      },
      // What is opaque would be drawn before, not over, what is not.
      transparent: seeThrough || Boolean(spec.onTop),
      depthWrite: !seeThrough,
      depthTest: !spec.onTop,
      side: THREE.FrontSide,
    });
    this.mesh = new THREE.Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = spec.onTop ? 3 : seeThrough ? 2 : 1;
    this.meshes = [this.mesh];
    if (spec.shadow) {
      this.shade = new THREE.Color();
      const shadow = new THREE.ShaderMaterial({
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        defines: { SHADOW: "" },
        uniforms: {
          ...material.uniforms,
          colours: { value: [this.shade, this.shade, this.shade] },
          alpha: { value: 1 },
        },
        side: THREE.DoubleSide,
      });
      const mesh = new THREE.Mesh(this.geometry, shadow);
      mesh.frustumCulled = false;
      this.meshes.push(mesh);
    }
  }

  /** Takes columns in the memory of the library; if there are too many instances, one of `stride` is drawn. */
  update(columns) {
    const len = columns[0].length;
    const isNew = this.#columns.length === 0 || this.#columns[0].length !== len;
    this.stride = Math.min(Math.max(Math.ceil(len / this.#load.instances), 1), MAX_STRIDE);
    columns.forEach((column, k) => {
      const before = this.#columns[k];
      const moved = !before || before.buffer !== column.buffer || before.byteOffset !== column.byteOffset;
      if (isNew) {
        const buffer = new THREE.InstancedInterleavedBuffer(column, this.stride).setUsage(THREE.DynamicDrawUsage);
        this.geometry.setAttribute(NUMBERS[k], new THREE.InterleavedBufferAttribute(buffer, 1, 0));
      } else if (moved || !this.spec.still?.includes(k)) {
        const buffer = this.geometry.getAttribute(NUMBERS[k]).data;
        buffer.array = column;
        buffer.needsUpdate = true;
      }
    });
    this.#columns = columns;
    this.geometry.instanceCount = Math.floor(len / this.stride);
  }

  dispose() {
    this.geometry.dispose();
    for (const mesh of this.meshes) mesh.material.dispose();
  }
}

/** The canvas and its contents. */
export class Drawing {
  #canvas;
  #labels;
  #renderer;
  #scene = new THREE.Scene();
  #camera = new THREE.PerspectiveCamera(42, 1, 0.05, 1000);
  #controls;
  #kinds = [];
  #hulls = [];
  #surface;
  #followed;
  #level = 0;
  #software;
  #extras = [];
  #spec;
  #view;
  #lines = new THREE.Color();
  #arrow;
  #uniforms = {
    light: { value: new THREE.Vector3(0.45, 0.8, 0.4).normalize() },
    isSun: { value: 0 },
    lightColour: { value: new THREE.Color() },
    background: { value: new THREE.Color() },
    fog: { value: new THREE.Vector2(100, 200) },
    ground: { value: 0 },
    figure: { value: new THREE.Vector3() },
  };

  /**
   * Throws if there is no WebGL. If `adapts`, a software renderer draws less.
   *
   * `onChange` is called when the view changes.
   */
  constructor(canvas, labels, adapts, onChange) {
    this.#canvas = canvas;
    this.#labels = labels;
    this.#software = adapts ? softwareRenderer() : "";
    if (this.#software) this.#level = LOADS.length - 1;
    const antialias = !this.#software;
    this.#renderer = new THREE.WebGLRenderer({ canvas, antialias, powerPreference: "high-performance" });
    this.#controls = new OrbitControls(this.#camera, canvas);
    this.#controls.enablePan = false;
    this.#controls.addEventListener("change", onChange);
  }

  /** Shows another scene, given its first counters, its surface if it has one, and the points of its hulls. */
  show(spec, counters, surface, hulls) {
    this.#spec = spec;
    this.#hulls = hulls;
    this.#setKinds();
    if (this.#surface) {
      this.#scene.remove(...this.#surface.meshes);
      this.#surface.dispose();
    }
    this.#surface = surface && new Surface(surface, spec.surface, this.#uniforms);
    if (surface) this.#scene.add(...this.#surface.meshes);
    this.#view = spec.view(counters);
    if (spec.follow) this.#followed = new THREE.Vector3(...spec.follow(counters));
    this.#uniforms.isSun.value = spec.sun ? 1 : 0;
    this.#uniforms.ground.value = (spec.ground ?? 0) + 0.004;
    this.#uniforms.fog.value.fromArray(this.#view.fog);
    this.#addExtras();
    this.recolour();
    this.look();
  }

  /** The level of load, its maximum, one of how many shapes is drawn, and the name of the software renderer. */
  get load() {
    const part = Math.max(1, ...this.#kinds.map((kind) => kind.stride));
    return { level: this.#level, most: LOADS.length - 1, part, software: this.#software };
  }

  /** Draws less, or more; takes an update. */
  reduce(level) {
    this.#level = level;
    this.#setKinds();
    this.recolour();
    this.resize();
  }

  #setPixelRatio() {
    const { width, height } = this.#size;
    const { ratio, pixels } = LOADS[this.#level];
    this.#renderer.setPixelRatio(Math.min(devicePixelRatio, ratio, Math.sqrt(pixels / (width * height))));
  }

  #setKinds() {
    for (const kind of this.#kinds) {
      this.#scene.remove(...kind.meshes);
      kind.dispose();
    }
    const load = LOADS[this.#level];
    // Kinds of hulls share the limit of instances.
    const shared = { ...load, instances: load.instances / this.#hulls.length };
    this.#kinds =
      this.#hulls.length > 0
        ? this.#hulls.map((points) => new Kind(this.#spec.kinds[0], this.#uniforms, shared, points))
        : this.#spec.kinds.map((kind) => new Kind(kind, this.#uniforms, load));
    for (const kind of this.#kinds) this.#scene.add(...kind.meshes);
  }

  /** Takes the columns of each kind. */
  update(kinds) {
    this.#kinds.forEach((kind, k) => kind.update(kinds[k]));
  }

  /** Draws, with the labels of counters that may be older. */
  render(counters, contact, labelled) {
    this.#drawContact(contact);
    if (this.#spec.follow) this.#follow(new THREE.Vector3(...this.#spec.follow(counters)));
    this.#renderer.render(this.#scene, this.#camera);
    this.#drawLabels(this.#spec.labels?.(labelled) ?? []);
  }

  /** Moves the camera with a place, smoothly. */
  #follow(place) {
    this.#uniforms.figure.value.copy(place);
    const by = place.clone().sub(this.#followed);
    if (by.length() < 3) by.multiplyScalar(0.25);
    if (by.length() < 1e-4) return;
    this.#followed.add(by);
    this.#controls.target.add(by);
    this.#camera.position.add(by);
    this.#controls.update();
  }

  /** Takes the colours of the style sheet. */
  recolour() {
    const probe = document.createElement("i");
    document.body.append(probe);
    const colour = (name) => {
      probe.style.color = `var(--${name})`;
      return new THREE.Color().setStyle(getComputedStyle(probe).color);
    };
    const background = colour("background");
    this.#scene.background = background;
    this.#uniforms.background.value.copy(background);
    this.#lines.copy(colour("line"));
    this.#uniforms.lightColour.value.copy(colour("key-light"));
    for (const kind of this.#kinds) {
      kind.spec.colours.forEach((name, k) => kind.colours[k].copy(colour(name)));
      kind.shade?.copy(colour("ground")).multiplyScalar(0.62);
    }
    this.#surface?.names.forEach((name, k) => this.#surface.colours[k].copy(colour(name)));
    for (const extra of this.#extras) {
      extra.traverse((part) => {
        if (part.userData.colour) part.material.color.copy(colour(part.userData.colour));
      });
    }
    probe.remove();
  }

  /** Moves the camera to the view of the scene. */
  look() {
    const { from, at, fit } = this.#view;
    const [target, place] = [new THREE.Vector3(...at), new THREE.Vector3(...from)];
    const way = place.clone().sub(target);
    // Far enough for all to fit.
    const { width, height, covered } = this.#size;
    const up = Math.tan(THREE.MathUtils.degToRad(this.#camera.fov / 2));
    const across = (up * (width - covered)) / height;
    const needed = Math.max(fit[0] / across, fit[1] / up);
    if (needed > way.length()) way.setLength(needed);
    this.#controls.target.copy(target);
    this.#camera.position.copy(target).add(way);
    this.#setFar();
    this.#controls.update();
  }

  /** Fits the canvas to the page. */
  resize() {
    const { width, height, covered } = this.#size;
    this.#setPixelRatio();
    this.#renderer.setSize(width, height, false);
    this.#camera.aspect = width / height;
    this.#camera.setViewOffset(width, height, -covered / 2, 0, width, height);
    this.#camera.updateProjectionMatrix();
  }

  /** The ray of sight through a place of the page. */
  ray(x, y) {
    const box = this.#canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    const caster = new THREE.Raycaster();
    caster.setFromCamera(at, this.#camera);
    return { from: caster.ray.origin, way: caster.ray.direction.clone().multiplyScalar(100), ray: caster.ray };
  }

  /** Intersection of a ray of sight and the plane across the view through a place. */
  onPlane(ray, place) {
    const normal = this.#camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, place);
    return ray.intersectPlane(plane, new THREE.Vector3());
  }

  /** Axes of the camera: right, up, and towards the eye. */
  axes() {
    const axes = [0, 1, 2].map(() => new THREE.Vector3());
    this.#camera.updateMatrixWorld();
    this.#camera.matrixWorld.extractBasis(...axes);
    return axes;
  }

  /** Position on the page of a place in the scene. */
  screen(place) {
    const box = this.#canvas.getBoundingClientRect();
    const at = new THREE.Vector3(...place).project(this.#camera);
    return [box.left + ((at.x + 1) / 2) * box.width, box.top + ((1 - at.y) / 2) * box.height];
  }

  /** Counts the pixels within `near` of a colour of the style sheet. */
  pixels(name, near) {
    const { width, height } = this.#canvas;
    const copy = new OffscreenCanvas(width, height).getContext("2d");
    copy.drawImage(this.#canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    const probe = document.createElement("i");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    const wanted = getComputedStyle(probe)
      .color.match(/[\d.]+/g)
      .map(Number);
    probe.remove();
    let count = 0;
    for (let k = 0; k < data.length; k += 4) {
      count += [0, 1, 2].every((c) => Math.abs(data[k + c] - wanted[c]) <= near);
    }
    return count;
  }

  /** Size of the canvas, and width of its left part below the panel, in pixels. */
  get #size() {
    const { clientWidth: width, clientHeight: height } = this.#canvas.parentElement;
    const panel = document.getElementById("panel");
    const beside = getComputedStyle(panel).position === "fixed" ? panel.getBoundingClientRect().right : 0;
    return { width: Math.max(width, 1), height: Math.max(height, 1), covered: beside };
  }

  #setFar() {
    this.#camera.far = this.#view.far;
    this.#camera.near = this.#view.far / 8000;
    this.#controls.maxDistance = this.#view.far * 0.6;
    this.#controls.minDistance = this.#view.far / 400;
    this.resize();
  }

  #addExtras() {
    for (const extra of this.#extras) {
      this.#scene.remove(extra);
      extra.traverse((part) => {
        part.geometry?.dispose();
        part.material?.map?.dispose();
        part.material?.dispose();
      });
    }
    this.#extras = [];
    const add = (object, colour) => {
      object.userData.colour = colour;
      this.#extras.push(object);
      this.#scene.add(object);
      return object;
    };
    if (this.#spec.sun) {
      const radius = this.#view.far / 4 / 16;
      const sun = new THREE.Mesh(new THREE.IcosahedronGeometry(radius, 4), new THREE.MeshBasicMaterial());
      add(sun, "sun");
      const glow = new THREE.Sprite(
        new THREE.SpriteMaterial({ map: halo(), transparent: true, depthWrite: false, opacity: 0.75 }),
      );
      glow.scale.setScalar(radius * 9);
      add(glow, "sun");
    }
    if (this.#spec.ground !== undefined) {
      const material = new THREE.ShaderMaterial({
        vertexShader: `
          varying vec3 vPlace;
          void main() {
            vec4 place = modelMatrix * vec4(position, 1.0);
            vPlace = place.xyz;
            gl_Position = projectionMatrix * viewMatrix * place;
          }`,
        fragmentShader: `
          uniform vec3 color;
          uniform vec3 lines;
          uniform vec3 background;
          uniform vec2 fog;
          varying vec3 vPlace;
          void main() {
            vec2 to = abs(fract(vPlace.xz / 3.0 - 0.5) - 0.5) / fwidth(vPlace.xz / 3.0);
            float line = 1.0 - min(min(to.x, to.y), 1.0);
            float away = smoothstep(fog.x, fog.y, distance(cameraPosition, vPlace));
            gl_FragColor = vec4(mix(mix(color, lines, 0.55 * line), background, away), 1.0);
            #include <colorspace_fragment>
          }`,
        uniforms: {
          color: { value: new THREE.Color() },
          lines: { value: this.#lines },
          background: this.#uniforms.background,
          fog: this.#uniforms.fog,
        },
      });
      // For recolour.
      material.color = material.uniforms.color.value;
      const ground = new THREE.Mesh(new THREE.PlaneGeometry(400, 400), material);
      ground.rotation.x = -Math.PI / 2;
      ground.position.y = this.#spec.ground;
      add(ground, "ground");
    }
    if (this.#spec.stars) {
      const stars = new THREE.BufferGeometry().setAttribute("position", starsWithin(0.45 * this.#view.far));
      const material = new THREE.PointsMaterial({ size: 1.6, sizeAttenuation: false, transparent: true, opacity: 0.6 });
      add(new THREE.Points(stars, material), "other");
    }
    this.#arrow = undefined;
    if (this.#spec.contact) {
      this.#arrow = new THREE.Group();
      const material = { depthTest: false, transparent: true, opacity: 0.9 };
      const [shaft, tip] = [new THREE.CylinderGeometry(0.025, 0.025, 1.1), new THREE.ConeGeometry(0.09, 0.26)];
      for (const [shape, y] of [
        [shaft, 0.55],
        [tip, 1.2],
      ]) {
        const part = new THREE.Mesh(shape.translate(0, y, 0), new THREE.MeshBasicMaterial(material));
        part.renderOrder = 4;
        part.userData.colour = "focus";
        this.#arrow.add(part);
      }
      add(this.#arrow);
    }
  }

  #drawContact(contact) {
    if (!this.#arrow) return;
    this.#arrow.visible = Boolean(contact);
    if (!contact) return;
    this.#arrow.position.fromArray(contact.middle);
    this.#arrow.quaternion.setFromUnitVectors(UP, new THREE.Vector3().fromArray(contact.normal));
  }

  #drawLabels(labels) {
    const list = this.#labels;
    while (list.children.length > labels.length) list.lastChild.remove();
    while (list.children.length < labels.length) list.append(document.createElement("span"));
    const { width, height } = this.#size;
    labels.forEach((label, k) => {
      const span = list.children[k];
      if (span.innerHTML !== label.html) span.innerHTML = label.html;
      span.className = label.mark ?? "";
      const place = new THREE.Vector3(...label.at).project(this.#camera);
      let x = ((place.x + 1) / 2) * width;
      let y = ((1 - place.y) / 2) * height - span.offsetHeight / 2;
      x += label.aside ? 12 : -span.offsetWidth / 2;
      x = Math.min(Math.max(x, 4), width - span.offsetWidth - 4);
      y = Math.min(Math.max(y, 4), height - span.offsetHeight - 4);
      span.style.transform = `translate(${x}px, ${y}px)`;
      span.hidden = place.z > 1;
    });
  }
}

/** Places on a sphere, by a generator that is the same for each picture. */
function starsWithin(radius) {
  const places = [];
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const star = new THREE.Vector3();
  for (let k = 0; k < 900; k++) {
    star.setFromSphericalCoords(radius, Math.acos(2 * random() - 1), 2 * Math.PI * random());
    places.push(star.x, star.y, star.z);
  }
  return new THREE.Float32BufferAttribute(places, 3);
}

/** A soft disc of light. */
function halo() {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 128;
  const context = canvas.getContext("2d");
  const gradient = context.createRadialGradient(64, 64, 0, 64, 64, 64);
  gradient.addColorStop(0, "rgb(255 255 255 / 0.9)");
  gradient.addColorStop(0.25, "rgb(255 255 255 / 0.35)");
  gradient.addColorStop(1, "rgb(255 255 255 / 0)");
  context.fillStyle = gradient;
  context.fillRect(0, 0, 128, 128);
  return new THREE.CanvasTexture(canvas);
}
