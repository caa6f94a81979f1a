//! A tree by area that is built bit by bit, over many calls.

use alloc::vec::Vec;

use crate::store::tree::{Sizes, Tree};

/// The state of the build. The work is in `broad/area.rs`.
#[derive(Debug, Default)]
pub struct HalfTree {
    /// The serial number of the tree whose shapes these are; 0 before the build.
    pub serial: u64,
    /// Number of places of that tree that are read, and whether these are all.
    pub place: usize,
    pub is_read: bool,
    /// The bounds of the shapes, each with the bits of its index in the last number. A shape that changes in between
    /// may be missing, or be there twice.
    pub items: Vec<[f32; 8]>,
    /// The nodes to split.
    pub nodes: Vec<Node>,
    /// A split of a large node that has begun.
    pub split: Option<Split>,
    /// The tree, and the rows and sizes of the blocks that are done.
    pub tree: Tree,
    pub parents: Vec<[f32; 8]>,
    pub sizes: Sizes,
    /// Whether the tree waits to replace one that has decayed.
    pub is_done: bool,
}

impl HalfTree {
    /// Replaces the bounds of the shapes that changed since the build began, +∞ for those that are invalid or gone, and
    /// stamps the tree. False if that is not possible.
    pub fn catch_up(
        &mut self,
        changed: Option<impl Iterator<Item = u32>>,
        serial: u64,
        len: usize,
        mut read: impl FnMut(usize, &mut [f32; 8]),
    ) -> bool {
        self.tree.set_serial(serial);
        if self.serial == serial {
            return true;
        }
        changed.is_some_and(|mut changed| {
            self.tree.has_places(len)
                && changed.all(|index| {
                    let mut bounds = [f32::INFINITY; 8];
                    if (index as usize) < len {
                        read(index as usize, &mut bounds);
                    }
                    self.tree.put(index as usize, &bounds)
                })
        })
    }
}

/// A node whose children are `size` consecutive shapes.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub start: usize,
    pub len: usize,
    pub size: usize,
}

/// A node whose first `at` shapes are being found: they are in its places before `low`, others in those from `high` on, and
/// the places between are being parted by `pivot`, up to `next` and from `last` on.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    pub node: Node,
    pub axis: usize,
    pub at: usize,
    pub low: usize,
    pub high: usize,
    pub pivot: u64,
    pub next: usize,
    pub last: usize,
}
