//! Conservative AABBs for the broad phase: the bounds of every reported pair overlap, or with a margin are within
//! [`bounds_margin`].
//!
//! # Proof
//!
//! For a shape, let A be the sum of its half extents, or its radius. Let V be the sum of the absolute coordinates
//! of its displacement (0 at the start of the frame), and u = 2⁻²⁴.
//!
//! **Bounds extend beyond the swept shape, by 2030 u (A + V) + 2⁻⁵⁷ on each side.** Let E be the exact lowest
//! coordinate of the swept shape. The computed end of the shape at the start is off by 13 u A at most
//! ([`Bounded::around`]) and rounds once, by u of itself; the displacement rounds it once more. So L, the lower
//! of both ends, is at most 2.1 u |L| + 14 u A + 2 u V off E. Two terms are subtracted from L. The first is the
//! size, A + V to within 5 u of it, times 2048 u, plus 2⁻⁵⁶; the second is 4 u |L|. The subtraction rounds by u
//! of |L| and of both terms. So the
//! result is below E + 3.2 u |L| − 4 u (1 − 3 u) |L| + 14 u A + 2 u V − (2048 u (A + V) + 2⁻⁵⁶) (1 − 9 u),
//! so below E − 2030 u (A + V) − 2⁻⁵⁷. Underflow contributes less than 2⁻¹⁴⁵ in all. The highest coordinate
//! follows by symmetry.
//!
//! For a rotating box, the end is off by 36 u A ([`BoundedForm::around`]), which leaves 2000 u.
//!
//! **Hits are near.** Let m be the margin, and g the least gap between two shapes reported as a hit, taken at some time
//! t of the frame (or at its start). By the error bands in the kernel files, g ≤ c m + 450 u (S + 3 m) + 2⁻⁵⁸. S is the
//! sum of ‖P₀‖₁, ‖P₁‖₁, ‖v‖₁, A and B: the offset of the centers at both ends of the frame, the relative displacement,
//! and both sizes. c is 1, or √3 if OBBs grow along their own axes. (A gap along box axes counts √3 times, as in
//! `cull.rs`; the widest band of a kernel is then 220 u S. A triangle's A is its longest edge, so two static triangles
//! have at most 284 u S. Two moving triangles have 568 u (A + B) + 81 u ‖P‖₁ + 118 u V, ‖P‖₁ ≤ √3 (A + B + g) + V: at
//! most 710 u (A + B) + 200 u V, less than the last line.) At time t, ‖P‖₁ ≤ √3 |P| ≤ √3 (A + B + g), and ‖P₀‖₁ +
//! ‖P₁‖₁ ≤ 2 ‖P‖₁ + ‖v‖₁. So S ≤ 4.47 (A + B) + 2 V + 3.47 g, where V is now the sum over both shapes. g exceeds c m
//! only slightly, so S ≤ 4.5 (A + B) + 2.01 V + 6.1 m + 2⁻⁵⁰. So g is at most c m (1 + 4100 u) plus 2025 u (A + B +
//! V) + 2⁻⁵⁷.
//!
//! **So their bounds are at most [`bounds_margin`] apart**: on each axis, the gap between the exact boxes is at most
//! g, and each box extends further by its share of the second part. Differences of ends round, but not past
//! the reach, which is a float and at least c m (1 + 4100 u).
//!
//! Clamping ends to [`MAX_LENGTH`] increases no gap.
//!
//! **A point at rest is its own bounds.** Its A and V are 0, so it has no share of the second part but 2⁻⁵⁷, which the other
//! shape has as well: no kernel of hits has two points. Its ends do not round, and differences of two ends round monotonically, so
//! two points within the margin stay within the reach.

use crate::lane::{Float, Job, Lanes, MAX_LANES, Mask, Simd, Vec3};
use crate::limits::MAX_LENGTH;
use crate::shapes::bounding_box::BoundingBox;
use crate::shapes::columns::Columns;
use crate::shapes::form::{Moving, Static, WideMoving};
use crate::shapes::raw_columns::{BoundsOps, BoundsTo, Centers, Motion};
use crate::shapes::shape::{Form, Shape, Vectors};

/// The times of the frame that bounds cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum During {
    /// The start of the frame, as for overlaps: displacements are ignored.
    Start,
    /// The whole frame, as for sweeps and impacts: bounds enclose the shape along its displacement, and a box during
    /// its whole rotation.
    Frame,
    /// The whole frame, with the path of each shape of the first store in place of its bounds: a long ray has few
    /// pairs. Shapes of the second store have the bounds of [`Frame`](Self::Frame).
    Way,
}

impl During {
    /// Motion covered by the bounds of these times.
    pub(crate) fn motion(self) -> Motion {
        match self {
            During::Start => Motion::None,
            During::Frame | During::Way => Motion::Turning,
        }
    }
}

/// Shapes with a bounding box: all except planes and half-spaces.
///
/// Sealed: its parts are not nameable outside the crate.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is unbounded and has no bounding box",
    label = "not a bounded shape"
)]
pub trait Bounded: Shape {
    /// Worst-case growth along a world axis, per unit of margin.
    #[doc(hidden)]
    const GROWTH: f32 = 1.0;
    /// Whether the AABB of the shape is exact: at rest its bounds are that box.
    #[doc(hidden)]
    const IS_EXACT: bool = false;
    /// The AABB of the shape, and its size: the sum of its half extents, or its radius. The box is off by 13 u
    /// of the size before a last rounding, the size by 3 u of itself.
    #[doc(hidden)]
    fn around<L: Lanes>(lanes: L, shape: Self::Wide<L::F>) -> (BoundingBox<L::F>, L::F);
    /// The bounds of these shapes, untyped.
    #[doc(hidden)]
    const OPS: &'static BoundsOps = &BoundsOps {
        write: |columns, motion, simd, first, to| {
            Self::write_bounds(&columns.typed(), motion, simd, first, to)
        },
        growth: Self::GROWTH,
    };
    /// Writes the bounds of the shapes from `first` on, until `to` is full.
    #[doc(hidden)]
    fn write_bounds(
        columns: &Columns<'_, Self>,
        motion: Motion,
        simd: Simd,
        first: usize,
        to: BoundsTo<'_>,
    ) -> Centers;
}

/// Widening of each side relative to the size of the shape and its displacement: 2048 u.
const WIDENING: f32 = 1.0 / 8192.0;
/// Widening relative to the coordinate: 4 u.
const ROUNDING: f32 = 1.0 / (1 << 22) as f32;
/// Absolute widening: 2⁻⁵⁶.
const BOUNDS_FLOOR: f32 = 1.0 / (1u64 << 56) as f32;

/// The largest gap between the bounds of shapes within the margin; `growth` is the larger of both shapes.
pub fn bounds_margin(margin: f32, growth: f32) -> f32 {
    let grown = margin * growth;
    // 0 without a margin: the bounds already include BOUNDS_FLOOR.
    grown + grown * (4.0 * WIDENING)
}

/// A form of bounded shapes.
pub trait BoundedForm: Form {
    /// Whether the AABB of a shape at rest is exact.
    const IS_EXACT: bool = false;
    /// The AABB of the swept shape, and its size including the displacement.
    fn around<L: Lanes>(lanes: L, row: Vectors<Self, L>) -> (BoundingBox<L::F>, L::F);
}

impl<T: Bounded> BoundedForm for Static<T> {
    const IS_EXACT: bool = T::IS_EXACT;

    #[inline(always)]
    fn around<L: Lanes>(lanes: L, row: Vectors<Self, L>) -> (BoundingBox<L::F>, L::F) {
        T::around(lanes, <Self as Form>::unpack(row))
    }
}

impl<T: Bounded> BoundedForm for Moving<T> {
    const IS_EXACT: bool = T::IS_EXACT;

    #[inline(always)]
    fn around<L: Lanes>(lanes: L, row: Vectors<Self, L>) -> (BoundingBox<L::F>, L::F) {
        let WideMoving {
            start,
            displacement,
        } = <Self as Form>::unpack(row);
        let (around, size) = T::around(lanes, start);
        (around.swept(displacement), size + displacement.abs().sum())
    }
}

/// The bounds of one row per lane, rounded outwards.
#[inline(always)]
fn bounds<F: BoundedForm, L: Lanes>(lanes: L, row: Vectors<F, L>) -> BoundingBox<L::F> {
    let (BoundingBox { low, high }, size) = F::around(lanes, row);
    let mut by = size * lanes.splat(WIDENING) + lanes.splat(BOUNDS_FLOOR);
    let (least, most) = (lanes.splat(-MAX_LENGTH), lanes.splat(MAX_LENGTH));
    let mut rounding = lanes.splat(ROUNDING);
    if F::IS_EXACT {
        let widened = lanes.splat(0.0).lt(size);
        (by, rounding) = (by.masked(widened), rounding.masked(widened));
    }
    let mut k = 0;
    let (mut lowest, mut highest) = (low.0, high.0);
    while k < 3 {
        lowest[k] = (low.0[k] - (low.0[k].abs() * rounding + by))
            .max(least)
            .min(most);
        highest[k] = (high.0[k] + (high.0[k].abs() * rounding + by))
            .max(least)
            .min(most);
        k += 1;
    }
    BoundingBox {
        low: Vec3(lowest),
        high: Vec3(highest),
    }
}

/// Writes the bounds of consecutive shapes.
struct WriteBounds<'w, 'c, 't, F: Form> {
    columns: &'w Columns<'c, F::Shape>,
    first: usize,
    to: BoundsTo<'t>,
}

impl<F: BoundedForm> Job for WriteBounds<'_, '_, '_, F> {
    type Output = Centers;

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) -> Centers {
        let len = self.to.len();
        let infinity = lanes.splat(f32::INFINITY);
        let (mut least, mut greatest) = ([infinity; 3], [-infinity; 3]);
        let (mut at, mut invalid) = (0, 0);
        while at < len {
            // A short last group starts earlier and rewrites some bounds.
            let start = at.min(len - L::COUNT);
            let prepared = self.columns.fetch::<F, L>(lanes, self.first + start);
            let good = prepared.good;
            // Lanes before `at` were counted by the group before.
            invalid += ((!good).bits() >> (at - start)).count_ones() as usize;
            let BoundingBox { low, high } = bounds::<F, L>(lanes, prepared.row);
            let mut k = 0;
            while k < 3 {
                let center = low.0[k] + high.0[k];
                least[k] = center.select(good, infinity).min(least[k]);
                greatest[k] = center.select(good, -infinity).max(greatest[k]);
                k += 1;
            }
            match &mut self.to {
                BoundsTo::Columns(columns) => {
                    let nan = lanes.splat(f32::NAN);
                    let mut k = 0;
                    while k < 3 {
                        lanes.store(low.0[k].select(good, nan), &mut columns[k][start..]);
                        lanes.store(high.0[k].select(good, nan), &mut columns[3 + k][start..]);
                        k += 1;
                    }
                }
                BoundsTo::Rows(rows) => {
                    let zero = lanes.splat(0.0);
                    let [ax, ay, az] = low.0;
                    let [bx, by, bz] = (-high).0;
                    let row = [
                        ax.select(good, infinity),
                        ay.select(good, infinity),
                        az.select(good, infinity),
                        zero,
                        bx.select(good, infinity),
                        by.select(good, infinity),
                        bz.select(good, infinity),
                        zero,
                    ];
                    lanes.scatter(row, &mut rows[start..]);
                }
            }
            at += L::COUNT;
        }
        let (mut all, mut centers) = ([0.0; MAX_LANES], Centers::none());
        centers.invalid = invalid;
        for k in 0..3 {
            lanes.store(least[k], &mut all);
            for &x in &all[..L::COUNT] {
                centers.low[k] = Float::min(centers.low[k], x);
            }
            lanes.store(greatest[k], &mut all);
            for &x in &all[..L::COUNT] {
                centers.high[k] = Float::max(centers.high[k], x);
            }
        }
        centers
    }
}

/// Writes the bounds of the shapes of any columns.
#[inline(always)]
pub fn write<T: Bounded>(
    columns: &Columns<'_, T>,
    motion: Motion,
    simd: Simd,
    first: usize,
    mut to: BoundsTo<'_>,
) -> Centers
where
    T::FullMotion: BoundedForm,
{
    let mut centers = Centers::none();
    // Without turns, the bounds are those of straight motion, and at rest those at the start: bit by bit.
    let motion = match motion {
        Motion::Turning if !columns.rotate() => Motion::Straight,
        motion => motion,
    };
    columns.without_strides(first, to.len(), |columns, first, range| {
        // At most one lane per element.
        let simd = simd.filled_by(range.len());
        let to = to.part(range);
        centers = centers.union(match motion {
            Motion::None => simd.run(WriteBounds::<Static<T>> { columns, first, to }),
            Motion::Straight => simd.run(WriteBounds::<Moving<T>> { columns, first, to }),
            Motion::Turning => simd.run(WriteBounds::<T::FullMotion> { columns, first, to }),
        });
    });
    centers
}

/// Implements `write_bounds` once per shape, without type parameters, so that users do not compile it again.
macro_rules! write_bounds {
    () => {
        #[inline(never)]
        fn write_bounds(
            columns: &$crate::shapes::columns::Columns<'_, Self>,
            motion: $crate::shapes::raw_columns::Motion,
            simd: $crate::lane::Simd,
            first: usize,
            to: $crate::shapes::raw_columns::BoundsTo<'_>,
        ) -> $crate::shapes::raw_columns::Centers {
            $crate::shapes::bounds::write(columns, motion, simd, first, to)
        }
    };
}
pub(crate) use write_bounds;
