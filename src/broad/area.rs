//! Shape order that gives a tree with small nodes, for static stores.
//!
//! Each node is split in two recursively where the surface areas of the halves times their numbers of shapes are least.
//! This is top-down greedy splitting (García, López and Leutenegger 1998), with binned splits. Splits are between whole
//! children only, so nodes are full and the tree needs no pointers. The work is `n log n` for every scene.

use alloc::vec::Vec;

use crate::broad::row::Row;
use crate::driver::threads::Workers;
use crate::lane::{Job, Lanes, Split};
use crate::memory::pages;

/// Number of bins on each axis.
const BINS: usize = 16;

/// A row with the bits of the shape's index in one of its numbers.
type Item = Row;
const INDEX: usize = 7;

/// Sorts shapes; leaves them unchanged if there is no memory for a copy of their rows.
pub fn sort(workers: Workers, rows: &[Row], order: &mut [u32]) {
    let mut items = Vec::new();
    if pages::try_reserve_all(&mut items, order.len()).is_err() {
        return;
    }
    items.extend(order.iter().map(|index| {
        let mut item = rows[*index as usize];
        item[INDEX] = f32::from_bits(*index);
        item
    }));
    let mut size = 8;
    while size < items.len() {
        size *= 8;
    }
    // Enough parts for all threads.
    let parts = (size / 64).max(8);
    while size > parts {
        size /= 8;
        items.chunks_mut(8 * size).for_each(|node| cut(node, size));
    }
    workers.execute(CutParts {
        items: &mut items,
        size,
    });
    for (index, item) in order.iter_mut().zip(&items) {
        *index = item[INDEX].to_bits();
    }
}

/// Splits nodes of `size` shapes down to blocks.
struct CutParts<'i> {
    items: &'i mut [Item],
    size: usize,
}

impl Job for CutParts<'_> {
    type Output = ();

    fn run<L: Lanes>(self, _lanes: L) {
        cut_parts(self.items, self.size);
    }
}

/// Compiled once, not for each instruction set.
#[inline(never)]
fn cut_parts(items: &mut [Item], size: usize) {
    for part in items.chunks_mut(size) {
        let mut child = size;
        while child > 8 {
            child /= 8;
            part.chunks_mut(8 * child).for_each(|node| cut(node, child));
        }
    }
}

impl Split for CutParts<'_> {
    const GRAIN: usize = 1 << 13;

    fn len(&self) -> usize {
        self.items.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let CutParts { items, size } = self;
        let middle = middle.next_multiple_of(size).min(items.len());
        let (items, high) = items.split_at_mut(middle);
        (CutParts { items, size }, CutParts { items: high, size })
    }

    fn merge((): (), (): ()) {}
}

/// Sorts the shapes of a node so that its children are `size` consecutive ones.
fn cut(node: &mut [Item], size: usize) {
    if node.len() <= size {
        return;
    }
    let (axis, at) = best_cut(node, size);
    node.select_nth_unstable_by(at, |a, b| center(a, axis).total_cmp(&center(b, axis)));
    let (low, high) = node.split_at_mut(at);
    cut(low, size);
    cut(high, size);
}

/// Twice the center.
fn center(item: &Item, axis: usize) -> f32 {
    item[axis] - item[4 + axis]
}

/// A set of shapes and their bounds.
#[derive(Clone, Copy)]
struct Bin {
    count: usize,
    bounds: Row,
}

impl Bin {
    const EMPTY: Bin = Bin {
        count: 0,
        bounds: [f32::INFINITY; 8],
    };

    fn union(&self, other: &Bin) -> Bin {
        Bin {
            count: self.count + other.count,
            bounds: least(&self.bounds, &other.bounds),
        }
    }

    /// The area of the bounds, halved.
    fn area(&self) -> f32 {
        if self.count == 0 {
            return 0.0;
        }
        let [x, y, z] = [0, 1, 2].map(|k| -self.bounds[4 + k] - self.bounds[k]);
        x * y + y * z + z * x
    }
}

fn least(a: &Row, b: &Row) -> Row {
    let mut least = *a;
    for (x, y) in least.iter_mut().zip(b) {
        *x = if *y < *x { *y } else { *x };
    }
    least
}

/// The axis along which to split a node, and the number of shapes before the split: a multiple of `size`.
fn best_cut(node: &[Item], size: usize) -> (usize, usize) {
    // The least centers, and the negated greatest centers.
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for item in node {
        for k in 0..3 {
            let x = center(item, k);
            low[k] = low[k].min(x);
            high[k] = high[k].max(x);
        }
    }
    let scale = [0, 1, 2].map(|k| BINS as f32 / (high[k] - low[k]));
    let mut bins = [[Bin::EMPTY; BINS]; 3];
    for item in node {
        for k in 0..3 {
            // Without extent the quotient is NaN, which falls into the first bin.
            let place = ((center(item, k) - low[k]) * scale[k]) as usize;
            let bin = &mut bins[k][place.min(BINS - 1)];
            bin.count += 1;
            bin.bounds = least(&bin.bounds, item);
        }
    }
    let middle = node.len() / 2 / size * size;
    let mut best = (f32::INFINITY, 0, middle.max(size));
    for (axis, bins) in bins.iter().enumerate() {
        let mut after = [Bin::EMPTY; BINS];
        let mut all = Bin::EMPTY;
        for (bin, after) in bins.iter().zip(&mut after).rev() {
            all = all.union(bin);
            *after = all;
        }
        let mut before = Bin::EMPTY;
        let mut at = size;
        for (bin, after) in bins.iter().zip(&after) {
            before = before.union(bin);
            // Splits inside this bin, which both sides then share.
            while at < node.len() && at <= before.count {
                let part = at as f32 / node.len() as f32;
                let cost = before.area() * part + after.area() * (1.0 - part);
                if cost < best.0 {
                    best = (cost, axis, at);
                }
                at += size;
            }
        }
    }
    (best.1, best.2)
}
