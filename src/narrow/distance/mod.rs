//! Distances: results, their stage, and a kernel for each pair of shapes.

pub mod aabb_aabb;
pub mod aabb_obb;
pub mod aabb_triangle;
pub mod capsule_aabb;
pub mod capsule_capsule;
pub mod capsule_obb;
pub mod capsule_triangle;
pub mod distances;
pub mod obb_obb;
pub mod obb_triangle;
pub mod plane;
pub mod search;
pub mod sphere_aabb;
pub mod sphere_capsule;
pub mod sphere_obb;
pub mod sphere_sphere;
pub mod sphere_triangle;
#[cfg(feature = "distance")]
pub mod stage;
pub mod triangle_triangle;
