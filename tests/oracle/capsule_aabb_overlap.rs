//! A capsule touches a box when its axis is at most the radius from the nearest point of the box.

use phalanx::{Aabb, Capsule};

use super::Exact;
use super::boxes::Box3;
use super::exact::Scale;
use super::rounded_box::{self, band};

pub fn exact(capsule: &Capsule, aabb: &Aabb, margin: f32) -> Exact {
    let of_box = aabb.min.iter().chain(&aabb.max);
    let of_axis = capsule.center.iter().chain(&capsule.half_axis);
    let lengths = [capsule.radius, margin];
    let scale = Scale::of(of_axis.chain(of_box).chain(&lengths));
    let shape = Box3::of_aabb(aabb, 0.0, scale);
    rounded_box::of_segment(capsule, shape, margin, scale, |r, p, h| {
        band([15.0, 0.0, 28.0], [r, p, h])
    })
}
