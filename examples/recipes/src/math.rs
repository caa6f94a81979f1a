//! Shapes from transforms of mathematics libraries.
//!
//! Vectors and quaternions of phalanx are plain arrays, quaternions as x, y, z, w. Every test builds the same box,
//! rotated by 90° about z, which swaps its long and its short side.

use phalanx::{Detector, Obb, Obbs, Overlaps, Pairs, Point, Points};

const HALF_EXTENTS: [f32; 3] = [2.0, 0.5, 0.5];
const QUARTER: f32 = std::f32::consts::FRAC_PI_2;

#[test]
fn glam() {
    let (position, rotation) = (
        glam::Vec3::new(1.0, 0.0, 0.0),
        glam::Quat::from_rotation_z(QUARTER),
    );
    let half_extents = glam::Vec3::from(HALF_EXTENTS);
    stands_upright(Obb {
        center: position.into(),
        half_extents: half_extents.into(),
        rotation: rotation.into(),
    });
}

/// The types of glam under another name, including aligned types.
#[test]
fn bevy_math() {
    let (position, rotation) = (
        bevy_math::Vec3A::X,
        bevy_math::Quat::from_rotation_z(QUARTER),
    );
    let half_extents = bevy_math::Vec3::from(HALF_EXTENTS);
    stands_upright(Obb {
        center: position.into(),
        half_extents: half_extents.into(),
        rotation: rotation.into(),
    });
}

/// The coordinates of a unit quaternion are x, y, z, w in memory, and only the coordinates convert.
#[test]
fn nalgebra() {
    use nalgebra::{Isometry3, Vector3};
    let pose = Isometry3::new(Vector3::x(), Vector3::z() * QUARTER);
    let (center, rotation) = (pose.translation.vector.into(), pose.rotation.coords.into());
    stands_upright(Obb {
        center,
        half_extents: HALF_EXTENTS,
        rotation,
    });
}

/// Exchange types: libraries that support mint convert through it.
#[test]
fn mint() {
    let position = mint::Vector3 {
        x: 1.0,
        y: 0.0,
        z: 0.0,
    };
    let half = (QUARTER / 2.0).sin_cos();
    let rotation = mint::Quaternion {
        v: mint::Vector3 {
            x: 0.0,
            y: 0.0,
            z: half.0,
        },
        s: half.1,
    };
    stands_upright(Obb {
        center: position.into(),
        half_extents: HALF_EXTENTS,
        rotation: rotation.into(),
    });
}

#[test]
fn cgmath() {
    use cgmath::{Quaternion, Rad, Rotation3, Vector3};
    let (position, rotation) = (
        Vector3::new(1.0, 0.0, 0.0),
        Quaternion::from_angle_z(Rad(QUARTER)),
    );
    stands_upright(Obb {
        center: position.into(),
        half_extents: HALF_EXTENTS,
        rotation: rotation.into(),
    });
}

/// Libraries with w first, as is common in robotics.
#[test]
fn w_first() {
    let (sin, cos) = (QUARTER / 2.0).sin_cos();
    stands_upright(Obb::from_wxyz(
        [1.0, 0.0, 0.0],
        HALF_EXTENTS,
        [cos, 0.0, 0.0, sin],
    ));
}

/// Checks the pose of the box by points inside and outside.
fn stands_upright(obb: Obb) {
    let boxes = Obbs::from_slice(&[obb]);
    assert_eq!(boxes.validate(), Ok(()));
    let at = |x: f32, y: f32| Point {
        position: [x, y, 0.0],
    };
    let points = Points::from_slice(&[
        at(1.0, 1.9),
        at(1.0, -1.9),
        at(1.4, 0.0),
        at(2.9, 0.0),
        at(-0.9, 0.0),
    ]);
    let mut overlaps = Overlaps::new();
    Detector::new()
        .overlap(&boxes, &points, Pairs::one_to_all(0), &mut overlaps)
        .unwrap();
    assert_eq!(overlaps.iter().collect::<Vec<_>>(), [0, 1, 2]);
}
