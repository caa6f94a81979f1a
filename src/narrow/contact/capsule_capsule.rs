//! Capsule-capsule manifold: between the nearest points of the axes, or along the segment where parallel capsules
//! touch.
//!
//! The nearest points are the nearest of three pairs, as in `capsule_capsule_overlap`. Five normals are tried. The
//! first points from the nearest point of A to the nearest point of B. Two are its components perpendicular to either
//! axis, the true normal where the point is not an end. The fourth is the cross product of the axes, for crossing axes.
//! The fifth is any normal of the longer axis, for intersecting axes.
//!
//! Parallel capsules touch along a segment, whose ends are the two points. Both must be beside points of the other
//! axis, with normals that agree within 2⁻¹⁰. All other pairs have one point.
//!
//! Source: C. Ericson, "Real-Time Collision Detection", 2005, 5.1.9, for the nearest points.
//!
//! # Error bound
//!
//! A gap is n·t − |n·a| − |n·b| − radii, t, a and b the offset and the half axes: t rounds once, the dot products 3
//! times, the normal is within 6 u of length 1, sums round 3 times: 14 u of all lengths.

//!
//! **β.** D is the distance of the axes, c the vector between the computed points: |c| ≤ D + κ, κ = 40 u S, by
//! `capsule_capsule_overlap` and 2 u S of sums. P is the parallelogram of the offsets between the axes, H its height over the
//! origin, θ the angle of the axes. Distances in its plane have squares below K = 2 κ D + κ² more than the least.
//!
//! 1. D ≤ 97 u S: the normal of both, or any normal of the longer axis where |b| sin θ < 32 u |b|, has a gap of −20 u S at
//!    least. The loss is at most 117 u S.
//! 2. The nearest place is within P. The normal of both errs by 18 u / sin θ in direction. What of c is made normal to one
//!    axis is in P's plane at most √K, and loses κ + κ² / 2 D and 2 √K |b| sin θ / D. The less of both is below 24 u S more.
//! 3. It is on a side along a. What of c is made normal to a has the side's direction, and in P's plane a distance E′ of
//!    E′² ≤ E² + K: the loss is (E′ − E)² / 2 D ≤ K / 2 D. The same holds along b.
//! 4. It is a corner. c, or what of it is made normal to one of the sides, has its least over P at that corner, and is
//!    within √(2 K) of the nearest place: K / D = 2 κ + κ² / D, at most 97 u S for D > 97 u S.
//!
//! Normals made normal twice add 30 u S to 2, 3 and 4: 127 u S. Bias 4 u, rounding 14 u and 2 u, and 14 u taken: 161 u S.

use crate::lane::{Float, Lanes, Vec3, across, select, unit};
use crate::narrow::contact::manifold::{
    BIAS, Manifold, ManifoldKernel, ManifoldPoint, of_one, of_two, reported,
};
use crate::narrow::geometry::gap::{Gap, signed};
use crate::narrow::geometry::segment::Segment;
use crate::shapes::capsule::{Capsule, WideCapsule};

/// Maximum difference of the normals at two points.
const PARALLEL: f32 = 1.0 / 1024.0;

impl ManifoldKernel<Capsule> for Capsule {
    const POINTS: usize = 2;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        a: WideCapsule<L::F>,
        b: WideCapsule<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let half = lanes.splat(0.5);
        let offset = b.center - a.center;
        let (half_a, half_b) = (a.half_axis, b.half_axis);
        let (axis_a, axis_b) = (Segment::new(lanes, half_a), Segment::new(lanes, half_b));
        let nearest = nearest(axis_a, axis_b, offset, half_b);
        let apart = nearest.apart;

        let longer = half_a.dot(half_a).lt(half_b.dot(half_b));
        let otherwise = across(lanes, select(longer, half_b, half_a));
        let radii = a.radius + b.radius;
        let size = offset.abs().sum() + half_a.abs().sum() + half_b.abs().sum() + radii;
        let bias = size * lanes.units(BIAS);
        let axes = CapsuleAxes {
            offset,
            half_a,
            half_b,
            otherwise,
        };
        let Gap { normal, gap } = axes
            .gap(unit(lanes, apart, otherwise).0)
            .or(axes.towards(lanes, axis_a.normal_part(apart)), bias)
            .or(axes.towards(lanes, axis_b.normal_part(apart)), bias)
            .or(axes.towards(lanes, axis_a.normal_to_both(axis_b)), bias)
            .or(axes.towards(lanes, otherwise), bias);
        let gap = reported(lanes, gap - radii, size, 14.0, margin);
        let mut one = of_one(lanes, a.radius, Gap { normal, gap }, offset);
        one.points[0].at = one.points[0].at + nearest.on_a;

        // Parallel capsules.
        let (from, to) = axis_a.shadow(offset, half_b);
        let along = (to - from) * half;
        let room = size * lanes.units(16.0);
        let line = ContactLine {
            axes,
            axis_b,
            normal,
            radius: a.radius,
            radii,
            aside: (a.radius.min(b.radius) * lanes.splat(PARALLEL)).max(room),
        };
        let (first, first_beside) = line.end(lanes, from, 0.0);
        let (second, second_beside) = line.end(lanes, to, 1.0);
        let limit = margin.max(gap) + room;
        let is_line = first_beside
            & second_beside
            & is_across(lanes, normal, half_a)
            & is_across(lanes, normal, half_b)
            & (lanes.splat(4.0) * room).lt(half_a.abs().largest() * along)
            & first.separation.le(limit)
            & second.separation.le(limit);
        let two = of_two(
            lanes,
            normal,
            gap,
            offset,
            [first, second],
            [is_line, is_line],
        );
        Manifold {
            count: two.count.select(is_line, one.count),
            points: [
                one.points[0].or(is_line, two.points[0]),
                one.points[1].or(is_line, two.points[1]),
                one.points[2],
                one.points[3],
            ],
            ..one
        }
    }
}

/// Two axes, the second at an offset.
#[derive(Clone, Copy)]
struct CapsuleAxes<F> {
    offset: Vec3<F>,
    half_a: Vec3<F>,
    half_b: Vec3<F>,
    /// Normal for vectors of length zero.
    otherwise: Vec3<F>,
}

impl<F: Float> CapsuleAxes<F> {
    /// Gap along a normal.
    #[inline(always)]
    fn gap(self, normal: Vec3<F>) -> Gap<F> {
        let reach = normal.dot(self.half_a).abs() + normal.dot(self.half_b).abs();
        Gap {
            normal,
            gap: normal.dot(self.offset) - reach,
        }
    }

    /// Gap along a line from A to B.
    #[inline(always)]
    fn towards<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, line: Vec3<F>) -> Gap<F> {
        let (normal, _) = unit(lanes, line, self.otherwise);
        let one = signed(lanes, lanes.splat(1.0), normal.dot(self.offset));
        self.gap(normal * one)
    }
}

/// Segment along which parallel capsules touch.
#[derive(Clone, Copy)]
struct ContactLine<F> {
    axes: CapsuleAxes<F>,
    axis_b: Segment<F>,
    normal: Vec3<F>,
    /// Radius of A, and the sum of both.
    radius: F,
    radii: F,
    /// Maximum distance of a point from the normal.
    aside: F,
}

impl<F: Float> ContactLine<F> {
    /// Contact point over the point of A's axis at `t`, and whether the nearest point of B's axis is along the normal.
    #[inline(always)]
    fn end<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        t: F,
        feature: f32,
    ) -> (ManifoldPoint<F>, L::M) {
        let CapsuleAxes { offset, half_a, .. } = self.axes;
        let on_a = half_a * t;
        let apart = (offset - on_a) + self.axis_b.nearest(on_a - offset);
        let height = self.normal.dot(apart);
        let aside = apart - self.normal * height;
        let separation = height - self.radii;
        let point = ManifoldPoint {
            at: on_a + self.normal * (self.radius + separation * lanes.splat(0.5)),
            separation,
            feature: lanes.splat(feature),
        };
        (point, aside.dot(aside).le(self.aside * self.aside))
    }
}

/// Whether a normal is nearly perpendicular to an axis.
#[inline(always)]
fn is_across<L: Lanes>(lanes: L, normal: Vec3<L::F>, half_axis: Vec3<L::F>) -> L::M {
    let along = normal.dot(half_axis);
    let most = lanes.splat(PARALLEL * PARALLEL);
    (along * along).le(half_axis.dot(half_axis) * most)
}

/// Nearest points of two axes.
struct NearestOnAxes<F> {
    /// Point of A's axis, relative to A's center.
    on_a: Vec3<F>,
    /// Vector from that point to the nearest point of B's axis.
    apart: Vec3<F>,
}

impl<F: Float> NearestOnAxes<F> {
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let nearer = other.apart.dot(other.apart).lt(self.apart.dot(self.apart));
        NearestOnAxes {
            on_a: select(nearer, other.on_a, self.on_a),
            apart: select(nearer, other.apart, self.apart),
        }
    }
}

/// Nearest points of two axes, the second at `offset`.
#[inline(always)]
fn nearest<F: Float>(
    a: Segment<F>,
    b: Segment<F>,
    offset: Vec3<F>,
    half_b: Vec3<F>,
) -> NearestOnAxes<F> {
    let on_a = a.nearest_to_line(-offset, b);
    let apart = (offset - on_a) + b.nearest(on_a - offset);
    let nearest = NearestOnAxes { on_a, apart }
        .or(from_end(a, offset - half_b))
        .or(from_end(a, offset + half_b));
    // Candidates whose distances differ only by roundings may be different points. Each is projected onto the other
    // axis once more, so that their difference is along the normal.
    let on_a = a.nearest(nearest.on_a + nearest.apart);
    let apart = (offset - on_a) + b.nearest(on_a - offset);
    NearestOnAxes { on_a, apart }
}

/// Nearest point of A's axis to an end of B.
#[inline(always)]
fn from_end<F: Float>(a: Segment<F>, end: Vec3<F>) -> NearestOnAxes<F> {
    let on_a = a.nearest(end);
    NearestOnAxes {
        on_a,
        apart: end - on_a,
    }
}
