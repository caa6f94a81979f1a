//! Does a capsule touch a half-space?
//!
//! It does when normal · p + d is zero or less somewhere on it, see `extent`.
//!
//! Source: the support of a segment and a ball along the normal, as in C. Ericson, "Real-Time Collision
//! Detection", 2005, 5.2.2 and 5.2.3. Departure: the range is widened so that rounding loses no contact.
//!
//! Degenerate cases: an axis of length zero makes a ball, a radius of zero a segment or a point.
//!
//! # Error bound
//!
//! The bound of the extent holds. False hits have a gap of at most
//! 16 u (Σ |nᵢ pᵢ| + Σ |nᵢ hᵢ| + |d| + radius + margin) + 2⁻⁶⁰, where n is the normal made a unit vector, h the
//! half axis.
//!
//! Measured at worst, over 2 million near-contact cases: 0.61 of that.

use super::load::Separate;
use super::{Contact, Deferred, Test, extent};
use crate::hits::Overlaps;
use crate::lane::Lanes;
use crate::shapes::{Capsule, CapsuleLanes, HalfSpace, PlaneLanes};

impl Test<Overlaps, HalfSpace> for Capsule {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): (CapsuleLanes<L::F>, PlaneLanes<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = Contact<L::M>> {
        extent::touches_half_space(lanes, extent::of_capsule(lanes, shape, plane, margin))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, overlap};
    use phalanx::{Capsule, HalfSpace};

    #[test]
    fn solid_below() {
        let ground = HalfSpace {
            normal: [0., 0., 2.],
            d: -2.,
        };
        let capsule = |z, half| Capsule {
            center: [5., 6., z],
            half_axis: [1., 2., half],
            radius: 0.5,
        };
        for half in [2., -2.] {
            assert_eq!(overlap(capsule(3.5, half), ground), Hit);
            assert_eq!(overlap(capsule(3.501, half), ground), Miss);
            assert_eq!(overlap(ground, capsule(-100., half)), Hit);
        }
        assert_eq!(overlap(capsule(1.5, 0.), ground), Hit);
        assert_eq!(overlap(capsule(1.501, 0.), ground), Miss);
    }
}
