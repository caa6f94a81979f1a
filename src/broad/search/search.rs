//! Searches a store for each shape. In order of time: the first hit along its path, any hit, or all shapes whose bounds
//! the path touches, or the first hits in order. In order of distance: the nearest shape, or the nearest shapes in order.
//!
//! # Turns
//!
//! Shapes take turns, one node each, and each turn prefetches the shape's next node. Turns at inner nodes have no
//! unpredictable branch: children are compressed to the stack, and shapes at inner nodes and at leaves have separate
//! lists. A shape that has reached other shapes waits until the [kernel](TestPairs) has tested these pairs, in one
//! batch with the pairs of other shapes. Neighbours whose ways are close to each other take their turns as one
//! [bundle](crate::broad::search::bundle). Trials to join neighbours become rare where they fail.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::marker::PhantomData;
use core::ops::Range;

use crate::broad::row::Row;
use crate::broad::search::bundle::{Allowance, Bundle, MEMBERS, Trials};
use crate::broad::search::by_distance::FEW;
use crate::broad::search::found::{Budget, Found};
use crate::broad::search::ranking::{Entry, FoundLists, Ranking};
use crate::broad::search::scope::{Approach, Scope, WAYS, Ways, at_most, reach};
use crate::broad::search::traveller::{FREE, INNER, LEAF, Nodes, Traveller, Turns, WAITING, push};
use crate::broad::search::waiting::{WaitingPairs, WaitingPoints};
use crate::broad::search::wanted::{First, Listing, PAIRS, SLOTS, Targets, Times, Wanted};
use crate::broad::search::way::Way;
use crate::lane::{Job, Lanes, Split, WORD};
use crate::pairs::Pair;
use crate::shapes::groups::PairFilter;
use crate::store::tree::{Block, Tree};

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
/// Minimum number of pairs for a call of the kernel.
const WORTH: usize = 64;

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
    points: Box<WaitingPoints>,
    times: Option<Box<Times>>,
    /// The pairs of a search for all.
    pub found: Found,
    /// The list of each traveller, and the finished lists.
    rankings: Vec<Ranking>,
    pub lists: FoundLists,
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

/// The shapes of a leaf.
struct Leaf<'t> {
    block: &'t Block,
    others: &'t [u32; 8],
    /// Mask of those that are reached.
    reached: u32,
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
            if O::HAS_SHAPES {
                if seeker.points.len >= WORTH || active == 0 {
                    self.measure(lanes, tree.order(), &mut seeker.points);
                }
                continue;
            }
            if seeker.pairs.len >= WORTH || active <= few {
                self.test(seeker);
                for slot in seeker.turns[WAITING].take().iter() {
                    let traveller = &mut seeker.travellers[slot as usize];
                    let firsts = &self.firsts[traveller.place as usize..][..traveller.members];
                    let best = match firsts {
                        [first, others @ ..] if !O::JOINS || others.is_empty() => {
                            O::limit(first.enter, &traveller.way)
                        }
                        _ => {
                            let times = firsts.iter().map(First::open_until);
                            seeker.bundles[slot as usize].limit(&traveller.way, times)
                        }
                    };
                    if best < traveller.best {
                        traveller.drop_late(lanes, best);
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
        O::JOINS && is_joined && !is_own && self.filter.is_none() && self.order.len() >= MEMBERS
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
                let parted = if O::JOINS { seeker.parted.pop() } else { None };
                let (from, joins) = match parted {
                    Some(place) => {
                        seeker.trials.part();
                        (place as usize, false)
                    }
                    None if begun.next == self.order.len() => return false,
                    None => {
                        let joins = O::JOINS && begun.joins && seeker.trials.are_due();
                        (begun.next, joins)
                    }
                };
                let is_whole = O::JOINS && (joins || from < begun.next);
                let step = if is_whole {
                    MEMBERS
                } else {
                    L::Doubles::COUNT.min(WAYS)
                };
                begun.from = from;
                begun.made = from..self.order.len().min(from + step);
                begun.next = begun.next.max(begun.made.end);
                self.make_ways(lanes, begun.made.clone(), &mut begun.ways[..step]);
                if O::JOINS && joins {
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
            if O::JOINS && traveller.is_to_part() {
                parted.push(traveller.place);
                turns[FREE].push(slot);
                continue;
            }
            let mut times = [0.0; 8];
            let block = &nodes.blocks[traveller.block as usize];
            let best = traveller.best;
            let reached = reach::<O, L, false>(lanes, &traveller.way, block, best, &mut times);
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
            let next = select_unpredictable(reached == 0, below, first + nearest as u32);
            turns[traveller.go(lanes, nodes, next)].push(slot);
        }
    }

    /// Collects the shapes that each traveller at a leaf reaches.
    #[inline(always)]
    fn visit_leaves<L: Lanes>(
        &mut self,
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
            points,
            found,
            rankings,
            ..
        } = seeker;
        for slot in turns[LEAF].take().iter() {
            let traveller = &mut travellers[slot as usize];
            if pairs.len + points.len + 8 * traveller.members > PAIRS {
                turns[LEAF].push(slot);
                continue;
            }
            if O::JOINS && traveller.is_to_part() {
                parted.push(traveller.place);
                turns[FREE].push(slot);
                continue;
            }
            let (mut times, place) = ([0.0; 8], traveller.block as usize);
            let (block, best, others) = (&nodes.blocks[place], traveller.best, &order[place]);
            let mut reached = reach::<O, L, true>(lanes, &traveller.way, block, best, &mut times);
            if O::JOINS && traveller.members > 1 {
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
                for (lane, time) in times.iter_mut().enumerate() {
                    *time = if reached >> lane & 1 == 1 {
                        *time
                    } else {
                        f32::INFINITY
                    };
                }
            }
            if O::HAS_SHAPES {
                let wanted = self.wanted;
                match wanted.listing() {
                    Some(listing) if reached != 0 => {
                        let leaf = Leaf {
                            block,
                            others,
                            reached,
                        };
                        let ranking = &mut rankings[slot as usize];
                        self.list_points(lanes, &leaf, traveller, ranking, listing);
                    }
                    None if reached != 0 => {
                        let limit = O::implied_limit(lanes, &traveller.way, block, &times);
                        if limit < best {
                            traveller.drop_late(lanes, limit);
                            reached &= at_most(lanes, &times, limit);
                        }
                        points.extend(reached, traveller, block);
                    }
                    _ => {}
                }
                turns[traveller.pop(lanes, nodes)].push(slot);
                continue;
            }
            // For fewer, the bound costs more than the kernel.
            if is_sparse && reached.count_ones() > FEW {
                let limit = O::implied_limit(lanes, &traveller.way, block, &times);
                if limit < best {
                    traveller.drop_late(lanes, limit);
                    reached &= at_most(lanes, &times, limit);
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

    /// Lists the distances of the points that a traveller reaches in a leaf.
    #[inline(always)]
    fn list_points<L: Lanes>(
        &mut self,
        lanes: L,
        leaf: &Leaf<'_>,
        traveller: &mut Traveller,
        ranking: &mut Ranking,
        listing: Listing<'_>,
    ) {
        let (way, [x, y, z, ..]) = (&traveller.way, leaf.block);
        let [px, py, pz] = way.lead.map(|x| [x; 8]);
        let [lower, upper] = O::distances(lanes, [&px, &py, &pz], [x, y, z]);
        let first = &mut self.firsts[traveller.place as usize];
        let mut reached = leaf.reached;
        while reached != 0 {
            let lane = reached.trailing_zeros() as usize % 8;
            let (other, key, second) = (leaf.others[lane], upper[lane], lower[lane]);
            first.list(ranking, Entry { key, second, other }, listing, true);
            reached &= reached - 1;
        }
        let best = O::limit(first.enter, way);
        if best < traveller.best {
            traveller.drop_late(lanes, best);
        }
    }

    /// Measures the distances of the waiting points.
    #[inline(always)]
    fn measure<L: Lanes>(&mut self, lanes: L, order: &[u32], points: &mut WaitingPoints) {
        let mut from = 0;
        while from < points.len {
            let eight =
                |column: &[f32; PAIRS]| column[from..].first_chunk().copied().unwrap_or_default();
            let [a, b] = &points.positions;
            let [ax, ay, az]: [[f32; 8]; 3] = a.each_ref().map(eight);
            let [bx, by, bz]: [[f32; 8]; 3] = b.each_ref().map(eight);
            let [lower, upper] = O::distances(lanes, [&ax, &ay, &az], [&bx, &by, &bz]);
            for k in 0..8.min(points.len - from) {
                let first = &mut self.firsts[points.places[from + k] as usize];
                let other = order[points.others[from + k] as usize];
                first.approach(other, upper[k], lower[k]);
            }
            from += 8;
        }
        points.len = 0;
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
        let Listing { kernel, budget, .. } = listing;
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
            let (key, second) = (times.enter[position], times.exit[position]);
            let entry = Entry {
                key,
                second,
                other: pair.b,
            };
            self.firsts[place].list(ranking, entry, listing, is_near);
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

impl Seeker {
    /// Reserves memory and drops the state of an earlier search.
    fn begin(&mut self) {
        self.travellers.resize_with(SLOTS, Traveller::default);
        self.parted.clear();
        self.turns = Turns::default();
        (0..SLOTS).for_each(|slot| self.turns[FREE].push(slot as u8));
        (self.pairs.len, self.points.len) = (0, 0);
    }

    /// Ends the list of a traveller, and begins that of another shape.
    fn begin_list(&mut self, slot: usize, index: u32, budget: &Budget) {
        self.lists.end(&mut self.rankings[slot], index, budget);
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;
    use crate::broad::search::by_time::ByTime;
    use crate::broad::search::wanted::TestPairs;
    use crate::broad::tree;
    use crate::driver::threads::Workers;
    use crate::lane::Simd;
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
}
