//! Hand-computed cases of sphere-capsule sweep.

use crate::testing::Answer::*;
use crate::testing::{sphere, sweep};
use phalanx::{Capsule, MAX_LENGTH};

/// From (1, 0, 0) to (1, 8, 0).
const POST: (Capsule, [f32; 3]) = (Capsule::between([1., 0., 0.], [1., 8., 0.], 1.0), [0.0; 3]);

#[test]
fn sphere_passing_the_side_hits() {
    let moving = (sphere(-7., 4., 0., 1.), [16., 0., 0.]);
    assert_eq!(sweep(moving, POST), When(0.375, 0.625));
    assert_eq!(sweep(POST, moving), When(0.375, 0.625));
    let still = (moving.0, [0.0; 3]);
    assert_eq!(sweep(still, (POST.0, [-16., 0., 0.])), When(0.375, 0.625));
    // Beside the axis, by 1.2 and 1.6.
    let beside = |z| (sphere(-7., 4., z, 1.), [16., 0., 0.]);
    assert_eq!(sweep(beside(1.2), POST), When(0.4, 0.6));
    assert_eq!(sweep(beside(2.001), POST), Miss);
}

#[test]
fn ends_are_rounded() {
    let across = |y| (sphere(-7., y, 0., 1.), [16., 0., 0.]);
    for y in [9.2, -1.2] {
        assert_eq!(sweep(across(y), POST), When(0.4, 0.6), "{y}");
    }
    assert_eq!(sweep(across(10.001), POST), Miss);
    // Straight to an end, out of the other end, and back.
    let down = |x, travel: f32| (sphere(x, 4. + travel, 0., 1.), [0., -2. * travel, 0.]);
    assert_eq!(sweep(down(1., 12.), POST), When(0.25, 0.75));
    assert_eq!(sweep(down(1., -12.), POST), When(0.25, 0.75));
    assert_eq!(sweep(down(2.2, 8.), POST), When(0.15, 0.85));
    assert_eq!(sweep(down(3.001, 8.), POST), Miss);
}

#[test]
fn enters_at_an_end_and_exits_at_the_side() {
    // At (1, 10), where the end is touched, and at (3, 6).
    let moving = (sphere(0., 12., 0., 1.), [4., -8., 0.]);
    assert_eq!(sweep(moving, POST), When(0.25, 0.75));
    let back = (sphere(4., 4., 0., 1.), [-4., 8., 0.]);
    assert_eq!(sweep(back, POST), When(0.25, 0.75));
}

#[test]
fn contacts_outside_the_frame_miss() {
    let to_side = |x: f32, travel| (sphere(x, 4., 0., 1.), [travel, 0., 0.]);
    assert_eq!(sweep(to_side(-5., 3.9), POST), Miss);
    assert_eq!(sweep(to_side(-5., -9.), POST), Miss);
    assert_eq!(sweep(to_side(-5., 4.), POST), When(1., 1.));
    assert_eq!(sweep(to_side(1., 4.), POST), When(0., 0.5));
    assert_eq!(sweep(to_side(1., 1.), POST), When(0., 1.));
}

#[test]
fn zero_motion_of_either_sign_agrees() {
    for zero in [0.0, -0.0] {
        for (x, y) in [(3., 4.), (1., 10.), (1., -2.), (1., 4.)] {
            let still = (sphere(x, y, 0., 1.), [zero; 3]);
            assert_eq!(sweep(still, POST), When(0., 1.), "{x} {y}");
        }
        for (x, y) in [(3.001, 4.), (1., 10.001), (2.5, 9.5)] {
            let still = (sphere(x, y, 0., 1.), [zero; 3]);
            assert_eq!(sweep(still, POST), Miss, "{x} {y}");
        }
    }
    let motion = [3., -4., 5.];
    let with = (POST.0, motion);
    assert_eq!(sweep((sphere(3., 4., 0., 1.), motion), with), When(0., 1.));
    assert_eq!(sweep((sphere(4., 4., 0., 1.), motion), with), Miss);
}

#[test]
fn axis_of_any_length() {
    // Zero, subnormal, and with a square that underflows.
    for length in [0.0, 1e-45, 1e-40, 1e-30, 1e-7] {
        let capsule = Capsule {
            half_axis: [length, 0., -length],
            radius: 1.0,
            ..Capsule::default()
        };
        let still = (capsule, [0.0; 3]);
        let moving = (sphere(-8., 0., 0., 1.), [16., 0., 0.]);
        assert_eq!(sweep(moving, still), When(0.375, 0.625), "{length:e}");
        let beside = (sphere(-8., 2.001, 0., 1.), [16., 0., 0.]);
        assert_eq!(sweep(beside, still), Miss, "{length:e}");
    }
    let far = MAX_LENGTH;
    let long = Capsule {
        half_axis: [far; 3],
        ..Capsule::default()
    };
    let across = (sphere(far, -far, 0., 0.), [-far, far, 0.]);
    assert_eq!(sweep(across, (long, [far, -far, 0.])), When(0.5, 0.5));
    assert_eq!(sweep(across, (long, [-far, far, 0.])), Miss);
}

#[test]
fn slow_motion_and_invalid_values() {
    let slow = [1e-45, 0., -1e-40];
    assert_eq!(sweep((sphere(3.5, 4., 0., 1.), slow), POST), Miss);
    assert_eq!(sweep((sphere(2.5, 4., 0., 1.), slow), POST), When(0., 1.));
    assert_eq!(
        sweep((sphere(2.5, 4., 0., 1.), [f32::NAN, 0., 0.]), POST),
        Invalid
    );
    let bad = Capsule {
        half_axis: [0., f32::INFINITY, 0.],
        ..POST.0
    };
    assert_eq!(sweep((sphere(2.5, 4., 0., 1.), slow), (bad, slow)), Invalid);
}
