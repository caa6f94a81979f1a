//! Entry points: the public bounds of the queries with their compile errors, and one compiled function for each order
//! of each kernel's shapes.
//!
//! The functions are not generic, so they are compiled once, with the profile of this crate, and not again in every
//! calling crate.

#[cfg(all(feature = "candidates", feature = "sweep"))]
use crate::broad::first_hits::FirstHits;
#[cfg(all(feature = "candidates", feature = "distance"))]
use crate::broad::nearest::Nearest;
use crate::detector::Detector;
#[cfg(all(feature = "contact", feature = "sweep"))]
use crate::driver::call::SweepContacts;
use crate::driver::call::{Call, KernelOf, Query};
use crate::error::Error;
use crate::narrow::contact::contacts::Contacts;
#[cfg(feature = "distance")]
use crate::narrow::distance::distances::Distances;
use crate::narrow::impact::impacts::Impacts;
use crate::narrow::overlap::one_pair;
use crate::narrow::overlap::one_pair::OnePair;
use crate::narrow::overlap::overlaps::{Overlaps, Sweeps};
use crate::pairs::Pairs;
use crate::shapes::form::Motion;
use crate::shapes::shape::Shape;
use crate::store::columns::AnyColumns;
use crate::store::store::StoreRef;

/// Shapes that a query `Q` accepts in the order `Self`, `B`.
///
/// Sealed, as every trait of this file: the implementations are the kernels of this crate.
pub trait Entry<Q: Query, B: Shape>: Shape {
    /// Runs the query on some pairs.
    #[doc(hidden)]
    fn call(
        detector: &mut Detector,
        a: &StoreRef<'_, Self>,
        b: &StoreRef<'_, B>,
        pairs: Pairs<'_>,
        out: Q::Out<'_>,
    ) -> Result<(), Error>;
}

/// Returns the error that names the invalid shape of a pair.
#[cold]
fn invalid_pair<A: Shape, B: Shape>(
    a: &StoreRef<'_, A>,
    b: &StoreRef<'_, B>,
    pairs: Pairs<'_>,
    position: usize,
    motion: Motion,
) -> Result<(), Error> {
    let pair = pairs.at(position);
    let of_a = a.defect(pair.a, motion).map(|defect| (false, defect));
    match of_a.or_else(|| Some((true, b.defect(pair.b, motion)?))) {
        Some((is_second, defect)) => Err(Error::InvalidPair {
            position,
            pair,
            is_second,
            defect,
        }),
        None => Ok(()),
    }
}

/// Declares supertraits that depend on features. Without the feature all shapes have the trait, so that the public
/// traits below have one definition each.
macro_rules! supertraits {
    ($($(#[$doc:meta])+ $trait:ident: $bound:path, if $enabled:meta;)+) => {$(
        $(#[$doc])+
        #[doc(hidden)]
        #[cfg($enabled)]
        pub trait $trait<B: Shape>: $bound {}
        #[cfg($enabled)]
        impl<A: $bound, B: Shape> $trait<B> for A {}

        $(#[$doc])+
        #[doc(hidden)]
        #[cfg(not($enabled))]
        pub trait $trait<B: Shape>: Shape {}
        #[cfg(not($enabled))]
        impl<A: Shape, B: Shape> $trait<B> for A {}
    )+};
}
supertraits! {
    /// Entry of `Detector::sweep`.
    SweepEntry: Entry<Sweeps, B>, if feature = "sweep";
    /// Entry of `Detector::first_hits`.
    FirstHitsEntry: Entry<FirstHits, B>, if all(feature = "candidates", feature = "sweep");
    /// Entry of `Detector::contact`.
    ContactEntry: Entry<Contacts, B>, if feature = "contact";
    /// Entry of `Detector::sweep_contacts`.
    SweepContactsEntry: Entry<SweepContacts, B>, if all(feature = "contact", feature = "sweep");
    /// Entry of `Detector::impact`.
    ImpactEntry: Entry<Impacts, B>, if feature = "impact";
    /// Entry of `Detector::distance`.
    DistanceEntry: Entry<Distances, B>, if feature = "distance";
    /// Entry of `Detector::nearest`.
    NearestEntry: Entry<Nearest, B>, if all(feature = "candidates", feature = "distance");
    /// [`Sweep`], if the feature of that name is on.
    MaybeSweep: Sweep<B>, if feature = "sweep";
}

/// Shapes that [`Detector::overlap`](crate::Detector::overlap) can test against shapes `B`.
///
/// Sealed: the implementations are the kernels of this crate.
#[diagnostic::on_unimplemented(
    message = "phalanx has no overlap test of `{Self}` against `{B}`",
    label = "no overlap test of `{Self}` against `{B}`"
)]
pub trait Overlap<B: Shape>: Entry<Overlaps, B> + OnePair<B> {}

/// Shapes that [`Detector::sweep`](crate::Detector::sweep) can test against shapes `B`.
///
/// Without the feature `sweep`, no shape implements this trait.
///
/// Sealed: the implementations are the kernels of this crate.
#[diagnostic::on_unimplemented(
    message = "phalanx has no sweep of `{Self}` against `{B}`",
    label = "no sweep of `{Self}` against `{B}`"
)]
pub trait Sweep<B: Shape>: SweepEntry<B> + FirstHitsEntry<B> {}

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
    note = "contacts of two triangles or meshes, and of triangles with planes, are not supported: use overlap or sweep",
    note = "a `Plane` or `HalfSpace` has contacts with points, spheres, capsules, boxes and hulls only"
)]
pub trait Collide<B: Shape>:
    ContactEntry<B> + SweepContactsEntry<B> + Overlap<B> + MaybeSweep<B>
{
}

/// [`Collide`] with its types swapped: `B: TouchedBy<A>` if `A: Collide<B>`.
///
/// The methods have this bound because rustc infers their arguments in order. It reports a failed `A: Collide<_>`
/// before it has inferred `B`; it checks a bound on `B` when it can print both names. For two shapes of one type rustc
/// prints this message instead of the message above.
#[cfg(feature = "contact")]
#[diagnostic::on_unimplemented(
    message = "phalanx has no contacts of `{A}` with `{Self}`",
    label = "no contacts of `{A}` with `{Self}`",
    note = "contacts of two triangles or meshes, and of triangles with planes, are not supported: use overlap or sweep",
    note = "a `Plane` or `HalfSpace` has contacts with points, spheres, capsules, boxes and hulls only"
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
    #[cfg(feature = "sweep")]
    fn sweep_contacts(
        detector: &mut Detector,
        a: &StoreRef<'_, A>,
        b: &StoreRef<'_, Self>,
        pairs: Pairs<'_>,
        out: (&mut Sweeps, &mut Contacts),
    ) -> Result<(), Error>;
}

#[cfg(feature = "contact")]
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

    #[cfg(feature = "sweep")]
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
pub trait Impact<B: Shape>: ImpactEntry<B> + Overlap<B> + MaybeSweep<B> {}

/// [`Impact`] with its types swapped, for the reason given at [`TouchedBy`].
#[cfg(feature = "impact")]
#[diagnostic::on_unimplemented(
    message = "phalanx has no impact of `{A}` with `{Self}`",
    label = "no impact of `{A}` with `{Self}`",
    note = "one shape has to be an `Obb` or a hull, the other must not be a `Point`: use a `Sphere` of radius 0",
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

#[cfg(feature = "impact")]
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
pub trait Distance<B: Shape>: DistanceEntry<B> + NearestEntry<B> {}

macro_rules! entries {
    ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
        $(entries!(@ $verb, $($shape),+);)*
    };
    (@ overlap, $($shape:ident),+) => {
        entries!(@@ Overlaps, $($shape),+);
        entries!(@@ one, $($shape),+);
        entries!(@@ impl Overlap, $($shape),+);
    };
    (@ sweep, $($shape:ident),+) => {
        #[cfg(feature = "sweep")]
        entries!(@@ Sweeps, $($shape),+);
        #[cfg(all(feature = "candidates", feature = "sweep"))]
        entries!(@@ FirstHits, $($shape),+);
        #[cfg(feature = "sweep")]
        entries!(@@ impl Sweep, $($shape),+);
    };
    (@ contact, $($shape:ident),+) => {
        entries!(@@ Contacts, $($shape),+);
        #[cfg(feature = "sweep")]
        entries!(@@ SweepContacts, $($shape),+);
        entries!(@@ impl Collide, $($shape),+);
    };
    (@ distance, $($shape:ident),+) => {
        entries!(@@ Distances, $($shape),+);
        #[cfg(feature = "candidates")]
        entries!(@@ Nearest, $($shape),+);
        entries!(@@ impl Distance, $($shape),+);
    };
    (@ impact, $($shape:ident),+) => {
        entries!(@@ Impacts, $($shape),+);
        entries!(@@ impl Impact, $($shape),+);
    };
    (@@ one, $a:ident) => {
        impl OnePair<crate::$a> for crate::$a {
            #[inline]
            fn overlaps_one(&self, other: &crate::$a) -> Option<bool> {
                one_pair::overlaps(self, other)
            }
        }
    };
    (@@ one, $a:ident, $b:ident) => {
        impl OnePair<crate::$b> for crate::$a {
            #[inline]
            fn overlaps_one(&self, other: &crate::$b) -> Option<bool> {
                one_pair::overlaps(self, other)
            }
        }
        impl OnePair<crate::$a> for crate::$b {
            #[inline]
            fn overlaps_one(&self, other: &crate::$a) -> Option<bool> {
                one_pair::overlaps(other, self)
            }
        }
    };
    (@@ impl $trait:ident, $a:ident) => {
        impl $trait<crate::$a> for crate::$a {}
    };
    (@@ impl $trait:ident, $a:ident, $b:ident) => {
        impl $trait<crate::$b> for crate::$a {}
        impl $trait<crate::$a> for crate::$b {}
    };
    (@@ $query:ident, $a:ident) => {
        entries!(@@@ $query, $a, $a, [$a, $a], false);
    };
    (@@ $query:ident, $a:ident, $b:ident) => {
        entries!(@@@ $query, $a, $b, [$a, $b], false);
        entries!(@@@ $query, $b, $a, [$a, $b], true);
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
                let (columns_a, columns_b) = (AnyColumns::of(a), AnyColumns::of(b));
                let ops = <crate::$first as KernelOf<$query, crate::$second>>::OPS;
                let call = Call::new(detector, [&columns_a, &columns_b], $swapped, pairs);
                match <$query as Query>::answer(call, ops, out)? {
                    None => Ok(()),
                    Some(position) => {
                        invalid_pair(a, b, pairs, position, <$query as Query>::MOTION)
                    }
                }
            }
        }
    };
}
crate::kernels!(entries);
#[cfg(feature = "contact")]
crate::kernels!(contact: entries);
#[cfg(feature = "impact")]
crate::kernels!(impact: entries);
#[cfg(feature = "distance")]
crate::kernels!(distance: entries);

/// The entries of hulls: overlaps, sweeps, contacts, distances and, except with points, impacts.
macro_rules! hull_entries {
    ($($file:ident: $kind:ident($($shape:ident),+);)*) => {
        $(hull_entries!(@ $($shape),+);)*
    };
    (@ $($shape:ident),+) => {
        entries!(@@ Overlaps, $($shape),+);
        entries!(@@ impl Overlap, $($shape),+);
        entries!(@ sweep, $($shape),+);
        #[cfg(feature = "contact")]
        entries!(@ contact, $($shape),+);
        #[cfg(feature = "distance")]
        entries!(@ distance, $($shape),+);
        #[cfg(feature = "impact")]
        hull_entries!(@@ impact, $($shape),+);
        hull_entries!(@@ one, $($shape),+);
    };
    (@@ impact, Point, $b:ident) => {};
    (@@ impact, $($shape:ident),+) => {
        entries!(@ impact, $($shape),+);
    };
    // A hull without a store has no points, and none can be made.
    (@@ one, $a:ident) => {
        hull_entries!(@@@ one, $a, $a);
    };
    (@@ one, $a:ident, $b:ident) => {
        hull_entries!(@@@ one, $a, $b);
        hull_entries!(@@@ one, $b, $a);
    };
    (@@@ one, $a:ident, $b:ident) => {
        impl OnePair<crate::$b> for crate::$a {
            #[inline]
            fn overlaps_one(&self, _other: &crate::$b) -> Option<bool> {
                None
            }
        }
    };
}
crate::kernels!(hull: hull_entries);
