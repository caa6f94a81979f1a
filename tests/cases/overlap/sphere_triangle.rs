//! Hand-computed cases of sphere-triangle overlap.

use crate::testing::Answer::*;
use crate::testing::{overlap, overlap_with_margin};
use phalanx::{Sphere, Triangle};

fn sphere(center: [f32; 3], radius: f32) -> Sphere {
    Sphere { center, radius }
}

#[test]
fn sphere_touches_the_inside_edges_and_corners() {
    let triangle = Triangle {
        corners: [[0., 0., 1.], [4., 0., 1.], [0., 3., 1.]],
    };
    // Above, below, beside each edge, beyond each corner: at a distance of 1, or of 5 in a right triangle.
    let near = [
        ([1., 1., 2.], 1.0),
        ([1., 1., 0.], 1.0),
        ([2., -1., 1.], 1.0),
        ([-1., 1., 1.], 1.0),
        ([2.6, 2.3, 1.], 1.0),
        ([-3., -4., 1.], 5.0),
        ([7., -4., 1.], 5.0),
        ([-3., 3., 5.], 5.0),
    ];
    for (center, distance) in near {
        assert_eq!(
            overlap(sphere(center, distance), triangle),
            Hit,
            "{center:?}"
        );
        assert_eq!(
            overlap(triangle, sphere(center, distance)),
            Hit,
            "{center:?}"
        );
        let smaller = sphere(center, 0.999 * distance);
        assert_eq!(overlap(smaller, triangle), Miss, "{center:?}");
        assert_eq!(
            overlap_with_margin(smaller, triangle, 0.002 * distance),
            Hit
        );
    }
}

#[test]
fn triangle_may_be_flat() {
    let segment = Triangle {
        corners: [[0., 0., 0.], [1., 0., 0.], [4., 0., 0.]],
    };
    assert_eq!(overlap(sphere([2., 3., 4.], 5.0), segment), Hit);
    assert_eq!(overlap(sphere([2., 3., 4.], 4.999), segment), Miss);
    assert_eq!(overlap(sphere([8., 3., 0.], 5.0), segment), Hit);
    assert_eq!(overlap(sphere([8., 3., 0.], 4.999), segment), Miss);
    let point = Triangle {
        corners: [[1.; 3]; 3],
    };
    assert_eq!(overlap(sphere([1., 4., 5.], 5.0), point), Hit);
    assert_eq!(overlap(sphere([1., 4., 5.], 4.999), point), Miss);
}
