//! A box in any orientation and a plane.

use phalanx::{Obb, Plane};

use super::Exact;
use super::planes::{Shape, at_rest};

pub fn exact(shape: &Obb, plane: &Plane, margin: f32) -> Exact {
    at_rest(Shape::Obb(shape), plane, margin)
}
