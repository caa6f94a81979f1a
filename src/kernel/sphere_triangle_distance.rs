//! Sphere-Triangle distance: from the center to the nearest point of the triangle.
//!
//! Source, degenerate cases: [`segment_triangle`](super::segment_triangle). Error bound: that of [`closest`](super::closest).

use super::closest::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use super::segment_triangle::{nearest_to_point, out_of_frame};
use crate::lane::{Lanes, Vec3};
use crate::shapes::{Sphere, Triangle, WideSphere, WideTriangle};

impl DistanceKernel<Triangle> for Sphere {
    #[inline(always)]
    fn distance<L: Lanes>(
        lanes: L,
        a: WideSphere<L::F>,
        b: WideTriangle<L::F>,
    ) -> DistanceBounds<L> {
        let pair = SolidPair::<Sphere, Triangle, L::F>::new(lanes, a, b);
        let center = (-pair.offset).along(b.axes());
        let [place, direction] = out_of_frame(b, nearest_to_point(lanes, b, center));
        pair.bounds(
            lanes,
            Guess {
                points: [Vec3([lanes.splat(0.0); 3]), pair.offset + place],
                direction,
            },
        )
    }
}
