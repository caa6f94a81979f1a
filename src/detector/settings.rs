//! How a detector works, and the types that every step reads.

use crate::kernel::load::PairLoad;
use crate::kernel::{Test, Verb};
use crate::lane::Simd;
use crate::shapes::{Form, Shape};

/// How a [`Detector`](crate::Detector) works.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// The instruction set.
    pub simd: Simd,
    /// Whether long lists are shared with the current rayon pool.
    pub parallel: bool,
    /// Shapes at most this far apart count as touching.
    pub margin: f32,
}

impl Settings {
    /// With no more lanes than a kernel loads rows into.
    pub(super) fn for_rows<V: Verb, A: Test<V, B>, B: Shape>(self) -> Self {
        let most = <A::Load as PairLoad<V::Form<A>, V::Form<B>>>::ROW_LANES;
        Settings {
            simd: self.simd.of_at_most(most),
            ..self
        }
    }
}

/// A shape as a verb packs it.
pub type RowOf<V, T> = <<V as Verb>::Form<T> as Form>::Row;
