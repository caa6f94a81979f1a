//! The frames that all players compute: bodies of four kinds on a terrain, projectiles, rays.

use phalanx::Mesh;
use phalanx_bench::scenes::SEED;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

pub const KINDS: usize = 4;
pub const RADIUS: f32 = 0.4;
pub const HALF_AXIS: [f32; 3] = [0.0, 0.0, 0.4];
pub const CAPSULE_RADIUS: f32 = 0.3;
pub const HALF_EXTENTS: [f32; 3] = [0.5, 0.4, 0.3];
/// Radius of a projectile.
pub const SMALL: f32 = 0.05;
/// Number of frames until all bodies turn back.
const FRAMES: usize = 50;

/// A body. Its kind is its number modulo [`KINDS`]: sphere, capsule, OBB, hull.
#[derive(Clone)]
pub struct Body {
    pub center: [f32; 3],
    pub rotation: [f32; 4],
    velocity: [f32; 3],
}

/// A start and a displacement.
#[derive(Clone, Copy)]
pub struct Way {
    pub from: [f32; 3],
    pub displacement: [f32; 3],
}

pub struct World {
    pub bodies: Vec<Body>,
    pub rock: Vec<[f32; 3]>,
    pub vertices: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
    /// New in each frame.
    pub projectiles: Vec<Way>,
    pub rays: Vec<Way>,
    counts: [usize; 2],
    /// One body in so many moves.
    every: usize,
    size: f32,
    rng: StdRng,
    frame: usize,
}

/// The answers of a player in a frame. Bodies are numbered first, then projectiles, then the level.
#[derive(Default)]
pub struct Answers {
    pub contacts: Vec<Touch>,
    /// Times and normals of the first hits.
    pub sweeps: Vec<Option<(f32, [f32; 3])>>,
    pub rays: Vec<Option<(f32, [f32; 3])>>,
}

/// A contact.
#[derive(Debug, PartialEq)]
pub struct Touch {
    /// The lower number.
    pub a: u32,
    pub b: u32,
    /// The triangle of the level.
    pub part: u32,
    pub separation: f32,
    /// Whether a solver leaves the contact out.
    pub is_replaced: bool,
}

impl Touch {
    pub fn new([one, other]: [u32; 2], part: u32, separation: f32, is_replaced: bool) -> Self {
        Touch {
            a: one.min(other),
            b: one.max(other),
            part,
            separation,
            is_replaced,
        }
    }
}

impl Answers {
    /// Sorts contacts by their names.
    pub fn sort(&mut self) {
        let name = |touch: &Touch| (touch.a, touch.b, touch.part);
        self.contacts.sort_by_key(name);
    }
}

impl World {
    /// `counts` are the numbers of bodies, of projectiles and of rays. One body in `every` moves, the others sleep.
    pub fn new(
        cells: usize,
        size: f32,
        [bodies, projectiles, rays]: [usize; 3],
        every: usize,
    ) -> Self {
        let mut rng = StdRng::seed_from_u64(SEED);
        let step = size / cells as f32;
        let row = cells as u32 + 1;
        let vertex = |k: u32| {
            let [x, y] = [k % row, k / row].map(|n| n as f32 * step);
            [x, y, height(x, y)]
        };
        let vertices = (0..row * row).map(vertex).collect();
        let cell = |k: u32| {
            let a = k / cells as u32 * row + k % cells as u32;
            [[a, a + 1, a + row], [a + 1, a + row + 1, a + row]]
        };
        let triangles = (0..(cells * cells) as u32).flat_map(cell).collect();
        let rock = (0..16).map(|_| {
            let point = [(); 3].map(|()| rng.random_range(-1.0..1.0f32));
            let norm = point.iter().map(|x| x * x).sum::<f32>().sqrt().max(0.1);
            point.map(|x| x * 0.5 / norm)
        });
        let rock = rock.collect();
        let body = |rng: &mut StdRng| {
            let turn = [(); 4].map(|()| rng.random_range(0.1..1.0f32));
            let norm = turn.iter().map(|x| x * x).sum::<f32>().sqrt();
            Body {
                center: above([0.2, 3.0], size, rng),
                rotation: turn.map(|x| x / norm),
                velocity: [(); 3].map(|()| rng.random_range(-0.02..0.02)),
            }
        };
        World {
            bodies: (0..bodies).map(|_| body(&mut rng)).collect(),
            rock,
            vertices,
            triangles,
            projectiles: Vec::new(),
            rays: Vec::new(),
            counts: [projectiles, rays],
            every,
            size,
            rng,
            frame: 0,
        }
    }

    pub fn mesh(&self) -> Mesh {
        Mesh::new(&self.vertices, &self.triangles).expect("a terrain")
    }

    /// The next frame.
    pub fn step(&mut self) {
        let is_back = self.frame / FRAMES % 2 == 1;
        let sign = if is_back { -1.0 } else { 1.0 };
        for body in self.bodies.iter_mut().step_by(self.every) {
            for (x, velocity) in body.center.iter_mut().zip(body.velocity) {
                *x += sign * velocity;
            }
        }
        let (size, rng) = (self.size, &mut self.rng);
        let mut ways = |count, heights, length: f32| -> Vec<Way> {
            let way = |_| Way {
                from: above(heights, size, rng),
                displacement: [1.0, 1.0, 0.2].map(|k| k * rng.random_range(-length..length)),
            };
            (0..count).map(way).collect()
        };
        let [projectiles, rays] = self.counts;
        self.projectiles = ways(projectiles, [1.0, 4.0], 5.0);
        self.rays = ways(rays, [1.0, 10.0], 60.0);
        self.frame += 1;
    }

    /// The number of the level.
    pub fn level(&self) -> u32 {
        (self.bodies.len() + self.counts[0]) as u32
    }
}

fn height(x: f32, y: f32) -> f32 {
    4.0 * (x / 17.0).sin() * (y / 23.0).cos() + 0.5 * (x / 3.0).sin()
}

/// A place above the ground.
fn above([low, high]: [f32; 2], size: f32, rng: &mut StdRng) -> [f32; 3] {
    let [x, y] = [(); 2].map(|()| rng.random_range(0.02 * size..0.98 * size));
    [x, y, height(x, y) + rng.random_range(low..high)]
}
