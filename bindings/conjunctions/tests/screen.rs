//! A screening has what brute force has: all approaches, once each, and none late.

mod common;

use common::{company, like_brute_force, objects, scene, screened, start};
use conjunctions::{Object, Screen, Settings, approaches_in_step, brute, generate, meeting};
use phalanx::{Detector, Simd};
use rayon::ThreadPoolBuilder;
use sgp4::Elements;

#[test]
fn has_the_approaches_of_brute_force() {
    let (mut elements, planned) = scene(200, 120, 3.0, 7);
    company(&mut elements, &[0, 3, 9, 14]);
    let objects = objects(&elements);
    let settings = Settings::new(3.0, 10.0, 5.0).unwrap();
    let approaches = like_brute_force(&objects, settings, 10);
    assert!(planned.len() > 100);
    assert!(approaches.len() > planned.len());
}

#[test]
fn has_meetings_as_planned_once_each() {
    let (elements, planned) = scene(150, 150, 2.0, 11);
    let objects = objects(&elements);
    let settings = Settings::new(2.0, 10.0, 5.0).unwrap();
    let (approaches, _) = screened(&objects, settings, Detector::new());
    let mut at_borders = 0;
    for plan in &planned {
        let near = |time: f64| (time - plan.time).abs() < 1.0;
        let same = approaches
            .iter()
            .filter(|each| [each.a, each.b] == plan.objects && near(each.time));
        let found: Vec<_> = same.collect();
        assert_eq!(
            found.len(),
            1,
            "at {} s, {} km: {found:?}",
            plan.time,
            plan.distance
        );
        assert!(
            (found[0].distance - plan.distance).abs() < 1e-3,
            "{found:?}, not {} km",
            plan.distance
        );
        assert!(
            (found[0].time - plan.time).abs() < 0.05,
            "{found:?}, not at {} s",
            plan.time
        );
        at_borders += u32::from(plan.time % 10.0 == 0.0);
    }
    assert!(at_borders > 20);
}

#[test]
fn has_them_at_other_steps_and_distances() {
    let (mut elements, _) = scene(80, 60, 1.0, 3);
    company(&mut elements, &[1, 5]);
    let objects = objects(&elements);
    for (step, below, samples) in [
        (60.0, 5.0, 60),
        (33.3, 1.0, 30),
        (1.0, 20.0, 2),
        (10.0, 0.05, 10),
    ] {
        let settings = Settings::new(1.0, step, below).unwrap();
        let approaches = like_brute_force(&objects, settings, samples);
        assert!(!approaches.is_empty(), "steps of {step} s, {below} km");
    }
}

#[test]
fn begins_and_ends_count_as_minima() {
    // In company for the whole time: nearest at an end, where there is no minimum within.
    let mut elements = generate(1, 5);
    company(&mut elements, &[0]);
    let objects = objects(&elements);
    let settings = Settings::new(0.05, 10.0, 5.0).unwrap();
    let approaches = like_brute_force(&objects, settings, 10);
    let twins: Vec<_> = approaches
        .iter()
        .filter(|each| [each.a, each.b] == [0, 1])
        .collect();
    assert_eq!(twins.len(), 1);
    assert_eq!((twins[0].time, twins[0].distance), (0.0, 0.0));
    assert!(approaches.iter().any(|each| [each.a, each.b] == [0, 2]));
}

#[test]
fn objects_that_come_down_are_screened_until_then() {
    let low = Elements {
        eccentricity: 0.001,
        mean_motion: 16.45,
        drag_term: 0.02,
        object_name: Some("FALLS".to_owned()),
        datetime: start(),
        inclination: 53.0,
        ..generate(1, 5)[0].clone()
    };
    let mut elements = vec![low];
    company(&mut elements, &[0]);
    let objects = objects(&elements);
    let settings = Settings::new(24.0, 10.0, 5.0).unwrap();
    let mut screen = Screen::new(&objects, settings, Detector::new()).unwrap();
    let mut approaches = Vec::new();
    while screen.next_step(&mut approaches).unwrap() {}
    let absences: Vec<_> = screen.absences().collect();
    assert_eq!(absences.len(), 3, "they were to come down");
    assert!(
        absences[0].time > 0.0 && absences[0].borders > 0,
        "{absences:?}"
    );
    assert_eq!(like_brute_force(&objects, settings, 10), approaches);
    // Nearer and nearer to the last position.
    let last = approaches
        .iter()
        .filter(|each| [each.a, each.b] == [0, 2])
        .map(|each| each.time);
    println!(
        "{absences:?}, last approach at {:?} s",
        last.clone().fold(0.0, f64::max)
    );
    assert!(last.count() > 0);
}

#[test]
fn threads_and_instruction_sets_change_nothing() {
    let (mut elements, _) = scene(400, 60, 0.5, 13);
    company(&mut elements, &[2]);
    let objects = objects(&elements);
    let settings = Settings::new(0.5, 10.0, 5.0).unwrap();
    let one = screened(&objects, settings, Detector::new().parallel(false));
    assert!(one.0.len() > 20);
    for simd in Simd::available() {
        for threads in [1, 2, 5] {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let other = pool.install(|| screened(&objects, settings, Detector::new().simd(simd)));
            assert!(one == other, "{simd:?}, {threads} threads");
        }
    }
}

#[test]
fn brute_force_sees_what_is_not_covered() {
    let (elements, planned) = scene(20, 10, 0.5, 17);
    let objects = objects(&elements);
    let settings = Settings::new(0.5, 10.0, 5.0).unwrap();
    let all: Vec<u32> = (0..objects.len() as u32).collect();
    let (_, mut covers) = screened(&objects, settings, Detector::new());
    for cover in &mut covers {
        cover.2[0] = cover.2[0].max(0.9);
    }
    let brute = brute::brute_force(&objects, &all, &settings, 20, &covers).unwrap();
    assert!(brute.uncovered > 0 && planned.len() > 5);
}

#[test]
fn indices_out_of_range_are_named() {
    let objects = objects(&generate(2, 5));
    let settings = Settings::new(1.0, 10.0, 5.0).unwrap();
    let errors = [
        approaches_in_step(&objects, [1, 2], 0, &settings).unwrap_err(),
        brute::brute_force(&objects, &[0, 2], &settings, 1, &[]).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.to_string(), "there is no object 2, but 2 of them");
    }
}

#[test]
fn no_step_is_after_the_last() {
    // Nearest half a second after the end.
    let mut elements = generate(1, 5);
    elements.push(meeting(&elements[0], start(), 3600.5, 1.0, 9).unwrap());
    let objects = objects(&elements);
    let settings = Settings::new(1.0, 10.0, 50.0).unwrap();
    let in_step = |step| approaches_in_step(&objects, [0, 1], step, &settings).unwrap();
    let [approach] = in_step(359)[..] else {
        panic!("the end is no minimum")
    };
    assert!(
        approach.time == 3600.0 && approach.distance > 1.0,
        "{approach:?}"
    );
    assert_eq!(in_step(358), []);
    assert_eq!(in_step(360), []);
}

#[test]
fn objects_are_needed() {
    let settings = Settings::new(1.0, 10.0, 5.0).unwrap();
    let none: [Object; 0] = [];
    let error = Screen::new(&none, settings, Detector::new()).err().unwrap();
    assert_eq!(error.to_string(), "no object is left to screen");
}

#[test]
fn settings_out_of_range_are_named() {
    let message = |hours, step, below| Settings::new(hours, step, below).unwrap_err().to_string();
    assert_eq!(
        message(1.0, 61.0, 5.0),
        "the step is 61: it has to be above 0 and at most 60 seconds"
    );
    assert_eq!(
        message(1.0, f64::NAN, 5.0),
        "the step is NaN: it has to be above 0 and at most 60 seconds"
    );
    assert_eq!(
        message(0.0, 10.0, 5.0),
        "the time is 0: it has to be above 0 and at most 8784 hours"
    );
    assert_eq!(
        message(1.0, 10.0, -1.0),
        "the distance is -1: it has to be from 0.001 to 100 km"
    );
    assert_eq!(
        message(8784.0, 1e-3, 5.0),
        "the number of steps is 31622400000: it has to be at most 1e9"
    );
}
