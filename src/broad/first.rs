//! First-hit and any-hit queries: the search of `candidates`, with the kernels of two kinds of shapes.

use crate::broad::first_hits::FirstHits;
use crate::broad::scene::{FoundPairs, SearchedStores};
use crate::broad::search::{First, TestPairs, Times, Wanted};
use crate::driver::call::{Answered, Call, Query};
use crate::driver::plan::plan_whole;
use crate::driver::run::{AnySource, Span, TestJob, TestOps};
use crate::error::{Error, InvalidShapes};
use crate::lane::WORD;
use crate::narrow::ops::FirstOps;
use crate::narrow::overlap::overlaps::{Overlaps, TimeInterval};
use crate::pairs::Pair;
use crate::shapes::bounds::During;
use crate::shapes::form::Motion;
use crate::shapes::groups::Filters;

/// Number of pairs that a search is expected to test for each shape.
const PAIRS_FOR_EACH: usize = 2;

/// Kind of a search, and its output.
pub enum Find<'o> {
    /// First hits.
    First(&'o mut FirstHits),
    /// Whether each shape touches any at the start of the frame, or during it.
    Any(During, &'o mut Overlaps),
}

impl Find<'_> {
    /// The motion that the kernel reads: no sweep rotates a shape.
    pub fn motion(&self) -> Motion {
        match self {
            Find::Any(During::Start, _) => Motion::None,
            Find::Any(During::Frame | During::Way, _) | Find::First(_) => Motion::Straight,
        }
    }
}

impl Query for FirstHits {
    type Ops = FirstOps;
    /// Groups and bodies are in the caller's order.
    type Out<'o> = (Find<'o>, [Filters<'o>; 2], &'o mut InvalidShapes);
    const MOTION: Motion = Motion::Straight;

    /// Reads whole stores. The results accept a search of another store, and are as long as the first store.
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
        let motion = find.motion();
        let test = match motion {
            Motion::None => ops.overlap,
            Motion::Straight | Motion::Turning => ops.sweep,
        };
        let Some(searched) = SearchedStores::new(stores, ops.bounds, swapped, filters, motion)
        else {
            return Ok(None);
        };
        let settings = detector.settings;
        let workers = settings.workers(&detector.helpers);
        let expected = searched.expected(PAIRS_FOR_EACH);
        let scratch = &mut detector.scratch;
        let kernel = Kernel {
            test,
            pairs: FoundPairs {
                stores,
                rows: plan_whole(workers, &test.forms, stores, scratch, expected),
                swapped,
                simd: settings.simd,
            },
            margin: settings.margin,
        };
        let candidates = &mut detector.candidates;
        let mut search = |wanted, earlier: &dyn Fn(u32) -> First| {
            searched.search(candidates, workers, settings.margin, wanted, earlier)
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
                let len = searched.a.len();
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
    pairs: FoundPairs<'s>,
    margin: f32,
}

impl TestPairs for Kernel<'_> {
    fn test(&self, pairs: &[Pair], times: &mut Times) {
        let (len, words) = (pairs.len(), pairs.len().div_ceil(WORD));
        let source = AnySource::Pairs(self.pairs.shapes(pairs));
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
        (self.test.test)(self.pairs.simd.filled_by(len), job);
    }
}
