//! Does a capsule touch a plane?
//!
//! It does when normal · p + d is zero somewhere on it, see `extent`.
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
use crate::shapes::{Capsule, CapsuleLanes, Plane, PlaneLanes};

impl Test<Overlaps, Plane> for Capsule {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): (CapsuleLanes<L::F>, PlaneLanes<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = Contact<L::M>> {
        extent::touches_plane(lanes, extent::of_capsule(lanes, shape, plane, margin))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, overlap, overlap_with_margin};
    use phalanx::{Capsule, Plane};

    #[test]
    fn an_end_reaches_down() {
        // The ends are 4 up and down from the center; the unit normal is (0, 0.6, 0.8).
        let plane = Plane {
            normal: [0., 3., 4.],
            d: -10.,
        };
        for half_axis in [[7., 0., 5.], [-7., 0., -5.], [0., -4., 8.]] {
            for (height, answer) in [
                (5.0, Hit),
                (-5.0, Hit),
                (5.01, Miss),
                (-5.01, Miss),
                (0.0, Hit),
            ] {
                let capsule = Capsule {
                    center: [9., 0.6 * (2. + height), 0.8 * (2. + height)],
                    half_axis,
                    radius: 1.0,
                };
                assert_eq!(overlap(capsule, plane), answer, "{half_axis:?} {height}");
                assert_eq!(overlap(plane, capsule), answer, "{half_axis:?} {height}");
            }
        }
    }

    #[test]
    fn flat_on_the_plane() {
        let plane = Plane {
            normal: [0., 2., 0.],
            d: 0.,
        };
        let flat = |y| Capsule {
            center: [0., y, 0.],
            half_axis: [3., 0., 4.],
            radius: 1.0,
        };
        assert_eq!(overlap(flat(1.0), plane), Hit);
        assert_eq!(overlap(flat(-1.0), plane), Hit);
        assert_eq!(overlap(flat(1.001), plane), Miss);
        assert_eq!(overlap_with_margin(flat(1.001), plane, 0.01), Hit);
    }
}
