//! Convex hulls of 16 and 32 points: overlap, distance and sweep, compared with parry3d.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench hulls             # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench hulls -- table    # rounds of turns alone, and a file for the report
//! ```
//!
//! Rocks in random poses, paired at random: *close* ones mostly touch or nearly do, most *apart* ones do not. parry3d has the faces of its
//! polyhedra and its poses ready. Verdicts must agree, distances may differ by parry3d's tolerance.

use std::hint::black_box;

use parry3d::math::Vector;
use parry3d::query::{ShapeCastOptions, cast_shapes, distance, intersection_test};
use parry3d::shape::ConvexPolyhedron;
use phalanx::{Detector, Distances, Hull, HullKinds, Hulls, Overlaps, Pair, Sweeps};
use phalanx_bench::bench::{Bench, Label, Open, Player};
use phalanx_bench::convert::{Posed, unit_rotation};
use phalanx_bench::record::FileError;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

const KINDS: usize = 16;
/// Largest difference of distances that counts as equal, for shapes of size about 1.
const TOLERANCE: f32 = 1e-2;
/// Largest share of results that may differ, in addition to two, which may graze.
const MAX_DIFFERENT: f64 = 1e-3;

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("hulls");
    let len = if bench.is_quick() { 1 << 9 } else { 1 << 13 };
    for points in [16, 32] {
        for (name, reach) in [("close", 1.6), ("apart", 4.0)] {
            let scene = Rocks::new(points, len, reach);
            scene.hold(&mut bench, &format!("{points} points, {name}"));
        }
    }
    bench.finish()
}

/// Hulls in random poses, and pairs of them.
struct Rocks {
    hulls: Hulls,
    kinds: Vec<ConvexPolyhedron>,
    peers: Vec<(Posed<usize>, Vector)>,
    pairs: Vec<Pair>,
}

impl Rocks {
    fn new(points: usize, len: usize, reach: f32) -> Self {
        let mut rng = StdRng::seed_from_u64(36);
        let (mut kinds, mut polyhedra) = (HullKinds::new(), Vec::new());
        while polyhedra.len() < KINDS {
            let rock: Vec<[f32; 3]> = (0..points).map(|_| on_rock(&mut rng)).collect();
            let vectors: Vec<Vector> = rock.iter().map(|point| (*point).into()).collect();
            if let Some(polyhedron) = ConvexPolyhedron::from_convex_hull(&vectors) {
                kinds.add(&rock).expect("points are finite");
                polyhedra.push(polyhedron);
            }
        }
        let (mut hulls, mut peers) = (Hulls::new(&kinds), Vec::new());
        for i in 0..len {
            let mut vector = |reach: f32| [(); 3].map(|()| rng.random_range(-reach..reach));
            let (center, motion, [x, y, z]) = (vector(reach), vector(2.0), vector(1.0));
            let kind = i % KINDS;
            let pose =
                parry3d::math::Pose::from_parts(center.into(), unit_rotation([x, y, z, 0.5]));
            let rotation = pose.rotation.to_array();
            hulls
                .push_moving(Hull::new(kind as u32, center, rotation), motion)
                .expect("the kind exists");
            peers.push((Posed { pose, shape: kind }, motion.into()));
        }
        // Not a rock with itself: parry3d casts no shape without relative motion.
        let mut pair = || {
            let (a, step) = (rng.random_range(0..len), rng.random_range(1..len));
            Pair::new(a as u32, ((a + step) % len) as u32)
        };
        Rocks {
            hulls,
            kinds: polyhedra,
            peers,
            pairs: (0..len).map(|_| pair()).collect(),
        }
    }

    /// Both shapes of a pair in parry3d.
    fn pair(&self, pair: Pair) -> [(&Posed<usize>, &ConvexPolyhedron, Vector); 2] {
        pair.indices().map(|i| {
            let (posed, motion) = &self.peers[i];
            (posed, &self.kinds[posed.shape], *motion)
        })
    }

    fn hold(&self, bench: &mut Bench, scene: &str) {
        self.contest(
            bench,
            "hull_hull_overlap",
            scene,
            "intersection_test",
            |own, peers| {
                own.overlap();
                let differ =
                    (0..peers.len()).filter(|&i| own.overlaps.is_hit(i) != (peers[i] != 0.0));
                (own.overlaps.count(), differ.count())
            },
        );
        self.contest(
            bench,
            "hull_hull_distance",
            scene,
            "query::distance",
            |own, peers| {
                own.distance();
                let bounds = own.distances.lower().iter().zip(own.distances.upper());
                let differ = bounds.zip(peers).filter(|((lower, upper), peer)| {
                    **peer < **lower - TOLERANCE || **peer > **upper + TOLERANCE
                });
                let touching = own.distances.lower().iter().filter(|lower| **lower == 0.0);
                (touching.count(), differ.count())
            },
        );
        self.contest(
            bench,
            "hull_hull_sweep",
            scene,
            "cast_shapes",
            |own, peers| {
                own.sweep();
                let differ =
                    (0..peers.len()).filter(|&i| own.sweeps.is_hit(i) != peers[i].is_finite());
                (own.sweeps.count(), differ.count())
            },
        );
    }

    fn contest(
        &self,
        bench: &mut Bench,
        name: &str,
        scene: &str,
        call: &str,
        check: impl Fn(&mut Own<'_>, &[f32]) -> (usize, usize),
    ) {
        let label = Label {
            name: name.into(),
            scene: scene.into(),
            about: format!("{} pairs of rocks", self.pairs.len()),
            shapes: self.peers.len(),
            items: self.pairs.len(),
            unit: "pair",
        };
        let players = [Player::phalanx(name), Player::peer("parry3d", call)];
        bench.hold(label, &players, || {
            let mut own = Own::new(self);
            let mut peers = Vec::new();
            self.run_peer(name, &mut peers);
            let (hits, different) = check(&mut own, &peers);
            assert!(
                different as f64 <= 2.0 + MAX_DIFFERENT * self.pairs.len() as f64,
                "{name}, {scene}: {different} of {} differ",
                self.pairs.len()
            );
            let name = name.to_owned();
            Open {
                pairs: Some(self.pairs.len()),
                hits: Some(hits),
                different: vec![0, different],
                call: Box::new(move |player| match (player, &*name) {
                    (0, "hull_hull_overlap") => own.overlap(),
                    (0, "hull_hull_distance") => own.distance(),
                    (0, _) => own.sweep(),
                    _ => {
                        self.run_peer(&name, &mut peers);
                        black_box(&peers);
                    }
                }),
            }
        });
    }

    /// parry3d's result of each pair: 1 for a hit, a distance, or a time.
    fn run_peer(&self, name: &str, out: &mut Vec<f32>) {
        out.clear();
        let options = ShapeCastOptions {
            max_time_of_impact: 1.0,
            ..ShapeCastOptions::default()
        };
        out.extend(self.pairs.iter().map(|pair| {
            let [(a, shape_a, v), (b, shape_b, w)] = self.pair(*pair);
            let supported = "parry3d supports these shapes";
            match name {
                "hull_hull_overlap" => {
                    let found = intersection_test(&a.pose, shape_a, &b.pose, shape_b);
                    f32::from(u8::from(found.expect(supported).intersecting))
                }
                "hull_hull_distance" => {
                    let found = distance(&a.pose, shape_a, &b.pose, shape_b);
                    found.expect(supported).distance
                }
                _ => {
                    let found = cast_shapes(&a.pose, v, shape_a, &b.pose, w, shape_b, options);
                    let hit = found.expect(supported);
                    hit.map_or(f32::INFINITY, |hit| hit.time_of_impact)
                }
            }
        }));
    }
}

/// A point on a rock of radius about 1.
fn on_rock(rng: &mut StdRng) -> [f32; 3] {
    let v = [(); 3].map(|()| rng.random_range(-1.0f32..1.0));
    let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
    let scale = rng.random_range(0.8f32..1.0) / length;
    v.map(|x| x * scale)
}

/// Inputs and results of phalanx.
struct Own<'s> {
    rocks: &'s Rocks,
    detector: Detector,
    overlaps: Overlaps,
    distances: Distances,
    sweeps: Sweeps,
}

impl<'s> Own<'s> {
    fn new(rocks: &'s Rocks) -> Self {
        Own {
            rocks,
            detector: Detector::new().parallel(false),
            overlaps: Overlaps::new(),
            distances: Distances::new(),
            sweeps: Sweeps::new(),
        }
    }

    fn overlap(&mut self) {
        let Rocks { hulls, pairs, .. } = self.rocks;
        let done = self
            .detector
            .overlap(hulls, hulls, pairs, &mut self.overlaps);
        done.expect("pairs name hulls that exist");
        black_box(&self.overlaps);
    }

    fn distance(&mut self) {
        let Rocks { hulls, pairs, .. } = self.rocks;
        let done = self
            .detector
            .distance(hulls, hulls, pairs, &mut self.distances);
        done.expect("pairs name hulls that exist");
        black_box(&self.distances);
    }

    fn sweep(&mut self) {
        let Rocks { hulls, pairs, .. } = self.rocks;
        let done = self.detector.sweep(hulls, hulls, pairs, &mut self.sweeps);
        done.expect("pairs name hulls that exist");
        black_box(&self.sweeps);
    }
}
