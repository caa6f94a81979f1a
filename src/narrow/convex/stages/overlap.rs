//! Overlaps of convex hulls.

use crate::driver::call::TableOf;
use crate::driver::test::TestTable;
use crate::lane::Lanes;
use crate::narrow::convex::batch::{BatchResult, Purpose, Verdict};
use crate::narrow::convex::stages::queue::Queue;
use crate::narrow::convex::stages::read::{Kinds, PairOf, SearchPair};
use crate::narrow::convex::stages::refine::{HullHits, Refined, refined, test};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::aabb::Aabb;
use crate::shapes::capsule::Capsule;
use crate::shapes::obb::Obb;
use crate::shapes::plane::{HalfSpace, Plane};
use crate::shapes::point::Point;
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use crate::store::hull::hulls::PlacedHull;

hull_pairs!(points: refined Overlaps);
hull_pairs!(refined Overlaps);

/// Whether a pair touches within the margin.
#[inline(always)]
fn touches<L: Lanes>(kinds: Kinds, lanes: L, pair: PairOf<'_, '_>, margin: f32) -> bool {
    match kinds.prepare(lanes, pair, margin) {
        SearchPair::Bodies(pair) => pair.touch(),
        SearchPair::Surface(interval) => interval.is_none_or(|interval| interval.touches(margin)),
    }
}

impl Refined for Overlaps {
    type Found = ();

    #[inline(always)]
    fn search_all<'s, L: Lanes>(
        lanes: L,
        queue: &mut Queue<'_, 's>,
        (rest, ()): (&mut Queue<'_, 's>, &mut ()),
        is_end: bool,
        out: &mut HullHits<'_, '_>,
    ) {
        queue.batch.few = L::COUNT as u32 / 2;
        let found = queue.search(lanes, Purpose::Verdict);
        let mut lane = 0;
        while lane < queue.batch.len || (is_end && rest.batch.len > 0) {
            if lane < queue.batch.len {
                if let Verdict::Open = found[lane].verdict {
                    rest.push(queue.places[lane], queue.pair(lane).indices);
                } else {
                    set_verdict(lanes, queue, lane, &found[lane], out);
                }
                lane += 1;
            }
            let is_last = is_end && lane == queue.batch.len;
            if rest.batch.len == L::COUNT || (is_last && rest.batch.len > 0) {
                let found = rest.search(lanes, Purpose::Verdict);
                let mut lane = 0;
                while lane < rest.batch.len {
                    set_verdict(lanes, rest, lane, &found[lane], out);
                    lane += 1;
                }
                rest.batch.len = 0;
            }
        }
        queue.batch.len = 0;
    }
}

/// Writes the verdict of a pair.
#[inline(always)]
fn set_verdict<L: Lanes>(
    lanes: L,
    queue: &Queue<'_, '_>,
    lane: usize,
    found: &BatchResult,
    out: &mut HullHits<'_, '_>,
) {
    let is_hit = match found.verdict {
        Verdict::Touch => true,
        Verdict::Apart => false,
        _ => touches(queue.kinds, lanes, queue.pair(lane), queue.batch.margin),
    };
    out.set(queue.places[lane], (is_hit, [0.0; 2]));
}
