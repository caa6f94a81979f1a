//! Overlaps: results (of sweeps, too), and a kernel for each pair of shapes.

pub mod box_box;
pub mod box_triangle;
pub mod capsule_box;
pub mod capsule_capsule;
pub mod capsule_triangle;
pub mod one_pair;
pub mod overlaps;
pub mod plane;
pub mod point_box;
pub mod point_capsule;
pub mod point_sphere;
pub mod point_triangle;
pub mod sphere_box;
pub mod sphere_capsule;
pub mod sphere_sphere;
pub mod sphere_triangle;
pub mod triangle_triangle;
