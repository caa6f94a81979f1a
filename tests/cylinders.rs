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

#[path = "common/hull_pairs.rs"]
mod hull_pairs;

use common::{Sample, Setting, cases_or, rng, step};
use oracle::U;
use oracle::cylinders::{Apart, Body, Core, NOISE};
use oracle::hulls::{Points, Side};
use oracle::minkowski::{V, add, dot, length, sub, times};
use oracle::planes::Surface;
use phalanx::traits::{Distance, Overlap, Shape, Sweep};
use phalanx::{
    Aabb, Capsule, ClosestPoints, Contacts, Detector, Distances, Error, HalfSpace, Hull, HullKinds,
    Hulls, MAX_LENGTH, Obb, Overlaps, Pair, Pairs, PlacedHull, Plane, Point, Shapes, Sphere, Store,
    Sweeps, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;

/// Bands of the contract, in u of S.
const BAND: f64 = 9.0;
const SETTLED: f64 = 288.0;
/// Off a shape by this much is a reported point.
const POINTS: f64 = 64.0;
const FLOOR: f64 = 1.0 / (1u64 << 58) as f64;

fn cases() -> usize {
    cases_or(2000)
}

/// A cylinder or a cone.
#[derive(Clone, Debug)]
struct Revolved {
    hull: Hull,
    is_cone: bool,
    radius: f32,
    half_height: f32,
    rounding: f32,
}

impl Revolved {
    /// Adds its kind.
    fn add_to(&self, kinds: &mut HullKinds) -> Result<u32, Error> {
        let (radius, half_height, rounding) = (self.radius, self.half_height, self.rounding);
        if self.is_cone {
            kinds.add_cone(radius, half_height, rounding)
        } else {
            kinds.add_cylinder(radius, half_height, rounding)
        }
    }

    /// A store of this hull alone.
    fn alone(&self) -> Hulls {
        <Self as Met>::stores(&[(self.clone(), [0.0; 3])])
    }
}

/// A shape that meets cylinders and cones, and stores of it.
trait Met: Clone + std::fmt::Debug {
    type Shape: Shape;
    type Stores: Shapes<Shape = Self::Shape>;
    fn sample(rng: &mut StdRng, setting: &Setting) -> Self;
    fn moved(&self, by: [f32; 3]) -> Self;
    fn stores(all: &[(Self, [f32; 3])]) -> Self::Stores;
    fn is_valid(&self) -> bool;
    /// The shape relative to an origin.
    fn body(&self, origin: V) -> Body;
    /// Center and sum of lengths, as in S.
    fn size(&self) -> (V, f64);
    /// Largest core radius of a cylinder or cone.
    fn round(&self) -> f64 {
        0.0
    }
}

impl Met for Revolved {
    type Shape = PlacedHull;
    type Stores = Hulls;
    fn sample(rng: &mut StdRng, setting: &Setting) -> Self {
        let hull = Hull {
            center: setting.point(rng),
            rotation: setting.rotation(rng),
            kind: 0,
        };
        let thin = |rng: &mut StdRng| [1.0, 1.0, 1.0, 0.03][rng.random_range(0..4)];
        Revolved {
            hull,
            is_cone: rng.random_bool(0.5),
            radius: setting.length(rng) * thin(rng),
            half_height: setting.length(rng) * thin(rng),
            rounding: hull_pairs::radius(rng, setting),
        }
    }
    fn moved(&self, by: [f32; 3]) -> Self {
        let mut moved = self.clone();
        moved.hull.center = common::add(moved.hull.center, by);
        moved
    }
    fn stores(all: &[(Self, [f32; 3])]) -> Hulls {
        let mut kinds = HullKinds::new();
        let add = |(it, motion): &(Self, [f32; 3])| {
            let kind = it.add_to(&mut kinds).unwrap();
            (Hull { kind, ..it.hull }, *motion)
        };
        let placed: Vec<_> = all.iter().map(add).collect();
        let mut hulls = Hulls::new(&kinds);
        hulls.extend_moving(placed).unwrap();
        hulls
    }
    fn is_valid(&self) -> bool {
        let mut kinds = HullKinds::new();
        self.add_to(&mut kinds).is_ok() && {
            let hulls = Hulls::from_slice(&kinds, &[self.hull]);
            hulls.unwrap().validate().is_ok()
        }
    }
    fn body(&self, origin: V) -> Body {
        let [radius, half] = [self.radius, self.half_height].map(f64::from);
        let top = if self.is_cone { 0.0 } else { radius };
        Body {
            center: sub(self.hull.center.map(f64::from), origin),
            core: Core::of_discs(self.hull.rotation, [[-half, radius], [half, top]]),
            radius: self.rounding.into(),
        }
    }
    fn size(&self) -> (V, f64) {
        let [radius, half, rounding] =
            [self.radius, self.half_height, self.rounding].map(f64::from);
        (
            self.hull.center.map(f64::from),
            2.0 * radius + half + rounding,
        )
    }
    fn round(&self) -> f64 {
        self.radius.into()
    }
}

/// The center, points relative to it, and a radius.
trait OfPoints {
    fn points(&self) -> (V, Vec<V>, f64);
}

impl OfPoints for Point {
    fn points(&self) -> (V, Vec<V>, f64) {
        (self.position.map(f64::from), vec![[0.0; 3]], 0.0)
    }
}

impl OfPoints for Sphere {
    fn points(&self) -> (V, Vec<V>, f64) {
        let center = self.center.map(f64::from);
        (center, vec![[0.0; 3]], self.radius.into())
    }
}

impl OfPoints for Capsule {
    fn points(&self) -> (V, Vec<V>, f64) {
        let half = self.half_axis.map(f64::from);
        let ends = vec![half, times(half, -1.0)];
        (self.center.map(f64::from), ends, self.radius.into())
    }
}

/// The signs of the corners of a box.
fn corners(half: [f32; 3]) -> Vec<[f32; 3]> {
    let corner =
        |k: usize| [0, 1, 2].map(|axis| half[axis] * if k >> axis & 1 == 0 { -1.0 } else { 1.0 });
    (0..8).map(corner).collect()
}

impl OfPoints for Aabb {
    fn points(&self) -> (V, Vec<V>, f64) {
        let (min, max) = (self.min.map(f64::from), self.max.map(f64::from));
        let center = times(add(min, max), 0.5);
        let corner =
            |k: usize| [0, 1, 2].map(|axis| [min, max][k >> axis & 1][axis] - center[axis]);
        (center, (0..8).map(corner).collect(), 0.0)
    }
}

impl OfPoints for Obb {
    fn points(&self) -> (V, Vec<V>, f64) {
        let Core::Points(points) = Core::of_points(self.rotation, &corners(self.half_extents))
        else {
            unreachable!()
        };
        (self.center.map(f64::from), points, 0.0)
    }
}

impl OfPoints for Triangle {
    fn points(&self) -> (V, Vec<V>, f64) {
        let corners = self.corners.map(|corner| corner.map(f64::from));
        let points = corners.map(|corner| sub(corner, corners[0])).to_vec();
        (corners[0], points, 0.0)
    }
}

impl OfPoints for Points {
    fn points(&self) -> (V, Vec<V>, f64) {
        let Core::Points(points) = Core::of_points(self.hull.rotation, &self.points) else {
            unreachable!()
        };
        let center = self.hull.center.map(f64::from);
        (center, points, self.radius.into())
    }
}

macro_rules! met {
    ($($shape:ident),+) => { $(
        impl Met for $shape {
            type Shape = <$shape as hull_pairs::Partner>::Shape;
            type Stores = <$shape as hull_pairs::Partner>::Stores;
            fn sample(rng: &mut StdRng, setting: &Setting) -> Self {
                let sampled = <Self as hull_pairs::Partner>::sample(rng, setting);
                let radius = hull_pairs::radius(rng, setting);
                hull_pairs::Partner::rounded(sampled, radius)
            }
            fn moved(&self, by: [f32; 3]) -> Self {
                hull_pairs::Partner::moved(self, by)
            }
            fn stores(all: &[(Self, [f32; 3])]) -> Self::Stores {
                <Self as hull_pairs::Partner>::stores(all)
            }
            fn is_valid(&self) -> bool {
                hull_pairs::Partner::is_valid(self)
            }
            fn body(&self, origin: V) -> Body {
                let (center, points, radius) = self.points();
                Body {
                    center: sub(center, origin),
                    core: Core::Points(points),
                    radius,
                }
            }
            fn size(&self) -> (V, f64) {
                Side::size(self)
            }
        }
    )+ };
}
met!(Points, Point, Sphere, Capsule, Aabb, Obb, Triangle);

/// S of a pair in motion, at most.
fn size<A: Met, B: Met>(a: &A, b: &B, motion: [[f32; 3]; 2]) -> f64 {
    let ((p, x), (q, y)) = (a.size(), b.size());
    let travel = (0..3).map(|k| (f64::from(motion[1][k]) - f64::from(motion[0][k])).abs());
    let offset = sub(q, p).iter().map(|x| x.abs()).sum::<f64>();
    offset + x + y + travel.sum::<f64>()
}

/// Sum of the lengths of two shapes.
fn lengths<A: Met, B: Met>(a: &A, b: &B) -> f64 {
    a.size().1 + b.size().1
}

/// Lengths from 1e-3 to 1e3, seldom tiny or huge ones; thin discs and needles, aligned or not, on a grid or not.
fn setting(rng: &mut StdRng) -> Setting {
    let mut setting = Setting::random(rng);
    let decades = match rng.random_range(0..20) {
        0 => -20.0..-10.0,
        1 => 5.0..12.0,
        _ => -3.0..3.0f32,
    };
    setting.scale = 10f32.powf(rng.random_range(decades));
    if setting.snapped {
        setting.scale = 2f32.powf(setting.scale.log2().round());
    }
    let far = setting.scale * [0.0, 0.0, 1.0, 1e3, 1e6][rng.random_range(0..5)];
    setting.offset = [(); 3].map(|()| rng.random_range(-1.0..1.0f32) * far);
    setting
}

/// A case: two shapes, and their displacements.
type Case<A, B> = (A, B, [[f32; 3]; 2]);

fn stores<A: Met, B: Met>(all: &[Case<A, B>]) -> (A::Stores, B::Stores) {
    let of_a = all.iter().map(|(a, _, motion)| (a.clone(), motion[0]));
    let of_b = all.iter().map(|(_, b, motion)| (b.clone(), motion[1]));
    let (of_a, of_b): (Vec<_>, Vec<_>) = (of_a.collect(), of_b.collect());
    (A::stores(&of_a), B::stores(&of_b))
}

/// Both shapes relative to the center of the first.
fn bodies<A: Met, B: Met>(a: &A, b: &B) -> [Body; 2] {
    let origin = a.size().0;
    [a.body(origin), b.body(origin)]
}

/// Random cases, many near contact within a margin, or touching by some u of S.
fn near<A: Met, B: Met>(rng: &mut StdRng, count: usize, margin: f32) -> Vec<Case<A, B>> {
    let mut all = Vec::new();
    while all.len() < count {
        let setting = setting(rng);
        let (a, mut b) = (A::sample(rng, &setting), B::sample(rng, &setting));
        if rng.random_bool(0.4) {
            b = b.moved([(); 3].map(|()| rng.random_range(-3.0..3.0) * setting.scale));
        }
        let motion = [setting.motion(rng), setting.motion(rng)];
        if !a.is_valid() || !b.is_valid() {
            continue;
        }
        if rng.random_bool(0.7) {
            b = beside(rng, &a, b, margin);
        }
        if b.is_valid() {
            all.push((a, b, motion));
        }
    }
    all
}

/// The second shape moved to where the first is, some u of S more or less than the margin apart. Those that meet in depth stay.
fn beside<A: Met, B: Met>(rng: &mut StdRng, a: &A, b: B, margin: f32) -> B {
    let [x, y] = bodies(a, &b);
    let apart = Apart::of(&x, &y, lengths(a, &b));
    let radii = x.radius + y.radius;
    if apart.cores[0] <= NOISE * apart.size {
        return b;
    }
    let steps = [
        0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 9.0, 10.0, 16.0, -0.5, -1.0, -4.0, -1e3, -1e5,
    ];
    let after = steps[rng.random_range(0..steps.len())] * U * a.size().1.max(b.size().1);
    let way = times(
        apart.direction,
        f64::from(margin) + after - (apart.cores[0] - radii),
    );
    let mut moved = b.moved(way.map(|x| x as f32));
    for _ in 0..rng.random_range(0..3) {
        let mut by = [0.0; 3];
        let axis = rng.random_range(0..3);
        let at = moved.size().0[axis] as f32;
        by[axis] = step(at, rng.random_range(-2..=2)) - at;
        moved = moved.moved(by);
    }
    moved
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

/// Length in u of a size, beyond the floor.
fn in_u(length: f64, size: f64) -> f64 {
    ((length - FLOOR) / (size * U)).max(0.0)
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
            assert!(gap <= BAND, "{gap} u of S at {time:?}\n{}", case());
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
    let mut rng = rng("searches of the oracle");
    let (mut open, mut worst, mut is_inside) = (0, 0.0f64, 0);
    let tested = 4 * cases();
    for _ in 0..tested {
        let setting = setting(&mut rng);
        let a = Revolved::sample(&mut rng, &setting);
        let b = Revolved::sample(&mut rng, &setting);
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
    println!("{open} open of {tested}, {is_inside} inside, worst {worst:e}");
    assert!(open * 1000 <= tested && is_inside * 20 > tested);
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
        let (mut a, mut b) = (Hulls::default(), Store::new());
        b.push_moving(y, motion[1]);
        a.clone_from(&Revolved::stores(&[(x.clone(), motion[0])]));
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
    A::Shape: Overlap<Obb> + Sweep<Obb> + Distance<Obb> + phalanx::traits::Collide<Obb>,
    B::Shape: Overlap<Obb> + Sweep<Obb> + Distance<Obb> + phalanx::traits::Collide<Obb>,
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
