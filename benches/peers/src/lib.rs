//! Code shared by the benches, the report and the torture.
#![allow(missing_docs, reason = "a library for its own package alone")]

pub mod bench;
pub mod by_hand;
pub mod convert;
pub mod first_hits;
pub mod hills;
pub mod kernels;
pub mod machine;
pub mod peers;
pub mod record;
// The library's example `counts` also uses it.
#[path = "../../common/scenes.rs"]
pub mod scenes;
pub mod turns;
