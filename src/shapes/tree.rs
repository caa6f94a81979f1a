//! A tree over bounds, in blocks of eight.

use alloc::vec::Vec;

use crate::pages::Lines;

/// Eight boxes, one per lane: their lowest corners, and their highest ones with the sign flipped. Where there
/// is no box all numbers are +∞, which touches nothing.
pub type Block = [[f32; 8]; 6];

/// The most levels: 8¹¹ is more than all indices.
const LEVELS: usize = 11;

/// A tree over the bounds of a store's good shapes, without pointers: on each level the boxes around the blocks
/// of the level below, in order, eight to a block; on the lowest one the bounds.
#[derive(Debug, Default)]
pub struct Tree {
    /// All levels, the lowest one first.
    blocks: Lines,
    /// Where each level ends, as far as there are any.
    ends: [usize; LEVELS],
    levels: usize,
    /// The shapes in the order of the lowest level, and whatever fills its last block.
    order: Vec<u32>,
    /// How many shapes there are.
    len: usize,
    serial: u64,
}

impl Tree {
    /// A number that no other kept tree has: the store has not changed as long as it is the same. 0 if it is
    /// not kept.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// Makes this another tree, to be kept.
    #[cfg(feature = "std")]
    pub fn renew_serial(&mut self) {
        use std::sync::{Mutex, PoisonError};

        static LAST: Mutex<u64> = Mutex::new(0);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        *last += 1;
        self.serial = *last;
    }

    /// Without locks nothing is kept.
    #[cfg(not(feature = "std"))]
    pub fn renew_serial(&mut self) {}

    /// How many shapes there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// How many levels there are: two at least, if there are shapes.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// The indices of the shapes, in the order of the lowest level.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The blocks of a level, 0 being the lowest.
    pub fn level(&self, level: usize) -> &[Block] {
        let blocks: &[Block] = self.blocks.rows(self.ends[self.levels.max(1) - 1]);
        let start = if level == 0 { 0 } else { self.ends[level - 1] };
        &blocks[start..self.ends[level]]
    }

    /// Makes room for `len` shapes. Returns the place for their order, then all blocks.
    pub fn resize(&mut self, len: usize) -> (&mut Vec<u32>, &mut [Block], &[usize]) {
        self.len = len;
        self.levels = 0;
        let (mut below, mut end) = (len, 0);
        // Two levels at least: the walk begins with groups, which are blocks of blocks.
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
