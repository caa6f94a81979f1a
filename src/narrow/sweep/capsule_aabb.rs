//! Capsule-AABB sweep: the time interval of [`capsule_box`](crate::narrow::geometry::capsule_box) in world axes.
//!
//! Its inputs are the offsets of the center from both corners, the half axis and the relative displacement. Its reach
//! is R, the radius and the margin.
//!
//! Source: as there. Center and half extents of the box are never computed, because they would round in proportion to
//! the distance from the origin.
//!
//! Degenerate cases: as there; without relative motion the test is that of the start.
//!
//! # Error bound
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

use crate::driver::load::Separate;
use crate::driver::source::{Deferred, Test, TimeRange};
use crate::lane::Lanes;
use crate::math::rounding::{FLOOR, U};
use crate::narrow::geometry::capsule_box::{CapsuleBoxSweep, CapsuleSweepInBox, ErrorLengths};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::form::WideMoving;

/// Widening of the reach, relative to itself.
const WIDENING: f32 = 23.0 * U;
/// Widening of the reach, relative to the half axis: more than that of `capsule_aabb_overlap`.
const WIDENING_BY_AXIS: f32 = 26.0 * U;
/// Widening of the reach, relative to the displacement.
const WIDENING_BY_MOTION: f32 = 38.0 * U;

impl Test<Sweeps, Aabb> for Capsule {
    type Load = Separate;

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
        let error = (lengths.reach * lanes.splat(WIDENING) + lanes.splat(4.0 * FLOOR))
            + (lengths.axis * lanes.splat(WIDENING_BY_AXIS)
                + lengths.motion * lanes.splat(WIDENING_BY_MOTION));
        lanes.call::<CapsuleBoxSweep>((place, lengths, lengths.reach + error))
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::{Answer, capsule, sweep};
    use phalanx::{Aabb, Capsule, MAX_LENGTH};

    const AT_REST: (Aabb, [f32; 3]) = (
        Aabb {
            min: [-1.0; 3],
            max: [1.0; 3],
        },
        [0.0; 3],
    );

    /// Sweeps in both orders, and with either end of the capsule first.
    fn both(capsule: (Capsule, [f32; 3]), aabb: (Aabb, [f32; 3])) -> Answer {
        let answer = sweep(capsule, aabb);
        assert_eq!(sweep(aabb, capsule), answer);
        let reversed = Capsule {
            half_axis: capsule.0.half_axis.map(|x| -x),
            ..capsule.0
        };
        assert_eq!(sweep((reversed, capsule.1), aabb), answer);
        answer
    }

    #[test]
    fn moving_capsule_enters_and_exits() {
        let upright = capsule([-6., 0.5, 0.], [0., 2., 0.], 1.);
        assert_eq!(both((upright, [16., 0., 0.]), AT_REST), When(0.25, 0.5));
        let still = (upright, [0.0; 3]);
        assert_eq!(both(still, (AT_REST.0, [-16., 0., 0.])), When(0.25, 0.5));
        // Only its middle touches the box, or is inside at the end.
        let across = |travel| (capsule([-6., 0., 0.], [0., 9., 9.], 1.), [travel, 0., 0.]);
        assert_eq!(both(across(16.), AT_REST), When(0.25, 0.5));
        assert_eq!(both(across(6.), AT_REST), When(4. / 6., 1.));
        assert_eq!(both(across(3.99), AT_REST), Miss);
        // Lengthwise, over a face and beside it.
        let along = |y| (capsule([-12., y, 0.], [2., 0., 0.], 1.), [32., 0., 0.]);
        assert_eq!(both(along(0.), AT_REST), When(0.25, 0.5));
        assert_eq!(both(along(1.6), AT_REST), When(8.2 / 32., 15.8 / 32.));
        assert_eq!(both(along(2.001), AT_REST), Miss);
    }

    #[test]
    fn axis_crossing_an_edge_hits() {
        let times = When(0.4375, 0.6875);
        let diagonal = [0., -16., -16.];
        let meet = |center, half_axis, radius: f32| {
            both((capsule(center, half_axis, radius), diagonal), AT_REST)
        };
        let root = 2f32.sqrt();
        assert_eq!(meet([0., 9., 9.], [0., 2., -2.], root), times);
        assert_eq!(meet([0.3, 10.5, 7.5], [0., 2., -2.], root), times);
        // Oblique; the edge is touched at 0.3.
        assert_eq!(meet([0.3, 9., 9.], [3., 2., -2.], root), times);
        assert_eq!(meet([2.55, 10.5, 7.5], [3., 2., -2.], root), times);
        // Past that edge, perpendicular to both.
        let past = |apart: f32, half_axis| {
            let center = [-8., 1. + apart, 1. + apart];
            both((capsule(center, half_axis, root), [16., 0., 0.]), AT_REST)
        };
        let half_chord = 1. + 0.72f32.sqrt();
        let times_past = When((8. - half_chord) / 16., (8. + half_chord) / 16.);
        assert_eq!(past(0.8, [0., 2., -2.]), times_past);
        assert_eq!(past(1.001, [0., 2., -2.]), Miss);
        assert_eq!(past(1.001, [4., 2., -2.]), Miss);
        let half_chord = 1. + root;
        let times_over = When((8. - half_chord) / 16., (8. + half_chord) / 16.);
        assert_eq!(past(0.999, [0., 2., 2.]), times_over);
    }

    #[test]
    fn axis_passing_a_corner_hits() {
        let times = When(0.4375, 0.6875);
        let root = 3f32.sqrt();
        for (shift, half_axis) in [
            ([0., 0., 0.], [2., -2., 0.]),
            ([1., -1., 0.], [2., -2., 0.]),
            ([0., -1., 1.], [0., -2., 2.]),
            ([0.5, 0.5, -1.], [2., 2., -4.]),
            ([-1., 0.5, 0.5], [4., -2., -2.]),
        ] {
            // From each of the eight sides.
            for mirror in 0..8 {
                let sign = |k: usize| if mirror >> k & 1 == 1 { -1f32 } else { 1. };
                let center = [0, 1, 2].map(|k| sign(k) * (9. + shift[k]));
                let half_axis = [0, 1, 2].map(|k| sign(k) * half_axis[k]);
                let travel = [0, 1, 2].map(|k| sign(k) * -16.);
                let moving = (capsule(center, half_axis, root), travel);
                assert_eq!(both(moving, AT_REST), times, "{moving:?}");
            }
        }
    }

    #[test]
    fn contacts_outside_the_frame_miss() {
        let falling = |z, travel| (capsule([0., 0., z], [3., 4., 0.], 1.), [0., 0., travel]);
        assert_eq!(both(falling(8., -5.9), AT_REST), Miss);
        assert_eq!(both(falling(8., 16.), AT_REST), Miss);
        assert_eq!(both(falling(8., -6.), AT_REST), When(1., 1.));
        assert_eq!(both(falling(0., 4.), AT_REST), When(0., 0.5));
        let motion = [1., 2., 3.];
        let with = (AT_REST.0, motion);
        assert_eq!(both((falling(2., 0.).0, motion), with), When(0., 1.));
        assert_eq!(both((falling(2.001, 0.).0, motion), with), Miss);
        for zero in [0.0, -0.0] {
            let still = |z| (falling(z, 0.).0, [zero; 3]);
            assert_eq!(both(still(2.), AT_REST), When(0., 1.));
            assert_eq!(both(still(0.), AT_REST), When(0., 1.));
            assert_eq!(both(still(-2.001), AT_REST), Miss);
        }
    }

    #[test]
    fn axis_nearly_parallel_to_an_edge_is_accurate() {
        // The axis and the edge cross in the middle and are 4e-3 apart at their ends, with 1 µm of reach.
        let edge = |x, y, z| {
            (
                Aabb::from_center_half_extents([0.0; 3], [x, y, z]),
                [0.0; 3],
            )
        };
        let falling =
            |center, half_axis, travel| (capsule(center, half_axis, 1e-6), [0., 0., travel]);
        for end in [[2., 2e-3, 0.], [2., -2e-3, 0.], [-1., 1e-3, 0.]] {
            let crossing = falling([0., 0., 4.], end, -8.);
            assert_eq!(both(crossing, edge(2., 0., 0.)), When(0.5, 0.5), "{end:?}");
            let above = falling([0., 0., 4.], end, -3.99);
            assert_eq!(both(above, edge(2., 0., 0.)), Miss, "{end:?}");
        }
        // Past an acute corner of the parallelogram that both span.
        let beyond = falling([4.01, 0., 4.], [2., 2e-3, 0.], -8.);
        assert_eq!(both(beyond, edge(2., 0., 0.)), Miss);
        let beyond = falling([4.01, 1., 4.], [2., 2e-3, 0.], -8.);
        assert_eq!(both(beyond, edge(2., 1., 0.)), Miss);
    }

    #[test]
    fn spheres_segments_and_points_are_capsules() {
        let edge = |x, y, z| {
            (
                Aabb::from_center_half_extents([0.0; 3], [x, y, z]),
                [0.0; 3],
            )
        };
        for length in [0.0, 1e-45, 1e-40] {
            let sphere = |y| {
                let shape = capsule([-8., y, 0.], [0., length, -length], 1.);
                (shape, [16., 0., 0.])
            };
            assert_eq!(both(sphere(0.), AT_REST), When(0.375, 0.625), "{length:e}");
            assert_eq!(both(sphere(1.6), AT_REST), When(6.2 / 16., 9.8 / 16.));
            assert_eq!(both(sphere(2.001), AT_REST), Miss, "{length:e}");
            let point = capsule([-1., -2., 0.], [length, 0., 0.], 0.);
            let moving = (point, [2., 4., 0.]);
            for (x, y, z) in [(0., 0., 0.), (0., 0., 5.), (0., 5., 5.)] {
                assert_eq!(both(moving, edge(x, y, z)), When(0.5, 0.5), "{x} {y} {z}");
            }
        }
        let segment = |z| (capsule([0., 0., z], [2., 1., 0.], 0.), [0., 0., -4.]);
        for (x, y) in [(0., 0.), (1., 0.), (0., 3.), (2., 2.)] {
            assert_eq!(both(segment(2.), edge(x, y, 0.)), When(0.5, 0.5), "{x} {y}");
            assert_eq!(both(segment(4.001), edge(x, y, 0.)), Miss, "{x} {y}");
        }
    }

    #[test]
    fn extreme_motion_is_accurate() {
        let slow = [1e-45, 0., -1e-40];
        let above = |z| (capsule([0., 0., z], [0., 2., 1.], 1.), slow);
        assert_eq!(both(above(3.01), AT_REST), Miss);
        assert_eq!(both(above(2.5), AT_REST), When(0., 1.));
        let far = MAX_LENGTH;
        let huge = Aabb {
            min: [-far; 3],
            max: [-0.5 * far, far, far],
        };
        let long = capsule([far, far, far], [0., far, -far], 0.5 * far);
        let travel = [-far, -far, 0.];
        assert_eq!(both((long, travel), (huge, [far, 0., 0.])), When(0.5, 1.));
        assert_eq!(both((long, travel), (huge, travel)), Miss);
        assert_eq!(both((long, [2e18, 0., 0.]), AT_REST), Invalid);
    }
}
