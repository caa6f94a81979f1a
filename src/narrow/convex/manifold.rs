//! Contact manifolds of convex hulls with bounded shapes and with surfaces: one pair at a time, in `f64`.
//!
//! # The normal
//!
//! All shapes are cores with faces and edges, rounded by a radius. For cores that penetrate, the normal is that of least penetration among
//! the faces of both and the cross products of their edges. The gap along it is a certificate, as in [`gjk`](crate::narrow::convex::gjk): so the reported
//! separation is never above the exact one, whichever normals are tried. For cores that are apart by more than that, the normal is the direction of the
//! certified search.
//!
//! **Faces** come from [`face_batch`](crate::narrow::convex::face_batch), which tries those of several pairs at once in `f32`; so do the edges that may have a greater gap.
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

use crate::lane::{Float, Lanes, MAX_LANES, Mask, Vec3, splat};
use crate::math::dvec::{DVec3, WORLD, f64_max, f64_min};
use crate::math::rounding::U;
use crate::narrow::convex::batch::{load, turned};
use crate::narrow::convex::face_batch::{BIAS, EdgeSet, FaceBatch};
use crate::narrow::convex::gjk::{HullPair, Interval, NearestPoints, ROUNDING};
use crate::narrow::convex::solid::Solid;
use crate::store::hull::faces::{HullEdge, HullFace};

/// The greatest gap of a group of normals.
#[derive(Clone, Copy)]
struct Best {
    gap: f64,
    feature: Feature,
    /// Index of the support of the other shape, if the feature is a face.
    support: usize,
    /// Unit vector from A to B.
    normal: DVec3,
}

/// The features whose normal is that of a contact.
#[derive(Clone, Copy)]
enum Feature {
    FaceOfA(usize),
    FaceOfB(usize),
    /// An edge of either shape.
    Edges(usize, usize),
    /// Nearest points, not on a face, relative to the center of A.
    Points([DVec3; 2]),
}

/// A pair of shapes with faces.
pub struct SolidPair<'s, 'k, L> {
    lanes: L,
    /// In kernel order.
    solids: [&'s Solid<'k>; 2],
    /// From the center of A to that of B.
    offset: DVec3,
    /// Sum of the radii and the margin.
    within: f64,
    /// S.
    size: f64,
    margin: f32,
}

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

impl<'s, 'k, L: Lanes> SolidPair<'s, 'k, L> {
    #[inline(always)]
    pub fn new(lanes: L, a: &'s Solid<'k>, b: &'s Solid<'k>, margin: f32) -> Self {
        let offset = b.body.center - a.body.center;
        let within = a.body.radius + b.body.radius + f64::from(margin);
        SolidPair {
            lanes,
            solids: [a, b],
            offset,
            within,
            size: offset.norm1() + a.body.size + b.body.size + within,
            margin,
        }
    }

    /// S, for searches in `f32`.
    #[inline(always)]
    pub fn size(&self) -> f32 {
        self.size as f32
    }

    /// The contact, given the faces of lane `lane`.
    #[inline(always)]
    pub fn contact(&self, faces: &FaceBatch, lane: usize) -> HullContact {
        let best = self.choose(faces, lane);
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

    /// The gap of the cores along a unit vector, never too great.
    #[inline(always)]
    fn gap(&self, n: DVec3) -> f64 {
        let [a, b] = self.solids;
        let reach = a.body.reach(self.lanes, n).most + b.body.reach(self.lanes, -n).most;
        self.offset.dot(n) - reach - self.size * ROUNDING
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
        let corners = match best.feature {
            Feature::FaceOfA(face) => a.corners_of(face).len(),
            Feature::FaceOfB(face) => b.corners_of(face).len(),
            _ => 3,
        };
        // Normals of points and segments are arbitrary.
        let bias = if corners < 3 { -8.0 } else { 0.0 };
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
        let [a, b] = self.solids;
        let mut moved = b.body;
        moved.center = moved.center + by;
        HullPair::new(self.lanes, a.body, moved, 0.0).nearest()
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
    fn face_of(&self, normal: DVec3) -> (Feature, usize, f64) {
        let [a, b] = self.solids;
        let support_a = a.reach(self.lanes, normal).index;
        let support_b = b.reach(self.lanes, -normal).index;
        let of_a = a.face_along(normal, support_a);
        let of_b = b.face_along(-normal, support_b);
        let along_a = a.to_local(normal).dot(a.faces()[of_a].normal);
        let along_b = -b.to_local(normal).dot(b.faces()[of_b].normal);
        let (has_a, has_b) = (a.corners_of(of_a).len() > 2, b.corners_of(of_b).len() > 2);
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

    /// The greatest gap along the cross product of an edge of each, if it is above that of the face by more than a bias.
    #[inline(always)]
    fn best_edges(&self, faces: &FaceBatch, lane: usize) -> Option<Best> {
        let lanes = self.lanes;
        let mut least = f64::from(faces.gaps[lane]) + f64::from(BIAS) * self.size;
        let mut best = None;
        let [a, b] = self.solids;
        let [edges_a, mut edges_b] = [faces.edges[0][lane], faces.edges[1][lane]];
        // Powers of two keep products from underflow.
        let scale = Float::recip_pow2(self.size as f32);
        let slack = lanes.splat(ALONG);
        let mut columns = ArcColumns::NONE;
        let mut ids = [0u8; MAX_LANES];
        while edges_b != [0; 3] {
            let mut count = 0;
            while count < L::COUNT
                && let Some(k) = pop(&mut edges_b)
            {
                columns.set(count, &b.arc_f32(k, scale));
                ids[count] = k as u8;
                count += 1;
            }
            let of_b = columns.in_frame(lanes, faces, lane, scale);
            let mut left = edges_a;
            while let Some(j) = pop(&mut left) {
                let floor = lanes.splat(least as f32 * scale);
                let mut may_win = of_b.may_win(lanes, &a.arc_f32(j, scale), floor, slack);
                while may_win != 0 {
                    let k = usize::from(ids[may_win.trailing_zeros() as usize % MAX_LANES]);
                    may_win &= may_win - 1;
                    let (of_a, of_b) = (a.arc(j), b.arc(k));
                    let Some(normal) = of_a.crosses(&of_b) else {
                        continue;
                    };
                    let end = self.offset + of_b.start;
                    let along = (end - of_a.start).dot(normal);
                    let length = normal.length();
                    if along <= least * length {
                        continue;
                    }
                    let normal = normal * (1.0 / length);
                    let gap = self.gap(normal);
                    // The order of the pairs depends on the number of lanes.
                    let is_first = match best {
                        Some(Best {
                            feature: Feature::Edges(p, q),
                            ..
                        }) => (j, k) < (p, q),
                        _ => false,
                    };
                    if gap > least || gap == least && is_first {
                        least = gap;
                        best = Some(Best {
                            gap,
                            normal,
                            feature: Feature::Edges(j, k),
                            support: 0,
                        });
                    }
                }
            }
        }
        best
    }
}

/// Takes the first edge out of a set.
#[inline(always)]
fn pop(set: &mut EdgeSet) -> Option<usize> {
    let mut k = 0;
    while k < 3 {
        if set[k] != 0 {
            let first = set[k].trailing_zeros() as usize;
            set[k] &= set[k] - 1;
            return Some(64 * k + first);
        }
        k += 1;
    }
    None
}

/// Error of a point along the product of two edges, in their lengths, for S = 1.
const ALONG: f32 = 80.0 * U;
/// Error of a product of a unit normal and an edge, in its length.
const ACROSS: f32 = 32.0 * U;

/// Edges of one shape with the normals of their faces, one per lane.
struct ArcColumns {
    /// Start, edge and both normals.
    columns: [[[f32; MAX_LANES]; 3]; 4],
}

/// Arcs as vectors.
struct LaneArcs<F> {
    start: Vec3<F>,
    along: Vec3<F>,
    normals: [Vec3<F>; 2],
}

impl ArcColumns {
    const NONE: Self = ArcColumns {
        columns: [[[0.0; MAX_LANES]; 3]; 4],
    };

    #[inline(always)]
    fn set(&mut self, lane: usize, vectors: &[[f32; 3]; 4]) {
        let mut k = 0;
        while k < 4 {
            let mut axis = 0;
            while axis < 3 {
                self.columns[k][axis][lane] = vectors[k][axis];
                axis += 1;
            }
            k += 1;
        }
    }

    /// The arcs of B in the frame of A.
    #[inline(always)]
    fn in_frame<L: Lanes>(
        &self,
        lanes: L,
        faces: &FaceBatch,
        lane: usize,
        scale: f32,
    ) -> LaneArcs<L::F> {
        let [u, v, w] = &faces.turn;
        let turn = [
            splat(lanes, [u[0][lane], u[1][lane], u[2][lane]]),
            splat(lanes, [v[0][lane], v[1][lane], v[2][lane]]),
            splat(lanes, [w[0][lane], w[1][lane], w[2][lane]]),
        ];
        let [x, y, z] = &faces.offset;
        let offset = splat(lanes, [x[lane] * scale, y[lane] * scale, z[lane] * scale]);
        let [start, along, first, second] = &self.columns;
        let (start, along) = (
            turned(turn, load(lanes, start)),
            turned(turn, load(lanes, along)),
        );
        let normals = [
            turned(turn, load(lanes, first)),
            turned(turn, load(lanes, second)),
        ];
        LaneArcs {
            start: offset + start,
            along,
            normals,
        }
    }
}

impl<F: Float> LaneArcs<F> {
    /// Bits of those that may have a gap above `least` with an edge of A: their arcs cross, and so far apart are the edges along their
    /// cross product.
    #[inline(always)]
    fn may_win<L: Lanes<F = F, M = F::Mask>>(
        &self,
        lanes: L,
        of_a: &[[f32; 3]; 4],
        least: F,
        slack: F,
    ) -> u64 {
        let zero = lanes.splat(0.0);
        let start = splat(lanes, of_a[0]);
        let along = splat(lanes, of_a[1]);
        let (first, second) = (splat(lanes, of_a[2]), splat(lanes, of_a[3]));
        let (p, q) = (first.dot(self.along), second.dot(self.along));
        let (r, s) = (self.normals[0].dot(along), self.normals[1].dot(along));
        let across = lanes.splat(ACROSS);
        let (length_a, length_b) = (along.abs().sum(), self.along.abs().sum());
        let (of_a, of_b) = (length_b * across, length_a * across);
        let up = (-of_a).le(p) & q.le(of_a) & (-of_b).le(r) & s.le(of_b);
        let down = p.le(of_a) & (-of_a).le(q) & r.le(of_b) & (-of_b).le(s);
        let normal = along.cross(self.along);
        let way = (self.start - start).dot(normal);
        let floor = least * normal.dot(normal).sqrt() - slack * (length_a * length_b);
        ((up & floor.lt(way)) | (down & floor.lt(zero - way))).bits()
    }
}

/// Least cosine of a normal that is that of a face.
const ALIGNED: f64 = 1.0 - 1.0 / (1u64 << 20) as f64;

/// Difference of cosines up to which two faces are equally along a normal.
const TIE: f64 = 1.0 / 64.0;

/// An edge with the normals of its faces, so that it points along their cross product.
#[derive(Clone, Copy)]
struct Arc {
    start: DVec3,
    along: DVec3,
    normals: [DVec3; 2],
}

/// The first three numbers of row `k` of blocks of 16.
#[inline(always)]
fn row_of<const N: usize>(blocks: &[[[f32; 16]; N]], k: u8) -> [f32; 3] {
    let (block, k) = (&blocks[usize::from(k / 16)], usize::from(k % 16));
    [block[0][k], block[1][k], block[2][k]]
}

impl Solid<'_> {
    /// The start of an edge, the edge, and the normals of its faces, in the frame of the faces. Lengths are scaled.
    #[inline(always)]
    fn arc_f32(&self, edge: usize, scale: f32) -> [[f32; 3]; 4] {
        let HullEdge { ends, faces } = self.edges()[edge];
        let (points, planes) = (self.points(), self.planes());
        let (p, q) = (row_of(points, ends[0]), row_of(points, ends[1]));
        let p = [p[0] * scale, p[1] * scale, p[2] * scale];
        let q = [q[0] * scale, q[1] * scale, q[2] * scale];
        [
            p,
            [q[0] - p[0], q[1] - p[1], q[2] - p[2]],
            row_of(planes, faces[0]),
            row_of(planes, faces[1]),
        ]
    }

    /// The face of an edge that is more along a unit vector, and the cosine. The first one if both are about equally along it, so
    /// that a tremble of a shape does not alternate between them.
    #[inline(always)]
    fn face_of_edge(&self, edge: usize, arc: &Arc, d: DVec3) -> (usize, f64) {
        let [first, second] = self.edges()[edge].faces.map(usize::from);
        let [along_first, along_second] = arc.normals.map(|normal| normal.dot(d));
        if along_second > along_first + TIE {
            (second, along_second)
        } else {
            (first, along_first)
        }
    }

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
        let along = end - start;
        Arc {
            start,
            along,
            normals,
        }
    }
}

impl Arc {
    /// The cross product that is a normal of both edges, from the first shape to the second; `None` if the arcs do not cross.
    #[inline(always)]
    fn crosses(&self, other: &Arc) -> Option<DVec3> {
        let (p, q) = (
            self.normals[0].dot(other.along),
            self.normals[1].dot(other.along),
        );
        let (r, s) = (
            other.normals[0].dot(self.along),
            other.normals[1].dot(self.along),
        );
        // Arcs that touch count.
        let (of_a, of_b) = (other.along.norm1() * TOUCH, self.along.norm1() * TOUCH);
        let up = p >= -of_a && q <= of_a && r >= -of_b && s <= of_b;
        let down = p <= of_a && q >= -of_a && r <= of_b && s >= -of_b;
        if !up && !down {
            return None;
        }
        let normal = self.along.cross(other.along);
        let is_parallel = normal.norm1() <= PARALLEL * self.along.norm1() * other.along.norm1();
        if is_parallel {
            return None;
        }
        Some(if up { normal } else { -normal })
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
    at: DVec3,
    /// Separation of the cores.
    separation: f64,
    feature: u8,
}

const NO_CANDIDATE: Candidate = Candidate {
    at: DVec3::ZERO,
    separation: f64::INFINITY,
    feature: 0,
};

/// Corners of the patch of a face, relative to the center of A.
struct Polygon<const N: usize> {
    corners: [DVec3; N],
    /// Coordinates across the normal.
    flat: [[f64; 2]; N],
    features: [u8; N],
    len: usize,
    /// 1 if counterclockwise about the normal of the contact, or −1.
    turn: f64,
    normal: DVec3,
    /// A corner of the face.
    base: DVec3,
}

impl<const N: usize> Polygon<N> {
    #[inline(always)]
    fn new(
        solid: &Solid<'_>,
        face: usize,
        at: DVec3,
        (about, basis): (DVec3, [DVec3; 2]),
        first: u8,
    ) -> Self {
        let normal = solid.to_world(solid.faces()[face].normal);
        let mut polygon = Polygon {
            corners: [DVec3::ZERO; N],
            flat: [[0.0; 2]; N],
            features: [0; N],
            len: 0,
            turn: if normal.dot(about) >= 0.0 { 1.0 } else { -1.0 },
            normal,
            base: at,
        };
        if let Some(&corner) = solid.corners_of(face).first() {
            polygon.base = at + solid.corner(usize::from(corner));
        }
        for (k, &corner) in solid.patch_of(face).iter().enumerate().take(N) {
            let point = at + solid.corner(usize::from(corner));
            polygon.corners[k] = point;
            polygon.flat[k] = [basis[0].dot(point), basis[1].dot(point)];
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
    fn height(&self, from: DVec3, n: DVec3) -> Option<f64> {
        let facing = self.normal.dot(n);
        if facing.abs() < FACING {
            return None;
        }
        Some(self.normal.dot(self.base - from) / facing)
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

    /// The least separation.
    fn deepest(&self) -> f64 {
        let mut least = f64::INFINITY;
        for candidate in &self.list[..self.len] {
            least = f64_min(candidate.separation, least);
        }
        least
    }
}

impl<L: Lanes> SolidPair<'_, '_, L> {
    /// The contact along a normal.
    #[inline(always)]
    fn along(&self, best: Best) -> HullContact {
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
        // Each edge of the incident face has up to two points, each corner of the other one.
        let len = a.patch_of(faces[0]).len() + b.patch_of(faces[1]).len();
        if 2 * len <= 16 {
            self.of_faces::<16>(on, faces, of_edges)
        } else {
            self.of_faces::<192>(on, faces, of_edges)
        }
    }

    /// The face of a contact and the face at its support.
    #[inline(always)]
    fn faces_of(&self, best: Best) -> [usize; 2] {
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

    /// The contact of two faces; the face of the feature is the reference face. If two edges are deepest, `of_edges` has their point, and
    /// whether their normal is nearly that of a face.
    #[inline(always)]
    fn of_faces<const N: usize>(
        &self,
        best: Best,
        faces: [usize; 2],
        of_edges: Option<(Option<Candidate>, bool)>,
    ) -> HullContact {
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
            let most = f64::from(SHALLOW) * self.size;
            meet(&polygons, best, slop, most, &mut candidates);
        }
        if let Some((point, is_aligned)) = of_edges {
            // The normal of edges that is nearly that of a face would alternate with it, and one point with four.
            let is_flat = polygons[reference].len < 3;
            let least = if is_aligned || is_flat { 2 } else { 1 };
            if candidates.len < least || candidates.deepest() > best.gap + self.size * NEAR {
                let point = point.unwrap_or_else(|| self.of_parted(best));
                return self.contact_of(best, &[point]);
            }
        } else if candidates.len == 0 {
            return self.contact_of(best, &[self.of_parted(best)]);
        }
        let candidates = &mut candidates;
        let deep = self.size * DEEP;
        let radii = a.body.radius + b.body.radius;
        let kept = reduce(&mut candidates.list[..candidates.len], basis, radii, deep);
        self.contact_of(best, &candidates.list[..kept])
    }

    /// Whether the axis of a capsule is so oblique to a normal that only its nearest end touches: a point at the radius from any
    /// other point of the axis, along the normal, is inside the capsule by up to half the radius times the squared sine.
    fn is_steep<const N: usize>(&self, polygons: &[Polygon<N>; 2], n: DVec3) -> bool {
        let mut is_steep = false;
        for (solid, polygon) in self.solids.iter().zip(polygons) {
            if polygon.len == 2 {
                let axis = polygon.corners[1] - polygon.corners[0];
                let along = axis.dot(n);
                let most = 128.0 * f64::from(U) * self.size * axis.dot(axis);
                is_steep |= solid.body.radius * along * along > most;
            }
        }
        is_steep
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
const NEAR: f64 = 1.0 / (1u64 << 16) as f64;

/// Part of S by which points may differ in depth before the deepest is kept.
const DEEP: f64 = 1.0 / (1u64 << 11) as f64;

/// Clips the incident face to the reference face along a unit vector.
fn clip<const N: usize>(
    polygons: &[Polygon<N>; 2],
    reference: usize,
    n: DVec3,
    slop: f64,
    candidates: &mut Candidates<N>,
) {
    let (to, from) = (&polygons[reference], &polygons[1 - reference]);
    // The separation is measured from A to B.
    let sign = if reference == 0 { -1.0 } else { 1.0 };
    let mut add_point = |at: DVec3, height: f64, sign: f64, feature: u8| {
        candidates.add(Candidate {
            at: at + n * (0.5 * height),
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
        let way = next - start;
        let mut add_at = |share: f64, feature: u8| {
            let at = start + way * share;
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
/// cross. If they miss each other by at most `most`, adds the pair of points that are nearest to each other.
fn meet<const N: usize>(
    polygons: &[Polygon<N>; 2],
    best: Best,
    slop: f64,
    most: f64,
    candidates: &mut Candidates<N>,
) {
    let flat = |a: [f64; 2], b: [f64; 2]| [b[0] - a[0], b[1] - a[1]];
    let last = |polygon: &Polygon<N>| usize::from(polygon.len > 1);
    let of = |x: DVec3, y: DVec3, feature: u8| Candidate {
        at: (x + y) * 0.5,
        separation: (y - x).dot(best.normal),
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
            let on_other =
                other.corners[0] + (other.corners[last(other)] - other.corners[0]) * share;
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
                let way = polygon.corners[1] - polygon.corners[0];
                polygon.corners[0] + way * share
            };
            candidates.add(of(at(a, shares[0]), at(b, shares[1]), 128));
        } else if ends.len > 0 {
            let ends = &ends.list[..ends.len];
            let away = |k: usize| {
                let d = ends[k].at - ends[0].at;
                d.dot(d)
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
    if candidates.len == 0 && least <= most {
        candidates.limit = f64::INFINITY;
        candidates.add(nearest);
    }
}

/// Moves up to four points to the front that cover most of the area. Returns their number.
///
/// Points that touch have precedence over separated ones: within the margin, the corners of a tilted face would cover more than the edge
/// that the hull rests on.
fn reduce(points: &mut [Candidate], [u, v]: [DVec3; 2], touching: f64, deep: f64) -> usize {
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
    let flat = |point: &Candidate| [point.at.dot(u), point.at.dot(v)];
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
    let support = hull.reach(lanes, n).index;
    let face = hull.face_along(n, support);
    let size = place.size + f64::from(margin);
    let mut candidates = Candidates::<64> {
        list: [NO_CANDIDATE; 64],
        len: 0,
        limit: f64_max(f64::from(margin), place.gap) + 16.0 * f64::from(U) * size,
    };
    let mut add_corner = |corner: usize| {
        let at = hull.corner(corner);
        let height = place.height - at.dot(n);
        candidates.add(Candidate {
            at: at + n * (0.5 * height),
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
        let height = place.height - at.dot(n);
        candidates.add(Candidate {
            at: at + n * (0.5 * height),
            separation: height,
            feature: support as u8,
        });
    }
    let len = candidates.len;
    let kept = reduce(&mut candidates.list[..len], n.across(), 0.0, size * DEEP);
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
        offset: DVec3::ZERO,
        count: kept,
        points: [point(0), point(1), point(2), point(3)],
    })
}
