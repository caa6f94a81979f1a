//! Bounded shapes with the faces and edges of their cores, for contacts with convex hulls.
//!
//! Hulls have those of their kind, in the frame of its points. Boxes, triangles, segments and points have a few of their own, along the axes of
//! the world: so the search of a contact has one form for all.

use crate::lane::Lanes;
use crate::math::dvec::{DVec3, WORLD, f64_max};
use crate::math::exact::normal as triangle_normal;
use crate::math::rotation::f64_axes_of;
use crate::narrow::convex::body::{Body, Reach, point_at};
use crate::narrow::convex::support::Farthest;
use crate::store::hull::discs::Discs;
use crate::store::hull::faces::{EdgeBlock, HullEdge, HullFace, HullFaces, PlaneBlock, edge_block};
use crate::store::hull::kinds::{HullCore, PointBlock};

/// A shape with the faces of its core.
pub struct Solid<'k> {
    pub body: Body<'k>,
    /// Whether points are relative to the center.
    pub has_center: bool,
    /// Unit axes of the frame of the faces.
    pub axes: [DVec3; 3],
    faces: Faces<'k>,
}

/// Faces of a core.
#[expect(
    clippy::large_enum_variant,
    reason = "of two on the stack, most are hulls"
)]
enum Faces<'k> {
    Hull(&'k HullFaces, &'k [PointBlock]),
    Own(OwnFaces),
}

/// Faces of a core that is no hull, along the world axes and relative to the center of the shape.
struct OwnFaces {
    topology: &'static Topology,
    faces: [HullFace; 6],
    planes: [PlaneBlock; 1],
    edge_planes: [EdgeBlock; 1],
    corners: [DVec3; 8],
    /// The corners rounded, the first one several times.
    points: [PointBlock; 1],
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
        edge([2, 3], [5, 2]),
        edge([4, 5], [4, 3]),
        edge([6, 7], [2, 4]),
        edge([0, 2], [5, 1]),
        edge([1, 3], [0, 5]),
        edge([4, 6], [1, 4]),
        edge([5, 7], [4, 0]),
        edge([0, 4], [1, 3]),
        edge([1, 5], [3, 0]),
        edge([2, 6], [2, 1]),
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

impl OwnFaces {
    /// No faces.
    const NONE: Self = OwnFaces {
        topology: &POINT,
        faces: [HullFace {
            normal: DVec3::ZERO,
            offset: 0.0,
            first: 0,
            len: 0,
            patch: (0, 0),
        }; 6],
        // Planes that no point is above.
        planes: [[[0.0; 16], [0.0; 16], [0.0; 16], [f32::MAX / 4.0; 16]]],
        edge_planes: [[[[0.0; 16]; 4]; 2]],
        corners: [DVec3::ZERO; 8],
        points: [[[0.0; 16]; 3]],
        middle: [0.0; 3],
    };

    /// Sets the faces with these normals of a core with these corners.
    fn set(&mut self, topology: &'static Topology, normals: &[DVec3], points: &[DVec3]) {
        self.topology = topology;
        self.corners[..points.len()].copy_from_slice(points);
        let [rounded] = &mut self.points;
        for k in 0..16 {
            let point = points[if k < points.len() { k } else { 0 }];
            for (column, x) in rounded.iter_mut().zip(point.0) {
                column[k] = x as f32;
            }
        }
        let [planes] = &mut self.planes;
        [*planes] = Self::NONE.planes;
        for (k, (&normal, &(first, len))) in normals.iter().zip(topology.faces).enumerate() {
            let mut offset = f64::NEG_INFINITY;
            for point in points {
                offset = f64_max(normal.dot(*point), offset);
            }
            for (axis, x) in normal.to_f32().into_iter().enumerate() {
                planes[axis][k] = x;
            }
            planes[3][k] = offset as f32;
            self.faces[k] = HullFace {
                normal,
                offset,
                first,
                len,
                patch: (0, 0),
            };
        }
        let mut middle = DVec3::ZERO;
        for point in points {
            middle = middle + *point * (1.0 / points.len() as f64);
        }
        self.middle = middle.to_f32();
        self.edge_planes = [edge_block(topology.edges, &self.planes)];
    }

    /// Sets the faces of a point.
    fn set_point(&mut self, at: DVec3) {
        let [x, y, z] = WORLD;
        self.set(&POINT, &[x, -x, y, -y, z, -z], &[at]);
    }

    /// Sets the faces of a segment.
    fn set_segment(&mut self, ends: [DVec3; 2]) {
        let Some(along) = (ends[1] - ends[0]).unit() else {
            return self.set_point(ends[0]);
        };
        let [u, w] = along.across();
        self.set(&SEGMENT, &[u, w, -u, -w], &ends);
    }

    /// Sets the faces of a box, given its axes and half of its edges.
    fn set_cuboid(&mut self, [x, y, z]: [DVec3; 3], [a, b, c]: [DVec3; 3]) {
        let mut corners = [DVec3::ZERO; 8];
        for (k, corner) in corners.iter_mut().enumerate() {
            let signed =
                |axis: usize, half: DVec3| half * if k >> axis & 1 == 1 { 1.0 } else { -1.0 };
            *corner = signed(0, a) + signed(1, b) + signed(2, c);
        }
        self.set(&BOX, &[x, -x, y, -y, z, -z], &corners);
    }

    /// Sets the faces of a triangle, relative to its first corner.
    fn set_triangle(&mut self, corners: [[f32; 3]; 3]) {
        let [a, b, c] = corners;
        let (a, b, c) = (DVec3::of(a), DVec3::of(b), DVec3::of(c));
        let points = [DVec3::ZERO, b - a, c - a];
        let [first, second, third] = [points[1], points[2] - points[1], -points[2]];
        match triangle_normal(corners).unit() {
            Some(normal) => {
                let across = |edge: DVec3| edge.cross(normal).unit().unwrap_or(DVec3::ZERO);
                let [p, q, r] = [across(first), across(second), across(third)];
                self.set(&TRIANGLE, &[normal, -normal, p, q, r], &points);
            }
            None => {
                // The longest edge contains the third corner.
                let [p, q, r] = [first.dot(first), second.dot(second), third.dot(third)];
                self.set_segment(if p >= q && p >= r {
                    [points[0], points[1]]
                } else if q >= r {
                    [points[1], points[2]]
                } else {
                    [points[2], points[0]]
                });
            }
        }
    }
}

impl<'k> Solid<'k> {
    /// A point at the origin.
    pub const NONE: Self = Solid {
        body: Body::NONE,
        has_center: true,
        axes: WORLD,
        faces: Faces::Own(OwnFaces::NONE),
    };

    /// Sets this to a shape that is no hull.
    #[inline(always)]
    fn set_own(&mut self, body: Body<'k>, set: impl FnOnce(&mut OwnFaces)) {
        self.body = body;
        self.has_center = true;
        self.axes = WORLD;
        if let Faces::Own(own) = &mut self.faces {
            set(own);
        } else {
            let mut own = OwnFaces::NONE;
            set(&mut own);
            self.faces = Faces::Own(own);
        }
    }

    /// Sets this to a sphere, or a point.
    pub fn set_sphere(&mut self, center: [f32; 3], radius: f32) {
        self.set_own(Body::sphere(center, radius), |own| {
            own.set_point(DVec3::ZERO);
        });
    }

    /// Sets this to a capsule.
    pub fn set_capsule(&mut self, center: [f32; 3], half_axis: [f32; 3], radius: f32) {
        let half = DVec3::of(half_axis);
        self.set_own(Body::capsule(center, half_axis, radius), |own| {
            own.set_segment([-half, half]);
        });
    }

    /// Sets this to an AABB.
    pub fn set_aabb(&mut self, min: [f32; 3], max: [f32; 3]) {
        let body = Body::aabb(min, max);
        self.set_own(body, |own| own.set_cuboid(WORLD, body.spans.vectors()));
    }

    /// Sets this to an OBB.
    pub fn set_obb(&mut self, center: [f32; 3], half_extents: [f32; 3], rotation: [f32; 4]) {
        let body = Body::obb(center, half_extents, rotation);
        self.set_own(body, |own| {
            own.set_cuboid(f64_axes_of(rotation), body.spans.vectors());
        });
    }

    /// Sets this to a triangle.
    pub fn set_triangle(&mut self, corners: [[f32; 3]; 3]) {
        self.set_own(Body::triangle(corners), |own| own.set_triangle(corners));
        self.has_center = false;
    }

    /// Sets this to a hull with its radius, given the faces of its core.
    #[inline(always)]
    pub fn set_hull(
        &mut self,
        center: [f32; 3],
        rotation: [f32; 4],
        core: HullCore<'k>,
        faces: &'k HullFaces,
    ) {
        let axes = f64_axes_of(rotation);
        self.body.set_hull(center, axes, core);
        self.has_center = true;
        self.axes = axes;
        self.faces = Faces::Hull(faces, core.blocks);
    }

    pub fn faces(&self) -> &[HullFace] {
        match &self.faces {
            Faces::Hull(faces, _) => &faces.faces,
            Faces::Own(own) => &own.faces[..own.topology.faces.len()],
        }
    }

    pub fn planes(&self) -> &[PlaneBlock] {
        match &self.faces {
            Faces::Hull(faces, _) => &faces.planes,
            Faces::Own(own) => &own.planes,
        }
    }

    pub fn edges(&self) -> &[HullEdge] {
        match &self.faces {
            Faces::Hull(faces, _) => &faces.edges,
            Faces::Own(own) => own.topology.edges,
        }
    }

    /// Corners of a face, counterclockwise as seen from outside.
    pub fn corners_of(&self, face: usize) -> &[u8] {
        let HullFace { first, len, .. } = self.faces()[face];
        let corners = match &self.faces {
            Faces::Hull(faces, _) => &faces.corners,
            Faces::Own(own) => own.topology.corners,
        };
        &corners[usize::from(first)..][..usize::from(len)]
    }

    /// Corners of the patch of a face, counterclockwise as seen from outside.
    pub fn patch_of(&self, face: usize) -> &[u8] {
        match &self.faces {
            Faces::Hull(faces, _) => faces.patch_of(face),
            Faces::Own(_) => self.corners_of(face),
        }
    }

    /// The faces at a point of the surface.
    pub fn around(&self, point: usize) -> &[u8] {
        match &self.faces {
            Faces::Hull(faces, _) => faces.around(point),
            Faces::Own(own) => {
                let (first, len) = own.topology.around_of[point];
                &own.topology.around[usize::from(first)..][..usize::from(len)]
            }
        }
    }

    /// A point inside, in the frame of the faces.
    pub fn middle(&self) -> [f32; 3] {
        match &self.faces {
            Faces::Hull(faces, _) => faces.middle,
            Faces::Own(own) => own.middle,
        }
    }

    /// The points of the core, in the frame of the faces; never none.
    #[inline(always)]
    pub fn points(&self) -> &[PointBlock] {
        match &self.faces {
            Faces::Hull(_, points) => points,
            Faces::Own(own) => &own.points,
        }
    }

    /// The planes of the faces of the edges.
    #[inline(always)]
    pub fn edge_planes(&self) -> &[EdgeBlock] {
        match &self.faces {
            Faces::Hull(faces, _) => &faces.edge_planes,
            Faces::Own(own) => &own.edge_planes,
        }
    }

    /// Corner `k`, relative to the center.
    #[inline]
    pub fn corner(&self, k: usize) -> DVec3 {
        match &self.faces {
            Faces::Hull(_, points) => self.to_world(point_at(points, k)),
            Faces::Own(own) => own.corners[k],
        }
    }

    /// The discs of a cylinder or a cone. Its faces are those of polygons.
    #[inline(always)]
    pub fn discs(&self) -> Option<Discs> {
        self.body.points.and_then(|points| points.discs)
    }

    /// The discs, if a face is one of the round side.
    #[inline(always)]
    pub fn round_side(&self, face: usize) -> Option<Discs> {
        let DVec3([x, y, _]) = self.faces()[face].normal;
        let is_side = x != 0.0 || y != 0.0;
        self.discs().filter(|_| is_side)
    }

    /// Whether a face has an area: not those of points, segments and round sides.
    #[inline(always)]
    pub fn has_area(&self, face: usize) -> bool {
        self.corners_of(face).len() > 2 && self.round_side(face).is_none()
    }

    /// The cosine of a unit vector and the normal of a face, of a round side at the place where it is farthest along the vector.
    #[inline(always)]
    pub fn cosine(&self, face: usize, d: DVec3) -> f64 {
        let local = self.to_local(d);
        match self.round_side(face) {
            Some(discs) => discs.along_side(local).0,
            None => self.faces()[face].normal.dot(local),
        }
    }

    /// Calls for each corner of the patch of a face, relative to the center, and its number, counterclockwise as seen from outside.
    ///
    /// The patch of a round side is its line that is farthest along a unit vector. The polygon of a disc has a corner there.
    #[inline(always)]
    pub fn each_corner(&self, face: usize, d: DVec3, mut each: impl FnMut(DVec3, u8)) {
        let patch = self.patch_of(face);
        let Some(discs) = self.discs().filter(|_| patch.len() > 1) else {
            for &corner in patch {
                each(self.corner(usize::from(corner)), corner);
            }
            return;
        };
        let local = self.to_local(d);
        let (_, azimuth) = discs.along_side(local);
        if self.round_side(face).is_some() {
            each(self.to_world(discs.rim_point(0, azimuth, 0)), 0);
            if discs.heights[0] != discs.heights[1] {
                each(self.to_world(discs.rim_point(1, azimuth, 0)), 16);
            }
            return;
        }
        let is_oblique = f64_max(local[0].abs(), local[1].abs()) > OBLIQUE;
        for &corner in patch {
            let at = if is_oblique {
                let (disc, k) = Discs::of_corner(corner);
                self.to_world(discs.rim_point(disc, azimuth, k))
            } else {
                self.corner(usize::from(corner))
            };
            each(at, corner);
        }
    }

    #[inline(always)]
    pub fn to_world(&self, v: DVec3) -> DVec3 {
        v.turned(self.axes)
    }

    #[inline(always)]
    pub fn to_local(&self, v: DVec3) -> DVec3 {
        v.along(self.axes)
    }

    /// The corner that is farthest along a direction, the first of equal ones.
    #[inline(always)]
    pub fn reach<L: Lanes>(&self, lanes: L, d: DVec3) -> Reach {
        let own = match &self.faces {
            Faces::Hull(_, points) => {
                let mut reach = self.body.reach(lanes, d);
                if self.discs().is_some() {
                    // The nearest corner of the polygons.
                    let local = self.to_local(d).to_f32();
                    (reach.index, _) = lanes.call::<Farthest<'_>>((points, local));
                }
                return reach;
            }
            Faces::Own(own) => own,
        };
        let (mut index, mut most) = (0, f64::NEG_INFINITY);
        let mut k = 0;
        while k < own.topology.around_of.len() {
            let along = own.corners[k].dot(d);
            if along > most {
                (index, most) = (k, along);
            }
            k += 1;
        }
        let point = own.corners[index];
        Reach { point, most, index }
    }

    /// The face at a support along a unit vector that is most along it.
    #[inline(always)]
    pub fn face_along(&self, d: DVec3, support: usize) -> usize {
        let local = self.to_local(d);
        let faces = self.faces();
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        let around = self.around(support);
        for &face in around {
            let along = faces[usize::from(face)].normal.dot(local);
            if along > most {
                (best, most) = (usize::from(face), along);
            }
        }
        if around.is_empty() {
            // Rounding may find a point just inside.
            for (face, HullFace { normal, .. }) in faces.iter().enumerate() {
                let along = normal.dot(local);
                if along > most {
                    (best, most) = (face, along);
                }
            }
        }
        best
    }
}

/// Sine from which a unit vector is oblique to the axis of discs. Below it, corners stay where they are from frame to frame, and
/// the polygon of a disc is short of its deepest point by at most a 2⁻¹⁷ of the radius.
const OBLIQUE: f64 = 1.0 / (1u64 << 12) as f64;

#[cfg(test)]
mod tests {
    use core::f32::consts::FRAC_1_SQRT_2;

    use super::*;

    #[test]
    fn edges_point_along_the_cross_products_of_their_normals() {
        type Set = fn(&mut Solid<'_>);
        let sets: [(usize, Set); 4] = [
            (12, |it| it.set_aabb([-1.0, -2.0, -3.0], [3.0, 2.0, 1.0])),
            (12, |it| {
                it.set_obb(
                    [0.0; 3],
                    [1.0, 2.0, 3.0],
                    [FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2, 0.0],
                )
            }),
            (6, |it| {
                it.set_triangle([[1.0, 0.0, 0.0], [0.0, 3.0, 0.5], [0.0, 1.0, 2.0]])
            }),
            (4, |it| it.set_capsule([1.0; 3], [0.5, 1.0, -2.0], 0.25)),
        ];
        // Each in place of the one before.
        let mut solid = Solid::NONE;
        for (count, set) in sets {
            set(&mut solid);
            assert_eq!(solid.edges().len(), count);
            for edge in solid.edges() {
                let [p, q] = edge.ends.map(|end| solid.corner(usize::from(end)));
                let faces = solid.faces();
                let [m, n] = edge.faces.map(|face| faces[usize::from(face)].normal);
                assert!((q - p).dot(m.cross(n)) > 0.5, "{edge:?}");
            }
        }
    }
}
