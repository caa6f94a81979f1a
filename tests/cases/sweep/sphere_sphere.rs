//! Hand-computed cases of sphere-sphere sweep.

use crate::testing::Answer::*;
use crate::testing::{sphere, sweep};
use phalanx::Sphere;

const UNIT: (Sphere, [f32; 3]) = (
    Sphere {
        center: [0.0; 3],
        radius: 1.0,
    },
    [0.0; 3],
);

#[test]
fn moving_sphere_enters_and_exits() {
    let bullet = (sphere(-10., 0., 0., 1.), [20., 0., 0.]);
    assert_eq!(sweep(UNIT, bullet), When(0.4, 0.6));
    assert_eq!(sweep(bullet, UNIT), When(0.4, 0.6));
}

#[test]
fn contacts_outside_the_frame_miss() {
    assert_eq!(sweep(UNIT, (sphere(8., 0., 0., 1.), [-1., 0., 0.])), Miss);
    assert_eq!(sweep(UNIT, (sphere(4., 0., 0., 1.), [4., 0., 0.])), Miss);
    assert_eq!(
        sweep(UNIT, (sphere(4., 0., 0., 1.), [-2., 0., 0.])),
        When(1.0, 1.0)
    );
    assert_eq!(
        sweep(UNIT, (sphere(1., 0., 0., 1.), [4., 0., 0.])),
        When(0.0, 0.25)
    );
}

#[test]
fn equal_motions_have_the_static_result() {
    let (near, far) = (sphere(2., 0., 0., 1.), sphere(4., 0., 0., 1.));
    let still = (UNIT.0, [3., 1., 2.]);
    assert_eq!(sweep(still, (near, [3., 1., 2.])), When(0.0, 1.0));
    assert_eq!(sweep(still, (far, [3., 1., 2.])), Miss);
}

#[test]
fn extreme_motion_is_accurate() {
    assert_eq!(
        sweep(UNIT, (sphere(2.5, 0., 0., 1.), [1e-45, 0., 0.])),
        Miss
    );
    assert_eq!(
        sweep(UNIT, (sphere(1.5, 0., 0., 1.), [1e-45, 0., 0.])),
        When(0.0, 1.0)
    );
    let far = 1e18;
    assert_eq!(
        sweep(UNIT, (sphere(-far, 3., 0., far), [far, 0., 0.])),
        When(0.0, 1.0)
    );
}

#[test]
fn invalid_displacement_is_flagged() {
    assert_eq!(
        sweep(UNIT, (sphere(0., 0., 0., 1.), [f32::NAN, 0., 0.])),
        Invalid
    );
    assert_eq!(
        sweep((sphere(0., 0., 0., 1.), [0., 2e18, 0.]), UNIT),
        Invalid
    );
}
