//! Hand-computed cases of capsule-triangle distance.

use crate::testing::{apart, capsule};
use phalanx::Triangle;

/// A right triangle with sides of 3, 4 and 5.
const TRIANGLE: Triangle = Triangle {
    corners: [[0., 0., 1.], [4., 0., 1.], [0., 3., 1.]],
};

#[test]
fn axes_beside_the_triangle_have_distances() {
    for (center, half_axis, exact) in [
        // An end above the face, and an axis above an edge that it crosses.
        ([1., 1., 6.], [0., 1., 2.], 3.0),
        ([2., 0., 4.], [0., 5., 0.], 3.0),
        // Parallel to the face, above it, and beside an edge.
        ([1., 1., 4.], [0.5, 0.25, 0.], 3.0),
        ([2., -3., 5.], [4., 0., 0.], 5.0),
        // The middle of the axis and a corner, and two ends.
        ([-3., -4., 1.], [4., -3., 0.], 5.0),
        ([-3., -9., 1.], [0., 5., 0.], 5.0),
        // The middle of the axis beside the middle of an edge.
        ([2., -4., 1.], [0., 0., 3.], 4.0),
    ] {
        apart(capsule(center, half_axis, 0.5), TRIANGLE, exact - 0.5);
        apart(TRIANGLE, capsule(center, half_axis, 1.0), exact - 1.0);
    }
}

#[test]
fn axes_through_the_face_and_beside_it_touch() {
    apart(capsule([1., 1., 2.], [1., 1., 4.], 0.0), TRIANGLE, 0.0);
    apart(capsule([1., 1., 1.], [8., 0., 0.], 0.0), TRIANGLE, 0.0);
    apart(capsule([1., 1., 1.75], [0.5, 0.5, 0.], 1.0), TRIANGLE, 0.0);
}

#[test]
fn axes_without_length_are_points() {
    for half_axis in [[0.; 3], [1e-45, 0., 0.], [0., 1e-30, 1e-30]] {
        apart(capsule([1., 1., 5.], half_axis, 1.0), TRIANGLE, 3.0);
        apart(capsule([-3., -4., 1.], half_axis, 1.0), TRIANGLE, 4.0);
    }
    let segment = Triangle {
        corners: [[0., 0., 0.], [1., 0., 0.], [4., 0., 0.]],
    };
    apart(capsule([2., 0., 5.], [0., 3., 0.], 1.0), segment, 4.0);
    apart(capsule([8., 3., 0.], [0., 0., 3.], 1.0), segment, 4.0);
}
