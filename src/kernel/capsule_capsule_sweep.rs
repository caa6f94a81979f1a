//! When do two moving capsules touch?
//!
//! The offset of the centers, moving by the relative displacement v, touches the parallelogram of both half
//! axes, the points s a + r b, grown all round by R, both radii and the margin. It touches an edge of it, as
//! [`rounded_segment`](super::rounded_segment) has it, or the face, which is three slabs, from
//!
//! ```text
//! d   b, scaled            g   the part of a at right angles to d, scaled
//! n = g × d                c = d (a·g) − g (a·d)
//! |p·n| ≤ R |n|            |p·g| ≤ a·g            |p·c| ≤ b·d a·g            for the point p
//! ```
//!
//! Source: none. For axes that are nearly parallel the face is thin, and its normal is known badly: g is made
//! from a in two steps, so that it is at right angles to d but for 9 u, however short it is, and the slabs
//! along the face are narrower by w, so that they do not reach past its acute corners. What they lose is near
//! an edge, whose reach covers it.
//!
//! Degenerate cases: parallel axes, and those of length zero, have no face; the rest as in `rounded_segment`.
//!
//! # Error bound
//!
//! A, B, V are the lengths of a, b, v, Δ the offset at the start, S = R + A + B + V. Where the face is touched,
//! |Δ| ≤ S. What is below 2⁻¹⁰ u S is not written out.
//!
//! **A parallelogram beside it.** Let ĝ, ĉ, d̂ be the floats made unit, and ℓ = |f|, f the part of a before
//! it is scaled. The face counts only if ℓ ≥ w ≥ 23 u A. Then the first part of a is off by 9 u A along d,
//! and f·d̂ is at most 8.4 u ℓ. a is κ d + f but for 3 u A, κ real. Let plane″ be that of d and g, with the
//! normal N″, which n is but for 3.1 u. c is off it by 2.5 u, and a·ĉ ≤ 9.7 u A, by the dots, roundings, and
//! those 3 u A. Let b″ be b less its part along ĝ, 8.4 u B, and a″ be the part of a in plane″ less that along
//! ĉ, 12.7 u A away. Of the parallelogram of a″ and b″, no point of which is further than
//!
//! ```text
//! π = 12.7 u A + 8.4 u B
//! ```
//!
//! from one of a and b, and the other way round, g and c are normal to the edges.
//!
//! **Slabs.** An offset rounds by u |Δ|, a dot 3 times, the sum with the half width by u of both, `slab` has
//! u/2 V. The half widths are off by 16.7 u A and 7.4 u B, N″·ĉ by 2.5 u R. So a slab may be off, as a
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
//! **No contact is lost.** Let the point be at most R from the parallelogram at t, so at most R + π from that
//! of a″ and b″. If the nearest point of that is at least 2 w from all edges, it is beside the face by at
//! least w in each slab as computed, whose times enclose t; that along n is wider, by the whole reach, which
//! is more than is needed. If not, an edge is at most 2 w from that point: the nearest line of an edge has
//! its foot on the edge, as a disc that touches the line there is in the parallelogram. So an edge of a and b
//! is at most R + 2 π + 2 w from the point. If the face does not count, ℓ < w, and every point of the face is
//! at most w + 3 u A from an edge. Hence reach, by (1) and (3) of `rounded_segment`, where p is Δ ± a,
//! rounded once more, must be at least
//!
//! ```text
//! R + 2 w + 2 π + 14.7 u R + 3.4 u (A + B) + 16.9 u V + 2⁻⁶²
//! ```
//!
//! It is widened by 76 u ‖a‖₁ + 50 u ‖b‖₁ + 33 u R + 39 u ‖v‖₁ + 2⁻⁶⁰; the slack of edges is 12 u (R + ‖a‖₁ +
//! ‖b‖₁ + ‖v‖₁) + 2⁻⁶².
//!
//! **False hits and claimed times.** In the face a claimed time is in all slabs as computed, so above the
//! parallelogram of a″ and b″ itself: the gap is at most the widening, the error along n, and π. Beside an
//! edge it is at most the widening and (4) across, and 24 u S past the end. In all less than 100 u ‖a‖₁ + 67
//! u ‖b‖₁ + 55 u R + 63 u ‖v‖₁ + 2⁻⁵⁹.
//!
//! An overlap's hit is one at the start: the same arithmetic decides, with a reach that is no less.
//!
//! **Range.** A part of a below 2⁻¹⁰⁰ is none. Scaled vectors are at least ½, so underflow is worth 2⁻⁷⁰; if
//! a·g is below 2⁻¹⁰⁰ the slab along c is empty. Of products of lengths there are only those of
//! `rounded_segment`.

use super::capsule_capsule_overlap::distance_sq;
use super::load::Separate;
use super::rounded_segment::{Axis, Beside, Motion, SLOWEST, Span};
use super::rounding::{FLOOR, U};
use super::slab::times;
use super::{Deferred, SweptContact, Test};
use crate::hits::Sweeps;
use crate::lane::{Float, Lanes, Vec3};
use crate::shapes::{Capsule, CapsuleLanes, MovingLanes};

/// Lengths of a pair: the reach, those of the half axes, and the motion.
#[derive(Clone, Copy)]
struct Lengths<F>([F; 4]);

impl<F: Float> Lengths<F> {
    /// So many u of each, and a part of their own.
    #[inline(always)]
    fn error<L: Lanes<F = F>>(self, lanes: L, [r, a, b, v]: [f32; 4], floor: f32) -> F {
        let [reach, length_a, length_b, motion] = self.0;
        (reach * lanes.splat(r * U) + lanes.splat(floor))
            + (length_a * lanes.splat(a * U)
                + length_b * lanes.splat(b * U)
                + motion * lanes.splat(v * U))
    }
}

/// Added to the reach.
const WIDENING: [f32; 4] = [33.0, 76.0, 50.0, 39.0];
/// Added to edges at either end.
const SLACK: [f32; 4] = [12.0; 4];
/// Taken from the face at each side.
const NARROWING: [f32; 4] = [8.0, 23.0, 14.0, 10.0];

impl Test<Sweeps, Capsule> for Capsule {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (a, b): (
            MovingLanes<CapsuleLanes<L::F>, L::F>,
            MovingLanes<CapsuleLanes<L::F>, L::F>,
        ),
        margin: L::F,
    ) -> impl Deferred<L, Answer = SweptContact<L>> {
        let zero = lanes.splat(0.0);
        let v = a.displacement - b.displacement;
        let (a, b) = (a.start, b.start);
        let offset = a.center - b.center;
        let reach = a.radius + b.radius + margin;
        let (a, b) = (a.half_axis, b.half_axis);
        let lengths = Lengths([reach, a.abs().sum(), b.abs().sum(), v.abs().sum()]);
        let slack = lengths.error(lanes, SLACK, FLOOR);
        let narrowing = lengths.error(lanes, NARROWING, FLOOR);
        let reach = reach + lengths.error(lanes, WIDENING, 4.0 * FLOOR);
        let reach_sq = reach * reach;

        let start = Span {
            hit: distance_sq(lanes, offset, a, b).le(reach_sq),
            from: zero,
            to: zero,
        };
        let (more, less) = (offset + a, offset - a);
        let motion = Motion::new(lanes, v);
        let corners = (motion.within(lanes, more + b, reach_sq))
            .or(lanes, motion.within(lanes, more - b, reach_sq))
            .or(lanes, motion.within(lanes, less + b, reach_sq))
            .or(lanes, motion.within(lanes, less - b, reach_sq));
        let (axis_a, axis_b) = (Axis::new(lanes, a), Axis::new(lanes, b));
        let along_a = Beside::new(lanes, axis_a, v);
        let along_b = Beside::new(lanes, axis_b, v);
        let edges = (along_b.within(lanes, more, reach_sq, slack))
            .or(lanes, along_b.within(lanes, less, reach_sq, slack))
            .or(lanes, along_a.within(lanes, offset + b, reach_sq, slack))
            .or(lanes, along_a.within(lanes, offset - b, reach_sq, slack));
        let face = over_face(lanes, (a, axis_a), axis_b, (offset, v), [reach, narrowing]);
        start.or(lanes, corners).or(lanes, edges).or(lanes, face)
    }
}

/// When a moving point is within reach of the face, over its inner part.
#[inline(always)]
fn over_face<L: Lanes>(
    lanes: L,
    (a, axis_a): (Vec3<L::F>, Axis<L::F>),
    axis_b: Axis<L::F>,
    (p, v): (Vec3<L::F>, Vec3<L::F>),
    [reach, narrowing]: [L::F; 2],
) -> Span<L> {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let d = axis_b.direction;
    // NaN, if the axis is a point, and then no hit.
    let inverse = one / axis_b.squared;
    let across = a - d * (a.dot(d) * inverse);
    let across = across - d * (across.dot(d) * inverse);
    let largest = across.abs().largest();
    let scale = largest.power_of_two_below_inverse();
    let g = across * scale.keep(lanes.splat(SLOWEST).le(largest));
    let n = g.cross(d);
    let (along_g, along_d) = (axis_a.direction.dot(g), axis_a.direction.dot(d));
    let c = d * along_g - g * along_d;
    let length_g = g.dot(g).sqrt();
    let length_n = length_g * axis_b.length;

    let half_g = a.dot(g) - narrowing * length_g;
    let half_c = axis_b.half * along_g - narrowing * (length_n * axis_a.length);
    let counts = (narrowing * length_g).lt(across.dot(g)) & zero.le(half_g) & zero.le(half_c);
    let frame = slab(lanes, (p, v), n, reach * length_n, (zero, one));
    let frame = slab(lanes, (p, v), g, half_g, frame);
    let (from, to) = slab(lanes, (p, v), c, half_c, frame);
    Span {
        hit: counts & from.le(to),
        from,
        to,
    }
}

/// The times of a part of the frame at which a moving point is at most `half` from the origin along `axis`.
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
    use crate::kernel::testing::{Answer::*, sweep};
    use phalanx::{Capsule, MAX_LENGTH};

    fn capsule(center: [f32; 3], half_axis: [f32; 3]) -> Capsule {
        Capsule {
            center,
            half_axis,
            radius: 1.0,
        }
    }

    /// Along x, 2 to either side.
    const LYING: (Capsule, [f32; 3]) =
        (Capsule::between([-2., 0., 0.], [2., 0., 0.], 1.0), [0.0; 3]);

    /// Both orders.
    fn both(a: (Capsule, [f32; 3]), b: (Capsule, [f32; 3])) -> crate::kernel::testing::Answer {
        let answer = sweep(a, b);
        assert_eq!(sweep(b, a), answer);
        answer
    }

    #[test]
    fn crossed_axes_meet_between_their_ends() {
        let falling = |x, y| (capsule([x, y, 8.], [0., 2., 0.]), [0., 0., -16.]);
        assert_eq!(both(falling(0., 0.), LYING), When(0.375, 0.625));
        assert_eq!(both(falling(1.9, -1.9), LYING), When(0.375, 0.625));
        // Beside an end of either axis, by 1.2.
        assert_eq!(both(falling(3.2, 1.), LYING), When(0.4, 0.6));
        assert_eq!(both(falling(-1., 3.2), LYING), When(0.4, 0.6));
        // Beside both, by 1 and 1: √2 within 2.
        let times = When(0.5 - 2f32.sqrt() / 16., 0.5 + 2f32.sqrt() / 16.);
        assert_eq!(both(falling(3., -3.), LYING), times);
        assert_eq!(both(falling(3.5, 3.5), LYING), Miss);
        assert_eq!(both(falling(4.001, 0.), LYING), Miss);
        // Aslant, the nearest points are those in the middle.
        let aslant = (capsule([0., 0., 8.], [1.5, 1.5, 0.]), [0., 0., -16.]);
        assert_eq!(both(aslant, LYING), When(0.375, 0.625));
    }

    #[test]
    fn an_end_flies_past_a_side() {
        let along_y = |z| (capsule([0., -12., z], [0., 2., 0.]), [0., 24., 0.]);
        assert_eq!(both(along_y(0.), LYING), When(8. / 24., 16. / 24.));
        assert_eq!(both(along_y(1.2), LYING), When(8.4 / 24., 15.6 / 24.));
        assert_eq!(both(along_y(2.001), LYING), Miss);
    }

    #[test]
    fn parallel_axes() {
        let other = |x, y, z| capsule([x, y, z], [-2., 0., 0.]);
        let across = |x| (other(x, -8., 0.), [0., 16., 0.]);
        assert_eq!(both(across(0.), LYING), When(0.375, 0.625));
        assert_eq!(both(across(3.9), LYING), When(0.375, 0.625));
        assert_eq!(both(across(-5.2), LYING), When(0.4, 0.6));
        assert_eq!(both(across(6.001), LYING), Miss);
        let along = |y| (other(-12., y, 0.), [24., 0., 0.]);
        assert_eq!(both(along(0.), LYING), When(0.25, 0.75));
        assert_eq!(both(along(1.2), LYING), When(6.4 / 24., 17.6 / 24.));
        assert_eq!(both(along(2.001), LYING), Miss);
        let still = |y| (other(1., y, 0.), [0.0, -0.0, 0.0]);
        assert_eq!(both(still(2.), LYING), When(0., 1.));
        assert_eq!(both(still(-2.001), LYING), Miss);
    }

    #[test]
    fn nearly_parallel_axes_are_one_if_they_are_long_enough() {
        // They cross in the middle, and are 4e-3 apart at their ends: 1 µm to be crossed between.
        let radius = 1e-6;
        let thin = |half_axis, z, way: f32| {
            let center = [0., 0., z];
            let shape = Capsule {
                center,
                half_axis,
                radius,
            };
            (shape, [0., 0., way])
        };
        let lying = thin([2., 0., 0.], 0., 0.);
        for end in [[2., 2e-3, 0.], [2., -2e-3, 0.], [-1., 1e-3, 0.]] {
            let falling = thin(end, 4., -8.);
            assert_eq!(both(falling, lying), When(0.5, 0.5), "{end:?}");
            let beside = (falling.0, [0., 0., -3.99]);
            assert_eq!(both(beside, lying), Miss, "{end:?}");
        }
        // Past an acute corner of what both span.
        let mut beyond = thin([2., 2e-3, 0.], 4., -8.);
        beyond.0.center[0] = 4.01;
        assert_eq!(both(beyond, lying), Miss);
    }

    #[test]
    fn points_and_segments() {
        let of = |center, half_axis| Capsule {
            center,
            half_axis,
            radius: 0.0,
        };
        let lying = (of([0.0; 3], [2., 0., 0.]), [0.0; 3]);
        for length in [0.0, 1e-45, 1e-40] {
            let point = |x| (of([x, -1., 0.], [0., 0., length]), [0., 2., 0.]);
            assert_eq!(both(point(1.), lying), When(0.5, 0.5), "{length:e}");
            assert_eq!(both(point(2.001), lying), Miss, "{length:e}");
            let other = (of([2.; 3], [length, 0., -length]), [0.0; 3]);
            let moving = (of([0.; 3], [0., length, length]), [4.; 3]);
            assert_eq!(both(moving, other), When(0.5, 0.5), "{length:e}");
        }
    }

    #[test]
    fn only_times_of_the_frame_count() {
        let falling = |z, way| (capsule([0., 0., z], [0., 2., 0.]), [0., 0., way]);
        assert_eq!(both(falling(8., -5.9), LYING), Miss);
        assert_eq!(both(falling(8., 16.), LYING), Miss);
        assert_eq!(both(falling(8., -6.), LYING), When(1., 1.));
        assert_eq!(both(falling(0., 4.), LYING), When(0., 0.5));
        let motion = [1., 2., 3.];
        let with = (LYING.0, motion);
        let near = (falling(2., 0.).0, motion);
        assert_eq!(both(near, with), When(0., 1.));
        assert_eq!(both((falling(2.001, 0.).0, motion), with), Miss);
    }

    #[test]
    fn slow_and_huge_motion() {
        let slow = [1e-45, 0., -1e-40];
        let above = |z| (capsule([0., 0., z], [0., 2., 0.]), slow);
        assert_eq!(both(above(2.5), LYING), Miss);
        assert_eq!(both(above(1.5), LYING), When(0., 1.));
        let far = MAX_LENGTH;
        let long = |center, half_axis| Capsule {
            center,
            half_axis,
            radius: 0.25 * far,
        };
        let a = long([far, -far, far], [far, far, 0.]);
        let b = long([-far, far, -far], [-far, far, 0.]);
        let towards = ([-far, far, -far], [far, -far, far]);
        assert_eq!(both((a, towards.0), (b, towards.1)), When(0.75, 1.));
        assert_eq!(both((a, towards.0), (b, towards.0)), Miss);
        assert_eq!(both((a, [2e18, 0., 0.]), (b, slow)), Invalid);
    }
}
