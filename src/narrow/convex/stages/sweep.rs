//! Sweeps of convex hulls.

use crate::driver::call::TableOf;
use crate::driver::test::TestTable;
use crate::lane::{Lanes, MAX_LANES};
use crate::math::dvec::DVec3;
use crate::narrow::convex::batch::{BatchResult, Purpose, Verdict};
use crate::narrow::convex::gjk::HullPair;
use crate::narrow::convex::stages::queue::Queue;
use crate::narrow::convex::stages::read::{Kinds, PairOf, SearchPair};
use crate::narrow::convex::stages::refine::{HullHits, Refined, refined, test};
use crate::narrow::convex::stages::{above, below};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::aabb::Aabb;
use crate::shapes::capsule::Capsule;
use crate::shapes::obb::Obb;
use crate::shapes::plane::{HalfSpace, Plane};
use crate::shapes::point::Point;
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use crate::store::hull::hulls::PlacedHull;

hull_pairs!(points: refined Sweeps);
hull_pairs!(refined Sweeps);

impl PairOf<'_, '_> {
    /// Displacement of one side less that of the other.
    fn motion(&self, side: usize) -> DVec3 {
        let of = |side: usize| DVec3::of(self.columns[side].displacement(self.indices[side]));
        of(side) - of(1 - side)
    }
}

/// The times at which a pair touches within the margin.
#[inline(always)]
fn times<L: Lanes>(
    kinds: Kinds,
    lanes: L,
    pair: PairOf<'_, '_>,
    margin: f32,
) -> Option<(f64, f64)> {
    match kinds.prepare(lanes, pair, margin) {
        SearchPair::Bodies(bodies) => bodies.sweep(pair.motion(1)),
        SearchPair::Surface(Some(interval)) => interval.sweep(margin, pair.motion(0)),
        SearchPair::Surface(None) => Some((0.0, 1.0)),
    }
}

impl Refined for Sweeps {
    /// The first times of pairs whose last times are searched.
    type Found = [BatchResult; MAX_LANES];

    #[inline(always)]
    fn search_all<'s, L: Lanes>(
        lanes: L,
        queue: &mut Queue<'_, 's>,
        (rest, rest_enters): (&mut Queue<'_, 's>, &mut Self::Found),
        is_end: bool,
        out: &mut HullHits<'_, '_>,
    ) {
        let len = queue.batch.len;
        let mut lane = 0;
        while lane < len {
            let motion = queue.pair(lane).motion(1);
            let mut axis = 0;
            while axis < 3 {
                queue.batch.motion[axis][lane] = motion[axis] as f32;
                axis += 1;
            }
            // The boxes touch no later.
            queue.batch.start[lane] = number(out, 0, queue.places[lane], 0.0);
            lane += 1;
        }
        let enters = queue.search(lanes, Purpose::Enter);
        lane = 0;
        while lane < len || (is_end && rest.batch.len > 0) {
            if lane < len {
                let (pair, place) = (queue.pair(lane), queue.places[lane]);
                match enters[lane].verdict {
                    Verdict::Apart => out.set(place, written(None)),
                    Verdict::Touch | Verdict::Near => {
                        let to = rest.push(place, pair.indices);
                        let mut axis = 0;
                        while axis < 3 {
                            rest.batch.motion[axis][to] = queue.batch.motion[axis][lane];
                            axis += 1;
                        }
                        // The boxes touch no less long.
                        rest.batch.start[to] = number(out, 1, place, 1.0);
                        rest_enters[to] = enters[lane];
                    }
                    _ => {
                        let times = times(queue.kinds, lanes, pair, queue.batch.margin);
                        out.set(place, written(times));
                    }
                }
                lane += 1;
            }
            let is_last = is_end && lane == len;
            if rest.batch.len == L::COUNT || (is_last && rest.batch.len > 0) {
                search_exits(lanes, rest, rest_enters, out);
                rest.batch.len = 0;
            }
        }
        queue.batch.len = 0;
    }
}

/// Searches the last times of sweeps whose first times are found, and writes both.
#[inline(always)]
fn search_exits<L: Lanes>(
    lanes: L,
    queue: &mut Queue<'_, '_>,
    enters: &[BatchResult; MAX_LANES],
    out: &mut HullHits<'_, '_>,
) {
    let exits = queue.search(lanes, Purpose::Exit);
    let mut lane = 0;
    while lane < queue.batch.len {
        let (enter, exit) = (&enters[lane], &exits[lane]);
        let times = match (enter.verdict, exit.verdict) {
            (Verdict::Touch, Verdict::Touch) => Some((0.0, 1.0)),
            _ => times_by(lanes, queue, lane, [enter, exit]),
        };
        out.set(queue.places[lane], written(times));
        lane += 1;
    }
}

/// The times of a pair, given both results of a batch.
#[inline(always)]
fn times_by<L: Lanes>(
    lanes: L,
    queue: &Queue<'_, '_>,
    lane: usize,
    [enter, exit]: [&BatchResult; 2],
) -> Option<(f64, f64)> {
    let pair = queue.pair(lane);
    let [a, b] = [0, 1].map(|side| match queue.batch.sides[side].hull(lane) {
        Some(hull) => hull,
        None => queue.kinds.body(side, pair),
    });
    let bodies = HullPair::new(lanes, a, b, queue.batch.margin);
    bodies.sweep_by(pair.motion(1), enter, exit)
}

/// A number of the result of the boxes.
fn number(out: &HullHits<'_, '_>, column: usize, place: usize, otherwise: f32) -> f32 {
    out.numbers[column].get(place).map_or(otherwise, |x| *x)
}

/// The times of a sweep as they are written.
#[inline(always)]
fn written(times: Option<(f64, f64)>) -> (bool, [f32; 2]) {
    match times {
        Some((enter, exit)) => {
            let (enter, exit) = (below(enter), above(exit));
            (true, [enter, if exit < 1.0 { exit } else { 1.0 }])
        }
        None => (false, [f32::INFINITY; 2]),
    }
}
