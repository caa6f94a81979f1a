//! Searches by the squared distance of bounds.
//!
//! Shapes do not move, and nodes are visited in order of the distance between their bounds and the bounds of the shape.
//!
//! *Lemma.* Let q be the distance of two bounds, each grown by 512 u of the sum of its sides, and `lower` and `upper` the bounds of
//! the shapes' distance D. Then `lower` ≥ q (1 − 2⁻¹¹). *Proof.* A is the size of a shape as in `shapes/bounds.rs`: half extents, radii, 1-norms of half
//! axes, a triangle's longest edge. Bounds extend 2030 u A beyond the shape, and the sum of their sides is at least A. So each axis with a gap
//! has one of at least 2540 u (A + B) less, and q ≤ D − 2540 u (A + B). S of `narrow/distance/search.rs` is at most √3 (D + A + B) + 2 (A + B). Settled bounds are
//! within a band of at most 640 u S, 2⁻¹⁶ `upper` and 2⁻⁵⁶, where `upper` ≥ D + 2⁻⁵⁸: `lower` ≥ D (1 − 2⁻¹⁶ − 1110 u) − 2390 u (A + B) − 3 · 2⁻⁵⁸. For others, the gap along
//! the direction between the boxes of both cores was compared, and `lower` is that gap or a larger one, less what is taken off: less than the
//! band. Boxes of cores, grown by the radii along each axis, are no farther apart than those boxes less the radii. The floor of bounds is 2⁻⁵⁶, of one shape at least: one may be a point at rest. For hulls, S of `narrow/convex/gjk.rs` is at most √3 D + 8.7 (A + B), because a triangle counts twice the
//! coordinates of two edges, and the band is 288 u S: 2 510 u (A + B). Their search begins with the direction between the boxes of the cores. ∎
//!
//! A node is skipped only if q² > best² (1 + 2⁻⁹), `best` being the least `upper` so far or the radius: then all its shapes have a `lower` above `best`. So
//! neither the least `lower` nor the least `upper` of the store is lost, nor the lowest index of equal ones. Of lists, `best` is the last
//! `upper` of as many as are wanted, or the radius: a shape that is skipped has a greater `lower`, and so a greater `upper`.
//!
//! Let U² be the squared distance of the farthest points of two bounds, plus 2⁻⁸⁸. The upper bound of their shapes is at most U (1 + 2⁻¹⁰). So
//! `best` is at most that for each box of a leaf that is reached and admitted, before a kernel has tested it. *Proof.* `upper` is the distance of two
//! points of the shapes and at most 115 u S (`narrow/distance/search.rs`). On each axis the farthest points are apart by at least half the sum of both
//! sides, so A + B ≤ 3.5 U. S is at most 1.74 D + 3.74 (A + B), so `upper` ≤ U (1 + 2⁻¹³). The floor 2⁻⁵⁶ is below 2⁻¹² U. ∎ Bounds that are
//! clamped to the limit do not count. Trees of hulls have no such rule.
//!
//! Boxes of a leaf are also tested against [bounds](LocalBounds) of the searching shape along its own axes, where tests are slow. A
//! kernel learns the `best` of each pair, its cutoff. It may leave the bounds wide once the lower one is above: such a pair cannot change a result, as
//! the least `lower` and `upper` so far are at most `best`.

use crate::broad::row::Row;
use crate::broad::search::by_time::FLOOR;
use crate::broad::search::scope::{Approach, Scope, WAYS};
use crate::broad::search::way::Way;
use crate::lane::{Float, Lanes};
use crate::limits::MAX_LENGTH;
use crate::store::tree::Block;

/// By the squared distance.
pub struct ByDistance;

/// Growth of bounds along each axis, relative to the sum of their sides: 512 u.
const GROWTH: f32 = 1.0 / (1 << 15) as f32;

/// 2⁻⁸⁸
pub const TINY: f32 = FLOOR / (1u64 << 32) as f32;

/// 1 + 2⁻⁹
pub const FARTHER: f32 = 1.0 + 1.0 / 512.0;

/// Number of shapes of a leaf up to which each is tested.
pub const FEW: u32 = 3;

/// 1 + 2⁻⁷, above the square of 1 + 2⁻¹⁰, [`FARTHER`] and roundings.
const FARTHEST: f32 = 1.0 + 1.0 / 128.0;

/// The limit that the least squared distance of farthest points implies.
#[inline(always)]
pub fn nearest_limit(squared: f32) -> f32 {
    (squared + TINY) * FARTHEST
}

impl Approach for ByDistance {
    /// Bounds without motion: `lead` and `tail` are the highest and the lowest ends, grown.
    #[inline(always)]
    fn make_ways<D: Lanes>(
        _: D,
        shapes: &[(&Row, [f32; 3]); WAYS],
        _scope: &Scope,
        ways: &mut [Option<Way>],
    ) {
        for (to, (row, _)) in ways.iter_mut().zip(shapes).take(D::COUNT) {
            let way = to.insert(Way::NONE);
            let sides = [0, 1, 2].map(|k: usize| -row[4 + k] - row[k]);
            let growth = (sides[0] + sides[1] + sides[2]) * GROWTH;
            for k in 0..3 {
                way.lead[k] = -row[4 + k] + growth;
                way.tail[k] = row[k] - growth;
            }
        }
    }

    #[inline(always)]
    fn test<L: Lanes>(lanes: L, way: &Way, block: &Block, at: usize, limit: L::F) -> (L::M, L::F) {
        let zero = lanes.splat(0.0);
        let (mut above, mut below) = ([zero; 3], [zero; 3]);
        let mut sides = zero;
        let mut k = 0;
        while k < 3 {
            let (low, high) = (lanes.load(&block[k][at..]), lanes.load(&block[3 + k][at..]));
            sides = sides - (low + high);
            above[k] = low - lanes.splat(way.lead[k]);
            below[k] = high + lanes.splat(way.tail[k]);
            k += 1;
        }
        let growth = sides * lanes.splat(GROWTH);
        let mut squared = zero;
        k = 0;
        while k < 3 {
            let gap = (above[k].max(below[k]) - growth).max(zero);
            squared = squared + gap * gap;
            k += 1;
        }
        (squared.le(limit), squared)
    }

    #[inline(always)]
    fn limit(best: f32, _way: &Way) -> f32 {
        best * best * FARTHER
    }

    /// By the farthest points of both bounds.
    #[inline(always)]
    fn implied_limit<L: Lanes>(lanes: L, way: &Way, block: &Block, keys: &[f32; 8]) -> f32 {
        let (unlimited, never) = (lanes.splat(-MAX_LENGTH), lanes.splat(f32::INFINITY));
        let (mut farthest, mut at) = ([0.0; 8], 0);
        while at < 8 {
            let (mut squared, mut least) = (lanes.splat(0.0), never);
            let mut k = 0;
            while k < 3 {
                let (low, high) = (lanes.load(&block[k][at..]), lanes.load(&block[3 + k][at..]));
                let (lead, tail) = (lanes.splat(way.lead[k]), lanes.splat(way.tail[k]));
                let apart = (low - lead).min(high + tail);
                squared = squared + apart * apart;
                least = least.min(low.min(high)).min(tail.min(-lead));
                k += 1;
            }
            let counts = unlimited.lt(least) & lanes.load(&keys[at..]).lt(never);
            lanes.store(squared.select(counts, never), &mut farthest[at..]);
            at += L::COUNT;
        }
        let least = farthest[lanes.least8(&farthest)];
        nearest_limit(least)
    }
}
