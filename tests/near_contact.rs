//! Every kernel of the index against its exact oracle, with inputs within ulps of contact.
//!
//! A case starts from two random shapes. The second is moved along a line to where the kernel's answer or the exact
//! answer changes; then numbers of either shape are stepped by an ulp or two. `PHALANX_CASES` sets the number of cases
//! per kernel; the example `torture` of `benches/peers` runs any number of cases, also for other libraries.
#![cfg_attr(phalanx_only, allow(unused))]

mod common;
mod harness;
mod oracle;

use common::{Sample, Setting, add, cases, cases_or, random_rotation, rng, step};
use harness::compare::Tally;
use harness::contact::{BoundaryPairs, contact, contact_in};
use harness::fine::fine_contact;
use harness::{KernelCase, QueryRunner, cells};
use oracle::minkowski::axes_of;
use phalanx::traits::{Overlap, Shape, Sweep};
use phalanx::{
    Aabb, Capsule, Detector, HalfSpace, Obb, Overlaps, Pair, Plane, Point, Sphere, Store,
    TimeInterval, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;

fn near_contact<C: KernelCase>() {
    let mut rng = rng(C::NAME);
    let mut asker = QueryRunner::<C>::default();
    let mut tally = Tally::default();
    // The oracle of these looks at all pairs of edges, in motion.
    let wanted = match C::NAME {
        "capsule_triangle_sweep" | "triangle_triangle_sweep" => cases_or(15_000),
        "capsule_triangle_overlap" | "triangle_triangle_overlap" => cases_or(25_000),
        _ => cases(),
    };
    while tally.cases < wanted {
        let Some(contact) = contact(&mut rng, &mut asker) else {
            continue;
        };
        keep_promises(&mut asker, &contact, &mut tally);
    }
    enough_of_both::<C>(&tally);
}

/// Asserts that all results keep the promises.
fn keep_promises<C: KernelCase>(
    asker: &mut QueryRunner<C>,
    contact: &BoundaryPairs<C>,
    tally: &mut Tally,
) {
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

/// Asserts that there were enough hits and misses.
fn enough_of_both<C: KernelCase>(tally: &Tally) {
    println!("{}: {tally:?}", C::NAME);
    // Few points of a plane have float coordinates.
    assert!(
        tally.hits * 20 > tally.cases,
        "too few hits to mean anything: {tally:?}"
    );
    assert!(
        tally.hits * 10 < tally.cases * 9,
        "too few misses to mean anything: {tally:?}"
    );
}

/// Pairs of uneven sizes, which are decided in `f64`, nearer to contact than `f64` resolves.
fn fine<C: KernelCase>() {
    let mut rng = rng(&format!("{}, fine", C::NAME));
    let mut asker = QueryRunner::<C>::default();
    let mut tally = Tally::default();
    // Beside planes they are found soon, and the error of a motion is seldom the one that counts.
    let is_plane = C::NAME.contains("plane") || C::NAME.contains("half_space");
    let tries = cases_or(if is_plane && C::NAME.ends_with("sweep") {
        10 * TRIES
    } else {
        TRIES
    });
    for _ in 0..tries {
        if let Some(contact) = fine_contact(&mut rng, &mut asker) {
            keep_promises(&mut asker, &contact, &mut tally);
        }
    }
    println!("{}: {tally:?}", C::NAME);
    assert!(tally.hits * 20 > tries, "{tally:?}");
}

/// Number of tries to find such a pair, for each kernel.
const TRIES: usize = 150;

/// Boxes that touch with their farthest corners, where their bounding spheres touch: a long list, which is culled by these,
/// has the hits of its pairs alone.
#[cfg(not(phalanx_only))]
#[test]
fn boxes_that_touch_at_corners_are_not_culled() {
    fn check<A: Overlap<B>, B: Shape>(pairs: &[(A, B)], margin: f32) {
        let a: Vec<A> = pairs.iter().map(|pair| pair.0).collect();
        let b: Vec<B> = pairs.iter().map(|pair| pair.1).collect();
        let (a, b) = (Store::from_slice(&a), Store::from_slice(&b));
        let all: Vec<Pair> = (0..pairs.len() as u32).map(|i| Pair::new(i, i)).collect();
        let mut detector = Detector::new().parallel(false).margin(margin).unwrap();
        let (mut one, mut overlaps) = (Overlaps::new(), Overlaps::new());
        // Long enough that its shapes are packed.
        detector
            .overlap(&a, &b, &all.repeat(8), &mut overlaps)
            .unwrap();
        for (i, pair) in all.iter().enumerate() {
            detector.overlap(&a, &b, &[*pair], &mut one).unwrap();
            assert_eq!(overlaps.is_hit(i), one.is_hit(0), "{:?}", pairs[i]);
        }
        assert!(overlaps.count() > 4 * pairs.len());
    }
    let mut rng = rng("corners");
    // In the last, the absolute part of bounds dominates.
    for (margin, size) in [(0.0, 1.0), (0.25, 1.0), (0.0, 2f32.powi(-62))] {
        let (mut obbs, mut aabbs) = (Vec::new(), Vec::new());
        for _ in 0..1000 {
            let mut rotation = random_rotation(&mut rng, 3.1).map(|x| x as f32);
            let mut half_extents = [(); 3].map(|()| rng.random_range(0.05..1.0) * size);
            if margin > 0.0 {
                // A margin moves corners along the diagonals of cubes.
                (rotation, half_extents) = ([0.0, 0.0, 0.0, 1.0], [0.5; 3]);
            }
            let axes = axes_of(rotation);
            let turned = |v: [f32; 3]| {
                [0, 1, 2].map(|k| (0..3).map(|i| axes[i][k] * f64::from(v[i])).sum::<f64>())
            };
            let apart = [1.0, 1.0, 1.0 + 2f64.powi(-24), 1.5][rng.random_range(0..4)];
            let obb = |center: [f64; 3]| Obb {
                center: center.map(|x| (x * apart) as f32),
                half_extents,
                rotation,
            };
            let both = turned(half_extents.map(|x| x + x + margin));
            obbs.push((obb([0.0; 3]), obb(both)));
            let corner = turned(half_extents);
            let [min, max] = [[-size, 0.0], [0.0, size]]
                .map(|[above, below]| corner.map(|x| if x > 0.0 { above } else { below }));
            let center = corner.map(|x| x + f64::from(margin).copysign(x));
            aabbs.push((Aabb { min, max }, obb(center)));
        }
        check(&obbs, margin);
        check(&aabbs, margin);
    }
}

/// Pairs with parallel edges on a common line, or at angles down to rounding, that pass each other beside their ends.
///
/// The parallelogram of the edges is as thin as its roundings, so slabs along it have to end before its acute corners. Pairs
/// of uneven sizes, given by the flag, keep the band of `f64`.
fn beyond_ends<C: KernelCase>(
    mut pair: impl FnMut(&mut StdRng, bool) -> (harness::Moving<C::A>, harness::Moving<C::B>),
) {
    let mut rng = rng(&format!("{}, beyond ends", C::NAME));
    let mut asker = QueryRunner::<C>::default();
    let mut tally = Tally::default();
    while tally.cases < cases() / 10 {
        let is_uneven = rng.random_bool(0.7);
        let (a, b) = pair(&mut rng, is_uneven);
        let said = asker.ask(&[a], &[b], 0.0)[0];
        let exact = C::exact(&a, &b, 0.0, said.time());
        let mut is_kept = tally.add(said.time(), &exact);
        if is_uneven && said.hit {
            is_kept &= exact.gap <= exact.band * 2f64.powi(-29) + 2f64.powi(-56);
        }
        assert!(is_kept, "{}: {a:?} {b:?}, {exact:?}", C::NAME);
    }
    println!("{}, beyond ends: {tally:?}", C::NAME);
    enough_of_both::<C>(&tally);
}

/// Two vectors along a line, the second longer; exactly parallel, or nearly.
fn parallel(rng: &mut StdRng, is_uneven: bool) -> [[f64; 3]; 2] {
    let mut along = [(); 3].map(|()| f64::from(rng.random_range(-1000..=1000)) / 1024.0);
    let longer = f64::from(rng.random_range(if is_uneven { 33..100 } else { 1..4 }));
    let is_straight = rng.random_bool(0.4);
    if is_straight {
        along = [0.75, 0.0, 0.0];
        along.rotate_right(rng.random_range(0..3));
    }
    let other = along.map(|x| match x {
        0.0 => [0.0, 2f64.powi(rng.random_range(-70..-20))][rng.random_range(0..2)],
        x => x * longer,
    });
    [along, other]
}

/// Start and displacement of a shape that passes a place in the frame; `along` a line, it is a little off.
fn passing(rng: &mut StdRng, place: [f64; 3], along: [f64; 3]) -> [[f32; 3]; 2] {
    let off = [0.0, 2f64.powi(rng.random_range(-27..-18)), 0.1][rng.random_range(0..3)];
    let off = off * [1.0, 1.0, -1.0][rng.random_range(0..3)];
    let motion = [(); 3].map(|()| rng.random_range(-2.0..2.0f32));
    let time = rng.random_range(0.1..0.9);
    let start = [0, 1, 2].map(|k| (place[k] + along[k] * off - f64::from(motion[k]) * time) as f32);
    [start, motion]
}

#[cfg(not(phalanx_only))]
#[test]
fn edges_that_pass_beyond_their_ends_miss() {
    let radius = |rng: &mut StdRng| [0.0, 0.0, 1e-3, 0.25][rng.random_range(0..4)];
    let sum = |a: [f64; 3], b: [f64; 3], by: f64| [0, 1, 2].map(|k| a[k] + b[k] * by);
    let rounded = |x: [f64; 3]| x.map(|x| x as f32);
    let unit = |x: [f64; 3]| x.map(|k| k / distance(x, [0.0; 3]));
    let capsule = |center, half_axis, radius| Capsule {
        center,
        half_axis,
        radius,
    };
    beyond_ends::<cells::capsule_capsule_sweep>(|rng, is_uneven| {
        let [a, b] = parallel(rng, is_uneven);
        let r = radius(rng);
        let ends = sum(sum(a, b, 1.0), unit(a), f64::from(r));
        let [center, motion] = passing(rng, ends, a);
        let a = (capsule([0.0; 3], rounded(a), r), [0.0; 3]);
        let b = (capsule(center, rounded(b), 0.0), motion);
        if rng.random_bool(0.5) { (a, b) } else { (b, a) }
    });
    beyond_ends::<cells::triangle_triangle_sweep>(|rng, is_uneven| {
        let edges = parallel(rng, is_uneven);
        let [start, motion] = passing(rng, edges[0], edges[0]);
        let mut triangle = |start: [f32; 3], edge: [f64; 3]| {
            let long = distance(edge, [0.0; 3]);
            let other = [(); 3].map(|()| rng.random_range(-0.5..0.5) * long);
            let mut corners = [[0.0; 3], edge, other].map(|at| add(start, rounded(at)));
            corners.rotate_left(rng.random_range(0..3));
            Triangle { corners }
        };
        let a = (triangle([0.0; 3], edges[0]), [0.0; 3]);
        let b = (triangle(start, edges[1]), motion);
        if rng.random_bool(0.5) { (a, b) } else { (b, a) }
    });
    let beside_box = |rng: &mut StdRng, is_uneven| {
        let axis = rng.random_range(0..3);
        let mut half_axis = [(); 3].map(|()| {
            let tiny = 2f64.powi(rng.random_range(-70..-20));
            [0.0, tiny, -tiny][rng.random_range(0..3)]
        });
        half_axis[axis] = if is_uneven { 2f64.powi(6) } else { 0.75 };
        let half = [(); 3].map(|()| rng.random_range(0.1..1.0f32));
        let r = radius(rng);
        let mut corner = half.map(f64::from);
        corner[axis] += f64::from(r);
        let [center, motion] = passing(rng, sum(corner, half_axis, 1.0), half_axis);
        (capsule(center, rounded(half_axis), r), motion, half)
    };
    beyond_ends::<cells::capsule_aabb_sweep>(|rng, is_uneven| {
        let (capsule, motion, half) = beside_box(rng, is_uneven);
        let aabb = Aabb::from_center_half_extents([0.0; 3], half);
        ((capsule, motion), (aabb, [0.0; 3]))
    });
    beyond_ends::<cells::capsule_obb_sweep>(|rng, is_uneven| {
        let (capsule, motion, half_extents) = beside_box(rng, is_uneven);
        let obb = Obb {
            half_extents,
            ..Obb::default()
        };
        ((capsule, motion), (obb, [0.0; 3]))
    });
}

/// Two tests for each kernel.
macro_rules! tests {
    ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
        $(
            #[test]
            fn $file() {
                near_contact::<cells::$file>();
            }
        )*

        mod uneven {
            use super::*;
            $(
                #[test]
                fn $file() {
                    fine::<cells::$file>();
                }
            )*
        }
    };
}
phalanx::kernels!(tests);

/// Moving shapes of the largest valid lengths, and so small that products of lengths underflow.
fn of_all_lengths<C: KernelCase>() {
    let mut rng = rng(&format!("{}, of all lengths", C::NAME));
    let mut asker = QueryRunner::<C>::default();
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
        // Their positions at the start, if they meet at `time`, in the frame or shortly after.
        let time = [0.0, 1.0, 1.0000001, 1.0 + 1e-3, rng.random_range(0.0..1.2)];
        let time = time[rng.random_range(0..5)];
        let place = v.map(|x| -x * time);
        let a = (C::A::sample(&mut rng, &setting), [0.0; 3]);
        let b = (C::B::sample(&mut rng, &setting).moved(place), v);
        let contact = BoundaryPairs {
            a: vec![a],
            b: vec![b],
            margin: [0.0, 0.0, 1e-40, 1e-19][rng.random_range(0..4)],
        };
        keep_promises(&mut asker, &contact, &mut short);
    }
    enough_of_both::<C>(&short);
}

#[cfg(not(phalanx_only))]
#[test]
fn moving_boxes_of_all_lengths() {
    of_all_lengths::<cells::obb_obb_sweep>();
    of_all_lengths::<cells::aabb_obb_sweep>();
}

/// 2ᵏ times a number, exactly.
fn scaled(x: f64, k: i32) -> f32 {
    (x * 2f64.powi(k)) as f32
}

/// One case, found by a search for roundings in the same direction.
fn judge<C: KernelCase>(a: harness::Moving<C::A>, b: harness::Moving<C::B>, margin: f32) -> Tally {
    let mut tally = Tally::default();
    let said = QueryRunner::<C>::default().ask(&[a], &[b], margin)[0];
    let time = said.time();
    tally.add(time, &C::exact(&a, &b, margin, time));
    tally
}

#[cfg(not(phalanx_only))]
#[test]
fn an_entry_is_not_late_when_all_roundings_point_one_way() {
    // 8 u of all lengths are not enough here: the entry was 1.4 u of them too late.
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

#[cfg(not(phalanx_only))]
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

/// All numbers of a shape.
fn numbers<T: Shape>(shape: &mut T) -> &mut [f32] {
    bytemuck::cast_slice_mut(std::slice::from_mut(shape))
}

/// Two shapes of the longest valid lengths, near contact.
fn longest<C: KernelCase>(of_a: fn(&mut C::A) -> &mut [f32], of_b: fn(&mut C::B) -> &mut [f32]) {
    let mut rng = rng(&format!("{}, the longest", C::NAME));
    let mut asker = QueryRunner::<C>::default();
    let mut tally = Tally::default();
    while tally.cases < (cases() / 10).max(10_000) {
        let Some(mut contact) = contact(&mut rng, &mut asker) else {
            continue;
        };
        for (a, b) in contact.a.iter_mut().zip(&mut contact.b) {
            let of_shapes = of_a(&mut a.0).iter_mut().chain(of_b(&mut b.0));
            let of_motion = a.1.iter_mut().chain(&mut b.1);
            let mut all: Vec<&mut f32> = of_shapes.chain(of_motion).collect();
            all.push(&mut contact.margin);
            let most = all.iter().map(|x| x.abs()).fold(0.0, f32::max);
            let up = (2f64.powi(60) / f64::from(most)).log2().floor();
            for x in all {
                *x = (f64::from(*x) * up.exp2()) as f32;
            }
            // Each pair has its own margin.
            let one = (&[*a], &[*b], contact.margin);
            let time = asker.ask(one.0, one.1, one.2)[0].time();
            let exact = C::exact(a, b, contact.margin, time);
            assert!(
                tally.add(time, &exact),
                "{} says {time:?}: {a:?} {b:?}, margin {}, {exact:?}",
                C::NAME,
                contact.margin
            );
            contact.margin = (f64::from(contact.margin) / up.exp2()) as f32;
        }
    }
    println!("{}, the longest: {tally:?}", C::NAME);
    assert!(tally.hits * 10 > tally.cases, "{tally:?}");
}

#[cfg(not(phalanx_only))]
#[test]
fn spheres_and_boxes_of_the_longest_lengths_keep_promises() {
    longest::<cells::sphere_aabb_sweep>(numbers, numbers);
    longest::<cells::sphere_obb_sweep>(numbers, |obb| &mut numbers(obb)[..6]);
}

#[cfg(not(phalanx_only))]
#[test]
fn points_of_the_longest_lengths() {
    longest::<cells::point_sphere_sweep>(numbers, numbers);
    longest::<cells::point_capsule_overlap>(numbers, numbers);
    longest::<cells::point_capsule_sweep>(numbers, numbers);
    longest::<cells::point_aabb_sweep>(numbers, numbers);
    longest::<cells::point_obb_overlap>(numbers, |obb| &mut numbers(obb)[..6]);
    longest::<cells::point_obb_sweep>(numbers, |obb| &mut numbers(obb)[..6]);
}

#[cfg(not(phalanx_only))]
#[test]
fn capsules_of_the_longest_lengths() {
    longest::<cells::sphere_capsule_overlap>(numbers, numbers);
    longest::<cells::sphere_capsule_sweep>(numbers, numbers);
    longest::<cells::capsule_capsule_overlap>(numbers, numbers);
    longest::<cells::capsule_capsule_sweep>(numbers, numbers);
    longest::<cells::capsule_aabb_overlap>(numbers, numbers);
    longest::<cells::capsule_obb_overlap>(numbers, |obb| &mut numbers(obb)[..6]);
    longest::<cells::capsule_aabb_sweep>(numbers, numbers);
    longest::<cells::capsule_obb_sweep>(numbers, |obb| &mut numbers(obb)[..6]);
}

#[cfg(not(phalanx_only))]
#[test]
fn triangles_of_the_longest_lengths() {
    longest::<cells::triangle_triangle_overlap>(numbers, numbers);
    longest::<cells::triangle_triangle_sweep>(numbers, numbers);
}

#[cfg(not(phalanx_only))]
#[test]
fn triangles_of_all_lengths() {
    of_all_lengths::<cells::triangle_triangle_sweep>();
}

#[cfg(not(phalanx_only))]
#[test]
fn capsules_that_are_nearly_parallel() {
    // Axes at angles down to 1e-8, one of them down to 1e-8 of the other's length. They meet in the middle of the frame
    // at a corner or edge of their parallelogram, or inside it: the face is thin and its normal inaccurate.
    let mut rng = rng("nearly parallel capsules");
    let mut tally = Tally::default();
    let mut asker = QueryRunner::<cells::capsule_capsule_sweep>::default();
    while tally.cases < cases() {
        let unit = |[x, y, z]: [f64; 3]| {
            let length = distance([x, y, z], [0.0; 3]).max(1e-300);
            [x / length, y / length, z / length]
        };
        let cross = |[ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]| {
            unit([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
        };
        let mut any = || unit([(); 3].map(|()| rng.random_range(-1.0..1.0f64)));
        let (a, other, noise) = (any(), any(), any());
        let a = if rng.random_bool(0.3) {
            [1.0, 0.0, 0.0]
        } else {
            a
        };
        let (normal, angle) = (cross(a, other), 10f64.powf(rng.random_range(-8.0..0.0)));
        let side = cross(normal, a);
        let length = 10f64.powf(rng.random_range(-8.0..0.5));
        let b = [0, 1, 2].map(|k| (a[k] * angle.cos() + side[k] * angle.sin()) * length);
        let mut place = || {
            let end = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
            if rng.random_bool(0.6) {
                end * (1.0 + 1e-7 * rng.random_range(-4.0..4.0f64))
            } else {
                rng.random_range(-1.0..1.0)
            }
        };
        let (s, r) = (place(), place());
        let little = [0.0, 1e-7, 1e-6, 1e-4][rng.random_range(0..4)];
        let radius = [0.0, 0.0, 1e-6, 1e-3, 0.5][rng.random_range(0..5)];
        let speed = 10f64.powf(rng.random_range(-7.0..0.3));
        let motion = [0, 1, 2].map(|k| ((normal[k] + 0.1 * noise[k]) * speed) as f32);
        let start = [0, 1, 2].map(|k| {
            let at = s * a[k] + r * b[k] + radius * normal[k] + little * noise[k];
            (at - 0.5 * f64::from(motion[k])) as f32
        });
        let capsule = |center, half_axis: [f64; 3], radius| Capsule {
            center,
            half_axis: half_axis.map(|x| x as f32),
            radius,
        };
        let (a, b) = (capsule(start, a, radius as f32), capsule([0.0; 3], b, 0.0));
        let (a, b) = ((a, motion), (b, [0.0; 3]));
        let (a, b) = if rng.random_bool(0.5) { (a, b) } else { (b, a) };
        let time = asker.ask(&[a], &[b], 0.0)[0].time();
        let exact = cells::capsule_capsule_sweep::exact(&a, &b, 0.0, time);
        assert!(tally.add(time, &exact), "{time:?}: {a:?} {b:?}, {exact:?}");
    }
    println!("nearly parallel capsules: {tally:?}");
    assert!(tally.hits * 10 > tally.cases, "{tally:?}");
    assert!(tally.hits * 10 < tally.cases * 9, "{tally:?}");
}

#[cfg(not(phalanx_only))]
#[test]
fn triangles_on_a_lattice_are_decided_exactly() {
    // Corners on a small lattice: most pairs share a plane, a line or a corner, or are segments or points. Separated
    // pairs have gaps far above the band.
    let mut rng = rng("triangles on a lattice");
    let mut asker = QueryRunner::<cells::triangle_triangle_overlap>::default();
    let (mut hits, mut tally) = (0, Tally::default());
    while tally.cases < cases() {
        let most = rng.random_range(1..=3);
        let flat = rng.random_bool(0.3);
        let place: [i32; 3] = [(); 3].map(|()| [0, 0, 1000][rng.random_range(0..3)]);
        let scale = 2f32.powi(rng.random_range(-40..40));
        let mut corner = || {
            let mut at = [(); 3].map(|()| rng.random_range(0..=most));
            if flat {
                at[2] = at[0];
            }
            [0, 1, 2].map(|k| (place[k] + at[k]) as f32 * scale)
        };
        let mut triangle = || Triangle {
            corners: [corner(), corner(), corner()],
        };
        let (a, b) = ((triangle(), [0.0; 3]), (triangle(), [0.0; 3]));
        let time = asker.ask(&[a], &[b], 0.0)[0].time();
        let exact = cells::triangle_triangle_overlap::exact(&a, &b, 0.0, time);
        assert_eq!(time.is_some(), exact.hit, "{a:?} {b:?}, {exact:?}");
        assert!(tally.add(time, &exact));
        hits += usize::from(exact.hit);
    }
    assert!(hits * 10 > tally.cases && hits * 10 < tally.cases * 9);
}

/// A point of a triangle is placed at a point of the other: corners, edges and insides. Angles of planes and edges go
/// down to rounding; triangles are as thin as a segment, far from the origin, and separated by some ulps. They meet at
/// some time of a frame in which one moves along the other, or in any direction.
fn along_each_other<C: KernelCase<A = Triangle, B = Triangle>>(cases: usize) {
    let mut rng = rng(&format!("triangles along each other, {}", C::NAME));
    let mut asker = QueryRunner::<C>::default();
    let mut tally = Tally::default();
    while tally.cases < cases {
        let rng = &mut rng;
        let little = |rng: &mut StdRng| match rng.random_range(0..3) {
            0 => 0.0,
            1 => 10f64.powf(rng.random_range(-9.0..-3.0)),
            _ => 1.0,
        };
        let any = |rng: &mut StdRng| [(); 3].map(|()| rng.random_range(-1.0..1.0f64));
        let sum = |a: [f64; 3], b: [f64; 3], by: f64| [0, 1, 2].map(|k| a[k] + b[k] * by);
        // Edges of the second are combinations of edges of the first, plus a small random vector.
        let (along, thin) = (any(rng), little(rng));
        let beside = any(rng).map(|x| x * thin);
        let size = [1.0, 1.0, 1e-3, 1e3][rng.random_range(0..4)];
        let mix = |rng: &mut StdRng| {
            let [s, r] =
                [(); 2].map(|()| [0.0, 1.0, rng.random_range(-1.0..1.0)][rng.random_range(0..3)]);
            let mixed = sum(along.map(|x| x * s), beside, r);
            sum(mixed, any(rng), little(rng)).map(|x| x * size)
        };
        let others = [mix(rng), mix(rng)];
        let speed = [0.0, 1e-3, 1.0, 30.0][rng.random_range(0..4)];
        let motion = mix(rng).map(|x| x * speed);
        let time = [0.0, 0.5, 1.0, rng.random_range(0.0..1.0)][rng.random_range(0..4)];
        // A corner, or a point of an edge or of the inside.
        let at = |rng: &mut StdRng, [first, second]: [[f64; 3]; 2]| {
            let [s, r] = [(); 2].map(|()| rng.random_range(0.0..1.0f64));
            let [s, r] = [
                [0.0, 0.0],
                [1.0, 0.0],
                [s, 0.0],
                [s, 1.0 - s],
                [s * r, s * (1.0 - r)],
            ][rng.random_range(0..5)];
            sum(first.map(|x| x * s), second, r)
        };
        let (p, q) = (at(rng, [along, beside]), at(rng, others));
        let off = 10f64.powf(rng.random_range(-8.0..-4.0)) * [0.0, 1.0][rng.random_range(0..2)];
        let start = sum(sum(p, q, -1.0), any(rng), off);
        let far = [0.0, 0.0, 1.0, 1e3][rng.random_range(0..4)];
        let origin = any(rng).map(|x| x * far);
        let triangle = |at: [f64; 3], [first, second]: [[f64; 3]; 2]| {
            let corners = [at, sum(at, first, 1.0), sum(at, second, 1.0)];
            Triangle {
                corners: corners.map(|p| p.map(|x| x as f32)),
            }
        };
        let mut a = triangle(origin, [along, beside]);
        let start = sum(
            start,
            motion,
            if C::NAME.ends_with("sweep") {
                -time
            } else {
                0.0
            },
        );
        let mut b = triangle(sum(origin, start, 1.0), others);
        a.corners.rotate_left(rng.random_range(0..3));
        b.corners.rotate_left(rng.random_range(0..3));
        let margin = [0.0, 0.0, off as f32][rng.random_range(0..3)];
        let (a, b) = ((a, [0.0; 3]), (b, motion.map(|x| x as f32)));
        let (a, b) = if rng.random_bool(0.5) { (a, b) } else { (b, a) };
        let time = asker.ask(&[a], &[b], margin)[0].time();
        let exact = C::exact(&a, &b, margin, time);
        assert!(
            tally.add(time, &exact),
            "{time:?}: {a:?} {b:?}, margin {margin}, {exact:?}"
        );
    }
    println!("{} along each other: {tally:?}", C::NAME);
    assert!(tally.hits * 10 > tally.cases, "{tally:?}");
    assert!(tally.hits * 10 < tally.cases * 9, "{tally:?}");
}

#[cfg(not(phalanx_only))]
#[test]
fn triangles_along_each_other() {
    along_each_other::<cells::triangle_triangle_overlap>(cases());
}

#[cfg(not(phalanx_only))]
#[test]
fn moving_triangles_along_each_other() {
    along_each_other::<cells::triangle_triangle_sweep>(cases() / 4);
}

#[cfg(not(phalanx_only))]
#[test]
fn capsules_along_each_other() {
    // Parallel, or at angles down to rounding, exactly both radii apart.
    let mut rng = rng("along each other");
    let mut tally = Tally::default();
    let mut asker = QueryRunner::<cells::capsule_capsule_overlap>::default();
    let cross =
        |a: [f64; 3], b: [f64; 3]| [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i] * b[j] - a[j] * b[i]);
    while tally.cases < cases() {
        let mut any = || [(); 3].map(|()| rng.random_range(-1.0..1.0f64));
        let (along, other) = (any(), any());
        let across = cross(along, other);
        let turned = cross(along, across);
        let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (along_1, across_1, turned_1) = (length(along), length(across), length(turned));
        if along_1.min(turned_1) < 0.1 {
            continue;
        }
        let mut decade = |from: f64, to: f64| 10f64.powf(rng.random_range(from..to));
        let (size_a, size_b, angle) = (decade(-1.0, 3.0), decade(-1.0, 3.0), decade(-10.0, -1.0));
        let radius = (decade(-3.0, 0.0)) as f32;
        let parallel = rng.random_bool(0.3);
        let angle = if parallel { 0.0 } else { angle };
        let radius = if rng.random_bool(0.2) { 0.0 } else { radius };
        let sign = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
        let (shift, step_by) = (rng.random_range(-1.2..1.2), rng.random_range(-8.0..40.0f64));
        let u = 2f64.powi(-24);
        let apart = f64::from(radius) * 1.5 + step_by * u * (size_a + size_b);
        let half_a: [f64; 3] = std::array::from_fn(|k| along[k] / along_1 * size_a);
        let half_b: [f64; 3] = std::array::from_fn(|k| {
            sign * size_b * (along[k] / along_1 + angle * turned[k] / turned_1)
        });
        let center: [f64; 3] = std::array::from_fn(|k| {
            shift * (half_a[k] + sign * half_b[k]) + apart * across[k] / across_1
        });
        let mut a = Capsule {
            half_axis: half_a.map(|x| x as f32),
            radius,
            ..Capsule::default()
        };
        let mut b = Capsule {
            center: center.map(|x| x as f32),
            half_axis: half_b.map(|x| x as f32),
            radius: 0.5 * radius,
        };
        if parallel {
            // Exactly.
            let coarse = |x: f32| (x * 8.0).round() / 8.0;
            a.half_axis = a.half_axis.map(coarse);
            let times = f32::from(rng.random_range(-20..=20i8)) / 4.0;
            b.half_axis = a.half_axis.map(|x| x * times);
        }
        let (a, b) = ((a, [0.0; 3]), (b, [0.0; 3]));
        let time = asker.ask(&[a], &[b], 0.0)[0].time();
        let exact = cells::capsule_capsule_overlap::exact(&a, &b, 0.0, time);
        assert!(tally.add(time, &exact), "{time:?}: {a:?} {b:?}, {exact:?}");
    }
    println!("along each other: {tally:?}");
    assert!(
        tally.hits * 10 > tally.cases && tally.hits * 10 < tally.cases * 9,
        "{tally:?}"
    );
}

/// Capsules along a slanted plane, so that large products cancel.
fn flat<C: KernelCase<A = Capsule>>(of: fn(Plane) -> C::B) {
    let mut rng = rng(&format!("{}, flat", C::NAME));
    let mut asker = QueryRunner::<C>::default();
    let mut tally = Tally::default();
    while tally.cases < cases() {
        let mut any = |size: f32| [(); 3].map(|()| rng.random_range(-size..size));
        let (normal, along, center) = (any(1.0), any(1.0), any(1e-3));
        let [nx, ny, nz] = normal.map(f64::from);
        let [x, y, z] = along.map(f64::from);
        let half_axis = [ny * z - nz * y, nz * x - nx * z, nx * y - ny * x].map(|x| x as f32);
        let radius = 10f32.powf(rng.random_range(-6.0..-3.0));
        let capsule = Capsule {
            center,
            half_axis,
            radius,
        };
        let dot = |v: [f32; 3]| nx * f64::from(v[0]) + ny * f64::from(v[1]) + nz * f64::from(v[2]);
        let length = (nx * nx + ny * ny + nz * nz).sqrt();
        let reach = dot(half_axis).abs() + f64::from(radius) * length;
        let step_by = 2f64.powi(-24) * rng.random_range(-2.0..20.0);
        let plane = Plane {
            normal,
            d: (reach + step_by * length - dot(center)) as f32,
        };
        let (a, b) = ((capsule, [0.0; 3]), (of(plane), [0.0; 3]));
        let time = asker.ask(&[a], &[b], 0.0)[0].time();
        let exact = C::exact(&a, &b, 0.0, time);
        assert!(tally.add(time, &exact), "{time:?}: {a:?} {b:?}, {exact:?}");
    }
    println!("{}, flat: {tally:?}", C::NAME);
}

#[cfg(not(phalanx_only))]
#[test]
fn capsules_flat_on_planes() {
    let solid = |Plane { normal, d }: Plane| HalfSpace { normal, d };
    flat::<cells::capsule_plane_overlap>(|plane| plane);
    flat::<cells::capsule_plane_sweep>(|plane| plane);
    flat::<cells::capsule_half_space_overlap>(solid);
    flat::<cells::capsule_half_space_sweep>(solid);
}

#[cfg(not(phalanx_only))]
#[test]
fn a_capsule_leaves_a_side_where_its_axis_is_nearest() {
    // Slow along two axes, whose parts of the slope cancel; fast along the third, past a face.
    let mut rng = rng("leaves a side");
    let mut tally = Tally::default();
    let mut asker = QueryRunner::<cells::capsule_aabb_overlap>::default();
    let aabb = phalanx::Aabb {
        min: [-1.0; 3],
        max: [1.0; 3],
    };
    while tally.cases < cases() {
        let [x, z, fast] = [(); 3].map(|()| rng.random_range(0.3..1.5f64));
        let slow = 10f64.powf(rng.random_range(-8.0..-3.0));
        let at = rng.random_range(-0.9..0.9f64);
        let half_axis = [slow * z, fast, -slow * x];
        let center = [1.0 + x, 1.0, 1.0 + z];
        let place = std::array::from_fn(|k| (center[k] - at * half_axis[k]) as f32);
        let step_by = 2f64.powi(-24) * rng.random_range(-4.0..20.0);
        let capsule = Capsule {
            center: place.map(|x| step(x, rng.random_range(-1..=1))),
            half_axis: half_axis.map(|x| x as f32),
            radius: ((x * x + z * z).sqrt() - step_by) as f32,
        };
        let (a, b) = ((capsule, [0.0; 3]), (aabb, [0.0; 3]));
        let time = asker.ask(&[a], &[b], 0.0)[0].time();
        let exact = cells::capsule_aabb_overlap::exact(&a, &b, 0.0, time);
        assert!(tally.add(time, &exact), "{time:?}: {a:?}, {exact:?}");
    }
    println!("leaves a side: {tally:?}");
    assert!(tally.hits * 20 > tally.cases, "{tally:?}");
}

/// A shape in the frame of another shape, in f64.
struct Turned {
    axes: [[f64; 3]; 3],
    center: [f64; 3],
}

impl Turned {
    fn of(shape: &Obb) -> Self {
        let [x, y, z, w] = shape.rotation.map(f64::from);
        let n = x * x + y * y + z * z + w * w;
        let (xy, xz, yz) = (2.0 * x * y, 2.0 * x * z, 2.0 * y * z);
        let (wx, wy, wz) = (2.0 * w * x, 2.0 * w * y, 2.0 * w * z);
        let axes = [
            [w * w + x * x - y * y - z * z, xy + wz, xz - wy],
            [xy - wz, w * w + y * y - x * x - z * z, yz + wx],
            [xz + wy, yz - wx, w * w + z * z - x * x - y * y],
        ];
        Turned {
            axes: axes.map(|axis| axis.map(|x| x / n)),
            center: shape.center.map(f64::from),
        }
    }

    /// A direction of the frame, in the world.
    fn direction(&self, v: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| (0..3).map(|axis| self.axes[axis][k] * v[axis]).sum())
    }

    /// A point of the frame, in the world.
    fn point(&self, v: [f64; 3]) -> [f64; 3] {
        let v = self.direction(v);
        [0, 1, 2].map(|k| self.center[k] + v[k])
    }
}

/// Directions of capsules and of motion against a box: along its axes or faces, nearly so, or random.
fn aslant(rng: &mut StdRng) -> [f64; 3] {
    let mut way = [(); 3].map(|()| rng.random_range(-1.0..1.0));
    if rng.random_bool(0.3) {
        return way;
    }
    let mut small = || match rng.random_range(0..4) {
        0 => 0.0,
        1 => -0.0,
        _ => 10f64.powf(rng.random_range(-9.0..-1.0)) * [1.0, -1.0][rng.random_range(0..2)],
    };
    let smalls = [small(), small()];
    let axis = rng.random_range(0..3);
    way[axis] = smalls[0];
    if rng.random_bool(0.6) {
        way[(axis + 1) % 3] = smalls[1];
    }
    way
}

/// Capsules that just touch a side swept by an edge of the box, an edge of that side or a corner, or pass it by some
/// ulps. Angles to the edge go down to rounding.
fn along_edges<C: KernelCase<A = Capsule>>(target: impl Fn(&mut StdRng) -> (C::B, Obb)) {
    let mut rng = rng(&format!("along edges, {}", C::NAME));
    let rng = &mut rng;
    let mut asker = QueryRunner::<C>::default();
    let (mut tally, mut crossed) = (Tally::default(), 0);
    while tally.cases < cases() {
        let (shape, obb) = target(rng);
        let frame = Turned::of(&obb);
        let length = |rng: &mut StdRng| [0.0, 1e-3, 0.5, 1.0, 30.0][rng.random_range(0..5)];
        let (half_length, speed) = (length(rng), length(rng) * 4.0);
        let radius = [0.0, 0.0, 1e-6, 0.01, 0.5][rng.random_range(0..5)] as f32;
        let half_axis = aslant(rng).map(|x| x * half_length);
        let motion = aslant(rng).map(|x| x * speed);
        // A point of the box: a corner, or a point of an edge or a face; and a point of the capsule's axis, sometimes
        // an end.
        let touched = [0, 1, 2].map(|k| {
            let side = [-1.0, 1.0, -1.0, 1.0, rng.random_range(-1.0..1.0)][rng.random_range(0..5)];
            side * f64::from(obb.half_extents[k])
        });
        let slid = [
            -1.0,
            1.0,
            rng.random_range(-1.0..1.0),
            rng.random_range(-1.0..1.0),
        ][rng.random_range(0..4)];
        // Direction of contact: perpendicular to the axis for a side, or random.
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i] * b[j] - a[j] * b[i])
        };
        let mut edge = [0.0; 3];
        edge[rng.random_range(0..3)] = [1.0, -1.0][rng.random_range(0..2)];
        let normal = match rng.random_range(0..3) {
            0 => cross(half_axis, edge),
            1 => cross(half_axis, aslant(rng)),
            _ => edge,
        };
        let longest = distance(normal, [0.0; 3]);
        if longest == 0.0 {
            continue;
        }
        let u = 2f64.powi(-24);
        let size = 1.0 + half_length + speed;
        let ulps = [
            0.0,
            rng.random_range(-4.0..4.0),
            rng.random_range(-40.0..150.0),
        ];
        let apart = f64::from(radius) + ulps[rng.random_range(0..3)] * u * size;
        let since = [0.0, 1.0, 0.5, rng.random_range(0.0..1.0)][rng.random_range(0..4)];
        let center = [0, 1, 2].map(|k| {
            touched[k] + normal[k] / longest * apart - slid * half_axis[k] - since * motion[k]
        });
        let float = |v: [f64; 3]| v.map(|x| x as f32);
        let mut a = (
            Capsule {
                center: float(frame.point(center)),
                half_axis: float(frame.direction(half_axis)),
                radius,
            },
            float(frame.direction(motion)),
        );
        let mut b = (shape, [[0.0; 3], [-0.0; 3]][rng.random_range(0..2)]);
        if rng.random_bool(0.2) {
            b.1 = [1.0, -2.0, 0.5];
            a.1 = add(a.1, b.1);
        }
        if rng.random_bool(0.5) {
            common::nudge(rng, &mut a);
        }
        let mut store = Store::new();
        store.push_moving(a.0, a.1);
        if store.validate().is_err() {
            continue;
        }
        let time = asker.ask(&[a], &[b], 0.0)[0].time();
        let exact = C::exact(&a, &b, 0.0, time);
        assert!(
            tally.add(time, &exact),
            "{} says {time:?}: {a:?} {b:?}, {exact:?}",
            C::NAME
        );
        crossed += usize::from(time.is_some_and(|time| time.enter > 0.0 || time.exit < 1.0));
    }
    println!(
        "along edges, {}: {tally:?}, {crossed} go in or out",
        C::NAME
    );
    assert!(tally.hits * 10 > tally.cases && tally.hits * 10 < tally.cases * 9);
    assert!(crossed * 10 > tally.cases, "{crossed} go in or out");
}

#[cfg(not(phalanx_only))]
#[test]
fn capsules_along_edges_of_boxes() {
    let half_extents = |rng: &mut StdRng| {
        [(); 3].map(|()| [0.0, 1e-3, 0.5, 1.0, 1.0, 20.0][rng.random_range(0..6)])
    };
    along_edges::<cells::capsule_aabb_sweep>(|rng| {
        let center = [[0.0; 3], [3.0, -7.0, 0.25], [1e4, 0.0, -1e4]][rng.random_range(0..3)];
        let aabb = Aabb::from_center_half_extents(center, half_extents(rng));
        let ends = |k: usize| (f64::from(aabb.min[k]), f64::from(aabb.max[k]));
        let obb = Obb {
            center: [0, 1, 2].map(|k| (0.5 * (ends(k).0 + ends(k).1)) as f32),
            half_extents: [0, 1, 2].map(|k| (0.5 * (ends(k).1 - ends(k).0)) as f32),
            ..Obb::default()
        };
        (aabb, obb)
    });
    along_edges::<cells::capsule_obb_sweep>(|rng| {
        let half = 0.5f32.sqrt();
        let obb = Obb {
            center: [[0.0; 3], [3.0, -7.0, 0.25]][rng.random_range(0..2)],
            half_extents: half_extents(rng),
            rotation: [
                [0.0, 0.0, 0.0, 1.0],
                [0.5; 4],
                [0.0, half, 0.0, half],
                [1e-9, -1e-5, 1e-7, 1.0],
                Obb::sample(rng, &Setting::ordinary()).rotation,
            ][rng.random_range(0..5)],
        };
        (obb, obb)
    });
}

#[cfg(not(phalanx_only))]
#[test]
fn two_faces_passed_at_a_time_while_a_third_is_left() {
    // An ulp decides which feature is nearest, and whether the sphere approaches or recedes.
    let mut rng = rng("two faces at a time");
    let mut tally = Tally::default();
    let mut asker = QueryRunner::<cells::sphere_aabb_sweep>::default();
    let aabb = phalanx::Aabb {
        min: [-1.0; 3],
        max: [1.0; 3],
    };
    while tally.cases < cases() {
        let passed = rng.random_range(0.1..0.9f32);
        let left = passed * rng.random_range(0.0..1.0f32);
        let mut speed = || 10f32.powf(rng.random_range(-5.0..0.0f32));
        let motion = [speed(), speed(), speed()];
        let radius = if rng.random_bool(0.5) { 0.0 } else { 0.01 };
        let center = [
            -1.0 - motion[0] * passed,
            1.0 - motion[1] * left,
            -1.0 - motion[2] * passed,
        ];
        let center = center.map(|x| step(x, rng.random_range(-1..=1)));
        let ball = Sphere { center, radius };
        let (a, b) = ((ball, motion), (aabb, [0.0; 3]));
        let time = asker.ask(&[a], &[b], 0.0)[0].time();
        let exact = cells::sphere_aabb_sweep::exact(&a, &b, 0.0, time);
        assert!(tally.add(time, &exact), "{time:?}: {a:?}, {exact:?}");
    }
    println!("two faces at a time: {tally:?}");
}

#[cfg(not(phalanx_only))]
#[test]
fn sphere_sinking_over_a_face_by_ulps_keeps_promises() {
    // It passes the first edge exactly at the kernel's reach. So roundings decide whether it touches the edge, and
    // whether it would touch an extension of the edge. In reverse time it rises.
    let mut rng = rng("sinking");
    let mut tally = Tally::default();
    let mut asker = QueryRunner::<cells::sphere_aabb_sweep>::default();
    let u = 2f32.powi(-24);
    while tally.cases < cases() {
        let way = rng.random_range(0.1..1.0f32);
        let [ahead, width] = [(); 2].map(|()| way * rng.random_range(0.1..0.5f32));
        let sinks = rng.random_range(0.0..120.0) * u;
        // The maximum height for a contact at the second edge, or an ulp more.
        let above = sinks * (ahead + width) / way + rng.random_range(-2.0..2.0) * u;
        let (center, motion) = ([-ahead, 1.0 + above, 0.0], [way, -sinks, 0.0]);
        let (center, motion) = if rng.random_bool(0.5) {
            (center, motion)
        } else {
            (add(center, motion), motion.map(|x| -x))
        };
        let ball = Sphere {
            center,
            radius: 1.0,
        };
        let aabb = phalanx::Aabb {
            min: [0.0, -1.0, -1.0],
            max: [width, 0.0, 1.0],
        };
        let (a, b) = ((ball, motion), (aabb, [0.0; 3]));
        let time = asker.ask(&[a], &[b], 0.0)[0].time();
        let exact = cells::sphere_aabb_sweep::exact(&a, &b, 0.0, time);
        assert!(tally.add(time, &exact), "{time:?}: {a:?}, {exact:?}");
    }
    println!("sinking: {tally:?}");
    assert!(tally.hits * 4 > tally.cases, "{tally:?}");
}

#[cfg(not(phalanx_only))]
#[test]
fn false_hit_of_spheres_is_within_its_band() {
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

/// A shape, its middle, its axes and its half extents along them.
struct Target<B> {
    shape: B,
    middle: [f64; 3],
    axes: [[f64; 3]; 3],
    half_extents: [f64; 3],
}

impl<B> Target<B> {
    /// The point with these coordinates along the axes, relative to the middle.
    fn at(&self, along: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| {
            let of_axes = (0..3).map(|axis| self.axes[axis][k] * along[axis]);
            self.middle[k] + of_axes.sum::<f64>()
        })
    }
}

const STRAIGHT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Lengths of targets.
fn sizes(rng: &mut StdRng, scale: f32) -> [f32; 3] {
    [(); 3].map(|()| [0.0, 1e-3, 0.5, 1.0][rng.random_range(0..4)] * scale)
}

/// Rays along faces and edges, through corners and past them by an ulp or two, from outside, from inside and
/// from the surface, of all lengths.
fn rays<C: KernelCase<A = Point>>(target: impl Fn(&mut StdRng, f32) -> Target<C::B>) {
    let mut rng = rng(&format!("rays, {}", C::NAME));
    let rng = &mut rng;
    let mut asker = QueryRunner::<C>::default();
    let (mut tally, mut crossed) = (Tally::default(), 0);
    while tally.cases < cases() {
        let scale = [1e-40, 1e-19, 1e-3, 1.0, 1e6, 2f32.powi(58)][rng.random_range(0..6)];
        let target = target(rng, scale);
        // A corner, or a point of an edge or a face, or inside.
        let sides = [0, 1, 2].map(|axis| {
            let side = [-1.0, 1.0, -1.0, 1.0, rng.random_range(-1.0..1.0)][rng.random_range(0..5)];
            side * target.half_extents[axis]
        });
        // Along an axis, a diagonal of a face or of the box, or random.
        let way = match rng.random_range(0..4) {
            0 => [(); 3].map(|()| rng.random_range(-1.0..1.0)),
            _ => [(); 3].map(|()| f64::from(rng.random_range(-1..=1))),
        };
        let length = [0.0, 1e-45, 1e-38, 0.7, 1.0, 3.0, 1e6, 2e19][rng.random_range(0..8)];
        let length = if length < 1e-30 {
            length
        } else {
            length * f64::from(scale)
        };
        let way = way.map(|x| x * length);
        let since = [0.0, 1.0, 0.5, rng.random_range(0.0..1.0)][rng.random_range(0..4)];
        let touched = target.at(sides);
        let nowhere = target.at([0.0; 3]);
        let moved = target.at(way);
        let origin = [0, 1, 2].map(|k| touched[k] - since * (moved[k] - nowhere[k]));
        let displacement = [0, 1, 2].map(|k| {
            let x = (moved[k] - nowhere[k]) as f32;
            // A zero of either sign.
            if f64::from(x).abs() < 1e-9 * length || x == 0.0 {
                [0.0, -0.0][rng.random_range(0..2)]
            } else {
                x.clamp(-phalanx::MAX_LENGTH, phalanx::MAX_LENGTH)
            }
        });
        let origin = origin.map(|x| x as f32);
        let mut a = (Point { position: origin }, displacement);
        let mut b = (target.shape, [[0.0; 3], [-0.0; 3]][rng.random_range(0..2)]);
        if rng.random_bool(0.2) {
            b.1 = origin.map(|x| x * 0.5);
            a.1 = add(a.1, b.1);
        }
        if rng.random_bool(0.5) {
            common::nudge(rng, &mut a);
        }
        let valid = |store: Result<(), phalanx::Error>| store.is_ok();
        let (mut store_a, mut store_b) = (Store::new(), Store::new());
        store_a.push_moving(a.0, a.1);
        store_b.push_moving(b.0, b.1);
        if !valid(store_a.validate()) || !valid(store_b.validate()) {
            continue;
        }
        let time = asker.ask(&[a], &[b], 0.0)[0].time();
        let exact = C::exact(&a, &b, 0.0, time);
        assert!(
            tally.add(time, &exact),
            "{} says {time:?}: {a:?} {b:?}, {exact:?}",
            C::NAME
        );
        crossed += usize::from(time.is_some_and(|time| time.enter > 0.0 || time.exit < 1.0));
    }
    println!("rays, {}: {tally:?}, {crossed} go in or out", C::NAME);
    assert!(tally.hits * 4 > tally.cases && tally.hits < tally.cases);
    assert!(crossed * 100 > tally.cases, "{crossed} go in or out");
}

/// A middle near the origin, or far from it.
fn middle(rng: &mut StdRng, scale: f32) -> [f32; 3] {
    let far = [0.0, 1.0, 1e3][rng.random_range(0..3)];
    [(); 3].map(|()| (rng.random_range(-1.0..1.0f32) * far).round() * scale.min(1e12))
}

#[cfg(not(phalanx_only))]
#[test]
fn rays_along_faces_and_edges_and_through_corners() {
    rays::<cells::point_aabb_sweep>(|rng, scale| {
        let shape = Aabb::from_center_half_extents(middle(rng, scale), sizes(rng, scale));
        let ends = |k: usize| (f64::from(shape.min[k]), f64::from(shape.max[k]));
        Target {
            middle: [0, 1, 2].map(|k| (ends(k).0 + ends(k).1) / 2.0),
            half_extents: [0, 1, 2].map(|k| (ends(k).1 - ends(k).0) / 2.0),
            axes: STRAIGHT,
            shape,
        }
    });
    rays::<cells::point_obb_sweep>(|rng, scale| {
        let half = 0.5f32.sqrt();
        let mut rotation = [
            [0.0, 0.0, 0.0, 1.0],
            [0.5; 4],
            [0.0, half, 0.0, half],
            Obb::sample(rng, &Setting::ordinary()).rotation,
        ][rng.random_range(0..4)];
        if rng.random_bool(0.3) {
            // Nearly straight.
            rotation = [1e-9, -1e-5, 1e-7, 1.0];
        }
        let shape = Obb {
            center: middle(rng, scale),
            half_extents: sizes(rng, scale),
            rotation,
        };
        let [x, y, z, w] = rotation.map(f64::from);
        let n = x * x + y * y + z * z + w * w;
        let (xy, xz, yz) = (2.0 * x * y, 2.0 * x * z, 2.0 * y * z);
        let (wx, wy, wz) = (2.0 * w * x, 2.0 * w * y, 2.0 * w * z);
        let axes = [
            [w * w + x * x - y * y - z * z, xy + wz, xz - wy],
            [xy - wz, w * w + y * y - x * x - z * z, yz + wx],
            [xz + wy, yz - wx, w * w + z * z - x * x - y * y],
        ];
        Target {
            middle: shape.center.map(f64::from),
            half_extents: shape.half_extents.map(f64::from),
            axes: axes.map(|axis| axis.map(|x| x / n)),
            shape,
        }
    });
    rays::<cells::point_sphere_sweep>(|rng, scale| {
        let [radius, ..] = sizes(rng, scale);
        let shape = Sphere {
            center: middle(rng, scale),
            radius,
        };
        // The ends of one diameter, with tangents along the others.
        let mut half_extents = [0.0; 3];
        half_extents[rng.random_range(0..3)] = f64::from(radius);
        Target {
            middle: shape.center.map(f64::from),
            axes: STRAIGHT,
            half_extents,
            shape,
        }
    });
    rays::<cells::point_capsule_sweep>(|rng, scale| {
        let [radius, length, _] = sizes(rng, scale);
        let shape = Capsule {
            center: middle(rng, scale),
            half_axis: [0.0, length, 0.0],
            radius,
        };
        // The side, its two ends, and the tips.
        let beside = f64::from(radius);
        let half_extents = [
            [beside, f64::from(length), 0.0],
            [0.0, f64::from(length), beside],
            [0.0, f64::from(length) + beside, 0.0],
        ][rng.random_range(0..3)];
        Target {
            middle: shape.center.map(f64::from),
            axes: STRAIGHT,
            half_extents,
            shape,
        }
    });
    fn flat(rng: &mut StdRng, scale: f32) -> Target<Plane> {
        let axis = rng.random_range(0..3);
        let (mut normal, point) = ([0.0; 3], middle(rng, scale));
        normal[axis] = [1.0, -2.0, 1e-30][rng.random_range(0..3)];
        let mut half_extents = [f64::from(scale); 3];
        half_extents[axis] = 0.0;
        Target {
            shape: Plane::from_point_normal(point, normal),
            middle: point.map(f64::from),
            axes: STRAIGHT,
            half_extents,
        }
    }
    rays::<cells::point_plane_sweep>(flat);
    rays::<cells::point_half_space_sweep>(|rng, scale| {
        let Target {
            shape: Plane { normal, d },
            middle,
            axes,
            half_extents,
        } = flat(rng, scale);
        Target {
            shape: HalfSpace { normal, d },
            middle,
            axes,
            half_extents,
        }
    });
}

#[test]
fn an_overlap_is_a_sweep_from_the_start() {
    macro_rules! each_sweep {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(each_sweep!(@ $verb, $file);)*
        };
        (@ overlap, $file:ident) => {};
        (@ sweep, $file:ident) => { Implied::<cells::$file>::new().compare(); };
    }
    phalanx::kernels!(each_sweep);
}

/// Compares a sweep with the overlap of its shapes.
struct Implied<C>(std::marker::PhantomData<C>);

impl<C: KernelCase> Implied<C> {
    fn new() -> Self {
        Implied(std::marker::PhantomData)
    }
}

impl<C: KernelCase<A: Overlap<C::B> + Sweep<C::B>>> Implied<C> {
    fn compare(self) {
        implied::<C>();
    }
}

/// Comparison of a sweep whose overlap is not in the index. Rust prefers the method above if its bounds hold.
#[allow(dead_code, reason = "only an index without some overlap needs it")]
trait WithoutOverlap: Sized {
    fn compare(self) {}
}
impl<C: KernelCase> WithoutOverlap for Implied<C> {}

fn implied<C: KernelCase<A: Overlap<C::B> + Sweep<C::B>>>() {
    let mut rng = rng(&format!("{}, from the start", C::NAME));
    let mut overlap = QueryRunner::<AtRest<C>>::default();
    let mut sweep = QueryRunner::<C>::default();
    let mut tried = 0;
    while tried < 10_000 {
        // Contacts of the static shapes.
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

impl<C: KernelCase<A: Overlap<C::B>>> KernelCase for AtRest<C> {
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

#[cfg(not(phalanx_only))]
#[test]
fn the_oracle_of_boxes_agrees_with_sampled_points() {
    // A second, independent definition: a point of each box, found by alternating projections.
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

#[cfg(not(phalanx_only))]
#[test]
fn oracle_of_sphere_and_box_agrees_with_sampled_times() {
    let mut rng = rng("sampled times");
    let (mut hits, samples) = (0, 2000);
    for _ in 0..1000 {
        let setting = Setting::ordinary();
        let ball = Sphere::sample(&mut rng, &setting);
        let away = setting.point(&mut rng);
        let ball = (ball.moved(away), setting.point(&mut rng));
        let obb = (Obb::sample(&mut rng, &setting), setting.point(&mut rng));
        let v = [0, 1, 2].map(|k| f64::from(ball.1[k]) - f64::from(obb.1[k]));
        let gap_at = |time: f64| {
            let p = [0, 1, 2].map(|k| f64::from(ball.0.center[k]) + time * v[k]);
            distance(p, clamped(&obb.0, p)) - f64::from(ball.0.radius)
        };
        let times = (0..=samples).map(|k| f64::from(k) / f64::from(samples));
        let least = times.map(gap_at).fold(f64::INFINITY, f64::min);
        let exact = oracle::sphere_obb_sweep::exact(&ball, &obb, 0.0, None);
        let step = distance(v, [0.0; 3]) / f64::from(samples);
        let gap = if exact.hit { 0.0 } else { exact.gap };
        let expected = (least - step - 1e-9)..=least.max(0.0) + 1e-9;
        assert!(
            expected.contains(&gap),
            "{ball:?} {obb:?}: {exact:?}, {least}"
        );
        hits += usize::from(exact.hit);
    }
    assert!((100..900).contains(&hits), "{hits}");
}

#[cfg(not(phalanx_only))]
#[test]
fn the_oracles_of_capsules_agree_with_sampled_times() {
    let mut rng = rng("sampled times of capsules");
    let (mut hits, samples) = ([0; 2], 300);
    for case in 0..600 {
        let setting = Setting::ordinary();
        let away = setting.point(&mut rng);
        let mut a = Capsule::sample(&mut rng, &setting).moved(away);
        let b = (Capsule::sample(&mut rng, &setting), setting.point(&mut rng));
        let motion = setting.point(&mut rng);
        let is_ball = case % 2 == 0;
        let exact = if is_ball {
            a.half_axis = [0.0; 3];
            let ball = Sphere {
                center: a.center,
                radius: a.radius,
            };
            oracle::sphere_capsule_sweep::exact(&(ball, motion), &b, 0.0, None)
        } else {
            oracle::capsule_capsule_sweep::exact(&(a, motion), &b, 0.0, None)
        };
        let v = [0, 1, 2].map(|k| f64::from(motion[k]) - f64::from(b.1[k]));
        let gap_at = |time: f64| {
            let offset =
                [0, 1, 2].map(|k| f64::from(a.center[k]) - f64::from(b.0.center[k]) + time * v[k]);
            let radii = f64::from(a.radius) + f64::from(b.0.radius);
            distance_of_segments(offset, a.half_axis, b.0.half_axis) - radii
        };
        let times = (0..=samples).map(|k| f64::from(k) / f64::from(samples));
        let least = times.map(gap_at).fold(f64::INFINITY, f64::min);
        let step = distance(v, [0.0; 3]) / f64::from(samples);
        let gap = if exact.hit { 0.0 } else { exact.gap };
        let expected = (least - step - 1e-9)..=least.max(0.0) + 1e-9;
        assert!(
            expected.contains(&gap),
            "{a:?} {motion:?} {b:?}: {exact:?}, {least}"
        );
        hits[usize::from(is_ball)] += usize::from(exact.hit);
    }
    assert!(hits.iter().all(|hits| (30..270).contains(hits)), "{hits:?}");
}

#[cfg(not(phalanx_only))]
#[test]
fn the_oracles_of_capsules_and_boxes_agree_with_sampled_times() {
    let mut rng = rng("sampled times of capsules and boxes");
    let (mut hits, samples) = ([0; 2], 200);
    for case in 0..600 {
        let setting = Setting::ordinary();
        let away = setting.point(&mut rng);
        let capsule = Capsule::sample(&mut rng, &setting).moved(away);
        let capsule = (capsule, setting.point(&mut rng));
        let mut obb = (Obb::sample(&mut rng, &setting), setting.point(&mut rng));
        let straight = case % 2 == 0;
        if straight {
            obb.0.rotation = Obb::default().rotation;
        }
        let v = [0, 1, 2].map(|k| f64::from(capsule.1[k]) - f64::from(obb.1[k]));
        let gap_at = |time: f64| {
            let center = [0, 1, 2].map(|k| f64::from(capsule.0.center[k]) + time * v[k]);
            let from = |s: f64| {
                let p = [0, 1, 2].map(|k| center[k] + s * f64::from(capsule.0.half_axis[k]));
                distance(p, clamped(&obb.0, p))
            };
            least_of_convex(from) - f64::from(capsule.0.radius)
        };
        let times = (0..=samples).map(|k| f64::from(k) / f64::from(samples));
        let gaps: Vec<(f64, f64)> = times.map(|time| (time, gap_at(time))).collect();
        let least = gaps.iter().map(|x| x.1).fold(f64::INFINITY, f64::min);
        let exact = |claim| {
            if straight {
                let [center, half] = [obb.0.center, obb.0.half_extents];
                let aabb = Aabb {
                    min: [0, 1, 2].map(|k| center[k] - half[k]),
                    max: [0, 1, 2].map(|k| center[k] + half[k]),
                };
                oracle::capsule_aabb_sweep::exact(&capsule, &(aabb, obb.1), 0.0, claim)
            } else {
                oracle::capsule_obb_sweep::exact(&capsule, &obb, 0.0, claim)
            }
        };
        let truth = exact(None);
        let step = distance(v, [0.0; 3]) / f64::from(samples);
        let gap = if truth.hit { 0.0 } else { truth.gap };
        let expected = (least - step - 1e-6)..=least.max(0.0) + 1e-6;
        assert!(
            expected.contains(&gap),
            "{capsule:?} {obb:?}: {truth:?}, {least}"
        );
        // A claim that contains all sampled times of contact, and a claim that omits the first or the last of them.
        let touching = || gaps.iter().filter(|x| x.1 < -1e-5).map(|x| x.0);
        if let (Some(first), Some(last)) = (touching().next(), touching().next_back()) {
            let all = TimeInterval {
                enter: 0.0,
                exit: 1.0,
            };
            assert!(exact(Some(all)).encloses);
            for (enter, exit) in [(first as f32 + 1e-3, 1.0), (0.0, last as f32 - 1e-3)] {
                let claim = TimeInterval { enter, exit };
                assert!(
                    !exact(Some(claim)).encloses,
                    "{capsule:?} {obb:?} {claim:?}"
                );
            }
            // Just outside of the touching samples: no claim is late there if the next sample is separated.
            for (time, gap) in &gaps {
                let claim =
                    |enter: f32, exit: f32| exact(Some(TimeInterval { enter, exit })).encloses;
                if *gap > 1e-5 && *time > 0.0 && *time < 1.0 {
                    assert_eq!(
                        claim(*time as f32, 1.0),
                        *time < first,
                        "{capsule:?} {obb:?}"
                    );
                    assert_eq!(
                        claim(0.0, *time as f32),
                        *time > last,
                        "{capsule:?} {obb:?}"
                    );
                }
            }
            hits[usize::from(straight)] += 1;
        }
    }
    assert!(hits.iter().all(|hits| (30..270).contains(hits)), "{hits:?}");
}

/// Minimum of a convex function from −1 to 1, by ternary search.
fn least_of_convex(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-1.0, 1.0);
    for _ in 0..80 {
        let third = (high - low) / 3.0;
        if f(low + third) < f(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    f(0.5 * (low + high))
}

/// Distance of two segments by ternary search: the distance of a point of one from the other is convex.
fn distance_of_segments(offset: [f64; 3], a: [f32; 3], b: [f32; 3]) -> f64 {
    let from = |t: f64| {
        let p = [0, 1, 2].map(|k| offset[k] + t * f64::from(a[k]));
        let b = b.map(f64::from);
        let along: f64 = (0..3).map(|k| p[k] * b[k]).sum();
        let squared: f64 = b.iter().map(|x| x * x).sum();
        let s = if squared > 0.0 { along / squared } else { 0.0 };
        distance(p, b.map(|x| x * s.clamp(-1.0, 1.0)))
    };
    let (mut low, mut high) = (-1.0, 1.0);
    for _ in 0..80 {
        let third = (high - low) / 3.0;
        if from(low + third) < from(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    from(0.5 * (low + high))
}

/// The distance of two points.
fn distance(p: [f64; 3], q: [f64; 3]) -> f64 {
    (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt()
}

#[cfg(not(phalanx_only))]
#[test]
fn oracle_of_moving_boxes_agrees_with_the_static_oracle() {
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
            // A contact at a single time, without a band.
            let only = moves.hit && moves.encloses;
            assert!(!only || rests.hit, "{a:?} {b:?} {v:?} {time}");
            touches |= rests.hit;
            stations += 1;
        }
        hits += usize::from(touches);
    }
    assert!(hits > 50 && hits < 250, "{hits}");
}

/// Upper bound of the distance of two boxes, by alternating projections in f64.
fn walked_distance(a: &Obb, b: &Obb) -> f64 {
    let mut p = a.center.map(f64::from);
    let mut least = f64::INFINITY;
    for _ in 0..2000 {
        let q = clamped(b, p);
        p = clamped(a, q);
        least = distance(p, q);
    }
    least
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
