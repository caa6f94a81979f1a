//! Results as Arrow arrays, through the C data interface.

use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float32Array, ListArray, StructArray, UInt8Array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use phalanx::{Distances, Impacts, Overlaps, Sweeps};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

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

    /// A TypeError: libraries of Arrow have pickles.
    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "an ArrowArray is neither pickled nor copied: pass it to an Arrow library first, such as by pyarrow.array(it)",
        ))
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

/// The type of a point of a contact.
fn point_fields() -> Fields {
    let number = |name: &str| Field::new(name, DataType::Float32, true);
    let mut fields: Vec<Field> = ["x", "y", "z", "separation"].map(number).into();
    fields.push(Field::new("feature", DataType::UInt8, true));
    fields.into()
}

/// The points of the contacts as a list for each of `len` pairs, null for those without a contact.
fn points(contacts: &phalanx::Contacts, is_hit: &Option<NullBuffer>) -> PyResult<ArrayRef> {
    let mut counts = vec![0; contacts.len()];
    let mut numbers: [Vec<f32>; 4] = Default::default();
    let mut features = Vec::new();
    for contact in contacts {
        counts[contact.position] = contact.points().len();
        for point in contact.points() {
            let [x, y, z] = point.at;
            for (column, number) in numbers.iter_mut().zip([x, y, z, point.separation]) {
                column.push(number);
            }
            features.push(point.feature);
        }
    }
    let mut columns: Vec<ArrayRef> = Vec::new();
    for column in numbers {
        columns.push(Arc::new(Float32Array::from(column)));
    }
    columns.push(Arc::new(UInt8Array::from(features)));
    let points = StructArray::try_new(point_fields(), columns, None).map_err(failed)?;
    let item = Field::new("item", points.data_type().clone(), true);
    let ends = counts.iter().try_fold(0i32, |end, count| {
        i32::try_from(*count)
            .ok()
            .and_then(|count| end.checked_add(count))
    });
    if ends.is_none() {
        return Err(PyValueError::new_err(
            "the contacts have more than 2**31 - 1 points, the limit of an Arrow list",
        ));
    }
    let offsets = OffsetBuffer::from_lengths(counts);
    let lists = ListArray::try_new(Arc::new(item), offsets, Arc::new(points), is_hit.clone());
    Ok(Arc::new(lists.map_err(failed)?))
}

/// Contacts as an array of structs: hit, and the normal, the separation and the points of hits.
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
            ("points", points(contacts, &is_hit)?),
        ],
        nulls,
    )
}
