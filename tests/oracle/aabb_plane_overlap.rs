//! A box along the axes and a plane.

use phalanx::{Aabb, Plane};

use super::Exact;
use super::planes::{Shape, at_rest};

pub fn exact(shape: &Aabb, plane: &Plane, margin: f32) -> Exact {
    at_rest(Shape::Aabb(shape), plane, margin)
}
