//! Point-triangle overlap: a coordinate test in each range of the [sweep](crate::narrow::sweep::point_triangle), without motion.
//!
//! Source, degenerate cases and error bound: as there, with v = 0.

use crate::driver::source::{Deferred, HitMask, Separate, Test};
use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::geometry::slab::{Slab, triangle_slabs};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::point::{Point, WidePoint};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl Test<Overlaps, Triangle> for Point {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (point, triangle): (WidePoint<L::F>, WideTriangle<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let zero = lanes.splat(0.0);
        let offset = point.position - triangle.corner;
        let [a, b, c, d, e] = triangle_slabs(lanes, offset, Vec3([zero; 3]), triangle, margin);
        HitMask(
            contains(a, zero)
                & contains(b, zero)
                & contains(c, zero)
                & contains(d, zero)
                & contains(e, zero),
        )
    }
}

/// Whether a coordinate is inside without motion.
#[inline(always)]
fn contains<F: Float>(Slab { low, high, .. }: Slab<F>, zero: F) -> F::Mask {
    low.le(zero) & zero.le(high)
}
