//! Hand-computed cases of AABB-AABB sweep.

use crate::testing::Answer::*;
use crate::testing::sweep;
use phalanx::Aabb;

fn unit_cube(x: f32, y: f32, z: f32) -> Aabb {
    Aabb::from_center_half_extents([x, y, z], [0.5; 3])
}

const AT_REST: (Aabb, [f32; 3]) = (
    Aabb {
        min: [-0.5; 3],
        max: [0.5; 3],
    },
    [0.0; 3],
);

#[test]
fn moving_box_enters_and_exits() {
    let moving = (unit_cube(-5., 0., 0.), [10., 0., 0.]);
    assert_eq!(sweep(AT_REST, moving), When(0.4, 0.6));
    assert_eq!(sweep(moving, AT_REST), When(0.4, 0.6));
    assert_eq!(
        sweep(AT_REST, (unit_cube(-5., 2., 0.), [10., 0., 0.])),
        Miss
    );
}

#[test]
fn contacts_outside_the_frame_miss() {
    assert_eq!(sweep(AT_REST, (unit_cube(3., 0., 0.), [2., 0., 0.])), Miss);
    assert_eq!(sweep(AT_REST, (unit_cube(3., 0., 0.), [-1., 0., 0.])), Miss);
    assert_eq!(
        sweep(AT_REST, (unit_cube(3., 0., 0.), [-2., 0., 0.])),
        When(1.0, 1.0)
    );
    assert_eq!(
        sweep(AT_REST, (unit_cube(0.5, 0., 0.), [2., 0., 0.])),
        When(0.0, 0.25)
    );
}

#[test]
fn axes_touching_at_different_times_miss() {
    // x touches during [0, 0.5], y during [1, 1].
    assert_eq!(sweep(AT_REST, (unit_cube(0., 2., 0.), [2., -1., 0.])), Miss);
    assert_eq!(
        sweep(AT_REST, (unit_cube(0., 2., 0.), [1., -1., 0.])),
        When(1.0, 1.0)
    );
}

#[test]
fn zero_motion_of_either_sign_agrees() {
    // Widened by exactly the gap, so that the range of contact begins at 0.
    let low = Aabb {
        min: [-1.; 3],
        max: [0.; 3],
    };
    let high = Aabb {
        min: [f32::MIN_POSITIVE; 3],
        max: [1.; 3],
    };
    for (a, b) in [(low, high), (high, low)] {
        for (x, y) in [(0., 0.), (0., -0.), (-0., 0.), (-0., -0.)] {
            assert_eq!(sweep((a, [x; 3]), (b, [y; 3])), When(0., 1.), "{x} {y}");
        }
    }
}

#[test]
fn equal_motions_have_the_static_result() {
    let motion = [7., 8., 9.];
    assert_eq!(
        sweep(
            (unit_cube(0., 0., 0.), motion),
            (unit_cube(1., 1., 1.), motion)
        ),
        When(0.0, 1.0)
    );
    assert_eq!(
        sweep(
            (unit_cube(0., 0., 0.), motion),
            (unit_cube(3., 3., 3.), motion)
        ),
        Miss
    );
}
