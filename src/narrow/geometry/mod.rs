//! Geometry that kernels share.

pub mod box_near_triangle;
pub mod box_triangle;
pub mod capsule_box;
pub mod core;
pub mod extent;
pub mod frame;
pub mod gap;
pub mod point_box;
pub mod rounded_box;
pub mod rounded_segment;
pub mod rounded_triangle;
pub mod sat;
pub mod segment;
pub mod segment_triangle;
pub mod simplex;
pub mod slab;
