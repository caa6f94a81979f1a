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
    /// The shapes in the order of the lowest level, padded to whole blocks.
    order: Vec<u32>,
    /// Number of shapes.
    len: usize,
    serial: u64,
    /// Places of the shapes in the order, [`NOWHERE`] for invalid ones. Empty until they are [needed](Self::has_places).
    places: Vec<u32>,
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

/// In place of the place of a shape that is not in the tree.
const NOWHERE: u32 = u32::MAX;

/// Growth of the lowest blocks, relative to their extents, from which on a tree is built anew.
const DECAYED: f32 = 0.5;

impl Sizes {
    /// The sizes of two parts of a tree.
    pub fn union(self, other: Self) -> Self {
        Sizes {
            blocks: self.blocks + other.blocks,
            largest: Float::max(self.largest, other.largest),
        }
    }
}

impl Tree {
    /// Largest number of levels: 8¹¹ exceeds the number of indices.
    pub const LEVELS: usize = 11;

    /// Version stamp: equal stamps mean an unchanged store. 0 if the tree is not cached.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// Stamps the tree with a new version, before it is cached.
    #[cfg(feature = "std")]
    pub fn renew_serial(&mut self) {
        use std::sync::{Mutex, PoisonError};

        static LAST: Mutex<u64> = Mutex::new(0);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        *last += 1;
        self.serial = *last;
    }

    /// Does nothing: there is no cache without `std`.
    #[cfg(not(feature = "std"))]
    pub fn renew_serial(&mut self) {}

    /// Stamps the tree like another one of the same shapes.
    pub fn set_serial(&mut self, serial: u64) {
        self.serial = serial;
    }

    /// Replaces the bounds of shape `index` of a store of `len`, and with them those of the nodes above it. False if the
    /// tree has to be built anew: the shape was or is invalid, or the blocks have grown.
    pub fn refit(&mut self, index: usize, len: usize, bounds: &[f32; 8]) -> bool {
        if bounds[0] == f32::INFINITY || !self.has_places(len) {
            return false;
        }
        let place = self.places[index];
        if place == NOWHERE {
            return false;
        }
        let (mut block, mut lane) = (place as usize / 8, place as usize % 8);
        let [x, y, z, _, right, top, back, _] = *bounds;
        let mut sides = [x, y, z, right, top, back];
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
        self.growth <= f64::from(self.sizes.blocks * DECAYED)
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

    /// The bounds of all shapes, as in a block; +∞ for an empty tree.
    pub fn bounds(&self) -> [f32; 6] {
        match self.blocks().last() {
            Some(root) if self.len > 0 => around(root),
            _ => [f32::INFINITY; 6],
        }
    }

    /// Finds the places of the shapes of a store of `len`, unless they are known. False if there is no memory for them.
    pub fn has_places(&mut self, len: usize) -> bool {
        if self.places.is_empty() {
            if pages::try_resize(&mut self.places, len, NOWHERE).is_err() {
                return false;
            }
            for (place, &index) in (0..).zip(&self.order[..self.len]) {
                self.places[index as usize] = place;
            }
        }
        true
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.blocks.bytes() + size_of::<u32>() * (self.order.capacity() + self.places.capacity())
    }

    /// Number of shapes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Number of levels: at least two, unless the tree is empty.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// The indices of the shapes, in the order of the lowest level.
    pub fn order(&self) -> &[u32] {
        &self.order
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

/// The sum of the sides of a box.
fn extent([x, y, z, right, top, back]: &[f32; 6]) -> f64 {
    // Highest corners are negated.
    let side = |low: f32, high: f32| -(f64::from(low) + f64::from(high));
    side(*x, *right) + side(*y, *top) + side(*z, *back)
}

/// The bounds of a block.
fn around(block: &Block) -> [f32; 6] {
    block.map(|column| column.into_iter().fold(f32::INFINITY, Float::min))
}
