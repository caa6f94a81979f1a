use std::f64::consts::{PI, TAU};
use std::ops::Range;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use sgp4::chrono::{NaiveDate, NaiveDateTime, TimeDelta};
use sgp4::{Classification, Elements};

use crate::object::{norm, sub};
use crate::{Object, State};

/// A family of orbits, as they are up there.
struct Family {
    name: &'static str,
    /// How many of 1000 objects.
    share: u32,
    /// The height of the perigee in km.
    perigee: Range<f64>,
    eccentricity: Range<f64>,
    /// Inclinations in degrees, one of which is taken, give or take a tenth.
    inclinations: &'static [f64],
    /// Arguments of perigee in degrees.
    perigees: Range<f64>,
    /// The drag term, in 1 / radii of Earth.
    drag: Range<f64>,
}

const ALL_ROUND: Range<f64> = 0.0..360.0;

const FAMILIES: [Family; 10] = [
    Family {
        name: "SHELL",
        share: 330,
        perigee: 538.0..572.0,
        eccentricity: 0.0..0.0003,
        inclinations: &[53.05, 53.22, 70.0, 43.0, 97.6],
        perigees: ALL_ROUND,
        drag: 1e-5..4e-4,
    },
    Family {
        name: "LOW",
        share: 40,
        perigee: 330.0..480.0,
        eccentricity: 0.0..0.002,
        inclinations: &[51.64, 97.3, 41.5, 28.5],
        perigees: ALL_ROUND,
        drag: 1e-4..9e-4,
    },
    Family {
        name: "SUNSYNC",
        share: 150,
        perigee: 480.0..880.0,
        eccentricity: 0.0..0.003,
        inclinations: &[97.4, 97.8, 98.2, 98.7],
        perigees: ALL_ROUND,
        drag: 1e-5..3e-4,
    },
    Family {
        name: "POLAR",
        share: 50,
        perigee: 1190.0..1215.0,
        eccentricity: 0.0..0.0005,
        inclinations: &[87.9],
        perigees: ALL_ROUND,
        drag: 0.0..1e-4,
    },
    Family {
        name: "DEBRIS",
        share: 330,
        perigee: 500.0..1450.0,
        eccentricity: 0.0..0.03,
        inclinations: &[62.0, 65.8, 71.0, 74.0, 82.6, 86.4, 98.6, 99.3, 102.0],
        perigees: ALL_ROUND,
        drag: 1e-5..1e-3,
    },
    Family {
        name: "TRANSFER",
        share: 25,
        perigee: 220.0..650.0,
        eccentricity: 0.70..0.73,
        inclinations: &[4.0, 7.0, 19.0, 27.5],
        perigees: 170.0..190.0,
        drag: 1e-5..3e-4,
    },
    Family {
        name: "MOLNIYA",
        share: 10,
        perigee: 500.0..1500.0,
        eccentricity: 0.70..0.74,
        inclinations: &[62.8, 63.4, 64.1],
        perigees: 260.0..290.0,
        drag: 0.0..1e-4,
    },
    Family {
        name: "NAVIGATION",
        share: 10,
        perigee: 19_000.0..23_300.0,
        eccentricity: 0.0..0.01,
        inclinations: &[54.8, 55.6, 64.8],
        perigees: ALL_ROUND,
        drag: 0.0..1e-9,
    },
    Family {
        name: "STATIONARY",
        share: 40,
        perigee: 35_766.0..35_790.0,
        eccentricity: 0.0..0.0006,
        inclinations: &[0.1, 2.0, 7.0, 13.5],
        perigees: ALL_ROUND,
        drag: 0.0..1e-9,
    },
    Family {
        name: "ELLIPTIC",
        share: 15,
        perigee: 300.0..2000.0,
        eccentricity: 0.05..0.6,
        inclinations: &[28.0, 47.0, 63.0, 82.0],
        perigees: ALL_ROUND,
        drag: 1e-5..3e-4,
    },
];

/// The radius in km that heights count from.
const EARTH: f64 = 6378.135;
/// The gravity of Earth in km³/s².
const GRAVITY: f64 = 398_600.8;

/// The time at which generated catalogues are complete: all epochs are in the day before.
fn complete() -> NaiveDateTime {
    NaiveDate::from_ymd_opt(2026, 1, 1)
        .unwrap_or_default()
        .and_time(Default::default())
}

/// Elements of some objects, spread over families of orbits as a catalogue is.
///
/// Every number has as many digits as two-line elements have.
pub fn generate(count: usize, seed: u64) -> Vec<Elements> {
    let mut random = StdRng::seed_from_u64(seed);
    (0..count)
        .map(|index| one_of_a_family(index, &mut random))
        .collect()
}

fn one_of_a_family(index: usize, random: &mut StdRng) -> Elements {
    let total = FAMILIES.iter().map(|family| family.share).sum();
    let mut ticket = random.random_range(0..total);
    let mut family = &FAMILIES[0];
    for each in &FAMILIES {
        family = each;
        if ticket < each.share {
            break;
        }
        ticket -= each.share;
    }
    let eccentricity = digits(random.random_range(family.eccentricity.clone()), 7);
    let perigee = EARTH + random.random_range(family.perigee.clone());
    let inclination = family.inclinations[random.random_range(0..family.inclinations.len())];
    let age = random.random_range(0..1_000_000);
    Elements {
        object_name: Some(format!("{}-{index}", family.name)),
        international_designator: Some(format!("2025-{:03}A", index % 1000)),
        norad_id: 100_000 + index as u64,
        classification: Classification::Unclassified,
        // In millionths of a day.
        datetime: complete() - TimeDelta::microseconds(86_400 * age),
        mean_motion_dot: 0.0,
        mean_motion_ddot: 0.0,
        drag_term: significant(random.random_range(family.drag.clone())),
        element_set_number: 1,
        inclination: digits((inclination + random.random_range(-0.1..0.1)).abs(), 4),
        right_ascension: digits(random.random_range(ALL_ROUND), 4),
        eccentricity,
        argument_of_perigee: digits(random.random_range(family.perigees.clone()), 4),
        mean_anomaly: digits(random.random_range(ALL_ROUND), 4),
        mean_motion: digits(revolutions_a_day(perigee / (1.0 - eccentricity)), 8),
        revolution_number: 1,
        ephemeris_type: 0,
    }
}

/// How often an orbit of some semi-major axis is run through in a day.
fn revolutions_a_day(axis: f64) -> f64 {
    (GRAVITY / axis.powi(3)).sqrt() / TAU * 86_400.0
}

/// A number with so many digits behind the point.
fn digits(x: f64, count: i32) -> f64 {
    let scale = 10.0_f64.powi(count);
    (x * scale).round() / scale
}

/// A number with five significant digits.
fn significant(x: f64) -> f64 {
    if x < 1e-9 {
        return 0.0;
    }
    digits(x, 4 - x.log10().floor() as i32)
}

/// Elements of an object that passes another one at a distance in km.
///
/// The orbits cross at an angle; the seed decides how. `None` if none was found: the other object has no position at
/// the time, or is over a pole.
pub fn meeting(
    other: &Elements,
    start: NaiveDateTime,
    seconds: f64,
    distance: f64,
    seed: u64,
) -> Option<Elements> {
    let mut random = StdRng::seed_from_u64(seed);
    let other_at = Object::new(other, start).ok()?.at(seconds).ok()?;
    let radius = norm(other_at.position);
    let latitude = (other_at.position[2] / radius).asin();
    let least = latitude.abs().to_degrees() + 3.0;
    if least >= 90.0 {
        return None;
    }
    let inclination = random.random_range(least..180.0 - least);
    // On the way up or down through the latitude.
    let up = (latitude.sin() / inclination.to_radians().sin()).asin();
    let along = if random.random() { up } else { PI - up };
    let node = f64::atan2(other_at.position[1], other_at.position[0])
        - f64::atan2(inclination.to_radians().cos() * along.sin(), along.cos());
    let elements = Elements {
        object_name: Some(format!("MEETS {}", crate::name_of(other))),
        datetime: start + TimeDelta::milliseconds((seconds * 1e3) as i64),
        drag_term: 0.0,
        inclination,
        right_ascension: node.to_degrees().rem_euclid(360.0),
        eccentricity: 1e-3,
        argument_of_perigee: 0.0,
        mean_anomaly: along.to_degrees().rem_euclid(360.0),
        mean_motion: revolutions_a_day(radius),
        ..other.clone()
    };
    let met = aimed(elements, start, seconds, other_at.position)?;
    let at = Object::new(&met, start).ok()?.at(seconds).ok()?;
    let aside = cross(other_at.velocity, at.velocity);
    let target = [0, 1, 2].map(|k| other_at.position[k] + distance * aside[k] / norm(aside));
    aimed(met, start, seconds, target)
}

/// Elements that are changed so that their object is at a target at a time.
///
/// The node, the anomaly and the mean motion change.
fn aimed(
    mut elements: Elements,
    start: NaiveDateTime,
    seconds: f64,
    target: [f64; 3],
) -> Option<Elements> {
    let miss = |elements: &Elements| -> Option<[f64; 3]> {
        let State { position, .. } = Object::new(elements, start).ok()?.at(seconds).ok()?;
        Some(sub(position, target))
    };
    let changed = |elements: &Elements, by: [f64; 3]| Elements {
        right_ascension: elements.right_ascension + by[0],
        mean_anomaly: elements.mean_anomaly + by[1],
        mean_motion: elements.mean_motion + by[2],
        ..elements.clone()
    };
    const TINY: [f64; 3] = [1e-4, 1e-4, 1e-6];
    for _ in 0..50 {
        let now = miss(&elements)?;
        if norm(now) < 1e-6 {
            return Some(elements);
        }
        let mut slopes = [[0.0; 3]; 3];
        for (k, slope) in slopes.iter_mut().enumerate() {
            let mut by = [0.0; 3];
            by[k] = TINY[k];
            *slope = sub(miss(&changed(&elements, by))?, now).map(|x| x / TINY[k]);
        }
        // By Cramer's rule.
        let [u, v, w] = slopes;
        let whole = dot(u, cross(v, w));
        let by = [cross(v, w), cross(w, u), cross(u, v)].map(|area| -dot(now, area) / whole);
        elements = changed(&elements, by);
    }
    None
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
