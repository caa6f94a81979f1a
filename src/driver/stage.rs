//! The rows of hits: the rows of the test, or rows gathered from columns and packed, a block at a time. So the contact
//! and impact stages have one loop each, which reads rows.

use bytemuck::Zeroable;

use crate::driver::rows::{PackedPairs, PairColumns, PairRows, PairShapes, Prefetch};
use crate::lane::{Lanes, MAX_LANES, WORD};
use crate::shapes::form::Static;
use crate::shapes::shape::{Form, Movable, Shape};

/// Maximum number of hits packed together: their rows stay in the caches.
pub const BLOCK: usize = 4 * WORD;

/// Up to this number of hits a smaller block is used: clearing the large block costs as much as a contact.
const FEW: usize = MAX_LANES;

/// The source of the rows of hits, and memory for packed ones.
pub struct HitRows<'h, 's, A: Form, B: Form> {
    rows: Option<PairRows<'s, A, B>>,
    columns: PairColumns<'s, A, B>,
    a: &'h mut [A::Row],
    b: &'h mut [B::Row],
}

/// Runs a stage on `count` hits. Rows are prefetched only if all pairs are hits. Panics if the shape types or row widths
/// differ.
pub fn with_rows<'s, A: Form, B: Form>(
    shapes: PairShapes<'s>,
    count: usize,
    are_all: bool,
    stage: impl FnOnce(HitRows<'_, 's, A, B>),
) {
    // Points and spheres are one type here.
    let rows = shapes
        .rows
        .filter(|_| PairRows::<A, B>::read_sides_of(&shapes.list));
    let (mut inline_pairs, mut many);
    let (a, b): (&mut [_], &mut [_]) = if rows.is_some() {
        (&mut [], &mut [])
    } else if count <= FEW {
        inline_pairs = ([A::Row::zeroed(); FEW], [B::Row::zeroed(); FEW]);
        (&mut inline_pairs.0, &mut inline_pairs.1)
    } else {
        many = ([A::Row::zeroed(); BLOCK], [B::Row::zeroed(); BLOCK]);
        (&mut many.0, &mut many.1)
    };
    let rows = rows.map(|rows| {
        let prefetch = Prefetch::default();
        let sparse = PackedPairs { prefetch, ..rows };
        PairRows::new(shapes.list, if are_all { &rows } else { &sparse })
    });
    stage(HitRows {
        rows,
        columns: PairColumns::padded(shapes.list, shapes.columns),
        a,
        b,
    });
}

/// The places 0, 1, 2, ... of the hits in a block.
const PLACES: [u32; BLOCK] = {
    let mut places = [0; BLOCK];
    let mut k = 0;
    while k < BLOCK {
        places[k] = k as u32;
        k += 1;
    }
    places
};

impl<'s, A: Form, B: Form> HitRows<'_, 's, A, B> {
    /// The columns of all pairs.
    #[inline(always)]
    pub fn columns(&self) -> &PairColumns<'s, A, B> {
        &self.columns
    }

    /// Returns the rows of the pairs at some positions, at most a [`BLOCK`], and the pairs' positions in these rows.
    #[inline(always)]
    pub fn stage<'r, L: Lanes>(
        &'r mut self,
        lanes: L,
        positions: &'r [u32],
    ) -> (PairRows<'r, A, B>, &'r [u32]) {
        if let Some(rows) = &self.rows {
            return (rows.clone(), positions);
        }
        self.columns.pack(lanes, positions, self.a, self.b);
        self.packed(positions.len())
    }

    /// Like [`stage`](Self::stage) for the `count` pairs from position `first` on. Returns their rows, and the place of the first
    /// pair in these rows.
    #[inline(always)]
    pub fn stage_run<L: Lanes>(
        &mut self,
        lanes: L,
        first: usize,
        count: usize,
    ) -> (PairRows<'_, A, B>, usize) {
        if let Some(rows) = &self.rows {
            return (rows.clone(), first);
        }
        let mut positions = PLACES;
        for position in &mut positions[..count] {
            *position += first as u32;
        }
        self.columns
            .pack(lanes, &positions[..count], self.a, self.b);
        (PairRows::side_by_side(self.a, self.b), 0)
    }

    #[inline(always)]
    fn packed(&self, count: usize) -> (PairRows<'_, A, B>, &[u32]) {
        (PairRows::side_by_side(self.a, self.b), &PLACES[..count])
    }
}

impl<A: Movable, B: Shape> HitRows<'_, '_, Static<A>, Static<B>> {
    /// Like [`stage`](Self::stage), with the shapes moved to the times of their pairs.
    #[inline(always)]
    pub fn stage_at<'r, L: Lanes>(
        &'r mut self,
        lanes: L,
        positions: &'r [u32],
        times: &[f32],
    ) -> (PairRows<'r, Static<A>, Static<B>>, &'r [u32]) {
        let columns = &self.columns;
        columns.pack_at(lanes, positions, times, self.a, self.b);
        self.packed(positions.len())
    }
}
