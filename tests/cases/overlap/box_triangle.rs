//! Hand-computed cases of box-triangle overlap.

use crate::testing::Answer::*;
use crate::testing::{EIGHTH, STRAIGHT, cube, overlap, overlap_with_margin};
use phalanx::{Aabb, Obb, Triangle};

#[test]
fn far_from_origin_is_exact() {
    // At 2²⁴ consecutive floats differ by 2: centers of such boxes would round.
    let far = Aabb {
        min: [16_777_216., 0., 0.],
        max: [16_777_218., 1., 1.],
    };
    let wall = |x| Triangle {
        corners: [[x, -1., -1.], [x, 3., -1.], [x, -1., 3.]],
    };
    assert_eq!(overlap(far, wall(16_777_216.)), Hit);
    assert_eq!(overlap(wall(16_777_218.), far), Hit);
    assert_eq!(overlap(far, wall(16_777_220.)), Miss);
    assert_eq!(overlap(far, wall(16_777_215.)), Miss);
}

fn triangle(corners: [[f32; 3]; 3]) -> Triangle {
    Triangle { corners }
}

#[test]
fn faces_of_either_separate() {
    let floor = triangle([[-9., -9., 0.], [9., -9., 0.], [0., 9., 0.]]);
    assert_eq!(overlap(cube([0., 0., 1.], EIGHTH), floor), Hit);
    assert_eq!(overlap(floor, cube([0., 0., -1.], EIGHTH)), Hit);
    assert_eq!(overlap(cube([0., 0., 1.001], EIGHTH), floor), Miss);
    assert_eq!(overlap(cube([0., 0., -1.001], EIGHTH), floor), Miss);
    // A corner before a face.
    let small = |x| triangle([[x, 0., 0.], [x + 1., 0.1, 0.], [x + 1., -0.1, 0.]]);
    assert_eq!(overlap(cube([0.; 3], STRAIGHT), small(1.)), Hit);
    assert_eq!(overlap(cube([0.; 3], STRAIGHT), small(1.001)), Miss);
}

#[test]
fn only_an_edge_cross_product_separates() {
    // An edge across the edge of a cube on its side, √2 from the center.
    let beside = |x| triangle([[x, -9., 1.], [x, 9., -1.], [x + 9., 0., 0.]]);
    assert_eq!(overlap(cube([0.; 3], EIGHTH), beside(1.414)), Hit);
    assert_eq!(overlap(cube([0.; 3], EIGHTH), beside(1.416)), Miss);
    for turns in 1..3 {
        let mut corners = beside(1.414).corners;
        corners.rotate_left(turns);
        assert_eq!(overlap(cube([0.; 3], EIGHTH), triangle(corners)), Hit);
        let apart = corners.map(|[x, y, z]| [x + 2e-3, y, z]);
        assert_eq!(overlap(cube([0.; 3], EIGHTH), triangle(apart)), Miss);
    }
}

#[test]
fn segments_and_points_are_triangles() {
    let segment = |x| triangle([[x, -3., 0.], [x, 3., 0.], [x, 1., 0.]]);
    assert_eq!(overlap(cube([0.; 3], STRAIGHT), segment(1.)), Hit);
    assert_eq!(overlap(cube([0.; 3], STRAIGHT), segment(1.001)), Miss);
    assert_eq!(overlap(Obb::default(), Triangle::default()), Hit);
    let point = triangle([[0., 0., 1e-6]; 3]);
    assert_eq!(overlap(Obb::default(), point), Miss);
}

#[test]
fn margin_grows_the_box() {
    let floor = triangle([[-9., -9., 0.], [9., -9., 0.], [0., 9., 0.]]);
    let above = cube([0., 0., 1.5], STRAIGHT);
    assert_eq!(overlap_with_margin(above, floor, 0.5), Hit);
    assert_eq!(overlap_with_margin(above, floor, 0.499), Miss);
}

#[test]
fn bad_shapes_are_flagged() {
    let floor = triangle([[-9., -9., 0.], [9., -9., 0.], [0., 9., 0.]]);
    assert_eq!(overlap(cube([0.; 3], [0.; 4]), floor), Invalid);
    let bad = triangle([[-9., -9., f32::NAN], [9., -9., 0.], [0., 9., 0.]]);
    assert_eq!(overlap(cube([0.; 3], STRAIGHT), bad), Invalid);
}
