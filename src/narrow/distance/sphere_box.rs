//! Sphere-box distance: the distance of the center from the box, less the radius.
//!
//! The nearest point of the box is the center, clamped, in the frame of an OBB. The direction is exactly along an axis where
//! a face is nearest; that of an OBB is rotated back, so it is along an axis of the box. Source: J. Arvo, "A Simple Method
//! for Box-Sphere Intersection Testing", Graphics Gems, 1990.
//!
//! Error bound: that of [`distance::search`](crate::narrow::distance::search).

use crate::lane::{Lanes, Vec3};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::narrow::geometry::point_box::outside;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::sphere::{Sphere, WideSphere};

impl DistanceKernel<Aabb> for Sphere {
    const OVERLAP_BAND: f32 = 32.0;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideSphere<L::F>, b: WideAabb<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Sphere, Aabb, L::F>::new(lanes, a, b);
        let to_box = outside(lanes, pair.offset, pair.b.half_extents);
        pair.bounds(
            lanes,
            Guess {
                points: [Vec3([lanes.splat(0.0); 3]), to_box],
                direction: to_box,
            },
        )
    }
}

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
