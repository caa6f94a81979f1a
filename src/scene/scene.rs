//! The scene: its methods and their contracts.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::collider_id::ColliderId;
use crate::detector::Detector;
use crate::error::{Defect, Error};
use crate::limits::{self, MAX_LENGTH};
use crate::scene::collider::{Collider, Mark, Pose};
use crate::scene::encounters::{Detectors, Encounters};
use crate::scene::filter::Filter;
use crate::scene::registry::{RESTING, Registry};
use crate::scene::scene_contacts::SceneContacts;
use crate::scene::seekers::{Cast, CastHit, ColliderDistance, Ray, Scope, Seekers, SweepHit};
use crate::scene::stores::SceneStores;
use crate::shapes::bounds::During;
use crate::store::mesh::mesh::Mesh;

/// Colliders of all kinds: a frame's contacts, sweeps, rays and searches in one call each, by ids that last.
///
/// A scene holds a [store](SceneStores) for each kind of shape and the bounds of all, and calls a [`Detector`]. Its answers are, bit
/// for bit, those of the detector for each two kinds. Use it if colliders are of several kinds, come and go, or are far from zero;
/// use stores and a detector if you have long lists of few kinds.
///
/// ```
/// use phalanx::{Collider, HalfSpace, Mark, Pose, Ray, Scene, SceneContacts};
///
/// let mut scene = Scene::new();
/// let ground = HalfSpace::new([0.0, 1.0, 0.0], 0.0);
/// let ground = scene.add(Collider::HalfSpace(ground), Pose::default(), Mark::fixed())?;
/// let at = |x, y| Pose::at([x, y, 0.0]);
/// let crate_ = scene.add(Collider::Obb([0.5; 3]), at(0.0, 0.45), Mark::moving())?;
/// let sphere = scene.add(Collider::Sphere(0.5), at(0.9, 0.6), Mark { entity: 42, ..Mark::moving() })?;
///
/// let mut contacts = SceneContacts::new();
/// scene.contacts(&mut contacts)?;
/// for contact in &contacts {
///     println!("{} pushes {} by {}", contact.a, contact.b, contact.contact.depth());
/// }
/// assert_eq!(contacts.began().collect::<Vec<_>>(), [(ground, crate_), (crate_, sphere)]);
/// assert_eq!(scene.mark(sphere).map(|mark| mark.entity), Some(42));
///
/// let ray = Ray { from: [0.0, 9.0, 0.0], displacement: [0.0, -20.0, 0.0] };
/// let mut hits = Vec::new();
/// scene.cast_rays(&[ray], &Default::default(), &mut hits)?;
/// let hit = hits[0].unwrap();
/// assert!(hit.id == crate_ && hit.normal[1] > 0.999);
/// assert!((hit.point[1] - 0.95).abs() < 1e-4);
/// # Ok::<(), phalanx::Error>(())
/// ```
///
/// # Roles
///
/// A [`Mark`] says what a collider takes part in. Moving colliders meet all. Fixed colliders and [sensors](crate::Role::Sensor) meet moving
/// colliders only. [Groups](crate::Groups) filter pairs, and colliders of one body never meet: a compound is several colliders of one body,
/// each with its pose.
///
/// # Large worlds
///
/// Poses are in `f64`, shapes in `f32` relative to the [origin](Self::origin) of the scene. Near the origin, positions are as exact as
/// `f32` allows, however far the origin is from zero: keep it near the camera. Positions in answers are those of the world.
///
/// ```
/// use phalanx::{Collider, Mark, Pose, Scene, SceneContacts};
///
/// let mut scene = Scene::new();
/// scene.set_origin([1e9, 0.0, 0.0])?;
/// for x in [1e9, 1e9 + 1.001] {
///     scene.add(Collider::Obb([0.5; 3]), Pose::at([x, 0.0, 0.0]), Mark::moving())?;
/// }
/// // A gap of a millimetre.
/// let mut contacts = SceneContacts::new();
/// scene.contacts(&mut contacts)?;
/// assert!(contacts.is_empty());
/// # Ok::<(), phalanx::Error>(())
/// ```
///
/// # Meshes
///
/// [`add_mesh`](Self::add_mesh) takes a shared mesh at rest. Each of its colliders has a copy at its pose: 36 bytes and a tree for each
/// triangle; edges are shared. [`set_pose`](Self::set_pose) writes all corners of the copy and drops its tree. So a mesh that moves in
/// each frame costs its triangles in each frame: prefer hulls for what moves.
///
/// # Invalid values
///
/// A collider with an invalid value (NaN, a scaled quaternion, a negative size, a displacement that is too long) is in no pair, and
/// [counted](Self::invalid_count). A [strict](Self::set_strict) scene refuses it instead. Ids of removed colliders are errors always.
///
/// # Determinism
///
/// Answers depend on the colliders and their ids only: not on threads, on the instruction set, or on earlier calls.
///
/// # Memory
///
/// A collider takes about 500 bytes. A scene keeps the memory of the most colliders it had, and of its longest answers:
/// [`shrink`](Self::shrink) frees what answers left. Once that memory is there, contacts allocate nothing.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    // In boxes: stores are large, and scenes are moved.
    registry: Box<Registry>,
    detector: Detector,
    /// Searches parts of meshes, so that contacts keep the state of their tables.
    parts: Detector,
    /// Searches tables for rays, casts and others, for the same reason.
    searches: Detector,
    margin: f32,
    encounters: Box<Encounters>,
    seekers: Box<Seekers>,
}

impl Scene {
    /// An empty scene, with its origin at zero, without a margin, not strict.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a collider and returns its id. It does not move until [`set_displacement`](Self::set_displacement).
    ///
    /// Adding many fixed colliders or sensors between two calls, more than an eighth of all, indexes all of them again.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHullKind`], [`Error::UnknownMesh`], [`Error::TooManyShapes`], and [`Error::BadCollider`] from a strict
    /// scene. Nothing is added then.
    pub fn add(&mut self, collider: Collider, pose: Pose, mark: Mark) -> Result<ColliderId, Error> {
        self.registry.add(collider, pose, mark)
    }

    /// Removes a collider. Its id is never used again.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollider`].
    pub fn remove(&mut self, id: ColliderId) -> Result<(), Error> {
        self.registry.remove(id)?;
        Ok(())
    }

    /// Removes all colliders, and keeps meshes, kinds of hulls and memory.
    pub fn clear(&mut self) {
        self.registry.clear();
    }

    /// Number of colliders.
    pub fn len(&self) -> usize {
        self.registry.len
    }

    /// Whether there are no colliders.
    pub fn is_empty(&self) -> bool {
        self.registry.len == 0
    }

    /// Whether the scene has this collider.
    pub fn contains(&self, id: ColliderId) -> bool {
        self.registry.get(id).is_some()
    }

    /// The ids of all colliders, in order.
    pub fn ids(&self) -> impl Iterator<Item = ColliderId> + '_ {
        self.registry.iter().map(|(id, _)| id)
    }

    /// The shape of a collider; `None` if it was removed.
    pub fn collider(&self, id: ColliderId) -> Option<Collider> {
        Some(self.registry.get(id)?.collider)
    }

    /// The pose of a collider; `None` if it was removed.
    pub fn pose(&self, id: ColliderId) -> Option<Pose> {
        Some(self.registry.get(id)?.pose)
    }

    /// The displacement of a collider during the frame; `None` if it was removed.
    pub fn displacement(&self, id: ColliderId) -> Option<[f32; 3]> {
        Some(self.registry.get(id)?.displacement)
    }

    /// The mark of a collider; `None` if it was removed.
    pub fn mark(&self, id: ColliderId) -> Option<Mark> {
        Some(self.registry.get(id)?.mark)
    }

    /// Sets the pose of a collider.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollider`], and [`Error::BadCollider`] from a strict scene. Nothing changes then.
    pub fn set_pose(&mut self, id: ColliderId, pose: Pose) -> Result<(), Error> {
        self.registry.change(id, |entry| entry.pose = pose)
    }

    /// Sets the poses of many colliders, from the structs of the caller.
    ///
    /// ```
    /// use phalanx::{Collider, ColliderId, Mark, Pose, Scene};
    ///
    /// struct Body { collider: ColliderId, at: [f64; 3] }
    ///
    /// let mut scene = Scene::new();
    /// let collider = scene.add(Collider::Sphere(1.0), Pose::default(), Mark::moving())?;
    /// let bodies = [Body { collider, at: [0.0, 5.0, 0.0] }];
    /// scene.set_poses(bodies.iter().map(|body| (body.collider, Pose::at(body.at))))?;
    /// assert_eq!(scene.pose(collider).unwrap().position[1], 5.0);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`set_pose`](Self::set_pose), for the first collider with an error. The poses before it are set.
    pub fn set_poses(
        &mut self,
        poses: impl IntoIterator<Item = (ColliderId, Pose)>,
    ) -> Result<(), Error> {
        let mut poses = poses.into_iter();
        poses.try_for_each(|(id, pose)| self.set_pose(id, pose))
    }

    /// Sets the straight motion of a collider during the frame, which [`sweeps`](Self::sweeps) read. Fixed colliders and sensors do not
    /// move, whatever their displacement.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollider`], and [`Error::BadCollider`] from a strict scene. Nothing changes then.
    pub fn set_displacement(
        &mut self,
        id: ColliderId,
        displacement: impl Into<[f32; 3]>,
    ) -> Result<(), Error> {
        self.registry.set_displacement(id, displacement.into())
    }

    /// Sets the displacements of many colliders, from the structs of the caller.
    ///
    /// # Errors
    ///
    /// As for [`set_displacement`](Self::set_displacement), for the first collider with an error. The displacements before it are set.
    pub fn set_displacements(
        &mut self,
        displacements: impl IntoIterator<Item = (ColliderId, [f32; 3])>,
    ) -> Result<(), Error> {
        let mut all = displacements.into_iter();
        all.try_for_each(|(id, displacement)| self.set_displacement(id, displacement))
    }

    /// Replaces the mark of a collider.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollider`].
    pub fn set_mark(&mut self, id: ColliderId, mark: Mark) -> Result<(), Error> {
        self.registry.set_mark(id, mark)
    }

    /// Replaces the shape of a collider, also by one of another kind: a character crouches, a door breaks. Its id, pose, displacement
    /// and mark stay.
    ///
    /// ```
    /// use phalanx::{Collider, Mark, Pose, Scene, SceneContacts};
    ///
    /// let capsule = |half| Collider::Capsule { half_axis: [0.0, half, 0.0], radius: 0.3 };
    /// let mut scene = Scene::new();
    /// let person = scene.add(capsule(0.6), Pose::at([0.0, 0.9, 0.0]), Mark::moving())?;
    /// scene.add(Collider::Obb([2.0, 0.1, 2.0]), Pose::at([0.0, 1.4, 0.0]), Mark::fixed())?;
    /// let mut contacts = SceneContacts::new();
    /// scene.contacts(&mut contacts)?;
    /// assert_eq!(contacts.len(), 1);
    ///
    /// scene.set_collider(person, capsule(0.2))?;
    /// scene.set_pose(person, Pose::at([0.0, 0.5, 0.0]))?;
    /// scene.contacts(&mut contacts)?;
    /// assert!(contacts.is_empty());
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollider`], [`Error::UnknownHullKind`], [`Error::UnknownMesh`], and [`Error::BadCollider`] from a strict scene.
    /// Nothing changes then.
    pub fn set_collider(&mut self, id: ColliderId, collider: Collider) -> Result<(), Error> {
        self.registry.set_collider(id, collider)
    }

    /// Adds a kind of hulls, as [`HullKinds::add`](crate::HullKinds::add) does, for [`Collider::Hull`].
    ///
    /// # Errors
    ///
    /// As for [`HullKinds::add`](crate::HullKinds::add).
    pub fn add_hull_kind(&mut self, points: &[[f32; 3]]) -> Result<u32, Error> {
        self.registry.stores.hulls.add_kind(points)
    }

    /// Adds a kind of rounded hulls, as [`HullKinds::add_rounded`](crate::HullKinds::add_rounded) does, for [`Collider::Hull`].
    ///
    /// # Errors
    ///
    /// As for [`HullKinds::add_rounded`](crate::HullKinds::add_rounded).
    pub fn add_rounded_hull_kind(
        &mut self,
        points: &[[f32; 3]],
        radius: f32,
    ) -> Result<u32, Error> {
        let hulls = &mut self.registry.stores.hulls;
        hulls.add_rounded_kind(points, radius)
    }

    /// Adds a kind of cylinders, as [`HullKinds::add_cylinder`](crate::HullKinds::add_cylinder) does, for [`Collider::Hull`].
    ///
    /// ```
    /// use phalanx::{Collider, HalfSpace, Mark, Pose, Scene, SceneContacts};
    ///
    /// let mut scene = Scene::new();
    /// let drum = Collider::Hull(scene.add_cylinder_kind(0.3, 0.45, 0.0)?);
    /// let floor = Collider::HalfSpace(HalfSpace::new([0.0, 0.0, 1.0], 0.0));
    /// scene.add(floor, Pose::at([0.0; 3]), Mark::fixed())?;
    /// scene.add(drum, Pose::at([0.0, 0.0, 0.44]), Mark::moving())?;
    ///
    /// // It stands 1 cm deep in the floor.
    /// let mut contacts = SceneContacts::new();
    /// scene.contacts(&mut contacts)?;
    /// let contact = contacts.iter().next().unwrap();
    /// assert_eq!(contact.contact.points().len(), 4);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`HullKinds::add_cylinder`](crate::HullKinds::add_cylinder).
    pub fn add_cylinder_kind(
        &mut self,
        radius: f32,
        half_height: f32,
        rounding: f32,
    ) -> Result<u32, Error> {
        let hulls = &mut self.registry.stores.hulls;
        hulls.add_cylinder_kind(radius, half_height, rounding)
    }

    /// Adds a kind of cones, as [`HullKinds::add_cone`](crate::HullKinds::add_cone) does, for [`Collider::Hull`].
    ///
    /// # Errors
    ///
    /// As for [`HullKinds::add_cone`](crate::HullKinds::add_cone).
    pub fn add_cone_kind(
        &mut self,
        radius: f32,
        half_height: f32,
        rounding: f32,
    ) -> Result<u32, Error> {
        let hulls = &mut self.registry.stores.hulls;
        hulls.add_cone_kind(radius, half_height, rounding)
    }

    /// Adds a kind of hulls of at most `most` points that contain any number of points, as
    /// [`HullKinds::add_outer`](crate::HullKinds::add_outer) does, for [`Collider::Hull`]. Returns its index and its growth.
    ///
    /// # Errors
    ///
    /// As for [`HullKinds::add_outer`](crate::HullKinds::add_outer).
    pub fn add_outer_hull_kind(
        &mut self,
        points: &[[f32; 3]],
        most: usize,
    ) -> Result<(u32, f32), Error> {
        let hulls = &mut self.registry.stores.hulls;
        hulls.add_outer_kind(points, most)
    }

    /// Adds a mesh that colliders share, and returns its number, for [`Collider::Mesh`]. Its displacement is not read. Its groups and
    /// bodies filter triangles between two meshes only: else those of the [`Mark`] count.
    ///
    /// ```
    /// use phalanx::{Collider, Mark, Mesh, Pose, Ray, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let tile = Mesh::new(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let tile = scene.add_mesh(tile);
    /// for x in [0.0, 100.0, 200.0] {
    ///     scene.add(Collider::Mesh(tile), Pose::at([x, 0.0, 0.0]), Mark::fixed())?;
    /// }
    /// let ray = Ray { from: [100.2, 0.2, 1.0], displacement: [0.0, 0.0, -2.0] };
    /// let mut hits = Vec::new();
    /// scene.cast_rays(&[ray], &Default::default(), &mut hits)?;
    /// let hit = hits[0].unwrap();
    /// assert_eq!((Some(hit.id), hit.part), (scene.ids().nth(1), 0));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    pub fn add_mesh(&mut self, mesh: impl Into<Arc<Mesh>>) -> u32 {
        let mesh: Arc<Mesh> = mesh.into();
        let kinds = &mut self.registry.mesh_kinds;
        kinds.push(Some(mesh));
        kinds.len() as u32 - 1
    }

    /// The shared mesh of a number; `None` if there is none.
    pub fn mesh(&self, mesh: u32) -> Option<&Arc<Mesh>> {
        self.registry.mesh_kind(mesh).ok()
    }

    /// Removes a shared mesh. Its number is never used again.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownMesh`], and [`Error::MeshInUse`] if a collider has it.
    pub fn remove_mesh(&mut self, mesh: u32) -> Result<Arc<Mesh>, Error> {
        let has = |entry: &Collider| *entry == Collider::Mesh(mesh);
        let all = self.registry.iter();
        let colliders = all.filter(|(_, entry)| has(&entry.collider)).count();
        if colliders > 0 {
            return Err(Error::MeshInUse { mesh, colliders });
        }
        let kind = self.registry.mesh_kinds.get_mut(mesh as usize);
        kind.and_then(Option::take)
            .ok_or(Error::UnknownMesh { mesh })
    }

    /// The position in the world that shapes are relative to.
    pub fn origin(&self) -> [f64; 3] {
        self.registry.origin
    }

    /// Moves the origin, for example to the camera. All shapes are placed again: as much work as setting all poses, those of meshes
    /// included. So move it rarely, for example when the camera is 1000 m away from it.
    ///
    /// # Errors
    ///
    /// [`Error::BadOrigin`] if a coordinate is not finite.
    pub fn set_origin(&mut self, origin: impl Into<[f64; 3]>) -> Result<(), Error> {
        let origin = origin.into();
        if let Some(axis) = origin.iter().position(|x| !x.is_finite()) {
            let value = origin[axis];
            return Err(Error::BadOrigin { axis, value });
        }
        self.registry.set_origin(origin)
    }

    /// The margin of contacts.
    pub fn margin(&self) -> f32 {
        self.margin
    }

    /// Sets the margin of [`contacts`](Self::contacts): colliders at most this far apart have contacts too, see
    /// [`Detector::margin`]. Other queries have no margin.
    ///
    /// # Errors
    ///
    /// [`Error::BadMargin`] if it is negative, NaN, or above half of [`MAX_LENGTH`]; the margin is then unchanged.
    pub fn set_margin(&mut self, margin: f32) -> Result<(), Error> {
        let good = limits::length(margin).filter(|margin| *margin <= MAX_LENGTH / 2.0);
        self.margin = good.ok_or(Error::BadMargin { margin })?;
        Ok(())
    }

    /// Whether invalid colliders are refused.
    pub fn is_strict(&self) -> bool {
        self.registry.is_strict
    }

    /// Sets whether a call that makes a collider invalid is an error, [`Error::BadCollider`], as is a search by an invalid ray or
    /// collider, [`Error::BadCast`]. Otherwise invalid colliders are left out and counted, and invalid searches find nothing.
    ///
    /// ```
    /// use phalanx::{Collider, Mark, Pose, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let sphere = scene.add(Collider::Sphere(1.0), Pose::default(), Mark::moving())?;
    /// scene.set_strict(true);
    /// let nan = Pose::at([0.0, f64::NAN, 0.0]);
    /// let error = scene.set_pose(sphere, nan).unwrap_err();
    /// assert_eq!(error.to_string(), "collider 0v0 is invalid: position[1] is NaN, not finite");
    /// assert_eq!(scene.pose(sphere), Some(Pose::default()));
    ///
    /// scene.set_strict(false);
    /// scene.set_pose(sphere, nan)?;
    /// assert_eq!(scene.invalid_count(), 1);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    pub fn set_strict(&mut self, strict: bool) {
        self.registry.is_strict = strict;
    }

    /// Number of invalid colliders. They are in no pair.
    pub fn invalid_count(&self) -> usize {
        self.registry.invalid
    }

    /// The invalid colliders, each with its first defect, in the order of their ids.
    pub fn iter_invalid(&self) -> impl Iterator<Item = (ColliderId, Defect)> + '_ {
        let all = self.registry.iter();
        all.filter_map(|(id, entry)| Some((id, entry.defect?)))
    }

    /// The detector, for its settings and for queries of the [stores](Self::stores). Calls of the scene set its margin, and use its
    /// instruction set, threads and [build step](Detector::build_step). Of [`Detector::approaching`] they read nothing: see
    /// [`Filter::approaching`].
    pub fn detector_mut(&mut self) -> &mut Detector {
        &mut self.detector
    }

    /// The shapes, one store for each kind.
    pub fn stores(&self) -> &SceneStores {
        &self.registry.stores
    }

    /// The index of a collider in the store of its kind; `None` if it was removed, and for a mesh.
    pub fn row(&self, id: ColliderId) -> Option<u32> {
        let entry = self.registry.get(id)?;
        (!matches!(entry.collider, Collider::Mesh(_))).then_some(entry.row)
    }

    /// The mesh of a collider at its pose, relative to the [origin](Self::origin); `None` if it was removed or has none.
    pub fn placed_mesh(&self, id: ColliderId) -> Option<&Mesh> {
        let entry = self.registry.get(id)?;
        matches!(entry.collider, Collider::Mesh(_)).then(|| self.registry.mesh(entry.row))
    }

    /// Builds what searches of fixed colliders, sensors and meshes would build in later frames, as [`Detector::prepare`] does. Call it
    /// once the level is loaded.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn prepare(&mut self) -> Result<(), Error> {
        self.registry.refresh()?;
        self.detector
            .prepare(self.registry.tables[RESTING].bounds());
        for (_, entry) in self.registry.iter() {
            if matches!(entry.collider, Collider::Mesh(_)) {
                self.detector.prepare(self.registry.mesh(entry.row));
            }
        }
        Ok(())
    }

    /// Finds all contacts: broad and narrow phase of all kinds. Displacements are not read.
    ///
    /// `contacts` is replaced, and keeps the contacts of its last call for [events](SceneContacts). Its manifolds are, bit for bit, those of
    /// [`Detector::contact`] for each two colliders that may meet. If it was passed to the last call as well, the contacts of two colliders
    /// that have not changed since are copied (with `std`): bodies that sleep cost little. Setting a pose to what it was is no change.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; the contacts are then those of the call before, and those before it are lost.
    pub fn contacts(&mut self, contacts: &mut SceneContacts) -> Result<(), Error> {
        self.begin()?;
        let detectors = Detectors {
            tables: &mut self.detector,
            parts: &mut self.parts,
        };
        let found = self
            .encounters
            .find(&self.registry, detectors, self.margin, contacts);
        if found.is_ok() {
            self.registry.end_round();
        }
        // Other queries have no margin.
        self.detector.set_margin(0.0)?;
        self.parts.set_margin(0.0)?;
        found
    }

    /// Finds the first hit of each moving collider whose mark [asks](Mark::is_swept) for it, while all colliders move by their
    /// displacements: continuous collision detection.
    ///
    /// `hits` is replaced by the hits, sorted by the id of the mover. A hit is the pair with the least `enter` in a
    /// [`Detector::sweep`] of all colliders that the mover may meet, except sensors; the lowest id wins among equal times, then the lowest
    /// triangle. Planes, half-spaces and meshes are not swept themselves, but are hit.
    ///
    /// ```
    /// use phalanx::{Collider, Mark, Pose, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let wall = scene.add(Collider::Obb([0.05, 4.0, 4.0]), Pose::at([10.0, 0.0, 0.0]), Mark::fixed())?;
    /// let bullet = Mark { is_swept: true, ..Mark::moving() };
    /// let bullet = scene.add(Collider::Sphere(0.01), Pose::default(), bullet)?;
    /// scene.set_displacement(bullet, [20.0, 0.0, 0.0])?;
    /// let mut hits = Vec::new();
    /// scene.sweeps(&mut hits)?;
    /// assert_eq!((hits[0].mover, hits[0].hit.id, hits[0].hit.normal), (bullet, wall, [-1.0, 0.0, 0.0]));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; `hits` is then unchanged.
    pub fn sweeps(&mut self, hits: &mut Vec<SweepHit>) -> Result<(), Error> {
        self.begin()?;
        let seekers = &mut self.seekers;
        seekers.begin(&self.registry);
        seekers.add_swept(&self.registry)?;
        let scope = Scope {
            during: During::Way,
            at_rest: false,
            hits_sensors: false,
            without: &[],
            approaching: false,
        };
        let detectors = Detectors {
            tables: &mut self.searches,
            parts: &mut self.parts,
        };
        let numbers = seekers.len();
        seekers.first(&mut self.registry, detectors, &scope, numbers)?;
        hits.clear();
        hits.extend(seekers.swept(&self.registry));
        Ok(())
    }

    /// Finds the first collider that each ray hits, where colliders are now. `hits` is replaced by one result for each ray. Returns the
    /// number of invalid rays, which hit nothing.
    ///
    /// A hit is that with the least `enter`, then the lowest id, then the lowest triangle, as in a [`Detector::sweep`] of all
    /// colliders that the filter admits, without their displacements.
    ///
    /// # Errors
    ///
    /// [`Error::BadCast`] from a strict scene, [`Error::OutOfMemory`]; `hits` is then unchanged.
    pub fn cast_rays(
        &mut self,
        rays: &[Ray],
        filter: &Filter<'_>,
        hits: &mut Vec<Option<CastHit>>,
    ) -> Result<usize, Error> {
        self.begin()?;
        self.seekers.begin(&self.registry);
        for (number, ray) in rays.iter().enumerate() {
            self.seekers.add_ray(&self.registry, number, ray, filter)?;
        }
        self.find_first(rays.len(), filter, hits)?;
        Ok(self.seekers.invalid())
    }

    /// Finds the first collider that each cast hits, as [`cast_rays`](Self::cast_rays) does: colliders that are not in the scene, of
    /// any bounded convex kind. Returns the number of invalid casts.
    ///
    /// ```
    /// use phalanx::{Cast, Collider, Mark, Pose, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let step = scene.add(Collider::Obb([1.0; 3]), Pose::at([4.0, 0.0, 0.0]), Mark::fixed())?;
    /// let person = Collider::Capsule { half_axis: [0.0, 0.5, 0.0], radius: 0.25 };
    /// let walk = Cast { collider: person, pose: Pose::default(), displacement: [10.0, 0.0, 0.0] };
    /// let mut hits = Vec::new();
    /// scene.casts(&[walk], &Default::default(), &mut hits)?;
    /// let hit = hits[0].unwrap();
    /// assert!(hit.id == step && (hit.time.enter - 0.275).abs() < 1e-4);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::UnboundedCast`], [`Error::UnknownHullKind`], [`Error::UnknownMesh`], and as for [`cast_rays`](Self::cast_rays).
    pub fn casts(
        &mut self,
        casts: &[Cast],
        filter: &Filter<'_>,
        hits: &mut Vec<Option<CastHit>>,
    ) -> Result<usize, Error> {
        self.begin()?;
        self.seekers.begin(&self.registry);
        for (number, cast) in casts.iter().enumerate() {
            self.seekers.add(&self.registry, number, cast, filter)?;
        }
        self.find_first(casts.len(), filter, hits)?;
        Ok(self.seekers.invalid())
    }

    /// Finds the colliders that a collider would touch at a pose, sorted. `ids` is replaced.
    ///
    /// # Errors
    ///
    /// As for [`casts`](Self::casts); `ids` is then unchanged.
    pub fn overlaps_of(
        &mut self,
        collider: Collider,
        pose: Pose,
        filter: &Filter<'_>,
        ids: &mut Vec<ColliderId>,
    ) -> Result<(), Error> {
        self.begin()?;
        self.begin_one(collider, pose, filter)?;
        let detectors = Detectors {
            tables: &mut self.searches,
            parts: &mut self.parts,
        };
        let scope = Scope::new(During::Start, filter);
        let registry = &mut self.registry;
        let found = self.seekers.touching(registry, detectors, &scope)?;
        ids.clear();
        ids.extend(found.iter().map(|&slot| registry.id(slot)));
        Ok(())
    }

    /// Finds the collider nearest to a collider at a pose, within a radius, and a lower bound of its distance from all.
    ///
    /// The bounds are those of [`Detector::nearest`]. Ties go to the lowest id, then to the lowest triangle. An invalid collider has a
    /// lower bound of zero.
    ///
    /// # Errors
    ///
    /// [`Error::BadRadius`] if the radius is negative, NaN, or above half of [`MAX_LENGTH`], and as for [`casts`](Self::casts).
    pub fn nearest_of(
        &mut self,
        collider: Collider,
        pose: Pose,
        radius: f32,
        filter: &Filter<'_>,
    ) -> Result<ColliderDistance, Error> {
        self.begin()?;
        self.begin_one(collider, pose, filter)?;
        let mut out = [NONE];
        self.find_near(radius, filter, &mut out)?;
        let [distance] = out;
        Ok(distance)
    }

    /// Finds the collider nearest to each point, as [`nearest_of`](Self::nearest_of) does. `out` is replaced by one result for each
    /// point.
    ///
    /// ```
    /// use phalanx::{Collider, Mark, Pose, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let lamp = scene.add(Collider::Sphere(1.0), Pose::at([5.0, 0.0, 0.0]), Mark::fixed())?;
    /// let mut out = Vec::new();
    /// scene.nearest(&[[0.0; 3], [99.0, 0.0, 0.0]], 10.0, &Default::default(), &mut out)?;
    /// assert!(out[0].id == Some(lamp) && out[0].lower <= 4.0 && 4.0 <= out[0].upper);
    /// assert_eq!((out[1].id, out[1].lower), (None, 10.0));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`nearest_of`](Self::nearest_of); `out` is then unchanged, or holds results without a collider.
    pub fn nearest(
        &mut self,
        points: &[[f64; 3]],
        radius: f32,
        filter: &Filter<'_>,
        out: &mut Vec<ColliderDistance>,
    ) -> Result<(), Error> {
        self.begin()?;
        self.seekers.begin(&self.registry);
        for (number, &from) in points.iter().enumerate() {
            let displacement = [0.0; 3];
            let ray = Ray { from, displacement };
            self.seekers.add_ray(&self.registry, number, &ray, filter)?;
        }
        out.clear();
        out.resize(points.len(), NONE);
        self.find_near(radius, filter, out)
    }

    /// Frees the memory of earlier answers, and of the detector.
    pub fn shrink(&mut self) {
        self.registry.shrink();
        self.detector.shrink();
        self.parts.shrink();
        self.searches.shrink();
        *self.encounters = Encounters::default();
        *self.seekers = Seekers::default();
    }

    /// The colliders.
    #[cfg(feature = "serde")]
    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The colliders, to read saved ones.
    #[cfg(feature = "serde")]
    pub(crate) fn registry_mut(&mut self) -> &mut Registry {
        &mut self.registry
    }

    /// The scene of saved colliders.
    #[cfg(feature = "serde")]
    pub(crate) fn of_registry(registry: Box<Registry>) -> Self {
        Scene {
            registry,
            ..Scene::default()
        }
    }

    /// Begins a query: bounds are brought up to date, and the detectors have the same settings.
    fn begin(&mut self) -> Result<(), Error> {
        let settings = self.detector.settings();
        for detector in [&mut self.detector, &mut self.parts, &mut self.searches] {
            detector.set_simd(settings.simd);
            detector.set_parallel(settings.parallel);
            detector.set_build_step(settings.build_step);
            detector.set_strict(false);
            detector.set_margin(0.0)?;
        }
        self.registry.refresh()
    }

    /// Begins a search by one collider.
    fn begin_one(
        &mut self,
        collider: Collider,
        pose: Pose,
        filter: &Filter<'_>,
    ) -> Result<(), Error> {
        let cast = Cast {
            collider,
            pose,
            displacement: [0.0; 3],
        };
        self.seekers.begin(&self.registry);
        self.seekers.add(&self.registry, 0, &cast, filter)
    }

    fn find_first(
        &mut self,
        numbers: usize,
        filter: &Filter<'_>,
        hits: &mut Vec<Option<CastHit>>,
    ) -> Result<(), Error> {
        let detectors = Detectors {
            tables: &mut self.searches,
            parts: &mut self.parts,
        };
        let scope = Scope::new(During::Way, filter);
        let found = self
            .seekers
            .first(&mut self.registry, detectors, &scope, numbers)?;
        hits.clear();
        hits.extend_from_slice(found);
        Ok(())
    }

    fn find_near(
        &mut self,
        radius: f32,
        filter: &Filter<'_>,
        out: &mut [ColliderDistance],
    ) -> Result<(), Error> {
        let detectors = Detectors {
            tables: &mut self.searches,
            parts: &mut self.parts,
        };
        let scope = Scope::new(During::Start, filter);
        self.seekers
            .near(&mut self.registry, detectors, &scope, radius, out)
    }
}

/// The distance of an invalid collider.
const NONE: ColliderDistance = ColliderDistance {
    id: None,
    part: 0,
    lower: 0.0,
    upper: f32::INFINITY,
};
