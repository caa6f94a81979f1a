//! Is a point in a box along the axes?
//!
//! It is when min ≤ p ≤ max on each axis, here as differences that are compared with the margin. With one
//! the box grows by it along its axes, as in a sweep; a `Sphere` of that radius reaches as far in every
//! direction.
//!
//! Degenerate cases: rectangles, segments and points are boxes.
//!
//! # Error bound
//!
//! As of two boxes (`aabb_aabb_overlap`), one of which is a point: without a margin the answer is exact, and
//! otherwise false hits have a gap of at most u margin on each axis, beyond the margin.
//!
//! Measured at worst, over 1 million near-contact cases: 1.00 of the band.

use super::load::Separate;
use super::{Contact, Deferred, Test};
use crate::hits::Overlaps;
use crate::lane::{Float, Lanes};
use crate::shapes::{Aabb, AabbLanes, Point, PointLanes};

impl Test<Overlaps, Aabb> for Point {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        _lanes: L,
        (point, aabb): (PointLanes<L::F>, AabbLanes<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = Contact<L::M>> {
        let [below_x, below_y, below_z] = (aabb.min - point.position).0;
        let [above_x, above_y, above_z] = (point.position - aabb.max).0;
        Contact(
            below_x.max(above_x).le(margin)
                & below_y.max(above_y).le(margin)
                & below_z.max(above_z).le(margin),
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, overlap, overlap_with_margin};
    use phalanx::{Aabb, Point};

    const BOX: Aabb = Aabb {
        min: [0., 1., 2.],
        max: [1., 3., 5.],
    };

    fn point(x: f32, y: f32, z: f32) -> Point {
        Point {
            position: [x, y, z],
        }
    }

    #[test]
    fn corners_belong_to_the_box() {
        for (at, answer) in [
            (point(0., 1., 2.), Hit),
            (point(1., 3., 5.), Hit),
            (point(0.5, 2., 4.), Hit),
            (point(-0., 3., 2.), Hit),
            (point(-1e-45, 3., 2.), Miss),
            (point(1.0000001, 3., 2.), Miss),
            (point(0.5, 0.99999994, 2.), Miss),
            (point(0.5, 2., 5.0000005), Miss),
        ] {
            assert_eq!(overlap(at, BOX), answer, "{at:?}");
            assert_eq!(overlap(BOX, at), answer, "{at:?}");
        }
    }

    #[test]
    fn a_margin_grows_the_box_along_its_axes() {
        // √3 times as far from the corner.
        assert_eq!(overlap_with_margin(point(1.5, 3.5, 5.5), BOX, 0.5), Hit);
        assert_eq!(overlap_with_margin(point(1.5001, 3., 5.), BOX, 0.5), Miss);
    }

    #[test]
    fn a_box_without_size_is_a_point() {
        let at = |x| Aabb {
            min: [x; 3],
            max: [x; 3],
        };
        assert_eq!(overlap(point(7., 7., 7.), at(7.)), Hit);
        assert_eq!(overlap(point(0., -0., 0.), at(-0.)), Hit);
        assert_eq!(overlap(point(7., 7., 7.), at(7.0000005)), Miss);
    }
}
