//! Bullets through thin walls: tested at the end of each frame, and swept.

use glam::{DQuat, DVec3, Vec3};
use phalanx::{Detector, During, Error, Obb, Obbs, Overlaps, Pair, Simd, Spheres, Sweeps};
use rand::RngExt;

use super::{Counters, Ferry, Instances, Scene, from_x_to, random_of};

/// Where bullets begin and end, along x.
const START: f32 = -34.0;
const END: f32 = 32.0;
/// Half of the height and width of a range.
const HALF: [f32; 2] = [3.4, 5.0];
/// The middle of each range: of that tested at the end of the frame, and of that swept.
const MIDDLE: [f32; 2] = [4.6, -4.6];
const PANELS: u32 = 48;
const RADIUS: f32 = 0.08;
/// How many frames a bullet rests where it was stopped.
const REST: u32 = 50;
/// The tints of a bullet.
const FLIES: f32 = 0.0;
const STOPPED: f32 = 1.0;
const TUNNELLED: f32 = 2.0;

/// Two ranges with the same walls and the same bullets, half of the number each.
///
/// Its own counters, of the range tested at the end of the frame: ways through a wall since the start, those of them
/// without a hit, and bullets stopped; then the same of the range that is swept.
#[derive(Debug)]
pub struct Bullets {
    at_end: Range,
    swept: Range,
    counters: Counters,
    detector: Detector,
    /// Answers for the range tested at the end.
    control: Detector,
    overlaps: Overlaps,
    sweeps: Sweeps,
    stops: Vec<Stop>,
}

/// What moves, and what stands in its way.
#[derive(Debug)]
struct Range {
    seed: u32,
    middle: f32,
    walls: Obbs,
    wall_tint: Vec<f32>,
    frames: Vec<Frame>,
    balls: Spheres,
    /// Where they were at the start of the frame.
    starts: Vec<Vec3>,
    /// Behind each flying ball, where it was at the start of the frame.
    streaks: Obbs,
    tint: Vec<f32>,
    rest: Vec<u32>,
    generation: Vec<u32>,
    /// For a column that is the same for all.
    zeros: Vec<f32>,
    ones: Vec<f32>,
    pairs: Vec<Pair>,
    crossed: f64,
    tunnelled: f64,
    stopped: f64,
}

/// Where a bullet is stopped, as a share of its frame.
#[derive(Clone, Copy, Debug)]
struct Stop {
    bullet: u32,
    time: f32,
}

/// A wall for plain arithmetic: its center, the turn into its axes, and its half extents.
type Frame = (DVec3, DQuat, DVec3);

fn frame_of(wall: Obb) -> Frame {
    let [x, y, z, w] = wall.rotation.map(f64::from);
    (
        wall.center.map(f64::from).into(),
        DQuat::from_xyzw(x, y, z, w).normalize().inverse(),
        wall.half_extents.map(f64::from).into(),
    )
}

/// Whether a way goes through the middle plane of a wall, within its face: by plain arithmetic in `f64`, not phalanx.
pub fn crosses(wall: Obb, from: [f64; 3], to: [f64; 3]) -> bool {
    crosses_frame(frame_of(wall), from.into(), to.into())
}

fn crosses_frame((center, turn, half): Frame, from: DVec3, to: DVec3) -> bool {
    let (from, to) = (turn * (from - center), turn * (to - center));
    let changes_side = (from.x < 0.0 && to.x >= 0.0) || (from.x > 0.0 && to.x <= 0.0);
    if !changes_side {
        return false;
    }
    let at = from + (to - from) * (from.x / (from.x - to.x));
    at.y.abs() <= half.y && at.z.abs() <= half.z
}

impl Range {
    fn new(seed: u32, len: u32, middle: f32) -> Self {
        let len = len as usize;
        let walls = walls(seed, middle);
        let mut range = Range {
            seed,
            middle,
            frames: (0..walls.len() as u32)
                .filter_map(|k| walls.get(k))
                .map(frame_of)
                .collect(),
            wall_tint: vec![0.0; walls.len()],
            walls,
            balls: Spheres::new(),
            starts: Vec::new(),
            streaks: Obbs::new(),
            tint: vec![FLIES; len],
            rest: vec![0; len],
            generation: vec![0; len],
            zeros: vec![0.0; len],
            ones: vec![1.0; len],
            pairs: Vec::new(),
            crossed: 0.0,
            tunnelled: 0.0,
            stopped: 0.0,
        };
        range.balls.resize(len);
        range.streaks.resize(len);
        for index in 0..len {
            range.fire(index);
        }
        range
    }

    /// Makes a bullet anew.
    fn fire(&mut self, index: usize) {
        let random = &mut random_of(self.seed, index as u32, self.generation[index]);
        let [y, z] = HALF.map(|half| random.random_range(-half..half) * 0.96);
        let way = Vec3::new(
            random.random_range(0.8..2.4),
            random.random_range(-0.02..0.02),
            random.random_range(-0.03..0.03),
        );
        let back = random.random_range(0.0..30.0);
        let rotation = from_x_to(way).to_array();
        self.tint[index] = FLIES;
        self.rest[index] = 0;
        let columns = self.balls.columns_mut();
        let center = [START - back, self.middle + y, z];
        for (column, x) in columns.center.into_iter().zip(center) {
            column[index] = x;
        }
        columns.radius[index] = RADIUS;
        for (column, x) in columns.displacement.into_iter().zip(way.to_array()) {
            column[index] = x;
        }
        for (column, x) in self
            .streaks
            .columns_mut()
            .rotation
            .into_iter()
            .zip(rotation)
        {
            column[index] = x;
        }
    }

    /// Makes those anew that are through, or have rested.
    fn advance(&mut self) {
        for index in 0..self.rest.len() {
            let is_due = if self.rest[index] > 0 {
                self.rest[index] -= 1;
                self.rest[index] == 0
            } else {
                self.balls.columns().center[0][index] > END
            };
            if is_due {
                self.generation[index] = self.generation[index].wrapping_add(1);
                self.fire(index);
            }
        }
        for tint in &mut self.wall_tint {
            *tint = if *tint < 0.05 { 0.0 } else { *tint * 0.9 };
        }
    }

    /// Lists the pairs of bullets that fly.
    fn candidates(&mut self, detector: &mut Detector, during: During) -> Result<(), Error> {
        detector.candidates(&self.balls, &self.walls, during, &mut self.pairs)?;
        let rest = &self.rest;
        self.pairs.retain(|pair| rest[pair.a as usize] == 0);
        Ok(())
    }

    /// Moves those that fly to the end of the frame.
    fn move_all(&mut self) {
        let [x, y, z] = self.balls.columns().center;
        self.starts.clear();
        let places = x.iter().zip(y).zip(z);
        self.starts
            .extend(places.map(|((x, y), z)| Vec3::new(*x, *y, *z)));
        let (rest, columns) = (&self.rest, self.balls.columns_mut());
        for (center, way) in columns.center.into_iter().zip(columns.displacement) {
            for ((x, way), rest) in center.iter_mut().zip(way).zip(rest) {
                if *rest == 0 {
                    *x += *way;
                }
            }
        }
    }

    /// Stops bullets, in the order of their numbers, and judges the ways that all have gone; they are at the end of
    /// their frames.
    fn settle(&mut self, stops: &[Stop], is_hit: impl Fn(Pair) -> bool) {
        let mut stops = stops.iter().peekable();
        let [x, y, z] = self.balls.columns().center;
        let (mut ends, mut through) = (Vec::new(), Vec::new());
        for bullet in 0..x.len() {
            let stop = stops.next_if(|stop| stop.bullet as usize == bullet);
            if self.rest[bullet] > 0 {
                continue;
            }
            let end = Vec3::new(x[bullet], y[bullet], z[bullet]);
            let way = self.balls.displacement(bullet as u32).unwrap_or_default();
            let way = Vec3::from(way);
            let start = self.starts[bullet];
            let stopped = stop.map(|stop| start + way * stop.time);
            let (from, to) = (start.as_dvec3(), stopped.unwrap_or(end).as_dvec3());
            for (wall, frame) in (0..).zip(&self.frames) {
                if crosses_frame(*frame, from, to) {
                    self.crossed += 1.0;
                    if !is_hit(Pair::new(bullet as u32, wall)) {
                        self.tunnelled += 1.0;
                        through.push((bullet, wall as usize));
                    }
                }
            }
            ends.push((bullet, start, stopped, way));
        }
        for (bullet, wall) in through {
            self.tint[bullet] = TUNNELLED;
            self.wall_tint[wall] = 1.0;
        }
        let mut streaks = self.streaks.columns_mut();
        let mut balls = self.balls.columns_mut();
        for (bullet, start, stopped, way) in ends {
            let mut half = [0.5 * way.length(), 0.5 * RADIUS, 0.5 * RADIUS];
            let mut middle = start + way * 0.5;
            if let Some(at) = stopped {
                self.stopped += 1.0;
                self.rest[bullet] = REST;
                if self.tint[bullet] != TUNNELLED {
                    self.tint[bullet] = STOPPED;
                }
                for (column, x) in balls.center.iter_mut().zip(at.to_array()) {
                    column[bullet] = x;
                }
                (half, middle) = ([0.0; 3], at);
            }
            let columns = streaks.center.iter_mut().zip(middle.to_array());
            columns.for_each(|(column, x)| column[bullet] = x);
            let columns = streaks.half_extents.iter_mut().zip(half);
            columns.for_each(|(column, x)| column[bullet] = x);
        }
    }

    fn instances(&self) -> [Instances<'_>; 3] {
        let balls = self.balls.columns();
        let ([x, y, z], r, o, one) = (balls.center, balls.radius, &self.zeros, &self.ones);
        let (o, one, tint) = (&o[..], &one[..], &self.tint[..]);
        [
            Instances::of(&self.walls, &self.wall_tint),
            Instances([x, y, z, r, r, r, o, o, o, one, tint]),
            Instances::of(&self.streaks, tint),
        ]
    }

    fn carry(&mut self, ferry: &mut Ferry) {
        let balls = self.balls.columns_mut();
        for column in balls.center.into_iter().chain(balls.displacement) {
            ferry.numbers(column);
        }
        ferry.boxes(&mut self.streaks);
        for column in self.streaks.columns_mut().half_extents {
            ferry.numbers(column);
        }
        ferry.numbers(&mut self.tint);
        ferry.numbers(&mut self.wall_tint);
        ferry.words(&mut self.rest);
        ferry.words(&mut self.generation);
        for x in [&mut self.crossed, &mut self.tunnelled, &mut self.stopped] {
            ferry.counter(x);
        }
    }
}

/// Thin panels here and there, tilted, and a wall behind them all.
fn walls(seed: u32, middle: f32) -> Obbs {
    let mut walls = Obbs::new();
    for index in 0..PANELS {
        let random = &mut random_of(seed, index, u32::MAX);
        let tilt = [(); 2].map(|()| random.random_range(-0.35..0.35));
        let half = [
            random.random_range(0.02..0.07),
            random.random_range(0.5..1.1),
            random.random_range(0.7..1.5),
        ];
        let share = (index as f32 + random.random_range(0.0..1.0)) / PANELS as f32;
        let [y, z]: [f32; 2] = [0, 1].map(|k| {
            let free = HALF[k] - half[k + 1];
            random.random_range(-free..free)
        });
        walls.push(Obb {
            center: [START + 6.0 + 40.0 * share, middle + y, z],
            half_extents: half,
            rotation: super::small_turn(Vec3::new(0.0, tilt[0], tilt[1])).to_array(),
        });
    }
    walls.push(Obb {
        center: [16.0, middle, 0.0],
        half_extents: [0.06, HALF[0], HALF[1]],
        ..Obb::default()
    });
    walls
}

impl Bullets {
    /// Two ranges of `len / 2` bullets each.
    pub fn new(seed: u32, len: u32) -> Self {
        let [at_end, swept] = MIDDLE.map(|middle| Range::new(seed, len / 2, middle));
        Bullets {
            at_end,
            swept,
            counters: Counters {
                shapes: len as usize / 2,
                ..Counters::default()
            },
            detector: super::detector(),
            control: super::detector(),
            overlaps: Overlaps::new(),
            sweeps: Sweeps::new(),
            stops: Vec::new(),
        }
    }

    /// The bullets that are swept, and their walls.
    pub fn swept(&self) -> (&Spheres, &Obbs) {
        (&self.swept.balls, &self.swept.walls)
    }

    /// Whether a bullet of the swept range flies.
    pub fn flies(&self, bullet: u32) -> bool {
        self.swept.rest.get(bullet as usize) == Some(&0)
    }

    /// The bullets that are tested at the end of the frame.
    pub fn tested_at_end(&self) -> &Spheres {
        &self.at_end.balls
    }
}

impl Scene for Bullets {
    fn advance(&mut self) {
        self.at_end.advance();
        self.swept.advance();
    }

    fn candidates(&mut self) -> Result<(), Error> {
        self.swept.candidates(&mut self.detector, During::Frame)
    }

    fn test(&mut self) -> Result<(), Error> {
        let Range {
            balls,
            walls,
            pairs,
            ..
        } = &self.swept;
        self.detector.sweep(balls, walls, pairs, &mut self.sweeps)
    }

    fn settle(&mut self) -> Result<(), Error> {
        let firsts = self.sweeps.first_hits(&self.swept.pairs)?;
        let stops = &mut self.stops;
        stops.clear();
        stops.extend(firsts.iter().map(|first| Stop {
            bullet: first.pair.a,
            time: first.time.enter,
        }));
        self.swept.move_all();
        let hits: Vec<Pair> = self.sweeps.hits(&self.swept.pairs)?.collect();
        // Lists of candidates are sorted.
        let is_hit = |pair| hits.binary_search(&pair).is_ok();
        self.swept.settle(stops, is_hit);

        // What many games do: move, then test.
        let at_end = &mut self.at_end;
        at_end.move_all();
        at_end.candidates(&mut self.control, During::Start)?;
        let (balls, walls, pairs) = (&at_end.balls, &at_end.walls, &at_end.pairs);
        self.control
            .overlap(balls, walls, pairs, &mut self.overlaps)?;
        let hits: Vec<Pair> = self.overlaps.hits(pairs)?.collect();
        stops.clear();
        stops.extend(hits.iter().map(|hit| Stop {
            bullet: hit.a,
            time: 1.0,
        }));
        stops.dedup_by_key(|stop| stop.bullet);
        at_end.settle(stops, |pair| hits.binary_search(&pair).is_ok());

        let counters = &mut self.counters;
        counters.pairs = self.swept.pairs.len();
        counters.hits = self.sweeps.count();
        counters.invalid = self.sweeps.invalid_count() + self.overlaps.invalid_count();
        for (own, range) in counters
            .own
            .chunks_exact_mut(3)
            .zip([&self.at_end, &self.swept])
        {
            own.copy_from_slice(&[range.crossed, range.tunnelled, range.stopped]);
        }
        Ok(())
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn simd(&self) -> Simd {
        self.detector.settings().simd
    }

    fn instances(&self) -> Vec<Instances<'_>> {
        let ranges = [&self.at_end, &self.swept];
        ranges.into_iter().flat_map(Range::instances).collect()
    }

    fn carry(&mut self, ferry: &mut Ferry) {
        self.at_end.carry(ferry);
        self.swept.carry(ferry);
        self.counters.carry(ferry);
    }
}
