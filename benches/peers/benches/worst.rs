//! Worst frames: each query over many frames of a scene at rest, or one that changes, and the slowest call beside the
//! usual one. Times are those of the calling thread's CPU, so that other programs on the machine count less.
//!
//! `cargo bench --bench worst` runs 2000 frames of each scene; a word selects scenes by name.

use std::env;
use std::time::Duration;

use cpu_time::ThreadTime;
use parry3d::bounding_volume;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use parry3d::query::{Ray, RayCast};
use phalanx::{
    Aabb, Aabbs, Capsule, Capsules, Detector, During, Error, FirstHits, InvalidShapes, Mesh,
    Nearest, Overlaps, Pair, Pairs, Points, Spheres,
};
use phalanx_bench::convert::parry_aabb;
use phalanx_bench::{first_hits, machine};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

const SEED: u64 = 60;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let is_quick = has("--quick") || !has("--bench") || has("--test");
    let word = arguments
        .iter()
        .find(|argument| !argument.starts_with('-') && *argument != "table")
        .cloned();
    let machine = machine::describe(false);
    println!(
        "{}, {}, {}, one thread\n",
        machine.cpu, machine.simd, machine.rustc
    );
    println!("| scene, call | usual ms | 99 % | worst | worst / usual |");
    println!("|---|--:|--:|--:|--:|");
    let mut report = Report {
        is_quick,
        word,
        detector: Detector::new().parallel(false),
        usual: 0.0,
    };
    levels(&mut report);
    doors(&mut report);
    changing_counts(&mut report);
    stores_in_turn(&mut report);
    long_rays(&mut report);
    dense_lists(&mut report);
    robots(&mut report);
}

/// Runs scenes and prints their rows.
struct Report {
    is_quick: bool,
    word: Option<String>,
    detector: Detector,
    usual: f64,
}

impl Report {
    /// Whether scenes of this name are wanted.
    fn wants(&self, scene: &str) -> bool {
        self.word.as_ref().is_none_or(|word| scene.contains(word))
    }

    /// Runs frames, each with its time. A new detector has seen nothing.
    fn frames(
        &mut self,
        name: &str,
        frames: usize,
        mut frame: impl FnMut(&mut Detector, usize) -> Duration,
    ) {
        self.detector = Detector::new().parallel(false);
        let frames = if self.is_quick {
            frames.min(12)
        } else {
            frames
        };
        let mut times: Vec<f64> = (0..frames)
            .map(|k| frame(&mut self.detector, k).as_secs_f64() * 1e3)
            .collect();
        let slowest = (0..frames)
            .max_by(|a, b| times[*a].total_cmp(&times[*b]))
            .unwrap_or(0);
        times.sort_by(f64::total_cmp);
        let at = |part: f64| times[((frames - 1) as f64 * part) as usize];
        self.usual = at(0.5);
        println!(
            "| {name} | {} | {} | {}, frame {slowest} | {:.1} |",
            shown(at(0.5)),
            shown(at(0.99)),
            shown(at(1.0)),
            at(1.0) / at(0.5)
        );
    }

    /// Edge lengths of levels.
    fn sizes(&self) -> &'static [usize] {
        if self.is_quick {
            &[10_000]
        } else {
            &[100_000, 1_000_000]
        }
    }
}

fn shown(ms: f64) -> String {
    if ms < 0.1 {
        format!("{ms:.4}")
    } else if ms < 10.0 {
        format!("{ms:.3}")
    } else {
        format!("{ms:.1}")
    }
}

fn timed(call: impl FnOnce() -> Result<InvalidShapes, Error>) -> Duration {
    let start = ThreadTime::now();
    call().expect("valid stores");
    start.elapsed()
}

/// A level of boxes of 0.5 to 3 m, one in 30 m³.
fn level(len: usize, rng: &mut StdRng) -> (Aabbs, f32) {
    let side = (30.0 * len as f32).cbrt();
    let boxes = (0..len).map(|_| random_box(side, rng));
    (boxes.collect(), side)
}

fn random_box(side: f32, rng: &mut StdRng) -> Aabb {
    let min = [(); 3].map(|()| rng.random_range(0.0..side));
    let max = min.map(|x| x + rng.random_range(0.5..3.0));
    Aabb { min, max }
}

fn random_points(len: usize, side: f32, rng: &mut StdRng) -> Points {
    let at = |rng: &mut StdRng| [(); 3].map(|()| rng.random_range(0.0..side));
    (0..len)
        .map(|_| phalanx::Point { position: at(rng) })
        .collect()
}

/// Rays of a length in random directions.
fn rays(len: usize, side: f32, length: f32, rng: &mut StdRng) -> Points {
    let mut rays = Points::with_capacity(len);
    for _ in 0..len {
        let position = [(); 3].map(|()| rng.random_range(0.0..side));
        let direction = [(); 3].map(|()| rng.random_range(-1.0..1.0f32));
        let norm = direction.iter().map(|x| x * x).sum::<f32>().sqrt();
        rays.push_moving(
            phalanx::Point { position },
            direction.map(|x| x / norm * length),
        );
    }
    rays
}

fn random_spheres(len: usize, side: f32, rng: &mut StdRng) -> Spheres {
    let at = |rng: &mut StdRng| [(); 3].map(|()| rng.random_range(0.0..side));
    (0..len)
        .map(|_| phalanx::Sphere {
            center: at(rng),
            radius: 0.3,
        })
        .collect()
}

/// Prepared and unprepared levels at rest, each query with other shapes in every frame.
fn levels(report: &mut Report) {
    if !report.wants("level") {
        return;
    }
    for &len in report.sizes() {
        for prepared in [true, false] {
            let mut rng = StdRng::seed_from_u64(SEED);
            let fresh = |report: &mut Report, rng: &mut StdRng| {
                let (level, side) = level(len, rng);
                if prepared {
                    report.detector.prepare(&level);
                }
                (level, side)
            };
            let name = if prepared { "prepared" } else { "not prepared" };
            let (boxes, side) = fresh(report, &mut rng);
            let mut hits = FirstHits::new();
            report.frames(
                &format!("level of {len} boxes, {name}: 10,000 first_hits"),
                2000,
                |detector, _| {
                    let rays = rays(10_000, side, 10.0, &mut rng);
                    timed(|| detector.first_hits(&rays, &boxes, &mut hits))
                },
            );
            if prepared {
                let peer = Peer::new(&boxes);
                let (mut last, mut peers) = (Points::new(), Vec::new());
                report.frames(
                    &format!("level of {len} boxes, parry3d: 10,000 Bvh::cast_ray"),
                    200,
                    |_, _| {
                        last = rays(10_000, side, 10.0, &mut rng);
                        peer.cast(&last, &mut peers)
                    },
                );
                let mut own = FirstHits::new();
                report
                    .detector
                    .first_hits(&last, &boxes, &mut own)
                    .expect("valid stores");
                let differ = first_hits::different(&own, peers.iter().copied());
                println!("| … {differ} rays differ | | | | |");
            }
            let (boxes, side) = fresh(report, &mut rng);
            let mut found = Nearest::new();
            report.frames(
                &format!("level of {len} boxes, {name}: 1000 nearest"),
                2000,
                |detector, _| {
                    let points = random_points(1000, side, &mut rng);
                    timed(|| detector.nearest(&points, &boxes, 10.0, &mut found))
                },
            );
            let (boxes, side) = fresh(report, &mut rng);
            let mut pairs = Vec::new();
            report.frames(
                &format!("level of {len} boxes, {name}: candidates of 1000"),
                2000,
                |detector, _| {
                    let movers = random_spheres(1000, side, &mut rng);
                    timed(|| detector.candidates(&movers, &boxes, During::Frame, &mut pairs))
                },
            );
        }
    }
}

/// A change of a level before each call.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    Nothing,
    /// A box moves to and fro by `set`.
    Door,
    /// Ten boxes are removed, and ten are added elsewhere.
    Spawns,
    /// A hundred boxes wander through the level.
    Wanderers,
}

impl Change {
    fn name(self) -> &'static str {
        match self {
            Change::Nothing => "no door",
            Change::Door => "a door",
            Change::Spawns => "10 spawns",
            Change::Wanderers => "100 wanderers",
        }
    }

    fn apply(self, boxes: &mut Aabbs, frame: usize, side: f32, rng: &mut StdRng) {
        let moved = |boxes: &mut Aabbs, i: u32, by: f32| {
            let mut moved = boxes.get(i).expect("a box");
            (moved.min[0], moved.max[0]) = (moved.min[0] + by, moved.max[0] + by);
            boxes.set(i, moved).expect("a box");
        };
        match self {
            Change::Nothing => {}
            Change::Door => {
                let by = if frame % 100 < 50 { 0.02 } else { -0.02 };
                moved(boxes, 7, by);
            }
            Change::Spawns => {
                for _ in 0..10 {
                    boxes.swap_remove(rng.random_range(0..boxes.len() as u32));
                    boxes.push(random_box(side, rng));
                }
            }
            Change::Wanderers => (0..100).for_each(|i| moved(boxes, 100 * i, 0.2)),
        }
    }
}

/// A level that changes in every frame, or does not.
fn doors(report: &mut Report) {
    if !report.wants("door") {
        return;
    }
    for &len in report.sizes() {
        type Call<'c> = &'c mut dyn FnMut(&mut Detector, &Aabbs, f32, &mut StdRng) -> Duration;
        let (mut found, mut meets, mut hits) = (Nearest::new(), Overlaps::new(), FirstHits::new());
        let mut pairs: Vec<Pair> = Vec::new();
        let mut calls: [(&str, usize, Call<'_>); 4] = [
            ("100 nearest", 600, &mut |detector, boxes, side, rng| {
                let points = random_points(100, side, rng);
                timed(|| detector.nearest(&points, boxes, 10.0, &mut found))
            }),
            ("100 meets_any", 600, &mut |detector, boxes, side, rng| {
                let movers = random_spheres(100, side, rng);
                timed(|| detector.meets_any(&movers, boxes, During::Start, &mut meets))
            }),
            ("1000 first_hits", 600, &mut |detector, boxes, side, rng| {
                let rays = rays(1000, side, 10.0, rng);
                timed(|| detector.first_hits(&rays, boxes, &mut hits))
            }),
            ("candidates of itself", 200, &mut |detector, boxes, _, _| {
                timed(|| detector.candidates(boxes, boxes, During::Start, &mut pairs))
            }),
        ];
        for (call, frames, run) in &mut calls {
            let mut usual = 0.0;
            let changes = [
                Change::Nothing,
                Change::Door,
                Change::Spawns,
                Change::Wanderers,
            ];
            for change in changes {
                let is_list = *call == "candidates of itself";
                if is_list && change == Change::Spawns {
                    continue;
                }
                let mut rng = StdRng::seed_from_u64(SEED);
                let (mut boxes, side) = level(len, &mut rng);
                let name = change.name();
                let title = format!("level of {len} boxes, {name}: {call}");
                report.frames(&title, *frames, |detector, frame| {
                    change.apply(&mut boxes, frame, side, &mut rng);
                    run(detector, &boxes, side, &mut rng)
                });
                if change == Change::Nothing {
                    usual = report.usual;
                } else {
                    println!("| … {name} / no door | {:.2} | | | |", report.usual / usual);
                }
            }
            if *call == "1000 first_hits" {
                let mut rng = StdRng::seed_from_u64(SEED);
                let (boxes, side) = level(len, &mut rng);
                let (mut peer, mut times) = (Peer::new(&boxes), Vec::new());
                let door = peer.leaves[7];
                report.frames(
                    &format!("level of {len} boxes, a door, parry3d: 1000 Bvh::cast_ray"),
                    200,
                    |_, frame| {
                        let mut moved = door;
                        let open = 0.02 * (frame % 50) as f32;
                        (moved.mins.x, moved.maxs.x) = (door.mins.x + open, door.maxs.x + open);
                        peer.leaves[7] = moved;
                        peer.tree.insert(moved, 7);
                        let rays = rays(1000, side, 10.0, &mut rng);
                        peer.cast(&rays, &mut times)
                    },
                );
            }
        }
    }
}

/// A tree of parry3d over a level.
struct Peer {
    leaves: Vec<bounding_volume::Aabb>,
    tree: Bvh,
}

impl Peer {
    fn new(level: &Aabbs) -> Self {
        let leaves: Vec<_> = level.iter().map(|aabb| parry_aabb(&aabb)).collect();
        Peer {
            tree: Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves),
            leaves,
        }
    }

    fn cast(&self, rays: &Points, times: &mut Vec<Option<f32>>) -> Duration {
        let rays: Vec<Ray> = (0..rays.len() as u32)
            .map(|i| {
                let origin = rays.get(i).expect("a ray").position;
                let way = rays.displacement(i).expect("a ray");
                Ray::new(origin.into(), way.into())
            })
            .collect();
        times.clear();
        let start = ThreadTime::now();
        times.extend(rays.iter().map(|ray| {
            let cast = |leaf: u32, best| self.leaves[leaf as usize].cast_local_ray(ray, best, true);
            self.tree.cast_ray(ray, 1.0, cast).map(|(_, time)| time)
        }));
        start.elapsed()
    }
}

fn terrain(side: usize, size: f32) -> Mesh {
    let step = size / side as f32;
    let height = |x: f32, y: f32| 4.0 * (x / 17.0).sin() * (y / 23.0).cos() + 0.5 * (x / 3.0).sin();
    let at = |k: usize| {
        let (x, y) = (
            (k % (side + 1)) as f32 * step,
            (k / (side + 1)) as f32 * step,
        );
        [x, y, height(x, y)]
    };
    let vertices: Vec<[f32; 3]> = (0..(side + 1) * (side + 1)).map(at).collect();
    let mut triangles = Vec::new();
    for y in 0..side as u32 {
        for x in 0..side as u32 {
            let row = side as u32 + 1;
            let k = y * row + x;
            triangles.push([k, k + 1, k + row]);
            triangles.push([k + 1, k + row + 1, k + row]);
        }
    }
    Mesh::new(&vertices, &triangles).expect("a terrain")
}

/// Another number of rays in each frame.
fn changing_counts(report: &mut Report) {
    if !report.wants("rays") {
        return;
    }
    let side = if report.is_quick { 50 } else { 700 };
    for changes in [false, true] {
        let mesh = terrain(side, 300.0);
        let mut rng = StdRng::seed_from_u64(SEED);
        let mut hits = FirstHits::new();
        let name = if changes { "10 to 29 rays" } else { "10 rays" };
        report.frames(
            &format!("rays, mesh of {} triangles: {name}", mesh.len()),
            2000,
            |detector, frame| {
                let len = if changes { 10 + frame % 20 } else { 10 };
                let rays = rays(len, 300.0, 50.0, &mut rng);
                timed(|| detector.first_hits(&rays, &mesh, &mut hits))
            },
        );
    }
}

/// Six stores at rest, one after the other.
fn stores_in_turn(report: &mut Report) {
    if !report.wants("turn") {
        return;
    }
    let len = if report.is_quick { 1000 } else { 100_000 };
    for count in [1, 6] {
        let mut rng = StdRng::seed_from_u64(SEED);
        let stores: Vec<(Aabbs, f32)> = (0..count).map(|k| level(len + k, &mut rng)).collect();
        let mut hits = FirstHits::new();
        report.frames(
            &format!("{count} stores of {len} boxes in turn: 100 first_hits"),
            2000,
            |detector, frame| {
                let (boxes, side) = &stores[frame % count];
                let rays = rays(100, *side, 10.0, &mut rng);
                timed(|| detector.first_hits(&rays, boxes, &mut hits))
            },
        );
    }
}

/// Rays far longer than the level.
fn long_rays(report: &mut Report) {
    if !report.wants("long") {
        return;
    }
    let side = if report.is_quick { 50 } else { 300 };
    let mesh = terrain(side, 300.0);
    for length in [300.0, 1e4, 1e6, 1e7] {
        let mut rng = StdRng::seed_from_u64(SEED);
        let mut hits = FirstHits::new();
        let frames = if length > 1e5 { 60 } else { 300 };
        report.frames(
            &format!(
                "long: 1000 rays of {length} m, mesh of {} triangles",
                mesh.len()
            ),
            frames,
            |detector, _| {
                let rays = rays(1000, 300.0, length, &mut rng);
                timed(|| detector.first_hits(&rays, &mesh, &mut hits))
            },
        );
    }
}

/// Lists of more and fewer pairs for each shape.
fn dense_lists(report: &mut Report) {
    if !report.wants("dense") {
        return;
    }
    let len = if report.is_quick { 1000 } else { 10_000 };
    let mut list = |name: &str, len: usize, extents: [f32; 3], side: f32, speed: f32| {
        let mut rng = StdRng::seed_from_u64(SEED);
        let at = |rng: &mut StdRng| [(); 3].map(|()| rng.random_range(0.0..side));
        let mut boxes: Aabbs = (0..len)
            .map(|k| {
                let min = at(&mut rng);
                let long = k % 3;
                let sides = [0, 1, 2].map(|axis: usize| extents[(axis + long) % 3]);
                Aabb {
                    min,
                    max: [0, 1, 2].map(|axis: usize| min[axis] + sides[axis]),
                }
            })
            .collect();
        let velocities: Vec<[f32; 3]> = (0..len)
            .map(|_| [(); 3].map(|()| rng.random_range(-speed..=speed)))
            .collect();
        let mut pairs = Vec::new();
        let mut count = 0;
        report.frames(
            &format!("dense: candidates of {len} {name}"),
            400,
            |detector, frame| {
                let columns = boxes.columns_mut();
                let sign = if frame / 100 % 2 == 0 { 1.0 } else { -1.0 };
                for (i, velocity) in velocities.iter().enumerate() {
                    for (k, x) in velocity.iter().enumerate() {
                        columns.min[k][i] += sign * x;
                        columns.max[k][i] += sign * x;
                    }
                }
                let time = timed(|| detector.candidates(&boxes, &boxes, During::Start, &mut pairs));
                count = pairs.len();
                time
            },
        );
        println!(
            "| … {:.1} pairs a shape | | | | |",
            count as f64 / len as f64
        );
    };
    for side in [8.03f32, 7.9, 6.0, 4.0] {
        let side = if len == 1000 { side / 2.15 } else { side };
        list(&format!("cubes in {side} m"), len, [0.5; 3], side, 0.001);
    }
    for side in [20.0f32, 7.0, 6.0] {
        list(
            &format!("needles of 6 m in {side} m"),
            len,
            [6.0, 0.01, 0.02],
            side,
            0.001,
        );
    }
    let many = if len == 1000 { 1000 } else { 50_000 };
    list(
        "needles of 6 m in 60 m",
        many,
        [6.0, 0.01, 0.02],
        60.0,
        0.001,
    );
    list(
        "needles of 6 m in 60 m, faster",
        many,
        [6.0, 0.01, 0.02],
        60.0,
        0.05,
    );
}

/// Poses of a robot of 59 spheres among few obstacles of three kinds, itself included.
fn robots(report: &mut Report) {
    if !report.wants("robot") {
        return;
    }
    const SPHERES: usize = 59;
    const POSES: usize = 256;
    for obstacles in [24, 192] {
        let mut rng = StdRng::seed_from_u64(SEED);
        let third = obstacles / 3;
        let far = |rng: &mut StdRng| {
            [(); 3].map(|()| rng.random_range(0.3..1.2f32) * [-1.0, 1.0][rng.random_range(0..2)])
        };
        let spheres: Spheres = (0..third)
            .map(|_| phalanx::Sphere {
                center: far(&mut rng),
                radius: 0.1,
            })
            .collect();
        let boxes: Aabbs = (0..third)
            .map(|_| {
                let min = far(&mut rng);
                Aabb {
                    min,
                    max: min.map(|x| x + 0.15),
                }
            })
            .collect();
        let capsules: Capsules = (0..third)
            .map(|_| Capsule {
                center: far(&mut rng),
                half_axis: [0.0, 0.0, 0.2],
                radius: 0.05,
            })
            .collect();
        // Pairs of spheres that are three links apart.
        let own: Vec<Pair> = (0..(POSES * SPHERES) as u32)
            .flat_map(|a| (12..24).map(move |by| Pair::new(a, a + by)))
            .filter(|pair| pair.a as usize / SPHERES == pair.b as usize / SPHERES)
            .collect();
        let mut robot = random_spheres(POSES * SPHERES, 1.0, &mut rng);
        let bodies = robot.bodies_mut().chunks_mut(SPHERES);
        (0..)
            .zip(bodies)
            .for_each(|(pose, bodies)| bodies.fill(pose));
        let mut meets = [Overlaps::new(), Overlaps::new(), Overlaps::new()];
        let mut itself = Overlaps::new();
        let mut met = 0;
        for with_itself in [false, true] {
            let name = format!(
                "robot: {POSES} poses of {SPHERES} spheres, {obstacles} obstacles{}",
                if with_itself { ", and itself" } else { "" }
            );
            report.frames(&name, 400, |detector, _| {
                let columns = robot.columns_mut();
                let [x, y, z] = columns.center;
                for (pose, ((x, y), z)) in x
                    .chunks_mut(SPHERES)
                    .zip(y.chunks_mut(SPHERES))
                    .zip(z.chunks_mut(SPHERES))
                    .enumerate()
                {
                    let (angle, lean) =
                        (rng.random_range(0.0..6.3f32), rng.random_range(0.0..1.0f32));
                    for k in 0..SPHERES {
                        let along = 0.012 * k as f32;
                        x[k] = along * lean * angle.cos();
                        y[k] = along * lean * angle.sin();
                        z[k] = along * (1.0 - lean) + 0.001 * pose as f32;
                    }
                }
                columns.radius.fill(0.05);
                let [of_spheres, of_boxes, of_capsules] = &mut meets;
                timed(|| {
                    detector.bodies_meet_any(&robot, &spheres, During::Start, of_spheres)?;
                    detector.bodies_meet_any(&robot, &boxes, During::Start, of_boxes)?;
                    if with_itself {
                        detector.overlap(&robot, &robot, &own, &mut itself)?;
                    }
                    let invalid =
                        detector.bodies_meet_any(&robot, &capsules, During::Start, of_capsules)?;
                    met = of_capsules.count() + of_boxes.count() + of_spheres.count();
                    Ok(invalid)
                })
            });
            println!(
                "| … {:.0} ns a pose, {met} poses meet spheres, boxes or capsules | | | | |",
                report.usual * 1e6 / POSES as f64
            );
        }
        println!("| … {} pairs of itself a pose | | | | |", own.len() / POSES);
    }
    for len in [64usize, 1024, 4096] {
        let mut rng = StdRng::seed_from_u64(SEED);
        let many = random_spheres(len, 10.0, &mut rng);
        let boxes = level(len, &mut rng).0;
        let one = random_spheres(1, 10.0, &mut rng);
        let one_box = level(1, &mut rng).0;
        let mut overlaps = Overlaps::new();
        report.frames(
            &format!("one sphere to {len}, 1000 calls"),
            400,
            |detector, _| {
                timed(|| {
                    for _ in 0..1000 {
                        detector.overlap(&one, &many, Pairs::one_to_all(0), &mut overlaps)?;
                    }
                    Ok(InvalidShapes::default())
                })
            },
        );
        println!(
            "| … {:.3} ns a pair | | | | |",
            report.usual * 1e3 / len as f64
        );
        report.frames(
            &format!("one AABB to {len}, 1000 calls"),
            400,
            |detector, _| {
                timed(|| {
                    for _ in 0..1000 {
                        detector.overlap(&one_box, &boxes, Pairs::one_to_all(0), &mut overlaps)?;
                    }
                    Ok(InvalidShapes::default())
                })
            },
        );
        println!(
            "| … {:.3} ns a pair | | | | |",
            report.usual * 1e3 / len as f64
        );
    }
}
