//! Hand-computed cases of capsule-triangle overlap.

use crate::testing::Answer::*;
use crate::testing::{capsule, overlap, overlap_with_margin};
use phalanx::Triangle;

/// A right angle in the plane z = 0.
const TILE: Triangle = Triangle {
    corners: [[0., 0., 0.], [4., 0., 0.], [0., 3., 0.]],
};

#[test]
fn axis_may_cross_the_inside() {
    for center in [[1., 1., 0.], [1., 1., 1.9], [0.5, 1., -1.9]] {
        let upright = capsule(center, [0., 0., 2.], 0.01);
        assert_eq!(overlap(upright, TILE), Hit);
        assert_eq!(overlap(TILE, upright), Hit);
    }
    assert_eq!(
        overlap(capsule([1., 1., 2.02], [0., 0., 2.], 0.01), TILE),
        Miss
    );
    assert_eq!(
        overlap(capsule([-1., 1., 0.], [0., 0., 2.], 0.99), TILE),
        Miss
    );
    assert_eq!(
        overlap(capsule([1., 1., 0.], [9., 9., 1e-3], 0.), TILE),
        Hit
    );
}

#[test]
fn nearest_points_may_lie_on_edges_and_corners() {
    // Across an edge, beside a corner, over the inside.
    let across = |z| capsule([2., 0., z], [0., 2., 0.], 1.);
    let beside = |x| capsule([x, 0., 0.], [0., 2., 2.], 1.);
    let over = |z| capsule([1., 1., z], [0.5, -0.5, 0.], 1.);
    assert_eq!(overlap(across(1.), TILE), Hit);
    assert_eq!(overlap(across(1.001), TILE), Miss);
    assert_eq!(overlap(beside(5.), TILE), Hit);
    assert_eq!(overlap(beside(5.001), TILE), Miss);
    assert_eq!(overlap(over(-1.), TILE), Hit);
    assert_eq!(overlap(over(-1.001), TILE), Miss);
    assert_eq!(overlap_with_margin(over(1.5), TILE, 0.501), Hit);
    assert_eq!(overlap_with_margin(over(1.5), TILE, 0.499), Miss);
}

#[test]
fn spheres_segments_and_points_are_capsules() {
    let point = capsule([1., 1., 0.], [0.; 3], 0.);
    assert_eq!(overlap(point, TILE), Hit);
    assert_eq!(overlap(capsule([1., 1., 1e-3], [0.; 3], 0.), TILE), Miss);
    assert_eq!(overlap(capsule([1., 1., 1.], [0.; 3], 1.), TILE), Hit);
    let dot = Triangle {
        corners: [[0., 0., 1.]; 3],
    };
    assert_eq!(overlap(capsule([0.; 3], [0., 0., 1.], 0.), dot), Hit);
    assert_eq!(overlap(capsule([0.; 3], [0., 0., 0.999], 0.), dot), Miss);
}
