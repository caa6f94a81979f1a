//! When does a moving capsule touch a moving plane?
//!
//! While normal · p + d is zero somewhere on it, see `extent`.
//!
//! Source: the support of a segment and a ball along the normal, as in C. Ericson, "Real-Time Collision
//! Detection", 2005, 5.2.2 and 5.2.3. Departure: the range is widened so that rounding loses no contact.
//!
//! Degenerate cases: an axis of length zero makes a ball, a radius of zero a segment or a point; without
//! motion along the normal, they touch for the whole frame or never.
//!
//! # Error bound
//!
//! The bound of the extent holds. False hits have a gap of at most 16 u (Σ |nᵢ pᵢ| + Σ |nᵢ hᵢ| + |d| +
//! radius + margin) + 16 u Σ |nᵢ vᵢ| + 2⁻⁶⁰, where n is the normal made a unit vector, h the half axis.
//!
//! Measured at worst, over 2 million near-contact cases: 0.65 of that.

use super::load::Separate;
use super::{BothMoving, Deferred, SweptContact, Test, extent};
use crate::hits::Sweeps;
use crate::lane::Lanes;
use crate::shapes::{Capsule, CapsuleLanes, Plane, PlaneLanes};

impl Test<Sweeps, Plane> for Capsule {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): BothMoving<CapsuleLanes<L::F>, PlaneLanes<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = SweptContact<L>> {
        let v = shape.displacement - plane.displacement;
        let extent = extent::of_capsule(lanes, shape.start, plane.start, margin);
        extent::meets_plane(lanes, extent, v, plane.start)
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, sweep};
    use phalanx::{Capsule, Plane};

    const PLANE: (Plane, [f32; 3]) = (
        Plane {
            normal: [0., 0., 2.],
            d: 0.,
        },
        [0.0; 3],
    );

    /// It reaches 3 up and down.
    fn capsule(z: f32, to: f32) -> (Capsule, [f32; 3]) {
        let capsule = Capsule {
            center: [1., 2., z],
            half_axis: [5., 5., -2.],
            radius: 1.,
        };
        (capsule, [5., 5., to - z])
    }

    #[test]
    fn a_capsule_passes_through() {
        assert_eq!(sweep(capsule(-6., 6.), PLANE), When(0.25, 0.75));
        assert_eq!(sweep(PLANE, capsule(6., -6.)), When(0.25, 0.75));
        assert_eq!(sweep(capsule(5., 3.), PLANE), When(1., 1.));
        assert_eq!(sweep(capsule(0., 6.), PLANE), When(0., 0.5));
        assert_eq!(sweep(capsule(5., 3.01), PLANE), Miss);
        assert_eq!(
            sweep(capsule(3., 3.), (PLANE.0, [9., 9., 0.])),
            When(0., 1.)
        );
    }
}
