//! Time of impact of a thrown, spinning box, found by one call and checked by halving the frame.
//!
//! ```text
//! cargo run --release --example subdivide
//! ```
//!
//! A box that tumbles under gravity does not move in a straight line. M. Gomez ("Simple Intersection Tests for Games",
//! Gamasutra, 18 October 1999) proposes to find its time of contact by dividing the frame.
//!
//! **One call.** The frame is cut into equal parts. In each part the box moves along a [`Chord`], from which its path
//! deviates by at most |W| / 8 n² for n parts, and rotates at constant speed. One call of [`impact`](Detector::impact),
//! with the chord's margin, tests all parts with all obstacles; the first part with a hit gives the time.
//!
//! **Halving**, the check. For each part of the frame the box at the middle is grown by the largest displacement of its
//! points within the part. If the grown box misses the obstacle, so does the part; otherwise its halves are tested. The
//! box at the middle is also tested: once it touches, later parts are skipped. The search ends with an interval: the
//! box touches no obstacle before its start, and touches an obstacle at its end.
//!
//! The example fails if the call is later than the interval's end, or too early by more than [`EARLY`].

use std::process::ExitCode;

use phalanx::{
    Aabb, Aabbs, Chord, Detector, Error, Impacts, Obb, Obbs, Overlaps, Pair, slerp, turn_between,
};

/// Number of parts in the call: the path deviates from their chords by 19 µm.
const PARTS: u32 = 256;
/// Tolerance of the impact, in metres.
const TOLERANCE: f32 = 1e-4;
/// Length of a part at which halving ends, as a fraction of the frame.
const RESOLUTION: f32 = 1e-6;
/// Largest lead of the call, as a fraction of the frame: the box, at about 5 m/s, takes no longer to cross the
/// tolerance and the margin.
const EARLY: f32 = 5e-5;
/// Covers the rounding of poses, in metres. They are within 16 m of the origin, where an `f32` is rounded by at most
/// half a micrometre.
const ROUNDING: f32 = 4e-6;

/// The obstacles: ground, a wall, and a crate in front of it.
const OBSTACLES: [(&str, Aabb); 3] = [
    (
        "ground",
        Aabb::from_center_half_extents([0.0, -0.5, 0.0], [15.0, 0.5, 15.0]),
    ),
    (
        "wall",
        Aabb::from_center_half_extents([7.0, 2.0, 0.0], [0.25, 2.0, 3.0]),
    ),
    (
        "crate",
        Aabb::from_center_half_extents([5.5, 0.75, 0.5], [0.75, 0.75, 0.75]),
    ),
];

/// A box in flight, for a frame of one second: metres and seconds.
struct Throw {
    half_extents: [f32; 3],
    start: [f32; 3],
    velocity: [f32; 3],
    gravity: [f32; 3],
    /// The orientations at the start and at the end.
    rotations: [[f32; 4]; 2],
    /// The angle between them, in radians.
    spin: f32,
}

impl Throw {
    fn new() -> Self {
        let spin = 170f32.to_radians();
        let (sin, cos) = (spin / 2.0).sin_cos();
        Throw {
            half_extents: [0.6, 0.25, 0.15],
            start: [0.0, 1.5, 0.0],
            velocity: [6.5, 4.0, 0.3],
            gravity: [0.0, -9.81, 0.0],
            rotations: [
                [0.0, 0.0, 0.0, 1.0],
                [0.48 * sin, 0.6 * sin, 0.64 * sin, cos],
            ],
            spin,
        }
    }

    /// The box at a time.
    fn at(&self, time: f32) -> Obb {
        let [from, to] = self.rotations;
        Obb {
            center: [0, 1, 2]
                .map(|k| self.start[k] + time * (self.velocity[k] + 0.5 * time * self.gravity[k])),
            half_extents: self.half_extents,
            rotation: slerp(from, to, time),
        }
    }

    /// The radius of its bounding sphere.
    fn radius(&self) -> f32 {
        length(self.half_extents)
    }

    /// Largest displacement of its points between a time and times up to `half` before or after it.
    fn travel(&self, time: f32, half: f32) -> f32 {
        let velocity = [0, 1, 2].map(|k| self.velocity[k] + time * self.gravity[k]);
        let straight = length(velocity) * half;
        let bent = length(self.gravity) * half * half / 2.0;
        // A rotation by φ moves a point at distance r along a chord of 2 r sin(φ / 2).
        let turned = 2.0 * self.radius() * (self.spin * half / 2.0).sin();
        straight + bent + turned + ROUNDING
    }
}

/// A part of the frame during which the box may touch an obstacle.
#[derive(Clone, Copy)]
struct Part {
    obstacle: u32,
    start: f32,
    end: f32,
}

impl Part {
    fn middle(self) -> f32 {
        0.5 * (self.start + self.end)
    }

    fn halves(self) -> [Part; 2] {
        let middle = self.middle();
        [
            Part {
                end: middle,
                ..self
            },
            Part {
                start: middle,
                ..self
            },
        ]
    }

    /// The box at the middle, grown so that it contains the box at any time of the part.
    fn grown(self, throw: &Throw) -> Obb {
        let half = (self.end - self.middle()).max(self.middle() - self.start);
        let reach = throw.travel(self.middle(), half);
        let shape = throw.at(self.middle());
        Obb {
            half_extents: shape.half_extents.map(|extent| extent + reach),
            ..shape
        }
    }
}

/// Result of a search, and its cost.
struct Found {
    /// There is no contact before this time.
    no_earlier: f32,
    /// There is a contact at this time.
    no_later: f32,
    obstacle: u32,
    calls: usize,
    tests: usize,
}

fn main() -> Result<ExitCode, Error> {
    let throw = Throw::new();
    let impact = in_one_call(&throw)?;
    let halved = halve(&throw)?;
    let (Some((time, obstacle)), Some(halved)) = (impact, halved) else {
        println!("NO CONTACT");
        return Ok(ExitCode::FAILURE);
    };
    println!(
        "one call: no contact before {time:.7} s, then the {}",
        OBSTACLES[obstacle].0
    );
    println!(
        "halving:  first contact with the {} between {:.7} and {:.7} s; tests: {}, calls: {}",
        OBSTACLES[halved.obstacle as usize].0,
        halved.no_earlier,
        halved.no_later,
        halved.tests,
        halved.calls,
    );
    let early = halved.no_later - time;
    if (0.0..=EARLY).contains(&early) && obstacle == halved.obstacle as usize {
        println!(
            "0 missed, 0 late: the call is {early:.1e} s early (limit {EARLY:.1e}), checked by {} overlap tests",
            halved.tests
        );
        Ok(ExitCode::SUCCESS)
    } else {
        println!("THEY DIFFER: {early:e}");
        Ok(ExitCode::FAILURE)
    }
}

/// The time of impact, and the index of the obstacle.
fn in_one_call(throw: &Throw) -> Result<Option<(f32, usize)>, Error> {
    let obstacles: Aabbs = OBSTACLES.iter().map(|(_, shape)| *shape).collect();
    let (mut boxes, mut pairs) = (Obbs::new(), Vec::new());
    let part = 1.0 / PARTS as f32;
    let [from, to] = throw.rotations;
    let turn = turn_between(from, to).map(|x| x * part);
    let mut margin = 0f32;
    for i in 0..PARTS {
        let start = i as f32 * part;
        let velocity = [0, 1, 2].map(|k| part * (throw.velocity[k] + start * throw.gravity[k]));
        let chord = Chord::of(velocity, throw.gravity.map(|w| w * part * part));
        margin = margin.max(chord.margin);
        let index = boxes.push_turning(throw.at(start), chord.displacement, turn);
        pairs.extend((0..OBSTACLES.len() as u32).map(|obstacle| Pair::new(index, obstacle)));
    }
    let mut impacts = Impacts::new();
    Detector::new().margin(margin + ROUNDING)?.impact(
        &boxes,
        &obstacles,
        &pairs,
        TOLERANCE,
        &mut impacts,
    )?;
    let times = impacts.iter().map(|(position, time)| {
        let Pair { a, b } = pairs[position];
        ((a as f32 + time) * part, b as usize)
    });
    Ok(times.min_by(|a, b| a.0.total_cmp(&b.0)))
}

/// Halves the parts that may contain the first contact until they are short.
fn halve(throw: &Throw) -> Result<Option<Found>, Error> {
    let obstacles: Obbs = OBSTACLES.iter().map(|(_, shape)| boxed(shape)).collect();
    let (mut detector, mut overlaps) = (Detector::new(), Overlaps::new());
    let (mut boxes, mut pairs) = (Obbs::new(), Vec::new());
    let whole = |obstacle| Part {
        obstacle,
        start: 0.0,
        end: 1.0,
    };
    let mut live: Vec<Part> = (0..OBSTACLES.len() as u32).map(whole).collect();
    let mut contact = f32::INFINITY;
    let (mut calls, mut tests) = (0, 0);

    while live.iter().any(|part| part.end - part.start > RESOLUTION) {
        boxes.clear();
        pairs.clear();
        for part in &live {
            let may_touch = boxes.push(part.grown(throw));
            let touches = boxes.push(throw.at(part.middle()));
            pairs.extend([may_touch, touches].map(|index| Pair::new(index, part.obstacle)));
        }
        detector.overlap(&boxes, &obstacles, &pairs, &mut overlaps)?;
        calls += 1;
        tests += pairs.len();

        for (i, part) in live.iter().enumerate() {
            if overlaps.is_hit(2 * i + 1) {
                contact = contact.min(part.middle());
            }
        }
        let may_touch = |&(i, _): &(usize, &Part)| overlaps.is_hit(2 * i);
        live = live
            .iter()
            .enumerate()
            .filter(may_touch)
            .flat_map(|(_, part)| part.halves())
            .filter(|part| part.start < contact)
            .collect();
    }
    let earliest = live.iter().min_by(|a, b| a.start.total_cmp(&b.start));
    Ok(earliest.map(|part| Found {
        no_earlier: part.start,
        no_later: contact,
        obstacle: part.obstacle,
        calls,
        tests,
    }))
}

/// Converts an AABB to an OBB.
fn boxed(shape: &Aabb) -> Obb {
    Obb {
        center: [0, 1, 2].map(|k| 0.5 * (shape.min[k] + shape.max[k])),
        half_extents: [0, 1, 2].map(|k| 0.5 * (shape.max[k] - shape.min[k])),
        ..Obb::default()
    }
}

fn length([x, y, z]: [f32; 3]) -> f32 {
    (x * x + y * y + z * z).sqrt()
}
