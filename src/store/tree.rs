//! A BVH over the bounds of a store, eight children to a node.

use alloc::vec::Vec;

use crate::memory::pages::Lines;

/// Eight AABBs, one per lane: `min`, then `max` with the sign flipped. Unused lanes are +∞ and overlap nothing.
pub type Block = [[f32; 8]; 6];

/// An implicit BVH over the bounds of a store's valid shapes, without pointers. The lowest level holds the bounds.
/// Each higher level holds the AABBs of the blocks below, in order, eight to a block.
#[derive(Debug, Default)]
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

    /// Copies the stamp of another tree of the same shapes.
    pub fn copy_serial(&mut self, other: &Tree) {
        self.serial = other.serial;
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

    /// Resizes the tree for `len` shapes. Returns the order and the blocks, both to be filled, and the end of each
    /// level.
    pub fn resize(&mut self, len: usize) -> (&mut Vec<u32>, &mut [Block], &[usize]) {
        self.len = len;
        self.levels = 0;
        let (mut below, mut end) = (len, 0);
        // At least two levels: the traversal starts with groups, which are blocks of blocks.
        while below > 1 || (below == 1 && self.levels < 2) {
            below = below.div_ceil(8);
            end += below;
            self.ends[self.levels] = end;
            self.levels += 1;
        }
        let ends = &self.ends[..self.levels];
        (&mut self.order, self.blocks.rows_mut(end), ends)
    }
}
