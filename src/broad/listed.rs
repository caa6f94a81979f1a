//! Hits in order and neighbors: searches that list several results for each shape.

use crate::broad::candidates::Candidates;
use crate::broad::clearance;
use crate::broad::clearance::{PairDistances, valid_radius};
use crate::broad::first;
use crate::broad::first::{FirstHitTable, PairTests};
use crate::broad::first_hits::FirstHits;
use crate::broad::ranked::{Neighbors, OrderedHits, RankedLists};
use crate::broad::scene::{FoundPairs, SearchedStores};
use crate::broad::search::found::Budget;
use crate::broad::search::wanted::{First, Listing, TestPairs, Wanted};
use crate::driver::call::{Answered, Call, Kernel, Query, Supports};
use crate::driver::plan::plan_whole;
use crate::driver::settings::Settings;
use crate::driver::threads::Workers;
use crate::error::{Error, InvalidShapes};
use crate::narrow::distance::distances::Distances;
use crate::narrow::distance::stage::DistanceTable;
use crate::shapes::groups::Filters;
use crate::shapes::raw_columns::Motion;
use crate::shapes::shape::Shape;

/// A search for lists, with its outputs.
pub struct ListSearch<'o> {
    /// The limit of each shape: [`First::NONE`] for hits, [`First::within`] for neighbors.
    pub within: First,
    /// Maximum number of entries of a list.
    pub most: usize,
    pub lists: &'o mut RankedLists,
    /// Groups and bodies, in the caller's order.
    pub filters: [Filters<'o>; 2],
    pub candidates: &'o mut Candidates,
    pub invalid: &'o mut InvalidShapes,
}

macro_rules! supported {
    ($lists:ident, $query:ident) => {
        impl<A: Supports<$query, B>, B: Shape> Supports<$lists, B> for A {
            const KERNEL: Kernel<$lists> = Kernel {
                table: <A as Supports<$query, B>>::KERNEL.table,
                swapped: <A as Supports<$query, B>>::KERNEL.swapped,
            };
        }
    };
}
supported!(OrderedHits, FirstHits);
supported!(Neighbors, Distances);

impl Query for OrderedHits {
    type Table = FirstHitTable;
    type Out<'o> = ListSearch<'o>;
    const MOTION: Motion = Motion::Straight;

    /// Reads whole stores.
    fn answer(call: Call<'_>, table: &'static FirstHitTable, search: ListSearch<'_>) -> Answered {
        let test = table.sweep;
        let Call {
            settings,
            workers,
            stores,
            swapped,
            scratch,
            ..
        } = call;
        let filters = search.filters;
        let Some(searched) = SearchedStores::new(stores, swapped, filters, Self::MOTION) else {
            return Ok(None);
        };
        let (forms, expected) = (&test.forms, searched.expected(first::PAIRS_FOR_EACH));
        let kernel = PairTests {
            test,
            pairs: FoundPairs {
                stores,
                rows: plan_whole(workers, forms, stores, &mut scratch.rows, expected),
                swapped,
                simd: settings.simd,
            },
            margin: settings.margin,
            approach: table.approach(settings, Self::MOTION),
        };
        search.run(settings, workers, &searched, &kernel, |hits| {
            Wanted::Hits(hits)
        })?;
        Ok(None)
    }
}

impl Query for Neighbors {
    type Table = DistanceTable;
    type Out<'o> = ListSearch<'o>;
    const MOTION: Motion = Motion::None;

    /// Reads whole stores.
    fn answer(
        call: Call<'_>,
        distance: &'static DistanceTable,
        mut search: ListSearch<'_>,
    ) -> Answered {
        search.within = First::within(valid_radius(search.within.enter, &call)?);
        let Call {
            settings,
            workers,
            stores,
            swapped,
            scratch,
            ..
        } = call;
        let filters = search.filters;
        let Some(searched) = SearchedStores::new(stores, swapped, filters, Self::MOTION) else {
            return Ok(None);
        };
        let pairs = FoundPairs {
            stores,
            rows: clearance::plan(distance, workers, stores, &mut scratch.rows, &searched),
            swapped,
            simd: settings.simd,
        };
        let kernel = PairDistances { distance, pairs };
        search.run(settings, workers, &searched, &kernel, |near| {
            Wanted::Near(near)
        })?;
        Ok(None)
    }
}

impl ListSearch<'_> {
    /// Searches the second store for each shape of the first.
    fn run(
        self,
        settings: Settings,
        workers: Workers<'_>,
        searched: &SearchedStores<'_>,
        kernel: &dyn TestPairs,
        wanted: for<'w> fn(Listing<'w>) -> Wanted<'w>,
    ) -> Result<(), Error> {
        let ListSearch {
            within,
            most,
            lists,
            candidates,
            invalid,
            ..
        } = self;
        let budget = &Budget::new(usize::MAX);
        // Empty lists: what is not at hand is not searched.
        let within = match most {
            0 => First {
                enter: 0.0,
                ..within
            },
            _ => within,
        };
        let wanted = wanted(Listing {
            kernel,
            most,
            budget,
        });
        let found = searched.search(candidates, workers, settings.margin, wanted, &|_| within)?;
        candidates.lists(searched.a.len(), budget, lists)?;
        *invalid = found;
        searched.refuse(settings, found)
    }
}
