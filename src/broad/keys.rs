//! The order of centers along a Hilbert curve through cubic cells.
//!
//! Runs of shapes along a Morton curve straddle its jumps, so twice as many of their bounding boxes overlap. Cells are
//! cubes: in a flat world, flat cells would order shapes by height before place.
//!
//! A key has the same number of bits for each axis, few enough for two passes of a counting sort. If many shapes share
//! a cell, such as a distant cluster, the cell is subdivided recursively by keys relative to the bounds of its shapes.
//! Keys affect speed only, not the pairs.

use alloc::vec::Vec;
use core::mem;

use crate::broad::pieces::FilledPieces;
use crate::broad::row::Row;
use crate::driver::threads::Workers;
use crate::lane::{Float, Job, Lanes, MAX_LANES, Split, split};
use crate::memory::pages;
use crate::shapes::raw_columns::Centers;

/// Maximum number of shapes with one key; more are subdivided.
const CROWD: usize = 32;
/// Maximum depth of the subdivision. Each level has 8 to 256 cells per axis.
const DEPTH: usize = 12;

/// A key in the high half, the index of a shape in the low half.
pub type Entry = u64;

/// Memory for two copies of the entries.
#[derive(Debug, Default)]
pub struct Entries {
    entries: [Vec<Entry>; 2],
    counts: Counts,
}

impl Entries {
    /// The valid shapes of `rows[..len]` in order.
    pub fn sort(
        &mut self,
        workers: Workers,
        rows: &[Row],
        len: usize,
        centers: Centers,
    ) -> &[Entry] {
        let Entries {
            entries: [entries, other],
            counts,
        } = self;
        for entries in [&mut *entries, &mut *other] {
            if entries.len() < rows.len() {
                pages::resize(entries, rows.len(), 0);
            }
        }
        let found = workers.execute(FindKeys {
            rows,
            first: 0,
            cells: Cells::new(len, centers),
            entries: &mut entries[..rows.len()],
        });
        let good = found.close(entries);
        let (entries, other) = (&mut entries[..good], &mut other[..good]);
        counts.reset(len);
        for entry in &*entries {
            counts.add((entry >> 32) as u32);
        }
        counts.sort(entries, other);
        part_crowds(rows, entries, other, counts, DEPTH);
        entries
    }
}

/// Bits of a key per axis: at least four cells per shape.
fn bits(len: usize) -> u32 {
    (len.max(1).ilog2() + 2).div_ceil(3).clamp(3, 8)
}

/// A grid of cells.
#[derive(Clone, Copy)]
struct Cells {
    low: [f32; 3],
    per_length: f32,
    last: f32,
    /// Number of times that cells are halved. Even, so a key may begin with zeros.
    levels: u32,
}

impl Cells {
    fn new(len: usize, Centers { low, high, .. }: Centers) -> Self {
        let last = ((1u32 << bits(len)) - 1) as f32;
        let extent = (0..3).fold(0.0, |extent, k| Float::max(high[k] - low[k], extent));
        // Coordinates round to the nearest cell.
        let per_length = (last + 0.499) / extent;
        Cells {
            low,
            per_length: if per_length < f32::INFINITY {
                per_length
            } else {
                0.0
            },
            last,
            levels: bits(len).next_multiple_of(2),
        }
    }

    /// The keys of the centers, given twice their coordinates.
    #[inline(always)]
    fn keys<L: Lanes>(&self, lanes: L, centers: [L::F; 3], keys: &mut [u32; MAX_LANES]) {
        // The low mantissa bits of `whole + cell` are the rounded cell.
        let whole = lanes.splat((1 << 23) as f32);
        let mut axes = [[0.0f32; MAX_LANES]; 3];
        let mut k = 0;
        while k < 3 {
            let cell = (centers[k] - lanes.splat(self.low[k])) * lanes.splat(self.per_length);
            let cell = cell.max(lanes.splat(0.0)).min(lanes.splat(self.last));
            lanes.store(cell + whole, &mut axes[k]);
            k += 1;
        }
        let [x, y, z]: [[u32; MAX_LANES]; 3] = bytemuck::must_cast(axes);
        let mut i = 0;
        while i < L::COUNT {
            let cell = spread(x[i]) | spread(y[i]) << 1 | spread(z[i]) << 2;
            keys[i] = along_curve(cell, self.levels);
            i += 1;
        }
    }
}

/// Spreads the low eight bits to every third bit.
#[inline(always)]
fn spread(x: u32) -> u32 {
    let x = x & 0xff;
    let x = (x | x << 8) & 0x00_f00f;
    let x = (x | x << 4) & 0x0c_30c3;
    (x | x << 2) & 0x24_9249
}

/// The place of a cell along the curve, given the interleaved bits of its axes.
#[inline(always)]
fn along_curve(cell: u32, levels: u32) -> u32 {
    let (mut state, mut place, mut level) = (0, 0, levels);
    while level > 0 {
        level -= 2;
        let step = CURVE[(state | cell >> (3 * level) & 63) as usize & (CURVE.len() - 1)];
        place = place << 6 | u32::from(step & 63);
        state = u32::from(step & !63);
    }
    place
}

/// Two levels of the curve in one step. Indexed by one of 24 orientations, times 64, plus one of 64 cells; the value is
/// the orientation within that cell, times 64, plus the cell's place. C. Hamilton and A. Rau-Chaplin, "Compact Hilbert
/// indices: space-filling curves for domains with unequal side lengths", 2008.
static CURVE: [u16; 2048] = {
    let mut curve = [0; 2048];
    let mut at = 0;
    while at < 24 * 64 {
        let (state, outer) = octant_along_curve(at / 64, at / 8 % 8);
        let (state, inner) = octant_along_curve(state, at % 8);
        curve[at] = (state << 6 | outer << 3 | inner) as u16;
        at += 1;
    }
    curve
};

/// The orientation of the curve within an octant, and the octant's place. An orientation is the octant where the curve
/// enters, and eight times the axis along which it runs as a whole.
const fn octant_along_curve(state: usize, octant: usize) -> (usize, usize) {
    const fn rotated(x: usize, by: usize) -> usize {
        (x << by | x >> (3 - by)) & 7
    }
    const fn gray(x: usize) -> usize {
        x ^ x >> 1
    }
    let (entry, axis) = (state % 8, state / 8);
    let x = rotated(octant ^ entry, (5 - axis) % 3);
    // The inverse of `gray`.
    let place = x ^ x >> 1 ^ x >> 2;
    let (from, along) = match place {
        0 => (0, 0),
        _ if place.is_multiple_of(2) => (gray(place - 2), (place - 1).trailing_ones()),
        _ => (gray(place - 1), place.trailing_ones()),
    };
    let entry = entry ^ rotated(from, (axis + 1) % 3);
    ((axis + along as usize + 1) % 3 * 8 + entry, place)
}

/// Histograms of the low and the high half of the keys.
#[derive(Debug, Default)]
struct Counts {
    width: u32,
    digits: [Vec<u32>; 2],
}

impl Counts {
    /// Clears the histograms, for the keys of `len` shapes.
    fn reset(&mut self, len: usize) {
        self.width = (3 * bits(len)).div_ceil(2);
        for digit in &mut self.digits {
            digit.clear();
            digit.resize(1 << self.width, 0);
        }
    }

    #[inline(always)]
    fn digits(&self, key: u32) -> [usize; 2] {
        let mask = (1 << self.width) - 1;
        [(key & mask) as usize, (key >> self.width & mask) as usize]
    }

    #[inline(always)]
    fn add(&mut self, key: u32) {
        let [low, high] = self.digits(key);
        self.digits[0][low] += 1;
        self.digits[1][high] += 1;
    }

    /// Sorts the counted entries by a radix sort of two passes.
    fn sort(&mut self, entries: &mut [Entry], other: &mut [Entry]) {
        for digit in &mut self.digits {
            let mut start = 0;
            for count in digit {
                start += mem::replace(count, start);
            }
        }
        for entry in &*entries {
            let [low, _] = self.digits((entry >> 32) as u32);
            let place = &mut self.digits[0][low];
            other[*place as usize] = *entry;
            *place += 1;
        }
        for entry in &*other {
            let [_, high] = self.digits((entry >> 32) as u32);
            let place = &mut self.digits[1][high];
            entries[*place as usize] = *entry;
            *place += 1;
        }
    }
}

/// Computes the key of each valid row.
struct FindKeys<'k> {
    rows: &'k [Row],
    /// The index of the first row.
    first: usize,
    cells: Cells,
    entries: &'k mut [Entry],
}

impl Job for FindKeys<'_> {
    type Output = FilledPieces;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> FilledPieces {
        let FindKeys {
            rows,
            first,
            cells,
            entries,
        } = self;
        let (mut count, mut at) = (0, 0);
        let mut keys = [0; MAX_LANES];
        while at < rows.len() {
            let group = &rows[at..at + L::COUNT];
            let [ax, ay, az, _, bx, by, bz, _] = lanes.gather(RowSlice(group));
            cells.keys(lanes, [ax - bx, ay - by, az - bz], &mut keys);
            let mut lane = 0;
            while lane < L::COUNT {
                let good = group[lane][0] < f32::INFINITY;
                entries[count] = u64::from(keys[lane]) << 32 | (first + at + lane) as u64;
                count += usize::from(good);
                lane += 1;
            }
            at += L::COUNT;
        }
        FilledPieces::one(first, count)
    }
}

impl Split for FindKeys<'_> {
    const GRAIN: usize = 1 << 14;

    split! { len: rows, rows: slice, first: offset, cells: shared, entries: slice_mut }

    fn merge(one: FilledPieces, other: FilledPieces) -> FilledPieces {
        one.and(other)
    }
}

/// Gathers consecutive rows.
#[derive(Clone, Copy)]
pub struct RowSlice<'r>(pub &'r [Row]);

impl crate::lane::Rows<Row> for RowSlice<'_> {
    #[inline(always)]
    fn row(&self, lane: usize) -> &Row {
        &self.0[lane]
    }
}

/// Subdivides the cells with more than [`CROWD`] shapes.
fn part_crowds(
    rows: &[Row],
    entries: &mut [Entry],
    other: &mut [Entry],
    counts: &mut Counts,
    depth: usize,
) {
    let key = |entry: Entry| entry >> 32;
    let mut at = 0;
    while at + CROWD < entries.len() {
        let crowd = key(entries[at]);
        if key(entries[at + CROWD]) != crowd {
            at += CROWD;
            continue;
        }
        let before = entries[..at].iter().rev();
        let first = at - before.take_while(|entry| key(**entry) == crowd).count();
        let after = entries[at..].iter();
        let end = at + after.take_while(|entry| key(**entry) == crowd).count();
        part_crowd(
            rows,
            &mut entries[first..end],
            &mut other[first..end],
            counts,
            depth,
        );
        at = end;
    }
}

fn part_crowd(
    rows: &[Row],
    entries: &mut [Entry],
    other: &mut [Entry],
    counts: &mut Counts,
    depth: usize,
) {
    let mut centers = Centers::none();
    for entry in &*entries {
        let row = &rows[*entry as u32 as usize];
        for k in 0..3 {
            let center = row[k] - row[4 + k];
            centers.low[k] = Float::min(center, centers.low[k]);
            centers.high[k] = Float::max(center, centers.high[k]);
        }
    }
    let cells = Cells::new(entries.len(), centers);
    if depth == 0 || cells.per_length == 0.0 {
        return;
    }
    counts.reset(entries.len());
    let mut keys = [0; MAX_LANES];
    for entry in &mut *entries {
        let index = *entry as u32;
        let [ax, ay, az, _, bx, by, bz, _] = rows[index as usize];
        cells.keys(crate::lane::One, [ax - bx, ay - by, az - bz], &mut keys);
        counts.add(keys[0]);
        *entry = u64::from(keys[0]) << 32 | u64::from(index);
    }
    counts.sort(entries, other);
    part_crowds(rows, entries, other, counts, depth - 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each cell has one place along the curve, and the next place belongs to a neighbour.
    #[test]
    fn the_curve_visits_each_cell_once_and_never_jumps() {
        for levels in [2, 4] {
            let side = 1u32 << levels;
            let mut cells = vec![None; (side * side * side) as usize];
            for x in 0..side {
                for y in 0..side {
                    for z in 0..side {
                        let cell = spread(x) | spread(y) << 1 | spread(z) << 2;
                        let place = along_curve(cell, levels) as usize;
                        assert_eq!(cells[place].replace([x, y, z]), None);
                    }
                }
            }
            for pair in cells.windows(2) {
                let [from, to] = [pair[0].unwrap(), pair[1].unwrap()];
                let steps: u32 = (0..3).map(|k| from[k].abs_diff(to[k])).sum();
                assert_eq!(steps, 1, "{from:?} {to:?}");
            }
        }
    }
}
