//! Time of impact of a rotating OBB with a plane or a half-space: steps along the normal, see [`advance`](crate::narrow::impact::advance).
//! A sweep of the OBB's bounding sphere brackets the search.
//!
//! The only axis is the normal n, which does not rotate. The center's height is linear in time. Each half extent
//! supports |n·Aₖ| times its length along n, a function of time with curvature at most |n| ω².
//!
//! # Error bound
//!
//! In terms of `extent`, S, W and |n| times the half extents and the margin: the height is off by 5 u of S and
//! 5.5 u of W, the support by 44 + 3 u and 4 u of its sum: less than 150 u of all.

use crate::driver::source::{Deferred, Separate, Test, TimeRange};
use crate::lane::{Float, Lanes};
use crate::narrow::geometry::extent;
use crate::narrow::impact::advance::{
    Advance, MotionOf, SeparationBounds, Step, StepResult, bounding_sphere, chord_deviation,
    directed, length, rounding_slack, safe_time,
};
use crate::narrow::impact::impacts::Impacts;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::form::WideMoving;
use crate::shapes::obb::{Obb, WideTurning};
use crate::shapes::plane::Surface;
use crate::shapes::sphere::Sphere;

impl<P: Surface> Test<Impacts, P> for Obb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (obb, surface): (WideTurning<L::F>, WideMoving<P::Wide<L::F>, L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let sphere = bounding_sphere(lanes, obb, margin);
        <Sphere as Test<Sweeps, P>>::test(lanes, (sphere, surface), lanes.splat(0.0))
    }
}

impl<P: Surface> Advance<P> for Obb {
    #[inline(always)]
    fn sum_of_lengths<L: Lanes>(
        _lanes: L,
        obb: MotionOf<Obb, L>,
        surface: MotionOf<P, L>,
        margin: L::F,
    ) -> L::F {
        let plane = P::plane(surface.start);
        let v = obb.displacement - surface.displacement;
        let (_, height) = extent::height(obb.start.center, plane);
        let [x, y, z] = extent::product(plane.normal, v);
        let travel = x.abs() + y.abs() + z.abs();
        height + travel + (obb.start.half_extents.sum() + margin) * plane.length
    }

    #[inline(always)]
    fn step<L: Lanes>(
        lanes: L,
        obb: MotionOf<Obb, L>,
        surface: MotionOf<P, L>,
        step: Step<L::F>,
    ) -> StepResult<L> {
        let plane = P::plane(surface.start);
        let v = obb.displacement - surface.displacement;
        let n = plane.normal;
        let (height, _) = extent::height(obb.start.center, plane);
        let climb = n.dot(v);
        let [hx, hy, hz] = obb.start.half_extents.0;
        let margin = step.margin * plane.length;
        let error = rounding_slack(lanes, step.size);
        let mut ends = [height; 2];
        let mut reaches = [margin; 2];
        let mut k = 0;
        while k < 2 {
            let time = if k == 0 { step.from } else { step.to };
            let [x, y, z] = n.along(obb.axes_at(lanes, time));
            ends[k] = height + climb * time;
            reaches[k] = (hx * x.abs() + hy * y.abs() + hz * z.abs()) + margin;
            k += 1;
        }
        // A plane separates from either side.
        let [from, to] = if const { P::IS_SOLID } {
            ends
        } else {
            [ends[0].abs(), directed(lanes, ends[0], ends[1])]
        };
        let (start, end) = (from - reaches[0], to - reaches[1]);
        let within_tolerance = start.le(step.tolerance * plane.length);

        let turn = length(obb.turn);
        let deviation = chord_deviation(lanes, step)
            * (turn * turn * (obb.start.half_extents.sum() * plane.length));
        let speed = (climb.abs() + turn * obb.start.radius * plane.length) / plane.length;
        SeparationBounds::new(lanes)
            .add_axis(lanes, [start - error, end - error], deviation)
            .result(lanes, within_tolerance, safe_time(lanes, step, speed))
    }
}
