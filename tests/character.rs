//! A character walks over meshes by collide and slide, moved by sweeps with contacts alone: it is never below the ground, never
//! caught by an inner edge, and as fast as it wants to be.

#![cfg_attr(phalanx_only, allow(unused))]
#![cfg(not(phalanx_only))]

mod common;

use common::{cases_or, rng};
use phalanx::{Capsule, Capsules, Contacts, Detector, During, Mesh, Sweeps};
use rand::RngExt;
use rand::rngs::StdRng;

/// The way of one frame of 1/60 s at 1.5 m/s.
const STRIDE: f64 = 1.5 / 60.0;
const RADIUS: f64 = 0.3;
/// Half the length of the axis: the character is 1.80 m tall.
const HALF_AXIS: f64 = 0.6;
/// The z of the normal of the steepest ground to walk on: 50 degrees.
const WALKABLE: f64 = 0.64;
/// Height by which the character is lifted over an obstacle.
const LIFT: f64 = 0.35;
/// Largest drop in a frame, after a lift too.
const DROP: f64 = 0.4;
/// Largest height above the ground at the end of a frame.
const GAP: f64 = 0.01;
/// Tolerance of normals: a corner counts as touched up to 2⁻¹² of the longest edge below the plane of a contact.
const LEAN: f64 = 1e-3;

type Vector = [f64; 3];
type Corners = [Vector; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a + b * k`
fn add(a: Vector, b: Vector, k: f64) -> Vector {
    [0, 1, 2].map(|i| a[i] + b[i] * k)
}

fn cross(a: Vector, b: Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i] * b[j] - a[j] * b[i])
}

/// The point of a triangle nearest to a point.
fn nearest(point: Vector, corners: Corners) -> Vector {
    let edges = [0, 1, 2].map(|k| (corners[k], add(corners[(k + 1) % 3], corners[k], -1.0)));
    let normal = cross(edges[0].1, edges[1].1);
    let from = |corner| add(point, corner, -1.0);
    if (edges.iter()).all(|&(corner, edge)| dot(cross(edge, from(corner)), normal) >= 0.0) {
        let height = dot(from(corners[0]), normal) / dot(normal, normal);
        return add(point, normal, -height);
    }
    let on_edges = edges.map(|(corner, edge)| {
        let along = dot(from(corner), edge) / dot(edge, edge);
        add(corner, edge, along.clamp(0.0, 1.0))
    });
    let squared = |q: &Vector| dot(from(*q), from(*q));
    let least = on_edges.iter().map(squared).fold(f64::MAX, f64::min);
    *on_edges.iter().find(|q| squared(q) == least).unwrap()
}

/// A ground that has one height almost everywhere.
struct Ground {
    mesh: Mesh,
    triangles: Vec<Corners>,
    /// Its sizes along x and y, from the origin.
    size: [f64; 2],
    /// How much of a rise counts as way: all, or nothing on stairs, whose strides are horizontal.
    counted: f64,
    /// The least z of a normal.
    least_up: f64,
    /// The steepest slope of a triangle along y.
    aside: f64,
}

impl Ground {
    /// Rows of squares, each of two triangles with a random diagonal.
    fn new(
        rng: &mut StdRng,
        [columns, rows]: [usize; 2],
        place: impl Fn(&mut StdRng, usize, usize) -> [f32; 3],
    ) -> Self {
        let across = columns + 1;
        let vertices: Vec<[f32; 3]> = (0..across * (rows + 1))
            .map(|k| place(rng, k % across, k / across))
            .collect();
        let squares = (0..columns * rows).flat_map(|k| {
            let a = (k / columns * across + k % columns) as u32;
            let (b, c, d) = (a + 1, a + across as u32, a + across as u32 + 1);
            if rng.random_bool(0.5) {
                [[a, b, d], [a, d, c]]
            } else {
                [[a, b, c], [b, d, c]]
            }
        });
        let mesh = Mesh::new(&vertices, &squares.collect::<Vec<_>>()).unwrap();
        let all = 0..mesh.len() as u32;
        let corners = |k| mesh.get(k).unwrap().corners.map(|v| v.map(f64::from));
        let normals = all.clone().map(|k| mesh.normal(k).unwrap().map(f64::from));
        let [x, y, _] = vertices[vertices.len() - 1].map(f64::from);
        Ground {
            size: [x, y],
            counted: 1.0,
            least_up: normals.clone().map(|[_, _, up]| up).fold(1.0, f64::min),
            // Risers have none: `max` passes over 0 / 0.
            aside: normals.map(|[_, y, up]| y.abs() / up).fold(0.0, f64::max),
            triangles: all.map(corners).collect(),
            mesh,
        }
    }

    /// The triangles near an upright axis, given its lower end.
    fn near(&self, low: Vector) -> impl Iterator<Item = Corners> {
        let high = add(low, [0.0, 0.0, 1.0], 2.0 * HALF_AXIS);
        let reach = RADIUS + 2.0 * GAP;
        let is_near = move |corners: &&Corners| {
            (0..3).all(|k| {
                corners.iter().any(|corner| corner[k] > low[k] - reach)
                    && corners.iter().any(|corner| corner[k] < high[k] + reach)
            })
        };
        self.triangles.iter().filter(is_near).copied()
    }

    /// The distance of an upright axis, given its lower end.
    fn distance(&self, [x, y, z]: Vector) -> f64 {
        let distance = |corners| {
            // The distance of a point of the axis is convex in its height.
            let (mut low, mut high) = (z, z + 2.0 * HALF_AXIS);
            for _ in 0..36 {
                let middle = 0.5 * (low + high);
                if nearest([x, y, middle], corners)[2] > middle {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let way = add([x, y, low], nearest([x, y, low], corners), -1.0);
            dot(way, way).sqrt()
        };
        self.near([x, y, z]).map(distance).fold(1.0, f64::min)
    }

    /// The height of the ground near a point.
    fn height(&self, [x, y, z]: Vector) -> f64 {
        let heights = self.near([x, y, z]).filter_map(|corners| {
            let way = |k: usize| add(corners[k % 3], [x, y, z], -1.0);
            let areas = [0, 1, 2].map(|k| cross(way(k + 1), way(k + 2))[2]);
            let area: f64 = areas.iter().sum();
            let is_over = area > 0.0 && areas.iter().all(|area| *area >= 0.0);
            is_over.then(|| dot(areas, corners.map(|corner| corner[2])) / area)
        });
        heights.fold(f64::NEG_INFINITY, f64::max)
    }
}

struct Walker<'g> {
    ground: &'g Ground,
    /// In `f64`, so that rounding does not add up.
    center: Vector,
    /// Normal of the ground below.
    normal: Vector,
    detector: Detector,
}

impl Walker<'_> {
    /// Moves to the first hit that the motion approaches. Returns its time, and its normal out of the ground.
    fn advance(&mut self, motion: Vector) -> Option<(f64, Vector)> {
        let (mesh, mut moving, mut pairs) = (&self.ground.mesh, Capsules::new(), Vec::new());
        let [center, axis, way] =
            [self.center, [0.0, 0.0, HALF_AXIS], motion].map(|v| v.map(|x| x as f32));
        moving.push_moving(Capsule::new(center, axis, RADIUS as f32), way);
        let (detector, frame) = (&mut self.detector, During::Frame);
        detector
            .candidates(&moving, mesh, frame, &mut pairs)
            .unwrap();
        let (mut sweeps, mut contacts) = (Sweeps::new(), Contacts::new());
        detector
            .sweep_contacts(&moving, mesh, &pairs, &mut sweeps, &mut contacts)
            .unwrap();
        let slightly = 1e-6 * dot(motion, motion).sqrt();
        let mut first = None;
        for contact in &contacts {
            // Contacts point from the character to the ground. None leans more than its triangles.
            let normal = contact.normal.map(|x| -f64::from(x));
            let [_, y, up] = normal;
            let leans = up < self.ground.least_up - LEAN || y.abs() > self.ground.aside * up + LEAN;
            assert!(!leans, "{moving:?}: {contact:?}");
            let time = f64::from(sweeps.enter()[contact.position]);
            let is_first = first.is_none_or(|(least, _)| time < least);
            if dot(normal, motion) < -slightly && is_first {
                first = Some((time, normal));
            }
        }
        let time = first.map_or(1.0, |(time, _)| time);
        self.center = add(self.center, motion, time);
        first
    }

    /// Walks for a frame, then follows the ground down.
    fn step(&mut self, [x, y]: [f64; 2]) {
        // The slope of walkable ground along the heading.
        let slope_of =
            |normal: Vector| (normal[2] >= WALKABLE).then(|| -dot(normal, [x, y, 0.0]) / normal[2]);
        let mut slope = slope_of(self.normal).unwrap_or(0.0);
        let mut rest = STRIDE;
        for _ in 0..8 {
            let length = (self.ground.counted * slope).hypot(1.0);
            let Some((time, normal)) = self.advance([x, y, slope].map(|x| x * rest / length))
            else {
                break;
            };
            rest *= 1.0 - time;
            let Some(next) = slope_of(normal) else {
                self.advance([0.0, 0.0, LIFT]);
                self.advance([x * rest, y * rest, 0.0]);
                break;
            };
            slope = next;
        }
        let below = self.advance([0.0, 0.0, -DROP]);
        (_, self.normal) = below.expect("ground below the character");
    }
}

/// The next place to walk to: some legs are along the rows of the mesh, some end at a vertex.
fn target(rng: &mut StdRng, from: [f64; 2], size: [f64; 2]) -> [f64; 2] {
    loop {
        let to = [0, 1].map(|k| {
            let at = rng.random_range(2.0..size[k] - 2.0);
            [at, at.round(), from[k]][rng.random_range(0..3)]
        });
        if (to[0] - from[0]).hypot(to[1] - from[1]) >= 5.0 {
            return to;
        }
    }
}

/// Walks from place to place. Speeds are those of the center: horizontal on stairs, where a lift jumps, and else along its path.
fn walk(mut rng: StdRng, ground: &Ground) {
    let [x, y] = ground.size.map(|size| (size / 2.0).round());
    let mut walker = Walker {
        ground,
        center: [x, y, 30.0],
        normal: [0.0, 0.0, 1.0],
        detector: Detector::new(),
    };
    walker.advance([0.0, 0.0, -40.0]).expect("the ground");
    let (mut steps, mut deepest, mut slowest, mut fastest) = (0, f64::MIN, f64::MAX, 0f64);
    let mut to = [x, y];
    while steps < cases_or(10_000) {
        let [x, y, _] = walker.center;
        to = target(&mut rng, to, ground.size);
        let distance = (to[0] - x).hypot(to[1] - y);
        let heading = [(to[0] - x) / distance, (to[1] - y) / distance];
        let along = |p: Vector| (p[0] - x) * heading[0] + (p[1] - y) * heading[1];
        let (mut path, mut leg) = (0.0, 0);
        while along(walker.center) < distance {
            let before = walker.center;
            walker.step(heading);
            (steps, leg) = (steps + 1, leg + 1);
            let after = walker.center;
            let progress = along(after) - along(before);
            assert!(progress > 0.6 * STRIDE, "{progress} from {before:?}");
            path += progress.hypot(ground.counted * (after[2] - before[2]));
            let low = add(after, [0.0, 0.0, 1.0], -HALF_AXIS);
            let is_above = low[2] > ground.height(low);
            assert!(is_above, "below the ground after {before:?}");
            let depth = RADIUS - ground.distance(low);
            assert!(depth <= 1e-3, "{depth} deep after {before:?}");
            let lowered = ground.distance(add(low, [0.0, 0.0, 1.0], -GAP));
            assert!(lowered <= RADIUS, "in the air after {before:?}");
            deepest = deepest.max(depth);
        }
        let speed = path / (f64::from(leg) * STRIDE);
        let is_steady = (0.95..=1.05).contains(&speed);
        assert!(is_steady, "{speed} towards {to:?} at {:?}", walker.center);
        (slowest, fastest) = (slowest.min(speed), fastest.max(speed));
    }
    println!("{steps} steps, depth {deepest:e}, {slowest} to {fastest} of the speed");
}

#[test]
fn character_walks_over_rugged_ground() {
    for height in [0.2, 0.35] {
        let mut rng = rng(&format!("rugged ground of {height} m"));
        let field = Ground::new(&mut rng, [24, 24], |rng, i, j| {
            [i as f32, j as f32, rng.random_range(-height..height)]
        });
        assert!(field.least_up > WALKABLE);
        walk(rng, &field);
    }
}

/// Eight steps of 0.3 m up and down between landings. Each riser has three rows.
#[test]
fn character_climbs_stairs() {
    let mut profile = vec![[0.0, 0.0]];
    let mut x = 4.0;
    for step in 0..16i32 {
        let rows = (0..=3).map(|row| 3 * step + row);
        profile.extend(rows.map(|row| [x, 0.1 * row.min(48 - row) as f32]));
        x += if step == 7 { 4.0 } else { 0.4 };
    }
    profile.push([x + 4.0, 0.0]);
    let mut rng = rng("stairs");
    let mut stairs = Ground::new(&mut rng, [profile.len() - 1, 12], |_, i, j| {
        [profile[i][0], j as f32, profile[i][1]]
    });
    stairs.counted = 0.0;
    walk(rng, &stairs);
}

/// A roof of 45 degrees, its ridge at x = 12.
#[test]
fn character_crosses_a_roof() {
    let mut rng = rng("roof");
    let roof = Ground::new(&mut rng, [24, 24], |rng, i, j| {
        let off = rng.random_range(-0.4..0.4);
        let x = i as f32 + if i % 12 == 0 { 0.0 } else { off };
        [x, j as f32, x.min(24.0 - x)]
    });
    walk(rng, &roof);
}
