//! Aabb-Triangle distance.
//!
//! Error bound: that of [`closest`](super::closest).

use super::closest::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::lane::{Lanes, Vec3};
use crate::shapes::{Aabb, Triangle, WideAabb, WideTriangle};

impl DistanceKernel<Triangle> for Aabb {
    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideAabb<L::F>, b: WideTriangle<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Aabb, Triangle, L::F>::new(lanes, a, b);
        pair.bounds(
            lanes,
            Guess {
                points: [Vec3([lanes.splat(0.0); 3]), pair.offset],
                direction: pair.offset,
            },
        )
    }
}
