//! Hand-computed cases of sphere-AABB overlap.

use crate::testing::Answer::*;
use crate::testing::{overlap, overlap_with_margin, sphere};
use phalanx::Aabb;

const UNIT: Aabb = Aabb {
    min: [-1.0; 3],
    max: [1.0; 3],
};

#[test]
fn nearest_face_edge_or_corner() {
    // 2 away from a face; 3, 4 away from an edge; 1, 2, 2 away from a corner; inside.
    for (x, y, z, radius) in [
        (0., 0., 3., 2.),
        (0., -4., 5., 5.),
        (2., -3., 3., 3.),
        (0., 0.5, 0., 0.),
    ] {
        assert_eq!(overlap(sphere(x, y, z, radius), UNIT), Hit);
        assert_eq!(overlap(UNIT, sphere(x, y, z, radius)), Hit);
        if radius > 0. {
            assert_eq!(overlap(sphere(x, y, z, 0.9999 * radius), UNIT), Miss);
            assert_eq!(
                overlap_with_margin(sphere(x, y, z, radius - 0.5), UNIT, 0.5),
                Hit
            );
        }
    }
}
