//! One frame after another of a physics engine, answered by phalanx and checked.
//!
//! ```text
//! cargo run --release --example frame
//! ```
//!
//! A rapier3d simulation throws 2000 boxes and 1500 balls into a pit, where they pile up. In each
//! frame, phalanx takes the engine's own broadphase candidates and answers what its narrow phase
//! has to find out: which boxes overlap, and which balls meet during the step, and when. Candidates
//! of kinds that have no kernel yet are counted and skipped.
//!
//! **At which poses.** A step of the engine first finds candidate pairs at the poses that the last
//! step left, its boxes' bounds grown by a small margin; then it works out contacts at the same
//! poses; then it moves the bodies. So boxes are tested at the poses before the step, for which the
//! pairs were made, and balls are swept from there to the poses after the step. The motion of a ball
//! is what the step did to it, pushes from neighbours included; a ball that flies farther than the
//! margin in one step may meet others that are no candidates of that step, and nobody asks about them.
//!
//! **Checked.** parry3d, the collision library beneath rapier3d, answers the same pairs from the same
//! numbers. Where the two differ, exact arithmetic decides, the oracle of this crate's tests; a
//! random sample of the answers they agree on is judged too, times of contact included. The
//! example fails if phalanx has missed a hit, reported one farther apart than its stated band, or
//! reported a time interval that leaves out part of the contact. A false hit within the band keeps
//! the promise, and is counted.
//!
//! **Timed.** One thread; each list is answered several times by either side, and the fastest time
//! counts. phalanx's time is that of the whole call, with checking the list, packing the shapes and writing
//! all outputs. parry3d gets its shapes in arrays ready to use, its function for the very pair of shapes,
//! and an array to write its answers to.
//!
//! **Columns**, for boxes and for balls: candidate pairs; `hits` as phalanx finds them; `differ`,
//! pairs that parry3d answers otherwise; nanoseconds per pair of phalanx and of parry3d. `skipped`
//! are candidates without a kernel.

mod balls;
mod boxes;
mod contest;
#[allow(dead_code)]
#[path = "../../tests/oracle/mod.rs"]
mod oracle;
mod scene;

use std::process::ExitCode;
use std::time::Duration;

use balls::Balls;
use boxes::Boxes;
use contest::{Tally, hold};
use indicatif::ProgressBar;
use phalanx::{Detector, Error, Simd};
use rand::SeedableRng;
use rand::rngs::StdRng;
use scene::{Frame, Scene};

const FRAMES: u64 = 120;
const SEED: u64 = 2026;

/// How many disagreements are printed; all are counted.
const PRINTED: usize = 20;

fn main() -> Result<ExitCode, Error> {
    let mut scene = Scene::new(SEED);
    let mut frame = Frame::default();
    let detector = Detector::new().parallel(false);
    let (mut boxes, mut balls) = (Boxes::new(detector.clone()), Balls::new(detector));
    let (mut box_total, mut ball_total) = (Tally::default(), Tally::default());
    let mut samples = StdRng::seed_from_u64(SEED);
    let mut printed = 0;

    print_header();
    // Goes to stderr, and shows only if that is a terminal.
    let bar = ProgressBar::new(FRAMES);
    for number in 1..=FRAMES {
        scene.step(&mut frame);
        let mut findings = Vec::new();
        let box_tally = hold(&mut boxes, &frame, &mut samples, &mut findings)?;
        let ball_tally = hold(&mut balls, &frame, &mut samples, &mut findings)?;
        findings.truncate(PRINTED - printed);
        printed += findings.len();
        bar.suspend(|| {
            print_row(number, &scene, &box_tally, &ball_tally, frame.skipped);
            findings.iter().for_each(|finding| println!("{finding}"));
        });
        bar.inc(1);
        box_total += box_tally;
        ball_total += ball_tally;
    }
    bar.finish_and_clear();

    print_total("box pairs", &box_total);
    print_total("ball pairs", &ball_total);
    let kept = [box_total, ball_total].iter().all(Tally::kept);
    println!("{}", if kept { "every promise kept" } else { "PROMISES BROKEN" });
    Ok(if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print_header() {
    println!("phalanx on {}, {} lanes; {}; one thread", Simd::best(), Simd::best().lanes(), cpu());
    println!();
    println!("{:14} |{:^46} |{:^46} |", "", "box pairs", "ball pairs");
    let half = format!("{:>8}{:>8}{:>8}{:>11}{:>11}", "pairs", "hits", "differ", "phalanx", "parry3d");
    println!("{:>6}{:>8} |{half} |{half} |{:>8}", "frame", "bodies", "skipped");
}

fn print_row(number: u64, scene: &Scene, boxes: &Tally, balls: &Tally, skipped: usize) {
    let half = |tally: &Tally| {
        format!(
            "{:>8}{:>8}{:>8}{:>11}{:>11}",
            tally.pairs,
            tally.hits,
            tally.disagreements,
            per_pair(tally.phalanx, tally.pairs),
            per_pair(tally.parry, tally.pairs),
        )
    };
    println!("{number:>6}{:>8} |{} |{} |{skipped:>8}", scene.bodies(), half(boxes), half(balls));
}

fn per_pair(time: Duration, pairs: usize) -> String {
    if pairs == 0 {
        return "-".into();
    }
    format!("{:.1} ns", time.as_nanos() as f64 / pairs as f64)
}
