//! Directions in which a mesh pushes a shape.
//!
//! A shape that slides over a mesh touches edges between triangles. A kernel sees one triangle without its neighbours, so the
//! normals at edges may point in any direction, into the surface too. Here the triangles around the touched feature, a
//! face, an edge or a corner, decide.
//!
//! A direction *supports* the mesh at a feature if no triangle around it rises above the plane through the feature that is
//! perpendicular to the direction: there is nothing that pushes the shape further. On a ridge these are the directions between
//! both normals, on a peak a cone, on a flat place the normal, in a valley there is none.
//!
//! A direction that supports stays. For any other there are candidates: the normals of the triangles around the feature
//! that support, and the direction itself, turned to be perpendicular to the edge that rises most along it, if that supports; or else the
//! triangle's own normal. [`contact::inner`](crate::narrow::contact::inner) chooses the one
//! along which the shape leaves the triangle first. A border has triangles on one side only, so what supports them is not much.
//!
//! [`Sides`] say from where a mesh is touched. Seen from the back, all normals are reversed, and ridges are valleys.

use core::marker::PhantomData;

use crate::lane::{Float, Lanes, MAX_LANES, Mask, Routine, Vec3, WORD, splat};
use crate::math::exact::{normal, unit, unit_normals};
use crate::shapes::triangle::LongestEdge;
use crate::store::columns::AnyColumns;
use crate::store::mesh::adjacency::{EdgeKind, MeshEdges, NONE, Sides};

/// Maximum depth, along the normal, of a touched corner below the first corner, relative to the longest edge.
const TOUCHES: f32 = 1.0 / 4096.0;
/// Squared distance up to which two directions are one: 64 u, more than the error of kernels.
const NEAR: f32 = 1.0 / (1u64 << 36) as f32;
/// Greatest rise of a triangle above the plane of a normal that supports it, in lengths of its edges: 2⁻¹⁰.
const RISES: f32 = 1.0 / 1024.0;
/// Greatest rise above the plane of a contact's own direction: 2⁻¹⁸, more than the error of kernels.
const RISES_OWN: f32 = 1.0 / (1 << 18) as f32;
/// Least square of the part of a direction across an edge: 1/4.
const LEAST_ACROSS: f32 = 0.25;
/// Cosine of a direction with a triangle's normal from which on it says on which side of the triangle the shape is.
const CLEAR: f32 = 0.25;
/// Cosine of a direction with the normal of a touched face, or its opposite, from which on the face is no sliver.
const IS_FACE: f32 = 0.9;

/// The triangles of a mesh, and their edges.
#[derive(Clone, Copy)]
pub struct MeshTriangles<'s> {
    /// A coordinate of a corner in each column.
    columns: [&'s [f32]; 9],
    edges: MeshEdges<'s>,
}

impl<'s> MeshTriangles<'s> {
    /// The triangles of these columns, if the columns belong to a mesh.
    pub fn of(columns: &'s AnyColumns<'s>) -> Option<Self> {
        let edges = columns.edges()?;
        let columns = columns.fields.try_into().ok()?;
        Some(MeshTriangles { columns, edges })
    }
}

impl MeshTriangles<'_> {
    #[inline(always)]
    fn corners(&self, triangle: u32) -> [[f32; 3]; 3] {
        let at = triangle as usize;
        let [ax, ay, az, bx, by, bz, cx, cy, cz] = self.columns;
        [
            [ax[at], ay[at], az[at]],
            [bx[at], by[at], bz[at]],
            [cx[at], cy[at], cz[at]],
        ]
    }

    /// The corner at which the frame of a triangle begins.
    pub fn frame_corner(&self, triangle: u32) -> Vec3<f32> {
        LongestEdge::of(self.corners(triangle).map(Vec3)).corner
    }

    /// Corners of `triangles`, a coordinate in each array and a triangle in each lane.
    #[inline(always)]
    fn gathered(&self, triangles: &[u32]) -> CornerColumns {
        let mut columns = CornerColumns::default();
        for (lane, &triangle) in triangles.iter().enumerate().take(MAX_LANES) {
            columns.set(lane, self.corners(triangle));
        }
        columns
    }

    /// Bits of the contacts whose direction, from a triangle to a shape, is not the triangle's normal on a side that may be
    /// touched. They have to be looked at. This test is cheap, since most contacts are on faces.
    #[inline(always)]
    pub fn slanted<L: Lanes>(&self, lanes: L, triangles: &[u32], outward: Vec3<L::F>) -> u64 {
        let [a, b, c] = self.gathered(triangles).corners(lanes);
        let (first, second) = (b - a, c - a);
        // Scaled, so that squares neither underflow nor overflow.
        let largest = first.abs().largest().max(second.abs().largest());
        let scale = largest.recip_pow2();
        let normal = (first * scale).cross(second * scale);
        let across = normal.cross(outward);
        let near = normal.dot(normal) * lanes.splat(NEAR);
        let slanted = near.lt(across.dot(across)).bits();
        match self.edges.sides {
            Sides::Both => slanted,
            Sides::Front => slanted | normal.dot(outward).lt(lanes.splat(0.0)).bits(),
        }
    }

    /// Finds the candidates for the directions of contacts, from triangles to shapes. `centers` are the centers of the shapes,
    /// relative to the corners at which the frames of the triangles begin. Returns the bits of the contacts that have some:
    /// the directions of the others stay.
    #[inline(always)]
    pub fn find_candidates<L: Lanes>(
        &self,
        lanes: L,
        rings: &mut Rings,
        triangles: &[u32],
        outward: &[[f32; MAX_LANES]; 3],
        centers: &[[f32; MAX_LANES]; 3],
        candidates: &mut Candidates,
    ) -> u64 {
        let columns = self.gathered(triangles);
        let corners = columns.corners(lanes);
        let directions = load(lanes, outward, 0);
        let center = load(lanes, centers, 0) + LongestEdge::of(corners).corner;
        let mut x = 0;
        while x < 3 {
            lanes.store(center.0[x], &mut candidates.centers[x]);
            x += 1;
        }
        let touched = touched(lanes, corners, directions);
        let mut normals = [[0.0; MAX_LANES + 1]; 3];
        unit_normals(
            lanes,
            &columns.0,
            triangles.len().min(MAX_LANES),
            &mut normals,
        );
        let mut found = 0;
        candidates.lens = [0; MAX_LANES];
        let mut lane = 0;
        while lane < triangles.len().min(MAX_LANES) {
            let side = MeshTriangle {
                triangle: triangles[lane],
                corners: columns.get(lane),
            };
            let view = ContactView {
                outward: number(outward, lane),
                center: number(&candidates.centers, lane),
            };
            let touched = touched.map(|bits| bits >> lane & 1 == 1);
            let mut few = FewDirections::NONE;
            self.around(
                lanes,
                rings,
                (&side, number(&normals, lane)),
                touched,
                view,
                &mut few,
            );
            if few.len > 0 {
                candidates.set(lane, &few);
                candidates.facing[lane] = few.facing;
                found |= 1 << lane;
            }
            lane += 1;
        }
        found
    }

    /// Adds the candidates for the direction of one contact; none if it stays. The feature is given by its corners.
    #[inline(always)]
    fn around<L: Lanes>(
        &self,
        lanes: L,
        rings: &mut Rings,
        (side, own): (&MeshTriangle, Vec3<f32>),
        touched: [bool; 3],
        view: ContactView,
        to: &mut FewDirections,
    ) {
        match touched {
            [true, false, false] => self.around_corner(lanes, rings, (side, 0), view, to),
            [false, true, false] => self.around_corner(lanes, rings, (side, 1), view, to),
            [false, false, true] => self.around_corner(lanes, rings, (side, 2), view, to),
            [true, true, false] => self.around_edge((side, own), 0, view, to),
            [false, true, true] => self.around_edge((side, own), 1, view, to),
            [true, false, true] => self.around_edge((side, own), 2, view, to),
            [true, true, true] => self.around_face(lanes, rings, (side, own), view, to),
            // Only if a corner is not a number.
            [false, false, false] => {}
        }
    }

    /// All corners of a sliver are touched whatever the direction: what supports all that is around it stays, and its own normal is
    /// no better than others.
    #[inline(always)]
    fn around_face<L: Lanes>(
        &self,
        lanes: L,
        rings: &mut Rings,
        (side, own): (&MeshTriangle, Vec3<f32>),
        view: ContactView,
        to: &mut FewDirections,
    ) {
        let facing = self.facing(side, own, view);
        if IS_FACE <= own.dot(view.outward).abs() {
            to.add(facing, own, view);
            return;
        }
        let (mut stays, mut corner) = (true, 0);
        while corner < 3 {
            if let Some((ring, first)) = rings.find(lanes, self, (side, corner)) {
                stays &= ring.is_supported_by(lanes, view.outward, facing);
                ring.add(first, ring.supporting(facing), (facing, view), to);
            }
            corner += 1;
        }
        if stays {
            to.len = 0;
        } else if to.len == 0 {
            to.add(facing, own, view);
        }
    }

    /// 1 if the shape is on the front of a triangle, −1 if it is on its back.
    #[inline(always)]
    fn facing(&self, side: &MeshTriangle, own: Vec3<f32>, view: ContactView) -> f32 {
        let height = match self.edges.sides {
            Sides::Front => return 1.0,
            Sides::Both => own.dot(view.outward),
        };
        let height = if CLEAR <= height.abs() {
            height
        } else {
            own.dot(view.center - Vec3(side.corners[0]))
        };
        if height < 0.0 { -1.0 } else { 1.0 }
    }

    #[inline(always)]
    fn around_edge(
        &self,
        (side, own): (&MeshTriangle, Vec3<f32>),
        edge: usize,
        view: ContactView,
        to: &mut FewDirections,
    ) {
        let facing = self.facing(side, own, view);
        let from = Vec3(side.corners[edge]);
        let is_below = |corner: [f32; 3]| supports(view.outward, Vec3(corner) - from, RISES_OWN);
        let supports_own = is_below(side.corners[(edge + 2) % 3]);
        let Some((other, beyond)) = self.across(side, edge) else {
            if !supports_own {
                to.add(facing, own, view);
            }
            return;
        };
        let is_ridge = match self.edges.of.kind(side.triangle, edge) {
            EdgeKind::Convex => facing > 0.0,
            EdgeKind::Concave => facing < 0.0,
            EdgeKind::Flat | EdgeKind::Border => false,
        };
        if !is_ridge {
            to.add(facing, own, view);
            return;
        }
        let normal = other.normal();
        let heights = [own, normal].map(|normal| facing * view.outward.dot(normal));
        let is_outward = heights.iter().any(|height| 0.0 < *height);
        if !(supports_own && is_below(other.corners[(beyond + 2) % 3]) && is_outward) {
            to.add(facing, own, view);
            to.add(facing, normal, view);
        }
    }

    #[inline(always)]
    fn around_corner<L: Lanes>(
        &self,
        lanes: L,
        rings: &mut Rings,
        (side, corner): (&MeshTriangle, usize),
        view: ContactView,
        to: &mut FewDirections,
    ) {
        match rings.find(lanes, self, (side, corner)) {
            Some((ring, first)) => self.around_ring(lanes, (ring, first), side, view, to),
            None => lanes.call::<AroundLargeRing<'_, '_>>((self, (side, corner), view, to)),
        }
    }

    #[inline(always)]
    fn around_ring<L: Lanes, const N: usize>(
        &self,
        lanes: L,
        (ring, first): (&Ring<N>, usize),
        side: &MeshTriangle,
        view: ContactView,
        to: &mut FewDirections,
    ) {
        let own = ring.normal(first);
        let facing = self.facing(side, own, view);
        if ring.is_supported_by(lanes, view.outward, facing) {
            return;
        }
        // Beside the end of an edge of a ridge, directions that lean along it a little.
        if let Some(across) = ring.across_steepest(lanes, first, view.outward)
            && ring.is_supported_by(lanes, across, facing)
        {
            to.add(facing, across * facing, view);
        }
        ring.add(first, ring.supporting(facing), (facing, view), to);
        if to.len > 0 {
            return;
        }
        // On a saddle, all on the front of the triangle.
        to.add(facing, own, view);
        let front = ring.in_front_of(lanes, own);
        ring.add(first, front, (facing, view), to);
    }

    /// Adds the candidates of a group whose bits are set: the normals that support one of the corners of the triangle, with the center
    /// of the shape in front of that corner. The first is the best so far. For contacts with the end of an edge, where that feature has
    /// no near exit.
    #[inline(always)]
    pub fn find_more<L: Lanes>(
        &self,
        lanes: L,
        rings: &mut Rings,
        triangles: &[u32],
        outward: &[[f32; MAX_LANES]; 3],
        (mut bits, best): (u64, &[[f32; MAX_LANES]; 3]),
        candidates: &mut Candidates,
    ) {
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize % MAX_LANES;
            bits &= bits - 1;
            let side = self.side(triangles[lane]);
            let view = ContactView {
                outward: number(outward, lane),
                center: number(&candidates.centers, lane),
            };
            let mut few = FewDirections::NONE;
            few.directions[0] = number(best, lane);
            few.len = 1;
            let facing = candidates.facing[lane];
            let mut corner = 0;
            while corner < 3 {
                if let Some((ring, first)) = rings.find(lanes, self, (&side, corner)) {
                    let from = view.center - Vec3(side.corners[corner]);
                    let bits = ring.supporting(facing) & ring.in_front_of(lanes, from * facing);
                    ring.add(first, bits, (facing, view), &mut few);
                }
                corner += 1;
            }
            candidates.set(lane, &few);
        }
    }

    #[inline(always)]
    fn side(&self, triangle: u32) -> MeshTriangle {
        let corners = self.corners(triangle);
        MeshTriangle { triangle, corners }
    }

    /// The triangle beyond an edge; `None` for a border.
    fn beyond(&self, side: &MeshTriangle, edge: usize) -> Option<u32> {
        let beyond = self.edges.of.neighbours[side.triangle as usize][edge];
        let is_border = self.edges.of.kind(side.triangle, edge) == EdgeKind::Border;
        (!is_border && beyond != NONE).then_some(beyond)
    }

    /// The triangle beyond an edge, and the index of the edge in it. `None` for a border, or if the indices of the
    /// triangles do not match.
    #[inline]
    pub fn across(&self, side: &MeshTriangle, edge: usize) -> Option<(MeshTriangle, usize)> {
        let beyond = self.beyond(side, edge)?;
        let back = self.edges.of.neighbours.get(beyond as usize)?;
        let other = self.side(beyond);
        let (from, to) = (side.corners[edge], side.corners[(edge + 1) % 3]);
        let is_same = |k: &usize| {
            back[*k] == side.triangle
                && other.corners[*k] == to
                && other.corners[(k + 1) % 3] == from
        };
        let edge = (0..3).find(is_same)?;
        Some((other, edge))
    }
}

/// Whether the direction of a contact supports a triangle that has an edge from the feature along `edge`.
#[inline(always)]
fn supports<F: Float>(direction: Vec3<F>, edge: Vec3<F>, rises: F) -> F::Mask {
    direction.dot(edge).le(edge.abs().largest() * rises)
}

/// Maximum number of triangles around a corner; of those beyond, nothing is known.
const AROUND: usize = 64;

/// A triangle of a mesh.
#[derive(Clone, Copy)]
pub struct MeshTriangle {
    pub triangle: u32,
    pub corners: [[f32; 3]; 3],
}

impl MeshTriangle {
    /// The unit normal by the right-hand rule, zero if there is none.
    fn normal(&self) -> Vec3<f32> {
        Vec3(unit(normal(self.corners)))
    }
}

/// For each corner, bits of the shapes that touch it: the corners that are extreme in the direction of the shape.
#[inline(always)]
fn touched<L: Lanes>(lanes: L, [a, b, c]: [Vec3<L::F>; 3], outward: Vec3<L::F>) -> [u64; 3] {
    let (ab, ac) = (b - a, c - a);
    let (first, second, third) = (lanes.splat(0.0), outward.dot(ab), outward.dot(ac));
    let longest = ab.abs().largest().max(ac.abs().largest());
    let highest = first.max(second).max(third) - longest * lanes.splat(TOUCHES);
    [
        highest.le(first).bits(),
        highest.le(second).bits(),
        highest.le(third).bits(),
    ]
}

/// Corners of triangles: a coordinate in each array, a triangle in each lane.
#[derive(Default)]
pub struct CornerColumns(pub [[f32; MAX_LANES]; 9]);

impl CornerColumns {
    #[inline(always)]
    pub fn set(&mut self, lane: usize, corners: [[f32; 3]; 3]) {
        let numbers = corners.as_flattened();
        let mut x = 0;
        while x < 9 {
            self.0[x][lane] = numbers[x];
            x += 1;
        }
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> [[f32; 3]; 3] {
        let mut corners = [[0.0; 3]; 3];
        let mut x = 0;
        while x < 9 {
            corners[x / 3][x % 3] = self.0[x][lane];
            x += 1;
        }
        corners
    }

    #[inline(always)]
    fn corners<L: Lanes>(&self, lanes: L) -> [Vec3<L::F>; 3] {
        let [ax, ay, az, bx, by, bz, cx, cy, cz] = &self.0;
        [
            Vec3([lanes.load(ax), lanes.load(ay), lanes.load(az)]),
            Vec3([lanes.load(bx), lanes.load(by), lanes.load(bz)]),
            Vec3([lanes.load(cx), lanes.load(cy), lanes.load(cz)]),
        ]
    }
}

/// Candidates of a group of contacts: a coordinate of a candidate of each contact in each array.
pub struct Candidates {
    directions: [[[f32; MAX_LANES]; 3]; MOST],
    /// 1 for a contact at the front of its triangle, −1 for one at the back.
    facing: [f32; MAX_LANES],
    /// The centers of the shapes.
    centers: [[f32; MAX_LANES]; 3],
    /// Number of candidates of each contact.
    lens: [usize; MAX_LANES],
}

impl Default for Candidates {
    /// Unit vectors.
    fn default() -> Self {
        Candidates {
            directions: [[[1.0; MAX_LANES], [0.0; MAX_LANES], [0.0; MAX_LANES]]; MOST],
            facing: [1.0; MAX_LANES],
            centers: [[0.0; MAX_LANES]; 3],
            lens: [0; MAX_LANES],
        }
    }
}

impl Candidates {
    /// Sets those of a contact.
    #[inline(always)]
    fn set(&mut self, lane: usize, few: &FewDirections) {
        let mut k = 0;
        while k < few.len {
            self.put(lane, k, few.directions[k]);
            k += 1;
        }
        self.lens[lane] = few.len;
    }

    #[inline(always)]
    fn put(&mut self, lane: usize, k: usize, Vec3(direction): Vec3<f32>) {
        let mut x = 0;
        while x < 3 {
            self.directions[k][x][lane] = direction[x];
            x += 1;
        }
    }

    /// The candidates of the contacts whose bits are set: the lane of each and its place among those of this lane. Returns their
    /// number, too.
    #[inline(always)]
    pub fn listed(&self, which: u64) -> ([[u8; 2]; MOST * MAX_LANES], usize) {
        let (mut entries, mut count) = ([[0; 2]; MOST * MAX_LANES], 0);
        for (lane, &len) in self.lens.iter().enumerate() {
            if which >> lane & 1 == 1 {
                for k in 0..len {
                    entries[count] = [lane as u8, k as u8];
                    count += 1;
                }
            }
        }
        (entries, count)
    }

    /// Number of candidates of a contact.
    pub fn len_of(&self, lane: usize) -> usize {
        self.lens[lane]
    }

    /// Candidate `k` of one contact.
    #[inline(always)]
    pub fn of(&self, lane: usize, k: usize) -> Vec3<f32> {
        number(&self.directions[k], lane)
    }
}

/// Candidates of one contact.
struct FewDirections {
    directions: [Vec3<f32>; MOST],
    len: usize,
    /// Side of the last candidate that was added.
    facing: f32,
}

impl FewDirections {
    const NONE: Self = FewDirections {
        directions: [Vec3([0.0; 3]); MOST],
        len: 0,
        facing: 1.0,
    };

    /// Adds a normal on a side, unless it is there. Of too many, those nearest to the direction of the contact stay.
    #[inline(always)]
    fn add(&mut self, facing: f32, normal: Vec3<f32>, view: ContactView) {
        self.facing = facing;
        let normal = normal * facing;
        // A triangle without area has none.
        if normal.dot(normal) <= 0.0 {
            return;
        }
        let (mut least, mut at, mut k) = (view.outward.dot(normal), self.len, 0);
        while k < self.len {
            let off = normal - self.directions[k];
            if off.dot(off) <= NEAR {
                return;
            }
            let cosine = view.outward.dot(self.directions[k]);
            if self.len == MOST && cosine < least {
                (least, at) = (cosine, k);
            }
            k += 1;
        }
        if at < MOST {
            self.directions[at] = normal;
            self.len = self.len.max(at + 1);
        }
    }
}

/// Bits of the first `len` vectors whose heights above the plane of a vector exceed those in `room`.
#[inline(always)]
fn above<L: Lanes, const N: usize>(
    lanes: L,
    vector: Vec3<f32>,
    vectors: &[[f32; N]; 3],
    room: &[f32; N],
    len: usize,
) -> u64 {
    let vector = splat(lanes, vector.0);
    let (mut bits, mut at) = (0, 0);
    while at < len {
        let height = vector.dot(load(lanes, vectors, at));
        bits |= lanes.load(&room[at..]).lt(height).bits() << at;
        at += L::COUNT;
    }
    bits & first_bits(len)
}

/// The first `len` bits, of at most 64.
#[inline(always)]
fn first_bits(len: usize) -> u64 {
    if len == WORD {
        u64::MAX
    } else {
        (1 << len) - 1
    }
}

/// The vector of one lane.
#[inline(always)]
fn number<const N: usize>([x, y, z]: &[[f32; N]; 3], lane: usize) -> Vec3<f32> {
    Vec3([x[lane], y[lane], z[lane]])
}

/// Vectors from lane `at` on.
#[inline(always)]
pub fn load<L: Lanes, const N: usize>(
    lanes: L,
    [x, y, z]: &[[f32; N]; 3],
    at: usize,
) -> Vec3<L::F> {
    Vec3([
        lanes.load(&x[at..]),
        lanes.load(&y[at..]),
        lanes.load(&z[at..]),
    ])
}

/// A contact: the direction from the triangle to the shape, and the center of the shape.
#[derive(Clone, Copy)]
struct ContactView {
    outward: Vec3<f32>,
    center: Vec3<f32>,
}

/// Maximum number of candidates of a contact, and of triangles of a cached ring.
pub const MOST: usize = MAX_LANES;

/// Number of cached rings.
const KEPT: usize = 8;

/// Triangles around a corner, in order.
#[derive(Clone, Copy)]
struct Ring<const N: usize> {
    len: usize,
    /// Whether the last triangle is a neighbour of the first.
    is_closed: bool,
    triangles: [u32; N],
    /// Unit normals of the triangles.
    normals: [[f32; N]; 3],
    /// Bits of the triangles whose normal supports all triangles, and whose opposite does.
    supporting: [u64; 2],
    outer_len: usize,
    /// The other ends of all edges from the corner, relative to it.
    outer: [[f32; N]; 3],
    /// Greatest rise of each.
    room: [f32; N],
}

/// The last rings.
pub struct Rings {
    /// Bits of the corners of the rings.
    keys: [[u32; 3]; KEPT],
    rings: [Ring<MOST>; KEPT],
    /// Place of the last found ring.
    last: usize,
    /// Place of the next ring to replace.
    next: usize,
}

impl Default for Rings {
    fn default() -> Self {
        Rings {
            keys: [[0; 3]; KEPT],
            rings: [Ring::new(); KEPT],
            last: 0,
            next: 0,
        }
    }
}

impl Rings {
    /// The ring around a corner of a triangle, and the place of the triangle in it. `None` if it is too large to be cached.
    #[inline(always)]
    fn find<L: Lanes>(
        &mut self,
        lanes: L,
        mesh: &MeshTriangles<'_>,
        (side, corner): (&MeshTriangle, usize),
    ) -> Option<(&Ring<MOST>, usize)> {
        let key = side.corners[corner].map(f32::to_bits);
        let mut step = 0;
        while step < KEPT {
            let place = (self.last + step) % KEPT;
            if self.keys[place] == key
                && let Some(first) = self.rings[place].place_of(side.triangle)
            {
                self.last = place;
                return Some((&self.rings[place], first));
            }
            step += 1;
        }
        let place = self.next;
        let ring = &mut self.rings[place];
        let is_whole = lanes.call::<WalkRing<'_, '_>>((ring, mesh, side, corner));
        let first = ring.place_of(side.triangle).filter(|_| is_whole);
        if first.is_none() {
            ring.len = 0;
            return None;
        }
        self.keys[place] = key;
        (self.last, self.next) = (place, (place + 1) % KEPT);
        Some((&self.rings[place], first?))
    }
}

/// Adds the candidates at a corner, as [`MeshTriangles::around_ring`], with more triangles than are cached.
struct AroundLargeRing<'r, 's>(PhantomData<(&'r mut FewDirections, MeshTriangles<'s>)>);

impl<'r, 's: 'r, L: Lanes> Routine<L> for AroundLargeRing<'r, 's> {
    type Argument = (
        &'r MeshTriangles<'s>,
        (&'r MeshTriangle, usize),
        ContactView,
        &'r mut FewDirections,
    );
    type Output = ();

    #[inline(always)]
    fn run(lanes: L, (mesh, (side, corner), view, to): Self::Argument) {
        let mut ring = Ring::<AROUND>::new();
        ring.walk(lanes, mesh, side, corner);
        let first = ring.place_of(side.triangle).unwrap_or_default();
        mesh.around_ring(lanes, (&ring, first), side, view, to);
    }
}

/// Walks around a corner of a triangle: one function for all that look for a ring.
struct WalkRing<'r, 's>(PhantomData<(&'r mut Ring<MOST>, MeshTriangles<'s>)>);

impl<'r, 's: 'r, L: Lanes> Routine<L> for WalkRing<'r, 's> {
    type Argument = (
        &'r mut Ring<MOST>,
        &'r MeshTriangles<'s>,
        &'r MeshTriangle,
        usize,
    );
    /// False if there are more triangles than room.
    type Output = bool;

    #[inline(always)]
    fn run(lanes: L, (ring, mesh, side, corner): Self::Argument) -> bool {
        ring.walk(lanes, mesh, side, corner)
    }
}

impl<const N: usize> Ring<N> {
    const fn new() -> Self {
        Ring {
            len: 0,
            is_closed: false,
            triangles: [0; N],
            normals: [[0.0; N]; 3],
            supporting: [0; 2],
            outer_len: 0,
            outer: [[0.0; N]; 3],
            room: [0.0; N],
        }
    }

    #[inline(always)]
    fn normal(&self, k: usize) -> Vec3<f32> {
        number(&self.normals, k)
    }

    /// Bits of the triangles whose normal is on the side of a vector.
    #[inline(always)]
    fn in_front_of<L: Lanes>(&self, lanes: L, vector: Vec3<f32>) -> u64 {
        above(lanes, vector, &self.normals, &[0.0; N], self.len)
    }

    /// Bits of the edges that rise above the plane of a vector by more than their room.
    #[inline(always)]
    fn rising<L: Lanes>(&self, lanes: L, vector: Vec3<f32>) -> u64 {
        above(lanes, vector, &self.outer, &self.room, self.outer_len)
    }

    /// Whether a direction, on a side, supports all triangles.
    #[inline(always)]
    fn is_supported_by<L: Lanes>(&self, lanes: L, direction: Vec3<f32>, facing: f32) -> bool {
        let along = splat(lanes, direction.0);
        let rises = lanes.splat(RISES_OWN);
        let (mut below, mut at) = (0, 0);
        while at < self.outer_len {
            let edge = load(lanes, &self.outer, at);
            below |= supports(along, edge, rises).bits() << at;
            at += L::COUNT;
        }
        let is_below = below & first_bits(self.outer_len) == first_bits(self.outer_len);
        // From the back of a flat place all directions are below.
        is_below && (!self.is_closed || self.in_front_of(lanes, direction * facing) != 0)
    }

    /// A direction, turned to be perpendicular to the edge that rises most along it; `None` if none rises, or too little is left.
    /// In a tie, the first edge from that of triangle `first` on: a ring may have begun with any triangle.
    #[inline(always)]
    fn across_steepest<L: Lanes>(
        &self,
        lanes: L,
        first: usize,
        direction: Vec3<f32>,
    ) -> Option<Vec3<f32>> {
        let mut rises = [0.0; N];
        let mut at = 0;
        while at < self.outer_len {
            let edge = load(lanes, &self.outer, at);
            let edge = edge * (lanes.splat(1.0) / edge.abs().largest());
            lanes.store(splat(lanes, direction.0).dot(edge), &mut rises[at..]);
            at += L::COUNT;
        }
        let (mut steepest, mut most, mut step) = (None, 0.0, 0);
        while step < self.outer_len {
            let k = first + step;
            let k = if k < self.outer_len {
                k
            } else {
                k - self.outer_len
            };
            if most < rises[k] {
                (steepest, most) = (Some(k), rises[k]);
            }
            step += 1;
        }
        let edge = number(&self.outer, steepest?);
        let steepest = edge * (1.0 / edge.abs().largest());
        let across = direction - steepest * (most / steepest.dot(steepest));
        let squared = across.dot(across);
        // What is left of a direction along the edge is rounding.
        (LEAST_ACROSS <= squared).then(|| across * (1.0 / squared.sqrt()))
    }

    /// Adds the normals of the triangles whose bits are set, from place `first` on: in the same order whichever triangle the
    /// walk began with.
    #[inline(always)]
    fn add(
        &self,
        first: usize,
        bits: u64,
        (facing, view): (f32, ContactView),
        to: &mut FewDirections,
    ) {
        let before = first_bits(first);
        let (mut bits, mut rest) = (bits & !before, bits & before);
        while bits | rest != 0 {
            if bits == 0 {
                (bits, rest) = (rest, 0);
            }
            to.add(facing, self.normal(bits.trailing_zeros() as usize), view);
            bits &= bits - 1;
        }
    }

    /// Bits of the triangles whose normal, on a side, supports all triangles.
    #[inline(always)]
    fn supporting(&self, facing: f32) -> u64 {
        self.supporting[usize::from(facing < 0.0)]
    }

    #[inline(always)]
    fn place_of(&self, triangle: u32) -> Option<usize> {
        let mut k = 0;
        while k < self.len.min(N) {
            if self.triangles[k] == triangle {
                return Some(k);
            }
            k += 1;
        }
        None
    }

    /// Adds the other end of an edge from the corner. False if there is no room.
    #[inline(always)]
    fn add_outer(&mut self, end: [f32; 3], corner: [f32; 3]) -> bool {
        let k = self.outer_len;
        if k == N {
            return false;
        }
        let edge = Vec3(end) - Vec3(corner);
        let mut x = 0;
        while x < 3 {
            self.outer[x][k] = edge.0[x];
            x += 1;
        }
        self.room[k] = edge.abs().largest() * RISES;
        self.outer_len = k + 1;
        true
    }

    /// Walks around a corner, from a border on if there is one. False if there are more triangles than room; then the ring has only
    /// some of them.
    #[inline(always)]
    fn walk<L: Lanes>(
        &mut self,
        lanes: L,
        mesh: &MeshTriangles<'_>,
        start: &MeshTriangle,
        corner: usize,
    ) -> bool {
        let mut is_whole = self.walk_forwards(mesh, start, corner);
        if is_whole && !self.is_closed {
            // Backwards, to the other border.
            let (mut side, mut begins, mut steps) = (*start, corner, 0);
            while steps < N
                && let Some((next, edge)) = mesh.across(&side, begins)
            {
                (side, begins) = (next, (edge + 1) % 3);
                steps += 1;
            }
            if steps < N {
                is_whole = self.walk_forwards(mesh, &side, begins);
            } else {
                is_whole = false;
            }
        }
        self.find_normals(lanes, mesh);
        is_whole
    }

    /// Walks around a corner, to a border or once around. False if there are more triangles than room.
    #[inline(always)]
    fn walk_forwards(
        &mut self,
        mesh: &MeshTriangles<'_>,
        start: &MeshTriangle,
        corner: usize,
    ) -> bool {
        let place = start.corners[corner];
        (self.len, self.outer_len, self.is_closed) = (0, 0, false);
        let first = corner;
        let (mut side, mut corner) = (*start, corner);
        while self.len < N {
            // The edge that ends at the corner is the edge of the next triangle that begins there.
            let edge = (corner + 2) % 3;
            self.triangles[self.len] = side.triangle;
            self.len += 1;
            self.add_outer(side.corners[edge], place);
            let Some((next, begins)) = mesh.across(&side, edge) else {
                return self.add_outer(start.corners[(first + 1) % 3], place);
            };
            if next.triangle == start.triangle {
                self.is_closed = true;
                return true;
            }
            (side, corner) = (next, begins);
        }
        false
    }

    /// The normals, and which of them support.
    #[inline(always)]
    fn find_normals<L: Lanes>(&mut self, lanes: L, mesh: &MeshTriangles<'_>) {
        let mut columns = CornerColumns::default();
        let mut at = 0;
        while at < self.len {
            let count = MAX_LANES.min(self.len - at);
            let mut k = 0;
            while k < count {
                columns.set(k, mesh.corners(self.triangles[at + k]));
                k += 1;
            }
            let mut normals = [[0.0; MAX_LANES + 1]; 3];
            unit_normals(lanes, &columns.0, count, &mut normals);
            let mut x = 0;
            while x < 3 {
                let mut k = 0;
                while k < count {
                    self.normals[x][at + k] = normals[x][k];
                    k += 1;
                }
                x += 1;
            }
            at += count;
        }
        self.supporting = [0; 2];
        let mut k = 0;
        while k < self.len {
            let normal = self.normal(k);
            let is_zero = normal.dot(normal) <= 0.0;
            for (side, normal) in [normal, -normal].into_iter().enumerate() {
                let is_supporting = !is_zero && self.rising(lanes, normal) == 0;
                self.supporting[side] |= u64::from(is_supporting) << k;
            }
            k += 1;
        }
    }
}
