//! Convex hulls against bounded shapes: overlap, sweep and distance of one pair, in `f64`.
//!
//! The box around a hull is tested first, by the kernel of boxes. The pairs that it leaves come here, one at a time, with
//! lanes across the points of a hull.
//!
//! Every verdict is a certificate, and no verdict depends on how well the search works. For a direction d from A to B,
//!
//! ```text
//! gap(d) = Δ·d − h_A(d) − h_B(−d),    h(d) = largest p·d of the points p of a core
//! ```
//!
//! is at most |d| times the distance of the cores. So shapes are apart if the gap of any direction exceeds the radii, and the distance is at
//! least any gap less the radii. Two points found in the cores bound the distance from above. The search is that of
//! [`simplex`](crate::narrow::geometry::simplex): its directions only decide how close both bounds come.
//!
//! # Error bounds
//!
//! - **Points of a hull.** The direction is turned into the hull's frame in `f64`, with its largest coordinate scaled to 1, and
//!   rounded to `f32`: u of each coordinate. Products and both sums round by 3 u of Σ hₖ|dₖ| at most, h being the half extents. The largest value found is
//!   therefore at most 4.1 u Σ hₖ|dₖ| below h(d), which is added to it. The point itself is exact, and is turned in `f64`.
//! - **Discs.** The support of a cylinder or a cone is computed in `f64` alone, with a root that is never too small and exceeds the exact one by less than 2⁻⁴⁸; its
//!   point is inside its disc by as much. Both count with all else.
//! - **All else** is computed in `f64`: fewer than 100 operations, each within 2⁻⁵³ of S, the sum of ‖Δ‖₁, the sizes of both cores and the
//!   radii. 2⁻⁴⁴ S is taken from each gap and added to each distance.
//! - **Underflow.** Coordinates below 2⁻¹²⁶ lose 2⁻¹⁴⁹ in a product: less than 2⁻¹⁴⁰ in all, which is taken from each gap too.
//!
//! So a pair reported as a hit is at most 8.3 u S apart where the search ended by itself: the search ends when no corner of the difference is
//! farther along a direction than its nearest point, by 10⁻¹³ of the distance. A search that reaches its limit of steps reports a hit.
//!
//! A cylinder has no corners, so its search ends by its bounds: when both differ by 4 u S, so shapes that touch are at most that far apart. A step in time ends within 64 u S. In sweeps, the batch leaves pairs that are at most 84 u S apart, and the last gap of `f64` is closed
//! if they move on by at most 64 u S meanwhile: so they are at most 150 u S apart at their times.
//!
//! # Sweeps
//!
//! Along a direction d, the gap of shapes in motion is linear in time: gap(d) + t v·d. If it exceeds the radii at t and grows, the shapes
//! do not touch after t; otherwise they do not touch before it has fallen to the radii. From there the search begins again. So the time reached is never late, whatever
//! the directions are. The end of the contact is found alike, from the end of the frame backwards.
//!
//! Source: G. van den Bergen, "Ray casting against general convex objects with application to continuous collision
//! detection", 2004. Departure: each step is certified.

use crate::lane::{Lanes, U};
use crate::math::dvec::{DVec3, WORLD, f64_max, f64_min};
use crate::narrow::convex::batch::{BatchResult, Verdict};
use crate::narrow::convex::body::Body;
use crate::narrow::geometry::simplex::{Corner, STEPS, Simplex, nearest};

/// Purpose of a search, which decides when it ends.
#[derive(Clone, Copy)]
pub enum Goal {
    /// A certificate that the shapes are apart, or a point of both.
    Verdict,
    /// A direction with most of the gap. Shapes without corners touch if they are this near.
    Step { near: f64 },
    /// The nearest points.
    Distance,
}

/// Result of a search: both bounds of the distance of the cores, a direction and two points.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// Largest gap found, per unit of length; negative if there is none.
    pub gap: f64,
    /// Direction of that gap, its largest coordinate 1, and its length, never too small.
    pub direction: DVec3,
    pub length: f64,
    /// Distance of the points, never too small.
    pub distance: f64,
    /// A point of each core, relative to the center of A.
    pub points: [DVec3; 2],
}

/// Two shapes, and the sum of their radii and the margin.
#[derive(Clone, Copy)]
pub struct HullPair<'k, L: Lanes> {
    pub lanes: L,
    pub a: Body<'k>,
    pub b: Body<'k>,
    /// Sum of the radii and the margin.
    pub within: f64,
    /// ‖v‖₁ of the motion.
    pub travel: f64,
}

impl<'k, L: Lanes> HullPair<'k, L> {
    #[inline(always)]
    pub fn new(lanes: L, a: Body<'k>, b: Body<'k>, margin: f32) -> Self {
        HullPair {
            lanes,
            a,
            b,
            within: a.radius + b.radius + f64::from(margin),
            travel: 0.0,
        }
    }

    /// From the center of A to that of B.
    pub fn offset(&self) -> DVec3 {
        self.b.center - self.a.center
    }

    /// S.
    pub fn size(&self) -> f64 {
        self.offset().norm1() + self.travel + self.a.size + self.b.size + self.within
    }

    /// S of a time: no more than 16 sizes of the smaller shape, if it has a size. So long ways and large grounds leave times as exact.
    fn size_in_time(&self) -> f64 {
        let [a, b] = [&self.a, &self.b].map(|body| body.size + body.radius);
        let (small, large) = (f64_min(a, b), f64_max(a, b));
        let small = if small > 0.0 { small } else { large };
        let size = self.size();
        f64_min(16.0 * small, size)
    }

    /// Tolerance of a time, given its part of S.
    fn tolerance(&self, part: f64) -> f64 {
        part * self.size_in_time() + self.size() * MARGIN
    }

    /// Whether one is a cylinder or a cone.
    #[inline(always)]
    pub fn is_round(&self) -> bool {
        self.a.is_round() || self.b.is_round()
    }

    /// The direction in which a search begins: between the boxes around the cores, or between the centers.
    pub fn first_direction(&self, offset: DVec3) -> DVec3 {
        let between = DVec3([0, 1, 2].map(|axis| {
            let ((low_a, high_a), (low_b, high_b)) =
                (self.a.spans.interval(axis), self.b.spans.interval(axis));
            let (above, below) = (offset[axis] + low_b - high_a, offset[axis] + high_b - low_a);
            f64_max(above, 0.0) + f64_min(below, 0.0)
        }));
        if between != DVec3::ZERO {
            between
        } else if offset != DVec3::ZERO {
            offset
        } else {
            WORLD[0]
        }
    }

    /// Largest gap of the cores along the directions between them and the boxes around hulls, along the axes of the hulls.
    ///
    /// Searches of stores leave out pairs whose boxes are far apart along these axes. So a search that has found less must not say
    /// that they are nearer.
    #[cold]
    fn gap_of_boxes(&self, offset: DVec3) -> f64 {
        let mut most = f64::NEG_INFINITY;
        for points in [self.a.points, self.b.points].into_iter().flatten() {
            let mut between = DVec3::ZERO;
            for axis in points.axes {
                let (low_a, high_a) = self.a.spans.interval_along(axis);
                let (low_b, high_b) = self.b.spans.interval_along(axis);
                let at = offset.dot(axis);
                let (above, below) = (at + low_b - high_a, at + high_b - low_a);
                between = between + axis * (f64_max(above, 0.0) + f64_min(below, 0.0));
            }
            if let Some((d, _)) = between.scaled() {
                let (_, gap) = self.corner(offset, d, self.size() * ROUNDING);
                most = f64_max(gap / d.scaled_length(), most);
            }
        }
        most
    }

    /// The corner of the difference of the cores along a direction whose largest coordinate is 1, and the gap along it.
    #[inline(always)]
    fn corner(&self, offset: DVec3, d: DVec3, error: f64) -> (Corner, f64) {
        let (a, b) = (self.a.reach(self.lanes, d), self.b.reach(self.lanes, -d));
        let gap = offset.dot(d) - a.most - b.most - error;
        (Corner::new(a.point, b.point + offset), gap)
    }

    /// Searches for the nearest points of the cores, with B displaced by `offset`.
    #[inline(always)]
    pub fn search(&self, offset: DVec3, first: DVec3, goal: Goal) -> Bounds {
        let size = self.size();
        let error = size * ROUNDING;
        let is_round = self.is_round();
        let Some((d, _)) = first.scaled() else {
            return Bounds::unknown();
        };
        let (corner, gap) = self.corner(offset, d, error);
        let length = d.scaled_length();
        let mut best = (gap / length, d, length);
        let mut simplex = Simplex::new(corner);
        let mut step = 0;
        while step < STEPS {
            let v = simplex.nearest();
            let Some((d, scale)) = v.scaled() else {
                break;
            };
            let length = d.scaled_length();
            let distance = scale * length + error;
            let is_close = is_round && self.is_close(goal, best.0, distance, size);
            if is_close || self.is_done(goal, best.0, distance) {
                break;
            }
            let (corner, gap) = self.corner(offset, d, error);
            if gap / length > best.0 {
                best = (gap / length, d, length);
            }
            if !simplex.grow(corner) {
                break;
            }
            step += 1;
        }
        let points = simplex.points();
        let apart = (points[1] - points[0]).scaled();
        let distance = apart.map_or(0.0, |(d, scale)| scale * d.scaled_length());
        let (gap, direction, length) = best;
        Bounds {
            gap,
            direction,
            length,
            distance: distance + error,
            points,
        }
    }

    /// Whether a search may end.
    #[inline(always)]
    fn is_done(&self, goal: Goal, gap: f64, distance: f64) -> bool {
        let within = self.within;
        match goal {
            Goal::Distance => false,
            // Points of both shapes, so no gap of any direction is above zero.
            _ if distance <= within => true,
            Goal::Verdict => gap > within,
            Goal::Step { .. } => gap > within && gap - within >= 0.75 * (distance - within),
        }
    }

    /// Whether the search of a core without corners may end. It comes nearer as long as it goes on.
    #[inline(always)]
    fn is_close(&self, goal: Goal, gap: f64, distance: f64, size: f64) -> bool {
        let between = distance - f64_max(gap, 0.0);
        match goal {
            // Points of both shapes.
            Goal::Step { near } => distance - self.within <= near,
            // A verdict finds each gap that a distance finds.
            Goal::Verdict | Goal::Distance => between <= ENOUGH * size,
        }
    }

    /// Whether the shapes touch, within the margin.
    #[inline(always)]
    pub fn touch(&self) -> bool {
        let offset = self.offset();
        let found = self.search(offset, self.first_direction(offset), Goal::Verdict);
        let are_apart = found.gap > self.within;
        !are_apart
    }

    /// The times of the frame at which the shapes touch, while B moves by `v` relative to A: the first and the last.
    #[inline(always)]
    pub fn sweep(mut self, v: DVec3) -> Option<(f64, f64)> {
        self.travel = v.norm1();
        let offset = self.offset();
        let enter = self.advance(offset, v, (0.0, 1.0), None)?;
        let left = self.advance(offset + v, -v, (0.0, 1.0 - enter), None);
        Some(self.until(enter, left))
    }

    /// Distance that A moves along a unit vector until it no longer touches B, by a sweep backwards from `most`; at least `most` if A
    /// still touches there.
    #[inline(never)]
    pub fn exit_by_steps(mut self, outward: DVec3, most: f64) -> f64 {
        let reach = (most + self.size() * ROUNDING) * (1.0 + 1.0 / 64.0);
        let v = outward * -reach;
        self.travel = v.norm1();
        let offset = self.offset();
        let (_, exit) = self.until(0.0, self.advance(offset + v, -v, (0.0, 1.0), None));
        exit * reach
    }

    /// The times of a sweep, given both results of a batch.
    #[inline(always)]
    pub fn sweep_by(
        mut self,
        v: DVec3,
        enter: &BatchResult,
        exit: &BatchResult,
    ) -> Option<(f64, f64)> {
        let offset = self.offset();
        let is_hit_at_start = match enter.verdict {
            Verdict::Apart => return None,
            Verdict::Touch => true,
            // As `touch` says.
            _ => enter.time <= 0.0 && self.touch(),
        };
        self.travel = v.norm1();
        let enter = match is_hit_at_start {
            true => 0.0,
            false => self.finish(offset, v, enter, 1.0)?,
        };
        let left = match exit.verdict {
            Verdict::Apart => None,
            Verdict::Touch => Some(0.0),
            _ => self.finish(offset + v, -v, exit, 1.0 - enter),
        };
        Some(self.until(enter, left))
    }

    /// Both times of a sweep, given the time from its end backwards.
    fn until(&self, enter: f64, left: Option<f64>) -> (f64, f64) {
        // From the end, shapes that the way there merely grazes may be found apart until `enter`.
        let exit = left.map_or(enter, |left| 1.0 - left);
        (enter, f64_max(exit, enter))
    }

    /// The time up to which the shapes do not touch, given the result of a batch; `None` if they do not touch until `end`.
    ///
    /// The simplex of the batch is enough if its corners come as near in `f64` as a search would.
    #[inline(always)]
    fn finish(&self, offset: DVec3, v: DVec3, found: &BatchResult, end: f64) -> Option<f64> {
        let (size, mut time) = (self.size(), f64::from(found.time));
        let error = size * ROUNDING;
        if let Some((way, is_near)) = found.way {
            let way = DVec3::of(way);
            return match is_near {
                true => self.finish_round(offset, v, (time, end), way),
                false => self.advance(offset, v, (time, end), Some(way)),
            };
        }
        let mut corners = [Corner::new(DVec3::ZERO, DVec3::ZERO); 3];
        let count = found.count.min(3);
        for (corner, [i, j]) in corners.iter_mut().zip(found.ids) {
            let (x, y) = (self.a.point(i.into()), self.b.point(j.into()));
            *corner = Corner::new(x, y + offset);
        }
        // Points of both shapes, closer than what a gap of zero may hide.
        let most = self.within + self.tolerance(HIDDEN);
        let mut round = 0;
        while round < 2 && count > 0 {
            let by = v * time;
            let at = corners.map(|corner| corner.moved(by));
            let Some((d, scale)) = nearest(&at[..count]).scaled() else {
                return Some(time);
            };
            // The length of d is 1 to 1.75: most often it is not needed.
            let is_near = scale + error <= most;
            if is_near && scale * 1.75 + error <= most {
                return Some(time);
            }
            let length = if is_near || self.within != 0.0 {
                d.scaled_length()
            } else {
                1.0
            };
            if scale * length + error <= most {
                return Some(time);
            }
            let (_, gap) = self.corner(offset + by, d, error);
            match self.next(time, gap, d, length, v, end) {
                Next::Never => return None,
                Next::At(next) => time = next,
                Next::Stays => break,
            }
            round += 1;
        }
        self.advance(offset, v, (time, end), None)
    }

    /// As [`finish`](Self::finish) for shapes without corners, which are near at a time of the batch: the gap along the way is closed, unless
    /// the shapes move on by more than they are near while it closes.
    #[inline(never)]
    fn finish_round(
        &self,
        offset: DVec3,
        v: DVec3,
        (time, end): (f64, f64),
        way: DVec3,
    ) -> Option<f64> {
        let size = self.size();
        let Some((d, _)) = way.scaled() else {
            return Some(time);
        };
        // The batch knows only S.
        let is_near = self.size_in_time() == size;
        let (_, gap) = self.corner(offset + v * time, d, size * ROUNDING);
        let next = match self.next(time, gap, d, d.scaled_length(), v, end) {
            Next::Never => return None,
            Next::Stays => time,
            Next::At(next) => next,
        };
        if is_near && (next - time) * v.norm1() <= self.tolerance(NEAR) {
            return Some(next);
        }
        self.advance(offset, v, (next, end), Some(d))
    }

    /// The time at which a gap along a direction is closed.
    #[inline(always)]
    fn next(&self, time: f64, gap: f64, d: DVec3, length: f64, v: DVec3, end: f64) -> Next {
        // In units of the direction.
        let room = gap - self.within * length;
        let is_apart = room > 0.0;
        if !is_apart {
            return Next::Stays;
        }
        let rate = v.dot(d) - v.norm1() * ROUNDING;
        if rate >= 0.0 {
            return Next::Never;
        }
        let next = time + room / -rate * (1.0 - ROUNDING);
        if next > end {
            Next::Never
        } else if next > time {
            Next::At(next)
        } else {
            Next::Stays
        }
    }

    /// The time up to which the shapes do not touch, if they do not touch before `time`; `None` if they do not touch until `end`. A way
    /// from A to B is where the search begins.
    #[inline(never)]
    fn advance(
        &self,
        offset: DVec3,
        v: DVec3,
        (mut time, end): (f64, f64),
        way: Option<DVec3>,
    ) -> Option<f64> {
        let mut first = match way {
            Some(way) if way != DVec3::ZERO => way,
            _ => self.first_direction(offset + v * time),
        };
        let near = self.tolerance(NEAR);
        let near_at_start = f64_max(near, ENOUGH * self.size());
        let mut step = 0;
        while step < ADVANCES {
            let at = offset + v * time;
            // What `touch` may not tell from touching, does so at the start.
            let near = if time > 0.0 { near } else { near_at_start };
            let found = self.search(at, first, Goal::Step { near });
            let are_apart = found.gap > self.within;
            if !are_apart {
                return Some(time);
            }
            let gap = found.gap * found.length;
            match self.next(time, gap, found.direction, found.length, v, end) {
                Next::Never => return None,
                Next::At(next) => (time, first) = (next, found.direction),
                Next::Stays => return Some(time),
            }
            step += 1;
        }
        Some(time)
    }

    /// The bounds of the distance of the shapes, and a point of each relative to the origin of A, or that of B if `swapped`.
    #[inline(always)]
    pub fn distance(&self, swapped: bool) -> HullDistance {
        let offset = self.offset();
        let size = self.size();
        let found = self.search(offset, self.first_direction(offset), Goal::Distance);
        let (mut lower, upper) = (
            f64_max(found.gap - self.within, 0.0),
            f64_max(found.distance - self.within, 0.0) + size * POINTS,
        );
        let band = 288.0 * f64::from(U) * size + 4.0 * FLOOR;
        let is_settled = |lower: f64| upper - lower <= band + upper / 65536.0;
        if !is_settled(lower) {
            lower = f64_max(self.gap_of_boxes(offset) - self.within, lower);
        }
        // Surfaces that cross have a point in common on the way from core to core.
        let [x, y] = found.points;
        let way = match (y - x).scaled() {
            Some((d, _)) => d * (1.0 / d.scaled_length()),
            None => DVec3::ZERO,
        };
        let from_a = f64_min(self.a.radius, found.distance);
        let from_b = f64_min(self.b.radius, f64_max(found.distance - from_a, 0.0));
        let origin = if swapped {
            offset + self.b.origin
        } else {
            self.a.origin
        };
        let (x, y) = (x + way * from_a, y - way * from_b);
        HullDistance {
            lower,
            upper,
            points: [x - origin, y - origin],
            is_settled: is_settled(lower),
        }
    }
}

/// Next time of a sweep.
enum Next {
    At(f64),
    /// No gap, or one that is closed at once.
    Stays,
    /// The shapes do not touch until the end.
    Never,
}

impl Bounds {
    /// The result for shapes that are not finite.
    fn unknown() -> Self {
        Bounds {
            gap: f64::NEG_INFINITY,
            direction: DVec3::ZERO,
            length: 1.0,
            distance: f64::INFINITY,
            points: [DVec3::ZERO; 2],
        }
    }
}

/// The distance of two shapes.
pub struct HullDistance {
    pub lower: f64,
    pub upper: f64,
    pub points: [DVec3; 2],
    pub is_settled: bool,
}

/// Error of all that is computed in `f64`, relative to S: 2⁻⁴⁴.
pub const ROUNDING: f64 = 1.0 / (1u64 << 44) as f64;
/// Part of S that is added to the upper bound: points are rounded to `f32`, by 2 u S.
pub const POINTS: f64 = 4.0 * U as f64;
/// Absolute part of the band of a settled distance.
pub const FLOOR: f64 = 1.0 / (1u64 << 58) as f64;
/// Part of S by which both bounds of a distance may differ where a core has no corners.
const ENOUGH: f64 = 4.0 * U as f64;
/// Part of S of a time that a gap of zero may hide.
const HIDDEN: f64 = 5.0 * U as f64;
/// Part of S of a time up to which shapes without corners touch in a step, and by which they may move while the gap that the batch has left is
/// closed.
pub const NEAR: f64 = 64.0 * U as f64;
/// Part of S above the errors of a distance in `f64`.
const MARGIN: f64 = 16.0 * ROUNDING;
/// Maximum number of steps of a sweep.
const ADVANCES: usize = 64;

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::common::rng;
    use crate::dyadic::{Dyadic, dot};
    use crate::lane::One;

    /// Motions at a small angle to a gap, so that roundings of their product count.
    #[test]
    fn time_at_which_a_gap_closes_is_never_late() {
        let mut rng = rng("time at which a gap closes");
        let pair = HullPair::new(One, Body::NONE, Body::NONE, 0.0);
        let mut tried = 0;
        for _ in 0..100_000 {
            let [d, to] = [(); 2].map(|()| DVec3([(); 3].map(|()| rng.random_range(-1.0..1.0f64))));
            let (Some((d, _)), Some(n)) = (d.scaled(), d.unit()) else {
                continue;
            };
            let v = n.cross(to) + n * -2f64.powi(-rng.random_range(0..40));
            let gap = -v.dot(d) * rng.random_range(0.0..1.0);
            let length = d.scaled_length();
            let Next::At(time) = pair.next(0.0, gap, d, length, v, 1.0) else {
                continue;
            };
            tried += 1;
            let way = &Dyadic::of(time) * &-&dot(&Dyadic::vec(v.0), &Dyadic::vec(d.0));
            assert!(way <= Dyadic::of(gap), "{time} by {v:?} along {d:?}");
        }
        assert!(tried > 50_000, "{tried}");
    }
}
