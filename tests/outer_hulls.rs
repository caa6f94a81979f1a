//! Outer hulls: exact containment, their growth, and how it compares with random choices of planes.
//!
//! `PHALANX_CASES` sets the number of random sets of points.

mod common;
#[allow(dead_code)]
#[path = "oracle/exact.rs"]
mod exact;

use common::{cases_or, digest, rng};
use exact::{Scale, Vec3};
use phalanx::{
    Detector, Error, Hull, HullKinds, Hulls, MAX_LENGTH, Overlaps, Pairs, Point, Points,
};
use rand::RngExt;
use rand::rngs::StdRng;

/// A vector in `f64`.
type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn sum(a: Vector, b: Vector, part: f64) -> Vector {
    [0, 1, 2].map(|k| a[k] + b[k] * part)
}

fn cross([a, b, c]: Vector, [d, e, f]: Vector) -> Vector {
    [b * f - c * e, c * d - a * f, a * e - b * d]
}

fn direction(rng: &mut StdRng) -> Vector {
    loop {
        let d = [(); 3].map(|()| rng.random_range(-1.0..1.0));
        let squared = dot(d, d);
        if (1e-3..1.0).contains(&squared) {
            return d.map(|x| x / squared.sqrt());
        }
    }
}

/// Points of a shape, as its name says.
fn shape(rng: &mut StdRng, kind: usize, count: usize) -> Vec<[f32; 3]> {
    let mut one = |k: usize| {
        let [x, y, z] = direction(rng);
        let angle = k as f64;
        match kind {
            // A sphere, an ellipsoid, a rod, a tilted plate.
            0 => [x, y, z],
            1 => [x, 0.5 * y, 0.2 * z],
            2 => [0.01 * x + z, 0.02 * y + z, z],
            3 => [x + 0.01 * z, y - 0.01 * z, 0.3 * x + 0.01 * z],
            // A cylinder, a cone, a tilted polygon.
            4 => [angle.cos(), angle.sin(), 3.0 * (k % 2) as f64],
            5 if k == 0 => [0.0, 0.0, 2.0],
            5 => [angle.cos(), angle.sin(), 0.0],
            6 => [angle.cos(), angle.sin(), 0.3 * angle.cos() - angle.sin()],
            // A grid: many coplanar and equal points.
            7 => [x, y, z].map(|x| (3.0 * x).round()),
            // A polygon along the axes.
            8 => [angle.cos(), 0.0, angle.sin()],
            // A capsule.
            _ => [x, y, z + if k.is_multiple_of(2) { 2.0 } else { 0.0 }],
        }
    };
    (0..count).map(|k| one(k).map(|x| x as f32)).collect()
}
/// Number of kinds of shapes.
const SHAPES: usize = 10;

fn scaled(points: &[[f32; 3]], by: f32, offset: [f32; 3]) -> Vec<[f32; 3]> {
    let moved = |p: &[f32; 3]| [0, 1, 2].map(|k| by * (p[k] + offset[k]));
    points.iter().map(moved).collect()
}

/// Planes through three corners with no corner above, exactly: a point on them, and their outward normal.
fn planes(corners: &[Vec3]) -> Vec<(Vec3, Vec3)> {
    let mut planes = Vec::new();
    for (k, c) in corners.iter().enumerate() {
        for (j, b) in corners[..k].iter().enumerate() {
            for a in &corners[..j] {
                let normal = (b - a).cross(&(c - a));
                let (mut above, mut below) = (false, false);
                for corner in corners {
                    let height = normal.dot(&(corner - a)).signum();
                    above |= height > 0.into();
                    below |= height < 0.into();
                    if above && below {
                        break;
                    }
                }
                if above != below {
                    planes.push((a.clone(), if above { -&normal } else { normal }));
                }
            }
        }
    }
    planes
}

/// Checks in integers that corners contain all points.
fn assert_contains(corners: &[[f32; 3]], points: &[[f32; 3]], case: &str) {
    let scale = Scale::of(corners.as_flattened().iter().chain(points.as_flattened()));
    let vectors: Vec<Vec3> = corners.iter().map(|p| scale.vec(*p)).collect();
    let planes = planes(&vectors);
    assert!(planes.len() >= 4, "{case}: {corners:?}");
    for (at, normal) in &planes {
        for point in points {
            let height = normal.dot(&(&scale.vec(*point) - at));
            assert!(height <= 0.into(), "{case}: {point:?} is outside");
        }
    }
}

/// Bounds of the distance of a point from a hull, in `f64`, the lower one at least a part of the upper one: Gilbert's method, with
/// planes that support the hull.
fn distance(points: &[Vector], to: Vector, part: f64) -> [f64; 2] {
    let (mut nearest, mut low) = (points[0], 0.0f64);
    for _ in 0..20_000 {
        let way = sum(to, nearest, -1.0);
        let length = dot(way, way).sqrt();
        let height = |p: &Vector| dot(way, *p);
        let top = points.iter().max_by(|a, b| height(a).total_cmp(&height(b)));
        let top = *top.unwrap();
        if length > 0.0 {
            low = low.max((dot(way, to) - dot(way, top)) / length);
        }
        let step = sum(top, nearest, -1.0);
        let by = dot(way, step) / dot(step, step);
        if low >= length * part || by <= 0.0 || by.is_nan() {
            return [low, length];
        }
        nearest = sum(nearest, step, by.min(1.0));
    }
    let way = sum(to, nearest, -1.0);
    [low, dot(way, way).sqrt()]
}

fn vectors(points: &[[f32; 3]]) -> Vec<Vector> {
    points.iter().map(|p| p.map(f64::from)).collect()
}

fn added(points: &[[f32; 3]], most: usize) -> (Vec<[f32; 3]>, f32) {
    let mut kinds = HullKinds::new();
    let (kind, growth) = kinds.add_outer(points, most).unwrap();
    (kinds.points(kind).unwrap().collect(), growth)
}

#[test]
fn outer_hull_contains_all_points_and_says_its_growth() {
    let mut rng = rng("outer hulls");
    let mut exact = 0;
    for case in 0..cases_or(60) {
        let kind = case % SHAPES;
        let count = rng.random_range(1..200);
        let most = [4, 5, 6, 8, 11, 16, 24, 64][rng.random_range(0..8)];
        let points = shape(&mut rng, kind, count);
        // Up to the largest and down to the smallest lengths, and off the center.
        let by = [1.0, 1.0, 3e-3, 1e15, 1e-37, 2e-45][rng.random_range(0..6)];
        let offset = [(); 3].map(|()| rng.random_range(-1.0..1.0) * [0.0, 1.0, 9.0][case % 3]);
        let points = scaled(&points, by, offset);
        let case = format!("case {case}: {count} points of shape {kind}, {most}, × {by}");

        let (corners, growth) = added(&points, most);
        assert!(corners.len() <= most, "{case}");
        if growth == 0.0 {
            exact += 1;
            let is_given = |corner| points.contains(corner);
            assert!(corners.iter().all(is_given), "{case}: {corners:?}");
            let given = vectors(&corners);
            for point in vectors(&points) {
                let size = point.iter().fold(0.0, |most, x| x.abs().max(most));
                assert!(distance(&given, point, 0.999)[0] <= 1e-3 * size, "{case}");
            }
            continue;
        }
        assert_contains(&corners, &points, &case);
        let points = vectors(&points);
        let [low, high] = corners.iter().fold([0.0f64; 2], |[low, high], corner| {
            let [l, h] = distance(&points, corner.map(f64::from), 0.999);
            [low.max(l), high.max(h)]
        });
        let growth = f64::from(growth);
        assert!(growth >= low, "{case}: {growth} of {low}");
        // Too large by a part, and by some roundings of the size.
        let size = points
            .as_flattened()
            .iter()
            .fold(0.0, |most: f64, x| most.max(x.abs()));
        let most = high * 1.0001 + size * 1e-11 + 3e-45;
        assert!(growth <= most, "{case}: {growth} of {high}");
    }
    assert!(exact * 30 > cases_or(60), "{exact} were exact");
}

/// The planes that searches use are those of the kind: what is inside is hit.
#[test]
fn points_given_touch_their_outer_hull() {
    let mut rng = rng("points in outer hulls");
    let (mut detector, mut overlaps) = (Detector::new(), Overlaps::new());
    for kind in 0..SHAPES {
        for most in [6, 20, 64] {
            let points = shape(&mut rng, kind, 500);
            let mut kinds = HullKinds::new();
            let (outer, _) = kinds.add_outer(&points, most).unwrap();
            let hull = Hull::new(outer, [0.0; 3], [0.0, 0.0, 0.0, 1.0]);
            let hulls = Hulls::from_slice(&kinds, &[hull]).unwrap();
            let cloud: Vec<Point> = points.iter().map(|at| Point::new(*at)).collect();
            let cloud = Points::from_slice(&cloud);
            let pairs = Pairs::one_to_all(0);
            detector
                .overlap(&hulls, &cloud, pairs, &mut overlaps)
                .unwrap();
            assert_eq!(overlaps.count(), cloud.len(), "shape {kind}, {most}");
        }
    }
}

/// The growth of the best of many polytopes of planes that support the points in random directions.
fn best_of_random(points: &[Vector], most: usize, rng: &mut StdRng) -> f64 {
    let faces = (most + 4) / 2;
    let mut best = f64::INFINITY;
    for _ in 0..1000 {
        let planes: Vec<(Vector, f64)> = (0..faces)
            .map(|_| {
                let d = direction(rng);
                let heights = points.iter().map(|p| dot(d, *p));
                (d, heights.fold(f64::NEG_INFINITY, f64::max))
            })
            .collect();
        let (mut corners, mut of, mut worst) = (0, vec![0; faces], 0.0f64);
        'corners: for i in 0..faces {
            for j in 0..i {
                for k in 0..j {
                    let [a, b, c] = [i, j, k].map(|k| planes[k]);
                    let volume = dot(a.0, cross(b.0, c.0));
                    let at = [(a.1, b.0, c.0), (b.1, c.0, a.0), (c.1, a.0, b.0)];
                    let at = at.iter().fold([0.0; 3], |at, (offset, n, m)| {
                        sum(at, cross(*n, *m), offset / volume)
                    });
                    let is_below = |(index, (d, offset)): (usize, &(Vector, f64))| {
                        [i, j, k].contains(&index) || dot(*d, at) <= *offset
                    };
                    if volume != 0.0 && planes.iter().enumerate().all(is_below) {
                        corners += 1;
                        for k in [i, j, k] {
                            of[k] += 1;
                        }
                        worst = worst.max(distance(points, at, 0.95)[0]);
                        if worst >= best {
                            break 'corners;
                        }
                    }
                }
            }
        }
        // A bounded polytope has 2 F − 4 corners.
        let used = of.iter().filter(|count| **count > 0).count();
        if worst < best && used >= 4 && corners == 2 * used - 4 && !of.contains(&1) {
            best = worst;
        }
    }
    best
}

#[test]
fn growth_is_at_most_that_of_the_best_of_1000_random_choices() {
    let mut rng = rng("outer hulls and random ones");
    for kind in [0, 1, 4, 9] {
        let points = shape(&mut rng, kind, 80);
        for most in [4, 8, 16] {
            let (_, growth) = added(&points, most);
            let best = best_of_random(&vectors(&points), most, &mut rng);
            println!("shape {kind}, {most}: {growth} of {best}");
            assert!(
                f64::from(growth) <= 1.5 * best,
                "shape {kind}, {most}: {growth} of {best}"
            );
            assert!(
                most < 8 || f64::from(growth) <= 0.75 * best,
                "shape {kind}, {most}"
            );
        }
    }
}

#[test]
fn corners_are_kept_if_they_are_few_enough() {
    let mut rng = rng("outer hulls of few corners");
    let (cube, _) = common::cube(1.0);
    // Further points within the faces, edges and corners of a cube.
    let mut points = cube.clone();
    for k in 0..600 {
        let mut point = [(); 3].map(|()| (rng.random_range(-4..=4) as f32) / 4.0);
        point[k % 3] = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        points.insert(rng.random_range(0..points.len()), point);
    }
    let (mut corners, growth) = added(&points, 8);
    corners.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut expected = cube;
    expected.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert_eq!((corners, growth), (expected, 0.0));
    let (corners, growth) = added(&points, 7);
    assert!(corners.len() <= 7 && growth > 0.1);

    // Points of a plane, of a line, and equal ones.
    let square: Vec<_> = points
        .iter()
        .map(|p| [p[0], 0.5 * p[0] + p[1], 2.0])
        .collect();
    let line: Vec<_> = points.iter().map(|p| [3.0 * p[0], p[0], -p[0]]).collect();
    for (points, count) in [(square, 4), (line, 2), (vec![[1.0, 2.0, 3.0]; 70], 1)] {
        let (corners, growth) = added(&points, 4);
        assert_eq!((corners.len(), growth), (count, 0.0), "{corners:?}");
    }
    // Their order is that of the points.
    let few = [[3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]];
    assert_eq!(added(&few, 4), (few.to_vec(), 0.0));
}

/// Both tips of a spindle see all triangles of its ring.
#[test]
fn many_coplanar_points_are_contained() {
    let count = 20_000;
    let mut points: Vec<[f32; 3]> = (0..count)
        .map(|k| {
            let (y, x) = (f64::from(k) * std::f64::consts::TAU / f64::from(count)).sin_cos();
            [x as f32, y as f32, 0.0]
        })
        .collect();
    points.extend([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]);
    let (corners, growth) = added(&points, 16);
    assert!(corners.len() <= 16 && growth < 0.3, "{growth}");
    let mut kinds = HullKinds::new();
    let hull = Hull::new(kinds.add(&corners).unwrap(), [0.0; 3], [0.0, 0.0, 0.0, 1.0]);
    let hulls = Hulls::from_slice(&kinds, &[hull]).unwrap();
    let cloud: Points = points.iter().map(|at| Point::new(*at)).collect();
    let mut overlaps = Overlaps::new();
    Detector::new()
        .overlap(&hulls, &cloud, Pairs::one_to_all(0), &mut overlaps)
        .unwrap();
    assert_eq!(overlaps.count(), cloud.len());
}

#[test]
fn bad_points_and_limits_are_refused_and_add_nothing() {
    let mut kinds = HullKinds::new();
    let cube = common::cube(0.5).0;
    for most in [0, 3, 65, usize::MAX] {
        let refused = kinds.add_outer(&cube, most).unwrap_err();
        assert!(matches!(refused, Error::OuterHullPoints { .. }));
        let text = format!("invalid maximum number of points of an outer hull: {most} (4 to 64)");
        assert_eq!(refused.to_string(), text);
    }
    assert!(matches!(
        kinds.add_outer(&[], 64),
        Err(Error::HullPoints { points: 0, .. })
    ));
    let mut bad = vec![[0.5; 3]; 100];
    bad[70][1] = f32::NAN;
    let refused = kinds.add_outer(&bad, 64).unwrap_err();
    let text = "point 70 of the hull is invalid: point[1] is NaN, not finite";
    assert_eq!(refused.to_string(), text);
    let far: Vec<_> = cube.iter().map(|p| p.map(|x| x + 1e4)).collect();
    assert_eq!(
        kinds.add_outer(&far, 64),
        kinds.add(&far).map(|kind| (kind, 0.0))
    );
    assert!(matches!(
        kinds.add_outer(&far, 64),
        Err(Error::HullOffCenter { .. })
    ));

    // Valid points whose outer hull would be too large.
    let points: Vec<_> = cube
        .iter()
        .map(|p| p.map(|x| 2.0 * MAX_LENGTH * x))
        .collect();
    assert_eq!(kinds.add_outer(&points, 8), Ok((0, 0.0)));
    let refused = kinds.add_outer(&points, 4).unwrap_err();
    assert!(
        matches!(refused, Error::BadHullPoint { index: 0, .. }),
        "{refused}"
    );
    assert_eq!(kinds.len(), 1);
}

#[test]
fn outer_hulls_are_the_same_on_every_machine() {
    let mut words = Vec::new();
    // No sine, cosine or random number of another crate: their bits are their own.
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    for most in [4, 7, 8, 20, 33, 64] {
        let points: Vec<[f32; 3]> = (0..400)
            .map(|_| {
                let [x, y, z] = [next(), next(), next()];
                let length = (x * x + y * y + z * z).sqrt();
                [x / length, y / length, 0.3 * z / length]
            })
            .collect();
        let (corners, growth) = added(&points, most);
        words.extend(corners.as_flattened().iter().map(|x| x.to_bits()));
        words.push(growth.to_bits());
    }
    assert_eq!(digest(words), 1165636632759665370);
}

/// The figures of the README and of the recipe of robot links.
#[test]
fn cylinders_and_cones_grow_by_little() {
    for height in [0.4f32, 2.0, 10.0] {
        let circle = |z: f32| {
            (0..256u16).map(move |k| {
                let angle = f64::from(k) / 256.0 * std::f64::consts::TAU;
                let by = (std::f64::consts::PI / 256.0).cos();
                [(angle.cos() / by) as f32, (angle.sin() / by) as f32, z]
            })
        };
        let mut kinds = HullKinds::new();
        let cylinder: Vec<_> = circle(0.0).chain(circle(height)).collect();
        let (_, growth) = kinds.add_outer(&cylinder, 64).unwrap();
        assert!((0.004..0.005).contains(&growth), "{height}: {growth}");
        let cone: Vec<_> = circle(0.0).chain([[0.0, 0.0, height]]).collect();
        let (_, growth) = kinds.add_outer(&cone, 64).unwrap();
        assert!((0.008..0.015).contains(&growth), "{height}: {growth}");
    }
}
