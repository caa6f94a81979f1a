//! What is known of all shapes of a store.

use core::sync::atomic::{AtomicU8, Ordering};

/// Whether all shapes of a store are known to be good, and their displacements.
///
/// A call that meets all of them finds out for nothing, and spares later ones the check: on Zen 4 with AVX2
/// one sphere against 4096 takes 0.27 ns a pair instead of 0.44, AABBs side by side 0.43 instead of 0.77.
pub struct Known(AtomicU8);

const NOTHING: u8 = 0;
const GOOD_AT_REST: u8 = 1;
const GOOD: u8 = 2;

const fn needed(moving: bool) -> u8 {
    if moving { GOOD } else { GOOD_AT_REST }
}

impl Known {
    /// Nothing.
    pub const fn new() -> Self {
        Known(AtomicU8::new(NOTHING))
    }

    /// Whether all shapes are good; if they are `moving`, their displacements as well.
    pub fn all_are_good(&self, moving: bool) -> bool {
        self.0.load(Ordering::Relaxed) >= needed(moving)
    }

    /// They have been found good. Of two threads at once one may be forgotten.
    pub fn found_good(&self, moving: bool) {
        if !self.all_are_good(moving) {
            self.0.store(needed(moving), Ordering::Relaxed);
        }
    }

    /// A shape may be another one now.
    #[inline]
    pub fn forget(&mut self) {
        *self.0.get_mut() = NOTHING;
    }

    /// A displacement may be another one now.
    #[inline]
    pub fn forget_displacements(&mut self) {
        let known = self.0.get_mut();
        *known = GOOD_AT_REST.min(*known);
    }
}

impl Clone for Known {
    fn clone(&self) -> Self {
        Known(AtomicU8::new(self.0.load(Ordering::Relaxed)))
    }
}
