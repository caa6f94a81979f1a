//! Forms: the data that a query reads of a shape, without motion or with it.
//!
//! A form is prepared from stored columns, packed as rows, or gathered from rows. All three paths
//! yield the same bits.

use core::marker::PhantomData;

use crate::lane::{Float, Lanes, Partner, Vec3};
use crate::shapes::raw_columns::Motion;
use crate::shapes::shape::{Array, Form, Prepared, RelativeShape, Row, Shape, in_range};

/// The data that a query reads of two shapes of one kind together: the numbers of A plus their
/// partners in B. This halves the numbers, and the work of the gather.
pub trait RelativeForm: Form {
    /// The partner to add to each four numbers; `None` if they are not read.
    const PARTNERS: &'static [Option<Partner>];
    /// Largest number of lanes to gather rows into.
    const ROW_LANES: usize;
    /// The kernel input.
    type Relation<F: Float>: Copy;
    /// Converts the sums to the kernel input.
    fn unpack<F: Float>(
        sums: <Self::Row as Row>::Vectors<F>,
    ) -> <Self as RelativeForm>::Relation<F>;
}

/// A shape without its motion.
pub struct Static<T>(PhantomData<T>);

impl<T: Shape> Form for Static<T> {
    type Shape = T;
    type Row = T::Row;
    type Wide<F: Float> = T::Wide<F>;
    const MOTION: Motion = Motion::None;

    #[inline(always)]
    fn prepare<L: Lanes>(
        lanes: L,
        fields: T::Fields<L::F>,
        _displacement: [L::F; 3],
        _turn: [L::F; 3],
    ) -> Prepared<Self, L> {
        let (shape, good) = T::prepare(lanes, fields);
        let mut row = <T::Row as Row>::Vectors::splat(lanes.splat(0.0));
        T::to_row(shape, row.as_mut());
        Prepared { row, good }
    }

    #[inline(always)]
    fn unpack<F: Float>(row: <T::Row as Row>::Vectors<F>) -> T::Wide<F> {
        T::from_row(row.as_ref())
    }
}

impl<T: RelativeShape> RelativeForm for Static<T> {
    const PARTNERS: &'static [Option<Partner>] = T::PARTNERS;
    const ROW_LANES: usize = T::ROW_LANES;
    type Relation<F: Float> = <T as RelativeShape>::Relation<F>;

    #[inline(always)]
    fn unpack<F: Float>(sums: <T::Row as Row>::Vectors<F>) -> <T as RelativeShape>::Relation<F> {
        T::relation(sums.as_ref())
    }
}

/// A shape and its displacement during the frame.
pub struct Moving<T>(PhantomData<T>);

/// The kernel input of a moving shape.
#[derive(Clone, Copy)]
pub struct WideMoving<S, F> {
    /// The shape at the start of the frame.
    pub start: S,
    /// The displacement during the frame.
    pub displacement: Vec3<F>,
}

impl<T: Shape> Form for Moving<T> {
    type Shape = T;
    type Row = T::MovingRow;
    type Wide<F: Float> = WideMoving<T::Wide<F>, F>;
    const MOTION: Motion = Motion::Straight;

    #[inline(always)]
    fn prepare<L: Lanes>(
        lanes: L,
        fields: T::Fields<L::F>,
        displacement: [L::F; 3],
        _turn: [L::F; 3],
    ) -> Prepared<Self, L> {
        let (shape, good) = T::prepare(lanes, fields);
        let mut row = <T::MovingRow as Row>::Vectors::splat(lanes.splat(0.0));
        T::to_row(shape, row.as_mut());
        // −0 becomes 0, so that no difference of displacements is −0.
        let from_zero = displacement.map(|x| x + lanes.splat(0.0));
        row.as_mut()[T::ROW..T::ROW + 3].copy_from_slice(&from_zero);
        let good = good & in_range(lanes, displacement);
        Prepared { row, good }
    }

    #[inline(always)]
    fn unpack<F: Float>(row: <T::MovingRow as Row>::Vectors<F>) -> Self::Wide<F> {
        let row = row.as_ref();
        WideMoving {
            start: T::from_row(row),
            displacement: Vec3([row[T::ROW], row[T::ROW + 1], row[T::ROW + 2]]),
        }
    }
}

impl<T: RelativeShape> RelativeForm for Moving<T> {
    const PARTNERS: &'static [Option<Partner>] = T::MOVING_PARTNERS;
    const ROW_LANES: usize = T::ROW_LANES;
    type Relation<F: Float> = WideMoving<<T as RelativeShape>::Relation<F>, F>;

    #[inline(always)]
    fn unpack<F: Float>(
        sums: <T::MovingRow as Row>::Vectors<F>,
    ) -> <Self as RelativeForm>::Relation<F> {
        let sums = sums.as_ref();
        WideMoving {
            start: T::relation(sums),
            displacement: Vec3([sums[T::ROW], sums[T::ROW + 1], sums[T::ROW + 2]]),
        }
    }
}
