//! A moving capsule touches a moving box at time t when its axis is at most the radius from the nearest point of
//! the box.

use phalanx::{Aabb, Capsule, TimeInterval};

use super::boxes::Box3;
use super::exact::Scale;
use super::{Exact, swept_segment};

pub fn exact(
    capsule: &(Capsule, [f32; 3]),
    aabb: &(Aabb, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let of_box = aabb.0.min.iter().chain(&aabb.0.max).chain(&aabb.1);
    let of_axis = capsule.0.center.iter().chain(&capsule.0.half_axis);
    let lengths = [capsule.0.radius, margin];
    let scale = Scale::of(of_axis.chain(&capsule.1).chain(of_box).chain(&lengths));
    let shape = (Box3::of_aabb(&aabb.0, 0.0, scale), aabb.1);
    swept_segment::exact(
        capsule,
        shape,
        margin,
        claim,
        scale,
        [44.0, 0.0, 38.0, 63.0],
    )
}
