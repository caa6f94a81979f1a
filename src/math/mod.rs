//! Vectors, rotations and exact tests.

pub mod exact;
pub mod rotation;
pub mod rounding;
