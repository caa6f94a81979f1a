//! Where the lanes of a position come from.
//!
//! | pairs | shapes | source |
//! |---|---|---|
//! | a list, long against the stores | rows packed beforehand, gathered | [`PackedRows`] |
//! | a list, short against the stores | columns, one number at a time | [`NamedColumns`] |
//! | `zip`, the second of `one_to_all` | columns, whole vectors | [`AllColumns`] |
//! | the first of `one_to_all` | one shape in every lane | [`OneShape`] |
//!
//! A source yields the numbers of a row, the same bits whichever way they come.

use core::marker::PhantomData;

use bytemuck::Zeroable;

use crate::Pair;
use crate::lane::{Index, Lanes, One};
use crate::shapes::{Array, Form, Row, Shape, StoreRef};

/// The numbers of a row, one shape per lane.
pub type Vectors<F, L> = <<F as Form>::Row as Row>::Vectors<<L as Lanes>::F>;

/// Yields the shapes on one side of the pairs.
pub trait Source<F: Form>: Copy + Send + Sync {
    /// The shapes at as many positions as there are lanes, from `position` on.
    fn fetch<L: Lanes>(self, lanes: L, position: usize) -> Vectors<F, L>;
}

/// The columns of a store.
pub struct Columns<'a, T> {
    fields: &'a [&'a [f32]],
    displacement: Option<&'a [&'a [f32]; 3]>,
    shape: PhantomData<T>,
}

impl<T> Clone for Columns<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Columns<'_, T> {}

impl<'a, T: Shape> Columns<'a, T> {
    /// Those of a view.
    pub fn of(view: &'a StoreRef<'_, T>) -> Self {
        Columns {
            fields: view.field_columns(),
            displacement: view.displacement_columns(),
            shape: PhantomData,
        }
    }

    /// How many shapes there are.
    pub fn len(&self) -> usize {
        self.fields.first().map_or(0, |column| column.len())
    }

    /// Whether these are the very same columns of the same kind of shape.
    pub fn same_as<U>(&self, other: &Columns<'_, U>) -> bool {
        let same = |a: &[&[f32]], b: &[&[f32]]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| core::ptr::eq(*a, *b))
        };
        let displacement = |columns: Option<&'a [&'a [f32]; 3]>| columns.map_or(&[][..], |c| c);
        let others = other.displacement.map_or(&[][..], |c| c);
        same(self.fields, other.fields) && same(displacement(self.displacement), others)
    }

    /// The shapes from `start` on.
    #[inline(always)]
    pub fn in_order<F: Form<Shape = T>, L: Lanes>(self, lanes: L, start: usize) -> Vectors<F, L> {
        let mut fields = T::Fields::<L::F>::splat(lanes.splat(0.0));
        for (field, column) in fields.as_mut().iter_mut().zip(self.fields) {
            *field = lanes.load(&column[start..]);
        }
        let mut displacement = [lanes.splat(0.0); 3];
        if F::MOVES
            && let Some(columns) = self.displacement
        {
            for (x, column) in displacement.iter_mut().zip(columns) {
                *x = lanes.load(&column[start..]);
            }
        }
        F::prepare(lanes, fields, displacement)
    }

    /// The shapes that `index` names.
    #[inline(always)]
    pub fn looked_up<F: Form<Shape = T>, L: Lanes>(
        self,
        lanes: L,
        index: impl Index,
    ) -> Vectors<F, L> {
        let mut fields = T::Fields::<L::F>::splat(lanes.splat(0.0));
        for (field, column) in fields.as_mut().iter_mut().zip(self.fields) {
            *field = lanes.lookup(column, index);
        }
        let mut displacement = [lanes.splat(0.0); 3];
        if F::MOVES
            && let Some(columns) = self.displacement
        {
            for (x, column) in displacement.iter_mut().zip(columns) {
                *x = lanes.lookup(column, index);
            }
        }
        F::prepare(lanes, fields, displacement)
    }
}

/// One side of a pair list: the indices of the first shapes, or of the second.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// Every other number of the list, from the first that counts.
    indices: &'a [u32],
}

impl<'a> Side<'a> {
    pub fn new(pairs: &'a [Pair], second: bool) -> Self {
        let indices: &[u32] = bytemuck::cast_slice(pairs);
        Side {
            indices: indices.get(usize::from(second)..).unwrap_or_default(),
        }
    }

    #[inline(always)]
    fn at<L: Lanes>(self, _lanes: L, position: usize) -> SideAt<'a> {
        SideAt {
            indices: &self.indices[2 * position..][..2 * L::COUNT - 1],
        }
    }

    /// How many pairs there are.
    #[inline(always)]
    fn len(self) -> usize {
        self.indices.len().div_ceil(2)
    }
}

/// One side of the pairs at some positions.
#[derive(Clone, Copy)]
struct SideAt<'a> {
    indices: &'a [u32],
}

impl Index for SideAt<'_> {
    #[inline(always)]
    fn at(self, lane: usize) -> usize {
        self.indices[2 * lane] as usize
    }
}

/// Rows, gathered by pair.
///
/// Asking for rows ahead of their use keeps the cost of a pair flat when the rows outgrow the caches
/// (boxes, 1 M shapes on Zen 3: 7.9 ns instead of 12.5).
pub struct PackedRows<'a, F: Form> {
    rows: &'a [F::Row],
    side: Side<'a>,
    prefetch: bool,
}

/// How many pairs ahead rows are asked for.
const PREFETCH_DISTANCE: usize = 32;

impl<'a, F: Form> PackedRows<'a, F> {
    pub fn new(rows: &'a [F::Row], side: Side<'a>, prefetch: bool) -> Self {
        PackedRows {
            rows,
            side,
            prefetch,
        }
    }
}

impl<F: Form> Clone for PackedRows<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Form> Copy for PackedRows<'_, F> {}

impl<F: Form> Source<F> for PackedRows<'_, F> {
    #[inline(always)]
    fn fetch<L: Lanes>(self, lanes: L, position: usize) -> Vectors<F, L> {
        if self.prefetch {
            let ahead = (position + PREFETCH_DISTANCE).min(self.side.len() - L::COUNT);
            let ahead = self.side.at(lanes, ahead);
            let mut lane = 0;
            while lane < L::COUNT {
                lanes.prefetch(self.rows, ahead.at(lane));
                lane += 1;
            }
        }
        F::Row::gather(lanes, self.rows, self.side.at(lanes, position))
    }
}

/// Columns, looked up by pair.
pub struct NamedColumns<'a, F: Form> {
    columns: Columns<'a, F::Shape>,
    side: Side<'a>,
}

impl<'a, F: Form> NamedColumns<'a, F> {
    pub fn new(columns: Columns<'a, F::Shape>, side: Side<'a>) -> Self {
        NamedColumns { columns, side }
    }
}

impl<F: Form> Clone for NamedColumns<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Form> Copy for NamedColumns<'_, F> {}

impl<F: Form> Source<F> for NamedColumns<'_, F> {
    #[inline(always)]
    fn fetch<L: Lanes>(self, lanes: L, position: usize) -> Vectors<F, L> {
        self.columns
            .looked_up::<F, L>(lanes, self.side.at(lanes, position))
    }
}

/// Columns in order: the position is the index.
pub struct AllColumns<'a, F: Form> {
    columns: Columns<'a, F::Shape>,
}

impl<'a, F: Form> AllColumns<'a, F> {
    pub fn new(columns: Columns<'a, F::Shape>) -> Self {
        AllColumns { columns }
    }
}

impl<F: Form> Clone for AllColumns<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Form> Copy for AllColumns<'_, F> {}

impl<F: Form> Source<F> for AllColumns<'_, F> {
    #[inline(always)]
    fn fetch<L: Lanes>(self, lanes: L, position: usize) -> Vectors<F, L> {
        self.columns.in_order::<F, L>(lanes, position)
    }
}

/// The same shape in every lane.
pub struct OneShape<F: Form> {
    row: F::Row,
}

impl<F: Form> OneShape<F> {
    pub fn new(columns: Columns<'_, F::Shape>, index: usize) -> Self {
        let mut rows = [F::Row::zeroed()];
        F::Row::scatter(One, columns.in_order::<F, One>(One, index), &mut rows);
        let [row] = rows;
        OneShape { row }
    }
}

impl<F: Form> Clone for OneShape<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Form> Copy for OneShape<F> {}

impl<F: Form> Source<F> for OneShape<F> {
    #[inline(always)]
    fn fetch<L: Lanes>(self, lanes: L, _position: usize) -> Vectors<F, L> {
        let row: &[f32] = bytemuck::cast_slice(core::slice::from_ref(&self.row));
        let mut vectors = <F::Row as Row>::Vectors::<L::F>::splat(lanes.splat(0.0));
        for (vector, &x) in vectors.as_mut().iter_mut().zip(row) {
            *vector = lanes.splat(x);
        }
        vectors
    }
}
