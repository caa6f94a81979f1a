//! Hand-computed cases of capsule-capsule overlap.

use crate::testing::Answer::*;
use crate::testing::{overlap, overlap_with_margin};
use phalanx::Capsule;

fn capsule(center: [f32; 3], half_axis: [f32; 3]) -> Capsule {
    Capsule {
        center,
        half_axis,
        radius: 1.0,
    }
}

fn both_ways(a: Capsule, b: Capsule) -> crate::testing::Answer {
    let answer = overlap(a, b);
    assert_eq!(overlap(b, a), answer);
    answer
}

#[test]
fn crossing_axes() {
    let along_x = capsule([0.; 3], [5., 0., 0.]);
    for (z, answer) in [(2.0, Hit), (2.001, Miss)] {
        // Crossing perpendicularly, and obliquely off the middle.
        assert_eq!(
            both_ways(along_x, capsule([3., 2., z], [0., 4., 0.])),
            answer
        );
        assert_eq!(
            both_ways(along_x, capsule([2., 3., z], [3., 4., 0.])),
            answer
        );
    }
}

#[test]
fn nearest_point_at_an_end() {
    let along_x = capsule([0.; 3], [5., 0., 0.]);
    for (x, answer) in [(0.0, Hit), (0.001, Miss)] {
        // An end beside the other axis; two ends, √(1.2² + 1.6²) apart; collinear axes.
        assert_eq!(
            both_ways(along_x, capsule([1., 6. + x, 0.], [0., 4., 0.])),
            answer
        );
        assert_eq!(
            both_ways(along_x, capsule([6.2 + x, 5.6, 0.], [0., 4., 0.])),
            answer
        );
        assert_eq!(
            both_ways(along_x, capsule([11. + x, 0., 0.], [-4., 0., 0.])),
            answer
        );
    }
}

#[test]
fn parallel_axes() {
    let along_x = capsule([0.; 3], [5., 0., 0.]);
    for (y, answer) in [(2.0, Hit), (2.001, Miss)] {
        for x in [0., 3., 8.] {
            assert_eq!(
                both_ways(along_x, capsule([x, y, 0.], [4., 0., 0.])),
                answer
            );
            assert_eq!(
                both_ways(along_x, capsule([x, 0., -y], [-4., 0., 0.])),
                answer
            );
            // Nearly parallel.
            assert_eq!(
                both_ways(along_x, capsule([x, y, 0.], [4., 0., 1e-9])),
                answer
            );
        }
    }
    assert_eq!(
        both_ways(along_x, capsule([12., 0., 0.], [4., 0., 0.])),
        Miss
    );
}

#[test]
fn zero_length_axes_are_spheres() {
    let (point, other) = (capsule([0.; 3], [0.; 3]), capsule([2., 0., 0.], [0.; 3]));
    assert_eq!(both_ways(point, other), Hit);
    let apart = capsule([2.001, 0., 0.], [0.; 3]);
    assert_eq!(both_ways(point, apart), Miss);
    assert_eq!(overlap_with_margin(point, apart, 0.01), Hit);
    // Subnormal half axes, perpendicular and parallel.
    assert_eq!(both_ways(capsule([0.; 3], [1e-45, 0., 0.]), other), Hit);
    assert_eq!(
        both_ways(
            capsule([0.; 3], [0., 1e-40, 0.]),
            capsule([2.001, 0., 0.], [0., -1e-45, 0.])
        ),
        Miss
    );
    let post = capsule([0., 3., 0.], [0., 3., 0.]);
    assert_eq!(both_ways(post, other), Hit);
    assert_eq!(both_ways(post, apart), Miss);
}
