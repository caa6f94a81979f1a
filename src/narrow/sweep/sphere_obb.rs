//! Sphere-OBB sweep: the time interval in which the center is within reach of the box.
//!
//! The center and its relative displacement are rotated into the frame of the box. There the center is a moving point
//! against [`rounded_box`](crate::narrow::geometry::rounded_box). The reach is R, the radius and the margin.
//!
//! Source: as there.
//!
//! Degenerate cases: as there; without relative motion the test is that of the start.
//!
//! # Error bound
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

use crate::driver::load::Separate;
use crate::driver::source::{Deferred, Test, TimeRange};
use crate::lane::Lanes;
use crate::math::rounding::{FLOOR, U};
use crate::narrow::geometry::rounded_box::{BoxSlab, crossing};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::form::WideMoving;
use crate::shapes::obb::{AXIS_ERROR, Obb, WideObb};
use crate::shapes::sphere::{Sphere, WideSphere};

/// Widening of the reach, relative to itself.
const WIDENING: f32 = 12.0 * U;
/// Widening of the reach, relative to the offset of the centers: as in `sphere_obb_overlap`.
const WIDENING_BY_OFFSET: f32 = (1.75 * (AXIS_ERROR + 4.0) + 1.0) * U;
/// Widening of the reach, relative to the displacement.
const WIDENING_BY_MOTION: f32 = 34.0 * U;

impl Test<Sweeps, Obb> for Sphere {
    type Load = Separate;

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
        let error = (reach * lanes.splat(WIDENING) + lanes.splat(FLOOR))
            + (offset.abs().sum() * lanes.splat(WIDENING_BY_OFFSET)
                + v.abs().sum() * lanes.splat(WIDENING_BY_MOTION));
        crossing(lanes, axes, reach + error)
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::{EIGHTH, REST, cube, sphere, sweep};
    use phalanx::{MAX_LENGTH, Obb, Sphere};

    fn target(rotation: [f32; 4]) -> (Obb, [f32; 3]) {
        (cube([10., 0., 0.], rotation), REST)
    }

    #[test]
    fn box_is_rotated() {
        let corner = 2f32.sqrt();
        let moving = (sphere(0., 0., 0.5, 2.), [20., 0., 0.]);
        let times = When((8. - corner) / 20., (12. + corner) / 20.);
        assert_eq!(sweep(moving, target(EIGHTH)), times);
        assert_eq!(sweep(target(EIGHTH), moving), times);
        assert_eq!(sweep(moving, target([0., 0., 0., 1.])), When(0.35, 0.65));
        // Past the edge perpendicular to it, above the adjacent faces.
        let past = |y: f32| (sphere(6., y, 0., 2.), [8., 0., 0.]);
        assert_eq!(sweep(past(3.42), target(EIGHTH)), Miss);
        let half = (4f32 - (3. - corner) * (3. - corner)).sqrt() / 8.;
        assert_eq!(
            sweep(past(3.), target(EIGHTH)),
            When(0.5 - half, 0.5 + half)
        );
    }

    #[test]
    fn sphere_meets_a_rotated_face() {
        // Along x, 0.5 above the middle: the face is passed where x − 10 = 0.5 − √2 − r √2.
        let moving = (sphere(0., 0.5, 0., 0.5), [20., 0., 0.]);
        let from = 10.5 - 1.5 * 2f32.sqrt();
        assert_eq!(
            sweep(moving, target(EIGHTH)),
            When(from / 20., (20. - from) / 20.)
        );
    }

    #[test]
    fn contacts_outside_the_frame_miss() {
        let moving = |x: f32, to: f32| (sphere(x, 0., 0., 1.), [to - x, 0., 0.]);
        let straight = target([0., 0., 0., 1.]);
        assert_eq!(sweep(moving(0., 7.9), straight), Miss);
        assert_eq!(sweep(moving(13., 20.), straight), Miss);
        assert_eq!(sweep(moving(4., 8.), straight), When(1., 1.));
        assert_eq!(sweep(moving(10., 14.), straight), When(0., 0.5));
        let motion = [3., -4., 5.];
        let beside = |x| (sphere(x, 0., 0., 1.), motion);
        assert_eq!(sweep(beside(8.), (straight.0, motion)), When(0., 1.));
        assert_eq!(sweep(beside(7.9), (straight.0, motion)), Miss);
    }

    #[test]
    fn zero_motion_of_either_sign_agrees() {
        let straight = target([0., 0., 0., 1.]);
        for zero in [0.0, -0.0] {
            for (x, y) in [(11., 0.), (9., 1.), (10., -1.), (10., 0.)] {
                let along = (sphere(x, y, -3., 0.), [zero, -zero, 4.]);
                assert_eq!(sweep(along, straight), When(0.5, 1.), "{x} {y}");
                assert_eq!(sweep((along.0, [zero; 3]), straight), Miss, "{x} {y}");
                let inside = (sphere(x, y, 0., 0.), [zero; 3]);
                assert_eq!(sweep(inside, straight), When(0., 1.), "{x} {y}");
            }
        }
    }

    #[test]
    fn extreme_motion_is_accurate() {
        let slow = [1e-45, 0., -1e-40];
        assert_eq!(sweep((sphere(8., 0., 0., 0.5), slow), target(EIGHTH)), Miss);
        assert_eq!(
            sweep((sphere(8., 0., 0., 1.), slow), target(EIGHTH)),
            When(0., 1.)
        );
        let far = MAX_LENGTH;
        let huge = Obb {
            center: [-far; 3],
            half_extents: [0.25 * far, far, far],
            ..Obb::default()
        };
        let sphere = sphere(far, -far, -far, 0.25 * far);
        assert_eq!(
            sweep((sphere, [-far, far, far]), (huge, [far, far, far])),
            When(0.75, 1.)
        );
        assert_eq!(
            sweep((sphere, [-far, far, 0.]), (huge, [-far, 0., far])),
            Miss
        );
        assert_eq!(sweep((sphere, [f32::NAN, 0., 0.]), target(EIGHTH)), Invalid);
    }
}
