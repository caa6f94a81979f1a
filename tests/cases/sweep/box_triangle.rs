//! Hand-computed cases of box-triangle sweep.

use crate::testing::Answer::*;
use crate::testing::{EIGHTH, REST, STRAIGHT, cube, near, sweep};
use phalanx::{Aabb, Triangle};

const FLOOR: (Triangle, [f32; 3]) = (
    Triangle {
        corners: [[-9., -9., 0.], [9., -9., 0.], [0., 9., 0.]],
    },
    REST,
);

#[test]
fn box_meets_a_slope_edge_on() {
    let unit = Aabb {
        min: [-1.; 3],
        max: [1.; 3],
    };
    // The plane x + z = 0, which the edge at (1, −1) meets first.
    let slope = Triangle {
        corners: [[-4., -9., 4.], [4., -9., -4.], [0., 9., 0.]],
    };
    let place = |z: f32| Aabb {
        min: [-1., -1., z - 1.],
        max: [1., 1., z + 1.],
    };
    let falling = (place(4.), [0., 0., -8.]);
    near(sweep(falling, (slope, REST)), 0.25, 0.75);
    near(sweep((unit, REST), (slope, [0., 0., 4.])), 0., 0.5);
}

#[test]
fn box_falls_through_a_floor() {
    let falling = (cube([0., 0., 3.], EIGHTH), [0., 0., -8.]);
    near(sweep(falling, FLOOR), 0.25, 0.5);
    near(sweep(FLOOR, falling), 0.25, 0.5);
    let still = (falling.0, REST);
    near(sweep(still, (FLOOR.0, [0., 0., 8.])), 0.25, 0.5);
    assert_eq!(sweep((falling.0, [0., 0., -1.9]), FLOOR), Miss);
    near(sweep((falling.0, [0., 0., -2.]), FLOOR), 1., 1.);
}

#[test]
fn box_passes_an_edge() {
    // √2 towards the edge at y = −9.
    let past = |z: f32| (cube([-16., -9. - z, 0.], EIGHTH), [32., 0., 0.]);
    assert_eq!(sweep(past(1.416), FLOOR), Miss);
    assert!(sweep(past(1.414), FLOOR).hits());
    let beside = (cube([-5., 0., 1.001], STRAIGHT), [10., 0., 0.]);
    assert_eq!(sweep(beside, FLOOR), Miss);
}
