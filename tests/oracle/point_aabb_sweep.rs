//! A moving point is a moving box with coincident corners.

use phalanx::{Aabb, Point, TimeInterval};

use super::{Exact, aabb_aabb_sweep};

pub fn exact(
    point: &(Point, [f32; 3]),
    aabb: &(Aabb, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let (min, max) = (point.0.position, point.0.position);
    aabb_aabb_sweep::exact(&(Aabb { min, max }, point.1), aabb, margin, claim)
}
