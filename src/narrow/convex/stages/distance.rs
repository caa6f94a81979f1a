//! Distances of convex hulls.

use crate::driver::call::TableOf;
use crate::lane::{FEWEST_KERNEL_LANES, Job, Lanes, MAX_LANES, WORD};
use crate::math::dvec::{DVec3, f64_max};
use crate::narrow::convex::gjk::HullDistance;
use crate::narrow::convex::stages::queue::Queue;
use crate::narrow::convex::stages::read::{Kinds, PairOf, SearchPair};
use crate::narrow::convex::stages::{above, below};
use crate::narrow::distance::distances::Distances;
use crate::narrow::distance::stage::{DistanceJob, DistanceTable};
use crate::shapes::aabb::Aabb;
use crate::shapes::capsule::Capsule;
use crate::shapes::obb::Obb;
use crate::shapes::plane::{HalfSpace, Plane};
use crate::shapes::point::Point;
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use crate::store::hull::hulls::PlacedHull;

/// The tables of distances.
macro_rules! distances {
    (=> $($a:ident, $b:ident: $box_a:ident, $box_b:ident, $points:literal, $clamps:literal;)+) => {
        $(impl TableOf<Distances, $b> for $a {
            const TABLE: DistanceTable = DistanceTable {
                forms: <$box_a as TableOf<Distances, $box_b>>::TABLE.forms,
                is_slow: true,
                are_points: false,
                find: |simd, job| {
                    let kinds = Kinds::of::<$box_a, $box_b>();
                    simd.run(HullDistances { job, kinds })
                },
            };
        })+
    };
}

hull_pairs!(points: distances);
hull_pairs!(distances);

/// The distance of a pair, with points as they are reported. `None` if a shape is invalid.
#[inline(always)]
fn distance<L: Lanes>(
    kinds: Kinds,
    lanes: L,
    pair: PairOf<'_, '_>,
    swapped: bool,
) -> Option<HullDistance> {
    if !kinds.are_valid(pair, false) {
        return None;
    }
    match kinds.prepare(lanes, pair, 0.0) {
        SearchPair::Bodies(bodies) => Some(bodies.distance(swapped)),
        SearchPair::Surface(interval) => Some(interval?.distance()),
    }
}

/// Finds the distances of a span of pairs.
struct HullDistances<'a, 's> {
    job: DistanceJob<'a, 's>,
    kinds: Kinds,
}

impl Job for HullDistances<'_, '_> {
    type Output = ();
    const FEWEST: usize = FEWEST_KERNEL_LANES;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let HullDistances { job, kinds } = self;
        let DistanceJob {
            shapes,
            swapped,
            cutoffs,
            out,
        } = job;
        let [side_a, side_b] = shapes.list.sides();
        let [lower, upper, points @ ..] = out.columns;
        out.unsettled.fill(0);
        out.invalid.fill(0);
        let columns = shapes.columns;
        let mut queue = Queue::new(kinds, columns, 0.0);
        let mut results = Ranges {
            lower,
            upper,
            points,
            unsettled: out.unsettled,
            invalid: out.invalid,
            swapped,
        };
        for place in 0..out.len {
            let pair = shapes.list.at((out.first + place) as u32);
            let indices = [pair[side_a] as usize, pair[side_b] as usize];
            let pair = PairOf { columns, indices };
            if kinds.are_valid(pair, true) {
                let lane = queue.push(place, indices);
                if let Some(&cutoff) = cutoffs.get(place) {
                    queue.batch.cutoffs[lane] = cutoff;
                }
                if queue.batch.len == L::COUNT {
                    results.search_all(lanes, &mut queue);
                    queue.batch.len = 0;
                }
            } else {
                results.set(place, None);
            }
        }
        if queue.batch.len > 0 {
            results.search_all(lanes, &mut queue);
        }
    }
}

/// Writes numbers to rising places.
#[inline(always)]
fn write(places: &[usize], from: &[f32; MAX_LANES], to: &mut [f32]) {
    let (Some(&first), len) = (places.first(), places.len()) else {
        return;
    };
    if places[len - 1] - first == len - 1 {
        to[first..first + len].copy_from_slice(&from[..len]);
    } else {
        for (place, x) in places.iter().zip(from) {
            to[*place] = *x;
        }
    }
}

/// The results of a span of pairs.
struct Ranges<'a, 'p> {
    lower: &'a mut [f32],
    upper: &'a mut [f32],
    points: [&'p mut [f32]; 6],
    unsettled: &'a mut [u64],
    invalid: &'a mut [u64],
    swapped: bool,
}

impl Ranges<'_, '_> {
    /// Searches the pairs of a batch.
    #[inline(always)]
    fn search_all<L: Lanes>(&mut self, lanes: L, queue: &mut Queue<'_, '_>) {
        queue.place();
        let found = queue.batch.distances(lanes, self.swapped);
        let places = &queue.places[..queue.batch.len];
        write(places, &found.lower, self.lower);
        write(places, &found.upper, self.upper);
        if !self.points[0].is_empty() {
            let order = [usize::from(self.swapped), usize::from(!self.swapped)];
            for (k, to) in self.points.iter_mut().enumerate() {
                write(places, &found.points[order[k / 3]][k % 3], to);
            }
        }
        let mut left = !(found.settled | found.far) & ((1 << places.len()) - 1);
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let mut distance = distance(queue.kinds, lanes, queue.pair(lane), self.swapped);
            if let Some(distance) = &mut distance {
                // Both bounds hold. So the result of a pair is never below a bound that ended its search.
                distance.lower = f64_max(distance.lower, f64::from(found.lower[lane]));
            }
            self.set(queue.places[lane], distance);
        }
    }

    /// Writes the distance of a pair; `None` if it is invalid.
    fn set(&mut self, place: usize, found: Option<HullDistance>) {
        let bit = 1 << (place % WORD);
        let (bounds, at) = match found {
            Some(found) => {
                if !found.is_settled {
                    self.unsettled[place / WORD] |= bit;
                }
                let [x, y] = found.points;
                let at = if self.swapped { [y, x] } else { [x, y] };
                ([below(found.lower), above(found.upper)], at)
            }
            None => {
                self.invalid[place / WORD] |= bit;
                ([0.0, f32::INFINITY], [DVec3([f64::NAN; 3]); 2])
            }
        };
        [self.lower[place], self.upper[place]] = bounds;
        for (column, x) in self.points.iter_mut().zip(at.map(|v| v.0).as_flattened()) {
            if let Some(number) = column.get_mut(place) {
                // Never −0.
                *number = *x as f32 + 0.0;
            }
        }
    }
}
