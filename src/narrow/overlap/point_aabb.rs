//! Point-AABB overlap: min ≤ p ≤ max on each axis.
//!
//! Computed as differences that are compared with the margin. As in a sweep, a margin grows the box along its axes; for
//! a margin equal in all directions, use a `Sphere` of that radius.
//!
//! Degenerate cases: boxes may be rectangles, segments and points.
//!
//! # Error bound
//!
//! The bound of two boxes (`aabb_aabb_overlap`) with a point as one of them: without a margin the answer is exact. Otherwise
//! false hits have a gap of at most u margin on each axis, beyond the margin.
//!
//! Measured at worst, over 1 million near-contact cases: 1.00 of the band.

use crate::driver::load::Separate;
use crate::driver::source::{Deferred, HitMask, Test};
use crate::lane::{Float, Lanes};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::point::{Point, WidePoint};

impl Test<Overlaps, Aabb> for Point {
    type Load = Separate;
    const IS_LIGHT: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        _lanes: L,
        (point, aabb): (WidePoint<L::F>, WideAabb<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let [below_x, below_y, below_z] = (aabb.min - point.position).0;
        let [above_x, above_y, above_z] = (point.position - aabb.max).0;
        HitMask(
            below_x.max(above_x).le(margin)
                & below_y.max(above_y).le(margin)
                & below_z.max(above_z).le(margin),
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::{overlap, overlap_with_margin, point};
    use phalanx::{Aabb, Point};

    const BOX: Aabb = Aabb {
        min: [0., 1., 2.],
        max: [1., 3., 5.],
    };

    #[test]
    fn corners_hit() {
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
    fn margin_grows_the_box_along_its_axes() {
        // √3 times as far from the corner.
        assert_eq!(overlap_with_margin(point(1.5, 3.5, 5.5), BOX, 0.5), Hit);
        assert_eq!(overlap_with_margin(point(1.5001, 3., 5.), BOX, 0.5), Miss);
    }

    #[test]
    fn zero_size_box_is_a_point() {
        let at = |x| Aabb {
            min: [x; 3],
            max: [x; 3],
        };
        assert_eq!(overlap(point(7., 7., 7.), at(7.)), Hit);
        assert_eq!(overlap(point(0., -0., 0.), at(-0.)), Hit);
        assert_eq!(overlap(point(7., 7., 7.), at(7.0000005)), Miss);
    }
}
