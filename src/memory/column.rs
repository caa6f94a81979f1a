//! A column of a store.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

use crate::memory::pages;

/// A `Vec` of numbers whose memory starts at a different page offset than the store's other columns.
///
/// Allocators place all large blocks at the same page offset. The numbers of one shape would then map
/// to one set of the L1 cache, which holds eight lines, not thirteen. Packing OBBs without the gaps
/// is 30 % slower (notes: figures moved from the source).
#[derive(Clone, Debug)]
pub struct Column {
    /// The numbers, after a gap.
    numbers: Vec<f32>,
    gap: usize,
    /// Whether the column is large and has its gap.
    is_large: bool,
    /// Page offset from the first column, in steps.
    steps: usize,
}

/// Numbers per cache line. Large columns are aligned to one: loads of 16 lanes that cross lines slow a
/// sweep of spheres by up to 9 % (notes: figures moved from the source).
const LINE: usize = 64 / size_of::<f32>();
/// Offset between columns: 12 steps of five lines fall into 12 of the 64 sets.
const STEP: usize = 5 * LINE;
/// Columns of at least one page get a gap; smaller ones would be mostly gap.
const LARGE: usize = 4096 / size_of::<f32>();

impl Column {
    /// An empty column. The columns of a store differ in `steps`.
    pub const fn new(steps: usize) -> Self {
        Column {
            numbers: Vec::new(),
            gap: 0,
            is_large: false,
            steps,
        }
    }

    pub fn reserve(&mut self, additional: usize) {
        if self.try_reserve(additional).is_err() {
            // Aborts with the message of `Vec`.
            self.numbers.reserve(additional);
        }
    }

    /// Reserves memory; changes nothing if it runs out.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let len = self.len().saturating_add(additional);
        if self.is_large || len < LARGE {
            return pages::try_reserve(&mut self.numbers, additional);
        }
        let most = STEP * self.steps + LINE;
        let mut moved: Vec<f32> = Vec::new();
        pages::try_reserve(&mut moved, len.saturating_add(most))?;
        let past_a_line = moved.as_ptr().addr() / size_of::<f32>() % LINE;
        let gap = most - past_a_line;
        moved.resize(gap, 0.0);
        moved.extend_from_slice(&self.numbers);
        (self.numbers, self.gap, self.is_large) = (moved, gap, true);
        Ok(())
    }

    #[inline]
    pub fn push(&mut self, x: f32) {
        if self.numbers.len() == self.numbers.capacity() {
            self.reserve(1);
        }
        self.numbers.push(x);
    }

    #[inline]
    pub fn extend(&mut self, numbers: impl ExactSizeIterator<Item = f32>) {
        if self.numbers.capacity() - self.numbers.len() < numbers.len() {
            self.reserve(numbers.len());
        }
        self.numbers.extend(numbers);
    }

    pub fn swap_remove(&mut self, index: usize) -> f32 {
        self.numbers.swap_remove(self.gap + index)
    }

    pub fn truncate(&mut self, len: usize) {
        self.numbers.truncate(self.gap.saturating_add(len));
    }
}

impl Deref for Column {
    type Target = [f32];
    #[inline]
    fn deref(&self) -> &[f32] {
        // Never out of range. A panic here would cost a short call ten instructions per column.
        self.numbers.get(self.gap..).unwrap_or_default()
    }
}

impl DerefMut for Column {
    #[inline]
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.numbers[self.gap..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_with_gap_matches_vec() {
        for steps in 0..3 {
            let (mut column, mut expected) = (Column::new(steps), Vec::new());
            for i in 0..5000 {
                column.push(i as f32);
                expected.push(i as f32);
                if i % 7 == 0 {
                    assert_eq!(column.swap_remove(i / 2), expected.swap_remove(i / 2));
                    column.extend([0.5, 0.25].into_iter());
                    expected.extend([0.5, 0.25]);
                }
                if i == 2000 {
                    column.truncate(1000);
                    expected.truncate(1000);
                }
            }
            assert_eq!(*column, *expected);
            assert!((1..=LINE).contains(&(column.gap - STEP * steps)));
            assert_eq!(*column.clone(), *expected);
            column.truncate(usize::MAX);
            column.truncate(0);
            assert!(column.is_empty());
        }
    }

    #[test]
    fn small_columns_have_no_gap() {
        let mut column = Column::new(12);
        column.extend((0..1000).map(|x| x as f32));
        assert!(column.numbers.capacity() < LARGE + STEP && !column.is_large);
        column.extend((0..1000).map(|x| x as f32));
        assert_eq!(column.as_ptr().addr() % 64, 0);
    }
}
