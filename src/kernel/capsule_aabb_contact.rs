//! Capsule-AABB manifold: `capsule_box_contact` in world axes.

use super::capsule_box_contact::{OfCapsuleAndBox, Placement};
use super::manifold::{Manifold, Touch};
use super::sphere_aabb_contact::center;
use crate::lane::Lanes;
use crate::shapes::{Aabb, AabbLanes, Capsule, CapsuleLanes};

impl Touch<Aabb> for Capsule {
    const POINTS: usize = 2;

    #[inline(always)]
    fn touch<L: Lanes>(
        lanes: L,
        capsule: CapsuleLanes<L::F>,
        aabb: AabbLanes<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let place = Placement {
            low: capsule.center - aabb.min,
            high: capsule.center - aabb.max,
            half_axis: capsule.half_axis,
            radius: capsule.radius,
            margin,
        };
        Manifold {
            offset: center(lanes, aabb) - capsule.center,
            ..lanes.call::<OfCapsuleAndBox>((place, 16.0))
        }
    }
}
