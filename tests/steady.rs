//! State kept between calls holds in every frame: stores that are prepared, shapes that are set one by one, ways of any
//! length, few targets, and lists of any density. Answers are those of new stores and of all pairs, bit for bit.

mod common;

use std::collections::BTreeSet;

use common::rng;
use phalanx::traits::{Bounded, Distance, Overlap, Sweep};
use phalanx::{
    Aabb, Aabbs, Capsule, Capsules, Detector, During, FirstHits, Groups, Impacts, Nearest, Obb,
    Obbs, Overlaps, Pair, Pairs, Point, Points, Simd, Sphere, Spheres, Store, Sweeps, Triangle,
    Triangles,
};
use rand::RngExt;
use rand::rngs::StdRng;

fn within(rng: &mut StdRng, reach: f32) -> [f32; 3] {
    [(); 3].map(|()| rng.random_range(-reach..reach))
}

fn random_aabb(rng: &mut StdRng, reach: f32) -> Aabb {
    let min = within(rng, reach);
    Aabb {
        min,
        max: min.map(|x| x + rng.random_range(0.1..2.0)),
    }
}

fn random_sphere(rng: &mut StdRng, reach: f32) -> Sphere {
    Sphere {
        center: within(rng, reach),
        radius: rng.random_range(0.0..0.8),
    }
}

/// All answers of a store of searching shapes in another store, as bits.
fn answers<A, B>(detector: &mut Detector, a: &Store<A>, b: &Store<B>) -> Vec<u64>
where
    A: Bounded + Sweep<B> + Overlap<B> + Distance<B>,
    B: Bounded,
{
    let mut bits = Vec::new();
    let mut firsts = FirstHits::new();
    detector.first_hits(a, b, &mut firsts).unwrap();
    for hit in &firsts {
        let times = [hit.time.enter, hit.time.exit].map(|x| u64::from(x.to_bits()));
        bits.extend([u64::from(hit.a), u64::from(hit.b), times[0], times[1]]);
    }
    let mut any = Overlaps::new();
    for during in [During::Start, During::Frame] {
        detector.meets_any(a, b, during, &mut any).unwrap();
        bits.extend(any.words());
        bits.extend(any.iter_invalid().map(|k| k as u64));
    }
    let mut nearest = Nearest::new();
    detector.nearest(a, b, 3.0, &mut nearest).unwrap();
    for found in &nearest {
        let index = found.b.map_or(u64::MAX, u64::from);
        let numbers = [found.lower, found.upper].map(|x| u64::from(x.to_bits()));
        bits.extend([index, numbers[0], numbers[1]]);
    }
    let mut pairs = Vec::new();
    for during in [During::Start, During::Frame, During::Way] {
        detector.candidates(a, b, during, &mut pairs).unwrap();
        bits.extend(
            pairs
                .iter()
                .map(|pair| u64::from(pair.a) << 32 | u64::from(pair.b)),
        );
    }
    for during in [During::Start, During::Frame] {
        detector.candidates(b, b, during, &mut pairs).unwrap();
        bits.extend(
            pairs
                .iter()
                .map(|pair| u64::from(pair.a) << 32 | u64::from(pair.b)),
        );
    }
    bits
}

/// Boxes, spheres that move among them, and the reach of both.
fn level(rng: &mut StdRng, len: u32) -> (Aabbs, Spheres, f32) {
    let reach = (len as f32).cbrt();
    let boxes = (0..len).map(|_| random_aabb(rng, reach)).collect();
    let mut movers: Spheres = (0..90).map(|_| random_sphere(rng, reach)).collect();
    for i in 0..90 {
        movers.set_displacement(i, within(rng, 2.0)).unwrap();
    }
    (boxes, movers, reach)
}

/// A store of the same boxes that keeps nothing.
fn anew(boxes: &Aabbs) -> Aabbs {
    let mut fresh: Aabbs = boxes.iter().collect();
    for i in 0..boxes.len() as u32 {
        let displacement = boxes.displacement(i).unwrap();
        fresh.set_displacement(i, displacement).unwrap();
    }
    fresh
}

#[test]
fn shapes_that_are_set_are_found_where_they_are() {
    let mut rng = rng("set shapes");
    for len in [1u32, 7, 8, 9, 64, 65, 700, 701, 5000] {
        for is_prepared in [false, true] {
            let (mut boxes, mut movers, reach) = level(&mut rng, len);
            let mut detector = Detector::new();
            if is_prepared {
                detector.prepare(&boxes);
            }
            for frame in 0..40 {
                if len % 2 == 1 {
                    // Movers that do not rest have fat boxes.
                    let by = rng.random_range(-0.01..0.01);
                    movers.columns_mut().center[0]
                        .iter_mut()
                        .for_each(|x| *x += by);
                }
                let changes = [0, 1, 1, 3, len / 4][rng.random_range(0..5)];
                for _ in 0..changes {
                    let i = rng.random_range(0..len);
                    match rng.random_range(0..20) {
                        0 => boxes.set_displacement(i, within(&mut rng, 1.0)).unwrap(),
                        1 => {
                            let min = [f32::NAN; 3];
                            boxes.set(i, Aabb { min, max: min }).unwrap();
                        }
                        2 => boxes.set(i, random_aabb(&mut rng, 9.0 * reach)).unwrap(),
                        _ => boxes.set(i, random_aabb(&mut rng, reach)).unwrap(),
                    }
                }
                let fresh = anew(&boxes);
                let found = answers(&mut detector, &movers, &boxes);
                let expected = answers(&mut Detector::new(), &movers, &fresh);
                assert!(
                    found == expected,
                    "{len} boxes, prepared {is_prepared}, frame {frame}"
                );
            }
        }
    }
}

/// Adds, sets or removes a shape.
fn change_one(rng: &mut StdRng, boxes: &mut Aabbs, reach: f32) {
    let last = boxes.len() as u32 - 1;
    let min = [f32::NAN; 3];
    let invalid = Aabb { min, max: min };
    match rng.random_range(0..20) {
        0 => _ = boxes.push(invalid),
        1 => _ = boxes.push(random_aabb(rng, 9.0 * reach)),
        2 => _ = boxes.push_moving(random_aabb(rng, reach), within(rng, 1.0)),
        3 => boxes.extend_from_slice(&[(); 3].map(|()| random_aabb(rng, reach))),
        4..8 => _ = boxes.push(random_aabb(rng, reach)),
        8 if last > 0 => _ = boxes.swap_remove(last),
        9..14 if last > 0 => _ = boxes.swap_remove(rng.random_range(0..=last)),
        14 => boxes.set(rng.random_range(0..=last), invalid).unwrap(),
        _ => {
            let i = rng.random_range(0..=last);
            boxes.set(i, random_aabb(rng, reach)).unwrap();
        }
    }
}

#[test]
fn shapes_that_come_and_go_are_found_where_they_are() {
    let mut rng = rng("shapes that come and go");
    for len in [1u32, 8, 9, 65, 512, 700, 3000] {
        for is_prepared in [false, true] {
            let (mut boxes, movers, reach) = level(&mut rng, len);
            let mut detector = Detector::new();
            if is_prepared {
                detector.prepare(&boxes);
            }
            for frame in 0..60 {
                let changes = [0, 1, 1, 3, len / 9][rng.random_range(0..5)];
                for _ in 0..changes {
                    change_one(&mut rng, &mut boxes, reach);
                }
                let fresh = anew(&boxes);
                let found = answers(&mut detector, &movers, &boxes);
                let expected = answers(&mut Detector::new(), &movers, &fresh);
                assert!(
                    found == expected,
                    "{len} boxes, prepared {is_prepared}, frame {frame}"
                );
            }
        }
    }
}

#[test]
fn boxes_that_are_pushed_with_a_turn_are_found_where_they_turn() {
    let mut rng = rng("pushed turns");
    for turns_first in [false, true] {
        let mut boxes = Obbs::new();
        let mut detector = Detector::new();
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        for k in 0..300 {
            let rod = Obb::new(
                within(&mut rng, 6.0),
                [1.5, 0.05, 0.05],
                [0.0, 0.0, 0.0, 1.0],
            );
            let (way, turn) = (within(&mut rng, 0.1), within(&mut rng, 1.5));
            if k >= 100 || turns_first {
                boxes.push_turning(rod, way, turn);
            } else {
                boxes.push_moving(rod, way);
            }
            if k < 100 {
                continue;
            }
            let fresh = boxes.clone();
            for during in [During::Start, During::Frame] {
                detector
                    .candidates(&boxes, &boxes, during, &mut found)
                    .unwrap();
                Detector::new()
                    .candidates(&fresh, &fresh, during, &mut expected)
                    .unwrap();
                assert_eq!(
                    found, expected,
                    "box {k}, turns first {turns_first}, {during:?}"
                );
            }
            let (mut times, mut of_fresh) = (Impacts::new(), Impacts::new());
            detector
                .impact(&boxes, &boxes, &found, 1e-3, &mut times)
                .unwrap();
            Detector::new()
                .impact(&fresh, &fresh, &found, 1e-3, &mut of_fresh)
                .unwrap();
            assert_eq!(format!("{times:?}"), format!("{of_fresh:?}"), "box {k}");
        }
    }
}

#[test]
fn prepare_says_what_it_built_and_builds_it_once() {
    let mut rng = rng("prepare");
    let level: Aabbs = (0..5000).map(|_| random_aabb(&mut rng, 20.0)).collect();
    let mut detector = Detector::new();
    let built = detector.prepare(&level);
    assert!(
        built.trees > 0 && built.bounds > 0 && built.rows > 0,
        "{built:?}"
    );
    assert_eq!(built.bytes(), built.trees + built.bounds + built.rows);
    assert_eq!(detector.prepare(&level), built);
    assert!(built.bytes() < 200 * level.len(), "{built:?}");
    // A view keeps nothing.
    let boxes: Vec<Aabb> = level.iter().collect();
    let view = phalanx::AabbsRef::of_structs(&boxes).unwrap();
    assert_eq!(detector.prepare(&view).bytes(), 0);
}

/// The first hits by sweeps of all pairs.
fn by_sweeps<A, B>(
    a: &Store<A>,
    b: &Store<B>,
    admits: impl Fn(u32, u32) -> bool,
) -> Vec<(u32, u32, [u32; 2])>
where
    A: Bounded + Sweep<B>,
    B: Bounded,
{
    let all: Vec<Pair> = (0..a.len() as u32)
        .flat_map(|i| (0..b.len() as u32).map(move |k| Pair::new(i, k)))
        .filter(|pair| admits(pair.a, pair.b))
        .collect();
    let mut sweeps = Sweeps::new();
    Detector::new().sweep(a, b, &all, &mut sweeps).unwrap();
    let firsts = sweeps.first_hits(&all).unwrap();
    let bits = |x: phalanx::TimeInterval| [x.enter, x.exit].map(f32::to_bits);
    firsts
        .iter()
        .map(|first| (first.pair.a, first.pair.b, bits(first.time)))
        .collect()
}

fn found<A, B>(detector: &mut Detector, a: &Store<A>, b: &Store<B>) -> Vec<(u32, u32, [u32; 2])>
where
    A: Bounded + Sweep<B>,
    B: Bounded,
{
    let mut firsts = FirstHits::new();
    detector.first_hits(a, b, &mut firsts).unwrap();
    let bits = |x: phalanx::TimeInterval| [x.enter, x.exit].map(f32::to_bits);
    firsts
        .iter()
        .map(|hit| (hit.a, hit.b, bits(hit.time)))
        .collect()
}

/// Movers with displacements from far below the size of the targets to far above that of the level, many of them from far
/// away or along an axis.
fn set_ways<A: Bounded>(rng: &mut StdRng, movers: &mut Store<A>) {
    for i in 0..movers.len() as u32 {
        let length = 10f32.powi(rng.random_range(-6..16));
        let mut way = within(rng, 1.0).map(|x| x * length);
        if rng.random_bool(0.3) {
            way[rng.random_range(0..3)] = [0.0, -0.0, 1e-30][rng.random_range(0..3)];
        }
        if rng.random_bool(0.2) {
            way = [0, 1, 2].map(|k| if k == i as usize % 3 { way[k] } else { 0.0 });
        }
        movers.set_displacement(i, way).unwrap();
    }
}

fn targets(rng: &mut StdRng, len: usize, reach: f32) -> Aabbs {
    let mut targets: Aabbs = (0..len).map(|_| random_aabb(rng, reach)).collect();
    for i in 0..len as u32 {
        if rng.random_bool(0.1) {
            targets.set_displacement(i, within(rng, reach)).unwrap();
        }
    }
    targets
}

#[test]
fn ways_of_any_length_find_what_sweeps_find() {
    let mut rng = rng("long ways");
    for round in 0..12 {
        let reach = [1.0f32, 10.0, 1000.0, 1e-3][round % 4];
        let boxes = targets(&mut rng, 300, reach);
        let triangles: Triangles = (0..300)
            .map(|_| {
                let a = within(&mut rng, reach);
                let mut corner = || {
                    let by = within(&mut rng, 1.0);
                    [0, 1, 2].map(|k| a[k] + by[k])
                };
                Triangle {
                    corners: [a, corner(), corner()],
                }
            })
            .collect();
        let mut rays: Points = (0..200)
            .map(|_| Point {
                position: within(&mut rng, 2.0 * reach),
            })
            .collect();
        set_ways(&mut rng, &mut rays);
        let mut spheres: Spheres = (0..200)
            .map(|_| random_sphere(&mut rng, 2.0 * reach))
            .collect();
        set_ways(&mut rng, &mut spheres);
        let mut casts: Obbs = (0..200)
            .map(|_| Obb {
                center: within(&mut rng, 2.0 * reach),
                half_extents: [0.2, 0.3, 0.4],
                ..Obb::default()
            })
            .collect();
        set_ways(&mut rng, &mut casts);
        for simd in Simd::available() {
            let mut detector = Detector::new().simd(simd);
            for is_prepared in [false, true] {
                if is_prepared {
                    detector.prepare(&boxes);
                    detector.prepare(&triangles);
                }
                let all = |_, _| true;
                assert_eq!(
                    found(&mut detector, &rays, &boxes),
                    by_sweeps(&rays, &boxes, all)
                );
                assert_eq!(
                    found(&mut detector, &rays, &triangles),
                    by_sweeps(&rays, &triangles, all)
                );
                assert_eq!(
                    found(&mut detector, &spheres, &boxes),
                    by_sweeps(&spheres, &boxes, all)
                );
                assert_eq!(
                    found(&mut detector, &spheres, &triangles),
                    by_sweeps(&spheres, &triangles, all)
                );
                assert_eq!(
                    found(&mut detector, &casts, &boxes),
                    by_sweeps(&casts, &boxes, all)
                );
            }
        }
    }
}

#[test]
fn few_targets_are_found_by_many_and_by_few() {
    let mut rng = rng("few targets");
    for round in 0..60 {
        let (len_a, len_b) = (
            [1usize, 5, 63, 64, 65, 127, 1023, 1088, 1089, 2200][rng.random_range(0..10)],
            [1usize, 2, 8, 9, 16, 17, 40, 64, 65][rng.random_range(0..9)],
        );
        let mut spheres: Spheres = (0..len_a).map(|_| random_sphere(&mut rng, 3.0)).collect();
        let mut pills: Capsules = (0..len_b)
            .map(|_| Capsule {
                center: within(&mut rng, 3.0),
                half_axis: within(&mut rng, 2.0),
                radius: 0.1,
            })
            .collect();
        let mut boxes = targets(&mut rng, len_b, 3.0);
        for i in 0..len_a as u32 {
            spheres.set_displacement(i, within(&mut rng, 2.0)).unwrap();
        }
        let mut bad_a = BTreeSet::new();
        let mut bad_b = BTreeSet::new();
        if round % 3 == 0 {
            for _ in 0..3 {
                let (i, k) = (
                    rng.random_range(0..len_a) as u32,
                    rng.random_range(0..len_b) as u32,
                );
                spheres
                    .set(
                        i,
                        Sphere {
                            center: [f32::NAN; 3],
                            radius: 1.0,
                        },
                    )
                    .unwrap();
                bad_a.insert(i);
                boxes
                    .set(
                        k,
                        Aabb {
                            min: [0.0; 3],
                            max: [f32::INFINITY; 3],
                        },
                    )
                    .unwrap();
                bad_b.insert(k);
                pills
                    .set(
                        k,
                        Capsule {
                            center: [0.0; 3],
                            half_axis: [0.0; 3],
                            radius: -1.0,
                        },
                    )
                    .unwrap();
            }
        }
        if round % 2 == 0 {
            for i in 0..len_a as u32 {
                spheres.set_body(i, i % 5).unwrap();
                spheres
                    .set_groups(
                        i,
                        Groups {
                            is: 1 << (i % 3),
                            meets: !0,
                        },
                    )
                    .unwrap();
            }
            for k in 0..len_b as u32 {
                boxes.set_body(k, k % 5).unwrap();
                boxes
                    .set_groups(
                        k,
                        Groups {
                            is: 1,
                            meets: 0b101,
                        },
                    )
                    .unwrap();
            }
        }
        let filtered = round % 2 == 0;
        let admits = |i: u32, k: u32| !filtered || i % 3 != 1 && i % 5 != k % 5;
        for parallel in [false, true] {
            let mut detector = Detector::new().parallel(parallel);
            let expected = by_sweeps(&spheres, &boxes, admits);
            assert_eq!(
                found(&mut detector, &spheres, &boxes),
                expected,
                "{len_a} × {len_b}"
            );
            assert_eq!(
                found(&mut detector, &spheres, &pills),
                by_sweeps(&spheres, &pills, |_, _| true)
            );
            let mut any = Overlaps::new();
            let counts = detector
                .meets_any(&spheres, &boxes, During::Frame, &mut any)
                .unwrap();
            assert!(any.iter().eq(expected.iter().map(|hit| hit.0 as usize)));
            assert!(any.iter_invalid().eq(bad_a.iter().map(|i| *i as usize)));
            assert_eq!((counts.a, counts.b), (bad_a.len(), bad_b.len()));
            detector
                .meets_any(&spheres, &boxes, During::Start, &mut any)
                .unwrap();
            let pairs: Vec<Pair> = (0..len_a as u32)
                .flat_map(|i| (0..len_b as u32).map(move |k| Pair::new(i, k)))
                .filter(|pair| admits(pair.a, pair.b))
                .collect();
            let mut overlaps = Overlaps::new();
            detector
                .overlap(&spheres, &boxes, &pairs, &mut overlaps)
                .unwrap();
            let met: BTreeSet<usize> = overlaps.iter().map(|k| pairs[k].a as usize).collect();
            assert!(any.iter().eq(met), "{len_a} × {len_b} at the start");
        }
    }
}

/// Frames of boxes of any density, and needles: lists that are kept, and lists that are too long to be.
#[test]
fn lists_of_any_density_are_those_of_all_pairs() {
    let mut rng = rng("dense lists");
    for (len, extents, reach, speed) in [
        (600, [1.0, 1.0, 1.0], 6.0f32, 0.003f32),
        (600, [1.0, 1.0, 1.0], 2.0, 0.003),
        (600, [6.0, 0.01, 0.02], 6.0, 0.001),
        (600, [6.0, 0.01, 0.02], 3.0, 0.05),
    ] {
        let mut boxes: Aabbs = (0..len)
            .map(|i| {
                let min = within(&mut rng, reach);
                let sides = [0, 1, 2].map(|k: usize| extents[(k + i) % 3]);
                Aabb {
                    min,
                    max: [0, 1, 2].map(|k| min[k] + sides[k]),
                }
            })
            .collect();
        let mut detector = Detector::new();
        let (mut pairs, mut expected) = (Vec::new(), Vec::new());
        for frame in 0..90 {
            let columns = boxes.columns_mut();
            for i in 0..len {
                for k in 0..3 {
                    let by = rng.random_range(-speed..speed);
                    columns.min[k][i] += by;
                    columns.max[k][i] += by;
                }
            }
            detector
                .candidates(&boxes, &boxes, During::Start, &mut pairs)
                .unwrap();
            let fresh: Aabbs = boxes.iter().collect();
            Detector::new()
                .candidates(&fresh, &fresh, During::Start, &mut expected)
                .unwrap();
            assert!(pairs == expected, "{extents:?} in {reach}, frame {frame}");
        }
    }
}

fn pairs_of(boxes: &Aabbs) -> Vec<Pair> {
    let (fresh, mut pairs): (Aabbs, _) = (boxes.iter().collect(), Vec::new());
    Detector::new()
        .candidates(&fresh, &fresh, During::Start, &mut pairs)
        .unwrap();
    pairs
}

/// Lists are kept by the serial number of a tree: the list of one store is not that of another one with as many shapes.
#[test]
fn stores_of_equal_length_have_lists_of_their_own() {
    let mut rng = rng("equal lengths");
    for round in 0..8 {
        let mut stores: Vec<Aabbs> = (0..3)
            .map(|_| (0..90).map(|_| random_aabb(&mut rng, 2.5)).collect())
            .collect();
        let mut detector = Detector::new();
        let mut pairs = Vec::new();
        for k in 0..3 {
            detector.prepare(&stores[(k + round) % 3]);
        }
        for frame in 0..60 {
            // One store in use until its list is kept, then another.
            let k = frame / [1, 4, 7][round % 3] % 3;
            if rng.random_bool(0.5) {
                let k = rng.random_range(0..3);
                let aabb = random_aabb(&mut rng, 2.5);
                stores[k].set(rng.random_range(0..90), aabb).unwrap();
            }
            detector
                .candidates(&stores[k], &stores[k], During::Start, &mut pairs)
                .unwrap();
            assert!(
                pairs == pairs_of(&stores[k]),
                "round {round}, frame {frame}"
            );
        }
    }
}

/// A level at rest in which a door begins to move during the frame, and stops.
#[test]
fn doors_may_move_during_the_frame() {
    let mut rng = rng("moving doors");
    let mut boxes: Aabbs = (0..500).map(|_| random_aabb(&mut rng, 6.0)).collect();
    let movers: Spheres = (0..100).map(|_| random_sphere(&mut rng, 6.0)).collect();
    let mut detector = Detector::new();
    detector.prepare(&boxes);
    for frame in 0..60 {
        if frame % 4 == 1 {
            let way = if frame % 8 == 1 {
                within(&mut rng, 3.0)
            } else {
                [0.0; 3]
            };
            boxes.set_displacement(7, way).unwrap();
            boxes.set(9, random_aabb(&mut rng, 6.0)).unwrap();
        }
        let mut fresh: Aabbs = boxes.iter().collect();
        fresh
            .set_displacement(7, boxes.displacement(7).unwrap())
            .unwrap();
        let expected = answers(&mut Detector::new(), &movers, &fresh);
        assert!(
            answers(&mut detector, &movers, &boxes) == expected,
            "frame {frame}"
        );
    }
}

/// The frame's bounds of boxes that do not rotate are those of their ways, and at rest those at the start.
#[test]
fn bounds_at_rest_are_those_of_the_frame() {
    let mut rng = rng("bounds at rest");
    let mut boxes = Obbs::new();
    for _ in 0..20_000 {
        let angle = rng.random_range(0.0..3.2f32);
        let half_extents = [
            1.0,
            rng.random_range(0.0..1e-3),
            rng.random_range(0.0..1e-3),
        ];
        boxes.push(Obb {
            center: within(&mut rng, 10.0),
            half_extents,
            rotation: [0.0, 0.0, (0.5 * angle).sin(), (0.5 * angle).cos()],
        });
    }
    let (mut at_start, mut of_frame) = (Aabbs::new(), Aabbs::new());
    boxes.bounds(During::Start, &mut at_start);
    boxes.bounds(During::Frame, &mut of_frame);
    assert!(at_start.iter().eq(of_frame.iter()));
}

/// Far from the origin the bounds of targets are clamped, and reach further than their numbers say.
#[test]
fn ways_to_targets_at_the_limit_are_whole() {
    let most = phalanx::MAX_LENGTH;
    let mut rays = Points::new();
    rays.push_moving(
        Point {
            position: [0.9 * most, -0.98 * most, 0.0],
        },
        [0.4 * most, 0.98 * most, 0.0],
    );
    let mut spheres = Spheres::new();
    for k in 0..100 {
        spheres.push(Sphere {
            center: [most, 0.0, 0.0],
            radius: (0.5 - 0.001 * k as f32) * most,
        });
    }
    let expected = by_sweeps(&rays, &spheres, |_, _| true);
    assert_eq!(found(&mut Detector::new(), &rays, &spheres), expected);
}

#[test]
fn shapes_in_few_places_are_found_by_their_index() {
    let mut rng = rng("steady places");
    for round in 0..20 {
        let places: Vec<Aabb> = (0..1 + round % 4)
            .map(|_| random_aabb(&mut rng, 1.5))
            .collect();
        let mut boxes: Aabbs = (0..300)
            .map(|_| match rng.random_range(0..8) {
                0 => random_aabb(&mut rng, 6.0),
                _ => places[rng.random_range(0..places.len())],
            })
            .collect();
        let mut movers: Spheres = (0..200).map(|_| random_sphere(&mut rng, 3.0)).collect();
        for i in 0..200 {
            let way = within(&mut rng, [0.0, 6.0][i as usize % 2] + 1e-30);
            movers.set_displacement(i, way).unwrap();
            boxes.set_body(i, i % 7).unwrap();
            movers.set_body(i, i % 5).unwrap();
        }
        let mut detector = Detector::new();
        // Twice: the second search is of a kept tree.
        for _ in 0..2 {
            let admits = |i, k| i >= 200 || k >= 200 || i % 5 != k % 7;
            assert_eq!(
                found(&mut detector, &movers, &boxes),
                by_sweeps(&movers, &boxes, admits)
            );
            let admits = |i, k| i != k && (i >= 200 || k >= 200 || i % 7 != k % 7);
            assert_eq!(
                found(&mut detector, &boxes, &boxes),
                by_sweeps(&boxes, &boxes, admits)
            );
        }
    }
}

/// A change of a store.
type Change<T> = fn(&mut Store<T>);

/// Pairs of one shape with all of a store are those of a list, before and after each change.
fn one_to_all_is_a_list<A, B>(ones: [A; 2], store: &Store<B>, changes: &[Change<B>])
where
    A: Bounded + Sweep<B> + Overlap<B>,
    B: Bounded,
{
    let (mut detector, mut overlaps, mut sweeps) =
        (Detector::new(), Overlaps::new(), Sweeps::new());
    let (ones, mut store) = (Store::from_slice(&ones), store.clone());
    let mut bits = |store: &Store<B>, pairs: Pairs<'_>| {
        detector
            .overlap(&ones, store, pairs, &mut overlaps)
            .unwrap();
        detector.sweep(&ones, store, pairs, &mut sweeps).unwrap();
        [
            overlaps.words(),
            sweeps.words(),
            overlaps.invalid_words(),
            sweeps.invalid_words(),
        ]
        .concat()
    };
    let mut compare = |store: &Store<B>| {
        for one in [0, 1, 0] {
            let list: Vec<Pair> = (0..store.len() as u32).map(|b| Pair::new(one, b)).collect();
            let by_rule = bits(store, Pairs::one_to_all(one));
            assert_eq!(by_rule, bits(store, list.as_slice().into()));
        }
    };
    compare(&store);
    for change in changes {
        change(&mut store);
        compare(&store);
    }
}

#[test]
fn shapes_that_become_invalid_are_invalid_to_one_shape() {
    const BAD: [f32; 3] = [f32::NAN; 3];
    const BAD_SPHERE: Sphere = Sphere {
        center: BAD,
        radius: 1.0,
    };
    let mut rng = rng("steady one to all");
    let mut boxes = Aabbs::new();
    let mut spheres = Spheres::new();
    for _ in 0..200 {
        boxes.push(random_aabb(&mut rng, 9.0));
        spheres.push(random_sphere(&mut rng, 9.0));
    }
    const BAD_BOX: Aabb = Aabb { min: BAD, max: BAD };
    const GOOD_BOX: Aabb = Aabb {
        min: [-3.0; 3],
        max: [3.0; 3],
    };
    let changes: [Change<Aabb>; 9] = [
        |store| store.set(70, BAD_BOX).unwrap(),
        |store| store.set(70, GOOD_BOX).unwrap(),
        |store| store.set_displacement(3, BAD).unwrap(),
        |store| store.set_displacement(3, [0.0; 3]).unwrap(),
        |store| {
            store.push(BAD_BOX);
        },
        |store| {
            store.swap_remove(5);
        },
        |store| store.truncate(190),
        |store| store.columns_mut().min[0][100] = f32::NAN,
        |store| store.extend_from_slice(&[BAD_BOX; 40]),
    ];
    one_to_all_is_a_list([GOOD_BOX, BAD_BOX], &boxes, &changes);
    let sphere = Sphere {
        center: [0.0; 3],
        radius: 4.0,
    };
    one_to_all_is_a_list([sphere, BAD_SPHERE], &boxes, &changes);
    let changes: [Change<Sphere>; 3] = [
        |store| store.set(199, BAD_SPHERE).unwrap(),
        |store| {
            store.swap_remove(199);
        },
        |store| store.columns_mut().radius[0] = -1.0,
    ];
    one_to_all_is_a_list([GOOD_BOX, BAD_BOX], &spheres, &changes);
    one_to_all_is_a_list([sphere, BAD_SPHERE], &spheres, &changes);
}
