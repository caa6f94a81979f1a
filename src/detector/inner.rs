//! Inner edges of meshes: contacts whose normals are outside of the [arcs](crate::shapes::MeshTriangles) of the edges that they touch are
//! computed anew, along the nearest normal of the arcs.

use super::check::CheckedPairs;
use super::contact::Writer;
use super::hits::{BLOCK, HitRows};
use super::run::PairBatch;
use crate::hits::WORD;
use crate::kernel::load::Separate;
use crate::kernel::manifold::ManifoldKernel;
use crate::lane::One;
use crate::shapes::{MeshTriangles, Shape, Static};

/// Contacts with a mesh.
pub struct MeshContacts<'s> {
    pub mesh: MeshTriangles<'s>,
    pub list: CheckedPairs<'s>,
    /// The time of contact of each pair; `None` is the start of the frame.
    pub times: Option<&'s [f32]>,
    pub margin: f32,
}

impl MeshContacts<'_> {
    /// Clamps the contacts of a writer, one at a time: most are of faces, and left alone.
    pub fn clamp<A: ManifoldKernel<B>, B: Shape>(
        &self,
        hits: &mut HitRows<'_, '_, Static<A>, Static<B>>,
        writer: &mut Writer<'_, A, B>,
    ) {
        let [_, side] = self.list.sides();
        let triangle = |position: u32| self.list.at(position)[side];
        let mut scratch = [[0; 2]; WORD];
        let count = writer.out.len();
        let mut first = 0;
        while first < count {
            let end = count.min(first + BLOCK);
            let (mut places, mut positions, mut len) = ([0; BLOCK], [0; BLOCK], 0);
            for place in first..end {
                let position = writer.out.positions[place];
                if self
                    .mesh
                    .is_slanted(triangle(position), writer.outward(place))
                {
                    (places[len], positions[len]) = (place, position);
                    len += 1;
                }
            }
            first = end;
            if len == 0 {
                continue;
            }
            let (rows, staged) = match self.times {
                None => hits.stage(One, &positions[..len]),
                Some(times) => hits.stage_at(One, &positions[..len], times),
            };
            for (word, staged) in staged.chunks(WORD).enumerate() {
                let batch = rows.gathered(staged, &mut scratch);
                for at in 0..staged.len() {
                    let k = word * WORD + at;
                    let (place, triangle) = (places[k], triangle(positions[k]));
                    let ((a, b), _bad) = batch.load::<Separate, One>(One, at, self.margin);
                    let center = A::above(One, a, b) + self.mesh.frame_corner(triangle);
                    let outward = writer.outward(place);
                    if let Some(outward) = self.mesh.clamped(triangle, outward, center) {
                        let manifold = A::manifold_along(One, a, b, self.margin, -outward);
                        writer.store(One, place, manifold);
                        writer.mark_inner(place);
                    }
                }
            }
        }
    }
}
