//! Boxes around words of shapes, as a store keeps them.

use super::BoundingBox;
use crate::lane::{Lanes, MAX_LANES, Vec3};

/// Fewer words are tested in less time than it takes to leave them out.
pub const FEWEST_WORDS: usize = 4;

/// Boxes around some words of shapes.
#[derive(Clone, Copy)]
pub struct WordBoxes {
    low: [[f32; Self::COUNT]; 3],
    high: [[f32; Self::COUNT]; 3],
}

impl WordBoxes {
    /// How many words.
    pub const COUNT: usize = MAX_LANES;

    /// Those of as many words as there are lanes, from `at` on.
    #[inline(always)]
    pub fn load<L: Lanes>(&self, lanes: L, at: usize) -> BoundingBox<L::F> {
        let [ax, ay, az] = &self.low;
        let [bx, by, bz] = &self.high;
        BoundingBox {
            low: Vec3([
                lanes.load(&ax[at..]),
                lanes.load(&ay[at..]),
                lanes.load(&az[at..]),
            ]),
            high: Vec3([
                lanes.load(&bx[at..]),
                lanes.load(&by[at..]),
                lanes.load(&bz[at..]),
            ]),
        }
    }

    /// That of one word.
    pub fn set(&mut self, at: usize, BoundingBox { low, high }: BoundingBox<f32>) {
        for (to, x) in self.low.iter_mut().zip(low.0) {
            to[at] = x;
        }
        for (to, x) in self.high.iter_mut().zip(high.0) {
            to[at] = x;
        }
    }
}

impl Default for WordBoxes {
    /// Around all there is.
    fn default() -> Self {
        WordBoxes {
            low: [[f32::NEG_INFINITY; Self::COUNT]; 3],
            high: [[f32::INFINITY; Self::COUNT]; 3],
        }
    }
}

/// The boxes around all words of a store, if they are known. A call that only reads the store finds them.
#[cfg(feature = "std")]
mod kept {
    use alloc::vec::Vec;
    use core::mem;
    use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

    use super::{FEWEST_WORDS, WordBoxes};
    use crate::hits::WORD;

    #[derive(Default)]
    pub struct Boxes {
        known: OnceLock<Vec<WordBoxes>>,
        /// Memory to find them in, which the store has before.
        spare: Mutex<Vec<WordBoxes>>,
    }

    impl Boxes {
        pub fn known(&self) -> Option<&[WordBoxes]> {
            self.known.get().map(Vec::as_slice)
        }

        /// Has those around so many shapes found, unless they are known. While one thread does, others go
        /// without.
        pub fn find(&self, shapes: usize, find: impl FnOnce(&mut [WordBoxes])) {
            if self.known.get().is_some() {
                return;
            }
            let mut boxes = mem::take(&mut *self.lock());
            let blocks = blocks(shapes);
            if blocks > 0 && blocks <= boxes.capacity() {
                boxes.resize(blocks, WordBoxes::default());
                find(&mut boxes);
                let _ = self.known.set(boxes);
            }
        }

        #[inline]
        pub fn forget(&mut self) {
            if let Some(boxes) = self.known.take() {
                *self.spare() = boxes;
            }
        }

        /// Takes memory for those around so many shapes.
        #[inline]
        pub fn reserve(&mut self, shapes: usize) {
            let boxes = match self.known.get_mut() {
                Some(boxes) => boxes,
                None => self.spare(),
            };
            let blocks = blocks(shapes);
            if boxes.capacity() < blocks {
                boxes.reserve(blocks - boxes.len());
                // Where a lock takes memory at first use, it has it now.
                drop(self.lock());
            }
        }

        fn lock(&self) -> MutexGuard<'_, Vec<WordBoxes>> {
            self.spare.lock().unwrap_or_else(PoisonError::into_inner)
        }

        #[inline]
        fn spare(&mut self) -> &mut Vec<WordBoxes> {
            self.spare.get_mut().unwrap_or_else(PoisonError::into_inner)
        }
    }

    /// How many blocks have the boxes of so many shapes.
    fn blocks(shapes: usize) -> usize {
        let words = shapes.div_ceil(WORD);
        if words < FEWEST_WORDS {
            0
        } else {
            words.div_ceil(WordBoxes::COUNT)
        }
    }

    impl Clone for Boxes {
        /// Without memory to find them in.
        fn clone(&self) -> Self {
            Boxes {
                known: self.known.clone(),
                spare: Mutex::default(),
            }
        }
    }
}

/// Without locks none are found.
#[cfg(not(feature = "std"))]
mod kept {
    use super::WordBoxes;

    #[derive(Clone, Default)]
    pub struct Boxes;

    impl Boxes {
        pub fn known(&self) -> Option<&[WordBoxes]> {
            None
        }
        pub fn find(&self, _shapes: usize, _find: impl FnOnce(&mut [WordBoxes])) {}
        pub fn forget(&mut self) {}
        pub fn reserve(&mut self, _shapes: usize) {}
    }
}

pub use kept::Boxes;
