//! Sphere-triangle distance: from the center to the nearest point of the triangle.
//!
//! Source, degenerate cases: [`segment_triangle`](crate::narrow::geometry::segment_triangle).
//!
//! Error bound: that of [`distance::search`](crate::narrow::distance::search). One vector is both the direction and the nearest point, which
//! saves a square root. Into the frame and back it rounds by 4 u |Δ| each, and the axes are orthonormal within 7 u: the
//! point is off by another 15 u
//! |Δ|, and `upper` has 50 u ‖Δ‖₁ to spare.

use crate::lane::{Lanes, Vec3};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::narrow::geometry::segment_triangle::{out_of_frame, to_triangle};
use crate::shapes::sphere::{Sphere, WideSphere};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl DistanceKernel<Triangle> for Sphere {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(
        lanes: L,
        a: WideSphere<L::F>,
        b: WideTriangle<L::F>,
    ) -> DistanceBounds<L> {
        let pair = SolidPair::<Sphere, Triangle, L::F>::new(lanes, a, b);
        let axes = b.axes();
        let vector = to_triangle(lanes, b, (-pair.offset).along(axes));
        let nearest = out_of_frame(axes, vector);
        pair.bounds(
            lanes,
            Guess {
                points: [Vec3([lanes.splat(0.0); 3]), nearest],
                direction: nearest,
            },
        )
    }
}
