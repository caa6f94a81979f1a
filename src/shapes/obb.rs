//! Oriented bounding boxes.

use crate::error::{Defect, length_defect, number_defect, size_defect};
use crate::lane::{Float, Lanes, One, Vec3, stored};
use crate::math::rotation::{axes_of, is_good, squared_length, turned, turned_axes};
use crate::shapes::bounding_box::BoundingBox;
use crate::shapes::bounds::{Bounded, BoundedForm, write_bounds};
use crate::shapes::form::Moving;
use crate::shapes::raw_columns::{BoundsOps, Motion};
use crate::shapes::shape::{Array, Form, Movable, Prepared, Row, Shape, Vectors, in_range};

/// An oriented box: the points `center + R p` with `|p| <= half_extents` on each axis,
/// where `R` is the rotation by the normalised quaternion.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Obb {
    /// The center.
    pub center: [f32; 3],
    /// Half of each side, at least zero.
    pub half_extents: [f32; 3],
    /// A quaternion x, y, z, w. It is normalised before use; its length may differ from 1 by 1e-3.
    pub rotation: [f32; 4],
}

impl Default for Obb {
    /// A point at the origin, with the identity rotation.
    fn default() -> Self {
        Obb {
            center: [0.0; 3],
            half_extents: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
        }
    }
}

impl Obb {
    /// The box with this center, half of each side, and quaternion x, y, z, w.
    ///
    /// ```
    /// use phalanx::Obb;
    ///
    /// let plank = Obb::new([0.0, 1.0, 0.0], [2.0, 0.25, 0.5], [0.0, 0.0, 0.0, 1.0]);
    /// assert_eq!(plank, Obb { center: [0.0, 1.0, 0.0], half_extents: [2.0, 0.25, 0.5], ..Obb::default() });
    /// ```
    #[inline]
    pub fn new(
        center: impl Into<[f32; 3]>,
        half_extents: impl Into<[f32; 3]>,
        rotation: impl Into<[f32; 4]>,
    ) -> Self {
        Obb {
            center: center.into(),
            half_extents: half_extents.into(),
            rotation: rotation.into(),
        }
    }

    /// The box with the given `sat`: orthogonal unit vectors, right-handed (`axes[0] × axes[1] = axes[2]`), as the
    /// columns of a rotation matrix.
    ///
    /// The quaternion is rounded, so the axes of the box are within about 1e-7 of the given ones. If `sat` differ
    /// from a rotation by more than 1e-3, for example because a matrix scales or mirrors, the quaternion is NaN and
    /// the box invalid.
    ///
    /// ```
    /// use phalanx::Obb;
    ///
    /// // A rotation by 90° about z: the first side points along y.
    /// let axes = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    /// let rotation = Obb::from_axes([0.0; 3], [1.0, 2.0, 3.0], axes).rotation;
    /// assert!((rotation[2] - 0.5f32.sqrt()).abs() < 1e-6 && rotation[2] == rotation[3]);
    /// ```
    #[inline]
    pub fn from_axes(
        center: impl Into<[f32; 3]>,
        half_extents: impl Into<[f32; 3]>,
        axes: [impl Into<[f32; 3]>; 3],
    ) -> Self {
        Obb::new(center, half_extents, rotation_of(axes.map(Into::into)))
    }

    /// The box with a quaternion in the order w, x, y, z.
    ///
    /// ```
    /// use phalanx::Obb;
    ///
    /// assert_eq!(Obb::from_wxyz([0.0; 3], [1.0; 3], [1.0, 0.0, 0.0, 0.0]).rotation, [0.0, 0.0, 0.0, 1.0]);
    /// ```
    pub const fn from_wxyz(
        center: [f32; 3],
        half_extents: [f32; 3],
        [w, x, y, z]: [f32; 4],
    ) -> Self {
        Obb {
            center,
            half_extents,
            rotation: [x, y, z, w],
        }
    }
}

/// The quaternion of a rotation with these axes, NaN if they are no rotation.
fn rotation_of(axes: [[f32; 3]; 3]) -> [f32; 4] {
    if !is_rotation(axes.map(Vec3)) {
        return [f32::NAN; 4];
    }
    let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = axes;
    // Each candidate is 4 q_k q for one k; the candidate with the largest q_k avoids cancellation.
    let candidates = [
        [1.0 + xx - yy - zz, xy + yx, zx + xz, yz - zy],
        [xy + yx, 1.0 + yy - xx - zz, yz + zy, zx - xz],
        [zx + xz, yz + zy, 1.0 + zz - xx - yy, xy - yx],
        [yz - zy, zx - xz, xy - yx, 1.0 + xx + yy + zz],
    ];
    let mut best = 3;
    for k in 0..3 {
        if candidates[k][k] > candidates[best][best] {
            best = k;
        }
    }
    let q = candidates[best];
    let length = Float::sqrt(squared_length::<One>(q));
    q.map(|x| x / length)
}

/// Whether axes are orthonormal and right-handed, within the tolerance of a rotation.
fn is_rotation([x, y, z]: [Vec3<f32>; 3]) -> bool {
    const OFF: f32 = 1e-3;
    let is_unit = |axis: Vec3<f32>| (UNIT_RANGE.0..=UNIT_RANGE.1).contains(&axis.dot(axis));
    let is_across = |a: Vec3<f32>, b: Vec3<f32>| a.dot(b).abs() <= OFF;
    is_unit(x)
        && is_unit(y)
        && is_unit(z)
        && is_across(x, y)
        && is_across(y, z)
        && is_across(z, x)
        && x.cross(y).dot(z) > 0.0
}

/// The columns of [`Obbs`](crate::Obbs): element `i` belongs to box `i`.
#[derive(Clone, Copy, Debug)]
pub struct ObbColumns<C> {
    /// x, y and z of the centers.
    pub center: [C; 3],
    /// x, y and z of the half extents.
    pub half_extents: [C; 3],
    /// x, y, z and w of the quaternions.
    pub rotation: [C; 4],
    /// x, y and z of the displacements during the frame.
    pub displacement: [C; 3],
    /// x, y and z of the turns during the frame, rotation vectors. Empty if no box rotates.
    pub turn: [C; 3],
}

/// One OBB per lane.
///
/// The axes are within [`AXIS_ERROR`] of the exact ones.
#[derive(Clone, Copy)]
pub struct WideObb<F> {
    pub center: Vec3<F>,
    pub half_extents: Vec3<F>,
    /// The box's unit x, y and z axes in world coordinates.
    pub axes: [Vec3<F>; 3],
    /// The radius of the bounding sphere, off by 4 u of it or 2⁻⁷⁴.
    pub radius: F,
}

/// Error bound of each computed axis: the length of its difference from the exact axis, in units of
/// u = 2⁻²⁴.
///
/// Let n be the exact |q|², γₖ = k u / (1 − k u), and θₖ any number with |θₖ| ≤ γₖ.
///
/// - `squared` sums terms ≥ 0 that round three times each, so it is n (1 + θ₃); r rounds once more,
///   r = (1 + θ₄) / n, and doubling it is exact.
/// - On the diagonal, squares and inner sums round twice: (ww + xx) − (yy + zz) moves by at most γ₂ n,
///   because the absolute values of its terms sum to n. The difference, r and the last product make a
///   factor 1 + θ₆. So the entry errs by γ₆ of itself and (1 + γ₆) γ₂.
/// - Off the diagonal, xy and wz round once: their sum moves by u (|xy| + |wz|) ≤ u n / 2, the entry by u.
///   The sum, r and the last product make a factor 1 + θ₆ again: γ₆ of the entry and (1 + γ₆) u.
///
/// An axis has length 1, so the relative parts have length γ₆. The other parts, 2 u, u and u to first
/// order, have length √6 u. The total is 8.45 u, and below 8.46 u with the second order (40 u²) and
/// underflow of products (2⁻¹⁴⁶). The kernels' proofs use 8.5 u or this constant, which leaves a margin.
pub(crate) const AXIS_ERROR: f32 = 10.0;

/// Limits of the squared length of a valid quaternion: 1 ∓ 1e-3, squared.
const UNIT_RANGE: (f32, f32) = (0.998_001, 1.002_001);

/// The first defect of a quaternion.
pub(crate) fn rotation_defect(rotation: &[f32; 4]) -> Option<Defect> {
    number_defect("rotation", rotation).or_else(|| {
        let squared = squared_length::<One>(*rotation);
        let unit = UNIT_RANGE.0 <= squared && squared <= UNIT_RANGE.1;
        let length = Float::sqrt(squared);
        (!unit).then_some(Defect::NotUnit { length })
    })
}

impl Movable for Obb {
    #[inline(always)]
    fn moved<L: Lanes>(lanes: L, obb: WideObb<L::F>, by: Vec3<L::F>) -> WideObb<L::F> {
        WideObb {
            center: stored(lanes, obb.center + by),
            ..obb
        }
    }
}

/// A box with its displacement and its turn during the frame.
pub struct Turning;

/// The kernel input of a rotating box.
#[derive(Clone, Copy)]
pub struct WideTurning<F> {
    /// The box at the start of the frame.
    pub start: WideObb<F>,
    /// The displacement during the frame.
    pub displacement: Vec3<F>,
    /// The rotation vector of the frame.
    pub turn: Vec3<F>,
}

impl<F: Float> WideTurning<F> {
    /// The axes at time `time`.
    #[inline(always)]
    pub fn axes_at<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, time: F) -> [Vec3<F>; 3] {
        turned_axes(lanes, self.start.axes, self.turn * time)
    }
}

impl Form for Turning {
    type Shape = Obb;
    type Row = [f32; 24];
    type Wide<F: Float> = WideTurning<F>;
    const MOTION: Motion = Motion::Turning;

    #[inline(always)]
    fn prepare<L: Lanes>(
        lanes: L,
        fields: [L::F; 10],
        displacement: [L::F; 3],
        turn: [L::F; 3],
    ) -> Prepared<Self, L> {
        let moving = Moving::<Obb>::prepare(lanes, fields, displacement, turn);
        let mut row = <[f32; 24] as Row>::Vectors::splat(lanes.splat(0.0));
        row[..19].copy_from_slice(&moving.row[..19]);
        row[19..22].copy_from_slice(&turn);
        Prepared {
            row,
            good: moving.good & is_good(lanes, Vec3(turn)),
        }
    }

    #[inline(always)]
    fn unpack<F: Float>(row: [F; 24]) -> WideTurning<F> {
        WideTurning {
            start: Obb::from_row(&row),
            displacement: Vec3([row[16], row[17], row[18]]),
            turn: Vec3([row[19], row[20], row[21]]),
        }
    }

    #[inline(always)]
    fn shape<F: Float>(turning: WideTurning<F>) -> WideObb<F> {
        turning.start
    }

    #[inline(always)]
    fn displacement<F: Float>(turning: WideTurning<F>) -> Option<Vec3<F>> {
        Some(turning.displacement)
    }

    #[inline(always)]
    fn during<F: Float>(turning: WideTurning<F>, part: F) -> WideTurning<F> {
        WideTurning {
            displacement: turning.displacement * part,
            turn: turning.turn * part,
            ..turning
        }
    }
}

impl Shape for Obb {
    type Fields<X: Send + Sync> = [X; 10];
    type Columns<C> = ObbColumns<C>;
    type Wide<F: Float> = WideObb<F>;
    type Row = [f32; 16];
    type MovingRow = [f32; 20];
    type Turn<X: Send + Sync> = [X; 3];
    type FullMotion = Turning;
    type Stored = Self;
    const BOUNDS: Option<&'static BoundsOps> = Some(<Self as Bounded>::OPS);
    const ROW: usize = 16;

    fn columns<C: Send + Sync>(
        fields: [C; 10],
        displacement: [C; 3],
        turn: [C; 3],
    ) -> ObbColumns<C> {
        let [cx, cy, cz, hx, hy, hz, x, y, z, w] = fields;
        ObbColumns {
            center: [cx, cy, cz],
            half_extents: [hx, hy, hz],
            rotation: [x, y, z, w],
            displacement,
            turn,
        }
    }

    fn fields<C: Send + Sync>(columns: ObbColumns<C>) -> ([C; 10], [C; 3], [C; 3]) {
        let ([cx, cy, cz], [hx, hy, hz]) = (columns.center, columns.half_extents);
        let [x, y, z, w] = columns.rotation;
        let fields = [cx, cy, cz, hx, hy, hz, x, y, z, w];
        (fields, columns.displacement, columns.turn)
    }

    fn defect(&self) -> Option<Defect> {
        length_defect("center", &self.center)
            .or_else(|| size_defect("half_extents", &self.half_extents))
            .or_else(|| rotation_defect(&self.rotation))
    }

    #[inline]
    fn translated(self, by: [f32; 3]) -> Self {
        Obb {
            center: (Vec3(self.center) + Vec3(by)).0,
            ..self
        }
    }

    fn turned(self, by: [f32; 3]) -> Self {
        if by == [0.0; 3] {
            return self;
        }
        Obb {
            rotation: turned(self.rotation, by),
            ..self
        }
    }

    #[inline(always)]
    fn prepare<L: Lanes>(lanes: L, fields: [L::F; 10]) -> (WideObb<L::F>, L::M) {
        let [cx, cy, cz, hx, hy, hz, x, y, z, w] = fields;
        let (center, half_extents) = (Vec3([cx, cy, cz]), Vec3([hx, hy, hz]));
        let (zero, squared) = (lanes.splat(0.0), squared_length::<L>([x, y, z, w]));
        let good = in_range(lanes, [cx, cy, cz, hx, hy, hz])
            & zero.le(hx)
            & zero.le(hy)
            & zero.le(hz)
            & lanes.splat(UNIT_RANGE.0).le(squared)
            & squared.le(lanes.splat(UNIT_RANGE.1));

        (
            WideObb {
                center,
                half_extents,
                axes: axes_of(lanes, [x, y, z, w]),
                radius: half_extents.dot(half_extents).sqrt(),
            },
            good,
        )
    }

    #[inline(always)]
    fn wide_size<F: Float>(obb: WideObb<F>) -> F {
        let half = obb.half_extents.sum();
        half + half
    }

    #[inline(always)]
    fn wide_place<F: Float>(obb: WideObb<F>) -> Option<Vec3<F>> {
        Some(obb.center)
    }

    #[inline(always)]
    fn to_row<F: Float>(shape: WideObb<F>, row: &mut [F]) {
        row[..3].copy_from_slice(&shape.center.0);
        row[3] = shape.radius;
        row[4..7].copy_from_slice(&shape.half_extents.0);
        row[7..10].copy_from_slice(&shape.axes[0].0);
        row[10..13].copy_from_slice(&shape.axes[1].0);
        row[13..16].copy_from_slice(&shape.axes[2].0);
    }

    #[inline(always)]
    fn from_row<F: Float>(row: &[F]) -> WideObb<F> {
        WideObb {
            center: Vec3([row[0], row[1], row[2]]),
            radius: row[3],
            half_extents: Vec3([row[4], row[5], row[6]]),
            axes: [
                Vec3([row[7], row[8], row[9]]),
                Vec3([row[10], row[11], row[12]]),
                Vec3([row[13], row[14], row[15]]),
            ],
        }
    }
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

/// The half extents of an OBB's bounding box along the world axes.
#[inline(always)]
fn extent<F: Float>(obb: WideObb<F>) -> Vec3<F> {
    let [x, y, z] = obb.axes;
    let [a, b, c] = obb.half_extents.0;
    x.abs() * a + y.abs() * b + z.abs() * c
}
