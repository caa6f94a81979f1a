//! A capsule and a half-space, moving.

use phalanx::{Capsule, HalfSpace, TimeInterval};

use super::Exact;
use super::planes::{Shape, swept};

pub fn exact(
    shape: &(Capsule, [f32; 3]),
    plane: &(HalfSpace, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    swept(
        (Shape::Capsule(&shape.0), shape.1),
        (&plane.0, plane.1),
        margin,
        claim,
    )
}
