//! The test loop: for each word of 64 pairs and each group of lanes in it, load, test, write.
//!
//! Bounds checks are hoisted from the vector loop to the 64-pair word, which saves overlaps 14 % of their time (notes:
//! figures moved from the source).

use core::marker::PhantomData;

use crate::driver::rows::{PairColumns, PairShapes};
use crate::driver::source::{Deferred, Loaded, PairBatch, PairLoad, PairSource, Test, Verb};
use crate::error::Error;
use crate::lane::{
    FEWEST_KERNEL_LANES, Float, Job, Lanes, MAX_LANES, Mask, Routine, WORD, most_kernel_lanes,
};
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
    /// The shapes as they are stored.
    pub stored: &'a PairShapes<'a>,
    pub span: Span<'a>,
    kernel: PhantomData<(V, A, B)>,
}

impl<'a, V, A, B, S> Run<'a, V, A, B, S> {
    #[inline(always)]
    pub fn new(source: S, stored: &'a PairShapes<'a>, span: Span<'a>) -> Self {
        Run {
            source,
            stored,
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
            margin: by,
            first: base,
            len: total,
            hits,
            invalid,
            mut columns,
        } = self.span;
        let margin = lanes.splat(by);
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
            let mut found = align_bits::<L>(bits.hits, len);
            invalid[word] = align_bits::<L>(bits.invalid, len) >> again;
            let uneven = align_bits::<L>(bits.uneven, len);
            // Positions are listed by 32 bits.
            if uneven != 0 && base + start + WORD <= u32::MAX as usize {
                lanes
                    .doubles()
                    .call::<TestUnevenHits<'_, V, A, B>>(UnevenHits {
                        stored: self.stored,
                        margin: by,
                        first: base + start,
                        bits: uneven,
                        hits: &mut found,
                        columns: columns_from(columns, start),
                    });
            }
            hits[word] = found >> again;
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
            while const { !A::IS_LONG } && begun.is_pipelined::<L>() && group < groups {
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
        let bad = const { !S::ARE_VALID }.then_some(bad);
        let (deferred, uneven) = if const { A::IS_LONG } {
            let (answer, uneven) = lanes.call::<TestGroup<V, A, B>>((loaded, margin));
            (Begun::Finished(answer), uneven)
        } else {
            let uneven = uneven::<V, A, B, L>(lanes, loaded, margin);
            (Begun::InFlight(A::test(lanes, loaded, margin)), uneven)
        };
        InFlight {
            deferred,
            bad,
            uneven,
            at,
        }
    }
}

/// Tests a group by a long kernel: compiled once for the loops of all sources.
struct TestGroup<V, A, B>(PhantomData<(V, A, B)>);

impl<L: Lanes, V: Verb, A: Test<V, B>, B: Shape> Routine<L> for TestGroup<V, A, B> {
    type Argument = (Loaded<V, A, B, L>, L::F);
    type Output = (V::Answer<L>, Option<L::M>);

    #[inline(always)]
    fn run(lanes: L, (loaded, margin): Self::Argument) -> Self::Output {
        let uneven = uneven::<V, A, B, L>(lanes, loaded, margin);
        (A::test(lanes, loaded, margin).finish(lanes), uneven)
    }
}

/// The lanes with shapes of uneven sizes; `None` if their answers are fine too.
#[inline(always)]
fn uneven<V: Verb, A: Test<V, B>, B: Shape, L: Lanes>(
    lanes: L,
    loaded: Loaded<V, A, B, L>,
    margin: L::F,
) -> Option<L::M> {
    if const { A::IS_FINE || !V::IS_REFINED } {
        return None;
    }
    A::Load::lengths(lanes, loaded).map(|lengths| lengths.are_uneven(lanes, margin))
}

/// The state of a test, or its result.
#[derive(Clone, Copy)]
enum Begun<U, A> {
    InFlight(U),
    Finished(A),
}

impl<L: Lanes, U: Deferred<L>> Deferred<L> for Begun<U, U::Answer>
where
    U::Answer: Copy,
{
    type Answer = U::Answer;
    const PIPELINED: bool = U::PIPELINED;

    #[inline(always)]
    fn finish(self, lanes: L) -> U::Answer {
        match self {
            Begun::InFlight(deferred) => deferred.finish(lanes),
            Begun::Finished(answer) => answer,
        }
    }
}

/// A group whose test has begun.
#[derive(Clone, Copy)]
struct InFlight<U, M> {
    deferred: U,
    /// The lanes with an invalid shape.
    bad: Option<M>,
    /// The lanes with shapes of uneven sizes.
    uneven: Option<M>,
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
    /// Hits to be tested again.
    pub uneven: u64,
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
        let mut hit = V::hit(answer);
        if let Some(bad) = begun.bad {
            hit = hit & !bad;
            self.invalid = followed_by::<L>(self.invalid, bad);
        }
        self.hits = followed_by::<L>(self.hits, hit);
        let numbers = V::columns(lanes, answer, hit);
        for (column, &x) in to.iter_mut().zip(numbers.as_ref()) {
            lanes.store(x, &mut column[begun.at..][..L::COUNT]);
        }
        if let Some(uneven) = begun.uneven {
            self.uneven = followed_by::<L>(self.uneven, uneven & hit);
        }
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

/// Hits of a word whose shapes are of uneven sizes, to be tested in `f64`.
struct UnevenHits<'x> {
    stored: &'x PairShapes<'x>,
    margin: f32,
    /// Position of the first pair of the word.
    first: usize,
    bits: u64,
    hits: &'x mut u64,
    /// The columns from this word on.
    columns: [&'x mut [f32]; MAX_COLUMNS],
}

/// Borrows columns from position `first` on; those that are not written are empty.
#[inline(always)]
fn columns_from<'x>(columns: &'x mut [&mut [f32]], first: usize) -> [&'x mut [f32]; MAX_COLUMNS] {
    let mut columns = columns.iter_mut().map(|column| &mut column[first..]);
    [(); MAX_COLUMNS].map(|()| columns.next().unwrap_or_default())
}

/// What `overlap` in `f32` may report is at most the margin, up to √3 times around triangles and boxes, and its band away.
///
/// Part of both sizes and the margin above the band of an `overlap` in `f32`, 2⁻¹⁴: bands are at most 400 u of lengths that
/// add up to less than twice as much. A hit of `overlap` is a hit of `sweep` from the start, whatever the motion.
const STATIC_BAND: f32 = 1.0 / (1 << 14) as f32;

/// Above the absolute part of such a band, 2⁻⁵⁸.
const STATIC_FLOOR: f32 = 1.0 / (1u64 << 58) as f32;

/// Tests such hits: no contact is missed, and errors are those of `f64`.
struct TestUnevenHits<'x, V, A, B>(PhantomData<(&'x (), V, A, B)>);

impl<'x, V: Verb, A: Test<V, B>, B: Shape, D: Lanes> Routine<D> for TestUnevenHits<'x, V, A, B> {
    type Argument = UnevenHits<'x>;
    type Output = ();

    #[inline(always)]
    fn run(lanes: D, uneven: UnevenHits<'x>) {
        let margin = lanes.splat(uneven.margin);
        let stored = uneven.stored;
        let pairs = PairColumns::<V::Form<A>, V::Form<B>>::new(stored.list, stored.columns);
        let mut scratch = [[0; 2]; WORD];
        let mut word = UnevenWord::new(&uneven);
        let count = word.count;
        let batch = pairs.gathered(&word.positions[..count], &mut scratch);
        let mut at = 0;
        while at < count {
            let mut from_start = lanes.load(&word.enter[at..]).le(lanes.splat(0.0));
            let (mut by, mut stays, mut narrow) = (margin, 0, None);
            // One place that calls the kernel, which is inlined.
            let (answer, part) = loop {
                let (loaded, _bad) = batch.load::<A::Load, D>(lanes, at, by);
                let Some(lengths) = A::Load::lengths(lanes, loaded) else {
                    return;
                };
                let part = lengths.touching_part(lanes, margin);
                let found = A::test(lanes, A::Load::during(loaded, part), by).finish(lanes);
                if let Some(narrow) = narrow {
                    let from_start = from_start & V::from_start(lanes, found);
                    let hit = V::hit::<D>(narrow);
                    stays |= (from_start & !hit).bits();
                    break (V::with_start(lanes, narrow, from_start & hit), part);
                }
                if const { !A::STARTS_FINE } {
                    // Sizes in `f32` are off by some u: where both might be, a pair is taken for even.
                    from_start = from_start & !lengths.are_surely_uneven(lanes, margin);
                }
                if lengths.distance.is_none() {
                    // The band of a plane has lengths of its own: what it hits from the start stays.
                    stays = from_start.bits();
                }
                if const { size_of::<V::Columns<f32>>() == 0 } || from_start.bits() == stays {
                    break (found, part);
                }
                let [a, b] = lengths.sizes;
                by = margin + margin + (a + b + margin) * lanes.splat(STATIC_BAND);
                by = by + lanes.splat(STATIC_FLOOR);
                narrow = Some(found);
            };
            let answer = V::in_whole_frame(answer, part);
            let hit = V::hit(answer);
            word.hits |= hit.bits() << at;
            word.stays |= stays << at;
            let numbers = V::columns(lanes, answer, hit);
            for (column, &x) in word.numbers.iter_mut().zip(numbers.as_ref()) {
                lanes.store(x, &mut column[at..]);
            }
            at += D::COUNT;
        }
        word.write(uneven);
    }
}

/// Uneven hits of a word, in order, and their answers.
struct UnevenWord {
    /// Number of hits.
    count: usize,
    /// Place of each hit in the word.
    places: [u8; WORD],
    /// Position of each hit in the list.
    positions: [u32; WORD],
    /// Time of entry of each hit in `f32`; 1 without times.
    enter: [f32; WORD],
    /// Bits of the hits that `f64` confirms.
    hits: u64,
    /// Bits of the hits that stay as they are.
    stays: u64,
    /// Columns of the hits that may change.
    numbers: [[f32; WORD]; MAX_COLUMNS],
}

// Both functions are compiled once, for all kernels.
impl UnevenWord {
    #[inline(never)]
    fn new(uneven: &UnevenHits<'_>) -> Self {
        let mut word = UnevenWord {
            count: 0,
            places: [0; WORD],
            positions: [0; WORD],
            enter: [1.0; WORD],
            hits: 0,
            stays: 0,
            numbers: [[0.0; WORD]; MAX_COLUMNS],
        };
        let mut bits = uneven.bits;
        while bits != 0 {
            let place = bits.trailing_zeros() as usize;
            word.places[word.count] = place as u8;
            word.positions[word.count] = (uneven.first + place) as u32;
            if let Some(&enter) = uneven.columns[0].get(place) {
                word.enter[word.count] = enter;
            }
            bits &= bits - 1;
            word.count += 1;
        }
        word
    }

    /// Writes the answers to their places.
    #[inline(never)]
    fn write(&self, mut uneven: UnevenHits<'_>) {
        for (k, &place) in self.places[..self.count].iter().enumerate() {
            let place = usize::from(place);
            if (self.hits | self.stays) >> k & 1 == 0 {
                *uneven.hits &= !(1 << place);
            }
            if self.stays >> k & 1 == 0 {
                for (column, numbers) in uneven.columns.iter_mut().zip(&self.numbers) {
                    if let Some(number) = column.get_mut(place) {
                        *number = numbers[k];
                    }
                }
            }
        }
    }
}
