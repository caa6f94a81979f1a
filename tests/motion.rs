//! Poses between the ends of a frame: positions, orientations, and chords of curved paths.

mod common;

use common::{cases, digest, product, rng};
use phalanx::{
    Aabb, Aabbs, Chord, Detector, Error, HalfSpace, HalfSpaces, Impacts, Obb, Obbs, Overlaps, Pair,
    Pairs, Sphere, SphereColumns, Spheres, SpheresRef, Sweeps, slerp, turn_between,
};
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

fn ball(x: f32) -> Sphere {
    Sphere {
        center: [x, 0.0, 0.0],
        radius: 1.0,
    }
}

#[test]
fn a_shape_is_where_its_displacement_leads() {
    let mut spheres = Spheres::new();
    spheres.push_moving(ball(1.0), [4.0, -8.0, 0.1]);
    assert_eq!(spheres.at(0, 0.0), spheres.get(0));
    assert_eq!(spheres.at(0, 0.25).unwrap().center, [2.0, -2.0, 0.025]);
    assert_eq!(spheres.at(0, 1.0).unwrap().center, [5.0, -8.0, 0.1]);
    assert_eq!(spheres.at(1, 0.0), None);

    let mut boxes = Aabbs::new();
    let unit = Aabb {
        min: [0.0; 3],
        max: [1.0, 2.0, 3.0],
    };
    boxes.push_moving(unit, [2.0, 0.0, -2.0]);
    let moved = Aabb {
        min: [1.0, 0.0, -1.0],
        max: [2.0, 2.0, 2.0],
    };
    assert_eq!(boxes.at(0, 0.5), Some(moved));

    let mut turned = Obbs::new();
    let start = Obb {
        half_extents: [1.0; 3],
        rotation: [0.6, 0.0, 0.0, 0.8],
        ..Obb::default()
    };
    turned.push_moving(start, [0.0, 0.0, 8.0]);
    let moved = Obb {
        center: [0.0, 0.0, 2.0],
        ..start
    };
    assert_eq!(turned.at(0, 0.25), Some(moved));

    // The ground y <= 3 rises by 4.
    let mut ground = HalfSpaces::new();
    let start = HalfSpace {
        normal: [0.0, 2.0, 0.0],
        d: -6.0,
    };
    ground.push_moving(start, [5.0, 4.0, 0.0]);
    assert_eq!(ground.at(0, 0.5), Some(HalfSpace { d: -10.0, ..start }));
}

#[test]
fn view_without_displacements_is_static() {
    let column = [3.0];
    let view = SpheresRef::new(SphereColumns {
        center: [&column; 3],
        radius: &column,
        displacement: [&[]; 3],
    });
    let view = view.unwrap();
    assert_eq!(view.at(0, 0.7), view.get(0));
    assert_eq!(view.at(1, 0.7), None);
}

fn vector(rng: &mut impl Rng, size: f32) -> [f32; 3] {
    [(); 3].map(|()| rng.random_range(-1.0..1.0) * size)
}

/// A row of spheres, every second moving towards the next.
fn row(len: usize) -> Spheres {
    let mut balls = Spheres::new();
    for i in 0..len {
        let motion = if i % 2 == 0 { 4.0 } else { 0.0 };
        balls.push_moving(ball(i as f32 * 5.0), [motion, 0.0, 0.0]);
    }
    balls
}

/// For all kinds of pairs, the shapes of each hit equal `Store::at`.
#[test]
fn shapes_at_contact_stand_in_the_order_of_the_hits() {
    let balls = row(200);
    let others: Spheres = (1..=200).filter_map(|i| row(201).get(i)).collect();
    let mut rng = StdRng::seed_from_u64(1);
    let list: Vec<Pair> = (0..1000)
        .map(|_| {
            let a = rng.random_range(0..199);
            Pair::new(a, a + rng.random_range(0..2))
        })
        .collect();
    let as_pairs = |kind: Pairs<'static>| -> Vec<Pair> {
        let of = |i| {
            if kind == Pairs::zip() {
                Pair::new(i, i)
            } else {
                Pair::new(6, i)
            }
        };
        (0..200).map(of).collect()
    };
    let (zip, one_to_all) = (Pairs::zip(), Pairs::one_to_all(6));

    same_order(&balls, &balls, Pairs::from(&list), &list);
    same_order(&balls, &others, zip, &as_pairs(zip));
    same_order(&balls, &others, one_to_all, &as_pairs(one_to_all));
    same_order(&balls, &others, Pairs::from(&list[..0]), &[]);
}

fn same_order(a: &Spheres, b: &Spheres, pairs: Pairs<'_>, list: &[Pair]) {
    let mut sweeps = Sweeps::new();
    Detector::new().sweep(a, b, pairs, &mut sweeps).unwrap();
    assert!(sweeps.count() > 0 || list.is_empty(), "{pairs:?}");

    // Old contents are replaced.
    let (mut out_a, mut out_b) = (row(3), row(7));
    for exit in [false, true] {
        if exit {
            sweeps.at_exit(a, b, pairs, &mut out_a, &mut out_b).unwrap();
        } else {
            sweeps
                .at_enter(a, b, pairs, &mut out_a, &mut out_b)
                .unwrap();
        }
        assert_eq!((out_a.len(), out_b.len()), (sweeps.count(), sweeps.count()));
        for (k, (position, interval)) in sweeps.iter().enumerate() {
            let (k, pair) = (k as u32, list[position]);
            let time = if exit { interval.exit } else { interval.enter };
            assert_eq!(out_a.get(k), a.at(pair.a, time));
            assert_eq!(out_b.get(k), b.at(pair.b, time));
            assert_eq!(out_a.displacement(k), a.displacement(pair.a));
            assert_eq!(out_b.displacement(k), b.displacement(pair.b));
        }
    }
}

/// Shapes of random sweeps nearly touch at `enter`, or overlap at the start.
#[test]
fn shapes_at_contact_touch() {
    let mut rng = StdRng::seed_from_u64(2);
    let (mut a, mut b) = (Spheres::new(), Spheres::new());
    for _ in 0..10_000 {
        for store in [&mut a, &mut b] {
            let center = vector(&mut rng, 2.0);
            let speed = [1e-3, 4.0, 1e3][rng.random_range(0..3)];
            let motion = vector(&mut rng, speed);
            store.push_moving(
                Sphere {
                    center,
                    radius: 1.0,
                },
                motion,
            );
        }
    }
    let mut sweeps = Sweeps::new();
    let mut detector = Detector::new();
    detector.sweep(&a, &b, Pairs::zip(), &mut sweeps).unwrap();
    let (mut at_a, mut at_b) = (Spheres::new(), Spheres::new());
    sweeps
        .at_enter(&a, &b, Pairs::zip(), &mut at_a, &mut at_b)
        .unwrap();
    assert!(at_a.len() > 1000);
    for (k, (position, time)) in sweeps.iter().enumerate() {
        let (p, q) = (at_a.get(k as u32).unwrap(), at_b.get(k as u32).unwrap());
        let size = [&a, &b]
            .iter()
            .flat_map(|store| store.displacement(position as u32).unwrap())
            .fold(4.0, |size, x| size + x.abs());
        let gap = distance(p.center.map(f64::from), q.center.map(f64::from))
            - f64::from(p.radius)
            - f64::from(q.radius);
        let slack = 2e-6 * f64::from(size);
        assert!(
            gap <= slack && (time.enter == 0.0 || gap >= -slack),
            "{gap} apart at {}",
            time.enter
        );
    }
}

#[test]
fn a_refused_call_changes_nothing() {
    let balls = row(10);
    let pairs = [[0, 1], [1, 2], [2, 3]];
    let mut sweeps = Sweeps::new();
    Detector::new()
        .sweep(&balls, &balls, &pairs, &mut sweeps)
        .unwrap();
    assert_eq!(sweeps.iter().map(|hit| hit.0).collect::<Vec<_>>(), [0, 2]);

    let short = row(3);
    let refused = |a: &Spheres, b: &Spheres, pairs: Pairs<'_>| {
        let (mut out_a, mut out_b) = (row(2), row(1));
        let error = sweeps
            .at_enter(a, b, pairs, &mut out_a, &mut out_b)
            .unwrap_err();
        assert_eq!((out_a.len(), out_b.len()), (2, 1));
        assert_eq!(out_a.get(1), row(2).get(1));
        error
    };
    // The results are for another list.
    refused(&balls, &balls, Pairs::from(&pairs[..2]));
    refused(&balls, &balls, Pairs::zip());
    refused(&balls, &balls, Pairs::one_to_all(0));

    assert!(matches!(
        refused(&balls, &short, Pairs::zip()),
        Error::LengthMismatch {
            len_a: 10,
            len_b: 3,
            ..
        }
    ));
    assert!(matches!(
        refused(&short, &short, Pairs::one_to_all(3)),
        Error::IndexOutOfBounds {
            index: 3,
            len: 3,
            ..
        }
    ));
    assert!(matches!(
        refused(&short, &short, Pairs::from(&pairs)),
        Error::PairOutOfBounds {
            position: 2,
            len_b: 3,
            ..
        }
    ));
}

/// Views give the same results as stores.
#[test]
fn views_are_read() {
    let balls = row(4);
    let view = SpheresRef::new(balls.columns()).unwrap();
    let pairs = [[0, 1], [2, 3]];
    let mut sweeps = Sweeps::new();
    Detector::new()
        .sweep(&view, &balls, &pairs, &mut sweeps)
        .unwrap();
    let (mut a, mut b) = (Spheres::new(), Spheres::new());
    sweeps
        .at_enter(&view, &balls, &pairs, &mut a, &mut b)
        .unwrap();
    assert_eq!(
        shapes(&a),
        [view.at(0, sweeps.enter()[0]), view.at(2, sweeps.enter()[1])]
    );
    assert_eq!(shapes(&b), [balls.get(1), balls.get(3)]);
}

fn shapes(store: &Spheres) -> Vec<Option<Sphere>> {
    (0..store.len() as u32).map(|i| store.get(i)).collect()
}

// Orientations.

/// The documented largest error of [`slerp`].
const SLERP_ERROR: f64 = 3e-7;

fn random_quaternion(rng: &mut impl Rng) -> [f64; 4] {
    loop {
        let q = [(); 4].map(|()| rng.random_range(-1.0..1.0f64));
        let length = length(q);
        if (0.1..1.0).contains(&length) {
            return q.map(|x| x / length);
        }
    }
}

fn length<const N: usize>(q: [f64; N]) -> f64 {
    q.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn distance<const N: usize>(a: [f64; N], b: [f64; N]) -> f64 {
    length::<N>(std::array::from_fn(|k| a[k] - b[k]))
}

fn unit(q: [f32; 4]) -> [f64; 4] {
    let q = q.map(f64::from);
    q.map(|x| x / length(q))
}

/// The definition, in f64, along the arc from `a` to `b`, without negation.
fn exact_slerp(a: [f64; 4], b: [f64; 4], time: f64) -> [f64; 4] {
    let sum: [f64; 4] = std::array::from_fn(|k| a[k] + b[k]);
    let angle = 2.0 * distance(a, b).atan2(length(sum));
    if angle == 0.0 {
        return a;
    }
    let weight = |t: f64| (t * angle).sin() / angle.sin();
    std::array::from_fn(|k| weight(1.0 - time) * a[k] + weight(time) * b[k])
}

fn slerp_error(from: [f32; 4], to: [f32; 4], time: f32) -> f64 {
    let result = slerp(from, to, time).map(f64::from);
    let (a, b) = (unit(from), unit(to));
    let dot: f64 = (0..4).map(|k| a[k] * b[k]).sum();
    let error = |to| distance(result, exact_slerp(a, to, f64::from(time)));
    let (near, far) = (error(b), error(b.map(|x| -x)));
    // 180° apart, up to rounding, both arcs are right.
    let error = match dot {
        _ if dot.abs() < 1e-6 => near.min(far),
        _ if dot > 0.0 => near,
        _ => far,
    };
    error.max((length(result) - 1.0).abs())
}

#[test]
fn slerp_is_within_its_error_of_the_definition() {
    let mut rng = StdRng::seed_from_u64(3);
    let mut worst: f64 = 0.0;
    for case in 0..1_000_000 {
        let from = random_quaternion(&mut rng);
        let other = random_quaternion(&mut rng);
        let to = match case % 4 {
            // Near `from`, or opposite to it.
            0 => {
                let step = 10f64.powi(rng.random_range(-9..0));
                let sign = if rng.random() { 1.0 } else { -1.0 };
                std::array::from_fn(|k| sign * (from[k] + step * other[k]))
            }
            // 180° away.
            1 => {
                let dot: f64 = (0..4).map(|k| from[k] * other[k]).sum();
                std::array::from_fn(|k| other[k] - dot * from[k])
            }
            _ => other,
        };
        let stretch = rng.random_range(0.999..1.001);
        let time = match case % 16 {
            0..8 => rng.random_range(0.0..=1.0),
            8..12 => rng.random_range(0..=64) as f32 / 64.0,
            _ => rng.random_range(0.0..1e-3),
        };
        let (from, to) = (from.map(|x| x as f32), to.map(|x| (x * stretch) as f32));
        worst = worst.max(slerp_error(from, to, time));
    }
    println!("slerp: worst error {worst:e}");
    assert!(worst < SLERP_ERROR, "{worst:e}");
}

#[test]
fn slerp_starts_and_ends_at_its_ends() {
    let (a, b) = ([0.6, 0.0, 0.0, 0.8], [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(slerp(a, b, 0.0), a);
    assert_eq!(slerp(a, b, 1.0), b);
    // Times outside.
    assert_eq!(slerp(a, b, -3.0), a);
    assert_eq!(slerp(a, b, f32::INFINITY), b);
    // The negative is the same rotation, and nearer.
    assert_eq!(slerp(a, a.map(|x| -x), 1.0), a);
    // Not of unit length.
    assert_eq!(
        slerp([0.0, 0.0, 0.0, 5.0], [0.0, 0.0, 0.0, 0.25], 0.3),
        [0.0, 0.0, 0.0, 1.0]
    );
}

#[test]
fn slerp_of_equal_or_opposite_quaternions_is_constant() {
    let mut rng = StdRng::seed_from_u64(4);
    for _ in 0..1000 {
        let q = random_quaternion(&mut rng).map(|x| x as f32);
        for time in [0.0, 0.1, 0.5, 0.9, 1.0] {
            assert!(slerp_error(q, q, time) < SLERP_ERROR);
            assert!(slerp_error(q, q.map(|x| -x), time) < SLERP_ERROR);
        }
    }
}

#[test]
fn slerp_of_invalid_input_is_nan() {
    let one = [0.0, 0.0, 0.0, 1.0];
    for bad in [
        [0.0; 4],
        [f32::NAN, 0.0, 0.0, 1.0],
        [f32::INFINITY, 0.0, 0.0, 0.0],
        [1e30; 4],
    ] {
        for (from, to) in [(bad, one), (one, bad), (bad, bad)] {
            for time in [0.0, 0.3, 1.0] {
                let result = slerp(from, to, time);
                assert!(
                    result.iter().any(|x| x.is_nan()),
                    "{from:?} {to:?} {time}: {result:?}"
                );
            }
        }
    }
    assert!(slerp(one, one, f32::NAN).iter().any(|x| x.is_nan()));
}

/// The same bits on every platform, recorded on the first.
#[test]
fn slerp_has_one_answer() {
    let (a, b) = ([0.1, -0.7, 0.3, 0.64], [0.5, 0.5, -0.5, 0.5]);
    let turned = (0..=1000).flat_map(|step| slerp(a, b, step as f32 / 1000.0));
    let hash = digest(turned.map(f32::to_bits));
    assert_eq!(hash, SLERP_BITS, "{hash:#x}");
}

const SLERP_BITS: u64 = 0xb151_c2a5_f30c_da32;

// Accelerated motion.

/// The path never leaves the chord by more than the margin, all in f64, and the margin is tight.
#[test]
fn chords_hold_the_curve() {
    let mut rng = StdRng::seed_from_u64(5);
    for _ in 0..100_000 {
        let sizes = [(); 2].map(|()| 10f32.powi(rng.random_range(-45..18)));
        let [v, mut w] = sizes.map(|size| {
            [(); 3].map(|()| {
                if rng.random_bool(0.2) {
                    0.0
                } else {
                    rng.random_range(-1.0..1.0) * size
                }
            })
        });
        if rng.random_bool(0.05) {
            // The chord nearly cancels.
            w = v.map(|x| x * -2.0 * rng.random_range(0.99..1.01));
        }
        let chord = Chord::of(v, w);
        let (d, margin) = (chord.displacement.map(f64::from), f64::from(chord.margin));
        let (v64, w64) = (v.map(f64::from), w.map(f64::from));
        let mut worst: f64 = 0.0;
        for i in 0..=64 {
            let t = f64::from(i) / 64.0;
            // Their difference, grouped so that f64 loses no digits.
            let apart =
                [0, 1, 2].map(|k| t * ((v64[k] - d[k] + 0.5 * w64[k]) + 0.5 * w64[k] * (t - 1.0)));
            worst = worst.max(length(apart));
        }
        assert!(worst <= margin, "{v:?} {w:?}: {worst:e} above {margin:e}");
        let loose = 1e-6 * margin + 2e-7 * length(d) + 2e-38;
        assert!(
            margin <= worst + loose,
            "{v:?} {w:?}: {margin:e} for {worst:e}"
        );
    }
}

#[test]
fn a_straight_path_needs_no_margin() {
    let chord = Chord::of([1.0, -2.0, 1e-30], [0.0, -0.0, 0.0]);
    assert_eq!(chord.displacement, [1.0, -2.0, 1e-30]);
    assert_eq!(chord.margin, 0.0);
}

#[test]
fn a_chord_of_bad_numbers_is_flagged() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
        for axis in 0..3 {
            let mut vector = [0.5; 3];
            vector[axis] = bad;
            for chord in [Chord::of(vector, [1.0; 3]), Chord::of([1.0; 3], vector)] {
                let mut moving = Spheres::new();
                moving.push_moving(ball(0.0), chord.displacement);
                let mut sweeps = Sweeps::new();
                Detector::new()
                    .sweep(&moving, &moving, Pairs::zip(), &mut sweeps)
                    .unwrap();
                assert!(sweeps.is_invalid(0), "{chord:?}");
                if !bad.is_finite() {
                    assert!(!chord.displacement[axis].is_finite() || !chord.margin.is_finite());
                }
            }
        }
    }
}

/// The sweep along the chord encloses the contact of the curves, each sphere carrying its margin.
#[test]
fn a_sweep_along_the_chords_encloses_the_curved_contact() {
    let mut rng = StdRng::seed_from_u64(6);
    let mut detector = Detector::new();
    let mut sweeps = Sweeps::new();
    let mut touched = 0;
    for _ in 0..2000 {
        let [starts, velocities, accelerations] =
            [3.0, 4.0, 4.0].map(|size| [(); 2].map(|()| vector(&mut rng, size)));
        let radius = 0.5f32;

        let mut stores = [Spheres::new(), Spheres::new()];
        for k in 0..2 {
            let chord = Chord::of(velocities[k], accelerations[k]);
            let grown = Sphere {
                center: starts[k],
                radius: (radius + chord.margin).next_up(),
            };
            stores[k].push_moving(grown, chord.displacement);
        }
        let [a, b] = &stores;
        detector.sweep(a, b, Pairs::zip(), &mut sweeps).unwrap();

        let at = |k: usize, t: f64| {
            [0, 1, 2].map(|axis| {
                f64::from(starts[k][axis])
                    + t * (f64::from(velocities[k][axis])
                        + 0.5 * t * f64::from(accelerations[k][axis]))
            })
        };
        for i in 0..=500 {
            let t = f64::from(i) / 500.0;
            if distance(at(0, t), at(1, t)) <= 2.0 * f64::from(radius) {
                touched += 1;
                let time = sweeps.get(0).expect("a hit");
                assert!(f64::from(time.enter) <= t && t <= f64::from(time.exit));
            }
        }
    }
    assert!(touched > 1000, "{touched}");
}

/// The rotation of a turn, in `f64`.
fn exact_turn(by: [f64; 3]) -> [f64; 4] {
    let angle = length(by);
    let half = if angle > 0.0 {
        (angle / 2.0).sin() / angle
    } else {
        0.5
    };
    [
        by[0] * half,
        by[1] * half,
        by[2] * half,
        (angle / 2.0).cos(),
    ]
}

/// Distance of two rotations, either of which may be negated.
fn apart(a: [f64; 4], b: [f64; 4]) -> f64 {
    distance(a, b).min(distance(a, b.map(|x| -x)))
}

#[test]
fn turns_lead_from_one_orientation_to_another() {
    let mut rng = rng("turns");
    let mut worst = 0f64;
    for round in 0..cases() {
        let from = random_quaternion(&mut rng).map(|x| x as f32);
        let by = vector(&mut rng, [1e-6, 1e-3, 0.1, 1.8][round % 4]).map(f64::from);
        let to = product(exact_turn(by), unit(from)).map(|x| x as f32);
        let turn = turn_between(from, to);
        assert!(
            length(turn.map(f64::from)) < std::f64::consts::PI + 1e-6,
            "{turn:?}"
        );
        let led = product(exact_turn(turn.map(f64::from)), unit(from));
        worst = worst.max(apart(led, unit(to)));

        // A box has this rotation at the end of the frame, and half of it in the middle.
        let mut boxes = Obbs::new();
        let shape = Obb {
            rotation: from,
            ..Obb::default()
        };
        let index = boxes.push_turning(shape, [1.0, 2.0, 4.0], turn);
        assert!(boxes.validate().is_ok());
        for time in [0.0, 0.25, 1.0] {
            let there = boxes.at(index, time).unwrap();
            let by = turn.map(|x| f64::from(x) * f64::from(time));
            let expected = product(exact_turn(by), unit(from));
            assert!(apart(unit(there.rotation), expected) < 1e-6);
            assert_eq!(there.center, [1.0, 2.0, 4.0].map(|x| x * time));
        }
    }
    assert!(worst < 1e-6, "{worst}");
    println!("turns end within {worst:.1e}");
}

/// Error of `turn_between` from the exact turn, or from the opposite turn near 180°.
fn error_of_turn(from: [f32; 4], to: [f32; 4]) -> f64 {
    let [x, y, z, w] = unit(from);
    let [x, y, z, w] = product(unit(to), [-x, -y, -z, w]);
    let (v, sine) = ([x, y, z], length([x, y, z]));
    let turn = turn_between(from, to).map(f64::from);
    if sine == 0.0 {
        return length(turn);
    }
    // By w and by −w: the angles differ by 360°.
    let off = |angle: f64| distance(turn, v.map(|c| c * angle / sine));
    let angle = 2.0 * sine.atan2(w.abs()) * 1f64.copysign(w);
    let whole = std::f64::consts::TAU.copysign(angle);
    let other = angle - whole;
    if angle.abs() > 3.0 {
        off(angle).min(off(other))
    } else {
        off(angle)
    }
}

/// A pair that exceeded an earlier bound of 1e-6.
#[test]
fn a_turn_near_half_is_within_its_bound() {
    let from = [0.693_649_4, -0.669_874_7, 0.025_166_268, -0.263_600_05];
    let to = [0.523_445_7, 0.654_680_13, 0.492_613_82, -0.233_944_77];
    let error = error_of_turn(from, to);
    assert!(error > 1e-6 && error < 2e-6, "{error}");
}

#[test]
fn turns_climbed_to_their_worst_are_within_their_bound() {
    let mut rng = rng("turns climbed");
    let start = |rng: &mut StdRng| {
        let from = random_quaternion(rng);
        let by = vector(rng, 1.8).map(f64::from);
        (
            from.map(|x| x as f32),
            product(exact_turn(by), from).map(|x| x as f32),
        )
    };
    let (mut worst, mut top, mut error, mut idle) = (0f64, start(&mut rng), 0f64, 0);
    for _ in 0..cases() {
        let mut step = |x: f32| match rng.random_range(0..4) {
            0 => x + rng.random_range(-1.0..1.0) * 10f32.powf(rng.random_range(-7.0..0.0)),
            1 => x.next_up(),
            2 => x.next_down(),
            _ => x,
        };
        let tried = (top.0.map(&mut step), top.1.map(&mut step));
        let off = error_of_turn(tried.0, tried.1);
        idle += 1;
        if off > error {
            (top, error, idle) = (tried, off, 0);
        }
        worst = worst.max(off);
        if idle > 2000 {
            (top, error, idle) = (start(&mut rng), 0.0, 0);
        }
    }
    println!("turns are within {worst:.2e}");
    assert!(worst < 2e-6, "{worst}");
}

#[test]
fn turns_of_invalid_input_are_nan() {
    let still = [0.0, 0.0, 0.0, 1.0];
    assert_eq!(turn_between(still, still), [0.0; 3]);
    assert_eq!(
        turn_between(still, still.map(|x| -x)).map(f32::abs),
        [0.0; 3]
    );
    for bad in [[0.0; 4], [f32::NAN, 0.0, 0.0, 1.0], [f32::INFINITY; 4]] {
        assert!(turn_between(bad, still).iter().any(|x| x.is_nan()));
        assert!(turn_between(still, bad).iter().any(|x| x.is_nan()));
    }
    // A rotation by 180° is one of two, and valid.
    let half = turn_between(still, [0.0, 1.0, 0.0, 0.0]);
    assert!((half[1].abs() - std::f32::consts::PI).abs() < 1e-6);
    let mut boxes = Obbs::new();
    boxes.push_turning(Obb::default(), [0.0; 3], half);
    assert!(boxes.validate().is_ok());
}

#[test]
fn shapes_at_impact_are_rotated_and_keep_their_motion() {
    let rod = Obb {
        half_extents: [0.1, 2.0, 0.1],
        ..Obb::default()
    };
    let (mut rods, mut balls) = (Obbs::new(), Spheres::new());
    for i in 0..20 {
        let center = [10.0 * i as f32, 0.0, 0.0];
        // Every second box rotates in the opposite direction, away from the sphere.
        let turn = [0.0, 0.0, if i % 2 == 0 { -1.5 } else { 0.0 }];
        rods.push_turning(Obb { center, ..rod }, [0.0, 0.0, 0.125], turn);
        let ball = Sphere {
            center: [center[0] + 1.5, 0.5, 0.0],
            radius: 0.25,
        };
        balls.push_moving(ball, [0.0, 0.25, 0.0]);
    }
    let mut impacts = Impacts::new();
    Detector::new()
        .impact(&rods, &balls, Pairs::zip(), 1e-4, &mut impacts)
        .unwrap();
    assert_eq!(impacts.count(), 10);
    let (mut a, mut b) = (Obbs::new(), Spheres::new());
    impacts
        .at_impact(&rods, &balls, Pairs::zip(), &mut a, &mut b)
        .unwrap();
    assert_eq!((a.len(), b.len()), (10, 10));
    for (k, (position, time)) in impacts.iter().enumerate() {
        let (k, i) = (k as u32, position as u32);
        assert_eq!(a.get(k), rods.at(i, time));
        assert_eq!(b.get(k), balls.at(i, time));
        assert_eq!(
            (a.turn(k), a.displacement(k)),
            (rods.turn(i), rods.displacement(i))
        );
    }
    // They touch after growing a little, and not much earlier.
    let mut overlaps = Overlaps::new();
    let mut detector = Detector::new().margin(2e-4).unwrap();
    detector
        .overlap(&a, &b, Pairs::zip(), &mut overlaps)
        .unwrap();
    assert_eq!(overlaps.count(), 10);
    let refused = impacts.at_impact(&rods, &balls, &[[0, 1]], &mut a, &mut b);
    assert!(refused.is_err() && a.len() == 10);
    // A sweep does not rotate them, and its time of contact is for shapes that do not rotate.
    let mut sweeps = Sweeps::new();
    let near = Obbs::from_slice(&[rod]);
    Detector::new()
        .sweep(&rods, &near, &[[0, 0]], &mut sweeps)
        .unwrap();
    let (mut a, mut b) = (Obbs::new(), Obbs::new());
    sweeps
        .at_exit(&rods, &near, &[[0, 0]], &mut a, &mut b)
        .unwrap();
    assert_eq!(a.get(0).unwrap().rotation, rod.rotation);
}
