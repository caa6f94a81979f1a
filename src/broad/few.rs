//! First and any hits among few shapes: a scan of the searching shapes against each of them, without a tree.
//!
//! A search takes as long as tens of pairs of a scan, in which shapes stand in columns and the other shape in a register.
//! Words of shapes whose bounds are apart from those of a target are skipped: shapes of one pose are close to each other.

use alloc::vec::Vec;

use crate::broad::row::{BoundedSide, Row};
use crate::broad::search::wanted::First;
use crate::driver::list::CheckedPairs;
use crate::driver::rows::PairShapes;
use crate::driver::run::{MAX_COLUMNS, Span};
use crate::driver::scan::ScanShapes;
use crate::driver::test::{AnySource, MOST_TARGETS, TestJob, TestTable};
use crate::driver::threads::{Divide, Workers};
use crate::lane::{Float, Job, Lanes, MAX_LANES, Mask, Rows, Simd, WORD};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::groups::PairFilter;
use crate::store::columns::AnyColumns;

/// Number of searching shapes that are scanned before the next target, so that they stay in the L1 cache.
const BLOCK: usize = 1024;
/// Number of tested pairs that are worth another thread.
const GRAIN: usize = 1 << 18;
/// Number of shapes with common bounds, and of such groups in a word.
const GROUP: usize = 16;
const GROUPS_OF_WORD: usize = WORD / GROUP;
/// Number of bounds that are written at a time.
const BOUNDS: usize = 256;
/// Number of blocks that are scanned without bounds after a block in which few words were skipped.
const UNBOUNDED: usize = 15;

/// A scan of a store against each of few shapes.
pub struct FewTargets<'s> {
    pub table: &'static TestTable,
    /// In kernel order.
    pub stores: [&'s AnyColumns<'s>; 2],
    /// Whether the searching shapes are the second store of the kernel.
    pub swapped: bool,
    pub filter: Option<PairFilter<'s>>,
    pub margin: f32,
    /// `None` if all words are tested.
    pub bounds: Option<FewBounds<'s>>,
    /// The bodies of the searching shapes, if one hit of a body will do.
    pub bodies: Option<&'s [u32]>,
}

/// Bounds of the shapes of a scan.
pub struct FewBounds<'s> {
    pub searching: BoundedSide<'s>,
    /// The bounds of the targets, by their indices.
    pub targets: &'s [Row],
    /// Maximum gap between the bounds of a hit.
    pub threshold: f32,
}

/// Memory of scans.
#[derive(Debug, Default)]
pub struct FewScratch {
    /// The valid targets.
    pub targets: Vec<u32>,
    /// The bounds of all targets.
    pub rows: Vec<Row>,
    /// The first hits.
    pub firsts: Vec<First>,
    /// Hits and invalid shapes, if not the output itself.
    pub masks: Overlaps,
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
        let mut unbounded = 0;
        let mut times = [[0.0; BLOCK + WORD]; MAX_COLUMNS];
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
            let bounds = block.scan.bounds.as_ref().filter(|_| unbounded == 0);
            let is_spread = block.scan(simd, bounds, &mut times);
            unbounded = match is_spread {
                true => UNBOUNDED,
                false => unbounded.saturating_sub(1),
            };
            match rest {
                Some(rest) => work = rest,
                None => return,
            }
        }
    }

    /// Scans a block against each target. Returns whether the bounds have skipped few words.
    fn scan(
        self,
        simd: Simd,
        bounds: Option<&FewBounds<'_>>,
        times: &mut [[f32; BLOCK + WORD]; MAX_COLUMNS],
    ) -> bool {
        let FewTargets {
            table,
            stores: [a, b],
            swapped,
            filter,
            margin,
            bodies,
            ..
        } = self.scan;
        let FewHits {
            hits,
            invalid,
            mut firsts,
        } = self.out;
        let (ops, one, many, scanned) = if *swapped {
            (table.forms.a, a, b, table.forms.b)
        } else {
            (table.forms.b, b, a, table.forms.a)
        };
        hits.fill(0);
        let all: u32 = (1 << hits.len()) - 1;
        let mut near = [all; MOST_TARGETS];
        let mut are_valid = many
            .cache()
            .is_some_and(|cache| cache.are_valid(scanned.motion));
        if let Some(bounds) = bounds {
            let groups = Groups::of(simd, bounds, self.first, self.len, invalid);
            simd.run(FindNear {
                groups: &groups,
                bounds,
                targets: self.targets,
                words: hits.len(),
                near: &mut near[..self.targets.len()],
            });
            are_valid |= invalid.iter().all(|&word| word == 0);
        }
        let near = &near[..self.targets.len()];
        let tested: u32 = near.iter().map(|words| words.count_ones()).sum();
        let is_spread = bounds.is_some() && tested as usize * 8 > near.len() * hits.len() * 7;

        let mut found = [0; WORDS];
        // The shapes and the words that need no further target.
        let (mut done, mut open) = ([0; WORDS], all);
        if !self.len.is_multiple_of(WORD) {
            done[self.len / WORD] = u64::MAX << (self.len % WORD);
        }
        for (&target, &near) in self.targets.iter().zip(near) {
            let mut words = near & open;
            if words == 0 {
                continue;
            }
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
            let source = AnySource::Scan(shapes, stored, are_valid);
            let mut has_hits = false;
            while words != 0 {
                let mut from = words.trailing_zeros() as usize;
                let to = from + (words >> from).trailing_ones() as usize;
                words &= u32::MAX.checked_shl(to as u32).unwrap_or(0);
                // A scan takes whole words.
                if self.len - from * WORD < WORD {
                    from -= 1;
                }
                let first = from * WORD;
                let len = self.len.min(to * WORD) - first;
                let columns = if table.forms.columns == 0 { 0 } else { len };
                let span = Span {
                    margin: *margin,
                    first: self.first + first,
                    len,
                    hits: &mut found[from..to],
                    invalid: &mut invalid[from..to],
                    columns: times.each_mut().map(|column| &mut column[..columns]),
                };
                let job = TestJob {
                    source: &source,
                    span,
                };
                (table.test)(simd, job);
                for word in from..to {
                    // One hit of a shape will do, unless the first is wanted.
                    let mut left = found[word] & !done[word];
                    while left != 0 {
                        let bit = left.trailing_zeros() as usize;
                        left &= left - 1;
                        let place = word * WORD + bit;
                        let index = self.first + place;
                        if filter.is_some_and(|filter| !filter.admits(index as u32, target)) {
                            continue;
                        }
                        hits[word] |= 1 << bit;
                        if let Some(firsts) = &mut firsts {
                            let [enter, exit] = times.each_ref().map(|times| times[place - first]);
                            firsts[place].meet(target, enter, exit);
                            continue;
                        }
                        has_hits = true;
                        match bodies {
                            None => done[word] |= 1 << bit,
                            Some(bodies) => {
                                end_body(&mut done, &bodies[self.first..][..self.len], place);
                                left &= !done[word];
                            }
                        }
                    }
                }
            }
            if has_hits {
                let is_open = |word: &usize| done[*word] != u64::MAX;
                open = (0..hits.len()).filter(is_open).map(|word| 1 << word).sum();
                if open == 0 {
                    break;
                }
            }
        }
        is_spread
    }
}

/// Marks the shapes of a body that are next to one of its shapes.
fn end_body(done: &mut [u64; WORDS], bodies: &[u32], place: usize) {
    let body = bodies[place];
    let is_other = |other: &u32| *other != body;
    let low = bodies[..place]
        .iter()
        .rposition(is_other)
        .map_or(0, |at| at + 1);
    let high = bodies[place..]
        .iter()
        .position(is_other)
        .map_or(bodies.len(), |at| place + at);
    for place in low..high {
        done[place / WORD] |= 1 << (place % WORD);
    }
}

/// The bounds of the groups of a block: the lowest corners and the negated highest corners, each coordinate in a column for
/// the first groups of all words, one for the second groups, and so on. +∞ for a group without a valid shape.
struct Groups([[[f32; WORDS_IN_LANES]; GROUPS_OF_WORD]; 6]);

impl Groups {
    /// Encloses the shapes from `first` on, and finds which are invalid.
    fn of(
        simd: Simd,
        bounds: &FewBounds<'_>,
        first: usize,
        len: usize,
        invalid: &mut [u64],
    ) -> Self {
        let mut groups = Groups([[[f32::INFINITY; WORDS_IN_LANES]; GROUPS_OF_WORD]; 6]);
        let mut columns = [[f32::NAN; BOUNDS]; 6];
        invalid.fill(0);
        for at in (0..len).step_by(BOUNDS) {
            let count = BOUNDS.min(len - at);
            let to = columns.each_mut().map(|column| {
                let (column, rest) = column.split_at_mut(count);
                rest.fill(f32::NAN);
                column
            });
            let centers = bounds.searching.write_columns(simd, first + at, to);
            if centers.invalid > 0 {
                for (place, x) in (at..).zip(&columns[0][..count]) {
                    invalid[place / WORD] |= u64::from(x.is_nan()) << (place % WORD);
                }
            }
            simd.run(Enclose {
                columns: &columns,
                groups: &mut groups,
                word: at / WORD,
            });
        }
        groups
    }
}

/// Encloses each group of some shapes.
struct Enclose<'f> {
    /// The bounds of the shapes.
    columns: &'f [[f32; BOUNDS]; 6],
    groups: &'f mut Groups,
    /// The first word.
    word: usize,
}

/// Numbers of some groups.
#[derive(Clone, Copy)]
struct GroupNumbers<'f>(&'f [[f32; GROUP]], usize);

impl Rows<[f32; GROUP]> for GroupNumbers<'_> {
    #[inline(always)]
    fn row(&self, lane: usize) -> &[f32; GROUP] {
        &self.0[self.1 + lane]
    }
}

impl Job for Enclose<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for (k, (column, to)) in self.columns.iter().zip(&mut self.groups.0).enumerate() {
            let (numbers, _) = column.as_chunks::<GROUP>();
            let mut group = 0;
            while group < BOUNDS / GROUP {
                let numbers = lanes.gather(GroupNumbers(numbers, group));
                let mut least = lanes.splat(f32::INFINITY);
                // A minimum of NaN and another number is the other number.
                if k < 3 {
                    for x in numbers {
                        least = x.min(least);
                    }
                } else {
                    for x in numbers {
                        least = (-x).min(least);
                    }
                }
                let mut all = [0.0; MAX_LANES];
                lanes.store(least, &mut all);
                for &x in &all[..L::COUNT] {
                    to[group % GROUPS_OF_WORD][self.word + group / GROUPS_OF_WORD] = x;
                    group += 1;
                }
            }
        }
    }
}

/// Finds the words with a group near each target.
struct FindNear<'f, 's> {
    groups: &'f Groups,
    bounds: &'f FewBounds<'s>,
    targets: &'f [u32],
    words: usize,
    near: &'f mut [u32],
}

impl Job for FindNear<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let threshold = lanes.splat(self.bounds.threshold);
        for (&target, words) in self.targets.iter().zip(self.near) {
            let [ax, ay, az, _, bx, by, bz, _] = self.bounds.targets[target as usize];
            let target = [bx, by, bz, ax, ay, az].map(|x| lanes.splat(x));
            let (mut near, mut at) = (0, 0);
            while at < self.words {
                let mut least = lanes.splat(f32::INFINITY);
                let mut group = 0;
                while group < GROUPS_OF_WORD {
                    let mut gap = lanes.splat(f32::NEG_INFINITY);
                    let mut k = 0;
                    while k < 6 {
                        let end = lanes.load(&self.groups.0[k][group][at..]);
                        gap = gap.max(end + target[k]);
                        k += 1;
                    }
                    least = least.min(gap);
                    group += 1;
                }
                near |= (least.le(threshold).bits() as u32) << at;
                at += L::COUNT;
            }
            *words &= near;
        }
    }
}

/// Words of a block.
const WORDS: usize = (BLOCK + WORD) / WORD;
/// Words of a block, in whole vectors.
const WORDS_IN_LANES: usize = WORDS.next_multiple_of(MAX_LANES);
