//! What the benches, the report and the torture share.
#![allow(missing_docs, reason = "a library for its own package alone")]

pub mod bench;
pub mod by_hand;
pub mod convert;
pub mod first_hits;
pub mod kernels;
pub mod machine;
pub mod peers;
pub mod record;
// The library's own example `counts` uses it too.
#[path = "../../common/scenes.rs"]
pub mod scenes;
pub mod turns;
