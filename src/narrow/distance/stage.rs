//! Distance stage: treats every pair of a list as a hit of the [contact stage](crate::narrow::contact::stage). So rows are read the
//! same way, and one loop per kernel is compiled.

use crate::driver::call::{Answered, Call, Query, TableOf};
use crate::driver::pack::{FormTable, PairForms};
use crate::driver::rows::PairShapes;
use crate::driver::source::{PairBatch, Separate};
use crate::driver::stage::{BLOCK, HitRows, with_rows};
use crate::driver::threads::Divide;
use crate::error::Error;
use crate::lane::{
    FEWEST_KERNEL_LANES, Float, Job, Lanes, Mask, Simd, Vec3, WORD, most_kernel_lanes,
};
use crate::narrow::distance::distances::{
    ClosestPoints, DISTANCE_COLUMNS, DistanceSlices, Distances,
};
use crate::narrow::distance::search::DistanceKernel;
use crate::narrow::distance::uneven::{FindUnevenDistances, UnevenDistances};
use crate::shapes::form::{PairLengths, Static};
use crate::shapes::point::Point;
use crate::shapes::raw_columns::Motion;
use crate::shapes::shape::Shape;
use crate::shapes::sphere::Sphere;

impl Query for Distances {
    type Table = DistanceTable;
    type Out<'o> = (&'o mut Distances, Option<&'o mut ClosestPoints>);
    const MOTION: Motion = Motion::None;

    fn answer(
        call: Call<'_>,
        table: &'static DistanceTable,
        (distances, points): (&mut Distances, Option<&mut ClosestPoints>),
    ) -> Answered {
        let settings = call.settings;
        if settings.margin != 0.0 {
            return Err(Error::MarginNotAllowed {
                margin: settings.margin,
            });
        }
        write(call, table, distances, points)?;
        let refused = || distances.iter_invalid().next();
        Ok(settings.strict.then(refused).flatten())
    }
}

/// The table of the distances of two shapes.
pub struct DistanceTable {
    pub forms: PairForms,
    /// Whether a pair takes a search.
    pub is_slow: bool,
    /// Whether both shapes are points.
    pub are_points: bool,
    pub find: fn(Simd, DistanceJob<'_, '_>),
}

impl DistanceTable {
    /// Minimum number of pairs for a thread.
    pub fn grain(&self) -> usize {
        (3 << if self.is_slow { 13 } else { 16 }) / (self.forms.a.width + self.forms.b.width)
    }

    /// The table of the distances of shapes `A` and `B`, by the kernel of `KA` and `KB`.
    const fn by<A: Shape, B: Shape, KA: DistanceKernel<KB>, KB: Shape>() -> Self {
        DistanceTable {
            forms: PairForms {
                a: <Static<A> as FormTable>::OPS,
                b: <Static<B> as FormTable>::OPS,
                columns: DISTANCE_COLUMNS,
            },
            is_slow: false,
            are_points: false,
            find: find::<KA, KB>,
        }
    }
}

impl<A: DistanceKernel<B>, B: Shape> TableOf<Distances, B> for A {
    const TABLE: DistanceTable = DistanceTable::by::<A, B, A, B>();
}

/// Distances of points, by the kernels of spheres.
impl<B: Shape> TableOf<Distances, B> for Point
where
    Sphere: DistanceKernel<B>,
{
    const TABLE: DistanceTable = DistanceTable::by::<Point, B, Sphere, B>();
}

impl TableOf<Distances, Point> for Point {
    const TABLE: DistanceTable = DistanceTable {
        are_points: true,
        ..DistanceTable::by::<Point, Point, Sphere, Sphere>()
    };
}

/// Writes the distances of all pairs. If memory runs out, the outputs are unchanged.
fn write(
    call: Call<'_>,
    table: &'static DistanceTable,
    distances: &mut Distances,
    points: Option<&mut ClosestPoints>,
) -> Result<(), Error> {
    let (workers, swapped) = (call.workers, call.swapped);
    let (shapes, len) = call.shapes(&table.forms)?;
    let out_of_memory = |_| Error::OutOfMemory { pairs: len };
    let out = DistanceSlices::of(distances, points, len).map_err(out_of_memory)?;
    let job = DistanceJob {
        shapes,
        swapped,
        cutoffs: &[],
        out,
    };
    workers.divide(job, table.grain(), table.find);
    Ok(())
}

/// Finds the distances of a span of pairs.
pub struct DistanceJob<'a, 's> {
    pub shapes: PairShapes<'s>,
    pub swapped: bool,
    /// Distance of each pair above which its bounds need not be close; empty for none.
    pub cutoffs: &'a [f32],
    pub out: DistanceSlices<'a>,
}

impl Divide for DistanceJob<'_, '_> {
    fn len(&self) -> usize {
        self.out.len
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (low, high) = self.out.split_at(middle);
        let (cutoffs, cutoffs_high) = self.cutoffs.split_at(middle.min(self.cutoffs.len()));
        (
            DistanceJob {
                cutoffs,
                out: low,
                ..self
            },
            DistanceJob {
                cutoffs: cutoffs_high,
                out: high,
                ..self
            },
        )
    }
}

/// Finds the distances of a span of pairs by the kernel of `A` and `B`.
pub fn find<A: DistanceKernel<B>, B: Shape>(simd: Simd, job: DistanceJob<'_, '_>) {
    with_rows(job.shapes, job.out.len, true, |hits| {
        simd.run(FindDistances::<A, B> { job, hits });
    });
}

struct FindDistances<'a, 'h, 's, A: Shape, B: Shape> {
    job: DistanceJob<'a, 's>,
    hits: HitRows<'h, 's, Static<A>, Static<B>>,
}

/// A word of each column.
type Word = [[f32; WORD]; DISTANCE_COLUMNS];

impl<A: DistanceKernel<B>, B: Shape> Job for FindDistances<'_, '_, '_, A, B> {
    type Output = ();
    const FEWEST: usize = FEWEST_KERNEL_LANES;
    const MOST: usize = most_kernel_lanes(A::LANES);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let FindDistances { job, mut hits } = self;
        let (swapped, out) = (job.swapped, job.out);
        let [lower_column, upper_column, mut points @ ..] = out.columns;
        let wants_points = !points[0].is_empty();
        let zero = lanes.splat(0.0);
        let mut scratch = [[0; 2]; WORD];
        let mut word: Word = [[0.0; WORD]; DISTANCE_COLUMNS];
        let [lower_word, upper_word, point_words @ ..] = &mut word;
        let mut first = 0;
        while first < out.len {
            let block = BLOCK.min(out.len - first);
            let (rows, mut place) = hits.stage_run(lanes, out.first + first, block);
            let (start, end) = (first, first + block);
            let mut words = [0; BLOCK / WORD];
            while first < end {
                let len = WORD.min(end - first);
                let batch = rows.run_of(place, len, &mut scratch);
                // Only the last word of a list may be partial.
                let lower_to = lower_column[first..]
                    .first_chunk_mut()
                    .unwrap_or(&mut *lower_word);
                let upper_to = upper_column[first..]
                    .first_chunk_mut()
                    .unwrap_or(&mut *upper_word);
                let (mut unsettled, mut invalid, mut uneven, mut at) = (0, 0, 0, 0);
                while at < len {
                    let ((a, b), bad) = batch.load::<Separate, L>(lanes, at, zero);
                    if const { !A::IS_FINE } {
                        let lengths = PairLengths {
                            sizes: [A::wide_size(a), B::wide_size(b)],
                            distance: None,
                            motion: None,
                        };
                        let are_uneven = lengths.are_uneven(lanes, zero) & !bad;
                        uneven |= are_uneven.bits() << at;
                    }
                    let found = A::distance(lanes, a, b);
                    let upper = found.upper.select(!bad, lanes.splat(f32::INFINITY));
                    lanes.store(found.lower.select(!bad, zero), &mut lower_to[at..]);
                    lanes.store(upper, &mut upper_to[at..]);
                    if wants_points {
                        let [x, y] = found.points;
                        // Re-base the points on B.
                        let [from, to, base] = if swapped {
                            [y, x, found.offset]
                        } else {
                            [x, y, Vec3([zero; 3])]
                        };
                        let mut k = 0;
                        while k < 3 {
                            let nan = lanes.splat(f32::NAN);
                            // Never −0.
                            let from = (from.0[k] - base.0[k] + zero).select(!bad, nan);
                            let to = (to.0[k] - base.0[k] + zero).select(!bad, nan);
                            lanes.store(from, &mut point_words[k][at..]);
                            lanes.store(to, &mut point_words[3 + k][at..]);
                            k += 1;
                        }
                    }
                    unsettled |= (!(found.settled | bad)).bits() << at;
                    invalid |= bad.bits() << at;
                    at += L::COUNT;
                }
                if len < WORD {
                    lower_column[first..].copy_from_slice(&lower_word[..len]);
                    upper_column[first..].copy_from_slice(&upper_word[..len]);
                }
                if wants_points {
                    for (column, word) in points.iter_mut().zip(&*point_words) {
                        column[first..][..len].copy_from_slice(&word[..len]);
                    }
                }
                let used = u64::MAX >> (WORD - len);
                unsettled &= used;
                uneven &= used;
                words[(first - start) / WORD] = uneven;
                out.unsettled[first / WORD] = unsettled;
                out.invalid[first / WORD] = invalid & used;
                first += len;
                place += len;
            }
            for (word, &bits) in words.iter().enumerate().filter(|(_, bits)| **bits != 0) {
                let first = start + word * WORD;
                let points = points
                    .each_mut()
                    .map(|column| column.get_mut(first..).unwrap_or_default());
                let [x, y, z, u, v, w] = points;
                let (lower, upper) = (&mut lower_column[first..], &mut upper_column[first..]);
                lanes
                    .doubles()
                    .call::<FindUnevenDistances<'_, '_, A, B>>(UnevenDistances {
                        columns: hits.columns(),
                        swapped,
                        first: out.first + first,
                        bits,
                        unsettled: &mut out.unsettled[first / WORD],
                        out: [lower, upper, x, y, z, u, v, w],
                    });
            }
        }
    }
}
