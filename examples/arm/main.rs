//! A seven-axis arm in a work cell: free poses, clearances, and free motions.
//!
//! ```text
//! cargo run --release --example arm
//! ```
//!
//! The cell has boxes, the points of a lidar and a mesh ([`cell`]). Every result is checked: clearances by the
//! distances of all pairs, bit for bit, and motions by dense sampling. The example fails if a result is wrong.

mod cell;
mod motion;
mod robot;
mod scene;

use std::time::Instant;

use phalanx::traits::{Bounded, Distance};
use phalanx::{Capsule, Capsules, Detector, Distances, During, Error, Nearest, Shapes, Simd};

use cell::Cell;
use motion::{Motion, TOLERANCE};
use robot::{LINKS, Pose};
use scene::{STORES, Scene};

const POSES: usize = 10_000;
/// Search radius of clearances, in metres.
const RADIUS: f32 = 0.25;
const MOTIONS: usize = 300;
/// Number of poses by which a motion is checked, and number of poses of a coarse check.
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
    robot::check();
    let mut scene = Scene::new(cell);
    let free = free_poses(&mut scene, &poses)?;
    let clearances = clearances(&mut scene, &poses, &free)?;
    let apart = (0..POSES).filter(|&k| clearances[k] > AT_ENDS);
    let ends: Vec<Pose> = apart.map(|k| poses[k]).collect();
    let (free_motions, samples) = motions(&mut scene, &ends)?;
    self_clearance(&poses)?;
    let [least, most] = by_margin(&mut scene, &poses)?;
    println!(
        "\nall stores together, nearest is {least:.1} to {most:.1} times as fast as candidates with a margin"
    );
    // Every check above panics on the first wrong result.
    println!(
        "0 wrong clearances, checked by all pairs; 0 of {free_motions} free motions touch, checked at {samples} poses"
    );
    Ok(())
}

/// (a) Tests whether each pose is free.
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
        "    {} poses checked by all {pairs} pairs: bit-identical, {:.0} µs a pose",
        some().count(),
        start.elapsed().as_secs_f64() * 1e6 / some().count() as f64
    );
    Ok(least)
}

/// (c) Tests whether motions are free. Returns the number of free motions, and of the poses that check all motions.
fn motions(scene: &mut Scene, ends: &[Pose]) -> Result<(usize, usize), Error> {
    let pairs = ends.chunks_exact(2).take(MOTIONS);
    let motions: Vec<Motion> = pairs.map(|p| Motion::between(p[0], p[1])).collect();
    assert_eq!(motions.len(), MOTIONS, "too few poses are free");
    let (mut outcomes, mut times) = (Vec::new(), [0.0; 2]);
    for (time, parallel) in times.iter_mut().zip([false, true]) {
        scene.detector = Detector::new().parallel(parallel);
        let start = Instant::now();
        outcomes = motion::advance(scene, &motions)?;
        *time = start.elapsed().as_secs_f64() * 1e6;
    }
    let free = outcomes.iter().filter(|outcome| outcome.is_free()).count();
    let steps: usize = outcomes.iter().map(|outcome| outcome.steps).sum();
    println!("\n(c) {MOTIONS} motions between poses that are {AT_ENDS} m apart from everything");
    let blocked = MOTIONS - free;
    let [one, all] = times.map(|time| time / MOTIONS as f64);
    let [one_step, all_step] = times.map(|time| time / steps as f64);
    println!(
        "    {free} free, {blocked} blocked; {:.1} steps a motion",
        steps as f64 / MOTIONS as f64
    );
    println!("    one thread: {one:.0} µs a motion, {one_step:.2} µs a step");
    println!("    all threads: {all:.0} µs a motion, {all_step:.2} µs a step");

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
        "    {tested} poses between the ends, {SAMPLES} a motion: no pose in the free part touches"
    );
    println!(
        "    {crossing} motions touch at one of these poses; {COARSE} samples a motion overlook {overlooked}"
    );
    Ok((free, tested))
}

/// (d) Self-clearance by groups, a call for each pose. Checked by the distances of all admitted pairs of links.
fn self_clearance(poses: &[Pose]) -> Result<(), Error> {
    const SOME: usize = 1000;
    let (mut arm, mut nearest, mut pairs) = (Capsules::new(), Nearest::new(), Vec::new());
    robot::self_pairs(1, &mut pairs);
    // Each link searches, so each pair counts in both orders.
    pairs.extend_from_within(..);
    let half = pairs.len() / 2;
    pairs[half..]
        .iter_mut()
        .for_each(|pair| std::mem::swap(&mut pair.a, &mut pair.b));
    let (mut detector, mut distances) = (Detector::new(), Distances::new());
    let (mut seconds, mut least) = (0.0, RADIUS);
    for pose in &poses[..SOME] {
        robot::set_links(std::slice::from_ref(pose), &mut arm);
        arm.groups_mut().copy_from_slice(&robot::self_groups());
        let start = Instant::now();
        detector.nearest(&arm, &arm, RADIUS, &mut nearest)?;
        seconds += start.elapsed().as_secs_f64();
        detector.distance(&arm, &arm, &pairs, &mut distances)?;
        let mut lower = [RADIUS; LINKS];
        for (pair, &bound) in pairs.iter().zip(distances.lower()) {
            let link = pair.a as usize;
            lower[link] = lower[link].min(bound);
        }
        assert_eq!(lower, nearest.lower(), "two answers for {pose:?}");
        let apart = lower.iter().copied().filter(|lower| *lower > 0.0);
        least = apart.fold(least, f32::min);
    }
    println!(
        "\n(d) self-clearance by groups, a call a pose: {:.2} µs a pose",
        seconds * 1e6 / SOME as f64
    );
    println!(
        "    {SOME} poses checked by all pairs of links: bit-identical; least clearance of separated links {:.2} mm",
        least * 1e3
    );
    Ok(())
}

/// (e) The same clearance by the list of all pairs within a margin. Returns the least and the largest ratio of times.
fn by_margin(scene: &mut Scene, poses: &[Pose]) -> Result<[f64; 2], Error> {
    const SOME: usize = 200;
    println!(
        "\n(e) nearest, and candidates with a margin and distance: µs a pose, {SOME} poses, one thread"
    );
    robot::set_links(&poses[..SOME], &mut scene.links);
    let (mut range, links, cell) = ([f64::INFINITY, 0.0], &scene.links, &scene.cell);
    for radius in [0.05, 0.1, 0.25] {
        let all = [
            compared(links, &cell.boxes, radius)?,
            compared(links, &cell.cloud, radius)?,
            compared(links, &cell.panel, radius)?,
        ];
        print!("    {radius:.2} m");
        for (each, name) in all.iter().zip(STORES) {
            print!("  {name} {:.1}, {:.1}", each.nearest, each.margin);
        }
        let pairs: usize = all.iter().map(|each| each.pairs).sum();
        let nearest: f64 = all.iter().map(|each| each.nearest).sum();
        let ratio = all.iter().map(|each| each.margin).sum::<f64>() / nearest;
        println!("  {} pairs a pose  {ratio:.1} times", pairs / SOME);
        range = [range[0].min(ratio), range[1].max(ratio)];
    }
    Ok(range)
}

/// The cost of a clearance: microseconds of a pose, and the number of pairs within the margin.
struct Compared {
    nearest: f64,
    margin: f64,
    pairs: usize,
}

/// Finds the clearance of links by a search for the nearest shapes and by a margin, and compares the results.
fn compared<S: Shapes>(links: &Capsules, store: &S, radius: f32) -> Result<Compared, Error>
where
    Capsule: Distance<S::Shape>,
    S::Shape: Bounded,
{
    let mut detector = Detector::new().parallel(false);
    let (mut pairs, mut distances, mut nearest) = (Vec::new(), Distances::new(), Nearest::new());
    let (mut best, mut lower) = ([f64::INFINITY; 2], Vec::new());
    for _ in 0..5 {
        let start = Instant::now();
        detector.nearest(links, store, radius, &mut nearest)?;
        best[0] = best[0].min(start.elapsed().as_secs_f64());
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
        best[1] = best[1].min(start.elapsed().as_secs_f64());
        assert_eq!(lower, nearest.lower(), "two answers within {radius} m");
    }
    let [nearest, margin] = best.map(|seconds| seconds * 1e6 * LINKS as f64 / links.len() as f64);
    Ok(Compared {
        nearest,
        margin,
        pairs: pairs.len(),
    })
}

/// Microseconds of a pose by one thread and by all: the best of three alternating calls.
fn timed(
    scene: &mut Scene,
    call: impl Fn(&mut Scene) -> Result<(), Error>,
) -> Result<[f64; 2], Error> {
    let mut times = [f64::INFINITY; 2];
    let mut detectors = [false, true].map(|parallel| Detector::new().parallel(parallel));
    for _ in 0..3 {
        for (time, detector) in times.iter_mut().zip(&mut detectors) {
            std::mem::swap(&mut scene.detector, detector);
            let start = Instant::now();
            call(scene)?;
            *time = time.min(start.elapsed().as_secs_f64() * 1e6 / scene.poses() as f64);
            std::mem::swap(&mut scene.detector, detector);
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
