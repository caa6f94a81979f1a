//! Capsule-box sweep: the time interval of [`capsule_box`](crate::narrow::geometry::capsule_box), in world axes for an AABB and in the frame of an OBB.
//!
//! Its inputs are the offsets of the center from both corners, the half axis and the relative displacement. Its reach is R,
//! the radius and the margin. Center and half extents of an AABB are never computed, because they would round in proportion
//! to the distance from the origin. For an OBB the center, the half axis and the relative displacement are rotated into its
//! frame.
//!
//! Source: as there.
//!
//! Degenerate cases: as there; without relative motion the test is that of the start.
//!
//! # Error bound of AABBs
//!
//! Let h be the half axis and v the exact relative displacement. Offsets and v are rounded once; as in
//! `capsule_aabb_overlap` and `sphere_aabb_sweep`, the distance is off by u D + u |h| + 2.1 u |v|, and 2⁻⁹⁹.
//!
//! The reach is widened by 23 u R, 26 u ‖h‖₁, 38 u ‖v‖₁ and 2⁻⁶⁰. R carries 1 rounding, ‖h‖₁ 2, ‖v‖₁ 3, the terms
//! up to 4 more, ρ one:
//!
//! ```text
//! R (1 + 20.9 u) + 25.9 u ‖h‖₁ + 37.9 u ‖v‖₁ + 2⁻⁶⁰ (1 − 4 u)
//!     ≤ ρ ≤ R (1 + 25.1 u) + 26.1 u ‖h‖₁ + 38.1 u ‖v‖₁ + 2⁻⁶⁰ (1 + 4 u)
//! ```
//!
//! No contact is lost: (1) of `capsule_box` requires R (1 + 19.8 u) + 25.1 u ‖h‖₁ + 36.2 u ‖v‖₁ + 3.2 · 2⁻⁶².
//!
//! False hits and claimed times: by (2) the distance is at most R (1 + 43.1 u) + 36.7 u ‖h‖₁ + 61.8 u ‖v‖₁ + 4.2 ·
//! 2⁻⁶², a gap of less than 44 u (radius + margin) + 38 u ‖h‖₁ + 63 u ‖v‖₁ + 2⁻⁵⁹.
//!
//! A hit of the overlap kernel is a hit at the start: the same arithmetic decides, with a reach that is no less.
//!
//! Measured at worst, over 1 million near-contact cases: 0.70 of the band.
//!
//! # Error bound of OBBs
//!
//! Let Δ be the exact offset of the centers, h the half axis, and v the exact relative displacement. As in
//! `sphere_obb_sweep` and `capsule_obb_overlap`, all three are rotated with an error of at most 21.7 u of each and
//! 2⁻¹⁴⁷, and `low` and `high` round once more. So the distance D is off by at most u D + 21.7 u |Δ| + 22.8 u |h| +
//! 22.8 u |v|, and 2⁻⁹⁹. After rotation, h and v are at most 22 u longer.
//!
//! The reach is widened by 23 u R, 25.5 u ‖Δ‖₁, 49 u ‖h‖₁, 58 u ‖v‖₁ and 2⁻⁶⁰. R carries 1 rounding, ‖h‖₁ 2, ‖Δ‖₁
//! and ‖v‖₁ 3, the terms up to 5 more, ρ one:
//!
//! ```text
//! R (1 + 20.9 u) + 25.4 u ‖Δ‖₁ + 48.9 u ‖h‖₁ + 57.9 u ‖v‖₁ + 2⁻⁶⁰ (1 − 5 u)
//!     ≤ ρ ≤ R (1 + 25.1 u) + 25.6 u ‖Δ‖₁ + 49.1 u ‖h‖₁ + 58.1 u ‖v‖₁ + 2⁻⁶⁰ (1 + 5 u)
//! ```
//!
//! No contact is lost: (1) of `capsule_box` requires R (1 + 19.8 u) + 21.8 u ‖Δ‖₁ + 46.9 u ‖h‖₁ + 56.9 u ‖v‖₁ + 3.2 ·
//! 2⁻⁶².
//!
//! False hits and claimed times: by (2) the distance is at most R (1 + 43.1 u) + 47.4 u ‖Δ‖₁ + 81.6 u ‖h‖₁ +
//! 102.6 u ‖v‖₁ + 4.2 · 2⁻⁶², a gap of less than
//! 44 u (radius + margin) + 48 u ‖Δ‖₁ + 83 u ‖h‖₁ + 104 u ‖v‖₁ + 2⁻⁵⁹.
//!
//! A hit of the overlap kernel is a hit at the start: the same arithmetic decides, with a reach that is no less.
//!
//! Measured at worst, over 1 million near-contact cases: 0.59 of the band.

use crate::driver::source::{Deferred, Separate, Test, TimeRange};
use crate::lane::{Lanes, Vec3};
use crate::math::rounding::FLOOR;
use crate::narrow::geometry::capsule_box::{CapsuleBoxSweep, CapsuleSweepInBox, ErrorLengths};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::form::WideMoving;
use crate::shapes::obb::{AXIS_ERROR, Obb, WideObb};

/// Widening of the reach, relative to itself.
const WIDENING: f32 = 23.0;
/// Widening of the reach, relative to the half axis: more than that of `capsule_aabb_overlap`.
const AABB_WIDENING_BY_AXIS: f32 = 26.0;
/// Widening of the reach, relative to the displacement.
const AABB_WIDENING_BY_MOTION: f32 = 38.0;
/// Widening of the reach, relative to the offset of the centers: as in `sphere_obb_overlap`.
const OBB_WIDENING_BY_OFFSET: f32 = 1.75 * (AXIS_ERROR + 4.0) + 1.0;
/// Widening of the reach, relative to the half axis: more than that of `capsule_obb_overlap`.
const OBB_WIDENING_BY_AXIS: f32 = 49.0;
/// Widening of the reach, relative to the displacement.
const OBB_WIDENING_BY_MOTION: f32 = 58.0;

impl Test<Sweeps, Aabb> for Capsule {
    type Load = Separate;
    const IS_LONG: bool = true;
    const STARTS_FINE: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (capsule, aabb): (
            WideMoving<WideCapsule<L::F>, L::F>,
            WideMoving<WideAabb<L::F>, L::F>,
        ),
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let place = CapsuleSweepInBox {
            low: capsule.start.center - aabb.start.min,
            high: capsule.start.center - aabb.start.max,
            half_axis: capsule.start.half_axis,
            w: capsule.displacement - aabb.displacement,
        };
        let lengths = ErrorLengths {
            reach: capsule.start.radius + margin,
            axis: place.half_axis.abs().sum(),
            motion: place.w.abs().sum(),
        };
        let error = (lengths.reach * lanes.units(WIDENING) + lanes.splat(4.0 * FLOOR))
            + (lengths.axis * lanes.units(AABB_WIDENING_BY_AXIS)
                + lengths.motion * lanes.units(AABB_WIDENING_BY_MOTION));
        lanes.call::<CapsuleBoxSweep>((place, lengths, lengths.reach + error))
    }
}

impl Test<Sweeps, Obb> for Capsule {
    type Load = Separate;
    const IS_LONG: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (capsule, obb): (
            WideMoving<WideCapsule<L::F>, L::F>,
            WideMoving<WideObb<L::F>, L::F>,
        ),
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let v = capsule.displacement - obb.displacement;
        let (capsule, obb) = (capsule.start, obb.start);
        let offset = capsule.center - obb.center;
        let rotated = turn(obb.axes, offset);
        let place = CapsuleSweepInBox {
            low: rotated + obb.half_extents,
            high: rotated - obb.half_extents,
            half_axis: turn(obb.axes, capsule.half_axis),
            w: turn(obb.axes, v),
        };
        let lengths = ErrorLengths {
            reach: capsule.radius + margin,
            axis: capsule.half_axis.abs().sum(),
            motion: v.abs().sum(),
        };
        let error = (lengths.reach * lanes.units(WIDENING) + lanes.splat(4.0 * FLOOR))
            + (offset.abs().sum() * lanes.units(OBB_WIDENING_BY_OFFSET)
                + lengths.axis * lanes.units(OBB_WIDENING_BY_AXIS)
                + lengths.motion * lanes.units(OBB_WIDENING_BY_MOTION));
        lanes.call::<CapsuleBoxSweep>((place, lengths, lengths.reach + error))
    }
}

/// Vector in the frame of these axes.
#[inline(always)]
fn turn<F: crate::lane::Float>(axes: [Vec3<F>; 3], v: Vec3<F>) -> Vec3<F> {
    let [a, b, c] = axes;
    Vec3([v.dot(a), v.dot(b), v.dot(c)])
}
