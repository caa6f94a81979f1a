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

use core::ops::Range;

use crate::lane::{Float, Job, Lanes, MAX_LANES, Mask, Simd, Vec3};
use crate::limits::MAX_LENGTH;
use crate::shapes::aabb::Aabb;
use crate::shapes::bounding_box::BoundingBox;
use crate::shapes::capsule::Capsule;
use crate::shapes::form::{Form, Motion, Moving, Static, Vectors, WideMoving};
use crate::shapes::obb::{Obb, Turning, WideObb, WideTurning};
use crate::shapes::point::Point;
use crate::shapes::shape::Shape;
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use crate::store::aliases::Aabbs;
use crate::store::columns::{AnyColumns, Columns};
use crate::store::store::{Shapes, Store, StoreRef};

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

/// The bounds of a kind of shapes, untyped.
pub struct BoundsOps {
    /// Writes the bounds of the shapes from a given one on.
    pub write: fn(&AnyColumns<'_>, Motion, Simd, usize, BoundsTo<'_>) -> Centers,
    /// Worst-case growth along a world axis, per unit of margin.
    pub growth: f32,
}

/// Destination of bounds. An invalid shape is written as NaN in columns and +∞ in rows.
pub enum BoundsTo<'t> {
    /// The columns of AABBs.
    Columns([&'t mut [f32]; 6]),
    /// For each box `min` and a zero, then `max` with the sign flipped and a zero.
    Rows(&'t mut [[f32; 8]]),
}

impl BoundsTo<'_> {
    fn len(&self) -> usize {
        match self {
            BoundsTo::Columns([column, ..]) => column.len(),
            BoundsTo::Rows(rows) => rows.len(),
        }
    }

    /// The bounds of a range of its boxes.
    fn part(&mut self, range: Range<usize>) -> BoundsTo<'_> {
        match self {
            BoundsTo::Columns(columns) => {
                BoundsTo::Columns(columns.each_mut().map(|column| &mut column[range.clone()]))
            }
            BoundsTo::Rows(rows) => BoundsTo::Rows(&mut rows[range]),
        }
    }
}

/// The AABB of the centers of bounds, times two, and the number of shapes without bounds.
#[derive(Clone, Copy, Debug)]
pub struct Centers {
    pub low: [f32; 3],
    pub high: [f32; 3],
    /// Number of invalid shapes.
    pub invalid: usize,
}

impl Centers {
    /// The empty box.
    pub fn none() -> Self {
        Centers {
            low: [f32::INFINITY; 3],
            high: [f32::NEG_INFINITY; 3],
            invalid: 0,
        }
    }

    /// The AABB of both boxes.
    pub fn union(mut self, other: Self) -> Self {
        for k in 0..3 {
            self.low[k] = Float::min(self.low[k], other.low[k]);
            self.high[k] = Float::max(self.high[k], other.high[k]);
        }
        self.invalid += other.invalid;
        self
    }
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
trait BoundedForm: Form {
    /// The AABB of the swept shape, and its size including the displacement.
    fn around<L: Lanes>(lanes: L, row: Vectors<Self, L>) -> (BoundingBox<L::F>, L::F);
}

impl<T: Bounded> BoundedForm for Static<T> {
    #[inline(always)]
    fn around<L: Lanes>(lanes: L, row: Vectors<Self, L>) -> (BoundingBox<L::F>, L::F) {
        T::around(lanes, <Self as Form>::unpack(row))
    }
}

impl BoundedForm for Turning {
    /// Two limits on the extent of a rotating box along an axis: the bounding sphere, and the extent at the start plus
    /// the arc length of a corner. The radius is off by 4 u, the angle by 3 u of itself, at most π: 36 u of the size in
    /// all.
    #[inline(always)]
    fn around<L: Lanes>(_lanes: L, row: Vectors<Self, L>) -> (BoundingBox<L::F>, L::F) {
        let WideTurning {
            start,
            displacement,
            turn,
        } = <Self as Form>::unpack(row);
        let [x, y, z] = extent(start).0;
        let travel = start.radius * turn.dot(turn).sqrt();
        let most = start.radius;
        let extent = Vec3([
            (x + travel).min(most),
            (y + travel).min(most),
            (z + travel).min(most),
        ]);
        let (low, high) = (start.center - extent, start.center + extent);
        let around = BoundingBox { low, high }.swept(displacement);
        (around, start.half_extents.sum() + displacement.abs().sum())
    }
}

impl<T: Bounded> BoundedForm for Moving<T> {
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
    let by = size * lanes.splat(WIDENING) + lanes.splat(BOUNDS_FLOOR);
    let (least, most) = (lanes.splat(-MAX_LENGTH), lanes.splat(MAX_LENGTH));
    let rounding = lanes.splat(ROUNDING);
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

/// Implements `write_bounds` once per shape, without type parameters, so that users do not compile it again.
macro_rules! write_bounds {
    () => {
        #[inline(never)]
        fn write_bounds(
            columns: &Columns<'_, Self>,
            motion: Motion,
            simd: Simd,
            first: usize,
            to: BoundsTo<'_>,
        ) -> Centers {
            let (mut to, mut centers) = (to, Centers::none());
            columns.without_strides(first, to.len(), |columns, first, range| {
                // At most one lane per element.
                let simd = simd.filled_by(range.len());
                let to = to.part(range);
                centers = centers.union(match motion {
                    Motion::None => simd.run(WriteBounds::<Static<Self>> { columns, first, to }),
                    Motion::Straight => {
                        simd.run(WriteBounds::<Moving<Self>> { columns, first, to })
                    }
                    Motion::Turning => {
                        simd.run(WriteBounds::<<Self as Shape>::FullMotion> { columns, first, to })
                    }
                });
            });
            centers
        }
    };
}

impl Bounded for Sphere {
    #[inline(always)]
    fn around<L: Lanes>(_lanes: L, sphere: Self::Wide<L::F>) -> (BoundingBox<L::F>, L::F) {
        (
            BoundingBox::of_sphere(sphere.center, sphere.radius),
            sphere.radius,
        )
    }
    write_bounds!();
}

impl Bounded for Point {
    #[inline(always)]
    fn around<L: Lanes>(lanes: L, point: Self::Wide<L::F>) -> (BoundingBox<L::F>, L::F) {
        let (low, high) = (point.position, point.position);
        (BoundingBox { low, high }, lanes.splat(0.0))
    }
    write_bounds!();
}

impl Bounded for Capsule {
    /// The size is off by 3 u, the extent along an axis by one.
    #[inline(always)]
    fn around<L: Lanes>(_lanes: L, capsule: Self::Wide<L::F>) -> (BoundingBox<L::F>, L::F) {
        let extent = capsule.half_axis.abs();
        let half_extents = extent + Vec3([capsule.radius; 3]);
        let (low, high) = (capsule.center - half_extents, capsule.center + half_extents);
        (BoundingBox { low, high }, extent.sum() + capsule.radius)
    }
    write_bounds!();
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

/// The half extents of an OBB's bounding box along the world axes.
#[inline(always)]
fn extent<F: Float>(obb: WideObb<F>) -> Vec3<F> {
    let [x, y, z] = obb.axes;
    let [a, b, c] = obb.half_extents.0;
    x.abs() * a + y.abs() * b + z.abs() * c
}

impl Bounded for Obb {
    /// √3, rounded up: the growth along a world axis at equal angles to all three box axes.
    const GROWTH: f32 = 1.7321;

    /// The extent along a world axis is the sum of the projected half extents. Axes are off by 8.5 u; products
    /// and sums round three times: 12 u of the size.
    #[inline(always)]
    fn around<L: Lanes>(_lanes: L, obb: Self::Wide<L::F>) -> (BoundingBox<L::F>, L::F) {
        let extent = extent(obb);
        let (low, high) = (obb.center - extent, obb.center + extent);
        (BoundingBox { low, high }, obb.half_extents.sum())
    }
    write_bounds!();
}

impl Bounded for Triangle {
    /// √3, rounded up: the growth of the triangle's prism at a corner.
    const GROWTH: f32 = 1.7321;

    /// Corners are off by 64 u of the longest edge, so the size is a sixteenth larger, for a wider margin.
    #[inline(always)]
    fn around<L: Lanes>(lanes: L, triangle: Self::Wide<L::F>) -> (BoundingBox<L::F>, L::F) {
        let [a, b, c] = triangle.corners();
        let (mut low, mut high) = (a, a);
        let mut k = 0;
        while k < 3 {
            low.0[k] = a.0[k].min(b.0[k]).min(c.0[k]);
            high.0[k] = a.0[k].max(b.0[k]).max(c.0[k]);
            k += 1;
        }
        let size = triangle.length * lanes.splat(1.0625);
        (BoundingBox { low, high }, size)
    }
    write_bounds!();
}

impl<T: Bounded> Store<T> {
    /// Writes the bounding box of each shape, for use by any broad phase.
    ///
    /// Without a margin, the bounds of every pair that [`overlap`](crate::Detector::overlap) reports overlap.
    /// With [`During::Frame`], so do the bounds of every pair that [`sweep`](crate::Detector::sweep) or
    /// [`impact`](crate::Detector::impact) reports.
    ///
    /// Replaces the contents of `out` by one stationary box per shape. The boxes are tight to about 1e-4 of the
    /// shape's size and displacement, and clamped to [`MAX_LENGTH`]. The box of an invalid shape is NaN; an
    /// invalid displacement affects [`During::Frame`] only.
    ///
    /// ```
    /// use phalanx::{Aabbs, During, Sphere, Spheres};
    ///
    /// let mut spheres = Spheres::new();
    /// spheres.push_moving(Sphere { center: [0.0; 3], radius: 1.0 }, [5.0, 0.0, 0.0]);
    /// let mut bounds = Aabbs::new();
    /// spheres.bounds(During::Frame, &mut bounds);
    /// let around = bounds.get(0).unwrap();
    /// assert!(around.min[0] < -1.0 && 6.0 < around.max[0] && around.max[0] < 6.01);
    /// ```
    ///
    /// Planes and half-spaces are unbounded and have no bounding box:
    ///
    /// ```compile_fail,E0277
    /// # use phalanx::{Aabbs, During, Planes};
    /// Planes::new().bounds(During::Start, &mut Aabbs::new());
    /// ```
    pub fn bounds(&self, during: During, out: &mut Aabbs) {
        self.view().bounds(during, out);
    }
}

impl<T: Bounded> StoreRef<'_, T> {
    /// Writes the bounding box of each shape, see [`Store::bounds`].
    pub fn bounds(&self, during: During, out: &mut Aabbs) {
        out.resize(self.len());
        let columns = Columns::of(self);
        let boxes = out.columns_mut();
        let ([ax, ay, az], [bx, by, bz]) = (boxes.min, boxes.max);
        for column in boxes.displacement {
            column.fill(0.0);
        }
        let to = BoundsTo::Columns([ax, ay, az, bx, by, bz]);
        T::write_bounds(&columns, during.motion(), Simd::best(), 0, to);
    }
}
