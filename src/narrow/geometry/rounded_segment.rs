//! Point against a capsule: the time intervals in which a moving point is within reach of a point, or of a segment
//! beside it.
//!
//! A capsule has three parts, each with its own times: the spheres around its ends, and the cylinder between them.
//! Contact with a part is contact with the whole. So enter and exit are the first and the last time of the parts, and
//! no decision about their order can be wrong.
//!
//! ```text
//! sphere     x + t q within ρ:      a = q·q    b = x·q    m = ρ² a − |x × q|²    t = (−b ∓ √m) / a
//! cylinder   p × d + t (v × d) within ρ |d|, as a sphere, while −h·d ≤ p·d + t v·d ≤ h·d
//! ```
//!
//! h is the half axis, and d is h scaled by a power of two. d is a unit vector up to a factor, which is on both sides,
//! so no division by a length is needed. p × d is the part of p perpendicular to the axis, rotated.
//!
//! Source: C. Ericson, "Real-Time Collision Detection", 2005, 5.3.7, casts against a cylinder in this form, with
//! branches; the sphere is that of `sphere_sphere_sweep`. Departure: p × d, v × d in place of dots that cancel.
//!
//! Degenerate cases: without motion q = 0, the times are NaN and ignored, and the start decides. Motion below 2⁻¹⁰⁰ on
//! each axis counts as none. An axis shorter than 2⁻¹²⁶ is two spheres.
//!
//! # Error bound
//!
//! Let x, q be floats, taken as exact, D(t) = |x + t q|, W = |q|, T = t W, and r the intended reach.
//!
//! ```text
//! (1)  D(t) ≤ r at a t of the frame and ρ ≥ r + 8.3 u r + 9.3 u W + 2⁻⁶² − 2⁻⁷⁰   ⟹   hit, from ≤ t ≤ to
//! (2)  hit   ⟹   D(t) ≤ ρ + 8.3 u ρ + 9.3 u W + 2⁻⁷⁰ at each t between `from` and `to`
//! ```
//!
//! The errors are those of the table in `sphere_sphere_sweep`, except two. x + t q has none, and a time is −b ∓ √m (u),
//! times the reciprocal of a (3 u and u), rounded (u): 6 u T. By the argument there a reach larger by 5 u r + 3.23 u
//! |x| + 6 u T covers them, and |x| ≤ r + T. `start` needs 4 u r.
//!
//! (1): m > 0 as 2⁻⁶² is to spare across and |q|, scaled, is at least ½. The first time of the chord is not late, and
//! the last not early. Clipping to the frame keeps that. (2): `from` ≤ `to` means that the chord overlaps the frame,
//! and a chord's T counts only while it is in it. D is convex, so a bound at both ends holds in between. If `start`
//! alone holds, times are those of the foot, which is nearer, or the frame's, at which q = 0.
//!
//! **The cylinder.** Let p, v be floats, h exact, ρ and r as above, y(t) = (p + t v)·d / |d|, and t a time at which the
//! point is beside the axis, and at most r from it. Products p × d round by 2/√3 u |p| |d|, differences by u of
//! themselves. With |p| ≤ |h| + r + |v| and at most r + |v| of it across, the point is off by 1.2 u |h| + 2.2 u r + 4.4
//! u |v|. ρ² d·d rounds four times more than ρ²: 2 u r. Dots round 3 times, so p·d and t v·d are off by 3 u |p| |d| and
//! 3 u |v| |d|, h·d by 3 u; sums by u (|p| + |h|), and `slab` contributes u/2 |v|. So
//!
//! ```text
//! σ = 4.1 u r + 8.1 u |h| + 7.6 u |v| + 2⁻⁸⁰
//! (3)  as (1), if ρ ≥ r + 12.6 u r + 1.3 u |h| + 13.8 u |v| + 2⁻⁶² − 2⁻⁷⁰ and |y(t)| ≤ |h| − σ
//! (4)  from `from` to `to` the point is at most ρ + 12.6 u ρ + 1.3 u |h| + 13.8 u |v| + 2⁻⁷⁰ across, and at
//!      most σ past the end
//! ```
//!
//! A point that is nearer than σ to the end is at most √(r² + σ²) from it: the end spheres cover what the cylinder
//! misses.
//!
//! **Range.** If d·d < ¼ the axis is below 2⁻¹²⁶, and the spheres are the whole up to that. Scaled q and d are at least
//! ½ and below √3: m is below 2¹²⁸ for |p| ≤ 3 √3 · 2⁶⁰ (the offset and a half axis) and ρ ≤ 3.1 · 2⁶⁰. Underflow is
//! worth 2⁻⁷² of length. Motion that counts as none is worth 2⁻⁹⁸.

use crate::driver::source::{Deferred, TimeRange};
use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::geometry::slab::times;

/// Displacement below which motion counts as none: 2⁻¹⁰⁰.
pub const SLOWEST: f32 = 1.0 / (1u128 << 100) as f32;

/// Time interval of one part.
#[derive(Clone, Copy)]
pub struct ContactSpan<L: Lanes> {
    pub hit: L::M,
    pub from: L::F,
    pub to: L::F,
}

impl<L: Lanes> ContactSpan<L> {
    /// Hull of both intervals.
    #[inline(always)]
    pub fn or(self, lanes: L, other: Self) -> Self {
        let one = lanes.splat(1.0);
        ContactSpan {
            hit: self.hit | other.hit,
            from: (self.from.select(self.hit, one)).min(other.from.select(other.hit, one)),
            to: self.to.masked(self.hit).max(other.to.masked(other.hit)),
        }
    }
}

impl<L: Lanes> Deferred<L> for ContactSpan<L> {
    type Answer = TimeRange<L>;
    const PIPELINED: bool = false;

    #[inline(always)]
    fn finish(self, _lanes: L) -> TimeRange<L> {
        TimeRange {
            hit: self.hit,
            enter: self.from,
            exit: self.to,
        }
    }
}

/// Displacement of a point, prepared for any number of spheres.
#[derive(Clone, Copy)]
pub struct PointMotion<F> {
    /// Scaled by a power of two, or zero.
    q: Vec3<F>,
    chord: ScaledSpeed<F>,
}

impl<F: Float> PointMotion<F> {
    #[inline(always)]
    pub fn new<L: Lanes<F = F, M = F::Mask>>(lanes: L, v: Vec3<F>) -> Self {
        let scale = ScaledSpeed::scale(lanes, v.abs().largest());
        let q = v * scale;
        PointMotion {
            q,
            chord: ScaledSpeed::new(lanes, q.dot(q), scale),
        }
    }

    /// Time interval in which a point that starts at `x` is within reach of the origin.
    #[inline(always)]
    pub fn within<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        x: Vec3<F>,
        reach_sq: F,
    ) -> ContactSpan<L> {
        let across = x.cross(self.q);
        let across_sq = across.dot(across);
        self.chord
            .within(lanes, [x.dot(x), across_sq, x.dot(self.q)], reach_sq)
    }
}

/// Displacement of a point in a plane, prepared for any number of circles.
#[derive(Clone, Copy)]
pub struct PlaneMotion<F> {
    /// Scaled by a power of two, or zero.
    q: [F; 2],
    chord: ScaledSpeed<F>,
}

impl<F: Float> PlaneMotion<F> {
    #[inline(always)]
    pub fn new<L: Lanes<F = F, M = F::Mask>>(lanes: L, [v, w]: [F; 2]) -> Self {
        let scale = ScaledSpeed::scale(lanes, v.abs().max(w.abs()));
        let (q, r) = (v * scale, w * scale);
        PlaneMotion {
            q: [q, r],
            chord: ScaledSpeed::new(lanes, q * q + r * r, scale),
        }
    }

    /// Time interval in which a point that starts at `(x, y)` is within reach of the origin.
    #[inline(always)]
    pub fn within<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        [x, y]: [F; 2],
        reach_sq: F,
    ) -> ContactSpan<L> {
        let [q, r] = self.q;
        let across = x * r - y * q;
        let dots = [x * x + y * y, across * across, x * q + y * r];
        self.chord.within(lanes, dots, reach_sq)
    }
}

/// Speed of a point, scaled.
#[derive(Clone, Copy)]
struct ScaledSpeed<F> {
    speed_sq: F,
    inverse: F,
    scale: F,
}

impl<F: Float> ScaledSpeed<F> {
    /// Power of two by which a displacement is scaled, given its largest coordinate; zero if it counts as none.
    #[inline(always)]
    fn scale<L: Lanes<F = F, M = F::Mask>>(lanes: L, largest: F) -> F {
        let moves = lanes.splat(SLOWEST).le(largest);
        largest.recip_pow2().masked(moves)
    }

    #[inline(always)]
    fn new<L: Lanes<F = F, M = F::Mask>>(lanes: L, speed_sq: F, scale: F) -> Self {
        ScaledSpeed {
            speed_sq,
            inverse: lanes.splat(1.0) / speed_sq,
            scale,
        }
    }

    /// Time interval in which a point that starts at x is within reach of the origin, given x·x, |x × q|² and x·q.
    #[inline(always)]
    fn within<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        [start_sq, across_sq, along]: [F; 3],
        reach_sq: F,
    ) -> ContactSpan<L> {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let m = reach_sq * self.speed_sq - across_sq;
        let half_chord = m.max(zero).sqrt();
        let approach = -along;
        let start = start_sq.le(reach_sq);
        // NaN without motion; `max` and `min` then return their second operand.
        let from = ((approach - half_chord) * self.inverse * self.scale).max(zero);
        let to = ((approach + half_chord) * self.inverse * self.scale).min(one);
        ContactSpan {
            hit: (start | zero.lt(m)) & from.le(to),
            from,
            to,
        }
    }
}

/// Segment centered at the origin.
#[derive(Clone, Copy)]
pub struct SegmentAxis<F: Float> {
    /// Half axis, scaled by a power of two.
    pub direction: Vec3<F>,
    /// Its squared length.
    pub squared: F,
    /// Dot product of the half axis with `direction`.
    pub half: F,
    /// Whether the segment is long enough to have a direction.
    long: F::Mask,
}

impl<F: Float> SegmentAxis<F> {
    #[inline(always)]
    pub fn new<L: Lanes<F = F, M = F::Mask>>(lanes: L, half_axis: Vec3<F>) -> Self {
        let scale = half_axis.abs().largest().recip_pow2();
        let direction = half_axis * scale;
        let squared = direction.dot(direction);
        SegmentAxis {
            direction,
            squared,
            half: half_axis.dot(direction),
            long: lanes.splat(0.25).le(squared),
        }
    }
}

/// A moving point, prepared for segments along one axis.
#[derive(Clone, Copy)]
pub struct Beside<F: Float> {
    axis: SegmentAxis<F>,
    /// Component perpendicular to the axis.
    across: PointMotion<F>,
    /// Component along the axis, never −0.
    along: F,
}

impl<F: Float> Beside<F> {
    #[inline(always)]
    pub fn new<L: Lanes<F = F, M = F::Mask>>(lanes: L, axis: SegmentAxis<F>, v: Vec3<F>) -> Self {
        Beside {
            axis,
            across: PointMotion::new(lanes, v.cross(axis.direction)),
            along: lanes.splat(0.0) + v.dot(axis.direction),
        }
    }

    /// Time interval in which the point that starts at `p` is within reach of the cylinder around a segment.
    #[inline(always)]
    pub fn within<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        p: Vec3<F>,
        reach_sq: F,
    ) -> ContactSpan<L> {
        let axis = self.axis;
        let across = p.cross(axis.direction);
        let span = self.across.within(lanes, across, reach_sq * axis.squared);
        let along = p.dot(axis.direction);
        let half = axis.half;
        let (from, to) = times(
            -half - along,
            half - along,
            self.along,
            (span.from, span.to),
        );
        ContactSpan {
            hit: span.hit & axis.long & from.le(to),
            from,
            to,
        }
    }
}
