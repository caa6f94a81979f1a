//! The first box hit by each ray: `Detector::first_hits` compared with parry3d's `Bvh::cast_ray`.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench rays             # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench rays -- table    # rounds of turns alone, and a file for the report
//! ```
//!
//! Static boxes with half extents of 0.5 to 2 m, uniform in their world, and 10,000 random rays in it, new rays in each
//! frame. Each turn begins with frames that are not measured, so the measured level is unchanged for a while. "New
//! level" is the first frame of a level: the tree built, the rays cast.
//!
//! Results are checked: no ray misses a box that parry3d hits, and hits at other times are counted.

use std::array;
use std::cell::{LazyCell, RefCell};

use parry3d::bounding_volume;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use parry3d::query::{Ray, RayCast};
use phalanx::{Aabb, Aabbs, Detector, FirstHits, Point, Points};
use phalanx_bench::bench::{Bench, Label, Open, Player};
use phalanx_bench::convert::parry_aabb;
use phalanx_bench::first_hits;
use phalanx_bench::record::FileError;
use phalanx_bench::scenes::SEED;
use phalanx_bench::turns::seconds;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rayon::{ThreadPool, ThreadPoolBuilder};

const SIZES: [usize; 2] = [100_000, 1_000_000];
const QUICK_SIZES: [usize; 1] = [2_000];
const RAYS: usize = 10_000;
/// Number of frames, each with new rays.
const FRAMES: usize = 4;
/// Unmeasured frames of a turn, until caches are warm and threads awake (an idle virtual CPU takes up to 20 ms to run).
const UNMEASURED: usize = 24;
const MEASURED: usize = 12;
/// Number of frames until the tree of a static level is cached. A better tree follows after twice as many rays as boxes.
const WARM: usize = 4;

/// Worlds in metres, and the lengths of rays in them.
const WORLDS: [(&str, [f32; 3], [f32; 2]); 3] = [
    ("cube, rays of 10 to 1000 m", [1000.0; 3], [10.0, 1000.0]),
    ("cube, rays of 1 to 10 m", [1000.0; 3], [1.0, 10.0]),
    (
        "flat, rays of 10 to 1000 m",
        [4000.0, 4000.0, 60.0],
        [10.0, 1000.0],
    ),
];

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("rays");
    let sizes: &[usize] = if bench.is_quick() {
        &QUICK_SIZES
    } else {
        &SIZES
    };
    for &size in sizes {
        for (name, sides, lengths) in WORLDS {
            let scene = || Scene::new(size, sides, lengths);
            cast_rays(&mut bench, &format!("{size}, {name}"), size, scene);
        }
        let (_, sides, lengths) = WORLDS[0];
        let scene = || Scene::new(size, sides, lengths);
        new_level(&mut bench, &format!("{size}, new level"), size, scene);
    }
    bench.finish()
}

/// Boxes and rays for both sides.
struct Scene {
    boxes: Vec<Aabb>,
    /// Rays of each frame.
    rays: Vec<Vec<Ray>>,
}

impl Scene {
    fn new(size: usize, sides: [f32; 3], [shortest, longest]: [f32; 2]) -> Self {
        let mut rng = StdRng::seed_from_u64(SEED);
        let boxes = (0..size).map(|_| {
            let center = sides.map(|side| rng.random_range(0.0..side));
            let half_extents = [(); 3].map(|()| rng.random_range(0.5..2.0));
            Aabb::from_center_half_extents(center, half_extents)
        });
        let boxes = boxes.collect();
        let mut ray = || {
            let origin = sides.map(|side| rng.random_range(0.0..side));
            let length = rng.random_range(shortest..longest);
            let direction = loop {
                let d = [(); 3].map(|()| rng.random_range(-1.0..1.0f32));
                let norm = d.iter().map(|x| x * x).sum::<f32>().sqrt();
                if (0.1..1.0).contains(&norm) {
                    break d.map(|x| x * length / norm);
                }
            };
            Ray::new(origin.into(), direction.into())
        };
        let rays = (0..FRAMES).map(|_| (0..RAYS).map(|_| ray()).collect());
        Scene {
            rays: rays.collect(),
            boxes,
        }
    }
}

#[derive(Clone, Copy)]
enum Who {
    Serial,
    Threads,
    Tree,
}

const ALL: [Who; 3] = [Who::Serial, Who::Threads, Who::Tree];

impl Who {
    fn player(self) -> Player {
        match self {
            Who::Serial => Player::phalanx("phalanx"),
            Who::Threads => Player::phalanx("phalanx, 2 threads"),
            Who::Tree => Player::peer("parry3d", "Bvh::cast_ray"),
        }
    }
}

/// A level and the ray casters of both sides.
struct Casters {
    scene: Scene,
    level: Aabbs,
    rays: Points,
    detectors: [Detector; 2],
    pool: ThreadPool,
    leaves: Vec<bounding_volume::Aabb>,
    tree: Bvh,
    /// First hits of either side in the last frame.
    own: FirstHits,
    peers: Vec<Option<(u32, f32)>>,
}

impl Casters {
    fn new(scene: Scene) -> Self {
        let leaves: Vec<_> = scene.boxes.iter().map(parry_aabb).collect();
        Casters {
            level: Aabbs::from_slice(&scene.boxes),
            rays: Points::new(),
            detectors: [false, true].map(|parallel| Detector::new().parallel(parallel)),
            pool: ThreadPoolBuilder::new()
                .num_threads(2)
                .build()
                .expect("threads can be started"),
            tree: Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves),
            leaves,
            own: FirstHits::new(),
            peers: Vec::new(),
            scene,
        }
    }

    /// Seconds of a frame, without building the rays.
    fn frame(&mut self, who: Who, frame: usize) -> f64 {
        let rays = &self.scene.rays[frame % FRAMES];
        if let Who::Tree = who {
            let (tree, leaves, hits) = (&self.tree, &self.leaves, &mut self.peers);
            return seconds(|| cast(tree, leaves, rays, hits));
        }
        self.rays.clear();
        self.rays.extend_moving(rays.iter().map(|ray| {
            let position = ray.origin.into();
            (Point { position }, ray.dir)
        }));
        let detector = &mut self.detectors[matches!(who, Who::Threads) as usize];
        let mut call = || {
            let found = detector.first_hits(&self.rays, &self.level, &mut self.own);
            found.expect("there is memory");
        };
        match who {
            Who::Serial => seconds(call),
            _ => self.pool.install(|| seconds(&mut call)),
        }
    }

    /// Number of rays that hit, and number of rays whose time differs from the peer's.
    fn compare(&mut self) -> (usize, usize) {
        let mut different = 0;
        for frame in 0..FRAMES {
            self.frame(Who::Serial, frame);
            self.frame(Who::Tree, frame);
            different += first_hits::different(
                &self.own,
                self.peers.iter().map(|peer| peer.map(|(_, time)| time)),
            );
        }
        (self.own.count(), different)
    }
}

fn cast(
    tree: &Bvh,
    leaves: &[bounding_volume::Aabb],
    rays: &[Ray],
    hits: &mut Vec<Option<(u32, f32)>>,
) {
    hits.clear();
    hits.extend(rays.iter().map(|ray| {
        let cast = |leaf: u32, best| leaves[leaf as usize].cast_local_ray(ray, best, true);
        tree.cast_ray(ray, 1.0, cast)
    }));
}

fn label(name: &str, scene: &str, size: usize) -> Label {
    Label {
        name: name.into(),
        scene: scene.into(),
        about: format!("{RAYS} rays among {size} boxes at rest"),
        shapes: size,
        items: RAYS,
        unit: "ray",
    }
}

fn cast_rays(bench: &mut Bench, name: &str, size: usize, scene: impl Fn() -> Scene) {
    let players = ALL.map(Who::player);
    let label = label("first hits", name, size);
    let whole = LazyCell::new(|| {
        let (mut casters, mut frame) = (Casters::new(scene()), 0);
        RefCell::new(Open::unchecked(move |player| {
            frame += 1;
            casters.frame(ALL[player], frame);
        }))
    });
    if !bench.is_wanted(&label, &players, &whole) {
        return;
    }
    let mut casters = Casters::new(scene());
    for frame in 0..WARM + 2 * size / RAYS {
        casters.frame(Who::Serial, frame);
    }
    let (hits, different) = casters.compare();
    let frame = |player: usize, frame| casters.frame(ALL[player], frame);
    let counts = [UNMEASURED, MEASURED];
    let times = bench.turns().measure_frames(ALL.len(), counts, frame);
    let mut open = Open::unchecked(|_| ());
    open.hits = Some(hits);
    open.different = vec![0, 0, different];
    bench.add(label, &players, &open, &times);
}

/// The first frame: the build of each side, and a cast.
fn new_level(bench: &mut Bench, name: &str, size: usize, scene: impl Fn() -> Scene) {
    let who = [Who::Serial, Who::Tree];
    let players = [
        Who::Serial.player(),
        Player::peer("parry3d", "Bvh::from_leaves, Bvh::cast_ray"),
    ];
    let label = label("first hits", name, size);
    let casters = LazyCell::new(|| RefCell::new(Casters::new(scene())));
    let run = |player: usize| {
        let mut casters = casters.borrow_mut();
        let casters = &mut *casters;
        match who[player] {
            Who::Tree => {
                let leaves = &casters.leaves;
                let build = || casters.tree = Bvh::from_leaves(BvhBuildStrategy::Binned, leaves);
                seconds(build) + casters.frame(Who::Tree, 0)
            }
            _ => {
                casters.level = Aabbs::from_slice(&casters.scene.boxes);
                casters.detectors[0] = Detector::new().parallel(false);
                casters.frame(Who::Serial, 0)
            }
        }
    };
    let whole = LazyCell::new(|| {
        RefCell::new(Open::unchecked(|player| {
            run(player);
        }))
    });
    if !bench.is_wanted(&label, &players, &whole) {
        return;
    }
    let rounds = bench.turns().rounds();
    let times: Vec<_> = rounds.map(|_| array::from_fn(run)).collect();
    let times: [Vec<f64>; 2] = array::from_fn(|k| times.iter().map(|t: &[f64; 2]| t[k]).collect());
    bench.add(label, &players, &Open::unchecked(|_| ()), &times);
}
