//! Objects that meet.
#![allow(dead_code)]

use conjunctions::{Approach, Hit, Object, Screen, Settings, brute, generate, meeting, objects_of};
use phalanx::Detector;
use sgp4::Elements;
use sgp4::chrono::{NaiveDate, NaiveDateTime};

/// The start of all screenings here.
pub fn start() -> NaiveDateTime {
    NaiveDate::from_ymd_opt(2026, 1, 1)
        .unwrap()
        .and_hms_opt(0, 0, 0)
        .unwrap()
}

/// A meeting that was planned: the time, the distance in km and the two indices.
pub struct Planned {
    pub time: f64,
    pub distance: f64,
    pub objects: [u32; 2],
}

/// Objects of which some meet as planned: at borders of steps of 10 s, within a breath of them, and anywhere.
pub fn scene(
    count: usize,
    meetings: usize,
    hours: f64,
    seed: u64,
) -> (Vec<Elements>, Vec<Planned>) {
    let mut elements = generate(count, seed);
    let mut planned = Vec::new();
    for index in 0..meetings {
        let spread = (index as f64 * 0.618_034).fract();
        let border = (spread * hours * 360.0).floor() * 10.0;
        let time = border + [0.0, 1e-3, -1e-3, 0.1, 5.0, 3.7][index % 6];
        let distance = 4.99 * (index as f64 * 0.754_878).fract();
        let other = index % count;
        let seed = seed + index as u64;
        if let Some(met) = meeting(&elements[other], start(), time.max(0.0), distance, seed) {
            let objects = [other as u32, elements.len() as u32];
            planned.push(Planned {
                time: time.max(0.0),
                distance,
                objects,
            });
            elements.push(met);
        }
    }
    (elements, planned)
}

/// Objects that fly in company: the same elements twice, and once a little ahead.
pub fn company(elements: &mut Vec<Elements>, of: &[usize]) {
    for &index in of {
        elements.push(elements[index].clone());
        let ahead = elements[index].mean_anomaly + 0.02;
        elements.push(Elements {
            mean_anomaly: ahead,
            ..elements[index].clone()
        });
    }
}

/// All of some elements as objects; each has to be good.
pub fn objects(elements: &[Elements]) -> Vec<Object> {
    let (objects, rejected) = objects_of(elements, start());
    assert_eq!(rejected, []);
    objects
}

/// The approaches of all objects, and all hits.
pub fn screened(
    objects: &[Object],
    settings: Settings,
    detector: Detector,
) -> (Vec<Approach>, Vec<brute::Cover>) {
    let mut screen = Screen::new(objects, settings, detector).unwrap();
    let (mut approaches, mut covers) = (Vec::new(), Vec::new());
    while screen.next_step(&mut approaches).unwrap() {
        let step = screen.steps_done() - 1;
        let cover = |hit: &Hit| (step, hit.objects, [hit.enter, hit.exit]);
        covers.extend(screen.hits().iter().map(cover));
    }
    (approaches, covers)
}

/// The approaches of a screening, which have to be those of brute force.
pub fn like_brute_force(objects: &[Object], settings: Settings, samples: u32) -> Vec<Approach> {
    let (approaches, covers) = screened(objects, settings, Detector::new());
    let all: Vec<u32> = (0..objects.len() as u32).collect();
    let brute = brute::brute_force(objects, &all, &settings, samples, &covers).unwrap();
    let difference = brute::compare(&approaches, &brute.approaches);
    println!(
        "{} approaches, {} samples within, distances within {:.1e} km, times within {:.1e} s",
        brute.approaches.len(),
        brute.within,
        difference.distance(),
        difference.time()
    );
    let times = difference.matched.iter().map(|two| {
        let [ours, theirs] = two;
        (ours.time - theirs.time).abs() / brute::time_tolerance(theirs)
    });
    println!(
        "times differ by up to {:.3} of the tolerance",
        times.fold(0.0, f64::max)
    );
    let brute::Difference {
        missing, surplus, ..
    } = difference;
    assert!(
        missing.is_empty() && surplus.is_empty(),
        "missing {missing:?}, surplus {surplus:?}"
    );
    assert_eq!(
        brute.uncovered, 0,
        "an entry that is late, or a contact lost"
    );
    assert!(
        approaches.windows(2).all(|two| two[0].time <= two[1].time),
        "not in order of time"
    );
    approaches
}
