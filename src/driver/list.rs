//! The checked pairs of a call: the bounds check of a list, the index range of either side, and access to pairs by word
//! and by position.

use core::ops::Range;

use crate::driver::threads::Workers;
use crate::lane::{Job, Lanes, One, Split, WORD};
use crate::pairs::Pair;

/// The pairs of a call, with all indices in bounds.
///
/// Only this file constructs it: from a checked list, from pairs of such a list, or by a rule. So other code may read
/// the listed shapes unchecked.
#[derive(Clone, Copy)]
pub struct CheckedPairs<'a> {
    /// The list; empty if a rule defines the pairs.
    pairs: &'a [IndexPair],
    rule: Option<PairRule>,
    /// Whether side A is the second index of each pair.
    swapped: bool,
    /// Index ranges of the two sides: start and end for A, start and end for B.
    bounds: [[usize; 2]; 2],
}

/// Defines the pairs of a call without a list.
#[derive(Clone, Copy)]
struct PairRule {
    /// The first index of each pair; `None` for a zip, whose first index is the position.
    one: Option<u32>,
    /// Number of pairs.
    len: usize,
}

/// Both indices of a pair, in the caller's order.
pub type IndexPair = [u32; 2];

/// Lists below this length gather from columns: a plan costs more than it saves (notes: short calls).
pub const SHORT: usize = 32;

/// Scratch memory for a word of pairs.
pub type ScratchPairs = [IndexPair; WORD];

impl<'a> CheckedPairs<'a> {
    /// Checks a list against the lengths of the two stores, in the caller's order. `None` if an index is out of
    /// bounds.
    #[inline(always)]
    pub fn new(
        workers: Workers,
        pairs: &'a [Pair],
        lens: [usize; 2],
        swapped: bool,
    ) -> Option<Self> {
        let find = FindRanges { pairs };
        let ranges = if pairs.len() < SHORT {
            find.run(One)
        } else {
            workers.execute(find)
        };
        fit(&ranges, lens).then(|| {
            let [a, b] = ranges.map(|range| [range.start, range.end]);
            CheckedPairs {
                pairs: bytemuck::must_cast_slice(pairs),
                rule: None,
                swapped,
                bounds: if swapped { [b, a] } else { [a, b] },
            }
        })
    }

    /// Pairs each shape of the second store with shape `one` of the first, or with the shape at the same index.
    /// Panics if that shape does not exist.
    pub fn by_rule(one: Option<u32>, [first, second]: [usize; 2], swapped: bool) -> Self {
        assert!(one.map_or(second, |one| one as usize + 1) <= first);
        let [a, b] = [[0, first], [0, second]];
        CheckedPairs {
            pairs: &[],
            rule: Some(PairRule { one, len: second }),
            swapped,
            bounds: if swapped { [b, a] } else { [a, b] },
        }
    }

    /// The listed pairs; empty if a rule defines the pairs.
    #[inline(always)]
    pub fn pairs(&self) -> &'a [IndexPair] {
        self.pairs
    }

    /// The listed pairs at `first..first + len`, padded to a word in `scratch` at the end of the list.
    #[inline(always)]
    pub fn word<'s>(
        &'s self,
        first: usize,
        len: usize,
        scratch: &'s mut ScratchPairs,
    ) -> &'s ScratchPairs {
        match self.pairs[first..].first_chunk() {
            Some(word) => word,
            None => {
                scratch.fill(self.pairs[first]);
                scratch[..len].copy_from_slice(&self.pairs[first..][..len]);
                scratch
            }
        }
    }

    /// Like [`word`](Self::word), also of pairs that a rule defines.
    #[inline(always)]
    pub fn word_of_any<'s>(
        &'s self,
        first: usize,
        len: usize,
        scratch: &'s mut ScratchPairs,
    ) -> &'s ScratchPairs {
        if self.rule.is_none() {
            return self.word(first, len, scratch);
        }
        for (place, pair) in scratch.iter_mut().enumerate() {
            *pair = self.at((first + place.min(len - 1)) as u32);
        }
        scratch
    }

    /// Gathers the pairs at 1 to [`WORD`] positions, padded to a word with the first of them.
    #[inline(always)]
    pub fn gather<'s>(&self, positions: &[u32], scratch: &'s mut ScratchPairs) -> &'s ScratchPairs {
        scratch[positions.len()..].fill(self.at(positions[0]));
        for (pair, &position) in scratch.iter_mut().zip(positions) {
            *pair = self.at(position);
        }
        scratch
    }

    /// Compresses the listed pairs from `first` on to those whose bits are set. Panics if `to` has no room for one
    /// vector beyond them.
    #[inline(always)]
    pub fn compress<'s, L: Lanes>(
        &self,
        lanes: L,
        first: usize,
        masks: &[u64],
        to: &'s mut [IndexPair],
    ) -> CheckedPairs<'s> {
        let (mut scratch, mut count) = ([[0; 2]; WORD], 0);
        for (word, &mask) in masks.iter().enumerate() {
            if mask != 0 {
                let first = first + word * WORD;
                let len = WORD.min(self.pairs.len() - first);
                count += lanes.compress_pairs(
                    mask,
                    self.word(first, len, &mut scratch),
                    &mut to[count..],
                );
            }
        }
        CheckedPairs {
            pairs: &to[..count],
            rule: None,
            swapped: self.swapped,
            bounds: self.bounds,
        }
    }

    /// The pair at a position. Panics past the end.
    #[inline(always)]
    pub fn at(&self, position: u32) -> IndexPair {
        match self.rule {
            None => self.pairs[position as usize],
            Some(PairRule { one, len }) => {
                assert!((position as usize) < len);
                [one.unwrap_or(position), position]
            }
        }
    }

    /// The places in a pair of the index of side A and of side B.
    #[inline(always)]
    pub fn sides(&self) -> [usize; 2] {
        [usize::from(self.swapped), usize::from(!self.swapped)]
    }

    /// Index ranges of side A and of side B.
    #[inline(always)]
    pub fn ranges(&self) -> [Range<usize>; 2] {
        self.bounds.map(|[start, end]| start..end)
    }
}

/// Finds the smallest and the largest index on either side.
struct FindRanges<'a> {
    pairs: &'a [Pair],
}

/// Index ranges of a list, in the caller's order of sides.
type IndexRanges = [Range<usize>; 2];

/// Whether all indices are below the lengths of the stores.
fn fit(ranges: &IndexRanges, lens: [usize; 2]) -> bool {
    ranges.iter().zip(lens).all(|(range, len)| range.end <= len)
}

/// The smallest range that contains both.
pub fn union(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    // Not `is_empty`: on 32-bit targets the range of index `u32::MAX` is empty too.
    const NOTHING: Range<usize> = 0..0;
    if *a == NOTHING {
        b.clone()
    } else if *b == NOTHING {
        a.clone()
    } else {
        a.start.min(b.start)..a.end.max(b.end)
    }
}

impl Job for FindRanges<'_> {
    type Output = IndexRanges;

    #[inline(always)]
    fn run<L: Lanes>(self, _lanes: L) -> IndexRanges {
        if self.pairs.is_empty() {
            return [0..0, 0..0];
        }
        let indices: &[u32] = bytemuck::must_cast_slice(self.pairs);
        // Before AVX-512, most instruction sets lack unsigned vector comparisons.
        let signed = extremes::<i32>(bytemuck::must_cast_slice(indices), i32::MAX, i32::MIN);
        let found = if signed.iter().all(|(first, _)| *first >= 0) {
            signed.map(|(first, last)| (first as u32, last as u32))
        } else {
            extremes(indices, u32::MAX, u32::MIN)
        };
        found.map(|(first, last)| first as usize..(last as usize).saturating_add(1))
    }
}

/// The minimum and maximum of the numbers at even and at odd places.
#[inline(always)]
fn extremes<T: Copy + Ord>(numbers: &[T], max: T, min: T) -> [(T, T); 2] {
    // Four AVX2 registers. Short lists do not repay their setup.
    const LONG: usize = 32;
    if numbers.len() < 2 * LONG {
        extremes_by::<T, 2>(numbers, max, min)
    } else {
        extremes_by::<T, LONG>(numbers, max, min)
    }
}

// A plain loop, which the compiler vectorizes for each instruction set.
#[inline(always)]
fn extremes_by<T: Copy + Ord, const STRIDE: usize>(numbers: &[T], max: T, min: T) -> [(T, T); 2] {
    let (mut low, mut high) = ([max; STRIDE], [min; STRIDE]);
    let strides = numbers.chunks_exact(STRIDE);
    let rest = strides.remainder();
    for stride in strides {
        for k in 0..STRIDE {
            low[k] = low[k].min(stride[k]);
            high[k] = high[k].max(stride[k]);
        }
    }
    for (k, &number) in rest.iter().enumerate() {
        low[k] = low[k].min(number);
        high[k] = high[k].max(number);
    }
    let mut sides = [(max, min); 2];
    for k in 0..STRIDE {
        let (first, last) = &mut sides[k % 2];
        *first = (*first).min(low[k]);
        *last = (*last).max(high[k]);
    }
    sides
}

impl Split for FindRanges<'_> {
    const GRAIN: usize = 1 << 18;

    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (first, second) = self.pairs.split_at(middle);
        (FindRanges { pairs: first }, FindRanges { pairs: second })
    }

    fn merge([a, b]: IndexRanges, [c, d]: IndexRanges) -> IndexRanges {
        [union(&a, &c), union(&b, &d)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lane::Simd;

    fn ranges(simd: Simd, pairs: &[Pair]) -> IndexRanges {
        simd.run(FindRanges { pairs })
    }

    #[test]
    fn find_ranges_reads_every_position() {
        for len in 0..100usize {
            for position in 0..len {
                let mut pairs = vec![Pair { a: 50, b: 60 }; len];
                pairs[position] = Pair { a: 70, b: 40 };
                let others = len > 1;
                for simd in Simd::available() {
                    let [a, b] = ranges(simd, &pairs);
                    assert_eq!(a, if others { 50..71 } else { 70..71 });
                    assert_eq!(b, if others { 40..61 } else { 40..41 });
                }
            }
        }
    }

    #[test]
    fn find_ranges_handles_indices_above_i32_max() {
        for large in [0x7fff_ffff, 1 << 31, u32::MAX] {
            for len in [1, 40, 99] {
                let mut pairs = vec![Pair { a: 5, b: 7 }; len];
                pairs[len / 2] = Pair { a: 3, b: large };
                for simd in Simd::available() {
                    let [a, b] = ranges(simd, &pairs);
                    let first = if len > 1 { 7 } else { large as usize };
                    assert_eq!(a, 3..if len > 1 { 6 } else { 4 });
                    assert_eq!(b, first..(large as usize).saturating_add(1));
                }
            }
        }
    }

    #[test]
    fn merge_keeps_an_index_out_of_any_bounds() {
        // The range of index `u32::MAX` on 32-bit targets.
        let none = usize::MAX..usize::MAX;
        let bad = [none.clone(), none];
        let good = [0..5, 0..7];
        for merged in [
            FindRanges::merge(good.clone(), bad.clone()),
            FindRanges::merge(bad, good),
        ] {
            assert!(!fit(&merged, [5, 7]));
        }
    }

    #[test]
    fn empty_list_fits_empty_stores() {
        let empty = Simd::best().run(FindRanges { pairs: &[] });
        assert!(fit(&empty, [0, 0]));
        let pairs = &[Pair { a: 3, b: 0 }];
        let one = Simd::best().run(FindRanges { pairs });
        assert_eq!(FindRanges::merge(empty, one.clone()), one);
        assert!(fit(&one, [4, 1]) && !fit(&one, [3, 1]) && !fit(&one, [4, 0]));
    }

    struct Compress<'a>(CheckedPairs<'a>, [u64; 2]);

    impl Job for Compress<'_> {
        type Output = Vec<IndexPair>;

        fn run<L: Lanes>(self, lanes: L) -> Vec<IndexPair> {
            let mut to = [[9; 2]; 3 * WORD];
            let list = self.0.compress(lanes, 1, &self.1, &mut to);
            list.pairs().to_vec()
        }
    }

    #[test]
    fn gathered_and_compressed_pairs_are_those_of_the_list() {
        let pairs: Vec<Pair> = (0..100).map(|k| Pair::new(k, 200 - k)).collect();
        for simd in Simd::available() {
            let list =
                CheckedPairs::new(Workers::new(simd, false), &pairs, [100, 201], false).unwrap();
            let mut scratch = [[9; 2]; WORD];
            let word = list.gather(&[99, 0, 7], &mut scratch);
            assert_eq!(word[..4], [[99, 101], [0, 200], [7, 193], [99, 101]]);
            assert!(word[4..].iter().all(|pair| *pair == [99, 101]));
            let compressed = simd.run(Compress(list, [1 << 63 | 5, 1 << 34]));
            assert_eq!(compressed, [[1, 199], [3, 197], [64, 136], [99, 101]]);
        }
        let rule = CheckedPairs::by_rule(Some(3), [4, 70], true);
        let mut scratch = [[9; 2]; WORD];
        assert_eq!(rule.gather(&[69], &mut scratch)[..], [[3, 69]; WORD]);
        assert_eq!((rule.sides(), rule.ranges()), ([1, 0], [0..70, 0..4]));
    }

    #[test]
    #[cfg(panic = "unwind")]
    fn positions_past_the_end_and_missing_shapes_panic() {
        let (mut scratch, pairs) = ([[9; 2]; WORD], [Pair::new(0, 0)]);
        let list =
            CheckedPairs::new(Workers::new(Simd::best(), false), &pairs, [1, 1], false).unwrap();
        let zip = CheckedPairs::by_rule(None, [70, 70], false);
        let mut panics = |list: CheckedPairs<'_>, positions: &[u32]| {
            let gather = || list.gather(positions, &mut scratch)[0];
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(gather)).is_err()
        };
        assert!(panics(list, &[1]) && panics(list, &[]) && panics(zip, &[70]));
        assert!(!panics(list, &[0]) && !panics(zip, &[69]));
        for (one, lens) in [(Some(4), [4, 70]), (None, [69, 70])] {
            let rule = || CheckedPairs::by_rule(one, lens, false).pairs().len();
            assert!(std::panic::catch_unwind(rule).is_err());
        }
    }
}
