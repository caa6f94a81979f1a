//! Capsule-capsule distance: between the nearest points of the axes, less the radii.
//!
//! The nearest points are the nearest of the three pairs of
//! [`capsule_capsule_overlap`](crate::narrow::overlap::capsule_capsule). The direction is the vector between them. For axes that
//! nearly touch, this vector is rounded too much to be normal to them. So three more directions are tried: its
//! components normal to either axis, and the cross product of the axes.
//!
//! Source: C. Ericson, "Real-Time Collision Detection", 2005, 5.1.9, for the nearest points, with the departure of the overlap.
//!
//! Degenerate cases: an axis of length zero makes a sphere. Parallel axes have a cross product of roundings, whose gap is
//! smaller. Axes that cross have any direction, and a distance of zero.
//!
//! Error bound: that of [`distance::search`](crate::narrow::distance::search), for any guess.

use crate::lane::{Float, Lanes, Mask, Vec3};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::narrow::geometry::segment::{Segment, nearest_pair};
use crate::shapes::capsule::{Capsule, WideCapsule};

impl DistanceKernel<Capsule> for Capsule {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(
        lanes: L,
        a: WideCapsule<L::F>,
        b: WideCapsule<L::F>,
    ) -> DistanceBounds<L> {
        let pair = SolidPair::<Capsule, Capsule, L::F>::new(lanes, a, b);
        let (half_a, half_b) = (pair.a.half_axis, pair.b.half_axis);
        let (axis_a, axis_b) = (Segment::new(lanes, half_a), Segment::new(lanes, half_b));
        let points = nearest_pair(axis_a, axis_b, pair.offset, half_b);
        let apart = points[1] - points[0];
        let found = pair.judged(
            lanes,
            Guess {
                points,
                direction: apart,
            },
        );
        if (!found.settled).bits() == 0 {
            return found;
        }
        // For axes that nearly touch, the vector between the points is rounded too much to be normal to them.
        let normal = axis_a.normal_to_both(axis_b);
        let gap = pair
            .gap(lanes, towards(lanes, normal, pair.offset))
            .or(pair.gap(lanes, axis_a.normal_part(apart)), lanes.splat(0.0))
            .or(pair.gap(lanes, axis_b.normal_part(apart)), lanes.splat(0.0))
            .gap;
        let better = pair.closer(lanes, found, pair.judged_by(lanes, points, gap));
        pair.searched(lanes, better)
    }
}

/// The vector `v` or its opposite, on the side of `side`.
#[inline(always)]
fn towards<L: Lanes>(lanes: L, v: Vec3<L::F>, side: Vec3<L::F>) -> Vec3<L::F> {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    v * one.select(zero.le(v.dot(side)), -one)
}
