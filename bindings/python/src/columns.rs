//! Columns of numbers from Python values, and the checks that they are what a store can read.

use arrow_buffer::ScalarBuffer;
use numpy::{
    Element, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1,
    PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// A column that a store holds.
pub enum Column {
    /// No numbers: nothing moves, or nothing turns.
    Empty,
    /// Memory of a numpy array, which the store keeps alive.
    Numpy(Py<PyArray1<f32>>),
    /// Memory of an Arrow array, or of the store alone.
    Buffer(ScalarBuffer<f32>),
}

/// A column while a call reads it.
pub enum Lent<'py> {
    /// No numbers.
    Empty,
    /// A numpy array that no other Rust code may write meanwhile.
    Numpy(PyReadonlyArray1<'py, f32>),
    /// Memory that never changes.
    Buffer(&'py [f32]),
}

impl Column {
    /// The column, lent to a call.
    pub fn lend<'py>(&'py self, py: Python<'py>) -> PyResult<Lent<'py>> {
        Ok(match self {
            Column::Empty => Lent::Empty,
            Column::Numpy(array) => {
                let array = array.bind(py).try_readonly();
                Lent::Numpy(array.map_err(|error| PyValueError::new_err(error.to_string()))?)
            }
            Column::Buffer(numbers) => Lent::Buffer(numbers),
        })
    }
}

impl Lent<'_> {
    /// The numbers.
    pub fn numbers(&self) -> PyResult<&[f32]> {
        match self {
            Lent::Empty => Ok(&[]),
            Lent::Numpy(array) => array
                .as_slice()
                .map_err(|_| PyValueError::new_err("a column is no longer contiguous")),
            Lent::Buffer(numbers) => Ok(numbers),
        }
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
            let columns = vec![Part::new(name, value)?];
            return Ok(Argument {
                name,
                columns,
                is_copy: false,
            });
        }
        let array = as_array(name, value)?;
        if axes == 1 {
            let column = one_dimensional(name, &array)?;
            let numbers: Vec<f32> = column.readonly().as_array().iter().copied().collect();
            let len = numbers.len();
            return Ok(Argument {
                name,
                columns: vec![Part::Column(Column::Buffer(numbers.into()), len)],
                is_copy: true,
            });
        }
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
                return Err(PyValueError::new_err(format!(
                    "{name} has shape {}, not (n, {axes}); a tuple of {axes} 1-D arrays is used without a copy",
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

impl Part {
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
        if !column.is_c_contiguous() || !column.is_aligned() {
            return Err(PyValueError::new_err(format!(
                "{name} is not contiguous in memory, so it would have to be copied: pass all of it as an array \
                 (n, 3), or numpy.ascontiguousarray of it"
            )));
        }
        Ok(Part::Column(Column::Numpy(column.clone().unbind()), len))
    }
}

/// A value as a numpy array of numbers that are `f32`.
fn as_array<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = value.py();
    let array = as_numpy(name, value)?;
    if array.dtype().is_equiv_to(&f32::get_dtype(py)) {
        return Ok(array);
    }
    if is_of_python_numbers(value) {
        let kind = array.dtype().kind();
        if array.len() == 0 || matches!(kind, b'f' | b'i' | b'u') {
            let rounded = array.call_method1(intern!(py, "astype"), (f32::get_dtype(py),))?;
            return Ok(rounded.cast_into()?);
        }
    }
    Err(PyTypeError::new_err(format!(
        "{name} has dtype {}, not float32: rounding moves shapes, so it is yours to do, say by \
         .astype(numpy.float32)",
        array.dtype()
    )))
}

/// A value as a numpy array of any kind.
pub fn as_numpy<'py>(
    name: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        return Ok(array.clone());
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
    let array = numpy
        .call_method1(intern!(py, "asarray"), (value,))
        .map_err(refused)?;
    Ok(array.cast_into()?)
}

/// Whether a value is a list of numbers, or of lists or tuples of numbers, none of which has a dtype of its own.
fn is_of_python_numbers(value: &Bound<'_, PyAny>) -> bool {
    let has_dtype = |item: Bound<'_, PyAny>| {
        item.hasattr(intern!(item.py(), "dtype")).unwrap_or(true)
            && !item.is_instance_of::<pyo3::types::PyFloat>()
    };
    let Ok(list) = value.cast::<PyList>() else {
        return false;
    };
    !list.iter().any(has_dtype)
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
