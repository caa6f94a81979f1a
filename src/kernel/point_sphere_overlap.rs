//! Is a point in a ball?
//!
//! It is when the squared distance from the center is at most the square of the radius: a ball of radius
//! zero, whose test this is (`sphere_sphere_overlap`).
//!
//! Degenerate cases: a radius of zero is a point, which is met where the two coincide.
//!
//! # Error bound
//!
//! As of two balls, one of which has rA = 0: a gap of at most 15 u (r + margin) + 2⁻⁶¹.
//!
//! Measured at worst, over 1 million near-contact cases: 0.71 of the band.

use super::load::Relative;
use super::{Contact, Deferred, Test, sphere_sphere_overlap};
use crate::hits::Overlaps;
use crate::lane::Lanes;
use crate::shapes::{Point, Sphere, SphereOffset};

impl Test<Overlaps, Sphere> for Point {
    type Load = Relative;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        offset: SphereOffset<L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = Contact<L::M>> {
        sphere_sphere_overlap::touches(lanes, offset, margin)
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, overlap, overlap_with_margin};
    use phalanx::{Point, Sphere};

    fn point(x: f32, y: f32, z: f32) -> Point {
        Point {
            position: [x, y, z],
        }
    }

    const BALL: Sphere = Sphere {
        center: [1., 2., 3.],
        radius: 3.,
    };

    #[test]
    fn the_surface_is_a_part_of_the_ball() {
        // 1, 2, 2 from the center, and a little more.
        for (at, answer) in [
            (point(2., 4., 5.), Hit),
            (point(2., 4., 5.0001), Miss),
            (point(1., 2., 3.), Hit),
            (point(-2.0001, 2., 3.), Miss),
        ] {
            assert_eq!(overlap(at, BALL), answer, "{at:?}");
            assert_eq!(overlap(BALL, at), answer, "{at:?}");
        }
        assert_eq!(overlap_with_margin(point(-2.5, 2., 3.), BALL, 0.5), Hit);
        assert_eq!(overlap_with_margin(point(-2.5, 2., 3.), BALL, 0.4999), Miss);
    }

    #[test]
    fn bad_points_are_flagged() {
        for bad in [
            point(f32::NAN, 2., 3.),
            point(1., f32::INFINITY, 3.),
            point(1., 2., -2e18),
        ] {
            assert_eq!(overlap(bad, BALL), Invalid);
            assert_eq!(overlap(BALL, bad), Invalid);
        }
        let bad = Sphere {
            radius: -1.,
            ..BALL
        };
        assert_eq!(overlap(point(1., 2., 3.), bad), Invalid);
    }
}
