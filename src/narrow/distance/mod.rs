//! Distances: results, their stage, and a kernel for each pair of shapes.

pub mod box_box;
pub mod box_triangle;
pub mod capsule_box;
pub mod capsule_capsule;
pub mod capsule_triangle;
pub mod distances;
pub mod plane;
pub mod search;
pub mod sphere_box;
pub mod sphere_capsule;
pub mod sphere_sphere;
pub mod sphere_triangle;
pub mod stage;
pub mod triangle_triangle;
pub mod uneven;
