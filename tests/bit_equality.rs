//! One answer everywhere: the same bits for every instruction set, thread count, list length, order, kind of list, and
//! source of shapes.

mod common;

use std::ops::Range;

use common::ask::{PairAnswer, PairQuery, ask, verbs};
use common::{Sample, Setting, rng};
use phalanx::{
    Aabb, Detector, Error, HalfSpace, Obb, Overlaps, Pair, Pairs, Plane, Simd, Sphere, Store,
    Sweeps, Triangle,
};
use rand::RngExt;
use rand::seq::SliceRandom;

/// Numbers that have to be flagged, or to be harmless.
const STRANGE: [f32; 10] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::MAX,
    -1.0,
    -0.0,
    1e-45,
    -1e-40,
    1e18,
    2e18,
];

/// Shapes close to each other, some of them with strange numbers.
fn shapes<T: Sample>(purpose: &str, len: usize) -> Store<T> {
    let mut rng = rng(purpose);
    let mut store = Store::new();
    let setting = Setting::ordinary();
    while store.len() < len {
        let mut shape = T::sample(&mut rng, &setting);
        let mut displacement = setting.motion(&mut rng);
        if rng.random_bool(0.1) {
            let numbers: &mut [f32] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut shape));
            let k = rng.random_range(0..numbers.len());
            numbers[k] = STRANGE[rng.random_range(0..STRANGE.len())];
        } else if rng.random_bool(0.05) {
            // Coincident points and corners: otherwise no point is on a triangle.
            let numbers: &mut [f32] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut shape));
            numbers[..3].fill(0.0);
        } else if rng.random_bool(0.05) {
            displacement[rng.random_range(0..3)] = STRANGE[rng.random_range(0..STRANGE.len())];
        }
        store.push_moving(shape, displacement);
    }
    store
}

fn pairs(purpose: &str, len: usize, a: usize, b: usize) -> Vec<Pair> {
    let mut rng = rng(purpose);
    let mut index = |len: usize| rng.random_range(0..len as u32);
    (0..len)
        .map(|_| Pair {
            a: index(a),
            b: index(b),
        })
        .collect()
}

fn one_lane() -> Detector {
    Detector::new()
        .parallel(false)
        .simd(Simd::available().next().unwrap())
}

const LENGTHS: Range<usize> = 0..41;

/// Less than a word of shapes, a whole number of words, and more.
const SCANS: [usize; 14] = [0, 1, 2, 7, 31, 63, 64, 65, 79, 127, 128, 129, 200, 260];

fn same_bits<A: Sample, B: Sample, V: PairQuery<A, B>>(name: &str) {
    let a = shapes::<A>(&format!("{name} a"), 300);
    let b = shapes::<B>(&format!("{name} b"), 333);
    let list = pairs(name, 30_000, a.len(), b.len());
    let expected = ask::<_, _, V>(&mut one_lane(), &a, &b, list.as_slice().into()).unwrap();
    assert!(expected.iter().any(|said| said.hit), "no hits");
    assert!(expected.iter().any(|said| said.invalid), "no invalid pairs");
    assert!(
        expected.iter().all(|said| !(said.hit && said.invalid)),
        "an invalid hit"
    );

    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd).parallel(false);
        let said = ask::<_, _, V>(&mut detector, &a, &b, list.as_slice().into()).unwrap();
        assert_eq!(said, expected, "{simd}");

        // Short lists read columns unless rows are cached, and every length has a tail.
        for len in LENGTHS {
            let start = len * 7;
            let part = &list[start..start + len];
            let mut new = Detector::new().simd(simd).parallel(false);
            for detector in [&mut detector, &mut new] {
                let said = ask::<_, _, V>(detector, &a, &b, part.into()).unwrap();
                assert_eq!(said, expected[start..start + len], "{simd}, {len} pairs");
            }
        }
        zip_and_one_to_all::<A, B, V>(&mut detector, &a, &b);
        // Stores of valid shapes only.
        zip_and_one_to_all::<A, B, V>(&mut detector, &good(&a), &good(&b));
    }
    one_to_a_line::<A, B, V>(name);
    shuffled::<A, B, V>(&a, &b, &list, &expected);
    in_chunks::<A, B, V>(&a, &b, &list, &expected);
    threads::<A, B, V>(&a, &b, &list, &expected);
}

fn zip_and_one_to_all<A: Sample, B: Sample, V: PairQuery<A, B>>(
    detector: &mut Detector,
    a: &Store<A>,
    b: &Store<B>,
) {
    let mut one_lane = one_lane();
    let all = |i: u32, len: usize| {
        (0..len as u32)
            .map(|b| Pair { a: i, b })
            .collect::<Vec<_>>()
    };
    for len in SCANS.into_iter().filter(|&len| len <= a.len().min(b.len())) {
        let (mut a, mut b) = (a.clone(), b.clone());
        a.truncate(len);
        b.truncate(len);
        let diagonal: Vec<_> = (0..len as u32).map(|i| Pair { a: i, b: i }).collect();
        let expected = ask::<_, _, V>(&mut one_lane, &a, &b, diagonal.as_slice().into()).unwrap();
        for _ in 0..2 {
            let said = ask::<_, _, V>(detector, &a, &b, Pairs::zip()).unwrap();
            assert_eq!(said, expected, "zip of {len}");
        }
        b = b.clone();
        for i in [0, len / 2, len.saturating_sub(1)] {
            let said = ask::<_, _, V>(detector, &a, &b, Pairs::one_to_all(i as u32));
            if len == 0 {
                assert!(matches!(
                    said,
                    Err(Error::IndexOutOfBounds {
                        index: 0,
                        len: 0,
                        ..
                    })
                ));
                continue;
            }
            let list = all(i as u32, len);
            let expected = ask::<_, _, V>(&mut one_lane, &a, &b, list.as_slice().into()).unwrap();
            assert_eq!(said.unwrap(), expected, "one to {len}");
        }
    }
}

/// A long line of valid shapes, most of them far from the single shape: `one_to_all` equals the list, also by threads.
fn one_to_a_line<A: Sample, B: Sample, V: PairQuery<A, B>>(name: &str) {
    let a = line::<A>(&format!("{name}, line of a"), 700);
    for len in [256, 257, 700, 5000] {
        let b = line::<B>(&format!("{name}, line of b"), len);
        for i in [0, a.len() / 2, a.len() - 1] {
            let one = i as u32;
            let list: Vec<_> = (0..len as u32).map(|b| Pair { a: one, b }).collect();
            let pairs = list.as_slice().into();
            let expected = ask::<_, _, V>(&mut one_lane(), &a, &b, pairs).unwrap();
            for simd in Simd::available() {
                let b = b.clone();
                let mut detector = Detector::new().simd(simd).parallel(len > 1000);
                for _ in 0..3 {
                    let said = ask::<_, _, V>(&mut detector, &a, &b, Pairs::one_to_all(one));
                    assert_eq!(said.unwrap(), expected, "{simd}, {i} to a line of {len}");
                }
            }
        }
    }
}

/// Valid shapes in a row along x, spaced by a tenth of their size.
fn line<T: Sample>(purpose: &str, len: usize) -> Store<T> {
    let mut rng = rng(purpose);
    let setting = Setting::ordinary();
    let mut line = Store::new();
    while line.len() < len {
        let shape = T::sample(&mut rng, &setting).moved([0.1 * line.len() as f32, 0.0, 0.0]);
        let displacement = setting.motion(&mut rng).map(|x| x.clamp(-4.0, 4.0));
        line.push_moving(shape, displacement);
    }
    line
}

/// The valid shapes of a store.
fn good<T: Sample>(store: &Store<T>) -> Store<T> {
    let mut good = Store::new();
    for i in 0..store.len() as u32 {
        let mut one = Store::new();
        one.push_moving(store.get(i).unwrap(), store.displacement(i).unwrap());
        if one.validate().is_ok() {
            good.push_moving(store.get(i).unwrap(), store.displacement(i).unwrap());
        }
    }
    good
}

fn shuffled<A: Sample, B: Sample, V: PairQuery<A, B>>(
    a: &Store<A>,
    b: &Store<B>,
    list: &[Pair],
    expected: &[PairAnswer],
) {
    let mut rng = rng("shuffled");
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.shuffle(&mut rng);
    let shuffled: Vec<Pair> = order.iter().map(|&i| list[i]).collect();
    let said = ask::<_, _, V>(&mut Detector::new(), a, b, shuffled.as_slice().into()).unwrap();
    for (position, &i) in order.iter().enumerate() {
        assert_eq!(said[position], expected[i], "pair {i} at {position}");
    }
}

/// Lists cut at any place, which moves pairs to other lanes and other words.
fn in_chunks<A: Sample, B: Sample, V: PairQuery<A, B>>(
    a: &Store<A>,
    b: &Store<B>,
    list: &[Pair],
    expected: &[PairAnswer],
) {
    let mut detector = Detector::new();
    for size in [1, 2, 5, 15, 17, 63, 65, 127, 1001, 8193] {
        let (mut said, mut said_anew) = (Vec::new(), Vec::new());
        for chunk in list[..list.len().min(1000 * size)].chunks(size) {
            said.extend(ask::<_, _, V>(&mut detector, a, b, chunk.into()).unwrap());
            said_anew.extend(ask::<_, _, V>(&mut Detector::new(), a, b, chunk.into()).unwrap());
        }
        assert_eq!(said, expected[..said.len()], "chunks of {size}");
        assert_eq!(said, said_anew, "chunks of {size}");
    }
}

#[cfg(feature = "rayon")]
fn threads<A: Sample, B: Sample, V: PairQuery<A, B>>(
    a: &Store<A>,
    b: &Store<B>,
    list: &[Pair],
    expected: &[PairAnswer],
) {
    // Long enough to be split.
    let (list, expected) = (&list.repeat(7), &expected.repeat(7));
    for threads in [2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let ask = || ask::<_, _, V>(&mut Detector::new(), a, b, list.into()).unwrap();
        assert!(pool.install(ask) == *expected, "{threads} threads");
    }
}

#[cfg(not(feature = "rayon"))]
fn threads<A: Sample, B: Sample, V: PairQuery<A, B>>(
    _: &Store<A>,
    _: &Store<B>,
    _: &[Pair],
    _: &[PairAnswer],
) {
}

/// A pair of different shapes has the same results in either order.
fn either_order<A: Sample, B: Sample, V: PairQuery<A, B> + PairQuery<B, A>>(name: &str) {
    let a = shapes::<A>(&format!("{name} a"), 300);
    let b = shapes::<B>(&format!("{name} b"), 333);
    let list = pairs(name, 10_000, a.len(), b.len());
    let swapped: Vec<_> = list
        .iter()
        .map(|pair| Pair {
            a: pair.b,
            b: pair.a,
        })
        .collect();
    let mut detector = Detector::new();
    let said = ask::<_, _, V>(&mut detector, &a, &b, list.as_slice().into()).unwrap();
    let back = ask::<_, _, V>(&mut detector, &b, &a, swapped.as_slice().into()).unwrap();
    assert_eq!(said, back);
}

macro_rules! tests {
    ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
        $(
            #[test]
            fn $file() {
                tests!(@ $verb, stringify!($file), $($shape),+);
            }
        )*
    };
    (@ $verb:ident, $name:expr, $a:ident) => {
        same_bits::<phalanx::$a, phalanx::$a, verbs::$verb>($name);
    };
    (@ $verb:ident, $name:expr, $a:ident, $b:ident) => {
        same_bits::<phalanx::$a, phalanx::$b, verbs::$verb>($name);
        same_bits::<phalanx::$b, phalanx::$a, verbs::$verb>(&format!("{} reversed", $name));
        either_order::<phalanx::$a, phalanx::$b, verbs::$verb>($name);
    };
}
phalanx::kernels!(tests);

#[test]
fn swapping_the_shapes_changes_nothing() {
    fn swap<T: Sample, V: PairQuery<T, T>>(name: &str) {
        let store = shapes::<T>(name, 200);
        let list = pairs(name, 5000, store.len(), store.len());
        let swapped: Vec<_> = list
            .iter()
            .map(|pair| Pair {
                a: pair.b,
                b: pair.a,
            })
            .collect();
        let mut detector = Detector::new();
        let said = ask::<_, _, V>(&mut detector, &store, &store, list.as_slice().into()).unwrap();
        let back =
            ask::<_, _, V>(&mut detector, &store, &store, swapped.as_slice().into()).unwrap();
        assert_eq!(said, back);
    }
    swap::<Sphere, Overlaps>("spheres");
    swap::<Sphere, Sweeps>("moving spheres");
    swap::<Aabb, Overlaps>("boxes");
    swap::<Aabb, Sweeps>("moving boxes");
    swap::<Triangle, Overlaps>("triangles");
}

#[test]
fn the_same_store_or_a_copy_of_it() {
    let store = shapes::<Obb>("same", 200);
    let copy = store.clone();
    let list = pairs("same", 3000, store.len(), store.len());
    let mut detector = Detector::new();
    let ask = ask::<_, _, Overlaps>;
    let same = ask(&mut detector, &store, &store, list.as_slice().into()).unwrap();
    let other = ask(&mut detector, &store, &copy, list.as_slice().into()).unwrap();
    assert_eq!(same, other);
}

#[test]
fn far_rows_are_prefetched() {
    // More rows than fit in the cache, so that they are prefetched; and a short list.
    let a = shapes::<Obb>("many a", 20_000);
    let list = pairs("many", 20_000, a.len(), a.len());
    let expected = ask::<_, _, Overlaps>(&mut one_lane(), &a, &a, list.as_slice().into()).unwrap();
    for len in [10_001, 10_017, 19_999] {
        for simd in Simd::available() {
            let mut detector = Detector::new().simd(simd).parallel(false);
            let said = ask::<_, _, Overlaps>(&mut detector, &a, &a, list[..len].into()).unwrap();
            assert_eq!(said, expected[..len], "{simd}");
        }
    }
}

/// Enough rows and times to bypass the caches and to be prefetched.
#[test]
fn lists_that_outgrow_the_caches() {
    let spheres = repeated::<Sphere>(&shapes("large a", 5000), 1 << 20);
    let aabbs = repeated::<Aabb>(&shapes("large b", 5000), 1 << 20);
    let mut list = pairs("large", (1 << 21) + 13, 5000, 5000);
    for (k, pair) in list.iter_mut().enumerate() {
        // Equal places of different repetitions.
        pair.a += 5000 * (k as u32 * 7 % 200);
        pair.b += 5000 * (k as u32 * 3 % 200);
    }
    same_sweeps(&spheres, &list);
    same_sweeps(&aabbs, &list);

    let (position, pair) = (list.len() - 2, Pair { a: 1 << 20, b: 0 });
    list[position] = pair;
    let error = Detector::new().sweep(&aabbs, &aabbs, &list, &mut Sweeps::new());
    assert!(
        matches!(error, Err(Error::PairOutOfBounds { position: p, pair: q, .. }) if p == position && q == pair)
    );
}

fn repeated<T: Sample>(some: &Store<T>, len: usize) -> Store<T> {
    let mut store = Store::with_capacity(len);
    for i in (0..some.len() as u32).cycle().take(len) {
        store.push_moving(some.get(i).unwrap(), some.displacement(i).unwrap());
    }
    store
}

fn same_sweeps<T: Sample>(store: &Store<T>, list: &[Pair])
where
    Sweeps: PairQuery<T, T>,
{
    let ask =
        |detector: &mut Detector| ask::<_, _, Sweeps>(detector, store, store, list.into()).unwrap();
    let expected = ask(&mut one_lane());
    assert!(expected.iter().any(|said| said.hit), "no hits");
    assert!(expected.iter().any(|said| said.invalid), "no invalid pairs");
    for simd in Simd::available() {
        for parallel in [false, true] {
            let said = ask(&mut Detector::new().simd(simd).parallel(parallel));
            assert!(said == expected, "{simd}");
        }
    }
}

/// Long lists are culled by bounding spheres first; a zip is not. Here corners meet, where bounding spheres reject most
/// pairs.
#[test]
fn culling_changes_no_answer() {
    for dense in [false, true] {
        for margin in [0.0, 1e-20, 0.3] {
            let Corners {
                obbs,
                aabbs,
                facing,
            } = Corners::new(5000, margin, dense);
            let list: Vec<_> = (0..5000).map(|i| Pair { a: i, b: i }).collect();
            for simd in Simd::available() {
                let detector = Detector::new().simd(simd).margin(margin).unwrap();
                same_as_zip(&detector, &obbs, &facing, &list);
                same_as_zip(&detector, &aabbs, &facing, &list);
                same_as_zip(&detector, &facing, &aabbs, &list);
            }
        }
    }
}

fn same_as_zip<A: Sample, B: Sample>(detector: &Detector, a: &Store<A>, b: &Store<B>, list: &[Pair])
where
    Overlaps: PairQuery<A, B>,
{
    let mut detector = detector.clone();
    let mut ask = |pairs: Pairs| ask::<_, _, Overlaps>(&mut detector, a, b, pairs).unwrap();
    let zip = ask(Pairs::zip());
    assert!(zip.iter().any(|said| said.hit), "no hits");
    assert!(zip.iter().any(|said| said.invalid), "no invalid pairs");
    assert!(ask(list.into()) == zip);
    // The last word of a block, and the last block, are full or partial.
    for len in [256, 257, 511, 512, 513, 1023, 1025, 4999] {
        assert!(ask(list[..len].into()) == zip[..len], "{len} pairs");
    }
}

/// Cubes whose corners meet others, or nearly.
struct Corners {
    /// A corner of each points along x.
    obbs: Store<Obb>,
    /// Their faces are as far from the center as these corners.
    aabbs: Store<Aabb>,
    /// A corner of each points along −x.
    facing: Store<Obb>,
}

impl Corners {
    fn new(len: usize, margin: f32, touching: bool) -> Self {
        // Rotates the diagonal of a cube to x.
        let half_turn = (1.0f64 / 3.0f64.sqrt()).acos() / 2.0;
        let (sin, cos) = half_turn.sin_cos();
        let along = [0.0, -sin / 2.0f64.sqrt(), sin / 2.0f64.sqrt(), cos].map(|x| x as f32);
        let mut rng = rng("corners");
        let mut corners = Corners {
            obbs: Store::new(),
            aabbs: Store::new(),
            facing: Store::new(),
        };
        let diagonal = 3.0f64.sqrt();
        for i in 0..len {
            // Some are so small that squares are subnormal.
            let exponents = if i % 3 == 0 { -22.0..-19.0 } else { -3.0..3.0 };
            let mut size = || 10.0f32.powf(rng.random_range(exponents.clone()));
            let (mut h_a, h_b) = (size(), size());
            let gaps = [
                0.0, 1e-7, -1e-7, 1e-6, -1e-6, 1e-5, -1e-5, 1e-4, 3e-4, -1e-3, 1e-2,
            ];
            let gap = if touching {
                -1e-3
            } else {
                gaps[i % gaps.len()]
            };
            let reach = f64::from(h_a) + f64::from(h_b) + f64::from(margin);
            let x = diagonal * reach * (1.0 + gap);
            let face = x - diagonal * f64::from(h_b) - f64::from(margin) * diagonal;
            if i % 100 == 7 {
                h_a = f32::NAN;
            }
            corners.obbs.push(Obb {
                center: [0.0; 3],
                half_extents: [h_a; 3],
                rotation: along,
            });
            corners.facing.push(Obb {
                center: [x as f32, 0.0, 0.0],
                half_extents: [h_b; 3],
                rotation: along,
            });
            let max = (face * (1.0 - gap)) as f32;
            corners.aabbs.push(Aabb {
                min: [max - h_a, -h_a, -h_a],
                max: [max, h_a, h_a],
            });
        }
        corners
    }
}

/// Lists that are shared among threads, compared with parts of them that are checked first.
#[test]
fn long_lists() {
    long_list::<Obb, Obb, Overlaps>("boxes");
    long_list::<Aabb, Aabb, Sweeps>("moving boxes");
    long_list::<Sphere, Plane, Sweeps>("balls and planes");
    long_list::<HalfSpace, Aabb, Overlaps>("half-spaces and boxes");
}

fn long_list<A: Sample, B: Sample, V: PairQuery<A, B> + Clone + PartialEq>(name: &str) {
    let a = shapes::<A>(&format!("{name} a"), 700);
    let b = shapes::<B>(&format!("{name} b"), 300);
    let mut list = pairs(name, 150_001, a.len(), b.len());
    let ask_part = |list: &[Pair]| ask::<_, _, V>(&mut Detector::new(), &a, &b, list.into());
    let expected: Vec<_> = list
        .chunks(50_000)
        .flat_map(|part| ask_part(part).unwrap())
        .collect();
    for simd in Simd::available() {
        for parallel in [false, true] {
            let mut detector = Detector::new().simd(simd).parallel(parallel);
            // Memory is exchanged with that of the results: the second call reuses the memory of the first.
            for _ in 0..2 {
                let said = ask::<_, _, V>(&mut detector, &a, &b, list.as_slice().into());
                assert!(said.unwrap() == expected, "{name}, {simd}");
            }

            let mut out = V::default();
            out.call(&mut detector, &a, &b, list[..1000].into())
                .unwrap();
            let before = out.clone();
            for position in [0, 8191, 8192, 75_000, 150_000] {
                let good = std::mem::replace(&mut list[position], Pair { a: 3, b: 300 });
                let refused = out.call(&mut detector, &a, &b, list.as_slice().into());
                assert!(
                    matches!(refused, Err(Error::PairOutOfBounds { position: p, pair, len_a: 700, len_b: 300, .. })
                        if p == position && pair == list[position]),
                    "{refused:?}"
                );
                assert!(out == before, "{name}, {simd}");
                list[position] = good;
            }
        }
    }
}
