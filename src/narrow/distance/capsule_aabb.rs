//! Capsule-AABB distance: the distance of the capsule from the box as an OBB.
//!
//! Axes of 0 and 1 are exact, so the kernel is [`capsule_obb_distance`](crate::narrow::distance::capsule_obb), compiled once for
//! both.
//!
//! Error bound: that of [`distance::search`](crate::narrow::distance::search), for any guess.

use crate::lane::Lanes;
use crate::narrow::distance::capsule_obb::CapsuleBox;
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, SolidPair};
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::capsule::{Capsule, WideCapsule};

impl DistanceKernel<Aabb> for Capsule {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideCapsule<L::F>, b: WideAabb<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Capsule, Aabb, L::F>::new(lanes, a, b);
        let b = pair.b.with_axes(lanes);
        lanes.call::<CapsuleBox>(pair.with_cores(pair.a, b))
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::{apart, capsule};
    use phalanx::Aabb;

    #[test]
    fn faces_edges_and_corners_are_nearest() {
        let b = Aabb::from_center_half_extents([10., 0., 0.], [1., 2., 3.]);
        apart(capsule([5., 1., 0.], [0., 3., 0.], 1.0), b, 3.0);
        // Beside the edge along z at (9, 2): 3 and 4 away.
        apart(capsule([6., 6., 1.], [0., 0., 9.], 1.0), b, 4.0);
        // An end, 2 from a corner along each axis.
        apart(
            capsule([7., 4., 7.], [0., 0., 2.], 1.0),
            b,
            12f64.sqrt() - 1.0,
        );
    }

    #[test]
    fn capsules_that_touch_have_distance_zero() {
        let b = Aabb::from_center_half_extents([10., 0., 0.], [1., 2., 3.]);
        apart(capsule([5., 0., 0.], [9., 1., 1.], 0.0), b, 0.0);
        apart(capsule([8.5, 0., 0.], [0., 1., 0.], 0.5), b, 0.0);
    }
}
