//! Planks thrown over a floor with thin posts: when they first touch, turning.

use glam::{Quat, Vec3};
use phalanx::{
    Detector, During, Error, HalfSpace, HalfSpaces, Impacts, Obb, Obbs, Overlaps, Pair, Simd,
};
use rand::RngExt;

use super::{Counters, Ferry, Instances, Scene, any_rotation, random_of, small_turn, within_ball};

/// Times are at most this early, as a length that shapes may be apart.
pub const TOLERANCE: f32 = 1e-3;
/// How many posts stand along each side, and how far apart they are.
const POSTS: u32 = 12;
const APART: f32 = 2.1;
/// Per frame and frame, for 60 frames a second.
const GRAVITY: f32 = 9.81 / 3600.0;
/// How many frames a plank rests where it was stopped.
const REST: u32 = 75;
/// The tints of a plank that flies or lies on the floor, of one that a post stopped, and of one stopped by a hit that
/// no pose at the start or the end of a frame shows.
const PLAIN: f32 = 0.0;
const STOPPED: f32 = 1.0;
const UNSEEN: f32 = 2.0;

/// Planks, posts and a floor.
///
/// Its own counters, since the start: hits with posts, those of them that neither the pose at the start of the frame
/// nor that at its end shows, and planks stopped.
#[derive(Debug)]
pub struct Tumbling {
    seed: u32,
    planks: Obbs,
    posts: Obbs,
    post_tint: Vec<f32>,
    floor: HalfSpaces,
    tint: Vec<f32>,
    rest: Vec<u32>,
    generation: Vec<u32>,
    /// When each plank is stopped, ∞ if it is not, and its tint then.
    first: Vec<(f32, f32)>,
    /// The planks as they are at the end of the frame.
    ends: Obbs,
    pairs: Vec<Pair>,
    floor_pairs: Vec<Pair>,
    counters: Counters,
    detector: Detector,
    impacts: Impacts,
    floor_impacts: Impacts,
    /// What the poses at the start and at the end show of pairs with posts.
    shown: [Overlaps; 2],
}

impl Tumbling {
    /// A floor with posts, and `len` planks in the air.
    pub fn new(seed: u32, len: u32) -> Self {
        let mut posts = Obbs::new();
        for index in 0..POSTS * POSTS {
            let random = &mut random_of(seed, index, u32::MAX);
            let [x, z] = [index % POSTS, index / POSTS].map(|k| {
                let middle = (POSTS - 1) as f32 * 0.5;
                (k as f32 - middle) * APART + random.random_range(-0.7..0.7)
            });
            let half_height = random.random_range(1.0..2.6);
            let lean = within_ball(random) * Vec3::new(0.3, 3.0, 0.3);
            posts.push(Obb {
                center: [x, half_height, z],
                half_extents: [0.035, half_height, 0.035],
                rotation: small_turn(lean).to_array(),
            });
        }
        let count = len as usize;
        let (mut planks, mut ends) = (Obbs::new(), Obbs::new());
        planks.resize(count);
        planks.turn_columns_mut();
        ends.resize(count);
        let mut scene = Tumbling {
            seed,
            planks,
            post_tint: vec![0.0; posts.len()],
            posts,
            floor: HalfSpaces::from_slice(&[HalfSpace {
                normal: [0.0, 1.0, 0.0],
                d: 0.0,
            }]),
            tint: vec![PLAIN; count],
            rest: vec![0; count],
            generation: vec![0; count],
            first: Vec::new(),
            ends,
            pairs: Vec::new(),
            floor_pairs: Vec::new(),
            counters: Counters {
                shapes: count,
                ..Counters::default()
            },
            detector: super::detector(),
            impacts: Impacts::new(),
            floor_impacts: Impacts::new(),
            shown: Default::default(),
        };
        for index in 0..len {
            scene.throw(index);
        }
        scene
    }

    /// The planks with their motion, and the posts.
    pub fn shapes(&self) -> (&Obbs, &Obbs) {
        (&self.planks, &self.posts)
    }

    /// The pairs of planks that fly with posts, and when they touch.
    pub fn answers(&self) -> (&[Pair], &Impacts) {
        (&self.pairs, &self.impacts)
    }

    /// Whether a plank flies.
    pub fn flies(&self, plank: u32) -> bool {
        self.rest.get(plank as usize) == Some(&0)
    }

    /// Throws a plank anew.
    fn throw(&mut self, index: u32) {
        let at = index as usize;
        let random = &mut random_of(self.seed, index, self.generation[at]);
        let reach = APART * POSTS as f32 * 0.5;
        let [x, z] = [(); 2].map(|()| random.random_range(-reach..reach));
        let plank = Obb {
            center: [x, random.random_range(5.0..13.0), z],
            half_extents: [
                random.random_range(0.5..1.0),
                random.random_range(0.03..0.06),
                random.random_range(0.09..0.16),
            ],
            rotation: any_rotation(random).to_array(),
        };
        let [vx, vz] = [(); 2].map(|()| random.random_range(-0.09..0.09));
        let way = [vx, random.random_range(-0.02..0.1), vz];
        let turn = within_ball(random) * 0.7;
        self.tint[at] = PLAIN;
        self.rest[at] = 0;
        self.put(at, plank, way, turn.to_array());
    }

    /// Puts a plank somewhere, with its motion.
    fn put(&mut self, at: usize, plank: Obb, way: [f32; 3], turn: [f32; 3]) {
        // Turned again and again, a rotation would lose its length.
        let rotation = Quat::from_array(plank.rotation).normalize().to_array();
        let numbers = plank.center.into_iter().chain(plank.half_extents);
        let numbers = numbers.chain(rotation).chain(way).chain(turn);
        let columns = self.planks.columns_mut();
        let all = columns
            .center
            .into_iter()
            .chain(columns.half_extents)
            .chain(columns.rotation)
            .chain(columns.displacement)
            .chain(columns.turn);
        for (column, x) in all.zip(numbers) {
            column[at] = x;
        }
    }
}

impl Scene for Tumbling {
    fn advance(&mut self) {
        for index in 0..self.rest.len() {
            if self.rest[index] > 0 {
                self.rest[index] -= 1;
                if self.rest[index] == 0 {
                    self.generation[index] = self.generation[index].wrapping_add(1);
                    self.throw(index as u32);
                }
            } else {
                self.planks.columns_mut().displacement[1][index] -= GRAVITY;
            }
        }
        for tint in &mut self.post_tint {
            *tint = if *tint < 0.05 { 0.0 } else { *tint * 0.93 };
        }
    }

    fn candidates(&mut self) -> Result<(), Error> {
        let (planks, posts, rest) = (&self.planks, &self.posts, &self.rest);
        self.detector
            .candidates(planks, posts, During::Frame, &mut self.pairs)?;
        self.pairs.retain(|pair| rest[pair.a as usize] == 0);
        self.floor_pairs.clear();
        let flying = (0..).zip(rest).filter(|(_, rest)| **rest == 0);
        self.floor_pairs
            .extend(flying.map(|(plank, _)| Pair::new(plank, 0)));
        Ok(())
    }

    fn test(&mut self) -> Result<(), Error> {
        let (planks, posts, floor) = (&self.planks, &self.posts, &self.floor);
        let (pairs, out) = (&self.pairs, &mut self.impacts);
        self.detector.impact(planks, posts, pairs, TOLERANCE, out)?;
        let (pairs, out) = (&self.floor_pairs, &mut self.floor_impacts);
        self.detector.impact(planks, floor, pairs, TOLERANCE, out)
    }

    fn settle(&mut self) -> Result<(), Error> {
        for at in 0..self.rest.len() {
            if let Some(end) = self.planks.at(at as u32, 1.0) {
                self.ends.set(at as u32, end)?;
            }
        }
        self.first.clear();
        self.first.resize(self.rest.len(), (f32::INFINITY, PLAIN));
        let [start, end] = &mut self.shown;
        let (posts, pairs) = (&self.posts, &self.pairs);
        self.detector.overlap(&self.planks, posts, pairs, start)?;
        self.detector.overlap(&self.ends, posts, pairs, end)?;
        let (mut unseen, mut stopped) = (0, 0);
        for (position, time) in self.impacts.iter() {
            let Pair { a, b } = pairs[position];
            let is_seen = start.is_hit(position) || end.is_hit(position);
            unseen += usize::from(!is_seen);
            self.post_tint[b as usize] = 1.0;
            note(
                &mut self.first[a as usize],
                time,
                if is_seen { STOPPED } else { UNSEEN },
            );
        }
        for (position, time) in self.floor_impacts.iter() {
            note(
                &mut self.first[self.floor_pairs[position].a as usize],
                time,
                PLAIN,
            );
        }
        for at in 0..self.rest.len() {
            let index = at as u32;
            let way = self.planks.displacement(index);
            let (Some(way), Some(turn)) = (way, self.planks.turn(index)) else {
                continue;
            };
            let (time, tint) = self.first[at];
            if self.rest[at] > 0 {
                continue;
            }
            if time <= 1.0 {
                stopped += 1;
                self.tint[at] = tint;
                self.rest[at] = REST;
                if let Some(plank) = self.planks.at(index, time) {
                    self.put(at, plank, [0.0; 3], [0.0; 3]);
                }
            } else if let Some(plank) = self.ends.get(index) {
                self.put(at, plank, way, turn);
            }
        }
        let counters = &mut self.counters;
        counters.pairs = self.pairs.len() + self.floor_pairs.len();
        counters.hits = self.impacts.count() + self.floor_impacts.count();
        counters.invalid = self.impacts.invalid_count() + self.floor_impacts.invalid_count();
        counters.own[0] += self.impacts.count() as f64;
        counters.own[1] += unseen as f64;
        counters.own[2] += f64::from(stopped);
        Ok(())
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn simd(&self) -> Simd {
        self.detector.settings().simd
    }

    fn instances(&self) -> Vec<Instances<'_>> {
        let planks = Instances::of(&self.planks, &self.tint);
        vec![planks, Instances::of(&self.posts, &self.post_tint)]
    }

    fn carry(&mut self, ferry: &mut Ferry) {
        ferry.boxes(&mut self.planks);
        for column in self.planks.columns_mut().half_extents {
            ferry.numbers(column);
        }
        ferry.numbers(&mut self.tint);
        ferry.numbers(&mut self.post_tint);
        ferry.words(&mut self.rest);
        ferry.words(&mut self.generation);
        self.counters.carry(ferry);
    }
}

/// Keeps the earlier one.
fn note(first: &mut (f32, f32), time: f32, tint: f32) {
    if time < first.0 {
        *first = (time, tint);
    }
}
