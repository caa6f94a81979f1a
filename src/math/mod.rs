//! Vectors, rotations and exact tests.

pub mod dvec;
pub mod exact;
pub mod rotation;
pub mod rounding;
