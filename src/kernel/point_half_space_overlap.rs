//! Is a point in a half-space?
//!
//! It is when normal · p + d is zero or less there, see `extent`.
//!
//! Source: as for a ball (`sphere_half_space_overlap`), with a radius of zero.
//!
//! Degenerate cases: none.
//!
//! # Error bound
//!
//! The bound of the extent holds. False hits have a gap of at most 16 u (Σ |nᵢ pᵢ| + |d| + margin) + 2⁻⁶⁰,
//! where n is the normal made a unit vector.
//!
//! Measured at worst, over 1 million near-contact cases: 0.56 of the band.

use super::load::Separate;
use super::{Contact, Deferred, Test, extent};
use crate::hits::Overlaps;
use crate::lane::Lanes;
use crate::shapes::{HalfSpace, PlaneLanes, Point, PointLanes};

impl Test<Overlaps, HalfSpace> for Point {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): (PointLanes<L::F>, PlaneLanes<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = Contact<L::M>> {
        extent::touches_half_space(lanes, extent::of_point(lanes, shape, plane, margin))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, overlap, overlap_with_margin};
    use phalanx::{HalfSpace, Point};

    const GROUND: HalfSpace = HalfSpace {
        normal: [0., 3., 0.],
        d: -6.,
    };

    fn point(y: f32) -> Point {
        Point {
            position: [9., y, -9.],
        }
    }

    #[test]
    fn the_ground_is_solid_below_its_surface() {
        for (y, answer) in [(2.0, Hit), (-100.0, Hit), (2.0001, Miss)] {
            assert_eq!(overlap(point(y), GROUND), answer, "{y}");
            assert_eq!(overlap(GROUND, point(y)), answer, "{y}");
        }
        assert_eq!(overlap_with_margin(point(3.), GROUND, 1.0), Hit);
        assert_eq!(overlap_with_margin(point(3.), GROUND, 0.999), Miss);
    }
}
