//! Sphere-box sweep: the time interval in which the center is within reach of the box.
//!
//! In the frame of the box the center is a moving point against [`rounded_box`](crate::narrow::geometry::rounded_box). Its
//! inputs are the offsets of the center from both corners, its reach is R, the radius and the margin. Center and half
//! extents of an AABB are never computed, because they would round in proportion to the distance from the origin. For an OBB
//! the center and its relative displacement are rotated into its frame.
//!
//! Source: as there.
//!
//! Degenerate cases: as there; without relative motion the test is that of the start.
//!
//! # Error bound of AABBs
//!
//! Let `low`, `high` and v be the exact offsets and the exact relative displacement. Each is rounded once. So if the
//! point is outside by o on an axis, |low| or |high| is at most |o| + t |v|, and the floats give o up to u |o| + 2.1 u
//! t |v|. The same holds if they are outside and o is 0, or the reverse. In all u D + 2.1 u |v|, where D is the
//! distance, and 2⁻⁹⁹ for an axis whose motion counts as none. W ≤ |v| (1 + u).
//!
//! The reach is widened by 12 u R, 13 u ‖v‖₁ and 2⁻⁶². R carries 1 rounding, ‖v‖₁ 3, the terms up to 4 more:
//!
//! ```text
//! R (1 + 10 u − 80 u²) + 12.9 u ‖v‖₁ + 2⁻⁶² (1 − 4 u)
//!     ≤ ρ ≤ R (1 + 14 u + 150 u²) + 13.1 u ‖v‖₁ + 2⁻⁶² (1 + 4 u)
//! ```
//!
//! No contact is lost: (1) of `rounded_box` requires R (1 + 9.3 u + 9 u²) + 12.1 u |v| + 2⁻⁶² − 2⁻⁷⁰ + 2⁻⁹⁸, first for
//! the offsets, then for the chord.
//!
//! False hits and claimed times: by (2) the distance is at most R (1 + 23.4 u) + (13.1 + 16 + 2.1) u ‖v‖₁ +
//! 2⁻⁶² (1 + 4 u) + 2⁻⁶⁸, a gap of less than 24 u (r + margin) + 32 u ‖v‖₁ + 2⁻⁶¹.
//!
//! A hit of the overlap kernel is a hit at the start: the same roundings, and its reach is widened by 8 u R and 2⁻⁶²
//! only.
//!
//! Measured at worst, over 1 million near-contact cases: 0.63 of the band.
//!
//! # Error bound of OBBs
//!
//! Let Δ be the exact offset of the centers, v the exact relative displacement, and η = 8.5 u the error of an axis
//! ([`AXIS_ERROR`](crate::shapes::obb::AXIS_ERROR)). As in `sphere_obb_overlap`, Δ and v are rotated with an error of at
//! most √3 (η + γ₄ (1 + η)) < 21.7 u of each, and 2⁻¹⁴⁷. `low` and `high` round once more: if the point is outside by o
//! on an axis, |low| or |high| is at most |o| + t |w|, so o is off by u |o| + u t |w|, which also holds if it is 0 for
//! one of them. The distance from a box is non-expansive: in all D is off by at most u D + 21.7 u |Δ| + 22.8 u |v|, and
//! 2⁻⁹⁹ for axes whose motion counts as none. W ≤ |v| (1 + 22 u).
//!
//! The reach is widened by 12 u R, 25.5 u ‖Δ‖₁, 34 u ‖v‖₁ and 2⁻⁶². R carries 1 rounding, ‖Δ‖₁ and ‖v‖₁ 3, the
//! terms up to 4 more:
//!
//! ```text
//! R (1 + 10 u − 80 u²) + 25.4 u ‖Δ‖₁ + 33.9 u ‖v‖₁ + 2⁻⁶² (1 − 4 u)
//!     ≤ ρ ≤ R (1 + 14 u + 150 u²) + 25.6 u ‖Δ‖₁ + 34.1 u ‖v‖₁ + 2⁻⁶² (1 + 4 u)
//! ```
//!
//! No contact is lost: (1) of `rounded_box` requires R (1 + 9.3 u + 9 u²) + 21.8 u |Δ| + 32.8 u |v| + 2⁻⁶² − 2⁻⁷⁰ +
//! 2⁻⁹⁸, first for the frame, then for the chord.
//!
//! False hits and claimed times: by (2) the distance is at most R (1 + 23.4 u) + (25.6 + 21.7) u ‖Δ‖₁ +
//! (34.1 + 16 + 22.8) u ‖v‖₁ + 2⁻⁶² (1 + 4 u) + 2⁻⁶⁸, a gap of less than
//! 24 u (r + margin) + 48 u ‖Δ‖₁ + 74 u ‖v‖₁ + 2⁻⁶¹.
//!
//! A hit of the overlap kernel is a hit at the start: the same roundings, and its reach is widened by 8 u R, 25.5 u
//! ‖Δ‖₁ and 2⁻⁶² only.
//!
//! Measured at worst, over 1 million near-contact cases: 0.57 of the band.

use crate::driver::source::{Deferred, Separate, Test, TimeRange};
use crate::lane::{Lanes, Vec3};
use crate::math::rounding::FLOOR;
use crate::narrow::geometry::rounded_box::{BoxSlab, crossing};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::form::WideMoving;
use crate::shapes::obb::{AXIS_ERROR, Obb, WideObb};
use crate::shapes::sphere::{Sphere, WideSphere};

/// Widening of the reach, relative to itself.
const WIDENING: f32 = 12.0;
/// Widening of the reach, relative to the displacement.
const AABB_WIDENING_BY_MOTION: f32 = 13.0;
/// Widening of the reach, relative to the offset of the centers: as in `sphere_obb_overlap`.
const OBB_WIDENING_BY_OFFSET: f32 = 1.75 * (AXIS_ERROR + 4.0) + 1.0;
/// Widening of the reach, relative to the displacement.
const OBB_WIDENING_BY_MOTION: f32 = 34.0;

impl Test<Sweeps, Aabb> for Sphere {
    type Load = Separate;
    const IS_LONG: bool = true;
    const STARTS_FINE: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (sphere, aabb): (
            WideMoving<WideSphere<L::F>, L::F>,
            WideMoving<WideAabb<L::F>, L::F>,
        ),
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let v = sphere.displacement - aabb.displacement;
        let (center, Vec3([wx, wy, wz])) = (sphere.start.center, v);
        let [low_x, low_y, low_z] = (center - aabb.start.min).0;
        let [high_x, high_y, high_z] = (center - aabb.start.max).0;
        let axes = [
            BoxSlab::new(lanes, low_x, high_x, wx),
            BoxSlab::new(lanes, low_y, high_y, wy),
            BoxSlab::new(lanes, low_z, high_z, wz),
        ];
        let reach = sphere.start.radius + margin;
        let error = (reach * lanes.units(WIDENING) + lanes.splat(FLOOR))
            + v.abs().sum() * lanes.units(AABB_WIDENING_BY_MOTION);
        crossing(lanes, axes, reach + error)
    }
}

impl Test<Sweeps, Obb> for Sphere {
    type Load = Separate;
    const IS_LONG: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (sphere, obb): (
            WideMoving<WideSphere<L::F>, L::F>,
            WideMoving<WideObb<L::F>, L::F>,
        ),
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let v = sphere.displacement - obb.displacement;
        let offset = sphere.start.center - obb.start.center;
        let ([a, b, c], [hx, hy, hz]) = (obb.start.axes, obb.start.half_extents.0);
        let [px, py, pz] = [offset.dot(a), offset.dot(b), offset.dot(c)];
        let axes = [
            BoxSlab::new(lanes, px + hx, px - hx, v.dot(a)),
            BoxSlab::new(lanes, py + hy, py - hy, v.dot(b)),
            BoxSlab::new(lanes, pz + hz, pz - hz, v.dot(c)),
        ];
        let reach = sphere.start.radius + margin;
        let error = (reach * lanes.units(WIDENING) + lanes.splat(FLOOR))
            + (offset.abs().sum() * lanes.units(OBB_WIDENING_BY_OFFSET)
                + v.abs().sum() * lanes.units(OBB_WIDENING_BY_MOTION));
        crossing(lanes, axes, reach + error)
    }
}
