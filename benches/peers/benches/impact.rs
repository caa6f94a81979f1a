//! Impacts: times of impact of rotating boxes, compared with parry3d.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench impact             # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench impact -- table    # rounds of turns alone, and a file for the report
//! ```
//!
//! - **Hard** turns: each coordinate from -0.5 to 0.5 rad in a frame, 0.48 rad on average.
//! - **Games**: 0.05 to 0.2 rad, about any axis.
//!
//! phalanx runs with two tolerances: 1e-3, as `cast_shapes_nonlinear`, and 5e-3, the slop of `sweep_time_of_impact`. It
//! gets columns that may have changed, and packs them in every call. parry3d has its motions and points ready, and
//! writes a time for each pair.
//!
//! Of a million pairs parry3d gets one in sixteen in a round, in runs that keep neighbours together; its results are
//! checked on all pairs. It has no cast against half-spaces, so it gets a large cuboid instead.

use std::cell::{LazyCell, RefCell};
use std::hint::black_box;

use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::sweep_toi::{Sweep, SweepToiStatus, ToiProxy, sweep_time_of_impact};
use parry3d::query::{NonlinearRigidMotion, cast_shapes_nonlinear};
use parry3d::shape::{self, Ball, Cuboid};
use phalanx::traits::{Impact, Shape};
use phalanx::{Aabb, Capsule, Detector, HalfSpace, Impacts, Obb, Pair, Sphere, StoreRef, Triangle};
use phalanx_bench::bench::{Bench, Label, Open, Player};
use phalanx_bench::convert::Posed;
use phalanx_bench::kernels::MAX_DIFFERENT;
use phalanx_bench::record::{Contest, FileError};
use phalanx_bench::scenes::{InScene, PairList, SCENES, SEED, Scene, SceneSpec};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

const QUICK: SceneSpec = SceneSpec::new("4k", 1 << 10, 1 << 12, PairList::Neighbours);

/// Length above which lists are sampled for peers.
const MOST_OF_PEERS: usize = 1 << 16;
/// Number of consecutive pairs of a sample, so that neighbours are in the caches.
const SAMPLED_RUN: usize = 1 << 10;

/// Tolerance for shapes of size about 1.
const FINE: f32 = 1e-3;
/// The slop of `sweep_time_of_impact`, its target separation.
const COARSE: f32 = 5e-3;
const PHALANX: [(&str, f32); 2] = [("within 1e-3", FINE), ("within 5e-3", COARSE)];

/// Largest difference of equal times: slowly approaching pairs stay within the tolerance for long.
const TIMES_APART: [f32; 2] = [0.01, 0.05];

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("impact");
    let specs = if bench.is_quick() {
        &[QUICK][..]
    } else {
        &SCENES[..2]
    };
    for spec in specs {
        for turns in [Turns::Hard, Turns::Games] {
            // Built on first use, because a filter may omit all contests.
            let scene = LazyCell::new(|| turns.applied_to(spec.build()));
            let part = Part {
                spec,
                turns,
                scene: &scene,
            };
            part.hold::<Obb, Obb>(&mut bench, "obb_obb_impact");
            part.hold::<Aabb, Obb>(&mut bench, "aabb_obb_impact");
            part.hold::<Sphere, Obb>(&mut bench, "sphere_obb_impact");
            part.hold::<Capsule, Obb>(&mut bench, "capsule_obb_impact");
            part.hold::<Obb, HalfSpace>(&mut bench, "obb_half_space_impact");
            part.hold::<Obb, Triangle>(&mut bench, "obb_triangle_impact");
        }
    }
    print_targets(bench.contests());
    bench.finish()
}

/// Range of the turns of boxes in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Turns {
    Hard,
    Games,
}

impl Turns {
    fn name(self) -> &'static str {
        match self {
            Turns::Hard => "hard",
            Turns::Games => "games",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Turns::Hard => "turns of 0.48 rad in the mean",
            Turns::Games => "turns of 0.05 to 0.2 rad",
        }
    }

    fn applied_to(self, mut scene: Scene) -> Scene {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED + 4);
        for i in 0..scene.obbs.len() as u32 {
            let turn = match self {
                Turns::Hard => [(); 3].map(|()| rng.random_range(-0.5..0.5)),
                Turns::Games => {
                    let length = rng.random_range(0.05..0.2);
                    let axis = direction(&mut rng);
                    axis.map(|x| x * length)
                }
            };
            scene.obbs.set_turn(i, turn).expect("a turn below π");
        }
        scene
    }
}

fn direction(rng: &mut Xoshiro256PlusPlus) -> [f32; 3] {
    loop {
        let v: [f32; 3] = [(); 3].map(|()| rng.random_range(-1.0..1.0));
        let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
        if (0.1..=1.0).contains(&length) {
            return v.map(|x| x / length);
        }
    }
}

/// A scene, and the turns of its boxes.
struct Part<'s, F: FnOnce() -> Scene> {
    spec: &'s SceneSpec,
    turns: Turns,
    scene: &'s LazyCell<Scene, F>,
}

impl<F: FnOnce() -> Scene> Part<'_, F> {
    /// The contest of a kernel.
    fn hold<A, B>(&self, bench: &mut Bench, name: &str)
    where
        A: InScene + Impact<B> + ToPeer,
        B: InScene + ToPeer,
    {
        let Part { spec, turns, scene } = *self;
        let stride = spec.pairs.div_ceil(MOST_OF_PEERS);
        let sampled = match stride {
            1 => String::new(),
            _ => format!(", of which peers are given 1 / {stride} in a round"),
        };
        let label = Label {
            name: name.into(),
            scene: format!("{}, {}", spec.name, turns.name()),
            about: format!("{}, {}{sampled}", spec.about(), turns.about()),
            shapes: spec.shapes,
            items: spec.pairs,
            unit: "pair",
        };
        let phalanx = PHALANX.map(|(name, _)| Player::phalanx(name));
        let players: Vec<_> = phalanx
            .into_iter()
            .chain(WAYS.map(|way| Player::peer(way.name(), way.call())))
            .collect();

        let open = LazyCell::new(|| {
            let scene: &Scene = scene;
            let pairs: &[Pair] = &scene.pairs;
            let mut own = Own::<A, B>::new(scene);
            let mut peer = Peer::<A, B> {
                bodies: (A::bodies(scene), B::bodies(scene)),
                times: Vec::new(),
            };
            let mut different = vec![0; PHALANX.len()];
            let mut hits = 0;
            for (k, (way, (_, tolerance))) in WAYS.into_iter().zip(PHALANX).enumerate() {
                own.impact(pairs, tolerance);
                if k == 0 {
                    hits = own.impacts.count();
                }
                peer.run(way, pairs);
                let found = peer.differing(own.impacts.time(), TIMES_APART[k]);
                assert!(
                    found as f64 <= MAX_DIFFERENT * pairs.len() as f64,
                    "{name}, {}: {} differs on {found} of {}",
                    turns.name(),
                    way.name(),
                    pairs.len()
                );
                different.push(found);
            }
            let runs = pairs.chunks(SAMPLED_RUN).step_by(stride);
            let sample: Vec<Pair> = runs.flatten().copied().collect();
            assert!(sample.len() * stride == pairs.len(), "uneven runs");
            RefCell::new(Open {
                pairs: Some(pairs.len()),
                hits: Some(hits),
                different,
                call: Box::new(move |player| match player {
                    0 | 1 => own.impact(pairs, PHALANX[player].1),
                    _ => peer.run(WAYS[player - PHALANX.len()], &sample),
                }),
            })
        });
        if bench.is_wanted(&label, &players, &open) {
            let mut open = open.borrow_mut();
            let mut times = bench.turns().measure(players.len(), &mut open.call);
            for times in &mut times[PHALANX.len()..] {
                times.iter_mut().for_each(|time| *time *= stride as f64);
            }
            bench.add(label, &players, &open, &times);
        }
    }
}

/// Inputs and results of phalanx.
struct Own<'s, A: InScene, B: InScene> {
    a: StoreRef<'s, A>,
    b: StoreRef<'s, B>,
    detector: Detector,
    impacts: Impacts,
}

impl<'s, A: InScene + Impact<B>, B: InScene> Own<'s, A, B> {
    fn new(scene: &'s Scene) -> Self {
        Own {
            a: A::columns_in(scene),
            b: B::columns_in(scene),
            detector: Detector::new().parallel(false),
            impacts: Impacts::new(),
        }
    }

    fn impact(&mut self, pairs: &[Pair], tolerance: f32) {
        self.detector
            .impact(&self.a, &self.b, pairs, tolerance, &mut self.impacts)
            .expect("scenes name shapes that exist");
        black_box(&self.impacts);
    }
}

/// A call of parry3d.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Nonlinear,
    Sweep,
}

const WAYS: [Way; 2] = [Way::Nonlinear, Way::Sweep];

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Nonlinear => "parry3d nonlinear",
            Way::Sweep => "parry3d sweep",
        }
    }

    fn call(self) -> &'static str {
        match self {
            Way::Nonlinear => "query::cast_shapes_nonlinear",
            Way::Sweep => "query::sweep_toi::sweep_time_of_impact",
        }
    }
}

/// A shape in the types of parry3d, and its motion.
struct Body<S> {
    shape: S,
    motion: NonlinearRigidMotion,
    points: ToiProxy<'static>,
    sweep: Sweep,
}

impl<S> Body<S> {
    fn new(
        Posed { pose, shape }: Posed<S>,
        (points, radius): (Vec<Vector>, f32),
        displacement: [f32; 3],
        turn: [f32; 3],
    ) -> Self {
        let (way, turn) = (Vector::from(displacement), Vector::from(turn));
        let end = Pose::from_parts(
            pose.translation + way,
            Rotation::from_scaled_axis(turn) * pose.rotation,
        );
        let points = match points[..] {
            [p] => ToiProxy::point(p, radius),
            [p, q] => ToiProxy::from_array([p, q], radius),
            [p, q, r] => ToiProxy::from_array([p, q, r], radius),
            _ => ToiProxy::from_array::<8>(points.try_into().expect("eight corners"), radius),
        };
        Body {
            shape,
            motion: NonlinearRigidMotion::new(pose, Vector::ZERO, way, turn),
            points,
            sweep: Sweep::from_poses(&pose, &end, Vector::ZERO),
        }
    }
}

/// Shapes that parry3d can rotate.
trait ToPeer: Shape {
    type Shape: shape::Shape;
    /// The bodies of a scene.
    fn bodies(scene: &Scene) -> Vec<Body<Self::Shape>>;
}

fn corners(cuboid: &Cuboid) -> (Vec<Vector>, f32) {
    let [x, y, z] = cuboid.half_extents.to_array();
    let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |k| Vector::new(sign(k, 0) * x, sign(k, 1) * y, sign(k, 2) * z);
    ((0..8).map(corner).collect(), 0.0)
}

fn bodies_of<T: InScene, S>(
    scene: &Scene,
    points: impl Fn(&S) -> (Vec<Vector>, f32),
    turn: impl Fn(u32) -> [f32; 3],
) -> Vec<Body<S>>
where
    Posed<S>: From<T>,
{
    let store = T::store(scene);
    (0..store.len() as u32)
        .filter_map(|i| {
            let posed = Posed::<S>::from(store.get(i)?);
            let points = points(&posed.shape);
            Some(Body::new(posed, points, store.displacement(i)?, turn(i)))
        })
        .collect()
}

impl ToPeer for Obb {
    type Shape = Cuboid;
    fn bodies(scene: &Scene) -> Vec<Body<Cuboid>> {
        let turn = |i| scene.obbs.turn(i).unwrap_or_default();
        bodies_of::<Obb, Cuboid>(scene, corners, turn)
    }
}

impl ToPeer for Aabb {
    type Shape = Cuboid;
    fn bodies(scene: &Scene) -> Vec<Body<Cuboid>> {
        bodies_of::<Aabb, Cuboid>(scene, corners, |_| [0.0; 3])
    }
}

impl ToPeer for Sphere {
    type Shape = Ball;
    fn bodies(scene: &Scene) -> Vec<Body<Ball>> {
        let points = |ball: &Ball| (vec![Vector::ZERO], ball.radius);
        bodies_of::<Sphere, Ball>(scene, points, |_| [0.0; 3])
    }
}

impl ToPeer for Capsule {
    type Shape = shape::Capsule;
    fn bodies(scene: &Scene) -> Vec<Body<shape::Capsule>> {
        let points = |capsule: &shape::Capsule| {
            let shape::Segment { a, b } = capsule.segment;
            (vec![a, b], capsule.radius)
        };
        bodies_of::<Capsule, shape::Capsule>(scene, points, |_| [0.0; 3])
    }
}

impl ToPeer for Triangle {
    type Shape = shape::Triangle;
    fn bodies(scene: &Scene) -> Vec<Body<shape::Triangle>> {
        let points = |triangle: &shape::Triangle| (vec![triangle.a, triangle.b, triangle.c], 0.0);
        bodies_of::<Triangle, shape::Triangle>(scene, points, |_| [0.0; 3])
    }
}

/// A cuboid below the nearby surface, in place of the half-space.
impl ToPeer for HalfSpace {
    type Shape = Cuboid;
    fn bodies(scene: &Scene) -> Vec<Body<Cuboid>> {
        /// Exceeds the distance of any box from its listed half-spaces.
        const HALF_EXTENT: f32 = 8.0;
        let store = &scene.half_spaces;
        let body = |i| {
            let (half_space, point): (HalfSpace, _) = (store.get(i)?, scene.points.get(i)?);
            let (normal, at) = (
                Vector::from(half_space.normal),
                Vector::from(point.position),
            );
            let length = normal.length();
            let above = (normal.dot(at) + half_space.d) / length;
            let normal = normal / length;
            let posed = Posed {
                pose: Pose::from_parts(
                    at - normal * (above + HALF_EXTENT),
                    Rotation::from_rotation_arc(Vector::Y, normal),
                ),
                shape: Cuboid::new(Vector::splat(HALF_EXTENT)),
            };
            let points = corners(&posed.shape);
            Some(Body::new(posed, points, store.displacement(i)?, [0.0; 3]))
        };
        (0..store.len() as u32).filter_map(body).collect()
    }
}

type Both<A, B> = (
    Vec<Body<<A as ToPeer>::Shape>>,
    Vec<Body<<B as ToPeer>::Shape>>,
);

/// Inputs and results of parry3d.
struct Peer<A: ToPeer, B: ToPeer> {
    bodies: Both<A, B>,
    /// Times of impact; +∞ for misses.
    times: Vec<f32>,
}

impl<A: ToPeer, B: ToPeer> Peer<A, B> {
    fn run(&mut self, way: Way, pairs: &[Pair]) {
        let (a, b) = &self.bodies;
        self.times.clear();
        let bodies = pairs
            .iter()
            .map(|pair| (&a[pair.a as usize], &b[pair.b as usize]));
        match way {
            Way::Nonlinear => self.times.extend(bodies.map(|(a, b)| {
                let hit =
                    cast_shapes_nonlinear(&a.motion, &a.shape, &b.motion, &b.shape, 0.0, 1.0, true);
                let hit = hit.expect("parry3d supports these shapes");
                hit.map_or(f32::INFINITY, |hit| hit.time_of_impact)
            })),
            Way::Sweep => self.times.extend(bodies.map(|(a, b)| {
                let found =
                    sweep_time_of_impact(&a.points, &a.sweep, &b.points, &b.sweep, 1.0, COARSE);
                match found.status {
                    SweepToiStatus::Separated => f32::INFINITY,
                    _ => found.fraction,
                }
            })),
        }
        black_box(&self.times);
    }

    /// Number of results of the last run that differ.
    fn differing(&self, times: &[f32], apart: f32) -> usize {
        let is_near = |(x, y): &(&f32, &f32)| x == y || (*x - *y).abs() <= apart;
        times.len() - self.times.iter().zip(times).filter(is_near).count()
    }
}

/// Prints the target and the measured speed of impacts relative to peers.
fn print_targets(contests: &[Contest]) {
    if contests.is_empty() {
        return;
    }
    println!("\n| target | asked | aim | measured |\n|---|--:|--:|--:|");
    for contest in contests {
        let is_target =
            contest.name == "obb_obb_impact" && contest.scene.ends_with(Turns::Hard.name());
        let own = contest.side(PHALANX[0].0);
        if let (true, Some(own), Some(peer)) = (is_target, own, contest.side(Way::Nonlinear.name()))
        {
            println!(
                "| impact of boxes, tolerance 1e-3, hard turns, against cast_shapes_nonlinear, {} | ≥ 40 × | \
                 150 × | {:.1} × |",
                contest.scene,
                own.times_as_fast_as(peer)
            );
        }
    }
}
