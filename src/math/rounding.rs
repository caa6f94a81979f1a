//! Widening constants: rounding must not lose a contact.

use crate::lane::Lanes;

/// Absolute part of every bound, 2⁻⁶²: covers products that underflow.
pub const FLOOR: f32 = 1.0 / (1u64 << 62) as f32;

/// Sum of 8 u of `size`, the lengths of a sum, and the floor.
#[inline(always)]
pub fn error_of<L: Lanes>(lanes: L, size: L::F) -> L::F {
    size * lanes.units(8.0) + lanes.splat(FLOOR)
}
