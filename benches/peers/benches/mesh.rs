//! A level of triangles: `Detector::first_hits` among a `Mesh` beside parry3d's `TriMesh::cast_local_ray`.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench mesh             # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench mesh -- table    # rounds of turns alone, and a file for the report
//! ```
//!
//! A terrain of hills, two triangles a square metre, and 10,000 rays, other ones in each frame. Before each turn, frames that
//! are not measured: so what is measured is a level that has been there for a while.
//!
//! Answers are checked: no ray misses the terrain where parry3d hits it, and hits at other times are counted.

use std::cell::{LazyCell, RefCell};

use parry3d::math::Vector;
use parry3d::query::{Ray, RayCast};
use parry3d::shape::TriMesh;
use phalanx::{Detector, FirstHits, Mesh, Point, Points};
use phalanx_bench::bench::{Bench, Label, Open, Player};
use phalanx_bench::first_hits;
use phalanx_bench::record::FileError;
use phalanx_bench::scenes::SEED;
use phalanx_bench::turns::seconds;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Squares along a side of the terrain.
const SIDES: [usize; 2] = [70, 500];
const QUICK_SIDES: [usize; 1] = [30];
const RAYS: usize = 10_000;
/// Frames with other rays.
const FRAMES: usize = 4;
/// Frames of a turn: until caches are warm and threads awake, and then.
const UNMEASURED: usize = 12;
const MEASURED: usize = 12;
/// Times that all shapes are walked over, until all that rests is kept.
const WARM: usize = 4;

/// Rays in metres.
#[derive(Clone, Copy)]
enum Rays {
    /// From above the hills straight down.
    Down,
    /// From a place above the ground in any direction, with lengths from and to.
    Across(f32, f32),
}

const KINDS: [(&str, Rays); 3] = [
    ("rays down", Rays::Down),
    ("rays of 50 to 500 m", Rays::Across(50.0, 500.0)),
    ("rays of 0.2 to 2 m", Rays::Across(0.2, 2.0)),
];

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("mesh");
    let sides: &[usize] = if bench.is_quick() {
        &QUICK_SIDES
    } else {
        &SIDES
    };
    for &side in sides {
        for (name, rays) in KINDS {
            cast_rays(&mut bench, name, side, rays);
        }
    }
    bench.finish()
}

/// Height of the terrain.
fn height(x: f32, y: f32) -> f32 {
    6.0 * (x * 0.05).sin() * (y * 0.07).cos() + 0.4 * (x * 0.9).sin() + 0.3 * (y * 1.1).cos()
}

/// Corners and triangles of a terrain.
fn terrain(side: usize) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let along = side + 1;
    let place = |k: usize| {
        let (x, y) = ((k % along) as f32, (k / along) as f32);
        [x, y, height(x, y)]
    };
    let vertices = (0..along * along).map(place).collect();
    let square = |k: usize| {
        let first = (k / side * along + k % side) as u32;
        let (right, above) = (first + 1, first + along as u32);
        [[first, right, above], [right, above + 1, above]]
    };
    (vertices, (0..side * side).flat_map(square).collect())
}

impl Rays {
    fn ray(self, side: f32, rng: &mut StdRng) -> Ray {
        let (x, y) = (rng.random_range(0.0..side), rng.random_range(0.0..side));
        match self {
            Rays::Down => Ray::new(Vector::new(x, y, 50.0), Vector::new(0.0, 0.0, -100.0)),
            Rays::Across(shortest, longest) => {
                let z = height(x, y) + rng.random_range(0.1..3.0);
                let length = rng.random_range(shortest..longest);
                let direction = loop {
                    let d = Vector::from([(); 3].map(|()| rng.random_range(-1.0..1.0f32)));
                    if (0.1..1.0).contains(&d.length()) {
                        break d.normalize();
                    }
                };
                Ray::new(Vector::new(x, y, z), direction * length)
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Who {
    Phalanx,
    TriMesh,
}

const ALL: [Who; 2] = [Who::Phalanx, Who::TriMesh];

impl Who {
    fn player(self) -> Player {
        match self {
            Who::Phalanx => Player::phalanx("phalanx"),
            Who::TriMesh => Player::peer("parry3d", "TriMesh::cast_local_ray"),
        }
    }
}

/// A terrain and those who cast rays at it.
struct Casters {
    level: Mesh,
    peer: TriMesh,
    frames: Vec<Vec<Ray>>,
    rays: Points,
    detector: Detector,
    /// First hits of either side in the last frame.
    own: FirstHits,
    peers: Vec<Option<f32>>,
}

impl Casters {
    fn new(side: usize, rays: Rays) -> Self {
        let (vertices, indices) = terrain(side);
        let mut rng = StdRng::seed_from_u64(SEED);
        let mut frame = || {
            let ray = |_| rays.ray(side as f32, &mut rng);
            (0..RAYS).map(ray).collect::<Vec<_>>()
        };
        Casters {
            level: Mesh::new(&vertices, &indices).expect("a terrain is a mesh"),
            frames: (0..FRAMES).map(|_| frame()).collect(),
            rays: Points::new(),
            detector: Detector::new().parallel(false),
            own: FirstHits::new(),
            peers: Vec::new(),
            peer: {
                let vertices = vertices.into_iter().map(Vector::from).collect();
                TriMesh::new(vertices, indices).expect("a terrain is a mesh")
            },
        }
    }

    /// Seconds of a frame, without what makes the rays.
    fn frame(&mut self, who: Who, frame: usize) -> f64 {
        let rays = &self.frames[frame % FRAMES];
        match who {
            Who::TriMesh => seconds(|| {
                let cast = |ray| self.peer.cast_local_ray(ray, 1.0, true);
                self.peers.clear();
                self.peers.extend(rays.iter().map(cast));
            }),
            Who::Phalanx => {
                self.rays.clear();
                self.rays.extend_moving(rays.iter().map(|ray| {
                    let position = ray.origin.into();
                    (Point { position }, ray.dir.into())
                }));
                seconds(|| {
                    let found = self
                        .detector
                        .first_hits(&self.rays, &self.level, &mut self.own);
                    found.expect("there is memory");
                })
            }
        }
    }

    /// Number of rays that hit, and of those that hit at other times than the peer's.
    fn compare(&mut self) -> (usize, usize) {
        let mut different = 0;
        for frame in 0..FRAMES {
            self.frame(Who::Phalanx, frame);
            self.frame(Who::TriMesh, frame);
            different += first_hits::different(&self.own, self.peers.iter().copied());
        }
        (self.own.count(), different)
    }
}

fn cast_rays(bench: &mut Bench, name: &str, side: usize, rays: Rays) {
    let triangles = 2 * side * side;
    let label = Label {
        name: "mesh".into(),
        scene: format!("{triangles}, {name}"),
        about: format!("{RAYS} rays through a mesh of {triangles} triangles"),
        shapes: triangles,
        items: RAYS,
        unit: "ray",
    };
    let players = ALL.map(Who::player);
    let whole = LazyCell::new(|| {
        let (mut casters, mut frame) = (Casters::new(side, rays), 0);
        RefCell::new(Open::unchecked(move |player| {
            frame += 1;
            casters.frame(ALL[player], frame);
        }))
    });
    if !bench.is_wanted(&label, &players, &whole) {
        return;
    }
    let mut casters = Casters::new(side, rays);
    for frame in 0..WARM + 2 * triangles / RAYS {
        casters.frame(Who::Phalanx, frame);
    }
    let (hits, different) = casters.compare();
    let frame = |player: usize, frame| casters.frame(ALL[player], frame);
    let counts = [UNMEASURED, MEASURED];
    let times = bench.turns().measure_frames(ALL.len(), counts, frame);
    let mut open = Open::unchecked(|_| ());
    open.hits = Some(hits);
    open.different = vec![0, different];
    bench.add(label, &players, &open, &times);
}
