//! Searching shapes on their way through a tree.

use crate::broad::search::bundle::Allowance;
use crate::broad::search::local_bounds::LocalBounds;
use crate::broad::search::scope::at_most;
use crate::broad::search::wanted::SLOTS;
use crate::broad::search::way::Way;
use crate::lane::Lanes;
use crate::store::tree::{Block, Tree};

/// Each traveller in one of four lists.
pub type Turns = [Slots; 4];

/// Travellers whose next node is an inner one.
pub const INNER: usize = 0;

/// Travellers whose next node holds shapes.
pub const LEAF: usize = 1;

/// Travellers that wait for the kernel.
pub const WAITING: usize = 2;

/// Travellers that have arrived.
pub const FREE: usize = 3;

/// A list of travellers.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    pub slots: [u8; SLOTS],
    pub len: usize,
}

impl Default for Slots {
    fn default() -> Self {
        Slots {
            slots: [0; SLOTS],
            len: 0,
        }
    }
}

impl Slots {
    #[inline(always)]
    pub fn push(&mut self, slot: u8) {
        // Masked, so that no bounds check is needed: there are as many places as travellers.
        self.slots[self.len % SLOTS] = slot;
        self.len += 1;
    }

    #[inline(always)]
    pub fn pop(&mut self) -> u8 {
        self.len -= 1;
        self.slots[self.len % SLOTS]
    }

    /// The travellers; the list is then empty.
    #[inline(always)]
    pub fn take(&mut self) -> Self {
        let taken = *self;
        self.len = 0;
        taken
    }

    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = u8> {
        self.slots.iter().copied().take(self.len)
    }
}

/// A searching shape and its position in the tree.
#[derive(Debug)]
pub struct Traveller {
    /// Place in the search.
    pub place: u32,
    pub index: u32,
    pub way: Way,
    pub local: Option<LocalBounds>,
    /// Number of shapes, from its place on: more than one for a bundle.
    pub members: usize,
    /// Tests and pairs that are left to a bundle.
    pub left: Allowance,
    /// Time limit: later nodes and hits are dropped.
    pub best: f32,
    /// The node to visit, and its block.
    pub node: Node,
    pub block: u32,
    /// Height of the stack. At the bottom is [`ARRIVED`], which is never dropped.
    pub len: usize,
    /// Bits of the times at which the nodes of the stack are reached. None is after `best`.
    pub times: [u32; STACK + SPARE],
    pub nodes: [Node; STACK + SPARE],
}

/// Maximum number of nodes on a stack: seven for each level except the last, which has eight.
pub const STACK: usize = 96;

/// Number of elements that one push writes.
pub const SPARE: usize = 8;

/// A node: 1 is the root, and the children of node `n` are `8 n` to `8 n + 7`.
pub type Node = u32;

/// End of a search, in place of a node.
pub const ARRIVED: Node = 0;

/// The blocks of a tree by node.
pub struct Nodes<'t> {
    pub blocks: &'t [Block],
    /// Number of leaves: they are the first blocks.
    pub leaves: u32,
    /// Indexed by the number of leading zeros of a node: offset from nodes of this level to blocks.
    pub before: [u32; 32],
}

impl<'t> Nodes<'t> {
    pub fn of(tree: &'t Tree) -> Self {
        let mut nodes = Nodes {
            blocks: tree.blocks(),
            leaves: tree.level(0).len() as u32,
            before: [0; 32],
        };
        let (mut end, mut first) = (nodes.blocks.len(), 1);
        for level in (0..tree.levels()).rev() {
            end -= tree.level(level).len();
            let before = &mut nodes.before[Node::leading_zeros(first) as usize];
            *before = (end as u32).wrapping_sub(first);
            first = first.wrapping_mul(8);
        }
        nodes
    }

    /// The block of a node.
    #[inline(always)]
    pub fn block(&self, node: Node) -> u32 {
        node.wrapping_add(self.before[node.leading_zeros() as usize % 32])
    }
}

impl Traveller {
    /// Begins at the root.
    #[inline(always)]
    pub fn begin(&mut self, place: u32, index: u32, way: &Way) {
        (self.place, self.index, self.way) = (place, index, *way);
        self.members = 1;
        self.nodes[0] = ARRIVED;
        self.len = 1;
    }

    /// Counts a visit. Whether it is a bundle to be parted.
    #[inline(always)]
    pub fn is_to_part(&mut self) -> bool {
        self.members > 1 && self.left.is_spent_by(1, 0)
    }

    /// Moves to a node. Returns the list for travellers there.
    #[inline(always)]
    pub fn go<L: Lanes>(&mut self, lanes: L, nodes: &Nodes<'_>, node: Node) -> usize {
        (self.node, self.block) = (node, nodes.block(node));
        // Two sides per cache line.
        let (sides, place) = (nodes.blocks.as_flattened(), self.block as usize);
        lanes.prefetch(sides, 6 * place);
        lanes.prefetch(sides, 6 * place + 2);
        lanes.prefetch(sides, 6 * place + 4);
        let turn = if self.block < nodes.leaves {
            LEAF
        } else {
            INNER
        };
        if node == ARRIVED { FREE } else { turn }
    }

    /// Moves to the top node of the stack.
    #[inline(always)]
    pub fn pop<L: Lanes>(&mut self, lanes: L, nodes: &Nodes<'_>) -> usize {
        self.len -= 1;
        let node = self.nodes[self.len];
        self.go(lanes, nodes, node)
    }

    /// Drops the nodes that are reached after the best time.
    #[inline(always)]
    pub fn drop_late<L: Lanes>(&mut self, lanes: L, best: f32) {
        self.best = best;
        let (mut kept, mut k) = (1, 1);
        while k < self.len {
            let eight = |stack: &[u32]| stack[k..].first_chunk().copied().unwrap_or_default();
            let (times, nodes): ([u32; 8], [Node; 8]) = (eight(&self.times), eight(&self.nodes));
            let in_use = (1 << (self.len - k).min(8)) - 1;
            let in_time = in_use & at_most(lanes, &times.map(f32::from_bits), best);
            // Not beyond the elements that are read.
            push(lanes, in_time, &times, &mut self.times, kept);
            push(lanes, in_time, &nodes, &mut self.nodes, kept);
            kept += in_time.count_ones() as usize;
            k += 8;
        }
        self.len = kept;
    }
}

/// Pushes the numbers of the set lanes, then unspecified numbers.
#[inline(always)]
pub fn push<L: Lanes>(lanes: L, which: u32, numbers: &[u32; 8], stack: &mut [u32], len: usize) {
    match stack[len..].first_chunk_mut() {
        Some(to) => lanes.compress8(which as u8, numbers, to),
        None => unreachable!("a stack has spare elements"),
    }
}

impl Default for Traveller {
    fn default() -> Self {
        Traveller {
            place: 0,
            index: 0,
            way: Way::NONE,
            local: None,
            members: 1,
            left: Allowance::WHOLE,
            best: 0.0,
            node: ARRIVED,
            block: 0,
            len: 1,
            times: [0; STACK + SPARE],
            nodes: [0; STACK + SPARE],
        }
    }
}
