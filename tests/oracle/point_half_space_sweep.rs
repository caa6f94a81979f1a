//! A point and a half-space, moving.

use phalanx::{HalfSpace, Point, TimeInterval};

use super::planes::{Shape, swept};
use super::{Exact, ball};

pub fn exact(
    point: &(Point, [f32; 3]),
    surface: &(HalfSpace, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    swept(
        (Shape::Sphere(&ball(&point.0)), point.1),
        (&surface.0, surface.1),
        margin,
        claim,
    )
}
