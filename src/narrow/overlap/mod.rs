//! Overlaps: results, and a kernel for each pair of shapes.

pub mod aabb_aabb;
pub mod aabb_obb;
pub mod aabb_triangle;
pub mod capsule_aabb;
pub mod capsule_capsule;
pub mod capsule_obb;
pub mod capsule_triangle;
pub mod obb_obb;
pub mod obb_triangle;
pub mod one_pair;
pub mod overlaps;
pub mod plane;
pub mod point_aabb;
pub mod point_capsule;
pub mod point_obb;
pub mod point_sphere;
pub mod point_triangle;
pub mod sphere_aabb;
pub mod sphere_capsule;
pub mod sphere_obb;
pub mod sphere_sphere;
pub mod sphere_triangle;
pub mod triangle_triangle;
