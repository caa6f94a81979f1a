//! Does a capsule touch a box in any orientation?
//!
//! The center and the half axis are turned into the frame of the box; the capsule touches when its axis is within
//! its radius of the box: [`rounded_box`](super::rounded_box), with the half axis as motion, from −1 to 1.
//!
//! Source: as there.
//!
//! Degenerate cases: an axis of length zero makes a ball, a radius of zero a segment or a point; points, segments
//! and rectangles are boxes.
//!
//! # Error bound
//!
//! Let Δ be the exact offset of the centers, h the half axis, and R the radius and the margin together. As in
//! `sphere_obb_sweep`, Δ and h are turned with an error of at most 21.7 u of each and 2⁻¹⁴⁷, and `low` and `high`
//! round once more: D, the distance, is off by at most u D + 21.7 u |Δ| + 22.8 u |h|, and 2⁻⁹⁹ for axes whose motion
//! counts as none. W ≤ |h| (1 + 22 u).
//!
//! The radius is widened by 8 u R, 25.5 u ‖Δ‖₁, 48 u ‖h‖₁ and 2⁻⁶². R carries 1 rounding, ‖Δ‖₁ 3, ‖h‖₁ 2, the terms
//! up to 4 more:
//!
//! ```text
//! R (1 + 6 u − 40 u²) + 25.4 u ‖Δ‖₁ + 47.9 u ‖h‖₁ + 2⁻⁶² (1 − 4 u)
//!     ≤ ρ ≤ R (1 + 10 u + 40 u²) + 25.6 u ‖Δ‖₁ + 48.1 u ‖h‖₁ + 2⁻⁶² (1 + 4 u)
//! ```
//!
//! No contact is lost: (4) of `rounded_box` asks for R (1 + 4.1 u + 4 u²) + 21.8 u |Δ| + 45.7 u |h| + 2⁻⁶² − 2⁻⁷⁰ + 2⁻⁹⁸.
//!
//! False hits: by (5) the distance is at most R (1 + 14.2 u) + (25.6 + 21.8) u ‖Δ‖₁ + (48.1 + 1.2 + 22.9) u ‖h‖₁ +
//! 2⁻⁶² (1 + 8 u) + 2⁻⁶⁸, a gap of less than 15 u (radius + margin) + 48 u ‖Δ‖₁ + 73 u ‖h‖₁ + 2⁻⁶¹.

use super::load::Separate;
use super::rounded_box::{Axis, distance_sq};
use super::rounding::{U, error_of};
use super::{Contact, Deferred, Test};
use crate::hits::Overlaps;
use crate::lane::{Float, Lanes};
use crate::shapes::{AXIS_ERROR, Capsule, CapsuleLanes, Obb, ObbLanes};

/// Added to the radius, relative to the offset of the centers: as in `sphere_obb_overlap`.
const WIDENING_BY_OFFSET: f32 = (1.75 * (AXIS_ERROR + 4.0) + 1.0) * U;
/// Added to the radius, relative to the half axis.
const WIDENING: f32 = 48.0 * U;

impl Test<Overlaps, Obb> for Capsule {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (capsule, obb): (CapsuleLanes<L::F>, ObbLanes<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = Contact<L::M>> {
        let (offset, half_axis) = (capsule.center - obb.center, capsule.half_axis);
        let ([a, b, c], [hx, hy, hz]) = (obb.axes, obb.half_extents.0);
        let [px, py, pz] = [offset.dot(a), offset.dot(b), offset.dot(c)];
        let axes = [
            Axis::new(lanes, px + hx, px - hx, half_axis.dot(a)),
            Axis::new(lanes, py + hy, py - hy, half_axis.dot(b)),
            Axis::new(lanes, pz + hz, pz - hz, half_axis.dot(c)),
        ];
        let reach = capsule.radius + margin;
        let error = error_of(lanes, reach)
            + (offset.abs().sum() * lanes.splat(WIDENING_BY_OFFSET)
                + half_axis.abs().sum() * lanes.splat(WIDENING));
        let reach = reach + error;
        Contact(distance_sq(lanes, axes).le(reach * reach))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, overlap, overlap_with_margin};
    use phalanx::{Capsule, Obb};

    /// An eighth of a turn about z: an edge points along x, √2 from the center.
    const EIGHTH: [f32; 4] = [0.0, 0.0, 0.382_683_43, 0.923_879_5];

    fn cube(rotation: [f32; 4]) -> Obb {
        Obb {
            center: [10., 0., 0.],
            half_extents: [1.; 3],
            rotation,
        }
    }

    fn post(x: f32, radius: f32) -> Capsule {
        Capsule::between([x, -3., 0.5], [x, 5., 0.5], radius)
    }

    #[test]
    fn the_box_is_turned() {
        for (x, straight, turned) in [
            (6.0, Miss, Miss),
            (6.585, Miss, Miss),
            (6.586, Miss, Hit),
            (6.999, Miss, Hit),
            (7.001, Hit, Hit),
            (13.414, Miss, Hit),
            (13.415, Miss, Miss),
        ] {
            assert_eq!(
                overlap(post(x, 2.), cube([0., 0., 0., 1.])),
                straight,
                "{x}"
            );
            assert_eq!(overlap(post(x, 2.), cube(EIGHTH)), turned, "{x}");
            assert_eq!(overlap(cube(EIGHTH), post(x, 2.)), turned, "{x}");
        }
        assert_eq!(overlap_with_margin(post(6.4, 2.), cube(EIGHTH), 0.2), Hit);
    }

    #[test]
    fn a_capsule_lies_along_a_slanted_face() {
        // The face towards (−1, −1, 0), 1 from the center.
        let beside = |distance: f32| {
            let back = distance * 0.5f32.sqrt();
            Capsule {
                center: [10. - back, -back, 0.],
                half_axis: [3., -3., 0.],
                radius: 0.5,
            }
        };
        assert_eq!(overlap(beside(1.4999), cube(EIGHTH)), Hit);
        assert_eq!(overlap(beside(1.5001), cube(EIGHTH)), Miss);
    }
}
