//! Hand-computed cases of sphere-triangle distance.

use crate::testing::{apart, sphere};
use phalanx::Triangle;

/// A right triangle with sides of 3, 4 and 5.
const TRIANGLE: Triangle = Triangle {
    corners: [[0., 0., 1.], [4., 0., 1.], [0., 3., 1.]],
};

#[test]
fn faces_edges_and_corners_have_their_distance() {
    // Above and below, beside each edge, beyond each corner.
    for (center, exact) in [
        ([1., 1., 5.], 4.0),
        ([1., 1., -3.], 4.0),
        ([2., -3., 5.], 5.0),
        ([-3., 1., -3.], 5.0),
        ([2. + 1.8, 1.5 + 2.4, 5.], 5.0),
        ([-3., -4., 1.], 5.0),
        ([7., -4., 1.], 5.0),
        ([-3., 3., 5.], 5.0),
    ] {
        let [x, y, z] = center;
        apart(sphere(x, y, z, 1.0), TRIANGLE, exact - 1.0);
        apart(TRIANGLE, sphere(x, y, z, 0.5), exact - 0.5);
    }
}

#[test]
fn spheres_that_touch_have_distance_zero() {
    for (x, y, z) in [(1., 1., 1.), (1., 1., 1.5), (2., -1., 1.), (4., 0., 2.)] {
        apart(sphere(x, y, z, 1.0), TRIANGLE, 0.0);
    }
}

#[test]
fn flat_triangles_are_segments_and_points() {
    let segment = Triangle {
        corners: [[0., 0., 0.], [1., 0., 0.], [4., 0., 0.]],
    };
    apart(sphere(2., 3., 4., 1.0), segment, 4.0);
    apart(sphere(8., 3., 0., 1.0), segment, 4.0);
    let doubled = Triangle {
        corners: [[0., 0., 0.], [4., 0., 0.], [4., 0., 0.]],
    };
    apart(sphere(2., 3., 4., 1.0), doubled, 4.0);
    let point = Triangle {
        corners: [[1.; 3]; 3],
    };
    apart(sphere(1., 4., 5., 1.0), point, 4.0);
}
