//! BVH traversal: the overlapping pairs of two trees, or of one with itself.
//!
//! The traversal is breadth-first and branch-free. Each step tests one AABB against eight, compresses the hits
//! through a table and advances by the popcount.
//!
//! 1. A group of 64 query shapes finds the overlapping groups of the target tree, from the root down.
//! 2. Each block of 8 query shapes finds the overlapping blocks in these groups.
//! 3. Each such target block finds the query shapes of the block that overlap it.
//! 4. Each such query shape finds the overlapping shapes of the target block.
//!
//! Within one store a block is tested against itself and the blocks after it, so each pair is found once.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;

use crate::broad::search::found::{Budget, Found};
use crate::lane::{Float, Job, Lanes, Mask, PLACES, Split};
use crate::shapes::groups::PairFilter;
use crate::store::tree::{Block, Tree};

/// Maximum number of target blocks per batch, which bounds the lists. A power of two, since indices are masked.
const BLOCKS: usize = 512;
const ITEMS: usize = 8 * BLOCKS;
/// Capacity of the pair buffer.
const PAIRS: usize = 1024;
/// Number of elements that one append writes.
const SPARE: usize = 8;

/// The pairs and scratch memory of one thread.
#[derive(Debug, Default)]
pub struct TraversalScratch {
    /// Overlapping pairs, unsorted, query index first.
    pub found: Found,
    /// Overlapping groups of two levels of the tree.
    groups: [Vec<u32>; 2],
    lists: Option<Box<Lists>>,
}

/// Short lists, each with spare elements for the last append.
#[derive(Debug)]
struct Lists {
    /// Overlapping target blocks.
    blocks: [u32; BLOCKS + SPARE],
    /// Overlaps of a target block with a query shape: eight times the block plus the lane of the shape.
    items: [u32; ITEMS + SPARE],
    /// Query and target indices of the buffered pairs.
    ones: [u32; PAIRS + SPARE],
    others: [u32; PAIRS + SPARE],
}

impl Default for Lists {
    fn default() -> Self {
        Lists {
            blocks: [0; BLOCKS + SPARE],
            items: [0; ITEMS + SPARE],
            ones: [0; PAIRS + SPARE],
            others: [0; PAIRS + SPARE],
        }
    }
}

/// Finds the overlapping pairs of the groups of the query tree `query` with the target tree `target`.
pub struct Traversal<'w> {
    query: &'w Tree,
    target: &'w Tree,
    within: bool,
    threshold: f32,
    filter: Option<PairFilter<'w>>,
    budget: &'w Budget,
    /// The groups of the query tree.
    first: usize,
    end: usize,
    scratches: Vec<TraversalScratch>,
}

impl<'w> Traversal<'w> {
    /// A traversal for all shapes of `query`. `within` means that both trees are the same. The filter is in the order of
    /// the trees.
    pub fn new(
        [query, target]: [&'w Tree; 2],
        within: bool,
        threshold: f32,
        filter: Option<PairFilter<'w>>,
        budget: &'w Budget,
        scratches: &mut Vec<TraversalScratch>,
    ) -> Self {
        let mut scratches = mem::take(scratches);
        // The caller claims the first piece, the largest, and pops the last scratch.
        scratches.sort_unstable_by_key(|scratch| scratch.found.capacity());
        for scratch in &mut scratches {
            scratch.found.clear();
        }
        Traversal {
            query,
            target,
            within,
            threshold,
            filter,
            budget,
            first: 0,
            end: if query.len() == 0 {
                0
            } else {
                query.level(1).len()
            },
            scratches,
        }
    }
}

/// Shapes per group.
const GROUP: usize = 64;

impl Split for Traversal<'_> {
    const GRAIN: usize = 2048;

    /// Number of shapes.
    fn len(&self) -> usize {
        (self.end - self.first) * GROUP
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let middle = self.first + middle / GROUP;
        let low = Traversal {
            end: middle,
            scratches: Vec::new(),
            ..self
        };
        let high = Traversal {
            first: middle,
            ..self
        };
        (low, high)
    }

    /// A thread has one scratch for all its pieces.
    fn take_memory(&mut self, own: &mut Option<Vec<TraversalScratch>>, rest: Option<&mut Self>) {
        let unused = |rest: &mut Self| rest.scratches.pop();
        let scratch = own
            .as_mut()
            .and_then(Vec::pop)
            .or_else(|| rest.and_then(unused));
        self.scratches.extend(scratch);
    }

    fn merge(
        mut one: Vec<TraversalScratch>,
        mut other: Vec<TraversalScratch>,
    ) -> Vec<TraversalScratch> {
        one.append(&mut other);
        one
    }
}

impl Job for Traversal<'_> {
    type Output = Vec<TraversalScratch>;

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) -> Vec<TraversalScratch> {
        let mut scratch = self.scratches.pop().unwrap_or_default();
        if self.target.len() > 0 {
            scratch.make_room(self.target.level(1).len());
            for group in self.first..self.end {
                if self.budget.is_spent() {
                    break;
                }
                self.traverse(lanes, group, &mut scratch);
            }
        }
        self.scratches.push(scratch);
        self.scratches
    }
}

impl TraversalScratch {
    fn make_room(&mut self, groups: usize) {
        for list in &mut self.groups {
            if list.len() < groups + SPARE {
                list.resize(groups + SPARE, 0);
            }
        }
    }
}

impl Traversal<'_> {
    #[inline(always)]
    fn traverse<L: Lanes>(&self, lanes: L, group: usize, scratch: &mut TraversalScratch) {
        let threshold = lanes.splat(self.threshold);
        let query = [self.query.level(0), self.query.level(1)];
        let target = [self.target.level(0), self.target.level(1)];
        let order = [self.query.order(), self.target.order()].map(|order| order.as_chunks::<8>().0);
        let TraversalScratch {
            found,
            groups: [groups, others],
            lists,
        } = scratch;
        let lists = lists.get_or_insert_default();
        let overlapping = self.groups(lanes, group, threshold, [groups, others]);

        let mut count = 0;
        let around = &query[1][group];
        let last = (query[0].len() - 8 * group).min(8);
        for lane in 0..last {
            let block = 8 * group + lane;
            let (own, indices) = (&query[0][block], &order[0][block]);
            if self.within {
                for (k, &one) in indices.iter().enumerate() {
                    let touching = touch(lanes, partner(lanes, own, k), own, threshold);
                    let later = touching & 0xfe << k;
                    count += append_pairs(lanes, later as u8, one, indices, lists, count);
                }
                if count > PAIRS - 8 * SPARE {
                    self.keep(found, lists, &mut count);
                }
            }

            let (mut blocks_found, partner_of_block) = (0, partner(lanes, around, lane));
            let mut left = overlapping;
            while let Some((&overlapping_group, others)) = left.split_first() {
                left = others;
                let place = overlapping_group as usize;
                let touching = touch(lanes, partner_of_block, &target[1][place], threshold);
                let later = if self.within && place == group {
                    0xfe << lane
                } else {
                    0xff
                };
                blocks_found += append(
                    touching & later,
                    8 * overlapping_group,
                    eight(&mut lists.blocks, blocks_found),
                );
                if blocks_found < BLOCKS - 8 && !left.is_empty() {
                    continue;
                }
                // Query shapes that overlap the target blocks.
                let mut items_found = 0;
                for &overlapping_block in &lists.blocks[..blocks_found] {
                    let (group, lane) = (
                        overlapping_block as usize / 8,
                        overlapping_block as usize % 8,
                    );
                    let partner = partner(lanes, &target[1][group], lane);
                    let touching = touch(lanes, partner, own, threshold);
                    items_found += append(
                        touching,
                        8 * overlapping_block,
                        eight(&mut lists.items, items_found),
                    );
                }
                blocks_found = 0;
                // Target shapes that overlap these query shapes.
                for place in 0..items_found {
                    let item = lists.items[place] as usize;
                    let (block, lane) = (item / 8, item % 8);
                    let partner = partner(lanes, own, lane);
                    let touching = touch(lanes, partner, &target[0][block], threshold) as u8;
                    let others = &order[1][block];
                    count += append_pairs(lanes, touching, indices[lane], others, lists, count);
                    if count > PAIRS - 8 * SPARE {
                        self.keep(found, lists, &mut count);
                    }
                }
            }
        }
        self.keep(found, lists, &mut count);
    }

    /// Flushes the pair buffer to `found`.
    #[inline(always)]
    fn keep(&self, found: &mut Found, lists: &mut Lists, count: &mut usize) {
        if let Some(filter) = &self.filter {
            *count = admitted(filter, lists, *count);
        }
        found.extend(&lists.ones[..*count], &lists.others[..*count], self.budget);
        *count = 0;
    }

    /// The target groups that overlap a query group, in order; within one tree, only itself and those after it.
    #[inline(always)]
    fn groups<'l, L: Lanes>(
        &self,
        lanes: L,
        group: usize,
        threshold: L::F,
        [mut list, mut other]: [&'l mut Vec<u32>; 2],
    ) -> &'l [u32] {
        let around = union(&self.query.level(1)[group]);
        let partner = [
            lanes.splat(around[3]),
            lanes.splat(around[4]),
            lanes.splat(around[5]),
            lanes.splat(around[0]),
            lanes.splat(around[1]),
            lanes.splat(around[2]),
        ];
        list[0] = 0;
        let (mut count, mut level) = (1, self.target.levels() - 1);
        while level > 1 {
            let nodes = self.target.level(level);
            let first = if self.within {
                group >> (3 * (level - 2))
            } else {
                0
            };
            let mut found = 0;
            for &node in &list[..count] {
                let touching = touch(lanes, partner, &nodes[node as usize], threshold);
                let before = first.saturating_sub(8 * node as usize);
                let Some(to) = other[found..].first_chunk_mut() else {
                    break;
                };
                found += append(touching & 0xff << before, 8 * node, to);
            }
            mem::swap(&mut list, &mut other);
            (count, level) = (found, level - 1);
        }
        &list[..count]
    }
}

/// The bounding row of a block: minima, as highest corners are negated.
#[inline(always)]
fn union(block: &Block) -> [f32; 6] {
    let mut union = [f32::INFINITY; 6];
    for (least, numbers) in union.iter_mut().zip(block) {
        for &x in numbers {
            *least = Float::min(x, *least);
        }
    }
    union
}

/// One AABB of a block, broadcast with halves swapped: the negated highest corner is added to lowest corners.
#[inline(always)]
fn partner<L: Lanes>(lanes: L, block: &Block, lane: usize) -> [L::F; 6] {
    assert!(lane < 8);
    [
        lanes.splat(block[3][lane]),
        lanes.splat(block[4][lane]),
        lanes.splat(block[5][lane]),
        lanes.splat(block[0][lane]),
        lanes.splat(block[1][lane]),
        lanes.splat(block[2][lane]),
    ]
}

/// Mask of the AABBs of a block that are within the reach of `partner`, by the comparisons of `aabb_aabb_overlap`.
#[inline(always)]
fn touch<L: Lanes>(lanes: L, partner: [L::F; 6], block: &Block, threshold: L::F) -> u32 {
    let (mut touching, mut at) = (0, 0);
    while at < 8 {
        // No closure: it would be compiled without the target features.
        let x = (lanes.load(&block[0][at..]) + partner[0])
            .max(lanes.load(&block[3][at..]) + partner[3]);
        let y = (lanes.load(&block[1][at..]) + partner[1])
            .max(lanes.load(&block[4][at..]) + partner[4]);
        let z = (lanes.load(&block[2][at..]) + partner[2])
            .max(lanes.load(&block[5][at..]) + partner[5]);
        let bits = x.max(y).max(z).le(threshold).bits() as u32;
        touching |= bits << at;
        at += L::COUNT;
    }
    touching
}

/// Appends `first` plus the index of each set bit, in order, then unspecified numbers. Returns the number of bits.
#[inline(always)]
fn append(which: u32, first: u32, to: &mut [u32; 8]) -> usize {
    let places = &PLACES[which as usize & 0xff];
    let mut k = 0;
    while k < 8 {
        to[k] = first + u32::from(places[k]);
        k += 1;
    }
    (which & 0xff).count_ones() as usize
}

/// Appends the pairs of `one` with each of `others` whose bit is set. Returns their number.
#[inline(always)]
fn append_pairs<L: Lanes>(
    lanes: L,
    which: u8,
    one: u32,
    others: &[u32; 8],
    lists: &mut Lists,
    at: usize,
) -> usize {
    *eight(&mut lists.ones, at) = [one; 8];
    lanes.compress8(which, others, eight(&mut lists.others, at));
    which.count_ones() as usize
}

/// Keeps the buffered pairs that the filter admits, and returns their number.
#[inline(never)]
fn admitted(filter: &PairFilter<'_>, lists: &mut Lists, count: usize) -> usize {
    let mut kept = 0;
    for k in 0..count {
        let (one, other) = (lists.ones[k], lists.others[k]);
        (lists.ones[kept], lists.others[kept]) = (one, other);
        kept += usize::from(filter.admits(one, other));
    }
    kept
}

/// Eight elements of a list with spare elements, from `at` on.
#[inline(always)]
fn eight<const N: usize>(list: &mut [u32; N], at: usize) -> &mut [u32; 8] {
    const { assert!((N - SPARE).is_power_of_two()) };
    // Masking keeps the index in bounds and removes the bounds check.
    let at = at & (N - SPARE - 1);
    match list[at..].first_chunk_mut() {
        Some(eight) => eight,
        None => unreachable!("the list has spare elements"),
    }
}
