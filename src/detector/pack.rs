//! Packing: from columns to one row per shape, so that a pair touches two places in memory, not
//! two for each column.

use alloc::vec::Vec;
use core::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::Settings;
use super::bounds::Named;
use super::source::{AllColumns, Columns, Fetch};
use super::split::{Split, execute};
use crate::lane::{Job, Lanes};
use crate::pages;
use crate::shapes::{Form, Row};

/// From this many bytes on, what is written goes past the caches, which could not keep it.
///
/// On Zen 4, with 32 MB of cache in all, that halves the time of packing 1 M shapes.
pub const STREAM_FROM: usize = 16 << 20;

/// Memory for rows, reused by every call.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    lines: Vec<Line>,
}

/// A cache line: rows of 64 bytes then take one each.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Line([f32; 16]);

impl Scratch {
    /// Room for `len` rows. Holds whatever was there before.
    pub fn rows<R: Row>(&mut self, len: usize) -> &mut [R] {
        let lines = (len * size_of::<R>()).div_ceil(size_of::<Line>());
        if self.lines.len() < lines {
            pages::resize(&mut self.lines, lines, Line([0.0; 16]));
        }
        let floats: &mut [f32] = bytemuck::cast_slice_mut(&mut self.lines);
        bytemuck::cast_slice_mut(&mut floats[..len * (size_of::<R>() / size_of::<f32>())])
    }

    /// The rows that were packed.
    pub fn packed<R: Row>(&self, len: usize) -> &[R] {
        let floats: &[f32] = bytemuck::cast_slice(&self.lines);
        bytemuck::cast_slice(&floats[..len * (size_of::<R>() / size_of::<f32>())])
    }
}

/// Memory for the rows of both sides.
#[derive(Clone, Debug, Default)]
pub struct BothRows {
    /// Of the first store.
    a: Scratch,
    /// Of the second store, if it is another one.
    b: Scratch,
}

impl BothRows {
    /// Packs the shapes that are named, of one store if it is `shared`.
    pub fn pack<A: Form, B: Form>(
        &mut self,
        settings: Settings,
        (a, b): (&Columns<'_, A::Shape>, &Columns<'_, B::Shape>),
        named: &Named,
        shared: bool,
    ) -> (&[A::Row], &[B::Row]) {
        let rows_a = self.a.rows::<A::Row>(named.a.end);
        execute(settings, Pack::<A>::new(a.clone(), named.a.clone(), rows_a));
        if !shared {
            let rows_b = self.b.rows::<B::Row>(named.b.end);
            execute(settings, Pack::<B>::new(b.clone(), named.b.clone(), rows_b));
        }
        let b = if shared { &self.a } else { &self.b };
        (
            self.a.packed::<A::Row>(named.a.end),
            b.packed::<B::Row>(named.b.end),
        )
    }
}

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
