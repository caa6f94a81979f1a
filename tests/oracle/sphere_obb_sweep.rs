//! A moving sphere touches a moving box at time t when the distance of its center to the nearest point of the
//! box is at most the radius.

use phalanx::{Obb, Sphere, TimeInterval};

use super::Exact;
use super::boxes::Box3;
use super::exact::Scale;
use super::rounded_box::{self, band};

pub fn exact(
    sphere: &(Sphere, [f32; 3]),
    obb: &(Obb, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let of_box = obb.0.center.iter().chain(&obb.0.half_extents).chain(&obb.1);
    let of_ball = sphere.0.center.iter().chain(&sphere.1);
    let lengths = [sphere.0.radius, margin];
    let scale = Scale::of(of_ball.chain(of_box).chain(&lengths));
    let shape = Box3::of_obb(&obb.0, 0.0, scale);
    rounded_box::exact(sphere, (shape, obb.1), margin, claim, scale, |r, p, v| {
        band([24.0, 48.0, 74.0], [r, p, v])
    })
}
