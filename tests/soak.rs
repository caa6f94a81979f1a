//! Random programs over stores that change: after any earlier frames, each query of whole stores is, bit by bit, a test
//! of all pairs of new stores. What detectors and stores keep between calls changes no answer.
//!
//! `PHALANX_SOAK=600 cargo test --release --test soak` runs for ten minutes, with a seed of its own. `PHALANX_SEED`
//! repeats the program of a failure.
#![cfg(not(phalanx_only))]

mod common;
#[path = "soak/mod.rs"]
mod soak;

use std::time::{Duration, Instant, SystemTime};

use phalanx::{
    Aabb, Aabbs, Detector, During, FirstHits, Nearest, Overlaps, Pair, Point, Points, Simd, Sphere,
    Spheres,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use soak::{Any, Ask, Habit, Plan, expected, kept};

/// Number of programs of a test run.
const PROGRAMS: u64 = 500;
/// Number of shapes that several threads share.
const SHARED: usize = 17_000;

/// A detector that keeps its state through a program.
struct Kept {
    detector: Detector,
    name: String,
    is_in_frames: bool,
}

fn detectors(rng: &mut StdRng) -> Vec<Kept> {
    let all: Vec<Simd> = Simd::available().collect();
    let (least, most) = (all[0], all[all.len() - 1]);
    [
        (least, false),
        (most, true),
        (most, false),
        (all[rng.random_range(0..all.len())], true),
    ]
    .into_iter()
    .map(|(simd, parallel)| Kept {
        detector: Detector::new().simd(simd).parallel(parallel),
        name: format!("{simd}, parallel {parallel}"),
        is_in_frames: rng.random_bool(0.5),
    })
    .collect()
}

/// A query of a frame: its first store, its second store or `None` for pairs within the first, and its numbers.
type Call = (usize, Option<usize>, Ask);

/// The size of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Size {
    /// Some stores of a few hundred shapes.
    Usual,
    /// Some stores of up to a thousand shapes.
    Large,
    /// One store of so many shapes that all steps of its queries are shared, for a few frames.
    Shared,
}

fn plan(rng: &mut StdRng, size: Size) -> Plan {
    let len = match rng.random_range(0..10) {
        0 => rng.random_range(0..4),
        1..=6 => rng.random_range(4..60),
        _ if size == Size::Large => rng.random_range(200..900),
        _ => rng.random_range(60..160),
    };
    let dense = [0.6, 1.0, 1.0, 2.0][rng.random_range(0..4)];
    Plan {
        habit: [Habit::Rests, Habit::Rests, Habit::Moves, Habit::Wild][rng.random_range(0..4)],
        len,
        reach: dense * (len as f32).cbrt(),
        as_structs: rng.random_bool(0.15),
    }
}

fn one_program(seed: u64) {
    let rng = &mut StdRng::seed_from_u64(seed);
    let size = match rng.random_range(0..20) {
        0 => Size::Large,
        _ => Size::Usual,
    };
    run(rng, seed, size);
}

fn run(rng: &mut StdRng, seed: u64, size: Size) {
    let mut stores: Vec<Any> = (0..rng.random_range(2..=6))
        .map(|_| {
            let plan = plan(rng, size);
            Any::random(rng, plan)
        })
        .collect();
    if size == Size::Shared {
        let habit = [Habit::Rests, Habit::Moves][rng.random_range(0..2)];
        stores.truncate(1);
        stores.push(Any::spheres(rng, SHARED, habit));
    }
    stores.sort_by_key(|store| !store.is_bounded());
    let mut kept_detectors = detectors(rng);
    // The queries that a program repeats in most frames, as games do.
    let mut usual: Vec<Call> = (0..rng.random_range(1..5))
        .map(|_| call(rng, &stores))
        .collect();
    let frames = match size {
        Size::Shared => 6,
        Size::Usual | Size::Large => rng.random_range(10..60),
    };
    for frame in 0..frames {
        for store in &mut stores {
            store.change(rng);
        }
        if rng.random_bool(0.1) {
            let store = rng.random_range(0..stores.len());
            stores[store].prepare(&mut kept_detectors[0].detector);
        }
        let mut calls = usual.clone();
        if rng.random_bool(0.3) {
            calls.push(call(rng, &stores));
        }
        if rng.random_bool(0.02) {
            usual[0] = call(rng, &stores);
        }
        let answers: Vec<_> = calls
            .iter()
            .map(|(a, b, ask)| expected(&stores[*a], b.map(|b| &stores[b]), ask))
            .collect();
        for one in &mut kept_detectors {
            // Each detector misses some frames.
            if rng.random_bool(0.1) {
                continue;
            }
            if rng.random_bool(0.01) {
                one.detector.shrink();
            }
            let name = &one.name;
            let frame_of = |detector: &mut Detector| {
                for ((a, b, ask), expected) in calls.iter().zip(&answers) {
                    let found = kept(detector, &stores[*a], b.map(|b| &stores[b]), ask);
                    if found == *expected {
                        continue;
                    }
                    let [found, expected] =
                        [&found, expected].map(|all| all.as_deref().unwrap_or(&[]));
                    let first = found.iter().zip(expected).position(|(x, y)| x != y);
                    let of = |store: &Any| format!("{} {}", store.len(), store.name());
                    panic!(
                        "PHALANX_SEED={seed}, frame {frame}, {name}: {ask:?} of {} and {}: {} words, not {}; \
                         the first difference is at {first:?}",
                        of(&stores[*a]),
                        b.map_or("itself".to_owned(), |b| of(&stores[b])),
                        found.len(),
                        expected.len(),
                    );
                }
            };
            if one.is_in_frames {
                one.detector.frame(frame_of);
            } else {
                frame_of(&mut one.detector);
            }
        }
    }
}

fn call(rng: &mut StdRng, stores: &[Any]) -> Call {
    let mut any = || rng.random_range(0..stores.len());
    let (mut a, mut b) = (any(), any());
    // Only the second store may be unbounded.
    if !stores[a].is_bounded() {
        (a, b) = (b, a);
    }
    (a, (a != b).then_some(b), Ask::random(rng))
}

fn number(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name}={value} is no number")),
    )
}

#[test]
fn kept_state_changes_no_answer() {
    if let Some(seed) = number("PHALANX_SEED") {
        return one_program(seed);
    }
    let Some(seconds) = number("PHALANX_SOAK") else {
        return (0..PROGRAMS).for_each(one_program);
    };
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let (first, start) = (since.as_secs() << 20, Instant::now());
    println!("seeds from {first}");
    let mut programs = 0;
    while start.elapsed() < Duration::from_secs(seconds) {
        one_program(first + programs);
        programs += 1;
    }
    println!("{programs} programs");
}

#[test]
fn kept_state_of_shared_calls_changes_no_answer() {
    for seed in 0..2 {
        run(&mut StdRng::seed_from_u64(seed), seed, Size::Shared);
    }
}

/// The pairs of a detector without any earlier call.
fn new_pairs(a: &Spheres, b: Option<&Aabbs>, during: During) -> Vec<Pair> {
    let (mut detector, mut pairs) = (Detector::new(), Vec::new());
    let (a, b) = (a.clone(), b.cloned());
    match b {
        None => detector.candidates(&a, &a, during, &mut pairs),
        Some(b) => detector.candidates(&a, &b, during, &mut pairs),
    }
    .unwrap();
    pairs
}

/// A sensor fails for one frame, and its sphere is removed: four broad phases in each frame, as in games.
#[test]
fn removed_invalid_sphere_loses_no_pair_of_others() {
    let rng = &mut StdRng::seed_from_u64(1);
    let mut random = |from: f32, to: f32| [(); 3].map(|()| rng.random_range(from..to));
    let mut spheres: Spheres = (0..1000)
        .map(|_| Sphere::new(random(0.0, 10.0), 0.6))
        .collect();
    let level: Aabbs = (0..100)
        .map(|_| Aabb::from_center_half_extents(random(0.0, 10.0), [0.5; 3]))
        .collect();
    let (mut detector, mut pairs) = (Detector::new(), Vec::new());
    for frame in 0..60 {
        match frame {
            3 => spheres.set(500, Sphere::new([f32::NAN; 3], 0.6)).unwrap(),
            4 => drop(spheres.swap_remove(500)),
            _ => {}
        }
        for column in spheres.columns_mut().center {
            column.iter_mut().for_each(|x| *x += random(-0.15, 0.15)[0]);
        }
        for during in [During::Start, During::Frame] {
            detector
                .candidates(&spheres, &spheres, during, &mut pairs)
                .unwrap();
            assert!(
                pairs == new_pairs(&spheres, None, during),
                "frame {frame}, {during:?}"
            );
            detector
                .candidates(&spheres, &level, during, &mut pairs)
                .unwrap();
            assert!(
                pairs == new_pairs(&spheres, Some(&level), during),
                "frame {frame}, {during:?}"
            );
        }
    }
}

/// Most spheres are invalid in one frame, and are removed.
#[test]
fn removed_invalid_spheres_are_in_no_kept_order() {
    let rng = &mut StdRng::seed_from_u64(2);
    let mut random = |to: f32| [(); 3].map(|()| rng.random_range(0.0..to));
    let all: Spheres = (0..5000)
        .map(|i| Sphere::new(random(10.0), [0.5, f32::NAN][usize::from(i % 5 > 0)]))
        .collect();
    let rays: Points = (0..10).map(|_| Point::new(random(1.0))).collect();
    let valid: Spheres = all.iter().filter(|sphere| sphere.radius > 0.0).collect();
    let answers = |detector: &mut Detector, spheres: &Spheres, verb: usize| {
        let (mut pairs, mut firsts) = (Vec::new(), FirstHits::new());
        let (mut any, mut nearest) = (Overlaps::new(), Nearest::new());
        let mut said = Vec::new();
        for during in [During::Start, During::Frame] {
            match verb {
                0 => {
                    detector
                        .candidates(spheres, spheres, during, &mut pairs)
                        .unwrap();
                    said.push(format!("{pairs:?}"));
                    detector
                        .candidates(spheres, &rays, during, &mut pairs)
                        .unwrap();
                    said.push(format!("{pairs:?}"));
                }
                1 => {
                    detector.first_hits(&rays, spheres, &mut firsts).unwrap();
                    said.push(format!("{:?}", firsts.iter().collect::<Vec<_>>()));
                    detector.first_hits(spheres, spheres, &mut firsts).unwrap();
                    said.push(format!("{:?}", firsts.iter().collect::<Vec<_>>()));
                    detector
                        .meets_any(spheres, spheres, during, &mut any)
                        .unwrap();
                    said.push(format!("{:?}", any.words()));
                }
                _ => {
                    detector.nearest(&rays, spheres, 1.0, &mut nearest).unwrap();
                    said.push(format!("{:?}", nearest.iter().collect::<Vec<_>>()));
                    detector
                        .nearest(spheres, spheres, 1.0, &mut nearest)
                        .unwrap();
                    said.push(format!("{:?}", nearest.iter().collect::<Vec<_>>()));
                    detector
                        .candidates(spheres, &rays, during, &mut pairs)
                        .unwrap();
                }
            }
        }
        said
    };
    for verb in 0..3 {
        let mut detector = Detector::new();
        answers(&mut detector, &all, verb);
        // New stores, without trees of their own.
        let found = answers(&mut detector, &valid.clone(), verb);
        let expected = answers(&mut Detector::new(), &valid.clone(), verb);
        assert!(found == expected, "{verb}");
    }
}
