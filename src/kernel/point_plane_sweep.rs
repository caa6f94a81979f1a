//! When is a moving point on a moving plane? Where does a ray cross it?
//!
//! Where normal · p + d is zero, see `extent`.
//!
//! Source: as for a ball (`sphere_plane_sweep`), with a radius of zero.
//!
//! Degenerate cases: a ray along the plane is on it from start to end, or never.
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
use crate::shapes::{Plane, PlaneLanes, Point, PointLanes};

impl Test<Sweeps, Plane> for Point {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): BothMoving<PointLanes<L::F>, PlaneLanes<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = SweptContact<L>> {
        let v = shape.displacement - plane.displacement;
        let extent = extent::of_point(lanes, shape.start, plane.start, margin);
        extent::meets_plane(lanes, extent, v, plane.start)
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, sweep};
    use phalanx::{Plane, Point};

    /// x + y = 4
    const PLANE: (Plane, [f32; 3]) = (
        Plane {
            normal: [1., 1., 0.],
            d: -4.,
        },
        [0.0; 3],
    );

    fn ray(position: [f32; 3], way: [f32; 3]) -> (Point, [f32; 3]) {
        (Point { position }, way)
    }

    #[test]
    fn a_ray_crosses_from_either_side() {
        assert_eq!(sweep(ray([0.; 3], [4., 12., 5.]), PLANE), When(0.25, 0.25));
        assert_eq!(sweep(PLANE, ray([4.; 3], [-8., 0., 5.])), When(0.5, 0.5));
        assert_eq!(sweep(ray([0.; 3], [1., 3., 0.]), PLANE), When(1., 1.));
        assert_eq!(sweep(ray([0.; 3], [1., 2.999, 0.]), PLANE), Miss);
        assert_eq!(sweep(ray([0.; 3], [-4., -4., 0.]), PLANE), Miss);
    }

    #[test]
    fn a_ray_along_the_plane_is_on_it_or_never() {
        let way = [-2., 2., 9.];
        assert_eq!(sweep(ray([1., 3., 0.], way), PLANE), When(0., 1.));
        assert_eq!(sweep(ray([1., 3.001, 0.], way), PLANE), Miss);
        assert_eq!(sweep(ray([1., 3., 0.], [-0.; 3]), PLANE), When(0., 1.));
    }

    #[test]
    fn the_plane_may_move() {
        let moving = (PLANE.0, [0., -8., 0.]);
        assert_eq!(sweep(ray([0.; 3], [0.; 3]), moving), When(0.5, 0.5));
    }
}
