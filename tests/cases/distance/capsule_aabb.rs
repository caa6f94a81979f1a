//! Hand-computed cases of capsule-AABB distance.

use crate::testing::{apart, capsule};
use phalanx::Aabb;

#[test]
fn faces_edges_and_corners_are_nearest() {
    let b = Aabb::from_center_half_extents([10., 0., 0.], [1., 2., 3.]);
    apart(capsule([5., 1., 0.], [0., 3., 0.], 1.0), b, 3.0);
    // Beside the edge along z at (9, 2): 3 and 4 away.
    apart(capsule([6., 6., 1.], [0., 0., 9.], 1.0), b, 4.0);
    // An end, 2 from a corner along each axis.
    apart(
        capsule([7., 4., 7.], [0., 0., 2.], 1.0),
        b,
        12f64.sqrt() - 1.0,
    );
}

#[test]
fn capsules_that_touch_have_distance_zero() {
    let b = Aabb::from_center_half_extents([10., 0., 0.], [1., 2., 3.]);
    apart(capsule([5., 0., 0.], [9., 1., 1.], 0.0), b, 0.0);
    apart(capsule([8.5, 0., 0.], [0., 1., 0.], 0.5), b, 0.0);
}
