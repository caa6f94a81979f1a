//! Results of searches that list several shapes for each searching shape, as columns with offsets.

use alloc::collections::TryReserveError;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::error::Error;
use crate::memory::pages;
use crate::narrow::distance::distances::DistanceRange;
use crate::narrow::overlap::overlaps::{
    OverlapWords, Overlaps, Positions, TimeInterval, check_column,
};
use crate::pairs::Pair;

/// Lists of shapes, one list for each searching shape.
#[derive(Clone, Default, PartialEq)]
pub struct RankedLists {
    masks: Overlaps,
    /// Start of each list, and the end of the last one. Empty if no shape searched.
    pub offsets: Vec<usize>,
    pub index: Vec<u32>,
    /// By the first numbers, each list is sorted.
    pub numbers: [Vec<f32>; 2],
}

impl RankedLists {
    /// The lists of no shapes.
    const fn new() -> Self {
        RankedLists {
            masks: Overlaps::new(),
            offsets: Vec::new(),
            index: Vec::new(),
            numbers: [Vec::new(), Vec::new()],
        }
    }

    /// Lists with these columns. `first` is the index of the first numbers among the columns of the caller, 2 or 3.
    fn from_columns(
        invalid: Vec<u64>,
        offsets: Vec<usize>,
        index: Vec<u32>,
        numbers: [Vec<f32>; 2],
        first: usize,
    ) -> Result<Self, Error> {
        let entries = index.len();
        for (numbers, column) in numbers.iter().zip([first, 5 - first]) {
            check_column(column, numbers.len(), entries)?;
        }
        let len = offsets.len().saturating_sub(1);
        let mut hits = vec![0; len.div_ceil(64)];
        let mut end = 0;
        let bad = |position: usize, offset: usize| {
            Err(Error::BadOffset {
                position,
                offset,
                entries,
            })
        };
        for (position, &offset) in offsets.iter().enumerate() {
            if offset < end || offset > entries || (position == 0 && offset > 0) {
                return bad(position, offset);
            }
            if offset > end {
                let place = position - 1;
                hits[place / 64] |= 1 << (place % 64);
            }
            end = offset;
        }
        if end < entries {
            return bad(len, end);
        }
        check_column(4, invalid.len(), len.div_ceil(64))?;
        Ok(RankedLists {
            masks: Overlaps::from_words(len, OverlapWords { hits, invalid })?,
            offsets: if len > 0 { offsets } else { Vec::new() },
            index,
            numbers,
        })
    }

    /// Reserves memory for the lists of `len` shapes, with `total` entries.
    pub fn try_reserve(&mut self, len: usize, total: usize) -> Result<(), TryReserveError> {
        self.masks.try_reserve_masks(len)?;
        pages::try_reserve_all(&mut self.offsets, len.saturating_add(1))?;
        pages::try_reserve_all(&mut self.index, total)?;
        let [first, second] = &mut self.numbers;
        pages::try_reserve_all(first, total)?;
        pages::try_reserve_all(second, total)
    }

    /// Begins with `len` empty lists, for which memory is reserved.
    pub fn begin(&mut self, len: usize) {
        self.masks.clear_masks(len);
        self.offsets.clear();
        if len > 0 {
            self.offsets.resize(len + 1, 0);
        }
    }

    /// Sets the length of a list that is not empty.
    pub fn set_len(&mut self, a: u32, len: usize) {
        let place = a as usize;
        self.masks.words_mut()[0][place / 64] |= 1 << (place % 64);
        self.offsets[place + 1] = len;
    }

    /// Turns the lengths to offsets.
    pub fn allot(&mut self) {
        let mut end = 0;
        for offset in &mut self.offsets {
            end += *offset;
            *offset = end;
        }
        self.index.resize(end, 0);
        for numbers in &mut self.numbers {
            numbers.resize(end, 0.0);
        }
    }

    /// The start of a list.
    pub fn start(&self, a: u32) -> usize {
        self.offsets[a as usize]
    }

    /// Sets an entry.
    pub fn set(&mut self, place: usize, b: u32, numbers: [f32; 2]) {
        self.index[place] = b;
        for (column, number) in self.numbers.iter_mut().zip(numbers) {
            column[place] = number;
        }
    }

    /// Flags an invalid shape.
    pub fn flag_invalid(&mut self, a: u32) {
        self.masks.words_mut()[1][a as usize / 64] |= 1 << (a % 64);
    }

    /// The entries of a list; none past the end.
    fn range(&self, a: usize) -> Range<usize> {
        match self.offsets.get(a..).and_then(<[usize]>::first_chunk) {
            Some(&[start, end]) => start..end,
            None => 0..0,
        }
    }

    fn pairs(&self, pairs: &mut Vec<Pair>) {
        pairs.clear();
        pairs.reserve(self.index.len());
        for a in self.masks.iter() {
            let list = &self.index[self.range(a)];
            pairs.extend(list.iter().map(|b| Pair::new(a as u32, *b)));
        }
    }

    /// The lists as a type with names prints them.
    fn fmt(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |a: usize| (a, &self.index[self.range(a)]);
        f.debug_struct(name)
            .field("len", &self.masks.len())
            .field("lists", &self.masks.iter().map(list).collect::<Vec<_>>())
            .field("invalid", &self.masks.iter_invalid())
            .finish()
    }
}

/// Methods of all results that hold `lists: RankedLists`.
macro_rules! forward_lists {
    () => {
        /// Number of searching shapes.
        #[inline]
        pub fn len(&self) -> usize {
            self.lists.masks.len()
        }

        /// Whether no shape searched.
        #[inline]
        pub fn is_empty(&self) -> bool {
            self.lists.masks.is_empty()
        }

        /// Number of entries of all lists.
        pub fn count(&self) -> usize {
            self.lists.index.len()
        }

        /// The start of each list in the columns, and the end of the last one: the list of shape `a` is
        /// `offsets()[a]..offsets()[a + 1]`.
        pub fn offsets(&self) -> &[usize] {
            if self.lists.offsets.is_empty() {
                return &[0];
            }
            &self.lists.offsets
        }

        /// Index of the listed shape of every entry.
        pub fn index(&self) -> &[u32] {
            &self.lists.index
        }

        /// Whether the list of shape `a` has entries; false past the end.
        #[inline]
        pub fn is_hit(&self, a: usize) -> bool {
            self.lists.masks.is_hit(a)
        }

        /// Whether shape `a` is invalid; false past the end.
        #[inline]
        pub fn is_invalid(&self, a: usize) -> bool {
            self.lists.masks.is_invalid(a)
        }

        /// The invalid shapes, in order.
        pub fn iter_invalid(&self) -> Positions<'_> {
            self.lists.masks.iter_invalid()
        }

        /// Replaces `pairs` by the pairs of all entries, in the order of the columns: the list for other queries.
        pub fn pairs(&self, pairs: &mut Vec<Pair>) {
            self.lists.pairs(pairs);
        }
    };
}

/// The hits of each shape during the frame, in order of time.
///
/// List `i` holds the hits of shape `i` of the first store. Keep one value and pass it to every call: its memory is
/// reused. See [`Detector::ordered_hits`](crate::Detector::ordered_hits).
///
/// ```
/// use phalanx::{Aabb, Aabbs, Detector, OrderedHits, Point, Points};
///
/// // A shot through three walls; the second one is the nearest.
/// let wall = |x| Aabb { min: [x, -1.0, -1.0], max: [x + 1.0, 1.0, 1.0] };
/// let walls = Aabbs::from_slice(&[wall(30.0), wall(10.0), wall(20.0)]);
/// let mut rays = Points::new();
/// rays.push_moving(Point { position: [0.0; 3] }, [100.0, 0.0, 0.0]);
/// rays.push_moving(Point { position: [0.0; 3] }, [0.0, 100.0, 0.0]);
///
/// let mut hits = OrderedHits::new();
/// Detector::new().ordered_hits(&rays, &walls, usize::MAX, &mut hits)?;
/// assert_eq!((hits.offsets(), hits.index()), (&[0, 3, 3][..], &[1, 2, 0][..]));
/// for (wall, time) in hits.of(0) {
///     println!("wall {wall}: {} m thick", 100.0 * (time.exit - time.enter));
/// }
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct OrderedHits {
    pub(crate) lists: RankedLists,
}

/// The owned columns of [`OrderedHits`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrderedHitColumns {
    /// The start of each list, and the end of the last one.
    pub offsets: Vec<usize>,
    /// Index of the shape of every hit.
    pub index: Vec<u32>,
    /// The first time of contact of every hit.
    pub enter: Vec<f32>,
    /// The last time of contact of every hit.
    pub exit: Vec<f32>,
    /// The invalid searching shapes, as bits: shape `i` is bit `i % 64` of word `i / 64`.
    pub invalid: Vec<u64>,
}

impl OrderedHits {
    /// The results of no shapes.
    pub const fn new() -> Self {
        OrderedHits {
            lists: RankedLists::new(),
        }
    }

    forward_lists!();

    /// The shapes that shape `a` hits, in order, each with its times; empty past the end.
    pub fn of(&self, a: usize) -> impl ExactSizeIterator<Item = (u32, TimeInterval)> + Clone + '_ {
        self.lists.range(a).map(|place| {
            let [enter, exit] = [self.enter()[place], self.exit()[place]];
            (self.lists.index[place], TimeInterval { enter, exit })
        })
    }

    /// The first time of contact of every hit.
    pub fn enter(&self) -> &[f32] {
        &self.lists.numbers[0]
    }

    /// The last time of contact of every hit.
    pub fn exit(&self) -> &[f32] {
        &self.lists.numbers[1]
    }

    /// The lists with these columns, the inverse of [`into_columns`](Self::into_columns): for example of the results of several
    /// searches, joined.
    ///
    /// ```
    /// use phalanx::{OrderedHitColumns, OrderedHits};
    ///
    /// let lists = OrderedHits::from_columns(OrderedHitColumns {
    ///     offsets: vec![0, 2, 2],
    ///     index: vec![7, 3],
    ///     enter: vec![0.25, 0.5],
    ///     exit: vec![0.25, 0.75],
    ///     invalid: vec![0b10],
    /// })?;
    /// assert_eq!(lists.of(0).map(|it| it.0).collect::<Vec<_>>(), [7, 3]);
    /// assert!(lists.of(1).next().is_none() && lists.is_invalid(1));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ResultLength`] if a column has another length than `index`, or [`Error::BadOffset`] for offsets that decrease or do
    /// not end at the number of entries. Columns are counted in the order of [`OrderedHitColumns`].
    pub fn from_columns(columns: OrderedHitColumns) -> Result<Self, Error> {
        let OrderedHitColumns {
            offsets,
            index,
            enter,
            exit,
            invalid,
        } = columns;
        let numbers = [enter, exit];
        let lists = RankedLists::from_columns(invalid, offsets, index, numbers, 2)?;
        Ok(OrderedHits { lists })
    }

    /// Returns the columns, without a copy.
    pub fn into_columns(self) -> OrderedHitColumns {
        let offsets = self.offsets().len();
        let RankedLists {
            masks,
            offsets: mut all,
            index,
            numbers: [enter, exit],
        } = self.lists;
        all.resize(offsets, 0);
        OrderedHitColumns {
            offsets: all,
            index,
            enter,
            exit,
            invalid: masks.into_words().invalid,
        }
    }
}

impl fmt::Debug for OrderedHits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lists.fmt("OrderedHits", f)
    }
}

/// The nearest shapes of each shape, in order of distance.
///
/// List `i` holds the neighbors of shape `i` of the first store. Keep one value and pass it to every call: its memory is
/// reused. See [`Detector::neighbors`](crate::Detector::neighbors).
///
/// ```
/// use phalanx::{Detector, Neighbors, Point, Points};
///
/// let cloud: Points = (0..100).map(|k| Point { position: [k as f32, 0.0, 0.0] }).collect();
/// let mut neighbors = Neighbors::new();
/// Detector::new().neighbors(&cloud, &cloud, 10.0, 3, &mut neighbors)?;
/// let near: Vec<u32> = neighbors.of(50).map(|(b, _distance)| b).collect();
/// assert_eq!(near, [49, 51, 48]);
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Neighbors {
    pub(crate) lists: RankedLists,
}

/// The owned columns of [`Neighbors`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NeighborColumns {
    /// The start of each list, and the end of the last one.
    pub offsets: Vec<usize>,
    /// Index of every neighbor.
    pub index: Vec<u32>,
    /// The lower bound of the distance of every neighbor.
    pub lower: Vec<f32>,
    /// The upper bound of the distance of every neighbor.
    pub upper: Vec<f32>,
    /// The invalid searching shapes, as bits: shape `i` is bit `i % 64` of word `i / 64`.
    pub invalid: Vec<u64>,
}

impl Neighbors {
    /// The results of no shapes.
    pub const fn new() -> Self {
        Neighbors {
            lists: RankedLists::new(),
        }
    }

    forward_lists!();

    /// The neighbors of shape `a`, in order, each with the bounds of its distance; empty past the end.
    pub fn of(&self, a: usize) -> impl ExactSizeIterator<Item = (u32, DistanceRange)> + Clone + '_ {
        self.lists.range(a).map(|place| {
            let [lower, upper] = [self.lower()[place], self.upper()[place]];
            (self.lists.index[place], DistanceRange { lower, upper })
        })
    }

    /// The lower bound of the distance of every neighbor.
    pub fn lower(&self) -> &[f32] {
        &self.lists.numbers[1]
    }

    /// The upper bound of the distance of every neighbor.
    pub fn upper(&self) -> &[f32] {
        &self.lists.numbers[0]
    }

    /// The lists with these columns, the inverse of [`into_columns`](Self::into_columns): for example of the results of several
    /// searches, joined.
    ///
    /// ```
    /// use phalanx::{NeighborColumns, Neighbors};
    ///
    /// let lists = Neighbors::from_columns(NeighborColumns {
    ///     offsets: vec![0, 2, 2],
    ///     index: vec![7, 3],
    ///     lower: vec![0.25, 0.5],
    ///     upper: vec![0.25, 0.75],
    ///     invalid: vec![0b10],
    /// })?;
    /// assert_eq!(lists.of(0).map(|it| it.0).collect::<Vec<_>>(), [7, 3]);
    /// assert!(lists.of(1).next().is_none() && lists.is_invalid(1));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ResultLength`] if a column has another length than `index`, or [`Error::BadOffset`] for offsets that decrease or do
    /// not end at the number of entries. Columns are counted in the order of [`NeighborColumns`].
    pub fn from_columns(columns: NeighborColumns) -> Result<Self, Error> {
        let NeighborColumns {
            offsets,
            index,
            lower,
            upper,
            invalid,
        } = columns;
        let numbers = [upper, lower];
        let lists = RankedLists::from_columns(invalid, offsets, index, numbers, 3)?;
        Ok(Neighbors { lists })
    }

    /// Returns the columns, without a copy.
    pub fn into_columns(self) -> NeighborColumns {
        let offsets = self.offsets().len();
        let RankedLists {
            masks,
            offsets: mut all,
            index,
            numbers: [upper, lower],
        } = self.lists;
        all.resize(offsets, 0);
        NeighborColumns {
            offsets: all,
            index,
            lower,
            upper,
            invalid: masks.into_words().invalid,
        }
    }
}

impl fmt::Debug for Neighbors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lists.fmt("Neighbors", f)
    }
}
