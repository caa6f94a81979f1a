//! Rows of bounds, their source, and the pairs that a search admits.

use crate::lane::Simd;
use crate::shapes::groups::PairFilter;
use crate::shapes::raw_columns::{BoundsOps, BoundsTo, Centers, Motion};
use crate::store::cache::FormCache;
use crate::store::columns::AnyColumns;

/// The bounds of a shape, in the layout of rows of `Aabb`: the lowest corner, a zero, the negated highest corner
/// and a zero. All numbers are +∞ if the shape is invalid.
pub type Row = [f32; 8];

/// The shapes on one side of the pairs.
pub struct BoundedSide<'s> {
    columns: &'s AnyColumns<'s>,
    bounds: &'static BoundsOps,
    motion: Motion,
}

impl<'s> BoundedSide<'s> {
    /// The bounds of shapes with this part of their motion.
    pub fn new(columns: &'s AnyColumns<'s>, bounds: &'static BoundsOps, motion: Motion) -> Self {
        // Where the bounds are equal, all kinds of queries share one tree.
        let motion = match motion {
            _ if columns.is_at_rest() => Motion::None,
            Motion::Straight if !columns.rotate() => Motion::Turning,
            motion => motion,
        };
        BoundedSide {
            columns,
            bounds,
            motion,
        }
    }

    /// Number of shapes.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Writes the bounds of the shapes from `first` on.
    pub fn write(&self, simd: Simd, first: usize, rows: &mut [Row]) -> Centers {
        (self.bounds.write)(self.columns, self.motion, simd, first, BoundsTo::Rows(rows))
    }

    /// Writes the bounds of the shapes from `first` on to columns.
    pub fn write_columns(&self, simd: Simd, first: usize, columns: [&mut [f32]; 6]) -> Centers {
        let to = BoundsTo::Columns(columns);
        (self.bounds.write)(self.columns, self.motion, simd, first, to)
    }

    /// The cache of the trees, if the shapes are in a store.
    pub fn kept(&self) -> Option<&FormCache> {
        let cache = self.columns.cache()?;
        Some(cache.form(self.motion))
    }

    /// The motion that the bounds hold.
    pub fn motion(&self) -> Motion {
        self.motion
    }
}

/// Pairs to list, and the tree that queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Unordered pairs of one store, the lower index first.
    SelfPairs,
    /// Pairs of the first store with the second; the first queries the second.
    CrossPairs,
    /// Pairs of the first store with the second; the second queries the first.
    CrossPairsSwapped,
}

/// Conditions on listed pairs.
#[derive(Clone, Copy)]
pub struct Admitted<'s> {
    /// Groups and bodies; `None` for all pairs.
    pub filter: Option<PairFilter<'s>>,
    /// Maximum gap between the bounds of a pair.
    pub threshold: f32,
}
