//! First-hit and any-hit queries: the search of `candidates`, with the kernels of two kinds of shapes.

use core::mem;

use crate::broad::approach::Approach;
use crate::broad::candidates::Candidates;
use crate::broad::few::{FewHits, FewScratch, FewTargets};
use crate::broad::first_hits::FirstHits;
use crate::broad::scene::{FoundPairs, SearchedStores};
use crate::broad::search::wanted::{First, TestPairs, Times, Wanted};
use crate::driver::call::{Answered, Call, Kernel, Query, Supports};
use crate::driver::plan::plan_whole;
use crate::driver::run::Span;
use crate::driver::settings::Settings;
use crate::driver::test::{AnySource, TestJob, TestTable};
use crate::driver::threads::Workers;
use crate::error::{Error, InvalidShapes};
use crate::lane::WORD;
use crate::memory::pages;
use crate::narrow::contact::stage::ContactTable;
use crate::narrow::overlap::overlaps::{Overlaps, Sweeps, TimeInterval};
use crate::narrow::supports::MaybeContact;
use crate::pairs::Pair;
use crate::shapes::bounds::During;
use crate::shapes::groups::{Filters, NO_BODY};
use crate::shapes::raw_columns::Motion;
use crate::shapes::shape::Shape;

/// Number of pairs that a search is expected to test for each shape.
pub const PAIRS_FOR_EACH: usize = 2;

/// Kind of a search, and its output.
pub enum Find<'o> {
    /// First hits.
    First(&'o mut FirstHits),
    /// Whether each shape touches any at the start of the frame, or during it.
    Any(During, &'o mut Overlaps),
    /// Whether a shape of each body does.
    AnyOfBody(During, &'o mut Overlaps),
}

impl Find<'_> {
    /// The motion that the kernel reads: no sweep rotates a shape.
    pub fn motion(&self) -> Motion {
        match self {
            Find::First(_) => Motion::Straight,
            Find::Any(During::Start, _) | Find::AnyOfBody(During::Start, _) => Motion::None,
            Find::Any(..) | Find::AnyOfBody(..) => Motion::Straight,
        }
    }
}

/// The tables of a search.
pub struct FirstHitTable {
    /// Overlaps at the start of the frame.
    overlap: &'static TestTable,
    pub sweep: &'static TestTable,
    /// Contacts at the time of a hit; `None` without the feature `contact`.
    contact: Option<&'static ContactTable>,
}

impl FirstHitTable {
    /// The contacts that decide which hits are passed; `None` if none are.
    pub fn approach(&self, settings: Settings, motion: Motion) -> Option<Approach> {
        let is_wanted = settings.approaching && motion != Motion::None;
        let contact = self.contact.filter(|_| is_wanted)?;
        let margin = settings.margin;
        Some(Approach { contact, margin })
    }
}

impl<A, B: Shape> Supports<FirstHits, B> for A
where
    A: Supports<Overlaps, B> + Supports<Sweeps, B> + MaybeContact<B>,
{
    const KERNEL: Kernel<FirstHits> = Kernel {
        table: &FirstHitTable {
            overlap: <A as Supports<Overlaps, B>>::KERNEL.table,
            sweep: <A as Supports<Sweeps, B>>::KERNEL.table,
            contact: A::CONTACTS,
        },
        swapped: <A as Supports<Sweeps, B>>::KERNEL.swapped,
    };
}

/// A search for first hits, with its outputs.
pub struct FirstHitSearch<'o> {
    pub find: Find<'o>,
    /// Groups and bodies, in the caller's order.
    pub filters: [Filters<'o>; 2],
    pub candidates: &'o mut Candidates,
    pub invalid: &'o mut InvalidShapes,
}

impl Query for FirstHits {
    type Table = FirstHitTable;
    type Out<'o> = FirstHitSearch<'o>;
    const MOTION: Motion = Motion::Straight;

    /// Reads whole stores. The results accept a search of another store, and are as long as the first store.
    fn answer(
        call: Call<'_>,
        table: &'static FirstHitTable,
        search: FirstHitSearch<'_>,
    ) -> Answered {
        let FirstHitSearch {
            find,
            filters,
            candidates,
            invalid,
        } = search;
        let Call {
            settings,
            workers,
            stores,
            swapped,
            scratch,
            ..
        } = call;
        let motion = find.motion();
        let test = match motion {
            Motion::None => table.overlap,
            Motion::Straight | Motion::Turning => table.sweep,
        };
        let Some(searched) = SearchedStores::new(stores, swapped, filters, motion) else {
            return Ok(None);
        };
        let bodies = match find {
            Find::AnyOfBody(..) => count_bodies(searched.bodies(), searched.a.len())?,
            Find::First(_) | Find::Any(..) => 0,
        };
        let approach = table.approach(settings, motion);
        if approach.is_none() && searched.are_few(test, &mut candidates.few.targets) {
            let (simd, margin) = (settings.simd, settings.margin);
            let targets = candidates.few.targets.len();
            let mut rows = mem::take(&mut candidates.few.rows);
            let scan = FewTargets {
                table: test,
                stores,
                swapped,
                filter: searched.filter(),
                margin,
                bounds: searched.few_bounds(simd, test, targets, margin, &mut rows),
                bodies: (bodies > 0).then(|| searched.bodies()),
            };
            let found = scan_few(&searched, &scan, workers, &mut candidates.few, find, bodies);
            candidates.few.rows = rows;
            *invalid = found?;
            searched.refuse(settings, *invalid)?;
            return Ok(None);
        }
        let expected = searched.expected(PAIRS_FOR_EACH);
        let kernel = PairTests {
            test,
            pairs: FoundPairs {
                stores,
                rows: plan_whole(workers, &test.forms, stores, &mut scratch.rows, expected),
                swapped,
                simd: settings.simd,
            },
            margin: settings.margin,
            approach,
        };
        let mut search = |wanted, earlier: &dyn Fn(u32) -> First| {
            searched.search(candidates, workers, settings.margin, wanted, earlier)
        };
        match find {
            Find::First(firsts) => {
                let earlier = |i| earlier(firsts, i as usize);
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
            Find::Any(_, overlaps) | Find::AnyOfBody(_, overlaps) => {
                let (len, bodies) = match bodies {
                    0 => (searched.a.len(), None),
                    len => (len, Some(searched.bodies())),
                };
                if overlaps.try_reserve_masks(len).is_err() {
                    return Err(Error::OutOfMemory { pairs: len });
                }
                *invalid = search(Wanted::Any(&kernel), &|_| First::NONE)?;
                overlaps.clear_masks(len);
                let [hits, bad] = overlaps.words_mut();
                let place = |i: u32| bodies.map_or(i, |bodies| bodies[i as usize]);
                candidates.firsts().for_each(|(i, _)| set(hits, place(i)));
                candidates
                    .invalid_searchers()
                    .for_each(|i| set(bad, place(i)));
            }
        }
        searched.refuse(settings, *invalid)?;
        Ok(None)
    }
}

/// Scans all shapes against few targets.
fn scan_few(
    searched: &SearchedStores<'_>,
    scan: &FewTargets<'_>,
    workers: Workers<'_>,
    scratch: &mut FewScratch,
    find: Find<'_>,
    bodies: usize,
) -> Result<InvalidShapes, Error> {
    let len = searched.a.len();
    let out_of_memory = |_| Error::OutOfMemory { pairs: len };
    let FewScratch {
        targets,
        firsts,
        masks,
        ..
    } = scratch;
    masks.try_reserve_masks(len).map_err(out_of_memory)?;
    if let Find::First(found) = &find {
        firsts.clear();
        pages::try_reserve_all(firsts, len).map_err(out_of_memory)?;
        firsts.extend((0..len).map(|i| earlier(found, i)));
    }
    masks.clear_masks(len);
    let [hits, invalid] = masks.words_mut();
    let out = FewHits {
        hits,
        invalid,
        firsts: matches!(find, Find::First(_)).then_some(&mut **firsts),
    };
    scan.find(workers, targets, out);
    match find {
        Find::Any(_, overlaps) => overlaps.copy_from(masks).map_err(out_of_memory)?,
        Find::AnyOfBody(_, overlaps) => {
            let reserved = overlaps.try_reserve_masks(bodies);
            reserved.map_err(|_| Error::OutOfMemory { pairs: bodies })?;
            overlaps.clear_masks(bodies);
            let body = |i: usize| searched.bodies()[i];
            let [hits, invalid] = overlaps.words_mut();
            masks.iter().for_each(|i| set(hits, body(i)));
            masks.iter_invalid().for_each(|i| set(invalid, body(i)));
        }
        Find::First(found) => {
            for (i, first) in (0..).zip(&*firsts).filter(|(_, first)| first.is_found) {
                let (enter, exit) = (first.enter, first.exit);
                found.set(i, first.other, TimeInterval { enter, exit });
            }
            masks
                .iter_invalid()
                .for_each(|i| found.flag_invalid(i as u32));
            found.end_store();
        }
    }
    Ok(InvalidShapes {
        a: masks.invalid_count(),
        b: searched.b.len() - targets.len(),
    })
}

/// Sets a bit.
fn set(words: &mut [u64], place: u32) {
    words[place as usize / WORD] |= 1 << (place as usize % WORD);
}

/// Number of bits for the bodies of a store. Returns an error for a shape that belongs to none.
fn count_bodies(bodies: &[u32], len: usize) -> Result<usize, Error> {
    if bodies.len() < len {
        let index = bodies.len() as u32;
        return Err(Error::MissingBody { index });
    }
    // No body has the greatest number, so one pass finds whether any is missing.
    match bodies.iter().copied().fold(0, u32::max) {
        NO_BODY => {
            let index = bodies.iter().position(|body| *body == NO_BODY);
            let index = index.unwrap_or_default() as u32;
            Err(Error::MissingBody { index })
        }
        last => Ok(if len == 0 { 0 } else { last as usize + 1 }),
    }
}

/// First hit of a shape in earlier stores.
fn earlier(firsts: &FirstHits, i: usize) -> First {
    match firsts.get(i) {
        Some(hit) => First::earlier(hit.time.enter),
        None => First::NONE,
    }
}

/// Tests pairs by a kernel.
pub struct PairTests<'s> {
    pub test: &'static TestTable,
    pub pairs: FoundPairs<'s>,
    pub margin: f32,
    /// `None` if no hits are passed.
    pub approach: Option<Approach>,
}

impl TestPairs for PairTests<'_> {
    fn refines(&self) -> bool {
        self.test.is_refined
    }

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
        if let Some(approach) = &self.approach {
            approach.drop_passed(pairs, &self.pairs, times);
        }
    }
}
