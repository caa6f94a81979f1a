//! Hand-computed cases of AABB-triangle overlap.

use crate::testing::Answer::*;
use crate::testing::overlap;
use phalanx::{Aabb, Triangle};

#[test]
fn far_from_origin_is_exact() {
    // At 2²⁴ consecutive floats differ by 2: centers of such boxes would round.
    let far = Aabb {
        min: [16_777_216., 0., 0.],
        max: [16_777_218., 1., 1.],
    };
    let wall = |x| Triangle {
        corners: [[x, -1., -1.], [x, 3., -1.], [x, -1., 3.]],
    };
    assert_eq!(overlap(far, wall(16_777_216.)), Hit);
    assert_eq!(overlap(wall(16_777_218.), far), Hit);
    assert_eq!(overlap(far, wall(16_777_220.)), Miss);
    assert_eq!(overlap(far, wall(16_777_215.)), Miss);
}
