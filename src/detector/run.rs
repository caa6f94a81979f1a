//! The one loop: for each group of lanes, fetch, test, write.

use core::marker::PhantomData;

use super::RowOf;
use super::pack::STREAM_FROM;
use super::source::Source;
use super::split::Split;
use crate::hits::{Overlaps, Sweeps, WORD};
use crate::kernel::{Answer, SweptContact, Test, Verb};
use crate::lane::{Float, Job, Lanes, Mask};
use crate::shapes::Shape;

/// An output that a loop can write to, piece by piece.
pub trait Output: Verb {
    /// Columns besides the masks.
    type Times<'a>: Times;
    /// How many bytes of them a pair has.
    const TIME_BYTES: usize;
    /// Makes room for `len` positions.
    fn slices(&mut self, len: usize) -> Slices<'_, Self::Times<'_>>;
    /// Writes the columns besides the masks from `at` on.
    fn write<L: Lanes>(
        lanes: L,
        answer: Self::Answer<L>,
        hit: L::M,
        times: &mut Self::Times<'_>,
        at: usize,
    );
}

/// A run of positions of an output.
pub struct Slices<'a, C> {
    len: usize,
    hits: &'a mut [u64],
    invalid: &'a mut [u64],
    times: C,
}

/// Columns that can be split.
#[cfg_attr(not(feature = "rayon"), allow(dead_code))]
pub trait Times: Send + Sized {
    fn split_at(self, middle: usize) -> (Self, Self);
    /// Called after the last write.
    fn end<L: Lanes>(self, lanes: L);
}

impl Times for () {
    fn split_at(self, _middle: usize) -> ((), ()) {
        ((), ())
    }
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

impl Times for EnterExit<'_> {
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
    fn end<L: Lanes>(self, lanes: L) {
        if self.stream {
            lanes.end_streams();
        }
    }
}

impl Output for Overlaps {
    type Times<'a> = ();
    const TIME_BYTES: usize = 0;

    fn slices(&mut self, len: usize) -> Slices<'_, ()> {
        let (hits, invalid) = self.resize(len);
        Slices {
            len,
            hits,
            invalid,
            times: (),
        }
    }

    #[inline(always)]
    fn write<L: Lanes>(_lanes: L, _answer: Self::Answer<L>, _hit: L::M, (): &mut (), _at: usize) {}
}

impl Output for Sweeps {
    type Times<'a> = EnterExit<'a>;
    const TIME_BYTES: usize = 2 * size_of::<f32>();

    fn slices(&mut self, len: usize) -> Slices<'_, EnterExit<'_>> {
        self.enter.resize(len, f32::INFINITY);
        self.exit.resize(len, f32::INFINITY);
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

    #[inline(always)]
    fn write<L: Lanes>(
        lanes: L,
        answer: SweptContact<L>,
        hit: L::M,
        times: &mut EnterExit<'_>,
        at: usize,
    ) {
        let never = lanes.splat(f32::INFINITY);
        let enter = answer.enter.select(hit, never);
        // A slab may be left at −0, which this makes 0: the one form that users compare and hash.
        let exit = (answer.exit + lanes.splat(0.0)).select(hit, never);
        if times.stream {
            lanes.stream(enter, &mut times.enter[at..]);
            lanes.stream(exit, &mut times.exit[at..]);
        } else {
            lanes.store(enter, &mut times.enter[at..]);
            lanes.store(exit, &mut times.exit[at..]);
        }
    }
}

/// Tests a run of positions.
pub struct Run<'a, V: Output, A, B, S> {
    source: S,
    margin: f32,
    /// The position in the list of the output's first.
    first: usize,
    out: Slices<'a, V::Times<'a>>,
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
    fn run<L: Lanes>(mut self, lanes: L) {
        let margin = lanes.splat(self.margin);
        let len = self.out.len;
        let mut first = 0;
        while first < len {
            let count = WORD.min(len - first);
            let groups = count.div_ceil(L::COUNT);
            let (mut hits, mut invalid) = (0, 0);
            let mut group = 0;
            while group < groups {
                // A last group that is short begins earlier, and answers some positions again.
                let at = (first + group * L::COUNT).min(len - L::COUNT);
                let (hit, bad) = self.group(lanes, margin, at);
                // Two instructions. Two shifts become `shrd`, which takes six on Zen.
                hits = (hits | hit).rotate_right(L::COUNT as u32);
                invalid = (invalid | bad).rotate_right(L::COUNT as u32);
                group += 1;
            }
            self.out.hits[first / WORD] = in_place::<L>(hits, groups, count);
            self.out.invalid[first / WORD] = in_place::<L>(invalid, groups, count);
            first += WORD;
        }
        self.out.times.end(lanes);
    }
}

/// Moves the bits of `groups` groups from the top of a word to where `count` positions belong.
#[inline(always)]
fn in_place<L: Lanes>(word: u64, groups: usize, count: usize) -> u64 {
    let bits = word >> (WORD - groups * L::COUNT);
    let before = (groups - 1) * L::COUNT;
    let again = groups * L::COUNT - count;
    bits & ((1 << before) - 1) | bits >> before >> again << before
}

impl<V, A, B, S> Run<'_, V, A, B, S>
where
    V: Output,
    A: Test<V, B>,
    B: Shape,
    S: Source<V::Form<A>, V::Form<B>>,
{
    /// Tests one pair per lane, from `at` on.
    #[inline(always)]
    fn group<L: Lanes>(&mut self, lanes: L, margin: L::F, at: usize) -> (u64, u64) {
        let position = self.first + at;
        let (read, bad) = self.source.read::<A::Reading, L>(lanes, position, margin);
        let answer = A::test(lanes, read, margin);
        let hit = answer.hit() & !bad;
        V::write(lanes, answer, hit, &mut self.out.times, at);
        (hit.bits(), bad.bits())
    }
}

impl<V, A, B, S> Split for Run<'_, V, A, B, S>
where
    V: Output,
    A: Test<V, B>,
    B: Shape,
    S: Source<V::Form<A>, V::Form<B>>,
{
    // The size of the rows tells roughly what a kernel costs: 32 bytes for each ns.
    const GRAIN: usize = (3 << 19) / (size_of::<RowOf<V, A>>() + size_of::<RowOf<V, B>>());

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
        let (hits_low, hits_high) = out.hits.split_at_mut(middle / WORD);
        let (invalid_low, invalid_high) = out.invalid.split_at_mut(middle / WORD);
        let (low, high) = out.times.split_at(middle);
        let (len_low, len_high) = (middle, out.len - middle);
        let out_low = Slices {
            len: len_low,
            hits: hits_low,
            invalid: invalid_low,
            times: low,
        };
        let out_high = Slices {
            len: len_high,
            hits: hits_high,
            invalid: invalid_high,
            times: high,
        };
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
