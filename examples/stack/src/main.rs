//! Standing walls of bricks and a heap of rocks that comes to rest, with contacts of this crate and of parry3d.
//!
//! ```text
//! cargo run --release -p phalanx-stack
//! ```
//!
//! Both scenes are simulated for ten seconds. A frame has four steps: candidates finds the bricks near each other;
//! contact computes their manifolds; gather writes the points for the solver, with the impulses of the previous frame;
//! solve moves the bricks.
//!
//! - [`wall`]: several walls of a hundred bricks each, every brick slightly rotated. The example fails if a wall does not
//!   stand: if at the end a brick has moved by more than a few per cent of its height.
//! - [`heap`]: rocks of six kinds, convex hulls of 12 to 24 points, fall on the ground. The example fails if the heap of
//!   phalanx does not come to rest: if in the last second a corner of a rock has moved, is below the ground, or is deep in
//!   another rock.
//! - [`solver`]: sequential impulses with friction and warm starting, the same for both libraries and scenes.
//! - [`with_phalanx`]: from the columns of [`Contacts`](phalanx::Contacts) to the solver, as in a game.
//! - [`with_parry`]: as users of parry3d do it, with a `Bvh`, and a persistent `ContactManifold` for each pair.
//!
//! **Times.** One thread, default compiler flags. The candidates step includes the input of either library: poses in
//! columns for phalanx, bounds for parry3d. The contact step of parry3d also finds the impulses of the previous frame,
//! and recomputes only manifolds that have moved: a resting wall is its best case. phalanx recomputes all manifolds in
//! each frame. parry3d has up to eight points for a pair, phalanx four, so the solver has less work with phalanx.

mod body;
mod heap;
mod solver;
mod wall;
mod with_parry;
mod with_phalanx;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use body::Body;
use heap::Heap;
use parry3d::math::Vector;
use parry3d::shape::{ConvexPolyhedron, Cuboid};
use phalanx::{Error, Hulls, Obb, Obbs, Simd};
use solver::{Point, Solver};
use with_parry::WithParry;
use with_phalanx::WithPhalanx;

const FRAMES: u32 = 600;
/// Number of frames of the last second.
const LAST: u32 = 60;

/// The steps of a frame.
const STEPS: [&str; 4] = ["candidates", "contact", "gather", "solve"];

/// A collision library, with its state from frame to frame.
///
/// Bodies are the bricks or rocks, and the ground as the last one.
trait Collide {
    /// Finds the pairs of bodies near each other.
    fn candidates(&mut self, bodies: &[Body]) -> Result<(), Error>;
    /// Computes the contacts of bodies with each other and with the ground.
    fn contact(&mut self, bodies: &[Body]) -> Result<(), Error>;
    /// Writes the points for the solver, with the impulses of the previous frame.
    fn gather(&mut self, bodies: &[Body], points: &mut Vec<Point>);
    /// Keeps the impulses of the points that [`gather`](Self::gather) wrote last.
    fn keep(&mut self, points: &[Point]);
}

fn main() -> Result<ExitCode, Error> {
    let simd = Simd::best();
    println!(
        "phalanx on {simd}, {} lanes, one thread; {FRAMES} frames",
        simd.lanes()
    );
    let walls_stand = walls()?;
    let heap_rests = heap()?;
    Ok(if walls_stand && heap_rests {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Simulates the walls with both libraries. Returns whether all stand.
fn walls() -> Result<bool, Error> {
    let bricks = wall::walls();
    println!("\n{} bricks in {} walls\n", bricks.len(), wall::WALLS);
    let cuboid = |brick: &Obb| Cuboid::new(brick.half_extents.into());
    let cuboids = bricks.iter().map(cuboid).collect();
    let mut with_phalanx = WithPhalanx::new(Obbs::from_slice(&bricks), wall::MARGIN)?;
    let mut with_parry = WithParry::new(cuboids, wall::MARGIN);
    let bodies = || bricks.iter().map(Body::brick);
    let runs = [
        simulate(&mut with_phalanx, bodies())?,
        simulate(&mut with_parry, bodies())?,
    ];
    let moved = runs.each_ref().map(|run| Moved::new(run, &bricks));

    print_times(&runs);
    print_row("sideways", &moved, |moved| per_cent(moved.sideways));
    print_row("down", &moved, |moved| per_cent(moved.down));
    print_row("stands", &moved, |moved| yes_or_no(moved.stands()));
    let fallen = moved.iter().filter(|moved| !moved.stands()).count();
    println!(
        "\n{fallen} of {} runs moved a brick by more than {} of its height; phalanx at most by {}",
        runs.len(),
        per_cent(wall::TOLERANCE),
        per_cent(moved[0].sideways.max(moved[0].down)),
    );
    Ok(fallen == 0)
}

/// Largest displacements of a brick, in heights of a brick.
struct Moved {
    sideways: f32,
    down: f32,
}

impl Moved {
    fn new(run: &Run, bricks: &[Obb]) -> Self {
        let mut most = Moved {
            sideways: 0.0,
            down: 0.0,
        };
        for (body, brick) in run.bodies.iter().zip(bricks) {
            let moved = (body.pose.translation - Vector::from(brick.center)) / wall::HEIGHT;
            most.sideways = greater(moved.x.hypot(moved.z), most.sideways);
            most.down = greater(moved.y.abs(), most.down);
        }
        most
    }

    /// Whether all bricks are where they were laid.
    fn stands(&self) -> bool {
        self.sideways <= wall::TOLERANCE && self.down <= wall::TOLERANCE
    }
}

/// Simulates the heap with both libraries. Returns whether that of phalanx comes to rest.
fn heap() -> Result<bool, Error> {
    let heap = Heap::new()?;
    println!(
        "\n{} rocks of {} kinds\n",
        heap.rocks.len(),
        heap.kinds.len()
    );
    let polyhedron = |rock: usize| {
        let points: Vec<Vector> = heap.points(rock).collect();
        ConvexPolyhedron::from_convex_hull(&points)
    };
    let polyhedra = (0..heap.rocks.len()).filter_map(polyhedron).collect();
    let hulls = Hulls::from_slice(&heap.kinds, &heap.rocks)?;
    let mut with_phalanx = WithPhalanx::new(hulls, heap::MARGIN)?;
    let mut with_parry = WithParry::new(polyhedra, heap::MARGIN);
    let runs = [
        simulate(&mut with_phalanx, heap.bodies())?,
        simulate(&mut with_parry, heap.bodies())?,
    ];
    let rests = runs.each_ref().map(|run| Rest::new(run, &heap));

    print_times(&runs);
    print_row("last second", &rests, |rest| millimetres(rest.moved));
    print_row("under ground", &rests, |rest| millimetres(rest.under));
    print_row("penetration", &rests, |rest| millimetres(rest.deepest));
    print_row("rests", &rests, |rest| yes_or_no(rest.is_at_rest()));
    let rest = &rests[0];
    println!(
        "\nphalanx: {} of {} rocks moved by more than {} in the last second, at most by {}; \
         deepest penetration {} (limit {})",
        rest.moving,
        heap.rocks.len(),
        millimetres(heap::AT_REST),
        millimetres(rest.moved),
        millimetres(rest.deepest.max(rest.under)),
        millimetres(heap::DEPTH),
    );
    Ok(rest.is_at_rest())
}

/// The state of the heap at the end.
struct Rest {
    /// Number of rocks that moved in the last second.
    moving: usize,
    /// Largest displacement of a corner in the last second.
    moved: f32,
    /// Depth of the lowest corner below the ground.
    under: f32,
    /// Deepest penetration of two rocks, by their contacts.
    deepest: f32,
}

impl Rest {
    fn new(run: &Run, heap: &Heap) -> Self {
        let mut rest = Rest {
            moving: 0,
            moved: 0.0,
            under: 0.0,
            deepest: 0.0,
        };
        for rock in 0..heap.rocks.len() {
            let (body, before) = (&run.bodies[rock], &run.before[rock]);
            let mut most = 0.0;
            for point in heap.points(rock) {
                let at = body.pose * point;
                most = greater((at - before.pose * point).length(), most);
                rest.under = greater(-at.y, rest.under);
            }
            rest.moved = greater(most, rest.moved);
            rest.moving += usize::from(!(most <= heap::AT_REST));
        }
        for point in &run.points {
            rest.deepest = greater(-point.separation, rest.deepest);
        }
        rest
    }

    fn is_at_rest(&self) -> bool {
        self.moving == 0 && self.under <= heap::DEPTH && self.deepest <= heap::DEPTH
    }
}

/// The greater of two numbers, or NaN.
fn greater(a: f32, b: f32) -> f32 {
    if a <= b || b.is_nan() { b } else { a }
}

/// Result of a simulation.
struct Run {
    /// The time in each step, of all frames.
    times: [Duration; STEPS.len()],
    /// Points of the last frame.
    points: Vec<Point>,
    /// The bodies one second before the end, and at the end.
    before: Vec<Body>,
    bodies: Vec<Body>,
}

fn simulate(library: &mut impl Collide, bodies: impl Iterator<Item = Body>) -> Result<Run, Error> {
    let mut bodies: Vec<Body> = bodies.collect();
    bodies.push(Body::ground());
    let mut solver = Solver::default();
    let (mut points, mut before) = (Vec::new(), Vec::new());
    let mut times = [Duration::ZERO; STEPS.len()];
    for frame in 0..FRAMES {
        if frame == FRAMES - LAST {
            before = bodies.clone();
        }
        let [candidates, contact, gather, solve] = &mut times;
        timed(candidates, || library.candidates(&bodies))?;
        timed(contact, || library.contact(&bodies))?;
        timed(gather, || library.gather(&bodies, &mut points));
        timed(solve, || solver.frame(&mut bodies, &mut points));
        timed(gather, || library.keep(&points));
    }
    Ok(Run {
        times,
        points,
        before,
        bodies,
    })
}

fn timed<R>(time: &mut Duration, step: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = step();
    *time += start.elapsed();
    result
}

fn print_times(runs: &[Run; 2]) {
    println!("{:14}{:>12}{:>12}", "a frame", "phalanx", "parry3d");
    for (k, step) in STEPS.into_iter().enumerate() {
        print_row(step, runs, |run| micros(run.times[k]));
    }
    print_row("total", runs, |run| micros(run.times.iter().sum()));
    print_row("points", runs, |run| run.points.len().to_string());
}

fn print_row<R>(name: &str, runs: &[R; 2], column: impl Fn(&R) -> String) {
    let [phalanx, parry3d] = runs.each_ref().map(column);
    println!("{name:14}{phalanx:>12}{parry3d:>12}");
}

fn micros(time: Duration) -> String {
    format!("{:.1} µs", time.as_secs_f64() * 1e6 / f64::from(FRAMES))
}

fn per_cent(part: f32) -> String {
    format!("{:.1} %", 100.0 * part)
}

fn millimetres(length: f32) -> String {
    format!("{:.1} mm", 1000.0 * length)
}

fn yes_or_no(is_true: bool) -> String {
    if is_true { "yes" } else { "NO" }.into()
}
