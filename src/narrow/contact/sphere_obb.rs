//! Sphere-OBB manifold: the sphere-AABB manifold in the frame of the box.
//!
//! The contact is at the nearest point of the box, or at the nearest face for a center inside it.
//!
//! Source: as in `sphere_aabb_contact`.
//!
//! # Error bound
//!
//! The offset t rounds once, each dot product 3 times, the axes err by η = 8.5 u: 12.5 u of |t| on each axis, and √3
//! times that as a vector. `low` and `high` round once more, and the rest is that of `sphere_aabb_contact`. In all less
//! than 30 u of ‖t‖₁, the half extents and the radius. β: as much again is taken, and 1 u rounds, so 61 u S.

use crate::lane::{Lanes, Vec3};
use crate::narrow::contact::manifold::{Manifold, ManifoldKernel, of_one, reported};
use crate::narrow::geometry::frame::in_world;
use crate::narrow::geometry::gap::Gap;
use crate::narrow::geometry::point_box::from_point;
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::sphere::{Sphere, WideSphere};

impl ManifoldKernel<Obb> for Sphere {
    const POINTS: usize = 1;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        sphere: WideSphere<L::F>,
        obb: WideObb<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let offset = obb.center - sphere.center;
        let at = -Vec3(offset.along(obb.axes));
        let (low, high) = (at + obb.half_extents, at - obb.half_extents);
        let Gap { normal, gap } = from_point(lanes, low, high);
        let size = offset.abs().sum() + obb.half_extents.sum() + sphere.radius;
        let gap = reported(lanes, gap - sphere.radius, size, 30.0, margin);
        let normal = in_world(normal, obb.axes);
        of_one(lanes, sphere.radius, Gap { normal, gap }, offset)
    }
}
