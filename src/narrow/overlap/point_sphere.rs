//! Point-sphere overlap: `sphere_sphere_overlap` with a radius of zero.
//!
//! The squared distance from the center is compared with the squared radius.
//!
//! Degenerate cases: a sphere of radius zero is a point, and overlaps a coincident point.
//!
//! # Error bound
//!
//! The bound of two spheres with rA = 0: a gap of at most 15 u (r + margin) + 2⁻⁶¹.
//!
//! Measured at worst, over 1 million near-contact cases: 0.71 of the band.

use crate::driver::load::Relative;
use crate::driver::source::{Deferred, HitMask, Test};
use crate::lane::Lanes;
use crate::narrow::overlap;
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::point::Point;
use crate::shapes::sphere::{Sphere, SphereOffset};

impl Test<Overlaps, Sphere> for Point {
    type Load = Relative;
    const IS_LIGHT: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        offset: SphereOffset<L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        overlap::sphere_sphere::touches(lanes, offset, margin)
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::{overlap, overlap_with_margin, point};
    use phalanx::{Point, Sphere};

    const SPHERE: Sphere = Sphere {
        center: [1., 2., 3.],
        radius: 3.,
    };

    #[test]
    fn surface_hits() {
        // 1, 2, 2 from the center, and slightly more.
        for (at, answer) in [
            (point(2., 4., 5.), Hit),
            (point(2., 4., 5.0001), Miss),
            (point(1., 2., 3.), Hit),
            (point(-2.0001, 2., 3.), Miss),
        ] {
            assert_eq!(overlap(at, SPHERE), answer, "{at:?}");
            assert_eq!(overlap(SPHERE, at), answer, "{at:?}");
        }
        assert_eq!(overlap_with_margin(point(-2.5, 2., 3.), SPHERE, 0.5), Hit);
        assert_eq!(
            overlap_with_margin(point(-2.5, 2., 3.), SPHERE, 0.4999),
            Miss
        );
    }

    #[test]
    fn invalid_points_are_flagged() {
        for bad in [
            point(f32::NAN, 2., 3.),
            point(1., f32::INFINITY, 3.),
            point(1., 2., -2e18),
        ] {
            assert_eq!(overlap(bad, SPHERE), Invalid);
            assert_eq!(overlap(SPHERE, bad), Invalid);
        }
        let bad = Sphere {
            radius: -1.,
            ..SPHERE
        };
        assert_eq!(overlap(point(1., 2., 3.), bad), Invalid);
    }
}
