//! Saved scenes and their contacts, by serde.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::collider_id::ColliderId;
use crate::error::Error;
use crate::narrow::contact::contacts::{Contact, ContactPoint};
use crate::scene::collider::{Collider, Mark, Pose};
use crate::scene::registry::{Registry, Slot};
use crate::scene::scene::Scene;
use crate::scene::scene_contacts::{SceneContact, SceneContacts};
use crate::shapes::groups::Groups;
use crate::store::hull::hulls::Hulls;
use crate::store::hull::kinds::HullKinds;
use crate::store::mesh::adjacency::Sides;
use crate::store::mesh::mesh::Mesh;
use crate::store::store::Shapes;

/// A scene in its saved form.
#[derive(Serialize, Deserialize)]
struct SavedScene {
    origin: [f64; 3],
    margin: f32,
    strict: bool,
    hull_kinds: HullKinds,
    meshes: Vec<Option<SavedMesh>>,
    /// Each with the number of colliders that it had before.
    slots: Vec<(u32, Option<SavedCollider>)>,
    /// Free slots, in the order in which they were freed.
    free: Vec<u32>,
}

/// A mesh at rest. Groups and bodies are empty if none are set.
#[derive(Serialize, Deserialize)]
struct SavedMesh {
    vertices: Vec<[f32; 3]>,
    indices: Vec<[u32; 3]>,
    flatness: f32,
    sides: Sides,
    #[serde(default)]
    groups: Vec<Groups>,
    #[serde(default)]
    bodies: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct SavedCollider {
    collider: Collider,
    pose: Pose,
    displacement: [f32; 3],
    mark: Mark,
}

impl SavedMesh {
    fn of(mesh: &Mesh) -> Self {
        let view = mesh.view();
        let filters = view.filters();
        SavedMesh {
            vertices: mesh.vertices(),
            indices: mesh.indices().to_vec(),
            flatness: mesh.flatness(),
            sides: mesh.sides(),
            groups: filters.groups.to_vec(),
            bodies: filters.bodies.to_vec(),
        }
    }

    fn into_mesh<E: serde::de::Error>(self) -> Result<Mesh, E> {
        let mesh = Mesh::with_flatness(&self.vertices, &self.indices, self.flatness);
        let mut mesh = mesh.map_err(E::custom)?;
        mesh.set_sides(self.sides);
        let len = mesh.len();
        for (list, other) in [("groups", self.groups.len()), ("bodies", self.bodies.len())] {
            if other != 0 && other != len {
                return Err(E::custom(format_args!("{other} {list} of {len} triangles")));
            }
        }
        if !self.groups.is_empty() {
            mesh.groups_mut().copy_from_slice(&self.groups);
        }
        if !self.bodies.is_empty() {
            mesh.bodies_mut().copy_from_slice(&self.bodies);
        }
        Ok(mesh)
    }
}

impl SavedScene {
    fn of(scene: &Scene) -> Self {
        let registry = scene.registry();
        let meshes = registry.mesh_kinds.iter();
        let slots = registry.slots.iter().map(|slot| {
            let collider = slot.entry.as_ref().map(|entry| SavedCollider {
                collider: entry.collider,
                pose: entry.pose,
                displacement: entry.displacement,
                mark: entry.mark,
            });
            (slot.generation, collider)
        });
        SavedScene {
            origin: registry.origin,
            margin: scene.margin(),
            strict: registry.is_strict,
            hull_kinds: registry.stores.hulls.kinds().clone(),
            meshes: meshes
                .map(|mesh| mesh.as_ref().map(|mesh| SavedMesh::of(mesh)))
                .collect(),
            slots: slots.collect(),
            free: registry.free.clone(),
        }
    }

    fn into_scene<E: serde::de::Error>(self) -> Result<Scene, E> {
        let mut registry = Box::<Registry>::default();
        registry.is_strict = self.strict;
        registry.stores.hulls = Hulls::new(&self.hull_kinds);
        for mesh in self.meshes {
            let mesh = mesh.map(SavedMesh::into_mesh).transpose()?;
            registry.mesh_kinds.push(mesh.map(Arc::new));
        }
        let len = self.slots.len();
        if u32::try_from(len).is_err() {
            return Err(E::custom(Error::TooManyShapes { len }));
        }
        let mut scene = Scene::of_registry(registry);
        scene.set_margin(self.margin).map_err(E::custom)?;
        scene.set_origin(self.origin).map_err(E::custom)?;
        let registry = scene.registry_mut();
        let empty = |(generation, _): &(u32, _)| Slot {
            generation: *generation,
            entry: None,
        };
        registry.slots.extend(self.slots.iter().map(empty));
        for (slot, (_, collider)) in (0..).zip(self.slots) {
            let Some(saved) = collider else { continue };
            registry.check_kind(&saved.collider).map_err(E::custom)?;
            let SavedCollider {
                collider,
                pose,
                displacement,
                mark,
            } = saved;
            let entry = registry.entry(collider, pose, displacement, mark);
            registry.enter(slot, entry).map_err(E::custom)?;
        }
        let mut is_free = Vec::new();
        is_free.resize(len, false);
        for slot in self.free {
            let is_vacant = registry.in_slot(slot).is_none();
            let place = is_free.get_mut(slot as usize).filter(|_| is_vacant);
            let was_free = place.is_none_or(|place| core::mem::replace(place, true));
            if was_free {
                return Err(E::custom(format_args!("slot {slot} is not free")));
            }
            registry.free.push(slot);
        }
        Ok(scene)
    }
}

/// Writes colliders with their ids, the meshes at rest and the kinds of hulls, and no settings of the detector.
///
/// A scene that is read goes on as the saved one would, bit by bit. A mesh that was [placed](Mesh::place) before it was added is
/// written with its corners, and its edges are found anew.
impl Serialize for Scene {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        SavedScene::of(self).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Scene {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        SavedScene::deserialize(from)?.into_scene()
    }
}

/// A contact in its saved form: parts, flags, center, manifold.
#[derive(Serialize, Deserialize)]
struct SavedContact {
    a: ColliderId,
    b: ColliderId,
    part_a: u32,
    part_b: u32,
    is_sensor: bool,
    is_replaced: bool,
    is_inner: bool,
    center: [f64; 3],
    normal: [f32; 3],
    separation: f32,
    /// Position, separation and feature of each point.
    points: Vec<([f32; 3], f32, u8)>,
}

impl SavedContact {
    fn of(contact: &SceneContact) -> Self {
        let manifold = &contact.contact;
        let points = manifold.points().iter();
        SavedContact {
            a: contact.a,
            b: contact.b,
            part_a: contact.part_a,
            part_b: contact.part_b,
            is_sensor: contact.is_sensor,
            is_replaced: contact.is_replaced,
            is_inner: manifold.is_inner,
            center: contact.center,
            normal: manifold.normal,
            separation: manifold.separation,
            points: points
                .map(|point| (point.at, point.separation, point.feature))
                .collect(),
        }
    }

    fn into_contact<E: serde::de::Error>(self) -> Result<SceneContact, E> {
        let points = self.points.into_iter();
        let points: Vec<ContactPoint> = points
            .map(|(at, separation, feature)| ContactPoint {
                at,
                separation,
                feature,
            })
            .collect();
        let manifold = Contact::bare(self.normal, self.separation, self.is_inner);
        let contact = manifold.with_points(&points);
        if contact.points().len() < points.len() {
            return Err(E::invalid_length(points.len(), &"at most 4 points"));
        }
        Ok(SceneContact {
            a: self.a,
            b: self.b,
            part_a: self.part_a,
            part_b: self.part_b,
            is_sensor: self.is_sensor,
            is_replaced: self.is_replaced,
            center: self.center,
            contact,
        })
    }
}

/// Writes the contacts of both frames.
impl Serialize for SceneContacts {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let saved = |contacts: &[SceneContact]| -> Vec<SavedContact> {
            contacts.iter().map(SavedContact::of).collect()
        };
        (saved(self.as_slice()), saved(self.last())).serialize(to)
    }
}

impl<'de> Deserialize<'de> for SceneContacts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (now, last) = <(Vec<SavedContact>, Vec<SavedContact>)>::deserialize(from)?;
        let read = |saved: Vec<SavedContact>| {
            let contacts = saved.into_iter().map(SavedContact::into_contact);
            contacts.collect::<Result<Vec<_>, D::Error>>()
        };
        Ok(SceneContacts::of_saved(read(now)?, read(last)?))
    }
}
