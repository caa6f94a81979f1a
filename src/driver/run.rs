//! The test loop: for each word of 64 pairs and each group of lanes in it, load, test, write.
//!
//! Bounds checks are hoisted from the vector loop to the 64-pair word, which saves overlaps 14 % of their time (notes:
//! figures moved from the source).

use core::marker::PhantomData;

use crate::driver::source::{Deferred, PairBatch, PairLoad, PairSource, Test, Verb};
use crate::error::Error;
use crate::lane::{FEWEST_KERNEL_LANES, Job, Lanes, MAX_LANES, Mask, WORD, most_kernel_lanes};
use crate::shapes::shape::Shape;

/// A contiguous span of positions to test, and its output.
pub struct Span<'a> {
    pub margin: f32,
    /// List position of the first output element.
    pub first: usize,
    pub len: usize,
    pub hits: &'a mut [u64],
    pub invalid: &'a mut [u64],
    /// Columns that the verb does not write are empty.
    pub columns: [&'a mut [f32]; MAX_COLUMNS],
}

/// Maximum number of columns that a verb writes.
pub const MAX_COLUMNS: usize = 2;

impl<'a> Span<'a> {
    /// Resizes an output to `len` positions and returns all of them.
    #[inline(always)]
    pub fn of<V: Verb>(out: &'a mut V, len: usize, margin: f32) -> Result<Self, Error> {
        let out_of_memory = |_| Error::OutOfMemory { pairs: len };
        let ([hits, invalid], mut columns) = out.resize(len).map_err(out_of_memory)?;
        let mut columns = columns.as_mut().iter_mut().map(core::mem::take);
        Ok(Span {
            margin,
            first: 0,
            len,
            hits,
            invalid,
            columns: [(); MAX_COLUMNS].map(|()| columns.next().unwrap_or_default()),
        })
    }

    /// Borrows the span.
    pub fn reborrow(&mut self) -> Span<'_> {
        Span {
            hits: self.hits,
            invalid: self.invalid,
            columns: self.columns.each_mut().map(|column| &mut **column),
            ..*self
        }
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Splits off the first `middle` positions, a multiple of 64 or all.
    pub fn split_at(self, middle: usize) -> (Self, Self) {
        let (hits, hits_high) = self.hits.split_at_mut(middle.div_ceil(WORD));
        let (invalid, invalid_high) = self.invalid.split_at_mut(middle.div_ceil(WORD));
        let [(x, x_high), (y, y_high)] = self
            .columns
            .map(|column| column.split_at_mut(middle.min(column.len())));
        (
            Span {
                len: middle,
                hits,
                invalid,
                columns: [x, y],
                ..self
            },
            Span {
                first: self.first + middle,
                len: self.len - middle,
                hits: hits_high,
                invalid: invalid_high,
                columns: [x_high, y_high],
                ..self
            },
        )
    }
}

/// Tests a span of positions from one source.
pub struct Run<'a, V, A, B, S> {
    pub source: S,
    pub span: Span<'a>,
    kernel: PhantomData<(V, A, B)>,
}

impl<'a, V, A, B, S> Run<'a, V, A, B, S> {
    #[inline(always)]
    pub fn new(source: S, span: Span<'a>) -> Self {
        Run {
            source,
            span,
            kernel: PhantomData,
        }
    }
}

impl<V, A, B, S> Job for Run<'_, V, A, B, S>
where
    V: Verb,
    A: Test<V, B>,
    B: Shape,
    S: PairSource<V::Form<A>, V::Form<B>>,
{
    type Output = ();
    const FEWEST: usize = FEWEST_KERNEL_LANES;
    const MOST: usize = most_kernel_lanes(if S::ARE_ROWS {
        <A::Load as PairLoad<V::Form<A>, V::Form<B>>>::ROW_LANES
    } else if A::IS_LIGHT {
        MAX_LANES
    } else {
        S::MOST_LANES
    });

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Span {
            margin,
            first: base,
            len: total,
            hits,
            invalid,
            mut columns,
        } = self.span;
        let margin = lanes.splat(margin);
        let columns = &mut columns[..size_of::<V::Columns<f32>>() / size_of::<f32>()];
        let mut scratch = [[0; 2]; WORD];
        let mut buffer = [[0.0; WORD]; MAX_COLUMNS];
        for word in 0..total.div_ceil(WORD) {
            let first = word * WORD;
            let count = WORD.min(total - first);
            let len = if S::WHOLE_WORDS { WORD } else { count };
            // A whole last word retests some pairs.
            let start = first + count - len;
            let bits = {
                let source = &self.source;
                let batch = source.batch(lanes, base + start, len, &mut scratch);
                let mut to = word_of(columns, start, len, &mut buffer);
                Self::groups(lanes, len, &batch, margin, &mut to)
            };
            if len < WORD {
                for (column, from) in columns.iter_mut().zip(&buffer) {
                    column[start..][..len].copy_from_slice(&from[..len]);
                }
            }
            let again = len - count;
            hits[word] = align_bits::<L>(bits.hits, len) >> again;
            invalid[word] = align_bits::<L>(bits.invalid, len) >> again;
        }
    }
}

/// Destinations of a word of numbers: the columns or, past their end, `buffer`. So the loop has only full-width stores
/// without bounds checks.
#[inline(always)]
fn word_of<'w>(
    columns: &'w mut [&mut [f32]],
    start: usize,
    len: usize,
    buffer: &'w mut [[f32; WORD]; MAX_COLUMNS],
) -> [&'w mut [f32; WORD]; MAX_COLUMNS] {
    let mut words = buffer.each_mut();
    for (word, column) in words.iter_mut().zip(columns) {
        if len == WORD
            && let Some(place) = column[start..].first_chunk_mut()
        {
            *word = place;
        }
    }
    words
}

impl<V, A, B, S> Run<'_, V, A, B, S>
where
    V: Verb,
    A: Test<V, B>,
    B: Shape,
    S: PairSource<V::Form<A>, V::Form<B>>,
{
    /// Tests the `len` pairs of a batch. Hit and invalid bits are returned in the top bits, in order of testing.
    #[inline(always)]
    fn groups<L: Lanes>(
        lanes: L,
        len: usize,
        batch: &S::Batch<'_>,
        margin: L::F,
        to: &mut [&mut [f32; WORD]; MAX_COLUMNS],
    ) -> Bits {
        let mut bits = Bits::default();
        let groups = len.div_ceil(L::COUNT);
        let mut group = 0;
        while group < groups {
            let mut begun = Self::begin(lanes, group, batch, margin);
            group += 1;
            while begun.is_pipelined::<L>() && group < groups {
                let next = Self::begin(lanes, group, batch, margin);
                bits.finish::<V, L>(lanes, begun, to);
                begun = next;
                group += 1;
            }
            bits.finish::<V, L>(lanes, begun, to);
        }
        bits
    }

    /// Begins the test of a group.
    #[inline(always)]
    fn begin<L: Lanes>(
        lanes: L,
        group: usize,
        batch: &S::Batch<'_>,
        margin: L::F,
    ) -> InFlight<impl Deferred<L, Answer = V::Answer<L>> + use<L, V, A, B, S>, L::M> {
        let at = group * L::COUNT;
        let (loaded, bad) = batch.load::<A::Load, L>(lanes, at, margin);
        let deferred = A::test(lanes, loaded, margin);
        InFlight { deferred, bad, at }
    }
}

/// A group whose test has begun.
#[derive(Clone, Copy)]
struct InFlight<U, M> {
    deferred: U,
    /// The lanes with an invalid shape.
    bad: M,
    /// Place of the group in the word.
    at: usize,
}

impl<U, M> InFlight<U, M> {
    /// Whether the next group begins before the current group is finished.
    #[inline(always)]
    fn is_pipelined<L: Lanes<M = M>>(&self) -> bool
    where
        U: Deferred<L>,
    {
        U::PIPELINED
    }
}

/// Shifts the bits of groups from the top of a word to the lowest `len` bits.
#[inline(always)]
pub fn align_bits<L: Lanes>(word: u64, len: usize) -> u64 {
    let groups = len.div_ceil(L::COUNT);
    word >> (WORD - groups * L::COUNT) & (u64::MAX >> (WORD - len))
}

/// The bits of the groups tested so far, in the top bits.
#[derive(Default)]
pub struct Bits {
    pub hits: u64,
    pub invalid: u64,
}

impl Bits {
    /// Finishes the test of a group.
    #[inline(always)]
    fn finish<V: Verb, L: Lanes>(
        &mut self,
        lanes: L,
        begun: InFlight<impl Deferred<L, Answer = V::Answer<L>>, L::M>,
        to: &mut [&mut [f32; WORD]; MAX_COLUMNS],
    ) {
        let answer = begun.deferred.finish(lanes);
        let hit = V::hit(answer) & !begun.bad;
        let numbers = V::columns(lanes, answer, hit);
        for (column, &x) in to.iter_mut().zip(numbers.as_ref()) {
            lanes.store(x, &mut column[begun.at..][..L::COUNT]);
        }
        self.add::<L>(hit, begun.bad);
    }

    /// Adds the bits of a group.
    #[inline(always)]
    pub fn add<L: Lanes>(&mut self, hit: L::M, bad: L::M) {
        self.hits = followed_by::<L>(self.hits, hit);
        self.invalid = followed_by::<L>(self.invalid, bad);
    }
}

/// Appends the bits of one group at the top.
#[inline(always)]
fn followed_by<L: Lanes>(bits: u64, mask: L::M) -> u64 {
    // Two instructions. Two shifts would compile to `shrd`, which is slow on Zen.
    (bits | mask.bits()).rotate_right(L::COUNT as u32)
}
