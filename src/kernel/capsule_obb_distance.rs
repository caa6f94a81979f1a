//! Capsule-Obb distance.
//!
//! Error bound: that of [`closest`](super::closest).

use super::closest::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use super::obb_obb_distance::one_hot;
use super::rounded_box::{BoxSlab, nearest};
use super::rounding::U;
use crate::lane::{Float, Lanes, Mask, Routine, Vec3};
use crate::shapes::{Capsule, Obb, WideCapsule, WideObb};

impl DistanceKernel<Obb> for Capsule {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideCapsule<L::F>, b: WideObb<L::F>) -> DistanceBounds<L> {
        lanes.call::<CapsuleBox>(SolidPair::new(lanes, a, b))
    }
}

/// The distance of a capsule and a box.
pub struct CapsuleBox;

impl<L: Lanes> Routine<L> for CapsuleBox {
    type Argument = SolidPair<Capsule, Obb, L::F>;
    type Output = DistanceBounds<L>;

    #[inline(always)]
    fn run(lanes: L, pair: Self::Argument) -> DistanceBounds<L> {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let (half, axes) = (pair.b.half_extents, pair.b.axes);
        let (center, way) = (
            -Vec3(pair.offset.along(axes)),
            Vec3(pair.a.half_axis.along(axes)),
        );
        let (low, high) = (center + half, center - half);
        let slabs = [
            BoxSlab::new(lanes, low.0[0], high.0[0], way.0[0]),
            BoxSlab::new(lanes, low.0[1], high.0[1], way.0[1]),
            BoxSlab::new(lanes, low.0[2], high.0[2], way.0[2]),
        ];
        let (time, outside) = nearest(lanes, slabs);
        let on_axis = center + way * time;
        let mut foot = on_axis;
        let mut k = 0;
        while k < 3 {
            let half = half.0[k];
            foot.0[k] = on_axis.0[k].max(-half).min(half);
            k += 1;
        }
        let points = [pair.a.half_axis * time, pair.offset + pair.b.at(foot)];
        let found = pair.judged(
            lanes,
            Guess {
                points,
                direction: -pair.b.at(outside),
            },
        );
        if (!found.settled).bits() == 0 {
            return found;
        }
        // Near an edge or a corner, the direction is rounded too much to be normal to the axis.
        let least = pair.size * lanes.splat(16.0 * U);
        let mut across = way;
        let mut k = 0;
        while k < 3 {
            across.0[k] = way.0[k].masked(least.lt(outside.0[k].abs()));
            k += 1;
        }
        let across = across * across.abs().largest().recip_pow2();
        let squared = across.dot(across);
        let inverse = (one / squared).masked(time.abs().lt(one) & zero.lt(squared));
        let normal = outside - across * (outside.dot(across) * inverse);
        let normal = normal - across * (normal.dot(across) * inverse);
        let edge = one_hot(lanes, half - foot.abs());
        let of_edge = edge.cross(way * way.abs().largest().recip_pow2());
        let of_edge = of_edge * one.select(zero.le(of_edge.dot(outside)), -one);
        let [f0, f1, f2] = one_hot(lanes, outside.abs()).0;
        let [o0, o1, o2] = outside.0;
        let of_face = Vec3([f0 * o0, f1 * o1, f2 * o2]);
        let gap = pair
            .gap(lanes, -pair.b.at(normal))
            .or(pair.gap(lanes, -pair.b.at(of_edge)))
            .or(pair.gap(lanes, -pair.b.at(of_face)))
            .gap;
        let better = pair.judged_by(lanes, points, gap);
        pair.searched(lanes, pair.closer(lanes, found, better))
    }
}
