//! Hand-computed cases of capsule-OBB overlap.

use crate::testing::Answer::*;
use crate::testing::{EIGHTH, cube, overlap, overlap_with_margin};
use phalanx::{Capsule, Obb};

fn target(rotation: [f32; 4]) -> Obb {
    cube([10., 0., 0.], rotation)
}

fn post(x: f32, radius: f32) -> Capsule {
    Capsule::between([x, -3., 0.5], [x, 5., 0.5], radius)
}

#[test]
fn box_is_rotated() {
    for (x, straight, rotated) in [
        (6.0, Miss, Miss),
        (6.585, Miss, Miss),
        (6.586, Miss, Hit),
        (6.999, Miss, Hit),
        (7.001, Hit, Hit),
        (13.414, Miss, Hit),
        (13.415, Miss, Miss),
    ] {
        assert_eq!(
            overlap(post(x, 2.), target([0., 0., 0., 1.])),
            straight,
            "{x}"
        );
        assert_eq!(overlap(post(x, 2.), target(EIGHTH)), rotated, "{x}");
        assert_eq!(overlap(target(EIGHTH), post(x, 2.)), rotated, "{x}");
    }
    assert_eq!(overlap_with_margin(post(6.4, 2.), target(EIGHTH), 0.2), Hit);
}

#[test]
fn capsule_parallel_to_a_rotated_face() {
    // Parallel to the face towards (−1, −1, 0), 1 from the center.
    let beside = |distance: f32| {
        let back = distance * 0.5f32.sqrt();
        Capsule {
            center: [10. - back, -back, 0.],
            half_axis: [3., -3., 0.],
            radius: 0.5,
        }
    };
    assert_eq!(overlap(beside(1.4999), target(EIGHTH)), Hit);
    assert_eq!(overlap(beside(1.5001), target(EIGHTH)), Miss);
}
