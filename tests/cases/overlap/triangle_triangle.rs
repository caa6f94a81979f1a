//! Hand-computed cases of triangle-triangle overlap.

use crate::testing::Answer::*;
use crate::testing::{overlap, overlap_with_margin};
use phalanx::Triangle;

fn triangle(corners: [[f32; 3]; 3]) -> Triangle {
    Triangle { corners }
}

/// A right angle in the plane z = 0.
const TILE: [[f32; 3]; 3] = [[0., 0., 0.], [4., 0., 0.], [0., 3., 0.]];

/// Both orders of the pair, and every order of corners.
fn both(a: [[f32; 3]; 3], b: [[f32; 3]; 3]) -> crate::testing::Answer {
    let answer = overlap(triangle(a), triangle(b));
    for k in 0..6 {
        let mut turned = b;
        turned.rotate_left(k % 3);
        if k > 2 {
            turned.swap(0, 1);
        }
        assert_eq!(overlap(triangle(turned), triangle(a)), answer);
        assert_eq!(overlap(triangle(a), triangle(turned)), answer);
    }
    answer
}

#[test]
fn corner_pierces_the_inside() {
    let spike = |z| [[1., 1., z], [1., 1., z + 4.], [2., 1., z + 4.]];
    assert_eq!(both(TILE, spike(-1.)), Hit);
    assert_eq!(both(TILE, spike(0.)), Hit);
    assert_eq!(both(TILE, spike(0.001)), Miss);
    assert_eq!(both(TILE, spike(-4.)), Hit);
    assert_eq!(both(TILE, spike(-4.001)), Miss);
    let margin = overlap_with_margin(triangle(TILE), triangle(spike(0.001)), 0.0011);
    assert_eq!(margin, Hit);
}

#[test]
fn edges_cross_beside_both_planes_normals() {
    // The edge from (2, 0, −1) to (2, 0, 1) moved out along −y.
    let across = |y| [[2., y, -1.], [2., y, 1.], [2., y - 5., 0.]];
    assert_eq!(both(TILE, across(0.)), Hit);
    assert_eq!(both(TILE, across(-0.001)), Miss);
    // Interlocked like links of a chain: an edge of each goes through the other.
    let link = [[1., 1., -1.], [1., 1., 1.], [1., 9., 0.]];
    assert_eq!(both(TILE, link), Hit);
    // Both planes are crossed, but not in the same place.
    let beside = [[5., 1., -1.], [5., 1., 1.], [9., 1., 0.]];
    assert_eq!(both(TILE, beside), Miss);
}

#[test]
fn triangles_in_one_plane_touch_or_do_not() {
    let small = |x, y, z| [[x, y, z], [x + 0.5, y, z], [x, y + 0.5, z]];
    assert_eq!(both(TILE, TILE), Hit);
    assert_eq!(both(TILE, small(0.5, 0.5, 0.)), Hit);
    assert_eq!(both(TILE, small(0.5, 0.5, 0.001)), Miss);
    assert_eq!(both(TILE, small(4., 0., 0.)), Hit);
    assert_eq!(both(TILE, small(4.001, 0., 0.)), Miss);
    assert_eq!(both(TILE, small(2., 1.5, 0.)), Hit);
    assert_eq!(both(TILE, small(2.01, 1.5, 0.)), Miss);
    // Beyond the sharp corner, between the lines of both edges.
    assert_eq!(both(TILE, small(4.2, -0.1, 0.)), Miss);
    // A star of two triangles: no corner of either is in the other.
    let star = [[-1., 1., 0.], [3., 1., 0.], [1., -1., 0.]];
    assert_eq!(both(TILE, star), Hit);
    // A common edge, and a common corner.
    assert_eq!(both(TILE, [[0., 0., 0.], [4., 0., 0.], [2., -3., 1.]]), Hit);
    assert_eq!(both(TILE, [[0., 3., 0.], [0., 4., 1.], [1., 4., 0.]]), Hit);
}

#[test]
fn segments_and_points_are_triangles() {
    let segment = |x, z| [[x, 1., z], [x, 1., z + 2.], [x, 1., z + 1.]];
    assert_eq!(both(TILE, segment(1., -1.)), Hit);
    assert_eq!(both(TILE, segment(1., 0.001)), Miss);
    assert_eq!(both(TILE, segment(3., -1.)), Miss);
    assert_eq!(both(segment(1., 0.), segment(1., 1.5)), Hit);
    assert_eq!(both(segment(1., 0.), segment(1., 2.001)), Miss);
    let crossing = [[0., 1., 1.], [2., 1., 1.], [2., 1., 1.]];
    assert_eq!(both(segment(1., 0.), crossing), Hit);
    assert_eq!(both(TILE, [[1., 1., 0.]; 3]), Hit);
    assert_eq!(both(TILE, [[1., 1., 0.001]; 3]), Miss);
    assert_eq!(both([[1., 1., 0.]; 3], [[1., 1., 0.]; 3]), Hit);
    assert_eq!(both([[1., 1., 0.]; 3], [[1., 1., 0.001]; 3]), Miss);
}

#[test]
fn bad_triangles_are_flagged() {
    for bad in [[f32::NAN, 0., 0.], [0., 2e18, 0.], [0., 0., f32::INFINITY]] {
        for k in 0..3 {
            let mut corners = TILE;
            corners[k] = bad;
            assert_eq!(both(TILE, corners), Invalid);
        }
    }
}
