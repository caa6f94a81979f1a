//! Hand-computed cases of point-AABB sweep.

use crate::testing::Answer::*;
use crate::testing::{ray, sweep};
use phalanx::Aabb;

const BOX: (Aabb, [f32; 3]) = (
    Aabb {
        min: [0., 1., 2.],
        max: [1., 3., 5.],
    },
    [0.0; 3],
);

#[test]
fn ray_enters_and_exits() {
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
