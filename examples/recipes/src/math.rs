//! Shapes from transforms of mathematics libraries.
//!
//! Constructors and setters take their vectors and quaternions unchanged. Fields of shapes are plain arrays, quaternions as x, y, z,
//! w: there it takes `.into()`. Every test makes the same box: a quarter turn
//! about z, which swaps its long and its short side.

use phalanx::{
    Aabb, Capsule, Chord, Detector, HalfSpace, Mesh, Obb, Obbs, Overlaps, Pairs, Plane, Point,
    Points, Sphere, Spheres, Triangle, slerp, turn_between, turn_of_velocity,
};

const HALF_EXTENTS: [f32; 3] = [2.0, 0.5, 0.5];
const QUARTER: f32 = std::f32::consts::FRAC_PI_2;

#[test]
fn glam() {
    let (position, rotation) = (
        glam::Vec3::new(1.0, 0.0, 0.0),
        glam::Quat::from_rotation_z(QUARTER),
    );
    let half_extents = glam::Vec3::from(HALF_EXTENTS);
    stands_upright(Obb::new(position, half_extents, rotation));
}

#[test]
fn glam_vectors_need_no_conversion() {
    use glam::{Quat, Vec3};
    let (zero, x, y, z) = (Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z);
    let quarter = Quat::from_rotation_z(QUARTER);

    assert_eq!(Point::new(x).position, [1.0, 0.0, 0.0]);
    assert_eq!(Sphere::new(x, 2.0).center, [1.0, 0.0, 0.0]);
    assert_eq!(Capsule::new(x, y, 0.5).half_axis, [0.0, 1.0, 0.0]);
    assert_eq!(Aabb::new(zero, x).max, [1.0, 0.0, 0.0]);
    assert_eq!(Plane::new(y, 2.0).normal, [0.0, 1.0, 0.0]);
    assert_eq!(HalfSpace::new(y, 2.0).normal, [0.0, 1.0, 0.0]);
    assert_eq!(Triangle::new(zero, x, y).corners[1], [1.0, 0.0, 0.0]);
    let axes = glam::Mat3::from_quat(quarter);
    stands_upright(Obb::from_axes(
        x,
        Vec3::from(HALF_EXTENTS),
        [axes.x_axis, axes.y_axis, axes.z_axis],
    ));

    let mut spheres = Spheres::new();
    let sphere = spheres.push_moving(Sphere::new(zero, 1.0), x);
    spheres.extend_moving([(Sphere::new(zero, 1.0), y)]);
    assert_eq!(spheres.displacement(sphere), Some(x.into()));
    assert_eq!(spheres.displacement(1), Some(y.into()));
    spheres.set_displacement(sphere, z).unwrap();
    assert_eq!(spheres.displacement(sphere), Some(z.into()));

    let mut boxes = Obbs::new();
    let turning = boxes.push_turning(Obb::default(), x, y);
    assert_eq!(boxes.turn(turning), Some(y.into()));
    boxes.set_turn(turning, z).unwrap();
    assert_eq!(boxes.turn(turning), Some(z.into()));

    let at_rest = Mesh::new(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]).unwrap();
    let mut mesh = at_rest.clone();
    mesh.place(&at_rest, z, quarter).unwrap();
    mesh.set_displacement(x);
    assert_eq!(mesh.displacement(), [1.0, 0.0, 0.0]);

    assert_eq!(slerp(Quat::IDENTITY, quarter, 0.0), [0.0, 0.0, 0.0, 1.0]);
    assert!((turn_between(Quat::IDENTITY, quarter)[2] - QUARTER).abs() < 1e-5);
    assert_eq!(turn_of_velocity(z, 0.5), [0.0, 0.0, 0.5]);
    assert_eq!(Chord::of(x, zero).displacement, [1.0, 0.0, 0.0]);
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
    let (center, rotation) = (pose.translation.vector, pose.rotation.coords);
    stands_upright(Obb::new(center, HALF_EXTENTS, rotation));
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
    stands_upright(Obb::new(position, HALF_EXTENTS, rotation));
}

#[test]
fn cgmath() {
    use cgmath::{Quaternion, Rad, Rotation3, Vector3};
    let (position, rotation) = (
        Vector3::new(1.0, 0.0, 0.0),
        Quaternion::from_angle_z(Rad(QUARTER)),
    );
    stands_upright(Obb::new(position, HALF_EXTENTS, rotation));
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
