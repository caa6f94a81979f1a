//! A moving point is a moving sphere of radius zero.

use phalanx::{Capsule, Point, TimeInterval};

use super::{Exact, ball, sphere_capsule_sweep};

pub fn exact(
    point: &(Point, [f32; 3]),
    capsule: &(Capsule, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    sphere_capsule_sweep::exact(&(ball(&point.0), point.1), capsule, margin, claim)
}
