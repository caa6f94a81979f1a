//! Hand-computed cases of point-AABB overlap.

use crate::testing::Answer::*;
use crate::testing::{overlap, overlap_with_margin, point};
use phalanx::Aabb;

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
fn margin_grows_the_box_along_its_axes() {
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
