//! Stores of a search, and the pairs that it finds: code shared by first hits and nearest shapes.

use alloc::vec::Vec;

use crate::broad::candidates::{Among, Candidates, Searching, displacement, refuse};
use crate::broad::few::FewBounds;
use crate::broad::row::{Admitted, BoundedSide, Row};
use crate::broad::search::wanted::{First, Wanted};
use crate::driver::list::CheckedPairs;
use crate::driver::rows::{PackedPairs, PairShapes};
use crate::driver::settings::Settings;
use crate::driver::test::TestTable;
use crate::driver::threads::Workers;
use crate::error::{Error, InvalidShapes};
use crate::lane::{Simd, WORD};
use crate::math::dvec::DVec3;
use crate::pairs::Pair;
use crate::shapes::bounds::bounds_margin;
use crate::shapes::groups::{Filters, PairFilter};
use crate::shapes::raw_columns::{BoundsOps, Motion};
use crate::store::columns::AnyColumns;

/// Number of targets up to which each pair of a search is tested, and of searching shapes.
const PAIRED: usize = 8;
const PAIRED_WITH: usize = WORD;

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
    /// Creates the stores from kernel order. `None` if the first store has unbounded shapes, which
    /// the trait bounds of the public methods exclude.
    pub fn new(
        [mut a, mut b]: [&'s AnyColumns<'s>; 2],
        swapped: bool,
        filters: [Filters<'s>; 2],
        motion: Motion,
    ) -> Option<Self> {
        if swapped {
            (a, b) = (b, a);
        }
        Some(SearchedStores {
            a,
            b,
            bounds_a: a.kind.bounds?,
            bounds_b: b.kind.bounds,
            filters,
            motion,
        })
    }

    /// Whether one store is searched for its own shapes.
    fn is_own(&self) -> bool {
        self.a.same_as(self.b) && self.filters[0].same_as(&self.filters[1])
    }

    /// The pairs to consider; `None` for all.
    pub fn filter(&self) -> Option<PairFilter<'s>> {
        PairFilter::new(self.filters[0], self.filters[1])
    }

    /// Finds the valid targets. False if there are none, or a search is faster than a scan against each of them.
    pub fn are_few(&self, table: &TestTable, targets: &mut Vec<u32>) -> bool {
        let is_scanned = self.a.len() >= WORD && !self.a.have_strides() && !self.b.have_strides();
        if !is_scanned || self.is_own() || self.b.len() > table.few() {
            return false;
        }
        let is_valid = |i: &u32| self.b.defect(*i, self.motion).is_none();
        targets.clear();
        targets.extend((0..self.b.len() as u32).filter(is_valid));
        !targets.is_empty()
    }

    /// The bounds by which a scan of few targets skips shapes. `None` if targets are unbounded, or so few that bounds cost
    /// more than they save.
    pub fn few_bounds<'f>(
        &self,
        simd: Simd,
        table: &TestTable,
        targets: usize,
        margin: f32,
        rows: &'f mut Vec<Row>,
    ) -> Option<FewBounds<'f>>
    where
        's: 'f,
    {
        let bounds_b = self.bounds_b?;
        if !table.are_culled(targets) {
            return None;
        }
        let side_b = BoundedSide::new(self.b, bounds_b, self.motion);
        rows.clear();
        rows.resize(self.b.len(), [0.0; 8]);
        side_b.write(simd, 0, rows);
        Some(FewBounds {
            searching: BoundedSide::new(self.a, self.bounds_a, self.motion),
            targets: rows,
            threshold: bounds_margin(margin, bounds_b.growth.max(self.bounds_a.growth)),
        })
    }

    /// The bodies of the searching shapes.
    pub fn bodies(&self) -> &'s [u32] {
        self.filters[0].bodies
    }

    /// Number of pairs that the search is expected to test, given the number for each shape.
    pub fn expected(&self, for_each: usize) -> usize {
        let for_each = self.bounds_b.map_or(self.b.len(), |_| for_each);
        self.a.len().saturating_mul(for_each)
    }

    /// Returns, if the detector is strict, an error that names the first invalid shape.
    pub fn refuse(&self, settings: Settings, invalid: InvalidShapes) -> Result<(), Error> {
        refuse(settings, [self.a, self.b], self.motion, invalid)
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
            motion,
            ..
        } = self;
        let growth = bounds_b.map_or(bounds_a.growth, |b| b.growth.max(bounds_a.growth));
        let side_b = bounds_b.map(|bounds| BoundedSide::new(b, bounds, motion));
        let among = match &side_b {
            None => Among::Unbounded(b.len() as u32),
            Some(_) if self.is_own() => Among::Own,
            // Each of few pairs is tested sooner than a tree is built and searched.
            Some(_) if b.len() <= PAIRED && a.len() <= PAIRED_WITH => {
                Among::Unbounded(b.len() as u32)
            }
            Some(side) => Among::Bounded(side),
        };
        let searching = Searching {
            bounds: &BoundedSide::new(a, bounds_a, motion),
            starts: &BoundedSide::new(a, bounds_a, Motion::None),
            displacement: &displacement(a, motion),
        };
        let admitted = Admitted {
            filter: self.filter(),
            threshold: bounds_margin(margin, growth),
        };
        let workers = workers.of_at_most(8);
        let mut invalid =
            candidates.search(workers, searching, among, admitted, wanted, earlier)?;
        if let Among::Unbounded(_) = among {
            // No tree counted them.
            let is_invalid = |&i: &u32| b.defect(i, motion).is_some();
            invalid.b = (0..b.len() as u32).filter(is_invalid).count();
        }
        Ok(invalid)
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
    /// The displacement of the first shape of a pair, less that of the second.
    pub fn relative_motion(&self, pair: Pair) -> DVec3 {
        let [mut a, mut b] = self.stores;
        if self.swapped {
            (a, b) = (b, a);
        }
        let motion = |columns: &AnyColumns<'_>, i: u32| DVec3::of(columns.displacement(i as usize));
        motion(a, pair.a) - motion(b, pair.b)
    }

    /// The shapes of `pairs`.
    pub fn shapes<'p>(&'p self, pairs: &'p [Pair]) -> PairShapes<'p> {
        let alone = Workers::new(self.simd, false);
        let mut lens = self.stores.map(|columns| columns.len());
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
