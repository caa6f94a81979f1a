//! AABB-AABB distance: the length of the gaps along the axes.
//!
//! On each axis the nearest points are the facing ends, or the middle of the common interval.
//!
//! Error bound: that of [`distance::search`](crate::narrow::distance::search).

use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::narrow::geometry::point_box::outside;
use crate::shapes::aabb::{Aabb, WideAabb};

impl DistanceKernel<Aabb> for Aabb {
    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideAabb<L::F>, b: WideAabb<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Aabb, Aabb, L::F>::new(lanes, a, b);
        let (half_a, half_b) = (pair.a.half_extents, pair.b.half_extents);
        let between = outside(lanes, pair.offset, half_a + half_b);
        let (low, high) = (pair.offset - half_b, pair.offset + half_b);
        let mut from = pair.offset;
        let mut k = 0;
        while k < 3 {
            let half = half_a.0[k];
            let common = low.0[k].max(-half) + high.0[k].min(half);
            // The middle is the facing end of A if there is a gap, because both ends are then clamped to it.
            from.0[k] = (common * lanes.splat(0.5)).max(-half).min(half);
            k += 1;
        }
        // Across a gap, the middle of the common interval is the middle of the gap.
        let to = nearest_in_box(pair.offset, half_b, from);
        pair.bounds(
            lanes,
            Guess {
                points: [from, to],
                direction: between,
            },
        )
    }
}

/// The point of a box at `center` that is nearest to `p`.
#[inline(always)]
fn nearest_in_box<F: Float>(center: Vec3<F>, half_extents: Vec3<F>, p: Vec3<F>) -> Vec3<F> {
    let ([lx, ly, lz], [hx, hy, hz]) = ((center - half_extents).0, (center + half_extents).0);
    let [x, y, z] = p.0;
    Vec3([x.max(lx).min(hx), y.max(ly).min(hy), z.max(lz).min(hz)])
}
