//! The list of a former call, of bounds a little larger: a *skin* larger on each side.
//!
//! It is good as long as all bounds are within the larger ones, which depends on numbers alone: whose they are
//! does not matter. What the skin is worth depends on the motion. A larger one lasts longer, and lists more
//! pairs; where everything jumps, none lasts. So there is a list only once bounds have stayed within a part of
//! a skin for a call, the skin grows while lists last for a few calls only, and where lists did not last nobody
//! makes one for a while.

use alloc::vec::Vec;

use super::Row;
use super::rows::SideBounds;
use crate::lane::{Job, Lanes, Mask, Rows, Split, split};
use crate::pairs::Pair;

/// The skin at first, in sizes of a usual shape, and its limits.
const SKIN: f32 = 0.12;
const SKINS: (f32, f32) = (0.02, 0.3);
/// The part of a skin that must not have been used up by the first call.
const PROBE: f32 = 0.2;
/// The least and the most calls that a list should last.
const LASTS: (u32, u32) = (12, 40);
/// The most calls until it is tried again.
const MAX_BACKOFF: u32 = 32;

/// A list, and what is known of the motion.
#[derive(Debug)]
pub struct PairCache {
    pairs: Vec<Pair>,
    state: State,
    threshold: f32,
    skin: f32,
    /// How many calls to wait after the next failure.
    backoff: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing is kept for so many calls.
    Waiting(u32),
    /// There are larger bounds, to see whether they last.
    Probing,
    /// There is a list, which has answered so many calls.
    Kept(u32),
}

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Plan {
    /// Asks about the pairs of the list.
    Reuse,
    /// Finds all pairs, and writes larger bounds, if there is a skin.
    Build { skin: Option<f32> },
}

impl Default for PairCache {
    fn default() -> Self {
        PairCache {
            pairs: Vec::new(),
            state: State::Waiting(0),
            threshold: 0.0,
            skin: SKIN,
            backoff: 1,
        }
    }
}

impl PairCache {
    /// Forgets all about the motion.
    pub fn forget(&mut self) {
        let pairs = core::mem::take(&mut self.pairs);
        *self = PairCache {
            pairs,
            ..PairCache::default()
        };
    }

    /// Whether there are larger bounds that matter, for this reach.
    pub fn is_of(&self, threshold: f32) -> bool {
        match self.state {
            State::Waiting(_) => false,
            State::Probing => true,
            State::Kept(_) => self.threshold == threshold,
        }
    }

    /// Whether the call makes a list, or has one.
    pub fn is_kept(&self) -> bool {
        matches!(self.state, State::Kept(_))
    }

    /// The pairs of larger bounds, in order.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The list, to be replaced by pairs of larger bounds in order.
    pub fn pairs_mut(&mut self) -> &mut Vec<Pair> {
        &mut self.pairs
    }

    /// Takes the list for written: of bounds no further apart than this.
    pub fn complete(&mut self, threshold: f32) {
        self.threshold = threshold;
    }

    /// Makes no list after all, and waits before the next attempt.
    pub fn give_up(&mut self) {
        self.pairs = Vec::new();
        self.wait();
    }

    fn wait(&mut self) {
        self.state = State::Waiting(self.backoff);
        self.backoff = (2 * self.backoff).min(MAX_BACKOFF);
    }

    /// What to do, given whether all bounds are within the larger ones.
    pub fn plan(&mut self, holds: bool) -> Plan {
        let wanted = match self.state {
            State::Kept(lasted) if holds => {
                self.state = State::Kept(lasted + 1);
                self.backoff = 1;
                return Plan::Reuse;
            }
            State::Kept(lasted) => {
                if lasted < LASTS.0 {
                    self.skin = (self.skin * 1.5).min(SKINS.1);
                } else if lasted > LASTS.1 {
                    self.skin = (self.skin / 1.5).max(SKINS.0);
                }
                // Not worth its while otherwise.
                lasted > 1
            }
            State::Probing => holds,
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
            // Equal to none, until the list is complete.
            self.threshold = f32::NAN;
            return Plan::Build {
                skin: Some(self.skin),
            };
        }
        self.wait();
        Plan::Build { skin: None }
    }
}

/// Tests the pairs of a list: a bit for each whose bounds touch. Counts them.
pub struct TestPairs<'t> {
    list: &'t [Pair],
    rows: [&'t [Row]; 2],
    threshold: f32,
    bits: &'t mut [u64],
}

/// Pairs that are tested together.
pub const WORD: usize = u64::BITS as usize;
/// How many pairs ahead rows are prefetched.
const AHEAD: usize = 32;

impl<'t> TestPairs<'t> {
    /// `bits` has a word for each [`WORD`] of pairs.
    pub fn new(
        list: &'t [Pair],
        [a, b]: [&'t SideBounds; 2],
        threshold: f32,
        bits: &'t mut [u64],
    ) -> Self {
        let rows = [a.rows(), b.rows()];
        TestPairs {
            list,
            rows,
            threshold,
            bits,
        }
    }
}

/// The rows of one side of some pairs.
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

impl Job for TestPairs<'_> {
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
                    // Of the first side neighbours are neighbours.
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

/// Up to a word of pairs from `at` on, and their number; `scratch` fills a short one up.
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

impl Split for TestPairs<'_> {
    const GRAIN: usize = 1 << 15;

    split! { len: list, list: slice, rows: shared, threshold: shared, bits: slice_mut / WORD }

    fn merge(one: usize, other: usize) -> usize {
        one + other
    }
}

/// Copies the pairs of a list whose bits are set, as many as there is room for.
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
    fn a_list_is_made_once_bounds_last_and_asked_while_they_do() {
        let mut list = PairCache::default();
        assert!(!list.is_of(0.0));
        assert!(is_built(list.plan(false)) && !list.is_kept());
        assert!(is_built(list.plan(true)) && list.is_kept());
        assert!(!list.is_of(1.0));
        list.complete(1.0);
        assert!(list.is_of(1.0) && !list.is_of(2.0));
        for _ in 0..5 {
            assert_eq!(list.plan(true), Plan::Reuse);
        }
        // It lasted: the next one is made at once, with more room.
        let skin = list.skin;
        assert!(is_built(list.plan(false)) && list.is_kept() && list.skin > skin);
        list.forget();
        assert!(!list.is_of(1.0) && !list.is_kept());
    }

    #[test]
    fn where_nothing_lasts_it_is_tried_ever_more_seldom() {
        let mut list = PairCache::default();
        let tries = |list: &mut PairCache| (0..1000).filter(|_| is_built(list.plan(false))).count();
        let first = tries(&mut list);
        assert!((20..50).contains(&first), "{first}");
        assert!(tries(&mut list) < 32 && !list.is_kept());
        while list.plan(false) == NOTHING {}
        assert!(is_built(list.plan(true)) && list.is_kept());
    }
}
