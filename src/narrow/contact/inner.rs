//! Inner edges of meshes. If a contact's normal is outside the [arcs](crate::store::mesh::inner_edges::MeshTriangles) of the touched
//! edges, the contact is recomputed along the nearest normal of the arcs.

use core::marker::PhantomData;
use core::ops::Range;

use crate::driver::list::CheckedPairs;
use crate::driver::source::{PairBatch, Separate};
use crate::driver::stage::{BLOCK, HitRows};
use crate::lane::{Double, FEWEST_KERNEL_LANES, Job, Lanes, MAX_LANES, Mask, Routine, Vec3, WORD};
use crate::narrow::contact::contacts::ContactSlices;
use crate::narrow::contact::manifold::ManifoldKernel;
use crate::narrow::contact::uneven::{FindUnevenContacts, UnevenContacts, are_uneven};
use crate::narrow::contact::writer::{Writer, most_contact_lanes};
use crate::shapes::form::Static;
use crate::shapes::shape::Shape;
use crate::store::mesh::inner_edges::{MeshTriangles, Rings};

/// Contacts with a mesh.
pub struct MeshContacts<'s> {
    pub mesh: MeshTriangles<'s>,
    pub list: CheckedPairs<'s>,
    /// The time of contact of each pair; `None` is the start of the frame.
    pub times: Option<&'s [f32]>,
    pub margin: f32,
}

/// Clamps the contacts of a writer. Most contacts are on faces and stay unchanged.
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
        let (mut slanted, mut clamp) = (Slanted::new(mesh, list), Clamp::default());
        while slanted.find(lanes, &self.writer.out, self.writer.swapped) {
            let positions = slanted.positions();
            let (rows, staged) = match times {
                None => self.hits.stage(lanes, positions),
                Some(times) => self.hits.stage_at(lanes, positions, times),
            };
            let mut start = 0;
            let mut many = UnevenClamped::new();
            for word in staged.chunks(WORD) {
                let batch = rows.gathered(word, &mut scratch);
                let mut at = 0;
                while at < word.len() {
                    let ((a, b), _bad) = batch.load::<Separate, L>(lanes, at, margin);
                    let group = start + at..start + word.len().min(at + L::COUNT);
                    let mut centers = Numbers::default();
                    centers.store(lanes, A::above(lanes, a, b));
                    let Writer { out, swapped, .. } = &self.writer;
                    let clamped = clamp.group(lanes, (&slanted, group), &centers, (out, *swapped));
                    if let Some(clamped) = clamped {
                        let uneven = are_uneven::<L, A, B>(lanes, a, b, margin).bits();
                        let normal = -clamped.outward.load(lanes);
                        let manifold = A::manifold_along(lanes, a, b, margin, normal);
                        self.writer.scatter(lanes, &clamped.places, manifold);
                        self.writer.mark(&clamped.places);
                        many.add(&clamped, uneven);
                    }
                    at += L::COUNT;
                }
                start += word.len();
            }
            if many.len > 0 {
                Double.call::<FindUnevenContacts<'_, '_, '_, A, B>>(UnevenContacts {
                    columns: self.hits.columns(),
                    times: self.contacts.times,
                    margin: self.contacts.margin,
                    places: &many.places[..many.len],
                    normals: Some(many.normals.each_ref().map(|column| &column[..])),
                    writer: &mut self.writer,
                });
            }
        }
    }
}

/// Clamped contacts to find in `f64`: their places and normals.
struct UnevenClamped {
    places: [u32; BLOCK],
    normals: [[f32; BLOCK]; 3],
    len: usize,
}

impl UnevenClamped {
    fn new() -> Self {
        UnevenClamped {
            places: [0; BLOCK],
            normals: [[1.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]],
            len: 0,
        }
    }

    /// Adds the lanes whose bits are set.
    fn add(&mut self, clamped: &Clamped, uneven: u64) {
        for (lane, place) in clamped.places.iter().enumerate() {
            if let Some(place) = *place
                && uneven >> lane & 1 == 1
            {
                self.places[self.len] = place as u32;
                let Vec3(normal) = -clamped.outward.get(lane);
                for (column, x) in self.normals.iter_mut().zip(normal) {
                    column[self.len] = x;
                }
                self.len += 1;
            }
        }
    }
}

/// Clamped contacts of a group.
pub struct Clamped {
    /// Their places, in their lanes.
    pub places: [Option<usize>; MAX_LANES],
    /// Their directions from the triangles to the shapes.
    pub outward: Numbers,
}

/// Clamps the directions of contacts.
#[derive(Default)]
pub struct Clamp {
    rings: Option<Rings>,
}

impl Clamp {
    /// Clamps a group of listed contacts, at most as many as lanes, given the centers of the shapes relative to the frames of
    /// the triangles. `None` if all stay unchanged.
    #[inline(always)]
    pub fn group<L: Lanes>(
        &mut self,
        lanes: L,
        (slanted, group): (&Slanted<'_>, Range<usize>),
        centers: &Numbers,
        (out, swapped): (&ContactSlices<'_>, bool),
    ) -> Option<Clamped> {
        let places = &slanted.places[group.clone()];
        let mut outward = Numbers::UNIT;
        for (lane, &place) in places.iter().enumerate() {
            let normal = Vec3([0, 1, 2].map(|k| out.numbers[k][place]));
            outward.set(lane, if swapped { normal } else { -normal });
        }
        let clamped = lanes.call::<ClampGroup<'_, '_>>(Group {
            mesh: &slanted.mesh,
            rings: self.rings.get_or_insert_default(),
            triangles: &slanted.triangles[group],
            centers,
            outward: &mut outward,
        });
        if clamped == 0 {
            return None;
        }
        let mut to = [None; MAX_LANES];
        for (lane, &place) in places.iter().enumerate() {
            to[lane] = (clamped >> lane & 1 == 1).then_some(place);
        }
        Some(Clamped {
            places: to,
            outward,
        })
    }
}

/// A vector in each lane.
#[derive(Default)]
pub struct Numbers([[f32; MAX_LANES]; 3]);

impl Numbers {
    /// A unit vector in each lane.
    const UNIT: Numbers = Numbers([[1.0; MAX_LANES], [0.0; MAX_LANES], [0.0; MAX_LANES]]);

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

    pub fn get(&self, lane: usize) -> Vec3<f32> {
        Vec3(self.0.map(|column| column[lane]))
    }

    pub fn set(&mut self, lane: usize, vector: Vec3<f32>) {
        for (k, x) in vector.0.into_iter().enumerate() {
            self.0[k][lane] = x;
        }
    }
}

/// Contacts whose normals differ from the normals of their triangles, a block after the other.
pub struct Slanted<'s> {
    mesh: MeshTriangles<'s>,
    list: CheckedPairs<'s>,
    /// The first contact that is not tested.
    next: usize,
    places: [usize; BLOCK],
    positions: [u32; BLOCK],
    triangles: [u32; BLOCK],
    len: usize,
}

impl<'s> Slanted<'s> {
    #[inline(always)]
    pub fn new(mesh: MeshTriangles<'s>, list: CheckedPairs<'s>) -> Self {
        Slanted {
            mesh,
            list,
            next: 0,
            places: [0; BLOCK],
            positions: [0; BLOCK],
            triangles: [0; BLOCK],
            len: 0,
        }
    }

    /// Positions of the listed contacts.
    pub fn positions(&self) -> &[u32] {
        &self.positions[..self.len]
    }

    /// Lists the next slanted contacts until a block is full. False if all contacts are tested.
    #[inline(always)]
    pub fn find<L: Lanes>(&mut self, lanes: L, out: &ContactSlices<'_>, swapped: bool) -> bool {
        let Slanted { mesh, list, .. } = *self;
        let [_, side] = list.sides();
        let all = out.positions;
        let mut normals = Numbers::default();
        let mut triangles = [0; MAX_LANES];
        self.len = 0;
        let mut place = self.next;
        if place == all.len() {
            return false;
        }
        while place < all.len() && self.len + L::COUNT <= BLOCK {
            let positions = &all[place..all.len().min(place + L::COUNT)];
            let count = positions.len();
            let mut k = 0;
            while k < count {
                triangles[k] = list.at(positions[k])[side];
                k += 1;
            }
            let mut x = 0;
            while x < 3 {
                let column = &out.numbers[x][place..place + count];
                normals.0[x][..count].copy_from_slice(column);
                x += 1;
            }
            let triangles = &triangles[..count];
            let group = (&mesh, triangles, &normals, !swapped);
            let mut slanted = lanes.call::<SlantedGroup<'_, '_>>(group);
            slanted &= (1 << count) - 1;
            while slanted != 0 {
                let lane = slanted.trailing_zeros() as usize;
                slanted &= slanted - 1;
                self.places[self.len] = place + lane;
                self.positions[self.len] = positions[lane];
                self.triangles[self.len] = triangles[lane];
                self.len += 1;
            }
            place += count;
        }
        self.next = place;
        true
    }
}

/// Clamps the directions of a group of contacts: one function for all shapes.
struct ClampGroup<'g, 's>(PhantomData<&'g MeshTriangles<'s>>);

/// Inputs of [`ClampGroup`].
struct Group<'g, 's> {
    mesh: &'g MeshTriangles<'s>,
    rings: &'g mut Rings,
    triangles: &'g [u32],
    /// Centers of the shapes, relative to the frames of the triangles.
    centers: &'g Numbers,
    /// Directions from the triangles to the shapes, to be clamped.
    outward: &'g mut Numbers,
}

impl<'g, 's, L: Lanes> Routine<L> for ClampGroup<'g, 's> {
    type Argument = Group<'g, 's>;
    /// Bits of the clamped lanes.
    type Output = u64;

    #[inline(always)]
    fn run(lanes: L, group: Group<'g, 's>) -> u64 {
        let (Numbers(outward), Numbers(centers)) = (group.outward, group.centers);
        group
            .mesh
            .clamp(lanes, group.rings, group.triangles, outward, centers)
    }
}

/// Finds the slanted contacts of a group: one function for all shapes.
struct SlantedGroup<'g, 's>(PhantomData<&'g MeshTriangles<'s>>);

impl<'g, 's, L: Lanes> Routine<L> for SlantedGroup<'g, 's> {
    /// The mesh, the triangles, and directions from the triangles to the shapes; the reverse directions if `true`.
    type Argument = (&'g MeshTriangles<'s>, &'g [u32], &'g Numbers, bool);
    /// Bits of these contacts.
    type Output = u64;

    #[inline(always)]
    fn run(lanes: L, (mesh, triangles, normals, is_inward): Self::Argument) -> u64 {
        let normals = normals.load(lanes);
        let outward = if is_inward { -normals } else { normals };
        mesh.slanted(lanes, triangles, outward)
    }
}
