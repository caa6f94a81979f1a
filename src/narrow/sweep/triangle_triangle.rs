//! Triangle-triangle sweep: the first and the last time at which a corner or an edge of either touches the other triangle.
//!
//! The triangle B moves by v relative to A. Each part of the contact has its own times, and contact with a part is
//! contact with the whole:
//!
//! ```text
//! start, end    the overlap, at time 0 and at time 1              `triangle_triangle_overlap`
//! corners       three of B against A, three of A against B       the slabs of `point_triangle_sweep`
//! edges         nine pairs: the middle of an edge of B against
//!               the parallelogram that both edges span           the sides of `capsule_triangle_sweep`
//! ```
//!
//! *These parts are enough.* Times of contact, with a margin those at which the distance is at most m, form one
//! interval. Let C be the convex set of offsets at which B has a point in common with A. Unless the interval begins at
//! time 0, its first offset is outside of C or on its boundary, or C lies in a plane. So the point of C that is nearest
//! to this offset lies in a face of C, or C is flat: two equations single out the pairs of points with this difference,
//! from a face of A and one of B. An extreme pair of these is on faces with two dimensions together: a corner and a
//! triangle, or two edges. The interval ends the same way.
//!
//! Source: J. Canny, "Collision Detection for Moving Polyhedra", IEEE PAMI 8(2), 1986, has the same pairs of features.
//! Departures: the triangles do not rotate, so times have closed forms; all pairs are tried, so that no decision about
//! their order can be wrong.
//!
//! Degenerate cases: parallel edges, and edges without length, span no parallelogram. Their contacts begin at corners.
//!
//! # Error bound
//!
//! L is the length of the longest edge of A, K that of B, D = ‖Δ‖₁ of the offset Δ of the corners P, V = ‖v‖₁, m the
//! margin. In units of u, sums of first order:
//!
//! ```text
//!          L     K      D      V      m
//! frame    63    75.2   8.9    7.1    15    of A: its corners; those of B, √3 of each coordinate in the overlap; v
//! edges    16    2.5    2      –      –     direction and length of edges of A; middles and halves of those of B
//! e        15    7      –      15     7     slabs of a middle at most Q = m + L + K / 2 + V away, as there
//! ω        16    8      –      16     8     above e
//! ρ        87    81.7   10.9   16.1   24    frame, edges, and along n 4 Q + 5 (m + V) + 4 L + 2 K
//! ```
//!
//! **Edges.** As there, n is at right angles to both edges within 4 u, however small their angle. So a middle in the slabs is
//! within ρ of the parallelogram, up to the errors of ρ. If its nearest point on the parallelogram is at least φ γ + e + ω
//! from the rim, the slabs hold. If not, the rim is at most γ + 1.5 u (L + K) + 1.02 (e + ω) away, with γ ≤ m + frame +
//! edges. On the rim a corner of one triangle is on an edge of the other. This bound is
//!
//! ```text
//!          128   96.7   12.9   38.5   45    of corners and edges as they are in the frame of A
//! ```
//!
//! **Corners of B**, placed alike, are found if the slabs of A are wider by this, 15 L + 4 K + 4 D + 4.2 V for slabs
//! that round, and 12 m. **Corners of A** are placed in the frame of B: the frame of A is to be added once more, and what
//! the overlap needs with 10 V for v. Start and end need no more than there, 12.4 (D + V) at the end.
//!
//! ```text
//! reach of edges     92 u L + 88 u K + 12 u D + 18 u V + (1 + 32 u) m + 2⁻⁶¹
//! corners of B      146 u L + 104 u K + 18 u D + 44 u V + (1 + 64 u) m + 2⁻⁶⁰
//! corners of A      274 u L + 224 u K + 35 u D + 58 u V + (1 + 96 u) m + 2⁻⁶⁰
//! ```
//!
//! **False hits**, and gaps at all claimed times: the distance is convex, so it is enough that each part has a bound. The
//! largest is that of corners of A, as in the overlap √3 (274 + 17.2) u L + 63 u L for its edges and √3 (224 + 4) u K + 63 u K:
//! at most 568 u L + 458 u K + 81 u D + 118 u V + 2⁻⁵⁹ beyond 1.74 m.

use crate::driver::source::{BothMoving, Deferred, Separate, Test, TimeRange};
use crate::lane::{Float, Lanes, Vec3};
use crate::math::rounding::FLOOR;
use crate::narrow::geometry::rounded_segment::{ContactSpan, SegmentAxis};
use crate::narrow::geometry::rounded_triangle::{RoundedTriangle, SidesOf};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::narrow::overlap::triangle_triangle::{Prism, touch};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl Test<Sweeps, Triangle> for Triangle {
    type Load = Separate;
    const IS_LONG: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (a, b): BothMoving<WideTriangle<L::F>, WideTriangle<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let v = b.displacement - a.displacement;
        let (a, b) = (a.start, b.start);
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let offset = b.corner - a.corner;
        let distance = offset.abs().sum();
        let motion = v.abs().sum();
        let size = distance + motion;
        let lengths = Lengths {
            a: a.length,
            b: b.length,
            distance,
            motion,
            margin,
        };

        let start = ContactSpan {
            hit: touch(lanes, [a, b], offset, distance, margin),
            from: zero,
            to: zero,
        };
        let end = ContactSpan {
            hit: touch(lanes, [a, b], offset + v, size, margin),
            from: one,
            to: one,
        };
        let mut found = start.or(lanes, end);

        let [second, third] = b.edges();
        let corners = [offset, offset + second, offset + third];
        let by = lengths.grown(lanes, [146.0, 104.0, 18.0, 44.0, 64.0], 4.0);
        let prism = Prism::new(lanes, a, by, size + b.length);
        found = found.or(lanes, corners_touch(lanes, prism, corners, v));

        let [second, third] = a.edges();
        let by = lengths.grown(lanes, [274.0, 224.0, 35.0, 58.0, 96.0], 4.0);
        let prism = Prism::new(lanes, b, by, size + a.length);
        let of_a = [-offset, second - offset, third - offset];
        found = found.or(lanes, corners_touch(lanes, prism, of_a, -v));

        let reach = lengths.grown(lanes, [92.0, 88.0, 12.0, 18.0, 32.0], 2.0);
        let narrowing = lengths.error(lanes, [16.0, 8.0, 0.0, 16.0, 8.0], 1.0);
        edges_touch(lanes, a, corners, v, [reach, narrowing]).or(lanes, found)
    }
}

/// Lengths of a pair, to which errors are relative.
#[derive(Clone, Copy)]
struct Lengths<F> {
    a: F,
    b: F,
    distance: F,
    motion: F,
    margin: F,
}

impl<F: Float> Lengths<F> {
    /// Weighted sum in u, plus a multiple of the floor.
    #[inline(always)]
    fn error<L: Lanes<F = F>>(
        self,
        lanes: L,
        [a, b, distance, motion, margin]: [f32; 5],
        floors: f32,
    ) -> F {
        (self.a * lanes.units(a) + self.b * lanes.units(b))
            + (self.distance * lanes.units(distance) + self.motion * lanes.units(motion))
            + (self.margin * lanes.units(margin) + lanes.splat(floors * FLOOR))
    }

    /// The margin, grown by the error.
    #[inline(always)]
    fn grown<L: Lanes<F = F>>(self, lanes: L, error: [f32; 5], floors: f32) -> F {
        self.margin + self.error(lanes, error, floors)
    }
}

/// Time interval in which one of three points that move by `v` is inside.
#[inline(always)]
fn corners_touch<L: Lanes>(
    lanes: L,
    prism: Prism<L::F>,
    corners: [Vec3<L::F>; 3],
    v: Vec3<L::F>,
) -> ContactSpan<L> {
    let change = prism.change(v);
    let [first, second, third] = corners;
    corner_touches(lanes, prism, first, change)
        .or(lanes, corner_touches(lanes, prism, second, change))
        .or(lanes, corner_touches(lanes, prism, third, change))
}

#[inline(always)]
fn corner_touches<L: Lanes>(
    lanes: L,
    prism: Prism<L::F>,
    corner: Vec3<L::F>,
    change: [L::F; 5],
) -> ContactSpan<L> {
    let (from, to) = prism.times(lanes, prism.place(corner), change);
    ContactSpan {
        hit: from.le(to),
        from,
        to,
    }
}

/// Time interval in which an edge of a triangle is within reach of an edge of another triangle, which has these corners
/// and moves by `v`.
#[inline(always)]
fn edges_touch<L: Lanes>(
    lanes: L,
    triangle: WideTriangle<L::F>,
    corners: [Vec3<L::F>; 3],
    v: Vec3<L::F>,
    [reach, narrowing]: [L::F; 2],
) -> ContactSpan<L> {
    let (zero, half) = (lanes.splat(0.0), lanes.splat(0.5));
    let axes = triangle.axes();
    let v = Vec3(v.along(axes));
    let places = [
        Vec3(corners[0].along(axes)),
        Vec3(corners[1].along(axes)),
        Vec3(corners[2].along(axes)),
    ];
    let edges = RoundedTriangle::with(triangle, reach, narrowing).edges(lanes);
    let mut found = ContactSpan {
        hit: zero.lt(zero),
        from: zero,
        to: zero,
    };
    let mut k = 0;
    while k < 3 {
        let (from, to) = (places[k], places[(k + 1) % 3]);
        let (middle, half_axis) = ((from + to) * half, (to - from) * half);
        let sides = SidesOf {
            half_axis,
            axis: SegmentAxis::new(lanes, half_axis),
            v,
            reach,
            narrowing,
        };
        for (corner, edge, length) in edges {
            found = found.or(lanes, sides.over(lanes, middle - corner, edge, length));
        }
        k += 1;
    }
    found
}
