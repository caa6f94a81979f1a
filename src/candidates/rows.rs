//! The bounds of one side of a call, as rows in the order of the store.

use super::{BoundsSource, Row, Scratch, keys, tree};
use crate::lane::{Float, Job, Lanes, Mask, Simd, Split, split};
use crate::pages::Lines;
use crate::shapes::{Centers, Tree};
use crate::threads::Workers;

/// The rows of a store, and larger ones that were around them once.
#[derive(Debug, Default)]
pub struct SideBounds {
    rows: Lines,
    grown: Lines,
    len: usize,
    centers: Option<Centers>,
    /// The [serial number](Tree::serial) of the tree that the store at rest keeps, if the rows are of it.
    serial: u64,
    /// The one when the rows were grown: they were not, if it was at rest.
    grown_serial: u64,
}

impl SideBounds {
    /// Takes no row for one of any store.
    pub fn forget(&mut self) {
        (self.len, self.serial, self.grown_serial) = (0, 0, 0);
    }

    /// Makes the rows those of the shapes now. Returns the tree that they keep if they are at rest.
    pub fn update<'b>(
        &mut self,
        workers: Workers,
        boxes: &'b dyn BoundsSource,
        scratch: &mut Scratch,
    ) -> Option<&'b Tree> {
        let Some(kept) = boxes.kept() else {
            self.write(workers, boxes);
            return None;
        };
        if let Some(tree) = kept.get() {
            if self.serial != tree.serial() {
                self.write(workers, boxes);
                self.serial = tree.serial();
            }
            return Some(tree);
        }
        self.write(workers, boxes);
        if !kept.is_due(0, boxes.len()) {
            kept.charge(boxes.len());
            return None;
        }
        let tree = kept.build(|tree| {
            self.build(workers, false, scratch, tree);
            tree.renew_serial();
        })?;
        // Made by another call from the same shapes, or by this one.
        self.serial = tree.serial();
        Some(tree)
    }

    fn write(&mut self, workers: Workers, boxes: &dyn BoundsSource) {
        self.len = boxes.len();
        self.serial = 0;
        let rows = with_spare(&mut self.rows, self.len);
        let write = WriteRows {
            boxes,
            simd: workers.simd,
            first: 0,
            rows: &mut rows[..self.len],
        };
        self.centers = Some(workers.execute(write));
    }

    /// Number of invalid shapes.
    pub fn invalid(&self) -> usize {
        self.centers.map_or(0, |centers| centers.invalid)
    }

    /// The rows, and more that touch nothing.
    pub fn rows(&self) -> &[Row] {
        self.rows.rows(padded(self.len))
    }

    /// Writes rows that are larger by `skin` on each side, unless the shapes are at rest.
    pub fn grow(&mut self, workers: Workers, skin: f32, at_rest: bool) {
        self.grown_serial = 0;
        if at_rest {
            self.grown_serial = self.serial;
            return;
        }
        let grown = with_spare(&mut self.grown, self.len);
        workers.execute(Grow {
            rows: self.rows.rows(self.len),
            grown: &mut grown[..self.len],
            skin,
        });
    }

    /// Whether the rows lie within those that were grown, or are still the same.
    pub fn is_within(&self, workers: Workers) -> bool {
        if self.grown_serial != 0 {
            return self.grown_serial == self.serial;
        }
        let (rows, grown) = (self.rows.rows(self.len), self.grown.rows(self.len));
        workers.execute(AreWithin { rows, grown })
    }

    /// The size of a usual shape: the median among a few, 0 of none.
    pub fn usual_size(&self) -> f32 {
        const SAMPLES: usize = 33;
        let mut sizes = [0.0f32; SAMPLES];
        if self.len == 0 {
            return 0.0;
        }
        let rows = self.rows.rows::<Row>(self.len);
        for (k, size) in sizes.iter_mut().enumerate() {
            let row = &rows[k * (self.len - 1) / (SAMPLES - 1)];
            let extents = (-row[0] - row[4])
                .max(-row[1] - row[5])
                .max(-row[2] - row[6]);
            *size = if extents > 0.0 { extents } else { 0.0 };
        }
        sizes.sort_unstable_by(f32::total_cmp);
        sizes[SAMPLES / 2]
    }

    /// Builds the tree of the rows, or of the grown ones.
    pub fn build<'t>(
        &self,
        workers: Workers,
        grown: bool,
        scratch: &mut Scratch,
        tree: &'t mut Tree,
    ) -> &'t Tree {
        let Scratch { entries, parents } = scratch;
        let rows = if grown { &self.grown } else { &self.rows };
        let rows = rows.rows(padded(self.len));
        let centers = self.centers.unwrap_or(Centers::none());
        let entries = entries.sort(workers, rows, self.len, centers);
        tree::build(workers, rows, entries, parents, tree);
        tree
    }
}

/// How many rows there are with those that touch nothing: last groups and blocks that are short read them.
fn padded(len: usize) -> usize {
    (len + 1).next_multiple_of(keys::GROUP)
}

fn with_spare(lines: &mut Lines, len: usize) -> &mut [Row] {
    let rows = lines.rows_mut::<Row>(padded(len));
    rows[len..].fill([f32::INFINITY; 8]);
    rows
}

/// Writes rows in order.
struct WriteRows<'w> {
    boxes: &'w dyn BoundsSource,
    simd: Simd,
    first: usize,
    rows: &'w mut [Row],
}

impl Job for WriteRows<'_> {
    type Output = Centers;

    /// The shapes' own function has the lanes: compiled once for each kind.
    fn run<L: Lanes>(self, _lanes: L) -> Centers {
        self.boxes.write(self.simd, self.first, self.rows)
    }
}

impl Split for WriteRows<'_> {
    const GRAIN: usize = 1 << 14;

    split! { len: rows, boxes: shared, simd: shared, first: offset, rows: slice_mut }

    fn merge(one: Centers, other: Centers) -> Centers {
        one.union(other)
    }
}

/// Writes rows that are larger by a skin. Rounding makes none smaller.
struct Grow<'g> {
    rows: &'g [Row],
    grown: &'g mut [Row],
    skin: f32,
}

impl Job for Grow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let s = self.skin;
        let skin = [s, s, s, 0.0, s, s, s, 0.0];
        for (grown, row) in self.grown.iter_mut().zip(self.rows) {
            let mut at = 0;
            while at < 8 {
                let x = lanes.load(&row[at..]) - lanes.load(&skin[at..]);
                lanes.store(x, &mut grown[at..]);
                at += L::COUNT;
            }
        }
    }
}

impl Split for Grow<'_> {
    const GRAIN: usize = 1 << 15;

    split! { len: rows, rows: slice, grown: slice_mut, skin: shared }

    fn merge((): (), (): ()) {}
}

/// Finds out whether each row lies within another one.
struct AreWithin<'g> {
    rows: &'g [Row],
    grown: &'g [Row],
}

/// Rows that are looked at together.
const TOGETHER: usize = 64;

impl Job for AreWithin<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> bool {
        let pieces = self.rows.chunks(TOGETHER).zip(self.grown.chunks(TOGETHER));
        for (rows, grown) in pieces {
            let zero = lanes.splat(0.0);
            let mut within = zero.le(zero);
            for (row, grown) in rows.iter().zip(grown) {
                let mut at = 0;
                while at < 8 {
                    within = within & lanes.load(&grown[at..]).le(lanes.load(&row[at..]));
                    at += L::COUNT;
                }
            }
            if (!within).bits() != 0 {
                return false;
            }
        }
        true
    }
}

impl Split for AreWithin<'_> {
    const GRAIN: usize = 1 << 15;

    split! { len: rows, rows: slice, grown: slice }

    fn merge(one: bool, other: bool) -> bool {
        one & other
    }
}
