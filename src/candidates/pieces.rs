//! Lists that threads fill in pieces, each from the front of its own.

use alloc::vec::Vec;

/// Where the pieces of a list begin, and how much of each is filled.
pub struct FilledPieces {
    one: (usize, usize),
    others: Vec<(usize, usize)>,
}

impl FilledPieces {
    /// A piece that begins at `first`, and whose first `count` places are filled.
    pub fn one(first: usize, count: usize) -> Self {
        let (one, others) = ((first, count), Vec::new());
        FilledPieces { one, others }
    }

    /// These pieces, and others of the same list.
    pub fn and(mut self, mut other: Self) -> Self {
        self.others.push(other.one);
        self.others.append(&mut other.others);
        self
    }

    /// Closes the gaps between pieces. Returns how much is filled.
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
    fn gaps_are_closed_in_order() {
        let mut list = [1, 2, 0, 3, 0, 0, 4, 5];
        let pieces =
            FilledPieces::one(3, 1).and(FilledPieces::one(6, 2).and(FilledPieces::one(4, 0)));
        assert_eq!(pieces.and(FilledPieces::one(0, 2)).close(&mut list), 5);
        assert_eq!(list[..5], [1, 2, 3, 4, 5]);
        assert_eq!(FilledPieces::one(0, 3).close(&mut list), 3);
    }
}
