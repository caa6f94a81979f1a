//! Stores of a search, and the pairs that it finds: code shared by first hits and nearest shapes.

use crate::broad::candidates::{Admitted, Among, BoundedSide, Candidates, Searching, displacement};
use crate::broad::search::{First, Wanted};
use crate::driver::list::CheckedPairs;
use crate::driver::rows::{PackedPairs, PairShapes};
use crate::driver::threads::Workers;
use crate::error::{Error, InvalidShapes};
use crate::lane::Simd;
use crate::pairs::Pair;
use crate::shapes::bounds::{BoundsOps, bounds_margin};
use crate::shapes::form::Motion;
use crate::shapes::groups::{Filters, PairFilter};
use crate::store::columns::AnyColumns;

/// Both stores of a search, in the caller's order.
pub struct SearchedStores<'s> {
    pub a: &'s AnyColumns<'s>,
    pub b: &'s AnyColumns<'s>,
    bounds_a: &'static BoundsOps,
    bounds_b: Option<&'static BoundsOps>,
    filters: [Filters<'s>; 2],
    motion: Motion,
}

impl<'s> SearchedStores<'s> {
    /// Creates the stores from kernel order with their bounds. `None` if the first store has unbounded shapes, which
    /// the trait bounds of the public methods exclude.
    pub fn new(
        [mut a, mut b]: [&'s AnyColumns<'s>; 2],
        [mut bounds_a, mut bounds_b]: [Option<&'static BoundsOps>; 2],
        swapped: bool,
        filters: [Filters<'s>; 2],
        motion: Motion,
    ) -> Option<Self> {
        if swapped {
            (a, b, bounds_a, bounds_b) = (b, a, bounds_b, bounds_a);
        }
        Some(SearchedStores {
            a,
            b,
            bounds_a: bounds_a?,
            bounds_b,
            filters,
            motion,
        })
    }

    /// Number of pairs that the search is expected to test, given the number for each shape.
    pub fn expected(&self, for_each: usize) -> usize {
        let for_each = self.bounds_b.map_or(self.b.len(), |_| for_each);
        self.a.len().saturating_mul(for_each)
    }

    /// Searches the second store for each shape of the first.
    pub fn search(
        &self,
        candidates: &mut Candidates,
        workers: Workers<'_>,
        margin: f32,
        wanted: Wanted<'_>,
        earlier: &dyn Fn(u32) -> First,
    ) -> Result<InvalidShapes, Error> {
        let &SearchedStores {
            a,
            b,
            bounds_a,
            bounds_b,
            filters,
            motion,
        } = self;
        let growth = bounds_b.map_or(bounds_a.growth, |b| b.growth.max(bounds_a.growth));
        let side_b = bounds_b.map(|bounds| BoundedSide::new(b, bounds, motion));
        let among = match &side_b {
            None => Among::Unbounded(b.len() as u32),
            Some(_) if a.same_as(b) && filters[0].same_as(&filters[1]) => Among::Own,
            Some(side) => Among::Bounded(side),
        };
        let searching = Searching {
            bounds: &BoundedSide::new(a, bounds_a, motion),
            displacement: &displacement(a, motion),
        };
        let admitted = Admitted {
            filter: PairFilter::new(filters[0], filters[1]),
            threshold: bounds_margin(margin, growth),
        };
        let workers = workers.of_at_most(8);
        candidates.search(workers, searching, among, admitted, wanted, earlier)
    }
}

/// The source of the pairs that a search finds.
pub struct FoundPairs<'s> {
    /// In kernel order.
    pub stores: [&'s AnyColumns<'s>; 2],
    pub rows: Option<PackedPairs<'s>>,
    /// Whether the caller passed the stores reversed.
    pub swapped: bool,
    pub simd: Simd,
}

impl FoundPairs<'_> {
    /// The shapes of `pairs`.
    pub fn shapes<'p>(&'p self, pairs: &'p [Pair]) -> PairShapes<'p> {
        let alone = Workers::new(self.simd, false);
        let mut lens = self.stores.map(AnyColumns::len);
        if self.swapped {
            lens.reverse();
        }
        let Some(list) = CheckedPairs::new(alone, pairs, lens, self.swapped) else {
            unreachable!("a search finds shapes of its stores")
        };
        PairShapes {
            list,
            columns: self.stores,
            rows: self.rows,
        }
    }
}
