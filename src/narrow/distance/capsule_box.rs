//! Capsule-box distance: the least distance of the axis from the box, less the radius.
//!
//! The center and the half axis are rotated into the frame of the box. There o(t) = p(t) − clamp(p(t), −h, h) for a point
//! p(t) of the axis. |o|² is convex and piecewise quadratic in t, and [`rounded_box`](crate::narrow::geometry::rounded_box)
//! finds its minimum. The direction is −o, which lies along an axis of the box exactly where a face is nearest.
//!
//! For an axis near an edge or a corner, o is rounded too much to be normal to the axis. So three more directions are tried.
//! They are o without its component along the axis, the cross product of the axis and an edge, and the normal of a face. The
//! edge is along the axis of the box in which the point is farthest inside. The choice of faces needs no other decision.
//!
//! An AABB is an OBB with axes of 0 and 1, which are exact, so the routine is compiled once for both.
//!
//! Source: none.
//!
//! Degenerate cases: an axis of length zero makes a sphere. An axis that pierces the box has o = 0, and a point in common.
//! Boxes may be points, segments and rectangles.
//!
//! Error bound: that of [`distance::search`](crate::narrow::distance::search), for any guess.

use crate::lane::{Float, Lanes, Mask, Routine, Vec3};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::narrow::geometry::core::one_hot;
use crate::narrow::geometry::rounded_box::{BoxSlab, nearest};
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::obb::{Obb, WideObb};

impl DistanceKernel<Aabb> for Capsule {
    const OVERLAP_BAND: f32 = 32.0;

    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideCapsule<L::F>, b: WideAabb<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Capsule, Aabb, L::F>::new(lanes, a, b);
        let b = pair.b.with_axes(lanes);
        lanes.call::<CapsuleBox>(pair.with_cores(pair.a, b))
    }
}

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
        let least = pair.size * lanes.units(16.0);
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
            .or(pair.gap(lanes, -pair.b.at(of_edge)), zero)
            .or(pair.gap(lanes, -pair.b.at(of_face)), zero)
            .gap;
        let better = pair.judged_by(lanes, points, gap);
        pair.searched(lanes, pair.closer(lanes, found, better))
    }
}
