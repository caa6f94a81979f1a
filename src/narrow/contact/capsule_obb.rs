//! Capsule-OBB manifold: `contact::capsule_box` in the frame of the box.

use crate::lane::{Lanes, Vec3};
use crate::narrow::contact::capsule_box::{CapsuleBoxManifold, CapsuleInBox};
use crate::narrow::contact::manifold::{Manifold, ManifoldKernel};
use crate::narrow::geometry::frame::in_world;
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::obb::{Obb, WideObb};

impl ManifoldKernel<Obb> for Capsule {
    const POINTS: usize = 2;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        capsule: WideCapsule<L::F>,
        obb: WideObb<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let offset = obb.center - capsule.center;
        let at = -Vec3(offset.along(obb.axes));
        let place = CapsuleInBox {
            low: at + obb.half_extents,
            high: at - obb.half_extents,
            half_axis: Vec3(capsule.half_axis.along(obb.axes)),
            radius: capsule.radius,
            margin,
        };
        let mut manifold = lanes.call::<CapsuleBoxManifold>((place, 40.0));
        manifold.normal = in_world(manifold.normal, obb.axes);
        for point in &mut manifold.points {
            point.at = in_world(point.at, obb.axes);
        }
        Manifold { offset, ..manifold }
    }
}
