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

/// Positions, one per lane from `position` on. In a tail, lanes past `last` repeat it.
#[derive(Clone, Copy)]
pub struct Place<const TAIL: bool> {
    pub position: usize,
    pub last: usize,
}

impl<const TAIL: bool> Index for Place<TAIL> {
    #[inline(always)]
    fn at(self, lane: usize) -> usize {
        let position = self.position + lane;
        if TAIL && position > self.last {
            self.last
        } else {
            position
        }
    }
}

/// The numbers of a row, one shape per lane.
pub type Vectors<F, L> = <<F as Form>::Row as Row>::Vectors<<L as Lanes>::F>;

/// Yields the shapes on one side of the pairs.
pub trait Source<F: Form>: Copy + Send + Sync {
    /// The shapes at a place.
    fn fetch<L: Lanes, const TAIL: bool>(self, lanes: L, place: Place<TAIL>) -> Vectors<F, L>;
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

/// The pairs at a place, one side of them: `B` chooses the second.
#[derive(Clone, Copy)]
struct Side<'a, const B: bool, const TAIL: bool> {
    pairs: &'a [Pair],
}

impl<'a, const B: bool, const TAIL: bool> Side<'a, B, TAIL> {
    #[inline(always)]
    fn new<L: Lanes>(_lanes: L, pairs: &'a [Pair], place: Place<TAIL>) -> Self {
        let end = if TAIL {
            place.last + 1
        } else {
            place.position + L::COUNT
        };
        Side {
            pairs: &pairs[place.position..end],
        }
    }
}

impl<const B: bool, const TAIL: bool> Index for Side<'_, B, TAIL> {
    #[inline(always)]
    fn at(self, lane: usize) -> usize {
        let lane = if TAIL {
            lane.min(self.pairs.len() - 1)
        } else {
            lane
        };
        let pair = self.pairs[lane];
        (if B { pair.b } else { pair.a }) as usize
    }
}

/// Rows, gathered by pair.
///
/// `PREFETCH` asks for rows ahead of their use: it keeps the cost of a pair flat when the rows
/// outgrow the caches (boxes, 1 M shapes on Zen 3: 7.9 ns instead of 12.5).
pub struct PackedRows<'a, F: Form, const B: bool, const PREFETCH: bool> {
    rows: &'a [F::Row],
    pairs: &'a [Pair],
}

/// How many pairs ahead rows are asked for.
const PREFETCH_DISTANCE: usize = 32;

impl<'a, F: Form, const B: bool, const PREFETCH: bool> PackedRows<'a, F, B, PREFETCH> {
    pub fn new(rows: &'a [F::Row], pairs: &'a [Pair]) -> Self {
        PackedRows { rows, pairs }
    }
}

impl<F: Form, const B: bool, const PREFETCH: bool> Clone for PackedRows<'_, F, B, PREFETCH> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Form, const B: bool, const PREFETCH: bool> Copy for PackedRows<'_, F, B, PREFETCH> {}

impl<F: Form, const B: bool, const PREFETCH: bool> Source<F> for PackedRows<'_, F, B, PREFETCH> {
    #[inline(always)]
    fn fetch<L: Lanes, const TAIL: bool>(self, lanes: L, place: Place<TAIL>) -> Vectors<F, L> {
        if PREFETCH && !TAIL {
            let position = (place.position + PREFETCH_DISTANCE).min(self.pairs.len() - L::COUNT);
            let ahead = Place::<false> {
                position,
                last: place.last,
            };
            let ahead = Side::<B, false>::new(lanes, self.pairs, ahead);
            let mut lane = 0;
            while lane < L::COUNT {
                lanes.prefetch(self.rows, ahead.at(lane));
                lane += 1;
            }
        }
        F::Row::gather(
            lanes,
            self.rows,
            Side::<B, TAIL>::new(lanes, self.pairs, place),
        )
    }
}

/// Columns, looked up by pair.
pub struct NamedColumns<'a, F: Form, const B: bool> {
    columns: Columns<'a, F::Shape>,
    pairs: &'a [Pair],
}

impl<'a, F: Form, const B: bool> NamedColumns<'a, F, B> {
    pub fn new(columns: Columns<'a, F::Shape>, pairs: &'a [Pair]) -> Self {
        NamedColumns { columns, pairs }
    }
}

impl<F: Form, const B: bool> Clone for NamedColumns<'_, F, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Form, const B: bool> Copy for NamedColumns<'_, F, B> {}

impl<F: Form, const B: bool> Source<F> for NamedColumns<'_, F, B> {
    #[inline(always)]
    fn fetch<L: Lanes, const TAIL: bool>(self, lanes: L, place: Place<TAIL>) -> Vectors<F, L> {
        self.columns
            .looked_up::<F, L>(lanes, Side::<B, TAIL>::new(lanes, self.pairs, place))
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
    fn fetch<L: Lanes, const TAIL: bool>(self, lanes: L, place: Place<TAIL>) -> Vectors<F, L> {
        if TAIL {
            self.columns.looked_up::<F, L>(lanes, place)
        } else {
            self.columns.in_order::<F, L>(lanes, place.position)
        }
    }
}

/// The same shape in every lane.
pub struct OneShape<F: Form> {
    row: F::Row,
}

impl<F: Form> OneShape<F> {
    pub fn new(columns: Columns<'_, F::Shape>, index: usize) -> Self {
        let place = Place::<false> {
            position: index,
            last: index,
        };
        let mut rows = [F::Row::zeroed()];
        F::Row::scatter(One, columns.looked_up::<F, One>(One, place), &mut rows);
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
    fn fetch<L: Lanes, const TAIL: bool>(self, lanes: L, _place: Place<TAIL>) -> Vectors<F, L> {
        let row: &[f32] = bytemuck::cast_slice(core::slice::from_ref(&self.row));
        let mut vectors = <F::Row as Row>::Vectors::<L::F>::splat(lanes.splat(0.0));
        for (vector, &x) in vectors.as_mut().iter_mut().zip(row) {
            *vector = lanes.splat(x);
        }
        vectors
    }
}
