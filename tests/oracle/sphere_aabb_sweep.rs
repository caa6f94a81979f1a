//! A moving sphere touches a moving box at time t when the distance of its center to the nearest point of the
//! box is at most the radius.

use phalanx::{Aabb, Sphere, TimeInterval};

use super::Exact;
use super::boxes::Box3;
use super::exact::Scale;
use super::rounded_box::{self, band};

pub fn exact(
    sphere: &(Sphere, [f32; 3]),
    aabb: &(Aabb, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let of_box = aabb.0.min.iter().chain(&aabb.0.max).chain(&aabb.1);
    let of_ball = sphere.0.center.iter().chain(&sphere.1);
    let lengths = [sphere.0.radius, margin];
    let scale = Scale::of(of_ball.chain(of_box).chain(&lengths));
    let shape = Box3::of_aabb(&aabb.0, 0.0, scale);
    rounded_box::exact(sphere, (shape, aabb.1), margin, claim, scale, |r, _, v| {
        band([24.0, 0.0, 32.0], [r, 0.0, v])
    })
}
