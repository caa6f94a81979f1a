//! Sphere-box manifold: the nearest point of the box, or the nearest face for a center inside it.
//!
//! OBBs are tested in the frame of the box.
//!
//! Source: J. Arvo, "A Simple Method for Box-Sphere Intersection Testing", Graphics Gems, 1990, for centers outside.
//! Departure: one formula for centers outside, on the surface and inside, see `point_box`.
//!
//! # Error bound of AABBs
//!
//! `low` and `high` round once; the gap from outside is a length of three such, 5 u; then the radius is subtracted.
//! Inside, the gap is one of them. In all less than 8 u of `low`, `high` and the radius.
//!
//! # Error bound of OBBs
//!
//! The offset t rounds once, each dot product 3 times, the axes err by η = 8.5 u: 12.5 u of |t| on each axis, and √3
//! times that as a vector. `low` and `high` round once more, and the rest is that of `sphere_aabb_contact`. In all less
//! than 30 u of ‖t‖₁, the half extents and the radius. β: as much again is taken, and 1 u rounds, so 61 u S.

use crate::lane::{Lanes, Vec3};
use crate::narrow::contact::manifold::{Manifold, ManifoldKernel, of_one, reported};
use crate::narrow::geometry::frame::{center, in_world};
use crate::narrow::geometry::gap::Gap;
use crate::narrow::geometry::point_box::from_point;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::sphere::{Sphere, WideSphere};

impl ManifoldKernel<Aabb> for Sphere {
    const POINTS: usize = 1;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        sphere: WideSphere<L::F>,
        aabb: WideAabb<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let (low, high) = (sphere.center - aabb.min, sphere.center - aabb.max);
        let Gap { normal, gap } = from_point(lanes, low, high);
        let size = low.abs().sum() + high.abs().sum() + sphere.radius;
        let gap = reported(lanes, gap - sphere.radius, size, 8.0, margin);
        let offset = center(lanes, aabb) - sphere.center;
        of_one(lanes, sphere.radius, Gap { normal, gap }, offset)
    }
}

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
