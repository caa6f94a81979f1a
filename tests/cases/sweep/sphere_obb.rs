//! Hand-computed cases of sphere-OBB sweep.

use crate::testing::Answer::*;
use crate::testing::{EIGHTH, REST, cube, sphere, sweep};
use phalanx::{MAX_LENGTH, Obb};

fn target(rotation: [f32; 4]) -> (Obb, [f32; 3]) {
    (cube([10., 0., 0.], rotation), REST)
}

#[test]
fn box_is_rotated() {
    let corner = 2f32.sqrt();
    let moving = (sphere(0., 0., 0.5, 2.), [20., 0., 0.]);
    let times = When((8. - corner) / 20., (12. + corner) / 20.);
    assert_eq!(sweep(moving, target(EIGHTH)), times);
    assert_eq!(sweep(target(EIGHTH), moving), times);
    assert_eq!(sweep(moving, target([0., 0., 0., 1.])), When(0.35, 0.65));
    // Past the edge perpendicular to it, above the adjacent faces.
    let past = |y: f32| (sphere(6., y, 0., 2.), [8., 0., 0.]);
    assert_eq!(sweep(past(3.42), target(EIGHTH)), Miss);
    let half = (4f32 - (3. - corner) * (3. - corner)).sqrt() / 8.;
    assert_eq!(
        sweep(past(3.), target(EIGHTH)),
        When(0.5 - half, 0.5 + half)
    );
}

#[test]
fn sphere_meets_a_rotated_face() {
    // Along x, 0.5 above the middle: the face is passed where x − 10 = 0.5 − √2 − r √2.
    let moving = (sphere(0., 0.5, 0., 0.5), [20., 0., 0.]);
    let from = 10.5 - 1.5 * 2f32.sqrt();
    assert_eq!(
        sweep(moving, target(EIGHTH)),
        When(from / 20., (20. - from) / 20.)
    );
}

#[test]
fn contacts_outside_the_frame_miss() {
    let moving = |x: f32, to: f32| (sphere(x, 0., 0., 1.), [to - x, 0., 0.]);
    let straight = target([0., 0., 0., 1.]);
    assert_eq!(sweep(moving(0., 7.9), straight), Miss);
    assert_eq!(sweep(moving(13., 20.), straight), Miss);
    assert_eq!(sweep(moving(4., 8.), straight), When(1., 1.));
    assert_eq!(sweep(moving(10., 14.), straight), When(0., 0.5));
    let motion = [3., -4., 5.];
    let beside = |x| (sphere(x, 0., 0., 1.), motion);
    assert_eq!(sweep(beside(8.), (straight.0, motion)), When(0., 1.));
    assert_eq!(sweep(beside(7.9), (straight.0, motion)), Miss);
}

#[test]
fn zero_motion_of_either_sign_agrees() {
    let straight = target([0., 0., 0., 1.]);
    for zero in [0.0, -0.0] {
        for (x, y) in [(11., 0.), (9., 1.), (10., -1.), (10., 0.)] {
            let along = (sphere(x, y, -3., 0.), [zero, -zero, 4.]);
            assert_eq!(sweep(along, straight), When(0.5, 1.), "{x} {y}");
            assert_eq!(sweep((along.0, [zero; 3]), straight), Miss, "{x} {y}");
            let inside = (sphere(x, y, 0., 0.), [zero; 3]);
            assert_eq!(sweep(inside, straight), When(0., 1.), "{x} {y}");
        }
    }
}

#[test]
fn extreme_motion_is_accurate() {
    let slow = [1e-45, 0., -1e-40];
    assert_eq!(sweep((sphere(8., 0., 0., 0.5), slow), target(EIGHTH)), Miss);
    assert_eq!(
        sweep((sphere(8., 0., 0., 1.), slow), target(EIGHTH)),
        When(0., 1.)
    );
    let far = MAX_LENGTH;
    let huge = Obb {
        center: [-far; 3],
        half_extents: [0.25 * far, far, far],
        ..Obb::default()
    };
    let sphere = sphere(far, -far, -far, 0.25 * far);
    assert_eq!(
        sweep((sphere, [-far, far, far]), (huge, [far, far, far])),
        When(0.75, 1.)
    );
    assert_eq!(
        sweep((sphere, [-far, far, 0.]), (huge, [-far, 0., far])),
        Miss
    );
    assert_eq!(sweep((sphere, [f32::NAN, 0., 0.]), target(EIGHTH)), Invalid);
}
