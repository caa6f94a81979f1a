//! Arcs of the edges of a mesh: the normals that contacts there may have.
//!
//! A shape that slides over a mesh touches edges between triangles, and as a triangle alone has no neighbours, the normals there
//! point anywhere. Each edge has an *arc* of normals instead: that of the triangle if the edge is flat or concave, from
//! that of the triangle to that of its neighbour if it is convex, and every normal if it is a border. A corner has the arcs
//! of all edges that end there, those of other triangles too: at the end of a wall's top, the roof's normal is right for every triangle. A
//! contact whose normal is outside of all arcs of the part that it touches gets the nearest normal of these arcs, and
//! its separation and points are computed anew along it.
//!
//! The contact is kept, and the separation along any normal is never above the exact one: nothing is lost, so nothing falls through.
//! On both sides of a flat edge the normal is the same, so nothing bumps.
//!
//! A mesh has two sides, and from below, ridges are valleys. The side of an edge is that of the wedge between its triangles in which the
//! center of the shape is: above a ridge if it is above one of both planes, above a valley if it is above both.

use super::adjacency::{Edges, NONE};
use super::columns::AnyColumns;
use super::mesh::EdgeKind;
use super::orientation::{normal, unit};
use super::triangle::LongestEdge;
use crate::lane::{Float, Vec3};

/// A contact touches corners that are this near to the first one along its normal, relative to the longest edge.
const TOUCHES: f32 = 1.0 / 4096.0;
/// A normal this near to its arc is left alone, squared: 64 u, more than kernels err by.
const NEAR: f32 = 1.0 / (1u64 << 36) as f32;

/// The triangles of a mesh, and their edges.
#[derive(Clone, Copy)]
pub struct MeshTriangles<'s> {
    columns: &'s AnyColumns<'s>,
    edges: &'s Edges,
}

impl<'s> MeshTriangles<'s> {
    /// The triangles of these columns, if they are those of a mesh.
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

    /// Whether the direction from a triangle to a shape is not that of the triangle's normal or its opposite, so that it has to be looked
    /// at. Cheap: contacts of faces are the most frequent.
    pub fn is_slanted(&self, triangle: u32, outward: Vec3<f32>) -> bool {
        let [a, b, c] = self.corners(triangle).map(Vec3);
        let (first, second) = (b - a, c - a);
        // Scaled, so that squares neither underflow nor overflow.
        let largest = first.abs().largest().max(second.abs().largest());
        let scale = largest.recip_pow2();
        let normal = (first * scale).cross(second * scale);
        let across = normal.cross(outward);
        normal.dot(normal) * NEAR < across.dot(across)
    }

    /// The direction of the arcs that is nearest to `outward`, the direction from a triangle to a shape, if that is outside of all of them.
    /// `center` is the center of the shape, relative to the corner at which the frame of the triangle begins.
    pub fn clamped(
        &self,
        triangle: u32,
        outward: Vec3<f32>,
        center: Vec3<f32>,
    ) -> Option<Vec3<f32>> {
        let side = Side::of(self, triangle);
        let frame = LongestEdge::of(side.corners.map(Vec3));
        let arcs = Arcs {
            mesh: self,
            outward,
            center: center + frame.corner,
        };
        let (to, _) = arcs.nearest(side)?;
        let off = to - outward;
        (NEAR < off.dot(off)).then_some(to)
    }

    /// The triangle beyond an edge that is no border.
    fn beyond(&self, side: &Side, edge: usize) -> Option<u32> {
        let beyond = self.edges.neighbours[side.triangle as usize][edge];
        let is_border = self.edges.kind(side.triangle, edge) == EdgeKind::Border;
        (!is_border && beyond != NONE).then_some(beyond)
    }

    /// The triangle beyond an edge, and its number of the same edge. `None` for a border, or an edge that the triangles count otherwise.
    fn across(&self, side: &Side, edge: usize) -> Option<(Side, usize)> {
        let beyond = self.beyond(side, edge)?;
        let back = self.edges.neighbours.get(beyond as usize)?;
        let other = Side::of(self, beyond);
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

/// Maximum number of triangles around a corner that are looked at.
const AROUND: usize = 64;

/// A triangle of a mesh.
#[derive(Clone, Copy)]
struct Side {
    triangle: u32,
    corners: [[f32; 3]; 3],
    /// The unit normal by the right-hand rule, zero if there is none.
    normal: Vec3<f32>,
}

impl Side {
    fn of(mesh: &MeshTriangles<'_>, triangle: u32) -> Self {
        let corners = mesh.corners(triangle);
        Side {
            triangle,
            corners,
            normal: Vec3(unit(normal(corners))),
        }
    }
}

/// The arcs around a contact.
struct Arcs<'m, 's> {
    mesh: &'m MeshTriangles<'s>,
    /// Direction from the triangle to the shape.
    outward: Vec3<f32>,
    center: Vec3<f32>,
}

/// A direction of an arc, and its cosine with the one to clamp.
type Clamped = (Vec3<f32>, f32);

impl Arcs<'_, '_> {
    /// The nearest direction of the part of a triangle that the shape touches; `None` if it has all.
    fn nearest(&self, side: Side) -> Option<Clamped> {
        // The corners that the shape touches are the first ones seen from it.
        let [a, b, c] = side.corners.map(Vec3);
        let heights = [0.0, self.outward.dot(b - a), self.outward.dot(c - a)];
        let longest = (b - a).abs().largest().max((c - a).abs().largest());
        let first = heights[0].max(heights[1]).max(heights[2]) - longest * TOUCHES;
        let touches = heights.map(|height| height >= first);
        let is_edge = |k: &usize| touches[*k] && touches[(k + 1) % 3];
        if !(0..3).any(|k| is_edge(&k)) {
            let corner = (0..3).find(|k| touches[*k])?;
            return self.of_corner(side, corner);
        }
        let mut best = None;
        for edge in (0..3).filter(is_edge) {
            let beyond = self.mesh.beyond(&side, edge)?;
            let other = Side::of(self.mesh, beyond);
            let [own, _] = self.of_edge(&side, edge, other.normal);
            best = Some(nearer(best, own));
        }
        best
    }

    /// The nearest direction of the arcs of all edges around a corner; `None` if one of them has all.
    fn of_corner(&self, start: Side, corner: usize) -> Option<Clamped> {
        let (mut side, mut corner) = (start, corner);
        let mut best = None;
        for _ in 0..AROUND {
            // The edge that ends at the corner is the one of the next triangle that begins there.
            let edge = (corner + 2) % 3;
            let (next, begins) = self.mesh.across(&side, edge)?;
            for direction in self.of_edge(&side, edge, next.normal) {
                best = Some(nearer(best, direction));
            }
            if next.triangle == start.triangle {
                break;
            }
            (side, corner) = (next, begins);
        }
        best
    }

    /// The nearest direction of the arc of an edge, for its triangle and for that beyond, whose normal is `other`.
    fn of_edge(&self, side: &Side, edge: usize, other: Vec3<f32>) -> [Clamped; 2] {
        let own = side.normal;
        let (from, to) = (side.corners[edge], side.corners[(edge + 1) % 3]);
        let (from, to) = (Vec3(from), Vec3(to));
        let kind = self.mesh.edges.kind(side.triangle, edge);
        let center = self.center - from;
        let (above_own, above_other) = (center.dot(own) >= 0.0, center.dot(other) >= 0.0);
        let [is_above, is_above_other] = match kind {
            EdgeKind::Convex => [above_own || above_other; 2],
            EdgeKind::Concave => [above_own && above_other; 2],
            _ => [above_own, above_other],
        };
        let directed = |normal: Vec3<f32>, is_above| if is_above { normal } else { -normal };
        let (own, other) = (directed(own, is_above), directed(other, is_above_other));
        let ends = [own, other].map(|end| (end, end.dot(self.outward)));
        let is_ridge = match kind {
            EdgeKind::Convex => is_above,
            EdgeKind::Concave => !is_above,
            _ => false,
        };
        if !is_ridge {
            return ends;
        }
        let along = to - from;
        let along = along * (1.0 / along.abs().largest());
        let turned = self.outward - along * (self.outward.dot(along) / along.dot(along));
        let axis = own.cross(other);
        let is_between = own.cross(turned).dot(axis) >= 0.0 && turned.cross(other).dot(axis) >= 0.0;
        let length = turned.dot(turned).sqrt();
        let nearest = if is_between && length > 0.0 {
            let turned = turned * (1.0 / length);
            (turned, turned.dot(self.outward))
        } else {
            nearer(Some(ends[0]), ends[1])
        };
        [nearest; 2]
    }
}

/// The nearer one of two directions; the first of equals.
fn nearer(best: Option<Clamped>, other: Clamped) -> Clamped {
    match best {
        Some(best) if best.1 >= other.1 => best,
        _ => other,
    }
}
