//! Results of pairs made of their own columns are equal, and columns that contradict each other are errors.

mod common;

use common::rng;
use phalanx::{
    ClosestPointColumns, ClosestPoints, ContactColumns, Contacts, Detector, DistanceColumns,
    Distances, Error, ImpactColumns, Impacts, Obb, Obbs, Pairs, Sphere, Spheres, SweepColumns,
    Sweeps,
};
use rand::RngExt;

/// Boxes that move and turn, spheres beside them, some of both invalid.
fn shapes(len: usize) -> (Obbs, Spheres) {
    let mut rng = rng("columns of pairs");
    let (mut boxes, mut spheres) = (Obbs::new(), Spheres::new());
    for i in 0..len {
        let mut vector = || [(); 3].map(|()| rng.random_range(-0.5f32..0.5));
        let (center, way, turn) = (vector(), vector(), vector());
        let half_extents = [if i % 29 == 3 { f32::NAN } else { 0.4 }; 3];
        let shape = Obb {
            center,
            half_extents,
            ..Obb::default()
        };
        boxes.push_turning(shape, way, turn);
        let radius = if i % 31 == 5 { -1.0 } else { 0.4 };
        spheres.push_moving(Sphere::new(vector(), radius), vector());
    }
    (boxes, spheres)
}

#[test]
fn results_of_their_columns_are_equal() -> Result<(), Error> {
    let mut detector = Detector::new();
    for len in [0, 1, 64, 65, 200] {
        let (boxes, spheres) = shapes(len);
        // Nothing is no first shape.
        let pairs = if len == 0 {
            Pairs::zip()
        } else {
            Pairs::one_to_all(0)
        };
        let mut contacts = Contacts::new();
        detector.contact(&boxes, &boxes, pairs, &mut contacts)?;
        let again = Contacts::from_columns(len, contacts.clone().into_columns())?;
        assert_eq!(again, contacts);
        assert!(len < 65 || contacts.iter().any(|it| it.points().len() == 4));
        for k in 0..4 {
            assert_eq!(again.point(k).separation, contacts.point(k).separation);
            assert_eq!(again.point(k).feature, contacts.point(k).feature);
            assert_eq!(again.point(k).at, contacts.point(k).at);
        }
        // Spheres have one point.
        detector.contact(&spheres, &spheres, pairs, &mut contacts)?;
        let mut again = Contacts::from_columns(len, contacts.clone().into_columns())?;
        assert_eq!(again, contacts);
        assert!(len < 65 || contacts.count() > 10 && contacts.invalid_count() > 0);
        // It serves as the output of another call.
        detector.contact(&boxes, &boxes, Pairs::zip(), &mut again)?;
        detector.contact(&boxes, &boxes, Pairs::zip(), &mut contacts)?;
        assert_eq!(again, contacts);

        let mut sweeps = Sweeps::new();
        detector.sweep(&spheres, &spheres, pairs, &mut sweeps)?;
        assert_eq!(Sweeps::from_columns(sweeps.clone().into_columns())?, sweeps);
        let mut impacts = Impacts::new();
        detector.impact(&boxes, &boxes, pairs, 1e-6, &mut impacts)?;
        assert_eq!(
            Impacts::from_columns(impacts.clone().into_columns())?,
            impacts
        );
        assert!(len < 65 || impacts.count() > 10 && impacts.invalid_count() > 1);
        // Points of invalid pairs are NaN, which equals nothing.
        let good = Spheres::from_slice(
            &spheres
                .iter()
                .filter(|it| it.radius > 0.0)
                .collect::<Vec<_>>(),
        );
        let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
        detector.distance_points(&good, &good, pairs, &mut distances, &mut points)?;
        assert_eq!(
            ClosestPoints::from_columns(points.clone().into_columns())?,
            points
        );
        detector.distance(&spheres, &spheres, pairs, &mut distances)?;
        assert_eq!(
            Distances::from_columns(distances.clone().into_columns())?,
            distances
        );
        assert!(len < 65 || distances.iter_invalid().count() > 1);
    }
    Ok(())
}

/// The message of a result that cannot be made.
fn message<T>(made: Result<T, Error>) -> String {
    made.err().map_or(String::new(), |error| error.to_string())
}

#[test]
fn columns_of_other_lengths_are_errors() {
    let infinite = || vec![f32::INFINITY; 2];
    let sweeps = || SweepColumns {
        hits: vec![u64::MAX],
        invalid: vec![0],
        enter: infinite(),
        exit: infinite(),
    };
    // Bits past the last pair are ignored.
    let made = Sweeps::from_columns(sweeps()).unwrap();
    assert_eq!((made.count(), made.words()), (2, &[0b11][..]));
    let bad = |change: fn(&mut SweepColumns)| {
        let mut columns = sweeps();
        change(&mut columns);
        message(Sweeps::from_columns(columns))
    };
    let is = |column, len, expected| {
        format!("column {column} of results has length {len}, not {expected}")
    };
    assert_eq!(bad(|it| it.exit.clear()), is(3, 0, 2));
    assert_eq!(bad(|it| it.invalid.push(0)), is(1, 2, 1));
    assert_eq!(bad(|it| it.hits.clear()), is(0, 0, 1));

    let impacts = ImpactColumns {
        hits: vec![0],
        invalid: vec![0],
        unsettled: Vec::new(),
        time: infinite(),
    };
    assert_eq!(message(Impacts::from_columns(impacts)), is(2, 0, 1));
    let distances = || DistanceColumns {
        lower: infinite(),
        upper: infinite(),
        unsettled: vec![0],
        invalid: vec![0],
    };
    let mut longer = distances();
    longer.upper.push(0.0);
    assert_eq!(message(Distances::from_columns(longer)), is(1, 3, 2));
    let mut longer = distances();
    longer.invalid.push(0);
    assert_eq!(message(Distances::from_columns(longer)), is(3, 2, 1));
    let mut points = ClosestPointColumns {
        at_a: [(); 3].map(|()| infinite()),
        at_b: [(); 3].map(|()| infinite()),
    };
    points.at_b[1].clear();
    assert_eq!(message(ClosestPoints::from_columns(points)), is(4, 0, 2));
}

#[test]
fn contradictory_columns_of_contacts_are_errors() -> Result<(), Error> {
    let spheres = [0.0, 9.0, 1.5].map(|x| Sphere::new([x, 0.0, 0.0], 1.0));
    let spheres = Spheres::from_slice(&spheres);
    let mut contacts = Contacts::new();
    Detector::new().contact(&spheres, &spheres, Pairs::one_to_all(0), &mut contacts)?;
    let columns = contacts.into_columns();
    let bad = |change: fn(&mut ContactColumns)| {
        let mut columns = columns.clone();
        change(&mut columns);
        message(Contacts::from_columns(3, columns))
    };
    assert_eq!(bad(|_| ()), "");
    let is = |column, len, expected| {
        format!("column {column} of results has length {len}, not {expected}")
    };
    assert_eq!(bad(|it| it.hits[0] = 0b111), is(2, 2, 3));
    assert_eq!(bad(|it| it.normal[2].clear()), is(5, 0, 2));
    assert_eq!(bad(|it| it.separation.push(0.0)), is(6, 3, 2));
    assert_eq!(bad(|it| it.counts.clear()), is(7, 0, 2));
    assert_eq!(bad(|it| it.inner.push(1)), is(8, 1, 2));
    assert_eq!(bad(|it| it.points[0].at[1].clear()), is(10, 0, 2));
    assert_eq!(bad(|it| it.points[0].feature.clear()), is(13, 0, 2));
    assert_eq!(bad(|it| it.points[0].separation.clear()), is(12, 0, 2));
    // Also contacts without points have a place for the first one.
    let none = |it: &mut ContactColumns| {
        it.counts.fill(0);
        it.points[0] = it.points[1].clone();
    };
    assert_eq!(bad(none), is(9, 0, 2));
    assert_eq!(bad(|it| it.points[1].feature.push(0)), is(18, 1, 0));
    assert_eq!(bad(|it| it.points[2].at[0].push(0.0)), is(19, 1, 0));
    assert_eq!(
        bad(|it| it.positions[1] = 1),
        "column 2 of results has 1 at 1, not 2"
    );
    assert_eq!(
        bad(|it| it.counts[1] = 2),
        "column 7 of results has 2 at 1, not 0 to 1"
    );
    Ok(())
}
