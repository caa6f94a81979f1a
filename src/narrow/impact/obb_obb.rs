//! OBB-OBB time of impact: conservative advancement along the fifteen separating axes.
//!
//! Steps are those of `turning_boxes`. The search ([`advance`](crate::narrow::impact::advance)) is bracketed by a sweep of both bounding
//! spheres.

use crate::driver::load::Separate;
use crate::driver::source::{Deferred, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::impact::advance::{
    Advance, MotionOf, Step, StepResult, bounding_sphere, sphere_sweep,
};
use crate::narrow::impact::impacts::Impacts;
use crate::narrow::impact::turning_boxes;
use crate::narrow::impact::turning_boxes::{TurningBoxes, turning_box};
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
    fn size<L: Lanes>(_lanes: L, a: MotionOf<Obb, L>, b: MotionOf<Obb, L>, margin: L::F) -> L::F {
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
