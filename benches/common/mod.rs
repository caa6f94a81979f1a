//! What benches share.
// Each bench uses a part of it.
#![allow(dead_code)]

pub mod bench;
pub mod by_hand;
pub mod convert;
pub mod kernels;
pub mod machine;
pub mod peers;
pub mod record;
pub mod scenes;
pub mod turns;
