//! Point against a rounded triangle: the time interval in which a moving point is within reach of a triangle.
//!
//! In the frame of [`WideTriangle`] the point starts at (x, y, z) and moves by w. Three kinds of parts have separate
//! times:
//!
//! ```text
//! corners    spheres                                             `rounded_segment`
//! edges      cylinders: with (a, c) the coordinates along an edge and from it to the inside,
//!            (c, z) within ρ of 0 while 0 ≤ a ≤ its length
//! inside     |z| ≤ ρ while c ≥ ω for all edges
//! ```
//!
//! Contact with a part at some time is contact with the whole. The set is convex, so its times are one interval, from the
//! first time of a part to the last.
//!
//! Source: C. Ericson, "Real-Time Collision Detection", 2005, 5.5.6, casts against the plane, then against the features. Departures: all
//! parts are tried, so that no decision about their order can be wrong; the inside is narrower by ω.
//!
//! Degenerate cases: a flat triangle has no inside. A subnormal edge is its two corners. Motion below 2⁻¹⁰⁰ counts as
//! none.
//!
//! # Error bound
//!
//! L is the length of the longest edge, r the exact reach, V = |v| the exact relative displacement, s the exact offset of
//! the point from P, D(t) the exact distance. Where D ≤ r, |s| ≤ r + L + V. In units of u, sums of first order:
//!
//! ```text
//!            r       L       V
//! frame      20.1    80.1    14.2    axes are orthonormal within 7 u, so r is off by 13 u; corners are 63 u L off, and
//!                                    places in the frame 10 u L; coordinates of s and of v round by 4.1 u each, √3 in all
//! a, c       10      10      20      directions of edges err by 5 u, products and sums round twice, x − ℓ once; s and v
//! σ          11      16      23      the same along an edge, its length, and 2 V of `slab`
//! chord      8.3     –       9.3     (1) and (2) of `rounded_segment`
//! ω          11      11      23      a, c and 2 V of `slab`
//! ```
//!
//! **No contact is lost.** Let q be the point of the triangle that is nearest at a time with D ≤ r. If q is inside, at least 2 ω
//! from all edges, the slabs hold this time. If q is inside and nearer to an edge, that edge has a point at most
//! r + 2 ω away: the disc around q that touches the nearest line of an edge lies in the triangle. If q, or that
//! point, is on an edge and at least σ from its ends, the cylinder holds the time, otherwise a corner is
//! at most σ further away. So a reach of r + 60.4 u r + 113 u L + 90.5 u V is needed: frame, 2 ω, a and c, chord, and 2 u r
//! for the sum of the radius.
//!
//! **A hit of the sphere's overlap** has a distance of at most r + 48 u r + 112 u L as computed there, up to 14 u (r + L). Here the
//! same point is at most 10 u (r + L) off, ω from the inside, σ from an edge, at right angles to what is widened, and
//! `start` needs 4 u r: 77 u r + 138 u L.
//!
//! So the reach is widened by 84 u r + 144 u L + 94 u ‖v‖₁ + 2⁻⁶¹.
//!
//! **False hits**, and gaps at all claimed times: D is convex, so it is enough that each part has a bound. The widened reach,
//! chord, a and c, σ beyond an end, and the frame: at most 136 u r + 256 u L + 164 u ‖v‖₁ + 2⁻⁶⁰. Points inside are over the
//! triangle, as ω is more than a and c err.

use crate::lane::{Float, Lanes, Routine, Vec3};
use crate::math::rounding::FLOOR;
use crate::narrow::geometry::rounded_segment::{
    ContactSpan, PlaneMotion, PointMotion, SegmentAxis,
};
use crate::narrow::geometry::slab::times_by_reciprocal;
use crate::shapes::triangle::WideTriangle;

/// A moving point in the frame of a triangle.
#[derive(Clone, Copy)]
pub struct PointInFrame<F> {
    pub at: Vec3<F>,
    pub v: Vec3<F>,
}

/// A triangle in its own frame, and the reach around it.
#[derive(Clone, Copy)]
pub struct RoundedTriangle<F> {
    length: F,
    foot: F,
    height: F,
    over_sides: [F; 2],
    /// Widened.
    pub reach: F,
    /// ω.
    pub narrowing: F,
}

impl<F: Float> RoundedTriangle<F> {
    /// `motion` is ‖v‖₁.
    #[inline(always)]
    pub fn new<L: Lanes<F = F>>(lanes: L, triangle: WideTriangle<F>, reach: F, motion: F) -> Self {
        let error = (reach * lanes.units(84.0) + lanes.splat(2.0 * FLOOR))
            + (triangle.length * lanes.units(144.0) + motion * lanes.units(94.0));
        let narrowing = ((reach + triangle.length) * lanes.units(11.0) + lanes.splat(FLOOR))
            + motion * lanes.units(23.0);
        RoundedTriangle::with(triangle, reach + error, narrowing)
    }

    /// A triangle with a widened reach, and ω.
    #[inline(always)]
    pub fn with(triangle: WideTriangle<F>, reach: F, narrowing: F) -> Self {
        RoundedTriangle {
            length: triangle.length,
            foot: triangle.foot,
            height: triangle.height,
            over_sides: triangle.over_sides,
            reach,
            narrowing,
        }
    }

    /// The corners.
    #[inline(always)]
    pub fn corners<L: Lanes<F = F>>(self, lanes: L) -> [Vec3<F>; 3] {
        let zero = lanes.splat(0.0);
        [
            Vec3([zero; 3]),
            Vec3([self.length, zero, zero]),
            Vec3([self.foot, self.height, zero]),
        ]
    }

    /// Start, direction and length of each edge.
    #[inline(always)]
    pub fn edges<L: Lanes<F = F>>(self, lanes: L) -> [(Vec3<F>, [F; 2], F); 3] {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let [start, end, _] = self.corners(lanes);
        let side = |foot: F, over: F| {
            let (run, rise) = (foot * over, self.height * over);
            ([run, rise], foot * run + self.height * rise)
        };
        let [over_first, over_second] = self.over_sides;
        let (first, length_first) = side(self.foot, over_first);
        let (second, length_second) = side(self.foot - self.length, over_second);
        [
            (start, [one, zero], self.length),
            (start, first, length_first),
            (end, second, length_second),
        ]
    }
}

/// Time interval in which a moving point is within reach of a triangle.
pub struct WithinReach;

impl<L: Lanes> Routine<L> for WithinReach {
    type Argument = (PointInFrame<L::F>, RoundedTriangle<L::F>);
    type Output = ContactSpan<L>;

    #[inline(always)]
    fn run(lanes: L, (point, triangle): Self::Argument) -> ContactSpan<L> {
        within_reach(lanes, point, triangle)
    }
}

#[inline(always)]
fn within_reach<L: Lanes>(
    lanes: L,
    PointInFrame { at, v }: PointInFrame<L::F>,
    triangle: RoundedTriangle<L::F>,
) -> ContactSpan<L> {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let RoundedTriangle {
        length,
        foot,
        height,
        over_sides: [over_first, over_second],
        reach,
        narrowing,
    } = triangle;
    let reach_sq = reach * reach;
    let ([x, y, z], [vx, vy, vz]) = (at.0, v.0);
    let from_end = length - x;
    let rest = length - foot;

    let corners = PointMotion::new(lanes, v);
    let mut found = corners
        .within(lanes, at, reach_sq)
        .or(
            lanes,
            corners.within(lanes, Vec3([-from_end, y, z]), reach_sq),
        )
        .or(
            lanes,
            corners.within(lanes, Vec3([x - foot, y - height, z]), reach_sq),
        );

    let base = EdgePath {
        along: [x, vx],
        beside: [y, vy],
        length,
        is_long: zero.le(one),
    };
    let first = EdgePath::new(lanes, [x, y], [vx, vy], [foot, height], over_first);
    let second = EdgePath::new(lanes, [from_end, y], [-vx, vy], [rest, height], over_second);

    // Exceeds the distance of any point on the inner side from an edge.
    let far = (at.abs().sum() + v.abs().sum() + length + reach) * lanes.splat(4.0);
    let mut inside = times_by_reciprocal(lanes, -reach - z, reach - z, vz, (zero, one));
    for edge in [base, first, second] {
        let EdgePath {
            along: [along, v_along],
            beside: [beside, v_beside],
            length,
            is_long,
        } = edge;
        let span = PlaneMotion::new(lanes, [v_beside, vz]).within(lanes, [beside, z], reach_sq);
        let frame = (span.from, span.to);
        let (from, to) = times_by_reciprocal(lanes, -along, length - along, v_along, frame);
        let edge = ContactSpan {
            hit: span.hit & is_long & from.le(to),
            from,
            to,
        };
        found = found.or(lanes, edge);
        inside = times_by_reciprocal(lanes, narrowing - beside, far - beside, v_beside, inside);
    }
    let (from, to) = inside;
    let inside = ContactSpan {
        hit: from.le(to),
        from,
        to,
    };
    found.or(lanes, inside)
}

/// Motion of the point along an edge and from it to the inside, each as start and displacement.
#[derive(Clone, Copy)]
struct EdgePath<F: Float> {
    along: [F; 2],
    beside: [F; 2],
    /// Length of the edge.
    length: F,
    /// Whether the edge is long enough to have a direction.
    is_long: F::Mask,
}

impl<F: Float> EdgePath<F> {
    /// Motion beside an edge from the origin to the third corner, given one over its length.
    #[inline(always)]
    fn new<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        [x, y]: [F; 2],
        [vx, vy]: [F; 2],
        [foot, height]: [F; 2],
        over: F,
    ) -> Self {
        let (run, rise) = (foot * over, height * over);
        EdgePath {
            along: [run * x + rise * y, run * vx + rise * vy],
            beside: [rise * x - run * y, rise * vx - run * vy],
            length: foot * run + height * rise,
            is_long: lanes.splat(0.25).le(run * run + rise * rise),
        }
    }
}

/// The sides of the swept triangle: the parallelograms spanned by an edge and the axis.
#[derive(Clone, Copy)]
pub struct SidesOf<F: Float> {
    pub half_axis: Vec3<F>,
    pub axis: SegmentAxis<F>,
    pub v: Vec3<F>,
    pub reach: F,
    pub narrowing: F,
}

impl<F: Float> SidesOf<F> {
    /// Time interval in which the center is within reach of the side of an edge, over its inner part. The center is at
    /// `q` from the start of the edge; `edge` is its direction.
    #[inline(always)]
    pub fn over<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        q: Vec3<F>,
        [run, rise]: [F; 2],
        length: F,
    ) -> ContactSpan<L> {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let d = self.axis.direction;
        let [dx, dy, dz] = d.0;
        let n = Vec3([rise * dz, -(run * dz), run * dy - rise * dx]);
        let c = d.cross(n);
        let [nx, ny, nz] = n.0;
        let f = Vec3([-(nz * rise), nz * run, nx * rise - ny * run]);
        let length_n = n.dot(n).sqrt();
        let [reach, narrowing] = [self.reach * length_n, self.narrowing * length_n];
        let narrowing_c = narrowing * self.axis.squared.sqrt();
        let width = length * (c.0[0] * run + c.0[1] * rise) - narrowing_c;
        let half = self.half_axis.dot(f) - narrowing;
        let (at_n, at_c, at_f) = (q.dot(n), q.dot(c), q.dot(f));
        let (v_n, v_c, v_f) = (self.v.dot(n), self.v.dot(c), self.v.dot(f));
        let frame = times_by_reciprocal(lanes, -reach - at_n, reach - at_n, v_n, (zero, one));
        let frame = times_by_reciprocal(lanes, narrowing_c - at_c, width - at_c, v_c, frame);
        let (from, to) = times_by_reciprocal(lanes, -half - at_f, half - at_f, v_f, frame);
        ContactSpan {
            hit: zero.lt(half) & narrowing_c.lt(width) & from.le(to),
            from,
            to,
        }
    }
}
