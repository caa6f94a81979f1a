//! `Hulls`: convex hulls of kinds of points, used wherever a store is.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArray};
use phalanx::{Error, Hull, HullKinds, Obb, Shapes, Store};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::columns::{Argument, Column, Part, column_name, type_of};
use crate::copy_on_write::CopyOnWrite;
use crate::filters::{Filters, Indices, indices_of, one_by_one};
use crate::mesh::points;
use crate::poses::Poses;
use crate::raised;
use crate::round_kinds::RoundKind;
use crate::stores::{Aabbs, Obbs};
use crate::view::{Data, bodies_array, copied, during, groups_array, shared};

/// Convex hulls of 1 to 64 points, placed by centers and rotations.
///
/// Hulls of one shape share their points: a kind is the points of a hull, and each hull has the index of its kind. The hull
/// is that of exactly these points, without a tolerance: inner, equal, collinear and coplanar points are harmless.
///
/// Parameters
/// ----------
/// kinds : list of (p, 3) arrays of float32, or what converts to it exactly
///     The points of each kind, 1 to 64, around their origin, or what `cylinder` and `cone` return. Each hull is first tested as the box around its origin that contains
///     its points, and errors grow with that box. An origin at a corner or a foot is fine; farther than 32 half diagonals of their
///     bounding box it is a ValueError, see `centered`. `outer_hull` makes a kind of more points.
/// kind : (n,) integers, or a number for all
///     The index of each hull's kind.
/// center : (n, 3) float32, or a tuple of 3 columns
///     The position of the origin of the points: coordinates x, y, z, in any unit of length, the same for all stores of a call.
/// rotation : (n, 4) float32, or a tuple of 4 columns
///     Unit quaternions in the order x, y, z, w, as for `Obbs`.
/// radii : a number or (k,) float32, optional
///     The radius by which each of the k kinds is rounded: its hulls are all points within this distance of the hull of the points. A
///     rounded point is a sphere, two are a capsule.
/// displacement : like center, optional
///     The motion of the center during the frame, in the unit of length.
/// turn : like center, optional
///     The rotation about the center during the frame: a rotation vector in radians, at most pi long. Used by `impact` and by
///     bounds during the frame.
/// groups, body : integers, optional
///     See `groups` and `body` of the store.
///
/// The store is a copy. `set_center`, `set_rotation`, `set_displacement` and `set_turn` move its hulls.
#[pyclass(frozen, module = "phalanx")]
pub struct Hulls(CopyOnWrite<phalanx::Hulls>);

/// Hulls that arrays read.
#[pyclass(frozen, module = "phalanx")]
struct LentHulls(Arc<phalanx::Hulls>);

/// The columns of one argument, to write.
type ColumnsMut = fn(&mut phalanx::Hulls) -> Vec<&mut [f32]>;

/// A column to copy.
enum Numbers<'a> {
    Each(&'a [f32]),
    Same(f32),
}

impl Hulls {
    /// The current hulls. A call holds them until it returns, so a write during the call goes to a copy.
    pub fn shared(&self, py: Python<'_>) -> Arc<phalanx::Hulls> {
        self.0.get(py)
    }

    /// Some columns as arrays that share the memory of the store, or None if they are empty.
    fn lent<'py>(
        &self,
        py: Python<'py>,
        columns: impl FnOnce(&phalanx::Hulls) -> Vec<&[f32]>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        // A write copies the hulls while the arrays keep them alive.
        let owner = Bound::new(py, LentHulls(self.shared(py)))?;
        let hulls = &owner.get().0;
        let columns = columns(hulls);
        if columns.iter().any(|column| column.len() != hulls.len()) {
            return Ok(None);
        }
        let arrays = columns.into_iter().map(|x| shared(x, owner.as_any()));
        let arrays: Vec<_> = arrays.collect::<PyResult<_>>()?;
        Ok(Some(PyTuple::new(py, arrays)?))
    }

    /// Replaces the columns of an argument.
    fn set(
        &self,
        py: Python<'_>,
        name: &'static str,
        axes: usize,
        value: &Bound<'_, PyAny>,
        columns: ColumnsMut,
    ) -> PyResult<()> {
        let argument = Argument::new(name, axes, value)?;
        let expected = self.shared(py).len();
        let mut numbers = Vec::with_capacity(axes);
        for (k, part) in argument.columns.iter().enumerate() {
            numbers.push(match part {
                Part::Same(x) => Numbers::Same(*x),
                Part::Column(column, _) => {
                    let column = column.lend(py, || column_name(name, axes, k))?;
                    if column.len() != expected {
                        return Err(PyValueError::new_err(format!(
                            "{} is for {} shapes, but the store has {expected}",
                            if argument.is_copy {
                                name.to_owned()
                            } else {
                                column_name(name, axes, k)
                            },
                            column.len()
                        )));
                    }
                    Numbers::Each(column)
                }
            });
        }
        self.0.change(py, |hulls| {
            for (to, from) in columns(hulls).into_iter().zip(numbers) {
                match from {
                    Numbers::Each(column) => to.copy_from_slice(column),
                    Numbers::Same(x) => to.fill(x),
                }
            }
        });
        Ok(())
    }
}

/// A copy of the hulls with these indices, which are below the length. Kinds are shared.
pub fn taken_hulls(hulls: &phalanx::Hulls, indices: &[u32]) -> Result<phalanx::Hulls, Error> {
    let mut some = phalanx::Hulls::new(hulls.kinds());
    some.reserve(indices.len());
    for &i in indices {
        let displacement = hulls.displacement(i).unwrap_or_default();
        let turn = hulls.turn(i).unwrap_or_default();
        if let Some(hull) = hulls.get(i) {
            some.push_turning(hull, displacement, turn)?;
        }
    }
    Filters::taken(&hulls.view(), indices.iter().copied()).write(&mut some);
    Ok(some)
}

/// The exception for points that are no kind, given the name of their argument.
pub fn refused(name: &str, error: Error) -> PyErr {
    match error {
        Error::HullPoints { points, .. } => {
            PyValueError::new_err(format!("{name} has {points} points, not 1 to 64"))
        }
        Error::BadHullPoint { index, defect, .. } => {
            PyValueError::new_err(format!("{name}[{index}] is invalid: {defect}"))
        }
        off @ Error::HullOffCenter { .. } => {
            PyValueError::new_err(format!("{name}: {off}, see phalanx.centered"))
        }
        bad @ Error::BadHullRadius { .. } => PyValueError::new_err(format!("{name}: {bad}")),
        other => raised(other),
    }
}

/// Returns at most `most` points whose hull contains all points, such as the vertices of a robot's link, and its growth.
///
/// Parameters
/// ----------
/// points : (p, 3) array of float32, or what converts to it exactly
///     The points, around their origin as in `Hulls`.
/// most : int
///     The largest number of points to return, 4 to 64.
///
/// Returns
/// -------
/// (k, 3) array of float32, a kind of `Hulls`, and the growth: the largest distance of a point of the new hull from the hull of the
/// given points, rounded up; 0 if these have at most `most` corners, which are then returned.
///
/// Raises
/// ------
/// ValueError
///     If `most` is not 4 to 64, without points, or for points that `Hulls` refuse.
#[pyfunction]
#[pyo3(signature = (points, most = 64))]
pub fn outer_hull<'py>(
    points: &Bound<'py, PyAny>,
    most: i64,
) -> PyResult<(Bound<'py, PyArray2<f32>>, f32)> {
    let py = points.py();
    let most = usize::try_from(most)
        .ok()
        .filter(|most| (4..=64).contains(most))
        .ok_or_else(|| PyValueError::new_err(format!("most is {most}, not 4 to 64")))?;
    let points = crate::mesh::points("points", points)?;
    if points.is_empty() {
        return Err(PyValueError::new_err("points has no points"));
    }
    let mut kinds = HullKinds::new();
    let (kind, growth) = py
        .detach(|| kinds.add_outer(&points, most))
        .map_err(|error| refused("points", error))?;
    let corners: Vec<Vec<f32>> = kinds
        .points(kind)
        .into_iter()
        .flatten()
        .map(Vec::from)
        .collect();
    Ok((PyArray2::from_vec2(py, &corners)?, growth))
}

/// The kinds of a list of arrays, with a radius for each or one for all.
pub fn kinds_of(value: &Bound<'_, PyAny>, radii: Option<&Bound<'_, PyAny>>) -> PyResult<HullKinds> {
    if !value.is_instance_of::<PyList>()
        && !value.is_instance_of::<PyTuple>()
        && !value.is_instance_of::<PyUntypedArray>()
    {
        return Err(PyTypeError::new_err(format!(
            "kinds is of type {}, not a list of arrays (n, 3)",
            type_of(value)
        )));
    }
    let radii = radii
        .map(|radii| Argument::new("radii", 1, radii))
        .transpose()?;
    let radii = match radii.as_ref().and_then(|radii| radii.columns.first()) {
        None => Numbers::Same(0.0),
        Some(Part::Same(radius)) => Numbers::Same(*radius),
        Some(Part::Column(column, _)) => {
            Numbers::Each(column.lend(value.py(), || "radii".to_owned())?)
        }
    };
    let mut kinds = HullKinds::new();
    for (kind, value) in value.try_iter()?.enumerate() {
        let (name, value) = (format!("kinds[{kind}]"), value?);
        let radius = match &radii {
            Numbers::Same(radius) => *radius,
            // Their number is compared at the end.
            Numbers::Each(radii) => radii.get(kind).copied().unwrap_or_default(),
        };
        if let Ok(round) = value.cast::<RoundKind>() {
            round.get().add(&mut kinds, radius, &name)?;
            continue;
        }
        let added = kinds.add_rounded(&points(&name, &value)?, radius);
        added.map_err(|error| refused(&name, error))?;
    }
    match radii {
        Numbers::Each(radii) if radii.len() != kinds.len() => Err(PyValueError::new_err(format!(
            "radii has {} numbers, but there are {} kinds",
            radii.len(),
            kinds.len()
        ))),
        _ => Ok(kinds),
    }
}

/// Boxes of no extent with the poses of hulls. The numbers of shapes of all arguments are equal.
fn poses(
    py: Python<'_>,
    kind: &Indices,
    [center, rotation]: [Argument; 2],
    [displacement, turn]: [Option<&Bound<'_, PyAny>>; 2],
) -> PyResult<Data<Obb>> {
    // The extents count the hulls that have a kind.
    let extents = || match kind {
        Indices::Same(_) => Part::Same(0.0),
        Indices::Each(kinds) => {
            let zeros = vec![0.0; kinds.len()];
            Part::Column(Column::Buffer(zeros.into()), kinds.len())
        }
    };
    let kind = Argument {
        name: "kind",
        columns: (0..3).map(|_| extents()).collect(),
        is_copy: true,
    };
    let motion = [("displacement", displacement), ("turn", turn)];
    Data::of_shapes(py, [center, kind, rotation], motion)
}

/// Hulls of kinds, with poses, motion, groups and bodies.
fn placed(
    [kinds, kind]: [&Bound<'_, PyAny>; 2],
    radii: Option<&Bound<'_, PyAny>>,
    pose: [Argument; 2],
    motion: [Option<&Bound<'_, PyAny>>; 2],
    [groups, body]: [Option<&Bound<'_, PyAny>>; 2],
) -> PyResult<Hulls> {
    let py = kinds.py();
    let kinds = kinds_of(kinds, radii)?;
    let kind = Indices::new("kind", kind, kinds.len(), "kinds")?;
    let poses = poses(py, &kind, pose, motion)?;
    let lent = poses.lend(py)?;
    let poses = lent.view()?;
    let filters = Filters::new(poses.len(), groups, body)?;
    let build = || {
        let mut hulls = phalanx::Hulls::new(&kinds);
        hulls.reserve(poses.len());
        for (
            i,
            Obb {
                center, rotation, ..
            },
        ) in poses.iter().enumerate()
        {
            let kind = match &kind {
                Indices::Same(kind) => *kind,
                Indices::Each(kinds) => kinds[i],
            };
            let hull = Hull::new(kind, center, rotation);
            let displacement = poses.displacement(i as u32).unwrap_or_default();
            let turn = poses.turn(i as u32).unwrap_or_default();
            hulls.push_turning(hull, displacement, turn)?;
        }
        filters.write(&mut hulls);
        Ok(hulls)
    };
    let hulls = py.detach(build).map_err(raised)?;
    Ok(Hulls(CopyOnWrite::new(hulls)))
}

#[pymethods]
impl Hulls {
    #[new]
    #[pyo3(signature = (
        kinds, kind, center, rotation, *, radii = None, displacement = None, turn = None, groups = None, body = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "as Python calls it, by name")]
    fn new(
        kinds: &Bound<'_, PyAny>,
        kind: &Bound<'_, PyAny>,
        center: &Bound<'_, PyAny>,
        rotation: &Bound<'_, PyAny>,
        radii: Option<&Bound<'_, PyAny>>,
        displacement: Option<&Bound<'_, PyAny>>,
        turn: Option<&Bound<'_, PyAny>>,
        groups: Option<&Bound<'_, PyAny>>,
        body: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let pose = [
            Argument::new("center", 3, center)?,
            Argument::new("rotation", 4, rotation)?,
        ];
        placed(
            [kinds, kind],
            radii,
            pose,
            [displacement, turn],
            [groups, body],
        )
    }

    /// Hulls with quaternions in the order w, x, y, z, as trimesh, MuJoCo, Drake and pyquaternion have them.
    ///
    /// It takes what `Hulls` take; the first number of each rotation is w.
    #[staticmethod]
    #[pyo3(signature = (
        kinds, kind, center, rotation, *, radii = None, displacement = None, turn = None, groups = None, body = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "as Python calls it, by name")]
    fn from_wxyz(
        kinds: &Bound<'_, PyAny>,
        kind: &Bound<'_, PyAny>,
        center: &Bound<'_, PyAny>,
        rotation: &Bound<'_, PyAny>,
        radii: Option<&Bound<'_, PyAny>>,
        displacement: Option<&Bound<'_, PyAny>>,
        turn: Option<&Bound<'_, PyAny>>,
        groups: Option<&Bound<'_, PyAny>>,
        body: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let pose = [
            Argument::new("center", 3, center)?,
            Argument::of_wxyz(rotation)?,
        ];
        placed(
            [kinds, kind],
            radii,
            pose,
            [displacement, turn],
            [groups, body],
        )
    }

    /// Hulls with poses as matrices: points `p` of a hull are at `matrix @ [*p, 1]`.
    ///
    /// Parameters
    /// ----------
    /// kinds, kind
    ///     As for `Hulls`.
    /// matrix, origin
    ///     As for `Obbs.from_matrix`.
    /// radii, displacement, turn, groups, body : optional
    ///     As for `Hulls`.
    #[staticmethod]
    #[pyo3(signature = (
        kinds, kind, matrix, *, origin = None, radii = None, displacement = None, turn = None, groups = None, body = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "as Python calls it, by name")]
    fn from_matrix(
        kinds: &Bound<'_, PyAny>,
        kind: &Bound<'_, PyAny>,
        matrix: &Bound<'_, PyAny>,
        origin: Option<&Bound<'_, PyAny>>,
        radii: Option<&Bound<'_, PyAny>>,
        displacement: Option<&Bound<'_, PyAny>>,
        turn: Option<&Bound<'_, PyAny>>,
        groups: Option<&Bound<'_, PyAny>>,
        body: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let poses = Poses::of_matrix(matrix, origin)?;
        let pose = [poses.center(), poses.rotation()];
        placed(
            [kinds, kind],
            radii,
            pose,
            [displacement, turn],
            [groups, body],
        )
    }

    /// The points of each kind: a list of arrays (p, 3) of float32, or of what `cylinder` and `cone` return. Copies.
    #[getter]
    fn kinds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let hulls = self.shared(py);
        let kinds = hulls.kinds();
        let list = PyList::empty(py);
        for kind in 0..kinds.len() as u32 {
            if let Some(discs) = kinds.discs(kind) {
                list.append(Bound::new(py, RoundKind::of_discs(discs))?)?;
                continue;
            }
            let points: Vec<[f32; 3]> = kinds.points(kind).into_iter().flatten().collect();
            let len = points.len();
            let array = PyArray1::from_vec(py, points.into_flattened());
            list.append(array.reshape([len, 3])?)?;
        }
        Ok(list)
    }

    /// The radius of each kind: an array (k,) of float32. A copy.
    #[getter]
    fn radii<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        let hulls = self.shared(py);
        let kinds = hulls.kinds();
        let radii = (0..kinds.len() as u32).filter_map(|kind| kinds.radius(kind));
        PyArray1::from_vec(py, radii.collect())
    }

    /// The index of each hull's kind: an array (n,) of uint32. A copy.
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let hulls = self.shared(py);
        PyArray1::from_vec(py, hulls.iter().map(|hull| hull.kind).collect())
    }

    /// The positions, without a copy: a tuple of an array for each axis. Later writes of the store leave them unchanged.
    #[getter]
    fn center<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.lent(py, |hulls| hulls.poses().center.to_vec())
    }

    /// The quaternions, without a copy: a tuple of an array for each component. Later writes of the store leave them
    /// unchanged.
    #[getter]
    fn rotation<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.lent(py, |hulls| hulls.poses().rotation.to_vec())
    }

    /// The motion, without a copy: a tuple of an array for each axis. Later writes of the store leave them unchanged.
    #[getter]
    fn displacement<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.lent(py, |hulls| hulls.poses().displacement.to_vec())
    }

    /// The rotation vectors, without a copy: a tuple of an array for each axis, or None if no hull has a turn. Later writes
    /// of the store leave them unchanged.
    #[getter]
    fn turn<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.lent(py, |hulls| hulls.poses().turn.to_vec())
    }

    /// Moves all hulls.
    ///
    /// It takes what the store takes as `center`. A call that reads the store meanwhile, in another thread, sees all hulls
    /// before the write or all after, and so do arrays of its columns.
    fn set_center(&self, py: Python<'_>, center: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(py, "center", 3, center, |hulls| {
            hulls.poses_mut().center.into()
        })
    }

    /// Rotates all hulls: sets their quaternions x, y, z, w, as `set_center` sets their centers.
    fn set_rotation(&self, py: Python<'_>, rotation: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(py, "rotation", 4, rotation, |hulls| {
            hulls.poses_mut().rotation.into()
        })
    }

    /// Sets the motion of all hulls during the frame, as `set_center` sets their centers.
    fn set_displacement(&self, py: Python<'_>, displacement: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(py, "displacement", 3, displacement, |hulls| {
            hulls.poses_mut().displacement.into()
        })
    }

    /// Sets the rotation vectors of all hulls during the frame, as `set_center` sets their centers.
    fn set_turn(&self, py: Python<'_>, turn: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(py, "turn", 3, turn, |hulls| hulls.turn_columns_mut().into())
    }

    /// Two bit masks for each hull, the groups that it is in and those that it meets: an array (n, 2). A copy.
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        groups_array(py, &self.shared(py).view())
    }

    /// The body of each hull, an integer; 2**32 - 1 for none. Shapes of one body are in no pair. A copy.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        bodies_array(py, &self.shared(py).view())
    }

    /// False: the store is a copy.
    #[getter]
    fn is_view(&self) -> bool {
        false
    }

    /// The box around each hull, around its center, with its rotation, motion, groups and body: a store of `Obbs`.
    fn boxes(&self, py: Python<'_>) -> PyResult<Obbs> {
        let hulls = self.shared(py);
        let copy = py.detach(|| copied(&hulls.boxes())).map_err(raised)?;
        Ok(Obbs(Data::Owned(Box::new(copy))))
    }

    /// A store of the same hulls to move elsewhere. Kinds are shared.
    fn copy(&self, py: Python<'_>) -> Self {
        let hulls = self.shared(py);
        Hulls(CopyOnWrite::new(
            py.detach(|| phalanx::Hulls::clone(&hulls)),
        ))
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy(py)
    }

    /// Raises a ValueError that names the first invalid hull, its field and the value.
    fn validate(&self, py: Python<'_>) -> PyResult<()> {
        let hulls = self.shared(py);
        py.detach(|| hulls.validate()).map_err(raised)
    }

    /// Bounding boxes of the boxes around the hulls, at the start or during all of the frame; no hit lies outside them.
    #[pyo3(signature = (during = "start"))]
    fn bounds(&self, py: Python<'_>, during: &str) -> PyResult<Aabbs> {
        let during = self::during(during)?;
        let hulls = self.shared(py);
        let mut boxes = Store::new();
        py.detach(|| hulls.bounds(during, &mut boxes));
        Ok(Aabbs(Data::Owned(Box::new(boxes))))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.shared(py).len()
    }

    /// A store with a copy of some hulls: of one index, of a slice, of a mask or of an array of indices. Kinds are shared.
    fn __getitem__(&self, index: &Bound<'_, PyAny>) -> PyResult<Self> {
        let hulls = self.shared(index.py());
        let indices = indices_of(hulls.len(), index)?;
        let some = taken_hulls(&hulls, &indices).map_err(raised)?;
        Ok(Hulls(CopyOnWrite::new(some)))
    }

    /// Iterates over stores of one hull each.
    fn __iter__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        one_by_one(this.as_any())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let hulls = self.shared(py);
        let kinds = hulls.kinds().len();
        format!("<phalanx.Hulls of {} shapes, {kinds} kinds>", hulls.len())
    }
}
