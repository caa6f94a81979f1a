//! Centers of boxes, and vectors between the frame of a box and the world.

use crate::lane::{Float, Lanes, Vec3, stored};
use crate::shapes::aabb::WideAabb;

/// Center of a box, rounded like a caller's.
#[inline(always)]
pub fn center<L: Lanes>(lanes: L, aabb: WideAabb<L::F>) -> Vec3<L::F> {
    stored(lanes, (aabb.min + aabb.max) * lanes.splat(0.5))
}

/// World vector of components along these axes.
#[inline(always)]
pub fn in_world<F: Float>(
    Vec3([x, y, z]): Vec3<F>,
    [axis_x, axis_y, axis_z]: [Vec3<F>; 3],
) -> Vec3<F> {
    axis_x * x + axis_y * y + axis_z * z
}
