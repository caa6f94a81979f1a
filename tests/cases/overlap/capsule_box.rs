//! Hand-computed cases of capsule-box overlap.

use crate::testing::Answer::*;
use crate::testing::{EIGHTH, capsule, cube, overlap, overlap_with_margin};
use phalanx::{Aabb, Capsule, MAX_LENGTH, Obb};

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
