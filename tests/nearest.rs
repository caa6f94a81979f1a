//! Nearest shapes equal those of the distances of all pairs, bit for bit, for any tree, lane count and thread count.

mod common;

use common::scenes::{SCENES, build, inside};
use common::{Sample, Setting, rng};
use phalanx::traits::{Bounded, Distance, Shape};
use phalanx::{
    Aabb, Capsule, Clearance, Detector, Distances, Error, Groups, HalfSpace, Hull, Hulls, Impacts,
    Mesh, Nearest, Obb, Pair, Point, Simd, Sphere, Store, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;

/// A result: the nearest shape, and the bits of both bounds.
type Said = (Option<u32>, [u32; 2]);

fn said(clearance: Option<Clearance>) -> Option<Said> {
    let clearance = clearance?;
    let bounds = [clearance.lower, clearance.upper];
    Some((clearance.b, bounds.map(f32::to_bits)))
}

/// The definition: a reduction over the distances of all admitted pairs.
fn by_distances<A, B>(
    a: &Store<A>,
    b: &Store<B>,
    radius: f32,
    admits: impl Fn(u32, u32) -> bool,
) -> Vec<Option<Said>>
where
    A: Distance<B>,
    B: Shape,
{
    let (mut detector, mut distances) = (Detector::new(), Distances::new());
    let mut all = Vec::new();
    for i in 0..a.len() as u32 {
        if is_bad(a, i) {
            all.push(None);
            continue;
        }
        let pairs: Vec<Pair> = (0..b.len() as u32)
            .filter(|j| admits(i, *j))
            .map(|j| Pair::new(i, j))
            .collect();
        detector.distance(a, b, &pairs, &mut distances).unwrap();
        let mut best = (None, [radius, f32::INFINITY]);
        for (k, pair) in pairs.iter().enumerate() {
            let Some(range) = distances.get(k) else {
                continue;
            };
            best.1[0] = best.1[0].min(range.lower);
            if range.upper <= radius && range.upper < best.1[1] {
                (best.0, best.1[1]) = (Some(pair.b), range.upper);
            }
        }
        all.push(Some((best.0, best.1.map(f32::to_bits))));
    }
    all
}

fn is_bad<T: Shape>(store: &Store<T>, index: u32) -> bool {
    let mut one = Store::new();
    one.push(store.get(index).unwrap());
    one.validate().is_err()
}

/// Compares on all lane counts, with and without cached trees. Returns the number of shapes with a shape within the radius.
fn check<A, B>(name: &str, a: &Store<A>, b: &Store<B>, radius: f32) -> usize
where
    A: Bounded + Distance<B>,
    B: Shape,
{
    let expected = by_distances(a, b, radius, |_, _| true);
    let mut nearest = Nearest::new();
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd);
        let (a, b) = (a.clone(), b.clone());
        for round in 0..5 {
            let invalid = detector.nearest(&a, &b, radius, &mut nearest).unwrap();
            let name = format!("{name}, {simd}, radius {radius}, round {round}");
            compare(&nearest, &expected, &name);
            assert_eq!(invalid.a, nearest.iter_invalid().count(), "{name}");
            let bad = (0..b.len() as u32).filter(|i| is_bad(&b, *i));
            assert_eq!(invalid.b, bad.count(), "{name}");
        }
    }
    nearest.count()
}

fn compare(nearest: &Nearest, expected: &[Option<Said>], name: &str) {
    assert_eq!(nearest.len(), expected.len(), "{name}");
    let mut count = 0;
    for (i, expected) in expected.iter().enumerate() {
        assert_eq!(said(nearest.get(i)), *expected, "{name}: shape {i}");
        match expected {
            None => assert_eq!((nearest.lower()[i], nearest.is_invalid(i)), (0.0, true)),
            Some((b, _)) => {
                count += usize::from(b.is_some());
                assert_eq!(nearest.index()[i], b.unwrap_or(u32::MAX));
            }
        }
    }
    assert_eq!(nearest.count(), count, "{name}");
    let valid = expected.iter().flatten().count();
    assert_eq!(nearest.into_iter().count(), valid, "{name}");
}

fn samples<T: Sample>(rng: &mut StdRng, len: usize, side: f32) -> Store<T> {
    let mut setting = Setting::ordinary();
    setting.offset = [100.0; 3];
    (0..len)
        .map(|_| {
            let by = inside(rng, side);
            T::sample(rng, &setting).moved(by)
        })
        .collect()
}

#[test]
fn every_cell_finds_the_least_of_the_distances_of_all_pairs() {
    fn cell<A: Bounded + Distance<B> + Sample, B: Shape + Sample>(name: &str) {
        let mut rng = rng(&format!("{name}, nearest"));
        let a = samples::<A>(&mut rng, 60, 20.0);
        let b = samples::<B>(&mut rng, 150, 20.0);
        let mut found = 0;
        for radius in [0.0, 0.7, 100.0] {
            found += check(name, &a, &b, radius);
        }
        assert!(found > 60, "{name}: {found}");
    }
    fn own<A: Bounded + Distance<A> + Sample>(name: &str) {
        let mut rng = rng(&format!("{name}, nearest within"));
        let a = samples::<A>(&mut rng, 150, 30.0);
        let expected = by_distances(&a, &a, 2.0, |i, j| i != j);
        let (mut detector, mut nearest) = (Detector::new(), Nearest::new());
        for _ in 0..4 {
            detector.nearest(&a, &a, 2.0, &mut nearest).unwrap();
            compare(&nearest, &expected, name);
        }
    }
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(each!(@ $file, $($shape),+);)*
        };
        (@ $file:ident, $a:ident, Plane) => {
            cell::<phalanx::$a, phalanx::Plane>(stringify!($file));
        };
        (@ $file:ident, $a:ident, HalfSpace) => {
            cell::<phalanx::$a, phalanx::HalfSpace>(stringify!($file));
        };
        (@ $file:ident, $a:ident) => {
            cell::<phalanx::$a, phalanx::$a>(stringify!($file));
            own::<phalanx::$a>(stringify!($file));
        };
        (@ $file:ident, $a:ident, $b:ident) => {
            cell::<phalanx::$a, phalanx::$b>(stringify!($file));
            cell::<phalanx::$b, phalanx::$a>(stringify!($file));
        };
    }
    phalanx::kernels!(distance: each);
}

#[test]
fn every_scene_has_the_least_of_the_distances_of_all_pairs() {
    for (name, scene) in SCENES {
        let mut rng = rng(&format!("{name}, nearest"));
        for (len, bad) in [(1, false), (8, false), (65, true), (300, true)] {
            let a = build(&mut rng, scene, 40, bad);
            let b = build(&mut rng, scene, len, bad);
            check(name, &a, &b, 1.0);
            check(name, &a, &b, 1e9);
        }
    }
    let (none, some) = (
        Store::<Sphere>::new(),
        samples::<Sphere>(&mut rng("few"), 3, 9.0),
    );
    check("none among some", &none, &some, 1.0);
    assert_eq!(check("some among none", &some, &none, 1.0), 0);
}

/// Shapes of all sizes at nearly equal distances in all directions: the tree must not skip the nearest.
#[test]
fn nearly_equal_distances_are_distinguished() {
    let mut rng = rng("nearly equal");
    for round in 0..6 {
        let scale = 2f32.powi([0, -30, 20, 0, 3, 0][round]);
        let far = [0.0, 0.0, 0.0, 1e5, -3e3, 1e7][round];
        let center = [far * scale; 3];
        let mut direction = || {
            let v = [(); 3].map(|()| rng.random_range(-1.0..1.0f32));
            let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
            (v.map(|x| x / length), rng.random_range(0..5))
        };
        let (mut spheres, mut boxes, mut triangles) = (Store::new(), Store::new(), Store::new());
        for _ in 0..200 {
            let (n, size) = direction();
            let radius = 10f32.powi(size - 3);
            let at = |d: f32| [0, 1, 2].map(|k| center[k] + n[k] * d * scale);
            spheres.push(Sphere {
                center: at(5.0 + radius),
                radius: radius * scale,
            });
            let half = [(); 3].map(|()| radius * scale);
            boxes.push(Obb {
                center: at(5.0 + radius * 1.5),
                half_extents: half,
                ..Obb::default()
            });
            // Perpendicular to the direction, from the nearest point.
            let side = if n[0].abs() < 0.6 {
                [1.0, 0.0, 0.0]
            } else {
                [0.0, 1.0, 0.0]
            };
            let t = [
                n[1] * side[2] - n[2] * side[1],
                n[2] * side[0] - n[0] * side[2],
                n[0] * side[1] - n[1] * side[0],
            ];
            let beside = |x: f32| [0, 1, 2].map(|k| at(5.0)[k] + t[k] * x * radius * scale);
            triangles.push(Triangle {
                corners: [beside(-1.0), beside(1.0), at(6.0)],
            });
        }
        let a = Store::from_slice(&[Sphere {
            center,
            radius: 0.0,
        }]);
        let points = Store::from_slice(&[Point { position: center }]);
        let own = Store::from_slice(&[Obb {
            center,
            half_extents: [scale; 3],
            ..Obb::default()
        }]);
        let own_triangle = Store::from_slice(&[Triangle {
            corners: [center, center, center],
        }]);
        let radius = 9.0 * scale;
        check("spheres", &a, &spheres, radius);
        check("points and boxes", &points, &boxes, radius);
        check("points and triangles", &points, &triangles, radius);
        check("boxes", &own, &boxes, radius);
        check("box and triangles", &own, &triangles, radius);
        check("triangles", &own_triangle, &triangles, radius);
    }
}

/// Clouds of points of any scale, in many leaves, at distances that differ by a few ulps.
#[test]
fn points_find_the_least_distances_of_points() {
    let mut rng = rng("points among points");
    let mut unit = || loop {
        let v = [(); 3].map(|()| rng.random_range(-1.0..1.0f32));
        let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
        if (0.1..1.0).contains(&length) {
            return (v.map(|x| x / length), v);
        }
    };
    for (exponent, far) in [
        (0, 0.0),
        (0, 50.0),
        (-40, 0.0),
        (-75, 0.0),
        (-140, 0.0),
        (55, 3.0),
    ] {
        let scale = 2f32.powi(exponent);
        let (mut points, mut queries) = (Store::new(), Store::new());
        for cluster in 0..12u32 {
            let center = [cluster % 3, cluster / 3 % 2, cluster / 6].map(|x| 9.0 * x as f32 + far);
            queries.push(Point {
                position: center.map(|x| x * scale),
            });
            for k in 0..90 {
                let (direction, inside) = unit();
                // On a sphere, on its axes and diagonals, outside of it, or once more the same.
                let at = match k % 9 {
                    0..5 => direction.map(|x| x * (1.0 + (k % 4) as f32 / (1 << 22) as f32)),
                    5 => [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.577_35; 3]][k / 9 % 3],
                    6 if k < 45 => [1.000_001, 0.0, 0.0],
                    // The middle itself.
                    6 => [-0.0; 3],
                    _ => [0, 1, 2].map(|i| direction[i] * 1.2 + inside[i]),
                };
                points.push(Point {
                    position: [0, 1, 2].map(|i| (center[i] + at[i]) * scale),
                });
            }
        }
        for radius in [30.0 * scale, 1.000_001 * scale] {
            let found = check("cluster", &queries, &points, radius);
            // Upper bounds are at least 2⁻⁵⁸.
            assert!(found == 12 || radius < 1e-17, "{scale}: {found}");
        }
        check("all", &points, &points.clone(), 30.0 * scale);
    }
}

/// The tree by area of points without area is good too.
#[test]
fn points_on_a_line_are_found() {
    for axis in 0..3 {
        let at = |k: u32| {
            let mut position = [0.0; 3];
            position[axis] = (k * 1667 % 4096) as f32;
            Point { position }
        };
        let mut points: Store<Point> = (0..4096).map(at).collect();
        let queries: Store<Point> = (0..100).map(|k| at(41 * k)).collect();
        let (mut detector, mut nearest) = (Detector::new(), Nearest::new());
        for _ in 0..100 {
            detector
                .nearest(&queries, &points, 5.0, &mut nearest)
                .unwrap();
            assert!((0..100).all(|k| nearest.index()[k as usize] == 41 * k));
        }
        // Changes of the tree: points that move, leave and come.
        for k in 0..100 {
            points.set(41 * k + 7, at(5 * k)).unwrap();
        }
        points.swap_remove(41);
        points.push(at(82));
        let expected = by_distances(&queries, &points, 5.0, |_, _| true);
        for _ in 0..3 {
            detector
                .nearest(&queries, &points, 5.0, &mut nearest)
                .unwrap();
            compare(&nearest, &expected, "changed");
        }
    }
}

#[test]
fn equal_distances_go_to_the_lowest_index() {
    let grid = |k: u32| Point {
        position: [k % 9, k / 9 % 9, k / 81].map(|x| x as f32 - 4.0),
    };
    let points: Store<Point> = (0..729).rev().map(grid).collect();
    let middle = |k: u32| Sphere {
        center: grid(k).position.map(|x| x + 0.5),
        radius: 0.25,
    };
    let spheres: Store<Sphere> = (0..729).map(middle).collect();
    assert_eq!(check("grid", &spheres, &points, 3.0), 729);
    check("grid in return", &points, &spheres, 3.0);
}

#[test]
fn no_numbers_are_too_strange() {
    fn strange<T: Shape>(rng: &mut StdRng, len: usize) -> Store<T> {
        let mut store = Store::new();
        for _ in 0..len {
            let any = rng.random_bool(0.1);
            let mut number = || match any {
                true => f32::from_bits(rng.random()),
                false => 2f32.powi(rng.random_range(-150..59)) * rng.random_range(-1.0..1.0f32),
            };
            let mut shape = T::zeroed();
            let numbers: &mut [f32] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut shape));
            numbers.fill_with(&mut number);
            store.push(shape);
        }
        store
    }
    let mut rng = rng("strange nearest");
    for radius in [0.0, 1e-30, 1.0, phalanx::MAX_LENGTH] {
        let points = strange::<Point>(&mut rng, 60);
        let triangles = strange::<Triangle>(&mut rng, 60);
        let mut spheres = strange::<Sphere>(&mut rng, 60);
        for i in 0..60 {
            let sphere = spheres.get(i).unwrap();
            let radius = sphere.radius.abs();
            spheres.set(i, Sphere { radius, ..sphere }).unwrap();
        }
        let mut boxes = strange::<Aabb>(&mut rng, 60);
        for i in 0..60 {
            let Aabb { min, max } = boxes.get(i).unwrap();
            let [min, max] = [f32::min, f32::max].map(|f| [0, 1, 2].map(|k| f(min[k], max[k])));
            boxes.set(i, Aabb { min, max }).unwrap();
        }
        check("points and spheres", &points, &spheres, radius);
        check("spheres and boxes", &spheres, &boxes, radius);
        check("boxes", &boxes, &boxes.clone(), radius);
        check("triangles and points", &triangles, &points, radius);
        check("triangles and boxes", &triangles, &boxes, radius);
    }
}

#[cfg(all(feature = "rayon", not(target_family = "wasm")))]
#[test]
fn any_number_of_threads_finds_the_same() {
    let mut rng = rng("nearest on threads");
    let points = samples::<Point>(&mut rng, 20_000, 60.0);
    let boxes = samples::<Obb>(&mut rng, 40_000, 60.0);
    let (mut serial, mut nearest) = (Detector::new().parallel(false), Nearest::new());
    serial.nearest(&points, &boxes, 1.0, &mut nearest).unwrap();
    let expected = nearest.clone();
    assert!(expected.count() > 1000);
    for threads in [1, 2, 3, 7, 16] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let (pool, mut detector) = (pool.build().unwrap(), Detector::new());
        let boxes = boxes.clone();
        for _ in 0..3 {
            let found = pool.install(|| detector.nearest(&points, &boxes, 1.0, &mut nearest));
            found.unwrap();
            assert!(nearest == expected, "{threads} threads");
        }
    }
}

#[test]
fn groups_and_bodies_apply_after_changes() {
    let mut rng = rng("nearest in groups");
    let mut a = samples::<Sphere>(&mut rng, 60, 9.0);
    let mut b = samples::<Aabb>(&mut rng, 90, 9.0);
    let mut ground = samples::<HalfSpace>(&mut rng, 3, 9.0);
    ground.set_groups(1, Groups { is: 6, meets: 9 }).unwrap();
    let filter = |groups: Groups, body: u32, others: Groups, other: u32| {
        let meet = groups.is & others.meets != 0 && others.is & groups.meets != 0;
        meet && (body != other || body == phalanx::NO_BODY)
    };
    let (mut detector, mut nearest) = (Detector::new(), Nearest::new());
    for round in 0..40 {
        for _ in 0..rng.random_range(0..6) {
            let mut bits = || rng.random_range(0..16u32);
            let (is, meets) = (bits(), bits());
            let groups = Groups { is, meets };
            let (i, j) = (rng.random_range(0..60), rng.random_range(0..90));
            a.set_groups(i, groups).unwrap();
            b.set_groups(j, groups).unwrap();
            a.set_body(i, rng.random_range(0..4)).unwrap();
            b.set_body(j, rng.random_range(0..4)).unwrap();
            let sphere = a.get(i).unwrap().moved([0.1, 0.0, 0.0]);
            a.set(i, sphere).unwrap();
        }
        let admits = |i, j| {
            let (x, y) = (a.groups(i).unwrap(), b.groups(j).unwrap());
            filter(x, a.body(i).unwrap(), y, b.body(j).unwrap())
        };
        let expected = by_distances(&a, &b, 3.0, admits);
        detector.nearest(&a, &b, 3.0, &mut nearest).unwrap();
        compare(&nearest, &expected, &format!("round {round}"));

        let admits = |i, j| {
            let (x, y) = (a.groups(i).unwrap(), a.groups(j).unwrap());
            i != j && filter(x, a.body(i).unwrap(), y, a.body(j).unwrap())
        };
        let expected = by_distances(&a, &a, 3.0, admits);
        detector.nearest(&a, &a, 3.0, &mut nearest).unwrap();
        compare(&nearest, &expected, &format!("within, round {round}"));

        let admits = |i, j| {
            let (x, y) = (a.groups(i).unwrap(), ground.groups(j).unwrap());
            filter(x, a.body(i).unwrap(), y, ground.body(j).unwrap())
        };
        let expected = by_distances(&a, &ground, 3.0, admits);
        detector.nearest(&a, &ground, 3.0, &mut nearest).unwrap();
        compare(&nearest, &expected, &format!("ground, round {round}"));
    }
}

#[test]
fn refused_calls_change_nothing() {
    let mut rng = rng("refused nearest");
    let points = samples::<Point>(&mut rng, 20, 3.0);
    let spheres = samples::<Sphere>(&mut rng, 20, 3.0);
    let (mut detector, mut nearest) = (Detector::new(), Nearest::new());
    detector
        .nearest(&points, &spheres, 1.0, &mut nearest)
        .unwrap();
    let before = nearest.clone();
    for radius in [-1.0, f32::NAN, f32::INFINITY, 2.0 * phalanx::MAX_LENGTH] {
        let refused = detector.nearest(&points, &spheres, radius, &mut nearest);
        assert!(matches!(refused, Err(Error::BadRadius { .. })), "{radius}");
    }
    detector.set_margin(0.5).unwrap();
    let refused = detector.nearest(&points, &spheres, 1.0, &mut nearest);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "distances and the inside of a mesh have no margin, but the detector's is 0.5"
    );
    assert!(nearest == before);
}

/// Whether a number is −0.
fn is_negative_zero(x: f32) -> bool {
    x.to_bits() == (-0.0f32).to_bits()
}

#[test]
fn negative_zero_of_an_input_is_no_bound() {
    let zeros = [-0.0; 3];
    let points = Store::from_slice(&[Point { position: zeros }; 2]);
    let spheres = Store::from_slice(&[Sphere::new(zeros, -0.0); 2]);
    let far = Store::from_slice(&[Sphere::new([9.0; 3], -0.0)]);
    let (mut detector, mut nearest) = (Detector::new(), Nearest::new());
    for radius in [0.0, -0.0] {
        detector
            .nearest(&points, &far, radius, &mut nearest)
            .unwrap();
        assert_eq!(nearest.get(0).unwrap().b, None);
        assert!(!nearest.lower().iter().copied().any(is_negative_zero));
        detector
            .nearest(&points, &spheres, radius, &mut nearest)
            .unwrap();
        // The upper bound is above 0, by less than a rounding.
        assert_eq!(nearest.get(0).unwrap().b, None);
        let bounds = nearest.lower().iter().chain(nearest.upper());
        assert!(!bounds.copied().any(is_negative_zero));
    }

    assert!(!is_negative_zero(
        Detector::new().margin(-0.0).unwrap().settings().margin
    ));
    let mesh = Mesh::with_flatness(&[], &[], -0.0).unwrap();
    assert!(!is_negative_zero(mesh.flatness()));

    // Shapes of no extent at −0, and their distances, times and impacts.
    let capsules = Store::from_slice(&[Capsule {
        center: zeros,
        half_axis: zeros,
        radius: -0.0,
    }]);
    let aabbs = Store::from_slice(&[Aabb::new(zeros, zeros)]);
    let obbs = Store::from_slice(&[Obb::new(zeros, zeros, [-0.0, -0.0, -0.0, 1.0])]);
    let triangles = Store::from_slice(&[Triangle::new(zeros, zeros, zeros)]);
    let mut hulls = Hulls::default();
    hulls.add_kind(&[zeros]).unwrap();
    hulls
        .push_moving(Hull::new(0, zeros, [-0.0, -0.0, -0.0, 1.0]), zeros)
        .unwrap();
    let mut distances = Distances::new();
    let mut checked = 0;
    macro_rules! each {
        ($a:ident: $($b:ident),+) => { $(
            detector.distance(&$a, &$b, &[[0, 0]], &mut distances).unwrap();
            let bounds = [distances.lower()[0], distances.upper()[0]];
            assert!(bounds[0] == 0.0 && !bounds.into_iter().any(is_negative_zero), "{bounds:?}");
            checked += 1;
        )+ };
    }
    each!(points: spheres, capsules, aabbs, obbs, triangles, hulls);
    each!(spheres: spheres, capsules, aabbs, obbs, triangles, hulls);
    each!(capsules: capsules, aabbs, obbs, triangles, hulls);
    each!(aabbs: aabbs, obbs, triangles, hulls);
    each!(obbs: obbs, triangles, hulls);
    each!(triangles: triangles, hulls);
    each!(hulls: hulls);
    assert_eq!(checked, 27);

    let mut impacts = Impacts::new();
    for tolerance in [0.0, -0.0] {
        detector
            .impact(&obbs, &aabbs, &[[0, 0]], tolerance, &mut impacts)
            .unwrap();
        assert!(impacts.get(0).is_some_and(|time| time.to_bits() == 0));
    }
}

#[test]
fn a_strict_detector_names_the_invalid_shape() {
    let bad = Sphere {
        center: [0.0; 3],
        radius: -1.0,
    };
    let good = Sphere { radius: 1.0, ..bad };
    let spheres = Store::from_slice(&[good, bad]);
    let points = Store::from_slice(&[Point {
        position: [3.0, 0.0, 0.0],
    }]);
    let mut nearest = Nearest::new();
    let mut detector = Detector::new().strict(true);
    let refused = detector.nearest(&spheres, &points, 9.0, &mut nearest);
    assert!(
        matches!(refused, Err(Error::InvalidShape { index: 1, .. })),
        "{refused:?}"
    );
    let refused = detector.nearest(&points, &spheres, 9.0, &mut nearest);
    assert!(
        matches!(refused, Err(Error::InvalidShape { index: 1, .. })),
        "{refused:?}"
    );
    assert_eq!(nearest.get(0).and_then(|clearance| clearance.b), Some(0));
}
