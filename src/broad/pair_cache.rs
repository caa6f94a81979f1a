//! Temporal coherence: the pair list of an earlier call, found with fat AABBs, which are a *skin* larger on each side.
//!
//! The list is valid while every AABB is inside its fat AABB. This is a comparison of numbers, so the identity of
//! the stores does not matter. A store at rest has no fat AABBs: the list is of its tree, by serial number, and the pairs of shapes that
//! are set are searched and added.
//!
//! The best skin depends on the motion: a larger one lasts longer and lists more pairs. So a list is built only
//! after all bounds stayed within a fraction of a skin for one call, and its skin is a multiple of the motion during that call. The skin
//! grows while lists last for a few calls only and shrinks while they last long. After a failure, rebuilds back off exponentially.

use alloc::vec::Vec;

use crate::broad::row::Row;
use crate::lane::{Job, Lanes, Mask, Rows, Split, split};
use crate::memory::pages;
use crate::pairs::Pair;

/// Skin of the first probe, relative to the median size of a shape, and the limits of skins.
const SKIN: f32 = 0.12;
const WIDEST: f32 = 0.3;
const NARROWEST: f32 = 1.0 / 2048.0;
/// Fraction of the skin within which all bounds must stay for one call before a list is built.
const PROBE: f32 = 0.2;
/// The most pairs of a list, for each shape, of those that overlap, and for each shape and some in addition.
const FOR_EACH: usize = 32;
const OF_EXACT: usize = 2;
const FOR_FEW: usize = 16;
const SHAPES: usize = 1024;
/// Target range of the number of calls that a list lasts, and the number for which a new one is meant.
const LASTS: (u32, u32) = (12, 40);
const MEANT: f32 = 24.0;
/// Growth of the widest skin with each list that was short enough.
const GROWTH: f32 = 1.1;
/// Maximum number of calls between two attempts.
const MAX_BACKOFF: u32 = 32;

/// A cached list, and the state of the heuristic.
#[derive(Debug)]
pub struct PairCache {
    pairs: Vec<Pair>,
    state: State,
    threshold: f32,
    skin: f32,
    /// Skins are no larger: with a larger one the list was too long.
    widest: f32,
    /// Number of calls to wait after the next failure.
    backoff: u32,
    /// Number of pairs of the last list without a skin.
    exact: usize,
    /// Whether the list is short enough for a larger skin.
    may_grow: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Backing off for this number of calls.
    Waiting(u32),
    /// Fat AABBs without a list, to test whether they last.
    Probing,
    /// A list that has served this number of calls.
    Kept(u32),
}

/// Action of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Plan {
    /// Retests the pairs of the list.
    Reuse,
    /// Finds all pairs and, if there is a skin, writes fat AABBs.
    Build { skin: Option<f32> },
}

impl Default for PairCache {
    fn default() -> Self {
        PairCache {
            pairs: Vec::new(),
            state: State::Waiting(0),
            threshold: 0.0,
            skin: SKIN,
            widest: WIDEST,
            backoff: 1,
            exact: 0,
            may_grow: true,
        }
    }
}

impl PairCache {
    /// Drops the list and resets the heuristic.
    pub fn forget(&mut self) {
        let pairs = core::mem::take(&mut self.pairs);
        *self = PairCache {
            pairs,
            ..PairCache::default()
        };
    }

    /// Whether fat AABBs for this threshold exist.
    pub fn is_of(&self, threshold: f32) -> bool {
        match self.state {
            State::Waiting(_) => false,
            State::Probing => true,
            State::Kept(_) => self.threshold == threshold,
        }
    }

    /// Whether the last call wrote fat AABBs without a list.
    pub fn is_probing(&self) -> bool {
        self.state == State::Probing
    }

    /// Chooses the skin for this motion during a call, relative to the usual size of a shape.
    pub fn expect(&mut self, motion: f32) {
        if motion.is_finite() {
            self.skin = (MEANT * motion).max(NARROWEST).min(self.widest);
        }
    }

    /// Whether the call builds a list, or has one.
    pub fn is_kept(&self) -> bool {
        matches!(self.state, State::Kept(_))
    }

    /// The overlapping pairs of fat AABBs, in order.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The list, to be filled with the overlapping pairs of fat AABBs, in order.
    pub fn pairs_mut(&mut self) -> &mut Vec<Pair> {
        &mut self.pairs
    }

    /// Marks the list as complete, for this threshold and number of shapes.
    pub fn complete(&mut self, threshold: f32, shapes: usize) {
        self.threshold = threshold;
        // Where shapes are dense, pairs grow about by the cube.
        let grown = self.pairs.len() as f32 * (GROWTH * GROWTH * GROWTH);
        self.may_grow = grown <= self.limit(shapes) as f32;
    }

    /// Adds pairs, unless the list has become too long for this number of shapes. False if it has, or memory has run out.
    pub fn patch(&mut self, more: &mut Vec<Pair>, shapes: usize) -> bool {
        more.sort_unstable();
        more.dedup();
        more.retain(|pair| self.pairs.binary_search(pair).is_err());
        let len = self.pairs.len() + more.len();
        if len > self.limit(shapes) || pages::try_reserve_all(&mut self.pairs, len).is_err() {
            return false;
        }
        // Merged from the end.
        let (mut old, mut at) = (self.pairs.len(), len);
        self.pairs.resize(len, Pair::default());
        for pair in more.drain(..).rev() {
            let first = self.pairs[..old].partition_point(|other| *other < pair);
            at -= old - first;
            self.pairs.copy_within(first..old, at);
            at -= 1;
            self.pairs[at] = pair;
            old = first;
        }
        true
    }

    /// Records the number of pairs of a list without a skin.
    pub fn set_exact(&mut self, pairs: usize) {
        self.exact = pairs;
    }

    /// The most pairs of a list for this number of shapes. In a longer one most pairs do not overlap.
    pub fn limit(&self, shapes: usize) -> usize {
        let of_few = shapes.saturating_add(SHAPES).saturating_mul(FOR_FEW);
        let for_shapes = shapes.saturating_mul(FOR_EACH).max(of_few);
        for_shapes.max(self.exact.saturating_mul(OF_EXACT))
    }

    /// Drops a list that is too long. The next one has a smaller skin.
    pub fn give_up(&mut self) {
        self.pairs = Vec::new();
        self.widest = (self.skin * 0.5).max(NARROWEST);
        // The probe of a smaller skin fails at motions for which this one lasts.
        self.skin = self.widest;
        self.wait();
    }

    fn wait(&mut self) {
        self.state = State::Waiting(self.backoff);
        self.backoff = (2 * self.backoff).min(MAX_BACKOFF);
    }

    /// Plans the call; `holds` is whether every AABB is inside its fat AABB.
    pub fn plan(&mut self, holds: bool) -> Plan {
        let wanted = match self.state {
            State::Kept(lasted) if holds => {
                self.state = State::Kept(lasted + 1);
                self.backoff = 1;
                return Plan::Reuse;
            }
            State::Kept(lasted) => {
                if self.may_grow {
                    self.widest = (self.widest * GROWTH).min(WIDEST);
                }
                if lasted < LASTS.0 {
                    self.skin = (self.skin * 1.5).min(self.widest);
                } else if lasted > LASTS.1 {
                    self.skin = (self.skin / 1.5).max(NARROWEST);
                }
                // A list that served at most one call did not pay.
                lasted > 1
            }
            State::Probing => {
                // A skin that was too large may fit by now.
                if !holds && self.backoff == MAX_BACKOFF {
                    self.widest = (self.widest * GROWTH).min(WIDEST);
                    self.skin = (self.skin * GROWTH).min(self.widest);
                }
                holds
            }
            State::Waiting(calls) => {
                self.state = if calls == 0 {
                    State::Probing
                } else {
                    State::Waiting(calls - 1)
                };
                let skin = (calls == 0).then_some(PROBE * self.skin);
                return Plan::Build { skin };
            }
        };
        if wanted {
            self.state = State::Kept(0);
            // Differs from every threshold until the list is complete.
            self.threshold = f32::NAN;
            return Plan::Build {
                skin: Some(self.skin),
            };
        }
        self.wait();
        Plan::Build { skin: None }
    }
}

/// Tests the pairs of a list: writes a bit for each and counts the overlapping ones.
pub struct RetestPairs<'t> {
    list: &'t [Pair],
    rows: [&'t [Row]; 2],
    threshold: f32,
    bits: &'t mut [u64],
}

/// Pairs per mask word.
pub const WORD: usize = u64::BITS as usize;
/// Prefetch distance, in pairs.
const AHEAD: usize = 32;

impl<'t> RetestPairs<'t> {
    /// `bits` has one word for each [`WORD`] pairs.
    pub fn new(
        list: &'t [Pair],
        rows: [&'t [Row]; 2],
        threshold: f32,
        bits: &'t mut [u64],
    ) -> Self {
        RetestPairs {
            list,
            rows,
            threshold,
            bits,
        }
    }
}

/// Gathers the rows of one side of pairs.
#[derive(Clone, Copy)]
struct PairedRows<'r> {
    rows: &'r [Row],
    pairs: &'r [[u32; 2]],
    side: usize,
}

impl Rows<Row> for PairedRows<'_> {
    #[inline(always)]
    fn row(&self, lane: usize) -> &Row {
        &self.rows[self.pairs[lane][self.side] as usize]
    }
}

impl Job for RetestPairs<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let list: &[[u32; 2]] = bytemuck::must_cast_slice(self.list);
        let threshold = lanes.splat(self.threshold);
        let mut count = 0;
        for (k, to) in self.bits.iter_mut().enumerate() {
            let at = k * WORD;
            let mut scratch = [[0; 2]; WORD];
            let (word, len) = word_at(list, at, &mut scratch);
            let (mut bits, mut lane) = (0, 0);
            while lane < WORD {
                let mut k = lane;
                while k < lane + L::COUNT {
                    // The list is sorted by the first index, so only rows of the second side need a prefetch.
                    let ahead = list.get(at + k + AHEAD).unwrap_or(&[0; 2])[1];
                    lanes.prefetch(self.rows[1], ahead as usize);
                    k += 1;
                }
                let pairs = &word[lane..];
                let [a, b] = [0, 1].map(|side| PairedRows {
                    rows: self.rows[side],
                    pairs,
                    side,
                });
                let (touching, _) = lanes.sums_at_most(a, b, threshold);
                bits |= touching.bits() << lane;
                lane += L::COUNT;
            }
            *to = bits & (u64::MAX >> (WORD - len));
            count += to.count_ones() as usize;
        }
        count
    }
}

/// The pairs of one word from `at` on, and their number. A short word is copied to `scratch`.
#[inline(always)]
fn word_at<'w>(
    list: &'w [[u32; 2]],
    at: usize,
    scratch: &'w mut [[u32; 2]; WORD],
) -> (&'w [[u32; 2]; WORD], usize) {
    match list[at..].first_chunk() {
        Some(word) => (word, WORD),
        None => {
            let left = &list[at..];
            scratch[..left.len()].copy_from_slice(left);
            (scratch, left.len())
        }
    }
}

impl Split for RetestPairs<'_> {
    const GRAIN: usize = 1 << 15;

    split! { len: list, list: slice, rows: shared, threshold: shared, bits: slice_mut / WORD }

    fn merge(one: usize, other: usize) -> usize {
        one + other
    }
}

/// Copies the pairs of a list whose bits are set; `to` has exactly their number.
pub struct CopyPairs<'c> {
    pub list: &'c [Pair],
    pub bits: &'c [u64],
    pub to: &'c mut [Pair],
}

impl Job for CopyPairs<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let list: &[[u32; 2]] = bytemuck::must_cast_slice(self.list);
        let to: &mut [[u32; 2]] = bytemuck::must_cast_slice_mut(self.to);
        let mut count = 0;
        for (k, &bits) in self.bits.iter().enumerate() {
            let mut scratch = [[0; 2]; WORD];
            let (word, _) = word_at(list, k * WORD, &mut scratch);
            if count + WORD + L::COUNT <= to.len() {
                count += lanes.compress_pairs(bits, word, &mut to[count..]);
            } else {
                let mut room = [[0; 2]; WORD + crate::lane::MAX_LANES];
                let picked = lanes.compress_pairs(bits, word, &mut room);
                to[count..count + picked].copy_from_slice(&room[..picked]);
                count += picked;
            }
        }
    }
}

impl Split for CopyPairs<'_> {
    const GRAIN: usize = 1 << 17;

    fn len(&self) -> usize {
        self.list.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (list, other_list) = self.list.split_at(middle);
        let (bits, other_bits) = self.bits.split_at(middle / WORD);
        let count = bits.iter().map(|word| word.count_ones() as usize).sum();
        let (to, other_to) = self.to.split_at_mut(count);
        let low = CopyPairs { list, bits, to };
        let high = CopyPairs {
            list: other_list,
            bits: other_bits,
            to: other_to,
        };
        (low, high)
    }

    fn merge((): (), (): ()) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Plan = Plan::Build { skin: None };

    fn is_built(plan: Plan) -> bool {
        matches!(plan, Plan::Build { skin: Some(_) })
    }

    #[test]
    fn pair_cache_is_built_after_a_probe_and_reused_while_it_holds() {
        let mut list = PairCache::default();
        assert!(!list.is_of(0.0));
        assert!(is_built(list.plan(false)) && !list.is_kept());
        assert!(is_built(list.plan(true)) && list.is_kept());
        assert!(!list.is_of(1.0));
        list.complete(1.0, 0);
        assert!(list.is_of(1.0) && !list.is_of(2.0));
        for _ in 0..5 {
            assert_eq!(list.plan(true), Plan::Reuse);
        }
        // The list lasted: the next list is built at once, with a larger skin.
        let skin = list.skin;
        assert!(is_built(list.plan(false)) && list.is_kept() && list.skin > skin);
        list.forget();
        assert!(!list.is_of(1.0) && !list.is_kept());
    }

    #[test]
    fn pair_cache_has_a_skin_for_the_motion_of_the_probe() {
        let skin_for = |motion: f32| {
            let mut list = PairCache::default();
            assert!(!list.is_probing());
            list.plan(false);
            assert!(list.is_probing());
            list.expect(motion);
            let plan = list.plan(true);
            assert!(!list.is_probing());
            plan
        };
        let built = |skin| Plan::Build { skin: Some(skin) };
        assert_eq!(skin_for(0.001), built(0.001 * MEANT));
        assert_eq!(skin_for(0.0), built(NARROWEST));
        assert_eq!(skin_for(9.0), built(WIDEST));
        // Shapes without a size say nothing.
        assert_eq!(skin_for(f32::NAN), built(SKIN));
        assert_eq!(skin_for(f32::INFINITY), built(SKIN));
    }

    #[test]
    fn pair_cache_backs_off_under_fast_motion() {
        let mut list = PairCache::default();
        let tries = |list: &mut PairCache| (0..1000).filter(|_| is_built(list.plan(false))).count();
        let first = tries(&mut list);
        assert!((20..50).contains(&first), "{first}");
        assert!(tries(&mut list) < 32 && !list.is_kept());
        while list.plan(false) == NOTHING {}
        assert!(is_built(list.plan(true)) && list.is_kept());
    }

    #[test]
    fn dense_shapes_that_move_evenly_have_a_list_in_most_calls() {
        // 10,000 cubes of size 1: pairs grow by the cube of what their sides grow by.
        let (cubes, per_cube) = (10_000, 10.0);
        let pairs = |skin: f32| (per_cube * (1.0 + 2.0 * skin).powi(3)) as usize * cubes;
        for motion in [0.004, 0.01, 0.02] {
            let mut list = PairCache::default();
            list.set_exact(pairs(0.0));
            let (mut skin, mut age) = (0.0, 0.0);
            let (mut reused, mut given_up) = (0, 0);
            for _ in 0..600 {
                age += motion;
                let holds = age <= skin;
                if holds && list.is_probing() {
                    list.expect(motion);
                }
                match list.plan(holds) {
                    Plan::Reuse => reused += 1,
                    Plan::Build { skin: Some(built) } => {
                        (skin, age) = (built, 0.0);
                        if list.is_kept() {
                            let len = pairs(built);
                            if len > list.limit(cubes) {
                                list.give_up();
                                given_up += 1;
                            } else {
                                list.pairs.resize(len, Pair::default());
                                list.complete(0.0, cubes);
                            }
                        }
                    }
                    Plan::Build { skin: None } => {}
                }
            }
            assert!(reused > 500, "{motion}: {reused} of 600");
            assert!(given_up <= 2, "{motion}: {given_up} lists are too long");
        }
    }

    #[test]
    fn shapes_that_were_dense_have_a_list_again() {
        let motion = 0.02;
        let mut list = PairCache::default();
        // Skins of 0.3 and half of it are too large for them.
        for _ in 0..2 {
            while !list.is_probing() {
                list.plan(false);
            }
            list.expect(motion);
            assert!(is_built(list.plan(true)));
            list.give_up();
        }
        // The probe holds if the motion is within it.
        let mut calls = 0;
        loop {
            let plan = list.plan(false);
            calls += 1;
            assert!(calls < 1000);
            if is_built(plan) && PROBE * list.skin >= motion {
                break;
            }
        }
        list.expect(motion);
        assert!(is_built(list.plan(true)) && list.is_kept());
    }
}
