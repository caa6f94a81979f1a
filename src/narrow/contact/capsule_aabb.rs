//! Capsule-AABB manifold: `contact::capsule_box` in world axes.

use crate::lane::Lanes;
use crate::narrow::contact::capsule_box::{CapsuleBoxManifold, CapsuleInBox};
use crate::narrow::contact::manifold::{Manifold, ManifoldKernel};
use crate::narrow::geometry::frame::center;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::capsule::{Capsule, WideCapsule};

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
