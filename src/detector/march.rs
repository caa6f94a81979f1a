//! Impacts: of the pairs that come near, gathered step by step, until all have touched or passed.
//!
//! Each pair marches through the frame by itself, so its course is the same whatever is beside it. A round takes one step
//! of all pairs in a pool, full lanes of them; those that are done leave, and others take their places.

use super::check::IndexPair;
use super::run::{Source, Window};
use super::touch::Listed;
use crate::error::Error;
use crate::hits::WORD;
use crate::impacts::Impacts;
use crate::kernel::load::Separate;
use crate::kernel::march::{March, Place, Stepping};
use crate::lane::{Job, Lanes, MAX_LANES, Mask, Split};
use crate::pairs::Pairs;
use crate::shapes::Shape;
use crate::threads::Workers;

/// How many pairs march together: their rows stay in the caches.
const POOL: usize = 4 * WORD;

/// After so many steps a march ends where it is.
const STEPS: u32 = 512;

/// The pairs that come near one another.
pub struct Near<'a, 'c, A: Shape, B: Shape> {
    /// Where their shapes are.
    pub source: Listed<'a, 'c, A::InMotion, B::InMotion>,
    /// The list, as the caller names them.
    pub pairs: Pairs<'a>,
    pub margin: f32,
    pub tolerance: f32,
}

impl<A: Shape, B: Shape> Clone for Near<'_, '_, A, B> {
    fn clone(&self) -> Self {
        Near {
            source: self.source.clone(),
            ..*self
        }
    }
}

/// Replaces the times at which pairs come near by those at which they touch.
pub fn write<A: March<B>, B: Shape>(
    workers: Workers,
    near: Near<'_, '_, A, B>,
    impacts: &mut Impacts,
) -> Result<(), Error> {
    let pairs = impacts.len();
    let Ok((positions, times)) = impacts.positions_and_times() else {
        *impacts = Impacts::new();
        return Err(Error::OutOfMemory { pairs });
    };
    workers.execute(Marches {
        near,
        positions,
        times,
        first: 0,
    });
    impacts.settle();
    Ok(())
}

/// The marches of some pairs.
struct Marches<'a, 's, 'c, A: Shape, B: Shape> {
    near: Near<'s, 'c, A, B>,
    /// The positions of the pairs, in order.
    positions: &'a [u32],
    /// The times from position `first` on.
    times: &'a mut [f32],
    first: usize,
}

/// Pairs on their way.
struct Pool {
    len: usize,
    pairs: [IndexPair; POOL],
    /// The place of its time.
    place: [u32; POOL],
    /// Before which it does not touch.
    time: [f32; POOL],
    /// How long its next step is.
    span: [f32; POOL],
    steps: [u32; POOL],
}

impl Pool {
    /// Moves a pair to another place.
    #[inline(always)]
    fn keep(&mut self, from: usize, to: usize) {
        self.pairs[to] = self.pairs[from];
        self.place[to] = self.place[from];
        self.time[to] = self.time[from];
        self.span[to] = self.span[from];
        self.steps[to] = self.steps[from];
    }
}

impl<A: March<B>, B: Shape> Job for Marches<'_, '_, '_, A, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) {
        let mut pool = Pool {
            len: 0,
            pairs: [[0; 2]; POOL],
            place: [0; POOL],
            time: [0.0; POOL],
            span: [0.0; POOL],
            steps: [0; POOL],
        };
        let mut taken = 0;
        loop {
            // Others take the free places.
            while pool.len < POOL && taken < self.positions.len() {
                let position = self.positions[taken] as usize;
                let named = self.near.pairs.at(position);
                let place = position - self.first;
                let at = pool.len;
                pool.pairs[at] = [named.a, named.b];
                pool.place[at] = place as u32;
                pool.time[at] = self.times[place];
                pool.span[at] = 1.0;
                pool.steps[at] = 0;
                pool.len += 1;
                taken += 1;
            }
            if pool.len == 0 {
                return;
            }
            self.round(lanes, &mut pool);
        }
    }
}

impl<A: March<B>, B: Shape> Marches<'_, '_, '_, A, B> {
    /// Takes a step of all pairs in the pool.
    #[inline(always)]
    fn round<L: Lanes>(&mut self, lanes: L, pool: &mut Pool) {
        let mut scratch = [[0; 2]; WORD];
        let (mut first, mut kept) = (0, 0);
        while first < pool.len {
            let len = WORD.min(pool.len - first);
            let mut picked = [[0; 2]; WORD];
            picked[..len].copy_from_slice(&pool.pairs[first..first + len]);
            let done = match &self.near.source {
                Listed::Rows(rows) => {
                    let rows = rows.picked(&picked[..len]);
                    let window = rows.window(lanes, 0, len, &mut scratch);
                    self.groups(lanes, &window, pool, first, len)
                }
                Listed::Columns(columns) => {
                    let columns = columns.picked(&picked[..len]);
                    let window = columns.window(lanes, 0, len, &mut scratch);
                    self.groups(lanes, &window, pool, first, len)
                }
            };
            let mut at = 0;
            while at < len {
                let from = first + at;
                pool.steps[from] += 1;
                if done >> at & 1 == 1 {
                    self.times[pool.place[from] as usize] = pool.time[from];
                } else if pool.steps[from] == STEPS {
                    self.times[pool.place[from] as usize] = -pool.time[from];
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

    /// Takes a step of some pairs, and says which are done.
    #[inline(always)]
    fn groups<L: Lanes>(
        &self,
        lanes: L,
        window: &impl Window<A::InMotion, B::InMotion>,
        pool: &mut Pool,
        first: usize,
        len: usize,
    ) -> u64 {
        let margin = lanes.splat(self.near.margin);
        let tolerance = lanes.splat(self.near.tolerance);
        let (mut done, mut at) = (0, 0);
        while at < len {
            let ((a, b), _bad) = window.load::<Separate, L>(lanes, at, margin);
            let (time, span) = (&mut pool.time[first + at..], &mut pool.span[first + at..]);
            let place = Place {
                time: lanes.load(time),
                span: lanes.load(span),
            };
            let (next, is_done) = lanes.call::<Stepping<A, B>>((a, b, place, [margin, tolerance]));
            lanes.store(next.time, time);
            lanes.store(next.span, span);
            done |= is_done.bits() << at;
            at += L::COUNT;
        }
        done
    }
}

const _: () = assert!(POOL.is_multiple_of(MAX_LANES));

impl<A: March<B>, B: Shape> Split for Marches<'_, '_, '_, A, B> {
    const GRAIN: usize = 1024;

    fn len(&self) -> usize {
        self.positions.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let Marches {
            near,
            positions,
            times,
            first,
        } = self;
        let (low, high) = positions.split_at(middle);
        let next = high
            .first()
            .map_or(first + times.len(), |position| *position as usize);
        let (times_low, times_high) = times.split_at_mut(next - first);
        (
            Marches {
                near: near.clone(),
                positions: low,
                times: times_low,
                first,
            },
            Marches {
                near,
                positions: high,
                times: times_high,
                first: next,
            },
        )
    }

    fn merge((): (), (): ()) {}
}
