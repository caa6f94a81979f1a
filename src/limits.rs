//! Limits of lengths.

/// The largest length of a valid shape, 2⁶⁰: coordinates, sizes, displacements and margins.
///
/// Beyond it, products of lengths would overflow. A pair with a longer shape is invalid: it is never a hit, and is
/// [flagged](crate::Overlaps::is_invalid). For everything, write [`Aabb::EVERYTHING`](crate::Aabb::EVERYTHING); for an endless ray, a
/// displacement as long as the scene.
pub const MAX_LENGTH: f32 = (1u64 << 60) as f32;

/// Maximum distance of a kind of hulls from its origin, in half diagonals of its bounding box.
pub const MAX_HULL_OFFSET: f32 = 32.0;

/// A margin, radius or tolerance, with 0 for −0. `None` if it is negative, NaN or above [`MAX_LENGTH`].
pub fn length(x: f32) -> Option<f32> {
    (0.0..=MAX_LENGTH).contains(&x).then_some(x + 0.0)
}
