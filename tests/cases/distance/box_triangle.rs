//! Hand-computed cases of box-triangle distance.

use crate::testing::{EIGHTH, STRAIGHT, apart, cube};
use phalanx::{Aabb, Triangle};

/// A right triangle with sides of 3, 4 and 5.
const TRIANGLE: Triangle = Triangle {
    corners: [[0., 0., 1.], [4., 0., 1.], [0., 3., 1.]],
};

fn aabb_cube(center: [f32; 3]) -> Aabb {
    Aabb::from_center_half_extents(center, [1.0; 3])
}

#[test]
fn faces_edges_and_corners_have_their_distance() {
    for (center, exact) in [
        // Faces on both sides, an edge beside a face of the box, two edges, and two corners.
        ([1., 1., 5.], 3.0),
        ([1., 1., -3.], 3.0),
        ([2., -4., 1.], 3.0),
        ([2., -4., 6.], 5.0),
        ([-2., -3., 4.], 3.0),
        ([8., -3., -2.], (9.0f64 + 4.0 + 4.0).sqrt()),
        // A vertical edge beside the longest edge: 4.5 from it along (3, 4) / 5, less the corner of the box.
        ([2. + 3. + 1., 1.5 + 4. + 1., 1.], 5.0),
    ] {
        apart(aabb_cube(center), TRIANGLE, exact);
        apart(TRIANGLE, aabb_cube(center), exact);
    }
}

#[test]
fn corner_of_a_box_above_a_face_has_its_height() {
    // The plane x + y + z = 6, √3 from the corner (1, 1, 1).
    let slanted = Triangle {
        corners: [[6., 0., 0.], [0., 6., 0.], [0., 0., 6.]],
    };
    apart(aabb_cube([0.; 3]), slanted, 3f64.sqrt());
}

#[test]
fn aabb_boxes_that_touch_have_distance_zero() {
    // Through the face by a corner, by an edge and by the whole box; around the triangle; a face on the face.
    let slanted = Triangle {
        corners: [[6., 0., 0.], [0., 6., 0.], [0., 0., 6.]],
    };
    apart(aabb_cube([1.5; 3]), slanted, 0.0);
    apart(aabb_cube([1.0, 1.0, 1.5]), TRIANGLE, 0.0);
    apart(aabb_cube([1.0, 1.0, 2.0]), TRIANGLE, 0.0);
    let large = Aabb::from_center_half_extents([0.; 3], [9.; 3]);
    apart(large, TRIANGLE, 0.0);
    let large = Triangle {
        corners: [[-20., -20., 0.5], [20., -20., 0.5], [0., 20., 0.25]],
    };
    apart(aabb_cube([0.; 3]), large, 0.0);
}

#[test]
fn edges_along_a_side_are_not_turned() {
    // The longest edge is oblique; another edge is along x, parallel to the nearest edge of the box.
    let triangle = Triangle {
        corners: [[1.5, -1.75, 0.], [1.75, -1.75, 0.], [1.5, -1.5, 0.]],
    };
    let aabb = Aabb {
        min: [1.58, -2.75, 0.75],
        max: [2.17, -2.75, 1.5],
    };
    apart(aabb, triangle, 1.25);
}

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
fn obb_boxes_that_touch_have_distance_zero() {
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
