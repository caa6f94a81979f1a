//! When does a moving capsule touch a moving half-space?
//!
//! While normal · p + d is zero or less somewhere on it, see `extent`.
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
//! Measured at worst, over 2 million near-contact cases: 0.64 of that.

use super::load::Separate;
use super::{BothMoving, Deferred, SweptContact, Test, extent};
use crate::hits::Sweeps;
use crate::lane::Lanes;
use crate::shapes::{Capsule, CapsuleLanes, HalfSpace, PlaneLanes};

impl Test<Sweeps, HalfSpace> for Capsule {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): BothMoving<CapsuleLanes<L::F>, PlaneLanes<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = SweptContact<L>> {
        let v = shape.displacement - plane.displacement;
        let extent = extent::of_capsule(lanes, shape.start, plane.start, margin);
        extent::meets_half_space(lanes, extent, v, plane.start)
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, sweep};
    use phalanx::{Capsule, HalfSpace};

    const GROUND: (HalfSpace, [f32; 3]) = (
        HalfSpace {
            normal: [0., 1., 0.],
            d: 0.,
        },
        [0.0; 3],
    );

    /// It reaches 2 down.
    fn capsule(y: f32, to: f32) -> (Capsule, [f32; 3]) {
        let capsule = Capsule {
            center: [0., y, 0.],
            half_axis: [3., 1.5, 0.],
            radius: 0.5,
        };
        (capsule, [3., to - y, 0.])
    }

    #[test]
    fn a_capsule_falls_in_and_stays() {
        assert_eq!(sweep(capsule(4., 0.), GROUND), When(0.5, 1.));
        assert_eq!(sweep(GROUND, capsule(0., 8.)), When(0., 0.25));
        assert_eq!(sweep(capsule(4., 2.01), GROUND), Miss);
    }
}
