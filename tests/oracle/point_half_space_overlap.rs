//! A point and a half-space.

use phalanx::{HalfSpace, Point};

use super::planes::{Shape, at_rest};
use super::{Exact, ball};

pub fn exact(point: &Point, surface: &HalfSpace, margin: f32) -> Exact {
    at_rest(Shape::Sphere(&ball(point)), surface, margin)
}
