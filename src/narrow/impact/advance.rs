//! Time of impact of rotating shapes by conservative advancement.
//!
//! A step covers a part of the frame, from s to e, and bounds the times of contact in it. Take a separating axis that
//! moves with the shapes: a face normal rotates with its box, the normal of two edges with both boxes. Along it the
//! shapes have a gap: the projected distance of the centers less both projected half extents. The gap is known at s and
//! e. In between it lies above the chord, less a curvature bound (`deviation`): (e − s)² / 8 times the largest second
//! derivative of its terms.
//!
//! ```text
//!  gap ┤●
//!      │ ╲ ╲   the gap
//!      │   ╲ ╲
//!      │bound ╲ ╲
//!    0 ┼────────●──●──────────  time
//!      s      none before      e
//! ```
//!
//! A positive gap along one axis excludes contact. So contact starts no earlier than the latest time, over all axes, at
//! which the chord less the curvature bound falls to zero. Contact ends no later than the earliest time at which this
//! bound rises above zero. If an axis is positive at both ends, the step has no contact. The choice of axes affects
//! speed, never correctness.
//!
//! Conservative advancement steps from t = 0 until the end of the frame (miss) or until the separation is within the
//! tolerance (hit). The latter is tested at the start of each step, by the axes or the distance of the static shapes.
//! Shapes that are not within the tolerance are separated by more than a multiple of u. No point of a shape approaches
//! the other shape faster than the sum of both speeds, so each step advances and the iteration ends.
//!
//! # Source
//!
//! M. Gomez, "Simple Intersection Tests for Games", Gamasutra, 18 October 1999, finds the contact of rotating boxes by
//! bisection of the frame. B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, advances by the
//! distance over the speed, conservatively. Near contact his steps become as short as the remaining distance. E.
//! Catto's time of impact, 2013, takes the separation along an axis between two times, as here. It samples the
//! separation for a root, which may be missed.
//!
//! # Error bound
//!
//! u is 2⁻²⁴, and S the sum of all lengths of the pair: the absolute coordinates of the centers' offset at the start
//! and of the relative displacement, half extents, half axes, radii and the margin. The axes of a rotated box are
//! within η = 44 u ([`TURNED_AXIS_ERROR`](crate::math::rotation::TURNED_AXIS_ERROR)). At an end of a step the offset is off by
//! 3 u S; along an axis of a box by η + 3 u more. The entries of a relative rotation are off by 2 η + 3 u, sums of
//! products round by 4 u. Along a face normal the gap of two boxes is off by (η + 6 u) + (2 η + 7 u) at most. Along the
//! cross product of two edges, each with its error, it is off by (3 η + 14 u) of the offset and 2 η + 7 u of the other
//! lengths. Both are less than 150 u S in all. That much, and 2⁻⁶⁰, is subtracted from each gap: [`rounding_slack`].
//!
//! Curvature bounds are scaled by 1.001, which exceeds their roundings. Distances in them are off by 3 u S. At up to 5
//! times that, this matters only for distances so short that 3 η of them are negligible.
//!
//! A fraction of a step is off by 4 u. The fraction that ends the iteration is compared with 16 u to spare. The
//! fraction that advances it is reduced by 8 u of itself, and by 2 u of the frame for the roundings of times.
//!
//! **The tolerance** is at least 256 u S + 2⁻⁵⁸. The test whether a pair is within the tolerance errs by less than 150
//! u S. So a pair that fails the test is separated by 0.41 of the tolerance, and for 0.375 of it over the speed of
//! both, no point reaches the other shape. The speed is at most (1 + 2 π) S a frame. So that is 13 u of the frame, more
//! than the rounding of a time, and the iteration ends. A pair that passes has a gap of at most the tolerance, √3 times
//! along face normals of B because the margin grows a box along its axes, and 190 u S, as shown in the files.
//!
//! Lengths whose squares underflow, below 2⁻⁶³, are within the tolerance.

use core::marker::PhantomData;

use crate::driver::source::{Deferred, Separate, Test, TimeRange};
use crate::lane::{Float, Lanes, Routine, Vec3};
use crate::math::rotation::TURNED_AXIS_ERROR;
use crate::narrow::impact::impacts::Impacts;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::narrow::sweep;
use crate::shapes::form::WideMoving;
use crate::shapes::obb::WideTurning;
use crate::shapes::shape::{Form, Shape};
use crate::shapes::sphere::{Sphere, SphereOffset, WideSphere};

/// Part of the frame, with the pair's margin, tolerance and size.
#[derive(Clone, Copy)]
pub struct Step<F> {
    pub from: F,
    pub to: F,
    pub margin: F,
    /// Separation at which the iteration ends: at least [`LEAST_TOLERANCE`] of all lengths.
    pub tolerance: F,
    /// Sum of all lengths of the pair.
    pub size: F,
}

/// Result of a step.
#[derive(Clone, Copy)]
pub struct StepResult<L: Lanes> {
    /// The shapes are within the tolerance at the start of the step.
    pub within_tolerance: L::M,
    /// Interval outside which the shapes do not touch, as fractions of the step. Empty if `window_start > window_end`.
    pub window_start: L::F,
    pub window_end: L::F,
    /// Suggested next step, as a fraction of this step.
    pub next_step: L::F,
    /// Time in frames for which shapes beyond the tolerance do not touch.
    pub safe_time: L::F,
}

/// Conservative advancement of `Self` against `B`.
pub trait Advance<B: Shape>: Test<Impacts, B> {
    /// Sum of all lengths of a pair.
    fn sum_of_lengths<L: Lanes>(
        lanes: L,
        a: MotionOf<Self, L>,
        b: MotionOf<B, L>,
        margin: L::F,
    ) -> L::F;
    /// Bounds the times of contact in a part of the frame.
    fn step<L: Lanes>(
        lanes: L,
        a: MotionOf<Self, L>,
        b: MotionOf<B, L>,
        step: Step<L::F>,
    ) -> StepResult<L>;
}

/// Lanes of a shape with its full motion.
pub type MotionOf<T, L> = <<T as Shape>::FullMotion as Form>::Wide<<L as Lanes>::F>;

/// Progress of a pair through the frame.
#[derive(Clone, Copy)]
pub struct AdvanceCursor<F> {
    /// Lower bound of the time of impact.
    pub time: F,
    /// Length of the next step.
    pub span: F,
}

/// One step as a routine: compiled once.
pub struct AdvanceStep<A, B>(PhantomData<(A, B)>);

impl<L: Lanes, A: Advance<B>, B: Shape> Routine<L> for AdvanceStep<A, B> {
    /// The shapes, their progress, the margin, and the caller's tolerance.
    type Argument = (
        MotionOf<A, L>,
        MotionOf<B, L>,
        AdvanceCursor<L::F>,
        [L::F; 2],
    );
    /// New progress, and whether its time is final: the time of impact, or +∞ for a miss.
    type Output = (AdvanceCursor<L::F>, L::M);

    #[inline(always)]
    fn run(
        lanes: L,
        (a, b, AdvanceCursor { time: from, span }, [margin, tolerance]): Self::Argument,
    ) -> (AdvanceCursor<L::F>, L::M) {
        let to = (from + span).min(lanes.splat(1.0));
        let size = A::sum_of_lengths(lanes, a, b, margin);
        let least = size * lanes.units(LEAST_TOLERANCE) + lanes.splat(TOLERANCE_FLOOR);
        let step = Step {
            from,
            to,
            margin,
            tolerance: tolerance.max(least),
            size,
        };
        let found = A::step(lanes, a, b, step);
        AdvanceCursor { time: from, span }.after(lanes, to, found)
    }
}

impl<F: Float> AdvanceCursor<F> {
    /// Progress after a step that ends at `to`, and whether the time is final.
    #[inline(always)]
    fn after<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        to: F,
        found: StepResult<L>,
    ) -> (Self, F::Mask) {
        let (from, one, u) = (self.time, lanes.splat(1.0), lanes.units(1.0));
        let StepResult {
            within_tolerance,
            window_start,
            window_end,
            next_step,
            safe_time,
        } = found;

        let length = to - from;
        let clear = (window_end + lanes.splat(16.0) * u).lt(window_start);
        let cut = lanes.splat(2.0) * u;
        let since = from + window_start * length * (lanes.splat(1.0) - lanes.units(8.0)) - cut;
        let since = since.max(from + safe_time - cut).max(from);
        let passed = clear | to.lt(since);
        let time = to.select(passed, since);
        // Passed at the end of the frame and not within the tolerance: a miss.
        let over = !within_tolerance & passed & one.le(time);
        let time = from.select(
            within_tolerance,
            lanes.splat(f32::INFINITY).select(over, time),
        );
        let next_step = (length * next_step)
            .min((window_end - window_start) * length)
            .max(lanes.splat(8.0) * u);
        let span = (length + length).select(passed, next_step);
        (AdvanceCursor { time, span }, within_tolerance | over)
    }
}

/// Minimum tolerance relative to all lengths: 256 u.
const LEAST_TOLERANCE: f32 = 256.0;
/// Relative rounding slack subtracted from a gap.
const ERROR: f32 = 3.0 * TURNED_AXIS_ERROR + 18.0;
/// Absolute parts: 2⁻⁶⁰ of the rounding slack and 2⁻⁵⁸ of the minimum tolerance.
const GAP_FLOOR: f32 = 1.0 / (1u64 << 60) as f32;
const TOLERANCE_FLOOR: f32 = 1.0 / (1u64 << 58) as f32;

/// Rounding slack to be subtracted from a gap.
#[inline(always)]
pub fn rounding_slack<L: Lanes>(lanes: L, size: L::F) -> L::F {
    size * lanes.units(ERROR) + lanes.splat(GAP_FLOOR)
}

/// Length of a vector whose square is in range.
#[inline(always)]
pub fn length<F: Float>(v: Vec3<F>) -> F {
    v.dot(v).sqrt()
}

/// Gap at the end of a step, on the side given by the start.
#[inline(always)]
pub fn directed<L: Lanes>(lanes: L, start: L::F, end: L::F) -> L::F {
    end.select(lanes.splat(0.0).le(start), -end)
}

/// Curvature bound per unit of second derivative: an eighth of the squared step length, rounded up.
#[inline(always)]
pub fn chord_deviation<L: Lanes>(lanes: L, step: Step<L::F>) -> L::F {
    let span = step.to - step.from;
    span * span * lanes.splat(0.125 * 1.001)
}

/// Bounds on the motion of the centers' offset in a step.
#[derive(Clone, Copy)]
pub struct OffsetMotion<F> {
    /// See [`chord_deviation`].
    pub chord_deviation: F,
    /// Relative speed of the centers.
    pub speed: F,
    /// Maximum distance of the centers in the step.
    pub distance: F,
}

impl<F: Float> OffsetMotion<F> {
    /// Bounds for the offsets at both ends of a step.
    #[inline(always)]
    pub fn new<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        step: Step<F>,
        offsets: [Vec3<F>; 2],
        v: Vec3<F>,
    ) -> Self {
        let [start, end] = offsets;
        OffsetMotion {
            chord_deviation: chord_deviation(lanes, step),
            speed: length(v),
            distance: length(start).max(length(end)),
        }
    }

    /// Curvature bound of the offset along an axis that rotates by `turn` in a frame.
    #[inline(always)]
    pub fn of_offset(self, turn: F) -> F {
        self.chord_deviation * (turn * (turn * self.distance + (self.speed + self.speed)))
    }
}

/// Bounds from the axes tested so far.
#[derive(Clone, Copy)]
pub struct SeparationBounds<L: Lanes> {
    window_start: L::F,
    window_end: L::F,
    /// Largest gap at the start, without its curvature bound; and the bound.
    greatest: L::F,
    its_deviation: L::F,
    /// Decrease of the gap on the axis of `window_start`, and its curvature bound.
    closing: L::F,
    deviation: L::F,
}

impl<L: Lanes> SeparationBounds<L> {
    /// No axes.
    #[inline(always)]
    pub fn new(lanes: L) -> Self {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        SeparationBounds {
            window_start: zero,
            window_end: one,
            greatest: zero,
            its_deviation: one,
            closing: one,
            deviation: zero,
        }
    }

    /// Adds an axis, given its gap at the start and at the end, and its curvature bound.
    #[inline(always)]
    pub fn add_axis(self, lanes: L, [start, end]: [L::F; 2], deviation: L::F) -> Self {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let (from, to) = (start - deviation, end - deviation);
        let separated = zero.lt(from) & zero.lt(to);
        // 0 / 0 carries no information: minima and maxima then return their second operand.
        let above = from.max(zero);
        let closing = above - to.min(zero);
        let falls = above / closing;
        let below = to.max(zero);
        let rises = one - below / (below - from.min(zero));
        let later = self.window_start.lt(falls);
        let greater = self.greatest.lt(start);
        SeparationBounds {
            window_start: falls
                .max(self.window_start)
                .select(!separated, lanes.splat(2.0)),
            window_end: rises.min(self.window_end),
            greatest: start.max(self.greatest),
            its_deviation: deviation.select(greater, self.its_deviation),
            closing: closing.select(later, self.closing),
            deviation: deviation.select(later, self.deviation),
        }
    }

    /// Result of the step.
    #[inline(always)]
    pub fn result(self, lanes: L, within_tolerance: L::M, safe_time: L::F) -> StepResult<L> {
        StepResult {
            within_tolerance,
            window_start: self.window_start,
            window_end: self.window_end,
            next_step: next_step(
                lanes,
                self.window_start,
                [self.deviation, self.closing],
                [self.greatest, self.its_deviation],
            ),
            safe_time,
        }
    }
}

/// Time for which shapes beyond the tolerance stay separated: 0.375 of the tolerance over `speed`, the maximum approach
/// speed of their points. They are separated by more than 0.41 of the tolerance.
#[inline(always)]
pub fn safe_time<L: Lanes>(lanes: L, step: Step<L::F>, speed: L::F) -> L::F {
    step.tolerance * lanes.splat(0.375) / speed
}

/// Suggested next step, as a fraction of this step. After progress: twice the time that closes the curvature bound, so
/// that the contact lies in the middle. Otherwise: a step whose curvature bound leaves half of the largest gap.
#[inline(always)]
pub fn next_step<L: Lanes>(
    lanes: L,
    window_start: L::F,
    [deviation, closing]: [L::F; 2],
    [gap, its_deviation]: [L::F; 2],
) -> L::F {
    let goes_on = lanes.splat(0.0).lt(window_start);
    let newton = (deviation + deviation) / closing;
    let shrink = (gap / (its_deviation + its_deviation))
        .max(lanes.splat(0.0))
        .sqrt();
    newton
        .select(goes_on, shrink)
        .max(lanes.splat(1.0 / 64.0))
        .min(lanes.splat(0.75))
}

/// Sweep of two spheres.
#[inline(always)]
pub fn sphere_sweep<L: Lanes>(
    lanes: L,
    a: WideMoving<WideSphere<L::F>, L::F>,
    b: WideMoving<WideSphere<L::F>, L::F>,
    margin: L::F,
) -> impl Deferred<L, Answer = TimeRange<L>> {
    let offset = WideMoving {
        start: SphereOffset {
            center: a.start.center - b.start.center,
            radius_sum: a.start.radius + b.start.radius,
        },
        displacement: a.displacement - b.displacement,
    };
    sweep::sphere_sphere::crossing(lanes, offset, margin)
}

/// Sweep of a sphere as a routine: long, and needed only to bracket the search.
pub struct SphereSweep<T>(PhantomData<T>);

impl<L: Lanes, T: Shape> Routine<L> for SphereSweep<T>
where
    Sphere: Test<Sweeps, T, Load = Separate>,
{
    type Argument = (
        WideMoving<WideSphere<L::F>, L::F>,
        WideMoving<T::Wide<L::F>, L::F>,
        L::F,
    );
    type Output = TimeRange<L>;

    #[inline(always)]
    fn run(lanes: L, (sphere, other, margin): Self::Argument) -> TimeRange<L> {
        <Sphere as Test<Sweeps, T>>::test(lanes, (sphere, other), margin).finish(lanes)
    }
}

/// Moving bounding sphere of a rotating OBB grown by a margin along its axes.
#[inline(always)]
pub fn bounding_sphere<L: Lanes>(
    lanes: L,
    obb: WideTurning<L::F>,
    margin: L::F,
) -> WideMoving<WideSphere<L::F>, L::F> {
    // The radius is off by 4 u, or 2⁻⁷⁴.
    let radius = obb.start.radius + margin * lanes.splat(1.7321);
    let radius = radius + (radius * lanes.units(8.0) + lanes.splat(GAP_FLOOR));
    WideMoving {
        start: WideSphere {
            center: obb.start.center,
            radius,
        },
        displacement: obb.displacement,
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::common::rng;
    use crate::lane::One;
    use crate::shapes::obb::Obb;

    /// Both ends of a step: from near 0 or 1, long or short.
    fn ends(rng: &mut impl rand::Rng) -> [f32; 2] {
        let from = rng.random_range(0.0..1.0f32) * [0.0, 1.0][rng.random_range(0..2)];
        let span = rng.random_range(0.5..1.0) * 2f32.powi(-rng.random_range(0..24));
        [from, (from + span).min(1.0)]
    }

    /// The time after a step, given its bounds; no time is known to be safe.
    fn time_after([from, to]: [f32; 2], bounds: SeparationBounds<One>) -> f64 {
        let found = bounds.result(One, false, 0.0);
        let cursor = AdvanceCursor {
            time: from,
            span: to - from,
        };
        f64::from(cursor.after(One, to, found).0.time)
    }

    /// The exact fraction at which a chord from `start` to `end` is zero.
    fn fraction(start: f32, end: f32, deviation: f32) -> f64 {
        let [start, end, deviation] = [start, end, deviation].map(f64::from);
        (start - deviation) / (start - end)
    }

    #[test]
    fn time_after_a_step_is_never_past_the_exact_root() {
        let mut rng = rng("time after a step");
        let mut nearest = f64::INFINITY;
        for _ in 0..1_000_000 {
            // Drawn in `f64`, so that all bits are random. Late contacts in long steps round most.
            let is_late = rng.random_bool(0.5);
            let [from, to] = if is_late {
                let from = rng.random_range(0.0..0.2f64) as f32;
                let span = rng.random_range(0.5..1.0f64) as f32;
                [from, (from + span).min(1.0)]
            } else {
                ends(&mut rng)
            };
            let start = rng.random_range(if is_late { 0.7 } else { 0.1 }..1.0f64) as f32;
            let part = [0.0, 0.3, 0.99][rng.random_range(0..3)];
            let deviation = if is_late { 0.0 } else { start * part };
            let end = deviation - rng.random_range(0.0..0.35f64) as f32;
            let bounds = SeparationBounds::new(One).add_axis(One, [start, end], deviation);
            let length = f64::from(to) - f64::from(from);
            let root = f64::from(from) + fraction(start, end, deviation) * length;
            let time = time_after([from, to], bounds);
            assert!(time <= root + 1e-15, "{time} after {root}");
            nearest = nearest.min(root - time);
        }
        assert!(nearest < f64::from(crate::lane::U), "{nearest}");
    }

    #[test]
    fn windows_of_one_time_are_not_passed() {
        let mut rng = rng("windows of one time");
        let mut tried = 0;
        for _ in 0..1_000_000 {
            let [from, to] = ends(&mut rng);
            let [start, low, below] = [(); 3].map(|()| rng.random_range(0.01..1.0f32));
            let root = fraction(start, -below, 0.0);
            // A second axis, along which the contact ends hardly after it starts on the first one.
            let high = (f64::from(low) * (1.0 - root) / root) as f32;
            let last = fraction(-low, high, 0.0);
            if last < root + 1e-14 {
                continue;
            }
            tried += 1;
            let bounds = SeparationBounds::new(One)
                .add_axis(One, [start, -below], 0.0)
                .add_axis(One, [-low, high], 0.0);
            let length = f64::from(to) - f64::from(from);
            let most = f64::from(from) + last * length;
            let time = time_after([from, to], bounds);
            assert!(time <= most, "{time} after {most}");
        }
        assert!(tried > 100_000);
    }

    #[test]
    fn bounding_sphere_holds_the_corners_grown_by_the_margin() {
        let mut rng = rng("bounding sphere");
        for _ in 0..100_000 {
            // Squares underflow at the second scale.
            let scale = [1.0, 2f32.powi(-78)][rng.random_range(0..2)];
            let [x, y, z] = [(); 3].map(|()| rng.random_range(0.0..1.0f32) * scale);
            let margin = [0.0, rng.random_range(0.0..1.0f32) * scale][rng.random_range(0..2)];
            let fields = [0.0, 0.0, 0.0, x, y, z, 0.0, 0.0, 0.0, 1.0];
            let obb = WideTurning {
                start: Obb::prepare(One, fields).0,
                displacement: Vec3([0.0; 3]),
                turn: Vec3([0.0; 3]),
            };
            let radius = f64::from(bounding_sphere(One, obb, margin).start.radius);
            let [x, y, z] = [x, y, z].map(f64::from);
            let corner = (x * x + y * y + z * z).sqrt() + 3f64.sqrt() * f64::from(margin);
            assert!(radius >= corner, "{radius} of {corner}");
        }
    }
}
