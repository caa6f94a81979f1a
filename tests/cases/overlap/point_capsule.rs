//! Hand-computed cases of point-capsule overlap.

use crate::testing::Answer::*;
use crate::testing::{overlap, overlap_with_margin};
use phalanx::{Capsule, Point};

fn point(x: f32, y: f32) -> Point {
    Point {
        position: [x, y, 0.],
    }
}

/// From (1, 0, 0) to (1, 8, 0).
const POST: Capsule = Capsule::between([1., 0., 0.], [1., 8., 0.], 5.0);

#[test]
fn side_and_both_ends() {
    for (x, y, answer) in [
        (6.0, 3.0, Hit),
        (6.001, 3.0, Miss),
        (-4.0, 8.0, Hit),
        (1.0, 13.0, Hit),
        (1.0, 13.001, Miss),
        // Past an end, obliquely: 3, 4, 5.
        (4.0, 12.0, Hit),
        (4.001, 12.0, Miss),
        (-2.0, -4.0, Hit),
        (-2.001, -4.0, Miss),
    ] {
        assert_eq!(overlap(point(x, y), POST), answer, "{x} {y}");
        assert_eq!(overlap(POST, point(x, y)), answer, "{x} {y}");
    }
    assert_eq!(overlap_with_margin(point(6.5, 3.), POST, 0.5), Hit);
    assert_eq!(overlap_with_margin(point(6.51, 3.), POST, 0.5), Miss);
}

#[test]
fn segment_contains_its_points() {
    let segment = Capsule {
        center: [1., 1., 0.],
        half_axis: [2., 1., 0.],
        radius: 0.,
    };
    assert_eq!(overlap(point(3., 2.), segment), Hit);
    assert_eq!(overlap(point(0., 0.5), segment), Hit);
    assert_eq!(overlap(point(0., 0.501), segment), Miss);
    assert_eq!(overlap(point(3.001, 2.), segment), Miss);
}
