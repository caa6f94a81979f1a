//! Point-box overlap: min ≤ p ≤ max on each axis of an AABB, and |Tₖ| ≤ hₖ on each axis in the frame of an OBB.
//!
//! AABBs are tested by differences that are compared with the margin. As in a sweep, a margin grows the box along its axes;
//! for a margin equal in all directions, use a `Sphere` of that radius.
//!
//! Source: for OBBs the local frame, as in `sphere_obb_overlap`. Departures: relative to the box's center, so that nothing
//! rounds in proportion to the distance from the origin; half extents are widened so that rounding loses no contact.
//!
//! Degenerate cases: boxes may be rectangles, segments and points.
//!
//! # Error bound of AABBs
//!
//! The bound of two boxes (`aabb_aabb_overlap`) with a point as one of them: without a margin the answer is exact. Otherwise
//! false hits have a gap of at most u margin on each axis, beyond the margin.
//!
//! Measured at worst, over 1 million near-contact cases: 1.00 of the band.
//!
//! # Error bound of OBBs
//!
//! Let Δ be the exact offset of the point from the center, m the margin and η = 10 u the error of an axis
//! ([`AXIS_ERROR`]). On each axis T̂ₖ is off by at most τ = 14.1 u |Δ| + 2⁻¹⁴⁸ (`sphere_obb_overlap`).
//! Half extents are widened to r̂ = fl(hₖ + ŵ), where ŵ is the sum of m, 8 u m + 2⁻⁶² and 18 u ‖Δ‖₁. m is
//! rounded twice in it, ‖Δ‖₁ 5 times, the others 3 times:
//!
//! ```text
//! m (1 + 5 u) + 17.9 u ‖Δ‖₁ + 2⁻⁶² (1 − 4 u)  ≤  ŵ  ≤  m (1 + 11 u) + 18.1 u ‖Δ‖₁ + 2⁻⁶² (1 + 4 u)
//! ```
//!
//! No contact is lost: |Tₖ| ≤ hₖ + m gives |T̂ₖ| ≤ hₖ + m + τ ≤ hₖ + ŵ. T̂ₖ is a float, and rounding is
//! monotone, so |T̂ₖ| ≤ fl(hₖ + ŵ), however long hₖ is.
//!
//! False hits: |Tₖ| ≤ (hₖ + ŵ) (1 + u) + τ. Where there is a gap, hₖ + m < |Tₖ| ≤ |Δ|, so u (hₖ + ŵ) is at
//! most 1.1 u |Δ| + 2⁻⁸⁵. So on each axis the gap is at most 34 u ‖Δ‖₁ + 12 u margin + 2⁻⁶¹, beyond the margin.
//!
//! Measured at worst, over 1 million near-contact cases: 0.63 of the band.

use crate::driver::source::{Deferred, HitMask, Separate, Test};
use crate::lane::{Float, Lanes};
use crate::narrow::geometry::point_box::{in_frame, widened};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::point::{Point, WidePoint};

impl Test<Overlaps, Aabb> for Point {
    type Load = Separate;
    const IS_LIGHT: bool = true;
    const IS_FINE: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        _lanes: L,
        (point, aabb): (WidePoint<L::F>, WideAabb<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let [below_x, below_y, below_z] = (aabb.min - point.position).0;
        let [above_x, above_y, above_z] = (point.position - aabb.max).0;
        HitMask(
            below_x.max(above_x).le(margin)
                & below_y.max(above_y).le(margin)
                & below_z.max(above_z).le(margin),
        )
    }
}

impl Test<Overlaps, Obb> for Point {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (point, obb): (WidePoint<L::F>, WideObb<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let offset = point.position - obb.center;
        let [tx, ty, tz] = in_frame(offset, obb).abs().0;
        let [rx, ry, rz] = widened(lanes, obb, offset.abs().sum(), margin).0;
        HitMask(tx.le(rx) & ty.le(ry) & tz.le(rz))
    }
}
