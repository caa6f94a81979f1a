//! AABB-triangle manifold: `box_triangle_contact` in world axes.
//!
//! The offset and the half extents come from the corners of the box, as in `aabb_obb_contact`. Points are then re-based on
//! its center, rounded like a caller's.

use super::box_triangle_contact::{BoxTriangleManifold, TriangleInBox};
use super::manifold::{Manifold, ManifoldKernel};
use super::sphere_aabb_contact::center;
use crate::lane::Lanes;
use crate::shapes::{Aabb, Triangle, WideAabb, WideTriangle};

impl ManifoldKernel<Triangle> for Aabb {
    const POINTS: usize = 4;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        aabb: WideAabb<L::F>,
        triangle: WideTriangle<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let half = lanes.splat(0.5);
        let (low, high) = (triangle.corner - aabb.min, triangle.corner - aabb.max);
        let offset = (low + high) * half;
        let place = TriangleInBox::new(
            triangle,
            offset,
            offset.abs().sum(),
            [triangle.along, triangle.across],
            (low - high) * half,
            margin,
        );
        let mut manifold = lanes.call::<BoxTriangleManifold>(place);
        let shift = triangle.corner - center(lanes, aabb) - offset;
        for point in &mut manifold.points {
            point.at = point.at + shift;
        }
        manifold
    }
}
