//! Arbitrary bytes as shapes, pairs and settings: the documented promises must hold.

mod expected;
mod scene;

use phalanx::{Detector, Error, MAX_LENGTH, Pair, Pairs, Simd, Store};

use crate::common::ask::{PairAnswer, PairQuery, ask, verbs};
use expected::Expected;
use scene::{Bytes, Scene};

/// Runs one kernel, selected by the first four bytes, on a scene read from the other bytes.
///
/// # Panics
///
/// If phalanx breaks a promise.
pub fn check(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let cell = select(&keys(), bytes.word());
    CELLS[cell].1(bytes);
}

/// Key of each cell, in the order of the index.
pub fn keys() -> Vec<u32> {
    CELLS.iter().map(|cell| cell.0).collect()
}

/// Position of a key. Any other number selects a cell too, because fuzzers rarely find a key; that cell changes with
/// the index.
pub fn select(keys: &[u32], key: u32) -> usize {
    let named = keys.iter().position(|known| *known == key);
    named.unwrap_or(key as usize % keys.len())
}

/// Replaces the first four bytes by the key of the selected cell, so that changes of the index keep their meaning.
pub fn pin(bytes: &mut [u8]) {
    if let Some(first) = bytes.first_chunk_mut() {
        let keys = keys();
        *first = keys[select(&keys, u32::from_le_bytes(*first))].to_le_bytes();
    }
}

/// FNV-1a of a kernel's name and of the number of its case.
const fn key(name: &str, case: u8) -> u32 {
    let (name, mut hash, mut k) = (name.as_bytes(), 0x811c_9dc5_u32, 0);
    while k <= name.len() {
        let byte = if k < name.len() { name[k] } else { case };
        hash = (hash ^ byte as u32).wrapping_mul(0x0100_0193);
        k += 1;
    }
    hash
}

/// A key and its checks.
type Cell = (u32, fn(Bytes<'_>));

macro_rules! cells {
    ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
        /// Two for each line of the index: a pair of different shapes in either order, or a pair of
        /// one kind in two stores and in one.
        const CELLS: &[Cell] = &[$(
            (key(stringify!($file), 0), cells!(@ 0, $verb, $($shape),+)),
            (key(stringify!($file), 1), cells!(@ 1, $verb, $($shape),+)),
        )*];
    };
    (@ 0, $verb:ident, $a:ident) => { two_stores::<phalanx::$a, phalanx::$a, verbs::$verb> };
    (@ 1, $verb:ident, $a:ident) => { one_store::<phalanx::$a, verbs::$verb> };
    (@ 0, $verb:ident, $a:ident, $b:ident) => { either_order::<phalanx::$a, phalanx::$b, verbs::$verb> };
    (@ 1, $verb:ident, $a:ident, $b:ident) => { either_order::<phalanx::$b, phalanx::$a, verbs::$verb> };
}
phalanx::kernels!(cells);

fn two_stores<A: Expected, B: Expected, V: PairQuery<A, B>>(bytes: Bytes<'_>) {
    let scene = Scene::read(bytes);
    judge::<A, B, V>(&scene.a, &scene.b, &scene);
}

fn one_store<T: Expected, V: PairQuery<T, T>>(bytes: Bytes<'_>) {
    let mut scene = Scene::read(bytes);
    scene.keep_within(scene.a.len(), scene.a.len());
    judge::<T, T, V>(&scene.a, &scene.a, &scene);
}

fn either_order<A: Expected, B: Expected, V: PairQuery<A, B> + PairQuery<B, A>>(bytes: Bytes<'_>) {
    let scene = Scene::read(bytes);
    let table = judge::<A, B, V>(&scene.a, &scene.b, &scene);
    let swapped: Vec<_> = all_pairs(scene.a.len(), scene.b.len())
        .iter()
        .map(|pair| Pair::new(pair.b, pair.a))
        .collect();
    let mut detector = detector(Simd::best(), scene.margin);
    let back = ask::<B, A, V>(&mut detector, &scene.b, &scene.a, (&swapped).into());
    assert_eq!(back.unwrap(), table, "in the other order");
}

/// Checks each call on two stores, and returns the result of each of their pairs.
fn judge<A: Expected, B: Expected, V: PairQuery<A, B>>(
    a: &Store<A>,
    b: &Store<B>,
    scene: &Scene<A, B>,
) -> Vec<PairAnswer> {
    let list = &scene.list;
    let fits = |pair: &Pair| (pair.a as usize) < a.len() && (pair.b as usize) < b.len();
    let good: Vec<Pair> = list.iter().copied().filter(fits).collect();
    let all = all_pairs(a.len(), b.len());
    let table = table::<A, B, V>(a, b, scene.margin, &all);
    let known = |pairs: &[Pair]| -> Vec<PairAnswer> {
        let place = |pair: &Pair| pair.a as usize * b.len() + pair.b as usize;
        pairs.iter().map(|pair| table[place(pair)]).collect()
    };

    for simd in Simd::available() {
        let mut detector = detector(simd, scene.margin);
        let said = ask::<A, B, V>(&mut detector, a, b, (&all).into()).unwrap();
        assert_eq!(said, table, "{simd}");
        flags::<A, B, V>(&mut detector, a, b, &all, &table);

        if let Some(position) = list.iter().position(|pair| !fits(pair)) {
            match refused::<A, B, V>(&mut detector, a, b, list.into(), &all) {
                Error::PairOutOfBounds {
                    position: at,
                    pair,
                    len_a,
                    len_b,
                    ..
                } => assert_eq!(
                    (at, pair, len_a, len_b),
                    (position, list[position], a.len(), b.len())
                ),
                other => panic!("{other:?}"),
            }
        }
        let said = ask::<A, B, V>(&mut detector, a, b, (&good).into()).unwrap();
        assert_eq!(said, known(&good), "{simd}, a list");
        // Lists this short read columns, unless rows are cached.
        for few in good.chunks(4) {
            let mut new = self::detector(simd, scene.margin);
            for detector in [&mut detector, &mut new] {
                let said = ask::<A, B, V>(detector, a, b, few.into()).unwrap();
                assert_eq!(said, known(few), "{simd}, few pairs");
            }
        }

        if a.len() == b.len() {
            let said = ask::<A, B, V>(&mut detector, a, b, Pairs::zip()).unwrap();
            let diagonal: Vec<_> = (0..a.len() as u32).map(|i| Pair::new(i, i)).collect();
            assert_eq!(said, known(&diagonal), "{simd}, zip");
        } else {
            match refused::<A, B, V>(&mut detector, a, b, Pairs::zip(), &all) {
                Error::LengthMismatch { len_a, len_b, .. } => {
                    assert_eq!((len_a, len_b), (a.len(), b.len()));
                }
                other => panic!("{other:?}"),
            }
        }

        let one = Pairs::one_to_all(scene.one);
        if (scene.one as usize) < a.len() {
            let said = ask::<A, B, V>(&mut detector, a, b, one).unwrap();
            let row: Vec<_> = (0..b.len() as u32)
                .map(|j| Pair::new(scene.one, j))
                .collect();
            assert_eq!(said, known(&row), "{simd}, one to all");
        } else {
            match refused::<A, B, V>(&mut detector, a, b, one, &all) {
                Error::IndexOutOfBounds { index, len, .. } => {
                    assert_eq!((index, len), (scene.one, a.len()));
                }
                other => panic!("{other:?}"),
            }
        }
    }

    // Separately, so that no neighbour can affect a pair.
    let mut detector = detector(Simd::best(), scene.margin);
    for pair in &good {
        let alone = std::slice::from_ref(pair);
        let said = ask::<A, B, V>(&mut detector, a, b, alone.into()).unwrap();
        assert_eq!(said, known(alone), "{pair:?} alone");
    }
    table
}

/// Results of every pair on one lane, with a check that no pair is flagged without a defect.
fn table<A: Expected, B: Expected, V: PairQuery<A, B>>(
    a: &Store<A>,
    b: &Store<B>,
    margin: f32,
    all: &[Pair],
) -> Vec<PairAnswer> {
    let one_lane = Simd::available().next().unwrap();
    let mut detector = detector(one_lane, margin);
    let said = ask::<A, B, V>(&mut detector, a, b, all.into()).unwrap();
    let (bad_a, bad_b) = (expected::bad(a, V::MOVES), expected::bad(b, V::MOVES));
    assert_eq!(said.len(), all.len());
    for (pair, said) in all.iter().zip(&said) {
        let (i, j) = (pair.a, pair.b);
        let bad = bad_a[i as usize] || bad_b[j as usize];
        let pair = (a.get(i), a.displacement(i), b.get(j), b.displacement(j));
        assert_eq!(said.invalid, bad, "{pair:?}");
        assert!(!(said.invalid && said.hit), "{pair:?}");
    }
    said
}

/// Checks all accessors of the flags, after results of a longer list.
fn flags<A: Expected, B: Expected, V: PairQuery<A, B>>(
    detector: &mut Detector,
    a: &Store<A>,
    b: &Store<B>,
    all: &[Pair],
    table: &[PairAnswer],
) {
    let mut out = V::default();
    for len in [133, 77, 64] {
        let list = &all[..all.len().min(len)];
        out.call(detector, a, b, list.into()).unwrap();
        let invalid: Vec<_> = (0..list.len()).filter(|i| table[*i].invalid).collect();
        let count = invalid.len();
        assert_eq!(out.invalid(), (invalid, count));
    }
}

/// The error of a refused call. Checks that the output is unchanged.
fn refused<A: Expected, B: Expected, V: PairQuery<A, B>>(
    detector: &mut Detector,
    a: &Store<A>,
    b: &Store<B>,
    pairs: Pairs<'_>,
    earlier: &[Pair],
) -> Error {
    let mut out = V::default();
    let earlier = &earlier[..earlier.len().min(9)];
    out.call(detector, a, b, earlier.into()).unwrap();
    let before = out.clone();
    let error = out.call(detector, a, b, pairs).unwrap_err();
    assert_eq!(out, before, "{error}");
    error
}

fn all_pairs(len_a: usize, len_b: usize) -> Vec<Pair> {
    (0..len_a as u32)
        .flat_map(|a| (0..len_b as u32).map(move |b| Pair::new(a, b)))
        .collect()
}

/// A detector with this margin, or without a margin if it is invalid.
fn detector(simd: Simd, margin: f32) -> Detector {
    let bad = [margin.is_nan(), margin < 0.0, margin > MAX_LENGTH].contains(&true);
    let detector = Detector::new().simd(simd).parallel(false);
    match detector.clone().margin(margin) {
        Ok(detector) => {
            assert!(!bad, "{margin:e}");
            assert_eq!(detector.settings().margin, margin);
            detector
        }
        Err(Error::BadMargin { margin: named, .. }) => {
            assert!(bad, "{margin:e}");
            assert_eq!(named.to_bits(), margin.to_bits());
            detector
        }
        Err(other) => panic!("{other:?}"),
    }
}
