//! A box in any orientation and a half-space.

use phalanx::{HalfSpace, Obb};

use super::Exact;
use super::planes::{Shape, at_rest};

pub fn exact(shape: &Obb, plane: &HalfSpace, margin: f32) -> Exact {
    at_rest(Shape::Obb(shape), plane, margin)
}
