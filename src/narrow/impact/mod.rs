//! Impacts: results, their stage, and a kernel for each pair of shapes.

pub mod aabb_obb;
pub mod advance;
pub mod capsule_obb;
pub mod impacts;
pub mod obb_obb;
pub mod obb_triangle;
pub mod plane;
pub mod sphere_obb;
#[cfg(feature = "impact")]
pub mod stage;
pub mod turning_boxes;
