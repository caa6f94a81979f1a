//! A call on pairs of shapes: the list is checked, the shapes are read, and the loop runs, by threads.

pub mod call;
pub mod cull;
pub mod culling;
pub mod list;
pub mod load;
pub mod pack;
pub mod plan;
pub mod rows;
pub mod run;
pub mod scan;
pub mod settings;
pub mod source;
#[cfg(any(feature = "contact", feature = "distance"))]
pub mod spheres;
#[cfg(any(feature = "contact", feature = "impact", feature = "distance"))]
pub mod stage;
pub mod threads;
