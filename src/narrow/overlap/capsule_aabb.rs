//! Capsule-AABB overlap: the distance of the capsule's axis from the box against the radius.
//!
//! The distance is that of [`rounded_box`](crate::narrow::geometry::rounded_box), from the offsets of the center from both corners, with
//! the half axis as displacement from −1 to 1.
//!
//! Source: as there. Center and half extents of the box are never computed, because they would round in proportion to
//! the distance from the origin.
//!
//! Degenerate cases: an axis of length zero makes a sphere, a radius of zero a segment or a point. Boxes may be points,
//! segments and rectangles.
//!
//! # Error bound
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

use crate::driver::load::Separate;
use crate::driver::source::{Deferred, HitMask, Test};
use crate::lane::{Float, Lanes};
use crate::math::rounding::{U, error_of};
use crate::narrow::geometry::rounded_box::{BoxSlab, distance_sq};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::capsule::{Capsule, WideCapsule};

/// Widening of the radius, relative to the half axis.
const WIDENING: f32 = 25.0 * U;

impl Test<Overlaps, Aabb> for Capsule {
    type Load = Separate;

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
        let error = error_of(lanes, reach) + capsule.half_axis.abs().sum() * lanes.splat(WIDENING);
        let reach = reach + error;
        HitMask(distance_sq(lanes, axes).le(reach * reach))
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::{capsule, overlap, overlap_with_margin};
    use phalanx::{Aabb, Capsule, MAX_LENGTH};

    const CUBE: Aabb = Aabb {
        min: [-1.0; 3],
        max: [1.0; 3],
    };

    fn touches(capsule: Capsule, aabb: Aabb) -> bool {
        let answer = overlap(capsule, aabb);
        assert_eq!(overlap(aabb, capsule), answer);
        let reversed = Capsule {
            half_axis: capsule.half_axis.map(|x| -x),
            ..capsule
        };
        assert_eq!(overlap(reversed, aabb), answer);
        matches!(answer, Hit)
    }

    #[test]
    fn nearest_point_inside_the_axis() {
        // Past an edge, 3 and 4 away from it; past a corner, 2, 2 and 1 away, perpendicular to that.
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
    fn nearest_point_at_an_end() {
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
    fn segment_through_a_box_hits() {
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
    fn extreme_lengths_are_exact() {
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
        // The middle is nearest to an edge, √½ from it.
        let across = |radius| capsule([0., 0., -0.75 * far], [far, -far, 0.], radius * far);
        assert!(touches(across(0.708), corner));
        assert!(!touches(across(0.707), corner));
        assert!(touches(capsule([far; 3], [-far; 3], far), corner));
        assert!(!touches(capsule([far; 3], [-far, -far, far], far), corner));
    }
}
