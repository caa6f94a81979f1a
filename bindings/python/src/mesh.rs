//! `Mesh`: triangles between shared vertices, used wherever `Triangles` are.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;

use numpy::ndarray::ArrayView2;
use numpy::{
    Element, PyArray1, PyArray2, PyArray3, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray,
    PyUntypedArrayMethods,
};
use phalanx::{Error, Shapes, Sides, Store};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::columns::{aligned, as_copied_array, as_numpy, shape_of};
use crate::copy_on_write::CopyOnWrite;
use crate::filters::{Filters, UNMASK, indices_of, one_by_one, wide};
use crate::raised;
use crate::stores::{Aabbs, Triangles};
use crate::view::{Data, bodies_array, copied, during, groups_array, taken};

/// A triangle mesh: triangles between shared vertices, each with its neighbours across its edges.
///
/// It is used wherever Triangles are: the index of a shape is the index of a face. These queries take it as a
/// surface; `inside` and `signed_distance` of a detector take it as a solid, if it is closed. Vertices are numbers of float32: an array of float64 is a TypeError, because rounding moves them.
/// Lists of numbers are rounded, once for each vertex, so a closed mesh stays closed. Subtract an origin from large coordinates
/// before they are converted.
///
/// Parameters
/// ----------
/// vertices : (v, 3) float32, or what converts to it exactly
///     Coordinates x, y, z, in any unit of length, the same for all stores of a call.
/// faces : (m, 3) integers
///     Indices of the three vertices of each triangle, counterclockwise from the side to which the normal points.
/// flatness : float
///     An edge is flat if the angle between the normals of its triangles is below this, in radians, 0 to 0.5.
/// sides : {"front", "both"}
///     "front" for the surface of solids or a ground: contacts push shapes out at the front. "both" for a sheet: contacts push them
///     to the side on which they are.
/// displacement : three numbers or an array (3,) of float32, optional
///     The motion of the whole mesh during the frame.
/// groups, body : integers, optional
///     See `groups` and `body` of the store.
#[pyclass(frozen, module = "phalanx")]
pub struct Mesh(CopyOnWrite<phalanx::Mesh>);

impl Mesh {
    fn of(mesh: phalanx::Mesh) -> Self {
        Mesh(CopyOnWrite::new(mesh))
    }

    /// The current mesh. A call holds it until it returns, so a write during the call goes to a copy.
    pub fn shared(&self, py: Python<'_>) -> Arc<phalanx::Mesh> {
        self.0.get(py)
    }
}

/// A mesh of some triangles of another one, whose indices are below its length. Edges to other triangles become borders.
pub fn taken_mesh(mesh: &phalanx::Mesh, indices: &[u32]) -> Result<phalanx::Mesh, Error> {
    let (mut vertices, mut faces) = (Vec::new(), Vec::with_capacity(indices.len()));
    let mut new_index = HashMap::new();
    for &i in indices {
        let (Some(triangle), Some(old)) = (mesh.get(i), mesh.indices().get(i as usize)) else {
            continue;
        };
        let mut face = [0; 3];
        for ((new, old), corner) in face.iter_mut().zip(old).zip(triangle.corners) {
            *new = *new_index.entry(*old).or_insert_with(|| {
                vertices.push(corner);
                vertices.len() as u32 - 1
            });
        }
        faces.push(face);
    }
    let mut some = phalanx::Mesh::with_flatness(&vertices, &faces, mesh.flatness())?;
    some.set_sides(mesh.sides());
    some.set_displacement(mesh.displacement());
    Filters::taken(&mesh.view(), indices.iter().copied()).write(&mut some);
    Ok(some)
}

/// The rows of an array (n, 3). None if it is of another shape.
fn rows<X: Element + Copy, Y>(
    name: &str,
    array: &Bound<'_, PyUntypedArray>,
    of: impl FnOnce(ArrayView2<'_, X>) -> PyResult<Y>,
) -> PyResult<Option<Y>> {
    let Ok(array) = array.cast::<PyArray2<X>>() else {
        return Ok(None);
    };
    let readable = array
        .try_readonly()
        .map_err(|error| PyValueError::new_err(format!("{name}: {error}")))?;
    match readable.as_array() {
        rows if rows.ncols() == 3 => of(rows).map(Some),
        _ => Ok(None),
    }
}

/// The rows of an array (n, 3) of numbers that are `f32`.
pub fn points(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<[f32; 3]>> {
    let array = as_copied_array(name, value)?;
    let copied = rows(name, &array, |rows| {
        let rows = rows.rows().into_iter();
        Ok(rows.map(|row| [row[0], row[1], row[2]]).collect())
    })?;
    match copied {
        Some(points) => Ok(points),
        None if array.shape() == [0] => Ok(Vec::new()),
        None => Err(PyValueError::new_err(format!(
            "{name} has shape {}, not (n, 3)",
            shape_of(&array)
        ))),
    }
}

/// The indices of the vertices of each face.
fn faces(value: &Bound<'_, PyAny>, vertices: usize) -> PyResult<Vec<[u32; 3]>> {
    let array = aligned(as_numpy("faces", value, UNMASK)?)?;
    if matches!(array.shape(), [0] | [0, 3]) {
        return Ok(Vec::new());
    }
    let indices = match array.dtype().kind() {
        b'u' => checked::<u64>(&wide::<u64>(&array)?, vertices)?,
        b'i' => checked::<i64>(&wide::<i64>(&array)?, vertices)?,
        _ => {
            return Err(PyTypeError::new_err(format!(
                "faces has dtype {}, not an integer",
                array.dtype()
            )));
        }
    };
    indices.ok_or_else(|| {
        PyValueError::new_err(format!(
            "faces has shape {}, not (m, 3): three vertices for each triangle",
            shape_of(&array)
        ))
    })
}

fn checked<X: Element + Copy + Display + TryInto<u32>>(
    array: &Bound<'_, PyUntypedArray>,
    vertices: usize,
) -> PyResult<Option<Vec<[u32; 3]>>> {
    let vertex = |face: usize, x: X| match x.try_into() {
        Ok(vertex) if (vertex as usize) < vertices => Ok(vertex),
        _ => Err(PyIndexError::new_err(format!(
            "faces[{face}] names vertex {x}, but there are {vertices} vertices"
        ))),
    };
    rows("faces", array, |rows: ArrayView2<'_, X>| {
        let faces = rows.rows().into_iter().enumerate();
        let indices = faces.map(|(face, row)| {
            Ok([
                vertex(face, row[0])?,
                vertex(face, row[1])?,
                vertex(face, row[2])?,
            ])
        });
        indices.collect()
    })
}

/// `N` numbers.
pub fn numbers<const N: usize>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<[f32; N]> {
    let array = as_copied_array(name, value)?;
    if let Ok(column) = array.cast::<PyArray1<f32>>() {
        let readable = column
            .try_readonly()
            .map_err(|error| PyValueError::new_err(format!("{name}: {error}")))?;
        let numbers: Vec<f32> = readable.as_array().iter().copied().collect();
        if let Ok(numbers) = numbers.try_into() {
            return Ok(numbers);
        }
    }
    Err(PyValueError::new_err(format!(
        "{name} has shape {}, not ({N},)",
        shape_of(&array)
    )))
}

// The default below.
const _: () = assert!(phalanx::Mesh::FLATNESS == 1e-3);

/// The neighbour of each edge, and its kind.
type Edges<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<u8>>);

#[pymethods]
impl Mesh {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "as Python calls it, by name")]
    #[pyo3(signature = (
        vertices, faces, *, flatness = 1e-3, sides = "front", displacement = None, groups = None, body = None
    ))]
    fn new(
        py: Python<'_>,
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        flatness: f64,
        sides: &str,
        displacement: Option<&Bound<'_, PyAny>>,
        groups: Option<&Bound<'_, PyAny>>,
        body: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let sides = match sides {
            "front" => Sides::Front,
            "both" => Sides::Both,
            _ => {
                let message = format!("sides is {sides:?}, not \"front\" or \"both\"");
                return Err(PyValueError::new_err(message));
            }
        };
        let vertices = points("vertices", vertices)?;
        let faces = self::faces(faces, vertices.len())?;
        let displacement = displacement.map(|value| numbers("displacement", value));
        let displacement = displacement.transpose()?;
        let filters = Filters::new(faces.len(), groups, body)?;
        let build = || {
            let mut mesh = phalanx::Mesh::with_flatness(&vertices, &faces, flatness as f32)?;
            mesh.set_sides(sides);
            if let Some(displacement) = displacement {
                mesh.set_displacement(displacement);
            }
            filters.write(&mut mesh);
            Ok(mesh)
        };
        py.detach(build).map(Mesh::of).map_err(raised)
    }

    /// The vertices of each triangle: an array (m, 3) of uint32. A copy.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let mesh = self.shared(py);
        let indices = mesh.indices().as_flattened().to_vec();
        PyArray1::from_vec(py, indices).reshape([mesh.len(), 3])
    }

    /// The corners of each triangle: an array (m, 3, 3) of float32. A copy.
    #[getter]
    fn corners<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let mesh = self.shared(py);
        let corners: Vec<_> = mesh.triangles().iter().map(|it| it.corners).collect();
        let numbers = corners.into_flattened().into_flattened();
        PyArray1::from_vec(py, numbers).reshape([mesh.len(), 3, 3])
    }

    /// The unit normal of each triangle by the right-hand rule: an array (m, 3) of float32, zero where a triangle has no area
    /// or is invalid. A copy.
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let mesh = self.shared(py);
        let normals: Vec<_> = py.detach(|| {
            let triangles = 0..mesh.len() as u32;
            triangles.filter_map(|i| mesh.normal(i)).collect()
        });
        PyArray1::from_vec(py, normals.into_flattened()).reshape([mesh.len(), 3])
    }

    /// The neighbours and the kinds of all edges: two arrays (m, 3), of int64 and uint8.
    ///
    /// Edge k of a face goes from its vertex k to vertex k + 1. The neighbour is the face beyond the edge, or -1; the kind is
    /// an EdgeKind. Two faces are neighbours if they are the only ones with the edge and run along it in opposite directions;
    /// ends of an edge are the same if their indices or their coordinates are equal. All other edges are EdgeKind.BORDER, the
    /// only ones without a neighbour.
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Edges<'py>> {
        let mesh = self.shared(py);
        let (neighbours, kinds): (Vec<i64>, Vec<u8>) = py.detach(|| {
            let faces = 0..mesh.len() as u32;
            let places = faces.flat_map(|i| [0, 1, 2].map(|k| (i, k)));
            let edges = places.filter_map(|(i, k)| mesh.edge(i, k));
            edges
                .map(|edge| (edge.neighbour.map_or(-1, i64::from), edge.kind as u8))
                .unzip()
        });
        let shape = [mesh.len(), 3];
        Ok((
            PyArray1::from_vec(py, neighbours).reshape(shape)?,
            PyArray1::from_vec(py, kinds).reshape(shape)?,
        ))
    }

    /// Whether the mesh is the surface of solids: each edge belongs to an even number of faces.
    ///
    /// Ends of an edge are the same if their indices or their coordinates are equal. The winding does not matter. Faces without area
    /// count, those with an invalid vertex do not.
    #[getter]
    fn is_closed(&self, py: Python<'_>) -> bool {
        self.shared(py).is_closed()
    }

    /// The angle between normals below which an edge is flat, in radians.
    #[getter]
    fn flatness(&self, py: Python<'_>) -> f32 {
        self.shared(py).flatness()
    }

    /// The sides from which the mesh is touched, "front" or "both".
    #[getter]
    fn sides(&self, py: Python<'_>) -> &'static str {
        match self.shared(py).sides() {
            Sides::Both => "both",
            _ => "front",
        }
    }

    /// Moves every vertex of a mesh at rest to `position + R vertex`, and writes the triangles over those of this mesh: a
    /// moving platform.
    ///
    /// `rotation` is the quaternion x, y, z, w of R. Both are numbers, or arrays of float32. This mesh is a copy of `at_rest`. A closed mesh stays closed; edges are
    /// those of `at_rest`; groups, bodies and the displacement stay. A call that reads this mesh meanwhile, in another thread,
    /// sees all of it before the move or all of it after.
    fn place(
        &self,
        py: Python<'_>,
        at_rest: &Bound<'_, Mesh>,
        position: &Bound<'_, PyAny>,
        rotation: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let position = numbers("position", position)?;
        let rotation = numbers("rotation", rotation)?;
        let at_rest = at_rest.get().shared(py);
        self.0
            .change(py, |mesh| mesh.place(&at_rest, position, rotation))
            .map_err(raised)
    }

    /// The displacement of the mesh during the frame: an array (3,) of float32. A copy.
    #[getter]
    fn displacement<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        PyArray1::from_slice(py, &self.shared(py).displacement())
    }

    /// Sets the displacement of the mesh during the frame.
    fn set_displacement(&self, py: Python<'_>, displacement: &Bound<'_, PyAny>) -> PyResult<()> {
        let displacement = numbers("displacement", displacement)?;
        self.0
            .change(py, |mesh| mesh.set_displacement(displacement));
        Ok(())
    }

    /// Two bit masks for each triangle, the groups that it is in and those that it meets: an array (m, 2). A copy.
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        groups_array(py, &self.shared(py).view())
    }

    /// The body of each triangle; 2**32 - 1 for none. A copy.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        bodies_array(py, &self.shared(py).view())
    }

    /// False: a mesh is a copy.
    #[getter]
    fn is_view(&self) -> bool {
        false
    }

    /// A store of the triangles alone, with their motion, groups and bodies.
    fn triangles(&self, py: Python<'_>) -> PyResult<Triangles> {
        let mesh = self.shared(py);
        let copy = copied(&mesh.view()).map_err(raised)?;
        Ok(Triangles(Data::Owned(Box::new(copy))))
    }

    /// A copy to place elsewhere. Faces and edges are shared.
    fn copy(&self, py: Python<'_>) -> Self {
        let mesh = self.shared(py);
        Mesh::of(py.detach(|| phalanx::Mesh::clone(&mesh)))
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy(py)
    }

    /// Raises a ValueError that names the first invalid triangle, its field and the value.
    fn validate(&self, py: Python<'_>) -> PyResult<()> {
        let mesh = self.shared(py);
        py.detach(|| mesh.validate()).map_err(raised)
    }

    /// Bounding boxes of the triangles, at the start or during all of the frame; no hit lies outside them.
    #[pyo3(signature = (during = "start"))]
    fn bounds(&self, py: Python<'_>, during: &str) -> PyResult<Aabbs> {
        let during = self::during(during)?;
        let mesh = self.shared(py);
        let mut boxes = Store::new();
        py.detach(|| mesh.view().bounds(during, &mut boxes));
        Ok(Aabbs(Data::Owned(Box::new(boxes))))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.shared(py).len()
    }

    /// A store of some triangles: of one index, of a slice, of a mask or of an array of indices.
    fn __getitem__(&self, index: &Bound<'_, PyAny>) -> PyResult<Triangles> {
        let mesh = self.shared(index.py());
        let indices = indices_of(mesh.len(), index)?;
        let some = taken(&mesh.view(), indices.into_iter()).map_err(raised)?;
        Ok(Triangles(Data::Owned(Box::new(some))))
    }

    /// Iterates over stores of one triangle each.
    fn __iter__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        one_by_one(this.as_any())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<phalanx.Mesh of {} triangles>", self.shared(py).len())
    }
}
