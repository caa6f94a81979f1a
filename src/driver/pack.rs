//! Packing: from columns to one row per shape, so that a pair reads two places in memory, not two for each column.

use crate::driver::threads::{Divide, Workers};
use crate::lane::{Job, Lanes, One, Simd};
use crate::shapes::columns::{Columns, SameIndex};
use crate::shapes::raw_columns::Motion;
use crate::shapes::shape::{Form, Row, Shape};
use crate::store::columns::AnyColumns;

/// Packs the shapes from `first` on, until the memory is full.
pub struct Pack<'c, 'a> {
    columns: &'c AnyColumns<'c>,
    first: usize,
    rows: &'a mut [f32],
    /// Numbers of a row.
    width: usize,
}

/// Packs the shapes from `first` on as rows of a form, until the memory is full.
pub fn pack_rows(
    workers: Workers,
    ops: &'static FormOps,
    columns: &AnyColumns<'_>,
    first: usize,
    rows: &mut [f32],
) {
    let pack = Pack {
        columns,
        first,
        width: ops.width,
        rows,
    };
    // Half the usual grain, so that a thread is awake for the loop that follows. With the whole grain, 1 M overlaps of
    // 65 k spheres on two threads took 0.50 ns instead of 0.43.
    workers.divide(pack, (1 << 17) / ops.width, ops.pack);
}

impl Divide for Pack<'_, '_> {
    fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (low, high) = self.rows.split_at_mut(middle * self.width);
        (
            Pack { rows: low, ..self },
            Pack {
                rows: high,
                first: self.first + middle,
                ..self
            },
        )
    }
}

/// Packs shapes as rows of a form.
pub fn pack<F: Form>(simd: Simd, pack: Pack<'_, '_>) {
    let rows: &mut [F::Row] = bytemuck::cast_slice_mut(pack.rows);
    let columns = pack.columns.typed::<F::Shape>();
    columns.without_strides(pack.first, rows.len(), |columns, first, range| {
        let rows = &mut rows[range];
        let simd = simd.filled_by(rows.len());
        simd.run(PackColumns::<F> {
            columns,
            first,
            rows,
        });
    });
}

/// Packs the shapes from `first` on.
struct PackColumns<'p, 'c, F: Form> {
    columns: &'p Columns<'c, F::Shape>,
    first: usize,
    rows: &'p mut [F::Row],
}

impl<F: Form> Job for PackColumns<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let PackColumns {
            columns,
            first,
            rows,
        } = self;
        let len = rows.len();
        let mut at = 0;
        while at < len {
            // A short last group begins earlier and repacks some shapes.
            let start = at.min(len - L::COUNT);
            let prepared = columns.fetch::<F, L>(lanes, first + start);
            let vectors = prepared.poison_invalid(lanes);
            F::Row::scatter(lanes, vectors, &mut rows[start..]);
            at += L::COUNT;
        }
    }
}

/// The table of a form.
pub struct FormOps {
    /// Numbers per row.
    pub width: usize,
    pub motion: Motion,
    /// [`Shape::SCANS_ROWS`].
    pub scans_rows: bool,
    pub pack: fn(Simd, Pack<'_, '_>),
    pub broadcast: fn(&AnyColumns<'_>, usize) -> Broadcast,
}

/// Maximum numbers per row.
pub const MAX_WIDTH: usize = 24;

/// Provides the table of each form.
pub trait FormTable: Form + Sized {
    const OPS: &'static FormOps = &FormOps {
        width: width::<Self>(),
        motion: Self::MOTION,
        scans_rows: Self::Shape::SCANS_ROWS,
        pack: pack::<Self>,
        broadcast: Broadcast::new::<Self>,
    };
}

impl<F: Form> FormTable for F {}

/// Numbers per row.
const fn width<F: Form>() -> usize {
    let width = size_of::<F::Row>() / size_of::<f32>();
    assert!(width <= MAX_WIDTH);
    width
}

/// The forms that a loop reads, and its number of output columns.
#[derive(Clone, Copy)]
pub struct PairForms {
    pub a: &'static FormOps,
    pub b: &'static FormOps,
    /// Number of output columns.
    pub columns: usize,
}

/// The row of one shape, untyped.
pub struct Broadcast {
    row: [f32; MAX_WIDTH],
}

impl Broadcast {
    /// Packs one shape of a store.
    pub fn new<F: Form>(columns: &AnyColumns<'_>, index: usize) -> Self {
        let mut row = [0.0; MAX_WIDTH];
        let prepared = columns.typed().read::<F, One>(One, SameIndex(index));
        let rows = bytemuck::cast_slice_mut(&mut row[..F::OPS.width]);
        F::Row::scatter(One, prepared.poison_invalid(One), rows);
        Broadcast { row }
    }

    /// Casts to the row of `F`, which must be the form of [`new`](Self::new).
    pub fn typed<F: Form>(&self) -> BroadcastShape<F> {
        let rows: &[F::Row] = bytemuck::cast_slice(&self.row[..F::OPS.width]);
        BroadcastShape { row: rows[0] }
    }
}

/// One shape, in every lane.
pub struct BroadcastShape<F: Form> {
    pub row: F::Row,
}

impl<F: Form> BroadcastShape<F> {
    /// Whether the shape is valid.
    pub fn is_valid(&self) -> bool {
        let numbers: &[f32] = bytemuck::cast_slice(core::slice::from_ref(&self.row));
        !numbers[F::Shape::NAN_SLOTS[0]].is_nan()
    }
}
