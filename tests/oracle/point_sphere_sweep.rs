//! A moving point is a moving sphere of radius zero.

use phalanx::{Point, Sphere, TimeInterval};

use super::{Exact, ball, sphere_sphere_sweep};

pub fn exact(
    point: &(Point, [f32; 3]),
    sphere: &(Sphere, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    sphere_sphere_sweep::exact(&(ball(&point.0), point.1), sphere, margin, claim)
}
