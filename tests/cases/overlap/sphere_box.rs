//! Hand-computed cases of sphere-box overlap.

use crate::testing::Answer::*;
use crate::testing::{overlap, overlap_with_margin, sphere};
use phalanx::{Aabb, Obb};

const UNIT: Aabb = Aabb {
    min: [-1.0; 3],
    max: [1.0; 3],
};

#[test]
fn nearest_face_edge_or_corner() {
    // 2 away from a face; 3, 4 away from an edge; 1, 2, 2 away from a corner; inside.
    for (x, y, z, radius) in [
        (0., 0., 3., 2.),
        (0., -4., 5., 5.),
        (2., -3., 3., 3.),
        (0., 0.5, 0., 0.),
    ] {
        assert_eq!(overlap(sphere(x, y, z, radius), UNIT), Hit);
        assert_eq!(overlap(UNIT, sphere(x, y, z, radius)), Hit);
        if radius > 0. {
            assert_eq!(overlap(sphere(x, y, z, 0.9999 * radius), UNIT), Miss);
            assert_eq!(
                overlap_with_margin(sphere(x, y, z, radius - 0.5), UNIT, 0.5),
                Hit
            );
        }
    }
}

#[test]
fn box_is_rotated() {
    // A rotation by 45° about z: an edge points along x, √2 from the center.
    let rotation = [0.0, 0.0, 0.382_683_43, 0.923_879_5];
    let rotated = Obb {
        center: [10., 0., 0.],
        half_extents: [1.; 3],
        rotation,
    };
    for (x, answer) in [(1.5857, Miss), (1.5859, Hit), (10.0, Hit), (18.4143, Miss)] {
        assert_eq!(overlap(sphere(x, 0., 0., 7.0), rotated), answer, "{x}");
        assert_eq!(overlap(rotated, sphere(x, 0., 0., 7.0)), answer, "{x}");
    }
    assert_eq!(
        overlap_with_margin(sphere(1.4, 0., 0., 7.0), rotated, 0.2),
        Hit
    );
}

#[test]
fn corner_contact_is_a_point() {
    let straight = Obb {
        half_extents: [1., 2., 3.],
        ..Obb::default()
    };
    assert_eq!(overlap(sphere(2., -4., 5., 3.0), straight), Hit);
    assert_eq!(overlap(sphere(2., -4., 5., 2.999), straight), Miss);
}
