//! Capsule-triangle sweep: the time interval in which the moving capsule's axis is within reach of the triangle.
//!
//! In the frame of [`WideTriangle`] the capsule's center is tested against the triangle swept from −d to d, d being the
//! half axis: a prism Z, with reach ρ. A center outside Z is within reach of Z if it is within reach of one of these parts:
//!
//! ```text
//! ends       the triangle at −d or at d                          `rounded_triangle`
//! corners    an edge along d, swept by a corner: a cylinder      `rounded_segment`
//! sides      an edge e, of length l, swept along d:              q from the middle of its start
//!            n = e × d    c = d × n    f = n × e
//!            |q·n| ≤ ρ |n|    0 ≤ q·c ≤ l e·c    |q·f| ≤ d·f    the latter two narrowed by ω
//! ```
//!
//! The times of contact form one interval. It begins at the first time of a part, or at the start of the frame if the
//! capsule touches there; it ends the same way. Touching at the start and the end is tested by
//! [`capsule_triangle_overlap`](crate::narrow::overlap::capsule_triangle), because a center inside Z may be out of reach of all
//! parts.
//!
//! Source: none. C. Ericson, "Real-Time Collision Detection", 2005, 5.5.7, has a sphere's path through such parts.
//!
//! Degenerate cases: an axis along an edge sweeps no side there; an axis of length zero sweeps neither sides nor
//! cylinders. A flat triangle has ends without an inside, and its sides lie in one plane.
//!
//! # Error bound
//!
//! L is the length of the longest edge, r the exact reach, A = |d|, V = |v|. Where the axis is at most r away, the center is at
//! most r + L + A + V from P. In units of u:
//!
//! ```text
//!            r       L       A       V
//! frame      20.1    80.1    22.3    14.2   as in `rounded_triangle`; d rounds by 3 u, and is a place in the frame
//! ends       1.8     1.8     3.6     1.8    the center less and plus d
//! e          6       10      10      14     slabs of a side: below
//! ω          12      12      12      23     as large as `rounded_triangle` needs it, and above e
//! ```
//!
//! **Sides.** e and n are floats: e of length 1 within 5 u, d scaled by a power of two. With e = (e₁, e₂, 0) the coordinates
//! of n are (e₂ d₃, −e₁ d₃, e₁ d₂ − e₂ d₁). So n·e and n·d are zero up to roundings relative to d₃, so to |n|: 4 u |n|, and
//! times |d|. n may be far from the exact normal if e and d are nearly parallel: by an angle φ ≤ 6 u / sin θ, θ being
//! that between e and d. c and f round by 2 u of |d| |n| and |n|. So the slabs measure along n, not along the exact
//! normal. As lengths they err by e: dot products 3 u of the start and of v, q, c, f, the bounds 4 u, `slab` 2 u V.
//!
//! - *No false hit.* A center that satisfies all three is γ along n, |γ| ≤ ρ, from a point of the side: c and f are at right
//!   angles to n, and ω is above e. So it is at most ρ away.
//! - *Nothing is lost.* Let y be the point of the side that is nearest, γ away. The slabs hold if y is at least φ γ + e + ω
//!   from all edges of the side. If not, an edge is at most √(γ² + a²) + e + ω away, where a is at most φ γ, and at most half of
//!   the width A sin θ: a² / 2 γ ≤ φ A sin θ / 4 < 2 u A. A side counts only if it is wider than 2 ω, so sin θ ≥ 12 u.
//!
//! **No contact is lost.** The nearest point lies on an end, or on a side, or on an edge of these. Ends need what `rounded_triangle`
//! needs: frame, ends, 2 ω, a and c, chord. Edges of sides need its edges and corners, or a cylinder along d: frame, ends, e + ω,
//! 2 u A, a and c, chord, σ. That is at most 73 u r + 130 u L + 60 u A + 107 u V. The reach is widened by
//! 104 u r + 160 u L + 88 u ‖d‖₁ + 136 u ‖v‖₁ + 2⁻⁶¹.
//!
//! **False hits**, and gaps at all claimed times: of ends 155 u r + 268 u L + 114 u A + 204 u V; at the start, as of the overlap.
//! In all at most 160 u r + 272 u L + 330 u ‖d‖₁ + 206 u ‖v‖₁ + 2⁻⁶⁰.

use crate::driver::source::{BothMoving, Deferred, Separate, Test, TimeRange};
use crate::lane::{Float, Lanes, Routine, Vec3};
use crate::math::rounding::FLOOR;
use crate::narrow::geometry::rounded_segment::{Beside, ContactSpan, SegmentAxis};
use crate::narrow::geometry::rounded_triangle::{
    PointInFrame, RoundedTriangle, SidesOf, WithinReach,
};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl Test<Sweeps, Triangle> for Capsule {
    type Load = Separate;
    const IS_LONG: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (capsule, triangle): BothMoving<WideCapsule<L::F>, WideTriangle<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let v = capsule.displacement - triangle.displacement;
        let (capsule, triangle) = (capsule.start, triangle.start);
        let offset = capsule.center - triangle.corner;
        let axes = triangle.axes();
        let reach = capsule.radius + margin;
        let length = capsule.half_axis.abs().sum();
        lanes.call::<CapsuleTriangleSweep>(CapsuleInFrame {
            center: Vec3(offset.along(axes)),
            half_axis: Vec3(capsule.half_axis.along(axes)),
            v: Vec3(v.along(axes)),
            at_rest: RoundedTriangle::new(lanes, triangle, reach, length + length),
            moving: RoundedTriangle::of_capsule(lanes, triangle, reach, length, v.abs().sum()),
        })
    }
}

/// A moving capsule in the frame of a triangle.
#[derive(Clone, Copy)]
struct CapsuleInFrame<F> {
    center: Vec3<F>,
    half_axis: Vec3<F>,
    v: Vec3<F>,
    /// The triangle with the widening of the overlap.
    at_rest: RoundedTriangle<F>,
    moving: RoundedTriangle<F>,
}

struct CapsuleTriangleSweep;

impl<L: Lanes> Routine<L> for CapsuleTriangleSweep {
    type Argument = CapsuleInFrame<L::F>;
    type Output = ContactSpan<L>;

    #[inline(always)]
    fn run(lanes: L, capsule: CapsuleInFrame<L::F>) -> ContactSpan<L> {
        let CapsuleInFrame {
            center,
            half_axis,
            v,
            at_rest,
            moving,
        } = capsule;
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let back = center - half_axis;
        let touches = |at: Vec3<L::F>, time: L::F| {
            let along = PointInFrame {
                at,
                v: half_axis + half_axis,
            };
            ContactSpan {
                hit: lanes.call::<WithinReach>((along, at_rest)).hit,
                from: time,
                to: time,
            }
        };
        let end = |at: Vec3<L::F>| lanes.call::<WithinReach>((PointInFrame { at, v }, moving));
        let found = touches(back, zero)
            .or(lanes, touches(back + v, one))
            .or(lanes, end(back))
            .or(lanes, end(center + half_axis));

        let axis = SegmentAxis::new(lanes, half_axis);
        let beside = Beside::new(lanes, axis, v);
        let reach_sq = moving.reach * moving.reach;
        let mut found = found;
        for corner in moving.corners(lanes) {
            found = found.or(lanes, beside.within(lanes, center - corner, reach_sq));
        }
        let sides = SidesOf {
            half_axis,
            axis,
            v,
            reach: moving.reach,
            narrowing: moving.narrowing,
        };
        for (corner, edge, length) in moving.edges(lanes) {
            found = found.or(lanes, sides.over(lanes, center - corner, edge, length));
        }
        found
    }
}

impl<F: Float> RoundedTriangle<F> {
    /// The triangle with the widening of sides and ends: `length` is ‖d‖₁, `motion` ‖v‖₁.
    #[inline(always)]
    fn of_capsule<L: Lanes<F = F>>(
        lanes: L,
        triangle: WideTriangle<F>,
        reach: F,
        length: F,
        motion: F,
    ) -> Self {
        let error = (reach * lanes.units(104.0) + triangle.length * lanes.units(160.0))
            + (length * lanes.units(88.0) + motion * lanes.units(136.0))
            + lanes.splat(2.0 * FLOOR);
        let size = reach + triangle.length + length;
        let narrowing =
            (size * lanes.units(12.0) + motion * lanes.units(23.0)) + lanes.splat(FLOOR);
        RoundedTriangle::with(triangle, reach + error, narrowing)
    }
}
