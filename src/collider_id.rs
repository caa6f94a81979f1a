//! Names of the colliders of a scene.

use core::fmt;

/// The name of a collider of a [`Scene`](crate::Scene). It stays valid until the collider is removed, and is never
/// given to another collider.
///
/// Ids are ordered by slot, then by generation. A new collider takes the slot of a removed one, with the next
/// generation.
///
/// ```
/// use phalanx::{Collider, ColliderId, Mark, Pose, Scene};
///
/// let mut scene = Scene::new();
/// let id = scene.add(Collider::Sphere(1.0), Pose::default(), Mark::moving())?;
/// assert_eq!(ColliderId::from_bits(id.to_bits()), id);
/// scene.remove(id)?;
/// let next = scene.add(Collider::Sphere(1.0), Pose::default(), Mark::moving())?;
/// assert!(next != id && next.slot() == id.slot());
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ColliderId {
    slot: u32,
    generation: u32,
}

impl ColliderId {
    /// The id with this slot and generation.
    pub(crate) const fn new(slot: u32, generation: u32) -> Self {
        ColliderId { slot, generation }
    }

    /// The slot: an index for arrays that run parallel to the scene, below the largest number of colliders that the
    /// scene had at once.
    #[inline]
    pub const fn slot(self) -> u32 {
        self.slot
    }

    /// The number of colliders that had the slot before, at least.
    #[inline]
    pub const fn generation(self) -> u32 {
        self.generation
    }

    /// The id as a number, in the order of ids.
    #[inline]
    pub const fn to_bits(self) -> u64 {
        (self.slot as u64) << 32 | self.generation as u64
    }

    /// The id of such a number.
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        ColliderId {
            slot: (bits >> 32) as u32,
            generation: bits as u32,
        }
    }
}

/// Displays slot and generation: `7v2`.
impl fmt::Display for ColliderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.slot, self.generation)
    }
}
