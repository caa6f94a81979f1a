//! Point-AABB sweep, or ray cast against an AABB: three slabs.
//!
//! A margin grows the box along its axes. For a margin equal in all directions, use a `Sphere` of that radius, which
//! takes several times as long.
//!
//! Source: T. Kay and J. Kajiya, "Ray Tracing Complex Scenes", SIGGRAPH 1986. Departures: a ray ends at its
//! displacement; the box is widened so that rounding loses no contact; no NaN is ever returned.
//!
//! Degenerate cases: a ray in the plane of a face, along an edge or through a corner hits. Without motion along an
//! axis, a coordinate is between the corners for the whole frame or never.
//!
//! # Error bound
//!
//! The bound of two boxes (`aabb_aabb_sweep`) with a point as one of them: false hits have a gap of at most 12 u (speed +
//! margin) + 2⁻¹²⁵ at the time of contact on each axis, beyond the margin.
//!
//! Measured at worst, over 1 million near-contact cases: 0.88 of the band.

use crate::driver::load::Separate;
use crate::driver::source::{BothMoving, Deferred, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::geometry::slab::box_slabs;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::aabb::{Aabb, AabbGaps, WideAabb};
use crate::shapes::form::WideMoving;
use crate::shapes::point::{Point, WidePoint};

impl Test<Sweeps, Aabb> for Point {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (point, aabb): BothMoving<WidePoint<L::F>, WideAabb<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let gaps = WideMoving {
            start: AabbGaps {
                below: point.start.position - aabb.start.max,
                above: aabb.start.min - point.start.position,
            },
            displacement: point.displacement - aabb.displacement,
        };
        box_slabs(lanes, gaps, margin)
    }
}
