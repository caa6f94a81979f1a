//! Is a point on a plane?
//!
//! It is when normal · p + d is zero there, see `extent`.
//!
//! Source: as for a ball (`sphere_plane_overlap`), with a radius of zero.
//!
//! Degenerate cases: none.
//!
//! # Error bound
//!
//! The bound of the extent holds. False hits have a gap of at most 16 u (Σ |nᵢ pᵢ| + |d| + margin) + 2⁻⁶⁰,
//! where n is the normal made a unit vector.
//!
//! Measured at worst, over 1 million near-contact cases: 0.58 of the band.

use super::load::Separate;
use super::{Contact, Deferred, Test, extent};
use crate::hits::Overlaps;
use crate::lane::Lanes;
use crate::shapes::{Plane, PlaneLanes, Point, PointLanes};

impl Test<Overlaps, Plane> for Point {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): (PointLanes<L::F>, PlaneLanes<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = Contact<L::M>> {
        extent::touches_plane(lanes, extent::of_point(lanes, shape, plane, margin))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, overlap, overlap_with_margin};
    use phalanx::{Plane, Point};

    /// 2 x + y = 5
    const PLANE: Plane = Plane {
        normal: [2., 1., 0.],
        d: -5.,
    };

    fn point(x: f32, y: f32) -> Point {
        Point {
            position: [x, y, 7.],
        }
    }

    #[test]
    fn only_points_on_the_plane_touch() {
        for (at, answer) in [
            (point(2., 1.), Hit),
            (point(0., 5.), Hit),
            (point(2., 1.0001), Miss),
            (point(2., 0.9999), Miss),
        ] {
            assert_eq!(overlap(at, PLANE), answer, "{at:?}");
            assert_eq!(overlap(PLANE, at), answer, "{at:?}");
        }
        // √5 away.
        assert_eq!(overlap_with_margin(point(0., 0.), PLANE, 2.2361), Hit);
        assert_eq!(overlap_with_margin(point(0., 0.), PLANE, 2.236), Miss);
    }
}
