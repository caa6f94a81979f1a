//! Hand-computed cases of sphere-triangle contact.

use crate::testing::{contact, point, sphere};
use phalanx::Triangle;

/// A right angle in the plane z = 0.
const TILE: Triangle = Triangle {
    corners: [[0., 0., 0.], [4., 0., 0.], [0., 3., 0.]],
};

#[track_caller]
fn near(x: [f32; 3], y: [f32; 3]) {
    let off = x.iter().zip(y).map(|(x, y)| (x - y).abs());
    assert!(off.fold(0f32, f32::max) < 2e-4, "{x:?}, not {y:?}");
}

/// Tests normal, separation and point, relative to the sphere in both orders.
#[track_caller]
fn check(center: [f32; 3], radius: f32, normal: [f32; 3], separation: f32) {
    let [x, y, z] = center;
    let sphere = sphere(x, y, z, radius);
    let first = contact(sphere, TILE).unwrap();
    let second = contact(TILE, sphere).unwrap();
    for (contact, normal) in [(first, normal), (second, normal.map(|x| -x))] {
        near(contact.normal, normal);
        near([contact.separation; 3], [separation; 3]);
        let [one] = contact.points() else {
            panic!("{contact:?}")
        };
        assert_eq!(one.separation, contact.separation);
    }
    let at = first.points()[0].at;
    near(at, normal.map(|x| x * (radius + separation / 2.)));
    assert_eq!(at, second.points()[0].at);
}

#[test]
fn face_edges_and_corners_have_normals_from_the_center() {
    check([1., 1., 0.75], 1., [0., 0., -1.], -0.25);
    check([1., 1., -0.75], 1., [0., 0., 1.], -0.25);
    // Beside the edges along x and y, and beside the hypotenuse.
    check([2., -0.6, 0.8], 1.5, [0., 0.6, -0.8], -0.5);
    check([-0.6, 1., 0.8], 1.5, [0.6, 0., -0.8], -0.5);
    check([2.6, 2.3, 0.], 1.5, [-0.6, -0.8, 0.], -0.5);
    // Beyond a corner.
    check([-0.6, -0.8, 0.], 1.5, [0.6, 0.8, 0.], -0.5);
    check([-2., 5., 1.], 3.5, [2. / 3., -2. / 3., -1. / 3.], -0.5);
}

#[test]
fn center_on_the_triangle_has_its_normal() {
    let contact = contact(sphere(1., 1., 0., 0.5), TILE).unwrap();
    near(contact.normal.map(f32::abs), [0., 0., 1.]);
    near([contact.separation; 3], [-0.5; 3]);
}

#[test]
fn points_are_spheres_of_radius_zero() {
    let contact = contact(point(1., 1., 0.), TILE).unwrap();
    near(contact.normal.map(f32::abs), [0., 0., 1.]);
    assert!(contact.separation <= 0. && contact.separation > -1e-4);
}
