//! Hand-computed cases of capsule-AABB overlap.

use crate::testing::Answer::*;
use crate::testing::{capsule, overlap, overlap_with_margin};
use phalanx::{Aabb, Capsule, MAX_LENGTH};

const CUBE: Aabb = Aabb {
    min: [-1.0; 3],
    max: [1.0; 3],
};

fn touches(capsule: Capsule, aabb: Aabb) -> bool {
    let answer = overlap(capsule, aabb);
    assert_eq!(overlap(aabb, capsule), answer);
    let reversed = Capsule {
        half_axis: capsule.half_axis.map(|x| -x),
        ..capsule
    };
    assert_eq!(overlap(reversed, aabb), answer);
    matches!(answer, Hit)
}

#[test]
fn nearest_point_inside_the_axis() {
    // Past an edge, 3 and 4 away from it; past a corner, 2, 2 and 1 away, perpendicular to that.
    for (radius, hit) in [(5.001, true), (4.999, false)] {
        assert_eq!(
            touches(capsule([4., 5., 0.5], [8., -6., 0.], radius), CUBE),
            hit
        );
        assert_eq!(
            touches(capsule([4., 5., 0.5], [80., -60., 99.], radius), CUBE),
            hit
        );
    }
    for (radius, hit) in [(3.001, true), (2.999, false)] {
        assert_eq!(
            touches(capsule([3., -3., 2.], [4., 4., 0.], radius), CUBE),
            hit
        );
        assert_eq!(
            touches(capsule([3., -3., 2.], [-2., 0., 4.], radius), CUBE),
            hit
        );
    }
}

#[test]
fn nearest_point_at_an_end() {
    // To a face, an edge, and a corner.
    for (radius, hit) in [(2.001, true), (1.999, false)] {
        assert_eq!(
            touches(capsule([0.5, 5., 0.], [0., 2., 0.], radius), CUBE),
            hit
        );
        assert_eq!(
            touches(capsule([1.5, 5., 0.], [1., 2., 0.], radius), CUBE),
            hit
        );
    }
    for (radius, hit) in [(5.001, true), (4.999, false)] {
        assert_eq!(
            touches(capsule([7., 0., 8.], [3., 0.5, 3.], radius), CUBE),
            hit
        );
    }
    for (radius, hit) in [(3.001, true), (2.999, false)] {
        assert_eq!(
            touches(capsule([-3., -4., -5.], [1., 1., 2.], radius), CUBE),
            hit
        );
    }
    let near = capsule([0., 5., 0.], [0., 2., 0.], 1.5);
    assert_eq!(overlap_with_margin(near, CUBE, 0.501), Hit);
    assert_eq!(overlap_with_margin(near, CUBE, 0.499), Miss);
}

#[test]
fn segment_through_a_box_hits() {
    assert!(touches(capsule([0.; 3], [9., 8., 7.], 0.), CUBE));
    assert!(touches(capsule([5., 5., 5.], [-6., -6., -6.], 0.), CUBE));
    assert!(touches(capsule([0.5, 0., 9.], [0., 0., -8.], 0.), CUBE));
    assert!(!touches(capsule([0.5, 0., 9.], [0., 0., -7.999], 0.), CUBE));
    // Along a face, and from edge to edge across a corner that it misses.
    for zero in [0.0, -0.0] {
        assert!(touches(capsule([1., 0., 3.], [zero, zero, 2.], 0.), CUBE));
        assert!(!touches(
            capsule([1.001, 0., 3.], [zero, zero, 9.], 0.),
            CUBE
        ));
        assert!(!touches(capsule([1., 0., 3.], [zero; 3], 1.999), CUBE));
        assert!(touches(capsule([1., 1., 3.], [-zero; 3], 2.), CUBE));
    }
    assert!(touches(capsule([1., 1., 0.], [3., -3., 0.], 0.), CUBE));
    assert!(!touches(capsule([1.001, 1., 0.], [3., -3., 0.], 0.), CUBE));
}

#[test]
fn extreme_lengths_are_exact() {
    for short in [1e-45, 1e-38, 1e-25] {
        let axis = [short, 0., -short];
        assert!(touches(capsule([2., 0., 0.], axis, 1.), CUBE), "{short:e}");
        assert!(
            !touches(capsule([2., 0., 0.], axis, 0.999), CUBE),
            "{short:e}"
        );
    }
    let far = MAX_LENGTH;
    let corner = Aabb {
        min: [-far; 3],
        max: [-0.5 * far; 3],
    };
    // The middle is nearest to an edge, √½ from it.
    let across = |radius| capsule([0., 0., -0.75 * far], [far, -far, 0.], radius * far);
    assert!(touches(across(0.708), corner));
    assert!(!touches(across(0.707), corner));
    assert!(touches(capsule([far; 3], [-far; 3], far), corner));
    assert!(!touches(capsule([far; 3], [-far, -far, far], far), corner));
}
