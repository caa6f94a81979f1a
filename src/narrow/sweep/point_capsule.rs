//! Point-capsule sweep, or ray cast against a capsule: `sphere_capsule_sweep` with a sphere of radius zero.
//!
//! The point is inside while its distance from the axis is at most the radius.
//!
//! Degenerate cases: as there.
//!
//! # Error bound
//!
//! The bound of a sphere with a radius of zero: a gap of at most 37 u (r + margin) + 18 u ‖h‖₁ + 41 u ‖v‖₁ + 2⁻⁶¹ at the
//! claimed times, h the half axis and v the relative displacement.
//!
//! Measured at worst, over 1 million near-contact cases: 0.68 of the band.

use crate::driver::source::{BothMoving, Deferred, Separate, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::narrow::sweep;
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::point::{Point, WidePoint};

impl Test<Sweeps, Capsule> for Point {
    type Load = Separate;
    const IS_LONG: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (point, capsule): BothMoving<WidePoint<L::F>, WideCapsule<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let v = point.displacement - capsule.displacement;
        let capsule = capsule.start;
        sweep::sphere_capsule::meets(
            lanes,
            (point.start.position, v),
            capsule.radius,
            capsule,
            margin,
        )
    }
}
