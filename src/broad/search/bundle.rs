//! Bundles: shapes that follow each other in the order of a search descend a tree together if their ways are close to each other.
//!
//! A bundle has a way of its own, by which inner nodes are tested: once for all members. In a leaf, each AABB that this way reaches is tested
//! against all members, which are lanes there. So no member skips a pair that may change its result.
//!
//! *Lemma.* If a member reaches an AABB within its limit, the bundle reaches it within its own limit, and not later. *Proof.* All members have the same near and
//! far sides. The bundle has the largest `lead` and limit, and the least `tail`, `before` and `after` (which is negative). Sums and products round
//! monotonically. So `near`, `(low - lead) before`, is at most that of each member, or negative; times begin with 0. `far`, `(high + tail) after`, is at least
//! that of each member, or negative. Then that of each member is negative too, and none reaches the AABB. Times of a member are counted from the beginning of its
//! way. This changes nothing, as times of two members are not compared. ∎
//!
//! A bundle that finds few pairs for its tests is too wide for the tree. One that finds many may go where no member would have gone alone, as all members begin
//! at the foremost one. In both cases its members are then searched one by one, from the results so far.

use crate::broad::search::way::Way;
use crate::lane::{Float, Lanes, Mask};
use crate::store::tree::Block;

/// Number of shapes of a bundle.
pub const MEMBERS: usize = 16;
/// Fewer ways than this are not joined.
const LEAST: usize = 8;
/// The largest spread of a bundle, relative to the length of its way within the tree.
const SPREAD: f32 = 0.5;
/// The most steps without a trial to form a bundle.
const PAUSE: usize = 63;
/// Number of parted bundles from which they are counted.
const SCATTERED: usize = 4;

/// Trials to form bundles: they become rare where they fail, and end if a quarter of the bundles are parted.
#[derive(Debug, Default)]
pub struct Trials {
    /// Number of bundles, and of those that were parted.
    pub joined: usize,
    pub parted: usize,
    /// Number of steps without a trial after the last one, and of those that are left.
    pause: usize,
    rest: usize,
}

impl Trials {
    /// Whether the next shapes are joined, if they can be.
    #[inline(always)]
    pub fn are_due(&mut self) -> bool {
        let pays = self.parted < SCATTERED || 4 * self.parted < self.joined;
        let is_due = pays && self.rest == 0;
        self.rest = self.rest.saturating_sub(1);
        is_due
    }

    /// Ends a trial: the more fail one after the other, the rarer they are.
    pub fn end(&mut self, is_joined: bool) {
        self.joined += usize::from(is_joined);
        self.pause = if is_joined {
            0
        } else {
            (2 * self.pause + 1).min(PAUSE)
        };
        self.rest = self.pause;
    }

    /// Counts a bundle that is parted.
    pub fn part(&mut self) {
        self.parted += 1;
    }
}

/// Numbers of tests and pairs that are left to a bundle until it is parted.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Number of tests of nodes and AABBs. Each pair that is found is worth one.
    tests: u32,
    pairs: u32,
}

impl Allowance {
    pub const WHOLE: Allowance = Allowance {
        tests: 96,
        pairs: 16 * MEMBERS as u32,
    };

    /// Subtracts tests, and pairs that they found. Returns whether nothing is left.
    #[inline(always)]
    pub fn is_spent_by(&mut self, tests: u32, found: u32) -> bool {
        self.tests = (self.tests + found).saturating_sub(tests);
        self.pairs = self.pairs.saturating_sub(found);
        self.tests == 0 || self.pairs == 0
    }
}

/// The ways of the members of a bundle, by lanes.
#[derive(Clone, Debug)]
pub struct Bundle {
    lead: [[f32; MEMBERS]; 3],
    tail: [[f32; MEMBERS]; 3],
    before: [[f32; MEMBERS]; 3],
    after: [[f32; MEMBERS]; 3],
    /// The time at which the way of each member begins.
    from: [f64; MEMBERS],
    /// Time limit of each member; negative for a lane without a member.
    limits: [f32; MEMBERS],
    /// Index of each member.
    pub shapes: [u32; MEMBERS],
}

impl Default for Bundle {
    fn default() -> Self {
        Bundle {
            lead: [[0.0; MEMBERS]; 3],
            tail: [[0.0; MEMBERS]; 3],
            before: [[0.0; MEMBERS]; 3],
            after: [[0.0; MEMBERS]; 3],
            from: [0.0; MEMBERS],
            limits: [-1.0; MEMBERS],
            shapes: [0; MEMBERS],
        }
    }
}

/// The way of a bundle of all these ways; `None` if they are few, or far apart.
pub fn join(ways: &[Option<Way>; MEMBERS]) -> Option<Way> {
    let mut members = ways.iter().flatten();
    let mut way = *members.next()?;
    let mut count = 1;
    // The least lead, and the largest reciprocal of a length.
    let (mut back, mut slowest) = (way.lead, way.before);
    for member in members {
        if member.near != way.near {
            return None;
        }
        for k in 0..3 {
            way.lead[k] = way.lead[k].max(member.lead[k]);
            way.tail[k] = way.tail[k].min(member.tail[k]);
            way.before[k] = way.before[k].min(member.before[k]);
            way.after[k] = way.after[k].min(member.after[k]);
            back[k] = back[k].min(member.lead[k]);
            slowest[k] = slowest[k].max(member.before[k]);
        }
        count += 1;
    }
    let rest = (way.to - way.from) as f32;
    let (mut spread, mut length) = (0.0f32, 0.0f32);
    for k in 0..3 {
        let (longest, shortest) = (1.0 / way.before[k], 1.0 / slowest[k]);
        spread = spread.max(way.lead[k] - back[k] + (longest - shortest) * rest);
        length = length.max(longest * rest);
    }
    let is_close = spread <= length * SPREAD;
    (count >= LEAST && is_close).then_some(way)
}

impl Bundle {
    /// Replaces the members.
    pub fn set(&mut self, ways: &[Option<Way>; MEMBERS], shapes: &[u32]) {
        for (to, shape) in self.shapes.iter_mut().zip(shapes) {
            *to = *shape;
        }
        for (lane, way) in ways.iter().enumerate() {
            let Some(way) = way else {
                (self.from[lane], self.limits[lane]) = (f64::INFINITY, -1.0);
                continue;
            };
            self.from[lane] = way.from;
            for k in 0..3 {
                self.lead[k][lane] = way.lead[k];
                self.tail[k][lane] = way.tail[k];
                self.before[k][lane] = way.before[k];
                self.after[k][lane] = way.after[k];
            }
        }
    }

    /// Sets the limits of the members by the times up to which they search; `None` for one that does not any more. Returns the limit of the
    /// bundle, whose way is `way`.
    pub fn limit(&mut self, way: &Way, times: impl Iterator<Item = Option<f32>>) -> f32 {
        let members = self.limits.iter_mut().zip(&self.from);
        for ((limit, from), time) in members.zip(times) {
            *limit = match time {
                Some(time) => (f64::from(time) * way.later - from) as f32,
                None => -1.0,
            };
        }
        self.limits.iter().copied().fold(-1.0, f32::max)
    }

    /// Mask of the members that reach an AABB of a block within their limits. `way` is that of the bundle.
    #[inline(always)]
    pub fn reach<L: Lanes>(&self, lanes: L, way: &Way, block: &Block, lane: usize) -> u32 {
        let (mut reached, mut at) = (0, 0);
        while at < MEMBERS {
            let (mut near, mut far) = (lanes.splat(0.0), lanes.load(&self.limits[at..]));
            let mut k = 0;
            while k < 3 {
                let low = lanes.splat(block[way.near[k]][lane % 8]);
                let high = lanes.splat(block[way.far[k]][lane % 8]);
                let low = low - lanes.load(&self.lead[k][at..]);
                let high = high + lanes.load(&self.tail[k][at..]);
                near = (low * lanes.load(&self.before[k][at..])).max(near);
                far = (high * lanes.load(&self.after[k][at..])).min(far);
                k += 1;
            }
            reached |= (near.le(far).bits() as u32) << at;
            at += L::COUNT;
        }
        reached
    }
}
