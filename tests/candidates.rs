//! Candidates are the pairs whose bounds touch, for every search path, and no contact is outside of bounds.

mod common;
mod harness;
mod oracle;

use common::scenes::{SCENES, build, cube, inside};
use common::{Sample, Setting, cases, rng};
use dashu_int::IBig;
use harness::contact::contact;
use harness::{KernelCase, QueryRunner, cells};
use oracle::exact::Scale;
use phalanx::traits::{Bounded, Overlap};
use phalanx::{
    Aabb, Aabbs, AabbsRef, Capsule, Detector, During, FirstHits, Groups, Hull, Hulls, Mesh,
    Nearest, Obb, Overlaps, Pair, Pairs, Point, PointColumns, PointsRef, Shapes, Simd, Sphere,
    SphereColumns, Spheres, SpheresRef, Store, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;

const BOTH: [During; 2] = [During::Start, During::Frame];

/// The pairs whose bounds touch, found by testing all pairs.
fn brute_force<A: Bounded, B: Bounded>(
    a: &Store<A>,
    b: &Store<B>,
    during: During,
    reach: f32,
) -> Vec<Pair> {
    let (mut bounds_a, mut bounds_b) = (Aabbs::new(), Aabbs::new());
    a.bounds(during, &mut bounds_a);
    b.bounds(during, &mut bounds_b);
    let within = std::ptr::addr_eq(a, b);
    let mut detector = Detector::new().parallel(false).margin(reach).unwrap();
    let (mut overlaps, mut pairs) = (Overlaps::new(), Vec::new());
    for one in 0..a.len() as u32 {
        detector
            .overlap(&bounds_a, &bounds_b, Pairs::one_to_all(one), &mut overlaps)
            .unwrap();
        let hits = overlaps.iter().map(|other| Pair::new(one, other as u32));
        pairs.extend(hits.filter(|pair| !within || pair.a < pair.b));
    }
    pairs
}

/// Maximum gap between the bounds of candidates.
fn reach(margin: f32, growth: f32) -> f32 {
    let reach = margin * growth;
    reach + reach / 2048.0
}

/// Calls on each instruction set, with few threads and many, and expects one list.
#[track_caller]
fn check<A: Bounded, B: Bounded>(
    a: &Store<A>,
    b: &Store<B>,
    during: During,
    margin: f32,
    growth: f32,
) -> Vec<Pair> {
    let expected = brute_force(a, b, during, reach(margin, growth));
    let mut pairs = vec![Pair::new(7, 7)];
    for simd in Simd::available() {
        let detector = Detector::new().parallel(false).simd(simd);
        let mut detector = detector.margin(margin).unwrap();
        // Static stores cache a tree from the second call on.
        for call in 0..3 {
            detector.candidates(a, b, during, &mut pairs).unwrap();
            assert!(
                pairs == expected,
                "{simd}, call {call}, {during:?}: {} pairs, not {}",
                pairs.len(),
                expected.len()
            );
        }
    }
    expected
}

#[test]
fn every_scene_has_the_pairs_of_brute_force() {
    for (name, scene) in SCENES {
        let mut rng = rng(name);
        let dense = name.starts_with("one p") || name == "all overlap" || name == "the smallest";
        // Fewer where CPUs are emulated.
        let most = if cases() < 10_000 { 1000 } else { 5000 };
        for len in [65, 600, if dense { most.min(1500) } else { most }] {
            let a = build(&mut rng, scene, len, len == 600);
            let within = check(&a, &a, During::Frame, 0.0, 1.0);
            let b = build(&mut rng, scene, len / 3, false);
            let between = check(&a, &b, During::Start, 0.0, 1.0);
            check(&b, &a, During::Frame, 0.01, 1.0);
            println!("{name}, {len}: {} and {}", within.len(), between.len());
        }
    }
}

/// Shapes with arbitrary bits or arbitrary numbers.
#[test]
fn no_numbers_are_too_strange() {
    fn strange<T: Bounded>(rng: &mut StdRng, len: usize) -> Store<T> {
        let mut store = Store::new();
        for _ in 0..len {
            let any = rng.random_bool(0.3);
            let mut number = || match any {
                true => f32::from_bits(rng.random()),
                false => 2f32.powi(rng.random_range(-150..64)) * rng.random_range(-1.0..1.0f32),
            };
            let mut shape = T::zeroed();
            let numbers: &mut [f32] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut shape));
            numbers.fill_with(&mut number);
            let motion = [(); 3].map(|()| number());
            if let [.., x, y, z, w] = numbers
                && !any
            {
                // Random numbers rarely make a valid OBB.
                [*x, *y, *z, *w] = [x.abs(), y.abs(), z.abs(), 1.0];
            }
            store.push_moving(shape, motion);
        }
        store
    }
    fn of<T: ExactBounds>(rng: &mut StdRng) -> usize {
        let (a, b) = (strange::<T>(rng, 300), strange::<Aabb>(rng, 200));
        let mut found = 0;
        for during in BOTH {
            found += check(&a, &a, during, 0.0, 1.0).len();
            found += check(&a, &b, during, 1e-30, T::GROWS_BY).len();
        }
        found
    }
    let mut rng = rng("strange numbers");
    for round in 0..4 {
        let mut found = 0;
        macro_rules! each {
            ($($name:ident: $shape:ident, $stores:ident, $bounds:ident;)*) => {
                $(each!(@ $bounds, $shape);)*
            };
            (@ bounded, $shape:ident) => { found += of::<phalanx::$shape>(&mut rng); };
            (@ unbounded, $shape:ident) => {};
        }
        phalanx::shapes!(each);
        println!("round {round}: {found} pairs");
    }
}

#[test]
fn every_number_of_shapes_does() {
    let mut rng = rng("numbers of shapes");
    for len in (0..=70).chain([127, 128, 129, 511, 512, 513, 1025]) {
        let side = (len as f32).cbrt() * 1.3 + 0.1;
        let balls = |rng: &mut StdRng| -> Store<Sphere> {
            let ball = |_| Sphere {
                center: inside(rng, side),
                radius: 0.5,
            };
            (0..len).map(ball).collect()
        };
        let (a, b) = (balls(&mut rng), balls(&mut rng));
        for during in BOTH {
            check(&a, &a, during, 0.0, 1.0);
            check(&a, &b, during, 0.1, 1.0);
        }
        let one = Store::from_slice(&[Sphere {
            center: [0.5; 3],
            radius: 0.7,
        }]);
        check(&a, &one, During::Start, 0.0, 1.0);
        check(&one, &a, During::Start, 0.0, 1.0);
    }
}

#[cfg(all(feature = "rayon", not(target_family = "wasm")))]
#[test]
fn any_number_of_threads_lists_the_same() {
    let mut rng = rng("threads");
    let scene = |rng: &mut StdRng, i: usize| {
        cube(
            inside(rng, 40.0),
            if i.is_multiple_of(1000) { 5.0 } else { 0.5 },
        )
    };
    let a = build(&mut rng, scene, 40_000, true);
    let b = build(&mut rng, scene, 9_000, true);
    let mut expected = [Vec::new(), Vec::new(), Vec::new()];
    let mut serial = Detector::new().parallel(false);
    let list = |detector: &mut Detector, pairs: &mut [Vec<Pair>; 3]| {
        detector
            .candidates(&a, &a, During::Frame, &mut pairs[0])
            .unwrap();
        detector
            .candidates(&a, &b, During::Frame, &mut pairs[1])
            .unwrap();
        detector
            .candidates(&b, &a, During::Start, &mut pairs[2])
            .unwrap();
    };
    list(&mut serial, &mut expected);
    assert!(
        expected
            .iter()
            .all(|pairs| pairs.is_sorted() && pairs.len() > 5000)
    );
    for threads in [1, 2, 3, 4, 7, 8, 16, 32] {
        let pool = pool(threads);
        let (mut detector, mut pairs) = (Detector::new(), <[Vec<Pair>; 3]>::default());
        for _ in 0..3 {
            let (a, b) = (a.clone(), b.clone());
            pool.install(|| {
                detector
                    .candidates(&a, &a, During::Frame, &mut pairs[0])
                    .unwrap();
                detector
                    .candidates(&a, &b, During::Frame, &mut pairs[1])
                    .unwrap();
                detector
                    .candidates(&b, &a, During::Start, &mut pairs[2])
                    .unwrap();
            });
            assert!(pairs == expected, "{threads} threads");
        }
    }
}

#[cfg(all(feature = "rayon", not(target_family = "wasm")))]
fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

#[test]
fn changes_are_seen() {
    let mut rng = rng("changes");
    let (_, scene) = SCENES[0];
    let mut a = build(&mut rng, scene, 900, false);
    let mut b = build(&mut rng, scene, 300, false);
    for change in 0..30u32 {
        check(&a, &a, During::Start, 0.0, 1.0);
        check(&a, &b, During::Frame, 0.0, 1.0);
        match change % 6 {
            0 => a.set(change, cube([5.0; 3], 3.0)).unwrap(),
            1 => b.set_displacement(change, [9.0, 0.0, 0.0]).unwrap(),
            2 => a.columns_mut().max[1][9] += 2.0,
            3 => drop(a.swap_remove(change)),
            4 => drop(b.push(cube([6.0; 3], 1.0))),
            _ => a.truncate(899 - 5 * change as usize),
        }
    }
}

/// Frames of little motion, in which lists are cached, with every change that ends a list now and then.
#[test]
fn frames_change_nothing() {
    for simd in Simd::available() {
        let mut rng = rng("frames");
        let ball = |rng: &mut StdRng| Sphere {
            center: inside(rng, 14.0),
            radius: rng.random_range(0.2..0.5),
        };
        let mut balls: Store<Sphere> = (0..1500).map(|_| ball(&mut rng)).collect();
        let mut level = build(&mut rng, SCENES[0].1, 400, true);
        let speed = |rng: &mut StdRng| [(); 3].map(|()| rng.random_range(-0.004..0.004f32));
        let mut speeds: Vec<[f32; 3]> = (0..2000).map(|_| speed(&mut rng)).collect();
        let detector = || Detector::new().parallel(false).simd(simd).margin(0.03);
        let mut detector_of_frames = detector().unwrap();
        let (mut pairs, mut expected) = (Vec::new(), Vec::new());
        for frame in 0..200u32 {
            let columns = balls.columns_mut();
            for (k, column) in columns.center.into_iter().enumerate() {
                for (x, speed) in column.iter_mut().zip(&speeds) {
                    *x += speed[k];
                }
            }
            // These changes come after lists have lasted for some frames.
            if frame % 41 == 40 {
                let one = ball(&mut rng);
                balls.set(frame, one).unwrap();
            }
            if frame % 53 == 52 {
                balls.truncate(1400);
                balls.extend((0..7 * frame % 300).map(|_| ball(&mut rng)));
            }
            if frame % 29 == 28 {
                let bad = Sphere {
                    radius: f32::NAN,
                    ..ball(&mut rng)
                };
                balls.set(3 * frame, bad).unwrap();
            }
            if frame % 37 == 36 {
                level.set(frame, cube([7.0; 3], 2.0)).unwrap();
            }
            if frame == 120 {
                speeds.iter_mut().flatten().for_each(|x| *x *= 100.0);
            }
            if frame == 140 {
                speeds.iter_mut().flatten().for_each(|x| *x *= -0.001);
            }
            for during in BOTH {
                let mut fresh = detector().unwrap();
                let mut frames = |pairs: &mut Vec<Pair>, expected: &mut Vec<Pair>, which| {
                    for (detector, pairs) in
                        [(&mut detector_of_frames, pairs), (&mut fresh, expected)]
                    {
                        match which {
                            0 => detector.candidates(&balls, &balls, during, pairs),
                            1 => detector.candidates(&balls, &level, during, pairs),
                            _ => detector.candidates(&level, &level.clone(), during, pairs),
                        }
                        .unwrap();
                    }
                };
                for which in 0..3 {
                    frames(&mut pairs, &mut expected, which);
                    assert!(
                        pairs == expected,
                        "{simd}, frame {frame}, {which}, {during:?}"
                    );
                }
            }
            if frame % 50 == 49 {
                check(&balls, &level, During::Start, 0.03, 1.0);
            }
        }
    }
}

#[test]
fn views_of_one_store_are_one_store() {
    let mut rng = rng("views");
    let a = build(&mut rng, SCENES[0].1, 500, false);
    let expected = check(&a, &a, During::Start, 0.0, 1.0);
    let (mut detector, mut pairs) = (Detector::new(), Vec::new());
    let borrowed = AabbsRef::new(a.columns()).unwrap();
    let again = a.view();
    detector
        .candidates(&a, &again, During::Start, &mut pairs)
        .unwrap();
    assert_eq!(pairs, expected);
    detector
        .candidates(&borrowed, &borrowed, During::Start, &mut pairs)
        .unwrap();
    assert_eq!(pairs, expected);
    // A copy is another store: it has each pair in both orders, and each box with its copy.
    let copy = a.clone();
    detector
        .candidates(&a, &copy, During::Start, &mut pairs)
        .unwrap();
    assert_eq!(pairs.len(), 2 * expected.len() + a.len());
    assert_eq!(pairs, check(&a, &copy, During::Start, 0.0, 1.0));
}

/// The pairs of two stores, by the queries that decide whether both are one store.
fn found<A, B>(a: &A, b: &B) -> [Vec<Pair>; 3]
where
    A: Shapes + ?Sized,
    B: Shapes + ?Sized,
    A::Shape: Bounded + Overlap<B::Shape>,
    B::Shape: Bounded,
{
    let mut found = [During::Start, During::Way, During::Start].map(|during| {
        let mut pairs = Vec::new();
        Detector::new()
            .candidates(a, b, during, &mut pairs)
            .unwrap();
        pairs
    });
    Detector::new().touching(a, b, &mut found[2]).unwrap();
    found
}

/// Each pair of `len` shapes that all touch: once for one store, else in both orders and with itself.
fn each_pair(len: u32, is_one_store: bool) -> [Vec<Pair>; 3] {
    let all = (0..len).flat_map(|a| (0..len).map(move |b| Pair::new(a, b)));
    let pairs: Vec<Pair> = all
        .filter(|pair| !is_one_store || pair.a < pair.b)
        .collect();
    [pairs.clone(), pairs.clone(), pairs]
}

#[test]
fn views_of_the_same_columns_are_one_store_wherever_they_come_from() {
    let spheres = Spheres::from_slice(&[Sphere::new([0.0; 3], 1.0); 4]);
    let borrowed = SpheresRef::new(spheres.columns()).unwrap();
    let one = each_pair(4, true);
    assert_eq!(found(&spheres, &borrowed), one);
    assert_eq!(found(&borrowed, &spheres), one);
    let again = SpheresRef::new(spheres.columns()).unwrap();
    assert_eq!(found(&borrowed, &again), one);

    let structs = [Sphere::new([0.0; 3], 1.0); 4];
    let [view, again] = [(); 2].map(|()| SpheresRef::of_structs(&structs).unwrap());
    assert_eq!(found(&view, &again), one);

    let mesh = Mesh::new(
        &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        &[[0, 1, 2]; 4],
    )
    .unwrap();
    assert_eq!(found(&mesh, &mesh.triangles()), one);

    // An empty slice of groups or bodies may be anywhere in memory.
    let groups = [Groups::ALL; 4];
    let [view, again] = [(); 2].map(|()| {
        let view = SpheresRef::new(spheres.columns()).unwrap();
        view.with_groups(&groups).unwrap()
    });
    assert_eq!(found(&view, &again), one);
    let (groups, bodies) = (&groups[..0], &[0; 4][..0]);
    let none = Spheres::new();
    let view = SpheresRef::new(none.columns()).unwrap();
    let view = view
        .with_groups(groups)
        .unwrap()
        .with_bodies(bodies)
        .unwrap();
    assert_eq!(found(&none, &view)[0], []);
}

#[test]
fn views_of_other_shapes_in_the_same_columns_are_two_stores() {
    let mut hulls = Hulls::default();
    let kind = hulls.add_kind(&common::cube(1.0).0).unwrap();
    for _ in 0..4 {
        hulls
            .push(Hull {
                kind,
                ..Hull::default()
            })
            .unwrap();
    }
    let two = each_pair(4, false);
    assert_eq!(found(&hulls, &hulls), each_pair(4, true));
    assert_eq!(found(&hulls.boxes(), &hulls.boxes()), each_pair(4, true));
    assert_eq!(found(&hulls, &hulls.boxes()), two);
    assert_eq!(found(&hulls.boxes(), &hulls), two);

    // The second call reads what the first kept in the cache of the store.
    let (mut detector, mut pairs) = (Detector::new(), Vec::new());
    for _ in 0..3 {
        detector
            .candidates(&hulls, &hulls, During::Start, &mut pairs)
            .unwrap();
        assert_eq!(pairs.len(), 6);
        detector
            .candidates(&hulls, &hulls.boxes(), During::Start, &mut pairs)
            .unwrap();
        assert_eq!(pairs, two[0]);
    }

    // Within one store a hull is not nearest to itself, but to its box it is.
    let mut nearest = Nearest::new();
    let mut apart = hulls.clone();
    for i in 0..4 {
        let center = [8.0 * i as f32, 0.0, 0.0];
        apart
            .set(
                i,
                Hull {
                    center,
                    kind,
                    ..Hull::default()
                },
            )
            .unwrap();
    }
    detector
        .nearest(&apart, &apart.boxes(), 1.0, &mut nearest)
        .unwrap();
    let near: Vec<_> = (0..4).map(|i| nearest.get(i).unwrap().b).collect();
    assert_eq!(near, [0, 1, 2, 3].map(Some));
    let mut firsts = FirstHits::new();
    detector
        .first_hits(&apart, &apart.boxes(), &mut firsts)
        .unwrap();
    let hit: Vec<_> = firsts.iter().map(|hit| [hit.a, hit.b]).collect();
    assert_eq!(hit, [[0, 0], [1, 1], [2, 2], [3, 3]]);

    // Points at the centers of spheres.
    let spheres = Spheres::from_slice(&[Sphere::new([0.0; 3], 1.0); 4]);
    let columns = spheres.columns();
    let points = PointsRef::new(PointColumns {
        position: columns.center,
        displacement: columns.displacement,
    });
    let points = points.unwrap();
    assert_eq!(found(&points, &spheres), two);
    assert_eq!(found(&spheres, &points), two);
}

#[test]
fn views_of_parts_are_two_stores() {
    let spheres = Spheres::from_slice(&[Sphere::new([0.0; 3], 1.0); 4]);
    let columns = spheres.columns();
    let part = |range: core::ops::Range<usize>| {
        SpheresRef::new(SphereColumns {
            center: columns.center.map(|column| &column[range.clone()]),
            radius: &columns.radius[range.clone()],
            displacement: columns.displacement.map(|column| &column[range.clone()]),
        })
        .unwrap()
    };
    let pairs = |of: [core::ops::Range<u32>; 2]| -> Vec<Pair> {
        let [a, b] = of;
        a.flat_map(|a| b.clone().map(move |b| Pair::new(a, b)))
            .collect()
    };
    assert_eq!(found(&spheres, &part(0..4)), each_pair(4, true));
    assert_eq!(found(&part(0..3), &spheres)[0], pairs([0..3, 0..4]));
    assert_eq!(found(&part(1..4), &part(0..3))[0], pairs([0..3, 0..3]));

    let structs = [Sphere::new([0.0; 3], 1.0); 4];
    let part = |len: usize| SpheresRef::of_structs(&structs[..len]).unwrap();
    assert_eq!(found(&part(4), &part(2))[0], pairs([0..4, 0..2]));
    assert_eq!(found(&part(1), &part(2))[0], pairs([0..1, 0..2]));

    // Static and moving shapes in the same columns.
    let statics = SpheresRef::new(SphereColumns {
        displacement: [&[], &[], &[]],
        ..spheres.columns()
    });
    assert_eq!(found(&spheres, &statics.unwrap()), each_pair(4, false));

    // Empty stores of the same and of other shapes.
    let none = [Vec::new(), Vec::new(), Vec::new()];
    let (empty, boxes) = (Spheres::new(), Aabbs::new());
    assert_eq!(found(&empty, &Spheres::new()), none);
    assert_eq!(found(&empty, &part(0)), none);
    assert_eq!(found(&boxes, &empty), none);
    assert_eq!(found(&empty, &spheres), none);
    assert_eq!(found(&Hulls::default(), &Hulls::default().boxes()), none);
}

#[test]
fn a_bad_displacement_matters_to_the_frame_only() {
    let ball = Sphere {
        center: [0.0; 3],
        radius: 1.0,
    };
    let mut balls = Store::from_slice(&[
        ball,
        ball,
        Sphere {
            radius: -1.0,
            ..ball
        },
    ]);
    balls.set_displacement(1, [f32::NAN, 0.0, 0.0]).unwrap();
    let mut bounds = Aabbs::new();
    for (during, bad, pairs) in [(During::Start, 2..3, 1), (During::Frame, 1..3, 0)] {
        balls.bounds(during, &mut bounds);
        let defects = (0..3).filter(|&i| {
            Aabbs::from_slice(&[bounds.get(i).unwrap()])
                .validate()
                .is_err()
        });
        assert!(defects.eq(bad), "{during:?}");
        assert_eq!(check(&balls, &balls, during, 0.0, 1.0).len(), pairs);
    }
    // Bounds of the largest shapes are valid, and contain shapes of that size.
    let huge = Sphere {
        center: [phalanx::MAX_LENGTH; 3],
        radius: phalanx::MAX_LENGTH,
    };
    let mut balls = Store::from_slice(&[huge, huge]);
    balls.set_displacement(0, [phalanx::MAX_LENGTH; 3]).unwrap();
    balls.bounds(During::Frame, &mut bounds);
    bounds.validate().unwrap();
    assert_eq!(check(&balls, &balls, During::Frame, 1.0, 1.0).len(), 1);
}

/// Exact extent of a shape along an axis, times a common number.
trait ExactBounds: Bounded + Sample {
    /// Whether it is its own bounds at rest.
    const IS_ITS_BOUNDS: bool = false;
    /// Maximum growth along a world axis per unit of margin.
    const GROWS_BY: f32;
    /// The lowest and the highest coordinate times the number, the number, and the size in units.
    fn ends(&self, scale: Scale, axis: usize) -> (IBig, IBig, IBig, IBig);
    fn numbers(&self) -> Vec<f32>;
}

impl ExactBounds for Sphere {
    const GROWS_BY: f32 = 1.0;

    fn ends(&self, scale: Scale, axis: usize) -> (IBig, IBig, IBig, IBig) {
        let (center, radius) = (scale.int(self.center[axis]), scale.int(self.radius));
        (&center - &radius, &center + &radius, IBig::ONE, radius)
    }
    fn numbers(&self) -> Vec<f32> {
        [self.center.as_slice(), &[self.radius]].concat()
    }
}

impl ExactBounds for Point {
    const IS_ITS_BOUNDS: bool = true;

    const GROWS_BY: f32 = 1.0;

    fn ends(&self, scale: Scale, axis: usize) -> (IBig, IBig, IBig, IBig) {
        let x = scale.int(self.position[axis]);
        (x.clone(), x, IBig::ONE, IBig::ZERO)
    }
    fn numbers(&self) -> Vec<f32> {
        self.position.to_vec()
    }
}

impl ExactBounds for Triangle {
    const GROWS_BY: f32 = 1.7321;

    fn ends(&self, scale: Scale, axis: usize) -> (IBig, IBig, IBig, IBig) {
        let ends = self.corners.map(|corner| scale.int(corner[axis]));
        let edge = |k: usize| {
            let (from, to) = (self.corners[k], self.corners[(k + 1) % 3]);
            [0, 1, 2].map(|i| f64::from(to[i]) - f64::from(from[i]))
        };
        let lengths = [0, 1, 2].map(|k| edge(k).iter().map(|x| x * x).sum::<f64>().sqrt());
        let longest = lengths.into_iter().fold(0.0, f64::max) as f32;
        // Rounded down to the units of the scale.
        let own = Scale::of(&[longest]);
        let shift = own.exponent() - scale.exponent();
        let longest = match shift {
            0.. => own.int(longest) << shift as usize,
            _ => own.int(longest) >> -shift as usize,
        };
        let (low, high) = (ends.iter().min().unwrap(), ends.iter().max().unwrap());
        (low.clone(), high.clone(), IBig::ONE, longest)
    }
    fn numbers(&self) -> Vec<f32> {
        self.corners.as_flattened().to_vec()
    }
}

impl ExactBounds for Capsule {
    const GROWS_BY: f32 = 1.0;

    fn ends(&self, scale: Scale, axis: usize) -> (IBig, IBig, IBig, IBig) {
        let (center, radius) = (scale.int(self.center[axis]), scale.int(self.radius));
        let half = self.half_axis.map(|x| scale.int(x.abs()));
        let reach = &half[axis] + &radius;
        let size = half.iter().sum::<IBig>() + radius;
        (&center - &reach, &center + &reach, IBig::ONE, size)
    }
    fn numbers(&self) -> Vec<f32> {
        [self.center.as_slice(), &self.half_axis, &[self.radius]].concat()
    }
}

impl ExactBounds for Aabb {
    const GROWS_BY: f32 = 1.0;

    fn ends(&self, scale: Scale, axis: usize) -> (IBig, IBig, IBig, IBig) {
        let side = |k: usize| scale.int(self.max[k]) - scale.int(self.min[k]);
        let size = (side(0) + side(1) + side(2)) / IBig::from(2);
        (
            scale.int(self.min[axis]),
            scale.int(self.max[axis]),
            IBig::ONE,
            size,
        )
    }
    fn numbers(&self) -> Vec<f32> {
        [self.min, self.max].concat()
    }
}

impl ExactBounds for Obb {
    const GROWS_BY: f32 = 1.7321;

    /// A corner is q c q* / |q|² for a corner c of the unrotated box: the farthest of the eight.
    fn ends(&self, scale: Scale, axis: usize) -> (IBig, IBig, IBig, IBig) {
        let units = Scale::of(&self.rotation);
        let q = self.rotation.map(|x| units.int(x));
        let length: IBig = q.iter().map(|x| x * x).sum();
        let center = scale.int(self.center[axis]) * &length;
        let half = self.half_extents.map(|x| scale.int(x));
        let reaches = (0..8).map(|corner| {
            let c: [IBig; 3] = std::array::from_fn(|k| {
                if corner >> k & 1 == 0 {
                    half[k].clone()
                } else {
                    -&half[k]
                }
            });
            // v = c, q = (r, w): 2 (r·v) r + (w² − r·r) v + 2 w (r × v)
            let [x, y, z, w] = &q;
            let r = [x, y, z];
            let dot: IBig = (0..3).map(|k| r[k] * &c[k]).sum();
            let square: IBig = (0..3).map(|k| r[k] * r[k]).sum();
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            let cross = r[i] * &c[j] - r[j] * &c[i];
            IBig::from(2) * dot * r[axis] + (w * w - square) * &c[axis] + IBig::from(2) * w * cross
        });
        let reach = reaches.max().unwrap();
        let size = half.iter().sum();
        (&center - &reach, &center + &reach, length, size)
    }
    fn numbers(&self) -> Vec<f32> {
        [self.center, self.half_extents].concat()
    }
}

/// Bounds exceed the exact ends by at least the widening of the proof, relative to the shape and its displacement, and
/// by at most twice that. Those of points at rest are exact.
fn exact_bounds<T: ExactBounds>(name: &str) {
    let mut rng = rng(name);
    let (mut least, mut most) = (f64::INFINITY, 0f64);
    for _ in 0..cases() / 20 {
        let setting = Setting::random(&mut rng);
        let (shape, motion) = (T::sample(&mut rng, &setting), setting.motion(&mut rng));
        let mut store = Store::new();
        store.push_moving(shape, motion);
        if store.validate().is_err() {
            continue;
        }
        for during in BOTH {
            let mut bounds = Aabbs::new();
            store.bounds(during, &mut bounds);
            let around = bounds.get(0).unwrap();
            let motion = if during == During::Start {
                [0.0; 3]
            } else {
                motion
            };
            let floor = 2f32.powi(-57);
            let numbers = [
                shape.numbers(),
                [motion, around.min, around.max].concat(),
                vec![floor],
            ]
            .concat();
            let scale = Scale::of(&numbers);
            let way: IBig = motion.iter().map(|x| scale.int(x.abs())).sum();
            for (axis, step) in motion.iter().enumerate() {
                let (low, high, number, size) = shape.ends(scale, axis);
                let moved = scale.int(*step) * &number;
                let low = (&low).min(&(&low + &moved)).clone();
                let high = (&high).max(&(&high + &moved)).clone();
                // 2030 u of the lengths, times 2²⁴.
                let lengths = (&size + &way) * &number;
                let least_past = IBig::from(2030) * &lengths + ((scale.int(floor) * &number) << 24);
                for past in [
                    &low - scale.int(around.min[axis]) * &number,
                    scale.int(around.max[axis]) * &number - &high,
                ] {
                    let past = past << 24;
                    if T::IS_ITS_BOUNDS && lengths == IBig::from(0) {
                        assert_eq!(past, IBig::from(0), "{shape:?} {around:?}");
                        continue;
                    }
                    assert!(
                        past >= least_past,
                        "{shape:?} {motion:?} {around:?} {during:?}"
                    );
                    let far = oracle::exact::ratio(&past, &least_past);
                    (least, most) = (least.min(far), most.max(far));
                }
            }
        }
    }
    println!("{name}: past the shape by {least} to {most} of what is needed");
}

mod bounds_reach_further_than {
    macro_rules! tests {
        ($($name:ident: $shape:ident, $stores:ident, $bounds:ident;)*) => {
            $(tests!(@ $bounds, $name, $shape);)*
        };
        (@ bounded, $name:ident, $shape:ident) => {
            #[test]
            fn $name() {
                crate::exact_bounds::<phalanx::$shape>(concat!("bounds of ", stringify!($name)));
            }
        };
        (@ unbounded, $name:ident, $shape:ident) => {};
    }
    phalanx::shapes!(tests);
}

/// Rotating boxes at times of the frame, in `f64`, whose roundings are far below the slack.
#[test]
fn bounds_hold_boxes_that_turn() {
    let mut rng = rng("bounds of turning boxes");
    let mut least = f64::INFINITY;
    for _ in 0..cases() / 20 {
        let setting = Setting::random(&mut rng);
        let (shape, motion) = (Obb::sample(&mut rng, &setting), setting.motion(&mut rng));
        let angle = [0.01, 0.2, 1.0, 3.1][rng.random_range(0..4)];
        let turn = [(); 3].map(|()| rng.random_range(-1.0..1f32));
        let length = turn.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-3);
        let turn = turn.map(|x| x / length * angle);
        let mut store = Store::new();
        store.push_turning(shape, motion, turn);
        if store.validate().is_err() {
            continue;
        }
        let mut bounds = Aabbs::new();
        store.bounds(During::Frame, &mut bounds);
        let around = bounds.get(0).unwrap();
        let size: f64 = (shape.half_extents.iter().chain(&motion))
            .map(|x| f64::from(x.abs()))
            .sum();
        let places = shape.center.iter().chain(&around.min).chain(&around.max);
        let far = places.fold(0f64, |far, x| far.max(f64::from(x.abs())));
        if far >= f64::from(phalanx::MAX_LENGTH) {
            // Cut off.
            continue;
        }
        for step in 0..=20 {
            let time = f64::from(step) / 20.0;
            let axes = turned_axes(&shape, turn, time);
            for k in 0..3 {
                let center = f64::from(shape.center[k]) + time * f64::from(motion[k]);
                let reach: f64 = (0..3)
                    .map(|j| f64::from(shape.half_extents[j]) * axes[j][k].abs())
                    .sum();
                for past in [
                    center - reach - f64::from(around.min[k]),
                    f64::from(around.max[k]) - center - reach,
                ] {
                    let needed = 1900.0 * 2f64.powi(-24) * size - 1e-14 * far;
                    assert!(past >= needed, "{shape:?} {motion:?} {turn:?} {around:?}");
                    least = least.min(past / (size + f64::MIN_POSITIVE));
                }
            }
        }
        // For any rotation, at most the bounding sphere.
        let radius = (shape.half_extents.iter().map(|x| f64::from(*x).powi(2)))
            .sum::<f64>()
            .sqrt();
        for ((center, motion), min) in shape.center.iter().zip(motion).zip(around.min) {
            let low = f64::from(*center) + f64::from(motion).min(0.0) - radius;
            assert!(low - f64::from(min) <= 2e-4 * size + 1e-6 * far + 1e-16);
        }
    }
    assert!(least > 1e-4, "{least}");
}

/// The axes of a box at a time, rotated by its turn.
fn turned_axes(shape: &Obb, turn: [f32; 3], time: f64) -> [[f64; 3]; 3] {
    let by = turn.map(|x| f64::from(x) * time);
    let angle = by.iter().map(|x| x * x).sum::<f64>().sqrt();
    let half = if angle > 0.0 {
        (angle / 2.0).sin() / angle
    } else {
        0.5
    };
    let turned = [
        by[0] * half,
        by[1] * half,
        by[2] * half,
        (angle / 2.0).cos(),
    ];
    let rotation = shape.rotation.map(f64::from);
    let length = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
    let rotation = rotation.map(|x| x / length);
    std::array::from_fn(|k| {
        let mut axis = [0.0; 3];
        axis[k] = 1.0;
        rotated(turned, rotated(rotation, axis))
    })
}

/// A vector, rotated by a unit quaternion.
fn rotated([x, y, z, w]: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    let r = [x, y, z];
    let t = cross(r, v).map(|x| 2.0 * x);
    let c = cross(r, t);
    std::array::from_fn(|k| v[k] + w * t[k] + c[k])
}

/// A check of a kernel whose shapes both have bounds.
trait OfCell {
    /// Checks the kernel, with candidates at the times that its verb covers.
    fn check<C: KernelCase>(during: During)
    where
        C::A: Bounded,
        C::B: Bounded;
}

/// Runs a check of each kernel whose shapes both have bounds.
fn for_each_cell<F: OfCell>() {
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(each!(@ $file, $verb, $($shape),+);)*
        };
        (@ $file:ident, $verb:ident, $a:ident, Plane) => {};
        (@ $file:ident, $verb:ident, $a:ident, HalfSpace) => {};
        (@ $file:ident, overlap, $($shape:ident),+) => {
            F::check::<cells::$file>(During::Start);
        };
        (@ $file:ident, $verb:ident, $($shape:ident),+) => {
            F::check::<cells::$file>(During::Frame);
        };
    }
    phalanx::kernels!(each);
}

/// Hits near contact are candidates.
struct NearContact;

impl OfCell for NearContact {
    fn check<C: KernelCase>(during: During)
    where
        C::A: Bounded,
        C::B: Bounded,
    {
        let mut rng = rng(&format!("{}, candidates", C::NAME));
        let mut asker = QueryRunner::<C>::default();
        let (mut hits, mut misses, mut pairs) = (0, 0, Vec::new());
        let (usual, mut tried) = ((cases() / 20).max(300), 0);
        // A point is seldom placed on a triangle.
        while tried < usual || (hits <= 200 && tried < 20 * usual) {
            tried += 1;
            let Some(contact) = contact(&mut rng, &mut asker) else {
                continue;
            };
            let said = asker.ask(&contact.a, &contact.b, contact.margin).to_vec();
            let (mut a, mut b) = (Store::new(), Store::new());
            for &(shape, displacement) in &contact.a {
                a.push_moving(shape, displacement);
            }
            for &(shape, displacement) in &contact.b {
                b.push_moving(shape, displacement);
            }
            let mut detector = Detector::new().margin(contact.margin).unwrap();
            detector.candidates(&a, &b, during, &mut pairs).unwrap();
            for (i, said) in said.iter().enumerate() {
                let pair = Pair::new(i as u32, i as u32);
                let listed = pairs.binary_search(&pair).is_ok();
                assert!(
                    listed || !said.hit,
                    "{}: {:?} {:?}, margin {}",
                    C::NAME,
                    contact.a[i],
                    contact.b[i],
                    contact.margin
                );
                hits += usize::from(said.hit);
                misses += usize::from(!listed);
            }
        }
        println!("{}: {hits} hits, {misses} not listed", C::NAME);
        assert!(hits > 200, "{}: too few hits to mean anything", C::NAME);
    }
}

#[test]
fn near_contact_every_hit_is_a_candidate() {
    for_each_cell::<NearContact>();
}

/// A verb on candidates finds every pair that it finds among all pairs.
struct EndToEnd;

impl OfCell for EndToEnd {
    fn check<C: KernelCase>(during: During)
    where
        C::A: Bounded,
        C::B: Bounded,
    {
        let mut rng = rng(&format!("{}, end to end", C::NAME));
        let mut setting = Setting::ordinary();
        // Few points are on a triangle, which has no thickness.
        let is_thin = C::NAME.starts_with("point_triangle");
        for margin in [0.0, if is_thin { 0.5 } else { 0.05 }] {
            let mut detector = Detector::new().margin(margin).unwrap();
            setting.offset = [1e3; 3];
            let (mut a, mut b) = (Store::new(), Store::new());
            let (shapes_a, shapes_b) = (300, 200);
            for _ in 0..shapes_a {
                let by = inside(&mut rng, 12.0);
                a.push_moving(
                    C::A::sample(&mut rng, &setting).moved(by),
                    setting.motion(&mut rng).map(|x| x % 2.0),
                );
            }
            for _ in 0..shapes_b {
                let by = inside(&mut rng, 12.0);
                b.push_moving(
                    C::B::sample(&mut rng, &setting).moved(by),
                    setting.motion(&mut rng).map(|x| x % 2.0),
                );
            }
            let all: Vec<Pair> = (0..shapes_a)
                .flat_map(|a| (0..shapes_b).map(move |b| Pair::new(a, b)))
                .collect();
            let mut few = Vec::new();
            detector.candidates(&a, &b, during, &mut few).unwrap();
            let hits = |detector: &mut Detector, list: &[Pair]| -> Vec<Pair> {
                let said = common::ask::ask::<_, _, C::Verb>(detector, &a, &b, Pairs::from(list));
                let said = said.unwrap();
                let hits = list.iter().zip(&said).filter(|(_, said)| said.hit);
                hits.map(|(pair, _)| *pair).collect()
            };
            let expected = hits(&mut detector, &all);
            assert_eq!(hits(&mut detector, &few), expected, "{}", C::NAME);
            println!(
                "{}: {} hits, {} candidates",
                C::NAME,
                expected.len(),
                few.len()
            );
            let least = if is_thin && margin == 0.0 { 0 } else { 6 };
            assert!(expected.len() >= least && few.len() < all.len() / 3);
        }
    }
}

#[test]
fn candidates_and_a_verb_find_what_the_verb_finds_among_all_pairs() {
    for_each_cell::<EndToEnd>();
}

#[test]
fn points_at_rest_are_their_own_bounds() {
    let large = phalanx::MAX_LENGTH;
    let numbers = [
        0.0,
        -0.0,
        1.0 / 3.0,
        -1e-45,
        1e-30,
        -large,
        large,
        12345.678,
    ];
    let mut points: Store<Point> = Store::new();
    for k in 0..numbers.len() {
        let position = [0, 1, 2].map(|axis| numbers[(k + 3 * axis) % numbers.len()]);
        points.push(Point { position });
        points.push_moving(Point { position }, [1e-40, 0.0, 0.0]);
    }
    let mut bounds = Aabbs::new();
    for during in BOTH {
        points.bounds(during, &mut bounds);
        for k in 0..points.len() as u32 {
            let at = points.get(k).unwrap().position;
            let Aabb { min, max } = bounds.get(k).unwrap();
            if k % 2 == 0 || during == During::Start {
                assert_eq!((min, max), (at, at), "{during:?}, {k}");
            } else {
                let is_wider = |axis: usize| min[axis] < at[axis] && at[axis] < max[axis];
                let is_limit = |axis: usize| at[axis].abs() == large;
                assert!((0..3).all(|axis| is_wider(axis) || is_limit(axis)), "{k}");
            }
        }
    }
}

#[test]
fn spatial_order_names_each_shape_once_and_brings_neighbours_together() {
    for (name, scene) in SCENES {
        let mut rng = rng(name);
        let mut store = build(&mut rng, scene, 3000, true);
        let order = phalanx::spatial_order(&store);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..3000), "{name}");
        #[cfg(all(feature = "rayon", not(target_family = "wasm")))]
        for threads in [1, 3] {
            assert_eq!(
                pool(threads).install(|| phalanx::spatial_order(&store)),
                order
            );
        }
        // The same pairs by the new indices, invalid shapes at the end.
        let (before, mut bounds) = (store.clone(), Aabbs::new());
        store.bounds(During::Start, &mut bounds);
        store.reorder(&order).unwrap();
        for (new, &old) in order.iter().enumerate() {
            let of_new = (store.get(new as u32), store.displacement(new as u32));
            let of_old = (before.get(old), before.displacement(old));
            assert_eq!(format!("{of_new:?}"), format!("{of_old:?}"), "{name}");
        }
        let invalid = invalid_of(&before, During::Start);
        let is_invalid = |&old: &u32| bounds.get(old).unwrap().min[0].is_nan();
        let first_invalid = order.iter().position(is_invalid);
        assert_eq!(
            first_invalid,
            (invalid > 0).then_some(3000 - invalid),
            "{name}"
        );
        if name == "usual" {
            let distance = |store: &Aabbs| -> f32 {
                let x = store.columns().min;
                let step = |i: usize| (0..3).map(|k| (x[k][i] - x[k][i + 1]).abs()).sum::<f32>();
                (0..2000).map(step).filter(|step| step.is_finite()).sum()
            };
            assert!(distance(&store) < distance(&before) / 5.0);
        }
    }
    assert!(phalanx::spatial_order(&Aabbs::new()).is_empty());
}

#[test]
fn a_wrong_order_is_an_error_and_changes_nothing() {
    let at = |x: f32| Sphere {
        center: [x, 0.0, 0.0],
        radius: 1.0,
    };
    let mut spheres: Store<Sphere> = [1.0, 2.0, 3.0].map(at).into_iter().collect();
    let before = spheres.clone();
    for (order, text) in [
        (
            &[0, 1][..],
            "order has 2 indices, but the store has 3 shapes",
        ),
        (
            &[0, 3, 1],
            "shape 3 is out of bounds: the store has 3 shapes",
        ),
        (&[2, 0, 2], "order repeats shape 2 at position 2"),
    ] {
        assert_eq!(spheres.reorder(order).unwrap_err().to_string(), text);
        assert!(spheres.iter().eq(before.iter()));
    }
}

/// `touching` lists the hits of `overlap` among all pairs, in order, and counts invalid shapes.
fn touching<A: Bounded + Overlap<B> + Sample, B: Bounded + Sample>(name: &str) {
    let (mut rng, setting) = (rng(&format!("{name}, touching")), Setting::ordinary());
    let (mut a, mut b) = (Store::new(), Store::new());
    for _ in 0..150 {
        a.push(A::sample(&mut rng, &setting).moved(inside(&mut rng, 5.0)));
        b.push(B::sample(&mut rng, &setting).moved(inside(&mut rng, 5.0)));
    }
    let nan = A::sample(&mut rng, &setting).moved([f32::NAN; 3]);
    a.set(7, nan).unwrap();
    let all: Vec<Pair> = (0..150)
        .flat_map(|a| (0..150).map(move |b| Pair::new(a, b)))
        .collect();
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd).margin(0.05).unwrap();
        let mut overlaps = Overlaps::new();
        detector.overlap(&a, &b, &all, &mut overlaps).unwrap();
        let expected: Vec<Pair> = overlaps.iter().map(|position| all[position]).collect();
        assert!(expected.len() > 3, "{name}: {}", expected.len());
        // The old contents of the list are replaced; from the third call on, stores cache trees.
        let mut pairs = all.clone();
        for strict in [false, true, false] {
            detector = detector.strict(strict);
            let invalid = detector.touching(&a, &b, &mut pairs);
            assert_eq!(pairs, expected, "{name}, {simd}");
            match invalid {
                Ok(invalid) => assert_eq!((strict, invalid.a, invalid.b), (false, 1, 0)),
                Err(error) => assert!(
                    strict && matches!(error, phalanx::Error::InvalidShape { index: 7, .. }),
                    "{error}"
                ),
            }
        }
    }
}

#[test]
fn touching_is_candidates_and_overlap() {
    macro_rules! each {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(each!(@ $file, $verb, $($shape),+);)*
        };
        (@ $file:ident, overlap, $a:ident, Plane) => {};
        (@ $file:ident, overlap, $a:ident, HalfSpace) => {};
        (@ $file:ident, overlap, $a:ident) => { each!(@ $file, overlap, $a, $a); };
        (@ $file:ident, overlap, $a:ident, $b:ident) => {
            touching::<phalanx::$a, phalanx::$b>(stringify!($file));
            touching::<phalanx::$b, phalanx::$a>(stringify!($file));
        };
        (@ $file:ident, sweep, $($shape:ident),+) => {};
    }
    phalanx::kernels!(each);

    // For one store each pair is listed once.
    let at = |x: f32| Sphere {
        center: [x, 0.0, 0.0],
        radius: 1.0,
    };
    let spheres: Store<Sphere> = [0.0, 3.0, 1.5].map(at).into_iter().collect();
    let (mut detector, mut pairs) = (Detector::new(), Vec::new());
    detector.touching(&spheres, &spheres, &mut pairs).unwrap();
    assert_eq!(pairs, [Pair::new(0, 2), Pair::new(1, 2)]);
}

/// Number of invalid shapes, by `validate` of each separately.
fn invalid_of<T: Bounded>(store: &Store<T>, during: During) -> usize {
    let is_invalid = |i: &usize| {
        let index = *i as u32;
        let shape = store.get(index).unwrap();
        let displacement = match during {
            During::Start => [0.0; 3],
            _ => store.displacement(index).unwrap(),
        };
        let mut one = Store::new();
        one.push_moving(shape, displacement);
        one.validate().is_err()
    };
    (0..store.len()).filter(is_invalid).count()
}

#[test]
fn invalid_shapes_are_counted() {
    let mut rng = rng("invalid shapes");
    let (mut pairs, mut seen) = (Vec::new(), 0);
    for len in (0..=33).chain([64, 1000, 40_000]) {
        let a = build(&mut rng, SCENES[0].1, len, true);
        let b = build(&mut rng, SCENES[0].1, len / 2 + 3, true);
        for simd in Simd::available() {
            for parallel in [false, true] {
                let mut detector = Detector::new().simd(simd).parallel(parallel);
                // From the third call on, stores cache trees.
                for during in BOTH.into_iter().cycle().take(6) {
                    let expected = [invalid_of(&a, during), invalid_of(&b, during)];
                    let of_two = detector.candidates(&a, &b, during, &mut pairs).unwrap();
                    assert_eq!([of_two.a, of_two.b], expected, "{simd}, {len}, {during:?}");
                    let of_one = detector.candidates(&a, &a, during, &mut pairs).unwrap();
                    assert_eq!([of_one.a, of_one.b], [expected[0]; 2]);
                    assert_eq!(of_two.any(), expected != [0, 0]);
                    seen += expected[0];
                }
            }
        }
    }
    assert!(seen > 1000);
}

#[test]
fn strict_candidates_name_the_invalid_shape() {
    let good = Sphere {
        radius: 1.0,
        ..Sphere::default()
    };
    let spheres = |bad: &[usize]| -> Store<Sphere> {
        let radius = |i| if bad.contains(&i) { -2.0 } else { 1.0 };
        let sphere = |i| Sphere {
            radius: radius(i),
            ..good
        };
        (0..50).map(sphere).collect()
    };
    let (whole, broken) = (spheres(&[]), spheres(&[49, 31]));
    let mut detector = Detector::new().strict(true);
    let mut pairs = Vec::new();
    for during in BOTH {
        let fine = detector.candidates(&whole, &whole, during, &mut pairs);
        assert_eq!(fine.map(|invalid| invalid.any()), Ok(false));
        let text = |result: Result<_, phalanx::Error>| result.map(drop).unwrap_err().to_string();
        let of_first = detector.candidates(&broken, &whole, during, &mut pairs);
        assert_eq!(
            text(of_first),
            "shape 31 of the first store is invalid: radius is -2, negative"
        );
        // The list is written even then.
        assert_eq!(pairs.len(), 48 * 50);
        let of_second = detector.candidates(&whole, &broken, during, &mut pairs);
        assert_eq!(
            text(of_second),
            "shape 31 of the second store is invalid: radius is -2, negative"
        );
        // A lenient detector lists no pair of an invalid shape, so no verb can flag it.
        let mut lenient = Detector::new();
        let invalid = lenient.candidates(&broken, &broken, during, &mut pairs);
        assert_eq!(invalid.map(|invalid| (invalid.a, invalid.b)), Ok((2, 2)));
        let mut overlaps = Overlaps::new();
        lenient
            .overlap(&broken, &broken, &pairs, &mut overlaps)
            .unwrap();
        assert_eq!(overlaps.invalid_count(), 0);
    }
    // An invalid displacement affects the frame only.
    let mut moving = spheres(&[]);
    moving.set_displacement(7, [f32::NAN, 0.0, 0.0]).unwrap();
    assert!(
        detector
            .candidates(&moving, &moving, During::Start, &mut pairs)
            .is_ok()
    );
    let frame = detector.candidates(&moving, &moving, During::Frame, &mut pairs);
    assert_eq!(
        frame.map(drop).unwrap_err().to_string(),
        "shape 7 of the first store is invalid: displacement[0] is NaN, not finite"
    );
}
