//! What the two verbs read of a shape: as it rests, or with its motion.
//!
//! A form goes three ways: prepared from stored columns, packed as rows, gathered from rows. All
//! three yield the same bits.

use core::marker::PhantomData;

use bytemuck::Pod;

use super::{Array, Shape, in_range};
use crate::lane::{Float, Index, Lanes, Vec3};

/// A packed shape: `[f32; W]`, `W` a multiple of 4.
pub trait Row: Pod + Send + Sync {
    /// One `X` for each number of a row.
    type Vectors<X: Copy>: Array<X> + Copy;
    /// Reads the rows that `index` names.
    fn gather<L: Lanes>(lanes: L, rows: &[Self], index: impl Index) -> Self::Vectors<L::F>;
    /// Writes the first rows.
    fn scatter<L: Lanes>(lanes: L, vectors: Self::Vectors<L::F>, rows: &mut [Self]);
}

impl<const W: usize> Row for [f32; W] {
    type Vectors<X: Copy> = [X; W];

    #[inline(always)]
    fn gather<L: Lanes>(lanes: L, rows: &[Self], index: impl Index) -> [L::F; W] {
        lanes.gather(rows, index)
    }
    #[inline(always)]
    fn scatter<L: Lanes>(lanes: L, vectors: [L::F; W], rows: &mut [Self]) {
        lanes.scatter(vectors, rows);
    }
}

/// What a verb reads of a shape.
pub trait Form: 'static {
    /// The shape.
    type Shape: Shape;
    /// The packed form.
    type Row: Row;
    /// What a kernel is given.
    type Lanes<F: Float>: Copy;
    /// Whether displacements are read.
    const MOVES: bool;

    /// From stored numbers to the numbers of a row; the first one of a bad shape is NaN.
    fn prepare<L: Lanes>(
        lanes: L,
        fields: <Self::Shape as Shape>::Fields<L::F>,
        displacement: [L::F; 3],
    ) -> <Self::Row as Row>::Vectors<L::F>;

    /// From the numbers of a row to what a kernel is given.
    fn lanes<F: Float>(row: <Self::Row as Row>::Vectors<F>) -> Self::Lanes<F>;
}

/// A shape as it rests.
pub struct Still<T>(PhantomData<T>);

impl<T: Shape> Form for Still<T> {
    type Shape = T;
    type Row = T::Row;
    type Lanes<F: Float> = T::Lanes<F>;
    const MOVES: bool = false;

    #[inline(always)]
    fn prepare<L: Lanes>(
        lanes: L,
        fields: T::Fields<L::F>,
        _displacement: [L::F; 3],
    ) -> <T::Row as Row>::Vectors<L::F> {
        let (shape, good) = T::prepare(lanes, fields);
        let mut row = <T::Row as Row>::Vectors::splat(lanes.splat(0.0));
        T::to_row(shape, row.as_mut());
        mark_bad(lanes, row.as_mut(), good);
        row
    }

    #[inline(always)]
    fn lanes<F: Float>(row: <T::Row as Row>::Vectors<F>) -> T::Lanes<F> {
        T::from_row(row.as_ref())
    }
}

/// A shape and its displacement during the frame.
pub struct Moving<T>(PhantomData<T>);

/// What a kernel is given of a moving shape.
#[derive(Clone, Copy)]
pub struct MovingLanes<S, F> {
    /// The shape at the start of the frame.
    pub start: S,
    /// How far it moves until the end of the frame.
    pub displacement: Vec3<F>,
}

impl<T: Shape> Form for Moving<T> {
    type Shape = T;
    type Row = T::MovingRow;
    type Lanes<F: Float> = MovingLanes<T::Lanes<F>, F>;
    const MOVES: bool = true;

    #[inline(always)]
    fn prepare<L: Lanes>(
        lanes: L,
        fields: T::Fields<L::F>,
        displacement: [L::F; 3],
    ) -> <T::MovingRow as Row>::Vectors<L::F> {
        let (shape, good) = T::prepare(lanes, fields);
        let mut row = <T::MovingRow as Row>::Vectors::splat(lanes.splat(0.0));
        T::to_row(shape, row.as_mut());
        row.as_mut()[T::ROW..T::ROW + 3].copy_from_slice(&displacement);
        mark_bad(
            lanes,
            row.as_mut(),
            good & in_range(lanes, Vec3(displacement)),
        );
        row
    }

    #[inline(always)]
    fn lanes<F: Float>(row: <T::MovingRow as Row>::Vectors<F>) -> Self::Lanes<F> {
        let row = row.as_ref();
        MovingLanes {
            start: T::from_row(row),
            displacement: Vec3([row[T::ROW], row[T::ROW + 1], row[T::ROW + 2]]),
        }
    }
}

/// Makes the first number of each bad shape NaN: the driver looks there.
#[inline(always)]
fn mark_bad<L: Lanes>(lanes: L, row: &mut [L::F], good: L::M) {
    row[0] = row[0].select(good, lanes.splat(f32::NAN));
}
