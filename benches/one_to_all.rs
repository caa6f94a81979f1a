//! A few moving spheres against a static store: [`Pairs::one_to_all`] compared with [`Detector::candidates`] and a call
//! with its list.
//!
//! ```text
//! cargo bench --bench one_to_all
//! ```
//!
//! One thread. Both sides take turns, and the best turn of each counts. A call reads the next frame of the spheres; the
//! store caches its tree. Results must be equal.

use std::fs;
use std::time::{Duration, Instant};

use phalanx::traits::{Bounded, Overlap, Sweep};
use phalanx::{
    Aabb, Detector, During, Obb, Overlaps, Pair, Pairs, Simd, Sphere, Spheres, Store, Sweeps,
};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

const SEED: u64 = 2026;
const SIZES: [usize; 5] = [100, 300, 1_000, 10_000, 100_000];
const MOVING: [usize; 3] = [1, 8, 64];
/// Index of a side.
const ALL: usize = 0;
const LIST: usize = 1;
const FRAMES: usize = 32;
const ROUNDS: usize = 25;
const TURN: Duration = Duration::from_millis(2);
/// The side of the cube per shape.
const SPACING: f32 = 1.6;

fn main() {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let cpu = cpu.map_or("unknown CPU", |name| {
        name.trim_start_matches([' ', '\t', ':'])
    });
    println!(
        "{cpu}, {}, one thread, seed {SEED}; microseconds per frame",
        Simd::best()
    );
    println!("| at rest | verb | n | moving | one_to_all | candidates | ratio |");
    println!("|---|---|--:|--:|--:|--:|--:|");
    for n in SIZES {
        let scene = Scene::new(n);
        scene.compare("spheres", |center, size, _| Sphere {
            center,
            radius: size[0],
        });
        scene.compare("AABBs", |center, half_extents, _| {
            Aabb::from_center_half_extents(center, half_extents)
        });
        scene.compare("OBBs", |center, half_extents, rotation| Obb {
            center,
            half_extents,
            rotation,
        });
    }
}

/// Centers, sizes and rotations of static shapes.
struct Scene {
    places: Vec<([f32; 3], [f32; 3], [f32; 4])>,
    side: f32,
}

impl Scene {
    fn new(n: usize) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED);
        let side = SPACING * (n as f32).cbrt();
        let places = (0..n)
            .map(|_| {
                let center = [(); 3].map(|()| rng.random_range(0.0..side));
                let size = [(); 3].map(|()| rng.random_range(0.2..0.7));
                let angle: f32 = rng.random_range(0.0..1.5);
                (
                    center,
                    size,
                    [0.6 * angle.sin(), 0.8 * angle.sin(), 0.0, angle.cos()],
                )
            })
            .collect();
        Scene { places, side }
    }

    /// Frames of spheres that cross the scene, each frame by their displacement.
    fn moving(&self, count: usize) -> Vec<Spheres> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED + 1);
        let mut frames = vec![Spheres::new(); FRAMES];
        for _ in 0..count {
            let mut center = [(); 3].map(|()| rng.random_range(0.0..self.side));
            let displacement: [f32; 3] = [(); 3].map(|()| rng.random_range(-0.5..0.5));
            let radius = rng.random_range(0.3..0.7);
            for frame in &mut frames {
                frame.push_moving(Sphere { center, radius }, displacement);
                for (x, by) in center.iter_mut().zip(displacement) {
                    *x = (*x + by).rem_euclid(self.side);
                }
            }
        }
        frames
    }

    fn compare<T: Bounded>(&self, name: &str, shape: impl Fn([f32; 3], [f32; 3], [f32; 4]) -> T)
    where
        Sphere: Overlap<T> + Sweep<T>,
    {
        let shapes = self
            .places
            .iter()
            .map(|&(center, size, rotation)| shape(center, size, rotation));
        let rest: Store<T> = shapes.collect();
        for count in MOVING {
            for sweep in [false, true] {
                let mut contest = Contest::new(self.moving(count), &rest, sweep);
                for frame in 0..FRAMES {
                    let [all, mut list] = [ALL, LIST].map(|side| {
                        contest.call(side, frame);
                        contest.found.clone()
                    });
                    list.sort();
                    assert_eq!(all, list);
                }
                let [all, list] = contest.best();
                let verb = if sweep { "sweep" } else { "overlap" };
                println!(
                    "| {name} | {verb} | {} | {count} | {all:.2} | {list:.2} | {:.2} |",
                    rest.len(),
                    all / list
                );
            }
        }
    }
}

/// Two methods for the same hits.
struct Contest<'s, T: Bounded> {
    frames: Vec<Spheres>,
    rest: &'s Store<T>,
    sweep: bool,
    detectors: [Detector; 2],
    pairs: Vec<Pair>,
    overlaps: Overlaps,
    sweeps: Sweeps,
    found: Vec<Pair>,
}

impl<'s, T: Bounded> Contest<'s, T>
where
    Sphere: Overlap<T> + Sweep<T>,
{
    fn new(frames: Vec<Spheres>, rest: &'s Store<T>, sweep: bool) -> Self {
        Contest {
            frames,
            rest,
            sweep,
            detectors: [(); 2].map(|()| Detector::new().parallel(false)),
            pairs: Vec::new(),
            overlaps: Overlaps::new(),
            sweeps: Sweeps::new(),
            found: Vec::new(),
        }
    }

    /// Lists the hits of a frame.
    fn call(&mut self, side: usize, frame: usize) {
        let moving = &mut self.frames[frame % FRAMES];
        // The spheres have moved, which drops the cache of their store.
        let first = moving.get(0).expect("a sphere");
        moving.set(0, first).expect("a sphere");
        let (moving, detector) = (&*moving, &mut self.detectors[side]);
        self.found.clear();
        if side == LIST {
            let during = if self.sweep {
                During::Frame
            } else {
                During::Start
            };
            detector
                .candidates(moving, self.rest, during, &mut self.pairs)
                .expect("memory");
            let pairs = &self.pairs;
            if self.sweep {
                detector
                    .sweep(moving, self.rest, pairs, &mut self.sweeps)
                    .expect("a list");
                self.found
                    .extend(self.sweeps.iter().map(|(at, _)| pairs[at]));
            } else {
                detector
                    .overlap(moving, self.rest, pairs, &mut self.overlaps)
                    .expect("a list");
                self.found.extend(self.overlaps.iter().map(|at| pairs[at]));
            }
            return;
        }
        for i in 0..moving.len() as u32 {
            let all = Pairs::one_to_all(i);
            let pair = |at: usize| Pair::new(i, at as u32);
            if self.sweep {
                detector
                    .sweep(moving, self.rest, all, &mut self.sweeps)
                    .expect("a shape");
                self.found
                    .extend(self.sweeps.iter().map(|(at, _)| pair(at)));
            } else {
                detector
                    .overlap(moving, self.rest, all, &mut self.overlaps)
                    .expect("a shape");
                self.found.extend(self.overlaps.iter().map(pair));
            }
        }
    }

    /// Microseconds of a frame for each side.
    fn best(&mut self) -> [f64; 2] {
        let mut best = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            for (side, best) in best.iter_mut().enumerate() {
                let (start, mut calls) = (Instant::now(), 0);
                let mut elapsed = Duration::ZERO;
                while elapsed < TURN {
                    for _ in 0..4 {
                        self.call(side, calls);
                        calls += 1;
                    }
                    elapsed = start.elapsed();
                }
                *best = best.min(elapsed.as_secs_f64() * 1e6 / calls as f64);
            }
        }
        best
    }
}
