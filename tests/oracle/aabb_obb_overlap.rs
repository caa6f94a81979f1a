//! An AABB and an OBB.

use phalanx::{Aabb, Obb};

use super::Exact;
use super::boxes::{self, Box3};
use super::exact::Scale;

pub fn exact(a: &Aabb, b: &Obb, margin: f32) -> Exact {
    let lengths = a.min.iter().chain(&a.max).chain(&b.half_extents);
    let scale = Scale::of(b.center.iter().chain(lengths).chain(&[margin]));
    // The margin grows the first box.
    boxes::exact(
        &Box3::of_aabb(a, margin, scale),
        &Box3::of_obb(b, 0.0, scale),
        scale,
    )
}
