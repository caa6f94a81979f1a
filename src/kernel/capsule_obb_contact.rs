//! Capsule-OBB manifold: `capsule_box_contact` in the frame of the box.

use super::capsule_box_contact::{OfCapsuleAndBox, Placement};
use super::manifold::{Manifold, Touch};
use super::sphere_obb_contact::in_world;
use crate::lane::{Lanes, Vec3};
use crate::shapes::{Capsule, CapsuleLanes, Obb, ObbLanes};

impl Touch<Obb> for Capsule {
    const POINTS: usize = 2;

    #[inline(always)]
    fn touch<L: Lanes>(
        lanes: L,
        capsule: CapsuleLanes<L::F>,
        obb: ObbLanes<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let offset = obb.center - capsule.center;
        let at = -Vec3(offset.along(obb.axes));
        let place = Placement {
            low: at + obb.half_extents,
            high: at - obb.half_extents,
            half_axis: Vec3(capsule.half_axis.along(obb.axes)),
            radius: capsule.radius,
            margin,
        };
        let mut manifold = lanes.call::<OfCapsuleAndBox>((place, 40.0));
        manifold.normal = in_world(manifold.normal, obb.axes);
        for point in &mut manifold.points {
            point.at = in_world(point.at, obb.axes);
        }
        Manifold { offset, ..manifold }
    }
}
