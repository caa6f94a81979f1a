//! Hand-computed cases of capsule-capsule distance.

use crate::testing::{apart, capsule};

#[test]
fn crossing_axes_have_the_gap_along_their_normal() {
    let along_x = capsule([0.; 3], [5., 0., 0.], 1.0);
    apart(along_x, capsule([3., 2., 4.], [0., 4., 0.], 1.0), 2.0);
    apart(along_x, capsule([2., 3., -7.], [3., 4., 0.], 1.0), 5.0);
    // Nearly touching axes: a rounded vector between them is not normal to them.
    let thin = capsule([0.; 3], [5., 3., 0.], 0.0);
    let height = 1.0 / 1024.0;
    let across = capsule([1., 1., height], [3., -4., 0.], 0.0);
    apart(thin, across, f64::from(height));
    apart(across, thin, f64::from(height));
}

#[test]
fn nearest_points_may_be_ends() {
    let along_x = capsule([0.; 3], [5., 0., 0.], 1.0);
    // An end beside the other axis; two ends, √(3² + 4²) apart; collinear axes.
    apart(along_x, capsule([1., 9., 0.], [0., 4., 0.], 1.0), 3.0);
    apart(along_x, capsule([8., 8., 0.], [0., 4., 0.], 1.0), 3.0);
    apart(along_x, capsule([14., 0., 0.], [-4., 0., 0.], 1.0), 3.0);
}

#[test]
fn parallel_and_degenerate_axes_have_distances() {
    let along_x = capsule([0.; 3], [5., 0., 0.], 1.0);
    for slope in [0.0, 1e-9, 1e-20] {
        apart(along_x, capsule([3., 6., 0.], [4., 0., slope], 1.0), 4.0);
    }
    let point = capsule([0., 10., 0.], [0.; 3], 1.0);
    apart(along_x, point, 8.0);
    apart(point, capsule([0.; 3], [1e-45, 0., 0.], 1.0), 8.0);
    let large = (1u64 << 58) as f32;
    apart(
        capsule([0.; 3], [large, 0., 0.], 0.0),
        capsule([0., 2. * large, 0.], [0., 0., large], 0.0),
        f64::from(2. * large),
    );
}

#[test]
fn capsules_that_touch_have_distance_zero() {
    let along_x = capsule([0.; 3], [5., 0., 0.], 1.0);
    apart(along_x, capsule([3., 2., 1.5], [0., 4., 0.], 1.0), 0.0);
    apart(along_x, along_x, 0.0);
    let thin = capsule([0.; 3], [5., 0., 0.], 0.0);
    apart(thin, capsule([1., 1., 0.], [0., 2., 0.], 0.0), 0.0);
}
