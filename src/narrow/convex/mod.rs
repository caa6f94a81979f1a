//! Convex hulls in every verb.

pub mod batch;
#[cfg(feature = "contact")]
pub mod face_batch;
pub mod gjk;
#[cfg(feature = "impact")]
pub mod impacts;
#[cfg(feature = "contact")]
pub mod manifold;
#[cfg(feature = "contact")]
pub mod solid;
pub mod stages;
pub mod toi;
