//! Frame after frame of a physics engine, answered by phalanx and checked.
//!
//! ```text
//! cargo run --release -p phalanx-rapier
//! ```
//!
//! A rapier3d simulation throws 4000 boxes and 4000 spheres into a pit, where they pile up. In each
//! frame phalanx takes the candidate pairs of the engine's own broadphase and answers what its
//! narrow phase has to find out: which boxes overlap, and which spheres meet during the step, and
//! when. Candidates of other kinds, a box and a sphere or anything and the pit, are
//! counted and skipped.
//!
//! **At which poses.** A step of the engine first finds candidates at the poses that the last step
//! left, with each body's bounds grown by a small margin; then works out contacts at these poses;
//! then moves the bodies. So boxes are tested at the poses before the step, for which their pairs
//! were made, and spheres are swept from there to the poses after it. The motion of a sphere is all
//! that the step did to it, pushes by neighbours included. A sphere that flies farther than the
//! margin may reach others that are no candidates of that step: a broadphase that feeds sweeps
//! would grow its bounds by the motions. This one does not, and nobody asks about those pairs.
//!
//! **Checked.** parry3d, the collision library under rapier3d, answers the same pairs from the same
//! numbers. Where the two differ, exact arithmetic decides, the oracle of this crate's tests; a
//! random sample of the answers that both agree on is judged as well, with the times of contact.
//! The example fails if phalanx missed a hit, reported one beyond its stated band, or reported
//! times that leave out part of the contact. A false hit within the band keeps the promise, and is
//! counted.
//!
//! **Timed.** One thread, default compiler flags. Each side answers a list several times and its
//! fastest time counts. For phalanx that is the whole call: it checks the list, packs the shapes
//! and writes every output. parry3d gets shapes and poses in arrays ready to use, its function
//! for the very pair of shapes, and an array for its answers.
//!
//! **Columns**, for boxes and for spheres: candidate pairs; `hits`, as phalanx finds them; `differ`,
//! pairs that parry3d answers otherwise; time per pair of phalanx and of parry3d. The last column
//! counts the candidates that are skipped. A pair that the two differ on is printed below its
//! frame, with the exact answer, the gap between the shapes, and the band: the largest gap at which
//! phalanx may report a hit.

mod boxes;
mod contest;
#[path = "../../../tests/oracle/mod.rs"]
mod oracle;
mod scene;
mod spheres;

use std::process::ExitCode;
use std::time::Duration;

use boxes::Boxes;
use contest::{Tally, hold};
use indicatif::ProgressBar;
use phalanx::{Detector, Error, Simd};
use rand::SeedableRng;
use rand::rngs::StdRng;
use scene::{Frame, Scene};
use spheres::Spheres;

const FRAMES: u64 = 120;
const SEED: u64 = 2026;

/// How many disagreements are printed. All are counted, and broken promises are always printed.
const PRINTED: usize = 20;

fn main() -> Result<ExitCode, Error> {
    let mut scene = Scene::new(SEED);
    let mut frame = Frame::default();
    let detector = Detector::new().parallel(false);
    let (mut boxes, mut spheres) = (Boxes::new(detector.clone()), Spheres::new(detector));
    let (mut box_total, mut sphere_total) = (Tally::default(), Tally::default());
    let mut samples = StdRng::seed_from_u64(SEED);
    let mut printed = 0;

    print_header();
    // Goes to stderr, and shows only if that is a terminal.
    let bar = ProgressBar::new(FRAMES);
    for number in 1..=FRAMES {
        scene.step(&mut frame);
        let mut findings = Vec::new();
        let box_tally = hold(&mut boxes, &frame, &mut samples, &mut findings)?;
        let sphere_tally = hold(&mut spheres, &frame, &mut samples, &mut findings)?;
        findings.retain(|finding| {
            printed += 1;
            finding.broken || printed <= PRINTED
        });
        bar.suspend(|| {
            print_row(number, &scene, &box_tally, &sphere_tally, frame.skipped);
            for finding in &findings {
                println!("{}", finding.text);
            }
        });
        bar.inc(1);
        box_total += box_tally;
        sphere_total += sphere_tally;
    }
    bar.finish_and_clear();

    println!();
    print_total("box pairs", &box_total);
    print_total("sphere pairs", &sphere_total);
    let kept = box_total.broken + sphere_total.broken == 0;
    let judged = box_total.judged + sphere_total.judged;
    if kept {
        println!(
            "0 missed, 0 late, 0 false hits beyond the band: {judged} results checked in exact arithmetic"
        );
        Ok(ExitCode::SUCCESS)
    } else {
        let broken = box_total.broken + sphere_total.broken;
        println!("GUARANTEES BROKEN: {broken} of {judged} results checked in exact arithmetic");
        Ok(ExitCode::FAILURE)
    }
}

fn print_header() {
    let simd = Simd::best();
    println!(
        "phalanx on {simd}, {} lanes, one thread; {}\n",
        simd.lanes(),
        cpu()
    );
    println!("{:14} |{:^46} |{:^46} |", "", "box pairs", "sphere pairs");
    let [pairs, hits, differ] = ["pairs", "hits", "differ"];
    let half = format!(
        "{pairs:>8}{hits:>8}{differ:>8}{:>11}{:>11}",
        "phalanx", "parry3d"
    );
    println!(" frame  bodies |{half} |{half} | skipped");
}

fn print_row(number: u64, scene: &Scene, boxes: &Tally, spheres: &Tally, skipped: usize) {
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
    println!(
        "{number:>6}{:>8} |{} |{} |{skipped:>8}",
        scene.bodies(),
        half(boxes),
        half(spheres)
    );
}

fn per_pair(time: Duration, pairs: usize) -> String {
    if pairs == 0 {
        return "-".into();
    }
    format!("{:.1} ns", time.as_nanos() as f64 / pairs as f64)
}

fn print_total(name: &str, total: &Tally) {
    let ratio = total.parry.as_secs_f64() / total.phalanx.as_secs_f64();
    println!("{name}: {} in all, {} hits", total.pairs, total.hits);
    println!(
        "  phalanx {}, parry3d {} per pair: parry3d takes {ratio:.1} times as long",
        per_pair(total.phalanx, total.pairs),
        per_pair(total.parry, total.pairs),
    );
    println!(
        "  {} results differ; {} judged exactly",
        total.disagreements, total.judged,
    );
    println!(
        "  phalanx: {} guarantees broken, {} false hits within its band",
        total.broken, total.within_band,
    );
    println!(
        "  parry3d: {} hits missed, {} false hits",
        total.parry_missed, total.parry_false,
    );
}

/// The CPU's name, where the system tells it.
fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or(std::env::consts::ARCH, |(_, name)| name).into()
}
