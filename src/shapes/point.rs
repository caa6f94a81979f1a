//! Points; a moving point is a ray.

use core::any::TypeId;

use crate::error::{Defect, length_defect};
use crate::lane::{Float, Lanes, Vec3};
use crate::shapes::bounding_box::BoundingBox;
use crate::shapes::bounds::{Bounded, write_bounds};
use crate::shapes::form::Moving;
use crate::shapes::raw_columns::BoundsOps;
use crate::shapes::shape::{Shape, in_range};
use crate::shapes::sphere::Sphere;

/// A point. A moving point is a ray: a segment from `position` along its displacement.
///
/// A sweep returns where the ray enters and exits the other shape, as fractions of its length: 0 and 1 if it
/// starts and ends inside.
///
/// An endless ray is one as long as the scene: its direction times the largest distance in it. Displacements above
/// [`MAX_LENGTH`](crate::MAX_LENGTH), such as `f32::MAX` or ∞, are invalid: they hit nothing and are flagged. Much longer rays than
/// needed are less exact, because times and the [band](crate::contract#the-price-false-positives) of a sweep are relative to the length.
///
/// ```
/// use phalanx::{Aabb, Aabbs, Detector, Pairs, Point, Points, Sweeps};
///
/// // Ten metres along x, from two metres in front of a crate.
/// let mut rays = Points::new();
/// rays.push_moving(Point { position: [-2.0, 0.5, 0.5] }, [10.0, 0.0, 0.0]);
/// let crates = Aabbs::from_slice(&[Aabb { min: [0.0; 3], max: [1.0; 3] }]);
/// let mut sweeps = Sweeps::new();
/// Detector::new().sweep(&rays, &crates, Pairs::zip(), &mut sweeps)?;
/// let time = sweeps.get(0).unwrap();
/// assert!((time.enter - 0.2).abs() < 1e-6 && (time.exit - 0.3).abs() < 1e-6);
/// # Ok::<(), phalanx::Error>(())
/// ```
#[doc(alias = "ray")]
#[doc(alias = "raycast")]
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Point {
    /// The position; for a ray, its origin.
    pub position: [f32; 3],
}

impl Point {
    /// The point at `position`.
    ///
    /// ```
    /// use phalanx::{Point, Points};
    ///
    /// let mut rays = Points::new();
    /// rays.push_moving(Point::new([0.0, 2.0, 0.0]), [0.0, -100.0, 0.0]);
    /// assert_eq!(rays.get(0), Some(Point { position: [0.0, 2.0, 0.0] }));
    /// ```
    #[inline]
    pub fn new(position: impl Into<[f32; 3]>) -> Self {
        Point {
            position: position.into(),
        }
    }
}

/// The columns of [`Points`](crate::Points): element `i` belongs to point `i`.
#[derive(Clone, Copy, Debug)]
pub struct PointColumns<C> {
    /// x, y and z of the positions.
    pub position: [C; 3],
    /// x, y and z of the displacements during the frame; for rays, direction times length.
    pub displacement: [C; 3],
}

/// One point per lane.
#[derive(Clone, Copy)]
pub struct WidePoint<F> {
    pub position: Vec3<F>,
}

/// Rows equal those of a [sphere](crate::shapes::sphere::Sphere) with radius zero.
impl Shape for Point {
    type Fields<X: Send + Sync> = [X; 3];
    type Columns<C> = PointColumns<C>;
    type Wide<F: Float> = WidePoint<F>;
    type Row = [f32; 4];
    type MovingRow = [f32; 8];
    type Turn<X: Send + Sync> = [X; 0];
    type FullMotion = Moving<Self>;
    type Stored = Self;
    const BOUNDS: Option<&'static BoundsOps> = Some(<Self as Bounded>::OPS);
    const ROW: usize = 4;

    fn columns<C: Send + Sync>(
        position: [C; 3],
        displacement: [C; 3],
        _turn: [C; 0],
    ) -> PointColumns<C> {
        PointColumns {
            position,
            displacement,
        }
    }

    fn fields<C: Send + Sync>(columns: PointColumns<C>) -> ([C; 3], [C; 3], [C; 0]) {
        (columns.position, columns.displacement, [])
    }

    /// A sphere of radius 0.
    fn padded() -> Option<TypeId> {
        Some(TypeId::of::<Sphere>())
    }
    fn defect(&self) -> Option<Defect> {
        length_defect("position", &self.position)
    }

    #[inline]
    fn translated(self, by: [f32; 3]) -> Self {
        Point {
            position: (Vec3(self.position) + Vec3(by)).0,
        }
    }

    #[inline(always)]
    fn prepare<L: Lanes>(lanes: L, position: [L::F; 3]) -> (WidePoint<L::F>, L::M) {
        let good = in_range(lanes, position);
        let position = Vec3(position);
        (WidePoint { position }, good)
    }

    #[inline(always)]
    fn wide_size<F: Float>(point: WidePoint<F>) -> F {
        let [x, ..] = point.position.0;
        x.masked(x.lt(x))
    }

    #[inline(always)]
    fn wide_place<F: Float>(point: WidePoint<F>) -> Option<Vec3<F>> {
        Some(point.position)
    }

    #[inline(always)]
    fn to_row<F: Float>(point: WidePoint<F>, row: &mut [F]) {
        row[..3].copy_from_slice(&point.position.0);
    }

    #[inline(always)]
    fn from_row<F: Float>(row: &[F]) -> WidePoint<F> {
        WidePoint {
            position: Vec3([row[0], row[1], row[2]]),
        }
    }
}

impl Bounded for Point {
    const IS_EXACT: bool = true;

    #[inline(always)]
    fn around<L: Lanes>(lanes: L, point: Self::Wide<L::F>) -> (BoundingBox<L::F>, L::F) {
        let (low, high) = (point.position, point.position);
        (BoundingBox { low, high }, lanes.splat(0.0))
    }
    write_bounds!();
}
