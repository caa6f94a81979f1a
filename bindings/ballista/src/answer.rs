//! The pairs of ids that a query returned.

use std::fmt;

use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::datatypes::Int64Type;

use crate::Failure;

/// Pairs of ids, sorted.
#[derive(Debug, PartialEq)]
pub struct Answer(Vec<[i64; 2]>);

impl Answer {
    /// The pairs in the first two columns of batches.
    pub fn of(batches: &[RecordBatch]) -> Result<Self, Failure> {
        let mut pairs = Vec::new();
        for batch in batches {
            let column = |k: usize| {
                let ids = batch
                    .columns()
                    .get(k)
                    .and_then(|ids| ids.as_primitive_opt::<Int64Type>());
                match ids {
                    Some(ids) if ids.null_count() == 0 => Ok(ids.values().to_vec()),
                    _ => Err(Failure::Answer(format!(
                        "column {k} of the answer is no column of ids"
                    ))),
                }
            };
            pairs.extend(column(0)?.into_iter().zip(column(1)?).map(|(a, b)| [a, b]));
        }
        pairs.sort_unstable();
        Ok(Answer(pairs))
    }

    /// Checks the answer against the right one, pair by pair.
    pub fn check(&self, expected: &Answer) -> Result<(), Failure> {
        if self == expected {
            return Ok(());
        }
        let first = self
            .0
            .iter()
            .zip(&expected.0)
            .position(|(found, expected)| found != expected);
        let at = first.unwrap_or(self.0.len().min(expected.0.len()));
        Err(Failure::Answer(format!(
            "the cluster returned {} pairs, but {} touch; they differ first at position {at}: {:?} instead of {:?}",
            self.0.len(),
            expected.0.len(),
            self.0.get(at),
            expected.0.get(at)
        )))
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} pairs", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_answer_is_told() {
        let right = Answer(vec![[0, 1], [2, 3]]);
        assert!(right.check(&Answer(vec![[0, 1], [2, 3]])).is_ok());
        for wrong in [
            vec![[0, 1]],
            vec![],
            vec![[0, 1], [2, 3], [2, 3]],
            vec![[0, 1], [2, 4]],
            vec![[0, 1], [0, 1]],
        ] {
            let why = Answer(wrong).check(&right).unwrap_err();
            assert!(
                matches!(why, Failure::Answer(why) if why.contains("they differ first at position"))
            );
        }
    }
}
