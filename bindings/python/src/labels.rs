//! Labels: non-maximum suppression, and matrices of the IoU.

use std::collections::BTreeMap;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use phalanx::{Detector, Pair, Pairs};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::any_store::View;
use crate::columns::Angles;
use crate::keyed::Keys;
use crate::volume::{Measure, measured};

/// The IoU of pairs of two stores, and of each box with itself.
pub struct Ious {
    pairs: Vec<Pair>,
    /// IoU of each pair.
    of_pairs: Vec<f64>,
    /// Whether each box of a store is invalid.
    invalid: [Vec<bool>; 2],
    /// The IoU of each box with itself, if both stores are one: each pair is then listed once.
    of_one: Option<Vec<f64>>,
}

impl Ious {
    /// The IoU of these pairs. Boxes of `b` are those of `a` if there is no `b`.
    pub fn new(
        detector: &mut Detector,
        a: &View<'_>,
        b: Option<&View<'_>>,
        pairs: Vec<Pair>,
    ) -> PyResult<Self> {
        let list = Pairs::from(pairs.as_slice());
        let of_pairs = match b {
            Some(b) => measured(detector, a, b, list, Measure::Iou)?,
            None => measured(detector, a, a, list, Measure::Iou)?,
        };
        let with_itself = measured(detector, a, a, Pairs::zip(), Measure::Iou)?;
        let is_nan = |all: &[f64]| all.iter().map(|x| x.is_nan()).collect();
        let of_b = match b {
            Some(b) => is_nan(&measured(detector, b, b, Pairs::zip(), Measure::Iou)?),
            None => is_nan(&with_itself),
        };
        Ok(Ious {
            pairs,
            of_pairs,
            invalid: [is_nan(&with_itself), of_b],
            of_one: b.is_none().then_some(with_itself),
        })
    }

    /// The IoU of each pair, each with both orders within one store.
    fn each(&self, mut to: impl FnMut(usize, usize, f64)) {
        for (pair, &iou) in self.pairs.iter().zip(&self.of_pairs) {
            let [a, b] = pair.indices();
            to(a, b, iou);
            if self.of_one.is_some() {
                to(b, a, iou);
            }
        }
        for (i, &iou) in self.of_one.iter().flatten().enumerate() {
            to(i, i, iou);
        }
    }

    /// One matrix of all boxes.
    pub fn matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let [of_a, of_b] = &self.invalid;
        let (rows, columns) = (of_a.len(), of_b.len());
        let is_invalid = |i: usize, j: usize| of_a[i] || of_b[j];
        let mut numbers = filled(rows, columns, is_invalid).ok_or_else(|| {
            PyMemoryError::new_err(format!(
                "iou_matrix would have {rows} x {columns} numbers; pass keys="
            ))
        })?;
        self.each(|i, j, iou| numbers[i * columns + j] = iou);
        PyArray1::from_vec(py, numbers).reshape([rows, columns])
    }

    /// A matrix for each key, with the indices of its rows and columns.
    pub fn by_key<'py>(&self, py: Python<'py>, keys: &Keys) -> PyResult<Bound<'py, PyDict>> {
        let keys_b = keys.stores[0].as_ref().unwrap_or(&keys.a);
        let mut parts: BTreeMap<i128, Part> = BTreeMap::new();
        let (mut place_a, mut place_b) = (Vec::new(), Vec::new());
        for (i, &key) in keys.a.iter().enumerate() {
            let rows = &mut parts.entry(key).or_default().rows;
            place_a.push(rows.len());
            rows.push(i as i64);
        }
        for (j, &key) in keys_b.iter().enumerate() {
            let columns = &mut parts.entry(key).or_default().columns;
            place_b.push(columns.len());
            columns.push(j as i64);
        }
        let [of_a, of_b] = &self.invalid;
        for (key, part) in &mut parts {
            let (rows, columns) = (&part.rows, &part.columns);
            let is_invalid =
                |i: usize, j: usize| of_a[rows[i] as usize] || of_b[columns[j] as usize];
            part.numbers = filled(rows.len(), columns.len(), is_invalid).ok_or_else(|| {
                let (rows, columns) = (rows.len(), columns.len());
                PyMemoryError::new_err(format!(
                    "iou_matrix of key {key} would have {rows} x {columns} numbers"
                ))
            })?;
        }
        self.each(|i, j, iou| {
            if let Some(part) = parts.get_mut(&keys.a[i]) {
                let place = place_a[i] * part.columns.len() + place_b[j];
                part.numbers[place] = iou;
            }
        });
        let found = PyDict::new(py);
        for (key, part) in parts {
            let shape = [part.rows.len(), part.columns.len()];
            let matrix = PyArray1::from_vec(py, part.numbers).reshape(shape)?;
            let rows = PyArray1::from_vec(py, part.rows);
            let columns = PyArray1::from_vec(py, part.columns);
            found.set_item(key, (rows, columns, matrix))?;
        }
        Ok(found)
    }

    /// The boxes that remain, by descending score: each suppresses those of a lower score with an IoU above the threshold.
    /// Within equal scores the lower index is first. Invalid boxes do not remain.
    pub fn suppressed(&self, scores: &[f64], threshold: f64) -> Vec<i64> {
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); scores.len()];
        for (pair, &iou) in self.pairs.iter().zip(&self.of_pairs) {
            if iou > threshold {
                near[pair.a as usize].push(pair.b);
                near[pair.b as usize].push(pair.a);
            }
        }
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|i, j| scores[*j].total_cmp(&scores[*i]));
        let mut is_out = self.invalid[0].clone();
        let mut kept = Vec::new();
        for i in order {
            if !is_out[i] {
                kept.push(i as i64);
                near[i].iter().for_each(|j| is_out[*j as usize] = true);
            }
        }
        kept
    }
}

/// The matrix of a key.
#[derive(Default)]
struct Part {
    rows: Vec<i64>,
    columns: Vec<i64>,
    numbers: Vec<f64>,
}

/// A matrix of zeros, NaN where it is invalid; `None` without memory for it.
fn filled(
    rows: usize,
    columns: usize,
    is_invalid: impl Fn(usize, usize) -> bool,
) -> Option<Vec<f64>> {
    let mut numbers = Vec::new();
    numbers.try_reserve_exact(rows.checked_mul(columns)?).ok()?;
    let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    let number = |(i, j)| if is_invalid(i, j) { f64::NAN } else { 0.0 };
    numbers.extend(places.map(number));
    Some(numbers)
}

/// A score for each of `len` boxes, none of them NaN. Zeros are without a sign.
pub fn scores(value: &Bound<'_, PyAny>, len: usize) -> PyResult<Vec<f64>> {
    let Angles::Each(scores) = Angles::new("scores", value)? else {
        return Err(PyTypeError::new_err(
            "scores is a number, not one for each box",
        ));
    };
    if scores.len() != len {
        return Err(PyValueError::new_err(format!(
            "scores are for {} boxes, but there are {len}",
            scores.len()
        )));
    }
    match scores.iter().position(|score| score.is_nan()) {
        Some(i) => Err(PyValueError::new_err(format!("scores[{i}] is nan"))),
        None => Ok(scores.into_iter().map(|score| score + 0.0).collect()),
    }
}
