//! Broad phase: `Detector::candidates` compared with parry3d's `Bvh`, as its users call it, on the same bounds.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench candidates             # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench candidates -- table    # rounds of turns alone, and a file for the
//! report
//! ```
//!
//! - **Free motion**: in each frame every box has moved by half a box.
//! - **Motion of a game**: boxes drift by up to a hundredth of their size in a frame; a turn is 60 frames.
//! - **Worlds**: a level, a sparse level, a road and a line, because most games are flat or long, and a cube.
//! - **Few boxes**, few enough for a double loop.
//! - **Whole frame**: poses written, candidates found, OBBs tested.
//!
//! Building the frames is not measured. Lists must be equal.

use std::cell::{LazyCell, RefCell};
use std::collections::BTreeSet;

use parry3d::bounding_volume;
use parry3d::partitioning::{Bvh, BvhWorkspace};
use parry3d::query::details::intersection_test_cuboid_cuboid;
use parry3d::shape::Cuboid;
use phalanx::{Aabbs, Detector, During, Obb, Obbs, Overlaps, Pair};
use phalanx_bench::bench::{Bench, Label, Open, Player};
use phalanx_bench::convert::{Posed, parry_aabb, unit_rotation};
use phalanx_bench::record::FileError;
use phalanx_bench::scenes::SEED;
use phalanx_bench::turns::seconds;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rayon::{ThreadPool, ThreadPoolBuilder};

const SIZES: [usize; 3] = [20_000, 100_000, 1_000_000];
/// Few enough boxes to compare all pairs.
const FEW: [usize; 2] = [8, 64];
const QUICK_SIZES: [usize; 2] = [2_000, 20_000];
/// Frames of a turn in the motion of a game, after which the boxes reverse.
const FRAMES: usize = 60;

/// Other worlds than cubes, with boxes of about unit size.
const WORLDS: [(&str, [f32; 3]); 5] = [
    ("level 65 x 4 x 65", [65.0, 4.0, 65.0]),
    ("level 93 x 2 x 93", [93.0, 2.0, 93.0]),
    ("sparse level 400 x 10 x 400", [400.0, 10.0, 400.0]),
    ("road 2000 x 2 x 10", [2000.0, 2.0, 10.0]),
    ("line 20000", [20_000.0, 0.0, 0.0]),
];
const WORLD_SIZE: usize = 20_000;

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("candidates");
    let sizes: &[usize] = if bench.is_quick() {
        &QUICK_SIZES
    } else {
        &SIZES
    };
    for size in FEW {
        in_cube(&mut bench, size, Motion::Free, &[Who::Serial, Who::Loop]);
    }
    for &size in sizes {
        for motion in [Motion::Free, Motion::Game] {
            let who = [Who::Serial, Who::Threads, Who::Tree];
            in_cube(&mut bench, size, motion, &who);
        }
    }
    for (name, sides) in WORLDS {
        let label = label("candidates", name.to_owned(), WORLD_SIZE, "box");
        let who = [Who::Serial, Who::Threads, Who::Tree];
        let world = || World::within(WORLD_SIZE, Motion::Free, sides);
        candidates(&mut bench, label, Motion::Free, &who, world);
    }
    for motion in [Motion::Free, Motion::Game] {
        whole_frame(&mut bench, sizes[0], motion);
    }
    bench.finish()
}

#[derive(Clone, Copy)]
enum Motion {
    Free,
    Game,
}

impl Motion {
    fn name(self) -> &'static str {
        match self {
            Motion::Free => "free motion",
            Motion::Game => "motion of a game",
        }
    }

    /// Number of frames of a turn.
    fn frames(self) -> usize {
        match self {
            Motion::Free => 2,
            Motion::Game => FRAMES,
        }
    }
}

/// Boxes of about unit size that move.
struct World {
    motion: Motion,
    boxes: Vec<Obb>,
    velocities: Vec<[f32; 3]>,
}

impl World {
    /// A cube with this length per box along an edge.
    fn new(size: usize, motion: Motion, spacing: f32) -> Self {
        World::within(size, motion, [spacing * (size as f32).cbrt(); 3])
    }

    /// A box with these sides.
    fn within(size: usize, motion: Motion, sides: [f32; 3]) -> Self {
        let mut rng = StdRng::seed_from_u64(SEED);
        let speed = match motion {
            Motion::Free => 0.5,
            Motion::Game => 0.01,
        };
        let mut boxes = Vec::with_capacity(size);
        let mut velocities = Vec::with_capacity(size);
        for _ in 0..size {
            let rotation = [(); 4].map(|()| rng.random_range(-1.0..1.0f32));
            let length = rotation.iter().map(|x| x * x).sum::<f32>().sqrt();
            boxes.push(Obb {
                center: sides.map(|side| rng.random_range(0.0..=side)),
                half_extents: [(); 3].map(|()| rng.random_range(0.2..0.5)),
                rotation: rotation.map(|x| x / length.max(1e-3)),
            });
            velocities.push([(); 3].map(|()| rng.random_range(-speed..speed)));
        }
        World {
            motion,
            boxes,
            velocities,
        }
    }

    /// The centers in a frame.
    fn centers(&self, frame: usize) -> impl Iterator<Item = [f32; 3]> {
        let time = match self.motion {
            // Back and forth.
            Motion::Game => {
                let at = frame % (2 * FRAMES);
                at.min(2 * FRAMES - at) as f32
            }
            Motion::Free => [0.0, 1.0, -1.0, 2.0][frame % 4],
        };
        let boxes = self.boxes.iter().zip(&self.velocities);
        boxes.map(move |(obb, v)| std::array::from_fn(|k| obb.center[k] + time * v[k]))
    }
}

/// State that users of parry3d keep from frame to frame.
#[derive(Default)]
struct Tree {
    tree: Bvh,
    workspace: BvhWorkspace,
}

impl Tree {
    fn pairs(&mut self, boxes: &[bounding_volume::Aabb], pairs: &mut Vec<Pair>) {
        for (i, aabb) in boxes.iter().enumerate() {
            self.tree.insert_or_update_partially(*aabb, i as u32, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        pairs.clear();
        self.tree
            .traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
                pairs.push(Pair::new(a.min(b), a.max(b)));
            });
    }
}

fn label(work: &str, scene: String, size: usize, unit: &'static str) -> Label {
    Label {
        name: work.into(),
        scene,
        about: format!("{size} boxes of about unit size"),
        shapes: size,
        items: if unit == "box" { size } else { 1 },
        unit,
    }
}

/// Both sides of a contest.
trait Contest {
    /// Runs a frame as one of the players. Returns the seconds it took, without building the frame.
    fn frame(&mut self, player: usize, frame: usize) -> f64;
    /// Number of pairs, number of touching pairs, and number of pairs in which the players differ.
    fn compare(&self) -> (usize, Option<usize>, usize);
}

fn hold<C: Contest>(
    bench: &mut Bench,
    label: Label,
    players: &[Player],
    motion: Motion,
    new: impl Fn() -> C,
) {
    // Criterion also measures the building of frames: read the table instead.
    let whole = LazyCell::new(|| {
        let (mut contest, mut frame) = (new(), 0);
        RefCell::new(Open::unchecked(move |player| {
            frame += 1;
            contest.frame(player, frame);
        }))
    });
    if !bench.is_wanted(&label, players, &whole) {
        return;
    }
    let (mut contest, frames) = (new(), motion.frames());
    let mut times = vec![Vec::new(); players.len()];
    for round in bench.turns().rounds() {
        for (player, times) in times.iter_mut().enumerate() {
            let first = round * (frames + 1);
            // The first call finds the other side's data in the caches, and its own state outdated.
            contest.frame(player, first);
            let seconds = (first + 1..=first + frames).map(|frame| contest.frame(player, frame));
            times.push(seconds.sum::<f64>() / frames as f64);
        }
    }
    let (pairs, hits, different) = contest.compare();
    let mut open = Open::unchecked(|_| ());
    open.pairs = Some(pairs);
    open.hits = hits;
    open.different = vec![0; players.len() - 1];
    open.different.push(different);
    bench.add(label, players, &open, &times);
}

/// Method that finds candidates.
#[derive(Clone, Copy)]
enum Who {
    Serial,
    Threads,
    Tree,
    Loop,
}

impl Who {
    fn player(self) -> Player {
        match self {
            Who::Serial => Player::phalanx("phalanx"),
            Who::Threads => Player::phalanx("phalanx, 2 threads"),
            Who::Tree => Player::peer("parry3d", "Bvh::traverse_bvtt_single_tree"),
            Who::Loop => Player::peer("by hand", "a double loop"),
        }
    }
}

/// AABBs.
struct Candidates {
    who: Vec<Who>,
    world: World,
    store: Aabbs,
    bounds: Aabbs,
    boxes: Vec<bounding_volume::Aabb>,
    detectors: Vec<Detector>,
    pool: ThreadPool,
    tree: Tree,
    /// Results of each player.
    pairs: Vec<Vec<Pair>>,
}

impl Contest for Candidates {
    fn frame(&mut self, player: usize, frame: usize) -> f64 {
        let Candidates {
            who,
            world,
            store,
            bounds,
            boxes,
            detectors,
            pool,
            tree,
            pairs,
        } = self;
        let (who, pairs, detector) = (who[player], &mut pairs[player], &mut detectors[player]);
        store.resize(world.boxes.len());
        let columns = store.columns_mut();
        for (i, (center, obb)) in world.centers(frame).zip(&world.boxes).enumerate() {
            for (k, x) in center.into_iter().enumerate() {
                columns.min[k][i] = x - obb.half_extents[k];
                columns.max[k][i] = x + obb.half_extents[k];
            }
        }
        let mut find = || {
            let found = detector.candidates(&*store, &*store, During::Start, pairs);
            found.expect("there is memory for the list");
        };
        match who {
            Who::Serial => return seconds(find),
            Who::Threads => return pool.install(|| seconds(&mut find)),
            Who::Tree | Who::Loop => {}
        }
        store.bounds(During::Start, bounds);
        let all = (0..world.boxes.len() as u32).filter_map(|i| bounds.get(i));
        boxes.clear();
        boxes.extend(all.map(|aabb| parry_aabb(&aabb)));
        match who {
            Who::Loop => seconds(|| double_loop(boxes, pairs)),
            _ => seconds(|| tree.pairs(boxes, pairs)),
        }
    }

    fn compare(&self) -> (usize, Option<usize>, usize) {
        let [own, others @ ..] = self.pairs.as_slice() else {
            return (0, None, 0);
        };
        for other in others {
            let mut other = other.clone();
            other.sort_unstable();
            assert!(*own == other, "{} pairs, not {}", other.len(), own.len());
        }
        (own.len(), None, 0)
    }
}

/// Compares all pairs of boxes, by the six comparisons.
fn double_loop(boxes: &[bounding_volume::Aabb], pairs: &mut Vec<Pair>) {
    pairs.clear();
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            if (0..3).all(|k| a.mins[k] <= b.maxs[k] && b.mins[k] <= a.maxs[k]) {
                pairs.push(Pair::new(i as u32, j as u32));
            }
        }
    }
}

fn in_cube(bench: &mut Bench, size: usize, motion: Motion, who: &[Who]) {
    let scene = format!("{size}, {}", motion.name());
    let label = label("candidates", scene, size, "box");
    // 1.6 pairs a box.
    candidates(bench, label, motion, who, || World::new(size, motion, 0.95));
}

fn candidates(
    bench: &mut Bench,
    label: Label,
    motion: Motion,
    who: &[Who],
    world: impl Fn() -> World,
) {
    let players: Vec<Player> = who.iter().map(|who| who.player()).collect();
    hold(bench, label, &players, motion, || Candidates {
        who: who.to_vec(),
        world: world(),
        store: Aabbs::new(),
        bounds: Aabbs::new(),
        boxes: Vec::new(),
        detectors: who
            .iter()
            .map(|who| Detector::new().parallel(matches!(who, Who::Threads)))
            .collect(),
        pool: ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .expect("threads can be started"),
        tree: Tree::default(),
        pairs: vec![Vec::new(); who.len()],
    });
}

/// OBBs, from poses to the pairs that touch.
struct WholeFrame {
    world: World,
    centers: Vec<[f32; 3]>,
    store: Obbs,
    detector: Detector,
    overlaps: Overlaps,
    posed: Vec<Posed<Cuboid>>,
    boxes: Vec<bounding_volume::Aabb>,
    tree: Tree,
    pairs: [Vec<Pair>; 2],
    touching: [Vec<Pair>; 2],
}

impl Contest for WholeFrame {
    fn frame(&mut self, player: usize, frame: usize) -> f64 {
        let WholeFrame {
            world,
            centers,
            store,
            detector,
            overlaps,
            posed,
            boxes,
            tree,
            pairs: [own, peers],
            touching,
        } = self;
        centers.clear();
        centers.extend(world.centers(frame));
        let shapes = world.boxes.iter().zip(&*centers);
        if player == 0 {
            return seconds(|| {
                let mut columns = store.columns_mut();
                for (i, (obb, center)) in shapes.enumerate() {
                    for (column, x) in columns.center.iter_mut().zip(center) {
                        column[i] = *x;
                    }
                    for (column, x) in columns.rotation.iter_mut().zip(&obb.rotation) {
                        column[i] = *x;
                    }
                }
                let found = detector.candidates(&*store, &*store, During::Start, own);
                let tested =
                    found.and_then(|_| detector.overlap(&*store, &*store, &*own, overlaps));
                tested.expect("the pairs are of these boxes");
                touching[0].clear();
                touching[0].extend(overlaps.iter().map(|position| own[position]));
            });
        }
        seconds(|| {
            boxes.clear();
            for (posed, (obb, center)) in posed.iter_mut().zip(shapes) {
                posed.pose.translation = (*center).into();
                posed.pose.rotation = unit_rotation(obb.rotation);
                boxes.push(posed.shape.aabb(&posed.pose));
            }
            tree.pairs(boxes, peers);
            let touch = |pair: &&Pair| {
                let (a, b) = (&posed[pair.a as usize], &posed[pair.b as usize]);
                intersection_test_cuboid_cuboid(&a.pose.inv_mul(&b.pose), &a.shape, &b.shape)
            };
            touching[1].clear();
            touching[1].extend(peers.iter().filter(touch));
        })
    }

    fn compare(&self) -> (usize, Option<usize>, usize) {
        let [own, peers] = self.touching.each_ref().map(BTreeSet::from_iter);
        let different = own.symmetric_difference(&peers).count();
        assert!(
            different * 10_000 <= own.len() + 30_000,
            "parry3d differs on {different} of {}",
            own.len()
        );
        (self.pairs[0].len(), Some(own.len()), different)
    }
}

fn whole_frame(bench: &mut Bench, size: usize, motion: Motion) {
    let players = [
        Player::phalanx("phalanx"),
        Player::peer("parry3d", "Bvh, intersection_test_cuboid_cuboid"),
    ];
    let scene = format!("{size}, {}", motion.name());
    let label = label("whole frame", scene, size, "frame");
    hold(bench, label, &players, motion, || {
        // 3 pairs of bounds a box.
        let world = World::new(size, motion, 1.15);
        WholeFrame {
            centers: Vec::new(),
            store: Obbs::from_slice(&world.boxes),
            detector: Detector::new().parallel(false),
            overlaps: Overlaps::new(),
            posed: world.boxes.iter().map(|&obb| obb.into()).collect(),
            boxes: Vec::new(),
            tree: Tree::default(),
            pairs: Default::default(),
            touching: Default::default(),
            world,
        }
    });
}
