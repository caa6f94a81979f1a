//! A ball and a half-space.

use phalanx::{HalfSpace, Sphere};

use super::Exact;
use super::planes::{Shape, at_rest};

pub fn exact(shape: &Sphere, plane: &HalfSpace, margin: f32) -> Exact {
    at_rest(Shape::Sphere(shape), plane, margin)
}
