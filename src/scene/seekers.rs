//! Searches of a scene: shapes that search it, the pairs near them, and what they find.
//!
//! All searches find the pairs of their shapes and of the bounds of colliders first, and filter them by the colliders' marks. Pairs are
//! then listed by kinds and answered by one call for each list. A mesh is searched by the shapes near it.

use alloc::vec::Vec;
use core::ops::Range;

use crate::broad::first_hits::FirstHits;
use crate::broad::nearest::Nearest;
use crate::collider_id::ColliderId;
use crate::detector::Detector;
use crate::error::{Error, length_defect};
use crate::limits::{self, MAX_LENGTH};
use crate::math::dvec::DVec3;
use crate::narrow::contact::contacts::{Contact, Contacts};
use crate::narrow::contact::stage::SweepContacts;
use crate::narrow::distance::distances::Distances;
use crate::narrow::overlap::overlaps::{Overlaps, Sweeps, TimeInterval};
use crate::pairs::{Pair, Pairs};
use crate::scene::any_shapes::with_mesh;
use crate::scene::bounds_table::with_bounds;
use crate::scene::collider::{Collider, Kind, Mark, Placed, Pose, Role};
use crate::scene::encounters::{Detectors, GROWTH, reference};
use crate::scene::filter::Filter;
use crate::scene::kernels::{candidates, first_hits, nearest, query};
use crate::scene::lists::Lists;
use crate::scene::registry::{MOVING, RESTING, Registry};
use crate::scene::stores::SceneStores;
use crate::shapes::bounds::During;
use crate::shapes::groups::Groups;
use crate::shapes::point::Point;
use crate::shapes::triangle::is_along;
use crate::store::aliases::Aabbs;
use crate::store::hull::hulls::Hulls;
use crate::store::mesh::adjacency::Sides;

/// A ray: a segment from a point of the world along a displacement.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ray {
    /// The start, in the world.
    pub from: [f64; 3],
    /// Direction times length. An endless ray is one as long as the scene.
    pub displacement: [f32; 3],
}

/// A collider that is not in the scene, moved along a displacement: a shape cast.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cast {
    /// The shape: neither a plane, a half-space nor a mesh.
    pub collider: Collider,
    /// Its pose at the start.
    pub pose: Pose,
    /// Its straight way.
    pub displacement: [f32; 3],
}

/// The first collider that a ray, a cast or a swept collider hits.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CastHit {
    /// The collider that is hit.
    pub id: ColliderId,
    /// The triangle that is hit if the collider is a mesh, otherwise 0.
    pub part: u32,
    /// The times of contact, as fractions of the displacements: `enter` is never late, `exit` never early.
    pub time: TimeInterval,
    /// A point where they touch at `time.enter`, in the world: for a ray, the point of the ray; for a collider, the deepest point of its
    /// [manifold](crate::Contact), midway between both surfaces if they penetrate from the start.
    pub point: [f64; 3],
    /// Unit normal of the surface that is hit, towards what hits it. One that overlaps a mesh at the start is pushed to the
    /// [sides](crate::Mesh::set_sides) of the mesh.
    pub normal: [f32; 3],
    /// The [weights](crate::Triangle::barycentrics) of the corners at `point`, if a mesh or a single triangle is hit: for texture coordinates and
    /// vertex normals.
    pub barycentrics: Option<[f32; 3]>,
    /// Whether the [back](crate::Triangle::is_back) of a triangle is hit.
    pub is_back: bool,
}

/// The first hit of a swept collider, see [`Scene::sweeps`](crate::Scene::sweeps).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SweepHit {
    /// The swept collider.
    pub mover: ColliderId,
    /// Its hit.
    pub hit: CastHit,
}

/// Bounds of the distance of a point or a collider from a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColliderDistance {
    /// The collider with the least upper bound; `None` if that is above the radius.
    pub id: Option<ColliderId>,
    /// Its nearest triangle if it is a mesh, otherwise 0.
    pub part: u32,
    /// Never above the distance of any collider; the radius if all are farther away.
    pub lower: f32,
    /// Never below the distance of that collider; +∞ if there is none.
    pub upper: f32,
}

/// The slot of a shape that is not in the scene.
const NO_SLOT: u32 = u32::MAX;

/// A hit of a search, by slot.
#[derive(Clone, Copy, Debug)]
struct Touch {
    slot: u32,
    part: u32,
    time: TimeInterval,
}

impl Touch {
    /// Whether it is before another: earlier, or at the same time in a lower slot or triangle.
    fn is_before(&self, other: &Touch) -> bool {
        let place = |touch: &Touch| (touch.slot, touch.part);
        self.time.enter < other.time.enter
            || self.time.enter == other.time.enter && place(self) < place(other)
    }
}

/// A shape that searches.
#[derive(Clone, Copy, Debug)]
struct Seeking {
    /// Its kind and its row.
    kind: Kind,
    row: u32,
    /// The number of its search.
    number: u32,
    /// Its slot in the scene, or [`NO_SLOT`].
    own: u32,
}

/// The colliders that a search may find.
#[derive(Clone, Copy)]
pub struct Scope<'f> {
    pub during: During,
    /// Whether colliders are searched where they are at the start of the frame.
    pub at_rest: bool,
    pub hits_sensors: bool,
    pub without: &'f [ColliderId],
    /// Whether hits that a motion does not approach are passed.
    pub approaching: bool,
}

impl<'f> Scope<'f> {
    /// Colliders at rest that pass a filter.
    pub fn new(during: During, filter: &Filter<'f>) -> Self {
        Scope {
            during,
            at_rest: true,
            hits_sensors: filter.hits_sensors,
            without: filter.without,
            approaching: filter.approaching,
        }
    }

    fn admits(&self, registry: &Registry, slot: u32) -> bool {
        registry.in_slot(slot).is_some_and(|entry| {
            (self.hits_sensors || entry.mark.role != Role::Sensor)
                && (self.without.is_empty() || !self.without.contains(&registry.id(slot)))
        })
    }
}

/// The shapes of a search, and memory for it.
#[derive(Clone, Debug, Default)]
pub struct Seekers {
    shapes: SceneStores,
    all: Vec<Seeking>,
    /// Number of invalid shapes, which were left out.
    invalid: usize,
    /// The place in `all` of each row of each kind.
    places: [Vec<u32>; Kind::COUNT],
    lists: Lists,
    pairs: Vec<Pair>,
    /// The slots of meshes, each with the kind and the row of a shape near it.
    of_meshes: Vec<(u32, Kind, u32)>,
    /// Shapes near a mesh, and their rows.
    near: SceneStores,
    near_rows: Vec<u32>,
    /// The bounds of moving colliders during the frame.
    frame: Aabbs,
    touches: Vec<Option<Touch>>,
    overlaps: Overlaps,
    sweeps: Sweeps,
    contacts: Contacts,
    distances: Distances,
    firsts: FirstHits,
    nearest: Nearest,
    slots: Vec<u32>,
    found: Vec<Option<CastHit>>,
}

impl Seekers {
    /// Begins a search of a scene.
    pub fn begin(&mut self, registry: &Registry) {
        self.shapes.clear();
        let kinds = registry.stores.hulls.kinds();
        for shapes in [&mut self.shapes, &mut self.near] {
            if shapes.hulls.kinds().len() != kinds.len() {
                shapes.hulls = Hulls::new(kinds);
            }
        }
        self.all.clear();
        self.invalid = 0;
        self.places.iter_mut().for_each(Vec::clear);
    }

    /// Number of shapes.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Number of invalid shapes, which were left out.
    pub fn invalid(&self) -> usize {
        self.invalid
    }

    /// Adds a shape relative to the origin.
    fn push(
        &mut self,
        kind: Kind,
        shape: &Placed,
        displacement: [f32; 3],
        (groups, body): (Groups, u32),
        (number, own): (u32, u32),
    ) -> Result<(), Error> {
        let row = self.shapes.push(shape, displacement)?;
        self.shapes.set_filter(kind, row, groups, body)?;
        self.places[kind as usize].push(self.all.len() as u32);
        self.all.push(Seeking {
            kind,
            row,
            number,
            own,
        });
        Ok(())
    }

    /// Adds search `number`: a collider that is not in the scene. An invalid one is left out, or refused by a strict scene.
    pub fn add(
        &mut self,
        registry: &Registry,
        number: usize,
        cast: &Cast,
        filter: &Filter<'_>,
    ) -> Result<(), Error> {
        let Cast {
            collider,
            pose,
            displacement,
        } = cast;
        registry.check_kind(collider)?;
        let (at, kind) = (pose.relative_to(registry.origin), collider.kind());
        let (shape, defect) = collider.checked(at, pose.rotation);
        let Some(shape) = shape.filter(|_| !kind.is_unbounded()) else {
            return Err(Error::UnboundedCast { index: number });
        };
        let defect = defect.or_else(|| length_defect("displacement", displacement));
        match defect {
            Some(defect) if registry.is_strict => Err(Error::BadCast {
                index: number,
                defect,
            }),
            Some(_) => {
                self.invalid += 1;
                Ok(())
            }
            None => {
                let admits = (filter.groups, filter.body);
                self.push(
                    kind,
                    &shape,
                    *displacement,
                    admits,
                    (number as u32, NO_SLOT),
                )
            }
        }
    }

    /// Adds search `number`: a ray, or a point.
    pub fn add_ray(
        &mut self,
        registry: &Registry,
        number: usize,
        ray: &Ray,
        filter: &Filter<'_>,
    ) -> Result<(), Error> {
        let from = Pose::at(ray.from).relative_to(registry.origin);
        let position = from.map(|x| x as f32);
        let defect = length_defect("from", &position);
        let defect = defect.or_else(|| length_defect("displacement", &ray.displacement));
        match defect {
            Some(defect) if registry.is_strict => Err(Error::BadCast {
                index: number,
                defect,
            }),
            Some(_) => {
                self.invalid += 1;
                Ok(())
            }
            None => {
                let shape = Placed::Point(Point { position });
                let admits = (filter.groups, filter.body);
                let who = (number as u32, NO_SLOT);
                self.push(Kind::Point, &shape, ray.displacement, admits, who)
            }
        }
    }

    /// Adds the swept colliders, in the order of their ids.
    pub fn add_swept(&mut self, registry: &Registry) -> Result<(), Error> {
        for (id, entry) in registry.iter() {
            let Mark {
                role, groups, body, ..
            } = entry.mark;
            let is_swept = entry.mark.is_swept && role == Role::Moving && entry.defect.is_none();
            if !is_swept || entry.kind.is_unbounded() {
                continue;
            }
            if let Some(shape) = registry.placed(id.slot()) {
                let who = (self.all.len() as u32, id.slot());
                self.push(entry.kind, &shape, entry.motion(), (groups, body), who)?;
            }
        }
        Ok(())
    }

    /// The shape at a row of a kind.
    fn of(&self, kind: Kind, row: u32) -> Seeking {
        self.all[self.places[kind as usize][row as usize] as usize]
    }

    /// Lists the pairs of shapes and colliders near them.
    fn pair(
        &mut self,
        registry: &mut Registry,
        detectors: &mut Detectors<'_>,
        scope: &Scope<'_>,
    ) -> Result<(), Error> {
        self.lists.clear();
        self.of_meshes.clear();
        let moves = !scope.at_rest && registry.bounds_of_frame(&mut self.frame)?;
        for kind in Kind::STORED {
            if self.places[kind as usize].is_empty() {
                continue;
            }
            for number in [MOVING, RESTING] {
                let table = &registry.tables[number];
                if table.is_empty() {
                    continue;
                }
                let bounds = if moves && number == MOVING {
                    &self.frame
                } else {
                    table.bounds()
                };
                let (shapes, pairs) = (&self.shapes, &mut self.pairs);
                shapes.with(kind, false, &mut |shapes| {
                    with_bounds(bounds, &mut |bounds| {
                        candidates(detectors.tables, shapes, bounds, scope.during, pairs)
                    })
                })?;
                for place in 0..self.pairs.len() {
                    let Pair { a, b } = self.pairs[place];
                    self.list(registry, scope, (kind, a), table.slot(b));
                }
            }
            self.pair_planes(registry, scope, kind);
        }
        Ok(())
    }

    /// Lists the pairs of the shapes of a kind with planes and half-spaces.
    fn pair_planes(&mut self, registry: &Registry, scope: &Scope<'_>, kind: Kind) {
        for row in 0..self.places[kind as usize].len() as u32 {
            let (groups, body) = self.shapes.filter(kind, row);
            let seeker = Mark {
                groups,
                body,
                ..Mark::moving()
            };
            for flat in [Kind::Plane, Kind::HalfSpace] {
                for &slot in registry.slots_of(flat) {
                    let meets = registry
                        .in_slot(slot)
                        .is_some_and(|entry| entry.defect.is_none() && seeker.meets(&entry.mark));
                    if meets {
                        self.list(registry, scope, (kind, row), slot);
                    }
                }
            }
        }
    }

    /// Lists a pair if it is in the scope.
    fn list(
        &mut self,
        registry: &Registry,
        scope: &Scope<'_>,
        (kind, row): (Kind, u32),
        slot: u32,
    ) {
        let is_other = self.of(kind, row).own != slot;
        if !is_other || !scope.admits(registry, slot) {
            return;
        }
        if let Some(entry) = registry.in_slot(slot) {
            match entry.kind {
                Kind::Mesh => self.of_meshes.push((slot, kind, row)),
                other => self.lists.push(kind, other, Pair::new(row, entry.row)),
            }
        }
    }

    /// Collects the shapes of one kind near one mesh. Sorted lists of meshes have them in one run.
    fn gather(&mut self, from: usize) -> Result<usize, Error> {
        let (slot, kind, _) = self.of_meshes[from];
        self.near.clear();
        self.near_rows.clear();
        let rest = &self.of_meshes[from..];
        let run = rest.partition_point(|&(mesh, of, _)| (mesh, of) <= (slot, kind));
        for &(_, _, row) in &rest[..run] {
            if let Some(shape) = self.shapes.get(kind, row) {
                self.near
                    .push(&shape, self.shapes.displacement(kind, row))?;
                self.near_rows.push(row);
            }
        }
        Ok(from + run)
    }

    /// Finds the first hits of all shapes, by the number of their search, in as many results as there are.
    pub fn first(
        &mut self,
        registry: &mut Registry,
        mut detectors: Detectors<'_>,
        scope: &Scope<'_>,
        numbers: usize,
    ) -> Result<&[Option<CastHit>], Error> {
        self.touches.clear();
        self.touches.resize(numbers, None);
        self.found.clear();
        self.found.resize(numbers, None);
        if self.all.is_empty() {
            return Ok(&self.found);
        }
        self.pair(registry, &mut detectors, scope)?;
        let at_rest = scope.at_rest;
        for (kind, other, list) in self.lists.iter() {
            let (shapes, sweeps, contacts) = (&self.shapes, &mut self.sweeps, &mut self.contacts);
            shapes.with(kind, false, &mut |shapes| {
                registry.with(other, at_rest, &mut |others| {
                    let list = Pairs::from(list);
                    if scope.approaching {
                        let out = (&mut *sweeps, &mut *contacts);
                        query::<SweepContacts>(detectors.tables, shapes, others, list, out)
                    } else {
                        query::<Sweeps>(detectors.tables, shapes, others, list, sweeps)
                    }
                })
            })?;
            // Each hit has a contact, in the same order.
            let mut contacts = self.contacts.iter();
            for (position, time) in self.sweeps.iter() {
                let Pair { a, b } = list[position];
                let slot = registry.slot_of(other, b);
                if scope.approaching
                    && let Some(contact) = contacts.next()
                {
                    let [x, y] = self.motions(registry, (kind, a), slot, at_rest);
                    if !is_along(DVec3::of(contact.normal), DVec3::of(x) - DVec3::of(y)) {
                        continue;
                    }
                }
                let touch = Touch {
                    slot,
                    part: 0,
                    time,
                };
                let number = self.of(kind, a).number;
                keep_first(&mut self.touches[number as usize], touch);
            }
        }
        self.of_meshes.sort_unstable();
        let mut next = 0;
        while next < self.of_meshes.len() {
            let (slot, kind, _) = self.of_meshes[next];
            next = self.gather(next)?;
            let (near, firsts) = (&self.near, &mut self.firsts);
            detectors.parts.set_approaching(scope.approaching);
            let searched = near.with(kind, false, &mut |shapes| {
                registry.with_mesh_of(slot, at_rest, None, &mut |mesh| {
                    first_hits(detectors.parts, shapes, mesh, firsts)
                })
            });
            detectors.parts.set_approaching(false);
            searched?;
            for hit in &self.firsts {
                let touch = Touch {
                    slot,
                    part: hit.b,
                    time: hit.time,
                };
                let row = self.near_rows[hit.a as usize];
                let number = self.of(kind, row).number;
                keep_first(&mut self.touches[number as usize], touch);
            }
        }
        self.touch(registry, detectors, at_rest)?;
        Ok(&self.found)
    }

    /// Finds where the shapes touch what they hit first.
    fn touch(
        &mut self,
        registry: &mut Registry,
        detectors: Detectors<'_>,
        at_rest: bool,
    ) -> Result<(), Error> {
        self.lists.clear();
        self.of_meshes.clear();
        for seeking in &self.all {
            let Some(touch) = self.touches[seeking.number as usize] else {
                continue;
            };
            if let Some(entry) = registry.in_slot(touch.slot) {
                match entry.kind {
                    Kind::Mesh => {
                        let of_mesh = (touch.slot, seeking.kind, seeking.row);
                        self.of_meshes.push(of_mesh);
                    }
                    kind => {
                        let pair = Pair::new(seeking.row, entry.row);
                        self.lists.push(seeking.kind, kind, pair);
                    }
                }
            }
        }
        let lists = core::mem::take(&mut self.lists);
        for (kind, other, list) in lists.iter() {
            let (shapes, out) = (&self.shapes, (&mut self.sweeps, &mut self.contacts));
            let (sweeps, contacts) = out;
            shapes.with(kind, false, &mut |shapes| {
                registry.with(other, at_rest, &mut |others| {
                    let (list, out) = (Pairs::from(list), (&mut *sweeps, &mut *contacts));
                    query::<SweepContacts>(detectors.tables, shapes, others, list, out)
                })
            })?;
            self.keep(registry, kind, list, at_rest);
        }
        self.lists = lists;
        self.of_meshes.sort_unstable();
        let mut next = 0;
        while next < self.of_meshes.len() {
            let (slot, kind, _) = self.of_meshes[next];
            let rest = &self.of_meshes[next..];
            let run = rest.partition_point(|&(mesh, of, _)| (mesh, of) <= (slot, kind));
            // A back is touched from its own side, whatever side the mesh pushes to.
            for sides in [None, Some(Sides::Both)] {
                let rows = next..next + run;
                self.touch_mesh(registry, detectors.parts, rows, sides, at_rest)?;
            }
            next += run;
        }
        Ok(())
    }

    /// Finds where shapes of one kind touch the triangles of a mesh that they hit first: those that push to the sides of the mesh, or those hit
    /// from behind, which push to both.
    fn touch_mesh(
        &mut self,
        registry: &mut Registry,
        detector: &mut Detector,
        rows: Range<usize>,
        sides: Option<Sides>,
        at_rest: bool,
    ) -> Result<(), Error> {
        let (slot, kind, _) = self.of_meshes[rows.start];
        let mut list = core::mem::take(&mut self.pairs);
        list.clear();
        for &(_, _, row) in &self.of_meshes[rows] {
            if let Some(touch) = self.touches[self.of(kind, row).number as usize]
                && self.is_from_behind(registry, (kind, row), touch, at_rest) == sides.is_some()
            {
                list.push(Pair::new(row, touch.part));
            }
        }
        let mut answered = Ok(());
        if !list.is_empty() {
            let (shapes, sweeps, contacts) = (&self.shapes, &mut self.sweeps, &mut self.contacts);
            answered = shapes.with(kind, false, &mut |shapes| {
                registry.with_mesh_of(slot, at_rest, sides, &mut |mesh| {
                    let (list, out) = (Pairs::from(&list), (&mut *sweeps, &mut *contacts));
                    query::<SweepContacts>(detector, shapes, mesh, list, out)
                })
            });
            if answered.is_ok() {
                self.keep(registry, kind, &list, at_rest);
            }
        }
        self.pairs = list;
        answered
    }

    /// Whether a shape hits the back of a triangle of a mesh on its way.
    fn is_from_behind(
        &self,
        registry: &Registry,
        (kind, row): (Kind, u32),
        touch: Touch,
        at_rest: bool,
    ) -> bool {
        let Some(entry) = registry.in_slot(touch.slot) else {
            return false;
        };
        let [x, y] = self.motions(registry, (kind, row), touch.slot, at_rest);
        let motion = [0, 1, 2].map(|k| x[k] - y[k]);
        let triangle = registry.mesh(entry.row).get(touch.part);
        touch.time.enter > 0.0 && triangle.is_some_and(|triangle| triangle.is_back(motion))
    }

    /// The displacements of a shape and of a collider.
    fn motions(
        &self,
        registry: &Registry,
        (kind, row): (Kind, u32),
        slot: u32,
        at_rest: bool,
    ) -> [[f32; 3]; 2] {
        let other = registry.in_slot(slot).filter(|_| !at_rest);
        let of_other = other.map_or([0.0; 3], |entry| entry.motion());
        [self.shapes.displacement(kind, row), of_other]
    }

    /// Keeps the points and normals of a list of hits.
    fn keep(&mut self, registry: &Registry, kind: Kind, list: &[Pair], at_rest: bool) {
        for contact in self.contacts.iter() {
            let row = list[contact.position].a;
            let number = self.of(kind, row).number as usize;
            let Some(touch) = self.touches[number] else {
                continue;
            };
            let Some(entry) = registry.in_slot(touch.slot) else {
                continue;
            };
            let other = match entry.kind {
                Kind::Mesh => registry
                    .mesh(entry.row)
                    .get(touch.part)
                    .map(Placed::Triangle),
                kind => registry.stores.get(kind, entry.row),
            };
            let shape = self.shapes.get(kind, row);
            let [of_shape, of_other] = self.motions(registry, (kind, row), touch.slot, at_rest);
            // The center of the contact moves with the shape that has it.
            let has_center = |shape: Option<Placed>| shape.is_some_and(|it| it.center().is_some());
            let has_mean = shape.is_some_and(|shape| shape.mean().is_some());
            let is_own = has_center(shape) || !has_center(other) && has_mean;
            let motion = if is_own { of_shape } else { of_other };
            let center = reference(shape, || other);
            let at = match kind {
                // The way of the ray itself.
                Kind::Point => [0.0; 3],
                _ => deepest(&contact),
            };
            let time = f64::from(touch.time.enter);
            let way = |motion: [f32; 3], k: usize| f64::from(motion[k]) * time;
            let place = [0, 1, 2].map(|k| center[k] + way(motion, k) + f64::from(at[k]));
            let triangle = match other {
                Some(Placed::Triangle(triangle)) => Some(triangle),
                _ => None,
            };
            let barycentrics = triangle.map(|triangle| {
                let on = [0, 1, 2].map(|k| (place[k] - way(of_other, k)) as f32);
                triangle.barycentrics(on)
            });
            let relative = [0, 1, 2].map(|k| of_shape[k] - of_other[k]);
            self.found[number] = Some(CastHit {
                id: registry.id(touch.slot),
                part: touch.part,
                time: touch.time,
                point: [0, 1, 2].map(|k| registry.origin[k] + place[k]),
                normal: contact.normal.map(|x| 0.0 - x),
                barycentrics,
                is_back: triangle.is_some_and(|triangle| triangle.is_back(relative)),
            });
        }
    }

    /// The first hits of swept colliders, after [`first`](Self::first), in the order of their ids.
    pub fn swept<'s>(&'s self, registry: &'s Registry) -> impl Iterator<Item = SweepHit> + 's {
        self.all.iter().filter_map(|seeking| {
            let hit = self.found[seeking.number as usize]?;
            let mover = registry.id(seeking.own);
            Some(SweepHit { mover, hit })
        })
    }

    /// Finds the colliders that the shapes touch, each once, in the order of ids.
    pub fn touching(
        &mut self,
        registry: &mut Registry,
        mut detectors: Detectors<'_>,
        scope: &Scope<'_>,
    ) -> Result<&[u32], Error> {
        self.slots.clear();
        if self.all.is_empty() {
            return Ok(&self.slots);
        }
        self.pair(registry, &mut detectors, scope)?;
        for (kind, other, list) in self.lists.iter() {
            let (shapes, overlaps) = (&self.shapes, &mut self.overlaps);
            shapes.with(kind, false, &mut |shapes| {
                registry.with(other, true, &mut |others| {
                    let list = Pairs::from(list);
                    query::<Overlaps>(detectors.tables, shapes, others, list, overlaps)
                })
            })?;
            let hits = self.overlaps.iter();
            let slot = |position: usize| registry.slot_of(other, list[position].b);
            self.slots.extend(hits.map(slot));
        }
        self.of_meshes.sort_unstable();
        let mut next = 0;
        while next < self.of_meshes.len() {
            let (slot, kind, _) = self.of_meshes[next];
            next = self.gather(next)?;
            let Some(entry) = registry.in_slot(slot) else {
                continue;
            };
            let (near, pairs, overlaps) = (&self.near, &mut self.pairs, &mut self.overlaps);
            near.with(kind, false, &mut |shapes| {
                with_mesh(registry.mesh(entry.row), &mut |mesh| {
                    candidates(detectors.parts, shapes, mesh, During::Start, pairs)?;
                    let list = Pairs::from(&*pairs);
                    query::<Overlaps>(detectors.parts, shapes, mesh, list, overlaps)
                })
            })?;
            if self.overlaps.count() > 0 {
                self.slots.push(slot);
            }
        }
        self.slots.sort_unstable();
        self.slots.dedup();
        Ok(&self.slots)
    }

    /// Finds the nearest collider to each shape, by the number of its search, within a radius.
    pub fn near(
        &mut self,
        registry: &mut Registry,
        mut detectors: Detectors<'_>,
        scope: &Scope<'_>,
        radius: f32,
        out: &mut [ColliderDistance],
    ) -> Result<(), Error> {
        // As far as bounds are compared, see `GROWTH`.
        let within = limits::length(radius).filter(|radius| *radius <= MAX_LENGTH / 2.0);
        let radius = within.ok_or(Error::BadRadius { radius })?;
        for seeking in &self.all {
            out[seeking.number as usize].lower = radius;
        }
        if self.all.is_empty() {
            return Ok(());
        }
        detectors.tables.set_margin(radius * GROWTH)?;
        let paired = self.pair(registry, &mut detectors, scope);
        detectors.tables.set_margin(0.0)?;
        paired?;
        let keep = |best: &mut ColliderDistance, slot: u32, part: u32, lower: f32, upper: f32| {
            if lower < best.lower {
                best.lower = lower;
            }
            let id = registry.id(slot);
            let is_lower = best.id.is_none_or(|old| (id, part) < (old, best.part));
            if upper <= radius && (upper < best.upper || upper == best.upper && is_lower) {
                (best.id, best.part, best.upper) = (Some(id), part, upper);
            }
        };
        for (kind, other, list) in self.lists.iter() {
            let (shapes, distances) = (&self.shapes, &mut self.distances);
            shapes.with(kind, false, &mut |shapes| {
                registry.with(other, true, &mut |others| {
                    let (list, out) = (Pairs::from(list), (&mut *distances, None));
                    query::<Distances>(detectors.tables, shapes, others, list, out)
                })
            })?;
            let bounds = self.distances.lower().iter().zip(self.distances.upper());
            for (pair, (&lower, &upper)) in list.iter().zip(bounds) {
                let best = &mut out[self.of(kind, pair.a).number as usize];
                keep(best, registry.slot_of(other, pair.b), 0, lower, upper);
            }
        }
        self.of_meshes.sort_unstable();
        let mut next = 0;
        while next < self.of_meshes.len() {
            let (slot, kind, _) = self.of_meshes[next];
            next = self.gather(next)?;
            let Some(entry) = registry.in_slot(slot) else {
                continue;
            };
            let (near, found) = (&self.near, &mut self.nearest);
            near.with(kind, false, &mut |shapes| {
                with_mesh(registry.mesh(entry.row), &mut |mesh| {
                    nearest(detectors.parts, shapes, mesh, radius, found)
                })
            })?;
            for clearance in &self.nearest {
                let row = self.near_rows[clearance.a as usize];
                let best = &mut out[self.of(kind, row).number as usize];
                let (part, upper) = match clearance.b {
                    Some(part) => (part, clearance.upper),
                    None => (0, f32::INFINITY),
                };
                keep(best, slot, part, clearance.lower, upper);
            }
        }
        Ok(())
    }
}

/// Keeps the first of two hits.
fn keep_first(first: &mut Option<Touch>, touch: Touch) {
    if first.is_none_or(|first| touch.is_before(&first)) {
        *first = Some(touch);
    }
}

/// The deepest point of a manifold; the center if it has none.
fn deepest(contact: &Contact) -> [f32; 3] {
    let points = contact.points().iter();
    let least = points.min_by(|a, b| a.separation.total_cmp(&b.separation));
    least.map_or([0.0; 3], |point| point.at)
}
