//! Results as tuples of their columns, for pickles and copies.

use numpy::{Element, PyArray1, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use phalanx::{
    ClosestPointColumns, ClosestPoints, ContactColumns, ContactPointVecs, Contacts,
    FirstHitColumns, FirstHits, OverlapWords, Overlaps,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::columns::{aligned, type_of};
use crate::raised;

/// A result that is saved as a tuple and made of it again.
pub trait Saved: Sized {
    /// The columns as numpy arrays.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>>;

    /// The result with these columns.
    fn load(saved: &Bound<'_, PyTuple>) -> PyResult<Self>;
}

/// Columns on their way out.
pub struct Writer<'py> {
    py: Python<'py>,
    items: Vec<Bound<'py, PyAny>>,
}

impl<'py> Writer<'py> {
    pub fn new(py: Python<'py>) -> Self {
        let items = Vec::new();
        Writer { py, items }
    }

    pub fn add<X: Element>(&mut self, column: Vec<X>) {
        let array = PyArray1::from_vec(self.py, column);
        self.items.push(array.into_any());
    }

    fn add_number(&mut self, number: usize) -> PyResult<()> {
        self.items.push(number.into_pyobject(self.py)?.into_any());
        Ok(())
    }

    pub fn end(self) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(self.py, self.items)
    }
}

/// Columns on their way in.
pub struct Reader<'a, 'py> {
    saved: &'a Bound<'py, PyTuple>,
    next: usize,
}

impl<'a, 'py> Reader<'a, 'py> {
    pub fn new(saved: &'a Bound<'py, PyTuple>) -> Self {
        Reader { saved, next: 0 }
    }

    fn item(&mut self) -> PyResult<Bound<'py, PyAny>> {
        let len = self.saved.len();
        if self.next == len {
            return Err(PyValueError::new_err(format!(
                "{len} columns were saved, which are too few"
            )));
        }
        self.next += 1;
        self.saved.get_item(self.next - 1)
    }

    fn number(&mut self) -> PyResult<usize> {
        self.item()?.extract()
    }

    pub fn column<X: Element + Copy>(&mut self) -> PyResult<Vec<X>> {
        let item = self.item()?;
        let place = self.next - 1;
        let Ok(array) = item.cast::<PyUntypedArray>() else {
            return Err(PyTypeError::new_err(format!(
                "saved column {place} is of type {}, not an array",
                type_of(&item)
            )));
        };
        // A buffer of a pickle may begin anywhere.
        let array = aligned(array.clone())?;
        let array = array.cast::<PyArray1<X>>().map_err(|_| {
            PyTypeError::new_err(format!(
                "saved column {place} is an array of {} with {} axes, not of {} with one",
                array.dtype(),
                array.ndim(),
                X::get_dtype(item.py())
            ))
        })?;
        let column = array.try_readonly()?;
        Ok(column.as_array().to_vec())
    }

    fn three(&mut self) -> PyResult<[Vec<f32>; 3]> {
        Ok([self.column()?, self.column()?, self.column()?])
    }

    pub fn end(self) -> PyResult<()> {
        if self.next == self.saved.len() {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "{} columns were saved, not {}",
            self.saved.len(),
            self.next
        )))
    }
}

/// Saves results whose columns are all vectors.
macro_rules! saved {
    ($($result:ident, $columns:ident { $($column:ident),* };)*) => { $(
        impl Saved for phalanx::$result {
            fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
                let phalanx::$columns { $($column),* } = self.clone().into_columns();
                let mut to = Writer::new(py);
                $(to.add($column);)*
                to.end()
            }

            fn load(saved: &Bound<'_, PyTuple>) -> PyResult<Self> {
                let mut from = Reader::new(saved);
                $(let $column = from.column()?;)*
                from.end()?;
                phalanx::$result::from_columns(phalanx::$columns { $($column),* }).map_err(raised)
            }
        }
    )* };
}
saved! {
    Sweeps, SweepColumns { hits, invalid, enter, exit };
    Impacts, ImpactColumns { hits, invalid, unsettled, time };
    Distances, DistanceColumns { lower, upper, unsettled, invalid };
    Nearest, NearestColumns { hits, invalid, index, lower, upper };
    Neighbors, NeighborColumns { offsets, index, lower, upper, invalid };
    OrderedHits, OrderedHitColumns { offsets, index, enter, exit, invalid };
}

impl Saved for Overlaps {
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let OverlapWords { hits, invalid } = self.clone().into_words();
        let mut to = Writer::new(py);
        to.add_number(self.len())?;
        to.add(hits);
        to.add(invalid);
        to.end()
    }

    fn load(saved: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let mut from = Reader::new(saved);
        let len = from.number()?;
        let (hits, invalid) = (from.column()?, from.column()?);
        from.end()?;
        Overlaps::from_words(len, OverlapWords { hits, invalid }).map_err(raised)
    }
}

impl Saved for FirstHits {
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let FirstHitColumns {
            hits,
            invalid,
            index,
            store,
            enter,
            exit,
        } = self.clone().into_columns();
        let mut to = Writer::new(py);
        to.add(hits);
        to.add(invalid);
        to.add(index);
        to.add(store);
        to.add(enter);
        to.add(exit);
        to.end()
    }

    fn load(saved: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let mut from = Reader::new(saved);
        let columns = FirstHitColumns {
            hits: from.column()?,
            invalid: from.column()?,
            index: from.column()?,
            store: from.column()?,
            enter: from.column()?,
            exit: from.column()?,
        };
        from.end()?;
        // Later stores without a hit change nothing.
        let stores = columns
            .store
            .iter()
            .max()
            .map_or(0, |last| 1 + usize::from(*last));
        FirstHits::from_columns(stores, columns).map_err(raised)
    }
}

impl Saved for ClosestPoints {
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let ClosestPointColumns { at_a, at_b } = self.clone().into_columns();
        let mut to = Writer::new(py);
        at_a.into_iter()
            .chain(at_b)
            .for_each(|column| to.add(column));
        to.end()
    }

    fn load(saved: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let mut from = Reader::new(saved);
        let (at_a, at_b) = (from.three()?, from.three()?);
        from.end()?;
        ClosestPoints::from_columns(ClosestPointColumns { at_a, at_b }).map_err(raised)
    }
}

impl Saved for Contacts {
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let ContactColumns {
            hits,
            invalid,
            positions,
            normal,
            separation,
            counts,
            inner,
            points,
        } = self.clone().into_columns();
        let mut to = Writer::new(py);
        to.add_number(self.len())?;
        to.add(hits);
        to.add(invalid);
        to.add(positions);
        normal.into_iter().for_each(|column| to.add(column));
        to.add(separation);
        to.add(counts);
        to.add(inner);
        for point in points {
            point.at.into_iter().for_each(|column| to.add(column));
            to.add(point.separation);
            to.add(point.feature);
        }
        to.end()
    }

    fn load(saved: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let mut from = Reader::new(saved);
        let len = from.number()?;
        let mut columns = ContactColumns {
            hits: from.column()?,
            invalid: from.column()?,
            positions: from.column()?,
            normal: from.three()?,
            separation: from.column()?,
            counts: from.column()?,
            inner: from.column()?,
            ..ContactColumns::default()
        };
        for point in &mut columns.points {
            *point = ContactPointVecs {
                at: from.three()?,
                separation: from.column()?,
                feature: from.column()?,
            };
        }
        from.end()?;
        Contacts::from_columns(len, columns).map_err(raised)
    }
}
