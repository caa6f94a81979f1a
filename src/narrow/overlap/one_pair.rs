//! One pair without a detector: the kernel on one lane.
//!
//! Inlined and generic, so it is compiled in the calling crate only, for the shapes that it tests.

use crate::driver::run::load_prepared;
use crate::driver::source::{Deferred, Test};
use crate::lane::{Mask, One};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::narrow::supports::Overlap;
use crate::shapes::form::{Form, Prepared, Static};
use crate::shapes::shape::{Array, Shape};

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

macro_rules! shapes {
    ($($module:ident: $shape:ident, $stores:ident, $bounded:ident;)*) => { $(
        impl crate::$shape {
            /// Whether two shapes touch: [`Detector::overlap`](crate::Detector::overlap) for one pair, with the same
            /// result bit for bit, and no margin. `None` if a shape is invalid.
            ///
            /// For a mouse click or a rare test. Thousands of pairs are 3 to 8 times as fast in a list, which fills the
            /// vector lanes.
            ///
            /// ```
            /// use phalanx::{Obb, Sphere};
            ///
            /// let crate_ = Obb { half_extents: [1.0; 3], ..Obb::default() };
            /// let sphere = |x| Sphere { center: [x, 0.0, 0.0], radius: 0.5 };
            /// assert_eq!(sphere(1.25).overlaps(&crate_), Some(true));
            /// assert_eq!(crate_.overlaps(&sphere(1.75)), Some(false));
            /// assert_eq!(sphere(f32::NAN).overlaps(&crate_), None);
            /// ```
            #[inline]
            pub fn overlaps<B: Shape>(&self, other: &B) -> Option<bool>
            where
                Self: Overlap<B>,
            {
                self.overlaps_one(other)
            }
        }
    )* };
}
crate::shapes!(shapes);
