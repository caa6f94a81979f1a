//! Results of a search for nearest shapes, as columns indexed by the searching shapes.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::fmt;

use crate::error::Error;
use crate::memory::pages;
use crate::narrow::overlap::overlaps::{OverlapWords, Overlaps, Positions, check_column};

/// Results of a search for nearest shapes: for each shape of the first store, the nearest shape of the second and
/// bounds of its distance.
///
/// Position `i` holds the result of shape `i` of the first store. Keep one value and pass it to every call: its memory is
/// reused. See [`Detector::nearest`](crate::Detector::nearest).
///
/// ```
/// use phalanx::{Capsule, Capsules, Detector, Nearest, Obb, Obbs};
///
/// let links = Capsules::from_slice(&[
///     Capsule::between([0.0, 0.0, 0.0], [0.0, 0.0, 1.0], 0.1),
///     Capsule::between([0.0, 0.0, 1.0], [1.0, 0.0, 1.0], 0.1),
/// ]);
/// let at = |x| Obb { center: [x, 0.0, 1.0], half_extents: [0.5; 3], ..Obb::default() };
/// let cell = Obbs::from_slice(&[at(9.0), at(2.0)]);
///
/// let mut nearest = Nearest::new();
/// Detector::new().nearest(&links, &cell, 0.5, &mut nearest)?;
/// for clearance in &nearest {
///     println!("link {} has {} m to box {:?}", clearance.a, clearance.lower, clearance.b);
/// }
/// assert_eq!(nearest.get(0).map(|link| (link.b, link.lower)), Some((None, 0.5)));
/// assert_eq!(nearest.get(1).and_then(|link| link.b), Some(1));
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Nearest {
    masks: Overlaps,
    index: Vec<u32>,
    lower: Vec<f32>,
    upper: Vec<f32>,
}

/// Bounds of the distance of a shape from a store.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clearance {
    /// Index of the shape in the first store.
    pub a: u32,
    /// Index of the shape with the least upper bound; `None` if that bound is above the radius.
    pub b: Option<u32>,
    /// Never above the distance of any shape of the store; the radius if all are farther away.
    pub lower: f32,
    /// Never below the distance of `b`; +∞ if `b` is `None`.
    pub upper: f32,
}

/// The owned columns of [`Nearest`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NearestColumns {
    /// The shapes with a nearest shape within the radius, as bits: shape `i` is bit `i % 64` of word `i / 64`.
    pub hits: Vec<u64>,
    /// The invalid shapes, as bits.
    pub invalid: Vec<u64>,
    /// Index of the nearest shape of each shape; `u32::MAX` for none.
    pub index: Vec<u32>,
    /// The lower bound of the distance of each shape from the store.
    pub lower: Vec<f32>,
    /// The upper bound of the distance of each shape from its nearest shape; +∞ for none.
    pub upper: Vec<f32>,
}

impl Nearest {
    /// The results of no shapes.
    pub const fn new() -> Self {
        Nearest {
            masks: Overlaps::new(),
            index: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
        }
    }

    /// Number of searching shapes.
    #[inline]
    pub fn len(&self) -> usize {
        self.masks.len()
    }

    /// Whether no shape searched.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.masks.is_empty()
    }

    /// The result of shape `a`; `None` for an invalid shape and past the end.
    #[inline]
    pub fn get(&self, a: usize) -> Option<Clearance> {
        (a < self.len() && !self.is_invalid(a)).then(|| self.clearance(a))
    }

    /// Iterates over the results of the valid shapes, in order.
    pub fn iter(&self) -> Clearances<'_> {
        Clearances {
            nearest: self,
            next: 0,
        }
    }

    /// Number of shapes with a nearest shape within the radius.
    pub fn count(&self) -> usize {
        self.masks.count()
    }

    /// Index of the nearest shape of each shape; `u32::MAX` for none.
    pub fn index(&self) -> &[u32] {
        &self.index
    }

    /// The lower bound of the distance of each shape from the whole store, at most the radius; zero for invalid shapes.
    pub fn lower(&self) -> &[f32] {
        &self.lower
    }

    /// The upper bound of the distance of each shape from its nearest shape; +∞ for none.
    pub fn upper(&self) -> &[f32] {
        &self.upper
    }

    /// Whether shape `a` is invalid; false past the end.
    #[inline]
    pub fn is_invalid(&self, a: usize) -> bool {
        self.masks.is_invalid(a)
    }

    /// The invalid shapes, in order.
    pub fn iter_invalid(&self) -> Positions<'_> {
        self.masks.iter_invalid()
    }

    /// The results with these columns, the inverse of [`into_columns`](Self::into_columns): for example of the results of
    /// several searches, joined.
    ///
    /// ```
    /// use phalanx::{Nearest, NearestColumns};
    ///
    /// let nearest = Nearest::from_columns(NearestColumns {
    ///     hits: vec![0b01],
    ///     invalid: vec![0b10],
    ///     index: vec![7, u32::MAX],
    ///     lower: vec![0.5, 0.0],
    ///     upper: vec![0.5, f32::INFINITY],
    /// })?;
    /// assert_eq!(nearest.get(0).and_then(|it| it.b), Some(7));
    /// assert_eq!(nearest.get(1), None);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ResultLength`] if a column has another length than `index`. Columns are counted in the order of
    /// [`NearestColumns`].
    pub fn from_columns(columns: NearestColumns) -> Result<Self, Error> {
        let NearestColumns {
            hits,
            invalid,
            index,
            lower,
            upper,
        } = columns;
        let len = index.len();
        check_column(3, lower.len(), len)?;
        check_column(4, upper.len(), len)?;
        Ok(Nearest {
            masks: Overlaps::from_words(len, OverlapWords { hits, invalid })?,
            index,
            lower,
            upper,
        })
    }

    /// Returns the columns, without a copy.
    pub fn into_columns(self) -> NearestColumns {
        let OverlapWords { hits, invalid } = self.masks.into_words();
        NearestColumns {
            hits,
            invalid,
            index: self.index,
            lower: self.lower,
            upper: self.upper,
        }
    }

    /// Reserves memory for the results of `len` shapes.
    pub(crate) fn try_reserve(&mut self, len: usize) -> Result<(), TryReserveError> {
        self.masks.try_reserve_masks(len)?;
        pages::try_reserve_all(&mut self.index, len)?;
        pages::try_reserve_all(&mut self.lower, len)?;
        pages::try_reserve_all(&mut self.upper, len)
    }

    /// Begins a search of `len` shapes, all marked invalid until set. Their memory is reserved.
    pub(crate) fn begin(&mut self, len: usize) {
        self.masks.clear_masks(len);
        self.index.clear();
        self.index.resize(len, u32::MAX);
        self.lower.clear();
        self.lower.resize(len, 0.0);
        self.upper.clear();
        self.upper.resize(len, f32::INFINITY);
    }

    /// Flags an invalid shape.
    pub(crate) fn flag_invalid(&mut self, a: u32) {
        self.masks.words_mut()[1][a as usize / 64] |= 1 << (a % 64);
    }

    /// Sets a result: the lower bound, and the nearest shape with its upper bound.
    pub(crate) fn set(&mut self, a: u32, lower: f32, nearest: Option<(u32, f32)>) {
        let place = a as usize;
        self.lower[place] = lower;
        if let Some((index, upper)) = nearest {
            self.masks.words_mut()[0][place / 64] |= 1 << (place % 64);
            (self.index[place], self.upper[place]) = (index, upper);
        }
    }

    fn clearance(&self, a: usize) -> Clearance {
        Clearance {
            a: a as u32,
            b: self.masks.is_hit(a).then(|| self.index[a]),
            lower: self.lower[a],
            upper: self.upper[a],
        }
    }
}

impl<'a> IntoIterator for &'a Nearest {
    type Item = Clearance;
    type IntoIter = Clearances<'a>;

    fn into_iter(self) -> Clearances<'a> {
        self.iter()
    }
}

/// The results of the valid shapes, in order.
#[derive(Clone, Debug)]
pub struct Clearances<'a> {
    nearest: &'a Nearest,
    next: usize,
}

impl Iterator for Clearances<'_> {
    type Item = Clearance;

    fn next(&mut self) -> Option<Clearance> {
        while self.next < self.nearest.len() {
            let a = self.next;
            self.next += 1;
            if let Some(clearance) = self.nearest.get(a) {
                return Some(clearance);
            }
        }
        None
    }
}

impl fmt::Debug for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nearest")
            .field("len", &self.len())
            .field("clearances", &self.iter().collect::<Vec<_>>())
            .field("invalid", &self.iter_invalid())
            .finish()
    }
}
