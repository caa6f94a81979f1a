//! Axis-aligned bounding boxes.

use crate::error::{Defect, length_defect};
use crate::lane::{Float, Lanes, Partner, Vec3, stored};
use crate::limits::MAX_LENGTH;
use crate::shapes::bounding_box::BoundingBox;
use crate::shapes::bounds::{Bounded, write_bounds};
use crate::shapes::form::Moving;
use crate::shapes::raw_columns::BoundsOps;
use crate::shapes::shape::{Movable, RelativeShape, Shape, less_displacement};

/// An axis-aligned box: the points between `min` and `max` on each axis, both included. Zero
/// extents make a rectangle, a segment or a point; `min > max` on an axis is invalid.
///
/// Coordinates above [`MAX_LENGTH`] are invalid too: write ±`MAX_LENGTH` for a side without end, and
/// [`EVERYTHING`](Self::EVERYTHING) for a box without any. Boxes of ±∞ or ±1e30 touch nothing.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb {
    /// The lowest coordinates.
    pub min: [f32; 3],
    /// The highest coordinates.
    pub max: [f32; 3],
}

impl Aabb {
    /// The largest box: ±[`MAX_LENGTH`] on each axis. It contains every valid point, so it overlaps every valid shape with bounds.
    ///
    /// ```
    /// use phalanx::{Aabb, Sphere};
    ///
    /// let far = Sphere::new([1e18, -1e18, 3.0], 0.5);
    /// assert_eq!(Aabb::EVERYTHING.overlaps(&far), Some(true));
    /// // Invalid.
    /// assert_eq!(Aabb::new([-1e30; 3], [1e30; 3]).overlaps(&far), None);
    /// ```
    pub const EVERYTHING: Self = Aabb {
        min: [-MAX_LENGTH; 3],
        max: [MAX_LENGTH; 3],
    };

    /// The box from corner `min` to corner `max`.
    ///
    /// ```
    /// use phalanx::Aabb;
    ///
    /// assert_eq!(Aabb::new([0.0; 3], [1.0; 3]), Aabb { min: [0.0; 3], max: [1.0; 3] });
    /// ```
    #[inline]
    pub fn new(min: impl Into<[f32; 3]>, max: impl Into<[f32; 3]>) -> Self {
        Aabb {
            min: min.into(),
            max: max.into(),
        }
    }

    /// The box from `center - half_extents` to `center + half_extents`. Both corners are rounded to the nearest `f32`.
    pub const fn from_center_half_extents(center: [f32; 3], half_extents: [f32; 3]) -> Self {
        let ([cx, cy, cz], [hx, hy, hz]) = (center, half_extents);
        Aabb {
            min: [cx - hx, cy - hy, cz - hz],
            max: [cx + hx, cy + hy, cz + hz],
        }
    }
}

/// The columns of [`Aabbs`](crate::Aabbs): element `i` belongs to box `i`.
#[derive(Clone, Copy, Debug)]
pub struct AabbColumns<C> {
    /// x, y and z of the lowest corners.
    pub min: [C; 3],
    /// x, y and z of the highest corners.
    pub max: [C; 3],
    /// x, y and z of the displacements during the frame.
    pub displacement: [C; 3],
}

/// One AABB per lane.
#[derive(Clone, Copy)]
pub struct WideAabb<F> {
    pub min: Vec3<F>,
    pub max: Vec3<F>,
}

impl Movable for Aabb {
    #[inline(always)]
    fn moved<L: Lanes>(lanes: L, aabb: WideAabb<L::F>, by: Vec3<L::F>) -> WideAabb<L::F> {
        WideAabb {
            min: stored(lanes, aabb.min + by),
            max: stored(lanes, aabb.max + by),
        }
    }
}

impl Shape for Aabb {
    type Fields<X: Send + Sync> = [X; 6];
    type Columns<C> = AabbColumns<C>;
    type Wide<F: Float> = WideAabb<F>;
    type Row = [f32; 8];
    type MovingRow = [f32; 16];
    type Turn<X: Send + Sync> = [X; 0];
    type FullMotion = Moving<Self>;
    type Stored = Self;
    const BOUNDS: Option<&'static BoundsOps> = Some(<Self as Bounded>::OPS);
    const ROW: usize = 12;
    const NAN_SLOTS: &'static [usize] = &[3, 7, 11];

    fn columns<C: Send + Sync>(
        fields: [C; 6],
        displacement: [C; 3],
        _turn: [C; 0],
    ) -> AabbColumns<C> {
        let [ax, ay, az, bx, by, bz] = fields;
        AabbColumns {
            min: [ax, ay, az],
            max: [bx, by, bz],
            displacement,
        }
    }

    fn fields<C: Send + Sync>(columns: AabbColumns<C>) -> ([C; 6], [C; 3], [C; 0]) {
        let ([ax, ay, az], [bx, by, bz]) = (columns.min, columns.max);
        ([ax, ay, az, bx, by, bz], columns.displacement, [])
    }

    fn defect(&self) -> Option<Defect> {
        length_defect("min", &self.min)
            .or_else(|| length_defect("max", &self.max))
            .or_else(|| {
                let axis = (0..3).find(|&k| self.min[k] > self.max[k])?;
                Some(Defect::MinAboveMax {
                    axis,
                    min: self.min[axis],
                    max: self.max[axis],
                })
            })
    }

    #[inline]
    fn translated(self, by: [f32; 3]) -> Self {
        Aabb {
            min: (Vec3(self.min) + Vec3(by)).0,
            max: (Vec3(self.max) + Vec3(by)).0,
        }
    }

    #[inline(always)]
    fn prepare<L: Lanes>(lanes: L, fields: [L::F; 6]) -> (WideAabb<L::F>, L::M) {
        let [ax, ay, az, bx, by, bz] = fields;
        let (min, max) = (Vec3([ax, ay, az]), Vec3([bx, by, bz]));
        // Ordered corners hold no NaN, so the lowest and highest coordinates suffice for the range check.
        let ordered = ax.le(bx) & ay.le(by) & az.le(bz);
        let (lowest, highest) = (ax.min(ay).min(az), bx.max(by).max(bz));
        let in_range = lanes.splat(-MAX_LENGTH).le(lowest) & highest.le(lanes.splat(MAX_LENGTH));
        (WideAabb { min, max }, ordered & in_range)
    }

    #[inline(always)]
    fn wide_size<F: Float>(aabb: WideAabb<F>) -> F {
        (aabb.max - aabb.min).sum()
    }

    #[inline(always)]
    fn wide_place<F: Float>(aabb: WideAabb<F>) -> Option<Vec3<F>> {
        Some(aabb.min)
    }

    #[inline(always)]
    fn to_row<F: Float>(shape: WideAabb<F>, row: &mut [F]) {
        row[..3].copy_from_slice(&shape.min.0);
        row[4..7].copy_from_slice(&(-shape.max).0);
        // Repeats `min`: the partners of both corners are then adjacent, and a row fills one cache line.
        if let Some(again) = row.get_mut(8..11) {
            again.copy_from_slice(&shape.min.0);
        }
    }

    #[inline(always)]
    fn from_row<F: Float>(row: &[F]) -> WideAabb<F> {
        WideAabb {
            min: Vec3([row[0], row[1], row[2]]),
            max: -Vec3([row[4], row[5], row[6]]),
        }
    }
}

/// Signed gaps between two AABBs along each axis, one pair per lane. The boxes touch if no gap is
/// above zero.
#[derive(Clone, Copy)]
pub struct AabbGaps<F> {
    /// `min` of A less `max` of B.
    pub below: Vec3<F>,
    /// `min` of B less `max` of A.
    pub above: Vec3<F>,
}

/// Adds `min` to the other box's `max`, which rows hold with the sign flipped.
const fn corner(quad: usize) -> Option<Partner> {
    Some(Partner::new(quad, [false; 4]))
}

impl RelativeShape for Aabb {
    type Relation<F: Float> = AabbGaps<F>;
    const PARTNERS: &'static [Option<Partner>] = &[corner(1), corner(0)];
    const MOVING_PARTNERS: &'static [Option<Partner>] =
        &[corner(1), corner(2), None, less_displacement(Self::ROW)];
    /// 16 lanes are joined from two gathers of 8 for almost no arithmetic, and divisions take twice as long:
    /// sweeps are 7 % slower, overlaps 4 % (notes: figures moved from the source).
    const ROW_LANES: usize = 8;

    #[inline(always)]
    fn relation<F: Float>(sums: &[F]) -> AabbGaps<F> {
        AabbGaps {
            below: Vec3([sums[0], sums[1], sums[2]]),
            above: Vec3([sums[4], sums[5], sums[6]]),
        }
    }

    #[inline(always)]
    fn distance<F: Float>(gaps: AabbGaps<F>) -> Vec3<F> {
        gaps.below
    }

    #[inline(always)]
    fn sum_of_sizes<F: Float>(gaps: AabbGaps<F>) -> F {
        (gaps.below + gaps.above).abs().sum()
    }
}

impl Bounded for Aabb {
    #[inline(always)]
    fn around<L: Lanes>(lanes: L, aabb: Self::Wide<L::F>) -> (BoundingBox<L::F>, L::F) {
        let (low, high) = (aabb.min, aabb.max);
        let size = (high - low).sum() * lanes.splat(0.5);
        (BoundingBox { low, high }, size)
    }
    write_bounds!();
}
