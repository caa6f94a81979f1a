//! What can go wrong.

use core::fmt;

use crate::limits::MAX_LENGTH;
use crate::pairs::Pair;

/// Why a call was refused. The call changed nothing.
///
/// Errors are about structure: indices, lengths, settings. A bad value in a shape is no error but a
/// flag on the pairs that meet it, see [`Overlaps::is_invalid`](crate::Overlaps::is_invalid); only
/// `validate()` reports it as [`Error::BadShape`].
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Defect {
    /// A number is NaN or infinite.
    #[non_exhaustive]
    NotFinite {
        /// The field that holds it.
        field: &'static str,
    },
    /// A length is above [`MAX_LENGTH`](crate::MAX_LENGTH).
    #[non_exhaustive]
    TooLarge {
        /// The field that holds it.
        field: &'static str,
    },
    /// A radius or half extent is below zero.
    #[non_exhaustive]
    Negative {
        /// The field that holds it.
        field: &'static str,
    },
    /// A box whose `min` is above its `max` on some axis.
    MinAboveMax,
    /// The normal of a plane or half-space is zero.
    ZeroNormal,
    /// A rotation whose length is more than 1e-3 away from 1.
    NotUnit,
    /// A turn of more than π.
    TurnTooLong,
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
            Error::BadShape { index, defect } => write!(f, "shape {index} is bad: {defect}"),
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Defect::NotFinite { field } => write!(f, "its {field} is not finite"),
            Defect::TooLarge { field } => {
                write!(f, "its {field} is above {:e}", MAX_LENGTH)
            }
            Defect::Negative { field } => write!(f, "its {field} is negative"),
            Defect::MinAboveMax => f.write_str("its min is above its max"),
            Defect::ZeroNormal => f.write_str("its normal is zero"),
            Defect::NotUnit => f.write_str("its rotation is not of unit length"),
            Defect::TurnTooLong => f.write_str("its turn is longer than half a turn, π"),
        }
    }
}

impl core::error::Error for Error {}
