//! Which rows have a shape.

use arrow::buffer::NullBuffer;

/// Whether there is a shape in a row.
pub(crate) fn is_there(nulls: Option<&NullBuffer>, row: usize) -> bool {
    nulls.is_none_or(|nulls| nulls.is_valid(row))
}
