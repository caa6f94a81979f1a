//! Hand-computed cases of capsule-triangle contact.

use crate::testing::{capsule, contact};
use phalanx::{Contact, Triangle};

/// A right angle in the plane z = 0.
const TILE: Triangle = Triangle {
    corners: [[0., 0., 0.], [4., 0., 0.], [0., 3., 0.]],
};

#[track_caller]
fn check(contact: &Contact, normal: [f32; 3], separation: f32, count: usize) {
    let off = contact.normal.iter().zip(normal);
    let off = off.fold(0f32, |most, (x, y)| most.max((x - y).abs()));
    assert!(off < 2e-4, "{contact:?}, not {normal:?}");
    let below = separation - contact.separation;
    assert!((-1e-6..4e-4).contains(&below), "{contact:?}");
    assert_eq!(contact.points().len(), count, "{contact:?}");
}

#[test]
fn capsule_on_the_face_has_both_ends() {
    for z in [0.75, -0.75] {
        let lying = capsule([1., 1., z], [0.5, -0.25, 0.], 1.);
        let found = contact(lying, TILE).unwrap();
        check(&found, [0., 0., -z / 0.75], -0.25, 2);
        for (point, sign) in found.points().iter().zip([-1., 1.]) {
            assert!((point.at[0] - 0.5 * sign).abs() < 1e-4, "{found:?}");
        }
        check(&contact(TILE, lying).unwrap(), [0., 0., z / 0.75], -0.25, 2);
    }
    // One end beyond the edge x = 0: the axis ends there.
    let beyond = contact(capsule([0., 1., 0.75], [1., 0., 0.], 1.), TILE).unwrap();
    check(&beyond, [0., 0., -1.], -0.25, 2);
    assert!(beyond.points()[0].at[0].abs() < 1e-4, "{beyond:?}");
    // One end higher by more than the depth.
    let tilted = contact(capsule([1., 1., 1.], [0.4, 0., 0.3], 0.9), TILE).unwrap();
    check(&tilted, [0., 0., -1.], -0.2, 1);
}

#[test]
fn axis_through_the_face_leaves_the_shorter_way() {
    // 0.5 below the face, 1 from the edge y = 0.
    let upright = contact(capsule([1., 1., 1.5], [0., 0., 2.], 0.25), TILE).unwrap();
    check(&upright, [0., 0., -1.], -0.75, 1);
    // 0.25 from the edge y = 0, and parallel to it seen from above.
    let beside = contact(capsule([1., 0.25, 0.], [0., 0., 2.], 0.25), TILE).unwrap();
    check(&beside, [0., 1., 0.], -0.5, 1);
}

#[test]
fn axis_crosses_an_edge() {
    let across = contact(capsule([2., -0.6, 0.8], [0., 0.8, 0.6], 1.5), TILE).unwrap();
    check(&across, [0., 0.6, -0.8], -0.5, 1);
    // Along the edge: both ends of the part beside it touch.
    let along = contact(capsule([2., -0.75, 0.], [1., 0., 0.], 1.), TILE).unwrap();
    check(&along, [0., 1., 0.], -0.25, 2);
}

#[test]
fn degenerate_triangles_and_capsules_touch() {
    let point = Triangle {
        corners: [[1.; 3]; 3],
    };
    for half_axis in [[0.; 3], [0., 0., 2.], [2., 0., 0.], [0., 3., 1.]] {
        let found = contact(capsule([1.; 3], half_axis, 0.5), point).unwrap();
        let [x, y, z] = found.normal;
        let along = x * half_axis[0] + y * half_axis[1] + z * half_axis[2];
        assert!(along.abs() < 1e-4, "{found:?}");
        assert!((found.separation + 0.5).abs() < 1e-3, "{found:?}");
    }
    let segment = Triangle {
        corners: [[0., 0., 0.], [4., 0., 0.], [1., 0., 0.]],
    };
    let inside = contact(capsule([2., 0., 0.], [1., 0., 0.], 0.5), segment).unwrap();
    assert!((inside.separation + 0.5).abs() < 1e-3 && inside.normal[0].abs() < 1e-4);
}
