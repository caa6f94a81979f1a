//! The way in: one compiled function for each order of each line of the index.
//!
//! Functions without type parameters are compiled here, once and with the profile of this crate, and
//! not again by every crate that calls them.

use super::Detector;
use crate::contacts::Contacts;
use crate::error::Error;
use crate::hits::{Overlaps, Sweeps};
use crate::impacts::Impacts;
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

/// Both outputs of a sweep with contacts.
pub struct SweptContacts<'o> {
    pub sweeps: &'o mut Sweeps,
    pub contacts: &'o mut Contacts,
}

/// Shapes whose sweeps have contacts.
pub trait SweptEntry<B: Shape>: Shape {
    /// Answers for a pair list.
    fn call<'v>(
        detector: &mut Detector,
        a: &'v StoreRef<'_, Self>,
        b: &'v StoreRef<'_, B>,
        pairs: Pairs<'_>,
        out: SweptContacts<'_>,
    ) -> Result<(), Error>;
}

/// Shapes that [`Detector::contact`](crate::Detector::contact) and
/// [`Detector::sweep_contacts`](crate::Detector::sweep_contacts) accept with shapes `B`: the bound for generic code.
///
/// Sealed: the implementations are the kernels of this crate.
#[diagnostic::on_unimplemented(
    message = "phalanx has no contacts of `{Self}` with `{B}`",
    label = "no contacts of `{Self}` with `{B}`",
    note = "a `Point` has no contacts: use a `Sphere` of radius 0, which also gives a ray its normal",
    note = "a `Plane` or `HalfSpace` has contacts with spheres, capsules and boxes only"
)]
pub trait Touches<B: Shape>: Entry<Contacts, B> + SweptEntry<B> + Overlap<B> + Sweep<B> {}

/// [`Touches`], seen from the second shape: `B: TouchedBy<A>` if `A: Touches<B>`.
///
/// The methods have this bound because rustc infers their arguments in order. It reports a failed `A: Touches<_>`
/// before it knows `B`; a bound on `B` waits until both names can be printed. For two shapes of one type rustc prints
/// this message instead of the one above.
#[diagnostic::on_unimplemented(
    message = "phalanx has no contacts of `{A}` with `{Self}`",
    label = "no contacts of `{A}` with `{Self}`",
    note = "a `Point` has no contacts: use a `Sphere` of radius 0, which also gives a ray its normal",
    note = "a `Plane` or `HalfSpace` has contacts with spheres, capsules and boxes only"
)]
pub trait TouchedBy<A: Shape>: Shape {
    /// Contacts of a pair list.
    fn contact(
        detector: &mut Detector,
        a: &StoreRef<'_, A>,
        b: &StoreRef<'_, Self>,
        pairs: Pairs<'_>,
        out: &mut Contacts,
    ) -> Result<(), Error>;

    /// A sweep of a pair list, with contacts.
    fn sweep_contacts(
        detector: &mut Detector,
        a: &StoreRef<'_, A>,
        b: &StoreRef<'_, Self>,
        pairs: Pairs<'_>,
        out: SweptContacts<'_>,
    ) -> Result<(), Error>;
}

impl<A: Touches<B>, B: Shape> TouchedBy<A> for B {
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
        out: SweptContacts<'_>,
    ) -> Result<(), Error> {
        <A as SweptEntry<B>>::call(detector, a, b, pairs, out)
    }
}

/// A tolerance, and where impacts go.
pub struct ImpactsWithin<'o> {
    pub tolerance: f32,
    pub impacts: &'o mut Impacts,
}

/// Shapes that turn, or meet such.
pub trait ImpactEntry<B: Shape>: Shape {
    /// Answers for a pair list.
    fn call<'v>(
        detector: &mut Detector,
        a: &'v StoreRef<'_, Self>,
        b: &'v StoreRef<'_, B>,
        pairs: Pairs<'_>,
        out: ImpactsWithin<'_>,
    ) -> Result<(), Error>;
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
pub trait Impact<B: Shape>: ImpactEntry<B> + Overlap<B> + Sweep<B> {}

/// [`Impact`], seen from the second shape, for the reason given at [`TouchedBy`].
#[diagnostic::on_unimplemented(
    message = "phalanx has no impact of `{A}` with `{Self}`",
    label = "no impact of `{A}` with `{Self}`",
    note = "one shape has to be an `Obb`, the other must not be a `Point`: use a `Sphere` of radius 0",
    note = "for shapes that do not rotate, use `Detector::sweep`"
)]
pub trait ImpactedBy<A: Shape>: Shape {
    /// Impacts of a pair list.
    fn impact(
        detector: &mut Detector,
        a: &StoreRef<'_, A>,
        b: &StoreRef<'_, Self>,
        pairs: Pairs<'_>,
        out: ImpactsWithin<'_>,
    ) -> Result<(), Error>;
}

impl<A: Impact<B>, B: Shape> ImpactedBy<A> for B {
    #[inline(always)]
    fn impact(
        detector: &mut Detector,
        a: &StoreRef<'_, A>,
        b: &StoreRef<'_, B>,
        pairs: Pairs<'_>,
        out: ImpactsWithin<'_>,
    ) -> Result<(), Error> {
        <A as ImpactEntry<B>>::call(detector, a, b, pairs, out)
    }
}

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
                let answered = detector.answer::<$mixed, _, _, _>(&a, &b, $swapped, pairs, out);
                answered.map(drop)
            }
        }
        impl $trait<crate::$b> for crate::$a {}
    };
}
crate::kernels!(entries);

macro_rules! contact_entries {
    ($($file:ident: contact($($shape:ident),+);)*) => {
        $(contact_entries!(@ $($shape),+);)*
    };
    (@ $a:ident) => {
        contact_entries!(@@ $a, $a, [a, b] -> [a, b], false, false);
    };
    (@ $a:ident, $b:ident) => {
        contact_entries!(@@ $a, $b, [a, b] -> [a, b], true, false);
        contact_entries!(@@ $b, $a, [b, a] -> [a, b], true, true);
    };
    (@@ $a:ident, $b:ident, [$p:ident, $q:ident] -> [$first:ident, $second:ident],
     $mixed:literal, $swapped:literal) => {
        impl Entry<Contacts, crate::$b> for crate::$a {
            #[inline(never)]
            fn call<'v>(
                detector: &mut Detector,
                $p: &'v StoreRef<'_, crate::$a>,
                $q: &'v StoreRef<'_, crate::$b>,
                pairs: Pairs<'_>,
                out: &mut Contacts,
            ) -> Result<(), Error> {
                let (a, b) = (Columns::of($first), Columns::of($second));
                detector.find_contacts::<$mixed, _, _>(&a, &b, $swapped, pairs, out)
            }
        }
        impl SweptEntry<crate::$b> for crate::$a {
            #[inline(never)]
            fn call<'v>(
                detector: &mut Detector,
                $p: &'v StoreRef<'_, crate::$a>,
                $q: &'v StoreRef<'_, crate::$b>,
                pairs: Pairs<'_>,
                out: SweptContacts<'_>,
            ) -> Result<(), Error> {
                let (a, b) = (Columns::of($first), Columns::of($second));
                detector.find_swept_contacts::<$mixed, _, _>(&a, &b, $swapped, pairs, out)
            }
        }
        impl Touches<crate::$b> for crate::$a {}
    };
}
crate::kernels!(contact: contact_entries);

macro_rules! impact_entries {
    ($($file:ident: impact($($shape:ident),+);)*) => {
        $(impact_entries!(@ $($shape),+);)*
    };
    (@ $a:ident) => {
        impact_entries!(@@ $a, $a, [a, b] -> [a, b], false, false);
    };
    (@ $a:ident, $b:ident) => {
        impact_entries!(@@ $a, $b, [a, b] -> [a, b], true, false);
        impact_entries!(@@ $b, $a, [b, a] -> [a, b], true, true);
    };
    (@@ $a:ident, $b:ident, [$p:ident, $q:ident] -> [$first:ident, $second:ident],
     $mixed:literal, $swapped:literal) => {
        impl ImpactEntry<crate::$b> for crate::$a {
            #[inline(never)]
            fn call<'v>(
                detector: &mut Detector,
                $p: &'v StoreRef<'_, crate::$a>,
                $q: &'v StoreRef<'_, crate::$b>,
                pairs: Pairs<'_>,
                out: ImpactsWithin<'_>,
            ) -> Result<(), Error> {
                let (a, b) = (Columns::of($first), Columns::of($second));
                detector.find_impacts::<$mixed, _, _>(&a, &b, $swapped, pairs, out)
            }
        }
        impl Impact<crate::$b> for crate::$a {}
    };
}
crate::kernels!(impact: impact_entries);
