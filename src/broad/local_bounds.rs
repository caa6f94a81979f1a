//! Bounds of a searching shape along its own axes: a search by distance leaves out boxes that are far from them.
//!
//! The bounds of a long shape in the world are much larger than the shape, if it is turned. A hull is tested point by point of a cloud,
//! each by a search of its own: so the boxes of a block are tested against the box around the hull first, all at once.
//!
//! # Proof
//!
//! The names are those of the lemma by distance in [`search`](crate::broad::search): A and B are sizes, D is the distance of two shapes. Let
//! e be half of a box of the tree, Δ the offset of the centers, h the half extents and aⱼ the axes of the local bounds. These axes
//! are orthogonal, so D² is at least the sum of the squares of the positive gaps of both *shapes* along them. Boxes of the tree extend
//! 2030 u B beyond their shapes, and the absolute coordinates of aⱼ add up to 1 or more. So a gap gⱼ = |Δ·aⱼ| − Σ |aⱼₖ| eₖ − hⱼ of the *boxes* is at
//! least 2030 u B less. Taken from it are 1024 u of the sum of the sides of the box, which is at least B, and 4096 u of the sum
//! of all hⱼ, which is A, and 2⁻⁵⁶.
//!
//! Axes round by 2 u, differences of the center and sides by u of themselves, products and sums by 8 u: in all by 12 u of ‖Δ‖₁, ‖e‖₁ and
//! ‖h‖₁ together. With q² the sum of the squares of what is left, ‖Δ‖₁ ≤ √3 (q + A + 3 ‖e‖₁), so this is at most 21 u q + 33 u A + 75 u ‖e‖₁. ‖e‖₁
//! is half of the sum of the sides. So each axis with a gap has one that is at least 2540 u (A + B) less than that of the shapes, up
//! to 21 u q, and the lemma follows as there. A box that is clamped to the limit of lengths is not left out.

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

/// Growth along each axis, relative to the sum of the half extents: 4096 u.
const GROWTH: f32 = 1.0 / 4096.0;
/// Growth of boxes of the tree, relative to the sum of their sides: 1024 u.
const SIDES: f32 = 1.0 / (1 << 14) as f32;
/// Absolute growth: 2⁻⁵⁶.
const FLOOR: f32 = 1.0 / (1u64 << 56) as f32;

impl LocalBounds {
    /// The bounds of what is inside a valid box.
    pub fn of(around: Obb) -> Self {
        let [x, y, z] = around.half_extents;
        let growth = (x + y + z) * GROWTH + FLOOR;
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
            let growth = sides * lanes.splat(SIDES);
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
