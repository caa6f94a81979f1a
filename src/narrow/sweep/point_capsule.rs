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

use crate::driver::load::Separate;
use crate::driver::source::{BothMoving, Deferred, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::narrow::sweep;
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::point::{Point, WidePoint};

impl Test<Sweeps, Capsule> for Point {
    type Load = Separate;

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

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::{ray, sweep};
    use phalanx::{Capsule, Point};

    /// From (1, 0, 0) to (1, 8, 0).
    const POST: (Capsule, [f32; 3]) = (Capsule::between([1., 0., 0.], [1., 8., 0.], 2.0), [0.0; 3]);

    #[test]
    fn ray_through_the_side() {
        let through = ray([-7., 4., 0.], [16., 0., 0.]);
        assert_eq!(sweep(through, POST), When(0.375, 0.625));
        assert_eq!(sweep(POST, through), When(0.375, 0.625));
        // Beside the axis, by 1.2 and 1.6.
        let beside = ray([-7., 4., 1.2], [16., 0., 0.]);
        assert_eq!(sweep(beside, POST), When(0.4, 0.6));
        assert_eq!(sweep(ray([-7., 4., 2.001], [16., 0., 0.]), POST), Miss);
        assert_eq!(sweep(ray([-7., 4., 0.], [5.99, 0., 0.]), POST), Miss);
        assert_eq!(sweep(ray([1., 4., 0.], [8., 0., 0.]), POST), When(0., 0.25));
    }

    #[test]
    fn ray_along_the_axis() {
        let along = ray([1., -6., 0.], [0., 20., -0.]);
        assert_eq!(sweep(along, POST), When(0.2, 0.8));
        assert_eq!(sweep(ray([1., 11., 0.], [0., 4., 0.]), POST), Miss);
        assert_eq!(sweep(ray([1., 3., 0.], [0.; 3]), POST), When(0., 1.));
        assert_eq!(sweep(ray([4., 3., 0.], [0.; 3]), POST), Miss);
    }

    #[test]
    fn capsule_may_move() {
        let coming = (POST.0, [-16., 0., 0.]);
        assert_eq!(sweep(ray([9., 4., 0.], [0.; 3]), coming), Miss);
        assert_eq!(
            sweep(ray([-7., 4., 0.], [0.; 3]), coming),
            When(0.375, 0.625)
        );
    }
}
