//! First hits, and whether there is any: the search of `candidates`, with the kernels of two kinds of shapes.

use super::by_pair::{PackedPairs, PairShapes};
use super::check::CheckedPairs;
use super::displacement;
use super::ops::{FirstOps, TestOps};
use super::plan::plan_whole;
use super::query::{Answered, Call, Query};
use super::run::{AnySource, Span, TestJob};
use crate::candidates::search::{First, TestPairs, Times, Wanted};
use crate::candidates::{Admitted, Among, BoundedSide, Searching};
use crate::error::{Error, InvalidShapes};
use crate::first_hits::FirstHits;
use crate::hits::{Overlaps, TimeInterval, WORD};
use crate::lane::Simd;
use crate::pairs::Pair;
use crate::shapes::{AnyColumns, During, Filters, Motion, PairFilter, bounds_margin};
use crate::threads::Workers;

/// Number of pairs that a search is expected to test for each shape.
const PAIRS_FOR_EACH: usize = 2;

/// What is searched for.
pub enum Find<'o> {
    /// First hits.
    First(&'o mut FirstHits),
    /// Whether each shape touches any at the start of the frame, or during it.
    Any(During, &'o mut Overlaps),
}

impl Query for FirstHits {
    type Ops = FirstOps;
    /// Groups and bodies are in the caller's order.
    type Out<'o> = (Find<'o>, [Filters<'o>; 2], &'o mut InvalidShapes);
    const MOTION: Motion = Motion::Turning;

    /// Reads whole stores. The results are ready for another store, and have a length of their own.
    fn answer(
        call: Call<'_>,
        ops: &'static FirstOps,
        (find, filters, invalid): (Find<'_>, [Filters<'_>; 2], &mut InvalidShapes),
    ) -> Answered {
        let Call {
            detector,
            stores,
            swapped,
            ..
        } = call;
        let ([mut a, mut b], [mut bounds_a, mut bounds_b]) = (stores, ops.bounds);
        if swapped {
            (a, b, bounds_a, bounds_b) = (b, a, bounds_b, bounds_a);
        }
        // The first store has bounded shapes, by the bound of the methods.
        let Some(bounds_a) = bounds_a else {
            return Ok(None);
        };
        let during = match find {
            Find::Any(During::Start, _) => During::Start,
            _ => During::Frame,
        };
        let test = match during {
            During::Start => ops.overlap,
            During::Frame | During::Way => ops.sweep,
        };
        let settings = detector.settings;
        let workers = settings.workers(&detector.helpers);
        let growth = bounds_b.map_or(bounds_a.growth, |b| b.growth.max(bounds_a.growth));
        let expected = match bounds_b {
            Some(_) => a.len().saturating_mul(PAIRS_FOR_EACH),
            None => a.len().saturating_mul(b.len()),
        };
        let kernel = Kernel {
            test,
            stores,
            rows: plan_whole(
                workers,
                &test.forms,
                stores,
                &mut detector.scratch,
                expected,
            ),
            swapped,
            lens: [a.len(), b.len()],
            margin: settings.margin,
            simd: settings.simd,
        };
        let side = |columns, bounds| BoundedSide {
            columns,
            bounds,
            during,
        };
        let side_b = bounds_b.map(|bounds| side(b, bounds));
        let among = match &side_b {
            None => Among::Unbounded(b.len() as u32),
            Some(_) if a.same_as(b) && filters[0].same_as(&filters[1]) => Among::Own,
            Some(side) => Among::Bounded(side),
        };
        let searching = Searching {
            bounds: &side(a, bounds_a),
            displacement: &displacement(a, during),
        };
        let workers = workers.of_at_most(8);
        let candidates = &mut detector.candidates;
        let admitted = Admitted {
            filter: PairFilter::new(filters[0], filters[1]),
            threshold: bounds_margin(settings.margin, growth),
        };
        let search = |wanted, earlier: &dyn Fn(u32) -> First| {
            candidates.search(workers, searching, among, admitted, wanted, earlier)
        };
        match find {
            Find::First(firsts) => {
                let earlier = |i| match firsts.get(i as usize) {
                    Some(hit) => First::earlier(hit.time.enter),
                    None => First::NONE,
                };
                *invalid = search(Wanted::First(&kernel), &earlier)?;
                for (i, first) in candidates.firsts() {
                    let (enter, exit) = (first.enter, first.exit);
                    firsts.set(i, first.other, TimeInterval { enter, exit });
                }
                candidates
                    .invalid_searchers()
                    .for_each(|i| firsts.flag_invalid(i));
                firsts.end_store();
            }
            Find::Any(_, overlaps) => {
                let len = a.len();
                if overlaps.try_reserve_masks(len).is_err() {
                    return Err(Error::OutOfMemory { pairs: len });
                }
                *invalid = search(Wanted::Any(&kernel), &|_| First::NONE)?;
                overlaps.clear_masks(len);
                let [hits, bad] = overlaps.words_mut();
                let set = |words: &mut [u64], i: u32| words[i as usize / WORD] |= 1 << (i % 64);
                candidates.firsts().for_each(|(i, _)| set(hits, i));
                candidates.invalid_searchers().for_each(|i| set(bad, i));
            }
        }
        Ok(None)
    }
}

/// Tests pairs by a kernel.
struct Kernel<'s> {
    test: &'static TestOps,
    /// In kernel order.
    stores: [&'s AnyColumns<'s>; 2],
    rows: Option<PackedPairs<'s>>,
    /// Whether the caller passed the stores reversed.
    swapped: bool,
    /// In the caller's order.
    lens: [usize; 2],
    margin: f32,
    simd: Simd,
}

impl TestPairs for Kernel<'_> {
    fn test(&self, pairs: &[Pair], times: &mut Times) {
        let (len, words) = (pairs.len(), pairs.len().div_ceil(WORD));
        let alone = Workers::new(self.simd, false);
        let Some(list) = CheckedPairs::new(alone, pairs, self.lens, self.swapped) else {
            unreachable!("a search finds shapes of its stores")
        };
        let source = AnySource::Pairs(PairShapes {
            list,
            columns: self.stores,
            rows: self.rows,
        });
        let columns = if self.test.forms.columns == 0 { 0 } else { len };
        let span = Span {
            margin: self.margin,
            first: 0,
            len,
            hits: &mut times.hits[..words],
            invalid: &mut times.invalid[..words],
            columns: [&mut times.enter[..columns], &mut times.exit[..columns]],
        };
        let job = TestJob {
            source: &source,
            span,
        };
        (self.test.test)(self.simd.filled_by(len), job);
    }
}
