//! Contacts of a scene, and what changed since the last frame.

use alloc::vec::Vec;
use core::{fmt, mem};

use crate::collider_id::ColliderId;
use crate::narrow::contact::contacts::Contact;

/// A contact of two colliders of a [`Scene`](crate::Scene).
///
/// `a` is the collider with the lower id, except that a mesh is always `b` of a collider of another kind.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SceneContact {
    /// The first collider.
    pub a: ColliderId,
    /// The second collider.
    pub b: ColliderId,
    /// The triangle of `a` if it is a mesh, otherwise 0.
    pub part_a: u32,
    /// The triangle of `b` if it is a mesh, otherwise 0.
    pub part_b: u32,
    /// Whether a sensor is touched: nothing is to be pushed. It is not listed if it is only within the margin.
    pub is_sensor: bool,
    /// Whether a solver leaves the contact out, since another contact of the shape with the same mesh replaces it, as
    /// [`Contacts::without_inner`](crate::Contacts::without_inner) does.
    pub is_replaced: bool,
    /// The point of the world that [positions](crate::ContactPoint::at) of the manifold are relative to: the center of `a`, or of
    /// `b` if `a` has none.
    pub center: [f64; 3],
    /// The manifold. The normal points from `a` to `b`. Its position is that of the contact in the list.
    pub contact: Contact,
}

impl SceneContact {
    /// Both colliders.
    #[inline]
    pub fn pair(&self) -> (ColliderId, ColliderId) {
        (self.a, self.b)
    }

    /// Order of the list, which names the contact from frame to frame.
    fn key(&self) -> ContactKey {
        (self.a, self.b, self.part_a, self.part_b)
    }
}

/// Order of the contacts of a scene: both colliders and their triangles.
type ContactKey = (ColliderId, ColliderId, u32, u32);

/// The key of a contact, and its place in an unsorted list.
pub type ContactOrder = (ContactKey, usize);

/// The contacts of a [`Scene`](crate::Scene) in this frame, sorted by `a`, `b` and their triangles, and those of the frame before.
///
/// Keep one value and pass it to every call of [`Scene::contacts`](crate::Scene::contacts). Its memory is reused, events are
/// the differences from its last call, and contacts of colliders that did not change since are kept.
///
/// ```
/// use phalanx::{Collider, Mark, Pose, Scene, SceneContacts};
///
/// let mut scene = Scene::new();
/// let floor = scene.add(Collider::Obb([9.0, 1.0, 9.0]), Pose::at([0.0, -1.0, 0.0]), Mark::fixed())?;
/// let sphere = scene.add(Collider::Sphere(0.5), Pose::at([0.0, 0.45, 0.0]), Mark::moving())?;
///
/// let mut contacts = SceneContacts::new();
/// scene.contacts(&mut contacts)?;
/// assert_eq!(contacts.began().collect::<Vec<_>>(), [(floor, sphere)]);
///
/// scene.set_pose(sphere, Pose::at([0.1, 0.45, 0.0]))?;
/// scene.contacts(&mut contacts)?;
/// for (now, last) in contacts.lasting() {
///     // Warm start: points with the feature of an old one.
///     for point in now.contact.points() {
///         let old = last.contact.points().iter().find(|old| old.feature == point.feature);
///         assert!(old.is_some());
///     }
/// }
/// assert_eq!((contacts.began().count(), contacts.lasting().count()), (0, 1));
///
/// scene.remove(sphere)?;
/// scene.contacts(&mut contacts)?;
/// assert_eq!(contacts.ended().collect::<Vec<_>>(), [(floor, sphere)]);
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct SceneContacts {
    now: Vec<SceneContact>,
    last: Vec<SceneContact>,
    /// The number of the call that wrote the contacts; 0 if no call that succeeded did.
    serial: u64,
}

/// Shows the contacts of this frame and of the last.
impl fmt::Debug for SceneContacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SceneContacts { now, last, .. } = self;
        f.debug_struct("SceneContacts")
            .field("now", now)
            .field("last", last)
            .finish()
    }
}

/// Compares the contacts of this frame and of the last.
impl PartialEq for SceneContacts {
    fn eq(&self, other: &Self) -> bool {
        self.now == other.now && self.last == other.last
    }
}

impl SceneContacts {
    /// No contacts.
    pub const fn new() -> Self {
        SceneContacts {
            now: Vec::new(),
            last: Vec::new(),
            serial: 0,
        }
    }

    /// The contacts, sorted.
    #[inline]
    pub fn as_slice(&self) -> &[SceneContact] {
        &self.now
    }

    /// Iterates over the contacts, sorted.
    #[inline]
    pub fn iter(&self) -> core::slice::Iter<'_, SceneContact> {
        self.now.iter()
    }

    /// Number of contacts.
    #[inline]
    pub fn len(&self) -> usize {
        self.now.len()
    }

    /// Whether nothing touches.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.now.is_empty()
    }

    /// The contacts of the last frame, sorted.
    #[inline]
    pub fn last(&self) -> &[SceneContact] {
        &self.last
    }

    /// The contacts of two colliders, in the order of a contact: several if one is a mesh.
    pub fn between(&self, a: ColliderId, b: ColliderId) -> &[SceneContact] {
        between(&self.now, (a, b))
    }

    /// The contacts of two colliders in the last frame.
    pub fn last_between(&self, a: ColliderId, b: ColliderId) -> &[SceneContact] {
        between(&self.last, (a, b))
    }

    /// The pairs of colliders that touch now and did not in the last frame, sorted. With a margin, pairs within it count, except those of
    /// sensors.
    pub fn began(&self) -> impl Iterator<Item = (ColliderId, ColliderId)> + '_ {
        new_pairs(&self.now, &self.last)
    }

    /// The pairs of colliders that touched in the last frame and do not now, sorted. Either may have been removed.
    pub fn ended(&self) -> impl Iterator<Item = (ColliderId, ColliderId)> + '_ {
        new_pairs(&self.last, &self.now)
    }

    /// The contacts that were there in the last frame, of the same triangles if they are of meshes: now and then. For a pair that
    /// went on to another triangle, see [`last_between`](Self::last_between).
    pub fn lasting(&self) -> impl Iterator<Item = (&SceneContact, &SceneContact)> {
        let mut rest = &self.last[..];
        self.now.iter().filter_map(move |contact| {
            let key = contact.key();
            while let [first, later @ ..] = rest
                && first.key() < key
            {
                rest = later;
            }
            let last = rest.first().filter(|last| last.key() == key)?;
            Some((contact, last))
        })
    }

    /// Contacts that were saved, of this frame and of the last.
    #[cfg(feature = "serde")]
    pub(crate) fn of_saved(mut now: Vec<SceneContact>, mut last: Vec<SceneContact>) -> Self {
        for contacts in [&mut now, &mut last] {
            contacts.sort_by_key(SceneContact::key);
            for (position, contact) in contacts.iter_mut().enumerate() {
                contact.contact.position = position;
            }
        }
        SceneContacts {
            now,
            last,
            serial: 0,
        }
    }

    /// The number of the call that wrote the contacts; 0 if it is not known.
    pub(crate) fn serial(&self) -> u64 {
        self.serial
    }

    /// Begins a frame: the contacts become those of the last frame. Returns the list to fill, and those.
    pub(crate) fn begin(&mut self) -> (&mut Vec<SceneContact>, &[SceneContact]) {
        mem::swap(&mut self.now, &mut self.last);
        self.now.clear();
        self.serial = 0;
        (&mut self.now, &self.last)
    }

    /// Ends a frame, written by the call of this number.
    pub(crate) fn end(&mut self, order: &mut Vec<ContactOrder>, serial: u64) {
        self.serial = serial;
        // Contacts are large: only their keys are sorted.
        order.clear();
        order.extend(self.now.iter().map(SceneContact::key).zip(0..));
        order.sort_unstable();
        let mut first = 0;
        while first < order.len() {
            // Each cycle of the permutation, contact by contact.
            let mut to = first;
            loop {
                let from = mem::replace(&mut order[to].1, to);
                if from == first {
                    break;
                }
                self.now.swap(to, from);
                to = from;
            }
            first += 1;
        }
        for (position, contact) in self.now.iter_mut().enumerate() {
            contact.contact.position = position;
        }
    }

    /// Undoes the begin of a frame. The contacts of the frame before are lost.
    pub(crate) fn cancel(&mut self) {
        mem::swap(&mut self.now, &mut self.last);
        self.last.clear();
    }
}

/// The contacts of a pair in a sorted list.
fn between(contacts: &[SceneContact], pair: (ColliderId, ColliderId)) -> &[SceneContact] {
    let first = contacts.partition_point(|contact| contact.pair() < pair);
    let len = contacts[first..].partition_point(|contact| contact.pair() == pair);
    &contacts[first..first + len]
}

/// The pairs of a sorted list that another sorted list lacks.
fn new_pairs<'c>(
    contacts: &'c [SceneContact],
    mut others: &'c [SceneContact],
) -> impl Iterator<Item = (ColliderId, ColliderId)> + 'c {
    let groups = contacts.chunk_by(|a, b| a.pair() == b.pair());
    groups.filter_map(move |group| {
        let pair = group.first()?.pair();
        while let [first, later @ ..] = others
            && first.pair() < pair
        {
            others = later;
        }
        let is_there = others.first().is_some_and(|other| other.pair() == pair);
        (!is_there).then_some(pair)
    })
}

impl<'a> IntoIterator for &'a SceneContacts {
    type Item = &'a SceneContact;
    type IntoIter = core::slice::Iter<'a, SceneContact>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
