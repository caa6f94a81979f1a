//! Convex hulls in every verb.

pub mod batch;
pub mod body;
#[cfg(feature = "contact")]
pub mod contact;
pub mod gjk;
#[cfg(feature = "impact")]
pub mod impacts;
pub mod lane_simplex;
pub mod side;
pub mod stages;
pub mod support;
pub mod surface;
pub mod toi;
