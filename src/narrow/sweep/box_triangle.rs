//! Box-triangle sweep: the swept separating axis test of [`box_triangle`](crate::narrow::geometry::box_triangle), for AABBs and OBBs.
//!
//! With v the displacement of the box relative to the triangle, the offset of the triangle is p − t v at time t. The shapes
//! do not rotate, so each of the thirteen axes is a slab. The shapes touch while no axis separates.
//!
//! Source, degenerate cases and error bound: as there. A hit of the overlap kernel is a hit at time 0, by (5) of `slab`: its
//! widening is no larger.

use crate::driver::source::{BothMoving, Deferred, Separate, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::geometry::box_triangle::{BoxTriangle, WhenNoTriangleAxisSeparates};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl Test<Sweeps, Triangle> for Aabb {
    type Load = Separate;
    const IS_LONG: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (aabb, triangle): BothMoving<WideAabb<L::F>, WideTriangle<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let v = aabb.displacement - triangle.displacement;
        let place = BoxTriangle::of_aabb(lanes, aabb.start, triangle.start, v, margin);
        lanes.call::<WhenNoTriangleAxisSeparates>(place)
    }
}

impl Test<Sweeps, Triangle> for Obb {
    type Load = Separate;
    const IS_LONG: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (obb, triangle): BothMoving<WideObb<L::F>, WideTriangle<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let v = obb.displacement - triangle.displacement;
        let place = BoxTriangle::of_obb(lanes, obb.start, triangle.start, v, margin);
        lanes.call::<WhenNoTriangleAxisSeparates>(place)
    }
}
