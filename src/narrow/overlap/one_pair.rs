//! One pair without a detector: the kernel on one lane.
//!
//! Inlined and generic, so it is compiled in the calling crate only, for the shapes that it tests.

use crate::driver::source::{Deferred, Test, load_prepared};
use crate::lane::{Mask, One};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::form::Static;
use crate::shapes::shape::{Array, Form, Prepared, Shape};

/// Shapes with an overlap kernel, in either order.
pub trait OnePair<B: Shape>: Shape {
    /// Tests one pair; `None` if a shape is invalid.
    #[doc(hidden)]
    fn overlaps_one(&self, other: &B) -> Option<bool>;
}

/// Tests one pair, in kernel order.
#[inline]
pub fn overlaps<A: Test<Overlaps, B>, B: Shape>(a: &A, b: &B) -> Option<bool> {
    let (a, b) = (prepare(a), prepare(b));
    let (loaded, bad) = load_prepared::<A::Load, _, _, One>(One, a, b, 0.0);
    let hit = A::test(One, loaded, 0.0).finish(One).0;
    (bad.bits() == 0).then_some(hit.bits() != 0)
}

#[inline]
fn prepare<T: Shape>(shape: &T) -> Prepared<Static<T>, One> {
    let numbers: &[f32] = bytemuck::cast_slice(core::slice::from_ref(shape));
    let fields = Array::build(|k| numbers[k]);
    Static::<T>::prepare(One, fields, [0.0; 3], [0.0; 3])
}
