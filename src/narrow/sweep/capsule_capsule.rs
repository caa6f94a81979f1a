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

use crate::driver::source::{Deferred, Separate, Test, TimeRange};
use crate::lane::{Float, Lanes, Vec3};
use crate::math::rounding::FLOOR;
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
        (reach * lanes.units(r) + lanes.splat(floor))
            + (length_a * lanes.units(a) + length_b * lanes.units(b) + motion * lanes.units(v))
    }
}

/// Widening of the reach.
const WIDENING: [f32; 4] = [35.0, 76.0, 52.0, 39.0];
/// Narrowing of the face on each side.
const NARROWING: [f32; 4] = [8.0, 23.0, 14.0, 10.0];

impl Test<Sweeps, Capsule> for Capsule {
    type Load = Separate;
    const IS_LONG: bool = true;

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
        capsule_capsule_sweep(lanes, offset, v, [a.half_axis, b.half_axis], reach)
    }
}

/// Time interval in which two axes are within reach of each other. Their centers are at an offset and move by `v`.
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
