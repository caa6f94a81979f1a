//! Hand-computed cases of capsule-box sweep.

use crate::testing::Answer::*;
use crate::testing::{Answer, EIGHTH, REST, capsule, cube, sweep};
use phalanx::{Aabb, Capsule, MAX_LENGTH, Obb};

const AT_REST: (Aabb, [f32; 3]) = (
    Aabb {
        min: [-1.0; 3],
        max: [1.0; 3],
    },
    [0.0; 3],
);

/// Sweeps in aabb_both orders, and with either end of the capsule first.
fn aabb_both(capsule: (Capsule, [f32; 3]), aabb: (Aabb, [f32; 3])) -> Answer {
    let answer = sweep(capsule, aabb);
    assert_eq!(sweep(aabb, capsule), answer);
    let reversed = Capsule {
        half_axis: capsule.0.half_axis.map(|x| -x),
        ..capsule.0
    };
    assert_eq!(sweep((reversed, capsule.1), aabb), answer);
    answer
}

#[test]
fn moving_capsule_enters_and_exits() {
    let upright = capsule([-6., 0.5, 0.], [0., 2., 0.], 1.);
    assert_eq!(
        aabb_both((upright, [16., 0., 0.]), AT_REST),
        When(0.25, 0.5)
    );
    let still = (upright, [0.0; 3]);
    assert_eq!(
        aabb_both(still, (AT_REST.0, [-16., 0., 0.])),
        When(0.25, 0.5)
    );
    // Only its middle touches the box, or is inside at the end.
    let across = |travel| (capsule([-6., 0., 0.], [0., 9., 9.], 1.), [travel, 0., 0.]);
    assert_eq!(aabb_both(across(16.), AT_REST), When(0.25, 0.5));
    assert_eq!(aabb_both(across(6.), AT_REST), When(4. / 6., 1.));
    assert_eq!(aabb_both(across(3.99), AT_REST), Miss);
    // Lengthwise, over a face and beside it.
    let along = |y| (capsule([-12., y, 0.], [2., 0., 0.], 1.), [32., 0., 0.]);
    assert_eq!(aabb_both(along(0.), AT_REST), When(0.25, 0.5));
    assert_eq!(aabb_both(along(1.6), AT_REST), When(8.2 / 32., 15.8 / 32.));
    assert_eq!(aabb_both(along(2.001), AT_REST), Miss);
}

#[test]
fn axis_crossing_an_edge_hits() {
    let times = When(0.4375, 0.6875);
    let diagonal = [0., -16., -16.];
    let meet = |center, half_axis, radius: f32| {
        aabb_both((capsule(center, half_axis, radius), diagonal), AT_REST)
    };
    let root = 2f32.sqrt();
    assert_eq!(meet([0., 9., 9.], [0., 2., -2.], root), times);
    assert_eq!(meet([0.3, 10.5, 7.5], [0., 2., -2.], root), times);
    // Oblique; the edge is touched at 0.3.
    assert_eq!(meet([0.3, 9., 9.], [3., 2., -2.], root), times);
    assert_eq!(meet([2.55, 10.5, 7.5], [3., 2., -2.], root), times);
    // Past that edge, perpendicular to aabb_both.
    let past = |apart: f32, half_axis| {
        let center = [-8., 1. + apart, 1. + apart];
        aabb_both((capsule(center, half_axis, root), [16., 0., 0.]), AT_REST)
    };
    let half_chord = 1. + 0.72f32.sqrt();
    let times_past = When((8. - half_chord) / 16., (8. + half_chord) / 16.);
    assert_eq!(past(0.8, [0., 2., -2.]), times_past);
    assert_eq!(past(1.001, [0., 2., -2.]), Miss);
    assert_eq!(past(1.001, [4., 2., -2.]), Miss);
    let half_chord = 1. + root;
    let times_over = When((8. - half_chord) / 16., (8. + half_chord) / 16.);
    assert_eq!(past(0.999, [0., 2., 2.]), times_over);
}

#[test]
fn axis_passing_a_corner_hits() {
    let times = When(0.4375, 0.6875);
    let root = 3f32.sqrt();
    for (shift, half_axis) in [
        ([0., 0., 0.], [2., -2., 0.]),
        ([1., -1., 0.], [2., -2., 0.]),
        ([0., -1., 1.], [0., -2., 2.]),
        ([0.5, 0.5, -1.], [2., 2., -4.]),
        ([-1., 0.5, 0.5], [4., -2., -2.]),
    ] {
        // From each of the eight sides.
        for mirror in 0..8 {
            let sign = |k: usize| if mirror >> k & 1 == 1 { -1f32 } else { 1. };
            let center = [0, 1, 2].map(|k| sign(k) * (9. + shift[k]));
            let half_axis = [0, 1, 2].map(|k| sign(k) * half_axis[k]);
            let travel = [0, 1, 2].map(|k| sign(k) * -16.);
            let moving = (capsule(center, half_axis, root), travel);
            assert_eq!(aabb_both(moving, AT_REST), times, "{moving:?}");
        }
    }
}

#[test]
fn aabb_contacts_outside_the_frame_miss() {
    let falling = |z, travel| (capsule([0., 0., z], [3., 4., 0.], 1.), [0., 0., travel]);
    assert_eq!(aabb_both(falling(8., -5.9), AT_REST), Miss);
    assert_eq!(aabb_both(falling(8., 16.), AT_REST), Miss);
    assert_eq!(aabb_both(falling(8., -6.), AT_REST), When(1., 1.));
    assert_eq!(aabb_both(falling(0., 4.), AT_REST), When(0., 0.5));
    let motion = [1., 2., 3.];
    let with = (AT_REST.0, motion);
    assert_eq!(aabb_both((falling(2., 0.).0, motion), with), When(0., 1.));
    assert_eq!(aabb_both((falling(2.001, 0.).0, motion), with), Miss);
    for zero in [0.0, -0.0] {
        let still = |z| (falling(z, 0.).0, [zero; 3]);
        assert_eq!(aabb_both(still(2.), AT_REST), When(0., 1.));
        assert_eq!(aabb_both(still(0.), AT_REST), When(0., 1.));
        assert_eq!(aabb_both(still(-2.001), AT_REST), Miss);
    }
}

#[test]
fn axis_nearly_parallel_to_an_edge_is_accurate() {
    // The axis and the edge cross in the middle and are 4e-3 apart at their ends, with 1 µm of reach.
    let edge = |x, y, z| {
        (
            Aabb::from_center_half_extents([0.0; 3], [x, y, z]),
            [0.0; 3],
        )
    };
    let falling = |center, half_axis, travel| (capsule(center, half_axis, 1e-6), [0., 0., travel]);
    for end in [[2., 2e-3, 0.], [2., -2e-3, 0.], [-1., 1e-3, 0.]] {
        let crossing = falling([0., 0., 4.], end, -8.);
        assert_eq!(
            aabb_both(crossing, edge(2., 0., 0.)),
            When(0.5, 0.5),
            "{end:?}"
        );
        let above = falling([0., 0., 4.], end, -3.99);
        assert_eq!(aabb_both(above, edge(2., 0., 0.)), Miss, "{end:?}");
    }
    // Past an acute corner of the parallelogram that aabb_both span.
    let beyond = falling([4.01, 0., 4.], [2., 2e-3, 0.], -8.);
    assert_eq!(aabb_both(beyond, edge(2., 0., 0.)), Miss);
    let beyond = falling([4.01, 1., 4.], [2., 2e-3, 0.], -8.);
    assert_eq!(aabb_both(beyond, edge(2., 1., 0.)), Miss);
}

#[test]
fn spheres_segments_and_points_are_capsules() {
    let edge = |x, y, z| {
        (
            Aabb::from_center_half_extents([0.0; 3], [x, y, z]),
            [0.0; 3],
        )
    };
    for length in [0.0, 1e-45, 1e-40] {
        let sphere = |y| {
            let shape = capsule([-8., y, 0.], [0., length, -length], 1.);
            (shape, [16., 0., 0.])
        };
        assert_eq!(
            aabb_both(sphere(0.), AT_REST),
            When(0.375, 0.625),
            "{length:e}"
        );
        assert_eq!(aabb_both(sphere(1.6), AT_REST), When(6.2 / 16., 9.8 / 16.));
        assert_eq!(aabb_both(sphere(2.001), AT_REST), Miss, "{length:e}");
        let point = capsule([-1., -2., 0.], [length, 0., 0.], 0.);
        let moving = (point, [2., 4., 0.]);
        for (x, y, z) in [(0., 0., 0.), (0., 0., 5.), (0., 5., 5.)] {
            assert_eq!(
                aabb_both(moving, edge(x, y, z)),
                When(0.5, 0.5),
                "{x} {y} {z}"
            );
        }
    }
    let segment = |z| (capsule([0., 0., z], [2., 1., 0.], 0.), [0., 0., -4.]);
    for (x, y) in [(0., 0.), (1., 0.), (0., 3.), (2., 2.)] {
        assert_eq!(
            aabb_both(segment(2.), edge(x, y, 0.)),
            When(0.5, 0.5),
            "{x} {y}"
        );
        assert_eq!(aabb_both(segment(4.001), edge(x, y, 0.)), Miss, "{x} {y}");
    }
}

#[test]
fn aabb_extreme_motion_is_accurate() {
    let slow = [1e-45, 0., -1e-40];
    let above = |z| (capsule([0., 0., z], [0., 2., 1.], 1.), slow);
    assert_eq!(aabb_both(above(3.01), AT_REST), Miss);
    assert_eq!(aabb_both(above(2.5), AT_REST), When(0., 1.));
    let far = MAX_LENGTH;
    let huge = Aabb {
        min: [-far; 3],
        max: [-0.5 * far, far, far],
    };
    let long = capsule([far, far, far], [0., far, -far], 0.5 * far);
    let travel = [-far, -far, 0.];
    assert_eq!(
        aabb_both((long, travel), (huge, [far, 0., 0.])),
        When(0.5, 1.)
    );
    assert_eq!(aabb_both((long, travel), (huge, travel)), Miss);
    assert_eq!(aabb_both((long, [2e18, 0., 0.]), AT_REST), Invalid);
}

fn target(rotation: [f32; 4]) -> (Obb, [f32; 3]) {
    (cube([10., 0., 0.], rotation), REST)
}

/// Moves along x; radius 2.
fn flying(center: [f32; 3], half_axis: [f32; 3], dx: f32) -> (Capsule, [f32; 3]) {
    (capsule(center, half_axis, 2.0), [dx, 0., 0.])
}

/// Sweeps in obb_both orders, and with either end of the capsule first.
fn obb_both(capsule: (Capsule, [f32; 3]), obb: (Obb, [f32; 3])) -> Answer {
    let answer = sweep(capsule, obb);
    assert_eq!(sweep(obb, capsule), answer);
    let reversed = Capsule {
        half_axis: capsule.0.half_axis.map(|x| -x),
        ..capsule.0
    };
    assert_eq!(sweep((reversed, capsule.1), obb), answer);
    answer
}

#[test]
fn box_is_rotated() {
    let root = 2f32.sqrt();
    let times = When((8. - root) / 20., (12. + root) / 20.);
    // The capsule meets the edge with a side, perpendicular or oblique, or with an end.
    for half_axis in [[0., 0., 2.], [0., 3., 0.], [0., 3., 1.], [0.; 3]] {
        let y = if half_axis[1] == 0. { 0. } else { 1. };
        let moving = flying([0., y, 0.5], half_axis, 20.);
        assert_eq!(obb_both(moving, target(EIGHTH)), times, "{half_axis:?}");
        assert_eq!(obb_both(moving, target([0., 0., 0., 1.])), When(0.35, 0.65));
    }
    let lengthwise = flying([0., 0., 0.5], [3., 0., 0.], 20.);
    let times = When((5. - root) / 20., (15. + root) / 20.);
    assert_eq!(obb_both(lengthwise, target(EIGHTH)), times);
    let beside = |z| flying([0., 0., z], [3., 1., 0.], 20.);
    assert_eq!(obb_both(beside(3.001), target(EIGHTH)), Miss);
    assert_ne!(obb_both(beside(2.999), target(EIGHTH)), Miss);
}

#[test]
fn obb_contacts_outside_the_frame_miss() {
    let moving = |from: f32, to: f32| flying([from, 0., 0.], [0., 2., 1.], to - from);
    let straight = target([0., 0., 0., 1.]);
    assert_eq!(obb_both(moving(0., 6.9), straight), Miss);
    assert_eq!(obb_both(moving(13.1, 20.), straight), Miss);
    assert_eq!(obb_both(moving(3., 7.), straight), When(1., 1.));
    assert_eq!(obb_both(moving(10., 16.), straight), When(0., 0.5));
    assert_eq!(obb_both(moving(9., 10.), straight), When(0., 1.));
    let motion = [3., -4., 5.];
    let beside = |x| (flying([x, 0., 0.], [0., 5., 1.], 0.).0, motion);
    assert_eq!(obb_both(beside(7.), (straight.0, motion)), When(0., 1.));
    assert_eq!(obb_both(beside(6.9), (straight.0, motion)), Miss);
}

#[test]
fn obb_extreme_motion_is_accurate() {
    let slow = [1e-45, 0., -1e-40];
    let near = |x| (flying([x, 0., 0.], [0., 1., 4.], 0.).0, slow);
    assert_eq!(obb_both(near(6.5), target(EIGHTH)), Miss);
    assert_eq!(obb_both(near(7.), target(EIGHTH)), When(0., 1.));
    let far = MAX_LENGTH;
    let huge = Obb {
        center: [-far; 3],
        half_extents: [0.25 * far, far, far],
        ..Obb::default()
    };
    let long = Capsule {
        center: [far, -far, -far],
        half_axis: [0., far, -far],
        radius: 0.25 * far,
    };
    let towards = ([-far, far, far], [far, far, far]);
    assert_eq!(
        obb_both((long, towards.0), (huge, towards.1)),
        When(0.75, 1.)
    );
    let past = ([-far, far, 0.], [-far, 0., far]);
    assert_eq!(obb_both((long, past.0), (huge, past.1)), Miss);
    assert_eq!(
        obb_both((long, [f32::NAN, 0., 0.]), target(EIGHTH)),
        Invalid
    );
}
