//! Shape order that gives a tree with small nodes, for static stores.
//!
//! Each node is split in two recursively where the surface areas of the halves times their numbers of shapes are least.
//! This is top-down greedy splitting (García, López and Leutenegger 1998), with binned splits. Splits are between whole
//! children only, so nodes are full and the tree needs no pointers. The work is `n log n` for every scene.

use alloc::vec::Vec;
use core::mem;

use crate::broad::row::Row;
use crate::broad::tree;
use crate::driver::threads::Workers;
use crate::lane;
use crate::lane::{Job, Lanes};
use crate::memory::pages;
use crate::store::half_tree::{HalfTree, Node, Split};
use crate::store::tree::{NOWHERE, Tree};

/// Number of bins on each axis, and for a node of at most [`SMALL`] shapes, whose bins take longer than its shapes.
const BINS: usize = 16;
const FEW_BINS: usize = 8;
const SMALL: usize = 64;

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

/// Number of shapes of a node that is split at once: some 0.3 ms.
const AT_ONCE: usize = 1 << 13;
/// Price of reading the bounds of a shape: its columns are scattered.
pub const READ: usize = 16;
/// Number of shapes by which the cut of a larger node is chosen, and its pivots.
const SAMPLES: usize = 1 << 12;

/// Builds a tree bit by bit: works on about this number of shapes, each at one of its levels. Returns whether the tree is done.
pub fn build_part(
    workers: Workers,
    tree: &Tree,
    read: &dyn Fn(u32, &mut [Row]),
    half: &mut HalfTree,
    mut budget: usize,
) -> bool {
    if half.serial == 0 {
        let len = tree.len();
        let (items, parents) = (len.next_multiple_of(8), len.div_ceil(8).next_multiple_of(8));
        if pages::try_reserve_in_small_pages(&mut half.items, items).is_err()
            || pages::try_reserve_in_small_pages(&mut half.parents, parents).is_err()
        {
            return false;
        }
        half.serial = tree.serial();
    }
    // Bounds are copied in the order of the first tree, which is good already.
    while !half.is_read {
        let Some(index) = tree.order().get(half.place).copied() else {
            let len = half.items.len();
            let mut size = 8;
            while 8 * size < len {
                size *= 8;
            }
            half.nodes.push(Node {
                start: 0,
                len,
                size,
            });
            half.is_read = true;
            break;
        };
        let Some(left) = budget.checked_sub(READ) else {
            return false;
        };
        half.place += 1;
        if index == NOWHERE {
            continue;
        }
        budget = left;
        let mut item = [[0.0; 8]];
        read(index, &mut item);
        item[0][INDEX] = f32::from_bits(index);
        half.items.push(item[0]);
    }
    while half.split.is_some() || !half.nodes.is_empty() {
        if budget == 0 {
            return false;
        }
        budget = budget.saturating_sub(match half.split.take() {
            Some(split) => go_on(half, split, budget),
            None => begin_split(half),
        });
    }
    build_blocks(workers, half, budget)
}

/// Splits the next node, or begins to. Returns the number of shapes of this work.
fn begin_split(half: &mut HalfTree) -> usize {
    let Some(node) = half.nodes.pop() else {
        return 0;
    };
    let Node { start, len, size } = node;
    if len <= size {
        if size > 8 {
            let size = size / 8;
            half.nodes.push(Node { size, ..node });
        }
        return 0;
    }
    let items = &mut half.items[start..start + len];
    let (axis, at) = cut_of(items, size);
    if len <= AT_ONCE {
        items.select_nth_unstable_by_key(at, |item| key(item, axis));
        push_halves(half, node, at);
        return len;
    }
    half.split = Some(part_by(items, node, axis, at, (0, len)));
    SAMPLES
}

/// The axis along which to split a node, and the number of shapes before the split, a multiple of `size`: the best of a small
/// node, that of a sample of a large one.
fn cut_of(items: &[Item], size: usize) -> (usize, usize) {
    let len = items.len();
    if len <= AT_ONCE {
        return best_cut(items, size);
    }
    let step = len / SAMPLES;
    let sample: Vec<Item> = items.iter().step_by(step).copied().collect();
    let (axis, at) = best_cut(&sample, (size / step).max(1));
    let children = (at * step + size / 2) / size;
    (axis, children.clamp(1, (len - 1) / size) * size)
}

/// The next partition of a split, of these places of the node.
fn part_by(
    items: &[Item],
    node: Node,
    axis: usize,
    at: usize,
    (low, high): (usize, usize),
) -> Split {
    let step = ((high - low) / 64).max(1);
    let mut keys: Vec<u64> = items[low..high]
        .iter()
        .step_by(step)
        .map(|item| key(item, axis))
        .collect();
    keys.sort_unstable();
    let place = keys.len() * (at - low) / (high - low);
    // Each part has a shape at least, since no two keys are equal.
    let pivot = keys[place] + u64::from(place == 0);
    Split {
        node,
        axis,
        at,
        low,
        high,
        pivot,
        next: low,
        last: high,
    }
}

/// Goes on with a split. Returns the number of shapes of this work.
fn go_on(half: &mut HalfTree, mut split: Split, budget: usize) -> usize {
    let node = split.node;
    let items = &mut half.items[node.start..node.start + node.len];
    let mut done = 0;
    while split.next < split.last && done < budget {
        if key(&items[split.next], split.axis) < split.pivot {
            split.next += 1;
        } else {
            split.last -= 1;
            items.swap(split.next, split.last);
        }
        done += 1;
    }
    if split.next < split.last {
        half.split = Some(split);
        return done;
    }
    let (axis, at) = (split.axis, split.at);
    let (low, high) = if at < split.next {
        (split.low, split.next)
    } else {
        (split.next, split.high)
    };
    if low == at {
        push_halves(half, node, at);
    } else if high - low <= AT_ONCE {
        items[low..high].select_nth_unstable_by_key(at - low, |item| key(item, axis));
        push_halves(half, node, at);
        done += high - low;
    } else {
        half.split = Some(part_by(items, node, axis, at, (low, high)));
    }
    done
}

fn push_halves(half: &mut HalfTree, node: Node, at: usize) {
    let Node { start, len, size } = node;
    half.nodes.push(Node {
        start: start + at,
        len: len - at,
        size,
    });
    half.nodes.push(Node {
        start,
        len: at,
        size,
    });
}

/// The place of a shape along an axis, in order; by index where centers are equal.
fn key(item: &Item, axis: usize) -> u64 {
    let bits = center(item, axis).to_bits();
    let ordered = if bits >> 31 == 0 {
        bits | 1 << 31
    } else {
        !bits
    };
    u64::from(ordered) << 32 | u64::from(item[INDEX].to_bits())
}

/// Builds blocks of sorted shapes, and at last the levels above. Returns whether the tree is done.
fn build_blocks(workers: Workers, half: &mut HalfTree, budget: usize) -> bool {
    let HalfTree {
        items,
        tree,
        parents,
        sizes,
        ..
    } = half;
    let len = items.len();
    let (blocks, done) = (len.div_ceil(8), parents.len());
    if done == 0 && !tree.begin(len) {
        return false;
    }
    let now = (blocks - done).min((budget / 8).max(1));
    items.resize(8 * blocks, [f32::INFINITY; 8]);
    parents.resize(done + now, [f32::INFINITY; 8]);
    let (order, to) = tree.parts_mut(done..done + now);
    let rows = &items[8 * done..8 * (done + now)];
    order.extend(rows.iter().map(|item| item[INDEX].to_bits()));
    let more = tree::build_lowest(workers, rows, to, &mut parents[done..]);
    *sizes = sizes.union(more);
    items.truncate(len);
    if done + now < blocks {
        return false;
    }
    tree.parts_mut(0..0).0[len..].fill(NOWHERE);
    tree::build_upper(workers, mem::take(parents), tree);
    tree.set_sizes(*sizes);
    tree.ask_for_huge_pages();
    true
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

impl lane::Split for CutParts<'_> {
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
    let (axis, at) = cut_of(node, size);
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

/// The axis along which to split a node, and the number of shapes before the split: a multiple of `size`. Without area, for
/// example of points on a line, the longest axis and about half of the shapes.
fn best_cut(node: &[Item], size: usize) -> (usize, usize) {
    if node.len() <= SMALL {
        best_cut_by::<FEW_BINS>(node, size)
    } else {
        best_cut_by::<BINS>(node, size)
    }
}

fn best_cut_by<const BINS: usize>(node: &[Item], size: usize) -> (usize, usize) {
    // The least centers, and the negated greatest centers.
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for item in node {
        for k in 0..3 {
            let x = center(item, k);
            low[k] = if x < low[k] { x } else { low[k] };
            high[k] = if x > high[k] { x } else { high[k] };
        }
    }
    let scale = [0, 1, 2].map(|k| BINS as f32 / (high[k] - low[k]));
    let mut bins = [[Bin::EMPTY; BINS]; 3];
    for item in node {
        for k in 0..3 {
            // Without extent the quotient is NaN, which falls into the first bin.
            let place = ((center(item, k) - low[k]) * scale[k]) as i32;
            let bin = &mut bins[k][(place as usize).min(BINS - 1)];
            bin.count += 1;
            bin.bounds = least(&bin.bounds, item);
        }
    }
    let middle = node.len() / 2 / size * size;
    let extent = |axis: &usize| high[*axis] - low[*axis];
    let widest = (1..3).fold(0, |widest, axis| {
        if extent(&axis) > extent(&widest) {
            axis
        } else {
            widest
        }
    });
    let whole = bins[0].iter().fold(Bin::EMPTY, |all, bin| all.union(bin));
    if whole.area() == 0.0 {
        return (widest, middle.max(size));
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lane::Simd;
    use crate::memory::pages::Lines;

    /// Boxes of 1 m at random places, some of them in one place.
    fn boxes(len: usize) -> Vec<Row> {
        let at = |k: usize| (f64::from(k as u32) * 0.618_033_988_749_895).fract() as f32 * 50.0;
        let mut rows: Vec<Row> = (0..len)
            .map(|k| {
                let k = if k % 7 == 0 { 0 } else { k };
                let [x, y, z] = [at(k), at(31 * k + 1), at(977 * k + 2)];
                [x, y, z, 0.0, -x - 1.0, -y - 1.0, -z - 1.0, 0.0]
            })
            .collect();
        rows.extend([[f32::INFINITY; 8]; 8]);
        rows
    }

    #[test]
    fn points_on_a_line_are_split_along_it() {
        let workers = Workers::new(Simd::best(), false).of_at_most(8);
        const LEN: u32 = 4096;
        for axis in 0..3 {
            let mut rows: Vec<Row> = Vec::new();
            // In an order without meaning.
            for k in 0..LEN {
                let (mut row, at) = ([0.0; 8], (k * 1667 % LEN) as f32);
                (row[axis], row[4 + axis]) = (at, -at);
                rows.push(row);
            }
            rows.extend([[f32::INFINITY; 8]; 8]);
            let mut order: Vec<u32> = (0..LEN).collect();
            sort(workers, &rows, &mut order);
            for eight in order.as_chunks::<8>().0 {
                let places = eight.map(|k| rows[k as usize][axis]);
                let [low, high] = [
                    places.into_iter().fold(f32::INFINITY, f32::min),
                    places.into_iter().fold(0.0, f32::max),
                ];
                assert_eq!(high - low, 7.0, "axis {axis}: {places:?}");
            }
        }
    }

    #[test]
    fn tree_built_in_parts_is_as_good_as_one_built_at_once() {
        let workers = Workers::new(Simd::best(), false).of_at_most(8);
        for len in [1, 8, 9, 500, AT_ONCE, AT_ONCE + 1, 5 * AT_ONCE + 3] {
            let rows = boxes(len);
            let build = |order: Vec<u32>| {
                let (mut tree, mut parents) =
                    (Tree::default(), [Lines::default(), Lines::default()]);
                let order = order.into_iter();
                tree::build(
                    workers,
                    &rows,
                    order,
                    &mut parents,
                    &mut tree,
                    f32::INFINITY,
                );
                tree.renew_serial();
                tree
            };
            let mut order: Vec<u32> = (0..len as u32).collect();
            let first = build(order.clone());
            sort(workers, &rows, &mut order);
            let at_once = build(order);

            let read = |index: u32, to: &mut [Row]| to[0] = rows[index as usize];
            let (mut half, mut calls) = (HalfTree::default(), 1);
            while !build_part(workers, &first, &read, &mut half, 4096) {
                calls += 1;
            }
            let levels = len.ilog2() as usize + 1;
            assert!(
                calls <= len * (READ + 3 * levels) / 4096 + 20,
                "{len}: {calls} calls"
            );
            let tree = half.tree;
            let mut order = tree.order()[..len].to_vec();
            for (place, &index) in order.iter().enumerate() {
                let lane = |side: usize| tree.level(0)[place / 8][side][place % 8];
                let row = rows[index as usize];
                assert_eq!(
                    [0, 1, 2, 3, 4, 5].map(lane),
                    [row[0], row[1], row[2], row[4], row[5], row[6]]
                );
            }
            order.sort_unstable();
            assert!(order.into_iter().eq(0..len as u32), "{len}");
            assert_eq!(tree.bounds(), at_once.bounds());
            assert_eq!(
                (tree.levels(), tree.blocks().len()),
                (at_once.levels(), at_once.blocks().len())
            );
            for level in 1..tree.levels() {
                for (place, block) in tree.level(level - 1).iter().enumerate() {
                    let parent = tree.level(level)[place / 8].map(|column| column[place % 8]);
                    let around =
                        block.map(|column| column.into_iter().fold(f32::INFINITY, f32::min));
                    assert_eq!(parent, around, "{len}, level {level}");
                }
            }
            let (sizes, least) = (tree.sizes().blocks, at_once.sizes().blocks);
            assert!(sizes <= 1.1 * least + 1.0, "{len}: {sizes}, not {least}");
        }
    }
}
