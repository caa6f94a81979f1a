//! Forms: the data that a query reads of a shape, without motion or with it.
//!
//! A form is prepared from stored columns, packed as rows, or gathered from rows. All three paths
//! yield the same bits.

use core::marker::PhantomData;

use bytemuck::Pod;

use crate::lane::{Float, Lanes, Partner, Rows, Vec3};
use crate::shapes::shape::{Array, RelativeShape, Shape, in_range};

/// A packed shape: `[f32; W]`, `W` a multiple of 4.
pub trait Row: Pod + Send + Sync {
    /// One `X` for each number of a row.
    type Vectors<X: Copy>: Array<X> + Copy;
    /// Gathers one row per lane.
    fn gather<L: Lanes>(lanes: L, rows: impl Rows<Self>) -> Self::Vectors<L::F>;
    /// Gathers one row of `a` per lane and adds the partners from the rows of `b`.
    fn gather_sums<L: Lanes>(
        lanes: L,
        a: impl Rows<Self>,
        b: impl Rows<Self>,
        partners: &'static [Option<Partner>],
    ) -> Self::Vectors<L::F>;
    /// Writes the first rows.
    fn scatter<L: Lanes>(lanes: L, vectors: Self::Vectors<L::F>, rows: &mut [Self]);
}

impl<const W: usize> Row for [f32; W] {
    type Vectors<X: Copy> = [X; W];

    #[inline(always)]
    fn gather<L: Lanes>(lanes: L, rows: impl Rows<Self>) -> [L::F; W] {
        lanes.gather(rows)
    }
    #[inline(always)]
    fn gather_sums<L: Lanes>(
        lanes: L,
        a: impl Rows<Self>,
        b: impl Rows<Self>,
        partners: &'static [Option<Partner>],
    ) -> [L::F; W] {
        lanes.gather_sums(a, b, partners)
    }
    #[inline(always)]
    fn scatter<L: Lanes>(lanes: L, vectors: [L::F; W], rows: &mut [Self]) {
        lanes.scatter(vectors, rows);
    }
}

/// The numbers of a row, one shape per lane.
pub type Vectors<F, L> = <<F as Form>::Row as Row>::Vectors<<L as Lanes>::F>;

/// The numbers of a row, and the mask of lanes with a valid shape.
pub struct Prepared<F: Form + ?Sized, L: Lanes> {
    pub row: <F::Row as Row>::Vectors<L::F>,
    pub good: L::M,
}

impl<F: Form, L: Lanes> Prepared<F, L> {
    /// The rows to store: in rows of invalid shapes, the numbers at [`Shape::NAN_SLOTS`] are NaN.
    #[inline(always)]
    pub fn poison_invalid(self, lanes: L) -> Vectors<F, L> {
        let mut row = self.row;
        for &mark in F::Shape::NAN_SLOTS {
            if let Some(x) = row.as_mut().get_mut(mark) {
                *x = x.select(self.good, lanes.splat(f32::NAN));
            }
        }
        row
    }
}

/// The part of a shape's motion that a form reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    #[default]
    None,
    Straight,
    Turning,
}

/// The data that a query reads of a shape.
pub trait Form: 'static {
    /// The shape.
    type Shape: Shape;
    /// The packed form.
    type Row: Row;
    /// The kernel input.
    type Wide<F: Float>: Copy;
    /// The part of the motion that is read.
    const MOTION: Motion;

    /// Converts stored numbers to the numbers of a row.
    fn prepare<L: Lanes>(
        lanes: L,
        fields: <Self::Shape as Shape>::Fields<L::F>,
        displacement: [L::F; 3],
        turn: [L::F; 3],
    ) -> Prepared<Self, L>;

    /// Converts the numbers of a row to the kernel input.
    fn unpack<F: Float>(row: <Self::Row as Row>::Vectors<F>) -> Self::Wide<F>;
}

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
