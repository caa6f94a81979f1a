//! The test that runs on every pair: its table, and the loop of each source.
//!
//! Kernels with a cheaper conservative test [cull](crate::driver::cull::Cull) a block of pairs first; the remaining pairs
//! are compressed and go to the kernel together. Bounding spheres reject 61 % of neighbouring OBB pairs and save about
//! 40 % of the time (notes: figures moved from the source).

use crate::driver::cull::Cull;
use crate::driver::list::IndexPair;
use crate::driver::pack::{FormTable, PairForms};
use crate::driver::rows::{PairColumns, PairRows, PairShapes};
use crate::driver::run::{Bits, Run, Span, align_bits};
use crate::driver::scan;
use crate::driver::scan::ScanShapes;
use crate::driver::source::{PairLoad, PairSource, Test, Verb};
use crate::driver::threads::Divide;
use crate::lane::{Job, Lanes, MAX_LANES, Simd, WORD, split};
use crate::shapes::shape::Shape;

/// The source of the pairs of a call, untyped.
#[derive(Clone, Copy)]
pub enum AnySource<'s> {
    Pairs(PairShapes<'s>),
    /// With the pairs, as a rule, and whether the shapes are known to be valid, aside from a single one.
    Scan(ScanShapes<'s>, PairShapes<'s>, bool),
}

/// Tests a span of positions.
pub struct TestJob<'a, 's> {
    /// By reference: the source is large, and each step of a call would copy it.
    pub source: &'a AnySource<'s>,
    pub span: Span<'a>,
}

impl Divide for TestJob<'_, '_> {
    split! { len: span, source: shared, span: slice }
}

/// Tests a span of positions by the kernel of `A` and `B`.
pub fn test<V: Verb, A: Test<V, B>, B: Shape>(simd: Simd, job: TestJob<'_, '_>) {
    let TestJob { source, span } = job;
    match *source {
        AnySource::Pairs(ref shapes) => match &shapes.rows {
            Some(rows) if PairRows::<V::Form<A>, V::Form<B>>::read_sides_of(&shapes.list) => {
                let rows = PairRows::new(shapes.list, rows);
                test_rows::<V, A, B>(simd, Run::new(rows, shapes, span));
            }
            _ => {
                let columns = PairColumns::new(shapes.list, shapes.columns);
                simd.run(Run::<V, A, B, _>::new(columns, shapes, span));
            }
        },
        AnySource::Scan(shapes, ref stored, are_valid) => {
            scan::test::<V, A, B>(simd, (shapes, are_valid), stored, span);
        }
    }
}

/// The table of the test that runs on every pair.
pub struct TestTable {
    pub forms: PairForms,
    /// Whether a pair takes a search.
    pub is_slow: bool,
    /// Whether hits of uneven pairs are tested again in `f64`.
    pub is_refined: bool,
    /// Minimum number of pairs for a thread.
    pub grain: usize,
    pub test: fn(Simd, TestJob<'_, '_>),
}

impl TestTable {
    /// The table of the verb `V` for `A` against `B`.
    pub const fn of<V: Verb, A: Test<V, B>, B: Shape>() -> Self {
        TestTable {
            forms: PairForms {
                a: <V::Form<A> as FormTable>::OPS,
                b: <V::Form<B> as FormTable>::OPS,
                columns: size_of::<V::Columns<f32>>() / size_of::<f32>(),
            },
            is_slow: false,
            is_refined: V::IS_REFINED,
            grain: 0,
            test: test::<V, A, B>,
        }
        .with_grain()
    }

    /// The table with the grain of its test.
    ///
    /// The row size estimates the kernel's cost, at 64 bytes per ns. Half this grain is faster on some CPUs, but
    /// faster cores gain less and wake no faster (notes: figures moved from the source).
    pub const fn with_grain(mut self) -> Self {
        let size = self.forms.a.width + self.forms.b.width;
        self.grain = (3 << if self.is_slow { 14 } else { 18 }) / size;
        self
    }

    /// Number of targets up to which a scan against each of them is faster than a search.
    pub fn few(&self) -> usize {
        // As in `with_grain`, the row size estimates the kernel's cost.
        let size = self.forms.a.width + self.forms.b.width;
        let many = MANY / size;
        match self.is_slow {
            true => 0,
            // Of two small shapes, bounds and kernels without times take least (notes: scans among more targets).
            false if self.forms.columns == 0 && size <= SMALL => (4 * many).min(MOST_TARGETS),
            false => many.min(WORD),
        }
    }

    /// Whether a scan against so many targets takes longer than bounds of the shapes.
    pub fn are_culled(&self, targets: usize) -> bool {
        targets * (self.forms.a.width + self.forms.b.width) >= 64
    }
}

/// The largest number of targets of a scan.
pub const MOST_TARGETS: usize = 256;
/// That number times the size of the rows of both shapes, and the largest size for which it is four times as large.
const MANY: usize = 768;
const SMALL: usize = 12;

/// The test of a span of positions of packed rows.
type RowsRun<'a, 's, V, A, B> =
    Run<'a, V, A, B, PairRows<'s, <V as Verb>::Form<A>, <V as Verb>::Form<B>>>;

/// The culling test of a kernel.
type CullOf<V, A, B> =
    <<A as Test<V, B>>::Load as PairLoad<<V as Verb>::Form<A>, <V as Verb>::Form<B>>>::Cull;

/// Minimum length of a culled list: clearing the buffers costs as much as about ten OBB tests.
const CULLED_FROM: usize = 256;

/// Number of blocks that skip culling after a block that kept nearly all of its pairs. It bounds the loss when all
/// pairs touch to 5 %, instead of 20 % (notes: figures moved from the source).
const BLOCKS_UNCULLED: usize = 15;

/// Number of pairs of a block.
const BLOCK: usize = 512;

const WORDS: usize = BLOCK / WORD;

/// Tests a list of packed rows.
fn test_rows<V: Verb, A: Test<V, B>, B: Shape>(simd: Simd, run: RowsRun<'_, '_, V, A, B>) {
    if const { CullOf::<V, A, B>::PAYS } && run.span.len >= CULLED_FROM {
        simd.run(Culled(run));
    } else {
        simd.run(run);
    }
}

/// The test of a span of positions, culled first.
struct Culled<'a, 's, V: Verb, A: Test<V, B>, B: Shape>(RowsRun<'a, 's, V, A, B>);

impl<V: Verb, A: Test<V, B>, B: Shape> Job for Culled<'_, '_, V, A, B> {
    type Output = ();
    const FEWEST: usize = RowsRun::<'_, '_, V, A, B>::FEWEST;
    const MOST: usize = RowsRun::<'_, '_, V, A, B>::MOST;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        test_culled(lanes, self.0);
    }
}

/// Tests a span of positions block by block.
#[inline(always)]
fn test_culled<L: Lanes, V: Verb, A: Test<V, B>, B: Shape>(
    lanes: L,
    run: RowsRun<'_, '_, V, A, B>,
) {
    let Run {
        source,
        stored,
        span,
        ..
    } = run;
    let mut rest = span;
    // One extra word, and room for the overrun of `compress`.
    let mut subset = [[0; 2]; BLOCK + WORD + MAX_LANES];
    while rest.len > 0 {
        let middle = rest.len.min(BLOCK);
        let (block, others) = rest.split_at(middle);
        let left = test_block::<L, V, A, B>(lanes, &source, stored, block, &mut subset);
        rest = others;
        if left > middle / 8 * 7 {
            let middle = rest.len.min(BLOCKS_UNCULLED * BLOCK);
            let (unculled, others) = rest.split_at(middle);
            lanes.run(Run::<V, A, B, _>::new(source.clone(), stored, unculled));
            rest = others;
        }
    }
}

/// Tests up to [`BLOCK`] pairs. Returns the number that went to the kernel.
#[inline(always)]
fn test_block<L: Lanes, V: Verb, A: Test<V, B>, B: Shape>(
    lanes: L,
    source: &PairRows<'_, V::Form<A>, V::Form<B>>,
    stored: &PairShapes<'_>,
    block: Span<'_>,
    subset: &mut [IndexPair],
) -> usize {
    // Only hit bits are expanded to their positions, so a culled verb must not write columns.
    const { assert!(size_of::<V::Columns<f32>>() == 0 || !CullOf::<V, A, B>::PAYS) };
    let Span {
        margin,
        first,
        len,
        hits: hit_words,
        invalid: invalid_words,
        ..
    } = block;
    let (mut left, mut scratch) = ([0; WORDS], [[0; 2]; WORD]);
    for (word, (left, invalid)) in left.iter_mut().zip(invalid_words).enumerate() {
        let start = word * WORD;
        let len = WORD.min(len - start);
        let batch = source.batch(lanes, first + start, len, &mut scratch);
        let mut bits = Bits::default();
        let mut group = 0;
        while group < len.div_ceil(L::COUNT) {
            let (a, b) = batch.rows(lanes, group * L::COUNT);
            let (touch, bad) = CullOf::<V, A, B>::may_touch(lanes, a, b, lanes.splat(margin));
            bits.add::<L>(touch & !bad, bad);
            group += 1;
        }
        *invalid = align_bits::<L>(bits.invalid, len);
        *left = align_bits::<L>(bits.hits, len);
    }
    let source = source.compressed(lanes, first, &left, subset);
    let count = source.len();

    // One extra word, so that 64 bits can be read across a word boundary.
    let (mut hits, mut invalid) = ([0; WORDS + 1], [0; WORDS]);
    let found = Span {
        margin,
        first: 0,
        len: count,
        hits: &mut hits,
        invalid: &mut invalid,
        columns: Default::default(),
    };
    let stored = PairShapes {
        list: source.list(),
        columns: stored.columns,
        rows: None,
    };
    lanes.run(Run::<V, A, B, _>::new(source, &stored, found));
    let mut at = 0;
    for (hit, left) in hit_words.iter_mut().zip(left) {
        let (low, high) = (hits[at / WORD], hits[at / WORD + 1]);
        let found = low >> (at % WORD) | high << 1 << (WORD - 1 - at % WORD);
        *hit = lanes.expand_bits(found, left);
        at += left.count_ones() as usize;
    }
    count
}
