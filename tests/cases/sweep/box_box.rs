//! Hand-computed cases of box-box sweep.

use crate::testing::Answer::*;
use crate::testing::{EIGHTH, REST, STRAIGHT, cube, overlap, sweep};
use phalanx::{Aabb, Obb};

const AABB_AT_REST: (Aabb, [f32; 3]) = (
    Aabb {
        min: [-0.5; 3],
        max: [0.5; 3],
    },
    [0.0; 3],
);

const OBB_AT_REST: (Obb, [f32; 3]) = (
    Obb {
        center: [0.0; 3],
        half_extents: [1.0; 3],
        rotation: STRAIGHT,
    },
    REST,
);

const AABB_CUBE: Aabb = Aabb {
    min: [-1.0; 3],
    max: [1.0; 3],
};

fn unit_cube(x: f32, y: f32, z: f32) -> Aabb {
    Aabb::from_center_half_extents([x, y, z], [0.5; 3])
}

#[test]
fn aabbs_moving_box_enters_and_exits() {
    let moving = (unit_cube(-5., 0., 0.), [10., 0., 0.]);
    assert_eq!(sweep(AABB_AT_REST, moving), When(0.4, 0.6));
    assert_eq!(sweep(moving, AABB_AT_REST), When(0.4, 0.6));
    assert_eq!(
        sweep(AABB_AT_REST, (unit_cube(-5., 2., 0.), [10., 0., 0.])),
        Miss
    );
}

#[test]
fn aabbs_contacts_outside_the_frame_miss() {
    assert_eq!(
        sweep(AABB_AT_REST, (unit_cube(3., 0., 0.), [2., 0., 0.])),
        Miss
    );
    assert_eq!(
        sweep(AABB_AT_REST, (unit_cube(3., 0., 0.), [-1., 0., 0.])),
        Miss
    );
    assert_eq!(
        sweep(AABB_AT_REST, (unit_cube(3., 0., 0.), [-2., 0., 0.])),
        When(1.0, 1.0)
    );
    assert_eq!(
        sweep(AABB_AT_REST, (unit_cube(0.5, 0., 0.), [2., 0., 0.])),
        When(0.0, 0.25)
    );
}

#[test]
fn axes_touching_at_different_times_miss() {
    // x touches during [0, 0.5], y during [1, 1].
    assert_eq!(
        sweep(AABB_AT_REST, (unit_cube(0., 2., 0.), [2., -1., 0.])),
        Miss
    );
    assert_eq!(
        sweep(AABB_AT_REST, (unit_cube(0., 2., 0.), [1., -1., 0.])),
        When(1.0, 1.0)
    );
}

#[test]
fn aabbs_zero_motion_of_either_sign_agrees() {
    // Widened by exactly the gap, so that the range of contact begins at 0.
    let low = Aabb {
        min: [-1.; 3],
        max: [0.; 3],
    };
    let high = Aabb {
        min: [f32::MIN_POSITIVE; 3],
        max: [1.; 3],
    };
    for (a, b) in [(low, high), (high, low)] {
        for (x, y) in [(0., 0.), (0., -0.), (-0., 0.), (-0., -0.)] {
            assert_eq!(sweep((a, [x; 3]), (b, [y; 3])), When(0., 1.), "{x} {y}");
        }
    }
}

#[test]
fn aabbs_equal_motions_have_the_static_result() {
    let motion = [7., 8., 9.];
    assert_eq!(
        sweep(
            (unit_cube(0., 0., 0.), motion),
            (unit_cube(1., 1., 1.), motion)
        ),
        When(0.0, 1.0)
    );
    assert_eq!(
        sweep(
            (unit_cube(0., 0., 0.), motion),
            (unit_cube(3., 3., 3.), motion)
        ),
        Miss
    );
}

#[test]
fn obbs_moving_box_enters_and_exits() {
    let moving = (cube([-5., 0., 0.], STRAIGHT), [10., 0., 0.]);
    assert_eq!(sweep(OBB_AT_REST, moving), When(0.3, 0.7));
    assert_eq!(sweep(moving, OBB_AT_REST), When(0.3, 0.7));
    // Along the diagonal of the rotated cube: 1 + √2 on either side.
    let rotated = (cube([-5., 0., 0.], EIGHTH), [10., 0., 0.]);
    assert_eq!(
        sweep(OBB_AT_REST, rotated),
        When(0.258_578_64, 0.741_421_35)
    );
    // Past it.
    let above = (cube([-5., 2.001, 0.], STRAIGHT), [10., 0., 0.]);
    assert_eq!(sweep(OBB_AT_REST, above), Miss);
}

#[test]
fn obbs_contacts_outside_the_frame_miss() {
    let at = |x, vx| (cube([x, 0., 0.], STRAIGHT), [vx, 0., 0.]);
    assert_eq!(sweep(OBB_AT_REST, at(5., 2.)), Miss);
    assert_eq!(sweep(OBB_AT_REST, at(5., -2.)), Miss);
    assert_eq!(sweep(OBB_AT_REST, at(5., -3.)), When(1.0, 1.0));
    assert_eq!(sweep(OBB_AT_REST, at(1., 4.)), When(0.0, 0.25));
    assert_eq!(sweep(OBB_AT_REST, at(1., -1.)), When(0.0, 1.0));
}

#[test]
fn obbs_faces_of_either_box_bound_times() {
    // On the diagonal, a corner of one box meets a face of the other.
    let rotated = (cube([3., 3., 0.], EIGHTH), [-3., -3., 0.]);
    let enter = (1.0 - (1.0 + std::f64::consts::SQRT_2) / 18f64.sqrt()) as f32;
    assert_eq!(sweep(OBB_AT_REST, rotated), When(enter, 1.0));
    assert_eq!(sweep(rotated, OBB_AT_REST), When(enter, 1.0));
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
fn obbs_zero_motion_of_either_sign_agrees() {
    // Parallel edges, and faces that just touch, static along all axes or all except one.
    for (x, y) in [(0., 0.), (0., -0.), (-0., 0.), (-0., -0.)] {
        let (a, b) = (OBB_AT_REST.0, cube([2., 0., 0.], STRAIGHT));
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
fn obbs_equal_motions_have_the_static_result() {
    let motion = [7., 8., 9.];
    let (near, far) = (cube([2., 0., 0.], EIGHTH), cube([2.5, 0., 0.], EIGHTH));
    assert_eq!(
        sweep((OBB_AT_REST.0, motion), (near, motion)),
        When(0.0, 1.0)
    );
    assert_eq!(sweep((OBB_AT_REST.0, motion), (far, motion)), Miss);
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
    assert_eq!(
        sweep(OBB_AT_REST, (OBB_AT_REST.0, [f32::NAN, 0., 0.])),
        Invalid
    );
    assert_eq!(sweep((OBB_AT_REST.0, [0., 2e18, 0.]), OBB_AT_REST), Invalid);
    let bad = cube([0.; 3], [0.; 4]);
    assert_eq!(sweep(OBB_AT_REST, (bad, REST)), Invalid);
    assert_eq!(sweep((bad, REST), OBB_AT_REST), Invalid);
}

#[test]
fn aabb_obb_moving_box_enters_and_exits() {
    let moving = (cube([-5., 0., 0.], STRAIGHT), [10., 0., 0.]);
    assert_eq!(sweep((AABB_CUBE, REST), moving), When(0.3, 0.7));
    assert_eq!(sweep(moving, (AABB_CUBE, REST)), When(0.3, 0.7));
    let rotated = cube([-5., 0., 0.], EIGHTH);
    let when = When(0.258_578_64, 0.741_421_35);
    assert_eq!(sweep((AABB_CUBE, REST), (rotated, [10., 0., 0.])), when);
    assert_eq!(sweep((AABB_CUBE, [-10., 0., 0.]), (rotated, REST)), when);
    let above = cube([-5., 2.415, 0.], EIGHTH);
    assert_eq!(sweep((AABB_CUBE, REST), (above, [10., 0., 0.])), Miss);
}

#[test]
fn aabb_obb_faces_of_either_box_bound_times() {
    // On the diagonal, a corner of one box meets a face of the other.
    let rotated = (cube([3., 3., 0.], EIGHTH), [-3., -3., 0.]);
    let enter = (1.0 - (1.0 + std::f64::consts::SQRT_2) / 18f64.sqrt()) as f32;
    assert_eq!(sweep((AABB_CUBE, REST), rotated), When(enter, 1.0));
}

#[test]
fn aabb_obb_contacts_outside_the_frame_miss() {
    let at = |x, vx| (cube([x, 0., 0.], STRAIGHT), [vx, 0., 0.]);
    assert_eq!(sweep((AABB_CUBE, REST), at(5., -2.)), Miss);
    assert_eq!(sweep((AABB_CUBE, REST), at(5., -3.)), When(1.0, 1.0));
    assert_eq!(sweep((AABB_CUBE, REST), at(1., 4.)), When(0.0, 0.25));
}

#[test]
fn aabb_obb_zero_motion_of_either_sign_agrees() {
    for (x, y) in [(0., 0.), (0., -0.), (-0., 0.), (-0., -0.)] {
        for (place, answer) in [(2., When(0., 1.)), (-2., When(0., 1.)), (2.001, Miss)] {
            let b = (cube([place, 0., 0.], STRAIGHT), [y; 3]);
            assert_eq!(sweep((AABB_CUBE, [x; 3]), b), answer, "{x} {y}");
            assert_eq!(
                sweep((AABB_CUBE, [x, 3., x]), b).hits(),
                answer.hits(),
                "{x} {y}"
            );
        }
    }
}

#[test]
fn far_from_origin_is_exact() {
    // At 2²⁴ consecutive floats differ by 2: centers of such boxes would round.
    let far = Aabb {
        min: [16_777_216., 0., 0.],
        max: [16_777_218., 1., 1.],
    };
    let point = |y| Obb {
        center: [16_777_216., y, 0.5],
        ..Obb::default()
    };
    let along_the_face = (point(-1.), [0., 4., 0.]);
    assert_eq!(sweep((far, REST), along_the_face), When(0.25, 0.5));
    let beside = Obb {
        center: [16_777_214., -1., 0.5],
        ..Obb::default()
    };
    assert_eq!(sweep((far, REST), (beside, [0., 4., 0.])), Miss);
    assert_eq!(sweep((far, REST), (beside, [2., 2., 0.])), When(1.0, 1.0));
}
