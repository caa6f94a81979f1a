//! When does a thrown, spinning box hit something? Found by halving the frame.
//!
//! ```text
//! cargo run --release --example subdivide
//! ```
//!
//! A sweep moves shapes on straight lines and does not turn them. A box under gravity that tumbles
//! does neither, so its time of contact is searched for, as M. Gomez proposes ("Simple Intersection
//! Tests for Games", Gamasutra, 18 October 1999): a sweep of simple bounds says when to look, and
//! halving the time finds the contact.
//!
//! 1. **When to look.** The box, however it is turned, stays inside its bounding sphere; the sphere
//!    stays within |W| / 8 of the chord of its path ([`Chord`]). One sweep of that against the
//!    obstacles gives, for each, the part of the frame outside of which it cannot be touched.
//! 2. **Halving.** For each such part, the box is taken at its middle and grown by the farthest that
//!    any of its points can be from there before the part begins or ends. If that misses the
//!    obstacle, the part is done with; if not, its halves are looked at. The box as it is at the
//!    middle is tested too: once it touches, whatever comes later is of no interest.
//!
//! All parts of a level are tested in one call. The growth shrinks with the parts, so that few of
//! them live on, next to the first contact. The search ends with an interval: the box touches nothing
//! before it begins, and touches something when it ends.
//!
//! **Checked** by brute force: 100 000 poses of the frame against every obstacle. The example fails
//! if the interval begins later than the first pose that touches, or too early by more than
//! [`TOLERANCE`].

use std::process::ExitCode;

use phalanx::{
    Aabb, Aabbs, Chord, Detector, Error, Obb, Obbs, Overlaps, Pair, Pairs, Sweeps, slerp,
};

/// The search ends with parts of the frame that are shorter than this.
const RESOLUTION: f32 = 1e-6;
/// How many poses brute force takes.
const SAMPLES: u32 = 100_000;
/// By how much of the frame the search may be earlier than brute force: a step between two poses, a
/// part, and what the growth of a part adds to it.
const TOLERANCE: f32 = 1.0 / SAMPLES as f32 + 5.0 * RESOLUTION;
/// Covers the rounding of poses here, in metres. They are within 16 m of the origin, where an `f32`
/// is rounded by at most half a micrometre.
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

    /// The box as it is at a time.
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

    /// How far any of its points can be, up to `half` before or after a time, from where it is then.
    fn travel(&self, time: f32, half: f32) -> f32 {
        let velocity = [0, 1, 2].map(|k| self.velocity[k] + time * self.gravity[k]);
        let straight = length(velocity) * half;
        let bent = length(self.gravity) * half * half / 2.0;
        // A turn by φ moves a point at distance r along a chord of 2 r sin(φ / 2).
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

    /// The box at the middle, grown so that it holds the box at any time of the part.
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

/// What was found, and at what cost.
struct Found {
    /// Nothing is touched before.
    no_earlier: f32,
    /// Something is touched then.
    no_later: f32,
    obstacle: u32,
    calls: usize,
    tests: usize,
}

fn main() -> Result<ExitCode, Error> {
    let throw = Throw::new();
    let bounds: Aabbs = OBSTACLES.iter().map(|(_, shape)| *shape).collect();
    let obstacles: Obbs = OBSTACLES.iter().map(|(_, shape)| boxed(shape)).collect();

    let parts = when_to_look(&throw, &bounds)?;
    for part in &parts {
        let (name, _) = OBSTACLES[part.obstacle as usize];
        println!(
            "look at the {name} from {:.4} to {:.4} s",
            part.start, part.end
        );
    }
    let found = halve(&throw, &obstacles, parts)?;
    let sampled = sample(&throw, &obstacles)?;
    let (Some(found), Some(sampled)) = (found, sampled) else {
        println!("NO CONTACT");
        return Ok(ExitCode::FAILURE);
    };

    report("halving", &found);
    report("sampling", &sampled);
    let early = sampled.no_later - found.no_earlier;
    if (0.0..=TOLERANCE).contains(&early) {
        println!(
            "halving begins {early:.1e} s before sampling ends; at most {TOLERANCE:.1e} is allowed"
        );
        Ok(ExitCode::SUCCESS)
    } else {
        println!("THEY DIFFER: {early:e}");
        Ok(ExitCode::FAILURE)
    }
}

fn report(name: &str, found: &Found) {
    println!(
        "{name:<9} first touches the {} between {:.7} and {:.7} s; tests: {}, calls: {}",
        OBSTACLES[found.obstacle as usize].0,
        found.no_earlier,
        found.no_later,
        found.tests,
        found.calls,
    );
}

/// Sweeps the bounding sphere, in a cube, along the chord of the path.
fn when_to_look(throw: &Throw, obstacles: &Aabbs) -> Result<Vec<Part>, Error> {
    let chord = Chord::of(throw.velocity, throw.gravity);
    let radius = throw.radius() + ROUNDING;
    let mut cube = Aabbs::new();
    cube.push_moving(
        Aabb::from_center_half_extents(throw.start, [radius; 3]),
        chord.displacement,
    );
    let mut sweeps = Sweeps::new();
    Detector::new().margin(chord.margin)?.sweep(
        &cube,
        obstacles,
        Pairs::one_to_all(0),
        &mut sweeps,
    )?;
    let part = |(obstacle, time): (usize, phalanx::TimeInterval)| Part {
        obstacle: obstacle as u32,
        start: time.enter,
        end: time.exit,
    };
    Ok(sweeps.iter().map(part).collect())
}

/// Halves the parts that may hold the first contact until they are short.
fn halve(throw: &Throw, obstacles: &Obbs, parts: Vec<Part>) -> Result<Option<Found>, Error> {
    let (mut detector, mut overlaps) = (Detector::new(), Overlaps::new());
    let (mut boxes, mut pairs) = (Obbs::new(), Vec::new());
    let mut live = parts;
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
        detector.overlap(&boxes, obstacles, &pairs, &mut overlaps)?;
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

/// Tests the box at equal steps of time against every obstacle.
fn sample(throw: &Throw, obstacles: &Obbs) -> Result<Option<Found>, Error> {
    let time = |i: u32| i as f32 / SAMPLES as f32;
    let boxes: Obbs = (0..=SAMPLES).map(|i| throw.at(time(i))).collect();
    let each = |i| (0..obstacles.len() as u32).map(move |obstacle| Pair::new(i, obstacle));
    let pairs: Vec<Pair> = (0..=SAMPLES).flat_map(each).collect();
    let mut overlaps = Overlaps::new();
    Detector::new().overlap(&boxes, obstacles, &pairs, &mut overlaps)?;
    Ok(overlaps.iter().next().map(|position| Found {
        no_earlier: time(pairs[position].a.saturating_sub(1)),
        no_later: time(pairs[position].a),
        obstacle: pairs[position].b,
        calls: 1,
        tests: pairs.len(),
    }))
}

/// The same box, to meet boxes in any orientation.
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
