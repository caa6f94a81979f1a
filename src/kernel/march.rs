//! Steps through the frame towards the first contact of shapes that turn.
//!
//! A step looks at a part of the frame, from s to e, and says how far no contact lies in it. Take an axis that moves
//! with the shapes: a face normal turns with its box, the normal of two edges with both. Along it the shapes have a
//! gap, how far apart they are less how far both reach. At s and e the gap is known. Between them it is at least on
//! the straight line from the one to the other, less a rest, since no term of it bends by more than
//! (e − s)² / 8 times the greatest second derivative:
//!
//! ```text
//!  gap ┤●
//!      │ ╲ ╲   the gap
//!      │   ╲ ╲
//!      │ rest ╲ ╲
//!    0 ┼────────●──●──────────  time
//!      s      none before      e
//! ```
//!
//! What is apart along an axis does not touch. So there is none before the latest time, over all axes, at which the
//! line less the rest falls to zero, none after the earliest at which it rises, and none at all if an axis is above
//! zero at both ends. Which axes are looked at is a matter of speed, never of truth.
//!
//! A march goes from the start of the frame in such steps. It ends where all is passed, or where the shapes are
//! within the tolerance: that is tested at the beginning of each step, by the axes, or the distance, of shapes at
//! rest. If they are not, they are apart by more than so many u, and no point of one comes nearer to the other than
//! by the speed of both; so each step goes on, and the march ends.
//!
//! # Source
//!
//! M. Gomez, "Simple Intersection Tests for Games", Gamasutra, 18 October 1999, looks for boxes that turn by halving
//! the frame. B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, goes on by the distance over
//! the speed, conservatively; steps near contact are then as short as what is left. E. Catto's time of impact, 2013, takes
//! the separation along an axis between two times, as here, but samples it for a root, which may be missed.
//!
//! # Error bound
//!
//! u is 2⁻²⁴, and S the sum of all lengths of the pair: the offset of the centers at the start and the relative
//! displacement in absolute coordinates, half extents, half axes, radii, the margin. The
//! axes of a turned box are within η = 44 u ([`TURNED_AXIS_ERROR`](crate::shapes::TURNED_AXIS_ERROR)). At an end of a
//! step the offset is off by 3 u S; along an axis of a box by η + 3 u more; the entries of a relative rotation are off
//! by 2 η + 3 u, sums of products round by 4 u. Along a face the gap of two boxes is off by (η + 6 u) + (2 η + 7 u)
//! at most, along the normal of two edges, which is one of two vectors that err, by (3 η + 14 u) of the offset and
//! 2 η + 7 u of the rest: less than 150 u S in all. That much is taken off each gap, with 2⁻⁶⁰: [`taken_off`].
//!
//! Rests are made 1.001 times as great, which is more than their roundings: distances in them are off by 3 u S, which
//! matters, at up to 5 times that, only where they are so short that 3 η of them are nothing.
//!
//! A fraction of a step is off by 4 u. One that ends a march is compared with 16 u to spare, one that moves it on is
//! cut by 8 u of itself, and 2 u of the frame for the roundings of times.
//!
//! **The tolerance** is at least 256 u S + 2⁻⁵⁸. Whether a pair is nearer than it, is said with an error of less than
//! 150 u S. So one that is not, is apart by 0.41 of it, and by 0.375 of it over the speed of both no point has
//! reached the other shape. As the speed is at most (1 + 2 π) S a frame, that is 13 u of the frame, and more than times
//! are rounded by: each march ends. One that is nearer has a gap of at most the tolerance, √3 times along face
//! normals of B as a box grows along its axes, and 190 u S, as shown in the files.
//!
//! Lengths that are so short that squares vanish, below 2⁻⁶³, are nearer than the tolerance.

use core::marker::PhantomData;

use super::load::Separate;
use super::{Deferred, SweptContact, Test, sphere_sphere_sweep};
use crate::hits::Sweeps;
use crate::impacts::Impacts;
use crate::kernel::rounding::U;
use crate::lane::{Float, Lanes, Routine, Vec3};
use crate::shapes::{
    Form, MovingLanes, Shape, Sphere, SphereLanes, SphereOffset, TURNED_AXIS_ERROR, TurningLanes,
};

/// Two shapes, a part of the frame, and how near counts.
#[derive(Clone, Copy)]
pub struct Step<F> {
    pub from: F,
    pub to: F,
    pub margin: F,
    /// How near the shapes must be to end a march: at least [`LEAST_TOLERANCE`] of all lengths.
    pub tolerance: F,
    /// The sum of all lengths of the pair.
    pub size: F,
}

/// What a step has found.
#[derive(Clone, Copy)]
pub struct Found<L: Lanes> {
    /// The shapes are within the tolerance where the step begins.
    pub near: L::M,
    /// The part of the step outside of which they do not touch, as fractions of it: none, if the first is after the
    /// last.
    pub first: L::F,
    pub last: L::F,
    /// How long the next step had better be, if they may touch in this one: a fraction of it.
    pub next: L::F,
    /// For how long, in frames, shapes that are not near do not touch for certain.
    pub apart: L::F,
}

/// Shapes that march towards shapes `B`.
pub trait March<B: Shape>: Test<Impacts, B> {
    /// The sum of all lengths of a pair.
    fn size<L: Lanes>(lanes: L, a: MotionOf<Self, L>, b: MotionOf<B, L>, margin: L::F) -> L::F;
    /// Looks at a part of the frame.
    fn step<L: Lanes>(
        lanes: L,
        a: MotionOf<Self, L>,
        b: MotionOf<B, L>,
        step: Step<L::F>,
    ) -> Found<L>;
}

/// What is given of a shape with all its motion.
pub type MotionOf<T, L> = <<T as Shape>::InMotion as Form>::Lanes<<L as Lanes>::F>;

/// Where a pair is on its march.
#[derive(Clone, Copy)]
pub struct Place<F> {
    /// Before which it does not touch.
    pub time: F,
    /// How long its next step is.
    pub span: F,
}

/// A step of a march, compiled once.
pub struct Stepping<A, B>(PhantomData<(A, B)>);

impl<L: Lanes, A: March<B>, B: Shape> Routine<L> for Stepping<A, B> {
    /// The shapes, where they are, the margin, and the tolerance that was asked for.
    type Argument = (MotionOf<A, L>, MotionOf<B, L>, Place<L::F>, [L::F; 2]);
    /// Where they are next, and whether that is the end: where they touch, or a miss at +∞.
    type Output = (Place<L::F>, L::M);

    #[inline(always)]
    fn run(
        lanes: L,
        (a, b, Place { time: from, span }, [margin, tolerance]): Self::Argument,
    ) -> (Place<L::F>, L::M) {
        let (one, u) = (lanes.splat(1.0), lanes.splat(U));
        let to = (from + span).min(one);
        let size = A::size(lanes, a, b, margin);
        let least = size * lanes.splat(LEAST_TOLERANCE) + lanes.splat(LEAST_FLOOR);
        let step = Step {
            from,
            to,
            margin,
            tolerance: tolerance.max(least),
            size,
        };
        let Found {
            near,
            first,
            last,
            next,
            apart,
        } = A::step(lanes, a, b, step);

        let length = to - from;
        let clear = (last + lanes.splat(16.0) * u).lt(first);
        let cut = lanes.splat(2.0) * u;
        let since = from + first * length * lanes.splat(1.0 - 8.0 * U) - cut;
        let since = since.max(from + apart - cut).max(from);
        let passed = clear | to.lt(since);
        let time = to.select(passed, since);
        // What is passed at the end of the frame is a miss, where it is not within the tolerance.
        let over = !near & passed & one.le(time);
        let time = from.select(near, lanes.splat(f32::INFINITY).select(over, time));
        let next = (length * next)
            .min((last - first) * length)
            .max(lanes.splat(8.0) * u);
        let span = (length + length).select(passed, next);
        (Place { time, span }, near | over)
    }
}

/// The least tolerance, relative to all lengths: 256 u.
const LEAST_TOLERANCE: f32 = 256.0 * U;
/// Taken off a gap, relative to all lengths.
const ERROR: f32 = (3.0 * TURNED_AXIS_ERROR + 18.0) * U;
/// 2⁻⁶⁰ and 2⁻⁵⁸: what is taken off besides, and what the least tolerance has besides.
const FLOOR: f32 = 1.0 / (1u64 << 60) as f32;
const LEAST_FLOOR: f32 = 1.0 / (1u64 << 58) as f32;

/// What roundings take off a gap.
#[inline(always)]
pub fn taken_off<L: Lanes>(lanes: L, size: L::F) -> L::F {
    size * lanes.splat(ERROR) + lanes.splat(FLOOR)
}

/// The length of a vector, if its square is in range.
#[inline(always)]
pub fn length<F: Float>(v: Vec3<F>) -> F {
    v.dot(v).sqrt()
}

/// A gap at the end of a step, on the side on which it is at the start.
#[inline(always)]
pub fn directed<L: Lanes>(lanes: L, start: L::F, end: L::F) -> L::F {
    end.select(lanes.splat(0.0).le(start), -end)
}

/// What a second derivative of 1 bends in a step: an eighth of the square of its length, and a little.
#[inline(always)]
pub fn bend<L: Lanes>(lanes: L, step: Step<L::F>) -> L::F {
    let span = step.to - step.from;
    span * span * lanes.splat(0.125 * 1.001)
}

/// How the offset of two centers changes in a step.
#[derive(Clone, Copy)]
pub struct Pace<F> {
    /// See [`bend`].
    pub bend: F,
    /// The speed of the centers.
    pub speed: F,
    /// Their greatest distance in the step.
    pub distance: F,
}

impl<F: Float> Pace<F> {
    /// The pace of centers that are at offsets at both ends of a step.
    #[inline(always)]
    pub fn new<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        step: Step<F>,
        offsets: [Vec3<F>; 2],
        v: Vec3<F>,
    ) -> Self {
        let [start, end] = offsets;
        Pace {
            bend: bend(lanes, step),
            speed: length(v),
            distance: length(start).max(length(end)),
        }
    }

    /// How far the offset bends away from a straight line along an axis that turns by `turn` in a frame.
    #[inline(always)]
    pub fn of_offset(self, turn: F) -> F {
        self.bend * (turn * (turn * self.distance + (self.speed + self.speed)))
    }
}

/// What is known of a step after some axes.
#[derive(Clone, Copy)]
pub struct Gaps<L: Lanes> {
    first: L::F,
    last: L::F,
    /// The greatest gap at the start, no rest taken off, and that rest.
    greatest: L::F,
    its_rest: L::F,
    /// How much the gap shrinks on the axis of `first`, and its rest.
    closing: L::F,
    rest: L::F,
}

impl<L: Lanes> Gaps<L> {
    /// No axis so far.
    #[inline(always)]
    pub fn new(lanes: L) -> Self {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        Gaps {
            first: zero,
            last: one,
            greatest: zero,
            its_rest: one,
            closing: one,
            rest: zero,
        }
    }

    /// An axis with gaps at the start and at the end, and the rest in between.
    #[inline(always)]
    pub fn and(self, lanes: L, [start, end]: [L::F; 2], rest: L::F) -> Self {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let (from, to) = (start - rest, end - rest);
        let apart = zero.lt(from) & zero.lt(to);
        // 0 / 0 where nothing is known: minima and maxima then take their second operand.
        let above = from.max(zero);
        let closing = above - to.min(zero);
        let falls = above / closing;
        let below = to.max(zero);
        let rises = one - below / (below - from.min(zero));
        let later = self.first.lt(falls);
        let greater = self.greatest.lt(start);
        Gaps {
            first: falls.max(self.first).select(!apart, lanes.splat(2.0)),
            last: rises.min(self.last),
            greatest: start.max(self.greatest),
            its_rest: rest.select(greater, self.its_rest),
            closing: closing.select(later, self.closing),
            rest: rest.select(later, self.rest),
        }
    }

    /// What the step has found.
    #[inline(always)]
    pub fn found(self, lanes: L, near: L::M, apart: L::F) -> Found<L> {
        Found {
            near,
            first: self.first,
            last: self.last,
            next: next(
                lanes,
                self.first,
                [self.rest, self.closing],
                [self.greatest, self.its_rest],
            ),
            apart,
        }
    }
}

/// For how long shapes that are not within the tolerance stay apart, given how fast a point of one comes nearer to the
/// other at most: they are further apart than 0.41 of it.
#[inline(always)]
pub fn apart<L: Lanes>(lanes: L, step: Step<L::F>, speed: L::F) -> L::F {
    step.tolerance * lanes.splat(0.375) / speed
}

/// How long the next step had better be. If this one went on, twice as long as it takes to close the rest, so that the
/// contact lies in the middle; if not, so long that half of the greatest gap is left after the rest.
#[inline(always)]
pub fn next<L: Lanes>(
    lanes: L,
    first: L::F,
    [rest, closing]: [L::F; 2],
    [gap, its_rest]: [L::F; 2],
) -> L::F {
    let goes_on = lanes.splat(0.0).lt(first);
    let newton = (rest + rest) / closing;
    let shrink = (gap / (its_rest + its_rest)).max(lanes.splat(0.0)).sqrt();
    newton
        .select(goes_on, shrink)
        .max(lanes.splat(1.0 / 64.0))
        .min(lanes.splat(0.75))
}

/// The sweep of two balls.
#[inline(always)]
pub fn balls_meet<L: Lanes>(
    lanes: L,
    a: MovingLanes<SphereLanes<L::F>, L::F>,
    b: MovingLanes<SphereLanes<L::F>, L::F>,
    margin: L::F,
) -> impl Deferred<L, Answer = SweptContact<L>> {
    let offset = MovingLanes {
        start: SphereOffset {
            center: a.start.center - b.start.center,
            reach: a.start.radius + b.start.radius,
        },
        displacement: a.displacement - b.displacement,
    };
    sphere_sphere_sweep::crossing(lanes, offset, margin)
}

/// The sweep of a ball, compiled once: it is long, and asked only when to look.
pub struct BallMeets<T>(PhantomData<T>);

impl<L: Lanes, T: Shape> Routine<L> for BallMeets<T>
where
    Sphere: Test<Sweeps, T, Load = Separate>,
{
    type Argument = (
        MovingLanes<SphereLanes<L::F>, L::F>,
        MovingLanes<T::Lanes<L::F>, L::F>,
        L::F,
    );
    type Output = SweptContact<L>;

    #[inline(always)]
    fn run(lanes: L, (ball, other, margin): Self::Argument) -> SweptContact<L> {
        <Sphere as Test<Sweeps, T>>::test(lanes, (ball, other), margin).finish(lanes)
    }
}

/// A moving ball around a box that turns, grown by a margin along its axes.
#[inline(always)]
pub fn around<L: Lanes>(
    lanes: L,
    obb: TurningLanes<L::F>,
    margin: L::F,
) -> MovingLanes<SphereLanes<L::F>, L::F> {
    // The radius is off by 4 u, or 2⁻⁷⁴.
    let radius = obb.start.radius + margin * lanes.splat(1.7321);
    let radius = radius + (radius * lanes.splat(8.0 * U) + lanes.splat(FLOOR));
    MovingLanes {
        start: SphereLanes {
            center: obb.start.center,
            radius,
        },
        displacement: obb.displacement,
    }
}
