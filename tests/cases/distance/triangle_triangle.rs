//! Hand-computed cases of triangle-triangle distance.

use crate::testing::apart;
use phalanx::Triangle;

/// A right triangle with sides of 3, 4 and 5, displaced.
fn right(x: f32, y: f32, z: f32) -> Triangle {
    Triangle {
        corners: [[x, y, z], [x + 4., y, z], [x, y + 3., z]],
    }
}

fn both(a: Triangle, b: Triangle, exact: f64) {
    apart(a, b, exact);
    apart(b, a, exact);
}

#[test]
fn faces_edges_and_corners_have_their_distance() {
    let flat = right(0., 0., 0.);
    // Parallel faces that cross seen from above, and faces beside each other.
    both(flat, right(1., 1., 3.), 3.0);
    let small = Triangle {
        corners: [[1., 1., 3.], [1.25, 1., 3.], [1., 1.25, 3.]],
    };
    both(flat, small, 3.0);
    both(flat, right(-7., 0., 4.), 5.0);
    both(flat, right(4. + 3., -7., 0.), 5.0);
    // A corner above the face, two crossing edges, and an edge above a parallel edge.
    let upright = |x, y, z| Triangle {
        corners: [[x, y, z], [x - 1., y, z + 4.], [x + 1., y, z + 4.]],
    };
    both(flat, upright(1., 1., 2.), 2.0);
    let edge = Triangle {
        corners: [[2., -5., 3.], [2., 5., 3.], [2., 0., 9.]],
    };
    both(flat, edge, 3.0);
    let beside = Triangle {
        corners: [[-1., -3., 4.], [9., -3., 4.], [4., -3., 9.]],
    };
    both(flat, beside, 5.0);
}

#[test]
fn triangles_that_touch_have_distance_zero() {
    let flat = right(0., 0., 0.);
    // A common edge, a common corner, a triangle in the plane of the other, and equal triangles.
    let neighbour = Triangle {
        corners: [[4., 0., 0.], [0., 3., 0.], [4., 3., 1.]],
    };
    both(flat, neighbour, 0.0);
    both(flat, right(4., 0., 0.), 0.0);
    both(flat, right(1., 0.5, 0.), 0.0);
    both(flat, flat, 0.0);
    let inner = Triangle {
        corners: [[0.5, 0.5, 0.], [1., 0.5, 0.], [0.5, 1., 0.]],
    };
    both(flat, inner, 0.0);
    // Two edges pierce the face, or one of each.
    let piercing = Triangle {
        corners: [[1., 1., 2.], [1.25, 1., -2.], [1., 1.25, -2.]],
    };
    both(flat, piercing, 0.0);
    let crossing = Triangle {
        corners: [[1., 1., -2.], [1., 1., 2.], [-9., 1., 0.]],
    };
    both(flat, crossing, 0.0);
}

#[test]
fn flat_triangles_are_segments_and_points() {
    let segment = Triangle {
        corners: [[2., -5., 3.], [2., 1., 3.], [2., 4., 3.]],
    };
    both(right(0., 0., 0.), segment, 3.0);
    let point = Triangle {
        corners: [[1., 1., 3.]; 3],
    };
    both(right(0., 0., 0.), point, 3.0);
    both(segment, point, 1.0);
    both(point, point, 0.0);
}
