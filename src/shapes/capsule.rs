//! Capsules.

use crate::error::{Defect, length_defect, size_defect};
use crate::lane::{Float, Lanes, Vec3, stored};
use crate::shapes::bounding_box::BoundingBox;
use crate::shapes::bounds::{Bounded, write_bounds};
use crate::shapes::form::Moving;
use crate::shapes::raw_columns::BoundsOps;
use crate::shapes::shape::{Movable, Shape, in_range};

/// A capsule: the points at most `radius` away from the segment between `center - half_axis` and
/// `center + half_axis`. A zero half axis makes a sphere, a zero radius a segment.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Capsule {
    /// The midpoint of the segment.
    pub center: [f32; 3],
    /// The vector from the midpoint to one end of the segment, of any length.
    pub half_axis: [f32; 3],
    /// The radius, at least zero.
    pub radius: f32,
}

impl Capsule {
    /// The capsule around the segment between `center - half_axis` and `center + half_axis`.
    /// [`between`](Self::between) takes the ends.
    ///
    /// ```
    /// use phalanx::Capsule;
    ///
    /// let person = Capsule::new([2.0, 1.0, 0.0], [0.0, 0.5, 0.0], 0.25);
    /// assert_eq!(person, Capsule::between([2.0, 0.5, 0.0], [2.0, 1.5, 0.0], 0.25));
    /// ```
    #[inline]
    pub fn new(center: impl Into<[f32; 3]>, half_axis: impl Into<[f32; 3]>, radius: f32) -> Self {
        Capsule {
            center: center.into(),
            half_axis: half_axis.into(),
            radius,
        }
    }

    /// The capsule around the segment between two points. Center and half axis are rounded.
    ///
    /// ```
    /// use phalanx::Capsule;
    ///
    /// let person = Capsule::between([2.0, 0.5, 0.0], [2.0, 1.5, 0.0], 0.25);
    /// assert_eq!(person.center, [2.0, 1.0, 0.0]);
    /// assert_eq!(person.half_axis, [0.0, 0.5, 0.0]);
    /// ```
    pub const fn between(from: [f32; 3], to: [f32; 3], radius: f32) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (from, to);
        Capsule {
            center: [0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz)],
            half_axis: [0.5 * (bx - ax), 0.5 * (by - ay), 0.5 * (bz - az)],
            radius,
        }
    }
}

/// The columns of [`Capsules`](crate::Capsules): element `i` belongs to capsule `i`.
#[derive(Clone, Copy, Debug)]
pub struct CapsuleColumns<C> {
    /// x, y and z of the centers.
    pub center: [C; 3],
    /// x, y and z of the half axes.
    pub half_axis: [C; 3],
    /// The radii.
    pub radius: C,
    /// x, y and z of the displacements during the frame.
    pub displacement: [C; 3],
}

/// One capsule per lane.
#[derive(Clone, Copy)]
pub struct WideCapsule<F> {
    pub center: Vec3<F>,
    pub half_axis: Vec3<F>,
    pub radius: F,
}

impl Movable for Capsule {
    #[inline(always)]
    fn moved<L: Lanes>(lanes: L, capsule: WideCapsule<L::F>, by: Vec3<L::F>) -> WideCapsule<L::F> {
        WideCapsule {
            center: stored(lanes, capsule.center + by),
            ..capsule
        }
    }
}

impl Shape for Capsule {
    type Fields<X: Send + Sync> = [X; 7];
    type Columns<C> = CapsuleColumns<C>;
    type Wide<F: Float> = WideCapsule<F>;
    type Row = [f32; 8];
    type MovingRow = [f32; 12];
    type Turn<X: Send + Sync> = [X; 0];
    type FullMotion = Moving<Self>;
    type Stored = Self;
    const BOUNDS: Option<&'static BoundsOps> = Some(<Self as Bounded>::OPS);
    const ROW: usize = 8;

    fn columns<C: Send + Sync>(
        fields: [C; 7],
        displacement: [C; 3],
        _turn: [C; 0],
    ) -> CapsuleColumns<C> {
        let [cx, cy, cz, hx, hy, hz, radius] = fields;
        CapsuleColumns {
            center: [cx, cy, cz],
            half_axis: [hx, hy, hz],
            radius,
            displacement,
        }
    }

    fn fields<C: Send + Sync>(columns: CapsuleColumns<C>) -> ([C; 7], [C; 3], [C; 0]) {
        let ([cx, cy, cz], [hx, hy, hz]) = (columns.center, columns.half_axis);
        let fields = [cx, cy, cz, hx, hy, hz, columns.radius];
        (fields, columns.displacement, [])
    }

    fn defect(&self) -> Option<Defect> {
        length_defect("center", &self.center)
            .or_else(|| length_defect("half_axis", &self.half_axis))
            .or_else(|| size_defect("radius", &[self.radius]))
    }

    #[inline]
    fn translated(self, by: [f32; 3]) -> Self {
        Capsule {
            center: (Vec3(self.center) + Vec3(by)).0,
            ..self
        }
    }

    #[inline(always)]
    fn prepare<L: Lanes>(lanes: L, fields: [L::F; 7]) -> (WideCapsule<L::F>, L::M) {
        let [cx, cy, cz, hx, hy, hz, radius] = fields;
        let good = in_range(lanes, fields) & lanes.splat(0.0).le(radius);
        let capsule = WideCapsule {
            center: Vec3([cx, cy, cz]),
            half_axis: Vec3([hx, hy, hz]),
            radius,
        };
        (capsule, good)
    }

    #[inline(always)]
    fn wide_size<F: Float>(capsule: WideCapsule<F>) -> F {
        let half = capsule.half_axis.abs().sum() + capsule.radius;
        half + half
    }

    #[inline(always)]
    fn wide_place<F: Float>(capsule: WideCapsule<F>) -> Option<Vec3<F>> {
        Some(capsule.center)
    }

    #[inline(always)]
    fn to_row<F: Float>(capsule: WideCapsule<F>, row: &mut [F]) {
        row[..3].copy_from_slice(&capsule.center.0);
        row[3] = capsule.radius;
        row[4..7].copy_from_slice(&capsule.half_axis.0);
    }

    #[inline(always)]
    fn from_row<F: Float>(row: &[F]) -> WideCapsule<F> {
        WideCapsule {
            center: Vec3([row[0], row[1], row[2]]),
            radius: row[3],
            half_axis: Vec3([row[4], row[5], row[6]]),
        }
    }
}

const _: () = assert!(size_of::<Capsule>() == 28);

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::MAX_LENGTH;

    #[test]
    fn capsule_between_points_has_their_midpoint() {
        let capsule = Capsule::between([1., -2., 0.], [3., 2., 0.], 0.5);
        assert_eq!(capsule.center, [2., 0., 0.]);
        assert_eq!(capsule.half_axis, [1., 2., 0.]);
        let longest = Capsule::between([-MAX_LENGTH; 3], [MAX_LENGTH; 3], 0.0);
        assert_eq!(
            (longest.half_axis, longest.defect()),
            ([MAX_LENGTH; 3], None)
        );
    }
}
