//! Hand-computed cases of AABB-triangle sweep.

use crate::testing::{REST, near, sweep};
use phalanx::{Aabb, Triangle};

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
