//! Hand-computed cases of sphere-triangle sweep.

use crate::testing::Answer::*;
use crate::testing::{REST, near, sphere, sweep};
use phalanx::Triangle;

/// A right angle in the plane z = 0.
const TILE: (Triangle, [f32; 3]) = (
    Triangle {
        corners: [[0., 0., 0.], [4., 0., 0.], [0., 3., 0.]],
    },
    REST,
);

#[test]
fn sphere_falls_through_the_inside() {
    let falling = (sphere(1., 1., 3., 1.), [0., 0., -8.]);
    near(sweep(falling, TILE), 0.25, 0.5);
    near(sweep(TILE, falling), 0.25, 0.5);
    near(sweep((falling.0, REST), (TILE.0, [0., 0., 8.])), 0.25, 0.5);
    assert_eq!(sweep((falling.0, [0., 0., -1.99]), TILE), Miss);
    near(
        sweep((sphere(1., 1., -1., 1.), [0., 0., 8.]), TILE),
        0.,
        0.25,
    );
}

#[test]
fn edges_and_corners_are_rounded() {
    // 4/5 beside an edge: a chord of half length 3/5.
    for at in [[2., -0.8], [-0.8, 1.], [2. + 0.48, 1.5 + 0.64]] {
        let falling = (sphere(at[0], at[1], 4., 1.), [0., 0., -8.]);
        near(sweep(falling, TILE), 3.4 / 8., 4.6 / 8.);
    }
    for at in [[-0.48, -0.64], [4.8, 0.], [0., 3.8]] {
        let falling = (sphere(at[0], at[1], 4., 1.), [0., 0., -8.]);
        near(sweep(falling, TILE), 3.4 / 8., 4.6 / 8.);
    }
    for at in [
        [2., -1.001],
        [-1.001, 1.],
        [2.61, 2.31],
        [-0.71, -0.71],
        [5.001, 0.],
    ] {
        let falling = (sphere(at[0], at[1], 4., 1.), [0., 0., -8.]);
        assert_eq!(sweep(falling, TILE), Miss, "{at:?}");
    }
}

#[test]
fn sphere_slides_over_the_plane() {
    // From one side to the other, and static.
    let along = |z: f32| (sphere(-4., 1., z, 1.), [16., 0., 0.]);
    near(sweep(along(0.6), TILE), 3.2 / 16., 0.5);
    assert_eq!(sweep(along(1.001), TILE), Miss);
    assert_eq!(sweep((sphere(1., 1., 0.999, 1.), REST), TILE), When(0., 1.));
    assert_eq!(sweep((sphere(1., 1., 1.001, 1.), REST), TILE), Miss);
}

#[test]
fn segments_and_points_are_triangles() {
    let segment = |x: f32| Triangle {
        corners: [[-x, 0., 0.], [x, 0., 0.], [0., 0., 0.]],
    };
    let falling = |x: f32, y: f32| (sphere(x, y, 4., 1.), [0., 0., -8.]);
    near(
        sweep(falling(1., 0.), (segment(2.), REST)),
        3. / 8.,
        5. / 8.,
    );
    near(
        sweep(falling(2.8, 0.), (segment(2.), REST)),
        3.4 / 8.,
        4.6 / 8.,
    );
    assert_eq!(sweep(falling(3.001, 0.), (segment(2.), REST)), Miss);
    for length in [0., 1e-45, 1e-40] {
        let point = (segment(length), REST);
        near(sweep(falling(0., 0.8), point), 3.4 / 8., 4.6 / 8.);
        assert_eq!(sweep(falling(5., 0.), point), Miss, "{length:e}");
        assert_eq!(sweep(falling(0., 1.001), point), Miss, "{length:e}");
    }
}
