//! Capsule-capsule overlap: the distance of the axes against the sum of the radii.
//!
//! Δ is the offset of the centers, a and b are the half axes. Points of the axes are Δ + t a and s b, and the least
//! distance is the least of three:
//!
//! ```text
//! from either end of B to A        Δ ∓ b against t a
//! from one point of A to B         Δ + t a against s b, where Δ + t a is nearest to the line of B
//! ```
//!
//! That point comes from the components of Δ and a perpendicular to b, x and q: t = −x·q / q·q, clamped to −1..1.
//!
//! Source: none for the whole. C. Ericson, "Real-Time Collision Detection", 2005, 5.1.9, finds the nearest points of
//! both lines by the determinant a·a b·b − (a·b)². Its relative error is u / θ² for axes at an angle θ. Here t may be
//! as far off for nearly parallel axes, but then it matters little. x + t q is near the line of B for each such t, and
//! a point beyond B is nearer to an end of it.
//!
//! Degenerate cases: an axis of length zero makes a sphere, whose ends are one point. Parallel axes leave q = 0 or
//! roundings. Then any t is good enough, as either B has an end that is nearest, or all of A's points beside B are.
//!
//! # Error bound
//!
//! Δ, a, b and R, the radii and the margin together, are exact, D is the distance of the axes, |Δ| ≤ D + |a| + |b|.
//! Errors of first order are written out; products of them are below 2⁻¹⁰ u of these lengths. The computed Δ̂ is off by
//! u |Δ|, and taken as exact below: D changes by as much.
//!
//! **Accuracy of t.** y(t) is the part of Δ̂ + t a perpendicular to b. By (2) of `segment` x̂ + t q̂ is off y(t) by E =
//! 1.5 u (|Δ| + |a|) across b and by G = 8.1 u (|Δ| + |a|) along b. t is off its least by 3 u |x| + 4 u |t q| ≤ N = 7.1
//! u |Δ| of length: |x̂ + t̂ q̂|² exceeds the least square by N² at most. Along and across are perpendicular, so
//!
//! ```text
//! |y(t̂)| ≤ √((Y + E)² + G² + N²) + E,      Y the least |y(t)|, t from −1 to 1
//! ```
//!
//! As |Δ| ≤ D + |a| + |b|, √(G² + N²) is at most 10.8 u D + 18.9 u |a| + 10.8 u |b|, the first term being of second
//! order under the root. So for Y ≤ D
//!
//! ```text
//! (1)  |y(t̂)| ≤ D (1 + 3.1 u) + κ,         κ = 25 u |a| + 14 u |b|
//! ```
//!
//! **One of three is near.** Let the axes be nearest at t and s. If s is an end of B, its distance from A is D.
//! Otherwise Δ̂ + t a is beside B, and D = |y(t)| = Y. If Δ̂ + t̂ a is beside B as well, it is |y(t̂)| from B. If not,
//! a point between them is beside an end of B, at a distance of at most the larger of |y(t)| and |y(t̂)|, as |y| is
//! convex. So one of the exact distances is at most that in (1).
//!
//! **No contact is lost.** In the sum Δ̂ + t̂ a rounds by u |a| and u (D + |b|), Δ̂ ∓ b by u (D + |a|), and the nearest
//! point to it is off by (1) of `segment`, by 9.1 u of |b| or |a|. With Δ̂ that is 5.1 u D + 36.1 u |a| + 26 u |b| at
//! most. The difference and its square round by 2.5 u of it, ρ² by u / 2 of ρ. So ρ ≥ D (1 + 8.2 u) + 36.2 u |a| + 26.1
//! u |b| + 2⁻⁷² is needed. The radius is widened by 12 u R, by 38 u (‖a‖₁ + ‖b‖₁) and by 2⁻⁶², and no part of ρ rounds
//! more than 9 times, R itself 3 times: ρ ≥ R (1 + 8.9 u) + 37.9 u (‖a‖₁ + ‖b‖₁) + 2⁻⁶² (1 − 9 u).
//!
//! **False hits.** All points are of the axes up to roundings of 2 u |Δ| + 2 u |a| + 2 u |b| at most, and ρ is at most
//! R (1 + 15.1 u) + 38.1 u (‖a‖₁ + ‖b‖₁) + 2⁻⁶² (1 + 9 u): a gap of at most 21 u R + 43 u (‖a‖₁ + ‖b‖₁) + 2⁻⁶¹.
//!
//! **Range.** Underflow in `segment` is worth 2⁻⁸⁹, and in x·q as much. If q·q underflows, |q|, relative to a scaled a,
//! is below 2⁻⁶⁰, and any t is right up to 2⁻⁵⁹ |a|. Infinite quotients are clamped. Squares are below 3 · 2¹²⁴.
//!
//! Measured at worst, over 2 million near-contact cases: 0.91 of that.

use crate::driver::source::{Deferred, HitMask, Separate, Test};
use crate::lane::{Float, Lanes, Vec3};
use crate::math::rounding::FLOOR;
use crate::narrow::geometry::segment::{Segment, apart};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::capsule::{Capsule, WideCapsule};

/// Widening of the radius, relative to itself.
const WIDENING: f32 = 12.0;
/// Widening of the radius, relative to the half axes.
const WIDENING_OF_AXES: f32 = 38.0;

impl Test<Overlaps, Capsule> for Capsule {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (a, b): (WideCapsule<L::F>, WideCapsule<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let distance_sq = distance_sq(lanes, a.center - b.center, a.half_axis, b.half_axis);
        let reach = a.radius + b.radius + margin;
        let length = a.half_axis.abs().sum() + b.half_axis.abs().sum();
        let error = reach * lanes.units(WIDENING)
            + (length * lanes.units(WIDENING_OF_AXES) + lanes.splat(FLOOR));
        let reach = reach + error;
        HitMask(distance_sq.le(reach * reach))
    }
}

/// Squared distance of two axes. The middle of the first is at `offset` from the middle of the second.
#[inline(always)]
pub fn distance_sq<L: Lanes>(lanes: L, offset: Vec3<L::F>, a: Vec3<L::F>, b: Vec3<L::F>) -> L::F {
    let (axis_a, axis_b) = (Segment::new(lanes, a), Segment::new(lanes, b));
    // From one point of A to B.
    let point = offset + axis_a.nearest_to_line(offset, axis_b);
    // From the ends of B to A. One end is mirrored, because A is symmetric.
    apart_sq(axis_b, point)
        .min(apart_sq(axis_a, offset - b))
        .min(apart_sq(axis_a, offset + b))
}

/// Squared distance of a point from a segment.
#[inline(always)]
fn apart_sq<F: Float>(axis: Segment<F>, p: Vec3<F>) -> F {
    let apart = apart(axis, p);
    apart.dot(apart)
}
