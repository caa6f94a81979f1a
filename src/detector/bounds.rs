//! Which shapes a pair list names: the check of its indices, and what is worth packing.

use core::ops::Range;

use super::Settings;
use super::split::{Split, execute};
use crate::Pair;
use crate::lane::{Job, Lanes};

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
    pub fn new(
        settings: Settings,
        pairs: &'a [Pair],
        len_a: usize,
        len_b: usize,
    ) -> Option<(Self, Named)> {
        let named = execute(settings, Bounds { pairs });
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

/// Finds the smallest and the largest index on either side.
pub struct Bounds<'a> {
    pub pairs: &'a [Pair],
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
    if a.is_empty() {
        b.clone()
    } else if b.is_empty() {
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
        // SSE2 has a comparison of signed integers only, which saves it a fifth of the time. An index
        // above `i32::MAX` is below zero then.
        let signed = extremes::<i32>(bytemuck::cast_slice(self.pairs), i32::MAX, i32::MIN);
        let [a, b] = if signed.iter().all(|(first, _)| *first >= 0) {
            signed.map(|(first, last)| (first as u32, last as u32))
        } else {
            extremes::<u32>(bytemuck::cast_slice(self.pairs), u32::MAX, u32::MIN)
        };
        let range = |(first, last): (u32, u32)| first as usize..(last as usize).saturating_add(1);
        Named {
            a: range(a),
            b: range(b),
        }
    }
}

/// The least and the greatest number at even and at odd places.
#[inline(always)]
fn extremes<T: Copy + Ord>(numbers: &[T], max: T, min: T) -> [(T, T); 2] {
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
    fn indices_above_those_of_signed_integers_count() {
        for len in [1, 40, 99] {
            let mut pairs = vec![Pair { a: 5, b: 7 }; len];
            pairs[len / 2] = Pair {
                a: 1 << 31,
                b: u32::MAX,
            };
            let last = u32::MAX as usize;
            for simd in Simd::available() {
                let named = simd.run(Bounds { pairs: &pairs });
                let (a, b) = if len > 1 { (5, 7) } else { (1 << 31, last) };
                assert_eq!(named.a, a..(1 << 31) + 1);
                assert_eq!(named.b, b..last.saturating_add(1));
            }
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
