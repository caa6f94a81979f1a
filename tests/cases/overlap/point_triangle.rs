//! Hand-computed cases of point-triangle overlap.

use crate::testing::Answer::*;
use crate::testing::{overlap, overlap_with_margin, point};
use phalanx::Triangle;

#[test]
fn point_is_on_the_triangle_or_beside_it() {
    let triangle = Triangle {
        corners: [[0., 0., 1.], [4., 0., 1.], [0., 3., 1.]],
    };
    for [x, y] in [[1., 1.], [0., 0.], [4., 0.], [0., 3.], [2., 1.5]] {
        assert_eq!(overlap(point(x, y, 1.), triangle), Hit);
        assert_eq!(overlap(triangle, point(x, y, 1.)), Hit);
        let above = point(x, y, 1.001);
        assert_eq!(overlap(above, triangle), Miss);
        assert_eq!(overlap_with_margin(above, triangle, 0.0011), Hit);
    }
    assert_eq!(overlap(point(2.01, 1.51, 1.), triangle), Miss);
    assert_eq!(overlap(point(-0.01, 1., 1.), triangle), Miss);
}
