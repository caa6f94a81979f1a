//! A ball and a plane.

use phalanx::{Plane, Sphere};

use super::Exact;
use super::planes::{Shape, at_rest};

pub fn exact(shape: &Sphere, plane: &Plane, margin: f32) -> Exact {
    at_rest(Shape::Sphere(shape), plane, margin)
}
