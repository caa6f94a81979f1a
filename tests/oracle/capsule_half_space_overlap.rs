//! A capsule and a half-space.

use phalanx::{Capsule, HalfSpace};

use super::Exact;
use super::planes::{Shape, at_rest};

pub fn exact(shape: &Capsule, plane: &HalfSpace, margin: f32) -> Exact {
    at_rest(Shape::Capsule(shape), plane, margin)
}
