//! AABB-AABB manifold: the axis of least penetration, and the corners of the overlap rectangle seen along it.
//!
//! For separated boxes, the axis of largest separation.
//!
//! Source: none needed. Differences of corners round once, half the sum of two differences once more.

use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::contact::manifold::{
    Face, Manifold, ManifoldKernel, ManifoldPoint, of_four, reported,
};
use crate::narrow::geometry::frame::center;
use crate::narrow::geometry::gap::Gap;
use crate::shapes::aabb::{Aabb, WideAabb};

impl ManifoldKernel<Aabb> for Aabb {
    const POINTS: usize = 4;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        a: WideAabb<L::F>,
        b: WideAabb<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let (zero, half) = (lanes.splat(0.0), lanes.splat(0.5));
        let infinity = lanes.splat(f32::INFINITY);
        // Gaps: B above A, and A above B.
        let (above, below) = (b.min - a.max, a.min - b.max);
        let Gap { normal, gap } = along(lanes, above, below, 0)
            .or(along(lanes, above, below, 1), zero)
            .or(along(lanes, above, below, 2), zero);
        let size = above.abs().sum() + below.abs().sum();
        let separation = reported(lanes, gap, size, 2.0, margin);

        // Intersection of both boxes, relative to the center of A; along the normal, the middle of the gap.
        let from = center(lanes, a);
        let (mut low, mut high) = (a.min, a.max);
        // If both ends coincide, the upper end does not count.
        let mut one_end = [zero.lt(zero); 3];
        let mut covered = zero.le(zero);
        let mut k = 0;
        while k < 3 {
            let is_normal = zero.lt(normal.0[k].abs());
            let upper = zero.le(normal.0[k]);
            let face_a = a.max.0[k].select(upper, a.min.0[k]) - from.0[k];
            let face_b = b.min.0[k].select(upper, b.max.0[k]) - from.0[k];
            let middle = (face_a + face_b) * half;
            let lowest = a.min.0[k].max(b.min.0[k]) - from.0[k];
            let highest = a.max.0[k].min(b.max.0[k]) - from.0[k];
            covered = covered & (lowest.le(highest) | is_normal);
            one_end[k] = highest.le(lowest) & !is_normal;
            low.0[k] = middle.select(is_normal, lowest);
            high.0[k] = middle.select(is_normal, highest);
            k += 1;
        }
        let face = Face::new(normal);
        let mut points = [ManifoldPoint {
            at: low,
            separation,
            feature: zero,
        }; 4];
        let mut k = 0;
        while k < 4 {
            let sides = face.corner(lanes, k);
            let [x, y, z] = sides.is_upper(lanes);
            let again = (x & one_end[0]) | (y & one_end[1]) | (z & one_end[2]);
            points[k] = ManifoldPoint {
                at: Vec3([
                    high.0[0].select(x, low.0[0]),
                    high.0[1].select(y, low.0[1]),
                    high.0[2].select(z, low.0[2]),
                ]),
                separation: separation.select(covered & !again, infinity),
                feature: sides.feature(lanes),
            };
            k += 1;
        }
        of_four(lanes, normal, separation, center(lanes, b) - from, points)
    }
}

/// Gap along an axis, from A to B.
#[inline(always)]
fn along<L: Lanes>(lanes: L, above: Vec3<L::F>, below: Vec3<L::F>, axis: usize) -> Gap<L::F> {
    let (above, below) = (above.0[axis], below.0[axis]);
    let one = lanes.splat(1.0);
    let mut normal = [lanes.splat(0.0); 3];
    normal[axis] = one.select(below.le(above), -one);
    Gap {
        normal: Vec3(normal),
        gap: above.max(below),
    }
}
