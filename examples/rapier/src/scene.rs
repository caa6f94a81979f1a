//! The simulation: boxes and spheres fall between four walls and pile up.

use std::collections::HashMap;

use phalanx::{Obb, Obbs, Pair, Sphere, Spheres};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rapier3d::prelude::*;

pub const BOXES: usize = 4000;
const SPHERES: usize = 4000;

/// Bodies start on a lattice of this many columns each way, so far apart that none touch.
const COLUMNS: usize = 18;
const SPACING: f32 = 1.4;

/// Everything a frame asks: the shapes of both kinds, and which pairs of them to test.
///
/// Kept and refilled, so that its memory is reused.
#[derive(Default)]
pub struct Frame {
    /// The boxes as the step finds them.
    pub boxes: Obbs,
    /// The spheres as the step finds them, each with its motion during the step.
    pub spheres: Spheres,
    pub box_pairs: Vec<Pair>,
    pub sphere_pairs: Vec<Pair>,
    /// Candidate pairs of a kind that is not asked about: a box and a sphere, or anything and the pit.
    pub skipped: usize,
}

/// What a collider is, and its index in the store of its kind.
#[derive(Clone, Copy)]
enum Part {
    Box(u32),
    Sphere(u32),
    Pit,
}

/// The physics engine's world, and the shapes it moves.
pub struct Scene {
    world: PhysicsWorld,
    boxes: Vec<(RigidBodyHandle, [f32; 3])>,
    spheres: Vec<(RigidBodyHandle, f32)>,
    parts: HashMap<ColliderHandle, Part>,
}

impl Scene {
    pub fn new(seed: u64) -> Self {
        let mut scene = Scene {
            world: PhysicsWorld::new(),
            boxes: Vec::new(),
            spheres: Vec::new(),
            parts: HashMap::new(),
        };
        scene.dig_pit();
        scene.hang_bodies(&mut StdRng::seed_from_u64(seed));
        scene
    }

    /// How many bodies move.
    pub fn bodies(&self) -> usize {
        self.boxes.len() + self.spheres.len()
    }

    /// A floor and four walls, thick enough that nothing falls through.
    fn dig_pit(&mut self) {
        let reach = COLUMNS as f32 * SPACING / 2.0;
        let (thick, tall) = (2.0, 30.0);
        let slabs = [
            (
                [0.0, -thick, 0.0],
                [reach + 2.0 * thick, thick, reach + 2.0 * thick],
            ),
            ([reach + thick, tall, 0.0], [thick, tall, reach]),
            ([-reach - thick, tall, 0.0], [thick, tall, reach]),
            ([0.0, tall, reach + thick], [reach, tall, thick]),
            ([0.0, tall, -reach - thick], [reach, tall, thick]),
        ];
        for (center, [x, y, z]) in slabs {
            let body = RigidBodyBuilder::fixed().translation(center.into());
            let (_, collider) = self.world.insert(body, ColliderBuilder::cuboid(x, y, z));
            self.parts.insert(collider, Part::Pit);
        }
    }

    /// Boxes and spheres in shuffled order, at random speeds and in random orientations.
    fn hang_bodies(&mut self, rng: &mut StdRng) {
        let mut is_box = [vec![true; BOXES], vec![false; SPHERES]].concat();
        is_box.shuffle(rng);
        for (i, is_box) in is_box.into_iter().enumerate() {
            let body = falling_body(i, rng);
            if is_box {
                self.add_box(body, [(); 3].map(|()| rng.random_range(0.15..0.4)));
            } else {
                self.add_sphere(body, rng.random_range(0.15..0.45));
            }
        }
    }

    fn add_box(&mut self, body: RigidBodyBuilder, half_extents: [f32; 3]) {
        let [x, y, z] = half_extents;
        let (body, collider) = self.world.insert(body, ColliderBuilder::cuboid(x, y, z));
        let index = self.boxes.len() as u32;
        self.parts.insert(collider, Part::Box(index));
        self.boxes.push((body, half_extents));
    }

    fn add_sphere(&mut self, body: RigidBodyBuilder, radius: f32) {
        let (body, collider) = self.world.insert(body, ColliderBuilder::ball(radius));
        let index = self.spheres.len() as u32;
        self.parts.insert(collider, Part::Sphere(index));
        self.spheres.push((body, radius));
    }

    /// Steps the world, and fills `frame` with what that step has to find out.
    pub fn step(&mut self, frame: &mut Frame) {
        self.read_shapes(frame);
        self.world.step();
        self.read_motions(frame);
        self.read_pairs(frame);
    }

    fn read_shapes(&self, frame: &mut Frame) {
        frame.boxes.clear();
        frame
            .boxes
            .extend(self.boxes.iter().map(|&(body, half_extents)| {
                let pose = self.world.bodies[body].position();
                Obb {
                    center: pose.translation.into(),
                    half_extents,
                    rotation: pose.rotation.into(),
                }
            }));
        frame.spheres.clear();
        frame
            .spheres
            .extend(self.spheres.iter().map(|&(body, radius)| {
                let center = self.world.bodies[body].translation().into();
                Sphere { center, radius }
            }));
    }

    /// The spheres' motions: where the step has put them, less where it found them.
    fn read_motions(&self, frame: &mut Frame) {
        let mut columns = frame.spheres.columns_mut();
        for (i, &(body, _)) in self.spheres.iter().enumerate() {
            let end: [f32; 3] = self.world.bodies[body].translation().into();
            let starts_and_motions = columns.center.iter().zip(&mut columns.displacement);
            for ((start, motion), end) in starts_and_motions.zip(end) {
                motion[i] = end - start[i];
            }
        }
    }

    /// The candidates of the step's broadphase. Its narrow phase keeps a record for each, whether
    /// the two touch or not.
    fn read_pairs(&self, frame: &mut Frame) {
        frame.box_pairs.clear();
        frame.sphere_pairs.clear();
        frame.skipped = 0;
        for pair in self.world.narrow_phase.contact_pairs() {
            match (self.parts[&pair.collider1], self.parts[&pair.collider2]) {
                (Part::Box(a), Part::Box(b)) => frame.box_pairs.push(Pair { a, b }),
                (Part::Sphere(a), Part::Sphere(b)) => frame.sphere_pairs.push(Pair { a, b }),
                _ => frame.skipped += 1,
            }
        }
    }
}

/// A body at place `i` of the lattice, from the bottom up.
fn falling_body(i: usize, rng: &mut StdRng) -> RigidBodyBuilder {
    let (layer, row, column) = (i / COLUMNS / COLUMNS, i / COLUMNS % COLUMNS, i % COLUMNS);
    let across = |k: usize| (k as f32 - (COLUMNS as f32 - 1.0) / 2.0) * SPACING;
    let mut random = |size: f32| Vector::from([(); 3].map(|()| rng.random_range(-size..size)));
    RigidBodyBuilder::dynamic()
        .translation([across(column), (layer + 1) as f32 * SPACING, across(row)].into())
        .rotation(random(3.0))
        // Thrown down rather than dropped: the heap is there sooner.
        .linvel(random(4.0) - 12.0 * Vector::Y)
        .angvel(random(6.0))
}
