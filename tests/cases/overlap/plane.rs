//! Hand-computed cases of bounded shapes against planes and half-spaces: overlap.

use crate::testing::Answer::*;
use crate::testing::{Answer, overlap_with_margin};
use phalanx::traits::{Overlap, Shape};
use phalanx::{Aabb, Capsule, HalfSpace, Obb, Plane, Point, Sphere};

/// No rotation, and a rotation by 45° about z.
const STRAIGHT: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
const TURNED: [f32; 4] = [0.0, 0.0, 0.382_683_43, 0.923_879_5];

fn plane(normal: [f32; 3], d: f32) -> Plane {
    Plane { normal, d }
}

fn half_space(normal: [f32; 3], d: f32) -> HalfSpace {
    HalfSpace { normal, d }
}

fn point(position: [f32; 3]) -> Point {
    Point { position }
}

fn sphere(center: [f32; 3], radius: f32) -> Sphere {
    Sphere { center, radius }
}

fn capsule(center: [f32; 3], half_axis: [f32; 3], radius: f32) -> Capsule {
    Capsule {
        center,
        half_axis,
        radius,
    }
}

const UNIT: Aabb = Aabb {
    min: [0.0; 3],
    max: [1.0; 3],
};

fn cube(center: [f32; 3], rotation: [f32; 4]) -> Obb {
    Obb {
        center,
        half_extents: [1.; 3],
        rotation,
    }
}

/// One row of the table, in both orders.
#[track_caller]
fn check<S: Overlap<P>, P: Shape + Overlap<S>>(p: P, s: S, margin: f32, answer: Answer) {
    let both = [
        overlap_with_margin(s, p, margin),
        overlap_with_margin(p, s, margin),
    ];
    assert_eq!(both, [answer; 2], "{s:?} {p:?}, margin {margin}");
}

#[test]
fn planes_touch_points_on_them() {
    // 2 x + y = 5, which is √5 from the origin.
    let p = plane([2., 1., 0.], -5.);
    check(p, point([2., 1., 7.]), 0., Hit);
    check(p, point([0., 5., 7.]), 0., Hit);
    check(p, point([2., 1.0001, 7.]), 0., Miss);
    check(p, point([2., 0.9999, 7.]), 0., Miss);
    check(p, point([0., 0., 7.]), 2.2361, Hit);
    check(p, point([0., 0., 7.]), 2.236, Miss);
}

#[test]
fn planes_touch_spheres_from_either_side() {
    let at = |z| sphere([7., -3., z], 1.);
    // z = 2, with a normal of any length.
    for (z, d) in [(1., -2.), (-1e-30, 2e-30), (1e30, -2e30)] {
        let p = plane([0., 0., z], d);
        check(p, at(3.), 0., Hit);
        check(p, at(1.), 0., Hit);
        check(p, at(2.), 0., Hit);
        check(p, at(3.001), 0., Miss);
        check(p, at(0.999), 0., Miss);
        check(p, at(4.), 1., Hit);
        check(p, at(4.), 0.999, Miss);
    }
}

#[test]
fn planes_touch_capsules_at_an_end() {
    // The ends are 4 up and down from the center; the unit normal is (0, 0.6, 0.8).
    let p = plane([0., 3., 4.], -10.);
    for half_axis in [[7., 0., 5.], [-7., 0., -5.], [0., -4., 8.]] {
        let at = |height: f32| {
            let center = [9., 0.6 * (2. + height), 0.8 * (2. + height)];
            capsule(center, half_axis, 1.)
        };
        check(p, at(5.), 0., Hit);
        check(p, at(-5.), 0., Hit);
        check(p, at(5.01), 0., Miss);
        check(p, at(-5.01), 0., Miss);
        check(p, at(0.), 0., Hit);
    }
}

#[test]
fn planes_touch_parallel_capsules() {
    let p = plane([0., 2., 0.], 0.);
    let at = |y| capsule([0., y, 0.], [3., 0., 4.], 1.);
    check(p, at(1.), 0., Hit);
    check(p, at(-1.), 0., Hit);
    check(p, at(1.001), 0., Miss);
    check(p, at(1.001), 0.01, Hit);
}

#[test]
fn planes_touch_aabbs_at_a_corner() {
    // x + y + z = s touches the unit cube for s in 0 ..= 3.
    let at = |s: f32| plane([1., 1., 1.], -s);
    check(at(0.), UNIT, 0., Hit);
    check(at(1.5), UNIT, 0., Hit);
    check(at(3.), UNIT, 0., Hit);
    check(at(3.001), UNIT, 0., Miss);
    check(at(-0.001), UNIT, 0., Miss);
    let above = plane([0., -2., 0.], 3.);
    check(above, UNIT, 0.5, Hit);
    check(above, UNIT, 0.499, Miss);
}

#[test]
fn planes_touch_obbs_at_an_edge_and_at_a_face() {
    for (x, straight, turned) in [(1., Hit, Hit), (1.414, Miss, Hit), (1.415, Miss, Miss)] {
        let p = plane([3., 0., 0.], -3. * x);
        check(p, cube([0.; 3], STRAIGHT), 0., straight);
        check(p, cube([0.; 3], TURNED), 0., turned);
    }
}

#[test]
fn half_spaces_are_solid_below() {
    // y <= 2
    let ground = half_space([0., 3., 0.], -6.);
    let at = |y| point([9., y, -9.]);
    check(ground, at(2.), 0., Hit);
    check(ground, at(-100.), 0., Hit);
    check(ground, at(2.0001), 0., Miss);
    check(ground, at(3.), 1., Hit);
    check(ground, at(3.), 0.999, Miss);
    let at = |y| sphere([9., y, 9.], 0.5);
    check(ground, at(2.5), 0., Hit);
    check(ground, at(-100.), 0., Hit);
    check(ground, at(2.5001), 0., Miss);
    check(ground, at(3.5), 1., Hit);
    // z <= 1
    let ground = half_space([0., 0., 2.], -2.);
    let at = |z, half| capsule([5., 6., z], [1., 2., half], 0.5);
    for half in [2., -2.] {
        check(ground, at(3.5, half), 0., Hit);
        check(ground, at(3.501, half), 0., Miss);
        check(ground, at(-100., half), 0., Hit);
    }
    check(ground, at(1.5, 0.), 0., Hit);
    check(ground, at(1.501, 0.), 0., Miss);
    // x + y - z <= s - 1: the corner (0, 0, 1) is the first to touch.
    let slope = |s: f32| half_space([1., 1., -1.], 1. - s);
    check(slope(0.), UNIT, 0., Hit);
    check(slope(5.), UNIT, 0., Hit);
    check(slope(-0.001), UNIT, 0., Miss);
    // The edge is √2 below the center.
    let ground = half_space([0., 1., 0.], 0.);
    let at = |y| cube([5., y, 5.], TURNED);
    check(ground, at(1.414), 0., Hit);
    check(ground, at(-50.), 0., Hit);
    check(ground, at(1.415), 0., Miss);
}

#[test]
fn invalid_planes_are_flagged() {
    let s = sphere([7., -3., 0.], 1.);
    check(plane([0.; 3], 0.), s, 0., Invalid);
    check(plane([f32::NAN, 0., 1.], 0.), s, 0., Invalid);
    check(plane([0., 0., 1.], f32::INFINITY), s, 0., Invalid);
}
