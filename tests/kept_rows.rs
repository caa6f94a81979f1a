//! An unchanged store caches rows of its shapes. Results equal those of a copy without a cache.

mod common;

use common::ask::{PairQuery, ask};
use common::{Sample, Setting, cases, rng};
use phalanx::{Aabb, Detector, Obb, Overlaps, Pair, Pairs, Plane, Simd, Sphere, Store, Sweeps};
use rand::RngExt;
use rand::rngs::StdRng;

/// A shape among the others, or far from them.
fn shape<T: Sample>(rng: &mut StdRng) -> T {
    let away = if rng.random_bool(0.5) { 0.0 } else { 9.0 };
    T::sample(rng, &Setting::ordinary()).moved([away, 0.0, 0.0])
}

fn filled<T: Sample>(rng: &mut StdRng, len: usize) -> Store<T> {
    let mut store = Store::new();
    for _ in 0..len {
        store.push_moving(shape(rng), Setting::ordinary().motion(rng));
    }
    store
}

/// Makes a random change to a store.
fn change<T: Sample>(rng: &mut StdRng, store: &mut Store<T>) {
    let index = rng.random_range(0..store.len() as u32);
    let place = index as usize;
    match rng.random_range(0..14) {
        0 => store.set(index, shape(rng)).unwrap(),
        1 => store.set_displacement(index, [9.0, 0.0, 0.0]).unwrap(),
        2 => T::fields(store.columns_mut()).0.as_mut()[0][place] += 9.0,
        3 => T::fields(store.columns_mut()).1[0][place] -= 9.0,
        4 => _ = store.push(shape(rng)),
        5 => _ = store.push_moving(shape(rng), [-9.0, 0.0, 0.0]),
        6 => store.extend([shape::<T>(rng), shape(rng)]),
        7 => store.extend_from_slice(&[shape(rng), shape(rng)]),
        8 => _ = store.swap_remove(index).unwrap(),
        9 => store.truncate(store.len() - 1),
        10 => {
            store.truncate(store.len() - 1);
            store.push(shape(rng));
        }
        11 => {
            let mut copy = store.clone();
            copy.set(index, shape(rng)).unwrap();
            *store = copy;
        }
        12 => {
            let mut other = filled(rng, store.len());
            std::mem::swap(store, &mut other);
        }
        // At the same address.
        _ => {
            let len = store.len();
            store.clear();
            store.extend((0..len).map(|_| shape::<T>(rng)));
        }
    }
    while store.len() < 100 {
        store.push(shape(rng));
    }
}

/// A detector, and its number of hits so far.
struct Asked {
    detector: Detector,
    hits: usize,
}

impl Asked {
    fn ask<A: Sample, B: Sample, V: PairQuery<A, B>>(
        &mut self,
        rng: &mut StdRng,
        a: &Store<A>,
        b: &Store<B>,
    ) {
        let len = [1, 3, 20, 60, 200, 600][rng.random_range(0..6)];
        // All of the stores, or a part.
        let first = [0, 0, 50][rng.random_range(0..3)];
        let mut index = |len: usize| rng.random_range(first..len as u32);
        let list: Vec<Pair> = (0..len)
            .map(|_| Pair::new(index(a.len()), index(b.len())))
            .collect();
        let list = Pairs::from(&list);
        let mut new = Detector::new().parallel(false);
        // Copies start without a cache.
        let expected = ask::<A, B, V>(&mut new, &a.clone(), &b.clone(), list).unwrap();
        let said = ask::<A, B, V>(&mut self.detector, a, b, list).unwrap();
        assert_eq!(said, expected);
        self.hits += said.iter().filter(|said| said.hit).count();
    }
}

#[test]
fn no_change_is_overlooked() {
    let mut rng = rng("kept rows");
    let rng = &mut rng;
    let mut balls = filled::<Sphere>(rng, 300);
    let (mut aabbs, mut others) = (filled::<Aabb>(rng, 350), filled::<Aabb>(rng, 400));
    let (mut boxes, mut crates) = (filled::<Obb>(rng, 200), filled::<Obb>(rng, 250));
    let asked = Simd::available().map(|simd| Asked {
        detector: Detector::new().parallel(false).simd(simd),
        hits: 0,
    });
    let mut asked: Vec<Asked> = asked.collect();
    for round in 0..(cases() / 10).max(1000) {
        // Some queries, then a change to a queried store or another.
        match rng.random_range(0..16) {
            0 => change(rng, &mut balls),
            1 => change(rng, &mut aabbs),
            2 => change(rng, &mut others),
            3 => change(rng, &mut boxes),
            4 => change(rng, &mut crates),
            _ => (),
        }
        let number = round % asked.len();
        let asked = &mut asked[number];
        // Mostly the same stores, so that their rows are cached.
        match [0, 0, 0, 1, 1, 1, 2, 3, 4, 5, 6, 7][rng.random_range(0..12)] {
            0 => asked.ask::<_, _, Overlaps>(rng, &balls, &aabbs),
            1 => asked.ask::<_, _, Sweeps>(rng, &aabbs, &others),
            2 => asked.ask::<_, _, Overlaps>(rng, &aabbs, &balls),
            3 => asked.ask::<_, _, Sweeps>(rng, &balls, &balls),
            4 => asked.ask::<_, _, Overlaps>(rng, &others, &others),
            5 => asked.ask::<_, _, Overlaps>(rng, &boxes, &crates),
            6 => asked.ask::<_, _, Overlaps>(rng, &crates, &crates),
            _ => asked.ask::<_, _, Overlaps>(rng, &boxes, &others),
        }
    }
    for asked in asked {
        assert!(asked.hits > 1000, "too few hits to mean anything");
    }
}

#[test]
fn copies_change_by_themselves() {
    let rng = &mut rng("copies");
    let store = filled::<Sphere>(rng, 100);
    let list: Vec<Pair> = (0..99).map(|i| Pair::new(i, i + 1)).collect();
    let mut detector = Detector::new();
    let mut hits = |store: &Store<Sphere>| {
        let said = ask::<_, _, Overlaps>(&mut detector, store, store, Pairs::from(&list)).unwrap();
        said.iter().filter(|said| said.hit).count()
    };
    let before = hits(&store);
    // Equally many changes to each.
    let copies = (0..9).map(|copy| {
        let mut changed = store.clone();
        for i in 0..100 {
            let place = if i < 10 * copy { 0.0 } else { 1.0 + i as f32 };
            changed.set(i, Sphere::default().moved([place; 3])).unwrap();
        }
        changed
    });
    let copies: Vec<_> = copies.collect();
    for (copy, expected) in copies.iter().zip([0, 9, 19, 29, 39, 49, 59, 69, 79]) {
        assert_eq!(hits(copy), expected);
    }
    assert_eq!(hits(&store), before);
}

/// Setting a shape rewrites its rows, in each form.
#[test]
fn shapes_change_one_by_one() {
    let mut rng = rng("one by one");
    let rng = &mut rng;
    let mut boxes = filled::<Obb>(rng, 400);
    boxes.set_turn(0, [0.1, 0.2, 0.3]).unwrap();
    let mut asked = Asked {
        detector: Detector::new().parallel(false),
        hits: 0,
    };
    let others = filled::<Aabb>(rng, 300);
    for round in 0..600 {
        let index = rng.random_range(0..400);
        match rng.random_range(0..3) {
            0 => boxes.set(index, shape(rng)).unwrap(),
            1 => {
                let displacement = Setting::ordinary().motion(rng);
                boxes.set_displacement(index, displacement).unwrap();
            }
            _ => boxes.set_turn(index, [0.1, 0.0, -0.2]).unwrap(),
        }
        asked.ask::<_, _, Overlaps>(rng, &boxes, &others);
        #[cfg(feature = "sweep")]
        asked.ask::<_, _, Sweeps>(rng, &others, &boxes);
        #[cfg(feature = "impact")]
        if round % 5 == 0 {
            let list: Vec<Pair> = (0..399).map(|i| Pair::new(i, i + 1)).collect();
            let [mut said, mut expected] = [phalanx::Impacts::new(), phalanx::Impacts::new()];
            let impact = |store: &Store<Obb>, detector: &mut Detector, out| {
                detector.impact(store, store, &list, 1e-3, out).unwrap();
            };
            impact(&boxes, &mut asked.detector, &mut said);
            impact(&boxes.clone(), &mut Detector::new(), &mut expected);
            assert!(said == expected, "round {round}");
        }
        let _ = round;
    }
    assert!(asked.hits > 1000);
}

/// Queries some of the stores for a while, then others.
#[test]
fn many_stores_take_turns() {
    let rng = &mut rng("many stores");
    let stores: Vec<Store<Sphere>> = (0..14).map(|_| filled(rng, 150)).collect();
    let mut detector = Detector::new().parallel(false);
    let (mut said, mut expected) = (Overlaps::new(), Overlaps::new());
    for _ in 0..(cases() / 300).max(6) {
        let some: [usize; 6] = std::array::from_fn(|_| rng.random_range(0..stores.len()));
        for call in 0..1100 {
            let mut store = || &stores[some[rng.random_range(0..some.len())]];
            let (a, b) = (store(), store());
            let index = |k: u32| (k * 37 + call) % 150;
            let list: [Pair; 120] = std::array::from_fn(|k| {
                let k = k as u32;
                Pair::new(index(k), index(k * k))
            });
            // Occasionally a short list.
            let list = &list[..if call % 5 == 0 { 7 } else { 120 }];
            detector.overlap(a, b, list, &mut said).unwrap();
            let (a, b) = (a.clone(), b.clone());
            detector.overlap(&a, &b, list, &mut expected).unwrap();
            assert_eq!(said, expected);
        }
    }
    assert!(said.count() > 0);
}

/// Rows packed while the CPU flushes subnormal numbers to zero would flag valid planes of other calls.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
#[test]
fn a_call_that_flushes_subnormals_keeps_nothing() {
    use std::arch::asm;

    const USUAL: u32 = 0x1f80;
    const DENORMALS_ARE_ZERO: u32 = 0x1fc0;

    #[allow(unsafe_code)]
    fn control(word: u32) {
        // SAFETY: the word is valid, and the test restores the usual word before it does anything else.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &word) };
    }

    let ball = |i| Sphere::default().moved([i as f32, 0.0, 0.0]);
    let plane = |i| Plane {
        normal: [1e-40, 0.0, 0.0],
        d: -1e-40 * i as f32,
    };
    let balls: Store<Sphere> = (0..200).map(ball).collect();
    let planes: Store<Plane> = (0..200).map(plane).collect();
    let list: Vec<Pair> = (0..1000).map(|i| Pair::new(i % 200, i / 5)).collect();
    let mut detector = Detector::new().parallel(false);
    let (mut said, mut expected) = (Overlaps::new(), Overlaps::new());
    for _ in 0..3 {
        control(DENORMALS_ARE_ZERO);
        let result = detector.overlap(&balls, &planes, &list, &mut said);
        control(USUAL);
        result.unwrap();
        assert_eq!(said.invalid_count(), list.len());
    }
    let (other_balls, other_planes) = (balls.clone(), planes.clone());
    detector
        .overlap(&other_balls, &other_planes, &list, &mut expected)
        .unwrap();
    for _ in 0..3 {
        detector.overlap(&balls, &planes, &list, &mut said).unwrap();
        assert_eq!(said, expected);
    }
    assert!(said.count() > 0 && said.invalid_count() == 0);
}
