//! The overlapping pairs one thread finds, in chunks: growing copies nothing and holds nothing twice.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::pages;
use crate::pairs::Pair;

/// Fewest and most pairs of a chunk; in between, an eighth of the pairs before it.
const CHUNK: (usize, usize) = (1 << 12, 1 << 20);
/// From so many pairs on, chunks are freed as they are sorted, and the memory to sort them is probed.
pub const MANY: usize = 1 << 24;
/// Pairs between two probes.
const PROBED: usize = 1 << 26;
/// Bytes a found pair takes later: its key and its place in the list.
const BYTES_LATER: usize = size_of::<u32>() + size_of::<Pair>();

/// Pairs in no order.
#[derive(Debug, Default)]
pub struct Found {
    chunks: Vec<Chunk>,
    /// Number of chunks in use. The others are empty.
    used: usize,
    /// Number of pairs in the chunks before the last used one.
    before: usize,
}

/// The indices of pairs, those of the query side and those of the target side.
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

    /// Drops the pairs and keeps their memory.
    pub fn clear(&mut self) {
        for chunk in &mut self.chunks {
            chunk.queries.clear();
            chunk.targets.clear();
        }
        (self.used, self.before) = (0, 0);
    }

    /// Pairs that fit without an allocation.
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

    /// Begins the next chunk. False if there is none to be had.
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

    /// Takes the pairs out, a chunk at a time, and frees the memory of each once `each` has seen it.
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

/// How many pairs all threads of a call may find together.
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

    /// Whether the search is to stop: what it found will not be used.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.is_spent.load(Ordering::Relaxed)
    }

    /// The limit.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Ends the search.
    fn run_out(&self) {
        self.is_spent.store(true, Ordering::Relaxed);
    }

    /// Counts the pairs of a full chunk. False if the search is to stop.
    fn spend(&self, full: usize) -> bool {
        if self.is_spent() {
            return false;
        }
        let before = self.found.fetch_add(full, Ordering::Relaxed);
        let found = before + full;
        if found > self.limit {
            self.run_out();
            return false;
        }
        // Systems that grant more than they have end the program later. They refuse what is plainly too
        // much at once, so ask for all that these pairs will take while there is still room to answer.
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
    fn pairs_come_back_in_order_from_many_chunks() {
        let (mut found, budget) = (Found::default(), Budget::new(usize::MAX));
        for round in 0..3 {
            let total = [100_000, 10, 200_000][round];
            for k in 0..total as u32 {
                found.extend(&[k], &[2 * k], &budget);
            }
            assert_eq!(found.len(), total);
            let expected = |(k, pair): (usize, Pair)| pair == Pair::new(k as u32, 2 * k as u32);
            assert!(found.pairs().enumerate().all(expected));
            // Little is left over.
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
    fn budget_stops_the_search() {
        let (mut found, budget) = (Found::default(), Budget::new(10_000));
        for _ in 0..1000 {
            found.extend(&[7; 1000], &[8; 1000], &budget);
        }
        assert!(budget.is_spent());
        assert!(found.len() < 10_000 + 2 * CHUNK.0, "{}", found.len());
    }
}
