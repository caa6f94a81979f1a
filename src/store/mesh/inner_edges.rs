//! Arcs of the edges of a mesh: the normals that contacts there may have.
//!
//! A shape that slides over a mesh touches edges between triangles. A kernel sees one triangle without its neighbours,
//! so the normals at edges may point in any direction. Each edge has an *arc* of valid normals instead. At a flat or
//! concave edge it is the triangle's normal. At a convex edge it extends from the triangle's normal to its neighbour's.
//! At a border it contains every normal. A corner has the arcs of all edges that end there, also the edges of other
//! triangles. At the end of a wall's top, the roof's normal is right for every triangle. If a normal is outside all
//! arcs of the touched feature, the contact gets the nearest normal of these arcs. Its separation and points are
//! recomputed along that normal.
//!
//! The contact is kept, and the separation along any normal is never above the exact separation. So no contact is lost,
//! and no shape falls through. The normal is the same on both sides of a flat edge, so no shape bumps.
//!
//! A mesh has two sides, and from below, ridges are valleys. The side of an edge is the side of the wedge between its
//! triangles on which the shape's center is. The center is above a ridge if it is above either plane, above a valley if
//! it is above both.

use crate::lane::{Float, Lanes, MAX_LANES, Mask, One, Vec3, select, splat};
use crate::math::exact::{normal, unit, unit_normals};
use crate::shapes::triangle::LongestEdge;
use crate::store::columns::AnyColumns;
use crate::store::mesh::adjacency::{EdgeKind, Edges, NONE};

/// Maximum depth, along the normal, of a touched corner below the first corner, relative to the longest edge.
const TOUCHES: f32 = 1.0 / 4096.0;
/// Squared distance from its arc up to which a normal is unchanged: 64 u, more than the error of kernels.
const NEAR: f32 = 1.0 / (1u64 << 36) as f32;

/// The triangles of a mesh, and their edges.
#[derive(Clone, Copy)]
pub struct MeshTriangles<'s> {
    columns: &'s AnyColumns<'s>,
    edges: &'s Edges,
}

impl<'s> MeshTriangles<'s> {
    /// The triangles of these columns, if the columns belong to a mesh.
    pub fn of(columns: &'s AnyColumns<'s>) -> Option<Self> {
        let edges = columns.edges()?;
        Some(MeshTriangles { columns, edges })
    }
}

impl MeshTriangles<'_> {
    fn corners(&self, triangle: u32) -> [[f32; 3]; 3] {
        let [ax, ay, az, bx, by, bz, cx, cy, cz] = self.columns.numbers_of(triangle as usize);
        [[ax, ay, az], [bx, by, bz], [cx, cy, cz]]
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

    /// Bits of the contacts whose direction, from a triangle to a shape, is neither the triangle's normal nor its
    /// opposite. Their arcs have to be tested. This test is cheap, since most contacts are on faces.
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
        near.lt(across.dot(across)).bits()
    }

    /// Clamps the directions of contacts, from triangles to shapes: a direction outside all arcs becomes the nearest
    /// direction of the arcs. `centers` are the centers of the shapes, relative to the corners at which the frames of
    /// the triangles begin. Returns the bits of the clamped contacts.
    #[inline(always)]
    pub fn clamp<L: Lanes>(
        &self,
        lanes: L,
        rings: &mut Rings,
        triangles: &[u32],
        outward: &mut [[f32; MAX_LANES]; 3],
        centers: &[[f32; MAX_LANES]; 3],
    ) -> u64 {
        let columns = self.gathered(triangles);
        let corners = columns.corners(lanes);
        let frame = LongestEdge::of(corners);
        let in_lanes = ContactView {
            outward: load(lanes, outward, 0),
            center: load(lanes, centers, 0) + frame.corner,
        };
        let mut centers = [[0.0; MAX_LANES]; 3];
        let mut x = 0;
        while x < 3 {
            lanes.store(in_lanes.center.0[x], &mut centers[x]);
            x += 1;
        }
        let touched = touched(lanes, corners, in_lanes.outward);
        let mut clamped = 0;
        let mut lane = 0;
        while lane < triangles.len().min(MAX_LANES) {
            let side = MeshTriangle {
                triangle: triangles[lane],
                corners: columns.get(lane),
            };
            let view = ContactView {
                outward: number(outward, lane),
                center: number(&centers, lane),
            };
            let touched = touched.map(|bits| bits >> lane & 1 == 1);
            if let Some((Vec3(to), _)) = self.nearest(lanes, rings, &side, touched, view) {
                let off = Vec3(to) - view.outward;
                if NEAR < off.dot(off) {
                    let mut x = 0;
                    while x < 3 {
                        outward[x][lane] = to[x];
                        x += 1;
                    }
                    clamped |= 1 << lane;
                }
            }
            lane += 1;
        }
        clamped
    }

    /// The nearest direction of the arcs of the feature that a shape touches; `None` if its arcs contain all
    /// directions. The feature is given by its corners.
    #[inline(always)]
    fn nearest<L: Lanes>(
        &self,
        lanes: L,
        rings: &mut Rings,
        side: &MeshTriangle,
        touched: [bool; 3],
        view: ContactView<f32>,
    ) -> Option<Clamped<f32>> {
        let [a, b, c] = touched;
        let corner = match (a, b, c) {
            (true, false, false) => 0,
            (false, true, false) => 1,
            (false, false, true) => 2,
            (false, false, false) => return None,
            _ => return self.nearest_of_edges(lanes, side, [a & b, b & c, c & a], view),
        };
        match rings.nearest(lanes, self, (side, corner), view) {
            Around::Nearest(nearest) => Some(nearest),
            Around::Open => None,
            Around::Unkept => self.nearest_of_corner(side, corner, view),
        }
    }

    fn side(&self, triangle: u32) -> MeshTriangle {
        let corners = self.corners(triangle);
        MeshTriangle { triangle, corners }
    }

    /// The kind of an edge as a number.
    pub fn kind(&self, side: &MeshTriangle, edge: usize) -> f32 {
        self.edges.kind(side.triangle, edge) as u8 as f32
    }

    /// The triangle beyond an edge; `None` for a border.
    fn beyond(&self, side: &MeshTriangle, edge: usize) -> Option<u32> {
        let beyond = self.edges.neighbours[side.triangle as usize][edge];
        let is_border = self.edges.kind(side.triangle, edge) == EdgeKind::Border;
        (!is_border && beyond != NONE).then_some(beyond)
    }

    /// The triangle beyond an edge, and the index of the edge in it. `None` for a border, or if the indices of the
    /// triangles do not match.
    #[inline]
    pub fn across(&self, side: &MeshTriangle, edge: usize) -> Option<(MeshTriangle, usize)> {
        let beyond = self.beyond(side, edge)?;
        let back = self.edges.neighbours.get(beyond as usize)?;
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

    /// The nearest direction of the arcs of the edges that a shape touches; `None` if one of them is a border.
    #[inline(always)]
    fn nearest_of_edges<L: Lanes>(
        &self,
        lanes: L,
        side: &MeshTriangle,
        edges: [bool; 3],
        view: ContactView<f32>,
    ) -> Option<Clamped<f32>> {
        // The triangle, and the triangles beyond its edges.
        let mut columns = CornerColumns::default();
        columns.set(0, side.corners);
        let (mut starts, mut ends) = ([[0.0; MAX_LANES]; 3], [[0.0; MAX_LANES]; 3]);
        let (mut kinds, mut count) = ([0.0; MAX_LANES], 0);
        let mut edge = 0;
        while edge < 3 {
            if edges[edge] {
                let beyond = self.beyond(side, edge)?;
                let (from, to) = (side.corners[edge], side.corners[(edge + 1) % 3]);
                let mut x = 0;
                while x < 3 {
                    (starts[x][count], ends[x][count]) = (from[x], to[x]);
                    x += 1;
                }
                kinds[count] = self.kind(side, edge);
                count += 1;
                columns.set(count, self.corners(beyond));
            }
            edge += 1;
        }
        let mut normals = [[0.0; MAX_LANES + 1]; 3];
        unit_normals(lanes, &columns.0, count + 1, &mut normals);
        let view = view.in_lanes(lanes);
        let (mut best, mut at) = (None, 0);
        while at < count {
            let wedge = Wedge {
                own: splat(lanes, number(&normals, 0).0),
                other: load(lanes, &normals, at + 1),
                from: load(lanes, &starts, at),
                to: load(lanes, &ends, at),
                kind: lanes.load(&kinds[at..]),
            };
            let [own, _] = wedge.nearest(lanes, view);
            let own = Directions::of(lanes, own);
            let mut k = 0;
            while k < L::COUNT.min(count - at) {
                best = Some(nearest(best, own.get(k)));
                k += 1;
            }
            at += L::COUNT;
        }
        best
    }

    /// The nearest direction of the arcs of all edges around a corner; `None` if one of them is a border.
    #[cold]
    fn nearest_of_corner(
        &self,
        start: &MeshTriangle,
        corner: usize,
        view: ContactView<f32>,
    ) -> Option<Clamped<f32>> {
        let (mut side, mut corner) = (*start, corner);
        let mut normal = side.normal();
        let mut best = None;
        for _ in 0..AROUND {
            // The edge that ends at the corner is the edge of the next triangle that begins there.
            let edge = (corner + 2) % 3;
            let (next, begins) = self.across(&side, edge)?;
            let beyond = next.normal();
            let wedge = self.wedge(&side, edge, [normal, beyond]);
            for direction in wedge.nearest(One, view) {
                best = Some(nearest(best, direction));
            }
            if next.triangle == start.triangle {
                break;
            }
            (side, corner, normal) = (next, begins, beyond);
        }
        best
    }

    fn wedge(&self, side: &MeshTriangle, edge: usize, [own, other]: [Vec3<f32>; 2]) -> Wedge<f32> {
        Wedge {
            own,
            other,
            from: Vec3(side.corners[edge]),
            to: Vec3(side.corners[(edge + 1) % 3]),
            kind: self.kind(side, edge),
        }
    }
}

/// Maximum number of visited triangles around a corner.
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

/// Directions and their cosines, one in each lane.
#[derive(Default)]
pub struct Directions([[f32; MAX_LANES]; 4]);

impl Directions {
    #[inline(always)]
    pub fn of<L: Lanes>(lanes: L, (direction, cosine): Clamped<L::F>) -> Self {
        let mut directions = Directions::default();
        directions.set(lanes, 0, (direction, cosine));
        directions
    }

    #[inline(always)]
    pub fn set<L: Lanes>(&mut self, lanes: L, at: usize, (direction, cosine): Clamped<L::F>) {
        let [x, y, z] = direction.0;
        lanes.store(x, &mut self.0[0][at..]);
        lanes.store(y, &mut self.0[1][at..]);
        lanes.store(z, &mut self.0[2][at..]);
        lanes.store(cosine, &mut self.0[3][at..]);
    }

    #[inline(always)]
    pub fn get(&self, lane: usize) -> Clamped<f32> {
        let [x, y, z, cosine] = &self.0;
        (Vec3([x[lane], y[lane], z[lane]]), cosine[lane])
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

/// A contact in each lane: the direction from the triangle to the shape, and the center of the shape.
#[derive(Clone, Copy)]
pub struct ContactView<F> {
    pub outward: Vec3<F>,
    pub center: Vec3<F>,
}

impl ContactView<f32> {
    /// Broadcasts the contact to all lanes.
    #[inline(always)]
    pub fn in_lanes<L: Lanes>(self, lanes: L) -> ContactView<L::F> {
        ContactView {
            outward: splat(lanes, self.outward.0),
            center: splat(lanes, self.center.0),
        }
    }
}

/// An edge in each lane, with the unit normals of its triangle and of the triangle beyond.
#[derive(Clone, Copy)]
pub struct Wedge<F> {
    pub own: Vec3<F>,
    pub other: Vec3<F>,
    pub from: Vec3<F>,
    pub to: Vec3<F>,
    /// The [kind](EdgeKind) as a number.
    pub kind: F,
}

/// A direction of an arc, and its cosine with the direction to clamp.
pub type Clamped<F> = (Vec3<F>, F);

impl<F: Float> Wedge<F> {
    /// The nearest direction of the arc, for the triangle and for the triangle beyond.
    ///
    /// Cosines are never NaN: an edge too short for a reciprocal leaves only the ends of the arc.
    #[inline(always)]
    pub fn nearest<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        ContactView { outward, center }: ContactView<F>,
    ) -> [Clamped<F>; 2] {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let Wedge {
            own,
            other,
            from,
            to,
            kind,
        } = self;
        let convex = lanes.splat(EdgeKind::Convex as u8 as f32);
        let concave = lanes.splat(EdgeKind::Concave as u8 as f32);
        let (is_convex, is_concave) = (kind.le(convex) & convex.le(kind), concave.le(kind));
        let is_bent = is_convex | is_concave;

        let center = center - from;
        let (above_own, above_other) = (zero.le(center.dot(own)), zero.le(center.dot(other)));
        let (either, both) = (above_own | above_other, above_own & above_other);
        let of_wedge = (is_convex & either) | (is_concave & both);
        let is_above = of_wedge | (!is_bent & above_own);
        let is_above_other = of_wedge | (!is_bent & above_other);
        let own = select(is_above, own, -own);
        let other = select(is_above_other, other, -other);
        let ends = [(own, own.dot(outward)), (other, other.dot(outward))];
        let is_ridge = (is_convex & is_above) | (is_concave & !is_above);

        let along = to - from;
        let along = along * (one / along.abs().largest());
        let turned = outward - along * (outward.dot(along) / along.dot(along));
        let axis = own.cross(other);
        let is_between =
            zero.le(own.cross(turned).dot(axis)) & zero.le(turned.cross(other).dot(axis));
        let length = turned.dot(turned).sqrt();
        let is_turned = is_between & zero.lt(length);
        let turned = turned * (one / length);
        let turned = (turned, turned.dot(outward));
        let nearest = choose(is_turned, turned, nearer(ends[0], ends[1]));
        [
            choose(is_ridge, nearest, ends[0]),
            choose(is_ridge, nearest, ends[1]),
        ]
    }
}

/// `if mask { a } else { b }`
#[inline(always)]
fn choose<F: Float>(mask: F::Mask, a: Clamped<F>, b: Clamped<F>) -> Clamped<F> {
    (select(mask, a.0, b.0), a.1.select(mask, b.1))
}

/// The nearer of two directions; the first of equals.
#[inline(always)]
pub fn nearer<F: Float>(best: Clamped<F>, other: Clamped<F>) -> Clamped<F> {
    choose(other.1.le(best.1), best, other)
}

fn nearest(best: Option<Clamped<f32>>, other: Clamped<f32>) -> Clamped<f32> {
    best.map_or(other, |best| nearer(best, other))
}

/// Maximum number of triangles of a cached ring.
pub const MOST: usize = MAX_LANES;

/// Number of cached rings.
const KEPT: usize = 8;

/// Triangles around a corner, each with the edge that ends there.
#[derive(Clone, Copy, Default)]
struct Ring {
    len: usize,
    triangles: [u32; MOST],
    /// Kinds of the edges.
    kinds: [f32; MOST],
    /// Start points of the edges.
    starts: [[f32; MOST]; 3],
    /// Unit normals of the triangles. The first follows the last again, since the triangle beyond an edge is the next
    /// triangle.
    normals: [[f32; MOST + 1]; 3],
}

/// Result of the walk around a corner.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    /// The ring is closed.
    Closed,
    /// One of the edges has no neighbour.
    Open,
    /// There are too many triangles to cache, or zeros of both signs.
    Other,
}

/// Result of a search around a corner.
pub enum Around {
    /// The direction nearest to that of the contact.
    Nearest(Clamped<f32>),
    /// One of the edges is a border.
    Open,
    /// The ring is not cached: the caller has to walk around the corner.
    Unkept,
}

/// The last rings.
#[derive(Default)]
pub struct Rings {
    /// Bits of the corners of the rings.
    keys: [[u32; 3]; KEPT],
    rings: [Ring; KEPT],
    /// Place of the last found ring.
    last: usize,
    /// Place of the next ring to replace.
    next: usize,
}

impl Rings {
    /// The direction nearest to that of a contact among all arcs around a corner of a triangle.
    #[inline(always)]
    pub fn nearest<L: Lanes>(
        &mut self,
        lanes: L,
        mesh: &MeshTriangles<'_>,
        (side, corner): (&MeshTriangle, usize),
        view: ContactView<f32>,
    ) -> Around {
        let key = bits(side.corners[corner]);
        if let Some(first) = self.find(key, side.triangle) {
            return Around::Nearest(self.rings[self.last].nearest(lanes, key, first, view));
        }
        let place = self.next;
        let ring = &mut self.rings[place];
        ring.len = 0;
        match ring.walk(lanes, mesh, side, corner) {
            Walk::Open => return Around::Open,
            Walk::Other => return Around::Unkept,
            Walk::Closed => {}
        }
        self.keys[place] = key;
        (self.last, self.next) = (place, (place + 1) % KEPT);
        Around::Nearest(self.rings[place].nearest(lanes, key, 0, view))
    }

    /// Finds the ring of a triangle around a corner, and the place of the triangle in it.
    #[inline(always)]
    fn find(&mut self, key: [u32; 3], triangle: u32) -> Option<usize> {
        let mut step = 0;
        while step < KEPT {
            let place = (self.last + step) % KEPT;
            if self.keys[place] == key
                && let Some(first) = self.rings[place].place_of(triangle)
            {
                self.last = place;
                return Some(first);
            }
            step += 1;
        }
        None
    }
}

impl Ring {
    #[inline(always)]
    fn place_of(&self, triangle: u32) -> Option<usize> {
        let mut k = 0;
        while k < self.len.min(MOST) {
            if self.triangles[k] == triangle {
                return Some(k);
            }
            k += 1;
        }
        None
    }

    /// Walks around a corner, from a triangle on.
    #[inline(always)]
    fn walk<L: Lanes>(
        &mut self,
        lanes: L,
        mesh: &MeshTriangles<'_>,
        start: &MeshTriangle,
        corner: usize,
    ) -> Walk {
        let key = bits(start.corners[corner]);
        let mut columns = CornerColumns::default();
        let (mut side, mut corner) = (*start, corner);
        let mut k = 0;
        while k < MOST {
            // The edge that ends at the corner is the edge of the next triangle that begins there.
            let edge = (corner + 2) % 3;
            self.triangles[k] = side.triangle;
            self.kinds[k] = mesh.kind(&side, edge);
            let mut x = 0;
            while x < 3 {
                self.starts[x][k] = side.corners[edge][x];
                x += 1;
            }
            columns.set(k, side.corners);
            let Some((next, begins)) = mesh.across(&side, edge) else {
                return Walk::Open;
            };
            if bits(next.corners[begins]) != key {
                return Walk::Other;
            }
            k += 1;
            if next.triangle == start.triangle {
                unit_normals(lanes, &columns.0, k, &mut self.normals);
                let mut x = 0;
                while x < 3 {
                    self.normals[x][k] = self.normals[x][0];
                    x += 1;
                }
                self.len = k;
                return Walk::Closed;
            }
            (side, corner) = (next, begins);
        }
        Walk::Other
    }

    /// The nearest direction of the arcs of all edges, the first of equals from edge `first` on.
    #[inline(always)]
    fn nearest<L: Lanes>(
        &self,
        lanes: L,
        corner: [u32; 3],
        first: usize,
        view: ContactView<f32>,
    ) -> Clamped<f32> {
        let view = view.in_lanes(lanes);
        let to = splat(lanes, corner.map(f32::from_bits));
        let mut directions = Directions::default();
        let mut at = 0;
        while at < self.len {
            let wedge = Wedge {
                own: load(lanes, &self.normals, at),
                other: load(lanes, &self.normals, at + 1),
                from: load(lanes, &self.starts, at),
                to,
                kind: lanes.load(&self.kinds[at..]),
            };
            let [own, other] = wedge.nearest(lanes, view);
            directions.set(lanes, at, nearer(own, other));
            at += L::COUNT;
        }
        let (mut best, mut k, mut step) = (directions.get(first), first, 1);
        while step < self.len {
            k += 1;
            if k == self.len {
                k = 0;
            }
            best = nearer(best, directions.get(k));
            step += 1;
        }
        best
    }
}

#[inline(always)]
fn bits(place: [f32; 3]) -> [u32; 3] {
    place.map(f32::to_bits)
}
