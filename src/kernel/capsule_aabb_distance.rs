//! Capsule-Aabb distance.
//!
//! Error bound: that of [`closest`](super::closest).

use super::capsule_obb_distance::CapsuleBox;
use super::closest::{DistanceBounds, DistanceKernel, SolidPair};
use crate::lane::Lanes;
use crate::shapes::{Aabb, Capsule, WideAabb, WideCapsule};

impl DistanceKernel<Aabb> for Capsule {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideCapsule<L::F>, b: WideAabb<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Capsule, Aabb, L::F>::new(lanes, a, b);
        let b = pair.b.with_axes(lanes);
        lanes.call::<CapsuleBox>(pair.with_cores(pair.a, b))
    }
}
