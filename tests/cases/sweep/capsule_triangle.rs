//! Hand-computed cases of capsule-triangle sweep.

use crate::testing::Answer::*;
use crate::testing::{REST, capsule, near, sweep};
use phalanx::Triangle;

/// A right angle in the plane z = 0.
const TILE: (Triangle, [f32; 3]) = (
    Triangle {
        corners: [[0., 0., 0.], [4., 0., 0.], [0., 3., 0.]],
    },
    REST,
);

#[test]
fn capsule_falls_through_the_inside() {
    // Horizontal, upright and leaning.
    let lying = (capsule([1., 1., 3.], [0.5, -0.5, 0.], 1.), [0., 0., -8.]);
    near(sweep(lying, TILE), 0.25, 0.5);
    near(sweep(TILE, lying), 0.25, 0.5);
    let upright = (capsule([1., 1., 4.], [0., 0., 1.], 1.), [0., 0., -8.]);
    near(sweep(upright, TILE), 0.25, 0.75);
    let leaning = (capsule([1., 1., 4.], [0.2, 0.1, 1.], 1.), [0., 0., -8.]);
    near(sweep(leaning, TILE), 0.25, 0.75);
    // Inside the swept triangle, at both ends of the frame.
    let long = capsule([1., 1., 0.], [0., 0., 9.], 0.1);
    assert_eq!(sweep((long, [0.1, 0.1, 3.]), TILE), When(0., 1.));
    assert_eq!(sweep((long, REST), TILE), When(0., 1.));
}

#[test]
fn axis_passes_edges_and_corners() {
    // Across the edge at y = 0: its side, in the plane y = 0, is met by the axis in the middle.
    let upright = |y, x| (capsule([x, y, 0.], [0., 0., 2.], 1.), [0., 4., 0.]);
    near(sweep(upright(-3., 2.), TILE), 0.5, 1.);
    near(sweep(upright(-3., 4.6), TILE), 0.55, 0.95);
    assert_eq!(sweep(upright(-3., 5.001), TILE), Miss);
    assert_eq!(sweep(upright(-5.001, 2.), TILE), Miss);
    // An axis that crosses the edge at an angle.
    let across = |z| (capsule([2., 0., z], [2., 2., 0.], 1.), [0., 0., -8.]);
    near(sweep(across(3.), TILE), 0.25, 0.5);
    // Along an edge.
    let along = |y| (capsule([2., y, 4.], [3., 0., 0.], 1.), [0., 0., -8.]);
    near(sweep(along(-0.8), TILE), 3.4 / 8., 4.6 / 8.);
    assert_eq!(sweep(along(-1.001), TILE), Miss);
}

#[test]
fn spheres_and_points_are_capsules() {
    let sphere = (capsule([2., -0.8, 4.], [0.; 3], 1.), [0., 0., -8.]);
    near(sweep(sphere, TILE), 3.4 / 8., 4.6 / 8.);
    let ray = (capsule([1., 1., 4.], [0.; 3], 0.), [0., 0., -8.]);
    near(sweep(ray, TILE), 0.5, 0.5);
    let dot = (Triangle::default(), REST);
    let rod = (capsule([0., 0., 4.], [2., 0., 0.], 1.), [0., 0., -8.]);
    near(sweep(rod, dot), 3. / 8., 5. / 8.);
    assert_eq!(
        sweep(
            rod,
            (
                Triangle {
                    corners: [[3.001, 0., 0.]; 3]
                },
                REST
            )
        ),
        Miss
    );
}
