//! Sphere-OBB distance: the distance of the center from the box, less the radius.
//!
//! In the frame of the box, as for AABBs: [`sphere_aabb_distance`](crate::narrow::distance::sphere_aabb). The direction is
//! rotated back, so it is along an axis of the box where a face is nearest.
//!
//! Error bound: that of [`distance::search`](crate::narrow::distance::search).

use crate::lane::{Lanes, Vec3};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::narrow::geometry::point_box::outside;
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::sphere::{Sphere, WideSphere};

impl DistanceKernel<Obb> for Sphere {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideSphere<L::F>, b: WideObb<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Sphere, Obb, L::F>::new(lanes, a, b);
        let in_frame = Vec3(pair.offset.along(pair.b.axes));
        let [x, y, z] = outside(lanes, in_frame, pair.b.half_extents).0;
        let [ax, ay, az] = pair.b.axes;
        let to_box = ax * x + ay * y + az * z;
        pair.bounds(
            lanes,
            Guess {
                points: [Vec3([lanes.splat(0.0); 3]), to_box],
                direction: to_box,
            },
        )
    }
}
