//! Does a box in any orientation touch a plane?
//!
//! It does when normal · p + d is zero somewhere on it, see `extent`.
//!
//! Source: the support of a box along the normal, as in C. Ericson, "Real-Time Collision Detection",
//! 2005, 5.2.3. Departure: the range is widened so that rounding loses no contact.
//!
//! Degenerate cases: rectangles, segments and points are boxes.
//!
//! # Error bound
//!
//! The bound of the extent holds. False hits have a gap of at most 16 u (Σ |nᵢ pᵢ| + |d| + reach) + 32 u Σ
//! hₖ + 2⁻⁶⁰, where n is the normal made a unit vector.
//!
//! Measured at worst, over 10 million near-contact cases: 0.58 of that.

use super::load::Separate;
use super::{Contact, Deferred, Test, extent};
use crate::hits::Overlaps;
use crate::lane::Lanes;
use crate::shapes::{Obb, ObbLanes, Plane, PlaneLanes};

impl Test<Overlaps, Plane> for Obb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, plane): (ObbLanes<L::F>, PlaneLanes<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = Contact<L::M>> {
        extent::touches_plane(lanes, extent::of_obb(lanes, shape, plane, margin))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, overlap};
    use phalanx::{Obb, Plane};

    /// An eighth of a turn about z.
    const EIGHTH: [f32; 4] = [0.0, 0.0, 0.382_683_43, 0.923_879_5];

    #[test]
    fn an_edge_reaches_further_than_a_face() {
        let cube = |rotation| Obb {
            center: [0.; 3],
            half_extents: [1.; 3],
            rotation,
        };
        for (x, straight, turned) in [(1.0, Hit, Hit), (1.414, Miss, Hit), (1.415, Miss, Miss)] {
            let plane = Plane {
                normal: [3., 0., 0.],
                d: -3. * x,
            };
            assert_eq!(overlap(cube([0., 0., 0., 1.]), plane), straight, "{x}");
            assert_eq!(overlap(cube(EIGHTH), plane), turned, "{x}");
            assert_eq!(overlap(plane, cube(EIGHTH)), turned, "{x}");
        }
    }
}
