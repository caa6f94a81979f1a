//! A small game on a [`Scene`](phalanx::Scene): `cargo run --release --example game`.
//!
//! In a hall with a thin wall, crates, rocks and barrels fall and vanish, bullets fly at 90 m/s and bounce, doors open when
//! something comes near, a player walks through them, and rays find what each pixel shows. There is no picture. The physics only
//! moves bodies and pushes them apart.
//!
//! - [`game`]: the frame: `sweeps`, `casts`, `contacts` and `cast_rays` of the scene.
//! - [`level`]: the mesh, and the layers. [`props`]: spawning, contacts. [`bullets`]: CCD. [`doors`]: fixed colliders that move,
//!   triggers by events. [`player`]: collide and slide.
//! - [`judge`] and [`searches`] check all answers of each frame by brute force, and the ways of bullets against all triangles.
//!
//! A second run, without the judge and on one thread, is timed. Both must have the same digest of all answers. The example
//! fails if anything is wrong.

mod bullets;
mod digest;
mod doors;
mod game;
mod judge;
mod level;
mod pairs;
mod player;
mod props;
mod searches;
mod vector;
mod verdict;
mod walls;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use digest::Digest;
use game::Game;
use judge::Judge;
use phalanx::Error;

const FRAMES: usize = 300;
const THREADS: usize = 4;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(THREADS)
        .build()?;
    let mut judge = Judge::new();
    let judged = pool.install(|| play(true, Some(&mut judge)))?;
    let timed = play(false, None)?;

    let Run {
        game, mut times, ..
    } = timed;
    println!(
        "{FRAMES} frames, in the last {} colliders, {} props, {} bullets; {} spawned, {} without room",
        game.scene.len(),
        game.props.len,
        game.bullets.len(),
        game.spawned,
        game.refused,
    );
    times.sort_unstable();
    println!(
        "a frame on one thread: median {:.2} ms, worst {:.2} ms",
        millis(times[FRAMES / 2]),
        millis(times[FRAMES - 1]),
    );
    let opened: usize = game.doors.iter().map(|door| door.opened).sum();
    let Game { player, .. } = &game;
    println!(
        "the player walked {:.0} m to {} places; doors opened {opened} times",
        player.walked, player.places
    );

    println!("each frame checked by brute force:\n{}", judge.verdict);
    let is_same = judged.digest.0 == timed.digest.0;
    println!(
        "runs      digests of {THREADS} threads and of 1: {:016x}, {:016x}",
        judged.digest.0, timed.digest.0
    );
    // A game without events checks nothing.
    let happens = player.places >= 4 && opened >= 3 && judge.verdict.events >= 100;
    let is_clean = judge.verdict.is_clean() && is_same && happens;
    println!("{}", if is_clean { "all right" } else { "FAILED" });
    Ok(match is_clean {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// The end of a run.
struct Run {
    game: Game,
    digest: Digest,
    /// The times of frames, without those of the judge.
    times: Vec<Duration>,
}

/// Plays all frames.
fn play(parallel: bool, mut judge: Option<&mut Judge>) -> Result<Run, Error> {
    let mut game = Game::new()?;
    game.scene.detector_mut().set_parallel(parallel);
    let (mut digest, mut times) = (Digest::default(), Vec::with_capacity(FRAMES));
    for _ in 0..FRAMES {
        let mut total = Duration::ZERO;
        let mut timed = |part: fn(&mut Game) -> Result<(), Error>, game: &mut Game| {
            let start = Instant::now();
            let result = part(game);
            total += start.elapsed();
            result
        };
        timed(Game::begin, &mut game)?;
        if let Some(judge) = &mut judge {
            judge.bullets(&game)?;
        }
        timed(Game::advance, &mut game)?;
        if let Some(judge) = &mut judge {
            judge.contacts(&game)?;
        }
        timed(Game::respond, &mut game)?;
        if let Some(judge) = &mut judge {
            judge.triggers(&game);
        }
        timed(Game::pick, &mut game)?;
        if let Some(judge) = &mut judge {
            judge.picks(&game)?;
        }
        game.digest(&mut digest);
        times.push(total);
    }
    Ok(Run {
        game,
        digest,
        times,
    })
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
