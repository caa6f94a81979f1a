//! A BVH over the bounds of a store, eight children to a node.

use alloc::vec::Vec;
use core::ops::Range;

use crate::lane::Float;
use crate::memory::pages;
use crate::memory::pages::Lines;

/// Eight AABBs, one per lane: `min`, then `max` with the sign flipped. Unused lanes are +∞ and overlap nothing.
pub type Block = [[f32; 8]; 6];

/// An implicit BVH over the bounds of a store's valid shapes, without pointers. The lowest level holds the bounds.
/// Each higher level holds the AABBs of the blocks below, in order, eight to a block.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The blocks of all levels, the lowest level first.
    blocks: Lines,
    /// End of each level in `blocks`.
    ends: [usize; Tree::LEVELS],
    levels: usize,
    /// The shapes in the order of the lowest level, [`NOWHERE`] in lanes without one.
    order: Vec<u32>,
    /// Number of shapes.
    len: usize,
    serial: u64,
    /// Places of the shapes in the order, [`NOWHERE`] for invalid ones. Empty until they are [needed](Self::has_places).
    places: Vec<u32>,
    /// The lowest blocks with free lanes, once there are places.
    open: Vec<u32>,
    sizes: Sizes,
    /// Growth of the lowest blocks since the tree was built.
    growth: f64,
}

/// Sizes of a tree: sums of the sides of its boxes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// Sum over all lowest blocks.
    pub blocks: f32,
    /// Size of the largest shape.
    pub largest: f32,
}

/// In place of the place of a shape that is not in the tree, and of the shape of a free lane.
pub const NOWHERE: u32 = u32::MAX;

/// Growth of the lowest blocks, relative to their extents, from which on another tree is bought, and from which on the
/// tree is dropped.
const DECAYED: f32 = 0.02;
const SPENT: f32 = 0.1;

/// Number of lanes for each shape from which on a tree is dropped.
const EMPTY: usize = 64;

/// Number of blocks with free lanes among which a new shape is put where the blocks grow least.
const TRIED: usize = 16;
/// Least number of blocks that are added at once, and their share.
const MORE: usize = 8;
const SHARE: usize = 64;

impl Sizes {
    /// The sizes of two parts of a tree.
    pub fn union(self, other: Self) -> Self {
        Sizes {
            blocks: self.blocks + other.blocks,
            largest: Float::max(self.largest, other.largest),
        }
    }
}

/// A number that no call has returned before, above 0.
#[cfg(feature = "std")]
pub fn next_serial() -> u64 {
    use std::sync::{Mutex, PoisonError};

    static LAST: Mutex<u64> = Mutex::new(0);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    *last += 1;
    *last
}

/// Always 0: nothing is kept by such numbers without `std`.
#[cfg(not(feature = "std"))]
pub fn next_serial() -> u64 {
    0
}

impl Tree {
    /// Largest number of levels: 8¹¹ exceeds the number of indices.
    pub const LEVELS: usize = 11;

    /// Version stamp: equal stamps mean an unchanged store. 0 if the tree is not cached.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// Stamps the tree with a new version, before it is cached.
    pub fn renew_serial(&mut self) {
        self.serial = next_serial();
    }

    /// Stamps the tree like another one of the same shapes.
    pub fn set_serial(&mut self, serial: u64) {
        self.serial = serial;
    }

    /// Replaces the bounds of shape `index`, +∞ for an invalid one, which leaves the tree. False if the tree has to be
    /// built anew: its blocks have grown too much, it would be empty, or there is no memory.
    pub fn put(&mut self, index: usize, bounds: &[f32; 8]) -> bool {
        if !self.has_places(index + 1) {
            return false;
        }
        let [x, y, z, _, right, top, back, _] = *bounds;
        let sides = [x, y, z, right, top, back];
        let (place, is_valid) = (self.places[index], x != f32::INFINITY);
        match (place, is_valid) {
            (NOWHERE, false) => true,
            (NOWHERE, true) => self.add(index, sides),
            (place, true) => self.write(place as usize, sides),
            (place, false) => {
                self.places[index] = NOWHERE;
                self.free(place as usize)
            }
        }
    }

    /// Takes out shape `index` of a store in which shape `last` takes its place. False as for [`put`](Self::put).
    pub fn swap_remove(&mut self, index: usize, last: usize) -> bool {
        if !self.put(index, &[f32::INFINITY; 8]) {
            return false;
        }
        let moved = self.places.get(last).copied().unwrap_or(NOWHERE);
        if moved != NOWHERE && last != index {
            self.order[moved as usize] = index as u32;
            self.places[index] = moved;
        }
        self.places.truncate(last);
        true
    }

    /// Whether the blocks have grown so much that another tree is worth its price.
    pub fn is_decayed(&self) -> bool {
        self.growth > f64::from(self.sizes.blocks * DECAYED)
    }

    /// Puts a shape into a free lane, of the blocks with free lanes that were used last in the one that grows least.
    fn add(&mut self, index: usize, sides: [f32; 6]) -> bool {
        if self.levels == 0 || self.open.is_empty() && !self.extend() {
            return false;
        }
        let lowest = self.level(0);
        let first = self.open.len().saturating_sub(TRIED);
        let (mut best, mut least) = (first, f64::INFINITY);
        for (k, &block) in self.open.iter().enumerate().skip(first) {
            let before = around(&lowest[block as usize]);
            let mut after = before;
            for (side, new) in after.iter_mut().zip(sides) {
                *side = side.min(new);
            }
            let growth = extent(&after) - extent(&before);
            if growth < least {
                (best, least) = (k, growth);
            }
        }
        let block = self.open[best] as usize;
        let lanes = &mut self.order[8 * block..8 * block + 8];
        let mut free = (0..8).filter(|lane| lanes[*lane] == NOWHERE);
        let (Some(lane), is_full) = (free.next(), free.next().is_none()) else {
            return false;
        };
        lanes[lane] = index as u32;
        if is_full {
            self.open.swap_remove(best);
        }
        let place = 8 * block + lane;
        self.places[index] = place as u32;
        self.len += 1;
        self.write(place, sides)
    }

    /// Frees the lane at a place.
    fn free(&mut self, place: usize) -> bool {
        let block = place / 8;
        let lanes = &mut self.order[8 * block..8 * block + 8];
        let was_full = !lanes.contains(&NOWHERE);
        lanes[place % 8] = NOWHERE;
        self.len -= 1;
        if was_full {
            if self.open.try_reserve(1).is_err() {
                return false;
            }
            self.open.push(block as u32);
        }
        // A tree of few shapes in many blocks is built anew.
        let is_empty = self.len == 0 || self.order.len() > EMPTY * self.len;
        self.write(place, [f32::INFINITY; 6]) && !is_empty
    }

    /// Writes the bounds at a place and those of the nodes above it. False if the tree has to be built anew.
    fn write(&mut self, place: usize, mut sides: [f32; 6]) -> bool {
        let (mut block, mut lane) = (place / 8, place % 8);
        let end = self.ends[self.levels - 1];
        let blocks = self.blocks.rows_mut::<Block>(end);
        self.sizes.largest = Float::max(extent(&sides) as f32, self.sizes.largest);
        let mut start = 0;
        for (level, &end) in self.ends[..self.levels].iter().enumerate() {
            let node = &mut blocks[start + block];
            let before = around(node);
            for (column, side) in node.iter_mut().zip(sides) {
                column[lane] = side;
            }
            sides = around(node);
            if level == 0 {
                self.growth += extent(&sides) - extent(&before);
            }
            if sides == before {
                break;
            }
            (block, lane) = (block / 8, block % 8);
            start = end;
        }
        self.growth <= f64::from(self.sizes.blocks * SPENT)
    }

    /// Adds empty blocks at the end of the lowest level. False if there is no memory.
    fn extend(&mut self) -> bool {
        let (old_ends, old_levels) = (self.ends, self.levels);
        let old_blocks = old_ends[0];
        let new_blocks = old_blocks + MORE.max(old_blocks / SHARE);
        let (mut ends, mut levels) = ([0; Tree::LEVELS], 0);
        let (mut count, mut end) = (new_blocks, 0);
        loop {
            end += count;
            (ends[levels], levels) = (end, levels + 1);
            if count == 1 {
                break;
            }
            count = count.div_ceil(8);
        }
        let more = new_blocks - old_blocks;
        if self.blocks.try_reserve::<Block>(end).is_err()
            || pages::try_resize(&mut self.order, 8 * new_blocks, NOWHERE).is_err()
            || self.open.try_reserve(more).is_err()
        {
            return false;
        }
        let blocks = self.blocks.rows_mut::<Block>(end);
        // Upper levels first: each moves towards the end.
        for level in (0..levels).rev() {
            let start_of = |ends: &[usize; Tree::LEVELS]| match level.checked_sub(1) {
                Some(below) => ends[below],
                None => 0,
            };
            let start = start_of(&ends);
            let mut kept = 0;
            if level < old_levels {
                let old = start_of(&old_ends)..old_ends[level];
                kept = old.len();
                blocks.copy_within(old, start);
            }
            blocks[start + kept..ends[level]].fill([[f32::INFINITY; 8]; 6]);
        }
        (self.ends, self.levels) = (ends, levels);
        // There are two levels at least, so the old root is above another one.
        let sides = around(&blocks[ends[old_levels - 2]]);
        for level in old_levels..levels {
            let root = &mut blocks[ends[level - 1]];
            for (column, side) in root.iter_mut().zip(sides) {
                column[0] = side;
            }
        }
        self.open.extend(old_blocks as u32..new_blocks as u32);
        true
    }

    /// Calls `found` for each shape whose bounds are at most the threshold from these.
    pub fn touching(&self, bounds: &[f32; 8], threshold: f32, found: &mut dyn FnMut(u32)) {
        if self.len > 0 {
            self.touching_below(self.levels - 1, 0, bounds, threshold, found);
        }
    }

    fn touching_below(
        &self,
        level: usize,
        block: usize,
        bounds: &[f32; 8],
        threshold: f32,
        found: &mut dyn FnMut(u32),
    ) {
        let sides = &self.level(level)[block];
        let touches = |lane: &usize| {
            (0..3).all(|k| {
                let (low, high) = (sides[k][*lane], sides[3 + k][*lane]);
                low + bounds[4 + k] <= threshold && bounds[k] + high <= threshold
            })
        };
        for lane in (0..8).filter(touches) {
            let child = 8 * block + lane;
            match level.checked_sub(1) {
                Some(below) => self.touching_below(below, child, bounds, threshold, found),
                None => found(self.order[child]),
            }
        }
    }

    /// Sets the sizes, when the tree is built.
    pub fn set_sizes(&mut self, sizes: Sizes) {
        (self.sizes, self.growth) = (sizes, 0.0);
    }

    /// The sizes; that of the largest shape is a bound for each.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// Whether the largest shape is below a quarter of the mean block of shapes.
    pub fn is_sparse(&self) -> bool {
        let usual = self.sizes.blocks / self.level(0).len() as f32;
        4.0 * self.sizes.largest <= usual
    }

    /// The bounds of all shapes, as in a block; +∞ for an empty tree.
    pub fn bounds(&self) -> [f32; 6] {
        match self.blocks().last() {
            Some(root) if self.len > 0 => around(root),
            _ => [f32::INFINITY; 6],
        }
    }

    /// Finds the places of the shapes of a store of at least `len`, and the blocks with free lanes, unless they are
    /// known. A shape that occurs twice is taken out once. False if there is no memory for them.
    pub fn has_places(&mut self, len: usize) -> bool {
        let is_known = !self.places.is_empty();
        let len = len.max(self.places.len());
        if pages::try_resize(&mut self.places, len, NOWHERE).is_err() {
            return false;
        }
        let is_found = is_known || self.find_places();
        if !is_found {
            self.places.clear();
        }
        is_found
    }

    fn find_places(&mut self) -> bool {
        for place in 0..self.order.len() {
            let index = self.order[place] as usize;
            if index == NOWHERE as usize {
                continue;
            }
            if index >= self.places.len()
                && pages::try_resize(&mut self.places, index + 1, NOWHERE).is_err()
            {
                return false;
            }
            let earlier = core::mem::replace(&mut self.places[index], place as u32);
            if earlier != NOWHERE && !self.free(earlier as usize) {
                return false;
            }
        }
        self.open.clear();
        let blocks = (0..).zip(self.order.as_chunks::<8>().0);
        let open = blocks.filter(|(_, lanes)| lanes.contains(&NOWHERE));
        self.open.extend(open.map(|(block, _)| block));
        true
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        let numbers = [&self.order, &self.places, &self.open];
        let numbers = numbers.into_iter().map(Vec::capacity).sum::<usize>();
        self.blocks.bytes() + size_of::<u32>() * numbers
    }

    /// Number of shapes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Number of levels: at least two, unless the tree is empty.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// The indices of the shapes, in the order of the lowest level, [`NOWHERE`] in lanes without one.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The indices of the shapes, in the order of the lowest level.
    pub fn shapes(&self) -> impl Iterator<Item = u32> {
        self.order.iter().copied().filter(|index| *index != NOWHERE)
    }

    /// The blocks of a level, 0 being the lowest.
    pub fn level(&self, level: usize) -> &[Block] {
        let start = if level == 0 { 0 } else { self.ends[level - 1] };
        &self.blocks()[start..self.ends[level]]
    }

    /// The blocks of all levels, the lowest level first.
    pub fn blocks(&self) -> &[Block] {
        self.blocks.rows(self.ends[self.levels.max(1) - 1])
    }

    /// The order, and some blocks, of a tree that is being built.
    pub fn parts_mut(&mut self, blocks: Range<usize>) -> (&mut Vec<u32>, &mut [Block]) {
        (
            &mut self.order,
            &mut self.blocks.rows_mut(blocks.end)[blocks.start..],
        )
    }

    /// End of each level among the blocks.
    pub fn ends(&self) -> &[usize] {
        &self.ends[..self.levels]
    }

    /// Resizes the tree for `len` shapes. Returns the order and the blocks, both to be filled, and the end of each
    /// level.
    pub fn resize(&mut self, len: usize) -> (&mut Vec<u32>, &mut [Block], &[usize]) {
        let end = self.set_len(len);
        let ends = &self.ends[..self.levels];
        (&mut self.order, self.blocks.rows_mut(end), ends)
    }

    /// Reserves memory for `len` shapes in small pages, without touching it. False if there is none.
    pub fn begin(&mut self, len: usize) -> bool {
        let end = self.set_len(len);
        self.order.clear();
        let order = len.next_multiple_of(8);
        self.blocks.try_reserve_in_small_pages::<Block>(end).is_ok()
            && pages::try_reserve_in_small_pages(&mut self.order, order).is_ok()
    }

    /// Requests huge pages, once all is written.
    pub fn ask_for_huge_pages(&mut self) {
        self.blocks.ask_for_huge_pages();
        pages::ask_for_huge_pages(&mut self.order);
    }

    /// Sets the number of shapes. Returns that of the blocks.
    fn set_len(&mut self, len: usize) -> usize {
        self.len = len;
        self.levels = 0;
        self.places.clear();
        self.open.clear();
        let (mut below, mut end) = (len, 0);
        // At least two levels: the traversal starts with groups, which are blocks of blocks.
        while below > 1 || (below == 1 && self.levels < 2) {
            below = below.div_ceil(8);
            end += below;
            self.ends[self.levels] = end;
            self.levels += 1;
        }
        end
    }
}

/// The sum of the sides of a box; 0 for an empty one.
fn extent([x, y, z, right, top, back]: &[f32; 6]) -> f64 {
    if *x == f32::INFINITY {
        return 0.0;
    }
    // Highest corners are negated.
    let side = |low: f32, high: f32| -(f64::from(low) + f64::from(high));
    side(*x, *right) + side(*y, *top) + side(*z, *back)
}

/// The bounds of a block.
fn around(block: &Block) -> [f32; 6] {
    block.map(|column| column.into_iter().fold(f32::INFINITY, Float::min))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree over boxes of 1 m along the x-axis.
    fn row_of(len: usize) -> (Tree, Vec<[f32; 8]>) {
        let rows: Vec<_> = (0..len).map(|k| cube([3.0 * k as f32, 0.0, 0.0])).collect();
        let mut tree = Tree::default();
        let (order, blocks, ends) = tree.resize(len);
        let ends: Vec<usize> = ends.to_vec();
        order.clear();
        order.extend(0..len as u32);
        order.resize(len.next_multiple_of(8), NOWHERE);
        blocks.fill([[f32::INFINITY; 8]; 6]);
        for (k, [x, y, z, _, right, top, back, _]) in rows.iter().copied().enumerate() {
            let (mut place, mut start) = (k, 0);
            for end in &ends {
                let block = &mut blocks[start + place / 8];
                for (column, side) in block.iter_mut().zip([x, y, z, right, top, back]) {
                    column[place % 8] = column[place % 8].min(side);
                }
                (place, start) = (place / 8, *end);
            }
        }
        let blocks = len as f32;
        tree.set_sizes(Sizes {
            blocks,
            largest: 3.0,
        });
        (tree, rows)
    }

    fn cube([x, y, z]: [f32; 3]) -> [f32; 8] {
        [x, y, z, 0.0, -x - 1.0, -y - 1.0, -z - 1.0, 0.0]
    }

    fn touching(tree: &Tree, bounds: &[f32; 8]) -> Vec<u32> {
        let mut found = Vec::new();
        tree.touching(bounds, 0.0, &mut |index| found.push(index));
        found.sort_unstable();
        found
    }

    /// Whether each node has the bounds of those below it, and each shape is where it is said to be.
    fn assert_whole(tree: &Tree, rows: &[[f32; 8]]) {
        for level in 1..tree.levels() {
            for (place, block) in tree.level(level - 1).iter().enumerate() {
                let parent = tree.level(level)[place / 8].map(|column| column[place % 8]);
                assert_eq!(parent, around(block), "level {level}");
            }
        }
        let mut shapes: Vec<u32> = tree.shapes().collect();
        shapes.sort_unstable();
        let is_valid = |index: &u32| rows[*index as usize][0] < f32::INFINITY;
        assert!(
            shapes
                .into_iter()
                .eq((0..rows.len() as u32).filter(is_valid))
        );
        for (index, row) in (0..).zip(rows) {
            if is_valid(&index) {
                assert!(touching(tree, row).contains(&index));
            }
        }
    }

    #[test]
    fn tree_takes_and_gives_shapes() {
        let invalid = [f32::INFINITY; 8];
        for len in [1, 7, 8, 9, 64, 65, 511, 512] {
            let (mut tree, mut rows) = row_of(len);
            tree.growth = f64::NEG_INFINITY;
            for k in 0..700 {
                let (index, last) = (k * 7919 % rows.len(), rows.len() - 1);
                let row = cube([k as f32 * 0.7, (k % 5) as f32, 0.0]);
                let is_kept = match k % 9 {
                    0..4 => {
                        rows.push(row);
                        tree.put(last + 1, &row)
                    }
                    4 if last > 0 => {
                        rows.swap_remove(index);
                        tree.swap_remove(index, last)
                    }
                    5 if last > 0 => {
                        rows.pop();
                        tree.swap_remove(last, last)
                    }
                    6 => {
                        rows[index] = invalid;
                        tree.put(index, &invalid) || rows.iter().all(|row| *row == invalid)
                    }
                    _ => {
                        rows[index] = row;
                        tree.put(index, &row)
                    }
                };
                assert!(is_kept, "{len}, change {k}");
                if k % 50 == 0 {
                    assert_whole(&tree, &rows);
                }
            }
            assert_whole(&tree, &rows);
        }
    }
}
