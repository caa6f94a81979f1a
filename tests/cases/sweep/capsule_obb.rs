//! Hand-computed cases of capsule-OBB sweep.

use crate::testing::Answer::*;
use crate::testing::{Answer, EIGHTH, REST, capsule, cube, sweep};
use phalanx::{Capsule, MAX_LENGTH, Obb};

fn target(rotation: [f32; 4]) -> (Obb, [f32; 3]) {
    (cube([10., 0., 0.], rotation), REST)
}

/// Moves along x; radius 2.
fn flying(center: [f32; 3], half_axis: [f32; 3], dx: f32) -> (Capsule, [f32; 3]) {
    (capsule(center, half_axis, 2.0), [dx, 0., 0.])
}

/// Sweeps in both orders, and with either end of the capsule first.
fn both(capsule: (Capsule, [f32; 3]), obb: (Obb, [f32; 3])) -> Answer {
    let answer = sweep(capsule, obb);
    assert_eq!(sweep(obb, capsule), answer);
    let reversed = Capsule {
        half_axis: capsule.0.half_axis.map(|x| -x),
        ..capsule.0
    };
    assert_eq!(sweep((reversed, capsule.1), obb), answer);
    answer
}

#[test]
fn box_is_rotated() {
    let root = 2f32.sqrt();
    let times = When((8. - root) / 20., (12. + root) / 20.);
    // The capsule meets the edge with a side, perpendicular or oblique, or with an end.
    for half_axis in [[0., 0., 2.], [0., 3., 0.], [0., 3., 1.], [0.; 3]] {
        let y = if half_axis[1] == 0. { 0. } else { 1. };
        let moving = flying([0., y, 0.5], half_axis, 20.);
        assert_eq!(both(moving, target(EIGHTH)), times, "{half_axis:?}");
        assert_eq!(both(moving, target([0., 0., 0., 1.])), When(0.35, 0.65));
    }
    let lengthwise = flying([0., 0., 0.5], [3., 0., 0.], 20.);
    let times = When((5. - root) / 20., (15. + root) / 20.);
    assert_eq!(both(lengthwise, target(EIGHTH)), times);
    let beside = |z| flying([0., 0., z], [3., 1., 0.], 20.);
    assert_eq!(both(beside(3.001), target(EIGHTH)), Miss);
    assert_ne!(both(beside(2.999), target(EIGHTH)), Miss);
}

#[test]
fn contacts_outside_the_frame_miss() {
    let moving = |from: f32, to: f32| flying([from, 0., 0.], [0., 2., 1.], to - from);
    let straight = target([0., 0., 0., 1.]);
    assert_eq!(both(moving(0., 6.9), straight), Miss);
    assert_eq!(both(moving(13.1, 20.), straight), Miss);
    assert_eq!(both(moving(3., 7.), straight), When(1., 1.));
    assert_eq!(both(moving(10., 16.), straight), When(0., 0.5));
    assert_eq!(both(moving(9., 10.), straight), When(0., 1.));
    let motion = [3., -4., 5.];
    let beside = |x| (flying([x, 0., 0.], [0., 5., 1.], 0.).0, motion);
    assert_eq!(both(beside(7.), (straight.0, motion)), When(0., 1.));
    assert_eq!(both(beside(6.9), (straight.0, motion)), Miss);
}

#[test]
fn extreme_motion_is_accurate() {
    let slow = [1e-45, 0., -1e-40];
    let near = |x| (flying([x, 0., 0.], [0., 1., 4.], 0.).0, slow);
    assert_eq!(both(near(6.5), target(EIGHTH)), Miss);
    assert_eq!(both(near(7.), target(EIGHTH)), When(0., 1.));
    let far = MAX_LENGTH;
    let huge = Obb {
        center: [-far; 3],
        half_extents: [0.25 * far, far, far],
        ..Obb::default()
    };
    let long = Capsule {
        center: [far, -far, -far],
        half_axis: [0., far, -far],
        radius: 0.25 * far,
    };
    let towards = ([-far, far, far], [far, far, far]);
    assert_eq!(both((long, towards.0), (huge, towards.1)), When(0.75, 1.));
    let past = ([-far, far, 0.], [-far, 0., far]);
    assert_eq!(both((long, past.0), (huge, past.1)), Miss);
    assert_eq!(both((long, [f32::NAN, 0., 0.]), target(EIGHTH)), Invalid);
}
