//! Spheres thrown into the level, which bounce: moving colliders of a scene in which the level is the one fixed collider.

use std::time::{Duration, Instant};

use phalanx::{CastHit, Collider, ColliderId, Error, Mark, Mesh, Pose, Scene, SweepHit};

use crate::character::{FRAME, add, dot};
use crate::level::Random;
use crate::{picture, plain};

pub const SPHERES: usize = 500;
/// Distance from the level after a hit, in metres.
const SKIN: f32 = 1e-3;
/// Distance by which a sphere leaves a surface that it touches, in metres.
const PUSH: f32 = 0.05 * SKIN;
const GRAVITY: f32 = 9.81;
/// Minimum speed of a counted hit: hits of a resting sphere are slower.
const FAST: f32 = 1.0;
/// Remaining parts of the speed after a bounce, along the normal and across.
const BOUNCE: f32 = 0.5;
const SLIDE: f32 = 0.9;

#[derive(Default)]
pub struct Thrown {
    scene: Scene,
    spheres: Vec<Sphere>,
    hits: Vec<SweepHit>,
    pub totals: Totals,
}

struct Sphere {
    id: ColliderId,
    center: [f32; 3],
    radius: f32,
    velocity: [f32; 3],
}

/// Sums over all frames.
#[derive(Default)]
pub struct Totals {
    pub frames: usize,
    /// First hits of a sphere in a frame, and those that are fast.
    pub hits: usize,
    pub bounces: usize,
    pub time: Duration,
    /// Steps whose segment crosses a triangle.
    pub crossings: usize,
    /// Smallest distance of a sphere from the level, in metres; negative if it is in the level.
    pub gap: f64,
}

impl Thrown {
    /// Spheres above the level, falling fast.
    pub fn new(level: &Mesh) -> Result<Self, Error> {
        let mut thrown = Thrown::default();
        let Thrown { scene, spheres, .. } = &mut thrown;
        let mesh = scene.add_mesh(level.clone());
        scene.add(Collider::Mesh(mesh), Pose::default(), Mark::fixed())?;
        scene.prepare()?;
        let mark = Mark {
            is_swept: true,
            // Colliders of one body do not meet each other.
            body: 0,
            ..Mark::moving()
        };
        let [min, max] = picture::bounds(level);
        let mut random = Random(7);
        for _ in 0..SPHERES {
            let [x, y] = [0, 1].map(|k| {
                let edge = 0.1 * (max[k] - min[k]);
                random.between(min[k] + edge, max[k] - edge)
            });
            let center = [x, y, max[2] + random.between(1.0, 10.0)];
            let radius = random.between(0.1, 0.4);
            let [x, y] = [(); 2].map(|()| random.between(-25.0, 25.0));
            let velocity = [x, y, random.between(-25.0, 0.0)];
            spheres.push(Sphere {
                id: scene.add(Collider::Sphere(radius), Pose::default(), mark)?,
                center,
                radius,
                velocity,
            });
        }
        thrown.totals.gap = plain::REACH;
        Ok(thrown)
    }

    /// Moves all spheres by a frame. The grid judges.
    pub fn frame(&mut self, grid: &plain::Grid) -> Result<(), Error> {
        let Thrown {
            scene,
            spheres,
            hits,
            totals,
        } = self;
        for sphere in &mut *spheres {
            sphere.velocity[2] -= GRAVITY * FRAME;
        }
        let start = Instant::now();
        let place = |sphere: &Sphere| Pose::at(sphere.center.map(f64::from));
        scene.set_poses(spheres.iter().map(|sphere| (sphere.id, place(sphere))))?;
        scene.set_displacements(spheres.iter().map(|sphere| (sphere.id, sphere.motion())))?;
        scene.sweeps(hits)?;
        totals.time += start.elapsed();
        totals.frames += 1;
        totals.hits += hits.len();

        let judged = totals.frames.is_multiple_of(10);
        // Hits are sorted by the mover, as spheres are.
        let mut hits = hits.iter().peekable();
        for sphere in &mut *spheres {
            let before = sphere.center;
            match hits.next_if(|hit| hit.mover == sphere.id) {
                Some(hit) => {
                    let speed = sphere.bounce(&hit.hit);
                    totals.bounces += usize::from(speed > FAST);
                }
                None => sphere.center = add(before, sphere.motion(), 1.0),
            }
            let [from, to] = [before, sphere.center].map(|place| place.map(f64::from));
            totals.crossings += usize::from(grid.crosses(from, to));
            if judged {
                let radius = f64::from(sphere.radius);
                let gap = grid.clearance(to, radius + plain::REACH) - radius;
                totals.gap = totals.gap.min(gap);
            }
        }
        Ok(())
    }
}

impl Sphere {
    /// The motion of a frame.
    fn motion(&self) -> [f32; 3] {
        self.velocity.map(|v| v * FRAME)
    }

    /// Moves to the skin before a hit, and bounces. Returns the speed of the hit.
    fn bounce(&mut self, hit: &CastHit) -> f32 {
        let (motion, normal) = (self.motion(), hit.normal);
        let closing = -dot(motion, normal);
        if closing <= 1e-6 * dot(motion, motion).sqrt() {
            // It touches a surface that it rolls along or leaves.
            self.center = add(self.center, normal, PUSH);
            return 0.0;
        }
        let time = (hit.time.enter - SKIN / closing).max(0.0);
        self.center = add(self.center, motion, time);
        let into = dot(self.velocity, normal);
        let across = add(self.velocity, normal, -into).map(|x| x * SLIDE);
        self.velocity = add(across, normal, -BOUNCE * into);
        -into
    }
}
