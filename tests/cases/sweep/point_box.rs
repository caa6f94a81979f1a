//! Hand-computed cases of point-box sweep.

use crate::testing::Answer::*;
use crate::testing::{ray, sweep};
use phalanx::{Aabb, Obb};

const BOX: (Aabb, [f32; 3]) = (
    Aabb {
        min: [0., 1., 2.],
        max: [1., 3., 5.],
    },
    [0.0; 3],
);

const STRAIGHT: (Obb, [f32; 3]) = (
    Obb {
        center: [1., 0., 0.],
        half_extents: [1., 2., 3.],
        rotation: [0., 0., 0., 1.],
    },
    [0.0; 3],
);

#[test]
fn aabb_ray_enters_and_exits() {
    let through = ray([-1., 2., 3.], [4., 0., 0.]);
    assert_eq!(sweep(through, BOX), When(0.25, 0.5));
    assert_eq!(sweep(BOX, through), When(0.25, 0.5));
    let back = ray([3., 2., 3.], [-4., 0., -0.]);
    assert_eq!(sweep(back, BOX), When(0.5, 0.75));
    assert_eq!(sweep(ray([-1., 2., 3.], [1., 0., 0.]), BOX), When(1., 1.));
    assert_eq!(sweep(ray([-1., 2., 3.], [0.999, 0., 0.]), BOX), Miss);
    assert_eq!(sweep(ray([-1., 2., 3.], [-4., 0., 0.]), BOX), Miss);
    assert_eq!(sweep(ray([0.5, 2., 3.], [2., 0., 0.]), BOX), When(0., 0.25));
    assert_eq!(sweep(ray([0.5, 2., 3.], [0.; 3]), BOX), When(0., 1.));
    assert_eq!(sweep(ray([1.5, 2., 3.], [0.; 3]), BOX), Miss);
}

#[test]
fn ray_along_a_face_or_an_edge_hits() {
    for (x, y) in [(0., 2.), (1., 2.), (0.5, 1.), (0.5, 3.), (0., 1.), (1., 3.)] {
        for zero in [0., -0.] {
            let along = ray([x, y, 0.], [zero, zero, 8.]);
            assert_eq!(sweep(along, BOX), When(0.25, 0.625), "{x} {y}");
        }
    }
    assert_eq!(sweep(ray([1.0000001, 2., 0.], [0., 0., 8.]), BOX), Miss);
}

#[test]
fn ray_through_a_corner_hits_once() {
    assert_eq!(sweep(ray([2., 2., 4.], [-2., 2., 2.]), BOX), When(0.5, 0.5));
    assert_eq!(sweep(ray([2., 2.001, 4.], [-2., 2., 2.]), BOX), Miss);
}

#[test]
fn box_may_move() {
    let coming = (BOX.0, [-4., 0., 0.]);
    assert_eq!(sweep(ray([-1., 2., 3.], [0.; 3]), coming), When(0.25, 0.5));
    assert_eq!(sweep(ray([-1., 2., 3.], [-4., 0., 0.]), coming), Miss);
}

#[test]
fn obb_ray_enters_and_exits() {
    let through = ray([-2., 1., 1.], [8., 0., 0.]);
    assert_eq!(sweep(through, STRAIGHT), When(0.25, 0.5));
    assert_eq!(sweep(STRAIGHT, through), When(0.25, 0.5));
    let back = ray([6., 1., 1.], [-8., -0., 0.]);
    assert_eq!(sweep(back, STRAIGHT), When(0.5, 0.75));
    let short = |x| ray([-2., 1., 1.], [x, 0., 0.]);
    assert_eq!(sweep(short(2.), STRAIGHT), When(1., 1.));
    assert_eq!(sweep(short(1.999), STRAIGHT), Miss);
    assert_eq!(sweep(short(-8.), STRAIGHT), Miss);
    let inside = ray([1., 0., 0.], [4., 0., 0.]);
    assert_eq!(sweep(inside, STRAIGHT), When(0., 0.25));
    assert_eq!(sweep(ray([1., 2., 3.], [0.; 3]), STRAIGHT), When(0., 1.));
    assert_eq!(sweep(ray([1., 2., 3.01], [0.; 3]), STRAIGHT), Miss);
}

#[test]
fn ray_along_a_face_or_through_a_corner_hits() {
    for zero in [0., -0.] {
        let along = ray([-2., 2., 1.], [8., zero, zero]);
        assert_eq!(sweep(along, STRAIGHT), When(0.25, 0.5));
        let edge = ray([-2., 2., -3.], [8., zero, zero]);
        assert_eq!(sweep(edge, STRAIGHT), When(0.25, 0.5));
    }
    assert_eq!(sweep(ray([-2., 2.001, 1.], [8., 0., 0.]), STRAIGHT), Miss);
    let corner = ray([3., 1., 3.], [-2., 2., 0.]);
    assert_eq!(sweep(corner, STRAIGHT), When(0.5, 0.5));
}

#[test]
fn zero_motion_of_either_sign_agrees() {
    // At the widened half extent, 2⁻⁶² (1 + 18 u), so that the interval begins at 0.
    let position = [f32::from_bits(0x2080_0009), 0., 0.];
    for zero in [0., -0.] {
        let (still, rest) = (ray(position, [zero; 3]), (Obb::default(), [zero; 3]));
        assert_eq!(sweep(still, rest), When(0., 1.), "{zero}");
        assert_eq!(sweep(rest, (still.0, [0.; 3])), When(0., 1.), "{zero}");
    }
    let beyond = [position[0].next_up(), 0., 0.];
    assert_eq!(sweep(ray(beyond, [0.; 3]), (Obb::default(), [0.; 3])), Miss);
}

#[test]
fn box_rotated_and_moving() {
    // A rotation by 45° about z: an edge points along x, √2 from the center.
    let rotated = Obb {
        half_extents: [1.; 3],
        rotation: [0.0, 0.0, 0.382_683_43, 0.923_879_5],
        ..Obb::default()
    };
    let root = 2f32.sqrt();
    let through = ray([-2. * root, 0., 0.], [4. * root, 0., 0.]);
    assert_eq!(sweep(through, (rotated, [0.; 3])), When(0.25, 0.75));
    let rest = ray([2. * root, 0., 0.], [0.; 3]);
    let coming = (rotated, [4. * root, 0., 0.]);
    assert_eq!(sweep(rest, coming), When(0.25, 0.75));
    let past = ray([0., 1.4143, 0.], [3., 0., 0.]);
    assert_eq!(sweep(past, (rotated, [0.; 3])), Miss);
}
