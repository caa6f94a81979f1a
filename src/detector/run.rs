//! The one loop: for each word of 64 pairs, and in it for each group of lanes, fetch, test, write.
//!
//! All that is decided by the word needs no instruction in the group: overlaps take 0.85 of the time
//! that they took when each group checked its place in the list and in the output (Zen 4).

use core::marker::PhantomData;

use super::RowOf;
use super::pack::STREAM_FROM;
use super::source::{Source, Window};
use super::split::Split;
use crate::hits::{Overlaps, Sweeps, WORD};
use crate::kernel::{Answer, SweptContact, Test, Unfinished, Verb};
use crate::lane::{Float, Job, Lanes, Mask};
use crate::pages;
use crate::shapes::Shape;

/// An output that a loop can write to, piece by piece.
pub trait Output: Verb {
    /// Columns besides the masks.
    type Times<'a>: Times;
    /// How many bytes of them a pair has.
    const TIME_BYTES: usize;
    /// The masks.
    fn masks(&self) -> &Overlaps;
    /// Makes room for `len` positions.
    fn slices(&mut self, len: usize) -> Slices<'_, Self::Times<'_>>;
    /// One that a detector keeps.
    fn spare(spares: &mut (Overlaps, Sweeps)) -> &mut Self;
    /// Takes memory for `len` positions, if there is none.
    fn reserve(&mut self, len: usize);
    /// Writes the columns besides the masks from place `at` of a word on.
    fn write<L: Lanes>(
        lanes: L,
        answer: Self::Answer<L>,
        hit: L::M,
        times: &mut <Self::Times<'_> as Times>::Word<'_>,
        at: usize,
    );
}

/// A run of positions of an output.
pub struct Slices<'a, C> {
    pub len: usize,
    pub hits: &'a mut [u64],
    pub invalid: &'a mut [u64],
    pub times: C,
}

impl<C: Times> Slices<'_, C> {
    /// The first `middle` positions, a multiple of 64 or all, and the others.
    pub fn split_at(self, middle: usize) -> (Self, Self) {
        let (hits_low, hits_high) = self.hits.split_at_mut(middle.div_ceil(WORD));
        let (invalid_low, invalid_high) = self.invalid.split_at_mut(middle.div_ceil(WORD));
        let (low, high) = self.times.split_at(middle);
        (
            Slices {
                len: middle,
                hits: hits_low,
                invalid: invalid_low,
                times: low,
            },
            Slices {
                len: self.len - middle,
                hits: hits_high,
                invalid: invalid_high,
                times: high,
            },
        )
    }
}

impl<C: Times> Slices<'_, C> {
    /// Says of all positions that shapes are good and do not touch.
    #[inline(always)]
    pub fn miss(self) {
        self.hits.fill(0);
        self.invalid.fill(0);
        self.times.miss();
    }
}

/// Columns that can be split, and are written a word of positions at a time.
#[cfg_attr(not(feature = "rayon"), allow(dead_code))]
pub trait Times: Send + Sized {
    /// Where the times of a word go.
    type Word<'w>
    where
        Self: 'w;
    fn split_at(self, middle: usize) -> (Self, Self);
    /// Where those of positions `start..start + len` go: to the columns themselves or, if that
    /// cannot be done at once, to `buffer`.
    fn word<'w>(&'w mut self, start: usize, len: usize, buffer: &'w mut Buffer) -> Self::Word<'w>;
    /// Writes everywhere that there is no contact.
    fn miss(self);
    /// Called after the word is written.
    fn end_word<L: Lanes>(&mut self, lanes: L, start: usize, len: usize, buffer: &Buffer);
    /// Called after the last word.
    fn end<L: Lanes>(self, lanes: L);
}

/// Memory for the times of a word.
pub type Buffer = [[f32; WORD]; 2];

impl Times for () {
    type Word<'w> = ();

    fn split_at(self, _middle: usize) -> ((), ()) {
        ((), ())
    }
    #[inline(always)]
    fn word<'w>(&'w mut self, _start: usize, _len: usize, _buffer: &'w mut Buffer) {}
    #[inline(always)]
    fn miss(self) {}
    #[inline(always)]
    fn end_word<L: Lanes>(&mut self, _lanes: L, _start: usize, _len: usize, _buffer: &Buffer) {}
    #[inline(always)]
    fn end<L: Lanes>(self, _lanes: L) {}
}

/// Times of entry and of exit.
pub struct EnterExit<'a> {
    enter: &'a mut [f32],
    exit: &'a mut [f32],
    /// Writes past the caches.
    stream: bool,
}

impl EnterExit<'_> {
    /// Whether words of `len` positions are written to a buffer first: if they are short, or
    /// streamed. The loop then has one kind of stores only, to places that need no check.
    #[inline(always)]
    fn is_buffered(&self, len: usize) -> bool {
        self.stream || len < WORD
    }
}

impl Times for EnterExit<'_> {
    type Word<'w>
        = [&'w mut [f32; WORD]; 2]
    where
        Self: 'w;

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (enter_low, enter_high) = self.enter.split_at_mut(middle);
        let (exit_low, exit_high) = self.exit.split_at_mut(middle);
        (
            EnterExit {
                enter: enter_low,
                exit: exit_low,
                stream: self.stream,
            },
            EnterExit {
                enter: enter_high,
                exit: exit_high,
                stream: self.stream,
            },
        )
    }

    #[inline(always)]
    fn word<'w>(&'w mut self, start: usize, len: usize, buffer: &'w mut Buffer) -> Self::Word<'w> {
        let [enter, exit] = buffer;
        if !self.is_buffered(len)
            && let (Some(enter), Some(exit)) = (
                self.enter[start..].first_chunk_mut(),
                self.exit[start..].first_chunk_mut(),
            )
        {
            return [enter, exit];
        }
        [enter, exit]
    }

    #[inline(always)]
    fn miss(self) {
        self.enter.fill(f32::INFINITY);
        self.exit.fill(f32::INFINITY);
    }

    #[inline(always)]
    fn end_word<L: Lanes>(&mut self, lanes: L, start: usize, len: usize, buffer: &Buffer) {
        if !self.is_buffered(len) {
            return;
        }
        for (from, column) in buffer.iter().zip([&mut *self.enter, &mut *self.exit]) {
            let (from, to) = (&from[..len], &mut column[start..][..len]);
            if len < WORD {
                to.copy_from_slice(from);
                continue;
            }
            for (from, to) in from
                .chunks_exact(L::COUNT)
                .zip(to.chunks_exact_mut(L::COUNT))
            {
                lanes.stream(lanes.load(from), to);
            }
        }
    }

    #[inline(always)]
    fn end<L: Lanes>(self, lanes: L) {
        if self.stream {
            lanes.end_streams();
        }
    }
}

impl Output for Overlaps {
    type Times<'a> = ();
    const TIME_BYTES: usize = 0;

    fn masks(&self) -> &Overlaps {
        self
    }

    fn slices(&mut self, len: usize) -> Slices<'_, ()> {
        let (hits, invalid) = self.resize(len);
        Slices {
            len,
            hits,
            invalid,
            times: (),
        }
    }

    fn spare((overlaps, _): &mut (Overlaps, Sweeps)) -> &mut Self {
        overlaps
    }

    fn reserve(&mut self, len: usize) {
        self.reserve_words(len);
    }

    #[inline(always)]
    fn write<L: Lanes>(_lanes: L, _answer: Self::Answer<L>, _hit: L::M, (): &mut (), _at: usize) {}
}

impl Output for Sweeps {
    type Times<'a> = EnterExit<'a>;
    const TIME_BYTES: usize = 2 * size_of::<f32>();

    fn masks(&self) -> &Overlaps {
        &self.masks
    }

    fn slices(&mut self, len: usize) -> Slices<'_, EnterExit<'_>> {
        pages::resize(&mut self.enter, len, f32::INFINITY);
        pages::resize(&mut self.exit, len, f32::INFINITY);
        let (hits, invalid) = self.masks.resize(len);
        let times = EnterExit {
            enter: &mut self.enter,
            exit: &mut self.exit,
            stream: Self::TIME_BYTES * len >= STREAM_FROM,
        };
        Slices {
            len,
            hits,
            invalid,
            times,
        }
    }

    fn spare((_, sweeps): &mut (Overlaps, Sweeps)) -> &mut Self {
        sweeps
    }

    fn reserve(&mut self, len: usize) {
        self.masks.reserve_words(len);
        pages::reserve_all(&mut self.enter, len);
        pages::reserve_all(&mut self.exit, len);
    }

    #[inline(always)]
    fn write<L: Lanes>(
        lanes: L,
        answer: SweptContact<L>,
        hit: L::M,
        [to_enter, to_exit]: &mut [&mut [f32; WORD]; 2],
        at: usize,
    ) {
        // Infinity where there is no contact. The maximum with 0 elsewhere makes 0 of −0, at which a slab
        // may be left: the one form that users compare and hash.
        let least = lanes.splat(f32::INFINITY).keep(!hit);
        let (enter, exit) = (answer.enter.max(least), answer.exit.max(least));
        lanes.store(enter, &mut to_enter[at..][..L::COUNT]);
        lanes.store(exit, &mut to_exit[at..][..L::COUNT]);
    }
}

/// Tests a run of positions.
pub struct Run<'a, V: Output, A, B, S> {
    pub source: S,
    pub margin: f32,
    /// The position in the list of the output's first.
    pub first: usize,
    pub out: Slices<'a, V::Times<'a>>,
    shapes: PhantomData<(A, B)>,
}

impl<'a, V: Output, A, B, S> Run<'a, V, A, B, S> {
    pub fn new(source: S, margin: f32, out: Slices<'a, V::Times<'a>>) -> Self {
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
    V: Output,
    A: Test<V, B>,
    B: Shape,
    S: Source<V::Form<A>, V::Form<B>>,
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        if S::SKIPS_CHECKS && L::COUNT > 1 && self.source.is_good() {
            self.words::<L, true>(lanes);
        } else {
            self.words::<L, false>(lanes);
        }
    }
}

impl<V, A, B, S> Run<'_, V, A, B, S>
where
    V: Output,
    A: Test<V, B>,
    B: Shape,
    S: Source<V::Form<A>, V::Form<B>>,
{
    /// Tests all, shapes being known to be `GOOD` or not.
    #[inline(always)]
    fn words<L: Lanes, const GOOD: bool>(mut self, lanes: L) {
        let margin = lanes.splat(self.margin);
        let (mut scratch, mut buffer) = ([[0; 2]; WORD], [[0.0; WORD]; 2]);
        for word in 0..self.out.len.div_ceil(WORD) {
            let first = word * WORD;
            let count = WORD.min(self.out.len - first);
            let len = if S::WHOLE_WORDS { WORD } else { count };
            // Some are tested again.
            let start = first + count - len;
            let bits = {
                let window = self
                    .source
                    .window(lanes, self.first + start, len, &mut scratch);
                let mut times = self.out.times.word(start, len, &mut buffer);
                Self::groups::<L, GOOD>(lanes, len, &window, margin, &mut times)
            };
            self.out.times.end_word(lanes, start, len, &buffer);
            let again = len - count;
            self.out.hits[word] = in_place::<L>(bits.hits, len) >> again;
            self.out.invalid[word] = in_place::<L>(bits.invalid, len) >> again;
        }
        self.out.times.end(lanes);
    }

    /// Tests the `len` pairs of a window. Which of them touch, and which are invalid, is in the top
    /// bits, in order of testing.
    #[inline(always)]
    fn groups<L: Lanes, const GOOD: bool>(
        lanes: L,
        len: usize,
        window: &S::Window<'_>,
        margin: L::F,
        times: &mut <V::Times<'_> as Times>::Word<'_>,
    ) -> Bits {
        let mut bits = Bits::default();
        let groups = len.div_ceil(L::COUNT);
        let mut group = 0;
        while group < groups {
            let mut begun = Self::begin::<L, GOOD>(lanes, group, window, margin);
            group += 1;
            while begun.waits::<L>() && group < groups {
                let next = Self::begin::<L, GOOD>(lanes, group, window, margin);
                bits.finish::<V, L, GOOD>(lanes, begun, times);
                begun = next;
                group += 1;
            }
            bits.finish::<V, L, GOOD>(lanes, begun, times);
        }
        bits
    }

    /// Begins with a group of a window.
    #[inline(always)]
    fn begin<L: Lanes, const GOOD: bool>(
        lanes: L,
        group: usize,
        window: &S::Window<'_>,
        margin: L::F,
    ) -> Begun<impl Unfinished<L, Answer = V::Answer<L>> + use<L, V, A, B, S, GOOD>, L::M> {
        let at = group * L::COUNT;
        let (read, bad) = window.read::<A::Reading, L>(lanes, at, margin);
        let unfinished = A::test(lanes, read, margin);
        Begun {
            unfinished,
            bad,
            at,
        }
    }
}

impl<V, A, B, S> Split for Run<'_, V, A, B, S>
where
    V: Output,
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
        let Run {
            source,
            margin,
            first,
            out,
            shapes,
        } = self;
        let (out_low, out_high) = out.split_at(middle);
        (
            Run {
                source: source.clone(),
                margin,
                first,
                out: out_low,
                shapes,
            },
            Run {
                source,
                margin,
                first: first + middle,
                out: out_high,
                shapes,
            },
        )
    }

    fn merge((): (), (): ()) {}
}

/// A group of which the test is begun.
#[derive(Clone, Copy)]
struct Begun<U, M> {
    unfinished: U,
    /// The lanes that hold a bad shape.
    bad: M,
    /// Its place in the word.
    at: usize,
}

impl<U, M> Begun<U, M> {
    /// Whether the next group had better begin before this one is finished.
    #[inline(always)]
    fn waits<L: Lanes<M = M>>(&self) -> bool
    where
        U: Unfinished<L>,
    {
        U::WAITS
    }
}

/// Moves the bits of groups from the top of a word to where `len` positions belong.
#[inline(always)]
pub fn in_place<L: Lanes>(word: u64, len: usize) -> u64 {
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
    fn finish<V: Output, L: Lanes, const GOOD: bool>(
        &mut self,
        lanes: L,
        begun: Begun<impl Unfinished<L, Answer = V::Answer<L>>, L::M>,
        times: &mut <V::Times<'_> as Times>::Word<'_>,
    ) {
        let answer = begun.unfinished.finish(lanes);
        let hit = if GOOD {
            answer.hit()
        } else {
            answer.hit() & !begun.bad
        };
        V::write(lanes, answer, hit, times, begun.at);
        if GOOD {
            self.hits = followed_by::<L>(self.hits, hit);
        } else {
            self.add::<L>(hit, begun.bad);
        }
    }

    /// Adds those of a group.
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
