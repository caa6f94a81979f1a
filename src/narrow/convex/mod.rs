//! Convex hulls in every verb.

pub mod batch;
pub mod body;
#[cfg(feature = "contact")]
pub mod contact;
pub mod gjk;
pub mod lane_simplex;
#[cfg(feature = "contact")]
pub mod portal;
pub mod side;
pub mod stages;
pub mod support;
pub mod surface;
pub mod toi;
