//! Hand-computed cases of point-capsule sweep.

use crate::testing::Answer::*;
use crate::testing::{ray, sweep};
use phalanx::Capsule;

/// From (1, 0, 0) to (1, 8, 0).
const POST: (Capsule, [f32; 3]) = (Capsule::between([1., 0., 0.], [1., 8., 0.], 2.0), [0.0; 3]);

#[test]
fn ray_through_the_side() {
    let through = ray([-7., 4., 0.], [16., 0., 0.]);
    assert_eq!(sweep(through, POST), When(0.375, 0.625));
    assert_eq!(sweep(POST, through), When(0.375, 0.625));
    // Beside the axis, by 1.2 and 1.6.
    let beside = ray([-7., 4., 1.2], [16., 0., 0.]);
    assert_eq!(sweep(beside, POST), When(0.4, 0.6));
    assert_eq!(sweep(ray([-7., 4., 2.001], [16., 0., 0.]), POST), Miss);
    assert_eq!(sweep(ray([-7., 4., 0.], [5.99, 0., 0.]), POST), Miss);
    assert_eq!(sweep(ray([1., 4., 0.], [8., 0., 0.]), POST), When(0., 0.25));
}

#[test]
fn ray_along_the_axis() {
    let along = ray([1., -6., 0.], [0., 20., -0.]);
    assert_eq!(sweep(along, POST), When(0.2, 0.8));
    assert_eq!(sweep(ray([1., 11., 0.], [0., 4., 0.]), POST), Miss);
    assert_eq!(sweep(ray([1., 3., 0.], [0.; 3]), POST), When(0., 1.));
    assert_eq!(sweep(ray([4., 3., 0.], [0.; 3]), POST), Miss);
}

#[test]
fn capsule_may_move() {
    let coming = (POST.0, [-16., 0., 0.]);
    assert_eq!(sweep(ray([9., 4., 0.], [0.; 3]), coming), Miss);
    assert_eq!(
        sweep(ray([-7., 4., 0.], [0.; 3]), coming),
        When(0.375, 0.625)
    );
}
