//! Standing walls of bricks, a heap of rocks that comes to rest, and bodies of four kinds on hills, with contacts of this crate and of
//! parry3d.
//!
//! ```text
//! cargo run --release -p phalanx-stack
//! ```
//!
//! A frame has four steps: candidates finds the bricks or rocks near each other; contact computes their manifolds; gather
//! writes the points for the solver, with the impulses of the previous frame; solve moves the bodies.
//!
//! - [`wall`]: several walls of a hundred bricks each, every brick slightly rotated, for ten seconds. The example fails if
//!   a wall does not stand: if at the end a brick has moved by more than a few per cent of its height.
//! - [`heap`]: rocks of six kinds, convex hulls of 12 to 24 points, that fall on the ground. The example fails if they have
//!   not come to rest after fifteen seconds: if in the last second several rocks have moved by some millimetres, or at the
//!   end a rock is deep in the ground or in another rock.
//! - [`hills`]: five hundred boxes, rocks, spheres and capsules that fall on rugged hills, a mesh, for twenty seconds, by a
//!   [`Scene`](phalanx::Scene). The example fails if a frame has more energy than the start, if a body is below the hills, or if several
//!   still move.
//! - [`solver`]: sequential impulses with friction and warm starting, the same for both libraries and all scenes.
//! - [`with_phalanx`]: from the columns of [`Contacts`](phalanx::Contacts) to the solver, as in a game.
//! - [`with_parry`]: as users of parry3d do it, with a `Bvh`, and a persistent `ContactManifold` for each pair.
//!
//! **Times of the walls.** One thread, default compiler flags. The candidates step includes the input of either library: poses in
//! columns for phalanx, bounds for parry3d. The contact step of parry3d also finds the impulses of the previous frame,
//! and recomputes only manifolds that have moved: a resting wall is its best case. phalanx recomputes all manifolds in
//! each frame. parry3d has up to eight points for a pair, phalanx four, so the solver has less work with phalanx.

mod body;
mod heap;
mod hills;
mod solver;
mod wall;
mod with_parry;
mod with_phalanx;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use body::Body;
use heap::Heap;
use hills::{Hills, Outcome};
use parry3d::math::Vector;
use phalanx::{Error, Hulls, Obb, Obbs, Simd};
use solver::{GRAVITY, Point, Solver};
use with_parry::WithParry;
use with_phalanx::WithPhalanx;

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
    println!("phalanx on {simd}, {} lanes, one thread", simd.lanes());
    let walls_stand = walls()?;
    let heap_rests = heap()?;
    let hills_hold = hills()?;
    Ok(if walls_stand && heap_rests && hills_hold {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Simulates the walls with both libraries. Returns whether all stand.
fn walls() -> Result<bool, Error> {
    let bricks = wall::walls();
    println!("\n{} bricks in {} walls\n", bricks.len(), wall::WALLS);
    let mut with_phalanx = WithPhalanx::new(Obbs::from_slice(&bricks), wall::MARGIN)?;
    let mut with_parry = WithParry::new(&bricks);
    let bodies = || bricks.iter().map(Body::brick);
    let runs = [
        simulate(&mut with_phalanx, bodies(), wall::FRAMES)?,
        simulate(&mut with_parry, bodies(), wall::FRAMES)?,
    ];
    let moved = runs.each_ref().map(|run| Moved::new(run, &bricks));

    println!("{:12}{:>12}{:>12}", "a frame", "phalanx", "parry3d");
    print_times(runs.each_ref());
    let moved_of = moved.each_ref();
    print_row("sideways", moved_of, |moved| per_cent(moved.sideways));
    print_row("down", moved_of, |moved| per_cent(moved.down));
    print_row("stands", moved_of, |moved| {
        if moved.stands() { "yes" } else { "NO" }.into()
    });
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

/// Simulates the heap. Returns whether it comes to rest.
fn heap() -> Result<bool, Error> {
    let heap = Heap::new()?;
    let rocks = heap.rocks.len();
    println!("\n{rocks} rocks of {} kinds\n", heap.kinds.len());
    let hulls = Hulls::from_slice(&heap.kinds, &heap.rocks)?;
    let mut with_phalanx = WithPhalanx::new(hulls, heap::MARGIN)?;
    let run = simulate(&mut with_phalanx, heap.bodies(), heap::FRAMES)?;
    let rest = Rest::new(&run, &heap);

    print_times([&run]);
    println!(
        "\n{} of {rocks} rocks moved by more than {} in the last second (limit {}), at most by {}; \
         deepest in the ground {}, in another rock {} (limit {})",
        rest.moving,
        millimetres(heap::AT_REST),
        heap::MOVING,
        millimetres(rest.moved),
        millimetres(rest.under),
        millimetres(rest.deepest),
        millimetres(heap::DEPTH),
    );
    Ok(rest.is_at_rest())
}

/// Simulates bodies on hills with both libraries. Returns whether those of phalanx gain no energy, stay above and come to rest.
fn hills() -> Result<bool, Error> {
    let scene = Hills::new()?;
    let bodies = scene.bodies();
    println!("\n{} bodies of four kinds on hills\n", bodies.len());
    let mut with_phalanx = hills::with_phalanx::WithPhalanx::new(&scene)?;
    let mut with_parry = hills::with_parry::WithParry::new(&scene);
    let ours = simulate(&mut with_phalanx, bodies.iter().cloned(), hills::FRAMES)?;
    let theirs = simulate(&mut with_parry, bodies.iter().cloned(), hills::FRAMES)?;
    print_times([&ours, &theirs]);
    println!();
    let [ours, theirs] = [&ours, &theirs].map(|run| Outcome::new(run, &scene));
    for (name, outcome) in [("phalanx", &ours), ("parry3d", &theirs)] {
        println!(
            "{name}: energy at most {:.6} of the start, risen in a frame by at most {:.1e}; {} moved by more than {} in the last \
             second (limit {}), {} beyond the border, the lowest center {} above the hills",
            outcome.highest,
            outcome.rise,
            outcome.moving,
            millimetres(hills::AT_REST),
            hills::MOVING,
            outcome.lost,
            millimetres(-outcome.under),
        );
    }
    Ok(ours.is_good())
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
            rest.moving += usize::from(most > heap::AT_REST);
        }
        for point in &run.points {
            rest.deepest = greater(-point.separation, rest.deepest);
        }
        rest
    }

    /// False for NaN.
    fn is_at_rest(&self) -> bool {
        let is_still = self.moving <= heap::MOVING && self.moved <= heap::MOVED;
        is_still && self.under <= heap::DEPTH && self.deepest <= heap::DEPTH
    }
}

/// The greater of two numbers, or NaN.
fn greater(a: f32, b: f32) -> f32 {
    if a <= b || b.is_nan() { b } else { a }
}

/// Result of a simulation.
struct Run {
    frames: u32,
    /// The time in each step, of all frames.
    times: [Duration; STEPS.len()],
    /// Points of the last frame.
    points: Vec<Point>,
    /// The bodies one second before the end, and at the end.
    before: Vec<Body>,
    bodies: Vec<Body>,
    /// The energy at the start of each frame.
    energies: Vec<f64>,
}

fn simulate(
    library: &mut impl Collide,
    bodies: impl Iterator<Item = Body>,
    frames: u32,
) -> Result<Run, Error> {
    let mut bodies: Vec<Body> = bodies.collect();
    bodies.push(Body::ground());
    let mut solver = Solver::default();
    let (mut points, mut before) = (Vec::new(), Vec::new());
    let mut times = [Duration::ZERO; STEPS.len()];
    let mut energies = Vec::new();
    for frame in 0..frames {
        let energy = bodies.iter().map(|body| body.energy(GRAVITY));
        energies.push(energy.sum());
        if frame + LAST == frames {
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
        frames,
        times,
        points,
        before,
        bodies,
        energies,
    })
}

fn timed<R>(time: &mut Duration, step: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = step();
    *time += start.elapsed();
    result
}

fn print_times<const N: usize>(runs: [&Run; N]) {
    for (k, step) in STEPS.into_iter().enumerate() {
        print_row(step, runs, |run| micros(run.times[k] / run.frames));
    }
    print_row("total", runs, |run| {
        micros(run.times.iter().sum::<Duration>() / run.frames)
    });
    print_row("points", runs, |run| run.points.len().to_string());
}

fn print_row<R, const N: usize>(name: &str, runs: [&R; N], column: impl Fn(&R) -> String) {
    let columns = runs.map(|run| format!("{:>12}", column(run)));
    println!("{name:12}{}", columns.concat());
}

fn micros(time: Duration) -> String {
    format!("{:.1} µs", time.as_secs_f64() * 1e6)
}

fn per_cent(part: f32) -> String {
    format!("{:.1} %", 100.0 * part)
}

fn millimetres(length: f32) -> String {
    format!("{:.1} mm", 1000.0 * length)
}
