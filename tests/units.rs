//! The unit tests in the library's files.
//!
//! They are no tests of the library itself, which would build every kernel a second time: only functions that the tests
//! call are compiled here. Kernels are compiled for one lane, the reference for the library's ([`one_lane`]). Certificates of hulls
//! are compared with exact arithmetic ([`hull_bounds`]).
#![allow(dead_code, unused_imports, unused_macros)]

extern crate alloc;

#[path = "../src/broad/mod.rs"]
mod broad;
#[path = "../src/collider_id.rs"]
mod collider_id;
mod common;
#[path = "../src/detector.rs"]
mod detector;
#[path = "../src/driver/mod.rs"]
mod driver;
#[path = "units/dyadic.rs"]
mod dyadic;
#[path = "../src/error.rs"]
mod error;
#[path = "units/hull_bounds.rs"]
mod hull_bounds;
#[path = "../src/lane/mod.rs"]
mod lane;
#[path = "../src/limits.rs"]
mod limits;
#[path = "../src/math/mod.rs"]
mod math;
#[path = "../src/memory/mod.rs"]
mod memory;
#[path = "../src/motion.rs"]
mod motion;
#[macro_use]
#[path = "../src/narrow/mod.rs"]
mod narrow;
#[path = "units/one_lane.rs"]
mod one_lane;
#[path = "../src/pairs.rs"]
mod pairs;
#[path = "../src/shapes/mod.rs"]
mod shapes;
#[path = "../src/store/mod.rs"]
mod store;

// What is at the root of the library: the index and its macros name it.
use narrow::overlap::overlaps::*;
use shapes::aabb::*;
use shapes::capsule::*;
use shapes::obb::*;
use shapes::plane::*;
use shapes::point::*;
use shapes::shape::Shape;
use shapes::sphere::*;
use shapes::triangle::*;
use store::hull::hulls::*;
use store::store::Store;
