//! Nearest shapes: the search of `candidates` by distance, with the distances of two kinds of shapes.

use super::by_pair::{PackedPairs, PairShapes};
use super::check::CheckedPairs;
use super::displacement;
use super::distance::{DistanceJob, Spheres};
use super::ops::{DistanceOps, NearestOps};
use super::plan::plan_whole;
use super::query::{Answered, Call, Query, Stage};
use crate::candidates::search::{First, TestPairs, Times, Wanted};
use crate::candidates::{Admitted, Among, BoundedSide, Searching};
use crate::distances::DistanceSlices;
use crate::error::{Error, InvalidShapes};
use crate::hits::WORD;
use crate::lane::Simd;
use crate::limits::MAX_LENGTH;
use crate::nearest::Nearest;
use crate::pairs::Pair;
use crate::shapes::{AnyColumns, During, Filters, Motion, PairFilter};
use crate::threads::Workers;

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
        if !(0.0..=MAX_LENGTH).contains(&radius) {
            return Err(Error::BadRadius { radius });
        }
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
    let ([mut a, mut b], [mut bounds_a, mut bounds_b]) = (stores, ops.bounds);
    if swapped {
        (a, b, bounds_a, bounds_b) = (b, a, bounds_b, bounds_a);
    }
    // The first store has bounded shapes, by the bound of the method.
    let Some(bounds_a) = bounds_a else {
        return Ok(());
    };
    let len = a.len();
    let out_of_memory = |_| Error::OutOfMemory { pairs: len };
    nearest.try_reserve(len).map_err(out_of_memory)?;
    let lens = stores.map(AnyColumns::len);
    Spheres::reserve(ops.distance, stores, lens, radii).map_err(out_of_memory)?;
    let expected = match bounds_b {
        Some(_) => len.saturating_mul(PAIRS_FOR_EACH),
        None => len.saturating_mul(b.len()),
    };
    let workers = settings.workers(helpers);
    let forms = &ops.distance.forms;
    let rows = plan_whole(workers, forms, stores, &mut detector.scratch, expected);
    let kernel = Kernel {
        distance: ops.distance,
        stores,
        radii,
        rows,
        swapped,
        lens: [a.len(), b.len()],
        simd: settings.simd,
    };
    let during = During::Start;
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
    let admitted = Admitted {
        filter: PairFilter::new(filters[0], filters[1]),
        threshold: 0.0,
    };
    let candidates = &mut detector.candidates;
    let (workers, wanted) = (workers.of_at_most(8), Wanted::Nearest(&kernel));
    let within = |_| First::within(radius);
    *invalid = candidates.search(workers, searching, among, admitted, wanted, &within)?;
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
    /// In kernel order.
    stores: [&'s AnyColumns<'s>; 2],
    /// Those of points: zeros.
    radii: &'s [f32],
    rows: Option<PackedPairs<'s>>,
    /// Whether the caller passed the stores reversed.
    swapped: bool,
    /// In the caller's order.
    lens: [usize; 2],
    simd: Simd,
}

impl TestPairs for Kernel<'_> {
    fn test(&self, pairs: &[Pair], times: &mut Times) {
        let (len, words) = (pairs.len(), pairs.len().div_ceil(WORD));
        let alone = Workers::new(self.simd, false);
        let Some(list) = CheckedPairs::new(alone, pairs, self.lens, self.swapped) else {
            unreachable!("a search finds shapes of its stores")
        };
        let shapes = PairShapes {
            list,
            columns: self.stores,
            rows: self.rows,
        };
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
        let simd = self.simd.filled_by(len);
        Spheres::with(self.distance, shapes, self.swapped, self.radii, |shapes| {
            let job = DistanceJob {
                shapes,
                swapped: self.swapped,
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
