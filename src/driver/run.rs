//! The test loop: for each word of 64 pairs and each group of lanes in it, load, test, write.
//!
//! Bounds checks are hoisted from the vector loop to the 64-pair word, which saves overlaps 14 % of their time (notes:
//! figures moved from the source).

use core::marker::PhantomData;

use crate::driver::rows::{PairColumns, PairShapes};
use crate::driver::source::{Deferred, PairBatch, PairLoad, PairSource, Test, Verb};
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
        let bad = const { !S::ARE_VALID }.then_some(bad);
        let uneven = if const { A::IS_FINE || !V::IS_REFINED } {
            None
        } else {
            A::Load::lengths(lanes, loaded).map(|lengths| lengths.are_uneven(lanes, margin))
        };
        let deferred = A::test(lanes, loaded, margin);
        InFlight {
            deferred,
            bad,
            uneven,
            at,
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
        let UnevenHits {
            stored,
            first,
            mut bits,
            hits,
            mut columns,
            ..
        } = uneven;
        let margin = lanes.splat(uneven.margin);
        let pairs = PairColumns::<V::Form<A>, V::Form<B>>::new(stored.list, stored.columns);
        let (mut all_places, mut positions, mut count) = ([0; WORD], [0; WORD], 0);
        while bits != 0 {
            all_places[count] = bits.trailing_zeros() as usize;
            positions[count] = (first + all_places[count]) as u32;
            bits &= bits - 1;
            count += 1;
        }
        let mut scratch = [[0; 2]; WORD];
        let batch = pairs.gathered(&positions[..count], &mut scratch);
        let mut at = 0;
        while at < count {
            let places = &all_places[at..count.min(at + D::COUNT)];
            // Lanes without times have none at 0.
            let mut enter = [1.0; MAX_LANES];
            for (enter, &place) in enter.iter_mut().zip(places) {
                *enter = columns[0].get(place).copied().unwrap_or(1.0);
            }
            let mut from_start = lanes.load(&enter).le(lanes.splat(0.0));
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
            for (lane, &place) in places.iter().enumerate() {
                if (hit.bits() | stays) >> lane & 1 == 0 {
                    *hits &= !(1 << place);
                }
            }
            let numbers = V::columns(lanes, answer, hit);
            for (column, &x) in columns.iter_mut().zip(numbers.as_ref()) {
                let mut stored = [0.0; MAX_LANES];
                lanes.store(x, &mut stored);
                for (lane, &place) in places.iter().enumerate() {
                    if stays >> lane & 1 == 0 {
                        column[place] = stored[lane];
                    }
                }
            }
            at += D::COUNT;
        }
    }
}
