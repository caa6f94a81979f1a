//! The colliders of a scene: slots, the rows of their shapes, and their bounds.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

use crate::collider_id::ColliderId;
use crate::error::{Defect, Error, length_defect};
use crate::lane::Float;
use crate::scene::any_shapes::{Run, with_mesh};
use crate::scene::bounds_table::{BoundsTable, NOTHING, write};
use crate::scene::collider::{Collider, Kind, Mark, Placed, Pose, Role};
use crate::scene::stores::SceneStores;
use crate::shapes::aabb::Aabb;
use crate::shapes::bounds::During;
use crate::store::aliases::Aabbs;
use crate::store::mesh::adjacency::Sides;
use crate::store::mesh::mesh::Mesh;
use crate::store::store::Shapes;

/// The row of a collider without bounds.
const NO_ROW: u32 = u32::MAX;

/// A slot, and the collider in it.
#[derive(Clone, Debug)]
pub struct Slot {
    pub generation: u32,
    pub entry: Option<Entry>,
}

/// A collider.
#[derive(Clone, Debug)]
pub struct Entry {
    pub collider: Collider,
    pub pose: Pose,
    pub displacement: [f32; 3],
    pub mark: Mark,
    pub kind: Kind,
    /// The row in the store of its kind, or among the meshes.
    pub row: u32,
    /// The row in its table of bounds; [`NO_ROW`] if it has no bounds.
    pub bounds: u32,
    /// The first defect. The collider is then in no pair.
    pub defect: Option<Defect>,
    /// Whether its bounds are to be written.
    is_dirty: bool,
    /// The round in which its shape, pose or mark last changed.
    changed: u64,
}

impl Entry {
    /// Number of its table of bounds.
    pub fn table(&self) -> usize {
        match self.mark.role {
            Role::Moving => MOVING,
            Role::Fixed | Role::Sensor => RESTING,
        }
    }

    /// The displacement during the frame: only moving colliders move.
    pub fn motion(&self) -> [f32; 3] {
        match self.mark.role {
            Role::Moving => self.displacement,
            Role::Fixed | Role::Sensor => [0.0; 3],
        }
    }

    /// The shape relative to an origin, `None` for a mesh, and the first defect.
    fn checked(&self, origin: [f64; 3]) -> (Option<Placed>, Option<Defect>) {
        let at = self.pose.relative_to(origin);
        let (shape, defect) = self.collider.checked(at, self.pose.rotation);
        let defect = defect.or_else(|| length_defect("displacement", &self.displacement));
        (shape, defect)
    }
}

/// The table of moving colliders, which meet all.
pub const MOVING: usize = 0;
/// The table of fixed colliders and sensors, which meet moving ones only.
pub const RESTING: usize = 1;

/// A mesh at its pose.
#[derive(Clone, Debug)]
struct PlacedMesh {
    at_rest: Arc<Mesh>,
    mesh: Mesh,
}

/// The colliders of a scene.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    pub slots: Vec<Slot>,
    /// The free slots; the last is taken first.
    pub free: Vec<u32>,
    pub stores: SceneStores,
    meshes: Vec<PlacedMesh>,
    /// The slot of each row of each kind.
    rows: [Vec<u32>; Kind::COUNT],
    /// The meshes that colliders share, by number.
    pub mesh_kinds: Vec<Option<Arc<Mesh>>>,
    pub tables: [BoundsTable; 2],
    pub origin: [f64; 3],
    pub is_strict: bool,
    /// Number of colliders.
    pub len: usize,
    /// Number of invalid colliders.
    pub invalid: usize,
    /// The slots whose bounds are to be written, each once.
    dirty: Vec<u32>,
    /// The slots that move during the frame.
    moving: Vec<u32>,
    measure: Measure,
    /// Number of calls for contacts until now.
    round: u64,
}

/// Memory to measure bounds.
#[derive(Clone, Debug, Default)]
struct Measure {
    shapes: SceneStores,
    /// The slot of each shape of each kind.
    slots: [Vec<u32>; Kind::COUNT],
    /// The slots whose bounds are among those of the whole store of their kind.
    whole: [Vec<u32>; Kind::COUNT],
    boxes: Aabbs,
    /// Slots and their bounds.
    found: Vec<(u32, Aabb)>,
}

impl Registry {
    /// The id of the collider in a slot.
    pub fn id(&self, slot: u32) -> ColliderId {
        ColliderId::new(slot, self.slots[slot as usize].generation)
    }

    /// The collider in a slot; `None` if the slot is free.
    pub fn in_slot(&self, slot: u32) -> Option<&Entry> {
        self.slots.get(slot as usize)?.entry.as_ref()
    }

    /// The collider with an id; `None` if it was removed.
    pub fn get(&self, id: ColliderId) -> Option<&Entry> {
        let slot = self.slots.get(id.slot() as usize)?;
        let entry = slot.entry.as_ref()?;
        (slot.generation == id.generation()).then_some(entry)
    }

    /// Whether the collider in a slot is the same as in the last call for contacts, displacements aside.
    pub fn rests(&self, slot: u32) -> bool {
        self.in_slot(slot)
            .is_some_and(|entry| entry.changed < self.round)
    }

    /// Ends a call for contacts.
    pub fn end_round(&mut self) {
        self.round += 1;
    }

    fn checked(&mut self, id: ColliderId) -> Result<&mut Entry, Error> {
        let slot = self.slots.get_mut(id.slot() as usize);
        let slot = slot.filter(|slot| slot.generation == id.generation());
        let entry = slot.and_then(|slot| slot.entry.as_mut());
        entry.ok_or(Error::UnknownCollider { id })
    }

    /// All colliders with their ids, in order.
    pub fn iter(&self) -> impl Iterator<Item = (ColliderId, &Entry)> {
        (0..self.slots.len() as u32).filter_map(|slot| Some((self.id(slot), self.in_slot(slot)?)))
    }

    /// The slot of a row of a kind.
    pub fn slot_of(&self, kind: Kind, row: u32) -> u32 {
        self.rows[kind as usize][row as usize]
    }

    /// The slots of the colliders of a kind.
    pub fn slots_of(&self, kind: Kind) -> &[u32] {
        &self.rows[kind as usize]
    }

    /// The placed mesh of a row.
    pub fn mesh(&self, row: u32) -> &Mesh {
        &self.meshes[row as usize].mesh
    }

    /// The shape of a slot; `None` for a mesh.
    pub fn placed(&self, slot: u32) -> Option<Placed> {
        let entry = self.in_slot(slot)?;
        self.stores.get(entry.kind, entry.row)
    }

    /// Checks the kind of a hull or a mesh.
    pub fn check_kind(&self, collider: &Collider) -> Result<(), Error> {
        match *collider {
            Collider::Hull(kind) => {
                let kinds = self.stores.hulls.kinds().len();
                if kind as usize >= kinds {
                    return Err(Error::UnknownHullKind { kind, kinds });
                }
            }
            Collider::Mesh(mesh) => {
                self.mesh_kind(mesh)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The shared mesh of a number.
    pub fn mesh_kind(&self, mesh: u32) -> Result<&Arc<Mesh>, Error> {
        let kind = self.mesh_kinds.get(mesh as usize);
        kind.and_then(Option::as_ref)
            .ok_or(Error::UnknownMesh { mesh })
    }

    /// Adds a collider.
    pub fn add(&mut self, collider: Collider, pose: Pose, mark: Mark) -> Result<ColliderId, Error> {
        self.check_kind(&collider)?;
        let entry = self.entry(collider, pose, [0.0; 3], mark);
        if let Some(defect) = entry.defect.filter(|_| self.is_strict) {
            return Err(Error::BadCollider { id: None, defect });
        }
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                let slot = self.slots.len();
                let slot = u32::try_from(slot).map_err(|_| Error::TooManyShapes { len: slot })?;
                self.slots.push(Slot {
                    generation: 0,
                    entry: None,
                });
                slot
            }
        };
        let entered = self.enter(slot, entry);
        if entered.is_err() {
            self.free.push(slot);
        }
        entered.map(|()| self.id(slot))
    }

    /// A collider without rows.
    pub fn entry(
        &self,
        collider: Collider,
        pose: Pose,
        displacement: [f32; 3],
        mark: Mark,
    ) -> Entry {
        let mut entry = Entry {
            collider,
            pose,
            displacement,
            mark,
            kind: collider.kind(),
            row: 0,
            bounds: NO_ROW,
            defect: None,
            is_dirty: false,
            changed: self.round,
        };
        entry.defect = entry.checked(self.origin).1;
        entry
    }

    /// Puts a collider into a free slot, with rows of its own. After an error it has none.
    pub fn enter(&mut self, slot: u32, mut entry: Entry) -> Result<(), Error> {
        let table = entry.table();
        if !entry.kind.is_unbounded() {
            let Mark { groups, body, .. } = entry.mark;
            entry.bounds = self.tables[table].add(slot, groups, body)?;
        }
        entry.row = match self.store(&entry) {
            Ok(row) => row,
            Err(error) => {
                if entry.bounds != NO_ROW {
                    self.tables[table].remove(entry.bounds)?;
                }
                return Err(error);
            }
        };
        self.rows[entry.kind as usize].push(slot);
        self.len += 1;
        self.invalid += usize::from(entry.defect.is_some());
        entry.is_dirty = false;
        self.slots[slot as usize].entry = Some(entry);
        self.soil(slot);
        Ok(())
    }

    /// Stores the shape of a collider, or its mesh. Returns the row.
    fn store(&mut self, entry: &Entry) -> Result<u32, Error> {
        let at = entry.pose.relative_to(self.origin);
        let rotation = entry.pose.rotation;
        if let Some(shape) = entry.collider.placed(at, rotation) {
            return self.stores.push(&shape, entry.motion());
        }
        // Meshes alone have no shape.
        let Collider::Mesh(mesh) = entry.collider else {
            return Ok(0);
        };
        let at_rest = Arc::clone(self.mesh_kind(mesh)?);
        let mut placed = PlacedMesh {
            mesh: Mesh::clone(&at_rest),
            at_rest,
        };
        if entry.defect.is_none() {
            placed.place(at, rotation)?;
        }
        self.meshes.push(placed);
        Ok(self.meshes.len() as u32 - 1)
    }

    /// Removes a collider and returns its shape, pose and mark.
    pub fn remove(&mut self, id: ColliderId) -> Result<Entry, Error> {
        self.checked(id)?;
        let entry = self.leave(id.slot())?;
        let slot = &mut self.slots[id.slot() as usize];
        // A slot without another generation is not used again.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(id.slot());
        }
        Ok(entry)
    }

    /// Takes a collider out of its slot and its rows.
    fn leave(&mut self, slot: u32) -> Result<Entry, Error> {
        let entry = self.slots[slot as usize].entry.take();
        let Some(entry) = entry else {
            return Err(Error::UnknownCollider { id: self.id(slot) });
        };
        let rows = &mut self.rows[entry.kind as usize];
        rows.swap_remove(entry.row as usize);
        if let Some(&moved) = rows.get(entry.row as usize)
            && let Some(moved) = &mut self.slots[moved as usize].entry
        {
            moved.row = entry.row;
        }
        match entry.kind {
            Kind::Mesh => {
                self.meshes.swap_remove(entry.row as usize);
            }
            kind => self.stores.swap_remove(kind, entry.row),
        }
        if entry.bounds != NO_ROW {
            self.tables[entry.table()].remove(entry.bounds)?;
        }
        self.len -= 1;
        self.invalid -= usize::from(entry.defect.is_some());
        Ok(entry)
    }

    /// Changes the pose or the displacement of a collider, if the scene is not strict or it stays valid.
    pub fn change(&mut self, id: ColliderId, change: impl FnOnce(&mut Entry)) -> Result<(), Error> {
        let (origin, is_strict) = (self.origin, self.is_strict);
        let entry = self.checked(id)?;
        let old = (entry.pose, entry.displacement);
        let was_invalid = entry.defect.is_some();
        change(entry);
        if !was_invalid && entry.pose.is_same(&old.0) && entry.displacement == old.1 {
            return Ok(());
        }
        let (shape, defect) = entry.checked(origin);
        if let Some(defect) = defect.filter(|_| is_strict) {
            (entry.pose, entry.displacement) = old;
            return Err(Error::BadCollider {
                id: Some(id),
                defect,
            });
        }
        entry.defect = defect;
        let is_invalid = defect.is_some();
        let is_same_motion = entry.displacement == old.1;
        let (kind, row, motion) = (entry.kind, entry.row, entry.motion());
        self.invalid = self.invalid + usize::from(is_invalid) - usize::from(was_invalid);
        if !is_same_motion {
            self.stores.set_displacement(kind, row, motion)?;
        }
        self.place(id.slot(), shape)
    }

    /// Writes the shape of a slot to its row. Without a shape, places the mesh.
    fn place(&mut self, slot: u32, shape: Option<Placed>) -> Result<(), Error> {
        let Some(entry) = &self.slots[slot as usize].entry else {
            return Ok(());
        };
        let at = entry.pose.relative_to(self.origin);
        let (row, rotation) = (entry.row, entry.pose.rotation);
        match shape {
            Some(shape) => self.stores.set(row, &shape)?,
            None if entry.defect.is_none() => self.meshes[row as usize].place(at, rotation)?,
            None => {}
        }
        self.soil(slot);
        Ok(())
    }

    /// Marks a collider as changed, and its bounds as out of date.
    fn soil(&mut self, slot: u32) {
        let Some(entry) = &mut self.slots[slot as usize].entry else {
            return;
        };
        entry.changed = self.round;
        if entry.bounds != NO_ROW && !mem::replace(&mut entry.is_dirty, true) {
            self.dirty.push(slot);
        }
    }

    /// Sets the displacement of a collider, which changes no bounds at the start of the frame.
    pub fn set_displacement(
        &mut self,
        id: ColliderId,
        displacement: [f32; 3],
    ) -> Result<(), Error> {
        let is_valid = length_defect("displacement", &displacement).is_none();
        let entry = self.checked(id)?;
        if entry.defect.is_some() || !is_valid {
            return self.change(id, |entry| entry.displacement = displacement);
        }
        entry.displacement = displacement;
        let (kind, row, motion) = (entry.kind, entry.row, entry.motion());
        self.stores.set_displacement(kind, row, motion)
    }

    /// Replaces the mark of a collider.
    pub fn set_mark(&mut self, id: ColliderId, mark: Mark) -> Result<(), Error> {
        let origin = self.origin;
        let entry = self.checked(id)?;
        let (old, row) = (entry.table(), entry.bounds);
        entry.mark = mark;
        let table = entry.table();
        if row != NO_ROW {
            if table == old {
                self.tables[table].set_filter(row, mark.groups, mark.body)?;
            } else {
                self.tables[old].remove(row)?;
                let row = self.tables[table].add(id.slot(), mark.groups, mark.body)?;
                self.checked(id)?.bounds = row;
            }
        }
        let entry = self.checked(id)?;
        let (shape, _) = entry.checked(origin);
        // Moving colliders alone move.
        let (kind, row, motion) = (entry.kind, entry.row, entry.motion());
        self.stores.set_displacement(kind, row, motion)?;
        self.place(id.slot(), shape)
    }

    /// Replaces the shape of a collider.
    pub fn set_collider(&mut self, id: ColliderId, collider: Collider) -> Result<(), Error> {
        self.check_kind(&collider)?;
        let Entry {
            pose,
            displacement,
            mark,
            ..
        } = *self.checked(id)?;
        let entry = self.entry(collider, pose, displacement, mark);
        if let Some(defect) = entry.defect.filter(|_| self.is_strict) {
            return Err(Error::BadCollider {
                id: Some(id),
                defect,
            });
        }
        let old = self.leave(id.slot())?;
        let entered = self.enter(id.slot(), entry);
        if entered.is_err() {
            self.enter(id.slot(), old)?;
        }
        entered
    }

    /// Moves the origin: all shapes are placed again.
    pub fn set_origin(&mut self, origin: [f64; 3]) -> Result<(), Error> {
        self.origin = origin;
        for slot in 0..self.slots.len() as u32 {
            if let Some(entry) = &mut self.slots[slot as usize].entry {
                let was_invalid = entry.defect.is_some();
                let (shape, defect) = entry.checked(origin);
                entry.defect = defect;
                let is_invalid = defect.is_some();
                self.invalid = self.invalid + usize::from(is_invalid) - usize::from(was_invalid);
                self.place(slot, shape)?;
            }
        }
        Ok(())
    }

    /// Writes the bounds that are out of date.
    pub fn refresh(&mut self) -> Result<(), Error> {
        if self.dirty.is_empty() {
            return Ok(());
        }
        let mut dirty = mem::take(&mut self.dirty);
        let measured = self.measure(&dirty, During::Start);
        for slot in dirty.drain(..) {
            if let Some(entry) = &mut self.slots[slot as usize].entry {
                entry.is_dirty = false;
            }
        }
        self.dirty = dirty;
        measured?;
        let Registry {
            slots,
            tables,
            measure,
            ..
        } = self;
        for (number, table) in tables.iter_mut().enumerate() {
            let row = |&(slot, aabb): &(u32, Aabb)| {
                let entry = slots[slot as usize].entry.as_ref()?;
                (entry.table() == number).then_some((entry.bounds, aabb))
            };
            table.write(measure.found.iter().filter_map(row));
        }
        Ok(())
    }

    /// Writes the bounds of all moving colliders during the frame, by the rows of their table. False if none has a displacement.
    pub fn bounds_of_frame(&mut self, to: &mut Aabbs) -> Result<bool, Error> {
        let mut moving = mem::take(&mut self.moving);
        moving.clear();
        let moves = |&slot: &u32| {
            self.in_slot(slot)
                .is_some_and(|entry| entry.defect.is_none() && entry.motion() != [0.0; 3])
        };
        moving.extend(self.tables[MOVING].slots().filter(moves));
        let found = self.measure(&moving, During::Frame);
        let any = !moving.is_empty();
        self.moving = moving;
        found?;
        if any {
            self.tables[MOVING].copy_to(to);
            let row = |&(slot, aabb): &(u32, Aabb)| Some((self.in_slot(slot)?.bounds, aabb));
            write(to, self.measure.found.iter().filter_map(row));
        }
        Ok(any)
    }

    /// Finds the bounds of the colliders in some slots.
    fn measure(&mut self, slots: &[u32], during: During) -> Result<(), Error> {
        let Registry {
            slots: all,
            stores,
            meshes,
            rows,
            measure,
            ..
        } = self;
        measure.shapes.clear();
        for slots in measure.slots.iter_mut().chain(&mut measure.whole) {
            slots.clear();
        }
        measure.found.clear();
        let mut counts = [0; Kind::COUNT];
        for &slot in slots {
            if let Some(entry) = &all[slot as usize].entry {
                counts[entry.kind as usize] += 1;
            }
        }
        // The bounds of a whole store take no longer than a copy of most of its shapes.
        let is_most = |kind: Kind| 2 * counts[kind as usize] >= rows[kind as usize].len();
        for &slot in slots {
            let entry = all[slot as usize].entry.as_ref();
            let Some(entry) = entry.filter(|entry| entry.bounds != NO_ROW) else {
                continue;
            };
            if entry.defect.is_some() {
                measure.found.push((slot, NOTHING));
                continue;
            }
            if entry.kind == Kind::Mesh {
                let mesh = &mut meshes[entry.row as usize].mesh;
                if during == During::Start {
                    mesh.view().bounds(during, &mut measure.boxes);
                } else {
                    let motion = entry.motion();
                    mesh.set_displacement(motion);
                    mesh.view().bounds(during, &mut measure.boxes);
                    mesh.set_displacement([0.0; 3]);
                }
                measure.found.push((slot, around(&measure.boxes)));
                continue;
            }
            if is_most(entry.kind) {
                measure.whole[entry.kind as usize].push(slot);
                continue;
            }
            let (kind, shape) = match entry.kind {
                // Bounds of hulls are those of their boxes.
                Kind::Hull => {
                    let around = stores.hulls.boxes().get(entry.row);
                    (Kind::Obb, around.map(Placed::Obb))
                }
                kind => (kind, stores.get(kind, entry.row)),
            };
            if let Some(shape) = shape {
                measure.shapes.push(&shape, entry.motion())?;
                measure.slots[kind as usize].push(slot);
            }
        }
        for kind in Kind::STORED {
            let slots = &measure.slots[kind as usize];
            if !slots.is_empty() {
                measure.shapes.bounds(kind, during, &mut measure.boxes);
                let found = slots.iter().copied().zip(measure.boxes.iter());
                measure.found.extend(found);
            }
            let slots = &measure.whole[kind as usize];
            if !slots.is_empty() {
                stores.bounds(kind, during, &mut measure.boxes);
                let of_slot = |&slot: &u32| {
                    let row = all[slot as usize].entry.as_ref()?.row;
                    Some((slot, measure.boxes.get(row)?))
                };
                measure.found.extend(slots.iter().filter_map(of_slot));
            }
        }
        Ok(())
    }

    /// Passes the shapes of a kind to a closure, or those of a mesh by its slot. `at_rest` leaves the displacements out.
    pub fn with(&self, kind: Kind, at_rest: bool, run: Run<'_>) -> Result<(), Error> {
        self.stores.with(kind, at_rest, run)
    }

    /// Passes the triangles of the mesh in a slot to a closure, with their displacement unless they are at rest, and touched from other sides if
    /// some are given.
    pub fn with_mesh_of(
        &mut self,
        slot: u32,
        at_rest: bool,
        sides: Option<Sides>,
        run: Run<'_>,
    ) -> Result<(), Error> {
        let Some(entry) = self.in_slot(slot) else {
            return Ok(());
        };
        let (row, motion) = (entry.row as usize, entry.motion());
        let mesh = &mut self.meshes[row].mesh;
        let moves = !at_rest && motion != [0.0; 3];
        let own = mesh.sides();
        mesh.set_sides(sides.unwrap_or(own));
        if moves {
            mesh.set_displacement(motion);
        }
        let answered = with_mesh(mesh, run);
        if moves {
            mesh.set_displacement([0.0; 3]);
        }
        mesh.set_sides(own);
        answered
    }

    /// Removes all colliders. Their ids stay removed.
    pub fn clear(&mut self) {
        for slot in (0..self.slots.len() as u32).rev() {
            // A free slot has nothing to remove.
            let _ = self.remove(self.id(slot));
        }
        for table in &mut self.tables {
            table.clear();
        }
    }

    /// Frees memory for bounds.
    pub fn shrink(&mut self) {
        self.measure = Measure::default();
    }
}

impl PlacedMesh {
    fn place(&mut self, at: [f64; 3], rotation: [f32; 4]) -> Result<(), Error> {
        let position = at.map(|x| x as f32);
        self.mesh.place(&self.at_rest, position, rotation)
    }
}

/// The box around the valid ones of some boxes; [`NOTHING`] if there are none.
fn around(boxes: &Aabbs) -> Aabb {
    let columns = boxes.columns();
    let least = |column: &[f32]| {
        let valid = column.iter().filter(|x| !x.is_nan());
        valid.fold(f32::INFINITY, |least, &x| Float::min(x, least))
    };
    let most = |column: &[f32]| {
        let valid = column.iter().filter(|x| !x.is_nan());
        valid.fold(f32::NEG_INFINITY, |most, &x| Float::max(x, most))
    };
    let (min, max) = (columns.min.map(least), columns.max.map(most));
    if min[0] <= max[0] {
        Aabb { min, max }
    } else {
        NOTHING
    }
}
