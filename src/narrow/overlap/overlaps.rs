//! Results of overlaps and sweeps, as columns indexed by position in the pair list.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;

use crate::driver::call::{Answered, Call, Query, TableOf};
use crate::driver::settings::Settings;
use crate::driver::source::{HitMask, MISS, Resized, Test, TimeRange, Verb};
use crate::driver::test::TestTable;
use crate::error::Error;
use crate::lane::{Float, Lanes, WORD};
use crate::memory::pages;
use crate::pairs::{Pair, Pairs, PairsKind};
use crate::shapes::form::{Moving, Static};
use crate::shapes::raw_columns::Motion;
use crate::shapes::shape::Shape;

/// Checks the length of a column of results.
pub(crate) fn check_column(column: usize, len: usize, expected: usize) -> Result<(), Error> {
    if len == expected {
        return Ok(());
    }
    Err(Error::ResultLength {
        column,
        len,
        expected,
    })
}

/// A bit per position. Bits past the last position are zero.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct BitMask(Vec<u64>);

impl BitMask {
    /// An empty mask.
    pub(crate) const fn new() -> Self {
        BitMask(Vec::new())
    }

    /// The mask of `len` positions with these words, column `column` of results. Bits past the last position are cleared.
    pub(crate) fn from_words(
        column: usize,
        len: usize,
        mut words: Vec<u64>,
    ) -> Result<Self, Error> {
        check_column(column, words.len(), len.div_ceil(WORD))?;
        if let Some(last) = words.last_mut()
            && !len.is_multiple_of(WORD)
        {
            *last &= (1 << (len % WORD)) - 1;
        }
        Ok(BitMask(words))
    }

    /// Reserves memory for `words` words.
    pub(crate) fn try_reserve(&mut self, words: usize) -> Result<(), TryReserveError> {
        pages::try_reserve_all(&mut self.0, words)
    }

    /// Resizes the mask to `words` words and returns them. Does not clear old bits.
    pub(crate) fn resize(&mut self, words: usize) -> &mut [u64] {
        self.0.resize(words, 0);
        &mut self.0
    }

    /// Returns the words, without a copy.
    pub(crate) fn into_words(self) -> Vec<u64> {
        self.0
    }

    /// The words.
    pub(crate) fn words(&self) -> &[u64] {
        &self.0
    }

    pub(crate) fn get(&self, position: usize) -> bool {
        self.0
            .get(position / WORD)
            .is_some_and(|word| word >> (position % WORD) & 1 == 1)
    }

    fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn iter(&self) -> Positions<'_> {
        Positions {
            words: &self.0,
            base: 0,
            word: 0,
            started: false,
        }
    }
}

/// The positions of set bits, in order.
#[derive(Clone)]
pub struct Positions<'a> {
    /// The words after the current one.
    words: &'a [u64],
    base: usize,
    word: u64,
    started: bool,
}

impl Iterator for Positions<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.word == 0 {
            let (&first, rest) = self.words.split_first()?;
            if self.started {
                self.base += WORD;
            }
            (self.word, self.words, self.started) = (first, rest, true);
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(self.base + bit)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let here = self.word.count_ones() as usize;
        (here, Some(here + self.words.len() * WORD))
    }
}

impl FusedIterator for Positions<'_> {}

impl fmt::Debug for Positions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// The pairs that touch, in order of their positions in the list.
#[derive(Clone)]
pub struct Hits<'a> {
    positions: Positions<'a>,
    pairs: Pairs<'a>,
}

impl Iterator for Hits<'_> {
    type Item = Pair;

    #[inline]
    fn next(&mut self) -> Option<Pair> {
        self.positions
            .next()
            .map(|position| self.pairs.at(position))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.positions.size_hint()
    }
}

impl FusedIterator for Hits<'_> {}

impl fmt::Debug for Hits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// The owned words of [`Overlaps`]: pair `i` is bit `i % 64` of word `i / 64`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverlapWords {
    /// The hits.
    pub hits: Vec<u64>,
    /// The pairs with an invalid shape.
    pub invalid: Vec<u64>,
}

/// The owned columns of [`Sweeps`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepColumns {
    /// The hits as bits: pair `i` is bit `i % 64` of word `i / 64`.
    pub hits: Vec<u64>,
    /// The pairs with an invalid shape, as bits.
    pub invalid: Vec<u64>,
    /// The first time of contact of every pair; +∞ for a miss.
    pub enter: Vec<f32>,
    /// The last time of contact of every pair; +∞ for a miss.
    pub exit: Vec<f32>,
}

/// The first hit of a shape during the frame, see [`Sweeps::first_hits`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FirstHit {
    /// Position in the pair list.
    pub position: usize,
    /// The pair that touches.
    pub pair: Pair,
    /// The time of contact.
    pub time: TimeInterval,
}

/// Results of an overlap: the pairs that touch.
///
/// Position `i` holds the result of pair `i` of the list. Keep one value and pass it to every call: its
/// memory is reused, and each successful call replaces its contents.
///
/// ```
/// use phalanx::{Aabb, Aabbs, Detector, Overlaps, Pair};
///
/// let boxes = Aabbs::from_slice(&[
///     Aabb { min: [0.0; 3], max: [1.0; 3] },
///     Aabb { min: [1.0; 3], max: [2.0; 3] },          // touches at a corner: a hit
///     Aabb { min: [f32::NAN; 3], max: [2.0; 3] },
/// ]);
/// let pairs = [Pair { a: 0, b: 1 }, Pair { a: 0, b: 2 }];
/// let mut overlaps = Overlaps::new();
/// Detector::new().overlap(&boxes, &boxes, &pairs, &mut overlaps)?;
/// assert!(overlaps.is_hit(0) && !overlaps.is_hit(1));
/// assert!(overlaps.is_invalid(1));                    // the result is unknown
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Overlaps {
    pub(crate) len: usize,
    pub(crate) hits: BitMask,
    pub(crate) invalid: BitMask,
}

/// The part of the frame during which two shapes touch.
///
/// Both times are fractions of the frame's displacements, in `0.0..=1.0`. The interval encloses the exact interval:
/// `enter` is never late, `exit` never early. `enter = 0` means that the shapes touch at the start, `exit = 1` that
/// they still touch at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TimeInterval {
    /// The first time of contact: the time of impact.
    pub enter: f32,
    /// The last time of contact.
    pub exit: f32,
}

/// Results of a sweep: the pairs that touch during the frame, and when.
///
/// Position `i` holds the result of pair `i` of the list. Keep one value and pass it to every call: its
/// memory is reused, and each successful call replaces its contents.
///
/// ```
/// use phalanx::{Detector, Pair, Sphere, Spheres, Sweeps};
///
/// let mut spheres = Spheres::new();
/// let wall = spheres.push(Sphere { center: [0.0; 3], radius: 1.0 });
/// let sphere = spheres.push_moving(Sphere { center: [5.0, 0.0, 0.0], radius: 1.0 }, [-4.0, 0.0, 0.0]);
/// let mut sweeps = Sweeps::new();
/// Detector::new().sweep(&spheres, &spheres, &[Pair { a: wall, b: sphere }], &mut sweeps)?;
/// let time = sweeps.get(0).unwrap();
/// assert!((0.74999..=0.75).contains(&time.enter) && time.exit == 1.0);
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Sweeps {
    pub(crate) masks: Overlaps,
    pub(crate) enter: Vec<f32>,
    pub(crate) exit: Vec<f32>,
}

impl Overlaps {
    /// The results of an empty list.
    pub const fn new() -> Self {
        Overlaps {
            len: 0,
            hits: BitMask::new(),
            invalid: BitMask::new(),
        }
    }

    /// Number of pairs in the list.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the list was empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether pair `position` touches; false past the end.
    #[inline]
    pub fn is_hit(&self, position: usize) -> bool {
        self.hits.get(position)
    }

    /// Iterates over the positions of the pairs that touch, in order.
    #[inline]
    pub fn iter(&self) -> Positions<'_> {
        self.hits.iter()
    }

    /// Iterates over the pairs that touch, in order of their positions.
    ///
    /// Pass the pairs of the call.
    ///
    /// ```
    /// use phalanx::{Detector, Overlaps, Pair, Sphere, Spheres};
    ///
    /// let unit = |x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 };
    /// let spheres = Spheres::from_slice(&[unit(0.0), unit(9.0), unit(1.5)]);
    /// let pairs = [Pair::new(0, 1), Pair::new(0, 2)];
    /// let mut overlaps = Overlaps::new();
    /// Detector::new().overlap(&spheres, &spheres, &pairs, &mut overlaps)?;
    /// for Pair { a, b } in overlaps.hits(&pairs)? {
    ///     println!("sphere {a} touches sphere {b}");
    /// }
    /// # assert_eq!(overlaps.hits(&pairs)?.collect::<Vec<_>>(), [Pair::new(0, 2)]);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::AnswerCount`] if the lengths of list and results differ. [`Pairs::zip`] and [`Pairs::one_to_all`] have
    /// no length of their own and match any results.
    pub fn hits<'a>(&'a self, pairs: impl Into<Pairs<'a>>) -> Result<Hits<'a>, Error> {
        let (pairs, positions) = (pairs.into(), self.iter());
        self.check_count(pairs)?;
        Ok(Hits { positions, pairs })
    }

    /// Checks that a list matches the results in length.
    fn check_count(&self, pairs: Pairs<'_>) -> Result<(), Error> {
        let answers = self.len();
        match pairs.0 {
            PairsKind::List(list) if list.len() != answers => Err(Error::AnswerCount {
                pairs: list.len(),
                answers,
            }),
            _ => Ok(()),
        }
    }

    /// Number of pairs that touch.
    pub fn count(&self) -> usize {
        self.hits.count()
    }

    /// The hits as bits: pair `i` is bit `i % 64` of word `i / 64`. Unused bits are zero.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.hits.0
    }

    /// The pairs with an invalid shape as bits, in the layout of [`words`](Self::words).
    ///
    /// ```
    /// # use phalanx::Overlaps;
    /// /// The pairs that may touch, 64 at a time: an invalid pair counts as a hit.
    /// fn may_touch(overlaps: &Overlaps) -> impl Iterator<Item = u64> + '_ {
    ///     overlaps.words().iter().zip(overlaps.invalid_words()).map(|(hits, invalid)| hits | invalid)
    /// }
    /// # assert_eq!(may_touch(&Overlaps::new()).count(), 0);
    /// ```
    #[inline]
    pub fn invalid_words(&self) -> &[u64] {
        &self.invalid.0
    }

    /// The results of `len` pairs with these words, the inverse of [`into_words`](Self::into_words). Bits past the last pair are
    /// ignored.
    ///
    /// ```
    /// use phalanx::{OverlapWords, Overlaps};
    ///
    /// let overlaps = Overlaps::from_words(3, OverlapWords { hits: vec![0b101], invalid: vec![0b010] })?;
    /// assert_eq!(overlaps.iter().collect::<Vec<_>>(), [0, 2]);
    /// assert!(overlaps.is_invalid(1));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ResultLength`] if there is not a word for each 64 pairs: column 0 is `hits`, column 1 `invalid`.
    pub fn from_words(len: usize, words: OverlapWords) -> Result<Self, Error> {
        Ok(Overlaps {
            len,
            hits: BitMask::from_words(0, len, words.hits)?,
            invalid: BitMask::from_words(1, len, words.invalid)?,
        })
    }

    /// Returns the words of the hits and of the invalid pairs, without a copy.
    ///
    /// ```
    /// # use phalanx::{Aabb, Aabbs, Detector, Overlaps, Pairs};
    /// # let boxes = Aabbs::from_slice(&[Aabb::default()]);
    /// # let mut overlaps = Overlaps::new();
    /// # Detector::new().overlap(&boxes, &boxes, Pairs::zip(), &mut overlaps)?;
    /// let words = overlaps.into_words();
    /// assert_eq!((words.hits, words.invalid), (vec![1], vec![0]));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    pub fn into_words(self) -> OverlapWords {
        OverlapWords {
            hits: self.hits.into_words(),
            invalid: self.invalid.into_words(),
        }
    }

    /// Whether pair `position` has an invalid shape, so that its result is unknown; false past the end. An invalid pair
    /// is never a hit; safety-critical callers should treat it as a hit. `validate()` of the store returns the defect.
    #[inline]
    pub fn is_invalid(&self, position: usize) -> bool {
        self.invalid.get(position)
    }

    /// Number of pairs with an invalid shape.
    pub fn invalid_count(&self) -> usize {
        self.invalid.count()
    }

    /// Iterates over the positions of the pairs with an invalid shape, in order.
    pub fn iter_invalid(&self) -> Positions<'_> {
        self.invalid.iter()
    }

    /// Whether pair `position` touches or has an invalid shape; false past the end. The safe test for a robot: a failed
    /// sensor is not free space.
    ///
    /// ```
    /// use phalanx::{Detector, Overlaps, Pairs, Sphere, Spheres};
    ///
    /// let gripper = Spheres::from_slice(&[Sphere::new([0.0; 3], 1.0)]);
    /// let at = |x| Sphere::new([x, 0.0, 0.0], 1.0);
    /// let cloud = Spheres::from_slice(&[at(9.0), at(f32::NAN), at(1.5)]);
    /// let mut overlaps = Overlaps::new();
    /// Detector::new().overlap(&gripper, &cloud, Pairs::one_to_all(0), &mut overlaps)?;
    ///
    /// assert!(!overlaps.is_hit(1) && overlaps.is_hit_or_invalid(1));
    /// assert!(overlaps.any_hit_or_invalid());
    /// assert_eq!(overlaps.iter_hits_or_invalid().collect::<Vec<_>>(), [1, 2]);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    #[inline]
    pub fn is_hit_or_invalid(&self, position: usize) -> bool {
        self.is_hit(position) || self.is_invalid(position)
    }

    /// Whether any pair touches or has an invalid shape.
    pub fn any_hit_or_invalid(&self) -> bool {
        let mut words = self.words().iter().chain(self.invalid_words());
        words.any(|word| *word != 0)
    }

    /// Iterates over the positions of the pairs that touch or have an invalid shape, in order.
    pub fn iter_hits_or_invalid(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        let words = self.words().iter().zip(self.invalid_words());
        words
            .enumerate()
            .flat_map(|(k, (hits, invalid))| Positions {
                words: &[],
                base: k * WORD,
                word: hits | invalid,
                started: true,
            })
    }

    /// Clones `other` into the existing allocation.
    pub(crate) fn copy_from(&mut self, other: &Overlaps) -> Result<(), TryReserveError> {
        let [hits, invalid] = self.resize_masks(other.len)?;
        hits.copy_from_slice(&other.hits.0);
        invalid.copy_from_slice(&other.invalid.0);
        Ok(())
    }

    /// Sets the hits of `len` valid positions.
    pub(crate) fn set_hits(&mut self, len: usize, words: &[u64]) -> Result<(), TryReserveError> {
        let [hits, invalid] = self.resize_masks(len)?;
        hits.copy_from_slice(words);
        invalid.fill(0);
        Ok(())
    }

    /// Resizes the masks to `len` positions and returns the words of the hits and of the invalid pairs. If memory runs
    /// out, the masks are unchanged.
    #[inline]
    pub(crate) fn resize_masks(&mut self, len: usize) -> Result<[&mut [u64]; 2], TryReserveError> {
        let words = len.div_ceil(WORD);
        self.hits.try_reserve(words)?;
        self.invalid.try_reserve(words)?;
        self.len = len;
        Ok([&mut self.hits, &mut self.invalid].map(|mask| mask.resize(words)))
    }

    /// Reserves memory for the masks of `len` positions.
    pub(crate) fn try_reserve_masks(&mut self, len: usize) -> Result<(), TryReserveError> {
        self.hits.try_reserve(len.div_ceil(WORD))?;
        self.invalid.try_reserve(len.div_ceil(WORD))
    }

    /// Resizes the masks to `len` positions without a hit or an invalid pair.
    pub(crate) fn clear_masks(&mut self, len: usize) {
        self.len = len;
        for mask in [&mut self.hits, &mut self.invalid] {
            mask.resize(len.div_ceil(WORD)).fill(0);
        }
    }

    /// Replaces `positions` by the positions of the hits. The list has fewer than 2³² pairs.
    pub(crate) fn list(&self, positions: &mut Vec<u32>) -> Result<(), TryReserveError> {
        positions.clear();
        pages::try_reserve_all(positions, self.count())?;
        positions.extend(self.iter().map(|position| position as u32));
        Ok(())
    }

    /// The words of the hits and of the invalid pairs.
    pub(crate) fn words_mut(&mut self) -> [&mut [u64]; 2] {
        [&mut self.hits.0, &mut self.invalid.0]
    }
}

impl<'a> IntoIterator for &'a Overlaps {
    type Item = usize;
    type IntoIter = Positions<'a>;

    fn into_iter(self) -> Positions<'a> {
        self.iter()
    }
}

impl fmt::Debug for Overlaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overlaps")
            .field("len", &self.len)
            .field("hits", &self.iter())
            .field("invalid", &self.iter_invalid())
            .finish()
    }
}

/// Defines the accessors that a type with `masks: Overlaps` shares with [`Overlaps`].
macro_rules! forward_masks {
    () => {
        /// Number of pairs in the list.
        #[inline]
        pub fn len(&self) -> usize {
            self.masks.len()
        }

        /// Whether the list had no pairs.
        #[inline]
        pub fn is_empty(&self) -> bool {
            self.masks.is_empty()
        }

        /// Whether pair `position` is a hit; false past the end.
        #[inline]
        pub fn is_hit(&self, position: usize) -> bool {
            self.masks.is_hit(position)
        }

        /// The hits as bits: pair `i` is bit `i % 64` of word `i / 64`. Spare bits are zero.
        #[inline]
        pub fn words(&self) -> &[u64] {
            self.masks.words()
        }

        /// Whether pair `position` is invalid, see [`Overlaps::is_invalid`](crate::Overlaps::is_invalid).
        #[inline]
        pub fn is_invalid(&self, position: usize) -> bool {
            self.masks.is_invalid(position)
        }

        /// The invalid pairs as bits, in the layout of [`words`](Self::words).
        #[inline]
        pub fn invalid_words(&self) -> &[u64] {
            self.masks.invalid_words()
        }

        /// Number of invalid pairs.
        pub fn invalid_count(&self) -> usize {
            self.masks.invalid_count()
        }

        /// The positions of the invalid pairs, in order.
        pub fn iter_invalid(&self) -> $crate::Positions<'_> {
            self.masks.iter_invalid()
        }

        /// Whether pair `position` is a hit or invalid, see
        /// [`Overlaps::is_hit_or_invalid`](crate::Overlaps::is_hit_or_invalid).
        #[inline]
        pub fn is_hit_or_invalid(&self, position: usize) -> bool {
            self.masks.is_hit_or_invalid(position)
        }

        /// Whether any pair is a hit or invalid.
        pub fn any_hit_or_invalid(&self) -> bool {
            self.masks.any_hit_or_invalid()
        }

        /// Iterates over the positions of the hits and of the invalid pairs, in order.
        pub fn iter_hits_or_invalid(&self) -> impl Iterator<Item = usize> + Clone + '_ {
            self.masks.iter_hits_or_invalid()
        }
    };
}
pub(crate) use forward_masks;

impl Sweeps {
    /// The results of an empty list.
    pub const fn new() -> Self {
        Sweeps {
            masks: Overlaps::new(),
            enter: Vec::new(),
            exit: Vec::new(),
        }
    }

    forward_masks!();

    /// The time of contact of pair `position`; `None` for a miss and past the end.
    #[inline]
    pub fn get(&self, position: usize) -> Option<TimeInterval> {
        self.is_hit(position).then(|| self.time(position))
    }

    /// Iterates over the positions of the pairs that touch during the frame, in order, each with its time.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, TimeInterval)> + Clone + '_ {
        self.masks
            .iter()
            .map(|position| (position, self.time(position)))
    }

    /// Iterates over the pairs that touch during the frame, in order of their positions.
    ///
    /// Pass the pairs of the call. [`iter`](Self::iter) yields their times in the same order.
    ///
    /// ```
    /// use phalanx::{Detector, Pairs, Sphere, Spheres, Sweeps};
    ///
    /// let mut spheres = Spheres::new();
    /// spheres.push(Sphere { center: [0.0; 3], radius: 1.0 });
    /// spheres.push_moving(Sphere { center: [5.0, 0.0, 0.0], radius: 1.0 }, [-4.0, 0.0, 0.0]);
    /// let all = Pairs::one_to_all(1);
    /// let mut sweeps = Sweeps::new();
    /// Detector::new().sweep(&spheres, &spheres, all, &mut sweeps)?;
    /// for (pair, (_, time)) in sweeps.hits(all)?.zip(sweeps.iter()) {
    ///     println!("sphere {} touches sphere {} at {}", pair.a, pair.b, time.enter);
    /// }
    /// # assert_eq!(sweeps.hits(all)?.count(), 2);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Overlaps::hits`].
    pub fn hits<'a>(&'a self, pairs: impl Into<Pairs<'a>>) -> Result<Hits<'a>, Error> {
        self.masks.hits(pairs)
    }

    /// The first hit of each shape of the first store: the hit with the least `enter`.
    ///
    /// The result is sorted by `pair.a`, with one entry for each `a` that has a hit. Ties go to the first position in
    /// the list, which may be in any order. With rays in the first store, this is a ray cast:
    ///
    /// ```
    /// use phalanx::{Detector, Point, Points, Sphere, Spheres, Sweeps};
    ///
    /// let mut rays = Points::new();
    /// rays.push_moving(Point { position: [0.0; 3] }, [100.0, 0.0, 0.0]);
    /// rays.push_moving(Point { position: [0.0; 3] }, [0.0, 100.0, 0.0]);
    /// let unit = |x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 };
    /// let spheres = Spheres::from_slice(&[unit(51.0), unit(21.0), unit(31.0)]);
    ///
    /// let pairs = [[0, 0], [0, 1], [1, 1], [0, 2]];
    /// let mut sweeps = Sweeps::new();
    /// Detector::new().sweep(&rays, &spheres, &pairs, &mut sweeps)?;
    /// let firsts = sweeps.first_hits(&pairs)?;
    /// assert_eq!(firsts.len(), 1);                      // the second ray hits nothing
    /// assert_eq!((firsts[0].pair.a, firsts[0].pair.b), (0, 1));
    /// assert!((firsts[0].time.enter - 0.2).abs() < 1e-4);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Cost
    ///
    /// One pass over the hits, and 24 bytes for each run of hits with the same `a`. Runs that are not in the order of
    /// `a` are sorted in place. Lists sorted by `a`, [`Pairs::zip`] and [`Pairs::one_to_all`] need no sort, and memory
    /// for the result only. The numbers of shapes and misses hardly matter.
    ///
    /// # Errors
    ///
    /// As for [`Overlaps::hits`], and [`Error::OutOfMemory`].
    pub fn first_hits<'a>(&'a self, pairs: impl Into<Pairs<'a>>) -> Result<Vec<FirstHit>, Error> {
        let pairs = pairs.into();
        self.masks.check_count(pairs)?;
        let mut firsts: Vec<FirstHit> = Vec::new();
        let out_of_memory = |_| Error::OutOfMemory { pairs: self.len() };
        let mut in_order = true;
        for (position, time) in self.iter() {
            let pair = pairs.at(position);
            let hit = FirstHit {
                position,
                pair,
                time,
            };
            match firsts.last_mut() {
                Some(first) if first.pair.a == pair.a => {
                    if time.enter < first.time.enter {
                        *first = hit;
                    }
                }
                last => {
                    in_order &= last.is_none_or(|last| last.pair.a < pair.a);
                    firsts.try_reserve(1).map_err(out_of_memory)?;
                    firsts.push(hit);
                }
            }
        }
        if !in_order {
            // The bits of times sort like the times: none of a sweep is negative or NaN.
            firsts.sort_unstable_by_key(|hit| (hit.pair.a, hit.time.enter.to_bits(), hit.position));
            firsts.dedup_by_key(|hit| hit.pair.a);
        }
        Ok(firsts)
    }

    /// Number of pairs that touch during the frame.
    pub fn count(&self) -> usize {
        self.masks.count()
    }

    /// The results with these columns, the inverse of [`into_columns`](Self::into_columns): for example of results that another
    /// process has computed. Bits past the last pair are ignored.
    ///
    /// ```
    /// use phalanx::{SweepColumns, Sweeps};
    ///
    /// let sweeps = Sweeps::from_columns(SweepColumns {
    ///     hits: vec![0b10],
    ///     invalid: vec![0],
    ///     enter: vec![f32::INFINITY, 0.25],
    ///     exit: vec![f32::INFINITY, 1.0],
    /// })?;
    /// assert_eq!(sweeps.get(1).map(|time| time.enter), Some(0.25));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ResultLength`] if a column does not fit the length of `enter`. Columns are counted in the order of
    /// [`SweepColumns`]. Numbers are not checked: times that no sweep has give unspecified results of later calls.
    pub fn from_columns(columns: SweepColumns) -> Result<Self, Error> {
        let SweepColumns {
            hits,
            invalid,
            enter,
            exit,
        } = columns;
        let len = enter.len();
        check_column(3, exit.len(), len)?;
        Ok(Sweeps {
            masks: Overlaps::from_words(len, OverlapWords { hits, invalid })?,
            enter,
            exit,
        })
    }

    /// Returns the words and the times, without a copy.
    ///
    /// ```
    /// # use phalanx::{Aabb, Aabbs, Detector, Pairs, Sweeps};
    /// # let boxes = Aabbs::from_slice(&[Aabb::default()]);
    /// # let mut sweeps = Sweeps::new();
    /// # Detector::new().sweep(&boxes, &boxes, Pairs::zip(), &mut sweeps)?;
    /// let columns = sweeps.into_columns();
    /// assert_eq!((columns.hits, columns.invalid), (vec![1], vec![0]));
    /// assert_eq!((columns.enter, columns.exit), (vec![0.0], vec![1.0]));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    pub fn into_columns(self) -> SweepColumns {
        let OverlapWords { hits, invalid } = self.masks.into_words();
        SweepColumns {
            hits,
            invalid,
            enter: self.enter,
            exit: self.exit,
        }
    }

    /// The first time of contact of every pair, a fraction of the frame; +∞ for a miss.
    #[inline]
    pub fn enter(&self) -> &[f32] {
        &self.enter
    }

    /// The last time of contact of every pair, a fraction of the frame; +∞ for a miss.
    #[inline]
    pub fn exit(&self) -> &[f32] {
        &self.exit
    }

    #[inline]
    fn time(&self, position: usize) -> TimeInterval {
        TimeInterval {
            enter: self.enter[position],
            exit: self.exit[position],
        }
    }
}

impl fmt::Debug for Sweeps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sweeps")
            .field("len", &self.len())
            .field("hits", &self.iter().collect::<Vec<_>>())
            .field("invalid", &self.iter_invalid())
            .finish()
    }
}

impl Verb for Overlaps {
    type Form<T: Shape> = Static<T>;
    type Answer<L: Lanes> = HitMask<L::M>;
    type Columns<X: Send> = [X; 0];
    const IS_REFINED: bool = true;

    #[inline(always)]
    fn hit<L: Lanes>(answer: HitMask<L::M>) -> L::M {
        answer.0
    }
    #[inline(always)]
    fn columns<L: Lanes>(_lanes: L, _answer: HitMask<L::M>, _hit: L::M) -> [L::F; 0] {
        []
    }
    fn invalid(&self) -> &[u64] {
        self.invalid_words()
    }
    fn resize(&mut self, len: usize) -> Resized<'_, Self> {
        Ok((self.resize_masks(len)?, []))
    }
}

impl Verb for Sweeps {
    type Form<T: Shape> = Moving<T>;
    type Answer<L: Lanes> = TimeRange<L>;
    type Columns<X: Send> = [X; 2];
    const IS_REFINED: bool = true;

    #[inline(always)]
    fn hit<L: Lanes>(answer: TimeRange<L>) -> L::M {
        answer.hit
    }
    #[inline(always)]
    fn columns<L: Lanes>(lanes: L, answer: TimeRange<L>, hit: L::M) -> [L::F; 2] {
        // +∞ for a miss. The maximum with 0 turns −0, which a slab may return, into 0: users compare and hash the
        // times.
        let least = lanes.splat(MISS).masked(!hit);
        [
            lanes.lower(answer.enter.max(least)),
            lanes.upper(answer.exit.max(least)),
        ]
    }
    #[inline(always)]
    fn in_whole_frame<L: Lanes>(answer: TimeRange<L>, part: L::F) -> TimeRange<L> {
        TimeRange {
            enter: answer.enter * part,
            exit: answer.exit * part,
            ..answer
        }
    }
    #[inline(always)]
    fn from_start<L: Lanes>(lanes: L, answer: TimeRange<L>) -> L::M {
        answer.hit & answer.enter.le(lanes.splat(0.0))
    }
    #[inline(always)]
    fn with_start<L: Lanes>(lanes: L, answer: TimeRange<L>, which: L::M) -> TimeRange<L> {
        TimeRange {
            enter: lanes.splat(0.0).select(which, answer.enter),
            ..answer
        }
    }
    fn invalid(&self) -> &[u64] {
        self.masks.invalid_words()
    }
    fn resize(&mut self, len: usize) -> Resized<'_, Self> {
        for column in [&mut self.enter, &mut self.exit] {
            pages::try_reserve_all(column, len)?;
        }
        let masks = self.masks.resize_masks(len)?;
        let times = [&mut self.enter, &mut self.exit].map(|column| {
            column.resize(len, MISS);
            &mut column[..]
        });
        Ok((masks, times))
    }
}

impl Query for Overlaps {
    type Table = TestTable;
    type Out<'o> = &'o mut Overlaps;
    const MOTION: Motion = Motion::None;

    fn answer(call: Call<'_>, table: &'static TestTable, out: &mut Overlaps) -> Answered {
        let settings = call.settings;
        call.test(table, out)?;
        Ok(out.refused(settings))
    }
}

impl Query for Sweeps {
    type Table = TestTable;
    type Out<'o> = &'o mut Sweeps;
    const MOTION: Motion = Motion::Straight;

    fn answer(call: Call<'_>, table: &'static TestTable, out: &mut Sweeps) -> Answered {
        let settings = call.settings;
        call.test(table, out)?;
        Ok(out.masks.refused(settings))
    }
}

impl<A: Test<Overlaps, B>, B: Shape> TableOf<Overlaps, B> for A {
    const TABLE: TestTable = TestTable::of::<Overlaps, A, B>();
}

impl<A: Test<Sweeps, B>, B: Shape> TableOf<Sweeps, B> for A {
    const TABLE: TestTable = TestTable::of::<Sweeps, A, B>();
}

impl Overlaps {
    /// Position of the first invalid pair, if the detector is strict.
    pub(crate) fn refused(&self, settings: Settings) -> Option<usize> {
        settings.strict.then(|| self.iter_invalid().next())?
    }
}
