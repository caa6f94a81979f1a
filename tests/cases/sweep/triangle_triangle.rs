//! Hand-computed cases of triangle-triangle sweep.

use crate::testing::Answer::*;
use crate::testing::{REST, near, sweep};
use phalanx::Triangle;

fn triangle(corners: [[f32; 3]; 3]) -> Triangle {
    Triangle { corners }
}

/// A right angle in the plane z = 0.
const TILE: (Triangle, [f32; 3]) = (
    Triangle {
        corners: [[0., 0., 0.], [4., 0., 0.], [0., 3., 0.]],
    },
    REST,
);

#[test]
fn corner_enters_first_and_leaves_with_an_edge() {
    // An inverted spike, wider by 1 per unit of height, falls through the middle.
    let spike = triangle([[1., 1., 2.], [0.5, 1., 4.], [1.5, 1., 4.]]);
    near(sweep((spike, [0., 0., -8.]), TILE), 0.25, 0.5);
    near(sweep(TILE, (spike, [0., 0., -8.])), 0.25, 0.5);
    near(sweep((TILE.0, [0., 0., 8.]), (spike, REST)), 0.25, 0.5);
    assert_eq!(sweep((spike, [0., 0., -1.99]), TILE), Miss);
    near(sweep((spike, [0., 0., -3.]), TILE), 2. / 3., 1.);
    // Without motion it touches all the time or never.
    let through = triangle([[1., 1., -1.], [0.5, 1., 1.], [1.5, 1., 1.]]);
    assert_eq!(sweep((through, REST), TILE), When(0., 1.));
    assert_eq!(sweep((spike, REST), TILE), Miss);
}

#[test]
fn edge_meets_an_edge() {
    // An upright edge at x = 2 comes along y; its triangle is behind it.
    let fin = |x: f32| triangle([[x, -4., -1.], [x, -4., 1.], [x, -6., 0.]]);
    let flying = |x, v| sweep((fin(x), [0., v, 0.]), TILE);
    // It leaves the slanted edge, at y = 1.5, with its last corner.
    near(flying(2., 16.), 0.25, 7.5 / 16.);
    near(flying(3.99, 16.), 0.25, 6.0075 / 16.);
    assert_eq!(flying(4.001, 16.), Miss);
    assert_eq!(flying(2., 3.99), Miss);
    assert!(flying(2., 4.).hits());
}

#[test]
fn triangles_slide_in_one_plane() {
    let other = triangle([[6., 0., 0.], [8., 0., 0.], [6., 2., 0.]]);
    near(sweep((other, [-8., 0., 0.]), TILE), 0.25, 1.);
    near(sweep((other, [-16., 0., 0.]), TILE), 0.125, 0.5);
    assert_eq!(sweep((other, [-1.99, 0., 0.]), TILE), Miss);
    let above = triangle([[6., 0., 0.001], [8., 0., 0.001], [6., 2., 0.001]]);
    assert_eq!(sweep((above, [-16., 0., 0.]), TILE), Miss);
    // Face to face, with no corner of the smaller triangle outside.
    let small = triangle([[0.5, 0.5, 2.], [1., 0.5, 2.], [0.5, 1., 2.]]);
    near(sweep((small, [0., 0., -4.]), TILE), 0.5, 0.5);
    near(sweep(TILE, (small, [0., 0., -4.])), 0.5, 0.5);
    // A star: all corners are outside.
    let star = triangle([[-1., 1., 2.], [3., 1., 2.], [1., -1., 2.]]);
    near(sweep((star, [0., 0., -4.]), TILE), 0.5, 0.5);
}

#[test]
fn segments_and_points_are_triangles() {
    let segment = |corners: [[f32; 3]; 2]| triangle([corners[0], corners[1], corners[1]]);
    let along_x = (segment([[-1., 0., 0.], [1., 0., 0.]]), REST);
    let along_y = segment([[0., -1., 2.], [0., 1., 2.]]);
    near(sweep((along_y, [0., 0., -8.]), along_x), 0.25, 0.25);
    let beside = segment([[1.001, -1., 2.], [1.001, 1., 2.]]);
    assert_eq!(sweep((beside, [0., 0., -8.]), along_x), Miss);
    let parallel = segment([[0.5, 0., 2.], [2.5, 0., 2.]]);
    near(sweep((parallel, [0., 0., -8.]), along_x), 0.25, 0.25);
    let dot = triangle([[1., 1., 2.]; 3]);
    near(sweep((dot, [0., 0., -8.]), TILE), 0.25, 0.25);
    let at = triangle([[1., 1., 0.]; 3]);
    near(sweep((dot, [0., 0., -8.]), (at, REST)), 0.25, 0.25);
    assert_eq!(sweep((dot, [0.01, 0., -8.]), (at, REST)), Miss);
}
