//! Packing: from columns to one row per shape, so that a pair touches two places in memory, not
//! two for each column.

use core::ops::Range;

use super::source::{AllColumns, Columns, Fetch};
use super::split::Split;
use crate::lane::{Job, Lanes};
use crate::shapes::{Form, Row};

/// From this many bytes on, what is written goes past the caches, which could not keep it.
///
/// On Zen 4, with 32 MB of cache in all, that halves the time of packing 1 M shapes.
pub const STREAM_FROM: usize = 16 << 20;

/// Packs shapes `first..first + rows.len()`.
pub struct Pack<'c, 'a, F: Form> {
    columns: AllColumns<'c, F>,
    first: usize,
    rows: &'a mut [F::Row],
    stream: bool,
}

impl<'c, 'a, F: Form> Pack<'c, 'a, F> {
    /// Packs the shapes of `range` to the same indices of `rows`.
    pub fn new(
        columns: Columns<'c, F::Shape>,
        range: Range<usize>,
        rows: &'a mut [F::Row],
    ) -> Self {
        let first = range.start;
        let stream = size_of::<F::Row>() * range.len() >= STREAM_FROM;
        Pack {
            columns: AllColumns::new(columns),
            first,
            rows: &mut rows[range],
            stream,
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
            let prepared = self.columns.fetch(lanes, self.first + start);
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
        let (columns, first, stream) = (self.columns, self.first, self.stream);
        let (low, high) = self.rows.split_at_mut(middle);
        (
            Pack {
                columns: columns.clone(),
                first,
                rows: low,
                stream,
            },
            Pack {
                columns,
                first: first + middle,
                rows: high,
                stream,
            },
        )
    }

    fn merge((): (), (): ()) {}
}
