//! Broad phase: the pairs whose bounds overlap, found by a bounding volume hierarchy (BVH).
//!
//! 1. **Rows**: the [bounds](crate::shapes::bounds::Bounded) of each shape, an AABB, as one row of numbers.
//! 2. **Keys** ([`keys`](crate::broad::keys)): the order of the centers along a Hilbert curve, in which neighbours are near in space.
//! 3. **Tree** ([`tree`](crate::broad::tree)): a BVH with eight children per node, built bottom up over that order. The tree of an
//!    unchanged store is cached.
//!    A static store gets a tree with smaller nodes ([`area`](crate::broad::area)) once the accumulated cost of queries has reached its cost.
//! 4. **Walk** ([`traversal`](crate::broad::traversal)): each block of eight shapes queries the other tree, or its own, and collects
//!    overlapping pairs.
//! 5. **Sort** ([`sort`](crate::broad::sort)): puts the pairs in order.
//!
//! Temporal coherence ([`pair_cache`](crate::broad::pair_cache)): pairs of fat AABBs are cached. While every shape stays inside its fat AABB,
//! only the cached pairs are retested.
//!
//! # The same list everywhere
//!
//! A pair is listed if, on each axis, the rounded difference of the ends of its bounds is at most the reach. These are
//! the comparisons of `aabb_aabb_overlap`. Rounding is monotone and the ends of nodes are minima of exact numbers, so a
//! node passes the comparisons if any shape below it does. So no key, node, lane or thread decides about a pair.
//!
//! Nor does a cached list. An AABB inside its fat AABB is no closer to others than the fat AABB. So the list contains
//! every overlapping pair, and each is retested. Each pair is found once and sorted by indices, so the list does not
//! depend on the search.

use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem;

use crate::broad::few::FewScratch;
use crate::broad::keys::Entries;
use crate::broad::pair_cache;
use crate::broad::pair_cache::{CopyPairs, PairCache, RetestPairs};
use crate::broad::prepare;
use crate::broad::prepare::Prepared;
use crate::broad::ranked::RankedLists;
use crate::broad::row::{Admitted, BoundedSide, Pairing, Row};
use crate::broad::rows;
use crate::broad::rows::{SideBounds, Stamp, TreeScratch};
use crate::broad::search::bundle::Trials;
use crate::broad::search::by_distance::ByDistance;
use crate::broad::search::by_point::ByPoint;
use crate::broad::search::by_time::ByTime;
use crate::broad::search::found::Budget;
use crate::broad::search::scope::Scope;
use crate::broad::search::search::{Search, Seeker};
use crate::broad::search::wanted::{First, Targets, Wanted};
use crate::broad::sort::Sorter;
use crate::broad::traversal::{Traversal, TraversalScratch};
use crate::driver::call::Driver;
use crate::driver::settings::Settings;
use crate::driver::threads::Workers;
use crate::error::{Error, InvalidShapes};
use crate::lane::Simd;
use crate::memory::pages;
use crate::memory::pages::Lines;
use crate::pairs::Pair;
use crate::shapes::bounds::{Bounded, During, bounds_margin};
use crate::shapes::groups::{FilterColumns, Filters, PairFilter};
use crate::shapes::raw_columns::{BoundsOps, Motion};
use crate::store::columns::AnyColumns;
use crate::store::store::Shapes;
use crate::store::tree::Tree;

/// Returns the indices of the shapes in spatial order, by their positions at the start of the frame. Neighbours in the
/// order are near each other. Invalid shapes come last. The order is the same on every CPU.
///
/// Use it with [`Store::reorder`](crate::Store::reorder), and to reorder columns kept beside the store.
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
    let columns = &view.any_columns();
    let workers = Workers::new(Simd::best(), cfg!(feature = "rayon"));
    let (mut side, mut entries) = (SideBounds::default(), Entries::default());
    let source = BoundedSide::new(columns, A::Shape::OPS, Motion::None);
    let sorted = side.order(workers.of_at_most(8), &source, &mut entries);
    let mut order = Vec::with_capacity(columns.len());
    order.extend(sorted.iter().map(|entry| *entry as u32));
    let is_invalid = |i: &u32| side.rows()[*i as usize][0] == f32::INFINITY;
    order.extend((0..columns.len() as u32).filter(is_invalid));
    order
}

/// Memory reused by calls.
#[derive(Debug, Default)]
pub struct Candidates {
    /// State of recent calls with different keys, most recent first.
    calls: Vec<CachedCall>,
    /// The last stamp of their shapes.
    stamp: Stamp,
    trees: [Tree; 2],
    scratch: TreeScratch,
    traversal_scratch: Vec<TraversalScratch>,
    sorter: Sorter,
    /// One bit for each pair of a cached list: whether it overlaps.
    bits: Vec<u64>,
    /// Shapes of either side that changed since a list was found.
    changed: [Vec<u32>; 2],
    /// Their pairs.
    more: Vec<Pair>,
    search: SearchScratch,
    /// Memory of scans against few targets.
    pub few: FewScratch,
}

/// Memory for a search.
#[derive(Debug, Default)]
struct SearchScratch {
    /// The valid shapes, in the order of the search.
    order: Vec<u32>,
    found: Vec<First>,
    seekers: Vec<Seeker>,
    /// The bounds of moving shapes at the start of the frame.
    starts: Lines,
}

/// The shapes that may be hit.
#[derive(Clone, Copy)]
pub enum Among<'s> {
    /// The other shapes of the same store.
    Own,
    /// The shapes of another store.
    Bounded(&'s BoundedSide<'s>),
    /// The shapes of a store without bounds, or few shapes: each pair is tested.
    Unbounded(u32),
}

/// Maximum number of cached calls. A typical frame has four: moving shapes with themselves and with a level, each with
/// and without motion.
const CALLS: usize = 4;

/// Key of the calls that share a state: the number of shapes on either side, and the motion of their bounds. The second
/// side is `None` for pairs within one store. A store that moves has other bounds during the frame, so calls with and without
/// motion would overwrite each other's rows.
type CallKey = ((usize, Motion), Option<(usize, Motion)>);

/// State kept from one call to the next.
#[derive(Debug, Default)]
struct CachedCall {
    key: CallKey,
    sides: [SideBounds; 2],
    list: PairCache,
    /// The groups and bodies by which the list was filtered.
    filters: [FilterColumns; 2],
}

/// Number of shapes whose traversal costs as much as the search for one: groups of 64 shapes descend the tree together.
const WALKED: usize = 32;

/// Number of shapes from which the jobs of a call share a team.
pub const TEAM: usize = 1 << 13;

impl Candidates {
    /// Replaces `pairs` by the admitted pairs whose bounds are at most the threshold apart. Returns the numbers of
    /// invalid shapes.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], with `pairs` unchanged.
    pub fn find(
        &mut self,
        workers: Workers,
        a: &BoundedSide<'_>,
        b: Option<&BoundedSide<'_>>,
        admitted: Admitted<'_>,
        pairs: &mut Vec<Pair>,
    ) -> Result<InvalidShapes, Error> {
        let most = a.len().max(b.map_or(0, |b| b.len()));
        if most < TEAM {
            return self.find_by(workers, a, b, admitted, pairs);
        }
        workers.together(|workers| self.find_by(workers, a, b, admitted, pairs))
    }

    fn find_by(
        &mut self,
        workers: Workers,
        a: &BoundedSide<'_>,
        b: Option<&BoundedSide<'_>>,
        admitted: Admitted<'_>,
        pairs: &mut Vec<Pair>,
    ) -> Result<InvalidShapes, Error> {
        let lens = (a.len(), b.map(|b| b.len()));
        let Admitted { filter, threshold } = admitted;
        let Candidates {
            calls,
            stamp,
            trees: [first, second],
            scratch,
            traversal_scratch,
            sorter,
            bits,
            changed,
            more,
            ..
        } = self;
        let call = call(calls, stamp, key(a, b));
        let [side_a, side_b] = &mut call.sides;
        let rest_a = side_a.update(workers, a, scratch);
        let rest_b = b.and_then(|b| side_b.update(workers, b, scratch));
        let invalid = InvalidShapes {
            a: side_a.invalid(),
            b: if b.is_some() { &*side_b } else { &*side_a }.invalid(),
        };

        let list = &mut call.list;
        let [filters_a, filters_b] = &mut call.filters;
        let same_a = filters_a.copy_from(filter.map_or(Filters::default(), |filter| filter.a));
        let same_b = filters_b.copy_from(filter.map_or(Filters::default(), |filter| filter.b));
        if !(same_a && same_b) {
            list.forget();
        }
        let [changed_a, changed_b] = changed;
        changed_b.clear();
        let mut holds = list.is_of(threshold)
            && side_a.is_within(workers, a, changed_a)
            && b.is_none_or(|b| side_b.is_within(workers, b, changed_b));
        if holds && list.is_kept() && !(changed_a.is_empty() && changed_b.is_empty()) {
            more.clear();
            let patching = Patch {
                admitted,
                is_own: b.is_none(),
                limit: list
                    .limit(lens.0.saturating_add(lens.1.unwrap_or(0)))
                    .max(1),
                more,
            };
            let (sides, trees) = ([&mut *side_a, &mut *side_b], [rest_a, rest_b]);
            holds = patch(workers, list, sides, (a, b), trees, (changed, patching));
        }
        if holds && list.is_probing() {
            list.expect(side_a.motion().max(side_b.motion()) / usual_size(side_a, side_b));
        }
        let skin = match list.plan(holds) {
            pair_cache::Plan::Reuse => {
                let rows = current(workers, [side_a, side_b], a, b);
                retest(workers, list, rows, threshold, bits, pairs)?;
                list.set_exact(pairs.len());
                return Ok(invalid);
            }
            pair_cache::Plan::Build { skin } => skin,
        };
        // An unchanged store needs no fat AABBs.
        if let Some(part) = skin {
            let skin = part * usual_size(side_a, side_b);
            side_a.grow(workers, skin);
            if b.is_some() {
                side_b.grow(workers, skin);
            }
        }
        let both = lens.0.saturating_add(lens.1.unwrap_or(0));
        loop {
            let grown = list.is_kept();
            let tree_a = match rest_a {
                Some(tree) => {
                    let queries = lens.1.unwrap_or(lens.0) / WALKED;
                    side_a.improve(workers, a, tree, queries)
                }
                None => side_a.build(workers, grown, scratch, first),
            };
            let tree_b = match (b, rest_b) {
                (None, _) => tree_a,
                (Some(b), Some(tree)) => side_b.improve(workers, b, tree, lens.0 / WALKED),
                _ => side_b.build(workers, grown, scratch, second),
            };
            // Cost follows the query side, so the smaller tree queries the larger one.
            let (pairing, query, target) = match b {
                None => (Pairing::SelfPairs, tree_a, tree_a),
                Some(_) if tree_a.len() <= tree_b.len() => (Pairing::CrossPairs, tree_a, tree_b),
                Some(_) => (Pairing::CrossPairsSwapped, tree_b, tree_a),
            };
            let budget = Budget::new(if grown { list.limit(both) } else { usize::MAX });
            let within = pairing == Pairing::SelfPairs;
            let swapped = pairing == Pairing::CrossPairsSwapped;
            let filter = filter.map(|filter| if swapped { filter.swapped() } else { filter });
            let trees = [query, target];
            let traversal =
                Traversal::new(trees, within, threshold, filter, &budget, traversal_scratch);
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
                (false, true) => {
                    list.set_exact(found);
                    return Ok(invalid);
                }
                (false, false) => {
                    traversal_scratch.clear();
                    return Err(Error::OutOfMemory { pairs: found });
                }
                (true, true) => break,
                // Too long to cache: find the exact list only.
                (true, false) => list.give_up(),
            }
        }
        list.complete(threshold, both);
        let rows = current(workers, [side_a, side_b], a, b);
        retest(workers, list, rows, threshold, bits, pairs)?;
        Ok(invalid)
    }
}

impl Candidates {
    /// The tree of a store for so many searches.
    pub fn tree<'t>(
        &'t mut self,
        workers: Workers<'_>,
        store: &'t BoundedSide<'t>,
        queries: usize,
    ) -> &'t Tree {
        let Candidates {
            calls,
            stamp,
            trees: [tree, _],
            scratch,
            ..
        } = self;
        let [side, _] = &mut call(calls, stamp, key(store, None)).sides;
        match side.update(workers, store, scratch) {
            Some(tree) => side.improve(workers, store, tree, queries),
            None => side.build(workers, false, scratch, tree),
        }
    }

    /// Prepares a store for queries at rest.
    pub fn prepare<T: Bounded>(
        &mut self,
        workers: Workers<'_>,
        columns: &AnyColumns<'_>,
    ) -> Prepared {
        prepare::prepare::<T>(workers, columns, &mut self.scratch)
    }
}

/// The searching shapes.
#[derive(Clone, Copy)]
pub struct Searching<'s> {
    pub bounds: &'s BoundedSide<'s>,
    /// Their bounds at the start of the frame.
    pub starts: &'s BoundedSide<'s>,
    /// The displacement of a shape; zero for a search at the start of the frame.
    pub displacement: &'s (dyn Fn(u32) -> [f32; 3] + Sync),
}

impl Candidates {
    /// Searches the targets for each shape, starting from its results in earlier stores. Returns the numbers of shapes
    /// with invalid bounds. [`firsts`](Self::firsts) returns the results.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn search(
        &mut self,
        workers: Workers,
        Searching {
            bounds: a,
            starts,
            displacement,
        }: Searching<'_>,
        among: Among<'_>,
        admitted: Admitted<'_>,
        wanted: Wanted<'_>,
        earlier: &dyn Fn(u32) -> First,
    ) -> Result<InvalidShapes, Error> {
        let Candidates {
            calls,
            stamp,
            trees: [tree, _],
            scratch,
            search:
                SearchScratch {
                    order,
                    found,
                    seekers,
                    starts: start_rows,
                },
            ..
        } = self;
        let len = a.len();
        let out_of_memory = |_| Error::OutOfMemory { pairs: len };
        order.clear();
        found.clear();
        pages::try_reserve_all(order, len).map_err(out_of_memory)?;
        pages::try_reserve_all(found, len).map_err(out_of_memory)?;

        let queries = match wanted {
            Wanted::Nearest(_) | Wanted::Near(_) => len.saturating_mul(NEAREST),
            _ => len,
        };
        let other = match among {
            Among::Bounded(b) => Some(b),
            Among::Own | Among::Unbounded(_) => None,
        };
        let call = call(calls, stamp, key(a, other));
        let [side_a, side_b] = &mut call.sides;
        let own_tree = side_a.update(workers, a, scratch);
        side_a.fill(workers, a);
        let mut invalid = InvalidShapes {
            a: side_a.invalid(),
            b: 0,
        };
        let targets = match among {
            Among::Unbounded(len) => Targets::All(len),
            Among::Own => {
                invalid.b = invalid.a;
                let tree = match own_tree {
                    Some(tree) => side_a.improve(workers, a, tree, queries),
                    None => side_a.build(workers, false, scratch, tree),
                };
                Targets::Tree { tree, is_own: true }
            }
            Among::Bounded(b) => {
                // A search reads nothing of a store at rest but its tree.
                let tree = match side_b.update(workers, b, scratch) {
                    Some(tree) => {
                        let better = side_b.improve(workers, b, tree, queries);
                        side_b.free();
                        better
                    }
                    None => side_b.build(workers, false, scratch, tree),
                };
                invalid.b = b.len() - tree.len();
                let is_own = false;
                Targets::Tree { tree, is_own }
            }
        };
        let outgrows_caches = matches!(targets, Targets::Tree { tree, .. } if tree.len() > FAR);
        if outgrows_caches && len > FEW {
            order.extend(side_a.sorted(workers, scratch));
        } else {
            let rows = side_a.rows();
            order.extend((0..len as u32).filter(|i| rows[*i as usize][0] < f32::INFINITY));
        }
        found.extend(order.iter().map(|i| earlier(*i)));
        for seeker in &mut *seekers {
            seeker.found.clear();
            seeker.lists.clear();
            seeker.trials = Trials::default();
        }
        let (mut rows, mut scope) = (side_a.rows(), Scope::whole(admitted.threshold));
        if let (Targets::Tree { tree, .. }, Some(is_refined)) = (targets, wanted.refines()) {
            if a.motion() != starts.motion() {
                rows = rows::write(workers, starts, start_rows);
            }
            scope = Scope::cut_to(tree, admitted.threshold, is_refined);
        }
        macro_rules! search {
            ($by:ident) => {
                workers.execute(Search {
                    by: PhantomData::<$by>,
                    order,
                    rows,
                    displacement,
                    targets,
                    filter: admitted.filter,
                    scope,
                    wanted,
                    firsts: found,
                    scratches: mem::take(seekers),
                })
            };
        }
        *seekers = match wanted {
            _ if wanted.are_points() => search!(ByPoint),
            Wanted::Nearest(_) | Wanted::Near(_) => search!(ByDistance),
            _ => search!(ByTime),
        };
        Ok(invalid)
    }

    /// The nonempty results of the last search, each with the index of its shape.
    pub fn firsts(&self) -> impl Iterator<Item = (u32, &First)> {
        self.results().filter(|(_, first)| first.is_found)
    }

    /// The results of the last search, each with the index of its shape.
    pub fn results(&self) -> impl Iterator<Item = (u32, &First)> {
        let SearchScratch { order, found, .. } = &self.search;
        order.iter().copied().zip(found)
    }

    /// Replaces `lists` by the lists that the last search found for `len` shapes.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], with `lists` unchanged.
    pub fn lists(
        &mut self,
        len: usize,
        budget: &Budget,
        lists: &mut RankedLists,
    ) -> Result<(), Error> {
        let seekers = &mut self.search.seekers;
        let pairs = seekers.iter().map(|seeker| seeker.lists.len()).sum();
        if budget.is_spent() || lists.try_reserve(len, pairs).is_err() {
            seekers.clear();
            return Err(Error::OutOfMemory { pairs });
        }
        lists.begin(len);
        seekers.iter().for_each(|seeker| seeker.lists.count(lists));
        lists.allot();
        let found = seekers.iter_mut().map(|seeker| &mut seeker.lists);
        found.for_each(|found| found.write(lists));
        self.invalid_searchers().for_each(|i| lists.flag_invalid(i));
        Ok(())
    }

    /// The invalid shapes of the last search.
    pub fn invalid_searchers(&self) -> impl Iterator<Item = u32> {
        let side = self.calls.first().map(|call| &call.sides[0]);
        let side = side.filter(|side| side.invalid() > 0);
        let rows = side
            .into_iter()
            .flat_map(|side| (0..).zip(side.rows().iter().take(side.len())));
        rows.filter_map(|(i, row)| (row[0] == f32::INFINITY).then_some(i))
    }

    /// Replaces `pairs` by the admitted pairs in which the path of `a` touches the bounds of `b` during the frame.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], with `pairs` unchanged.
    pub fn find_on_way(
        &mut self,
        workers: Workers,
        a: Searching<'_>,
        b: Option<&BoundedSide<'_>>,
        admitted: Admitted<'_>,
        pairs: &mut Vec<Pair>,
    ) -> Result<InvalidShapes, Error> {
        let lens = [a.bounds.len(), b.unwrap_or(a.bounds).len()];
        let among = b.map_or(Among::Own, Among::Bounded);
        let budget = Budget::new(usize::MAX);
        let wanted = Wanted::All(&budget);
        let invalid = self.search(workers, a, among, admitted, wanted, &|_| First::NONE)?;
        let (seekers, scratches) = (&mut self.search.seekers, &mut self.traversal_scratch);
        if scratches.len() < seekers.len() {
            scratches.resize_with(seekers.len(), TraversalScratch::default);
        }
        for scratch in &mut *scratches {
            scratch.found.clear();
        }
        let mut total = 0;
        for (scratch, seeker) in scratches.iter_mut().zip(&mut *seekers) {
            mem::swap(&mut scratch.found, &mut seeker.found);
            total += scratch.found.len();
        }
        let pairing = Pairing::CrossPairs;
        let is_sorted = !budget.is_spent()
            && self
                .sorter
                .sort(workers, scratches, pairing, lens, pairs)
                .is_ok();
        if is_sorted {
            Ok(invalid)
        } else {
            scratches.clear();
            Err(Error::OutOfMemory { pairs: total })
        }
    }
}

/// Weight of a search by distance, in searches by time: it gains more from a better tree (notes: distances in Python).
const NEAREST: usize = 16;

/// Number of shapes whose tree exceeds the L2 cache: searches are then in spatial order.
const FAR: usize = 1 << 15;
/// Below this number of searching shapes, sorting them does not pay.
const FEW: usize = 64;

/// Retests a cached list: replaces `pairs` by the pairs of the list whose bounds overlap.
///
/// If memory runs out, `pairs` is unchanged.
fn retest(
    workers: Workers,
    list: &PairCache,
    rows: [&[Row]; 2],
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
    let count = workers.execute(RetestPairs::new(list, rows, threshold, bits));
    if pages::try_reserve_all(pairs, count).is_err() {
        return Err(Error::OutOfMemory { pairs: count });
    }
    pairs.resize(count, Pair::default());
    let to = &mut pairs[..];
    workers.execute(CopyPairs { list, bits, to });
    Ok(())
}

/// The usual size of shapes that move.
fn usual_size(a: &SideBounds, b: &SideBounds) -> f32 {
    a.usual_size().max(b.usual_size())
}

/// The current rows of both sides.
fn current<'r>(
    workers: Workers,
    [side_a, side_b]: [&'r mut SideBounds; 2],
    a: &'r BoundedSide<'r>,
    b: Option<&'r BoundedSide<'r>>,
) -> [&'r [Row]; 2] {
    let rows = side_a.current(workers, a);
    [rows, b.map_or(rows, |b| side_b.current(workers, b))]
}

/// Largest number of tests of changed shapes with fat AABBs, which have no tree: some 0.5 ms.
const FAT_TESTS: usize = 1 << 18;

/// The pairs of shapes that changed in stores at rest.
struct Patch<'p> {
    admitted: Admitted<'p>,
    is_own: bool,
    /// The most pairs.
    limit: usize,
    more: &'p mut Vec<Pair>,
}

impl Patch<'_> {
    /// Finds the pairs of a changed shape among the shapes of a tree, or of fat AABBs. `swapped` says that the shape is of the second
    /// store.
    fn find(&mut self, index: u32, row: &Row, tree: Option<&Tree>, fat: &[Row], swapped: bool) {
        let Patch {
            admitted: Admitted { filter, threshold },
            is_own,
            limit,
            more,
        } = self;
        let mut add = |other: u32| {
            let (a, b) = if swapped || *is_own && other < index {
                (other, index)
            } else {
                (index, other)
            };
            let admits = |filter: &PairFilter<'_>| filter.admits(a, b);
            if *is_own && a == b || !filter.as_ref().is_none_or(admits) {
                return;
            }
            // Without memory the list counts as too long.
            if more.len() <= *limit && more.try_reserve(1).is_ok() {
                more.push(Pair::new(a, b));
            } else {
                *limit = 0;
            }
        };
        if let Some(tree) = tree {
            tree.touching(row, *threshold, &mut add);
            return;
        }
        for (other, fat) in (0..).zip(fat) {
            let touches =
                |k: usize| fat[k] + row[4 + k] <= *threshold && row[k] + fat[4 + k] <= *threshold;
            if (0..3).all(touches) {
                add(other);
            }
        }
    }
}

/// Adds to a kept list the pairs of shapes that changed in stores at rest. False if they are too many.
fn patch<'p>(
    workers: Workers,
    list: &mut PairCache,
    [side_a, side_b]: [&mut SideBounds; 2],
    (a, b): (&'p BoundedSide<'p>, Option<&'p BoundedSide<'p>>),
    [tree_a, tree_b]: [Option<&Tree>; 2],
    ([changed_a, changed_b], mut patch): (&[Vec<u32>; 2], Patch<'_>),
) -> bool {
    let shapes = a.len().saturating_add(b.map_or(0, |b| b.len()));
    let fat_tests = |changed: &[u32], fat: &[Row]| changed.len().saturating_mul(fat.len());
    if fat_tests(changed_a, side_b.grown()) + fat_tests(changed_b, side_a.grown()) > FAT_TESTS {
        return false;
    }
    for &index in changed_a {
        let row = side_a.current(workers, a)[index as usize];
        match b {
            None => patch.find(index, &row, tree_a, &[], false),
            Some(_) => patch.find(index, &row, tree_b, side_b.grown(), false),
        }
    }
    if let Some(b) = b {
        for &index in changed_b {
            let row = side_b.current(workers, b)[index as usize];
            patch.find(index, &row, tree_a, side_a.grown(), true);
        }
    }
    side_a.renew_rest();
    side_b.renew_rest();
    patch.limit > 0 && list.patch(patch.more, shapes)
}

/// The key of calls with these sides.
fn key(a: &BoundedSide<'_>, b: Option<&BoundedSide<'_>>) -> CallKey {
    let of = |side: &BoundedSide<'_>| (side.len(), side.motion());
    (of(a), b.map(of))
}

/// Moves the state of calls with this key to the front and returns it.
fn call<'c>(calls: &'c mut Vec<CachedCall>, last: &mut Stamp, key: CallKey) -> &'c mut CachedCall {
    let place = calls.iter().position(|call| call.key == key);
    let place = place.unwrap_or_else(|| {
        if calls.len() < CALLS {
            calls.push(CachedCall::default());
        }
        // Reuse the memory of the least recently used state.
        let place = calls.len() - 1;
        let call = &mut calls[place];
        call.key = key;
        call.list.forget();
        for side in &mut call.sides {
            side.renew(last.next());
        }
        place
    });
    calls[..=place].rotate_right(1);
    &mut calls[0]
}

/// The displacements of shapes; zero at the start of the frame.
pub(crate) fn displacement<'c>(
    columns: &'c AnyColumns<'c>,
    motion: Motion,
) -> impl Fn(u32) -> [f32; 3] + Sync + use<'c> {
    move |index| match motion {
        Motion::None => [0.0; 3],
        Motion::Straight | Motion::Turning => columns.displacement(index as usize),
    }
}

/// A query for the pairs of two stores whose bounds overlap.
pub struct CandidateSearch<'c> {
    /// In the caller's order.
    pub stores: [&'c AnyColumns<'c>; 2],
    pub bounds: [&'static BoundsOps; 2],
    pub filters: [Filters<'c>; 2],
    pub during: During,
}

impl CandidateSearch<'_> {
    /// Finds the pairs.
    pub fn find(
        &self,
        driver: &Driver,
        found: &mut Candidates,
        pairs: &mut Vec<Pair>,
    ) -> Result<InvalidShapes, Error> {
        let [a, b] = self.stores;
        let [filters_a, filters_b] = self.filters;
        let [bounds_a, bounds_b] = self.bounds;
        let is_one_store = a.same_as(b) && filters_a.same_as(&filters_b);
        let growth = f32::max(bounds_a.growth, bounds_b.growth);
        let admitted = Admitted {
            filter: PairFilter::new(filters_a, filters_b),
            threshold: bounds_margin(driver.settings.margin, growth),
        };
        let motion = self.during.motion();
        let bounds = BoundedSide::new(a, bounds_a, motion);
        let other = BoundedSide::new(b, bounds_b, motion);
        let other: Option<&BoundedSide<'_>> = if is_one_store { None } else { Some(&other) };
        // A block of the BVH has eight boxes.
        let workers = driver.workers().of_at_most(8);
        let invalid = if self.during == During::Way {
            let searching = Searching {
                bounds: &bounds,
                starts: &bounds,
                displacement: &displacement(a, motion),
            };
            found.find_on_way(workers, searching, other, admitted, pairs)?
        } else {
            found.find(workers, &bounds, other, admitted, pairs)?
        };
        refuse(driver.settings, self.stores, motion, invalid)?;
        Ok(invalid)
    }
}

/// Returns, if the detector is strict, an error that names the first invalid shape of two stores.
pub fn refuse(
    settings: Settings,
    [a, b]: [&AnyColumns<'_>; 2],
    motion: Motion,
    invalid: InvalidShapes,
) -> Result<(), Error> {
    if !settings.strict || !invalid.any() {
        return Ok(());
    }
    let first_a = (0..a.len() as u32).find_map(|i| Some((false, i, a.defect(i, motion)?)));
    let first_b = || (0..b.len() as u32).find_map(|i| Some((true, i, b.defect(i, motion)?)));
    match first_a.or_else(first_b) {
        Some((is_second, index, defect)) => Err(Error::InvalidShape {
            is_second,
            index,
            defect,
        }),
        None => Ok(()),
    }
}
