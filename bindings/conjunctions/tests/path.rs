//! A segment holds the path of its object.

mod common;

use common::{objects, start};
use conjunctions::{Object, Segment, Settings, State, generate, sagitta_allowance};
use sgp4::Elements;

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

/// Where the centre of a segment is at a part of the step.
fn center(segment: &Segment, part: f64) -> [f64; 3] {
    [0, 1, 2].map(|k| f64::from(segment.center[k]) + part * f64::from(segment.displacement[k]))
}

/// What a segment allows for, in km.
fn allowance(segment: &Segment, settings: &Settings) -> f64 {
    f64::from(segment.radius) - settings.below() / 2.0
}

/// Objects of all families, and low ones that are fast at perigee.
fn all_kinds() -> Vec<Object> {
    let mut elements = generate(600, 23);
    for index in 0..40 {
        let argument_of_perigee = 9.0 * index as f64;
        let base = elements[index].clone();
        elements.push(Elements {
            eccentricity: 0.70 + 0.0005 * index as f64,
            mean_motion: 2.3,
            drag_term: 1e-5,
            inclination: 63.4,
            mean_anomaly: 358.0,
            datetime: start(),
            argument_of_perigee,
            ..base
        });
    }
    objects(&elements)
}

#[test]
fn the_path_is_within_the_allowance_of_the_chord() {
    let (mut widest, mut jumps) = (0.0_f64, 0);
    for step in [10.0, 60.0] {
        let settings = Settings::new(24.0, step, 5.0).unwrap();
        let mut sagitta: f64 = 0.0;
        for object in all_kinds() {
            for k in (0..settings.steps()).step_by(if step < 60.0 { 97 } else { 17 }) {
                let time = settings.border(k);
                let (Ok(begin), Ok(end)) = (object.at(time), object.at(settings.border(k + 1)))
                else {
                    continue;
                };
                let Ok(before) = object.at(time - step) else {
                    continue;
                };
                let segment = Segment::new(0, Some(&before), &begin, Some(&end), &settings);
                jumps += u32::from(segment.jump.is_some());
                for part in (0..=16).map(|x| f64::from(x) / 16.0) {
                    let at = object.at(time + part * step).unwrap().position;
                    let off = distance(at, center(&segment, part));
                    assert!(
                        off <= allowance(&segment, &settings),
                        "{} at {time} s: {off} km",
                        object.name()
                    );
                    if segment.jump.is_some() {
                        continue;
                    }
                    let chord = [0, 1, 2]
                        .map(|k| begin.position[k] + part * (end.position[k] - begin.position[k]));
                    let share = distance(at, chord) / sagitta_allowance(&begin, &end, step);
                    assert!(
                        share < 1.0,
                        "{} at {time} s: {share} of the sagitta allowed",
                        object.name()
                    );
                    widest = widest.max(share);
                    sagitta = sagitta.max(distance(at, chord));
                }
            }
        }
        println!("steps of {step} s: the path is up to {sagitta:.4} km from its chord");
    }
    println!("widest: {widest:.4} of the sagitta allowed");
    assert!(widest > 0.9, "the allowance is loose: {widest}");
    assert!(jumps < 5, "{jumps} jumps told");
}

#[test]
fn a_jump_of_sgp4_is_held_and_told() {
    // Its node passes 0 within the day, where SGP4 adds 2π to what it multiplies later.
    let elements = &generate(3000, 23)[898];
    let object = &objects(std::slice::from_ref(elements))[0];
    let settings = Settings::new(24.0, 10.0, 5.0).unwrap();
    let mut told = Vec::new();
    for k in 1..settings.steps() {
        let time = settings.border(k);
        let [before, begin, end] =
            [-10.0, 0.0, 10.0].map(|offset| object.at(time + offset).unwrap());
        let segment = Segment::new(0, Some(&before), &begin, Some(&end), &settings);
        if let Some(jump) = segment.jump {
            told.push((time, jump));
        }
        for part in (0..=8).map(|x| f64::from(x) / 8.0) {
            let off = distance(
                object.at(time + part * 10.0).unwrap().position,
                center(&segment, part),
            );
            assert!(
                off <= allowance(&segment, &settings),
                "at {time} s: {off} km"
            );
        }
    }
    println!("{told:?}");
    assert_eq!(told.len(), 2, "the step, and the one after");
    assert!(told[0].1 > 1.0);
}

#[test]
fn a_jump_is_held_and_told() {
    let settings = Settings::new(1.0, 10.0, 5.0).unwrap();
    let mut seen = 0;
    for object in &all_kinds()[..100] {
        let [before, begin, end] = [-10.0, 0.0, 10.0].map(|time| object.at(time).unwrap());
        for by in [[3.0, 0.0, 0.0], [-0.7, 0.7, 20.0], [0.0, -0.3, 0.0]] {
            let jumped = |state: State| State {
                position: [0, 1, 2].map(|k| state.position[k] + by[k]),
                ..state
            };
            let segment = Segment::new(0, Some(&before), &begin, Some(&jumped(end)), &settings);
            let length = distance(by, [0.0; 3]);
            let told = segment.jump.unwrap();
            assert!((told - length).abs() < 0.02, "{told} km, not {length}");
            for part in (0..=16).map(|x| f64::from(x) / 16.0) {
                let at = object.at(part * 10.0).unwrap();
                for at in [at, jumped(at)] {
                    let off = distance(at.position, center(&segment, part));
                    assert!(
                        off <= allowance(&segment, &settings),
                        "{} at {part}: {off} km",
                        object.name()
                    );
                }
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 300);
}

#[test]
fn an_object_without_an_end_is_a_ball_at_its_start() {
    let settings = Settings::new(1.0, 10.0, 5.0).unwrap();
    for object in &all_kinds()[..50] {
        let begin = object.at(0.0).unwrap();
        let segment = Segment::new(4, None, &begin, None, &settings);
        assert_eq!((segment.object, segment.displacement), (4, [0.0; 3]));
        let off = distance(begin.position, center(&segment, 0.0));
        assert!(off <= allowance(&segment, &settings));
        assert!(segment.radius < 2.51);
    }
}
