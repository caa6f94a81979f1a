//! Hand-computed cases of box-box overlap.

use crate::testing::Answer::*;
use crate::testing::{EIGHTH, STRAIGHT, cube, overlap, overlap_with_margin};
use phalanx::{Aabb, Obb};

const UNIT_AABB: Aabb = Aabb {
    min: [0.0; 3],
    max: [1.0; 3],
};

const SQRT_HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;

const OBB_CUBE: Obb = Obb {
    center: [0.0; 3],
    half_extents: [1.0; 3],
    rotation: STRAIGHT,
};

const AABB_CUBE: Aabb = Aabb {
    min: [-1.0; 3],
    max: [1.0; 3],
};

fn moved(x: f32, y: f32, z: f32) -> Aabb {
    Aabb {
        min: [x, y, z],
        max: [x + 1.0, y + 1.0, z + 1.0],
    }
}

#[test]
fn touching_faces_edges_and_corners_hit() {
    for touching in [moved(1., 0., 0.), moved(1., 1., 0.), moved(-1., 1., 1.)] {
        assert_eq!(overlap(UNIT_AABB, touching), Hit);
    }
    for apart in [
        moved(1.0000001, 0., 0.),
        moved(0., -1.0000001, 0.),
        moved(9., 9., 9.),
    ] {
        assert_eq!(overlap(UNIT_AABB, apart), Miss);
    }
}

#[test]
fn smallest_gap_misses() {
    let tiny = f32::from_bits(1);
    let at = |x: f32| Aabb {
        min: [x, 0., 0.],
        max: [x, 0., 0.],
    };
    assert_eq!(overlap(at(0.0), at(-0.0)), Hit);
    assert_eq!(overlap(at(0.0), at(tiny)), Miss);
    assert_eq!(overlap_with_margin(at(0.0), at(tiny), tiny), Hit);
}

#[test]
fn aabbs_invalid_boxes_are_flagged() {
    let crossed = Aabb {
        min: [0., 2., 0.],
        max: [1.; 3],
    };
    let nan = Aabb {
        min: [0.; 3],
        max: [1., f32::NAN, 1.],
    };
    assert_eq!(overlap(UNIT_AABB, crossed), Invalid);
    assert_eq!(overlap(nan, UNIT_AABB), Invalid);
}

#[test]
fn face_normal_separates() {
    assert_eq!(overlap(OBB_CUBE, cube([2.0, 0.0, 0.0], STRAIGHT)), Hit);
    assert_eq!(overlap(OBB_CUBE, cube([2.0001, 0.0, 0.0], STRAIGHT)), Miss);
    // The edge of the rotated cube extends 1.4142 towards the other.
    assert_eq!(overlap(OBB_CUBE, cube([2.414, 0.0, 0.0], EIGHTH)), Hit);
    assert_eq!(overlap(OBB_CUBE, cube([2.415, 0.0, 0.0], EIGHTH)), Miss);
    assert_eq!(overlap(cube([2.415, 0.0, 0.0], EIGHTH), OBB_CUBE), Miss);
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
    assert_eq!(overlap(OBB_CUBE, cube([2.414, 0.0, 0.0], long)), Hit);
    assert_eq!(overlap(OBB_CUBE, cube([2.415, 0.0, 0.0], long)), Miss);
}

#[test]
fn margin_grows_the_boxes() {
    let far = cube([3.0, 0.0, 0.0], STRAIGHT);
    assert_eq!(overlap_with_margin(OBB_CUBE, far, 1.0), Hit);
    assert_eq!(overlap_with_margin(OBB_CUBE, far, 0.999), Miss);
}

#[test]
fn obbs_invalid_boxes_are_flagged() {
    for bad in [
        cube([0.0; 3], [0.0; 4]),
        cube([0.0; 3], [0.0, 0.0, 0.0, 1.01]),
        cube([0.0; 3], [f32::NAN, 0.0, 0.0, 1.0]),
        Obb {
            half_extents: [1.0, -1.0, 1.0],
            ..OBB_CUBE
        },
        Obb {
            center: [0.0, 0.0, f32::INFINITY],
            ..OBB_CUBE
        },
    ] {
        assert_eq!(overlap(OBB_CUBE, bad), Invalid);
        assert_eq!(overlap(bad, OBB_CUBE), Invalid);
    }
}

#[test]
fn face_normals_of_either_box_separate() {
    let straight = [0., 0., 0., 1.];
    assert_eq!(overlap(AABB_CUBE, cube([2., 0., 0.], straight)), Hit);
    assert_eq!(overlap(AABB_CUBE, cube([2.0001, 0., 0.], straight)), Miss);
    assert_eq!(overlap(AABB_CUBE, cube([2.414, 0., 0.], EIGHTH)), Hit);
    assert_eq!(overlap(cube([2.415, 0., 0.], EIGHTH), AABB_CUBE), Miss);
    // Along the diagonal the face plane of the rotated cube is 1 + √2 away.
    assert_eq!(overlap(AABB_CUBE, cube([1.707, 1.707, 0.], EIGHTH)), Hit);
    assert_eq!(overlap(AABB_CUBE, cube([1.708, 1.708, 0.], EIGHTH)), Miss);
    assert_eq!(
        overlap_with_margin(AABB_CUBE, cube([2.5, 0., 0.], straight), 0.5),
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
