//! Invalid structure is an error with its place and changes nothing; invalid values are flags; stores return the values
//! they were given.

use phalanx::{
    Aabb, AabbColumns, Aabbs, AabbsRef, Capsule, ClosestPoints, ContactColumns, ContactPointVecs,
    Contacts, Defect, Detector, Distances, During, Error, FirstHit, HalfSpace, Impacts, MAX_LENGTH,
    Mesh, Obb, ObbColumns, Obbs, ObbsRef, OverlapWords, Overlaps, Pair, Pairs, Plane, Planes,
    Point, Shapes, Simd, Sphere, SphereColumns, Spheres, SpheresRef, SweepColumns, Sweeps,
    TimeInterval, Triangle,
};

fn ball(x: f32) -> Sphere {
    Sphere {
        center: [x, 0.0, 0.0],
        radius: 1.0,
    }
}

fn balls(xs: &[f32]) -> Spheres {
    xs.iter().map(|x| ball(*x)).collect()
}

#[test]
fn an_index_out_of_range_is_named_and_nothing_changes() {
    let spheres = balls(&[0.0, 1.0, 9.0]);
    let mut detector = Detector::new();
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    let good = [[0, 1], [0, 2]];
    detector
        .overlap(&spheres, &spheres, &good, &mut overlaps)
        .unwrap();
    detector
        .sweep(&spheres, &spheres, &good, &mut sweeps)
        .unwrap();
    let before = (overlaps.clone(), sweeps.clone());

    for len in [1, 7, 64, 65, 5000, 100_000] {
        for position in [0, len / 2, len - 1] {
            for bad in [
                Pair { a: 3, b: 0 },
                Pair { a: 0, b: 3 },
                Pair {
                    a: u32::MAX,
                    b: u32::MAX,
                },
            ] {
                let mut pairs = vec![Pair { a: 0, b: 1 }; len];
                pairs[position] = bad;
                let errors = [
                    detector
                        .overlap(&spheres, &spheres, &pairs, &mut overlaps)
                        .unwrap_err(),
                    detector
                        .sweep(&spheres, &spheres, &pairs, &mut sweeps)
                        .unwrap_err(),
                ];
                for error in errors {
                    let Error::PairOutOfBounds {
                        position: at,
                        pair,
                        len_a,
                        len_b,
                        ..
                    } = error
                    else {
                        panic!("{error}");
                    };
                    assert_eq!((at, pair, len_a, len_b), (position, bad, 3, 3));
                }
                assert_eq!((overlaps.clone(), sweeps.clone()), before);
            }
        }
    }
    let text = detector
        .overlap(&spheres, &spheres, &[[0, 7]], &mut overlaps)
        .unwrap_err();
    assert_eq!(
        text.to_string(),
        "pair 0 is out of bounds: (0, 7), but the stores have 3 and 3 shapes"
    );
}

#[test]
fn zip_needs_equal_lengths() {
    let mut overlaps = Overlaps::new();
    let (two, three) = (balls(&[0.0, 1.0]), balls(&[0.0, 1.0, 2.0]));
    let mut detector = Detector::new();
    detector
        .overlap(&two, &two, Pairs::zip(), &mut overlaps)
        .unwrap();
    let before = overlaps.clone();
    let error = detector
        .overlap(&two, &three, Pairs::zip(), &mut overlaps)
        .unwrap_err();
    assert!(
        matches!(
            error,
            Error::LengthMismatch {
                len_a: 2,
                len_b: 3,
                ..
            }
        ),
        "{error}"
    );
    let error = detector
        .overlap(&two, &three, Pairs::one_to_all(2), &mut overlaps)
        .unwrap_err();
    assert!(
        matches!(
            error,
            Error::IndexOutOfBounds {
                index: 2,
                len: 2,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(overlaps, before);
}

#[test]
fn empty_lists_are_valid() {
    let (none, one) = (Spheres::new(), balls(&[0.0]));
    let mut detector = Detector::new();
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    detector
        .overlap(&one, &one, &[[0, 0]], &mut overlaps)
        .unwrap();
    assert_eq!(overlaps.count(), 1);
    detector
        .overlap(&none, &none, &[] as &[Pair], &mut overlaps)
        .unwrap();
    assert!(overlaps.is_empty() && overlaps.words().is_empty() && !overlaps.is_hit(0));
    detector
        .sweep(&none, &none, Pairs::zip(), &mut sweeps)
        .unwrap();
    detector
        .sweep(&one, &none, Pairs::one_to_all(0), &mut sweeps)
        .unwrap();
    assert!(sweeps.is_empty() && sweeps.get(0).is_none() && sweeps.iter().next().is_none());
}

#[test]
fn bad_values_flag_their_pairs_only() {
    let mut spheres = balls(&[0.0, 1.0, 0.5, 0.5]);
    spheres
        .set(
            2,
            Sphere {
                center: [f32::NAN, 0.0, 0.0],
                radius: 1.0,
            },
        )
        .unwrap();
    spheres
        .set(
            3,
            Sphere {
                center: [0.0; 3],
                radius: -1.0,
            },
        )
        .unwrap();
    let pairs = [[0, 1], [0, 2], [2, 1], [0, 1], [3, 0], [3, 2], [1, 1]];
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    let mut detector = Detector::new();
    detector
        .overlap(&spheres, &spheres, &pairs, &mut overlaps)
        .unwrap();
    detector
        .sweep(&spheres, &spheres, &pairs, &mut sweeps)
        .unwrap();
    let hits: Vec<_> = overlaps.iter().collect();
    assert_eq!(hits, [0, 3, 6]);
    assert_eq!(overlaps.iter_invalid().collect::<Vec<_>>(), [1, 2, 4, 5]);
    assert_eq!((overlaps.invalid_count(), sweeps.invalid_count()), (4, 4));
    assert_eq!(sweeps.iter().map(|(i, _)| i).collect::<Vec<_>>(), hits);
    assert_eq!(
        sweeps.get(0),
        Some(TimeInterval {
            enter: 0.0,
            exit: 1.0
        })
    );
    assert_eq!(
        (sweeps.enter()[1], sweeps.exit()[1]),
        (f32::INFINITY, f32::INFINITY)
    );

    // An overlap ignores displacements.
    spheres.set_displacement(0, [f32::NAN; 3]).unwrap();
    detector
        .overlap(&spheres, &spheres, &[[0, 1]], &mut overlaps)
        .unwrap();
    detector
        .sweep(&spheres, &spheres, &[[0, 1]], &mut sweeps)
        .unwrap();
    assert!(overlaps.is_hit(0) && !sweeps.is_hit(0) && sweeps.is_invalid(0));
}

#[test]
fn validate_names_the_first_bad_shape() {
    fn first(error: Result<(), Error>) -> (u32, Defect) {
        match error {
            Err(Error::BadShape { index, defect, .. }) => (index, defect),
            other => panic!("{other:?}"),
        }
    }
    let mut spheres = balls(&[0.0; 5]);
    spheres.validate().unwrap();
    spheres
        .set_displacement(4, [0.0, f32::INFINITY, 0.0])
        .unwrap();
    let (index, defect) = first(spheres.validate());
    assert_eq!(
        (index, defect.to_string().as_str()),
        (
            4,
            "displacement[1] is inf, not finite: an endless ray reaches to the end of the scene"
        )
    );
    spheres
        .set(
            3,
            Sphere {
                radius: -0.5,
                ..ball(0.0)
            },
        )
        .unwrap();
    let (index, defect) = first(spheres.validate());
    assert_eq!(
        (index, defect.to_string().as_str()),
        (3, "radius is -0.5, negative")
    );
    spheres.set(1, ball(2.0 * MAX_LENGTH)).unwrap();
    let (index, defect) = first(spheres.validate());
    assert!(
        matches!(
            defect,
            Defect::TooLarge {
                field: "center",
                ..
            }
        ),
        "{index} {defect}"
    );

    let crossed = Aabb {
        min: [0.0, 1.0, 0.0],
        max: [1.0, 0.0, 1.0],
    };
    let boxes = Aabbs::from_slice(&[Aabb::default(), crossed]);
    let (index, defect) = first(boxes.validate());
    assert_eq!(
        (index, defect.to_string().as_str()),
        (1, "min[1] is 1, above max[1], 0")
    );

    let flat = Plane {
        normal: [0.0, 1e-40, 0.0],
        d: 0.0,
    };
    let planes = Planes::from_slice(&[flat, Plane::default()]);
    assert_eq!(first(planes.validate()), (1, Defect::ZeroNormal));

    let long = Obb {
        rotation: [0.0, 0.0, 0.0, 1.002],
        ..Obb::default()
    };
    let boxes = Obbs::from_slice(&[Obb::default(), Obb::default(), long]);
    assert_eq!(
        boxes.validate().unwrap_err().to_string(),
        "shape 2 is invalid: rotation has length 1.002, not 1 within 0.001"
    );
}

#[test]
fn a_margin_is_checked_where_it_is_set() {
    for margin in [-1.0, f32::NAN, f32::INFINITY, 2.0 * MAX_LENGTH] {
        let error = Detector::new().margin(margin).unwrap_err();
        assert!(matches!(error, Error::BadMargin { .. }), "{error}");
    }
    assert_eq!(Detector::new().margin(0.5).unwrap().settings().margin, 0.5);
}

#[test]
fn set_margin_counts_from_the_next_call_and_keeps_the_old_one_on_error() {
    let spheres = balls(&[0.0, 2.5]);
    let (mut detector, mut pairs) = (Detector::new(), vec![]);
    let (mut overlaps, mut contacts) = (Overlaps::new(), Contacts::new());
    let mut hits = |detector: &mut Detector| {
        detector
            .candidates(&spheres, &spheres, During::Start, &mut pairs)
            .unwrap();
        detector
            .overlap(&spheres, &spheres, &[[0, 1]], &mut overlaps)
            .unwrap();
        detector
            .contact(&spheres, &spheres, &[[0, 1]], &mut contacts)
            .unwrap();
        assert_eq!([pairs.len(), contacts.count()], [overlaps.count(); 2]);
        overlaps.count()
    };
    assert_eq!(hits(&mut detector), 0);
    detector.set_margin(0.75).unwrap();
    assert_eq!(hits(&mut detector), 1);
    for margin in [-1.0, f32::NAN, f32::INFINITY, 2.0 * MAX_LENGTH] {
        let error = detector.set_margin(margin).unwrap_err();
        assert!(matches!(error, Error::BadMargin { .. }), "{error}");
        assert_eq!(detector.settings().margin, 0.75);
        assert_eq!(hits(&mut detector), 1);
    }
    detector.set_margin(0.25).unwrap();
    assert_eq!(hits(&mut detector), 0);
}

#[test]
fn a_store_is_a_vector_of_shapes() {
    let mut spheres = Spheres::with_capacity(4);
    assert_eq!(spheres.push(ball(0.0)), 0);
    assert_eq!(spheres.push_moving(ball(1.0), [1.0, 2.0, 3.0]), 1);
    spheres.extend([ball(2.0), ball(3.0)]);
    spheres.extend_from_slice(&[ball(4.0)]);
    assert_eq!(
        (spheres.len(), spheres.get(4), spheres.get(5)),
        (5, Some(ball(4.0)), None)
    );
    assert_eq!(spheres.displacement(1), Some([1.0, 2.0, 3.0]));
    assert_eq!(spheres.displacement(5), None);
    let all: Vec<Sphere> = (0..5).map(|x| ball(x as f32)).collect();
    assert_eq!(spheres.iter().collect::<Vec<_>>(), all);
    assert_eq!(spheres.view().iter().collect::<Vec<_>>(), all);

    assert!(matches!(
        spheres.set(5, ball(0.0)),
        Err(Error::IndexOutOfBounds {
            index: 5,
            len: 5,
            ..
        })
    ));
    assert!(spheres.set_displacement(5, [0.0; 3]).is_err());
    spheres.set(1, ball(-1.0)).unwrap();
    assert_eq!(
        spheres.displacement(1),
        Some([1.0, 2.0, 3.0]),
        "set keeps the displacement"
    );

    assert_eq!(spheres.swap_remove(0), Some(ball(0.0)));
    assert_eq!((spheres.len(), spheres.get(0)), (4, Some(ball(4.0))));
    assert_eq!(spheres.swap_remove(9), None);
    spheres.columns_mut().radius[0] = 7.0;
    spheres.columns_mut().displacement[2][0] = 8.0;
    assert_eq!(spheres.get(0).unwrap().radius, 7.0);
    assert_eq!(spheres.columns().displacement[2][0], 8.0);
    assert_eq!(spheres.columns().center[0], [4.0, -1.0, 2.0, 3.0]);
    spheres.truncate(1);
    spheres.truncate(3);
    assert_eq!(spheres.len(), 1);
    spheres.clear();
    assert!(spheres.is_empty() && spheres.get(0).is_none());
}

#[test]
fn every_way_to_add_shapes_adds_them_in_order() {
    for len in [0, 1, 31, 32, 33, 64, 300, 1000] {
        let shapes: Vec<Sphere> = (0..len).map(|i| ball(i as f32)).collect();
        let mut ways = [Spheres::new(), Spheres::new(), Spheres::new()];
        for store in &mut ways {
            store.push(ball(-1.0));
        }
        let [pushed, extended, copied] = &mut ways;
        for &shape in &shapes {
            pushed.push(shape);
        }
        // Without a lower bound of its length.
        extended.extend(shapes.iter().copied().filter(|_| true));
        copied.extend_from_slice(&shapes);
        for store in &ways {
            assert_eq!(store.len(), len + 1);
            assert_eq!(store.get(0), Some(ball(-1.0)));
            let all = (1..=len as u32).map(|i| (store.get(i), store.displacement(i)));
            let expected = shapes.iter().map(|&shape| (Some(shape), Some([0.0; 3])));
            assert!(all.eq(expected), "{len}");
        }
    }
}

/// A change to a store, and whether it affects overlaps or only sweeps.
type Change = (fn(&mut Spheres), bool);

#[test]
fn a_change_is_seen_after_calls_that_found_all_shapes_good() {
    const BAD: f32 = f32::NAN;
    let changes: [Change; 7] = [
        (|store| store.columns_mut().radius[70] = -1.0, true),
        (|store| store.columns_mut().displacement[1][3] = BAD, false),
        (|store| store.set(5, ball(BAD)).unwrap(), true),
        (
            |store| store.set_displacement(99, [0.0, BAD, 0.0]).unwrap(),
            false,
        ),
        (|store| _ = store.push(ball(BAD)), true),
        (
            |store| store.extend_from_slice(&[ball(0.0), ball(BAD)]),
            true,
        ),
        (|store| store.extend([ball(BAD)]), true),
    ];
    for (number, (change, is_told_by_overlap)) in changes.into_iter().enumerate() {
        let mut store = balls(&[0.0; 100]);
        let query = balls(&[0.0]);
        let mut detector = Detector::new();
        let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
        let mut invalid = |store: &Spheres, pairs: Pairs<'static>, a: &Spheres| {
            detector.overlap(a, store, pairs, &mut overlaps).unwrap();
            detector.sweep(a, store, pairs, &mut sweeps).unwrap();
            (overlaps.invalid_count(), sweeps.invalid_count())
        };
        for _ in 0..2 {
            assert_eq!(invalid(&store, Pairs::one_to_all(0), &query), (0, 0));
            assert_eq!(invalid(&store, Pairs::zip(), &store), (0, 0));
        }
        let copy = store.clone();
        change(&mut store);
        let expected = (usize::from(is_told_by_overlap), 1);
        for _ in 0..2 {
            let said = invalid(&store, Pairs::one_to_all(0), &query);
            assert_eq!(said, expected, "change {number}");
            let said = invalid(&store, Pairs::zip(), &store);
            assert_eq!(said, expected, "change {number}");
        }
        assert_eq!(invalid(&copy, Pairs::zip(), &copy), (0, 0));
    }
}

#[test]
fn a_shape_that_comes_near_is_met_after_calls_that_found_all_far() {
    const FAR: f32 = 100.0;
    // Changes, and whether static shapes then touch.
    let changes: [Change; 9] = [
        (|_| (), false),
        (|store| store.columns_mut().center[0][700] = 1.0, true),
        (|store| store.columns_mut().displacement[0][0] = -FAR, false),
        (|store| store.set(999, ball(1.0)).unwrap(), true),
        (
            |store| store.set_displacement(500, [-FAR, 0.0, 0.0]).unwrap(),
            false,
        ),
        (|store| _ = store.push(ball(1.0)), true),
        (|store| store.extend_from_slice(&[ball(1.0); 2000]), true),
        (|store| store.extend([ball(1.0)]), true),
        (
            |store| {
                store.push(ball(1.0));
                store.swap_remove(3);
            },
            true,
        ),
    ];
    for (number, (change, at_rest)) in changes.into_iter().enumerate() {
        let mut store = balls(&[FAR; 1000]);
        let query = balls(&[0.0]);
        let mut detector = Detector::new();
        let (mut overlaps, mut sweeps, mut by_view) =
            (Overlaps::new(), Sweeps::new(), Sweeps::new());
        let mut hits = |store: &Spheres| {
            let all = Pairs::one_to_all(0);
            detector.overlap(&query, store, all, &mut overlaps).unwrap();
            detector.sweep(&query, store, all, &mut sweeps).unwrap();
            let is_told = |i: usize| sweeps.is_hit(i) != (sweeps.enter()[i] == f32::INFINITY);
            assert!((0..store.len()).all(is_told), "times of a call before");
            (overlaps.iter().count(), sweeps.iter().count())
        };
        for _ in 0..3 {
            assert_eq!(hits(&store), (0, 0));
        }
        let copy = store.clone();
        change(&mut store);
        let view = SpheresRef::new(store.columns()).unwrap();
        let all = Pairs::one_to_all(0);
        Detector::new()
            .sweep(&query, &view, all, &mut by_view)
            .unwrap();
        let met = by_view.iter().count();
        assert_eq!(met > 0, number > 0);
        let expected = (if at_rest { met } else { 0 }, met);
        for _ in 0..3 {
            assert_eq!(hits(&store), expected, "change {number}");
            assert_eq!(hits(&copy), (0, 0));
        }
    }
}

#[test]
fn shapes_are_met_after_a_store_got_shorter() {
    // The last ten shapes are near. They move to the end of another word.
    let mut store = balls(&[100.0; 1000]);
    for i in 840..850 {
        store.set(i, ball(1.0)).unwrap();
    }
    let query = balls(&[0.0]);
    let (mut detector, mut overlaps) = (Detector::new(), Overlaps::new());
    let mut hits = |store: &Spheres| {
        let all = Pairs::one_to_all(0);
        detector.overlap(&query, store, all, &mut overlaps).unwrap();
        overlaps.iter().count()
    };
    for _ in 0..3 {
        assert_eq!(hits(&store), 10);
    }
    store.truncate(850);
    for _ in 0..3 {
        assert_eq!(hits(&store), 10);
    }
    // Nine keep their indices, and the last moves among others.
    store.swap_remove(3);
    for _ in 0..3 {
        assert_eq!(hits(&store), 10);
    }
}

#[test]
fn views_give_the_results_of_stores() {
    let mut spheres = balls(&[0.0, 2.5, 9.0]);
    spheres.set_displacement(2, [-6.0, 0.0, 0.0]).unwrap();
    let view = SpheresRef::new(spheres.columns()).unwrap();
    let mut detector = Detector::new();
    let (mut by_store, mut by_view) = (Sweeps::new(), Sweeps::new());
    let pairs = [[0, 1], [0, 2], [1, 2]];
    detector
        .sweep(&spheres, &spheres, &pairs, &mut by_store)
        .unwrap();
    detector
        .sweep(&view, &spheres, &pairs, &mut by_view)
        .unwrap();
    assert_eq!(by_store, by_view);
    assert_eq!(by_view.iter().map(|(i, _)| i).collect::<Vec<_>>(), [2]);

    // Without displacement columns every shape is static.
    let SphereColumns { center, radius, .. } = spheres.columns();
    let resting = SphereColumns {
        center,
        radius,
        displacement: [&[], &[], &[]],
    };
    let resting = SpheresRef::new(resting).unwrap();
    assert_eq!(resting.displacement(2), Some([0.0; 3]));
    detector
        .sweep(&resting, &resting, &pairs, &mut by_view)
        .unwrap();
    assert_eq!(by_view.count(), 0);

    let short = AabbColumns {
        min: [&[0.0, 1.0][..], &[0.0], &[0.0, 1.0]],
        max: [&[0.0, 1.0]; 3],
        displacement: [&[], &[], &[]],
    };
    let error = AabbsRef::new(short).unwrap_err();
    assert!(
        matches!(
            error,
            Error::ColumnLength {
                column: 1,
                len: 1,
                expected: 2,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn outputs_shrink_and_grow() {
    let spheres = balls(&[0.0, 1.0]);
    let mut detector = Detector::new();
    let mut sweeps = Sweeps::new();
    for len in [200, 3, 0, 65, 64, 1000] {
        let pairs = vec![Pair { a: 0, b: 1 }; len];
        detector
            .sweep(&spheres, &spheres, &pairs, &mut sweeps)
            .unwrap();
        assert_eq!((sweeps.len(), sweeps.count()), (len, len));
        assert_eq!(sweeps.iter().count(), len);
        assert!(sweeps.iter().enumerate().all(|(k, (i, _))| k == i));
        assert!(!sweeps.is_hit(len) && !sweeps.is_invalid(len + 63) && sweeps.get(len).is_none());
    }
}

/// A row of unit spheres, each moving to the position of the third after it.
fn row(len: usize) -> Spheres {
    let mut row = Spheres::new();
    for i in 0..len {
        row.push_moving(ball(4.0 * i as f32), [9.0, 0.0, 0.0]);
    }
    row
}

/// Every kind of pairs, and the same pairs as a list.
fn kinds(len: u32) -> Vec<(Pairs<'static>, Vec<Pair>)> {
    vec![
        (Pairs::zip(), (0..len).map(|i| Pair::new(i, i)).collect()),
        (
            Pairs::one_to_all(7),
            (0..len).map(|i| Pair::new(7, i)).collect(),
        ),
    ]
}

#[test]
fn hits_are_the_pairs_at_the_positions_of_hits() {
    let (moving, mut still) = (row(200), balls(&[0.0; 200]));
    for i in 0..200 {
        still.set(i, ball(4.0 * (i as f32 * 1.1).round())).unwrap();
    }
    still.set(3, ball(f32::NAN)).unwrap();
    let mut detector = Detector::new();
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    let mut check = |pairs: Pairs<'_>, list: &[Pair]| {
        detector
            .overlap(&moving, &still, pairs, &mut overlaps)
            .unwrap();
        detector.sweep(&moving, &still, pairs, &mut sweeps).unwrap();
        assert!(list.is_empty() || sweeps.count() > 0, "{pairs:?}");
        let expected: Vec<Pair> = overlaps.iter().map(|position| list[position]).collect();
        let hits = overlaps.hits(pairs).unwrap();
        assert!(hits.size_hint().0 <= expected.len());
        assert_eq!(format!("{hits:?}"), format!("{expected:?}"));
        assert_eq!(hits.collect::<Vec<_>>(), expected);
        let expected: Vec<Pair> = sweeps.iter().map(|(position, _)| list[position]).collect();
        assert_eq!(sweeps.hits(pairs).unwrap().collect::<Vec<_>>(), expected);
    };
    for (pairs, list) in kinds(200) {
        check(pairs, &list);
        check(Pairs::from(&list), &list);
    }
    let all: Vec<Pair> = (0..40_000)
        .map(|i| Pair::new(i * 7 % 200, i / 200))
        .collect();
    check(Pairs::from(&all), &all);
    check(Pairs::from(&all[..0]), &[]);
}

#[test]
fn answers_to_another_list_are_refused() {
    let store = row(5);
    let mut detector = Detector::new();
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    let asked = [[0, 1], [1, 2], [1, 1]];
    detector
        .overlap(&store, &store, &asked, &mut overlaps)
        .unwrap();
    detector.sweep(&store, &store, &asked, &mut sweeps).unwrap();
    for other in [&asked[..2], &asked[..0], &[[0, 1]; 4]] {
        let refusals = [
            overlaps.hits(other).map(|_| ()).unwrap_err(),
            sweeps.hits(other).map(|_| ()).unwrap_err(),
            sweeps.first_hits(other).map(|_| ()).unwrap_err(),
        ];
        for refusal in refusals {
            assert!(
                matches!(refusal, Error::AnswerCount { pairs, answers: 3, .. } if pairs == other.len()),
                "{refusal}"
            );
        }
    }
    // These have no length of their own.
    assert_eq!(
        overlaps.hits(Pairs::zip()).unwrap().count(),
        overlaps.count()
    );
}

/// The definition, pair by pair.
fn first_hits_of(sweeps: &Sweeps, list: &[Pair]) -> Vec<FirstHit> {
    let mut firsts: Vec<FirstHit> = Vec::new();
    for a in 0..=list.iter().map(|pair| pair.a).max().unwrap_or(0) {
        let of_a = sweeps.iter().filter(|(position, _)| list[*position].a == a);
        let least = of_a.clone().map(|(_, time)| time.enter).reduce(f32::min);
        let first = of_a.into_iter().find(|(_, time)| Some(time.enter) == least);
        firsts.extend(first.map(|(position, time)| FirstHit {
            position,
            pair: list[position],
            time,
        }));
    }
    firsts
}

#[test]
fn first_hits_are_the_earliest_in_any_list_order() {
    let (moving, others) = (row(60), row(90));
    // Some at equal positions, which are hit at equal times.
    let mut still = balls(&[0.0; 90]);
    for i in 0..90 {
        let at = others.get(i * 2 / 3).unwrap();
        still.set(i, at).unwrap();
    }
    let (mut detector, mut sweeps) = (Detector::new(), Sweeps::new());
    let mut check = |list: &[Pair], pairs: Pairs<'_>| -> usize {
        detector.sweep(&moving, &still, pairs, &mut sweeps).unwrap();
        let firsts = sweeps.first_hits(pairs).unwrap();
        assert_eq!(firsts, first_hits_of(&sweeps, list));
        firsts.len()
    };
    let all: Vec<Pair> = (0..60 * 90).map(|i| Pair::new(i / 90, i % 90)).collect();
    assert_eq!(check(&all, Pairs::from(&all)), 60);
    let (mut by_b, mut backwards) = (all.clone(), all.clone());
    by_b.sort_by_key(|pair| pair.b);
    backwards.reverse();
    for list in [&by_b, &backwards] {
        assert_eq!(check(list, Pairs::from(list)), 60);
    }
    // Any order, with repeated pairs and shapes that touch nothing.
    let mut word = 1u32;
    let mut below = |n: u32| {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(word) * u64::from(n)) >> 32) as u32
    };
    for len in [0, 1, 2, 3, 10, 100, 3000] {
        let list: Vec<Pair> = (0..len).map(|_| Pair::new(below(60), below(90))).collect();
        check(&list, Pairs::from(&list));
    }
    for (pairs, list) in kinds(90).split_off(1) {
        assert_eq!(check(&list, pairs), 1);
    }
    let mut sweeps = Sweeps::new();
    detector
        .sweep(&others, &others, Pairs::zip(), &mut sweeps)
        .unwrap();
    let (pairs, list) = &kinds(90)[0];
    let firsts = sweeps.first_hits(*pairs).unwrap();
    assert_eq!(firsts, first_hits_of(&sweeps, list));
    assert_eq!(firsts.len(), 90);
    assert_eq!(Sweeps::new().first_hits(&[] as &[Pair]).unwrap(), []);
}

#[test]
fn memory_is_handed_over_as_it_was() {
    let mut store = row(100);
    store.set(70, ball(f32::NAN)).unwrap();
    let all = Pairs::one_to_all(0);
    let mut detector = Detector::new();
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    detector
        .overlap(&store, &store, all, &mut overlaps)
        .unwrap();
    detector.sweep(&store, &store, all, &mut sweeps).unwrap();
    assert_eq!(overlaps.invalid_words(), [0, 1 << 6]);
    assert_eq!(sweeps.invalid_words(), overlaps.invalid_words());
    let (copy, times) = (overlaps.clone(), sweeps.clone());
    let places = (overlaps.words().as_ptr(), sweeps.exit().as_ptr());
    let words = overlaps.into_words();
    let columns = sweeps.into_columns();
    assert_eq!(places, (words.hits.as_ptr(), columns.exit.as_ptr()));
    let expected = OverlapWords {
        hits: copy.words().to_vec(),
        invalid: copy.invalid_words().to_vec(),
    };
    assert_eq!(words, expected);
    let expected = SweepColumns {
        hits: times.words().to_vec(),
        invalid: times.invalid_words().to_vec(),
        enter: times.enter().to_vec(),
        exit: times.exit().to_vec(),
    };
    assert_eq!(columns, expected);
}

#[test]
fn contact_columns_are_handed_over_as_they_were() {
    let corners = [[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]];
    let floor = Mesh::new(&corners, &[[0, 1, 2]]).unwrap();
    let tilted = [0.0, 0.1, 0.0, 0.995];
    let crates: Obbs = (0..70)
        .map(|i| match i {
            30 => Obb::new([f32::NAN; 3], [1.0; 3], tilted),
            _ => Obb::new([0.0, 0.0, 0.03 * i as f32], [1.0; 3], tilted),
        })
        .collect();
    let spheres: Spheres = (0..100).map(|i| ball(0.1 * i as f32)).collect();
    let mut detector = Detector::new();
    let (mut of_spheres, mut of_crates) = (Contacts::new(), Contacts::new());
    let all = Pairs::one_to_all(0);
    detector
        .contact(&spheres, &spheres, all, &mut of_spheres)
        .unwrap();
    detector
        .contact(&floor, &crates, all, &mut of_crates)
        .unwrap();
    assert!(of_crates.counts().contains(&2) && of_crates.invalid_count() == 1);
    for contacts in [of_spheres, of_crates] {
        assert!(contacts.count() > 1 && !contacts.count().is_multiple_of(16));
        let copy = contacts.clone();
        let places = (
            contacts.positions().as_ptr(),
            contacts.separation().as_ptr(),
        );
        let columns = contacts.into_columns();
        assert_eq!(
            places,
            (columns.positions.as_ptr(), columns.separation.as_ptr())
        );
        let inner = match columns.inner.is_empty() {
            true => vec![],
            false => (0..copy.count())
                .map(|i| u8::from(copy.is_inner(i)))
                .collect(),
        };
        let expected = ContactColumns {
            hits: copy.words().to_vec(),
            invalid: copy.invalid_words().to_vec(),
            positions: copy.positions().to_vec(),
            normal: copy.normal().map(<[f32]>::to_vec),
            separation: copy.separation().to_vec(),
            counts: copy.counts().to_vec(),
            inner,
            points: [0, 1, 2, 3].map(|k| {
                let point = copy.point(k);
                ContactPointVecs {
                    at: point.at.map(<[f32]>::to_vec),
                    separation: point.separation.to_vec(),
                    feature: point.feature.to_vec(),
                }
            }),
        };
        assert_eq!(columns, expected);
    }
}

#[test]
fn hits_or_invalid_positions_are_those_of_either() {
    let mut store: Spheres = (0..200).map(|i| ball(0.5 * i as f32)).collect();
    for invalid in [1, 64, 199] {
        store.set(invalid, ball(f32::NAN)).unwrap();
    }
    let (mut detector, mut overlaps) = (Detector::new(), Overlaps::new());
    let mut call = |store: &Spheres, index| {
        let all = Pairs::one_to_all(index);
        detector.overlap(store, store, all, &mut overlaps).unwrap();
        overlaps.clone()
    };
    let found = call(&store, 100);
    let expected: Vec<usize> = (0..200)
        .filter(|&i| found.is_hit(i) || found.is_invalid(i))
        .collect();
    assert!(found.count() > 1 && expected.len() == found.count() + 3);
    assert_eq!(found.iter_hits_or_invalid().collect::<Vec<_>>(), expected);
    for position in 0..300 {
        assert_eq!(
            found.is_hit_or_invalid(position),
            expected.contains(&position)
        );
    }
    assert!(found.any_hit_or_invalid());

    // One of both kinds is enough, and none is none.
    let far = balls(&[0.0, 9.0]);
    let mut near = Overlaps::new();
    let mut detector = Detector::new();
    for (list, any) in [(&[[0, 0]], true), (&[[0, 1]], false)] {
        detector.overlap(&far, &far, list, &mut near).unwrap();
        assert_eq!(near.any_hit_or_invalid(), any);
    }
    let only_invalid = balls(&[0.0, f32::NAN]);
    detector
        .overlap(&only_invalid, &only_invalid, &[[0, 1]], &mut near)
        .unwrap();
    assert!(near.any_hit_or_invalid() && near.count() == 0);
    assert!(!Overlaps::new().any_hit_or_invalid());

    let (mut sweeps, mut contacts) = (Sweeps::new(), Contacts::new());
    let all = Pairs::one_to_all(100);
    detector
        .sweep_contacts(&store, &store, all, &mut sweeps, &mut contacts)
        .unwrap();
    assert!(sweeps.iter_hits_or_invalid().eq(expected.iter().copied()));
    assert!(contacts.iter_hits_or_invalid().eq(expected));
    assert!(sweeps.is_hit_or_invalid(1) && !contacts.is_hit_or_invalid(2));
    assert!(sweeps.any_hit_or_invalid() && contacts.any_hit_or_invalid());
}

#[test]
fn constructors_accept_what_converts_into_vectors() {
    let (center, size) = ((1.0, 2.0, 3.0), [0.5, 0.25, 0.125]);
    let array = [1.0, 2.0, 3.0];
    let rotation = [0.0, 0.0, 0.6, 0.8];
    assert_eq!(Point::new(center), Point { position: array });
    let (radius, half_axis) = (0.5, size);
    let sphere = Sphere {
        center: array,
        radius,
    };
    assert_eq!(Sphere::new(center, radius), sphere);
    let capsule = Capsule {
        center: array,
        half_axis,
        radius,
    };
    assert_eq!(Capsule::new(center, size, radius), capsule);
    let (min, max) = (size, array);
    assert_eq!(Aabb::new(size, center), Aabb { min, max });
    let obb = Obb {
        center: array,
        half_extents: size,
        rotation,
    };
    assert_eq!(Obb::new(center, size, rotation), obb);
    let (normal, d) = (array, -2.0);
    assert_eq!(Plane::new(center, d), Plane { normal, d });
    assert_eq!(HalfSpace::new(center, d), HalfSpace { normal, d });
    let corners = [array, size, [0.0; 3]];
    assert_eq!(Triangle::new(center, size, [0.0; 3]), Triangle { corners });

    let mut boxes = Obbs::new();
    boxes.push_moving(obb, center);
    boxes.push_turning(obb, [0.0; 3], center);
    assert_eq!(boxes.displacement(0), Some(array));
    assert_eq!(boxes.turn(1), Some(array));
    boxes.set_displacement(0, (4.0, 5.0, 6.0)).unwrap();
    boxes.set_turn(0, (7.0, 8.0, 9.0)).unwrap();
    assert_eq!(boxes.displacement(0), Some([4.0, 5.0, 6.0]));
    assert_eq!(boxes.turn(0), Some([7.0, 8.0, 9.0]));
    boxes.extend_moving([(obb, center), (obb, (0.0, 0.0, 1.0))]);
    assert_eq!(boxes.displacement(3), Some([0.0, 0.0, 1.0]));
}

/// Shapes of a level are constants.
#[test]
fn constants_are_made_by_const_constructors() {
    const CRATE: Aabb = Aabb::from_center_half_extents([1.0; 3], [0.5; 3]);
    const BOX: Obb = Obb::from_wxyz([1.0; 3], [0.5; 3], [1.0, 0.0, 0.0, 0.0]);
    const FLOOR: HalfSpace = HalfSpace::from_point_normal([0.0, 2.0, 0.0], [0.0, 1.0, 0.0]);
    const WALL: Plane = Plane::from_points([0.0; 3], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    const POST: Capsule = Capsule::between([0.0; 3], [0.0, 2.0, 0.0], 0.5);
    assert_eq!(POST, Capsule::new([0.0, 1.0, 0.0], [0.0, 1.0, 0.0], 0.5));
    assert_eq!(CRATE, Aabb::new([0.5; 3], [1.5; 3]));
    assert_eq!(BOX, Obb::new([1.0; 3], [0.5; 3], [0.0, 0.0, 0.0, 1.0]));
    assert_eq!(FLOOR, HalfSpace::new([0.0, 1.0, 0.0], -2.0));
    assert_eq!(WALL, Plane::new([1.0, 0.0, 0.0], 0.0));
}

#[test]
fn setters_of_a_detector_equal_its_builders() {
    let simd = Simd::available().next().unwrap();
    let mut detector = Detector::new();
    detector.set_parallel(false);
    detector.set_simd(simd);
    detector.set_strict(true);
    let built = Detector::new().parallel(false).simd(simd).strict(true);
    assert_eq!(detector.settings(), built.settings());
    let settings = detector.settings();
    assert!(!settings.parallel && settings.simd == simd && settings.strict);
}

#[test]
fn turns_stay_with_their_boxes() {
    let turn = |i: u32| [0.1 * i as f32, 0.0, -0.25];
    let crate_at = |x: f32| Obb {
        center: [x, 0.0, 0.0],
        ..Obb::default()
    };
    let mut boxes = Obbs::new();
    boxes.push(crate_at(0.0));
    boxes.push_turning(crate_at(1.0), [1.0; 3], [0.0; 3]);
    // No box rotates yet.
    assert!(boxes.columns().turn[0].is_empty());
    assert_eq!(boxes.turn(0), Some([0.0; 3]));
    boxes.push_turning(crate_at(2.0), [2.0; 3], turn(2));
    assert_eq!(boxes.columns().turn[0], [0.0, 0.0, 0.2]);
    boxes.push(crate_at(3.0));
    boxes.extend_from_slice(&[crate_at(4.0), crate_at(5.0)]);
    boxes.extend_moving([(crate_at(6.0), [6.0; 3])]);
    boxes.set_turn(5, turn(5)).unwrap();
    boxes.resize(8);
    let turns = |boxes: &Obbs| -> Vec<f32> { boxes.columns().turn[0].to_vec() };
    assert_eq!(turns(&boxes), [0.0, 0.0, 0.2, 0.0, 0.0, 0.5, 0.0, 0.0]);
    assert_eq!(boxes.turn(8), None);
    let error = boxes.set_turn(8, [0.0; 3]).unwrap_err();
    assert!(matches!(
        error,
        Error::IndexOutOfBounds {
            index: 8,
            len: 8,
            ..
        }
    ));

    boxes.truncate(6);
    boxes.swap_remove(2).unwrap();
    assert_eq!(boxes.get(2).unwrap().center[0], 5.0);
    assert_eq!((boxes.turn(2), boxes.len()), (Some(turn(5)), 5));
    boxes.columns_mut().turn[2][2] = 0.75;
    assert_eq!(boxes.turn(2), Some([0.5, 0.0, 0.75]));
    let copy = boxes.clone();
    assert_eq!(copy.turn(2), boxes.turn(2));
    boxes.reorder(&[4, 2, 0, 1, 3]).unwrap();
    for (new, old) in [(0, 4), (1, 2), (2, 0), (3, 1), (4, 3)] {
        assert_eq!(boxes.get(new), copy.get(old));
        assert_eq!(boxes.displacement(new), copy.displacement(old));
        assert_eq!(boxes.turn(new), copy.turn(old));
    }
    boxes.clear();
    boxes.push(crate_at(0.0));
    assert_eq!(boxes.turn(0), Some([0.0; 3]));
    assert!(boxes.turn_columns_mut()[1].len() == 1);

    // A view has turn columns, or they are empty if no box rotates.
    let columns = copy.columns();
    let view = ObbsRef::new(columns).unwrap();
    assert_eq!(view.turn(2), Some([0.5, 0.0, 0.75]));
    let still = ObbsRef::new(ObbColumns {
        turn: [&[]; 3],
        ..columns
    });
    assert_eq!(still.unwrap().turn(2), Some([0.0; 3]));
    let short = ObbColumns {
        turn: [columns.turn[0], &[0.0], columns.turn[2]],
        ..columns
    };
    let error = ObbsRef::new(short).err().unwrap();
    let expected = "column 14 has length 1, but column 0 has length 5";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_bad_turn_matters_to_impacts_and_frames() {
    let unit = Obb {
        half_extents: [1.0; 3],
        ..Obb::default()
    };
    for (turn, defect) in [
        ([0.0, f32::NAN, 0.0], "turn[1] is NaN, not finite"),
        (
            [0.0, 3.2, 0.0],
            "rotation vector has length 3.2, more than pi",
        ),
    ] {
        let mut boxes = Obbs::from_slice(&[unit; 2]);
        boxes.set_turn(1, turn).unwrap();
        let error = boxes.validate().unwrap_err();
        assert_eq!(error.to_string(), format!("shape 1 is invalid: {defect}"));

        let mut detector = Detector::new();
        let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
        let mut impacts = Impacts::new();
        let (pairs, mut found) = ([[0, 1], [0, 0]], Vec::new());
        detector
            .overlap(&boxes, &boxes, &pairs, &mut overlaps)
            .unwrap();
        detector.sweep(&boxes, &boxes, &pairs, &mut sweeps).unwrap();
        assert_eq!((overlaps.count(), sweeps.count()), (2, 2));
        detector
            .impact(&boxes, &boxes, &pairs, 0.0, &mut impacts)
            .unwrap();
        assert!(impacts.is_invalid(0) && !impacts.is_hit(0));
        assert_eq!((impacts.get(0), impacts.get(1)), (None, Some(0.0)));
        for (during, count) in [(During::Start, 1), (During::Frame, 0)] {
            detector
                .candidates(&boxes, &boxes, during, &mut found)
                .unwrap();
            assert_eq!(found.len(), count);
        }
    }
}

#[test]
fn a_turn_is_seen_after_calls_without() {
    let rod = Obb {
        half_extents: [0.1, 2.0, 0.1],
        ..Obb::default()
    };
    let mut boxes: Obbs = (0..100)
        .map(|i| Obb {
            center: [i as f32, 0.0, 0.0],
            ..rod
        })
        .collect();
    let list: Vec<[u32; 2]> = (0..99).map(|i| [i, i + 1]).collect();
    let mut detector = Detector::new().parallel(false);
    let (mut impacts, mut pairs) = (Impacts::new(), Vec::new());
    // Enough calls to cache rows and the tree of candidates.
    for _ in 0..9 {
        detector
            .impact(&boxes, &boxes, &list, 1e-3, &mut impacts)
            .unwrap();
        assert_eq!(impacts.count(), 0);
        detector
            .candidates(&boxes, &boxes, During::Frame, &mut pairs)
            .unwrap();
        assert_eq!(pairs.len(), 0);
    }
    boxes.set_turn(50, [0.0, 0.0, 1.5]).unwrap();
    detector
        .impact(&boxes, &boxes, &list, 1e-3, &mut impacts)
        .unwrap();
    assert_eq!(
        impacts.iter().map(|(at, _)| at).collect::<Vec<_>>(),
        [49, 50]
    );
    detector
        .candidates(&boxes, &boxes, During::Frame, &mut pairs)
        .unwrap();
    assert!(pairs.contains(&Pair::new(49, 50)) && pairs.contains(&Pair::new(50, 51)));
    boxes.turn_columns_mut()[2][50] = 0.0;
    detector
        .impact(&boxes, &boxes, &list, 1e-3, &mut impacts)
        .unwrap();
    assert_eq!(impacts.count(), 0);
}

#[test]
fn a_strict_detector_names_the_pair_and_the_shape() {
    let unit = Obb {
        half_extents: [1.0; 3],
        ..Obb::default()
    };
    let good = || Obbs::from_slice(&[unit; 3]);
    let (mut still, mut moving, mut turning) = (good(), good(), good());
    let negative = [1.0, -2.0, 1.0];
    let bad = Obb {
        half_extents: negative,
        ..unit
    };
    still.set(2, bad).unwrap();
    moving.set_displacement(1, [0.0, 0.0, 2e18]).unwrap();
    turning.set_turn(0, [f32::NAN, 0.0, 0.0]).unwrap();

    let mut detector = Detector::new().strict(true);
    assert!(detector.settings().strict);
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    let (mut contacts, mut impacts) = (Contacts::new(), Impacts::new());
    let mut distances = Distances::new();
    // Each verb runs on each store against valid boxes; values that it does not read are no defects.
    let mut ask = |boxes: &Obbs, list: Pairs<'_>| {
        let good = good();
        let said = |result: Result<(), Error>| result.err().map(|error| error.to_string());
        [
            said(detector.overlap(&good, boxes, list, &mut overlaps)),
            said(detector.contact(&good, boxes, list, &mut contacts)),
            said(detector.distance(&good, boxes, list, &mut distances)),
            said(detector.sweep(&good, boxes, list, &mut sweeps)),
            said(detector.sweep_contacts(&good, boxes, list, &mut sweeps, &mut contacts)),
            said(detector.impact(&good, boxes, list, 1e-3, &mut impacts)),
        ]
    };
    let list = [Pair::new(1, 0), Pair::new(0, 1), Pair::new(1, 2)];
    let text = "pair 2 is (1, 2), but shape 2 of the second store is invalid: half_extents[1] is -2, \
                negative";
    assert_eq!(
        ask(&still, Pairs::from(&list)),
        [(); 6].map(|()| Some(text.into()))
    );
    let text = "pair 1 is (1, 1), but shape 1 of the second store is invalid: displacement[2] is 2e18, \
                above 1.1529215e18: an endless ray reaches to the end of the scene";
    let [overlap, contact, distance, sweep, swept, impact] = ask(&moving, Pairs::zip());
    assert_eq!([overlap, contact, distance], [None, None, None]);
    assert_eq!(
        [sweep, swept, impact],
        [(); 3].map(|()| Some(text.to_string()))
    );
    let text =
        "pair 0 is (2, 0), but shape 0 of the second store is invalid: turn[0] is NaN, not finite";
    let said = ask(&turning, Pairs::one_to_all(2));
    assert!(said[..5].iter().all(Option::is_none));
    assert_eq!(said[5].as_deref(), Some(text));

    // The results are written even then.
    assert!(impacts.is_invalid(0) && impacts.is_hit(1) && impacts.is_hit(2));
    let error = detector.overlap(&still, &good(), &[[2, 0]], &mut overlaps);
    let named = Error::to_string(&error.unwrap_err());
    assert!(named.contains("shape 2 of the first store"), "{named}");
    assert!(
        detector
            .strict(false)
            .overlap(&still, &still, &[[2, 2]], &mut overlaps)
            .is_ok()
    );
}

#[test]
fn distances_that_are_refused_change_nothing() {
    let (three, two) = (balls(&[0.0, 1.0, 9.0]), balls(&[0.0, 1.0]));
    let mut detector = Detector::new();
    let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
    let good = [[0, 2], [1, 2]];
    detector
        .distance_points(&three, &three, &good, &mut distances, &mut points)
        .unwrap();
    let before = (distances.clone(), points.clone());
    assert_eq!((distances.len(), points.len()), (2, 2));

    let bad = |pair| [vec![Pair::new(0, 1); 70], vec![pair]].concat();
    let outside = bad(Pair::new(3, 0));
    for list in [Pairs::from(&outside), Pairs::zip(), Pairs::one_to_all(3)] {
        let error = detector.distance_points(&three, &two, list, &mut distances, &mut points);
        let is_named = match error.unwrap_err() {
            Error::PairOutOfBounds { position, .. } => position == 70,
            Error::LengthMismatch { len_a, len_b, .. } => (len_a, len_b) == (3, 2),
            Error::IndexOutOfBounds { index, len, .. } => (index, len) == (3, 3),
            _ => false,
        };
        assert!(is_named);
        assert_eq!((&distances, &points), (&before.0, &before.1));
    }

    // A margin, for any list.
    let mut wide = detector.margin(0.25).unwrap();
    for list in [
        Pairs::from(&good),
        Pairs::from(&outside),
        Pairs::zip(),
        Pairs::one_to_all(0),
    ] {
        let errors = [
            wide.distance(&three, &three, list, &mut distances),
            wide.distance_points(&three, &three, list, &mut distances, &mut points),
        ];
        let text = errors.map(|error| error.unwrap_err().to_string());
        assert_eq!(
            text,
            [(); 2].map(
                |()| "distances and the inside of a mesh have no margin, but the detector's is 0.25"
            )
        );
        assert_eq!((&distances, &points), (&before.0, &before.1));
    }
    wide.set_margin(0.0).unwrap();
    wide.distance(&three, &three, Pairs::zip(), &mut distances)
        .unwrap();
    assert_eq!((distances.len(), points.len()), (3, 2));
}

#[test]
fn distances_of_an_empty_list_are_empty() {
    let (none, one) = (Spheres::new(), balls(&[0.0]));
    let mut detector = Detector::new();
    let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
    detector
        .distance_points(&one, &one, &[[0, 0]], &mut distances, &mut points)
        .unwrap();
    assert_eq!(distances.len(), 1);
    detector
        .distance_points(
            &one,
            &none,
            Pairs::one_to_all(0),
            &mut distances,
            &mut points,
        )
        .unwrap();
    assert!(distances.is_empty() && points.is_empty());
    assert!(distances.get(0).is_none() && points.get(0).is_none());
    assert!(distances.is_settled(0) && !distances.is_invalid(0));
    assert!(distances.unsettled_words().is_empty() && distances.invalid_words().is_empty());
}

#[test]
fn axes_that_scale_or_mirror_make_a_bad_box() {
    let (x, y, z) = ([0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    let times = |axis: [f32; 3], by: f32| axis.map(|x| x * by);
    let is_good = |axes| {
        let made = Obb::from_axes([0.0; 3], [1.0; 3], axes);
        Obbs::from_slice(&[made]).validate().is_ok()
    };
    assert!(is_good([x, y, z]) && is_good([y, z, x]));
    assert!(is_good([times(x, 1.0003), y, times(z, 0.9997)]));
    for bad in [
        [times(x, 2.0), times(y, 2.0), times(z, 2.0)],
        [times(x, 1.01), y, z],
        [times(x, -1.0), y, z],
        [y, x, z],
        [x, y, [0.0; 3]],
        [x, [-0.8, 0.6, 0.0], z],
        [x, y, [f32::NAN, 0.0, 1.0]],
    ] {
        assert!(!is_good(bad), "{bad:?}");
    }
}
