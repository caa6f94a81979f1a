//! Hand-computed cases of box-triangle impact.

use crate::testing::{REST, cube, impact, moving_impact};
use core::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI, SQRT_2};
use phalanx::{Obb, Triangle};

const FLOOR: Triangle = Triangle {
    corners: [[-5., 0., -4.], [6., 0., -3.], [0., 0., 6.]],
};

const UPRIGHT: [f32; 4] = [0., 0., 0., 1.];

/// Early by no more than the least tolerance allows, never late.
fn assert_near(time: Option<f32>, expected: f32) {
    let time = time.expect("a hit");
    assert!(
        expected - 4e-4 < time && time <= expected + 1e-7,
        "{time}, not {expected}"
    );
}

#[test]
fn falling_cube_lands_on_an_edge_or_a_corner() {
    // Halfway through the rotation an edge is below the center, √2 away.
    let edge = [0., 0., FRAC_PI_2];
    let box_ = cube([0., 1. + SQRT_2, 0.], UPRIGHT);
    assert_near(
        moving_impact((box_, [0., -2., 0.], edge), (FLOOR, REST), 1e-5),
        0.5,
    );
    // Or a corner, √3 away.
    let angle = 2. * (1f32 / 3.).sqrt().acos() / SQRT_2;
    let corner = [angle, 0., -angle];
    let box_ = cube([0., 1. + 3f32.sqrt(), 0.], UPRIGHT);
    assert_near(
        moving_impact((box_, [0., -2., 0.], corner), (FLOOR, REST), 1e-5),
        0.5,
    );
    // From below, and onto a floor that comes up.
    let box_ = cube([0., -1. - 3f32.sqrt(), 0.], UPRIGHT);
    let corner = [-angle, 0., angle];
    assert_near(
        moving_impact((box_, REST, corner), (FLOOR, [0., -2., 0.]), 1e-5),
        0.5,
    );
}

#[test]
fn falling_box_lands_flat_at_the_end_of_its_turn() {
    let half = 0.25f32;
    let tilted = Obb {
        center: [0., 2.5, 0.],
        half_extents: [1., 0.5, 1.],
        rotation: [0., 0., -(half / 2.).sin(), (half / 2.).cos()],
    };
    let falls = (tilted, [0., -2., 0.], [0., 0., half]);
    assert_near(moving_impact(falls, (FLOOR, REST), 1e-5), 1.);
}

#[test]
fn turning_cube_meets_an_edge_beside_it() {
    // Along x, the side of a cube is 1 / cos of the angle away: √2 at most.
    let beside = |x: f32| Triangle {
        corners: [[x, 0., -5.], [x + 2., 0., 0.], [x, 0., 5.]],
    };
    let turn = [0., 0., FRAC_PI_2];
    let box_ = cube([0.; 3], UPRIGHT);
    assert_near(
        impact(box_, turn, beside(1.2), 1e-5),
        (1f32 / 1.2).acos() / FRAC_PI_2,
    );
    // The corner grazes the edge, or passes it.
    let time = impact(box_, turn, beside(SQRT_2 - 1e-3), 1e-6).unwrap();
    assert!(time <= 0.5 && 0.48 < time, "{time}");
    assert_eq!(impact(box_, turn, beside(SQRT_2 + 1e-3), 1e-6), None);
    assert_eq!(
        impact(box_, [0., 0., FRAC_PI_4 / 2.], beside(1.2), 1e-5),
        None
    );
}

#[test]
fn segments_and_points_are_met_too() {
    let rod = Obb {
        half_extents: [2., 0., 0.],
        ..Obb::default()
    };
    // A rotation by 90° about z; the ends are at sin(t π / 2) times 2.
    let turn = [0., 0., FRAC_PI_2];
    let segment = Triangle {
        corners: [[0., 1., -1.], [0., 1., 3.], [0., 1., 0.]],
    };
    assert_near(impact(rod, turn, segment, 1e-5), 1.);
    let point = Triangle {
        corners: [[1.; 3].map(|x: f32| x * 0.5); 3],
    };
    assert_eq!(impact(rod, turn, point, 1e-5), None);
    let thick = Obb {
        half_extents: [2., 0., 0.5],
        ..rod
    };
    assert_near(impact(thick, turn, point, 1e-5), 0.5);
}

#[test]
fn a_blade_hits_a_triangle_in_between_and_passes_one_aside() {
    // Separated at both ends of the frame.
    let blade = Obb {
        center: [1e4 - 3., 0.2, 0.1],
        half_extents: [0.001, 1., 0.5],
        ..Obb::default()
    };
    let thrown = (blade, [6., 0., 0.], [0.3, PI - 0.5, 0.]);
    let wall = |y: f32| Triangle {
        corners: [[1e4, y, -9.], [1e4, y, 9.], [1e4, y + 9., 0.]],
    };
    let time = moving_impact(thrown, (wall(-3.), REST), 1e-4).unwrap();
    assert!(0.3 < time && time < 0.5, "{time}");
    assert_eq!(moving_impact(thrown, (wall(1.75), REST), 1e-4), None);
}
