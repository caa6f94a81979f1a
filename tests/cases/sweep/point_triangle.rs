//! Hand-computed cases of point-triangle sweep.

use crate::testing::Answer::*;
use crate::testing::{near, ray, sweep};
use phalanx::Triangle;

/// A right angle in the plane z = 1.
const TILE: (Triangle, [f32; 3]) = (
    Triangle {
        corners: [[0., 0., 1.], [4., 0., 1.], [0., 3., 1.]],
    },
    [0.0; 3],
);

#[test]
fn ray_goes_through_inside_edges_and_corners() {
    for height in [4.0, -4.0] {
        let from = |x, y| ray([x, y, 1.0 - height / 4.0], [0., 0., height]);
        for (x, y) in [(1., 1.), (2., 0.), (0., 1.), (2., 1.5)] {
            near(sweep(from(x, y), TILE), 0.25, 0.25);
            near(sweep(TILE, from(x, y)), 0.25, 0.25);
        }
        for (x, y) in [(0., 0.), (4., 0.), (0., 3.)] {
            near(sweep(from(x, y), TILE), 0.25, 0.25);
        }
        for (x, y) in [
            (2., -0.001),
            (-0.001, 1.),
            (2.001, 1.501),
            (4.002, 0.),
            (0., 3.002),
        ] {
            assert_eq!(sweep(from(x, y), TILE), Miss, "{x} {y}");
        }
    }
    assert_eq!(sweep(ray([1., 1., 0.], [0., 0., 0.999]), TILE), Miss);
    near(sweep(ray([1., 1., 0.], [0., 0., 1.]), TILE), 1.0, 1.0);
    assert_eq!(sweep(ray([1., 1., 2.], [0., 0., 1.]), TILE), Miss);
}

#[test]
fn ray_in_the_plane_touches_for_a_while() {
    near(sweep(ray([-2., 1.5, 1.], [8., 0., 0.]), TILE), 0.25, 0.5);
    assert_eq!(sweep(ray([-2., 1.5, 1.001], [8., 0., 0.]), TILE), Miss);
    assert_eq!(sweep(ray([1., 1., 1.], [0.; 3]), TILE), When(0., 1.));
    assert_eq!(sweep(ray([3., 3., 1.], [0.; 3]), TILE), Miss);
}

#[test]
fn triangle_may_move_or_be_flat() {
    near(
        sweep(ray([1., 1., 0.], [0.; 3]), (TILE.0, [0., 0., -4.])),
        0.25,
        0.25,
    );
    let segment = Triangle {
        corners: [[0., 0., 1.], [4., 0., 1.], [2., 0., 1.]],
    };
    let segment = (segment, [0.0; 3]);
    near(sweep(ray([3., 0., 0.], [0., 0., 4.]), segment), 0.25, 0.25);
    assert_eq!(sweep(ray([3., 0.001, 0.], [0., 0., 4.]), segment), Miss);
    assert_eq!(sweep(ray([4.001, 0., 0.], [0., 0., 4.]), segment), Miss);
    let point = (Triangle::default(), [0.0; 3]);
    near(sweep(ray([-1.; 3], [2.; 3]), point), 0.5, 0.5);
    assert_eq!(sweep(ray([-1., -1., -0.999], [2.; 3]), point), Miss);
}

#[test]
fn bad_triangles_are_flagged() {
    for bad in [[f32::NAN, 0., 0.], [0., 2e18, 0.], [0., 0., f32::INFINITY]] {
        for k in 0..3 {
            let mut triangle = TILE.0;
            triangle.corners[k] = bad;
            assert_eq!(sweep(ray([0.; 3], [0.; 3]), (triangle, [0.; 3])), Invalid);
        }
    }
}
