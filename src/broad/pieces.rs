//! A list that threads fill in pieces, each from the front of its own piece.

use alloc::vec::Vec;

/// Start and filled length of each piece of a list.
pub struct FilledPieces {
    one: (usize, usize),
    others: Vec<(usize, usize)>,
}

impl FilledPieces {
    /// One piece that begins at `first`, with `count` elements.
    pub fn one(first: usize, count: usize) -> Self {
        let (one, others) = ((first, count), Vec::new());
        FilledPieces { one, others }
    }

    /// Adds other pieces of the same list.
    pub fn and(mut self, mut other: Self) -> Self {
        self.others.push(other.one);
        self.others.append(&mut other.others);
        self
    }

    /// Closes the gaps between pieces. Returns the number of elements.
    pub fn close<T: Copy>(mut self, list: &mut [T]) -> usize {
        if self.others.is_empty() {
            return self.one.1;
        }
        self.others.push(self.one);
        self.others.sort_unstable();
        let mut end = 0;
        for (start, count) in self.others {
            if start > end {
                list.copy_within(start..start + count, end);
            }
            end += count;
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_moves_pieces_together_in_order() {
        let mut list = [1, 2, 0, 3, 0, 0, 4, 5];
        let pieces =
            FilledPieces::one(3, 1).and(FilledPieces::one(6, 2).and(FilledPieces::one(4, 0)));
        assert_eq!(pieces.and(FilledPieces::one(0, 2)).close(&mut list), 5);
        assert_eq!(list[..5], [1, 2, 3, 4, 5]);
        assert_eq!(FilledPieces::one(0, 3).close(&mut list), 3);
    }
}
