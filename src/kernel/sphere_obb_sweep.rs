//! When do a moving ball and a moving box in any orientation touch?
//!
//! The center is turned into the frame of the box, its motion relative to the box as well; it touches the box
//! grown all round by R, the radius and the margin: [`rounded_box`](super::rounded_box).
//!
//! Source: as there.
//!
//! Degenerate cases: as there; without relative motion the test is that of the start.
//!
//! # Error bound
//!
//! Let Δ be the exact offset of the centers, v the exact relative displacement, and η = 8.5 u the error of an
//! axis ([`AXIS_ERROR`](crate::shapes::AXIS_ERROR)). As in `sphere_obb_overlap`, Δ and v are turned with an
//! error of at most √3 (η + γ₄ (1 + η)) < 21.7 u of each, and 2⁻¹⁴⁷. `low` and `high` round once more: if the
//! point is outside by o on an axis, |low| or |high| is at most |o| + t |w|, so o is off by u |o| + u t |w|,
//! which also holds if it is 0 for one of them. A box stretches no distance: in all D is off by at most u D +
//! 21.7 u |Δ| + 22.8 u |v|, and 2⁻⁹⁹ for axes whose motion counts as none. W ≤ |v| (1 + 22 u).
//!
//! The reach is widened by 12 u R, 25.5 u ‖Δ‖₁, 34 u ‖v‖₁ and 2⁻⁶². R carries 1 rounding, ‖Δ‖₁ and ‖v‖₁ 3, the
//! terms up to 4 more:
//!
//! ```text
//! R (1 + 10 u − 80 u²) + 25.4 u ‖Δ‖₁ + 33.9 u ‖v‖₁ + 2⁻⁶² (1 − 4 u)
//!     ≤ ρ ≤ R (1 + 14 u + 150 u²) + 25.6 u ‖Δ‖₁ + 34.1 u ‖v‖₁ + 2⁻⁶² (1 + 4 u)
//! ```
//!
//! No contact is lost: (1) of `rounded_box` asks for R (1 + 9.3 u + 9 u²) + 21.8 u |Δ| + 32.8 u |v| + 2⁻⁶² −
//! 2⁻⁷⁰ + 2⁻⁹⁸, first for the frame, then for the chord.
//!
//! False hits and claimed times: by (2) the distance is at most R (1 + 23.4 u) + (25.6 + 21.7) u ‖Δ‖₁ +
//! (34.1 + 16 + 22.8) u ‖v‖₁ + 2⁻⁶² (1 + 4 u) + 2⁻⁶⁸, a gap of less than
//! 24 u (r + margin) + 48 u ‖Δ‖₁ + 74 u ‖v‖₁ + 2⁻⁶¹.
//!
//! An overlap's hit is one at the start: the same roundings, and a reach that is widened by 8 u R, 25.5 u ‖Δ‖₁
//! and 2⁻⁶² there.
//!
//! Measured at worst, over 1 million near-contact cases: 0.57 of the band.

use super::load::Separate;
use super::rounded_box::{Axis, crossing};
use super::rounding::{FLOOR, U};
use super::{Deferred, SweptContact, Test};
use crate::hits::Sweeps;
use crate::lane::Lanes;
use crate::shapes::{AXIS_ERROR, MovingLanes, Obb, ObbLanes, Sphere, SphereLanes};

/// Added to the reach, relative to itself.
const WIDENING: f32 = 12.0 * U;
/// Added to the reach, relative to the offset of the centers: as in `sphere_obb_overlap`.
const WIDENING_BY_OFFSET: f32 = (1.75 * (AXIS_ERROR + 4.0) + 1.0) * U;
/// Added to the reach, relative to the motion.
const WIDENING_BY_MOTION: f32 = 34.0 * U;

impl Test<Sweeps, Obb> for Sphere {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (sphere, obb): (
            MovingLanes<SphereLanes<L::F>, L::F>,
            MovingLanes<ObbLanes<L::F>, L::F>,
        ),
        margin: L::F,
    ) -> impl Deferred<L, Answer = SweptContact<L>> {
        let v = sphere.displacement - obb.displacement;
        let offset = sphere.start.center - obb.start.center;
        let ([a, b, c], [hx, hy, hz]) = (obb.start.axes, obb.start.half_extents.0);
        let [px, py, pz] = [offset.dot(a), offset.dot(b), offset.dot(c)];
        let axes = [
            Axis::new(lanes, px + hx, px - hx, v.dot(a)),
            Axis::new(lanes, py + hy, py - hy, v.dot(b)),
            Axis::new(lanes, pz + hz, pz - hz, v.dot(c)),
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
    use crate::kernel::testing::{Answer::*, sweep};
    use phalanx::{MAX_LENGTH, Obb, Sphere};

    /// An eighth of a turn about z: an edge points along x, √2 from the center.
    const EIGHTH: [f32; 4] = [0.0, 0.0, 0.382_683_43, 0.923_879_5];

    fn cube(rotation: [f32; 4]) -> (Obb, [f32; 3]) {
        let shape = Obb {
            center: [10., 0., 0.],
            half_extents: [1.; 3],
            rotation,
        };
        (shape, [0.0; 3])
    }

    fn ball(x: f32, y: f32, z: f32, radius: f32) -> Sphere {
        Sphere {
            center: [x, y, z],
            radius,
        }
    }

    #[test]
    fn the_box_is_turned() {
        let corner = 2f32.sqrt();
        let moving = (ball(0., 0., 0.5, 2.), [20., 0., 0.]);
        let times = When((8. - corner) / 20., (12. + corner) / 20.);
        assert_eq!(sweep(moving, cube(EIGHTH)), times);
        assert_eq!(sweep(cube(EIGHTH), moving), times);
        assert_eq!(sweep(moving, cube([0., 0., 0., 1.])), When(0.35, 0.65));
        // Past the edge at right angles to it, over the faces beside.
        let past = |y: f32| (ball(6., y, 0., 2.), [8., 0., 0.]);
        assert_eq!(sweep(past(3.42), cube(EIGHTH)), Miss);
        let half = (4f32 - (3. - corner) * (3. - corner)).sqrt() / 8.;
        assert_eq!(sweep(past(3.), cube(EIGHTH)), When(0.5 - half, 0.5 + half));
    }

    #[test]
    fn a_ball_meets_a_slanted_face() {
        // Along x, 0.5 above the middle: the face is passed where x − 10 = 0.5 − √2 − r √2.
        let moving = (ball(0., 0.5, 0., 0.5), [20., 0., 0.]);
        let from = 10.5 - 1.5 * 2f32.sqrt();
        assert_eq!(
            sweep(moving, cube(EIGHTH)),
            When(from / 20., (20. - from) / 20.)
        );
    }

    #[test]
    fn only_times_of_the_frame_count() {
        let moving = |x: f32, to: f32| (ball(x, 0., 0., 1.), [to - x, 0., 0.]);
        let straight = cube([0., 0., 0., 1.]);
        assert_eq!(sweep(moving(0., 7.9), straight), Miss);
        assert_eq!(sweep(moving(13., 20.), straight), Miss);
        assert_eq!(sweep(moving(4., 8.), straight), When(1., 1.));
        assert_eq!(sweep(moving(10., 14.), straight), When(0., 0.5));
        let motion = [3., -4., 5.];
        let beside = |x| (ball(x, 0., 0., 1.), motion);
        assert_eq!(sweep(beside(8.), (straight.0, motion)), When(0., 1.));
        assert_eq!(sweep(beside(7.9), (straight.0, motion)), Miss);
    }

    #[test]
    fn no_motion_has_no_sign() {
        let straight = cube([0., 0., 0., 1.]);
        for zero in [0.0, -0.0] {
            for (x, y) in [(11., 0.), (9., 1.), (10., -1.), (10., 0.)] {
                let along = (ball(x, y, -3., 0.), [zero, -zero, 4.]);
                assert_eq!(sweep(along, straight), When(0.5, 1.), "{x} {y}");
                assert_eq!(sweep((along.0, [zero; 3]), straight), Miss, "{x} {y}");
                let inside = (ball(x, y, 0., 0.), [zero; 3]);
                assert_eq!(sweep(inside, straight), When(0., 1.), "{x} {y}");
            }
        }
    }

    #[test]
    fn slow_and_huge_motion() {
        let slow = [1e-45, 0., -1e-40];
        assert_eq!(sweep((ball(8., 0., 0., 0.5), slow), cube(EIGHTH)), Miss);
        assert_eq!(
            sweep((ball(8., 0., 0., 1.), slow), cube(EIGHTH)),
            When(0., 1.)
        );
        let far = MAX_LENGTH;
        let huge = Obb {
            center: [-far; 3],
            half_extents: [0.25 * far, far, far],
            ..Obb::default()
        };
        let ball = ball(far, -far, -far, 0.25 * far);
        assert_eq!(
            sweep((ball, [-far, far, far]), (huge, [far, far, far])),
            When(0.75, 1.)
        );
        assert_eq!(
            sweep((ball, [-far, far, 0.]), (huge, [-far, 0., far])),
            Miss
        );
        assert_eq!(sweep((ball, [f32::NAN, 0., 0.]), cube(EIGHTH)), Invalid);
    }
}
