//! Sources without a list: a zip of two stores, and one shape against a whole store.

use crate::driver::list::ScratchPairs;
use crate::driver::pack::{Broadcast, BroadcastShape};
use crate::driver::rows::PairShapes;
use crate::driver::run::{Run, Span};
use crate::driver::source::{PairBatch, PairLoad, PairSource, Test, Verb, load_prepared};
use crate::lane::{Float, Lanes, Rows, Simd, WORD};
use crate::shapes::columns::{Columns, Word};
use crate::shapes::shape::{Array, Form, Prepared, Row, Shape};
use crate::store::columns::AnyColumns;

/// Yields the shapes on one side of the pairs, in order.
trait SideSource<F: Form> {
    /// A word of shapes.
    type Word<'s>: Fetch<F>
    where
        Self: 's;
    /// The word from `first` on. Panics past the end.
    fn word(&self, first: usize) -> Self::Word<'_>;
}

/// Fetches the shapes of a word.
trait Fetch<F: Form> {
    /// Fetches one group of lanes, from place `at` on.
    fn fetch<L: Lanes>(&self, lanes: L, at: usize) -> Prepared<F, L>;
}

impl<'c, F: Form> SideSource<F> for Columns<'c, F::Shape> {
    type Word<'s>
        = Word<'c, F::Shape>
    where
        Self: 's;

    #[inline(always)]
    fn word(&self, first: usize) -> Word<'c, F::Shape> {
        Word::new(self, first)
    }
}

impl<F: Form> Fetch<F> for Word<'_, F::Shape> {
    #[inline(always)]
    fn fetch<L: Lanes>(&self, lanes: L, at: usize) -> Prepared<F, L> {
        Word::fetch(self, lanes, at)
    }
}

/// The shapes of a call without a list, untyped.
#[derive(Clone, Copy)]
pub enum ScanShapes<'s> {
    /// Shapes of equal index in two stores.
    Zip(&'s AnyColumns<'s>, &'s AnyColumns<'s>),
    /// One shape A against a whole store.
    OneA(&'s Broadcast, &'s AnyColumns<'s>),
    /// One shape B against a whole store.
    OneB(&'s AnyColumns<'s>, &'s Broadcast),
}

/// A column or one broadcast shape, selected at run time so that one loop serves both.
enum ScanSide<'c, F: Form> {
    /// With the store's cached rows, if the loop reads them.
    InOrder(Columns<'c, F::Shape>, Option<&'c [F::Row]>),
    One(BroadcastShape<F>),
}

impl<'c, F: Form> ScanSide<'c, F> {
    #[inline(always)]
    fn in_order(columns: &AnyColumns<'c>) -> Self {
        let kept = columns
            .cache()
            .filter(|_| F::Shape::SCANS_ROWS)
            .and_then(|cache| cache.form(F::MOTION).rows.get());
        let rows = kept.map(|lines| lines.rows(columns.len()));
        ScanSide::InOrder(columns.typed(), rows)
    }

    #[inline(always)]
    fn one(one: &Broadcast) -> Self {
        ScanSide::One(one.typed())
    }
}

/// A word of [`ScanSide`].
enum ScanSideWord<'s, 'c, F: Form> {
    InOrder(Word<'c, F::Shape>, Option<KeptWord<'c, F::Row>>),
    One(&'s BroadcastShape<F>),
}

impl<'c, F: Form> SideSource<F> for ScanSide<'c, F> {
    type Word<'s>
        = ScanSideWord<'s, 'c, F>
    where
        Self: 's;

    #[inline(always)]
    fn word(&self, first: usize) -> ScanSideWord<'_, 'c, F> {
        match self {
            ScanSide::InOrder(columns, rows) => ScanSideWord::InOrder(
                Word::new(columns, first),
                rows.map(|rows| KeptWord::new(rows, first)),
            ),
            ScanSide::One(one) => ScanSideWord::One(one),
        }
    }
}

impl<F: Form> Fetch<F> for ScanSideWord<'_, '_, F> {
    #[inline(always)]
    fn fetch<L: Lanes>(&self, lanes: L, at: usize) -> Prepared<F, L> {
        match self {
            ScanSideWord::InOrder(_, Some(word)) if F::Shape::SCANS_ROWS => {
                let row = F::Row::gather(lanes, KeptWord { at, ..*word });
                let mark = row.as_ref()[F::Shape::NAN_SLOTS[0]];
                let good = !mark.unordered(mark);
                Prepared { row, good }
            }
            ScanSideWord::InOrder(word, _) => word.fetch(lanes, at),
            ScanSideWord::One(one) => Fetch::<F>::fetch(one, lanes, at),
        }
    }
}

/// The rows of a word of shapes, and the place of the first to fetch.
#[derive(Clone, Copy)]
struct KeptWord<'c, R> {
    rows: &'c [R; WORD],
    at: usize,
}

impl<'c, R> KeptWord<'c, R> {
    /// The rows from `first` on. Panics past the end.
    #[inline(always)]
    fn new(rows: &'c [R], first: usize) -> Self {
        match rows[first..].first_chunk() {
            Some(rows) => KeptWord { rows, at: 0 },
            None => panic!("no whole word from {first} on"),
        }
    }
}

impl<R: Copy> Rows<R> for KeptWord<'_, R> {
    #[inline(always)]
    fn row(&self, lane: usize) -> &R {
        // The modulus removes the bounds check.
        &self.rows[(self.at + lane) % WORD]
    }
}

/// Pairs of two sides, from the first shape to the last.
struct Scan<A, B> {
    a: A,
    b: B,
}

/// A word of both sides.
struct ScanBatch<A, B>(A, B);

impl<FA: Form, FB: Form, A: SideSource<FA>, B: SideSource<FB>> PairSource<FA, FB> for Scan<A, B> {
    type Batch<'s>
        = ScanBatch<A::Word<'s>, B::Word<'s>>
    where
        Self: 's;
    const WHOLE_WORDS: bool = true;

    #[inline(always)]
    fn batch<'s, L: Lanes>(
        &'s self,
        _: L,
        first: usize,
        _: usize,
        _: &'s mut ScratchPairs,
    ) -> Self::Batch<'s> {
        ScanBatch(self.a.word(first), self.b.word(first))
    }
}

impl<FA: Form, FB: Form, A: Fetch<FA>, B: Fetch<FB>> PairBatch<FA, FB> for ScanBatch<A, B> {
    #[inline(always)]
    fn load<P: PairLoad<FA, FB>, L: Lanes>(
        &self,
        lanes: L,
        at: usize,
        margin: L::F,
    ) -> (P::Loaded<L>, L::M) {
        let (a, b) = (self.0.fetch(lanes, at), self.1.fetch(lanes, at));
        load_prepared::<P, _, _, _>(lanes, a, b, margin)
    }
}

/// Pairs of valid shapes only.
struct Valid<S>(S);

impl<A: Form, B: Form, S: PairSource<A, B>> PairSource<A, B> for Valid<S> {
    type Batch<'s>
        = S::Batch<'s>
    where
        Self: 's;
    const WHOLE_WORDS: bool = S::WHOLE_WORDS;
    const ARE_VALID: bool = true;

    #[inline(always)]
    fn batch<'s, L: Lanes>(
        &'s self,
        lanes: L,
        first: usize,
        len: usize,
        scratch: &'s mut ScratchPairs,
    ) -> Self::Batch<'s> {
        self.0.batch(lanes, first, len, scratch)
    }
}

/// Tests pairs without a list. `are_valid`: whether all shapes of a store are.
///
/// Branching inside the loop slows spheres by 20 % and OBBs not at all (notes: figures moved from the source). So
/// light kernels have a loop for each kind of source, heavy kernels one loop.
pub fn test<V: Verb, A: Test<V, B>, B: Shape>(
    simd: Simd,
    (shapes, are_valid): (ScanShapes<'_>, bool),
    stored: &PairShapes<'_>,
    span: Span<'_>,
) {
    if const { A::IS_LIGHT } {
        match shapes {
            ScanShapes::Zip(a, b) => {
                let (a, b) = (a.typed::<A>(), b.typed::<B>());
                simd.run(Run::<V, A, B, _>::new(Scan { a, b }, stored, span));
            }
            ScanShapes::OneA(a, b) => {
                let (a, b) = (a.typed::<V::Form<A>>(), b.typed::<B>());
                if are_valid && a.is_valid() {
                    simd.run(Run::<V, A, B, _>::new(Valid(Scan { a, b }), stored, span));
                } else {
                    simd.run(Run::<V, A, B, _>::new(Scan { a, b }, stored, span));
                }
            }
            ScanShapes::OneB(a, b) => {
                let (a, b) = (a.typed::<A>(), b.typed::<V::Form<B>>());
                if are_valid && b.is_valid() {
                    simd.run(Run::<V, A, B, _>::new(Valid(Scan { a, b }), stored, span));
                } else {
                    simd.run(Run::<V, A, B, _>::new(Scan { a, b }, stored, span));
                }
            }
        }
    } else {
        let (a, b) = match shapes {
            ScanShapes::Zip(a, b) => (ScanSide::in_order(a), ScanSide::in_order(b)),
            ScanShapes::OneA(a, b) => (ScanSide::one(a), ScanSide::in_order(b)),
            ScanShapes::OneB(a, b) => (ScanSide::in_order(a), ScanSide::one(b)),
        };
        simd.run(Run::<V, A, B, _>::new(Scan { a, b }, stored, span));
    }
}

impl<F: Form> SideSource<F> for BroadcastShape<F> {
    type Word<'s>
        = &'s Self
    where
        Self: 's;

    #[inline(always)]
    fn word(&self, _first: usize) -> &Self {
        self
    }
}

impl<F: Form> Fetch<F> for &BroadcastShape<F> {
    #[inline(always)]
    fn fetch<L: Lanes>(&self, lanes: L, _at: usize) -> Prepared<F, L> {
        let numbers: &[f32] = bytemuck::cast_slice(core::slice::from_ref(&self.row));
        let mut row = <F::Row as Row>::Vectors::<L::F>::splat(lanes.splat(0.0));
        for (vector, &x) in row.as_mut().iter_mut().zip(numbers) {
            *vector = lanes.splat(x);
        }
        let mark = row.as_ref()[F::Shape::NAN_SLOTS[0]];
        let good = !mark.unordered(mark);
        Prepared { row, good }
    }
}
