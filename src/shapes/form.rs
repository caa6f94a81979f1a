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
    /// Lengths of a moving pair; `None` without motion.
    fn lengths<F: Float>(relation: <Self as RelativeForm>::Relation<F>) -> Option<PairLengths<F>>;
    /// The input for the first `part` of the frame.
    fn during<F: Float>(
        relation: <Self as RelativeForm>::Relation<F>,
        part: F,
    ) -> <Self as RelativeForm>::Relation<F>;
}

/// Lengths of a pair.
#[derive(Clone, Copy)]
pub struct PairLengths<F> {
    /// Size of either shape: zero for a point, and for a plane.
    pub sizes: [F; 2],
    /// From a point of one shape to a point of the other; `None` if one is unbounded.
    pub distance: Option<Vec3<F>>,
    /// Displacement of A relative to B, if they move.
    pub motion: Option<Vec3<F>>,
}

/// Sum of the sizes and the margin from which on a pair is uneven, in sizes of the smaller shape. Half of a motion counts too.
///
/// The lengths of a pair that is not are at most some 20 sizes of the smaller shape, so errors of 100 u of them are 1e-4 of it.
const UNEVEN: f32 = 8.0;

/// Part of the frame that is not too short to be measured, 2⁻¹⁰⁰: the way in it is below 2⁻³⁸.
const SHORTEST_PART: f32 = 1.0 / (1u128 << 100) as f32;

impl<F: Float> PairLengths<F> {
    /// The lanes whose answer may be coarse in `f32`: the other shape, or the motion, is many times the size of the smaller
    /// shape.
    #[inline(always)]
    pub fn are_uneven<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, margin: F) -> F::Mask {
        self.are_above(lanes, margin, UNEVEN)
    }

    /// The lanes whose sizes alone are uneven, whatever their roundings in `f32`.
    #[inline(always)]
    pub fn are_surely_uneven<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, margin: F) -> F::Mask {
        let still = PairLengths {
            motion: None,
            ..self
        };
        still.are_above(lanes, margin, UNEVEN * 1.0001)
    }

    #[inline(always)]
    fn are_above<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, margin: F, ratio: f32) -> F::Mask {
        let [a, b] = self.sizes;
        let (zero, ratio) = (lanes.splat(0.0), lanes.splat(ratio));
        // Beside a point, the other shape counts.
        let smaller = a.select(zero.lt(a), b).min(b.select(zero.lt(b), a));
        let sum = a + b + margin;
        let sum = match self.motion {
            None => sum,
            Some(motion) => sum + motion.abs().sum() * lanes.splat(0.5),
        };
        (smaller * ratio).lt(sum)
    }

    /// Powers of two, up to 1: parts of the frame after which no pair touches.
    ///
    /// A pair touches at time t only if t |v| is at most D, the distance of two points, both sizes and twice the margin. With p the
    /// power that scales |v|∞ to 1/2 or more, and q that above D, D / |v| ≤ 2 p q; twice that leaves room for roundings.
    #[inline(always)]
    pub fn touching_part<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, margin: F) -> F {
        let one = lanes.splat(1.0);
        let (Some(distance), Some(motion)) = (self.distance, self.motion) else {
            return one;
        };
        let [a, b] = self.sizes;
        let reach = distance.abs().sum() + ((a + b) + (margin + margin));
        let part = motion.abs().largest().recip_pow2() / reach.recip_pow2();
        (part * lanes.splat(4.0))
            .max(lanes.splat(SHORTEST_PART))
            .min(one)
    }
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

    #[inline(always)]
    fn shape<F: Float>(shape: T::Wide<F>) -> T::Wide<F> {
        shape
    }

    #[inline(always)]
    fn displacement<F: Float>(_shape: T::Wide<F>) -> Option<Vec3<F>> {
        None
    }

    #[inline(always)]
    fn during<F: Float>(shape: T::Wide<F>, _part: F) -> T::Wide<F> {
        shape
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

    #[inline(always)]
    fn lengths<F: Float>(_relation: <T as RelativeShape>::Relation<F>) -> Option<PairLengths<F>> {
        None
    }

    #[inline(always)]
    fn during<F: Float>(
        relation: <T as RelativeShape>::Relation<F>,
        _part: F,
    ) -> <T as RelativeShape>::Relation<F> {
        relation
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

    #[inline(always)]
    fn shape<F: Float>(moving: Self::Wide<F>) -> T::Wide<F> {
        moving.start
    }

    #[inline(always)]
    fn displacement<F: Float>(moving: Self::Wide<F>) -> Option<Vec3<F>> {
        Some(moving.displacement)
    }

    #[inline(always)]
    fn during<F: Float>(moving: Self::Wide<F>, part: F) -> Self::Wide<F> {
        WideMoving {
            displacement: moving.displacement * part,
            ..moving
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

    #[inline(always)]
    fn lengths<F: Float>(relation: <Self as RelativeForm>::Relation<F>) -> Option<PairLengths<F>> {
        Some(PairLengths {
            sizes: [T::sum_of_sizes(relation.start); 2],
            distance: Some(T::distance(relation.start)),
            motion: Some(relation.displacement),
        })
    }

    #[inline(always)]
    fn during<F: Float>(
        relation: <Self as RelativeForm>::Relation<F>,
        part: F,
    ) -> <Self as RelativeForm>::Relation<F> {
        WideMoving {
            displacement: relation.displacement * part,
            ..relation
        }
    }
}
