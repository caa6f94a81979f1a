//! Obb-Triangle distance.
//!
//! Method, source, degenerate cases: [`box_near_triangle`](super::box_near_triangle). Error bound: that of [`closest`](super::closest).

use super::box_near_triangle::NearestPoints;
use super::closest::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use super::solid::BoxCore;
use crate::lane::{Float, Lanes, Vec3};
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
        let [x, y] = near.place;
        pair.bounds(
            lanes,
            Guess {
                points: [
                    out_of_box(axes, near.at_box),
                    pair.offset + (b.along * x + b.across * y),
                ],
                direction: out_of_box(axes, near.direction),
            },
        )
    }
}

/// A vector in the frame of the box, outside of it.
#[inline(always)]
fn out_of_box<F: Float>([ax, ay, az]: [Vec3<F>; 3], v: Vec3<F>) -> Vec3<F> {
    let [x, y, z] = v.0;
    ax * x + ay * y + az * z
}
