//! When does a moving ball touch a moving plane?
//!
//! While normal · p + d is zero somewhere on it, see `extent`.
//!
//! Source: M. Gomez, "Simple Intersection Tests for Games", Gamasutra, 18 October 1999,
//! listing 1. Departures: from either side; touching counts; the normal may have any length;
//! either may move; the range is widened so that rounding loses no contact.
//!
//! Degenerate cases: a radius of zero is a point; without motion along the normal, they touch for
//! the whole frame or never.
//!
//! # Error bound
//!
//! The bound of the extent holds. False hits have a gap of at most 16 u (Σ |nᵢ pᵢ| + |d| + reach) + 16 u Σ |nᵢ
//! vᵢ| + 2⁻⁶⁰, where n is the normal made a unit vector.
//!
//! Measured at worst, over 10 million near-contact cases: 0.66 of that.

use super::load::Separate;
use super::{BothMoving, Deferred, SweptContact, Test, extent};
use crate::hits::Sweeps;
use crate::lane::Lanes;
use crate::shapes::{Plane, PlaneLanes, Sphere, SphereLanes};

impl Test<Sweeps, Plane> for Sphere {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): BothMoving<SphereLanes<L::F>, PlaneLanes<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = SweptContact<L>> {
        let v = shape.displacement - plane.displacement;
        let extent = extent::of_sphere(lanes, shape.start, plane.start, margin);
        extent::meets_plane(lanes, extent, v, plane.start)
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, sweep};
    use phalanx::{Plane, Sphere};

    const PLANE: (Plane, [f32; 3]) = (
        Plane {
            normal: [0., 0., 2.],
            d: 0.,
        },
        [0.0; 3],
    );

    fn ball(z: f32, to: f32) -> (Sphere, [f32; 3]) {
        (
            Sphere {
                center: [1., 2., z],
                radius: 1.,
            },
            [5., 5., to - z],
        )
    }

    #[test]
    fn a_ball_passes_through() {
        assert_eq!(sweep(ball(-3., 3.), PLANE), When(1. / 3., 2. / 3.));
        assert_eq!(sweep(PLANE, ball(3., -3.)), When(1. / 3., 2. / 3.));
        assert_eq!(sweep(ball(3., 1.), PLANE), When(1., 1.));
        assert_eq!(sweep(ball(0., 4.), PLANE), When(0., 0.25));
        assert_eq!(sweep(ball(3., 1.1), PLANE), Miss);
        assert_eq!(sweep(ball(2., 3.), PLANE), Miss);
    }

    #[test]
    fn the_plane_may_move() {
        let moving = (PLANE.0, [9., 9., 2.]);
        assert_eq!(sweep(ball(3., 3.), moving), When(1., 1.));
        assert_eq!(sweep(ball(3., 5.), moving), Miss);
        assert_eq!(sweep(ball(1., 3.), moving), When(0., 1.));
    }
}
