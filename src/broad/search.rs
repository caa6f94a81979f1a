//! Searches a store for each shape. In order of time: the first hit along its path, any hit, or all shapes whose bounds
//! the path touches, or the first hits in order. In order of distance: the nearest shape, or the nearest shapes in order.
//!
//! # By time
//!
//! The tree decides no result. A *way* is the bounds of a shape at the start of the frame, moved by its displacement. Each
//! number of a way is rounded outwards, so at any time `t` the way contains the shape's bounds at `t` and its share of
//! the kernels' error bands.
//!
//! *Lemma.* If a kernel reports a shape of the store with the time `enter`, every node above it has `near ≤ enter`, and
//! is visited while the best time so far is not before `enter`. *Proof.* At `enter` the gap along each axis is at most
//! the margin plus the band, and both bounds together reach further than the band (`shapes/bounds.rs`). So the way at
//! `enter` is within the margin of the shape's bounds, so within that of the node's. On an axis with length `d > 0` of the
//! displacement, `near = (low - lead) / d` and `far = (high - tail) / d` are the times at which the front of the way
//! reaches the node's near side and its back leaves the far side. The sums in `lead` and `tail` round by at most 3 u of
//! their terms, the slack is 8 u of them, and `d` is one of them. So 4.9 u of the frame are left, or of the part that is searched.
//! Difference, reciprocal and product round by less than 3.1 u of the time, which is at most that, and a limit by 1 u. (A `far` above
//! 1.5 stays above any limit.) With `d` below 2⁻¹²⁸ the reciprocal is clamped: `near` is at most 0 where it has to be, and `far` large, since the slack of the way is at
//! least 2⁻⁵⁶. So `near ≤ enter ≤ far`. ∎
//!
//! A node is skipped only if it is reached strictly after the best time, so no tie is lost: the lowest index wins.
//! The best time of a list is the last of as many as are wanted, or the end of the frame.
//!
//! **Cut ways.** Bounds during the frame are wider by 2048 u of the way V, the sum of its absolute coordinates: a ray of 10⁷ m is 1 km thick. First and
//! any hits need less. A hit of a pair with V above 14 (A + B) is tested in `f64` (`shapes/form.rs`): at the time that is found there, its gap
//! is within 2⁻⁴¹ V of the margin, and the time is then rounded by u. So the way extends beyond the bounds at the start by 2048 u
//! times the lesser of V and 16 (A + L), L being the size of the largest shape of the tree, and by 2⁻⁴⁰ V; best times are multiplied by 1 + 2⁻²⁰. A hit
//! that `overlap` in `f32` may report stays up to twice the margin away at the start (`driver/run.rs`), so the way extends by that too. Its ends are computed in
//! `f64`, and only its part within the bounds of the tree is searched, with times from the beginning of that part: roundings in
//! `f32` are relative to lengths within the tree, whatever V is. Both ends of that part round by 2⁻⁵¹ of them, less than 2⁻⁴⁰ V covers.
//!
//! # By distance
//!
//! Shapes do not move, and nodes are visited in order of the distance between their bounds and the bounds of the shape.
//!
//! *Lemma.* Let q be the distance of two bounds, each grown by 512 u of the sum of its sides, and `lower` and `upper` the bounds of
//! the shapes' distance D. Then `lower` ≥ q (1 − 2⁻¹¹). *Proof.* A is the size of a shape as in `shapes/bounds.rs`: half extents, radii, 1-norms of half
//! axes, a triangle's longest edge. Bounds extend 2030 u A beyond the shape, and the sum of their sides is at least A. So each axis with a gap
//! has one of at least 2540 u (A + B) less, and q ≤ D − 2540 u (A + B). S of `narrow/distance/search.rs` is at most √3 (D + A + B) + 2 (A + B). Settled bounds are
//! within a band of at most 640 u S and 2⁻¹⁶ `upper`, where `upper` ≥ D: `lower` ≥ D (1 − 2⁻¹⁶ − 1110 u) − 2390 u (A + B) − 2⁻⁵⁷. For others, the gap along
//! the direction between the boxes of both cores was compared, and `lower` is that gap or a larger one, less what is taken off: less than the
//! band. Boxes of cores, grown by the radii along each axis, are no farther apart than those boxes less the radii. The floor of bounds is 2⁻⁵⁶. For hulls, S of `narrow/convex/gjk.rs` is at most √3 D + 8.7 (A + B), because a triangle counts twice the
//! coordinates of two edges, and the band is 288 u S: 2 510 u (A + B). Their search begins with the direction between the boxes of the cores. ∎
//!
//! A node is skipped only if q² > best² (1 + 2⁻⁹), `best` being the least `upper` so far or the radius: then all its shapes have a `lower` above `best`. So
//! neither the least `lower` nor the least `upper` of the store is lost, nor the lowest index of equal ones. Of lists, `best` is the last
//! `upper` of as many as are wanted, or the radius: a shape that is skipped has a greater `lower`, and so a greater `upper`.
//!
//! Let U² be the squared distance of the farthest points of two bounds, plus 2⁻⁸⁸. The upper bound of their shapes is at most U (1 + 2⁻¹⁰). So
//! `best` is at most that for each box of a leaf that is reached and admitted, before a kernel has tested it. *Proof.* `upper` is the distance of two
//! points of the shapes and at most 115 u S (`narrow/distance/search.rs`). On each axis the farthest points are apart by at least half the sum of both
//! sides, so A + B ≤ 3.5 U. S is at most 1.74 D + 3.74 (A + B), so `upper` ≤ U (1 + 2⁻¹³). The floor 2⁻⁵⁶ is below 2⁻¹² U. ∎ Bounds that are
//! clamped to the limit do not count. Trees of hulls have no such rule.
//!
//! Boxes of a leaf are also tested against [bounds](LocalBounds) of the searching shape along its own axes, where tests are slow. A
//! kernel learns the `best` of each pair, its cutoff. It may leave the bounds wide once the lower one is above: such a pair cannot change a result, as
//! the least `lower` and `upper` so far are at most `best`.
//!
//! # Turns
//!
//! Shapes take turns, one node each, and each turn prefetches the shape's next node. Turns at inner nodes have no
//! unpredictable branch: children are compressed to the stack, and shapes at inner nodes and at leaves have separate
//! lists. A shape that has reached other shapes waits until the [kernel](TestPairs) has tested these pairs, in one
//! batch with the pairs of other shapes. Neighbours whose ways are close to each other take their turns as one
//! [bundle](crate::broad::bundle). Trials to join neighbours become rare where they fail.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::Range;

use crate::broad::bundle::{Allowance, Bundle, MEMBERS, Trials, join};
use crate::broad::found::{Budget, Found};
use crate::broad::local_bounds::LocalBounds;
use crate::broad::ranking::{Entry, FoundLists, Ranking};
use crate::broad::row::Row;
use crate::broad::way::Way;
use crate::lane::{Float, Job, Lanes, MAX_LANES, Mask, Rows, Split, WORD};
use crate::limits::MAX_LENGTH;
use crate::narrow::contact::contacts::Contacts;
use crate::pairs::Pair;
use crate::shapes::groups::PairFilter;
use crate::store::tree::{Block, Tree};

/// Tests pairs by the kernel of two kinds of shapes.
pub trait TestPairs: Sync {
    /// Tests at most [`PAIRS`] pairs. Of a distance above a pair's cutoff, only the lower bound matters.
    fn test(&self, pairs: &[Pair], times: &mut Times);
    /// Whether pairs whose way is long beside them are tested in `f64`.
    fn refines(&self) -> bool;
    /// Whether it tests pairs sooner that have a cutoff.
    fn uses_cutoffs(&self) -> bool {
        false
    }
    /// Bounds of a searching shape along its own axes, if tests of its pairs are slow.
    fn local_bounds(&self, _shape: u32) -> Option<LocalBounds> {
        None
    }
}

/// Result that a search finds for each shape.
#[derive(Clone, Copy)]
pub enum Wanted<'s> {
    /// Its first hit by the kernel.
    First(&'s dyn TestPairs),
    /// Whether it has a hit.
    Any(&'s dyn TestPairs),
    /// The nearest shape by the kernel: the times are upper bounds of distances in `enter`, lower ones in `exit`.
    Nearest(&'s dyn TestPairs),
    /// All shapes whose bounds touch its way; within its own store only higher indices.
    All(&'s Budget),
    /// Its first hits, in order.
    Hits(Listing<'s>),
    /// The shapes with a lower bound of the distance within the radius, in order of the upper bounds, which are in `enter`; the lower
    /// ones are in `exit`.
    Near(Listing<'s>),
}

/// A search that lists several results of each shape.
#[derive(Clone, Copy)]
pub struct Listing<'s> {
    pub kernel: &'s dyn TestPairs,
    /// Maximum number of results of a shape.
    pub most: usize,
    pub budget: &'s Budget,
}

impl Wanted<'_> {
    /// For a search by time: whether pairs with a long way are tested in `f64`.
    pub fn refines(&self) -> Option<bool> {
        match self {
            Wanted::First(kernel) | Wanted::Any(kernel) => Some(kernel.refines()),
            Wanted::Hits(listing) => Some(listing.kernel.refines()),
            Wanted::Nearest(_) | Wanted::Near(_) | Wanted::All(_) => None,
        }
    }

    /// For a search by distance: bounds of a shape along its own axes.
    fn local_bounds(&self, shape: u32) -> Option<LocalBounds> {
        match self {
            Wanted::Nearest(kernel) => kernel.local_bounds(shape),
            Wanted::Near(listing) => listing.kernel.local_bounds(shape),
            Wanted::First(_) | Wanted::Any(_) | Wanted::All(_) | Wanted::Hits(_) => None,
        }
    }

    /// The search for lists.
    fn listing(&self) -> Option<Listing<'_>> {
        match *self {
            Wanted::Hits(listing) | Wanted::Near(listing) => Some(listing),
            _ => None,
        }
    }

    /// Whether the search must stop; its results are then discarded.
    fn is_spent(&self) -> bool {
        match self {
            Wanted::All(budget) => budget.is_spent(),
            Wanted::Hits(listing) | Wanted::Near(listing) => listing.budget.is_spent(),
            Wanted::First(_) | Wanted::Any(_) | Wanted::Nearest(_) => false,
        }
    }
}

/// Results of at most [`PAIRS`] pairs.
#[derive(Debug)]
pub struct Times {
    pub hits: [u64; PAIRS / WORD],
    pub invalid: [u64; PAIRS / WORD],
    pub enter: [f32; PAIRS],
    pub exit: [f32; PAIRS],
    /// The largest distance that matters for each pair: an input of kernels that use it, in searches by distance.
    pub cutoffs: [f32; PAIRS],
    /// Contacts of the hits, if some are passed.
    pub contacts: Contacts,
}

/// The first hit of one shape so far.
#[derive(Clone, Copy, Debug)]
pub struct First {
    /// Its time of contact; 1, the end of the frame, if there is none.
    pub enter: f32,
    pub exit: f32,
    /// Index of the other shape. A hit at the same time replaces this one if its index is lower: `u32::MAX` if there is
    /// no hit, 0 if it belongs to an earlier store.
    pub other: u32,
    /// Whether this search found it.
    pub is_found: bool,
}

impl First {
    /// No hit.
    pub const NONE: First = First {
        enter: 1.0,
        exit: 1.0,
        other: u32::MAX,
        is_found: false,
    };

    /// Any hit, which ends the search.
    const ANY: First = First {
        enter: -1.0,
        exit: -1.0,
        other: 0,
        is_found: true,
    };

    /// A hit in an earlier store.
    pub fn earlier(enter: f32) -> Self {
        First {
            enter,
            other: 0,
            ..First::NONE
        }
    }

    /// Nothing within a radius so far: `enter` is the least upper bound, `exit` the least lower one.
    pub fn within(radius: f32) -> Self {
        First {
            enter: radius,
            exit: radius,
            ..First::NONE
        }
    }

    /// The time up to which other shapes can replace this one; `None` if none can.
    fn open_until(&self) -> Option<f32> {
        (!self.is_final()).then_some(self.enter)
    }

    /// Whether no other shape can replace this one: no hit is before the start of the frame, no distance below zero.
    fn is_final(&self) -> bool {
        self.enter <= 0.0 && self.other == 0
    }

    /// Records the bounds of a distance.
    #[inline]
    fn approach(&mut self, other: u32, upper: f32, lower: f32) {
        let least = self.exit.min(lower);
        self.meet(other, upper, least);
        self.exit = least;
    }

    /// Records a hit.
    #[inline]
    pub fn meet(&mut self, other: u32, enter: f32, exit: f32) {
        if enter < self.enter || enter == self.enter && other < self.other {
            *self = First {
                enter,
                exit,
                other,
                is_found: true,
            };
        }
    }
}

/// Targets of a search.
#[derive(Clone, Copy)]
pub enum Targets<'s> {
    /// The shapes of a tree; if `is_own`, the tree of the searching shapes' own store, without the shape itself.
    Tree { tree: &'s Tree, is_own: bool },
    /// Shapes without bounds, so each of them is tested.
    All(u32),
}

/// The order in which a search visits nodes.
pub trait Approach: Send {
    /// Makes the ways of as many shapes as there are lanes, given their bounds; `None` for a shape that reaches no target.
    fn make_ways<D: Lanes>(
        lanes: D,
        shapes: &[(&Row, [f32; 3]); WAYS],
        scope: &Scope,
        ways: &mut [Option<Way>],
    );
    /// Mask of the AABBs of a block, from lane `at` on, that are reached within a limit, and their sort keys. Unused
    /// lanes are never reached.
    fn test<L: Lanes>(lanes: L, way: &Way, block: &Block, at: usize, limit: L::F) -> (L::M, L::F);
    /// The limit on this way, given the best result so far.
    fn limit(best: f32, way: &Way) -> f32;
    /// The limit on this way that those AABBs of a block imply whose sort key is finite, whatever their shapes are.
    #[inline(always)]
    fn implied_limit<L: Lanes>(_: L, _way: &Way, _block: &Block, _keys: &[f32; 8]) -> f32 {
        f32::INFINITY
    }
    /// The way of a bundle of shapes with these ways, if they descend a tree together.
    fn join(_ways: &Ways) -> Option<Way> {
        None
    }
}

/// Extent of a search: its reach and its targets.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// The largest gap between bounds of pairs within the margin.
    pub threshold: f32,
    /// Bounds to which ways are cut; `None` for whole ways of bounds during the frame.
    cut: Option<Cut>,
}

/// Bounds of the targets.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// The bounds of all targets, as in a block.
    around: [f32; 6],
    /// The largest length of a way that is tested in `f32` alone, relative to the size of the searching shape, and its part for
    /// the largest target.
    coarse: (f32, f32),
}

/// One row for each lane.
#[derive(Clone, Copy)]
struct GatheredRows<'r>(&'r [[f32; 16]; WAYS]);

impl Rows<[f32; 16]> for GatheredRows<'_> {
    #[inline(always)]
    fn row(&self, lane: usize) -> &[f32; 16] {
        &self.0[lane % WAYS]
    }
}

/// The most ways that are made at once.
const WAYS: usize = 4;
/// The ways of shapes that follow each other.
type Ways = [Option<Way>; MEMBERS];

/// By the time at which the way of a shape reaches a node.
pub struct ByTime;

/// By the squared distance.
pub struct ByDistance;

/// A search for the first hits of some shapes.
pub struct Search<'s, O> {
    pub by: PhantomData<O>,
    /// The shapes, in the order of the search. All are valid.
    pub order: &'s [u32],
    /// The bounds of all shapes: at the start of the frame, or during it if all shapes are wanted.
    pub rows: &'s [Row],
    /// The displacement of a shape.
    pub displacement: &'s (dyn Fn(u32) -> [f32; 3] + Sync),
    pub targets: Targets<'s>,
    /// The pairs to consider; `None` for all.
    pub filter: Option<PairFilter<'s>>,
    pub scope: Scope,
    pub wanted: Wanted<'s>,
    /// In the order of the search.
    pub firsts: &'s mut [First],
    /// The memory of each thread.
    pub scratches: Vec<Seeker>,
}

impl<O: Approach> Split for Search<'_, O> {
    const GRAIN: usize = 512 * PARTS;

    /// Number of shapes times [`PARTS`]: pieces that begin at multiples of [`STEP`](crate::lane::STEP) shapes would be
    /// too long.
    fn len(&self) -> usize {
        self.order.len() * PARTS
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let middle = middle / PARTS;
        let (order, order_high) = self.order.split_at(middle);
        let (firsts, firsts_high) = self.firsts.split_at_mut(middle);
        let low = Search {
            order,
            firsts,
            scratches: Vec::new(),
            ..self
        };
        let high = Search {
            order: order_high,
            firsts: firsts_high,
            ..self
        };
        (low, high)
    }

    /// A thread has one scratch for all its pieces.
    fn take_memory(&mut self, own: &mut Option<Vec<Seeker>>, rest: Option<&mut Self>) {
        let unused = |rest: &mut Self| rest.scratches.pop();
        let scratch = own
            .as_mut()
            .and_then(Vec::pop)
            .or_else(|| rest.and_then(unused));
        self.scratches.extend(scratch);
    }

    fn merge(mut one: Vec<Seeker>, mut other: Vec<Seeker>) -> Vec<Seeker> {
        one.append(&mut other);
        one
    }
}

/// Number of parts of a shape when a search is split: a piece has at least 128 shapes.
const PARTS: usize = 8;
/// Number of shapes that take turns.
const SLOTS: usize = 64;
/// Maximum number of pairs that wait for the kernel. A leaf whose pairs may not fit is visited later.
pub const PAIRS: usize = 8 * SLOTS;
/// Minimum number of pairs for a call of the kernel.
const WORTH: usize = 64;
/// Maximum number of nodes on a stack: seven for each level except the last, which has eight.
const STACK: usize = 96;

/// Memory of one thread.
#[derive(Debug, Default)]
pub struct Seeker {
    travellers: Vec<Traveller>,
    /// The members of each traveller that is a bundle.
    bundles: Vec<Bundle>,
    /// Places in the search of bundles whose members are searched one by one.
    parted: Vec<u32>,
    /// Trials to form bundles in this call.
    pub trials: Trials,
    turns: Turns,
    pairs: Box<WaitingPairs>,
    times: Option<Box<Times>>,
    /// The pairs of a search for all.
    pub found: Found,
    /// The list of each traveller, and the finished lists.
    rankings: Vec<Ranking>,
    pub lists: FoundLists,
}

/// Pairs that wait for the kernel.
#[derive(Debug)]
struct WaitingPairs {
    list: [Pair; PAIRS],
    /// Place in the search of the shape of each pair; the traveller if the search lists several results.
    places: [u32; PAIRS],
    len: usize,
}

impl Default for WaitingPairs {
    fn default() -> Self {
        WaitingPairs {
            list: [Pair::new(0, 0); PAIRS],
            places: [0; PAIRS],
            len: 0,
        }
    }
}

/// Each traveller in one of four lists.
type Turns = [Slots; 4];

impl WaitingPairs {
    /// Adds pairs of members of a bundle, whose first one has a place in the search, with another shape.
    #[inline(always)]
    fn extend(&mut self, mut members: u32, bundle: &Bundle, first: u32, other: u32) {
        while members != 0 {
            let member = members.trailing_zeros();
            let shape = bundle.shapes[member as usize % MEMBERS];
            self.list[self.len % PAIRS] = Pair::new(shape, other);
            self.places[self.len % PAIRS] = first + member;
            self.len += 1;
            members &= members - 1;
        }
    }
}

/// Shapes of a search that have begun or begin next.
struct Begun {
    /// Ways from a place in the order of the search on.
    ways: Ways,
    from: usize,
    /// Places of shapes with a way that have not begun.
    made: Range<usize>,
    /// Number of shapes that were reached so far.
    next: usize,
    /// Whether bundles may be formed.
    joins: bool,
}

impl Begun {
    /// Whether none of so many shapes begins any more.
    fn is_last(&self, len: usize) -> bool {
        self.made.is_empty() && self.next == len
    }
}

/// Travellers whose next node is an inner one.
const INNER: usize = 0;
/// Travellers whose next node holds shapes.
const LEAF: usize = 1;
/// Travellers that wait for the kernel.
const WAITING: usize = 2;
/// Travellers that have arrived.
const FREE: usize = 3;

/// A list of travellers.
#[derive(Clone, Copy, Debug)]
struct Slots {
    slots: [u8; SLOTS],
    len: usize,
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
    fn push(&mut self, slot: u8) {
        // Masked, so that no bounds check is needed: there are as many places as travellers.
        self.slots[self.len % SLOTS] = slot;
        self.len += 1;
    }

    #[inline(always)]
    fn pop(&mut self) -> u8 {
        self.len -= 1;
        self.slots[self.len % SLOTS]
    }

    /// The travellers; the list is then empty.
    #[inline(always)]
    fn take(&mut self) -> Self {
        let taken = *self;
        self.len = 0;
        taken
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = u8> {
        self.slots.iter().copied().take(self.len)
    }
}

/// A searching shape and its position in the tree.
#[derive(Debug)]
struct Traveller {
    /// Place in the search.
    place: u32,
    index: u32,
    way: Way,
    local: Option<LocalBounds>,
    /// Number of shapes, from its place on: more than one for a bundle.
    members: usize,
    /// Tests and pairs that are left to a bundle.
    left: Allowance,
    /// Time limit: later nodes and hits are dropped.
    best: f32,
    /// The node to visit, and its block.
    node: Node,
    block: u32,
    /// Height of the stack. At the bottom is [`ARRIVED`], which is never dropped.
    len: usize,
    /// Bits of the times at which the nodes of the stack are reached. None is after `best`.
    times: [u32; STACK + SPARE],
    nodes: [Node; STACK + SPARE],
}

/// Number of elements that one push writes.
const SPARE: usize = 8;

/// A node: 1 is the root, and the children of node `n` are `8 n` to `8 n + 7`.
type Node = u32;

/// End of a search, in place of a node.
const ARRIVED: Node = 0;

/// The blocks of a tree by node.
struct Nodes<'t> {
    blocks: &'t [Block],
    /// Number of leaves: they are the first blocks.
    leaves: u32,
    /// Indexed by the number of leading zeros of a node: offset from nodes of this level to blocks.
    before: [u32; 32],
}

impl<'t> Nodes<'t> {
    fn of(tree: &'t Tree) -> Self {
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
    fn block(&self, node: Node) -> u32 {
        node.wrapping_add(self.before[node.leading_zeros() as usize % 32])
    }
}

impl Traveller {
    /// Begins at the root.
    #[inline(always)]
    fn begin(&mut self, place: u32, index: u32, way: &Way) {
        (self.place, self.index, self.way) = (place, index, *way);
        self.members = 1;
        self.nodes[0] = ARRIVED;
        self.len = 1;
    }

    /// Counts a visit. Whether it is a bundle to be parted.
    #[inline(always)]
    fn is_to_part(&mut self) -> bool {
        self.members > 1 && self.left.is_spent_by(1, 0)
    }

    /// Moves to a node. Returns the list for travellers there.
    #[inline(always)]
    fn go<L: Lanes>(&mut self, lanes: L, nodes: &Nodes<'_>, node: Node) -> usize {
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
    fn pop<L: Lanes>(&mut self, lanes: L, nodes: &Nodes<'_>) -> usize {
        self.len -= 1;
        let node = self.nodes[self.len];
        self.go(lanes, nodes, node)
    }

    /// Drops the nodes that are reached after the best time.
    fn drop_late(&mut self, best: f32) {
        self.best = best;
        let mut kept = 1;
        for k in 1..self.len {
            (self.times[kept], self.nodes[kept]) = (self.times[k], self.nodes[k]);
            kept += usize::from(f32::from_bits(self.times[k]) <= best);
        }
        self.len = kept;
    }
}

/// 8 u.
const ROUNDING: f32 = 1.0 / (1 << 21) as f32;
/// Absolute part of the slack: 2⁻⁵⁶.
const FLOOR: f32 = 1.0 / (1u64 << 56) as f32;

impl Way {
    /// Sets the sides of an axis. Returns the lowest end of a shape in the direction of its displacement, and the negated highest
    /// end; `None` if they are unknown, as bounds are clamped to the limit.
    #[inline(always)]
    fn begin_axis(&mut self, k: usize, row: &Row, displacement: [f32; 3]) -> Option<[f32; 2]> {
        let back = displacement[k] < 0.0;
        self.set_sides(k, back);
        let sides = [row[k], row[4 + k]];
        let [low, high] = if back { [sides[1], sides[0]] } else { sides };
        let is_unknown = low <= -MAX_LENGTH || high <= -MAX_LENGTH;
        (!is_unknown).then_some([low, high])
    }

    /// The whole way of a shape with these bounds during the frame.
    fn whole(row: &Row, displacement: [f32; 3], threshold: f32) -> Way {
        let mut way = Way::EVERYWHERE;
        for k in 0..3 {
            let Some([low, high]) = way.begin_axis(k, row, displacement) else {
                continue;
            };
            let length = displacement[k].abs();
            let slack = (low.abs() + high.abs() + length + threshold) * ROUNDING + FLOOR;
            way.lead[k] = (-high - length) + threshold + slack;
            way.tail[k] = low - threshold - slack;
            way.set_length(k, length);
        }
        way
    }

    /// Makes the parts of the ways of shapes with these bounds at the start that are within the bounds of the targets; `None` where
    /// there is none. In lanes of `f64`.
    #[inline(always)]
    fn cut<D: Lanes>(
        lanes: D,
        shapes: &[(&Row, [f32; 3]); WAYS],
        threshold: f32,
        cut: &Cut,
        ways: &mut [Option<Way>],
    ) {
        let (zero, one, most) = (lanes.splat(0.0), lanes.splat(1.0), lanes.splat(f32::MAX));
        let (fine, unlimited) = (lanes.splat(FINE), lanes.splat(-MAX_LENGTH));
        let mut rows = [[0.0; 16]; WAYS];
        for (to, (row, displacement)) in rows.iter_mut().zip(shapes) {
            to[..8].copy_from_slice(*row);
            to[8..11].copy_from_slice(displacement);
        }
        let shape: [D::F; 16] = lanes.gather(GatheredRows(&rows));
        let (mut size, mut travel) = (zero, zero);
        let mut k = 0;
        while k < 3 {
            size = size - shape[k] - shape[4 + k];
            travel = travel + shape[8 + k].abs();
            k += 1;
        }
        let coarse = lanes.splat(cut.coarse.0) * size + lanes.splat(cut.coarse.1);
        let reach = lanes.splat(threshold) + travel.min(coarse) * lanes.splat(BAND) + travel * fine;
        let (mut from, mut to) = (zero, one);
        let (mut lead, mut tail, mut length) = ([most; 3], [-most; 3], [one; 3]);
        let never = zero.lt(zero);
        let (mut is_known, mut is_back, mut passes) = ([never; 3], [never; 3], !never);
        k = 0;
        while k < 3 {
            let around = [lanes.splat(cut.around[k]), lanes.splat(cut.around[3 + k])];
            let back = shape[8 + k].lt(zero);
            let low = shape[4 + k].select(back, shape[k]);
            let high = shape[k].select(back, shape[4 + k]);
            let near = around[1].select(back, around[0]);
            let far = around[0].select(back, around[1]);
            // Bounds that are clamped to the limit are unknown.
            let known = unlimited.lt(low.min(high)) & unlimited.lt(near.min(far));
            let slack = reach + (low.abs() + high.abs()) * fine;
            (lead[k], tail[k], length[k]) = (slack - high, low - slack, shape[8 + k].abs());
            let moves = zero.lt(length[k]);
            let enter = (near - lead[k]) / length[k];
            let exit = (-far - tail[k]) / length[k];
            from = enter.max(from).select(known & moves, from);
            to = exit.min(to).select(known & moves, to);
            let meets = near.le(lead[k]) & tail[k].le(-far);
            passes = passes & (!known | moves | meets);
            (is_known[k], is_back[k]) = (known, back);
            k += 1;
        }
        let passes = (passes & from.le(to)).bits();
        let mut numbers = [[0.0; MAX_LANES]; 12];
        let rounding = lanes.splat(ROUNDING);
        k = 0;
        while k < 3 {
            let start = length[k] * from;
            let (front, rear) = (lead[k] + start, tail[k] + start);
            let sum = front.abs() + rear.abs() + length[k] * (to - from);
            let slack = sum * rounding + lanes.splat(FLOOR);
            let known = is_known[k];
            let slowness = (one / length[k]).min(most).select(known, one);
            let column = [
                (front + slack).select(known, most),
                (rear - slack).select(known, -most),
                slowness,
                -slowness,
            ];
            let mut i = 0;
            while i < 4 {
                lanes.store(column[i], &mut numbers[4 * k + i]);
                i += 1;
            }
            k += 1;
        }
        let (mut begin, mut end) = ([0.0; MAX_LANES], [0.0; MAX_LANES]);
        lanes.store_exactly(from, &mut begin);
        lanes.store_exactly(to, &mut end);
        let is_back = [is_back[0].bits(), is_back[1].bits(), is_back[2].bits()];
        for (lane, way) in ways.iter_mut().enumerate().take(D::COUNT) {
            *way = None;
            if passes >> lane & 1 == 0 {
                continue;
            }
            let cut = way.insert(Way::NONE);
            (cut.from, cut.to, cut.later) = (begin[lane], end[lane], LATER);
            for (k, is_back) in is_back.iter().enumerate() {
                let column = &numbers[4 * k..][..4];
                cut.set_sides(k, is_back >> lane & 1 == 1);
                cut.lead[k] = column[0][lane];
                cut.tail[k] = column[1][lane];
                cut.before[k] = column[2][lane];
                cut.after[k] = column[3][lane];
            }
        }
    }
}

impl Scope {
    /// Whole ways of bounds during the frame.
    pub fn whole(threshold: f32) -> Self {
        Scope {
            threshold,
            cut: None,
        }
    }

    /// Ways from the bounds at the start, cut to the bounds of a tree. `is_refined` says that pairs with a long way are tested
    /// in `f64`.
    pub fn cut_to(tree: &Tree, threshold: f32, is_refined: bool) -> Self {
        let coarse = if is_refined {
            (COARSE, COARSE * tree.sizes().largest)
        } else {
            (0.0, f32::INFINITY)
        };
        let around = tree.bounds();
        Scope {
            // A hit from the start stays up to twice the margin away (`driver/run.rs`).
            threshold: threshold + threshold,
            cut: Some(Cut { around, coarse }),
        }
    }
}

/// The share of the way in the reach of hits: 2048 u, as in `shapes/bounds.rs`.
const BAND: f32 = 1.0 / 8192.0;
/// Length of a way up to which a pair may be tested in `f32` alone, in sizes of both shapes: above the 14 of
/// [`PairLengths`](crate::shapes::form::PairLengths).
const COARSE: f32 = 16.0;
/// Above the errors of hits tested in `f64`, and of ways.
const FINE: f32 = 1.0 / (1u64 << 40) as f32;
/// Above the rounding of times of hits.
const LATER: f64 = 1.0 + 1.0 / (1 << 20) as f64;

impl Approach for ByTime {
    #[inline(always)]
    fn make_ways<D: Lanes>(
        lanes: D,
        shapes: &[(&Row, [f32; 3]); WAYS],
        scope: &Scope,
        ways: &mut [Option<Way>],
    ) {
        match &scope.cut {
            None => {
                for (way, (row, displacement)) in ways.iter_mut().zip(shapes).take(D::COUNT) {
                    *way = Some(Way::whole(row, *displacement, scope.threshold));
                }
            }
            Some(cut) => Way::cut(lanes, shapes, scope.threshold, cut, ways),
        }
    }

    /// Mask of the AABBs that the way reaches, not after the limit, and the times.
    #[inline(always)]
    fn test<L: Lanes>(lanes: L, way: &Way, block: &Block, at: usize, limit: L::F) -> (L::M, L::F) {
        let (mut near, mut far) = (lanes.splat(0.0), limit);
        let mut k = 0;
        while k < 3 {
            let (low, high) = (&block[way.near[k]], &block[way.far[k]]);
            let (before, after) = (lanes.splat(way.before[k]), lanes.splat(way.after[k]));
            let low = lanes.load(&low[at..]) - lanes.splat(way.lead[k]);
            let high = lanes.load(&high[at..]) + lanes.splat(way.tail[k]);
            near = (low * before).max(near);
            far = (high * after).min(far);
            k += 1;
        }
        (near.le(far), near)
    }

    #[inline(always)]
    fn limit(best: f32, way: &Way) -> f32 {
        (f64::from(best) * way.later - way.from) as f32
    }

    fn join(ways: &Ways) -> Option<Way> {
        join(ways)
    }
}

/// Growth of bounds along each axis, relative to the sum of their sides: 512 u.
const GROWTH: f32 = 1.0 / (1 << 15) as f32;
/// 2⁻⁸⁸
const TINY: f32 = FLOOR / (1u64 << 32) as f32;
/// 1 + 2⁻⁹
const FARTHER: f32 = 1.0 + 1.0 / 512.0;
/// Number of shapes of a leaf up to which each is tested.
const FEW: u32 = 3;
/// 1 + 2⁻⁷, above the square of 1 + 2⁻¹⁰, [`FARTHER`] and roundings.
const FARTHEST: f32 = 1.0 + 1.0 / 128.0;

impl Approach for ByDistance {
    /// Bounds without motion: `lead` and `tail` are the highest and the lowest ends, grown.
    #[inline(always)]
    fn make_ways<D: Lanes>(
        _: D,
        shapes: &[(&Row, [f32; 3]); WAYS],
        _scope: &Scope,
        ways: &mut [Option<Way>],
    ) {
        for (to, (row, _)) in ways.iter_mut().zip(shapes).take(D::COUNT) {
            let way = to.insert(Way::NONE);
            let sides = [0, 1, 2].map(|k: usize| -row[4 + k] - row[k]);
            let growth = (sides[0] + sides[1] + sides[2]) * GROWTH;
            for k in 0..3 {
                way.lead[k] = -row[4 + k] + growth;
                way.tail[k] = row[k] - growth;
            }
        }
    }

    #[inline(always)]
    fn test<L: Lanes>(lanes: L, way: &Way, block: &Block, at: usize, limit: L::F) -> (L::M, L::F) {
        let zero = lanes.splat(0.0);
        let (mut above, mut below) = ([zero; 3], [zero; 3]);
        let mut sides = zero;
        let mut k = 0;
        while k < 3 {
            let (low, high) = (lanes.load(&block[k][at..]), lanes.load(&block[3 + k][at..]));
            sides = sides - (low + high);
            above[k] = low - lanes.splat(way.lead[k]);
            below[k] = high + lanes.splat(way.tail[k]);
            k += 1;
        }
        let growth = sides * lanes.splat(GROWTH);
        let mut squared = zero;
        k = 0;
        while k < 3 {
            let gap = (above[k].max(below[k]) - growth).max(zero);
            squared = squared + gap * gap;
            k += 1;
        }
        (squared.le(limit), squared)
    }

    #[inline(always)]
    fn limit(best: f32, _way: &Way) -> f32 {
        best * best * FARTHER
    }

    /// By the farthest points of both bounds.
    #[inline(always)]
    fn implied_limit<L: Lanes>(lanes: L, way: &Way, block: &Block, keys: &[f32; 8]) -> f32 {
        let (unlimited, never) = (lanes.splat(-MAX_LENGTH), lanes.splat(f32::INFINITY));
        let (mut farthest, mut at) = ([0.0; 8], 0);
        while at < 8 {
            let (mut squared, mut least) = (lanes.splat(0.0), never);
            let mut k = 0;
            while k < 3 {
                let (low, high) = (lanes.load(&block[k][at..]), lanes.load(&block[3 + k][at..]));
                let (lead, tail) = (lanes.splat(way.lead[k]), lanes.splat(way.tail[k]));
                let apart = (low - lead).min(high + tail);
                squared = squared + apart * apart;
                least = least.min(low.min(high)).min(tail.min(-lead));
                k += 1;
            }
            let counts = unlimited.lt(least) & lanes.load(&keys[at..]).lt(never);
            lanes.store(squared.select(counts, never), &mut farthest[at..]);
            at += L::COUNT;
        }
        let least = farthest[lanes.least8(&farthest)];
        (least + TINY) * FARTHEST
    }
}

/// Mask of the AABBs of a block that are reached within a limit, and their sort keys; +∞ for others.
#[inline(always)]
fn reach<O: Approach, L: Lanes>(
    lanes: L,
    way: &Way,
    block: &Block,
    limit: f32,
    order: &mut [f32; 8],
) -> u32 {
    let (limit, never) = (lanes.splat(limit), lanes.splat(f32::INFINITY));
    let (mut reached, mut at) = (0, 0);
    while at < 8 {
        let (met, by) = O::test(lanes, way, block, at, limit);
        lanes.store(by.select(met, never), &mut order[at..]);
        reached |= (met.bits() as u32) << at;
        at += L::COUNT;
    }
    reached
}

impl<O: Approach> Job for Search<'_, O> {
    type Output = Vec<Seeker>;

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) -> Vec<Seeker> {
        let mut seeker = self.scratches.pop().unwrap_or_default();
        seeker.begin();
        if self.wanted.listing().is_some() {
            seeker.rankings.resize_with(SLOTS, Ranking::default);
        }
        match self.targets {
            Targets::Tree { tree, is_own } if tree.len() > 0 => {
                self.search(lanes, tree, is_own, &mut seeker);
            }
            Targets::Tree { .. } => {}
            Targets::All(len) => self.test_all(len, &mut seeker),
        }
        if let Some(listing) = self.wanted.listing() {
            (0..SLOTS).for_each(|slot| seeker.begin_list(slot, 0, listing.budget));
        }
        self.scratches.push(seeker);
        self.scratches
    }
}

impl<O: Approach> Search<'_, O> {
    /// Searches a tree.
    #[inline(always)]
    fn search<L: Lanes>(&mut self, lanes: L, tree: &Tree, is_own: bool, seeker: &mut Seeker) {
        let nodes = &Nodes::of(tree);
        let order = tree.order().as_chunks::<8>().0;
        // In such trees, farthest points are not much farther than shapes.
        let is_sparse = match self.wanted {
            Wanted::Nearest(kernel) => !kernel.uses_cutoffs() && tree.is_sparse(),
            _ => false,
        };
        let mut begun = Begun {
            ways: [None; MEMBERS],
            from: 0,
            made: 0..0,
            next: 0,
            joins: self.joins(is_own),
        };
        loop {
            if self.wanted.is_spent() {
                return;
            }
            // Arrived travellers begin with the next shapes.
            let mut starts = seeker.turns[FREE].len;
            while starts > 0 && self.begin(lanes, nodes, &mut begun, seeker) {
                starts -= 1;
            }
            let is_last = begun.is_last(self.order.len()) && seeker.parted.is_empty();
            let active = seeker.turns[INNER].len + seeker.turns[LEAF].len;
            if active == 0 && seeker.turns[WAITING].len == 0 {
                if is_last {
                    return;
                }
                continue;
            }
            self.visit_inner(lanes, nodes, seeker);
            self.visit_leaves(lanes, nodes, order, [is_own, is_sparse], seeker);
            let active = seeker.turns[INNER].len + seeker.turns[LEAF].len;
            // The last shapes are few.
            let few = if is_last { 0 } else { SLOTS / 2 };
            if seeker.pairs.len >= WORTH || active <= few {
                self.test(seeker);
                for slot in seeker.turns[WAITING].take().iter() {
                    let traveller = &mut seeker.travellers[slot as usize];
                    let firsts = &self.firsts[traveller.place as usize..][..traveller.members];
                    let best = match firsts {
                        [first] => O::limit(first.enter, &traveller.way),
                        _ => {
                            let times = firsts.iter().map(First::open_until);
                            seeker.bundles[slot as usize].limit(&traveller.way, times)
                        }
                    };
                    if best < traveller.best {
                        traveller.drop_late(best);
                    }
                    if firsts.iter().all(First::is_final) {
                        traveller.len = 1;
                    }
                    seeker.turns[traveller.pop(lanes, nodes)].push(slot);
                }
            }
        }
    }

    /// Whether neighbours in the order of the search may descend the tree together.
    fn joins(&self, is_own: bool) -> bool {
        let is_joined = matches!(self.wanted, Wanted::First(_) | Wanted::Any(_));
        is_joined && !is_own && self.filter.is_none() && self.order.len() >= MEMBERS
    }

    /// Begins with the next shape, or the next bundle. False if there is none.
    #[inline(always)]
    fn begin<L: Lanes>(
        &self,
        lanes: L,
        nodes: &Nodes<'_>,
        begun: &mut Begun,
        seeker: &mut Seeker,
    ) -> bool {
        loop {
            if begun.made.is_empty() {
                let (from, joins) = match seeker.parted.pop() {
                    Some(place) => {
                        seeker.trials.part();
                        (place as usize, false)
                    }
                    None if begun.next == self.order.len() => return false,
                    None => (begun.next, begun.joins && seeker.trials.are_due()),
                };
                let is_whole = joins || from < begun.next;
                let step = if is_whole {
                    MEMBERS
                } else {
                    L::Doubles::COUNT.min(WAYS)
                };
                begun.from = from;
                begun.made = from..self.order.len().min(from + step);
                begun.next = begun.next.max(begun.made.end);
                self.make_ways(lanes, begun.made.clone(), &mut begun.ways[..step]);
                if joins {
                    let way = O::join(&begun.ways);
                    seeker.trials.end(way.is_some());
                    if let Some(way) = way {
                        self.begin_bundle(lanes, nodes, way, begun, seeker);
                        return true;
                    }
                }
            }
            let place = begun.made.start;
            begun.made.start += 1;
            let Some(way) = &begun.ways[place - begun.from] else {
                continue;
            };
            let index = self.order[place];
            let slot = seeker.turns[FREE].pop();
            if let Some(listing) = self.wanted.listing() {
                seeker.begin_list(slot as usize, index, listing.budget);
            }
            let traveller = &mut seeker.travellers[slot as usize];
            traveller.begin(place as u32, index, way);
            traveller.best = O::limit(self.firsts[place].enter, way);
            traveller.local = self.wanted.local_bounds(index);
            seeker.turns[traveller.go(lanes, nodes, 1)].push(slot);
            return true;
        }
    }

    /// Begins with a bundle of the shapes whose ways are made.
    #[inline(never)]
    fn begin_bundle<L: Lanes>(
        &self,
        lanes: L,
        nodes: &Nodes<'_>,
        way: Way,
        begun: &mut Begun,
        seeker: &mut Seeker,
    ) {
        let (from, members) = (begun.from, begun.made.len());
        let slot = seeker.turns[FREE].pop();
        if seeker.bundles.is_empty() {
            seeker.bundles.resize_with(SLOTS, Bundle::default);
        }
        let bundle = &mut seeker.bundles[slot as usize];
        bundle.set(&begun.ways, &self.order[begun.made.clone()]);
        let traveller = &mut seeker.travellers[slot as usize];
        traveller.begin(from as u32, self.order[from], &way);
        (traveller.members, traveller.left) = (members, Allowance::WHOLE);
        let times = self.firsts[begun.made.clone()]
            .iter()
            .map(First::open_until);
        traveller.best = bundle.limit(&way, times);
        traveller.local = None;
        begun.made.start = begun.made.end;
        seeker.turns[traveller.go(lanes, nodes, 1)].push(slot);
    }

    /// Makes the ways of shapes at these places in the order of the search; `None` past them.
    #[inline(always)]
    fn make_ways<L: Lanes>(&self, lanes: L, places: Range<usize>, ways: &mut [Option<Way>]) {
        let step = WAYS.min(L::Doubles::COUNT);
        let mut from = places.start;
        for ways in ways.chunks_mut(step) {
            if from >= places.end {
                ways.fill(None);
                continue;
            }
            let mut shapes = [(&self.rows[0], [0.0; 3]); WAYS];
            for (shape, place) in shapes.iter_mut().zip(from..).take(step) {
                let index = self.order[place.min(places.end - 1)];
                *shape = (&self.rows[index as usize], (self.displacement)(index));
            }
            O::make_ways(lanes.doubles(), &shapes, &self.scope, ways);
            from += step;
            let past = ways.len().saturating_sub(from.saturating_sub(places.end));
            ways[past..].fill(None);
        }
    }

    /// Moves each traveller at an inner node to the children.
    #[inline(always)]
    fn visit_inner<L: Lanes>(&self, lanes: L, nodes: &Nodes<'_>, seeker: &mut Seeker) {
        let Seeker {
            travellers,
            parted,
            turns,
            ..
        } = seeker;
        for slot in turns[INNER].take().iter() {
            let traveller = &mut travellers[slot as usize];
            if traveller.is_to_part() {
                parted.push(traveller.place);
                turns[FREE].push(slot);
                continue;
            }
            let mut times = [0.0; 8];
            let block = &nodes.blocks[traveller.block as usize];
            let best = traveller.best;
            let reached = reach::<O, L>(lanes, &traveller.way, block, best, &mut times);
            // The nearest child is the next node; the other children go on the stack.
            let nearest = lanes.least8(&times);
            let (first, below) = (8 * traveller.node, traveller.nodes[traveller.len - 1]);
            let mut children = [0; 8];
            for (lane, child) in children.iter_mut().enumerate() {
                *child = first + lane as u32;
            }
            let others = reached & !(1 << nearest);
            let times = &times.map(f32::to_bits);
            push(lanes, others, times, &mut traveller.times, traveller.len);
            push(
                lanes,
                others,
                &children,
                &mut traveller.nodes,
                traveller.len,
            );
            traveller.len += reached.count_ones() as usize;
            traveller.len -= 1;
            let next = if reached == 0 {
                below
            } else {
                first + nearest as u32
            };
            turns[traveller.go(lanes, nodes, next)].push(slot);
        }
    }

    /// Collects the shapes that each traveller at a leaf reaches.
    #[inline(always)]
    fn visit_leaves<L: Lanes>(
        &self,
        lanes: L,
        nodes: &Nodes<'_>,
        order: &[[u32; 8]],
        [is_own, is_sparse]: [bool; 2],
        seeker: &mut Seeker,
    ) {
        let Seeker {
            travellers,
            bundles,
            parted,
            turns,
            pairs,
            found,
            ..
        } = seeker;
        for slot in turns[LEAF].take().iter() {
            let traveller = &mut travellers[slot as usize];
            if pairs.len + 8 * traveller.members > PAIRS {
                turns[LEAF].push(slot);
                continue;
            }
            if traveller.is_to_part() {
                parted.push(traveller.place);
                turns[FREE].push(slot);
                continue;
            }
            let (mut times, place) = ([0.0; 8], traveller.block as usize);
            let (block, best, others) = (&nodes.blocks[place], traveller.best, &order[place]);
            let mut reached = reach::<O, L>(lanes, &traveller.way, block, best, &mut times);
            if traveller.members > 1 {
                let bundle = &bundles[slot as usize];
                let before = pairs.len;
                let tests = reached.count_ones();
                while reached != 0 {
                    let lane = reached.trailing_zeros() as usize;
                    let members = bundle.reach(lanes, &traveller.way, block, lane);
                    pairs.extend(members, bundle, traveller.place, others[lane % 8]);
                    reached &= reached - 1;
                }
                let found = (pairs.len - before) as u32;
                traveller.left.is_spent_by(tests, found);
                let turn = if found > 0 {
                    WAITING
                } else {
                    traveller.pop(lanes, nodes)
                };
                turns[turn].push(slot);
                continue;
            }
            if let Some(local) = &traveller.local
                && reached != 0
            {
                reached &= local.reach(lanes, block, best);
            }
            let index = traveller.index;
            if is_own || self.filter.is_some() {
                reached = self.admitted(index, others, reached, is_own);
            }
            // For fewer, the bound costs more than the kernel.
            if is_sparse && reached.count_ones() > FEW {
                for (lane, time) in times.iter_mut().enumerate() {
                    *time = if reached >> lane & 1 == 1 {
                        *time
                    } else {
                        f32::INFINITY
                    };
                }
                let limit = O::implied_limit(lanes, &traveller.way, block, &times);
                if limit < best {
                    traveller.drop_late(limit);
                    for (lane, time) in times.iter().enumerate() {
                        reached &= !(u32::from(*time > limit) << lane);
                    }
                }
            }
            if let Wanted::All(budget) = self.wanted {
                for (lane, other) in others.iter().enumerate() {
                    if reached >> lane & 1 == 1 {
                        found.extend(&[index], &[*other], budget);
                    }
                }
                reached = 0;
            }
            if reached == 0 {
                turns[traveller.pop(lanes, nodes)].push(slot);
                continue;
            }
            turns[WAITING].push(slot);
            let traveller = match self.wanted.listing() {
                Some(_) => u32::from(slot),
                None => traveller.place,
            };
            let mut place = pairs.len;
            while reached != 0 {
                let lane = reached.trailing_zeros() as usize;
                pairs.list[place % PAIRS] = Pair::new(index, others[lane % 8]);
                pairs.places[place % PAIRS] = traveller;
                place += 1;
                reached &= reached - 1;
            }
            pairs.len = place;
        }
    }

    /// Tests each pair.
    fn test_all(&mut self, len: u32, seeker: &mut Seeker) {
        for (place, &index) in self.order.iter().enumerate() {
            if self.wanted.is_spent() {
                return;
            }
            for other in 0..len {
                if let Some(filter) = &self.filter
                    && !filter.admits(index, other)
                {
                    continue;
                }
                let pairs = &mut seeker.pairs;
                pairs.list[pairs.len] = Pair::new(index, other);
                pairs.places[pairs.len] = place as u32;
                pairs.len += 1;
                if pairs.len == PAIRS {
                    self.test(seeker);
                }
            }
        }
        self.test(seeker);
    }

    /// Tests the waiting pairs.
    fn test(&mut self, seeker: &mut Seeker) {
        let Seeker { pairs, times, .. } = seeker;
        if pairs.len == 0 {
            return;
        }
        let times = times.get_or_insert_default();
        let is_any = matches!(self.wanted, Wanted::Any(_));
        let is_nearest = matches!(self.wanted, Wanted::Nearest(_));
        if let Wanted::Nearest(kernel) = self.wanted
            && kernel.uses_cutoffs()
        {
            for (cutoff, place) in times.cutoffs.iter_mut().zip(&pairs.places[..pairs.len]) {
                *cutoff = self.firsts[*place as usize].enter;
            }
        }
        match self.wanted {
            Wanted::First(kernel) | Wanted::Any(kernel) | Wanted::Nearest(kernel) => {
                kernel.test(&pairs.list[..pairs.len], times)
            }
            Wanted::Hits(listing) | Wanted::Near(listing) => return self.list(listing, seeker),
            Wanted::All(_) => return,
        }
        let waiting = pairs.list.iter().zip(&pairs.places).take(pairs.len);
        for (position, (pair, &place)) in waiting.enumerate() {
            if times.hits[position / WORD] >> (position % WORD) & 1 == 0 {
                continue;
            }
            let first = &mut self.firsts[place as usize];
            if is_any {
                *first = First::ANY;
            } else {
                let (enter, exit) = (times.enter[position], times.exit[position]);
                if is_nearest {
                    first.approach(pair.b, enter, exit);
                } else {
                    first.meet(pair.b, enter, exit);
                }
            }
        }
        pairs.len = 0;
    }

    /// Tests the waiting pairs and lists the hits.
    #[inline(never)]
    fn list(&mut self, listing: Listing<'_>, seeker: &mut Seeker) {
        let Seeker {
            travellers,
            pairs,
            times,
            rankings,
            lists,
            ..
        } = seeker;
        let Listing {
            kernel,
            most,
            budget,
        } = listing;
        let times = times.get_or_insert_default();
        let is_near = matches!(self.wanted, Wanted::Near(_));
        if is_near && kernel.uses_cutoffs() {
            for (cutoff, &by) in times.cutoffs.iter_mut().zip(&pairs.places[..pairs.len]) {
                let place = match self.targets {
                    Targets::Tree { .. } => travellers[by as usize].place,
                    Targets::All(_) => by,
                };
                *cutoff = self.firsts[place as usize].enter;
            }
        }
        kernel.test(&pairs.list[..pairs.len], times);
        let waiting = pairs.list.iter().zip(&pairs.places).take(pairs.len);
        for (position, (pair, &by)) in waiting.enumerate() {
            if times.hits[position / WORD] >> (position % WORD) & 1 == 0 {
                continue;
            }
            let by = by as usize;
            let (place, ranking) = match self.targets {
                Targets::Tree { .. } => (travellers[by].place as usize, &mut rankings[by]),
                // All pairs of a shape follow each other.
                Targets::All(_) => {
                    let ranking = &mut rankings[0];
                    if !ranking.is_of(pair.a) {
                        lists.end(ranking, pair.a, budget);
                    }
                    (by, ranking)
                }
            };
            let (first, other) = (&mut self.firsts[place], pair.b);
            let (key, second) = (times.enter[position], times.exit[position]);
            // The radius is in `exit`.
            if is_near && second > first.exit {
                continue;
            }
            let entry = Entry { key, second, other };
            first.enter = first.enter.min(ranking.add(entry, most, budget));
        }
        pairs.len = 0;
    }

    /// Mask of the reached shapes of a leaf that may be a pair with this shape.
    #[inline(never)]
    fn admitted(&self, index: u32, others: &[u32; 8], reached: u32, is_own: bool) -> u32 {
        // A list of pairs within one store has each pair once, the lower index first.
        let once = is_own && matches!(self.wanted, Wanted::All(_));
        let mut admitted = reached;
        for (lane, &other) in others.iter().enumerate() {
            if reached >> lane & 1 == 0 {
                continue;
            }
            let is_itself = is_own && other == index || once && other < index;
            let admits = |filter: PairFilter<'_>| filter.admits(index, other);
            if is_itself || !self.filter.is_none_or(admits) {
                admitted &= !(1 << lane);
            }
        }
        admitted
    }
}

/// Pushes the numbers of the set lanes, then unspecified numbers.
#[inline(always)]
fn push<L: Lanes>(lanes: L, which: u32, numbers: &[u32; 8], stack: &mut [u32], len: usize) {
    match stack[len..].first_chunk_mut() {
        Some(to) => lanes.compress8(which as u8, numbers, to),
        None => unreachable!("a stack has spare elements"),
    }
}

impl Default for Times {
    fn default() -> Self {
        Times {
            hits: [0; PAIRS / WORD],
            invalid: [0; PAIRS / WORD],
            enter: [0.0; PAIRS],
            exit: [0.0; PAIRS],
            cutoffs: [0.0; PAIRS],
            contacts: Contacts::new(),
        }
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

impl Seeker {
    /// Reserves memory and drops the state of an earlier search.
    fn begin(&mut self) {
        self.travellers.resize_with(SLOTS, Traveller::default);
        self.parted.clear();
        self.turns = Turns::default();
        (0..SLOTS).for_each(|slot| self.turns[FREE].push(slot as u8));
        self.pairs.len = 0;
    }

    /// Ends the list of a traveller, and begins that of another shape.
    fn begin_list(&mut self, slot: usize, index: u32, budget: &Budget) {
        self.lists.end(&mut self.rankings[slot], index, budget);
    }
}

#[cfg(test)]
mod tests {
    use core::array;
    use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use rand::{Rng, RngExt};

    use super::*;
    use crate::broad::tree;
    use crate::common::{cases_or, rng};
    use crate::driver::threads::Workers;
    use crate::dyadic::Dyadic;
    use crate::lane::{Double, One, Simd};
    use crate::memory::pages::Lines;

    #[test]
    fn search_for_all_pairs_stops_when_its_budget_is_spent() {
        const LEN: u32 = 4096;
        // All in one place, and the padding.
        let mut rows = vec![[0.0, 0.0, 0.0, 0.0, -1.0, -1.0, -1.0, 0.0]; LEN as usize];
        rows.extend([[f32::INFINITY; 8]; 8]);
        let workers = Workers::new(Simd::best(), false).of_at_most(8);
        let (mut targets, mut parents) = (Tree::default(), [Lines::default(), Lines::default()]);
        let built = tree::build(workers, &rows, 0..LEN, &mut parents, &mut targets, f32::MAX);
        assert!(built.is_some());
        let (order, budget): (Vec<u32>, _) = ((0..LEN).collect(), Budget::new(1 << 14));
        let started = AtomicUsize::new(0);
        let displacement = |_| {
            started.fetch_add(1, Relaxed);
            [0.0; 3]
        };
        workers.execute(Search {
            by: PhantomData::<ByTime>,
            order: &order,
            rows: &rows,
            displacement: &displacement,
            targets: Targets::Tree {
                tree: &targets,
                is_own: true,
            },
            filter: None,
            scope: Scope::whole(0.0),
            wanted: Wanted::All(&budget),
            firsts: &mut [First::NONE; LEN as usize],
            scratches: Vec::new(),
        });
        let started = started.into_inner();
        assert!(budget.is_spent() && started < 1024, "{started} searches");
    }

    /// Tests points that move along x, from the places `starts`, with plates between two places each.
    struct Plates {
        starts: Vec<f32>,
        plates: Vec<[f32; 2]>,
        tested: AtomicUsize,
    }

    /// The length of each way.
    const WAY: f32 = 4.0;

    impl TestPairs for Plates {
        fn test(&self, pairs: &[Pair], times: &mut Times) {
            self.tested.fetch_add(pairs.len(), Relaxed);
            times.hits = [0; PAIRS / WORD];
            for (k, pair) in pairs.iter().enumerate() {
                let start = self.starts[pair.a as usize];
                let [enter, exit] = self.plates[pair.b as usize].map(|x| (x - start) / WAY);
                let is_hit = exit >= 0.0 && enter <= 1.0;
                times.hits[k / WORD] |= u64::from(is_hit) << (k % WORD);
                (times.enter[k], times.exit[k]) = (enter.max(0.0), exit);
            }
        }

        fn refines(&self) -> bool {
            false
        }
    }

    impl Plates {
        /// First hits of all points, together or one by one. Returns also the number of bundles, of those that were parted, and of
        /// the pairs that were tested.
        fn find(&self, tree: &Tree, together: bool) -> (Vec<(u32, f32)>, [usize; 3]) {
            let workers = Workers::new(Simd::best(), false).of_at_most(8);
            let len = self.starts.len() as u32;
            let mut rows: Vec<Row> = Vec::new();
            rows.extend(
                self.starts
                    .iter()
                    .map(|x| [*x, 0.0, 0.0, 0.0, -*x, 0.0, 0.0, 0.0]),
            );
            rows.extend([[f32::INFINITY; 8]; 8]);
            let order: Vec<u32> = (0..len).collect();
            let mut firsts = vec![First::NONE; self.starts.len()];
            let step = if together { order.len() } else { 1 };
            let mut counts = [0; 3];
            self.tested.store(0, Relaxed);
            for (order, firsts) in order.chunks(step).zip(firsts.chunks_mut(step)) {
                let seekers = workers.execute(Search {
                    by: PhantomData::<ByTime>,
                    order,
                    rows: &rows,
                    displacement: &|_| [WAY, 0.0, 0.0],
                    targets: Targets::Tree {
                        tree,
                        is_own: false,
                    },
                    filter: None,
                    scope: Scope::cut_to(tree, 0.0, true),
                    wanted: Wanted::First(self),
                    firsts,
                    scratches: Vec::new(),
                });
                for seeker in seekers {
                    counts[0] += seeker.trials.joined;
                    counts[1] += seeker.trials.parted;
                }
            }
            counts[2] = self.tested.load(Relaxed);
            (
                firsts
                    .iter()
                    .map(|first| (first.other, first.enter))
                    .collect(),
                counts,
            )
        }
    }

    /// The tree of plates in this order, one at each place along y.
    fn tree_of_plates(plates: &[[f32; 2]]) -> Tree {
        let len = plates.len();
        let mut rows: Vec<Row> = Vec::new();
        for (k, [low, high]) in plates.iter().enumerate() {
            let y = k as f32 / len as f32 - 0.5;
            rows.push([*low, y - 1.0, -1.0, 0.0, -*high, -(y + 1.0), -1.0, 0.0]);
        }
        rows.extend([[f32::INFINITY; 8]; 8]);
        let workers = Workers::new(Simd::best(), false).of_at_most(8);
        let (mut tree, mut parents) = (Tree::default(), [Lines::default(), Lines::default()]);
        let built = tree::build(
            workers,
            &rows,
            0..len as u32,
            &mut parents,
            &mut tree,
            f32::MAX,
        );
        assert!(built.is_some());
        tree
    }

    #[test]
    fn bundles_find_what_each_shape_finds_alone_for_about_its_tests() {
        const LEN: usize = 4096;
        let compare = |starts: Vec<f32>, plates: Vec<[f32; 2]>| {
            let tree = tree_of_plates(&plates);
            let tested = AtomicUsize::new(0);
            let plates = Plates {
                starts,
                plates,
                tested,
            };
            let (alone, [.., tests]) = plates.find(&tree, false);
            let (together, [joined, parted, more]) = plates.find(&tree, true);
            assert!(alone == together, "{alone:?} {together:?}");
            assert!(
                joined > 0 && more <= tests + 512 * joined,
                "{more} of {tests}"
            );
            [joined, parted]
        };
        // Side by side, before plates one after the other.
        let starts = |k: usize| k as f32 * 1e-4;
        let behind = |k: usize| [1.0 + k as f32 * 1e-3, 1.0 + k as f32 * 1e-3];
        let [joined, parted] = compare(
            (0..256).map(starts).collect(),
            (0..LEN).map(behind).collect(),
        );
        assert_eq!([joined, parted], [16, 0]);
        // One point of each bundle is before the others, among plates that are met in the reverse of the order of the search: at equal times
        // the first child is next, and then the last.
        let slanted = |k: usize| {
            let digits = (0..4).map(|level| k >> (3 * level) & 7);
            let rank = digits
                .enumerate()
                .map(|(level, digit)| ((8 - digit) % 8) << (3 * level));
            let x = 0.2 * (1.0 - rank.sum::<usize>() as f32 / LEN as f32);
            [x, x]
        };
        let mut plates: Vec<[f32; 2]> = (0..LEN).map(slanted).collect();
        plates.extend([[2.0, 2.0]; 8]);
        let starts = |k: usize| if k % 16 == 15 { 0.2 } else { -0.01 };
        let [_, parted] = compare((0..64).map(starts).collect(), plates);
        assert!(parted > 0);
        // All but one are within each plate, so their first hits are final.
        let mut plates = vec![[-1.0, 3.0]; LEN];
        plates[0][0] = 0.001;
        let starts = |k: usize| if k % 16 == 15 { 0.0 } else { 0.002 };
        compare((0..64).map(starts).collect(), plates);
    }

    /// The greatest float that is at most `x`.
    fn below(x: &Dyadic) -> f32 {
        let mut found = x.to_f64() as f32;
        while Dyadic::of(found) > *x {
            found = found.next_down();
        }
        while Dyadic::of(found.next_up()) <= *x {
            found = found.next_up();
        }
        found
    }

    fn product(x: impl Into<f64>, y: impl Into<f64>) -> Dyadic {
        &Dyadic::of(x) * &Dyadic::of(y)
    }

    /// A box on the move: its ends at the start.
    struct Mover {
        ends: [[Dyadic; 2]; 3],
        displacement: [f32; 3],
    }

    impl Mover {
        /// The box with these bounds at the start.
        fn of(row: &Row, displacement: [f32; 3]) -> Self {
            let ends = [0, 1, 2].map(|k| [Dyadic::of(row[k]), -&Dyadic::of(row[4 + k])]);
            Mover { ends, displacement }
        }

        /// The interval of an axis at a time, grown by a reach.
        fn interval(&self, k: usize, time: f64, reach: &Dyadic) -> [Dyadic; 2] {
            let way = product(self.displacement[k], time);
            let [low, high] = &self.ends[k];
            [&(low + &way) - reach, &(high + &way) + reach]
        }

        /// A box that this one touches at a time: on one axis hardly before, on the others hardly after.
        fn touched(
            &self,
            rng: &mut impl Rng,
            time: f64,
            reach: &Dyadic,
            size: f32,
        ) -> [[f32; 2]; 3] {
            let first = rng.random_range(0..3);
            [0, 1, 2].map(|k| {
                let [low, high] = self.interval(k, time, reach);
                let (low, high) = (-below(&-&low), below(&high));
                let size = size * rng.random_range(0.5..1.0f32);
                // Far out floats are coarse.
                if (k == first) == (self.displacement[k] < 0.0) {
                    [(low - size).min(high), low]
                } else {
                    [high, (high + size).max(low)]
                }
            })
        }
    }

    /// A block of equal boxes.
    fn block([x, y, z]: [[f32; 2]; 3]) -> Block {
        [x[0], y[0], z[0], -x[1], -y[1], -z[1]].map(|side| [side; 8])
    }

    /// Bounds of a size whose way is about the origin, where floats are finest.
    fn random_row(rng: &mut impl Rng, displacement: [f32; 3], size: f32) -> Row {
        let mut row = [0.0; 8];
        for k in 0..3 {
            let low = -displacement[k] * rng.random_range(0.3..0.7f32);
            (row[k], row[4 + k]) = (low, -(low + size * rng.random_range(0.5..1.0f32)));
        }
        row
    }

    /// A displacement, on one axis perhaps short or subnormal.
    fn random_displacement(rng: &mut impl Rng, most: f32) -> [f32; 3] {
        let mut by = [(); 3].map(|()| most * rng.random_range(0.2..1.0f32));
        by[rng.random_range(0..3)] *=
            [1.0, 1e-3, 0.0, 2f32.powi(-20), 2f32.powi(-135)][rng.random_range(0..5)];
        by.map(|x| if rng.random_bool(0.5) { -x } else { x })
    }

    #[test]
    fn whole_way_reaches_the_boxes_that_its_shape_touches() {
        let mut rng = rng("whole ways");
        for _ in 0..100_000 {
            let displacement = random_displacement(&mut rng, 1.0);
            let size = [0.0, 2f32.powi(-137), 1e-3, 1.0][rng.random_range(0..4)];
            // Bounds during the frame; those at the start are exact differences.
            let mut row = random_row(&mut rng, displacement, size);
            for k in 0..3 {
                row[k] += displacement[k].min(0.0);
                row[4 + k] -= displacement[k].max(0.0);
            }
            let mut mover = Mover::of(&row, displacement);
            for (ends, by) in mover.ends.iter_mut().zip(displacement) {
                ends[0] = &ends[0] - &Dyadic::of(by.min(0.0));
                ends[1] = &ends[1] - &Dyadic::of(by.max(0.0));
            }
            let threshold = [0.0, 0.1][rng.random_range(0..2)];
            let time = rng.random_range(0.0..1.0f32);
            let reach = Dyadic::of(threshold);
            let target = mover.touched(&mut rng, f64::from(time), &reach, 1.0);
            let way = Way::whole(&row, displacement, threshold);
            let limit = ByTime::limit(time, &way);
            let (met, near) = ByTime::test(One, &way, &block(target), 0, limit);
            assert!(
                met,
                "{near} after {time}: {row:?} by {displacement:?} at {target:?}"
            );
        }
    }

    /// Ways of shapes with these bounds, cut to a target.
    struct CutWay {
        row: Row,
        displacement: [f32; 3],
        threshold: f32,
        /// As in [`Cut`].
        coarse: (f32, f32),
    }

    impl CutWay {
        /// Largest distance of a hit from the bounds at the time at which it is found.
        fn reach(&self) -> Dyadic {
            let way: Dyadic = self.displacement.iter().map(|x| Dyadic::of(x.abs())).sum();
            let size: Dyadic = [0, 1, 2, 4, 5, 6]
                .iter()
                .map(|k| -&Dyadic::of(self.row[*k]))
                .sum();
            let band = if self.coarse.1 == f32::INFINITY {
                way.clone()
            } else {
                let half = &size * &product(self.coarse.0, 0.5);
                way.clone().min(&half + &Dyadic::of(self.coarse.1))
            };
            let (in_f32, in_f64) = (2025.0 * 2f64.powi(-24), 2f64.powi(-41));
            [
                Dyadic::of(self.threshold),
                &band * &Dyadic::of(in_f32),
                &way * &Dyadic::of(in_f64),
            ]
            .into_iter()
            .sum()
        }

        /// Whether the way reaches a target at a time that is rounded, if all targets are within some bounds.
        fn reaches(&self, target: [[f32; 2]; 3], around: [[f32; 2]; 3], time: f64) -> bool {
            let cut = Cut {
                around: block(around).map(|side| side[0]),
                coarse: self.coarse,
            };
            let shapes = [(&self.row, self.displacement); WAYS];
            let mut ways = [None; WAYS];
            Way::cut(Double, &shapes, self.threshold, &cut, &mut ways);
            let Some(way) = ways[0] else {
                return false;
            };
            let limit = ByTime::limit(time as f32, &way);
            ByTime::test(One, &way, &block(target), 0, limit).0
        }
    }

    #[test]
    fn cut_way_reaches_the_boxes_that_its_shape_touches() {
        let mut rng = rng("cut ways");
        for _ in 0..100_000 {
            let longest = [2f32.powi(-126), 1.0, 1e3, 1e9][rng.random_range(0..4)];
            let displacement = random_displacement(&mut rng, longest);
            let size = [0.0, 2f32.powi(-137), 1e-3, 1.0][rng.random_range(0..4)];
            let target_size = [0.0, 1e-3, 1.0][rng.random_range(0..3)];
            let way = CutWay {
                row: random_row(&mut rng, displacement, size),
                displacement,
                threshold: [0.0, 0.1][rng.random_range(0..2)],
                coarse: [(0.0, f32::INFINITY), (COARSE, COARSE * 3.0 * target_size)]
                    [rng.random_range(0..2)],
            };
            let time = rng.random_range(0.0..1.0f64);
            let mover = Mover::of(&way.row, displacement);
            let target = mover.touched(&mut rng, time, &way.reach(), target_size);
            let more = [0.0, 1.0][rng.random_range(0..2)];
            let around = target.map(|[from, to]| [from - more, to + more]);
            assert!(
                way.reaches(target, around, time),
                "{:?} by {displacement:?} at {time}: {target:?}",
                way.row
            );
        }
    }

    #[test]
    fn short_way_far_out_reaches_the_points_that_it_touches() {
        let mut rng = rng("short ways far out");
        let mut tried = 0;
        for _ in 0..1_000_000 {
            // A point far out passes another one: on one axis it arrives hardly before it leaves on another.
            let [x, y] = [(); 2].map(|()| rng.random_range(1.0..1.9f32));
            let step = 2f32.powi(-23);
            let threshold = rng.random_range(0.5..1.0) * 2f32.powi(-32);
            let (steps, time) = (
                [(); 2].map(|()| rng.random_range(1..8u8)),
                rng.random_range(0.2..0.8),
            );
            let length = f32::from(steps[0]) * step / time;
            let target = [
                [x + f32::from(steps[0]) * step; 2],
                [y + f32::from(steps[1]) * step; 2],
                [0.0; 2],
            ];
            let gaps = |length: f32, other: f32| {
                let way = CutWay {
                    row: [x, y, 0.0, 0.0, -x, -y, -0.0, 0.0],
                    displacement: [length, other, 0.0],
                    threshold,
                    coarse: (COARSE, 0.0),
                };
                let reach = way.reach();
                let enter = &Dyadic::of(f32::from(steps[0]) * step) - &reach;
                let exit = &Dyadic::of(f32::from(steps[1]) * step) + &reach;
                (way, enter, exit)
            };
            let (_, enter, exit) = gaps(length, length);
            let other = (exit.to_f64() / (enter.to_f64() / f64::from(length))) as f32;
            let (way, enter, exit) = gaps(length, other);
            // enter / length ≤ exit / other
            if &enter * &Dyadic::of(other) > &exit * &Dyadic::of(length) {
                continue;
            }
            tried += 1;
            let time = (exit.to_f64() / f64::from(other)).min(1.0);
            assert!(
                way.reaches(target, target, time),
                "{:?} by {:?}",
                way.row,
                way.displacement
            );
        }
        assert!(tried > 10_000);
    }

    #[test]
    fn shapes_that_may_be_nearest_are_not_skipped() {
        let mut rng = rng("nearest shapes");
        const U: f64 = 1.0 / (1u64 << 24) as f64;
        let (mut nearest, mut skipped) = (f64::INFINITY, 0);
        for _ in 0..200_000 {
            let sizes = [(); 2].map(|()| 10f64.powf(rng.random_range(-3.0..3.0)));
            let gap = sizes[0].max(sizes[1]) * 10f64.powf(rng.random_range(-5.0..3.0));
            // Boxes with a gap on some axes, their bounds, and the sums of their half extents.
            let (mut rows, mut sums, mut squared) = ([[0.0f32; 8]; 2], [0.0; 2], 0.0);
            let mut boxes = [[[0.0; 2]; 3]; 2];
            let [first, second] = &mut boxes;
            for (ends, other) in first.iter_mut().zip(second) {
                let [a, b] = sizes.map(|size| size * rng.random_range(0.0..1.0f64));
                let is_apart = rng.random_bool(0.5);
                let gap = if is_apart {
                    gap
                } else {
                    -a * rng.random_range(0.0..1.0f64)
                };
                (*ends, *other) = ([-a - gap, -gap], [0.0, b]);
                squared += gap.max(0.0) * gap.max(0.0);
                (sums[0], sums[1]) = (sums[0] + 0.5 * a, sums[1] + 0.5 * b);
            }
            for (row, (ends, sum)) in rows.iter_mut().zip(boxes.iter().zip(sums)) {
                let by = 2030.0 * U * sum + 2f64.powi(-57);
                for (k, [low, high]) in ends.iter().enumerate() {
                    row[k] = below(&Dyadic::of(low - by));
                    row[4 + k] = below(&Dyadic::of(-(high + by)));
                }
            }
            // The least lower bound that a kernel finds, as proved in the header.
            let part = 1.0 - 2f64.powi(-16) - 1110.0 * U;
            let lower = squared.sqrt() * part - 2390.0 * U * (sums[0] + sums[1]) - 2f64.powi(-57);
            let best = lower.max(0.0) as f32;
            let mut ways = [None; WAYS];
            let shapes = [(&rows[0], [0.0; 3]); WAYS];
            ByDistance::make_ways(One, &shapes, &Scope::whole(0.0), &mut ways);
            let way = ways[0].expect("a way");
            let sides = [0, 1, 2, 4, 5, 6].map(|k| [rows[1][k]; 8]);
            let (met, found) =
                ByDistance::test(One, &way, &sides, 0, ByDistance::limit(best, &way));
            assert!(met, "{found} above {best}: {rows:?}");
            if best > 0.0 {
                nearest = nearest.min(f64::from(best) / f64::from(found).sqrt());
                let limit = ByDistance::limit(best * 0.99, &way);
                skipped += usize::from(!ByDistance::test(One, &way, &sides, 0, limit).0);
            }
        }
        assert!(nearest < 1.0 && skipped > 10_000, "{nearest}, {skipped}");
    }

    #[test]
    fn limit_that_boxes_imply_is_above_their_farthest_points() {
        let mut rng = rng("farthest points");
        let (mut unknown, mut widest) = (0, 0.0f64);
        for _ in 0..50_000 {
            let size = 10f32.powf(rng.random_range(-17.0..17.0));
            let mut row = || -> Row {
                let mut row = [0.0; 8];
                for k in 0..3 {
                    let (center, half) = (rng.random_range(-1.0..1.0), rng.random_range(0.0..1.0));
                    row[k] = size * (center - half);
                    row[4 + k] = -(size * (center + half));
                    if rng.random_bool(0.01) {
                        row[k + 4 * rng.random_range(0..2)] = -MAX_LENGTH;
                    }
                }
                row
            };
            let (own, rows) = (row(), [(); 8].map(|()| row()));
            let mut ways = [None; WAYS];
            let shapes = [(&own, [0.0; 3]); WAYS];
            ByDistance::make_ways(One, &shapes, &Scope::whole(0.0), &mut ways);
            let way = ways[0].expect("a way");
            let block: Block = [0, 1, 2, 4, 5, 6].map(|k| rows.map(|row| row[k]));
            let which: u32 = rng.random_range(0..256);
            let is_known = |row: &Row| row.iter().all(|side| *side > -MAX_LENGTH);
            let farthest = |row: &Row| {
                let apart = [0, 1, 2].map(|k| {
                    let [low, high] = [row[k], -row[4 + k]].map(f64::from);
                    let [own_low, own_high] = [own[k], -own[4 + k]].map(f64::from);
                    (high - own_low).max(own_high - low).powi(2)
                });
                apart[0] + apart[1] + apart[2]
            };
            let counted = (0..8).filter(|lane| which >> lane & 1 == 1 && is_known(&rows[*lane]));
            let least = counted
                .map(|lane| farthest(&rows[lane]))
                .fold(f64::INFINITY, f64::min);
            let keys = array::from_fn(|lane| [f32::INFINITY, 0.0][which as usize >> lane & 1]);
            let limit = f64::from(ByDistance::implied_limit(One, &way, &block, &keys));
            if !is_known(&own) || least.is_infinite() {
                assert_eq!(limit, f64::INFINITY);
                unknown += 1;
                continue;
            }
            // The upper bound of the distance, its floor, and the rule by which nodes are skipped.
            let upper = least.sqrt() * (1.0 + 1.0 / 1024.0) + 2f64.powi(-56);
            assert!(
                limit >= upper * upper * (1.0 + 1.0 / 512.0),
                "{limit} {least}"
            );
            if size > 1e-9 {
                widest = widest.max(limit / least);
            }
        }
        assert!(unknown > 1000 && widest < 1.01, "{unknown} {widest}");
    }

    /// Ways from about one place in about one direction; those of some bundles begin at different times.
    fn bundled_ways(rng: &mut impl Rng) -> [Option<Way>; MEMBERS] {
        let back: [bool; 3] = array::from_fn(|_| rng.random());
        let length = 10f32.powf(rng.random_range(-3.0..3.0));
        let main: [f32; 3] = array::from_fn(|_| length * rng.random_range(0.0..1.0f32));
        let place: [f32; 3] = array::from_fn(|_| length * rng.random_range(-2.0..2.0f32));
        let spread = length * 10f32.powf(rng.random_range(-6.0..-1.3));
        let late = [0.0, 0.01][rng.random_range(0..2)];
        let later = 1.0 + 1.0 / f64::from(1 << 20);
        array::from_fn(|_| {
            let mut way = Way::NONE;
            for k in 0..3 {
                way.set_sides(k, back[k]);
                let start = place[k] + spread * rng.random_range(-0.5..0.5f32);
                let radius = spread * rng.random_range(0.0..0.1f32);
                (way.lead[k], way.tail[k]) = (start + radius, start - radius);
                way.set_length(
                    k,
                    (main[k] + spread * rng.random_range(-0.5..0.5f32)).max(0.0),
                );
            }
            (way.from, way.later) = (late * rng.random_range(0.0..1.0), later);
            rng.random_bool(0.95).then_some(way)
        })
    }

    /// A block whose AABBs some ways reach, many of them hardly.
    fn block_on(rng: &mut impl Rng, ways: &[Option<Way>; MEMBERS]) -> Block {
        let boxes: [[f32; 6]; 8] = array::from_fn(|_| {
            let at = ways[rng.random_range(0..MEMBERS)].unwrap_or(Way::NONE);
            let time = rng.random_range(0.0..1.0f32);
            let length = at.before.iter().map(|x| 1.0 / x).fold(1.0, f32::max);
            let size = length * 10f32.powf(rng.random_range(-3.0..0.0));
            let enters = rng.random_range(0..3);
            let mut sides = [0.0; 6];
            for k in 0..3 {
                let way = time / at.before[k];
                // It is left at this time on two axes, and entered on the third.
                let (near, far) = if k == enters {
                    (at.lead[k] + way, at.lead[k] + way + size)
                } else {
                    (at.tail[k] + way - size, at.tail[k] + way)
                };
                (sides[at.near[k]], sides[at.far[k]]) = (near, -far);
            }
            sides
        });
        array::from_fn(|side| boxes.map(|sides| sides[side]))
    }

    #[test]
    fn bundle_reaches_what_a_member_reaches_and_not_later() {
        let (mut rng, mut bundle) = (rng("bundles"), Bundle::default());
        let (mut joined, mut reached, mut first) = (0, 0, 0);
        let cases = cases_or(20_000);
        for _ in 0..cases {
            let ways = bundled_ways(&mut rng);
            let Some(way) = join(&ways) else {
                continue;
            };
            joined += 1;
            let shapes: [u32; MEMBERS] = array::from_fn(|_| rng.random());
            let firsts: [First; MEMBERS] =
                array::from_fn(|_| First::earlier(rng.random_range(-0.05..1.0f32).max(0.0)));
            bundle.set(&ways, &shapes);
            let limit = bundle.limit(&way, firsts.iter().map(First::open_until));
            assert_eq!(bundle.shapes, shapes);
            let block = block_on(&mut rng, &ways);
            for lane in 0..8 {
                let members = bundle.reach(One, &way, &block, lane);
                let (met, near) = ByTime::test(One, &way, &block, lane, limit);
                for (k, member) in ways.iter().enumerate() {
                    let Some(member) = member else {
                        assert_eq!(members >> k & 1, 0);
                        continue;
                    };
                    let own = ByTime::limit(firsts[k].enter, member);
                    let (is_met, time) = ByTime::test(One, member, &block, lane, own);
                    // A member with a final result reaches nothing more.
                    let is_met = is_met && !firsts[k].is_final();
                    assert_eq!(members >> k & 1 == 1, is_met, "{member:?} {block:?}");
                    // A node that the member visits is neither skipped nor dropped.
                    if is_met {
                        assert!(met && near <= time && near <= limit, "{way:?} {member:?}");
                        reached += 1;
                        first += usize::from(near < time);
                    }
                }
            }
        }
        assert!(
            joined > cases / 2 && first > cases / 2 && reached > first,
            "{joined} {reached} {first}"
        );
    }

    #[test]
    fn ways_that_part_are_not_joined() {
        let mut rng = rng("ways that part");
        let ways = loop {
            let ways = bundled_ways(&mut rng);
            if join(&ways).is_some() {
                break ways;
            }
        };
        let change = |by: &dyn Fn(&mut Way)| {
            let mut ways = ways;
            by(ways[5].get_or_insert(Way::NONE));
            join(&ways).is_some()
        };
        let length = ways
            .iter()
            .flatten()
            .map(|way| 1.0 / way.before[0])
            .fold(0.0, f32::max);
        let is_back = ways.iter().flatten().any(|way| way.near[0] == 3);
        assert!(!change(&|way| way.set_sides(0, !is_back)));
        assert!(!change(&|way| way.lead[0] += 9.0 * length));
        assert!(!change(&|way| way.lead[0] = f32::MAX));
        let mut short = ways;
        let ways_in_tree = short.iter_mut().flatten();
        ways_in_tree.for_each(|way| way.to = way.from + 1e-9);
        assert!(join(&short).is_none());
        let mut few = ways;
        few[7..].fill(None);
        assert!(join(&few).is_none());
    }
}
