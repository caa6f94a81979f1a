//! OBB-OBB manifold: `contact::box_box` in the frame of the first box.

use crate::lane::{Lanes, Vec3};
use crate::narrow::contact::box_box::{BoxManifold, RelativeBoxes};
use crate::narrow::contact::manifold::{Manifold, ManifoldKernel};
use crate::narrow::geometry::frame::in_world;
use crate::narrow::geometry::sat::rotation;
use crate::shapes::obb::{Obb, WideObb};

impl ManifoldKernel<Obb> for Obb {
    const POINTS: usize = 4;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        a: WideObb<L::F>,
        b: WideObb<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let offset = b.center - a.center;
        let boxes = RelativeBoxes {
            half_extents_a: a.half_extents,
            half_extents_b: b.half_extents,
            offset: Vec3(offset.along(a.axes)),
            offset_b: Vec3(offset.along(b.axes)),
            r: rotation(lanes, a.axes, b.axes),
            margin,
        };
        let mut manifold = lanes.call::<BoxManifold>(boxes);
        manifold.normal = in_world(manifold.normal, a.axes);
        for point in &mut manifold.points {
            point.at = in_world(point.at, a.axes);
        }
        Manifold { offset, ..manifold }
    }
}
