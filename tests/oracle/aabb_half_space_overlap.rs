//! A box along the axes and a half-space.

use phalanx::{Aabb, HalfSpace};

use super::Exact;
use super::planes::{Shape, at_rest};

pub fn exact(shape: &Aabb, plane: &HalfSpace, margin: f32) -> Exact {
    at_rest(Shape::Aabb(shape), plane, margin)
}
