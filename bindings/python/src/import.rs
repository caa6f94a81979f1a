//! Columns of shapes from what exports Arrow, through the C data interface.
//!
//! Rows are found by offsets, without arrays of arrow-rs between: those of a struct within a sliced struct, as pyarrow
//! has them, cannot be made (apache/arrow-rs#7595).

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, Fields};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::columns::type_of;
use crate::interface::{Kept, Parts, check_array, check_schema};

fn failed(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn released() -> PyErr {
    PyValueError::new_err("the Arrow data have been taken already")
}

/// The type of an array, as far as it is read.
struct Read {
    data_type: DataType,
    /// The children that are read and the number of all children, if there are others.
    kept: Option<(Vec<usize>, usize)>,
}

/// The type of a schema, without the fields that the target ignores. Fails for any type that the store cannot be made of.
///
/// # Safety
///
/// The schema and the memory that it points to are valid.
unsafe fn type_of_schema(schema: &FFI_ArrowSchema, target: &Target<'_>) -> PyResult<Read> {
    // SAFETY: as the caller promises.
    unsafe { check_schema(schema) }?;
    let read = if target.ignores_extra && schema.format() == "+s" {
        let is_there = |name: &str| schema.children().any(|child| child.name() == Some(name));
        let names = names_read(target.arguments, is_there);
        let is_read = |name: &str| names.iter().any(|other| other == name);
        let (mut indices, mut fields, mut of) = (Vec::new(), Vec::new(), 0);
        for (index, child) in schema.children().enumerate() {
            of += 1;
            let Some(name) = child.name().filter(|name| is_read(name)) else {
                continue;
            };
            let data_type = DataType::try_from(child).map_err(failed)?;
            fields.push(Field::new(name, data_type, true));
            indices.push(index);
        }
        Read {
            data_type: DataType::Struct(fields.into()),
            kept: Some((indices, of)),
        }
    } else {
        Read {
            data_type: DataType::try_from(schema).map_err(failed)?,
            kept: None,
        }
    };
    // An empty array shows every type error, before any memory of the exporter is read.
    target.columns(&read.data_type, &ArrayData::new_empty(&read.data_type))?;
    Ok(read)
}

/// The memory of an array. Fails if its counts of children and buffers contradict the type.
///
/// # Safety
///
/// The array and the memory that it points to are valid, and of that type if the counts agree with it.
unsafe fn data_of(array: FFI_ArrowArray, read: &Read) -> PyResult<ArrayData> {
    let data_type = &read.data_type;
    let kept = read.kept.as_ref();
    let kept = kept.map(|&(ref indices, of)| Kept { indices, of });
    // SAFETY: as the caller promises.
    unsafe { check_array(&array, data_type, kept) }?;
    let (Some(kept), DataType::Struct(fields)) = (kept, data_type) else {
        // SAFETY: the counts agree with the type, so the caller promises that the array is of it.
        return unsafe { from_ffi_and_data_type(array, data_type.clone()) }.map_err(failed);
    };
    // SAFETY: `check_array` has accepted the array.
    let parts = unsafe { Parts::of(array, kept) }?;
    let mut children = Vec::new();
    for (child, field) in parts.children.into_iter().zip(fields) {
        // SAFETY: as above, for this child.
        let child = unsafe { from_ffi_and_data_type(child, field.data_type().clone()) };
        children.push(child.map_err(failed)?);
    }
    ArrayData::builder(data_type.clone())
        .len(parts.len)
        .offset(parts.offset)
        .nulls(parts.nulls)
        .child_data(children)
        .build()
        .map_err(failed)
}

/// The array that a Python value exports.
fn array(data: &Bound<'_, PyAny>, target: &Target<'_>) -> PyResult<(DataType, Vec<ArrayData>)> {
    let exported = data.call_method0(intern!(data.py(), "__arrow_c_array__"))?;
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = exported.extract()?;
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?;
    let array = array.pointer_checked(Some(c"arrow_array"))?;
    // SAFETY: a capsule of that name points to such a schema, which lives as long as the capsule, to the end of this
    // function.
    let schema = unsafe { schema.cast::<FFI_ArrowSchema>().as_ref() };
    // SAFETY: a capsule of that name points to such an array, which is moved out and marked as released, as the
    // interface says.
    let array = unsafe { FFI_ArrowArray::from_raw(array.cast().as_ptr()) };
    if schema.release().is_none() || array.is_released() {
        return Err(released());
    }
    // SAFETY: the schema is not released, so its memory is valid.
    let read = unsafe { type_of_schema(schema, target) }?;
    // SAFETY: the exporter promises that its array is valid, and of the type of its schema.
    let array = unsafe { data_of(array, &read) }?;
    Ok((read.data_type, vec![array]))
}

/// The exception for an error within a stream, with its text.
fn stream_failed(what: &str, stream: &mut FFI_ArrowArrayStream, code: i32) -> PyErr {
    let text = stream.get_last_error().and_then(|get_last_error| {
        // SAFETY: the stream is not released, and its last call failed.
        let text = unsafe { get_last_error(stream) };
        if text.is_null() {
            return None;
        }
        // SAFETY: a text that is not null is valid until the next call of the stream.
        Some(
            unsafe { CStr::from_ptr(text) }
                .to_string_lossy()
                .into_owned(),
        )
    });
    PyValueError::new_err(match text {
        Some(text) => format!("{what} of the Arrow stream failed: {text} (error {code})"),
        None => format!("{what} of the Arrow stream failed: error {code}"),
    })
}

/// The chunks that a Python value exports, and their type.
fn chunks(data: &Bound<'_, PyAny>, target: &Target<'_>) -> PyResult<(DataType, Vec<ArrayData>)> {
    let exported = data.call_method0(intern!(data.py(), "__arrow_c_stream__"))?;
    let capsule: Bound<'_, PyCapsule> = exported.extract()?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of that name points to such a stream, which is moved out and marked as released, as the
    // interface says.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.cast().as_ptr()) };
    let (Some(_), Some(get_schema), Some(get_next)) =
        (stream.release(), stream.get_schema(), stream.get_next())
    else {
        return Err(released());
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream is not released, so its functions may be called with it and a place for what they write.
    let code = unsafe { get_schema(&mut stream, &mut schema) };
    if code != 0 {
        return Err(stream_failed("the schema", &mut stream, code));
    }
    // SAFETY: the stream has made the schema, or it is empty.
    let read = unsafe { type_of_schema(&schema, target) }?;
    let mut chunks = Vec::new();
    loop {
        let mut chunk = FFI_ArrowArray::empty();
        // SAFETY: as for the schema.
        let code = unsafe { get_next(&mut stream, &mut chunk) };
        if code != 0 {
            let what = format!("chunk {}", chunks.len());
            return Err(stream_failed(&what, &mut stream, code));
        }
        if chunk.is_released() {
            return Ok((read.data_type, chunks));
        }
        // SAFETY: the exporter promises that its arrays are valid, and of the type of its schema.
        chunks.push(unsafe { data_of(chunk, &read) }?);
    }
}

/// The store that an import makes, and its arguments.
struct Target<'a> {
    stores: &'a str,
    arguments: &'a [(&'a str, usize)],
    ignores_extra: bool,
}

impl Target<'_> {
    /// The columns of an array.
    fn columns(
        &self,
        data_type: &DataType,
        array: &ArrayData,
    ) -> PyResult<Vec<Option<ScalarBuffer<f32>>>> {
        let DataType::Struct(fields) = data_type else {
            return Err(PyTypeError::new_err(format!(
                "{} are made of a struct array, not of {data_type}",
                self.stores
            )));
        };
        columns_of(self, fields, Rows::of(array))
    }
}

/// Whether fields that are not of the shape are ignored.
pub fn ignores(extra: &str) -> PyResult<bool> {
    match extra {
        "error" => Ok(false),
        "ignore" => Ok(true),
        _ => Err(PyValueError::new_err(format!(
            "extra is {extra:?}, not \"error\" or \"ignore\""
        ))),
    }
}

/// The columns of arguments, of which those of motion may be missing, chunks joined. Where there is a null, the first
/// is NaN.
pub fn columns(
    stores: &str,
    arguments: &[(&str, usize)],
    data: &Bound<'_, PyAny>,
    ignores_extra: bool,
) -> PyResult<Vec<Option<ScalarBuffer<f32>>>> {
    let py = data.py();
    let target = Target {
        stores,
        arguments,
        ignores_extra,
    };
    let (data_type, chunks) = if data.hasattr(intern!(py, "__arrow_c_array__"))? {
        array(data, &target)?
    } else if data.hasattr(intern!(py, "__arrow_c_stream__"))? {
        chunks(data, &target)?
    } else {
        return Err(PyTypeError::new_err(format!(
            "{stores} are made of what exports Arrow by __arrow_c_array__ or __arrow_c_stream__, not of {}",
            type_of(data)
        )));
    };
    match chunks.as_slice() {
        [] => target.columns(&data_type, &ArrayData::new_empty(&data_type)),
        [one] => target.columns(&data_type, one),
        many => {
            let columns = many.iter().map(|chunk| target.columns(&data_type, chunk));
            let many = columns.collect::<PyResult<Vec<_>>>()?;
            let joined = |k: usize| -> Option<ScalarBuffer<f32>> {
                let parts = many.iter().map(|columns| columns[k].as_deref());
                let parts = parts.collect::<Option<Vec<_>>>()?;
                Some(parts.concat().into())
            };
            Ok((0..many[0].len()).map(joined).collect())
        }
    }
}

/// Rows of an array.
#[derive(Clone, Copy)]
struct Rows<'a> {
    array: &'a ArrayData,
    /// The first, counted from where the array begins.
    first: usize,
    len: usize,
}

impl<'a> Rows<'a> {
    fn of(array: &'a ArrayData) -> Self {
        Rows {
            array,
            first: 0,
            len: array.len(),
        }
    }

    /// The validity of rows.
    fn nulls(&self) -> Option<NullBuffer> {
        let nulls = self.array.nulls()?;
        Some(nulls.slice(self.first, self.len))
    }

    /// The rows of a child that has `each` for each row.
    fn child(&self, index: usize, each: usize) -> PyResult<Rows<'a>> {
        let array = self.array.child_data().get(index);
        let rows = array.map(|array| Rows {
            array,
            first: (self.array.offset() + self.first) * each,
            len: self.len * each,
        });
        rows.filter(|rows| rows.first + rows.len <= rows.array.len())
            .ok_or_else(|| PyValueError::new_err("a child of the Arrow array is too short"))
    }
}

/// The axes of an argument that has several columns.
const AXES: [&str; 4] = ["x", "y", "z", "w"];

/// Names of the columns of three corners.
const CORNERS: [&str; 9] = ["ax", "ay", "az", "bx", "by", "bz", "cx", "cy", "cz"];

/// Names of the columns of an argument.
fn names(axes: usize) -> &'static [&'static str] {
    AXES.get(..axes).unwrap_or(&CORNERS)
}

/// Other names of the columns of an argument, those of SQL among them; empty if there are none.
fn short_names(argument: &str) -> &'static [&'static str] {
    match argument {
        "position" | "center" => &["x", "y", "z"],
        "radius" => &["r"],
        "half_axis" => &["ax", "ay", "az"],
        "half_extents" => &["hx", "hy", "hz"],
        "rotation" => &["qx", "qy", "qz", "qw"],
        "normal" => &["nx", "ny", "nz"],
        "size" => &["length", "width", "height"],
        "corners" => &CORNERS,
        "displacement" => &["dx", "dy", "dz"],
        _ => &[],
    }
}

/// The full names of the columns of an argument.
fn full_names(argument: &str, axes: usize) -> Vec<String> {
    if axes == 1 {
        return vec![argument.to_owned()];
    }
    let all = names(axes).iter().map(|axis| format!("{argument}_{axis}"));
    all.collect()
}

/// The names of the columns of an argument, of the fields that there are: full names win over short ones.
fn columns_read(argument: &str, axes: usize, is_there: impl Fn(&str) -> bool) -> Vec<String> {
    let (full, short) = (full_names(argument, axes), short_names(argument));
    let has_full = full.iter().any(|name| is_there(name));
    if !has_full && short.iter().any(|name| is_there(name)) {
        return short.iter().map(|name| (*name).to_owned()).collect();
    }
    full
}

/// The names of the fields that are read, of those that there are.
fn names_read(arguments: &[(&str, usize)], is_there: impl Fn(&str) -> bool) -> Vec<String> {
    let mut read = Vec::new();
    for &(name, axes) in arguments {
        if is_there(name) {
            read.push(name.to_owned());
        } else {
            read.extend(columns_read(name, axes, &is_there));
        }
    }
    read
}

/// The names of fields, as an error lists them.
fn listed(arguments: &[(&str, usize)]) -> String {
    let of_one = |&(name, axes): &(&str, usize)| {
        let full = full_names(name, axes).join(", ");
        match short_names(name) {
            [] => full,
            short => format!("{full} (or {})", short.join(", ")),
        }
    };
    let is_motion = |name: &str| matches!(name, "displacement" | "turn");
    let all = arguments.iter();
    let (motion, shape): (Vec<_>, Vec<_>) = all.partition(|argument| is_motion(argument.0));
    let joined = |all: Vec<_>| all.into_iter().map(of_one).collect::<Vec<_>>().join(", ");
    format!("{}; optional {}", joined(shape), joined(motion))
}

/// Numbers, and which of them are not null.
type Column = (ScalarBuffer<f32>, Option<NullBuffer>);

/// Takes fields by name, and remembers which.
struct FieldsOf<'a> {
    target: &'a Target<'a>,
    fields: &'a Fields,
    rows: Rows<'a>,
    taken: Vec<bool>,
}

impl<'a> FieldsOf<'a> {
    fn new(target: &'a Target<'a>, fields: &'a Fields, rows: Rows<'a>) -> Self {
        FieldsOf {
            target,
            fields,
            rows,
            taken: vec![false; fields.len()],
        }
    }

    fn take(&mut self, name: &str) -> PyResult<Option<Rows<'a>>> {
        let Some(index) = self.fields.iter().position(|it| it.name() == name) else {
            return Ok(None);
        };
        self.taken[index] = true;
        self.rows.child(index, 1).map(Some)
    }

    fn numbers(&self, name: &str, rows: Rows<'_>) -> PyResult<Column> {
        let (DataType::Float32, [buffer]) = (rows.array.data_type(), rows.array.buffers()) else {
            return Err(PyTypeError::new_err(format!(
                "{name} of {} has type {}, not float32: convert explicitly, because rounding moves shapes, for example \
                 by .cast(pyarrow.float32()) or .cast(polars.Float32)",
                self.target.stores,
                rows.array.data_type()
            )));
        };
        let first = rows.array.offset() + rows.first;
        let numbers = if rows.len == 0 {
            Vec::new().into()
        } else {
            ScalarBuffer::new(buffer.clone(), first, rows.len)
        };
        Ok((numbers, rows.nulls()))
    }

    /// The columns of an argument, if it is there.
    fn argument(&mut self, name: &str, axes: usize) -> PyResult<Option<Vec<Column>>> {
        if let Some(rows) = self.take(name)? {
            return self.of_one_field(name, axes, rows).map(Some);
        }
        let is_there = |name: &str| self.fields.find(name).is_some();
        let (mut columns, mut lacking) = (Vec::new(), None);
        for full in columns_read(name, axes, is_there) {
            match self.take(&full)? {
                Some(rows) => columns.push(self.numbers(&full, rows)?),
                None => lacking = lacking.or(Some(full)),
            }
        }
        match lacking {
            None => Ok(Some(columns)),
            Some(_) if columns.is_empty() => Ok(None),
            Some(full) => Err(missing(self.target, &full)),
        }
    }

    /// The columns of a field that has all numbers of an argument.
    fn of_one_field(&self, name: &str, axes: usize, rows: Rows<'_>) -> PyResult<Vec<Column>> {
        if axes == 1 {
            return Ok(vec![self.numbers(name, rows)?]);
        }
        match rows.array.data_type() {
            DataType::FixedSizeList(_, each) if *each != axes as i32 => {
                Err(PyTypeError::new_err(format!(
                    "{name} of {} has lists of {each}, not of {axes}",
                    self.target.stores
                )))
            }
            DataType::FixedSizeList(..) => {
                let (numbers, nulls) = self.numbers(name, rows.child(0, axes)?)?;
                let at = |k: usize| (0..rows.len).map(move |i| i * axes + k);
                let of_axis = |k: usize| {
                    let column = at(k).map(|place| numbers[place]).collect();
                    let own = nulls
                        .as_ref()
                        .map(|nulls| at(k).map(|place| nulls.is_valid(place)).collect());
                    (
                        column,
                        NullBuffer::union(own.as_ref(), rows.nulls().as_ref()),
                    )
                };
                Ok((0..axes).map(of_axis).collect())
            }
            DataType::Struct(inner) => {
                let mut fields = FieldsOf::new(self.target, inner, rows);
                let mut columns = Vec::new();
                for axis in names(axes) {
                    let full = format!("{name}.{axis}");
                    let Some(own) = fields.take(axis)? else {
                        return Err(missing(self.target, &full));
                    };
                    let (numbers, nulls) = fields.numbers(&full, own)?;
                    columns.push((
                        numbers,
                        NullBuffer::union(nulls.as_ref(), rows.nulls().as_ref()),
                    ));
                }
                if let Some(other) = fields.other() {
                    return Err(PyTypeError::new_err(format!(
                        "{name} of {} has no field {other:?}; it has {}",
                        self.target.stores,
                        names(axes).join(", ")
                    )));
                }
                Ok(columns)
            }
            other => Err(PyTypeError::new_err(format!(
                "{name} of {} has type {other}, not struct<{}: float32> or fixed_size_list<float32>[{axes}]",
                self.target.stores,
                names(axes).join(", "),
            ))),
        }
    }

    /// The first field that is not taken: a misspelled name would go unnoticed.
    fn other(&self) -> Option<&str> {
        let index = self.taken.iter().position(|taken| !taken)?;
        Some(self.fields[index].name())
    }
}

fn missing(target: &Target<'_>, field: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "{} lack the field {field:?}; they have {}",
        target.stores,
        listed(target.arguments)
    ))
}

fn columns_of(
    target: &Target<'_>,
    fields: &Fields,
    rows: Rows<'_>,
) -> PyResult<Vec<Option<ScalarBuffer<f32>>>> {
    let mut nulls = rows.nulls();
    let mut fields = FieldsOf::new(target, fields, rows);
    let mut columns = Vec::new();
    for &(name, axes) in target.arguments {
        match fields.argument(name, axes)? {
            Some(found) => {
                for (numbers, own) in found {
                    nulls = NullBuffer::union(nulls.as_ref(), own.as_ref());
                    columns.push(Some(numbers));
                }
            }
            None if name == "displacement" || name == "turn" => {
                columns.extend((0..axes).map(|_| None));
            }
            None => return Err(missing(target, name)),
        }
    }
    if let Some(other) = fields.other().filter(|_| !target.ignores_extra) {
        return Err(PyTypeError::new_err(format!(
            "{} have no field {other:?}: select the fields of the shape, or pass extra=\"ignore\"; they have {}",
            target.stores,
            listed(target.arguments)
        )));
    }
    if let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0)
        && let Some(Some(first)) = columns.first_mut()
    {
        let or_nan = |(x, is_valid): (&f32, bool)| if is_valid { *x } else { f32::NAN };
        *first = first.iter().zip(nulls.iter()).map(or_nan).collect();
    }
    Ok(columns)
}
