//! Results of a distance query: lower and upper bounds, and pairs of points.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::fmt;

use crate::error::Error;
use crate::lane::WORD;
use crate::memory::pages;
use crate::narrow::overlap::overlaps::{BitMask, Positions, check_column};

/// Results of a distance query: a lower and an upper bound for each pair.
///
/// Position `i` holds the result of pair `i` of the list. Keep one value and pass it to every call: its memory is
/// reused, and each successful call replaces its contents. See [`Detector::distance`](crate::Detector::distance).
///
/// ```
/// use phalanx::{Capsule, Capsules, Detector, Distances, Obb, Obbs};
///
/// let links = Capsules::from_slice(&[Capsule::between([0.0, 0.0, 2.0], [0.0, 0.0, 4.0], 0.5)]);
/// let cell = Obbs::from_slice(&[Obb { half_extents: [9.0, 9.0, 1.0], ..Obb::default() }]);
///
/// let mut distances = Distances::new();
/// Detector::new().distance(&links, &cell, &[[0, 0]], &mut distances)?;
/// assert!(distances.lower()[0] <= 0.5 && 0.5 <= distances.upper()[0]);
/// assert!(distances.upper()[0] - distances.lower()[0] < 1e-3);
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Distances {
    lower: Vec<f32>,
    upper: Vec<f32>,
    unsettled: BitMask,
    invalid: BitMask,
}

/// The bounds of a distance: `lower` ≤ distance ≤ `upper`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DistanceRange {
    /// Never above the distance. Zero for shapes that touch.
    pub lower: f32,
    /// Never below the distance. +∞ if one of the shapes is invalid.
    pub upper: f32,
}

/// The owned columns of [`Distances`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DistanceColumns {
    /// The lower bound of every pair.
    pub lower: Vec<f32>,
    /// The upper bound of every pair.
    pub upper: Vec<f32>,
    /// The pairs that are not [settled](Distances::is_settled), as bits: pair `i` is bit `i % 64` of word `i / 64`.
    pub unsettled: Vec<u64>,
    /// The pairs with an invalid shape, as bits.
    pub invalid: Vec<u64>,
}

impl Distances {
    /// The results of an empty list.
    pub const fn new() -> Self {
        Distances {
            lower: Vec::new(),
            upper: Vec::new(),
            unsettled: BitMask::new(),
            invalid: BitMask::new(),
        }
    }

    /// Number of pairs in the list.
    #[inline]
    pub fn len(&self) -> usize {
        self.lower.len()
    }

    /// Whether the list had no pairs.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.lower.is_empty()
    }

    /// The bounds of pair `position`; `None` past the end and for an invalid pair.
    #[inline]
    pub fn get(&self, position: usize) -> Option<DistanceRange> {
        let (&lower, &upper) = (self.lower.get(position)?, self.upper.get(position)?);
        (!self.is_invalid(position)).then_some(DistanceRange { lower, upper })
    }

    /// The lower bound of every pair, never above the distance; zero for touching and for invalid pairs.
    #[inline]
    pub fn lower(&self) -> &[f32] {
        &self.lower
    }

    /// The upper bound of every pair, never below the distance; +∞ for invalid pairs.
    #[inline]
    pub fn upper(&self) -> &[f32] {
        &self.upper
    }

    /// Whether the bounds of pair `position` differ by at most the band of the [contract](crate::contract) plus 2⁻¹⁶ of
    /// the upper bound; true past the end.
    ///
    /// False for a few pairs of degenerate shapes, whose nearest points the search did not reach. Their bounds hold too.
    #[inline]
    pub fn is_settled(&self, position: usize) -> bool {
        !self.unsettled.get(position)
    }

    /// Whether pair `position` has an invalid shape; false past the end.
    #[inline]
    pub fn is_invalid(&self, position: usize) -> bool {
        self.invalid.get(position)
    }

    /// The positions of the pairs that are not settled, in order.
    pub fn iter_unsettled(&self) -> Positions<'_> {
        self.unsettled.iter()
    }

    /// The positions of the invalid pairs, in order.
    pub fn iter_invalid(&self) -> Positions<'_> {
        self.invalid.iter()
    }

    /// The pairs that are not settled, as bits: pair `i` is bit `i % 64` of word `i / 64`. Spare bits are zero.
    pub fn unsettled_words(&self) -> &[u64] {
        self.unsettled.words()
    }

    /// The invalid pairs as bits, in the same layout.
    pub fn invalid_words(&self) -> &[u64] {
        self.invalid.words()
    }

    /// The results with these columns, the inverse of [`into_columns`](Self::into_columns). Bits past the last pair are ignored.
    ///
    /// ```
    /// use phalanx::{DistanceColumns, Distances};
    ///
    /// let distances = Distances::from_columns(DistanceColumns {
    ///     lower: vec![0.5, 0.0],
    ///     upper: vec![0.5, f32::INFINITY],
    ///     unsettled: vec![0],
    ///     invalid: vec![0b10],
    /// })?;
    /// assert_eq!(distances.get(0).map(|it| it.lower), Some(0.5));
    /// assert_eq!(distances.get(1), None);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ResultLength`] if a column does not fit the length of `lower`. Columns are counted in the order of
    /// [`DistanceColumns`].
    pub fn from_columns(columns: DistanceColumns) -> Result<Self, Error> {
        let DistanceColumns {
            lower,
            upper,
            unsettled,
            invalid,
        } = columns;
        let len = lower.len();
        check_column(1, upper.len(), len)?;
        Ok(Distances {
            unsettled: BitMask::from_words(2, len, unsettled)?,
            invalid: BitMask::from_words(3, len, invalid)?,
            lower,
            upper,
        })
    }

    /// Returns the columns, without a copy.
    pub fn into_columns(self) -> DistanceColumns {
        DistanceColumns {
            lower: self.lower,
            upper: self.upper,
            unsettled: self.unsettled.into_words(),
            invalid: self.invalid.into_words(),
        }
    }

    /// Reserves memory for the results of `len` pairs.
    pub(crate) fn try_reserve(&mut self, len: usize) -> Result<(), TryReserveError> {
        pages::try_reserve_all(&mut self.lower, len)?;
        pages::try_reserve_all(&mut self.upper, len)?;
        self.unsettled.try_reserve(len.div_ceil(WORD))?;
        self.invalid.try_reserve(len.div_ceil(WORD))
    }
}

/// A point of each shape of each pair, at most the upper bound apart.
///
/// Position `i` holds the points of pair `i`. Both points are relative to the center of the shape of `a`, or of `b` if
/// `a` is a plane or a half-space. This keeps them precise far from the origin. The center of a triangle is the mean of
/// its corners. See [`Detector::distance_points`](crate::Detector::distance_points).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClosestPoints {
    at_a: [Vec<f32>; 3],
    at_b: [Vec<f32>; 3],
}

/// The owned columns of [`ClosestPoints`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClosestPointColumns {
    /// x, y and z of the points of the shapes of `a`.
    pub at_a: [Vec<f32>; 3],
    /// x, y and z of the points of the shapes of `b`.
    pub at_b: [Vec<f32>; 3],
}

impl ClosestPoints {
    /// The points of an empty list.
    pub const fn new() -> Self {
        ClosestPoints {
            at_a: [const { Vec::new() }; 3],
            at_b: [const { Vec::new() }; 3],
        }
    }

    /// Number of pairs in the list.
    #[inline]
    pub fn len(&self) -> usize {
        self.at_a[0].len()
    }

    /// Whether the list had no pairs.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.at_a[0].is_empty()
    }

    /// The points of pair `position`, the point of `a` first; `None` past the end. NaN for an invalid pair.
    #[inline]
    pub fn get(&self, position: usize) -> Option<[[f32; 3]; 2]> {
        let point = |columns: &[Vec<f32>; 3]| [0, 1, 2].map(|k: usize| columns[k][position]);
        (position < self.len()).then(|| [point(&self.at_a), point(&self.at_b)])
    }

    /// x, y and z of the points of the shapes of `a`.
    pub fn at_a(&self) -> [&[f32]; 3] {
        self.at_a.each_ref().map(Vec::as_slice)
    }

    /// x, y and z of the points of the shapes of `b`.
    pub fn at_b(&self) -> [&[f32]; 3] {
        self.at_b.each_ref().map(Vec::as_slice)
    }

    /// The points with these columns, the inverse of [`into_columns`](Self::into_columns).
    ///
    /// ```
    /// use phalanx::{ClosestPointColumns, ClosestPoints};
    ///
    /// let column = |x| vec![x];
    /// let points = ClosestPoints::from_columns(ClosestPointColumns {
    ///     at_a: [1.0, 0.0, 0.0].map(column),
    ///     at_b: [3.0, 0.0, 0.0].map(column),
    /// })?;
    /// assert_eq!(points.get(0), Some([[1.0, 0.0, 0.0], [3.0, 0.0, 0.0]]));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ResultLength`] if a column has another length than the first. Columns are counted from x of `at_a`, 0, to z of
    /// `at_b`, 5.
    pub fn from_columns(columns: ClosestPointColumns) -> Result<Self, Error> {
        let ClosestPointColumns { at_a, at_b } = columns;
        for (k, column) in at_a.iter().chain(&at_b).enumerate() {
            check_column(k, column.len(), at_a[0].len())?;
        }
        Ok(ClosestPoints { at_a, at_b })
    }

    /// Returns the columns, without a copy.
    pub fn into_columns(self) -> ClosestPointColumns {
        ClosestPointColumns {
            at_a: self.at_a,
            at_b: self.at_b,
        }
    }
}

/// The results of a span of pairs.
pub struct DistanceSlices<'a> {
    /// List position of the first pair.
    pub first: usize,
    pub len: usize,
    pub unsettled: &'a mut [u64],
    pub invalid: &'a mut [u64],
    /// Lower and upper bound, then x, y and z of both points; empty if the call computes no points.
    pub columns: [&'a mut [f32]; DISTANCE_COLUMNS],
}

/// Number of columns of distances and points.
pub const DISTANCE_COLUMNS: usize = 8;

impl<'a> DistanceSlices<'a> {
    /// Resizes outputs to `len` pairs and returns all of them. If memory runs out, the outputs are unchanged.
    pub fn of(
        distances: &'a mut Distances,
        points: Option<&'a mut ClosestPoints>,
        len: usize,
    ) -> Result<Self, TryReserveError> {
        distances.try_reserve(len)?;
        let mut columns = <[&mut [f32]; DISTANCE_COLUMNS]>::default();
        if let Some(ClosestPoints { at_a, at_b }) = points {
            for column in at_a.iter_mut().chain(at_b.iter_mut()) {
                pages::try_reserve_all(column, len)?;
            }
            let all = at_a.iter_mut().chain(at_b);
            for (to, column) in columns[2..].iter_mut().zip(all) {
                column.resize(len, 0.0);
                *to = column;
            }
        }
        let both = [&mut distances.lower, &mut distances.upper];
        for (to, column) in columns.iter_mut().zip(both) {
            column.resize(len, 0.0);
            *to = column;
        }
        let words = len.div_ceil(WORD);
        Ok(DistanceSlices {
            first: 0,
            len,
            unsettled: distances.unsettled.resize(words),
            invalid: distances.invalid.resize(words),
            columns,
        })
    }

    /// Splits off the first `middle` pairs, a multiple of 64 or all.
    pub fn split_at(self, middle: usize) -> (Self, Self) {
        let (unsettled, unsettled_high) = self.unsettled.split_at_mut(middle.div_ceil(WORD));
        let (invalid, invalid_high) = self.invalid.split_at_mut(middle.div_ceil(WORD));
        let mut high = <[&mut [f32]; DISTANCE_COLUMNS]>::default();
        let mut columns = self.columns;
        for (column, high) in columns.iter_mut().zip(&mut high) {
            let whole = core::mem::take(column);
            (*column, *high) = whole.split_at_mut(middle.min(whole.len()));
        }
        (
            DistanceSlices {
                first: self.first,
                len: middle,
                unsettled,
                invalid,
                columns,
            },
            DistanceSlices {
                first: self.first + middle,
                len: self.len - middle,
                unsettled: unsettled_high,
                invalid: invalid_high,
                columns: high,
            },
        )
    }
}

impl fmt::Debug for Distances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Distances")
            .field("lower", &self.lower)
            .field("upper", &self.upper)
            .field("unsettled", &self.unsettled.iter())
            .field("invalid", &self.invalid.iter())
            .finish()
    }
}
