//! AABB-OBB manifold: `contact::box_box` with the world axes as those of A.
//!
//! As in `aabb_obb_overlap`, the center and half extents of A come from its corners' offsets. So they do not round in
//! proportion to the distance from the origin. Points are then re-based on its center, rounded like a caller's.

use crate::lane::{Lanes, Vec3};
use crate::narrow::contact::box_box::{BoxManifold, RelativeBoxes};
use crate::narrow::contact::manifold::{Manifold, ManifoldKernel};
use crate::narrow::geometry::frame::center;
use crate::narrow::geometry::sat::rotation_from_world;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};

impl ManifoldKernel<Obb> for Aabb {
    const POINTS: usize = 4;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        a: WideAabb<L::F>,
        b: WideObb<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let half = lanes.splat(0.5);
        let (low, high) = (b.center - a.min, b.center - a.max);
        let offset = (low + high) * half;
        let boxes = RelativeBoxes {
            half_extents_a: (low - high) * half,
            half_extents_b: b.half_extents,
            offset,
            offset_b: Vec3(offset.along(b.axes)),
            r: rotation_from_world(lanes, b.axes),
            margin,
        };
        let mut manifold = lanes.call::<BoxManifold>(boxes);
        let rounded = b.center - center(lanes, a);
        let shift = rounded - offset;
        for point in &mut manifold.points {
            point.at = point.at + shift;
        }
        Manifold {
            offset: rounded,
            ..manifold
        }
    }
}
