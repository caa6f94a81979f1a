//! Memory is proportional to the returned list, and running out of memory is an error.

#[path = "common/counting.rs"]
mod counting;

use counting::{peak_of, with_largest};
use phalanx::{
    ClosestPoints, Contacts, Detector, Distances, During, Error, Impacts, Neighbors, Obb, Obbs,
    OrderedHits, Overlaps, Pair, Sphere, Spheres, Sweeps,
};

/// Maximum number of bytes of a call for each shape, in addition to three times its list.
const PER_SHAPE: usize = 1024;

/// Finds the candidates of one store in a new frame, and checks the memory of the call.
#[track_caller]
fn candidates_in_bounds(detector: &mut Detector, store: &Spheres, pairs: &mut Vec<Pair>) {
    // The list of the previous frame also counts.
    let held = pairs.capacity();
    let peak = peak_of(|| {
        detector
            .candidates(store, store, During::Start, pairs)
            .unwrap();
    });
    let list = size_of::<Pair>() * pairs.len();
    let limit = 3 * list + PER_SHAPE * store.len();
    assert!(peak <= limit, "{peak} bytes for {} pairs", pairs.len());
    let most = held.max(pairs.len() + pairs.len() / 8) + 16 * store.len();
    assert!(pairs.capacity() <= most, "{} of {most}", pairs.capacity());
}

/// Sparse large spheres and dense small spheres that do not touch, evenly mixed.
fn mixed(small: usize, place: impl Fn(usize) -> Sphere, radius: f32) -> Spheres {
    let large = small * 13 / 12;
    let side = (large as f64).cbrt().ceil() as usize;
    let mut store = Spheres::new();
    let (mut next_large, mut next_small) = (0, 0);
    for i in 0..small + large {
        if (i + 1) * large / (small + large) > next_large {
            let at = |k: usize| 2.5 * radius * k as f32 + 5.0 * radius + 400.0;
            let k = next_large;
            let center = [k % side, k / side % side, k / side / side].map(at);
            store.push(Sphere { center, radius });
            next_large += 1;
        } else {
            store.push(place(next_small));
            next_small += 1;
        }
    }
    store
}

/// Frames of a jittering scene: pairs of fat AABBs are cached from the second frame on.
fn frames_in_bounds(mut store: Spheres, step: f32, parallel: bool) {
    let mut detector = Detector::new().parallel(parallel);
    let mut pairs = Vec::new();
    for _ in 0..50 {
        for x in &mut *store.columns_mut().center[0] {
            *x += step;
        }
        candidates_in_bounds(&mut detector, &store, &mut pairs);
        assert!(pairs.is_empty());
    }
}

fn one_place(len: usize) -> Spheres {
    (0..len).map(|_| Sphere::default()).collect()
}

// A single test in this file, because allocations of other threads would count.
#[test]
fn memory_follows_the_list_and_its_lack_is_an_error() {
    // Grains of 4 mm, 1 cm apart, beside boulders of 20 m.
    let grain = |s: usize| {
        let center = [s % 15, s / 15 % 15, s / 225].map(|k| 0.01 * k as f32);
        let radius = 0.004;
        Sphere { center, radius }
    };
    // People of 0.3 m, one on each square metre, among buildings of 50 m.
    let person = |s: usize| {
        let center = [(s % 55) as f32, 0.0, (s / 55) as f32];
        let radius = 0.3;
        Sphere { center, radius }
    };
    for parallel in [false, true] {
        frames_in_bounds(mixed(3000, grain, 20.0), 1e-5, parallel);
        frames_in_bounds(mixed(3000, person, 50.0), 0.02, parallel);
        // A few grains whose fat AABBs all overlap, and boulders 50 m apart.
        let few = |s: usize| {
            let grain = s < 330;
            let place = if grain {
                [s % 15, s / 15 % 15, s / 225].map(|k| 0.01 * k as f32)
            } else {
                [50.0 * (s - 329) as f32, 0.0, 0.0]
            };
            Sphere {
                center: place,
                radius: if grain { 0.004 } else { 20.0 },
            }
        };
        frames_in_bounds((0..750).map(few).collect(), 0.1, parallel);
        // Few pairs for each shape, many, and so many that their memory is freed during sorting.
        for len in [100, 700, 3000, 6000] {
            let (mut detector, mut pairs) = (Detector::new().parallel(parallel), Vec::new());
            let store = one_place(len);
            for _ in 0..3 {
                candidates_in_bounds(&mut detector, &store, &mut pairs);
                assert_eq!(pairs.len(), len * (len - 1) / 2);
            }
        }
    }

    // A list that cannot be allocated: the old list stays, and the detector still works.
    let (mut detector, mut pairs) = (Detector::new(), vec![Pair::new(1, 2)]);
    let store = one_place(6000);
    for largest in [100 << 20, 10 << 20, 1 << 20, 100 << 10] {
        let result = with_largest(largest, || {
            detector.candidates(&store, &store, During::Start, &mut pairs)
        });
        match result {
            Err(Error::OutOfMemory { pairs, .. }) => assert!(pairs <= 6000 * 5999 / 2),
            other => panic!("{other:?}"),
        }
        if largest > 50 << 20 {
            let text = result.unwrap_err().to_string();
            assert_eq!(text, "out of memory: 17997000 pairs");
        }
        assert_eq!(pairs, [Pair::new(1, 2)]);
    }
    let few = one_place(10);
    detector
        .candidates(&few, &few, During::Start, &mut pairs)
        .unwrap();
    assert_eq!(pairs.len(), 45);

    // Lists of hits and neighbors: memory follows what is wanted, not what is found.
    let store = one_place(2000);
    for (parallel, most) in [(false, 3), (true, 3), (false, 1999), (true, usize::MAX)] {
        let mut detector = Detector::new().parallel(parallel);
        let (mut near, mut hits) = (Neighbors::new(), OrderedHits::new());
        let entries = 2000 * most.min(1999);
        let limit = 3 * 3 * size_of::<f32>() * entries + PER_SHAPE * store.len();
        for _ in 0..2 {
            let peak = peak_of(|| {
                detector
                    .neighbors(&store, &store, 1.0, most, &mut near)
                    .unwrap();
            });
            assert!(peak <= limit, "{peak} bytes for {entries} neighbors");
            let peak = peak_of(|| {
                detector
                    .ordered_hits(&store, &store, most, &mut hits)
                    .unwrap();
            });
            assert!(peak <= limit, "{peak} bytes for {entries} hits");
            assert_eq!((near.count(), hits.count()), (entries, entries));
        }
    }
    // A few lists that grow at the same time.
    let (centers, many) = (one_place(40), one_place(30_000));
    let (mut detector, mut hits) = (Detector::new(), OrderedHits::new());
    let peak = peak_of(|| {
        detector
            .ordered_hits(&centers, &many, usize::MAX, &mut hits)
            .unwrap();
    });
    let list = 3 * size_of::<f32>() * 40 * 30_000;
    assert!(peak <= 5 * list + PER_SHAPE * 30_000, "{peak} bytes");
    assert_eq!(hits.count(), 40 * 30_000);
    let (mut near, mut hits) = (Neighbors::new(), OrderedHits::new());
    detector.neighbors(&few, &few, 1.0, 2, &mut near).unwrap();
    detector.ordered_hits(&few, &few, 2, &mut hits).unwrap();
    for largest in [10 << 20, 1 << 20, 100 << 10] {
        for refused in with_largest(largest, || {
            let most = usize::MAX;
            [
                detector.neighbors(&store, &store, 1.0, most, &mut near),
                detector.ordered_hits(&store, &store, most, &mut hits),
            ]
        }) {
            match refused {
                Err(Error::OutOfMemory { pairs, .. }) => assert!(pairs <= 2000 * 1999),
                other => panic!("{largest}: {other:?}"),
            }
        }
        assert_eq!((near.count(), hits.count()), (20, 20));
    }

    // Results of a list.
    let boxes = Obbs::from_slice(&[Obb::default(); 3]);
    let long = vec![[0, 1]; 1 << 20];
    let out_of_memory = "out of memory: 1048576 pairs";
    let out_of_memory = |result: Result<(), Error>| {
        assert_eq!(result.unwrap_err().to_string(), out_of_memory);
    };
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    let (mut contacts, mut impacts) = (Contacts::new(), Impacts::new());
    let short = [[0, 1], [0, 2]];
    detector
        .overlap(&boxes, &boxes, &short, &mut overlaps)
        .unwrap();
    detector.sweep(&boxes, &boxes, &short, &mut sweeps).unwrap();
    with_largest(100 << 10, || {
        out_of_memory(detector.overlap(&boxes, &boxes, &long, &mut overlaps));
        out_of_memory(detector.sweep(&boxes, &boxes, &long, &mut sweeps));
        out_of_memory(detector.contact(&boxes, &boxes, &long, &mut contacts));
        out_of_memory(detector.impact(&boxes, &boxes, &long, 1e-3, &mut impacts));
    });
    assert_eq!((overlaps.len(), overlaps.count()), (2, 2));
    assert_eq!((sweeps.len(), sweeps.count()), (2, 2));
    // Distances and points: the first failed allocation leaves all columns unchanged.
    let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
    detector
        .distance_points(&boxes, &boxes, &short, &mut distances, &mut points)
        .unwrap();
    let before = (distances.clone(), points.clone());
    for largest in [100 << 10, 1 << 20, 3 << 20] {
        with_largest(largest, || {
            out_of_memory(detector.distance(&boxes, &boxes, &long, &mut distances));
            let both = (&mut distances, &mut points);
            out_of_memory(detector.distance_points(&boxes, &boxes, &long, both.0, both.1));
        });
        assert_eq!((&distances, &points), (&before.0, &before.1));
    }
    // Memory suffices for the masks, not for the contacts.
    with_largest(1 << 20, || {
        detector
            .overlap(&boxes, &boxes, &long, &mut overlaps)
            .unwrap();
        out_of_memory(detector.contact(&boxes, &boxes, &long, &mut contacts));
    });
    assert_eq!((contacts.len(), contacts.count()), (0, 0));
    detector
        .contact(&boxes, &boxes, &long, &mut contacts)
        .unwrap();
    assert_eq!(contacts.count(), 1 << 20);
}
