//! Bounds of a searching shape along its own axes: a search by distance leaves out boxes that are far from them.
//!
//! The bounds of a long shape in the world are much larger than the shape, if it is turned. Each point of a cloud in them takes a search
//! of its own. So the boxes of a block are tested against the box around a hull first, all at once.
//!
//! # Proof
//!
//! The names are those of the lemma by distance in [`by_distance`](crate::broad::search::by_distance): A and B are sizes, D is the distance of two shapes. Let
//! e be the half extents of a box of the tree, Δ the offset of the centers, h the half extents and aⱼ the axes of the local bounds. These axes
//! are orthogonal, so D² is at least the sum of the squares of the positive gaps of both *shapes* along them. Boxes of the tree extend
//! 2030 u B beyond their shapes, and the absolute coordinates of aⱼ add up to 1 or more. So a gap gⱼ = |Δ·aⱼ| − Σ |aⱼₖ| eₖ − hⱼ of the *boxes* is at
//! least 2030 u B less. Three terms are taken from it: 1024 u of the sum of the sides of the box, which is at least B, 4096 u of the sum
//! of all hⱼ, which is A, and 2⁻⁵⁶.
//!
//! Axes round by 2 u, differences of the center and sides by u of themselves, products and sums by 8 u: in all by 12 u of ‖Δ‖₁, ‖e‖₁ and
//! ‖h‖₁ together. With q² the sum of the squares of what is left, ‖Δ‖₁ ≤ √3 (q + A + 3 ‖e‖₁), so this is at most 21 u q + 33 u A + 75 u ‖e‖₁. ‖e‖₁
//! is half of the sum of the sides. So each positive gap that is computed is below that of the shapes by 2540 u (A + B), up to 21 u q, and the
//! lemma follows as there. Where bounds of a distance are not settled, the lower one is at least the gap along the direction
//! between these boxes, of a rounded hull less its radius: the box around its points, grown by the radius along each axis, is no farther
//! apart than that ([`gjk`](crate::narrow::convex::gjk)). A box that is clamped to the limit of lengths is not left out.

use crate::lane::{Float, Lanes, Mask};
use crate::limits::MAX_LENGTH;
use crate::math::rotation::rotation_matrix;
use crate::shapes::obb::Obb;
use crate::store::tree::Block;

/// Bounds of a shape along its own axes, grown.
#[derive(Clone, Copy, Debug)]
pub struct LocalBounds {
    center: [f32; 3],
    axes: [[f32; 3]; 3],
    half_extents: [f32; 3],
}

/// Growth of local bounds along each axis, relative to the sum of the half extents: 4096 u.
const OWN_GROWTH: f32 = 1.0 / 4096.0;
/// Growth of boxes of the tree, relative to the sum of their sides: 1024 u.
const BOX_GROWTH: f32 = 1.0 / (1 << 14) as f32;
/// Absolute growth: 2⁻⁵⁶.
const LEAST_GROWTH: f32 = 1.0 / (1u64 << 56) as f32;

impl LocalBounds {
    /// The bounds of what is inside a valid box.
    pub fn of(around: Obb) -> Self {
        let [x, y, z] = around.half_extents;
        let growth = (x + y + z) * OWN_GROWTH + LEAST_GROWTH;
        let rows = rotation_matrix(around.rotation);
        LocalBounds {
            center: around.center,
            axes: [0, 1, 2].map(|j: usize| rows.map(|row| row[j] as f32)),
            half_extents: [x, y, z].map(|half| half + growth),
        }
    }

    /// Mask of the boxes of a block whose squared distance may be within a limit.
    #[inline(always)]
    pub fn reach<L: Lanes>(&self, lanes: L, block: &Block, limit: f32) -> u32 {
        let (zero, half) = (lanes.splat(0.0), lanes.splat(0.5));
        let (mut reached, mut at) = (0, 0);
        while at < 8 {
            let (mut offset, mut extents) = ([zero; 3], [zero; 3]);
            let (mut sides, mut least) = (zero, zero);
            let mut k = 0;
            while k < 3 {
                let (low, high) = (lanes.load(&block[k][at..]), lanes.load(&block[3 + k][at..]));
                let center = lanes.splat(self.center[k]);
                let (to_low, to_high) = (low - center, -high - center);
                offset[k] = (to_low + to_high) * half;
                extents[k] = (to_high - to_low) * half;
                sides = sides - (low + high);
                least = low.min(high).min(least);
                k += 1;
            }
            let growth = sides * lanes.splat(BOX_GROWTH);
            let mut squared = zero;
            let mut j = 0;
            while j < 3 {
                let (mut along, mut reach) = (zero, lanes.splat(self.half_extents[j]) + growth);
                k = 0;
                while k < 3 {
                    let axis = lanes.splat(self.axes[j][k]);
                    along = along + offset[k] * axis;
                    reach = reach + extents[k] * axis.abs();
                    k += 1;
                }
                let gap = (along.abs() - reach).max(zero);
                squared = squared + gap * gap;
                j += 1;
            }
            let is_far = lanes.splat(limit).lt(squared) & lanes.splat(-MAX_LENGTH).lt(least);
            reached |= ((!is_far).bits() as u32) << at;
            at += L::COUNT;
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, RngExt};

    use super::*;
    use crate::common::{random_rotation, rng};
    use crate::lane::One;
    use crate::math::rotation::f64_axes_of;

    const U: f64 = 1.0 / (1u64 << 24) as f64;

    /// A turned box, and a box of a tree around a shape that is a box itself.
    struct Case {
        around: Obb,
        block: Block,
        /// Root of the sum of the squares of the positive gaps of both along the axes of the turned box.
        gap: f64,
        /// Sizes.
        sums: [f64; 2],
    }

    impl Case {
        fn random(rng: &mut impl Rng) -> Self {
            let sizes = [(); 2].map(|()| 10f64.powf(rng.random_range(-3.0..3.0)));
            let far = sizes[0].max(sizes[1]) * 10f64.powf(rng.random_range(-3.0..2.0));
            let place = far * [0.0, 1.0, 1e3][rng.random_range(0..3)];
            let mut half = |size: f64| [(); 3].map(|()| (size * rng.random_range(0.0..1.0)) as f32);
            let [own, other] = sizes.map(&mut half);
            let center = [(); 3].map(|()| (place * rng.random_range(-1.0..1.0)) as f32);
            let around = Obb {
                center,
                half_extents: own,
                rotation: random_rotation(rng, 3.0).map(|x| x as f32),
            };
            let axes = f64_axes_of(around.rotation);
            let sum = |half: [f32; 3]| half.iter().map(|x| f64::from(*x)).sum::<f64>();
            // The other center, with a gap along some of the axes.
            let mut at = center.map(f64::from);
            for (axis, own) in axes.iter().zip(own) {
                let reach: f64 = (0..3).map(|k| axis[k].abs() * f64::from(other[k])).sum();
                let gap = [far, 0.0, -f64::from(own)][rng.random_range(0..3)];
                let by = f64::from(own) + reach + gap * rng.random_range(0.5..1.0);
                let by = if rng.random_bool(0.5) { -by } else { by };
                at = [0, 1, 2].map(|k| at[k] + by * axis[k]);
            }
            let sums = [sum(own), sum(other)];
            // Bounds extend as `shapes/bounds.rs` says.
            let side = |at: f64, half: f32, sign: f64| {
                let end = sign * at - f64::from(half);
                let by = 2030.0 * U * sums[1] + 2f64.powi(-57);
                ((end - by) as f32).next_down()
            };
            let sides = [0, 1, 2, 3, 4, 5].map(|k: usize| {
                let sign = if k < 3 { 1.0 } else { -1.0 };
                [side(at[k % 3], other[k % 3], sign); 8]
            });
            let mut squared = 0.0;
            for (axis, own) in axes.iter().zip(own) {
                let along: f64 = (0..3)
                    .map(|k| axis[k] * (at[k] - f64::from(center[k])))
                    .sum();
                let reach: f64 = (0..3).map(|k| axis[k].abs() * f64::from(other[k])).sum();
                let gap = (along.abs() - reach - f64::from(own)).max(0.0);
                squared += gap * gap;
            }
            Case {
                around,
                block: sides,
                gap: squared.sqrt(),
                sums,
            }
        }
    }

    #[test]
    fn boxes_that_may_be_nearest_are_not_left_out() {
        let mut rng = rng("local bounds");
        let mut left_out = 0;
        for _ in 0..200_000 {
            let Case {
                around,
                block,
                gap,
                sums,
            } = Case::random(&mut rng);
            // The least lower bound that a kernel finds, as proved in `search`.
            let part = 1.0 - 2f64.powi(-16) - 1110.0 * U;
            let lower = gap * part - 2510.0 * U * (sums[0] + sums[1]) - 2f64.powi(-57);
            let best = lower.max(0.0) as f32;
            let limit = |best: f32| best * best * (1.0 + 1.0 / 512.0);
            let bounds = LocalBounds::of(around);
            let is_kept = bounds.reach(One, &block, limit(best)) == 0xff;
            assert!(is_kept, "{gap} above {best}: {around:?}, {block:?}");
            if best > 0.0 {
                left_out += usize::from(bounds.reach(One, &block, limit(best * 0.98)) == 0);
            }
        }
        assert!(left_out > 10_000, "{left_out}");
    }

    #[test]
    fn clamped_boxes_are_not_left_out() {
        let around = Obb::new([0.0; 3], [1.0; 3], [0.0, 0.0, 0.0, 1.0]);
        let far = [5.0, 5.0, 5.0, -6.0, -6.0, -6.0].map(|side| [side; 8]);
        assert_eq!(LocalBounds::of(around).reach(One, &far, 1.0), 0);
        let mut clamped = far;
        clamped[3] = [-MAX_LENGTH; 8];
        assert_eq!(LocalBounds::of(around).reach(One, &clamped, 1.0), 0xff);
    }
}
