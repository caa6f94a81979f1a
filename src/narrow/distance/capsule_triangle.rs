//! Capsule-triangle distance: from the axis to the nearest point of the triangle.
//!
//! Source, degenerate cases: [`segment_triangle`](crate::narrow::geometry::segment_triangle). Error bound: that of [`distance::search`](crate::narrow::distance::search).

use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::narrow::geometry::segment_triangle::{
    FrameLine, in_plane, nearest_to_segment, out_of_frame,
};
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl DistanceKernel<Triangle> for Capsule {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(
        lanes: L,
        a: WideCapsule<L::F>,
        b: WideTriangle<L::F>,
    ) -> DistanceBounds<L> {
        let one = lanes.splat(1.0);
        let pair = SolidPair::<Capsule, Triangle, L::F>::new(lanes, a, b);
        let axes = b.axes();
        let half_axis = a.half_axis.along(axes);
        // Scaled by a power of two, so that products stay in range.
        let scale = Vec3(half_axis).abs().largest().recip_pow2();
        let direction = Vec3(half_axis) * scale;
        let end = one / scale;
        let line = FrameLine {
            start: Vec3((-pair.offset).along(axes)),
            direction,
            low: -end,
            high: end,
            over_squared: one / direction.dot(direction),
        };
        let (t, nearest) = nearest_to_segment(lanes, b, line);
        pair.bounds(
            lanes,
            Guess {
                points: [
                    a.half_axis * (t * scale),
                    pair.offset + in_plane(b, nearest.place),
                ],
                direction: out_of_frame(axes, nearest.direction),
            },
        )
    }
}
