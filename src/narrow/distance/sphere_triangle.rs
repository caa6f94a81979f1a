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

#[cfg(test)]
mod tests {
    use crate::narrow::testing::{apart, sphere};
    use phalanx::Triangle;

    /// A right triangle with sides of 3, 4 and 5.
    const TRIANGLE: Triangle = Triangle {
        corners: [[0., 0., 1.], [4., 0., 1.], [0., 3., 1.]],
    };

    #[test]
    fn faces_edges_and_corners_have_their_distance() {
        // Above and below, beside each edge, beyond each corner.
        for (center, exact) in [
            ([1., 1., 5.], 4.0),
            ([1., 1., -3.], 4.0),
            ([2., -3., 5.], 5.0),
            ([-3., 1., -3.], 5.0),
            ([2. + 1.8, 1.5 + 2.4, 5.], 5.0),
            ([-3., -4., 1.], 5.0),
            ([7., -4., 1.], 5.0),
            ([-3., 3., 5.], 5.0),
        ] {
            let [x, y, z] = center;
            apart(sphere(x, y, z, 1.0), TRIANGLE, exact - 1.0);
            apart(TRIANGLE, sphere(x, y, z, 0.5), exact - 0.5);
        }
    }

    #[test]
    fn spheres_that_touch_have_distance_zero() {
        for (x, y, z) in [(1., 1., 1.), (1., 1., 1.5), (2., -1., 1.), (4., 0., 2.)] {
            apart(sphere(x, y, z, 1.0), TRIANGLE, 0.0);
        }
    }

    #[test]
    fn flat_triangles_are_segments_and_points() {
        let segment = Triangle {
            corners: [[0., 0., 0.], [1., 0., 0.], [4., 0., 0.]],
        };
        apart(sphere(2., 3., 4., 1.0), segment, 4.0);
        apart(sphere(8., 3., 0., 1.0), segment, 4.0);
        let doubled = Triangle {
            corners: [[0., 0., 0.], [4., 0., 0.], [4., 0., 0.]],
        };
        apart(sphere(2., 3., 4., 1.0), doubled, 4.0);
        let point = Triangle {
            corners: [[1.; 3]; 3],
        };
        apart(sphere(1., 4., 5., 1.0), point, 4.0);
    }
}
