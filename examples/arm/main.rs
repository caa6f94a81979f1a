//! A seven-axis arm in a work cell: is a pose free, how far is it from everything, is a motion free?
//!
//! ```text
//! cargo run --release --example arm
//! ```
//!
//! The cell has boxes, the points of a lidar and a mesh ([`cell`]). Every answer is checked: clearances by the distances of all
//! pairs, bit for bit, and motions by dense sampling. The example fails if one is wrong.

mod cell;
mod motion;
mod robot;
mod scene;

use std::time::Instant;

use phalanx::{
    Bounded, Capsule, Capsules, Detector, Distance, Distances, During, Error, Nearest, Shapes, Simd,
};

use cell::Cell;
use motion::{Motion, TOLERANCE};
use robot::{LINKS, Pose};
use scene::{STORES, Scene};

const POSES: usize = 10_000;
/// Greatest clearance looked for, in metres.
const RADIUS: f32 = 0.5;
const MOTIONS: usize = 300;
/// Number of poses by which a motion is checked, and of those that a coarse check looks at.
const SAMPLES: usize = 400;
const COARSE: usize = 20;
/// Clearance of the poses at both ends of a motion.
const AT_ENDS: f32 = 0.01;

fn main() -> Result<(), Error> {
    let mut random = random_numbers(34);
    let cell = Cell::new(&mut random)?;
    let poses: Vec<Pose> = (0..POSES)
        .map(|_| robot::random_pose(&mut random))
        .collect();
    println!(
        "an arm of {LINKS} links among {} boxes, {} points of a lidar and a panel of {} triangles; {}\n",
        cell.boxes.len(),
        cell.cloud.len(),
        cell.panel.len(),
        Simd::best()
    );
    let mut scene = Scene::new(cell, false);
    let free = free_poses(&mut scene, &poses)?;
    let clearances = clearances(&mut scene, &poses, &free)?;
    self_clearance(&mut scene, &poses)?;
    let apart = (0..POSES).filter(|&k| clearances[k] > AT_ENDS);
    let ends: Vec<Pose> = apart.map(|k| poses[k]).collect();
    let free_motions = motions(&mut scene, &ends)?;
    let gain = by_margin(&mut scene, &poses)?;
    println!(
        "\nno clearance above the exact one, no free motion that touches: {free_motions} of {MOTIONS} motions are free; a search \
         takes {:.1} to {:.1} times less than a margin",
        gain[0], gain[1]
    );
    Ok(())
}

/// (a) Whether each pose is free.
fn free_poses(scene: &mut Scene, poses: &[Pose]) -> Result<Vec<bool>, Error> {
    println!("(a) {POSES} random poses: free?       touch   one thread  all threads");
    scene.set_poses(poses);
    let (mut free, mut all) = (vec![true; POSES], [0.0; 2]);
    for (store, name) in STORES.into_iter().enumerate() {
        let times = timed(scene, |scene| scene.test(store))?;
        let meets = scene.meets(store);
        free.iter_mut().zip(&meets).for_each(|(f, m)| *f &= !m);
        let count = meets.iter().filter(|meets| **meets).count();
        print_times(name, count, times);
        all = [0, 1].map(|k| all[k] + times[k]);
    }
    let count = free.iter().filter(|free| **free).count();
    print_times("free of all", count, all);
    assert!(count > POSES / 50, "too few poses are free: {count}");
    Ok(free)
}

/// (b) The least clearance of each pose.
fn clearances(scene: &mut Scene, poses: &[Pose], free: &[bool]) -> Result<Vec<f32>, Error> {
    println!("\n(b) clearance within {RADIUS} m       nearest   one thread  all threads");
    scene.set_poses(poses);
    let (mut least, mut all) = (vec![RADIUS; POSES], [0.0; 2]);
    let mut by_store = Vec::new();
    for (store, name) in STORES.into_iter().enumerate() {
        let times = timed(scene, |scene| scene.measure(store, RADIUS))?;
        let clearances = scene.clearances(store);
        for (pose, &clearance) in clearances.iter().enumerate() {
            least[pose] = least[pose].min(clearance);
        }
        by_store.push((name, clearances, times));
        all = [0, 1].map(|k| all[k] + times[k]);
    }
    for (name, clearances, times) in by_store {
        let nearest = (0..POSES).filter(|&k| least[k] > 0.0 && clearances[k] == least[k]);
        print_times(name, nearest.count(), times);
    }
    print_times(
        "apart",
        least.iter().filter(|least| **least > 0.0).count(),
        all,
    );
    for (pose, (&clearance, &is_free)) in least.iter().zip(free).enumerate() {
        let agrees = is_free || clearance == 0.0;
        assert!(agrees, "pose {pose} touches at a clearance of {clearance}");
    }

    let some = || (0..POSES).step_by(POSES / 16);
    let (start, mut pairs) = (Instant::now(), 0);
    let (detector, links, cell) = (&mut Detector::new(), &scene.links, &scene.cell);
    let [of_boxes, of_cloud, of_panel] = &scene.nearest;
    pairs += scene::check(detector, links, &cell.boxes, RADIUS, of_boxes, some())?;
    pairs += scene::check(detector, links, &cell.cloud, RADIUS, of_cloud, some())?;
    pairs += scene::check(detector, links, &cell.panel, RADIUS, of_panel, some())?;
    println!(
        "    {} poses by all {pairs} pairs: the same bits, {:.0} µs a pose",
        some().count(),
        start.elapsed().as_secs_f64() * 1e6 / some().count() as f64
    );
    Ok(least)
}

/// (d) Self-clearance by groups for one pose, by a list for many.
fn self_clearance(scene: &mut Scene, poses: &[Pose]) -> Result<(), Error> {
    scene.set_poses(poses);
    scene.measure(3, RADIUS)?;
    let by_list = scene.clearances(3);
    let (mut arm, mut nearest) = (Capsules::new(), Nearest::new());
    let (mut seconds, some) = (0.0, 1000);
    for (pose, by_list) in poses.iter().zip(by_list).take(some) {
        robot::set_links(std::slice::from_ref(pose), &mut arm);
        arm.groups_mut().copy_from_slice(&robot::self_groups());
        let start = Instant::now();
        scene.detector.nearest(&arm, &arm, RADIUS, &mut nearest)?;
        seconds += start.elapsed().as_secs_f64();
        let by_groups = nearest.lower().iter().copied().fold(RADIUS, f32::min);
        assert_eq!(by_groups.to_bits(), by_list.min(RADIUS).to_bits());
    }
    println!(
        "    itself, a call for each of {some} poses, by groups: the same bits, {:.2} µs a pose",
        seconds * 1e6 / some as f64
    );
    Ok(())
}

/// (c) Whether motions are free. Returns the number of free ones.
fn motions(scene: &mut Scene, ends: &[Pose]) -> Result<usize, Error> {
    let pairs = ends.chunks_exact(2).take(MOTIONS);
    let motions: Vec<Motion> = pairs.map(|p| Motion::between(p[0], p[1])).collect();
    assert_eq!(motions.len(), MOTIONS, "too few poses are free");
    let mut outcomes = Vec::new();
    let times = [false, true].map(|parallel| {
        scene.detector = Detector::new().parallel(parallel);
        let start = Instant::now();
        outcomes = motion::advance(scene, &motions)?;
        Ok(start.elapsed().as_secs_f64() * 1e6 / MOTIONS as f64)
    });
    let [one, all] = [times[0].clone()?, times[1].clone()?];
    let free = outcomes.iter().filter(|outcome| outcome.is_free()).count();
    let steps: usize = outcomes.iter().map(|outcome| outcome.steps).sum();
    println!("\n(c) {MOTIONS} motions between poses that are {AT_ENDS} m apart from everything");
    println!(
        "    {free} free, {} blocked; {:.1} steps a motion, {:.1} µs a step by one thread, {:.1} by all",
        MOTIONS - free,
        steps as f64 / MOTIONS as f64,
        one * MOTIONS as f64 / steps as f64,
        all * MOTIONS as f64 / steps as f64
    );
    println!("    {one:.0} µs a motion by one thread, {all:.0} by all");

    let (mut crossing, mut overlooked, mut tested) = (0, 0, 0);
    for (k, (motion, outcome)) in motions.iter().zip(&outcomes).enumerate() {
        let progress = |sample: usize| sample as f64 / SAMPLES as f64;
        let poses: Vec<Pose> = (0..=SAMPLES).map(|s| motion.at(progress(s))).collect();
        let free = scene.are_free(&poses)?;
        tested += free.len();
        for (sample, is_free) in free.iter().enumerate() {
            let is_beyond = progress(sample) > outcome.progress;
            assert!(
                is_beyond || *is_free,
                "motion {k} touches at sample {sample}"
            );
        }
        if !outcome.is_free() {
            assert!(outcome.clearance < TOLERANCE, "motion {k} ends early");
        }
        let touches = |every: usize| free.iter().step_by(every).any(|is_free| !is_free);
        crossing += usize::from(touches(1));
        overlooked += usize::from(touches(1) && !touches(SAMPLES / COARSE));
    }
    let blocked: Vec<_> = (outcomes.iter().zip(&motions))
        .filter(|(outcome, _)| !outcome.is_free())
        .map(|(outcome, motion)| motion.at(outcome.progress))
        .collect();
    let are_free = scene.are_free(&blocked)?;
    assert!(
        are_free.iter().all(|is_free| *is_free),
        "a motion stops in an obstacle"
    );
    println!(
        "    {tested} poses on the way, up to the last free one: none touches. Of {crossing} motions that touch at one of \
         {SAMPLES} samples, {COARSE} samples overlook {overlooked}"
    );
    Ok(free)
}

/// (e) The same clearance by the list of all pairs within a margin. Returns the least and the largest ratio of times.
fn by_margin(scene: &mut Scene, poses: &[Pose]) -> Result<[f64; 2], Error> {
    const SOME: usize = 100;
    println!(
        "\n(e) {SOME} poses, one thread, µs a pose: candidates with a margin and distance / nearest"
    );
    robot::set_links(&poses[..SOME], &mut scene.links);
    let (mut range, cell) = ([f64::INFINITY, 0.0], &scene.cell);
    for radius in [0.1, 0.25, 0.5] {
        let boxes = compared(&scene.links, &cell.boxes, radius)?;
        let cloud = compared(&scene.links, &cell.cloud, radius)?;
        let panel = compared(&scene.links, &cell.panel, radius)?;
        print!("    within {radius:.2} m");
        for ([margin, nearest], name) in [boxes, cloud, panel].into_iter().zip(STORES) {
            let ratio = margin / nearest;
            print!("  {name} {margin:.1} / {nearest:.1} = {ratio:.1}");
            range = [range[0].min(ratio), range[1].max(ratio)];
        }
        println!();
    }
    Ok(range)
}

/// Microseconds of a pose by a margin, and by a search for the nearest shapes.
fn compared<S: Shapes>(links: &Capsules, store: &S, radius: f32) -> Result<[f64; 2], Error>
where
    Capsule: Distance<S::Shape>,
    S::Shape: Bounded,
{
    let mut detector = Detector::new().parallel(false);
    let (mut pairs, mut distances, mut nearest) = (Vec::new(), Distances::new(), Nearest::new());
    let (mut best, mut lower) = ([f64::INFINITY; 2], Vec::new());
    for _ in 0..3 {
        let start = Instant::now();
        detector.set_margin(radius)?;
        detector.candidates(links, store, During::Start, &mut pairs)?;
        detector.set_margin(0.0)?;
        detector.distance(links, store, &pairs, &mut distances)?;
        lower.clear();
        lower.resize(links.len(), radius);
        for (pair, &bound) in pairs.iter().zip(distances.lower()) {
            let least = &mut lower[pair.a as usize];
            *least = least.min(bound);
        }
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        detector.nearest(links, store, radius, &mut nearest)?;
        best[1] = best[1].min(start.elapsed().as_secs_f64());
        assert_eq!(lower, nearest.lower(), "two answers within {radius} m");
    }
    Ok(best.map(|seconds| seconds * 1e6 * LINKS as f64 / links.len() as f64))
}

/// Microseconds of a pose by one thread and by all: the better of two calls.
fn timed(
    scene: &mut Scene,
    call: impl Fn(&mut Scene) -> Result<(), Error>,
) -> Result<[f64; 2], Error> {
    let mut times = [f64::INFINITY; 2];
    for (time, parallel) in times.iter_mut().zip([false, true]) {
        scene.detector = Detector::new().parallel(parallel);
        for _ in 0..2 {
            let start = Instant::now();
            call(scene)?;
            *time = time.min(start.elapsed().as_secs_f64() * 1e6 / scene.poses() as f64);
        }
    }
    Ok(times)
}

fn print_times(name: &str, count: usize, [one, all]: [f64; 2]) {
    println!("    {name:24} {count:>10} {one:>9.2} µs {all:>9.2} µs a pose");
}

/// Numbers between two others, the same on every machine.
fn random_numbers(mut state: u64) -> impl FnMut(f32, f32) -> f32 {
    move |low, high| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        low + (high - low) * (state >> 40) as f32 / (1u64 << 24) as f32
    }
}
