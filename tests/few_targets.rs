//! Searches for few targets: scans, which skip words by bounds, find what overlaps and sweeps of all pairs find. So do searches
//! by bodies, whose bits are those of their shapes.

mod common;

use common::{Sample, Setting, rng};
use phalanx::traits::{Bounded, Overlap, Shape, Sweep};
use phalanx::{
    Detector, During, Error, FirstHits, Groups, NO_BODY, Overlaps, Pair, Simd, Sphere, Store,
    Sweeps,
};
use rand::RngExt;
use rand::rngs::StdRng;

/// Shapes in clusters of `each`, some of them with an invalid number or motion.
fn clusters<T: Sample>(rng: &mut StdRng, len: usize, each: usize, side: f32) -> Store<T> {
    let setting = Setting::ordinary();
    let (mut store, mut by) = (Store::new(), [0.0; 3]);
    for i in 0..len {
        if i.is_multiple_of(each) {
            by = [(); 3].map(|()| rng.random_range(-side..side));
        }
        let mut shape = T::sample(rng, &setting).moved(by);
        let mut motion = setting.motion(rng).map(|x| x % 5.0);
        if rng.random_bool(0.01) {
            let numbers: &mut [f32] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut shape));
            let k = rng.random_range(0..numbers.len());
            numbers[k] = f32::NAN;
        } else if rng.random_bool(0.01) {
            motion[rng.random_range(0..3)] = f32::INFINITY;
        }
        store.push_moving(shape, motion);
    }
    store
}

/// The pairs that hit, and the shapes of `a` that are invalid.
struct Expected {
    hits: Vec<Pair>,
    invalid: Vec<bool>,
}

/// Tests all pairs, by lists.
fn brute<A, B>(detector: &mut Detector, a: &Store<A>, b: &Store<B>, during: During) -> Expected
where
    A: Overlap<B> + Sweep<B> + Shape,
    B: Shape,
{
    let all: Vec<Pair> = (0..a.len() as u32)
        .flat_map(|i| (0..b.len() as u32).map(move |j| Pair::new(i, j)))
        .collect();
    let positions: Vec<usize> = match during {
        During::Start => {
            let mut overlaps = Overlaps::new();
            detector.overlap(a, b, &all, &mut overlaps).unwrap();
            overlaps.iter().collect()
        }
        _ => {
            let mut sweeps = Sweeps::new();
            detector.sweep(a, b, &all, &mut sweeps).unwrap();
            sweeps.iter().map(|(position, _)| position).collect()
        }
    };
    let is_invalid = |i| {
        let mut one = Store::new();
        let motion = match during {
            During::Start => [0.0; 3],
            _ => a.displacement(i).unwrap(),
        };
        one.push_moving(a.get(i).unwrap(), motion);
        one.validate().is_err()
    };
    Expected {
        hits: positions.into_iter().map(|k| all[k]).collect(),
        invalid: (0..a.len() as u32).map(is_invalid).collect(),
    }
}

/// The definition of groups and bodies.
fn admits<A: Shape, B: Shape>(a: &Store<A>, b: &Store<B>, pair: Pair) -> bool {
    let groups = [a.groups(pair.a).unwrap(), b.groups(pair.b).unwrap()];
    let bodies = [a.body(pair.a).unwrap(), b.body(pair.b).unwrap()];
    groups[0].is & groups[1].meets != 0
        && groups[1].is & groups[0].meets != 0
        && (bodies[0] != bodies[1] || bodies[0] == NO_BODY)
}

/// Compares `meets_any` and `bodies_meet_any` with all pairs, on each instruction set. Returns the number of hits.
fn check<A, B>(name: &str, a: &Store<A>, b: &Store<B>, margin: f32) -> usize
where
    A: Bounded + Sweep<B> + Overlap<B>,
    B: Shape,
{
    let mut found = 0;
    for during in [During::Start, During::Frame, During::Way] {
        let mut detector = Detector::new().margin(margin).unwrap();
        let Expected { hits, invalid } = brute(&mut detector, a, b, during);
        let mut shapes = vec![false; a.len()];
        for &pair in hits.iter().filter(|pair| admits(a, b, **pair)) {
            shapes[pair.a as usize] = true;
        }
        let body = |i: usize| a.body(i as u32).unwrap();
        let has_bodies = !a.is_empty() && (0..a.len()).all(|i| body(i) != NO_BODY);
        let len = (0..a.len())
            .map(body)
            .max()
            .map_or(0, |last| last as usize + 1);
        let of_bodies = |shapes: &[bool]| {
            let mut bodies = vec![false; if has_bodies { len } else { 0 }];
            let set = shapes.iter().enumerate().filter(|(_, set)| **set);
            set.for_each(|(i, _)| bodies[body(i) as usize] = true);
            bodies
        };
        found += shapes.iter().filter(|hit| **hit).count();
        for simd in Simd::available() {
            let mut detector = Detector::new().simd(simd).margin(margin).unwrap();
            let mut overlaps = Overlaps::new();
            let name = format!("{name}, {simd}, margin {margin}, {during:?}");
            let same = |overlaps: &Overlaps, hits: &[bool], invalid: &[bool]| {
                assert_eq!(overlaps.len(), hits.len(), "{name}");
                let positions = |bits: &[bool]| -> Vec<usize> {
                    (0..bits.len()).filter(|i| bits[*i]).collect()
                };
                assert!(overlaps.iter().eq(positions(hits)), "{name}");
                assert!(overlaps.iter_invalid().eq(positions(invalid)), "{name}");
            };
            for _ in 0..2 {
                let counts = detector.meets_any(a, b, during, &mut overlaps).unwrap();
                same(&overlaps, &shapes, &invalid);
                assert_eq!(counts.a, overlaps.invalid_count(), "{name}");
                if has_bodies {
                    let by_bodies = detector.bodies_meet_any(a, b, during, &mut overlaps);
                    assert_eq!(by_bodies, Ok(counts), "{name}");
                    same(&overlaps, &of_bodies(&shapes), &of_bodies(&invalid));
                }
            }
        }
    }
    found
}

/// Sets bodies in one of several ways.
fn set_bodies<T: Shape>(rng: &mut StdRng, store: &mut Store<T>, way: usize) {
    for i in 0..store.len() as u32 {
        let body = match way {
            0 => i / 59,
            1 => rng.random_range(0..40),
            2 => 7,
            _ => 3 * i,
        };
        store.set_body(i, body).unwrap();
    }
}

const LENGTHS: [(usize, usize); 4] = [(64, 1), (67, 12), (1087, 12), (1300, 40)];

#[test]
fn few_targets_are_hit_as_by_all_pairs() {
    fn cell<A: Bounded + Sweep<B> + Overlap<B> + Sample, B: Shape + Sample>(name: &str) {
        let mut rng = rng(&format!("{name}, few targets"));
        let mut hits = 0;
        for (way, (len, targets)) in LENGTHS.into_iter().enumerate() {
            let mut a = clusters::<A>(&mut rng, len, 17, 9.0);
            let b = clusters::<B>(&mut rng, targets, 3, 9.0);
            for margin in [0.0, 0.05] {
                hits += check(name, &a, &b, margin);
            }
            set_bodies(&mut rng, &mut a, way);
            hits += check(name, &a, &b, 0.0);
        }
        assert!(hits > 10, "{name}: {hits} hits");
    }
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(each!(@ $file, $verb, $($shape),+);)*
        };
        (@ $file:ident, overlap, $($shape:ident),+) => {};
        (@ $file:ident, sweep, $a:ident, Plane) => {
            cell::<phalanx::$a, phalanx::Plane>(stringify!($file));
        };
        (@ $file:ident, sweep, $a:ident, HalfSpace) => {
            cell::<phalanx::$a, phalanx::HalfSpace>(stringify!($file));
        };
        (@ $file:ident, sweep, $a:ident) => {
            cell::<phalanx::$a, phalanx::$a>(stringify!($file));
        };
        (@ $file:ident, sweep, $a:ident, $b:ident) => {
            cell::<phalanx::$a, phalanx::$b>(stringify!($file));
            cell::<phalanx::$b, phalanx::$a>(stringify!($file));
        };
    }
    phalanx::kernels!(each);
}

/// A robot's spheres among spheres.
fn robot(rng: &mut StdRng, poses: usize) -> Store<Sphere> {
    let mut store = Store::new();
    for pose in 0..poses {
        let [from, along] = [2.0, 0.1].map(|by| [(); 3].map(|()| rng.random_range(-by..by)));
        for k in 0..59 {
            let at = k as f32;
            let center = [0, 1, 2].map(|i| from[i] + at * along[i]);
            let sphere = store.push(Sphere {
                center,
                radius: 0.1,
            });
            store.set_body(sphere, pose as u32).unwrap();
        }
    }
    store
}

#[test]
fn groups_and_bodies_of_both_stores_apply() {
    let mut rng = rng("few targets, groups and bodies");
    let mut a = robot(&mut rng, 40);
    let mut b: Store<Sphere> = robot(&mut rng, 1).iter().take(30).collect();
    check("bodies of the robot", &a, &b, 0.0);
    for i in 0..30 {
        b.set_body(i, i % 8).unwrap();
    }
    let hits = check("bodies of both", &a, &b, 0.3);
    let mut bits = || 1 << rng.random_range(0..3u32);
    for i in 0..a.len() as u32 {
        let (is, meets) = (bits(), bits());
        a.set_groups(i, Groups { is, meets }).unwrap();
        if i < 30 {
            b.set_groups(
                i,
                Groups {
                    is: meets,
                    meets: is,
                },
            )
            .unwrap();
        }
    }
    let fewer = check("groups of both", &a, &b, 0.3);
    assert!(0 < fewer && fewer < hits, "{fewer} of {hits} hits");
}

/// Blocks in which no word is skipped, then blocks in which most are.
#[test]
fn crowds_and_clusters_in_one_store_are_scanned() {
    let mut rng = rng("crowds and clusters");
    // The most for sweeps, and for overlaps of spheres.
    let [b, most] = [60, 256].map(|len| clusters::<Sphere>(&mut rng, len, 1, 9.0));
    let mut a = Store::new();
    for each in [1, 17, 1, 500, 1, 17] {
        let more = clusters::<Sphere>(&mut rng, 3000, each, 9.0);
        for i in 0..more.len() as u32 {
            a.push_moving(more.get(i).unwrap(), more.displacement(i).unwrap());
        }
    }
    set_bodies(&mut rng, &mut a, 0);
    assert!(check("crowds and clusters", &a, &b, 0.0) > 100);
    assert!(check("crowds and clusters, more targets", &a, &most, 0.0) > 400);
}

/// Touching without a gap, at the ends of words and groups.
#[test]
fn spheres_that_touch_in_one_point_are_not_skipped() {
    let b: Store<Sphere> = (0..12)
        .map(|k| Sphere::new([4.0 * k as f32, 0.0, 0.0], 1.0))
        .collect();
    for len in [64, 65, 128, 1088, 1089, 2111] {
        for place in [0, 15, 16, 63, 64, len - 1] {
            let mut a: Store<Sphere> = (0..len)
                .map(|k| Sphere::new([k as f32, 50.0, 0.0], 0.5))
                .collect();
            a.set(place.min(len - 1), Sphere::new([8.0, 2.0, 0.0], 1.0))
                .unwrap();
            set_bodies(&mut rng("ties"), &mut a, 0);
            assert_eq!(check("one point", &a, &b, 0.0), 3, "{len}, {place}");
        }
    }
}

#[test]
fn first_hits_of_few_targets_are_those_of_all_pairs() {
    let mut rng = rng("first hits of few targets");
    let mut found = 0;
    for (len, targets) in LENGTHS {
        let a = clusters::<Sphere>(&mut rng, len, 17, 6.0);
        let b = clusters::<Sphere>(&mut rng, targets, 3, 6.0);
        let all: Vec<Pair> = (0..len as u32)
            .flat_map(|i| (0..targets as u32).map(move |j| Pair::new(i, j)))
            .collect();
        let (mut sweeps, mut firsts) = (Sweeps::new(), FirstHits::new());
        Detector::new().sweep(&a, &b, &all, &mut sweeps).unwrap();
        let expected = sweeps.first_hits(&all).unwrap();
        found += expected.len();
        for simd in Simd::available() {
            let mut detector = Detector::new().simd(simd);
            detector.first_hits(&a, &b, &mut firsts).unwrap();
            let said = firsts.iter().map(|hit| (hit.a, hit.b, hit.time));
            let hits = expected
                .iter()
                .map(|hit| (hit.pair.a, hit.pair.b, hit.time));
            assert!(said.eq(hits), "{simd}, {len}");
            assert!((0..len).all(|i| !firsts.is_invalid(i) || firsts.get(i).is_none()));
        }
    }
    assert!(found > 20, "{found} hits");
}

#[cfg(all(feature = "rayon", not(target_family = "wasm")))]
#[test]
fn any_number_of_threads_finds_the_same_bodies() {
    let mut rng = rng("bodies on threads");
    let a = robot(&mut rng, 1500);
    let b = robot(&mut rng, 1);
    let mut serial = Overlaps::new();
    let during = During::Start;
    let mut detector = Detector::new().parallel(false);
    detector
        .bodies_meet_any(&a, &b, during, &mut serial)
        .unwrap();
    assert!(serial.len() == 1500 && serial.count() > 50 && serial.count() < 1400);
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let (pool, mut overlaps) = (pool.build().unwrap(), Overlaps::new());
        let mut detector = Detector::new();
        pool.install(|| {
            detector
                .bodies_meet_any(&a, &b, during, &mut overlaps)
                .unwrap()
        });
        assert!(overlaps == serial, "{threads} threads");
    }
}

#[test]
fn shapes_without_a_body_are_refused() {
    let mut rng = rng("no body");
    let (mut a, b) = (robot(&mut rng, 3), robot(&mut rng, 1));
    let (mut detector, mut overlaps) = (Detector::new(), Overlaps::new());
    detector
        .bodies_meet_any(&a, &b, During::Start, &mut overlaps)
        .unwrap();
    let before = overlaps.clone();
    a.set_body(100, NO_BODY).unwrap();
    for targets in [&b, &a] {
        let said = detector.bodies_meet_any(&a, targets, During::Start, &mut overlaps);
        assert!(
            matches!(said, Err(Error::MissingBody { index: 100, .. })),
            "{said:?}"
        );
        assert_eq!(
            said.unwrap_err().to_string(),
            "shape 100 of the first store belongs to no body: set_body gives it one"
        );
    }
    assert!(overlaps == before);
    let none = Store::<Sphere>::new();
    detector
        .bodies_meet_any(&none, &b, During::Start, &mut overlaps)
        .unwrap();
    assert!(overlaps.is_empty());
}

/// More targets than a scan takes, and a store searched for its own bodies.
#[test]
fn bodies_are_searched_by_trees_too() {
    let mut rng = rng("bodies by trees");
    let mut a = clusters::<Sphere>(&mut rng, 500, 17, 9.0);
    let b = clusters::<Sphere>(&mut rng, 200, 3, 9.0);
    set_bodies(&mut rng, &mut a, 0);
    assert!(check("many targets", &a, &b, 0.0) > 10);
    set_bodies(&mut rng, &mut a, 1);
    assert!(check("itself", &a, &a, 0.0) > 10);
}
