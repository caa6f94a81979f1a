//! A character in a level of triangles, and its lidar: first hits of a capsule and of rays.
//!
//! The level and the character are those of `examples/level`: z points up. What is drawn has y up.

use glam::{DVec3, Vec2, Vec3};
use phalanx::{Detector, Error, FirstHits, Mesh, Obb, Obbs, Points, Simd};

use super::lidar::directions;
use super::{Counters, Ferry, Instances, Scene, Surface};
use character::{Character, HALF_AXIS, Input, RADIUS, State};

#[path = "../../../level/src/character.rs"]
mod character;
#[path = "../../../level/src/level.rs"]
mod world;

/// Cells of the terrain along each axis.
const CELLS: usize = 200;
/// Length of a ray, number of rings, and the slopes of the lowest and the highest.
const RANGE: f32 = 60.0;
const RINGS: u32 = 48;
const SLOPES: [f32; 2] = [-0.9, 0.35];
/// Cosine of the smallest angle of an edge that is drawn.
const SHARP: f32 = 0.87;
/// Distance at which a hit has the middle one of its three colours, in metres.
const MIDDLE: f32 = 8.0;
/// Path around the level: places, each with the maximum number of frames to get there.
const PATH: [([f32; 2], u32); 12] = [
    // Up the stairs, over the bridge, down the ramp, through the tunnel, over the crates.
    ([-33.0, 0.0], 600),
    ([20.0, 0.0], 900),
    // Against the bank, too steep to stay on, around it, and along the wall behind it.
    ([26.0, 0.0], 140),
    ([21.0, 7.5], 200),
    ([34.0, 9.0], 250),
    ([41.5, 15.0], 200),
    // Back beside the tunnel, and under the bridge.
    ([43.0, -2.0], 300),
    ([27.0, -7.0], 300),
    ([-12.0, -6.5], 700),
    ([-13.0, 6.5], 250),
    ([-36.0, 5.5], 500),
    ([-39.0, 2.5], 200),
];
/// Number of frames without progress before a jump.
const STUCK: u32 = 20;
/// Number of frames after the last key before the character follows its path again.
const PATIENCE: u32 = 120;
/// One ray of one frame in so many is checked by a plain loop.
const CHECKED: u32 = 8;

/// A level, a character, and the rays of a frame.
///
/// Its own counters: the place of the character, its state, its jumps, its casts in this frame; triangles; rays checked by a
/// plain loop, and those of them with a hit that was missed or reported late.
pub struct Level {
    mesh: Mesh,
    corners: Vec<f32>,
    edges: Vec<f32>,
    character: Character,
    input: Input,
    steps: Steps,
    /// Center of the character before this frame, and the number of casts.
    before: ([f32; 3], u32),
    rays: Points,
    firsts: FirstHits,
    invalid: usize,
    /// Centers and sizes of the hits: no size where there is no hit.
    dots: [Vec<f32>; 3],
    sizes: Vec<f32>,
    tint: Vec<f32>,
    zeros: Vec<f32>,
    ones: Vec<f32>,
    figure: Obbs,
    figure_tint: [f32; 1],
    counters: Counters,
    detector: Detector,
}

/// State of the steering.
#[derive(Debug, Default)]
struct Steps {
    frames: u32,
    /// Index of the next place, and the number of frames since the last one.
    leg: usize,
    since: u32,
    /// Number of frames without progress.
    stuck: u32,
    /// Direction and jump by keys, and the number of frames in which they count.
    hand: [f32; 2],
    jump: u32,
    by_hand: u32,
}

/// Converts z up to y up.
fn drawn([x, y, z]: [f32; 3]) -> [f32; 3] {
    [x, z, -y]
}

impl Level {
    /// A level, and a lidar with `len` rays. Fails if the level does not fit into memory.
    pub fn new(len: u32) -> Result<Self, Error> {
        let soup = world::make(CELLS);
        let mesh = Mesh::new(&soup.vertices, &soup.indices)?;
        let triangles = mesh.triangles();
        let corners = triangles.iter().flat_map(|it| it.corners.map(drawn));
        let [x, y] = world::START;
        let character = Character::new([x, y, world::terrain_height(x, y) + 0.5])?;
        let mut rays = Points::new();
        let ways = directions(len, RINGS, SLOPES);
        rays.extend_moving(ways.iter().map(|way| {
            (
                Default::default(),
                [way.x, -way.z, way.y].map(|x| x * RANGE),
            )
        }));
        let len = rays.len();
        let mut level = Level {
            corners: corners.flatten().collect(),
            edges: sharp_edges(&mesh),
            input: Input {
                heading: [0.0; 2],
                jump: false,
            },
            steps: Steps::default(),
            before: (character.body.center, 0),
            character,
            rays,
            firsts: FirstHits::new(),
            invalid: 0,
            dots: [(); 3].map(|()| vec![0.0; len]),
            sizes: vec![0.0; len],
            tint: vec![0.0; len],
            zeros: vec![0.0; len],
            ones: vec![1.0; len],
            figure: Obbs::from_slice(&[Obb {
                half_extents: [RADIUS; 3],
                ..Obb::default()
            }]),
            figure_tint: [0.0],
            counters: Counters {
                shapes: len,
                pairs: len,
                ..Counters::default()
            },
            detector: super::detector(),
            mesh,
        };
        level.counters.own[6] = level.mesh.len() as f64;
        level.place();
        Ok(level)
    }

    /// The rays of this frame, and the level.
    pub fn shapes(&self) -> (&Points, &Mesh) {
        (&self.rays, &self.mesh)
    }

    /// The first hits of the rays of this frame.
    pub fn firsts(&self) -> &FirstHits {
        &self.firsts
    }

    /// The ends of the axis of the character, and its radius.
    pub fn body(&self) -> ([[f32; 3]; 2], f32) {
        let body = self.character.body;
        let end = |side| character::add(body.center, body.half_axis, side);
        ([end(-1.0), end(1.0)], body.radius)
    }

    /// Input towards the next place of the path, with a jump where there is no progress.
    fn follow_path(&mut self) -> Input {
        let [x, y, _] = self.character.body.center;
        let steps = &mut self.steps;
        let (place, most) = PATH[steps.leg % PATH.len()];
        let way = Vec2::from(place) - Vec2::new(x, y);
        if way.length_squared() < 1.0 || steps.since >= most {
            steps.leg = (steps.leg + 1) % PATH.len();
            steps.since = 0;
        }
        steps.since += 1;
        let jump = steps.stuck >= STUCK;
        if jump {
            steps.stuck = 0;
        }
        let heading = way.normalize_or_zero().to_array();
        Input { heading, jump }
    }

    /// Writes the place of the character for the counters and the drawing.
    fn place(&mut self) {
        let place = drawn(self.character.body.center);
        let columns = self.figure.columns_mut();
        for (column, x) in columns.center.into_iter().zip(place) {
            column[0] = x;
        }
        self.figure_tint = [number(self.character.state) as f32];
        self.counters.own[..3].copy_from_slice(&place.map(f64::from));
    }

    /// Compares one ray with a plain loop over all triangles.
    fn check(&mut self) {
        let k = self.steps.frames.wrapping_mul(997) % self.rays.len().max(1) as u32;
        let (Some(ray), Some(way)) = (self.rays.get(k), self.rays.displacement(k)) else {
            return;
        };
        let [from, way] = [ray.position, way].map(|x| DVec3::from(x.map(f64::from)));
        let triangles = self.mesh.triangles();
        let times = triangles
            .iter()
            .filter_map(|it| crossing(it.corners, from, way));
        let exact = times.fold(f64::INFINITY, f64::min);
        let hit = self.firsts.get(k as usize);
        let said = hit.map_or(f64::INFINITY, |hit| f64::from(hit.time.enter));
        self.counters.own[7] += 1.0;
        self.counters.own[8] += f64::from(said > exact);
    }
}

/// The time from 0 to 1 at which a motion crosses a triangle.
fn crossing(corners: [[f32; 3]; 3], from: DVec3, way: DVec3) -> Option<f64> {
    let [a, b, c] = corners.map(|corner| DVec3::from(corner.map(f64::from)));
    let (ab, ac, s) = (b - a, c - a, from - a);
    let normal = ab.cross(ac);
    let det = way.dot(normal);
    let time = -s.dot(normal) / det;
    if det == 0.0 || !(0.0..=1.0).contains(&time) {
        return None;
    }
    let q = s.cross(way);
    let (u, v) = (-ac.dot(q) / det, ab.dot(q) / det);
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0).then_some(time)
}

/// The ends of the sharp edges and the borders of a level.
fn sharp_edges(mesh: &Mesh) -> Vec<f32> {
    let mut ends = Vec::new();
    for (index, triangle) in (0..).zip(mesh.triangles().iter()) {
        let normal = Vec3::from(mesh.normal(index).unwrap_or_default());
        for k in 0..3 {
            let neighbour = mesh.edge(index, k).and_then(|edge| edge.neighbour);
            // Of two neighbours the first one has the edge.
            let is_sharp = neighbour.is_none_or(|other| {
                let across = Vec3::from(mesh.normal(other).unwrap_or_default());
                other > index && normal.dot(across) < SHARP
            });
            if is_sharp {
                ends.extend([k, (k + 1) % 3].map(|k| drawn(triangle.corners[k])));
            }
        }
    }
    ends.into_flattened()
}

fn number(state: State) -> u32 {
    match state {
        State::Ground => 0,
        State::Air => 1,
        State::Sliding => 2,
    }
}

impl Scene for Level {
    fn advance(&mut self) {
        self.before = (self.character.body.center, self.character.casts);
        self.steps.frames += 1;
        self.input = if self.steps.by_hand == 0 {
            self.follow_path()
        } else {
            self.steps.by_hand -= 1;
            Input {
                heading: std::mem::take(&mut self.steps.hand),
                jump: std::mem::take(&mut self.steps.jump) != 0,
            }
        };
    }

    /// Moves the character; no pairs are listed.
    fn candidates(&mut self) -> Result<(), Error> {
        self.character.frame(self.input, &self.mesh)
    }

    fn test(&mut self) -> Result<(), Error> {
        let [x, y, z] = self.character.body.center;
        let columns = self.rays.columns_mut();
        for (column, x) in columns.position.into_iter().zip([x, y, z + HALF_AXIS]) {
            column.fill(x);
        }
        let Level { detector, rays, .. } = self;
        let invalid = detector.first_hits(rays, &self.mesh, &mut self.firsts)?;
        self.invalid = invalid.a + invalid.b;
        Ok(())
    }

    fn settle(&mut self) -> Result<(), Error> {
        self.sizes.fill(0.0);
        for hit in &self.firsts {
            let k = hit.a as usize;
            let from = self.rays.get(hit.a).unwrap_or_default().position;
            let way = self.rays.displacement(hit.a).unwrap_or_default();
            let place = drawn(character::add(from, way, hit.time.enter));
            for (dots, x) in self.dots.iter_mut().zip(place) {
                dots[k] = x;
            }
            let range = RANGE * hit.time.enter;
            self.sizes[k] = 0.02 + 0.0024 * range;
            self.tint[k] = (range / MIDDLE).min(2.0);
        }
        let character = &self.character;
        let [dx, dy, _] = character::add(character.body.center, self.before.0, -1.0);
        let walked = (dx * dx + dy * dy).sqrt();
        // A fifth of its speed.
        let is_stuck = character.state == State::Ground && walked < 0.02;
        self.steps.stuck = if is_stuck { self.steps.stuck + 1 } else { 0 };
        let own = &mut self.counters.own;
        own[3] = number(character.state).into();
        own[4] = character.jumps.into();
        own[5] = (character.casts - self.before.1).into();
        self.counters.hits = self.firsts.count();
        self.counters.invalid = self.invalid;
        if self.steps.frames.is_multiple_of(CHECKED) {
            self.check();
        }
        self.place();
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
            Instances([x, y, z, r, r, r, o, o, o, one, &self.tint]),
            Instances::of(&self.figure, &self.figure_tint),
        ]
    }

    fn surface(&self) -> Option<Surface<'_>> {
        Some(Surface {
            corners: &self.corners,
            edges: &self.edges,
            terrain: 2 * CELLS * CELLS,
        })
    }

    fn carry(&mut self, ferry: &mut Ferry) {
        let (character, steps) = (&mut self.character, &mut self.steps);
        ferry.numbers(&mut character.body.center);
        ferry.numbers(&mut character.velocity);
        ferry.numbers(&mut steps.hand);
        ferry.count(&mut steps.leg);
        let mut state = [number(character.state)];
        ferry.words(&mut state);
        character.state = match state {
            [0] => State::Ground,
            [1] => State::Air,
            _ => State::Sliding,
        };
        for word in [
            &mut character.jumps,
            &mut character.casts,
            &mut steps.frames,
            &mut steps.since,
            &mut steps.stuck,
            &mut steps.jump,
            &mut steps.by_hand,
        ] {
            ferry.words(std::slice::from_mut(word));
        }
        for column in &mut self.dots {
            ferry.numbers(column);
        }
        ferry.numbers(&mut self.sizes);
        ferry.numbers(&mut self.tint);
        self.counters.carry(ferry);
        self.place();
    }

    fn steer(&mut self, [x, z]: [f32; 2], jump: bool) {
        self.steps.hand = Vec2::new(x, -z).normalize_or_zero().to_array();
        self.steps.jump = jump.into();
        self.steps.by_hand = PATIENCE;
    }
}
