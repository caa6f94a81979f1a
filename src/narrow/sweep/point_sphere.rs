//! Point-sphere sweep, or ray cast against a sphere: `sphere_sphere_sweep` with a radius of zero.
//!
//! The point is inside while its distance from the center is at most the radius.
//!
//! Degenerate cases: a sphere of radius zero is a point; without relative motion the times are 0 and 1.
//!
//! # Error bound
//!
//! The bound of two spheres, one with a radius of zero: a gap of at most 20 u (r + margin + ‖P₀‖₁ + ‖P₁‖₁) + 2⁻⁶¹ at the
//! claimed times, P₀ and P₁ the offsets of the point from the center at the start and at the end.
//!
//! Measured at worst, over 1 million near-contact cases: 0.64 of the band.

use crate::driver::source::{Deferred, Relative, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::narrow::sweep;
use crate::shapes::form::WideMoving;
use crate::shapes::point::Point;
use crate::shapes::sphere::{Sphere, SphereOffset};

impl Test<Sweeps, Sphere> for Point {
    type Load = Relative;
    const STARTS_FINE: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        offset: WideMoving<SphereOffset<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        sweep::sphere_sphere::crossing(lanes, offset, margin)
    }
}
