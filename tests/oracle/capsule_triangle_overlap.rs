//! A capsule touches a triangle when its axis is no farther away than the radius.

use phalanx::{Capsule, Triangle};

use super::Exact;
use super::capsule_triangle_sweep::with_band;

pub fn exact(capsule: &Capsule, triangle: &Triangle, margin: f32) -> Exact {
    let (capsule, triangle) = ((*capsule, [0.0; 3]), (*triangle, [0.0; 3]));
    with_band(
        &capsule,
        &triangle,
        margin,
        None,
        [136.0, 256.0, 328.0, 0.0],
    )
}
