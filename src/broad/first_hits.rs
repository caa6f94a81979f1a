//! Results of a search for first hits, as columns indexed by the searching shapes.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::fmt;

use crate::error::Error;
use crate::memory::pages;
use crate::narrow::overlap::overlaps::{
    OverlapWords, Overlaps, Positions, TimeInterval, check_column, forward_masks,
};
use crate::pairs::Pair;

/// The first hit of each shape among the shapes of one or more stores.
///
/// Position `i` holds the result of shape `i` of the first store. Keep one value and pass it to every call: its memory
/// is reused. See [`Detector::first_hits`](crate::Detector::first_hits).
///
/// ```
/// use phalanx::{Aabb, Aabbs, Detector, FirstHits, Point, Points};
///
/// let wall = |x| Aabb { min: [x, -1.0, -1.0], max: [x + 1.0, 1.0, 1.0] };
/// let walls = Aabbs::from_slice(&[wall(30.0), wall(10.0), wall(20.0)]);
/// let mut rays = Points::new();
/// rays.push_moving(Point { position: [0.0; 3] }, [100.0, 0.0, 0.0]);
/// rays.push_moving(Point { position: [0.0; 3] }, [0.0, 100.0, 0.0]);
///
/// let mut firsts = FirstHits::new();
/// Detector::new().first_hits(&rays, &walls, &mut firsts)?;
/// let hit = firsts.get(0).unwrap();
/// assert_eq!(hit.b, 1);
/// assert!((0.0999..=0.1).contains(&hit.time.enter));
/// assert!(firsts.get(1).is_none());
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct FirstHits {
    pub(crate) masks: Overlaps,
    /// Number of stores searched.
    stores: usize,
    index: Vec<u32>,
    store: Vec<u8>,
    enter: Vec<f32>,
    exit: Vec<f32>,
}

/// The first hit of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneHit {
    /// Index of the shape in the first store.
    pub a: u32,
    /// Index of the shape that it hits.
    pub b: u32,
    /// Number of the store of `b`, in the order of the calls: 0 is the store of
    /// [`first_hits`](crate::Detector::first_hits).
    pub store: u8,
    /// The time of contact.
    pub time: TimeInterval,
}

/// The owned columns of [`FirstHits`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FirstHitColumns {
    /// The shapes with a hit, as bits: shape `i` is bit `i % 64` of word `i / 64`.
    pub hits: Vec<u64>,
    /// The invalid shapes, as bits.
    pub invalid: Vec<u64>,
    /// Index of the shape that each shape hits; `u32::MAX` for none.
    pub index: Vec<u32>,
    /// Number of the store of that shape; 0 for none.
    pub store: Vec<u8>,
    /// The first time of contact; +∞ for none.
    pub enter: Vec<f32>,
    /// The last time of contact with that shape; +∞ for none.
    pub exit: Vec<f32>,
}

impl FirstHits {
    /// Maximum number of stores of one search.
    pub const MAX_STORES: usize = 256;

    /// The results of no shapes.
    pub const fn new() -> Self {
        FirstHits {
            masks: Overlaps::new(),
            stores: 0,
            index: Vec::new(),
            store: Vec::new(),
            enter: Vec::new(),
            exit: Vec::new(),
        }
    }

    forward_masks!();

    /// Number of shapes with a hit.
    pub fn count(&self) -> usize {
        self.masks.count()
    }

    /// The first hit of shape `a`; `None` if it hits nothing, and past the end.
    #[inline]
    pub fn get(&self, a: usize) -> Option<SceneHit> {
        self.is_hit(a).then(|| self.hit(a))
    }

    /// Iterates over the hits, in the order of `a`.
    ///
    /// ```
    /// # use phalanx::{Detector, FirstHits, Points, Spheres};
    /// # let (rays, spheres, mut firsts) = (Points::new(), Spheres::new(), FirstHits::new());
    /// Detector::new().first_hits(&rays, &spheres, &mut firsts)?;
    /// for hit in &firsts {
    ///     println!("ray {} hits sphere {} at {}", hit.a, hit.b, hit.time.enter);
    /// }
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    pub fn iter(&self) -> SceneHits<'_> {
        SceneHits {
            firsts: self,
            positions: self.masks.iter(),
        }
    }

    /// Replaces `pairs` by the hits in one store, in the order of `a`: the list for other queries. For normals,
    /// [`hit_contacts`](crate::Detector::hit_contacts) needs no list.
    ///
    /// ```
    /// use phalanx::{Aabb, Aabbs, Detector, FirstHits, Pair, Point, Points};
    ///
    /// let mut rays = Points::new();
    /// rays.push_moving(Point { position: [9.0, 0.5, 0.0] }, [-99.0, 0.0, 0.0]);
    /// let at = |x| Aabb { min: [x, 0.0, 0.0], max: [x + 1.0; 3] };
    /// let crates = Aabbs::from_slice(&[at(0.0), at(4.0)]);
    ///
    /// let (mut firsts, mut pairs) = (FirstHits::new(), Vec::new());
    /// Detector::new().first_hits(&rays, &crates, &mut firsts)?;
    /// firsts.pairs(0, &mut pairs);
    /// assert_eq!(pairs, [Pair::new(0, 1)]);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    pub fn pairs(&self, store: u8, pairs: &mut Vec<Pair>) {
        pairs.clear();
        let hits = self.iter().filter(|hit| hit.store == store);
        pairs.extend(hits.map(|hit| Pair::new(hit.a, hit.b)));
    }

    /// Index of the shape that each shape hits; `u32::MAX` for none.
    pub fn index(&self) -> &[u32] {
        &self.index
    }

    /// Number of the store of the shape that each shape hits; 0 for none.
    pub fn store(&self) -> &[u8] {
        &self.store
    }

    /// The first time of contact of each shape; +∞ for none.
    pub fn enter(&self) -> &[f32] {
        &self.enter
    }

    /// The last time of contact of each shape with the shape that it hits first; +∞ for none.
    pub fn exit(&self) -> &[f32] {
        &self.exit
    }

    /// The first hits with these columns, in so many stores: the inverse of [`into_columns`](Self::into_columns), for example
    /// of the results of several searches, joined.
    ///
    /// ```
    /// use phalanx::{FirstHitColumns, FirstHits, Pair};
    ///
    /// let columns = FirstHitColumns {
    ///     hits: vec![0b10],
    ///     invalid: vec![0],
    ///     index: vec![u32::MAX, 7],
    ///     store: vec![0, 0],
    ///     enter: vec![f32::INFINITY, 0.25],
    ///     exit: vec![f32::INFINITY, 0.5],
    /// };
    /// let firsts = FirstHits::from_columns(1, columns)?;
    /// assert_eq!(firsts.get(1).map(|hit| hit.b), Some(7));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ResultLength`] if a column has another length than `index`. Columns are counted in the order of
    /// [`FirstHitColumns`]. [`Error::TooManyStores`] for more than [`MAX_STORES`](Self::MAX_STORES). Hits in a store past `stores`
    /// give unspecified results of later calls.
    pub fn from_columns(stores: usize, columns: FirstHitColumns) -> Result<Self, Error> {
        let FirstHitColumns {
            hits,
            invalid,
            index,
            store,
            enter,
            exit,
        } = columns;
        let len = index.len();
        check_column(3, store.len(), len)?;
        check_column(4, enter.len(), len)?;
        check_column(5, exit.len(), len)?;
        if stores > Self::MAX_STORES {
            return Err(Error::TooManyStores);
        }
        Ok(FirstHits {
            masks: Overlaps::from_words(len, OverlapWords { hits, invalid })?,
            stores,
            index,
            store,
            enter,
            exit,
        })
    }

    /// Returns the columns, without a copy.
    pub fn into_columns(self) -> FirstHitColumns {
        let OverlapWords { hits, invalid } = self.masks.into_words();
        FirstHitColumns {
            hits,
            invalid,
            index: self.index,
            store: self.store,
            enter: self.enter,
            exit: self.exit,
        }
    }

    /// Replaces `pairs` by a pair for each shape, and `masks` by the hits in one store. The pairs of shapes without a hit in this
    /// store repeat that of another one; `pairs` is empty if there is no hit.
    pub(crate) fn hits_in(
        &self,
        store: u8,
        pairs: &mut Vec<Pair>,
        masks: &mut Overlaps,
    ) -> Result<(), TryReserveError> {
        pages::try_reserve_all(pairs, self.len())?;
        masks.copy_from(&self.masks)?;
        pairs.clear();
        let [hits, _] = masks.words_mut();
        for hit in self.iter().filter(|hit| hit.store != store) {
            hits[hit.a as usize / 64] &= !(1 << (hit.a % 64));
        }
        if let Some(first) = masks.iter().next() {
            pairs.resize(self.len(), self.pair(first));
            masks.iter().for_each(|a| pairs[a] = self.pair(a));
        }
        Ok(())
    }

    /// The pair of a hit.
    fn pair(&self, a: usize) -> Pair {
        Pair::new(a as u32, self.index[a])
    }

    /// Number of stores searched so far.
    pub(crate) fn stores(&self) -> usize {
        self.stores
    }

    /// Reserves memory for the results of `len` shapes.
    pub(crate) fn try_reserve(&mut self, len: usize) -> Result<(), TryReserveError> {
        self.masks.try_reserve_masks(len)?;
        pages::try_reserve_all(&mut self.index, len)?;
        pages::try_reserve_all(&mut self.store, len)?;
        pages::try_reserve_all(&mut self.enter, len)?;
        pages::try_reserve_all(&mut self.exit, len)
    }

    /// Begins a search of `len` shapes, for which memory is reserved.
    pub(crate) fn begin(&mut self, len: usize) {
        self.masks.clear_masks(len);
        self.stores = 0;
        self.index.clear();
        self.index.resize(len, u32::MAX);
        self.store.clear();
        self.store.resize(len, 0);
        for times in [&mut self.enter, &mut self.exit] {
            times.clear();
            times.resize(len, f32::INFINITY);
        }
    }

    /// Ends the search of a store.
    pub(crate) fn end_store(&mut self) {
        self.stores += 1;
    }

    /// Flags an invalid shape.
    pub(crate) fn flag_invalid(&mut self, a: u32) {
        self.masks.words_mut()[1][a as usize / 64] |= 1 << (a % 64);
    }

    /// Sets a hit in the current store.
    pub(crate) fn set(&mut self, a: u32, b: u32, time: TimeInterval) {
        let place = a as usize;
        self.masks.words_mut()[0][place / 64] |= 1 << (place % 64);
        self.index[place] = b;
        self.store[place] = self.stores as u8;
        self.enter[place] = time.enter;
        self.exit[place] = time.exit;
    }

    #[inline]
    fn hit(&self, a: usize) -> SceneHit {
        SceneHit {
            a: a as u32,
            b: self.index[a],
            store: self.store[a],
            time: TimeInterval {
                enter: self.enter[a],
                exit: self.exit[a],
            },
        }
    }
}

/// The first hits, in the order of the searching shapes.
#[derive(Clone, Debug)]
pub struct SceneHits<'a> {
    firsts: &'a FirstHits,
    positions: Positions<'a>,
}

impl Iterator for SceneHits<'_> {
    type Item = SceneHit;

    #[inline]
    fn next(&mut self) -> Option<SceneHit> {
        self.positions.next().map(|a| self.firsts.hit(a))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.positions.size_hint()
    }
}

impl core::iter::FusedIterator for SceneHits<'_> {}

impl<'a> IntoIterator for &'a FirstHits {
    type Item = SceneHit;
    type IntoIter = SceneHits<'a>;

    fn into_iter(self) -> SceneHits<'a> {
        self.iter()
    }
}

impl fmt::Debug for FirstHits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FirstHits")
            .field("len", &self.len())
            .field("hits", &self.iter().collect::<Vec<_>>())
            .field("invalid", &self.iter_invalid())
            .finish()
    }
}
