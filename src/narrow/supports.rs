//! The public bounds of the queries with their compile errors, and their implementations: one for each line of the
//! [index](crate::narrow::index).

use crate::driver::call::{Kernel, Query, Supports, TableOf};
use crate::narrow::contact::contacts::Contacts;
use crate::narrow::contact::stage::{ContactTable, SweepContacts};
use crate::narrow::distance::distances::Distances;
use crate::narrow::impact::impacts::Impacts;
use crate::narrow::overlap::one_pair;
use crate::narrow::overlap::one_pair::OnePair;
use crate::narrow::overlap::overlaps::{Overlaps, Sweeps};
use crate::shapes::shape::Shape;

/// Shapes that [`Detector::overlap`](crate::Detector::overlap) can test against shapes `B`.
///
/// Sealed: the implementations are the kernels of this crate.
#[diagnostic::on_unimplemented(
    message = "phalanx has no overlap test of `{Self}` against `{B}`",
    label = "no overlap test of `{Self}` against `{B}`"
)]
pub trait Overlap<B: Shape>: Supports<Overlaps, B> + OnePair<B> {}

/// Shapes that [`Detector::sweep`](crate::Detector::sweep) can test against shapes `B`.
///
/// Without the feature `sweep`, no shape implements this trait.
///
/// Sealed: the implementations are the kernels of this crate.
#[diagnostic::on_unimplemented(
    message = "phalanx has no sweep of `{Self}` against `{B}`",
    label = "no sweep of `{Self}` against `{B}`"
)]
pub trait Sweep<B: Shape>: Supports<Sweeps, B> + Supports<Overlaps, B> + MaybeContact<B> {}

/// The contacts of shapes with a sweep, if the feature `contact` is on.
#[doc(hidden)]
pub trait MaybeContact<B: Shape>: Shape {
    const CONTACTS: Option<&'static ContactTable>;
}
#[cfg(feature = "contact")]
impl<A: Supports<Contacts, B>, B: Shape> MaybeContact<B> for A {
    const CONTACTS: Option<&'static ContactTable> =
        Some(<A as Supports<Contacts, B>>::KERNEL.table);
}
#[cfg(not(feature = "contact"))]
impl<A: Shape, B: Shape> MaybeContact<B> for A {
    const CONTACTS: Option<&'static ContactTable> = None;
}

/// [`Sweep`], if the feature of that name is on. So the traits below have one definition.
#[cfg(feature = "sweep")]
#[doc(hidden)]
pub trait MaybeSweep<B: Shape>: Sweep<B> {}
#[cfg(feature = "sweep")]
impl<A: Sweep<B>, B: Shape> MaybeSweep<B> for A {}

/// Every shape.
#[cfg(not(feature = "sweep"))]
#[doc(hidden)]
pub trait MaybeSweep<B: Shape>: Shape {}
#[cfg(not(feature = "sweep"))]
impl<A: Shape, B: Shape> MaybeSweep<B> for A {}

/// Shapes that [`Detector::contact`](crate::Detector::contact) and
/// [`Detector::sweep_contacts`](crate::Detector::sweep_contacts) accept with shapes `B`. The bound for generic code.
///
/// The trait implies [`Overlap`] and, with the feature `sweep`, [`Sweep`]. Without the feature `contact`, no shape
/// implements this trait.
///
/// Sealed: the implementations are the kernels of this crate.
#[diagnostic::on_unimplemented(
    message = "phalanx has no contacts of `{Self}` with `{B}`",
    label = "no contacts of `{Self}` with `{B}`",
    note = "a `Plane` or `HalfSpace` has contacts with bounded shapes only"
)]
pub trait Collide<B: Shape>: Supports<Contacts, B> + Overlap<B> + MaybeSweep<B> {}

/// [`Collide`] with its types swapped: `B: TouchedBy<A>` if `A: Collide<B>`.
///
/// The methods have this bound because rustc infers their arguments in order. It reports a failed `A: Collide<_>`
/// before it has inferred `B`; it checks a bound on `B` when it can print both names. For two shapes of one type rustc
/// prints this message instead of the message above.
#[diagnostic::on_unimplemented(
    message = "phalanx has no contacts of `{A}` with `{Self}`",
    label = "no contacts of `{A}` with `{Self}`",
    note = "a `Plane` or `HalfSpace` has contacts with bounded shapes only"
)]
pub trait TouchedBy<A: Shape>: Shape {
    /// The kernel of contacts.
    #[doc(hidden)]
    const CONTACT: Kernel<Contacts>;
    /// The kernel of sweeps with contacts.
    #[cfg(feature = "sweep")]
    #[doc(hidden)]
    const SWEEP_CONTACT: Kernel<SweepContacts>;
}

impl<A: Collide<B>, B: Shape> TouchedBy<A> for B {
    const CONTACT: Kernel<Contacts> = <A as Supports<Contacts, B>>::KERNEL;
    #[cfg(feature = "sweep")]
    const SWEEP_CONTACT: Kernel<SweepContacts> = <A as Supports<SweepContacts, B>>::KERNEL;
}

/// Shapes that [`Detector::impact`](crate::Detector::impact) accepts with shapes `B`: one of the two is an
/// [`Obb`](crate::Obb) or one of [`Hulls`](crate::Hulls). The bound for generic code.
///
/// The trait implies [`Overlap`] and, with the feature `sweep`, [`Sweep`]. Without the feature `impact`, no shape
/// implements this trait.
///
/// Sealed: the implementations are the kernels of this crate.
#[diagnostic::on_unimplemented(
    message = "phalanx has no impact of `{Self}` with `{B}`",
    label = "no impact of `{Self}` with `{B}`",
    note = "one shape has to be an `Obb` or a hull, the other must not be a `Point`: use a `Sphere` of radius 0",
    note = "for shapes that do not rotate, use `Detector::sweep`"
)]
pub trait Impact<B: Shape>: Supports<Impacts, B> + Overlap<B> + MaybeSweep<B> {}

/// [`Impact`] with its types swapped, for the reason given at [`TouchedBy`].
#[diagnostic::on_unimplemented(
    message = "phalanx has no impact of `{A}` with `{Self}`",
    label = "no impact of `{A}` with `{Self}`",
    note = "one shape has to be an `Obb` or a hull, the other must not be a `Point`: use a `Sphere` of radius 0",
    note = "for shapes that do not rotate, use `Detector::sweep`"
)]
pub trait ImpactedBy<A: Shape>: Shape {
    /// The kernel of impacts.
    #[doc(hidden)]
    const IMPACT: Kernel<Impacts>;
}

impl<A: Impact<B>, B: Shape> ImpactedBy<A> for B {
    const IMPACT: Kernel<Impacts> = <A as Supports<Impacts, B>>::KERNEL;
}

/// Shapes that [`Detector::distance`](crate::Detector::distance) and [`Detector::nearest`](crate::Detector::nearest) accept with
/// shapes `B`. The bound for generic code.
///
/// Without the feature `distance`, no shape implements this trait.
///
/// Sealed: the implementations are the kernels of this crate.
#[diagnostic::on_unimplemented(
    message = "phalanx has no distance of `{Self}` from `{B}`",
    label = "no distance of `{Self}` from `{B}`",
    note = "a `Plane` or `HalfSpace` has distances from bounded shapes only"
)]
pub trait Distance<B: Shape>: Supports<Distances, B> {}

/// Implements the bounds for both orders of the shapes of a kernel, with one static table for both.
///
/// Tables are compiled here, and not again in every calling crate.
macro_rules! supported {
    ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
        $(supported!(@ $verb, $($shape),+);)*
    };
    (@ overlap, $($shape:ident),+) => {
        supported!(@@ Overlaps, Overlap, $($shape),+);
        supported!(@@ one, $($shape),+);
    };
    (@ sweep, $($shape:ident),+) => {
        #[cfg(feature = "sweep")]
        supported!(@@ Sweeps, Sweep, $($shape),+);
    };
    (@ contact, $($shape:ident),+) => {
        #[cfg(feature = "contact")]
        supported!(@@ Contacts, Collide, $($shape),+);
    };
    (@ impact, $($shape:ident),+) => {
        #[cfg(feature = "impact")]
        supported!(@@ Impacts, Impact, $($shape),+);
    };
    (@ distance, $($shape:ident),+) => {
        #[cfg(feature = "distance")]
        supported!(@@ Distances, Distance, $($shape),+);
    };
    (@ bounded, $($shape:ident),+) => {
        supported!(@@ hull, $($shape),+);
    };
    (@ unbounded, $($shape:ident),+) => {
        supported!(@@ hull, $($shape),+);
    };
    // Hulls have overlaps, sweeps, contacts, distances and, except with points, impacts.
    (@@ hull, $($shape:ident),+) => {
        supported!(@@ Overlaps, Overlap, $($shape),+);
        supported!(@@ no_one, $($shape),+);
        supported!(@ sweep, $($shape),+);
        supported!(@ contact, $($shape),+);
        supported!(@@ turning, $($shape),+);
        supported!(@ distance, $($shape),+);
    };
    (@@ turning, Point, $b:ident) => {};
    (@@ turning, $($shape:ident),+) => {
        supported!(@ impact, $($shape),+);
    };
    (@@ one, $a:ident) => {
        supported!(@@@ $a, $a, |a, b| one_pair::overlaps(a, b));
    };
    (@@ one, $a:ident, $b:ident) => {
        supported!(@@@ $a, $b, |a, b| one_pair::overlaps(a, b));
        supported!(@@@ $b, $a, |b, a| one_pair::overlaps(a, b));
    };
    // A hull without a store has no points, and none can be made.
    (@@ no_one, $a:ident) => {
        supported!(@@@ $a, $a, |_a, _b| None);
    };
    (@@ no_one, $a:ident, $b:ident) => {
        supported!(@@@ $a, $b, |_a, _b| None);
        supported!(@@@ $b, $a, |_b, _a| None);
    };
    (@@ $query:ident, $bound:ident, $a:ident) => {
        const _: () = {
            static TABLE: <$query as Query>::Table =
                <crate::$a as TableOf<$query, crate::$a>>::TABLE;
            supported!(@@@ $query, $bound, $a, $a, false);
        };
    };
    (@@ $query:ident, $bound:ident, $a:ident, $b:ident) => {
        const _: () = {
            static TABLE: <$query as Query>::Table =
                <crate::$a as TableOf<$query, crate::$b>>::TABLE;
            supported!(@@@ $query, $bound, $a, $b, false);
            supported!(@@@ $query, $bound, $b, $a, true);
        };
    };
    (@@@ $query:ident, $bound:ident, $a:ident, $b:ident, $swapped:literal) => {
        impl Supports<$query, crate::$b> for crate::$a {
            const KERNEL: Kernel<$query> = Kernel {
                table: &TABLE,
                swapped: $swapped,
            };
        }
        impl $bound<crate::$b> for crate::$a {}
    };
    (@@@ $a:ident, $b:ident, |$first:ident, $second:ident| $test:expr) => {
        impl OnePair<crate::$b> for crate::$a {
            #[inline]
            fn overlaps_one(&self, other: &crate::$b) -> Option<bool> {
                let ($first, $second) = (self, other);
                $test
            }
        }
    };
}
crate::kernels!(supported);
crate::kernels!(contact: supported);
crate::kernels!(impact: supported);
crate::kernels!(distance: supported);
crate::kernels!(hull: supported);

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
