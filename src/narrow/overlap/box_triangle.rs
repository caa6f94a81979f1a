//! Box-triangle overlap by the separating axis test of [`box_triangle`](crate::narrow::geometry::box_triangle), for AABBs and OBBs.
//!
//! Source, degenerate cases and error bound: as there, with v = 0.

use crate::driver::source::{Deferred, HitMask, Separate, Test};
use crate::lane::{Lanes, Vec3};
use crate::narrow::geometry::box_triangle::{BoxTriangle, no_axis_separates};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl Test<Overlaps, Triangle> for Aabb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (aabb, triangle): (WideAabb<L::F>, WideTriangle<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let rest = Vec3([lanes.splat(0.0); 3]);
        let place = BoxTriangle::of_aabb(lanes, aabb, triangle, rest, margin);
        no_axis_separates(lanes, place)
    }
}

impl Test<Overlaps, Triangle> for Obb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (obb, triangle): (WideObb<L::F>, WideTriangle<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let rest = Vec3([lanes.splat(0.0); 3]);
        let place = BoxTriangle::of_obb(lanes, obb, triangle, rest, margin);
        no_axis_separates(lanes, place)
    }
}
