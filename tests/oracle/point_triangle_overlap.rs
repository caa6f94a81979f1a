//! A static point is a moving point without motion.

use phalanx::{Point, Triangle};

use super::{Exact, point_triangle_sweep};

pub fn exact(point: &Point, triangle: &Triangle, margin: f32) -> Exact {
    point_triangle_sweep::exact(&(*point, [0.0; 3]), &(*triangle, [0.0; 3]), margin, None)
}
