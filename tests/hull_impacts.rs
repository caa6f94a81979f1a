//! Times of impact of hulls that move and turn, against the definition.
//!
//! Hulls of the eight corners of boxes are judged by the oracles of boxes. One of them proves in interval arithmetic. Other
//! hulls are judged by the distance of all their faces at many times, in `f64`.
//!
//! `PHALANX_CASES` sets the number of pairs for each kind of shape.
#![cfg_attr(phalanx_only, allow(unused))]

mod common;
mod harness;
mod oracle;

#[path = "common/hull_bits.rs"]
mod hull_bits;

use common::{cases_or, near_origin, random_rotation, rng};
use harness::impact::{Moved, Near, Turns, near};
use hull_bits::impact_bits;
use oracle::U;
use oracle::intervals::Proof;
use oracle::minkowski::{V, add, axes_of, cross, dot, length, sub, times};
use oracle::turning::Couple;
use phalanx::traits::{Impact, Shape};
use phalanx::{
    Aabb, Capsule, Detector, Error, HalfSpace, Hull, Hulls, Impacts, Obb, Pair, Pairs, PlacedHull,
    Plane, Shapes, Simd, Sphere, Store, Sweeps, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;
use std::any::TypeId;
use std::slice::from_ref;

fn cases() -> usize {
    cases_or(4000)
}

/// Tolerances relative to the larger shape's size.
const TOLERANCES: [f32; 4] = [1e-2, 1e-3, 1e-4, 0.0];

/// Boxes as hulls of their corners.
fn hulls_of(boxes: &[Moved<Obb>]) -> Hulls {
    let mut hulls = Hulls::default();
    for moved in boxes {
        let Obb {
            center,
            half_extents,
            rotation,
        } = moved.shape;
        let corner = |k: usize| {
            [0, 1, 2].map(|axis| half_extents[axis] * if k >> axis & 1 == 0 { -1.0 } else { 1.0 })
        };
        let points: Vec<_> = (0..8).map(corner).collect();
        let kind = hulls.add_kind(&points).unwrap();
        let hull = Hull::new(kind, center, rotation);
        hulls
            .push_turning(hull, moved.displacement, moved.turn)
            .unwrap();
    }
    hulls
}

/// A store of shapes.
fn store<T: Turns>(shapes: &[Moved<T>]) -> Store<T> {
    let mut store = Store::new();
    for moved in shapes {
        T::push(&mut store, moved);
    }
    store
}

fn ask<A: Shapes, B: Shapes>(a: &A, b: &B, tolerance: f32) -> Impacts
where
    A::Shape: Impact<B::Shape>,
{
    let mut impacts = Impacts::new();
    let mut detector = Detector::new().parallel(false);
    detector
        .impact(a, b, Pairs::zip(), tolerance, &mut impacts)
        .unwrap();
    assert_eq!(impacts.invalid_count(), 0);
    impacts
}

#[derive(Debug, Default)]
struct Tally {
    pairs: usize,
    hits: usize,
    undecided: usize,
    unsettled: usize,
    proven: usize,
    unproven: usize,
    /// Growth needed for contact at the time, as a share of what is allowed.
    worst: f64,
}

/// Judges hulls of boxes as boxes: never late, and within the tolerance at the time.
fn judge_boxes<B: Turns>(ask: impl Fn(&Near<Obb, B>, f32) -> Impacts) {
    let mut rng = rng(&format!("hulls of boxes, {}", std::any::type_name::<B>()));
    let mut tally = Tally::default();
    while tally.pairs < cases() {
        let Some(mut near) = near::<Obb, B>(&mut rng) else {
            continue;
        };
        // The margin of a box is not Euclidean.
        near.margin = 0.0;
        let tolerance = TOLERANCES[rng.random_range(0..4)] * near.size;
        let impacts = ask(&near, tolerance);
        for (k, (a, b)) in near.a.iter().zip(&near.b).enumerate() {
            let what = || format!("{a:?}\n{b:?}\n{:?} within {tolerance}", impacts.get(k));
            let (x, y) = (a.turning(), b.turning());
            let couple = Couple::new(&x, &y, 0.0);
            let first = couple.first(1.0);
            let time = impacts.get(k);
            tally.pairs += 1;
            tally.hits += usize::from(time.is_some());
            tally.unsettled += usize::from(!impacts.is_settled(k));
            let until = time.map_or(1.0, f64::from);
            if until > first.free_until || (time.is_none() && first.touch.is_some()) {
                if let Some((touch, _)) = first.touch {
                    assert!(
                        touch >= until && time.is_some(),
                        "late: {touch}\n{}",
                        what()
                    );
                }
                tally.undecided += 1;
            }
            if tally.pairs % 4 == 0 && until > 0.0 {
                if Proof::new(&x, &y, 0.0).is_free(until) {
                    tally.proven += 1;
                } else {
                    tally.unproven += 1;
                }
            }
            if let Some(time) = time
                && impacts.is_settled(k)
            {
                let band = 256.0 * U * couple.size + 2f64.powi(-56);
                let most = f64::from(tolerance).max(band) + band;
                let share = couple.growth(time.into()) / most;
                tally.worst = tally.worst.max(share);
                assert!(share <= 1.0, "far: {share}\n{}", what());
            }
        }
    }
    println!("{}: {tally:?}", std::any::type_name::<B>());
    assert!(tally.undecided * 100 <= tally.pairs && tally.hits * 4 > tally.pairs);
    assert!(tally.unsettled * 200 <= tally.pairs);
    assert!(tally.proven * 10 > tally.pairs && tally.unproven * 100 <= tally.proven);
}

fn judge_partner<B: Turns + Impact<PlacedHull>>()
where
    PlacedHull: Impact<B>,
{
    judge_boxes::<B>(|near, tolerance| {
        let (hulls, others) = (hulls_of(&near.a), store(&near.b));
        let impacts = ask(&hulls, &others, tolerance);
        assert_eq!(impacts, ask(&others, &hulls, tolerance));
        impacts
    });
}

macro_rules! judged {
    ($($test:ident: $shape:ident;)+) => { $(
        #[test]
        fn $test() {
            judge_partner::<$shape>();
        }
    )+ };
}
judged! {
    hull_sphere_impact_is_never_late: Sphere;
    hull_capsule_impact_is_never_late: Capsule;
    hull_aabb_impact_is_never_late: Aabb;
    hull_obb_impact_is_never_late: Obb;
    hull_triangle_impact_is_never_late: Triangle;
    hull_plane_impact_is_never_late: Plane;
    hull_half_space_impact_is_never_late: HalfSpace;
}

#[test]
fn hull_hull_impact_is_never_late() {
    judge_boxes::<Obb>(|near, tolerance| {
        let (a, b) = (hulls_of(&near.a), hulls_of(&near.b));
        ask(&a, &b, tolerance)
    });
}

/// A shape in motion for the oracle: the points within a radius of the hull of some points.
#[derive(Clone, Debug)]
struct Part {
    center: V,
    /// Relative to the center.
    points: Vec<V>,
    radius: f64,
    displacement: V,
    turn: V,
    /// Sum of the half extents or half axes.
    lengths: f64,
}

impl Part {
    /// The points at a time.
    fn at(&self, time: f64) -> Vec<V> {
        let angle = length(self.turn);
        let center = add(self.center, times(self.displacement, time));
        let turned = |p: V| {
            if angle == 0.0 {
                return p;
            }
            let axis = times(self.turn, 1.0 / angle);
            let along = times(axis, dot(axis, p));
            let (sin, cos) = (angle * time).sin_cos();
            let across = add(times(sub(p, along), cos), times(cross(axis, p), sin));
            add(along, across)
        };
        self.points
            .iter()
            .map(|p| add(center, turned(*p)))
            .collect()
    }
}

/// The distance of the hulls of some points, by all their segments, triangles and tetrahedra; zero if they meet.
fn distance(a: &[V], b: &[V]) -> f64 {
    if meet(a, b) || meet(b, a) {
        return 0.0;
    }
    let mut least = f64::INFINITY;
    for i in 0..a.len() {
        for j in 0..=i {
            for k in 0..b.len() {
                for l in 0..=k {
                    least = least.min(of_segments([a[i], a[j]], [b[k], b[l]]));
                }
            }
        }
    }
    for (p, q) in [(a, b), (b, a)] {
        for triangle in triangles(q) {
            for x in p {
                least = least.min(over(*x, triangle));
            }
        }
    }
    least
}

fn triangles(p: &[V]) -> impl Iterator<Item = [V; 3]> + '_ {
    let pairs = (0..p.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.flat_map(move |(i, j)| (0..j).map(move |k| [p[i], p[j], p[k]]))
}

fn of_segments([p, p2]: [V; 2], [q, q2]: [V; 2]) -> f64 {
    let (d, e, r) = (sub(p2, p), sub(q2, q), sub(p, q));
    let (dd, ee, de) = (dot(d, d), dot(e, e), dot(d, e));
    let share = |x: f64, y: f64| {
        if y > 0.0 {
            (x / y).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    // The nearest of the inner point and those of the ends.
    let inner = dd * ee - de * de;
    let s = if inner > 1e-12 * dd * ee {
        ((de * dot(e, r) - dot(d, r) * ee) / inner).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let t = share(dot(e, add(r, times(d, s))), ee);
    let ends = [
        (s, t),
        (share(de * t - dot(d, r), dd), t),
        (0.0, share(dot(e, r), ee)),
        (1.0, share(dot(e, add(r, d)), ee)),
        (share(-dot(d, r), dd), 0.0),
        (share(de - dot(d, r), dd), 1.0),
    ];
    let apart = |(s, t): (f64, f64)| length(add(r, sub(times(d, s), times(e, t))));
    ends.into_iter().map(apart).fold(f64::INFINITY, f64::min)
}

/// The distance of a point from a triangle if it is above the inside, otherwise +∞.
fn over(x: V, [p, q, r]: [V; 3]) -> f64 {
    let n = cross(sub(q, p), sub(r, p));
    let is_inside = |p: V, q: V| dot(cross(sub(q, p), sub(x, p)), n) >= 0.0;
    if dot(n, n) > 0.0 && is_inside(p, q) && is_inside(q, r) && is_inside(r, p) {
        dot(sub(x, p), n).abs() / length(n)
    } else {
        f64::INFINITY
    }
}

/// Whether a segment of one hull crosses a triangle of the other, or its first point is in a tetrahedron. Flat ones do not
/// count: their segments are as near, up to roundings.
fn meet(a: &[V], b: &[V]) -> bool {
    let volume = |p: V, q: V, r: V, s: V| dot(sub(q, p), cross(sub(r, p), sub(s, p)));
    let all = a.iter().chain(b);
    let long = all.map(|p| length(sub(*p, a[0]))).fold(0.0, f64::max);
    let flat = 1e-12 * long * long * long;
    for [p, q, r] in triangles(b) {
        for i in 0..a.len() {
            for j in 0..i {
                let (x, y) = (a[i], a[j]);
                let sides = (volume(p, q, r, x), volume(p, q, r, y));
                let around = [volume(x, y, p, q), volume(x, y, q, r), volume(x, y, r, p)];
                let crosses = sides.0 * sides.1 < 0.0 && sides.0.abs().min(sides.1.abs()) > flat;
                let is_through = around.iter().all(|v| *v > 0.0) || around.iter().all(|v| *v < 0.0);
                if crosses && is_through {
                    return true;
                }
            }
        }
        for s in b {
            let x = a[0];
            let parts = [
                volume(x, q, r, *s),
                volume(p, x, r, *s),
                volume(p, q, x, *s),
                volume(p, q, r, x),
            ];
            if parts.iter().all(|v| *v > flat) || parts.iter().all(|v| *v < -flat) {
                return true;
            }
        }
    }
    false
}

/// A shape with impacts against hulls, in motion.
trait Partner: Clone + std::fmt::Debug + 'static {
    type Shape: Shape;
    type Stores: Shapes<Shape = Self::Shape>;
    fn sample(rng: &mut StdRng) -> Self;
    fn moved(&self, by: [f32; 3]) -> Self;
    /// The shape rounded by a radius, if it is a hull.
    fn with_radius(self, _radius: f32) -> Self {
        self
    }
    fn part(&self) -> Part;
    fn stores(all: &[Self]) -> Self::Stores;
}

/// A hull in motion, with its points.
#[derive(Clone, Debug)]
struct Rock {
    hull: Hull,
    points: Vec<[f32; 3]>,
    radius: f32,
    displacement: [f32; 3],
    turn: [f32; 3],
}

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

fn radius(rng: &mut StdRng) -> f32 {
    [1e-4, 0.05, 0.3, 1.0][rng.random_range(0..4)]
}

impl Partner for Rock {
    type Shape = PlacedHull;
    type Stores = Hulls;
    fn sample(rng: &mut StdRng) -> Self {
        let thin = [1.0, 1.0, 0.1, 0.0][rng.random_range(0..4)];
        let count = [1, 2, 3, 4, 4, 5, 6, 6][rng.random_range(0..8)];
        // Some off their center.
        let far = [0.0, 0.0, 2.0][rng.random_range(0..3)];
        let off = vector(rng, far);
        let points = near_origin(|| {
            let point = |_| {
                let [x, y, z] = vector(rng, 1.0);
                [x + off[0], y + off[1], z * thin + off[2]]
            };
            (0..count).map(point).collect()
        });
        let rotation = random_rotation(rng, 3.1).map(|x| x as f32);
        let size = [0.0, 1.0, 4.0, 30.0][rng.random_range(0..4)];
        Rock {
            hull: Hull::new(0, vector(rng, 2.0), rotation),
            points,
            radius: 0.0,
            displacement: if size > 0.0 {
                vector(rng, size)
            } else {
                [0.0; 3]
            },
            turn: turn(rng),
        }
    }
    fn moved(&self, by: [f32; 3]) -> Self {
        let mut moved = self.clone();
        moved.hull.center = common::add(moved.hull.center, by);
        moved
    }
    fn with_radius(self, radius: f32) -> Self {
        // One point is in the middle of its box, which must not be too small beside its distance from the origin.
        let least = if self.points.len() == 1 { 0.1 } else { 0.0 };
        Rock {
            radius: radius.max(least),
            ..self
        }
    }
    fn part(&self) -> Part {
        let axes = axes_of(self.hull.rotation);
        let point = |p: &[f32; 3]| {
            let [x, y, z] = p.map(f64::from);
            add(times(axes[0], x), add(times(axes[1], y), times(axes[2], z)))
        };
        let extent = |k: usize| self.points.iter().map(|p| p[k].abs()).fold(0.0, f32::max);
        Part {
            center: self.hull.center.map(f64::from),
            points: self.points.iter().map(point).collect(),
            radius: f64::from(self.radius),
            displacement: self.displacement.map(f64::from),
            turn: self.turn.map(f64::from),
            lengths: (0..3).map(|k| f64::from(extent(k) + self.radius)).sum(),
        }
    }
    fn stores(all: &[Self]) -> Hulls {
        let mut hulls = Hulls::default();
        for rock in all {
            let kind = hulls.add_rounded_kind(&rock.points, rock.radius);
            let kind = kind.unwrap();
            let hull = Hull { kind, ..rock.hull };
            hulls
                .push_turning(hull, rock.displacement, rock.turn)
                .unwrap();
        }
        hulls
    }
}

impl<T: Turns + Rounded> Partner for Moved<T> {
    type Shape = T;
    type Stores = Store<T>;
    fn sample(rng: &mut StdRng) -> Self {
        let mut moved: Moved<T> = Moved::somewhere(rng);
        moved.turn = turn(rng);
        moved
    }
    fn moved(&self, by: [f32; 3]) -> Self {
        Moved {
            shape: self.shape.moved(by),
            ..*self
        }
    }
    fn part(&self) -> Part {
        let (center, points, radius, lengths) = self.shape.rounded();
        Part {
            center,
            points,
            radius,
            displacement: self.displacement.map(f64::from),
            turn: if T::TURNS { self.turn } else { [0.0; 3] }.map(f64::from),
            lengths,
        }
    }
    fn stores(all: &[Self]) -> Store<T> {
        store(all)
    }
}

/// A shape as center, points relative to it, radius, and sum of lengths.
trait Rounded {
    fn rounded(&self) -> (V, Vec<V>, f64, f64);
}

fn box_of(axes: [V; 3], half: V) -> Vec<V> {
    let corner = |k: usize| {
        let one = |axis: usize| {
            if k >> axis & 1 == 0 {
                -half[axis]
            } else {
                half[axis]
            }
        };
        add(
            times(axes[0], one(0)),
            add(times(axes[1], one(1)), times(axes[2], one(2))),
        )
    };
    (0..8).map(corner).collect()
}

impl Rounded for Sphere {
    fn rounded(&self) -> (V, Vec<V>, f64, f64) {
        let radius = f64::from(self.radius);
        (self.center.map(f64::from), vec![[0.0; 3]], radius, radius)
    }
}

impl Rounded for Capsule {
    fn rounded(&self) -> (V, Vec<V>, f64, f64) {
        let (half, radius) = (self.half_axis.map(f64::from), f64::from(self.radius));
        let ends = vec![half, times(half, -1.0)];
        (
            self.center.map(f64::from),
            ends,
            radius,
            length(half) + radius,
        )
    }
}

impl Rounded for Aabb {
    fn rounded(&self) -> (V, Vec<V>, f64, f64) {
        let (min, max) = (self.min.map(f64::from), self.max.map(f64::from));
        let half = times(sub(max, min), 0.5);
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        (
            times(add(min, max), 0.5),
            box_of(axes, half),
            0.0,
            half.iter().sum(),
        )
    }
}

impl Rounded for Obb {
    fn rounded(&self) -> (V, Vec<V>, f64, f64) {
        let half = self.half_extents.map(f64::from);
        let corners = box_of(axes_of(self.rotation), half);
        (self.center.map(f64::from), corners, 0.0, half.iter().sum())
    }
}

impl Rounded for Triangle {
    fn rounded(&self) -> (V, Vec<V>, f64, f64) {
        let [p, q, r] = self.corners.map(|corner| corner.map(f64::from));
        let (second, third) = (sub(q, p), sub(r, p));
        let lengths = length(second) + length(third);
        (p, vec![[0.0; 3], second, third], 0.0, lengths)
    }
}

/// Judges hulls of few points by the distance at many times before the impact, and at the impact.
fn judge_by_samples<B: Partner>(are_rounded: bool)
where
    PlacedHull: Impact<B::Shape>,
    B::Shape: Impact<PlacedHull>,
{
    let rounded = if are_rounded { "rounded, " } else { "" };
    let name = format!("{rounded}{}", std::any::type_name::<B>());
    let mut rng = rng(&format!("samples, {name}"));
    let (mut hits, mut grazing, mut unsettled, mut worst) = (0, 0, 0, 0.0f64);
    let cases = cases() / 4;
    for _ in 0..cases {
        let (mut a, mut b) = (Rock::sample(&mut rng), B::sample(&mut rng));
        if are_rounded {
            a = a.with_radius(radius(&mut rng));
            b = b.with_radius(radius(&mut rng));
        }
        // The centers meet at some time, more or less.
        let (x, y) = (a.part(), b.part());
        let when = rng.random_range(0.0..1.0);
        let [p, q] = [&x, &y].map(|part| add(part.center, times(part.displacement, when)));
        let to = sub(p, q).map(|x| x as f32);
        b = b.moved(common::add(to, vector(&mut rng, 0.4)));
        let tolerance = TOLERANCES[rng.random_range(0..4)];
        let time_of = |b: &B, tolerance: f32| {
            let (a, b) = (Rock::stores(from_ref(&a)), B::stores(from_ref(b)));
            let impacts = ask(&a, &b, tolerance);
            let swapped = ask(&b, &a, tolerance);
            (impacts.get(0), impacts.is_settled(0), swapped.get(0))
        };
        // To where it just misses.
        if rng.random_bool(0.7) {
            let way = vector(&mut rng, 1.0);
            let at = |share: f32| b.moved(way.map(|x| x * share));
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
        let (x, y) = (a.part(), b.part());
        let radius = x.radius + y.radius;
        let (offset, travel) = (sub(y.center, x.center), sub(y.displacement, x.displacement));
        let norm = |v: V| v.iter().map(|x| x.abs()).sum::<f64>();
        let size = norm(offset) + norm(travel) + x.lengths + y.lengths;
        let gap = |t: f64| distance(&x.at(t), &y.at(t)) - radius;
        let what = || format!("{a:?}\n{b:?}\n{time:?} within {tolerance}");
        hits += usize::from(time.is_some());
        unsettled += usize::from(!is_settled);
        // The order of shapes of two types does not matter.
        let is_of_one_type = TypeId::of::<B>() == TypeId::of::<Rock>();
        assert!(is_of_one_type || time == swapped, "{swapped:?} {}", what());
        let until = time.map_or(1.0, f64::from);
        let mut times: Vec<f64> = (0..40).map(|k| until * f64::from(k) / 40.0).collect();
        times.extend((6..22).map(|k| until * (1.0 - 0.5f64.powi(k))));
        if time.is_none() {
            times.push(1.0);
        }
        if until > 0.0 {
            for t in times {
                assert!(gap(t) > 0.0, "touch at {t}\n{}", what());
            }
        }
        if is_settled && time.is_some() {
            let band = 256.0 * U * size + 2f64.powi(-56);
            let most = f64::from(tolerance).max(band) + band;
            worst = worst.max(gap(until) / most);
            assert!(gap(until) <= most, "{} at the time\n{}", gap(until), what());
        }
    }
    println!(
        "{name}: {hits} hits, {grazing} grazing, {unsettled} unsettled of {cases}, worst {worst}"
    );
    assert!(hits * 6 > cases && hits * 10 < cases * 9 && unsettled * 50 <= cases);
    assert!(grazing * 8 > cases);
}

macro_rules! sampled {
    ($are_rounded:literal: $($test:ident: $shape:ty;)+) => { $(
        #[test]
        fn $test() {
            judge_by_samples::<$shape>($are_rounded);
        }
    )+ };
}
sampled! { true:
    rounded_hull_hull_samples_do_not_touch_before_the_impact: Rock;
    rounded_hull_sphere_samples_do_not_touch_before_the_impact: Moved<Sphere>;
    rounded_hull_capsule_samples_do_not_touch_before_the_impact: Moved<Capsule>;
    rounded_hull_aabb_samples_do_not_touch_before_the_impact: Moved<Aabb>;
    rounded_hull_obb_samples_do_not_touch_before_the_impact: Moved<Obb>;
    rounded_hull_triangle_samples_do_not_touch_before_the_impact: Moved<Triangle>;
}
sampled! { false:
    hull_hull_samples_do_not_touch_before_the_impact: Rock;
    hull_sphere_samples_do_not_touch_before_the_impact: Moved<Sphere>;
    hull_capsule_samples_do_not_touch_before_the_impact: Moved<Capsule>;
    hull_aabb_samples_do_not_touch_before_the_impact: Moved<Aabb>;
    hull_obb_samples_do_not_touch_before_the_impact: Moved<Obb>;
    hull_triangle_samples_do_not_touch_before_the_impact: Moved<Triangle>;
}

/// The gap of a plane or half-space is the least height of a point.
fn judge_surfaces_by_samples(are_rounded: bool) {
    let rounded = if are_rounded { "rounded, " } else { "" };
    let mut rng = rng(&format!("samples, {rounded}surfaces"));
    let (mut hits, mut unsettled) = (0, 0);
    for case in 0..cases() {
        let mut a = Rock::sample(&mut rng);
        if are_rounded {
            a = a.with_radius(radius(&mut rng));
        }
        let plane: Moved<Plane> = Moved::somewhere(&mut rng);
        let tolerance = TOLERANCES[rng.random_range(0..4)];
        let is_solid = case % 2 == 0;
        let hulls = Rock::stores(from_ref(&a));
        let Plane { normal, d } = plane.shape;
        let impacts = if is_solid {
            let mut spaces = Store::new();
            spaces.push_moving(HalfSpace { normal, d }, plane.displacement);
            ask(&hulls, &spaces, tolerance)
        } else {
            ask(&store(&[plane]), &hulls, tolerance)
        };
        let part = a.part();
        let (n, d) = (normal.map(f64::from), f64::from(d));
        let unit = length(n);
        let v = plane.displacement.map(f64::from);
        let gap = |t: f64| {
            let heights = part
                .at(t)
                .into_iter()
                .map(|p| (dot(n, sub(p, times(v, t))) + d) / unit);
            let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (low.min(x), high.max(x))
            });
            let gap = if is_solid { low } else { low.max(-high) };
            gap - part.radius
        };
        let what = || {
            format!(
                "{a:?}\n{plane:?} {is_solid}\n{:?} within {tolerance}",
                impacts.get(0)
            )
        };
        let time = impacts.get(0);
        hits += usize::from(time.is_some());
        unsettled += usize::from(!impacts.is_settled(0));
        let until = time.map_or(1.0, f64::from);
        let last = usize::from(time.is_none());
        if until > 0.0 {
            for k in 0..100 + last {
                let t = until * k as f64 / 100.0;
                assert!(gap(t) > 0.0, "touch at {t}\n{}", what());
            }
        }
        if let Some(time) = time
            && impacts.is_settled(0)
        {
            let terms = |v: V| (0..3).map(|k| (n[k] * v[k]).abs()).sum::<f64>() / unit;
            let travel = sub(part.displacement, v);
            let size = terms(part.center) + d.abs() / unit + terms(travel) + part.lengths;
            let band = 256.0 * U * size + 2f64.powi(-56);
            let most = f64::from(tolerance).max(band) + band;
            assert!(gap(time.into()) <= most, "{}\n{}", gap(time.into()), what());
        }
    }
    println!("{hits} hits, {unsettled} unsettled");
    assert!(hits * 4 > cases() && hits * 20 < cases() * 19 && unsettled * 200 <= cases());
}

#[test]
fn hull_surface_samples_do_not_touch_before_the_impact() {
    judge_surfaces_by_samples(false);
}

#[test]
fn rounded_hull_surface_samples_do_not_touch_before_the_impact() {
    judge_surfaces_by_samples(true);
}

#[test]
fn hulls_without_turns_hit_where_they_sweep() {
    let mut rng = rng("without turns");
    let rocks: Vec<Rock> = (0..300)
        .map(|_| Rock {
            turn: [0.0; 3],
            ..Rock::sample(&mut rng)
        })
        .collect();
    let spheres: Vec<Moved<Sphere>> = (0..300).map(|_| Moved::somewhere(&mut rng)).collect();
    let (hulls, spheres) = (Rock::stores(&rocks), store(&spheres));
    let pairs: Vec<Pair> = (0..20_000)
        .map(|_| Pair::new(rng.random_range(0..300), rng.random_range(0..300)))
        .collect();
    let mut detector = Detector::new();
    let (mut sweeps, mut impacts) = (Sweeps::new(), Impacts::new());
    for with_spheres in [false, true] {
        if with_spheres {
            detector
                .sweep(&hulls, &spheres, &pairs, &mut sweeps)
                .unwrap();
            detector
                .impact(&hulls, &spheres, &pairs, 0.0, &mut impacts)
                .unwrap();
        } else {
            detector.sweep(&hulls, &hulls, &pairs, &mut sweeps).unwrap();
            detector
                .impact(&hulls, &hulls, &pairs, 0.0, &mut impacts)
                .unwrap();
        }
        let mut near_misses = 0;
        for i in 0..pairs.len() {
            match (sweeps.get(i), impacts.get(i)) {
                (Some(swept), Some(time)) => {
                    assert!(time <= swept.enter, "{time} {swept:?}");
                    assert!(
                        swept.enter - time < 0.01 || !impacts.is_settled(i),
                        "{time} {swept:?}"
                    );
                }
                (Some(swept), None) => panic!("lost {swept:?}"),
                (None, Some(_)) => near_misses += 1,
                (None, None) => {}
            }
        }
        assert!(
            sweeps.count() > 600 && near_misses < 20,
            "{} {near_misses}",
            sweeps.count()
        );
    }
}

#[test]
fn margin_is_euclidean() {
    let mut hulls = Hulls::default();
    let kind = hulls
        .add_kind(&[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
        .unwrap();
    let rod = Hull {
        kind,
        ..Hull::default()
    };
    let quarter = std::f32::consts::FRAC_PI_2;
    hulls
        .push_turning(rod, [0.0; 3], [0.0, 0.0, quarter])
        .unwrap();
    // The end is at (sin, cos) of the angle; its distance from the sphere falls to 1.5 at 60°.
    let spheres = Store::from_slice(&[Sphere {
        center: [0.0, 2.5, 0.0],
        radius: 0.0,
    }]);
    let plane = Store::from_slice(&[Plane {
        normal: [0.0, 2.0, 0.0],
        d: -5.0,
    }]);
    let end = (1.0f64 + 6.25 - 1.6f64.powi(2)) / 5.0;
    for (margin, of_sphere, of_plane) in [
        (1.6f32, Some(end.asin()), Some(0.9f64.asin())),
        (1.499, None, None),
    ] {
        let mut detector = Detector::new().margin(margin).unwrap();
        let mut impacts = Impacts::new();
        let judge = |time: Option<f32>, exact: Option<f64>| match (time, exact) {
            (Some(time), Some(angle)) => {
                let exact = angle / f64::from(quarter);
                let time = f64::from(time);
                assert!(
                    time <= exact + 1e-6 && time > exact - 1e-3,
                    "{time} {exact}"
                );
            }
            (time, exact) => assert!(time.is_none() && exact.is_none(), "{time:?} {exact:?}"),
        };
        detector
            .impact(&hulls, &spheres, Pairs::zip(), 1e-4, &mut impacts)
            .unwrap();
        judge(impacts.get(0), of_sphere);
        detector
            .impact(&plane, &hulls, Pairs::zip(), 1e-4, &mut impacts)
            .unwrap();
        judge(impacts.get(0), of_plane);
    }
}

/// Hulls in motion, some with defects.
fn scene(rng: &mut StdRng, len: usize) -> Hulls {
    let mut hulls = Hulls::default();
    for k in 0..len {
        let mut rock = Rock::sample(rng);
        if k % 5 == 0 {
            rock.points = (0..rng.random_range(1..=64))
                .map(|_| vector(rng, 1.0))
                .collect();
        }
        if k % 3 == 0 {
            rock.radius = 0.25;
        }
        match k % 40 {
            7 => rock.displacement[1] = f32::NAN,
            17 => rock.turn[0] = 4.0,
            27 => rock.turn[2] = f32::NAN,
            37 => rock.hull.center[0] = f32::INFINITY,
            _ => {}
        }
        let kind = hulls.add_rounded_kind(&rock.points, rock.radius).unwrap();
        let hull = Hull { kind, ..rock.hull };
        hulls
            .push_turning(hull, rock.displacement, rock.turn)
            .unwrap();
    }
    hulls
}

fn one_answer<B: Shapes + Sync>(a: &Hulls, b: &B, seed: &str)
where
    PlacedHull: Impact<B::Shape>,
    B::Shape: Impact<PlacedHull>,
{
    let mut rng = rng(seed);
    let len = 200;
    let mut pairs: Vec<Pair> = (0..6000)
        .map(|_| Pair::new(rng.random_range(0..len), rng.random_range(0..len)))
        .collect();
    let expected = impact_bits(&mut Detector::new().parallel(false), a, b, &pairs);
    for simd in Simd::available() {
        for parallel in [false, true] {
            let mut detector = Detector::new().simd(simd).parallel(parallel);
            assert!(
                impact_bits(&mut detector, a, b, &pairs) == expected,
                "{simd}"
            );
        }
    }
    #[cfg(feature = "rayon")]
    for threads in 1..=4 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let run = || impact_bits(&mut Detector::new(), a, b, &pairs);
        assert!(pool.unwrap().install(run) == expected, "{threads} threads");
    }
    // Kinds of lists, and the order of pairs.
    let mut detector = Detector::new();
    let (mut whole, mut part) = (Impacts::new(), Impacts::new());
    detector.impact(a, b, &pairs, 1e-3, &mut whole).unwrap();
    let (hits, invalid) = (whole.count(), whole.invalid_count());
    assert!(hits > 300 && invalid > 300, "{hits} {invalid}");
    let times: Vec<_> = pairs.iter().copied().zip(whole.time().to_vec()).collect();
    for len in [1, 3, 63, 64, 65, 1000] {
        detector
            .impact(a, b, &pairs[..len], 1e-3, &mut part)
            .unwrap();
        assert_eq!(part.time(), &whole.time()[..len]);
    }
    pairs.reverse();
    detector.impact(a, b, &pairs, 1e-3, &mut part).unwrap();
    assert!(
        part.time()
            .iter()
            .eq(times.iter().rev().map(|(_, time)| time))
    );
    let all: Vec<Pair> = (0..len).map(|i| Pair::new(i, i)).collect();
    detector.impact(a, b, &all, 1e-3, &mut whole).unwrap();
    detector
        .impact(a, b, Pairs::zip(), 1e-3, &mut part)
        .unwrap();
    assert_eq!(whole, part);
    for one in [3, 100] {
        let all: Vec<Pair> = (0..len).map(|i| Pair::new(one, i)).collect();
        detector.impact(a, b, &all, 1e-3, &mut whole).unwrap();
        detector
            .impact(a, b, Pairs::one_to_all(one), 1e-3, &mut part)
            .unwrap();
        assert_eq!(whole, part, "{seed} {one}");
    }
}

#[test]
fn impacts_are_the_same_for_every_lane_count_thread_count_and_list() {
    let mut rng = rng("hull impacts everywhere");
    let (a, b) = (scene(&mut rng, 200), scene(&mut rng, 200));
    one_answer(&a, &b, "hulls");
    let spheres: Vec<_> = (0..200)
        .map(|_| Moved::<Sphere>::somewhere(&mut rng))
        .collect();
    one_answer(&a, &store(&spheres), "spheres");
    let boxes: Vec<_> = (0..200)
        .map(|_| Moved::<Obb>::somewhere(&mut rng))
        .collect();
    one_answer(&a, &store(&boxes), "boxes");
    let planes: Vec<_> = (0..200)
        .map(|_| Moved::<Plane>::somewhere(&mut rng))
        .collect();
    one_answer(&a, &store(&planes), "planes");
}

#[test]
fn bad_turns_flag_pairs_of_impacts_only() {
    let mut hulls = Hulls::default();
    let kind = hulls.add_kind(&[[1.0; 3], [-1.0; 3]]).unwrap();
    let hull = Hull {
        kind,
        ..Hull::default()
    };
    let turns = [
        [0.0, std::f32::consts::PI, 0.0],
        [0.0, 3.2, 0.0],
        [f32::NAN, 0.0, 0.0],
        [2.0; 3],
        [0.0, 0.0, f32::INFINITY],
    ];
    for turn in turns {
        hulls.push_turning(hull, [0.0; 3], turn).unwrap();
    }
    let spheres = Store::from_slice(&[Sphere {
        center: [0.5; 3],
        radius: 0.1,
    }]);
    let pairs: Vec<Pair> = (0..5).map(|i| Pair::new(i, 0)).collect();
    let mut impacts = Impacts::new();
    let mut sweeps = Sweeps::new();
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd);
        detector
            .impact(&hulls, &spheres, &pairs, 1e-3, &mut impacts)
            .unwrap();
        assert_eq!(impacts.time()[0].to_bits(), 0);
        assert!((1..5).all(|i| impacts.is_invalid(i) && impacts.time()[i] == f32::INFINITY));
        detector
            .sweep(&hulls, &spheres, &pairs, &mut sweeps)
            .unwrap();
        assert_eq!((sweeps.count(), sweeps.invalid_count()), (5, 0));
    }
    let refused =
        Detector::new()
            .strict(true)
            .impact(&spheres, &hulls, &[[0, 1]], 1e-3, &mut impacts);
    assert!(matches!(
        refused,
        Err(Error::InvalidPair {
            position: 0,
            is_second: true,
            ..
        })
    ));
    let bad = Detector::new().impact(&spheres, &hulls, &[[0, 0]], -1.0, &mut impacts);
    assert!(matches!(bad, Err(Error::BadTolerance { .. })));
}
