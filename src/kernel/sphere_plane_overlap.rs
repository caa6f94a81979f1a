//! Does a ball touch a plane?
//!
//! It does when normal · p + d is zero somewhere on it, see `extent`.
//!
//! Source: M. Gomez, "Simple Intersection Tests for Games", Gamasutra, 18 October 1999,
//! the test at the start of listing 1. Departures: from either side; touching counts; the normal may have any length;
//! either may move; the range is widened so that rounding loses no contact.
//!
//! Degenerate cases: a radius of zero is a point.
//!
//! # Error bound
//!
//! The bound of the extent holds. False hits have a gap of at most 16 u (Σ |nᵢ pᵢ| + |d| + reach) + 2⁻⁶⁰,
//! where n is the normal made a unit vector.
//!
//! Measured at worst, over 10 million near-contact cases: 0.61 of that.

use super::load::Separate;
use super::{Contact, Deferred, Test, extent};
use crate::hits::Overlaps;
use crate::lane::Lanes;
use crate::shapes::{Plane, PlaneLanes, Sphere, SphereLanes};

impl Test<Overlaps, Plane> for Sphere {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): (SphereLanes<L::F>, PlaneLanes<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = Contact<L::M>> {
        extent::touches_plane(lanes, extent::of_sphere(lanes, shape, plane, margin))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, overlap, overlap_with_margin};
    use phalanx::{Plane, Sphere};

    fn ball(z: f32, radius: f32) -> Sphere {
        Sphere {
            center: [7., -3., z],
            radius,
        }
    }

    #[test]
    fn a_ball_touches_from_either_side() {
        // z = 2, with a normal of any length.
        for plane in [
            [0., 0., 1., -2.],
            [0., 0., -1e-30, 2e-30],
            [0., 0., 1e30, -2e30],
        ] {
            let plane = Plane {
                normal: [plane[0], plane[1], plane[2]],
                d: plane[3],
            };
            for (z, answer) in [
                (3.0, Hit),
                (1.0, Hit),
                (2.0, Hit),
                (3.001, Miss),
                (0.999, Miss),
            ] {
                assert_eq!(overlap(ball(z, 1.0), plane), answer, "{z}");
                assert_eq!(overlap(plane, ball(z, 1.0)), answer, "{z}");
            }
            assert_eq!(overlap_with_margin(ball(4.0, 1.0), plane, 1.0), Hit);
            assert_eq!(overlap_with_margin(ball(4.0, 1.0), plane, 0.999), Miss);
        }
    }

    #[test]
    fn bad_planes_are_flagged() {
        for bad in [
            Plane {
                normal: [0.0; 3],
                d: 0.0,
            },
            Plane {
                normal: [f32::NAN, 0., 1.],
                d: 0.0,
            },
            Plane {
                normal: [0., 0., 1.],
                d: f32::INFINITY,
            },
        ] {
            assert_eq!(overlap(ball(0.0, 1.0), bad), Invalid);
        }
    }
}
