//! When does a moving ball touch a moving half-space?
//!
//! While normal · p + d is zero or less somewhere on it, see `extent`.
//!
//! Source: as for a plane (`sphere_plane_sweep`), with one side solid.
//!
//! Degenerate cases: a radius of zero is a point; without motion along the normal, they touch for
//! the whole frame or never.
//!
//! # Error bound
//!
//! The bound of the extent holds. False hits have a gap of at most 16 u (Σ |nᵢ pᵢ| + |d| + reach) + 16 u Σ |nᵢ
//! vᵢ| + 2⁻⁶⁰, where n is the normal made a unit vector.
//!
//! Measured at worst, over 10 million near-contact cases: 0.64 of that.

use super::load::Separate;
use super::{BothMoving, Deferred, SweptContact, Test, extent};
use crate::hits::Sweeps;
use crate::lane::Lanes;
use crate::shapes::{HalfSpace, PlaneLanes, Sphere, SphereLanes};

impl Test<Sweeps, HalfSpace> for Sphere {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): BothMoving<SphereLanes<L::F>, PlaneLanes<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = SweptContact<L>> {
        let v = shape.displacement - plane.displacement;
        let extent = extent::of_sphere(lanes, shape.start, plane.start, margin);
        extent::meets_half_space(lanes, extent, v, plane.start)
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, sweep};
    use phalanx::{HalfSpace, Sphere};

    const GROUND: (HalfSpace, [f32; 3]) = (
        HalfSpace {
            normal: [0., 1., 0.],
            d: 0.,
        },
        [0.0; 3],
    );

    fn ball(y: f32, to: f32) -> (Sphere, [f32; 3]) {
        (
            Sphere {
                center: [0., y, 0.],
                radius: 1.,
            },
            [3., to - y, 0.],
        )
    }

    #[test]
    fn a_ball_falls_in_and_stays() {
        assert_eq!(sweep(ball(3., -1.), GROUND), When(0.5, 1.));
        assert_eq!(sweep(ball(-9., -8.), GROUND), When(0., 1.));
        assert_eq!(sweep(ball(0., 4.), GROUND), When(0., 0.25));
        assert_eq!(sweep(GROUND, ball(3., 1.)), When(1., 1.));
        assert_eq!(sweep(ball(3., 1.01), GROUND), Miss);
        assert_eq!(sweep(ball(2., 2.), GROUND), Miss);
    }
}
