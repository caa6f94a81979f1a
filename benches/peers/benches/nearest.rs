//! The nearest box, triangle or point to each point: `Detector::nearest` compared with parry3d's `Bvh::project_point`,
//! and among points with the k-d tree of kiddo, `ImmutableKdTree`.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench nearest             # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench nearest -- table    # rounds of turns alone, and a file for the report
//! ```
//!
//! Static shapes with half extents of 0.5 to 2 m, uniform in a cube of 1000 m (or as dense, for other numbers), and
//! 10,000 random points in it, new points in each frame. Each turn begins with frames that are not measured, so the
//! measured level is unchanged for a while.
//!
//! Results are checked: the distance of a peer has to be between both bounds, up to its own rounding.

use std::cell::{LazyCell, RefCell};

use kiddo::{ImmutableKdTree, SquaredEuclidean};
use parry3d::bounding_volume;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use parry3d::query::PointQuery;
use parry3d::shape::{self, Cuboid};
use phalanx::traits::{Bounded, Distance, Shape};
use phalanx::{Detector, Nearest, Obb, Point, Points, Store, Triangle};
use phalanx_bench::bench::{Bench, Label, Open, Player};
use phalanx_bench::convert::{Posed, parry_aabb};
use phalanx_bench::record::FileError;
use phalanx_bench::scenes::SEED;
use phalanx_bench::turns::seconds;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

const SIZES: [usize; 2] = [100_000, 1_000_000];
const QUICK_SIZES: [usize; 1] = [2_000];
const POINTS: usize = 10_000;
/// Number of frames, each with new points.
const FRAMES: usize = 4;
/// Unmeasured frames of a turn, until caches are warm.
const UNMEASURED: usize = 4;
const MEASURED: usize = 8;
/// Number of frames until the tree of a static level is cached. A better tree follows after twice as many points as shapes.
const WARM: usize = 4;
/// Search radius of both sides.
const RADIUS: f32 = 100.0;
/// Largest distance outside of the bounds that counts as equal.
const TOLERANCE: f32 = 2e-3;

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("nearest");
    let sizes: &[usize] = if bench.is_quick() {
        &QUICK_SIZES
    } else {
        &SIZES
    };
    for &size in sizes {
        among_shapes::<Obb, Cuboid>(&mut bench, "boxes", size, |rng, center| Obb {
            center,
            half_extents: [(); 3].map(|()| rng.random_range(0.5..2.0)),
            rotation: rotation(rng),
        });
        among_shapes::<Triangle, shape::Triangle>(&mut bench, "triangles", size, |rng, center| {
            let mut corner = || center.map(|x| x + rng.random_range(-2.0..2.0f32));
            Triangle {
                corners: [corner(), corner(), corner()],
            }
        });
        let kiddo = Player::peer("kiddo", "ImmutableKdTree::query, nearest_one");
        nearest(&mut bench, "points", size, kiddo, || {
            PointSeekers::new(size)
        });
    }
    bench.finish()
}

/// A unit quaternion.
fn rotation(rng: &mut StdRng) -> [f32; 4] {
    loop {
        let q = [(); 4].map(|()| rng.random_range(-1.0..1.0f32));
        let length = q.iter().map(|x| x * x).sum::<f32>().sqrt();
        if (0.1..1.0).contains(&length) {
            return q.map(|x| x / length);
        }
    }
}

/// A level, and the nearest-shape searches of both sides.
struct Seekers<B: Shape, Q> {
    /// Points of each frame.
    points: Vec<Vec<[f32; 3]>>,
    level: Store<B>,
    own_points: Points,
    detector: Detector,
    nearest: Nearest,
    leaves: Vec<Posed<Q>>,
    tree: Bvh,
    /// Distances of the last frame.
    peers: Vec<f32>,
}

const OWN: usize = 0;

/// The searches of both sides.
trait Search {
    /// Seconds of a frame, without building the points.
    fn frame(&mut self, player: usize, frame: usize) -> f64;
    /// Number of points with a shape within the radius, and number of points whose answer differs from the peer's.
    fn compare(&mut self) -> (usize, usize);
}

impl<B, Q> Seekers<B, Q>
where
    B: Bounded,
    Point: Distance<B>,
    Q: PointQuery,
    Posed<Q>: From<B>,
{
    fn new(size: usize, shape: fn(&mut StdRng, [f32; 3]) -> B) -> Self {
        let side = 1000.0 * (size as f32 / 1e6).cbrt();
        let mut rng = StdRng::seed_from_u64(SEED);
        let level: Store<B> = (0..size)
            .map(|_| {
                let center = [(); 3].map(|()| rng.random_range(0.0..side));
                shape(&mut rng, center)
            })
            .collect();
        let mut point = || [(); 3].map(|()| rng.random_range(0.0..side));
        let points = (0..FRAMES).map(|_| (0..POINTS).map(|_| point()).collect());
        let points = points.collect();
        let shapes = (0..size as u32).filter_map(|i| level.get(i));
        let mut bounds = phalanx::Aabbs::new();
        level.bounds(phalanx::During::Start, &mut bounds);
        let boxes: Vec<bounding_volume::Aabb> = (0..size as u32)
            .filter_map(|i| Some(parry_aabb(&bounds.get(i)?)))
            .collect();
        Seekers {
            points,
            leaves: shapes.map(Posed::from).collect(),
            level,
            own_points: Points::new(),
            detector: Detector::new().parallel(false),
            nearest: Nearest::new(),
            tree: Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes),
            peers: Vec::new(),
        }
    }
}

impl<B, Q> Search for Seekers<B, Q>
where
    B: Bounded,
    Point: Distance<B>,
    Q: PointQuery,
    Posed<Q>: From<B>,
{
    fn frame(&mut self, player: usize, frame: usize) -> f64 {
        let points = &self.points[frame % FRAMES];
        if player != OWN {
            let (tree, leaves, peers) = (&self.tree, &self.leaves, &mut self.peers);
            return seconds(|| project(tree, leaves, points, peers));
        }
        self.own_points.clear();
        let positions = points.iter().map(|position| Point {
            position: *position,
        });
        self.own_points.extend(positions);
        let (detector, nearest) = (&mut self.detector, &mut self.nearest);
        seconds(|| {
            let found = detector.nearest(&self.own_points, &self.level, RADIUS, nearest);
            found.expect("there is memory");
        })
    }

    fn compare(&mut self) -> (usize, usize) {
        let mut different = 0;
        for frame in 0..FRAMES {
            self.frame(OWN, frame);
            self.frame(1, frame);
            let is_other = |(clearance, peer): &(phalanx::Clearance, &f32)| {
                let upper = clearance.upper.min(RADIUS);
                **peer < clearance.lower - TOLERANCE || **peer > upper + TOLERANCE
            };
            let both = self.nearest.iter().zip(&self.peers);
            different += both.filter(is_other).count();
        }
        (self.nearest.count(), different)
    }
}

fn project<Q: PointQuery>(
    tree: &Bvh,
    leaves: &[Posed<Q>],
    points: &[[f32; 3]],
    distances: &mut Vec<f32>,
) {
    distances.clear();
    distances.extend(points.iter().map(|point| {
        let point = Vector::from(*point);
        let found = tree.project_point(point, RADIUS, |leaf, _| {
            let Posed { pose, shape } = &leaves[leaf as usize];
            Some(shape.project_point(pose, point, true))
        });
        found.map_or(RADIUS, |(_, (distance, _))| distance)
    }));
}

fn nearest<S: Search + 'static>(
    bench: &mut Bench,
    name: &str,
    size: usize,
    peer: Player,
    new: impl Fn() -> S,
) {
    let players = [Player::phalanx("phalanx"), peer];
    let label = Label {
        name: "nearest".into(),
        scene: format!("{size} {name}"),
        about: format!("{POINTS} points among {size} {name} at rest"),
        shapes: size,
        items: POINTS,
        unit: "point",
    };
    let whole = LazyCell::new(|| {
        let (mut seekers, mut frame) = (new(), 0);
        RefCell::new(Open::unchecked(move |player| {
            frame += 1;
            seekers.frame(player, frame);
        }))
    });
    if !bench.is_wanted(&label, &players, &whole) {
        return;
    }
    let mut seekers = new();
    for frame in 0..WARM + 2 * size / POINTS {
        seekers.frame(OWN, frame);
    }
    let (hits, different) = seekers.compare();
    let frame = |player: usize, frame| seekers.frame(player, frame);
    let counts = [UNMEASURED, MEASURED];
    let times = bench.turns().measure_frames(players.len(), counts, frame);
    let mut open = Open::unchecked(|_| ());
    open.hits = Some(hits);
    open.different = vec![0, different];
    bench.add(label, &players, &open, &times);
}

fn among_shapes<B, Q>(
    bench: &mut Bench,
    name: &str,
    size: usize,
    shape: fn(&mut StdRng, [f32; 3]) -> B,
) where
    B: Bounded,
    Point: Distance<B>,
    Q: PointQuery,
    Posed<Q>: From<B>,
    Seekers<B, Q>: 'static,
{
    let peer = Player::peer("parry3d", "Bvh::project_point");
    nearest(bench, name, size, peer, || {
        Seekers::<B, Q>::new(size, shape)
    });
}

/// A cloud of points, and the searches of both sides.
struct PointSeekers {
    /// Points of each frame, with a store of the same points.
    frames: Vec<(Vec<[f32; 3]>, Points)>,
    cloud: Points,
    detector: Detector,
    nearest: Nearest,
    tree: ImmutableKdTree<f32, 3>,
    /// Indices and distances of the last frame.
    peers: Vec<(u32, f32)>,
}

impl PointSeekers {
    fn new(size: usize) -> Self {
        let side = 1000.0 * (size as f32 / 1e6).cbrt();
        let mut rng = StdRng::seed_from_u64(SEED);
        let mut points = |len| -> Vec<[f32; 3]> {
            let point = |_| [(); 3].map(|()| rng.random_range(0.0..side));
            (0..len).map(point).collect()
        };
        let store = |points: &[[f32; 3]]| points.iter().map(|p| Point::new(*p)).collect();
        let cloud = points(size);
        let frame = |_| {
            let points = points(POINTS);
            let own = store(&points);
            (points, own)
        };
        PointSeekers {
            frames: (0..FRAMES).map(frame).collect(),
            cloud: store(&cloud),
            detector: Detector::new().parallel(false),
            nearest: Nearest::new(),
            tree: ImmutableKdTree::new_from_slice(&cloud).expect("a cloud of finite points"),
            peers: Vec::new(),
        }
    }
}

impl Search for PointSeekers {
    fn frame(&mut self, player: usize, frame: usize) -> f64 {
        let (points, own) = &mut self.frames[frame % FRAMES];
        if player != OWN {
            let (tree, peers) = (&self.tree, &mut self.peers);
            return seconds(|| {
                peers.clear();
                peers.extend(points.iter().map(|point| {
                    let nearest = tree.query(point).nearest_one::<SquaredEuclidean<f32>>();
                    let found = nearest.execute();
                    (found.item, found.distance.sqrt())
                }));
            });
        }
        // The points are new, which drops their cache.
        own.columns_mut();
        let (detector, nearest, cloud) = (&mut self.detector, &mut self.nearest, &self.cloud);
        seconds(|| {
            let found = detector.nearest(own, cloud, RADIUS, nearest);
            found.expect("there is memory");
        })
    }

    fn compare(&mut self) -> (usize, usize) {
        let mut different = 0;
        for frame in 0..FRAMES {
            self.frame(OWN, frame);
            self.frame(1, frame);
            for (own, (index, distance)) in self.nearest.iter().zip(&self.peers) {
                let is_within =
                    own.lower - TOLERANCE <= *distance && *distance <= own.upper + TOLERANCE;
                different += usize::from(!is_within || own.b != Some(*index));
            }
        }
        (self.nearest.count(), different)
    }
}
