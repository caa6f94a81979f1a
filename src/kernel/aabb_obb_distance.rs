//! Aabb-Obb distance.
//!
//! Error bound: that of [`closest`](super::closest).

use super::closest::{DistanceBounds, DistanceKernel, SolidPair};
use super::obb_obb_distance::BoxBox;
use crate::lane::Lanes;
use crate::shapes::{Aabb, Obb, WideAabb, WideObb};

impl DistanceKernel<Obb> for Aabb {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideAabb<L::F>, b: WideObb<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Aabb, Obb, L::F>::new(lanes, a, b);
        let a = pair.a.with_axes(lanes);
        lanes.call::<BoxBox>(pair.with_cores(a, pair.b))
    }
}
