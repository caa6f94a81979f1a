//! The rows of hits: those that the test read, or looked up in columns and packed, a block at a time. So the stages of
//! the hits have one loop, which reads rows.

use bytemuck::Zeroable;

use super::by_pair::{PackedPairs, PairColumns, PairRows, PairShapes, Prefetch};
use crate::hits::WORD;
use crate::lane::{Lanes, MAX_LANES};
use crate::shapes::{Form, Movable, Shape, Static};

/// The most hits that are packed together: their rows stay in the caches.
pub const BLOCK: usize = 4 * WORD;

/// So many hits or fewer have a smaller block, since clearing a large one takes as long as a contact.
const FEW: usize = MAX_LANES;

/// Where the rows of hits are, and memory for those that are packed.
pub struct HitRows<'h, 's, A: Form, B: Form> {
    rows: Option<PairRows<'s, A, B>>,
    columns: PairColumns<'s, A, B>,
    a: &'h mut [A::Row],
    b: &'h mut [B::Row],
}

/// Runs a stage of `count` hits. Panics if the shapes are of other kinds, or rows in another form.
pub fn with_rows<'s, A: Form, B: Form>(
    shapes: PairShapes<'s>,
    count: usize,
    stage: impl FnOnce(HitRows<'_, 's, A, B>),
) {
    let (mut inline_pairs, mut many);
    let (a, b): (&mut [_], &mut [_]) = if shapes.rows.is_some() {
        (&mut [], &mut [])
    } else if count <= FEW {
        inline_pairs = ([A::Row::zeroed(); FEW], [B::Row::zeroed(); FEW]);
        (&mut inline_pairs.0, &mut inline_pairs.1)
    } else {
        many = ([A::Row::zeroed(); BLOCK], [B::Row::zeroed(); BLOCK]);
        (&mut many.0, &mut many.1)
    };
    let rows = shapes.rows.map(|rows| {
        let prefetch = Prefetch::default();
        PairRows::new(shapes.list, PackedPairs { prefetch, ..rows })
    });
    stage(HitRows {
        rows,
        columns: PairColumns::new(shapes.list, shapes.columns),
        a,
        b,
    });
}

/// The place of each hit of a block.
const PLACES: [u32; BLOCK] = {
    let mut places = [0; BLOCK];
    let mut k = 0;
    while k < BLOCK {
        places[k] = k as u32;
        k += 1;
    }
    places
};

impl<A: Form, B: Form> HitRows<'_, '_, A, B> {
    /// The rows of the pairs at some positions, at most a [`BLOCK`], and the positions of the pairs among these rows.
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

    #[inline(always)]
    fn packed(&self, count: usize) -> (PairRows<'_, A, B>, &[u32]) {
        (PairRows::side_by_side(self.a, self.b), &PLACES[..count])
    }
}

impl<A: Movable, B: Shape> HitRows<'_, '_, Static<A>, Static<B>> {
    /// As [`stage`](Self::stage), the shapes being where they are at the times of their pairs.
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
