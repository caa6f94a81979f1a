//! Where a shape lies along the normal of a plane: the values that normal · p + d takes on it.
//!
//! Touching a plane or a half-space, at rest or on the move, is a question about this range alone,
//! so a shape answers all four with one function here.
//!
//! # Error bounds
//!
//! Heights are in units of the scaled normal n, so 1/2 ≤ |n| < √3 of them make a length; `length` is
//! |n| within 3 u, to first order 2.5 u ([`PlaneLanes`]). Up to signs, p being the center, or the
//! farther of a box's two corners on each axis, the exact ends are sums of these, A the axes and v the
//! motion:
//!
//! ```text
//! S = Σ |nᵢ pᵢ| + |d|   R = |n| (radius + margin)   Q = Σ hₖ |n·Aₖ| ≤ H = |n| Σ hₖ   W = Σ |nᵢ vᵢ|
//! T = Σ |nᵢ hᵢ|, h the half axis of a capsule
//!
//!    roundings, to first order in u                                           off by  widened by
//! S  a product, three sums; middle − reach                                       5         8
//! R  2.5 of `length`; product; sums with radius, Q or n·h; middle − reach        6.5       8
//! Q  product with hₖ; two sums; sum with the margin; middle − reach              5         8
//! T  a product, two sums; sum with R; middle − reach                             5         8
//! H  the axes, η ([`AXIS_ERROR`]); product and two sums of n·A                   η + 3     η + 6
//! W  difference v; product, two sums; difference with `error`; u/2 in `slab`     5.5       8
//! ```
//!
//! The smaller of two rounded products is the rounded smaller one. n·A errs relative to
//! Σ |nᵢ Aᵢ| ≤ |n| |A|, hence to H. The widening is itself rounded, no term more than 9 times:
//! (1 − 9 u) of the last column remains. All products of errors stay below 200 u², while every row has
//! 1.5 u to spare; 7 u and η + 4 would be enough.
//!
//! - Never missing at rest: low ≤ 0 in exact arithmetic gives low ≤ `error` as computed, and a
//!   difference of floats keeps its sign. The high end is the mirror image.
//! - Nor on the move: contact at t is low + t n·v ≤ 0 exactly. By monotone rounding the widened end is
//!   at most fl(y), y = −t s − (what is to spare), s the computed speed and |s| ≤ W (1 + 5 u). fl(y)
//!   errs by u |y| and `slab` asks for u/2 |s| more, by its (1): these are 1.5 u of W's row. Then
//!   `enter` is never late and `exit` never early. As the widening is at least that at rest, what
//!   overlaps has `enter` = 0.
//! - False hits, and gaps at all claimed times, by (2) of `slab`: at most the sum of both columns,
//!   14.5 u (S + R + Q + T + W) + (2 η + 9) u H in first order. Divided by |n| that is less than
//!   16 u (Σ |nᵢ pᵢ| + |d| + reach + Σ |nᵢ vᵢ|) + 32 u Σ hₖ + 2⁻⁶⁰, n and d now made those of a unit
//!   normal; reach is radius + margin, Σ |nᵢ hᵢ| + radius + margin for capsules, and Σ hₖ |n·Aₖ| + margin for
//!   boxes in any orientation.
//! - Underflow: n and d are off by 2⁻¹⁴⁹ from their scaling, times lengths up to 2⁶¹, and products by
//!   2⁻¹⁵⁰, those of axes times hₖ ≤ 2⁶⁰: all in all below 2⁻⁸⁰, against 2⁻⁶² in `error`. As |n| ≥ 1/2
//!   this makes at most 2⁻⁶¹ (1 + 2⁻¹⁷) of length, less than 2⁻⁶⁰.
//! - Overflow: lengths and |d| are at most 2⁶⁰, v and sums of two 2⁶¹, so all heights are below 2⁶⁴.

use super::Contact;
use super::rounding::{U, error_of};
use super::slab::{Slab, Slabs};
use crate::lane::{Float, Lanes, Vec3};
use crate::shapes::{
    AXIS_ERROR, AabbLanes, CapsuleLanes, ObbLanes, PlaneLanes, PointLanes, SphereLanes,
};

/// The range of normal · p + d over a shape, in units of the scaled normal.
#[derive(Clone, Copy)]
pub struct Extent<F> {
    low: F,
    high: F,
    /// How far either end may be off.
    error: F,
}

/// The extent of a point.
#[inline(always)]
pub fn of_point<L: Lanes>(
    lanes: L,
    point: PointLanes<L::F>,
    plane: PlaneLanes<L::F>,
    margin: L::F,
) -> Extent<L::F> {
    around(lanes, point.position, margin, plane)
}

/// The extent of a ball.
#[inline(always)]
pub fn of_sphere<L: Lanes>(
    lanes: L,
    sphere: SphereLanes<L::F>,
    plane: PlaneLanes<L::F>,
    margin: L::F,
) -> Extent<L::F> {
    around(lanes, sphere.center, sphere.radius + margin, plane)
}

/// The extent of all that is at most `radius` away from a point.
#[inline(always)]
fn around<L: Lanes>(
    lanes: L,
    center: Vec3<L::F>,
    radius: L::F,
    plane: PlaneLanes<L::F>,
) -> Extent<L::F> {
    let (middle, size) = height(center, plane);
    let reach = radius * plane.length;
    Extent {
        low: middle - reach,
        high: middle + reach,
        error: error_of(lanes, size + reach),
    }
}

/// The extent of a capsule.
#[inline(always)]
pub fn of_capsule<L: Lanes>(
    lanes: L,
    capsule: CapsuleLanes<L::F>,
    plane: PlaneLanes<L::F>,
    margin: L::F,
) -> Extent<L::F> {
    let (middle, size) = height(capsule.center, plane);
    let [x, y, z] = product(capsule.half_axis, plane.normal);
    let radius = (capsule.radius + margin) * plane.length;
    let reach = (x + y + z).abs() + radius;
    let size = size + (x.abs() + y.abs() + z.abs()) + radius;
    Extent {
        low: middle - reach,
        high: middle + reach,
        error: error_of(lanes, size),
    }
}

/// The extent of a box along the axes, from its corners and not from a rounded center.
#[inline(always)]
pub fn of_aabb<L: Lanes>(
    lanes: L,
    aabb: AabbLanes<L::F>,
    plane: PlaneLanes<L::F>,
    margin: L::F,
) -> Extent<L::F> {
    let [min_x, min_y, min_z] = product(aabb.min, plane.normal);
    let [max_x, max_y, max_z] = product(aabb.max, plane.normal);
    let low = min_x.min(max_x) + min_y.min(max_y) + min_z.min(max_z) + plane.d;
    let high = min_x.max(max_x) + min_y.max(max_y) + min_z.max(max_z) + plane.d;
    let size = min_x.abs().max(max_x.abs())
        + min_y.abs().max(max_y.abs())
        + min_z.abs().max(max_z.abs())
        + plane.d.abs();
    let reach = margin * plane.length;
    Extent {
        low: low - reach,
        high: high + reach,
        error: error_of(lanes, size + reach),
    }
}

/// The extent of a box in any orientation.
#[inline(always)]
pub fn of_obb<L: Lanes>(
    lanes: L,
    obb: ObbLanes<L::F>,
    plane: PlaneLanes<L::F>,
    margin: L::F,
) -> Extent<L::F> {
    let (middle, size) = height(obb.center, plane);
    let [hx, hy, hz] = obb.half_extents.0;
    let [ax, ay, az] = obb.axes;
    let radius = hx * ax.dot(plane.normal).abs()
        + hy * ay.dot(plane.normal).abs()
        + hz * az.dot(plane.normal).abs();
    let reach = radius + margin * plane.length;
    let error_of_axes = obb.half_extents.sum() * plane.length * lanes.splat((AXIS_ERROR + 6.0) * U);
    Extent {
        low: middle - reach,
        high: middle + reach,
        error: error_of(lanes, size + reach) + error_of_axes,
    }
}

/// normal · p + d, and the sum of its terms' absolute values.
#[inline(always)]
pub fn height<F: Float>(p: Vec3<F>, plane: PlaneLanes<F>) -> (F, F) {
    let [x, y, z] = product(p, plane.normal);
    (
        x + y + z + plane.d,
        x.abs() + y.abs() + z.abs() + plane.d.abs(),
    )
}

#[inline(always)]
fn product<F: Float>(a: Vec3<F>, b: Vec3<F>) -> [F; 3] {
    let ([ax, ay, az], [bx, by, bz]) = (a.0, b.0);
    [ax * bx, ay * by, az * bz]
}

/// Zero is in the range: the shape touches the plane.
#[inline(always)]
pub fn touches_plane<L: Lanes>(lanes: L, extent: Extent<L::F>) -> Contact<L::M> {
    let zero = lanes.splat(0.0);
    let above = zero.le(extent.high + extent.error);
    Contact((extent.low - extent.error).le(zero) & above)
}

/// The range reaches down to zero: the shape touches the half-space.
#[inline(always)]
pub fn touches_half_space<L: Lanes>(lanes: L, extent: Extent<L::F>) -> Contact<L::M> {
    Contact((extent.low - extent.error).le(lanes.splat(0.0)))
}

/// When the shape, moving by `v` relative to the plane, touches it.
#[inline(always)]
pub fn meets_plane<L: Lanes>(
    lanes: L,
    extent: Extent<L::F>,
    v: Vec3<L::F>,
    plane: PlaneLanes<L::F>,
) -> Slabs<L::F, 1> {
    let (descent, error) = motion(lanes, extent, v, plane);
    Slabs([Slab {
        low: extent.low - error,
        high: extent.high + error,
        v: descent,
    }])
}

/// When the shape, moving by `v` relative to the half-space, touches it.
#[inline(always)]
pub fn meets_half_space<L: Lanes>(
    lanes: L,
    extent: Extent<L::F>,
    v: Vec3<L::F>,
    plane: PlaneLanes<L::F>,
) -> Slabs<L::F, 1> {
    let (descent, error) = motion(lanes, extent, v, plane);
    Slabs([Slab {
        low: extent.low - error,
        high: lanes.splat(f32::INFINITY),
        v: descent,
    }])
}

/// The speed against the normal, never −0, and the error of the extent with it.
#[inline(always)]
fn motion<L: Lanes>(
    lanes: L,
    extent: Extent<L::F>,
    v: Vec3<L::F>,
    plane: PlaneLanes<L::F>,
) -> (L::F, L::F) {
    let [x, y, z] = product(v, plane.normal);
    let size = x.abs() + y.abs() + z.abs();
    let descent = lanes.splat(0.0) - (x + y + z);
    (descent, extent.error + size * lanes.splat(8.0 * U))
}
