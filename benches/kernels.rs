//! Every kernel: phalanx on each instruction set, against what people use today.
//!
//! ```text
//! cargo bench --bench kernels                     # criterion, then a table of what was run
//! cargo bench --bench kernels -- --quick          # the same, faster
//! cargo bench --bench kernels -- 'obb_obb.*/1M/'  # one kernel on one scene
//! cargo bench --bench kernels -- table            # the table alone
//! ```
//!
//! All kernels run on the first scene, 16k, where the arithmetic shows; those of [`MAIN`] run on the
//! others too, which tell what memory and threads add. Kernels come from the index of the crate. One
//! that has a peer in [`PEERS`] is measured against it, any other alone.
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
use parry3d::query::details::{
    intersection_test_cuboid_cuboid, intersection_test_halfspace_support_map,
};
use parry3d::query::{PointQuery, ShapeCastOptions, cast_shapes};
use parry3d::shape::{self, Ball, Cuboid};
use phalanx::{Aabb, Detector, Error, HalfSpace, Obb, Overlaps, Pair, Simd, Sphere, Sweeps};

use common::machine;
use common::scenes::{InScene, PairList, SCENES, Scene, SceneSpec};

/// The kernels that run on every scene; the others run on the first alone.
const MAIN: [&str; 5] = [
    "sphere_sphere_overlap",
    "sphere_sphere_sweep",
    "aabb_aabb_overlap",
    "aabb_aabb_sweep",
    "obb_obb_overlap",
];
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
        for kernel in kernels().iter().filter(|kernel| kernel.runs_on(spec)) {
            let mut contest = None;
            match &mut criterion {
                Some(criterion) => {
                    bench(criterion, spec, kernel, &scene, &mut players, &mut contest);
                }
                None => contest = Some(kernel.open(&scene, &mut players)),
            }
            if let Some(contest) = &mut contest
                && !is_test
            {
                table.add(spec, kernel, contest, &mut players);
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
            bencher.iter(|| contest.phalanx.call(&mut players[k].detector));
        });
    }
    if let Some(peer) = kernel.peer {
        group.bench_function(peer.name, |bencher| {
            let contest = contest.get_or_insert_with(|| kernel.open(scene, players));
            let peer = contest.peer.as_mut().expect("opened with the contest");
            bencher.iter(|| peer.run.run());
        });
    }
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
    peer: Option<&'static Peer>,
    phalanx: fn(&Scene) -> Box<dyn Phalanx + '_>,
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
    let kernels: Vec<Kernel> = phalanx::kernels!(list);

    let exists = |name: &str| kernels.iter().any(|kernel| kernel.name == name);
    for name in PEERS.iter().map(|peer| peer.kernel).chain(MAIN) {
        assert!(exists(name), "{name} is no kernel");
    }
    kernels
}

impl Kernel {
    fn overlap<A: phalanx::Overlap<B> + InScene, B: InScene>(name: &'static str) -> Self {
        Kernel {
            name,
            peer: peer(name),
            phalanx: |scene| {
                Question::<Overlaps>::boxed(scene, |detector, scene, out| {
                    let (a, b) = (A::store(scene), B::store(scene));
                    detector.overlap(a, b, &scene.pairs, out)
                })
            },
        }
    }

    fn sweep<A: phalanx::Sweep<B> + InScene, B: InScene>(name: &'static str) -> Self {
        Kernel {
            name,
            peer: peer(name),
            phalanx: |scene| {
                Question::<Sweeps>::boxed(scene, |detector, scene, out| {
                    let (a, b) = (A::store(scene), B::store(scene));
                    detector.sweep(a, b, &scene.pairs, out)
                })
            },
        }
    }

    fn runs_on(&self, spec: &SceneSpec) -> bool {
        spec.name == SCENES[0].name || MAIN.contains(&self.name)
    }

    /// Makes ready, and checks the answers.
    fn open<'s>(&self, scene: &'s Scene, players: &mut [Player]) -> Contest<'s> {
        let mut phalanx = (self.phalanx)(scene);
        let times = phalanx.check(players);
        let hits = times.iter().filter(|time| time.is_finite()).count();
        let peer = self.peer.map(|peer| {
            let mut run = (peer.open)(scene);
            let different = different(&times, &mut *run);
            let pairs = times.len();
            assert!(
                different as f64 <= MAX_DIFFERENT * pairs as f64,
                "{}: {different} of {pairs} answers differ from those of {}",
                self.name,
                peer.name,
            );
            CheckedPeer { run, different }
        });
        Contest {
            phalanx,
            hits,
            peer,
        }
    }
}

/// A kernel and its peer on one scene, checked.
struct Contest<'s> {
    phalanx: Box<dyn Phalanx + 's>,
    /// How many pairs touch.
    hits: usize,
    peer: Option<CheckedPeer<'s>>,
}

struct CheckedPeer<'s> {
    run: Box<dyn PeerRun + 's>,
    /// On how many pairs its answer is another one.
    different: usize,
}

/// A kernel of phalanx on one scene. Outputs are reused.
trait Phalanx {
    fn call(&mut self, detector: &mut Detector);
    /// The answers, as in [`Answers::enter`]. Panics if one of the players differs from the others
    /// in a single bit.
    fn check(&mut self, players: &mut [Player]) -> Vec<f32>;
}

type Call<V> = fn(&mut Detector, &Scene, &mut V) -> Result<(), Error>;

struct Question<'s, V> {
    scene: &'s Scene,
    call: Call<V>,
    out: V,
}

impl<'s, V: Answers> Question<'s, V> {
    fn boxed(scene: &'s Scene, call: Call<V>) -> Box<dyn Phalanx + 's> {
        let out = V::default();
        Box::new(Question { scene, call, out })
    }
}

impl<V: Answers> Phalanx for Question<'_, V> {
    fn call(&mut self, detector: &mut Detector) {
        (self.call)(detector, self.scene, &mut self.out).expect("scenes name shapes that exist");
        black_box(&self.out);
    }

    fn check(&mut self, players: &mut [Player]) -> Vec<f32> {
        let mut first = V::default();
        for (k, player) in players.iter_mut().enumerate() {
            self.call(&mut player.detector);
            if k == 0 {
                std::mem::swap(&mut first, &mut self.out);
            } else {
                let same = first.same_bits(&self.out);
                assert!(same, "{} gives another answer", player.name);
            }
        }
        let positions = 0..self.scene.pairs.len();
        positions.map(|position| first.enter(position)).collect()
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

/// On how many pairs the peer's answer is another one.
fn different(times: &[f32], peer: &mut dyn PeerRun) -> usize {
    peer.run();
    let is_different = |&(position, &time): &(usize, &f32)| {
        let peer_time = peer.enter(position);
        // The difference of two misses is NaN.
        let same = time == peer_time || (time - peer_time).abs() <= TIME_TOLERANCE;
        !same
    };
    times.iter().enumerate().filter(is_different).count()
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

/// How people do a kernel's work today: shapes in an array of structs, and a loop over pairs.
struct Peer {
    kernel: &'static str,
    name: &'static str,
    /// Makes ready: not timed.
    open: fn(&Scene) -> Box<dyn PeerRun + '_>,
}

/// A peer on one scene. The output is reused.
trait PeerRun {
    fn run(&mut self);
    /// What the last run answered, as in [`Answers::enter`].
    fn enter(&self, position: usize) -> f32;
}

struct PairLoop<'s, F, R> {
    pairs: &'s [Pair],
    test: F,
    out: Vec<R>,
}

impl<F: Fn(Pair) -> R, R: Answer> PeerRun for PairLoop<'_, F, R> {
    fn run(&mut self) {
        self.out.clear();
        // The one caller of `test`, which is thus inlined: a call per pair would be an unfair burden.
        let answers = self.pairs.iter().map(|&pair| (self.test)(pair));
        self.out.extend(answers);
        black_box(&self.out);
    }

    fn enter(&self, position: usize) -> f32 {
        self.out[position].enter()
    }
}

/// A loop over pairs of one kind of shape.
fn each_pair<'s, S: 's, R: Answer + 's>(
    scene: &'s Scene,
    shapes: Vec<S>,
    test: impl Fn(&S, &S) -> R + 's,
) -> Box<dyn PeerRun + 's> {
    Box::new(PairLoop {
        pairs: &scene.pairs,
        test: move |pair: Pair| test(&shapes[pair.a as usize], &shapes[pair.b as usize]),
        out: Vec::new(),
    })
}

/// A loop over pairs of two kinds of shapes.
fn each_mixed_pair<'s, A: 's, B: 's, R: Answer + 's>(
    scene: &'s Scene,
    a: Vec<A>,
    b: Vec<B>,
    test: impl Fn(&A, &B) -> R + 's,
) -> Box<dyn PeerRun + 's> {
    Box::new(PairLoop {
        pairs: &scene.pairs,
        test: move |pair: Pair| test(&a[pair.a as usize], &b[pair.b as usize]),
        out: Vec::new(),
    })
}

fn peer(kernel: &str) -> Option<&'static Peer> {
    PEERS.iter().find(|peer| peer.kernel == kernel)
}

/// Kernels that are not here are measured alone.
static PEERS: [Peer; 9] = [
    Peer {
        kernel: "sphere_sphere_overlap",
        name: "parry3d BoundingSphere::intersects",
        open: |scene| {
            let spheres = convert(scene, |sphere: Sphere, _| {
                BoundingSphere::new(sphere.center.into(), sphere.radius)
            });
            each_pair(scene, spheres, |a, b| a.intersects(b))
        },
    },
    Peer {
        kernel: "sphere_sphere_sweep",
        name: "parry3d cast_shapes",
        open: |scene| {
            let frame = ShapeCastOptions::with_max_time_of_impact(1.0);
            each_pair(scene, convert(scene, MovingBall::new), move |a, b| {
                let (pose, ball) = (&a.at.pose, &a.at.shape);
                let hit = cast_shapes(
                    pose,
                    a.velocity,
                    ball,
                    &b.at.pose,
                    b.velocity,
                    &b.at.shape,
                    frame,
                );
                match hit {
                    Ok(Some(hit)) => hit.time_of_impact,
                    _ => f32::INFINITY,
                }
            })
        },
    },
    Peer {
        kernel: "aabb_aabb_overlap",
        name: "parry3d Aabb::intersects",
        open: |scene| each_pair(scene, convert(scene, parry_aabb), |a, b| a.intersects(b)),
    },
    Peer {
        kernel: "aabb_aabb_sweep",
        name: "slab test by hand",
        open: |scene| each_pair(scene, convert(scene, MovingBox::new), MovingBox::sweep),
    },
    Peer {
        kernel: "obb_obb_overlap",
        name: "parry3d intersection_test_cuboid_cuboid",
        open: |scene| {
            each_pair(scene, convert(scene, posed_cuboid), |a, b| {
                intersection_test_cuboid_cuboid(&a.pose.inv_mul(&b.pose), &a.shape, &b.shape)
            })
        },
    },
    // Balls: `intersection_test_point_query_ball` takes more than twice as long.
    Peer {
        kernel: "sphere_aabb_overlap",
        name: "parry3d Aabb::distance_to_local_point",
        open: |scene| {
            let spheres = convert(scene, |sphere: Sphere, _| sphere);
            each_mixed_pair(scene, spheres, convert(scene, parry_aabb), |a, b| {
                b.distance_to_local_point(a.center.into(), true) <= a.radius
            })
        },
    },
    Peer {
        kernel: "sphere_obb_overlap",
        name: "parry3d Cuboid::distance_to_point",
        open: |scene| {
            let spheres = convert(scene, |sphere: Sphere, _| sphere);
            each_mixed_pair(scene, spheres, convert(scene, posed_cuboid), |a, b| {
                b.shape.distance_to_point(&b.pose, a.center.into(), true) <= a.radius
            })
        },
    },
    Peer {
        kernel: "sphere_half_space_overlap",
        name: "parry3d HalfSpace::distance_to_point",
        open: |scene| {
            let spheres = convert(scene, |sphere: Sphere, _| sphere);
            each_mixed_pair(scene, spheres, convert(scene, posed_half_space), |a, b| {
                b.shape.distance_to_point(&b.pose, a.center.into(), true) <= a.radius
            })
        },
    },
    Peer {
        kernel: "obb_half_space_overlap",
        name: "parry3d intersection_test_halfspace_support_map",
        open: |scene| {
            let cuboids = convert(scene, posed_cuboid);
            let half_spaces = convert(scene, posed_half_space);
            each_mixed_pair(scene, cuboids, half_spaces, |a, b| {
                let pose = b.pose.inv_mul(&a.pose);
                intersection_test_halfspace_support_map(&pose, &b.shape, &a.shape)
            })
        },
    },
];

/// The shapes of a scene, with their displacements, in the peer's terms.
fn convert<T: InScene, S>(scene: &Scene, convert: impl Fn(T, [f32; 3]) -> S) -> Vec<S> {
    let store = T::store(scene);
    (0..store.len() as u32)
        .filter_map(|i| Some(convert(store.get(i)?, store.displacement(i)?)))
        .collect()
}

struct Posed<S> {
    pose: Pose,
    shape: S,
}

fn posed_ball(sphere: Sphere, _: [f32; 3]) -> Posed<Ball> {
    Posed {
        pose: Pose::from_translation(sphere.center.into()),
        shape: Ball::new(sphere.radius),
    }
}

fn posed_cuboid(obb: Obb, _: [f32; 3]) -> Posed<Cuboid> {
    let [x, y, z, w] = obb.rotation;
    Posed {
        pose: Pose::from_parts(obb.center.into(), Rotation::from_xyzw(x, y, z, w)),
        shape: Cuboid::new(obb.half_extents.into()),
    }
}

/// Posed at the point of the surface that is nearest to the origin.
fn posed_half_space(half_space: HalfSpace, _: [f32; 3]) -> Posed<shape::HalfSpace> {
    let normal = Vector::from(half_space.normal);
    let point = normal * (-half_space.d / normal.length_squared());
    Posed {
        pose: Pose::from_translation(point),
        shape: shape::HalfSpace::new(normal.normalize()),
    }
}

fn parry_aabb(aabb: Aabb, _: [f32; 3]) -> bounding_volume::Aabb {
    bounding_volume::Aabb::new(aabb.min.into(), aabb.max.into())
}

struct MovingBall {
    at: Posed<Ball>,
    velocity: Vector,
}

impl MovingBall {
    fn new(sphere: Sphere, displacement: [f32; 3]) -> Self {
        MovingBall {
            at: posed_ball(sphere, displacement),
            velocity: displacement.into(),
        }
    }
}

struct MovingBox {
    aabb: Aabb,
    displacement: [f32; 3],
}

impl MovingBox {
    fn new(aabb: Aabb, displacement: [f32; 3]) -> Self {
        MovingBox { aabb, displacement }
    }

    /// Without a branch, as no library offers it for two moving boxes.
    #[inline(always)]
    fn sweep(&self, other: &MovingBox) -> [f32; 2] {
        let (a, b) = (self, other);
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
    /// As a share of the pairs.
    hits: f64,
    peer: Option<PeerFigure>,
    players: Vec<Figure>,
}

struct PeerFigure {
    name: &'static str,
    /// Per pair.
    ns: f64,
    different: usize,
}

struct Figure {
    player: String,
    /// Per pair.
    ns: f64,
    /// How many times as fast as the peer, if there is one.
    ratio: Option<f64>,
}

impl Table {
    /// How long a side's turn is at least, if not a single call.
    const TURN: Duration = Duration::from_millis(4);
    const MAX_ROUNDS: usize = 99;

    fn new(quick: bool) -> Self {
        let (milliseconds, min_rounds) = if quick { (50, 2) } else { (600, 5) };
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
        let Contest {
            phalanx,
            hits,
            peer,
        } = contest;
        let mut peer_times = Vec::new();
        let mut times = vec![Vec::new(); players.len()];
        let start = Instant::now();
        for round in 0..Self::MAX_ROUNDS {
            if round >= self.min_rounds && start.elapsed() >= self.budget {
                break;
            }
            if let Some(peer) = peer {
                peer_times.push(Self::turn(|| peer.run.run()));
            }
            for (times, player) in times.iter_mut().zip(&mut *players) {
                times.push(Self::turn(|| phalanx.call(&mut player.detector)));
            }
        }

        let ns = |times: &[f64]| median(times.to_vec()) * 1e9 / spec.pairs as f64;
        let ratio = |times: &[f64]| {
            let ratios = peer_times.iter().zip(times).map(|(p, t)| p / t);
            (!peer_times.is_empty()).then(|| median(ratios.collect()))
        };
        let figures = players.iter().zip(&times).map(|(player, times)| Figure {
            player: player.name.clone(),
            ns: ns(times),
            ratio: ratio(times),
        });
        let names = kernel.peer.map(|peer| peer.name);
        self.rows.push(Row {
            kernel: kernel.name,
            scene: spec.name,
            hits: *hits as f64 / spec.pairs as f64,
            peer: names.zip(peer.as_ref()).map(|(name, peer)| PeerFigure {
                name,
                ns: ns(&peer_times),
                different: peer.different,
            }),
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
                "| {} | {} | {:.1} % | {} | {} |",
                row.kernel,
                row.scene,
                row.hits * 100.0,
                cells.join(" | "),
                row.peer_cells(),
            );
        }
    }
}

impl Row {
    fn cell(&self, player: &str) -> String {
        match self.players.iter().find(|figure| figure.player == player) {
            Some(Figure { ns, ratio, .. }) => match ratio {
                Some(ratio) => format!("{ns:.2} ({ratio:.1} ×)"),
                None => format!("{ns:.2}"),
            },
            None => String::new(),
        }
    }

    fn peer_cells(&self) -> String {
        match &self.peer {
            Some(peer) => format!("{:.2} | {} | {}", peer.ns, peer.name, peer.different),
            None => "– | – | –".into(),
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
