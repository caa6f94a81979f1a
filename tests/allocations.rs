//! Serial calls do not allocate after warm-up, with moving and with static shapes.

#[path = "common/counting.rs"]
mod counting;

use counting::allocations_of;
use phalanx::traits::Shape;
use phalanx::{
    Aabb, ClosestPoints, Contacts, Detector, Distances, During, FirstHits, Impacts, Mesh, Obb,
    Overlaps, Pair, Pairs, Point, Sphere, SpheresRef, Store, Sweeps,
};

fn shapes<T: Shape>(shape: T) -> Store<T> {
    std::iter::repeat_n(shape, 1000).collect()
}

/// Asserts that after `first` calls, `others` calls do not allocate.
#[track_caller]
fn allocates_at_first_only(first: usize, others: usize, call: &mut dyn FnMut()) {
    for _ in 0..first {
        call();
    }
    let calls = allocations_of(|| (0..others).for_each(|_| call()));
    assert_eq!(calls, 0);
}

// A single test in this file, because allocations of other threads would count.
#[test]
fn serial_calls_reuse_their_memory() {
    let spheres = shapes(Sphere {
        center: [0.0; 3],
        radius: 1.0,
    });
    let boxes = shapes(Aabb {
        min: [0.0; 3],
        max: [1.0; 3],
    });
    let obbs = shapes(Obb {
        half_extents: [1.0; 3],
        ..Obb::default()
    });
    let long: Vec<Pair> = (0..5000)
        .map(|i| Pair {
            a: i % 1000,
            b: i * 7 % 1000,
        })
        .collect();
    // Long enough that a parallel detector would share it among threads.
    let longest = long.repeat(30);
    let mut detector = Detector::new().parallel(false);
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    let mut frame = || {
        for pairs in [
            Pairs::from(&longest),
            Pairs::from(&long),
            Pairs::from(&long[..10]),
            Pairs::zip(),
            Pairs::one_to_all(3),
        ] {
            detector
                .overlap(&spheres, &spheres, pairs, &mut overlaps)
                .unwrap();
            detector
                .sweep(&spheres, &spheres, pairs, &mut sweeps)
                .unwrap();
            detector
                .overlap(&boxes, &boxes, pairs, &mut overlaps)
                .unwrap();
            detector.sweep(&boxes, &boxes, pairs, &mut sweeps).unwrap();
            detector
                .overlap(&obbs, &obbs, pairs, &mut overlaps)
                .unwrap();
        }
        assert!(overlaps.iter().count() == 1000 && sweeps.iter().count() == 1000);
    };
    // The second call packs the cached rows.
    let first = allocations_of(&mut frame);
    assert!(first > 0, "nothing is counted");
    allocates_at_first_only(1, 3, &mut frame);

    // Calls of a single kind.
    let (mut detector, mut sweeps) = (Detector::new().parallel(false), Sweeps::new());
    let mut sweep = || {
        let pairs = Pairs::from(&longest);
        detector.sweep(&boxes, &boxes, pairs, &mut sweeps).unwrap();
    };
    allocates_at_first_only(1, 2, &mut sweep);

    // Short lists over unchanged stores: after some calls the rows are cached.
    let (mut detector, mut overlaps) = (Detector::new().parallel(false), Overlaps::new());
    let mut overlap = || {
        let pairs = Pairs::from(&long[..30]);
        detector
            .overlap(&boxes, &obbs, pairs, &mut overlaps)
            .unwrap();
    };
    allocates_at_first_only(12, 50, &mut overlap);

    // The detector's memory is freed and reallocated.
    detector.shrink();
    allocates_at_first_only(1, 2, &mut || {
        let view = SpheresRef::new(spheres.columns()).unwrap();
        let pairs = Pairs::from(&long);
        detector
            .overlap(&view, &view, pairs, &mut overlaps)
            .unwrap();
    });

    // Frames in which all shapes move, with several lists of each length.
    let (mut movers, mut rocks) = (spheres.clone(), obbs.clone());
    let (mut detector, mut overlaps, mut sweeps) = (
        Detector::new().parallel(false),
        Overlaps::new(),
        Sweeps::new(),
    );
    let mut frame = || {
        movers.columns_mut().center[0][3] += 1.0;
        rocks.set(5, Obb::default()).unwrap();
        for pairs in [
            Pairs::from(&long),
            Pairs::from(&long[..30]),
            Pairs::one_to_all(3),
            Pairs::one_to_all(4),
        ] {
            for _ in 0..3 {
                detector
                    .overlap(&movers, &rocks, pairs, &mut overlaps)
                    .unwrap();
                detector
                    .sweep(&movers, &movers, pairs, &mut sweeps)
                    .unwrap();
            }
        }
    };
    allocates_at_first_only(2, 20, &mut frame);

    // Contacts of all lists, at the start and at the time of impact.
    let mut detector = Detector::new().parallel(false);
    let (mut contacts, mut sweeps) = (Contacts::new(), Sweeps::new());
    let mut frame = || {
        rocks.set(5, Obb::default()).unwrap();
        for pairs in [
            Pairs::from(&long),
            Pairs::from(&long[..30]),
            Pairs::zip(),
            Pairs::one_to_all(3),
        ] {
            detector
                .contact(&rocks, &obbs, pairs, &mut contacts)
                .unwrap();
            detector
                .sweep_contacts(&spheres, &rocks, pairs, &mut sweeps, &mut contacts)
                .unwrap();
            assert!(contacts.count() >= 30);
        }
    };
    allocates_at_first_only(2, 20, &mut frame);

    // Impacts of all lists, with rotating boxes.
    let mut detector = Detector::new().parallel(false);
    let mut impacts = Impacts::new();
    let mut frame = || {
        rocks.set_turn(5, [0.1, 0.2, 0.3]).unwrap();
        for pairs in [
            Pairs::from(&long),
            Pairs::from(&long[..30]),
            Pairs::zip(),
            Pairs::one_to_all(3),
        ] {
            detector
                .impact(&rocks, &obbs, pairs, 1e-3, &mut impacts)
                .unwrap();
            assert!(impacts.count() >= 30);
            detector
                .impact(&spheres, &rocks, pairs, 1e-3, &mut impacts)
                .unwrap();
        }
    };
    allocates_at_first_only(2, 20, &mut frame);

    // Distances of all lists, with and without points.
    let mut detector = Detector::new().parallel(false);
    let (mut distances, mut closest) = (Distances::new(), ClosestPoints::new());
    let points: Store<Point> = shapes(Point::default());
    let mut frame = || {
        rocks.set(5, Obb::default()).unwrap();
        for pairs in [
            Pairs::from(&long),
            Pairs::from(&long[..30]),
            Pairs::zip(),
            Pairs::one_to_all(3),
        ] {
            detector
                .distance(&rocks, &obbs, pairs, &mut distances)
                .unwrap();
            detector
                .distance_points(&points, &rocks, pairs, &mut distances, &mut closest)
                .unwrap();
            assert!(distances.len() >= 30 && closest.len() == distances.len());
        }
    };
    allocates_at_first_only(2, 20, &mut frame);

    // Several stores in turn, one of them larger, and a view of each.
    let mut stores: Vec<Store<Sphere>> = (0..12).map(|_| spheres.clone()).collect();
    stores[5].extend_from_slice(&[Sphere::default(); 1000]);
    let views: Vec<SpheresRef> = stores
        .iter()
        .map(|store| SpheresRef::new(store.columns()).unwrap())
        .collect();
    let (mut detector, mut sweeps) = (Detector::new().parallel(false), Sweeps::new());
    let mut sweep = || {
        for (store, view) in stores.iter().zip(&views) {
            for pairs in [Pairs::from(&long), Pairs::from(&long[..30])] {
                detector.sweep(store, store, pairs, &mut sweeps).unwrap();
                detector.sweep(view, store, pairs, &mut sweeps).unwrap();
                detector
                    .sweep(&stores[5], view, pairs, &mut sweeps)
                    .unwrap();
            }
        }
    };
    allocates_at_first_only(40, 50, &mut sweep);

    // Candidates of moving shapes, within their store and against a level: far motion, then motion so small that lists
    // last.
    let level: Store<Aabb> = (0..1000)
        .map(|i| {
            let [x, y] = [i % 32, i / 32].map(|k| 1.4 * k as f32);
            Aabb::from_center_half_extents([x, y, 0.0], [0.8; 3])
        })
        .collect();
    let mut movers = level.clone();
    let mut detector = Detector::new().parallel(false);
    let (mut within, mut between, mut number) = (Vec::new(), Vec::new(), 0u32);
    for speed in [1.0, 0.001] {
        let mut frame = || {
            number += 1;
            let by = speed * (number % 4) as f32;
            for (i, x) in movers.columns_mut().min[0].iter_mut().enumerate() {
                *x = 1.4 * (i % 32) as f32 - 0.8 - by * (i % 3) as f32;
            }
            for during in [During::Start, During::Frame] {
                detector
                    .candidates(&movers, &movers, during, &mut within)
                    .unwrap();
                detector
                    .candidates(&movers, &level, during, &mut between)
                    .unwrap();
            }
            assert!(within.len() > 1000 && between.len() > 1000);
        };
        allocates_at_first_only(100, 300, &mut frame);
    }

    // First hits and any hits of moving shapes, in a level and in their own store.
    let (mut firsts, mut any, mut number) = (FirstHits::new(), Overlaps::new(), 0u32);
    let mut frame = || {
        number += 1;
        for i in 0..movers.len() as u32 {
            let by = (number % 4 + i % 3) as f32;
            movers.set_displacement(i, [by, 0.5 * by, -0.1]).unwrap();
        }
        detector.first_hits(&movers, &level, &mut firsts).unwrap();
        detector.nearer_hits(&movers, &movers, &mut firsts).unwrap();
        for during in [During::Start, During::Frame] {
            detector
                .meets_any(&movers, &level, during, &mut any)
                .unwrap();
        }
        let during = During::Way;
        detector
            .candidates(&movers, &level, during, &mut between)
            .unwrap();
        assert!(firsts.count() == 1000 && any.count() == 1000 && between.len() > 1000);
    };
    allocates_at_first_only(40, 100, &mut frame);
    // Points in a closed mesh that is placed in each frame.
    let corners = [
        [-9.0; 3],
        [90.0, -9.0, -9.0],
        [-9.0, 90.0, -9.0],
        [-9.0, -9.0, 90.0],
    ];
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let at_rest = Mesh::new(&corners, &faces).unwrap();
    let (mut mesh, mut number) = (at_rest.clone(), 0u32);
    let mut frame = || {
        number += 1;
        let position = [0.5 * (number % 4) as f32, 0.0, 0.0];
        mesh.place(&at_rest, position, [0.0, 0.0, 0.0, 1.0])
            .unwrap();
        detector.inside(&points, &mesh, &mut any).unwrap();
        assert_eq!(any.count(), points.len());
    };
    allocates_at_first_only(4, 50, &mut frame);
    // Candidates of scenes of one size in turn, at rest and moving, with many pairs and few.
    let scene = |reach: f32| -> Store<Aabb> {
        let mut word = 1u32;
        let mut random = || {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            reach * (word >> 8) as f32 / (1 << 24) as f32
        };
        (0..5000)
            .map(|_| Aabb::from_center_half_extents([random(), random(), random()], [0.5; 3]))
            .collect()
    };
    for moves in [false, true] {
        let mut scenes = [9.0, 12.0, 24.0].map(scene);
        let (mut detector, mut number) = (Detector::new().parallel(false), 0);
        let mut frame = || {
            number += 1;
            for scene in &mut scenes {
                if moves {
                    scene.columns_mut().min[0][number % 7] -= 1e-3;
                }
                detector
                    .candidates(scene, scene, During::Start, &mut within)
                    .unwrap();
                assert!(within.len() > 1000);
            }
        };
        allocates_at_first_only(100, 60, &mut frame);
    }
}
