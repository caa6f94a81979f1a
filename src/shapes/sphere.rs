//! Spheres.

use crate::error::{Defect, length_defect, size_defect};
use crate::lane::{Float, Lanes, Partner, Vec3, stored};
use crate::shapes::bounding_box::BoundingBox;
use crate::shapes::bounds::{Bounded, write_bounds};
use crate::shapes::form::Moving;
use crate::shapes::raw_columns::BoundsOps;
use crate::shapes::shape::{Movable, RelativeShape, Shape, in_range, less_displacement};

/// A solid sphere: the points at most `radius` away from `center`. A zero radius makes a point.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sphere {
    /// The center.
    pub center: [f32; 3],
    /// The radius, at least zero.
    pub radius: f32,
}

impl Sphere {
    /// The sphere with this center and radius.
    ///
    /// ```
    /// use phalanx::Sphere;
    ///
    /// assert_eq!(Sphere::new([1.0, 2.0, 3.0], 0.5), Sphere { center: [1.0, 2.0, 3.0], radius: 0.5 });
    /// ```
    #[inline]
    pub fn new(center: impl Into<[f32; 3]>, radius: f32) -> Self {
        Sphere {
            center: center.into(),
            radius,
        }
    }
}

/// The columns of [`Spheres`](crate::Spheres): element `i` belongs to sphere `i`.
#[derive(Clone, Copy, Debug)]
pub struct SphereColumns<C> {
    /// x, y and z of the centers.
    pub center: [C; 3],
    /// The radii.
    pub radius: C,
    /// x, y and z of the displacements during the frame.
    pub displacement: [C; 3],
}

/// One sphere per lane.
#[derive(Clone, Copy)]
pub struct WideSphere<F> {
    pub center: Vec3<F>,
    pub radius: F,
}

impl Movable for Sphere {
    #[inline(always)]
    fn moved<L: Lanes>(lanes: L, sphere: WideSphere<L::F>, by: Vec3<L::F>) -> WideSphere<L::F> {
        WideSphere {
            center: stored(lanes, sphere.center + by),
            ..sphere
        }
    }
}

impl Shape for Sphere {
    type Fields<X: Send + Sync> = [X; 4];
    type Columns<C> = SphereColumns<C>;
    type Wide<F: Float> = WideSphere<F>;
    type Row = [f32; 4];
    type MovingRow = [f32; 8];
    type Turn<X: Send + Sync> = [X; 0];
    type FullMotion = Moving<Self>;
    type Stored = Self;
    const BOUNDS: Option<&'static BoundsOps> = Some(<Self as Bounded>::OPS);
    const ROW: usize = 4;

    fn columns<C: Send + Sync>(
        [x, y, z, radius]: [C; 4],
        displacement: [C; 3],
        _turn: [C; 0],
    ) -> SphereColumns<C> {
        SphereColumns {
            center: [x, y, z],
            radius,
            displacement,
        }
    }

    fn fields<C: Send + Sync>(columns: SphereColumns<C>) -> ([C; 4], [C; 3], [C; 0]) {
        let [x, y, z] = columns.center;
        ([x, y, z, columns.radius], columns.displacement, [])
    }

    fn defect(&self) -> Option<Defect> {
        length_defect("center", &self.center).or_else(|| size_defect("radius", &[self.radius]))
    }

    #[inline]
    fn translated(self, by: [f32; 3]) -> Self {
        Sphere {
            center: (Vec3(self.center) + Vec3(by)).0,
            ..self
        }
    }

    #[inline(always)]
    fn prepare<L: Lanes>(lanes: L, [x, y, z, radius]: [L::F; 4]) -> (WideSphere<L::F>, L::M) {
        let center = Vec3([x, y, z]);
        let good = in_range(lanes, [x, y, z, radius]) & lanes.splat(0.0).le(radius);
        (WideSphere { center, radius }, good)
    }

    #[inline(always)]
    fn wide_size<F: Float>(sphere: WideSphere<F>) -> F {
        sphere.radius + sphere.radius
    }

    #[inline(always)]
    fn wide_place<F: Float>(sphere: WideSphere<F>) -> Option<Vec3<F>> {
        Some(sphere.center)
    }

    #[inline(always)]
    fn to_row<F: Float>(sphere: WideSphere<F>, row: &mut [F]) {
        row[..3].copy_from_slice(&sphere.center.0);
        row[3] = sphere.radius;
    }

    #[inline(always)]
    fn from_row<F: Float>(row: &[F]) -> WideSphere<F> {
        WideSphere {
            center: Vec3([row[0], row[1], row[2]]),
            radius: row[3],
        }
    }
}

/// The relative pose of two spheres, one pair per lane.
#[derive(Clone, Copy)]
pub struct SphereOffset<F> {
    /// The center of A less that of B.
    pub center: Vec3<F>,
    /// The sum of the radii.
    pub radius_sum: F,
}

/// The centers are subtracted, the radii added.
const CENTER: Option<Partner> = Some(Partner::new(0, [true, true, true, false]));

impl RelativeShape for Sphere {
    type Relation<F: Float> = SphereOffset<F>;
    const PARTNERS: &'static [Option<Partner>] = &[CENTER];
    const MOVING_PARTNERS: &'static [Option<Partner>] = &[CENTER, less_displacement(Self::ROW)];

    #[inline(always)]
    fn relation<F: Float>(sums: &[F]) -> SphereOffset<F> {
        SphereOffset {
            center: Vec3([sums[0], sums[1], sums[2]]),
            radius_sum: sums[3],
        }
    }

    #[inline(always)]
    fn distance<F: Float>(relation: SphereOffset<F>) -> Vec3<F> {
        relation.center
    }

    #[inline(always)]
    fn sum_of_sizes<F: Float>(relation: SphereOffset<F>) -> F {
        relation.radius_sum + relation.radius_sum
    }
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
