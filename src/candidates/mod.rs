//! Broad phase: the pairs whose bounds overlap, found by a bounding volume hierarchy (BVH).
//!
//! 1. **Rows**: the [bounds](crate::shapes::Bounded) of each shape, an AABB, as one row of numbers.
//! 2. **Keys** ([`keys`]): the order of the centers along a Hilbert curve, in which neighbours are near in space.
//! 3. **Tree** ([`tree`]): a BVH with eight children per node, built bottom up over that order. The tree of an
//!    unchanged store is cached.
//! 4. **Walk** ([`traversal`]): each block of eight shapes queries the other tree, or its own, and collects
//!    overlapping pairs.
//! 5. **Sort** ([`sort`]): puts the pairs in order.
//!
//! Temporal coherence ([`pair_cache`]): pairs of fat AABBs are cached. While every shape stays inside its fat AABB,
//! only the cached pairs are retested.
//!
//! # The same list everywhere
//!
//! A pair is listed if, on each axis, the rounded difference of the ends of its bounds is at most the reach.
//! These are the comparisons of `aabb_aabb_overlap`. Rounding is monotone and the ends of nodes are minima of
//! exact numbers, so a node passes the comparisons if anything in it does. Hence no key, node, lane or thread
//! decides about a pair.
//!
//! Nor does a cached list. An AABB inside its fat AABB is no closer to others than the fat one, so the list
//! contains every overlapping pair. Each of its pairs is retested. Each pair is found once and the order is that
//! of indices, so the sorted list does not depend on how it was found.

use alloc::vec::Vec;

use crate::error::{Error, InvalidShapes};
use crate::lane::Simd;
use crate::pages::{self, Lines};
use crate::pairs::Pair;
use crate::shapes::{Bounded, BoundsTo, CacheSlot, Centers, Columns, During, Shapes, Tree};
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

/// The bounds of a shape, in the layout of rows of `Aabb`: the lowest corner, a zero, the negated highest corner
/// and a zero. All numbers are +∞ if the shape is invalid.
type Row = [f32; 8];

/// Bounded shapes of one type.
pub trait BoundsSource: Sync {
    /// Number of shapes.
    fn len(&self) -> usize;
    /// Writes the bounds of the shapes from `first` on.
    fn write(&self, simd: Simd, first: usize, rows: &mut [Row]) -> Centers;
    /// The cache slot for the tree, if the shapes are in a store.
    fn kept(&self) -> Option<&CacheSlot<Tree>>;
}

/// The shapes on one side of the pairs.
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

/// Returns the indices of the shapes in an order in which neighbours are near each other in space, by their positions at
/// the start of the frame. Invalid shapes come last. The order is the same on every CPU.
///
/// For [`Store::reorder`](crate::Store::reorder), and for any other column kept beside the store.
///
/// ```
/// use phalanx::{Sphere, Spheres, spatial_order};
///
/// let at = |x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 };
/// let mut spheres = Spheres::from_slice(&[at(0.0), at(90.0), at(1.0), at(91.0)]);
/// let order = spatial_order(&spheres);
/// spheres.reorder(&order)?;
/// let x = spheres.columns().center[0];
/// assert!((x[0] - x[1]).abs() == 1.0 && (x[2] - x[3]).abs() == 1.0);
/// # Ok::<(), phalanx::Error>(())
/// ```
#[cfg_attr(docsrs, doc(cfg(feature = "candidates")))]
pub fn spatial_order<A>(shapes: &A) -> Vec<u32>
where
    A: Shapes + ?Sized,
    A::Shape: Bounded,
{
    let view = shapes.view();
    let columns = &Columns::of(&view);
    let during = During::Start;
    let workers = Workers::new(Simd::best(), cfg!(feature = "rayon"));
    let (mut side, mut entries) = (SideBounds::default(), Entries::default());
    let source = BoundedSide { columns, during };
    let sorted = side.order(workers.of_at_most(8), &source, &mut entries);
    let mut order = Vec::with_capacity(columns.len());
    order.extend(sorted.iter().map(|entry| *entry as u32));
    let is_invalid = |i: &u32| side.rows()[*i as usize][0] == f32::INFINITY;
    order.extend((0..columns.len() as u32).filter(is_invalid));
    order
}

/// Pairs to list, and the tree that queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Unordered pairs of one store, the lower index first.
    SelfPairs,
    /// Pairs of the first store with the second; the first queries the second.
    CrossPairs,
    /// Pairs of the first store with the second; the second queries the first.
    CrossPairsSwapped,
}

/// Memory reused by calls.
#[derive(Debug, Default)]
pub struct Candidates {
    /// State of recent calls, each with other store lengths, most recent first.
    calls: Vec<CachedCall>,
    trees: [Tree; 2],
    scratch: Scratch,
    traversal_scratch: Vec<TraversalScratch>,
    sorter: Sorter,
    /// One bit for each pair of a cached list: whether it overlaps.
    bits: Vec<u64>,
}

/// Maximum number of remembered calls. A typical frame has four: moving shapes with themselves and with a
/// level, each with and without motion.
const CALLS: usize = 4;

/// State kept from one call to the next.
#[derive(Debug, Default)]
struct CachedCall {
    /// Number of shapes on either side; `None` on the second side for pairs within one store.
    lens: (usize, Option<usize>),
    sides: [SideBounds; 2],
    list: PairCache,
}

/// Scratch memory for building a tree.
#[derive(Debug, Default)]
struct Scratch {
    entries: Entries,
    parents: [Lines; 2],
}

/// Number of shapes from which the jobs of a call share a team.
pub const TEAM: usize = 1 << 13;

/// Maximum number of pairs per shape in a cached list. In a longer list most pairs do not overlap, or the shapes
/// are so dense that a rebuild costs little more than a retest.
const KEPT_FOR_EACH: usize = 16;

impl Candidates {
    /// Replaces `pairs` by those whose bounds are at most `threshold` apart. Returns the numbers of invalid shapes.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], with `pairs` unchanged.
    pub fn find(
        &mut self,
        workers: Workers,
        a: &dyn BoundsSource,
        b: Option<&dyn BoundsSource>,
        threshold: f32,
        pairs: &mut Vec<Pair>,
    ) -> Result<InvalidShapes, Error> {
        let most = a.len().max(b.map_or(0, |b| b.len()));
        if most < TEAM {
            return self.find_by(workers, a, b, threshold, pairs);
        }
        workers.together(|workers| self.find_by(workers, a, b, threshold, pairs))
    }

    fn find_by(
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
        // An unchanged store needs no fat AABBs.
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
                // Too long to cache: find the exact list only.
                (true, false) => list.give_up(),
            }
        }
        list.complete(threshold);
        let other = if b.is_some() { side_b } else { &*side_a };
        filter(workers, list, [side_a, other], threshold, bits, pairs)?;
        Ok(invalid)
    }
}

/// Retests a cached list: replaces `pairs` by those of its pairs whose bounds overlap.
///
/// If memory runs out, `pairs` is unchanged.
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

/// The state of calls with stores of these lengths, moved to the front.
fn call(calls: &mut Vec<CachedCall>, lens: (usize, Option<usize>)) -> &mut CachedCall {
    let place = calls.iter().position(|call| call.lens == lens);
    let place = place.unwrap_or_else(|| {
        if calls.len() < CALLS {
            calls.push(CachedCall::default());
        }
        // Reuse the memory of the least recently used one.
        let place = calls.len() - 1;
        calls[place].lens = lens;
        calls[place].list.forget();
        calls[place].sides.iter_mut().for_each(SideBounds::forget);
        place
    });
    calls[..=place].rotate_right(1);
    &mut calls[0]
}
