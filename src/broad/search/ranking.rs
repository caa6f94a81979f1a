//! Lists of results in order: the best results of each searching shape while it searches, and the finished lists of one
//! thread.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem;

use crate::broad::ranked::RankedLists;
use crate::broad::search::found::{Budget, MANY};
use crate::memory::pages;

/// Limits of the number of entries of a chunk; in between, an eighth of the entries before it.
const CHUNK: (usize, usize) = (1 << 12, 1 << 20);

/// A shape of the searched store, ordered by `key`, then by `other`.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Time of entry, or upper bound of the distance.
    pub key: f32,
    /// Time of exit, or lower bound of the distance.
    pub second: f32,
    /// Index of the shape.
    pub other: u32,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_key = self.key.total_cmp(&other.key);
        by_key.then(self.other.cmp(&other.other))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

/// The least entries of one searching shape so far.
#[derive(Debug, Default)]
pub struct Ranking {
    /// Index of the searching shape.
    owner: u32,
    /// The greatest entry first.
    entries: BinaryHeap<Entry>,
}

impl Ranking {
    /// Whether it is the list of this shape.
    pub fn is_of(&self, index: u32) -> bool {
        self.owner == index
    }

    /// Adds an entry if it is among the `most` least. Returns the key that a better entry has at most; +∞ while there is
    /// space.
    pub fn add(&mut self, entry: Entry, most: usize, budget: &Budget) -> f32 {
        if self.entries.len() < most {
            if self.entries.try_reserve(1).is_err() {
                budget.run_out();
                return f32::INFINITY;
            }
            self.entries.push(entry);
        } else if let Some(mut last) = self.entries.peek_mut()
            && entry < *last
        {
            *last = entry;
        }
        let last = self.entries.peek().filter(|_| self.entries.len() >= most);
        last.map_or(f32::INFINITY, |last| last.key)
    }
}

/// The lists that one thread finds, in chunks, so that growth copies nothing.
#[derive(Debug, Default)]
pub struct FoundLists {
    /// Index of the searching shape of each list, and number of its entries.
    owners: Vec<(u32, u32)>,
    chunks: Vec<Vec<Entry>>,
    /// Number of chunks in use. Further chunks are empty.
    used: usize,
    /// Number of entries in the chunks before the last used one.
    before: usize,
}

impl FoundLists {
    /// Number of entries.
    pub fn len(&self) -> usize {
        let last = self.chunks[..self.used].last();
        self.before + last.map_or(0, Vec::len)
    }

    /// Removes the lists and keeps their memory.
    pub fn clear(&mut self) {
        self.owners.clear();
        self.chunks.iter_mut().for_each(Vec::clear);
        (self.used, self.before) = (0, 0);
    }

    /// Appends the list of a shape, and begins the list of another shape in its place.
    pub fn end(&mut self, ranking: &mut Ranking, next: u32, budget: &Budget) {
        let owner = mem::replace(&mut ranking.owner, next);
        if ranking.entries.is_empty() {
            return;
        }
        let mut entries = mem::take(&mut ranking.entries).into_vec();
        entries.sort_unstable();
        if self.owners.try_reserve(1).is_err() {
            budget.run_out();
        } else {
            self.owners.push((owner, entries.len() as u32));
            self.extend(&entries, budget);
        }
        entries.clear();
        ranking.entries = BinaryHeap::from(entries);
    }

    /// Appends entries, unless the budget is used up.
    fn extend(&mut self, mut entries: &[Entry], budget: &Budget) {
        while !entries.is_empty() {
            let space = |chunk: &Vec<Entry>| chunk.capacity() - chunk.len();
            let free = self.chunks[..self.used].last().map_or(0, space);
            if free == 0 {
                if !self.begin_chunk(budget) {
                    return;
                }
                continue;
            }
            let (now, later) = entries.split_at(free.min(entries.len()));
            if let Some(chunk) = self.chunks[..self.used].last_mut() {
                chunk.extend_from_slice(now);
            }
            entries = later;
        }
    }

    /// Begins the next chunk. False if the budget is spent or memory has run out.
    #[cold]
    fn begin_chunk(&mut self, budget: &Budget) -> bool {
        let full = self.chunks[..self.used].last().map_or(0, Vec::len);
        if !budget.spend(full) {
            return false;
        }
        self.before += full;
        if self.used == self.chunks.len() {
            let capacity = (self.before / 8).clamp(CHUNK.0, CHUNK.1);
            let mut chunk = Vec::new();
            if self.chunks.try_reserve(1).is_err()
                || pages::try_reserve_all(&mut chunk, capacity).is_err()
            {
                budget.run_out();
                return false;
            }
            self.chunks.push(chunk);
        }
        self.used += 1;
        true
    }

    /// Counts the entries of each shape in `lists`.
    pub fn count(&self, lists: &mut RankedLists) {
        for &(owner, len) in &self.owners {
            lists.set_len(owner, len as usize);
        }
    }

    /// Writes the entries to `lists`. If there are many, their memory is freed chunk by chunk.
    pub fn write(&mut self, lists: &mut RankedLists) {
        let is_freed = self.len() >= MANY;
        let mut owners = self.owners.iter();
        let (mut place, mut left) = (0, 0);
        for chunk in &mut self.chunks[..self.used] {
            for entry in &*chunk {
                if left == 0
                    && let Some(&(owner, len)) = owners.next()
                {
                    (place, left) = (lists.start(owner), len);
                }
                lists.set(place, entry.other, [entry.key, entry.second]);
                (place, left) = (place + 1, left - 1);
            }
            if is_freed {
                *chunk = Vec::new();
            }
        }
        if is_freed {
            *self = FoundLists::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: f32, other: u32) -> Entry {
        let second = key;
        Entry { key, second, other }
    }

    #[test]
    fn rankings_keep_the_least_entries_in_order() {
        let (mut lists, mut ranking) = (FoundLists::default(), Ranking::default());
        let budget = Budget::new(usize::MAX);
        lists.end(&mut ranking, 1, &budget);
        let mut limits = Vec::new();
        for (key, other) in [(3.0, 0), (1.0, 9), (2.0, 7), (1.0, 8), (2.0, 6), (5.0, 1)] {
            limits.push(ranking.add(entry(key, other), 3, &budget));
        }
        assert_eq!(limits, [f32::INFINITY, f32::INFINITY, 3.0, 2.0, 2.0, 2.0]);
        lists.end(&mut ranking, 0, &budget);
        // Longer than a chunk.
        for k in (0..100_000).rev() {
            ranking.add(entry(k as f32, k), usize::MAX, &budget);
        }
        lists.end(&mut ranking, 9, &budget);
        lists.end(&mut ranking, 9, &budget);
        // An empty list has no limit.
        let mut empty = Ranking::default();
        assert_eq!(empty.add(entry(0.0, 0), 0, &budget), f32::INFINITY);
        lists.end(&mut empty, 9, &budget);
        assert_eq!(lists.len(), 100_003);

        let mut to = RankedLists::default();
        to.try_reserve(3, lists.len()).unwrap();
        to.begin(3);
        lists.count(&mut to);
        to.allot();
        lists.write(&mut to);
        assert_eq!(to.offsets, [0, 100_000, 100_003, 100_003]);
        assert!(to.index[..100_000].iter().copied().eq(0..100_000));
        assert_eq!(to.index[100_000..], [8, 9, 6]);
        assert_eq!(to.numbers[0][100_000..], [1.0, 1.0, 2.0]);
    }

    #[test]
    fn lists_over_budget_stop_the_search() {
        let (mut lists, mut ranking) = (FoundLists::default(), Ranking::default());
        let budget = Budget::new(10_000);
        for owner in 0..1000 {
            for other in 0..100 {
                ranking.add(entry(0.0, other), 100, &budget);
            }
            lists.end(&mut ranking, owner, &budget);
        }
        assert!(budget.is_spent() && lists.len() < 10_000 + 2 * CHUNK.0);
    }
}
