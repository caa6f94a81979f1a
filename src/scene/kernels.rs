//! The kernels of two kinds, and calls of the detector on shapes of any kind.

use alloc::vec::Vec;

use crate::broad::candidates::CandidateSearch;
use crate::broad::first_hits::FirstHits;
use crate::broad::nearest::Nearest;
use crate::detector::Detector;
use crate::driver::call::{Kernel, Query, Supports};
use crate::error::Error;
use crate::narrow::contact::contacts::Contacts;
use crate::narrow::contact::stage::SweepContacts;
use crate::narrow::distance::distances::Distances;
use crate::narrow::overlap::overlaps::{Overlaps, Sweeps};
use crate::pairs::{Pair, Pairs};
use crate::scene::any_shapes::AnyShapes;
use crate::scene::collider::Kind;
use crate::shapes::aabb::Aabb;
use crate::shapes::bounds::{Bounded, During};
use crate::shapes::capsule::Capsule;
use crate::shapes::obb::Obb;
use crate::shapes::plane::{HalfSpace, Plane};
use crate::shapes::point::Point;
use crate::shapes::raw_columns::BoundsOps;
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use crate::store::hull::hulls::PlacedHull;

/// A query that has a kernel for each two kinds that may meet.
pub trait OfKinds: Query {
    /// The kernel of two kinds; `None` for two points, planes or half-spaces, and for meshes.
    fn kernel(a: Kind, b: Kind) -> Option<Kernel<Self>>
    where
        Self: Sized;
}

/// Implements [`OfKinds`]: a line for each first kind, with its second kinds.
macro_rules! of_kinds {
    ($query:ty) => {
        of_kinds!(@ $query,
            [Point Sphere Capsule Aabb Obb Triangle Hull],
            [Sphere Capsule Aabb Obb Triangle Hull Plane HalfSpace],
            [Plane HalfSpace],
            [Sphere Capsule Aabb Obb Triangle Hull]);
    };
    (@ $query:ty, [$($a:ident)*], $of_a:tt, [$($flat:ident)*], $of_flat:tt) => {
        impl OfKinds for $query {
            fn kernel(a: Kind, b: Kind) -> Option<Kernel<Self>> {
                match a {
                    $(Kind::$a => of_kinds!(@@ $query, $a, b, $of_a),)*
                    $(Kind::$flat => of_kinds!(@@ $query, $flat, b, $of_flat),)*
                    Kind::Mesh => None,
                }
            }
        }
    };
    (@@ $query:ty, $a:ident, $kind:ident, [$($b:ident)*]) => {
        match $kind {
            $(Kind::$b => Some(<of_kinds!(# $a) as Supports<$query, of_kinds!(# $b)>>::KERNEL),)*
            _ => None,
        }
    };
    (# Hull) => { PlacedHull };
    (# $shape:ident) => { $shape };
}
of_kinds!(Overlaps);
of_kinds!(Contacts);
of_kinds!(Sweeps);
of_kinds!(SweepContacts);
of_kinds!(Distances);
of_kinds!(FirstHits);
of_kinds!(Nearest);

/// The bounds of a kind; `None` if it has none.
fn bounds(kind: Kind) -> Option<&'static BoundsOps> {
    Some(match kind {
        Kind::Point => Point::OPS,
        Kind::Sphere => Sphere::OPS,
        Kind::Capsule => Capsule::OPS,
        Kind::Aabb => Aabb::OPS,
        Kind::Obb => Obb::OPS,
        Kind::Triangle | Kind::Mesh => Triangle::OPS,
        Kind::Hull => PlacedHull::OPS,
        Kind::Plane | Kind::HalfSpace => return None,
    })
}

/// Answers a query of listed pairs. Does nothing if no shapes of these kinds meet.
pub fn query<Q: OfKinds>(
    detector: &mut Detector,
    a: &AnyShapes<'_>,
    b: &AnyShapes<'_>,
    pairs: Pairs<'_>,
    out: Q::Out<'_>,
) -> Result<(), Error> {
    match Q::kernel(a.kind, b.kind) {
        Some(kernel) => detector.query_any(kernel, [&a.columns, &b.columns], pairs, out),
        None => Ok(()),
    }
}

/// Finds the pairs whose bounds overlap.
pub fn candidates(
    detector: &mut Detector,
    a: &AnyShapes<'_>,
    b: &AnyShapes<'_>,
    during: During,
    pairs: &mut Vec<Pair>,
) -> Result<(), Error> {
    pairs.clear();
    let (Some(bounds_a), Some(bounds_b)) = (bounds(a.kind), bounds(b.kind)) else {
        return Ok(());
    };
    let search = CandidateSearch {
        stores: [&a.columns, &b.columns],
        bounds: [bounds_a, bounds_b],
        filters: [a.filters, b.filters],
        during,
    };
    detector.candidates_any(&search, pairs)
}

/// Finds the first hit of each shape of `a` in `b`.
pub fn first_hits(
    detector: &mut Detector,
    a: &AnyShapes<'_>,
    b: &AnyShapes<'_>,
    firsts: &mut FirstHits,
) -> Result<(), Error> {
    match FirstHits::kernel(a.kind, b.kind) {
        Some(kernel) => {
            let filters = [a.filters, b.filters];
            detector.first_hits_any(kernel, [&a.columns, &b.columns], filters, firsts)
        }
        None => Ok(()),
    }
}

/// Finds the nearest shape of `b` to each shape of `a`.
pub fn nearest(
    detector: &mut Detector,
    a: &AnyShapes<'_>,
    b: &AnyShapes<'_>,
    radius: f32,
    out: &mut Nearest,
) -> Result<(), Error> {
    match Nearest::kernel(a.kind, b.kind) {
        Some(kernel) => {
            let filters = [a.filters, b.filters];
            detector.nearest_any(kernel, [&a.columns, &b.columns], filters, radius, out)
        }
        None => Ok(()),
    }
}
