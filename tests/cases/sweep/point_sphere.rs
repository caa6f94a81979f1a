//! Hand-computed cases of point-sphere sweep.

use crate::testing::Answer::*;
use crate::testing::sweep;
use phalanx::{Point, Sphere};

const SPHERE: (Sphere, [f32; 3]) = (
    Sphere {
        center: [0., 0., 0.],
        radius: 5.,
    },
    [0.0; 3],
);

fn ray(position: [f32; 3], to: [f32; 3]) -> (Point, [f32; 3]) {
    let travel = [0, 1, 2].map(|k| to[k] - position[k]);
    (Point { position }, travel)
}

#[test]
fn ray_enters_and_exits() {
    // 3 beside the center, so the chord is 8 long.
    let through = ray([-8., 3., 0.], [8., 3., 0.]);
    assert_eq!(sweep(through, SPHERE), When(0.25, 0.75));
    assert_eq!(sweep(SPHERE, through), When(0.25, 0.75));
    let short = ray([-8., 3., 0.], [-4.1, 3., 0.]);
    assert_eq!(sweep(short, SPHERE), Miss);
    assert_eq!(sweep(ray([9., 0., 0.], [17., 0., 0.]), SPHERE), Miss);
    assert_eq!(
        sweep(ray([-9., 0., 0.], [-5., 0., 0.]), SPHERE),
        When(1., 1.)
    );
}

#[test]
fn ray_may_start_inside() {
    assert_eq!(
        sweep(ray([0., 0., 1.], [0., 0., 9.]), SPHERE),
        When(0., 0.5)
    );
    let inside = ray([0., -4., 0.], [0., 4., 0.]);
    assert_eq!(sweep(inside, SPHERE), When(0., 1.));
    assert_eq!(sweep(ray([1.; 3], [1.; 3]), SPHERE), When(0., 1.));
    assert_eq!(sweep(ray([4.; 3], [4.; 3]), SPHERE), Miss);
}

#[test]
fn sphere_may_move() {
    let coming = (SPHERE.0, [-8., 0., 0.]);
    let rest = ray([-9., 0., 0.], [-9., 0., 0.]);
    assert_eq!(sweep(rest, coming), When(0.5, 1.));
    let along = ray([-6., 0., 0.], [-14., 0., 0.]);
    assert_eq!(sweep(along, coming), Miss);
}
