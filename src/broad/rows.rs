//! The AABBs of one side of a call, as rows in the order of the store.

use alloc::vec::Vec;
use core::mem;

use crate::broad::keys::Entries;
use crate::broad::row::{BoundedSide, Row};
use crate::broad::{area, keys, tree};
use crate::driver::threads::Workers;
use crate::lane::{Float, Job, Lanes, Mask, Simd, Split, split};
use crate::memory::pages::Lines;
use crate::shapes::raw_columns::Centers;
use crate::store::cache::padded;
use crate::store::tree::Tree;

/// Names the shapes that cached data is of. A state takes a new stamp when it begins to serve other shapes, so data
/// with another stamp is stale, whatever its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp(u64);

impl Stamp {
    /// The stamp of no data.
    const NONE: Stamp = Stamp(0);

    /// A stamp that differs from all before it.
    pub fn next(&mut self) -> Self {
        self.0 += 1;
        *self
    }
}

/// The AABBs of a store, and the fat AABBs of an earlier call.
#[derive(Debug, Default)]
pub struct SideBounds {
    /// The shapes that this state serves: as many in every call, each at its index.
    stamp: Stamp,
    rows: Lines,
    grown: Lines,
    len: usize,
    centers: Option<Centers>,
    /// Number of invalid shapes.
    invalid: usize,
    /// The [serial number](Tree::serial) of the store's cached tree; 0 if it has none.
    rest: u64,
    /// The serial number of the tree that the rows match; 0 if they match the shapes of a store without a tree.
    serial: u64,
    /// The serial number when [`grow`](Self::grow) was called. Not 0 if the store was unchanged and needed no
    /// fat AABBs.
    grown_serial: u64,
    /// The skin of the fat AABBs.
    skin: f32,
    order: KeptOrder,
}

/// The order of an earlier tree. While its blocks have hardly grown, the order is still spatial, and the next tree
/// needs no keys.
#[derive(Debug, Default)]
struct KeptOrder {
    /// All shapes of `stamp`.
    order: Vec<u32>,
    /// The shapes of the order; [`Stamp::NONE`] if there is none, since the tree lacked invalid shapes.
    stamp: Stamp,
    /// The sum of the extents of its blocks at that time.
    extents: f32,
    /// Number of trees to build with new keys before the order is tried again, and after its next failure.
    wait: u32,
    backoff: u32,
}

/// Number of shapes, each at one level of a tree by area, that take as long as one search (notes: steady frames).
const PART: usize = 16;
/// Least of them in one call.
const LEAST: usize = 1 << 12;

/// Number of changed shapes up to which the pairs of each are added to a kept list.
const MOST_CHANGED: usize = 256;

/// Growth of the blocks up to which an order is kept.
const SPREAD: f32 = 1.2;
/// Maximum number of trees between two attempts.
const MAX_BACKOFF: u32 = 16;

impl KeptOrder {
    /// Keeps the order of a tree of all shapes of `stamp`.
    fn keep(&mut self, stamp: Stamp, tree: &Tree, extents: f32) {
        self.order.clear();
        self.order.extend(tree.shapes());
        self.stamp = stamp;
        self.extents = extents;
    }

    /// Drops the order, but not its memory.
    fn forget(&mut self) {
        self.stamp = Stamp::NONE;
    }

    /// Whether to try the order for these shapes, all of them valid.
    fn is_due(&mut self, stamp: Stamp) -> bool {
        let is_of = self.stamp == stamp && stamp != Stamp::NONE;
        let is_due = is_of && self.wait == 0;
        self.wait = self.wait.saturating_sub(1);
        is_due
    }

    /// Records whether the order was good.
    fn judge(&mut self, good: bool) {
        self.backoff = if good {
            1
        } else {
            (2 * self.backoff).clamp(1, MAX_BACKOFF)
        };
        self.wait = if good { 0 } else { self.backoff };
    }
}

impl SideBounds {
    /// Serves other shapes from now on: invalidates the rows, and by the new stamp the order.
    pub fn renew(&mut self, stamp: Stamp) {
        self.stamp = stamp;
        (self.len, self.rest, self.serial, self.grown_serial) = (0, 0, 0, 0);
    }

    /// Frees the rows of a store at rest until the next call that reads them. The fat AABBs stay.
    pub fn free(&mut self) {
        self.serial = 0;
        self.rows = Lines::default();
    }

    /// Begins a call: returns the cached tree of an unchanged store, or else writes the current rows.
    pub fn update<'b>(
        &mut self,
        workers: Workers,
        boxes: &'b BoundedSide<'b>,
        scratch: &mut TreeScratch,
    ) -> Option<&'b Tree> {
        self.rest = 0;
        let Some(kept) = boxes.kept() else {
            self.write(workers, boxes);
            return None;
        };
        if let Some(tree) = kept.tree_by_area.get().or_else(|| kept.tree.get()) {
            self.begin_rest(boxes, tree);
            return Some(tree);
        }
        self.write(workers, boxes);
        let slot = &kept.tree;
        if !slot.is_due(0, boxes.len()) {
            slot.charge(boxes.len());
            return None;
        }
        // Built from the same shapes, by this call or a concurrent one.
        let tree = slot.build(|tree| {
            self.build_anew(workers, false, scratch, tree);
            tree.renew_serial();
        })?;
        self.begin_rest(boxes, tree);
        self.serial = tree.serial();
        Some(tree)
    }

    /// Builds the better tree and the rows of a store that is to be at rest. Returns the bytes of either.
    pub fn prepare(
        &mut self,
        workers: Workers,
        boxes: &BoundedSide<'_>,
        scratch: &mut TreeScratch,
    ) -> [usize; 2] {
        let Some(kept) = boxes.kept() else {
            return [0; 2];
        };
        let bounds = kept.bounds.build(|lines| {
            write(workers, boxes, lines);
        });
        let tree = kept.tree_by_area.build(|tree| {
            self.write(workers, boxes);
            let order = self.sorted(workers, scratch).collect();
            self.build_by_area(workers, order, scratch, tree);
            tree.has_places(boxes.len());
            match kept.tree.get() {
                Some(first) => tree.set_serial(first.serial()),
                None => tree.renew_serial(),
            }
        });
        [tree.map_or(0, Tree::bytes), bounds.map_or(0, Lines::bytes)]
    }

    /// Builds the tree by area from another order.
    fn build_by_area(
        &self,
        workers: Workers,
        mut order: Vec<u32>,
        scratch: &mut TreeScratch,
        tree: &mut Tree,
    ) {
        let rows = self.rows();
        area::sort(workers, rows, &mut order);
        let order = order.into_iter();
        tree::build(
            workers,
            rows,
            order,
            &mut scratch.parents,
            tree,
            f32::INFINITY,
        );
    }

    fn begin_rest(&mut self, boxes: &BoundedSide<'_>, tree: &Tree) {
        self.len = boxes.len();
        self.invalid = self.len - tree.len();
        self.rest = tree.serial();
    }

    /// Writes the rows, unless they are current.
    pub fn fill(&mut self, workers: Workers, boxes: &BoundedSide<'_>) {
        if self.serial != self.rest {
            let rest = self.rest;
            self.write(workers, boxes);
            (self.rest, self.serial) = (rest, rest);
        }
    }

    /// The current rows: those that a store at rest keeps, or else those of this state.
    pub fn current<'r>(&'r mut self, workers: Workers, boxes: &'r BoundedSide<'r>) -> &'r [Row] {
        if self.rest != 0
            && let Some(kept) = boxes.kept()
        {
            let kept = kept.bounds.build(|lines| {
                write(workers, boxes, lines);
            });
            if let Some(lines) = kept {
                self.free();
                return lines.rows(padded(self.len));
            }
        }
        self.fill(workers, boxes);
        self.rows()
    }

    /// Returns the tree by area if it is cached. Otherwise adds this number of searches to the rent or, once that is reached, builds
    /// a part of the tree, which takes about as long as the searches.
    pub fn improve<'b>(
        &self,
        workers: Workers,
        boxes: &'b BoundedSide<'b>,
        tree: &'b Tree,
        queries: usize,
    ) -> &'b Tree {
        let Some(slot) = boxes.kept().map(|kept| &kept.tree_by_area) else {
            return tree;
        };
        let better = slot.get();
        if let Some(better) = better
            && !better.is_decayed()
        {
            return better;
        }
        if workers.build_step == 0 {
            return tree;
        }
        if !slot.is_due(0, self.len) {
            slot.charge(queries);
            return tree;
        }
        let budget = queries
            .saturating_mul(PART)
            .max(LEAST)
            .min(workers.build_step.max(area::READ));
        let simd = workers.simd.filled_by(1);
        let read = |index: u32, to: &mut [Row]| {
            boxes.write(simd, index as usize, to);
        };
        let finished = boxes.kept().and_then(|kept| {
            kept.half_tree.with(|half| {
                if half.is_done || !area::build_part(workers, tree, &read, half, budget) {
                    return None;
                }
                if better.is_some() {
                    // The next change of the store puts it in place of the other one.
                    half.is_done = true;
                    return None;
                }
                let mut done = mem::take(half);
                let changed = kept.changed_since(done.serial);
                let read_one = |i: usize, to: &mut Row| read(i as u32, core::slice::from_mut(to));
                let is_current = done.catch_up(changed, tree.serial(), boxes.len(), read_one);
                if !is_current {
                    slot.begin_rent();
                }
                is_current.then_some(done.tree)
            })
        });
        match finished.flatten() {
            Some(better) => slot.build(|to| *to = better).unwrap_or(tree),
            None => tree,
        }
    }

    fn write(&mut self, workers: Workers, boxes: &BoundedSide<'_>) {
        self.len = boxes.len();
        (self.rest, self.serial) = (0, 0);
        let rows = with_spare(&mut self.rows, self.len);
        let centers = write_rows(workers, boxes, rows);
        self.invalid = centers.invalid;
        self.centers = Some(centers);
    }

    /// Number of shapes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Number of invalid shapes.
    pub fn invalid(&self) -> usize {
        self.invalid
    }

    /// The rows, padded with rows that overlap nothing.
    pub fn rows(&self) -> &[Row] {
        self.rows.rows(padded(self.len))
    }

    /// Writes fat AABBs, larger by `skin` on each side, unless the store is at rest.
    pub fn grow(&mut self, workers: Workers, skin: f32) {
        (self.grown_serial, self.skin) = (self.rest, skin);
        if self.rest != 0 {
            return;
        }
        let grown = with_spare(&mut self.grown, self.len);
        workers.execute(Grow {
            rows: self.rows.rows(self.len),
            grown: &mut grown[..self.len],
            skin,
        });
    }

    /// Finds the shapes of a store at rest that changed since [`grow`](Self::grow) was called. False if there are too many, or
    /// that is not known; and if an AABB of a store that moves is not inside its fat AABB.
    pub fn is_within(
        &self,
        workers: Workers,
        boxes: &BoundedSide<'_>,
        changed: &mut Vec<u32>,
    ) -> bool {
        changed.clear();
        if self.grown_serial != 0 {
            if self.grown_serial == self.rest {
                return true;
            }
            let kept = boxes.kept().filter(|_| self.rest != 0);
            let journal = kept.and_then(|kept| kept.changed_since(self.grown_serial));
            let few = journal.filter(|journal| journal.len() <= MOST_CHANGED);
            // As many were added as were removed.
            let is_there = |index: &u32| (*index as usize) < self.len;
            let is_known = few
                .map(|journal| changed.extend(journal.filter(is_there)))
                .is_some();
            changed.sort_unstable();
            changed.dedup();
            return is_known;
        }
        if self.rest != 0 {
            return false;
        }
        let (rows, grown) = (self.rows.rows(self.len), self.grown.rows(self.len));
        workers.execute(AreWithin { rows, grown })
    }

    /// Takes a store at rest for unchanged since [`grow`](Self::grow), once its changes are in the list.
    pub fn renew_rest(&mut self) {
        if self.grown_serial != 0 {
            self.grown_serial = self.rest;
        }
    }

    /// The largest outward motion of the bounds of a sample of shapes since [`grow`](Self::grow) was called; 0 at rest.
    pub fn motion(&self) -> f32 {
        const SAMPLES: usize = 1024;
        if self.len == 0 || self.rest != 0 || self.grown_serial != 0 {
            return 0.0;
        }
        let (rows, grown) = (
            self.rows.rows::<Row>(self.len),
            self.grown.rows::<Row>(self.len),
        );
        let step = self.len.div_ceil(SAMPLES);
        let pairs = rows.iter().zip(grown).step_by(step);
        let sides =
            pairs.flat_map(|(row, grown)| [0, 1, 2, 4, 5, 6].map(|k: usize| grown[k] - row[k]));
        // Differences of invalid shapes are NaN.
        self.skin + sides.fold(-self.skin, f32::max)
    }

    /// The fat AABBs, if the store is not at rest.
    pub fn grown(&self) -> &[Row] {
        if self.grown_serial == 0 {
            self.grown.rows(self.len)
        } else {
            &[]
        }
    }

    /// Median size of a sample of shapes; 0 without shapes, and at rest.
    pub fn usual_size(&self) -> f32 {
        const SAMPLES: usize = 33;
        let mut sizes = [0.0f32; SAMPLES];
        if self.len == 0 || self.rest != 0 {
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

    /// Finds the order of the valid shapes along the curve of [`keys`], with the index of a shape in the low half of
    /// each entry.
    pub fn order<'e>(
        &mut self,
        workers: Workers,
        boxes: &BoundedSide<'_>,
        entries: &'e mut keys::Entries,
    ) -> &'e [keys::Entry] {
        self.write(workers, boxes);
        let centers = self.centers.unwrap_or(Centers::none());
        entries.sort(workers, self.rows(), self.len, centers)
    }

    /// The valid shapes along the curve of [`keys`], by their current rows.
    pub fn sorted<'e>(
        &self,
        workers: Workers,
        scratch: &'e mut TreeScratch,
    ) -> impl Iterator<Item = u32> + use<'e> {
        let centers = self.centers.unwrap_or(Centers::none());
        let entries = scratch
            .entries
            .sort(workers, self.rows(), self.len, centers);
        entries.iter().map(|entry| *entry as u32)
    }

    /// Builds the tree of the AABBs, or of the fat AABBs if `grown`, in an earlier order if it is still good.
    pub fn build<'t>(
        &mut self,
        workers: Workers,
        grown: bool,
        scratch: &mut TreeScratch,
        tree: &'t mut Tree,
    ) -> &'t Tree {
        let is_whole = self.invalid() == 0;
        if is_whole && self.order.is_due(self.stamp) {
            let rows = if grown { &self.grown } else { &self.rows };
            let rows = rows.rows(padded(self.len));
            let order = self.order.order.iter().copied();
            let most = SPREAD * self.order.extents;
            let built = tree::build(workers, rows, order, &mut scratch.parents, tree, most);
            self.order.judge(built.is_some());
            if built.is_some() {
                return tree;
            }
        }
        let extents = self.build_anew(workers, grown, scratch, tree);
        if is_whole {
            self.order.keep(self.stamp, tree, extents);
        } else {
            self.order.forget();
        }
        tree
    }

    /// Builds the tree in a new order. Returns the sum of the extents of its blocks.
    fn build_anew(
        &self,
        workers: Workers,
        grown: bool,
        scratch: &mut TreeScratch,
        tree: &mut Tree,
    ) -> f32 {
        let TreeScratch { entries, parents } = scratch;
        let rows = if grown { &self.grown } else { &self.rows };
        let rows = rows.rows(padded(self.len));
        let centers = self.centers.unwrap_or(Centers::none());
        let entries = entries.sort(workers, rows, self.len, centers);
        let order = entries.iter().map(|entry| *entry as u32);
        tree::build(workers, rows, order, parents, tree, f32::INFINITY).unwrap_or(f32::NAN)
    }
}

fn with_spare(lines: &mut Lines, len: usize) -> &mut [Row] {
    let rows = lines.rows_mut::<Row>(padded(len));
    rows[len..].fill([f32::INFINITY; 8]);
    rows
}

/// Writes the rows of all shapes.
fn write_rows(workers: Workers, boxes: &BoundedSide<'_>, rows: &mut [Row]) -> Centers {
    workers.execute(WriteRows {
        boxes,
        simd: workers.simd,
        first: 0,
        rows: &mut rows[..boxes.len()],
    })
}

/// Writes the rows of all shapes, padded with rows that overlap nothing.
pub fn write<'l>(workers: Workers, boxes: &BoundedSide<'_>, lines: &'l mut Lines) -> &'l [Row] {
    let rows = with_spare(lines, boxes.len());
    write_rows(workers, boxes, rows);
    rows
}

/// Writes rows in order.
struct WriteRows<'w> {
    boxes: &'w BoundedSide<'w>,
    simd: Simd,
    first: usize,
    rows: &'w mut [Row],
}

impl Job for WriteRows<'_> {
    type Output = Centers;

    /// Dispatches to lanes inside `write`, which is compiled once for each type of shape.
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

/// Writes fat AABBs. No fat AABB rounds to less than its AABB.
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

/// Tests whether every AABB is inside its fat AABB.
struct AreWithin<'g> {
    rows: &'g [Row],
    grown: &'g [Row],
}

/// Rows tested between two early exits.
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

/// Scratch memory for building a tree.
#[derive(Debug, Default)]
pub struct TreeScratch {
    pub(crate) entries: Entries,
    pub(crate) parents: [Lines; 2],
}
