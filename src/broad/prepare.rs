//! Builds at load time what queries of a store at rest would build in later frames.

use crate::broad::row::BoundedSide;
use crate::broad::rows::SideBounds;
use crate::broad::rows::TreeScratch;
use crate::driver::pack::{FormOps, FormTable, pack_rows};
use crate::driver::threads::Workers;
use crate::memory::pages::Lines;
use crate::shapes::bounds::Bounded;
use crate::shapes::form::{Moving, Static};
use crate::shapes::raw_columns::Motion;
use crate::shapes::shape::Shape;
use crate::store::columns::AnyColumns;

/// Bytes of what [`Detector::prepare`](crate::Detector::prepare) has built, or found built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(docsrs, doc(cfg(feature = "candidates")))]
#[non_exhaustive]
pub struct Prepared {
    /// Bytes of trees, for queries of the whole store.
    pub trees: usize,
    /// Bytes of the bounds of the shapes.
    pub bounds: usize,
    /// Bytes of packed rows, which kernels read.
    pub rows: usize,
}

impl Prepared {
    /// All bytes.
    pub fn bytes(&self) -> usize {
        self.trees + self.bounds + self.rows
    }
}

/// Prepares a store.
pub fn prepare<T: Bounded>(
    workers: Workers<'_>,
    columns: &AnyColumns<'_>,
    scratch: &mut TreeScratch,
) -> Prepared {
    let mut prepared = Prepared::default();
    let Some(cache) = columns.cache() else {
        return prepared;
    };
    let mut forms = [Motion::None, Motion::Straight, Motion::Turning].map(|motion| {
        let side = BoundedSide::new(columns, T::OPS, motion);
        (side.motion() == motion).then_some(side)
    });
    for boxes in forms.iter_mut().flatten() {
        let mut side = SideBounds::default();
        let [trees, bounds] = side.prepare(workers.of_at_most(8), boxes, scratch);
        prepared.trees += trees;
        prepared.bounds += bounds;
    }
    let mut is_whole = true;
    let mut pack = |ops: &'static FormOps| {
        let len = columns.len() * ops.width;
        let rows = cache.form(ops.motion).rows.build(|lines: &mut Lines| {
            pack_rows(workers, ops, columns, 0, lines.rows_mut(len));
        });
        // Nothing is built beside another thread that builds.
        is_whole &= rows.is_some();
        prepared.rows += rows.map_or(0, Lines::bytes);
    };
    pack(<Static<T> as FormTable>::OPS);
    pack(<Moving<T> as FormTable>::OPS);
    if columns.rotate() {
        pack(<<T as Shape>::FullMotion as FormTable>::OPS);
    }
    if is_whole {
        cache.set_prepared();
    }
    prepared
}
