//! OBB-triangle distance.
//!
//! Method, source, degenerate cases: [`box_near_triangle`](crate::narrow::geometry::box_near_triangle). Error bound: that of [`distance::search`](crate::narrow::distance::search).

use crate::lane::{Lanes, Vec3};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::narrow::geometry::box_near_triangle::NearestPoints;
use crate::narrow::geometry::core::BoxCore;
use crate::narrow::geometry::segment_triangle::{in_plane, out_of_frame};
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl DistanceKernel<Triangle> for Obb {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideObb<L::F>, b: WideTriangle<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Obb, Triangle, L::F>::new(lanes, a, b);
        let BoxCore { half_extents, axes } = pair.a;
        let in_box = WideTriangle {
            corner: Vec3(pair.offset.along(axes)),
            along: Vec3(b.along.along(axes)),
            across: Vec3(b.across.along(axes)),
            ..b
        };
        let near = lanes.call::<NearestPoints>((half_extents, in_box));
        pair.bounds(
            lanes,
            Guess {
                points: [
                    out_of_frame(axes, near.at_box),
                    pair.offset + in_plane(b, near.place),
                ],
                direction: out_of_frame(axes, near.direction),
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::{EIGHTH, STRAIGHT, apart, cube};
    use phalanx::Triangle;

    /// A right triangle with sides of 3, 4 and 5.
    const TRIANGLE: Triangle = Triangle {
        corners: [[0., 0., 1.], [4., 0., 1.], [0., 3., 1.]],
    };

    #[test]
    fn rotated_boxes_have_distances() {
        let root = 2f64.sqrt();
        for (center, exact) in [
            // A face above the face, and an edge beside a corner.
            ([1., 1., 5.], 3.0),
            ([-4., 0., 1.], 4.0 - root),
            // A face beside a corner.
            ([-4., -4., 1.], 4.0 * root - 1.0),
        ] {
            apart(cube(center, EIGHTH), TRIANGLE, exact);
            apart(TRIANGLE, cube(center, EIGHTH), exact);
        }
        apart(cube([2., -4., 6.], STRAIGHT), TRIANGLE, 5.0);
    }

    #[test]
    fn boxes_that_touch_have_distance_zero() {
        apart(cube([-1.25, 0., 1.], EIGHTH), TRIANGLE, 0.0);
        apart(cube([1., 1., 1.5], EIGHTH), TRIANGLE, 0.0);
        let large = Triangle {
            corners: [[-20., -20., 0.5], [20., -20., 0.5], [0., 20., 0.25]],
        };
        apart(cube([0.; 3], EIGHTH), large, 0.0);
    }

    #[test]
    fn flat_triangles_are_segments_and_points() {
        let segment = Triangle {
            corners: [[-9., 0., 4.], [1., 0., 4.], [9., 0., 4.]],
        };
        apart(cube([0.; 3], EIGHTH), segment, 3.0);
        let point = Triangle {
            corners: [[4., 0., 0.]; 3],
        };
        apart(cube([0.; 3], EIGHTH), point, 4.0 - 2f64.sqrt());
    }
}
