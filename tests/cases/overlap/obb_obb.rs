//! Hand-computed cases of OBB-OBB overlap.

use crate::testing::Answer::*;
use crate::testing::{EIGHTH, STRAIGHT, cube, overlap, overlap_with_margin};
use phalanx::Obb;

const SQRT_HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;
const UNIT: Obb = Obb {
    center: [0.0; 3],
    half_extents: [1.0; 3],
    rotation: STRAIGHT,
};

#[test]
fn face_normal_separates() {
    assert_eq!(overlap(UNIT, cube([2.0, 0.0, 0.0], STRAIGHT)), Hit);
    assert_eq!(overlap(UNIT, cube([2.0001, 0.0, 0.0], STRAIGHT)), Miss);
    // The edge of the rotated cube extends 1.4142 towards the other.
    assert_eq!(overlap(UNIT, cube([2.414, 0.0, 0.0], EIGHTH)), Hit);
    assert_eq!(overlap(UNIT, cube([2.415, 0.0, 0.0], EIGHTH)), Miss);
    assert_eq!(overlap(cube([2.415, 0.0, 0.0], EIGHTH), UNIT), Miss);
}

#[test]
fn only_an_edge_cross_product_separates() {
    // Two crossed beams, rotated onto their edges: at a distance of 2 √2 they touch along z.
    let beam = |z, rotation| Obb {
        center: [0., 0., z],
        half_extents: [9., 1., 1.],
        rotation,
    };
    // A rotation by 45° about x, then by 90° about z.
    let along_x = [0.382_683_43, 0.0, 0.0, 0.923_879_5];
    let along_y = [0.270_598_05, 0.270_598_05, 0.653_281_5, 0.653_281_5];
    assert_eq!(overlap(beam(0., along_x), beam(2.8284, along_y)), Hit);
    assert_eq!(overlap(beam(0., along_x), beam(2.8285, along_y)), Miss);
}

#[test]
fn quarter_turn_swaps_half_extents() {
    let slab = |rotation| Obb {
        center: [0.0; 3],
        half_extents: [3., 1., 1.],
        rotation,
    };
    let quarter = [0.0, 0.0, SQRT_HALF, SQRT_HALF];
    let point = |x, y| Obb {
        center: [x, y, 0.],
        ..Obb::default()
    };
    assert_eq!(overlap(slab(quarter), point(0.0, 2.9)), Hit);
    assert_eq!(overlap(slab(quarter), point(2.9, 0.0)), Miss);
    assert_eq!(overlap(slab(STRAIGHT), point(2.9, 0.0)), Hit);
}

#[test]
fn tiny_boxes_with_a_tiny_rotation_hit() {
    let tiny = |x, turn| Obb {
        center: [x, 0., 0.],
        half_extents: [1e-12; 3],
        rotation: [turn, 0., 0., 1.],
    };
    assert_eq!(overlap(tiny(0.0, 0.0), tiny(2e-12, 1e-30)), Hit);
}

#[test]
fn rotation_is_normalised() {
    let long = EIGHTH.map(|x| x * 1.0009);
    assert_eq!(overlap(UNIT, cube([2.414, 0.0, 0.0], long)), Hit);
    assert_eq!(overlap(UNIT, cube([2.415, 0.0, 0.0], long)), Miss);
}

#[test]
fn margin_grows_the_boxes() {
    let far = cube([3.0, 0.0, 0.0], STRAIGHT);
    assert_eq!(overlap_with_margin(UNIT, far, 1.0), Hit);
    assert_eq!(overlap_with_margin(UNIT, far, 0.999), Miss);
}

#[test]
fn invalid_boxes_are_flagged() {
    for bad in [
        cube([0.0; 3], [0.0; 4]),
        cube([0.0; 3], [0.0, 0.0, 0.0, 1.01]),
        cube([0.0; 3], [f32::NAN, 0.0, 0.0, 1.0]),
        Obb {
            half_extents: [1.0, -1.0, 1.0],
            ..UNIT
        },
        Obb {
            center: [0.0, 0.0, f32::INFINITY],
            ..UNIT
        },
    ] {
        assert_eq!(overlap(UNIT, bad), Invalid);
        assert_eq!(overlap(bad, UNIT), Invalid);
    }
}
