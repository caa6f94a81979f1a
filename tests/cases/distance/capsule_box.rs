//! Hand-computed cases of capsule-box distance.

use crate::testing::{EIGHTH, STRAIGHT, apart, capsule, cube};
use phalanx::{Aabb, Capsule, Obb};

#[test]
fn faces_edges_and_corners_are_nearest() {
    let b = Aabb::from_center_half_extents([10., 0., 0.], [1., 2., 3.]);
    apart(capsule([5., 1., 0.], [0., 3., 0.], 1.0), b, 3.0);
    // Beside the edge along z at (9, 2): 3 and 4 away.
    apart(capsule([6., 6., 1.], [0., 0., 9.], 1.0), b, 4.0);
    // An end, 2 from a corner along each axis.
    apart(
        capsule([7., 4., 7.], [0., 0., 2.], 1.0),
        b,
        12f64.sqrt() - 1.0,
    );
}

#[test]
fn capsules_that_touch_have_distance_zero() {
    let b = Aabb::from_center_half_extents([10., 0., 0.], [1., 2., 3.]);
    apart(capsule([5., 0., 0.], [9., 1., 1.], 0.0), b, 0.0);
    apart(capsule([8.5, 0., 0.], [0., 1., 0.], 0.5), b, 0.0);
}

fn post(x: f32, radius: f32) -> Capsule {
    Capsule::between([x, -3., 0.5], [x, 5., 0.5], radius)
}

#[test]
fn faces_and_edges_are_nearest() {
    let root = 2f64.sqrt();
    apart(post(6., 0.5), cube([10., 0., 0.], STRAIGHT), 2.5);
    apart(post(6., 0.5), cube([10., 0., 0.], EIGHTH), 3.5 - root);
    // An edge; an end that is 4, 3 and 2 from a corner; and an end that is 2 from it along each axis.
    let b = cube([0.; 3], STRAIGHT);
    apart(capsule([5., 4., 5.], [0., 0., 5.], 1.0), b, 4.0);
    apart(
        capsule([5., 6., 0.], [0., 2., 3.], 1.0),
        b,
        29f64.sqrt() - 1.0,
    );
    apart(capsule([3., 3., 6.], [0., 0., 3.], 0.0), b, 12f64.sqrt());
}

#[test]
fn axis_close_to_an_edge_has_the_gap_along_their_normal() {
    let gap = 1.0 / 1024.0;
    let rotated = cube([0.; 3], EIGHTH);
    let leaning = capsule([1.5, 0., 0.], [0., 3., 2.], 0.0);
    apart(leaning, rotated, 1.5 - 2f64.sqrt());
    let straight = cube([0.; 3], STRAIGHT);
    // Beside the edge along z at (1, 1), in the plane x + y = 2.
    let past = capsule([1. + gap, 1. + gap, 0.], [2., -2., 1.], 0.0);
    apart(past, straight, f64::from(gap) * 2f64.sqrt());
}

#[test]
fn axis_through_a_box_has_distance_zero() {
    let b = cube([0.; 3], EIGHTH);
    apart(capsule([0.; 3], [9., 4., 1.], 0.0), b, 0.0);
    apart(capsule([9., 0., 0.], [8.5, 0.25, 0.], 0.0), b, 0.0);
    apart(capsule([0.; 3], [0.25, 0., 0.], 0.0), b, 0.0);
    apart(capsule([2., 0., 0.], [0., 0., 3.], 0.75), b, 0.0);
}

#[test]
fn degenerate_shapes_have_distances() {
    let flat = Obb {
        half_extents: [2., 0., 3.],
        ..Obb::default()
    };
    apart(capsule([0., 5., 0.], [9., 0., 0.], 1.0), flat, 4.0);
    let point = Obb {
        half_extents: [0.; 3],
        ..flat
    };
    apart(capsule([0., 5., 0.], [0.; 3], 1.0), point, 4.0);
    let large = (1u64 << 58) as f32;
    let b = Obb {
        half_extents: [large; 3],
        ..Obb::default()
    };
    apart(
        capsule([0., 3. * large, 0.], [large, 0., 0.], 0.0),
        b,
        f64::from(2. * large),
    );
}
