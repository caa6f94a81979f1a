//! Packing: from columns to one row per shape, so that a pair touches two places in memory, not
//! two for each column.

use crate::lane::{Job, Lanes, Split};
use crate::shapes::{Columns, Form, Row};

/// From this many bytes on, rows are written past the caches, which could not keep them.
///
/// On Zen 4, with 32 MB of cache in all, that halves the time of packing 1 M shapes.
pub const STREAM_FROM: usize = 16 << 20;

/// Packs shapes `first..first + rows.len()`.
pub struct Pack<'c, 'a, F: Form> {
    columns: Columns<'c, F::Shape>,
    first: usize,
    rows: &'a mut [F::Row],
    stream: bool,
}

impl<'c, 'a, F: Form> Pack<'c, 'a, F> {
    pub fn new(columns: &Columns<'c, F::Shape>, first: usize, rows: &'a mut [F::Row]) -> Self {
        Pack {
            columns: columns.clone(),
            first,
            stream: size_of_val(rows) >= STREAM_FROM,
            rows,
        }
    }
}

impl<F: Form> Job for Pack<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let len = self.rows.len();
        let mut at = 0;
        while at < len {
            // A last group that is short begins earlier, and packs some shapes again.
            let start = at.min(len - L::COUNT);
            let prepared = self.columns.fetch::<F, L>(lanes, self.first + start);
            let vectors = prepared.marked(lanes);
            let rows = &mut self.rows[start..];
            if self.stream {
                F::Row::scatter_stream(lanes, vectors, rows);
            } else {
                F::Row::scatter(lanes, vectors, rows);
            }
            at += L::COUNT;
        }
        if self.stream {
            lanes.end_streams();
        }
    }
}

impl<F: Form> Split for Pack<'_, '_, F> {
    // Half of what is worth waking a thread for: the loop that follows wants it awake. With twice as
    // much, 1 M overlaps of 65 k spheres on two threads took 0.50 ns instead of 0.43.
    const GRAIN: usize = (1 << 19) / size_of::<F::Row>();

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (first, stream) = (self.first, self.stream);
        let (low, high) = self.rows.split_at_mut(middle);
        let part = |columns, first, rows| Pack {
            columns,
            first,
            rows,
            stream,
        };
        (
            part(self.columns.clone(), first, low),
            part(self.columns, first + middle, high),
        )
    }

    fn merge((): (), (): ()) {}
}
