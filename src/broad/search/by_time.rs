//! Searches by the time at which the way of a shape reaches a node.
//!
//! The tree decides no result. A *way* is the bounds of a shape at the start of the frame, moved by its displacement. Each
//! number of a way is rounded outwards, so at any time `t` the way contains the shape's bounds at `t` and its share of
//! the kernels' error bands.
//!
//! *Lemma.* If a kernel reports a shape of the store with the time `enter`, every node above it has `near ≤ enter`, and
//! is visited while the best time so far is not before `enter`. *Proof.* At `enter` the gap along each axis is at most
//! the margin plus the band, and both bounds together reach further than the band (`shapes/bounds.rs`). So the way at
//! `enter` is within the margin of the shape's bounds, so within that of the node's. On an axis with length `d > 0` of the
//! displacement, `near = (low - lead) / d` and `far = (high - tail) / d` are the times at which the front of the way
//! reaches the node's near side and its back leaves the far side. The sums in `lead` and `tail` round by at most 3 u of
//! their terms, the slack is 8 u of them, and `d` is one of them. So 4.9 u of the frame are left, or of the part that is searched.
//! Difference, reciprocal and product round by less than 3.1 u of the time, which is at most that, and a limit by 1 u. (A `far` above
//! 1.5 stays above any limit.) With `d` below 2⁻¹²⁸ the reciprocal is clamped: `near` is at most 0 where it has to be, and `far` large, since the slack of the way is at
//! least 2⁻⁵⁶. So `near ≤ enter ≤ far`. ∎
//!
//! A node is skipped only if it is reached strictly after the best time, so no tie is lost: the lowest index wins.
//! The best time of a list is the last of as many as are wanted, or the end of the frame.
//!
//! **Cut ways.** Bounds during the frame are wider by 2048 u of the way V, the sum of its absolute coordinates: a ray of 10⁷ m is 1 km thick. First and
//! any hits need less. A hit of a pair with V above 14 (A + B) is tested in `f64` (`shapes/form.rs`): at the time that is found there, its gap
//! is within 2⁻⁴¹ V of the margin, and the time is then rounded by u. So the way extends beyond the bounds at the start by 2048 u
//! times the lesser of V and 16 (A + L), L being the size of the largest shape of the tree, and by 2⁻⁴⁰ V; best times are multiplied by 1 + 2⁻²⁰. A hit
//! that `overlap` in `f32` may report stays up to twice the margin away at the start (`driver/run.rs`), so the way extends by that too. Its ends are computed in
//! `f64`, and only its part within the bounds of the tree is searched, with times from the beginning of that part: roundings in
//! `f32` are relative to lengths within the tree, whatever V is. Both ends of that part round by 2⁻⁵¹ of them, less than 2⁻⁴⁰ V covers.

use crate::broad::row::Row;
use crate::broad::search::bundle::join;
use crate::broad::search::scope::{Approach, Cut, Scope, WAYS, Ways};
use crate::broad::search::way::Way;
use crate::lane::{Float, Lanes, MAX_LANES, Mask, Rows};
use crate::limits::MAX_LENGTH;
use crate::store::tree::Block;

/// One row for each lane.
#[derive(Clone, Copy)]
struct GatheredRows<'r>(&'r [[f32; 16]; WAYS]);

impl Rows<[f32; 16]> for GatheredRows<'_> {
    #[inline(always)]
    fn row(&self, lane: usize) -> &[f32; 16] {
        &self.0[lane % WAYS]
    }
}

/// By the time at which the way of a shape reaches a node.
pub struct ByTime;

/// 8 u.
const ROUNDING: f32 = 1.0 / (1 << 21) as f32;

/// Absolute part of the slack: 2⁻⁵⁶.
pub const FLOOR: f32 = 1.0 / (1u64 << 56) as f32;

impl Way {
    /// Sets the sides of an axis. Returns the lowest end of a shape in the direction of its displacement, and the negated highest
    /// end; `None` if they are unknown, as bounds are clamped to the limit.
    #[inline(always)]
    fn begin_axis(&mut self, k: usize, row: &Row, displacement: [f32; 3]) -> Option<[f32; 2]> {
        let back = displacement[k] < 0.0;
        self.set_sides(k, back);
        let sides = [row[k], row[4 + k]];
        let [low, high] = if back { [sides[1], sides[0]] } else { sides };
        let is_unknown = low <= -MAX_LENGTH || high <= -MAX_LENGTH;
        (!is_unknown).then_some([low, high])
    }

    /// The whole way of a shape with these bounds during the frame.
    pub fn whole(row: &Row, displacement: [f32; 3], threshold: f32) -> Way {
        let mut way = Way::EVERYWHERE;
        for k in 0..3 {
            let Some([low, high]) = way.begin_axis(k, row, displacement) else {
                continue;
            };
            let length = displacement[k].abs();
            let slack = (low.abs() + high.abs() + length + threshold) * ROUNDING + FLOOR;
            way.lead[k] = (-high - length) + threshold + slack;
            way.tail[k] = low - threshold - slack;
            way.set_length(k, length);
        }
        way
    }

    /// Makes the parts of the ways of shapes with these bounds at the start that are within the bounds of the targets; `None` where
    /// there is none. In lanes of `f64`.
    #[inline(always)]
    pub fn cut<D: Lanes>(
        lanes: D,
        shapes: &[(&Row, [f32; 3]); WAYS],
        threshold: f32,
        cut: &Cut,
        ways: &mut [Option<Way>],
    ) {
        let (zero, one, most) = (lanes.splat(0.0), lanes.splat(1.0), lanes.splat(f32::MAX));
        let (fine, unlimited) = (lanes.splat(FINE), lanes.splat(-MAX_LENGTH));
        let mut rows = [[0.0; 16]; WAYS];
        for (to, (row, displacement)) in rows.iter_mut().zip(shapes) {
            to[..8].copy_from_slice(*row);
            to[8..11].copy_from_slice(displacement);
        }
        let shape: [D::F; 16] = lanes.gather(GatheredRows(&rows));
        let (mut size, mut travel) = (zero, zero);
        let mut k = 0;
        while k < 3 {
            size = size - shape[k] - shape[4 + k];
            travel = travel + shape[8 + k].abs();
            k += 1;
        }
        let coarse = lanes.splat(cut.coarse.0) * size + lanes.splat(cut.coarse.1);
        let reach = lanes.splat(threshold) + travel.min(coarse) * lanes.splat(BAND) + travel * fine;
        let (mut from, mut to) = (zero, one);
        let (mut lead, mut tail, mut length) = ([most; 3], [-most; 3], [one; 3]);
        let never = zero.lt(zero);
        let (mut is_known, mut is_back, mut passes) = ([never; 3], [never; 3], !never);
        k = 0;
        while k < 3 {
            let around = [lanes.splat(cut.around[k]), lanes.splat(cut.around[3 + k])];
            let back = shape[8 + k].lt(zero);
            let low = shape[4 + k].select(back, shape[k]);
            let high = shape[k].select(back, shape[4 + k]);
            let near = around[1].select(back, around[0]);
            let far = around[0].select(back, around[1]);
            // Bounds that are clamped to the limit are unknown.
            let known = unlimited.lt(low.min(high)) & unlimited.lt(near.min(far));
            let slack = reach + (low.abs() + high.abs()) * fine;
            (lead[k], tail[k], length[k]) = (slack - high, low - slack, shape[8 + k].abs());
            let moves = zero.lt(length[k]);
            let enter = (near - lead[k]) / length[k];
            let exit = (-far - tail[k]) / length[k];
            from = enter.max(from).select(known & moves, from);
            to = exit.min(to).select(known & moves, to);
            let meets = near.le(lead[k]) & tail[k].le(-far);
            passes = passes & (!known | moves | meets);
            (is_known[k], is_back[k]) = (known, back);
            k += 1;
        }
        let passes = (passes & from.le(to)).bits();
        let mut numbers = [[0.0; MAX_LANES]; 12];
        let rounding = lanes.splat(ROUNDING);
        k = 0;
        while k < 3 {
            let start = length[k] * from;
            let (front, rear) = (lead[k] + start, tail[k] + start);
            let sum = front.abs() + rear.abs() + length[k] * (to - from);
            let slack = sum * rounding + lanes.splat(FLOOR);
            let known = is_known[k];
            let slowness = (one / length[k]).min(most).select(known, one);
            let column = [
                (front + slack).select(known, most),
                (rear - slack).select(known, -most),
                slowness,
                -slowness,
            ];
            let mut i = 0;
            while i < 4 {
                lanes.store(column[i], &mut numbers[4 * k + i]);
                i += 1;
            }
            k += 1;
        }
        let (mut begin, mut end) = ([0.0; MAX_LANES], [0.0; MAX_LANES]);
        lanes.store_exactly(from, &mut begin);
        lanes.store_exactly(to, &mut end);
        let is_back = [is_back[0].bits(), is_back[1].bits(), is_back[2].bits()];
        for (lane, way) in ways.iter_mut().enumerate().take(D::COUNT) {
            *way = None;
            if passes >> lane & 1 == 0 {
                continue;
            }
            let cut = way.insert(Way::NONE);
            (cut.from, cut.to, cut.later) = (begin[lane], end[lane], LATER);
            for (k, is_back) in is_back.iter().enumerate() {
                let column = &numbers[4 * k..][..4];
                cut.set_sides(k, is_back >> lane & 1 == 1);
                cut.lead[k] = column[0][lane];
                cut.tail[k] = column[1][lane];
                cut.before[k] = column[2][lane];
                cut.after[k] = column[3][lane];
            }
        }
    }
}

/// The share of the way in the reach of hits: 2048 u, as in `shapes/bounds.rs`.
const BAND: f32 = 1.0 / 8192.0;

/// Above the errors of hits tested in `f64`, and of ways.
const FINE: f32 = 1.0 / (1u64 << 40) as f32;

/// Above the rounding of times of hits.
const LATER: f64 = 1.0 + 1.0 / (1 << 20) as f64;

impl Approach for ByTime {
    const JOINS: bool = true;

    #[inline(always)]
    fn make_ways<D: Lanes>(
        lanes: D,
        shapes: &[(&Row, [f32; 3]); WAYS],
        scope: &Scope,
        ways: &mut [Option<Way>],
    ) {
        match &scope.cut {
            None => {
                for (way, (row, displacement)) in ways.iter_mut().zip(shapes).take(D::COUNT) {
                    *way = Some(Way::whole(row, *displacement, scope.threshold));
                }
            }
            Some(cut) => Way::cut(lanes, shapes, scope.threshold, cut, ways),
        }
    }

    /// Mask of the AABBs that the way reaches, not after the limit, and the times.
    #[inline(always)]
    fn test<L: Lanes>(lanes: L, way: &Way, block: &Block, at: usize, limit: L::F) -> (L::M, L::F) {
        let (mut near, mut far) = (lanes.splat(0.0), limit);
        let mut k = 0;
        while k < 3 {
            let (low, high) = (&block[way.near[k]], &block[way.far[k]]);
            let (before, after) = (lanes.splat(way.before[k]), lanes.splat(way.after[k]));
            let low = lanes.load(&low[at..]) - lanes.splat(way.lead[k]);
            let high = lanes.load(&high[at..]) + lanes.splat(way.tail[k]);
            near = (low * before).max(near);
            far = (high * after).min(far);
            k += 1;
        }
        (near.le(far), near)
    }

    #[inline(always)]
    fn limit(best: f32, way: &Way) -> f32 {
        (f64::from(best) * way.later - way.from) as f32
    }

    fn join(ways: &Ways) -> Option<Way> {
        join(ways)
    }
}
