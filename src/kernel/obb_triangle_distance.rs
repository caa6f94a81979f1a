//! Obb-Triangle distance.
//!
//! Method, source, degenerate cases: [`box_near_triangle`](super::box_near_triangle). Error bound: that of [`closest`](super::closest).

use super::box_near_triangle::NearestPoints;
use super::closest::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use super::segment_triangle::{in_plane, out_of_frame};
use super::solid::BoxCore;
use crate::lane::{Lanes, Vec3};
use crate::shapes::{Obb, Triangle, WideObb, WideTriangle};

impl DistanceKernel<Triangle> for Obb {
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
        let near = lanes.call::<NearestPoints>((half_extents, in_box));
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
