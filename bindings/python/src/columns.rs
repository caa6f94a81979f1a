//! Columns of numbers from Python values, and the checks that they are what a store can read.

use arrow_buffer::ScalarBuffer;
use numpy::{
    Element, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// A column that a store holds.
pub enum Column {
    /// No numbers: nothing moves, or nothing turns.
    Empty,
    /// A numpy array, which the store keeps alive. Python may change its dtype, shape and memory between calls, so each
    /// call checks them.
    Numpy(Py<PyUntypedArray>),
    /// Memory of an Arrow array, or of the store alone.
    Buffer(ScalarBuffer<f32>),
}

impl Column {
    /// Lends the numbers to a call. Fails if the numpy array is no longer a column of float32; the error has its name.
    pub fn lend<'py>(
        &'py self,
        py: Python<'py>,
        name: impl FnOnce() -> String,
    ) -> PyResult<&'py [f32]> {
        match self {
            Column::Empty => Ok(&[]),
            Column::Numpy(array) => checked_again(array.bind(py), name),
            Column::Buffer(numbers) => Ok(numbers),
        }
    }
}

/// The numbers of the array of a view. Fails if its dtype, shape or layout no longer fits.
fn checked_again<'a>(
    array: &'a Bound<'_, PyUntypedArray>,
    name: impl FnOnce() -> String,
) -> PyResult<&'a [f32]> {
    let Ok(column) = array.cast::<PyArray1<f32>>() else {
        let (name, dtype) = (name(), array.dtype());
        return Err(if dtype.is_equiv_to(&f32::get_dtype(array.py())) {
            PyValueError::new_err(format!(
                "{name} has shape {} now, not one number for each shape",
                shape_of(array)
            ))
        } else {
            PyTypeError::new_err(format!(
                "{name} has dtype {dtype} now, not float32 as when the store was made"
            ))
        });
    };
    // SAFETY: the array is of float32 now, and `as_slice` checks its layout. The store keeps the array alive, and no thread
    // may write or resize it during a call. Its dtype and shape may change: the slice has its own.
    unsafe { column.as_slice() }.map_err(|_| {
        PyValueError::new_err(format!(
            "{} is no longer contiguous and aligned in memory",
            name()
        ))
    })
}

/// The name of column `k` of an argument that has `axes` columns.
pub fn column_name(argument: &str, axes: usize, k: usize) -> String {
    match axes {
        1 => argument.to_owned(),
        _ => format!("{argument}[{k}]"),
    }
}

/// The columns of one argument of a store.
pub struct Argument {
    pub name: &'static str,
    pub columns: Vec<Part>,
    /// Whether the numbers had to be copied.
    pub is_copy: bool,
}

/// A column of an argument.
pub enum Part {
    /// A number for each shape.
    Column(Column, usize),
    /// One number for all shapes.
    Same(f32),
}

impl Argument {
    /// The columns of a value that has `axes` numbers for each shape.
    pub fn new(name: &'static str, axes: usize, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(parts) = value.cast::<PyTuple>()
            && axes > 1
        {
            if parts.len() != axes {
                return Err(PyValueError::new_err(format!(
                    "{name} is a tuple of {}, not of {axes} columns",
                    parts.len()
                )));
            }
            let columns = parts
                .iter()
                .enumerate()
                .map(|(k, part)| Part::new(&format!("{name}[{k}]"), &part))
                .collect::<PyResult<_>>()?;
            return Ok(Argument {
                name,
                columns,
                is_copy: false,
            });
        }
        if axes == 1 && !value.is_instance_of::<PyList>() {
            let columns = vec![Part::new(name, &flattened(value)?)?];
            return Ok(Argument {
                name,
                columns,
                is_copy: false,
            });
        }
        let array = as_copied_array(name, value)?;
        if axes == 1 {
            let array = flattened(&array)?.cast_into::<PyUntypedArray>()?;
            let column = one_dimensional(name, &array)?;
            let numbers: Vec<f32> = column.readonly().as_array().iter().copied().collect();
            let len = numbers.len();
            return Ok(Argument {
                name,
                columns: vec![Part::Column(Column::Buffer(numbers.into()), len)],
                is_copy: true,
            });
        }
        // Three corners of three coordinates are nine columns.
        let array = match *array.shape() {
            [len, 3, 3] if axes == 9 => {
                let flat = array.call_method1("reshape", ((len, axes),))?;
                aligned(flat.cast_into::<PyUntypedArray>()?)?
            }
            _ => array,
        };
        let shape = array.shape().to_vec();
        let rows = match array.cast::<PyArray2<f32>>() {
            Ok(rows) if shape[1] == axes => rows,
            _ if array.len() == 0 => {
                return Ok(Argument {
                    name,
                    columns: (0..axes)
                        .map(|_| Part::Column(Column::Buffer(Vec::new().into()), 0))
                        .collect(),
                    is_copy: true,
                });
            }
            _ => {
                let hint = if shape == [axes] {
                    format!("for the same in all rows, pass a tuple of {axes} numbers")
                } else {
                    format!("a tuple of {axes} 1-D arrays is used without a copy")
                };
                return Err(PyValueError::new_err(format!(
                    "{name} has shape {}, not (n, {axes}); {hint}",
                    shape_of(&array)
                )));
            }
        };
        let rows = rows
            .try_readonly()
            .map_err(|error| PyValueError::new_err(format!("{name}: {error}")))?;
        let view = rows.as_array();
        let columns = (0..axes)
            .map(|k| {
                let numbers: Vec<f32> = view.column(k).iter().copied().collect();
                Part::Column(Column::Buffer(numbers.into()), shape[0])
            })
            .collect();
        Ok(Argument {
            name,
            columns,
            is_copy: true,
        })
    }
}

/// The number of shapes that the arguments of a call are for.
#[derive(Default)]
pub struct Count(Option<(String, usize)>);

impl Count {
    /// Adds a column that has a number for each of `len` shapes. Fails if another one is for more or fewer.
    pub fn add(&mut self, name: String, len: usize) -> PyResult<()> {
        match &self.0 {
            None => self.0 = Some((name, len)),
            Some((other, expected)) if *expected != len => {
                return Err(PyValueError::new_err(format!(
                    "{name} is for {len} shapes, but {other} for {expected}"
                )));
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// The number; `None` if each argument is the same for all shapes.
    pub fn get(&self) -> Option<usize> {
        Some(self.0.as_ref()?.1)
    }
}

impl Argument {
    /// Adds the columns to the count of a call.
    pub fn count(&self, count: &mut Count) -> PyResult<()> {
        for (k, part) in self.columns.iter().enumerate() {
            let Part::Column(_, len) = part else { continue };
            let name = match self.columns.len() {
                _ if self.is_copy => self.name.to_owned(),
                axes => column_name(self.name, axes, k),
            };
            count.add(name, *len)?;
        }
        Ok(())
    }

    /// Quaternions w, x, y, z as columns x, y, z, w.
    pub fn of_wxyz(rotation: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut rotation = Argument::new("rotation", 4, rotation)?;
        // Lengths are compared under the indices of the caller.
        rotation.count(&mut Count::default())?;
        rotation.columns.rotate_left(1);
        Ok(rotation)
    }

    /// Columns of a table, to copy; None if there are none.
    pub fn of_columns(
        name: &'static str,
        columns: impl Iterator<Item = Option<ScalarBuffer<f32>>>,
    ) -> Option<Self> {
        let part = |numbers: ScalarBuffer<f32>| {
            let len = numbers.len();
            Part::Column(Column::Buffer(numbers), len)
        };
        // Takes all columns, also behind one that is missing.
        let columns: Vec<_> = columns.map(|column| column.map(part)).collect();
        Some(Argument {
            name,
            columns: columns.into_iter().collect::<Option<_>>()?,
            is_copy: true,
        })
    }
}

/// The numbers of a part, copied.
pub enum Numbers {
    Each(Vec<f32>),
    Same(f32),
}

impl Numbers {
    /// The sums with others, rounded once.
    pub fn plus(&self, other: &Numbers) -> PyResult<Part> {
        let sum = |x: f32, y: f32| (f64::from(x) + f64::from(y)) as f32;
        let sums: Vec<f32> = match (self, other) {
            (Numbers::Same(x), Numbers::Same(y)) => return Ok(Part::Same(sum(*x, *y))),
            (Numbers::Each(all), Numbers::Same(y)) => all.iter().map(|x| sum(*x, *y)).collect(),
            (Numbers::Same(x), Numbers::Each(all)) => all.iter().map(|y| sum(*x, *y)).collect(),
            (Numbers::Each(x), Numbers::Each(y)) if x.len() != y.len() => {
                return Err(PyValueError::new_err(format!(
                    "size is for {} shapes, but center for {}",
                    y.len(),
                    x.len()
                )));
            }
            (Numbers::Each(x), Numbers::Each(y)) => {
                x.iter().zip(y).map(|(x, y)| sum(*x, *y)).collect()
            }
        };
        let len = sums.len();
        Ok(Part::Column(Column::Buffer(sums.into()), len))
    }
}

impl Part {
    /// A copy of the numbers.
    pub fn numbers(&self, py: Python<'_>, name: &str) -> PyResult<Numbers> {
        Ok(match self {
            Part::Same(x) => Numbers::Same(*x),
            Part::Column(column, _) => Numbers::Each(column.lend(py, || name.to_owned())?.to_vec()),
        })
    }

    fn new(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if !value.hasattr(intern!(value.py(), "__len__"))? {
            return value
                .extract::<f64>()
                .map(|x| Part::Same(x as f32))
                .map_err(|_| {
                    PyTypeError::new_err(format!(
                        "{name} is of type {}, not a 1-D float32 array or a number",
                        type_of(value)
                    ))
                });
        }
        if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            return Err(PyTypeError::new_err(format!(
                "{name} is of type {}, not a 1-D float32 array or a number",
                type_of(value)
            )));
        }
        let array = as_array(name, value)?;
        if array.ndim() == 0 {
            return Ok(Part::Same(array.extract::<f64>()? as f32));
        }
        let column = one_dimensional(name, &array)?;
        let len = column.len();
        let is_aligned = column.is_aligned();
        if !column.is_c_contiguous() || !is_aligned {
            let lacking = if is_aligned { "contiguous" } else { "aligned" };
            return Err(PyValueError::new_err(format!(
                "{name} is not {lacking} in memory, and a column is read in place: pass a numpy.copy of it, or an array \
                 (n, 3) of all columns, which is copied"
            )));
        }
        Ok(Part::Column(Column::Numpy(array.unbind()), len))
    }
}

/// A value for a copy: in a tuple of columns, those with gaps in memory are copied.
pub fn without_gaps<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let Ok(columns) = value.cast::<PyTuple>() else {
        return Ok(value.clone());
    };
    let numpy = py.import(intern!(py, "numpy"))?;
    let mut whole = Vec::with_capacity(columns.len());
    for column in columns.iter() {
        let array = column.cast::<PyUntypedArray>();
        let has_gaps = array.is_ok_and(|it| it.ndim() == 1 && !it.is_c_contiguous());
        whole.push(if has_gaps {
            numpy.call_method1(intern!(py, "ascontiguousarray"), (column,))?
        } else {
            column
        });
    }
    PyTuple::new(py, whole).map(Bound::into_any)
}

/// Angles in radians.
pub enum Angles {
    /// An angle for each shape.
    Each(Vec<f64>),
    /// One angle for all shapes.
    Same(f64),
}

impl Angles {
    /// The angles of a value of any real dtype.
    pub fn new(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = value.py();
        let array = as_numpy(name, value, UNMASK_COLUMN)?;
        if !matches!(array.dtype().kind(), b'f' | b'i' | b'u') {
            return Err(PyTypeError::new_err(format!(
                "{name} has dtype {}, not float64, float32 or an integer",
                array.dtype()
            )));
        }
        let array = array.call_method1(intern!(py, "astype"), (f64::get_dtype(py),))?;
        // A subclass may return anything.
        let array = aligned(array.cast_into::<PyUntypedArray>()?)?;
        if array.ndim() == 0 {
            return Ok(Angles::Same(array.extract::<f64>()?));
        }
        let column = array.cast::<PyArray1<f64>>().map_err(|_| {
            PyValueError::new_err(format!(
                "{name} has shape {}, not one number for each shape",
                shape_of(&array)
            ))
        })?;
        let column = column
            .try_readonly()
            .map_err(|error| PyValueError::new_err(format!("{name}: {error}")))?;
        Ok(Angles::Each(column.as_array().iter().copied().collect()))
    }

    /// The angles of an argument.
    pub fn of(py: Python<'_>, argument: &Argument) -> PyResult<Self> {
        let mut all = Vec::new();
        for part in &argument.columns {
            match part.numbers(py, argument.name)? {
                Numbers::Same(angle) => return Ok(Angles::Same(f64::from(angle))),
                Numbers::Each(angles) => all.extend(angles.into_iter().map(f64::from)),
            }
        }
        Ok(Angles::Each(all))
    }

    /// A number for each angle.
    pub fn map(&self, of: impl Fn(f64) -> f64) -> Part {
        match self {
            Angles::Same(angle) => Part::Same(of(*angle) as f32),
            Angles::Each(angles) => {
                let numbers: Vec<f32> = angles.iter().map(|angle| of(*angle) as f32).collect();
                let len = numbers.len();
                Part::Column(Column::Buffer(numbers.into()), len)
            }
        }
    }
}

impl Part {
    /// The halves of the numbers.
    pub fn halved(self, py: Python<'_>, name: &str) -> PyResult<Self> {
        Ok(match self {
            Part::Same(x) => Part::Same(0.5 * x),
            Part::Column(column, _) => {
                let numbers = column.lend(py, || name.to_owned())?;
                let halves: Vec<f32> = numbers.iter().map(|x| 0.5 * x).collect();
                let len = halves.len();
                Part::Column(Column::Buffer(halves.into()), len)
            }
        })
    }
}

/// A column (n, 1) as one (n,), where it is without a copy if it is contiguous. Other values are unchanged.
fn flattened<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match value.cast::<PyUntypedArray>().ok().map(|it| it.shape()) {
        Some(&[len, 1]) => value.call_method1(intern!(value.py(), "reshape"), (len,)),
        _ => Ok(value.clone()),
    }
}

/// A value as a numpy array of numbers that are `f32`.
fn as_array<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let array = as_numpy(name, value, UNMASK_COLUMN)?;
    if array.dtype().is_equiv_to(&f32::get_dtype(value.py())) {
        return Ok(array);
    }
    Err(not_float32(name, &array)?)
}

/// The error for an array whose numbers are not `f32`: why they are not converted, and how to convert them.
fn not_float32(name: &str, array: &Bound<'_, PyUntypedArray>) -> PyResult<PyErr> {
    let cure = match array.dtype().kind() {
        b'O' => {
            "of a nullable column pass .to_numpy(numpy.float32, na_value=numpy.nan), whose nulls are then invalid shapes"
        }
        b'V' => {
            "stack the fields of a structured array, for example by numpy.stack([cloud[\"x\"], cloud[\"y\"], cloud[\"z\"]], axis=1)"
        }
        b'f' | b'i' | b'u' if is_exact(array)? => {
            "a column is read in place, so convert a copy of it, by .astype(numpy.float32)"
        }
        _ => {
            "convert explicitly, because rounding moves shapes, for example by .astype(numpy.float32)"
        }
    };
    Ok(PyTypeError::new_err(format!(
        "{name} has dtype {}, not float32: {cure}",
        array.dtype()
    )))
}

/// Whether each number of this dtype is a number of float32, in this or the other order of bytes.
fn is_exact(array: &Bound<'_, PyUntypedArray>) -> PyResult<bool> {
    let py = array.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let can_cast = numpy.getattr(intern!(py, "can_cast"))?;
    can_cast
        .call1((array.dtype(), f32::get_dtype(py)))?
        .extract()
}

/// A value as an aligned numpy array of float32, for what is copied: numbers of Python are rounded, arrays of other dtypes are
/// converted only where that rounds nothing.
pub fn as_copied_array<'py>(
    name: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = value.py();
    let array = as_numpy(name, value, UNMASK_COLUMN)?;
    let (dtype, single) = (array.dtype(), f32::get_dtype(py));
    if dtype.is_equiv_to(&single) {
        return aligned(array);
    }
    let is_real = matches!(dtype.kind(), b'f' | b'i' | b'u');
    let may_convert = match is_of_python_numbers(value) {
        true => is_real || array.len() == 0,
        false => is_real && is_exact(&array)?,
    };
    if !may_convert {
        return Err(not_float32(name, &array)?);
    }
    let converted = array.call_method1(intern!(py, "astype"), (single,))?;
    // A subclass may return anything.
    aligned(converted.cast_into::<PyUntypedArray>()?)
}

/// A number of Python as the nearest float32 that is not below it: a margin or a radius that loses nothing.
pub fn rounded_up(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) < x {
        nearest.next_up()
    } else {
        nearest
    }
}

/// Advice for the numbers of a masked column.
pub const UNMASK_COLUMN: &str = "fill it first, for example by .filled(numpy.nan)";

/// A value as a numpy array of any kind. A masked array is a TypeError with its `cure`: its mask would be lost.
pub fn as_numpy<'py>(
    name: &str,
    value: &Bound<'py, PyAny>,
    cure: &str,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let masked = |verb: &str| {
        Err(PyTypeError::new_err(format!(
            "{name} {verb} a numpy.ma.MaskedArray, whose mask would be lost: {cure}"
        )))
    };
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        if is_masked(value)? {
            return masked("is");
        }
        return Ok(array.clone());
    }
    if holds_masked(value, NESTED)? {
        return masked("contains");
    }
    let py = value.py();
    let refused = |error: PyErr| {
        let refused = PyTypeError::new_err(format!(
            "{name} is of type {}, which numpy makes no array of",
            type_of(value)
        ));
        refused.set_cause(py, Some(error));
        refused
    };
    let numpy = py.import(intern!(py, "numpy"))?;
    // Unlike asarray, this keeps the masks of what `__array__` returns.
    let array = numpy
        .call_method1(intern!(py, "asanyarray"), (value,))
        .map_err(refused)?;
    if is_masked(&array)? {
        return masked("is");
    }
    Ok(array.cast_into()?)
}

/// The levels of lists that are searched for masked arrays: rows, and their numbers.
const NESTED: usize = 2;

/// Whether a value is a numpy.ma.MaskedArray.
fn is_masked(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = value.py();
    if value.is_exact_instance_of::<PyUntypedArray>() || !value.is_instance_of::<PyUntypedArray>() {
        return Ok(false);
    }
    let masked = py
        .import(intern!(py, "numpy.ma"))?
        .getattr(intern!(py, "MaskedArray"))?;
    value.is_instance(&masked)
}

/// Whether a list or tuple has a masked array in it.
fn holds_masked(value: &Bound<'_, PyAny>, levels: usize) -> PyResult<bool> {
    if !value.is_instance_of::<PyList>() && !value.is_instance_of::<PyTuple>() {
        return Ok(false);
    }
    for item in value.try_iter()? {
        let item = item?;
        if is_masked(&item)? || levels > 1 && holds_masked(&item, levels - 1)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The array, or a copy if its memory is not aligned: a reference to unaligned numbers is undefined behavior.
pub fn aligned(array: Bound<'_, PyUntypedArray>) -> PyResult<Bound<'_, PyUntypedArray>> {
    if array.is_aligned() {
        return Ok(array);
    }
    let py = array.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let copy = numpy.call_method1(intern!(py, "array"), (array,))?;
    Ok(copy.cast_into()?)
}

/// Whether a value is a list or tuple whose items have no dtype: Python numbers, or lists of them.
fn is_of_python_numbers(value: &Bound<'_, PyAny>) -> bool {
    let has_dtype = |item: Bound<'_, PyAny>| {
        item.hasattr(intern!(item.py(), "dtype")).unwrap_or(true)
            && !item.is_instance_of::<pyo3::types::PyFloat>()
    };
    if let Ok(list) = value.cast::<PyList>() {
        return !list.iter().any(has_dtype);
    }
    value
        .cast::<PyTuple>()
        .is_ok_and(|tuple| !tuple.iter().any(has_dtype))
}

fn one_dimensional<'a, 'py>(
    name: &str,
    array: &'a Bound<'py, PyUntypedArray>,
) -> PyResult<&'a Bound<'py, PyArray1<f32>>> {
    array.cast::<PyArray1<f32>>().map_err(|_| {
        PyValueError::new_err(format!(
            "{name} has shape {}, not one number for each shape",
            shape_of(array)
        ))
    })
}

/// The shape of an array, as Python writes it.
pub fn shape_of(array: &Bound<'_, PyUntypedArray>) -> String {
    match array.shape() {
        [one] => format!("({one},)"),
        more => {
            let numbers: Vec<_> = more.iter().map(usize::to_string).collect();
            format!("({})", numbers.join(", "))
        }
    }
}

/// The name of the type of a value.
pub fn type_of(value: &Bound<'_, PyAny>) -> String {
    match value.get_type().name() {
        Ok(name) => name.to_string(),
        Err(_) => "unknown".to_owned(),
    }
}
