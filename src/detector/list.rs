//! Jobs over a list of packed rows: checked before, or as it is tested.

use super::RowOf;
use super::bounds::CheckedPairs;
use super::cull::{RunOf, TestRows};
use super::run::{Output, Run, Slices};
use super::source::{Ahead, BLOCK, PackedRows};
use super::split::Split;
use crate::Pair;
use crate::kernel::Test;
use crate::lane::{Job, Lanes};
use crate::shapes::Shape;

/// Tests a checked list.
pub struct Checked<'a, V: TestRows, A: Test<V, B>, B: Shape, const FAR: bool>(
    pub RunOf<'a, 'a, V, A, B, FAR>,
);

impl<V: TestRows, A: Test<V, B>, B: Shape, const FAR: bool> Job for Checked<'_, V, A, B, FAR> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        V::test(lanes, self.0);
    }
}

impl<V: TestRows, A: Test<V, B>, B: Shape, const FAR: bool> Split for Checked<'_, V, A, B, FAR> {
    const GRAIN: usize = RunOf::<'_, '_, V, A, B, FAR>::GRAIN;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (low, high) = self.0.split_at(middle);
        (Checked(low), Checked(high))
    }

    fn merge((): (), (): ()) {}
}

/// Checks a list block by block, and tests each block while it is in the cache. Says whether there are
/// shapes at all indices; if not, the output is of no use.
pub struct Unchecked<'a, V: Output, A: Test<V, B>, B: Shape> {
    pub pairs: &'a [Pair],
    /// How many shapes there are on either side.
    pub lens: [usize; 2],
    /// Side A is the second of each pair.
    pub swapped: bool,
    pub rows_a: &'a [RowOf<V, A>],
    pub rows_b: &'a [RowOf<V, B>],
    pub ahead: Ahead,
    pub margin: f32,
    pub out: Slices<'a, V::Times<'a>>,
}

impl<V: TestRows, A: Test<V, B>, B: Shape> Job for Unchecked<'_, V, A, B> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> bool {
        let mut ahead = self;
        while !ahead.pairs.is_empty() {
            let middle = ahead.pairs.len().min(BLOCK);
            let (block, others) = ahead.split_at(middle);
            ahead = others;
            let Some(list) = CheckedPairs::check(lanes, block.pairs, block.lens) else {
                return false;
            };
            let list = if block.swapped { list.swapped() } else { list };
            let (a, b) = (block.rows_a, block.rows_b);
            if block.ahead.a | block.ahead.b {
                let rows = PackedRows::<_, _, true>::new(list, a, b, block.ahead);
                lanes.run(Checked::<V, A, B, true>(Run::new(
                    rows,
                    block.margin,
                    block.out,
                )));
            } else {
                let rows = PackedRows::<_, _, false>::new(list, a, b, block.ahead);
                lanes.run(Checked::<V, A, B, false>(Run::new(
                    rows,
                    block.margin,
                    block.out,
                )));
            }
        }
        true
    }
}

impl<V: TestRows, A: Test<V, B>, B: Shape> Split for Unchecked<'_, V, A, B> {
    const GRAIN: usize = Checked::<'_, V, A, B, false>::GRAIN;

    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (pairs_low, pairs_high) = self.pairs.split_at(middle);
        let (out_low, out_high) = self.out.split_at(middle);
        (
            Unchecked {
                pairs: pairs_low,
                out: out_low,
                ..self
            },
            Unchecked {
                pairs: pairs_high,
                out: out_high,
                ..self
            },
        )
    }

    fn merge(first: bool, second: bool) -> bool {
        first & second
    }
}
