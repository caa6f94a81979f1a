//! A point is a sphere of radius zero.

use phalanx::{Capsule, Point};

use super::{Exact, ball, sphere_capsule_overlap};

pub fn exact(point: &Point, capsule: &Capsule, margin: f32) -> Exact {
    sphere_capsule_overlap::exact(&ball(point), capsule, margin)
}
