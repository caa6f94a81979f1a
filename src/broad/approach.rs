//! Hits that the motion does not approach: a search may pass them.
//!
//! **Rule.** A hit is passed unless its contact at the time of entry has a normal n, from `a` to `b`, with n·v > 2⁻²⁰ |v|, v being
//! the displacement of `a` less that of `b`.
//!
//! *Lemma.* From the time of entry on, no passed pair gets deeper along n than it was, except by 2⁻²⁰ |v|. *Proof.* The gap along a
//! fixed direction is that of the farthest points of both shapes. The shapes only translate, so it grows by −n·v times the time,
//! which is at least −2⁻²⁰ |v|. ∎ The depth of a pair is at most its depth along any direction.
//!
//! n·v and the squares of both sides are sums of products of `f32` in `f64`, in a fixed order, so the rule is the same everywhere.

use crate::broad::scene::FoundPairs;
use crate::broad::search::wanted::Times;
use crate::lane::WORD;
use crate::math::dvec::DVec3;
use crate::narrow::contact::stage::{ContactJob, ContactTable};
use crate::pairs::Pair;
use crate::shapes::triangle::is_along;
use crate::store::mesh::inner_edges::MeshTriangles;

/// The contacts that decide which hits are passed.
pub struct Approach {
    pub contact: &'static ContactTable,
    pub margin: f32,
}

impl Approach {
    /// Drops the hits that the motion does not approach.
    pub fn drop_passed(&self, pairs: &[Pair], found: &FoundPairs<'_>, times: &mut Times) {
        let Times {
            hits,
            enter,
            contacts,
            ..
        } = times;
        let hits = &mut hits[..pairs.len().div_ceil(WORD)];
        if hits.iter().all(|word| *word == 0) {
            return;
        }
        let table = self.contact;
        let mut shapes = found.shapes(pairs);
        // Contacts read rows of other forms than sweeps.
        shapes.rows = None;
        let meshes = shapes
            .columns
            .map(|columns| MeshTriangles::of(columns).filter(|_| table.clamps));
        let has_inner = meshes.iter().any(Option::is_some);
        // Without memory nothing is passed.
        if contacts.masks.set_hits(pairs.len(), hits).is_err() {
            return;
        }
        let Ok(out) = contacts.make_room(table.points, has_inner) else {
            return;
        };
        let job = ContactJob {
            shapes,
            times: Some(&enter[..pairs.len()]),
            swapped: found.swapped,
            margin: self.margin,
            meshes,
            out,
        };
        (table.find)(found.simd, job);
        let [x, y, z] = contacts.normal();
        for (k, &position) in contacts.positions().iter().enumerate() {
            let position = position as usize;
            let normal = DVec3::of([x[k], y[k], z[k]]);
            if !is_along(normal, found.relative_motion(pairs[position])) {
                hits[position / WORD] &= !(1 << (position % WORD));
            }
        }
    }
}
