//! Contacts with triangles: the features of a triangle, seen from the center of the other shape.
//!
//! All vectors are in the frame of the triangle: its axes T, B and N. Lengths are scaled by a power of two so that they sum
//! to less than 1.
//!
//! # Normals from pairs of points
//!
//! Each normal that is tried joins a pair of points, one of either shape, as exactly as floats allow: a point and its
//! foot on an edge are joined by a multiple of the edge's normal in the plane and a multiple of N, not by the
//! difference of two points. So the normal is at right angles to the edge within u, however near the points are, and
//! the gap along it loses nothing. A foot counts if it is on the edge within a tolerance, [`SLOP`]: if rounding misplaces
//! a foot near an end, both the edge and the corner are tried. A pair counts only if no other points are nearer along its
//! vector: otherwise the gap may be right, but not the part.
//!
//! # Parts
//!
//! A part of the triangle is a small number: 0 is the face, 1 to 3 the edges P–Q, Q–R and P–R, and 4 to 6 the corners P, Q
//! and R. P–Q is the longest edge.
//!
//! # Two functions
//!
//! Each kernel chooses a normal and builds the manifold along it in separate functions, `choose` and `along`. The
//! second function re-evaluates the gap, so any unit vector is a valid normal.

use crate::lane::{Float, Lanes, Vec3, splat, unit};
use crate::narrow::geometry::gap::{Gap, signed};
use crate::shapes::triangle::WideTriangle;

/// Tolerance by which a foot may lie outside of an edge or of the face, relative to all lengths.
pub const SLOP: f32 = 16.0;

/// Error bound subtracted from separations of spheres and capsules, in u of all lengths.
pub const ERRORS: f32 = 88.0;

/// Bias of the tie-break between parts, above the loss of the normals that are tried, relative to all lengths.
pub const BIAS: f32 = 16.0;

/// Shortest distance that defines a normal, in u: 2⁻⁴⁰ in `f32`.
pub const SHORTEST: f32 = 1.0 / 65536.0;

/// Number of the face as a part; edges and corners follow.
pub const FACE: f32 = 0.0;
/// Number of the first edge.
pub const EDGES: f32 = 1.0;
/// Number of the first corner.
pub const CORNERS: f32 = 4.0;

/// Normal from the other shape to the triangle, and the part of the triangle that it leads to.
#[derive(Clone, Copy)]
pub struct PartGap<F> {
    pub of: Gap<F>,
    pub part: F,
}

impl<F: Float> PartGap<F> {
    /// The larger of two gaps: `self`, unless `other` is larger by more than `bias`.
    #[inline(always)]
    pub fn or(self, other: Self, bias: F) -> Self {
        let better = (self.of.gap + bias).lt(other.of.gap);
        PartGap {
            of: self.of.replaced(better, other.of),
            part: other.part.select(better, self.part),
        }
    }
}

/// Edge of a triangle, in the plane.
#[derive(Clone, Copy)]
pub struct PlaneEdge<F: Float> {
    /// Start of the edge, relative to P.
    pub start: [F; 2],
    /// Unit vector from the start to the end, within 6 u.
    pub along: [F; 2],
    /// Its outward normal; B for an edge without a length.
    pub outward: [F; 2],
    pub length: F,
    /// Whether the edge has a direction; always true for the longest edge.
    pub exists: F::Mask,
}

impl<F: Float> PlaneEdge<F> {
    /// Coordinates of a vector along the edge and along its outward normal.
    #[inline(always)]
    pub fn turned(&self, x: F, y: F) -> [F; 2] {
        [
            x * self.along[0] + y * self.along[1],
            x * self.outward[0] + y * self.outward[1],
        ]
    }

    /// Coordinates of a point given relative to P: along the edge from its start, and beyond it.
    #[inline(always)]
    pub fn place(&self, x: F, y: F) -> [F; 2] {
        self.turned(x - self.start[0], y - self.start[1])
    }

    /// Whether a foot at `along` is on the edge.
    #[inline(always)]
    pub fn holds<L: Lanes<F = F, M = F::Mask>>(&self, lanes: L, along: F) -> F::Mask {
        let slop = lanes.units(SLOP);
        (-slop).le(along) & along.le(self.length + slop) & self.exists
    }

    /// `if mask { other } else { self }`
    #[inline(always)]
    pub fn or(self, mask: F::Mask, other: Self) -> Self {
        PlaneEdge {
            start: select_pair(mask, other.start, self.start),
            along: select_pair(mask, other.along, self.along),
            outward: select_pair(mask, other.outward, self.outward),
            length: other.length.select(mask, self.length),
            exists: (mask & other.exists) | (!mask & self.exists),
        }
    }
}

/// Triangle in its frame, all lengths scaled.
#[derive(Clone, Copy)]
pub struct FramedTriangle<F: Float> {
    pub length: F,
    pub foot: F,
    pub height: F,
    pub edges: [PlaneEdge<F>; 3],
}

impl<F: Float> FramedTriangle<F> {
    #[inline(always)]
    pub fn new<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        triangle: WideTriangle<F>,
        scale: F,
    ) -> Self {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let [over_first, over_second] = triangle.over_sides;
        let WideTriangle {
            length,
            foot,
            height,
            ..
        } = triangle;
        let rest = length - foot;
        let [[run_first, rise_first], [run_second, rise_second]] = triangle.sides();
        let (has_first, has_second) = (zero.lt(over_first), zero.lt(over_second));
        let (length, foot, height, rest) =
            (length * scale, foot * scale, height * scale, rest * scale);
        FramedTriangle {
            length,
            foot,
            height,
            edges: [
                PlaneEdge {
                    start: [zero, zero],
                    along: [one, zero],
                    outward: [zero, -one],
                    length,
                    // With this, a point has a normal across an axis through it.
                    exists: zero.le(length),
                },
                PlaneEdge {
                    start: [length, zero],
                    along: [-run_second, rise_second],
                    outward: [rise_second, run_second.select(has_second, one)],
                    length: rest * run_second + height * rise_second,
                    exists: has_second,
                },
                // From P to R, so that no coordinate of the start rounds.
                PlaneEdge {
                    start: [zero, zero],
                    along: [run_first, rise_first],
                    outward: [-rise_first, run_first.select(has_first, one)],
                    length: foot * run_first + height * rise_first,
                    exists: has_first,
                },
            ],
        }
    }

    /// The corners in the plane, relative to the point (x, y).
    #[inline(always)]
    pub fn corners<L: Lanes<F = F, M = F::Mask>>(&self, lanes: L, x: F, y: F) -> [[F; 2]; 3] {
        let zero = lanes.splat(0.0);
        [
            [zero - x, zero - y],
            [self.length - x, zero - y],
            [self.foot - x, self.height - y],
        ]
    }

    /// Parts of the triangle that may be nearest to the point (x, y).
    #[inline(always)]
    pub fn nearest<L: Lanes<F = F, M = F::Mask>>(&self, lanes: L, x: F, y: F) -> NearestParts<F> {
        let slop = lanes.units(SLOP);
        let none = lanes.splat(f32::NEG_INFINITY);
        let mut is_over = (-slop).le(x) & x.le(self.length + slop);
        let mut outward = self.edges[0].outward;
        let (mut most, mut edge) = (none, lanes.splat(EDGES));
        let mut k = 0;
        while k < 3 {
            let [along, beyond] = self.edges[k].place(x, y);
            is_over = is_over & beyond.le(slop);
            let farther = most.lt(beyond) & self.edges[k].holds(lanes, along);
            most = beyond.select(farther, most);
            outward = select_pair(farther, self.edges[k].outward, outward);
            edge = lanes.splat(EDGES + k as f32).select(farther, edge);
            k += 1;
        }

        let corners = self.corners(lanes, x, y);
        let (mut to_corner, mut corner) = (corners[0], lanes.splat(CORNERS));
        let mut least = squared(to_corner);
        let mut k = 1;
        while k < 3 {
            let distance = squared(corners[k]);
            let nearer = distance.lt(least);
            least = distance.select(nearer, least);
            to_corner = select_pair(nearer, corners[k], to_corner);
            corner = lanes.splat(CORNERS + k as f32).select(nearer, corner);
            k += 1;
        }
        NearestParts {
            is_over,
            is_beside: (-slop).le(most),
            to_edge: [-(outward[0] * most), -(outward[1] * most)],
            edge,
            to_corner,
            corner,
        }
    }
}

/// `if mask { a } else { b }`
#[inline(always)]
fn select_pair<F: Float>(mask: F::Mask, a: [F; 2], b: [F; 2]) -> [F; 2] {
    [a[0].select(mask, b[0]), a[1].select(mask, b[1])]
}

#[inline(always)]
fn squared<F: Float>([x, y]: [F; 2]) -> F {
    x * x + y * y
}

/// Parts of a triangle that may be nearest to a point.
#[derive(Clone, Copy)]
pub struct NearestParts<F: Float> {
    /// Whether the point is over the face.
    pub is_over: F::Mask,
    /// Whether the point is beyond an edge, and has a foot on it.
    pub is_beside: F::Mask,
    /// Vector in the plane from the point to its foot on the edge that it is farthest beyond.
    pub to_edge: [F; 2],
    pub edge: F,
    /// Vector in the plane from the point to the nearest corner.
    pub to_corner: [F; 2],
    pub corner: F,
}

/// Gap of the vector between two points, one of either shape, given the gap along it, both not normalised: −∞ if the vector
/// is too short, if the points are not those nearest along it, or if it is not `valid`.
#[inline(always)]
pub fn between<L: Lanes>(lanes: L, vector: Vec3<L::F>, gap: L::F, valid: L::M) -> Gap<L::F> {
    let squared = vector.dot(vector);
    let length = squared.sqrt();
    let inverse = lanes.splat(1.0) / length;
    let gap = gap * inverse;
    let valid = valid & lanes.units(SHORTEST).le(length) & (length - lanes.units(SLOP)).le(gap);
    Gap {
        normal: vector * inverse,
        gap: gap.select(valid, lanes.splat(f32::NEG_INFINITY)),
    }
}

/// Least and greatest coordinate of three corners along a vector, the corners having one height.
#[inline(always)]
pub fn extent<F: Float>(vector: Vec3<F>, corners: [[F; 2]; 3], z: F) -> (F, F) {
    let Vec3([vx, vy, vz]) = vector;
    let [a, b, c] = corners;
    let (a, b, c) = (
        vx * a[0] + vy * a[1],
        vx * b[0] + vy * b[1],
        vx * c[0] + vy * c[1],
    );
    let up = vz * z;
    (a.min(b).min(c) + up, a.max(b).max(c) + up)
}

/// Normal across the face, towards it from a point `z` above.
#[inline(always)]
pub fn across_face<L: Lanes>(lanes: L, z: L::F) -> Vec3<L::F> {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    Vec3([zero, zero, -signed(lanes, one, z)])
}

/// Gap along the normal of the face, and whether it counts.
#[inline(always)]
pub fn face<L: Lanes>(lanes: L, normal: Vec3<L::F>, gap: L::F, valid: L::M) -> PartGap<L::F> {
    PartGap {
        of: Gap {
            normal,
            gap: gap.select(valid, lanes.splat(f32::NEG_INFINITY)),
        },
        part: lanes.splat(FACE),
    }
}

/// Unit vector of the world, along the axes of a frame.
#[inline(always)]
pub fn in_frame<L: Lanes>(lanes: L, normal: Vec3<L::F>, axes: [Vec3<L::F>; 3]) -> Vec3<L::F> {
    unit(
        lanes,
        Vec3(normal.along(axes)),
        splat(lanes, [0.0, 0.0, 1.0]),
    )
    .0
}
