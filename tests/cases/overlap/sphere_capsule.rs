//! Hand-computed cases of sphere-capsule overlap.

use crate::testing::Answer::*;
use crate::testing::{overlap, overlap_with_margin, sphere};
use phalanx::Capsule;

/// From (1, 0, 0) to (1, 8, 0).
const POST: Capsule = Capsule::between([1., 0., 0.], [1., 8., 0.], 1.0);

#[test]
fn side_and_both_ends() {
    for (x, y, answer) in [
        // Beside the axis.
        (4.0, 3.0, Hit),
        (4.001, 3.0, Miss),
        (-2.0, 7.0, Hit),
        // Past an end, straight and obliquely: (3, 4, 5) and (5, 12, 13).
        (1.0, 11.0, Hit),
        (1.0, 11.001, Miss),
        (1.0, -3.0, Hit),
        (1.0, -3.001, Miss),
        (2.8, 10.4, Hit),
        (2.81, 10.4, Miss),
    ] {
        assert_eq!(overlap(sphere(x, y, 0., 2.0), POST), answer, "{x} {y}");
        assert_eq!(overlap(POST, sphere(x, y, 0., 2.0)), answer, "{x} {y}");
    }
    assert_eq!(
        overlap_with_margin(sphere(4.5, 3., 0., 2.0), POST, 0.5),
        Hit
    );
    assert_eq!(
        overlap_with_margin(sphere(4.51, 3., 0., 2.0), POST, 0.5),
        Miss
    );
}

#[test]
fn axis_of_any_length() {
    // Zero, subnormal, and with a square that underflows.
    for length in [0.0, 1e-45, 1e-30, 1e-4] {
        let capsule = Capsule {
            half_axis: [0., 0., -length],
            radius: 1.0,
            ..Capsule::default()
        };
        assert_eq!(
            overlap(sphere(3., 0., length, 2.0), capsule),
            Hit,
            "{length:e}"
        );
        assert_eq!(
            overlap(sphere(3.001, 0., length, 2.0), capsule),
            Miss,
            "{length:e}"
        );
    }
    let long = Capsule {
        half_axis: [0., 1e18, 0.],
        ..Capsule::default()
    };
    assert_eq!(overlap(sphere(1e17, -1e18, 0., 1e17), long), Hit);
    assert_eq!(overlap(sphere(1.01e17, -1e18, 0., 1e17), long), Miss);
    assert_eq!(overlap(sphere(0., 1.11e18, 0., 1e17), long), Miss);
    let point = Capsule::default();
    assert_eq!(overlap(sphere(0., 0., 0., 0.), point), Hit);
    assert_eq!(overlap(sphere(0., 1e-6, 0., 0.), point), Miss);
}

#[test]
fn invalid_capsules_are_flagged() {
    for half_axis in [
        [f32::NAN, 0., 0.],
        [0., 2e18, 0.],
        [0., 0., f32::NEG_INFINITY],
    ] {
        let bad = Capsule { half_axis, ..POST };
        assert_eq!(overlap(sphere(0., 0., 0., 1.), bad), Invalid);
    }
    let bad = Capsule {
        radius: -1.0,
        ..POST
    };
    assert_eq!(overlap(bad, sphere(0., 0., 0., 1.)), Invalid);
}
