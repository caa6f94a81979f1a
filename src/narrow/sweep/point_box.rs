//! Point-box sweep, or ray cast against a box: three slabs, for an OBB in the frame of the box.
//!
//! There the point is inside while |Tₖ + t Vₖ| ≤ hₖ on each axis. A margin grows the box along its axes. For a margin equal
//! in all directions, use a `Sphere` of that radius, which takes several times as long.
//!
//! Source: T. Kay and J. Kajiya, "Ray Tracing Complex Scenes", SIGGRAPH 1986, for an OBB in the local frame. Departures: a
//! ray ends at its displacement; the box is widened so that rounding loses no contact; no NaN is ever returned.
//!
//! Degenerate cases: a ray in the plane of a face, along an edge or through a corner hits. Without motion along an axis, a
//! coordinate is between the corners for the whole frame or never.
//!
//! # Error bound of AABBs
//!
//! The bound of two boxes (`aabb_aabb_sweep`) with a point as one of them: false hits have a gap of at most 12 u (speed +
//! margin) + 2⁻¹²⁵ at the time of contact on each axis, beyond the margin.
//!
//! Measured at worst, over 1 million near-contact cases: 0.88 of the band.
//!
//! # Error bound of OBBs
//!
//! In the terms of `point_obb_overlap`, v is the exact relative displacement and D = −V: ŵ has 18 u of ‖Δ‖₁ + ‖v‖₁,
//! within the same bounds. On one axis contact at t means |T − t D| ≤ h + m. D̂ is off like T̂, by 14.1 u |v| + 2⁻¹⁴⁸.
//! Let τ be the sum of both errors, and ℓ = |Δ| + |v|.
//!
//! No contact is lost, by (1) of `slab`, if fl(T̂ − r̂) ≤ t D̂ − u/2 |D̂|; the other end is its mirror image. Rounding
//! is monotone, so T̂ − r̂ ≤ t D̂ − 1.6 u |D̂| − 2⁻¹⁴⁹ is sufficient.
//!
//! - If h + m ≥ (|T̂| + |D̂|) (1 + 3 u), then r̂ ≥ (h + m + 2⁻⁶³) (1 − u) > |T̂| + |D̂| (1 + 1.9 u) + 2⁻⁶⁴.
//! - Otherwise h + m < ℓ (1 + 18 u) + 2⁻¹⁴⁶, so r̂ ≥ h + ŵ − 1.1 u ℓ − 2⁻⁸⁵. A contact has
//!   T̂ − t D̂ ≤ h + m + τ. So ŵ ≥ m + τ + 1.1 u ℓ + 1.6 u |D̂| + 2⁻⁸⁴ is needed: 15.2 u |Δ| + 16.9 u |v|.
//!
//! Gaps at claimed times, including false hits: by (2) of `slab` T̂ − r̂ ≤ t D̂ + 1.6 u |D̂|. Where there is a gap, h +
//! m < |T| + |D| ≤ ℓ, so r̂ ≤ h + ŵ + 1.1 u ℓ + 2⁻⁸⁵. So T − t D − h − m is at most 18.1 u (‖Δ‖₁ + ‖v‖₁) + 11 u m +
//! 2⁻⁶² (1 + 4 u) + 2⁻⁸⁵ + τ + 1.1 u ℓ + 1.7 u |v|: on each axis a gap of at most 36 u (‖Δ‖₁ + ‖v‖₁) + 12 u margin +
//! 2⁻⁶¹, beyond the margin.
//!
//! Only quotients overflow. A hit of the overlap kernel has |T̂| ≤ r̂, so `enter` = 0.
//!
//! Measured at worst, over 1 million near-contact cases: 0.57 of the band.

use crate::driver::source::{BothMoving, Deferred, Separate, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::geometry::point_box::{in_frame, widened};
use crate::narrow::geometry::slab::{Slab, Slabs, box_slabs};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::aabb::{Aabb, AabbGaps, WideAabb};
use crate::shapes::form::WideMoving;
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::point::{Point, WidePoint};

impl Test<Sweeps, Aabb> for Point {
    type Load = Separate;
    const IS_LONG: bool = true;
    const STARTS_FINE: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (point, aabb): BothMoving<WidePoint<L::F>, WideAabb<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let gaps = WideMoving {
            start: AabbGaps {
                below: point.start.position - aabb.start.max,
                above: aabb.start.min - point.start.position,
            },
            displacement: point.displacement - aabb.displacement,
        };
        box_slabs(lanes, gaps, margin)
    }
}

impl Test<Sweeps, Obb> for Point {
    type Load = Separate;
    const IS_LONG: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (point, obb): BothMoving<WidePoint<L::F>, WideObb<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let offset = point.start.position - obb.start.center;
        let v = point.displacement - obb.displacement;
        let [tx, ty, tz] = in_frame(offset, obb.start).0;
        let [vx, vy, vz] = in_frame(v, obb.start).0;
        let size = offset.abs().sum() + v.abs().sum();
        let [rx, ry, rz] = widened(lanes, obb.start, size, margin).0;
        Slabs([
            axis(lanes, tx, vx, rx),
            axis(lanes, ty, vy, ry),
            axis(lanes, tz, vz, rz),
        ])
    }
}

/// Slab of one axis: the point is at `t`, moves by `v`, and is inside within `reach` of zero.
#[inline(always)]
fn axis<L: Lanes>(lanes: L, t: L::F, v: L::F, reach: L::F) -> Slab<L::F> {
    Slab {
        low: t - reach,
        high: t + reach,
        // Never −0.
        v: lanes.splat(0.0) - v,
    }
}
