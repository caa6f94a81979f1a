//! The plan of a list: whether its pairs read rows or columns, which rows have to be packed first, and where.
//!
//! Rows are packed for a list that names few shapes for each pair, into memory of the detector, and only those
//! of the range of indices that the list names: a short list takes little, however large the store. A store that
//! rests has all its rows packed once, in its [cache](crate::shapes::StoreCache), when the calls so far have paid
//! for it.

use core::any::TypeId;
use core::ops::Range;

use super::by_pair::{Packed, Prefetch};
use super::check::{CheckedPairs, IndexPair, union};
use super::pack::{Pack, STREAM_FROM};
use super::settings::RowOf;
use crate::kernel::Verb;
use crate::pages::Lines;
use crate::shapes::{Columns, Form, Shape};
use crate::threads::Workers;

/// Rows are packed if that is no more than this many shapes for each pair: packing costs more than it saves
/// otherwise. On Zen 4 rows and columns break even at 3 to 4 shapes of 65 536 for each pair.
const PACKED_SHAPES_PER_PAIR: usize = 3;

/// The limit if the rows outgrow the caches and neighbours in the list are not neighbours in the store: each
/// number of a shape then comes from memory by itself. They break even at 4 to 12 shapes of 1 M.
const PACKED_SHAPES_PER_FAR_PAIR: usize = 8;

/// A list that is worth packing a smaller share of a store pays no rent, so that tiny lists never make a
/// large store take memory for rows.
const SMALLEST_SHARE: usize = 64;

/// Rows are prefetched if they and the numbers that are written take more bytes than this: more than caches
/// close to a core hold. On Zen 4, whose second one holds 1 MB, it costs an overlap of AABBs 17 % at 2 MB of
/// rows, and saves 20 % at 4 MB and 53 % at 32 MB; it saves a sweep of spheres 10 % at 2 MB of rows and 8 MB of
/// times.
const PREFETCH_ABOVE: usize = 3 << 20;

/// The rows that a list reads.
pub struct RowsPlan<'r, A, B> {
    pub a: Packed<'r, A>,
    pub b: Packed<'r, B>,
    pub prefetch: Prefetch,
}

/// Packs the rows that a list reads, unless they are kept. None if it had better look up columns.
pub fn plan<'r, 'c: 'r, V: Verb, A: Shape, B: Shape>(
    workers: Workers,
    list: &CheckedPairs<'_>,
    (columns_a, columns_b): (&Columns<'c, A>, &Columns<'c, B>),
    scratch: &'r mut [Lines; 2],
) -> Option<RowsPlan<'r, RowOf<V, A>, RowOf<V, B>>> {
    let [mut named_a, mut named_b] = list.ranges();
    let is_one_store = TypeId::of::<A>() == TypeId::of::<B>() && columns_a.same_as(columns_b);
    let both = union(&named_a, &named_b);
    // Packed once for both sides, if that is no more than a range for each.
    let shared = is_one_store && both.len() <= named_a.len() + named_b.len();
    if shared {
        (named_a, named_b) = (both.clone(), both);
    }
    let shapes = named_a.len() + if shared { 0 } else { named_b.len() };
    let row_size = size_of::<RowOf<V, A>>().max(size_of::<RowOf<V, B>>());
    let (pairs, [side_a, side_b]) = (list.pairs(), list.sides());
    let outgrows_caches = shapes * row_size >= STREAM_FROM;
    let per_pair = if outgrows_caches && is_scattered(pairs, side_b) {
        PACKED_SHAPES_PER_FAR_PAIR
    } else {
        PACKED_SHAPES_PER_PAIR
    };
    let worth = pairs.len() * per_pair;

    let a = SideRows::<V::Form<A>>::new(workers, columns_a, named_a, worth);
    let b = SideRows::<V::Form<B>>::new(workers, columns_b, named_b, worth);
    let missing_a = a.kept.map_or(a.named.len(), |_| 0);
    let missing_b = b.kept.map_or(b.named.len(), |_| 0);
    if missing_a + if shared { 0 } else { missing_b } > worth {
        a.pay(worth);
        if !is_one_store {
            b.pay(worth);
        }
        return None;
    }
    let [scratch_a, scratch_b] = scratch;
    let a = a.rows(scratch_a);
    let b = if shared {
        a.of_one_kind()
    } else {
        b.rows(scratch_b)
    };
    let bytes = shapes * row_size + size_of::<V::Columns<f32>>() * pairs.len();
    let is_far = bytes > PREFETCH_ABOVE;
    let prefetch = Prefetch {
        a: is_far && is_scattered(pairs, side_a),
        b: is_far && is_scattered(pairs, side_b),
    };
    Some(RowsPlan { a, b, prefetch })
}

/// The rows of one side of a list.
struct SideRows<'s, 'c, F: Form> {
    workers: Workers,
    columns: &'s Columns<'c, F::Shape>,
    named: Range<usize>,
    /// Whether the list is long enough to pay rent.
    pays: bool,
    /// The rows of the whole store.
    kept: Option<&'c Lines>,
}

impl<'s, 'c, F: Form> SideRows<'s, 'c, F> {
    fn new(
        workers: Workers,
        columns: &'s Columns<'c, F::Shape>,
        named: Range<usize>,
        worth: usize,
    ) -> Self {
        let mut side = SideRows {
            workers,
            columns,
            named,
            pays: worth >= columns.len() / SMALLEST_SHARE,
            kept: None,
        };
        side.kept = side.whole(0);
        side
    }

    /// The rows of the whole store, if they are kept; or if the rent, with `now` added, has reached the price.
    fn whole(&self, now: usize) -> Option<&'c Lines> {
        let (columns, len) = (self.columns, self.columns.len());
        let rows = &columns.cache()?.form(F::MOTION).rows;
        let pack = |lines: &mut Lines| {
            let rows = lines.rows_mut(len);
            self.workers.execute(Pack::<F>::new(columns, 0, rows));
        };
        rows.get().or_else(|| {
            let is_due = self.pays && len > 0 && rows.is_due(now, len);
            is_due.then(|| rows.make(pack)).flatten()
        })
    }

    /// Pays rent for want of the whole.
    fn pay(&self, rent: usize) {
        if let Some(cache) = self.columns.cache()
            && self.pays
            && self.kept.is_none()
        {
            cache.form(F::MOTION).rows.pay(rent);
        }
    }

    /// The rows: those that are kept, or those of the named shapes, packed to `scratch`.
    fn rows<'r>(self, scratch: &'r mut Lines) -> Packed<'r, F::Row>
    where
        'c: 'r,
    {
        let Range { start, .. } = self.named;
        let named = self.named.len();
        if let Some(lines) = self.kept.or_else(|| self.whole(named)) {
            return Packed::new(lines.rows(self.columns.len()), 0);
        }
        self.pay(named);
        let rows = scratch.rows_mut(named);
        self.workers
            .execute(Pack::<F>::new(self.columns, start, rows));
        Packed::new(rows, start)
    }
}

/// Whether one side of a list jumps about: broadphases list one side in order, whose rows the
/// hardware prefetches by itself. Prefetching them too costs a tenth more.
fn is_scattered(pairs: &[IndexPair], side: usize) -> bool {
    const SAMPLES: usize = 64;
    const NEAR: u32 = 4;
    let step = (pairs.len() / SAMPLES).max(1);
    let samples = pairs.windows(2).step_by(step);
    let jumps = |from: &&[IndexPair]| from[0][side].abs_diff(from[1][side]) > NEAR;
    samples.filter(jumps).count() > SAMPLES / 8
}
