//! The pairs of a call, from numpy arrays.

use std::borrow::Cow;

use bytemuck::cast_slice;
use numpy::{PyArray2, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use phalanx::Pair;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::answers::pairs_array;
use crate::columns::{aligned, as_numpy, shape_of, type_of};

/// Advice for the pairs of a masked list.
const UNMASK_PAIRS: &str =
    "drop the masked rows first, for example by numpy.ma.compress_rows(pairs)";

/// Pairs that need no list: see `zip` and `one_to_all`.
#[pyclass(frozen, module = "phalanx")]
pub struct Pairs(Implied);

/// Pairs that need no list.
#[derive(Clone, Copy)]
pub enum Implied {
    Zip,
    OneToAll(u32),
}

impl Implied {
    /// The pairs, as the core takes them.
    fn pairs(self) -> phalanx::Pairs<'static> {
        match self {
            Implied::Zip => phalanx::Pairs::zip(),
            Implied::OneToAll(index) => phalanx::Pairs::one_to_all(index),
        }
    }

    /// The first `len` pairs as a list. Fails for more pairs than a store has shapes, or than there is memory for.
    fn list(self, len: usize) -> PyResult<Vec<Pair>> {
        let end = u32::try_from(len).map_err(|_| {
            PyOverflowError::new_err(format!("len is {len}, not at most 2**32 - 1"))
        })?;
        let mut list = Vec::new();
        list.try_reserve_exact(len)
            .map_err(|_| PyMemoryError::new_err(format!("no memory for {len} pairs")))?;
        let pair = |i| match self {
            Implied::Zip => Pair::new(i, i),
            Implied::OneToAll(index) => Pair::new(index, i),
        };
        list.extend((0..end).map(pair));
        Ok(list)
    }
}

#[pymethods]
impl Pairs {
    /// The first `len` pairs as an array (len, 2) of uint32.
    fn array<'py>(&self, py: Python<'py>, len: usize) -> PyResult<Bound<'py, PyArray2<u32>>> {
        pairs_array(py, self.0.list(len)?)
    }

    /// For pickles and copies: `zip` or `one_to_all`, and its arguments.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let module = py.import("phalanx")?;
        Ok(match self.0 {
            Implied::Zip => (module.getattr("zip")?, PyTuple::empty(py)),
            Implied::OneToAll(index) => (module.getattr("one_to_all")?, PyTuple::new(py, [index])?),
        })
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0.pairs())
    }
}

/// Shape `i` of the first store with shape `i` of the second, for every `i`.
#[pyfunction]
pub fn zip() -> Pairs {
    Pairs(Implied::Zip)
}

/// Shape `index` of the first store with every shape of the second.
#[pyfunction]
pub fn one_to_all(index: &Bound<'_, PyAny>) -> PyResult<Pairs> {
    let number = index.extract::<u32>().map_err(|error| {
        if error.is_instance_of::<PyOverflowError>(index.py()) {
            PyIndexError::new_err(format!("index is {index}, not from 0 to 2**32 - 1"))
        } else {
            PyTypeError::new_err(format!(
                "index is of type {}, not an integer",
                type_of(index)
            ))
        }
    })?;
    Ok(Pairs(Implied::OneToAll(number)))
}

/// The pairs of a call, while it reads them.
pub enum Listed<'py> {
    /// An array that is read where it is.
    Lent(Bound<'py, PyUntypedArray>),
    /// Numbers that had to be checked or moved.
    Copied(Vec<Pair>),
    /// No list.
    None(Implied),
}

impl<'py> Listed<'py> {
    /// The pairs that a Python value stands for.
    pub fn new(value: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(pairs) = value.cast::<Pairs>() {
            return Ok(Listed::None(pairs.get().0));
        }
        let array = aligned(as_numpy("pairs", value, UNMASK_PAIRS)?)?;
        if let Ok(list) = array.cast::<PyArray2<u32>>() {
            check_shape(&array)?;
            if list.is_c_contiguous() {
                return Ok(Listed::Lent(array));
            }
            let list = list
                .try_readonly()
                .map_err(|error| PyValueError::new_err(format!("pairs: {error}")))?;
            let rows = list.as_array();
            let copy = rows
                .rows()
                .into_iter()
                .map(|row| Pair::new(row[0], row[1]))
                .collect();
            return Ok(Listed::Copied(copy));
        }
        if array.len() == 0 && (value.is_instance_of::<PyList>() || array.shape() == [0, 2]) {
            return Ok(Listed::Copied(Vec::new()));
        }
        let kind = array.dtype().kind();
        if !matches!(kind, b'i' | b'u') {
            return Err(PyTypeError::new_err(format!(
                "pairs have dtype {}, not uint32 or another integer",
                array.dtype()
            )));
        }
        check_shape(&array)?;
        if kind == b'u' && array.dtype().itemsize() == 8 {
            return checked(&array, |x: u64| u32::try_from(x).ok());
        }
        checked(&array, |x: i64| u32::try_from(x).ok())
    }

    /// The pairs, as the core takes them.
    pub fn pairs(&self) -> PyResult<phalanx::Pairs<'_>> {
        Ok(match self {
            Listed::None(implied) => implied.pairs(),
            _ => self.given()?.into(),
        })
    }

    /// The pairs as a list: the first `len` ones, if they were given without.
    pub fn list(&self, len: usize) -> PyResult<Cow<'_, [Pair]>> {
        Ok(match self {
            Listed::None(implied) => implied.list(len)?.into(),
            _ => self.given()?.into(),
        })
    }

    /// The list that was given; empty if there is none.
    fn given(&self) -> PyResult<&[Pair]> {
        Ok(match self {
            Listed::Lent(array) => {
                check_shape(array)?;
                let list = array.cast::<PyArray2<u32>>().ok();
                let list = list.filter(|list| list.is_c_contiguous());
                // SAFETY: the array is of uint32 and in the order of rows now, and `as_slice` checks its layout. `self`
                // keeps it alive, and no thread may write or resize it during a call. Its dtype and shape may change:
                // the slice has its own.
                let numbers = list.and_then(|list| unsafe { list.as_slice() }.ok());
                let changed = || PyValueError::new_err("pairs have changed during the call");
                cast_slice::<u32, Pair>(numbers.ok_or_else(changed)?)
            }
            Listed::Copied(list) => list,
            Listed::None(_) => &[],
        })
    }
}

fn check_shape(array: &Bound<'_, PyUntypedArray>) -> PyResult<()> {
    match array.shape() {
        [_, 2] => Ok(()),
        _ => Err(PyValueError::new_err(format!(
            "pairs have shape {}, not (m, 2)",
            shape_of(array)
        ))),
    }
}

/// Integers as indices, each checked.
fn checked<'py, T: numpy::Element + Copy + std::fmt::Display>(
    array: &Bound<'py, PyUntypedArray>,
    index: impl Fn(T) -> Option<u32>,
) -> PyResult<Listed<'py>> {
    let py = array.py();
    let wide = array.call_method1("astype", (T::get_dtype(py),))?;
    // A subclass may return what it likes.
    let wide = aligned(wide.cast_into::<PyUntypedArray>()?)?;
    let wide = wide.cast_into::<PyArray2<T>>()?;
    let rows = wide
        .try_readonly()
        .map_err(|error| PyValueError::new_err(format!("pairs: {error}")))?;
    let rows = rows.as_array();
    let mut pairs = Vec::with_capacity(rows.nrows());
    for (position, row) in rows.rows().into_iter().enumerate() {
        match (index(row[0]), index(row[1])) {
            (Some(a), Some(b)) => pairs.push(Pair::new(a, b)),
            _ => {
                return Err(PyIndexError::new_err(format!(
                    "pair {position} is ({}, {}), but indices are from 0 to 2**32 - 1",
                    row[0], row[1]
                )));
            }
        }
    }
    Ok(Listed::Copied(pairs))
}
