//! Point-AABB sweep, or ray cast against an AABB: three slabs.
//!
//! A margin grows the box along its axes. For a margin equal in all directions, use a `Sphere` of that radius, which
//! takes several times as long.
//!
//! Source: T. Kay and J. Kajiya, "Ray Tracing Complex Scenes", SIGGRAPH 1986. Departures: a ray ends at its
//! displacement; the box is widened so that rounding loses no contact; no NaN is ever returned.
//!
//! Degenerate cases: a ray in the plane of a face, along an edge or through a corner hits. Without motion along an
//! axis, a coordinate is between the corners for the whole frame or never.
//!
//! # Error bound
//!
//! The bound of two boxes (`aabb_aabb_sweep`) with a point as one of them: false hits have a gap of at most 12 u (speed +
//! margin) + 2⁻¹²⁵ at the time of contact on each axis, beyond the margin.
//!
//! Measured at worst, over 1 million near-contact cases: 0.88 of the band.

use crate::driver::load::Separate;
use crate::driver::source::{BothMoving, Deferred, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::narrow::sweep;
use crate::shapes::aabb::{Aabb, AabbGaps, WideAabb};
use crate::shapes::form::WideMoving;
use crate::shapes::point::{Point, WidePoint};

impl Test<Sweeps, Aabb> for Point {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (point, aabb): BothMoving<WidePoint<L::F>, WideAabb<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let gaps = WideMoving {
            start: AabbGaps {
                below: point.start.position - aabb.start.max,
                above: aabb.start.min - point.start.position,
            },
            displacement: point.displacement - aabb.displacement,
        };
        sweep::aabb_aabb::slabs(lanes, gaps, margin)
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::{ray, sweep};
    use phalanx::{Aabb, Point};

    const BOX: (Aabb, [f32; 3]) = (
        Aabb {
            min: [0., 1., 2.],
            max: [1., 3., 5.],
        },
        [0.0; 3],
    );

    #[test]
    fn ray_enters_and_exits() {
        let through = ray([-1., 2., 3.], [4., 0., 0.]);
        assert_eq!(sweep(through, BOX), When(0.25, 0.5));
        assert_eq!(sweep(BOX, through), When(0.25, 0.5));
        let back = ray([3., 2., 3.], [-4., 0., -0.]);
        assert_eq!(sweep(back, BOX), When(0.5, 0.75));
        assert_eq!(sweep(ray([-1., 2., 3.], [1., 0., 0.]), BOX), When(1., 1.));
        assert_eq!(sweep(ray([-1., 2., 3.], [0.999, 0., 0.]), BOX), Miss);
        assert_eq!(sweep(ray([-1., 2., 3.], [-4., 0., 0.]), BOX), Miss);
        assert_eq!(sweep(ray([0.5, 2., 3.], [2., 0., 0.]), BOX), When(0., 0.25));
        assert_eq!(sweep(ray([0.5, 2., 3.], [0.; 3]), BOX), When(0., 1.));
        assert_eq!(sweep(ray([1.5, 2., 3.], [0.; 3]), BOX), Miss);
    }

    #[test]
    fn ray_along_a_face_or_an_edge_hits() {
        for (x, y) in [(0., 2.), (1., 2.), (0.5, 1.), (0.5, 3.), (0., 1.), (1., 3.)] {
            for zero in [0., -0.] {
                let along = ray([x, y, 0.], [zero, zero, 8.]);
                assert_eq!(sweep(along, BOX), When(0.25, 0.625), "{x} {y}");
            }
        }
        assert_eq!(sweep(ray([1.0000001, 2., 0.], [0., 0., 8.]), BOX), Miss);
    }

    #[test]
    fn ray_through_a_corner_hits_once() {
        assert_eq!(sweep(ray([2., 2., 4.], [-2., 2., 2.]), BOX), When(0.5, 0.5));
        assert_eq!(sweep(ray([2., 2.001, 4.], [-2., 2., 2.]), BOX), Miss);
    }

    #[test]
    fn box_may_move() {
        let coming = (BOX.0, [-4., 0., 0.]);
        assert_eq!(sweep(ray([-1., 2., 3.], [0.; 3]), coming), When(0.25, 0.5));
        assert_eq!(sweep(ray([-1., 2., 3.], [-4., 0., 0.]), coming), Miss);
    }
}
