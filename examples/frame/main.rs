//! Frames of a game loop without an engine, from moving shapes to their hits: `cargo run --release --example frame`.
//!
//! 20 000 boxes and 5 000 spheres fly about in a hall with a few thousand pillars. Each frame finds candidates, tests boxes for
//! overlap, and sweeps spheres along their displacements. The example prints the time of each step, and fails if a brute force
//! over all pairs of the last frame ([`check`]) finds a wrong result.

mod check;

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use phalanx::{
    Aabb, Aabbs, Detector, During, Error, Obb, Obbs, Overlaps, Pair, Sphere, Spheres, Sweeps,
};

const BOXES: usize = 20_000;
const SPHERES: usize = 5_000;
const FRAMES: u32 = 120;
const HALL: [f32; 3] = [60.0, 60.0, 12.0];
const STEP: f32 = 1.0 / 60.0;

fn main() -> Result<ExitCode, Error> {
    let mut random = Random(1);
    let mut boxes = Obbs::new();
    let mut spheres = Spheres::new();
    let mut box_motion = Motion::default();
    let mut sphere_motion = Motion::default();
    boxes.extend((0..BOXES).map(|_| {
        box_motion.velocities.push(random.vector(1.5));
        Obb {
            center: random.place(),
            half_extents: [0.2, 0.2, 0.2],
            rotation: [0.0, 0.0, 0.6, 0.8],
        }
    }));
    spheres.extend((0..SPHERES).map(|_| {
        sphere_motion.velocities.push(random.vector(20.0));
        Sphere {
            center: random.place(),
            radius: 0.1,
        }
    }));
    let pillars: Aabbs = (0..3_000)
        .map(|_| {
            let [x, y, _] = random.place();
            Aabb::from_center_half_extents([x, y, 6.0], [0.05, 0.05, 6.0])
        })
        .collect();

    // Once, and reused every frame.
    let mut detector = Detector::new();
    let (mut pairs, mut near_pillars) = (Vec::new(), Vec::new());
    let mut sphere_pairs = Vec::new();
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    let mut steps = [
        Step::new("move"),
        Step::new("candidates"),
        Step::new("overlap"),
        Step::new("sweep"),
    ];
    let (mut box_hits, mut pillar_hits, mut sphere_hits) = (0, 0, 0);

    for _ in 0..FRAMES {
        let [moving, candidates, overlapping, sweeping] = &mut steps;
        moving.time(|| {
            let columns = boxes.columns_mut();
            box_motion.step(columns.center, columns.displacement);
            let columns = spheres.columns_mut();
            sphere_motion.step(columns.center, columns.displacement);
        });
        candidates.time(|| {
            detector.candidates(&boxes, &boxes, During::Start, &mut pairs)?;
            detector.candidates(&boxes, &pillars, During::Start, &mut near_pillars)?;
            detector.candidates(&spheres, &spheres, During::Frame, &mut sphere_pairs)?;
            Ok::<(), phalanx::Error>(())
        })?;
        overlapping.time(|| {
            detector.overlap(&boxes, &boxes, &pairs, &mut overlaps)?;
            box_hits += overlaps.count();
            detector.overlap(&boxes, &pillars, &near_pillars, &mut overlaps)?;
            pillar_hits += overlaps.count();
            Ok::<_, Error>(())
        })?;
        sweeping.time(|| {
            detector.sweep(&spheres, &spheres, &sphere_pairs, &mut sweeps)?;
            sphere_hits += sweeps.count();
            Ok::<_, Error>(())
        })?;
    }

    println!(
        "{BOXES} boxes, {SPHERES} spheres and {} pillars, {FRAMES} frames",
        pillars.len()
    );
    println!("{box_hits} hits of boxes, {pillar_hits} of pillars, {sphere_hits} of spheres");
    for Step { name, total } in steps {
        let ms = 1e3 * (total / FRAMES).as_secs_f64();
        println!("{name:>10}: {ms:.3} ms a frame");
    }

    let mut verdict = check::Verdict::default();
    detector.overlap(&boxes, &boxes, &pairs, &mut overlaps)?;
    verdict.boxes(&boxes, at_zero(overlaps.hits(&pairs)?));
    detector.overlap(&boxes, &pillars, &near_pillars, &mut overlaps)?;
    verdict.pillars(&boxes, &pillars, at_zero(overlaps.hits(&near_pillars)?));
    let enters = sweeps.iter().map(|(_, time)| time.enter);
    verdict.spheres(&spheres, sweeps.hits(&sphere_pairs)?.zip(enters).collect());
    println!("{verdict}");
    Ok(match verdict.is_clean() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Hits with their times: the start of the frame.
fn at_zero(hits: impl Iterator<Item = Pair>) -> HashMap<Pair, f32> {
    hits.map(|pair| (pair, 0.0)).collect()
}

/// How shapes move.
#[derive(Default)]
struct Motion {
    velocities: Vec<[f32; 3]>,
}

impl Motion {
    /// Moves all by one step, and back from the walls. The displacement is that of the step to come.
    fn step(&mut self, center: [&mut [f32]; 3], displacement: [&mut [f32]; 3]) {
        for (k, (center, displacement)) in center.into_iter().zip(displacement).enumerate() {
            let shapes = center
                .iter_mut()
                .zip(displacement)
                .zip(&mut self.velocities);
            for ((x, way), velocity) in shapes {
                *x += *way;
                let leaves = if *x < 0.0 {
                    velocity[k] < 0.0
                } else {
                    *x > HALL[k] && velocity[k] > 0.0
                };
                if leaves {
                    velocity[k] = -velocity[k];
                }
                *way = velocity[k] * STEP;
            }
        }
    }
}

/// A step of the frame, and the time spent in it.
struct Step {
    name: &'static str,
    total: Duration,
}

impl Step {
    fn new(name: &'static str) -> Self {
        Step {
            name,
            total: Duration::ZERO,
        }
    }

    fn time<R>(&mut self, step: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = step();
        self.total += start.elapsed();
        result
    }
}

/// A generator of numbers: nothing depends on their quality.
struct Random(u32);

impl Random {
    /// From 0 to 1.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 24) as f32
    }

    fn vector(&mut self, size: f32) -> [f32; 3] {
        [(); 3].map(|()| (2.0 * self.next() - 1.0) * size)
    }

    fn place(&mut self) -> [f32; 3] {
        HALL.map(|size| self.next() * size)
    }
}
