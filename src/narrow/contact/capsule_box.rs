//! Capsule-box manifold: the normal of largest gap and the capsule's axis clipped to the incident face.
//!
//! All vectors are along the axes of the box, those of the world for an AABB, relative to the center of the capsule. Lengths
//! are scaled by a power of two so that they sum to less than 1.
//!
//! **The normal** has the largest gap of nine candidates. Three are face normals of the box, and three are cross products of
//! its edges with the capsule's axis. One points from the nearest point of the axis to the nearest point of the box. The
//! last two are its components perpendicular to the axis: in the plane in which the point is outside the box, and in space.
//! For an axis that penetrates the box only the first six exist; for any other axis one of the last three is the true
//! normal. The distance of the axis from the box decides between the two cases. The gaps cannot: near an edge of the box
//! very different normals have similar gaps.
//!
//! **The points** are the ends of the axis, clipped along the normal to the face that is most along it, and moved to the
//! surface of the capsule. If the axis is over no face, the only point is the point of the axis least outside the face.
//!
//! # Error bound
//!
//! A gap is n·t − |n·d| − Σ hₖ |nₖ|, t, d and h the offset, the half axis and the half extents: t and h err by 2 u,
//! dot products round 3 times, n is within 3.5 u of length 1, sums round 3 times: less than 14 u of all lengths. In the
//! frame of a box in any orientation dot products with its axes round 4 u on each, √3 times that as a vector, and the
//! axes err by 8.5 u: of length for all, and of direction, √3 times, for h. In all less than 24 u more.
//!
//! **β**, for shapes that touch. S′ is the sum of all lengths in the frame; with r in place of the radius, what follows
//! is of the axis and the box. All lengths are scaled to a sum from 1/2 to 1, and hats are the floats in the frame.
//!
//! 1. Turned into the frame, t̂ is off by √3 (η + 4 u) |t|, d̂ by √3 (η + 3 u) |d|; `low` and `high` add 3 u |t| and 3 u |h|.
//!    Any gap changes by as much, and so does the separation: 24.7 u S. Below, D is the exact separation for the hats.
//! 2. A face's gap rounds by 2 u S, an edge's by 3 u (|t| + |h|) and, made that of a unit vector, by 4 u |gap|; two
//!    comparisons of edges lose 3 u |gap| each: 13 u S. The radius and [`reported`] round by 2 u S.
//! 3. **D ≤ 0.** Faces and edges have all normals of the difference of axis and box: no loss. A half axis beside an edge by
//!    less than 2⁻⁴⁰ loses that.
//! 4. **The axis is near** (`OUTSIDE`): D is at most 24.01 u scaled, 48.1 u S′, and u |d| for the place of the point. A
//!    polytope that does not hold the origin has a face that separates it, so the greatest gap is at least 0.
//! 5. Faces win against edges by up to 32 u scaled, 64 u S′, and 40 u S′ are taken.
//!
//! With S′ ≤ √3 S, 1 to 5 sum to (48.1 + 64 + 40) √3 + 24.7 + 1 + 15 < 305 u S.
//!
//! **The axis is outside.** The bias is 8 u S′, and the loss has to be bounded. zₖ(τ) is how far the axis at τ is past
//! the box on axis k, zₖ dₖ its slope, F their sum over the axes that count: D is least where F = 0, or at an end.
//! Each zₖ dₖ grows with τ. `nearest` judges F at the times at which an axis starts or ceases to count, without that
//! axis, and errs there only if the other two slopes, p and q, cancel within 4.1 u P, P ≤ |zₚ dₚ|. A computed point is
//! off by at most 3 u |dₖ| on each axis, by time and product.
//!
//! 6. If one axis counts at the nearest point, or two and it is no end, its normal is that of a face or an edge: no loss.
//! 7. It is no end and three axes count. If `nearest` ends in that piece, the outside made normal to d is z there plus the
//!    part of an error e normal to d, |eₖ| ≤ 4 u |dₖ|: by the square of that over 2 D, less than 0.4 u. Unless it changes a
//!    sign on some axis i: then zᵢ ≤ 8 u |m|² / |d|, m being d without axis i. Two of the three edge normals have the
//!    right sign, and one of these has a squared gap of D² − 256 u²: 5.6 u, as D > 23 u.
//! 8. If `nearest` ends elsewhere, it has judged wrongly at some time, and up to there slopes grow by 4.1 u P in all. The
//!    axis k that ceased to count has zₖ |dₖ| ≤ 4.1 u P, and zₖ ≤ 2 |dₖ|. The edge normal of the other two has a
//!    squared gap of D² − 2.3 zₖ² at least, or D² − (3 u D)² if |dₖ| is the longer part: 4.6 u.
//! 9. An end, where two or three axes count. If `nearest` ends there, the direction outside is the normal. If its quotient
//!    stops short, by 7 u |d| + 3 u D at most, that direction loses 2 (7 u |d| + 3 u D)² / D < 9 u. If it has judged wrongly, 8.
//! 10. What is made normal twice is so within 10.6 u, and each coordinate within 14 u: 28 u (|d| + |h|).
//!
//! Together 9 u scaled, 18 u S′, and 28 u S: (18 + 8 + 40) √3 + 28 + 24.7 + 15 < 183 u S.
//!
//! **Points.** The part of the axis over the face is cut with a `slop` of 16 u scaled, as in `contact::box_box`. Of an axis over
//! no face the point that is least beside stands in.

use crate::lane::{Float, Lanes, Routine, Vec3, unit};
use crate::narrow::contact::clip::{Cutting, ProjectedPoint, REJECTED, Rectangle, SatAxis};
use crate::narrow::contact::manifold::{
    BIAS, CapsuleSupport, Choice, Manifold, ManifoldKernel, ManifoldPoint, least_apart, of_two,
    reported,
};
use crate::narrow::geometry::frame::{center, in_world};
use crate::narrow::geometry::gap::{Gap, signed};
use crate::narrow::geometry::rounded_box;
use crate::narrow::geometry::rounded_box::nearest;
use crate::narrow::geometry::segment::Segment;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::obb::{Obb, WideObb};

impl ManifoldKernel<Aabb> for Capsule {
    const POINTS: usize = 2;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        capsule: WideCapsule<L::F>,
        aabb: WideAabb<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let place = CapsuleInBox {
            low: capsule.center - aabb.min,
            high: capsule.center - aabb.max,
            half_axis: capsule.half_axis,
            radius: capsule.radius,
            margin,
        };
        Manifold {
            offset: center(lanes, aabb) - capsule.center,
            ..lanes.call::<CapsuleBoxManifold>((place, 16.0))
        }
    }
}

impl ManifoldKernel<Obb> for Capsule {
    const POINTS: usize = 2;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        capsule: WideCapsule<L::F>,
        obb: WideObb<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let offset = obb.center - capsule.center;
        let at = -Vec3(offset.along(obb.axes));
        let place = CapsuleInBox {
            low: at + obb.half_extents,
            high: at - obb.half_extents,
            half_axis: Vec3(capsule.half_axis.along(obb.axes)),
            radius: capsule.radius,
            margin,
        };
        let mut manifold = lanes.call::<CapsuleBoxManifold>((place, 40.0));
        manifold.normal = in_world(manifold.normal, obb.axes);
        for point in &mut manifold.points {
            point.at = in_world(point.at, obb.axes);
        }
        Manifold { offset, ..manifold }
    }
}

/// Minimum distance of the axis from the box that defines a direction, relative to all lengths. Below it, one of the
/// six normals loses no more than this.
const OUTSIDE: f32 = 24.0;

/// Shortest projected axis that defines a normal with an edge, in u: 2⁻⁴⁰ in `f32`.
const SHORTEST: f32 = 1.0 / 65536.0;

/// Capsule in the frame of a box.
#[derive(Clone, Copy)]
pub struct CapsuleInBox<F> {
    /// Capsule's center relative to the lowest corner, and to the highest.
    pub low: Vec3<F>,
    pub high: Vec3<F>,
    pub half_axis: Vec3<F>,
    pub radius: F,
    pub margin: F,
}

/// Manifold routine, along the axes of the box and relative to the center of the capsule.
pub struct CapsuleBoxManifold;

impl<L: Lanes> Routine<L> for CapsuleBoxManifold {
    /// The capsule, and the error of the gap in u.
    type Argument = (CapsuleInBox<L::F>, f32);
    type Output = Manifold<L::F>;

    #[inline(always)]
    fn run(lanes: L, (place, errors): Self::Argument) -> Manifold<L::F> {
        capsule_box_manifold(lanes, place, errors)
    }
}

#[inline(always)]
fn capsule_box_manifold<L: Lanes>(
    lanes: L,
    place: CapsuleInBox<L::F>,
    errors: f32,
) -> Manifold<L::F> {
    let (zero, one, half) = (lanes.splat(0.0), lanes.splat(1.0), lanes.splat(0.5));
    let CapsuleInBox {
        low,
        high,
        half_axis,
        radius,
        margin,
    } = place;
    let (offset, h) = (-((low + high) * half), (low - high) * half);
    let size = offset.abs().sum() + h.sum() + half_axis.abs().sum() + radius + margin;
    let scale = size.recip_pow2();
    let (low, high, d) = (low * scale, high * scale, half_axis * scale);
    let (offset, h) = (offset * scale, h * scale);
    let (radius, margin) = (radius * scale, margin * scale);

    let bias = lanes.units(32.0);
    let core = AxisAndBox { offset, d, h };
    let faces = (core.face(lanes, 0))
        .or(core.face(lanes, 1), zero)
        .or(core.face(lanes, 2), zero);
    let edges = (core.edge(lanes, 0))
        .or(core.edge(lanes, 1))
        .or(core.edge(lanes, 2));
    let edges = edges.unit(lanes);
    let ([low_x, low_y, low_z], [high_x, high_y, high_z]) = (low.0, high.0);
    let sides = [
        rounded_box::BoxSlab::new(lanes, low_x, high_x, d.0[0]),
        rounded_box::BoxSlab::new(lanes, low_y, high_y, d.0[1]),
        rounded_box::BoxSlab::new(lanes, low_z, high_z, d.0[2]),
    ];
    let (_, outside) = nearest(lanes, sides);
    // The normal has no component along an axis on which the point is between the faces.
    let within = Vec3([
        d.0[0].masked(zero.lt(outside.0[0].abs())),
        d.0[1].masked(zero.lt(outside.0[1].abs())),
        d.0[2].masked(zero.lt(outside.0[2].abs())),
    ]);
    let least_bias = lanes.units(BIAS);
    let in_space = Segment::new(lanes, d).normal_part(outside);
    let in_plane = Segment::new(lanes, within).normal_part(outside);
    let rounded = (core.towards(lanes, -outside))
        .or(core.towards(lanes, -in_space), least_bias)
        .or(core.towards(lanes, -in_plane), least_bias)
        .or(edges, least_bias)
        .or(faces, least_bias);
    let least = lanes.units(OUTSIDE);
    let is_outside = (least * least).lt(outside.dot(outside));
    let Gap { normal, gap } = faces.or(edges, bias).replaced(is_outside, rounded);
    let unscale = one / scale;
    let separation = reported(lanes, (gap - radius) * unscale, size, errors, place.margin);

    // Incident face, and the capsule's axis projected along the normal.
    let of_box = Choice::<L::F>::greatest(normal.0);
    let [nx, ny, nz] = of_box.last(normal.0);
    let [hx, hy, hz] = of_box.last(h.0);
    let [tx, ty, tz] = of_box.last(offset.0);
    let slopes = [nx, ny, one / nz];
    let center = ProjectedPoint::new([-tx, -ty, signed(lanes, hz, nz) - tz], slopes);
    let along = ProjectedPoint::new(of_box.last(d.0), slopes);
    let slop = lanes.units(16.0);
    let rectangle = Rectangle::new(hx, hy, slop);
    let (from, to) = Cutting::new(lanes, along).inside(lanes, center, rectangle);
    let is_over = from.le(to);
    // Clipped away entirely: keep the end that is less far outside.
    let end = rectangle.less_outside(
        center,
        along,
        from.max(-one).min(one),
        to.max(-one).min(one),
    );
    let (from, to) = (from.select(is_over, end), to.select(is_over, end));

    let support = CapsuleSupport::new(lanes, d, radius, normal);
    let first = support.point(lanes, from, -(center.d + along.d * from), 0.0);
    let second = support.point(lanes, to, -(center.d + along.d * to), 1.0);
    let limit = margin.max(gap - radius) + slop;
    let long = d.abs().largest();
    let is_long = least_apart(lanes, slop, long).lt(long * (to - from));
    let first_deeper = first.separation.le(second.separation);
    let has_first = first_deeper | (is_long & first.separation.le(limit));
    let has_second = !first_deeper | (is_long & second.separation.le(limit));
    of_two(
        lanes,
        normal,
        separation,
        offset,
        [unscaled(first, unscale), unscaled(second, unscale)],
        [has_first, has_second],
    )
}

#[inline(always)]
fn unscaled<F: Float>(point: ManifoldPoint<F>, unscale: F) -> ManifoldPoint<F> {
    ManifoldPoint {
        at: point.at * unscale,
        separation: point.separation * unscale,
        ..point
    }
}

/// Capsule's axis and box, without the radius.
#[derive(Clone, Copy)]
struct AxisAndBox<F> {
    /// Center of the box relative to the center of the axis.
    offset: Vec3<F>,
    /// Half axis.
    d: Vec3<F>,
    /// Half extents.
    h: Vec3<F>,
}

impl<F: Float> AxisAndBox<F> {
    /// Gap along face normal `k` of the box.
    #[inline(always)]
    fn face<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, k: usize) -> Gap<F> {
        let AxisAndBox { offset, d, h } = self;
        let mut normal = [lanes.splat(0.0); 3];
        normal[k] = signed(lanes, lanes.splat(1.0), offset.0[k]);
        Gap {
            normal: Vec3(normal),
            gap: offset.0[k].abs() - (d.0[k].abs() + h.0[k]),
        }
    }

    /// Cross product of edge `k` of the box and the axis.
    #[inline(always)]
    fn edge<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, k: usize) -> SatAxis<F> {
        let AxisAndBox { offset, d, h } = self;
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (di, dj) = (d.0[i], d.0[j]);
        let along = offset.0[i] * dj - offset.0[j] * di;
        let squared = di * di + dj * dj;
        let one = lanes.splat(1.0);
        let shortest = lanes.units(SHORTEST);
        let crosses = (shortest * shortest).le(squared);
        let sign = signed(lanes, one, along);
        let mut normal = [lanes.splat(0.0); 3];
        normal[i] = dj * sign;
        normal[j] = -(di * sign);
        let gap = along.abs() - (h.0[i] * dj.abs() + h.0[j] * di.abs());
        SatAxis {
            normal: Vec3(normal),
            gap: gap.select(crosses, lanes.splat(-REJECTED)),
            squared: squared.select(crosses, one),
        }
    }

    /// Gap along a vector from the axis to the box; none if its length is zero.
    #[inline(always)]
    fn towards<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, to_box: Vec3<F>) -> Gap<F> {
        let AxisAndBox { offset, d, h } = self;
        let zero = lanes.splat(0.0);
        let (normal, length) = unit(lanes, to_box, Vec3([zero; 3]));
        let reach = normal.dot(d).abs() + normal.abs().dot(h);
        let gap = normal.dot(offset) - reach;
        Gap {
            normal,
            gap: gap.select(zero.lt(length), lanes.splat(-REJECTED)),
        }
    }
}
