//! Hand-computed cases of bounded shapes against planes and half-spaces: contact.

use crate::testing::contact;
use phalanx::traits::{Collide, Shape};
use phalanx::{Aabb, Capsule, HalfSpace, Obb, Plane, Sphere};

/// z = 1
const PLANE: Plane = Plane {
    normal: [0., 0., 2.],
    d: -2.,
};

/// z <= 1
const GROUND: HalfSpace = HalfSpace {
    normal: [0., 0., 2.],
    d: -2.,
};

/// Tests the normal, the separation, which is never too great, and the number of points in both orders.
#[track_caller]
fn check<S: Collide<P>, P: Shape + Collide<S>>(
    shape: S,
    surface: P,
    (normal, separation): (f32, f32),
    count: usize,
) {
    let both = [contact(shape, surface), contact(surface, shape)].map(Option::unwrap);
    for (contact, normal) in both.iter().zip([normal, -normal]) {
        assert_eq!(contact.normal.map(|x| x + 0.0), [0., 0., normal]);
        let below = separation - contact.separation;
        assert!((0.0..2e-5).contains(&below), "{contact:?}");
        assert_eq!(contact.points().len(), count, "{contact:?}");
    }
}

#[test]
fn shapes_penetrate_from_above_and_below() {
    let above = (-1., -0.25);
    for (z, of_plane, of_ground) in [(1.75, above, above), (0.25, (1., -0.25), (-1., -1.75))] {
        let center = [3., 4., z];
        let sphere = Sphere {
            center,
            radius: 1.0,
        };
        check(sphere, PLANE, of_plane, 1);
        check(sphere, GROUND, of_ground, 1);
        for (half_axis, radius, count) in [([3., 0., 0.], 1.0, 2), ([1., 0., 0.75], 0.25, 1)] {
            let capsule = Capsule {
                center,
                half_axis,
                radius,
            };
            check(capsule, PLANE, of_plane, count);
            // Below the surface both ends penetrate.
            let count = if z < 1. { 2 } else { count };
            check(capsule, GROUND, of_ground, count);
        }
        let aabb = Aabb::from_center_half_extents(center, [1.; 3]);
        check(aabb, PLANE, of_plane, 4);
        check(aabb, GROUND, of_ground, 4);
        // A rotation by 45° about z.
        let obb = Obb {
            center,
            half_extents: [1.; 3],
            rotation: [0.0, 0.0, 0.382_683_43, 0.923_879_5],
        };
        check(obb, PLANE, of_plane, 4);
        check(obb, GROUND, of_ground, 4);
    }
}
