//! A box touches a triangle when no line separates them.

use phalanx::{Aabb, Triangle};

use super::Exact;

pub fn exact(aabb: &Aabb, triangle: &Triangle, margin: f32) -> Exact {
    super::aabb_triangle_sweep::exact(&(*aabb, [0.0; 3]), &(*triangle, [0.0; 3]), margin, None)
}
