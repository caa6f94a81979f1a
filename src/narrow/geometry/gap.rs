//! Gap of two shapes along a normal.

use crate::lane::{Float, Lanes, Vec3, select};

/// Gap along a normal: the separation of the shapes' projections.
#[derive(Clone, Copy)]
pub struct Gap<F> {
    pub normal: Vec3<F>,
    pub gap: F,
}

impl<F: Float> Gap<F> {
    /// The larger of two gaps: `self`, unless `other` is larger by more than `bias`.
    #[inline(always)]
    pub fn or(self, other: Self, bias: F) -> Self {
        self.replaced((self.gap + bias).lt(other.gap), other)
    }

    /// `if mask { other } else { self }`
    #[inline(always)]
    pub fn replaced(self, mask: F::Mask, other: Self) -> Self {
        Gap {
            normal: select(mask, other.normal, self.normal),
            gap: other.gap.select(mask, self.gap),
        }
    }
}

/// `x` with the sign of `of`; zeros count as positive.
#[inline(always)]
pub fn signed<L: Lanes>(lanes: L, x: L::F, of: L::F) -> L::F {
    x.select(lanes.splat(0.0).le(of), -x)
}
