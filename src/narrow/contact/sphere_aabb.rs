//! Sphere-AABB manifold: the nearest point of the box, or the nearest face for a center inside it.
//!
//! Source: J. Arvo, "A Simple Method for Box-Sphere Intersection Testing", Graphics Gems, 1990, for centers outside.
//! Departure: one formula for centers outside, on the surface and inside, see `point_box`.
//!
//! # Error bound
//!
//! `low` and `high` round once; the gap from outside is a length of three such, 5 u; then the radius is subtracted.
//! Inside, the gap is one of them. In all less than 8 u of `low`, `high` and the radius.

use crate::lane::Lanes;
use crate::narrow::contact::manifold::{Manifold, ManifoldKernel, of_one, reported};
use crate::narrow::geometry::frame::center;
use crate::narrow::geometry::gap::Gap;
use crate::narrow::geometry::point_box::from_point;
use crate::shapes::aabb::{Aabb, WideAabb};
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
