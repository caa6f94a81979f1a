//! Box-triangle distance, for AABBs and OBBs.
//!
//! Method, source, degenerate cases: [`box_near_triangle`](crate::narrow::geometry::box_near_triangle), in the frame of an
//! OBB. Error bound: that of [`distance::search`](crate::narrow::distance::search).

use crate::lane::{Lanes, Vec3};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::narrow::geometry::box_near_triangle::FindNearestPoints;
use crate::narrow::geometry::core::BoxCore;
use crate::narrow::geometry::segment_triangle::{in_plane, out_of_frame};
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};
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
        let near = lanes.call::<FindNearestPoints>((pair.a.half_extents, in_box));
        pair.bounds(
            lanes,
            Guess {
                points: [near.at_box, pair.offset + in_plane(b, near.place)],
                direction: near.direction,
            },
        )
    }
}

impl DistanceKernel<Triangle> for Obb {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideObb<L::F>, b: WideTriangle<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Obb, Triangle, L::F>::new(lanes, a, b);
        let BoxCore { half_extents, axes } = pair.a;
        let in_box = WideTriangle {
            corner: Vec3(pair.offset.along(axes)),
            along: Vec3(b.along.along(axes)),
            across: Vec3(b.across.along(axes)),
            ..b
        };
        let near = lanes.call::<FindNearestPoints>((half_extents, in_box));
        pair.bounds(
            lanes,
            Guess {
                points: [
                    out_of_frame(axes, near.at_box),
                    pair.offset + in_plane(b, near.place),
                ],
                direction: out_of_frame(axes, near.direction),
            },
        )
    }
}
