//! Point against a rounded box: the time interval in which a moving point is within reach of a box.
//!
//! In the frame of the box the point is `low` past the lowest corner, `high` past the highest one, and moves by `w`. On
//! an axis it is outside by oₖ(t) = min(lowₖ + t wₖ, 0) + max(highₖ + t wₖ, 0). It is within reach ρ while f(t) =
//! |o(t)|² ≤ ρ². f is convex, and quadratic between the at most six times at which the point passes the plane of a
//! face:
//!
//! ```text
//! nearₖ, farₖ    low and high, in the order in which their planes are passed
//! at −near / w, −far / w, if within the frame, where o is 0 on the axis itself:
//!     touches    f ≤ ρ²                     first, last    the least, the greatest of these times
//!     entering   f > ρ² and o·w < 0         since          the greatest of these, or 0
//!     leaving    f > ρ² and not so          until          the least of these, or 1
//! after `since`, before `until`:
//!     x, q       near or far and w on an axis on which the point is outside in that piece, else 0
//!     a = q·q    b = x·q    m = ρ² a − |x × q|²    t = (−b ∓ √m) / a
//! through        m > 0, and some t of the one chord is between `since` and `until`
//! enter = min(max(chord's first, since), first)          exit = max(min(chord's last, until), last)
//! ```
//!
//! Each piece belongs to one feature: a face, an edge or a corner. Its point nearest to the moving point moves only
//! along the axes left out of x and q. So x + t q is a point against a sphere, and m, a, b are those of
//! `sphere_sphere_sweep`. Times are not sorted, which would take 24 minima and maxima.
//!
//! Source: none for the whole. C. Ericson, "Real-Time Collision Detection", 2005, 5.5.7, casts against the box grown by
//! the radius, and at its edges and corners against capsules, with branches. The distance is that of J. Arvo, "A Simple
//! Method for Box-Sphere Intersection Testing", Graphics Gems, 1990.
//!
//! Degenerate cases: on an axis with motion below 2⁻¹⁰⁰ the planes are passed at ∓∞, or at NaN if the point lies in
//! one. Neither is within the frame, and the comparisons with `since` and `until` give the constant state of each axis.
//! A piece without motion has no chord: its times are NaN and ignored. Boxes may have zero extent.
//!
//! # Error bound
//!
//! `low` ≥ `high` and w are taken as exact, W is |w|, D(t) the distance for them, and R the intended reach. Kernels
//! bound the errors of their inputs and add them to the reach. Two statements are proved:
//!
//! ```text
//! (1)  D(t) ≤ R at a t of the frame and ρ ≥ R + 8.3 u R + 9.9 u W + 2⁻⁶² − 2⁻⁷⁰   ⟹   hit, enter ≤ t ≤ exit
//! (2)  hit   ⟹   D ≤ ρ + 8.3 u ρ + 16 u W + 2⁻⁶⁹   at `enter` and at `exit`
//! ```
//!
//! Terms of first order are written out, with 0.1 u for higher orders; underflow is treated at the end.
//!
//! **Times.** A computed time errs by 2 u of itself: −1 / w, product. Computed times keep the order of the planes, as
//! rounding is monotone. Let g(t) be o(t), except that the state of each axis, near, neither or far, is taken from the
//! computed times. Where states differ, t is within 2.1 u of the exact time, so g and o differ by at most 2.1 u |wₖ| on
//! each axis, and by 2.1 u W in all. In every piece g is x + t q, because only comparisons of computed times decide.
//!
//! **At a computed time s** o is evaluated with t wₖ rounded, and 0 for the axis itself. It is the exact vector o′ of a
//! point p′ at most 2.1 u W from p(s), up to one rounding of each sum. Let D′ = |o′|, which differs from D(s) by 2.1 u
//! W. The square rounds at most five times (start and end, of three axes) and ρ² once: `touches` implies D′ ≤ ρ (1 +
//! 2.6 u), and its negation D′ ≥ ρ (1 − 2.6 u). The box lies beyond the plane perpendicular to o′ through its point
//! nearest to p′. So at any other time t D(t) ≥ D′ − 2.1 u W + (t − s) o′·w / D′, and the sign of o′·w is wrong only if
//! |o′·w| ≤ 3.1 u D′ W:
//!
//! ```text
//! (3)  if s is entering, D(t) ≥ D′ − 5.2 u W for t < s;   if leaving, for t > s
//! ```
//!
//! **No contact is lost.** Let D(t) ≤ R. By (1) ρ (1 − 2.6 u) > R + 5.2 u W, so by (3) each s < t that does not touch
//! is entering, each s > t leaving, and s = t touches; so do start and end. So `since` < t < `until`, unless start
//! or end holds, which make `first` 0 and `last` 1. If some s from `since` to t touches, `first` is not late. Otherwise
//! none lies between, and t is in the piece after `since`: |x + t q| ≤ R + 2.1 u W. There the proof of
//! `sphere_sphere_sweep` holds with x and q in place of P₀ and v, which have no error of their own. With T = t |q| and
//! |x| ≤ R + T, 5 u R + 3.23 u |x| + 4 u T + u/2 |q| ≤ 8.23 u R + 7.73 u W more is needed for the first time of the
//! chord not to be late. As (1) provides that, `enter` ≤ t, and `exit` ≥ t by symmetry. If nothing touches, no computed
//! time lies between `since` and `until`: both pieces are one, and m ≥ ¼ (2⁻⁶² − 2⁻⁶⁹)² > 2⁻¹²⁷. If q = 0, D at `since`
//! is at most R + 4.2 u W: it would touch.
//!
//! **False hits.** If all hits are `through`, both times lie on the chord of one piece, between `since` and `until`:
//! the same errors with opposite sign leave D ≤ ρ + 8.3 u ρ + 9.9 u W. Otherwise some s touches. `first` is the least
//! such s, with D(`first`) ≤ ρ (1 + 2.6 u) + 2.1 u W. Let `enter` be e < `first`. A computed time s between `since` and
//! `first` is leaving, and by (3) D(s) ≤ D(`first`) + 7.3 u W. If one is at most e, D(e) is at most the larger of the
//! two, as D is convex. Otherwise e is in the piece after `since`. If it is not on the chord, it is at or after the
//! foot, the middle of the chord, up to the foot's own error of 3 u |x| + 4.5 u W: as m < 0 the foot is ρ away, and 13
//! u W is in ρ, so that is worth 2.2 u W. From there x + t q only grows until the next computed time s or `first`, so
//! D(e) ≤ D(s) + (2.2 + 2.1 + 2.1) u W ≤ ρ (1 + 2.6 u) + 16 u W. `exit` is the mirror image in time, or `enter`.
//!
//! **Range.** |w| is at least 2⁻¹⁰⁰ or 0, so |q|, scaled, is at least ½ where it is not 0. Squares that underflow are a
//! length of 2⁻⁷³, times that underflow 2⁻⁸⁹, products in a slope 2⁻⁸⁷, as D′ > 2⁻⁶³, and those with a time 2⁻¹⁴⁹: 2⁻⁷⁰
//! covers all. An axis counts only where it is outside within the frame, so |xₖ| is at most the offset of the centers
//! on it, or |wₖ|: |x| < 2⁶³ and |x × q|² < 2¹²⁷. A quotient that overflows is outside the frame, like the exact one.
//!
//! # The least distance
//!
//! [`distance_sq`] is the squared distance over times −1 to 1, evaluated at a time of minimum distance. This time lies
//! after the last computed time at which the distance falls and before the first one at which it does not, in the one
//! piece between. There t = −x·q / q·q, clamped to both. The result is not widened:
//!
//! ```text
//! (4)  D(t) ≤ R at a t from −1 to 1 and ρ ≥ R + 3.1 u R + 22.8 u W + 2⁻⁶² − 2⁻⁷⁰   ⟹   distance_sq ≤ ρ²
//! (5)  distance_sq ≤ ρ²   ⟹   D(t) ≤ ρ + 3.1 u ρ + 1.1 u W + 2⁻⁶⁹ at a t from −1 to 1
//! ```
//!
//! With t̂ the computed time, o(t̂) is evaluated with an error of u W, one rounding of each coordinate, 3 more of the
//! square, and ρ² rounds once: that is (5). For (4), let D be least at t; it remains to bound D(t̂) by D(t) + 21.7 u W
//! and second order. Over twice the time (3) says:
//!
//! ```text
//! (6)  if it falls at s, D(s) ≤ D(t) + 10.4 u W for t < s;   if not, for t > s
//! ```
//!
//! - Let t be from `since` to `until`. No computed time lies between, so g is x + t q from one to the other. x·q rounds
//!   3 times, q·q too, the quotient once: t̂ misses the least |g| by 3 u |x| + 4 u |t q| of length, where |x| ≤ |g| +
//!   |t q|, and |t q| ≤ W up to roundings if t̂ is not clamped. So |g(t̂)|² ≤ |g(t)|² + (3 u |g| + 7 u W)², and |g(t̂)|
//!   ≤ |g(t)| + 7.1 u W. As g and o differ by 2.1 u W, D(t̂) ≤ D(t) + 11.3 u W.
//! - If t < `since`, D(`since`) ≤ D(t) + 10.4 u W by (6), and by the same argument D(t̂) ≤ D(`since`) + 11.3 u W. The
//!   case t > `until` is symmetric.
//! - If `until` < `since`, t̂ is `until`. For t > `until`, (6) bounds it. Otherwise t is before `since`, whose distance
//!   (6) bounds, and D grows from t on: D(`until`) ≤ D(`since`).
//!
//! If products of a slope underflow, D′ < 2⁻⁶³ or the slope is worth 2⁻⁸⁴ of length; a distance of at most 2⁻⁶³ is
//! within reach.

use crate::driver::source::{Deferred, TimeRange};
use crate::lane::{Float, Lanes, Vec3};

/// Displacement along an axis below which motion counts as none: 2⁻¹⁰⁰.
const SLOWEST: f32 = 1.0 / (1u128 << 100) as f32;

/// Least m of a chord: 2⁻¹²⁷, because products in a smaller one may have underflowed.
const LEAST: f32 = f32::MIN_POSITIVE / 2.0;

/// A coordinate of the point relative to both faces of the box.
#[derive(Clone, Copy)]
pub struct BoxSlab<F> {
    low: F,
    high: F,
    w: F,
    /// The face whose plane is passed first.
    near: F,
    far: F,
    /// Times at which the planes are passed.
    near_at: F,
    far_at: F,
}

impl<F: Float> BoxSlab<F> {
    /// The point is `low` past the lowest face, `high <= low` past the highest, and moves by `w`.
    #[inline(always)]
    pub fn new<L: Lanes<F = F, M = F::Mask>>(lanes: L, low: F, high: F, w: F) -> Self {
        // Never −0, whose reciprocal would be that of the opposite motion.
        let w = w.masked(lanes.splat(SLOWEST).le(w.abs()));
        let forward = lanes.splat(0.0).le(w);
        let (near, far) = (low.select(forward, high), high.select(forward, low));
        let inverse = lanes.splat(-1.0) / w;
        BoxSlab {
            low,
            high,
            w,
            near,
            far,
            near_at: near * inverse,
            far_at: far * inverse,
        }
    }

    /// Signed distance outside the box at a time.
    #[inline(always)]
    fn outside(self, zero: F, time: F) -> F {
        let travel = self.w * time;
        (self.high + travel).max((self.low + travel).min(zero))
    }

    /// Signed distance outside the box at the start.
    #[inline(always)]
    pub fn outside_at_start(self, zero: F) -> F {
        self.high.max(self.low.min(zero))
    }

    /// Offset extrapolated to the start, and displacement, in the piece after a time.
    #[inline(always)]
    fn after(self, time: F) -> (F, F) {
        self.piece(time.lt(self.near_at), self.far_at.le(time))
    }

    /// Like [`after`](Self::after), for the piece before a time.
    #[inline(always)]
    fn before(self, time: F) -> (F, F) {
        self.piece(time.le(self.near_at), self.far_at.lt(time))
    }

    #[inline(always)]
    fn piece(self, near: F::Mask, far: F::Mask) -> (F, F) {
        let x = self.near.select(near, self.far.masked(far));
        (x, self.w.masked(near | far))
    }
}

/// Bounds from the computed times processed so far.
#[derive(Clone, Copy)]
struct CrossingBounds<L: Lanes> {
    touched: L::M,
    first: L::F,
    last: L::F,
    since: L::F,
    until: L::F,
}

impl<L: Lanes> CrossingBounds<L> {
    /// Adds both times at which an axis is passed. `p` and `q` are the other two axes.
    #[inline(always)]
    fn passing(
        self,
        lanes: L,
        axis: BoxSlab<L::F>,
        p: BoxSlab<L::F>,
        q: BoxSlab<L::F>,
        reach_sq: L::F,
    ) -> Self {
        self.at(lanes, axis.near_at, p, q, reach_sq)
            .at(lanes, axis.far_at, p, q, reach_sq)
    }

    /// Adds one time, at which the third axis is zero.
    #[inline(always)]
    fn at(self, lanes: L, time: L::F, p: BoxSlab<L::F>, q: BoxSlab<L::F>, reach_sq: L::F) -> Self {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let in_frame = zero.le(time) & time.le(one);
        let (x, y) = (p.outside(zero, time), q.outside(zero, time));
        let within = (x * x + y * y).le(reach_sq);
        let towards = (x * p.w + y * q.w).lt(zero);
        let touches = in_frame & within;
        let apart = in_frame & !within;
        CrossingBounds {
            touched: self.touched | touches,
            first: time.select(touches, one).min(self.first),
            last: time.masked(touches).max(self.last),
            since: time.masked(apart & towards).max(self.since),
            until: time.select(apart & !towards, one).min(self.until),
        }
    }
}

/// Interval of times in which the distance is minimal.
#[derive(Clone, Copy)]
struct Trough<F> {
    since: F,
    until: F,
}

impl<F: Float> Trough<F> {
    /// Adds both times at which an axis is passed. `p` and `q` are the other two axes.
    #[inline(always)]
    fn passing<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        axis: BoxSlab<F>,
        p: BoxSlab<F>,
        q: BoxSlab<F>,
    ) -> Self {
        self.at(lanes, axis.near_at, p, q)
            .at(lanes, axis.far_at, p, q)
    }

    /// Adds one time, at which the third axis is zero.
    #[inline(always)]
    fn at<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        time: F,
        p: BoxSlab<F>,
        q: BoxSlab<F>,
    ) -> Self {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let in_frame = time.abs().le(one);
        let (x, y) = (p.outside(zero, time), q.outside(zero, time));
        let falls = (x * p.w + y * q.w).lt(zero);
        Trough {
            since: time.select(in_frame & falls, -one).max(self.since),
            until: time.select(in_frame & !falls, one).min(self.until),
        }
    }
}

/// Least squared distance from a box over times −1 to 1, for a point that moves along three axes.
#[inline(always)]
pub fn distance_sq<L: Lanes>(lanes: L, axes: [BoxSlab<L::F>; 3]) -> L::F {
    let (_, outside) = nearest(lanes, axes);
    outside.dot(outside)
}

/// Time from −1 to 1 of least distance from the box, and the signed distances outside it at that time.
#[inline(always)]
pub fn nearest<L: Lanes>(lanes: L, [x, y, z]: [BoxSlab<L::F>; 3]) -> (L::F, Vec3<L::F>) {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let frame = Trough {
        since: -one,
        until: one,
    };
    let Trough { since, until } = frame
        .passing(lanes, x, y, z)
        .passing(lanes, y, x, z)
        .passing(lanes, z, x, y);
    let chord = SphereChord::new([x.after(since), y.after(since), z.after(since)], zero);
    // NaN without motion; `max` then returns its second operand.
    let time = chord.time(chord.approach).max(since).min(until);
    let outside = Vec3([
        x.outside(zero, time),
        y.outside(zero, time),
        z.outside(zero, time),
    ]);
    (time, outside)
}

/// Chord of the line of motion in a sphere around a feature, before the root and the quotients.
#[derive(Clone, Copy)]
struct SphereChord<F> {
    m: F,
    approach: F,
    speed_sq: F,
    scale: F,
}

impl<F: Float> SphereChord<F> {
    #[inline(always)]
    fn new([x, y, z]: [(F, F); 3], reach_sq: F) -> Self {
        let (x, q) = (Vec3([x.0, y.0, z.0]), Vec3([x.1, y.1, z.1]));
        let scale = q.abs().largest().recip_pow2();
        let q = q * scale;
        let speed_sq = q.dot(q);
        let across = x.cross(q);
        SphereChord {
            m: reach_sq * speed_sq - across.dot(across),
            approach: -x.dot(q),
            speed_sq,
            scale,
        }
    }

    /// Half its length, in time, without the factors `scale` and `speed_sq`.
    #[inline(always)]
    fn half(self, zero: F) -> F {
        self.m.max(zero).sqrt()
    }

    /// Time at position `along` on the line. NaN without motion.
    #[inline(always)]
    fn time(self, along: F) -> F {
        along / self.speed_sq * self.scale
    }
}

/// Time interval of a point within reach of a box, before both chords' times.
#[derive(Clone, Copy)]
pub struct RoundedBoxCrossing<L: Lanes> {
    found: CrossingBounds<L>,
    entering: SphereChord<L::F>,
    leaving: SphereChord<L::F>,
}

/// Time interval in which a point is within `reach` of a box, given its coordinates along three axes.
#[inline(always)]
pub fn crossing<L: Lanes>(
    lanes: L,
    [x, y, z]: [BoxSlab<L::F>; 3],
    reach: L::F,
) -> RoundedBoxCrossing<L> {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let reach_sq = reach * reach;
    let at_start = Vec3([
        x.outside_at_start(zero),
        y.outside_at_start(zero),
        z.outside_at_start(zero),
    ]);
    let at_end = Vec3([
        x.outside(zero, one),
        y.outside(zero, one),
        z.outside(zero, one),
    ]);
    let start = at_start.dot(at_start).le(reach_sq);
    let end = at_end.dot(at_end).le(reach_sq);
    let ends = CrossingBounds {
        touched: start | end,
        first: one.masked(!start),
        last: one.masked(end),
        since: zero,
        until: one,
    };
    let found = ends
        .passing(lanes, x, y, z, reach_sq)
        .passing(lanes, y, x, z, reach_sq)
        .passing(lanes, z, x, y, reach_sq);
    let (since, until) = (found.since, found.until);
    RoundedBoxCrossing {
        found,
        entering: SphereChord::new([x.after(since), y.after(since), z.after(since)], reach_sq),
        leaving: SphereChord::new(
            [x.before(until), y.before(until), z.before(until)],
            reach_sq,
        ),
    }
}

impl<L: Lanes> Deferred<L> for RoundedBoxCrossing<L> {
    type Answer = TimeRange<L>;
    const PIPELINED: bool = true;

    #[inline(always)]
    fn finish(self, lanes: L) -> TimeRange<L> {
        let zero = lanes.splat(0.0);
        let CrossingBounds {
            touched,
            first,
            last,
            since,
            until,
        } = self.found;
        let (entering, leaving) = (self.entering, self.leaving);
        // NaN without motion; `max` and `min` then return their second operand.
        let from = entering
            .time(entering.approach - entering.half(zero))
            .max(since);
        let to = leaving
            .time(leaving.approach + leaving.half(zero))
            .min(until);
        let through = since.lt(until) & lanes.splat(LEAST).le(entering.m) & from.le(to);
        let enter = from.min(first);
        TimeRange {
            hit: touched | through,
            enter,
            exit: to.max(last).max(enter),
        }
    }
}
