//! The limit of lengths.

/// The largest length of a valid shape, 2⁶⁰: coordinates, sizes, displacements and margins.
///
/// Beyond it, products of lengths would overflow. A pair with a longer shape is invalid: it is never a hit, and is
/// [flagged](crate::Overlaps::is_invalid). For everything, write [`Aabb::EVERYTHING`](crate::Aabb::EVERYTHING); for an endless ray, a
/// displacement as long as the scene.
pub const MAX_LENGTH: f32 = (1u64 << 60) as f32;
