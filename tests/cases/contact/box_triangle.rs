//! Hand-computed cases of box-triangle contact.

use crate::testing::{EIGHTH, STRAIGHT, contact, cube};
use phalanx::{Aabb, Triangle};

const FLOOR: Triangle = Triangle {
    corners: [[-9., -9., 0.], [9., -9., 0.], [0., 9., 0.]],
};

#[test]
fn box_on_a_floor_has_four_corners_of_its_face() {
    for (rotation, reach) in [(STRAIGHT, 1.), (EIGHTH, 2f32.sqrt())] {
        for z in [0.75, -0.75] {
            let found = contact(cube([1., 2., z], rotation), FLOOR).unwrap();
            assert!((found.normal[2] + z / 0.75).abs() < 1e-5, "{found:?}");
            assert!((found.separation + 0.25).abs() < 1e-3);
            assert_eq!(found.points().len(), 4, "{found:?}");
            let mut features: Vec<u8> = found.points().iter().map(|p| p.feature).collect();
            features.sort_unstable();
            features.dedup();
            assert_eq!(features.len(), 4);
            for point in found.points() {
                let farthest = point.at[0].abs().max(point.at[1].abs());
                assert!((farthest - reach).abs() < 1e-3, "{found:?}");
                assert!((point.separation + 0.25).abs() < 1e-3);
            }
        }
    }
}

#[test]
fn triangle_on_a_box_has_three_corners() {
    let small = Triangle {
        corners: [[-0.5, -0.5, 0.9], [0.5, -0.5, 0.9], [0., 0.5, 0.9]],
    };
    let around = Aabb {
        min: [-1.; 3],
        max: [1.; 3],
    };
    for found in [
        contact(cube([0.; 3], STRAIGHT), small).unwrap(),
        contact(around, small).unwrap(),
    ] {
        assert!(found.normal[2] > 0.9999 && found.points().len() == 3);
        assert!((found.separation + 0.1).abs() < 1e-3, "{found:?}");
    }
    // Swapped, the points stay: a triangle has no center.
    let one = contact(around, small).unwrap();
    let other = contact(small, around).unwrap();
    assert_eq!(one.points(), other.points());
    assert_eq!(one.normal, other.normal.map(|x| -x));
}

#[test]
fn edges_that_cross_have_one_point() {
    // An edge of the cube at x = √2, across one of the triangle.
    let beside = Triangle {
        corners: [[1.4, -9., 1.], [1.4, 9., -1.], [10., 0., 0.]],
    };
    let found = contact(cube([0.; 3], EIGHTH), beside).unwrap();
    assert!(found.normal[0] > 0.999, "{found:?}");
    assert!((found.separation + 0.0142).abs() < 1e-3, "{found:?}");
    assert!(!found.points().is_empty());
}

#[test]
fn triangle_through_a_box_leaves_by_the_nearest_face() {
    let wall = Triangle {
        corners: [[0.5, -9., -9.], [0.5, 9., -9.], [0.5, 0., 9.]],
    };
    let found = contact(cube([0.; 3], STRAIGHT), wall).unwrap();
    assert!(found.normal[0] > 0.9999 && (found.separation + 0.5).abs() < 1e-3);
    let segment = Triangle {
        corners: [[0., 0., 0.75], [0., 0., 9.], [0., 0., 2.]],
    };
    let found = contact(cube([0.; 3], STRAIGHT), segment).unwrap();
    assert!(found.normal[2] > 0.9999 && (found.separation + 0.25).abs() < 1e-3);
    assert_eq!(found.points().len(), 1);
}
