//! OBB-triangle manifold: `contact::box_triangle` in the frame of the box.

use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::contact::box_triangle::{
    BoxTriangleAlong, BoxTriangleManifold, BoxTrianglePlace,
};
use crate::narrow::contact::manifold::{Manifold, ManifoldKernel};
use crate::narrow::contact::triangle::in_frame;
use crate::narrow::geometry::box_triangle::TriangleInBox;
use crate::narrow::geometry::frame::in_world;
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl ManifoldKernel<Triangle> for Obb {
    const POINTS: usize = 4;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        obb: WideObb<L::F>,
        triangle: WideTriangle<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let place = TriangleInBox::of_obb(obb, triangle);
        let place = BoxTrianglePlace::new(place, triangle, margin);
        in_the_world(lanes.call::<BoxTriangleManifold>(place), obb)
    }

    const CLAMPS: bool = true;

    #[inline(always)]
    fn above<L: Lanes>(_lanes: L, obb: WideObb<L::F>, triangle: WideTriangle<L::F>) -> Vec3<L::F> {
        obb.center - triangle.corner
    }

    #[inline(always)]
    fn manifold_along<L: Lanes>(
        lanes: L,
        obb: WideObb<L::F>,
        triangle: WideTriangle<L::F>,
        margin: L::F,
        normal: Vec3<L::F>,
    ) -> Manifold<L::F> {
        let place = TriangleInBox::of_obb(obb, triangle);
        let place = BoxTrianglePlace::new(place, triangle, margin);
        let normal = in_frame(lanes, normal, obb.axes);
        in_the_world(lanes.call::<BoxTriangleAlong>((place, normal)), obb)
    }
}

/// A manifold along the axes of a box, in world axes.
#[inline(always)]
fn in_the_world<F: Float>(mut manifold: Manifold<F>, obb: WideObb<F>) -> Manifold<F> {
    manifold.normal = in_world(manifold.normal, obb.axes);
    for point in &mut manifold.points {
        point.at = in_world(point.at, obb.axes);
    }
    manifold
}
