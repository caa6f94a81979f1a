//! Conversion of shapes to the types of other libraries.
//!
//! The libraries require unit rotations and unit normals, so both are normalised here, in f32.

use parry3d::bounding_volume::{self, BoundingSphere};
use parry3d::math::{Matrix, Pose, Rotation, Vector};
use parry3d::shape::{self, Ball, Cuboid};
use phalanx::{Aabb, Capsule, HalfSpace, Obb, Sphere, Triangle};

/// A shape of parry3d and its pose.
#[derive(Clone)]
pub struct Posed<S> {
    pub pose: Pose,
    pub shape: S,
}

impl From<Sphere> for Posed<Ball> {
    fn from(sphere: Sphere) -> Self {
        Posed {
            pose: Pose::from_translation(sphere.center.into()),
            shape: Ball::new(sphere.radius),
        }
    }
}

/// Its ends, relative to the center, are exact.
impl From<Capsule> for Posed<shape::Capsule> {
    fn from(capsule: Capsule) -> Self {
        let half_axis = Vector::from(capsule.half_axis);
        Posed {
            pose: Pose::from_translation(capsule.center.into()),
            shape: shape::Capsule::new(-half_axis, half_axis, capsule.radius),
        }
    }
}

impl From<Aabb> for Posed<Cuboid> {
    fn from(aabb: Aabb) -> Self {
        let aabb = parry_aabb(&aabb);
        Posed {
            pose: Pose::from_translation(aabb.center()),
            shape: Cuboid::new(aabb.half_extents()),
        }
    }
}

impl From<Obb> for Posed<Cuboid> {
    fn from(obb: Obb) -> Self {
        Posed {
            pose: Pose::from_parts(obb.center.into(), unit_rotation(obb.rotation)),
            shape: Cuboid::new(obb.half_extents.into()),
        }
    }
}

/// Posed at its first corner.
impl From<Triangle> for Posed<shape::Triangle> {
    fn from(triangle: Triangle) -> Self {
        let [a, b, c] = triangle.corners.map(Vector::from);
        Posed {
            pose: Pose::from_translation(a),
            shape: shape::Triangle::new(Vector::ZERO, b - a, c - a),
        }
    }
}

/// Posed at the point of the surface nearest to the origin.
impl From<HalfSpace> for Posed<shape::HalfSpace> {
    fn from(half_space: HalfSpace) -> Self {
        let (normal, d) = unit_normal(&half_space);
        Posed {
            pose: Pose::from_translation(normal * -d),
            shape: shape::HalfSpace::new(normal),
        }
    }
}

pub fn parry_sphere(sphere: &Sphere) -> BoundingSphere {
    BoundingSphere::new(sphere.center.into(), sphere.radius)
}

pub fn parry_aabb(aabb: &Aabb) -> bounding_volume::Aabb {
    bounding_volume::Aabb::new(aabb.min.into(), aabb.max.into())
}

/// A rotation of unit length up to rounding is unchanged.
pub fn unit_rotation([x, y, z, w]: [f32; 4]) -> Rotation {
    let rotation = Rotation::from_xyzw(x, y, z, w);
    if (rotation.length_squared() - 1.0).abs() <= 4.0 * f32::EPSILON {
        rotation
    } else {
        rotation.normalize()
    }
}

/// The axes of an OBB.
pub fn axes(rotation: [f32; 4]) -> [Vector; 3] {
    let matrix = Matrix::from_quat(unit_rotation(rotation));
    [matrix.x_axis, matrix.y_axis, matrix.z_axis]
}

/// The normal and the offset of a half-space, in units of length.
fn unit_normal(half_space: &HalfSpace) -> (Vector, f32) {
    let normal = Vector::from(half_space.normal);
    let length = normal.length();
    (normal / length, half_space.d / length)
}

/// Conversion to the types of wreck, whose vectors come from another version of glam than parry3d's.
pub trait ToWreck {
    type Shape;
    fn to_wreck(&self) -> Self::Shape;
}

impl ToWreck for Sphere {
    type Shape = wreck::Sphere;
    fn to_wreck(&self) -> wreck::Sphere {
        wreck::Sphere::new(self.center.into(), self.radius)
    }
}

impl ToWreck for Capsule {
    type Shape = wreck::Capsule;
    fn to_wreck(&self) -> wreck::Capsule {
        let ends = [-1.0, 1.0].map(|sign| {
            let end: [f32; 3] = std::array::from_fn(|k| self.center[k] + sign * self.half_axis[k]);
            end.into()
        });
        wreck::Capsule::new(ends[0], ends[1], self.radius)
    }
}

impl ToWreck for Aabb {
    type Shape = wreck::Cuboid;
    fn to_wreck(&self) -> wreck::Cuboid {
        wreck::Cuboid::from_aabb(self.min.into(), self.max.into())
    }
}

impl ToWreck for Obb {
    type Shape = wreck::Cuboid;
    fn to_wreck(&self) -> wreck::Cuboid {
        wreck::Cuboid::new(
            self.center.into(),
            axes(self.rotation).map(|axis| axis.to_array().into()),
            self.half_extents,
        )
    }
}

/// A plane of wreck is solid below, and has the opposite sign of `d`.
impl ToWreck for HalfSpace {
    type Shape = wreck::Plane;
    fn to_wreck(&self) -> wreck::Plane {
        let (normal, d) = unit_normal(self);
        wreck::Plane::new(normal.to_array().into(), -d)
    }
}
