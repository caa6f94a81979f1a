//! Two OBBs.

use phalanx::Obb;

use super::Exact;
use super::boxes::{self, Box3};
use super::exact::Scale;

pub fn exact(a: &Obb, b: &Obb, margin: f32) -> Exact {
    let lengths = a.half_extents.iter().chain(&b.half_extents);
    let scale = Scale::of(
        a.center
            .iter()
            .chain(&b.center)
            .chain(lengths)
            .chain(&[margin]),
    );
    // The margin grows the first box.
    boxes::exact(
        &Box3::of_obb(a, margin, scale),
        &Box3::of_obb(b, 0.0, scale),
        scale,
    )
}
