//! Hand-computed cases of bounded shapes against planes and half-spaces: sweep.

use crate::testing::Answer::*;
use crate::testing::{Answer, sweep};
use phalanx::traits::{Shape, Sweep};
use phalanx::{Aabb, Capsule, HalfSpace, Obb, Plane, Point, Sphere};

/// A shape and its displacement.
type Moving<T> = (T, [f32; 3]);

/// z = 0, moving.
fn flat(motion: [f32; 3]) -> Moving<Plane> {
    let normal = [0., 0., 2.];
    (Plane { normal, d: 0. }, motion)
}

/// y <= 0, moving.
fn ground(motion: [f32; 3]) -> Moving<HalfSpace> {
    let normal = [0., 1., 0.];
    (HalfSpace { normal, d: 0. }, motion)
}

fn sphere(center: [f32; 3]) -> Sphere {
    Sphere {
        center,
        radius: 1.0,
    }
}

fn capsule(center: [f32; 3], half_axis: [f32; 3], radius: f32) -> Capsule {
    Capsule {
        center,
        half_axis,
        radius,
    }
}

fn aabb(center: [f32; 3]) -> Aabb {
    Aabb::from_center_half_extents(center, [1.; 3])
}

fn obb(center: [f32; 3]) -> Obb {
    Obb {
        center,
        half_extents: [1.; 3],
        ..Obb::default()
    }
}

/// One row of the table, in both orders.
#[track_caller]
fn check<S: Sweep<P>, P: Shape + Sweep<S>>(p: Moving<P>, s: Moving<S>, answer: Answer) {
    assert_eq!([sweep(s, p), sweep(p, s)], [answer; 2], "{s:?} {p:?}");
}

#[test]
fn rays_hit_a_plane_from_either_side() {
    // x + y = 4
    let slope = Plane {
        normal: [1., 1., 0.],
        d: -4.,
    };
    let p = (slope, [0.; 3]);
    let ray = |position, travel| (Point { position }, travel);
    check(p, ray([0.; 3], [4., 12., 5.]), When(0.25, 0.25));
    check(p, ray([4.; 3], [-8., 0., 5.]), When(0.5, 0.5));
    check(p, ray([0.; 3], [1., 3., 0.]), When(1., 1.));
    check(p, ray([0.; 3], [1., 2.999, 0.]), Miss);
    check(p, ray([0.; 3], [-4., -4., 0.]), Miss);
    // Along the plane, from start to end or never.
    check(p, ray([1., 3., 0.], [-2., 2., 9.]), When(0., 1.));
    check(p, ray([1., 3.001, 0.], [-2., 2., 9.]), Miss);
    check(p, ray([1., 3., 0.], [-0.; 3]), When(0., 1.));
    // The plane moves instead.
    let p = (slope, [0., -8., 0.]);
    check(p, ray([0.; 3], [0.; 3]), When(0.5, 0.5));
}

#[test]
fn spheres_pass_through_a_plane() {
    let from = |z, to| (sphere([1., 2., z]), [5., 5., to - z]);
    let p = flat([0.; 3]);
    check(p, from(-3., 3.), When(1. / 3., 2. / 3.));
    check(p, from(3., -3.), When(1. / 3., 2. / 3.));
    check(p, from(3., 1.), When(1., 1.));
    check(p, from(0., 4.), When(0., 0.25));
    check(p, from(3., 1.1), Miss);
    check(p, from(2., 3.), Miss);
    // The plane moves too.
    let p = flat([9., 9., 2.]);
    check(p, from(3., 3.), When(1., 1.));
    check(p, from(3., 5.), Miss);
    check(p, from(1., 3.), When(0., 1.));
}

#[test]
fn capsules_pass_through_a_plane() {
    // The shape reaches 3 up and down.
    let from = |z, to| (capsule([1., 2., z], [5., 5., -2.], 1.), [5., 5., to - z]);
    let p = flat([0.; 3]);
    check(p, from(-6., 6.), When(0.25, 0.75));
    check(p, from(6., -6.), When(0.25, 0.75));
    check(p, from(5., 3.), When(1., 1.));
    check(p, from(0., 6.), When(0., 0.5));
    check(p, from(5., 3.01), Miss);
    check(flat([9., 9., 0.]), from(3., 3.), When(0., 1.));
}

#[test]
fn boxes_pass_through_a_plane() {
    for (z, to, answer) in [
        (-3., 3., When(1. / 3., 2. / 3.)),
        (3., -3., When(1. / 3., 2. / 3.)),
        (3., 1., When(1., 1.)),
        (2., 2., Miss),
    ] {
        let (p, center, motion) = (flat([0.; 3]), [0., 0., z], [0., 4., to - z]);
        check(p, (aabb(center), motion), answer);
        check(p, (obb(center), motion), answer);
    }
}

#[test]
fn rays_stay_in_a_half_space() {
    let point = |y| Point {
        position: [5., y, 0.],
    };
    let from = |y, to| (point(y), [3., to - y, -4.]);
    let p = ground([0.; 3]);
    check(p, from(3., -1.), When(0.75, 1.));
    check(p, from(-9., -8.), When(0., 1.));
    check(p, from(-1., 3.), When(0., 0.25));
    check(p, from(3., 0.), When(1., 1.));
    check(p, from(3., 0.001), Miss);
    check(p, from(0., 0.), When(0., 1.));
    check(p, from(0.001, 0.001), Miss);
    check(ground([0., 2., 0.]), from(1., 1.), When(0.5, 1.));
}

#[test]
fn spheres_and_boxes_fall_into_a_half_space() {
    for (y, to, answer) in [
        (3., -1., When(0.5, 1.)),
        (-9., -8., When(0., 1.)),
        (0., 4., When(0., 0.25)),
        (3., 1., When(1., 1.)),
        (3., 1.01, Miss),
        (2., 2., Miss),
    ] {
        let (p, center, motion) = (ground([0.; 3]), [0., y, 0.], [3., to - y, 0.]);
        check(p, (sphere(center), motion), answer);
        check(p, (aabb(center), motion), answer);
        check(p, (obb(center), motion), answer);
    }
}

#[test]
fn capsules_fall_into_a_half_space() {
    // The shape reaches 2 down.
    let from = |y, to| (capsule([0., y, 0.], [3., 1.5, 0.], 0.5), [3., to - y, 0.]);
    let p = ground([0.; 3]);
    check(p, from(4., 0.), When(0.5, 1.));
    check(p, from(0., 8.), When(0., 0.25));
    check(p, from(4., 2.01), Miss);
}
