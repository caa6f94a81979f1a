//! The settings of a detector.

use crate::driver::threads::{Helpers, Workers};
use crate::lane::Simd;

/// Settings of a [`Detector`](crate::Detector).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Settings {
    /// The instruction set.
    pub simd: Simd,
    /// Whether long lists are shared with the current rayon pool.
    pub parallel: bool,
    /// Pairs at most this far apart are reported as hits too, see [`Detector::margin`](crate::Detector::margin).
    pub margin: f32,
    /// Whether an invalid shape is an error.
    pub strict: bool,
    /// Whether searches pass shapes that the motion does not approach, see
    /// [`Detector::approaching`](crate::Detector::approaching).
    #[cfg_attr(feature = "serde", serde(default))]
    pub approaching: bool,
    /// Size of the part of a better tree that a call builds, see [`Detector::build_step`](crate::Detector::build_step).
    #[cfg_attr(feature = "serde", serde(default = "build_step"))]
    pub build_step: u32,
}

/// The step of a new detector.
pub const BUILD_STEP: u32 = 1 << 14;

#[cfg(feature = "serde")]
fn build_step() -> u32 {
    BUILD_STEP
}

impl Settings {
    /// Returns the threads of a call.
    #[inline(always)]
    pub(crate) fn workers(self, helpers: &Helpers) -> Workers<'_> {
        let mut workers = helpers.workers(self.simd, self.parallel);
        workers.build_step = self.build_step as usize;
        workers
    }
}
