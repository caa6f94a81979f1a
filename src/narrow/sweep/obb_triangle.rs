//! OBB-triangle sweep: the swept separating axis test of [`box_triangle`](crate::narrow::geometry::box_triangle).
//!
//! With v the displacement of the box relative to the triangle, the offset of the triangle is p − t v at time t. The
//! shapes do not rotate, so each of the thirteen axes is a slab. The shapes touch while no axis separates.
//!
//! Source, degenerate cases and error bound: as there. A hit of the overlap kernel is a hit at time 0, by (5) of
//! `slab`: its widening is no larger.

use crate::driver::load::Separate;
use crate::driver::source::{BothMoving, Deferred, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::geometry::box_triangle::{BoxTriangle, WhenNoAxisSeparates};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl Test<Sweeps, Triangle> for Obb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (obb, triangle): BothMoving<WideObb<L::F>, WideTriangle<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let v = obb.displacement - triangle.displacement;
        let place = BoxTriangle::of_obb(lanes, obb.start, triangle.start, v, margin);
        lanes.call::<WhenNoAxisSeparates>(place)
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::{EIGHTH, REST, STRAIGHT, cube, near, sweep};
    use phalanx::Triangle;

    const FLOOR: (Triangle, [f32; 3]) = (
        Triangle {
            corners: [[-9., -9., 0.], [9., -9., 0.], [0., 9., 0.]],
        },
        REST,
    );

    #[test]
    fn box_falls_through_a_floor() {
        let falling = (cube([0., 0., 3.], EIGHTH), [0., 0., -8.]);
        near(sweep(falling, FLOOR), 0.25, 0.5);
        near(sweep(FLOOR, falling), 0.25, 0.5);
        let still = (falling.0, REST);
        near(sweep(still, (FLOOR.0, [0., 0., 8.])), 0.25, 0.5);
        assert_eq!(sweep((falling.0, [0., 0., -1.9]), FLOOR), Miss);
        near(sweep((falling.0, [0., 0., -2.]), FLOOR), 1., 1.);
    }

    #[test]
    fn box_passes_an_edge() {
        // √2 towards the edge at y = −9.
        let past = |z: f32| (cube([-16., -9. - z, 0.], EIGHTH), [32., 0., 0.]);
        assert_eq!(sweep(past(1.416), FLOOR), Miss);
        assert!(sweep(past(1.414), FLOOR).hits());
        let beside = (cube([-5., 0., 1.001], STRAIGHT), [10., 0., 0.]);
        assert_eq!(sweep(beside, FLOOR), Miss);
    }
}
