//! Poses of a robot that is read from a URDF: which are free, among obstacles, a mesh and a cloud.
//!
//! ```text
//! cargo run --release -p phalanx-robot [-- another.urdf]
//! ```
//!
//! Links are hulls that contain their meshes ([`links`]), and, beside them, 59 spheres around the same links. A pose is a body.
//! Every verdict on obstacles is checked by brute force, all pairs of a pose, and each pose whose hulls touch by the spheres around them.
//! Motions of the spheres are proved free by [`edges`], and checked by samples.

mod edges;
mod links;
mod pose;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use phalanx::traits::{Bounded, Distance, Overlap, Sweep};
use phalanx::{
    Capsule, Capsules, Detector, Distances, During, Hull, Hulls, Mesh, Nearest, Obb, Obbs,
    Overlaps, Pair, Pairs, Point, Points, Shapes, Simd, Sphere, Spheres,
};

use edges::{LinkSphere, Obstacles};
use links::Arm;
use pose::Pose;

const POSES: u32 = 1024;
/// Number of spheres of the robot.
const SPHERES: usize = 59;
/// Number of timed calls.
const RUNS: u32 = 20;
/// Number of timed searches for the nearest shapes.
const CLEARANCES: u32 = 3;
/// Largest clearance that is searched for.
const RADIUS: f32 = 0.05;

fn main() -> Result<(), Box<dyn Error>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("arm.urdf");
    let path = std::env::args().nth(1).map_or(own, Into::into);
    let start = Instant::now();
    let arm = Arm::read(&path)?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{}: {} links, {} hulls, read in {:.0} ms",
        arm.robot.name,
        arm.robot.links.len(),
        arm.parts.len(),
        seconds * 1e3
    );
    for (link, model) in arm.robot.links.iter().enumerate() {
        let own = arm.parts.iter().filter(|part| part.link == link);
        let (count, growth) = own.fold((0, 0.0f32), |(n, most), p| (n + 1, most.max(p.growth)));
        println!(
            "  {:10} {count:2} hulls, {:.3} mm larger than their points",
            model.name,
            growth * 1e3
        );
    }

    let mut random = random_numbers(7);
    let limits = arm.limits();
    let poses: Vec<Vec<Pose>> = (0..POSES)
        .map(|_| {
            let angles = limits
                .iter()
                .map(|[low, high]| low + (high - low) * random());
            arm.places(&angles.collect::<Vec<_>>())
        })
        .collect();
    let own = spheres_of(&arm);
    let (hulls, spheres) = (hulls(&arm, &poses)?, spheres(&own, &poses)?);
    let a_pose = [spheres.len(), hulls.len()].map(|len| len / POSES as usize);
    println!("\n{POSES} poses, one thread, {}", Simd::best());
    println!(
        "{:38}   touch   {:2} spheres   touch   {:2} hulls",
        "ns a pose", a_pose[0], a_pose[1]
    );

    let mut scenes = Vec::new();
    for count in [24, 192] {
        let third = count / 3;
        let round: Spheres = (0..third)
            .map(|_| Sphere::new(far(&mut random), 0.1))
            .collect();
        let boxes: Obbs = (0..third)
            .map(|_| Obb {
                center: far(&mut random),
                half_extents: [0.08; 3],
                ..Obb::default()
            })
            .collect();
        let posts = (0..third).map(|_| {
            let [x, y, z] = far(&mut random);
            Capsule::between([x, y, z - 0.2], [x, y, z + 0.2], 0.05)
        });
        let posts: Capsules = posts.collect();
        let mut row = Row::new(&format!("{count} spheres, boxes and capsules"));
        row.test(&spheres, &hulls, &round)?;
        row.test(&spheres, &hulls, &boxes)?;
        row.test(&spheres, &hulls, &posts)?;
        row.print();
        scenes.push(Obstacles {
            spheres: round,
            boxes,
            capsules: posts,
        });
    }
    let ground = ground()?;
    let mut row = Row::new(&format!("a mesh of {} triangles", ground.len()));
    row.test(&spheres, &hulls, &ground)?;
    row.print();
    let mut numbers = random_numbers(11);
    let mut on_wall = || [0.7, 2.0 * numbers() - 1.0, 1.5 * numbers()].map(|x| x as f32);
    let cloud: Points = (0..2000).map(|_| Point::new(on_wall())).collect();
    let mut row = Row::new(&format!("a cloud of {} points", cloud.len()));
    row.test(&spheres, &hulls, &cloud)?;
    row.print();
    itself(&arm, &hulls)?;
    println!("\nnearest of each hull within {RADIUS} m");
    clearance(
        &format!("a mesh of {} triangles", ground.len()),
        &hulls,
        &ground,
    )?;
    let cloud: Points = (0..20_000).map(|_| Point::new(on_wall())).collect();
    clearance(
        &format!("a cloud of {} points", cloud.len()),
        &hulls,
        &cloud,
    )?;
    for obstacles in &scenes {
        edges::print(&arm, &own, obstacles, &mut random)?;
    }
    // Every check above panics on the first wrong verdict.
    println!("\n0 wrong verdicts on obstacles, checked by all pairs");
    Ok(())
}

/// The hulls of all poses; the hulls of a pose are a body.
fn hulls(arm: &Arm, poses: &[Vec<Pose>]) -> Result<Hulls, phalanx::Error> {
    let mut hulls = Hulls::new(&arm.kinds);
    for (body, places) in (0..).zip(poses) {
        for part in &arm.parts {
            let place = places[part.link].then(&part.place);
            let hull = Hull::new(
                part.kind,
                place.position.map(|x| x as f32),
                place.rotation.map(|x| x as f32),
            );
            let index = hulls.push(hull)?;
            hulls.set_body(index, body)?;
        }
    }
    Ok(hulls)
}

/// Spheres around the hulls: the boxes around hulls, cut across their longest axes.
fn spheres_of(arm: &Arm) -> Vec<LinkSphere> {
    let len = arm.parts.len();
    let mut own = Vec::new();
    for (k, part) in arm.parts.iter().enumerate() {
        // Their number is the same for all robots with at most so many hulls.
        let count = (SPHERES * (k + 1) / len - SPHERES * k / len).max(1);
        let [low, high] = part.bounds.map(|bound| bound.map(f64::from));
        let extents = [0, 1, 2].map(|axis| high[axis] - low[axis]);
        let axis = (0..3).fold(0, |a, b| if extents[b] > extents[a] { b } else { a });
        for cut in 0..count {
            let mut half = extents.map(|x| 0.5 * x);
            let mut center = [0, 1, 2].map(|k| 0.5 * (low[k] + high[k]));
            half[axis] /= count as f64;
            center[axis] = low[axis] + half[axis] * (2 * cut + 1) as f64;
            let radius = half.iter().map(|x| x * x).sum::<f64>().sqrt() as f32;
            let center = part.place.apply(center);
            own.push((part.link, center, radius + part.growth + 1e-5));
        }
    }
    own
}

/// The spheres of all poses; those of a pose are a body.
fn spheres(own: &[LinkSphere], poses: &[Vec<Pose>]) -> Result<Spheres, phalanx::Error> {
    let mut spheres = Spheres::new();
    for (body, places) in (0..).zip(poses) {
        for (link, center, radius) in own {
            let center = places[*link].apply(*center).map(|x| x as f32);
            let index = spheres.push(Sphere::new(center, *radius));
            spheres.set_body(index, body)?;
        }
    }
    Ok(spheres)
}

/// Times of the calls for a scene, and poses that touch it.
struct Row {
    name: String,
    detector: Detector,
    nanoseconds: [f64; 2],
    touch: [Vec<bool>; 2],
}

impl Row {
    fn new(name: &str) -> Self {
        Row {
            name: name.to_owned(),
            detector: Detector::new().parallel(false),
            nanoseconds: [0.0; 2],
            touch: [(); 2].map(|()| vec![false; POSES as usize]),
        }
    }

    /// Tests all poses against a store.
    fn test<B: Shapes>(
        &mut self,
        spheres: &Spheres,
        hulls: &Hulls,
        to: &B,
    ) -> Result<(), phalanx::Error>
    where
        Sphere: Overlap<B::Shape> + Sweep<B::Shape>,
        <Hulls as Shapes>::Shape: Overlap<B::Shape> + Sweep<B::Shape>,
    {
        let of_spheres = self.bodies(0, spheres, spheres.len(), to)?;
        let of_hulls = self.bodies(1, hulls, hulls.len(), to)?;
        for pose in 0..POSES as usize {
            let is_covered = of_spheres[pose] || !of_hulls[pose];
            assert!(
                is_covered,
                "{}: spheres of pose {pose} miss its hulls",
                self.name
            );
        }
        Ok(())
    }

    /// Whether each body touches a store, in one call, and checked by all pairs.
    fn bodies<A, B>(
        &mut self,
        column: usize,
        robot: &A,
        len: usize,
        to: &B,
    ) -> Result<Vec<bool>, phalanx::Error>
    where
        A: Shapes,
        B: Shapes,
        A::Shape: Bounded + Overlap<B::Shape> + Sweep<B::Shape>,
    {
        let mut overlaps = Overlaps::new();
        let mut call = |overlaps: &mut Overlaps| {
            let invalid = self
                .detector
                .bodies_meet_any(robot, to, During::Start, overlaps)?;
            assert!(!invalid.any());
            Ok(())
        };
        // The first calls index what does not move.
        for _ in 0..3 {
            call(&mut overlaps)?;
        }
        let start = Instant::now();
        for _ in 0..RUNS {
            call(&mut overlaps)?;
        }
        self.nanoseconds[column] += start.elapsed().as_secs_f64() * 1e9 / f64::from(RUNS * POSES);
        let meets = |pose: u32| overlaps.is_hit_or_invalid(pose as usize);
        let meets: Vec<bool> = (0..POSES).map(meets).collect();

        let (mut found, a_pose) = (Overlaps::new(), len as u32 / POSES);
        for pose in 0..POSES {
            let mut is_hit = false;
            for shape in a_pose * pose..a_pose * (pose + 1) {
                let pairs = Pairs::one_to_all(shape);
                self.detector.overlap(robot, to, pairs, &mut found)?;
                is_hit |= found.any_hit_or_invalid();
            }
            assert_eq!(meets[pose as usize], is_hit, "{}: pose {pose}", self.name);
            self.touch[column][pose as usize] |= is_hit;
        }
        Ok(meets)
    }

    fn print(&self) {
        let touch = |k: usize| self.touch[k].iter().filter(|touch| **touch).count();
        let [a, b] = self.nanoseconds;
        println!(
            "{:38} {:7} {a:12.0} {:7} {b:7.0}",
            self.name,
            touch(0),
            touch(1)
        );
        assert!(
            touch(1) > 0 && touch(1) < POSES as usize,
            "a scene that decides nothing"
        );
    }
}

/// Tests the robot against itself. Pairs of hulls that a joint connects are allowed to touch, and pairs that touch in all poses.
fn itself(arm: &Arm, hulls: &Hulls) -> Result<(), phalanx::Error> {
    let len = arm.parts.len() as u32;
    let link = |k: u32| arm.parts[k as usize].link;
    let is_connected = |a: u32, b: u32| {
        let [a, b] = [link(a), link(b)];
        a == b || arm.joints.contains(&[a, b]) || arm.joints.contains(&[b, a])
    };
    let own = (0..len).flat_map(|a| (a + 1..len).map(move |b| Pair::new(a, b)));
    let own: Vec<Pair> = own.filter(|pair| !is_connected(pair.a, pair.b)).collect();
    let in_poses = |own: &[Pair]| -> Vec<Pair> {
        let at = |pose: u32| move |pair: &Pair| Pair::new(pair.a + pose * len, pair.b + pose * len);
        (0..POSES)
            .flat_map(|pose| own.iter().map(at(pose)))
            .collect()
    };
    let (mut detector, mut overlaps) = (Detector::new().parallel(false), Overlaps::new());
    detector.overlap(hulls, hulls, &in_poses(&own), &mut overlaps)?;
    let mut touches = vec![0; own.len()];
    overlaps.iter().for_each(|k| touches[k % own.len()] += 1);
    let some = own
        .iter()
        .zip(&touches)
        .filter(|(_, touches)| **touches < POSES);
    let tested: Vec<Pair> = some.map(|(pair, _)| *pair).collect();
    let pairs = in_poses(&tested);
    let start = Instant::now();
    for _ in 0..RUNS {
        detector.overlap(hulls, hulls, &pairs, &mut overlaps)?;
    }
    let nanoseconds = start.elapsed().as_secs_f64() * 1e9 / f64::from(RUNS * POSES);
    let mut touch = vec![false; POSES as usize];
    overlaps.iter().for_each(|k| touch[k / tested.len()] = true);
    println!(
        "{:38} {:28} {nanoseconds:7.0}",
        format!("itself, {} pairs of hulls", tested.len()),
        touch.iter().filter(|touch| **touch).count()
    );
    Ok(())
}

/// Finds the nearest shape of each hull of all poses. Those of some poses are compared with the distances of all pairs.
fn clearance<B: Shapes>(name: &str, hulls: &Hulls, to: &B) -> Result<(), phalanx::Error>
where
    <Hulls as Shapes>::Shape: Distance<B::Shape>,
    B::Shape: Bounded,
{
    let (mut detector, mut nearest) = (Detector::new().parallel(false), Nearest::new());
    // The first call indexes what does not move.
    detector.nearest(hulls, to, RADIUS, &mut nearest)?;
    let start = Instant::now();
    for _ in 0..CLEARANCES {
        detector.nearest(hulls, to, RADIUS, &mut nearest)?;
    }
    let microseconds =
        start.elapsed().as_secs_f64() * 1e6 / f64::from(CLEARANCES) / hulls.len() as f64;
    let mut distances = Distances::new();
    for hull in (0..hulls.len() as u32).step_by((hulls.len() / 128).max(1)) {
        detector.distance(hulls, to, Pairs::one_to_all(hull), &mut distances)?;
        let mut expected = (None, RADIUS, f32::INFINITY);
        let bounds = (0..distances.len()).filter_map(|b| Some((b, distances.get(b)?)));
        for (b, bounds) in bounds {
            expected.1 = bounds.lower.min(expected.1);
            if bounds.upper <= RADIUS && bounds.upper < expected.2 {
                (expected.0, expected.2) = (Some(b as u32), bounds.upper);
            }
        }
        let found = nearest.get(hull as usize);
        let found = found.map(|found| (found.b, found.lower, found.upper));
        assert_eq!(found, Some(expected), "{name}: hull {hull}");
    }
    println!(
        "{name:38} {:7} of {} near {microseconds:9.2} us a hull",
        nearest.count(),
        hulls.len()
    );
    assert!(nearest.count() > 0, "a scene that decides nothing");
    Ok(())
}

/// A hilly ground below the arm, with a hole for its base.
fn ground() -> Result<Mesh, phalanx::Error> {
    const SIDE: u32 = 41;
    let corner = |k: u32| {
        let [x, y] = [k % SIDE, k / SIDE].map(|k| k as f32 * 0.06 - 1.2);
        [x, y, 0.05 * ((9.0 * x).sin() + (7.0 * y).cos()) - 0.12]
    };
    let corners: Vec<[f32; 3]> = (0..SIDE * SIDE).map(corner).collect();
    let squares = (0..SIDE * (SIDE - 1)).filter(|k| {
        let [x, y] = [k % SIDE, k / SIDE];
        x + 1 < SIDE && x.abs_diff(20).max(y.abs_diff(20)) > 4
    });
    let triangles = squares.flat_map(|k| [[k, k + 1, k + SIDE + 1], [k, k + SIDE + 1, k + SIDE]]);
    Mesh::new(&corners, &triangles.collect::<Vec<_>>())
}

/// A place that the base of the arm does not touch.
fn far(random: &mut impl FnMut() -> f64) -> [f32; 3] {
    let mut one = || (0.3 + 0.9 * random()) * if random() < 0.5 { -1.0 } else { 1.0 };
    [one(), one(), one().abs()].map(|x| x as f32)
}

/// Numbers from 0 to 1.
fn random_numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}
