//! When is a moving point in a moving half-space? Where does a ray meet it?
//!
//! While normal · p + d is zero or less, see `extent`.
//!
//! Source: as for a ball (`sphere_half_space_sweep`), with a radius of zero.
//!
//! Degenerate cases: a ray along the surface is in from start to end, or never.
//!
//! # Error bound
//!
//! The bound of the extent holds. False hits have a gap of at most 16 u (Σ |nᵢ pᵢ| + |d| + margin) + 16 u Σ
//! |nᵢ vᵢ| + 2⁻⁶⁰, where n is the normal made a unit vector.
//!
//! Measured at worst, over 1 million near-contact cases: 0.62 of the band.

use super::load::Separate;
use super::{BothMoving, Deferred, SweptContact, Test, extent};
use crate::hits::Sweeps;
use crate::lane::Lanes;
use crate::shapes::{HalfSpace, PlaneLanes, Point, PointLanes};

impl Test<Sweeps, HalfSpace> for Point {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): BothMoving<PointLanes<L::F>, PlaneLanes<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = SweptContact<L>> {
        let v = shape.displacement - plane.displacement;
        let extent = extent::of_point(lanes, shape.start, plane.start, margin);
        extent::meets_half_space(lanes, extent, v, plane.start)
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, sweep};
    use phalanx::{HalfSpace, Point};

    const GROUND: (HalfSpace, [f32; 3]) = (
        HalfSpace {
            normal: [0., 1., 0.],
            d: 0.,
        },
        [0.0; 3],
    );

    fn ray(y: f32, to: f32) -> (Point, [f32; 3]) {
        (
            Point {
                position: [5., y, 0.],
            },
            [3., to - y, -4.],
        )
    }

    #[test]
    fn a_ray_goes_in_and_stays() {
        assert_eq!(sweep(ray(3., -1.), GROUND), When(0.75, 1.));
        assert_eq!(sweep(ray(-9., -8.), GROUND), When(0., 1.));
        assert_eq!(sweep(ray(-1., 3.), GROUND), When(0., 0.25));
        assert_eq!(sweep(GROUND, ray(3., 0.)), When(1., 1.));
        assert_eq!(sweep(ray(3., 0.001), GROUND), Miss);
        assert_eq!(sweep(ray(0., 0.), GROUND), When(0., 1.));
        assert_eq!(sweep(ray(0.001, 0.001), GROUND), Miss);
        assert_eq!(sweep(ray(1., 1.), (GROUND.0, [0., 2., 0.])), When(0.5, 1.));
    }
}
