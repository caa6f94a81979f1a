//! What a shape is.

use bytemuck::Pod;

use super::bounding_box::BoundingBox;
use super::form::{Form, Row};
use crate::error::Defect;
use crate::lane::{Float, Lanes, MAX_LANES, Partner, Vec3};
use crate::limits::MAX_LENGTH;

/// `[X; N]` behind a name.
pub trait Array<X>: AsRef<[X]> + AsMut<[X]> {
    /// One element for each place.
    fn build(element: impl FnMut(usize) -> X) -> Self;
    /// One element everywhere.
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
    /// The columns under their names, those of the motion included.
    type Columns<C>;
    /// One `X` for each number of a turn: three if shapes of this kind turn, or none.
    #[doc(hidden)]
    type Turn<X: Send + Sync>: Array<X> + Send + Sync;
    /// What a kernel reads, one shape per lane.
    #[doc(hidden)]
    type Lanes<F: Float>: Copy;
    /// `Lanes` as one row of floats, padded to a multiple of four.
    #[doc(hidden)]
    type Row: Row;
    /// `Lanes` and a displacement as one row of floats, padded to a multiple of four.
    #[doc(hidden)]
    type MovingRow: Row;
    /// The shape with all its motion: its displacement, and its turn if it has one.
    #[doc(hidden)]
    type InMotion: Form<Shape = Self>;

    /// How many numbers a shape has.
    #[doc(hidden)]
    const FIELDS: usize = size_of::<Self>() / size_of::<f32>();

    /// Names the columns.
    #[doc(hidden)]
    fn columns<C: Send + Sync>(
        fields: Self::Fields<C>,
        displacement: [C; 3],
        turn: Self::Turn<C>,
    ) -> Self::Columns<C>;
    /// Takes the names off the columns.
    #[doc(hidden)]
    fn fields<C: Send + Sync>(
        columns: Self::Columns<C>,
    ) -> (Self::Fields<C>, [C; 3], Self::Turn<C>);

    /// What is wrong with a shape. Says so exactly where [`prepare`](Self::prepare) does.
    #[doc(hidden)]
    fn defect(&self) -> Option<Defect>;
    /// The shape `by` further on, rounded.
    #[doc(hidden)]
    fn translated(self, by: [f32; 3]) -> Self;
    /// The shape turned about its center by a rotation vector, rounded.
    #[doc(hidden)]
    fn turned(self, _by: [f32; 3]) -> Self {
        self
    }
    /// Turns stored numbers into what kernels read, and says which lanes hold a good shape.
    #[doc(hidden)]
    fn prepare<L: Lanes>(lanes: L, fields: Self::Fields<L::F>) -> (Self::Lanes<L::F>, L::M);

    /// Writes the lanes to the front of a row.
    #[doc(hidden)]
    fn to_row<F: Float>(shape: Self::Lanes<F>, row: &mut [F]);
    /// Reads the lanes from the front of a row.
    #[doc(hidden)]
    fn from_row<F: Float>(row: &[F]) -> Self::Lanes<F>;
    /// How many numbers of a row that ends in a displacement come before it.
    #[doc(hidden)]
    const ROW: usize;
    /// The numbers that are NaN if the shape is bad, as far as a row reaches.
    #[doc(hidden)]
    const MARKS: &'static [usize] = &[0];
    /// Whether there are boxes around a shape of this kind.
    #[doc(hidden)]
    const BOUNDED: bool = false;
    /// A box around the shape, unless it has no end.
    #[doc(hidden)]
    #[inline(always)]
    fn bounding_box<F: Float>(_shape: Self::Lanes<F>) -> Option<BoundingBox<F>> {
        None
    }
}

/// A shape that kernels move.
pub trait Movable: Shape {
    /// The shape `by` further on, rounded.
    fn moved<F: Float>(shape: Self::Lanes<F>, by: Vec3<F>) -> Self::Lanes<F>;
}

/// A shape of which kernels need only how it lies to another of its kind.
///
/// Rows are laid out so that each number they read is a sum of one number of A and one of B.
pub trait RelativeShape: Shape {
    /// What a kernel reads of both.
    type Lanes<F: Float>: Copy;
    /// What is added to each four numbers of a row, if a kernel asks for them. The sum at the first
    /// mark is NaN if either shape is bad.
    const PARTNERS: &'static [Option<Partner>];
    /// What is added to rows that end in a displacement.
    const MOVING_PARTNERS: &'static [Option<Partner>];
    /// How many lanes rows are read into at most: 8, if 16 bring nothing.
    const ROW_LANES: usize = MAX_LANES;

    /// Reads the front of the sums.
    fn relation<F: Float>(sums: &[F]) -> <Self as RelativeShape>::Lanes<F>;
}

/// A displacement less another, which begins at the same number of a row.
pub const fn less_displacement(number: usize) -> Option<Partner> {
    Some(Partner::new(number / 4, [true; 4]))
}

/// Whether each number is a length, neither NaN nor above [`MAX_LENGTH`].
#[inline(always)]
pub fn in_range<L: Lanes, const N: usize>(lanes: L, numbers: [L::F; N]) -> L::M {
    lanes.are_within(numbers, MAX_LENGTH)
}

/// What is wrong with coordinates, if anything.
pub fn length_defect(field: &'static str, numbers: &[f32]) -> Option<Defect> {
    let first = |is_bad: fn(f32) -> bool| first(numbers, is_bad);
    if let Some((index, value)) = first(|x| !x.is_finite()) {
        Some(Defect::NotFinite {
            field,
            index,
            value,
        })
    } else if let Some((index, value)) = first(|x| x.abs() > MAX_LENGTH) {
        Some(Defect::TooLarge {
            field,
            index,
            value,
        })
    } else {
        None
    }
}

/// What is wrong with sizes, if anything.
pub fn size_defect(field: &'static str, sizes: &[f32]) -> Option<Defect> {
    length_defect(field, sizes).or_else(|| {
        let (index, value) = first(sizes, |x| x < 0.0)?;
        Some(Defect::Negative {
            field,
            index,
            value,
        })
    })
}

/// What is wrong with numbers that are no lengths, if anything.
pub fn number_defect(field: &'static str, numbers: &[f32]) -> Option<Defect> {
    let (index, value) = first(numbers, |x| !x.is_finite())?;
    Some(Defect::NotFinite {
        field,
        index,
        value,
    })
}

/// The first bad one of some numbers, with its place if there are several.
fn first(numbers: &[f32], is_bad: fn(f32) -> bool) -> Option<(Option<usize>, f32)> {
    let index = numbers.iter().position(|x| is_bad(*x))?;
    Some(((numbers.len() > 1).then_some(index), numbers[index]))
}
