//! Aabb-Triangle distance.
//!
//! Method, source, degenerate cases: [`box_near_triangle`](super::box_near_triangle). Error bound: that of [`closest`](super::closest).

use super::box_near_triangle::NearestPoints;
use super::closest::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use super::segment_triangle::in_plane;
use crate::lane::Lanes;
use crate::shapes::{Aabb, Triangle, WideAabb, WideTriangle};

impl DistanceKernel<Triangle> for Aabb {
    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideAabb<L::F>, b: WideTriangle<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Aabb, Triangle, L::F>::new(lanes, a, b);
        let in_box = WideTriangle {
            corner: pair.offset,
            ..b
        };
        let near = lanes.call::<NearestPoints>((pair.a.half_extents, in_box));
        pair.bounds(
            lanes,
            Guess {
                points: [near.at_box, pair.offset + in_plane(b, near.place)],
                direction: near.direction,
            },
        )
    }
}
