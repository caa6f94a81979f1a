//! When does a moving box in any orientation touch a moving half-space?
//!
//! While normal · p + d is zero or less somewhere on it, see `extent`.
//!
//! Source: the support of a box along the normal, as in C. Ericson, "Real-Time Collision Detection",
//! 2005, 5.2.3. Departure: the range is widened so that rounding loses no contact.
//!
//! Degenerate cases: rectangles, segments and points are boxes; without motion along the normal,
//! they touch for the whole frame or never.
//!
//! # Error bound
//!
//! The bound of the extent holds. False hits have a gap of at most 16 u (Σ |nᵢ pᵢ| + |d| + reach) + 32 u Σ
//! hₖ + 16 u Σ |nᵢ vᵢ| + 2⁻⁶⁰, where n is the normal made a unit vector.
//!
//! Measured at worst, over 10 million near-contact cases: 0.64 of that.

use super::load::Separate;
use super::{BothMoving, Deferred, SweptContact, Test, extent};
use crate::hits::Sweeps;
use crate::lane::Lanes;
use crate::shapes::{HalfSpace, Obb, ObbLanes, PlaneLanes};

impl Test<Sweeps, HalfSpace> for Obb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): BothMoving<ObbLanes<L::F>, PlaneLanes<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = SweptContact<L>> {
        let v = shape.displacement - plane.displacement;
        let extent = extent::of_obb(lanes, shape.start, plane.start, margin);
        extent::meets_half_space(lanes, extent, v, plane.start)
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, sweep};
    use phalanx::{HalfSpace, Obb};

    const GROUND: (HalfSpace, [f32; 3]) = (
        HalfSpace {
            normal: [0., 1., 0.],
            d: 0.,
        },
        [0.0; 3],
    );

    fn cube(y: f32, to: f32) -> (Obb, [f32; 3]) {
        let shape = Obb {
            center: [0., y, 0.],
            half_extents: [1.; 3],
            ..Obb::default()
        };
        (shape, [3., to - y, 0.])
    }

    #[test]
    fn a_box_falls_in_and_stays() {
        assert_eq!(sweep(cube(3., -1.), GROUND), When(0.5, 1.));
        assert_eq!(sweep(GROUND, cube(0., 4.)), When(0., 0.25));
        assert_eq!(sweep(cube(3., 1.01), GROUND), Miss);
    }
}
