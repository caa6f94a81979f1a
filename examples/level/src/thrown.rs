//! Spheres thrown into the level, which bounce.

use std::time::{Duration, Instant};

use phalanx::{Contacts, Detector, During, Error, Mesh, Pair, Sphere, Spheres, Sweeps};

use crate::character::{FRAME, Hit, add, dot};
use crate::level::Random;
use crate::plain;

pub const SPHERES: usize = 500;
/// Distance from the level after a hit, in metres.
const SKIN: f32 = 1e-3;
const GRAVITY: f32 = 9.81;
/// Minimum speed of a counted hit: hits of a resting sphere are slower.
const FAST: f32 = 1.0;
/// Remaining parts of the speed after a bounce, along the normal and across.
const BOUNCE: f32 = 0.5;
const SLIDE: f32 = 0.9;

pub struct Thrown {
    spheres: Vec<Sphere>,
    velocities: Vec<[f32; 3]>,
    detector: Detector,
    moving: Spheres,
    pairs: Vec<Pair>,
    sweeps: Sweeps,
    contacts: Contacts,
    pub totals: Totals,
}

/// Sums over all frames.
#[derive(Default)]
pub struct Totals {
    pub frames: usize,
    pub candidates: usize,
    pub bounces: usize,
    pub time: Duration,
    /// Steps whose segment crosses a triangle.
    pub crossings: usize,
    /// Smallest distance of a sphere from the level, in metres; negative if it is in the level.
    pub gap: f64,
}

impl Thrown {
    /// Spheres above the level, falling fast.
    pub fn new([min, max]: [[f32; 3]; 2]) -> Self {
        let mut random = Random(7);
        let (mut spheres, mut velocities) = (Vec::new(), Vec::new());
        for _ in 0..SPHERES {
            let [x, y] = [0, 1].map(|k| {
                let edge = 0.1 * (max[k] - min[k]);
                random.between(min[k] + edge, max[k] - edge)
            });
            spheres.push(Sphere {
                center: [x, y, max[2] + random.between(1.0, 10.0)],
                radius: random.between(0.1, 0.4),
            });
            let [x, y] = [(); 2].map(|()| random.between(-25.0, 25.0));
            velocities.push([x, y, random.between(-25.0, 0.0)]);
        }
        Thrown {
            spheres,
            velocities,
            detector: Detector::new(),
            moving: Spheres::new(),
            pairs: Vec::new(),
            sweeps: Sweeps::new(),
            contacts: Contacts::new(),
            totals: Totals {
                gap: plain::REACH,
                ..Totals::default()
            },
        }
    }

    /// Moves all spheres by a frame. The grid judges.
    pub fn frame(&mut self, level: &Mesh, grid: &plain::Grid) -> Result<(), Error> {
        for velocity in &mut self.velocities {
            velocity[2] -= GRAVITY * FRAME;
        }
        let motions: Vec<_> = self
            .velocities
            .iter()
            .map(|v| v.map(|x| x * FRAME))
            .collect();
        self.moving.clear();
        self.moving
            .extend_moving(self.spheres.iter().copied().zip(motions.iter().copied()));
        let start = Instant::now();
        let during = During::Frame;
        self.detector
            .candidates(&self.moving, level, during, &mut self.pairs)?;
        let (sweeps, contacts) = (&mut self.sweeps, &mut self.contacts);
        self.detector
            .sweep_contacts(&self.moving, level, &self.pairs, sweeps, contacts)?;
        self.totals.time += start.elapsed();
        self.totals.frames += 1;
        self.totals.candidates += self.pairs.len();

        let mut firsts: Vec<Option<Hit>> = vec![None; self.spheres.len()];
        for contact in contacts.iter() {
            let a = self.pairs[contact.position].a as usize;
            let time = sweeps.enter()[contact.position];
            if firsts[a].is_some_and(|first| first.time <= time) {
                continue;
            }
            // A sphere that rolls along a surface, or away from it, does not hit it.
            let slightly = 1e-6 * dot(motions[a], motions[a]).sqrt();
            if dot(motions[a], contact.normal) > slightly {
                let normal = contact.normal.map(|x| -x);
                firsts[a] = Some(Hit { time, normal });
            }
        }
        let judged = self.totals.frames.is_multiple_of(10);
        for (k, first) in firsts.into_iter().enumerate() {
            let (sphere, motion) = (&mut self.spheres[k], motions[k]);
            let before = sphere.center;
            let time = first.map_or(1.0, |hit| {
                (hit.time + SKIN / dot(motion, hit.normal)).max(0.0)
            });
            sphere.center = add(sphere.center, motion, time);
            if let Some(Hit { normal, .. }) = first {
                let velocity = &mut self.velocities[k];
                let into = dot(*velocity, normal);
                self.totals.bounces += usize::from(into < -FAST);
                let across = add(*velocity, normal, -into).map(|x| x * SLIDE);
                *velocity = add(across, normal, -BOUNCE * into);
            }
            let [from, to] = [before, sphere.center].map(|place| place.map(f64::from));
            self.totals.crossings += usize::from(grid.crosses(from, to));
            if judged {
                let radius = f64::from(sphere.radius);
                let gap = grid.clearance(to, radius + plain::REACH) - radius;
                self.totals.gap = self.totals.gap.min(gap);
            }
        }
        Ok(())
    }
}
