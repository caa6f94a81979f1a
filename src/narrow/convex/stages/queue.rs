//! Pairs that are searched together.

use crate::lane::{Lanes, MAX_LANES};
use crate::narrow::convex::batch::{Batch, BatchResult, Purpose};
use crate::narrow::convex::side::CoreKind;
use crate::narrow::convex::stages::read::{Kinds, PairOf};
use crate::store::columns::AnyColumns;

/// Pairs that are searched together, as many as lanes.
pub struct Queue<'c, 's> {
    pub kinds: Kinds,
    columns: [&'c AnyColumns<'s>; 2],
    pub batch: Batch<'s>,
    /// Indices in kernel order.
    indices: [[usize; MAX_LANES]; 2],
    pub places: [usize; MAX_LANES],
}

impl<'c, 's> Queue<'c, 's> {
    #[inline(always)]
    pub fn new(kinds: Kinds, columns: [&'c AnyColumns<'s>; 2], margin: f32) -> Self {
        Queue {
            kinds,
            columns,
            batch: Batch::new(margin),
            indices: [[0; MAX_LANES]; 2],
            places: [0; MAX_LANES],
        }
    }

    /// Adds a pair, and returns its lane; the queue is not full.
    #[inline(always)]
    pub fn push(&mut self, place: usize, [i, j]: [usize; 2]) -> usize {
        let lane = self.batch.len % MAX_LANES;
        (self.indices[0][lane], self.indices[1][lane]) = (i, j);
        self.places[lane] = place;
        self.batch.len = lane + 1;
        lane
    }

    #[inline(always)]
    pub fn pair(&self, lane: usize) -> PairOf<'c, 's> {
        PairOf {
            columns: self.columns,
            indices: [self.indices[0][lane], self.indices[1][lane]],
        }
    }

    /// Sets the shapes of the batch. No search reads hulls against surfaces.
    #[inline(always)]
    pub fn place(&mut self) {
        for side in [1, 0] {
            if self.batch.sides[1].kind == CoreKind::Surface {
                return;
            }
            let indices = &self.indices[side][..self.batch.len];
            let to = &mut self.batch.sides[side];
            self.kinds.place(side, self.columns[side], indices, to);
        }
    }

    /// Sets the shapes of the batch and searches it.
    #[inline(always)]
    pub fn search<L: Lanes>(&mut self, lanes: L, purpose: Purpose) -> [BatchResult; MAX_LANES] {
        self.place();
        self.batch.search(lanes, purpose)
    }
}
