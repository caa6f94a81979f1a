//! Results of an impact query: the times of impact of rotating shapes.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::fmt;

use crate::driver::source::{MISS, Resized, TimeRange, Verb};
use crate::error::Error;
use crate::lane::{Float, Lanes, WORD};
use crate::memory::pages;
use crate::narrow::overlap::overlaps::{BitMask, Hits, OverlapWords, Overlaps, forward_masks};
use crate::pairs::Pairs;
use crate::shapes::shape::Shape;

/// Results of an impact query: the pairs that touch while they move and rotate, and their times of impact.
///
/// Position `i` holds the result of pair `i` of the list. Keep one value and pass it to every call: its
/// memory is reused, and each successful call replaces its contents. See
/// [`Detector::impact`](crate::Detector::impact).
///
/// ```
/// use phalanx::{Detector, Impacts, Obb, Obbs, Pair};
///
/// let wall = Obb { half_extents: [0.1, 9.0, 9.0], ..Obb::default() };
/// let mut boxes = Obbs::from_slice(&[wall]);
/// // A plank beside the wall that rotates by 180° and does not move.
/// let plank = Obb { center: [1.5, 0.0, 0.0], half_extents: [0.1, 3.0, 0.1], ..wall };
/// boxes.push_turning(plank, [0.0; 3], [0.0, 0.0, core::f32::consts::PI]);
///
/// let mut impacts = Impacts::new();
/// Detector::new().impact(&boxes, &boxes, &[Pair::new(0, 1)], 1e-3, &mut impacts)?;
/// let time = impacts.get(0).unwrap();
/// assert!(0.13 < time && time < 0.16);
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Impacts {
    pub(crate) masks: Overlaps,
    pub(crate) time: Vec<f32>,
    unsettled: BitMask,
    /// Positions of the pairs that pass the sweep of the bounding spheres.
    positions: Vec<u32>,
}

/// The owned columns of [`Impacts`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImpactColumns {
    /// The hits as bits: pair `i` is bit `i % 64` of word `i / 64`.
    pub hits: Vec<u64>,
    /// The pairs with an invalid shape, as bits.
    pub invalid: Vec<u64>,
    /// The hits that are not [settled](Impacts::is_settled), as bits.
    pub unsettled: Vec<u64>,
    /// The time of impact of every pair, never late; +∞ for a miss.
    pub time: Vec<f32>,
}

impl Impacts {
    /// The results of an empty list.
    pub const fn new() -> Self {
        Impacts {
            masks: Overlaps::new(),
            time: Vec::new(),
            unsettled: BitMask::new(),
            positions: Vec::new(),
        }
    }

    forward_masks!();

    /// The time of impact of pair `position`; `None` for a miss and past the end.
    #[inline]
    pub fn get(&self, position: usize) -> Option<f32> {
        self.is_hit(position).then(|| self.time[position])
    }

    /// Iterates over the positions of the pairs that touch during the frame, in order, each with its time.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, f32)> + Clone + '_ {
        self.masks
            .iter()
            .map(|position| (position, self.time[position]))
    }

    /// Iterates over the pairs that touch during the frame, in order of their positions.
    ///
    /// Pass the pairs of the call. [`iter`](Self::iter) yields their times in the same order.
    ///
    /// # Errors
    ///
    /// As for [`Overlaps::hits`].
    pub fn hits<'a>(&'a self, pairs: impl Into<Pairs<'a>>) -> Result<Hits<'a>, Error> {
        self.masks.hits(pairs)
    }

    /// Whether the time of pair `position` is within the tolerance; true for misses and past the end.
    ///
    /// False if the search reached its iteration limit, for example at nearly parallel edges that graze each other. The
    /// time is still a valid lower bound: there is no contact before it.
    #[inline]
    pub fn is_settled(&self, position: usize) -> bool {
        !self.unsettled.get(position)
    }

    /// Number of pairs that touch during the frame.
    pub fn count(&self) -> usize {
        self.masks.count()
    }

    /// The time of impact of every pair, a fraction of the frame and never late; +∞ for a miss.
    #[inline]
    pub fn time(&self) -> &[f32] {
        &self.time
    }

    /// The results with these columns, the inverse of [`into_columns`](Self::into_columns). Bits past the last pair are ignored.
    ///
    /// ```
    /// use phalanx::{ImpactColumns, Impacts};
    ///
    /// let impacts = Impacts::from_columns(ImpactColumns {
    ///     hits: vec![0b10],
    ///     invalid: vec![0],
    ///     unsettled: vec![0],
    ///     time: vec![f32::INFINITY, 0.25],
    /// })?;
    /// assert_eq!(impacts.iter().collect::<Vec<_>>(), [(1, 0.25)]);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ResultLength`] if a column does not fit the length of `time`. Columns are counted in the order of
    /// [`ImpactColumns`]. Numbers are not checked: times that no impact has give unspecified results of later calls.
    pub fn from_columns(columns: ImpactColumns) -> Result<Self, Error> {
        let ImpactColumns {
            hits,
            invalid,
            unsettled,
            time,
        } = columns;
        let len = time.len();
        Ok(Impacts {
            masks: Overlaps::from_words(len, OverlapWords { hits, invalid })?,
            unsettled: BitMask::from_words(2, len, unsettled)?,
            time,
            positions: Vec::new(),
        })
    }

    /// Returns the words and the times, without a copy.
    pub fn into_columns(self) -> ImpactColumns {
        let OverlapWords { hits, invalid } = self.masks.into_words();
        ImpactColumns {
            hits,
            invalid,
            unsettled: self.unsettled.into_words(),
            time: self.time,
        }
    }

    /// Resizes the results to `len` positions. Returns the words of hits and of invalid pairs, and the times. If memory
    /// runs out, the results are unchanged.
    pub(crate) fn resize(
        &mut self,
        len: usize,
    ) -> Result<([&mut [u64]; 2], &mut [f32]), TryReserveError> {
        pages::try_reserve_all(&mut self.time, len)?;
        self.unsettled.try_reserve(len.div_ceil(WORD))?;
        let masks = self.masks.resize_masks(len)?;
        self.time.resize(len, f32::INFINITY);
        Ok((masks, &mut self.time))
    }

    /// Lists the hits. Returns their positions, and the times of all positions.
    pub(crate) fn positions_and_times(&mut self) -> Result<(&[u32], &mut [f32]), TryReserveError> {
        self.masks.list(&mut self.positions)?;
        Ok((&self.positions, &mut self.time))
    }

    /// Decodes the [outcomes](Outcome) in the column of times.
    pub(crate) fn settle(&mut self) {
        let Impacts {
            masks,
            time,
            unsettled,
            ..
        } = self;
        let [hits, _] = masks.words_mut();
        let unsettled = unsettled.resize(hits.len());
        for (k, word) in hits.iter_mut().enumerate() {
            let (mut left, mut late) = (*word, 0);
            while left != 0 {
                let bit = left & left.wrapping_neg();
                left ^= bit;
                let time = &mut time[k * WORD + bit.trailing_zeros() as usize];
                match Outcome::decode(*time) {
                    Outcome::Hit(_) => {}
                    Outcome::Miss => *word ^= bit,
                    Outcome::IterationLimit(bound) => (*time, late) = (bound, late | bit),
                }
            }
            unsettled[k] = late;
        }
    }
}

/// End of the search for the time of impact of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// The shapes are within the tolerance at this time, and do not touch before.
    Hit(f32),
    /// The shapes do not touch during the frame.
    Miss,
    /// The search reached its iteration limit. The shapes do not touch before this time.
    IterationLimit(f32),
}

impl Outcome {
    /// The outcome as one number, for the column of times: +∞ for a miss, the sign bit set at the iteration limit.
    /// Times are not negative.
    #[inline(always)]
    pub fn encode(self) -> f32 {
        match self {
            Outcome::Hit(time) => time,
            Outcome::Miss => f32::INFINITY,
            Outcome::IterationLimit(time) => -time,
        }
    }

    /// Decodes a number of [`encode`](Self::encode).
    #[inline(always)]
    pub fn decode(number: f32) -> Self {
        if number == f32::INFINITY {
            Outcome::Miss
        } else if number.is_sign_negative() {
            Outcome::IterationLimit(-number)
        } else {
            Outcome::Hit(number)
        }
    }
}

/// Compares the results; scratch memory is ignored.
impl PartialEq for Impacts {
    fn eq(&self, other: &Self) -> bool {
        self.masks == other.masks && self.time == other.time && self.unsettled == other.unsettled
    }
}

impl fmt::Debug for Impacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Impacts")
            .field("len", &self.len())
            .field("hits", &self.iter().collect::<Vec<_>>())
            .field("unsettled", &self.unsettled.iter())
            .field("invalid", &self.iter_invalid())
            .finish()
    }
}

impl Verb for Impacts {
    type Form<T: Shape> = T::FullMotion;
    type Answer<L: Lanes> = TimeRange<L>;
    type Columns<X: Send> = [X; 1];
    const IS_REFINED: bool = false;

    #[inline(always)]
    fn hit<L: Lanes>(answer: TimeRange<L>) -> L::M {
        answer.hit
    }
    #[inline(always)]
    fn columns<L: Lanes>(lanes: L, answer: TimeRange<L>, hit: L::M) -> [L::F; 1] {
        let least = lanes.splat(MISS).masked(!hit);
        [answer.enter.max(least)]
    }
    fn invalid(&self) -> &[u64] {
        self.masks.invalid_words()
    }
    fn resize(&mut self, len: usize) -> Resized<'_, Self> {
        let (masks, time) = self.resize(len)?;
        Ok((masks, [time]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcome_encoded_decodes_to_itself() {
        for time in [0.0, f32::from_bits(1), 0.5, 1.0] {
            for outcome in [Outcome::Hit(time), Outcome::IterationLimit(time)] {
                assert_eq!(Outcome::decode(outcome.encode()), outcome);
            }
        }
        assert_eq!(Outcome::decode(Outcome::Miss.encode()), Outcome::Miss);
    }
}
