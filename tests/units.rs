//! The unit tests in the library's files.
//!
//! They are no tests of the library itself, which would build every kernel a second time: only functions that the tests
//! call are compiled here. Cases computed by hand go through `phalanx`, like user code. Kernels are compiled here for
//! one lane, the reference for the library's ([`one_lane`]).
#![allow(dead_code, unused_imports, unused_macros)]

extern crate alloc;

#[cfg(feature = "candidates")]
#[path = "../src/candidates/mod.rs"]
mod candidates;
mod common;
#[path = "../src/contacts.rs"]
mod contacts;
#[path = "../src/detector/mod.rs"]
mod detector;
#[path = "../src/distances.rs"]
mod distances;
#[path = "../src/error.rs"]
mod error;
#[path = "../src/first_hits.rs"]
mod first_hits;
#[path = "../src/hits.rs"]
mod hits;
#[path = "../src/impacts.rs"]
mod impacts;
#[macro_use]
#[path = "../src/kernel/mod.rs"]
mod kernel;
#[path = "../src/lane/mod.rs"]
mod lane;
#[path = "../src/limits.rs"]
mod limits;
#[path = "../src/motion.rs"]
mod motion;
#[path = "../src/nearest.rs"]
mod nearest;
#[path = "units/one_lane.rs"]
mod one_lane;
#[path = "../src/pages.rs"]
mod pages;
#[path = "../src/pairs.rs"]
mod pairs;
#[path = "../src/pod.rs"]
mod pod;
#[path = "../src/shapes/mod.rs"]
mod shapes;
#[path = "../src/threads.rs"]
mod threads;

use contacts::*;
use detector::*;
use distances::*;
use error::*;
use first_hits::*;
use hits::*;
use impacts::*;
use limits::*;
use motion::*;
use pairs::*;
use shapes::*;
