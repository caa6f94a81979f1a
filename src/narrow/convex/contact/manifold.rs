//! Contact manifolds of convex hulls with bounded shapes and with surfaces: one pair at a time, in `f64`.
//!
//! # The normal
//!
//! All shapes are cores with faces and edges, rounded by a radius. For cores that penetrate, the normal is that of least penetration among
//! the faces of both and the cross products of their edges. The gap along it is a certificate, as in [`gjk`](crate::narrow::convex::gjk): so the reported
//! separation is never above the exact one, whichever normals are tried. For cores that are apart by more than that, the normal is the direction of the
//! certified search.
//!
//! **Faces** come from [`face_batch`](crate::narrow::convex::contact::face_batch), which tries those of several pairs at once in `f32`; so do the edges that may have a greater gap.
//!
//! **Edges.** For a normal n between those of the two faces of an edge of A, n = α n₁ + β n₂, and a point p of B: if p is below both planes by at least g ≥ 0,
//! then the gap along n is at most −g, since |n| ≤ α + β. So an edge is tried only if no point found so far is that far below both its faces. Of the edges
//! that are left, those pairs count whose arcs cross on the sphere of normals. In `f32`, an edge of A is compared with as many edges of B as lanes; the pairs
//! that may be better than the face are computed in `f64`.
//!
//! # The points
//!
//! The reference face is that of the normal, the incident face that of the other shape which contains its support and is most along the normal.
//! A face stands for its patch: the outline of all corners in its plane, up to roundings, since rounded coordinates split polygons into
//! triangles. The incident face is clipped to the reference face along the normal, and reduced to four points. Of more, those that touch
//! have precedence over those within the margin, and the four cover most of the area.
//!
//! If two edges are deepest, the reference and incident faces are those beside the edges: of both faces of an edge the one more along the normal, in a tie the first.
//! They overlap along the normal around the crossing of the edges, so the crossing is among the points. If it is not, as between steep faces, the crossing is the only point.
//! Shapes whose nearest points are not on a face have one point. The contact of a core that is a point is at that point.
//! If the faces do not overlap, the point is where the cores touch after B is moved out along the normal.
//! A point at the radius from a face, along a normal that is oblique to the face, is inside a rounded shape. So of oblique faces and axes of
//! such shapes only the points count that are as deep as the gap.
//!
//! Cylinders and cones: [`round`](crate::narrow::convex::contact::round).
//!
//! Feature ids: 0 to 63 are vertices of A, 64 to 127 vertices of B. Ids from 128 on are edges clipped by side k of a face, 128 + 2 k where they enter and 129 + 2 k
//! where they leave, or name the edges of a pair.
//!
//! # Error bounds
//!
//! S is the sum of all lengths: ‖Δ‖₁, the sizes of both cores, the radii and the margin.
//!
//! - **Never above.** The gap of a normal takes what [`gjk`](crate::narrow::convex::gjk) takes: 4.1 u of the half extents of a hull, and 2⁻⁴⁴ S. A unit normal is off by 2⁻⁴⁸.
//! - **Pairs of edges.** In the frame of A, a point of B is off by 9 u S per coordinate and an edge of B by 8 u of its length ‖b‖₁, see
//!   `face_batch`. So a product of a normal and an edge is off by less than 18 u ‖b‖₁, and 32 u is allowed where arcs cross. The cross product of the edges is off by 12 u ‖a‖₁ ‖b‖₁ per
//!   coordinate, so the points are apart along it by 40 u S ‖a‖₁ ‖b‖₁ less or more, and its length times a gap is off by 21 u of that. 80 u is allowed.
//! - **β.** The best normal of the exact shapes is among those that are tried: normals of faces are right to 2⁻²⁶ (`math/exact.rs`), which loses u/4 · 2 S. The gap of a face as found in
//!   `f32` is up to 22 u S below the exact one and 46 u S above it, and a later group of normals wins only if it is better by 32 u S, twice.
//!   The direction of the nearest points of separated cores wins if it is better. In all less than 150 u S, of the 320 u S that are promised.
//! - **Points.** A point of two faces is in both of them, seen along the normal, up to 4 u S. It is on an edge of one face, and in the plane of the other one along the
//!   normal. That plane has a cosine of at least 1/4 with the normal, so 4 u S beside the face are at most 16 u S off its surface. A corner of a patch is up to 32 u of a kind's size
//!   below the plane, four times that along the normal. No face is beyond the supports, so no point is deeper than the gap by more than these roundings.
//!   A core that is a point has its foot at the distance |gap|, less than 150 u S above the distance |G| of the surface. The sphere of radius |G| around the point is inside
//!   the other core, and the foot is on a plane that bounds that core. So the foot is less than 150 u S off the surface.
//!   Where B is moved until the cores are 64 u S apart along the normal, they are less than 214 u S apart, so each of the nearest points is off
//!   the middle of both by less than 107 u S, and by what the search leaves.
//!
//! Source: D. Gregorius, "The separating axis test between convex polyhedra", GDC 2013, for arcs that cross. Departures: bounds decide which
//! normals are tried, and each that wins is certified.

use crate::lane::{Lanes, U};
use crate::math::dvec::{DVec3, WORLD, f64_max, f64_min};
use crate::narrow::convex::contact::clip::{
    Candidate, DEEP, ManifoldCandidates, NO_CANDIDATE, Polygon, clip, meet, reduce,
};
use crate::narrow::convex::contact::edges::{Arc, TIE};
use crate::narrow::convex::contact::face_batch::FaceBatch;
use crate::narrow::convex::contact::solid_pair::{Best, FacedPair, Feature};
use crate::narrow::convex::gjk::{Goal, HullPair, ROUNDING};
use crate::store::hull::faces::HullFace;

/// Contact of a pair, its points relative to the center of A.
pub struct HullContact {
    /// Unit vector from A to B.
    pub normal: DVec3,
    pub separation: f64,
    /// From the center of A to that of B; zero if B has none.
    pub offset: DVec3,
    pub count: usize,
    pub points: [HullContactPoint; 4],
}

/// A point of a contact.
#[derive(Clone, Copy)]
pub struct HullContactPoint {
    pub at: DVec3,
    pub separation: f64,
    pub feature: u8,
}

impl<L: Lanes> FacedPair<'_, '_, L> {
    /// The contact, given the faces of lane `lane`.
    #[inline(always)]
    pub fn contact(&self, faces: &FaceBatch, lane: usize) -> HullContact {
        let best = self.choose(faces, lane);
        if self.is_round() {
            return self.round_contact(best);
        }
        match self.of_core_point(best) {
            Some(point) if best.gap <= f64::from(SHALLOW) * self.size => {
                self.contact_of(best, &[point])
            }
            _ => self.along(best),
        }
    }

    /// The contact along a given unit vector from A to B.
    #[inline(always)]
    pub fn contact_along(&self, normal: [f32; 3]) -> HullContact {
        let normal = DVec3::of(normal).unit().unwrap_or(WORLD[0]);
        let (feature, support) = self.feature_of(normal, None);
        self.along(Best {
            gap: self.gap(normal),
            normal,
            feature,
            support,
        })
    }

    /// The normal.
    #[inline(always)]
    fn choose(&self, faces: &FaceBatch, lane: usize) -> Best {
        let unit_of_size = f64::from(U) * self.size;
        let of_edges = self.best_edges(faces, lane);
        let mut best = match of_edges {
            Some(best) => best,
            None => self.of_face(faces.sides[lane], faces.faces[lane]),
        };
        if self.is_round() {
            return best;
        }
        // Normals of cores that are not solid see no gap within their line or plane, and so may be this much below zero.
        if best.gap < -f64::from(SHALLOW) * self.size {
            return best;
        }
        let mut found = self.nearest(DVec3::ZERO);
        // The gap hardly depends on the direction near the nearest points, but their places along the normal do.
        let [x, y] = found.points;
        if let Some(way) = (y - x).unit() {
            let gap = self.gap(way);
            if gap > found.gap - 8.0 * unit_of_size {
                (found.gap, found.normal) = (gap, way);
            }
        }
        let [a, b] = self.solids;
        let has_area = match best.feature {
            Feature::FaceOfA(face) => a.has_area(face),
            Feature::FaceOfB(face) => b.has_area(face),
            _ => true,
        };
        // Normals of points and segments are arbitrary.
        let bias = if has_area { 0.0 } else { -8.0 };
        if found.gap > best.gap + bias * unit_of_size && found.gap > 0.0 {
            let (feature, support) = self.feature_of(found.normal, Some(found.points));
            best = Best {
                gap: found.gap,
                feature,
                support,
                normal: found.normal,
            };
        }
        best
    }

    /// The nearest points of the cores, with B moved by a vector.
    fn nearest(&self, by: DVec3) -> NearestPoints {
        let pair = self.moved(by);
        pair.nearest(pair.first_direction(pair.offset()))
    }

    /// The cores, with B moved by a vector.
    #[inline(always)]
    pub fn moved(&self, by: DVec3) -> HullPair<'_, L> {
        let [a, b] = self.solids;
        let mut moved = b.body;
        moved.center = moved.center + by;
        HullPair::new(self.lanes, a.body, moved, 0.0)
    }

    /// The face at a support whose normal a unit vector is; if there is none the nearest points, or without these the face that is most
    /// along the vector. With the support of the other shape.
    #[inline(always)]
    fn feature_of(&self, normal: DVec3, points: Option<[DVec3; 2]>) -> (Feature, usize) {
        let (feature, support, along) = self.face_of(normal);
        match points {
            Some(points) if along < ALIGNED => (Feature::Points(points), 0),
            _ => (feature, support),
        }
    }

    /// The face at a support that is most along a unit vector, the support of the other shape, and the cosine; −1 if there are no faces with an area.
    #[inline(always)]
    pub fn face_of(&self, normal: DVec3) -> (Feature, usize, f64) {
        let [a, b] = self.solids;
        let support_a = a.reach(self.lanes, normal).index;
        let support_b = b.reach(self.lanes, -normal).index;
        let of_a = a.face_along(normal, support_a);
        let of_b = b.face_along(-normal, support_b);
        let (along_a, along_b) = (a.cosine(of_a, normal), b.cosine(of_b, -normal));
        let (has_a, has_b) = (a.has_area(of_a), b.has_area(of_b));
        if has_a && (along_a >= along_b || !has_b) {
            (Feature::FaceOfA(of_a), support_b, along_a)
        } else {
            let along = if has_b { along_b } else { -1.0 };
            (Feature::FaceOfB(of_b), support_a, along)
        }
    }

    /// The normal of a face, with its gap.
    #[inline(always)]
    fn of_face(&self, side: usize, face: usize) -> Best {
        let [a, b] = self.solids;
        let (this, other, sign) = if side == 0 { (a, b, 1.0) } else { (b, a, -1.0) };
        let faces = this.faces();
        let face = if face < faces.len() { face } else { 0 };
        let HullFace { normal, offset, .. } = faces[face];
        let normal = this.to_world(normal) * sign;
        let reach = other.reach(self.lanes, normal * -sign);
        Best {
            gap: self.offset.dot(normal) - reach.most - offset - self.size * ROUNDING,
            feature: if side == 0 {
                Feature::FaceOfA(face)
            } else {
                Feature::FaceOfB(face)
            },
            support: reach.index,
            normal,
        }
    }
}

impl<L: Lanes> FacedPair<'_, '_, L> {
    /// The contact along a normal.
    #[inline(always)]
    pub fn along(&self, best: Best) -> HullContact {
        let [a, b] = self.solids;
        let mut on = best;
        let (faces, of_edges) = match best.feature {
            Feature::Points(points) => {
                return self.contact_of(best, &[of_points(best, points)]);
            }
            Feature::Edges(j, k) => {
                let arcs = [a.arc(j), b.arc(k)];
                let (first, along_a) = a.face_of_edge(j, &arcs[0], best.normal);
                let (second, along_b) = b.face_of_edge(k, &arcs[1], -best.normal);
                let is_aligned = f64_max(along_a, along_b) >= ALIGNED;
                if is_aligned {
                    // The faces of the normal that it is nearly.
                    (on.feature, on.support, _) = self.face_of(best.normal);
                } else if along_b > along_a + TIE {
                    on.feature = Feature::FaceOfB(second);
                } else {
                    on.feature = Feature::FaceOfA(first);
                }
                let faces = if is_aligned {
                    self.faces_of(on)
                } else {
                    [first, second]
                };
                (faces, Some((self.of_edges(best, &arcs), is_aligned)))
            }
            _ => (self.faces_of(best), None),
        };
        let contact = self.on_faces(on, faces, of_edges);
        contact.unwrap_or_else(|| self.contact_of(best, &[self.of_parted(best)]))
    }

    /// The contact of two faces, as [`of_faces`](Self::of_faces) says.
    #[inline(always)]
    pub fn on_faces(
        &self,
        best: Best,
        faces: [usize; 2],
        of_edges: Option<(Option<Candidate>, bool)>,
    ) -> Option<HullContact> {
        let [a, b] = self.solids;
        // Each edge of the incident face has up to two points, each corner of the other one.
        let len = a.patch_of(faces[0]).len() + b.patch_of(faces[1]).len();
        if 2 * len <= 16 {
            self.of_faces::<16>(best, faces, of_edges)
        } else {
            self.of_faces::<192>(best, faces, of_edges)
        }
    }

    /// The face of a contact and the face at its support.
    #[inline(always)]
    pub fn faces_of(&self, best: Best) -> [usize; 2] {
        let [a, b] = self.solids;
        match best.feature {
            Feature::FaceOfA(face) => [face, b.face_along(-best.normal, best.support)],
            Feature::FaceOfB(face) => [a.face_along(best.normal, best.support), face],
            // See `along`.
            Feature::Edges(..) | Feature::Points(_) => [0, 0],
        }
    }

    /// The point of a core that is a point, with its foot on the other core; `None` if no core is a point.
    ///
    /// The sphere around the point that touches the surface of the other core touches it at the foot, up to the loss of the normal.
    #[inline(always)]
    fn of_core_point(&self, best: Best) -> Option<Candidate> {
        let [a, b] = self.solids;
        let half = best.normal * (0.5 * best.gap);
        let (at, feature) = if let &[corner] = b.corners_of(0) {
            let at = self.offset + b.corner(usize::from(corner));
            (at - half, 64 + corner)
        } else if let &[corner] = a.corners_of(0) {
            (a.corner(usize::from(corner)) + half, corner)
        } else {
            return None;
        };
        Some(Candidate {
            at,
            separation: best.gap,
            feature,
        })
    }

    /// The point of two edges; `None` if they are so nearly parallel that roundings hide where they cross.
    fn of_edges(&self, best: Best, [p, q]: &[Arc; 2]) -> Option<Candidate> {
        let Feature::Edges(j, k) = best.feature else {
            return None;
        };
        let start = self.offset + q.start;
        let way = start - p.start;
        let normal = p.along.cross(q.along);
        let (unit, scale) = normal.scaled().unwrap_or((WORLD[0], 1.0));
        let squared = unit.dot(unit) * scale;
        let share = |v: DVec3| {
            let share = way.cross(v).dot(unit) / squared;
            f64_min(f64_max(share, 0.0), 1.0)
        };
        let x = p.start + p.along * share(q.along);
        let y = start + q.along * share(p.along);
        let beside = y - x - best.normal * best.gap;
        if beside.norm1() > f64::from(SHALLOW) * self.size {
            return None;
        }
        Some(Candidate {
            at: (x + y) * 0.5,
            separation: best.gap,
            feature: 128 | ((7 * j + k) % 128) as u8,
        })
    }

    /// The contact of two faces; the face of the feature is the reference face. `None` if the faces do not overlap. If two edges are deepest,
    /// `of_edges` has their point, and whether their normal is nearly that of a face.
    #[inline(always)]
    fn of_faces<const N: usize>(
        &self,
        best: Best,
        faces: [usize; 2],
        of_edges: Option<(Option<Candidate>, bool)>,
    ) -> Option<HullContact> {
        let [a, b] = self.solids;
        let n = best.normal;
        let basis = n.across();
        let mut polygons = [
            Polygon::<N>::new(a, faces[0], DVec3::ZERO, (n, basis), 0),
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
        let mut candidates = ManifoldCandidates::<N> {
            list: [NO_CANDIDATE; N],
            len: 0,
            limit: f64_max(self.within, best.gap) + slop,
        };
        if polygons[reference].len < 3 {
            reference = 1 - reference;
        }
        if self.has_steep_axis(&polygons, n) {
            candidates.limit = f64_min(candidates.limit, best.gap + slop);
        }
        if self.has_steep_face(&polygons, n) {
            candidates.limit = f64_min(candidates.limit, best.gap + 4.0 * slop);
        }
        if polygons[reference].len >= 3 {
            clip(&polygons, reference, n, slop, &mut candidates);
        } else {
            let most = f64::from(SHALLOW) * self.size;
            let beside = f64_max(self.beside(faces), slop);
            meet(&polygons, n, [slop, beside], most, &mut candidates);
        }
        if let Some((point, is_aligned)) = of_edges {
            // The normal of edges that is nearly that of a face would alternate with it, and one point with four.
            let is_flat = polygons[reference].len < 3;
            let least = if is_aligned || is_flat { 2 } else { 1 };
            if candidates.len < least || candidates.deepest() > best.gap + self.size * NEAR {
                let point = point.unwrap_or_else(|| self.of_parted(best));
                return Some(self.contact_of(best, &[point]));
            }
        } else if candidates.len == 0 {
            return None;
        }
        let candidates = &mut candidates;
        let deep = self.size * DEEP;
        let radii = a.body.radius + b.body.radius;
        let kept = reduce(&mut candidates.list[..candidates.len], basis, radii, deep);
        Some(self.contact_of(best, &candidates.list[..kept]))
    }

    /// Whether the axis of a capsule is so oblique to a normal that only its nearest end touches.
    fn has_steep_axis<const N: usize>(&self, polygons: &[Polygon<N>; 2], n: DVec3) -> bool {
        let mut is_steep = false;
        for (solid, polygon) in self.solids.iter().zip(polygons) {
            if polygon.len == 2 {
                let axis = polygon.corners[1] - polygon.corners[0];
                is_steep |= is_axis_steep(solid.body.radius, axis, n, self.size);
            }
        }
        is_steep
    }

    /// Whether a face of a rounded hull is so oblique to a normal that only its nearest corners touch.
    fn has_steep_face<const N: usize>(&self, polygons: &[Polygon<N>; 2], n: DVec3) -> bool {
        let mut has = false;
        for (solid, polygon) in self.solids.iter().zip(polygons) {
            let is_face = polygon.len >= 3;
            has |= is_face && is_steep(solid.body.radius, polygon.facing(n), self.size);
        }
        has
    }

    /// The place where the cores touch: their nearest points when B is moved along the normal until they are just apart. For faces that
    /// do not overlap, as those of slivers, where roundings decide which face is at the support.
    fn of_parted(&self, best: Best) -> Candidate {
        let least = 2.0 * f64::from(SHALLOW) * self.size;
        let by = best.normal * f64_max(least - best.gap, 0.0);
        let [x, y] = self.nearest(by).points;
        of_points(best, [x, y - by])
    }

    /// The contact with these points, up to four.
    fn contact_of(&self, best: Best, candidates: &[Candidate]) -> HullContact {
        let [a, b] = self.solids;
        let radii = a.body.radius + b.body.radius;
        let shift = best.normal * (0.5 * (a.body.radius - b.body.radius));
        let point = |k: usize| {
            let candidate = candidates.get(k).unwrap_or(&candidates[0]);
            HullContactPoint {
                at: candidate.at + shift,
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
            offset: if b.has_center {
                self.offset
            } else {
                DVec3::ZERO
            },
            count: candidates.len(),
            points: [point(0), point(1), point(2), point(3)],
        }
    }
}

/// Whether an axis is so oblique to a normal that only its nearest end touches: a point at the radius from any other point of the
/// axis, along the normal, is inside the capsule by up to half the radius times the squared sine.
pub fn is_axis_steep(radius: f64, axis: DVec3, normal: DVec3, size: f64) -> bool {
    let along = axis.dot(normal);
    radius * along * along > 128.0 * f64::from(U) * size * axis.dot(axis)
}

/// Whether a face is so oblique to a normal, given their cosine, that a point at the radius from it along the normal is too far inside the
/// rounded hull: by half the radius times the squared sine, unless the point is at a corner that is farthest along the normal.
pub fn is_steep(radius: f64, facing: f64, size: f64) -> bool {
    radius * (1.0 - facing * facing) > 128.0 * f64::from(U) * size
}

/// The point between the nearest points of cores.
fn of_points(best: Best, [x, y]: [DVec3; 2]) -> Candidate {
    Candidate {
        at: (x + y) * 0.5,
        separation: f64_max((y - x).dot(best.normal), best.gap),
        feature: 0,
    }
}

/// Part of S up to which cores that are apart, or penetrate, are as good as touching.
const SHALLOW: f32 = 32.0 * U;

/// Part of S by which a point may be less deep than the normal says.
pub const NEAR: f64 = 1.0 / (1u64 << 16) as f64;

/// The nearest points of the cores of a pair, relative to the center of A.
pub struct NearestPoints {
    /// Gap along the normal, never too great.
    gap: f64,
    /// Unit vector from A to B.
    pub normal: DVec3,
    pub points: [DVec3; 2],
}

impl<L: Lanes> HullPair<'_, L> {
    /// The nearest points of the cores, given a way from A to B.
    #[inline(always)]
    pub fn nearest(&self, first: DVec3) -> NearestPoints {
        let found = self.search(self.offset(), first, Goal::Distance);
        NearestPoints {
            gap: found.gap,
            normal: found.direction * (1.0 / found.length),
            points: found.points,
        }
    }
}

/// Least cosine of a normal that is that of a face.
pub const ALIGNED: f64 = 1.0 - 1.0 / (1u64 << 20) as f64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::rng;
    use crate::hull_bounds::PointByBox;
    use crate::lane::One;

    #[test]
    fn gaps_of_faces_are_never_above_the_exact_gaps() {
        let mut rng = rng("gaps of faces");
        for _ in 0..10_000 {
            let it = PointByBox::random(&mut rng, 1e-3);
            let [point, obb] = it.solids();
            let pair = FacedPair::new(One, &point, &obb, 0.0);
            for face in 0..6 {
                let Best { gap, normal, .. } = pair.of_face(1, face);
                assert!(it.is_at_most_gap(gap, normal), "{gap} along {normal:?}");
            }
        }
    }
}
