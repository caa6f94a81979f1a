//! Sources for listed pairs: packed rows, or columns gathered one number at a time. Also packs hits gathered from
//! columns, moved to their times of contact if needed.
#![allow(unsafe_code)]

use core::any::TypeId;
use core::marker::PhantomData;
use core::ops::Range;

use crate::driver::list::{CheckedPairs, IndexPair, ScratchPairs};
use crate::driver::source::{PairBatch, PairLoad, PairSource, load_prepared};
use crate::lane::{Job, Lanes, Routine, Rows, Vec3, WORD, stored};
use crate::shapes::columns::{Columns, LaneIndex, Strided};
use crate::shapes::form::{Moving, Static};
use crate::shapes::shape::{Array, Form, Movable, Prepared, Row, Shape};
use crate::store::columns::AnyColumns;

/// Shape data addressable by pair, untyped: a loop makes [`PairRows`] or [`PairColumns`] from it.
#[derive(Clone, Copy)]
pub struct PairShapes<'s> {
    pub list: CheckedPairs<'s>,
    pub columns: [&'s AnyColumns<'s>; 2],
    /// `None` if gathering from columns is cheaper.
    pub rows: Option<PackedPairs<'s>>,
}

/// The rows that a list reads.
#[derive(Clone, Copy)]
pub struct PackedPairs<'s> {
    pub a: AnyRows<'s>,
    pub b: AnyRows<'s>,
    pub prefetch: Prefetch,
}

/// Packed rows of a range of shapes of a store, untyped.
#[derive(Clone, Copy, Debug)]
pub struct AnyRows<'a> {
    pub numbers: &'a [f32],
    /// Numbers per row.
    pub width: usize,
    /// Index of the first packed shape.
    pub first: usize,
}

impl<'a> AnyRows<'a> {
    /// Casts to the row type. Panics if the width differs.
    #[inline(always)]
    pub fn typed<R: Row>(self) -> Packed<'a, R> {
        assert!(self.width * size_of::<f32>() == size_of::<R>());
        Packed {
            rows: bytemuck::cast_slice(self.numbers),
            first: self.first,
        }
    }
}

/// Packed rows of a range of shapes of a store.
#[derive(Clone, Copy, Debug)]
pub struct Packed<'a, R> {
    rows: &'a [R],
    /// Index of the first packed shape.
    first: usize,
}

impl<R> Packed<'_, R> {
    fn holds(&self, range: &Range<usize>) -> bool {
        range.is_empty() || self.first <= range.start && range.end - self.first <= self.rows.len()
    }

    /// Base pointer, biased so that shape ids index it directly.
    #[inline(always)]
    fn base(&self) -> *const R {
        self.rows.as_ptr().wrapping_sub(self.first)
    }
}

/// The sides of a list to prefetch: rows that exceed the caches and are read out of order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prefetch {
    pub a: bool,
    pub b: bool,
}

/// Number of pairs by which the prefetch leads: the fastest of 32, 64, 128 and 256 (notes: figures moved from the
/// source).
const PREFETCH_DISTANCE: usize = 128;

/// The rows of listed pairs.
pub struct PairRows<'a, A: Form, B: Form> {
    list: CheckedPairs<'a>,
    a: Packed<'a, A::Row>,
    b: Packed<'a, B::Row>,
    prefetch: Prefetch,
}

impl<'a, A: Form, B: Form> PairRows<'a, A, B> {
    /// Whether the rows can be read in the order of a list. Not for shapes of one type in reverse order, as boxes that stand in
    /// for hulls against boxes.
    #[inline(always)]
    pub fn read_sides_of(list: &CheckedPairs<'_>) -> bool {
        TypeId::of::<A>() != TypeId::of::<B>() || list.sides() == [0, 1]
    }

    /// Panics if the row width differs, if a listed shape has no row, or for a list whose sides are not
    /// [read](Self::read_sides_of).
    #[inline(always)]
    pub fn new(list: CheckedPairs<'a>, packed: &PackedPairs<'a>) -> Self {
        let &PackedPairs { a, b, prefetch } = packed;
        Self::checked(list, a.typed(), b.typed(), prefetch)
    }

    /// Pairs row `i` of `a` with row `i` of `b`.
    #[inline(always)]
    pub fn side_by_side(a: &'a [A::Row], b: &'a [B::Row]) -> Self {
        let list = CheckedPairs::by_rule(None, [a.len(), b.len()], false);
        let (a, b) = (Packed { rows: a, first: 0 }, Packed { rows: b, first: 0 });
        Self::checked(list, a, b, Prefetch::default())
    }

    #[inline(always)]
    fn checked(
        list: CheckedPairs<'a>,
        a: Packed<'a, A::Row>,
        b: Packed<'a, B::Row>,
        prefetch: Prefetch,
    ) -> Self {
        let [named_a, named_b] = list.ranges();
        assert!(a.holds(&named_a) && b.holds(&named_b));
        assert!(Self::read_sides_of(&list));
        PairRows {
            list,
            a,
            b,
            prefetch,
        }
    }

    /// Compresses to the pairs from `first` on whose bits are set, without prefetch. See [`CheckedPairs::compress`].
    #[inline(always)]
    pub fn compressed<'s, L: Lanes>(
        &self,
        lanes: L,
        first: usize,
        masks: &[u64],
        to: &'s mut [IndexPair],
    ) -> PairRows<'s, A, B>
    where
        'a: 's,
    {
        PairRows {
            list: self.list.compress(lanes, first, masks, to),
            a: self.a,
            b: self.b,
            prefetch: Prefetch::default(),
        }
    }

    /// The pairs.
    #[inline(always)]
    pub fn list(&self) -> CheckedPairs<'a> {
        self.list
    }

    /// Number of listed pairs.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.list.pairs().len()
    }

    /// The pairs at `first..first + len`, at most a [`WORD`], also of pairs that a rule defines.
    #[inline(always)]
    pub fn run_of<'s>(
        &'s self,
        first: usize,
        len: usize,
        scratch: &'s mut ScratchPairs,
    ) -> RowsBatch<'s, A, B> {
        self.at(first, self.list.word_of_any(first, len, scratch))
    }

    /// The rows of the pairs from position `first` on.
    #[inline(always)]
    fn at<'s>(&'s self, first: usize, pairs: &'s ScratchPairs) -> RowsBatch<'s, A, B> {
        let later = self.list.pairs().get(first + PREFETCH_DISTANCE..);
        RowsBatch {
            rows: self,
            pairs,
            later: later.and_then(<[_]>::first_chunk).unwrap_or(pairs),
        }
    }

    /// Gathers the pairs at 1 to [`WORD`] positions.
    #[inline(always)]
    pub fn gathered<'s>(
        &'s self,
        positions: &[u32],
        scratch: &'s mut ScratchPairs,
    ) -> RowsBatch<'s, A, B> {
        let pairs = self.list.gather(positions, scratch);
        RowsBatch {
            rows: self,
            pairs,
            later: pairs,
        }
    }

    /// The places in a pair of the index of side A and of side B.
    #[inline(always)]
    fn sides(&self) -> [usize; 2] {
        // Asserted by `checked`; this test lets the compiler drop the branch.
        if TypeId::of::<A>() == TypeId::of::<B>() {
            [0, 1]
        } else {
            self.list.sides()
        }
    }
}

impl<A: Form, B: Form> Clone for PairRows<'_, A, B> {
    fn clone(&self) -> Self {
        PairRows { ..*self }
    }
}

/// Up to a word of pairs of [`PairRows`].
pub struct RowsBatch<'s, A: Form, B: Form> {
    rows: &'s PairRows<'s, A, B>,
    /// A whole word, so that no access to it is bounds-checked.
    pairs: &'s [IndexPair; WORD],
    /// The pairs [`PREFETCH_DISTANCE`] further on, or `pairs` near the end of the list.
    later: &'s [IndexPair; WORD],
}

impl<A: Form, B: Form> PairSource<A, B> for PairRows<'_, A, B> {
    type Batch<'s>
        = RowsBatch<'s, A, B>
    where
        Self: 's;
    const WHOLE_WORDS: bool = false;
    const ARE_ROWS: bool = true;

    #[inline(always)]
    fn batch<'s, L: Lanes>(
        &'s self,
        _: L,
        first: usize,
        len: usize,
        scratch: &'s mut ScratchPairs,
    ) -> RowsBatch<'s, A, B> {
        self.at(first, self.list.word(first, len, scratch))
    }
}

impl<A: Form, B: Form> PairBatch<A, B> for RowsBatch<'_, A, B> {
    #[inline(always)]
    fn load<P: PairLoad<A, B>, L: Lanes>(
        &self,
        lanes: L,
        at: usize,
        margin: L::F,
    ) -> (P::Loaded<L>, L::M) {
        let (a, b) = self.rows(lanes, at);
        P::of_rows(lanes, a, b, margin)
    }
}

impl<'s, A: Form, B: Form> RowsBatch<'s, A, B> {
    /// The rows of one group of lanes, from place `at` on.
    #[inline(always)]
    pub fn rows<L: Lanes>(&self, lanes: L, at: usize) -> (impl Rows<A::Row>, impl Rows<B::Row>) {
        let PairRows { a, b, prefetch, .. } = self.rows;
        let [side_a, side_b] = self.rows.sides();
        if prefetch.a | prefetch.b {
            let later = &self.later[at..][..L::COUNT];
            if prefetch.a {
                prefetch_rows(lanes, a, SideIndices::new(later, side_a));
            }
            if prefetch.b {
                prefetch_rows(lanes, b, SideIndices::new(later, side_b));
            }
        }
        let pairs = &self.pairs[at..][..L::COUNT];
        (
            GatheredRows::new(a.base(), 1, SideIndices::new(pairs, side_a)),
            GatheredRows::new(b.base(), 1, SideIndices::new(pairs, side_b)),
        )
    }
}

#[inline(always)]
fn prefetch_rows<L: Lanes, R>(lanes: L, packed: &Packed<'_, R>, indices: SideIndices<'_>) {
    let mut lane = 0;
    while lane < L::COUNT {
        let row = indices.at(lane).wrapping_sub(packed.first);
        lanes.prefetch(packed.rows, row);
        lane += 1;
    }
}

/// The rows, or the numbers of a column, that one side of some pairs indexes.
#[derive(Clone, Copy)]
struct GatheredRows<'a, R> {
    /// Base pointer, biased so that shape ids index it directly.
    base: *const R,
    /// Distance from one row or number to the next.
    stride: usize,
    indices: SideIndices<'a>,
    rows: PhantomData<&'a [R]>,
}

impl<'a, R> GatheredRows<'a, R> {
    /// Called only by [`RowsBatch`] and [`GatherIndex`]: each index is from a checked list. Every listed shape has a
    /// row or a number at `base` plus `stride` times the index.
    #[inline(always)]
    fn new(base: *const R, stride: usize, indices: SideIndices<'a>) -> Self {
        GatheredRows {
            base,
            stride,
            indices,
            rows: PhantomData,
        }
    }
}

impl<R: Copy> Rows<R> for GatheredRows<'_, R> {
    #[inline(always)]
    fn row(&self, lane: usize) -> &R {
        let index = self.indices.at(lane);
        // SAFETY: each index on a side of `CheckedPairs` is in the range of that side. An index that fills a short
        // batch also comes from the list. `PairRows::new` and `PairColumns::new` have asserted that rows or numbers
        // exist for this range, and `base` is biased by the index of the first of them. Bounds checks make AABB
        // overlaps 40 % slower and sphere overlaps from columns 110 % (notes: figures moved from the source).
        unsafe { &*self.base.wrapping_add(index * self.stride) }
    }
}

/// Columns, gathered by pair.
pub struct PairColumns<'c, A: Form, B: Form> {
    list: CheckedPairs<'c>,
    a: Columns<'c, A::Shape>,
    b: Columns<'c, B::Shape>,
}

impl<'c, A: Form, B: Form> PairColumns<'c, A, B> {
    /// Gathers the pairs at 1 to [`WORD`] positions.
    #[inline(always)]
    pub fn gathered<'s>(
        &'s self,
        positions: &[u32],
        scratch: &'s mut ScratchPairs,
    ) -> ColumnsBatch<'s, 'c, A, B> {
        self.of(self.list.gather(positions, scratch))
    }

    #[inline(always)]
    fn of<'s>(&'s self, pairs: &'s ScratchPairs) -> ColumnsBatch<'s, 'c, A, B> {
        // The index of a batch reads every column.
        assert!(!self.a.are_padded() && !self.b.are_padded());
        ColumnsBatch {
            a: &self.a,
            b: &self.b,
            pairs,
            sides: self.list.sides(),
        }
    }

    /// Panics if the shape types differ, or if a listed index is out of bounds.
    #[inline(always)]
    pub fn new(list: CheckedPairs<'c>, [a, b]: [&AnyColumns<'c>; 2]) -> Self {
        Self::checked(list, a.typed(), b.typed())
    }

    /// Like [`new`](Self::new), but also for shapes that are such with zeros. These can only be packed.
    #[inline(always)]
    pub fn padded(list: CheckedPairs<'c>, [a, b]: [&AnyColumns<'c>; 2]) -> Self {
        Self::checked(list, a.padded(), b.padded())
    }

    #[inline(always)]
    fn checked(list: CheckedPairs<'c>, a: Columns<'c, A::Shape>, b: Columns<'c, B::Shape>) -> Self {
        let [named_a, named_b] = list.ranges();
        assert!(named_a.end <= a.len() && named_b.end <= b.len());
        PairColumns { list, a, b }
    }

    /// Gathers the shapes of the pairs at some positions and packs them to rows.
    #[inline(always)]
    pub fn pack<L: Lanes>(&self, lanes: L, positions: &[u32], a: &mut [A::Row], b: &mut [B::Row]) {
        let [side_a, side_b] = self.list.sides();
        let list = &self.list;
        lanes.run(PackSide::<A> {
            columns: &self.a,
            pairs: (list, side_a, positions),
            rows: a,
        });
        lanes.run(PackSide::<B> {
            columns: &self.b,
            pairs: (list, side_b, positions),
            rows: b,
        });
    }
}

impl<'c, A: Shape, B: Shape> PairColumns<'c, Static<A>, Static<B>> {
    /// Gathers the pairs at 1 to [`WORD`] positions, also of columns that are padded.
    #[inline(always)]
    pub fn stored<'s>(
        &'s self,
        positions: &[u32],
        scratch: &'s mut ScratchPairs,
    ) -> StoredBatch<'s, 'c, A, B> {
        StoredBatch {
            a: &self.a,
            b: &self.b,
            pairs: self.list.gather(positions, scratch),
            sides: self.list.sides(),
        }
    }
}

/// Up to a word of pairs of [`PairColumns`], read without preparing rows.
pub struct StoredBatch<'s, 'c, A: Shape, B: Shape> {
    a: &'s Columns<'c, A>,
    b: &'s Columns<'c, B>,
    pairs: &'s [IndexPair; WORD],
    sides: [usize; 2],
}

impl<A: Shape, B: Shape> StoredBatch<'_, '_, A, B> {
    /// Reads one group of lanes, from place `at` on.
    #[inline(always)]
    pub fn read<L: Lanes>(&self, lanes: L, at: usize) -> (A::Wide<L::F>, B::Wide<L::F>) {
        let [of_a, of_b] = self.indices::<L>(at);
        let a = lanes.call::<ReadGroup<Static<A>>>((self.a, of_a));
        let b = lanes.call::<ReadGroup<Static<B>>>((self.b, of_b));
        (Static::<A>::unpack(a.row), Static::<B>::unpack(b.row))
    }

    /// Like [`read`](Self::read), with the shapes moved to times.
    #[inline(always)]
    pub fn read_at<L: Lanes>(
        &self,
        lanes: L,
        at: usize,
        times: L::F,
    ) -> (A::Wide<L::F>, B::Wide<L::F>)
    where
        A: Movable,
    {
        let [of_a, of_b] = self.indices::<L>(at);
        let a = lanes.call::<ReadGroup<Moving<A>>>((self.a, of_a));
        let b = lanes.call::<ReadGroup<Static<B>>>((self.b, of_b));
        let (a, b) = (Moving::<A>::unpack(a.row), Static::<B>::unpack(b.row));
        let others = self.b.displacement_of(lanes, of_b);
        // Rounded as in rows.
        let motion = stored(lanes, a.displacement - Vec3(others));
        let travel = stored(lanes, motion * times);
        (A::moved(lanes, a.start, travel), b)
    }

    #[inline(always)]
    fn indices<L: Lanes>(&self, at: usize) -> [PaddedIndex<'_>; 2] {
        let pairs = &self.pairs[at..][..L::COUNT];
        let [side_a, side_b] = self.sides;
        [side_a, side_b].map(|side| PaddedIndex(SideIndices::new(pairs, side)))
    }
}

/// Reads a group of shapes: compiled once for all kernels.
struct ReadGroup<'x, 'c, F>(PhantomData<(&'x (), &'c (), F)>);

impl<'x, 'c: 'x, F: Form, L: Lanes> Routine<L> for ReadGroup<'x, 'c, F> {
    type Argument = (&'x Columns<'c, F::Shape>, PaddedIndex<'x>);
    type Output = Prepared<F, L>;

    #[inline(always)]
    fn run(lanes: L, (columns, index): Self::Argument) -> Prepared<F, L> {
        columns.read::<F, L>(lanes, index)
    }
}

impl<A: Movable, B: Shape> PairColumns<'_, Static<A>, Static<B>> {
    /// Like [`pack`](Self::pack), with the shapes moved to the times of their pairs.
    #[inline(always)]
    pub fn pack_at<L: Lanes>(
        &self,
        lanes: L,
        positions: &[u32],
        times: &[f32],
        a: &mut [A::Row],
        b: &mut [B::Row],
    ) {
        let [side_a, side_b] = self.list.sides();
        let list = &self.list;
        lanes.run(PackMoved::<A> {
            columns: &self.a,
            pairs: (list, side_a, positions),
            others: (self.b.displacement(), side_b),
            times,
            rows: a,
        });
        lanes.run(PackSide::<Static<B>> {
            columns: &self.b,
            pairs: (list, side_b, positions),
            rows: b,
        });
    }
}

/// A checked list, a side, and positions.
type SideOf<'x, 'c> = (&'x CheckedPairs<'c>, usize, &'x [u32]);

/// Gathers and packs one side of pairs.
struct PackSide<'x, 'c, F: Form> {
    columns: &'x Columns<'c, F::Shape>,
    pairs: SideOf<'x, 'c>,
    rows: &'x mut [F::Row],
}

impl<F: Form> Job for PackSide<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let (list, side, positions) = self.pairs;
        let mut scratch = [[0; 2]; WORD];
        for (word, rows) in positions.chunks(WORD).zip(self.rows.chunks_mut(WORD)) {
            let pairs = list.gather(word, &mut scratch);
            let mut at = 0;
            while at < word.len() {
                let index = PaddedIndex(SideIndices::new(&pairs[at..][..L::COUNT], side));
                let prepared = self.columns.read::<F, L>(lanes, index);
                // Hits are valid; pairs of a distance query may be invalid.
                let vectors = prepared.poison_invalid(lanes);
                F::Row::scatter(lanes, vectors, &mut rows[at..]);
                at += L::COUNT;
            }
        }
    }
}

/// Gathers and packs side A of pairs, moved to the times of the pairs. Only the relative pose matters, so A moves
/// relative to B.
struct PackMoved<'x, 'c, A: Movable> {
    columns: &'x Columns<'c, A>,
    pairs: SideOf<'x, 'c>,
    /// The displacements of B with their stride, and its side.
    others: (Option<Strided<'c>>, usize),
    times: &'x [f32],
    rows: &'x mut [A::Row],
}

impl<A: Movable> Job for PackMoved<'_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let ((list, side, positions), (displacements, other)) = (self.pairs, self.others);
        let zero = lanes.splat(0.0);
        let (mut scratch, mut times) = ([[0; 2]; WORD], [0.0; WORD]);
        for (word, rows) in positions.chunks(WORD).zip(self.rows.chunks_mut(WORD)) {
            let pairs = list.gather(word, &mut scratch);
            for (time, &position) in times.iter_mut().zip(word) {
                *time = self.times[position as usize];
            }
            let mut at = 0;
            while at < word.len() {
                let pairs = &pairs[at..][..L::COUNT];
                let index = PaddedIndex(SideIndices::new(pairs, side));
                let moving = self.columns.read::<Moving<A>, L>(lanes, index);
                let moving = Moving::<A>::unpack(moving.row);
                let mut displacement = [zero; 3];
                if let Some((columns, stride)) = displacements {
                    for (x, column) in displacement.iter_mut().zip(columns) {
                        let index = GatherIndex(SideIndices::new(pairs, other));
                        // As in rows: −0 becomes 0.
                        *x = index.of(lanes, column, stride) + zero;
                    }
                }
                let travel = (moving.displacement - Vec3(displacement)) * lanes.load(&times[at..]);
                let mut row = <A::Row as Row>::Vectors::splat(zero);
                A::to_row(A::moved(lanes, moving.start, travel), row.as_mut());
                A::Row::scatter(lanes, row, &mut rows[at..]);
                at += L::COUNT;
            }
        }
    }
}

/// Up to a word of pairs of [`PairColumns`].
pub struct ColumnsBatch<'s, 'c, A: Form, B: Form> {
    a: &'s Columns<'c, A::Shape>,
    b: &'s Columns<'c, B::Shape>,
    pairs: &'s [IndexPair; WORD],
    sides: [usize; 2],
}

impl<'c, A: Form, B: Form> PairSource<A, B> for PairColumns<'c, A, B> {
    type Batch<'s>
        = ColumnsBatch<'s, 'c, A, B>
    where
        Self: 's;
    const WHOLE_WORDS: bool = false;
    // Gathers dominate and are no faster with 16 lanes.
    const MOST_LANES: usize = 8;

    #[inline(always)]
    fn batch<'s, L: Lanes>(
        &'s self,
        _: L,
        first: usize,
        len: usize,
        scratch: &'s mut ScratchPairs,
    ) -> Self::Batch<'s> {
        self.of(self.list.word_of_any(first, len, scratch))
    }
}

impl<A: Form, B: Form> PairBatch<A, B> for ColumnsBatch<'_, '_, A, B> {
    #[inline(always)]
    fn load<P: PairLoad<A, B>, L: Lanes>(
        &self,
        lanes: L,
        at: usize,
        margin: L::F,
    ) -> (P::Loaded<L>, L::M) {
        let pairs = &self.pairs[at..][..L::COUNT];
        let [side_a, side_b] = self.sides;
        let a = GatherIndex(SideIndices::new(pairs, side_a));
        let b = GatherIndex(SideIndices::new(pairs, side_b));
        let (a, b) = (self.a.read::<A, L>(lanes, a), self.b.read::<B, L>(lanes, b));
        load_prepared::<P, _, _, _>(lanes, a, b, margin)
    }
}

/// Checked indices into a column, one per lane.
#[derive(Clone, Copy)]
struct GatherIndex<'a>(SideIndices<'a>);

impl LaneIndex for GatherIndex<'_> {
    #[inline(always)]
    fn of<L: Lanes>(self, lanes: L, column: &[f32], stride: usize) -> L::F {
        lanes.lookup(GatheredRows::new(column.as_ptr(), stride, self.0))
    }
}

/// Like [`GatherIndex`], for columns that may be padded.
#[derive(Clone, Copy)]
struct PaddedIndex<'a>(SideIndices<'a>);

impl LaneIndex for PaddedIndex<'_> {
    #[inline(always)]
    fn of<L: Lanes>(self, lanes: L, column: &[f32], stride: usize) -> L::F {
        // A column is as long as its store, or padded.
        if column.is_empty() {
            lanes.splat(0.0)
        } else {
            GatherIndex(self.0).of(lanes, column, stride)
        }
    }
}

/// The indices on one side of some pairs.
#[derive(Clone, Copy)]
struct SideIndices<'a> {
    pairs: &'a [IndexPair],
    side: usize,
}

impl<'a> SideIndices<'a> {
    #[inline(always)]
    fn new(pairs: &'a [IndexPair], side: usize) -> Self {
        SideIndices { pairs, side }
    }

    /// The index for one lane.
    #[inline(always)]
    fn at(self, lane: usize) -> usize {
        self.pairs[lane][self.side] as usize
    }
}
