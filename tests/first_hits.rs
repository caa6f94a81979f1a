//! First hits equal those of sweeps of all pairs, bit for bit, for any tree, lane count and thread count. So do any
//! hits and the pairs along paths.

mod common;
mod harness;
mod oracle;

use common::scenes::{SCENES, build, inside, samples};
use common::{Sample, Setting, cases, rng};
use harness::contact::contact;
use harness::{KernelCase, QueryRunner, cells};
use phalanx::traits::{Bounded, Overlap, Shape, Sweep};
use phalanx::{
    Aabb, Detector, During, Error, FirstHits, HalfSpace, Overlaps, Pair, Pairs, Point, SceneHit,
    Simd, Sphere, Store, Sweeps, TimeInterval, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;

/// A hit: index of `a`, index of `b`, and the bits of both times.
type Hit = (u32, u32, [u32; 2]);

fn bits(time: TimeInterval) -> [u32; 2] {
    [time.enter, time.exit].map(f32::to_bits)
}

/// The first hits by a sweep of all pairs. Within one store, no shape is a pair with itself.
fn by_sweeps<A, B>(detector: &mut Detector, a: &Store<A>, b: &Store<B>, is_own: bool) -> Vec<Hit>
where
    A: Sweep<B>,
    B: Shape,
{
    let mut sweeps = Sweeps::new();
    let mut hits = Vec::new();
    // Few shapes of `a` at a time, because lists of all pairs are long.
    for first in (0..a.len() as u32).step_by(256) {
        let last = (first + 256).min(a.len() as u32);
        let all: Vec<Pair> = (first..last)
            .flat_map(|a| (0..b.len() as u32).map(move |b| Pair::new(a, b)))
            .filter(|pair| !(is_own && pair.a == pair.b))
            .collect();
        detector.sweep(a, b, &all, &mut sweeps).unwrap();
        let firsts = sweeps.first_hits(&all).unwrap();
        let hit = |first: &phalanx::FirstHit| (first.pair.a, first.pair.b, bits(first.time));
        hits.extend(firsts.iter().map(hit));
    }
    hits
}

fn found(firsts: &FirstHits) -> Vec<Hit> {
    let hit = |hit: SceneHit| (hit.a, hit.b, bits(hit.time));
    firsts.iter().map(hit).collect()
}

/// Compares without printing thousands of hits.
fn same(said: &[Hit], expected: &[Hit], name: &str) {
    let differ = said.iter().zip(expected).find(|(said, hit)| said != hit);
    assert!(
        said == expected,
        "{name}: {} hits, not {}; first difference {differ:?}",
        said.len(),
        expected.len()
    );
}

/// The shapes of `a` with an overlap, in words.
fn by_overlaps<A, B>(detector: &mut Detector, a: &Store<A>, b: &Store<B>, is_own: bool) -> Vec<u64>
where
    A: Overlap<B>,
    B: Shape,
{
    let (mut words, mut overlaps) = (vec![0; a.len().div_ceil(64)], Overlaps::new());
    for i in 0..a.len() as u32 {
        let pairs = Pairs::one_to_all(i);
        detector.overlap(a, b, pairs, &mut overlaps).unwrap();
        if overlaps.iter().any(|k| !(is_own && k == i as usize)) {
            words[i as usize / 64] |= 1 << (i % 64);
        }
    }
    words
}

/// First hits and any hits of `a` in `b`, on all lane counts, with and without cached trees.
fn check<A, B>(name: &str, a: &Store<A>, b: &Store<B>, margin: f32) -> usize
where
    A: Bounded + Sweep<B> + Overlap<B>,
    B: Shape,
{
    let mut expected = None;
    let mut at_start = None;
    let invalid = |i: &u32| a.validate_one(*i);
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd).margin(margin).unwrap();
        let expected = expected.get_or_insert_with(|| by_sweeps(&mut detector, a, b, false));
        let at_start = at_start.get_or_insert_with(|| by_overlaps(&mut detector, a, b, false));
        let (a, b) = (a.clone(), b.clone());
        let (mut firsts, mut any) = (FirstHits::new(), Overlaps::new());
        for round in 0..6 {
            let counts = detector.first_hits(&a, &b, &mut firsts).unwrap();
            let name = format!("{name}, {simd}, margin {margin}, round {round}");
            same(&found(&firsts), expected, &name);
            assert_eq!(firsts.len(), a.len(), "{name}");
            assert_eq!(counts.a, firsts.invalid_count(), "{name}");
            assert_eq!(counts.a, (0..a.len() as u32).filter(invalid).count());

            let during = [During::Frame, During::Way][round % 2];
            let counts = detector.meets_any(&a, &b, during, &mut any).unwrap();
            assert!(
                any.iter().eq(firsts.iter().map(|hit| hit.a as usize)),
                "{name}"
            );
            assert!(any.iter_invalid().eq(firsts.iter_invalid()), "{name}");
            assert_eq!(counts.a, firsts.invalid_count(), "{name}");
            let counts = detector.meets_any(&a, &b, During::Start, &mut any).unwrap();
            assert!(any.words() == *at_start, "{name}: overlaps of any");
            assert_eq!(
                (any.len(), counts.a),
                (a.len(), any.invalid_count()),
                "{name}"
            );
        }
    }
    expected.map_or(0, |expected| expected.len())
}

/// Pairs along the paths of `a` in `b`: each pair separately, without a tree, and all pairs that a sweep reports.
/// Returns the number of pairs.
fn check_way<A, B>(name: &str, a: &Store<A>, b: &Store<B>, margin: f32) -> usize
where
    A: Bounded + Sweep<B>,
    B: Bounded,
{
    fn one<T: Shape>(store: &Store<T>, index: u32) -> Store<T> {
        let mut one = Store::new();
        let (shape, motion) = (store.get(index), store.displacement(index));
        one.push_moving(shape.unwrap(), motion.unwrap());
        one
    }
    let mut alone = Detector::new().margin(margin).unwrap();
    let (mut pairs, mut expected) = (Vec::new(), Vec::new());
    let others: Vec<_> = (0..b.len() as u32).map(|j| one(b, j)).collect();
    for i in 0..a.len() as u32 {
        let own = one(a, i);
        for (other, j) in others.iter().zip(0..) {
            alone
                .candidates(&own, other, During::Way, &mut pairs)
                .unwrap();
            expected.extend(pairs.iter().map(|_| Pair::new(i, j)));
        }
    }
    let all: Vec<Pair> = (0..a.len() as u32)
        .flat_map(|i| (0..b.len() as u32).map(move |j| Pair::new(i, j)))
        .collect();
    let mut sweeps = Sweeps::new();
    alone.sweep(a, b, &all, &mut sweeps).unwrap();
    for (position, _) in sweeps.iter() {
        let pair = all[position];
        assert!(
            expected.binary_search(&pair).is_ok(),
            "{name}: {pair:?} is missing"
        );
    }
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd).margin(margin).unwrap();
        let (a, b) = (a.clone(), b.clone());
        for round in 0..6 {
            detector
                .candidates(&a, &b, During::Way, &mut pairs)
                .unwrap();
            let (said, listed) = (pairs.len(), expected.len());
            assert!(
                pairs == expected,
                "{name}, {simd}, round {round}: {said} pairs, not {listed}"
            );
        }
    }
    expected.len()
}

#[test]
fn pairs_on_the_way_are_decided_by_no_tree() {
    fn cell<A: Bounded + Sweep<B> + Overlap<B> + Sample, B: Bounded + Sample>(name: &str) {
        let mut rng = rng(&format!("{name}, on the way"));
        let a = samples::<A>(&mut rng, 60, 12.0);
        let b = samples::<B>(&mut rng, 70, 12.0);
        for margin in [0.0, 0.05] {
            let listed = check_way(name, &a, &b, margin);
            assert!(listed > 20, "{name}: {listed} pairs");
        }
    }
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(each!(@ $file, $verb, $($shape),+);)*
        };
        (@ $file:ident, overlap, $($shape:ident),+) => {};
        (@ $file:ident, sweep, $a:ident, Plane) => {};
        (@ $file:ident, sweep, $a:ident, HalfSpace) => {};
        (@ $file:ident, sweep, $a:ident) => {
            cell::<phalanx::$a, phalanx::$a>(stringify!($file));
        };
        (@ $file:ident, sweep, $a:ident, $b:ident) => {
            cell::<phalanx::$a, phalanx::$b>(stringify!($file));
            cell::<phalanx::$b, phalanx::$a>(stringify!($file));
        };
    }
    phalanx::kernels!(each);
    for (name, scene) in SCENES {
        let mut rng = rng(&format!("{name}, on the way"));
        let a = build(&mut rng, scene, 100, false);
        let rays = rays(&mut rng, &a, 60);
        check_way(name, &rays, &a, 0.0);
        check_way(name, &a, &build(&mut rng, scene, 40, false), 0.01);
    }
}

/// Within one store a pair is listed once, the lower index first, by the path of the lower index.
#[test]
fn pairs_on_the_way_within_a_store_are_listed_once() {
    let mut rng = rng("on the way within");
    let a = samples::<Sphere>(&mut rng, 400, 12.0);
    let (mut detector, mut pairs, mut expected) = (Detector::new(), Vec::new(), Vec::new());
    detector
        .candidates(&a, &a.clone(), During::Way, &mut expected)
        .unwrap();
    expected.retain(|pair| pair.a < pair.b);
    assert!(expected.len() > 100);
    for _ in 0..4 {
        detector
            .candidates(&a, &a, During::Way, &mut pairs)
            .unwrap();
        assert!(
            pairs == expected,
            "{} pairs, not {}",
            pairs.len(),
            expected.len()
        );
    }
}

/// Searches build a tree with smaller nodes, which `candidates` also traverses.
#[test]
fn candidates_by_the_tree_of_searches_are_the_same() {
    for (name, scene) in SCENES {
        let mut rng = rng(&format!("{name}, trees of searches"));
        for len in [7, 64, 65, 700] {
            let a = build(&mut rng, scene, len, len == 64);
            let b = build(&mut rng, scene, len, len == 65);
            let (mut detector, during) = (Detector::new(), During::Frame);
            let (mut pairs, mut within, mut expected) = (Vec::new(), Vec::new(), Vec::new());
            detector
                .candidates(&a.clone(), &b.clone(), during, &mut expected)
                .unwrap();
            let copy = a.clone();
            detector
                .candidates(&copy, &copy, during, &mut within)
                .unwrap();
            let mut firsts = FirstHits::new();
            for _ in 0..6 {
                detector.first_hits(&a, &b, &mut firsts).unwrap();
                detector.first_hits(&b, &a, &mut firsts).unwrap();
            }
            detector.candidates(&a, &b, during, &mut pairs).unwrap();
            assert!(
                pairs == expected,
                "{name}, {len}: {} pairs, not {}",
                pairs.len(),
                expected.len()
            );
            detector.candidates(&a, &a, during, &mut pairs).unwrap();
            assert!(
                pairs == within,
                "{name}, {len}: {} pairs, not {}",
                pairs.len(),
                within.len()
            );
        }
    }
}

/// A long ray has few pairs.
#[test]
fn long_ray_has_only_the_pairs_along_it() {
    let row = |k: u32| {
        Aabb::from_center_half_extents([0, 1, 2].map(|i| (k / 10u32.pow(i) % 10) as f32), [0.2; 3])
    };
    let boxes: Store<Aabb> = (0..1000).map(row).collect();
    let mut ray = Store::new();
    ray.push_moving(Point { position: [0.0; 3] }, [9.0; 3]);
    let (mut detector, mut pairs) = (Detector::new(), Vec::new());
    detector
        .candidates(&ray, &boxes, During::Frame, &mut pairs)
        .unwrap();
    assert_eq!(pairs.len(), 1000);
    detector
        .candidates(&ray, &boxes, During::Way, &mut pairs)
        .unwrap();
    assert!(pairs.iter().map(|pair| pair.b).eq((0..1000).step_by(111)));
}

/// Whether a shape or its motion is invalid.
trait ValidateOne {
    fn validate_one(&self, index: u32) -> bool;
}

impl<T: Shape> ValidateOne for Store<T> {
    fn validate_one(&self, index: u32) -> bool {
        let (mut one, i) = (Store::new(), index);
        one.push_moving(self.get(i).unwrap(), self.displacement(i).unwrap());
        one.validate().is_err()
    }
}

#[test]
fn every_cell_finds_what_a_sweep_of_all_pairs_finds() {
    fn cell<A: Bounded + Sweep<B> + Overlap<B> + Sample, B: Shape + Sample>(name: &str) {
        let mut rng = rng(&format!("{name}, first hits"));
        let (a, b) = (
            samples::<A>(&mut rng, 150, 12.0),
            samples::<B>(&mut rng, 200, 12.0),
        );
        for margin in [0.0, 0.05] {
            let hits = check(name, &a, &b, margin);
            // Few rays hit a triangle, which has no thickness.
            let least = if name.starts_with("point_triangle") {
                3
            } else {
                20
            };
            assert!(hits > least, "{name}: {hits} hits");
        }
    }
    fn own<A: Bounded + Sweep<A> + Overlap<A> + Sample>(name: &str) {
        let mut rng = rng(&format!("{name}, first hits within"));
        let a = samples::<A>(&mut rng, 300, 12.0);
        let (mut detector, mut firsts) = (Detector::new(), FirstHits::new());
        let expected = by_sweeps(&mut detector, &a, &a, true);
        let at_start = by_overlaps(&mut detector, &a, &a, true);
        let mut any = Overlaps::new();
        for _ in 0..4 {
            detector.first_hits(&a, &a, &mut firsts).unwrap();
            same(&found(&firsts), &expected, name);
            detector.meets_any(&a, &a, During::Frame, &mut any).unwrap();
            assert!(
                any.iter().eq(firsts.iter().map(|hit| hit.a as usize)),
                "{name}"
            );
            detector.meets_any(&a, &a, During::Start, &mut any).unwrap();
            assert!(any.words() == at_start, "{name}");
        }
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

/// Rays across a scene, short and long.
fn rays(rng: &mut StdRng, scene: &Store<Aabb>, len: usize) -> Store<Point> {
    let mut rays = Store::new();
    for i in 0..len {
        let mut end = || {
            scene
                .get(rng.random_range(0..scene.len() as u32))
                .unwrap()
                .min
        };
        let (from, to) = (end(), end());
        let part = if i % 2 == 0 { 1.0 } else { 0.01 };
        let motion = [0, 1, 2].map(|k| (to[k] - from[k]) * part);
        rays.push_moving(Point { position: from }, motion);
    }
    rays
}

#[test]
fn every_scene_has_the_first_hits_of_all_pairs() {
    for (name, scene) in SCENES {
        let mut rng = rng(&format!("{name}, first hits"));
        let most = if cases() < 10_000 { 300 } else { 1500 };
        for len in [1, 9, 65, 600.min(most), most] {
            let a = build(&mut rng, scene, len, len == 600);
            let b = build(&mut rng, scene, len / 3, len == 600);
            let hits = check(name, &a, &b, 0.0);
            let back = check(name, &b, &a, 0.01);
            let rays = check(name, &rays(&mut rng, &a, 300), &a, 0.0);
            println!("{name}, {len}: {hits}, {back}, {rays}");
        }
    }
}

/// Hills of two triangles a square, with so many squares along a side.
fn hills(side: usize, size: f32) -> Store<Triangle> {
    let corner = |i: usize, k: usize| {
        let [x, y] = [i, k].map(|k| k as f32 * size / side as f32);
        [x, y, (x * 0.9).sin() + (y * 1.1).cos()]
    };
    let mut triangles = Store::new();
    for (i, k) in (0..side).flat_map(|i| (0..side).map(move |k| (i, k))) {
        let [a, b, c, d] =
            [(i, k), (i + 1, k), (i, k + 1), (i + 1, k + 1)].map(|(i, k)| corner(i, k));
        triangles.push(Triangle::new(a, b, c));
        triangles.push(Triangle::new(b, d, c));
    }
    triangles
}

/// Shapes that go from one place to a grid of places, row by row.
fn fan<A: Shape>(
    shape: impl Fn([f32; 3]) -> A,
    from: [f32; 3],
    to: [[f32; 2]; 2],
    rows: usize,
) -> Store<A> {
    let mut shapes = Store::new();
    for (i, k) in (0..rows).flat_map(|i| (0..rows).map(move |k| (i, k))) {
        let [x, y] = [(k, to[0]), (i, to[1])]
            .map(|(k, [low, high])| low + (high - low) * k as f32 / rows as f32);
        shapes.push_moving(shape(from), [x - from[0], y - from[1], -from[2] - 3.0]);
    }
    shapes
}

/// Neighbours in a list descend the tree together, unless they find too little there.
#[test]
fn neighbours_find_what_each_finds_alone() {
    let point = |at: [f32; 3]| Point::new(at);
    let sphere = |at: [f32; 3]| Sphere::new(at, 0.05);
    // Within the level, and far above it: ways then begin at different times.
    for (from, side, rows) in [
        ([8.0, 9.0, 1.5], 24, 48),
        ([8.0, -30.0, 60.0], 24, 48),
        ([9.0, 8.0, 4.0], 96, 40),
    ] {
        let level = hills(side, 20.0);
        let mut rays = fan(point, from, [[0.0, 20.0], [0.0, 20.0]], rows);
        // Some are invalid, some go elsewhere, some stay.
        for i in (0..rays.len() as u32).step_by(37) {
            let displacement = match i % 3 {
                0 => [f32::NAN; 3],
                1 => [0.0; 3],
                _ => [1.0, -2.0, 30.0],
            };
            rays.set_displacement(i, displacement).unwrap();
        }
        for margin in [0.0, 0.01] {
            let hits = check("points side by side", &rays, &level, margin);
            assert!(hits > rays.len() / 2, "{hits} hits");
        }
        let bullets = fan(sphere, from, [[3.0, 12.0], [2.0, 9.0]], rows);
        let hits = check("spheres side by side", &bullets, &level, 0.0);
        assert!(hits > bullets.len() / 2, "{hits} hits");
    }
}

/// Pairs within ulps of contact.
#[test]
fn near_contact_no_first_hit_is_lost() {
    fn cell<C: KernelCase>() -> usize
    where
        C::A: Bounded + Sweep<C::B>,
    {
        let mut rng = rng(&format!("{}, first hits", C::NAME));
        let (mut asker, mut hits) = (QueryRunner::<C>::default(), 0);
        for _ in 0..(cases() / 20).max(300) {
            let Some(contact) = contact(&mut rng, &mut asker) else {
                continue;
            };
            let (mut a, mut b) = (Store::new(), Store::new());
            for &(shape, displacement) in &contact.a {
                a.push_moving(shape, displacement);
            }
            for &(shape, displacement) in &contact.b {
                b.push_moving(shape, displacement);
            }
            let mut detector = Detector::new().margin(contact.margin).unwrap();
            let expected = by_sweeps(&mut detector, &a, &b, false);
            let mut firsts = FirstHits::new();
            detector.first_hits(&a, &b, &mut firsts).unwrap();
            same(&found(&firsts), &expected, C::NAME);
            hits += expected.len();
        }
        hits
    }
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(each!(@ $file, $verb, $($shape),+);)*
        };
        (@ $file:ident, overlap, $($shape:ident),+) => {};
        (@ $file:ident, sweep, $($shape:ident),+) => {
            let hits = cell::<cells::$file>();
            println!("{}: {hits} hits", stringify!($file));
            assert!(hits > 200, "{}: {hits}", stringify!($file));
        };
    }
    phalanx::kernels!(each);
}

/// Shapes with arbitrary bits or arbitrary numbers.
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
    let mut rng = rng("strange first hits");
    let mut hits = 0;
    for _ in 0..4 {
        let points = strange::<Point>(&mut rng, 300);
        let mut spheres = strange::<Sphere>(&mut rng, 300);
        for i in 0..300 {
            let sphere = spheres.get(i).unwrap();
            let radius = sphere.radius.abs();
            spheres.set(i, Sphere { radius, ..sphere }).unwrap();
        }
        let mut boxes = strange::<Aabb>(&mut rng, 300);
        for i in 0..300 {
            let Aabb { min, max } = boxes.get(i).unwrap();
            let [low, high] = [f32::min, f32::max].map(|f| [0, 1, 2].map(|k| f(min[k], max[k])));
            boxes
                .set(
                    i,
                    Aabb {
                        min: low,
                        max: high,
                    },
                )
                .unwrap();
        }
        hits += check("points and spheres", &points, &spheres, 0.0);
        hits += check("points and boxes", &points, &boxes, 1e-30);
        hits += check("spheres and boxes", &spheres, &boxes, 0.0);
        hits += check("boxes", &boxes, &boxes.clone(), 1e10);
    }
    assert!(hits > 1000, "{hits}");
}

#[cfg(all(feature = "rayon", not(target_family = "wasm")))]
#[test]
fn any_number_of_threads_finds_the_same() {
    let mut rng = rng("first hits on threads");
    let scene = |rng: &mut StdRng, i: usize| {
        let half = if i.is_multiple_of(1000) { 5.0 } else { 0.5 };
        Aabb::from_center_half_extents(inside(rng, 60.0), [half; 3])
    };
    let b = build(&mut rng, scene, 40_000, true);
    let ends = build(&mut rng, scene, 1000, false);
    let rays = rays(&mut rng, &ends, 20_000);
    let mut firsts = FirstHits::new();
    let mut serial = Detector::new().parallel(false);
    serial.first_hits(&rays, &b, &mut firsts).unwrap();
    let expected = found(&firsts);
    assert!(expected.len() > 5000);
    let (mut pairs, mut listed) = (Vec::new(), Vec::new());
    serial
        .candidates(&rays, &b, During::Way, &mut listed)
        .unwrap();
    assert!(listed.len() > expected.len() && listed.is_sorted());
    for threads in [1, 2, 3, 4, 7, 8, 16, 32] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let (pool, mut detector) = (pool.build().unwrap(), Detector::new());
        let b = b.clone();
        for _ in 0..3 {
            pool.install(|| detector.first_hits(&rays, &b, &mut firsts).unwrap());
            same(&found(&firsts), &expected, &format!("{threads} threads"));
            let during = During::Way;
            pool.install(|| detector.candidates(&rays, &b, during, &mut pairs).unwrap());
            assert!(
                pairs == listed,
                "{} pairs, not {}",
                pairs.len(),
                listed.len()
            );
        }
    }
}

#[test]
fn of_several_stores_the_earliest_hit_stays_and_the_first_store_wins_ties() {
    let mut rng = rng("several stores");
    let rays = samples::<Point>(&mut rng, 500, 12.0);
    let spheres = samples::<Sphere>(&mut rng, 100, 12.0);
    let boxes = samples::<Aabb>(&mut rng, 100, 12.0);
    let ground = samples::<HalfSpace>(&mut rng, 2, 12.0);
    let (mut detector, mut firsts) = (Detector::new(), FirstHits::new());
    let mut expected: Vec<Option<SceneHit>> = vec![None; 500];
    let mut note = |store: u8, hits: Vec<Hit>| {
        for (a, b, [enter, exit]) in hits {
            let [enter, exit] = [enter, exit].map(f32::from_bits);
            let best = &mut expected[a as usize];
            if best.is_none_or(|best| enter < best.time.enter) {
                let time = TimeInterval { enter, exit };
                *best = Some(SceneHit { a, b, store, time });
            }
        }
    };
    note(0, by_sweeps(&mut detector, &rays, &spheres, false));
    note(1, by_sweeps(&mut detector, &rays, &boxes, false));
    note(3, by_sweeps(&mut detector, &rays, &ground, false));
    detector.first_hits(&rays, &spheres, &mut firsts).unwrap();
    detector.nearer_hits(&rays, &boxes, &mut firsts).unwrap();
    // Searching the same store again changes nothing, because every hit ties.
    detector.nearer_hits(&rays, &boxes, &mut firsts).unwrap();
    detector.nearer_hits(&rays, &ground, &mut firsts).unwrap();
    let said: Vec<_> = (0..500).map(|i| firsts.get(i)).collect();
    assert_eq!(said, expected);
    let mut pairs = vec![Pair::new(9, 9)];
    for store in [0, 1, 2, 3] {
        firsts.pairs(store, &mut pairs);
        let hits = expected.iter().flatten().filter(|hit| hit.store == store);
        assert!(
            pairs
                .iter()
                .eq(&hits.map(|hit| Pair::new(hit.a, hit.b)).collect::<Vec<_>>())
        );
        assert_eq!(pairs.is_empty(), store == 2, "store {store}");
    }
}

#[test]
fn refused_calls_change_nothing() {
    let mut rng = rng("refused");
    let rays = samples::<Point>(&mut rng, 20, 3.0);
    let spheres = samples::<Sphere>(&mut rng, 20, 3.0);
    let (mut detector, mut firsts) = (Detector::new(), FirstHits::new());
    detector.first_hits(&rays, &spheres, &mut firsts).unwrap();
    let before = firsts.clone();
    let fewer = samples::<Point>(&mut rng, 19, 3.0);
    let error = detector.nearer_hits(&fewer, &spheres, &mut firsts);
    assert_eq!(
        error.unwrap_err().to_string(),
        "first hits have 20 shapes, but the first store has 19"
    );
    assert!(firsts == before);
    for _ in 1..FirstHits::MAX_STORES {
        detector.nearer_hits(&rays, &spheres, &mut firsts).unwrap();
    }
    let full = firsts.clone();
    let error = detector.nearer_hits(&rays, &spheres, &mut firsts);
    assert_eq!(error, Err(Error::TooManyStores));
    assert!(firsts == full);
}

#[test]
fn a_strict_detector_names_the_invalid_shape() {
    let sphere = |radius| Sphere {
        center: [0.0; 3],
        radius,
    };
    let mut rays = Store::<Point>::new();
    rays.push_moving(
        Point {
            position: [9.0, 0.0, 0.0],
        },
        [-9.0, 0.0, 0.0],
    );
    let spheres: Store<Sphere> = [f32::NAN, 1.0].map(sphere).into_iter().collect();
    let bad = HalfSpace {
        normal: [f32::NAN; 3],
        d: 0.0,
    };
    let spaces: Store<HalfSpace> = [bad].into_iter().collect();
    for strict in [false, true] {
        let (mut detector, mut firsts) = (Detector::new().strict(strict), FirstHits::new());
        let said = detector.first_hits(&rays, &spheres, &mut firsts);
        assert_eq!(firsts.get(0).map(|hit| hit.b), Some(1));
        match said {
            Ok(invalid) => assert_eq!((strict, invalid.a, invalid.b), (false, 0, 1)),
            Err(error) => {
                let text = error.to_string();
                assert!(
                    strict && text.contains("shape 0 of the second store"),
                    "{text}"
                );
            }
        }
        let said = detector.first_hits(&rays, &spaces, &mut firsts);
        assert_eq!((firsts.count(), firsts.len()), (0, 1));
        match said {
            Ok(invalid) => assert_eq!((strict, invalid.b), (false, 1)),
            Err(error) => assert!(strict && matches!(error, Error::InvalidShape { .. })),
        }
    }
    // Empty stores.
    let (mut detector, mut firsts) = (Detector::new(), FirstHits::new());
    detector
        .first_hits(&Store::<Point>::new(), &spheres, &mut firsts)
        .unwrap();
    assert!(firsts.is_empty() && firsts.iter().next().is_none());
    detector
        .first_hits(&rays, &Store::<Sphere>::new(), &mut firsts)
        .unwrap();
    assert_eq!((firsts.len(), firsts.count()), (1, 0));
}

/// Stores that change at random, and a detector that caches trees and orders.
#[test]
fn changes_are_seen() {
    let mut rng = rng("first hits of changing stores");
    let (mut a, mut b) = (
        samples::<Sphere>(&mut rng, 60, 9.0),
        samples::<Aabb>(&mut rng, 90, 9.0),
    );
    let (mut detector, mut firsts) = (Detector::new(), FirstHits::new());
    let setting = Setting::ordinary();
    for round in 0..300 {
        match rng.random_range(0..8) {
            0 => {
                let by = inside(&mut rng, 9.0).map(|x| x + 100.0);
                let motion = setting.motion(&mut rng).map(|x| x % 5.0);
                a.push_moving(Sphere::sample(&mut rng, &setting).moved(by), motion);
            }
            1 => {
                let by = inside(&mut rng, 9.0).map(|x| x + 100.0);
                let i = rng.random_range(0..b.len() as u32);
                b.set(i, Aabb::sample(&mut rng, &setting).moved(by))
                    .unwrap();
            }
            2 => {
                let i = rng.random_range(0..b.len() as u32);
                b.set_displacement(i, setting.motion(&mut rng).map(|x| x % 5.0))
                    .unwrap();
            }
            3 => {
                let mut pairs = Vec::new();
                let during = phalanx::During::Frame;
                detector.candidates(&a, &b, during, &mut pairs).unwrap();
            }
            4 => detector.shrink(),
            _ => {}
        }
        detector.first_hits(&a, &b, &mut firsts).unwrap();
        let expected = by_sweeps(&mut Detector::new(), &a, &b, false);
        same(&found(&firsts), &expected, &format!("round {round}"));
    }
}

/// A static level is searched and listed alternately: searches free memory that lists need, and lists stay cached.
#[test]
fn searches_and_kept_lists_share_a_detector() {
    let mut rng = rng("searches and kept lists");
    let (mut a, b) = (
        samples::<Sphere>(&mut rng, 300, 12.0),
        samples::<Aabb>(&mut rng, 400, 12.0),
    );
    let (mut detector, mut firsts) = (Detector::new().parallel(false), FirstHits::new());
    let (mut pairs, mut expected, mut reused) = (Vec::new(), Vec::new(), 0);
    for frame in 0..80 {
        for x in a.columns_mut().center[0].iter_mut() {
            *x += 1e-4;
        }
        let (copy, level) = (a.clone(), b.clone());
        let mut fresh = Detector::new().parallel(false);
        for during in [During::Start, During::Frame] {
            detector.candidates(&a, &b, during, &mut pairs).unwrap();
            fresh
                .candidates(&copy, &level, during, &mut expected)
                .unwrap();
            assert!(pairs == expected, "frame {frame}, {during:?}");
            reused += pairs.len();
            if frame % 3 != 1 {
                detector.first_hits(&a, &b, &mut firsts).unwrap();
                let expected = by_sweeps(&mut fresh, &copy, &level, false);
                same(&found(&firsts), &expected, &format!("frame {frame}"));
            }
        }
    }
    assert!(reused > 10_000);
}

/// Sweeps read no turns, so searches do not either: an invalid turn hides nothing, and a valid one widens nothing.
#[test]
fn searches_by_time_ignore_turns() {
    let mut rays = Store::<Point>::new();
    rays.push_moving(Point::new([-5.0, 0.0, 0.0]), [10.0, 0.0, 0.0]);
    rays.push_moving(Point::new([-5.0, 1.1, 0.0]), [10.0, 0.0, 0.0]);
    let unit = phalanx::Obb::new([0.0; 3], [1.0; 3], [0.0, 0.0, 0.0, 1.0]);
    for turn in [0.0, 1.0, 3.2, f32::NAN, f32::INFINITY] {
        let mut boxes = phalanx::Obbs::new();
        boxes.push_turning(unit, [0.0; 3], [0.0, 0.0, turn]);
        let corners = [0, 1, 2, 3].map(|k| [0, 1, 2].map(|axis| (k * axis % 3) as f32 - 1.0));
        let mut hulls = phalanx::Hulls::default();
        let kind = hulls.add_kind(&corners).unwrap();
        let hull = phalanx::Hull::new(kind, [0.0; 3], [0.0, 0.0, 0.0, 1.0]);
        hulls
            .push_turning(hull, [0.0; 3], [0.0, 0.0, turn])
            .unwrap();
        turns_are_ignored(&rays, &boxes);
        turns_are_ignored(&rays, &hulls);
        turns_are_ignored(&boxes, &rays);
    }
}

fn turns_are_ignored<A: phalanx::Shapes, B: phalanx::Shapes>(a: &A, b: &B)
where
    A::Shape: Bounded + Sweep<B::Shape>,
{
    let (mut detector, mut sweeps) = (Detector::new(), Sweeps::new());
    let (mut firsts, mut any) = (FirstHits::new(), Overlaps::new());
    let [a_len, b_len] = [a.view().len() as u32, b.view().len() as u32];
    let pairs: Vec<_> = (0..a_len)
        .flat_map(|i| (0..b_len).map(move |j| Pair::new(i, j)))
        .collect();
    for _ in 0..4 {
        detector.sweep(a, b, &pairs, &mut sweeps).unwrap();
        assert_eq!(sweeps.count(), 1);
        let expected = sweeps.first_hits(&pairs).unwrap();
        let counts = detector.first_hits(a, b, &mut firsts).unwrap();
        assert!(!counts.any() && firsts.count() == 1);
        let hit = firsts.iter().next().unwrap();
        assert_eq!((hit.a, hit.b, hit.time), {
            let first = expected[0];
            (first.pair.a, first.pair.b, first.time)
        });
        let during = During::Frame;
        let counts = detector.meets_any(a, b, during, &mut any).unwrap();
        assert!(!counts.any() && any.count() == 1 && any.invalid_count() == 0);
    }
}
