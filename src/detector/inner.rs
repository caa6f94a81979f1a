//! Inner edges of meshes: normals of contacts, clamped to the arcs of the edges that they touch.
//!
//! A shape that slides over a mesh touches edges between triangles, and as a triangle alone has no neighbours, the normals there
//! point anywhere. Each edge has an *arc* of normals instead: that of the triangle if the edge is flat or concave, from
//! that of the triangle to that of its neighbour if it is convex, and every normal if it is a border. A corner has the arcs
//! of its two edges. A contact whose normal is outside of all arcs of the part that it touches gets the nearest normal of these arcs, and
//! its separation and points are computed anew along it.
//!
//! The contact is kept, and the separation along any normal is never above the exact one: nothing is lost, so nothing falls through.
//! On both sides of a flat edge the normal is the same, so nothing bumps.
//!
//! A mesh has two sides. Arcs are seen from the side of the triangle's plane on which the center of the shape is: from below, ridges
//! are valleys.

use super::hits::{BLOCK, HitRows};
use super::run::PairBatch;
use crate::hits::WORD;
use crate::kernel::load::Separate;
use crate::kernel::manifold::{Manifold, ManifoldKernel};
use crate::lane::{Float, One, Vec3};
use crate::shapes::{
    AnyColumns, EdgeKind, Edges, NONE, Shape, Static, normal_of_triangle, unit_normal,
};

/// A contact touches corners that are this near to the first one along its normal, relative to the longest edge.
const TOUCHES: f32 = 1.0 / 4096.0;
/// A normal this near to its arc is left alone, squared: 64 u, more than kernels err by.
const NEAR: f32 = 1.0 / (1u64 << 36) as f32;

/// The triangles of a mesh, and their edges.
#[derive(Clone, Copy)]
pub struct MeshTriangles<'s> {
    pub columns: &'s AnyColumns<'s>,
    pub edges: &'s Edges,
}

impl MeshTriangles<'_> {
    fn corners(&self, triangle: u32) -> [[f32; 3]; 3] {
        let [ax, ay, az, bx, by, bz, cx, cy, cz] = self.columns.numbers_of(triangle as usize);
        [[ax, ay, az], [bx, by, bz], [cx, cy, cz]]
    }

    /// The unit normal by the right-hand rule, zero if there is none.
    fn normal(&self, corners: [[f32; 3]; 3]) -> Vec3<f32> {
        Vec3(unit_normal(normal_of_triangle(corners)))
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
    /// `is_above` says on which side of the plane the shape is.
    pub fn clamped(
        &self,
        triangle: u32,
        outward: Vec3<f32>,
        is_above: impl FnOnce(Vec3<f32>) -> bool,
    ) -> Option<Vec3<f32>> {
        let corners = self.corners(triangle);
        let winding = self.normal(corners);
        if winding.dot(winding) == 0.0 {
            return None;
        }
        let side = if is_above(winding) { 1.0 } else { -1.0 };
        let arcs = Arcs {
            mesh: self,
            triangle,
            corners,
            own: winding * side,
            side,
            outward,
        };
        arcs.nearest()
    }
}

/// The arcs of a triangle, seen from the side of a shape.
struct Arcs<'m, 's> {
    mesh: &'m MeshTriangles<'s>,
    triangle: u32,
    corners: [[f32; 3]; 3],
    /// Normal of the triangle.
    own: Vec3<f32>,
    /// 1 above the triangle, −1 below.
    side: f32,
    outward: Vec3<f32>,
}

/// A direction of an arc, and its cosine with the one to clamp.
type Clamped = (Vec3<f32>, f32);

impl Arcs<'_, '_> {
    fn nearest(&self) -> Option<Vec3<f32>> {
        // The corners that the shape touches are the first ones seen from it.
        let [a, b, c] = self.corners.map(Vec3);
        let heights = [0.0, self.outward.dot(b - a), self.outward.dot(c - a)];
        let longest = (b - a).abs().largest().max((c - a).abs().largest());
        let first = heights[0].max(heights[1]).max(heights[2]) - longest * TOUCHES;
        let touches = heights.map(|height| height >= first);
        let is_edge = |k: usize| touches[k] && touches[(k + 1) % 3];
        let mut best = None::<Clamped>;
        for k in 0..3 {
            let is_part = match touches {
                [true, true, true] => true,
                _ if (0..3).any(is_edge) => is_edge(k),
                // The edges of one corner.
                _ => touches[k] || touches[(k + 1) % 3],
            };
            if is_part {
                let clamped = self.of_edge(k)?;
                if best.is_none_or(|(_, cosine)| cosine < clamped.1) {
                    best = Some(clamped);
                }
            }
        }
        let (to, _) = best?;
        let off = to - self.outward;
        (NEAR < off.dot(off)).then_some(to)
    }

    /// The nearest direction of the arc of an edge; `None` if it has all.
    fn of_edge(&self, edge: usize) -> Option<Clamped> {
        let alone = (self.own, self.own.dot(self.outward));
        let is_ridge = match self.mesh.edges.kind(self.triangle, edge) {
            EdgeKind::Border => return None,
            EdgeKind::Flat => false,
            EdgeKind::Convex => self.side > 0.0,
            EdgeKind::Concave => self.side < 0.0,
        };
        let beyond = self.mesh.edges.neighbours[self.triangle as usize][edge];
        if !is_ridge || beyond == NONE {
            return Some(alone);
        }
        let other = self.mesh.normal(self.mesh.corners(beyond)) * self.side;
        let (from, to) = (self.corners[edge], self.corners[(edge + 1) % 3]);
        let along = Vec3(to) - Vec3(from);
        let along = along * (1.0 / along.abs().largest());
        let turned = self.outward - along * (self.outward.dot(along) / along.dot(along));
        let length = turned.dot(turned).sqrt();
        let turned = turned * (1.0 / length);
        let axis = self.own.cross(other);
        let is_between =
            self.own.cross(turned).dot(axis) >= 0.0 && turned.cross(other).dot(axis) >= 0.0;
        if is_between && length > 0.0 {
            return Some((turned, turned.dot(self.outward)));
        }
        let beyond = (other, other.dot(self.outward));
        Some(if alone.1 >= beyond.1 { alone } else { beyond })
    }
}

/// Contacts that a mesh clamps, by their places among those of a piece.
pub struct ToClamp<'s> {
    mesh: MeshTriangles<'s>,
    places: [u32; BLOCK],
    positions: [u32; BLOCK],
    triangles: [u32; BLOCK],
    /// Directions from the triangles to the shapes.
    outward: [Vec3<f32>; BLOCK],
    len: usize,
}

impl<'s> ToClamp<'s> {
    pub fn new(mesh: MeshTriangles<'s>) -> Self {
        ToClamp {
            mesh,
            places: [0; BLOCK],
            positions: [0; BLOCK],
            triangles: [0; BLOCK],
            outward: [Vec3([0.0; 3]); BLOCK],
            len: 0,
        }
    }

    /// Takes note of a contact, unless its normal is that of the triangle.
    #[inline]
    pub fn push(&mut self, place: usize, position: u32, triangle: u32, outward: Vec3<f32>) {
        if self.mesh.is_slanted(triangle, outward) {
            self.places[self.len] = place as u32;
            self.positions[self.len] = position;
            self.triangles[self.len] = triangle;
            self.outward[self.len] = outward;
            self.len += 1;
        }
    }

    /// Whether no more contacts can be noted.
    pub fn is_full(&self) -> bool {
        self.len == BLOCK
    }

    /// Clamps the contacts, and passes each that changes to `store`: its place and its manifold.
    pub fn clamp<A: ManifoldKernel<B>, B: Shape>(
        &mut self,
        hits: &mut HitRows<'_, '_, Static<A>, Static<B>>,
        times: Option<&[f32]>,
        margin: f32,
        mut store: impl FnMut(usize, Manifold<f32>),
    ) {
        if self.len == 0 {
            return;
        }
        let mut scratch = [[0; 2]; WORD];
        let positions = &self.positions[..self.len];
        let (rows, staged) = match times {
            None => hits.stage(One, positions),
            Some(times) => hits.stage_at(One, positions, times),
        };
        let mut k = 0;
        for word in staged.chunks(WORD) {
            let batch = rows.gathered(word, &mut scratch);
            for at in 0..word.len() {
                let ((a, b), _bad) = batch.load::<Separate, One>(One, at, margin);
                let (place, triangle) = (self.places[k], self.triangles[k]);
                let outward = self.outward[k];
                k += 1;
                let is_above = |normal: Vec3<f32>| A::above(One, a, b).dot(normal) >= 0.0;
                if let Some(outward) = self.mesh.clamped(triangle, outward, is_above) {
                    let manifold = A::manifold_along(One, a, b, margin, -outward);
                    store(place as usize, manifold);
                }
            }
        }
        self.len = 0;
    }
}
