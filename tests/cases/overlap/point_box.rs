//! Hand-computed cases of point-box overlap.

use crate::testing::Answer::*;
use crate::testing::{overlap, overlap_with_margin, point};
use phalanx::{Aabb, Obb};

const BOX: Aabb = Aabb {
    min: [0., 1., 2.],
    max: [1., 3., 5.],
};

#[test]
fn corners_hit() {
    for (at, answer) in [
        (point(0., 1., 2.), Hit),
        (point(1., 3., 5.), Hit),
        (point(0.5, 2., 4.), Hit),
        (point(-0., 3., 2.), Hit),
        (point(-1e-45, 3., 2.), Miss),
        (point(1.0000001, 3., 2.), Miss),
        (point(0.5, 0.99999994, 2.), Miss),
        (point(0.5, 2., 5.0000005), Miss),
    ] {
        assert_eq!(overlap(at, BOX), answer, "{at:?}");
        assert_eq!(overlap(BOX, at), answer, "{at:?}");
    }
}

#[test]
fn aabb_margin_grows_the_box_along_its_axes() {
    // √3 times as far from the corner.
    assert_eq!(overlap_with_margin(point(1.5, 3.5, 5.5), BOX, 0.5), Hit);
    assert_eq!(overlap_with_margin(point(1.5001, 3., 5.), BOX, 0.5), Miss);
}

#[test]
fn zero_size_box_is_a_point() {
    let at = |x| Aabb {
        min: [x; 3],
        max: [x; 3],
    };
    assert_eq!(overlap(point(7., 7., 7.), at(7.)), Hit);
    assert_eq!(overlap(point(0., -0., 0.), at(-0.)), Hit);
    assert_eq!(overlap(point(7., 7., 7.), at(7.0000005)), Miss);
}

#[test]
fn box_is_rotated() {
    // A rotation by 45° about z: an edge points along x, √2 from the center.
    let rotated = Obb {
        center: [10., 0., 0.],
        half_extents: [1.; 3],
        rotation: [0.0, 0.0, 0.382_683_43, 0.923_879_5],
    };
    for (at, answer) in [
        (point(11.414, 0., 1.), Hit),
        (point(11.4145, 0., 1.), Miss),
        (point(8.586, 0., -1.), Hit),
        (point(8.5855, 0., -1.), Miss),
        (point(10.707, 0.707, 0.), Hit),
        (point(10.7075, 0.7075, 0.), Miss),
        (point(10., 0., 1.0001), Miss),
    ] {
        assert_eq!(overlap(at, rotated), answer, "{at:?}");
        assert_eq!(overlap(rotated, at), answer, "{at:?}");
    }
}

#[test]
fn obb_margin_grows_the_box_along_its_axes() {
    let straight = Obb {
        half_extents: [1., 2., 3.],
        ..Obb::default()
    };
    assert_eq!(overlap(point(1., -2., 3.), straight), Hit);
    assert_eq!(overlap(point(1., -2., 3.0001), straight), Miss);
    assert_eq!(
        overlap_with_margin(point(1.5, -2.5, 3.5), straight, 0.5),
        Hit
    );
    assert_eq!(
        overlap_with_margin(point(1.5, -2.5, 3.5), straight, 0.499),
        Miss
    );
}
