//! Capsule-AABB distance: the distance of the capsule from the box as an OBB.
//!
//! Axes of 0 and 1 are exact, so the kernel is [`capsule_obb_distance`](crate::narrow::distance::capsule_obb), compiled once for
//! both.
//!
//! Error bound: that of [`distance::search`](crate::narrow::distance::search), for any guess.

use crate::lane::Lanes;
use crate::narrow::distance::capsule_obb::CapsuleBox;
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, SolidPair};
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::capsule::{Capsule, WideCapsule};

impl DistanceKernel<Aabb> for Capsule {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideCapsule<L::F>, b: WideAabb<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Capsule, Aabb, L::F>::new(lanes, a, b);
        let b = pair.b.with_axes(lanes);
        lanes.call::<CapsuleBox>(pair.with_cores(pair.a, b))
    }
}
