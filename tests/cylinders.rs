//! Hulls that are cylinders and cones, against their definition in `f64`, near contact and far from it.
//!
//! Supports and distances of points from cylinders and cones are closed formulas. A search finds directions and points, which are
//! certificates of both bounds of a distance, see `oracle::cylinders`.
//!
//! `PHALANX_CASES` sets the number of cases for each kind of shape.
#![cfg_attr(phalanx_only, allow(unused))]
#![cfg(not(phalanx_only))]

mod common;
mod oracle;

#[path = "common/cylinder_pairs.rs"]
mod cylinder_pairs;
#[path = "common/hull_bits.rs"]
mod hull_bits;
#[allow(dead_code)]
#[path = "common/hull_pairs.rs"]
mod hull_pairs;

use common::{Sample, Setting, cases_or, rng};
use cylinder_pairs::{
    Case, FLOOR, Met, Moving, Revolved, beside, bodies, field, in_u, lengths, near, setting, size,
    stores,
};
use hull_bits::{bits, contact_bits, impact_bits};
use oracle::U;
use oracle::cylinders::{Apart, Body, Core, NOISE};
use oracle::hulls::Points;
use oracle::minkowski::{V, add, dot, length, sub, times};
use oracle::planes::Surface;
use phalanx::traits::{Bounded, Collide, Distance, Impact, Overlap, Sweep};
use phalanx::{
    Aabb, Capsule, ClosestPoints, Contacts, Detector, Distances, During, Error, FirstHits,
    HalfSpace, Hull, HullKinds, Hulls, Impacts, MAX_LENGTH, Mesh, Nearest, Neighbors, Obb,
    OrderedHits, Overlaps, Pair, Pairs, PlacedHull, Plane, Point, Shapes, Simd, Sphere, Store,
    Sweeps, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;
use std::slice::from_ref;

/// Bands of the contract, in u of S.
const BAND: f64 = 9.0;
/// The band of sweeps.
const SWEPT: f64 = 150.0;
const SETTLED: f64 = 288.0;
/// Off a shape by this much is a reported point.
const POINTS: f64 = 64.0;

fn cases() -> usize {
    cases_or(2000)
}

#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    hits: usize,
    swept: usize,
    near: usize,
    unsettled: usize,
    /// Searches of the oracle, and those whose bounds differ.
    searches: usize,
    open: usize,
    /// Largest parts of S, in u.
    gap: f64,
    width: f64,
    off: f64,
    early: f64,
    late: f64,
}

impl Tally {
    /// Bounds of the distance at a time.
    fn apart(&mut self, [a, b]: &[Body; 2], way: V, time: f64, lengths: f64) -> Apart {
        let moved = b.moved(times(way, time), [0.0; 3]);
        let apart = Apart::of(a, &moved, lengths);
        self.searches += 1;
        self.open += usize::from(!apart.is_closed());
        apart
    }

    /// A time before the first contact, from the start of the frame, or after the last, from its end, but nearly that of contact. None
    /// if they never touch.
    ///
    /// Each step goes on to where the gap along the direction found would be closed, so contact is not before it.
    fn contact(&mut self, both: &[Body; 2], way: V, from_end: bool, lengths: f64) -> Option<f64> {
        let (mut time, forth) = if from_end { (1.0, -1.0) } else { (0.0, 1.0) };
        for _ in 0..100 {
            let apart = self.apart(both, way, time, lengths);
            if apart.upper <= NOISE * apart.size {
                return Some(time);
            }
            // Change of the gap for each unit of time.
            let [a, b] = both;
            let moved = b.moved(times(way, time), [0.0; 3]);
            let gap = moved.low(apart.direction) - a.high(apart.direction);
            let change = forth * dot(way, apart.direction);
            if change >= 0.0 || gap <= 0.0 {
                return None;
            }
            time += forth * gap / -change;
            if !(0.0..=1.0).contains(&time) {
                return None;
            }
        }
        None
    }

    /// A time between two at which the bodies touch, beyond all roundings, if one is found.
    fn deep_between(
        &mut self,
        both: &[Body; 2],
        way: V,
        lengths: f64,
        [from, to]: [f64; 2],
    ) -> Option<f64> {
        let shares: &[f64] = match from < to {
            true => &[0.0, 1e-3, 0.25, 0.5, 0.75, 1.0 - 1e-3, 1.0],
            false => &[1.0],
        };
        let mut all = shares.iter().map(|share| from + (to - from) * share);
        all.find(|time| self.apart(both, way, *time, lengths).is_deep())
    }
}

/// Judges overlaps, distances and sweeps of cylinders and cones, or of hulls of points, with one kind of shape.
fn judge<A, B>(purpose: &str)
where
    A: Met<Shape = PlacedHull>,
    B: Met,
    PlacedHull: Overlap<B::Shape> + Sweep<B::Shape> + Distance<B::Shape>,
{
    let name = format!("{purpose} with {}", std::any::type_name::<B>());
    let mut rng = rng(&name);
    let mut tally = Tally::default();
    while tally.cases < cases() {
        let margin = match rng.random_range(0..3) {
            0 => 10f32.powf(rng.random_range(-6.0..1.0)),
            _ => 0.0,
        };
        let all = near::<A, B>(&mut rng, 100, margin);
        test(&all, margin, &mut tally);
    }
    println!("{name}: {tally:.1?}");
    let Tally { cases, hits, .. } = tally;
    assert!(hits * 5 > cases && tally.near * 20 > cases && tally.swept > hits);
    assert!(tally.unsettled * 100 <= cases, "{} not settled", {
        tally.unsettled
    });
    assert!(tally.open * 100 <= tally.searches, "{} open", tally.open);
}

fn test<A, B>(all: &[Case<A, B>], margin: f32, tally: &mut Tally)
where
    A: Met<Shape = PlacedHull>,
    B: Met,
    PlacedHull: Overlap<B::Shape> + Sweep<B::Shape> + Distance<B::Shape>,
{
    let (a, b) = stores(all);
    let mut detector = Detector::new().parallel(false);
    let [mut overlaps, mut within] = [(); 2].map(|()| Overlaps::new());
    let mut sweeps = Sweeps::new();
    let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
    detector
        .overlap(&a, &b, Pairs::zip(), &mut overlaps)
        .unwrap();
    detector
        .distance_points(&a, &b, Pairs::zip(), &mut distances, &mut points)
        .unwrap();
    let mut detector = detector.margin(margin).unwrap();
    detector.overlap(&a, &b, Pairs::zip(), &mut within).unwrap();
    detector.sweep(&a, &b, Pairs::zip(), &mut sweeps).unwrap();
    assert_eq!(overlaps.invalid_count() + sweeps.invalid_count(), 0);
    for (i, (x, y, motion)) in all.iter().enumerate() {
        tally.cases += 1;
        let case = || format!("{x:?}\n{y:?}\nmoving by {motion:?}, margin {margin}");
        let at_rest = size(x, y, [[0.0; 3]; 2]);
        let both = bodies(x, y);
        let apart = tally.apart(&both, [0.0; 3], 0.0, lengths(x, y));
        let Apart { lower, upper, .. } = apart;
        let is_hit = overlaps.is_hit(i);
        tally.hits += usize::from(is_hit);
        tally.near += usize::from(in_u(lower, at_rest) < 100.0 && lower > 0.0);
        assert!(is_hit || !apart.touch(), "missed\n{}", case());
        if is_hit {
            tally.gap = tally.gap.max(in_u(lower, at_rest));
            assert!(in_u(lower, at_rest) <= BAND, "hit at {lower}\n{}", case());
        }

        // A margin adds to the distance.
        let m = f64::from(margin);
        let with_margin = at_rest + m;
        let is_within = upper <= m * (1.0 - NOISE) - NOISE * at_rest || apart.touch();
        assert!(within.is_hit(i) || !is_within, "missed within\n{}", case());
        if within.is_hit(i) {
            let gap = in_u(lower - m, with_margin);
            tally.gap = tally.gap.max(gap);
            assert!(gap <= BAND, "{gap} u of S from the margin\n{}", case());
        }

        let range = distances.get(i).unwrap();
        let noise = NOISE * at_rest;
        assert!(
            f64::from(range.lower) <= upper + noise,
            "{range:?} above {upper}\n{}",
            case()
        );
        assert!(
            f64::from(range.upper) >= lower - noise,
            "{range:?} below {lower}\n{}",
            case()
        );
        assert!(!is_hit || range.lower == 0.0, "{range:?}\n{}", case());
        let width = f64::from(range.upper - range.lower) - f64::from(range.upper) / 65536.0;
        // The floor of distances is four times that of overlaps.
        let width = (width - 3.0 * FLOOR).max(0.0);
        if distances.is_settled(i) {
            tally.width = tally.width.max(in_u(width, at_rest));
            assert!(in_u(width, at_rest) <= SETTLED, "{range:?}\n{}", case());
        } else {
            tally.unsettled += 1;
        }
        let found = points.get(i).unwrap().map(|p| p.map(f64::from));
        let length_of = length(sub(found[1], found[0]));
        // Points are rounded, if tiny to multiples of 2⁻¹⁴⁹.
        let rounding = 4.0 * f64::from(f32::from_bits(1));
        assert!(
            length_of <= f64::from(range.upper) * (1.0 + 1e-6) + rounding,
            "{length_of} of {range:?}\n{}",
            case()
        );
        for (body, point) in both.iter().zip(found) {
            let off = in_u(body.signed(point), at_rest);
            tally.off = tally.off.max(off);
            assert!(off <= POINTS, "off by {off} u of S\n{}", case());
        }

        // The margin as a part of the first radius.
        let mut both = both;
        both[0].radius += m;
        let (moving, still) = (size(x, y, *motion) + m, lengths(x, y) + m);
        let way = sub(motion[1].map(f64::from), motion[0].map(f64::from));
        let first = tally.contact(&both, way, false, still);
        let last = tally.contact(&both, way, true, still);
        // Contacts are between these times, if there are any.
        let span = [first, last.or(first)].map(|time| time.unwrap_or(0.5));
        let Some(time) = sweeps.get(i) else {
            let touch = tally.deep_between(&both, way, still, span);
            assert!(touch.is_none(), "missed at {touch:?}\n{}", case());
            assert!(!within.is_hit(i), "a hit of `overlap` only\n{}", case());
            continue;
        };
        tally.swept += 1;
        assert!(
            !within.is_hit(i) || time.enter == 0.0,
            "{time:?}\n{}",
            case()
        );
        if time.enter > 0.0 {
            let before = time.enter.next_down().into();
            let span = [span[0].min(before), before];
            let touch = tally.deep_between(&both, way, still, span);
            assert!(touch.is_none(), "late, at {touch:?}: {time:?}\n{}", case());
            let at = tally.apart(&both, way, time.enter.into(), still);
            let gap = in_u(at.lower, moving);
            tally.early = tally.early.max(gap);
            assert!(gap <= SWEPT, "{gap} u of S at {time:?}\n{}", case());
        }
        if time.exit < 1.0 {
            let after = time.exit.next_up().into();
            let span = [after, span[1].max(after)];
            let touch = tally.deep_between(&both, way, still, span);
            assert!(
                touch.is_none(),
                "left early, at {touch:?}: {time:?}\n{}",
                case()
            );
            let at = tally.apart(&both, way, time.exit.into(), still);
            let gap = in_u(at.lower, moving);
            tally.late = tally.late.max(gap);
            assert!(
                gap <= SWEPT,
                "{gap} u of S at the end of {time:?}\n{}",
                case()
            );
        }
    }
}

macro_rules! judged {
    ($first:ident, $purpose:literal: $($test:ident: $shape:ident;)+) => { $(
        #[test]
        fn $test() {
            judge::<$first, $shape>($purpose);
        }
    )+ };
}
judged! { Revolved, "cylinders and cones":
    cylinder_cone_is_exact_within_its_band: Revolved;
    cylinder_hull_is_exact_within_its_band: Points;
    cylinder_point_is_exact_within_its_band: Point;
    cylinder_sphere_is_exact_within_its_band: Sphere;
    cylinder_capsule_is_exact_within_its_band: Capsule;
    cylinder_aabb_is_exact_within_its_band: Aabb;
    cylinder_obb_is_exact_within_its_band: Obb;
    cylinder_triangle_is_exact_within_its_band: Triangle;
}
// Exact arithmetic judges these too: an error of this oracle would show here.
judged! { Points, "hulls":
    hull_hull_is_within_its_band_by_the_oracle_of_cylinders: Points;
    hull_obb_is_within_its_band_by_the_oracle_of_cylinders: Obb;
}

/// Both bounds of the oracle meet in nearly all cases, and its formula for distances of points is that of all points of a shape.
#[test]
fn searches_of_the_oracle_find_the_distance() {
    closes::<Revolved>();
    closes::<Points>();
    closes::<Point>();
    closes::<Capsule>();
    closes::<Obb>();
    closes::<Triangle>();
}

fn closes<B: Met>() {
    let name = std::any::type_name::<B>();
    let mut rng = rng(&format!("searches of the oracle with {name}"));
    let (mut open, mut worst, mut is_inside) = (0, 0.0f64, 0);
    let tested = cases();
    for _ in 0..tested {
        let setting = setting(&mut rng);
        let a = Revolved::sample(&mut rng, &setting);
        let b = B::sample(&mut rng, &setting);
        let b = beside(&mut rng, &a, b, 0.0);
        let [x, y] = bodies(&a, &b);
        let apart = Apart::of(&x, &y, lengths(&a, &b));
        worst = worst.max((apart.upper - apart.lower) / apart.size);
        open += usize::from(!apart.is_closed());
        // A point of a surface, and some points beside it.
        let towards = oracle::minkowski::cross(y.center, [0.3, 0.5, -0.7]);
        let unit = times(towards, 1.0 / length(towards).max(f64::MIN_POSITIVE));
        let on = add(x.support(unit), times(unit, x.radius));
        let noise = 1e-14 * apart.size;
        assert!(
            x.signed(on).abs() <= noise || length(towards) == 0.0,
            "{x:?}"
        );
        let by = rng.random_range(-1.0..1.0) * apart.size;
        let beside = add(on, times(unit, by));
        let signed = x.signed(beside);
        is_inside += usize::from(signed < -noise);
        // Outside, the distance is that of a search.
        let point = Body {
            center: beside,
            core: Core::Points(vec![[0.0; 3]]),
            radius: 0.0,
        };
        let found = Apart::of(&x, &point, lengths(&a, &b));
        let is_same = found.lower <= signed.max(0.0) + noise && signed <= found.upper + noise;
        assert!(is_same, "{signed} {found:?}\n{x:?}");
        // Inside, a step of that length does not leave the body, and one a little longer does.
        if signed < -noise {
            let steps = (0..40).map(|_| {
                let way = [(); 3].map(|()| rng.random_range(-1.0..1.0f64));
                let step = times(way, -signed / length(way));
                x.signed(add(beside, step))
            });
            let highest = steps.fold(f64::NEG_INFINITY, f64::max);
            assert!(highest <= noise, "{highest} {signed}\n{x:?}");
        }
    }
    println!("{name}: {open} open of {tested}, {is_inside} inside, worst {worst:e}");
    assert!(open * 100 <= tested && is_inside * 40 > tested);
}

/// Judges cylinders and cones with planes or half-spaces.
fn judge_surface<S: Surface + Sample>()
where
    PlacedHull: Overlap<S> + Sweep<S> + Distance<S>,
{
    let mut rng = rng(&format!("cylinders with {}", std::any::type_name::<S>()));
    let (mut hits, mut swept, mut missed, mut settled, mut tested) = (0, 0, 0, 0, 0);
    let [mut detector, mut wide] = [(); 2].map(|()| Detector::new().parallel(false));
    let [mut overlaps, mut within] = [(); 2].map(|()| Overlaps::new());
    let (mut sweeps, mut distances) = (Sweeps::new(), Distances::new());
    let mut points = ClosestPoints::new();
    while tested < cases() {
        let setting = setting(&mut rng);
        let (x, mut y) = (
            Revolved::sample(&mut rng, &setting),
            S::sample(&mut rng, &setting),
        );
        let motion = [setting.motion(&mut rng), setting.motion(&mut rng)];
        if !x.is_valid() || Store::from_slice(&[y]).validate().is_err() {
            continue;
        }
        let body = x.body([0.0; 3]);
        // Height of the lowest point at a time, and that of the highest; the gap of a plane is on one of its sides.
        let heights = |y: &S, time: f64| {
            let (normal, d) = y.plane();
            let n = normal.map(f64::from);
            let unit = times(n, 1.0 / length(n));
            let way = sub(motion[0].map(f64::from), motion[1].map(f64::from));
            let by = f64::from(d) / length(n) + time * dot(unit, way);
            [body.low(unit) + by, body.high(unit) + by]
        };
        let gap = |y: &S, time: f64| {
            let [low, high] = heights(y, time);
            if S::IS_SOLID { low } else { low.max(-high) }
        };
        // Beneath the lowest point, give or take some u.
        if rng.random_bool(0.6) {
            let (normal, _) = y.plane();
            let n = normal.map(f64::from);
            let unit = times(n, 1.0 / length(n));
            let share = rng.random_range(-8..=8) as f64 * U;
            let way = times(unit, heights(&y, 0.0)[0] + share * x.size().1);
            let moved = y.moved(way.map(|x| x as f32));
            if Store::from_slice(&[moved]).validate().is_ok() {
                y = moved;
            }
        }
        tested += 1;
        let margin = setting.scale * [0.0, rng.random_range(0.0..1.0f32)][tested % 2];
        let a = Revolved::stores(&[(x.clone(), motion[0])]);
        let mut b = Store::new();
        b.push_moving(y, motion[1]);
        detector
            .overlap(&a, &b, Pairs::zip(), &mut overlaps)
            .unwrap();
        detector.sweep(&a, &b, Pairs::zip(), &mut sweeps).unwrap();
        detector
            .distance_points(&a, &b, Pairs::zip(), &mut distances, &mut points)
            .unwrap();
        wide = wide.margin(margin).unwrap();
        wide.overlap(&a, &b, Pairs::zip(), &mut within).unwrap();
        let case = || format!("{x:?}\n{y:?}\nmoving by {motion:?}, margin {margin}");
        let (normal, d) = y.plane();
        let n = normal.map(f64::from);
        let (center, lengths) = x.size();
        let terms = |v: V| (0..3).map(|k| (n[k] * v[k]).abs()).sum::<f64>() / length(n);
        let m = f64::from(margin);
        let rest = (terms(center) + f64::from(d).abs() / length(n)) * 3f64.sqrt() + 2.0 * lengths;
        let way = sub(motion[1].map(f64::from), motion[0].map(f64::from));
        let moving = rest + way.iter().map(|x| x.abs()).sum::<f64>();
        let band = |size: f64| BAND * U * size + FLOOR;
        let noise = NOISE * moving;
        let exact = gap(&y, 0.0);
        let is_hit = overlaps.is_hit(0);
        hits += usize::from(is_hit);
        assert!(is_hit || exact > -noise, "missed\n{}", case());
        assert!(!is_hit || exact <= band(rest), "hit at {exact}\n{}", case());
        assert!(
            within.is_hit(0) || exact > m - noise,
            "missed within\n{}",
            case()
        );
        assert!(
            !within.is_hit(0) || exact <= m + band(rest + m),
            "{exact} within\n{}",
            case()
        );
        let range = distances.get(0).unwrap();
        let distance = exact.max(0.0);
        let lower = f64::from(range.lower);
        assert!(lower <= distance + noise, "{range:?} {exact}\n{}", case());
        assert!(
            f64::from(range.upper) >= distance - noise,
            "{range:?} {exact}\n{}",
            case()
        );
        assert!(!is_hit || lower == 0.0, "{range:?}\n{}", case());
        if distances.is_settled(0) {
            settled += 1;
            let upper = f64::from(range.upper);
            // S has the whole offset of the center here.
            let offset = center.iter().map(|x| x.abs()).sum::<f64>();
            let all = offset + f64::from(d).abs() / length(n) + 2.0 * lengths;
            let width = upper - lower - upper / 65536.0 - 3.0 * FLOOR;
            assert!(in_u(width, all) <= SETTLED, "{range:?}\n{}", case());
        }
        let [p, q] = points.get(0).unwrap().map(|p| p.map(f64::from));
        let off = [
            x.body(center).signed(p),
            length(sub(q, p)) - f64::from(range.upper) * (1.0 + 1e-6),
        ];
        assert!(
            off.iter().all(|off| in_u(*off, rest) <= POINTS),
            "{off:?}\n{}",
            case()
        );
        // The gap of a half-space is linear in time, that of a plane convex: its least is where it is cut.
        let [low, high] = heights(&y, 0.0);
        let speed = heights(&y, 1.0)[0] - low;
        let cuts = [-low / speed, -high / speed, -(low + high) / (2.0 * speed)];
        let inside = cuts.into_iter().filter(|t| (0.0..=1.0).contains(t));
        let mut all: Vec<f64> = inside.collect();
        all.extend([0.0, 1.0]);
        match sweeps.get(0) {
            None => {
                missed += 1;
                for t in all {
                    assert!(gap(&y, t) > -noise, "missed at {t}\n{}", case());
                }
            }
            Some(time) => {
                swept += 1;
                assert!(!is_hit || time.enter == 0.0, "{time:?}\n{}", case());
                let (enter, exit) = (f64::from(time.enter), f64::from(time.exit));
                for t in all {
                    let is_inside = (enter..=exit).contains(&t);
                    assert!(
                        is_inside || gap(&y, t) > -noise,
                        "{t} is not in {time:?}\n{}",
                        case()
                    );
                }
                if time.enter > 0.0 {
                    let before = gap(&y, time.enter.next_down().into());
                    assert!(before > -noise, "late: {time:?}\n{}", case());
                    let at = gap(&y, enter);
                    assert!(at <= band(moving), "{at} at {time:?}\n{}", case());
                }
                if time.exit < 1.0 {
                    let after = gap(&y, time.exit.next_up().into());
                    assert!(after > -noise, "left early: {time:?}\n{}", case());
                }
            }
        }
    }
    println!("{hits} hits, {swept} swept, {settled} settled of {tested}");
    assert!(hits * 5 > tested && swept > hits && missed * 20 > tested);
    assert!(settled * 100 >= tested * 99);
}

#[test]
fn cylinder_plane_is_exact_within_its_band() {
    judge_surface::<Plane>();
}

#[test]
fn cylinder_half_space_is_exact_within_its_band() {
    judge_surface::<HalfSpace>();
}

/// Without a radius, a cylinder or cone is a capsule; without a height too, a sphere; without a height, a cone is a disc.
#[test]
fn kinds_without_radius_or_height_answer_as_capsules_spheres_and_discs() {
    let mut rng = rng("degenerate cylinders");
    let setting = Setting::ordinary();
    let kind = |is_cone: bool, radius: f32, half_height: f32, rounding: f32| Revolved {
        hull: Hull::default(),
        is_cone,
        radius,
        half_height,
        rounding,
    };
    let (mut round, mut like, mut boxes) = (Vec::new(), Vec::new(), Store::<Obb>::new());
    for i in 0..400 {
        let half = if i % 4 == 0 {
            0.0
        } else {
            rng.random_range(0.0..1.5f32)
        };
        let rounding = if i % 3 == 0 {
            0.0
        } else {
            rng.random_range(0.0..0.75f32)
        };
        let hull = Hull {
            center: setting.point(&mut rng).map(|x| 2.0 * x),
            rotation: setting.rotation(&mut rng),
            kind: 0,
        };
        let mut degenerate = kind(i % 2 == 0, 0.0, half, rounding);
        degenerate.hull = hull;
        let Core::Points(ends) = Core::of_points(hull.rotation, &[[0.0, 0.0, half]]) else {
            unreachable!()
        };
        let motion = setting.motion(&mut rng).map(|x| x.clamp(-4.0, 4.0));
        round.push((degenerate, motion));
        let capsule = Capsule {
            center: hull.center,
            half_axis: ends[0].map(|x| x as f32),
            radius: rounding,
        };
        like.push((capsule, motion));
        let mut obb = <Obb as Sample>::sample(&mut rng, &setting);
        obb.center = obb.center.map(|x| x * 2.0);
        boxes.push_moving(obb, setting.motion(&mut rng).map(|x| x.clamp(-4.0, 4.0)));
    }
    let capsules = <Capsule as Met>::stores(&like);
    let hulls = Revolved::stores(&round);
    agree(&mut rng, &hulls, &capsules, &boxes, [1000, 500]);

    // Spheres, by their own kernels.
    let at_center: Vec<_> = round
        .iter()
        .map(|(it, motion)| {
            let mut point = it.clone();
            point.half_height = 0.0;
            (point, *motion)
        })
        .collect();
    let spheres: Vec<_> = at_center
        .iter()
        .map(|(it, motion)| (Sphere::new(it.hull.center, it.rounding), *motion))
        .collect();
    let spheres = <Sphere as Met>::stores(&spheres);
    let hulls = Revolved::stores(&at_center);
    agree(&mut rng, &hulls, &spheres, &boxes, [300, 100]);

    // A cylinder and a cone without a height are one disc.
    let disc = |is_cone: bool, (of, motion): &(Revolved, [f32; 3]), i: usize| {
        let mut disc = of.clone();
        (disc.is_cone, disc.radius, disc.half_height) = (is_cone, 0.01 * i as f32, 0.0);
        (disc, *motion)
    };
    let discs = |is_cone: bool| {
        let all = (0..).zip(&round).map(|(i, it)| disc(is_cone, it, i));
        Revolved::stores(&all.collect::<Vec<_>>())
    };
    agree(&mut rng, &discs(false), &discs(true), &boxes, [1000, 500]);
}

/// Compares the answers of two stores of 400 shapes to boxes, within the bands of both.
fn agree<A: Shapes, B: Shapes>(
    rng: &mut StdRng,
    a: &A,
    b: &B,
    boxes: &Store<Obb>,
    least: [usize; 2],
) where
    A::Shape: Overlap<Obb> + Sweep<Obb> + Distance<Obb> + Collide<Obb>,
    B::Shape: Overlap<Obb> + Sweep<Obb> + Distance<Obb> + Collide<Obb>,
{
    let pairs: Vec<Pair> = (0..20_000)
        .map(|_| Pair::new(rng.random_range(0..400), rng.random_range(0..400)))
        .collect();
    let mut detector = Detector::new();
    let [mut swept, mut of_b] = [(); 2].map(|()| Sweeps::new());
    let [mut ranges, mut by_b] = [(); 2].map(|()| Distances::new());
    let [mut contacts, mut as_b] = [(); 2].map(|()| Contacts::new());
    detector.sweep(a, boxes, &pairs, &mut swept).unwrap();
    detector.sweep(b, boxes, &pairs, &mut of_b).unwrap();
    detector.distance(a, boxes, &pairs, &mut ranges).unwrap();
    detector.distance(b, boxes, &pairs, &mut by_b).unwrap();
    detector.contact(a, boxes, &pairs, &mut contacts).unwrap();
    detector.contact(b, boxes, &pairs, &mut as_b).unwrap();
    let (mut hits, mut touching) = (0, 0);
    for i in 0..pairs.len() {
        match (swept.get(i), of_b.get(i)) {
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
        let (x, y) = (ranges.get(i).unwrap(), by_b.get(i).unwrap());
        assert!(x.lower <= y.upper && y.lower <= x.upper, "{x:?} {y:?}");
        match (contacts.get(i), as_b.get(i)) {
            (Some(x), Some(y)) => {
                touching += 1;
                assert!((x.separation - y.separation).abs() < 2e-3, "{x:?} {y:?}");
            }
            (None, None) => {}
            (x, y) => assert!(x.or(y).unwrap().separation > -1e-4, "{x:?} {y:?}"),
        }
    }
    assert!(hits > least[0] && touching > least[1], "{hits} {touching}");
}

#[test]
fn bad_sizes_are_refused_and_add_nothing() {
    let mut kinds = HullKinds::new();
    for is_cone in [false, true] {
        let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1e-45, -1.0];
        let above = [MAX_LENGTH.next_up(), f32::MAX];
        for value in bad.into_iter().chain(above) {
            for place in 0..3 {
                let mut sizes = [1.0; 3];
                sizes[place] = value;
                let refused = add_kind(&mut kinds, is_cone, sizes);
                let is_named = matches!(&refused, Err(Error::BadHullRadius { .. }));
                assert!(is_named, "{sizes:?}: {refused:?}");
                // The message has the value.
                let text = refused.unwrap_err().to_string();
                let said = if value.is_nan() { "NaN" } else { "is " };
                assert!(text.contains(said), "{text}");
            }
        }
        // A sum with the rounding is above the limit: that of the radius, of the half height, or both.
        let half = MAX_LENGTH / 2.0;
        let (more, most) = (half.next_up(), MAX_LENGTH);
        let sums = [
            [more, 1.0, more],
            [1.0, more, more],
            [most, 1.0, 1e12],
            [1.0, most, 1e12],
            [most; 3],
        ];
        for sizes in sums {
            let refused = add_kind(&mut kinds, is_cone, sizes);
            let is_named = matches!(refused, Err(Error::BadHullRadius { .. }));
            assert!(is_named, "{sizes:?}");
        }
        assert!(kinds.is_empty());
    }
    // All that is valid: zeros of both signs, and lengths up to the limit.
    let valid = [
        [0.0; 3],
        [-0.0; 3],
        [MAX_LENGTH, MAX_LENGTH, 0.0],
        [0.0, 0.0, MAX_LENGTH],
        [MAX_LENGTH / 2.0; 3],
        [1e-45, 0.0, 0.0],
        [1e-45; 3],
        [0.0, 1.0, 0.0],
        [1.0, 0.0, 0.0],
    ];
    let mut count = 0;
    for is_cone in [false, true] {
        for sizes in valid {
            assert_eq!(add_kind(&mut kinds, is_cone, sizes), Ok(count));
            let around = kinds.half_extents(count).unwrap();
            assert_eq!(
                around.map(f32::to_bits),
                [0, 0, 1].map(|k| { (sizes[k] + sizes[2] + 0.0).to_bits() })
            );
            count += 1;
        }
    }
    assert_eq!(kinds.len(), count as usize);
    // A kind after an error is the next one.
    assert!(kinds.add_cone(f32::NAN, 1.0, 0.0).is_err());
    assert_eq!(kinds.add(&[[0.0; 3]]), Ok(count));
}

fn add_kind(
    kinds: &mut HullKinds,
    is_cone: bool,
    [radius, half_height, rounding]: [f32; 3],
) -> Result<u32, Error> {
    if is_cone {
        kinds.add_cone(radius, half_height, rounding)
    } else {
        kinds.add_cylinder(radius, half_height, rounding)
    }
}

/// The box around a kind is rounded up by at most one step.
#[test]
fn half_extents_of_cylinders_are_rounded_up() {
    let mut rng = rng("boxes around cylinders");
    let mut is_exact = [0; 2];
    for case in 0..2000 {
        let [radius, half_height, rounding] =
            [(); 3].map(|()| rng.random_range(0.0..1.0f32) * 2f32.powi(rng.random_range(-12..6)));
        let mut kinds = HullKinds::new();
        let kind = add_kind(&mut kinds, case % 2 == 0, [radius, half_height, rounding]);
        let half = kinds.half_extents(kind.unwrap()).unwrap();
        assert_eq!(half[0], half[1]);
        for (size, half) in [(radius, half[0]), (half_height, half[2])] {
            // Exact in `f64`.
            let sum = f64::from(size) + f64::from(rounding);
            assert!(sum <= f64::from(half) && sum > f64::from(half.next_down()));
            is_exact[usize::from(sum == f64::from(half))] += 1;
        }
    }
    assert!(is_exact.iter().all(|count| *count > 20), "{is_exact:?}");
}

/// Some answers by hand, which need no search.
#[test]
fn cylinders_and_cones_stand_around_the_z_axis() {
    let upright = |is_cone: bool, rounding: f32| Revolved {
        hull: Hull::default(),
        is_cone,
        radius: 2.0,
        half_height: 1.0,
        rounding,
    };
    let distance = |hull: &Revolved, at: [f32; 3]| {
        let (mut distances, store) = (Distances::new(), Store::from_slice(&[Point::new(at)]));
        Detector::new()
            .distance(&hull.alone(), &store, Pairs::zip(), &mut distances)
            .unwrap();
        [distances.lower()[0], distances.upper()[0]].map(f64::from)
    };
    // A point, and the distances of the cylinder and of the cone from it.
    let cases = [
        ([0.0, 0.0, 3.0], 2.0, 2.0),
        ([0.0, 0.0, -3.0], 2.0, 2.0),
        ([5.0, 0.0, -1.0], 3.0, 3.0),
        ([0.0, -5.0, -1.0], 3.0, 3.0),
        ([3.0, 4.0, 1.0], 3.0, 13f64.sqrt()),
        ([0.0, 0.0, 1.0], 0.0, 0.0),
        ([1.0, 1.0, -2.0], 1.0, 1.0),
        ([1.0, 0.0, 1.0], 0.0, 1.0 / 2f64.sqrt()),
        ([2.0, 0.0, 2.0], 1.0, 3.0 / 2f64.sqrt()),
        ([6.0, 0.0, 4.0], 5.0, 9.0 / 2f64.sqrt()),
    ];
    for rounding in [0.0, 0.25] {
        for (at, of_cylinder, of_cone) in cases {
            for (is_cone, exact) in [(false, of_cylinder), (true, of_cone)] {
                let [lower, upper] = distance(&upright(is_cone, rounding), at);
                let exact: f64 = exact - f64::from(rounding);
                let exact = exact.max(0.0);
                let is_near = lower <= exact && exact <= upper && upper - lower < 1e-3;
                assert!(is_near, "{is_cone} {at:?}: {lower} {upper}, not {exact}");
            }
        }
    }
}

/// Tolerances of impacts relative to the sizes.
const TOLERANCES: [f32; 4] = [1e-2, 1e-3, 1e-4, 0.0];

/// A vector of up to a size along each axis.
fn vector(rng: &mut StdRng, size: f32) -> [f32; 3] {
    [(); 3].map(|()| rng.random_range(-1.0..1.0f32) * size)
}

/// A turn: none, slow, ordinary, or nearly π.
fn turn(rng: &mut StdRng) -> [f32; 3] {
    let v = vector(rng, 1.0);
    let long = v.iter().map(|x| x * x).sum::<f32>().sqrt();
    let angle = [0.0, 1e-4, 0.3, 1.0, 3.1][rng.random_range(0..5)];
    v.map(|x| x / long * angle)
}

/// A shape in any motion.
fn moving<T: Met>(rng: &mut StdRng, setting: &Setting) -> Moving<T> {
    let shape = loop {
        let shape = T::sample(rng, setting);
        if shape.is_valid() {
            break shape;
        }
    };
    let way = [0.0, 1.0, 4.0, 30.0][rng.random_range(0..4)] * setting.scale;
    Moving {
        shape,
        displacement: vector(rng, way),
        turn: turn(rng),
    }
}

/// Judges impacts by the distance at many times before the impact, and at the impact.
fn judge_impacts<B: Met>()
where
    PlacedHull: Impact<B::Shape>,
    B::Shape: Impact<PlacedHull>,
{
    let name = format!("impacts with {}", std::any::type_name::<B>());
    let mut rng = rng(&name);
    let (mut hits, mut grazing, mut unsettled, mut worst) = (0, 0, 0, 0.0f64);
    let tested = cases() / 2;
    for _ in 0..tested {
        let setting = setting(&mut rng);
        let a: Moving<Revolved> = moving(&mut rng, &setting);
        let mut b: Moving<B> = moving(&mut rng, &setting);
        // The centers meet at some time, more or less.
        let when = rng.random_range(0.0..1.0f32);
        let way = |it: &[f32; 3], k: usize| it[k] * when;
        let to = [0, 1, 2].map(|k| {
            let p = a.shape.size().0[k] as f32 + way(&a.displacement, k);
            p - b.shape.size().0[k] as f32 - way(&b.displacement, k)
        });
        let by = vector(&mut rng, 0.4 * setting.scale);
        b.shape = b.shape.moved(common::add(to, by));
        let tolerance = TOLERANCES[rng.random_range(0..4)] * setting.scale;
        let time_of = |b: &Moving<B>, tolerance: f32| {
            let (a, b) = (Revolved::turning(from_ref(&a)), B::turning(from_ref(b)));
            let mut impacts = [(); 2].map(|()| Impacts::new());
            let mut detector = Detector::new().parallel(false);
            let [there, back] = &mut impacts;
            detector
                .impact(&a, &b, Pairs::zip(), tolerance, there)
                .unwrap();
            detector
                .impact(&b, &a, Pairs::zip(), tolerance, back)
                .unwrap();
            assert_eq!(there.invalid_count() + back.invalid_count(), 0);
            (there.get(0), there.is_settled(0), back.get(0))
        };
        // To where it just misses.
        if rng.random_bool(0.7) {
            let way = vector(&mut rng, setting.scale);
            let at = |share: f32| Moving {
                shape: b.shape.moved(way.map(|x| x * share)),
                ..b.clone()
            };
            let (mut near, mut far) = (0.0f32, 30.0f32);
            if time_of(&at(near), 0.0).0.is_some() && time_of(&at(far), 0.0).0.is_none() {
                grazing += 1;
                for _ in 0..24 {
                    let middle = 0.5 * (near + far);
                    match time_of(&at(middle), 0.0).0 {
                        Some(_) => near = middle,
                        None => far = middle,
                    }
                }
            }
            b = at(if rng.random_bool(0.5) { near } else { far });
        }
        let (time, is_settled, swapped) = time_of(&b, tolerance);
        let what = || format!("{a:?}\n{b:?}\n{time:?} within {tolerance}");
        hits += usize::from(time.is_some());
        unsettled += usize::from(!is_settled);
        // The order of shapes of two types does not matter.
        let is_of_one_type =
            std::any::TypeId::of::<B::Shape>() == std::any::TypeId::of::<PlacedHull>();
        assert!(is_of_one_type || time == swapped, "{swapped:?} {}", what());
        let origin = a.shape.size().0;
        let all = lengths(&a.shape, &b.shape);
        let at = |t: f64| Apart::of(&a.body(origin, t), &b.body(origin, t), all);
        let until = time.map_or(1.0, f64::from);
        let mut times: Vec<f64> = (0..40).map(|k| until * f64::from(k) / 40.0).collect();
        times.extend((6..22).map(|k| until * (1.0 - 0.5f64.powi(k))));
        if time.is_none() {
            times.push(1.0);
        }
        if until > 0.0 {
            for t in times {
                assert!(!at(t).is_deep(), "touch at {t}\n{}", what());
            }
        }
        if is_settled && time.is_some() {
            // Each half extent of a box around a hull has the rounding.
            let s = size(&a.shape, &b.shape, [a.displacement, b.displacement]);
            let more = [&a.body(origin, 0.0), &b.body(origin, 0.0)].map(|body| 2.0 * body.radius);
            let band = 256.0 * U * (s + more[0] + more[1]) + 2f64.powi(-56);
            let most = f64::from(tolerance).max(band) + band;
            let gap = at(until).lower;
            worst = worst.max(gap / most);
            assert!(gap <= most, "{gap} at the time, not {most}\n{}", what());
        }
    }
    println!(
        "{name}: {hits} hits, {grazing} grazing, {unsettled} unsettled of {tested}, worst {worst}"
    );
    assert!(hits * 6 > tested && hits * 20 < tested * 19 && unsettled * 50 <= tested);
    assert!(grazing * 8 > tested);
}

macro_rules! impacts {
    ($($test:ident: $shape:ident;)+) => { $(
        #[test]
        fn $test() {
            judge_impacts::<$shape>();
        }
    )+ };
}
impacts! {
    cylinder_cone_samples_do_not_touch_before_the_impact: Revolved;
    cylinder_hull_samples_do_not_touch_before_the_impact: Points;
    cylinder_sphere_samples_do_not_touch_before_the_impact: Sphere;
    cylinder_capsule_samples_do_not_touch_before_the_impact: Capsule;
    cylinder_aabb_samples_do_not_touch_before_the_impact: Aabb;
    cylinder_obb_samples_do_not_touch_before_the_impact: Obb;
    cylinder_triangle_samples_do_not_touch_before_the_impact: Triangle;
}

/// The gap of a plane or half-space is the least height, which is a formula.
#[test]
fn cylinder_surface_samples_do_not_touch_before_the_impact() {
    let mut rng = rng("impacts with surfaces");
    let (mut hits, mut unsettled) = (0, 0);
    for case in 0..cases() {
        let setting = setting(&mut rng);
        let a: Moving<Revolved> = moving(&mut rng, &setting);
        let mut plane = <Plane as Sample>::sample(&mut rng, &setting);
        if Store::from_slice(&[plane]).validate().is_err() {
            continue;
        }
        // Some of them start above the shape, and some graze it.
        let unit = |plane: &Plane| {
            let n = plane.normal.map(f64::from);
            times(n, 1.0 / length(n))
        };
        let below = rng.random_range(0.0..4.0) * f64::from(setting.scale);
        let by = times(
            unit(&plane),
            a.body([0.0; 3], 0.0).low(unit(&plane)) - below,
        );
        let to = <Plane as Sample>::corner(&plane, &mut rng);
        plane = plane.moved([0, 1, 2].map(|k| by[k] as f32 - to[k]));
        let way = setting.scale * [0.0, 1.0, 8.0][rng.random_range(0..3)];
        let travel = vector(&mut rng, way);
        let Plane { normal, d } = plane;
        let is_solid = case % 2 == 0;
        let tolerance = TOLERANCES[rng.random_range(0..4)] * setting.scale;
        let (hulls, mut impacts) = (Revolved::turning(from_ref(&a)), Impacts::new());
        let mut detector = Detector::new().parallel(false);
        if is_solid {
            let mut spaces = Store::new();
            spaces.push_moving(HalfSpace { normal, d }, travel);
            detector
                .impact(&hulls, &spaces, Pairs::zip(), tolerance, &mut impacts)
                .unwrap();
        } else {
            let mut planes = Store::new();
            planes.push_moving(plane, travel);
            detector
                .impact(&planes, &hulls, Pairs::zip(), tolerance, &mut impacts)
                .unwrap();
        }
        let n = unit(&plane);
        let height = f64::from(d) / length(normal.map(f64::from));
        let gap = |t: f64| {
            let body = a.body([0.0; 3], t);
            let by = height - t * dot(n, travel.map(f64::from));
            let [low, high] = [body.low(n) + by, body.high(n) + by];
            if is_solid { low } else { low.max(-high) }
        };
        let time = impacts.get(0);
        let what =
            || format!("{a:?}\n{plane:?} by {travel:?}, {is_solid}\n{time:?} within {tolerance}");
        hits += usize::from(time.is_some());
        unsettled += usize::from(!impacts.is_settled(0));
        let until = time.map_or(1.0, f64::from);
        let (center, lengths) = a.shape.size();
        let terms = |v: V| (0..3).map(|k| (n[k] * v[k]).abs()).sum::<f64>();
        let way = sub(a.displacement.map(f64::from), travel.map(f64::from));
        let size =
            terms(center) + height.abs() + terms(way) + lengths + 2.0 * f64::from(a.shape.rounding);
        if until > 0.0 {
            for k in 0..100 + usize::from(time.is_none()) {
                let t = until * k as f64 / 100.0;
                assert!(gap(t) > -NOISE * size, "touch at {t}\n{}", what());
            }
        }
        if time.is_some() && impacts.is_settled(0) {
            let band = 256.0 * U * size + 2f64.powi(-56);
            let most = f64::from(tolerance).max(band) + band;
            assert!(gap(until) <= most, "{}, not {most}\n{}", gap(until), what());
        }
    }
    println!("{hits} hits, {unsettled} unsettled");
    assert!(hits * 4 > cases() && hits * 20 < cases() * 19 && unsettled * 200 <= cases());
}

/// Compares searches of a store for each of some hulls to the results of all pairs.
fn are_the_reduction_of_all_pairs<B: Shapes>(a: &Hulls, b: &B, count: usize)
where
    PlacedHull: Overlap<B::Shape> + Sweep<B::Shape> + Distance<B::Shape>,
    B::Shape: Bounded,
{
    let is_bad = |i: u32| a.get(i).unwrap().center.iter().any(|x| x.is_nan());
    let mut detector = Detector::new();
    let (mut near, mut firsts, mut pairs) = (Nearest::new(), FirstHits::new(), Vec::new());
    let [mut any, mut way, mut overlaps] = [(); 3].map(|()| Overlaps::new());
    let (mut sweeps, mut distances) = (Sweeps::new(), Distances::new());
    let (mut orders, mut neighbors) = (OrderedHits::new(), Neighbors::new());
    let radius = 1.5;
    detector.nearest(a, b, radius, &mut near).unwrap();
    detector
        .neighbors(a, b, radius, usize::MAX, &mut neighbors)
        .unwrap();
    detector.first_hits(a, b, &mut firsts).unwrap();
    detector
        .ordered_hits(a, b, usize::MAX, &mut orders)
        .unwrap();
    detector.meets_any(a, b, During::Start, &mut any).unwrap();
    detector.meets_any(a, b, During::Way, &mut way).unwrap();
    detector
        .candidates(a, b, During::Frame, &mut pairs)
        .unwrap();
    let mut found = [0; 4];
    for i in 0..a.len() as u32 {
        let (all, at) = (Pairs::one_to_all(i), i as usize);
        detector.sweep(a, b, all, &mut sweeps).unwrap();
        detector.overlap(a, b, all, &mut overlaps).unwrap();
        detector.distance(a, b, all, &mut distances).unwrap();
        if is_bad(i) {
            assert!(near.is_invalid(at) && firsts.is_invalid(at) && any.is_invalid(at));
            continue;
        }
        let mut hits: Vec<_> = sweeps.iter().collect();
        hits.sort_by(|(i, x), (j, y)| x.enter.total_cmp(&y.enter).then(i.cmp(j)));
        let hit = firsts.get(at);
        assert_eq!(
            hit.map(|hit| (hit.b as usize, hit.time)),
            hits.first().copied(),
            "{i}"
        );
        let listed = orders.of(at).map(|(b, time)| (b as usize, time));
        assert!(listed.eq(hits.iter().copied()), "{i}");
        assert_eq!(any.is_hit(at), overlaps.count() > 0, "{i}");
        assert_eq!(way.is_hit(at), !hits.is_empty(), "{i}");
        let is_listed = |j: usize| pairs.binary_search(&Pair::new(i, j as u32)).is_ok();
        assert!(hits.iter().all(|(j, _)| is_listed(*j)), "{i}");
        let mut best = (None, [radius, f32::INFINITY]);
        let mut within = Vec::new();
        for j in 0..count {
            let Some(range) = distances.get(j) else {
                continue;
            };
            best.1[0] = best.1[0].min(range.lower);
            if range.lower <= radius {
                within.push((range.upper, j as u32));
            }
            if range.upper <= radius && range.upper < best.1[1] {
                (best.0, best.1[1]) = (Some(j as u32), range.upper);
            }
        }
        let clearance = near.get(at).unwrap();
        assert_eq!(
            (clearance.b, [clearance.lower, clearance.upper]),
            best,
            "{i}"
        );
        within.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        let listed = neighbors.of(at).map(|(b, range)| (range.upper, b));
        assert!(listed.eq(within.iter().copied()), "{i}");
        found[0] += usize::from(!hits.is_empty());
        found[1] += usize::from(overlaps.count() > 0);
        found[2] += usize::from(best.0.is_some());
        found[3] += within.len();
    }
    assert!(found.iter().all(|count| *count > 10), "{found:?}");
}

/// Shapes in motion around the origin.
fn many<T: Sample>(rng: &mut StdRng, len: usize, reach: f32) -> Store<T> {
    let setting = Setting::ordinary();
    let mut store = Store::new();
    for _ in 0..len {
        let by = vector(rng, reach);
        let motion = setting.motion(rng).map(|x| x.clamp(-4.0, 4.0));
        store.push_moving(T::sample(rng, &setting).moved(by), motion);
    }
    store
}

#[test]
fn searches_of_stores_are_the_reduction_of_all_pairs() {
    let mut rng = rng("cylinders in scenes");
    let [a, b] = [200, 400].map(|len| field(&mut rng, len, 9.0));
    are_the_reduction_of_all_pairs(&a, &b, 400);
    are_the_reduction_of_all_pairs(&a, &many::<Point>(&mut rng, 3000, 9.0), 3000);
    are_the_reduction_of_all_pairs(&a, &many::<Sphere>(&mut rng, 400, 9.0), 400);
    are_the_reduction_of_all_pairs(&a, &many::<Capsule>(&mut rng, 400, 9.0), 400);
    are_the_reduction_of_all_pairs(&a, &many::<Aabb>(&mut rng, 400, 9.0), 400);
    are_the_reduction_of_all_pairs(&a, &many::<Obb>(&mut rng, 400, 9.0), 400);
    are_the_reduction_of_all_pairs(&a, &many::<Triangle>(&mut rng, 400, 9.0), 400);
    let corner = |k: u32| {
        let (x, y) = ((k % 21) as f32 - 10.0, (k / 21) as f32 - 10.0);
        [x, y, (x * 0.7).sin() + (y * 0.4).cos()]
    };
    let vertices: Vec<_> = (0..441).map(corner).collect();
    let squares = (0..400).flat_map(|k| {
        let at = k / 20 * 21 + k % 20;
        [[at, at + 1, at + 21], [at + 1, at + 22, at + 21]]
    });
    let mesh = Mesh::new(&vertices, &squares.collect::<Vec<_>>()).unwrap();
    are_the_reduction_of_all_pairs(&a, &mesh, 800);
}

/// Compares all results of a list of pairs on every instruction set and any number of threads.
fn has_one_answer<B: Shapes + Sync>(
    rng: &mut StdRng,
    a: &Hulls,
    b: &B,
    of: impl Fn(&mut Detector, &Hulls, &B, &[Pair]) -> Vec<u64> + Sync,
) {
    let pairs: Vec<Pair> = (0..4000)
        .map(|_| Pair::new(rng.random_range(0..300), rng.random_range(0..300)))
        .collect();
    let expected = of(&mut Detector::new().parallel(false), a, b, &pairs);
    for simd in Simd::available() {
        for parallel in [false, true] {
            let mut detector = Detector::new().simd(simd).parallel(parallel);
            assert!(
                of(&mut detector, a, b, &pairs) == expected,
                "{simd} differs"
            );
        }
    }
    #[cfg(feature = "rayon")]
    for threads in 1..=4 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let run = || of(&mut Detector::new(), a, b, &pairs);
        assert!(pool.unwrap().install(run) == expected, "{threads} threads");
    }
}

/// Overlaps, sweeps, distances and contacts.
fn static_bits<B: Shapes>(detector: &mut Detector, a: &Hulls, b: &B, pairs: &[Pair]) -> Vec<u64>
where
    PlacedHull: Overlap<B::Shape> + Sweep<B::Shape> + Distance<B::Shape> + Collide<B::Shape>,
    B::Shape: Overlap<PlacedHull> + Sweep<PlacedHull> + Distance<PlacedHull> + Collide<PlacedHull>,
{
    let mut all = bits(detector, a, b, pairs);
    all.extend(contact_bits(detector, a, b, pairs));
    all
}

/// All results.
fn all_bits<B: Shapes>(detector: &mut Detector, a: &Hulls, b: &B, pairs: &[Pair]) -> Vec<u64>
where
    PlacedHull: Overlap<B::Shape>
        + Sweep<B::Shape>
        + Distance<B::Shape>
        + Collide<B::Shape>
        + Impact<B::Shape>,
    B::Shape: Overlap<PlacedHull>
        + Sweep<PlacedHull>
        + Distance<PlacedHull>
        + Collide<PlacedHull>
        + Impact<PlacedHull>,
{
    let mut all = static_bits(detector, a, b, pairs);
    all.extend(impact_bits(detector, a, b, pairs));
    all
}

#[test]
fn results_are_the_same_for_every_lane_count_and_thread_count() {
    let mut rng = rng("cylinders everywhere");
    let [a, b] = [(); 2].map(|()| field(&mut rng, 300, 3.0));
    has_one_answer(&mut rng, &a, &b, all_bits);
    let points = many::<Point>(&mut rng, 300, 2.0);
    has_one_answer(&mut rng, &a, &points, static_bits);
    let spheres = many::<Sphere>(&mut rng, 300, 3.0);
    has_one_answer(&mut rng, &a, &spheres, all_bits);
    let capsules = many::<Capsule>(&mut rng, 300, 3.0);
    has_one_answer(&mut rng, &a, &capsules, all_bits);
    let aabbs = many::<Aabb>(&mut rng, 300, 3.0);
    has_one_answer(&mut rng, &a, &aabbs, all_bits);
    let boxes = many::<Obb>(&mut rng, 300, 3.0);
    has_one_answer(&mut rng, &a, &boxes, all_bits);
    let triangles = many::<Triangle>(&mut rng, 300, 3.0);
    has_one_answer(&mut rng, &a, &triangles, all_bits);
    let planes = many::<Plane>(&mut rng, 300, 3.0);
    has_one_answer(&mut rng, &a, &planes, all_bits);
    let spaces = many::<HalfSpace>(&mut rng, 300, 3.0);
    has_one_answer(&mut rng, &a, &spaces, all_bits);
}

/// Compares a long list with lists of one pair, and with lists that need not be written down.
fn answers_as_single_pairs<B: Shapes>(rng: &mut StdRng, a: &Hulls, b: &B)
where
    PlacedHull: Overlap<B::Shape>
        + Sweep<B::Shape>
        + Distance<B::Shape>
        + Collide<B::Shape>
        + Impact<B::Shape>,
{
    let results = |pairs: Pairs<'_>, len: usize| {
        let mut detector = Detector::new();
        let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
        let (mut distances, mut contacts) = (Distances::new(), Contacts::new());
        let mut impacts = Impacts::new();
        detector.overlap(a, b, pairs, &mut overlaps).unwrap();
        detector.sweep(a, b, pairs, &mut sweeps).unwrap();
        detector.distance(a, b, pairs, &mut distances).unwrap();
        detector.contact(a, b, pairs, &mut contacts).unwrap();
        detector.impact(a, b, pairs, 1e-3, &mut impacts).unwrap();
        let of = |i: usize| {
            let contact = contacts.get(i).map(|contact| {
                let points = contact.points().to_vec();
                (contact.normal, contact.separation, points)
            });
            let flags = [overlaps.is_hit(i), overlaps.is_invalid(i)];
            (
                flags,
                sweeps.get(i),
                distances.get(i),
                contact,
                impacts.get(i),
            )
        };
        (0..len).map(of).collect::<Vec<_>>()
    };
    let pairs: Vec<Pair> = (0..3000)
        .map(|_| Pair::new(rng.random_range(0..300), rng.random_range(0..300)))
        .collect();
    let whole = results((&pairs).into(), pairs.len());
    for (pair, found) in pairs.iter().zip(&whole).step_by(7) {
        assert_eq!(*found, results(from_ref(pair).into(), 1)[0], "{pair:?}");
    }
    for index in [0, 7] {
        let all: Vec<Pair> = (0..300).map(|j| Pair::new(index, j)).collect();
        assert_eq!(
            results((&all).into(), 300),
            results(Pairs::one_to_all(index), 300)
        );
    }
    let all: Vec<Pair> = (0..300).map(|i| Pair::new(i, i)).collect();
    assert_eq!(results((&all).into(), 300), results(Pairs::zip(), 300));
    let touching = whole.iter().filter(|it| it.3.is_some()).count();
    assert!(touching > 15, "{touching}");
}

#[test]
fn long_lists_answer_as_single_pairs() {
    let mut rng = rng("lists of cylinders");
    let [a, b] = [(); 2].map(|()| field(&mut rng, 300, 2.0));
    answers_as_single_pairs(&mut rng, &a, &b);
    let spheres = many::<Sphere>(&mut rng, 300, 2.0);
    answers_as_single_pairs(&mut rng, &a, &spheres);
    let boxes = many::<Obb>(&mut rng, 300, 2.0);
    answers_as_single_pairs(&mut rng, &a, &boxes);
    let triangles = many::<Triangle>(&mut rng, 300, 2.0);
    answers_as_single_pairs(&mut rng, &a, &triangles);
    let planes = many::<Plane>(&mut rng, 300, 2.0);
    answers_as_single_pairs(&mut rng, &a, &planes);
}

/// Rays towards random points in and around a cylinder and an octahedron, which begin far away.
#[test]
fn rays_of_any_length_end_at_the_surface() {
    let (radius, half_height, edge) = (0.3, 0.4, 0.5);
    let mut kinds = HullKinds::new();
    let cylinder = kinds.add_cylinder(radius, half_height, 0.0).unwrap();
    let corners = [0, 1, 2].map(|k| {
        let mut corner = [0.0f32; 3];
        corner[k] = edge;
        [corner, corner.map(|x| -x)]
    });
    let octahedron = kinds.add(corners.as_flattened()).unwrap();
    let (radius, half_height, edge) = (f64::from(radius), f64::from(half_height), f64::from(edge));
    let distance = |kind: u32, p: V| match kind == cylinder {
        true => {
            let beside = (p[0].hypot(p[1]) - radius).max(0.0);
            beside.hypot((p[2].abs() - half_height).max(0.0))
        }
        // Beyond a face; near an edge it is more.
        false => (p.iter().map(|x| x.abs()).sum::<f64>() - edge).max(0.0) / 3f64.sqrt(),
    };
    let mut rng = rng("rays of any length");
    let mut detector = Detector::new();
    for length in [1.0f64, 30.0, 100.0, 1e3, 1e4] {
        let (mut worst, mut hits) = (0.0f64, 0);
        for kind in [cylinder, octahedron] {
            let target =
                Hulls::from_slice(&kinds, &[Hull::new(kind, [0.0; 3], [0.0, 0.0, 0.0, 1.0])]);
            let (mut rays, mut sweeps) = (phalanx::Points::new(), Sweeps::new());
            let n = 2000;
            for _ in 0..n {
                let mut part = |most: f64| [(); 3].map(|()| rng.random_range(-most..most));
                let (to, way) = (part(0.55), part(1.0));
                let way = times(way, length / oracle::minkowski::length(way));
                let position = sub(to, times(way, 0.75)).map(|x| x as f32);
                rays.push_moving(Point { position }, way.map(|x| x as f32));
            }
            let target = target.unwrap();
            let pairs: Vec<Pair> = (0..n).map(|ray| Pair::new(ray, 0)).collect();
            detector.sweep(&rays, &target, &pairs, &mut sweeps).unwrap();
            for (ray, time) in sweeps.iter() {
                let (start, way) = (rays.get(ray as u32), rays.displacement(ray as u32));
                let way = way.unwrap().map(f64::from);
                let at = add(
                    start.unwrap().position.map(f64::from),
                    times(way, time.enter.into()),
                );
                worst = worst.max(distance(kind, at));
                hits += 1;
            }
        }
        // The half extents add up to 1 and to 1.5.
        let most = 64.0 * U * 16.0 * 1.5 + 2.0 * U * length;
        println!("{length} m: {hits} hits, {worst:.2e} of {most:.2e}");
        assert!(
            hits > 1000 && worst <= most,
            "{length} m: {worst}, not {most}"
        );
    }
}
