//! Contacts: results, their stage, and a kernel for each pair of shapes.

pub mod box_box;
pub mod box_triangle;
pub mod capsule_box;
pub mod capsule_capsule;
pub mod capsule_triangle;
pub mod clip;
pub mod contacts;
pub mod exit;
pub mod inner;
pub mod manifold;
pub mod plane;
pub mod sphere_box;
pub mod sphere_capsule;
pub mod sphere_sphere;
pub mod sphere_triangle;
pub mod stage;
pub mod triangle;
pub mod uneven;
pub mod writer;
