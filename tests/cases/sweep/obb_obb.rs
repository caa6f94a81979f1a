//! Hand-computed cases of OBB-OBB sweep.

use crate::testing::Answer::*;
use crate::testing::{EIGHTH, REST, STRAIGHT, cube, overlap, sweep};
use phalanx::Obb;

const UNIT: (Obb, [f32; 3]) = (
    Obb {
        center: [0.0; 3],
        half_extents: [1.0; 3],
        rotation: STRAIGHT,
    },
    REST,
);

#[test]
fn moving_box_enters_and_exits() {
    let moving = (cube([-5., 0., 0.], STRAIGHT), [10., 0., 0.]);
    assert_eq!(sweep(UNIT, moving), When(0.3, 0.7));
    assert_eq!(sweep(moving, UNIT), When(0.3, 0.7));
    // Along the diagonal of the rotated cube: 1 + √2 on either side.
    let rotated = (cube([-5., 0., 0.], EIGHTH), [10., 0., 0.]);
    assert_eq!(sweep(UNIT, rotated), When(0.258_578_6, 0.741_421_3));
    // Past it.
    let above = (cube([-5., 2.001, 0.], STRAIGHT), [10., 0., 0.]);
    assert_eq!(sweep(UNIT, above), Miss);
}

#[test]
fn contacts_outside_the_frame_miss() {
    let at = |x, vx| (cube([x, 0., 0.], STRAIGHT), [vx, 0., 0.]);
    assert_eq!(sweep(UNIT, at(5., 2.)), Miss);
    assert_eq!(sweep(UNIT, at(5., -2.)), Miss);
    assert_eq!(sweep(UNIT, at(5., -3.)), When(1.0, 1.0));
    assert_eq!(sweep(UNIT, at(1., 4.)), When(0.0, 0.25));
    assert_eq!(sweep(UNIT, at(1., -1.)), When(0.0, 1.0));
}

#[test]
fn faces_of_either_box_bound_times() {
    // On the diagonal, a corner of one box meets a face of the other.
    let rotated = (cube([3., 3., 0.], EIGHTH), [-3., -3., 0.]);
    let enter = 1.0 - (1.0 + std::f32::consts::SQRT_2) / 18f32.sqrt();
    assert_eq!(sweep(UNIT, rotated), When(enter, 1.0));
    assert_eq!(sweep(rotated, UNIT), When(enter, 1.0));
}

#[test]
fn only_an_edge_cross_product_separates() {
    // Two crossed beams, rotated onto their edges, pass each other at 2 √2 or less.
    let beam = |z, rotation, v| {
        let shape = Obb {
            center: [0., 0., z],
            half_extents: [9., 1., 1.],
            rotation,
        };
        (shape, [0., 0., v])
    };
    let along_x = [0.382_683_43, 0.0, 0.0, 0.923_879_5];
    let along_y = [0.270_598_05, 0.270_598_05, 0.653_281_5, 0.653_281_5];
    let (still, far) = (beam(0., along_x, 0.), beam(4., along_y, -8.));
    assert_eq!(sweep(still, far), When(0.146_446_6, 0.853_553_4));
    assert_eq!(sweep(far, still), When(0.146_446_6, 0.853_553_4));
    assert_eq!(sweep(still, beam(4., along_y, -1.171)), Miss);
    assert!(sweep(still, beam(4., along_y, -1.172)).hits());
}

#[test]
fn zero_motion_of_either_sign_agrees() {
    // Parallel edges, and faces that just touch, static along all axes or all except one.
    for (x, y) in [(0., 0.), (0., -0.), (-0., 0.), (-0., -0.)] {
        let (a, b) = (UNIT.0, cube([2., 0., 0.], STRAIGHT));
        assert_eq!(sweep((a, [x; 3]), (b, [y; 3])), When(0.0, 1.0), "{x} {y}");
        assert_eq!(sweep((b, [x; 3]), (a, [y; 3])), When(0.0, 1.0), "{x} {y}");
        let far = cube([2.001, 0., 0.], STRAIGHT);
        assert_eq!(sweep((a, [x; 3]), (far, [y; 3])), Miss, "{x} {y}");
        for v in [1., -1.] {
            assert_eq!(
                sweep((a, [x, v, x]), (b, [y; 3])),
                When(0.0, 1.0),
                "{x} {y} {v}"
            );
            assert_eq!(sweep((a, [x, v, x]), (far, [y; 3])), Miss, "{x} {y} {v}");
        }
    }
}

#[test]
fn equal_motions_have_the_static_result() {
    let motion = [7., 8., 9.];
    let (near, far) = (cube([2., 0., 0.], EIGHTH), cube([2.5, 0., 0.], EIGHTH));
    assert_eq!(sweep((UNIT.0, motion), (near, motion)), When(0.0, 1.0));
    assert_eq!(sweep((UNIT.0, motion), (far, motion)), Miss);
}

#[test]
fn interval_ending_at_zero_hits() {
    // Points exactly as far apart as they are widened: the interval of a face begins, or ends, at 0. The reciprocal
    // of the displacement overflows.
    let point = |x| Obb {
        center: [x, 0., 0.],
        ..Obb::default()
    };
    let mut widest = 2f32.powi(-62);
    while overlap(point(0.), point(widest.next_up())).hits() {
        widest = widest.next_up();
    }
    for x in [widest, -widest] {
        for v in [0., -0., 1e-45, -1e-45, 1e-39, -1e-39, 1e-37, -1e-37] {
            let (a, b) = ((point(0.), [v, 0., 0.]), (point(x), [0.; 3]));
            assert!(sweep(a, b).hits(), "{x:e} {v:e}");
            assert!(sweep(b, a).hits(), "{x:e} {v:e}");
        }
    }
}

#[test]
fn extreme_lengths_are_exact() {
    let most = phalanx::MAX_LENGTH;
    let block = |x: f32, v: f32, rotation| {
        let shape = Obb {
            center: [x, 0., 0.],
            half_extents: [most / 4.0; 3],
            rotation,
        };
        (shape, [v, 0., 0.])
    };
    let (a, b) = (block(-most, most, STRAIGHT), block(most, -most, STRAIGHT));
    assert_eq!(sweep(a, b), When(0.75, 1.0));
    let rotated = block(most, -most, EIGHTH);
    assert_eq!(sweep(a, rotated), When(0.698_223_3, 1.0));
    // Below the floor all points coincide.
    let tiny = |x, v, turn| {
        let shape = Obb {
            center: [x, 0., 0.],
            half_extents: [1e-40; 3],
            rotation: [turn, 0., 0., 1.],
        };
        (shape, [v, 0., 0.])
    };
    for turn in [0., 1e-30, 1e-9, 0.01] {
        let (a, b) = (tiny(0., 0., 0.), tiny(4e-40, -3e-40, turn));
        assert_eq!(sweep(a, b), When(0.0, 1.0), "{turn}");
        assert_eq!(sweep(a, tiny(1., -1., turn)), When(1.0, 1.0), "{turn}");
        assert_eq!(sweep(a, tiny(1., -0.5, turn)), Miss, "{turn}");
    }
}

#[test]
fn invalid_boxes_and_displacements_are_flagged() {
    assert_eq!(sweep(UNIT, (UNIT.0, [f32::NAN, 0., 0.])), Invalid);
    assert_eq!(sweep((UNIT.0, [0., 2e18, 0.]), UNIT), Invalid);
    let bad = cube([0.; 3], [0.; 4]);
    assert_eq!(sweep(UNIT, (bad, REST)), Invalid);
    assert_eq!(sweep((bad, REST), UNIT), Invalid);
}
