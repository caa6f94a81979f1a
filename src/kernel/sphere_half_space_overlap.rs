//! Does a ball touch a half-space?
//!
//! It does when normal · p + d is zero or less somewhere on it, see `extent`.
//!
//! Source: as for a plane (`sphere_plane_overlap`), with one side solid.
//!
//! Degenerate cases: a radius of zero is a point.
//!
//! # Error bound
//!
//! The bound of the extent holds. False hits have a gap of at most 16 u (Σ |nᵢ pᵢ| + |d| + reach) + 2⁻⁶⁰,
//! where n is the normal made a unit vector.
//!
//! Measured at worst, over 10 million near-contact cases: 0.61 of that.

use super::load::Separate;
use super::{Contact, Deferred, Test, extent};
use crate::hits::Overlaps;
use crate::lane::Lanes;
use crate::shapes::{HalfSpace, PlaneLanes, Sphere, SphereLanes};

impl Test<Overlaps, HalfSpace> for Sphere {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): (SphereLanes<L::F>, PlaneLanes<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = Contact<L::M>> {
        extent::touches_half_space(lanes, extent::of_sphere(lanes, shape, plane, margin))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, overlap, overlap_with_margin};
    use phalanx::{HalfSpace, Sphere};

    const GROUND: HalfSpace = HalfSpace {
        normal: [0., 3., 0.],
        d: -6.,
    };

    fn ball(y: f32) -> Sphere {
        Sphere {
            center: [9., y, 9.],
            radius: 0.5,
        }
    }

    #[test]
    fn the_ground_is_solid_below_its_surface() {
        for (y, answer) in [(2.5, Hit), (-100.0, Hit), (2.5001, Miss)] {
            assert_eq!(overlap(ball(y), GROUND), answer, "{y}");
            assert_eq!(overlap(GROUND, ball(y)), answer, "{y}");
        }
        assert_eq!(overlap_with_margin(ball(3.5), GROUND, 1.0), Hit);
    }
}
