//! Hand-computed cases of bounded shapes against planes and half-spaces: impact.

use crate::testing::impact;
use phalanx::{HalfSpace, Obb, Plane};

#[test]
fn rotating_rods_hit_when_an_end_reaches_the_surface() {
    // A rotation by 90° about z: the ends are sin(t π / 2) up and down.
    let turn = [0., 0., core::f32::consts::FRAC_PI_2];
    let normal = [0., 2., 0.];
    for (height, of_plane, of_ground) in [
        (0.5, Some(1. / 3.), Some(1. / 3.)),
        (-0.5, Some(1. / 3.), Some(0.)),
        (1.1, None, None),
        (-1.1, None, Some(0.)),
    ] {
        let support = Obb {
            center: [5., height, 5.],
            half_extents: [1., 0., 0.],
            ..Obb::default()
        };
        let found = [
            impact(support, turn, Plane { normal, d: 0. }, 1e-5),
            impact(support, turn, HalfSpace { normal, d: 0. }, 1e-5),
        ];
        for (found, expected) in found.into_iter().zip([of_plane, of_ground]) {
            // Early by no more than the tolerance allows, never late.
            let is_right = match (found, expected) {
                (Some(time), Some(expected)) => expected - 1e-4 < time && time <= expected,
                (found, expected) => found == expected,
            };
            assert!(is_right, "{height}: {found:?}, expected {expected:?}");
        }
    }
}
