//! What kernels add so that rounding loses no contact.

use crate::lane::Lanes;

/// u, the largest relative error of one rounding: 2⁻²⁴.
pub const U: f32 = 1.0 / (1 << 24) as f32;

/// The shortest length that bounds are relative to, 2⁻⁶²: an absolute part of every bound, which
/// covers products that underflow.
pub const FLOOR: f32 = 1.0 / (1u64 << 62) as f32;

/// 8 u of the lengths that enter a sum, and the floor.
#[inline(always)]
pub fn error_of<L: Lanes>(lanes: L, size: L::F) -> L::F {
    size * lanes.splat(8.0 * U) + lanes.splat(FLOOR)
}
