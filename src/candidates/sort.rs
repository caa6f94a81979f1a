//! Sorts the pairs by the first index, then by the second.
//!
//! The high bits of the first index select a bucket, such that its low bits and the second index fit into a
//! 32-bit key. Each bucket fits into a cache and is sorted by a radix sort.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::mem;

use super::Pairing;
use super::found;
use super::traversal::TraversalScratch;
use crate::lane::{Job, Lanes, Split};
use crate::pages;
use crate::pairs::Pair;
use crate::threads::Workers;

/// Target number of pairs in a bucket; a single index may have more.
const BUCKET: usize = 1 << 15;
/// Maximum number of bits of the first index that select a bucket.
const BUCKET_BITS: u32 = 16;
/// Maximum number of index bits for a counting sort by whole indices.
const COUNTED_BITS: u32 = 16;
/// Below this number of pairs, a comparison sort is faster.
const FEW: usize = 128;
/// Maximum number of bits per pass of the radix sort.
const DIGIT: u32 = 11;

/// Maximum number of pairs per shape for a counting sort by whole indices. More pairs would write to more pages
/// at once than the TLB holds.
const FEW_FOR_EACH: usize = 16;

/// Memory reused by calls.
#[derive(Debug, Default)]
pub struct Sorter {
    keys: Vec<u32>,
    /// Number of pairs with each index.
    counts: [Vec<u32>; 2],
    /// End of each bucket.
    ends: Vec<usize>,
}

impl Sorter {
    /// Replaces `pairs` by the found pairs, sorted. If memory runs out, `pairs` is unchanged.
    pub fn sort(
        &mut self,
        workers: Workers,
        scratches: &mut [TraversalScratch],
        pairing: Pairing,
        [len_a, len_b]: [usize; 2],
        pairs: &mut Vec<Pair>,
    ) -> Result<(), TryReserveError> {
        let total: usize = scratches.iter().map(|scratch| scratch.found.len()).sum();
        let (bits_a, bits_b) = (bits(len_a), bits(len_b));
        let mut low = bits_a.min(32 - bits_b);
        while total >> (bits_a - low) > BUCKET && bits_a - low < 12 && low > 0 {
            low -= 1;
        }
        pages::try_reserve_all(pairs, total)?;
        let Sorter { keys, counts, ends } = self;
        if total < FEW || bits_a - low > BUCKET_BITS || total > u32::MAX as usize {
            pairs.clear();
            take(scratches, total, |pair| pairs.push(ordered(pair, pairing)));
            pairs.sort_unstable();
            return Ok(());
        }
        let most_bits = bits_a.max(bits_b);
        let is_few = total / FEW_FOR_EACH <= len_a.saturating_add(len_b);
        if most_bits <= COUNTED_BITS && total >> most_bits > 0 && is_few {
            try_grow(keys, 2 * total)?;
            pairs.resize(total, Pair::default());
            let found = scratches.iter().flat_map(|scratch| scratch.found.pairs());
            let found = found.map(|pair| ordered(pair, pairing));
            sort_few(found, bits_a, bits_b, counts, &mut keys[..2 * total], pairs);
            return Ok(());
        }
        try_grow(keys, total)?;
        ends.clear();
        ends.resize(1 << (bits_a - low), 0);
        for scratch in &*scratches {
            for pair in scratch.found.pairs() {
                ends[(ordered(pair, pairing).a >> low) as usize] += 1;
            }
        }
        let mut start = 0;
        for end in &mut *ends {
            start += mem::replace(end, start);
        }
        take(scratches, total, |pair| {
            let Pair { a, b } = ordered(pair, pairing);
            let place = &mut ends[(a >> low) as usize];
            keys[*place] = (u64::from(a & ((1 << low) - 1)) << bits_b) as u32 | b;
            *place += 1;
        });
        pairs.resize(total, Pair::default());
        workers.execute(SortBuckets {
            low,
            bits_b,
            bucket: 0,
            ends,
            start: 0,
            keys: &mut keys[..total],
            pairs,
        });
        Ok(())
    }
}

/// Passes the pairs of all walkers to `each`. If there are many, their memory is freed chunk by chunk.
fn take(scratches: &mut [TraversalScratch], total: usize, mut each: impl FnMut(Pair)) {
    for scratch in scratches {
        if total < found::MANY {
            scratch.found.pairs().for_each(&mut each);
        } else {
            scratch.found.drain(&mut each);
        }
    }
}

/// Grows a list to at least `len` elements.
fn try_grow(list: &mut Vec<u32>, len: usize) -> Result<(), TryReserveError> {
    if list.len() < len {
        pages::try_reserve_all(list, len)?;
        list.resize(len, 0);
    }
    Ok(())
}

/// Radix sort with whole indices as digits: by the second index, then by the first. Takes half the time of
/// bucket keys while the counts fit into a cache.
fn sort_few(
    found: impl Iterator<Item = Pair> + Clone,
    bits_a: u32,
    bits_b: u32,
    [of_a, of_b]: &mut [Vec<u32>; 2],
    scratch: &mut [u32],
    pairs: &mut [Pair],
) {
    for (counts, bits) in [(&mut *of_a, bits_a), (&mut *of_b, bits_b)] {
        counts.clear();
        counts.resize(1 << bits, 0);
    }
    for Pair { a, b } in found.clone() {
        of_a[a as usize] += 1;
        of_b[b as usize] += 1;
    }
    for counts in [&mut *of_a, &mut *of_b] {
        let mut start = 0;
        for count in counts {
            start += mem::replace(count, start);
        }
    }
    let by_b: &mut [[u32; 2]] = bytemuck::cast_slice_mut(scratch);
    for Pair { a, b } in found {
        let place = &mut of_b[b as usize];
        by_b[*place as usize] = [a, b];
        *place += 1;
    }
    for &[a, b] in &*by_b {
        let place = &mut of_a[a as usize];
        pairs[*place as usize] = Pair::new(a, b);
        *place += 1;
    }
}

/// Number of bits of an index below `len`.
fn bits(len: usize) -> u32 {
    len.max(2).next_power_of_two().trailing_zeros()
}

/// A found pair, query index first, in the order of the list.
#[inline(always)]
fn ordered(Pair { a, b }: Pair, pairing: Pairing) -> Pair {
    match pairing {
        Pairing::SelfPairs => Pair::new(a.min(b), a.max(b)),
        Pairing::CrossPairs => Pair::new(a, b),
        Pairing::CrossPairsSwapped => Pair::new(b, a),
    }
}

/// Sorts each bucket.
struct SortBuckets<'s> {
    low: u32,
    bits_b: u32,
    /// The first bucket.
    bucket: u32,
    /// End of each bucket.
    ends: &'s [usize],
    /// Start of the first bucket.
    start: usize,
    keys: &'s mut [u32],
    pairs: &'s mut [Pair],
}

impl Job for SortBuckets<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _lanes: L) {
        let (mut start, mut bucket) = (self.start, self.bucket);
        let (mut keys, mut pairs) = (self.keys, self.pairs);
        for &end in self.ends {
            let len = end - start;
            let (own_keys, own_pairs);
            (own_keys, keys) = keys.split_at_mut(len);
            (own_pairs, pairs) = pairs.split_at_mut(len);
            if len > 0 {
                sort_bucket(self.low, self.bits_b, bucket, own_keys, own_pairs);
            }
            (start, bucket) = (end, bucket + 1);
        }
    }
}

impl Split for SortBuckets<'_> {
    const GRAIN: usize = 1 << 13;

    /// Number of pairs.
    fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Splits at the end of a bucket.
    fn split_at(self, middle: usize) -> (Self, Self) {
        let buckets = self.ends.partition_point(|end| *end < self.start + middle) + 1;
        let (ends, other_ends) = self.ends.split_at(buckets.min(self.ends.len()));
        let end = ends.last().map_or(self.start, |end| *end);
        let (keys, other_keys) = self.keys.split_at_mut(end - self.start);
        let (pairs, other_pairs) = self.pairs.split_at_mut(end - self.start);
        let low = SortBuckets {
            ends,
            keys,
            pairs,
            ..self
        };
        let high = SortBuckets {
            bucket: self.bucket + ends.len() as u32,
            ends: other_ends,
            start: end,
            keys: other_keys,
            pairs: other_pairs,
            ..self
        };
        (low, high)
    }

    fn merge((): (), (): ()) {}
}

/// Sorts keys of `low + bits_b` bits and writes them as pairs.
fn sort_bucket(low: u32, bits_b: u32, bucket: u32, keys: &mut [u32], pairs: &mut [Pair]) {
    let bits = low + bits_b;
    let passes = bits.div_ceil(DIGIT);
    let width = bits.div_ceil(passes);
    let mask = (1u32 << width) - 1;
    let mut counts = [[0u32; 1 << DIGIT]; 3];
    for &key in &*keys {
        for (pass, counts) in (0..passes).zip(&mut counts) {
            counts[(key >> (pass * width) & mask) as usize & ((1 << DIGIT) - 1)] += 1;
        }
    }
    let first = u64::from(bucket) << low;
    for (pass, counts) in (0..passes).zip(&mut counts) {
        let mut start = 0;
        for count in &mut counts[..1 << width] {
            start += mem::replace(count, start);
        }
        let shift = pass * width;
        let places = keys.iter().map(|&key| {
            let place = &mut counts[(key >> shift & mask) as usize & ((1 << DIGIT) - 1)];
            *place += 1;
            (*place - 1, key)
        });
        if pass + 1 == passes {
            for (place, key) in places {
                let a = first as u32 + (u64::from(key) >> bits_b) as u32;
                pairs[place as usize] = Pair::new(a, key & (u32::MAX >> (32 - bits_b)));
            }
        } else {
            // Until the last pass, `pairs` serves as the buffer.
            let sorted: &mut [u32] = bytemuck::must_cast_slice_mut(pairs);
            let sorted = &mut sorted[..keys.len()];
            places.for_each(|(place, key)| sorted[place as usize] = key);
            keys.copy_from_slice(sorted);
        }
    }
}
