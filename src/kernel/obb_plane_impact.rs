//! When does a box that turns first touch a plane?
//!
//! Steps along its normal, see `plane_impact` and [`march`](super::march), where a ball around the box touches it.

use super::load::Separate;
use super::march::{Found, March, MotionOf, Step, around};
use super::{Deferred, SweptContact, Test, plane_impact};
use crate::hits::Sweeps;
use crate::impacts::Impacts;
use crate::lane::Lanes;
use crate::shapes::{MovingLanes, Obb, Plane, PlaneLanes, Sphere, TurningLanes};

impl Test<Impacts, Plane> for Obb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (obb, plane): (TurningLanes<L::F>, MovingLanes<PlaneLanes<L::F>, L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = SweptContact<L>> {
        let ball = around(lanes, obb, margin);
        <Sphere as Test<Sweeps, Plane>>::test(lanes, (ball, plane), lanes.splat(0.0))
    }
}

impl March<Plane> for Obb {
    #[inline(always)]
    fn size<L: Lanes>(
        _lanes: L,
        obb: MotionOf<Obb, L>,
        plane: MotionOf<Plane, L>,
        margin: L::F,
    ) -> L::F {
        let v = obb.displacement - plane.displacement;
        plane_impact::size::<L>(obb, plane.start, v, margin)
    }

    #[inline(always)]
    fn step<L: Lanes>(
        lanes: L,
        obb: MotionOf<Obb, L>,
        plane: MotionOf<Plane, L>,
        step: Step<L::F>,
    ) -> Found<L> {
        let v = obb.displacement - plane.displacement;
        plane_impact::step::<L, false>(lanes, obb, plane.start, v, step)
    }
}
