//! Face clipping and manifold reduction, for the faces of boxes and triangles. The construction, its source and its error
//! bound are in `contact::box_box`.

use crate::lane::{Float, Lanes, Vec3, select};
use crate::narrow::contact::manifold::{Choice, Manifold, ManifoldPoint};
use crate::narrow::geometry::gap::{Gap, signed};

/// Bias of the tie-break: the gap by which an axis of a later group must be better, relative to all lengths.
pub const BIAS: f32 = 32.0;
/// Tolerance by which a point may lie outside of a face, relative to all lengths.
pub const SLOP: f32 = 16.0;
/// Distance of a rejected candidate.
pub const REJECTED: f32 = 1e18;
/// Outward bias of the deepest point: 2⁻¹⁰ of the distance along a direction that is not one of symmetry.
const OUTWARD: [f32; 2] = [0.795 / 1024.0, 0.607 / 1024.0];

/// Candidate axis for the normal, not normalised.
#[derive(Clone, Copy)]
pub struct SatAxis<F> {
    pub normal: Vec3<F>,
    pub gap: F,
    /// Squared length of the normal.
    pub squared: F,
}

impl<F: Float> SatAxis<F> {
    /// The axis, normalised.
    #[inline(always)]
    pub fn unit<L: Lanes<F = F, M = F::Mask>>(self, lanes: L) -> Gap<F> {
        let inverse = lanes.splat(1.0) / self.squared.sqrt();
        Gap {
            normal: self.normal * inverse,
            gap: self.gap * inverse,
        }
    }

    /// The better of two axes of any length: gap |gap| / squared has the order of gap / length, and needs no root.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        let better = (self.gap * self.gap.abs() * other.squared)
            .lt(other.gap * other.gap.abs() * self.squared);
        SatAxis {
            normal: select(better, other.normal, self.normal),
            gap: other.gap.select(better, self.gap),
            squared: other.squared.select(better, self.squared),
        }
    }
}

/// Point or half edge of the incident face, projected onto the reference plane, and its separation.
#[derive(Clone, Copy)]
pub struct ProjectedPoint<F> {
    pub x: F,
    pub y: F,
    /// Separation of a point, or its change along a half edge.
    pub d: F,
}

impl<F: Float> ProjectedPoint<F> {
    /// Projects a point at height `z` above the plane along the normal of slopes `nx` and `ny`.
    #[inline(always)]
    pub fn new([x, y, z]: [F; 3], [nx, ny, inverse]: [F; 3]) -> Self {
        let d = z * inverse;
        ProjectedPoint {
            x: x - d * nx,
            y: y - d * ny,
            d,
        }
    }

    /// `self + other * times`
    #[inline(always)]
    pub fn plus(self, other: Self, times: F) -> Self {
        ProjectedPoint {
            x: self.x + other.x * times,
            y: self.y + other.y * times,
            d: self.d + other.d * times,
        }
    }
}

/// Candidate for a point of the manifold.
#[derive(Clone, Copy)]
pub struct ManifoldCandidate<F> {
    pub x: F,
    pub y: F,
    /// Separation; large if the candidate does not count.
    pub d: F,
    pub feature: F,
}

impl<F: Float> ManifoldCandidate<F> {
    /// `if mask { other } else { self }`
    #[inline(always)]
    pub fn or(self, mask: F::Mask, other: Self) -> Self {
        ManifoldCandidate {
            x: other.x.select(mask, self.x),
            y: other.y.select(mask, self.y),
            d: other.d.select(mask, self.d),
            feature: other.feature.select(mask, self.feature),
        }
    }
}

/// Reference face, and its copy enlarged by the rounding tolerance.
#[derive(Clone, Copy)]
pub struct Rectangle<F> {
    x: F,
    y: F,
    grown_x: F,
    grown_y: F,
}

impl<F: Float> Rectangle<F> {
    #[inline(always)]
    pub fn new(x: F, y: F, slop: F) -> Self {
        Rectangle {
            x,
            y,
            grown_x: x + slop,
            grown_y: y + slop,
        }
    }

    /// The nearest place in the face.
    #[inline(always)]
    fn clamped(self, point: ProjectedPoint<F>) -> ProjectedPoint<F> {
        ProjectedPoint {
            x: point.x.max(-self.x).min(self.x),
            y: point.y.max(-self.y).min(self.y),
            ..point
        }
    }

    /// The less far outside of two positions along an edge.
    #[inline(always)]
    pub fn less_outside(
        self,
        base: ProjectedPoint<F>,
        edge: ProjectedPoint<F>,
        one: F,
        other: F,
    ) -> F {
        let (at_one, at_other) = (base.plus(edge, one), base.plus(edge, other));
        one.select(self.outside(at_one).le(self.outside(at_other)), other)
    }

    /// Distance of a point outside the face.
    #[inline(always)]
    pub fn outside(self, point: ProjectedPoint<F>) -> F {
        (point.x.abs() - self.x).max(point.y.abs() - self.y)
    }
}

/// Reciprocals for clipping edges of one direction.
#[derive(Clone, Copy)]
pub struct Cutting<F> {
    inverse_x: F,
    inverse_y: F,
}

impl<F: Float> Cutting<F> {
    #[inline(always)]
    pub fn new<L: Lanes<F = F, M = F::Mask>>(lanes: L, edge: ProjectedPoint<F>) -> Self {
        Cutting {
            inverse_x: inverse(lanes, edge.x),
            inverse_y: inverse(lanes, edge.y),
        }
    }

    /// Interval in which the edge around `base` is inside the rectangle; empty if it is reversed.
    #[inline(always)]
    pub fn inside<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        base: ProjectedPoint<F>,
        rectangle: Rectangle<F>,
    ) -> (F, F) {
        let one = lanes.splat(1.0);
        let (at_x, at_y) = (-base.x * self.inverse_x, -base.y * self.inverse_y);
        let reach_x = rectangle.grown_x * self.inverse_x.abs();
        let reach_y = rectangle.grown_y * self.inverse_y.abs();
        (
            (at_x - reach_x).max(at_y - reach_y).max(-one),
            (at_x + reach_x).min(at_y + reach_y).min(one),
        )
    }
}

/// 1 / x, with |x| clamped to at least 2⁻⁶⁰.
#[inline(always)]
pub fn inverse<L: Lanes>(lanes: L, x: L::F) -> L::F {
    let least = x.abs().max(lanes.splat(1.0 / (1u64 << 60) as f32));
    lanes.splat(1.0) / signed(lanes, least, x)
}

/// Edge of an incident face, projected onto the reference plane.
#[derive(Clone, Copy)]
pub struct ClippedEdge<F: Float> {
    pub middle: ProjectedPoint<F>,
    /// Half of the edge.
    pub half: ProjectedPoint<F>,
    /// The part of −1 to 1 that is inside the reference face; empty if it is reversed.
    pub inside: (F, F),
    /// Ends of that interval, in order around the face.
    pub ends: [F; 2],
    /// Whether the start is not the end of the previous edge.
    pub is_new: F::Mask,
    pub feature: F,
}

/// Candidates on the edges of an incident face.
pub struct Clipping<F: Float> {
    rectangle: Rectangle<F>,
    /// Largest separation of a candidate that counts.
    limit: F,
    /// Candidate that is least outside, in case all others are rejected.
    pub fallback: ManifoldCandidate<F>,
    least_outside: F,
}

impl<F: Float> Clipping<F> {
    #[inline(always)]
    pub fn new<L: Lanes<F = F>>(lanes: L, rectangle: Rectangle<F>, limit: F) -> Self {
        let (zero, rejected) = (lanes.splat(0.0), lanes.splat(REJECTED));
        Clipping {
            rectangle,
            limit,
            fallback: ManifoldCandidate {
                x: zero,
                y: zero,
                d: rejected,
                feature: zero,
            },
            least_outside: rejected,
        }
    }

    /// The end of an edge and its start, moved into the face: the tolerance of clipping is larger than a small face.
    #[inline(always)]
    pub fn ends<L: Lanes<F = F, M = F::Mask>>(
        &mut self,
        lanes: L,
        edge: ClippedEdge<F>,
    ) -> [ManifoldCandidate<F>; 2] {
        let (one, rejected) = (lanes.splat(1.0), lanes.splat(REJECTED));
        let ClippedEdge {
            middle,
            half,
            inside: (low, high),
            ends: [from, to],
            is_new,
            feature,
        } = edge;
        let some = low.le(high);
        let end = self.rectangle.clamped(middle.plus(half, to));
        let start = self.rectangle.clamped(middle.plus(half, from));
        let ends = [
            ManifoldCandidate {
                x: end.x,
                y: end.y,
                d: end.d.select(some & end.d.le(self.limit), rejected),
                feature,
            },
            ManifoldCandidate {
                x: start.x,
                y: start.y,
                d: start
                    .d
                    .select(some & is_new & start.d.le(self.limit), rejected),
                feature: feature + lanes.splat(32.0),
            },
        ];
        let (low, high) = (low.max(-one).min(one), high.max(-one).min(one));
        let nearest = self.rectangle.less_outside(middle, half, low, high);
        let nearest = middle.plus(half, nearest);
        let outside = self.rectangle.outside(nearest);
        let nearest = self.rectangle.clamped(nearest);
        let nearer = outside.lt(self.least_outside);
        self.least_outside = outside.select(nearer, self.least_outside);
        self.fallback = self.fallback.or(
            nearer,
            ManifoldCandidate {
                x: nearest.x,
                y: nearest.y,
                d: nearest.d,
                feature,
            },
        );
        ends
    }
}

/// Reference face of A.
#[derive(Clone, Copy)]
pub struct ReferenceFace<F: Float> {
    /// Axis of its normal.
    pub axis: Choice<F>,
    /// Coordinate of the face along its axis.
    pub height: F,
    /// Distance by [`least_apart`](crate::narrow::contact::manifold::least_apart): nearer points are one.
    pub apart: F,
}

/// Size of an incident face with these half edges.
#[inline(always)]
pub fn size_of<L: Lanes, const N: usize>(lanes: L, half_edges: [ProjectedPoint<L::F>; N]) -> L::F {
    let mut size = lanes.splat(0.0);
    let mut k = 0;
    while k < N {
        size = size + (half_edges[k].x.abs() + half_edges[k].y.abs());
        k += 1;
    }
    size
}

/// Manifold of at most four of the candidates, or of `fallback` if none counts and the boxes touch.
#[inline(always)]
pub fn reduced<L: Lanes, const N: usize>(
    lanes: L,
    Gap { normal, gap }: Gap<L::F>,
    ReferenceFace {
        axis,
        height,
        apart,
    }: ReferenceFace<L::F>,
    candidates: [ManifoldCandidate<L::F>; N],
    fallback: ManifoldCandidate<L::F>,
) -> Manifold<L::F> {
    let (zero, one, half) = (lanes.splat(0.0), lanes.splat(1.0), lanes.splat(0.5));
    let rejected = lanes.splat(REJECTED);
    let touches = gap.le(zero);
    let fallback = ManifoldCandidate {
        d: fallback.d.select(touches, rejected),
        ..fallback
    };
    let chosen = four(lanes, candidates, fallback, apart);
    let mut count = zero;
    let mut points = [ManifoldPoint {
        at: Vec3([zero; 3]),
        separation: zero,
        feature: zero,
    }; 4];
    let mut k = 0;
    while k < 4 {
        let counts = chosen[k].d.lt(rejected);
        let candidate = chosen[0].or(counts, chosen[k]);
        count = count + one.masked(counts);
        let d = chosen[k].d.masked(counts);
        points[k] = ManifoldPoint {
            at: Vec3(axis.back([candidate.x, candidate.y, height])) + normal * (d * half),
            separation: d.select(counts, lanes.splat(f32::INFINITY)),
            feature: candidate.feature,
        };
        k += 1;
    }
    Manifold {
        normal,
        separation: gap,
        offset: Vec3([zero; 3]),
        count,
        points,
    }
}

/// Manifold reduction: four candidates that span most of the polygon. Rejected candidates have a large separation.
#[inline(always)]
fn four<L: Lanes, const N: usize>(
    lanes: L,
    candidates: [ManifoldCandidate<L::F>; N],
    fallback: ManifoldCandidate<L::F>,
    apart: L::F,
) -> [ManifoldCandidate<L::F>; 4] {
    let rejected = lanes.splat(REJECTED);
    let outward = [lanes.splat(OUTWARD[0]), lanes.splat(OUTWARD[1])];
    // Deepest point, with the outward bias.
    let mut first = fallback;
    let mut least = rejected;
    let mut k = 0;
    while k < N {
        let candidate = candidates[k];
        let rank = candidate.d - (candidate.x * outward[0] + candidate.y * outward[1]).abs();
        let better = rank.lt(least) & candidate.d.lt(rejected);
        least = rank.select(better, least);
        first = first.or(better, candidate);
        k += 1;
    }
    // Farthest from it.
    let none = ManifoldCandidate {
        d: rejected,
        ..first
    };
    let mut second = none;
    let mut farthest = apart * apart;
    let mut k = 0;
    while k < N {
        let candidate = candidates[k];
        let (x, y) = (candidate.x - first.x, candidate.y - first.y);
        let distance = x * x + y * y;
        let better = farthest.lt(distance) & candidate.d.lt(rejected);
        farthest = distance.select(better, farthest);
        second = second.or(better, candidate);
        k += 1;
    }
    // Extremes on either side of the line through both.
    let (dx, dy) = (second.x - first.x, second.y - first.y);
    let least = apart * (dx.abs() + dy.abs());
    let (mut left, mut right) = (none, none);
    let (mut most_left, mut most_right) = (least, -least);
    let mut k = 0;
    while k < N {
        let candidate = candidates[k];
        let side = dx * (candidate.y - first.y) - dy * (candidate.x - first.x);
        let counts = candidate.d.lt(rejected) & second.d.lt(rejected);
        let better_left = most_left.lt(side) & counts;
        let better_right = side.lt(most_right) & counts;
        most_left = side.select(better_left, most_left);
        most_right = side.select(better_right, most_right);
        left = left.or(better_left, candidate);
        right = right.or(better_right, candidate);
        k += 1;
    }
    // If all are on one side, the fourth is the farthest outside the triangle.
    let only_right = rejected.le(left.d);
    let third = left.or(only_right, right);
    let one_sided = only_right | rejected.le(right.d);
    let one_sided = one_sided & third.d.lt(rejected);
    let one = lanes.splat(1.0);
    let turn = one.select(only_right, -one);
    let (mut fourth, mut farthest) = (right.or(one_sided | only_right, none), least);
    let mut k = 0;
    while k < N {
        let candidate = candidates[k];
        let outside =
            (area(second, third, candidate) * turn).max(area(third, first, candidate) * turn);
        let better = farthest.lt(outside) & candidate.d.lt(rejected) & one_sided;
        farthest = outside.select(better, farthest);
        fourth = fourth.or(better, candidate);
        k += 1;
    }
    [first, second, third, fourth]
}

/// Twice the signed area of a triangle, negative if clockwise.
#[inline(always)]
fn area<F: Float>(p: ManifoldCandidate<F>, q: ManifoldCandidate<F>, r: ManifoldCandidate<F>) -> F {
    (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x)
}
