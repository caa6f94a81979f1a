//! A lidar on a vehicle scans a field of rocks: the first hit of each ray, in two whole stores, without a list of pairs.

use glam::Vec3;
use phalanx::{Detector, Error, FirstHits, HalfSpace, HalfSpaces, Obb, Obbs, Points, Simd};
use rand::RngExt;

use super::{Counters, Ferry, Instances, Scene, any_rotation, random_of};

/// Number of rocks.
const ROCKS: u32 = 3_000;
/// Half of the length and width of the field.
const FIELD: f32 = 90.0;
/// Radius of the way of the vehicle around the middle of the field, and the height of the lidar.
const WAY: f32 = 22.0;
const HEIGHT: f32 = 2.2;
/// Length of a ray.
const RANGE: f32 = 120.0;
/// Number of rings, and the slopes of the lowest and the highest.
const RINGS: u32 = 64;
const SLOPES: [f32; 2] = [-0.45, 0.1];
/// Tangent of half of the angle by which the vehicle goes on in a frame.
const STEP: f32 = 0.0015;
/// The radius of a drawn hit.
const DOT: f32 = 0.11;
/// The tints of a hit.
const GROUND: f32 = 0.0;
const ROCK: f32 = 1.0;

/// A field of rocks, the ground, and the rays of a frame.
///
/// Its own counters: rays that hit a rock, rocks that are seen, and rays that hit the ground.
#[derive(Debug)]
pub struct Lidar {
    rocks: Obbs,
    ground: HalfSpaces,
    /// Whether the last scan saw a rock; it fades.
    seen: Vec<f32>,
    rays: Points,
    /// The directions of the rays, the same in each frame.
    directions: Vec<Vec3>,
    /// The direction from the middle of the field to the vehicle: cosine and sine.
    at: [f32; 2],
    firsts: FirstHits,
    invalid: usize,
    /// Centers of the hits, and one size for all: none where there is no hit.
    dots: [Vec<f32>; 3],
    sizes: Vec<f32>,
    tint: Vec<f32>,
    zeros: Vec<f32>,
    ones: Vec<f32>,
    vehicle: Obbs,
    counters: Counters,
    detector: Detector,
}

/// Cosine and sine, turned by an angle whose half has the tangent `t`: without a sine, all builds agree.
fn turned([c, s]: [f32; 2], t: f32) -> [f32; 2] {
    let over = 1.0 / (1.0 + t * t);
    let (cos, sin) = ((1.0 - t * t) * over, 2.0 * t * over);
    let (c, s) = (c * cos - s * sin, c * sin + s * cos);
    let length = (c * c + s * s).sqrt();
    [c / length, s / length]
}

impl Lidar {
    /// A lidar with `len` rays.
    pub fn new(seed: u32, len: u32) -> Self {
        let mut rocks = Obbs::new();
        for index in 0..ROCKS {
            let random = &mut random_of(seed, index, 0);
            let size = random.random_range(0.25..1.0f32);
            let size = 0.3 + 2.0 * size * size * size;
            let half_extents = [(); 3].map(|()| size * random.random_range(0.5..1.0));
            let [x, z] = [(); 2].map(|()| random.random_range(-FIELD..FIELD));
            // The way of the vehicle is free.
            let from_middle = (x * x + z * z).sqrt();
            if (from_middle - WAY).abs() < 4.0 {
                continue;
            }
            rocks.push(Obb {
                center: [x, random.random_range(-0.3..0.9) * size, z],
                half_extents,
                rotation: any_rotation(random).to_array(),
            });
        }
        let ground = HalfSpace {
            normal: [0.0, 1.0, 0.0],
            d: 0.0,
        };
        let len = len as usize;
        let mut lidar = Lidar {
            seen: vec![0.0; rocks.len()],
            rocks,
            ground: HalfSpaces::from_slice(&[ground]),
            rays: Points::new(),
            directions: directions(len as u32, RINGS, SLOPES),
            at: [1.0, 0.0],
            firsts: FirstHits::new(),
            invalid: 0,
            dots: [(); 3].map(|()| vec![0.0; len]),
            sizes: vec![0.0; len],
            tint: vec![GROUND; len],
            zeros: vec![0.0; len],
            ones: vec![1.0; len],
            vehicle: Obbs::from_slice(&[Obb {
                half_extents: [0.9, 0.5, 1.6],
                ..Obb::default()
            }]),
            counters: Counters {
                shapes: len,
                pairs: len,
                ..Counters::default()
            },
            detector: super::detector(),
        };
        lidar.rays.resize(len);
        lidar.place();
        lidar
    }

    /// The rays, the rocks and the ground of this frame.
    pub fn shapes(&self) -> (&Points, &Obbs, &HalfSpaces) {
        (&self.rays, &self.rocks, &self.ground)
    }

    /// The first hits of the rays of this frame.
    pub fn firsts(&self) -> &FirstHits {
        &self.firsts
    }

    /// Moves the vehicle to its place, and the rays with it.
    fn place(&mut self) {
        let [c, s] = self.at;
        let from = [WAY * c, HEIGHT, WAY * s];
        let columns = self.rays.columns_mut();
        for (column, x) in columns.position.into_iter().zip(from) {
            column.fill(x);
        }
        let [x, y, z] = columns.displacement;
        for (k, direction) in self.directions.iter().enumerate() {
            let way = *direction * RANGE;
            (x[k], y[k], z[k]) = (c * way.x - s * way.z, way.y, s * way.x + c * way.z);
        }
        // About the vertical axis. Half of the angle is well defined but where the vehicle has turned by half a turn.
        let half_turn = glam::Quat::from_xyzw(0.0, -s, 0.0, 1.0 + c);
        let rotation = half_turn.normalize().to_array();
        let mut columns = self.vehicle.columns_mut();
        for (column, x) in columns.center.iter_mut().zip([from[0], 0.8, from[2]]) {
            column[0] = x;
        }
        if 1.0 + c > 1e-3 {
            columns
                .rotation
                .iter_mut()
                .zip(rotation)
                .for_each(|(column, x)| column[0] = x);
        }
    }
}

/// Directions in rings, equal steps apart, with the slopes of the lowest and the highest.
pub(super) fn directions(len: u32, rings: u32, slopes: [f32; 2]) -> Vec<Vec3> {
    let rings = rings.min(len.max(1));
    let mut directions = Vec::new();
    for ring in 0..rings {
        let count = (len - directions.len() as u32) / (rings - ring);
        let share = ring as f32 / (rings - 1).max(1) as f32;
        let slope = slopes[0] + (slopes[1] - slopes[0]) * share;
        // Half of the angle of a step, whose tangent is nearly itself.
        let half = core::f32::consts::PI / count.max(1) as f32;
        let t = half + half * half * half / 3.0;
        let mut at = [1.0, 0.0];
        for _ in 0..count {
            let direction = Vec3::new(at[0], slope, at[1]);
            directions.push(direction / direction.length());
            at = turned(at, t);
        }
    }
    directions
}

impl Scene for Lidar {
    fn advance(&mut self) {
        self.at = turned(self.at, STEP);
        self.place();
        for seen in &mut self.seen {
            *seen = if *seen < 0.05 { 0.0 } else { *seen * 0.9 };
        }
    }

    /// No pairs are listed.
    fn candidates(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn test(&mut self) -> Result<(), Error> {
        let Lidar {
            detector,
            rays,
            rocks,
            ground,
            firsts,
            ..
        } = self;
        let rocks = detector.first_hits(rays, rocks, firsts)?;
        let ground = detector.nearer_hits(rays, ground, firsts)?;
        self.invalid = rocks.a + rocks.b + ground.b;
        Ok(())
    }

    fn settle(&mut self) -> Result<(), Error> {
        self.sizes.fill(0.0);
        let mut own = [0.0; 3];
        for hit in &self.firsts {
            let k = hit.a as usize;
            let is_rock = hit.store == 0;
            let point = self.rays.get(hit.a).unwrap_or_default();
            let way = self.rays.displacement(hit.a).unwrap_or_default();
            for (axis, dots) in self.dots.iter_mut().enumerate() {
                dots[k] = point.position[axis] + way[axis] * hit.time.enter;
            }
            self.sizes[k] = DOT;
            self.tint[k] = if is_rock { ROCK } else { GROUND };
            if is_rock {
                own[0] += 1.0;
                self.seen[hit.b as usize] = 1.0;
            } else {
                own[2] += 1.0;
            }
        }
        own[1] = self.seen.iter().filter(|seen| **seen == 1.0).count() as f64;
        self.counters.hits = self.firsts.count();
        self.counters.invalid = self.invalid;
        self.counters.own[..3].copy_from_slice(&own);
        Ok(())
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn simd(&self) -> Simd {
        self.detector.settings().simd
    }

    fn instances(&self) -> Vec<Instances<'_>> {
        let [x, y, z] = self.dots.each_ref().map(|dots| &dots[..]);
        let (r, o, one) = (&self.sizes[..], &self.zeros[..], &self.ones[..]);
        vec![
            Instances::of(&self.rocks, &self.seen),
            Instances([x, y, z, r, r, r, o, o, o, one, &self.tint]),
            Instances::of(&self.vehicle, &self.zeros[..1]),
        ]
    }

    fn carry(&mut self, ferry: &mut Ferry) {
        ferry.numbers(&mut self.at);
        ferry.numbers(&mut self.seen);
        for column in &mut self.dots {
            ferry.numbers(column);
        }
        ferry.numbers(&mut self.sizes);
        ferry.numbers(&mut self.tint);
        self.counters.carry(ferry);
        self.place();
    }
}
