//! Hand-computed cases of box-box distance.

use crate::testing::{EIGHTH, STRAIGHT, apart, cube};
use phalanx::{Aabb, Obb};

/// A rotation by 45° about y.
const EIGHTH_ABOUT_Y: [f32; 4] = [0.0, 0.382_683_43, 0.0, 0.923_879_5];

#[test]
fn obbs_faces_edges_and_corners_are_nearest() {
    let (a, root) = (cube([0.; 3], STRAIGHT), 2f64.sqrt());
    apart(a, cube([5., 0.5, 0.], STRAIGHT), 3.0);
    apart(a, cube([5., 6., 0.], STRAIGHT), 5.0);
    apart(a, cube([4., 4., 4.], STRAIGHT), 12f64.sqrt());
    // A face and an edge, both ways.
    apart(a, cube([5., 0., 0.], EIGHTH), 4.0 - root);
    apart(cube([5., 0., 0.], EIGHTH), a, 4.0 - root);
}

#[test]
fn crossing_edges_have_the_gap_along_their_normal() {
    let a = cube([0.; 3], EIGHTH);
    for x in [4.0, 3.0, 2.83, 2.829] {
        let exact = f64::from(x) - 8f64.sqrt();
        apart(a, cube([x, 0.25, 0.125], EIGHTH_ABOUT_Y), exact);
        apart(cube([-x, 0.25, 0.125], EIGHTH_ABOUT_Y), a, exact);
    }
}

#[test]
fn stacked_boxes_have_the_gap_between_their_faces() {
    let gap = 1.0 / 1024.0;
    let a = cube([0.; 3], STRAIGHT);
    for angle in [0.0, 1e-9, 0.1, 0.3] {
        let turned = [0., 0., angle, 1.];
        let length = f32::sqrt(1. + angle * angle);
        let b = cube([0.75, 0.5, 2. + gap], turned.map(|x| x / length));
        apart(a, b, f64::from(gap));
        apart(b, a, f64::from(gap));
    }
}

#[test]
fn obbs_boxes_that_overlap_have_distance_zero() {
    let a = cube([0.; 3], STRAIGHT);
    for center in [[0.; 3], [2., 0., 0.], [2., 2., 2.], [1.5, -1.5, 0.5]] {
        apart(a, cube(center, STRAIGHT), 0.0);
    }
    apart(a, cube([2.25, 0., 0.], EIGHTH), 0.0);
    apart(cube([0.5, 0.5, 2.], EIGHTH_ABOUT_Y), a, 0.0);
}

#[test]
fn degenerate_boxes_have_distances() {
    let of = |center, half_extents| Obb {
        center,
        half_extents,
        rotation: EIGHTH,
    };
    let point = of([3., 0., 0.], [0.; 3]);
    apart(cube([0.; 3], STRAIGHT), point, 2.0);
    apart(point, of([0., 4., 0.], [0.; 3]), 5.0);
    // Two rectangles, one above the other, and a segment along z through none of them.
    let (low, high) = (of([0.; 3], [1., 2., 0.]), of([0.5, 0., 3.], [2., 1., 0.]));
    apart(low, high, 3.0);
    apart(of([0., 0., 9.], [0., 0., 2.]), low, 7.0);
    let large = (1u64 << 58) as f32;
    apart(
        of([0.; 3], [large, large, large]),
        of([0., 0., 4. * large], [large, 0., large]),
        f64::from(2. * large),
    );
}

#[test]
fn aabb_obb_faces_edges_and_corners_are_nearest() {
    let a = Aabb::from_center_half_extents([0.; 3], [1., 2., 3.]);
    apart(a, cube([5., 0.5, 0.], STRAIGHT), 3.0);
    apart(a, cube([5., 0.5, 0.], EIGHTH), 4.0 - 2f64.sqrt());
    apart(a, cube([5., 7., 0.], STRAIGHT), 5.0);
    apart(a, cube([4., 5., 6.], STRAIGHT), 12f64.sqrt());
    apart(cube([5., 0.5, 0.], EIGHTH), a, 4.0 - 2f64.sqrt());
}

#[test]
fn aabb_obb_boxes_that_overlap_have_distance_zero() {
    let a = Aabb::from_center_half_extents([0.; 3], [1., 2., 3.]);
    apart(a, cube([2., 0., 0.], STRAIGHT), 0.0);
    apart(a, cube([2.25, 1., 1.], EIGHTH), 0.0);
}
