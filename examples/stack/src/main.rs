//! Standing walls of bricks, with contacts of this crate and of parry3d.
//!
//! ```text
//! cargo run --release -p phalanx-stack
//! ```
//!
//! Several walls of a hundred bricks each are laid on the ground, every brick slightly rotated, and simulated for ten
//! seconds. A frame has four steps: candidates finds the bricks near each other; contact computes their manifolds;
//! gather writes the points for the solver, with the impulses of the previous frame; solve moves the bricks. The
//! example fails if a wall does not stand: if at the end a brick has moved by more than a few per cent of its height.
//!
//! - [`solver`]: sequential impulses with friction and warm starting, the same for both libraries.
//! - [`with_phalanx`]: from the columns of [`Contacts`](phalanx::Contacts) to the solver, as in a game.
//! - [`with_parry`]: as users of parry3d do it, with a `Bvh`, and a persistent `ContactManifold` for each pair.
//!
//! **Times.** One thread, default compiler flags. The candidates step includes the input of either library: poses in
//! columns for phalanx, bounds for parry3d. The contact step of parry3d also finds the impulses of the previous frame,
//! and recomputes only manifolds that have moved: a resting wall is its best case. phalanx recomputes all manifolds in
//! each frame. parry3d has up to eight points for a pair, phalanx four, so the solver has less work with phalanx.

mod body;
mod solver;
mod wall;
mod with_parry;
mod with_phalanx;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use body::Body;
use parry3d::math::Vector;
use phalanx::{Error, Obb, Simd};
use solver::{Point, Solver};
use with_parry::WithParry;
use with_phalanx::WithPhalanx;

const FRAMES: u32 = 600;

/// Maximum displacement of a brick, in heights of a brick.
const TOLERANCE: f32 = 0.05;

/// Distance within which surfaces have a contact: more than they approach in a frame.
const MARGIN: f32 = 0.01;

/// The steps of a frame.
const STEPS: [&str; 4] = ["candidates", "contact", "gather", "solve"];

/// A collision library, with its state from frame to frame.
///
/// Bodies are the bricks, and the ground as the last one.
trait Collide {
    /// Finds the pairs of bricks near each other.
    fn candidates(&mut self, bodies: &[Body]) -> Result<(), Error>;
    /// Computes the contacts of bricks with each other and with the ground.
    fn contact(&mut self, bodies: &[Body]) -> Result<(), Error>;
    /// Writes the points for the solver, with the impulses of the previous frame.
    fn gather(&mut self, bodies: &[Body], points: &mut Vec<Point>);
    /// Keeps the impulses of the points that [`gather`](Self::gather) wrote last.
    fn keep(&mut self, points: &[Point]);
}

fn main() -> Result<ExitCode, Error> {
    let bricks = wall::walls();
    let simd = Simd::best();
    println!(
        "phalanx on {simd}, {} lanes, one thread; {} bricks in {} walls, {FRAMES} frames\n",
        simd.lanes(),
        bricks.len(),
        wall::WALLS,
    );
    let phalanx = simulate(&mut WithPhalanx::new(&bricks)?, &bricks)?;
    let parry3d = simulate(&mut WithParry::new(&bricks), &bricks)?;

    let runs = [phalanx, parry3d];
    println!("{:12}{:>12}{:>12}", "a frame", "phalanx", "parry3d");
    for (k, step) in STEPS.into_iter().enumerate() {
        print_row(step, &runs, |run| micros(run.times[k]));
    }
    print_row("total", &runs, |run| micros(run.times.iter().sum()));
    print_row("points", &runs, |run| run.points.to_string());
    print_row("sideways", &runs, |run| per_cent(run.sideways));
    print_row("down", &runs, |run| per_cent(run.down));
    print_row("stands", &runs, |run| {
        if run.stands { "yes" } else { "NO" }.into()
    });
    let fallen = runs.iter().filter(|run| !run.stands).count();
    let worst = runs[0].sideways.max(runs[0].down);
    println!(
        "\n{fallen} of {} runs moved a brick by more than {} of its height; phalanx at most by {}",
        runs.len(),
        per_cent(TOLERANCE),
        per_cent(worst),
    );
    Ok(if fallen == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Result of a simulation.
struct Run {
    /// The time in each step, of all frames.
    times: [Duration; STEPS.len()],
    /// Number of points in the last frame.
    points: usize,
    /// Largest horizontal displacement of a brick, in heights of a brick.
    sideways: f32,
    /// Largest vertical displacement of a brick, in heights of a brick.
    down: f32,
    /// Whether all bricks are where they were laid.
    stands: bool,
}

fn simulate(library: &mut impl Collide, bricks: &[Obb]) -> Result<Run, Error> {
    let mut bodies: Vec<Body> = bricks.iter().map(Body::brick).collect();
    bodies.push(Body::ground());
    let mut solver = Solver::default();
    let mut points = Vec::new();
    let mut times = [Duration::ZERO; STEPS.len()];
    for _ in 0..FRAMES {
        let [candidates, contact, gather, solve] = &mut times;
        timed(candidates, || library.candidates(&bodies))?;
        timed(contact, || library.contact(&bodies))?;
        timed(gather, || library.gather(&bodies, &mut points));
        timed(solve, || solver.frame(&mut bodies, &mut points));
        timed(gather, || library.keep(&points));
    }

    let mut run = Run {
        times,
        points: points.len(),
        sideways: 0.0,
        down: 0.0,
        stands: true,
    };
    for (body, brick) in bodies.iter().zip(bricks) {
        let moved = (body.pose.translation - Vector::from(brick.center)) / wall::HEIGHT;
        let (sideways, down) = (moved.x.hypot(moved.z), moved.y.abs());
        run.sideways = run.sideways.max(sideways);
        run.down = run.down.max(down);
        // False for NaN.
        run.stands &= sideways <= TOLERANCE && down <= TOLERANCE;
    }
    Ok(run)
}

fn timed<R>(time: &mut Duration, step: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = step();
    *time += start.elapsed();
    result
}

fn micros(time: Duration) -> String {
    format!("{:.1} µs", time.as_secs_f64() * 1e6 / f64::from(FRAMES))
}

fn per_cent(part: f32) -> String {
    format!("{:.1} %", 100.0 * part)
}

fn print_row(name: &str, runs: &[Run; 2], column: impl Fn(&Run) -> String) {
    let [phalanx, parry3d] = runs.each_ref().map(column);
    println!("{name:12}{phalanx:>12}{parry3d:>12}");
}
