//! Sphere-capsule distance: the distance of the center from the axis, less the radii.
//!
//! The nearest point of the axis comes from [`segment`](crate::narrow::geometry::segment), (1) there: near enough for both bounds unless
//! the center is on the axis. Source: C. Ericson, "Real-Time Collision Detection", 2005, 5.1.2.
//!
//! Error bound: that of [`distance::search`](crate::narrow::distance::search), for any point.

use crate::lane::{Lanes, Vec3};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::narrow::geometry::segment::Segment;
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::sphere::{Sphere, WideSphere};

impl DistanceKernel<Capsule> for Sphere {
    #[inline(always)]
    fn distance<L: Lanes>(
        lanes: L,
        a: WideSphere<L::F>,
        b: WideCapsule<L::F>,
    ) -> DistanceBounds<L> {
        let pair = SolidPair::<Sphere, Capsule, L::F>::new(lanes, a, b);
        let on_axis = Segment::new(lanes, pair.b.half_axis).nearest(-pair.offset);
        let to_axis = pair.offset + on_axis;
        pair.bounds(
            lanes,
            Guess {
                points: [Vec3([lanes.splat(0.0); 3]), to_axis],
                direction: to_axis,
            },
        )
    }
}
