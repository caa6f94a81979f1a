//! Sphere-OBB time of impact: conservative advancement by sweeps in the frame of the rotating box.
//!
//! In that frame the sphere moves on a curve, which deviates from its chord by at most a curvature bound. A step of the
//! search ([`advance`](crate::narrow::impact::advance)) is one sweep along the chord of a sphere grown by that bound:
//! [`rounded_box`](crate::narrow::geometry::rounded_box). The search is bracketed by a sweep against the OBB's bounding sphere.
//!
//! # Error bound
//!
//! Along each axis of the box, at both ends of the step, the offset is off by 53 u S, √3 times as a vector; the sweep
//! adds 8.3 u R and 9.9 u of the chord's length, which is at most 2 S: less than 130 u S of the 150 u that are added to
//! the radius. The distance at the start of a step errs by as much.

use crate::driver::source::{Deferred, Separate, Test, TimeRange};
use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::geometry::rounded_box::{BoxSlab, crossing};
use crate::narrow::impact::advance::{
    Advance, MotionOf, OffsetMotion, Step, StepResult, bounding_sphere, length, next_step,
    rounding_slack, safe_time, sphere_sweep,
};
use crate::narrow::impact::impacts::Impacts;
use crate::shapes::form::WideMoving;
use crate::shapes::obb::{Obb, WideTurning};
use crate::shapes::sphere::{Sphere, WideSphere};

impl Test<Impacts, Obb> for Sphere {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (sphere, obb): (WideMoving<WideSphere<L::F>, L::F>, WideTurning<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let bounding_sphere = bounding_sphere(lanes, obb, lanes.splat(0.0));
        sphere_sweep(lanes, sphere, bounding_sphere, margin)
    }
}

impl Advance<Obb> for Sphere {
    #[inline(always)]
    fn sum_of_lengths<L: Lanes>(
        _lanes: L,
        sphere: MotionOf<Sphere, L>,
        obb: MotionOf<Obb, L>,
        margin: L::F,
    ) -> L::F {
        let offset = (sphere.start.center - obb.start.center).abs().sum();
        let travel = (sphere.displacement - obb.displacement).abs().sum();
        let extents = sphere.start.radius + obb.start.half_extents.sum();
        offset + travel + (extents + margin)
    }

    #[inline(always)]
    fn step<L: Lanes>(
        lanes: L,
        sphere: MotionOf<Sphere, L>,
        obb: MotionOf<Obb, L>,
        step: Step<L::F>,
    ) -> StepResult<L> {
        let v = sphere.displacement - obb.displacement;
        let offset = sphere.start.center - obb.start.center;
        let offsets = [offset + v * step.from, offset + v * step.to];
        let start = Vec3(offsets[0].along(obb.axes_at(lanes, step.from)));
        let end = Vec3(offsets[1].along(obb.axes_at(lanes, step.to)));
        let h = obb.start.half_extents;
        let (low, high, travel) = (start + h, start - h, end - start);
        let axes = [
            BoxSlab::new(lanes, low.0[0], high.0[0], travel.0[0]),
            BoxSlab::new(lanes, low.0[1], high.0[1], travel.0[1]),
            BoxSlab::new(lanes, low.0[2], high.0[2], travel.0[2]),
        ];
        let reach = sphere.start.radius + step.margin;
        let outside = length(Vec3([
            axes[0].outside_at_start(lanes.splat(0.0)),
            axes[1].outside_at_start(lanes.splat(0.0)),
            axes[2].outside_at_start(lanes.splat(0.0)),
        ]));
        let within_tolerance = outside.le(reach + step.tolerance);

        let turn = length(obb.turn);
        let offset_motion = OffsetMotion::new(lanes, step, offsets, v);
        let deviation = offset_motion.of_offset(turn);
        let error = rounding_slack(lanes, step.size);
        let crossing = crossing(lanes, axes, reach + (deviation + error)).finish(lanes);
        let window_start = crossing.enter.select(crossing.hit, lanes.splat(2.0));
        StepResult {
            within_tolerance,
            window_start,
            window_end: crossing.exit,
            next_step: next_step(
                lanes,
                window_start,
                [deviation, length(travel)],
                [outside - (reach + error), deviation],
            ),
            safe_time: safe_time(lanes, step, offset_motion.speed + turn * obb.start.radius),
        }
    }
}
