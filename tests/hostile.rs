//! Invalid input of any kind affects only its own pairs, and is reported.

mod common;
// This file has the name of its folder.
#[path = "hostile/mod.rs"]
mod hostile;

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use common::rng;
use phalanx::traits::{Distance, Overlap, Shape};
use phalanx::{
    Aabb, Capsule, ClosestPoints, Detector, Distances, Error, HalfSpace, Impacts, MAX_LENGTH, Obb,
    Obbs, Pair, Plane, Point, Simd, Sphere, Store, Triangle,
};
use rand::rngs::StdRng;
use rand::{Rng, RngExt};

/// Maximum number of inputs, each with thousands of pairs.
const INPUTS: usize = 40_000;

/// A word that is often near a limit.
fn word(rng: &mut StdRng) -> u32 {
    let beside = |x: f32, steps: i32| x.to_bits().wrapping_add_signed(steps);
    let magnitude = match rng.random_range(0..12) {
        0 => 0,
        1 => rng.random_range(1..0x0080_0000),
        2 => f32::MIN_POSITIVE.to_bits(),
        3 => 1e-38f32.to_bits(),
        4 => 1f32.to_bits(),
        5 => beside(1.0, rng.random_range(-2..=2)),
        6 => beside(MAX_LENGTH, rng.random_range(-2..=2)),
        7 => f32::MAX.to_bits(),
        8 => f32::INFINITY.to_bits(),
        9 => f32::NAN.to_bits(),
        _ => return rng.random(),
    };
    magnitude | rng.random_range(0..2) << 31
}

#[test]
fn random_bytes() {
    let mut rng = rng("hostile");
    let mut bytes = Vec::new();
    for _ in 0..INPUTS.min(common::cases()) {
        bytes.clear();
        let len = rng.random_range(0..2000);
        // The header, and the data read from the back, are bytes, not words.
        let tail = rng.random_range(0..200);
        bytes.extend([(); 15].map(|()| rng.random::<u8>()));
        if rng.random_bool(0.5) {
            bytes[7..11].copy_from_slice(&word(&mut rng).to_le_bytes());
        }
        while bytes.len() + tail < len {
            bytes.extend(word(&mut rng).to_le_bytes());
        }
        bytes.resize(len, 0);
        let tail = len.saturating_sub(tail);
        rng.fill_bytes(&mut bytes[tail..]);
        hostile::check(&bytes);
    }
}

/// Inputs kept by the fuzzer: each file and its bytes.
fn corpus() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/cells");
    let entries = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("the corpus is missing: {}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    let files: Vec<_> = paths
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect();
    assert!(
        !files.is_empty(),
        "the corpus is empty: {}",
        folder.display()
    );
    files
}

#[test]
fn corpus_files_break_no_promise() {
    for (path, bytes) in corpus() {
        // Printed only if the test fails: the last file then caused it.
        println!("{}", path.display());
        hostile::check(&bytes);
    }
}

#[test]
fn corpus_files_keep_their_kernel_when_the_index_changes() {
    let keys = hostile::keys();
    let distinct: HashSet<_> = keys.iter().collect();
    assert_eq!(distinct.len(), keys.len(), "two kernels have one key");
    let with_a_line: Vec<u32> = [1, 2].into_iter().chain(keys.iter().copied()).collect();
    let without_a_line = &keys[2..];
    for (path, bytes) in corpus() {
        let key = bytes.first_chunk().copied().map(u32::from_le_bytes);
        let key = key.filter(|key| keys.contains(key));
        let key = key.unwrap_or_else(|| panic!("names no kernel: {}", path.display()));
        assert_eq!(with_a_line[hostile::select(&with_a_line, key)], key);
        if without_a_line.contains(&key) {
            assert_eq!(without_a_line[hostile::select(without_a_line, key)], key);
        }
    }
    // Inputs that select no kernel, as in the fuzz target.
    for number in 0..1000 {
        let mut bytes = u32::to_le_bytes(number);
        hostile::pin(&mut bytes);
        let pinned = u32::from_le_bytes(bytes);
        let [before, after] = [number, pinned].map(|key| hostile::select(&keys, key));
        assert!(keys.contains(&pinned) && before == after, "{number}");
    }
}

/// Numbers of a shape, invalid values for them, and the resulting message.
type Row = (Range<usize>, &'static [f32], &'static str);

const NOT_FINITE: &[f32] = &[f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
const TOO_LARGE: &[f32] = &[1.152_921_6e18, -1.152_921_6e18, f32::MAX, f32::MIN];
const NEGATIVE: &[f32] = &[-1e-45, -1.0, -MAX_LENGTH];

#[test]
fn the_first_length_above_the_largest() {
    assert_eq!(TOO_LARGE[0], MAX_LENGTH.next_up());
}

/// A valid shape, and its possible defects.
trait Defects: Shape {
    const GOOD: Self;
    const ROWS: &'static [Row];
}

/// Puts each invalid value in each of its places, before a worse shape and after valid shapes.
fn named<T: Defects>() {
    let (good, rows) = (T::GOOD, T::ROWS);
    const DISPLACEMENT: &[Row] = &[
        (0..3, NOT_FINITE, "displacement is not finite"),
        (0..3, TOO_LARGE, "displacement is above 1.1529215e18"),
    ];
    let numbers = size_of::<T>() / size_of::<f32>();
    let expect = |store: &Store<T>, index: u32, text: &str, value: f32| {
        let error = store.validate().unwrap_err();
        let Error::BadShape {
            index: at, defect, ..
        } = error
        else {
            panic!("{error:?}");
        };
        let said = defect.to_string();
        let (field, what) = text.split_once(" is ").unwrap_or((text, ""));
        assert_eq!(at, index, "{said}: {store:?}");
        assert!(said.starts_with(field) && said.contains(what), "{said}");
        if ["not finite", "negative"].contains(&what) {
            assert!(said.contains(&format!(" is {value}, ")), "{said}");
        }
        assert_eq!(
            error.to_string(),
            format!("shape {index} is invalid: {said}")
        );
    };
    let mut covered = vec![false; numbers];
    for index in [0, 1, 6] {
        let mut store = Store::from_slice(&[good; 8]);
        store.validate().unwrap();
        store.set(7, bytemuck::Zeroable::zeroed()).unwrap();
        store.set_displacement(7, [f32::NAN; 3]).unwrap();

        for (places, values, text) in rows {
            for place in places.clone() {
                covered[place] = true;
                for &value in *values {
                    let mut bad = good;
                    bytemuck::cast_slice_mut(std::slice::from_mut(&mut bad))[place] = value;
                    store.set(index, bad).unwrap();
                    expect(&store, index, text, value);
                }
            }
        }
        store.set(index, good).unwrap();
        for (places, values, text) in DISPLACEMENT {
            for place in places.clone() {
                for &value in *values {
                    let mut bad = [1.0; 3];
                    bad[place] = value;
                    store.set_displacement(index, bad).unwrap();
                    expect(&store, index, text, value);
                }
            }
        }
    }
    assert!(covered.iter().all(|covered| *covered), "{covered:?}");
}

#[test]
fn everything_and_endless_have_a_way_out() {
    let text = |error: Error| error.to_string();
    for far in [1e30, f32::MAX] {
        let boxes = Store::from_slice(&[Aabb::new([-far; 3], [far; 3])]);
        assert_eq!(
            text(boxes.validate().unwrap_err()),
            format!(
                "shape 0 is invalid: min[0] is {:e}, above 1.1529215e18: a box of everything reaches to MAX_LENGTH",
                -far
            )
        );
        let mut rays = Store::from_slice(&[Point::default()]);
        rays.set_displacement(0, [0.0, far, 0.0]).unwrap();
        assert_eq!(
            text(rays.validate().unwrap_err()),
            format!(
                "shape 0 is invalid: displacement[1] is {far:e}, above 1.1529215e18: an endless ray reaches to the end of \
                 the scene"
            )
        );
    }
    let boxes = Store::from_slice(&[Aabb::new([0.0; 3], [f32::INFINITY; 3])]);
    assert_eq!(
        text(boxes.validate().unwrap_err()),
        "shape 0 is invalid: max[0] is inf, not finite: a box of everything reaches to MAX_LENGTH"
    );
    let boxes = Store::from_slice(&[Aabb::new([f32::NAN; 3], [0.0; 3])]);
    assert_eq!(
        text(boxes.validate().unwrap_err()),
        "shape 0 is invalid: min[0] is NaN, not finite"
    );
}

#[test]
fn a_box_of_everything_overlaps_all_shapes_with_bounds() {
    fn overlaps<T: Defects>()
    where
        Aabb: Overlap<T>,
    {
        assert_eq!(Aabb::EVERYTHING.overlaps(&T::GOOD), Some(true));
    }
    overlaps::<Point>();
    overlaps::<Sphere>();
    overlaps::<Capsule>();
    overlaps::<Aabb>();
    overlaps::<Obb>();
    overlaps::<Triangle>();
}

#[test]
fn validate_names_the_place_and_the_reason() {
    macro_rules! each {
        ($($name:ident: $shape:ident, $stores:ident, $bounds:ident;)*) => {
            $(named::<phalanx::$shape>();)*
        };
    }
    phalanx::shapes!(each);
}

impl Defects for Point {
    const GOOD: Self = Point {
        position: [1.0, -MAX_LENGTH, 3.0],
    };
    const ROWS: &'static [Row] = &[
        (0..3, NOT_FINITE, "position is not finite"),
        (0..3, TOO_LARGE, "position is above 1.1529215e18"),
    ];
}

impl Defects for Sphere {
    const GOOD: Self = Sphere {
        center: [1.0, -MAX_LENGTH, 3.0],
        radius: 0.0,
    };
    const ROWS: &'static [Row] = &[
        (0..3, NOT_FINITE, "center is not finite"),
        (0..3, TOO_LARGE, "center is above 1.1529215e18"),
        (3..4, NOT_FINITE, "radius is not finite"),
        (3..4, &[f32::MAX], "radius is above 1.1529215e18"),
        (3..4, NEGATIVE, "radius is negative"),
    ];
}

impl Defects for Triangle {
    const GOOD: Self = Triangle {
        corners: [[1.0, -0.0, MAX_LENGTH], [0.0, -1.0, -MAX_LENGTH], [0.0; 3]],
    };
    const ROWS: &'static [Row] = &[
        (0..9, NOT_FINITE, "corners is not finite"),
        (0..9, TOO_LARGE, "corners is above 1.1529215e18"),
    ];
}

impl Defects for Capsule {
    const GOOD: Self = Capsule {
        center: [1.0, -0.0, MAX_LENGTH],
        half_axis: [0.0, -1.0, -MAX_LENGTH],
        radius: 0.0,
    };
    const ROWS: &'static [Row] = &[
        (0..3, NOT_FINITE, "center is not finite"),
        (0..3, TOO_LARGE, "center is above 1.1529215e18"),
        (3..6, NOT_FINITE, "half_axis is not finite"),
        (3..6, TOO_LARGE, "half_axis is above 1.1529215e18"),
        (6..7, NOT_FINITE, "radius is not finite"),
        (6..7, &[f32::MAX], "radius is above 1.1529215e18"),
        (6..7, NEGATIVE, "radius is negative"),
    ];
}

impl Defects for Aabb {
    const GOOD: Self = Aabb {
        min: [-0.0, 1.0, -MAX_LENGTH],
        max: [0.0, 2.0, MAX_LENGTH],
    };
    const ROWS: &'static [Row] = &[
        (0..3, NOT_FINITE, "min is not finite"),
        (0..3, TOO_LARGE, "min is above 1.1529215e18"),
        (3..6, NOT_FINITE, "max is not finite"),
        (3..6, TOO_LARGE, "max is above 1.1529215e18"),
        (0..1, &[1e-45, 3.0, MAX_LENGTH], "min is above max"),
        (1..2, &[2.000_000_2, MAX_LENGTH], "min is above max"),
        (3..4, &[-1e-45, -3.0], "min is above max"),
        (4..5, &[0.0, 0.999_999_94], "min is above max"),
    ];
}

impl Defects for Obb {
    // A length of one up to rounding, and numbers that change it by more than 1e-3.
    const GOOD: Self = Obb {
        center: [1.0, 2.0, MAX_LENGTH],
        half_extents: [0.0, 1e-45, MAX_LENGTH],
        rotation: [0.5; 4],
    };
    const ROWS: &'static [Row] = &[
        (0..3, NOT_FINITE, "center is not finite"),
        (0..3, TOO_LARGE, "center is above 1.1529215e18"),
        (3..6, NOT_FINITE, "half_extents is not finite"),
        (3..6, &[f32::MAX], "half_extents is above 1.1529215e18"),
        (3..6, NEGATIVE, "half_extents is negative"),
        (6..10, NOT_FINITE, "rotation is not finite"),
        (
            6..10,
            &[0.0, -0.497, 0.497, 0.503, f32::MAX],
            "rotation has length",
        ),
    ];
}

const PLANE_ROWS: &[Row] = &[
    (0..3, NOT_FINITE, "normal is not finite"),
    (1..2, &[0.0, -0.0], "normal is zero"),
    (3..4, NOT_FINITE, "d is not finite"),
    (3..4, &[3e18, f32::MIN], "d is above 1.1529215e18"),
    // Farther away with a shorter normal.
    (1..2, &[1e-19, -1e-45], "d is above 1.1529215e18"),
];

impl Defects for Plane {
    const GOOD: Self = Plane {
        normal: [0.0, -1.0, 0.0],
        d: -1.0,
    };
    const ROWS: &'static [Row] = PLANE_ROWS;
}

impl Defects for HalfSpace {
    const GOOD: Self = HalfSpace {
        normal: [0.0, -1.0, 0.0],
        d: -1.0,
    };
    const ROWS: &'static [Row] = PLANE_ROWS;
}

/// Impacts of boxes with arbitrary numbers, on every instruction set.
#[test]
fn words_as_boxes_that_turn() {
    let mut rng = rng("hostile turns");
    let mut settled = 0;
    for _ in 0..(common::cases() / 200).max(100) {
        let mut boxes = Obbs::new();
        for _ in 0..20 {
            let extreme = rng.random_bool(0.3);
            let mut number = |scale: f32| {
                if extreme {
                    f32::from_bits(word(&mut rng))
                } else {
                    rng.random_range(-1.0..1.0) * scale
                }
            };
            let shape = Obb {
                center: [(); 3].map(|()| number(2.0)),
                half_extents: [(); 3].map(|()| number(1.0).abs()),
                rotation: Obb::default().rotation,
            };
            let displacement = [(); 3].map(|()| number(2.0));
            boxes.push_turning(shape, displacement, [(); 3].map(|()| number(1.8)));
        }
        let is_bad: Vec<bool> = (0..20)
            .map(|i| {
                let mut alone = Obbs::new();
                let (shape, motion) = (boxes.get(i).unwrap(), boxes.displacement(i).unwrap());
                alone.push_turning(shape, motion, boxes.turn(i).unwrap());
                alone.validate().is_err()
            })
            .collect();
        let list: Vec<Pair> = (0..100).map(|i| Pair::new(i % 20, i / 5)).collect();
        let tolerance = [0.0, 1e-3, 1e9][rng.random_range(0..3)];
        let mut expected = None;
        for simd in Simd::available() {
            let (mut detector, mut impacts) = (Detector::new().simd(simd), Impacts::new());
            detector
                .impact(&boxes, &boxes, &list, tolerance, &mut impacts)
                .unwrap();
            for (i, pair) in list.iter().enumerate() {
                let bad = is_bad[pair.a as usize] | is_bad[pair.b as usize];
                assert_eq!(impacts.is_invalid(i), bad);
                let time = impacts.time()[i];
                let is_time = (0.0..=1.0).contains(&time) && time.is_sign_positive();
                assert_eq!(is_time, impacts.is_hit(i), "{time}");
                assert!(is_time && !bad || time == f32::INFINITY);
                settled += usize::from(is_time && impacts.is_settled(i));
            }
            assert_eq!(*expected.get_or_insert(impacts.clone()), impacts);
        }
    }
    assert!(settled > 1000);
}

/// Shapes with arbitrary numbers, some of them valid.
fn any_shapes<T: Shape>(rng: &mut StdRng) -> Store<T> {
    let mut store = Store::new();
    for _ in 0..20 {
        let mut shape = T::zeroed();
        let numbers: &mut [f32] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut shape));
        let how = rng.random_range(0..3);
        for x in &mut *numbers {
            let edge = f32::from_bits(word(rng));
            *x = match how {
                0 => edge,
                // Most of these are valid: the longest, the shortest and ordinary lengths in one shape.
                1 if rng.random_bool(0.5) && edge.abs() <= MAX_LENGTH => edge.abs(),
                _ => rng.random_range(0.0..1.0),
            };
        }
        // A box is ordered, a quaternion of length 1.
        if numbers.len() == 6 {
            (0..3).for_each(|k| numbers[k + 3] = numbers[k + 3].max(numbers[k]));
        } else if numbers.len() == 10 && how > 0 {
            numbers[6..].copy_from_slice(&[0.5; 4]);
        }
        store.push(shape);
    }
    store
}

/// Distances of shapes with arbitrary numbers: bounds are in order, and invalid shapes are flagged.
fn distances_of_any<A: Shape + Distance<B>, B: Shape>(name: &str) {
    let mut rng = rng(&format!("hostile {name}"));
    let (mut valid, mut invalid) = (0, 0);
    for _ in 0..(common::cases() / 2500).max(10) {
        let (a, b) = (any_shapes::<A>(&mut rng), any_shapes::<B>(&mut rng));
        let list: Vec<Pair> = (0..400).map(|i| Pair::new(i % 20, i / 20)).collect();
        let is_bad: Vec<bool> = list
            .iter()
            .map(|pair| {
                let (a, b) = (a.get(pair.a).unwrap(), b.get(pair.b).unwrap());
                let alone = (Store::from_slice(&[a]), Store::from_slice(&[b]));
                alone.0.validate().is_err() || alone.1.validate().is_err()
            })
            .collect();
        let mut expected = None;
        for simd in Simd::available() {
            let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
            let mut detector = Detector::new().simd(simd);
            detector
                .distance_points(&a, &b, &list, &mut distances, &mut points)
                .unwrap();
            for (i, pair) in list.iter().enumerate() {
                let (lower, upper) = (distances.lower()[i], distances.upper()[i]);
                let numbers = points.get(i).unwrap();
                let mut numbers = numbers.as_flattened().iter();
                let shapes = (a.get(pair.a), b.get(pair.b));
                assert_eq!(distances.is_invalid(i), is_bad[i], "{name}: {shapes:?}");
                if is_bad[i] {
                    assert_eq!((lower, upper), (0.0, f32::INFINITY));
                    assert!(numbers.all(|x| x.is_nan()));
                } else {
                    assert!(
                        lower.is_sign_positive() && lower <= upper && upper.is_finite(),
                        "{name}: {lower} {upper} {shapes:?}"
                    );
                    assert!(numbers.all(|x| x.is_finite()), "{name}: {shapes:?}");
                }
                valid += usize::from(!is_bad[i]);
                invalid += usize::from(is_bad[i]);
            }
            assert_eq!(
                *expected.get_or_insert(distances.clone()),
                distances,
                "{name}"
            );
        }
    }
    assert!(valid > 1000 && invalid > 1000, "{name}: {valid}, {invalid}");
}

#[test]
fn words_as_shapes_have_distances() {
    macro_rules! each {
        ($($name:ident: distance($($shape:ident),+);)*) => {
            $(each!(@ $name, $($shape),+);)*
        };
        (@ $name:ident, $a:ident) => { each!(@ $name, $a, $a); };
        (@ $name:ident, $a:ident, $b:ident) => {
            distances_of_any::<$a, $b>(stringify!($name));
            distances_of_any::<$b, $a>(concat!(stringify!($name), " reversed"));
        };
    }
    phalanx::kernels!(distance: each);
}
