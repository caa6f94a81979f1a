//! Nearest points of a triangle and a point or a segment, in the frame of the triangle.
//!
//! The nearest point of a triangle is the foot of the perpendicular if that is in the face, otherwise a point of an edge:
//!
//! ```text
//! point      its foot, or the nearest of three edges in the plane
//! segment    its point nearest to the plane, if that is over the face, otherwise the nearest of three edges
//! edge       t = −(c₀ hc + z₀ hz) / (hc² + hz²) on the line of the edge, a = a₀ + t ha clamped to s, t again for s
//! ```
//!
//! For an edge, a is the coordinate along it, c the coordinate across it in the plane, and z the height.
//!
//! Source: C. Ericson, "Real-Time Collision Detection", 2005, 5.1.5, 5.1.9, 5.1.10. Departures: every edge is tried, so
//! that no decision about regions can be wrong. Directions are perpendicular to the nearest features, even where
//! rounding exceeds the distance: they are the cross product of two edges, or lose their component along an edge.
//!
//! Degenerate cases: a flat triangle has no face. An edge without length is a point, with the direction of the longest edge. A
//! segment without length is one of its ends. Parallel lines have any common point: NaN becomes the first end.
//!
//! # Error bound
//!
//! None: [`distance::search`](crate::narrow::distance::search) judges any guess. Places are within 8 u of the longest edge inside the triangle: an
//! edge's length is right to 5 u and its direction to 5 u, and a face is decided by directions, within 5 u at each of its corners.

use crate::lane::{Float, Lanes, Vec3, select};
use crate::shapes::triangle::WideTriangle;

/// An edge of a triangle in its frame.
#[derive(Clone, Copy)]
pub struct TriangleEdge<F> {
    /// Coordinate of its first end on the longest edge.
    pub start: F,
    /// Unit vector along it.
    pub run: F,
    pub rise: F,
    pub length: F,
}

/// The edges of a triangle: the longest edge, and the edges from its ends to the third corner.
#[inline(always)]
pub fn edges<L: Lanes>(lanes: L, triangle: WideTriangle<L::F>) -> [TriangleEdge<L::F>; 3] {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let WideTriangle {
        length,
        foot,
        height,
        ..
    } = triangle;
    let [[run_first, rise_first], [run_second, rise_second]] = triangle.sides();
    let first = foot * run_first + height * rise_first;
    let second = (length - foot) * run_second + height * rise_second;
    [
        TriangleEdge {
            start: zero,
            run: one,
            rise: zero,
            length,
        },
        TriangleEdge {
            start: zero,
            run: run_first.select(zero.lt(first), one),
            rise: rise_first,
            length: first,
        },
        TriangleEdge {
            start: length,
            run: -(run_second.select(zero.lt(second), one)),
            rise: rise_second,
            length: second,
        },
    ]
}

impl<F: Float> TriangleEdge<F> {
    /// Coordinates along the edge and across it.
    #[inline(always)]
    pub fn local(self, x: F, y: F) -> (F, F) {
        let x = x - self.start;
        (x * self.run + y * self.rise, y * self.run - x * self.rise)
    }

    /// The point at a distance from the first end.
    #[inline(always)]
    pub fn at(self, s: F) -> [F; 2] {
        [self.start + self.run * s, self.rise * s]
    }

    /// `if mask { self } else { other }`
    #[inline(always)]
    pub fn select(self, mask: F::Mask, other: Self) -> Self {
        TriangleEdge {
            start: self.start.select(mask, other.start),
            run: self.run.select(mask, other.run),
            rise: self.rise.select(mask, other.rise),
            length: self.length.select(mask, other.length),
        }
    }

    /// A vector with these parts along the edge, across it and along the normal, in the frame.
    #[inline(always)]
    fn vector(self, [a, c, z]: [F; 3]) -> Vec3<F> {
        Vec3([
            self.run * a - self.rise * c,
            self.rise * a + self.run * c,
            z,
        ])
    }
}

/// A point of the triangle, and a direction towards it, in the frame.
#[derive(Clone, Copy)]
pub struct NearestOnTriangle<F> {
    pub place: [F; 2],
    pub direction: Vec3<F>,
}

impl<F: Float> NearestOnTriangle<F> {
    /// `if mask { self } else { other }`
    #[inline(always)]
    pub fn select(self, mask: F::Mask, other: Self) -> Self {
        let ([ax, ay], [bx, by]) = (self.place, other.place);
        NearestOnTriangle {
            place: [ax.select(mask, bx), ay.select(mask, by)],
            direction: select(mask, self.direction, other.direction),
        }
    }
}

/// Whether a point of the plane is in the triangle. False for a flat triangle.
#[inline(always)]
pub fn is_over<L: Lanes>(lanes: L, triangle: WideTriangle<L::F>, x: L::F, y: L::F) -> L::M {
    let zero = lanes.splat(0.0);
    let [[run_first, rise_first], [run_second, rise_second]] = triangle.sides();
    zero.lt(triangle.height)
        & zero.le(y)
        & (run_first * y).le(rise_first * x)
        & (run_second * y).le(rise_second * (triangle.length - x))
}

/// The foot of a point over the face.
#[inline(always)]
pub fn foot<L: Lanes>(lanes: L, [x, y, z]: [L::F; 3]) -> NearestOnTriangle<L::F> {
    let zero = lanes.splat(0.0);
    NearestOnTriangle {
        place: [x, y],
        direction: Vec3([zero, zero, -z]),
    }
}

/// Vector from a point to the nearest point of the triangle, in the frame.
#[inline(always)]
pub fn to_triangle<L: Lanes>(
    lanes: L,
    triangle: WideTriangle<L::F>,
    [x, y, z]: [L::F; 3],
) -> Vec3<L::F> {
    let zero = lanes.splat(0.0);
    let edges = edges(lanes, triangle);
    let mut nearest = Vec3([x.max(zero).min(triangle.length) - x, -y, -z]);
    let [a, c, _] = nearest.0;
    let mut squared = a * a + c * c;
    let mut k = 1;
    while k < 3 {
        let (a, c) = edges[k].local(x, y);
        let (a, c) = (a.max(zero).min(edges[k].length) - a, -c);
        let found = a * a + c * c;
        let is_nearer = found.lt(squared);
        squared = found.select(is_nearer, squared);
        nearest = select(is_nearer, edges[k].vector([a, c, -z]), nearest);
        k += 1;
    }
    select(
        is_over(lanes, triangle, x, y),
        Vec3([zero, zero, -z]),
        nearest,
    )
}

/// The points `start` + t `direction` of the frame, t from `low` to `high`.
#[derive(Clone, Copy)]
pub struct FrameLine<F> {
    pub start: Vec3<F>,
    /// With a largest coordinate of about 1, or zero.
    pub direction: Vec3<F>,
    pub low: F,
    pub high: F,
    /// One over the square of its length.
    pub over_squared: F,
}

/// Parameters of the nearest points of a segment and an edge.
#[derive(Clone, Copy)]
pub struct NearestParameters<F> {
    pub squared: F,
    /// Parameter of the segment.
    pub t: F,
    /// Parameter of the edge.
    pub s: F,
}

impl<F: Float> FrameLine<F> {
    /// The point at t.
    #[inline(always)]
    pub fn at(self, t: F) -> Vec3<F> {
        self.start + self.direction * t
    }

    #[inline(always)]
    fn clamp(self, t: F) -> F {
        t.max(self.low).min(self.high)
    }

    /// Parameter of the point nearest to the plane.
    #[inline(always)]
    pub fn to_plane(self) -> F {
        self.clamp(-self.start.0[2] / self.direction.0[2])
    }

    /// The nearest points of this segment and an edge.
    #[inline(always)]
    pub fn beside<L: Lanes<F = F>>(self, lanes: L, edge: TriangleEdge<F>) -> NearestParameters<F> {
        let zero = lanes.splat(0.0);
        let ([x, y, z], [hx, hy, hz]) = (self.start.0, self.direction.0);
        let (a, c) = edge.local(x, y);
        let (ha, hc) = (
            hx * edge.run + hy * edge.rise,
            hy * edge.run - hx * edge.rise,
        );
        let across = c * hc + z * hz;
        let t = self.clamp(-across / (hc * hc + hz * hz));
        let s = (a + t * ha).max(zero).min(edge.length);
        let t = self.clamp(-((a - s) * ha + across) * self.over_squared);
        let (a, c, z) = (a - s + t * ha, c + t * hc, z + t * hz);
        NearestParameters {
            squared: a * a + c * c + z * z,
            t,
            s,
        }
    }

    /// The point of an edge, and a direction to it from this segment, perpendicular to both if they cross.
    #[inline(always)]
    pub fn nearest<L: Lanes<F = F>>(
        self,
        lanes: L,
        edge: TriangleEdge<F>,
        NearestParameters { t, s, .. }: NearestParameters<F>,
    ) -> NearestOnTriangle<F> {
        let zero = lanes.splat(0.0);
        let ([x, y, z], [hx, hy, hz]) = (self.at(t).0, self.direction.0);
        let (a, c) = edge.local(x, y);
        let (ha, hc) = (
            hx * edge.run + hy * edge.rise,
            hy * edge.run - hx * edge.rise,
        );
        let is_on_edge = zero.lt(s) & s.lt(edge.length);
        let is_on_line = self.low.lt(t) & t.lt(self.high);
        let (a, c, z) = ((s - a).masked(!is_on_edge), -c, -z);
        // From an inner point of the segment to a corner.
        let along = (a * ha + c * hc + z * hz).masked(is_on_line) * self.over_squared;
        let beside = Vec3([a - ha * along, c - hc * along, z - hz * along]);
        // Between inner points of both.
        let side = c * hz - z * hc;
        let crossed = Vec3([zero, hz * side, -(hc * side)]);
        let vector = select(is_on_edge & is_on_line, crossed, beside);
        let vector = select(is_on_line, vector, Vec3([a, c, z]));
        NearestOnTriangle {
            place: edge.at(s),
            direction: edge.vector(vector.0),
        }
    }
}

/// The point nearest to a segment, and the parameter of the segment.
#[inline(always)]
pub fn nearest_to_segment<L: Lanes>(
    lanes: L,
    triangle: WideTriangle<L::F>,
    line: FrameLine<L::F>,
) -> (L::F, NearestOnTriangle<L::F>) {
    let edges = edges(lanes, triangle);
    let mut edge = edges[0];
    let mut best = line.beside(lanes, edge);
    let mut k = 1;
    while k < 3 {
        let found = line.beside(lanes, edges[k]);
        let is_nearer = found.squared.lt(best.squared);
        edge = edges[k].select(is_nearer, edge);
        best = found.select(is_nearer, best);
        k += 1;
    }
    let on_edge = line.nearest(lanes, edge, best);
    let t = line.to_plane();
    let [x, y, z] = line.at(t).0;
    let is_over = is_over(lanes, triangle, x, y);
    (
        t.select(is_over, best.t),
        foot(lanes, [x, y, z]).select(is_over, on_edge),
    )
}

impl<F: Float> NearestParameters<F> {
    /// `if mask { self } else { other }`
    #[inline(always)]
    pub fn select(self, mask: F::Mask, other: Self) -> Self {
        NearestParameters {
            squared: self.squared.select(mask, other.squared),
            t: self.t.select(mask, other.t),
            s: self.s.select(mask, other.s),
        }
    }
}

/// A point of the plane, relative to the corner of the frame.
#[inline(always)]
pub fn in_plane<F: Float>(triangle: WideTriangle<F>, [x, y]: [F; 2]) -> Vec3<F> {
    triangle.along * x + triangle.across * y
}

/// A vector of the frame, outside of it.
#[inline(always)]
pub fn out_of_frame<F: Float>([along, across, normal]: [Vec3<F>; 3], vector: Vec3<F>) -> Vec3<F> {
    let [x, y, z] = vector.0;
    along * x + across * y + normal * z
}
