//! The answers, as columns indexed by position in the pair list.

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;

/// How many positions a word of a mask holds.
pub(crate) const WORD: usize = u64::BITS as usize;

/// A bit per position. Bits past the last position are zero.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct BitMask(Vec<u64>);

impl BitMask {
    fn get(&self, position: usize) -> bool {
        self.0
            .get(position / WORD)
            .is_some_and(|word| word >> (position % WORD) & 1 == 1)
    }

    fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn iter(&self) -> Positions<'_> {
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
    /// Words not yet entered, the current one excluded.
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

/// Which pairs touch.
///
/// Position `i` answers for pair `i` of the list. Keep one and pass it to every frame: its memory is
/// reused, and each successful call replaces its contents.
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
/// assert!(overlaps.is_invalid(1));                    // the answer is unknown
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
/// Both times are fractions of the frame's displacements, in `0.0..=1.0`. The interval encloses the
/// exact one: `enter` is never late, `exit` never early. `enter = 0` says that they touch at the
/// start, `exit = 1` that they still touch at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeInterval {
    /// The first time of contact: the time of impact.
    pub enter: f32,
    /// The last time of contact.
    pub exit: f32,
}

/// Which pairs touch during the frame, and when.
///
/// Position `i` answers for pair `i` of the list. Keep one and pass it to every frame: its memory is
/// reused, and each successful call replaces its contents.
///
/// ```
/// use phalanx::{Detector, Pair, Sphere, Spheres, Sweeps};
///
/// let mut spheres = Spheres::new();
/// let wall = spheres.push(Sphere { center: [0.0; 3], radius: 1.0 });
/// let ball = spheres.push_moving(Sphere { center: [5.0, 0.0, 0.0], radius: 1.0 }, [-4.0, 0.0, 0.0]);
/// let mut sweeps = Sweeps::new();
/// Detector::new().sweep(&spheres, &spheres, &[Pair { a: wall, b: ball }], &mut sweeps)?;
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
    /// Answers to an empty list.
    pub const fn new() -> Self {
        Overlaps {
            len: 0,
            hits: BitMask(Vec::new()),
            invalid: BitMask(Vec::new()),
        }
    }

    /// How many pairs the list had.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the list had no pairs.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether pair `position` touches; false past the end.
    #[inline]
    pub fn is_hit(&self, position: usize) -> bool {
        self.hits.get(position)
    }

    /// The positions of the pairs that touch, in order.
    #[inline]
    pub fn iter(&self) -> Positions<'_> {
        self.hits.iter()
    }

    /// How many pairs touch.
    pub fn count(&self) -> usize {
        self.hits.count()
    }

    /// The hits as bits: pair `i` is bit `i % 64` of word `i / 64`. Spare bits are zero.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.hits.0
    }

    /// Whether pair `position` meets a bad shape, so that no answer can be given; false past the
    /// end. Such a pair is never a hit; a caller that must be safe treats it as one.
    /// `validate()` of the store says what is wrong.
    #[inline]
    pub fn is_invalid(&self, position: usize) -> bool {
        self.invalid.get(position)
    }

    /// How many pairs meet a bad shape.
    pub fn invalid_count(&self) -> usize {
        self.invalid.count()
    }

    /// The positions of the pairs that meet a bad shape, in order.
    pub fn iter_invalid(&self) -> Positions<'_> {
        self.invalid.iter()
    }

    /// The words of the hits and of the invalid pairs, made for `len` positions.
    pub(crate) fn resize_masks(&mut self, len: usize) -> [&mut [u64]; 2] {
        self.len = len;
        [&mut self.hits, &mut self.invalid].map(|BitMask(words)| {
            words.resize(len.div_ceil(WORD), 0);
            &mut words[..]
        })
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

impl Sweeps {
    /// Answers to an empty list.
    pub const fn new() -> Self {
        Sweeps {
            masks: Overlaps::new(),
            enter: Vec::new(),
            exit: Vec::new(),
        }
    }

    /// How many pairs the list had.
    #[inline]
    pub fn len(&self) -> usize {
        self.masks.len
    }

    /// Whether the list had no pairs.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.masks.is_empty()
    }

    /// Whether pair `position` touches during the frame; false past the end.
    #[inline]
    pub fn is_hit(&self, position: usize) -> bool {
        self.masks.is_hit(position)
    }

    /// When pair `position` touches; `None` for a miss and past the end.
    #[inline]
    pub fn get(&self, position: usize) -> Option<TimeInterval> {
        self.is_hit(position).then(|| self.time(position))
    }

    /// The pairs that touch during the frame, in order of position, each with its time.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, TimeInterval)> + Clone + '_ {
        self.masks
            .iter()
            .map(|position| (position, self.time(position)))
    }

    /// How many pairs touch during the frame.
    pub fn count(&self) -> usize {
        self.masks.count()
    }

    /// The hits as bits: pair `i` is bit `i % 64` of word `i / 64`. Spare bits are zero.
    #[inline]
    pub fn words(&self) -> &[u64] {
        self.masks.words()
    }

    /// Whether pair `position` meets a bad shape, see [`Overlaps::is_invalid`].
    #[inline]
    pub fn is_invalid(&self, position: usize) -> bool {
        self.masks.is_invalid(position)
    }

    /// How many pairs meet a bad shape.
    pub fn invalid_count(&self) -> usize {
        self.masks.invalid_count()
    }

    /// The positions of the pairs that meet a bad shape, in order.
    pub fn iter_invalid(&self) -> Positions<'_> {
        self.masks.iter_invalid()
    }

    /// The first time of contact of every pair, a fraction of the frame; +∞ where there is none.
    #[inline]
    pub fn enter(&self) -> &[f32] {
        &self.enter
    }

    /// The last time of contact of every pair, a fraction of the frame; +∞ where there is none.
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
