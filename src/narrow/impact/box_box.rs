//! Box-box time of impact: conservative advancement along the fifteen separating axes.
//!
//! Steps are those of `turning_boxes`. The search ([`advance`](crate::narrow::impact::advance)) of two OBBs is bracketed by
//! a sweep of both bounding spheres.
//!
//! An AABB is a box that does not rotate. Its search is bracketed by a sweep of the AABB against the OBB's bounding sphere.
//! The center of the AABB is not stored. The offset of the centers is the mean of the offsets from both corners, which errs
//! by 3 u of all lengths; half extents err by 1 u.

use crate::driver::source::{Deferred, Separate, Test, TimeRange};
use crate::lane::{Lanes, Vec3};
use crate::narrow::impact::advance::{
    Advance, MotionOf, SphereSweep, Step, StepResult, bounding_sphere, sphere_sweep,
};
use crate::narrow::impact::impacts::Impacts;
use crate::narrow::impact::turning_boxes;
use crate::narrow::impact::turning_boxes::{TurningBox, TurningBoxes, turning_box};
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::form::WideMoving;
use crate::shapes::obb::{Obb, WideTurning};

impl Test<Impacts, Obb> for Obb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (a, b): (WideTurning<L::F>, WideTurning<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let (p, q) = (
            bounding_sphere(lanes, a, margin),
            bounding_sphere(lanes, b, lanes.splat(0.0)),
        );
        sphere_sweep(lanes, p, q, lanes.splat(0.0))
    }
}

impl Advance<Obb> for Obb {
    #[inline(always)]
    fn sum_of_lengths<L: Lanes>(
        _lanes: L,
        a: MotionOf<Obb, L>,
        b: MotionOf<Obb, L>,
        margin: L::F,
    ) -> L::F {
        let offset = (b.start.center - a.start.center).abs().sum();
        let travel = (b.displacement - a.displacement).abs().sum();
        let extents = a.start.half_extents.sum() + b.start.half_extents.sum();
        offset + travel + (extents + margin)
    }

    #[inline(always)]
    fn step<L: Lanes>(
        lanes: L,
        a: MotionOf<Obb, L>,
        b: MotionOf<Obb, L>,
        step: Step<L::F>,
    ) -> StepResult<L> {
        let v = b.displacement - a.displacement;
        let offset = b.start.center - a.start.center;
        let boxes = TurningBoxes {
            a: turning_box(lanes, a, step),
            b: turning_box(lanes, b, step),
            offsets: [offset + v * step.from, offset + v * step.to],
            v,
        };
        turning_boxes::step(lanes, boxes, step)
    }
}

impl Test<Impacts, Obb> for Aabb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (aabb, obb): (WideMoving<WideAabb<L::F>, L::F>, WideTurning<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let bounding_sphere = bounding_sphere(lanes, obb, margin);
        lanes.call::<SphereSweep<Aabb>>((bounding_sphere, aabb, lanes.splat(0.0)))
    }
}

/// Offset of the centers, and half extents of the AABB.
#[inline(always)]
fn lies<L: Lanes>(lanes: L, aabb: WideAabb<L::F>, center: Vec3<L::F>) -> (Vec3<L::F>, Vec3<L::F>) {
    let half = lanes.splat(0.5);
    let offset = ((center - aabb.min) + (center - aabb.max)) * half;
    (offset, aabb.max * half - aabb.min * half)
}

impl Advance<Obb> for Aabb {
    #[inline(always)]
    fn sum_of_lengths<L: Lanes>(
        lanes: L,
        aabb: MotionOf<Aabb, L>,
        obb: MotionOf<Obb, L>,
        margin: L::F,
    ) -> L::F {
        let (offset, half_extents) = lies(lanes, aabb.start, obb.start.center);
        let travel = (obb.displacement - aabb.displacement).abs().sum();
        let extents = half_extents.sum() + obb.start.half_extents.sum();
        offset.abs().sum() + travel + (extents + margin)
    }

    #[inline(always)]
    fn step<L: Lanes>(
        lanes: L,
        aabb: MotionOf<Aabb, L>,
        obb: MotionOf<Obb, L>,
        step: Step<L::F>,
    ) -> StepResult<L> {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let v = obb.displacement - aabb.displacement;
        let (offset, half_extents) = lies(lanes, aabb.start, obb.start.center);
        let axes = [
            Vec3([one, zero, zero]),
            Vec3([zero, one, zero]),
            Vec3([zero, zero, one]),
        ];
        let still = TurningBox {
            half_extents,
            radius: zero,
            axes: [axes; 2],
            turn: Vec3([zero; 3]),
        };
        let boxes = TurningBoxes {
            a: still,
            b: turning_box(lanes, obb, step),
            offsets: [offset + v * step.from, offset + v * step.to],
            v,
        };
        turning_boxes::step(lanes, boxes, step)
    }
}
