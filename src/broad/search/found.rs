//! The overlapping pairs that one thread finds, in chunks, so that growth copies nothing.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::memory::pages;
use crate::pairs::Pair;

/// Limits of the number of pairs of a chunk; in between, an eighth of the pairs before it.
const CHUNK: (usize, usize) = (1 << 12, 1 << 20);
/// Threshold from which chunks are freed as they are sorted, and the memory for sorting is probed.
pub const MANY: usize = 1 << 24;
/// Number of pairs between two probes.
const PROBED: usize = 1 << 26;
/// Bytes that a found pair takes later: its key and its element of the list.
const BYTES_LATER: usize = size_of::<u32>() + size_of::<Pair>();

/// Unsorted pairs.
#[derive(Debug, Default)]
pub struct Found {
    chunks: Vec<Chunk>,
    /// Number of chunks in use. Further chunks are empty.
    used: usize,
    /// Number of pairs in the chunks before the last used one.
    before: usize,
}

/// Indices of pairs: query side and target side.
#[derive(Debug, Default)]
struct Chunk {
    queries: Vec<u32>,
    targets: Vec<u32>,
}

impl Found {
    /// Number of pairs.
    pub fn len(&self) -> usize {
        let last = self.chunks[..self.used].last();
        self.before + last.map_or(0, |chunk| chunk.queries.len())
    }

    /// Removes the pairs and keeps their memory.
    pub fn clear(&mut self) {
        for chunk in &mut self.chunks {
            chunk.queries.clear();
            chunk.targets.clear();
        }
        (self.used, self.before) = (0, 0);
    }

    /// Number of pairs that fit without an allocation.
    pub fn capacity(&self) -> usize {
        self.chunks
            .iter()
            .map(|chunk| chunk.queries.capacity())
            .sum()
    }

    /// Appends pairs, unless the budget is used up.
    #[inline]
    pub fn extend(&mut self, queries: &[u32], targets: &[u32], budget: &Budget) {
        let fits = |chunk: &Chunk| chunk.queries.capacity() - chunk.queries.len() >= queries.len();
        if !self.chunks[..self.used].last().is_some_and(fits) && !self.begin_chunk(budget) {
            return;
        }
        if let Some(chunk) = self.chunks[..self.used].last_mut() {
            chunk.queries.extend_from_slice(queries);
            chunk.targets.extend_from_slice(targets);
        }
    }

    /// Begins the next chunk. False if the budget is spent or memory has run out.
    #[cold]
    fn begin_chunk(&mut self, budget: &Budget) -> bool {
        let last = self.chunks[..self.used].last();
        let full = last.map_or(0, |chunk| chunk.queries.len());
        if !budget.spend(full) {
            return false;
        }
        self.before += full;
        if self.used == self.chunks.len() {
            let capacity = (self.before / 8).clamp(CHUNK.0, CHUNK.1);
            let mut chunk = Chunk::default();
            if self.chunks.try_reserve(1).is_err()
                || pages::try_reserve_all(&mut chunk.queries, capacity).is_err()
                || pages::try_reserve_all(&mut chunk.targets, capacity).is_err()
            {
                budget.run_out();
                return false;
            }
            self.chunks.push(chunk);
        }
        self.used += 1;
        true
    }

    /// The pairs, query index first.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> + Clone {
        self.chunks[..self.used].iter().flat_map(Chunk::pairs)
    }

    /// Removes the pairs chunk by chunk, passes each pair to `each` and frees the chunk.
    pub fn drain(&mut self, mut each: impl FnMut(Pair)) {
        for chunk in self.chunks.drain(..) {
            chunk.pairs().for_each(&mut each);
        }
        (self.used, self.before) = (0, 0);
    }
}

impl Chunk {
    fn pairs(&self) -> impl Iterator<Item = Pair> + Clone {
        let pairs = self.queries.iter().zip(&self.targets);
        pairs.map(|(&query, &target)| Pair::new(query, target))
    }
}

/// Maximum number of pairs that all threads of a call may find together.
pub struct Budget {
    limit: usize,
    /// Pairs in full chunks.
    found: AtomicUsize,
    is_spent: AtomicBool,
}

impl Budget {
    /// At most `limit` pairs, and a chunk for each thread.
    pub fn new(limit: usize) -> Self {
        Budget {
            limit,
            found: AtomicUsize::new(0),
            is_spent: AtomicBool::new(false),
        }
    }

    /// Whether the search must stop; its pairs are then discarded.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.is_spent.load(Ordering::Relaxed)
    }

    /// The limit.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Stops the search.
    pub fn run_out(&self) {
        self.is_spent.store(true, Ordering::Relaxed);
    }

    /// Counts the pairs of a full chunk. False if the search must stop.
    pub fn spend(&self, full: usize) -> bool {
        if self.is_spent() {
            return false;
        }
        let before = self.found.fetch_add(full, Ordering::Relaxed);
        let found = before + full;
        if found > self.limit {
            self.run_out();
            return false;
        }
        // A system that overcommits kills the program later, but refuses an excessive request. So request the memory
        // for all later steps now, while an error can still be returned.
        if found >= MANY && found / PROBED != before / PROBED {
            let mut probe: Vec<u8> = Vec::new();
            let bytes = found.saturating_mul(BYTES_LATER);
            if probe.try_reserve_exact(bytes).is_err() {
                self.run_out();
                return false;
            }
            core::hint::black_box(&mut probe);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_returns_pairs_of_many_chunks_in_order() {
        let (mut found, budget) = (Found::default(), Budget::new(usize::MAX));
        for round in 0..3 {
            let total = [100_000, 10, 200_000][round];
            for k in 0..total as u32 {
                found.extend(&[k], &[2 * k], &budget);
            }
            assert_eq!(found.len(), total);
            let expected = |(k, pair): (usize, Pair)| pair == Pair::new(k as u32, 2 * k as u32);
            assert!(found.pairs().enumerate().all(expected));
            // Spare capacity is bounded.
            assert!(round == 1 || found.capacity() <= total + total / 4 + 2 * CHUNK.0);
            found.clear();
        }
        found.extend(&[1, 2], &[3, 4], &budget);
        let mut drained = Vec::new();
        found.drain(|pair| drained.push(pair));
        assert_eq!(drained, [Pair::new(1, 3), Pair::new(2, 4)]);
        assert_eq!((found.len(), found.capacity()), (0, 0));
    }

    #[test]
    fn found_over_budget_stops_the_search() {
        let (mut found, budget) = (Found::default(), Budget::new(10_000));
        for _ in 0..1000 {
            found.extend(&[7; 1000], &[8; 1000], &budget);
        }
        assert!(budget.is_spent());
        assert!(found.len() < 10_000 + 2 * CHUNK.0, "{}", found.len());
    }
}
