//! The scenes: what moves, what is asked about it, and what the page shows of the answers.
//!
//! All numbers come from additions, products, divisions and roots, so that every build shows the same frames.

use glam::{Quat, Vec3};
use phalanx::{Detector, Error, Obbs, Simd};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

mod asteroids;
mod bullets;
mod contact;
mod ferry;
mod level;
mod lidar;
mod rocks;
mod tumbling;

pub use asteroids::Asteroids;
pub use bullets::{Bullets, crosses};
pub use contact::TwoBoxes;
pub use ferry::{Ferry, Mismatch};
pub use level::Level;
pub use lidar::Lidar;
pub use rocks::Rocks;
pub use tumbling::Tumbling;

/// How many counters a scene has of its own.
pub const OWN: usize = 21;

/// What is counted in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Shapes that move.
    pub shapes: usize,
    /// Pairs that candidates named, or that were asked about without.
    pub pairs: usize,
    /// Pairs that touch.
    pub hits: usize,
    /// Pairs that meet a bad shape: none, or the scene is wrong.
    pub invalid: usize,
    /// What only this scene counts; each scene says what that is.
    pub own: [f64; OWN],
}

/// How many columns of numbers instances have.
pub const COLUMNS: usize = 11;

/// Boxes, spheres or hulls to draw, one column for each number.
///
/// Centers, half extents and rotations, and tints: which of the colours of its kind each one has.
#[derive(Clone, Copy, Debug)]
pub struct Instances<'a>(pub [&'a [f32]; COLUMNS]);

impl<'a> Instances<'a> {
    /// The boxes of a store.
    fn of(boxes: &'a Obbs, tint: &'a [f32]) -> Self {
        let columns = boxes.columns();
        let ([x, y, z], [a, b, c], [i, j, k, w]) =
            (columns.center, columns.half_extents, columns.rotation);
        Instances([x, y, z, a, b, c, i, j, k, w, tint])
    }
}

/// A surface to draw, which does not change.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Corners of triangles, nine numbers for each.
    pub corners: &'a [f32],
    /// Ends of edges, six numbers for each.
    pub edges: &'a [f32],
    /// Number of triangles of terrain, which are the first.
    pub terrain: usize,
}

/// A scene, whose frames take four steps: the page times the second and the third.
pub trait Scene {
    /// Moves the shapes by a frame.
    fn advance(&mut self);
    /// Lists the pairs that may touch.
    fn candidates(&mut self) -> Result<(), Error>;
    /// Tests these pairs.
    fn test(&mut self) -> Result<(), Error>;
    /// Counts, colours and stops what was hit.
    fn settle(&mut self) -> Result<(), Error>;
    /// What was counted in the last frame.
    fn counters(&self) -> Counters;
    /// The instruction set that the detector uses.
    fn simd(&self) -> Simd;
    /// What to draw.
    fn instances(&self) -> Vec<Instances<'_>>;
    /// The surface below all that moves, if there is one.
    fn surface(&self) -> Option<Surface<'_>> {
        None
    }
    /// Points of the convex hull that each kind of instances is drawn as, three numbers for each point. Empty if kinds have
    /// shapes of their own.
    fn points(&self) -> &[Vec<f32>] {
        &[]
    }
    /// Takes the state of the scene out, or in.
    fn carry(&mut self, ferry: &mut Ferry);

    /// The box that a ray meets first, if boxes can be picked.
    fn pick(&mut self, _from: [f32; 3], _way: [f32; 3]) -> Result<Option<u32>, Error> {
        Ok(None)
    }
    /// Moves and turns a box, if boxes can be dragged.
    fn drag(&mut self, _index: u32, _by: [f32; 3], _turn: [f32; 3]) {}

    /// Directs the character in the next frame, if there is one: its direction in x and z, and whether it jumps.
    fn steer(&mut self, _heading: [f32; 2], _jump: bool) {}

    /// All four steps.
    fn frame(&mut self) -> Result<(), Error> {
        self.advance();
        self.candidates()?;
        self.test()?;
        self.settle()
    }
}

/// The names of the scenes, in the order of their numbers.
pub const NAMES: [&str; 7] = [
    "asteroids",
    "bullets",
    "tumbling",
    "contact",
    "lidar",
    "level",
    "rocks",
];

/// The fewest and the most shapes of a scene.
pub const fn range(scene: u32) -> (u32, u32) {
    match scene {
        0 => (1_000, 200_000),
        1 => (100, 20_000),
        2 => (50, 5_000),
        4 | 5 => (1_000, 200_000),
        6 => (1_000, 50_000),
        _ => (2, 2),
    }
}

/// Scene number `scene` with `len` shapes, or as many of them as it may have; `None` if there is no such scene.
pub fn make(scene: u32, len: u32, seed: u32) -> Option<Box<dyn Scene>> {
    let (fewest, most) = range(scene);
    let len = len.clamp(fewest, most);
    Some(match scene {
        0 => Box::new(Asteroids::new(seed, len)),
        1 => Box::new(Bullets::new(seed, len)),
        2 => Box::new(Tumbling::new(seed, len)),
        3 => Box::new(TwoBoxes::new()),
        4 => Box::new(Lidar::new(seed, len)),
        5 => Box::new(Level::new(len).ok()?),
        6 => Box::new(Rocks::new(seed, len).ok()?),
        _ => return None,
    })
}

/// A generator for one shape, so that which shape is made when does not matter to the others.
fn random_of(seed: u32, index: u32, generation: u32) -> Xoshiro256PlusPlus {
    let which = u64::from(index) << 32 | u64::from(generation);
    Xoshiro256PlusPlus::seed_from_u64(which ^ u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// A vector within the unit ball, or nearly so.
fn within_ball(random: &mut Xoshiro256PlusPlus) -> Vec3 {
    // All but one in ten million end before.
    for _ in 0..24 {
        let v = Vec3::from_array([(); 3].map(|()| random.random_range(-1.0..1.0)));
        if v.length_squared() <= 1.0 {
            return v;
        }
    }
    Vec3::ZERO
}

/// Some orientation.
fn any_rotation(random: &mut Xoshiro256PlusPlus) -> Quat {
    let [x, y, z] = (within_ball(random) * 2.0).to_array();
    Quat::from_xyzw(x, y, z, 1.0).normalize()
}

/// The turn about a vector by nearly its length, as long as that is well below a radian.
fn small_turn(v: Vec3) -> Quat {
    Quat::from_xyzw(0.5 * v.x, 0.5 * v.y, 0.5 * v.z, 1.0).normalize()
}

/// Moves shapes by the rotations of their orbits, and rotates them by their spins.
fn revolve(
    [x, y, z]: [&mut [f32]; 3],
    [i, j, k, w]: [&mut [f32]; 4],
    orbits: &[Quat],
    spins: &[Quat],
) {
    for (at, (orbit, spin)) in orbits.iter().zip(spins).enumerate() {
        let center = *orbit * Vec3::new(x[at], y[at], z[at]);
        [x[at], y[at], z[at]] = center.to_array();
        let rotated = *spin * Quat::from_xyzw(i[at], j[at], k[at], w[at]);
        [i[at], j[at], k[at], w[at]] = rotated.normalize().to_array();
    }
}

/// The turn that takes the x axis to a direction in front of the plane across it.
fn from_x_to(direction: Vec3) -> Quat {
    let unit = direction.normalize_or(Vec3::X);
    Quat::from_xyzw(0.0, -unit.z, unit.y, 1.0 + unit.x).normalize()
}

impl Counters {
    /// Takes the counters out, or in.
    fn carry(&mut self, ferry: &mut Ferry) {
        ferry.count(&mut self.pairs);
        ferry.count(&mut self.hits);
        ferry.count(&mut self.invalid);
        for x in &mut self.own {
            ferry.counter(x);
        }
    }
}

/// A detector for the build: without simd128 one lane takes 105 ns for a pair of asteroids, four in plain numbers 145.
fn detector() -> Detector {
    let detector = Detector::new();
    let has_vectors = !cfg!(target_arch = "wasm32") || cfg!(target_feature = "simd128");
    match Simd::available().next() {
        Some(one_lane) if !has_vectors => detector.simd(one_lane),
        _ => detector,
    }
}
