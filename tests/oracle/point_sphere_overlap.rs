//! A point is a sphere of radius zero.

use phalanx::{Point, Sphere};

use super::{Exact, ball, sphere_sphere_overlap};

pub fn exact(point: &Point, sphere: &Sphere, margin: f32) -> Exact {
    sphere_sphere_overlap::exact(&ball(point), sphere, margin)
}
