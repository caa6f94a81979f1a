//! Hand-computed cases of sphere-box sweep.

use crate::testing::Answer::*;
use crate::testing::{EIGHTH, REST, cube, sphere, sweep};
use phalanx::{Aabb, MAX_LENGTH, Obb};

const AT_REST: (Aabb, [f32; 3]) = (
    Aabb {
        min: [-1.0; 3],
        max: [1.0; 3],
    },
    [0.0; 3],
);

#[test]
fn moving_sphere_enters_and_exits() {
    let moving = (sphere(-6., 0.5, 0., 1.), [16., 0., 0.]);
    assert_eq!(sweep(moving, AT_REST), When(0.25, 0.5));
    assert_eq!(sweep(AT_REST, moving), When(0.25, 0.5));
    // Here the box moves, in the other direction.
    let still = (sphere(-6., 0.5, 0., 1.), [0.0; 3]);
    assert_eq!(sweep(still, (AT_REST.0, [-16., 0., 0.])), When(0.25, 0.5));
}

#[test]
fn edges_and_corners_are_rounded() {
    // Along x, 3 and 4 from an edge: the distance is 5 above the box, and 12 ahead of it is within 13.
    let along = |x: f32, y, z, radius| (sphere(-x, y, z, radius), [2. * x, 0., 0.]);
    assert_eq!(
        sweep(along(15., 4., 5., 13.), AT_REST),
        When(2. / 30., 28. / 30.)
    );
    assert_eq!(sweep(along(15., 4., 5., 4.999), AT_REST), Miss);
    // 2 and 2 beside a corner, and 1 ahead.
    assert_eq!(sweep(along(8., 3., 3., 3.), AT_REST), When(0.375, 0.625));
    // Down the diagonal to a corner; past a corner perpendicular to that, √3 away.
    let diagonal = (sphere(5., 5., 5., 3f32.sqrt()), [-4.; 3]);
    assert_eq!(sweep(diagonal, AT_REST), When(0.75, 1.0));
    let past = |radius| (sphere(4., 0., 2., radius), [-4., 4., 0.]);
    assert_eq!(sweep(past(2.), AT_REST), When(0.323_223_3, 0.676_776_7));
    assert_eq!(sweep(past(1.732), AT_REST), Miss);
}

#[test]
fn aabb_contacts_outside_the_frame_miss() {
    assert_eq!(sweep((sphere(4., 0., 0., 1.), [-1.; 3]), AT_REST), Miss);
    assert_eq!(sweep((sphere(4., 0., 0., 1.), [2., 0., 0.]), AT_REST), Miss);
    assert_eq!(
        sweep((sphere(4., 0., 0., 1.), [-2., 0., 0.]), AT_REST),
        When(1.0, 1.0)
    );
    assert_eq!(
        sweep((sphere(0., 0., 0., 1.), [0., 8., 0.]), AT_REST),
        When(0.0, 0.25)
    );
    assert_eq!(
        sweep((sphere(0., 0., 0., 0.), [0., 0.5, 0.]), AT_REST),
        When(0.0, 1.0)
    );
}

#[test]
fn aabb_zero_motion_of_either_sign_agrees() {
    // In the plane of a face, of an edge, and inside; static, along the face, and along the edge.
    for zero in [0.0, -0.0] {
        for (x, y, z) in [(1., 0., 0.), (1., -1., 0.), (0.5, 0., 0.), (-1., 1., 1.)] {
            let still = (sphere(x, y, z, 0.), [zero; 3]);
            assert_eq!(sweep(still, AT_REST), When(0., 1.), "{x} {y} {z}");
            let along = (sphere(x, y, -3., 0.), [zero, zero, 4.]);
            assert_eq!(sweep(along, AT_REST), When(0.5, 1.), "{x} {y} {z}");
            let back = (sphere(x, y, 3., 0.), [-zero, zero, -4.]);
            assert_eq!(sweep(back, AT_REST), When(0.5, 1.), "{x} {y} {z}");
        }
        for (x, y) in [(1.001, 0.), (1.0005, 1.0005), (0., -1.001)] {
            let beside = (sphere(x, y, -3., 0.0001), [zero, zero, 8.]);
            assert_eq!(sweep(beside, AT_REST), Miss, "{x} {y}");
            assert_eq!(sweep((beside.0, [zero; 3]), AT_REST), Miss, "{x} {y}");
        }
    }
}

#[test]
fn equal_motions_have_the_static_result() {
    let motion = [7., 8., 9.];
    let moving = (AT_REST.0, motion);
    assert_eq!(
        sweep((sphere(3., 0., 0., 2.), motion), moving),
        When(0., 1.)
    );
    assert_eq!(sweep((sphere(3., 3., 0., 2.), motion), moving), Miss);
}

#[test]
fn zero_sizes_are_exact() {
    let box_of = |x, y, z| {
        (
            Aabb::from_center_half_extents([0.0; 3], [x, y, z]),
            [0.0; 3],
        )
    };
    let point = (sphere(-1., -2., 0., 0.), [2., 4., 0.]);
    for (x, y, z) in [(0., 0., 0.), (0., 0., 5.), (0., 5., 5.), (5e-7, 0., 5.)] {
        assert_eq!(sweep(point, box_of(x, y, z)), When(0.5, 0.5), "{x} {y} {z}");
    }
    let beside = (sphere(-1., -2., 1e-4, 0.), [2., 4., 0.]);
    assert_eq!(sweep(beside, box_of(1., 0., 0.)), Miss);
    assert_eq!(sweep(beside, box_of(0., 1., 0.)), Miss);
}

#[test]
fn aabb_extreme_motion_is_accurate() {
    let slow = [1e-45, -1e-40, 0.];
    assert_eq!(sweep((sphere(2.5, 0., 0., 1.), slow), AT_REST), Miss);
    assert_eq!(
        sweep((sphere(1.5, 0., 0., 1.), slow), AT_REST),
        When(0.0, 1.0)
    );
    let far = MAX_LENGTH;
    let huge = Aabb {
        min: [-far; 3],
        max: [-0.5 * far, far, far],
    };
    let across = (sphere(far, far, far, 0.5 * far), [-far, -far, 0.]);
    assert_eq!(sweep(across, (huge, [far, 0., 0.])), When(0.5, 1.0));
    assert_eq!(sweep(across, (huge, [-far, -far, 0.])), Miss);
    assert_eq!(sweep((across.0, [2e18, 0., 0.]), AT_REST), Invalid);
}

fn target(rotation: [f32; 4]) -> (Obb, [f32; 3]) {
    (cube([10., 0., 0.], rotation), REST)
}

#[test]
fn box_is_rotated() {
    let corner = 2f32.sqrt();
    let moving = (sphere(0., 0., 0.5, 2.), [20., 0., 0.]);
    let times = When((8. - corner) / 20., (12. + corner) / 20.);
    assert_eq!(sweep(moving, target(EIGHTH)), times);
    assert_eq!(sweep(target(EIGHTH), moving), times);
    assert_eq!(sweep(moving, target([0., 0., 0., 1.])), When(0.35, 0.65));
    // Past the edge perpendicular to it, above the adjacent faces.
    let past = |y: f32| (sphere(6., y, 0., 2.), [8., 0., 0.]);
    assert_eq!(sweep(past(3.42), target(EIGHTH)), Miss);
    let half = (4f32 - (3. - corner) * (3. - corner)).sqrt() / 8.;
    assert_eq!(
        sweep(past(3.), target(EIGHTH)),
        When(0.5 - half, 0.5 + half)
    );
}

#[test]
fn sphere_meets_a_rotated_face() {
    // Along x, 0.5 above the middle: the face is passed where x − 10 = 0.5 − √2 − r √2.
    let moving = (sphere(0., 0.5, 0., 0.5), [20., 0., 0.]);
    let from = 10.5 - 1.5 * 2f32.sqrt();
    assert_eq!(
        sweep(moving, target(EIGHTH)),
        When(from / 20., (20. - from) / 20.)
    );
}

#[test]
fn obb_contacts_outside_the_frame_miss() {
    let moving = |x: f32, to: f32| (sphere(x, 0., 0., 1.), [to - x, 0., 0.]);
    let straight = target([0., 0., 0., 1.]);
    assert_eq!(sweep(moving(0., 7.9), straight), Miss);
    assert_eq!(sweep(moving(13., 20.), straight), Miss);
    assert_eq!(sweep(moving(4., 8.), straight), When(1., 1.));
    assert_eq!(sweep(moving(10., 14.), straight), When(0., 0.5));
    let motion = [3., -4., 5.];
    let beside = |x| (sphere(x, 0., 0., 1.), motion);
    assert_eq!(sweep(beside(8.), (straight.0, motion)), When(0., 1.));
    assert_eq!(sweep(beside(7.9), (straight.0, motion)), Miss);
}

#[test]
fn obb_zero_motion_of_either_sign_agrees() {
    let straight = target([0., 0., 0., 1.]);
    for zero in [0.0, -0.0] {
        for (x, y) in [(11., 0.), (9., 1.), (10., -1.), (10., 0.)] {
            let along = (sphere(x, y, -3., 0.), [zero, -zero, 4.]);
            assert_eq!(sweep(along, straight), When(0.5, 1.), "{x} {y}");
            assert_eq!(sweep((along.0, [zero; 3]), straight), Miss, "{x} {y}");
            let inside = (sphere(x, y, 0., 0.), [zero; 3]);
            assert_eq!(sweep(inside, straight), When(0., 1.), "{x} {y}");
        }
    }
}

#[test]
fn obb_extreme_motion_is_accurate() {
    let slow = [1e-45, 0., -1e-40];
    assert_eq!(sweep((sphere(8., 0., 0., 0.5), slow), target(EIGHTH)), Miss);
    assert_eq!(
        sweep((sphere(8., 0., 0., 1.), slow), target(EIGHTH)),
        When(0., 1.)
    );
    let far = MAX_LENGTH;
    let huge = Obb {
        center: [-far; 3],
        half_extents: [0.25 * far, far, far],
        ..Obb::default()
    };
    let sphere = sphere(far, -far, -far, 0.25 * far);
    assert_eq!(
        sweep((sphere, [-far, far, far]), (huge, [far, far, far])),
        When(0.75, 1.)
    );
    assert_eq!(
        sweep((sphere, [-far, far, 0.]), (huge, [-far, 0., far])),
        Miss
    );
    assert_eq!(sweep((sphere, [f32::NAN, 0., 0.]), target(EIGHTH)), Invalid);
}
