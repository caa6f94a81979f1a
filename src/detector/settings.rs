//! How a detector works, and the types that every step reads.

use crate::lane::Simd;
use crate::threads::Workers;

/// How a [`Detector`](crate::Detector) works.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Settings {
    /// The instruction set.
    pub simd: Simd,
    /// Whether long lists are shared with the current rayon pool.
    pub parallel: bool,
    /// Shapes at most this far apart count as touching.
    pub margin: f32,
    /// Whether a pair that meets a bad shape is an error.
    pub strict: bool,
}

impl Settings {
    /// The threads of a call.
    pub(super) fn workers(self) -> Workers {
        Workers {
            simd: self.simd,
            parallel: self.parallel,
        }
    }
}
