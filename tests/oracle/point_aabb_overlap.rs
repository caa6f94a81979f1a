//! A point is a box with coincident corners.

use phalanx::{Aabb, Point};

use super::{Exact, aabb_aabb_overlap};

pub fn exact(point: &Point, aabb: &Aabb, margin: f32) -> Exact {
    let (min, max) = (point.position, point.position);
    aabb_aabb_overlap::exact(&Aabb { min, max }, aabb, margin)
}
