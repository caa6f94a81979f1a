//! Sweep of a bounded shape against a plane or a half-space, both moving.
//!
//! Contact lasts while normal · p + d is zero somewhere on the shape, or zero or less for a half-space. The interval
//! of [`extent`](crate::narrow::geometry::extent) moves along the normal: a [`slab`](crate::narrow::geometry::slab) test of zero against it.
//!
//! Sources: those of [`extent`](crate::narrow::geometry::extent), with all of Gomez' listing 1 for the times. Departure: either side may
//! move.
//!
//! Degenerate cases: those of [`overlap::plane`](crate::narrow::overlap::plane). Without motion along the normal, contact lasts
//! for the whole frame or never begins.
//!
//! # Error bound
//!
//! Never missing: contact at t is low + t n·v ≤ 0 exactly. By monotone rounding the widened end is at most fl(y),
//! y = −t s − (the slack), s the computed speed and |s| ≤ W (1 + 5 u). fl(y) errs by u |y| and `slab` needs
//! u/2 |s| more, by its (1): these are 1.5 u of W's row. Then `enter` is never late and `exit` never early. As the
//! widening is at least that of the overlap test, an overlap at the start has `enter` = 0.
//!
//! The bands are those of [`overlap::plane`](crate::narrow::overlap::plane), and 16 u Σ |nᵢ vᵢ| more for each shape, v being the
//! relative displacement.

use crate::driver::source::{BothMoving, Deferred, Separate, Test, TimeRange};
use crate::lane::{Float, Lanes};
use crate::narrow::geometry::extent::{Extent, Interval, product};
use crate::narrow::geometry::slab::{Slab, Slabs};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::plane::Surface;

impl<S: Extent, P: Surface> Test<Sweeps, P> for S {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, surface): BothMoving<S::Wide<L::F>, P::Wide<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let v = shape.displacement - surface.displacement;
        let plane = P::plane(surface.start);
        let Interval { low, high, error } = S::extent(lanes, shape.start, plane, margin);
        let [x, y, z] = product(v, plane.normal);
        let size = x.abs() + y.abs() + z.abs();
        // The speed against the normal, never −0.
        let descent = lanes.splat(0.0) - (x + y + z);
        let error = error + size * lanes.units(8.0);
        Slabs([Slab {
            low: low - error,
            high: if const { P::IS_SOLID } {
                lanes.splat(f32::INFINITY)
            } else {
                high + error
            },
            v: descent,
        }])
    }
}
