//! AABB-OBB distance: the distance of two OBBs.
//!
//! Axes of 0 and 1 are exact, so the kernel is [`obb_obb_distance`](crate::narrow::distance::obb_obb), compiled once for both.
//!
//! Error bound: that of [`distance::search`](crate::narrow::distance::search), for any guess.

use crate::lane::Lanes;
use crate::narrow::distance::obb_obb::BoxBox;
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, SolidPair};
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};

impl DistanceKernel<Obb> for Aabb {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideAabb<L::F>, b: WideObb<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Aabb, Obb, L::F>::new(lanes, a, b);
        let a = pair.a.with_axes(lanes);
        lanes.call::<BoxBox>(pair.with_cores(a, pair.b))
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::{EIGHTH, STRAIGHT, apart, cube};
    use phalanx::Aabb;

    #[test]
    fn faces_edges_and_corners_are_nearest() {
        let a = Aabb::from_center_half_extents([0.; 3], [1., 2., 3.]);
        apart(a, cube([5., 0.5, 0.], STRAIGHT), 3.0);
        apart(a, cube([5., 0.5, 0.], EIGHTH), 4.0 - 2f64.sqrt());
        apart(a, cube([5., 7., 0.], STRAIGHT), 5.0);
        apart(a, cube([4., 5., 6.], STRAIGHT), 12f64.sqrt());
        apart(cube([5., 0.5, 0.], EIGHTH), a, 4.0 - 2f64.sqrt());
    }

    #[test]
    fn boxes_that_overlap_have_distance_zero() {
        let a = Aabb::from_center_half_extents([0.; 3], [1., 2., 3.]);
        apart(a, cube([2., 0., 0.], STRAIGHT), 0.0);
        apart(a, cube([2.25, 1., 1.], EIGHTH), 0.0);
    }
}
