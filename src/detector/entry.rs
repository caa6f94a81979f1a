//! The way in: one compiled function for each order of each line of the index.
//!
//! Functions without type parameters are compiled here, once and with the profile of this crate, and
//! not again by every crate that calls them.

use super::Detector;
use crate::error::Error;
use crate::hits::{Overlaps, Sweeps};
use crate::pairs::Pairs;
use crate::shapes::{Columns, Shape, StoreRef};

/// A verb that can be asked of shapes `Self` against shapes `B`.
pub trait Entry<V, B: Shape>: Shape {
    /// Answers for a pair list.
    fn call<'v>(
        detector: &mut Detector,
        a: &'v StoreRef<'_, Self>,
        b: &'v StoreRef<'_, B>,
        pairs: Pairs<'_>,
        out: &mut V,
    ) -> Result<(), Error>;
}

/// Shapes that [`Detector::overlap`](crate::Detector::overlap) can test against shapes `B`.
///
/// Sealed: the implementations are the kernels of this crate.
#[diagnostic::on_unimplemented(
    message = "phalanx has no overlap test of `{Self}` against `{B}`",
    label = "no kernel for this pair of shapes"
)]
pub trait Overlap<B: Shape>: Entry<Overlaps, B> {}

/// Shapes that [`Detector::sweep`](crate::Detector::sweep) can test against shapes `B`.
///
/// Sealed: the implementations are the kernels of this crate.
#[diagnostic::on_unimplemented(
    message = "phalanx has no sweep of `{Self}` against `{B}`",
    label = "no kernel for this pair of shapes"
)]
pub trait Sweep<B: Shape>: Entry<Sweeps, B> {}

macro_rules! entries {
    ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
        $(entries!(@ $verb, $($shape),+);)*
    };
    (@ overlap, $($shape:ident),+) => { entries!(@@ Overlap, Overlaps, $($shape),+); };
    (@ sweep, $($shape:ident),+) => { entries!(@@ Sweep, Sweeps, $($shape),+); };
    (@@ $trait:ident, $verb:ident, $a:ident) => {
        entries!(@@@ $trait, $verb, $a, $a, [a, b] -> [a, b], false, false);
    };
    (@@ $trait:ident, $verb:ident, $a:ident, $b:ident) => {
        entries!(@@@ $trait, $verb, $a, $b, [a, b] -> [a, b], true, false);
        entries!(@@@ $trait, $verb, $b, $a, [b, a] -> [a, b], true, true);
    };
    (@@@ $trait:ident, $verb:ident, $a:ident, $b:ident,
     [$p:ident, $q:ident] -> [$first:ident, $second:ident], $mixed:literal, $swapped:literal) => {
        impl Entry<$verb, crate::$b> for crate::$a {
            #[inline(never)]
            fn call<'v>(
                detector: &mut Detector,
                $p: &'v StoreRef<'_, crate::$a>,
                $q: &'v StoreRef<'_, crate::$b>,
                pairs: Pairs<'_>,
                out: &mut $verb,
            ) -> Result<(), Error> {
                // One function for both orders.
                let (a, b) = (Columns::of($first), Columns::of($second));
                detector.answer::<$mixed, _, _, _>(&a, &b, $swapped, pairs, out)
            }
        }
        impl $trait<crate::$b> for crate::$a {}
    };
}
crate::kernels!(entries);
