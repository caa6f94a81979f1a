//! The list of a former call, of bounds a little larger: a *skin* larger on each side.
//!
//! It is good as long as all bounds are within the larger ones, which depends on numbers alone: whose they are
//! does not matter. What the skin is worth depends on the motion. A larger one lasts longer, and lists more
//! pairs; where everything jumps, none lasts. So there is a list only once bounds have stayed within a part of
//! a skin for a call, the skin grows while lists last for a few calls only, and where lists did not last nobody
//! makes one for a while.

use alloc::vec::Vec;

use super::Row;
use super::pieces::Pieces;
use super::rows::SideRows;
use crate::lane::{Job, Lanes, Mask, Rows, Split};
use crate::pages;
use crate::pairs::Pair;

/// The skin at first, in sizes of a usual shape, and its limits.
const SKIN: f32 = 0.12;
const SKINS: (f32, f32) = (0.02, 0.3);
/// The part of a skin that must not have been used up by the first call.
const PROBE: f32 = 0.2;
/// The least and the most calls that a list should last.
const LASTS: (u32, u32) = (12, 40);
/// The most calls until it is tried again.
const MOST_PATIENCE: u32 = 32;

/// A list, and what is known of the motion.
#[derive(Debug)]
pub struct KeptList {
    pairs: Vec<Pair>,
    state: State,
    reach: f32,
    skin: f32,
    /// How many calls to wait after the next failure.
    patience: u32,
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
    Ask,
    /// Finds all pairs, and writes larger bounds, if there is a skin.
    Build { skin: Option<f32> },
}

impl Default for KeptList {
    fn default() -> Self {
        KeptList {
            pairs: Vec::new(),
            state: State::Waiting(0),
            reach: 0.0,
            skin: SKIN,
            patience: 1,
        }
    }
}

impl KeptList {
    /// Forgets all about the motion.
    pub fn forget(&mut self) {
        let pairs = core::mem::take(&mut self.pairs);
        *self = KeptList {
            pairs,
            ..KeptList::default()
        };
    }

    /// Whether there are larger bounds that matter, for this reach.
    pub fn is_of(&self, reach: f32) -> bool {
        match self.state {
            State::Waiting(_) => false,
            State::Probing => true,
            State::Kept(_) => self.reach == reach,
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
    pub fn complete(&mut self, reach: f32) {
        self.reach = reach;
    }

    /// What to do, given whether all bounds are within the larger ones.
    pub fn plan(&mut self, holds: bool) -> Plan {
        let wanted = match self.state {
            State::Kept(lasted) if holds => {
                self.state = State::Kept(lasted + 1);
                self.patience = 1;
                return Plan::Ask;
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
            self.reach = f32::NAN;
            return Plan::Build {
                skin: Some(self.skin),
            };
        }
        self.state = State::Waiting(self.patience);
        self.patience = (2 * self.patience).min(MOST_PATIENCE);
        Plan::Build { skin: None }
    }
}

/// Copies the pairs whose bounds touch.
pub struct Filter<'f> {
    list: &'f [Pair],
    rows: [&'f [Row]; 2],
    reach: f32,
    pairs: &'f mut [Pair],
    first: usize,
}

/// Pairs that are tested together.
const WORD: usize = 64;
/// How many pairs ahead rows are prefetched.
const AHEAD: usize = 32;

impl<'f> Filter<'f> {
    pub fn new(
        list: &'f [Pair],
        [a, b]: [&'f SideRows; 2],
        reach: f32,
        pairs: &'f mut Vec<Pair>,
    ) -> Self {
        if pairs.len() < list.len() {
            pages::resize(pairs, list.len(), Pair::default());
        } else {
            pairs.truncate(list.len());
        }
        Filter {
            list,
            rows: [a.rows(), b.rows()],
            reach,
            pairs,
            first: 0,
        }
    }
}

/// The rows of one side of some pairs.
#[derive(Clone, Copy)]
struct OfPairs<'r> {
    rows: &'r [Row],
    pairs: &'r [[u32; 2]],
    side: usize,
}

impl Rows<Row> for OfPairs<'_> {
    #[inline(always)]
    fn row(&self, lane: usize) -> &Row {
        &self.rows[self.pairs[lane][self.side] as usize]
    }
}

impl Job for Filter<'_> {
    type Output = Pieces;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Pieces {
        let list: &[[u32; 2]] = bytemuck::must_cast_slice(self.list);
        let pairs: &mut [[u32; 2]] = bytemuck::must_cast_slice_mut(self.pairs);
        let reach = lanes.splat(self.reach);
        let (mut count, mut at) = (0, 0);
        let mut last = [[0; 2]; WORD];
        while at < list.len() {
            let (word, len): (&[[u32; 2]; WORD], _) = match list[at..].first_chunk() {
                Some(word) => (word, WORD),
                None => {
                    let left = &list[at..];
                    last[..left.len()].copy_from_slice(left);
                    (&last, left.len())
                }
            };
            let mut bits = 0;
            let mut lane = 0;
            while lane < WORD {
                let mut k = lane;
                while k < lane + L::COUNT {
                    // Of the first side neighbours are neighbours.
                    let ahead = list.get(at + k + AHEAD).unwrap_or(&[0; 2])[1];
                    lanes.prefetch(self.rows[1], ahead as usize);
                    k += 1;
                }
                let (a, b) = (
                    OfPairs {
                        rows: self.rows[0],
                        pairs: &word[lane..],
                        side: 0,
                    },
                    OfPairs {
                        rows: self.rows[1],
                        pairs: &word[lane..],
                        side: 1,
                    },
                );
                let (touching, _) = lanes.sums_at_most(a, b, reach);
                bits |= touching.bits() << lane;
                lane += L::COUNT;
            }
            if len < WORD {
                bits &= (1 << len) - 1;
            }
            let mut room = [[0; 2]; WORD + crate::lane::MAX_LANES];
            if count + WORD + L::COUNT <= pairs.len() {
                count += lanes.pick(bits, word, &mut pairs[count..]);
            } else {
                let picked = lanes.pick(bits, word, &mut room);
                pairs[count..count + picked].copy_from_slice(&room[..picked]);
                count += picked;
            }
            at += WORD;
        }
        Pieces::one(self.first, count)
    }
}

impl Split for Filter<'_> {
    const GRAIN: usize = 1 << 15;

    fn len(&self) -> usize {
        self.list.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (list, other_list) = self.list.split_at(middle);
        let (pairs, other_pairs) = self.pairs.split_at_mut(middle);
        let (rows, reach) = (self.rows, self.reach);
        let part = |list, pairs, first| Filter {
            list,
            rows,
            reach,
            pairs,
            first,
        };
        (
            part(list, pairs, self.first),
            part(other_list, other_pairs, self.first + middle),
        )
    }

    fn merge(one: Pieces, other: Pieces) -> Pieces {
        one.and(other)
    }
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
        let mut list = KeptList::default();
        assert!(!list.is_of(0.0));
        assert!(is_built(list.plan(false)) && !list.is_kept());
        assert!(is_built(list.plan(true)) && list.is_kept());
        assert!(!list.is_of(1.0));
        list.complete(1.0);
        assert!(list.is_of(1.0) && !list.is_of(2.0));
        for _ in 0..5 {
            assert_eq!(list.plan(true), Plan::Ask);
        }
        // It lasted: the next one is made at once, with more room.
        let skin = list.skin;
        assert!(is_built(list.plan(false)) && list.is_kept() && list.skin > skin);
        list.forget();
        assert!(!list.is_of(1.0) && !list.is_kept());
    }

    #[test]
    fn where_nothing_lasts_it_is_tried_ever_more_seldom() {
        let mut list = KeptList::default();
        let tries = |list: &mut KeptList| (0..1000).filter(|_| is_built(list.plan(false))).count();
        let first = tries(&mut list);
        assert!((20..50).contains(&first), "{first}");
        assert!(tries(&mut list) < 32 && !list.is_kept());
        while list.plan(false) == NOTHING {}
        assert!(is_built(list.plan(true)) && list.is_kept());
    }
}
