//! Hand-computed cases of point-sphere overlap.

use crate::testing::Answer::*;
use crate::testing::{overlap, overlap_with_margin, point};
use phalanx::Sphere;

const SPHERE: Sphere = Sphere {
    center: [1., 2., 3.],
    radius: 3.,
};

#[test]
fn surface_hits() {
    // 1, 2, 2 from the center, and slightly more.
    for (at, answer) in [
        (point(2., 4., 5.), Hit),
        (point(2., 4., 5.0001), Miss),
        (point(1., 2., 3.), Hit),
        (point(-2.0001, 2., 3.), Miss),
    ] {
        assert_eq!(overlap(at, SPHERE), answer, "{at:?}");
        assert_eq!(overlap(SPHERE, at), answer, "{at:?}");
    }
    assert_eq!(overlap_with_margin(point(-2.5, 2., 3.), SPHERE, 0.5), Hit);
    assert_eq!(
        overlap_with_margin(point(-2.5, 2., 3.), SPHERE, 0.4999),
        Miss
    );
}

#[test]
fn invalid_points_are_flagged() {
    for bad in [
        point(f32::NAN, 2., 3.),
        point(1., f32::INFINITY, 3.),
        point(1., 2., -2e18),
    ] {
        assert_eq!(overlap(bad, SPHERE), Invalid);
        assert_eq!(overlap(SPHERE, bad), Invalid);
    }
    let bad = Sphere {
        radius: -1.,
        ..SPHERE
    };
    assert_eq!(overlap(point(1., 2., 3.), bad), Invalid);
}
