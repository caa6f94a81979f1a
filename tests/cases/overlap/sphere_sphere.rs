//! Hand-computed cases of sphere-sphere overlap.

use crate::testing::Answer::*;
use crate::testing::{overlap, overlap_with_margin, sphere};

#[test]
fn touching_spheres_hit() {
    assert_eq!(overlap(sphere(0., 0., 0., 1.), sphere(2., 0., 0., 1.)), Hit);
    assert_eq!(
        overlap(sphere(0., 0., 0., 1.), sphere(2.0001, 0., 0., 1.)),
        Miss
    );
    assert_eq!(
        overlap(sphere(1., 2., 2., 2.5), sphere(0., 0., 0., 0.5)),
        Hit
    );
    assert_eq!(overlap(sphere(5., 5., 5., 0.), sphere(5., 5., 5., 0.)), Hit);
}

#[test]
fn margin_reports_near_misses() {
    let (a, b) = (sphere(0., 0., 0., 1.), sphere(3., 0., 0., 1.));
    assert_eq!(overlap_with_margin(a, b, 1.0), Hit);
    assert_eq!(overlap_with_margin(a, b, 0.9999), Miss);
}

#[test]
fn invalid_spheres_are_flagged() {
    let good = sphere(0., 0., 0., 1.);
    for bad in [
        sphere(f32::NAN, 0., 0., 1.),
        sphere(0., f32::INFINITY, 0., 1.),
        sphere(0., 0., 0., -1.),
        sphere(0., 0., 0., f32::NAN),
        sphere(2e18, 0., 0., 1.),
    ] {
        assert_eq!(overlap(good, bad), Invalid);
        assert_eq!(overlap(bad, good), Invalid);
    }
}
