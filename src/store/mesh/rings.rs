//! Rings: the triangles around corners of a mesh, with their normals.
//!
//! The contacts of a shape touch few corners with many triangles, so the last rings are cached. A ring depends on the
//! mesh alone. Its arcs are searched one edge per lane.

use crate::lane::{Lanes, MAX_LANES, splat};
use crate::math::exact::unit_normals;
use crate::store::mesh::inner_edges::{
    Clamped, Columns, Directions, MeshTriangles, Side, View, Wedge, load, nearer,
};

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
        (side, corner): (&Side, usize),
        view: View<f32>,
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
        start: &Side,
        corner: usize,
    ) -> Walk {
        let key = bits(start.corners[corner]);
        let mut columns = Columns::default();
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
        view: View<f32>,
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
