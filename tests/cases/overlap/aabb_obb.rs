//! Hand-computed cases of AABB-OBB overlap.

use crate::testing::Answer::*;
use crate::testing::{EIGHTH, cube, overlap, overlap_with_margin};
use phalanx::{Aabb, Obb};

const UNIT: Aabb = Aabb {
    min: [-1.0; 3],
    max: [1.0; 3],
};

#[test]
fn face_normals_of_either_box_separate() {
    let straight = [0., 0., 0., 1.];
    assert_eq!(overlap(UNIT, cube([2., 0., 0.], straight)), Hit);
    assert_eq!(overlap(UNIT, cube([2.0001, 0., 0.], straight)), Miss);
    assert_eq!(overlap(UNIT, cube([2.414, 0., 0.], EIGHTH)), Hit);
    assert_eq!(overlap(cube([2.415, 0., 0.], EIGHTH), UNIT), Miss);
    // Along the diagonal the face plane of the rotated cube is 1 + √2 away.
    assert_eq!(overlap(UNIT, cube([1.707, 1.707, 0.], EIGHTH)), Hit);
    assert_eq!(overlap(UNIT, cube([1.708, 1.708, 0.], EIGHTH)), Miss);
    assert_eq!(
        overlap_with_margin(UNIT, cube([2.5, 0., 0.], straight), 0.5),
        Hit
    );
}

#[test]
fn far_from_origin_is_exact() {
    // At 2²⁴ consecutive floats differ by 2: centers of such boxes would round.
    let far = Aabb {
        min: [16_777_216., 0., 0.],
        max: [16_777_218., 1., 1.],
    };
    let point = |x| Obb {
        center: [x, 0.5, 0.5],
        ..Obb::default()
    };
    assert_eq!(overlap(far, point(16_777_216.)), Hit);
    assert_eq!(overlap(far, point(16_777_218.)), Hit);
    assert_eq!(overlap(far, point(16_777_220.)), Miss);
    assert_eq!(overlap(far, point(16_777_215.)), Miss);
}
