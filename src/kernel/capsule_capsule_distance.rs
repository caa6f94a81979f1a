//! Capsule-Capsule distance.
//!
//! Error bound: that of [`closest`](super::closest).

use super::capsule_capsule_overlap::nearest;
use super::closest::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use super::segment::Segment;
use crate::lane::{Float, Lanes, Mask, Vec3};
use crate::shapes::{Capsule, WideCapsule};

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
        let points = nearest(axis_a, axis_b, pair.offset, half_b);
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
        // Of axes that are near, the vector between the points is rounded too much to be normal to them.
        let normal = axis_a.normal_to_both(axis_b);
        let gap = pair
            .gap(lanes, towards(lanes, normal, pair.offset))
            .or(pair.gap(lanes, axis_a.normal_part(apart)))
            .or(pair.gap(lanes, axis_b.normal_part(apart)))
            .gap;
        let better = pair.closer(lanes, found, pair.judged_by(lanes, points, gap));
        pair.searched(lanes, better)
    }
}

/// A vector or its opposite: that on the side of another one.
#[inline(always)]
fn towards<L: Lanes>(lanes: L, v: Vec3<L::F>, side: Vec3<L::F>) -> Vec3<L::F> {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    v * one.select(zero.le(v.dot(side)), -one)
}
