//! Errors of the listings in M. Gomez, "Simple Intersection Tests for Games" (Gamasutra, 18 October 1999): each input
//! with the listing's answer, asserting the right answer.
//!
//! A is static at the origin, with a radius of 1 or half extents of 0.5 unless stated.

use phalanx::{
    Aabb, Aabbs, Detector, Obb, Obbs, Overlaps, Pairs, Plane, Planes, Sphere, Spheres, Sweeps,
    TimeInterval,
};

/// The sweep of a sphere of radius 1 from one height to another past the plane z = 0.
fn past_plane(start: f32, end: f32) -> Option<TimeInterval> {
    let mut a = Spheres::new();
    let center = [0.0, 0.0, start];
    a.push_moving(
        Sphere {
            center,
            radius: 1.0,
        },
        [0.0, 0.0, end - start],
    );
    let b = Planes::from_slice(&[Plane {
        normal: [0.0, 0.0, 1.0],
        d: 0.0,
    }]);
    let mut sweeps = Sweeps::new();
    Detector::new()
        .sweep(&a, &b, Pairs::zip(), &mut sweeps)
        .unwrap();
    sweeps.get(0)
}

/// The sweep of two spheres, B from `start` to `end`.
fn spheres(radii: [f32; 2], start: [f32; 3], end: [f32; 3]) -> Option<TimeInterval> {
    let a = Spheres::from_slice(&[Sphere {
        center: [0.0; 3],
        radius: radii[0],
    }]);
    let mut b = Spheres::new();
    let displacement = [0, 1, 2].map(|k| end[k] - start[k]);
    b.push_moving(
        Sphere {
            center: start,
            radius: radii[1],
        },
        displacement,
    );
    let mut sweeps = Sweeps::new();
    Detector::new()
        .sweep(&a, &b, Pairs::zip(), &mut sweeps)
        .unwrap();
    sweeps.get(0)
}

/// The sweep of two cubes, B from `start` to `end`.
fn cubes(start: [f32; 3], end: [f32; 3]) -> Option<TimeInterval> {
    let cube = |center| Aabb::from_center_half_extents(center, [0.5; 3]);
    let a = Aabbs::from_slice(&[cube([0.0; 3])]);
    let mut b = Aabbs::new();
    b.push_moving(cube(start), [0, 1, 2].map(|k| end[k] - start[k]));
    let mut sweeps = Sweeps::new();
    Detector::new()
        .sweep(&a, &b, Pairs::zip(), &mut sweeps)
        .unwrap();
    sweeps.get(0)
}

/// Asserts that the interval encloses the exact interval and is hardly wider.
fn assert_interval(time: Option<TimeInterval>, enter: f32, exit: f32) {
    let TimeInterval {
        enter: from,
        exit: to,
    } = time.expect("a hit");
    assert!(
        from <= enter && enter - from < 1e-5,
        "enters at {from}, not at {enter}"
    );
    assert!(
        to >= exit && to - exit < 1e-5,
        "leaves at {to}, not at {exit}"
    );
}

/// Listing 1 returns false: it tests one side only.
#[test]
fn erratum_1a_one_sided() {
    assert_interval(past_plane(-3.0, 3.0), 1.0 / 3.0, 2.0 / 3.0);
}

/// Listing 1 returns false: a sphere that touches exactly at the end does not count.
#[test]
fn erratum_1b_strict() {
    assert_interval(past_plane(3.0, 1.0), 1.0, 1.0);
}

/// Listing 2 returns true, and times of NaN.
#[test]
fn erratum_2a_no_relative_motion() {
    assert_eq!(spheres([1.0, 1.0], [4.0, 0.0, 0.0], [4.0, 0.0, 0.0]), None);
}

/// Listing 2 returns true, from −1.5 to −0.5.
#[test]
fn erratum_2b_receding() {
    assert_eq!(spheres([1.0, 1.0], [4.0, 0.0, 0.0], [8.0, 0.0, 0.0]), None);
}

/// Listing 2 returns true, from 6 to 10.
#[test]
fn erratum_2c_after_the_frame() {
    assert_eq!(spheres([1.0, 1.0], [8.0, 0.0, 0.0], [7.0, 0.0, 0.0]), None);
}

/// Listing 2 returns that an overlap at the start ends at 0.
#[test]
fn erratum_2d_overlap_at_the_start() {
    assert_interval(
        spheres([1.0, 1.0], [1.0, 0.0, 0.0], [5.0, 0.0, 0.0]),
        0.0,
        0.25,
    );
}

/// Listing 2 returns false: b² − a c cancels, and B passes 0.523 deep.
#[test]
fn erratum_2e_cancellation_loses_a_hit() {
    let time = spheres([1.0, 1.0], [-3871.0, -1.5, -1.6], [3284.0, -1.2, 0.2]);
    let TimeInterval { enter, exit } = time.expect("a hit");
    assert!(
        0.5407 < enter && enter < exit && exit < 0.5413,
        "{enter} {exit}"
    );
}

/// Listing 2 returns true: b² − a c cancels, and B passes at a distance of 0.446.
#[test]
fn erratum_2f_cancellation_makes_a_hit() {
    assert_eq!(
        spheres([1.0, 1.0], [-4000.0, 2.34375, 0.7], [4001.3, 2.34375, 0.7]),
        None
    );
}

/// Listing 2 returns true: the squares overflow. Here the radii are out of range, and the pair is flagged.
#[test]
fn erratum_2g_overflow() {
    let a = Spheres::from_slice(&[Sphere {
        center: [0.0; 3],
        radius: 1.5e19,
    }]);
    let b = Spheres::from_slice(&[Sphere {
        center: [1e20, 0.0, 0.0],
        radius: 1.5e19,
    }]);
    let mut sweeps = Sweeps::new();
    Detector::new()
        .sweep(&a, &b, Pairs::zip(), &mut sweeps)
        .unwrap();
    assert!(!sweeps.is_hit(0) && sweeps.is_invalid(0));
    // Equal proportions in range.
    assert_eq!(
        spheres([1.5e17, 1.5e17], [1e18, 0.0, 0.0], [1e18, 0.0, 0.0]),
        None
    );
}

/// Listing 4 returns true: an axis without motion does not count, even if it separates.
#[test]
fn erratum_4a_no_motion_on_a_separating_axis() {
    assert_eq!(cubes([3.0, 5.0, 0.0], [-3.0, 5.0, 0.0]), None);
}

/// Listing 4 returns true, from 0 to 1.
#[test]
fn erratum_4b_receding() {
    assert_eq!(cubes([3.0, 0.0, 0.0], [5.0, 0.0, 0.0]), None);
}

/// Listing 4 returns true, from 0 to 1.
#[test]
fn erratum_4c_apart_and_at_rest() {
    assert_eq!(cubes([3.0, 3.0, 3.0], [3.0, 3.0, 3.0]), None);
}

/// Listing 4 returns true, from 10 to 30.
#[test]
fn erratum_4d_after_the_frame() {
    assert_eq!(cubes([2.0, 2.0, 2.0], [1.9, 1.9, 1.9]), None);
}

/// Listing 4 returns true, from 0.5 to 1: B leaves on x before it arrives on y.
#[test]
fn erratum_4e_touching_and_leaving() {
    assert_eq!(cubes([1.0, 2.0, 0.0], [2.0, 0.0, 0.0]), None);
}

/// Listing 4 returns that an overlap at the start ends at 0.
#[test]
fn erratum_4f_overlap_at_the_start() {
    assert_interval(cubes([0.5, 0.0, 0.0], [2.5, 0.0, 0.0]), 0.0, 0.25);
}

/// Listing 5 returns true: it squares a radius of −1.
#[test]
fn erratum_5a_negative_radius() {
    let boxes = Aabbs::from_slice(&[Aabb {
        min: [-1.0; 3],
        max: [1.0; 3],
    }]);
    let ball = Spheres::from_slice(&[Sphere {
        center: [1.5, 0.0, 0.0],
        radius: -1.0,
    }]);
    let mut overlaps = Overlaps::new();
    Detector::new()
        .overlap(&ball, &boxes, Pairs::zip(), &mut overlaps)
        .unwrap();
    assert!(!overlaps.is_hit(0) && overlaps.is_invalid(0));
}

/// Listing 5 returns true: the corner at 2²⁴ + 1.25 rounds to the position of the sphere.
#[test]
fn erratum_5b_rounded_corner() {
    let far = 16_777_216.0;
    let shape = Obb {
        center: [far, 0.0, 0.0],
        half_extents: [1.25; 3],
        ..Obb::default()
    };
    let boxes = Obbs::from_slice(&[shape]);
    let ball = Spheres::from_slice(&[Sphere {
        center: [far + 2.0, 0.0, 0.0],
        radius: 0.25,
    }]);
    let mut overlaps = Overlaps::new();
    Detector::new()
        .overlap(&ball, &boxes, Pairs::zip(), &mut overlaps)
        .unwrap();
    assert!(!overlaps.is_hit(0) && !overlaps.is_invalid(0));
}

/// Listing 6 returns false for boxes with parallel edges that penetrate by 1.18.
#[test]
fn erratum_6a_parallel_edges() {
    // (w, x, y, z) = (3, 0, 0, 1) and (9, 6, 2, 3), normalised in f32.
    let unit = |x: f32, y: f32, z: f32, w: f32| {
        let length = (x * x + y * y + z * z + w * w).sqrt();
        [x / length, y / length, z / length, w / length]
    };
    let cube = |center, rotation| Obb {
        center,
        half_extents: [1.0; 3],
        rotation,
    };
    let a = Obbs::from_slice(&[cube([0.0; 3], unit(0.0, 0.0, 1.0, 3.0))]);
    let b = Obbs::from_slice(&[cube([0.0, 0.0, 1.125], unit(6.0, 2.0, 3.0, 9.0))]);
    let mut overlaps = Overlaps::new();
    Detector::new()
        .overlap(&a, &b, Pairs::zip(), &mut overlaps)
        .unwrap();
    assert!(overlaps.is_hit(0));
}

/// Listings 4, 5 and 6 return true for a shape at NaN.
#[test]
fn erratum_nan_position() {
    let nan = [f32::NAN, 0.0, 0.0];
    let mut sweeps = Sweeps::new();
    let cube = |center| Aabb::from_center_half_extents(center, [0.5; 3]);
    let (a, b) = (
        Aabbs::from_slice(&[cube([0.0; 3])]),
        Aabbs::from_slice(&[cube(nan)]),
    );
    Detector::new()
        .sweep(&a, &b, Pairs::zip(), &mut sweeps)
        .unwrap();
    assert!(!sweeps.is_hit(0) && sweeps.is_invalid(0));

    let mut overlaps = Overlaps::new();
    let a = Obbs::from_slice(&[Obb::default()]);
    let b = Obbs::from_slice(&[Obb {
        center: nan,
        ..Obb::default()
    }]);
    Detector::new()
        .overlap(&a, &b, Pairs::zip(), &mut overlaps)
        .unwrap();
    assert!(!overlaps.is_hit(0) && overlaps.is_invalid(0));

    let ball = Spheres::from_slice(&[Sphere {
        center: nan,
        radius: 1.0,
    }]);
    Detector::new()
        .overlap(&ball, &boxes_at_origin(), Pairs::zip(), &mut overlaps)
        .unwrap();
    assert!(!overlaps.is_hit(0) && overlaps.is_invalid(0));
}

fn boxes_at_origin() -> Aabbs {
    Aabbs::from_slice(&[Aabb {
        min: [-1.0; 3],
        max: [1.0; 3],
    }])
}
