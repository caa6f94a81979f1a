//! The loop before the loop, for kernels that have a cheap test before them: a block of pairs is
//! [culled](Cull), and what is left of it goes to the kernel together.
//!
//! Balls around boxes leave 39 % of pairs of neighbours: boxes take 0.62 of their time (Zen 4), 0.60
//! with four lanes, 0.5 with one.

use super::bounds::Selection;
use super::run::{Bits, Output, Run, Slices, in_place};
use super::source::{PackedRows, Source};
use super::split::Split;
use crate::hits::{Overlaps, Sweeps, WORD};
use crate::kernel::cull::Cull;
use crate::kernel::reading::Reading;
use crate::kernel::{Test, Verb};
use crate::lane::Lanes;
use crate::shapes::{Shape, Still};

/// The rows that a kernel reads.
type RowsOf<'a, V, A, B, const FAR: bool> =
    PackedRows<'a, <V as Verb>::Form<A>, <V as Verb>::Form<B>, FAR>;

/// A run of positions of a list of packed rows.
pub type RunOf<'a, 's, V, A, B, const FAR: bool> = Run<'a, V, A, B, RowsOf<'s, V, A, B, FAR>>;

/// An output that lists of packed rows can fill.
pub trait TestRows: Output {
    /// Tests a run of positions.
    fn test<L: Lanes, A: Test<Self, B>, B: Shape, const FAR: bool>(
        lanes: L,
        run: RunOf<'_, '_, Self, A, B, FAR>,
    ) where
        Self: Sized;
}

impl TestRows for Overlaps {
    #[inline(always)]
    fn test<L: Lanes, A: Test<Self, B>, B: Shape, const FAR: bool>(
        lanes: L,
        run: RunOf<'_, '_, Self, A, B, FAR>,
    ) {
        if CullOf::<A, B>::PAYS && run.len() >= CULLED_FROM {
            test_culled(lanes, run);
        } else {
            lanes.run(run);
        }
    }
}

/// No kernel for sweeps has a cull yet.
impl TestRows for Sweeps {
    #[inline(always)]
    fn test<L: Lanes, A: Test<Self, B>, B: Shape, const FAR: bool>(
        lanes: L,
        run: RunOf<'_, '_, Self, A, B, FAR>,
    ) {
        lanes.run(run);
    }
}

/// What comes before a kernel.
type CullOf<A, B> = <<A as Test<Overlaps, B>>::Reading as Reading<Still<A>, Still<B>>>::Cull;

/// Shorter lists are not culled: making room takes as long as the tests of some ten boxes.
const CULLED_FROM: usize = 256;

/// After a block of which nearly all pairs were left, so many go to the kernel unasked. If all pairs touch,
/// boxes take 1.02 to 1.05 times as long as without culling, instead of 1.2.
const BLOCKS_UNASKED: usize = 15;

const WORDS: usize = Selection::ROOM / WORD;

/// Tests a run of positions, a block after the other.
#[inline(always)]
fn test_culled<L: Lanes, A: Test<Overlaps, B>, B: Shape, const FAR: bool>(
    lanes: L,
    run: RunOf<'_, '_, Overlaps, A, B, FAR>,
) {
    let mut ahead = run;
    let mut selection = Selection::new();
    while ahead.len() > 0 {
        let middle = ahead.len().min(Selection::ROOM);
        let (block, others) = ahead.split_at(middle);
        let left = test_block(lanes, block, &mut selection);
        ahead = others;
        if left > middle / 8 * 7 {
            let middle = ahead.len().min(BLOCKS_UNASKED * Selection::ROOM);
            let (unasked, others) = ahead.split_at(middle);
            lanes.run(unasked);
            ahead = others;
        }
    }
}

/// Tests up to [`Selection::ROOM`] pairs, and says how many of them went to the kernel.
#[inline(always)]
fn test_block<L: Lanes, A: Test<Overlaps, B>, B: Shape, const FAR: bool>(
    lanes: L,
    block: RunOf<'_, '_, Overlaps, A, B, FAR>,
    selection: &mut Selection,
) -> usize {
    let Run {
        source,
        margin,
        first,
        out,
        ..
    } = block;
    let (mut left, mut scratch) = ([0; WORDS], [[0; 2]; WORD]);
    selection.clear();
    for (word, (left, invalid)) in left.iter_mut().zip(out.invalid).enumerate() {
        let start = word * WORD;
        let len = WORD.min(out.len - start);
        let window = source.window(lanes, first + start, len, &mut scratch);
        let mut bits = Bits::default();
        let mut group = 0;
        while group < len.div_ceil(L::COUNT) {
            let (a, b) = window.rows(lanes, group * L::COUNT);
            let (touch, bad) = CullOf::<A, B>::may_touch(lanes, a, b, lanes.splat(margin));
            bits.add::<L>(touch & !bad, bad);
            group += 1;
        }
        *invalid = in_place::<L>(bits.invalid, len);
        *left = in_place::<L>(bits.hits, len);
        selection.add(lanes, window.word(), *left);
    }
    let list = selection.list(source.list());
    let count = list.pairs().len();

    // One word more, so that any 64 bits can be read across the end of one.
    let (mut hits, mut invalid) = ([0; WORDS + 1], [0; WORDS]);
    let found = Slices {
        len: count,
        hits: &mut hits,
        invalid: &mut invalid,
        times: (),
    };
    lanes.run(Run::<Overlaps, A, B, _>::new(
        source.of(list),
        margin,
        found,
    ));
    let mut at = 0;
    for (out, left) in out.hits.iter_mut().zip(left) {
        let (low, high) = (hits[at / WORD], hits[at / WORD + 1]);
        let found = low >> (at % WORD) | high << 1 << (WORD - 1 - at % WORD);
        *out = lanes.deposit(found, left);
        at += left.count_ones() as usize;
    }
    count
}
