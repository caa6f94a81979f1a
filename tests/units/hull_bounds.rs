//! Certificates of hull searches: those in `f32` against searches in `f64`, those in `f64` against exact arithmetic.

use rand::rngs::StdRng;
use rand::{Rng, RngExt};

use crate::common::rng;
use crate::dyadic::{Dyadic, dot};
use crate::lane::{One, U};
use crate::math::dvec::DVec3;
use crate::narrow::convex::batch::{Batch, Purpose, Verdict};
use crate::narrow::convex::body::Body;
use crate::narrow::convex::contact::solid::Solid;
use crate::narrow::convex::contact::solid_pair::FacedPair;
use crate::narrow::convex::gjk::{Goal, HullPair};
use crate::narrow::convex::surface::{Surface, SurfaceInterval};
use crate::store::hull::kinds::HullCore;

pub fn vector(rng: &mut impl Rng, most: f32) -> [f32; 3] {
    [(); 3].map(|()| rng.random_range(-1.0..1.0f32) * most)
}

fn rotation(rng: &mut impl Rng) -> [f32; 4] {
    let q = [(); 4].map(|()| rng.random_range(-1.0..1.0f64));
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| (x / length) as f32)
}

/// Two boxes, B at about a distance from A, and what a search in `f64` finds of them.
struct Boxes {
    bodies: [Body<'static>; 2],
    /// Never above the distance.
    gap: f64,
    size: f64,
}

impl Boxes {
    fn random(rng: &mut StdRng, distance: impl Fn(f64) -> f64) -> Option<Self> {
        let [a, b] = [(); 2].map(|()| {
            let half = vector(rng, 1.0).map(|x| x.abs() + 0.01);
            (half, rotation(rng))
        });
        let of = |(half, rotation): ([f32; 3], [f32; 4]), at| Body::obb(at, half, rotation);
        let pair = |at| HullPair::new(One, of(a, [0.0; 3]), of(b, at), 0.0);
        let mut at = DVec3::of(vector(rng, 1.0)).unit()? * 4.0;
        for _ in 0..6 {
            let now = pair([0.0; 3]);
            let found = now.search(at, at, Goal::Distance);
            let more = distance(now.size() + at.norm1()) - found.gap;
            at = at + found.direction * (more / found.length);
        }
        let pair = pair(at.to_f32());
        let found = pair.search(pair.offset(), pair.offset(), Goal::Distance);
        Some(Boxes {
            bodies: [pair.a, pair.b],
            gap: found.gap,
            size: pair.size(),
        })
    }

    /// The verdict in `f32`.
    fn verdict(&self, margin: f32) -> Verdict {
        let mut batch = Batch::new(margin);
        batch.len = 1;
        for (side, body) in batch.sides.iter_mut().zip(&self.bodies) {
            side.set(0, body.placed());
        }
        batch.search(One, Purpose::Verdict)[0].verdict
    }
}

/// Boxes within some u S of a margin: contacts are certified by a point of the difference, or by two points.
#[test]
fn hulls_that_certainly_touch_are_not_apart() {
    let mut rng = rng("hulls that certainly touch");
    let (mut touch, mut apart) = (0, 0);
    for _ in 0..20_000 {
        let distance = 10f64.powf(rng.random_range(-1.0..0.5));
        let Some(boxes) = Boxes::random(&mut rng, |_| distance) else {
            continue;
        };
        let short = rng.random_range(0.0..3.0) * f64::from(U) * boxes.size;
        let margin = (boxes.gap - short) as f32;
        if f64::from(margin) < boxes.gap {
            apart += 1;
            assert!(
                boxes.verdict(margin) != Verdict::Touch,
                "{} {margin}",
                boxes.gap
            );
        }
        let more = (boxes.gap + 60.0 * f64::from(U) * boxes.size) as f32;
        touch += usize::from(boxes.verdict(more) == Verdict::Touch);
    }
    assert!(
        apart > 15_000 && touch > 15_000,
        "{apart} apart, {touch} touch"
    );
}

/// Boxes that all but touch: contacts are certified by four corners around the origin.
#[test]
fn hulls_around_a_common_point_are_not_apart() {
    let mut rng = rng("hulls around a common point");
    let (mut touch, mut apart) = (0, 0);
    for _ in 0..60_000 {
        let units = rng.random_range(0.0..2.0) * f64::from(U);
        let Some(boxes) = Boxes::random(&mut rng, |size| units * size) else {
            continue;
        };
        if boxes.gap > 0.0 {
            apart += 1;
            assert!(boxes.verdict(0.0) != Verdict::Touch, "{}", boxes.gap);
        }
        let deep = -1e-3;
        let boxes = Boxes::random(&mut rng, |_| deep);
        touch += usize::from(boxes.is_some_and(|boxes| boxes.verdict(0.0) == Verdict::Touch));
    }
    assert!(
        apart > 20_000 && touch > 10_000,
        "{apart} apart, {touch} touch"
    );
}

/// A point as a hull, whose points have no error, beside a box.
pub struct PointByBox {
    point: [f32; 3],
    center: [f32; 3],
    half_extents: [f32; 3],
    rotation: [f32; 4],
}

static POINT: [[[f32; 16]; 3]; 1] = [[[0.0; 16]; 3]];

/// A point as a hull.
fn point_hull(point: [f32; 3]) -> Body<'static> {
    let core = HullCore::of_points(&POINT, [0.0; 3]);
    Body::hull(point, [0.0, 0.0, 0.0, 1.0], core)
}

impl PointByBox {
    /// Within a distance of the surface of the box.
    pub fn random(rng: &mut StdRng, distance: f64) -> Self {
        let (half_extents, rotation) = (vector(rng, 1.0).map(f32::abs), rotation(rng));
        let center = vector(rng, 2.0);
        let face = rng.random_range(0..3);
        let axes = crate::math::rotation::f64_axes_of(rotation);
        let mut at = DVec3::of(center);
        for k in 0..3 {
            let share = rng.random_range(-0.9..0.9);
            let share = if k == face { 1.0 } else { share };
            at = at + axes[k] * (share * f64::from(half_extents[k]));
        }
        let at = at + axes[face] * (rng.random_range(-1.0..1.0) * distance);
        PointByBox {
            point: at.to_f32(),
            center,
            half_extents,
            rotation,
        }
    }

    /// The point as a hull, and the box.
    pub fn bodies(&self) -> [Body<'static>; 2] {
        [
            point_hull(self.point),
            Body::obb(self.center, self.half_extents, self.rotation),
        ]
    }

    /// Both shapes with their faces.
    pub fn solids(&self) -> [Solid<'static>; 2] {
        let mut solids = [const { Solid::NONE }; 2];
        solids[0].set_sphere(self.point, 0.0);
        solids[1].set_obb(self.center, self.half_extents, self.rotation);
        solids
    }

    /// The gap along a direction, times the square of the quaternion's length; and that square.
    pub fn gap(&self, d: DVec3) -> (Dyadic, Dyadic) {
        let d = Dyadic::vec(d.0);
        let q: Vec<Dyadic> = self.rotation.iter().map(|x| Dyadic::of(*x)).collect();
        let two = Dyadic::of(2.0);
        let by = |i: usize, j: usize| &q[i] * &q[j];
        let twice = |x: Dyadic| &x * &two;
        let (xx, yy, zz, ww) = (by(0, 0), by(1, 1), by(2, 2), by(3, 3));
        let axes = [
            [
                &(&ww + &xx) - &(&yy + &zz),
                twice(&by(0, 1) + &by(3, 2)),
                twice(&by(0, 2) - &by(3, 1)),
            ],
            [
                twice(&by(0, 1) - &by(3, 2)),
                &(&ww + &yy) - &(&xx + &zz),
                twice(&by(1, 2) + &by(3, 0)),
            ],
            [
                twice(&by(0, 2) + &by(3, 1)),
                twice(&by(1, 2) - &by(3, 0)),
                &(&ww + &zz) - &(&xx + &yy),
            ],
        ];
        let squared = [xx, yy, zz, ww].into_iter().sum();
        let (from, to) = (Dyadic::vec(self.point), Dyadic::vec(self.center));
        let offset = [0, 1, 2].map(|k| &to[k] - &from[k]);
        let reach = (0..3).map(|k| &dot(&axes[k], &d).abs() * &Dyadic::of(self.half_extents[k]));
        let reach: Dyadic = reach.sum();
        (&(&dot(&offset, &d) * &squared) - &reach, squared)
    }

    /// Whether `found` is at most the gap along a direction, per unit of length.
    pub fn is_at_most_gap(&self, found: f64, d: DVec3) -> bool {
        let (gap, square) = self.gap(d);
        let length = dot(&Dyadic::vec(d.0), &Dyadic::vec(d.0));
        // found² d² against gap², with their signs.
        let found = &Dyadic::of(found) * &square;
        let [found, gap] = [(&(&found * &found) * &length, found), (&gap * &gap, gap)];
        match (found.1.is_negative(), gap.1.is_negative()) {
            (false, false) => found.0 <= gap.0,
            (true, true) => found.0 >= gap.0,
            (is_below, _) => is_below,
        }
    }
}

#[test]
fn gaps_of_searches_are_never_above_the_exact_gaps() {
    let mut rng = rng("gaps of searches");
    let mut positive = 0;
    for _ in 0..20_000 {
        let distance = [1e-7, 1e-3][rng.random_range(0..2)];
        let it = PointByBox::random(&mut rng, distance);
        let [hull, obb] = it.bodies();
        let pair = HullPair::new(One, hull, obb, 0.0);
        let first = pair.first_direction(pair.offset());
        let found = pair.search(pair.offset(), first, Goal::Step { near: 0.0 });
        positive += usize::from(found.gap > 0.0);
        let is_right = it.is_at_most_gap(found.gap, found.direction);
        assert!(is_right, "{} along {:?}", found.gap, found.direction);
    }
    assert!(positive > 5_000, "{positive}");
}

#[test]
fn gaps_along_normals_are_never_above_the_exact_gaps() {
    let mut rng = rng("gaps along normals");
    for _ in 0..20_000 {
        let it = PointByBox::random(&mut rng, 1.0);
        let [point, obb] = it.solids();
        let pair = FacedPair::new(One, &point, &obb, 0.0);
        let Some(normal) = DVec3::of(vector(&mut rng, 1.0)).unit() else {
            continue;
        };
        let gap = pair.gap(normal);
        assert!(it.is_at_most_gap(gap, normal), "{gap} along {normal:?}");
    }
}

/// A point that passes a half-space at a small angle.
#[test]
fn times_of_sweeps_with_half_spaces_hold_the_contact() {
    let mut rng = rng("hulls and half-spaces");
    let mut tried = 0;
    for _ in 0..100_000 {
        let normal = vector(&mut rng, 1.0);
        let Some(n) = DVec3::of(normal).unit() else {
            continue;
        };
        let point = vector(&mut rng, 2f32.powi(-24));
        let [along, _] = n.across();
        let v = DVec3::of((along * rng.random_range(0.5..1.0)).to_f32());
        let hull = point_hull(point);
        let found = SurfaceInterval::of(One, &hull, Surface::new(normal, 0.0, true));
        let times = found.and_then(|interval| interval.sweep(0.0, v));
        // The height at the start, and how it changes.
        let n = Dyadic::vec(normal);
        let (height, rate) = (dot(&n, &Dyadic::vec(point)), dot(&n, &Dyadic::vec(v.0)));
        let root = -height.to_f64() / rate.to_f64();
        if !(0.0..=1.0).contains(&root) {
            continue;
        }
        tried += 1;
        let (first, last) = times.expect("a contact");
        // Above the surface before it is reached, and after it is left.
        let at = |time: f64| &height + &(&Dyadic::of(time) * &rate);
        let time = if rate.is_negative() { first } else { last };
        assert!(
            !at(time).is_negative(),
            "{time}, not {root}: {point:?} by {v:?} along {normal:?}"
        );
    }
    assert!(tried > 5_000, "{tried}");
}
