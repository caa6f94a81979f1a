//! AABB-triangle manifold: `contact::box_triangle` in world axes.
//!
//! The offset and the half extents come from the corners of the box, as in `aabb_obb_contact`. Points are then re-based on
//! its center, rounded like a caller's.

use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::contact::box_triangle::{
    BoxTriangleAlong, BoxTriangleManifold, BoxTrianglePlace,
};
use crate::narrow::contact::manifold::{Manifold, ManifoldKernel};
use crate::narrow::geometry::box_triangle::TriangleInBox;
use crate::narrow::geometry::frame::center;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl ManifoldKernel<Triangle> for Aabb {
    const POINTS: usize = 4;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        aabb: WideAabb<L::F>,
        triangle: WideTriangle<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let (place, shift) = in_box(lanes, aabb, triangle, margin);
        moved(lanes.call::<BoxTriangleManifold>(place), shift)
    }

    const CLAMPS: bool = true;

    #[inline(always)]
    fn above<L: Lanes>(lanes: L, aabb: WideAabb<L::F>, triangle: WideTriangle<L::F>) -> Vec3<L::F> {
        center(lanes, aabb) - triangle.corner
    }

    #[inline(always)]
    fn manifold_along<L: Lanes>(
        lanes: L,
        aabb: WideAabb<L::F>,
        triangle: WideTriangle<L::F>,
        margin: L::F,
        normal: Vec3<L::F>,
    ) -> Manifold<L::F> {
        let (place, shift) = in_box(lanes, aabb, triangle, margin);
        moved(lanes.call::<BoxTriangleAlong>((place, normal)), shift)
    }
}

/// The triangle relative to the center of a box, and the vector from there to the center as a caller computes it.
#[inline(always)]
fn in_box<L: Lanes>(
    lanes: L,
    aabb: WideAabb<L::F>,
    triangle: WideTriangle<L::F>,
    margin: L::F,
) -> (BoxTrianglePlace<L::F>, Vec3<L::F>) {
    let place = TriangleInBox::of_aabb(lanes, aabb, triangle);
    let shift = triangle.corner - center(lanes, aabb) - place.corner;
    (BoxTrianglePlace::new(place, triangle, margin), shift)
}

/// Moves the points of a manifold.
#[inline(always)]
fn moved<F: Float>(mut manifold: Manifold<F>, shift: Vec3<F>) -> Manifold<F> {
    for point in &mut manifold.points {
        point.at = point.at + shift;
    }
    manifold
}
