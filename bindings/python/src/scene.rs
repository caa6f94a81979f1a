//! `Scene`: colliders of all kinds by ids that last, added, moved and searched by arrays.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use phalanx::{Cast, Collider, ColliderId, Error, Filter, HalfSpace, Mark, Plane, Pose, Ray};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::colliders::{
    Admitted, AnyCollider, Each, MarkArguments, Marks, Poses, colliders_of, ids, not_saved,
    position, positions, role_name, scalars, vectors,
};
use crate::columns::{Count, rounded_up};
use crate::detector::{lanes_of, simd_of, warn};
use crate::filters::Indices;
use crate::hulls::kinds_of;
use crate::mesh::{Mesh, numbers};
use crate::poses::origin_of;
use crate::raised;
use crate::scene_answers::{CastHits, ColliderDistances, SceneContacts, SweepHits};

/// Colliders of all kinds: a frame's contacts, sweeps, rays and searches in one call each, by ids that last.
///
/// Use it if colliders are of several kinds, come and go, or are far from zero; use stores and a `Detector` for long lists of few
/// kinds. Answers are, bit for bit, those of a detector for each two kinds.
///
/// Parameters
/// ----------
/// origin : three numbers
///     The position in the world that shapes are relative to. Near it, positions are as exact as float32 allows.
/// margin : float
///     Colliders at most this far apart have contacts, too. Rounded up to float32. Other queries have no margin.
/// strict : bool
///     Whether a call that makes a collider invalid is a ValueError, as is a search by an invalid ray or collider. Otherwise
///     invalid colliders are in no pair and counted, and invalid searches find nothing.
/// parallel, simd
///     As for `Detector`.
///
/// Ids are integers of 64 bits, never given twice. Positions are of the world, in float64; shapes and rotations are float32.
/// A call that changes colliders checks all of them first: after an error nothing is changed. Several threads may use a scene;
/// calls wait for each other, and release the GIL.
#[pyclass(frozen, module = "phalanx")]
pub struct Scene(Mutex<Inner>);

/// A scene and its contacts of the last call.
#[derive(Clone, Default)]
struct Inner {
    scene: phalanx::Scene,
    contacts: Arc<phalanx::SceneContacts>,
}

/// The arguments of `_remade`.
type Saved = (Vec<u8>, bool, Option<usize>);

/// The positions and rotations of colliders.
type PoseArrays<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f32>>);

/// The error for row `row` of an argument `ids`.
fn bad_id(row: usize, id: ColliderId, what: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("ids[{row}] is {}: {what}", id.to_bits()))
}

/// The exception for an error of a collider, without the id that Python does not have.
fn about(error: Error) -> String {
    match error {
        Error::BadCollider { defect, .. } => format!("collider is invalid: {defect}"),
        Error::UnknownCollider { .. } => "the scene has no such collider".to_owned(),
        other => other.to_string(),
    }
}

/// Tests what a strict scene would refuse, without a change of it.
struct Probe(phalanx::Scene);

impl Probe {
    /// `None` if the scene is not strict, so that it refuses nothing.
    fn of(scene: &phalanx::Scene) -> PyResult<Option<Self>> {
        if !scene.is_strict() {
            return Ok(None);
        }
        let mut probe = phalanx::Scene::new();
        probe.set_origin(scene.origin()).map_err(raised)?;
        probe.set_strict(true);
        Ok(Some(Probe(probe)))
    }

    fn check(&mut self, collider: Collider, pose: Pose, way: [f32; 3]) -> Result<(), Error> {
        let stand_in = match collider {
            // What the pose alone makes invalid.
            Collider::Hull(_) | Collider::Mesh(_) => Collider::Obb([1.0; 3]),
            other => other,
        };
        let id = self.0.add(stand_in, pose, Mark::moving())?;
        let checked = self.0.set_displacement(id, way);
        self.0.remove(id)?;
        checked
    }
}

impl Inner {
    /// Fails if the scene lacks one of these ids.
    fn check(&self, ids: &[ColliderId]) -> PyResult<()> {
        match ids.iter().position(|id| !self.scene.contains(*id)) {
            Some(row) => Err(bad_id(row, ids[row], "the scene has no such collider")),
            None => Ok(()),
        }
    }

    /// The ids that are asked for: all if there are none.
    fn listed(&self, ids: Option<Vec<ColliderId>>) -> PyResult<Vec<ColliderId>> {
        let Some(ids) = ids else {
            return Ok(self.scene.ids().collect());
        };
        self.check(&ids)?;
        Ok(ids)
    }

    /// Adds colliders: all, or none.
    fn add(&mut self, colliders: &[Collider], poses: &Poses, marks: &Marks) -> PyResult<Vec<u64>> {
        let refused = |row: usize, error| {
            let what = about(error);
            PyValueError::new_err(format!("row {row} of the call: {what}"))
        };
        if let Some(mut probe) = Probe::of(&self.scene)? {
            for (row, collider) in colliders.iter().enumerate() {
                let checked = probe.check(*collider, poses.at(row), [0.0; 3]);
                checked.map_err(|error| refused(row, error))?;
            }
        }
        let mut ids = Vec::with_capacity(colliders.len());
        for (row, collider) in colliders.iter().enumerate() {
            let mark = marks.at(row, Mark::moving());
            match self.scene.add(*collider, poses.at(row), mark) {
                Ok(id) => ids.push(id),
                Err(error) => {
                    for id in ids {
                        self.scene.remove(id).map_err(raised)?;
                    }
                    return Err(match error {
                        Error::OutOfMemory { .. } => raised(error),
                        _ => refused(row, error),
                    });
                }
            }
        }
        Ok(ids.into_iter().map(ColliderId::to_bits).collect())
    }

    /// Sets poses: all, or none.
    fn set_poses(&mut self, ids: &[ColliderId], poses: &Poses) -> PyResult<()> {
        self.check(ids)?;
        let to = |scene: &phalanx::Scene, row: usize| {
            let mut pose = poses.at(row);
            if poses.rotations.is_none()
                && let Some(old) = scene.pose(ids[row])
            {
                pose.rotation = old.rotation;
            }
            pose
        };
        if let Some(mut probe) = Probe::of(&self.scene)? {
            for (row, id) in ids.iter().enumerate() {
                let way = self.scene.displacement(*id).unwrap_or_default();
                if let Some(collider) = self.scene.collider(*id) {
                    let checked = probe.check(collider, to(&self.scene, row), way);
                    checked.map_err(|error| bad_id(row, *id, about(error)))?;
                }
            }
        }
        for (row, id) in ids.iter().enumerate() {
            let pose = to(&self.scene, row);
            self.scene.set_pose(*id, pose).map_err(raised)?;
        }
        Ok(())
    }

    /// Sets shapes: all, or none.
    fn set_colliders(&mut self, ids: &[ColliderId], shapes: &Each<Collider>) -> PyResult<()> {
        self.check(ids)?;
        let kinds = self.scene.stores().hulls.kinds().len();
        let mut probe = Probe::of(&self.scene)?;
        for (row, id) in ids.iter().enumerate() {
            let shape = shapes.at(row);
            if let Collider::Hull(kind) = shape
                && kind as usize >= kinds
            {
                let what = format!("hull is of kind {kind}, but the scene has {kinds} kinds");
                return Err(bad_id(row, *id, what));
            }
            let pose = self.scene.pose(*id).zip(self.scene.displacement(*id));
            if let (Some(probe), Some((pose, way))) = (&mut probe, pose) {
                let checked = probe.check(shape, pose, way);
                checked.map_err(|error| bad_id(row, *id, about(error)))?;
            }
        }
        for (row, id) in ids.iter().enumerate() {
            let set = self.scene.set_collider(*id, shapes.at(row));
            set.map_err(raised)?;
        }
        Ok(())
    }

    /// Sets displacements: all, or none.
    fn set_displacements(&mut self, ids: &[ColliderId], ways: &Each<[f32; 3]>) -> PyResult<()> {
        self.check(ids)?;
        if let Some(mut probe) = Probe::of(&self.scene)? {
            for (row, id) in ids.iter().enumerate() {
                let collider = self.scene.collider(*id);
                if let Some((collider, pose)) = collider.zip(self.scene.pose(*id)) {
                    let checked = probe.check(collider, pose, ways.at(row));
                    checked.map_err(|error| bad_id(row, *id, about(error)))?;
                }
            }
        }
        for (row, id) in ids.iter().enumerate() {
            let set = self.scene.set_displacement(*id, ways.at(row));
            set.map_err(raised)?;
        }
        Ok(())
    }

    /// Removes colliders: all, or none.
    fn remove(&mut self, ids: &[ColliderId]) -> PyResult<()> {
        self.check(ids)?;
        let mut sorted: Vec<_> = (0..ids.len()).collect();
        sorted.sort_by_key(|row| (ids[*row], *row));
        let twice = sorted.windows(2).filter(|two| ids[two[0]] == ids[two[1]]);
        if let Some(row) = twice.map(|two| two[1]).min() {
            return Err(bad_id(row, ids[row], "it is listed twice"));
        }
        for id in ids {
            self.scene.remove(*id).map_err(raised)?;
        }
        Ok(())
    }
}

/// The hits of a search, with a warning if some of what searched was invalid.
fn with_warning(
    py: Python<'_>,
    found: Result<(CastHits, usize), Error>,
    what: &str,
) -> PyResult<CastHits> {
    let (hits, invalid) = found.map_err(raised)?;
    if invalid > 0 {
        let message =
            format!("invalid {what} hit nothing: {invalid}; a strict scene names the first");
        warn(py, message)?;
    }
    Ok(hits)
}

impl Scene {
    /// Asks the scene, which no other thread uses meanwhile, without the GIL.
    fn with<R: Send>(&self, py: Python<'_>, ask: impl FnOnce(&mut Inner) -> R + Send) -> R {
        py.detach(|| ask(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Adds as many colliders as the arguments are for.
    fn added<'py>(
        &self,
        py: Python<'py>,
        count: &Count,
        collider: impl Fn(usize) -> Collider,
        poses: &Poses,
        marks: &MarkArguments<'_, '_>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let len = count.get().unwrap_or(1);
        let marks = Marks::new(len, marks)?;
        let colliders: Vec<_> = (0..len).map(collider).collect();
        let added = self.with(py, |inner| inner.add(&colliders, poses, &marks))?;
        Ok(PyArray1::from_vec(py, added))
    }

    /// Adds planes or half-spaces.
    fn added_flat<'py>(
        &self,
        [normal, d]: [&Bound<'py, PyAny>; 2],
        [position, rotation]: [Option<&Bound<'py, PyAny>>; 2],
        of: impl Fn([f32; 3], f32) -> Collider,
        marks: &MarkArguments<'_, '_>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let mut count = Count::default();
        let normals = vectors("normal", normal, &mut count)?;
        let offsets = scalars("d", d, &mut count)?;
        let positions = match position {
            Some(position) => positions("position", position, &mut count)?,
            None => Each::Same([0.0; 3]),
        };
        let rotations = rotation.map(|rotation| vectors("rotation", rotation, &mut count));
        let rotations = rotations.transpose()?;
        let poses = Poses {
            positions,
            rotations,
        };
        let collider = |row| of(normals.at(row), offsets.at(row));
        self.added(normal.py(), &count, collider, &poses, marks)
    }
}

/// Declares the methods of a scene that add colliders, each with its own arguments, and then the other methods.
macro_rules! scene {
    (
        $(
            $(#[$doc:meta])*
            fn $add:ident($($given:ident),* $(; $($maybe:ident),+)?) |$scene:ident, $marks:ident| $body:block
        )*
        --
        $($own:item)*
    ) => {
        #[pymethods]
        impl Scene {
            $(
                $(#[$doc])*
                ///
                /// Parameters
                /// ----------
                /// role : "moving", "fixed" or "sensor", or one for each
                ///     Moving colliders meet all, fixed colliders and sensors moving ones only. Searches pass through sensors.
                /// groups, body : integers, optional
                ///     As of a store: the groups that a collider is in and those that it meets; colliders of one body never meet.
                /// is_swept : bool, or one for each
                ///     Whether `sweeps` searches for the first hit of the collider.
                /// entity : integer, or one for each
                ///     A number for the caller, from 0 to 2**64 - 1.
                ///
                /// Returns
                /// -------
                /// (n,) array of uint64: the ids.
                #[expect(clippy::too_many_arguments, reason = "as Python calls it, by name")]
                #[pyo3(signature = (
                    $($given,)* $($($maybe = None,)+)? *,
                    role = None, groups = None, body = None, is_swept = None, entity = None
                ))]
                fn $add<'py>(
                    &self,
                    $($given: &Bound<'py, PyAny>,)*
                    $($($maybe: Option<&Bound<'py, PyAny>>,)+)?
                    role: Option<&Bound<'py, PyAny>>,
                    groups: Option<&Bound<'py, PyAny>>,
                    body: Option<&Bound<'py, PyAny>>,
                    is_swept: Option<&Bound<'py, PyAny>>,
                    entity: Option<&Bound<'py, PyAny>>,
                ) -> PyResult<Bound<'py, PyArray1<u64>>> {
                    let ($scene, $marks) = (self, &MarkArguments { role, groups, body, is_swept, entity });
                    $body
                }
            )*
            $($own)*
        }
    };
}

scene! {
    /// Adds spheres of a radius at positions, an array (n, 3) of float64 or a tuple of 3 columns.
    fn add_spheres(position, radius) |scene, marks| {
        let mut count = Count::default();
        let poses = Poses::new(position, None, &mut count)?;
        let radii = scalars("radius", radius, &mut count)?;
        let collider = |row| Collider::Sphere(radii.at(row));
        scene.added(position.py(), &count, collider, &poses, marks)
    }

    /// Adds capsules around positions: all within `radius` of the segment from `-half_axis` to `half_axis`, rotated by
    /// quaternions x, y, z, w.
    fn add_capsules(position, half_axis, radius; rotation) |scene, marks| {
        let mut count = Count::default();
        let poses = Poses::new(position, rotation, &mut count)?;
        let half_axes = vectors("half_axis", half_axis, &mut count)?;
        let radii = scalars("radius", radius, &mut count)?;
        let collider = |row| {
            let (half_axis, radius) = (half_axes.at(row), radii.at(row));
            Collider::Capsule { half_axis, radius }
        };
        scene.added(position.py(), &count, collider, &poses, marks)
    }

    /// Adds boxes along the axes of the world, around positions: rotations of their poses are ignored.
    fn add_aabbs(position, half_extents) |scene, marks| {
        let mut count = Count::default();
        let poses = Poses::new(position, None, &mut count)?;
        let halves = vectors("half_extents", half_extents, &mut count)?;
        let collider = |row| Collider::Aabb(halves.at(row));
        scene.added(position.py(), &count, collider, &poses, marks)
    }

    /// Adds boxes around positions, rotated by quaternions x, y, z, w.
    fn add_obbs(position, half_extents; rotation) |scene, marks| {
        let mut count = Count::default();
        let poses = Poses::new(position, rotation, &mut count)?;
        let halves = vectors("half_extents", half_extents, &mut count)?;
        let collider = |row| Collider::Obb(halves.at(row));
        scene.added(position.py(), &count, collider, &poses, marks)
    }

    /// Adds triangles of three corners each, an array (n, 3, 3) or (n, 9), relative to positions and rotated by quaternions x, y,
    /// z, w.
    fn add_triangles(position, corners; rotation) |scene, marks| {
        let mut count = Count::default();
        let poses = Poses::new(position, rotation, &mut count)?;
        let all = vectors::<9>("corners", corners, &mut count)?;
        let collider = |row| {
            let [ax, ay, az, bx, by, bz, cx, cy, cz] = all.at(row);
            Collider::Triangle([[ax, ay, az], [bx, by, bz], [cx, cy, cz]])
        };
        scene.added(position.py(), &count, collider, &poses, marks)
    }

    /// Adds hulls of kinds, as `add_hull_kinds` returns them: an integer for each, or one for all.
    fn add_hulls(kind, position; rotation) |scene, marks| {
        let mut count = Count::default();
        let py = kind.py();
        let kinds = scene.with(py, |inner| inner.scene.stores().hulls.kinds().len());
        let kinds = Indices::new("kind", kind, kinds, "kinds of hulls")?;
        if let Indices::Each(kinds) = &kinds {
            count.add("kind".to_owned(), kinds.len())?;
        }
        let poses = Poses::new(position, rotation, &mut count)?;
        let collider = |row: usize| match &kinds {
            Indices::Each(kinds) => Collider::Hull(kinds[row]),
            Indices::Same(kind) => Collider::Hull(*kind),
        };
        scene.added(py, &count, collider, &poses, marks)
    }

    /// Adds planes: the points `p` with `normal · p + d = 0`, by default relative to zero.
    fn add_planes(normal, d; position, rotation) |scene, marks| {
        let of = |normal, d| Collider::Plane(Plane::new(normal, d));
        scene.added_flat([normal, d], [position, rotation], of, marks)
    }

    /// Adds half-spaces: the points `p` with `normal · p + d <= 0`, by default relative to zero.
    fn add_half_spaces(normal, d; position, rotation) |scene, marks| {
        let of = |normal, d| Collider::HalfSpace(HalfSpace::new(normal, d));
        scene.added_flat([normal, d], [position, rotation], of, marks)
    }

    /// Adds colliders of shared meshes, by the numbers that `add_mesh` returned: one for each, or one for all.
    ///
    /// Each has a copy of the triangles at its pose, so one that moves in each frame costs its triangles in each frame.
    fn add_placed_meshes(mesh, position; rotation) |scene, marks| {
        let mut count = Count::default();
        let py = mesh.py();
        let meshes = Indices::new("mesh", mesh, u32::MAX as usize, "numbers of meshes")?;
        if let Indices::Each(meshes) = &meshes {
            count.add("mesh".to_owned(), meshes.len())?;
        }
        let poses = Poses::new(position, rotation, &mut count)?;
        let collider = |row: usize| match &meshes {
            Indices::Each(meshes) => Collider::Mesh(meshes[row]),
            Indices::Same(mesh) => Collider::Mesh(*mesh),
        };
        let len = count.get().unwrap_or(1);
        scene.with(py, |inner| {
            let unknown = |row: &usize| match collider(*row) {
                Collider::Mesh(mesh) => inner.scene.mesh(mesh).is_none(),
                _ => false,
            };
            match (0..len).find(unknown) {
                Some(row) => Err(PyValueError::new_err(match &meshes {
                    Indices::Each(meshes) => format!("mesh[{row}] is {}: the scene has no such mesh", meshes[row]),
                    Indices::Same(mesh) => format!("mesh is {mesh}: the scene has no such mesh"),
                })),
                None => Ok(()),
            }
        })?;
        scene.added(py, &count, collider, &poses, marks)
    }
    --
    #[new]
    #[pyo3(signature = (*, origin = None, margin = 0.0, strict = false, parallel = true, simd = None))]
    fn new(
        origin: Option<&Bound<'_, PyAny>>,
        margin: f64,
        strict: bool,
        parallel: bool,
        simd: Option<usize>,
    ) -> PyResult<Self> {
        let mut scene = phalanx::Scene::new();
        scene.set_origin(origin_of(origin)?).map_err(raised)?;
        scene.set_margin(rounded_up(margin)).map_err(raised)?;
        scene.set_strict(strict);
        scene.detector_mut().set_parallel(parallel);
        if let Some(lanes) = simd {
            scene.detector_mut().set_simd(simd_of(lanes)?);
        }
        let contacts = Arc::default();
        Ok(Scene(Mutex::new(Inner { scene, contacts })))
    }

    /// Adds kinds of hulls, a list of arrays (p, 3) as `Hulls` takes them, with a radius for each or one for all.
    ///
    /// Returns an array (k,) of uint32: the kinds, for `add_hulls`. They stay as long as the scene.
    #[pyo3(signature = (kinds, *, radii = None))]
    fn add_hull_kinds<'py>(
        &self,
        kinds: &Bound<'py, PyAny>,
        radii: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let py = kinds.py();
        let kinds = kinds_of(kinds, radii)?;
        let added = self.with(py, |inner| {
            let mut added = Vec::with_capacity(kinds.len());
            for kind in 0..kinds.len() as u32 {
                let scene = &mut inner.scene;
                let radius = kinds.radius(kind).unwrap_or_default();
                added.push(match kinds.discs(kind) {
                    None => {
                        let points: Vec<_> = kinds.points(kind).into_iter().flatten().collect();
                        scene.add_rounded_hull_kind(&points, radius)?
                    }
                    Some([[_, base], [half_height, 0.0]]) => {
                        scene.add_cone_kind(base, half_height, radius)?
                    }
                    Some([[_, base], [half_height, _]]) => {
                        scene.add_cylinder_kind(base, half_height, radius)?
                    }
                });
            }
            Ok(added)
        });
        Ok(PyArray1::from_vec(py, added.map_err(raised)?))
    }

    /// Shares a mesh, and returns its number, for `add_placed_meshes`.
    ///
    /// Later writes to the mesh do not change the scene. Its displacement is not read; its groups and bodies filter triangles
    /// between two meshes only.
    fn add_mesh(&self, py: Python<'_>, mesh: &Bound<'_, Mesh>) -> u32 {
        let mesh = mesh.get().shared(py);
        self.with(py, |inner| inner.scene.add_mesh(mesh))
    }

    /// Removes a shared mesh that no collider has. Its number is never used again.
    fn remove_mesh(&self, py: Python<'_>, mesh: u32) -> PyResult<()> {
        let removed = self.with(py, |inner| inner.scene.remove_mesh(mesh));
        removed.map(drop).map_err(raised)
    }

    /// Removes colliders: one id, or an array (n,). Ids are never used again.
    fn remove(&self, ids: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = ids.py();
        let ids = self::ids("ids", ids)?;
        self.with(py, |inner| inner.remove(&ids))
    }

    /// Removes all colliders, and keeps meshes, kinds of hulls and memory.
    fn clear(&self, py: Python<'_>) {
        self.with(py, |inner| inner.scene.clear());
    }

    /// Sets the poses of colliders. Without rotations, each keeps its own. The last row counts if an id is listed twice.
    ///
    /// Parameters
    /// ----------
    /// ids : integer, or (n,) array
    /// position : (n, 3) float64, or a tuple of 3 columns or numbers
    /// rotation : (n, 4) float32, or a tuple of 4 columns, optional
    ///     Quaternions x, y, z, w.
    #[pyo3(signature = (ids, position, rotation = None))]
    fn set_poses(
        &self,
        ids: &Bound<'_, PyAny>,
        position: &Bound<'_, PyAny>,
        rotation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = ids.py();
        let ids = self::ids("ids", ids)?;
        let mut count = Count::default();
        count.add("ids".to_owned(), ids.len())?;
        let poses = Poses::new(position, rotation, &mut count)?;
        self.with(py, |inner| inner.set_poses(&ids, &poses))
    }

    /// Replaces the shapes of colliders, also by those of other kinds: `collider` is a Collider, or a list with one for each. Ids,
    /// poses, displacements and marks stay. The last row counts if an id is listed twice.
    fn set_colliders(
        &self,
        ids: &Bound<'_, PyAny>,
        collider: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let py = ids.py();
        let ids = self::ids("ids", ids)?;
        let mut count = Count::default();
        count.add("ids".to_owned(), ids.len())?;
        let shapes = colliders_of(collider, &mut count)?;
        self.with(py, |inner| inner.set_colliders(&ids, &shapes))
    }

    /// Sets the straight motions of colliders during the frame, which `sweeps` reads: an array (n, 3) of float32 or a tuple of 3
    /// columns or numbers. Fixed colliders and sensors do not move.
    fn set_displacements(
        &self,
        ids: &Bound<'_, PyAny>,
        displacement: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let py = ids.py();
        let ids = self::ids("ids", ids)?;
        let mut count = Count::default();
        count.add("ids".to_owned(), ids.len())?;
        let ways = vectors("displacement", displacement, &mut count)?;
        self.with(py, |inner| inner.set_displacements(&ids, &ways))
    }

    /// Sets parts of the marks of colliders, as the methods that add them take them. What is not given is unchanged.
    #[pyo3(signature = (ids, *, role = None, groups = None, body = None, is_swept = None, entity = None))]
    fn set_marks(
        &self,
        ids: &Bound<'_, PyAny>,
        role: Option<&Bound<'_, PyAny>>,
        groups: Option<&Bound<'_, PyAny>>,
        body: Option<&Bound<'_, PyAny>>,
        is_swept: Option<&Bound<'_, PyAny>>,
        entity: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = ids.py();
        let ids = self::ids("ids", ids)?;
        let given = MarkArguments { role, groups, body, is_swept, entity };
        let marks = Marks::new(ids.len(), &given)?;
        self.with(py, |inner| {
            inner.check(&ids)?;
            for (row, id) in ids.iter().enumerate() {
                if let Some(mark) = inner.scene.mark(*id) {
                    let mark = marks.at(row, mark);
                    inner.scene.set_mark(*id, mark).map_err(raised)?;
                }
            }
            Ok(())
        })
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.with(py, |inner| inner.scene.len())
    }

    /// Whether the scene has a collider.
    fn __contains__(&self, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = id.py();
        match id.extract::<u64>() {
            Ok(bits) => {
                let id = ColliderId::from_bits(bits);
                Ok(self.with(py, |inner| inner.scene.contains(id)))
            }
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether the scene has each of these colliders: an array (n,) of bool.
    fn contains<'py>(&self, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let py = ids.py();
        let ids = self::ids("ids", ids)?;
        let found = self.with(py, |inner| {
            let found = ids.iter().map(|id| inner.scene.contains(*id));
            found.collect::<Vec<_>>()
        });
        Ok(PyArray1::from_vec(py, found))
    }

    /// The ids of all colliders, in order: an array (n,) of uint64.
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let ids = self.with(py, |inner| {
            let ids = inner.scene.ids().map(ColliderId::to_bits);
            ids.collect::<Vec<_>>()
        });
        PyArray1::from_vec(py, ids)
    }

    /// The positions and rotations of colliders, by default of all in the order of `ids`: arrays (n, 3) of float64 and (n, 4) of
    /// float32.
    #[pyo3(signature = (ids = None))]
    fn poses<'py>(
        &self,
        py: Python<'py>,
        ids: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<PoseArrays<'py>> {
        let ids = ids.map(|ids| self::ids("ids", ids)).transpose()?;
        let (positions, rotations) = self.with(py, |inner| {
            let ids = inner.listed(ids)?;
            let poses = ids.iter().filter_map(|id| inner.scene.pose(*id));
            let poses = poses.map(|pose| (pose.position, pose.rotation));
            PyResult::Ok(poses.unzip::<_, _, Vec<_>, Vec<_>>())
        })?;
        let len = positions.len();
        Ok((
            PyArray1::from_vec(py, positions.into_flattened()).reshape([len, 3])?,
            PyArray1::from_vec(py, rotations.into_flattened()).reshape([len, 4])?,
        ))
    }

    /// The displacements of colliders, by default of all in the order of `ids`: an array (n, 3).
    #[pyo3(signature = (ids = None))]
    fn displacements<'py>(
        &self,
        py: Python<'py>,
        ids: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let ids = ids.map(|ids| self::ids("ids", ids)).transpose()?;
        let ways = self.with(py, |inner| {
            let ids = inner.listed(ids)?;
            let ways = ids.iter().filter_map(|id| inner.scene.displacement(*id));
            PyResult::Ok(ways.collect::<Vec<_>>())
        })?;
        let len = ways.len();
        PyArray1::from_vec(py, ways.into_flattened()).reshape([len, 3])
    }

    /// The marks of colliders, by default of all in the order of `ids`: a dict of columns, named as the arguments of `set_marks`.
    #[pyo3(signature = (ids = None))]
    fn marks<'py>(
        &self,
        py: Python<'py>,
        ids: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let ids = ids.map(|ids| self::ids("ids", ids)).transpose()?;
        let marks: Vec<Mark> = self.with(py, |inner| {
            let ids = inner.listed(ids)?;
            PyResult::Ok(ids.iter().filter_map(|id| inner.scene.mark(*id)).collect())
        })?;
        let roles = PyList::new(py, marks.iter().map(|mark| role_name(mark.role)))?;
        let groups = marks.iter().flat_map(|mark| [mark.groups.is, mark.groups.meets]);
        let groups = PyArray1::from_vec(py, groups.collect()).reshape([marks.len(), 2])?;
        let columns = PyDict::new(py);
        columns.set_item("role", roles)?;
        columns.set_item("groups", groups)?;
        let bodies = marks.iter().map(|mark| mark.body).collect();
        columns.set_item("body", PyArray1::<u32>::from_vec(py, bodies))?;
        let swept = marks.iter().map(|mark| mark.is_swept).collect();
        columns.set_item("is_swept", PyArray1::<bool>::from_vec(py, swept))?;
        let entities = marks.iter().map(|mark| mark.entity).collect();
        columns.set_item("entity", PyArray1::<u64>::from_vec(py, entities))?;
        Ok(columns)
    }

    /// The position in the world that shapes are relative to.
    #[getter]
    fn origin(&self, py: Python<'_>) -> (f64, f64, f64) {
        self.with(py, |inner| inner.scene.origin()).into()
    }

    /// Moves the origin, for example to the camera: three finite numbers. It costs as much as setting all poses.
    fn set_origin(&self, py: Python<'_>, origin: &Bound<'_, PyAny>) -> PyResult<()> {
        let origin = origin_of(Some(origin))?;
        let set = self.with(py, |inner| inner.scene.set_origin(origin));
        set.map_err(raised)
    }

    /// The margin of contacts.
    #[getter]
    fn margin(&self, py: Python<'_>) -> f32 {
        self.with(py, |inner| inner.scene.margin())
    }

    /// Sets the margin of contacts, rounded up to float32.
    fn set_margin(&self, py: Python<'_>, margin: f64) -> PyResult<()> {
        let set = self.with(py, |inner| inner.scene.set_margin(rounded_up(margin)));
        set.map_err(raised)
    }

    /// Whether invalid colliders are refused.
    #[getter]
    fn strict(&self, py: Python<'_>) -> bool {
        self.with(py, |inner| inner.scene.is_strict())
    }

    /// Sets whether invalid colliders are refused. Those that are there stay.
    fn set_strict(&self, py: Python<'_>, strict: bool) {
        self.with(py, |inner| inner.scene.set_strict(strict));
    }

    /// The ids of the invalid colliders, in order: they are in no pair.
    #[getter]
    fn invalid<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let ids = self.with(py, |inner| {
            let invalid = inner.scene.iter_invalid();
            invalid.map(|(id, _)| id.to_bits()).collect::<Vec<_>>()
        });
        PyArray1::from_vec(py, ids)
    }

    /// Number of invalid colliders.
    #[getter]
    fn invalid_count(&self, py: Python<'_>) -> usize {
        self.with(py, |inner| inner.scene.invalid_count())
    }

    /// Raises a ValueError that names the first invalid collider, its field and the value.
    fn validate(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |inner| match inner.scene.iter_invalid().next() {
            Some((id, defect)) => Err(PyValueError::new_err(format!(
                "collider {} is invalid: {defect}",
                id.to_bits()
            ))),
            None => Ok(()),
        })
    }

    /// Builds what searches of fixed colliders, sensors and meshes would build in later frames: call it once a level is loaded.
    fn prepare(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |inner| inner.scene.prepare()).map_err(raised)
    }

    /// Frees the memory of earlier answers.
    fn shrink(&self, py: Python<'_>) {
        self.with(py, |inner| inner.scene.shrink());
    }

    /// Finds all contacts, and what changed since the last call. Displacements are not read.
    fn contacts(&self, py: Python<'_>) -> PyResult<SceneContacts> {
        let found = self.with(py, |inner| {
            // A copy if the contacts of the last call are still there.
            inner.scene.contacts(Arc::make_mut(&mut inner.contacts))?;
            Ok(Arc::clone(&inner.contacts))
        });
        found.map(SceneContacts::of).map_err(raised)
    }

    /// Finds the first hit of each moving collider whose mark has `is_swept`, while all colliders move by their displacements.
    ///
    /// Sensors are not hit. The lowest id wins among equal times, then the lowest triangle.
    fn sweeps(&self, py: Python<'_>) -> PyResult<SweepHits> {
        let found = self.with(py, |inner| {
            let mut hits = Vec::new();
            inner.scene.sweeps(&mut hits)?;
            Ok(SweepHits::of(&hits))
        });
        found.map_err(raised)
    }

    /// Finds the first collider that each ray hits, where colliders are now.
    ///
    /// Parameters
    /// ----------
    /// position : (n, 3) float64, or a tuple of 3 columns or numbers
    ///     The starts of the rays, in the world.
    /// displacement : (n, 3) float32, or a tuple of 3 columns or numbers
    ///     Direction times length.
    /// groups : two integers, optional
    ///     The groups of what searches: a bit mask of those that it is in, and one of those that it meets.
    /// body : integer, optional
    ///     The body whose colliders are left out.
    /// hits_sensors : bool
    ///     Whether sensors are hit.
    /// without : ids, optional
    ///     Colliders that are left out: a short list.
    /// approaching : bool
    ///     Whether rays pass what their motion does not approach, such as a wall on which a bounced ray starts.
    ///
    /// Returns
    /// -------
    /// CastHits
    ///     A row for each ray: the hit with the least `enter`, then with the lowest id, then with the lowest triangle.
    #[expect(clippy::too_many_arguments, reason = "as Python calls it, by name")]
    #[pyo3(signature = (
        position, displacement, *, groups = None, body = None, hits_sensors = false, without = None,
        approaching = false
    ))]
    fn cast_rays(
        &self,
        position: &Bound<'_, PyAny>,
        displacement: &Bound<'_, PyAny>,
        groups: Option<&Bound<'_, PyAny>>,
        body: Option<&Bound<'_, PyAny>>,
        hits_sensors: bool,
        without: Option<&Bound<'_, PyAny>>,
        approaching: bool,
    ) -> PyResult<CastHits> {
        let py = position.py();
        let mut count = Count::default();
        let starts = positions("position", position, &mut count)?;
        let ways = vectors("displacement", displacement, &mut count)?;
        let admitted = Admitted::new(groups, body, hits_sensors, without)?;
        let found = self.with(py, |inner| {
            let ray = |row| Ray {
                from: starts.at(row),
                displacement: ways.at(row),
            };
            let filter = Filter {
                approaching,
                ..admitted.filter()
            };
            let rays: Vec<_> = (0..count.get().unwrap_or(1)).map(ray).collect();
            let mut hits = Vec::new();
            let invalid = inner.scene.cast_rays(&rays, &filter, &mut hits)?;
            Ok((CastHits::of(&hits), invalid))
        });
        with_warning(py, found, "rays")
    }

    /// Finds the first collider that each cast hits, as `cast_rays` does: colliders that are not in the scene.
    ///
    /// Parameters
    /// ----------
    /// collider : Collider, or a list with one for each cast
    /// position, displacement
    ///     As for `cast_rays`.
    /// rotation : (n, 4) float32, or a tuple of 4 columns or numbers, optional
    /// groups, body, hits_sensors, without, approaching
    ///     As for `cast_rays`: a character that stands on a floor passes it.
    #[expect(clippy::too_many_arguments, reason = "as Python calls it, by name")]
    #[pyo3(signature = (
        collider, position, displacement, rotation = None, *,
        groups = None, body = None, hits_sensors = false, without = None, approaching = false
    ))]
    fn casts(
        &self,
        collider: &Bound<'_, PyAny>,
        position: &Bound<'_, PyAny>,
        displacement: &Bound<'_, PyAny>,
        rotation: Option<&Bound<'_, PyAny>>,
        groups: Option<&Bound<'_, PyAny>>,
        body: Option<&Bound<'_, PyAny>>,
        hits_sensors: bool,
        without: Option<&Bound<'_, PyAny>>,
        approaching: bool,
    ) -> PyResult<CastHits> {
        let py = position.py();
        let mut count = Count::default();
        let colliders = colliders_of(collider, &mut count)?;
        let poses = Poses::new(position, rotation, &mut count)?;
        let ways = vectors("displacement", displacement, &mut count)?;
        let admitted = Admitted::new(groups, body, hits_sensors, without)?;
        let found = self.with(py, |inner| {
            let cast = |row| Cast {
                collider: colliders.at(row),
                pose: poses.at(row),
                displacement: ways.at(row),
            };
            let filter = Filter {
                approaching,
                ..admitted.filter()
            };
            let casts: Vec<_> = (0..count.get().unwrap_or(1)).map(cast).collect();
            let mut hits = Vec::new();
            let invalid = inner.scene.casts(&casts, &filter, &mut hits)?;
            Ok((CastHits::of(&hits), invalid))
        });
        with_warning(py, found, "casts")
    }

    /// Finds the colliders that a collider would touch at a pose: their ids in order, an array (n,) of uint64.
    ///
    /// `position` is three numbers, `rotation` a quaternion x, y, z, w. `groups`, `body`, `hits_sensors` and `without` are those of
    /// `cast_rays`.
    #[expect(clippy::too_many_arguments, reason = "as Python calls it, by name")]
    #[pyo3(signature = (
        collider, position, rotation = None, *, groups = None, body = None, hits_sensors = false, without = None
    ))]
    fn overlaps_of<'py>(
        &self,
        collider: &Bound<'py, AnyCollider>,
        position: &Bound<'py, PyAny>,
        rotation: Option<&Bound<'py, PyAny>>,
        groups: Option<&Bound<'py, PyAny>>,
        body: Option<&Bound<'py, PyAny>>,
        hits_sensors: bool,
        without: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let py = position.py();
        let pose = one_pose(position, rotation)?;
        let admitted = Admitted::new(groups, body, hits_sensors, without)?;
        let collider = collider.get().0;
        let found = self.with(py, |inner| {
            let mut ids = Vec::new();
            let filter = admitted.filter();
            inner.scene.overlaps_of(collider, pose, &filter, &mut ids)?;
            Ok(ids.into_iter().map(ColliderId::to_bits).collect::<Vec<_>>())
        });
        Ok(PyArray1::from_vec(py, found.map_err(raised)?))
    }

    /// Finds the collider nearest to each point within a radius, and bounds of the distance.
    ///
    /// `position` is an array (n, 3) of float64 or a tuple of 3 columns or numbers; `groups`, `body`, `hits_sensors` and `without` are
    /// those of `cast_rays`. Ties go to the lowest id, then to the lowest triangle.
    #[pyo3(signature = (position, radius, *, groups = None, body = None, hits_sensors = false, without = None))]
    fn nearest(
        &self,
        position: &Bound<'_, PyAny>,
        radius: f64,
        groups: Option<&Bound<'_, PyAny>>,
        body: Option<&Bound<'_, PyAny>>,
        hits_sensors: bool,
        without: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ColliderDistances> {
        let py = position.py();
        let mut count = Count::default();
        let points = positions("position", position, &mut count)?;
        let admitted = Admitted::new(groups, body, hits_sensors, without)?;
        let found = self.with(py, |inner| {
            let len = count.get().unwrap_or(1);
            let points: Vec<_> = (0..len).map(|row| points.at(row)).collect();
            let (filter, mut out) = (admitted.filter(), Vec::new());
            let radius = rounded_up(radius);
            inner.scene.nearest(&points, radius, &filter, &mut out)?;
            let mut distances = ColliderDistances::default();
            out.iter().for_each(|distance| distances.add(distance));
            Ok(distances)
        });
        found.map_err(raised)
    }

    /// Finds the collider nearest to a collider at a pose, within a radius, as `nearest` does: one row.
    ///
    /// `position` is three numbers, `rotation` a quaternion x, y, z, w.
    #[expect(clippy::too_many_arguments, reason = "as Python calls it, by name")]
    #[pyo3(signature = (
        collider, position, radius, rotation = None, *, groups = None, body = None, hits_sensors = false, without = None
    ))]
    fn nearest_of(
        &self,
        collider: &Bound<'_, AnyCollider>,
        position: &Bound<'_, PyAny>,
        radius: f64,
        rotation: Option<&Bound<'_, PyAny>>,
        groups: Option<&Bound<'_, PyAny>>,
        body: Option<&Bound<'_, PyAny>>,
        hits_sensors: bool,
        without: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ColliderDistances> {
        let py = position.py();
        let pose = one_pose(position, rotation)?;
        let admitted = Admitted::new(groups, body, hits_sensors, without)?;
        let collider = collider.get().0;
        let found = self.with(py, |inner| {
            let (filter, radius) = (admitted.filter(), rounded_up(radius));
            let nearest = inner.scene.nearest_of(collider, pose, radius, &filter)?;
            let mut distances = ColliderDistances::default();
            distances.add(&nearest);
            Ok(distances)
        });
        found.map_err(raised)
    }

    /// A scene of the same colliders, with their ids, and the contacts of the last call. Meshes are shared.
    fn copy(&self, py: Python<'_>) -> Self {
        Scene(Mutex::new(self.with(py, |inner| inner.clone())))
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy(py)
    }

    /// For pickles: what makes the scene again. It goes on bit by bit, with the events of the next contacts.
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Saved)> {
        let (saved, settings) = this.get().with(this.py(), |inner| {
            let saved = postcard::to_allocvec(&(&inner.scene, &*inner.contacts));
            (saved, inner.scene.detector_mut().settings())
        });
        let saved = saved.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let remade = this.get_type().getattr("_remade")?;
        Ok((remade, (saved, settings.parallel, lanes_of(settings.simd))))
    }

    #[staticmethod]
    #[pyo3(signature = (saved, parallel, simd))]
    fn _remade(
        py: Python<'_>,
        saved: Vec<u8>,
        parallel: bool,
        simd: Option<usize>,
    ) -> PyResult<Self> {
        let read = py.detach(|| postcard::from_bytes(&saved));
        let (mut scene, contacts): (phalanx::Scene, _) = read.map_err(not_saved)?;
        scene.detector_mut().set_parallel(parallel);
        if let Some(lanes) = simd {
            scene.detector_mut().set_simd(simd_of(lanes)?);
        }
        let contacts = Arc::new(contacts);
        Ok(Scene(Mutex::new(Inner { scene, contacts })))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let (len, invalid) = self.with(py, |it| (it.scene.len(), it.scene.invalid_count()));
        format!("<phalanx.Scene of {len} colliders: {invalid} invalid>")
    }
}

/// The pose of one collider.
fn one_pose(at: &Bound<'_, PyAny>, rotation: Option<&Bound<'_, PyAny>>) -> PyResult<Pose> {
    let mut pose = Pose::at(position("position", at)?);
    if let Some(rotation) = rotation {
        pose.rotation = numbers("rotation", rotation)?;
    }
    Ok(pose)
}
