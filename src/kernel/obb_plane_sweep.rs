//! When does a moving box in any orientation touch a moving plane?
//!
//! While normal · p + d is zero somewhere on it, see `extent`.
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
use crate::shapes::{Obb, ObbLanes, Plane, PlaneLanes};

impl Test<Sweeps, Plane> for Obb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): BothMoving<ObbLanes<L::F>, PlaneLanes<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = SweptContact<L>> {
        let v = shape.displacement - plane.displacement;
        let extent = extent::of_obb(lanes, shape.start, plane.start, margin);
        extent::meets_plane(lanes, extent, v, plane.start)
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, sweep};
    use phalanx::{Obb, Plane};

    const PLANE: (Plane, [f32; 3]) = (
        Plane {
            normal: [0., 0., 2.],
            d: 0.,
        },
        [0.0; 3],
    );

    fn cube(z: f32, to: f32) -> (Obb, [f32; 3]) {
        let shape = Obb {
            center: [0., 0., z],
            half_extents: [1.; 3],
            ..Obb::default()
        };
        (shape, [0., 4., to - z])
    }

    #[test]
    fn a_box_passes_through() {
        assert_eq!(sweep(cube(-3., 3.), PLANE), When(1. / 3., 2. / 3.));
        assert_eq!(sweep(PLANE, cube(3., -3.)), When(1. / 3., 2. / 3.));
        assert_eq!(sweep(cube(2., 2.), PLANE), Miss);
    }
}
