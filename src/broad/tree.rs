//! Builds a BVH bottom up, from ordered rows to blocks of eight AABBs, level by level.

use alloc::vec;
use alloc::vec::Vec;

use crate::broad::row::Row;
use crate::driver::threads::Workers;
use crate::lane::{Float, Job, Lanes, Rows, Split};
use crate::memory::pages;
use crate::memory::pages::Lines;
use crate::store::tree::{Block, NOWHERE, Sizes, Tree};

/// Builds the tree over the shapes in `order`. Returns the sum of the extents of its blocks of eight shapes. Rows past
/// the last shape overlap nothing.
///
/// `None`, with the tree unfinished, if that sum is above `most`.
pub fn build(
    workers: Workers,
    rows: &[Row],
    indices: impl ExactSizeIterator<Item = u32>,
    parents: &mut [Lines; 2],
    tree: &mut Tree,
    most: f32,
) -> Option<f32> {
    let len = indices.len();
    let (order, mut blocks, ends) = tree.resize(len);
    let padded = len.next_multiple_of(8);
    order.clear();
    pages::reserve_all(order, padded);
    order.extend(indices);
    order.resize(padded, rows.len() as u32 - 1);

    let mut sizes = Sizes::default();
    let [mut above, mut below] = parents.each_mut();
    let mut start = 0;
    for (level, end) in ends.iter().enumerate() {
        let (here, others) = blocks.split_at_mut(end - start);
        blocks = others;
        start = *end;
        let count = here.len();
        let padded = count.next_multiple_of(8);
        let parents = above.rows_mut::<Row>(padded);
        parents[count..].fill([f32::INFINITY; 8]);
        let parents = &mut parents[..count];
        if level == 0 {
            sizes = workers.execute(BuildLevel {
                rows: Ordered { rows, order },
                blocks: here,
                parents,
            });
            if sizes.blocks > most || sizes.blocks.is_nan() {
                return None;
            }
        } else {
            let rows = Whole(below.rows::<Row>(8 * count));
            workers.execute(BuildLevel {
                rows,
                blocks: here,
                parents,
            });
        }
        core::mem::swap(&mut above, &mut below);
    }
    tree.parts_mut(0..0).0[len..].fill(NOWHERE);
    tree.set_sizes(sizes);
    Some(sizes.blocks)
}

/// Builds blocks of the lowest level from consecutive rows, and writes their bounding rows.
pub fn build_lowest(
    workers: Workers,
    rows: &[Row],
    blocks: &mut [Block],
    parents: &mut [Row],
) -> Sizes {
    let rows = Whole(rows);
    workers.execute(BuildLevel {
        rows,
        blocks,
        parents,
    })
}

/// Builds the levels above the lowest, whose bounding rows these are, padded to whole blocks.
pub fn build_upper(workers: Workers, mut rows: Vec<Row>, tree: &mut Tree) {
    for level in 1..tree.levels() {
        let (start, end) = (tree.ends()[level - 1], tree.ends()[level]);
        let mut parents = vec![[f32::INFINITY; 8]; (end - start).next_multiple_of(8)];
        let (_, blocks) = tree.parts_mut(start..end);
        rows.resize(8 * (end - start), [f32::INFINITY; 8]);
        workers.execute(BuildLevel {
            rows: Whole(&rows),
            blocks,
            parents: &mut parents[..end - start],
        });
        rows = parents;
    }
}

/// Rows in blocks of eight.
trait Eights: Copy + Send {
    type Eight: Rows<Row>;
    /// The rows of a block.
    fn eight(&self, block: usize) -> Self::Eight;
    /// Skips the first blocks.
    fn skip(self, blocks: usize) -> Self;
}

/// Rows in the order of keys.
#[derive(Clone, Copy)]
struct Ordered<'r> {
    rows: &'r [Row],
    order: &'r [u32],
}

/// Consecutive rows.
#[derive(Clone, Copy)]
struct Whole<'r>(&'r [Row]);

/// The eight rows of a block.
#[derive(Clone, Copy)]
struct Eight<'r>([&'r Row; 8]);

impl Rows<Row> for Eight<'_> {
    #[inline(always)]
    fn row(&self, lane: usize) -> &Row {
        self.0[lane]
    }
}

impl<'r> Eights for Ordered<'r> {
    type Eight = Eight<'r>;
    #[inline(always)]
    fn eight(&self, block: usize) -> Eight<'r> {
        let order = &self.order[8 * block..8 * block + 8];
        let mut rows = [&self.rows[0]; 8];
        let mut lane = 0;
        while lane < 8 {
            rows[lane] = &self.rows[order[lane] as usize];
            lane += 1;
        }
        Eight(rows)
    }
    fn skip(self, blocks: usize) -> Self {
        Ordered {
            order: &self.order[8 * blocks..],
            ..self
        }
    }
}

impl<'r> Eights for Whole<'r> {
    type Eight = Eight<'r>;
    #[inline(always)]
    fn eight(&self, block: usize) -> Eight<'r> {
        let from = &self.0[8 * block..8 * block + 8];
        let mut rows = [&from[0]; 8];
        let mut lane = 0;
        while lane < 8 {
            rows[lane] = &from[lane];
            lane += 1;
        }
        Eight(rows)
    }
    fn skip(self, blocks: usize) -> Self {
        Whole(&self.0[8 * blocks..])
    }
}

/// The rows of a block from a given lane on.
#[derive(Clone, Copy)]
struct FromLane<'r, R>(&'r R, usize);

impl<R: Rows<Row>> Rows<Row> for FromLane<'_, R> {
    #[inline(always)]
    fn row(&self, lane: usize) -> &Row {
        self.0.row(self.1 + lane)
    }
}

/// Transposes rows into blocks and writes the bounding row of each block.
struct BuildLevel<'b, E> {
    rows: E,
    blocks: &'b mut [Block],
    parents: &'b mut [Row],
}

impl<E: Eights> Job for BuildLevel<'_, E> {
    type Output = Sizes;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Sizes {
        let BuildLevel {
            rows,
            blocks,
            parents,
        } = self;
        let (mut extents, mut largest) = ([0.0; 8], [0.0; 8]);
        for (at, (block, parent)) in blocks.iter_mut().zip(parents).enumerate() {
            let eight = rows.eight(at);
            let mut lane = 0;
            while lane < 8 {
                let numbers = lanes.gather(FromLane(&eight, lane));
                let mut k = 0;
                while k < 3 {
                    lanes.store(numbers[k], &mut block[k][lane..]);
                    lanes.store(numbers[4 + k], &mut block[3 + k][lane..]);
                    k += 1;
                }
                // Highest corners are negated.
                let low = numbers[0] + numbers[1] + numbers[2];
                let size = lanes.splat(0.0) - (low + (numbers[4] + numbers[5] + numbers[6]));
                let size = size.max(lanes.load(&largest[lane..]));
                lanes.store(size, &mut largest[lane..]);
                let mut least = lanes.load(&eight.row(0)[lane..]);
                let mut row = 1;
                while row < 8 {
                    least = lanes.load(&eight.row(row)[lane..]).min(least);
                    row += 1;
                }
                lanes.store(least, &mut parent[lane..]);
                let sum = lanes.load(&extents[lane..]) - least;
                lanes.store(sum, &mut extents[lane..]);
                lane += L::COUNT;
            }
        }
        Sizes {
            blocks: extents.iter().sum(),
            largest: largest.into_iter().fold(0.0, f32::max),
        }
    }
}

impl<E: Eights> Split for BuildLevel<'_, E> {
    const GRAIN: usize = 1 << 14;

    /// Number of rows.
    fn len(&self) -> usize {
        8 * self.blocks.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let middle = middle / 8;
        let (low, high) = self.blocks.split_at_mut(middle);
        let (low_parents, high_parents) = self.parents.split_at_mut(middle);
        let part = |rows, blocks, parents| BuildLevel {
            rows,
            blocks,
            parents,
        };
        (
            part(self.rows, low, low_parents),
            part(self.rows.skip(middle), high, high_parents),
        )
    }

    fn merge(one: Sizes, other: Sizes) -> Sizes {
        one.union(other)
    }
}
