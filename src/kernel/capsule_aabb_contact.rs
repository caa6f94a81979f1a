//! Capsule-AABB manifold: `capsule_box_contact` in world axes.

use super::capsule_box_contact::{CapsuleBoxManifold, CapsuleInBox};
use super::manifold::{Manifold, ManifoldKernel};
use super::sphere_aabb_contact::center;
use crate::lane::Lanes;
use crate::shapes::{Aabb, Capsule, WideAabb, WideCapsule};

impl ManifoldKernel<Aabb> for Capsule {
    const POINTS: usize = 2;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        capsule: WideCapsule<L::F>,
        aabb: WideAabb<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let place = CapsuleInBox {
            low: capsule.center - aabb.min,
            high: capsule.center - aabb.max,
            half_axis: capsule.half_axis,
            radius: capsule.radius,
            margin,
        };
        Manifold {
            offset: center(lanes, aabb) - capsule.center,
            ..lanes.call::<CapsuleBoxManifold>((place, 16.0))
        }
    }
}
