//! Edges of a roadmap: motions straight in joint space, each proved free, or blocked from a time on.
//!
//! A sphere is swept along the chord of its path, grown by its greatest distance from that chord: the recipe "Edges of a roadmap" says why.
//! All edges share the calls of a round. Samples are beside it: 100 an edge, and 32 for each radian in joint space, rounded up to
//! eights, the resolution of VAMP for the Panda.

use std::error::Error;
use std::time::{Duration, Instant};

use phalanx::{Capsules, Detector, During, Obbs, Overlaps, Sphere, Spheres};

use crate::links::Arm;
use crate::pose::Vector;

/// Number of edges of a table.
const EDGES: usize = 1000;
/// The shortest part of an edge that is proved free, and the growth that rounding needs.
const SHORTEST: f64 = 1.0 / 4096.0;
const ROUNDING: f64 = 1e-6;
/// Samples an edge that check the proofs.
const DENSE: usize = 500;

/// A sphere of a link: its center in the frame of the link, and its radius.
pub type LinkSphere = (usize, Vector, f32);

/// Obstacles of the arm.
pub struct Obstacles {
    pub spheres: Spheres,
    pub boxes: Obbs,
    pub capsules: Capsules,
}

/// Joint angles at the start, and by how much they change.
struct Edge {
    from: Vec<f64>,
    turns: Vec<f64>,
}

impl Edge {
    fn angles(&self, time: f64) -> Vec<f64> {
        let both = self.from.iter().zip(&self.turns);
        both.map(|(from, turn)| from + time * turn).collect()
    }

    fn length(&self) -> f64 {
        self.turns
            .iter()
            .map(|turn| turn * turn)
            .sum::<f64>()
            .sqrt()
    }
}

/// Spheres of an arm, and for each the joints that move it, from the last one on, with its greatest distance from each.
struct Paths<'a> {
    arm: &'a Arm,
    spheres: &'a [LinkSphere],
    joints: Vec<Vec<(usize, f64)>>,
}

impl<'a> Paths<'a> {
    fn new(arm: &'a Arm, spheres: &'a [LinkSphere]) -> Self {
        let length = |v: &Vector| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let joints = spheres.iter().map(|(link, center, _)| {
            let (mut link, mut reach, mut joints) = (*link, length(center), Vec::new());
            while let Some(joint) = arm.joints.iter().position(|[_, child]| *child == link) {
                if let Some(angle) = arm.angle_of(joint) {
                    joints.push((angle, reach));
                }
                reach += length(&arm.robot.joints[joint].origin.xyz.0);
                link = arm.joints[joint][0];
            }
            joints
        });
        let joints = joints.collect();
        Paths {
            arm,
            spheres,
            joints,
        }
    }

    fn centers(&self, edge: &Edge, time: f64) -> Vec<Vector> {
        let places = self.arm.places(&edge.angles(time));
        let spheres = self.spheres.iter();
        spheres
            .map(|(link, center, _)| places[*link].apply(*center))
            .collect()
    }

    /// The greatest distance of the path of sphere `k` from its chord in a part of an edge, at the same time.
    fn growth(&self, edge: &Edge, part: f64, k: usize) -> f64 {
        let joints = &self.joints[k];
        let turn = |(joint, _): &(usize, f64)| edge.turns[*joint].abs();
        let terms = (0..joints.len()).map(|i| {
            let before: f64 = joints[i + 1..].iter().map(turn).sum();
            // Of two joints the last one counts: it is nearer.
            turn(&joints[i]) * (turn(&joints[i]) + 2.0 * before) * joints[i].1
        });
        part * part * terms.sum::<f64>() / 8.0 + ROUNDING
    }
}

/// Spheres in many places, a body each, and which bodies touch an obstacle.
#[derive(Default)]
struct Bodies {
    detector: Detector,
    spheres: Spheres,
    hits: [Overlaps; 3],
    /// Number of bodies of all calls, and the time of these.
    len: usize,
    time: Duration,
}

impl Bodies {
    fn new() -> Self {
        Bodies {
            detector: Detector::new().parallel(false),
            ..Bodies::default()
        }
    }

    fn push(
        &mut self,
        body: usize,
        center: Vector,
        radius: f64,
        way: Vector,
    ) -> Result<(), phalanx::Error> {
        let narrow = |v: Vector| v.map(|x| x as f32);
        let sphere = Sphere::new(narrow(center), radius as f32);
        let index = self.spheres.push_moving(sphere, narrow(way));
        self.spheres.set_body(index, body as u32)
    }

    fn meet(&mut self, to: &Obstacles, during: During) -> Result<(), phalanx::Error> {
        let start = Instant::now();
        let [of_spheres, of_boxes, of_capsules] = &mut self.hits;
        let (detector, own) = (&mut self.detector, &self.spheres);
        detector.bodies_meet_any(own, &to.spheres, during, of_spheres)?;
        detector.bodies_meet_any(own, &to.boxes, during, of_boxes)?;
        detector.bodies_meet_any(own, &to.capsules, during, of_capsules)?;
        self.time += start.elapsed();
        Ok(())
    }

    fn is_hit(&self, body: usize) -> bool {
        self.hits.iter().any(|hits| hits.is_hit_or_invalid(body))
    }
}

/// For each edge the time before which it is free; 1 if all of it is.
fn free_until(
    paths: &Paths<'_>,
    edges: &[Edge],
    to: &Obstacles,
    bodies: &mut Bodies,
) -> Result<Vec<f64>, phalanx::Error> {
    let mut times = vec![1.0; edges.len()];
    // Edge, start and length of its part.
    let mut parts: Vec<(usize, f64, f64)> = (0..edges.len()).map(|edge| (edge, 0.0, 1.0)).collect();
    while !parts.is_empty() {
        bodies.spheres.clear();
        for (body, &(edge, start, part)) in parts.iter().enumerate() {
            let edge = &edges[edge];
            let [from, end] = [start, start + part].map(|time| paths.centers(edge, time));
            for (k, (_, _, radius)) in paths.spheres.iter().enumerate() {
                let way = [0, 1, 2].map(|axis| end[k][axis] - from[k][axis]);
                let radius = f64::from(*radius) + paths.growth(edge, part, k);
                bodies.push(body, from[k], radius, way)?;
            }
        }
        bodies.len += parts.len();
        bodies.meet(to, During::Frame)?;
        let mut body = 0;
        parts.retain_mut(|(edge, start, part)| {
            let is_free = !bodies.is_hit(body);
            body += 1;
            if is_free {
                let next = *start + *part;
                (*start, *part) = (next, (2.0 * *part).min(1.0 - next));
                return next < 1.0;
            }
            *part /= 2.0;
            if *part < SHORTEST {
                times[*edge] = *start;
            }
            *part >= SHORTEST
        });
    }
    Ok(times)
}

/// For each edge the first of some equidistant samples that touches.
fn first_sample(
    paths: &Paths<'_>,
    edges: &[Edge],
    samples: impl Fn(&Edge) -> usize,
    to: &Obstacles,
    bodies: &mut Bodies,
) -> Result<Vec<Option<f64>>, phalanx::Error> {
    let mut first = vec![None; edges.len()];
    for (edge, first) in edges.iter().zip(&mut first) {
        bodies.spheres.clear();
        let count = samples(edge);
        let time = |sample: usize| sample as f64 / (count - 1).max(1) as f64;
        for sample in 0..count {
            let centers = paths.centers(edge, time(sample));
            for (center, (_, _, radius)) in centers.iter().zip(paths.spheres) {
                bodies.push(sample, *center, f64::from(*radius), [0.0; 3])?;
            }
        }
        bodies.len += count;
        bodies.meet(to, During::Start)?;
        *first = (0..count).find(|sample| bodies.is_hit(*sample)).map(time);
    }
    Ok(first)
}

/// Proves random edges of an arm and checks them by samples.
pub fn print(
    arm: &Arm,
    spheres: &[LinkSphere],
    to: &Obstacles,
    random: &mut impl FnMut() -> f64,
) -> Result<(), Box<dyn Error>> {
    let paths = Paths::new(arm, spheres);
    let limits = arm.limits();
    let edges: Vec<Edge> = (0..EDGES)
        .map(|_| {
            let mut one = || -> Vec<f64> {
                limits
                    .iter()
                    .map(|[low, high]| low + (high - low) * random())
                    .collect()
            };
            let (from, to) = (one(), one());
            // Neighbours of a roadmap are near each other.
            let turns = from
                .iter()
                .zip(to)
                .map(|(from, to)| 0.25 * (to - from))
                .collect();
            Edge { from, turns }
        })
        .collect();
    let [mut proofs, mut hundred, mut coarse, mut dense] = [(); 4].map(|()| Bodies::new());
    let times = free_until(&paths, &edges, to, &mut proofs)?;
    let by_hundred = first_sample(&paths, &edges, |_| 100, to, &mut hundred)?;
    let resolution = |edge: &Edge| 8 * (edge.length() * 32.0 / 8.0).ceil().max(1.0) as usize;
    let by_coarse = first_sample(&paths, &edges, resolution, to, &mut coarse)?;
    let by_dense = first_sample(&paths, &edges, |_| DENSE, to, &mut dense)?;
    let mut missed = [0; 2];
    for (number, time) in times.iter().enumerate() {
        for samples in [&by_hundred, &by_coarse, &by_dense] {
            let contact = samples[number];
            assert!(
                contact.is_none_or(|contact| *time <= contact),
                "edge {number} is free until {time}, and touches at {contact:?}"
            );
        }
        let touches = by_dense[number].is_some();
        missed[0] += usize::from(touches && by_hundred[number].is_none());
        missed[1] += usize::from(touches && by_coarse[number].is_none());
    }
    let free = times.iter().filter(|time| **time == 1.0).count();
    let unproved = times
        .iter()
        .zip(&by_dense)
        .filter(|(time, touch)| **time < 1.0 && touch.is_none())
        .count();
    println!(
        "\n{EDGES} edges of {} spheres, {} obstacles: {free} free; {unproved} blocked where {DENSE} samples find no contact",
        spheres.len(),
        to.spheres.len() + to.boxes.len() + to.capsules.len()
    );
    let row = |name: &str, bodies: &Bodies, missed: &str| {
        let each = |x: f64| x / EDGES as f64;
        println!(
            "  {name:32} {:7.1} {:10.1}   {missed}",
            each(bodies.len as f64),
            each(bodies.time.as_secs_f64() * 1e6)
        );
    };
    println!(
        "  {:32} {:>7} {:>10}   contacts missed",
        "an edge:", "bodies", "µs"
    );
    row("proof", &proofs, "none");
    row("100 samples", &hundred, &missed[0].to_string());
    row("32 samples a radian", &coarse, &missed[1].to_string());
    assert!(free > 0 && free < EDGES, "edges that decide nothing");
    Ok(())
}
