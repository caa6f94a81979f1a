//! AABB-OBB sweep: the swept separating axis test of `obb_obb_sweep` with the axes of `aabb_obb_overlap`.
//!
//! The axes of A are those of the world, and offsets come from both of its corners.
//!
//! Source and degenerate cases: as there.
//!
//! # Error bound
//!
//! The proof of `obb_obb_sweep`, with the table of `aabb_obb_overlap`. v rounds once, and contributes
//!
//! ```text
//! eᵢ          v 1 u, `low` 1 u, (3) 2 u                                 4 u ‖v‖₁
//! B̂ⱼ          v 1 u, dot product 3 u, `low` 1 u, (3) 2 u                7 u ‖v‖₁
//! edges, / ρ  v 1 u, products 1 u, difference 1 u, `low` 1 u, (3) 2 u   6 u ‖v‖₁
//! ```
//!
//! No entry of the table is above 14 u, so 10 u are to spare. False hits, and gaps at claimed times: the same band, 70
//! u (‖p‖₁ + ‖v‖₁ + ‖a + m‖₁ + ‖b‖₁) + 2⁻⁵⁹. The same steps, with another 3.02 u |V|, give 24 u + η + 4.01 u along eᵢ,
//! 24 √3 u + η + 8.01 u < 59 u along Bⱼ, √2 29.1 u + η < 50 u along edges.
//!
//! Measured at worst, over 2 million near-contact cases: 0.60 of that.

use crate::driver::load::Separate;
use crate::driver::source::{BothMoving, Deferred, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::geometry::sat::{
    AxisProjections, SatBoxes, WhenNoAxisSeparates, rotation_from_world, widened,
};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};

impl Test<Sweeps, Obb> for Aabb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (a, b): BothMoving<WideAabb<L::F>, WideObb<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        // Displacement of A relative to B.
        let v = a.displacement - b.displacement;
        let (a, b) = (a.start, b.start);
        let half = lanes.splat(0.5);
        let (low, high) = (b.center - a.min, b.center - a.max);
        let p = (low + high) * half;
        let half_extents = (low - high) * half;

        let r = rotation_from_world(lanes, b.axes);
        let offset = AxisProjections::of(p.0, p.along(b.axes));
        let motion = AxisProjections::of(v.0, v.along(b.axes));
        let size = p.abs().sum() + (half_extents.sum() + b.half_extents.sum()) + margin;
        let boxes = SatBoxes {
            half_extents_a: widened(lanes, half_extents, size + v.abs().sum(), margin),
            half_extents_b: b.half_extents.0,
            r,
        };
        lanes.call::<WhenNoAxisSeparates>((boxes, AxisProjections::of_both(offset, motion)))
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::{EIGHTH, REST, STRAIGHT, cube, sweep};
    use phalanx::{Aabb, Obb};

    const UNIT: Aabb = Aabb {
        min: [-1.0; 3],
        max: [1.0; 3],
    };

    #[test]
    fn moving_box_enters_and_exits() {
        let moving = (cube([-5., 0., 0.], STRAIGHT), [10., 0., 0.]);
        assert_eq!(sweep((UNIT, REST), moving), When(0.3, 0.7));
        assert_eq!(sweep(moving, (UNIT, REST)), When(0.3, 0.7));
        let rotated = cube([-5., 0., 0.], EIGHTH);
        let when = When(0.258_578_6, 0.741_421_3);
        assert_eq!(sweep((UNIT, REST), (rotated, [10., 0., 0.])), when);
        assert_eq!(sweep((UNIT, [-10., 0., 0.]), (rotated, REST)), when);
        let above = cube([-5., 2.415, 0.], EIGHTH);
        assert_eq!(sweep((UNIT, REST), (above, [10., 0., 0.])), Miss);
    }

    #[test]
    fn faces_of_either_box_bound_times() {
        // On the diagonal, a corner of one box meets a face of the other.
        let rotated = (cube([3., 3., 0.], EIGHTH), [-3., -3., 0.]);
        let enter = 1.0 - (1.0 + std::f32::consts::SQRT_2) / 18f32.sqrt();
        assert_eq!(sweep((UNIT, REST), rotated), When(enter, 1.0));
    }

    #[test]
    fn contacts_outside_the_frame_miss() {
        let at = |x, vx| (cube([x, 0., 0.], STRAIGHT), [vx, 0., 0.]);
        assert_eq!(sweep((UNIT, REST), at(5., -2.)), Miss);
        assert_eq!(sweep((UNIT, REST), at(5., -3.)), When(1.0, 1.0));
        assert_eq!(sweep((UNIT, REST), at(1., 4.)), When(0.0, 0.25));
    }

    #[test]
    fn zero_motion_of_either_sign_agrees() {
        for (x, y) in [(0., 0.), (0., -0.), (-0., 0.), (-0., -0.)] {
            for (place, answer) in [(2., When(0., 1.)), (-2., When(0., 1.)), (2.001, Miss)] {
                let b = (cube([place, 0., 0.], STRAIGHT), [y; 3]);
                assert_eq!(sweep((UNIT, [x; 3]), b), answer, "{x} {y}");
                assert_eq!(
                    sweep((UNIT, [x, 3., x]), b).hits(),
                    answer.hits(),
                    "{x} {y}"
                );
            }
        }
    }

    #[test]
    fn far_from_origin_is_exact() {
        // At 2²⁴ consecutive floats differ by 2: centers of such boxes would round.
        let far = Aabb {
            min: [16_777_216., 0., 0.],
            max: [16_777_218., 1., 1.],
        };
        let point = |y| Obb {
            center: [16_777_216., y, 0.5],
            ..Obb::default()
        };
        let along_the_face = (point(-1.), [0., 4., 0.]);
        assert_eq!(sweep((far, REST), along_the_face), When(0.25, 0.5));
        let beside = Obb {
            center: [16_777_214., -1., 0.5],
            ..Obb::default()
        };
        assert_eq!(sweep((far, REST), (beside, [0., 4., 0.])), Miss);
        assert_eq!(sweep((far, REST), (beside, [2., 2., 0.])), When(1.0, 1.0));
    }
}
