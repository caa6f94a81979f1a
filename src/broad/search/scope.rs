//! The order in which a search visits nodes, and its extent.

use crate::broad::row::Row;
use crate::broad::search::bundle::MEMBERS;
use crate::broad::search::way::Way;
use crate::lane::{Float, Lanes, Mask};
use crate::store::tree::{Block, Tree};

/// The order in which a search visits nodes.
pub trait Approach: Send {
    /// Whether the blocks of leaves hold whole shapes, so that [`distances`](Self::distances) tests them.
    const HAS_SHAPES: bool = false;
    /// Whether shapes [join](Self::join).
    const JOINS: bool = false;
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
    /// As [`test`](Self::test), for a block of a leaf.
    #[inline(always)]
    fn test_leaf<L: Lanes>(
        lanes: L,
        way: &Way,
        block: &Block,
        at: usize,
        limit: L::F,
    ) -> (L::M, L::F) {
        Self::test(lanes, way, block, at, limit)
    }
    /// The limit on this way, given the best result so far.
    fn limit(best: f32, way: &Way) -> f32;
    /// The limit on this way that those AABBs of a block imply whose sort key is finite, whatever their shapes are.
    #[inline(always)]
    fn implied_limit<L: Lanes>(_: L, _way: &Way, _block: &Block, _keys: &[f32; 8]) -> f32 {
        f32::INFINITY
    }
    /// The lower and the upper bounds of the distances of shapes from the shapes of a leaf, given their positions.
    #[inline(always)]
    fn distances<L: Lanes>(_: L, _shapes: [&[f32; 8]; 3], _leaf: [&[f32; 8]; 3]) -> [[f32; 8]; 2] {
        [[0.0; 8]; 2]
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
    pub cut: Option<Cut>,
}

/// Bounds of the targets.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// The bounds of all targets, as in a block.
    pub around: [f32; 6],
    /// The largest length of a way that is tested in `f32` alone, relative to the size of the searching shape, and its part for
    /// the largest target.
    pub coarse: (f32, f32),
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

/// Length of a way up to which a pair may be tested in `f32` alone, in sizes of both shapes: above the 14 of
/// [`PairLengths`](crate::shapes::form::PairLengths).
pub const COARSE: f32 = 16.0;

/// The most ways that are made at once.
pub const WAYS: usize = 4;

/// The ways of shapes that follow each other.
pub type Ways = [Option<Way>; MEMBERS];

/// Mask of the numbers that are at most a limit.
#[inline(always)]
pub fn at_most<L: Lanes>(lanes: L, numbers: &[f32; 8], limit: f32) -> u32 {
    let (mut mask, mut at) = (0, 0);
    while at < 8 {
        let met = lanes.load(&numbers[at..]).le(lanes.splat(limit));
        mask |= (met.bits() as u32) << at;
        at += L::COUNT;
    }
    mask
}

/// Mask of the AABBs of a block that are reached within a limit, and their sort keys; +∞ for others.
#[inline(always)]
pub fn reach<O: Approach, L: Lanes, const IS_LEAF: bool>(
    lanes: L,
    way: &Way,
    block: &Block,
    limit: f32,
    order: &mut [f32; 8],
) -> u32 {
    let (limit, never) = (lanes.splat(limit), lanes.splat(f32::INFINITY));
    let (mut reached, mut at) = (0, 0);
    while at < 8 {
        let (met, by) = if IS_LEAF {
            O::test_leaf(lanes, way, block, at, limit)
        } else {
            O::test(lanes, way, block, at, limit)
        };
        lanes.store(by.select(met, never), &mut order[at..]);
        reached |= (met.bits() as u32) << at;
        at += L::COUNT;
    }
    reached
}
