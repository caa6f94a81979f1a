//! Searches of whole stores: the broad phase, first hits and nearest shapes.

#[cfg(feature = "candidates")]
pub mod area;
#[cfg(feature = "candidates")]
pub mod candidates;
#[cfg(all(feature = "candidates", feature = "distance"))]
pub mod clearance;
#[cfg(all(feature = "candidates", feature = "sweep"))]
pub mod first;
pub mod first_hits;
#[cfg(feature = "candidates")]
pub mod found;
#[cfg(feature = "candidates")]
pub mod keys;
pub mod nearest;
#[cfg(feature = "candidates")]
pub mod pair_cache;
#[cfg(feature = "candidates")]
pub mod pieces;
#[cfg(feature = "candidates")]
pub mod rows;
#[cfg(all(feature = "candidates", any(feature = "sweep", feature = "distance")))]
pub mod scene;
#[cfg(feature = "candidates")]
pub mod search;
#[cfg(feature = "candidates")]
pub mod sort;
#[cfg(feature = "candidates")]
pub mod traversal;
#[cfg(feature = "candidates")]
pub mod tree;
