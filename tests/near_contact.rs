//! Every kernel of the index against its exact oracle, with inputs within ulps of contact.
//!
//! A case starts from two random shapes. The second is moved along a line to where the kernel's
//! answer changes, or to where the exact one does; then numbers of either are stepped by an ulp or
//! two. `PHALANX_CASES` sets the number of cases per kernel; the example `torture` of
//! `benches/peers` runs as many as asked, and other libraries beside.

mod common;
mod harness;
mod oracle;

use common::ask::ask;
use common::{Sample, Setting, add, cases, rng};
use harness::contact::{Contact, contact, contact_in};
use harness::judge::Tally;
use harness::{Asker, Cell, cells};
use phalanx::{Detector, Obb, Overlap, Overlaps, Pair, Pairs, Sphere, Store, Sweep, TimeInterval};
use rand::RngExt;

fn near_contact<C: Cell>() {
    let mut rng = rng(C::NAME);
    let mut asker = Asker::<C>::default();
    let mut tally = Tally::default();
    while tally.cases < cases() {
        let Some(contact) = contact(&mut rng, &mut asker) else {
            continue;
        };
        keep_promises(&mut asker, &contact, &mut tally);
    }
    enough_of_both::<C>(&tally);
}

/// All answers keep the promises.
fn keep_promises<C: Cell>(asker: &mut Asker<C>, contact: &Contact<C>, tally: &mut Tally) {
    let said = asker.ask(&contact.a, &contact.b, contact.margin);
    for (said, (a, b)) in said.iter().zip(contact.a.iter().zip(&contact.b)) {
        let time = said.time();
        let exact = C::exact(a, b, contact.margin, time);
        assert!(
            !said.invalid && tally.add(time, &exact),
            "{} says {time:?}: {a:?} {b:?}, margin {}, {exact:?}",
            C::NAME,
            contact.margin
        );
    }
}

/// There were hits and misses.
fn enough_of_both<C: Cell>(tally: &Tally) {
    println!("{}: {tally:?}", C::NAME);
    assert!(
        tally.hits * 10 > tally.cases,
        "too few hits to mean anything: {tally:?}"
    );
    assert!(
        tally.hits * 10 < tally.cases * 9,
        "too few misses to mean anything: {tally:?}"
    );
}

/// One test for each kernel.
macro_rules! tests {
    ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
        $(
            #[test]
            fn $file() {
                near_contact::<cells::$file>();
            }
        )*
    };
}
phalanx::kernels!(tests);

/// Copies of shapes for as many words as are told apart from others at once, and a part of one.
const COPIES: usize = 4 * 64 + 10;

/// One against many says the same before and after it knows boxes around them, of which some nearly touch.
fn one_against_many<C: Cell>() {
    let mut rng = rng(&format!("{}, one against many", C::NAME));
    let mut asker = Asker::<C>::default();
    let mut rejected = 0;
    for _ in 0..(cases() / 100).max(300) {
        let Some(contact) = contact(&mut rng, &mut asker) else {
            continue;
        };
        let (mut a, mut b) = (Store::new(), Store::new());
        for &(shape, displacement) in &contact.a {
            a.push_moving(shape, displacement);
        }
        // With all of them, a hit that is lost; with one, boxes as tight as they are.
        let which = rng.random_range(0..2 * contact.b.len());
        for k in 0..COPIES {
            let all = which >= contact.b.len();
            let (shape, displacement) = contact.b[if all { k % contact.b.len() } else { which }];
            b.push_moving(shape, displacement);
        }
        let one = rng.random_range(0..a.len() as u32);
        let mut detector = Detector::new().margin(contact.margin).unwrap();
        let list: Vec<Pair> = (0..COPIES as u32).map(|b| Pair { a: one, b }).collect();
        let expected = ask::<_, _, C::Verb>(&mut detector, &a, &b, Pairs::from(&list)).unwrap();
        for call in 0..3 {
            let said = ask::<_, _, C::Verb>(&mut detector, &a, &b, Pairs::one_to_all(one)).unwrap();
            assert_eq!(
                said,
                expected,
                "{}, call {call}: {:?} {:?}",
                C::NAME,
                a,
                b.get(0)
            );
        }
        rejected += usize::from(expected.iter().all(|said| !said.hit));
    }
    assert!(rejected > 0, "{}: none was missed", C::NAME);
}

#[test]
fn boxes_around_many_lose_no_contact() {
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(one_against_many::<cells::$file>();)*
        };
    }
    phalanx::kernels!(each);
}

/// Moving shapes as large as they may be, and so small that products of lengths vanish.
fn of_all_lengths<C: Cell>() {
    let mut rng = rng(&format!("{}, of all lengths", C::NAME));
    let mut asker = Asker::<C>::default();
    let (mut long, mut short) = (Tally::default(), Tally::default());
    while long.cases < cases() / 10 {
        let mut setting = Setting::random(&mut rng);
        setting.scale = 2f32.powi(rng.random_range(38..=46));
        setting.offset = [0.0; 3];
        if let Some(contact) = contact_in(&setting, &mut rng, &mut asker) {
            keep_promises(&mut asker, &contact, &mut long);
        }
    }
    enough_of_both::<C>(&long);
    while short.cases < cases() / 10 {
        let mut setting = Setting::random(&mut rng);
        setting.scale = 10f32.powf(rng.random_range(-44.0..-36.0));
        setting.offset = [0.0; 3];
        let size = [0.0, setting.scale, 1e-22, 1e-19, 1e-18, 1e-16, 1.0][rng.random_range(0..7)];
        let mut v = [(); 3].map(|()| rng.random_range(-1.0..1.0) * size);
        for x in &mut v {
            if rng.random_bool(0.3) {
                *x = [0.0, -0.0, 1e-45, -1e-39][rng.random_range(0..4)];
            }
        }
        // Where they are at the start if they meet at some time, in the frame or soon after.
        let time = [0.0, 1.0, 1.0000001, 1.0 + 1e-3, rng.random_range(0.0..1.2)];
        let time = time[rng.random_range(0..5)];
        let place = v.map(|x| -x * time);
        let a = (C::A::sample(&mut rng, &setting), [0.0; 3]);
        let b = (C::B::sample(&mut rng, &setting).moved(place), v);
        let contact = Contact {
            a: vec![a],
            b: vec![b],
            margin: [0.0, 0.0, 1e-40, 1e-19][rng.random_range(0..4)],
        };
        keep_promises(&mut asker, &contact, &mut short);
    }
    enough_of_both::<C>(&short);
}

#[test]
fn moving_boxes_of_all_lengths() {
    of_all_lengths::<cells::obb_obb_sweep>();
    of_all_lengths::<cells::aabb_obb_sweep>();
}

/// 2ᵏ times a number, exactly.
fn scaled(x: f64, k: i32) -> f32 {
    (x * 2f64.powi(k)) as f32
}

/// One case, found by looking for roundings that all point the same way.
fn judge<C: Cell>(a: harness::Moving<C::A>, b: harness::Moving<C::B>, margin: f32) -> Tally {
    let mut tally = Tally::default();
    let said = Asker::<C>::default().ask(&[a], &[b], margin)[0];
    let time = said.time();
    tally.add(time, &C::exact(&a, &b, margin, time));
    tally
}

#[test]
fn an_entry_is_not_late_when_all_roundings_point_one_way() {
    // 8 u of all lengths are not enough here: the entry came 1.4 u of them too late.
    let a = Sphere {
        center: [scaled(1.0, -24), 0.0, 0.0],
        radius: 0.0,
    };
    let b = Sphere {
        center: [
            scaled(-f64::from(0x1001096), -24),
            scaled(-f64::from(0x1013248), -36),
            scaled(-f64::from(0x1000002), -36),
        ],
        radius: scaled(f64::from(0x12ed11c), -38),
    };
    let motion_a = [scaled(-1.0, -24), 0.0, 0.0];
    let motion_b = [
        scaled(f64::from(0x1000fe4), -24),
        scaled(f64::from(0x1fdbb08), -37),
        scaled(1.0, -12),
    ];
    let tally = judge::<cells::sphere_sphere_sweep>((a, motion_a), (b, motion_b), 0.0);
    assert_eq!((tally.hits, tally.broken()), (1, 0), "{tally:?}");
}

#[test]
fn motion_so_slow_that_products_vanish_is_no_hit() {
    let point = |center| Sphere {
        center,
        radius: 0.0,
    };
    let center = [
        scaled(-1.5, -126),
        scaled(f64::from(0x17ffffe), -24 - 126),
        scaled(1.0, -53),
    ];
    let slow = [1e-45, 1e-45, 0.0];
    let pair = ((point([0.0; 3]), [0.0; 3]), (point(center), slow));
    let tally = judge::<cells::sphere_sphere_sweep>(pair.0, pair.1, 0.0);
    assert_eq!((tally.hits, tally.broken()), (0, 0), "{tally:?}");
}

#[test]
fn a_false_hit_of_balls_is_within_its_band() {
    // 12.85 u (rA + rB + margin) apart, found by climbing.
    let a = Sphere {
        center: [0x0, 0x3ab06c40, 0x3ad5b971].map(f32::from_bits),
        radius: f32::from_bits(0x3a0eb681),
    };
    let b = Sphere {
        center: [0xba45bf4f, 0x3e123585, 0x3b461920].map(f32::from_bits),
        radius: f32::from_bits(0x3e102070),
    };
    let margin = f32::from_bits(0x391f45fb);
    let rest = [0.0; 3];
    let tally = judge::<cells::sphere_sphere_overlap>((a, rest), (b, rest), margin);
    assert_eq!((tally.false_hits, tally.broken()), (1, 0), "{tally:?}");
    assert!(tally.worst_gap > 0.85, "{tally:?}");
}

#[test]
fn an_overlap_is_a_sweep_from_the_start() {
    macro_rules! each_sweep {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(each_sweep!(@ $verb, $file);)*
        };
        (@ overlap, $file:ident) => {};
        (@ sweep, $file:ident) => { implied::<cells::$file>(); };
    }
    phalanx::kernels!(each_sweep);
}

fn implied<C: Cell<A: Overlap<C::B> + Sweep<C::B>>>() {
    let mut rng = rng(&format!("{}, from the start", C::NAME));
    let mut overlap = Asker::<AtRest<C>>::default();
    let mut sweep = Asker::<C>::default();
    let mut tried = 0;
    while tried < 10_000 {
        // Contacts of the shapes as they rest.
        let Some(contact) = contact(&mut rng, &mut overlap) else {
            continue;
        };
        let now = overlap.ask(&contact.a, &contact.b, contact.margin);
        let during = sweep.ask(&contact.a, &contact.b, contact.margin);
        for (i, (now, during)) in now.iter().zip(during).enumerate() {
            let enter = during.time().map(|time| time.enter);
            assert!(
                !now.hit || enter == Some(0.0),
                "{}: {:?} {:?} {}",
                C::NAME,
                contact.a[i],
                contact.b[i],
                contact.margin
            );
            tried += usize::from(now.hit);
        }
    }
}

/// The overlap of a sweep's shapes.
struct AtRest<C>(std::marker::PhantomData<C>);

impl<C: Cell<A: Overlap<C::B>>> Cell for AtRest<C> {
    const NAME: &'static str = C::NAME;
    type A = C::A;
    type B = C::B;
    type Verb = Overlaps;
    fn exact(
        a: &harness::Moving<C::A>,
        b: &harness::Moving<C::B>,
        margin: f32,
        _: Option<TimeInterval>,
    ) -> oracle::Exact {
        C::exact(&(a.0, [0.0; 3]), &(b.0, [0.0; 3]), margin, None)
    }
}

#[test]
fn the_oracle_of_boxes_agrees_with_sampled_points() {
    // A second, independent definition: a point of each box, found by walking towards each other.
    let mut rng = rng("sampled points");
    for _ in 0..300 {
        let setting = Setting::random(&mut rng);
        let a = Obb::sample(&mut rng, &setting);
        let b = Obb::sample(&mut rng, &setting);
        let exact = oracle::obb_obb_overlap::exact(&a, &b, 0.0);
        let distance = walked_distance(&a, &b);
        let size = f64::from(setting.scale) + f64::from(add(setting.offset, [0.0; 3])[0]).abs();
        if exact.hit {
            assert!(distance < 0.05 * size, "{a:?} {b:?}: {distance}");
        } else {
            assert!(
                distance > 0.99 * exact.gap - 1e-9 * size,
                "{a:?} {b:?}: {exact:?}"
            );
        }
    }
}

#[test]
fn the_oracle_of_moving_boxes_agrees_with_that_of_boxes_at_rest() {
    let mut rng = rng("stations");
    let (mut stations, mut hits) = (0, 0);
    while stations < 3_000 {
        let mut setting = Setting::random(&mut rng);
        setting.snapped = true;
        setting.scale = 8.0;
        setting.offset = [0.0; 3];
        let a = Obb::sample(&mut rng, &setting);
        let b = Obb::sample(&mut rng, &setting);
        let v = [(); 3].map(|()| rng.random_range(-4..=4) as f32 * 8.0);
        let mut touches = false;
        for k in 0..=8 {
            // All sums are exact.
            let time = k as f32 / 8.0;
            let there = b.moved(v.map(|x| x * time));
            let rests = oracle::obb_obb_overlap::exact(&a, &there, 0.0);
            let claim = TimeInterval {
                enter: time,
                exit: time,
            };
            let moves = oracle::obb_obb_sweep::exact(&(a, [0.0; 3]), &(b, v), 0.0, Some(claim));
            assert!(
                (moves.slack - rests.gap).abs() < 1e-12,
                "{a:?} {b:?} {v:?} {time}"
            );
            assert!(moves.hit || !rests.hit, "{a:?} {b:?} {v:?} {time}");
            // Of a point in time contact is no more than that.
            let only = moves.hit && moves.encloses;
            assert!(!only || rests.hit, "{a:?} {b:?} {v:?} {time}");
            touches |= rests.hit;
            stations += 1;
        }
        hits += usize::from(touches);
    }
    assert!(hits > 50 && hits < 250, "{hits}");
}

/// The distance of two boxes by alternating projections, in f64: from above.
fn walked_distance(a: &Obb, b: &Obb) -> f64 {
    let mut p = a.center.map(f64::from);
    let mut distance = f64::INFINITY;
    for _ in 0..2000 {
        let q = clamped(b, p);
        p = clamped(a, q);
        distance = (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
    }
    distance
}

/// The point of a box nearest to a point.
fn clamped(shape: &Obb, p: [f64; 3]) -> [f64; 3] {
    let [x, y, z, w] = shape.rotation.map(f64::from);
    let rotate = |[vx, vy, vz]: [f64; 3], w: f64| {
        let t = [
            y * vz - z * vy + w * vx,
            z * vx - x * vz + w * vy,
            x * vy - y * vx + w * vz,
        ];
        let dot = x * vx + y * vy + z * vz;
        let norm = x * x + y * y + z * z + w * w;
        [
            (dot * x + w * t[0] + y * t[2] - z * t[1]) / norm,
            (dot * y + w * t[1] + z * t[0] - x * t[2]) / norm,
            (dot * z + w * t[2] + x * t[1] - y * t[0]) / norm,
        ]
    };
    let center = shape.center.map(f64::from);
    let local = rotate([p[0] - center[0], p[1] - center[1], p[2] - center[2]], -w);
    let mut inside = [0.0; 3];
    for k in 0..3 {
        let half = f64::from(shape.half_extents[k]);
        inside[k] = local[k].clamp(-half, half);
    }
    let turned = rotate(inside, w);
    [
        turned[0] + center[0],
        turned[1] + center[1],
        turned[2] + center[2],
    ]
}
