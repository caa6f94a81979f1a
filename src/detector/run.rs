//! The one loop: for each word of 64 pairs, and in it for each group of lanes, load, test, write.
//!
//! All that is decided by the word needs no instruction in the group: overlaps take 0.85 of the time
//! that they took when each group checked its place in the list and in the output (Zen 4).

use core::marker::PhantomData;
use core::ops::Range;

use super::check::ScratchPairs;
use super::settings::RowOf;
use crate::error::Error;
use crate::hits::WORD;
use crate::kernel::load::PairLoad;
use crate::kernel::{Deferred, Test, Verb};
use crate::lane::{Job, Lanes, Mask, Split};
use crate::shapes::{Array, Form, Prepared, Shape};

/// Yields the shapes of pairs, one window of them after another.
pub trait Source<A: Form, B: Form>: Clone + Send + Sync {
    /// Up to a [`WORD`] of pairs.
    type Window<'s>: Window<A, B>
    where
        Self: 's;
    /// Whether windows are of whole words. If so there is at least one, and the last begins earlier.
    /// Others end somewhere; groups may reach beyond, and what they load there means nothing.
    const WHOLE_WORDS: bool;
    /// The words among 64, from `word` on, that hold no hit and no bad shape for certain.
    #[inline(always)]
    fn skipped<L: Lanes>(&self, _lanes: L, _word: usize) -> u64 {
        0
    }
    /// The pairs at `first..first + len`.
    fn window<'s, L: Lanes>(
        &'s self,
        lanes: L,
        first: usize,
        len: usize,
        scratch: &'s mut ScratchPairs,
    ) -> Self::Window<'s>;
}

/// Yields the shapes of pairs, as a kernel loads them.
pub trait Window<A: Form, B: Form> {
    /// Loads the pairs at as many places as there are lanes, from `at` on, a multiple of their number. Also
    /// says which of them meet a bad shape.
    fn load<P: PairLoad<A, B>, L: Lanes>(
        &self,
        lanes: L,
        at: usize,
        margin: L::F,
    ) -> (P::Loaded<L>, L::M);
}

/// A run of positions of an output.
pub struct Slices<'a, V: Verb> {
    pub len: usize,
    pub hits: &'a mut [u64],
    pub invalid: &'a mut [u64],
    pub columns: V::Columns<&'a mut [f32]>,
}

impl<'a, V: Verb> Slices<'a, V> {
    /// An output, made `len` positions long.
    pub fn of(out: &'a mut V, len: usize) -> Result<Self, Error> {
        let out_of_memory = |_| Error::OutOfMemory { pairs: len };
        let ([hits, invalid], columns) = out.resize(len).map_err(out_of_memory)?;
        Ok(Slices {
            len,
            hits,
            invalid,
            columns,
        })
    }

    /// Says of some words that they hold no hit and no bad shape.
    fn miss(&mut self, words: Range<usize>) {
        self.hits[words.clone()].fill(0);
        self.invalid[words.clone()].fill(0);
        for column in self.columns.as_mut() {
            column[words.start * WORD..self.len.min(words.end * WORD)].fill(V::MISS);
        }
    }

    /// The first `middle` positions, a multiple of 64 or all, and the others.
    pub fn split_at(mut self, middle: usize) -> (Self, Self) {
        let (hits_low, hits_high) = self.hits.split_at_mut(middle.div_ceil(WORD));
        let (invalid_low, invalid_high) = self.invalid.split_at_mut(middle.div_ceil(WORD));
        let columns = self.columns.as_mut();
        let high = Array::build(|k| {
            let (low, high) = core::mem::take(&mut columns[k]).split_at_mut(middle);
            columns[k] = low;
            high
        });
        (
            Slices {
                len: middle,
                hits: hits_low,
                invalid: invalid_low,
                columns: self.columns,
            },
            Slices {
                len: self.len - middle,
                hits: hits_high,
                invalid: invalid_high,
                columns: high,
            },
        )
    }
}

/// Tests a run of positions.
pub struct Run<'a, V: Verb, A, B, S> {
    pub source: S,
    pub margin: f32,
    /// The position in the list of the output's first.
    pub first: usize,
    pub out: Slices<'a, V>,
    shapes: PhantomData<(A, B)>,
}

impl<'a, V: Verb, A, B, S> Run<'a, V, A, B, S> {
    pub fn new(source: S, margin: f32, out: Slices<'a, V>) -> Self {
        Run {
            source,
            margin,
            first: 0,
            out,
            shapes: PhantomData,
        }
    }
}

impl<V, A, B, S> Job for Run<'_, V, A, B, S>
where
    V: Verb,
    A: Test<V, B>,
    B: Shape,
    S: Source<V::Form<A>, V::Form<B>>,
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) {
        let margin = lanes.splat(self.margin);
        let mut scratch = [[0; 2]; WORD];
        let mut buffer = Array::build(|_| [0.0; WORD]);
        let words = self.out.len.div_ceil(WORD);
        let (mut word, mut skipped) = (0, 0);
        while word < words {
            let at = word % WORD;
            if at == 0 {
                skipped = self.source.skipped(lanes, self.first / WORD + word);
            }
            let apart = (skipped >> at).trailing_ones() as usize;
            if apart > 0 {
                self.out.miss(word..words.min(word + apart));
                word += apart;
                continue;
            }
            let first = word * WORD;
            let count = WORD.min(self.out.len - first);
            let len = if S::WHOLE_WORDS { WORD } else { count };
            // Some are tested again.
            let start = first + count - len;
            let bits = {
                let source = &self.source;
                let window = source.window(lanes, self.first + start, len, &mut scratch);
                let mut to = word_of::<V>(&mut self.out.columns, start, len, &mut buffer);
                Self::groups(lanes, len, &window, margin, &mut to)
            };
            if len < WORD {
                for (column, from) in self.out.columns.as_mut().iter_mut().zip(buffer.as_ref()) {
                    column[start..][..len].copy_from_slice(&from[..len]);
                }
            }
            let again = len - count;
            self.out.hits[word] = align_bits::<L>(bits.hits, len) >> again;
            self.out.invalid[word] = align_bits::<L>(bits.invalid, len) >> again;
            word += 1;
        }
    }
}

/// Where the numbers of a word of positions go: to the columns or, if these end before, to `buffer`. The loop
/// then has one kind of stores only, to places that need no check.
#[inline(always)]
fn word_of<'w, 'a: 'w, V: Verb>(
    columns: &'w mut V::Columns<&'a mut [f32]>,
    start: usize,
    len: usize,
    buffer: &'w mut V::Columns<[f32; WORD]>,
) -> V::Columns<&'w mut [f32; WORD]> {
    let mut places = columns.as_mut().iter_mut().zip(buffer.as_mut());
    Array::build(|_| {
        // `build` asks once for each place, in order.
        let (column, buffer) = places.next().expect("a place for each column");
        match column[start..].first_chunk_mut() {
            Some(word) if len == WORD => word,
            _ => buffer,
        }
    })
}

impl<V, A, B, S> Run<'_, V, A, B, S>
where
    V: Verb,
    A: Test<V, B>,
    B: Shape,
    S: Source<V::Form<A>, V::Form<B>>,
{
    /// Tests the `len` pairs of a window. Which of them touch, and which are invalid, is in the top
    /// bits, in order of testing.
    #[inline(always)]
    fn groups<L: Lanes>(
        lanes: L,
        len: usize,
        window: &S::Window<'_>,
        margin: L::F,
        to: &mut V::Columns<&mut [f32; WORD]>,
    ) -> Bits {
        let mut bits = Bits::default();
        let groups = len.div_ceil(L::COUNT);
        let mut group = 0;
        while group < groups {
            let mut begun = Self::begin(lanes, group, window, margin);
            group += 1;
            while begun.is_pipelined::<L>() && group < groups {
                let next = Self::begin(lanes, group, window, margin);
                bits.finish::<V, L>(lanes, begun, to);
                begun = next;
                group += 1;
            }
            bits.finish::<V, L>(lanes, begun, to);
        }
        bits
    }

    /// Begins with a group of a window.
    #[inline(always)]
    fn begin<L: Lanes>(
        lanes: L,
        group: usize,
        window: &S::Window<'_>,
        margin: L::F,
    ) -> InFlight<impl Deferred<L, Answer = V::Answer<L>> + use<L, V, A, B, S>, L::M> {
        let at = group * L::COUNT;
        let (loaded, bad) = window.load::<A::Load, L>(lanes, at, margin);
        let deferred = A::test(lanes, loaded, margin);
        InFlight { deferred, bad, at }
    }
}

impl<V, A, B, S> Split for Run<'_, V, A, B, S>
where
    V: Verb,
    A: Test<V, B>,
    B: Shape,
    S: Source<V::Form<A>, V::Form<B>>,
{
    // The size of the rows tells roughly what a kernel costs: 64 bytes for each ns. Half of this brings 65 k
    // pairs 1.06 to 1.5 times the speed on Cascade Lake; faster cores would gain less, and wake up no faster.
    const GRAIN: usize = (3 << 20) / (size_of::<RowOf<V, A>>() + size_of::<RowOf<V, B>>());

    fn len(&self) -> usize {
        self.out.len
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (first, margin, shapes) = (self.first, self.margin, self.shapes);
        let (low, high) = self.out.split_at(middle);
        let part = |source, first, out| Run {
            source,
            margin,
            first,
            out,
            shapes,
        };
        (
            part(self.source.clone(), first, low),
            part(self.source, first + middle, high),
        )
    }

    fn merge((): (), (): ()) {}
}

/// A group whose test has begun.
#[derive(Clone, Copy)]
struct InFlight<U, M> {
    deferred: U,
    /// The lanes that hold a bad shape.
    bad: M,
    /// Its place in the word.
    at: usize,
}

impl<U, M> InFlight<U, M> {
    /// Whether the next group begins before this one is finished.
    #[inline(always)]
    fn is_pipelined<L: Lanes<M = M>>(&self) -> bool
    where
        U: Deferred<L>,
    {
        U::PIPELINED
    }
}

/// Moves the bits of groups from the top of a word to where `len` positions belong.
#[inline(always)]
pub fn align_bits<L: Lanes>(word: u64, len: usize) -> u64 {
    let groups = len.div_ceil(L::COUNT);
    word >> (WORD - groups * L::COUNT) & (u64::MAX >> (WORD - len))
}

/// The bits of the groups so far, in the top ones.
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
        to: &mut V::Columns<&mut [f32; WORD]>,
    ) {
        let answer = begun.deferred.finish(lanes);
        let hit = V::hit(answer) & !begun.bad;
        let numbers = V::columns(lanes, answer, hit);
        for (column, &x) in to.as_mut().iter_mut().zip(numbers.as_ref()) {
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

/// The bits of the groups so far and of one more, in the top ones.
#[inline(always)]
fn followed_by<L: Lanes>(bits: u64, mask: L::M) -> u64 {
    // Two instructions. Two shifts become `shrd`, which takes six on Zen.
    (bits | mask.bits()).rotate_right(L::COUNT as u32)
}

/// What a kernel is given of prepared shapes, and which pairs meet a bad one.
#[inline(always)]
pub fn load_prepared<P: PairLoad<A, B>, A: Form, B: Form, L: Lanes>(
    lanes: L,
    a: Prepared<A, L>,
    b: Prepared<B, L>,
    margin: L::F,
) -> (P::Loaded<L>, L::M) {
    (
        P::of_vectors(lanes, a.row, b.row, margin),
        !(a.good & b.good),
    )
}
