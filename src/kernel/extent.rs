//! Where a shape lies along the normal of a plane: the values that normal · p + d takes on it.
//!
//! Touching a plane or a half-space, at rest or on the move, is a question about this range alone,
//! so a shape answers all four with one function here.
//!
//! # Error bounds
//!
//! The normal n is scaled so that 1/2 ≤ |n| < √3 ([`PlaneLanes`]), exactly; |n| itself carries 3 u.
//!
//! - n·p + d takes four roundings: at most 4 u (Σ |nᵢ pᵢ| + |d|). The minimum over a box picks for each
//!   axis the smaller of two rounded products, which is the rounded smaller one.
//! - A radius or margin times |n| takes three more roundings than |n|: 5 u of it; one last sum 1 u of
//!   everything. Together 7 u of `size`.
//! - The radius Σ hₖ |n·Aₖ| of a box in any orientation errs by η in each axis ([`AXIS_ERROR`]) and 6
//!   roundings: (η + 6 u) |n| Σ hₖ, besides what `size` covers.
//! - A motion adds t n·v with four roundings, and a quotient's one: at most 5 u Σ |nᵢ vᵢ|.
//!
//! `error` is 8 u of `size`, and for the axes of boxes η + 6 u of their size; 2⁻⁶² covers products that
//! underflow.

use super::rounding::{U, error_of};
use super::{Contact, SweptContact, slab};
use crate::lane::{Float, Lanes, Vec3};
use crate::shapes::{AXIS_ERROR, AabbLanes, ObbLanes, PlaneLanes, SphereLanes};

/// The range of normal · p + d over a shape, in units of the scaled normal.
#[derive(Clone, Copy)]
pub struct Extent<F> {
    low: F,
    high: F,
    /// How far either end may be off.
    error: F,
}

/// The extent of a ball.
#[inline(always)]
pub fn of_sphere<L: Lanes>(
    lanes: L,
    sphere: SphereLanes<L::F>,
    plane: PlaneLanes<L::F>,
    margin: L::F,
) -> Extent<L::F> {
    let (middle, size) = height(sphere.center, plane);
    let reach = (sphere.radius + margin) * plane.length;
    Extent {
        low: middle - reach,
        high: middle + reach,
        error: error_of(lanes, size + reach),
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
    let error_of_axes = obb.size * plane.length * lanes.splat((AXIS_ERROR + 6.0) * U);
    Extent {
        low: middle - reach,
        high: middle + reach,
        error: error_of(lanes, size + reach) + error_of_axes,
    }
}

/// normal · p + d, and the sum of its terms' absolute values.
#[inline(always)]
fn height<F: Float>(p: Vec3<F>, plane: PlaneLanes<F>) -> (F, F) {
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
) -> SweptContact<L> {
    let (speed, error) = motion(lanes, extent, v, plane);
    let (low, high) = (extent.low - error, extent.high + error);
    during_frame(lanes, slab::times(lanes, -high, -low, speed))
}

/// When the shape, moving by `v` relative to the half-space, touches it.
#[inline(always)]
pub fn meets_half_space<L: Lanes>(
    lanes: L,
    extent: Extent<L::F>,
    v: Vec3<L::F>,
    plane: PlaneLanes<L::F>,
) -> SweptContact<L> {
    let (speed, error) = motion(lanes, extent, v, plane);
    let never_left = lanes.splat(f32::NEG_INFINITY);
    during_frame(
        lanes,
        slab::times(lanes, never_left, -(extent.low - error), speed),
    )
}

/// The speed along the normal, and the error of the extent with it.
#[inline(always)]
fn motion<L: Lanes>(
    lanes: L,
    extent: Extent<L::F>,
    v: Vec3<L::F>,
    plane: PlaneLanes<L::F>,
) -> (L::F, L::F) {
    let [x, y, z] = product(v, plane.normal);
    let size = x.abs() + y.abs() + z.abs();
    (x + y + z, extent.error + size * lanes.splat(8.0 * U))
}

#[inline(always)]
fn during_frame<L: Lanes>(lanes: L, (enter, exit): (L::F, L::F)) -> SweptContact<L> {
    SweptContact {
        hit: enter.le(exit) & enter.le(lanes.splat(1.0)),
        enter,
        exit,
    }
}
