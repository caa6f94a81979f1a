//! A box touches a triangle when no line separates them.

use phalanx::{Obb, Triangle};

use super::Exact;

pub fn exact(obb: &Obb, triangle: &Triangle, margin: f32) -> Exact {
    super::obb_triangle_sweep::exact(&(*obb, [0.0; 3]), &(*triangle, [0.0; 3]), margin, None)
}
