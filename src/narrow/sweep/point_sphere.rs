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

use crate::driver::load::Relative;
use crate::driver::source::{Deferred, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::narrow::sweep;
use crate::shapes::form::WideMoving;
use crate::shapes::point::Point;
use crate::shapes::sphere::{Sphere, SphereOffset};

impl Test<Sweeps, Sphere> for Point {
    type Load = Relative;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        offset: WideMoving<SphereOffset<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        sweep::sphere_sphere::crossing(lanes, offset, margin)
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::sweep;
    use phalanx::{Point, Sphere};

    const SPHERE: (Sphere, [f32; 3]) = (
        Sphere {
            center: [0., 0., 0.],
            radius: 5.,
        },
        [0.0; 3],
    );

    fn ray(position: [f32; 3], to: [f32; 3]) -> (Point, [f32; 3]) {
        let travel = [0, 1, 2].map(|k| to[k] - position[k]);
        (Point { position }, travel)
    }

    #[test]
    fn ray_enters_and_exits() {
        // 3 beside the center, so the chord is 8 long.
        let through = ray([-8., 3., 0.], [8., 3., 0.]);
        assert_eq!(sweep(through, SPHERE), When(0.25, 0.75));
        assert_eq!(sweep(SPHERE, through), When(0.25, 0.75));
        let short = ray([-8., 3., 0.], [-4.1, 3., 0.]);
        assert_eq!(sweep(short, SPHERE), Miss);
        assert_eq!(sweep(ray([9., 0., 0.], [17., 0., 0.]), SPHERE), Miss);
        assert_eq!(
            sweep(ray([-9., 0., 0.], [-5., 0., 0.]), SPHERE),
            When(1., 1.)
        );
    }

    #[test]
    fn ray_may_start_inside() {
        assert_eq!(
            sweep(ray([0., 0., 1.], [0., 0., 9.]), SPHERE),
            When(0., 0.5)
        );
        let inside = ray([0., -4., 0.], [0., 4., 0.]);
        assert_eq!(sweep(inside, SPHERE), When(0., 1.));
        assert_eq!(sweep(ray([1.; 3], [1.; 3]), SPHERE), When(0., 1.));
        assert_eq!(sweep(ray([4.; 3], [4.; 3]), SPHERE), Miss);
    }

    #[test]
    fn sphere_may_move() {
        let coming = (SPHERE.0, [-8., 0., 0.]);
        let rest = ray([-9., 0., 0.], [-9., 0., 0.]);
        assert_eq!(sweep(rest, coming), When(0.5, 1.));
        let along = ray([-6., 0., 0.], [-14., 0., 0.]);
        assert_eq!(sweep(along, coming), Miss);
    }
}
