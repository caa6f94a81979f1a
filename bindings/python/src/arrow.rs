//! Shapes and answers as Arrow arrays, through the C data interface.

use std::sync::{Arc, LazyLock};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array, ArrayRef, BooleanArray, Float32Array, StructArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_schema::{ArrowError, Field, Fields};
use phalanx::{Contacts, Distances, Impacts, Overlaps, Pair, Pairs, Sweeps};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::columns::rounded_up;
use crate::detector::Detector;
use crate::dispatch;
use crate::raised;
use crate::stores::{AnyBorrowed, Data, shapes};

/// An Arrow array, for anything that imports by `__arrow_c_array__`: pyarrow, Polars, DataFusion, nanoarrow.
#[pyclass(frozen, module = "phalanx")]
pub struct ArrowArray(ArrayRef);

#[pymethods]
impl ArrowArray {
    /// The capsules of the schema and of the array, without a copy. No other schema is made on request.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The interface leaves it to the exporter.
        drop(requested_schema);
        let array = FFI_ArrowArray::new(&self.0.to_data());
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        Ok((self.__arrow_c_schema__(py)?, array))
    }

    /// The capsule of the schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let field = Field::new("", self.0.data_type().clone(), true);
        let schema = FFI_ArrowSchema::try_from(&field).map_err(failed)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Number of nulls: pairs with a null or an invalid shape.
    #[getter]
    fn null_count(&self) -> usize {
        self.0.null_count()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<phalanx.ArrowArray of {}, {} long, {} null>",
            self.0.data_type(),
            self.0.len(),
            self.0.null_count()
        )
    }
}

fn failed(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Bits as Arrow has them.
fn bits(words: Vec<u64>, len: usize) -> BooleanBuffer {
    BooleanBuffer::new(Buffer::from_vec(words), 0, len)
}

/// The validity of results; `None` if all are valid.
fn known(invalid: Vec<u64>, len: usize) -> Option<NullBuffer> {
    if invalid.iter().all(|word| *word == 0) {
        return None;
    }
    Some(NullBuffer::new(!&bits(invalid, len)))
}

fn of_fields(columns: Vec<(&str, ArrayRef)>, nulls: Option<NullBuffer>) -> PyResult<ArrowArray> {
    let (fields, arrays): (Vec<_>, Vec<_>) = columns
        .into_iter()
        .map(|(name, array)| (Field::new(name, array.data_type().clone(), true), array))
        .unzip();
    let array = StructArray::try_new(Fields::from(fields), arrays, nulls).map_err(failed)?;
    Ok(ArrowArray(Arc::new(array)))
}

/// Overlaps as an array of booleans.
pub fn overlaps(overlaps: Overlaps) -> PyResult<ArrowArray> {
    let len = overlaps.len();
    let words = overlaps.into_words();
    let array = BooleanArray::new(bits(words.hits, len), known(words.invalid, len));
    Ok(ArrowArray(Arc::new(array)))
}

/// Sweeps as an array of structs: hit, enter and exit.
pub fn sweeps(sweeps: Sweeps) -> PyResult<ArrowArray> {
    let len = sweeps.len();
    let columns = sweeps.into_columns();
    let nulls = known(columns.invalid, len);
    // Engines differ in whether a field of a null struct is null, so it is made so.
    let numbers = |column: Vec<f32>| -> ArrayRef {
        Arc::new(Float32Array::new(column.into(), nulls.clone()))
    };
    let hit = BooleanArray::new(bits(columns.hits, len), nulls.clone());
    of_fields(
        vec![
            ("hit", Arc::new(hit)),
            ("enter", numbers(columns.enter)),
            ("exit", numbers(columns.exit)),
        ],
        nulls.clone(),
    )
}

/// Impacts as an array of structs: hit, time and settled.
pub fn impacts(impacts: Impacts) -> PyResult<ArrowArray> {
    let len = impacts.len();
    let columns = impacts.into_columns();
    let nulls = known(columns.invalid, len);
    let hit = BooleanArray::new(bits(columns.hits, len), nulls.clone());
    let time = Float32Array::new(columns.time.into(), nulls.clone());
    let settled = BooleanArray::new(!&bits(columns.unsettled, len), nulls.clone());
    of_fields(
        vec![
            ("hit", Arc::new(hit)),
            ("time", Arc::new(time)),
            ("settled", Arc::new(settled)),
        ],
        nulls,
    )
}

/// Distances as an array of structs: lower, upper and settled.
pub fn distances(distances: Distances) -> PyResult<ArrowArray> {
    let len = distances.len();
    let columns = distances.into_columns();
    let nulls = known(columns.invalid, len);
    let numbers = |column: Vec<f32>| -> ArrayRef {
        Arc::new(Float32Array::new(column.into(), nulls.clone()))
    };
    let settled = BooleanArray::new(!&bits(columns.unsettled, len), nulls.clone());
    of_fields(
        vec![
            ("lower", numbers(columns.lower)),
            ("upper", numbers(columns.upper)),
            ("settled", Arc::new(settled)),
        ],
        nulls.clone(),
    )
}

/// Contacts as an array of structs: hit, and the normal and the separation of hits.
pub fn contacts(contacts: &phalanx::Contacts) -> PyResult<ArrowArray> {
    let len = contacts.len();
    let words = contacts.words().to_vec();
    let hits = bits(words, len);
    let nulls = known(contacts.invalid_words().to_vec(), len);
    let is_hit = Some(NullBuffer::new(hits.clone()));
    let spread = |column: &[f32]| -> ArrayRef {
        let mut all = vec![0.0; len];
        for (&position, &x) in contacts.positions().iter().zip(column) {
            all[position as usize] = x;
        }
        Arc::new(Float32Array::new(all.into(), is_hit.clone()))
    };
    let [x, y, z] = contacts.normal().map(spread);
    let hit = BooleanArray::new(hits.clone(), nulls.clone());
    of_fields(
        vec![
            ("hit", Arc::new(hit)),
            ("normal_x", x),
            ("normal_y", y),
            ("normal_z", z),
            ("separation", spread(contacts.separation())),
        ],
        nulls,
    )
}

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
