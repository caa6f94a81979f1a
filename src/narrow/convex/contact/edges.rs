//! Pairs of edges: the cross products of edges whose arcs cross, as normals of contacts.

use crate::lane::{Float, Lanes, MAX_LANES, Mask, U, Vec3, splat};
use crate::math::dvec::DVec3;
use crate::narrow::convex::contact::face_batch::{BIAS, EdgeSet, FaceBatch};
use crate::narrow::convex::contact::solid::Solid;
use crate::narrow::convex::contact::solid_pair::{Best, FacedPair, Feature};
use crate::narrow::convex::support::{load, turned};
use crate::store::hull::faces::HullEdge;

impl<L: Lanes> FacedPair<'_, '_, L> {
    /// The greatest gap along the cross product of an edge of each, if it is above that of the face by more than a bias.
    #[inline(always)]
    pub fn best_edges(&self, faces: &FaceBatch, lane: usize) -> Option<Best> {
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
    pub start: Vec3<F>,
    pub along: Vec3<F>,
    pub normals: [Vec3<F>; 2],
}

impl ArcColumns {
    const NONE: Self = ArcColumns {
        columns: [[[0.0; MAX_LANES]; 3]; 4],
    };

    #[inline(always)]
    pub fn set(&mut self, lane: usize, vectors: &[[f32; 3]; 4]) {
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
    pub fn in_frame<L: Lanes>(
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
    pub fn may_win<L: Lanes<F = F, M = F::Mask>>(
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

/// Difference of cosines up to which two faces are equally along a normal.
pub const TIE: f64 = 1.0 / 64.0;

/// An edge with the normals of its faces, so that it points along their cross product.
#[derive(Clone, Copy)]
pub struct Arc {
    pub start: DVec3,
    pub along: DVec3,
    pub normals: [DVec3; 2],
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
    pub fn arc_f32(&self, edge: usize, scale: f32) -> [[f32; 3]; 4] {
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
    pub fn face_of_edge(&self, edge: usize, arc: &Arc, d: DVec3) -> (usize, f64) {
        let [first, second] = self.edges()[edge].faces.map(usize::from);
        let [along_first, along_second] = arc.normals.map(|normal| normal.dot(d));
        if along_second > along_first + TIE {
            (second, along_second)
        } else {
            (first, along_first)
        }
    }

    #[inline(always)]
    pub fn arc(&self, edge: usize) -> Arc {
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
    pub fn crosses(&self, other: &Arc) -> Option<DVec3> {
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
