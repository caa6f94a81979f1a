//! From the kinds of two stores to the kernel of a verb.

use phalanx::query::{Query, SweepContacts};
use phalanx::{
    Contacts, Detector, Distances, During, Error, FirstHits, Impacts, InvalidShapes, Nearest,
    Neighbors, OrderedHits, Overlaps, Pair, Pairs, Point, Shapes, Simd, Sweeps,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::any_store::View;
use crate::raised;
use crate::view::Named;

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
        .filter(|kernel| kernel.verb == verb)
        .filter_map(|kernel| match kernel.stores {
            (x, y) if x == a => Some(y),
            (x, y) if y == a => Some(x),
            _ => None,
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

/// A kernel as Python names it.
struct Kernel {
    verb: &'static str,
    /// The stores of both sides.
    stores: (&'static str, &'static str),
    /// The names of both shapes in functions.
    names: (&'static str, &'static str),
}

impl Kernel {
    fn new<A: Named, B: Named>(verb: &'static str) -> Self {
        Kernel {
            verb,
            stores: (A::STORES, B::STORES),
            names: (A::NAME, B::NAME),
        }
    }
}

/// Lists the kernels of the index.
macro_rules! listed {
    ($($file:ident: $verb:ident($a:ident $(, $b:ident)?);)*) => {
        [$(listed!(@ stringify!($verb), $a $(, $b)?)),*]
    };
    (@ $verb:expr, $a:ident) => { Kernel::new::<phalanx::$a, phalanx::$a>($verb) };
    (@ $verb:expr, $a:ident, $b:ident) => { Kernel::new::<phalanx::$a, phalanx::$b>($verb) };
}

fn table() -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = phalanx::kernels!(listed).into();
    kernels.extend(phalanx::kernels!(contact: listed));
    kernels.extend(phalanx::kernels!(impact: listed));
    kernels.extend(phalanx::kernels!(distance: listed));
    // One line of the index stands for all verbs. Points have no impacts.
    for verb in ["overlap", "sweep", "contact", "impact", "distance"] {
        let hulls = phalanx::kernels!(hull: listed).into_iter();
        let hulls = hulls.filter(|kernel| verb != "impact" || kernel.names.0 != Point::NAME);
        kernels.extend(hulls.map(|kernel| Kernel { verb, ..kernel }));
    }
    kernels
}

/// Every kernel: its verb, and the names of its two shapes.
#[pyfunction]
pub fn kernels() -> Vec<(&'static str, &'static str, &'static str)> {
    let kernels = table().into_iter();
    kernels
        .map(|Kernel { verb, names, .. }| (verb, names.0, names.1))
        .collect()
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
                            return Some(detector.query::<$query, _, _>(&x.view(), &y.view(), pairs, out));
                        }
                    };
                    (@$other:ident $d($shape:ident),+) => {};
                }
                phalanx::kernels!($($list:)? each);
                // One line of the index stands for all verbs.
                macro_rules! hulls {
                    ($d($file:ident: $kind:ident($d($shape:ident),+);)*) => {
                        $d(hulls!(@$name $d($shape),+);)*
                    };
                    (@impact Point, $other:ident) => {};
                    (@$verb:ident $d($shape:ident),+) => { each!(@$verb $d($shape),+) };
                }
                phalanx::kernels!(hull: hulls);
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

/// Replaces `pairs` by those whose bounds overlap. Fails with a TypeError for shapes without bounds.
pub fn candidates(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    during: During,
    pairs: &mut Vec<Pair>,
) -> PyResult<Result<InvalidShapes, Error>> {
    macro_rules! second {
        ($x:expr; $($shape:ident)*) => {
            match b {
                $(View::$shape(y) => Ok(detector.candidates($x, y, during, pairs)),)*
                View::PlacedHull(y) => Ok(detector.candidates($x, &y.boxes(), during, pairs)),
                View::Plane(_) | View::HalfSpace(_) => Err(unbounded("b", b)),
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
        // The bounds of hulls are those of the boxes around them.
        View::PlacedHull(x) => second!(&x.boxes(); Point Sphere Capsule Aabb Obb Triangle),
        View::Plane(_) | View::HalfSpace(_) => Err(unbounded("a", a)),
    }
}

/// A search of a whole store.
pub enum Search<'o> {
    /// First hits, in a first or a further store.
    First(&'o mut FirstHits, bool),
    /// Whether each shape touches any.
    Any(During, &'o mut Overlaps),
    /// So many hits of each shape.
    Ordered(usize, &'o mut OrderedHits),
}

/// A search for near shapes.
pub enum Near<'o> {
    Nearest(&'o mut Nearest),
    /// So many of each shape.
    Neighbors(usize, &'o mut Neighbors),
}

/// Searches a store. Fails with a TypeError for shapes without sweeps, or without bounds in `a`.
pub fn search(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    search: Search<'_>,
) -> PyResult<Result<InvalidShapes, Error>> {
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
                let (x, y) = (&x.view(), &y.view());
                return Ok(match search {
                    Search::First(firsts, false) => detector.first_hits(x, y, firsts),
                    Search::First(firsts, true) => detector.nearer_hits(x, y, firsts),
                    Search::Any(during, overlaps) => detector.meets_any(x, y, during, overlaps),
                    Search::Ordered(most, hits) => detector.ordered_hits(x, y, most, hits),
                });
            }
        };
        // The kernels of hulls, of all verbs.
        (@bounded $($shape:ident),+) => { each!(@sweep $($shape),+) };
        (@unbounded $($shape:ident),+) => { each!(@sweep $($shape),+) };
        (@$verb:ident $($shape:ident),+) => {};
    }
    phalanx::kernels!(each);
    phalanx::kernels!(hull: each);
    match a {
        View::Plane(_) | View::HalfSpace(_) => Err(unbounded("a", a)),
        _ => Err(no_kernel("sweep", a, b)),
    }
}

/// Finds the contacts of first hits in a store, of this number in its search. Fails with a TypeError for shapes without
/// contacts.
pub fn hit_contacts(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    (firsts, store): (&FirstHits, u8),
    contacts: &mut Contacts,
) -> PyResult<()> {
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(each!(@ $($shape),+);)*
        };
        (@ $one:ident) => { each!(@@ $one, $one) };
        (@ $one:ident, $other:ident) => {
            each!(@@ $one, $other);
            each!(@@ $other, $one);
        };
        (@@ $one:ident, $other:ident) => {
            if let (View::$one(x), View::$other(y)) = (a, b) {
                let found = detector.hit_contacts(&x.view(), &y.view(), firsts, store, contacts);
                return found.map_err(raised);
            }
        };
    }
    phalanx::kernels!(contact: each);
    phalanx::kernels!(hull: each);
    Err(no_kernel("contact", a, b))
}

/// Finds the nearest shapes of a store. Fails with a TypeError for shapes without distances, or without bounds in `a`.
pub fn nearest(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    radius: f32,
    near: Near<'_>,
) -> PyResult<Result<InvalidShapes, Error>> {
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
                let (x, y) = (&x.view(), &y.view());
                return Ok(match near {
                    Near::Nearest(nearest) => detector.nearest(x, y, radius, nearest),
                    Near::Neighbors(most, near) => detector.neighbors(x, y, radius, most, near),
                });
            }
        };
    }
    phalanx::kernels!(distance: each);
    phalanx::kernels!(hull: each);
    match a {
        View::Plane(_) | View::HalfSpace(_) => Err(unbounded("a", a)),
        _ => Err(no_kernel("distance", a, b)),
    }
}

/// Builds what queries of a store at rest would build in later calls. Returns its bytes.
pub fn prepare(detector: &mut Detector, a: &View<'_>) -> PyResult<usize> {
    let built = match a {
        View::Point(points) => detector.prepare(points),
        View::Sphere(spheres) => detector.prepare(spheres),
        View::Capsule(capsules) => detector.prepare(capsules),
        View::Aabb(boxes) => detector.prepare(boxes),
        View::Obb(boxes) => detector.prepare(boxes),
        View::Triangle(triangles) => detector.prepare(triangles),
        View::PlacedHull(hulls) => detector.prepare(*hulls),
        View::Plane(_) | View::HalfSpace(_) => return Err(unbounded("a", a)),
    };
    Ok(built.bytes())
}

fn unbounded(which: &str, view: &View<'_>) -> PyErr {
    PyTypeError::new_err(format!(
        "{which} is {}, which are unbounded and have no bounding boxes",
        view.stores()
    ))
}
