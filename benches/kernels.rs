//! Every kernel on every scene: phalanx on each instruction set, against what people use today.
//!
//! ```text
//! cargo bench --bench kernels                     # criterion, then a table of what was run
//! cargo bench --bench kernels -- --quick          # the same, faster
//! cargo bench --bench kernels -- 'obb.*/1M/'      # one kernel on one scene
//! cargo bench --bench kernels -- table            # the table alone
//! ```
//!
//! The time of a call holds all of it: the check of the list, packing, the tests, the answers.
//! Before anything is timed, all instances of phalanx must agree to the last bit, and the peer on
//! all but a tiny share of the pairs.

mod common;

use std::cell::LazyCell;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use parry3d::bounding_volume::{self, BoundingSphere, BoundingVolume};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::details::intersection_test_cuboid_cuboid;
use parry3d::query::{ShapeCastOptions, cast_shapes};
use parry3d::shape::{Ball, Cuboid};
use phalanx::{Aabb, Detector, Error, Obb, Overlaps, Pair, Simd, Sphere, Sweeps};

use common::machine;
use common::scenes::{InScene, PairList, SCENES, Scene, SceneSpec};

/// Peers that answer differently on more than this share of the pairs test something else.
const MAX_DIFFERENT: f64 = 1e-3;
/// Times of contact further apart than this are different answers.
const TIME_TOLERANCE: f32 = 1e-3;

fn main() {
    let has = |name: &str| std::env::args().any(|argument| argument == name);
    // Without `--bench` criterion runs each bench once, to see that it works.
    let is_test = !has("--bench") || has("--test");
    let mut criterion = (!has("table")).then(|| {
        Criterion::default()
            .sample_size(10)
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_millis(700))
            .configure_from_args()
    });

    let mut table = Table::new(has("--quick"));
    for spec in &SCENES {
        // Scenes and contests are made on first use: a filter may leave them out.
        let scene = LazyCell::new(|| spec.build());
        let mut players = players(spec);
        for kernel in kernels() {
            let mut contest = None;
            match &mut criterion {
                Some(criterion) => {
                    bench(criterion, spec, &kernel, &scene, &mut players, &mut contest);
                }
                None => contest = Some(kernel.open(&scene, &mut players)),
            }
            if let Some(contest) = &mut contest
                && !is_test
            {
                table.add(spec, &kernel, contest, &mut players);
            }
        }
    }
    table.print();
    if let Some(criterion) = criterion {
        criterion.final_summary();
    }
}

fn bench<'s>(
    criterion: &mut Criterion,
    spec: &SceneSpec,
    kernel: &Kernel,
    scene: &'s LazyCell<Scene, impl FnOnce() -> Scene>,
    players: &mut [Player],
    contest: &mut Option<Contest<'s>>,
) {
    let mut group = criterion.benchmark_group(format!("{}/{}", kernel.name, spec.name));
    group.throughput(Throughput::Elements(spec.pairs as u64));
    for k in 0..players.len() {
        group.bench_function(format!("phalanx {}", players[k].name), |bencher| {
            let contest = contest.get_or_insert_with(|| kernel.open(scene, players));
            bencher.iter(|| contest.sides.phalanx(&mut players[k].detector));
        });
    }
    group.bench_function(kernel.peer, |bencher| {
        let contest = contest.get_or_insert_with(|| kernel.open(scene, players));
        bencher.iter(|| contest.sides.peer());
    });
    group.finish();
}

/// phalanx with some settings.
struct Player {
    name: String,
    detector: Detector,
}

/// The best instruction set first.
fn players(spec: &SceneSpec) -> Vec<Player> {
    let serial = Simd::available().rev().map(|simd| Player {
        name: simd.to_string(),
        detector: Detector::new().simd(simd).parallel(false),
    });
    // One scene is enough to see what threads bring.
    let parallel = (cfg!(feature = "rayon") && spec.name == "1M").then(|| Player {
        name: THREADED.into(),
        detector: Detector::new().parallel(true),
    });
    serial.chain(parallel).collect()
}

const THREADED: &str = "all threads";

/// A kernel of phalanx, and what it is measured against.
struct Kernel {
    name: &'static str,
    peer: &'static str,
    sides: fn(&Scene) -> Box<dyn Sides + '_>,
}

/// All kernels of the crate, by its own list.
fn kernels() -> Vec<Kernel> {
    macro_rules! list {
        ($($name:ident: $verb:ident($($shape:ident),+);)*) => {
            vec![$(list!(@ $verb, stringify!($name), $($shape),+)),*]
        };
        (@ $verb:ident, $name:expr, $a:ident) => { list!(@ $verb, $name, $a, $a) };
        (@ $verb:ident, $name:expr, $a:ident, $b:ident) => {
            Kernel::$verb::<phalanx::$a, phalanx::$b>($name)
        };
    }
    phalanx::kernels!(list)
}

impl Kernel {
    fn overlap<A, B>(name: &'static str) -> Self
    where
        A: phalanx::Overlap<B> + InScene + Peer<Overlaps, B>,
        B: InScene,
    {
        Kernel {
            name,
            peer: A::NAME,
            sides: |scene| {
                BothSides::<A, B, Overlaps>::boxed(scene, |detector, scene, out| {
                    let (a, b) = (A::store(scene), B::store(scene));
                    detector.overlap(a, b, &scene.pairs, out)
                })
            },
        }
    }

    fn sweep<A, B>(name: &'static str) -> Self
    where
        A: phalanx::Sweep<B> + InScene + Peer<Sweeps, B>,
        B: InScene,
    {
        Kernel {
            name,
            peer: A::NAME,
            sides: |scene| {
                BothSides::<A, B, Sweeps>::boxed(scene, |detector, scene, out| {
                    let (a, b) = (A::store(scene), B::store(scene));
                    detector.sweep(a, b, &scene.pairs, out)
                })
            },
        }
    }

    /// Makes ready, and checks the answers.
    fn open<'s>(&self, scene: &'s Scene, players: &mut [Player]) -> Contest<'s> {
        let mut sides = (self.sides)(scene);
        let (hits, different) = sides.check(players);
        let pairs = scene.pairs.len();
        assert!(
            different as f64 <= MAX_DIFFERENT * pairs as f64,
            "{}: {different} of {pairs} answers differ from those of {}",
            self.name,
            self.peer,
        );
        Contest {
            sides,
            hits,
            different,
        }
    }
}

/// A kernel and its peer on one scene, checked.
struct Contest<'s> {
    sides: Box<dyn Sides + 's>,
    /// How many pairs touch.
    hits: usize,
    /// On how many pairs the peer's answer is another one.
    different: usize,
}

/// The same work in two ways. Outputs are reused.
trait Sides {
    fn phalanx(&mut self, detector: &mut Detector);
    fn peer(&mut self);
    /// How many pairs touch, and on how many the peer's answer is another one. Panics if one of the
    /// players differs from the others in a single bit.
    fn check(&mut self, players: &mut [Player]) -> (usize, usize);
}

type Call<V> = fn(&mut Detector, &Scene, &mut V) -> Result<(), Error>;

struct BothSides<'s, A: Peer<V, B>, B, V> {
    scene: &'s Scene,
    call: Call<V>,
    out: V,
    peer_shapes: A::Shapes,
    peer_out: Vec<A::Answer>,
}

impl<'s, A: Peer<V, B>, B: 'static, V: Answers> BothSides<'s, A, B, V> {
    fn boxed(scene: &'s Scene, call: Call<V>) -> Box<dyn Sides + 's> {
        Box::new(BothSides::<A, B, V> {
            scene,
            call,
            out: V::default(),
            peer_shapes: A::shapes(scene),
            peer_out: Vec::new(),
        })
    }
}

impl<A: Peer<V, B>, B, V: Answers> Sides for BothSides<'_, A, B, V> {
    fn phalanx(&mut self, detector: &mut Detector) {
        (self.call)(detector, self.scene, &mut self.out).expect("scenes name shapes that exist");
        black_box(&self.out);
    }

    fn peer(&mut self) {
        self.peer_out.clear();
        let pairs = self.scene.pairs.iter();
        self.peer_out
            .extend(pairs.map(|&pair| A::test(&self.peer_shapes, pair)));
        black_box(&self.peer_out);
    }

    fn check(&mut self, players: &mut [Player]) -> (usize, usize) {
        let mut first = V::default();
        for (k, player) in players.iter_mut().enumerate() {
            self.phalanx(&mut player.detector);
            if k == 0 {
                std::mem::swap(&mut first, &mut self.out);
            } else {
                let same = first.same_bits(&self.out);
                assert!(same, "{} gives another answer", player.name);
            }
        }
        self.peer();
        let (mut hits, mut different) = (0, 0);
        for (position, answer) in self.peer_out.iter().enumerate() {
            let (time, peer_time) = (first.enter(position), answer.enter());
            hits += usize::from(time.is_finite());
            // The difference of two misses is NaN.
            let same = time == peer_time || (time - peer_time).abs() <= TIME_TOLERANCE;
            different += usize::from(!same);
        }
        (hits, different)
    }
}

/// What phalanx answers, seen alike for both verbs.
trait Answers: Default + 'static {
    /// The first time of contact, zero for an overlap; +∞ for a miss.
    fn enter(&self, position: usize) -> f32;
    fn same_bits(&self, other: &Self) -> bool;
}

impl Answers for Overlaps {
    fn enter(&self, position: usize) -> f32 {
        self.is_hit(position).enter()
    }
    fn same_bits(&self, other: &Self) -> bool {
        self == other
    }
}

impl Answers for Sweeps {
    fn enter(&self, position: usize) -> f32 {
        self.get(position)
            .map_or(f32::INFINITY, |interval| interval.enter)
    }
    fn same_bits(&self, other: &Self) -> bool {
        fn bits(times: &[f32]) -> impl Iterator<Item = u32> {
            times.iter().map(|time| time.to_bits())
        }
        self.words() == other.words()
            && self.iter_invalid().eq(other.iter_invalid())
            && bits(self.enter()).eq(bits(other.enter()))
            && bits(self.exit()).eq(bits(other.exit()))
    }
}

/// What a peer answers.
trait Answer: Copy {
    /// As in [`Answers::enter`].
    fn enter(self) -> f32;
}

impl Answer for bool {
    fn enter(self) -> f32 {
        if self { 0.0 } else { f32::INFINITY }
    }
}

impl Answer for f32 {
    fn enter(self) -> f32 {
        self
    }
}

/// The first and the last time of contact.
impl Answer for [f32; 2] {
    fn enter(self) -> f32 {
        self[0]
    }
}

/// How people test `Self` against `B` today: shapes in an array of structs, and a loop over pairs.
trait Peer<V, B>: 'static {
    const NAME: &'static str;
    type Shapes;
    type Answer: Answer;
    /// Not timed.
    fn shapes(scene: &Scene) -> Self::Shapes;
    /// Inlined everywhere: a call per pair would be an unfair burden.
    fn test(shapes: &Self::Shapes, pair: Pair) -> Self::Answer;
}

/// The shapes of a scene, with their displacements, in the peer's terms.
fn convert<T: InScene, S>(scene: &Scene, convert: impl Fn(T, [f32; 3]) -> S) -> Vec<S> {
    let store = T::store(scene);
    (0..store.len() as u32)
        .filter_map(|i| Some(convert(store.get(i)?, store.displacement(i)?)))
        .collect()
}

#[inline(always)]
fn both<S>(shapes: &[S], pair: Pair) -> (&S, &S) {
    (&shapes[pair.a as usize], &shapes[pair.b as usize])
}

impl Peer<Overlaps, Sphere> for Sphere {
    const NAME: &'static str = "parry3d BoundingSphere::intersects";
    type Shapes = Vec<BoundingSphere>;
    type Answer = bool;

    fn shapes(scene: &Scene) -> Self::Shapes {
        convert(scene, |sphere: Sphere, _| {
            BoundingSphere::new(sphere.center.into(), sphere.radius)
        })
    }

    #[inline(always)]
    fn test(shapes: &Self::Shapes, pair: Pair) -> bool {
        let (a, b) = both(shapes, pair);
        a.intersects(b)
    }
}

struct MovingBall {
    pose: Pose,
    velocity: Vector,
    ball: Ball,
}

impl Peer<Sweeps, Sphere> for Sphere {
    const NAME: &'static str = "parry3d cast_shapes";
    type Shapes = Vec<MovingBall>;
    type Answer = f32;

    fn shapes(scene: &Scene) -> Self::Shapes {
        convert(scene, |sphere: Sphere, displacement| MovingBall {
            pose: Pose::from_translation(sphere.center.into()),
            velocity: displacement.into(),
            ball: Ball::new(sphere.radius),
        })
    }

    #[inline(always)]
    fn test(shapes: &Self::Shapes, pair: Pair) -> f32 {
        let (a, b) = both(shapes, pair);
        let frame = ShapeCastOptions::with_max_time_of_impact(1.0);
        let hit = cast_shapes(
            &a.pose, a.velocity, &a.ball, &b.pose, b.velocity, &b.ball, frame,
        );
        match hit {
            Ok(Some(hit)) => hit.time_of_impact,
            _ => f32::INFINITY,
        }
    }
}

impl Peer<Overlaps, Aabb> for Aabb {
    const NAME: &'static str = "parry3d Aabb::intersects";
    type Shapes = Vec<bounding_volume::Aabb>;
    type Answer = bool;

    fn shapes(scene: &Scene) -> Self::Shapes {
        convert(scene, |aabb: Aabb, _| {
            bounding_volume::Aabb::new(aabb.min.into(), aabb.max.into())
        })
    }

    #[inline(always)]
    fn test(shapes: &Self::Shapes, pair: Pair) -> bool {
        let (a, b) = both(shapes, pair);
        a.intersects(b)
    }
}

struct MovingBox {
    aabb: Aabb,
    displacement: [f32; 3],
}

impl Peer<Sweeps, Aabb> for Aabb {
    const NAME: &'static str = "slab test by hand";
    type Shapes = Vec<MovingBox>;
    type Answer = [f32; 2];

    fn shapes(scene: &Scene) -> Self::Shapes {
        convert(scene, |aabb, displacement| MovingBox { aabb, displacement })
    }

    /// Without a branch, as no library offers it for two moving boxes.
    #[inline(always)]
    fn test(shapes: &Self::Shapes, pair: Pair) -> [f32; 2] {
        let (a, b) = both(shapes, pair);
        let (mut enter, mut exit) = (0.0f32, 1.0f32);
        for k in 0..3 {
            let inverse = 1.0 / (b.displacement[k] - a.displacement[k]);
            let t0 = (a.aabb.min[k] - b.aabb.max[k]) * inverse;
            let t1 = (a.aabb.max[k] - b.aabb.min[k]) * inverse;
            enter = enter.max(t0.min(t1));
            exit = exit.min(t0.max(t1));
        }
        if enter <= exit {
            [enter, exit]
        } else {
            [f32::INFINITY; 2]
        }
    }
}

struct PosedCuboid {
    pose: Pose,
    cuboid: Cuboid,
}

impl Peer<Overlaps, Obb> for Obb {
    const NAME: &'static str = "parry3d intersection_test_cuboid_cuboid";
    type Shapes = Vec<PosedCuboid>;
    type Answer = bool;

    fn shapes(scene: &Scene) -> Self::Shapes {
        convert(scene, |obb: Obb, _| {
            let [x, y, z, w] = obb.rotation;
            PosedCuboid {
                pose: Pose::from_parts(obb.center.into(), Rotation::from_xyzw(x, y, z, w)),
                cuboid: Cuboid::new(obb.half_extents.into()),
            }
        })
    }

    #[inline(always)]
    fn test(shapes: &Self::Shapes, pair: Pair) -> bool {
        let (a, b) = both(shapes, pair);
        intersection_test_cuboid_cuboid(&a.pose.inv_mul(&b.pose), &a.cuboid, &b.cuboid)
    }
}

/// What contests took, as Markdown.
struct Table {
    rows: Vec<Row>,
    /// How long the rounds of a contest go on, if there are enough of them.
    budget: Duration,
    min_rounds: usize,
}

struct Row {
    kernel: &'static str,
    scene: &'static str,
    peer: &'static str,
    /// Shares of the pairs.
    hits: f64,
    different: usize,
    peer_ns: f64,
    players: Vec<Figure>,
}

struct Figure {
    player: String,
    /// Per pair.
    ns: f64,
    /// How many times as fast as the peer.
    ratio: f64,
}

impl Table {
    /// How long a side's turn is at least, if not a single call.
    const TURN: Duration = Duration::from_millis(4);
    const MAX_ROUNDS: usize = 99;

    fn new(quick: bool) -> Self {
        let (milliseconds, min_rounds) = if quick { (100, 2) } else { (600, 5) };
        Table {
            rows: Vec::new(),
            budget: Duration::from_millis(milliseconds),
            min_rounds,
        }
    }

    /// Measures in rounds, each side in turn: on a machine with other work only ratios within a
    /// round mean something.
    fn add(
        &mut self,
        spec: &SceneSpec,
        kernel: &Kernel,
        contest: &mut Contest<'_>,
        players: &mut [Player],
    ) {
        let sides = &mut *contest.sides;
        let mut peer_times = Vec::new();
        let mut times = vec![Vec::new(); players.len()];
        let start = Instant::now();
        while peer_times.len() < self.min_rounds
            || start.elapsed() < self.budget && peer_times.len() < Self::MAX_ROUNDS
        {
            peer_times.push(Self::turn(|| sides.peer()));
            for (times, player) in times.iter_mut().zip(&mut *players) {
                times.push(Self::turn(|| sides.phalanx(&mut player.detector)));
            }
        }

        let ns = |times: &[f64]| median(times.to_vec()) * 1e9 / spec.pairs as f64;
        let figures = players.iter().zip(&times).map(|(player, times)| Figure {
            player: player.name.clone(),
            ns: ns(times),
            ratio: median(peer_times.iter().zip(times).map(|(p, t)| p / t).collect()),
        });
        self.rows.push(Row {
            kernel: kernel.name,
            scene: spec.name,
            peer: kernel.peer,
            hits: contest.hits as f64 / spec.pairs as f64,
            different: contest.different,
            peer_ns: ns(&peer_times),
            players: figures.collect(),
        });
    }

    /// The seconds of a call.
    fn turn(mut call: impl FnMut()) -> f64 {
        let mut timed = |calls: u32| {
            let start = Instant::now();
            (0..calls).for_each(|_| call());
            start.elapsed() / calls
        };
        // The first call finds the caches full of the other side's data. Long calls outlive that.
        let first = timed(1);
        if first >= Self::TURN {
            return first.as_secs_f64();
        }
        let calls = Self::TURN.div_duration_f64(first).ceil() as u32;
        timed(calls).as_secs_f64()
    }

    fn print(&self) {
        if self.rows.is_empty() {
            return;
        }
        println!("\n{}", machine::describe());
        for spec in &SCENES {
            let kind = match spec.list {
                PairList::Neighbours => "pairs of neighbours",
                PairList::Random => "random pairs",
            };
            println!(
                "- {}: {} {kind} of {} shapes",
                spec.name, spec.pairs, spec.shapes
            );
        }
        println!(
            "\nns per pair, and how many times as fast as the peer: medians of rounds in which each \
             side takes a turn.\n\"Differ\" counts the pairs on which the peer's answer is another \
             one.\n"
        );

        let mut columns: Vec<_> = Simd::available()
            .rev()
            .map(|simd| simd.to_string())
            .collect();
        columns.push(THREADED.into());
        println!(
            "| kernel | scene | hits | {} | peer | | differ |\n|---|---|---|{}---|---|---|",
            columns.join(" | "),
            "---|".repeat(columns.len()),
        );
        for row in &self.rows {
            let cells: Vec<_> = columns.iter().map(|name| row.cell(name)).collect();
            println!(
                "| {} | {} | {:.1} % | {} | {:.2} | {} | {} |",
                row.kernel,
                row.scene,
                row.hits * 100.0,
                cells.join(" | "),
                row.peer_ns,
                row.peer,
                row.different,
            );
        }
    }
}

impl Row {
    fn cell(&self, player: &str) -> String {
        match self.players.iter().find(|figure| figure.player == player) {
            Some(figure) => format!("{:.2} ({:.1} ×)", figure.ns, figure.ratio),
            None => String::new(),
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        (values[middle - 1] + values[middle]) / 2.0
    }
}
