//! Sphere-triangle sweep: the time interval in which the center is within reach of the triangle.
//!
//! In the frame of the triangle the center is a moving point against [`rounded_triangle`](crate::narrow::geometry::rounded_triangle). Its reach is
//! the radius and the margin.
//!
//! Source, degenerate cases and error bound: as there.

use crate::driver::source::{BothMoving, Deferred, Separate, Test, TimeRange};
use crate::lane::{Lanes, Vec3};
use crate::narrow::geometry::rounded_triangle::{PointInFrame, RoundedTriangle, WithinReach};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::sphere::{Sphere, WideSphere};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl Test<Sweeps, Triangle> for Sphere {
    type Load = Separate;
    const IS_LONG: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (sphere, triangle): BothMoving<WideSphere<L::F>, WideTriangle<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let v = sphere.displacement - triangle.displacement;
        let (sphere, triangle) = (sphere.start, triangle.start);
        let offset = sphere.center - triangle.corner;
        let axes = triangle.axes();
        let point = PointInFrame {
            at: Vec3(offset.along(axes)),
            v: Vec3(v.along(axes)),
        };
        let reach = sphere.radius + margin;
        let triangle = RoundedTriangle::new(lanes, triangle, reach, v.abs().sum());
        lanes.call::<WithinReach>((point, triangle))
    }
}
