//! Time of impact of convex hulls that move and turn: conservative advancement of one pair, in `f64`.
//!
//! A step starts at a time t with a search for the distance of both shapes, placed as they are at t. The pair hits if
//! points of both were found within the tolerance. Otherwise the search found a direction d with a gap, and the step
//! goes as far as that gap certainly stays open. The direction may turn too, by a rotation vector ω: for a face of a
//! shape, with the shape. With W the rotation vector of A, x its points relative to its center, p the offset of the
//! centers, v their displacement, and s the time after t,
//!
//! ```text
//! gap(s) = d(s)·p(s) − largest d(s)·x(s) of A − largest −d(s)·y(s) of B
//!
//! d(s)·x(s) is at most  x·(d + s d × (W − ω)) + ½ s² |d| |W − ω| (|W| + |ω|) |x|
//! d(s)·p(s) is at least d·p + s (d·v − d·(ω × p)) − ½ s² |d| |ω| (|ω| |p| + 2 |v|)
//! ```
//!
//! Both are Taylor's formula: the second derivative of d·exp(−sΩ) exp(sW) x is d·exp(−sΩ) (Ω (Ω − W) − (Ω − W) W) exp(sW) x.
//! The largest first-order term over all points of a core is its support along d + s d × (W − ω), which the scan of
//! points finds. So each gap has a lower bound that is a concave function of s: a linear function, less two supports of linear
//! directions, less a square. It is above the radii at 0; where it is above them at s, the shapes do not touch in between.
//! So a step is certified by one evaluation at its end, however that end was found.
//!
//! The end is found by Newton's method: the same bound with one point of each core in place of all is above it, and
//! its root is the next guess. Of the rotations ω of either shape, none, and that of d since the last step, the
//! farthest end counts. Along the normal of a face that turns with it, the bound is right to first order, and the
//! remaining gap falls quadratically. The rotation of d since the last step does the same for two edges.
//!
//! # Error bounds
//!
//! Turns are computed in `f64` as in [`turn`](crate::shapes), with twelve terms of each series: omitted are 10⁻¹⁹.
//! Sums of the series are at most 5 in absolute values and round by 2⁻⁵⁰, axes by 2⁻⁴⁸. That is
//! within the 2⁻⁴⁴ S that `hull` takes from each gap. A bound at s has directions of up to 1 + s (|W| + |ω|) times
//! the length of d, and its error is scaled by as much, twice over. Constants of squares exceed their roundings by 2⁻³².
//! The time after a step is rounded by 2⁻⁵⁴ of a frame, during which nothing moves by more than 2⁻⁵¹ S.
//!
//! **The tolerance** is at least 256 u S, and the certified gap of a search that ends by itself is at most 9 u S below the distance.
//! A search that fails, and a step that does not advance, leave the pair unsettled.
//!
//! Source: B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996. Departure: the steps along a
//! direction are those of its first-order motion, not of the largest speed of all points.

use crate::lane::{Lanes, U};
use crate::math::dvec::{DVec3, f64_max, f64_min};
use crate::math::rotation::matrix_of;
use crate::narrow::convex::body::Body;
use crate::narrow::convex::gjk::{Bounds, Goal, HullPair, NEAR, ROUNDING};
use crate::narrow::convex::surface::Surface;

/// A shape with its motion during the frame.
#[derive(Clone, Copy)]
pub struct Mover<'k> {
    /// The shape at the start.
    pub body: Body<'k>,
    pub displacement: [f32; 3],
    /// Rotation vector.
    pub turn: [f32; 3],
}

/// A shape in motion, with bounds of its speeds.
#[derive(Clone, Copy)]
struct TurningBody<'k> {
    body: Body<'k>,
    turn: DVec3,
    /// |turn|, never too small.
    rate: f64,
    /// Largest distance of a point of the core from the center, never too small.
    radius: f64,
}

/// Result of a search for a time of impact.
#[derive(Clone, Copy, Debug)]
pub struct HullImpact {
    /// Never late; +∞ for a miss.
    pub time: f64,
    pub is_settled: bool,
}

impl HullImpact {
    const MISS: Self = Self::hit(f64::INFINITY);

    const fn hit(time: f64) -> Self {
        HullImpact {
            time,
            is_settled: true,
        }
    }

    const fn unsettled(time: f64) -> Self {
        HullImpact {
            time,
            is_settled: false,
        }
    }
}

/// Maximum number of steps.
const STEPS: usize = 512;
/// Least tolerance, in units of all lengths.
const LEAST_TOLERANCE: f64 = 256.0 * U as f64;
/// Absolute part of the least tolerance: 2⁻⁵⁸.
const TOLERANCE_FLOOR: f64 = 1.0 / (1u64 << 58) as f64;
/// Maximum number of evaluations of a bound.
const GUESSES: usize = 6;
/// Part of a guess that is tried, so that it is not too far by its rounding.
const CAUTION: f64 = 1.0 - 1.0 / 1024.0;
/// Maximum angle of a direction in a frame, if its rotation is that since the last step.
const FASTEST: f64 = 64.0;
/// Excess of constants of squares.
const EXCESS: f64 = 1.0 + 1.0 / (1u64 << 32) as f64;

impl<'k> TurningBody<'k> {
    #[inline(always)]
    fn new<L: Lanes>(lanes: L, mover: &Mover<'k>) -> Self {
        let turn = DVec3::of(mover.turn);
        TurningBody {
            body: mover.body,
            turn,
            rate: turn.length(),
            radius: mover.body.radius_of_core(lanes),
        }
    }

    /// The shape at a time.
    #[inline(always)]
    fn at(&self, time: f64) -> Body<'k> {
        if self.rate == 0.0 {
            return self.body;
        }
        self.body.turned(&rotation(self.turn * time))
    }
}

/// The matrix of a rotation vector of length at most π, in rows.
fn rotation(by: DVec3) -> [DVec3; 3] {
    let x = 0.25 * by.dot(by);
    let DVec3([wx, wy, wz]) = by * (0.5 * series(&SINE, x));
    matrix_of([wx, wy, wz, series(&COSINE, x)])
}

/// Coefficients of cos √x, last first.
const COSINE: [f64; 12] = inverse_factorials(0);
/// Coefficients of sin √x / √x, last first.
const SINE: [f64; 12] = inverse_factorials(1);

/// ±1 / (2 k + first)!, for k from 11 to 0.
const fn inverse_factorials(first: usize) -> [f64; 12] {
    let (mut all, mut factorial, mut sign, mut k) = ([0.0; 12], 1.0, 1.0, 0);
    while k < 12 {
        all[11 - k] = sign / factorial;
        let next = 2 * k + first + 1;
        factorial *= (next * (next + 1)) as f64;
        sign = -sign;
        k += 1;
    }
    all
}

fn series(coefficients: &[f64; 12], x: f64) -> f64 {
    let mut sum = 0.0;
    for c in coefficients {
        sum = sum * x + c;
    }
    sum
}

/// A gap along a direction, as a lower bound that is a concave function of the time after a step's start, in units of the direction.
#[derive(Clone, Copy)]
struct GapBound {
    direction: DVec3,
    /// Derivatives of the directions of both supports.
    turns: [DVec3; 2],
    /// Gap of the centers, without the radii, and its derivative.
    gap: f64,
    rate: f64,
    /// Factor of the square.
    square: f64,
    /// Rounding error at the start, and its derivative.
    error: f64,
    error_rate: f64,
}

impl GapBound {
    /// The bound for a point of each core in place of all: where it is zero. `slack` is an error to be taken from it.
    fn root(&self, [x, y]: [DVec3; 2], slack: f64) -> f64 {
        let gap = self.gap - x.dot(self.direction) + y.dot(self.direction) - self.error - slack;
        let rate = self.rate - x.dot(self.turns[0]) + y.dot(self.turns[1]) - self.error_rate;
        if gap > 0.0 {
            let below = root_of(rate * rate + 4.0 * self.square * gap);
            // Without cancellation.
            if rate < 0.0 {
                2.0 * gap / (below - rate)
            } else {
                0.5 * (rate + below) / self.square
            }
        } else {
            0.0
        }
    }

    /// The farthest certified time up to `end`, if it is after `least`.
    #[inline(always)]
    fn clear_until<L: Lanes>(
        &self,
        lanes: L,
        [a, b]: [&Body<'_>; 2],
        (first, least, end): (f64, f64, f64),
    ) -> f64 {
        let mut time = f64_min(first * CAUTION, end);
        let mut guess = 0;
        while guess < GUESSES && time > least {
            let d = self.direction + self.turns[0] * time;
            let e = -(self.direction + self.turns[1] * time);
            let (x, y) = (a.reach(lanes, d), b.reach(lanes, e));
            let reach = x.most + y.most;
            let bound = self.gap + time * self.rate - reach - time * time * self.square;
            if bound - (self.error + time * self.error_rate) >= 0.0 {
                return time;
            }
            let slack = reach - x.point.dot(d) - y.point.dot(e);
            let root = self.root([x.point, y.point], slack);
            time = f64_min(root, time) * CAUTION;
            guess += 1;
        }
        0.0
    }
}

/// The time up to which two shapes do not touch, within a margin; the time of their impact within a tolerance. The shapes do not
/// touch before `from`.
#[inline(always)]
pub fn of_bodies<L: Lanes>(
    lanes: L,
    movers: [Mover<'_>; 2],
    margin: f32,
    tolerance: f32,
    from: f32,
) -> HullImpact {
    let shapes = [
        TurningBody::new(lanes, &movers[0]),
        TurningBody::new(lanes, &movers[1]),
    ];
    let v = DVec3::of(movers[1].displacement) - DVec3::of(movers[0].displacement);
    let mut pair = HullPair::new(lanes, shapes[0].body, shapes[1].body, margin);
    pair.travel = v.norm1();
    let (start, within) = (pair.offset(), pair.within);
    let size = start.norm1() + pair.travel + within + pair.a.length() + pair.b.length();
    let least = LEAST_TOLERANCE * size + TOLERANCE_FLOOR;
    let near = NEAR * pair.size();
    let tolerance = within + f64_max(f64::from(tolerance), least);
    let course = Course {
        shapes,
        v,
        speed: v.length(),
        end: (start + v).length(),
    };
    let mut time = f64::from(from);
    let mut last: Option<(DVec3, f64)> = None;
    let mut step = 0;
    while step < STEPS {
        let at = start + v * time;
        (pair.a, pair.b) = (shapes[0].at(time), shapes[1].at(time));
        let first = match last {
            Some((direction, _)) => direction,
            None => pair.first_direction(at),
        };
        let found = pair.search(at, first, Goal::Step { near });
        if found.distance <= tolerance {
            return HullImpact::hit(time);
        }
        let is_open = found.gap > within;
        if !is_open {
            return HullImpact::unsettled(time);
        }
        let (d, unit) = (found.direction, found.length);
        let left = 1.0 - time;
        let view = View::of(&pair, at, &found, course.end);
        // No point of a core is faster.
        let speed = course.speed + shapes[0].rate * shapes[0].radius;
        let speed = (speed + shapes[1].rate * shapes[1].radius) * EXCESS;
        let mut farthest = (found.gap - within) / speed;
        let along = d * (1.0 / unit);
        let of_direction = match last {
            Some((before, since)) => before.cross(along) * (1.0 / (time - since)),
            None => DVec3::ZERO,
        };
        let is_slow = of_direction.dot(of_direction) <= FASTEST * FASTEST;
        let of_direction = if is_slow { of_direction } else { DVec3::ZERO };
        let mut turns = [shapes[0].turn, shapes[1].turn, DVec3::ZERO, of_direction];
        // Each once.
        let mut count = 0;
        let mut k = 0;
        while k < turns.len() {
            if !turns[..count].contains(&turns[k]) {
                turns[count] = turns[k];
                count += 1;
            }
            k += 1;
        }
        let mut bounds = [(0.0, course.bound(&view, turns[0])); 4];
        k = 0;
        while k < count {
            let bound = course.bound(&view, turns[k]);
            bounds[k] = (
                bound.root(view.points, pair.a.slack() + pair.b.slack()),
                bound,
            );
            k += 1;
        }
        // The most promising one first.
        let mut tried = 0;
        while tried < count && farthest < left {
            let mut best = tried;
            k = tried + 1;
            while k < count {
                if bounds[k].0 > bounds[best].0 {
                    best = k;
                }
                k += 1;
            }
            bounds.swap(tried, best);
            let (first, bound) = bounds[tried];
            let until = bound.clear_until(lanes, [&pair.a, &pair.b], (first, farthest, left));
            farthest = f64_max(until, farthest);
            tried += 1;
        }
        if farthest >= left {
            return HullImpact::MISS;
        }
        let next = time + farthest * (1.0 - ROUNDING);
        let advances = next > time;
        if !advances {
            return HullImpact::unsettled(time);
        }
        last = Some((along, time));
        time = next;
        step += 1;
    }
    HullImpact::unsettled(time)
}

/// The motion of a pair.
struct Course<'k> {
    shapes: [TurningBody<'k>; 2],
    /// Relative displacement, and its length, never too small.
    v: DVec3,
    speed: f64,
    /// Distance of the centers at the end, never too small.
    end: f64,
}

/// A pair at the start of a step, and a direction with a gap.
struct View {
    offset: DVec3,
    direction: DVec3,
    /// Length of the direction, never too small.
    unit: f64,
    /// Points of both cores, each relative to its center.
    points: [DVec3; 2],
    /// Radii and margin, in units of the direction.
    within: f64,
    error: f64,
    /// Largest distance of the centers from now on, never too small.
    distance: f64,
}

impl View {
    /// Pair whose centers are `offset` apart, and `end` at the end of the frame, with the direction that a search found.
    #[inline(always)]
    fn of<L: Lanes>(pair: &HullPair<'_, L>, offset: DVec3, found: &Bounds, end: f64) -> Self {
        let ([x, y], unit) = (found.points, found.length);
        View {
            offset,
            direction: found.direction,
            unit,
            points: [x, y - offset],
            within: pair.within * unit,
            error: pair.size() * ROUNDING,
            distance: f64_max(offset.length(), end),
        }
    }
}

impl Course<'_> {
    /// The bound of the gap along the direction, while that turns.
    #[inline(always)]
    fn bound(&self, view: &View, turn: DVec3) -> GapBound {
        let d = view.direction;
        let rate = turn.length();
        let [a, b] = &self.shapes;
        let (of_a, of_b) = (a.turn - turn, b.turn - turn);
        let square = rate * (rate * view.distance + 2.0 * self.speed)
            + of_a.length() * (a.rate + rate) * a.radius
            + of_b.length() * (b.rate + rate) * b.radius;
        GapBound {
            direction: d,
            turns: [d.cross(of_a), d.cross(of_b)],
            gap: d.dot(view.offset) - view.within,
            rate: d.dot(self.v) - d.dot(turn.cross(view.offset)),
            square: 0.5 * square * view.unit * EXCESS,
            error: 2.0 * view.error,
            error_rate: 2.0 * view.error * (a.rate + b.rate + 2.0 * rate),
        }
    }
}

/// The time of impact of a shape with a surface in motion, given its displacement, as of two bodies.
#[inline(always)]
pub fn of_surface<L: Lanes>(
    lanes: L,
    mover: Mover<'_>,
    (surface, displacement): (Surface, [f32; 3]),
    margin: f32,
    tolerance: f32,
    from: f32,
) -> HullImpact {
    let Some((n, scale)) = DVec3::of(surface.normal).scaled() else {
        return HullImpact::unsettled(f64::from(from));
    };
    let shape = TurningBody::new(lanes, &mover);
    let nothing = Body::sphere([0.0; 3], 0.0);
    let (unit, d) = (n.scaled_length(), f64::from(surface.d) / scale);
    let v = DVec3::of(displacement) - DVec3::of(mover.displacement);
    let center = shape.body.center;
    let within = (mover.body.radius + f64::from(margin)) * unit;
    let terms = |v: DVec3| DVec3([n[0] * v[0], n[1] * v[1], n[2] * v[2]]).norm1();
    let size = terms(center) + d.abs() + terms(v) + shape.body.length() * unit + within;
    let tolerance = f64_max(
        f64::from(tolerance) * unit,
        LEAST_TOLERANCE * size + TOLERANCE_FLOOR,
    );
    let all = center.norm1() + d.abs() + v.norm1() + 2.0 * shape.body.size + within;
    let error = all * ROUNDING;
    let (height, climb) = (n.dot(center) + d, n.dot(v));
    let square = 0.5 * shape.rate * shape.rate * shape.radius * unit * EXCESS;
    let speed = (climb.abs() + shape.rate * shape.radius * unit) * EXCESS;
    let mut time = f64::from(from);
    let mut step = 0;
    while step < STEPS {
        let body = shape.at(time);
        // From the shape to the surface, on the side with the greater gap.
        let height = height - climb * time;
        let (mut direction, mut gap) = (-n, height);
        let mut reach = body.reach(lanes, direction);
        if !surface.is_solid {
            let other = body.reach(lanes, n);
            if -height - other.most > gap - reach.most {
                (direction, gap, reach) = (n, -height, other);
            }
        }
        let distance = gap - reach.point.dot(direction) + error;
        if distance <= within + tolerance {
            return HullImpact::hit(time);
        }
        let open = gap - reach.most - error - within;
        let is_open = open > 0.0;
        if !is_open {
            return HullImpact::unsettled(time);
        }
        let left = 1.0 - time;
        let bound = GapBound {
            direction,
            turns: [direction.cross(shape.turn), DVec3::ZERO],
            gap: gap - within,
            rate: direction.dot(v),
            square,
            error: 2.0 * error,
            error_rate: 2.0 * error * shape.rate,
        };
        let points = [reach.point, DVec3::ZERO];
        let first = bound.root(points, shape.body.slack());
        let mut farthest = open / speed;
        if farthest < left {
            let bodies = [&body, &nothing];
            let until = bound.clear_until(lanes, bodies, (first, farthest, left));
            farthest = f64_max(until, farthest);
        }
        if farthest >= left {
            return HullImpact::MISS;
        }
        let next = time + farthest * (1.0 - ROUNDING);
        let advances = next > time;
        if !advances {
            return HullImpact::unsettled(time);
        }
        time = next;
        step += 1;
    }
    HullImpact::unsettled(time)
}

/// About the square root: only guesses depend on it.
fn root_of(square: f64) -> f64 {
    let is_usual = f64::MIN_POSITIVE < square && square < f64::INFINITY;
    if !is_usual {
        return 0.0;
    }
    // Halves the exponent: within 7 %, which three steps of Heron's method square to 10⁻¹¹.
    let mut root = f64::from_bits((square.to_bits() >> 1) + (1023 << 51));
    let mut step = 0;
    while step < 3 {
        root = 0.5 * (root + square / root);
        step += 1;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::rng;
    use crate::dyadic::{Dyadic, dot};
    use crate::hull_bounds::{PointByBox, vector};
    use crate::lane::One;
    use crate::math::dvec::WORLD;

    /// A point that moves past a box: the gap along a fixed direction, at the root of its bound.
    #[test]
    fn gap_is_open_until_the_certified_time() {
        let mut rng = rng("certified time");
        let mut certified = 0;
        for _ in 0..20_000 {
            let it = PointByBox::random(&mut rng, 1e-3);
            let v = DVec3::of(vector(&mut rng, 1e-2));
            let [a, b] = it.bodies();
            let mut pair = HullPair::new(One, a, b, 0.0);
            pair.travel = v.norm1();
            let offset = pair.offset();
            let found = pair.search(
                offset,
                pair.first_direction(offset),
                Goal::Step { near: 0.0 },
            );
            if found.gap <= 0.0 {
                continue;
            }
            let still = |body| Mover {
                body,
                displacement: [0.0; 3],
                turn: [0.0; 3],
            };
            let course = Course {
                shapes: [a, b].map(|body| TurningBody::new(One, &still(body))),
                v,
                speed: v.length(),
                end: (offset + v).length(),
            };
            let view = View::of(&pair, offset, &found, course.end);
            let bound = course.bound(&view, DVec3::ZERO);
            let root = -(bound.gap
                - a.reach(One, bound.direction).most
                - b.reach(One, -bound.direction).most)
                / bound.rate;
            let guess = root / CAUTION;
            let time = bound.clear_until(One, [&a, &b], (guess, 0.0, 1.0));
            let (gap, square) = it.gap(found.direction);
            let way = dot(&Dyadic::vec(found.direction.0), &Dyadic::vec(v.0));
            let more = &(&way * &square) * &Dyadic::of(time);
            assert!(!(&gap + &more).is_negative(), "{time} of {root}: {v:?}");
            certified += usize::from(time > 0.0);
        }
        assert!(certified > 2000, "{certified}");
    }

    #[test]
    fn rotation_is_exact_up_to_a_few_roundings() {
        let mut worst = 0.0f64;
        for k in 0..2000 {
            // Quasi-random directions, angles up to π.
            let v = DVec3([0.618_034, 0.754_878, 0.569_840].map(|step: f64| {
                let x = step * f64::from(k);
                2.0 * (x - x.floor()) - 1.0
            }));
            let angle = core::f64::consts::PI * f64::from(k) / 2000.0;
            let axis = v * (1.0 / v.dot(v).sqrt());
            let rows = rotation(axis * angle);
            for i in 0..3 {
                let unit = WORLD[i];
                let along = axis * axis[i];
                let across = (unit - along) * angle.cos() + axis.cross(unit) * angle.sin();
                let expected = along + across;
                for j in 0..3 {
                    worst = f64_max(worst, (rows[j][i] - expected[j]).abs());
                }
            }
        }
        assert!(worst < 1.0 / (1u64 << 48) as f64, "{worst}");
    }

    #[test]
    fn root_is_a_root() {
        for x in [1e-80, 0.3, 1.0, 2.0, 5.0, 1e9, 1e75] {
            assert!((root_of(x * x) / x - 1.0).abs() < 1e-10, "{x}");
        }
        assert_eq!(root_of(-1.0) + root_of(0.0) + root_of(f64::NAN), 0.0);
    }
}
