//! From the kinds of two stores to the kernel of a verb.

use phalanx::{
    Contacts, Detector, During, Error, Impacts, InvalidShapes, Overlaps, Pair, Pairs, Simd, Sweeps,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::raised;
use crate::stores::{Kind, View};

/// A question about pairs, with where its answers go.
pub enum Question<'o> {
    Overlap(&'o mut Overlaps),
    Sweep(&'o mut Sweeps),
    Contact(&'o mut Contacts),
    SweepContacts(&'o mut Sweeps, &'o mut Contacts),
    Impact(f32, &'o mut Impacts),
}

impl Question<'_> {
    /// The verb whose kernels answer it.
    fn verb(&self) -> &'static str {
        match self {
            Question::Overlap(_) => "overlap",
            Question::Sweep(_) => "sweep",
            Question::Contact(_) | Question::SweepContacts(..) => "contact",
            Question::Impact(..) => "impact",
        }
    }

    /// Answers it. Fails with a TypeError if there is no kernel.
    pub fn ask(
        self,
        detector: &mut Detector,
        a: &View<'_>,
        b: &View<'_>,
        pairs: Pairs<'_>,
    ) -> PyResult<()> {
        let verb = self.verb();
        let asked = match self {
            Question::Overlap(out) => overlap(detector, a, b, pairs, out),
            Question::Sweep(out) => sweep(detector, a, b, pairs, out),
            Question::Contact(out) => contact(detector, a, b, pairs, out),
            Question::SweepContacts(sweeps, contacts) => {
                sweep_contacts(detector, a, b, pairs, sweeps, contacts)
            }
            Question::Impact(tolerance, out) => impact(detector, a, b, pairs, tolerance, out),
        };
        match asked {
            Some(result) => result.map_err(raised),
            None => Err(no_kernel(verb, a, b)),
        }
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
    kernels
}

/// Every kernel: its verb, and the names of its two shapes.
#[pyfunction]
pub fn kernels() -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = phalanx::kernels!(named).into();
    kernels.extend(phalanx::kernels!(contact: named));
    kernels.extend(phalanx::kernels!(impact: named));
    kernels
}

/// The instruction sets of this CPU: the name of each, and its lanes.
#[pyfunction]
pub fn instruction_sets() -> Vec<(String, usize)> {
    Simd::available()
        .map(|simd| (simd.to_string(), simd.lanes()))
        .collect()
}

/// Asks a kernel if both views are of its shapes, in either order.
macro_rules! asked {
    (($a:ident, $b:ident) $one:ident; $x:ident, $y:ident => $call:expr) => {
        if let (View::$one($x), View::$one($y)) = ($a, $b) {
            return Some($call);
        }
    };
    (($a:ident, $b:ident) $one:ident, $other:ident; $x:ident, $y:ident => $call:expr) => {
        if let (View::$one($x), View::$other($y)) = ($a, $b) {
            return Some($call);
        }
        if let (View::$other($x), View::$one($y)) = ($a, $b) {
            return Some($call);
        }
    };
}

/// Whether there is such a kernel, its answer.
type Asked = Option<Result<(), Error>>;

fn overlap(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    pairs: Pairs<'_>,
    out: &mut Overlaps,
) -> Asked {
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => { $(each!(@$verb $($shape),+);)* };
        (@overlap $($shape:ident),+) => {
            asked!((a, b) $($shape),+; x, y => detector.overlap(x, y, pairs, out))
        };
        (@sweep $($shape:ident),+) => {};
    }
    phalanx::kernels!(each);
    None
}

fn sweep(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    pairs: Pairs<'_>,
    out: &mut Sweeps,
) -> Asked {
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => { $(each!(@$verb $($shape),+);)* };
        (@sweep $($shape:ident),+) => {
            asked!((a, b) $($shape),+; x, y => detector.sweep(x, y, pairs, out))
        };
        (@overlap $($shape:ident),+) => {};
    }
    phalanx::kernels!(each);
    None
}

fn contact(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    pairs: Pairs<'_>,
    out: &mut Contacts,
) -> Asked {
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(asked!((a, b) $($shape),+; x, y => detector.contact(x, y, pairs, out));)*
        };
    }
    phalanx::kernels!(contact: each);
    None
}

fn sweep_contacts(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    pairs: Pairs<'_>,
    sweeps: &mut Sweeps,
    contacts: &mut Contacts,
) -> Asked {
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(asked!((a, b) $($shape),+; x, y => detector.sweep_contacts(x, y, pairs, sweeps, contacts));)*
        };
    }
    phalanx::kernels!(contact: each);
    None
}

fn impact(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    pairs: Pairs<'_>,
    tolerance: f32,
    out: &mut Impacts,
) -> Asked {
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(asked!((a, b) $($shape),+; x, y => detector.impact(x, y, pairs, tolerance, out));)*
        };
    }
    phalanx::kernels!(impact: each);
    None
}

/// The pairs whose bounds overlap, and the numbers of invalid shapes. Fails with a TypeError for shapes that have none.
pub fn candidates(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    during: During,
) -> PyResult<(Vec<Pair>, InvalidShapes)> {
    let mut pairs = Vec::new();
    macro_rules! second {
        ($x:ident; $($shape:ident)*) => {
            match b {
                $(View::$shape(y) => detector.candidates($x, y, during, &mut pairs).map_err(raised)?,)*
                View::Plane(_) | View::HalfSpace(_) => return Err(unbounded("b", b)),
            }
        };
    }
    let invalid = match a {
        View::Point(x) => second!(x; Point Sphere Capsule Aabb Obb),
        View::Sphere(x) => second!(x; Point Sphere Capsule Aabb Obb),
        View::Capsule(x) => second!(x; Point Sphere Capsule Aabb Obb),
        View::Aabb(x) => second!(x; Point Sphere Capsule Aabb Obb),
        View::Obb(x) => second!(x; Point Sphere Capsule Aabb Obb),
        View::Plane(_) | View::HalfSpace(_) => return Err(unbounded("a", a)),
    };
    Ok((pairs, invalid))
}

fn unbounded(which: &str, view: &View<'_>) -> PyErr {
    PyTypeError::new_err(format!(
        "{which} is {}, which have no end, so that there are no bounds around them",
        view.stores()
    ))
}
