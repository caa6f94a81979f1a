//! Inner edges of meshes: contacts whose normals are outside of the [arcs](crate::shapes::MeshTriangles) of the edges that they touch are
//! computed anew, along the nearest normal of the arcs.

use super::check::CheckedPairs;
use super::contact::{Writer, most_contact_lanes};
use super::hits::{BLOCK, HitRows};
use super::run::PairBatch;
use crate::hits::WORD;
use crate::kernel::load::Separate;
use crate::kernel::manifold::ManifoldKernel;
use crate::lane::{FEWEST_KERNEL_LANES, Job, Lanes, MAX_LANES, Vec3};
use crate::shapes::{MeshTriangles, Shape, Static};

/// Contacts with a mesh.
pub struct MeshContacts<'s> {
    pub mesh: MeshTriangles<'s>,
    pub list: CheckedPairs<'s>,
    /// The time of contact of each pair; `None` is the start of the frame.
    pub times: Option<&'s [f32]>,
    pub margin: f32,
}

/// Clamps the contacts of a writer. Most are of faces, and left alone.
pub struct ClampContacts<'m, 'h, 'w, 'a, 's, A: Shape, B: Shape> {
    pub contacts: MeshContacts<'m>,
    pub hits: &'h mut HitRows<'w, 's, Static<A>, Static<B>>,
    pub writer: Writer<'a, A, B>,
}

impl<A: ManifoldKernel<B>, B: Shape> Job for ClampContacts<'_, '_, '_, '_, '_, A, B> {
    type Output = ();
    const FEWEST: usize = FEWEST_KERNEL_LANES;
    const MOST: usize = most_contact_lanes(A::POINTS);

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) {
        let MeshContacts {
            mesh,
            list,
            times,
            margin,
        } = self.contacts;
        let margin = lanes.splat(margin);
        let mut scratch = [[0; 2]; WORD];
        let mut slanted = Slanted::default();
        let mut first = 0;
        while first < self.writer.out.len() {
            first = slanted.find(mesh, list, &self.writer, first);
            let (places, positions, triangles) = slanted.lists();
            let (rows, staged) = match times {
                None => self.hits.stage(lanes, positions),
                Some(times) => self.hits.stage_at(lanes, positions, times),
            };
            let mut start = 0;
            for word in staged.chunks(WORD) {
                let batch = rows.gathered(word, &mut scratch);
                let mut at = 0;
                while at < word.len() {
                    let ((a, b), _bad) = batch.load::<Separate, L>(lanes, at, margin);
                    let group = start + at..start + word.len().min(at + L::COUNT);
                    let (places, triangles) = (&places[group.clone()], &triangles[group]);
                    let mut centers = Numbers::default();
                    centers.store(lanes, A::above(lanes, a, b));
                    let clamped = clamp(mesh, &self.writer, places, triangles, &centers);
                    if clamped.count > 0 {
                        let normal = -clamped.outward.load(lanes);
                        let manifold = A::manifold_along(lanes, a, b, margin, normal);
                        self.writer.scatter(lanes, &clamped.places, manifold);
                    }
                    at += L::COUNT;
                }
                start += word.len();
            }
        }
    }
}

/// A vector in each lane.
#[derive(Default)]
struct Numbers([[f32; MAX_LANES]; 3]);

impl Numbers {
    #[inline(always)]
    fn store<L: Lanes>(&mut self, lanes: L, vector: Vec3<L::F>) {
        let mut k = 0;
        while k < 3 {
            lanes.store(vector.0[k], &mut self.0[k]);
            k += 1;
        }
    }

    #[inline(always)]
    fn load<L: Lanes>(&self, lanes: L) -> Vec3<L::F> {
        let [x, y, z] = &self.0;
        Vec3([lanes.load(x), lanes.load(y), lanes.load(z)])
    }

    fn get(&self, lane: usize) -> Vec3<f32> {
        Vec3([0, 1, 2].map(|k| self.0[k][lane]))
    }

    fn set(&mut self, lane: usize, vector: Vec3<f32>) {
        for (k, x) in vector.0.into_iter().enumerate() {
            self.0[k][lane] = x;
        }
    }
}

/// Contacts of a block whose normals are not those of their triangles.
struct Slanted {
    places: [usize; BLOCK],
    positions: [u32; BLOCK],
    triangles: [u32; BLOCK],
    len: usize,
}

impl Default for Slanted {
    fn default() -> Self {
        Slanted {
            places: [0; BLOCK],
            positions: [0; BLOCK],
            triangles: [0; BLOCK],
            len: 0,
        }
    }
}

impl Slanted {
    /// Lists those from `first` on until a block is full. Returns the end of the contacts that were looked at.
    fn find<A: ManifoldKernel<B>, B: Shape>(
        &mut self,
        mesh: MeshTriangles<'_>,
        list: CheckedPairs<'_>,
        writer: &Writer<'_, A, B>,
        first: usize,
    ) -> usize {
        let [_, side] = list.sides();
        self.len = 0;
        for (place, &position) in writer.out.positions.iter().enumerate().skip(first) {
            if self.len == BLOCK {
                return place;
            }
            let triangle = list.at(position)[side];
            if mesh.is_slanted(triangle, writer.outward(place)) {
                self.places[self.len] = place;
                self.positions[self.len] = position;
                self.triangles[self.len] = triangle;
                self.len += 1;
            }
        }
        writer.out.len()
    }

    fn lists(&self) -> (&[usize], &[u32], &[u32]) {
        let len = self.len;
        (
            &self.places[..len],
            &self.positions[..len],
            &self.triangles[..len],
        )
    }
}

/// Clamped directions of some contacts.
struct Clamped {
    outward: Numbers,
    /// Place of the contact of each clamped lane.
    places: [Option<usize>; MAX_LANES],
    count: usize,
}

/// Clamps the directions of a group of contacts. `centers` are those of the shapes, relative to the frames of the triangles.
fn clamp<A: ManifoldKernel<B>, B: Shape>(
    mesh: MeshTriangles<'_>,
    writer: &Writer<'_, A, B>,
    places: &[usize],
    triangles: &[u32],
    centers: &Numbers,
) -> Clamped {
    // Any unit vector does for lanes that are not written.
    let mut clamped = Clamped {
        outward: Numbers([[1.0; MAX_LANES], [0.0; MAX_LANES], [0.0; MAX_LANES]]),
        places: [None; MAX_LANES],
        count: 0,
    };
    for (lane, (&place, &triangle)) in places.iter().zip(triangles).enumerate() {
        let outward = writer.outward(place);
        if let Some(outward) = mesh.clamped(triangle, outward, centers.get(lane)) {
            clamped.outward.set(lane, outward);
            clamped.places[lane] = Some(place);
            clamped.count += 1;
        }
    }
    clamped
}
