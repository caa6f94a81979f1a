//! From the kinds of two stores to the kernel of a verb.

use phalanx::query::{Entry, Query, SweepContacts};
use phalanx::{
    Contacts, Detector, Distances, During, Error, FirstHits, Impacts, InvalidShapes, Nearest,
    Overlaps, Pair, Pairs, Simd, Sweeps,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::keyed::{self, Keys};
use crate::raised;
use crate::stores::{Kind, View};

/// A query with its kernels in the index.
pub trait Verb: Query {
    /// Its name in the index.
    const NAME: &'static str;

    /// Calls it, if there is a kernel.
    fn call(
        detector: &mut Detector,
        a: &View<'_>,
        b: &View<'_>,
        pairs: Pairs<'_>,
        out: Self::Out<'_>,
    ) -> Option<Result<(), Error>>;
}

/// Calls a query. Fails with a TypeError if there is no kernel.
pub fn call<Q: Verb>(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    pairs: Pairs<'_>,
    out: Q::Out<'_>,
) -> PyResult<()> {
    match Q::call(detector, a, b, pairs, out) {
        Some(result) => result.map_err(raised),
        None => Err(no_kernel(Q::NAME, a, b)),
    }
}

/// The error for shapes that a verb does not know.
fn no_kernel(verb: &str, a: &View<'_>, b: &View<'_>) -> PyErr {
    let (a, b) = (a.stores(), b.stores());
    let known: Vec<_> = table()
        .into_iter()
        .filter(|kernel| kernel.0 == verb)
        .filter_map(|(_, x, y)| match () {
            () if x == a => Some(y),
            () if y == a => Some(x),
            () => None,
        })
        .collect();
    let known = match known.as_slice() {
        [] => "nothing".to_owned(),
        known => known.join(", "),
    };
    PyTypeError::new_err(format!(
        "there is no {verb} of {a} with {b}; {a} have one with {known}"
    ))
}

/// Lists kernels as Python names them: the verb, and the stores of both sides.
macro_rules! listed {
    ($($file:ident: $verb:ident($a:ident $(, $b:ident)?);)*) => {
        [$((
            stringify!($verb),
            <phalanx::$a as Kind>::STORES,
            listed!(@second $a $($b)?),
        )),*]
    };
    (@second $a:ident) => { <phalanx::$a as Kind>::STORES };
    (@second $a:ident $b:ident) => { <phalanx::$b as Kind>::STORES };
}

/// Lists kernels by the names of their shapes in functions.
macro_rules! named {
    ($($file:ident: $verb:ident($a:ident $(, $b:ident)?);)*) => {
        [$((
            stringify!($verb),
            <phalanx::$a as Kind>::NAME,
            named!(@second $a $($b)?),
        )),*]
    };
    (@second $a:ident) => { <phalanx::$a as Kind>::NAME };
    (@second $a:ident $b:ident) => { <phalanx::$b as Kind>::NAME };
}

type Kernel = (&'static str, &'static str, &'static str);

fn table() -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = phalanx::kernels!(listed).into();
    kernels.extend(phalanx::kernels!(contact: listed));
    kernels.extend(phalanx::kernels!(impact: listed));
    kernels.extend(phalanx::kernels!(distance: listed));
    kernels
}

/// Every kernel: its verb, and the names of its two shapes.
#[pyfunction]
pub fn kernels() -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = phalanx::kernels!(named).into();
    kernels.extend(phalanx::kernels!(contact: named));
    kernels.extend(phalanx::kernels!(impact: named));
    kernels.extend(phalanx::kernels!(distance: named));
    kernels
}

/// The instruction sets of this CPU: the name of each, and its lanes.
#[pyfunction]
pub fn instruction_sets() -> Vec<(String, usize)> {
    Simd::available()
        .map(|simd| (simd.to_string(), simd.lanes()))
        .collect()
}

/// Implements [`Verb`]: a query, its name in the index, and the list of the index that has it.
macro_rules! verbs {
    // `$d` is a dollar, for repetitions of the macro within.
    ($d:tt $($query:ident, $name:ident $(, $list:ident)?;)*) => { $(
        impl Verb for $query {
            const NAME: &'static str = stringify!($name);

            fn call(
                detector: &mut Detector,
                a: &View<'_>,
                b: &View<'_>,
                pairs: Pairs<'_>,
                out: Self::Out<'_>,
            ) -> Option<Result<(), Error>> {
                macro_rules! each {
                    ($d($file:ident: $verb:ident($d($shape:ident),+);)*) => {
                        $d(each!(@$verb $d($shape),+);)*
                    };
                    (@$name $one:ident) => { each!(@@$one, $one) };
                    (@$name $one:ident, $other:ident) => {
                        each!(@@$one, $other);
                        each!(@@$other, $one);
                    };
                    (@@$one:ident, $other:ident) => {
                        if let (View::$one(x), View::$other(y)) = (a, b) {
                            let call = <phalanx::$one as Entry<$query, phalanx::$other>>::call;
                            return Some(call(detector, x, y, pairs, out));
                        }
                    };
                    (@$other:ident $d($shape:ident),+) => {};
                }
                phalanx::kernels!($($list:)? each);
                None
            }
        }
    )* };
}
verbs! {$
    Overlaps, overlap;
    Sweeps, sweep;
    Contacts, contact, contact;
    SweepContacts, contact, contact;
    Impacts, impact, impact;
    Distances, distance, distance;
}

/// The pairs whose bounds overlap, of those with equal keys if there are keys, and the numbers of invalid shapes. Fails
/// with a TypeError for shapes without bounds.
pub fn candidates(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    during: During,
    keys: Option<&Keys>,
) -> PyResult<(Vec<Pair>, InvalidShapes)> {
    let mut pairs = Vec::new();
    macro_rules! second {
        ($x:ident; $($shape:ident)*) => {
            match (b, keys) {
                $(
                    (View::$shape(y), None) => detector
                        .candidates($x, y, during, &mut pairs)
                        .map(|invalid| (pairs, invalid))
                        .map_err(raised),
                    (View::$shape(y), Some(keys)) => {
                        keyed::candidates(detector, ($x, y), during, keys).map_err(raised)
                    }
                )*
                (View::Plane(_) | View::HalfSpace(_), _) => Err(unbounded("b", b)),
            }
        };
    }
    match a {
        View::Point(x) => second!(x; Point Sphere Capsule Aabb Obb Triangle),
        View::Sphere(x) => second!(x; Point Sphere Capsule Aabb Obb Triangle),
        View::Capsule(x) => second!(x; Point Sphere Capsule Aabb Obb Triangle),
        View::Aabb(x) => second!(x; Point Sphere Capsule Aabb Obb Triangle),
        View::Obb(x) => second!(x; Point Sphere Capsule Aabb Obb Triangle),
        View::Triangle(x) => second!(x; Point Sphere Capsule Aabb Obb Triangle),
        View::Plane(_) | View::HalfSpace(_) => Err(unbounded("a", a)),
    }
}

/// A search of a whole store.
pub enum Search<'o> {
    /// First hits, in a first or a further store.
    First(&'o mut FirstHits, bool),
    /// Whether each shape touches any.
    Any(During, &'o mut Overlaps),
}

/// Searches a store. Fails with a TypeError for shapes without sweeps, or without bounds in `a`.
pub fn search(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    search: Search<'_>,
) -> PyResult<InvalidShapes> {
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(each!(@$verb $($shape),+);)*
        };
        (@sweep $one:ident, Plane) => { each!(@@$one, Plane) };
        (@sweep $one:ident, HalfSpace) => { each!(@@$one, HalfSpace) };
        (@sweep $one:ident) => { each!(@@$one, $one) };
        (@sweep $one:ident, $other:ident) => {
            each!(@@$one, $other);
            each!(@@$other, $one);
        };
        (@@$one:ident, $other:ident) => {
            if let (View::$one(x), View::$other(y)) = (a, b) {
                return match search {
                    Search::First(firsts, false) => detector.first_hits(x, y, firsts),
                    Search::First(firsts, true) => detector.nearer_hits(x, y, firsts),
                    Search::Any(during, overlaps) => detector.meets_any(x, y, during, overlaps),
                }
                .map_err(raised);
            }
        };
        (@$verb:ident $($shape:ident),+) => {};
    }
    phalanx::kernels!(each);
    match a {
        View::Plane(_) | View::HalfSpace(_) => Err(unbounded("a", a)),
        _ => Err(no_kernel("sweep", a, b)),
    }
}

/// Finds the nearest shapes of a store. Fails with a TypeError for shapes without distances, or without bounds in `a`.
pub fn nearest(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    radius: f32,
    nearest: &mut Nearest,
) -> PyResult<InvalidShapes> {
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(each!(@ $($shape),+);)*
        };
        (@ $one:ident, Plane) => { each!(@@ $one, Plane) };
        (@ $one:ident, HalfSpace) => { each!(@@ $one, HalfSpace) };
        (@ $one:ident) => { each!(@@ $one, $one) };
        (@ $one:ident, $other:ident) => {
            each!(@@ $one, $other);
            each!(@@ $other, $one);
        };
        (@@ $one:ident, $other:ident) => {
            if let (View::$one(x), View::$other(y)) = (a, b) {
                return detector.nearest(x, y, radius, nearest).map_err(raised);
            }
        };
    }
    phalanx::kernels!(distance: each);
    match a {
        View::Plane(_) | View::HalfSpace(_) => Err(unbounded("a", a)),
        _ => Err(no_kernel("distance", a, b)),
    }
}

fn unbounded(which: &str, view: &View<'_>) -> PyErr {
    PyTypeError::new_err(format!(
        "{which} is {}, which are unbounded and have no bounding boxes",
        view.stores()
    ))
}
