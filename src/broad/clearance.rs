//! Nearest shapes: the search of `candidates` by distance, with the distance kernel of two kinds of shapes.

use crate::broad::nearest::Nearest;
use crate::broad::scene::{FoundPairs, SearchedStores};
use crate::broad::search::{First, TestPairs, Times, Wanted};
use crate::driver::call::{Answered, Call, Query, Stage};
use crate::driver::plan::plan_whole;
use crate::driver::spheres;
use crate::driver::spheres::with_spheres;
use crate::error::{Error, InvalidShapes};
use crate::lane::WORD;
use crate::limits;
use crate::narrow::distance::distances::DistanceSlices;
use crate::narrow::distance::stage::DistanceJob;
use crate::narrow::ops::{DistanceOps, NearestOps};
use crate::pairs::Pair;
use crate::shapes::form::Motion;
use crate::shapes::groups::Filters;
use crate::store::columns::AnyColumns;

/// Number of pairs that a search is expected to test for each shape.
const PAIRS_FOR_EACH: usize = 8;

impl Query for Nearest {
    type Ops = NearestOps;
    /// The radius comes first. Groups and bodies are in the caller's order.
    type Out<'o> = (
        f32,
        &'o mut Nearest,
        [Filters<'o>; 2],
        &'o mut InvalidShapes,
    );
    const MOTION: Motion = Motion::None;

    /// Reads whole stores.
    fn answer(
        call: Call<'_>,
        ops: &'static NearestOps,
        (radius, nearest, filters, invalid): Self::Out<'_>,
    ) -> Answered {
        let radius = limits::length(radius).ok_or(Error::BadRadius { radius })?;
        let margin = call.detector.settings.margin;
        if margin != 0.0 {
            return Err(Error::MarginNotAllowed { margin });
        }
        call.with_stage(|call, stage| search(call, stage, ops, radius, nearest, filters, invalid))?;
        Ok(None)
    }
}

/// Searches the second store for each shape of the first.
fn search(
    call: Call<'_>,
    Stage {
        settings,
        helpers,
        radii,
    }: &mut Stage,
    ops: &'static NearestOps,
    radius: f32,
    nearest: &mut Nearest,
    filters: [Filters<'_>; 2],
    invalid: &mut InvalidShapes,
) -> Result<(), Error> {
    let Call {
        detector,
        stores,
        swapped,
        ..
    } = call;
    let Some(searched) = SearchedStores::new(stores, ops.bounds, swapped, filters, Motion::None)
    else {
        return Ok(());
    };
    let len = searched.a.len();
    let out_of_memory = |_| Error::OutOfMemory { pairs: len };
    nearest.try_reserve(len).map_err(out_of_memory)?;
    let lens = stores.map(AnyColumns::len);
    spheres::reserve(ops.distance.of_points, stores, lens, radii).map_err(out_of_memory)?;
    let workers = settings.workers(helpers);
    let (forms, expected) = (&ops.distance.forms, searched.expected(PAIRS_FOR_EACH));
    let kernel = Kernel {
        distance: ops.distance,
        pairs: FoundPairs {
            stores,
            rows: plan_whole(workers, forms, stores, &mut detector.scratch, expected),
            swapped,
            simd: settings.simd,
        },
        radii,
    };
    let candidates = &mut detector.candidates;
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
    Ok(())
}

/// Finds the distances of pairs by a kernel.
struct Kernel<'s> {
    distance: &'static DistanceOps,
    pairs: FoundPairs<'s>,
    /// Radii of points: zeros.
    radii: &'s [f32],
}

impl TestPairs for Kernel<'_> {
    fn test(&self, pairs: &[Pair], times: &mut Times) {
        let (len, words) = (pairs.len(), pairs.len().div_ceil(WORD));
        let shapes = self.pairs.shapes(pairs);
        let Times {
            hits,
            invalid,
            enter,
            exit,
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
        let of_points = self.distance.of_points;
        with_spheres(of_points, shapes, swapped, self.radii, |shapes| {
            let job = DistanceJob {
                shapes,
                swapped,
                out,
            };
            (self.distance.find)(simd, job);
        });
        // Every distance counts.
        for (hits, invalid) in hits.iter_mut().zip(invalid).take(words) {
            *hits = !*invalid;
        }
    }
}
