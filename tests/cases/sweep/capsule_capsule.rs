//! Hand-computed cases of capsule-capsule sweep.

use crate::testing::Answer::*;
use crate::testing::sweep;
use phalanx::{Capsule, MAX_LENGTH};

fn capsule(center: [f32; 3], half_axis: [f32; 3]) -> Capsule {
    Capsule {
        center,
        half_axis,
        radius: 1.0,
    }
}

/// Along x, half length 2.
const LYING: (Capsule, [f32; 3]) = (Capsule::between([-2., 0., 0.], [2., 0., 0.], 1.0), [0.0; 3]);

/// Asserts an answer, in both orders.
macro_rules! both {
    ($a:expr, $b:expr, $answer:expr) => {
        assert_eq!(sweep($a, $b), $answer);
        assert_eq!(sweep($b, $a), $answer);
    };
}

#[test]
fn crossing_axes_touch_between_their_ends() {
    let falling = |x, y| (capsule([x, y, 8.], [0., 2., 0.]), [0., 0., -16.]);
    both!(falling(0., 0.), LYING, When(0.375, 0.625));
    both!(falling(1.9, -1.9), LYING, When(0.375, 0.625));
    // Beyond an end of either axis, by 1.2.
    both!(falling(3.2, 1.), LYING, When(0.4, 0.6));
    both!(falling(-1., 3.2), LYING, When(0.4, 0.6));
    // Beyond both, by 1 and 1: √2 within 2.
    let times = When(0.5 - 2f32.sqrt() / 16., 0.5 + 2f32.sqrt() / 16.);
    both!(falling(3., -3.), LYING, times);
    both!(falling(3.5, 3.5), LYING, Miss);
    both!(falling(4.001, 0.), LYING, Miss);
    // Oblique; the nearest points are in the middle.
    let oblique = (capsule([0., 0., 8.], [1.5, 1.5, 0.]), [0., 0., -16.]);
    both!(oblique, LYING, When(0.375, 0.625));
}

#[test]
fn end_passing_a_side_hits() {
    let along_y = |z| (capsule([0., -12., z], [0., 2., 0.]), [0., 24., 0.]);
    both!(along_y(0.), LYING, When(8. / 24., 16. / 24.));
    both!(along_y(1.2), LYING, When(8.4 / 24., 15.6 / 24.));
    both!(along_y(2.001), LYING, Miss);
}

#[test]
fn parallel_axes_enter_and_exit() {
    let other = |x, y, z| capsule([x, y, z], [-2., 0., 0.]);
    let across = |x| (other(x, -8., 0.), [0., 16., 0.]);
    both!(across(0.), LYING, When(0.375, 0.625));
    both!(across(3.9), LYING, When(0.375, 0.625));
    both!(across(-5.2), LYING, When(0.4, 0.6));
    both!(across(6.001), LYING, Miss);
    let along = |y| (other(-12., y, 0.), [24., 0., 0.]);
    both!(along(0.), LYING, When(0.25, 0.75));
    both!(along(1.2), LYING, When(6.4 / 24., 17.6 / 24.));
    both!(along(2.001), LYING, Miss);
    let still = |y| (other(1., y, 0.), [0.0, -0.0, 0.0]);
    both!(still(2.), LYING, When(0., 1.));
    both!(still(-2.001), LYING, Miss);
}

#[test]
fn nearly_parallel_axes_are_accurate() {
    // The axes cross in the middle and are 4e-3 apart at their ends, with 1 µm of reach.
    let radius = 1e-6;
    let thin = |half_axis, z, travel: f32| {
        let center = [0., 0., z];
        let shape = Capsule {
            center,
            half_axis,
            radius,
        };
        (shape, [0., 0., travel])
    };
    let lying = thin([2., 0., 0.], 0., 0.);
    for end in [[2., 2e-3, 0.], [2., -2e-3, 0.], [-1., 1e-3, 0.]] {
        let falling = thin(end, 4., -8.);
        both!(falling, lying, When(0.5, 0.5));
        let beside = (falling.0, [0., 0., -3.99]);
        both!(beside, lying, Miss);
    }
    // Past an acute corner of the parallelogram that both span.
    let mut beyond = thin([2., 2e-3, 0.], 4., -8.);
    beyond.0.center[0] = 4.01;
    both!(beyond, lying, Miss);
}

#[test]
fn points_and_segments_are_capsules() {
    let of = |center, half_axis| Capsule {
        center,
        half_axis,
        radius: 0.0,
    };
    let lying = (of([0.0; 3], [2., 0., 0.]), [0.0; 3]);
    for length in [0.0, 1e-45, 1e-40] {
        let point = |x| (of([x, -1., 0.], [0., 0., length]), [0., 2., 0.]);
        both!(point(1.), lying, When(0.5, 0.5));
        both!(point(2.001), lying, Miss);
        let other = (of([2.; 3], [length, 0., -length]), [0.0; 3]);
        let moving = (of([0.; 3], [0., length, length]), [4.; 3]);
        both!(moving, other, When(0.5, 0.5));
    }
}

#[test]
fn contacts_outside_the_frame_miss() {
    let falling = |z, travel| (capsule([0., 0., z], [0., 2., 0.]), [0., 0., travel]);
    both!(falling(8., -5.9), LYING, Miss);
    both!(falling(8., 16.), LYING, Miss);
    both!(falling(8., -6.), LYING, When(1., 1.));
    both!(falling(0., 4.), LYING, When(0., 0.5));
    let motion = [1., 2., 3.];
    let with = (LYING.0, motion);
    let near = (falling(2., 0.).0, motion);
    both!(near, with, When(0., 1.));
    both!((falling(2.001, 0.).0, motion), with, Miss);
}

#[test]
fn extreme_motion_is_accurate() {
    let slow = [1e-45, 0., -1e-40];
    let above = |z| (capsule([0., 0., z], [0., 2., 0.]), slow);
    both!(above(2.5), LYING, Miss);
    both!(above(1.5), LYING, When(0., 1.));
    let far = MAX_LENGTH;
    let huge = |z, half_axis| Capsule {
        center: [far, -far, z],
        half_axis,
        radius: 0.25 * far,
    };
    let a = huge(far, [0.25 * far, 0.25 * far, 0.]);
    let b = huge(-far, [-0.25 * far, 0.25 * far, 0.]);
    let towards = ([far, -far, -far], [far, -far, far]);
    both!((a, towards.0), (b, towards.1), When(0.75, 1.));
    both!((a, towards.0), (b, towards.0), Miss);
    both!((a, [2e18, 0., 0.]), (b, slow), Invalid);
}
