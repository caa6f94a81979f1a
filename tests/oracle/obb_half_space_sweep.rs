//! A box in any orientation and a half-space, moving.

use phalanx::{HalfSpace, Obb, TimeInterval};

use super::Exact;
use super::planes::{Shape, swept};

pub fn exact(
    shape: &(Obb, [f32; 3]),
    plane: &(HalfSpace, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    swept(
        (Shape::Obb(&shape.0), shape.1),
        (&plane.0, plane.1),
        margin,
        claim,
    )
}
