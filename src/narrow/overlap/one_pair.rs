//! One pair without a detector: the kernel on one lane.
//!
//! Inlined and generic, so it is compiled in the calling crate only, for the shapes that it tests.

use crate::driver::source::{Deferred, PairLoad, Test, load_prepared};
use crate::lane::{Double, Lanes, Mask, One};
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
    let (hit, bad, is_uneven) = test(One, a, b);
    if hit && !bad && is_uneven {
        let (hit, ..) = test(Double, a, b);
        return Some(hit);
    }
    (!bad).then_some(hit)
}

/// Whether a pair hits, is invalid, and is to be tested in `f64`.
#[inline]
fn test<L: Lanes, A: Test<Overlaps, B>, B: Shape>(lanes: L, a: &A, b: &B) -> (bool, bool, bool) {
    let zero = lanes.splat(0.0);
    let (a, b) = (prepare(lanes, a), prepare(lanes, b));
    let (loaded, bad) = load_prepared::<A::Load, _, _, L>(lanes, a, b, zero);
    let lengths = A::Load::lengths(lanes, loaded).filter(|_| !A::IS_FINE);
    let uneven = lengths.map_or(0, |lengths| lengths.are_uneven(lanes, zero).bits());
    let hit = A::test(lanes, loaded, zero).finish(lanes).0;
    (hit.bits() & 1 != 0, bad.bits() & 1 != 0, uneven & 1 != 0)
}

#[inline]
fn prepare<L: Lanes, T: Shape>(lanes: L, shape: &T) -> Prepared<Static<T>, L> {
    let numbers: &[f32] = bytemuck::cast_slice(core::slice::from_ref(shape));
    let fields = Array::build(|k| lanes.splat(numbers[k]));
    let zeros = [lanes.splat(0.0); 3];
    Static::<T>::prepare(lanes, fields, zeros, zeros)
}
