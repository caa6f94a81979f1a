//! A ring of asteroids around a sun: which boxes touch in each frame.

use glam::{Quat, Vec3};
use phalanx::{Detector, During, Error, Obb, Obbs, Overlaps, Pair, Simd};
use rand::RngExt;

use super::{Counters, Ferry, Instances, Scene, any_rotation, random_of, small_turn, within_ball};

/// The room that each asteroid has, in cubic metres.
const ROOM: f64 = 50.0;
/// The inner edge of the ring, and half its height, as shares of the outer edge.
const INNER: f64 = 0.45;
const FLAT: f64 = 0.035;
/// How far an asteroid at the outer edge goes in a frame, in metres.
const SPEED: f64 = 0.06;
/// What is left of the tint of a hit in the next frame.
const FADE: f32 = 0.8;

/// Boxes on their ways around a sun, tumbling.
///
/// Its own counters: how many asteroids touch another one, and the outer edge of the ring.
#[derive(Debug)]
pub struct Asteroids {
    boxes: Obbs,
    /// The turn about the sun in a frame, and the asteroid's own.
    orbits: Vec<Quat>,
    spins: Vec<Quat>,
    tint: Vec<f32>,
    counters: Counters,
    detector: Detector,
    pairs: Vec<Pair>,
    overlaps: Overlaps,
}

impl Asteroids {
    /// A ring of `len` asteroids, as dense whatever their number.
    pub fn new(seed: u32, len: u32) -> Self {
        let volume_of_unit_ring = core::f64::consts::TAU * FLAT * (1.0 - INNER * INNER);
        // In steps of a quarter, as cube roots are not rounded alike everywhere.
        let outer = (f64::from(len) * ROOM / volume_of_unit_ring).cbrt() * 4.0;
        let outer = outer.round() / 4.0;
        let mut boxes = Obbs::with_capacity(len as usize);
        let (mut orbits, mut spins) = (Vec::new(), Vec::new());
        for index in 0..len {
            let random = &mut random_of(seed, index, 0);
            // Uniform on the ring: some place of the square around it.
            let (mut x, mut z) = (0.75, 0.0);
            for _ in 0..64 {
                let [a, b]: [f64; 2] = [(); 2].map(|()| random.random_range(-1.0..1.0));
                let squared = a * a + b * b;
                if (INNER * INNER..=1.0).contains(&squared) {
                    (x, z) = (a, b);
                    break;
                }
            }
            let distance = (x * x + z * z).sqrt();
            // Nearer to the sun they are faster: the way takes 1 / √r, the angle 1 / √r³.
            let angle = SPEED / (outer * distance * distance.sqrt());
            let [tilt_x, tilt_z] = [(); 2].map(|()| random.random_range(-FLAT..FLAT) * 0.7);
            let axis = Vec3::new(tilt_x as f32, 1.0, tilt_z as f32).normalize();
            // In the plane of the orbit, and beside it.
            let above = random.random_range(-FLAT..FLAT) * 0.3 - (x * tilt_x + z * tilt_z);
            let half_extents = sizes(random).to_array();
            boxes.push(Obb {
                center: [x, above, z].map(|x| (x * outer) as f32),
                half_extents,
                rotation: any_rotation(random).to_array(),
            });
            orbits.push(small_turn(axis * angle as f32));
            spins.push(small_turn(within_ball(random) * 0.035));
        }
        let mut counters = Counters {
            shapes: len as usize,
            ..Counters::default()
        };
        counters.own[1] = outer;
        Asteroids {
            boxes,
            orbits,
            spins,
            tint: vec![0.0; len as usize],
            counters,
            detector: super::detector(),
            pairs: Vec::new(),
            overlaps: Overlaps::new(),
        }
    }

    /// The asteroids.
    pub fn boxes(&self) -> &Obbs {
        &self.boxes
    }
}

/// Half extents, of which few are large.
fn sizes(random: &mut impl RngExt) -> Vec3 {
    let rare: f32 = random.random_range(0.0..1.0);
    let rare = rare * rare * rare;
    let size = 0.28 + 0.9 * rare * rare * rare;
    Vec3::from_array([(); 3].map(|()| size * random.random_range(0.6..1.5)))
}

impl Scene for Asteroids {
    fn advance(&mut self) {
        let columns = self.boxes.columns_mut();
        super::revolve(columns.center, columns.rotation, &self.orbits, &self.spins);
    }

    fn candidates(&mut self) -> Result<(), Error> {
        let boxes = &self.boxes;
        self.detector
            .candidates(boxes, boxes, During::Start, &mut self.pairs)?;
        Ok(())
    }

    fn test(&mut self) -> Result<(), Error> {
        let boxes = &self.boxes;
        self.detector
            .overlap(boxes, boxes, &self.pairs, &mut self.overlaps)
    }

    fn settle(&mut self) -> Result<(), Error> {
        for tint in &mut self.tint {
            // Small ones would become subnormal.
            *tint = if *tint < 0.05 { 0.0 } else { *tint * FADE };
        }
        for pair in self.overlaps.hits(&self.pairs)? {
            self.tint[pair.a as usize] = 1.0;
            self.tint[pair.b as usize] = 1.0;
        }
        self.counters.pairs = self.pairs.len();
        self.counters.hits = self.overlaps.count();
        self.counters.invalid = self.overlaps.invalid_count();
        self.counters.own[0] = self.tint.iter().filter(|tint| **tint == 1.0).count() as f64;
        Ok(())
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn simd(&self) -> Simd {
        self.detector.settings().simd
    }

    fn instances(&self) -> Vec<Instances<'_>> {
        vec![Instances::of(&self.boxes, &self.tint)]
    }

    fn carry(&mut self, ferry: &mut Ferry) {
        ferry.boxes(&mut self.boxes);
        ferry.numbers(&mut self.tint);
        self.counters.carry(ferry);
    }
}
