//! Convex hulls against their definition in exact arithmetic, near contact and far from it, and against boxes.
//!
//! `PHALANX_CASES` sets the number of cases for each kind of shape.
#![cfg_attr(phalanx_only, allow(unused))]

mod common;
mod oracle;

#[path = "common/hull_bits.rs"]
mod hull_bits;
#[path = "common/hull_pairs.rs"]
mod hull_pairs;

use common::{Sample, Setting, cases_or, rng, step};
use hull_bits::bits;
use hull_pairs::{Partner, field, hull, radius, rounded_field, size};
use oracle::U;
use oracle::exact::Scale;
use oracle::hulls::{Apart, Points, Side, from_surface};
use oracle::minkowski::{axes_of, length, sub};
use oracle::planes::Surface;
use phalanx::traits::{Bounded, Distance, Overlap, Sweep};
use phalanx::{
    Aabb, Aabbs, Capsule, ClosestPoints, Contacts, Detector, Distances, During, Error, FirstHits,
    HalfSpace, Hull, HullKinds, Hulls, Nearest, Obb, Obbs, Overlaps, Pair, Pairs, PlacedHull,
    Plane, Point, Simd, Sphere, Spheres, Store, Sweeps, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;

/// Bands of the contract, in u of S.
const BAND: f64 = 9.0;
const SETTLED: f64 = 288.0;
const FLOOR: f64 = 1.0 / (1u64 << 58) as f64;

fn cases() -> usize {
    cases_or(1500)
}

#[derive(Debug, Default)]
struct Tally {
    hits: usize,
    swept: usize,
    near: usize,
    unsettled: usize,
    /// Largest part of S, in u.
    gap: f64,
    width: f64,
    early: f64,
}

/// Judges hulls, or rounded hulls, with one kind of shape.
fn judge<B: Partner>(are_rounded: bool)
where
    PlacedHull: Overlap<B::Shape> + Sweep<B::Shape> + Distance<B::Shape>,
    B::Shape: Overlap<PlacedHull> + Distance<PlacedHull>,
{
    let name = std::any::type_name::<B>();
    let rounded = if are_rounded { "rounded " } else { "" };
    let mut rng = rng(&format!("{rounded}hulls with {name}"));
    let mut tally = Tally::default();
    let mut left = cases();
    while left > 0 {
        let count = left.min(250);
        left -= count;
        let mut all: Vec<(Points, B, [[f32; 3]; 2])> = Vec::new();
        while all.len() < count {
            let setting = Setting::random(&mut rng);
            let (mut a, mut b) = (hull(&mut rng, &setting), B::sample(&mut rng, &setting));
            if are_rounded {
                a.radius = radius(&mut rng, &setting);
                b = b.rounded(radius(&mut rng, &setting));
            }
            if rng.random_bool(0.5) {
                b = b.moved([(); 3].map(|()| rng.random_range(-3.0..3.0) * setting.scale));
            }
            let motion = [setting.motion(&mut rng), setting.motion(&mut rng)];
            // Lengths that the exact answer bears.
            let is_short = size(&a, &b, motion) < 1e17;
            if a.is_valid() && b.is_valid() && is_short {
                all.push((a, b, motion));
            }
        }
        bring_near(&mut rng, &mut all);
        test(&all, &mut tally);
    }
    println!("{rounded}{name}: {tally:.1?}");
    assert!(tally.hits * 20 > cases() && tally.near * 20 > cases() && tally.swept > tally.hits);
    assert!(
        tally.unsettled * 1000 <= cases(),
        "{} are not settled",
        tally.unsettled
    );
}

/// Moves some shapes by the way between the nearest points, and steps numbers by some ulps.
fn bring_near<B: Partner>(rng: &mut StdRng, all: &mut [(Points, B, [[f32; 3]; 2])])
where
    PlacedHull: Distance<B::Shape>,
{
    let (a, b) = stores(all);
    let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
    let mut detector = Detector::new().parallel(false);
    detector
        .distance_points(&a, &b, Pairs::zip(), &mut distances, &mut points)
        .unwrap();
    for (i, (_, b, _)) in all.iter_mut().enumerate() {
        if rng.random_bool(0.3) {
            continue;
        }
        let [p, q] = points.get(i).unwrap();
        let noise = [0.0, 0.0, 1e-7, 1e-6, 1e-3][rng.random_range(0..5)];
        let way = [0, 1, 2].map(|k| (p[k] - q[k]) * (1.0 - noise));
        let mut moved = b.moved(way);
        for _ in 0..rng.random_range(0..3) {
            let mut by = [0.0; 3];
            let axis = rng.random_range(0..3);
            let (center, _) = moved.size();
            let at = center[axis] as f32;
            by[axis] = step(at, rng.random_range(-2..=2)) - at;
            moved = moved.moved(by);
        }
        if moved.is_valid() {
            *b = moved;
        }
    }
}

fn stores<B: Partner>(all: &[(Points, B, [[f32; 3]; 2])]) -> (Hulls, B::Stores) {
    let a: Vec<_> = all
        .iter()
        .map(|(a, _, motion)| (a.clone(), motion[0]))
        .collect();
    let b: Vec<_> = all
        .iter()
        .map(|(_, b, motion)| (b.clone(), motion[1]))
        .collect();
    (Points::stores(&a), B::stores(&b))
}

fn test<B: Partner>(all: &[(Points, B, [[f32; 3]; 2])], tally: &mut Tally)
where
    PlacedHull: Overlap<B::Shape> + Sweep<B::Shape> + Distance<B::Shape>,
    B::Shape: Overlap<PlacedHull> + Distance<PlacedHull>,
{
    let (a, b) = stores(all);
    let mut detector = Detector::new().parallel(false);
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
    detector
        .overlap(&a, &b, Pairs::zip(), &mut overlaps)
        .unwrap();
    detector.sweep(&a, &b, Pairs::zip(), &mut sweeps).unwrap();
    detector
        .distance_points(&a, &b, Pairs::zip(), &mut distances, &mut points)
        .unwrap();
    assert_eq!(overlaps.invalid_count() + sweeps.invalid_count(), 0);
    for (i, (x, y, motion)) in all.iter().enumerate() {
        let case = || format!("{x:?}\n{y:?}\nmoving by {motion:?}");
        let still = [[0.0; 3]; 2];
        let (at_rest, moving) = (size(x, y, still), size(x, y, *motion));
        let start = Apart::at(x, y, still, 0.0);
        let exact = start.distance();
        let in_u = |length: f64, size: f64| {
            if length <= FLOOR {
                0.0
            } else {
                (length - FLOOR) / size / U
            }
        };
        let is_hit = overlaps.is_hit(i);
        tally.hits += usize::from(is_hit);
        tally.near += usize::from(in_u(exact, at_rest) < 100.0 && exact > 0.0);
        assert!(is_hit || !start.touch(), "missed\n{}", case());
        if is_hit {
            tally.gap = tally.gap.max(in_u(exact, at_rest));
            assert!(in_u(exact, at_rest) <= BAND, "hit at {exact}\n{}", case());
        }

        let range = distances.get(i).unwrap();
        assert!(
            start.compared(range.lower).0,
            "{range:?} above {exact}\n{}",
            case()
        );
        assert!(
            start.compared(range.upper).1,
            "{range:?} below {exact}\n{}",
            case()
        );
        assert!(
            !is_hit || range.lower == 0.0,
            "{range:?} of a hit\n{}",
            case()
        );
        let width = f64::from(range.upper - range.lower) - f64::from(range.upper) / 65536.0;
        if distances.is_settled(i) {
            tally.width = tally.width.max(in_u(width, at_rest));
            assert!(in_u(width, at_rest) <= SETTLED, "{range:?}\n{}", case());
        } else {
            tally.unsettled += 1;
        }
        let [p, q] = points.get(i).unwrap().map(|p| p.map(f64::from));
        let apart = length(sub(q, p));
        // Points are rounded, if tiny to multiples of 2⁻¹⁴⁹.
        let rounding = 4.0 * f64::from(f32::from_bits(1));
        assert!(
            apart <= f64::from(range.upper) * (1.0 + 1e-6) + rounding,
            "{apart} of {range:?}\n{}",
            case()
        );

        match sweeps.get(i) {
            None => {
                // The time at which they are nearest, by thirds.
                let (mut low, mut high) = (0.0f32, 1.0f32);
                for _ in 0..12 {
                    let (t, s) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                    let at = |t| Apart::at(x, y, *motion, t).distance();
                    if at(t) < at(s) { high = s } else { low = t }
                }
                for t in [low, (low + high) / 2.0, high] {
                    assert!(
                        !Apart::at(x, y, *motion, t).touch(),
                        "missed at {t}\n{}",
                        case()
                    );
                }
            }
            Some(time) => {
                tally.swept += 1;
                assert!(
                    !is_hit || time.enter == 0.0,
                    "{time:?} of a hit\n{}",
                    case()
                );
                if time.enter > 0.0 {
                    let before = Apart::at(x, y, *motion, time.enter.next_down());
                    assert!(!before.touch(), "late: {time:?}\n{}", case());
                    let gap = Apart::at(x, y, *motion, time.enter).distance();
                    tally.early = tally.early.max(in_u(gap, moving));
                    assert!(in_u(gap, moving) <= BAND, "{gap} at {time:?}\n{}", case());
                }
                if time.exit < 1.0 {
                    let after = Apart::at(x, y, *motion, time.exit.next_up());
                    assert!(!after.touch(), "left early: {time:?}\n{}", case());
                }
            }
        }
        if is_hit && sweeps.get(i).is_none() {
            panic!("a hit of `overlap` is none of `sweep`\n{}", case());
        }
    }
}

macro_rules! judged {
    ($are_rounded:literal: $($test:ident: $shape:ident;)+) => { $(
        #[test]
        fn $test() {
            judge::<$shape>($are_rounded);
        }
    )+ };
}
judged! { true:
    rounded_hull_hull_is_exact_within_its_band: Points;
    rounded_hull_point_is_exact_within_its_band: Point;
    rounded_hull_sphere_is_exact_within_its_band: Sphere;
    rounded_hull_capsule_is_exact_within_its_band: Capsule;
    rounded_hull_aabb_is_exact_within_its_band: Aabb;
    rounded_hull_obb_is_exact_within_its_band: Obb;
    rounded_hull_triangle_is_exact_within_its_band: Triangle;
}
judged! { false:
    hull_hull_is_exact_within_its_band: Points;
    hull_point_is_exact_within_its_band: Point;
    hull_sphere_is_exact_within_its_band: Sphere;
    hull_capsule_is_exact_within_its_band: Capsule;
    hull_aabb_is_exact_within_its_band: Aabb;
    hull_obb_is_exact_within_its_band: Obb;
    hull_triangle_is_exact_within_its_band: Triangle;
}

/// Judges hulls, or rounded hulls, with planes or half-spaces.
fn judge_surface<S: Surface + Sample>(are_rounded: bool)
where
    PlacedHull: Overlap<S> + Sweep<S> + Distance<S>,
{
    let name = std::any::type_name::<S>();
    let rounded = if are_rounded { "rounded " } else { "" };
    let mut rng = rng(&format!("{rounded}hulls with {name}"));
    let (mut hits, mut swept, mut missed) = (0, 0, 0);
    let mut detector = Detector::new().parallel(false);
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
    for _ in 0..cases() {
        let setting = Setting::random(&mut rng);
        let (mut x, mut y) = (hull(&mut rng, &setting), S::sample(&mut rng, &setting));
        if are_rounded {
            x.radius = radius(&mut rng, &setting);
        }
        let motion = [setting.motion(&mut rng), setting.motion(&mut rng)];
        if !x.is_valid() || Store::from_slice(&[y]).validate().is_err() {
            continue;
        }
        // Onto a corner, give or take some ulps.
        if rng.random_bool(0.6) {
            let (a, b) = (
                Points::stores(&[(x.clone(), [0.0; 3])]),
                Store::from_slice(&[y]),
            );
            detector
                .distance_points(&a, &b, Pairs::zip(), &mut distances, &mut points)
                .unwrap();
            let [p, q] = points.get(0).unwrap();
            let moved = y.moved([0, 1, 2].map(|k| p[k] - q[k]));
            if Store::from_slice(&[moved]).validate().is_ok() {
                y = moved;
            }
        }
        let (a, mut b) = (Points::stores(&[(x.clone(), motion[0])]), Store::new());
        b.push_moving(y, motion[1]);
        detector
            .overlap(&a, &b, Pairs::zip(), &mut overlaps)
            .unwrap();
        detector.sweep(&a, &b, Pairs::zip(), &mut sweeps).unwrap();
        detector
            .distance_points(&a, &b, Pairs::zip(), &mut distances, &mut points)
            .unwrap();
        let case = || format!("{x:?}\n{y:?}\nmoving by {motion:?}");
        let (normal, d) = y.plane();
        let n = normal.map(f64::from);
        let (center, lengths) = x.size();
        let terms = (0..3).map(|k| (n[k] * center[k]).abs()).sum::<f64>() + f64::from(d).abs();
        let rest = terms / length(n) * 3f64.sqrt() + 2.0 * lengths;
        let travel = (0..3).map(|k| (f64::from(motion[1][k]) - f64::from(motion[0][k])).abs());
        let moving = rest + travel.sum::<f64>();
        let band = |size: f64| BAND * U * size + FLOOR;
        let (exact, touch) = from_surface(&x, &y, [[0.0; 3]; 2], 0.0);
        hits += usize::from(overlaps.is_hit(0));
        assert!(overlaps.is_hit(0) || !touch, "missed\n{}", case());
        assert!(
            !overlaps.is_hit(0) || exact <= band(rest),
            "hit at {exact}\n{}",
            case()
        );
        let range = distances.get(0).unwrap();
        let error = 1e-12 * (exact + f64::from(x.radius));
        assert!(
            f64::from(range.lower) <= exact + error,
            "{range:?} {exact}\n{}",
            case()
        );
        assert!(
            f64::from(range.upper) >= exact - error,
            "{range:?} {exact}\n{}",
            case()
        );
        assert!(
            !overlaps.is_hit(0) || range.lower == 0.0,
            "{range:?}\n{}",
            case()
        );
        assert!(distances.is_settled(0), "{range:?} {exact}\n{}", case());
        match sweeps.get(0) {
            None => {
                missed += 1;
                // The heights are linear in time.
                for t in [0.0, 0.25, 0.5, 0.75, 1.0] {
                    assert!(
                        !from_surface(&x, &y, motion, t).1,
                        "missed at {t}\n{}",
                        case()
                    );
                }
            }
            Some(time) => {
                swept += 1;
                assert!(
                    !overlaps.is_hit(0) || time.enter == 0.0,
                    "{time:?}\n{}",
                    case()
                );
                if time.enter > 0.0 {
                    let before = from_surface(&x, &y, motion, time.enter.next_down());
                    assert!(!before.1, "late: {time:?}\n{}", case());
                    let gap = from_surface(&x, &y, motion, time.enter).0;
                    assert!(gap <= band(moving), "{gap} at {time:?}\n{}", case());
                }
                if time.exit < 1.0 {
                    let after = from_surface(&x, &y, motion, time.exit.next_up());
                    assert!(!after.1, "left early: {time:?}\n{}", case());
                }
            }
        }
    }
    assert!(
        hits * 20 > cases() && swept > hits && missed * 20 > cases(),
        "{hits} {swept} {missed}"
    );
}

#[test]
fn hull_plane_is_exact_within_its_band() {
    judge_surface::<Plane>(false);
}

#[test]
fn rounded_hull_plane_is_exact_within_its_band() {
    judge_surface::<Plane>(true);
}

#[test]
fn rounded_hull_half_space_is_exact_within_its_band() {
    judge_surface::<HalfSpace>(true);
}

#[test]
fn hull_half_space_is_exact_within_its_band() {
    judge_surface::<HalfSpace>(false);
}

fn spheres(rng: &mut StdRng, len: usize, reach: f32) -> Spheres {
    let mut spheres = Spheres::new();
    for _ in 0..len {
        let center = [(); 3].map(|()| rng.random_range(-reach..reach));
        let motion = [(); 3].map(|()| rng.random_range(-2.0..2.0));
        spheres.push_moving(
            Sphere {
                center,
                radius: rng.random_range(0.0..0.5),
            },
            motion,
        );
    }
    spheres
}

#[test]
fn results_are_the_same_for_every_lane_count_thread_count_and_source() {
    let mut rng = rng("hulls everywhere");
    let (a, b) = (field(&mut rng, 300, 4.0), field(&mut rng, 300, 4.0));
    let rounded = rounded_field(&mut rng, 300, 4.0);
    let spheres = spheres(&mut rng, 300, 4.0);
    let pairs: Vec<Pair> = (0..40_000)
        .map(|_| Pair::new(rng.random_range(0..300), rng.random_range(0..300)))
        .collect();
    let mut expected: Option<[Vec<u64>; 4]> = None;
    for simd in Simd::available() {
        for parallel in [false, true] {
            let mut detector = Detector::new().simd(simd).parallel(parallel);
            let found = [
                bits(&mut detector, &a, &b, &pairs),
                bits(&mut detector, &a, &spheres, &pairs),
                bits(&mut detector, &rounded, &a, &pairs),
                bits(&mut detector, &rounded, &spheres, &pairs),
            ];
            match &expected {
                None => expected = Some(found),
                Some(expected) => assert!(*expected == found, "{simd} differs"),
            }
        }
    }
    // Zips and one against all are lists that need not be written down.
    let mut detector = Detector::new();
    let (mut by_list, mut by_rule) = (Sweeps::new(), Sweeps::new());
    let (mut far, mut near) = (Distances::new(), Distances::new());
    let all: Vec<Pair> = (0..300).map(|i| Pair::new(i, i)).collect();
    detector.sweep(&a, &b, &all, &mut by_list).unwrap();
    detector.sweep(&a, &b, Pairs::zip(), &mut by_rule).unwrap();
    assert!(by_list == by_rule && by_list.count() > 0);
    detector.distance(&a, &b, &all, &mut far).unwrap();
    detector.distance(&a, &b, Pairs::zip(), &mut near).unwrap();
    assert!(far == near);
    for index in [0, 7, 299] {
        let all: Vec<Pair> = (0..300).map(|j| Pair::new(index, j)).collect();
        detector.sweep(&a, &b, &all, &mut by_list).unwrap();
        detector
            .sweep(&a, &b, Pairs::one_to_all(index), &mut by_rule)
            .unwrap();
        assert!(by_list == by_rule);
        detector.sweep(&spheres, &b, &all, &mut by_list).unwrap();
        detector
            .sweep(&spheres, &b, Pairs::one_to_all(index), &mut by_rule)
            .unwrap();
        assert!(by_list == by_rule);
    }
}

/// Compares a long list of hulls with one kind of shape, in both orders, to lists of one pair.
fn list_answers_as_pairs<T>(rng: &mut StdRng, hulls: &Hulls)
where
    PlacedHull: Overlap<T> + Sweep<T>,
    T: Sample + Bounded + Overlap<PlacedHull> + Sweep<PlacedHull>,
{
    let setting = Setting::ordinary();
    let mut others = Store::<T>::new();
    for _ in 0..200 {
        let by = [(); 3].map(|()| rng.random_range(-2.0..2.0f32));
        let motion = [(); 3].map(|()| rng.random_range(-2.0..2.0f32));
        others.push_moving(T::sample(rng, &setting).moved(by), motion);
    }
    let pairs: Vec<Pair> = (0..3000)
        .map(|_| Pair::new(rng.random_range(0..300), rng.random_range(0..200)))
        .collect();
    let turned: Vec<Pair> = pairs.iter().map(|pair| Pair::new(pair.b, pair.a)).collect();
    let mut detector = Detector::new();
    let [mut whole, mut reversed, mut one] = [(); 3].map(|()| Overlaps::new());
    let [mut paths, mut back, mut path] = [(); 3].map(|()| Sweeps::new());
    detector
        .overlap(hulls, &others, &pairs, &mut whole)
        .unwrap();
    detector
        .overlap(&others, hulls, &turned, &mut reversed)
        .unwrap();
    detector.sweep(hulls, &others, &pairs, &mut paths).unwrap();
    detector.sweep(&others, hulls, &turned, &mut back).unwrap();
    assert!(whole.count() > 20 && whole == reversed && paths == back);
    for (i, pair) in pairs.iter().enumerate() {
        detector
            .overlap(hulls, &others, &[*pair], &mut one)
            .unwrap();
        detector.sweep(hulls, &others, &[*pair], &mut path).unwrap();
        assert_eq!(whole.is_hit(i), one.is_hit(0), "{pair:?}");
        assert_eq!(paths.get(i), path.get(0), "{pair:?}");
    }
    // Searches of stores read rows as well.
    let mut any = Overlaps::new();
    detector
        .meets_any(hulls, &others, During::Start, &mut any)
        .unwrap();
    let mut hit = 0;
    for i in 0..300 {
        detector
            .overlap(hulls, &others, Pairs::one_to_all(i), &mut one)
            .unwrap();
        assert_eq!(any.is_hit(i as usize), one.count() > 0, "{i}");
        hit += usize::from(one.count() > 0);
    }
    assert!(hit > 20);
}

#[test]
fn long_lists_and_searches_answer_as_single_pairs() {
    let mut rng = rng("lists of hulls");
    let hulls = field(&mut rng, 300, 2.0);
    let rounded = rounded_field(&mut rng, 300, 2.0);
    list_answers_as_pairs::<Sphere>(&mut rng, &rounded);
    list_answers_as_pairs::<Obb>(&mut rng, &rounded);
    list_answers_as_pairs::<Point>(&mut rng, &hulls);
    list_answers_as_pairs::<Sphere>(&mut rng, &hulls);
    list_answers_as_pairs::<Capsule>(&mut rng, &hulls);
    list_answers_as_pairs::<Aabb>(&mut rng, &hulls);
    list_answers_as_pairs::<Obb>(&mut rng, &hulls);
    list_answers_as_pairs::<Triangle>(&mut rng, &hulls);
}

#[test]
fn hull_of_a_box_answers_as_the_box() {
    let mut rng = rng("hulls of boxes");
    let setting = Setting::ordinary();
    let (mut hulls, mut boxes) = (Hulls::default(), Obbs::new());
    for _ in 0..400 {
        let mut obb = <Obb as Sample>::sample(&mut rng, &setting);
        obb.center = obb.center.map(|x| x * 2.0);
        let corner = |k: usize| {
            [0, 1, 2]
                .map(|axis| obb.half_extents[axis] * if k >> axis & 1 == 0 { -1.0 } else { 1.0 })
        };
        let points: Vec<_> = (0..8).map(corner).collect();
        let kind = hulls.add_kind(&points).unwrap();
        let motion = setting.motion(&mut rng).map(|x| x.clamp(-4.0, 4.0));
        let Obb {
            center, rotation, ..
        } = obb;
        hulls
            .push_moving(
                Hull {
                    center,
                    rotation,
                    kind,
                },
                motion,
            )
            .unwrap();
        boxes.push_moving(obb, motion);
    }
    let pairs: Vec<Pair> = (0..400)
        .flat_map(|a| (0..400).map(move |b| Pair::new(a, b)))
        .collect();
    let mut detector = Detector::new();
    let (mut by_hulls, mut by_boxes) = (Sweeps::new(), Sweeps::new());
    let (mut hull_range, mut box_range) = (Distances::new(), Distances::new());
    detector
        .sweep(&hulls, &hulls, &pairs, &mut by_hulls)
        .unwrap();
    detector
        .sweep(&boxes, &boxes, &pairs, &mut by_boxes)
        .unwrap();
    detector
        .distance(&hulls, &hulls, &pairs, &mut hull_range)
        .unwrap();
    detector
        .distance(&boxes, &boxes, &pairs, &mut box_range)
        .unwrap();
    let mut hits = 0;
    for (i, pair) in pairs.iter().enumerate() {
        // Both bands: 2⁻¹² of lengths of about 10.
        match (by_hulls.get(i), by_boxes.get(i)) {
            (Some(x), Some(y)) => {
                hits += 1;
                assert!((x.enter - y.enter).abs() < 2e-3, "{:?}: {x:?} {y:?}", pair);
            }
            (None, None) => {}
            // Grazing.
            (x, y) => assert!(
                x.is_none() && y.unwrap().exit - y.unwrap().enter < 0.1,
                "{x:?} {y:?}"
            ),
        }
        let (x, y) = (hull_range.get(i).unwrap(), box_range.get(i).unwrap());
        assert!(
            x.lower <= y.upper && y.lower <= x.upper,
            "{:?}: {x:?} {y:?}",
            pair
        );
    }
    assert!(hits > 1000);
}

#[test]
fn searches_of_stores_are_the_reduction_of_all_pairs() {
    let mut rng = rng("hulls in scenes");
    let [a, b] = [200, 400].map(|len| field(&mut rng, len, 9.0));
    are_the_reduction_of_all_pairs(&mut rng, &a, &b);
    let [a, b] = [200, 400].map(|len| rounded_field(&mut rng, len, 9.0));
    are_the_reduction_of_all_pairs(&mut rng, &a, &b);
}

/// Compares searches of 400 hulls and 400 spheres for each of 200 hulls to the results of all pairs.
fn are_the_reduction_of_all_pairs(rng: &mut StdRng, a: &Hulls, b: &Hulls) {
    let spheres = spheres(rng, 400, 9.0);
    let is_bad = |hulls: &Hulls, i: u32| hulls.get(i).unwrap().center.iter().any(|x| x.is_nan());
    let mut detector = Detector::new();
    for with_spheres in [false, true] {
        let (mut near, mut firsts) = (Nearest::new(), FirstHits::new());
        let (mut any, mut pairs) = (Overlaps::new(), Vec::new());
        let (mut sweeps, mut distances) = (Sweeps::new(), Distances::new());
        let radius = 1.5;
        if with_spheres {
            detector.nearest(a, &spheres, radius, &mut near).unwrap();
            detector.first_hits(a, &spheres, &mut firsts).unwrap();
            detector
                .meets_any(a, &spheres, During::Start, &mut any)
                .unwrap();
            detector
                .candidates(a, &spheres, During::Frame, &mut pairs)
                .unwrap();
        } else {
            detector.nearest(a, b, radius, &mut near).unwrap();
            detector.first_hits(a, b, &mut firsts).unwrap();
            detector.meets_any(a, b, During::Start, &mut any).unwrap();
            detector
                .candidates(a, b, During::Frame, &mut pairs)
                .unwrap();
        }
        let mut found = [0; 3];
        for i in 0..200 {
            let all = Pairs::one_to_all(i);
            if with_spheres {
                detector.sweep(a, &spheres, all, &mut sweeps).unwrap();
                detector.distance(a, &spheres, all, &mut distances).unwrap();
            } else {
                detector.sweep(a, b, all, &mut sweeps).unwrap();
                detector.distance(a, b, all, &mut distances).unwrap();
            }
            if is_bad(a, i) {
                assert!(near.is_invalid(i as usize) && firsts.is_invalid(i as usize));
                continue;
            }
            let first = sweeps
                .iter()
                .min_by(|(i, x), (j, y)| x.enter.total_cmp(&y.enter).then(i.cmp(j)));
            let hit = firsts.get(i as usize);
            assert_eq!(hit.map(|hit| (hit.b as usize, hit.time)), first, "{i}");
            let starts = sweeps.iter().any(|(_, time)| time.enter == 0.0);
            assert!(!any.is_hit(i as usize) || starts, "{i}");
            assert!(
                sweeps
                    .iter()
                    .all(|(j, _)| pairs.binary_search(&Pair::new(i, j as u32)).is_ok())
            );
            found[0] += usize::from(first.is_some());
            found[1] += usize::from(any.is_hit(i as usize));
            let mut best = (None, [radius, f32::INFINITY]);
            for j in 0..400 {
                let Some(range) = distances.get(j) else {
                    continue;
                };
                best.1[0] = best.1[0].min(range.lower);
                if range.upper <= radius && range.upper < best.1[1] {
                    (best.0, best.1[1]) = (Some(j as u32), range.upper);
                }
            }
            let clearance = near.get(i as usize).unwrap();
            assert_eq!(
                (clearance.b, [clearance.lower, clearance.upper]),
                best,
                "{i}"
            );
            found[2] += usize::from(best.0.is_some());
        }
        assert!(found.iter().all(|count| *count > 20), "{found:?}");
    }
}

#[test]
fn groups_and_bodies_filter_searches_not_lists() {
    let mut hulls = Hulls::default();
    let kind = hulls.add_kind(&common::cube(1.0).0).unwrap();
    for x in 0..3 {
        let center = [x as f32 * 0.25, 0.0, 0.0];
        hulls
            .push(Hull {
                center,
                kind,
                ..Hull::default()
            })
            .unwrap();
    }
    hulls.set_body(0, 5).unwrap();
    hulls.set_body(1, 5).unwrap();
    let (mut detector, mut pairs) = (Detector::new(), Vec::new());
    detector.touching(&hulls, &hulls, &mut pairs).unwrap();
    assert_eq!(pairs, [Pair::new(0, 2), Pair::new(1, 2)]);
    let mut overlaps = Overlaps::new();
    detector
        .overlap(&hulls, &hulls, &[[0, 1]], &mut overlaps)
        .unwrap();
    assert!(overlaps.is_hit(0));
}

#[test]
fn bad_kinds_and_poses_are_refused_or_flagged() {
    let mut kinds = HullKinds::new();
    let error = |result: Result<u32, Error>| result.unwrap_err().to_string();
    assert_eq!(error(kinds.add(&[])), "hull has 0 points, not 1 to 64");
    assert_eq!(
        error(kinds.add(&[[0.0; 3]; 65])),
        "hull has 65 points, not 1 to 64: add_outer takes more"
    );
    let bad = error(kinds.add(&[[0.0; 3], [0.0, f32::NAN, 0.0]]));
    assert_eq!(
        bad,
        "point 1 of the hull is invalid: point[1] is NaN, not finite"
    );
    assert!(kinds.add(&[[1e30, 0.0, 0.0]]).is_err());
    assert!(kinds.is_empty());
    assert_eq!(kinds.add(&[[0.5; 3]; 64]), Ok(0));
    assert_eq!(kinds.points(0).unwrap().collect::<Vec<_>>(), [[0.5; 3]; 64]);
    assert_eq!(kinds.half_extents(0), Some([0.5; 3]));

    let mut hulls = Hulls::new(&kinds);
    let unknown = error(hulls.push(Hull {
        kind: 1,
        ..Hull::default()
    }));
    assert_eq!(unknown, "hull is of kind 1, but the store has 1 kinds");
    assert!(hulls.is_empty());
    hulls.push(Hull::default()).unwrap();
    hulls
        .push(Hull {
            rotation: [2.0, 0.0, 0.0, 0.0],
            ..Hull::default()
        })
        .unwrap();
    assert!(
        hulls
            .set(
                0,
                Hull {
                    kind: 9,
                    ..Hull::default()
                }
            )
            .is_err()
    );
    assert!(hulls.set(2, Hull::default()).is_err());
    assert!(matches!(
        hulls.validate(),
        Err(Error::BadShape { index: 1, .. })
    ));
    let mut overlaps = Overlaps::new();
    let mut strict = Detector::new().strict(true);
    let refused = strict.overlap(&hulls, &hulls, &[[0, 0], [0, 1]], &mut overlaps);
    assert!(matches!(
        refused,
        Err(Error::InvalidPair {
            position: 1,
            is_second: true,
            ..
        })
    ));
    assert!(overlaps.is_hit(0) && overlaps.is_invalid(1));
    let mut distances = Distances::new();
    Detector::new()
        .distance(&hulls, &hulls, &[[1, 0]], &mut distances)
        .unwrap();
    assert!(distances.is_invalid(0) && distances.upper() == [f32::INFINITY]);
    assert_eq!(hulls.swap_remove(0), Some(Hull::default()));
    assert!(hulls.len() == 1 && hulls.validate().is_err());
}

#[test]
fn bad_radii_are_refused() {
    let mut kinds = HullKinds::new();
    let error = |result: Result<u32, Error>| result.unwrap_err().to_string();
    let most = phalanx::MAX_LENGTH;
    let mut radius = |radius: f32| error(kinds.add_rounded(&[[1.0, -2.0, 0.0]], radius));
    assert_eq!(
        radius(f32::NAN),
        "radius of the hull is invalid: radius is NaN, not finite"
    );
    assert!(radius(f32::INFINITY).contains("radius is inf"));
    assert!(radius(-0.5).contains("radius is -0.5"));
    assert!(radius(most.next_up()).contains("radius is"));
    assert!(radius(most).contains("point 0 of the hull is invalid: point and radius[0] is"));
    assert!(kinds.is_empty());
    // Points are checked first, and their box with the radius must be near its origin.
    assert!(error(kinds.add_rounded(&[], -1.0)).contains("0 points"));
    assert!(kinds.add(&[[100.0, 0.0, 0.0]]).is_ok());
    assert!(matches!(
        kinds.add_rounded(&[[100.0, 0.0, 0.0]], 1.0),
        Err(Error::HullOffCenter { .. })
    ));
    assert_eq!(kinds.add_rounded(&[[100.0, 0.0, 0.0]], 2.0), Ok(1));
    assert_eq!(kinds.add_rounded(&[[0.0; 3]], most), Ok(2));
    assert_eq!(kinds.half_extents(2), Some([most; 3]));
    assert_eq!(kinds.add_rounded(&[[0.0; 3]], -0.0), Ok(3));
    let bits = kinds.radius(3).map(f32::to_bits);
    assert_eq!((bits, kinds.radius(4)), (Some(0), None));

    // The box around a hull is rounded up, exactly.
    let mut rng = rng("boxes around rounded hulls");
    let mut is_exact = [0; 2];
    for _ in 0..2000 {
        let [x, radius] =
            [(); 2].map(|()| rng.random_range(0.0..1.0f32) * 2f32.powi(rng.random_range(-40..20)));
        let mut kinds = HullKinds::new();
        let Ok(kind) = kinds.add_rounded(&[[x, -x, 0.0], [-x, 0.0, x]], radius) else {
            continue;
        };
        let half = kinds.half_extents(kind).unwrap()[0];
        let scale = Scale::of(&[x, radius, half, half.next_down()]);
        let sum = scale.int(x) + scale.int(radius);
        assert!(sum <= scale.int(half) && sum > scale.int(half.next_down()));
        is_exact[usize::from(sum == scale.int(half))] += 1;
    }
    assert!(is_exact.iter().all(|count| *count > 20), "{is_exact:?}");
}

/// Rounded points and segments have kernels of their own: those of spheres and capsules.
#[cfg(not(phalanx_only))]
#[test]
fn rounded_points_and_segments_answer_as_spheres_and_capsules() {
    let mut rng = rng("rounded points and segments");
    let setting = Setting::ordinary();
    let (mut hulls, mut boxes) = (Hulls::default(), Obbs::new());
    let mut capsules = Store::<Capsule>::new();
    for i in 0..400 {
        let half = [[0.0; 3], [0.75, -0.5, 0.25]][i % 2];
        let radius = rng.random_range(0.0..0.75f32);
        let kind = hulls.add_rounded_kind(&[half, half.map(|x| -x)], radius);
        let center = setting.point(&mut rng).map(|x| 2.0 * x);
        let hull = Hull::new(kind.unwrap(), center, setting.rotation(&mut rng));
        let axes = axes_of(hull.rotation);
        let turned = |k: usize| {
            (0..3)
                .map(|axis| f64::from(half[axis]) * axes[axis][k])
                .sum()
        };
        let half_axis = [0, 1, 2].map(|k| {
            let x: f64 = turned(k);
            x as f32
        });
        let motion = setting.motion(&mut rng).map(|x| x.clamp(-4.0, 4.0));
        hulls.push_moving(hull, motion).unwrap();
        capsules.push_moving(
            Capsule {
                center,
                half_axis,
                radius,
            },
            motion,
        );
        let mut obb = <Obb as Sample>::sample(&mut rng, &setting);
        obb.center = obb.center.map(|x| x * 2.0);
        boxes.push_moving(obb, setting.motion(&mut rng).map(|x| x.clamp(-4.0, 4.0)));
    }
    let pairs: Vec<Pair> = (0..40_000)
        .map(|_| Pair::new(rng.random_range(0..400), rng.random_range(0..400)))
        .collect();
    let mut detector = Detector::new();
    let [mut swept, mut of_capsules] = [(); 2].map(|()| Sweeps::new());
    let [mut ranges, mut by_capsules] = [(); 2].map(|()| Distances::new());
    let [mut contacts, mut as_capsules] = [(); 2].map(|()| Contacts::new());
    detector.sweep(&hulls, &boxes, &pairs, &mut swept).unwrap();
    detector
        .sweep(&capsules, &boxes, &pairs, &mut of_capsules)
        .unwrap();
    detector
        .distance(&hulls, &boxes, &pairs, &mut ranges)
        .unwrap();
    detector
        .distance(&capsules, &boxes, &pairs, &mut by_capsules)
        .unwrap();
    detector
        .contact(&hulls, &boxes, &pairs, &mut contacts)
        .unwrap();
    detector
        .contact(&capsules, &boxes, &pairs, &mut as_capsules)
        .unwrap();
    let (mut hits, mut touching) = (0, 0);
    for i in 0..pairs.len() {
        match (swept.get(i), of_capsules.get(i)) {
            (Some(x), Some(y)) => {
                hits += 1;
                assert!((x.enter - y.enter).abs() < 2e-3, "{x:?} {y:?}");
            }
            (None, None) => {}
            // Grazing.
            (x, y) => {
                let time = x.or(y).unwrap();
                assert!(time.exit - time.enter < 0.1, "{x:?} {y:?}");
            }
        }
        let (x, y) = (ranges.get(i).unwrap(), by_capsules.get(i).unwrap());
        assert!(x.lower <= y.upper && y.lower <= x.upper, "{x:?} {y:?}");
        if let (Some(x), Some(y)) = (contacts.get(i), as_capsules.get(i)) {
            touching += 1;
            assert!((x.separation - y.separation).abs() < 2e-3, "{x:?} {y:?}");
        }
    }
    assert!(hits > 1000 && touching > 500, "{hits} {touching}");
}

/// Half of the diagonal of a bounding box, and the distance of its center from the origin.
fn half_diagonal_and_offset(points: &[[f32; 3]]) -> [f64; 2] {
    let bound = |axis: usize, better: fn(f32, f32) -> f32| {
        f64::from(points.iter().map(|p| p[axis]).reduce(better).unwrap())
    };
    [-1.0, 1.0].map(|sign| {
        let of = |axis| 0.5 * (bound(axis, f32::max) + sign * bound(axis, f32::min));
        [0, 1, 2].map(of).iter().map(|x| x * x).sum::<f64>().sqrt()
    })
}

#[test]
fn kinds_far_from_their_origin_are_refused_with_a_way_out() {
    let moved = |points: &[[f32; 3]], by: [f32; 3]| -> Vec<[f32; 3]> {
        let moved = |p: &[f32; 3]| [0, 1, 2].map(|axis| p[axis] + by[axis]);
        points.iter().map(moved).collect()
    };
    let cube = common::cube(0.5).0;
    let far = moved(&cube, [1e4; 3]);
    let mut kinds = HullKinds::new();
    let refused = kinds.add(&far).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "center of the hull is [10000.0, 10000.0, 10000.0], more than 32 half diagonals from the origin: half extents are \
         [0.5, 0.5, 0.5], subtract the center from the points"
    );
    assert!(matches!(refused, Error::HullOffCenter { .. }) && kinds.is_empty());

    // An origin at a corner, at a foot, and as far as may be.
    let slab = moved(&[[-16.0, 0.0, 0.0], [16.0, 0.0, 0.0]], [512.0, 0.0, 0.0]);
    let valid = [
        moved(&cube, [0.5; 3]),
        moved(&cube, [0.0, 5.0, 0.0]),
        slab,
        vec![[1e9, 3.0, -0.0]; 7],
        vec![[0.0; 3], [1e-45, 0.0, 0.0]],
        vec![[phalanx::MAX_LENGTH; 3], [-phalanx::MAX_LENGTH; 3]],
    ];
    for (kind, points) in (0..).zip(&valid) {
        assert_eq!(kinds.add(points), Ok(kind));
    }
    let beyond = [[496.0f32, 0.0, 0.0], [528.0f32.next_down(), 0.0, 0.0]];
    assert!(matches!(
        kinds.add(&beyond),
        Err(Error::HullOffCenter { .. })
    ));
    assert_eq!(kinds.len(), valid.len());

    // Points of any kind are moved to their center exactly.
    let mut rng = rng("hulls off center");
    for case in 0..2000 {
        let setting = Setting::random(&mut rng);
        let mut points = hull_pairs::points(&mut rng, &setting);
        let by = 10f32.powi(rng.random_range(-3..9));
        let by = [(); 3].map(|()| by * rng.random_range(-1.0..1.0f32));
        if case % 4 > 0 {
            points = moved(&points, by);
        }
        if points
            .iter()
            .flatten()
            .any(|x| x.abs() > phalanx::MAX_LENGTH)
        {
            continue;
        }
        let (kind, offset) = kinds.add_centered(&points).unwrap();
        let given: Vec<_> = kinds.points(kind).unwrap().collect();
        for (to, from) in given.iter().zip(&points) {
            for axis in 0..3 {
                let [to, from, offset] = [to[axis], from[axis], offset[axis]];
                let scale = Scale::of(&[to, from, offset]);
                let exact = scale.int(from) - scale.int(offset);
                assert_eq!(scale.int(to), exact, "{points:?}");
            }
        }
        let [half, away] = half_diagonal_and_offset(&given);
        assert!(away <= 3.0 * half, "{points:?}: {half}, {away}");
        assert_eq!(kinds.add(&given), Ok(kind + 1));
    }
    let before = kinds.len();
    assert!(kinds.add_centered(&[]).is_err() && kinds.add_centered(&[[f32::NAN; 3]]).is_err());
    assert_eq!(kinds.len(), before);

    // Placed by the offset, a hull of a moved kind is where the hull of the points as given is.
    let (kind, offset) = kinds.add_centered(&far).unwrap();
    let rotation = [0.5; 4];
    let hull = Hull::new(kind, [-1e4; 3], rotation).with_offset(offset);
    assert_eq!((hull.center, hull.rotation), ([0.0; 3], rotation));
    let bad = Hull::new(kind, [0.0; 3], [0.0; 4]).with_offset(offset);
    assert!(
        Hulls::from_slice(&kinds, &[bad])
            .unwrap()
            .validate()
            .is_err()
    );
}

/// The reason of [`HullKinds::MAX_OFFSET`].
#[test]
fn distances_at_the_largest_offset_are_within_a_five_hundredth_of_the_diagonal() {
    let mut rng = rng("hulls at the largest offset");
    let (mut detector, mut distances) = (Detector::new(), Distances::new());
    let (mut widest, mut settled) = (0.0f64, 0);
    for _ in 0..1000 {
        let extents = [(); 3].map(|()| 2f32.powi(rng.random_range(-6..1)));
        let corner = |k: usize| [0, 1, 2].map(|axis| extents[axis] * (k >> axis & 1) as f32);
        let cube: Vec<[f32; 3]> = (0..8).map(corner).collect();
        let [half, _] = half_diagonal_and_offset(&cube);
        let towards = [(); 3].map(|()| rng.random_range(-1.0..1.0f64));
        let length = towards.iter().map(|x| x * x).sum::<f64>().sqrt();
        let by = towards.map(|x| (x / length * half * 31.0) as f32);
        let points: Vec<_> = cube
            .iter()
            .map(|p| [0, 1, 2].map(|axis| p[axis] + by[axis]))
            .collect();
        let mut hulls = Hulls::default();
        let kind = hulls.add_kind(&points).unwrap();
        // Both have a corner at the origin.
        for _ in 0..2 {
            let rotation = Setting::ordinary().rotation(&mut rng);
            let corner = points[rng.random_range(0..8)];
            let hull = Hull::new(kind, [0.0; 3], rotation).with_offset(corner);
            let center = hull.center.map(|x| -x);
            hulls.push(Hull { center, ..hull }).unwrap();
        }
        detector
            .distance(&hulls, &hulls, &[[0, 1]], &mut distances)
            .unwrap();
        let [lower, upper] = [distances.lower()[0], distances.upper()[0]].map(f64::from);
        if distances.is_settled(0) {
            widest = widest.max((upper - lower) / (2.0 * half));
            settled += 1;
        }
    }
    println!("widest: {widest:e} of the diagonal");
    assert!(settled >= 990, "{settled}");
    assert!(widest <= 2e-3, "{widest}");
}

#[test]
fn margin_reports_near_misses() {
    let mut hulls = Hulls::default();
    let kind = hulls
        .add_kind(&[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
        .unwrap();
    hulls
        .push(Hull {
            kind,
            ..Hull::default()
        })
        .unwrap();
    let spheres = Spheres::from_slice(&[0.9, 1.1].map(|x| Sphere {
        center: [0.0, 0.25, 1.0 + x],
        radius: 1.0,
    }));
    let mut overlaps = Overlaps::new();
    let mut detector = Detector::new().margin(1.0).unwrap();
    detector
        .overlap(&hulls, &spheres, Pairs::one_to_all(0), &mut overlaps)
        .unwrap();
    assert_eq!(overlaps.iter().collect::<Vec<_>>(), [0]);
}

#[test]
fn motion_of_hulls_is_that_of_their_boxes() {
    let mut rng = rng("hulls in motion");
    let setting = Setting::ordinary();
    let mut hulls = Hulls::default();
    let mut boxes = Obbs::new();
    for kind in 0..50 {
        let points: Vec<_> = (0..9).map(|_| setting.point(&mut rng)).collect();
        assert_eq!(hulls.add_kind(&points), Ok(kind));
        let hull = Hull::new(kind, setting.point(&mut rng), setting.rotation(&mut rng));
        let around = Obb {
            center: hull.center,
            half_extents: hulls.kinds().half_extents(kind).unwrap(),
            rotation: hull.rotation,
        };
        let (motion, turn) = (
            setting.motion(&mut rng),
            [(); 3].map(|()| rng.random_range(-1.5..1.5)),
        );
        if kind % 3 == 0 {
            hulls.push_moving(hull, motion).unwrap();
            boxes.push_moving(around, motion);
        } else {
            hulls.push_turning(hull, motion, turn).unwrap();
            boxes.push_turning(around, motion, turn);
        }
    }
    assert_eq!(hulls.turn(0), Some([0.0; 3]));
    hulls.set_turn(0, [0.5, 0.0, -0.25]).unwrap();
    boxes.set_turn(0, [0.5, 0.0, -0.25]).unwrap();
    hulls.turn_columns_mut()[1][3] = 0.125;
    boxes.turn_columns_mut()[1][3] = 0.125;
    let order: Vec<u32> = (0..50).rev().collect();
    hulls.reorder(&order).unwrap();
    boxes.reorder(&order).unwrap();
    assert!(hulls.reorder(&[0; 50]).is_err());
    assert!(hulls.set_turn(50, [0.0; 3]).is_err() && hulls.turn(50).is_none());
    let (mut around_hulls, mut around_boxes) = (Aabbs::new(), Aabbs::new());
    hulls.bounds(During::Frame, &mut around_hulls);
    boxes.bounds(During::Frame, &mut around_boxes);
    assert!(around_hulls.iter().eq(around_boxes.iter()));
    assert_eq!(hulls.poses().turn, boxes.columns().turn);
    for i in 0..50 {
        assert_eq!(hulls.turn(i), boxes.turn(i));
        let hull = hulls.get(i).unwrap();
        assert_eq!(hull.kind, 49 - i);
        let bounds = around_hulls.get(i).unwrap();
        let kind: Vec<_> = hulls.kinds().points(hull.kind).unwrap().collect();
        for step in 0..=16 {
            let time = step as f32 / 16.0;
            let (at, around) = (hulls.at(i, time).unwrap(), boxes.at(i, time).unwrap());
            assert_eq!((at.center, at.rotation), (around.center, around.rotation));
            let axes = axes_of(at.rotation);
            for point in &kind {
                let p = point.map(f64::from);
                let point = [0, 1, 2].map(|k| {
                    let turned: f64 = (0..3).map(|axis| p[axis] * axes[axis][k]).sum();
                    f64::from(at.center[k]) + turned
                });
                for (x, (low, high)) in point.iter().zip(bounds.min.iter().zip(bounds.max)) {
                    assert!(f64::from(*low) <= *x && *x <= f64::from(high));
                }
            }
        }
    }
    assert_eq!(hulls.swap_remove(3).unwrap().kind, 46);
    assert_eq!(
        (hulls.turn(3), hulls.get(3).unwrap().kind),
        (boxes.turn(49), 0)
    );
    hulls.set_turn(7, [4.0, 0.0, 0.0]).unwrap();
    assert!(matches!(
        hulls.validate(),
        Err(Error::BadShape { index: 7, .. })
    ));
}

#[test]
fn hulls_of_unknown_kinds_add_nothing() {
    let mut kinds = HullKinds::new();
    kinds.add(&[[1.0; 3]]).unwrap();
    let known = Hull::default();
    let unknown = Hull { kind: 1, ..known };
    assert!(Hulls::from_slice(&kinds, &[known, unknown]).is_err());
    let mut hulls = Hulls::from_slice(&kinds, &[known; 3]).unwrap();
    let moving = [(known, [1.0; 3]), (unknown, [2.0; 3]), (known, [3.0; 3])];
    assert!(hulls.extend_moving(moving).is_err());
    assert!(hulls.extend_from_slice(&[known, unknown]).is_err());
    assert!(hulls.push_turning(unknown, [0.0; 3], [1.0; 3]).is_err());
    assert_eq!((hulls.len(), hulls.boxes().len()), (3, 3));
    hulls.extend_moving(moving[..1].iter().copied()).unwrap();
    assert_eq!((hulls.len(), hulls.displacement(3)), (4, Some([1.0; 3])));
}

#[test]
fn hulls_and_boxes_have_the_same_results_in_either_order() {
    let mut rng = rng("hulls and boxes");
    let hulls = field(&mut rng, 300, 4.0);
    let setting = Setting::ordinary();
    let mut boxes = Obbs::new();
    for _ in 0..40 {
        let obb = <Obb as Sample>::sample(&mut rng, &setting);
        boxes.push_moving(
            obb.moved([(); 3].map(|()| rng.random_range(-4.0..4.0))),
            [1.0; 3],
        );
    }
    let pairs: Vec<Pair> = (0..6000)
        .map(|_| Pair::new(rng.random_range(0..300), rng.random_range(0..40)))
        .collect();
    let swapped: Vec<Pair> = pairs.iter().map(|pair| Pair::new(pair.b, pair.a)).collect();
    let mut detector = Detector::new();
    let (mut one, mut other) = (Overlaps::new(), Overlaps::new());
    let (mut swept, mut swept_other) = (Sweeps::new(), Sweeps::new());
    // Rows are packed once they pay.
    for _ in 0..4 {
        detector.overlap(&hulls, &boxes, &pairs, &mut one).unwrap();
        detector
            .overlap(&boxes, &hulls, &swapped, &mut other)
            .unwrap();
        assert!(one == other && one.count() > 30);
        detector.sweep(&hulls, &boxes, &pairs, &mut swept).unwrap();
        detector
            .sweep(&boxes, &hulls, &swapped, &mut swept_other)
            .unwrap();
        assert!(swept == swept_other && swept.count() > one.count());
    }
    for (i, pair) in pairs.iter().enumerate() {
        let (mut list, mut sweep) = (Overlaps::new(), Sweeps::new());
        detector
            .overlap(&hulls, &boxes, &[*pair], &mut list)
            .unwrap();
        detector
            .sweep(&hulls, &boxes, &[*pair], &mut sweep)
            .unwrap();
        assert_eq!(
            (one.is_hit(i), one.is_invalid(i)),
            (list.is_hit(0), list.is_invalid(0))
        );
        assert_eq!(swept.get(i), sweep.get(0));
    }
}

/// Directions whose squares underflow: such a gap once was infinite.
#[test]
fn directions_too_short_to_square_hide_no_contact() {
    let one = |kind: &[[f32; 3]], center: [f32; 3], rotation: [f32; 4], motion: [f32; 3]| {
        let mut kinds = HullKinds::new();
        kinds.add(kind).unwrap();
        let mut hulls = Hulls::new(&kinds);
        let hull = Hull::new(0, center, rotation);
        hulls.push_moving(hull, motion).unwrap();
        hulls
    };
    let (point, pairs) = (
        Store::from_slice(&[Point { position: [0.0; 3] }]),
        [Pair::new(0, 0)],
    );
    let straight = [0.0, 0.0, 0.0, 1.0];
    for offset in [1e-22, 1e-24] {
        let corner = one(&[[1.0, 0.0, 0.0]], [offset, 0.0, 0.0], straight, [0.0; 3]);
        let mut distances = Distances::new();
        let mut detector = Detector::new();
        detector
            .distance(&point, &corner, &pairs, &mut distances)
            .unwrap();
        assert!(distances.lower()[0] <= 1.0 && distances.upper()[0] >= 1.0);
    }
    // About 1e-23 beside the point, which is within the margin.
    let rotation = [0.0, 0.0, 1.0 / (1u128 << 76) as f32, 1.0];
    let kind = [[0.0, 8.0, 0.0], [0.0, 0.5, 0.0]];
    let segment = one(&kind, [0.0, -0.5, 0.0], rotation, [-1.0, 0.0, 0.0]);
    let mut sweeps = Sweeps::new();
    let mut detector = Detector::new().margin(0.01).unwrap();
    detector
        .sweep(&point, &segment, &pairs, &mut sweeps)
        .unwrap();
    assert_eq!(sweeps.enter()[0], 0.0);
}

/// The last place of a shape that touches, on a way along two axes towards another shape: exact to far less than the step of
/// numbers as large as `far`.
fn last_touch(
    [first, second]: [usize; 2],
    towards: [f32; 3],
    far: f32,
    mut touch: impl FnMut([f32; 3]) -> bool,
) -> Option<[f32; 3]> {
    let mut at = [0.0; 3];
    let mut hit = far;
    for axis in [first, second] {
        let sign = towards[axis].signum();
        let mut miss = if axis == first { -far } else { 0.0 };
        let mut is_hit = |by: f32| {
            at[axis] = sign * by;
            touch(at)
        };
        if is_hit(miss) || !is_hit(hit) {
            return None;
        }
        for _ in 0..64 {
            let middle = 0.5 * (hit + miss);
            if is_hit(middle) {
                hit = middle;
            } else {
                miss = middle;
            }
        }
        at[axis] = sign * if axis == first { miss } else { hit };
        hit = 8.0 * (hit - miss).abs();
    }
    Some(at)
}

/// So far out that the error of a hull's points is below that of `f64`.
#[test]
fn hulls_far_out_on_a_half_space_are_not_missed() {
    let mut rng = rng("huge");
    let (mut detector, mut overlaps) = (Detector::new(), Overlaps::new());
    let (still, mut found) = ([[0.0; 3]; 2], 0);
    for _ in 0..100 {
        let mut a = hull(&mut rng, &Setting::ordinary());
        let far = rng.random_range(0.5..1.0) * 2f32.powi(rng.random_range(34..40));
        let way =
            [(); 3].map(|()| [-1.0, 1.0][rng.random_range(0..2)] * rng.random_range(0.4..1.0f32));
        let space = HalfSpace::new(way.map(|x| -x), way[0] * far);
        let at = last_touch([1, 2], way, far / 65536.0, |[_, y, z]| {
            a.hull.center = [far, y, z];
            from_surface(&a, &space, still, 0.0).1
        });
        if let Some([_, y, z]) = at {
            a.hull.center = [far, y, z];
            let hulls = Points::stores(&[(a.clone(), [0.0; 3])]);
            let spaces = Store::from_slice(&[space]);
            detector
                .overlap(&hulls, &spaces, Pairs::zip(), &mut overlaps)
                .unwrap();
            assert!(overlaps.is_hit(0), "{a:?} {space:?}");
            found += 1;
        }
    }
    assert!(found > 30, "{found}");
}
