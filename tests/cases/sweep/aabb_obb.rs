//! Hand-computed cases of AABB-OBB sweep.

use crate::testing::Answer::*;
use crate::testing::{EIGHTH, REST, STRAIGHT, cube, sweep};
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
