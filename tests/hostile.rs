//! Bad input of any kind harms nothing but the pairs that meet it, and is named.

mod common;
// This file has the name of its folder.
#[path = "hostile/mod.rs"]
mod hostile;

use std::ops::Range;
use std::path::Path;

use common::rng;
use phalanx::{
    Aabb, Capsule, Detector, Error, HalfSpace, Impacts, MAX_LENGTH, Obb, Obbs, Pair, Plane, Point,
    Shape, Simd, Sphere, Store,
};
use rand::rngs::StdRng;
use rand::{Rng, RngExt};

/// How many at most: each is thousands of pairs.
const INPUTS: usize = 40_000;

/// A word that is often at the edge of something.
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
        // The header, and what is read from the back, is made of bytes and not of words.
        let tail = rng.random_range(0..200);
        bytes.extend([(); 12].map(|()| rng.random::<u8>()));
        if rng.random_bool(0.5) {
            bytes[4..8].copy_from_slice(&word(&mut rng).to_le_bytes());
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

/// What a fuzzer found worth keeping.
#[test]
fn corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/cells");
    let entries = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("the corpus is missing: {}: {error}", folder.display()));
    let mut count = 0;
    for entry in entries {
        let path = entry.unwrap().path();
        // Shown only if the test fails: the last one is then to blame.
        println!("{}", path.display());
        hostile::check(&std::fs::read(&path).unwrap());
        count += 1;
    }
    assert!(count > 0, "the corpus is empty: {}", folder.display());
}

/// Numbers of a shape, values that are bad there, and what is then said of the shape.
type Row = (Range<usize>, &'static [f32], &'static str);

const NOT_FINITE: &[f32] = &[f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
const TOO_LARGE: &[f32] = &[1.152_921_6e18, -1.152_921_6e18, f32::MAX, f32::MIN];
const NEGATIVE: &[f32] = &[-1e-45, -1.0, -MAX_LENGTH];

#[test]
fn the_first_length_above_the_largest() {
    assert_eq!(TOO_LARGE[0], MAX_LENGTH.next_up());
}

/// Puts each bad value in each of its places, in front of a worse shape and behind good ones.
fn named<T: Shape>(good: T, rows: &[Row]) {
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
fn validate_names_the_place_and_the_reason() {
    named(
        Point {
            position: [1.0, -MAX_LENGTH, 3.0],
        },
        &[
            (0..3, NOT_FINITE, "position is not finite"),
            (0..3, TOO_LARGE, "position is above 1.1529215e18"),
        ],
    );
    named(
        Sphere {
            center: [1.0, -MAX_LENGTH, 3.0],
            radius: 0.0,
        },
        &[
            (0..3, NOT_FINITE, "center is not finite"),
            (0..3, TOO_LARGE, "center is above 1.1529215e18"),
            (3..4, NOT_FINITE, "radius is not finite"),
            (3..4, &[f32::MAX], "radius is above 1.1529215e18"),
            (3..4, NEGATIVE, "radius is negative"),
        ],
    );
    named(
        Capsule {
            center: [1.0, -0.0, MAX_LENGTH],
            half_axis: [0.0, -1.0, -MAX_LENGTH],
            radius: 0.0,
        },
        &[
            (0..3, NOT_FINITE, "center is not finite"),
            (0..3, TOO_LARGE, "center is above 1.1529215e18"),
            (3..6, NOT_FINITE, "half_axis is not finite"),
            (3..6, TOO_LARGE, "half_axis is above 1.1529215e18"),
            (6..7, NOT_FINITE, "radius is not finite"),
            (6..7, &[f32::MAX], "radius is above 1.1529215e18"),
            (6..7, NEGATIVE, "radius is negative"),
        ],
    );
    named(
        Aabb {
            min: [-0.0, 1.0, -MAX_LENGTH],
            max: [0.0, 2.0, MAX_LENGTH],
        },
        &[
            (0..3, NOT_FINITE, "min is not finite"),
            (0..3, TOO_LARGE, "min is above 1.1529215e18"),
            (3..6, NOT_FINITE, "max is not finite"),
            (3..6, TOO_LARGE, "max is above 1.1529215e18"),
            (0..1, &[1e-45, 3.0, MAX_LENGTH], "min is above max"),
            (1..2, &[2.000_000_2, MAX_LENGTH], "min is above max"),
            (3..4, &[-1e-45, -3.0], "min is above max"),
            (4..5, &[0.0, 0.999_999_94], "min is above max"),
        ],
    );
    // A length of one, in the way of rounding, and what makes it longer or shorter by over 1e-3.
    named(
        Obb {
            center: [1.0, 2.0, MAX_LENGTH],
            half_extents: [0.0, 1e-45, MAX_LENGTH],
            rotation: [0.5; 4],
        },
        &[
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
        ],
    );
    let rows: &[Row] = &[
        (0..3, NOT_FINITE, "normal is not finite"),
        (1..2, &[0.0, -0.0], "normal is zero"),
        (3..4, NOT_FINITE, "d is not finite"),
        (3..4, &[3e18, f32::MIN], "d is above 1.1529215e18"),
        // Farther away with a shorter normal.
        (1..2, &[1e-19, -1e-45], "d is above 1.1529215e18"),
    ];
    let (normal, d) = ([0.0, -1.0, 0.0], -1.0);
    named(Plane { normal, d }, rows);
    named(HalfSpace { normal, d }, rows);
}

/// Impacts of boxes whose numbers are anything, on every instruction set.
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
