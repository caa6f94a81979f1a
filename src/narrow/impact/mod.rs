//! Impacts: results, their stage, and a kernel for each pair of shapes.

pub mod advance;
pub mod box_box;
pub mod box_triangle;
pub mod capsule_box;
pub mod impacts;
pub mod plane;
pub mod sphere_box;
pub mod stage;
pub mod turning_boxes;
