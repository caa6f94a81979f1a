//! Impact stage: conservative advancement of the near pairs until each hits or separates.
//!
//! Pairs advance independently, so a result never depends on its neighbours in the vector. A round advances all pairs
//! of a pool by one step, in full vectors; pairs that are done leave, and others take their places.

use core::ops::Range;

use crate::driver::call::{Answered, Call, Query, TableOf};
use crate::driver::rows::{PairShapes, RowsBatch};
use crate::driver::source::{PairBatch, Separate};
use crate::driver::stage::{BLOCK, HitRows, with_rows};
use crate::driver::test::TestTable;
use crate::driver::threads::{Divide, Workers};
use crate::error::Error;
use crate::lane::{
    FEWEST_KERNEL_LANES, Job, Lanes, MAX_LANES, Mask, Simd, WORD, most_kernel_lanes,
};
use crate::limits;
use crate::narrow::impact::advance::{Advance, AdvanceCursor, AdvanceStep};
use crate::narrow::impact::impacts::{Impacts, Outcome};
use crate::shapes::raw_columns::Motion;
use crate::shapes::shape::Shape;

/// Number of pairs that advance together.
const POOL: usize = BLOCK;

/// Iteration limit: the pair keeps its current lower bound.
const STEPS: u32 = 512;

impl Query for Impacts {
    type Table = ImpactTable;
    /// The tolerance comes first.
    type Out<'o> = (f32, &'o mut Impacts);
    const MOTION: Motion = Motion::Turning;

    fn answer(
        call: Call<'_>,
        table: &'static ImpactTable,
        (tolerance, impacts): (f32, &mut Impacts),
    ) -> Answered {
        let tolerance = limits::length(tolerance).ok_or(Error::BadTolerance { tolerance })?;
        let (settings, workers) = (call.settings, call.workers);
        let shapes = call.find_hits(table.test, impacts)?;
        write(workers, settings.margin, table, shapes, tolerance, impacts)?;
        Ok(impacts.masks.refused(settings))
    }
}

/// The table of the impacts of two shapes.
pub struct ImpactTable {
    /// Finds the pairs whose bounding spheres meet.
    pub test: &'static TestTable,
    /// Minimum number of pairs for a thread.
    pub grain: usize,
    pub advance: fn(Simd, ToiJob<'_, '_>),
}

impl<A: Advance<B>, B: Shape> TableOf<Impacts, B> for A {
    const TABLE: ImpactTable = ImpactTable {
        test: &TestTable::of::<Impacts, A, B>(),
        grain: 1024,
        advance: advance::<A, B>,
    };
}

/// Replaces the times of impact of the bounding spheres by those of the shapes. Empties the output if the memory for
/// the search cannot be allocated.
fn write(
    workers: Workers<'_>,
    margin: f32,
    table: &'static ImpactTable,
    shapes: PairShapes<'_>,
    tolerance: f32,
    impacts: &mut Impacts,
) -> Result<(), Error> {
    let pairs = impacts.len();
    let Ok((positions, times)) = impacts.positions_and_times() else {
        *impacts = Impacts::new();
        return Err(Error::OutOfMemory { pairs });
    };
    let job = ToiJob {
        shapes,
        margin,
        tolerance,
        positions,
        times,
        first: 0,
    };
    workers.divide(job, table.grain, table.advance);
    impacts.settle();
    Ok(())
}

/// Finds the times of impact of some pairs.
pub struct ToiJob<'a, 's> {
    pub shapes: PairShapes<'s>,
    pub margin: f32,
    pub tolerance: f32,
    /// The positions of the pairs, in order.
    pub positions: &'a [u32],
    /// The times from position `first` on.
    pub times: &'a mut [f32],
    pub first: usize,
}

impl Divide for ToiJob<'_, '_> {
    fn len(&self) -> usize {
        self.positions.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (low, high) = self.positions.split_at(middle);
        let end = self.first + self.times.len();
        let next = high.first().map_or(end, |&position| position as usize);
        let (times_low, times_high) = self.times.split_at_mut(next - self.first);
        (
            ToiJob {
                positions: low,
                times: times_low,
                ..self
            },
            ToiJob {
                positions: high,
                times: times_high,
                first: next,
                ..self
            },
        )
    }
}

/// Finds the times of impact of some pairs by the kernel of `A` and `B`.
pub fn advance<A: Advance<B>, B: Shape>(simd: Simd, job: ToiJob<'_, '_>) {
    with_rows(job.shapes, job.len(), false, |hits| {
        simd.run(AdvancePairs::<A, B> { job, hits });
    });
}

struct AdvancePairs<'a, 'h, 's, A: Shape, B: Shape> {
    job: ToiJob<'a, 's>,
    hits: HitRows<'h, 's, A::FullMotion, B::FullMotion>,
}

/// The pairs in progress.
struct Pool {
    len: usize,
    position: [u32; POOL],
    /// Lower bound of the time of impact.
    time: [f32; POOL],
    /// Length of the next step.
    span: [f32; POOL],
    steps: [u32; POOL],
}

impl Pool {
    /// Moves a pair to another place.
    #[inline(always)]
    fn keep(&mut self, from: usize, to: usize) {
        self.position[to] = self.position[from];
        self.time[to] = self.time[from];
        self.span[to] = self.span[from];
        self.steps[to] = self.steps[from];
    }
}

impl<A: Advance<B>, B: Shape> Job for AdvancePairs<'_, '_, '_, A, B> {
    type Output = ();
    const FEWEST: usize = FEWEST_KERNEL_LANES;
    const MOST: usize = most_kernel_lanes(MAX_LANES);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let AdvancePairs { mut job, mut hits } = self;
        let mut pool = Pool {
            len: 0,
            position: [0; POOL],
            time: [0.0; POOL],
            span: [0.0; POOL],
            steps: [0; POOL],
        };
        let mut taken = 0;
        loop {
            // Refill the free places.
            while pool.len < POOL && taken < job.positions.len() {
                let position = job.positions[taken];
                let at = pool.len;
                pool.position[at] = position;
                pool.time[at] = job.times[position as usize - job.first];
                pool.span[at] = 1.0;
                pool.steps[at] = 0;
                pool.len += 1;
                taken += 1;
            }
            if pool.len == 0 {
                return;
            }
            job.round::<L, A, B>(lanes, &mut hits, &mut pool);
        }
    }
}

impl ToiJob<'_, '_> {
    /// Advances all pairs of the pool by one step.
    #[inline(always)]
    fn round<L: Lanes, A: Advance<B>, B: Shape>(
        &mut self,
        lanes: L,
        hits: &mut HitRows<'_, '_, A::FullMotion, B::FullMotion>,
        pool: &mut Pool,
    ) {
        let positions = pool.position;
        let (rows, staged) = hits.stage(lanes, &positions[..pool.len]);
        let (mut first, mut kept, mut scratch) = (0, 0, [[0; 2]; WORD]);
        for word in staged.chunks(WORD) {
            let len = word.len();
            let batch = rows.gathered(word, &mut scratch);
            let done = self.step::<L, A, B>(lanes, &batch, pool, first..first + len);
            let mut at = 0;
            while at < len {
                let from = first + at;
                pool.steps[from] += 1;
                let time = pool.time[from];
                let outcome = if done >> at & 1 == 0 {
                    (pool.steps[from] == STEPS).then_some(Outcome::IterationLimit(time))
                } else if time == f32::INFINITY {
                    Some(Outcome::Miss)
                } else {
                    Some(Outcome::Hit(time))
                };
                if let Some(outcome) = outcome {
                    self.times[pool.position[from] as usize - self.first] = outcome.encode();
                } else {
                    pool.keep(from, kept);
                    kept += 1;
                }
                at += 1;
            }
            first += len;
        }
        pool.len = kept;
    }

    /// Advances some pairs by one step. Returns a mask of those that are done.
    #[inline(always)]
    fn step<L: Lanes, A: Advance<B>, B: Shape>(
        &self,
        lanes: L,
        batch: &RowsBatch<'_, A::FullMotion, B::FullMotion>,
        pool: &mut Pool,
        Range { start: first, end }: Range<usize>,
    ) -> u64 {
        let margin = lanes.splat(self.margin);
        let tolerance = lanes.splat(self.tolerance);
        let (mut done, mut at) = (0, 0);
        while at < end - first {
            let ((a, b), _bad) = batch.load::<Separate, L>(lanes, at, margin);
            let (time, span) = (&mut pool.time[first + at..], &mut pool.span[first + at..]);
            let cursor = AdvanceCursor {
                time: lanes.load(time),
                span: lanes.load(span),
            };
            let (next, is_done) =
                lanes.call::<AdvanceStep<A, B>>((a, b, cursor, [margin, tolerance]));
            lanes.store(next.time, time);
            lanes.store(next.span, span);
            done |= is_done.bits() << at;
            at += L::COUNT;
        }
        done
    }
}

const _: () = assert!(POOL.is_multiple_of(MAX_LANES));
