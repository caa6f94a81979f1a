//! A moving capsule touches a moving box at time t when its axis is at most the radius from the nearest point of
//! the box.

use phalanx::{Capsule, Obb, TimeInterval};

use super::boxes::Box3;
use super::exact::Scale;
use super::{Exact, swept_segment};

pub fn exact(
    capsule: &(Capsule, [f32; 3]),
    obb: &(Obb, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let of_box = obb.0.center.iter().chain(&obb.0.half_extents).chain(&obb.1);
    let of_axis = capsule.0.center.iter().chain(&capsule.0.half_axis);
    let lengths = [capsule.0.radius, margin];
    let scale = Scale::of(of_axis.chain(&capsule.1).chain(of_box).chain(&lengths));
    let shape = (Box3::of_obb(&obb.0, 0.0, scale), obb.1);
    swept_segment::exact(
        capsule,
        shape,
        margin,
        claim,
        scale,
        [44.0, 48.0, 83.0, 104.0],
    )
}
