//! Hand-computed cases of AABB-AABB overlap.

use crate::testing::Answer::*;
use crate::testing::{overlap, overlap_with_margin};
use phalanx::Aabb;

const UNIT: Aabb = Aabb {
    min: [0.0; 3],
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
        assert_eq!(overlap(UNIT, touching), Hit);
    }
    for apart in [
        moved(1.0000001, 0., 0.),
        moved(0., -1.0000001, 0.),
        moved(9., 9., 9.),
    ] {
        assert_eq!(overlap(UNIT, apart), Miss);
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
fn invalid_boxes_are_flagged() {
    let crossed = Aabb {
        min: [0., 2., 0.],
        max: [1.; 3],
    };
    let nan = Aabb {
        min: [0.; 3],
        max: [1., f32::NAN, 1.],
    };
    assert_eq!(overlap(UNIT, crossed), Invalid);
    assert_eq!(overlap(nan, UNIT), Invalid);
}
