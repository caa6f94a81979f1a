//! Hand-computed cases of AABB-OBB distance.

use crate::testing::{EIGHTH, STRAIGHT, apart, cube};
use phalanx::Aabb;

#[test]
fn faces_edges_and_corners_are_nearest() {
    let a = Aabb::from_center_half_extents([0.; 3], [1., 2., 3.]);
    apart(a, cube([5., 0.5, 0.], STRAIGHT), 3.0);
    apart(a, cube([5., 0.5, 0.], EIGHTH), 4.0 - 2f64.sqrt());
    apart(a, cube([5., 7., 0.], STRAIGHT), 5.0);
    apart(a, cube([4., 5., 6.], STRAIGHT), 12f64.sqrt());
    apart(cube([5., 0.5, 0.], EIGHTH), a, 4.0 - 2f64.sqrt());
}

#[test]
fn boxes_that_overlap_have_distance_zero() {
    let a = Aabb::from_center_half_extents([0.; 3], [1., 2., 3.]);
    apart(a, cube([2., 0., 0.], STRAIGHT), 0.0);
    apart(a, cube([2.25, 1., 1.], EIGHTH), 0.0);
}
