//! AABB-triangle distance.
//!
//! Method, source, degenerate cases: [`box_near_triangle`](crate::narrow::geometry::box_near_triangle). Error bound: that of [`distance::search`](crate::narrow::distance::search).

use crate::lane::Lanes;
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::narrow::geometry::box_near_triangle::NearestPoints;
use crate::narrow::geometry::segment_triangle::in_plane;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl DistanceKernel<Triangle> for Aabb {
    const LANES: usize = 16;

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
