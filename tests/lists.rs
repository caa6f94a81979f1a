//! Hits in order and neighbors equal those of all pairs, sorted, bit for bit, for any tree, lane count and thread count.

mod common;

use common::scenes::{SCENES, build, inside, samples};
use common::{Sample, rng};
use phalanx::traits::{Bounded, Distance, Shape, Sweep};
use phalanx::{
    Aabb, Detector, Distances, During, Error, FirstHits, Groups, HalfSpace, Hull, Hulls, Mesh,
    Nearest, NeighborColumns, Neighbors, Obb, OrderedHits, Overlaps, Pair, Pairs, Point, Shapes,
    Simd, Sphere, Spheres, Store, Sweeps, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;

/// An entry of a list: the index, and the bits of both numbers, the one that sorts first.
type Entry = (u32, [u32; 2]);
/// An index with both numbers.
type Numbered = (u32, [f32; 2]);
/// The list of each shape; `None` for an invalid shape.
type Lists = Vec<Option<Vec<Entry>>>;

/// The numbers of entries that are wanted.
const MOST: [usize; 5] = [0, 1, 2, 7, usize::MAX];

/// Which pairs to consider.
type Admits<'a> = &'a dyn Fn(u32, u32) -> bool;

/// The lists of all shapes, by the results of all pairs of one.
fn lists<A: Shapes, B: Shapes>(
    (a, b): (&A, &B),
    admits: Admits<'_>,
    is_invalid: &mut dyn FnMut(u32) -> bool,
    results: &mut dyn FnMut(&[Pair]) -> Vec<Numbered>,
) -> Lists {
    let mut list = |i: u32| {
        let others = 0..b.view().len() as u32;
        let pairs: Vec<Pair> = others
            .filter(|j| admits(i, *j))
            .map(|j| Pair::new(i, j))
            .collect();
        let mut entries = results(&pairs);
        // A stable sort: ties stay in the order of the indices.
        entries.sort_by(|x, y| x.1[0].partial_cmp(&y.1[0]).unwrap());
        let entry = |(b, numbers): Numbered| (b, numbers.map(f32::to_bits));
        Some(entries.into_iter().map(entry).collect())
    };
    let lens = 0..a.view().len() as u32;
    lens.map(|i| if is_invalid(i) { None } else { list(i) })
        .collect()
}

/// A valid shape that every other one can be tested with.
fn ground() -> Store<HalfSpace> {
    Store::from_slice(&[HalfSpace {
        normal: [0.0, 1.0, 0.0],
        d: 0.0,
    }])
}

/// The definition of hits in order.
fn by_sweeps<A: Shapes, B: Shapes>(a: &A, b: &B, margin: f32, admits: Admits<'_>) -> Lists
where
    A::Shape: Sweep<B::Shape> + Sweep<HalfSpace>,
{
    let detector = || Detector::new().margin(margin).unwrap();
    let (mut own, mut detector, mut sweeps) = (detector(), detector(), Sweeps::new());
    let ground = ground();
    let mut is_invalid = |i| {
        let mut sweeps = Sweeps::new();
        own.sweep(a, &ground, &[Pair::new(i, 0)], &mut sweeps)
            .unwrap();
        sweeps.is_invalid(0)
    };
    lists((a, b), admits, &mut is_invalid, &mut |pairs| {
        detector.sweep(a, b, pairs, &mut sweeps).unwrap();
        let entry = |(k, time): (usize, phalanx::TimeInterval)| {
            let pair: &Pair = &pairs[k];
            (pair.b, [time.enter, time.exit])
        };
        sweeps.iter().map(entry).collect()
    })
}

/// The definition of neighbors.
fn by_distances<A: Shapes, B: Shapes>(a: &A, b: &B, radius: f32, admits: Admits<'_>) -> Lists
where
    A::Shape: Distance<B::Shape> + Distance<HalfSpace>,
{
    let (mut own, mut detector) = (Detector::new(), Detector::new());
    let mut distances = Distances::new();
    let ground = ground();
    let mut is_invalid = |i| {
        let mut distances = Distances::new();
        own.distance(a, &ground, &[Pair::new(i, 0)], &mut distances)
            .unwrap();
        distances.is_invalid(0)
    };
    lists((a, b), admits, &mut is_invalid, &mut |pairs| {
        detector.distance(a, b, pairs, &mut distances).unwrap();
        let entry = |(k, pair): (usize, &Pair)| {
            let range = distances.get(k).filter(|range| range.lower <= radius)?;
            Some((pair.b, [range.upper, range.lower]))
        };
        pairs.iter().enumerate().filter_map(entry).collect()
    })
}

/// Compares the columns with expected lists, cut to `most` entries.
#[track_caller]
fn compare(
    lists: (&[usize], &[u32], [&[f32]; 2]),
    invalid: &[usize],
    expected: &Lists,
    most: usize,
    name: &str,
) {
    let (offsets, index, numbers) = lists;
    assert_eq!(offsets.len(), expected.len() + 1, "{name}");
    assert_eq!(*offsets.last().unwrap(), index.len(), "{name}");
    assert_eq!(numbers.map(<[f32]>::len), [index.len(); 2], "{name}");
    for (i, list) in expected.iter().enumerate() {
        let all = list.as_deref().unwrap_or_default();
        let list = &all[..all.len().min(most)];
        let range = offsets[i]..offsets[i + 1];
        let said = range.map(|k| (index[k], numbers.map(|numbers| numbers[k].to_bits())));
        assert!(said.eq(list.iter().copied()), "{name}: shape {i}");
    }
    let bad = |(i, list): (usize, &Option<_>)| list.is_none().then_some(i);
    let bad = expected.iter().enumerate().filter_map(bad);
    assert!(bad.eq(invalid.iter().copied()), "{name}: invalid shapes");
}

#[track_caller]
fn same_hits(hits: &OrderedHits, expected: &Lists, most: usize, name: &str) {
    let columns = (hits.offsets(), hits.index(), [hits.enter(), hits.exit()]);
    let invalid: Vec<usize> = hits.iter_invalid().collect();
    compare(columns, &invalid, expected, most, name);
}

#[track_caller]
fn same_neighbors(near: &Neighbors, expected: &Lists, most: usize, name: &str) {
    let columns = (near.offsets(), near.index(), [near.upper(), near.lower()]);
    let invalid: Vec<usize> = near.iter_invalid().collect();
    compare(columns, &invalid, expected, most, name);
}

/// Hits in order on all lane counts, with and without cached trees. Returns their number.
fn check_hits<A: Shapes, B: Shapes>(name: &str, a: &A, b: &B, margin: f32, is_own: bool) -> usize
where
    A::Shape: Bounded + Sweep<B::Shape> + Sweep<HalfSpace>,
{
    let expected = by_sweeps(a, b, margin, &|i, j| !(is_own && i == j));
    let (mut hits, mut firsts) = (OrderedHits::new(), FirstHits::new());
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd).margin(margin).unwrap();
        for (round, most) in MOST.into_iter().enumerate() {
            let name = format!("{name}, {simd}, margin {margin}, most {most}");
            let counts = detector.ordered_hits(a, b, most, &mut hits).unwrap();
            same_hits(&hits, &expected, most, &name);
            assert_eq!(counts.a, hits.iter_invalid().count(), "{name}");
            if round == 1 {
                let invalid = detector.first_hits(a, b, &mut firsts).unwrap();
                assert_eq!(invalid, counts, "{name}");
                let firsts = firsts.iter().map(|hit| (hit.a as usize, hit.b, hit.time));
                let hits = (0..hits.len()).flat_map(|i| {
                    let of = hits.of(i).map(move |(b, time)| (i, b, time));
                    of.collect::<Vec<_>>()
                });
                assert!(firsts.eq(hits), "{name}: first hits");
            }
        }
    }
    hits.count()
}

/// Neighbors on all lane counts, with and without cached trees. Returns their number.
fn check_near<A: Shapes, B: Shapes>(name: &str, a: &A, b: &B, radius: f32, is_own: bool) -> usize
where
    A::Shape: Bounded + Distance<B::Shape> + Distance<HalfSpace>,
{
    let expected = by_distances(a, b, radius, &|i, j| !(is_own && i == j));
    let (mut neighbors, mut nearest) = (Neighbors::new(), Nearest::new());
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd);
        for most in MOST {
            let name = format!("{name}, {simd}, radius {radius}, most {most}");
            let counts = detector
                .neighbors(a, b, radius, most, &mut neighbors)
                .unwrap();
            same_neighbors(&neighbors, &expected, most, &name);
            if most == 1 {
                let invalid = detector.nearest(a, b, radius, &mut nearest).unwrap();
                assert_eq!(invalid, counts, "{name}");
                for near in nearest.iter().filter(|near| near.b.is_some()) {
                    let first = neighbors.of(near.a as usize).next().unwrap();
                    assert_eq!((Some(first.0), first.1.upper), (near.b, near.upper));
                }
            }
        }
    }
    neighbors.count()
}

#[test]
fn every_cell_lists_the_hits_of_a_sweep_of_all_pairs() {
    fn cell<A: Bounded + Sweep<B> + Sweep<HalfSpace> + Sample, B: Shape + Sample>(name: &str) {
        let mut rng = rng(&format!("{name}, lists"));
        let a = samples::<A>(&mut rng, 100, 6.0);
        let b = samples::<B>(&mut rng, 160, 6.0);
        for margin in [0.0, 0.05] {
            let hits = check_hits(name, &a, &b, margin, false);
            let few = name.starts_with("point_triangle");
            assert!(hits > if few { 2 } else { 5 }, "{name}: {hits} hits");
        }
    }
    fn own<A: Bounded + Sweep<A> + Sweep<HalfSpace> + Sample>(name: &str) {
        let a = samples::<A>(&mut rng(&format!("{name}, own lists")), 150, 12.0);
        check_hits(name, &a, &a, 0.0, true);
    }
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(each!(@ $file, $verb, $($shape),+);)*
        };
        (@ $file:ident, overlap, $($shape:ident),+) => {};
        (@ $file:ident, sweep, $a:ident, Plane) => {
            cell::<phalanx::$a, phalanx::Plane>(stringify!($file));
        };
        (@ $file:ident, sweep, $a:ident, HalfSpace) => {
            cell::<phalanx::$a, phalanx::HalfSpace>(stringify!($file));
        };
        (@ $file:ident, sweep, $a:ident) => {
            cell::<phalanx::$a, phalanx::$a>(stringify!($file));
            own::<phalanx::$a>(stringify!($file));
        };
        (@ $file:ident, sweep, $a:ident, $b:ident) => {
            cell::<phalanx::$a, phalanx::$b>(stringify!($file));
            cell::<phalanx::$b, phalanx::$a>(stringify!($file));
        };
    }
    phalanx::kernels!(each);
}

#[test]
fn every_cell_lists_the_neighbors_of_the_distances_of_all_pairs() {
    fn cell<A: Bounded + Distance<B> + Distance<HalfSpace> + Sample, B: Shape + Sample>(
        name: &str,
    ) {
        let mut rng = rng(&format!("{name}, neighbors"));
        let a = samples::<A>(&mut rng, 50, 15.0);
        let b = samples::<B>(&mut rng, 110, 15.0);
        let mut found = 0;
        for radius in [0.0, 0.7, 100.0] {
            found += check_near(name, &a, &b, radius, false);
        }
        assert!(found > 500, "{name}: {found}");
    }
    fn own<A: Bounded + Distance<A> + Distance<HalfSpace> + Sample>(name: &str) {
        let a = samples::<A>(&mut rng(&format!("{name}, own neighbors")), 120, 20.0);
        check_near(name, &a, &a, 2.0, true);
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

/// Scenes with ties, invalid shapes and extreme numbers, from one shape to more than a word.
#[test]
fn every_scene_has_the_lists_of_all_pairs() {
    for (name, scene) in SCENES {
        let mut rng = rng(&format!("{name}, lists"));
        for (len, bad) in [(1, false), (8, false), (65, true), (200, true)] {
            let a = build(&mut rng, scene, 40, bad);
            let b = build(&mut rng, scene, len, bad);
            let mut rays = Store::new();
            for i in 0..30 {
                let [from, to] = [i, i + 7].map(|k| a.get(k % 40).unwrap().min);
                let motion = [0, 1, 2].map(|k| to[k] - from[k]);
                rays.push_moving(Point { position: from }, motion);
            }
            check_hits(name, &a, &b, 0.01, false);
            check_hits(name, &rays, &b, 0.0, false);
            check_hits(name, &b, &b, 0.0, true);
            check_near(name, &a, &b, 1.0, false);
            check_near(name, &a, &b, 1e9, false);
        }
    }
    let (none, some) = (
        Store::<Sphere>::new(),
        samples::<Sphere>(&mut rng("few lists"), 3, 9.0),
    );
    assert_eq!(check_hits("none among some", &none, &some, 0.0, false), 0);
    assert_eq!(check_hits("some among none", &some, &none, 0.0, false), 0);
    assert_eq!(check_near("none among some", &none, &some, 1.0, false), 0);
    assert_eq!(check_near("some among none", &some, &none, 1.0, false), 0);
    // A result of no shapes is the empty result.
    let mut neighbors = Neighbors::new();
    Detector::new()
        .neighbors(&none, &some, 1.0, 3, &mut neighbors)
        .unwrap();
    assert!(neighbors == Neighbors::new() && neighbors.is_empty());
    assert_eq!(neighbors.into_columns().offsets, [0]);
}

#[test]
fn equal_distances_and_times_are_sorted_by_index() {
    let grid = |k: u32| Point {
        position: [k % 9, k / 9 % 9, k / 81].map(|x| x as f32 - 4.0),
    };
    let points: Store<Point> = (0..729).rev().map(grid).collect();
    let middle = |k: u32| Sphere {
        center: grid(k).position.map(|x| x + 0.5),
        radius: 0.25,
    };
    let spheres: Store<Sphere> = (0..729).map(middle).collect();
    assert!(check_near("grid", &spheres, &points, 1.0, false) > 8 * 500);
    check_near("grid in return", &points, &spheres, 1.0, false);
    check_near("grid within", &points, &points, 2.0, true);

    // A plate passes the layers of the grid: all points of a layer at one time.
    let mut plate = Store::new();
    let sides = Aabb::new([-4.0, -4.0, -6.0], [4.0, 4.0, -5.5]);
    plate.push_moving(sides, [0.0, 0.0, 20.0]);
    assert_eq!(check_hits("plate", &plate, &points, 0.0, false), 729);
}

/// Meshes, as triangles, and hulls, whose searches use the boxes around them.
#[test]
fn meshes_and_hulls_have_the_lists_of_all_pairs() {
    let mut rng = rng("meshes and hulls");
    let side = 12u32;
    let vertex = |k: u32| {
        let [x, y] = [k % side, k / side].map(|x| x as f32);
        [x, y, (x * 1.7).sin() + (y * 2.3).cos()]
    };
    let vertices: Vec<[f32; 3]> = (0..side * side).map(vertex).collect();
    let mut indices = Vec::new();
    for (x, y) in (0..side - 1).flat_map(|x| (0..side - 1).map(move |y| (x, y))) {
        let k = y * side + x;
        indices.extend([[k, k + 1, k + side], [k + 1, k + side + 1, k + side]]);
    }
    let mesh = Mesh::new(&vertices, &indices).unwrap();
    let mut hulls = Hulls::default();
    for points in 4..9 {
        let points: Vec<[f32; 3]> = (0..points)
            .map(|_| inside(&mut rng, 1.0).map(|x| x - 0.5))
            .collect();
        hulls.add_kind(&points).unwrap();
    }
    let (mut rays, mut movers) = (Store::new(), Store::new());
    for k in 0..60 {
        let at = |rng: &mut StdRng| {
            let [x, y, z] = inside(rng, 11.0);
            [x, y, z * 0.3 - 1.5]
        };
        let (from, to) = (at(&mut rng), at(&mut rng));
        let motion = [0, 1, 2].map(|k| to[k] - from[k]);
        rays.push_moving(Point { position: from }, motion);
        movers.push_moving(Sphere::new(to, 0.3), motion.map(|x| x * 0.1));
        let hull = Hull::new(k % 5, at(&mut rng), [0.0, 0.6, 0.0, 0.8]);
        hulls.push_moving(hull, motion.map(|x| x * 0.2)).unwrap();
    }
    assert!(check_hits("rays", &rays, &mesh, 0.0, false) > 60);
    assert!(check_hits("movers", &movers, &mesh, 0.0, false) > 60);
    assert!(check_hits("hulls", &hulls, &mesh, 0.0, false) > 60);
    assert!(check_hits("rays of hulls", &rays, &hulls, 0.0, false) > 5);
    assert!(check_hits("hulls within", &hulls, &hulls, 0.0, true) > 5);
    assert!(check_near("points", &rays, &mesh, 1.0, false) > 60);
    assert!(check_near("near hulls", &rays, &hulls, 2.0, false) > 60);
    assert!(check_near("hulls of mesh", &hulls, &mesh, 0.5, false) > 60);
    assert!(check_near("hulls within", &hulls, &hulls, 2.0, true) > 60);
}

/// Long and flat hulls at any angle, whose bounds in the world are much larger than the boxes along their own axes.
#[test]
fn thin_hulls_have_the_neighbors_of_all_pairs() {
    for (case, place) in [[0.0; 3], [1e4, -3e3, 50.0], [5e8, -2e8, 9e8]]
        .into_iter()
        .enumerate()
    {
        let mut rng = rng(&format!("thin hulls, {case}"));
        // Far out, shapes are as large as the numbers there are coarse.
        let scale = if case == 2 { 1e5 } else { 1.0 };
        let mut hulls = Hulls::default();
        for sides in [[6.0, 0.2, 0.1], [3.0, 4.0, 0.02], [0.0, 5.0, 0.0], [1.0; 3]] {
            let points: Vec<[f32; 3]> = (0..20)
                .map(|_| sides.map(|side| scale * side * rng.random_range(-0.5..0.5f32)))
                .collect();
            hulls.add_kind(&points).unwrap();
        }
        let at = |rng: &mut StdRng| {
            let at = inside(rng, 9.0);
            [0, 1, 2].map(|k| place[k] + scale * at[k])
        };
        let (mut points, mut spheres, mut triangles) = (Store::new(), Store::new(), Store::new());
        for k in 0..400u32 {
            let center = at(&mut rng);
            points.push(Point::new(center));
            spheres.push(Sphere::new(center, scale * rng.random_range(0.0..0.2f32)));
            let corner = |rng: &mut StdRng| {
                let by = inside(rng, 1.0);
                [0, 1, 2].map(|k| center[k] + scale * by[k])
            };
            triangles.push(Triangle::new(center, corner(&mut rng), corner(&mut rng)));
            if k < 40 {
                let [x, y, z, w] = common::random_rotation(&mut rng, 3.0);
                let rotation = [x, y, z, w].map(|x| x as f32);
                hulls
                    .push(Hull::new(k % 4, at(&mut rng), rotation))
                    .unwrap();
            }
        }
        for radius in [0.05, 0.6, 20.0].map(|radius| radius * scale) {
            let least = if radius < 0.1 * scale { 1 } else { 20 };
            let name = |of: &str| format!("thin hulls of {of}, {case}");
            for (of, found) in [
                (
                    "points",
                    check_near(&name("points"), &hulls, &points, radius, false),
                ),
                (
                    "spheres",
                    check_near(&name("spheres"), &hulls, &spheres, radius, false),
                ),
                (
                    "triangles",
                    check_near(&name("triangles"), &hulls, &triangles, radius, false),
                ),
                (
                    "hulls",
                    check_near(&name("hulls"), &hulls, &hulls, radius, true),
                ),
            ] {
                assert!(found >= least, "{} within {radius}: {found}", name(of));
            }
        }
    }
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
            let motion = [(); 3].map(|()| number());
            store.push_moving(shape, motion);
        }
        store
    }
    let mut rng = rng("strange lists");
    for radius in [0.0, 1e-30, 1.0, phalanx::MAX_LENGTH] {
        let points = strange::<Point>(&mut rng, 60);
        let triangles = strange::<Triangle>(&mut rng, 60);
        let mut spheres = strange::<Sphere>(&mut rng, 60);
        for i in 0..60 {
            let sphere = spheres.get(i).unwrap();
            let radius = sphere.radius.abs();
            spheres.set(i, Sphere { radius, ..sphere }).unwrap();
        }
        check_near("points and spheres", &points, &spheres, radius, false);
        check_near("triangles and points", &triangles, &points, radius, false);
        check_hits("points and spheres", &points, &spheres, 0.0, false);
        check_hits("spheres and triangles", &spheres, &triangles, 1e-9, false);
    }
}

#[cfg(all(feature = "rayon", not(target_family = "wasm")))]
#[test]
fn any_number_of_threads_finds_the_same() {
    let mut rng = rng("lists on threads");
    let points = samples::<Point>(&mut rng, 20_000, 60.0);
    let boxes = samples::<Obb>(&mut rng, 40_000, 60.0);
    let mut serial = Detector::new().parallel(false);
    let (mut near, mut hits) = (Neighbors::new(), OrderedHits::new());
    serial
        .neighbors(&points, &boxes, 2.0, 9, &mut near)
        .unwrap();
    serial
        .ordered_hits(&boxes, &points, usize::MAX, &mut hits)
        .unwrap();
    let expected = (near.clone(), hits.clone());
    assert!(near.count() > 20_000 && hits.count() > 1000);
    for threads in [1, 2, 3, 7, 16] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let (pool, mut detector) = (pool.build().unwrap(), Detector::new());
        let boxes = boxes.clone();
        for _ in 0..3 {
            pool.install(|| {
                detector
                    .neighbors(&points, &boxes, 2.0, 9, &mut near)
                    .unwrap();
                detector
                    .ordered_hits(&boxes, &points, usize::MAX, &mut hits)
                    .unwrap();
            });
            assert!(near == expected.0 && hits == expected.1, "{threads}");
        }
    }
}

#[test]
fn groups_and_bodies_apply_after_changes() {
    let mut rng = rng("lists in groups");
    let mut a = samples::<Sphere>(&mut rng, 60, 9.0);
    let mut b = samples::<Aabb>(&mut rng, 90, 9.0);
    let mut ground = samples::<HalfSpace>(&mut rng, 3, 9.0);
    ground.set_groups(1, Groups { is: 6, meets: 9 }).unwrap();
    fn admits<A: Shape, B: Shape>(a: &Store<A>, i: u32, b: &Store<B>, j: u32) -> bool {
        let (x, y) = (a.groups(i).unwrap(), b.groups(j).unwrap());
        let (body, other) = (a.body(i).unwrap(), b.body(j).unwrap());
        let meet = x.is & y.meets != 0 && y.is & x.meets != 0;
        meet && (body != other || body == phalanx::NO_BODY)
    }
    let mut detector = Detector::new();
    let (mut near, mut hits) = (Neighbors::new(), OrderedHits::new());
    for round in 0..30 {
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
        let (name, most) = (format!("round {round}"), MOST[round % 5]);
        let all = |i, j| admits(&a, i, &b, j);
        let own = |i, j| i != j && admits(&a, i, &a, j);
        let below = |i, j| admits(&a, i, &ground, j);
        detector.neighbors(&a, &b, 3.0, most, &mut near).unwrap();
        same_neighbors(&near, &by_distances(&a, &b, 3.0, &all), most, &name);
        detector.neighbors(&a, &a, 3.0, most, &mut near).unwrap();
        same_neighbors(&near, &by_distances(&a, &a, 3.0, &own), most, &name);
        detector.ordered_hits(&a, &b, most, &mut hits).unwrap();
        same_hits(&hits, &by_sweeps(&a, &b, 0.0, &all), most, &name);
        detector.ordered_hits(&a, &a, most, &mut hits).unwrap();
        same_hits(&hits, &by_sweeps(&a, &a, 0.0, &own), most, &name);
        detector.ordered_hits(&a, &ground, most, &mut hits).unwrap();
        same_hits(&hits, &by_sweeps(&a, &ground, 0.0, &below), most, &name);
    }
}

/// The pairs of the lists, in the order of the columns, are a list for other queries.
#[test]
fn pairs_of_lists_are_in_the_order_of_the_columns() {
    let mut rng = rng("pairs of lists");
    let a = samples::<Sphere>(&mut rng, 80, 9.0);
    let b = samples::<Obb>(&mut rng, 90, 9.0);
    let (mut detector, mut pairs) = (Detector::new(), vec![Pair::new(9, 9)]);
    let (mut near, mut hits) = (Neighbors::new(), OrderedHits::new());
    detector.ordered_hits(&a, &b, 3, &mut hits).unwrap();
    hits.pairs(&mut pairs);
    let mut sweeps = Sweeps::new();
    detector.sweep(&a, &b, &pairs, &mut sweeps).unwrap();
    assert!(sweeps.count() == hits.count() && hits.count() > 50);
    assert_eq!((sweeps.enter(), sweeps.exit()), (hits.enter(), hits.exit()));
    detector.neighbors(&a, &b, 2.0, 3, &mut near).unwrap();
    near.pairs(&mut pairs);
    let mut distances = Distances::new();
    detector
        .distance(&a, &b, Pairs::from(&pairs), &mut distances)
        .unwrap();
    assert_eq!(
        (distances.lower(), distances.upper()),
        (near.lower(), near.upper())
    );
    assert!(near.count() > 50 && near.is_hit(0) && !near.is_hit(99));
    assert_eq!((near.of(99).len(), hits.of(usize::MAX).len()), (0, 0));

    let (index, upper) = (near.index().to_vec(), near.upper().to_vec());
    let columns = near.clone().into_columns();
    assert_eq!((columns.index, columns.upper), (index, upper));
    assert_eq!(columns.lower, near.lower());
    assert_eq!(columns.offsets, near.offsets());
    let columns = hits.clone().into_columns();
    assert_eq!(
        (columns.enter, columns.exit),
        (hits.enter().to_vec(), hits.exit().to_vec())
    );
    assert_eq!(OrderedHits::new().offsets(), [0]);
}

#[test]
fn refused_calls_change_nothing() {
    let mut rng = rng("refused lists");
    let points = samples::<Point>(&mut rng, 20, 3.0);
    let spheres = samples::<Sphere>(&mut rng, 20, 3.0);
    let (mut detector, mut near) = (Detector::new(), Neighbors::new());
    detector
        .neighbors(&points, &spheres, 1.0, 5, &mut near)
        .unwrap();
    let before = near.clone();
    for radius in [-1.0, f32::NAN, f32::INFINITY, 2.0 * phalanx::MAX_LENGTH] {
        let refused = detector.neighbors(&points, &spheres, radius, 5, &mut near);
        assert!(matches!(refused, Err(Error::BadRadius { .. })), "{radius}");
    }
    detector.set_margin(0.5).unwrap();
    let refused = detector.neighbors(&points, &spheres, 1.0, 5, &mut near);
    assert!(matches!(refused, Err(Error::MarginNotAllowed { .. })));
    assert!(near == before && near.count() > 0);
}

#[test]
fn a_strict_detector_names_the_invalid_shape() {
    let bad = Sphere::new([0.0; 3], -1.0);
    let spheres = Store::from_slice(&[Sphere { radius: 1.0, ..bad }, bad]);
    let mut points = Store::new();
    points.push_moving(Point::new([3.0, 0.0, 0.0]), [-3.0, 0.0, 0.0]);
    let mut detector = Detector::new().strict(true);
    let (mut near, mut hits) = (Neighbors::new(), OrderedHits::new());
    for refused in [
        detector.neighbors(&points, &spheres, 9.0, 3, &mut near),
        detector.ordered_hits(&points, &spheres, 3, &mut hits),
    ] {
        assert!(
            matches!(
                refused,
                Err(Error::InvalidShape {
                    is_second: true,
                    index: 1,
                    ..
                })
            ),
            "{refused:?}"
        );
    }
    // Written even then.
    assert_eq!((near.index(), hits.index()), (&[0][..], &[0][..]));
}

#[test]
fn columns_make_the_same_results() -> Result<(), Error> {
    let mut rng = rng("columns");
    let mut spheres = Spheres::new();
    for i in 0..150 {
        let radius = if i % 29 == 3 { f32::NAN } else { 0.4 };
        let center = [(); 3].map(|()| rng.random_range(-3.0..3.0));
        spheres.push_moving(Sphere { center, radius }, [1.0, 0.0, 0.0]);
    }
    let mut detector = Detector::new();
    let (mut nearest, mut near) = (Nearest::new(), Neighbors::new());
    let (mut firsts, mut hits, mut any) = (FirstHits::new(), OrderedHits::new(), Overlaps::new());
    for count in [0, 1, 64, 65, 150] {
        let part = Spheres::from_slice(&spheres.iter().take(count).collect::<Vec<_>>());
        detector.nearest(&part, &spheres, 0.5, &mut nearest)?;
        detector.neighbors(&part, &spheres, 0.5, 4, &mut near)?;
        detector.first_hits(&part, &spheres, &mut firsts)?;
        detector.ordered_hits(&part, &spheres, 3, &mut hits)?;
        detector.meets_any(&part, &spheres, During::Start, &mut any)?;
        assert!(Nearest::from_columns(nearest.clone().into_columns())? == nearest);
        assert!(Neighbors::from_columns(near.clone().into_columns())? == near);
        assert!(FirstHits::from_columns(1, firsts.clone().into_columns())? == firsts);
        assert!(OrderedHits::from_columns(hits.clone().into_columns())? == hits);
        assert!(Overlaps::from_words(count, any.clone().into_words())? == any);
    }
    Ok(())
}

#[test]
fn columns_of_other_lengths_are_errors() -> Result<(), Error> {
    let columns = || NeighborColumns {
        offsets: vec![0, 1, 1],
        index: vec![7],
        lower: vec![0.0],
        upper: vec![1.0],
        invalid: vec![u64::MAX],
    };
    // Bits past the last shape are ignored.
    let lists = Neighbors::from_columns(columns())?;
    assert_eq!(lists.iter_invalid().collect::<Vec<_>>(), [0, 1]);
    let bad = |change: fn(&mut NeighborColumns)| {
        let mut columns = columns();
        change(&mut columns);
        Neighbors::from_columns(columns).unwrap_err().to_string()
    };
    assert_eq!(
        bad(|it| it.lower.push(0.0)),
        "column 2 of results has length 2, not 1"
    );
    assert_eq!(
        bad(|it| it.upper.clear()),
        "column 3 of results has length 0, not 1"
    );
    assert_eq!(
        bad(|it| it.invalid.push(0)),
        "column 4 of results has length 2, not 1"
    );
    let ascend = "offsets ascend from 0 to the number of entries, 1";
    assert_eq!(
        bad(|it| it.offsets[0] = 1),
        format!("offset 0 is 1: {ascend}")
    );
    assert_eq!(
        bad(|it| it.offsets[1] = 2),
        format!("offset 1 is 2: {ascend}")
    );
    assert_eq!(
        bad(|it| it.offsets[2] = 0),
        format!("offset 2 is 0: {ascend}")
    );
    assert_eq!(
        bad(|it| it.offsets.clear()),
        format!("offset 0 is 0: {ascend}")
    );
    Ok(())
}
