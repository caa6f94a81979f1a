//! placeholder
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod detector;
mod error;
mod hits;
#[macro_use]
mod kernel;
mod lane;
mod pairs;
mod shapes;

pub use detector::{Detector, Settings};
pub use error::{Defect, Error};
pub use hits::{Overlaps, Positions, Sweeps, TimeInterval};
pub use kernel::{Overlap, Sweep};
pub use lane::Simd;
pub use pairs::{Pair, Pairs};
pub use shapes::{
    Aabb, AabbColumns, Aabbs, AabbsRef, MAX_LENGTH, Obb, ObbColumns, Obbs, ObbsRef, Shape, Shapes,
    Sphere, SphereColumns, Spheres, SpheresRef, Store, StoreRef,
};
