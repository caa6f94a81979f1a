//! Capsule-box overlap: the distance of the capsule's axis from the box against the radius.
//!
//! The distance is that of [`rounded_box`](crate::narrow::geometry::rounded_box), with the half axis as displacement from −1
//! to 1. For an AABB it takes the offsets of the center from both corners. Center and half extents of the box are never
//! computed, because they would round in proportion to the distance from the origin. For an OBB the center and the half axis
//! are rotated into the frame of the box.
//!
//! Source: as there.
//!
//! Degenerate cases: an axis of length zero makes a sphere, a radius of zero a segment or a point. Boxes may be points,
//! segments and rectangles.
//!
//! # Error bound of AABBs
//!
//! Let `low` and `high` be the exact offsets, h the half axis, R the radius and the margin together. Each offset is
//! rounded once. If the center is outside by o on an axis at t, |low| or |high| is at most |o| + |t h|, and the floats
//! give o up to u |o| + u |h|. The same holds if they are outside and o is 0, or the reverse. In all u D + u |h|, where
//! D is the distance, and 2⁻⁹⁹ for an axis whose motion counts as none.
//!
//! The radius is widened by 8 u R, 25 u ‖h‖₁ and 2⁻⁶². R carries 1 rounding, ‖h‖₁ 2, the terms up to 3 more:
//!
//! ```text
//! R (1 + 6 u − 40 u²) + 24.9 u ‖h‖₁ + 2⁻⁶² (1 − 4 u) ≤ ρ ≤ R (1 + 10 u + 40 u²) + 25.1 u ‖h‖₁ + 2⁻⁶² (1 + 4 u)
//! ```
//!
//! No contact is lost: (4) of `rounded_box` requires R (1 + 4.1 u + 4 u²) + 23.9 u |h| + 2⁻⁶² − 2⁻⁷⁰ + 2⁻⁹⁸.
//!
//! False hits: by (5) the distance is at most R (1 + 14.2 u) + (25.1 + 2.2) u ‖h‖₁ + 2⁻⁶² (1 + 8 u) +
//! 2⁻⁶⁸, a gap of less than 15 u (radius + margin) + 28 u ‖h‖₁ + 2⁻⁶¹.
//!
//! Measured at worst, over 2 million near-contact cases: 0.93 of that.
//!
//! # Error bound of OBBs
//!
//! Let Δ be the exact offset of the centers, h the half axis, and R the radius and the margin together. As in
//! `sphere_obb_sweep`, Δ and h are rotated with an error of at most 21.7 u of each and 2⁻¹⁴⁷, and `low` and `high`
//! round once more. So D, the distance, is off by at most u D + 21.7 u |Δ| + 22.8 u |h|, and 2⁻⁹⁹ for axes whose motion
//! counts as none. W ≤ |h| (1 + 22 u).
//!
//! The radius is widened by 8 u R, 25.5 u ‖Δ‖₁, 48 u ‖h‖₁ and 2⁻⁶². R carries 1 rounding, ‖Δ‖₁ 3, ‖h‖₁ 2, the
//! terms up to 4 more:
//!
//! ```text
//! R (1 + 6 u − 40 u²) + 25.4 u ‖Δ‖₁ + 47.9 u ‖h‖₁ + 2⁻⁶² (1 − 4 u)
//!     ≤ ρ ≤ R (1 + 10 u + 40 u²) + 25.6 u ‖Δ‖₁ + 48.1 u ‖h‖₁ + 2⁻⁶² (1 + 4 u)
//! ```
//!
//! No contact is lost: (4) of `rounded_box` requires R (1 + 4.1 u + 4 u²) + 21.8 u |Δ| + 45.7 u |h| + 2⁻⁶² − 2⁻⁷⁰ +
//! 2⁻⁹⁸.
//!
//! False hits: by (5) the distance is at most R (1 + 14.2 u) + (25.6 + 21.8) u ‖Δ‖₁ + (48.1 + 1.2 +
//! 22.9) u ‖h‖₁ + 2⁻⁶² (1 + 8 u) + 2⁻⁶⁸, a gap of less than 15 u (radius + margin) + 48 u ‖Δ‖₁ + 73 u
//! ‖h‖₁ + 2⁻⁶¹.
//!
//! Measured at worst, over 2 million near-contact cases: 0.66 of that.

use crate::driver::source::{Deferred, HitMask, Separate, Test};
use crate::lane::{Float, Lanes};
use crate::math::rounding::error_of;
use crate::narrow::geometry::rounded_box::{BoxSlab, distance_sq};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::obb::{AXIS_ERROR, Obb, WideObb};

/// Widening of the radius, relative to the half axis.
const AABB_WIDENING: f32 = 25.0;
/// Widening of the radius, relative to the offset of the centers: as in `sphere_obb_overlap`.
const OBB_WIDENING_BY_OFFSET: f32 = 1.75 * (AXIS_ERROR + 4.0) + 1.0;
/// Widening of the radius, relative to the half axis.
const OBB_WIDENING: f32 = 48.0;

impl Test<Overlaps, Aabb> for Capsule {
    type Load = Separate;
    const IS_FINE: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (capsule, aabb): (WideCapsule<L::F>, WideAabb<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let [low_x, low_y, low_z] = (capsule.center - aabb.min).0;
        let [high_x, high_y, high_z] = (capsule.center - aabb.max).0;
        let [wx, wy, wz] = capsule.half_axis.0;
        let axes = [
            BoxSlab::new(lanes, low_x, high_x, wx),
            BoxSlab::new(lanes, low_y, high_y, wy),
            BoxSlab::new(lanes, low_z, high_z, wz),
        ];
        let reach = capsule.radius + margin;
        let error =
            error_of(lanes, reach) + capsule.half_axis.abs().sum() * lanes.units(AABB_WIDENING);
        let reach = reach + error;
        HitMask(distance_sq(lanes, axes).le(reach * reach))
    }
}

impl Test<Overlaps, Obb> for Capsule {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (capsule, obb): (WideCapsule<L::F>, WideObb<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let (offset, half_axis) = (capsule.center - obb.center, capsule.half_axis);
        let ([a, b, c], [hx, hy, hz]) = (obb.axes, obb.half_extents.0);
        let [px, py, pz] = [offset.dot(a), offset.dot(b), offset.dot(c)];
        let axes = [
            BoxSlab::new(lanes, px + hx, px - hx, half_axis.dot(a)),
            BoxSlab::new(lanes, py + hy, py - hy, half_axis.dot(b)),
            BoxSlab::new(lanes, pz + hz, pz - hz, half_axis.dot(c)),
        ];
        let reach = capsule.radius + margin;
        let error = error_of(lanes, reach)
            + (offset.abs().sum() * lanes.units(OBB_WIDENING_BY_OFFSET)
                + half_axis.abs().sum() * lanes.units(OBB_WIDENING));
        let reach = reach + error;
        HitMask(distance_sq(lanes, axes).le(reach * reach))
    }
}
