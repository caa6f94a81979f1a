//! Does a capsule touch a box along the axes?
//!
//! It does when its axis is within its radius of the box: [`rounded_box`](super::rounded_box), of the offsets of the
//! center from both corners, and with the half axis as motion, from −1 to 1.
//!
//! Source: as there. Center and half extents of the box are never formed, as they would round in proportion to
//! the place in the world.
//!
//! Degenerate cases: an axis of length zero makes a ball, a radius of zero a segment or a point; points, segments
//! and rectangles are boxes.
//!
//! # Error bound
//!
//! Let `low` and `high` be the exact offsets, h the half axis, R the radius and the margin together. Each offset is
//! rounded once: if the center is outside by o on an axis at t, |low| or |high| is at most |o| + |t h|, and the
//! floats give o but for u |o| + u |h|; if they say outside and o is 0, or the other way round, the same holds.
//! In all u D + u |h|, D being the distance, and 2⁻⁹⁹ for an axis whose motion counts as none.
//!
//! The radius is widened by 8 u R, 25 u ‖h‖₁ and 2⁻⁶². R carries 1 rounding, ‖h‖₁ 2, the terms up to 3 more:
//!
//! ```text
//! R (1 + 6 u − 40 u²) + 24.9 u ‖h‖₁ + 2⁻⁶² (1 − 4 u) ≤ ρ ≤ R (1 + 10 u + 40 u²) + 25.1 u ‖h‖₁ + 2⁻⁶² (1 + 4 u)
//! ```
//!
//! No contact is lost: (4) of `rounded_box` asks for R (1 + 4.1 u + 4 u²) + 23.9 u |h| + 2⁻⁶² − 2⁻⁷⁰ + 2⁻⁹⁸.
//!
//! False hits: by (5) the distance is at most R (1 + 14.2 u) + (25.1 + 2.2) u ‖h‖₁ + 2⁻⁶² (1 + 8 u) + 2⁻⁶⁸, a gap of
//! less than 15 u (radius + margin) + 28 u ‖h‖₁ + 2⁻⁶¹.

use super::load::Separate;
use super::rounded_box::{Axis, distance_sq};
use super::rounding::{U, error_of};
use super::{Contact, Deferred, Test};
use crate::hits::Overlaps;
use crate::lane::{Float, Lanes};
use crate::shapes::{Aabb, AabbLanes, Capsule, CapsuleLanes};

/// Added to the radius, relative to the half axis.
const WIDENING: f32 = 25.0 * U;

impl Test<Overlaps, Aabb> for Capsule {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (capsule, aabb): (CapsuleLanes<L::F>, AabbLanes<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = Contact<L::M>> {
        let [low_x, low_y, low_z] = (capsule.center - aabb.min).0;
        let [high_x, high_y, high_z] = (capsule.center - aabb.max).0;
        let [wx, wy, wz] = capsule.half_axis.0;
        let axes = [
            Axis::new(lanes, low_x, high_x, wx),
            Axis::new(lanes, low_y, high_y, wy),
            Axis::new(lanes, low_z, high_z, wz),
        ];
        let reach = capsule.radius + margin;
        let error = error_of(lanes, reach) + capsule.half_axis.abs().sum() * lanes.splat(WIDENING);
        let reach = reach + error;
        Contact(distance_sq(lanes, axes).le(reach * reach))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, overlap, overlap_with_margin};
    use phalanx::{Aabb, Capsule, MAX_LENGTH};

    const CUBE: Aabb = Aabb {
        min: [-1.0; 3],
        max: [1.0; 3],
    };

    fn capsule(center: [f32; 3], half_axis: [f32; 3], radius: f32) -> Capsule {
        Capsule {
            center,
            half_axis,
            radius,
        }
    }

    fn touches(capsule: Capsule, aabb: Aabb) -> bool {
        let answer = overlap(capsule, aabb);
        assert_eq!(overlap(aabb, capsule), answer);
        let turned_round = Capsule {
            half_axis: capsule.half_axis.map(|x| -x),
            ..capsule
        };
        assert_eq!(overlap(turned_round, aabb), answer);
        matches!(answer, Hit)
    }

    #[test]
    fn the_middle_is_nearest() {
        // Past an edge, 3 and 4 away from it, and past a corner, 2, 2 and 1 away: at right angles to that.
        for (radius, hit) in [(5.001, true), (4.999, false)] {
            assert_eq!(
                touches(capsule([4., 5., 0.5], [8., -6., 0.], radius), CUBE),
                hit
            );
            assert_eq!(
                touches(capsule([4., 5., 0.5], [80., -60., 99.], radius), CUBE),
                hit
            );
        }
        for (radius, hit) in [(3.001, true), (2.999, false)] {
            assert_eq!(
                touches(capsule([3., -3., 2.], [4., 4., 0.], radius), CUBE),
                hit
            );
            assert_eq!(
                touches(capsule([3., -3., 2.], [-2., 0., 4.], radius), CUBE),
                hit
            );
        }
    }

    #[test]
    fn an_end_is_nearest() {
        // To a face, an edge, and a corner.
        for (radius, hit) in [(2.001, true), (1.999, false)] {
            assert_eq!(
                touches(capsule([0.5, 5., 0.], [0., 2., 0.], radius), CUBE),
                hit
            );
            assert_eq!(
                touches(capsule([1.5, 5., 0.], [1., 2., 0.], radius), CUBE),
                hit
            );
        }
        for (radius, hit) in [(5.001, true), (4.999, false)] {
            assert_eq!(
                touches(capsule([7., 0., 8.], [3., 0.5, 3.], radius), CUBE),
                hit
            );
        }
        for (radius, hit) in [(3.001, true), (2.999, false)] {
            assert_eq!(
                touches(capsule([-3., -4., -5.], [1., 1., 2.], radius), CUBE),
                hit
            );
        }
        let near = capsule([0., 5., 0.], [0., 2., 0.], 1.5);
        assert_eq!(overlap_with_margin(near, CUBE, 0.501), Hit);
        assert_eq!(overlap_with_margin(near, CUBE, 0.499), Miss);
    }

    #[test]
    fn a_segment_pierces_a_box() {
        assert!(touches(capsule([0.; 3], [9., 8., 7.], 0.), CUBE));
        assert!(touches(capsule([5., 5., 5.], [-6., -6., -6.], 0.), CUBE));
        assert!(touches(capsule([0.5, 0., 9.], [0., 0., -8.], 0.), CUBE));
        assert!(!touches(capsule([0.5, 0., 9.], [0., 0., -7.999], 0.), CUBE));
        // Along a face, and from edge to edge across a corner that it misses.
        for zero in [0.0, -0.0] {
            assert!(touches(capsule([1., 0., 3.], [zero, zero, 2.], 0.), CUBE));
            assert!(!touches(
                capsule([1.001, 0., 3.], [zero, zero, 9.], 0.),
                CUBE
            ));
            assert!(!touches(capsule([1., 0., 3.], [zero; 3], 1.999), CUBE));
            assert!(touches(capsule([1., 1., 3.], [-zero; 3], 2.), CUBE));
        }
        assert!(touches(capsule([1., 1., 0.], [3., -3., 0.], 0.), CUBE));
        assert!(!touches(capsule([1.001, 1., 0.], [3., -3., 0.], 0.), CUBE));
    }

    #[test]
    fn the_shortest_and_the_longest() {
        for short in [1e-45, 1e-38, 1e-25] {
            let axis = [short, 0., -short];
            assert!(touches(capsule([2., 0., 0.], axis, 1.), CUBE), "{short:e}");
            assert!(
                !touches(capsule([2., 0., 0.], axis, 0.999), CUBE),
                "{short:e}"
            );
        }
        let far = MAX_LENGTH;
        let corner = Aabb {
            min: [-far; 3],
            max: [-0.5 * far; 3],
        };
        // The ends are beside the box, the middle is not.
        let across = |y: f32| capsule([-far, far, 0.], [far, -far, 0.], y * far);
        assert!(touches(across(1.01), corner));
        assert!(!touches(across(0.99), corner));
        assert!(touches(capsule([far; 3], [-far; 3], far), corner));
        assert!(!touches(capsule([far; 3], [-far, -far, far], far), corner));
    }
}
