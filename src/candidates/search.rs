//! Search: for each shape the first one of a store that it meets on its way, or any, or all whose bounds it meets, found
//! in the order of time.
//!
//! The tree decides nothing. A *way* is the bounds of a shape at the start of the frame, moved by its displacement. Each
//! number of a way is rounded outwards, so at any time `t` the way contains the shape's bounds at `t` and its share of
//! the kernels' error bands.
//!
//! *Lemma.* If a kernel reports a shape of the store with the time `enter`, every node above it has `near ≤ enter`, and
//! is visited while the best time so far is not before `enter`. *Proof.* At `enter` the gap along each axis is at most
//! the margin plus the band, and both bounds together reach further than the band (`shapes/bounds.rs`). So the way at
//! `enter` is within the margin of the shape's bounds, hence of the node's. On an axis with length `d > 0` of the
//! displacement, `near = (low - lead) / d` and `far = (high - tail) / d` are the times at which the front of the way
//! reaches the node's near side and its back leaves the far side. The sums in `lead` and `tail` round by at most 3 u of
//! their terms, the slack is 8 u of them; difference, reciprocal, product and the factor 1 ∓ 8 u round by less than 8 u
//! of the time. With `d` below 2⁻¹²⁸ the reciprocal is clamped: `near` is at most 0 where it has to be, and `far`
//! large, since the slack of the way is at least 2⁻⁵⁶. So `near ≤ enter ≤ far`. ∎
//!
//! A node is skipped only if it is reached strictly after the best time, so no tie is lost: of equal times the lowest
//! index wins.
//!
//! Shapes take turns, one node each, and each turn prefetches the node of the next one. A shape that has reached other
//! shapes waits until the [kernel](TestPairs) has tested those pairs, together with the pairs of other shapes.

use super::Row;
use super::found::{Budget, Found};
use crate::hits::WORD;
use crate::lane::{Float, Job, Lanes, Mask, Split};
use crate::limits::MAX_LENGTH;
use crate::pairs::Pair;
use crate::shapes::{Block, Tree};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Tests pairs by the kernel of two kinds of shapes.
pub trait TestPairs: Sync {
    /// Tests at most [`PAIRS`] pairs.
    fn test(&self, pairs: &[Pair], times: &mut Times);
}

/// What a search wants to know of each shape.
#[derive(Clone, Copy)]
pub enum Wanted<'s> {
    /// Its first hit by the kernel.
    First(&'s dyn TestPairs),
    /// Whether it has a hit.
    Any(&'s dyn TestPairs),
    /// All shapes whose bounds it meets; within its own store those of higher index.
    All(&'s Budget),
}

/// Results of at most [`PAIRS`] pairs.
#[derive(Debug)]
pub struct Times {
    pub hits: [u64; PAIRS / WORD],
    pub invalid: [u64; PAIRS / WORD],
    pub enter: [f32; PAIRS],
    pub exit: [f32; PAIRS],
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

    /// Any hit: nothing else is to be found.
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

    /// Takes note of a hit.
    #[inline]
    fn meet(&mut self, other: u32, enter: f32, exit: f32) {
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

/// What the shapes may hit.
#[derive(Clone, Copy)]
pub enum Targets<'s> {
    /// The shapes of a tree; not themselves, if it is their own store.
    Tree { tree: &'s Tree, is_own: bool },
    /// Shapes without bounds, so each of them is tested.
    All(u32),
}

/// A search for the first hits of some shapes.
pub struct Search<'s> {
    /// The shapes, in the order of the search. All are valid.
    pub order: &'s [u32],
    /// The bounds of all shapes during the frame.
    pub rows: &'s [Row],
    /// The displacement of a shape.
    pub displacement: &'s (dyn Fn(u32) -> [f32; 3] + Sync),
    pub targets: Targets<'s>,
    /// The largest gap between bounds of pairs within the margin.
    pub threshold: f32,
    pub wanted: Wanted<'s>,
    /// In the order of the search.
    pub firsts: &'s mut [First],
    /// The memory of each thread.
    pub scratches: Vec<Seeker>,
}

impl Split for Search<'_> {
    const GRAIN: usize = 1024;

    fn len(&self) -> usize {
        self.order.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
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

    /// So a thread has one scratch, however many pieces it claims.
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

/// Number of shapes that take turns.
const SLOTS: usize = 32;
/// Maximum number of pairs that wait for the kernel: a turn of each shape adds at most eight.
pub const PAIRS: usize = 2048;
/// Number of pairs that are worth a call of the kernel.
const WORTH: usize = 64;
/// Maximum number of nodes on a stack: seven for each level but the last, which has eight.
const STACK: usize = 96;

/// Memory of one thread.
#[derive(Debug, Default)]
pub struct Seeker {
    travellers: Vec<Traveller>,
    /// The travellers whose turn it is, and those that wait for the kernel.
    active: Vec<u32>,
    waiting: Vec<u32>,
    pairs: Vec<Pair>,
    /// Place in the search of the shape of each pair.
    places: Vec<u32>,
    times: Option<Box<Times>>,
    /// All pairs, if they are wanted.
    pub found: Found,
}

/// A shape on its way.
#[derive(Debug)]
struct Traveller {
    /// Place in the search.
    place: u32,
    index: u32,
    way: Way,
    len: usize,
    stack: [Node; STACK],
}

/// A node and the time at which it is reached: the bits of the time, which is at most 1, in the upper 30 bits, then four
/// bits for the level and 30 for the index in the level.
type Node = u64;

fn node(near: f32, level: usize, index: usize) -> Node {
    u64::from(near.abs().to_bits()) << 34 | (level as u64) << 30 | index as u64
}

fn near_of(node: Node) -> f32 {
    f32::from_bits((node >> 34) as u32)
}

fn place_of(node: Node) -> (usize, usize) {
    (
        (node >> 30 & 15) as usize,
        (node & ((1 << 30) - 1)) as usize,
    )
}

/// The bounds of a shape on its way, on each axis in the direction of its displacement.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Index of the near side in a block.
    near: [usize; 3],
    /// Index of the far side.
    far: [usize; 3],
    /// The front at the start of the frame.
    lead: [f32; 3],
    /// The back at the start of the frame.
    tail: [f32; 3],
    /// One over the length of the displacement.
    slowness: [f32; 3],
}

/// 8 u.
const ROUNDING: f32 = 1.0 / (1 << 21) as f32;
/// Absolute part of the slack: 2⁻⁵⁶.
const FLOOR: f32 = 1.0 / (1u64 << 56) as f32;

impl Way {
    /// The way of a shape with these bounds during the frame.
    fn new(row: &Row, displacement: [f32; 3], threshold: f32) -> Self {
        let mut way = Way {
            near: [0; 3],
            far: [0; 3],
            lead: [f32::MAX; 3],
            tail: [-f32::MAX; 3],
            slowness: [1.0; 3],
        };
        for k in 0..3 {
            let sides = [row[k], row[4 + k]];
            let back = displacement[k] < 0.0;
            // In the direction of the displacement: the lowest end, and the highest one negated.
            let [low, high] = if back { [sides[1], sides[0]] } else { sides };
            [way.near[k], way.far[k]] = if back { [3 + k, k] } else { [k, 3 + k] };
            // Bounds are clamped: beyond the limit, the way is unknown.
            if low <= -MAX_LENGTH || high <= -MAX_LENGTH {
                continue;
            }
            let length = displacement[k].abs();
            let slack = (low.abs() + high.abs() + length + threshold) * ROUNDING + FLOOR;
            way.lead[k] = (-high - length) + threshold + slack;
            way.tail[k] = low - threshold - slack;
            way.slowness[k] = (1.0 / length).min(f32::MAX);
        }
        way
    }

    /// The AABBs of a block that the way reaches, not after `limit`, and the times. Unused lanes are never reached.
    #[inline(always)]
    fn reach<L: Lanes>(&self, lanes: L, block: &Block, limit: f32, times: &mut [f32; 8]) -> u32 {
        const BEFORE: f32 = 1.0 - f32::EPSILON * 4.0;
        const AFTER: f32 = 1.0 + f32::EPSILON * 4.0;
        let (before, after) = (lanes.splat(BEFORE), lanes.splat(AFTER));
        let (zero, limit) = (lanes.splat(0.0), lanes.splat(limit));
        let (mut reached, mut at) = (0, 0);
        while at < 8 {
            let (mut near, mut far) = (zero, lanes.splat(f32::MAX));
            let mut k = 0;
            while k < 3 {
                let (low, high) = (&block[self.near[k]], &block[self.far[k]]);
                let slowness = lanes.splat(self.slowness[k]);
                let low = lanes.load(&low[at..]) - lanes.splat(self.lead[k]);
                let high = lanes.load(&high[at..]) + lanes.splat(self.tail[k]);
                near = (low * slowness).max(near);
                far = (-high * slowness).min(far);
                k += 1;
            }
            let (near, far) = (near * before, (far * after).min(limit));
            lanes.store(near, &mut times[at..]);
            reached |= (near.le(far).bits() as u32) << at;
            at += L::COUNT;
        }
        reached
    }
}

impl Job for Search<'_> {
    type Output = Vec<Seeker>;

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) -> Vec<Seeker> {
        let mut seeker = self.scratches.pop().unwrap_or_default();
        seeker.begin();
        match self.targets {
            Targets::Tree { tree, is_own } if tree.len() > 0 => {
                self.search(lanes, tree, is_own, &mut seeker);
            }
            Targets::Tree { .. } => {}
            Targets::All(len) => self.test_all(len, &mut seeker),
        }
        self.scratches.push(seeker);
        self.scratches
    }
}

impl Search<'_> {
    /// Searches a tree.
    #[inline(always)]
    fn search<L: Lanes>(&mut self, lanes: L, tree: &Tree, is_own: bool, seeker: &mut Seeker) {
        let mut levels: [&[Block]; Tree::LEVELS] = [&[]; Tree::LEVELS];
        for (level, blocks) in levels.iter_mut().enumerate().take(tree.levels()) {
            *blocks = tree.level(level);
        }
        let order = tree.order().as_chunks::<8>().0;
        let root = node(0.0, tree.levels() - 1, 0);
        let mut next = 0;
        loop {
            // Vacant travellers begin with the next shapes.
            for slot in 0..seeker.travellers.len() {
                if seeker.travellers[slot].len == 0 && seeker.travellers[slot].place == FREE {
                    if next == self.order.len() {
                        break;
                    }
                    let index = self.order[next];
                    let row = &self.rows[index as usize];
                    let traveller = &mut seeker.travellers[slot];
                    traveller.place = next as u32;
                    traveller.index = index;
                    traveller.way = Way::new(row, (self.displacement)(index), self.threshold);
                    traveller.stack[0] = root;
                    traveller.len = 1;
                    seeker.active.push(slot as u32);
                    next += 1;
                }
            }
            if seeker.active.is_empty() {
                return;
            }
            // Turns, until few travellers are left.
            let least = if next == self.order.len() {
                0
            } else {
                SLOTS / 2
            };
            while seeker.active.len() > least {
                self.take_turns(lanes, &levels, order, is_own, seeker);
                if seeker.pairs.len() >= WORTH || seeker.active.len() <= least {
                    self.test(seeker);
                    let Seeker {
                        active, waiting, ..
                    } = seeker;
                    active.append(waiting);
                }
            }
        }
    }

    /// Each traveller visits one node.
    #[inline(always)]
    fn take_turns<L: Lanes>(
        &mut self,
        lanes: L,
        levels: &[&[Block]; Tree::LEVELS],
        order: &[[u32; 8]],
        is_own: bool,
        seeker: &mut Seeker,
    ) {
        let Seeker {
            travellers,
            active,
            waiting,
            pairs,
            places,
            found,
            ..
        } = seeker;
        let mut kept = 0;
        for turn in 0..active.len() {
            let slot = active[turn];
            let traveller = &mut travellers[slot as usize];
            let best = self.firsts[traveller.place as usize].enter;
            let mut current = None;
            while traveller.len > 0 {
                traveller.len -= 1;
                let node = traveller.stack[traveller.len];
                if near_of(node) <= best {
                    current = Some(place_of(node));
                    break;
                }
            }
            let Some((level, index)) = current else {
                traveller.place = FREE;
                continue;
            };
            let mut times = [0.0; 8];
            let mut reached = traveller
                .way
                .reach(lanes, &levels[level][index], best, &mut times);
            if level > 0 {
                let (base, mut top) = (traveller.len, u64::MAX);
                while reached != 0 {
                    let lane = reached.trailing_zeros() as usize;
                    reached &= reached - 1;
                    let child = node(times[lane], level - 1, 8 * index + lane);
                    traveller.stack[traveller.len] = child.max(top);
                    top = top.min(child);
                    traveller.len += 1;
                }
                // The nearest on top.
                if traveller.len > base {
                    traveller.stack[base] = traveller.stack[traveller.len - 1];
                    traveller.stack[traveller.len - 1] = top;
                }
                if let Some(&top) = traveller.stack[..traveller.len].last() {
                    let (level, index) = place_of(top);
                    // Two sides in a cache line.
                    let sides = levels[level].as_flattened();
                    lanes.prefetch(sides, 6 * index);
                    lanes.prefetch(sides, 6 * index + 2);
                    lanes.prefetch(sides, 6 * index + 4);
                }
                active[kept] = slot;
                kept += 1;
                continue;
            }
            if let Wanted::All(budget) = self.wanted {
                let others = order[index].into_iter().enumerate();
                let is_met = |(lane, other): &(usize, u32)| {
                    reached >> lane & 1 == 1 && !(is_own && *other <= traveller.index)
                };
                let index = traveller.index;
                for (_, other) in others.filter(is_met) {
                    found.extend(&[index], &[other], budget);
                }
                active[kept] = slot;
                kept += 1;
                continue;
            }
            let before = pairs.len();
            while reached != 0 {
                let lane = reached.trailing_zeros() as usize;
                reached &= reached - 1;
                let other = order[index][lane];
                if !(is_own && other == traveller.index) {
                    pairs.push(Pair::new(traveller.index, other));
                    places.push(traveller.place);
                }
            }
            if pairs.len() > before {
                waiting.push(slot);
            } else {
                active[kept] = slot;
                kept += 1;
            }
        }
        active.truncate(kept);
    }

    /// Tests each pair.
    fn test_all(&mut self, len: u32, seeker: &mut Seeker) {
        for (place, &index) in self.order.iter().enumerate() {
            for other in 0..len {
                seeker.pairs.push(Pair::new(index, other));
                seeker.places.push(place as u32);
                if seeker.pairs.len() == PAIRS {
                    self.test(seeker);
                }
            }
        }
        self.test(seeker);
    }

    /// Tests the pairs that wait.
    fn test(&mut self, seeker: &mut Seeker) {
        let Seeker {
            pairs,
            places,
            times,
            ..
        } = seeker;
        if pairs.is_empty() {
            return;
        }
        let times = times.get_or_insert_default();
        let is_any = matches!(self.wanted, Wanted::Any(_));
        match self.wanted {
            Wanted::First(kernel) | Wanted::Any(kernel) => kernel.test(pairs, times),
            Wanted::All(_) => return,
        }
        for (position, (pair, &place)) in pairs.iter().zip(places.iter()).enumerate() {
            if times.hits[position / WORD] >> (position % WORD) & 1 == 0 {
                continue;
            }
            let first = &mut self.firsts[place as usize];
            if is_any {
                *first = First::ANY;
            } else {
                let (enter, exit) = (times.enter[position], times.exit[position]);
                first.meet(pair.b, enter, exit);
            }
        }
        pairs.clear();
        places.clear();
    }
}

/// The place of a traveller without a shape.
const FREE: u32 = u32::MAX;

impl Default for Times {
    fn default() -> Self {
        Times {
            hits: [0; PAIRS / WORD],
            invalid: [0; PAIRS / WORD],
            enter: [0.0; PAIRS],
            exit: [0.0; PAIRS],
        }
    }
}

impl Default for Traveller {
    fn default() -> Self {
        Traveller {
            place: FREE,
            index: 0,
            way: Way {
                near: [0; 3],
                far: [0; 3],
                lead: [0.0; 3],
                tail: [0.0; 3],
                slowness: [0.0; 3],
            },
            len: 0,
            stack: [0; STACK],
        }
    }
}

impl Seeker {
    /// Makes room, and forgets an earlier search.
    fn begin(&mut self) {
        self.travellers.resize_with(SLOTS, Traveller::default);
        for traveller in &mut self.travellers {
            (traveller.place, traveller.len) = (FREE, 0);
        }
        self.active.clear();
        self.waiting.clear();
        self.pairs.clear();
        self.places.clear();
        self.active.reserve(SLOTS);
        self.waiting.reserve(SLOTS);
        self.pairs.reserve(PAIRS);
        self.places.reserve(PAIRS);
    }
}
