//! A scene of colliders of all kinds: ids, stores and bounds, and queries over all of them.
//!
//! This room adds no kernel: it keeps the rows of colliders in the stores of their kinds, and calls the detector.
//!
//! - [`registry`] keeps the colliders: slots, one [store](stores) for each kind, placed meshes, and two [tables](bounds_table) of
//!   bounds: those of moving colliders, and those of colliders that meet only moving ones.
//! - A query of the whole scene takes three steps. The broad phase finds pairs in the tables. They are [listed](lists) by the kinds
//!   of their shapes. One call for each pair of kinds that occurs answers them ([`kernels`]).
//! - [`encounters`] does so for contacts, [`seekers`] for what searches the scene: rays, casts, sweeps, overlaps and distances.

pub mod any_shapes;
pub mod bounds_table;
pub mod collider;
pub mod encounters;
pub mod filter;
pub mod kernels;
pub mod lists;
pub mod registry;
#[cfg(feature = "serde")]
pub mod saved;
#[expect(
    clippy::module_inception,
    reason = "it holds the type that the room is named after"
)]
pub mod scene;
pub mod scene_contacts;
pub mod seekers;
pub mod stores;
