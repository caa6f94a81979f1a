//! The shape trait, and the checks of values that shapes share.

use core::any::TypeId;

use bytemuck::Pod;

use crate::error::Defect;
use crate::lane::{Float, Lanes, MAX_LANES, Partner, Rows, Vec3};
use crate::limits::MAX_LENGTH;
use crate::shapes::raw_columns::{BoundsOps, Motion};

/// `[X; N]` for an `N` that is not nameable in generic code.
pub trait Array<X>: AsRef<[X]> + AsMut<[X]> {
    /// Builds each element from its index.
    fn build(element: impl FnMut(usize) -> X) -> Self;
    /// Repeats one element.
    fn splat(x: X) -> Self
    where
        X: Copy;
}

impl<X, const N: usize> Array<X> for [X; N] {
    #[inline]
    fn build(element: impl FnMut(usize) -> X) -> Self {
        core::array::from_fn(element)
    }
    #[inline(always)]
    fn splat(x: X) -> Self
    where
        X: Copy,
    {
        [x; N]
    }
}

/// A value type: plain numbers, `repr(C)`, one column each in a store.
///
/// Sealed: its parts are not nameable outside the crate.
pub trait Shape: Pod + PartialEq + core::fmt::Debug + Send + Sync {
    /// One `X` for each number of the shape, in the order of its declaration.
    #[doc(hidden)]
    type Fields<X: Send + Sync>: Array<X> + Send + Sync;
    /// The named columns, including those of the motion.
    type Columns<C>;
    /// One `X` for each number of a turn: three if shapes of this kind rotate, otherwise none.
    #[doc(hidden)]
    type Turn<X: Send + Sync>: Array<X> + Send + Sync;
    /// The kernel input, one shape per lane.
    #[doc(hidden)]
    type Wide<F: Float>: Copy;
    /// `Wide` as one row of floats, padded to a multiple of four.
    #[doc(hidden)]
    type Row: Row;
    /// `Wide` and a displacement as one row of floats, padded to a multiple of four.
    #[doc(hidden)]
    type MovingRow: Row;
    /// The form with all motion: the displacement, and the turn if the shape has one.
    #[doc(hidden)]
    type FullMotion: Form<Shape = Self>;

    /// The kind of shape whose columns these are: `Self`, except for [`PlacedHull`](crate::store::hull::hulls::PlacedHull).
    #[doc(hidden)]
    type Stored: for<'a> Shape<Fields<&'a [f32]> = Self::Fields<&'a [f32]>>;

    /// The bounds of these shapes; `None` if they are unbounded.
    #[doc(hidden)]
    const BOUNDS: Option<&'static BoundsOps> = None;
    /// Number of numbers in a shape.
    #[doc(hidden)]
    const FIELDS: usize = size_of::<Self>() / size_of::<f32>();

    /// Names the columns.
    #[doc(hidden)]
    fn columns<C: Send + Sync>(
        fields: Self::Fields<C>,
        displacement: [C; 3],
        turn: Self::Turn<C>,
    ) -> Self::Columns<C>;
    /// Converts named columns back to arrays.
    #[doc(hidden)]
    fn fields<C: Send + Sync>(
        columns: Self::Columns<C>,
    ) -> (Self::Fields<C>, [C; 3], Self::Turn<C>);

    /// The first defect of a shape; `None` exactly where [`prepare`](Self::prepare) finds it valid.
    /// The type that has these numbers and more, in which these shapes have zeros.
    #[doc(hidden)]
    fn padded() -> Option<TypeId> {
        None
    }
    #[doc(hidden)]
    fn defect(&self) -> Option<Defect>;
    /// The shape translated by `by`, rounded.
    #[doc(hidden)]
    fn translated(self, by: [f32; 3]) -> Self;
    /// The shape rotated about its center by a rotation vector, rounded.
    #[doc(hidden)]
    fn turned(self, _by: [f32; 3]) -> Self {
        self
    }
    /// Converts stored numbers to kernel input, with the mask of lanes with a valid shape.
    #[doc(hidden)]
    fn prepare<L: Lanes>(lanes: L, fields: Self::Fields<L::F>) -> (Self::Wide<L::F>, L::M);

    /// Diameter, or a length of its order: zero for a point, and for a plane.
    #[doc(hidden)]
    fn wide_size<F: Float>(shape: Self::Wide<F>) -> F;
    /// A point of the shape; `None` if it is unbounded.
    #[doc(hidden)]
    fn wide_place<F: Float>(shape: Self::Wide<F>) -> Option<Vec3<F>>;

    /// Writes the lanes to the front of a row.
    #[doc(hidden)]
    fn to_row<F: Float>(shape: Self::Wide<F>, row: &mut [F]);
    /// Reads the lanes from the front of a row.
    #[doc(hidden)]
    fn from_row<F: Float>(row: &[F]) -> Self::Wide<F>;
    /// Index of the displacement in a row of [`MovingRow`](Self::MovingRow).
    #[doc(hidden)]
    const ROW: usize;
    /// Indices of the row's numbers that are NaN if the shape is invalid; indices past its end are ignored.
    #[doc(hidden)]
    const NAN_SLOTS: &'static [usize] = &[0];
    /// Whether a row takes longer to prepare than to gather: scans then read the cached rows of a static store.
    #[doc(hidden)]
    const SCANS_ROWS: bool = false;
}

/// A shape that kernels translate.
pub trait Movable: Shape {
    /// The shape translated by `by`, rounded.
    fn moved<L: Lanes>(lanes: L, shape: Self::Wide<L::F>, by: Vec3<L::F>) -> Self::Wide<L::F>;
}

/// A shape whose kernels need only the relative pose of two shapes of its kind.
///
/// Row layout: each number that the kernel reads is the sum of a number of A and a number of B.
pub trait RelativeShape: Shape {
    /// The kernel input for both shapes.
    type Relation<F: Float>: Copy;
    /// The partner to add to each four numbers of a row; `None` if the kernel does not read them. The sum at the
    /// first mark is NaN if either shape is invalid.
    const PARTNERS: &'static [Option<Partner>];
    /// The partners for rows that end in a displacement.
    const MOVING_PARTNERS: &'static [Option<Partner>];
    /// Largest number of lanes to gather rows into: 8 if 16 are no faster.
    const ROW_LANES: usize = MAX_LANES;

    /// Difference of a point of A and a point of B.
    fn distance<F: Float>(relation: <Self as RelativeShape>::Relation<F>) -> Vec3<F>;
    /// Sum of the sizes of both shapes.
    fn sum_of_sizes<F: Float>(relation: <Self as RelativeShape>::Relation<F>) -> F;
    /// Converts the front of the sums to kernel input.
    fn relation<F: Float>(sums: &[F]) -> <Self as RelativeShape>::Relation<F>;
}

/// The partner for a difference of displacements, which start at index `number` of both rows.
pub const fn less_displacement(number: usize) -> Option<Partner> {
    Some(Partner::new(number / 4, [true; 4]))
}

/// Mask of the lanes whose numbers are all lengths: neither NaN nor above [`MAX_LENGTH`].
#[inline(always)]
pub fn in_range<L: Lanes, const N: usize>(lanes: L, numbers: [L::F; N]) -> L::M {
    lanes.are_within(numbers, MAX_LENGTH)
}

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

    /// The shape.
    fn shape<F: Float>(input: Self::Wide<F>) -> <Self::Shape as Shape>::Wide<F>;
    /// The displacement, if it is read.
    fn displacement<F: Float>(input: Self::Wide<F>) -> Option<Vec3<F>>;
    /// The input for the first `part` of the frame.
    fn during<F: Float>(input: Self::Wide<F>, part: F) -> Self::Wide<F>;
}
