//! AABB-triangle overlap by the separating axis test of [`box_triangle`](crate::narrow::geometry::box_triangle).
//!
//! Source, degenerate cases and error bound: as there, with v = 0.

use crate::driver::load::Separate;
use crate::driver::source::{Deferred, HitMask, Test};
use crate::lane::{Lanes, Vec3};
use crate::narrow::geometry::box_triangle::{BoxTriangle, no_axis_separates};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl Test<Overlaps, Triangle> for Aabb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (aabb, triangle): (WideAabb<L::F>, WideTriangle<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let rest = Vec3([lanes.splat(0.0); 3]);
        let place = BoxTriangle::of_aabb(lanes, aabb, triangle, rest, margin);
        no_axis_separates(lanes, place)
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::overlap;
    use phalanx::{Aabb, Triangle};

    #[test]
    fn far_from_origin_is_exact() {
        // At 2²⁴ consecutive floats differ by 2: centers of such boxes would round.
        let far = Aabb {
            min: [16_777_216., 0., 0.],
            max: [16_777_218., 1., 1.],
        };
        let wall = |x| Triangle {
            corners: [[x, -1., -1.], [x, 3., -1.], [x, -1., 3.]],
        };
        assert_eq!(overlap(far, wall(16_777_216.)), Hit);
        assert_eq!(overlap(wall(16_777_218.), far), Hit);
        assert_eq!(overlap(far, wall(16_777_220.)), Miss);
        assert_eq!(overlap(far, wall(16_777_215.)), Miss);
    }
}
