//! Candidates: the pairs whose bounds touch, found without asking about all pairs.
//!
//! 1. **Rows**: the [bounds](crate::shapes::Bounded) of each shape as one row of numbers.
//! 2. **Keys** ([`keys`]): shapes are put in Morton order of their centers, so that neighbours in the order are
//!    neighbours in space.
//! 3. **Tree** ([`tree`]): boxes around each eight of that order, boxes around each eight of these, and so on.
//!    A store at rest keeps its tree.
//! 4. **Walk** ([`traversal`]): each block of eight shapes descends the other tree, or its own, and pairs that touch
//!    are written down as they are found.
//! 5. **Sort** ([`sort`]): the pairs are put in order.
//!
//! Shapes that move little have a shorter way ([`pair_cache`]): the list of bounds that are a little larger is kept,
//! and as long as all bounds are within those, only the pairs in it are asked about.
//!
//! # The same list everywhere
//!
//! A pair is listed if, on each axis, the rounded difference of the ends of its bounds is at most the reach.
//! These are the comparisons of `aabb_aabb_overlap`. Rounding is monotone and ends of nodes are the least of
//! exact numbers, so a node passes the same comparisons if anything in it does: no key, node, lane or thread
//! decides about a pair. Nor does a kept list: bounds within larger ones are no closer than these, so it holds
//! all that touch, and each is asked about again. The order is that of numbers, each pair is found once, so the
//! sorted list is the same whatever the way.

use alloc::vec::Vec;

use crate::error::Error;
use crate::lane::Simd;
use crate::pages::{self, Lines};
use crate::pairs::Pair;
use crate::shapes::{Bounded, BoundsTo, CacheSlot, Centers, Columns, During, Tree};
use crate::threads::Workers;

mod found;
mod keys;
mod pair_cache;
mod pieces;
mod rows;
mod sort;
mod traversal;
mod tree;

use found::Budget;
use keys::Entries;
use pair_cache::{CopyPairs, PairCache, TestPairs};
use rows::SideBounds;
use sort::Sorter;
use traversal::{Traversal, TraversalScratch};

/// The bounds of a shape, as rows of `Aabb` are: the lowest corner and a zero, the highest one with the sign
/// flipped and a zero. +∞ if it is bad.
type Row = [f32; 8];

/// Shapes of one kind that have bounds.
pub trait BoundsSource: Sync {
    /// How many there are.
    fn len(&self) -> usize;
    /// Writes the bounds of shapes from `first` on.
    fn write(&self, simd: Simd, first: usize, rows: &mut [Row]) -> Centers;
    /// The place for the tree of a store.
    fn kept(&self) -> Option<&CacheSlot<Tree>>;
}

/// One side of the pairs.
pub struct BoundedSide<'s, 'c, T: Bounded> {
    pub columns: &'s Columns<'c, T>,
    pub during: During,
}

impl<T: Bounded> BoundsSource for BoundedSide<'_, '_, T> {
    fn len(&self) -> usize {
        self.columns.len()
    }

    fn write(&self, simd: Simd, first: usize, rows: &mut [Row]) -> Centers {
        T::write_bounds(self.columns, self.during, simd, first, BoundsTo::Rows(rows))
    }

    fn kept(&self) -> Option<&CacheSlot<Tree>> {
        let cache = self.columns.cache()?;
        Some(&cache.form(self.during.motion()).tree)
    }
}

/// Which pairs are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Each two of one store once, the lower index first.
    SelfPairs,
    /// Each of the first store with each of the second, which is walked by the first.
    CrossPairs,
    /// Each of the first store with each of the second; the first is walked by the second.
    CrossPairsSwapped,
}

/// Numbers of invalid shapes, which are in no pair.
///
/// [`Store::validate`](crate::Store::validate) names the first one and what is wrong with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InvalidShapes {
    /// Number of invalid shapes of the first store.
    pub a: usize,
    /// Number of invalid shapes of the second store; the same number if both are one store.
    pub b: usize,
}

impl InvalidShapes {
    /// Whether there are any.
    pub fn any(self) -> bool {
        self.a > 0 || self.b > 0
    }
}

/// Memory that calls reuse.
#[derive(Debug, Default)]
pub struct Candidates {
    /// What is kept of calls with stores of other lengths each, the last one in front.
    calls: Vec<CachedCall>,
    trees: [Tree; 2],
    scratch: Scratch,
    traversal_scratch: Vec<TraversalScratch>,
    sorter: Sorter,
    /// A bit for each pair of a kept list.
    bits: Vec<u64>,
}

/// The most calls of which something is kept: say, what moves within itself and against a level, with and
/// without motion.
const CALLS: usize = 4;

/// What is kept of a call.
#[derive(Debug, Default)]
struct CachedCall {
    /// How many shapes there were on either side, none on the second one within one store.
    lens: (usize, Option<usize>),
    sides: [SideBounds; 2],
    list: PairCache,
}

/// Memory for making a tree.
#[derive(Debug, Default)]
struct Scratch {
    entries: Entries,
    parents: [Lines; 2],
}

/// Pairs for each shape up to which a list is kept. A longer one holds mostly pairs that do not touch, or
/// is that of shapes so dense that finding it anew costs little more.
const KEPT_FOR_EACH: usize = 16;

impl Candidates {
    /// Replaces `pairs` by those whose bounds are no further apart than `threshold`, or leaves them if there is no
    /// memory for as many. Returns how many shapes of either side are invalid.
    pub fn find(
        &mut self,
        workers: Workers,
        a: &dyn BoundsSource,
        b: Option<&dyn BoundsSource>,
        threshold: f32,
        pairs: &mut Vec<Pair>,
    ) -> Result<InvalidShapes, Error> {
        let lens = (a.len(), b.map(|b| b.len()));
        let Candidates {
            calls,
            trees: [first, second],
            scratch,
            traversal_scratch,
            sorter,
            bits,
        } = self;
        let call = call(calls, lens);
        let [side_a, side_b] = &mut call.sides;
        let rest_a = side_a.update(workers, a, scratch);
        let rest_b = b.and_then(|b| side_b.update(workers, b, scratch));
        let invalid = InvalidShapes {
            a: side_a.invalid(),
            b: if b.is_some() { &*side_b } else { &*side_a }.invalid(),
        };

        let list = &mut call.list;
        let is_within = |side: &SideBounds| side.is_within(workers);
        let holds =
            list.is_of(threshold) && is_within(side_a) && (b.is_none() || is_within(side_b));
        let skin = match list.plan(holds) {
            pair_cache::Plan::Reuse => {
                let other = if b.is_some() { side_b } else { &*side_a };
                filter(workers, list, [side_a, other], threshold, bits, pairs)?;
                return Ok(invalid);
            }
            pair_cache::Plan::Build { skin } => skin,
        };
        // A side at rest needs no room.
        if let Some(part) = skin {
            let skin = part * side_a.usual_size().max(side_b.usual_size());
            side_a.grow(workers, skin, rest_a.is_some());
            if b.is_some() {
                side_b.grow(workers, skin, rest_b.is_some());
            }
        }
        let both = lens.0.saturating_add(lens.1.unwrap_or(0));
        loop {
            let grown = list.is_kept();
            let tree_a = match rest_a {
                Some(tree) => tree,
                None => side_a.build(workers, grown, scratch, first),
            };
            let tree_b = match (b, rest_b) {
                (None, _) => tree_a,
                (_, Some(tree)) => tree,
                _ => side_b.build(workers, grown, scratch, second),
            };
            // Cost follows the query side, so the smaller tree queries the larger one.
            let (pairing, query, target) = match b {
                None => (Pairing::SelfPairs, tree_a, tree_a),
                Some(_) if tree_a.len() <= tree_b.len() => (Pairing::CrossPairs, tree_a, tree_b),
                Some(_) => (Pairing::CrossPairsSwapped, tree_b, tree_a),
            };
            let budget = Budget::new(if grown {
                both.saturating_add(1024).saturating_mul(KEPT_FOR_EACH)
            } else {
                usize::MAX
            });
            let within = pairing == Pairing::SelfPairs;
            let traversal =
                Traversal::new(query, target, within, threshold, &budget, traversal_scratch);
            *traversal_scratch = workers.execute(traversal);
            let found = traversal_scratch
                .iter()
                .map(|walker| walker.found.len())
                .sum();
            let to = if grown { list.pairs_mut() } else { &mut *pairs };
            let sides = [lens.0, lens.1.unwrap_or(lens.0)];
            let is_whole = !budget.is_spent() && found <= budget.limit();
            let is_sorted = is_whole
                && sorter
                    .sort(workers, traversal_scratch, pairing, sides, to)
                    .is_ok();
            match (grown, is_sorted) {
                (false, true) => return Ok(invalid),
                (false, false) => {
                    traversal_scratch.clear();
                    return Err(Error::OutOfMemory { pairs: found });
                }
                (true, true) => break,
                // Too long to keep: find the exact list alone.
                (true, false) => list.give_up(),
            }
        }
        list.complete(threshold);
        let other = if b.is_some() { side_b } else { &*side_a };
        filter(workers, list, [side_a, other], threshold, bits, pairs)?;
        Ok(invalid)
    }
}

/// Replaces `pairs` by those of a list whose bounds touch, or leaves them if there is no memory for as many.
fn filter(
    workers: Workers,
    list: &PairCache,
    sides: [&SideBounds; 2],
    threshold: f32,
    bits: &mut Vec<u64>,
    pairs: &mut Vec<Pair>,
) -> Result<(), Error> {
    let list = list.pairs();
    let words = list.len().div_ceil(pair_cache::WORD);
    if bits.len() < words {
        pages::resize(bits, words, 0);
    }
    let bits = &mut bits[..words];
    let count = workers.execute(TestPairs::new(list, sides, threshold, bits));
    if pages::try_reserve_all(pairs, count).is_err() {
        return Err(Error::OutOfMemory { pairs: count });
    }
    pairs.resize(count, Pair::default());
    let to = &mut pairs[..];
    workers.execute(CopyPairs { list, bits, to });
    Ok(())
}

/// What is kept of calls with stores of these lengths.
fn call(calls: &mut Vec<CachedCall>, lens: (usize, Option<usize>)) -> &mut CachedCall {
    let place = calls.iter().position(|call| call.lens == lens);
    let place = place.unwrap_or_else(|| {
        if calls.len() < CALLS {
            calls.push(CachedCall::default());
        }
        // The memory of the one that has not been used for longest.
        let place = calls.len() - 1;
        calls[place].lens = lens;
        calls[place].list.forget();
        calls[place].sides.iter_mut().for_each(SideBounds::forget);
        place
    });
    calls[..=place].rotate_right(1);
    &mut calls[0]
}
