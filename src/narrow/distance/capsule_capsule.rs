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
use crate::narrow::geometry::segment::Segment;
use crate::narrow::overlap::capsule_capsule::nearest;
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

#[cfg(test)]
mod tests {
    use crate::narrow::testing::{apart, capsule};

    #[test]
    fn crossing_axes_have_the_gap_along_their_normal() {
        let along_x = capsule([0.; 3], [5., 0., 0.], 1.0);
        apart(along_x, capsule([3., 2., 4.], [0., 4., 0.], 1.0), 2.0);
        apart(along_x, capsule([2., 3., -7.], [3., 4., 0.], 1.0), 5.0);
        // Nearly touching axes: a rounded vector between them is not normal to them.
        let thin = capsule([0.; 3], [5., 3., 0.], 0.0);
        let height = 1.0 / 1024.0;
        let across = capsule([1., 1., height], [3., -4., 0.], 0.0);
        apart(thin, across, f64::from(height));
        apart(across, thin, f64::from(height));
    }

    #[test]
    fn nearest_points_may_be_ends() {
        let along_x = capsule([0.; 3], [5., 0., 0.], 1.0);
        // An end beside the other axis; two ends, √(3² + 4²) apart; collinear axes.
        apart(along_x, capsule([1., 9., 0.], [0., 4., 0.], 1.0), 3.0);
        apart(along_x, capsule([8., 8., 0.], [0., 4., 0.], 1.0), 3.0);
        apart(along_x, capsule([14., 0., 0.], [-4., 0., 0.], 1.0), 3.0);
    }

    #[test]
    fn parallel_and_degenerate_axes_have_distances() {
        let along_x = capsule([0.; 3], [5., 0., 0.], 1.0);
        for slope in [0.0, 1e-9, 1e-20] {
            apart(along_x, capsule([3., 6., 0.], [4., 0., slope], 1.0), 4.0);
        }
        let point = capsule([0., 10., 0.], [0.; 3], 1.0);
        apart(along_x, point, 8.0);
        apart(point, capsule([0.; 3], [1e-45, 0., 0.], 1.0), 8.0);
        let large = (1u64 << 58) as f32;
        apart(
            capsule([0.; 3], [large, 0., 0.], 0.0),
            capsule([0., 2. * large, 0.], [0., 0., large], 0.0),
            f64::from(2. * large),
        );
    }

    #[test]
    fn capsules_that_touch_have_distance_zero() {
        let along_x = capsule([0.; 3], [5., 0., 0.], 1.0);
        apart(along_x, capsule([3., 2., 1.5], [0., 4., 0.], 1.0), 0.0);
        apart(along_x, along_x, 0.0);
        let thin = capsule([0.; 3], [5., 0., 0.], 0.0);
        apart(thin, capsule([1., 1., 0.], [0., 2., 0.], 0.0), 0.0);
    }
}
