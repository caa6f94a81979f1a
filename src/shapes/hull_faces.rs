//! Faces and edges of the convex hulls of up to 64 points, by exact predicates.
//!
//! Gift wrapping: the first face is a plane through the lexicographically smallest point with all points on one side. Across each
//! edge of a face lies the face through the point that all others are below of. Every decision is the sign of [`side`] or
//! [`normal`], which are exact, so any input has the faces of exactly these floats: coplanar points share one face, and equal,
//! collinear and interior points are no corners.
//!
//! Hulls that are not solid have pseudo-faces, so that users need no special cases:
//!
//! - **Coplanar points** have both sides of their polygon, and for each edge of the polygon a face that contains it, with a normal
//!   in the plane.
//! - **Collinear points** have four faces that contain their segment, with normals perpendicular to it and to each other.
//! - **Equal points** have a face per direction of an axis, and no edges.

use alloc::vec::Vec;

use super::orientation::{normal, side, unit_f64};

/// Maximum number of points.
const MAX_POINTS: usize = 64;
/// Maximum number of faces: 2 V − 4 of triangles. Polygons with 64 corners have 66, see the pseudo-faces.
const MAX_FACES: usize = 2 * MAX_POINTS - 4;
/// Number of planes of a block.
const BLOCK: usize = 16;
/// No face.
const NONE: u8 = u8::MAX;

/// Faces and edges of the convex hull of some points. Points are given by their index; of equal points, the first is the corner.
#[derive(Clone)]
pub struct HullFaces {
    faces: Vec<HullFace>,
    corners: Vec<u8>,
    edges: Vec<HullEdge>,
    planes: Vec<PlaneBlock>,
    middle: [f32; 3],
    around: Vec<u8>,
    at: Vec<[u16; 2]>,
}

/// A face: a convex polygon.
#[derive(Clone, Copy, Debug)]
pub struct HullFace {
    /// Unit normal, outward. Its length is within 2⁻⁴⁷ of 1, its direction right to 2⁻²⁶.
    pub normal: [f64; 3],
    /// Largest product of the normal and a point, in `f64`.
    pub offset: f64,
    /// Index of the first corner.
    pub first: u16,
    /// Number of corners.
    pub len: u8,
}

/// An edge between two faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullEdge {
    /// The corners at its ends. They follow each other in this order in the first face, in reverse order in the second face.
    pub ends: [u8; 2],
    /// Indices of both faces, at most 123.
    pub faces: [u8; 2],
}

/// x, y and z of 16 unit normals, and 16 offsets.
pub type PlaneBlock = [[f32; BLOCK]; 4];

/// The plane that fills up the last block: the product of its normal and a point, less its offset, is never the largest.
const NO_PLANE: ([f32; 3], f32) = ([0.0; 3], f32::MAX / 4.0);

/// The faces of a kind of hulls.
#[derive(Clone, Copy, Default)]
pub struct FacesRef<'a> {
    pub faces: &'a [HullFace],
    /// Corners of all faces, counterclockwise seen from outside.
    pub corners: &'a [u8],
    pub edges: &'a [HullEdge],
    /// The planes of the faces, rounded. Planes that fill up the last block have normal 0 and a huge offset.
    pub planes: &'a [PlaneBlock],
    /// Mean of the corners.
    pub middle: [f32; 3],
    /// Faces whose planes contain a point, for all points.
    around: &'a [u8],
    /// Index of the first one and number of these faces, for each point.
    at: &'a [[u16; 2]],
}

impl<'a> FacesRef<'a> {
    /// The corners of a face, counterclockwise seen from outside; none past the end.
    #[inline]
    pub fn corners_of(&self, face: usize) -> &'a [u8] {
        self.faces.get(face).map_or(&[], |face| {
            &self.corners[usize::from(face.first)..][..usize::from(face.len)]
        })
    }

    /// The faces whose planes contain a point, in ascending order: none if it is inside the hull.
    #[inline]
    pub fn around(&self, point: usize) -> &'a [u8] {
        self.at.get(point).map_or(&[], |&[first, len]| {
            &self.around[usize::from(first)..][..usize::from(len)]
        })
    }
}

impl HullFaces {
    /// The faces of 1 to 64 points with valid coordinates. Further points are ignored.
    pub fn new(points: &[[f32; 3]]) -> Self {
        let points = &points[..points.len().min(MAX_POINTS)];
        let (mut maker, first_of) = Maker::new(points);
        maker.fill();
        maker.finish(&first_of)
    }

    pub fn view(&self) -> FacesRef<'_> {
        FacesRef {
            faces: &self.faces,
            corners: &self.corners,
            edges: &self.edges,
            planes: &self.planes,
            middle: self.middle,
            around: &self.around,
            at: &self.at,
        }
    }
}

/// Faces so far.
struct Maker<'p> {
    points: &'p [[f32; 3]],
    /// Set of points: the first of equal ones.
    all: u64,
    faces: Vec<HullFace>,
    corners: Vec<u8>,
    edges: Vec<HullEdge>,
    /// Set of points in the plane of each face, without equal ones.
    on: Vec<u64>,
}

impl<'p> Maker<'p> {
    /// No faces yet; and for each point the first one that is equal to it.
    fn new(points: &'p [[f32; 3]]) -> (Self, [u8; MAX_POINTS]) {
        let mut first_of = [0; MAX_POINTS];
        let mut all = 0;
        for (k, point) in points.iter().enumerate() {
            let first = points.iter().position(|other| other == point).unwrap_or(k);
            first_of[k] = first as u8;
            all |= 1 << first;
        }
        let maker = Maker {
            points,
            all,
            faces: Vec::new(),
            corners: Vec::new(),
            edges: Vec::new(),
            on: Vec::new(),
        };
        (maker, first_of)
    }

    fn point(&self, k: u8) -> [f32; 3] {
        self.points.get(usize::from(k)).copied().unwrap_or_default()
    }

    fn normal(&self, corners: [u8; 3]) -> [f64; 3] {
        normal(corners.map(|k| self.point(k)))
    }

    fn side(&self, corners: [u8; 3], of: u8) -> f64 {
        let [a, b, c] = corners;
        side([a, b, c, of].map(|k| self.point(k)))
    }

    /// Finds the faces.
    fn fill(&mut self) {
        let (least, most) = self.ends();
        let others = members(self.all & !bit(least) & !bit(most));
        let off_line = |k: &u8| self.normal([least, most, *k]) != [0.0; 3];
        if least == most {
            self.add_point(least);
        } else if let Some(third) = others.clone().find(off_line) {
            let corners = [least, most, third];
            if others.clone().any(|k| self.side(corners, k) != 0.0) {
                self.add_solid(least);
            } else {
                self.add_polygon(corners);
            }
        } else {
            self.add_segment([least, most]);
        }
    }

    /// The first and the last point in lexicographic order: corners of every face that contains them.
    fn ends(&self) -> (u8, u8) {
        let (mut least, mut most) = (0, 0);
        for k in members(self.all) {
            let point = self.point(k);
            if point < self.point(least) {
                least = k;
            }
            if point > self.point(most) {
                most = k;
            }
        }
        (least, most)
    }

    fn add_face(&mut self, normal: [f64; 3], corners: &[u8], on: u64) {
        let offset = members(self.all).fold(f64::NEG_INFINITY, |most, k| {
            let product = dot(normal, self.point(k).map(f64::from));
            if product > most { product } else { most }
        });
        self.faces.push(HullFace {
            normal,
            offset,
            first: self.corners.len() as u16,
            len: corners.len() as u8,
        });
        self.corners.extend_from_slice(corners);
        self.on.push(on);
    }

    fn add_point(&mut self, point: u8) {
        for axis in 0..3 {
            for sign in [1.0, -1.0] {
                let mut normal = [0.0; 3];
                normal[axis] = sign;
                self.add_face(normal, &[point], self.all);
            }
        }
    }

    fn add_segment(&mut self, ends: [u8; 2]) {
        let along = self.direction(ends);
        let mut least = 0;
        for k in 1..3 {
            if along[k].abs() < along[least].abs() {
                least = k;
            }
        }
        let mut axis = [0.0; 3];
        axis[least] = 1.0;
        let across = unit_f64(cross(along, axis));
        let up = unit_f64(cross(along, across));
        for normal in [across, up, neg(across), neg(up)] {
            self.add_face(normal, &ends, self.all);
        }
        for faces in [[0, 1], [1, 2], [2, 3], [3, 0]] {
            self.edges.push(HullEdge { ends, faces });
        }
    }

    /// Adds both sides of a polygon and its edges. The first of three points is one of its corners.
    fn add_polygon(&mut self, corners: [u8; 3]) {
        let reference = self.normal(corners);
        let (mut ring, len) = self.ring(self.all, corners[0], reference);
        let ring = &mut ring[..len];
        let up = self.unit_normal(ring);
        self.add_face(up, ring, self.all);
        ring.reverse();
        self.add_face(neg(up), ring, self.all);
        ring.reverse();
        for k in 0..len {
            let ends = [ring[k], ring[(k + 1) % len]];
            let outward = unit_f64(cross(self.direction(ends), up));
            let face = self.faces.len() as u8;
            for faces in [[0, face], [face, 1]] {
                self.edges.push(HullEdge { ends, faces });
            }
            let on = self.line(ends, self.all);
            self.add_face(outward, &ends, on);
        }
    }

    /// Unit vector from one point to another.
    fn direction(&self, [from, to]: [u8; 2]) -> [f64; 3] {
        let (from, to) = (self.point(from), self.point(to));
        unit_f64([0, 1, 2].map(|k| f64::from(to[k]) - f64::from(from[k])))
    }

    /// Adds the faces of points that are not coplanar, given a corner.
    fn add_solid(&mut self, corner: u8) {
        let Some([a, b, c]) = self.first_triangle(corner) else {
            return;
        };
        let plane = members(self.all).filter(|k| self.side([a, b, c], *k) == 0.0);
        let plane = plane.fold(0, |set, k| set | bit(k));
        // Face with each directed edge.
        let mut owner = [[NONE; MAX_POINTS]; MAX_POINTS];
        self.add_facet([a, b, c], plane, &mut owner);
        let mut face = 0;
        while face < self.faces.len() {
            let HullFace { first, len, .. } = self.faces[face];
            let (first, len) = (usize::from(first), usize::from(len));
            for k in 0..len {
                let (p, q) = (self.corners[first + k], self.corners[first + (k + 1) % len]);
                let twin = &owner[usize::from(q)][usize::from(p)];
                if *twin == NONE {
                    if self.faces.len() == MAX_FACES {
                        return;
                    }
                    let (third, plane) = self.wrapped([q, p], self.on[face]);
                    self.add_facet([q, p, third], plane, &mut owner);
                }
                let twin = owner[usize::from(q)][usize::from(p)];
                // Each edge once, by the face with the smaller index.
                if usize::from(twin) > face && twin != NONE {
                    self.edges.push(HullEdge {
                        ends: [p, q],
                        faces: [face as u8, twin],
                    });
                }
            }
            face += 1;
        }
    }

    /// Three points with no point above them, given a corner.
    fn first_triangle(&self, a: u8) -> Option<[u8; 3]> {
        for b in members(self.all & !bit(a)) {
            // Greater than b.
            for c in members(self.all & !bit(a) & !(bit(b) | (bit(b) - 1))) {
                let (mut some_above, mut some_below) = (false, false);
                for k in members(self.all & !bit(a) & !bit(b) & !bit(c)) {
                    let side = self.side([a, b, c], k);
                    some_above |= side > 0.0;
                    some_below |= side < 0.0;
                    if some_above && some_below {
                        break;
                    }
                }
                // Neither: the points are collinear.
                match (some_above, some_below) {
                    (false, true) => return Some([a, b, c]),
                    (true, false) => return Some([a, c, b]),
                    _ => {}
                }
            }
        }
        None
    }

    /// The plane across an edge of a face, the edge reversed and given the points in the plane of the face: a third point and all
    /// points in the plane.
    fn wrapped(&self, [q, p]: [u8; 2], on: u64) -> (u8, u64) {
        let off = self.all & !on;
        let mut third = off.trailing_zeros() as u8;
        let mut plane = bit(third);
        for k in members(off & !bit(third)) {
            let side = self.side([q, p, third], k);
            if side > 0.0 {
                // The points before it are now below.
                (third, plane) = (k, bit(k));
            } else if side == 0.0 {
                plane |= bit(k);
            }
        }
        (third, plane | self.line([q, p], on))
    }

    /// The points of a set in a line.
    fn line(&self, [p, q]: [u8; 2], set: u64) -> u64 {
        let ends = bit(p) | bit(q);
        let inner = members(set & !ends).filter(|k| self.normal([p, q, *k]) == [0.0; 3]);
        inner.fold(ends, |set, k| set | bit(k))
    }

    /// Adds the face through three points, given the points in its plane. The first is a corner of the face.
    fn add_facet(
        &mut self,
        triangle: [u8; 3],
        plane: u64,
        owner: &mut [[u8; MAX_POINTS]; MAX_POINTS],
    ) {
        let (ring, len) = if plane.count_ones() == 3 {
            let mut ring = [0; MAX_POINTS];
            ring[..3].copy_from_slice(&triangle);
            (ring, 3)
        } else {
            self.ring(plane, triangle[0], self.normal(triangle))
        };
        let ring = &ring[..len];
        for k in 0..len {
            let (p, q) = (usize::from(ring[k]), usize::from(ring[(k + 1) % len]));
            owner[p][q] = self.faces.len() as u8;
        }
        self.add_face(self.unit_normal(ring), ring, plane);
    }

    /// The corners of the polygon of coplanar points, counterclockwise around their normal, given its first corner.
    fn ring(&self, plane: u64, first: u8, normal: [f64; 3]) -> ([u8; MAX_POINTS], usize) {
        let mut ring = [first; MAX_POINTS];
        let mut len = 1;
        while len < MAX_POINTS {
            let last = ring[len - 1];
            let others = plane & !bit(last);
            let mut next = others.trailing_zeros() as u8;
            for k in members(others & !bit(next)) {
                // Normals of coplanar triangles are parallel, so the sign is certain.
                let turn = dot(self.normal([last, next, k]), normal);
                if turn < 0.0 || turn == 0.0 && self.is_farther(last, next, k) {
                    next = k;
                }
            }
            if next == first {
                break;
            }
            ring[len] = next;
            len += 1;
        }
        (ring, len)
    }

    /// Whether, of two points in a ray, the second is farther from its origin.
    fn is_farther(&self, origin: u8, near: u8, far: u8) -> bool {
        let (origin, near, far) = (self.point(origin), self.point(near), self.point(far));
        (0..3).any(|k| {
            near[k] > origin[k] && far[k] > near[k] || near[k] < origin[k] && far[k] < near[k]
        })
    }

    /// The unit normal of a polygon: that of the largest triangle of its first corner and the corner farthest from it.
    fn unit_normal(&self, ring: &[u8]) -> [f64; 3] {
        let first = ring[0];
        let (mut farthest, mut most) = (first, 0.0);
        for &k in ring {
            let difference = [0, 1, 2].map(|axis| {
                f64::from(self.point(k)[axis]) - f64::from(self.point(first)[axis])
            });
            let squared = dot(difference, difference);
            if squared > most {
                (farthest, most) = (k, squared);
            }
        }
        let (mut best, mut most, mut is_before) = ([0.0; 3], 0.0, true);
        for &k in ring {
            if k == farthest {
                is_before = false;
            }
            let corners = if is_before {
                [first, k, farthest]
            } else {
                [first, farthest, k]
            };
            let normal = self.normal(corners);
            let squared = dot(normal, normal);
            if squared > most {
                (best, most) = (normal, squared);
            }
        }
        unit_f64(best)
    }

    /// The faces, given for each point the first one that is equal to it.
    fn finish(self, first_of: &[u8; MAX_POINTS]) -> HullFaces {
        let corners = self.corners.iter().fold(0, |set, k| set | bit(*k));
        let mut sum = [0.0; 3];
        for k in members(corners) {
            for (sum, x) in sum.iter_mut().zip(self.point(k)) {
                *sum += f64::from(x);
            }
        }
        let count = f64::from(corners.count_ones().max(1));
        let (mut around, mut at) = (Vec::new(), Vec::new());
        for &first in &first_of[..self.points.len()] {
            let start = around.len();
            for (face, on) in self.on.iter().enumerate() {
                if on & bit(first) != 0 {
                    around.push(face as u8);
                }
            }
            at.push([start as u16, (around.len() - start) as u16]);
        }
        let mut planes = Vec::new();
        for block in self.faces.chunks(BLOCK) {
            let mut columns = [[0.0; BLOCK]; 4];
            for k in 0..BLOCK {
                let plane = |face: &HullFace| (face.normal.map(|x| x as f32), face.offset as f32);
                let ([x, y, z], offset) = block.get(k).map_or(NO_PLANE, plane);
                for (column, value) in columns.iter_mut().zip([x, y, z, offset]) {
                    column[k] = value;
                }
            }
            planes.push(columns);
        }
        HullFaces {
            faces: self.faces,
            corners: self.corners,
            edges: self.edges,
            planes,
            middle: sum.map(|x| (x / count) as f32),
            around,
            at,
        }
    }
}

/// The set of one point.
fn bit(k: u8) -> u64 {
    1u64.checked_shl(u32::from(k)).unwrap_or(0)
}

/// The points of a set, in ascending order.
fn members(set: u64) -> impl Iterator<Item = u8> + Clone {
    let mut rest = set;
    core::iter::from_fn(move || {
        let k = rest.trailing_zeros() as u8;
        let is_some = rest != 0;
        rest &= rest.wrapping_sub(1);
        is_some.then_some(k)
    })
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn neg(a: [f64; 3]) -> [f64; 3] {
    a.map(|x| -x)
}
