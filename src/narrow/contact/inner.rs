//! Contacts with a mesh whose direction does not [support](crate::store::mesh::inner_edges) it. Of the candidates for its
//! direction, the one with the least *exit* is taken: the way along it after which the shape no longer touches this triangle.
//!
//! The exit along any direction is at least the depth, so minus the exit is never above the exact separation, and it is
//! no more than what frees the shape from the triangle. It is the time of exit of a sweep along the direction. A
//! shape that does not touch, within a margin, takes the candidate nearest to its direction, and the gap along it, or zero.

use core::marker::PhantomData;
use core::ops::Range;

use crate::driver::list::CheckedPairs;
use crate::driver::rows::PairRows;
use crate::driver::source::{PairBatch, Separate};
use crate::driver::stage::{BLOCK, HitRows};
use crate::lane::{FEWEST_KERNEL_LANES, Job, Lanes, MAX_LANES, Mask, Routine, Vec3, WORD};
use crate::narrow::contact::contacts::ContactSlices;
use crate::narrow::contact::exit::pushed;
use crate::narrow::contact::manifold::ManifoldKernel;
use crate::narrow::contact::uneven::{FindUnevenContacts, UnevenContacts, are_uneven};
use crate::narrow::contact::writer::{Writer, most_contact_lanes};
use crate::shapes::form::Static;
use crate::shapes::shape::Shape;
use crate::store::mesh::inner_edges::{Candidates, MeshTriangles, Rings, load};

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
        let (mut slanted, mut clamp) = (Slanted::new(mesh, list, 1), Clamp::default());
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
                    let group = slanted.group(group);
                    let places = clamp.find(lanes, &group, &centers, (out, *swapped));
                    if let Some(places) = places {
                        let uneven = are_uneven::<L, A, B>(lanes, a, b, margin).bits();
                        let listed = &word[at..word.len().min(at + L::COUNT)];
                        let least = clamp.least_exits::<L, A, B>(lanes, &rows, listed, &group);
                        let outward = least.outward.load(lanes);
                        let exit = lanes.load(&least.lengths);
                        let manifold = pushed::<L, A, B>(lanes, (a, b), margin, outward, exit);
                        self.writer.scatter(lanes, &places, manifold);
                        self.writer.mark(&places);
                        let mut normals = Numbers::default();
                        normals.store(lanes, -outward);
                        many.add(&places, &normals, uneven);
                    }
                    at += L::COUNT;
                }
                start += word.len();
            }
            if many.len > 0 {
                lanes
                    .doubles()
                    .call::<FindUnevenContacts<'_, '_, '_, A, B>>(UnevenContacts {
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
    fn add(&mut self, places: &[Option<usize>; MAX_LANES], normals: &Numbers, uneven: u64) {
        for (lane, place) in places.iter().enumerate() {
            if let Some(place) = *place
                && uneven >> lane & 1 == 1
            {
                self.places[self.len] = place as u32;
                let Vec3(normal) = normals.get(lane);
                for (column, x) in self.normals.iter_mut().zip(normal) {
                    column[self.len] = x;
                }
                self.len += 1;
            }
        }
    }
}

/// Chooses the directions of contacts with a mesh.
#[derive(Default)]
pub struct Clamp {
    rings: Rings,
    /// The candidates of the last group.
    pub candidates: Candidates,
    /// The directions of the last group, from the triangles to the shapes.
    pub outward: Numbers,
    /// The depths of those contacts; ∞ without.
    depths: [f32; MAX_LANES],
}

impl Clamp {
    /// Finds the candidates of a group, given the centers of the shapes relative to the frames of the triangles, and whether the normals
    /// point from the triangles. Returns
    /// the places of those that have some; `None` if all stay unchanged.
    #[inline(always)]
    pub fn find<L: Lanes>(
        &mut self,
        lanes: L,
        group: &SlantedGroup<'_, '_>,
        centers: &Numbers,
        (out, is_outward): (&ContactSlices<'_>, bool),
    ) -> Option<[Option<usize>; MAX_LANES]> {
        self.outward = Numbers::UNIT;
        self.depths = [f32::INFINITY; MAX_LANES];
        for (lane, &place) in group.places.iter().enumerate() {
            let normal = Vec3([0, 1, 2].map(|k| out.numbers[k][place]));
            self.outward
                .set(lane, if is_outward { normal } else { -normal });
            let separation = out.numbers[3][place];
            if separation < 0.0 {
                self.depths[lane] = -separation;
            }
        }
        let found = lanes.call::<FindCandidates<'_, '_, '_>>((self, group, Round::First(centers)));
        if found == 0 {
            return None;
        }
        let mut to = [None; MAX_LANES];
        for (lane, &place) in group.places.iter().enumerate() {
            to[lane] = (found >> lane & 1 == 1).then_some(place);
        }
        // The others keep their direction, whatever its exit.
        for (depth, place) in self.depths.iter_mut().zip(to) {
            if place.is_none() {
                *depth = f32::INFINITY;
            }
        }
        Some(to)
    }

    /// Depth of a contact; ∞ if there is none.
    pub fn depth(&self, lane: usize) -> f32 {
        self.depths[lane]
    }

    /// Whether a contact has a depth.
    pub fn has_depth(&self, lane: usize) -> bool {
        self.depths[lane] < f32::INFINITY
    }

    /// Whether an exit is so far beyond the depth that there may be another.
    pub fn is_far(&self, lane: usize, exit: f32) -> bool {
        FAR * self.depths[lane] < exit
    }

    /// Finds more candidates for the contacts whose bits are set, given the best so far.
    #[inline(always)]
    pub fn find_more<L: Lanes>(
        &mut self,
        lanes: L,
        group: &SlantedGroup<'_, '_>,
        bits: u64,
        best: &Numbers,
    ) {
        lanes.call::<FindCandidates<'_, '_, '_>>((self, group, Round::Second(bits, best)));
    }

    /// The candidate of each contact of the group with the least exit, and that exit. `positions` are those of the contacts in
    /// `rows`.
    #[inline(always)]
    fn least_exits<L: Lanes, A: ManifoldKernel<B>, B: Shape>(
        &mut self,
        lanes: L,
        rows: &PairRows<'_, Static<A>, Static<B>>,
        positions: &[u32],
        group: &SlantedGroup<'_, '_>,
    ) -> LeastExits {
        let mut least = LeastExits::NONE;
        let (mut which, mut is_first) = ((1 << positions.len()) - 1, true);
        loop {
            let (entries, count) = self.candidates.listed(which);
            for some in entries[..count].chunks(WORD) {
                let found = self.exits_along::<L, A, B>(lanes, rows, positions, some);
                self.keep_least(some, &found, &mut least);
            }
            if !is_first {
                return least;
            }
            (which, is_first) = (0, false);
            for (lane, length) in least.lengths.into_iter().enumerate() {
                which |= u64::from(self.is_far(lane, length)) << lane;
            }
            if which == 0 {
                return least;
            }
            self.find_more(lanes, group, which, &least.outward);
        }
    }

    /// The exits along up to [`WORD`] candidates. These are in the lanes, not contacts, which have few or many.
    #[inline(always)]
    fn exits_along<L: Lanes, A: ManifoldKernel<B>, B: Shape>(
        &self,
        lanes: L,
        rows: &PairRows<'_, Static<A>, Static<B>>,
        positions: &[u32],
        candidates: &[[u8; 2]],
    ) -> Exits {
        let (mut repeated, mut scratch) = ([0; WORD], [[0; 2]; WORD]);
        let mut directions = [[1.0; WORD], [0.0; WORD], [0.0; WORD]];
        for (place, &[lane, k]) in candidates.iter().enumerate() {
            repeated[place] = positions[usize::from(lane)];
            let Vec3(direction) = self.candidates.of(lane.into(), k.into());
            for (column, x) in directions.iter_mut().zip(direction) {
                column[place] = x;
            }
        }
        let batch = rows.gathered(&repeated[..candidates.len()], &mut scratch);
        let mut exits = Exits {
            lengths: [0.0; WORD],
            slacks: [0.0; WORD],
            touching: 0,
        };
        let mut at = 0;
        while at < candidates.len() {
            let ((a, b), _bad) = batch.load::<Separate, L>(lanes, at, lanes.splat(0.0));
            let exit = A::exit(lanes, a, b, load(lanes, &directions, at));
            let slack = (A::wide_size(a) + B::wide_size(b)) * lanes.units(SLACK);
            lanes.store(exit.length, &mut exits.lengths[at..]);
            lanes.store(slack, &mut exits.slacks[at..]);
            exits.touching |= exit.touches.bits() << at;
            at += L::COUNT;
        }
        exits
    }

    /// Keeps the candidates whose exits are less than the least so far.
    #[inline(always)]
    fn keep_least(&self, candidates: &[[u8; 2]], exits: &Exits, least: &mut LeastExits) {
        for (place, &[lane, k]) in candidates.iter().enumerate() {
            let (lane, k) = (usize::from(lane), usize::from(k));
            let outward = self.candidates.of(lane, k);
            // Separations are never above the exact ones.
            let touches = exits.touching >> place & 1 == 1 && self.has_depth(lane);
            // Exits are at least zero.
            let (order, slack, length) = if touches {
                let length = exits.lengths[place];
                (length, exits.slacks[place], length)
            } else {
                (-2.0 - outward.dot(self.outward.get(lane)), 0.0, 0.0)
            };
            if order + slack < least.orders[lane] {
                least.orders[lane] = order;
                least.lengths[lane] = length;
                least.outward.set(lane, outward);
            }
        }
    }
}

/// Exits along some candidates.
struct Exits {
    lengths: [f32; WORD],
    /// [`SLACK`] of both sizes.
    slacks: [f32; WORD],
    /// Bits of the candidates whose shape touches the triangle.
    touching: u64,
}

/// Directions of a group of contacts, and the exits along them: zero for a shape that does not touch, and for a contact without
/// candidates, whose direction is any.
struct LeastExits {
    outward: Numbers,
    lengths: [f32; MAX_LANES],
    /// The numbers by which candidates are compared.
    orders: [f32; MAX_LANES],
}

impl LeastExits {
    const NONE: Self = LeastExits {
        outward: Numbers::UNIT,
        lengths: [0.0; MAX_LANES],
        orders: [f32::INFINITY; MAX_LANES],
    };
}

/// By how much, in u of both sizes, an exit has to be shorter than that of an earlier candidate: more than exits err by.
const SLACK: f32 = 512.0;

/// An exit this many times as long as the depth is looked at again.
const FAR: f32 = 2.0;

/// A vector in each lane.
pub struct Numbers([[f32; MAX_LANES]; 3]);

impl Default for Numbers {
    /// Unit vectors.
    fn default() -> Self {
        Numbers::UNIT
    }
}

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

    /// The vector of a lane.
    pub fn get(&self, lane: usize) -> Vec3<f32> {
        Vec3(self.0.map(|column| column[lane]))
    }

    /// Sets the vector of a lane.
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
    /// The shape of each pair that is the triangle, in kernel order.
    side: usize,
    /// The first contact that is not tested.
    next: usize,
    places: [usize; BLOCK],
    positions: [u32; BLOCK],
    triangles: [u32; BLOCK],
    len: usize,
}

impl<'s> Slanted<'s> {
    #[inline(always)]
    pub fn new(mesh: MeshTriangles<'s>, list: CheckedPairs<'s>, side: usize) -> Self {
        Slanted {
            mesh,
            list,
            side,
            next: 0,
            places: [0; BLOCK],
            positions: [0; BLOCK],
            triangles: [0; BLOCK],
            len: 0,
        }
    }

    /// Some of the listed contacts.
    #[inline(always)]
    pub fn group<'g>(&'g self, group: Range<usize>) -> SlantedGroup<'g, 's> {
        SlantedGroup {
            mesh: self.mesh,
            places: &self.places[group.clone()],
            triangles: &self.triangles[group],
        }
    }

    /// Positions of the listed contacts.
    pub fn positions(&self) -> &[u32] {
        &self.positions[..self.len]
    }

    /// Lists the next slanted contacts until a block is full; `is_outward` if their normals point from the triangles. False if all
    /// contacts are tested.
    #[inline(always)]
    pub fn find<L: Lanes>(&mut self, lanes: L, out: &ContactSlices<'_>, is_outward: bool) -> bool {
        let Slanted { mesh, list, .. } = *self;
        let side = list.sides()[self.side];
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
            let group = (&mesh, triangles, &normals, !is_outward);
            let mut slanted = lanes.call::<FindSlanted<'_, '_>>(group);
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

/// Some of the listed contacts, at most as many as lanes.
pub struct SlantedGroup<'g, 's> {
    mesh: MeshTriangles<'s>,
    places: &'g [usize],
    triangles: &'g [u32],
}

/// Round of a search for candidates.
enum Round<'g> {
    /// At the touched feature, given the centers of the shapes.
    First(&'g Numbers),
    /// At all corners, for some, given the best of the first round.
    Second(u64, &'g Numbers),
}

/// Finds the candidates of a group of contacts: one function for all shapes.
struct FindCandidates<'c, 'g, 's>(PhantomData<(&'c mut Clamp, &'g MeshTriangles<'s>)>);

impl<'c, 'g, 's: 'g, L: Lanes> Routine<L> for FindCandidates<'c, 'g, 's> {
    type Argument = (&'c mut Clamp, &'g SlantedGroup<'g, 's>, Round<'g>);
    /// Bits of the lanes with candidates.
    type Output = u64;

    #[inline(always)]
    fn run(lanes: L, (clamp, group, round): Self::Argument) -> u64 {
        let Clamp {
            rings,
            candidates,
            outward: Numbers(outward),
            ..
        } = clamp;
        let SlantedGroup {
            mesh, triangles, ..
        } = group;
        match round {
            Round::First(Numbers(centers)) => {
                mesh.find_candidates(lanes, rings, triangles, outward, centers, candidates)
            }
            Round::Second(bits, Numbers(best)) => {
                mesh.find_more(lanes, rings, triangles, outward, (bits, best), candidates);
                bits
            }
        }
    }
}

/// Finds the slanted contacts of a group: one function for all shapes.
struct FindSlanted<'g, 's>(PhantomData<&'g MeshTriangles<'s>>);

impl<'g, 's, L: Lanes> Routine<L> for FindSlanted<'g, 's> {
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
