//! Sorts the pairs by the first index, then by the second.
//!
//! The high bits of the first index select a bucket, such that its low bits and the second index fit into a
//! 32-bit key. Each bucket fits into a cache and is sorted by a radix sort.
//!
//! Threads distribute their found pairs to the buckets, then sort buckets. Neither step is serial.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::mem;

use crate::broad::row::Pairing;
use crate::broad::search::found;
use crate::broad::traversal::TraversalScratch;
use crate::driver::threads::Workers;
use crate::lane::{Job, Lanes, STEP, Split};
use crate::memory::pages;
use crate::pairs::Pair;

/// Target number of pairs in a bucket; a single index may have more.
const BUCKET: usize = 1 << 15;
/// Maximum number of bits of the first index that select a bucket.
const BUCKET_BITS: u32 = 16;
/// Maximum number of index bits for a counting sort by whole indices.
const COUNTED_BITS: u32 = 16;
/// Below this number of pairs, a comparison sort is faster.
const FEW: usize = 128;
/// Minimum number of pairs that threads distribute to buckets in parallel, and number of buckets per thread.
const SHARED: usize = 1 << 13;
const BUCKETS_FOR_EACH: usize = 8;
/// Maximum number of bits per pass of the radix sort.
const DIGIT: u32 = 11;

/// Maximum number of pairs per shape for a counting sort by whole indices. More pairs would write to more pages
/// at once than the TLB holds.
const FEW_FOR_EACH: usize = 16;

/// Memory reused by calls.
#[derive(Debug, Default)]
pub struct Sorter {
    keys: Vec<u32>,
    /// Number of pairs with each index; number of pairs of each thread in each bucket.
    counts: [Vec<u32>; 2],
    /// End of each bucket.
    ends: Vec<usize>,
    /// Memory of the places; empty between calls.
    places: Places<'static>,
}

/// In each bucket, a place for the keys of each thread.
type Places<'k> = Vec<&'k mut [u32]>;

/// An empty list in the memory of another: collecting in place reuses it.
fn reused<'k>(mut places: Places<'_>) -> Places<'k> {
    places.clear();
    places.into_iter().map(|_| Default::default()).collect()
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
        let found = scratches.iter().map(|scratch| scratch.found.len());
        let total: usize = found.clone().sum();
        let finders = found.filter(|found| *found > 0).count();
        let is_shared = finders > 1 && total >= SHARED;
        let bucket = match is_shared {
            true => (total / (BUCKETS_FOR_EACH * finders)).clamp(SHARED / BUCKETS_FOR_EACH, BUCKET),
            false => BUCKET,
        };
        let (bits_a, bits_b) = (bits(len_a), bits(len_b));
        let mut low = bits_a.min(32 - bits_b);
        while total >> (bits_a - low) > bucket && bits_a - low < 12 && low > 0 {
            low -= 1;
        }
        pages::try_reserve_all(pairs, total)?;
        let Sorter {
            keys,
            counts,
            ends,
            places,
        } = self;
        if total < FEW || bits_a - low > BUCKET_BITS || total > u32::MAX as usize {
            pairs.clear();
            for scratch in scratches {
                take(scratch, total, |pair| pairs.push(ordered(pair, pairing)));
            }
            pairs.sort_unstable();
            return Ok(());
        }
        let most_bits = bits_a.max(bits_b);
        let is_few = total / FEW_FOR_EACH <= len_a.saturating_add(len_b);
        let is_counted = most_bits <= COUNTED_BITS && total >> most_bits > 0 && is_few;
        if is_counted && !is_shared {
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
        let keying = Keying {
            pairing,
            low,
            bits_b,
        };
        let [counts, _] = counts;
        let keys = &mut keys[..total];
        share_out(workers, scratches, keying, counts, keys, ends, places);
        pairs.resize(total, Pair::default());
        workers.execute(SortBuckets {
            low,
            bits_b,
            bucket: 0,
            ends,
            start: 0,
            keys,
            pairs,
        });
        Ok(())
    }
}

/// Passes the found pairs of a thread to `each`. If the total is large, their memory is freed chunk by chunk.
fn take(scratch: &mut TraversalScratch, total: usize, each: impl FnMut(Pair)) {
    if total < found::MANY {
        scratch.found.pairs().for_each(each);
    } else {
        scratch.found.drain(each);
    }
}

/// Conversion of found pairs to buckets and keys.
#[derive(Clone, Copy)]
struct Keying {
    pairing: Pairing,
    /// Number of low bits of the first index in a key.
    low: u32,
    bits_b: u32,
}

impl Keying {
    #[inline(always)]
    fn bucket(self, pair: Pair) -> usize {
        (ordered(pair, self.pairing).a >> self.low) as usize
    }

    #[inline(always)]
    fn key(self, pair: Pair) -> u32 {
        let Pair { a, b } = ordered(pair, self.pairing);
        (u64::from(a & ((1 << self.low) - 1)) << self.bits_b) as u32 | b
    }
}

/// Distributes the found pairs to `ends.len()` buckets, as keys, and writes the end of each bucket.
fn share_out(
    workers: Workers,
    scratches: &mut [TraversalScratch],
    keying: Keying,
    counts: &mut Vec<u32>,
    keys: &mut [u32],
    ends: &mut [usize],
    memory: &mut Places<'static>,
) {
    let buckets = ends.len();
    counts.clear();
    counts.resize(scratches.len() * buckets, 0);
    workers.execute(CountKeys {
        scratches,
        keying,
        counts,
        buckets,
    });
    let total = keys.len();
    let mut places = reused(mem::take(memory));
    places.resize_with(counts.len(), Default::default);
    let (mut rest, mut end) = (keys, 0);
    for (bucket, bucket_end) in ends.iter_mut().enumerate() {
        for part in 0..scratches.len() {
            let at = part * buckets + bucket;
            let place;
            (place, rest) = rest.split_at_mut(counts[at] as usize);
            end += place.len();
            places[at] = place;
        }
        *bucket_end = end;
    }
    workers.execute(WriteKeys {
        scratches,
        total,
        keying,
        places: &mut places,
        buckets,
    });
    *memory = reused(places);
}

/// Counts the pairs of each thread in each bucket.
struct CountKeys<'s> {
    scratches: &'s [TraversalScratch],
    keying: Keying,
    /// `buckets` numbers for each thread.
    counts: &'s mut [u32],
    buckets: usize,
}

impl Job for CountKeys<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _lanes: L) {
        let counts = self.counts.chunks_exact_mut(self.buckets);
        for (scratch, counts) in self.scratches.iter().zip(counts) {
            for pair in scratch.found.pairs() {
                counts[self.keying.bucket(pair)] += 1;
            }
        }
    }
}

impl Split for CountKeys<'_> {
    const GRAIN: usize = STEP;

    /// A step for each thread.
    fn len(&self) -> usize {
        self.scratches.len() * STEP
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (scratches, other_scratches) = self.scratches.split_at(middle / STEP);
        let (counts, other_counts) = self.counts.split_at_mut(middle / STEP * self.buckets);
        let low = CountKeys {
            scratches,
            counts,
            ..self
        };
        let high = CountKeys {
            scratches: other_scratches,
            counts: other_counts,
            ..self
        };
        (low, high)
    }

    fn merge((): (), (): ()) {}
}

/// Writes the key of each pair to the finder's place in its bucket.
struct WriteKeys<'s, 'k> {
    scratches: &'s mut [TraversalScratch],
    /// Total number of pairs.
    total: usize,
    keying: Keying,
    /// `buckets` places for each thread.
    places: &'s mut [&'k mut [u32]],
    buckets: usize,
}

impl Job for WriteKeys<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _lanes: L) {
        let places = self.places.chunks_exact_mut(self.buckets);
        for (scratch, places) in self.scratches.iter_mut().zip(places) {
            take(scratch, self.total, |pair| {
                let place = &mut places[self.keying.bucket(pair)];
                if let Some((to, rest)) = mem::take(place).split_first_mut() {
                    *to = self.keying.key(pair);
                    *place = rest;
                }
            });
        }
    }
}

impl Split for WriteKeys<'_, '_> {
    const GRAIN: usize = STEP;

    /// A step for each thread.
    fn len(&self) -> usize {
        self.scratches.len() * STEP
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (scratches, other_scratches) = self.scratches.split_at_mut(middle / STEP);
        let (places, other_places) = self.places.split_at_mut(middle / STEP * self.buckets);
        let low = WriteKeys {
            scratches,
            places,
            ..self
        };
        let high = WriteKeys {
            scratches: other_scratches,
            places: other_places,
            ..self
        };
        (low, high)
    }

    fn merge((): (), (): ()) {}
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
