//! When does a moving box along the axes touch a moving box in any orientation?
//!
//! The slabs of `obb_obb_sweep` along the axes of `aabb_obb_overlap`: those of A are the world's, and offsets
//! come from both of its corners.
//!
//! Source and degenerate cases: as there.
//!
//! # Error bound
//!
//! The proof of `obb_obb_sweep`, with the table of `aabb_obb_overlap`. v rounds once, and its part is
//!
//! ```text
//! eᵢ          v 1 u, `low` 1 u, (3) 2 u                                 4 u ‖v‖₁
//! B̂ⱼ          v 1 u, dot product 3 u, `low` 1 u, (3) 2 u                7 u ‖v‖₁
//! edges, / ρ  v 1 u, products 1 u, difference 1 u, `low` 1 u, (3) 2 u   6 u ‖v‖₁
//! ```
//!
//! No entry of the table is above 14 u, so 10 u are to spare. False hits, and gaps at claimed times: the same
//! band, 70 u (‖p‖₁ + ‖v‖₁ + ‖a + m‖₁ + ‖b‖₁) + 2⁻⁵⁹. The same steps, with 3.02 u |V| besides, give
//! 24 u + η + 4.01 u along eᵢ, 24 √3 u + η + 8.01 u < 59 u along Bⱼ, √2 29.1 u + η < 50 u along edges.
//!
//! Measured at worst, over 2 million near-contact cases: 0.60 of that.

use super::axes::{Along, Boxes, WhenNoAxisSeparates, rotation_from_world, widened};
use super::load::Separate;
use super::{BothMoving, Deferred, SweptContact, Test};
use crate::hits::Sweeps;
use crate::lane::Lanes;
use crate::shapes::{Aabb, AabbLanes, Obb, ObbLanes};

impl Test<Sweeps, Obb> for Aabb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (a, b): BothMoving<AabbLanes<L::F>, ObbLanes<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = SweptContact<L>> {
        // The motion of A relative to B.
        let v = a.displacement - b.displacement;
        let (a, b) = (a.start, b.start);
        let half = lanes.splat(0.5);
        let (low, high) = (b.center - a.min, b.center - a.max);
        let p = (low + high) * half;
        let half_extents = (low - high) * half;

        let r = rotation_from_world(lanes, b.axes);
        let offset = Along::of(p.0, p.along(b.axes));
        let motion = Along::of(v.0, v.along(b.axes));
        let size = p.abs().sum() + (half_extents.sum() + b.half_extents.sum()) + margin;
        let boxes = Boxes {
            half_extents_a: widened(lanes, half_extents, size + v.abs().sum(), margin),
            half_extents_b: b.half_extents.0,
            r,
        };
        lanes.call::<WhenNoAxisSeparates>((boxes, Along::of_both(offset, motion)))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, sweep};
    use phalanx::{Aabb, Obb};

    const UNIT: Aabb = Aabb {
        min: [-1.0; 3],
        max: [1.0; 3],
    };
    const REST: [f32; 3] = [0.0; 3];
    const STRAIGHT: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
    /// An eighth of a turn about z.
    const EIGHTH: [f32; 4] = [0.0, 0.0, 0.382_683_43, 0.923_879_5];

    fn cube(center: [f32; 3], rotation: [f32; 4]) -> Obb {
        Obb {
            center,
            half_extents: [1.0; 3],
            rotation,
        }
    }

    #[test]
    fn a_box_flies_through_another() {
        let moving = (cube([-5., 0., 0.], STRAIGHT), [10., 0., 0.]);
        assert_eq!(sweep((UNIT, REST), moving), When(0.3, 0.7));
        assert_eq!(sweep(moving, (UNIT, REST)), When(0.3, 0.7));
        let turned = cube([-5., 0., 0.], EIGHTH);
        let when = When(0.258_578_6, 0.741_421_3);
        assert_eq!(sweep((UNIT, REST), (turned, [10., 0., 0.])), when);
        assert_eq!(sweep((UNIT, [-10., 0., 0.]), (turned, REST)), when);
        let above = cube([-5., 2.415, 0.], EIGHTH);
        assert_eq!(sweep((UNIT, REST), (above, [10., 0., 0.])), Miss);
    }

    #[test]
    fn the_faces_of_either_box_are_passed() {
        // On the diagonal, a corner of the one meets a face of the other.
        let turned = (cube([3., 3., 0.], EIGHTH), [-3., -3., 0.]);
        let enter = 1.0 - (1.0 + std::f32::consts::SQRT_2) / 18f32.sqrt();
        assert_eq!(sweep((UNIT, REST), turned), When(enter, 1.0));
    }

    #[test]
    fn only_times_of_the_frame_count() {
        let at = |x, vx| (cube([x, 0., 0.], STRAIGHT), [vx, 0., 0.]);
        assert_eq!(sweep((UNIT, REST), at(5., -2.)), Miss);
        assert_eq!(sweep((UNIT, REST), at(5., -3.)), When(1.0, 1.0));
        assert_eq!(sweep((UNIT, REST), at(1., 4.)), When(0.0, 0.25));
    }

    #[test]
    fn no_motion_has_no_sign() {
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
    fn far_away_nothing_is_lost() {
        // At 2²⁴ an f32 is a step of 2 from the next: centers of such boxes would round.
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
