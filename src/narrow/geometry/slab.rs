//! Slab test: the time interval in which a moving coordinate is within a range.
//!
//! True divisions and no epsilon: the quotients are the only roundings here, and callers widen the range enough to
//! cover them. [`times`] uses minima and maxima only, without comparisons or selections.
//!
//! # Error bounds
//!
//! For any floats `low` ≤ `high` and v, and for each t from 0 to 1:
//!
//! ```text
//! (1)  low + u/2 |v| ≤ t v ≤ high − u/2 |v|   ⟹   first ≤ t ≤ last
//! (2)  first ≤ t ≤ last   ⟹   low − u/2 |v| ≤ t v ≤ high + u/2 |v|
//! ```
//!
//! By (1) a caller whose widened range has |v| u/2 to spare at each exact time of contact misses none. On every slab
//! the first time is at or before all of them and the last at or after. So the greatest first time is at most the least
//! last time, and at most 1. Times of different slabs need no other order. By (2) every claimed time, first and last
//! included, lies in the widened range up to u/2 |v|: that bounds gaps, also those of false hits.
//!
//! For v < 0 the range is mirrored to `near` ≤ t |v| ≤ `far`. This does not change the quotients, and rounding keeps
//! their order: the smaller is `near` / |v|, the larger `far` / |v|. Let q be an exact one. Floats up to 1 are at most
//! u apart, subnormals included, so |fl(q) − q| ≤ u/2 for 0 ≤ q ≤ 1.
//!
//! - first is 0 if near ≤ 0, as then q ≤ 0 ≤ t |v|. Otherwise (1): q ≤ t − u/2, so fl(q) ≤ q + u/2 ≤ t. (2): for floats
//!   x > y > 0, x is at least the float after y, which is larger by more than u y, so x/y > 1 + u is rounded to
//!   above 1. So fl(q) ≤ t ≤ 1 implies q ≤ 1, and q ≤ fl(q) + u/2 ≤ t + u/2.
//! - last is 1 if far ≥ |v|, as then q ≥ 1 and t |v| ≤ |v|. Otherwise q < 1 and fl(q) ≤ 1. (1): q ≥ t + u/2, so fl(q) ≥
//!   t. (2): 0 ≤ t ≤ fl(q) implies q ≥ t − u/2, even if a q below 0 has underflowed to −0.
//! - v = 0: divided by +0 either end is an infinity of its sign, or NaN for 0, which no minimum and no maximum here
//!   returns. So first is 0 or +∞ and last 1 or −∞, according to whether the range contains 0.
//! - A quotient overflows only to first = +∞ or last = −∞, outside the frame like the exact one.
//! - low = −∞ and high = +∞ are no bounds: their quotients are infinite, and ignored.
//!
//! # With a reciprocal
//!
//! [`times_by_reciprocal`] multiplies finite ends by one rounded reciprocal instead:
//!
//! ```text
//! (3)  low + 2 u |v| + 2⁻¹²⁶ ≤ t v ≤ high − 2 u |v| − 2⁻¹²⁶   ⟹   first ≤ t ≤ last
//! (4)  first ≤ t ≤ last   ⟹   low − 2.01 u |v| − 2⁻¹²⁶ ≤ t v ≤ high + 2.01 u |v| + 2⁻¹²⁶
//! (5)  low ≤ 0 ≤ high   ⟹   first = 0 ≤ last
//! ```
//!
//! With q an exact quotient again, the product rounds x = q (1 + δ), |δ| ≤ u / (1 + u):
//!
//! - first is 0 if near ≤ 0. Otherwise (3): q ≤ t − 2 u and x ≤ q + u q < 1, so fl(x) ≤ q + 1.5 u ≤ t. (4): fl(x) ≤ t
//!   implies x ≤ t + u, even if x > 1 is rounded to 1, so q ≤ (t + u) (1 + u).
//! - last, (3): q ≥ t + 2 u. If x ≥ 1, so is fl(x). Otherwise x ≥ (t + 2 u) (1 − u) ≥ t + u − 2 u², and fl(x) ≥ x − u/2
//!   ≥ t. (4): x ≥ t − u, and q ≥ x (1 − u).
//! - |v| ≤ 2⁻¹²⁸ has no float as its reciprocal: it is taken as +∞, or for v < 0 as the lowest float. (3): low is below
//!   −2⁻¹²⁷ and high above 2⁻¹²⁷, so products are beyond ±1, and bound no time. (4): low > 0 gives first = +∞ or last <
//!   0; high < 0 gives last = −∞ or, below −2⁻¹²⁷, first > 1.
//! - (5): products lie on either side of 0; or one is 0 · ∞, NaN, and the other an infinity that is no bound.
//! - low = high = v = 0, of either sign, is no bound: both products are NaN.

use crate::driver::source::{Deferred, TimeRange};
use crate::lane::{Float, Lanes, Vec3};
use crate::math::rounding::FLOOR;
use crate::shapes::aabb::AabbGaps;
use crate::shapes::form::WideMoving;
use crate::shapes::triangle::WideTriangle;

/// Widening of two AABBs together, relative to the speed and the margin: 8 u.
const BOX_WIDENING: f32 = 8.0;

/// Slab of a coordinate that moves by `v` and touches from `low` to `high`, as in [`times`].
#[derive(Clone, Copy)]
pub struct Slab<F> {
    pub low: F,
    pub high: F,
    pub v: F,
}

/// Intersection of `N` slabs, before the divisions. `finish` is deferred because divisions are slow: without pipelining
/// AABB sweeps take 15 % longer and plane sweeps 5 to 12 % (notes: figures moved from the source).
#[derive(Clone, Copy)]
pub struct Slabs<F, const N: usize>(pub [Slab<F>; N]);

impl<L: Lanes, const N: usize> Deferred<L> for Slabs<L::F, N> {
    type Answer = TimeRange<L>;
    // SSE2 overwrites an operand and needs 15 % more instructions to keep three slabs, for no gain (notes: figures
    // moved from the source).
    const PIPELINED: bool = N == 1 || L::COUNT != 4;

    #[inline(always)]
    fn finish(self, lanes: L) -> TimeRange<L> {
        let mut frame = (lanes.splat(0.0), lanes.splat(1.0));
        let mut k = 0;
        while k < N {
            let Slab { low, high, v } = self.0[k];
            frame = times(low, high, v, frame);
            k += 1;
        }
        let (enter, exit) = frame;
        TimeRange {
            hit: enter.le(exit),
            enter,
            exit,
        }
    }
}

/// First and last time t in `since..=until` with `low <= t * v <= high`.
///
/// Empty if the first is after the last. `low` may be −∞, and `high` +∞. Without motion a range that excludes 0 is
/// never entered. `v` is not −0.
#[inline(always)]
pub fn times<F: Float>(low: F, high: F, v: F, (since, until): (F, F)) -> (F, F) {
    let (at_low, at_high) = (low / v, high / v);
    // Given NaN and a number, each returns its second operand, so the order of operands matters. 0/0 of a range that
    // begins or ends at 0 must not become a bound.
    (
        at_high.min(at_low).max(since),
        at_low.max(at_high).min(until),
    )
}

/// Like [`times`], with one division for both ends, which must be finite. `v` may be −0.
#[inline(always)]
pub fn times_by_reciprocal<L: Lanes>(
    lanes: L,
    low: L::F,
    high: L::F,
    v: L::F,
    (since, until): (L::F, L::F),
) -> (L::F, L::F) {
    // −0 becomes 0. A negative reciprocal is clamped to the lowest float: 0 · −∞ would leave the other end as a bound.
    let v = v + lanes.splat(0.0);
    let inverse = (lanes.splat(1.0) / v).max(lanes.splat(f32::MIN));
    let (at_low, at_high) = (low * inverse, high * inverse);
    (
        at_high.min(at_low).max(since),
        at_low.max(at_high).min(until),
    )
}

/// The slabs of a point at `offset` from the corner of a triangle that moves by `v`, as derived in
/// `sweep::point_triangle`. Their ends are finite.
#[inline(always)]
pub fn triangle_slabs<L: Lanes>(
    lanes: L,
    offset: Vec3<L::F>,
    v: Vec3<L::F>,
    triangle: WideTriangle<L::F>,
    margin: L::F,
) -> [Slab<L::F>; 5] {
    let WideTriangle { length, height, .. } = triangle;
    let axes = triangle.axes();
    let ([x, y, z], [vx, vy, vz]) = (offset.along(axes), v.along(axes));
    let size = offset.abs().sum() + v.abs().sum();
    let by = length * lanes.units(56.0)
        + size * lanes.units(16.0)
        + margin * (lanes.splat(1.0) + lanes.units(8.0))
        + lanes.splat(FLOOR);
    // Exceeds the distance of any point on the inner side from an edge.
    let far = (size + length + by) * lanes.splat(4.0);
    // Distances from both edges to the third corner, and their changes.
    let [[run, rise], [run_second, rise_second]] = triangle.sides();
    let (first, v_first) = (rise * x - run * y, rise * vx - run * vy);
    let second = rise_second * (length - x) - run_second * y;
    let v_second = -(rise_second * vx + run_second * vy);
    [
        range(z, vz, -by, by),
        range(x, vx, -by, length + by),
        range(y, vy, -by, height + by),
        range(first, v_first, -by, far),
        range(second, v_second, -by, far),
    ]
}

/// Slab of a coordinate that starts at `x`, moves by `v` and is inside from `low` to `high`.
#[inline(always)]
fn range<F: Float>(x: F, v: F, low: F, high: F) -> Slab<F> {
    Slab {
        low: low - x,
        high: high - x,
        v,
    }
}

/// Slabs of the three coordinates of two moving AABBs, as derived in `sweep::box_box`.
#[inline(always)]
pub fn box_slabs<L: Lanes>(
    lanes: L,
    gaps: WideMoving<AabbGaps<L::F>, L::F>,
    margin: L::F,
) -> Slabs<L::F, 3> {
    let widened = margin + (margin * lanes.units(BOX_WIDENING) + lanes.splat(f32::MIN_POSITIVE));
    let (below, above, v) = (gaps.start.below.0, gaps.start.above.0, gaps.displacement.0);
    Slabs([
        box_slab(lanes, below[0], above[0], v[0], widened),
        box_slab(lanes, below[1], above[1], v[1], widened),
        box_slab(lanes, below[2], above[2], v[2], widened),
    ])
}

/// Slab of one axis of AABBs: A is `below` or `above` the gap to B and moves by `v` relative to it.
#[inline(always)]
fn box_slab<L: Lanes>(lanes: L, below: L::F, above: L::F, v: L::F, widened: L::F) -> Slab<L::F> {
    let widening = v.abs() * lanes.units(BOX_WIDENING) + widened;
    Slab {
        low: above - widening,
        high: widening - below,
        v,
    }
}

#[cfg(test)]
mod tests {
    use super::{times, times_by_reciprocal};
    use crate::lane::One;

    fn within(low: f32, high: f32, v: f32) -> Option<(f32, f32)> {
        let (first, last) = times(low, high, v, (0.0, 1.0));
        (first <= last).then_some((first, last))
    }

    #[test]
    fn times_without_motion_span_frame_or_are_empty() {
        let infinity = f32::INFINITY;
        for (low, high) in [(-1.0, 1.0), (0.0, 1.0), (-1.0, 0.0), (-infinity, 0.0)] {
            assert_eq!(within(low, high, 0.0), Some((0.0, 1.0)), "{low} to {high}");
            assert_eq!(
                within(-high, -low, 0.0),
                Some((0.0, 1.0)),
                "the mirrored one"
            );
        }
        assert_eq!(within(0.0, -0.0, 0.0), Some((0.0, 1.0)));
        assert_eq!(within(1e-45, infinity, 0.0), None);
        assert_eq!(within(-infinity, -1e-45, 0.0), None);
    }

    #[test]
    fn times_with_motion_enter_and_exit() {
        assert_eq!(within(1.0, 3.0, 4.0), Some((0.25, 0.75)));
        assert_eq!(within(-3.0, -1.0, -4.0), Some((0.25, 0.75)));
        assert_eq!(within(-1.0, 1.0, -4.0), Some((0.0, 0.25)));
        assert_eq!(within(2.0, f32::INFINITY, 4.0), Some((0.5, 1.0)));
        assert_eq!(within(1.0, 3.0, -4.0), None);
        assert_eq!(within(5.0, 6.0, 4.0), None);
    }

    #[test]
    fn reciprocal_slab_accepts_subnormal_motion() {
        let whole = Some((0.0, 1.0));
        let within = |low, high, v| {
            let (first, last) = times_by_reciprocal(One, low, high, v, (0.0, 1.0));
            (first <= last).then_some((first, last))
        };
        for v in [0.0, -0.0, 1e-45, -1e-45, 1e-39, -1e-39] {
            assert_eq!(within(-1.0, 1.0, v), whole, "{v:e}");
            for (low, high) in [(0.0, 1.0), (-0.0, 1.0), (-1.0, 0.0), (-1.0, -0.0)] {
                let (first, last) = within(low, high, v).expect("0 is in the range");
                assert!(
                    first == 0.0 && (last == 0.0 || last == 1.0),
                    "{low} {high} {v:e}"
                );
            }
            assert_eq!(within(1.0, 2.0, v), None, "{v:e}");
            assert_eq!(within(-2.0, -1.0, v), None, "{v:e}");
        }
        for (zero, v) in [(0.0, 0.0), (0.0, -0.0), (-0.0, 0.0), (-0.0, -0.0)] {
            assert_eq!(within(zero, zero, v), whole, "{zero} {v}");
        }
        assert_eq!(within(1.0, 3.0, 4.0), Some((0.25, 0.75)));
        assert_eq!(within(-3.0, -1.0, -4.0), Some((0.25, 0.75)));
        assert_eq!(within(5.0, 6.0, 4.0), None);
        assert_eq!(within(1.0, 3.0, -4.0), None);
    }
}
