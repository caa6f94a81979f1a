//! Contact manifolds of convex hulls with bounded shapes and with surfaces: one pair at a time, in `f64`.
//!
//! # The normal
//!
//! All shapes are cores with faces and edges, rounded by a radius. For cores that penetrate, the normal is that of least penetration among
//! the faces of both and the cross products of their edges. The gap along it is a certificate, as in [`hull`](super::hull): so the reported
//! separation is never above the exact one, whichever normals are tried. For cores that are apart by more than that, the normal is the direction of the
//! certified search.
//!
//! **Faces** are tried in the order of an upper bound of their gaps, with lanes across the faces. For a point p of B, no gap of a face with normal n
//! exceeds n·p − h_A(n). Each face that is tried adds the support of B, and so lowers the bounds of all other faces. The search ends when no bound exceeds the greatest gap.
//!
//! **Edges.** For a normal n between those of the two faces of an edge of A, n = α n₁ + β n₂, and a point p of B: if p is below both planes by at least g ≥ 0,
//! then the gap along n is at most −g, since |n| ≤ α + β. So an edge is tried only if no point found so far is that far below both its faces. Of the edges
//! that are left, those pairs count whose arcs cross on the sphere of normals.
//!
//! # The points
//!
//! The reference face is that of the normal, the incident face that of the other shape which contains its support and is most along the normal.
//! A face stands for its patch: the outline of all corners in its plane, up to roundings, since rounded coordinates split polygons into
//! triangles. The incident face is clipped to the reference face along the normal, and reduced to four points. Of more, those that touch
//! have precedence over those within the margin, and the four cover most of the area. Two edges have one point, and so do shapes whose nearest
//! points are not on a face.
//!
//! Feature ids: 0 to 63 are vertices of A, 64 to 127 vertices of B. Ids from 128 on are edges clipped by side k of a face, 128 + 2 k where they enter and 129 + 2 k
//! where they leave, or name the edges of a pair.
//!
//! # Error bounds
//!
//! S is the sum of all lengths: ‖Δ‖₁, the sizes of both cores, the radii and the margin.
//!
//! - **Never above.** The gap of a normal takes what [`hull`](super::hull) takes: 4.1 u of the half extents of a hull, and 2⁻⁴⁴ S. A unit normal is off by 2⁻⁴⁸.
//! - **β.** The best normal of the exact shapes is among those that are tried: normals of faces are right to 2⁻²⁶ (`shapes/orientation.rs`), which loses u/4 · 2 S. Bounds of faces in `f32` err by
//!   less than 8 u S, which is added to them, so none is dropped. A gap is up to 8.2 u S below the exact one, and a later group of normals wins only if it is better by 32 u S, twice.
//!   The direction of the nearest points of separated cores wins if it is better. In all less than 100 u S, of the 320 u S that are promised.
//!
//! Source: D. Gregorius, "The separating axis test between convex polyhedra", GDC 2013, for arcs that cross. Departures: bounds decide which
//! normals are tried, and each that wins is certified.

use super::closest_search::{add, cross, dot, neg, sub, times};
use super::hull::{
    Body, HullPair, Interval, NearestPoints, ROUNDING, axes_of, f64_max, f64_min, length, norm1,
    point_at, scaled,
};
use super::rounding::U;
use crate::lane::{Float, Lanes, Mask};
use crate::shapes::{
    FacesRef, HullEdge, HullFace, PlaneBlock, PointBlock, length_of, triangle_normal,
};

/// A shape with the faces of its core.
pub struct Solid<'k> {
    body: Body<'k>,
    /// Whether points are relative to the center.
    has_center: bool,
    /// Unit axes of the frame of the faces.
    axes: [[f64; 3]; 3],
    faces: Faces<'k>,
}

/// Faces of a core.
#[expect(
    clippy::large_enum_variant,
    reason = "of two on the stack, most are hulls"
)]
enum Faces<'k> {
    Hull(FacesRef<'k>, &'k [PointBlock]),
    Own(OwnFaces),
}

/// Faces of a core that is no hull, along the world axes and relative to the center of the shape.
struct OwnFaces {
    topology: &'static Topology,
    faces: [HullFace; 6],
    planes: [PlaneBlock; 1],
    corners: [[f64; 3]; 8],
    middle: [f32; 3],
}

/// Corners and edges of a kind of shape.
struct Topology {
    /// Range of `corners` of each face.
    faces: &'static [(u16, u8)],
    corners: &'static [u8],
    edges: &'static [HullEdge],
    /// Faces around each corner.
    around: &'static [u8],
    /// Range of `around` of each corner.
    around_of: &'static [(u16, u8)],
}

const fn edge(ends: [u8; 2], faces: [u8; 2]) -> HullEdge {
    HullEdge { ends, faces }
}

/// A box: bit k of a corner is its side on axis k. Faces are the upper and the lower one of each axis.
static BOX: Topology = Topology {
    faces: &[(0, 4), (4, 4), (8, 4), (12, 4), (16, 4), (20, 4)],
    corners: &[
        1, 3, 7, 5, 0, 4, 6, 2, 2, 6, 7, 3, 0, 1, 5, 4, 4, 5, 7, 6, 0, 2, 3, 1,
    ],
    edges: &[
        edge([0, 1], [3, 5]),
        edge([2, 3], [2, 5]),
        edge([4, 5], [3, 4]),
        edge([6, 7], [2, 4]),
        edge([0, 2], [1, 5]),
        edge([1, 3], [0, 5]),
        edge([4, 6], [1, 4]),
        edge([5, 7], [0, 4]),
        edge([0, 4], [1, 3]),
        edge([1, 5], [0, 3]),
        edge([2, 6], [1, 2]),
        edge([3, 7], [0, 2]),
    ],
    around: &[
        1, 3, 5, 0, 3, 5, 1, 2, 5, 0, 2, 5, 1, 3, 4, 0, 3, 4, 1, 2, 4, 0, 2, 4,
    ],
    around_of: &[
        (0, 3),
        (3, 3),
        (6, 3),
        (9, 3),
        (12, 3),
        (15, 3),
        (18, 3),
        (21, 3),
    ],
};

/// A triangle: its two sides, and the normals of its edges in its plane.
static TRIANGLE: Topology = Topology {
    faces: &[(0, 3), (3, 3), (6, 2), (8, 2), (10, 2)],
    corners: &[0, 1, 2, 0, 2, 1, 0, 1, 1, 2, 2, 0],
    edges: &[
        edge([0, 1], [0, 2]),
        edge([0, 1], [2, 1]),
        edge([1, 2], [0, 3]),
        edge([1, 2], [3, 1]),
        edge([2, 0], [0, 4]),
        edge([2, 0], [4, 1]),
    ],
    around: &[0, 1, 2, 4, 0, 1, 2, 3, 0, 1, 3, 4],
    around_of: &[(0, 4), (4, 4), (8, 4)],
};

/// A segment: four normals around it.
static SEGMENT: Topology = Topology {
    faces: &[(0, 2), (0, 2), (0, 2), (0, 2)],
    corners: &[0, 1],
    edges: &[
        edge([0, 1], [0, 1]),
        edge([0, 1], [1, 2]),
        edge([0, 1], [2, 3]),
        edge([0, 1], [3, 0]),
    ],
    around: &[0, 1, 2, 3],
    around_of: &[(0, 4), (0, 4)],
};

/// A point: a normal along each axis, x first.
static POINT: Topology = Topology {
    faces: &[(0, 1); 6],
    corners: &[0],
    edges: &[],
    around: &[0, 1, 2, 3, 4, 5],
    around_of: &[(0, 6)],
};

const WORLD: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl OwnFaces {
    /// No faces.
    const NONE: Self = OwnFaces {
        topology: &POINT,
        faces: [HullFace {
            normal: [0.0; 3],
            offset: 0.0,
            first: 0,
            len: 0,
            patch: (0, 0),
        }; 6],
        // Planes that no point is above.
        planes: [[[0.0; 16], [0.0; 16], [0.0; 16], [f32::MAX / 4.0; 16]]],
        corners: [[0.0; 3]; 8],
        middle: [0.0; 3],
    };

    /// The faces with these normals of a core with these corners.
    fn new(topology: &'static Topology, normals: &[[f64; 3]], points: &[[f64; 3]]) -> Self {
        let mut own = OwnFaces {
            topology,
            ..Self::NONE
        };
        own.corners[..points.len()].copy_from_slice(points);
        let [planes] = &mut own.planes;
        for (k, (&normal, &(first, len))) in normals.iter().zip(topology.faces).enumerate() {
            let mut offset = f64::NEG_INFINITY;
            for point in points {
                offset = f64_max(dot(normal, *point), offset);
            }
            for (axis, x) in normal.iter().enumerate() {
                planes[axis][k] = *x as f32;
            }
            planes[3][k] = offset as f32;
            own.faces[k] = HullFace {
                normal,
                offset,
                first,
                len,
                patch: (0, 0),
            };
        }
        let mut middle = [0.0; 3];
        for point in points {
            middle = add(middle, times(*point, 1.0 / points.len() as f64));
        }
        own.middle = middle.map(|x| x as f32);
        own
    }

    /// The faces of a point.
    fn point(at: [f64; 3]) -> Self {
        let [x, y, z] = WORLD;
        Self::new(&POINT, &[x, neg(x), y, neg(y), z, neg(z)], &[at])
    }

    /// The faces of a segment.
    fn segment(ends: [[f64; 3]; 2]) -> Self {
        let Some(along) = unit(sub(ends[1], ends[0])) else {
            return Self::point(ends[0]);
        };
        let [u, w] = across(along);
        Self::new(&SEGMENT, &[u, w, neg(u), neg(w)], &ends)
    }

    /// The faces of a box, given its axes and half of its edges.
    fn cuboid([x, y, z]: [[f64; 3]; 3], [a, b, c]: [[f64; 3]; 3]) -> Self {
        let mut corners = [[0.0; 3]; 8];
        for (k, corner) in corners.iter_mut().enumerate() {
            let signed =
                |axis: usize, half| times(half, if k >> axis & 1 == 1 { 1.0 } else { -1.0 });
            *corner = add(add(signed(0, a), signed(1, b)), signed(2, c));
        }
        Self::new(&BOX, &[x, neg(x), y, neg(y), z, neg(z)], &corners)
    }

    /// The faces of a triangle, relative to its first corner.
    fn triangle(corners: [[f32; 3]; 3]) -> Self {
        let [a, b, c] = corners.map(|corner| corner.map(f64::from));
        let points = [[0.0; 3], sub(b, a), sub(c, a)];
        let edges = [points[1], sub(points[2], points[1]), neg(points[2])];
        match unit(triangle_normal(corners)) {
            Some(normal) => {
                let [p, q, r] = edges.map(|edge| unit(cross(edge, normal)).unwrap_or([0.0; 3]));
                Self::new(&TRIANGLE, &[normal, neg(normal), p, q, r], &points)
            }
            None => {
                // The longest edge contains the third corner.
                let [p, q, r] = edges.map(|edge| dot(edge, edge));
                Self::segment(if p >= q && p >= r {
                    [points[0], points[1]]
                } else if q >= r {
                    [points[1], points[2]]
                } else {
                    [points[2], points[0]]
                })
            }
        }
    }
}

/// A vector of length 1; `None` for zero and what is not finite.
fn unit(v: [f64; 3]) -> Option<[f64; 3]> {
    let (d, _) = scaled(v)?;
    Some(times(d, 1.0 / length_of(d)))
}

/// Two unit vectors across a unit vector and each other.
fn across(n: [f64; 3]) -> [[f64; 3]; 2] {
    let [x, y, z] = n.map(f64::abs);
    let axis = if x <= y && x <= z {
        WORLD[0]
    } else if y <= z {
        WORLD[1]
    } else {
        WORLD[2]
    };
    let u = unit(cross(axis, n)).unwrap_or(WORLD[0]);
    [u, cross(n, u)]
}

impl<'k> Solid<'k> {
    fn of(body: Body<'k>, own: OwnFaces) -> Self {
        Solid {
            body,
            has_center: true,
            axes: WORLD,
            faces: Faces::Own(own),
        }
    }

    /// A sphere, or a point.
    pub fn sphere(center: [f32; 3], radius: f32) -> Self {
        Self::of(Body::sphere(center, radius), OwnFaces::point([0.0; 3]))
    }

    /// A capsule.
    pub fn capsule(center: [f32; 3], half_axis: [f32; 3], radius: f32) -> Self {
        let half = half_axis.map(f64::from);
        Self::of(
            Body::capsule(center, half_axis, radius),
            OwnFaces::segment([neg(half), half]),
        )
    }

    /// An AABB.
    pub fn aabb(min: [f32; 3], max: [f32; 3]) -> Self {
        let body = Body::aabb(min, max);
        let own = OwnFaces::cuboid(WORLD, body.spans.vectors());
        Self::of(body, own)
    }

    /// An OBB.
    pub fn obb(center: [f32; 3], half_extents: [f32; 3], rotation: [f32; 4]) -> Self {
        let body = Body::obb(center, half_extents, rotation);
        let own = OwnFaces::cuboid(axes_of(rotation), body.spans.vectors());
        Self::of(body, own)
    }

    /// A triangle.
    pub fn triangle(corners: [[f32; 3]; 3]) -> Self {
        Solid {
            has_center: false,
            ..Self::of(Body::triangle(corners), OwnFaces::triangle(corners))
        }
    }

    /// A hull, given the box around it.
    pub fn hull(
        center: [f32; 3],
        half_extents: [f32; 3],
        rotation: [f32; 4],
        points: &'k [PointBlock],
        faces: FacesRef<'k>,
    ) -> Self {
        let body = Body::hull(center, half_extents, rotation, points);
        Solid {
            body,
            has_center: true,
            axes: body.points.map_or(WORLD, |points| points.axes),
            faces: Faces::Hull(faces, points),
        }
    }

    fn faces(&self) -> &[HullFace] {
        match &self.faces {
            Faces::Hull(faces, _) => faces.faces,
            Faces::Own(own) => &own.faces[..own.topology.faces.len()],
        }
    }

    fn planes(&self) -> &[PlaneBlock] {
        match &self.faces {
            Faces::Hull(faces, _) => faces.planes,
            Faces::Own(own) => &own.planes,
        }
    }

    fn edges(&self) -> &[HullEdge] {
        match &self.faces {
            Faces::Hull(faces, _) => faces.edges,
            Faces::Own(own) => own.topology.edges,
        }
    }

    /// Corners of a face, counterclockwise as seen from outside.
    fn corners_of(&self, face: usize) -> &[u8] {
        let HullFace { first, len, .. } = self.faces()[face];
        let corners = match &self.faces {
            Faces::Hull(faces, _) => faces.corners,
            Faces::Own(own) => own.topology.corners,
        };
        &corners[usize::from(first)..][..usize::from(len)]
    }

    /// Corners of the patch of a face, counterclockwise as seen from outside.
    fn patch_of(&self, face: usize) -> &[u8] {
        match &self.faces {
            Faces::Hull(faces, _) => faces.patch_of(face),
            Faces::Own(_) => self.corners_of(face),
        }
    }

    /// The faces at a point of the surface.
    fn around(&self, point: usize) -> &[u8] {
        match &self.faces {
            Faces::Hull(faces, _) => faces.around(point),
            Faces::Own(own) => {
                let (first, len) = own.topology.around_of[point];
                &own.topology.around[usize::from(first)..][..usize::from(len)]
            }
        }
    }

    /// A point inside, relative to the center.
    fn middle(&self) -> [f64; 3] {
        let middle = match &self.faces {
            Faces::Hull(faces, _) => faces.middle,
            Faces::Own(own) => own.middle,
        };
        let [x, y, z] = middle;
        self.to_world([f64::from(x), f64::from(y), f64::from(z)])
    }

    /// Corner `k`, relative to the center.
    #[inline]
    fn corner(&self, k: usize) -> [f64; 3] {
        match &self.faces {
            Faces::Hull(_, points) => self.to_world(point_at(points, k)),
            Faces::Own(own) => own.corners[k],
        }
    }

    #[inline(always)]
    fn to_world(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [u, v, w] = self.axes;
        add(add(times(u, x), times(v, y)), times(w, z))
    }

    #[inline(always)]
    fn to_local(&self, v: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = &self.axes;
        [dot(*x, v), dot(*y, v), dot(*z, v)]
    }

    /// The corner that is farthest along a direction, the first of equal ones.
    #[inline(always)]
    fn farthest<L: Lanes>(&self, lanes: L, d: [f64; 3]) -> usize {
        let own = match &self.faces {
            Faces::Hull(..) => return self.body.reach(lanes, d).index,
            Faces::Own(own) => own,
        };
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        let mut k = 0;
        while k < own.topology.around_of.len() {
            let along = dot(own.corners[k], d);
            if along > most {
                (best, most) = (k, along);
            }
            k += 1;
        }
        best
    }

    /// The face at a support along a unit vector that is most along it.
    #[inline(always)]
    fn face_along(&self, d: [f64; 3], support: usize) -> usize {
        let local = self.to_local(d);
        let faces = self.faces();
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        let around = self.around(support);
        for &face in around {
            let along = dot(faces[usize::from(face)].normal, local);
            if along > most {
                (best, most) = (usize::from(face), along);
            }
        }
        if around.is_empty() {
            // Rounding may find a point just inside.
            for (face, HullFace { normal, .. }) in faces.iter().enumerate() {
                let along = dot(*normal, local);
                if along > most {
                    (best, most) = (face, along);
                }
            }
        }
        best
    }
}

/// Number of points of the other shape that are kept to drop edges.
const KEPT: usize = 8;
/// Maximum number of faces, in blocks of 16.
const FACE_BLOCKS: usize = 8;
/// Maximum number of faces, and those that fill up the last block.
const FACES: usize = 16 * FACE_BLOCKS;
/// Maximum number of edges.
const EDGES: usize = 256;
/// Number of edges whose arcs are kept.
const ARCS: usize = 8;
/// No marks: from 2²³ on, the low bits of a float are those of the integer.
const NO_MARK: f32 = (1 << 23) as f32;

/// The greatest gap of a group of normals.
#[derive(Clone, Copy)]
struct Best {
    gap: f64,
    feature: Feature,
    /// Unit vector from A to B.
    normal: [f64; 3],
}

/// The features whose normal is that of a contact.
#[derive(Clone, Copy)]
enum Feature {
    FaceOfA(usize),
    FaceOfB(usize),
    /// An edge of either shape.
    Edges(usize, usize),
    /// Nearest points, not on a face, relative to the center of A.
    Points([[f64; 3]; 2]),
}

/// Points of the other shape in the frame of the faces.
struct Known {
    points: [[f32; 3]; KEPT],
    len: usize,
}

/// A pair of shapes with faces.
pub struct SolidPair<'s, 'k, L> {
    lanes: L,
    /// In kernel order.
    solids: [&'s Solid<'k>; 2],
    /// From the center of A to that of B.
    offset: [f64; 3],
    /// Sum of the radii and the margin.
    within: f64,
    /// S.
    size: f64,
    margin: f32,
}

/// Contact of a pair, its points relative to the center of A.
pub struct HullContact {
    /// Unit vector from A to B.
    pub normal: [f64; 3],
    pub separation: f64,
    /// From the center of A to that of B; zero if B has none.
    pub offset: [f64; 3],
    pub count: usize,
    pub points: [HullContactPoint; 4],
}

/// A point of a contact.
#[derive(Clone, Copy)]
pub struct HullContactPoint {
    pub at: [f64; 3],
    pub separation: f64,
    pub feature: u8,
}

impl<'s, 'k, L: Lanes> SolidPair<'s, 'k, L> {
    #[inline(always)]
    pub fn new(lanes: L, a: &'s Solid<'k>, b: &'s Solid<'k>, margin: f32) -> Self {
        let offset = sub(b.body.center, a.body.center);
        let within = a.body.radius + b.body.radius + f64::from(margin);
        SolidPair {
            lanes,
            solids: [a, b],
            offset,
            within,
            size: norm1(offset) + a.body.size + b.body.size + within,
            margin,
        }
    }

    /// The contact.
    #[inline(always)]
    pub fn contact(&self) -> HullContact {
        self.along(self.choose())
    }

    /// The contact along a given unit vector from A to B.
    #[inline(always)]
    pub fn contact_along(&self, normal: [f32; 3]) -> HullContact {
        let normal = unit(normal.map(f64::from)).unwrap_or(WORLD[0]);
        self.along(Best {
            gap: self.gap(normal),
            normal,
            feature: self.feature_of(normal, None),
        })
    }

    /// The gap of the cores along a unit vector, never too great.
    #[inline(always)]
    fn gap(&self, n: [f64; 3]) -> f64 {
        let [a, b] = self.solids;
        let reach = a.body.reach(self.lanes, n).most + b.body.reach(self.lanes, neg(n)).most;
        dot(self.offset, n) - reach - self.size * ROUNDING
    }

    /// The normal.
    #[inline(always)]
    fn choose(&self) -> Best {
        let unit_of_size = f64::from(U) * self.size;
        let none = Best {
            gap: f64::NEG_INFINITY,
            feature: Feature::FaceOfA(0),
            normal: [1.0, 0.0, 0.0],
        };
        let mut known = [Known::new(), Known::new()];
        let mut best = self.best_face(0, &mut known[0], none, 0.0);
        best = self.best_face(1, &mut known[1], best, 32.0 * unit_of_size);
        let is_apart = self.size * APART;
        if best.gap <= is_apart {
            best = self.best_edges(&known, best, 32.0 * unit_of_size);
        }
        // Normals of cores that are not solid see no gap within their line or plane, and so may be this much below zero.
        if best.gap < -32.0 * unit_of_size {
            return best;
        }
        let mut found = self.nearest();
        // The gap hardly depends on the direction near the nearest points, but their places along the normal do.
        let [x, y] = found.points;
        if let Some(way) = unit(sub(y, x)) {
            let gap = self.gap(way);
            if gap > found.gap - 8.0 * unit_of_size {
                (found.gap, found.normal) = (gap, way);
            }
        }
        let [a, b] = self.solids;
        let corners = match best.feature {
            Feature::FaceOfA(face) => a.corners_of(face).len(),
            Feature::FaceOfB(face) => b.corners_of(face).len(),
            _ => 3,
        };
        // Normals of points and segments are arbitrary.
        let bias = if corners < 3 { -8.0 } else { 0.0 };
        if found.gap > best.gap + bias * unit_of_size && found.gap > 0.0 {
            best = Best {
                gap: found.gap,
                feature: self.feature_of(found.normal, Some(found.points)),
                normal: found.normal,
            };
        }
        best
    }

    /// The nearest points of the cores.
    fn nearest(&self) -> NearestPoints {
        let [a, b] = self.solids;
        HullPair::new(self.lanes, a.body, b.body, 0.0).nearest()
    }

    /// The face at a support whose normal a unit vector is; if there is none the nearest points, or without these the face that is most
    /// along the vector.
    #[inline(always)]
    fn feature_of(&self, normal: [f64; 3], points: Option<[[f64; 3]; 2]>) -> Feature {
        let [a, b] = self.solids;
        let of_a = a.face_along(normal, a.farthest(self.lanes, normal));
        let of_b = b.face_along(neg(normal), b.farthest(self.lanes, neg(normal)));
        let along_a = dot(a.to_local(normal), a.faces()[of_a].normal);
        let along_b = -dot(b.to_local(normal), b.faces()[of_b].normal);
        let (has_a, has_b) = (a.corners_of(of_a).len() > 2, b.corners_of(of_b).len() > 2);
        let is_a = has_a && (along_a >= along_b || !has_b);
        let most = if is_a { along_a } else { along_b };
        match points {
            Some(points) if most < ALIGNED || !(has_a || has_b) => Feature::Points(points),
            _ if is_a => Feature::FaceOfA(of_a),
            _ => Feature::FaceOfB(of_b),
        }
    }

    /// The greatest gap along the normal of a face of one side, if it is above that of `best` by more than `bias`.
    #[inline(always)]
    fn best_face(&self, side: usize, known: &mut Known, mut best: Best, bias: f64) -> Best {
        let (this, other) = (self.solids[side], self.solids[1 - side]);
        let sign = if side == 0 { 1.0 } else { -1.0 };
        // From the center of this shape to that of the other.
        let offset = times(self.offset, sign);
        let slack = 8.0 * f64::from(U) * self.size;
        let error = self.size * ROUNDING;
        let (planes, faces) = (this.planes(), this.faces());
        let mut above = [[f32::INFINITY; 16]; FACE_BLOCKS];
        let mut found = None;
        let mut least = best.gap + bias;
        let mut at = add(offset, other.middle());
        let mut step = 0;
        while step < faces.len() {
            let [x, y, z] = this.to_local(at);
            let point = [x as f32, y as f32, z as f32];
            if step > 0 {
                known.add(point);
            }
            let (most, face) = lower(self.lanes, planes, point, &mut above);
            if f64::from(most) + slack <= least || face >= faces.len() {
                break;
            }
            let HullFace {
                normal, offset: h, ..
            } = faces[face];
            let normal = this.to_world(normal);
            let reach = other.body.reach(self.lanes, neg(normal));
            let gap = dot(offset, normal) - reach.most - h - error;
            let is_greater = match found {
                Some(before) if gap == least => face < before,
                _ => gap > least,
            };
            if is_greater {
                (found, least) = (Some(face), gap);
                best = Best {
                    gap,
                    normal: times(normal, sign),
                    feature: if side == 0 {
                        Feature::FaceOfA(face)
                    } else {
                        Feature::FaceOfB(face)
                    },
                };
            }
            above[face / 16][face % 16] = f32::NEG_INFINITY;
            at = add(offset, reach.point);
            step += 1;
        }
        best
    }

    /// The greatest gap along the cross product of an edge of each, if it is above that of `best` by more than `bias`.
    #[inline(always)]
    fn best_edges(&self, known: &[Known; 2], mut best: Best, bias: f64) -> Best {
        let mut least = best.gap + bias;
        let mut lists = [[0u8; EDGES]; 2];
        let [of_a, of_b] = &mut lists;
        let mut counts = [self.list_edges(0, &known[0], least, of_a), 0];
        if counts[0] == 0 {
            return best;
        }
        counts[1] = self.list_edges(1, &known[1], least, of_b);
        let [a, b] = self.solids;
        let mut first = 0;
        while first < counts[0] {
            let mut arcs = [Arc::NONE; ARCS];
            let len = ARCS.min(counts[0] - first);
            for (arc, &j) in arcs.iter_mut().zip(&lists[0][first..first + len]) {
                *arc = a.arc(usize::from(j));
            }
            let mut second = 0;
            while second < counts[1] {
                let k = usize::from(lists[1][second]);
                let of_b = b.arc(k);
                let end = add(self.offset, of_b.start);
                second += 1;
                let mut at = 0;
                while at < len {
                    let of_a = &arcs[at];
                    let j = usize::from(lists[0][first + at]);
                    at += 1;
                    let Some(normal) = of_a.crosses(&of_b) else {
                        continue;
                    };
                    let along = dot(sub(end, of_a.start), normal);
                    let length = length(normal);
                    if along <= least * length {
                        continue;
                    }
                    let normal = times(normal, 1.0 / length);
                    let gap = self.gap(normal);
                    if gap > least {
                        least = gap;
                        best = Best {
                            gap,
                            normal,
                            feature: Feature::Edges(j, k),
                        };
                    }
                }
            }
            first += len;
        }
        best
    }

    /// Lists the edges of one side that a normal with a gap above `least` may belong to.
    #[inline(always)]
    fn list_edges(&self, side: usize, known: &Known, least: f64, list: &mut [u8; EDGES]) -> usize {
        let this = self.solids[side];
        let limit = f64_min(least, 0.0) - 8.0 * f64::from(U) * self.size;
        let mut below = [[NO_MARK; 16]; FACE_BLOCKS];
        known.mark(self.lanes, this.planes(), limit as f32, &mut below);
        let mut marks = [0u8; FACES];
        for (marks, below) in marks.chunks_exact_mut(16).zip(&below) {
            let mut k = 0;
            while k < 16 {
                marks[k] = below[k].to_bits() as u8;
                k += 1;
            }
        }
        let edges = self.solids[side].edges();
        let (mut count, mut k) = (0, 0);
        while k < edges.len() {
            let [first, second] = edges[k].faces;
            let common = marks[usize::from(first) % FACES] & marks[usize::from(second) % FACES];
            list[count % EDGES] = k as u8;
            count += usize::from(common == 0);
            k += 1;
        }
        count
    }
}

/// Distance of cores, relative to S, from which their direction is searched.
const APART: f64 = 1.0 / (1u64 << 30) as f64;
/// Least cosine of a normal that is that of a face.
const ALIGNED: f64 = 1.0 - 1.0 / (1u64 << 20) as f64;

impl Known {
    fn new() -> Self {
        Known {
            points: [[0.0; 3]; KEPT],
            len: 0,
        }
    }

    /// Adds a point. The last place is replaced if there is no other.
    #[inline(always)]
    fn add(&mut self, point: [f32; 3]) {
        let at = if self.len < KEPT { self.len } else { KEPT - 1 };
        self.points[at] = point;
        self.len = at + 1;
    }

    /// Adds 2ᵏ to the number of each face that point k is below, by `limit`.
    #[inline(always)]
    fn mark<L: Lanes>(
        &self,
        lanes: L,
        planes: &[PlaneBlock],
        limit: f32,
        below: &mut [[f32; 16]; FACE_BLOCKS],
    ) {
        let limit = lanes.splat(limit);
        let mut k = 0;
        while k < self.len {
            let bit = lanes.splat((1u32 << k) as f32);
            let [x, y, z] = self.points[k];
            let point = [lanes.splat(x), lanes.splat(y), lanes.splat(z)];
            for (block, below) in planes.iter().zip(&mut *below) {
                let mut at = 0;
                while at < 16 {
                    let height = height(lanes, block, at, point);
                    let marked = lanes.load(&below[at..]) + bit.masked(height.le(limit));
                    lanes.store(marked, &mut below[at..]);
                    at += L::COUNT;
                }
            }
            k += 1;
        }
    }
}

/// Heights of a point above planes.
#[inline(always)]
fn height<L: Lanes>(lanes: L, block: &PlaneBlock, at: usize, [x, y, z]: [L::F; 3]) -> L::F {
    let [nx, ny, nz, offset] = block;
    lanes.load(&nx[at..]) * x + lanes.load(&ny[at..]) * y + lanes.load(&nz[at..]) * z
        - lanes.load(&offset[at..])
}

/// Lowers the bounds of faces to the heights of a point. Returns the greatest bound, and the first face that has it.
#[inline(always)]
fn lower<L: Lanes>(
    lanes: L,
    planes: &[PlaneBlock],
    point: [f32; 3],
    above: &mut [[f32; 16]; FACE_BLOCKS],
) -> (f32, usize) {
    let [x, y, z] = point;
    let point = [lanes.splat(x), lanes.splat(y), lanes.splat(z)];
    let mut most = lanes.splat(f32::NEG_INFINITY);
    for (block, above) in planes.iter().zip(&mut *above) {
        let mut at = 0;
        while at < 16 {
            let bound = height(lanes, block, at, point).min(lanes.load(&above[at..]));
            lanes.store(bound, &mut above[at..]);
            most = bound.max(most);
            at += L::COUNT;
        }
    }
    let most = largest(lanes, most);
    let limit = lanes.splat(most);
    for (k, above) in above.iter().enumerate().take(planes.len()) {
        let mut at = 0;
        while at < 16 {
            let bits = limit.le(lanes.load(&above[at..])).bits();
            if bits != 0 {
                return (most, 16 * k + at + bits.trailing_zeros() as usize);
            }
            at += L::COUNT;
        }
    }
    (most, usize::MAX)
}

/// The greatest lane.
#[inline(always)]
fn largest<L: Lanes>(lanes: L, x: L::F) -> f32 {
    let mut all = [f32::NEG_INFINITY; 16];
    lanes.store(x, &mut all);
    let mut half = 8;
    while half > 0 {
        let mut k = 0;
        while k < half {
            all[k] = Float::max(all[k + half], all[k]);
            k += 1;
        }
        half /= 2;
    }
    all[0]
}

/// An edge with the normals of its faces, so that it points along their cross product.
#[derive(Clone, Copy)]
struct Arc {
    start: [f64; 3],
    along: [f64; 3],
    normals: [[f64; 3]; 2],
}

impl Solid<'_> {
    #[inline(always)]
    fn arc(&self, edge: usize) -> Arc {
        let HullEdge { ends, faces } = self.edges()[edge];
        let (start, end) = (
            self.corner(usize::from(ends[0])),
            self.corner(usize::from(ends[1])),
        );
        let all = self.faces();
        let normals = [
            self.to_world(all[usize::from(faces[0])].normal),
            self.to_world(all[usize::from(faces[1])].normal),
        ];
        let along = sub(end, start);
        let is_along = dot(along, cross(normals[0], normals[1])) >= 0.0;
        let (start, along) = if is_along {
            (start, along)
        } else {
            (end, neg(along))
        };
        Arc {
            start,
            along,
            normals,
        }
    }
}

impl Arc {
    const NONE: Self = Arc {
        start: [0.0; 3],
        along: [0.0; 3],
        normals: [[0.0; 3]; 2],
    };

    /// The cross product that is a normal of both edges, from the first shape to the second; `None` if the arcs do not cross.
    #[inline(always)]
    fn crosses(&self, other: &Arc) -> Option<[f64; 3]> {
        let (p, q) = (
            dot(self.normals[0], other.along),
            dot(self.normals[1], other.along),
        );
        let (r, s) = (
            dot(other.normals[0], self.along),
            dot(other.normals[1], self.along),
        );
        // Arcs that touch count.
        let (of_a, of_b) = (norm1(other.along) * TOUCH, norm1(self.along) * TOUCH);
        let up = p >= -of_a && q <= of_a && r >= -of_b && s <= of_b;
        let down = p <= of_a && q >= -of_a && r <= of_b && s >= -of_b;
        if !up && !down {
            return None;
        }
        let normal = cross(self.along, other.along);
        let is_parallel = norm1(normal) <= PARALLEL * norm1(self.along) * norm1(other.along);
        if is_parallel {
            return None;
        }
        Some(if up { normal } else { neg(normal) })
    }
}

/// Cosine by which arcs may miss one another.
const TOUCH: f64 = 1.0 / (1u64 << 24) as f64;
/// Sine of an angle below which edges are parallel.
const PARALLEL: f64 = 1.0 / (1u64 << 30) as f64;

/// A point of a manifold before the reduction.
#[derive(Clone, Copy)]
struct Candidate {
    /// Between the surfaces of the cores.
    at: [f64; 3],
    /// Separation of the cores.
    separation: f64,
    feature: u8,
}

const NO_CANDIDATE: Candidate = Candidate {
    at: [0.0; 3],
    separation: f64::INFINITY,
    feature: 0,
};

/// Corners of the patch of a face, relative to the center of A.
struct Polygon<const N: usize> {
    corners: [[f64; 3]; N],
    /// Coordinates across the normal.
    flat: [[f64; 2]; N],
    features: [u8; N],
    len: usize,
    /// 1 if counterclockwise about the normal of the contact, or −1.
    turn: f64,
    normal: [f64; 3],
    /// A corner of the face.
    base: [f64; 3],
}

impl<const N: usize> Polygon<N> {
    fn new(
        solid: &Solid<'_>,
        face: usize,
        at: [f64; 3],
        (about, basis): ([f64; 3], [[f64; 3]; 2]),
        first: u8,
    ) -> Self {
        let normal = solid.to_world(solid.faces()[face].normal);
        let mut polygon = Polygon {
            corners: [[0.0; 3]; N],
            flat: [[0.0; 2]; N],
            features: [0; N],
            len: 0,
            turn: if dot(normal, about) >= 0.0 { 1.0 } else { -1.0 },
            normal,
            base: at,
        };
        if let Some(&corner) = solid.corners_of(face).first() {
            polygon.base = add(at, solid.corner(usize::from(corner)));
        }
        for (k, &corner) in solid.patch_of(face).iter().enumerate().take(N) {
            let point = add(at, solid.corner(usize::from(corner)));
            polygon.corners[k] = point;
            polygon.flat[k] = [dot(basis[0], point), dot(basis[1], point)];
            polygon.features[k] = first + corner;
            polygon.len = k + 1;
        }
        polygon
    }

    /// Reduces a polygon without area, up to `slop`, to the corners at its ends: sides in one line bound no end.
    fn drop_flat_sides(&mut self, slop: f64) {
        if self.len < 3 {
            return;
        }
        let (mut area, mut around) = (0.0, 0.0);
        let first = self.flat[0];
        for k in 0..self.len {
            let (p, q) = self.side(k);
            area += (p[0] - first[0]) * (q[1] - first[1]) - (p[1] - first[1]) * (q[0] - first[0]);
            around += self.length(k);
        }
        if area.abs() > slop * around {
            return;
        }
        let one = self.farthest(0);
        let other = self.farthest(one);
        let kept = [one, other].map(|k| (self.corners[k], self.flat[k], self.features[k]));
        for (k, kept) in kept.into_iter().enumerate() {
            (self.corners[k], self.flat[k], self.features[k]) = kept;
        }
        self.len = if one == other { 1 } else { 2 };
    }

    /// The corner that is farthest from another, seen along the normal; the corner itself if all are equal.
    fn farthest(&self, from: usize) -> usize {
        let (mut best, mut most) = (from, 0.0);
        for k in 0..self.len {
            let (p, q) = (self.flat[from], self.flat[k]);
            let off = (q[0] - p[0]).abs() + (q[1] - p[1]).abs();
            if off > most {
                (best, most) = (k, off);
            }
        }
        best
    }

    /// Distance of a point from a side, positive inside, times the length of the side.
    #[inline(always)]
    fn inside(&self, side: usize, p: [f64; 2]) -> f64 {
        let (q, r) = self.side(side);
        ((r[0] - q[0]) * (p[1] - q[1]) - (r[1] - q[1]) * (p[0] - q[0])) * self.turn
    }

    #[inline(always)]
    fn side(&self, side: usize) -> ([f64; 2], [f64; 2]) {
        let next = if side + 1 < self.len { side + 1 } else { 0 };
        (self.flat[side], self.flat[next])
    }

    /// At least the length of a side.
    fn length(&self, side: usize) -> f64 {
        let (q, r) = self.side(side);
        (r[0] - q[0]).abs() + (r[1] - q[1]).abs()
    }

    /// Distance of the plane of this face from a point, along a unit vector; `None` if the face is too steep.
    fn height(&self, from: [f64; 3], n: [f64; 3]) -> Option<f64> {
        let facing = dot(self.normal, n);
        if facing.abs() < FACING {
            return None;
        }
        Some(dot(self.normal, sub(self.base, from)) / facing)
    }
}

/// Least cosine between a normal and that of a face which is clipped to.
const FACING: f64 = 0.25;

/// The candidates of a manifold.
struct Candidates<const N: usize> {
    list: [Candidate; N],
    len: usize,
    /// Greatest separation of the cores.
    limit: f64,
}

impl<const N: usize> Candidates<N> {
    fn add(&mut self, candidate: Candidate) {
        if self.len < N && candidate.separation <= self.limit {
            self.list[self.len] = candidate;
            self.len += 1;
        }
    }
}

impl<L: Lanes> SolidPair<'_, '_, L> {
    /// The contact along a normal.
    #[inline(always)]
    fn along(&self, best: Best) -> HullContact {
        let [a, b] = self.solids;
        let corners = match best.feature {
            Feature::Edges(j, k) => return self.contact_of(best, &[self.of_edges(best, j, k)]),
            Feature::Points(points) => {
                return self.contact_of(best, &[of_points(best, points)]);
            }
            Feature::FaceOfA(face) => [face, b.face_along(neg(best.normal), self.support(best))],
            Feature::FaceOfB(face) => [a.face_along(best.normal, self.support(best)), face],
        };
        // Each edge of the incident face has up to two points, each corner of the other one.
        let len = a.patch_of(corners[0]).len() + b.patch_of(corners[1]).len();
        if 2 * len <= 16 {
            self.of_faces::<16>(best, corners)
        } else {
            self.of_faces::<192>(best, corners)
        }
    }

    /// The point of two edges.
    fn of_edges(&self, best: Best, j: usize, k: usize) -> Candidate {
        let [a, b] = self.solids;
        let (p, q) = (a.arc(j), b.arc(k));
        let start = add(self.offset, q.start);
        let way = sub(start, p.start);
        let normal = cross(p.along, q.along);
        let (unit, scale) = scaled(normal).unwrap_or(([1.0, 0.0, 0.0], 1.0));
        let squared = dot(unit, unit) * scale;
        let share = |v: [f64; 3]| {
            let share = dot(cross(way, v), unit) / squared;
            f64_min(f64_max(share, 0.0), 1.0)
        };
        let x = add(p.start, times(p.along, share(q.along)));
        let y = add(start, times(q.along, share(p.along)));
        Candidate {
            at: times(add(x, y), 0.5),
            separation: best.gap,
            feature: 128 | ((7 * j + k) % 128) as u8,
        }
    }

    /// The contact of two faces. One of them has the normal.
    #[inline(always)]
    fn of_faces<const N: usize>(&self, best: Best, faces: [usize; 2]) -> HullContact {
        let [a, b] = self.solids;
        let n = best.normal;
        let basis = across(n);
        let mut polygons = [
            Polygon::<N>::new(a, faces[0], [0.0; 3], (n, basis), 0),
            Polygon::<N>::new(b, faces[1], self.offset, (n, basis), 64),
        ];
        let mut reference = match best.feature {
            Feature::FaceOfB(_) => 1,
            _ => 0,
        };
        let slop = 4.0 * f64::from(U) * self.size;
        for polygon in &mut polygons {
            polygon.drop_flat_sides(slop);
        }
        let mut candidates = Candidates::<N> {
            list: [NO_CANDIDATE; N],
            len: 0,
            limit: f64_max(self.within, best.gap) + slop,
        };
        if polygons[reference].len < 3 {
            reference = 1 - reference;
        }
        if self.is_steep(&polygons, n) {
            candidates.limit = f64_min(candidates.limit, best.gap + slop);
        }
        if polygons[reference].len >= 3 {
            clip(&polygons, reference, n, slop, &mut candidates);
        } else {
            meet(&polygons, best, slop, &mut candidates);
        }
        if candidates.len == 0 {
            candidates.limit = f64::INFINITY;
            // Cores beside each other are nearest elsewhere.
            let is_beside = best.gap >= -32.0 * f64::from(U) * self.size;
            candidates.add(if is_beside {
                of_points(best, self.nearest().points)
            } else {
                self.of_support(best)
            });
        }
        let candidates = &mut candidates;
        let deep = self.size * DEEP;
        let radii = a.body.radius + b.body.radius;
        let kept = reduce(&mut candidates.list[..candidates.len], basis, radii, deep);
        self.contact_of(best, &candidates.list[..kept])
    }

    /// Whether the axis of a capsule is so oblique to a normal that only its nearest end touches: a point at the radius from any
    /// other point of the axis, along the normal, is inside the capsule by up to half the radius times the squared sine.
    fn is_steep<const N: usize>(&self, polygons: &[Polygon<N>; 2], n: [f64; 3]) -> bool {
        let mut is_steep = false;
        for (solid, polygon) in self.solids.iter().zip(polygons) {
            if polygon.len == 2 {
                let axis = sub(polygon.corners[1], polygon.corners[0]);
                let along = dot(axis, n);
                let most = 128.0 * f64::from(U) * self.size * dot(axis, axis);
                is_steep |= solid.body.radius * along * along > most;
            }
        }
        is_steep
    }

    /// The support of the shape without the reference face.
    #[inline(always)]
    fn support(&self, best: Best) -> usize {
        let [a, b] = self.solids;
        match best.feature {
            Feature::FaceOfB(_) => a.farthest(self.lanes, best.normal),
            _ => b.farthest(self.lanes, neg(best.normal)),
        }
    }

    /// The support of the incident shape, with its foot on the reference face.
    fn of_support(&self, best: Best) -> Candidate {
        let [a, b] = self.solids;
        let half = times(best.normal, 0.5 * best.gap);
        let point = self.support(best);
        let (at, feature) = match best.feature {
            Feature::FaceOfB(_) => (add(a.corner(point), half), point as u8),
            _ => {
                let at = sub(add(self.offset, b.corner(point)), half);
                (at, 64 + point as u8)
            }
        };
        Candidate {
            at,
            separation: best.gap,
            feature,
        }
    }

    /// The contact with these points, up to four.
    fn contact_of(&self, best: Best, candidates: &[Candidate]) -> HullContact {
        let [a, b] = self.solids;
        let radii = a.body.radius + b.body.radius;
        let shift = times(best.normal, 0.5 * (a.body.radius - b.body.radius));
        let point = |k: usize| {
            let candidate = candidates.get(k).unwrap_or(&candidates[0]);
            HullContactPoint {
                at: add(candidate.at, shift),
                separation: if k < candidates.len() {
                    candidate.separation - radii
                } else {
                    f64::INFINITY
                },
                feature: candidate.feature,
            }
        };
        HullContact {
            normal: best.normal,
            // Without a margin a reported pair never has positive separation.
            separation: f64_min(best.gap - radii, 2.0 * f64::from(self.margin)),
            offset: if b.has_center { self.offset } else { [0.0; 3] },
            count: candidates.len(),
            points: [point(0), point(1), point(2), point(3)],
        }
    }
}

/// The point between the nearest points of cores.
fn of_points(best: Best, [x, y]: [[f64; 3]; 2]) -> Candidate {
    Candidate {
        at: times(add(x, y), 0.5),
        separation: f64_max(dot(sub(y, x), best.normal), best.gap),
        feature: 0,
    }
}

/// Part of S by which points may differ in depth before the deepest is kept.
const DEEP: f64 = 1.0 / (1u64 << 11) as f64;

/// Clips the incident face to the reference face along a unit vector.
fn clip<const N: usize>(
    polygons: &[Polygon<N>; 2],
    reference: usize,
    n: [f64; 3],
    slop: f64,
    candidates: &mut Candidates<N>,
) {
    let (to, from) = (&polygons[reference], &polygons[1 - reference]);
    // The separation is measured from A to B.
    let sign = if reference == 0 { -1.0 } else { 1.0 };
    let mut add_point = |at: [f64; 3], height: f64, sign: f64, feature: u8| {
        candidates.add(Candidate {
            at: add(at, times(n, 0.5 * height)),
            separation: sign * height,
            feature,
        });
    };
    let sides = to.len;
    let edges = match from.len {
        2 => 1,
        len => len,
    };
    for k in 0..edges {
        let (p, q) = from.side(k);
        let (mut enter, mut leave) = ((0.0, 0), (1.0, 0));
        for side in 0..sides {
            let slop = slop * to.length(side);
            let (first, last) = (to.inside(side, p) + slop, to.inside(side, q) + slop);
            if first < 0.0 && last < 0.0 {
                leave.0 = -1.0;
                break;
            }
            if first < 0.0 {
                let share = first / (first - last);
                if share > enter.0 {
                    enter = (share, side);
                }
            } else if last < 0.0 {
                let share = first / (first - last);
                if share < leave.0 {
                    leave = (share, side);
                }
            }
        }
        if enter.0 > leave.0 {
            continue;
        }
        let (start, next) = (
            from.corners[k],
            from.corners[if k + 1 < from.len { k + 1 } else { 0 }],
        );
        let way = sub(next, start);
        let mut add_at = |share: f64, feature: u8| {
            let at = add(start, times(way, share));
            if let Some(height) = to.height(at, n) {
                add_point(at, height, sign, feature);
            }
        };
        if enter.0 == 0.0 {
            add_at(0.0, from.features[k]);
        } else {
            add_at(enter.0, 128 + 2 * enter.1 as u8);
        }
        if leave.0 < 1.0 {
            add_at(leave.0, 129 + 2 * leave.1 as u8);
        } else if from.len == 2 {
            add_at(1.0, from.features[1]);
        }
    }
    if from.len < 3 {
        return;
    }
    // Corners of the reference face inside the incident face.
    for k in 0..to.len {
        let point = to.flat[k];
        let mut is_inside = true;
        for side in 0..from.len {
            is_inside &= from.inside(side, point) > slop * from.length(side);
        }
        if is_inside && let Some(height) = from.height(to.corners[k], n) {
            add_point(to.corners[k], height, -sign, to.features[k]);
        }
    }
}

/// Adds the points in which two segments or points meet, seen along the normal: where an end is over the other one, and where they
/// cross. If they do not meet, adds the pair of points that are nearest to each other.
fn meet<const N: usize>(
    polygons: &[Polygon<N>; 2],
    best: Best,
    slop: f64,
    candidates: &mut Candidates<N>,
) {
    let flat = |a: [f64; 2], b: [f64; 2]| [b[0] - a[0], b[1] - a[1]];
    let last = |polygon: &Polygon<N>| usize::from(polygon.len > 1);
    let of = |x: [f64; 3], y: [f64; 3], feature: u8| Candidate {
        at: times(add(x, y), 0.5),
        separation: dot(sub(y, x), best.normal),
        feature,
    };
    let (mut least, mut nearest) = (f64::INFINITY, NO_CANDIDATE);
    let is_line = polygons[0].len == 2 && polygons[1].len == 2;
    let mut ends = Candidates::<4> {
        list: [NO_CANDIDATE; 4],
        len: 0,
        limit: candidates.limit,
    };
    for side in 0..2 {
        let (this, other) = (&polygons[side], &polygons[1 - side]);
        let (from, to) = (other.flat[0], other.flat[last(other)]);
        let way = flat(from, to);
        let squared = way[0] * way[0] + way[1] * way[1];
        for k in 0..=last(this) {
            let d = flat(from, this.flat[k]);
            let share = if squared > 0.0 {
                f64_min(f64_max((d[0] * way[0] + d[1] * way[1]) / squared, 0.0), 1.0)
            } else {
                0.0
            };
            let off = [d[0] - share * way[0], d[1] - share * way[1]];
            let off = off[0].abs() + off[1].abs();
            let on_other = add(
                other.corners[0],
                times(sub(other.corners[last(other)], other.corners[0]), share),
            );
            let [x, y] = match side {
                0 => [this.corners[k], on_other],
                _ => [on_other, this.corners[k]],
            };
            let candidate = of(x, y, this.features[k]);
            if off <= slop && is_line {
                ends.add(candidate);
            }
            let is_better = if off <= slop && least <= slop {
                candidate.separation < nearest.separation
            } else {
                off < least
            };
            if is_better {
                (least, nearest) = (off, candidate);
            }
        }
    }
    // Up to two points, as a capsule has.
    if is_line {
        let [a, b] = polygons;
        let (p, q) = (flat(a.flat[0], a.flat[1]), flat(b.flat[0], b.flat[1]));
        let d = flat(a.flat[0], b.flat[0]);
        let area = p[0] * q[1] - p[1] * q[0];
        let shares = [
            (d[0] * q[1] - d[1] * q[0]) / area,
            (d[0] * p[1] - d[1] * p[0]) / area,
        ];
        let is_within = |share: f64| 0.0 < share && share < 1.0;
        if ends.len < 2 && is_within(shares[0]) && is_within(shares[1]) {
            let at = |polygon: &Polygon<N>, share| {
                let way = sub(polygon.corners[1], polygon.corners[0]);
                add(polygon.corners[0], times(way, share))
            };
            candidates.add(of(at(a, shares[0]), at(b, shares[1]), 128));
        } else if ends.len > 0 {
            let ends = &ends.list[..ends.len];
            let away = |k: usize| {
                let d = sub(ends[k].at, ends[0].at);
                dot(d, d)
            };
            let mut far = 0;
            for k in 1..ends.len() {
                if away(k) > away(far) {
                    far = k;
                }
            }
            candidates.add(ends[0]);
            if far > 0 {
                candidates.add(ends[far]);
            }
        }
    }
    if candidates.len == 0 {
        candidates.limit = f64::INFINITY;
        candidates.add(nearest);
    }
}

/// Moves up to four points to the front that cover most of the area. Returns their number.
///
/// Points that touch have precedence over separated ones: within the margin, the corners of a tilted face would cover more than the edge
/// that the hull rests on.
fn reduce(points: &mut [Candidate], [u, v]: [[f64; 3]; 2], touching: f64, deep: f64) -> usize {
    let len = points.len();
    if len <= 4 {
        return len;
    }
    let mut least = f64::INFINITY;
    for point in &*points {
        least = f64_min(point.separation, least);
    }
    let limit = f64_max(least, touching) + deep;
    let mut near = 0;
    for k in 0..len {
        if points[k].separation <= limit {
            points.swap(near, k);
            near += 1;
        }
    }
    let flat = |point: &Candidate| [dot(point.at, u), dot(point.at, v)];
    let (points, kept) = if near < 4 {
        (points, near)
    } else {
        let points = &mut points[..near];
        let (mut deepest, mut most) = (0, f64::NEG_INFINITY);
        for (k, point) in points.iter().enumerate() {
            if point.separation < points[deepest].separation {
                deepest = k;
            }
            most = f64_max(point.separation, most);
        }
        if most - least <= deep {
            deepest = farthest(points, |point| {
                let [x, y] = flat(point);
                x + 0.375 * y
            });
        }
        points.swap(0, deepest);
        (points, 1)
    };
    let [x, y] = flat(&points[0]);
    let away = |point: &Candidate| {
        let [px, py] = flat(point);
        [px - x, py - y]
    };
    if kept < 2 {
        let second = 1 + farthest(&points[1..], |point| {
            let [dx, dy] = away(point);
            dx * dx + dy * dy
        });
        points.swap(1, second);
    }
    let [dx, dy] = away(&points[1]);
    let area = |point: &Candidate| {
        let [px, py] = away(point);
        dx * py - dy * px
    };
    if kept < 3 {
        let third = 2 + farthest(&points[2..], area);
        points.swap(2, third);
    }
    let sign = if kept == 3 && area(&points[2]) < 0.0 {
        -1.0
    } else {
        1.0
    };
    let fourth = 3 + farthest(&points[3..], |point| -sign * area(point));
    points.swap(3, fourth);
    4
}

/// The first point with the greatest value.
fn farthest(points: &[Candidate], value: impl Fn(&Candidate) -> f64) -> usize {
    let (mut best, mut most) = (0, f64::NEG_INFINITY);
    for (k, point) in points.iter().enumerate() {
        let value = value(point);
        if value > most {
            (best, most) = (k, value);
        }
    }
    best
}

/// The contact of a hull with a plane, or with a solid half-space: the corners of a face.
#[inline(always)]
pub fn contact_with_plane<L: Lanes>(
    lanes: L,
    hull: &Solid<'_>,
    normal: [f32; 3],
    d: f32,
    is_solid: bool,
    margin: f32,
) -> Option<HullContact> {
    let interval = Interval::of(lanes, &hull.body, normal, d)?;
    let place = interval.place(is_solid);
    let n = place.normal;
    let support = hull.farthest(lanes, n);
    let face = hull.face_along(n, support);
    let size = place.size + f64::from(margin);
    let mut candidates = Candidates::<64> {
        list: [NO_CANDIDATE; 64],
        len: 0,
        limit: f64_max(f64::from(margin), place.gap) + 16.0 * f64::from(U) * size,
    };
    let mut add_corner = |corner: usize| {
        let at = hull.corner(corner);
        let height = place.height - dot(at, n);
        candidates.add(Candidate {
            at: add(at, times(n, 0.5 * height)),
            separation: height,
            feature: corner as u8,
        });
    };
    for &corner in hull.patch_of(face) {
        add_corner(usize::from(corner));
    }
    if candidates.len == 0 {
        candidates.limit = f64::INFINITY;
        let at = hull.corner(support);
        let height = place.height - dot(at, n);
        candidates.add(Candidate {
            at: add(at, times(n, 0.5 * height)),
            separation: height,
            feature: support as u8,
        });
    }
    let len = candidates.len;
    let kept = reduce(&mut candidates.list[..len], across(n), 0.0, size * DEEP);
    let point = |k: usize| {
        let candidate = candidates.list[if k < kept { k } else { 0 }];
        HullContactPoint {
            at: candidate.at,
            separation: if k < kept {
                candidate.separation
            } else {
                f64::INFINITY
            },
            feature: candidate.feature,
        }
    };
    Some(HullContact {
        normal: n,
        separation: f64_min(place.gap, 2.0 * f64::from(margin)),
        offset: [0.0; 3],
        count: kept,
        points: [point(0), point(1), point(2), point(3)],
    })
}
