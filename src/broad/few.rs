//! First and any hits among few shapes: a scan of the searching shapes against each of them, without a tree.
//!
//! A search takes as long as tens of pairs of a scan, in which shapes stand in columns and the other shape in a register.

use alloc::vec::Vec;

use crate::broad::search::First;
use crate::driver::list::CheckedPairs;
use crate::driver::rows::PairShapes;
use crate::driver::run::{MAX_COLUMNS, Span};
use crate::driver::scan::ScanShapes;
use crate::driver::test::{AnySource, TestJob, TestTable};
use crate::driver::threads::{Divide, Workers};
use crate::lane::{Simd, WORD};
use crate::shapes::groups::PairFilter;
use crate::store::columns::AnyColumns;

/// Number of searching shapes that are scanned before the next target, so that they stay in the L1 cache.
const BLOCK: usize = 1024;
/// Number of tested pairs that are worth another thread.
const GRAIN: usize = 1 << 18;

/// A scan of a store against each of few shapes.
pub struct FewTargets<'s> {
    pub table: &'static TestTable,
    /// In kernel order.
    pub stores: [&'s AnyColumns<'s>; 2],
    /// Whether the searching shapes are the second store of the kernel.
    pub swapped: bool,
    pub filter: Option<PairFilter<'s>>,
    pub margin: f32,
}

/// Memory of scans.
#[derive(Debug, Default)]
pub struct FewScratch {
    /// The valid targets.
    pub targets: Vec<u32>,
    /// The first hits.
    pub firsts: Vec<First>,
    /// Bits of hits and of invalid shapes.
    pub words: [Vec<u64>; 2],
}

/// Results of a scan.
pub struct FewHits<'o> {
    /// One bit for each shape.
    pub hits: &'o mut [u64],
    pub invalid: &'o mut [u64],
    /// The first hits so far, which begin with what is known; `None` if any hit will do.
    pub firsts: Option<&'o mut [First]>,
}

impl FewTargets<'_> {
    /// Scans all shapes against these targets, which are valid and in order.
    pub fn find(&self, workers: Workers<'_>, targets: &[u32], out: FewHits<'_>) {
        let [a, b] = self.stores;
        let work = FewWork {
            scan: self,
            targets,
            first: 0,
            len: if self.swapped { b.len() } else { a.len() },
            out,
        };
        let grain = (GRAIN / targets.len().max(1)).next_multiple_of(BLOCK);
        workers.divide(work, grain, FewWork::run);
    }
}

/// A range of searching shapes.
struct FewWork<'w> {
    scan: &'w FewTargets<'w>,
    targets: &'w [u32],
    first: usize,
    len: usize,
    out: FewHits<'w>,
}

impl Divide for FewWork<'_> {
    fn len(&self) -> usize {
        self.len
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let FewHits {
            hits,
            invalid,
            firsts,
        } = self.out;
        let (hits, hits_high) = hits.split_at_mut(middle / WORD);
        let (invalid, invalid_high) = invalid.split_at_mut(middle / WORD);
        let (firsts, firsts_high) = firsts.map(|firsts| firsts.split_at_mut(middle)).unzip();
        let low = FewWork {
            len: middle,
            out: FewHits {
                hits,
                invalid,
                firsts,
            },
            ..self
        };
        let high = FewWork {
            first: self.first + middle,
            len: self.len - middle,
            out: FewHits {
                hits: hits_high,
                invalid: invalid_high,
                firsts: firsts_high,
            },
            ..self
        };
        (low, high)
    }
}

impl FewWork<'_> {
    fn run(simd: Simd, mut work: Self) {
        while work.len > 0 {
            // A scan takes whole words.
            let len = if work.len < BLOCK + WORD {
                work.len
            } else {
                BLOCK
            };
            let (block, rest) = if len < work.len {
                let (block, rest) = work.split_at(len);
                (block, Some(rest))
            } else {
                (work, None)
            };
            block.scan(simd);
            match rest {
                Some(rest) => work = rest,
                None => return,
            }
        }
    }

    /// Scans a block against each target.
    fn scan(self, simd: Simd) {
        let FewTargets {
            table,
            stores: [a, b],
            swapped,
            filter,
            margin,
        } = self.scan;
        let FewHits {
            hits,
            invalid,
            mut firsts,
        } = self.out;
        let (ops, one, many) = if *swapped {
            (table.forms.a, a, b)
        } else {
            (table.forms.b, b, a)
        };
        hits.fill(0);
        let mut found = [0; WORDS];
        let mut times = [[0.0; BLOCK + WORD]; MAX_COLUMNS];
        let columns = if table.forms.columns == 0 {
            0
        } else {
            self.len
        };
        for &target in self.targets {
            let row = (ops.broadcast)(one, target as usize);
            let shapes = if *swapped {
                ScanShapes::OneA(&row, many)
            } else {
                ScanShapes::OneB(many, &row)
            };
            let stored = PairShapes {
                // The target is the first of each pair.
                list: CheckedPairs::by_rule(Some(target), [one.len(), many.len()], !*swapped),
                columns: [a, b],
                rows: None,
            };
            let source = AnySource::Scan(shapes, stored);
            let span = Span {
                margin: *margin,
                first: self.first,
                len: self.len,
                hits: &mut found[..hits.len()],
                invalid,
                columns: times.each_mut().map(|column| &mut column[..columns]),
            };
            let job = TestJob {
                source: &source,
                span,
            };
            (table.test)(simd, job);
            let mut open = 0;
            for (word, (all, &found)) in hits.iter_mut().zip(&found).enumerate() {
                // One hit of a shape will do, unless the first is wanted.
                let mut left = if firsts.is_some() {
                    found
                } else {
                    found & !*all
                };
                while left != 0 {
                    let bit = left.trailing_zeros() as usize;
                    left &= left - 1;
                    let place = word * WORD + bit;
                    let index = (self.first + place) as u32;
                    if filter.is_some_and(|filter| !filter.admits(index, target)) {
                        continue;
                    }
                    *all |= 1 << bit;
                    if let Some(firsts) = &mut firsts {
                        firsts[place].meet(target, times[0][place], times[1][place]);
                    }
                }
                open += all.count_zeros() as usize;
            }
            if open + self.len == hits.len() * WORD && firsts.is_none() {
                break;
            }
        }
    }
}

/// Words of a block.
const WORDS: usize = (BLOCK + WORD) / WORD;
