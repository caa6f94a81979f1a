//! Hand-computed cases of OBB-triangle distance.

use crate::testing::{EIGHTH, STRAIGHT, apart, cube};
use phalanx::Triangle;

/// A right triangle with sides of 3, 4 and 5.
const TRIANGLE: Triangle = Triangle {
    corners: [[0., 0., 1.], [4., 0., 1.], [0., 3., 1.]],
};

#[test]
fn rotated_boxes_have_distances() {
    let root = 2f64.sqrt();
    for (center, exact) in [
        // A face above the face, and an edge beside a corner.
        ([1., 1., 5.], 3.0),
        ([-4., 0., 1.], 4.0 - root),
        // A face beside a corner.
        ([-4., -4., 1.], 4.0 * root - 1.0),
    ] {
        apart(cube(center, EIGHTH), TRIANGLE, exact);
        apart(TRIANGLE, cube(center, EIGHTH), exact);
    }
    apart(cube([2., -4., 6.], STRAIGHT), TRIANGLE, 5.0);
}

#[test]
fn boxes_that_touch_have_distance_zero() {
    apart(cube([-1.25, 0., 1.], EIGHTH), TRIANGLE, 0.0);
    apart(cube([1., 1., 1.5], EIGHTH), TRIANGLE, 0.0);
    let large = Triangle {
        corners: [[-20., -20., 0.5], [20., -20., 0.5], [0., 20., 0.25]],
    };
    apart(cube([0.; 3], EIGHTH), large, 0.0);
}

#[test]
fn flat_triangles_are_segments_and_points() {
    let segment = Triangle {
        corners: [[-9., 0., 4.], [1., 0., 4.], [9., 0., 4.]],
    };
    apart(cube([0.; 3], EIGHTH), segment, 3.0);
    let point = Triangle {
        corners: [[4., 0., 0.]; 3],
    };
    apart(cube([0.; 3], EIGHTH), point, 4.0 - 2f64.sqrt());
}
