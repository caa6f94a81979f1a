// Words, colours and camera of each scene.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
export const count = (x) => whole.format(x).replaceAll(",", "\u2009");
const percent = (part, all) => (all > 0 ? `${((100 * part) / all).toFixed(1)}\u2009%` : "–");
const signed = (x) => x.toFixed(3).replace("-", "\u2212");
const length = (x) => (Number.isFinite(x) ? x.toFixed(3) : "–");

// Index of the first counter that belongs to a scene.
const OWN = 5;

/**
 * kinds: in the order in which the scene returns them. Their colours are those of tints 0, 1 and 2.
 * Kinds that are convex hulls share one entry.
 * surface: colours of terrain, of walls, and of edges, if the scene has a surface.
 * numbers: rows of the table, each a name, a text made from the counters, and a mark.
 * before: name of the timed step before the verb, instead of candidates.
 * warm: number of frames before the first one shown, so that the scene starts in the middle.
 * sun, stars: whether they are drawn.
 * walks: whether keys steer a character.
 * follow: the place that the camera follows.
 * view: eye, target, and half of the width and height that must fit.
 */
export const SCENES = [
  {
    name: "Asteroids",
    verb: "overlap",
    about:
      "Tumbling boxes orbit a sun. Each frame: broad phase (candidates), then narrow phase (overlap).",
    len: 20_000,
    seed: 1999,
    noun: "asteroids",
    kinds: [{ shape: "box", colours: ["body", "hit", "hit"], still: [3, 4, 5], glows: true }],
    sun: true,
    stars: true,
    numbers: (c) => [
      ["candidate pairs", count(c[2])],
      ["touching pairs", count(c[3]), "hot"],
      ["asteroids touching", `${count(c[OWN])} · ${percent(c[OWN], c[1])}`],
    ],
    legend: [
      ["body", "free"],
      ["hit", "touching"],
    ],
    view: (c) => {
      const r = c[OWN + 1];
      return {
        from: [0.35 * r, 0.2 * r, 1.02 * r],
        at: [-0.02 * r, -0.05 * r, 0.2 * r],
        fit: [0, 0],
        far: 4 * r,
        fog: [0.7 * r, 3.2 * r],
      };
    },
  },
  {
    name: "Bullets",
    verb: "sweep",
    about:
      "Bullets of 50 to 145 m/s against thin walls. Top: end-of-frame test. Bottom: sweep. " +
      "Tunnelling is counted by brute force in f64.",
    warm: 30,
    len: 6_000,
    seed: 1999,
    noun: "bullets",
    kinds: [
      { shape: "box", colours: ["other", "missed", "missed"], seeThrough: 0.55 },
      { shape: "ball", colours: ["body", "stopped", "missed"], glows: true },
      { shape: "box", colours: ["body", "stopped", "missed"], seeThrough: 0.8, glows: true },
      { shape: "box", colours: ["other", "missed", "missed"], seeThrough: 0.55 },
      { shape: "ball", colours: ["body", "stopped", "missed"], glows: true },
      { shape: "box", colours: ["body", "stopped", "missed"], seeThrough: 0.8, glows: true },
    ],
    numbers: (c) => [
      ["candidate pairs", count(c[2])],
      ["stopped by end-of-frame test", count(c[OWN + 2])],
      ["stopped by sweep", count(c[OWN + 5])],
      ["tunnelled, end-of-frame test", count(c[OWN + 1]), c[OWN + 1] > 0 ? "bad" : ""],
      ["tunnelled, sweep", count(c[OWN + 4]), c[OWN + 4] > 0 ? "bad" : "good"],
    ],
    legend: [
      ["body", "in flight"],
      ["stopped", "stopped"],
      ["missed", "tunnelled"],
    ],
    labels: (c) => [
      { at: [-6, 10.8, 0], html: `end-of-frame test: <b>${count(c[OWN + 1])}</b> tunnelled`, mark: "bad" },
      { at: [-6, -10.6, 0], html: `<code>sweep</code>: <b>${count(c[OWN + 4])}</b> tunnelled`, mark: "good" },
    ],
    view: () => ({ from: [24, 24, 52], at: [-3, -0.4, 0], fit: [27, 12.5], far: 400, fog: [200, 400] }),
  },
  {
    name: "Tumbling",
    verb: "impact",
    about:
      "Planks fall and rotate. Each stops at its time of impact, within a millimetre. " +
      "A pose-by-pose test misses many hits.",
    warm: 90,
    len: 400,
    seed: 1999,
    noun: "planks",
    kinds: [
      { shape: "box", colours: ["body", "stopped", "hit"], glows: true, shadow: true },
      { shape: "box", colours: ["other", "hit", "hit"], shadow: true },
    ],
    ground: 0,
    numbers: (c) => [
      ["pairs tested", count(c[2])],
      ["hits in this frame", count(c[3])],
      ["hits on posts", count(c[OWN])],
      ["missed by pose-by-pose test", `${count(c[OWN + 1])} · ${percent(c[OWN + 1], c[OWN])}`, "hot"],
      ["planks stopped", count(c[OWN + 2])],
    ],
    legend: [
      ["stopped", "hit that a pose shows"],
      ["hit", "hit that only impact finds"],
    ],
    view: () => ({ from: [7, 11, 25], at: [0, 3.2, 0], fit: [13, 7.5], far: 300, fog: [45, 110] }),
  },
  {
    name: "Contact",
    verb: "contact",
    about:
      "Contact manifold of two boxes: up to four points, normal and penetration depth. " +
      "A margin of 0.35 includes near misses.",
    len: 2,
    seed: 1999,
    noun: "boxes",
    fixed: true,
    kinds: [
      { shape: "box", colours: ["body", "hit", "hit"], seeThrough: 0.6, shadow: true },
      { shape: "ball", colours: ["stopped", "text", "text"], glows: true, onTop: true, fine: true },
    ],
    ground: -2.6,
    contact: true,
    numbers: (c) => [
      ["boxes", c[OWN + 4] === 0 ? "separated" : c[3] > 0 ? "touching" : "within the margin", c[3] > 0 ? "hot" : ""],
      [c[OWN] > 0 ? "gap" : "depth", length(Math.abs(c[OWN]))],
      ["contact points", count(c[OWN + 4])],
      [
        "normal",
        c[OWN + 4] === 0
          ? "–"
          : c
              .slice(OWN + 1, OWN + 4)
              .map((x) => x.toFixed(2).replace("-", "\u2212"))
              .join(", "),
      ],
    ],
    legend: [
      ["text", "penetrating point"],
      ["stopped", "point with a gap"],
    ],
    labels: (c) =>
      Array.from({ length: c[OWN + 4] }, (_, k) => {
        const [x, y, z, separation] = c.slice(OWN + 5 + 4 * k);
        return { at: [x, y, z], html: signed(separation), aside: true };
      }),
    view: () => ({ from: [2.6, 2.2, 6.4], at: [0, 0, 0], fit: [3.2, 2.8], far: 60, fog: [14, 40] }),
  },
  {
    name: "Lidar",
    verb: "first hits",
    about:
      "A lidar in a field of rocks: first hits of its rays in two stores, rocks and ground, without a pair list.",
    len: 20_000,
    seed: 1999,
    noun: "rays",
    unit: "ray",
    noPairs: true,
    kinds: [
      { shape: "box", colours: ["body", "hit", "hit"], still: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] },
      { shape: "dot", colours: ["stopped", "text", "text"], glows: true },
      { shape: "box", colours: ["missed", "missed", "missed"] },
    ],
    ground: 0,
    numbers: (c) => [
      ["rays with a hit", `${count(c[3])} · ${percent(c[3], c[1])}`],
      ["rays that hit a rock", `${count(c[OWN])} · ${percent(c[OWN], c[1])}`],
      ["rocks seen", count(c[OWN + 1]), "hot"],
    ],
    legend: [
      ["hit", "rock seen"],
      ["text", "hit on a rock"],
      ["stopped", "hit on the ground"],
    ],
    view: () => ({ from: [52, 40, 66], at: [4, 0, 6], fit: [38, 16], far: 500, fog: [120, 320] }),
  },
  {
    name: "Level",
    verb: "first hits",
    before: "collide and slide",
    about:
      "A capsule walks, slides and jumps through a triangle mesh, and its lidar scans the mesh in every frame.",
    keys: "Arrow keys steer, J jumps.",
    len: 8_000,
    seed: 1999,
    noun: "rays",
    unit: "ray",
    walks: true,
    surface: ["other", "body", "line"],
    kinds: [
      { shape: "dot", colours: ["sun", "stopped", "focus"], flat: true },
      { shape: "capsule", colours: ["hit", "text", "missed"], glows: true },
    ],
    numbers: (c) => [
      ["triangles", count(c[OWN + 6])],
      ["rays with a hit", `${count(c[3])} · ${percent(c[3], c[1])}`],
      ["character", ["on the ground", "in the air", "sliding"][c[OWN + 3]]],
      ["capsule casts, jumps so far", `${count(c[OWN + 5])}, ${count(c[OWN + 4])}`],
      [
        "rays checked by brute force",
        `${count(c[OWN + 7])}, ${count(c[OWN + 8])} wrong`,
        c[OWN + 8] > 0 ? "bad" : "good",
      ],
    ],
    legend: [
      ["sun", "hit close by"],
      ["stopped", "8 m away"],
      ["focus", "16 m and more"],
    ],
    follow: (c) => c.slice(OWN, OWN + 3),
    view: (c) => {
      const [x, y, z] = c.slice(OWN, OWN + 3);
      return {
        from: [x - 8.5, y + 5.2, z + 8.5],
        at: [x, y + 1.1, z],
        fit: [6, 4.5],
        far: 260,
        fog: [28, 85],
      };
    },
  },
  {
    name: "Rocks",
    verb: "overlap",
    about:
      "Convex hulls of 16 to 32 points, which pass through each other: broad phase, overlap, contacts. " +
      "Their boxes touch more often.",
    len: 4_000,
    seed: 1999,
    noun: "rocks",
    kinds: [{ shape: "hull", colours: ["body", "hit", "hit"], still: [3, 4, 5], glows: true }],
    stars: true,
    numbers: (c) => [
      ["candidate pairs", count(c[2])],
      ["pairs whose boxes touch", count(c[OWN + 2])],
      ["pairs whose hulls touch", `${count(c[3])} · ${percent(c[3], c[OWN + 2])}`, "hot"],
      ["rocks touching", `${count(c[OWN])} · ${percent(c[OWN], c[1])}`],
      ["contact points", count(c[OWN + 3])],
      ["deepest penetration", `${c[OWN + 4].toFixed(2)}\u2009m`],
    ],
    legend: [
      ["body", "free"],
      ["hit", "touching"],
    ],
    view: (c) => {
      const r = c[OWN + 1];
      return {
        from: [0.4 * r, 0.62 * r, 1.7 * r],
        at: [0, -0.08 * r, 0],
        fit: [1.15 * r, 0.75 * r],
        far: 8 * r,
        fog: [1.4 * r, 6 * r],
      };
    },
  },
];

/** Middle of the contact points, normal and separation, from the counters; null if there is no point. */
export function contactOf(c) {
  const len = c[OWN + 4];
  if (len === 0) return null;
  const middle = [0, 1, 2].map((axis) => {
    let sum = 0;
    for (let k = 0; k < len; k++) sum += c[OWN + 5 + 4 * k + axis];
    return sum / len;
  });
  return { middle, normal: c.slice(OWN + 1, OWN + 4), separation: c[OWN] };
}
