//! Contacts of all colliders.
//!
//! 1. **Broad phase**: the pairs of moving colliders, and of moving and resting ones, whose bounds overlap. Planes and half-spaces
//!    have no bounds: they are paired with each collider that they may meet.
//! 2. **Lists**: each pair in the list of its kinds, lower slot first. A mesh takes a broad phase of its own, among the bounds of the
//!    colliders near it and its triangles.
//! 3. **Narrow phase**: one call for each list.
//!
//! Contacts of two colliders that are unchanged since the last call are those of the last call, and are copied: a contact depends on its
//! two shapes alone.

use alloc::vec::Vec;

use crate::detector::Detector;
use crate::error::Error;
use crate::narrow::contact::contacts::{Contact, Contacts};
use crate::pairs::{Pair, Pairs};
use crate::scene::any_shapes::with_mesh;
use crate::scene::collider::{Kind, Placed, Role};
use crate::scene::kernels::query;
use crate::scene::lists::Lists;
use crate::scene::registry::{MOVING, RESTING, Registry};
use crate::scene::scene_contacts::{ContactOrder, SceneContact, SceneContacts};
use crate::shapes::bounds::During;
use crate::store::aliases::Aabbs;
use crate::store::tree::next_serial;

/// Growth of bounds, per unit of margin, that covers all kinds: √3, rounded up.
pub const GROWTH: f32 = 1.732_051;

/// Memory to find contacts.
#[derive(Clone, Debug, Default)]
pub struct Encounters {
    pairs: Vec<Pair>,
    lists: Lists,
    /// The slots of a mesh and of what may touch it.
    of_meshes: Vec<(u32, u32)>,
    near: Aabbs,
    /// The kinds and rows of what is near a mesh.
    near_rows: Vec<(Kind, u32)>,
    contacts: Contacts,
    /// The needed contacts with a mesh, by position.
    needed: Vec<usize>,
    order: Vec<ContactOrder>,
    /// The number of the last call, and its margin.
    last: (u64, f32),
}

/// The detectors of a scene: of whole tables, and of parts of meshes.
pub struct Detectors<'d> {
    pub tables: &'d mut Detector,
    pub parts: &'d mut Detector,
}

impl Encounters {
    /// Finds all contacts. The bounds are up to date.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn find(
        &mut self,
        registry: &Registry,
        detectors: Detectors<'_>,
        margin: f32,
        out: &mut SceneContacts,
    ) -> Result<(), Error> {
        let keeps = out.serial() != 0 && self.last == (out.serial(), margin);
        let (contacts, last) = out.begin();
        if keeps {
            let rests = |id| registry.get(id).is_some() && registry.rests(id.slot());
            let kept = last.iter().filter(|it| rests(it.a) && rests(it.b));
            contacts.extend(kept.copied());
        }
        let found = self.find_unsorted(registry, detectors, margin, keeps, contacts);
        match found {
            Ok(()) => {
                self.last = (next_serial(), margin);
                out.end(&mut self.order, self.last.0);
            }
            Err(_) => out.cancel(),
        }
        found
    }

    /// Finds the contacts; if those at rest are kept, without those of two colliders at rest.
    fn find_unsorted(
        &mut self,
        registry: &Registry,
        Detectors { tables, parts }: Detectors<'_>,
        margin: f32,
        keeps: bool,
        out: &mut Vec<SceneContact>,
    ) -> Result<(), Error> {
        self.lists.clear();
        self.of_meshes.clear();
        tables.set_margin(margin * GROWTH)?;
        self.pair_tables(registry, tables, keeps)?;
        self.pair_planes(registry, keeps);
        tables.set_margin(margin)?;
        parts.set_margin(margin)?;
        for (a, b, list) in self.lists.iter() {
            let contacts = &mut self.contacts;
            touch(registry, tables, [a, b], list, contacts)?;
            for contact in contacts.iter() {
                let pair = list[contact.position];
                let slots = [registry.slot_of(a, pair.a), registry.slot_of(b, pair.b)];
                add(out, of_slots(registry, slots, [0, 0], contact));
            }
        }
        self.touch_meshes(registry, parts, out)
    }

    /// Lists the pairs whose bounds overlap.
    fn pair_tables(
        &mut self,
        registry: &Registry,
        detector: &mut Detector,
        keeps: bool,
    ) -> Result<(), Error> {
        let moving = &registry.tables[MOVING];
        for table in [MOVING, RESTING] {
            let other = &registry.tables[table];
            if moving.is_empty() || other.is_empty() {
                continue;
            }
            let pairs = &mut self.pairs;
            detector.candidates(moving.bounds(), other.bounds(), During::Start, pairs)?;
            for pair in &self.pairs {
                let slots = [moving.slot(pair.a), other.slot(pair.b)];
                let (lists, of_meshes) = (&mut self.lists, &mut self.of_meshes);
                list(lists, of_meshes, registry, slots, keeps);
            }
        }
        Ok(())
    }

    /// Lists the pairs of planes and half-spaces with all that they may meet.
    fn pair_planes(&mut self, registry: &Registry, keeps: bool) {
        for kind in [Kind::Plane, Kind::HalfSpace] {
            for &slot in registry.slots_of(kind) {
                let Some(plane) = registry.in_slot(slot).filter(|it| it.defect.is_none()) else {
                    continue;
                };
                let tables = match plane.mark.role {
                    Role::Moving => &registry.tables[..],
                    Role::Fixed | Role::Sensor => &registry.tables[..=MOVING],
                };
                for other in tables.iter().flat_map(|table| table.slots()) {
                    let meets = registry.in_slot(other).is_some_and(|entry| {
                        entry.defect.is_none() && plane.mark.meets(&entry.mark)
                    });
                    if meets {
                        let (lists, of_meshes) = (&mut self.lists, &mut self.of_meshes);
                        list(lists, of_meshes, registry, [slot, other], keeps);
                    }
                }
            }
        }
    }

    /// Finds the contacts with meshes.
    fn touch_meshes(
        &mut self,
        registry: &Registry,
        detector: &mut Detector,
        out: &mut Vec<SceneContact>,
    ) -> Result<(), Error> {
        self.of_meshes.sort_unstable();
        for of_mesh in self.of_meshes.chunk_by(|a, b| a.0 == b.0) {
            let Some(entry) = of_mesh
                .first()
                .and_then(|&(slot, _)| registry.in_slot(slot))
            else {
                continue;
            };
            let (slot, mesh) = (of_mesh[0].0, registry.mesh(entry.row));
            let Encounters {
                pairs,
                lists,
                near,
                near_rows,
                contacts,
                needed,
                ..
            } = self;
            lists.clear();
            near.clear();
            near_rows.clear();
            for &(_, other) in of_mesh {
                let Some(entry) = registry.in_slot(other) else {
                    continue;
                };
                if entry.kind.is_unbounded() {
                    let triangles = 0..mesh.len() as u32;
                    for triangle in triangles {
                        let pair = Pair::new(entry.row, triangle);
                        lists.push(entry.kind, Kind::Triangle, pair);
                    }
                } else if entry.kind == Kind::Mesh {
                    let second = registry.mesh(entry.row);
                    detector.candidates(second, mesh, During::Start, pairs)?;
                    detector.contact(second, mesh, &*pairs, contacts)?;
                    needed.clear();
                    let all = contacts.without_inner(pairs, mesh);
                    needed.extend(all.map(|contact| contact.position));
                    for contact in contacts.iter() {
                        let Pair { a, b } = pairs[contact.position];
                        let contact = of_slots(registry, [other, slot], [a, b], contact);
                        add(out, replaced(contact, needed));
                    }
                } else {
                    near.push(registry.tables[entry.table()].get(entry.bounds));
                    near_rows.push((entry.kind, entry.row));
                }
            }
            if !near.is_empty() {
                detector.candidates(&*near, mesh, During::Start, pairs)?;
                for pair in &*pairs {
                    let (kind, row) = near_rows[pair.a as usize];
                    lists.push(kind, Kind::Triangle, Pair::new(row, pair.b));
                }
            }
            // `without_inner` reads sorted lists.
            lists.sort();
            for (kind, _, list) in lists.iter() {
                registry.with(kind, false, &mut |shapes| {
                    with_mesh(mesh, &mut |triangles| {
                        let list = Pairs::from(list);
                        query::<Contacts>(detector, shapes, triangles, list, contacts)
                    })
                })?;
                needed.clear();
                let all = contacts.without_inner(list, mesh);
                needed.extend(all.map(|contact| contact.position));
                for contact in contacts.iter() {
                    let Pair { a, b } = list[contact.position];
                    let slots = [registry.slot_of(kind, a), slot];
                    let contact = of_slots(registry, slots, [0, b], contact);
                    add(out, replaced(contact, needed));
                }
            }
        }
        Ok(())
    }
}

/// Adds a contact. The margin is for what is pushed: a sensor that is not touched has none.
fn add(out: &mut Vec<SceneContact>, contact: SceneContact) {
    if !contact.is_sensor || contact.contact.separation <= 0.0 {
        out.push(contact);
    }
}

/// Computes the contacts of a list of two kinds.
fn touch(
    registry: &Registry,
    detector: &mut Detector,
    [a, b]: [Kind; 2],
    list: &[Pair],
    contacts: &mut Contacts,
) -> Result<(), Error> {
    registry.with(a, false, &mut |a| {
        registry.with(b, false, &mut |b| {
            query::<Contacts>(detector, a, b, Pairs::from(list), contacts)
        })
    })
}

/// Appends a pair of slots to the list of its kinds, or of its mesh. The lower slot comes first. If contacts at rest are kept, a
/// pair at rest is left out.
fn list(
    lists: &mut Lists,
    of_meshes: &mut Vec<(u32, u32)>,
    registry: &Registry,
    [mut a, mut b]: [u32; 2],
    keeps: bool,
) {
    if keeps && registry.rests(a) && registry.rests(b) {
        return;
    }
    if b < a {
        (a, b) = (b, a);
    }
    let (Some(first), Some(second)) = (registry.in_slot(a), registry.in_slot(b)) else {
        return;
    };
    match (first.kind, second.kind) {
        (_, Kind::Mesh) => of_meshes.push((b, a)),
        (Kind::Mesh, _) => of_meshes.push((a, b)),
        (kind_a, kind_b) => lists.push(kind_a, kind_b, Pair::new(first.row, second.row)),
    }
}

/// A contact of two slots.
fn of_slots(
    registry: &Registry,
    slots: [u32; 2],
    parts: [u32; 2],
    contact: Contact,
) -> SceneContact {
    let is_sensor = |slot: u32| {
        let entry = registry.in_slot(slot);
        entry.is_some_and(|entry| entry.mark.role == Role::Sensor)
    };
    let shape = |k: usize| {
        let entry = registry.in_slot(slots[k])?;
        match entry.kind {
            Kind::Mesh => Some(Placed::Triangle(registry.mesh(entry.row).get(parts[k])?)),
            kind => registry.stores.get(kind, entry.row),
        }
    };
    let center = reference(shape(0), || shape(1));
    SceneContact {
        a: registry.id(slots[0]),
        b: registry.id(slots[1]),
        part_a: parts[0],
        part_b: parts[1],
        is_sensor: slots.into_iter().any(is_sensor),
        is_replaced: false,
        center: [0, 1, 2].map(|k| registry.origin[k] + center[k]),
        contact,
    }
}

/// The point that positions of a manifold are relative to, see [`ContactPoint::at`](crate::ContactPoint::at).
pub fn reference(a: Option<Placed>, b: impl FnOnce() -> Option<Placed>) -> [f64; 3] {
    if let Some(center) = a.and_then(|a| a.center()) {
        return center;
    }
    let b = b();
    let center = b.and_then(|b| b.center());
    let mean = |shape: Option<Placed>| shape.and_then(|shape| shape.mean());
    center
        .or_else(|| mean(a))
        .or_else(|| mean(b))
        .unwrap_or_default()
}

/// Marks a contact whose position is not among the needed ones.
fn replaced(contact: SceneContact, needed: &[usize]) -> SceneContact {
    let is_needed = needed.binary_search(&contact.contact.position).is_ok();
    SceneContact {
        is_replaced: !is_needed,
        ..contact
    }
}
