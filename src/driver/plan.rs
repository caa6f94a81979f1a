//! Plans a list: whether its pairs read rows or gather from columns, and which rows to pack first.
//!
//! A list with few shapes per pair packs rows into memory of the detector. It packs only its own index range, so a
//! short list needs little memory, however large the store. An unchanged store is packed as a whole once, into its
//! cache (`store::cache`), when the cost accumulated by calls reaches the cost of packing.

use core::ops::Range;

use crate::driver::list::{CheckedPairs, IndexPair, union};
use crate::driver::pack::{FormOps, PairForms, pack_rows};
use crate::driver::rows::{AnyRows, PackedPairs, Prefetch};
use crate::driver::threads::Workers;
use crate::memory::pages::Lines;
use crate::store::cache::StoreCache;
use crate::store::columns::AnyColumns;

/// Maximum number of shapes packed per pair: above this, packing costs more than it saves (notes: figures moved from
/// the source).
const PACKED_SHAPES_PER_PAIR: usize = 3;

/// The limit for scattered lists whose rows exceed the caches. Gathering from columns then takes one cache miss per
/// number (notes: figures moved from the source).
const PACKED_SHAPES_PER_FAR_PAIR: usize = 8;

/// Rows of this many bytes outgrow the caches.
const OUTGROWS_CACHES: usize = 16 << 20;

/// Lists below this share of the store do not count towards its row cache, so tiny queries never make a large store
/// allocate.
const SMALLEST_SHARE: usize = 64;

/// Rows are prefetched if rows and output exceed this number of bytes, more than the L2 cache holds. Prefetching costs
/// small calls 17 % and saves large ones up to 53 % (notes: figures moved from the source).
const PREFETCH_ABOVE: usize = 3 << 20;

/// Packs the rows that a list reads, unless they are cached. `None` if gathering from columns is cheaper.
pub fn plan<'s>(
    workers: Workers<'s>,
    forms: &'static PairForms,
    list: &CheckedPairs<'_>,
    [columns_a, columns_b]: [&'s AnyColumns<'s>; 2],
    scratch: &'s mut [Lines; 2],
) -> Option<PackedPairs<'s>> {
    let [mut named_a, mut named_b] = list.ranges();
    let is_one_store = columns_a.same_as(columns_b);
    let both = union(&named_a, &named_b);
    // Both sides share one packing if that is no larger than two ranges.
    let shared = is_one_store && both.len() <= named_a.len() + named_b.len();
    if shared {
        (named_a, named_b) = (both.clone(), both);
    }
    let shapes = named_a.len() + if shared { 0 } else { named_b.len() };
    let row_size = forms.a.width.max(forms.b.width) * size_of::<f32>();
    let (pairs, [side_a, side_b]) = (list.pairs(), list.sides());
    let outgrows_caches = shapes * row_size >= OUTGROWS_CACHES;
    let per_pair = if outgrows_caches && is_scattered(pairs, side_b) {
        PACKED_SHAPES_PER_FAR_PAIR
    } else {
        PACKED_SHAPES_PER_PAIR
    };
    let worth = pairs.len() * per_pair;

    let a = SideLayout::new(workers, forms.a, columns_a, named_a, worth);
    let b = SideLayout::new(workers, forms.b, columns_b, named_b, worth);
    let missing_a = a.kept.map_or(a.named.len(), |_| 0);
    let missing_b = b.kept.map_or(b.named.len(), |_| 0);
    if missing_a + if shared { 0 } else { missing_b } > worth {
        a.charge(worth);
        if !is_one_store {
            b.charge(worth);
        }
        return None;
    }
    let [scratch_a, scratch_b] = scratch;
    let a = a.rows(scratch_a);
    let b = if shared { a } else { b.rows(scratch_b) };
    let bytes = shapes * row_size + forms.columns * size_of::<f32>() * pairs.len();
    let is_far = bytes > PREFETCH_ABOVE;
    let prefetch = Prefetch {
        a: is_far && is_scattered(pairs, side_a),
        b: is_far && is_scattered(pairs, side_b),
    };
    Some(PackedPairs { a, b, prefetch })
}

/// The rows of two whole stores, for about `expected` pairs that are found later. `None` if gathering from columns is
/// cheaper.
pub fn plan_whole<'s>(
    workers: Workers<'s>,
    forms: &'static PairForms,
    [columns_a, columns_b]: [&'s AnyColumns<'s>; 2],
    [scratch_a, scratch_b]: &'s mut [Lines; 2],
    expected: usize,
) -> Option<PackedPairs<'s>> {
    let worth = expected.saturating_mul(PACKED_SHAPES_PER_PAIR);
    let is_one_store = columns_a.same_as(columns_b);
    let side = |ops, columns: &'s AnyColumns<'s>| {
        SideLayout::new(workers, ops, columns, 0..columns.len(), worth)
    };
    let (a, b) = (side(forms.a, columns_a), side(forms.b, columns_b));
    let missing = |side: &SideLayout<'_>| side.kept.map_or(side.named.len(), |_| 0);
    if missing(&a) + if is_one_store { 0 } else { missing(&b) } > worth {
        a.charge(worth);
        if !is_one_store {
            b.charge(worth);
        }
        return None;
    }
    let a = a.rows(scratch_a);
    Some(PackedPairs {
        a,
        b: if is_one_store { a } else { b.rows(scratch_b) },
        prefetch: Prefetch::default(),
    })
}

/// Builds the rows of a store to scan, if the accumulated cost of calls since its last change has reached the cost of
/// packing. Otherwise adds the cost of this call.
pub fn keep_rows(workers: Workers<'_>, ops: &'static FormOps, columns: &AnyColumns<'_>) {
    if ops.scans_rows {
        let side = SideLayout::new(workers, ops, columns, 0..columns.len(), usize::MAX);
        side.charge(columns.len());
    }
}

/// The rows of one side of a list.
struct SideLayout<'s> {
    workers: Workers<'s>,
    ops: &'static FormOps,
    columns: &'s AnyColumns<'s>,
    named: Range<usize>,
    /// Whether the list is long enough to count towards the row cache.
    pays: bool,
    /// Cached rows of the whole store.
    kept: Option<&'s Lines>,
}

impl<'s> SideLayout<'s> {
    fn new(
        workers: Workers<'s>,
        ops: &'static FormOps,
        columns: &'s AnyColumns<'s>,
        named: Range<usize>,
        worth: usize,
    ) -> Self {
        let mut side = SideLayout {
            workers,
            ops,
            columns,
            named,
            pays: worth >= columns.len() / SMALLEST_SHARE,
            kept: None,
        };
        side.kept = side.whole(0);
        side
    }

    /// The rows of the whole store, if cached, or built now that the accumulated cost plus `now` has reached the cost
    /// of packing.
    fn whole(&self, now: usize) -> Option<&'s Lines> {
        let (columns, len) = (self.columns, self.columns.len());
        let rows = &columns.cache()?.form(self.ops.motion).rows;
        let pack = |lines: &mut Lines| {
            let rows = lines.rows_mut(len * self.ops.width);
            pack_rows(self.workers, self.ops, columns, 0, rows);
        };
        rows.get().or_else(|| {
            let is_due = self.pays && len > 0 && rows.is_due(now, len);
            let is_due = is_due && !columns.cache().is_some_and(StoreCache::is_prepared);
            is_due.then(|| rows.build(pack)).flatten()
        })
    }

    /// Adds to the accumulated cost of calls without cached rows.
    fn charge(&self, cost: usize) {
        if let Some(cache) = self.columns.cache()
            && self.pays
            && self.kept.is_none()
        {
            cache.form(self.ops.motion).rows.charge(cost);
        }
    }

    /// The cached rows, or the rows of the listed range, packed into `scratch`.
    fn rows(self, scratch: &'s mut Lines) -> AnyRows<'s> {
        let (width, named) = (self.ops.width, self.named.len());
        let (numbers, first) = match self.kept.or_else(|| self.whole(named)) {
            Some(lines) => (lines.rows(self.columns.len() * width), 0),
            None => {
                self.charge(named);
                let (rows, start) = (scratch.rows_mut(named * width), self.named.start);
                pack_rows(self.workers, self.ops, self.columns, start, rows);
                (&*rows, start)
            }
        };
        AnyRows {
            numbers,
            width,
            first,
        }
    }
}

/// Whether one side of a list is out of order. A broad phase lists one side in order, and the hardware prefetches its
/// rows; prefetching them again costs 10 % (notes: figures moved from the source).
fn is_scattered(pairs: &[IndexPair], side: usize) -> bool {
    const SAMPLES: usize = 64;
    const NEAR: u32 = 4;
    let step = (pairs.len() / SAMPLES).max(1);
    let samples = pairs.windows(2).step_by(step);
    let jumps = |from: &&[IndexPair]| from[0][side].abs_diff(from[1][side]) > NEAR;
    samples.filter(jumps).count() > SAMPLES / 8
}
