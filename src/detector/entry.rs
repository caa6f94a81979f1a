//! Entry points: one compiled function for each order of each kernel's shapes.
//!
//! These functions are not generic, so they are compiled once, with the profile of this crate, and not again in every
//! calling crate.

use super::Detector;
use super::query::{Call, KernelOf, Query, SweepContacts};
use crate::contacts::Contacts;
use crate::error::Error;
use crate::hits::{Overlaps, Sweeps};
use crate::impacts::Impacts;
use crate::pairs::Pairs;
use crate::shapes::{AnyColumns, Shape, StoreRef};

/// Shapes that a query `Q` accepts in the order `Self`, `B`.
pub trait Entry<Q: Query, B: Shape>: Shape {
    /// Runs the query on some pairs.
    fn call(
        detector: &mut Detector,
        a: &StoreRef<'_, Self>,
        b: &StoreRef<'_, B>,
        pairs: Pairs<'_>,
        out: Q::Out<'_>,
    ) -> Result<(), Error>;
}

/// Shapes that [`Detector::overlap`](crate::Detector::overlap) can test against shapes `B`.
///
/// Sealed: the implementations are the kernels of this crate.
#[diagnostic::on_unimplemented(
    message = "phalanx has no overlap test of `{Self}` against `{B}`",
    label = "no overlap test of `{Self}` against `{B}`"
)]
pub trait Overlap<B: Shape>: Entry<Overlaps, B> {}

/// Shapes that [`Detector::sweep`](crate::Detector::sweep) can test against shapes `B`.
///
/// Sealed: the implementations are the kernels of this crate.
#[diagnostic::on_unimplemented(
    message = "phalanx has no sweep of `{Self}` against `{B}`",
    label = "no sweep of `{Self}` against `{B}`"
)]
pub trait Sweep<B: Shape>: Entry<Sweeps, B> {}

/// Shapes that [`Detector::contact`](crate::Detector::contact) and
/// [`Detector::sweep_contacts`](crate::Detector::sweep_contacts) accept with shapes `B`. The bound for generic code.
///
/// Sealed: the implementations are the kernels of this crate.
#[diagnostic::on_unimplemented(
    message = "phalanx has no contacts of `{Self}` with `{B}`",
    label = "no contacts of `{Self}` with `{B}`",
    note = "a `Point` has no contacts: use a `Sphere` of radius 0, which also gives a ray its normal",
    note = "a `Plane` or `HalfSpace` has contacts with spheres, capsules and boxes only"
)]
pub trait Collide<B: Shape>:
    Entry<Contacts, B> + Entry<SweepContacts, B> + Overlap<B> + Sweep<B>
{
}

/// [`Collide`], seen from the second shape: `B: TouchedBy<A>` if `A: Collide<B>`.
///
/// The methods have this bound because rustc infers their arguments in order. It reports a failed `A: Collide<_>`
/// before it knows `B`; a bound on `B` waits until both names can be printed. For two shapes of one type rustc prints
/// this message instead of the one above.
#[diagnostic::on_unimplemented(
    message = "phalanx has no contacts of `{A}` with `{Self}`",
    label = "no contacts of `{A}` with `{Self}`",
    note = "a `Point` has no contacts: use a `Sphere` of radius 0, which also gives a ray its normal",
    note = "a `Plane` or `HalfSpace` has contacts with spheres, capsules and boxes only"
)]
pub trait TouchedBy<A: Shape>: Shape {
    /// Computes the contacts of some pairs.
    fn contact(
        detector: &mut Detector,
        a: &StoreRef<'_, A>,
        b: &StoreRef<'_, Self>,
        pairs: Pairs<'_>,
        out: &mut Contacts,
    ) -> Result<(), Error>;

    /// Sweeps some pairs and computes the contacts of the hits.
    fn sweep_contacts(
        detector: &mut Detector,
        a: &StoreRef<'_, A>,
        b: &StoreRef<'_, Self>,
        pairs: Pairs<'_>,
        out: (&mut Sweeps, &mut Contacts),
    ) -> Result<(), Error>;
}

impl<A: Collide<B>, B: Shape> TouchedBy<A> for B {
    #[inline(always)]
    fn contact(
        detector: &mut Detector,
        a: &StoreRef<'_, A>,
        b: &StoreRef<'_, B>,
        pairs: Pairs<'_>,
        out: &mut Contacts,
    ) -> Result<(), Error> {
        <A as Entry<Contacts, B>>::call(detector, a, b, pairs, out)
    }

    #[inline(always)]
    fn sweep_contacts(
        detector: &mut Detector,
        a: &StoreRef<'_, A>,
        b: &StoreRef<'_, B>,
        pairs: Pairs<'_>,
        out: (&mut Sweeps, &mut Contacts),
    ) -> Result<(), Error> {
        <A as Entry<SweepContacts, B>>::call(detector, a, b, pairs, out)
    }
}

/// Shapes that [`Detector::impact`](crate::Detector::impact) accepts with shapes `B`: one of the two is an
/// [`Obb`](crate::Obb). The bound for generic code.
///
/// Sealed: the implementations are the kernels of this crate.
#[diagnostic::on_unimplemented(
    message = "phalanx has no impact of `{Self}` with `{B}`",
    label = "no impact of `{Self}` with `{B}`",
    note = "one shape has to be an `Obb`, the other must not be a `Point`: use a `Sphere` of radius 0",
    note = "for shapes that do not rotate, use `Detector::sweep`"
)]
pub trait Impact<B: Shape>: Entry<Impacts, B> + Overlap<B> + Sweep<B> {}

/// [`Impact`], seen from the second shape, for the reason given at [`TouchedBy`].
#[diagnostic::on_unimplemented(
    message = "phalanx has no impact of `{A}` with `{Self}`",
    label = "no impact of `{A}` with `{Self}`",
    note = "one shape has to be an `Obb`, the other must not be a `Point`: use a `Sphere` of radius 0",
    note = "for shapes that do not rotate, use `Detector::sweep`"
)]
pub trait ImpactedBy<A: Shape>: Shape {
    /// Finds the times of impact of some pairs.
    fn impact(
        detector: &mut Detector,
        a: &StoreRef<'_, A>,
        b: &StoreRef<'_, Self>,
        pairs: Pairs<'_>,
        out: (f32, &mut Impacts),
    ) -> Result<(), Error>;
}

impl<A: Impact<B>, B: Shape> ImpactedBy<A> for B {
    #[inline(always)]
    fn impact(
        detector: &mut Detector,
        a: &StoreRef<'_, A>,
        b: &StoreRef<'_, B>,
        pairs: Pairs<'_>,
        out: (f32, &mut Impacts),
    ) -> Result<(), Error> {
        <A as Entry<Impacts, B>>::call(detector, a, b, pairs, out)
    }
}

macro_rules! entries {
    ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
        $(entries!(@ $verb, $($shape),+);)*
    };
    (@ overlap, $($shape:ident),+) => { entries!(@@ Overlap, [Overlaps], $($shape),+); };
    (@ sweep, $($shape:ident),+) => { entries!(@@ Sweep, [Sweeps], $($shape),+); };
    (@ contact, $($shape:ident),+) => { entries!(@@ Collide, [Contacts SweepContacts], $($shape),+); };
    (@ impact, $($shape:ident),+) => { entries!(@@ Impact, [Impacts], $($shape),+); };
    (@@ $trait:ident, [$($query:ident)+], $a:ident) => {
        $(entries!(@@@ $query, $a, $a, [$a, $a], false);)+
        impl $trait<crate::$a> for crate::$a {}
    };
    (@@ $trait:ident, [$($query:ident)+], $a:ident, $b:ident) => {
        $(
            entries!(@@@ $query, $a, $b, [$a, $b], false);
            entries!(@@@ $query, $b, $a, [$a, $b], true);
        )+
        impl $trait<crate::$b> for crate::$a {}
        impl $trait<crate::$a> for crate::$b {}
    };
    // In brackets: the shapes in kernel order.
    (@@@ $query:ident, $a:ident, $b:ident,
     [$first:ident, $second:ident], $swapped:literal) => {
        impl Entry<$query, crate::$b> for crate::$a {
            #[inline(never)]
            fn call(
                detector: &mut Detector,
                a: &StoreRef<'_, crate::$a>,
                b: &StoreRef<'_, crate::$b>,
                pairs: Pairs<'_>,
                out: <$query as Query>::Out<'_>,
            ) -> Result<(), Error> {
                let (a, b) = (AnyColumns::of(a), AnyColumns::of(b));
                let ops = <crate::$first as KernelOf<$query, crate::$second>>::OPS;
                let call = Call::new(detector, [&a, &b], $swapped, pairs);
                <$query as Query>::answer(call, ops, out)
            }
        }
    };
}
crate::kernels!(entries);
crate::kernels!(contact: entries);
crate::kernels!(impact: entries);
