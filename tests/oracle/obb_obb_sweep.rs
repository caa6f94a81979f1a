//! Two moving OBBs.

use phalanx::{Obb, TimeInterval};

use super::Exact;
use super::boxes::{self, Box3};
use super::exact::Scale;

pub fn exact(
    (a, motion_a): &(Obb, [f32; 3]),
    (b, motion_b): &(Obb, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let lengths = a.half_extents.iter().chain(&b.half_extents);
    let places = a.center.iter().chain(&b.center);
    let motions = motion_a.iter().chain(motion_b);
    let scale = Scale::of(places.chain(motions).chain(lengths).chain(&[margin]));
    // The margin grows the first box.
    boxes::swept(
        &Box3::of_obb(a, margin, scale),
        &Box3::of_obb(b, 0.0, scale),
        &(&scale.vec(*motion_b) - &scale.vec(*motion_a)),
        scale,
        claim,
    )
}
