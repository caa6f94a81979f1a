//! Sphere-OBB time of impact: conservative advancement by sweeps in the frame of the rotating box.
//!
//! In that frame the sphere moves on a curve, which deviates from its chord by at most a curvature bound. A step of the
//! search ([`march`](super::march)) is one sweep along the chord of a sphere grown by that bound:
//! [`rounded_box`](super::rounded_box). The search is bracketed by a sweep against the OBB's bounding sphere.
//!
//! # Error bound
//!
//! Along each axis of the box, at both ends of the step, the offset is off by 53 u S, √3 times as a vector; the sweep
//! adds 8.3 u R and 9.9 u of the chord's length, which is at most 2 S: less than 130 u S of the 150 u that are added to
//! the radius. The distance at the start of a step errs by as much.

use super::load::Separate;
use super::march::{
    Found, March, MotionOf, Pace, Step, apart, around, balls_meet, length, next, taken_off,
};
use super::rounded_box::{Axis, crossing};
use super::{Deferred, SweptContact, Test};
use crate::impacts::Impacts;
use crate::lane::{Float, Lanes, Vec3};
use crate::shapes::{MovingLanes, Obb, Sphere, SphereLanes, TurningLanes};

impl Test<Impacts, Obb> for Sphere {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (sphere, obb): (MovingLanes<SphereLanes<L::F>, L::F>, TurningLanes<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = SweptContact<L>> {
        let bounding_sphere = around(lanes, obb, lanes.splat(0.0));
        balls_meet(lanes, sphere, bounding_sphere, margin)
    }
}

impl March<Obb> for Sphere {
    #[inline(always)]
    fn size<L: Lanes>(
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
    ) -> Found<L> {
        let v = sphere.displacement - obb.displacement;
        let offset = sphere.start.center - obb.start.center;
        let offsets = [offset + v * step.from, offset + v * step.to];
        let start = Vec3(offsets[0].along(obb.axes_at(lanes, step.from)));
        let end = Vec3(offsets[1].along(obb.axes_at(lanes, step.to)));
        let h = obb.start.half_extents;
        let (low, high, travel) = (start + h, start - h, end - start);
        let axes = [
            Axis::new(lanes, low.0[0], high.0[0], travel.0[0]),
            Axis::new(lanes, low.0[1], high.0[1], travel.0[1]),
            Axis::new(lanes, low.0[2], high.0[2], travel.0[2]),
        ];
        let reach = sphere.start.radius + step.margin;
        let outside = length(Vec3([
            axes[0].outside_at_start(lanes.splat(0.0)),
            axes[1].outside_at_start(lanes.splat(0.0)),
            axes[2].outside_at_start(lanes.splat(0.0)),
        ]));
        let near = outside.le(reach + step.tolerance);

        let turn = length(obb.turn);
        let pace = Pace::new(lanes, step, offsets, v);
        let rest = pace.of_offset(turn);
        let error = taken_off(lanes, step.size);
        let crossing = crossing(lanes, axes, reach + (rest + error)).finish(lanes);
        let first = crossing.enter.select(crossing.hit, lanes.splat(2.0));
        Found {
            near,
            first,
            last: crossing.exit,
            next: next(
                lanes,
                first,
                [rest, length(travel)],
                [outside - (reach + error), rest],
            ),
            apart: apart(lanes, step, pace.speed + turn * obb.start.radius),
        }
    }
}
