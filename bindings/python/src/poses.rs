//! Poses and boxes as other libraries have them: matrices (4, 4), and the eight corners of a box.

use arrow_buffer::ScalarBuffer;
use numpy::{
    Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use phalanx::Obb;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;

use crate::columns::{
    Argument, Column, Part, UNMASK_COLUMN, aligned, as_copied_array, as_numpy, column_name,
    rounded_up, shape_of,
};
use crate::vector::{Vector, cross, dot, minus};
use crate::volume::axes_of;

/// Numbers in float64, and the shape of their array.
pub struct Doubles {
    pub numbers: Vec<f64>,
    pub shape: Vec<usize>,
    /// The shape, as Python writes it.
    pub text: String,
}

impl Doubles {
    /// The numbers of a value. Without an origin to subtract they are numbers of float32.
    pub fn new(name: &str, value: &Bound<'_, PyAny>, has_origin: bool) -> PyResult<Self> {
        let py = value.py();
        let is_real =
            |array: &Bound<'_, PyUntypedArray>| matches!(array.dtype().kind(), b'f' | b'i' | b'u');
        let array = if has_origin {
            let array = as_numpy(name, value, UNMASK_COLUMN)?;
            if !is_real(&array) {
                return Err(PyTypeError::new_err(format!(
                    "{name} has dtype {}, not float64, float32 or an integer",
                    array.dtype()
                )));
            }
            array
        } else {
            as_copied_array(name, value).map_err(|error| {
                // An origin helps against rounding only.
                let is_rounded = error.is_instance_of::<PyTypeError>(py)
                    && as_numpy(name, value, UNMASK_COLUMN).is_ok_and(|array| is_real(&array));
                if !is_rounded {
                    return error;
                }
                let message = error.value(py).to_string();
                PyTypeError::new_err(format!(
                    "{message}, or pass origin=, which is subtracted in float64"
                ))
            })?
        };
        let (shape, text) = (array.shape().to_vec(), shape_of(&array));
        let wide = array.call_method1(intern!(py, "astype"), (f64::get_dtype(py),))?;
        // A subclass may return anything.
        let wide = aligned(wide.cast_into::<PyUntypedArray>()?)?;
        let wide = wide.cast_into::<PyArrayDyn<f64>>()?;
        let readable = wide
            .try_readonly()
            .map_err(|error| PyValueError::new_err(format!("{name}: {error}")))?;
        Ok(Doubles {
            numbers: readable.as_array().iter().copied().collect(),
            shape,
            text,
        })
    }
}

/// The origin of a call: three numbers.
pub fn origin_of(origin: Option<&Bound<'_, PyAny>>) -> PyResult<[f64; 3]> {
    let Some(origin) = origin else {
        return Ok([0.0; 3]);
    };
    let found = Doubles::new("origin", origin, true)?;
    let finite = <[f64; 3]>::try_from(found.numbers).ok();
    let finite = finite.filter(|origin| origin.iter().all(|x| x.is_finite()));
    finite.ok_or_else(|| {
        PyValueError::new_err(format!("origin is {origin}, not three finite numbers"))
    })
}

/// Columns of `N` numbers of each shape, or of one for all.
fn part_columns<const N: usize>(rows: &[[f32; N]], is_same: bool) -> Vec<Part> {
    let column = |k: usize| -> ScalarBuffer<f32> { rows.iter().map(|row| row[k]).collect() };
    let part = |k: usize| match rows {
        [row] if is_same => Part::Same(row[k]),
        _ => Part::Column(Column::Buffer(column(k)), rows.len()),
    };
    (0..N).map(part).collect()
}

/// Positions and rotations.
pub struct Poses {
    centers: Vec<[f32; 3]>,
    /// Quaternions, NaN where a matrix scales or mirrors.
    rotations: Vec<[f32; 4]>,
    /// The third axis of each rotation.
    axes: Vec<[f64; 3]>,
    /// Whether there is one pose, of all shapes.
    is_same: bool,
}

impl Poses {
    /// The poses of matrices (n, 4, 4), or of one for all, less an origin.
    pub fn of_matrix(
        matrix: &Bound<'_, PyAny>,
        origin: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let from = origin_of(origin)?;
        let all = Doubles::new("matrix", matrix, origin.is_some())?;
        let is_same = match all.shape.as_slice() {
            [4, 4] => true,
            [0] | [_, 4, 4] => false,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "matrix has shape {}, not (n, 4, 4) or (4, 4)",
                    all.text
                )));
            }
        };
        let mut poses = Poses {
            centers: Vec::new(),
            rotations: Vec::new(),
            axes: Vec::new(),
            is_same,
        };
        for (i, m) in all.numbers.as_chunks::<16>().0.iter().enumerate() {
            if m[12..] != [0.0, 0.0, 0.0, 1.0] {
                let place = if is_same {
                    String::new()
                } else {
                    format!("[{i}]")
                };
                return Err(PyValueError::new_err(format!(
                    "matrix{place} has the last row {:?}, not [0, 0, 0, 1]: the position is the last column",
                    &m[12..]
                )));
            }
            let axis = |k: usize| [m[k], m[4 + k], m[8 + k]];
            let center = [0, 1, 2].map(|k| (m[4 * k + 3] - from[k]) as f32);
            let axes = [0, 1, 2].map(|k| axis(k).map(|x| x as f32));
            let rotation = Obb::from_axes(center, [0.0; 3], axes).rotation;
            let is_rotation = rotation.iter().all(|x| x.is_finite());
            poses.centers.push(center);
            poses.rotations.push(rotation);
            let or_nan = |x: f64| if is_rotation { x } else { f64::NAN };
            poses.axes.push(axis(2).map(or_nan));
        }
        Ok(poses)
    }

    pub fn center(&self) -> Argument {
        self.argument("matrix", &self.centers)
    }

    pub fn rotation(&self) -> Argument {
        self.argument("matrix", &self.rotations)
    }

    fn argument<const N: usize>(&self, name: &'static str, rows: &[[f32; N]]) -> Argument {
        Argument {
            name,
            columns: part_columns(rows, self.is_same),
            is_copy: true,
        }
    }

    /// Scales the third axis of each rotation by a length.
    pub fn along_z(&self, name: &'static str, lengths: &Bound<'_, PyAny>) -> PyResult<Argument> {
        let py = lengths.py();
        let lengths = Argument::new(name, 1, lengths)?;
        let scaled = |axis: &[f64; 3], length: f32| axis.map(|x| (x * f64::from(length)) as f32);
        let (rows, is_same) = match lengths.columns.as_slice() {
            [Part::Same(length)] => {
                let rows = self.axes.iter().map(|axis| scaled(axis, *length));
                (rows.collect::<Vec<_>>(), self.is_same)
            }
            [Part::Column(column, len)] => {
                let Some(axes) = self.repeated(*len) else {
                    return Err(PyValueError::new_err(format!(
                        "{name} is for {len} shapes, but matrix for {}",
                        self.axes.len()
                    )));
                };
                let numbers = column.lend(py, || column_name(name, 1, 0))?;
                let rows = axes
                    .zip(numbers)
                    .map(|(axis, length)| scaled(axis, *length));
                (rows.collect(), false)
            }
            _ => (Vec::new(), false),
        };
        Ok(Argument {
            name,
            columns: part_columns(&rows, is_same),
            is_copy: true,
        })
    }

    /// The axes, repeated to `len` shapes; `None` if the numbers differ.
    fn repeated(&self, len: usize) -> Option<impl Iterator<Item = &[f64; 3]>> {
        let fits = self.is_same || self.axes.len() == len;
        fits.then(|| self.axes.iter().cycle().take(len))
    }
}

/// The vector with length 1; None if it has no length.
fn unit(v: Vector) -> Option<Vector> {
    let length = dot(v, v).sqrt();
    (length > 0.0).then(|| v.map(|x| x / length))
}

/// A unit vector across a unit vector.
fn across(v: Vector) -> Vector {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let least = (0..3).min_by(|i, j| v[*i].abs().total_cmp(&v[*j].abs()));
    unit(cross(v, axes[least.unwrap_or(0)])).unwrap_or(axes[0])
}

/// Tolerance of a corner, relative to the longest side.
const NOT_A_BOX: f64 = 1e-3;

/// The box with these corners in any order, which contains them; None if they are not those of a box. The numbers of a box with a
/// corner that is not finite are NaN.
fn box_of(corners: &[Vector; 8]) -> Option<Obb> {
    if corners.as_flattened().iter().any(|x| !x.is_finite()) {
        return Some(Obb::new([f32::NAN; 3], [f32::NAN; 3], [f32::NAN; 4]));
    }
    let middle = [0, 1, 2].map(|k| corners.iter().map(|corner| corner[k]).sum::<f64>() / 8.0);
    // From corner 0, the two nearest corners are at the ends of two edges. The third edge is the diagonal to the
    // opposite corner less these two.
    let ways = corners.map(|corner| minus(corner, corners[0]));
    let mut order = [1, 2, 3, 4, 5, 6, 7];
    order.sort_by(|i, j| dot(ways[*i], ways[*i]).total_cmp(&dot(ways[*j], ways[*j])));
    let (first, second) = (order[0], order[1]);
    let opposite = minus(middle, corners[0]).map(|x| 2.0 * x);
    let third = minus(minus(opposite, ways[first]), ways[second]);
    let off = |i: &usize| {
        let off = minus(ways[*i], third);
        dot(off, off)
    };
    let last = order[2..]
        .iter()
        .copied()
        .min_by(|i, j| off(i).total_cmp(&off(j)))?;
    // Sides in the order of the corners at their ends.
    let mut edges = [(first, ways[first]), (second, ways[second]), (last, third)];
    edges.sort_by_key(|edge| edge.0);
    let edges = edges.map(|edge| edge.1);
    // The longest edges have the most exact directions.
    let mut longest = [0, 1, 2];
    longest.sort_by(|i, j| dot(edges[*j], edges[*j]).total_cmp(&dot(edges[*i], edges[*i])));
    let [i, j, k] = longest;
    let u = unit(edges[i]).unwrap_or([1.0, 0.0, 0.0]);
    let along = dot(edges[j], u);
    let v = unit(minus(edges[j], u.map(|x| x * along))).unwrap_or_else(|| across(u));
    let mut axes = [u; 3];
    axes[j] = v;
    axes[k] = [0.0; 3];
    // The product of the two others, in the order that makes them right-handed.
    axes[k] = cross(axes[(k + 1) % 3], axes[(k + 2) % 3]);
    let center = middle.map(|x| x as f32);
    let rotation =
        Obb::from_axes(center, [0.0; 3], axes.map(|axis| axis.map(|x| x as f32))).rotation;
    let exact = axes_of(rotation);
    // All corners are in the box, whatever is rounded.
    let places = corners.map(|corner| {
        let offset = minus(corner, center.map(f64::from));
        exact.map(|axis| dot(axis, offset).abs())
    });
    let most = |k: usize| places.iter().map(|place| place[k]).fold(0.0, f64::max);
    let half = [most(0), most(1), most(2)];
    let allowed = NOT_A_BOX * 2.0 * half.iter().copied().fold(0.0, f64::max);
    let at_corner = |place: &Vector| (0..3).all(|k| half[k] - place[k] <= allowed);
    let rounded = half.map(rounded_up);
    places
        .iter()
        .all(at_corner)
        .then(|| Obb::new(center, rounded, rotation))
}

/// The arguments of boxes with these corners, (n, 8, 3) or (8, 3), less an origin: centers, half extents and rotations.
pub fn of_corners(
    corners: &Bound<'_, PyAny>,
    origin: Option<&Bound<'_, PyAny>>,
) -> PyResult<[Argument; 3]> {
    let from = origin_of(origin)?;
    let all = Doubles::new("corners", corners, origin.is_some())?;
    if !matches!(all.shape.as_slice(), [0] | [8, 3] | [_, 8, 3]) {
        return Err(PyValueError::new_err(format!(
            "corners has shape {}, not (n, 8, 3) or (8, 3)",
            all.text
        )));
    }
    let points: Vec<Vector> = all.numbers.as_chunks::<3>().0.to_vec();
    let (mut centers, mut halves, mut rotations) = (Vec::new(), Vec::new(), Vec::new());
    for (i, corners) in points.as_chunks::<8>().0.iter().enumerate() {
        let corners = corners.map(|corner| minus(corner, from));
        let Some(found) = box_of(&corners) else {
            let rounding = match origin {
                Some(_) => "",
                None => ", or float32 is too coarse for its coordinates: pass origin=",
            };
            return Err(PyValueError::new_err(format!(
                "corners[{i}] are not those of a box: its faces are not rectangles, within a thousandth of its longest side{rounding}"
            )));
        };
        centers.push(found.center);
        halves.push(found.half_extents);
        rotations.push(found.rotation);
    }
    let argument = |columns| Argument {
        name: "corners",
        columns,
        is_copy: true,
    };
    Ok([
        argument(part_columns(&centers, false)),
        argument(part_columns(&halves, false)),
        argument(part_columns(&rotations, false)),
    ])
}
