//! A capsule and a plane.

use phalanx::{Capsule, Plane};

use super::Exact;
use super::planes::{Shape, at_rest};

pub fn exact(shape: &Capsule, plane: &Plane, margin: f32) -> Exact {
    at_rest(Shape::Capsule(shape), plane, margin)
}
