//! AABB-OBB distance: the distance of two OBBs.
//!
//! Axes of 0 and 1 are exact, so the kernel is [`obb_obb_distance`](crate::narrow::distance::obb_obb), compiled once for both.
//!
//! Error bound: that of [`distance::search`](crate::narrow::distance::search), for any guess.

use crate::lane::Lanes;
use crate::narrow::distance::obb_obb::BoxBox;
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, SolidPair};
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};

impl DistanceKernel<Obb> for Aabb {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideAabb<L::F>, b: WideObb<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Aabb, Obb, L::F>::new(lanes, a, b);
        let a = pair.a.with_axes(lanes);
        lanes.call::<BoxBox>(pair.with_cores(a, pair.b))
    }
}
