//! Hunts for bytes that break a promise of phalanx, one kernel at a time.
//!
//! ```text
//! cargo install cargo-fuzz
//! cargo +nightly fuzz run cells -- -max_len=2048     # hunts until stopped
//! cargo +nightly fuzz cmin cells                     # then keeps the fewest inputs
//! ```
//!
//! The tests replay the corpus.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/hostile/mod.rs"]
mod hostile;

fuzz_target!(|bytes: &[u8]| hostile::check(bytes));
