//! What can go wrong.

use core::fmt;

use crate::limits::MAX_LENGTH;
use crate::pairs::Pair;

/// Why a call was refused. The call changed nothing, except for [`Error::InvalidPair`] and
/// [`Error::InvalidShape`], whose answers are written, and [`Error::OutOfMemory`] of contacts and impacts, whose
/// output is then empty.
///
/// Errors are about structure: indices, lengths, settings, memory. A bad value in a shape is no error but a
/// flag on the pairs that meet it, see [`Overlaps::is_invalid`](crate::Overlaps::is_invalid). Only
/// `validate()` reports it as [`Error::BadShape`], and a [strict](crate::Detector::strict) detector as
/// [`Error::InvalidPair`] or [`Error::InvalidShape`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A pair names a shape that does not exist.
    #[non_exhaustive]
    PairOutOfBounds {
        /// Where in the pair list; the first such place.
        position: usize,
        /// The pair.
        pair: Pair,
        /// How many shapes the first store has.
        len_a: usize,
        /// How many shapes the second store has.
        len_b: usize,
    },
    /// [`Pairs::zip`](crate::Pairs::zip) over stores of different lengths.
    #[non_exhaustive]
    LengthMismatch {
        /// How many shapes the first store has.
        len_a: usize,
        /// How many shapes the second store has.
        len_b: usize,
    },
    /// A pair list and answers to a list of another length.
    #[non_exhaustive]
    AnswerCount {
        /// How many pairs the list has.
        pairs: usize,
        /// How many pairs were answered.
        answers: usize,
    },
    /// An index past the end of a store.
    #[non_exhaustive]
    IndexOutOfBounds {
        /// The index.
        index: u32,
        /// How many shapes the store has.
        len: usize,
    },
    /// Borrowed columns that are not all equally long.
    #[non_exhaustive]
    ColumnLength {
        /// Which column, counted in the order of the shape's numbers, then x, y and z of the
        /// displacement, then those of the turn.
        column: usize,
        /// Its length.
        len: usize,
        /// The length of the first column.
        expected: usize,
    },
    /// More shapes than a `u32` can count.
    #[non_exhaustive]
    TooManyShapes {
        /// How many.
        len: usize,
    },
    /// More pairs than contacts can have positions.
    #[non_exhaustive]
    TooManyPairs {
        /// How many.
        len: usize,
    },
    /// A margin that is negative, not finite, or above [`MAX_LENGTH`](crate::MAX_LENGTH).
    #[non_exhaustive]
    BadMargin {
        /// The margin.
        margin: f32,
    },
    /// A tolerance that is negative, not finite, or above [`MAX_LENGTH`](crate::MAX_LENGTH).
    #[non_exhaustive]
    BadTolerance {
        /// The tolerance.
        tolerance: f32,
    },
    /// A list of pairs, or the answers to one, for which there is no memory.
    #[non_exhaustive]
    OutOfMemory {
        /// Length of the list, or number of pairs found before memory ran out.
        pairs: usize,
    },
    /// An invalid shape in a store that a [strict](crate::Detector::strict) detector read as a whole.
    #[non_exhaustive]
    InvalidShape {
        /// Whether the shape is one of the second store.
        is_second: bool,
        /// Index of the first such shape.
        index: u32,
        /// What is wrong with it.
        defect: Defect,
    },
    /// A pair that meets a bad shape, refused by a [strict](crate::Detector::strict) detector.
    #[non_exhaustive]
    InvalidPair {
        /// Where in the pair list; the first such place.
        position: usize,
        /// The pair.
        pair: Pair,
        /// Whether the bad shape is one of the second store.
        is_second: bool,
        /// What is wrong with it.
        defect: Defect,
    },
    /// A shape that no pair can be tested with, found by `validate()`.
    #[non_exhaustive]
    BadShape {
        /// The index of the first such shape.
        index: u32,
        /// What is wrong with it.
        defect: Defect,
    },
}

/// What makes a shape bad.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Defect {
    /// A number is NaN or infinite.
    #[non_exhaustive]
    NotFinite {
        /// The field that holds it.
        field: &'static str,
        /// Where in the field, if that has several numbers.
        index: Option<usize>,
        /// The number.
        value: f32,
    },
    /// A length is above [`MAX_LENGTH`](crate::MAX_LENGTH).
    #[non_exhaustive]
    TooLarge {
        /// The field that holds it.
        field: &'static str,
        /// Where in the field, if that has several numbers.
        index: Option<usize>,
        /// The length.
        value: f32,
    },
    /// A radius or half extent is below zero.
    #[non_exhaustive]
    Negative {
        /// The field that holds it.
        field: &'static str,
        /// Where in the field, if that has several numbers.
        index: Option<usize>,
        /// The size.
        value: f32,
    },
    /// A box whose `min` is above its `max` on some axis.
    #[non_exhaustive]
    MinAboveMax {
        /// The first such axis: 0 is x.
        axis: usize,
        /// The lower end there.
        min: f32,
        /// The upper end there.
        max: f32,
    },
    /// The normal of a plane or half-space is zero.
    ZeroNormal,
    /// A rotation whose length is more than 1e-3 away from 1.
    #[non_exhaustive]
    NotUnit {
        /// Its length.
        length: f32,
    },
    /// A turn of more than π.
    #[non_exhaustive]
    TurnTooLong {
        /// Its length, in radians.
        length: f32,
    },
}

/// Names a number of a field.
struct Place(&'static str, Option<usize>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Place(field, Some(index)) => write!(f, "{field}[{index}]"),
            Place(field, None) => f.write_str(field),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::PairOutOfBounds {
                position,
                pair,
                len_a,
                len_b,
            } => write!(
                f,
                "pair {position} is ({}, {}), but the stores have {len_a} and {len_b} shapes",
                pair.a, pair.b
            ),
            Error::LengthMismatch { len_a, len_b } => write!(
                f,
                "zip needs equally long stores, but they have {len_a} and {len_b} shapes"
            ),
            Error::AnswerCount { pairs, answers } => write!(
                f,
                "the list has {pairs} pairs, but these are the answers to {answers}"
            ),
            Error::IndexOutOfBounds { index, len } => {
                write!(f, "shape {index} does not exist: there are {len}")
            }
            Error::ColumnLength {
                column,
                len,
                expected,
            } => {
                write!(
                    f,
                    "column {column} has {len} numbers, but the first has {expected}"
                )
            }
            Error::TooManyShapes { len } => {
                write!(f, "{len} shapes are more than a u32 index can name")
            }
            Error::TooManyPairs { len } => {
                write!(f, "{len} pairs are more than a u32 position can name")
            }
            Error::BadMargin { margin } => write!(
                f,
                "a margin lies between 0 and {:e}, but this one is {margin}",
                MAX_LENGTH
            ),
            Error::BadTolerance { tolerance } => write!(
                f,
                "a tolerance lies between 0 and {:e}, but this one is {tolerance}",
                MAX_LENGTH
            ),
            Error::OutOfMemory { pairs } => write!(f, "out of memory: {pairs} pairs"),
            Error::InvalidShape {
                is_second,
                index,
                defect,
            } => {
                let store = if is_second { "second" } else { "first" };
                write!(f, "shape {index} of the {store} store is bad: {defect}")
            }
            Error::InvalidPair {
                position,
                pair,
                is_second,
                defect,
            } => {
                let (index, store) = if is_second {
                    (pair.b, "second")
                } else {
                    (pair.a, "first")
                };
                write!(
                    f,
                    "pair {position} is ({}, {}), but shape {index} of the {store} store is bad: {defect}",
                    pair.a, pair.b
                )
            }
            Error::BadShape { index, defect } => write!(f, "shape {index} is bad: {defect}"),
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Defect::NotFinite {
                field,
                index,
                value,
            } => write!(f, "its {} is {value}, not finite", Place(field, index)),
            Defect::TooLarge {
                field,
                index,
                value,
            } => {
                let place = Place(field, index);
                write!(f, "its {place} is {value:e}, above {:e}", MAX_LENGTH)
            }
            Defect::Negative {
                field,
                index,
                value,
            } => write!(f, "its {} is {value}, negative", Place(field, index)),
            Defect::MinAboveMax { axis, min, max } => {
                write!(f, "its min[{axis}] is {min}, above its max[{axis}], {max}")
            }
            Defect::ZeroNormal => f.write_str("its normal is zero"),
            Defect::NotUnit { length } => {
                write!(f, "its rotation has length {length}, not 1 within 0.001")
            }
            Defect::TurnTooLong { length } => {
                write!(
                    f,
                    "its turn is {length} long, more than half a turn, \u{3c0}"
                )
            }
        }
    }
}

impl core::error::Error for Error {}
