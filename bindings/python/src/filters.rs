//! Groups, bodies and keys from Python values: integers, one for each shape or one for all.

use numpy::{Element, PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use numpy::{PyArrayDescrMethods, ndarray::ArrayViewD};
use phalanx::traits::Shape;
use phalanx::{Groups, NO_BODY, Store, StoreRef};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList};

use crate::columns::{aligned, as_numpy, shape_of};
use crate::raised;

/// Advice for masked integers.
pub const UNMASK: &str = "fill them first, by .filled(value)";

/// The groups and bodies of a store. Either is empty if none are given.
#[derive(Default)]
pub struct Filters {
    pub groups: Vec<Groups>,
    pub bodies: Vec<u32>,
}

/// Shapes with groups and bodies to write.
pub trait Filtered {
    fn groups_mut(&mut self) -> &mut [Groups];
    fn bodies_mut(&mut self) -> &mut [u32];
}

/// Implements [`Filtered`] by the methods of these names.
macro_rules! filtered {
    ($($shapes:ty $(, $shape:ident)?;)*) => { $(
        impl $(<$shape: Shape>)? Filtered for $shapes {
            fn groups_mut(&mut self) -> &mut [Groups] {
                <$shapes>::groups_mut(self)
            }
            fn bodies_mut(&mut self) -> &mut [u32] {
                <$shapes>::bodies_mut(self)
            }
        }
    )* };
}
filtered! {
    Store<T>, T;
    phalanx::Mesh;
    phalanx::Hulls;
}

impl Filters {
    /// The groups and bodies of the shapes with these indices.
    pub fn taken<T: Shape>(
        view: &StoreRef<'_, T>,
        indices: impl Iterator<Item = u32> + Clone,
    ) -> Self {
        let mut filters = Filters::default();
        if indices.clone().any(|i| view.groups(i) != Some(Groups::ALL)) {
            filters.groups = indices.clone().filter_map(|i| view.groups(i)).collect();
        }
        if indices.clone().any(|i| view.body(i) != Some(NO_BODY)) {
            filters.bodies = indices.filter_map(|i| view.body(i)).collect();
        }
        filters
    }

    /// Writes the groups and bodies to as many shapes.
    pub fn write(&self, to: &mut impl Filtered) {
        if !self.groups.is_empty() {
            to.groups_mut().copy_from_slice(&self.groups);
        }
        if !self.bodies.is_empty() {
            to.bodies_mut().copy_from_slice(&self.bodies);
        }
    }

    /// The groups and bodies of `len` shapes.
    pub fn new(
        len: usize,
        groups: Option<&Bound<'_, PyAny>>,
        body: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut filters = Filters::default();
        if let Some(value) = groups {
            let bits = masks("groups", value, len, 2)?;
            let pairs = bits.as_chunks::<2>().0;
            filters.groups = pairs
                .iter()
                .map(|&[is, meets]| Groups { is, meets })
                .collect();
        }
        if let Some(value) = body {
            filters.bodies = masks("body", value, len, 1)?;
        }
        Ok(filters)
    }

    /// The view with these groups and bodies.
    pub fn of<'a, T: Shape>(&'a self, mut view: StoreRef<'a, T>) -> PyResult<StoreRef<'a, T>> {
        if !self.groups.is_empty() {
            view = view.with_groups(&self.groups).map_err(raised)?;
        }
        if !self.bodies.is_empty() {
            view = view.with_bodies(&self.bodies).map_err(raised)?;
        }
        Ok(view)
    }
}

/// `axes` numbers of 32 bits for each shape, or the same for all.
fn masks(name: &str, value: &Bound<'_, PyAny>, len: usize, axes: usize) -> PyResult<Vec<u32>> {
    let numbers = integers(name, value)?;
    let (for_each, for_all, expected) = if axes == 1 {
        (vec![len], vec![], format!("({len},) or ()"))
    } else {
        let expected = format!("({len}, {axes}) or ({axes},)");
        (vec![len, axes], vec![axes], expected)
    };
    let is_for_each = numbers.shape == for_each;
    if !is_for_each && numbers.shape != for_all {
        return Err(PyValueError::new_err(format!(
            "{name} have shape {}, not {expected}",
            numbers.text
        )));
    }
    let mut narrow = Vec::with_capacity(numbers.values.len());
    for (position, &x) in numbers.values.iter().enumerate() {
        let Ok(x) = u32::try_from(x) else {
            return Err(PyValueError::new_err(format!(
                "{name}[{}] has {x}, not a number from 0 to 2**32 - 1",
                position / axes
            )));
        };
        narrow.push(x);
    }
    Ok(if is_for_each {
        narrow
    } else {
        narrow.repeat(len)
    })
}

/// Indices into a table: one for each shape, or one for all.
pub enum Indices {
    Each(Vec<u32>),
    Same(u32),
}

impl Indices {
    /// The indices of a value. Each is below `len`, the number of `entries` of the table.
    pub fn new(name: &str, value: &Bound<'_, PyAny>, len: usize, entries: &str) -> PyResult<Self> {
        let numbers = integers(name, value)?;
        let index = |position: Option<usize>, x: i128| match u32::try_from(x) {
            Ok(index) if (index as usize) < len => Ok(index),
            _ => {
                let place = position.map_or(String::new(), |position| format!("[{position}]"));
                Err(PyValueError::new_err(format!(
                    "{name}{place} is {x}, but there are {len} {entries}"
                )))
            }
        };
        match numbers.shape.len() {
            0 => Ok(Indices::Same(index(None, numbers.values[0])?)),
            1 => {
                let each = numbers.values.into_iter().enumerate();
                let indices = each.map(|(position, x)| index(Some(position), x));
                Ok(Indices::Each(indices.collect::<PyResult<_>>()?))
            }
            _ => Err(PyValueError::new_err(format!(
                "{name} has shape {}, not (n,) or ()",
                numbers.text
            ))),
        }
    }
}

/// The indices of `store[index]`, as numpy finds them: of a number, a slice, a mask or an array of integers.
pub fn indices_of(len: usize, index: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let is_array = index.is_instance_of::<PyUntypedArray>();
    if is_array || index.is_instance_of::<PyList>() {
        // Fails for masked arrays.
        as_numpy("index", index, UNMASK)?;
    } else if !index.is_instance_of::<PyBool>()
        && let Ok(number) = index.extract::<i64>()
    {
        // One index takes a time that does not grow with the store.
        let from_start = if number < 0 {
            number.saturating_add_unsigned(len as u64)
        } else {
            number
        };
        let found = u32::try_from(from_start).ok();
        let found = found.filter(|i| (*i as usize) < len).ok_or_else(|| {
            PyIndexError::new_err(format!(
                "index {number} is out of bounds for axis 0 with size {len}"
            ))
        })?;
        return Ok(vec![found]);
    }
    let numpy = index.py().import("numpy")?;
    let all = numpy.call_method1("arange", (len,))?;
    let some = numpy.call_method1("atleast_1d", (all.get_item(index)?,))?;
    let some = some.call_method1("astype", ("uint32",))?;
    let column = some.cast::<PyArray1<u32>>().map_err(|_| {
        PyIndexError::new_err(format!(
            "index {index} is of several axes, but a store has one"
        ))
    })?;
    Ok(column.readonly().as_array().iter().copied().collect())
}

/// An iterator over `store[0]`, `store[1]`, and so on.
pub fn one_by_one<'py>(store: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let builtins = store.py().import("builtins")?;
    let indices = builtins.call_method1("range", (store.len()?,))?;
    builtins.call_method1("map", (store.getattr("__getitem__")?, indices))
}

/// One key for each of `len` shapes.
pub fn keys(name: &str, value: &Bound<'_, PyAny>, len: usize) -> PyResult<Vec<i128>> {
    let numbers = integers(name, value)?;
    if numbers.shape != [len] {
        return Err(PyValueError::new_err(format!(
            "{name} has shape {}, not ({len},): a key for each shape",
            numbers.text
        )));
    }
    Ok(numbers.values)
}

/// Integers, and the shape of their array.
pub struct Integers {
    pub values: Vec<i128>,
    pub shape: Vec<usize>,
    /// The shape, as Python writes it.
    pub text: String,
}

/// The integers of a Python value.
pub fn integers(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Integers> {
    let array = aligned(as_numpy(name, value, UNMASK)?)?;
    let (shape, text) = (array.shape().to_vec(), shape_of(&array));
    if shape == [0] {
        // An empty list is an array of float64.
        return Ok(Integers {
            values: Vec::new(),
            shape,
            text,
        });
    }
    let kind = array.dtype().kind();
    if !matches!(kind, b'i' | b'u') {
        return Err(PyTypeError::new_err(format!(
            "{name} has dtype {}, not an integer",
            array.dtype()
        )));
    }
    let values = if kind == b'u' {
        widened::<u64>(name, &array)?
    } else {
        widened::<i64>(name, &array)?
    };
    Ok(Integers {
        values,
        shape,
        text,
    })
}

/// An array as one of integers of 64 bits.
pub fn wide<'py, T: Element>(
    array: &Bound<'py, PyUntypedArray>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let wide = array.call_method1("astype", (T::get_dtype(array.py()),))?;
    // A subclass may return anything.
    aligned(wide.cast_into::<PyUntypedArray>()?)
}

fn widened<T: Element + Copy + Into<i128>>(
    name: &str,
    array: &Bound<'_, PyUntypedArray>,
) -> PyResult<Vec<i128>> {
    let wide = wide::<T>(array)?.cast_into::<PyArrayDyn<T>>()?;
    let readable = wide
        .try_readonly()
        .map_err(|error| PyValueError::new_err(format!("{name}: {error}")))?;
    let numbers: ArrayViewD<'_, T> = readable.as_array();
    Ok(numbers.iter().map(|x| (*x).into()).collect())
}
