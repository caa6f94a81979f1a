//! `arrow_call`: a query of an engine, whose shapes and results are Arrow arrays.

use std::sync::LazyLock;

use phalanx::{Contacts, Distances, Impacts, Overlaps, Pair, Pairs, Sweeps};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::any_store::AnyBorrowed;
use crate::arrow_array::{ArrowArray, contacts, distances, impacts, overlaps, sweeps};
use crate::columns::rounded_up;
use crate::detector::Detector;
use crate::dispatch;
use crate::raised;
use crate::view::{Data, shapes};

macro_rules! any_data {
    ($($shape:ident, $stores:ident, $name:literal;)*) => {
        /// A store of any kind.
        enum AnyData {
            $($shape(Data<phalanx::$shape>),)*
        }

        impl AnyData {
            fn new(name: &str, data: &Bound<'_, PyAny>) -> PyResult<Self> {
                match name {
                    $($name => Data::of_arrow(data, "error").map(AnyData::$shape),)*
                    _ => Err(PyValueError::new_err(format!("there are no shapes of name {name:?}"))),
                }
            }

            fn lend<'py>(&'py self, py: Python<'py>) -> PyResult<(AnyBorrowed<'py>, usize)> {
                match self {
                    $(AnyData::$shape(data) => {
                        let lent = data.lend(py)?;
                        let len = lent.view()?.len();
                        Ok((AnyBorrowed::$shape(lent), len))
                    })*
                }
            }
        }
    };
}
shapes!(any_data);

/// A detector for calls of engines, which have threads of their own, and no margin.
static SERIAL: LazyLock<Detector> =
    LazyLock::new(|| Detector::like(phalanx::Detector::new().parallel(false)));

/// Row `i` of one array of shapes with row `i` of the other, or one row with all.
#[pyfunction]
#[pyo3(signature = (verb, first, second, a, b, *, margin = 0.0, tolerance = None))]
#[expect(clippy::too_many_arguments, reason = "as Python calls it, by name")]
pub fn arrow_call<'py>(
    py: Python<'py>,
    verb: &str,
    first: &str,
    second: &str,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    margin: f64,
    tolerance: Option<f64>,
) -> PyResult<ArrowArray> {
    let (a, b) = (AnyData::new(first, a)?, AnyData::new(second, b)?);
    let ((a, len_a), (b, len_b)) = (a.lend(py)?, b.lend(py)?);
    let list: Vec<Pair>;
    let pairs = match (len_a, len_b) {
        _ if len_a == len_b => Pairs::zip(),
        (1, _) => Pairs::one_to_all(0),
        (_, 1) => {
            list = (0..len_a as u32).map(|i| Pair::new(i, 0)).collect();
            list.as_slice().into()
        }
        _ => {
            return Err(PyValueError::new_err(format!(
                "a has {len_a} rows, but b has {len_b}"
            )));
        }
    };
    let own;
    let detector = if margin == 0.0 {
        &*SERIAL
    } else {
        let with_margin = phalanx::Detector::new().parallel(false);
        own = Detector::like(with_margin.margin(rounded_up(margin)).map_err(raised)?);
        &own
    };
    let (a, b) = (a.view()?, b.view()?);
    macro_rules! call {
        ($query:ident, $out:expr) => {
            py.detach(|| detector.with(|it| dispatch::call::<$query>(it, &a, &b, pairs, $out)))?
        };
    }
    match verb {
        "overlap" => {
            let mut out = Overlaps::new();
            call!(Overlaps, &mut out);
            overlaps(out)
        }
        "sweep" => {
            let mut out = Sweeps::new();
            call!(Sweeps, &mut out);
            sweeps(out)
        }
        "contact" => {
            let mut out = Contacts::new();
            call!(Contacts, &mut out);
            contacts(&out)
        }
        "impact" => {
            let tolerance =
                tolerance.ok_or_else(|| PyTypeError::new_err("an impact needs a tolerance"))?;
            let mut out = Impacts::new();
            call!(Impacts, (tolerance as f32, &mut out));
            impacts(out)
        }
        "distance" => {
            let mut out = Distances::new();
            call!(Distances, (&mut out, None));
            distances(out)
        }
        _ => Err(PyValueError::new_err(format!("there is no verb {verb:?}"))),
    }
}
