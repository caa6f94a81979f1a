//! Nearest shapes: the search of `candidates` by distance, with the distance kernel of two kinds of shapes.

use crate::broad::candidates::Candidates;
use crate::broad::nearest::Nearest;
use crate::broad::scene::{FoundPairs, SearchedStores};
use crate::broad::search::local_bounds::LocalBounds;
use crate::broad::search::wanted::{First, TestPairs, Times, Wanted};
use crate::driver::call::{Answered, Call, Kernel, Query, Supports};
use crate::driver::plan::plan_whole;
use crate::driver::rows::PackedPairs;
use crate::driver::threads::Workers;
use crate::error::{Error, InvalidShapes};
use crate::lane::WORD;
use crate::limits;
use crate::memory::pages::Lines;
use crate::narrow::distance::distances::{DistanceSlices, Distances};
use crate::narrow::distance::stage::{DistanceJob, DistanceTable};
use crate::pairs::Pair;
use crate::shapes::groups::Filters;
use crate::shapes::obb::Obb;
use crate::shapes::raw_columns::Motion;
use crate::shapes::shape::Shape;
use crate::store::columns::AnyColumns;

/// Number of pairs that a search is expected to test for each shape.
const PAIRS_FOR_EACH: usize = 8;

impl<A: Supports<Distances, B>, B: Shape> Supports<Nearest, B> for A {
    const KERNEL: Kernel<Nearest> = Kernel {
        table: <A as Supports<Distances, B>>::KERNEL.table,
        swapped: <A as Supports<Distances, B>>::KERNEL.swapped,
    };
}

/// A search for nearest shapes, with its outputs.
pub struct NearestSearch<'o> {
    pub radius: f32,
    pub nearest: &'o mut Nearest,
    /// Groups and bodies, in the caller's order.
    pub filters: [Filters<'o>; 2],
    pub candidates: &'o mut Candidates,
    pub invalid: &'o mut InvalidShapes,
}

impl Query for Nearest {
    type Table = DistanceTable;
    type Out<'o> = NearestSearch<'o>;
    const MOTION: Motion = Motion::None;

    /// Reads whole stores.
    fn answer(
        call: Call<'_>,
        table: &'static DistanceTable,
        search: NearestSearch<'_>,
    ) -> Answered {
        let radius = valid_radius(search.radius, &call)?;
        search.run(call, table, radius)?;
        Ok(None)
    }
}

/// The radius of a search by distance.
pub fn valid_radius(radius: f32, call: &Call<'_>) -> Result<f32, Error> {
    let radius = limits::length(radius).ok_or(Error::BadRadius { radius })?;
    let margin = call.settings.margin;
    if margin != 0.0 {
        return Err(Error::MarginNotAllowed { margin });
    }
    Ok(radius)
}

/// Packs the rows that a search by distance reads. Points are measured where a tree holds them.
pub fn plan<'s>(
    table: &'static DistanceTable,
    workers: Workers<'s>,
    stores: [&'s AnyColumns<'s>; 2],
    scratch: &'s mut [Lines; 2],
    searched: &SearchedStores<'_>,
) -> Option<PackedPairs<'s>> {
    if table.are_points {
        return None;
    }
    let expected = searched.expected(PAIRS_FOR_EACH);
    plan_whole(workers, &table.forms, stores, scratch, expected)
}

impl NearestSearch<'_> {
    /// Searches the second store for each shape of the first.
    fn run(self, call: Call<'_>, table: &'static DistanceTable, radius: f32) -> Result<(), Error> {
        let NearestSearch {
            nearest,
            filters,
            candidates,
            invalid,
            ..
        } = self;
        let Call {
            settings,
            workers,
            stores,
            swapped,
            scratch,
            ..
        } = call;
        let Some(searched) = SearchedStores::new(stores, swapped, filters, Motion::None) else {
            return Ok(());
        };
        let len = searched.a.len();
        let out_of_memory = |_| Error::OutOfMemory { pairs: len };
        nearest.try_reserve(len).map_err(out_of_memory)?;
        let pairs = FoundPairs {
            stores,
            rows: plan(table, workers, stores, &mut scratch.rows, &searched),
            swapped,
            simd: settings.simd,
        };
        let kernel = PairDistances {
            distance: table,
            pairs,
        };
        let (wanted, within) = (Wanted::Nearest(&kernel), |_| First::within(radius));
        *invalid = searched.search(candidates, workers, settings.margin, wanted, &within)?;
        nearest.begin(len);
        for (i, first) in candidates.results() {
            let found = first.is_found.then_some((first.other, first.enter));
            nearest.set(i, first.exit, found);
        }
        candidates
            .invalid_searchers()
            .for_each(|i| nearest.flag_invalid(i));
        searched.refuse(settings, *invalid)
    }
}

/// Finds the distances of pairs by a kernel.
pub struct PairDistances<'s> {
    pub distance: &'static DistanceTable,
    pub pairs: FoundPairs<'s>,
}

impl TestPairs for PairDistances<'_> {
    fn refines(&self) -> bool {
        false
    }

    fn uses_cutoffs(&self) -> bool {
        self.distance.is_slow
    }

    fn are_points(&self) -> bool {
        self.distance.are_points
    }

    fn local_bounds(&self, shape: u32) -> Option<LocalBounds> {
        let columns = self.pairs.stores[usize::from(self.pairs.swapped)];
        columns.hulls()?;
        Some(LocalBounds::of(columns.shape::<Obb>(shape as usize)))
    }

    fn test(&self, pairs: &[Pair], times: &mut Times) {
        let (len, words) = (pairs.len(), pairs.len().div_ceil(WORD));
        let shapes = self.pairs.shapes(pairs);
        let Times {
            hits,
            invalid,
            enter,
            exit,
            cutoffs,
            ..
        } = times;
        let mut columns = <[&mut [f32]; _]>::default();
        [columns[0], columns[1]] = [&mut exit[..len], &mut enter[..len]];
        let out = DistanceSlices {
            first: 0,
            len,
            unsettled: &mut hits[..words],
            invalid: &mut invalid[..words],
            columns,
        };
        let (simd, swapped) = (self.pairs.simd.filled_by(len), self.pairs.swapped);
        let job = DistanceJob {
            shapes,
            swapped,
            // Kernels that do not use them ignore them.
            cutoffs: &cutoffs[..len],
            out,
        };
        (self.distance.find)(simd, job);
        // Every distance counts.
        for (hits, invalid) in hits.iter_mut().zip(invalid).take(words) {
            *hits = !*invalid;
        }
    }
}
