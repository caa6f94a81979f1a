//! No ray passes between the triangles of a closed surface.

mod common;

use std::collections::HashMap;

use common::{cases_or, rng};
use phalanx::{Detector, FirstHits, Pair, Point, Points, Sweeps, Triangle, Triangles};
use rand::RngExt;
use rand::rngs::StdRng;

/// Rays of a call.
const BATCH: usize = 1 << 14;
/// One of `WHOLE` batches is also cast through the whole surface.
const WHOLE: usize = 32;

/// A closed surface around the origin: an octahedron, each face divided into `n`² triangles, with every vertex moved
/// out or in by the same amount for all triangles that share it, then scaled along each axis. The surface consists of
/// the rounded vertices, so it has no gaps, and a segment from around the middle that ends outside crosses it.
struct Surface {
    /// Vertices of the triangles, in order; three for each.
    vertices: Vec<[[f32; 3]; 3]>,
}

impl Surface {
    fn new(n: i32, scale: [f64; 3], center: [f64; 3]) -> Self {
        let place = |vertex: [i32; 3]| {
            let length = vertex.iter().map(|&x| f64::from(x * x)).sum::<f64>().sqrt();
            // A function of the coordinates alone, so that triangles with a common vertex move it equally.
            let [x, y, z] = vertex.map(f64::from);
            let bump = 1.0 + 0.05 * (12.9 * x + 78.2 * y + 37.7 * z).sin();
            [0, 1, 2].map(|k| (center[k] + scale[k] * bump * f64::from(vertex[k]) / length) as f32)
        };
        let mut vertices = Vec::new();
        for signs in 0..8 {
            let sign = [0, 1, 2].map(|k| if signs >> k & 1 == 0 { 1 } else { -1 });
            let at = |i: i32, j: i32| place([i * sign[0], j * sign[1], (n - i - j) * sign[2]]);
            for i in 0..n {
                for j in 0..n - i {
                    vertices.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                    if i + j + 1 < n {
                        vertices.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                    }
                }
            }
        }
        Surface { vertices }
    }

    fn triangles(&self) -> Triangles {
        let triangle = |&corners| Triangle { corners };
        self.vertices.iter().map(triangle).collect()
    }

    /// Corners and edges, and the triangles around each.
    fn targets(&self) -> [Vec<Target>; 2] {
        let key = |at: [f32; 3]| at.map(|x| (x + 0.0).to_bits());
        let (mut corners, mut edges) = (Targets::default(), Targets::default());
        for (triangle, at) in (0..).zip(&self.vertices) {
            for k in 0..3 {
                let ends = [at[k], at[(k + 1) % 3]];
                let [from, to] = ends.map(key);
                corners.add([from; 2], [ends[0]; 2], triangle);
                edges.add([from.min(to), from.max(to)], ends, triangle);
            }
        }
        [corners.list, edges.list]
    }
}

/// A corner, or an edge.
struct Target {
    ends: [[f32; 3]; 2],
    /// Triangles that share it.
    around: Vec<u32>,
}

#[derive(Default)]
struct Targets {
    list: Vec<Target>,
    /// Index of each target by the bits of its ends.
    places: HashMap<[[u32; 3]; 2], usize>,
}

impl Targets {
    fn add(&mut self, key: [[u32; 3]; 2], ends: [[f32; 3]; 2], triangle: u32) {
        let place = *self.places.entry(key).or_insert(self.list.len());
        if place == self.list.len() {
            let around = Vec::new();
            self.list.push(Target { ends, around });
        }
        self.list[place].around.push(triangle);
    }
}

/// Rays through edges and corners of a surface, from around its middle or back to there.
struct Caster {
    triangles: Triangles,
    targets: [Vec<Target>; 2],
    middle: [f32; 3],
    /// Places this far from the middle along each axis are inside.
    inside: [f32; 3],
    rng: StdRng,
    rays: Points,
    /// Each ray with the triangles around its target.
    pairs: Vec<Pair>,
    detector: Detector,
}

impl Caster {
    /// A ray through a corner, the middle of an edge, or anywhere on it, rounded; and the triangles around.
    fn push(&mut self) {
        let rng = &mut self.rng;
        let way = rng.random_range(0..3);
        let targets = &self.targets[way.min(1)];
        let target = &targets[rng.random_range(0..targets.len())];
        let [from, to] = target.ends;
        let share = match way {
            0 => 0.0,
            1 => 0.5,
            _ => rng.random_range(0.0..1.0f32),
        };
        let through = [0, 1, 2].map(|i| from[i] + share * (to[i] - from[i]));
        let mut start = self.middle;
        if rng.random_bool(0.5) {
            start = [0, 1, 2].map(|k| start[k] + self.inside[k] * rng.random_range(-1.0..1.0));
        }
        let stretch = rng.random_range(1.5..4.0);
        let mut v = [0, 1, 2].map(|k| (through[k] - start[k]) * stretch);
        if rng.random_bool(0.5) {
            let end = [0, 1, 2].map(|k| start[k] + v[k]);
            v = [0, 1, 2].map(|k| start[k] - end[k]);
            start = end;
        }
        let ray = self.rays.len() as u32;
        self.rays.push_moving(Point { position: start }, v);
        let around = target.around.iter();
        self.pairs
            .extend(around.map(|&triangle| Pair::new(ray, triangle)));
    }

    /// Casts rays at the triangles around their targets. Returns the rays that miss all of them.
    fn cast(&mut self, rays: usize, sweeps: &mut Sweeps) -> Vec<u32> {
        self.rays.clear();
        self.pairs.clear();
        (0..rays).for_each(|_| self.push());
        let (detector, pairs) = (&mut self.detector, &self.pairs[..]);
        detector
            .sweep(&self.rays, &self.triangles, pairs, sweeps)
            .unwrap();
        assert_eq!(sweeps.iter_invalid().count(), 0);
        let mut is_hit = vec![false; rays];
        for (position, _) in sweeps.iter() {
            is_hit[pairs[position].a as usize] = true;
        }
        let misses = (0..).zip(is_hit).filter(|(_, is_hit)| !is_hit);
        misses.map(|(ray, _)| ray).collect()
    }

    /// The rays of `missing` that miss the whole surface, which is searched for all rays of the batch or for `missing`
    /// alone.
    fn leaks(&mut self, missing: Vec<u32>, all: bool) -> Vec<[[f32; 3]; 2]> {
        let asked = if all {
            (0..self.rays.len() as u32).collect()
        } else {
            missing
        };
        let ray = |&i| {
            let position = self.rays.get(i).unwrap().position;
            [position, self.rays.displacement(i).unwrap()]
        };
        let asked: Vec<_> = asked.iter().map(ray).collect();
        let mut points = Points::new();
        points.extend_moving(asked.iter().map(|&[position, v]| (Point { position }, v)));
        let mut firsts = FirstHits::new();
        self.detector
            .first_hits(&points, &self.triangles, &mut firsts)
            .unwrap();
        assert!(firsts.invalid_words().iter().all(|&word| word == 0));
        let misses = (0..asked.len()).filter(|&i| firsts.get(i).is_none());
        misses.map(|i| asked[i]).collect()
    }
}

/// Rays are tested with the triangles around the edge or corner that they are aimed at. A rounded ray may pass through
/// another triangle instead. Then, and in some batches for all rays, the whole surface is searched.
#[test]
fn no_ray_passes_between_the_triangles_of_a_closed_surface() {
    let rays = cases_or(300_000);
    // Fine and coarse, round, flat and long, far away, from subnormal to huge.
    let surfaces = [
        (32, [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]),
        (3, [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]),
        (24, [1.0, 1e-3, 1.0], [0.0, 0.0, 0.0]),
        (24, [1e3, 1e-2, 1e-2], [0.0, 0.0, 0.0]),
        (16, [1.0, 1.0, 1.0], [3e4, -2e4, 1e4]),
        (16, [1e-12, 1e-12, 1e-12], [0.0, 0.0, 0.0]),
        (16, [1e15, 1e15, 1e15], [0.0, 0.0, 0.0]),
        (8, [2e-40, 2e-40, 2e-40], [0.0, 0.0, 0.0]),
        (8, [1e-25, 1e-25, 1e-25], [0.0, 0.0, 0.0]),
        (8, [2e17, 2e17, 2e17], [0.0, 0.0, 0.0]),
    ];
    for (seed, (n, scale, middle)) in surfaces.into_iter().enumerate() {
        let surface = Surface::new(n, scale, middle);
        let targets = surface.targets();
        assert!(targets[1].iter().all(|edge| edge.around.len() == 2));
        let mut caster = Caster {
            triangles: surface.triangles(),
            targets,
            middle: middle.map(|x| x as f32),
            inside: scale.map(|x| (0.2 * x) as f32),
            rng: rng(&format!("surface {seed}")),
            rays: Points::new(),
            pairs: Vec::new(),
            detector: Detector::new().parallel(false),
        };
        let mut sweeps = Sweeps::new();
        let mut beside = 0;
        for batch in 0..rays.div_ceil(BATCH) {
            let missing = caster.cast(BATCH.min(rays - batch * BATCH), &mut sweeps);
            beside += missing.len();
            let all = batch % WHOLE == 0;
            if missing.is_empty() && !all {
                continue;
            }
            let leaks = caster.leaks(missing, all);
            assert!(
                leaks.is_empty(),
                "{} rays pass a surface of {} triangles, the first from {:?} by {:?}",
                leaks.len(),
                surface.vertices.len(),
                leaks[0][0],
                leaks[0][1]
            );
        }
        assert!(
            beside <= rays / 100,
            "{beside} of {rays} rays pass beside the triangles around their target"
        );
    }
}
