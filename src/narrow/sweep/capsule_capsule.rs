//! Capsule-capsule sweep: a moving point against the parallelogram of both half axes, rounded by R.
//!
//! The offset of the centers moves by the relative displacement v. It is tested against the parallelogram, the points s
//! a + r b, grown by R, both radii and the margin. Each edge is a capsule of
//! [`rounded_segment`](crate::narrow::geometry::rounded_segment). The face is three slabs, with
//!
//! ```text
//! d   b, scaled            g   the part of a perpendicular to d, scaled
//! n = g × d                c = d (a·g) − g (a·d)
//! |p·n| ≤ R |n|            |p·g| ≤ a·g            |p·c| ≤ b·d a·g            for the point p
//! ```
//!
//! Source: none. For nearly parallel axes the face is thin, and its normal is inaccurate. So g is made from a in two
//! steps, which makes it perpendicular to d within 9 u, however short it is. The slabs along the face are narrower by
//! w, so that they do not extend past its acute corners. The part that they lose is near an edge, whose reach covers
//! it.
//!
//! Degenerate cases: parallel axes, and those of length zero, have no face; otherwise as in `rounded_segment`.
//!
//! # Error bound
//!
//! A, B, V are the lengths of a, b, v, Δ the offset at the start, S = R + A + B + V. Where the face is touched, |Δ| ≤
//! S. Terms below 2⁻¹⁰ u S are omitted.
//!
//! **A nearby parallelogram.** Let ĝ, ĉ, d̂ be the floats, normalised, and ℓ = |f|, f the part of a before it is
//! scaled. The face counts only if ℓ ≥ w ≥ 23 u A. Then the first part of a is off by 9 u A along d, and f·d̂ is at
//! most 8.4 u ℓ. a is κ d + f up to 3 u A, κ real. Let plane″ be that of d and g, with the normal N″, which n equals up
//! to 3.1 u. c is off it by 2.5 u, and a·ĉ ≤ 9.7 u A, by the dots, roundings, and those 3 u A. Let b″ be b less its
//! part along ĝ, 8.4 u B, and a″ be the part of a in plane″ less that along ĉ, 12.7 u A away. Take the parallelogram of
//! a″ and b″. No point of it is farther than
//!
//! ```text
//! π = 12.7 u A + 8.4 u B
//! ```
//!
//! from that of a and b, and conversely. Its edges are normal to g and c.
//!
//! **Slabs.** An offset rounds by u |Δ|, a dot 3 times, the sum with the half width by u of both, and `slab`
//! contributes u/2 V. The half widths are off by 16.7 u A and 7.4 u B, N″·ĉ by 2.5 u R. So a slab may be off, as a
//! length, by
//!
//! ```text
//! along g    22.7 u A + 5 u B + 5 u R + 9.5 u V
//! along c    5 u A + 13.4 u B + 7.5 u R + 9.5 u V
//! along n    8.1 u A + 8.1 u B + 12 u R + 9.5 u V
//! ```
//!
//! and w = 23 u ‖a‖₁ + 14 u ‖b‖₁ + 8 u R + 10 u ‖v‖₁ + 2⁻⁶² is no less than the first two.
//!
//! **No contact is lost.** Let the point be at most R from the parallelogram at t, so at most R + π from that of a″ and
//! b″. If its nearest point is at least 2 w from all edges, the moving point is beside the face by at least w in each
//! slab as computed, whose times enclose t. The slab along n is wider, by the whole reach, more than needed. If not, an
//! edge is at most 2 w from that point: the nearest line of an edge has its foot on the edge, as a disc that touches
//! the line there is in the parallelogram. So an edge of a and b is at most r = R + 2 π + 2 w from the point. If the
//! face does not count, ℓ < w, and every point of the face is at most w + 3 u A from an edge. p = Δ ± a is rounded once
//! more, and Δ ± a ± b once more than that. So (1) and (3) of `rounded_segment` need a reach of
//!
//! ```text
//! edges                     r + 14.7 u R + 3.4 u (A + B) + 16.9 u V + 2⁻⁶²
//! corners                   r + 11.4 u R + 1.1 u A + 2.1 u B + 13.4 u V + 2⁻⁶²
//! corners, near an edge     the same, and √(r² + σ²) for r:   σ = 6.1 u R + 10.1 u (A + B) + 10.6 u V
//! ```
//!
//! √(r² + σ²) is at most R + σ or r + 0.3 σ, as σ is below 0.6 (2 π + 2 w). The reach is widened by 35 u R + 76 u
//! ‖a‖₁ + 52 u ‖b‖₁ + 39 u ‖v‖₁ + 2⁻⁶⁰, of this 3 u R for the roundings of R.
//!
//! **False hits and claimed times.** In the face a claimed time is in all slabs as computed, so above the parallelogram
//! of a″ and b″ itself: the gap is at most the widening, the error along n, and π. Beside an edge it is at most the
//! widening and (4) across, and σ past the end. In all less than 54 u R + 98 u ‖a‖₁ + 69 u ‖b‖₁ + 58 u ‖v‖₁ + 2⁻⁵⁹.
//!
//! A hit of the overlap kernel is a hit at the start: the same arithmetic decides, with a reach that is no less.
//!
//! **Range.** A part of a below 2⁻¹⁰⁰ counts as none. Scaled vectors are at least ½, so underflow is worth 2⁻⁷⁰; if a·g
//! is below 2⁻¹⁰⁰ the slab along c is empty. The only products of lengths are those of `rounded_segment`.
//!
//! Measured at worst, over 1 million near-contact cases: 0.78 of the band.

use crate::driver::load::Separate;
use crate::driver::source::{Deferred, Test, TimeRange};
use crate::lane::{Float, Lanes, Routine, Vec3};
use crate::math::rounding::{FLOOR, U};
use crate::narrow::geometry::rounded_segment::{
    Beside, ContactSpan, PointMotion, SLOWEST, SegmentAxis,
};
use crate::narrow::geometry::slab::times;
use crate::narrow::overlap::capsule_capsule::distance_sq;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::form::WideMoving;

/// Lengths of a pair: the reach, both half axes, and the displacement.
#[derive(Clone, Copy)]
struct PairLengths<F>([F; 4]);

impl<F: Float> PairLengths<F> {
    /// Weighted sum in u, plus a floor.
    #[inline(always)]
    fn error<L: Lanes<F = F>>(self, lanes: L, [r, a, b, v]: [f32; 4], floor: f32) -> F {
        let [reach, length_a, length_b, motion] = self.0;
        (reach * lanes.splat(r * U) + lanes.splat(floor))
            + (length_a * lanes.splat(a * U)
                + length_b * lanes.splat(b * U)
                + motion * lanes.splat(v * U))
    }
}

/// Widening of the reach.
const WIDENING: [f32; 4] = [35.0, 76.0, 52.0, 39.0];
/// Narrowing of the face on each side.
const NARROWING: [f32; 4] = [8.0, 23.0, 14.0, 10.0];

impl Test<Sweeps, Capsule> for Capsule {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (a, b): (
            WideMoving<WideCapsule<L::F>, L::F>,
            WideMoving<WideCapsule<L::F>, L::F>,
        ),
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let v = a.displacement - b.displacement;
        let (a, b) = (a.start, b.start);
        let offset = a.center - b.center;
        let reach = a.radius + b.radius + margin;
        lanes.call::<CapsuleCapsuleSweep>((offset, v, [a.half_axis, b.half_axis], reach))
    }
}

/// Time interval in which two axes are within reach of each other. Their centers are at an offset and move by `v`.
struct CapsuleCapsuleSweep;

impl<L: Lanes> Routine<L> for CapsuleCapsuleSweep {
    type Argument = (Vec3<L::F>, Vec3<L::F>, [Vec3<L::F>; 2], L::F);
    type Output = ContactSpan<L>;

    #[inline(always)]
    fn run(lanes: L, (offset, v, axes, reach): Self::Argument) -> ContactSpan<L> {
        capsule_capsule_sweep(lanes, offset, v, axes, reach)
    }
}

#[inline(always)]
fn capsule_capsule_sweep<L: Lanes>(
    lanes: L,
    offset: Vec3<L::F>,
    v: Vec3<L::F>,
    [a, b]: [Vec3<L::F>; 2],
    reach: L::F,
) -> ContactSpan<L> {
    let zero = lanes.splat(0.0);
    let lengths = PairLengths([reach, a.abs().sum(), b.abs().sum(), v.abs().sum()]);
    let narrowing = lengths.error(lanes, NARROWING, FLOOR);
    let reach = reach + lengths.error(lanes, WIDENING, 4.0 * FLOOR);
    let reach_sq = reach * reach;

    let start = ContactSpan {
        hit: distance_sq(lanes, offset, a, b).le(reach_sq),
        from: zero,
        to: zero,
    };
    let (more, less) = (offset + a, offset - a);
    let motion = PointMotion::new(lanes, v);
    let corners = (motion.within(lanes, more + b, reach_sq))
        .or(lanes, motion.within(lanes, more - b, reach_sq))
        .or(lanes, motion.within(lanes, less + b, reach_sq))
        .or(lanes, motion.within(lanes, less - b, reach_sq));
    let (axis_a, axis_b) = (SegmentAxis::new(lanes, a), SegmentAxis::new(lanes, b));
    let along_a = Beside::new(lanes, axis_a, v);
    let along_b = Beside::new(lanes, axis_b, v);
    let edges = (along_b.within(lanes, more, reach_sq))
        .or(lanes, along_b.within(lanes, less, reach_sq))
        .or(lanes, along_a.within(lanes, offset + b, reach_sq))
        .or(lanes, along_a.within(lanes, offset - b, reach_sq));
    let face = over_face(lanes, (a, axis_a), axis_b, (offset, v), [reach, narrowing]);
    start.or(lanes, corners).or(lanes, edges).or(lanes, face)
}

/// Time interval in which a moving point is within reach of the face, above its inner part.
#[inline(always)]
fn over_face<L: Lanes>(
    lanes: L,
    (a, axis_a): (Vec3<L::F>, SegmentAxis<L::F>),
    axis_b: SegmentAxis<L::F>,
    (p, v): (Vec3<L::F>, Vec3<L::F>),
    [reach, narrowing]: [L::F; 2],
) -> ContactSpan<L> {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let d = axis_b.direction;
    // NaN, so no hit, if the axis is a point.
    let inverse = one / axis_b.squared;
    let across = a - d * (a.dot(d) * inverse);
    let across = across - d * (across.dot(d) * inverse);
    let largest = across.abs().largest();
    let scale = largest.recip_pow2();
    let g = across * scale.masked(lanes.splat(SLOWEST).le(largest));
    let n = g.cross(d);
    let (along_g, along_d) = (axis_a.direction.dot(g), axis_a.direction.dot(d));
    let c = d * along_g - g * along_d;
    let length_g = g.dot(g).sqrt();
    let length_n = length_g * axis_b.squared.sqrt();

    let half_g = a.dot(g) - narrowing * length_g;
    let half_c = axis_b.half * along_g - narrowing * (length_n * axis_a.squared.sqrt());
    let counts = (narrowing * length_g).lt(across.dot(g)) & zero.le(half_g) & zero.le(half_c);
    let frame = slab(lanes, (p, v), n, reach * length_n, (zero, one));
    let frame = slab(lanes, (p, v), g, half_g, frame);
    let (from, to) = slab(lanes, (p, v), c, half_c, frame);
    ContactSpan {
        hit: counts & from.le(to),
        from,
        to,
    }
}

/// Times in an interval at which a moving point is at most `half` from the origin along `axis`.
#[inline(always)]
fn slab<L: Lanes>(
    lanes: L,
    (p, v): (Vec3<L::F>, Vec3<L::F>),
    axis: Vec3<L::F>,
    half: L::F,
    frame: (L::F, L::F),
) -> (L::F, L::F) {
    let at = p.dot(axis);
    let speed = lanes.splat(0.0) + v.dot(axis);
    times(-half - at, half - at, speed, frame)
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::sweep;
    use phalanx::{Capsule, MAX_LENGTH};

    fn capsule(center: [f32; 3], half_axis: [f32; 3]) -> Capsule {
        Capsule {
            center,
            half_axis,
            radius: 1.0,
        }
    }

    /// Along x, half length 2.
    const LYING: (Capsule, [f32; 3]) =
        (Capsule::between([-2., 0., 0.], [2., 0., 0.], 1.0), [0.0; 3]);

    /// Asserts an answer, in both orders.
    macro_rules! both {
        ($a:expr, $b:expr, $answer:expr) => {
            assert_eq!(sweep($a, $b), $answer);
            assert_eq!(sweep($b, $a), $answer);
        };
    }

    #[test]
    fn crossing_axes_touch_between_their_ends() {
        let falling = |x, y| (capsule([x, y, 8.], [0., 2., 0.]), [0., 0., -16.]);
        both!(falling(0., 0.), LYING, When(0.375, 0.625));
        both!(falling(1.9, -1.9), LYING, When(0.375, 0.625));
        // Beyond an end of either axis, by 1.2.
        both!(falling(3.2, 1.), LYING, When(0.4, 0.6));
        both!(falling(-1., 3.2), LYING, When(0.4, 0.6));
        // Beyond both, by 1 and 1: √2 within 2.
        let times = When(0.5 - 2f32.sqrt() / 16., 0.5 + 2f32.sqrt() / 16.);
        both!(falling(3., -3.), LYING, times);
        both!(falling(3.5, 3.5), LYING, Miss);
        both!(falling(4.001, 0.), LYING, Miss);
        // Oblique; the nearest points are in the middle.
        let oblique = (capsule([0., 0., 8.], [1.5, 1.5, 0.]), [0., 0., -16.]);
        both!(oblique, LYING, When(0.375, 0.625));
    }

    #[test]
    fn end_passing_a_side_hits() {
        let along_y = |z| (capsule([0., -12., z], [0., 2., 0.]), [0., 24., 0.]);
        both!(along_y(0.), LYING, When(8. / 24., 16. / 24.));
        both!(along_y(1.2), LYING, When(8.4 / 24., 15.6 / 24.));
        both!(along_y(2.001), LYING, Miss);
    }

    #[test]
    fn parallel_axes_enter_and_exit() {
        let other = |x, y, z| capsule([x, y, z], [-2., 0., 0.]);
        let across = |x| (other(x, -8., 0.), [0., 16., 0.]);
        both!(across(0.), LYING, When(0.375, 0.625));
        both!(across(3.9), LYING, When(0.375, 0.625));
        both!(across(-5.2), LYING, When(0.4, 0.6));
        both!(across(6.001), LYING, Miss);
        let along = |y| (other(-12., y, 0.), [24., 0., 0.]);
        both!(along(0.), LYING, When(0.25, 0.75));
        both!(along(1.2), LYING, When(6.4 / 24., 17.6 / 24.));
        both!(along(2.001), LYING, Miss);
        let still = |y| (other(1., y, 0.), [0.0, -0.0, 0.0]);
        both!(still(2.), LYING, When(0., 1.));
        both!(still(-2.001), LYING, Miss);
    }

    #[test]
    fn nearly_parallel_axes_are_accurate() {
        // The axes cross in the middle and are 4e-3 apart at their ends, with 1 µm of reach.
        let radius = 1e-6;
        let thin = |half_axis, z, travel: f32| {
            let center = [0., 0., z];
            let shape = Capsule {
                center,
                half_axis,
                radius,
            };
            (shape, [0., 0., travel])
        };
        let lying = thin([2., 0., 0.], 0., 0.);
        for end in [[2., 2e-3, 0.], [2., -2e-3, 0.], [-1., 1e-3, 0.]] {
            let falling = thin(end, 4., -8.);
            both!(falling, lying, When(0.5, 0.5));
            let beside = (falling.0, [0., 0., -3.99]);
            both!(beside, lying, Miss);
        }
        // Past an acute corner of the parallelogram that both span.
        let mut beyond = thin([2., 2e-3, 0.], 4., -8.);
        beyond.0.center[0] = 4.01;
        both!(beyond, lying, Miss);
    }

    #[test]
    fn points_and_segments_are_capsules() {
        let of = |center, half_axis| Capsule {
            center,
            half_axis,
            radius: 0.0,
        };
        let lying = (of([0.0; 3], [2., 0., 0.]), [0.0; 3]);
        for length in [0.0, 1e-45, 1e-40] {
            let point = |x| (of([x, -1., 0.], [0., 0., length]), [0., 2., 0.]);
            both!(point(1.), lying, When(0.5, 0.5));
            both!(point(2.001), lying, Miss);
            let other = (of([2.; 3], [length, 0., -length]), [0.0; 3]);
            let moving = (of([0.; 3], [0., length, length]), [4.; 3]);
            both!(moving, other, When(0.5, 0.5));
        }
    }

    #[test]
    fn contacts_outside_the_frame_miss() {
        let falling = |z, travel| (capsule([0., 0., z], [0., 2., 0.]), [0., 0., travel]);
        both!(falling(8., -5.9), LYING, Miss);
        both!(falling(8., 16.), LYING, Miss);
        both!(falling(8., -6.), LYING, When(1., 1.));
        both!(falling(0., 4.), LYING, When(0., 0.5));
        let motion = [1., 2., 3.];
        let with = (LYING.0, motion);
        let near = (falling(2., 0.).0, motion);
        both!(near, with, When(0., 1.));
        both!((falling(2.001, 0.).0, motion), with, Miss);
    }

    #[test]
    fn extreme_motion_is_accurate() {
        let slow = [1e-45, 0., -1e-40];
        let above = |z| (capsule([0., 0., z], [0., 2., 0.]), slow);
        both!(above(2.5), LYING, Miss);
        both!(above(1.5), LYING, When(0., 1.));
        let far = MAX_LENGTH;
        let huge = |z, half_axis| Capsule {
            center: [far, -far, z],
            half_axis,
            radius: 0.25 * far,
        };
        let a = huge(far, [0.25 * far, 0.25 * far, 0.]);
        let b = huge(-far, [-0.25 * far, 0.25 * far, 0.]);
        let towards = ([far, -far, -far], [far, -far, far]);
        both!((a, towards.0), (b, towards.1), When(0.75, 1.));
        both!((a, towards.0), (b, towards.0), Miss);
        both!((a, [2e18, 0., 0.]), (b, slow), Invalid);
    }
}
