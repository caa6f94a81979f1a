//! The range of lengths.

/// The longest length that a shape may have, 2⁶⁰: coordinates, sizes, displacements and margins.
///
/// Beyond it products of lengths would overflow; a pair that meets a longer one is invalid.
pub const MAX_LENGTH: f32 = (1u64 << 60) as f32;
