//! A tree by area that is built bit by bit, over many calls.

use alloc::vec::Vec;

use crate::store::tree::{Sizes, Tree};

/// The state of the build. The work is in `broad/area.rs`.
#[derive(Debug, Default)]
pub struct HalfTree {
    /// The serial number of the tree whose shapes these are; 0 before the build.
    pub serial: u64,
    /// The bounds of the shapes, each with the bits of its index in the last number.
    pub items: Vec<[f32; 8]>,
    /// The nodes to split.
    pub nodes: Vec<Node>,
    /// A split of a large node that has begun.
    pub split: Option<Split>,
    /// The tree, and the rows and sizes of the blocks that are done.
    pub tree: Tree,
    pub parents: Vec<[f32; 8]>,
    pub sizes: Sizes,
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
