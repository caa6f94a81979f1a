//! Convex hulls: kinds, faces and stores.

pub mod discs;
#[cfg(feature = "contact")]
pub mod faces;
pub mod hulls;
pub mod kinds;
pub mod outer;
#[cfg(feature = "serde")]
pub mod saved;
pub mod surface;
