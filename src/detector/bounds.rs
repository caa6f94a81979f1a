//! Which shapes a pair list names: the check of its indices, and what is worth packing.

use core::ops::Range;

use wide::{f32x4, u32x4};

use super::Settings;
use super::split::{Split, execute};
use crate::Pair;
use crate::hits::WORD;
use crate::lane::{Job, Lanes, MAX_LANES};

/// A pair list whose indices are known to be in bounds.
#[derive(Clone, Copy)]
pub struct CheckedPairs<'a> {
    pairs: &'a [IndexPair],
    /// Side A is the second of each pair.
    swapped: bool,
    /// All first indices are below the first of these, all second ones below the second.
    ends: [usize; 2],
}

/// Both indices of a pair, as the caller has them.
pub type IndexPair = [u32; 2];

impl<'a> CheckedPairs<'a> {
    /// Also says which shapes are named. None if there are none at an index.
    pub fn new(settings: Settings, pairs: &'a [Pair], lens: [usize; 2]) -> Option<(Self, Named)> {
        Self::within(pairs, lens, execute(settings, Bounds { pairs }))
    }

    /// The same, by a thread that tests them next.
    #[inline(always)]
    pub fn check<L: Lanes>(lanes: L, pairs: &'a [Pair], lens: [usize; 2]) -> Option<Self> {
        let (list, _) = Self::within(pairs, lens, lanes.run(Bounds { pairs }))?;
        Some(list)
    }

    fn within(
        pairs: &'a [Pair],
        [len_a, len_b]: [usize; 2],
        named: Named,
    ) -> Option<(Self, Named)> {
        named.fit(len_a, len_b).then(|| {
            let list = CheckedPairs {
                pairs: bytemuck::must_cast_slice(pairs),
                swapped: false,
                ends: [named.a.end, named.b.end],
            };
            (list, named)
        })
    }

    /// The sides in the other order.
    pub fn swapped(self) -> Self {
        CheckedPairs {
            swapped: !self.swapped,
            ..self
        }
    }

    /// All of them.
    #[inline(always)]
    pub fn pairs(self) -> &'a [IndexPair] {
        self.pairs
    }

    /// The pairs at `first..first + len`, filled up to a word from `scratch` if they are fewer.
    #[inline(always)]
    pub fn word<'s>(
        &'s self,
        first: usize,
        len: usize,
        scratch: &'s mut ScratchPairs,
    ) -> CheckedWord<'s> {
        let pairs = match self.pairs[first..].first_chunk() {
            Some(word) => word,
            None => {
                scratch.fill(self.pairs[first]);
                scratch[..len].copy_from_slice(&self.pairs[first..][..len]);
                scratch
            }
        };
        CheckedWord {
            pairs,
            ends: self.ends,
        }
    }

    /// Which of both is the index of side A, and which that of side B.
    #[inline(always)]
    pub fn sides(self) -> (usize, usize) {
        (usize::from(self.swapped), usize::from(!self.swapped))
    }

    /// Above all first indices, or above all second ones.
    pub fn end(self, side: usize) -> usize {
        self.ends[side]
    }
}

/// A word of the pairs of a checked list. At its end some are repeated.
#[derive(Clone, Copy)]
pub struct CheckedWord<'a> {
    pairs: &'a [IndexPair; WORD],
    ends: [usize; 2],
}

impl<'a> CheckedWord<'a> {
    /// All of them.
    #[inline(always)]
    pub fn pairs(self) -> &'a [IndexPair; WORD] {
        self.pairs
    }
}

/// Memory for the pairs of a word.
pub type ScratchPairs = [IndexPair; WORD];

/// Pairs picked out of checked lists.
pub struct Selection {
    pairs: [IndexPair; Self::MEMORY],
    len: usize,
    ends: [usize; 2],
}

impl Selection {
    /// The most pairs.
    pub const ROOM: usize = 512;
    /// Room for a word more, and for what picking writes beyond it.
    const MEMORY: usize = Self::ROOM + WORD + MAX_LANES;

    /// None yet.
    #[inline(always)]
    pub fn new() -> Self {
        Selection {
            pairs: [[0; 2]; Self::MEMORY],
            len: 0,
            ends: [0; 2],
        }
    }

    /// Forgets them all.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds those that `which` has bits of. What is beyond [`ROOM`](Self::ROOM) is lost.
    #[inline(always)]
    pub fn add<L: Lanes>(&mut self, lanes: L, word: CheckedWord<'_>, which: u64) {
        for (end, more) in self.ends.iter_mut().zip(word.ends) {
            *end = (*end).max(more);
        }
        let count = lanes.pick(which, word.pairs, &mut self.pairs[self.len..]);
        self.len = Self::ROOM.min(self.len + count);
    }

    /// As a list, with the sides as in the list `like`.
    #[inline(always)]
    pub fn list(&self, like: CheckedPairs<'_>) -> CheckedPairs<'_> {
        CheckedPairs {
            pairs: &self.pairs[..self.len],
            swapped: like.swapped,
            ends: self.ends,
        }
    }
}

/// Finds the smallest and the largest index on either side.
struct Bounds<'a> {
    pairs: &'a [Pair],
}

/// The indices that a list names lie in these ranges.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    pub a: Range<usize>,
    pub b: Range<usize>,
}

impl Named {
    /// Whether there are shapes for all of them.
    pub fn fit(&self, len_a: usize, len_b: usize) -> bool {
        self.a.end <= len_a && self.b.end <= len_b
    }

    /// How many shapes these are, of one store if it is `shared`.
    pub fn count(&self, shared: bool) -> usize {
        self.a.len() + if shared { 0 } else { self.b.len() }
    }

    /// The sides in the other order.
    pub fn swapped(self) -> Self {
        Named {
            a: self.b,
            b: self.a,
        }
    }

    /// Takes both ranges together: they are of the same store.
    pub fn share(&mut self) {
        self.a = union(&self.a, &self.b);
        self.b = self.a.clone();
    }
}

fn union(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    // Not whether they are empty: so is the range of the last index that 32 bits have.
    const NOTHING: Range<usize> = 0..0;
    if *a == NOTHING {
        b.clone()
    } else if *b == NOTHING {
        a.clone()
    } else {
        a.start.min(b.start)..a.end.max(b.end)
    }
}

impl Job for Bounds<'_> {
    type Output = Named;

    #[inline(always)]
    fn run<L: Lanes>(self, _lanes: L) -> Named {
        if self.pairs.is_empty() {
            return Named { a: 0..0, b: 0..0 };
        }
        let indices: &[u32] = bytemuck::must_cast_slice(self.pairs);
        let found = if NO_INTEGER_MINIMA && L::COUNT == 4 {
            extremes_by_floats(indices)
        } else {
            extremes_by_signs(indices)
        };
        let [a, b] = found.unwrap_or_else(|| extremes(indices, u32::MAX, u32::MIN));
        let range = |(first, last): (u32, u32)| first as usize..(last as usize).saturating_add(1);
        Named {
            a: range(a),
            b: range(b),
        }
    }
}

/// The least and the greatest index on either side.
type Extremes<T> = [(T, T); 2];

/// None if there is an index above `i32::MAX`: before AVX-512 few vectors compare without signs.
#[inline(always)]
fn extremes_by_signs(indices: &[u32]) -> Option<Extremes<u32>> {
    let signed = extremes::<i32>(bytemuck::must_cast_slice(indices), i32::MAX, i32::MIN);
    let positive = signed.iter().all(|(first, _)| *first >= 0);
    positive.then(|| signed.map(|(first, last)| (first as u32, last as u32)))
}

/// Whether vectors of four integers have no minimum, as before SSE4.1.
const NO_INTEGER_MINIMA: bool = cfg!(all(
    target_arch = "x86_64",
    target_feature = "sse2",
    not(target_feature = "sse4.1")
));

/// The bits of the least float that is not subnormal: callers may have told the CPU to take all below
/// for zero.
const LEAST_NORMAL: u32 = 1 << 23;

/// None if there is an index too large to be made a finite float by adding to its bits, which are in
/// the order of the floats. SSE2 checks a list in less time than by integers (Zen 4: 0.21 ns a
/// pair instead of 0.34).
#[inline(always)]
fn extremes_by_floats(indices: &[u32]) -> Option<Extremes<u32>> {
    const STRIDE: usize = 16;
    const END: u32 = 0x7f80_0000 - LEAST_NORMAL;
    let (mut low, mut high) = (
        [f32x4::splat(f32::MAX); STRIDE / 4],
        [f32x4::ZERO; STRIDE / 4],
    );
    let mut all = u32x4::ZERO;
    let strides = indices.chunks_exact(STRIDE);
    let rest = strides.remainder();
    for stride in strides {
        for k in 0..STRIDE / 4 {
            let four = [
                stride[4 * k],
                stride[4 * k + 1],
                stride[4 * k + 2],
                stride[4 * k + 3],
            ];
            let bits = u32x4::new(four);
            all |= bits;
            let x: f32x4 = bytemuck::must_cast(bits + u32x4::splat(LEAST_NORMAL));
            low[k] = x.fast_min(low[k]);
            high[k] = x.fast_max(high[k]);
        }
    }
    if all.to_array().iter().any(|&bits| bits >= END) {
        return None;
    }
    let mut sides = extremes(rest, u32::MAX, u32::MIN);
    if indices.len() >= STRIDE {
        let (low, high): ([u32; STRIDE], [u32; STRIDE]) =
            (bytemuck::must_cast(low), bytemuck::must_cast(high));
        for k in 0..STRIDE {
            let (first, last) = &mut sides[k % 2];
            *first = (*first).min(low[k] - LEAST_NORMAL);
            *last = (*last).max(high[k] - LEAST_NORMAL);
        }
    }
    Some(sides)
}

/// The least and the greatest number at even and at odd places.
#[inline(always)]
fn extremes<T: Copy + Ord>(numbers: &[T], max: T, min: T) -> Extremes<T> {
    // Four AVX2 registers. Setting them up takes longer than a short list.
    const LONG: usize = 32;
    if numbers.len() < 2 * LONG {
        extremes_by::<T, 2>(numbers, max, min)
    } else {
        extremes_by::<T, LONG>(numbers, max, min)
    }
}

// A plain loop: compiled for each instruction set, it becomes that set's minimum and maximum.
#[inline(always)]
fn extremes_by<T: Copy + Ord, const STRIDE: usize>(numbers: &[T], max: T, min: T) -> Extremes<T> {
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

impl Split for Bounds<'_> {
    const GRAIN: usize = 1 << 18;

    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (first, second) = self.pairs.split_at(middle);
        (Bounds { pairs: first }, Bounds { pairs: second })
    }

    fn merge(first: Named, second: Named) -> Named {
        Named {
            a: union(&first.a, &second.a),
            b: union(&first.b, &second.b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Simd;

    #[test]
    fn every_position_counts() {
        for len in 0..100usize {
            for position in 0..len {
                let mut pairs = vec![Pair { a: 50, b: 60 }; len];
                pairs[position] = Pair { a: 70, b: 40 };
                let others = len > 1;
                for simd in Simd::available() {
                    let named = simd.run(Bounds { pairs: &pairs });
                    assert_eq!(named.a, if others { 50..71 } else { 70..71 });
                    assert_eq!(named.b, if others { 40..61 } else { 40..41 });
                }
            }
        }
    }

    #[test]
    fn large_indices_count() {
        let end_of_floats = 0x7f00_0000;
        for large in [end_of_floats - 1, end_of_floats + 1, 1 << 31, u32::MAX] {
            for len in [1, 40, 99] {
                let mut pairs = vec![Pair { a: 5, b: 7 }; len];
                pairs[len / 2] = Pair { a: 3, b: large };
                for simd in Simd::available() {
                    let named = simd.run(Bounds { pairs: &pairs });
                    let first = if len > 1 { 7 } else { large as usize };
                    assert_eq!(named.a, 3..if len > 1 { 6 } else { 4 });
                    assert_eq!(named.b, first..(large as usize).saturating_add(1));
                }
            }
        }
    }

    #[test]
    fn an_index_that_no_store_has_is_kept_when_pieces_are_merged() {
        // As 32-bit targets have it.
        let none = usize::MAX..usize::MAX;
        let (a, b) = (none.clone(), none);
        let bad = Named { a, b };
        let good = Named { a: 0..5, b: 0..7 };
        for merged in [
            Bounds::merge(good.clone(), bad.clone()),
            Bounds::merge(bad, good),
        ] {
            assert!(!merged.fit(5, 7));
        }
    }

    #[test]
    fn an_empty_list_names_nothing() {
        let empty = Simd::best().run(Bounds { pairs: &[] });
        assert!(empty.fit(0, 0));
        let one = Simd::best().run(Bounds {
            pairs: &[Pair { a: 3, b: 0 }],
        });
        assert_eq!(Bounds::merge(empty, one.clone()), one);
        assert!(one.fit(4, 1) && !one.fit(3, 1) && !one.fit(4, 0));
    }
}
