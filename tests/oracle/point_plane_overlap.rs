//! A point and a plane.

use phalanx::{Plane, Point};

use super::planes::{Shape, at_rest};
use super::{Exact, ball};

pub fn exact(point: &Point, surface: &Plane, margin: f32) -> Exact {
    at_rest(Shape::Sphere(&ball(point)), surface, margin)
}
