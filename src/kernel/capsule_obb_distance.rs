//! Capsule-Obb distance.
//!
//! Error bound: that of [`closest`](super::closest).

use super::closest::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::lane::{Lanes, Vec3};
use crate::shapes::{Capsule, Obb, WideCapsule, WideObb};

impl DistanceKernel<Obb> for Capsule {
    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideCapsule<L::F>, b: WideObb<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Capsule, Obb, L::F>::new(lanes, a, b);
        pair.bounds(
            lanes,
            Guess {
                points: [Vec3([lanes.splat(0.0); 3]), pair.offset],
                direction: pair.offset,
            },
        )
    }
}
