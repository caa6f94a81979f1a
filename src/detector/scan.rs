//! Sources without a list: two stores side by side, and one shape against all of a store.

use bytemuck::Zeroable;

use super::boxes::Apart;
use super::check::ScratchPairs;
use super::run::{Source, Window, load_prepared};
use crate::kernel::load::PairLoad;
use crate::lane::{Float, Lanes, One};
use crate::shapes::{Array, BoundingBox, Columns, Form, Prepared, Row, Shape, Word};

/// The shapes on one side of the pairs, in order.
pub trait Side<F: Form>: Clone + Send + Sync {
    /// A word of them.
    type Word<'s>: Fetch<F>
    where
        Self: 's;
    /// The word from `first` on. Panics if there are fewer shapes.
    fn word(&self, first: usize) -> Self::Word<'_>;
}

/// Yields some shapes in order.
pub trait Fetch<F: Form> {
    /// As many shapes as there are lanes, from place `at` on.
    fn fetch<L: Lanes>(&self, lanes: L, at: usize) -> Prepared<F, L>;
}

impl<'c, F: Form> Side<F> for Columns<'c, F::Shape> {
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

/// One shape, in every lane.
pub struct OneShape<F: Form> {
    row: F::Row,
    around: Option<BoundingBox<f32>>,
}

impl<F: Form> OneShape<F> {
    pub fn new(columns: &Columns<'_, F::Shape>, index: usize) -> Self {
        let mut rows = [F::Row::zeroed()];
        let prepared = columns.fetch::<F, One>(One, index);
        let around = F::bounding_box(prepared.row).filter(|_| prepared.good);
        F::Row::scatter(One, prepared.marked(One), &mut rows);
        let [row] = rows;
        OneShape { row, around }
    }

    /// A box around the shape, unless it is bad or unbounded.
    pub fn around(&self) -> Option<BoundingBox<f32>> {
        self.around
    }
}

impl<F: Form> Clone for OneShape<F> {
    fn clone(&self) -> Self {
        OneShape { ..*self }
    }
}

impl<F: Form> Side<F> for OneShape<F> {
    type Word<'s>
        = &'s Self
    where
        Self: 's;

    #[inline(always)]
    fn word(&self, _first: usize) -> &Self {
        self
    }
}

impl<F: Form> Fetch<F> for &OneShape<F> {
    #[inline(always)]
    fn fetch<L: Lanes>(&self, lanes: L, _at: usize) -> Prepared<F, L> {
        let numbers: &[f32] = bytemuck::cast_slice(core::slice::from_ref(&self.row));
        let mut row = <F::Row as Row>::Vectors::<L::F>::splat(lanes.splat(0.0));
        for (vector, &x) in row.as_mut().iter_mut().zip(numbers) {
            *vector = lanes.splat(x);
        }
        let mark = row.as_ref()[F::Shape::MARKS[0]];
        let good = !mark.unordered(mark);
        Prepared { row, good }
    }
}

/// All of a store in order, or one shape: told apart in the loop, which is then compiled once for both.
pub enum Either<'c, F: Form> {
    InOrder(Columns<'c, F::Shape>),
    One(OneShape<F>),
}

impl<F: Form> Clone for Either<'_, F> {
    fn clone(&self) -> Self {
        match self {
            Either::InOrder(columns) => Either::InOrder(columns.clone()),
            Either::One(one) => Either::One(one.clone()),
        }
    }
}

/// A word of [`Either`].
pub enum EitherWord<'s, 'c, F: Form> {
    InOrder(Word<'c, F::Shape>),
    One(&'s OneShape<F>),
}

impl<'c, F: Form> Side<F> for Either<'c, F> {
    type Word<'s>
        = EitherWord<'s, 'c, F>
    where
        Self: 's;

    #[inline(always)]
    fn word(&self, first: usize) -> EitherWord<'_, 'c, F> {
        match self {
            Either::InOrder(columns) => EitherWord::InOrder(Word::new(columns, first)),
            Either::One(one) => EitherWord::One(one),
        }
    }
}

impl<F: Form> Fetch<F> for EitherWord<'_, '_, F> {
    #[inline(always)]
    fn fetch<L: Lanes>(&self, lanes: L, at: usize) -> Prepared<F, L> {
        match self {
            EitherWord::InOrder(word) => word.fetch(lanes, at),
            EitherWord::One(one) => Fetch::<F>::fetch(one, lanes, at),
        }
    }
}

/// Both sides, each by itself, from the first shape to the last.
#[derive(Clone)]
pub struct Scan<'s, A, B> {
    a: A,
    b: B,
    /// Finds the words that need no test.
    apart: Apart<'s>,
}

impl<'s, A, B> Scan<'s, A, B> {
    pub fn new(a: A, b: B, apart: Apart<'s>) -> Self {
        Scan { a, b, apart }
    }
}

/// A word of both sides.
pub struct WordOfBoth<A, B>(A, B);

impl<FA: Form, FB: Form, A: Side<FA>, B: Side<FB>> Source<FA, FB> for Scan<'_, A, B> {
    type Window<'s>
        = WordOfBoth<A::Word<'s>, B::Word<'s>>
    where
        Self: 's;
    const WHOLE_WORDS: bool = true;

    #[inline(always)]
    fn skipped<L: Lanes>(&self, lanes: L, word: usize) -> u64 {
        self.apart.words(lanes, word)
    }

    #[inline(always)]
    fn window<'s, L: Lanes>(
        &'s self,
        _: L,
        first: usize,
        _: usize,
        _: &'s mut ScratchPairs,
    ) -> Self::Window<'s> {
        WordOfBoth(self.a.word(first), self.b.word(first))
    }
}

impl<FA: Form, FB: Form, A: Fetch<FA>, B: Fetch<FB>> Window<FA, FB> for WordOfBoth<A, B> {
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
