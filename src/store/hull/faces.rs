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

use crate::math::dvec::{DVec3, WORLD, f64_max};
use crate::math::exact::{normal, side, unit_f64};
use crate::store::hull::discs::Discs;

/// Maximum number of points.
const MAX_POINTS: usize = 64;
/// Maximum number of faces: 2 V − 4 of triangles. Polygons with 64 corners have 66, see the pseudo-faces.
const MAX_FACES: usize = 2 * MAX_POINTS - 4;
/// Number of planes of a block.
const BLOCK: usize = 16;
/// Distance from the plane of a face up to which corners belong to its patch, in sums of the largest coordinates: some roundings.
const FLAT: f64 = 1.0 / (1u64 << 19) as f64;
/// No face.
const NONE: u8 = u8::MAX;

/// Faces and edges of the convex hull of some points. Points are given by their index; of equal points, the first is the corner.
#[derive(Clone)]
pub struct HullFaces {
    pub faces: Vec<HullFace>,
    /// Corners of all faces, counterclockwise seen from outside.
    pub corners: Vec<u8>,
    /// Corners of all patches that are larger than their face.
    patches: Vec<u8>,
    pub edges: Vec<HullEdge>,
    /// The planes of the faces of the edges, in blocks of 16 edges.
    pub edge_planes: Vec<EdgeBlock>,
    /// The planes of the faces, rounded. Planes that fill up the last block have normal 0 and a huge offset.
    pub planes: Vec<PlaneBlock>,
    /// Mean of the corners.
    pub middle: [f32; 3],
    /// Faces whose planes contain a point, for all points.
    around: Vec<u8>,
    /// Index of the first one and number of these faces, for each point.
    at: Vec<[u16; 2]>,
}

/// A face: a convex polygon.
#[derive(Clone, Copy, Debug)]
pub struct HullFace {
    /// Unit normal, outward. Its length is within 2⁻⁵⁰ of 1, its direction right to 2⁻²⁶.
    pub normal: DVec3,
    /// Largest product of the normal and a point, in `f64`.
    pub offset: f64,
    /// Index of the first corner.
    pub first: u16,
    /// Number of corners.
    pub len: u8,
    /// Range of `patches`: the corners of its patch. Empty if these are its own corners.
    pub patch: (u16, u8),
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
/// Planes of the first and of the second face of 16 edges.
pub type EdgeBlock = [PlaneBlock; 2];

/// The plane that fills up the last block: the product of its normal and a point, less its offset, is never the largest.
const NO_PLANE: ([f32; 3], f32) = ([0.0; 3], f32::MAX / 4.0);

/// The planes of the faces of up to 16 edges, given those of all faces. The last edge fills up the block.
pub fn edge_block(edges: &[HullEdge], planes: &[PlaneBlock]) -> EdgeBlock {
    let mut block = [[[0.0; BLOCK]; 4]; 2];
    for k in 0..BLOCK {
        let Some(edge) = edges.get(k).or(edges.last()) else {
            continue;
        };
        for (columns, face) in block.iter_mut().zip(edge.faces.map(usize::from)) {
            for (axis, column) in columns.iter_mut().enumerate() {
                column[k] = planes[face / BLOCK][axis][face % BLOCK];
            }
        }
    }
    block
}

impl HullFaces {
    /// No faces.
    pub const NONE: Self = HullFaces {
        faces: Vec::new(),
        corners: Vec::new(),
        patches: Vec::new(),
        edges: Vec::new(),
        edge_planes: Vec::new(),
        planes: Vec::new(),
        middle: [0.0; 3],
        around: Vec::new(),
        at: Vec::new(),
    };

    /// The corners of a face, counterclockwise seen from outside; none past the end.
    #[inline]
    pub fn corners_of(&self, face: usize) -> &[u8] {
        self.faces.get(face).map_or(&[], |face| {
            &self.corners[usize::from(face.first)..][..usize::from(face.len)]
        })
    }

    /// The corners of the patch of a face, counterclockwise seen from outside: the outline of all corners in its plane, up to
    /// roundings. Rounded coordinates split polygons into triangles, but a hull rests on the polygon. None past the end.
    #[inline]
    pub fn patch_of(&self, face: usize) -> &[u8] {
        self.faces.get(face).map_or(&[], |face| {
            let (first, len) = face.patch;
            match len {
                0 => &self.corners[usize::from(face.first)..][..usize::from(face.len)],
                _ => &self.patches[usize::from(first)..][..usize::from(len)],
            }
        })
    }

    /// The faces whose planes contain a point, in ascending order: none if it is inside the hull.
    #[inline]
    pub fn around(&self, point: usize) -> &[u8] {
        self.at.get(point).map_or(&[], |&[first, len]| {
            &self.around[usize::from(first)..][..usize::from(len)]
        })
    }
}

impl HullFaces {
    /// The faces of 1 to 64 points with valid coordinates. Further points are ignored.
    pub fn new(points: &[[f32; 3]]) -> Self {
        Self::of_kind(points, None)
    }

    /// The faces of points. If these are corners of discs, the planes are moved out to the discs.
    pub fn of_kind(points: &[[f32; 3]], discs: Option<Discs>) -> Self {
        let points = &points[..points.len().min(MAX_POINTS)];
        let (mut maker, first_of) = Maker::new(points);
        maker.fill();
        maker.add_patches();
        if let Some(discs) = discs {
            for HullFace { normal, offset, .. } in &mut maker.faces {
                *offset = f64_max(discs.support(*normal).most, *offset);
            }
        }
        maker.finish(&first_of)
    }
}

/// Faces so far.
struct Maker<'p> {
    points: &'p [[f32; 3]],
    /// Set of points: the first of equal ones.
    all: u64,
    faces: Vec<HullFace>,
    corners: Vec<u8>,
    patches: Vec<u8>,
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
            patches: Vec::new(),
            edges: Vec::new(),
            on: Vec::new(),
        };
        (maker, first_of)
    }

    fn point(&self, k: u8) -> [f32; 3] {
        self.points.get(usize::from(k)).copied().unwrap_or_default()
    }

    fn normal(&self, corners: [u8; 3]) -> DVec3 {
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
        let off_line = |k: &u8| self.normal([least, most, *k]) != DVec3::ZERO;
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

    fn add_face(&mut self, normal: DVec3, corners: &[u8], on: u64) {
        let offset = members(self.all).fold(f64::NEG_INFINITY, |most, k| {
            let product = normal.dot(DVec3::of(self.point(k)));
            if product > most { product } else { most }
        });
        self.faces.push(HullFace {
            normal,
            offset,
            first: self.corners.len() as u16,
            len: corners.len() as u8,
            patch: (0, 0),
        });
        self.corners.extend_from_slice(corners);
        self.on.push(on);
    }

    fn add_point(&mut self, point: u8) {
        for axis in 0..3 {
            for sign in [1.0, -1.0] {
                let mut normal = [0.0; 3];
                normal[axis] = sign;
                self.add_face(DVec3(normal), &[point], self.all);
            }
        }
    }

    fn add_segment(&mut self, ends: [u8; 2]) {
        let along = self.direction(ends);
        let across = unit_f64(along.cross(axis_across(along)));
        let up = unit_f64(along.cross(across));
        for normal in [across, up, -across, -up] {
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
        self.add_face(-up, ring, self.all);
        ring.reverse();
        for k in 0..len {
            let ends = [ring[k], ring[(k + 1) % len]];
            let outward = unit_f64(self.direction(ends).cross(up));
            let face = self.faces.len() as u8;
            for faces in [[0, face], [face, 1]] {
                self.edges.push(HullEdge { ends, faces });
            }
            let on = self.line(ends, self.all);
            self.add_face(outward, &ends, on);
        }
    }

    /// Unit vector from one point to another.
    fn direction(&self, [from, to]: [u8; 2]) -> DVec3 {
        unit_f64(DVec3::of(self.point(to)) - DVec3::of(self.point(from)))
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
        let inner = members(set & !ends).filter(|k| self.normal([p, q, *k]) == DVec3::ZERO);
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
    fn ring(&self, plane: u64, first: u8, normal: DVec3) -> ([u8; MAX_POINTS], usize) {
        let mut ring = [first; MAX_POINTS];
        let mut len = 1;
        while len < MAX_POINTS {
            let last = ring[len - 1];
            let others = plane & !bit(last);
            let mut next = others.trailing_zeros() as u8;
            for k in members(others & !bit(next)) {
                // Normals of coplanar triangles are parallel, so the sign is certain.
                let turn = self.normal([last, next, k]).dot(normal);
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
    fn unit_normal(&self, ring: &[u8]) -> DVec3 {
        let first = ring[0];
        let (mut farthest, mut most) = (first, 0.0);
        for &k in ring {
            let difference = DVec3::of(self.point(k)) - DVec3::of(self.point(first));
            let squared = difference.dot(difference);
            if squared > most {
                (farthest, most) = (k, squared);
            }
        }
        let (mut best, mut most, mut is_before) = (DVec3::ZERO, 0.0, true);
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
            let squared = normal.dot(normal);
            if squared > most {
                (best, most) = (normal, squared);
            }
        }
        unit_f64(best)
    }

    /// Finds the patches of polygons.
    fn add_patches(&mut self) {
        let corners = set_of(&self.corners);
        let mut size = 0.0;
        for axis in 0..3 {
            let mut most = 0.0;
            for k in members(corners) {
                let x = f64::from(self.point(k)[axis]).abs();
                if x > most {
                    most = x;
                }
            }
            size += most;
        }
        let mut known: Vec<(u64, (u16, u8))> = Vec::new();
        for face in 0..self.faces.len() {
            let HullFace {
                normal,
                offset,
                first,
                len,
                ..
            } = self.faces[face];
            let own = set_of(&self.corners[usize::from(first)..][..usize::from(len)]);
            let near = members(corners)
                .filter(|k| offset - normal.dot(DVec3::of(self.point(*k))) <= size * FLAT);
            let set = near.fold(own, |set, k| set | bit(k));
            if len < 3 || set == own {
                continue;
            }
            if let Some((_, patch)) = known.iter().find(|(other, _)| *other == set) {
                self.faces[face].patch = *patch;
                continue;
            }
            let outline = self.outline(set, normal);
            if outline.len() >= 3 {
                let patch = (self.patches.len() as u16, outline.len() as u8);
                self.patches.extend(outline);
                self.faces[face].patch = patch;
                known.push((set, patch));
            }
        }
    }

    /// The corners of the convex hull of points seen along a unit vector, counterclockwise about it.
    fn outline(&self, set: u64, normal: DVec3) -> Vec<u8> {
        let u = unit_f64(axis_across(normal).cross(normal));
        let w = normal.cross(u);
        let mut flat: Vec<(f64, f64, u8)> = members(set)
            .map(|k| {
                let point = DVec3::of(self.point(k));
                (u.dot(point), w.dot(point), k)
            })
            .collect();
        flat.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1)));
        let mut ring: Vec<(f64, f64, u8)> = Vec::new();
        for is_upper in [false, true] {
            let start = ring.len();
            for k in 0..flat.len() {
                let p = flat[if is_upper { flat.len() - 1 - k } else { k }];
                while let [.., a, b] = ring[start..]
                    && (b.0 - a.0) * (p.1 - a.1) <= (b.1 - a.1) * (p.0 - a.0)
                {
                    ring.pop();
                }
                ring.push(p);
            }
            ring.pop();
        }
        ring.iter().map(|p| p.2).collect()
    }

    /// The faces, given for each point the first one that is equal to it.
    fn finish(self, first_of: &[u8; MAX_POINTS]) -> HullFaces {
        let corners = set_of(&self.corners);
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
                let plane = |face: &HullFace| (face.normal.to_f32(), face.offset as f32);
                let ([x, y, z], offset) = block.get(k).map_or(NO_PLANE, plane);
                for (column, value) in columns.iter_mut().zip([x, y, z, offset]) {
                    column[k] = value;
                }
            }
            planes.push(columns);
        }
        let mut edge_planes = Vec::new();
        for block in self.edges.chunks(BLOCK) {
            edge_planes.push(edge_block(block, &planes));
        }
        HullFaces {
            faces: self.faces,
            corners: self.corners,
            patches: self.patches,
            edges: self.edges,
            edge_planes,
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

/// The set of points.
fn set_of(points: &[u8]) -> u64 {
    points.iter().fold(0, |set, k| set | bit(*k))
}

/// The axis that is least along a vector.
fn axis_across(v: DVec3) -> DVec3 {
    let mut least = 0;
    for k in 1..3 {
        if v[k].abs() < v[least].abs() {
            least = k;
        }
    }
    WORLD[least]
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

#[cfg(test)]
mod tests {
    use alloc::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::common::{cases_or, rng};
    use rand::RngExt;

    fn solid_faces(faces: &HullFaces) -> Vec<BTreeSet<u8>> {
        let corners = |face| faces.corners_of(face).iter().copied().collect();
        (0..faces.faces.len()).map(corners).collect()
    }

    /// Checks everything that faces of any points have, by the exact predicates. Returns whether the hull is solid.
    fn check(points: &[[f32; 3]], hull: &HullFaces) -> bool {
        let faces = &hull;
        let at = |k: u8| points[usize::from(k)];
        let is_solid = {
            let all = || points.iter().copied();
            let line = all().find(|p| *p != points[0]);
            let plane =
                line.and_then(|q| all().find(|r| normal([points[0], q, *r]) != DVec3::ZERO));
            let off = |r| all().any(|p| side([points[0], line.unwrap(), r, p]) != 0.0);
            plane.is_some_and(off)
        };
        assert!(!faces.faces.is_empty() && faces.faces.len() <= MAX_FACES);
        assert_eq!(faces.at.len(), points.len());
        let mut corners_in_order = 0;
        for (k, face) in faces.faces.iter().enumerate() {
            assert_eq!(usize::from(face.first), corners_in_order);
            corners_in_order += usize::from(face.len);
            assert!(
                (face.normal.dot(face.normal) - 1.0).abs() < 2e-15,
                "{face:?}"
            );
            let products = points.iter().map(|p| face.normal.dot(DVec3::of(*p)));
            assert_eq!(face.offset, products.reduce(f64::max).unwrap());
            // The rounded planes.
            let block = &faces.planes[k / BLOCK];
            let DVec3([x, y, z]) = face.normal;
            assert_eq!(
                block.map(|row| row[k % BLOCK]),
                [x, y, z, face.offset].map(|x| x as f32)
            );
        }
        assert_eq!(corners_in_order, faces.corners.len());
        assert_eq!(faces.planes.len(), faces.faces.len().div_ceil(BLOCK));
        for k in faces.faces.len()..faces.planes.len() * BLOCK {
            let last = faces.planes.last().unwrap();
            assert_eq!(
                [0, 1, 2, 3].map(|row| last[row][k % BLOCK]),
                [0.0, 0.0, 0.0, f32::MAX / 4.0]
            );
        }
        // Patches contain their face, if they are more.
        for face in 0..faces.faces.len() {
            let (corners, patch) = (set_of(faces.corners_of(face)), set_of(faces.patch_of(face)));
            assert!(patch == corners || patch.count_ones() >= 3);
        }
        // Corners are the first of equal points.
        for &k in faces.corners.iter().chain(&faces.patches) {
            assert_eq!(
                points.iter().position(|p| *p == at(k)),
                Some(usize::from(k))
            );
        }
        // Ends of an edge follow each other in the first face and in reverse in the second.
        for edge in &faces.edges {
            for (face, [p, q]) in [
                (edge.faces[0], edge.ends),
                (edge.faces[1], [edge.ends[1], edge.ends[0]]),
            ] {
                let corners = faces.corners_of(usize::from(face));
                let follows = |k: usize| [corners[k], corners[(k + 1) % corners.len()]] == [p, q];
                assert!((0..corners.len()).any(follows), "{edge:?} {corners:?}");
            }
        }
        // The planes of both faces of each edge; the last edge fills up its block.
        assert_eq!(faces.edge_planes.len(), faces.edges.len().div_ceil(BLOCK));
        for k in 0..faces.edge_planes.len() * BLOCK {
            let edge = faces.edges[k.min(faces.edges.len() - 1)];
            for (block, face) in faces.edge_planes[k / BLOCK].iter().zip(edge.faces) {
                let planes = &faces.planes[usize::from(face) / BLOCK];
                for (row, plane) in block.iter().zip(planes) {
                    assert_eq!(row[k % BLOCK], plane[usize::from(face) % BLOCK]);
                }
            }
        }
        if !is_solid {
            return false;
        }
        let mut directed = BTreeMap::new();
        for face in 0..faces.faces.len() {
            let corners = faces.corners_of(face);
            let len = corners.len();
            assert!(len >= 3);
            let [a, b, c] = [0, 1, 2].map(|k| at(corners[k]));
            for (k, p) in points.iter().enumerate() {
                let above = side([a, b, c, *p]);
                assert!(above <= 0.0, "{points:?}: {p:?} is above {corners:?}");
                let is_listed = faces.around(k).contains(&(face as u8));
                assert_eq!(above == 0.0, is_listed, "{points:?}: {k} and {corners:?}");
            }
            let below = *points.iter().find(|p| side([a, b, c, **p]) < 0.0).unwrap();
            for k in 0..len {
                let (p, q) = (corners[k], corners[(k + 1) % len]);
                assert_eq!(directed.insert((p, q), face), None, "{points:?}");
                // Strictly convex.
                for &r in corners {
                    if r != p && r != q {
                        assert!(
                            side([at(p), at(q), at(r), below]) < 0.0,
                            "{points:?}: {corners:?}"
                        );
                    }
                }
                // Nothing in the plane is outside.
                for r in points.iter().filter(|r| side([a, b, c, **r]) == 0.0) {
                    assert!(
                        side([at(p), at(q), *r, below]) <= 0.0,
                        "{points:?}: {corners:?}"
                    );
                }
            }
            let exact = unit_f64(normal([a, b, c]));
            assert!(
                exact.dot(faces.faces[face].normal) > 1.0 - 1e-6,
                "{points:?}: {corners:?}"
            );
        }
        let vertices = faces.corners.iter().collect::<BTreeSet<_>>().len();
        assert_eq!(directed.len(), 2 * faces.edges.len());
        for edge in &faces.edges {
            let [p, q] = edge.ends;
            assert_eq!(directed[&(p, q)], usize::from(edge.faces[0]));
            assert_eq!(directed[&(q, p)], usize::from(edge.faces[1]));
        }
        assert_eq!(
            vertices + faces.faces.len(),
            faces.edges.len() + 2,
            "{points:?}"
        );
        true
    }

    fn faces_of(points: &[[f32; 3]]) -> HullFaces {
        let hull = HullFaces::new(points);
        assert!(check(points, &hull), "{points:?} is solid");
        hull
    }

    fn flat_faces_of(points: &[[f32; 3]]) -> HullFaces {
        let hull = HullFaces::new(points);
        assert!(!check(points, &hull), "{points:?} is not solid");
        hull
    }

    fn cube() -> Vec<[f32; 3]> {
        (0..8)
            .map(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -1.0 } else { 1.0 }))
            .collect()
    }

    #[test]
    fn cube_has_six_faces_whatever_else_lies_on_it() {
        let mut points = cube();
        let plain = faces_of(&points);
        for axis in 0..3 {
            for sign in [-1.0, 1.0] {
                let mut center = [0.0; 3];
                center[axis] = sign;
                points.push(center);
            }
        }
        points.push([0.0, 1.0, 1.0]);
        points.push([0.25, 0.0, 0.0]);
        points.extend(cube());
        let hull = faces_of(&points);
        assert_eq!(solid_faces(&hull), solid_faces(&plain));
        assert_eq!(
            (plain.faces.len(), plain.edges.len(), hull.edges.len()),
            (6, 12, 12)
        );
        let around = |k| hull.around(k).len();
        assert!((0..8).chain(16..24).all(|k| around(k) == 3));
        assert!((8..14).all(|k| around(k) == 1));
        assert_eq!((around(14), around(15)), (2, 0));
        assert_eq!(hull.middle, [0.0; 3]);
    }

    #[test]
    fn tetrahedron_has_four_faces_outward() {
        let points = [[0., 0., 0.], [2., 0., 0.], [0., 2., 0.], [0., 0., 2.]];
        let hull = faces_of(&points);
        assert_eq!((hull.faces.len(), hull.edges.len()), (4, 6));
        let third = (1.0f64 / 3.0).sqrt();
        let slope = hull.faces.iter().find(|face| face.offset > 0.0).unwrap();
        assert!(slope.normal.0.iter().all(|x| (x - third).abs() < 1e-14));
        assert_eq!(hull.middle, [0.5; 3]);
    }

    #[test]
    fn random_points_have_the_faces_of_their_hull() {
        let mut rng = rng("faces");
        for case in 0..cases_or(200) {
            let len = rng.random_range(4..=MAX_POINTS);
            let on_sphere = case % 2 == 0;
            let mut points: Vec<[f32; 3]> = Vec::new();
            while points.len() < len {
                let point = [0; 3].map(|_| rng.random_range(-1.0f32..1.0));
                let length = point.iter().map(|x| x * x).sum::<f32>().sqrt();
                if length > 0.1 && length < 1.0 {
                    let divisor = if on_sphere { length } else { 1.0 };
                    points.push(point.map(|x| x / divisor));
                }
            }
            let hull = faces_of(&points);
            if on_sphere && len == MAX_POINTS {
                assert_eq!(hull.faces.len(), MAX_FACES);
            }
        }
    }

    #[test]
    fn most_faces_are_within_the_bound() {
        // Two points and a ring: all 64 are corners, and all faces are triangles.
        let ring = (0..62).map(|k| {
            let angle = f64::from(k) * core::f64::consts::TAU / 62.0;
            [angle.cos() as f32, angle.sin() as f32, 0.0]
        });
        let points: Vec<_> = ring.chain([[0., 0., 1.], [0., 0., -1.]]).collect();
        assert_eq!(faces_of(&points).faces.len(), MAX_FACES);
        // A polygon of 64 corners: pseudo-faces.
        let ring = (0..64).map(|k| {
            let angle = f64::from(k) * core::f64::consts::TAU / 64.0;
            [angle.cos() as f32, angle.sin() as f32, 0.0]
        });
        let hull = flat_faces_of(&ring.collect::<Vec<_>>());
        assert_eq!((hull.faces.len(), hull.edges.len()), (66, 128));
        // Equal points at a corner of many faces.
        let equal = (0..31).map(|_| [0., 0., 1.]);
        let points: Vec<_> = points[..33].iter().copied().chain(equal).collect();
        let hull = faces_of(&points);
        assert_eq!(hull.around(63).len(), 33);
    }

    #[test]
    fn polygon_has_both_sides_and_a_face_for_each_edge() {
        // A square with a center, a point on an edge and an equal point.
        let points = [
            [1., 1., 3.],
            [-1., 1., 3.],
            [-1., -1., 3.],
            [1., -1., 3.],
            [0., 0., 3.],
            [0., 1., 3.],
            [1., 1., 3.],
        ];
        let hull = flat_faces_of(&points);
        let faces = &hull;
        assert_eq!((hull.faces.len(), hull.edges.len()), (6, 8));
        let mut normals: Vec<_> = hull
            .faces
            .iter()
            .map(|face| face.normal.0.map(|x| x as i32))
            .collect();
        assert_eq!(normals[0].map(|x| -x), normals[1]);
        normals.sort();
        assert_eq!(
            normals,
            [
                [-1, 0, 0],
                [0, -1, 0],
                [0, 0, -1],
                [0, 0, 1],
                [0, 1, 0],
                [1, 0, 0]
            ]
        );
        // Counterclockwise seen from outside.
        for side in [0, 1] {
            let corners = faces.corners_of(side);
            let triangle = [0, 1, 2].map(|k| points[usize::from(corners[k])]);
            assert!(normal(triangle).dot(hull.faces[side].normal) > 0.0);
        }
        let around = [0, 1, 2, 3, 4, 5, 6].map(|k| faces.around(k).len());
        assert_eq!(around, [4, 4, 4, 4, 2, 3, 4]);
        for edge in &faces.edges {
            let ends = edge.ends.map(|k| DVec3::of(points[usize::from(k)]));
            for &face in &edge.faces {
                let HullFace { normal, offset, .. } = hull.faces[usize::from(face)];
                assert!(
                    ends.iter()
                        .all(|end| (normal.dot(*end) - offset).abs() < 1e-12)
                );
            }
        }
    }

    #[test]
    fn segment_has_four_faces_around_it() {
        let points = [
            [0., 0., 0.],
            [1., 2., 3.],
            [-1., -2., -3.],
            [3., 6., 9.],
            [0., 0., 0.],
        ];
        let hull = flat_faces_of(&points);
        let faces = &hull;
        assert_eq!((hull.faces.len(), hull.edges.len()), (4, 4));
        let along = DVec3([1., 2., 3.]);
        for k in 0..4 {
            let next = (k + 1) % 4;
            let (n, m) = (hull.faces[k].normal, hull.faces[next].normal);
            assert!(n.dot(m).abs() < 1e-14 && n.dot(along).abs() < 1e-14);
            assert_eq!(
                hull.edges[k],
                HullEdge {
                    ends: [2, 3],
                    faces: [k as u8, next as u8]
                }
            );
            // The second face is to the right of the edge.
            assert!(along.cross(n).dot(m) > 0.0);
            assert_eq!(faces.corners_of(k), [2, 3]);
        }
        assert!((0..5).all(|k| faces.around(k) == [0, 1, 2, 3]));
    }

    #[test]
    fn point_has_a_face_for_each_direction() {
        for count in [1, 5, 64] {
            let hull = flat_faces_of(&[[1., -0.0, 3.]].repeat(count));
            let faces = &hull;
            assert_eq!((hull.faces.len(), hull.edges.len()), (6, 0));
            let offsets: Vec<f64> = hull.faces.iter().map(|face| face.offset).collect();
            assert_eq!(offsets, [1., -1., 0., 0., 3., -3.]);
            assert!((0..count).all(|k| faces.around(k) == [0, 1, 2, 3, 4, 5]));
            assert!((0..6).all(|k| faces.corners_of(k) == [0]));
            assert_eq!(hull.middle, [1., 0., 3.]);
        }
        // Zeros of both signs are equal.
        assert_eq!(HullFaces::new(&[[0.0; 3], [-0.0; 3]]).faces.len(), 6);
    }

    #[test]
    fn slivers_and_extreme_sizes_have_exact_faces() {
        let mut rng = rng("sliver faces");
        let up = |x: f32, steps: u32| f32::from_bits(x.to_bits() + steps);
        for _ in 0..cases_or(200) {
            let len = rng.random_range(4..=16);
            let scale =
                [1.0, 1e-38, 1e-30, 1e15, (1u64 << 60) as f32, 2.7e11][rng.random_range(0..6)];
            let way = rng.random_range(0..4);
            let point = |rng: &mut rand::rngs::StdRng| {
                let [x, y, z] = [0; 3].map(|_| rng.random_range(-1.0f32..1.0) * scale);
                match way {
                    // Off a plane by 1e-7 of the size.
                    0 => [x, y, z * 1e-7],
                    // Off an oblique plane by some ulps.
                    1 => [x, y, x + y],
                    // Very near a line.
                    2 => [x, x * 0.5 + y * 1e-7, x * 0.25 + z * 1e-7],
                    // Nearly coplanar within an ulp.
                    _ => [x, y, up(scale * 0.5, rng.random_range(0..2))],
                }
            };
            let points: Vec<[f32; 3]> = (0..len).map(|_| point(&mut rng)).collect();
            check(&points, &HullFaces::new(&points));
        }
        // Sizes from the smallest to the largest number in one hull.
        let (least, most) = (f32::from_bits(1), (1u64 << 60) as f32);
        faces_of(&[
            [0.0; 3],
            [most, 0., 0.],
            [0., least, 0.],
            [0., 0., least],
            [least; 3],
            [most; 3],
        ]);
    }

    /// A plane in integers: normal and offset, in lowest terms.
    fn plane_of([a, b, c]: [[i64; 3]; 3]) -> [i64; 4] {
        let (p, q) = (
            [0, 1, 2].map(|k| b[k] - a[k]),
            [0, 1, 2].map(|k| c[k] - a[k]),
        );
        let n = [
            p[1] * q[2] - p[2] * q[1],
            p[2] * q[0] - p[0] * q[2],
            p[0] * q[1] - p[1] * q[0],
        ];
        let offset = n[0] * a[0] + n[1] * a[1] + n[2] * a[2];
        let mut divisor = 0;
        for mut x in [n[0], n[1], n[2], offset] {
            while x != 0 {
                (divisor, x) = (x, divisor % x);
            }
        }
        [n[0], n[1], n[2], offset].map(|x| x / divisor.abs().max(1))
    }

    #[test]
    fn points_of_a_grid_have_the_faces_of_all_their_triangles() {
        let mut rng = rng("grid faces");
        let mut kinds = [0; 4];
        for _ in 0..cases_or(20_000) {
            let len = rng.random_range(1..=12);
            let reach = rng.random_range(1..=2);
            let spread = [0; 3].map(|_| rng.random_range(0..4) > 0);
            let point = |rng: &mut rand::rngs::StdRng| {
                spread.map(|spread| {
                    if spread {
                        rng.random_range(-reach..=reach)
                    } else {
                        0i64
                    }
                })
            };
            let points: Vec<[i64; 3]> = (0..len).map(|_| point(&mut rng)).collect();
            let floats: Vec<_> = points.iter().map(|p| p.map(|x| x as f32)).collect();
            let hull = HullFaces::new(&floats);
            let is_solid = check(&floats, &hull);
            let faces = &hull;
            // All planes through three points, with all points below or on them.
            let mut planes = BTreeSet::new();
            let mut is_flat = false;
            for a in &points {
                for b in &points {
                    for c in &points {
                        let [x, y, z, offset] = plane_of([*a, *b, *c]);
                        let above = points
                            .iter()
                            .any(|p| x * p[0] + y * p[1] + z * p[2] > offset);
                        if [x, y, z] != [0; 3] && !above {
                            is_flat |= !planes.insert([x, y, z, offset])
                                && planes.contains(&[-x, -y, -z, -offset]);
                        }
                    }
                }
            }
            let on = |p: &[i64; 3]| {
                planes
                    .iter()
                    .filter(|[x, y, z, offset]| x * p[0] + y * p[1] + z * p[2] == *offset)
                    .count()
            };
            let dimension = match planes.len() {
                0 => usize::from(points.iter().any(|p| p != &points[0])),
                2 => 2,
                _ => 3,
            };
            kinds[dimension] += 1;
            assert_eq!(
                (is_solid, is_flat),
                (dimension == 3, dimension == 2),
                "{points:?}"
            );
            match dimension {
                0 => assert_eq!((hull.faces.len(), hull.edges.len()), (6, 0)),
                1 => assert_eq!((hull.faces.len(), hull.edges.len()), (4, 4)),
                2 => {
                    let &[x, y, z, _] = planes.first().unwrap();
                    let edges = hull.edges.len() / 2;
                    assert_eq!(
                        (hull.faces.len(), hull.corners.len()),
                        (2 + edges, 4 * edges)
                    );
                    // Lines through two points with all points on one side.
                    let det = |u: [i64; 3], v: [i64; 3]| {
                        x * (u[1] * v[2] - u[2] * v[1])
                            + y * (u[2] * v[0] - u[0] * v[2])
                            + z * (u[0] * v[1] - u[1] * v[0])
                    };
                    let less = |p: &[i64; 3], q: &[i64; 3]| [0, 1, 2].map(|k| p[k] - q[k]);
                    let is_edge = |p: &[i64; 3], q: &[i64; 3]| {
                        p != q && points.iter().all(|r| det(less(q, p), less(r, p)) >= 0)
                    };
                    for (k, p) in points.iter().enumerate() {
                        // Lines through the point.
                        let mut lines = BTreeSet::new();
                        for a in &points {
                            for b in &points {
                                if is_edge(a, b) && det(less(b, a), less(p, a)) == 0 {
                                    let d = less(b, a);
                                    lines.insert(plane_of([[0; 3], d, [x, y, z]]));
                                }
                            }
                        }
                        assert_eq!(faces.around(k).len(), 2 + lines.len(), "{points:?}");
                    }
                }
                _ => {
                    assert_eq!(hull.faces.len(), planes.len(), "{points:?}");
                    for (k, p) in points.iter().enumerate() {
                        assert_eq!(faces.around(k).len(), on(p), "{points:?}");
                    }
                    for face in 0..hull.faces.len() {
                        let corners = faces.corners_of(face);
                        let plane = plane_of([0, 1, 2].map(|k| points[usize::from(corners[k])]));
                        assert!(planes.contains(&plane), "{points:?}");
                    }
                }
            }
        }
        assert!(kinds.iter().all(|count| *count > 0), "{kinds:?}");
    }
}
