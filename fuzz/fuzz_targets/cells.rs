//! Hunts for bytes that break a promise of phalanx, one kernel at a time.
//!
//! ```text
//! cargo install cargo-fuzz
//! cargo +nightly fuzz run cells -- -max_len=2048     # hunts until stopped
//! cargo +nightly fuzz cmin cells                     # then keeps the fewest inputs
//! ```
//!
//! The tests replay the corpus. An input starts with the key of its kernel, a hash of the name, so new kernels do not
//! change what it tests.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/hostile/mod.rs"]
mod hostile;

fuzz_target!(|bytes: &[u8]| hostile::check(bytes));

fuzz_mutator!(|bytes: &mut [u8], len: usize, most: usize, _seed: u32| {
    let len = fuzzer_mutate(bytes, len, most);
    hostile::pin(&mut bytes[..len]);
    len
});
