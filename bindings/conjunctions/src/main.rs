//! Screens a catalogue of satellites for close approaches.

use std::collections::BTreeSet;
use std::error::Error;
use std::io::{BufWriter, ErrorKind, Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use conjunctions::{
    Approach, Catalogue, Object, Rejected, Screen, Settings, brute, generate, newest_epoch,
    objects_of, write_catalogue,
};
use phalanx::Detector;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};
use rayon::ThreadPoolBuilder;
use sgp4::chrono::{NaiveDateTime, TimeDelta};

/// Screens satellites for close approaches, and prints each with its time and distance.
///
/// Elements are read from a catalogue, or generated. Approaches go to the standard output in order of time, all else
/// to the standard error.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// A catalogue: orbit mean-elements messages as JSON, or two-line elements
    #[arg(long, conflicts_with = "objects")]
    catalogue: Option<PathBuf>,
    /// How many objects to generate
    #[arg(long, default_value_t = 30_000)]
    objects: usize,
    /// What generated objects, and the subset of a check, depend on
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to write the elements, as a catalogue in JSON
    #[arg(long)]
    write_catalogue: Option<PathBuf>,
    /// The start in UTC, such as 2026-01-01T00:00:00; by default the newest epoch of the elements
    #[arg(long)]
    start: Option<NaiveDateTime>,
    /// How many hours to screen
    #[arg(long, default_value_t = 24.0)]
    hours: f64,
    /// The length of a step in seconds
    #[arg(long, default_value_t = 10.0)]
    step: f64,
    /// The distance in km that approaches are below
    #[arg(long, default_value_t = 5.0)]
    below: f64,
    /// How many threads to use; 0 is one for each core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// How many objects to check by brute force: half of them from approaches found, half at random
    #[arg(long, value_name = "OBJECTS", value_parser = clap::value_parser!(u32).range(2..=5000))]
    check: Option<u32>,
    /// How many samples a second brute force takes
    #[arg(long, default_value_t = 1.0)]
    check_rate: f64,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            let pipe = error.downcast_ref::<std::io::Error>();
            if pipe.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe) {
                return ExitCode::SUCCESS;
            }
            eprintln!("conjunctions: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let settings = Settings::new(arguments.hours, arguments.step, arguments.below)?;
    if !(1e-3..=1e3).contains(&arguments.check_rate) {
        let rate = arguments.check_rate;
        return Err(format!("--check-rate is {rate}: it has to be from 0.001 to 1000").into());
    }
    let catalogue = match &arguments.catalogue {
        Some(path) => Catalogue::read(path)?,
        None => Catalogue {
            elements: generate(arguments.objects, arguments.seed),
            rejected: Vec::new(),
        },
    };
    if let Some(path) = &arguments.write_catalogue {
        write_catalogue(path, &catalogue.elements)?;
        eprintln!(
            "wrote {} elements to {}",
            catalogue.elements.len(),
            path.display()
        );
    }
    let start = arguments
        .start
        .or_else(|| newest_epoch(&catalogue.elements))
        .unwrap_or_default();
    let (objects, rejected) = objects_of(&catalogue.elements, start);
    for Rejected {
        place,
        name,
        reason,
    } in catalogue.rejected.iter().chain(&rejected)
    {
        eprintln!("left out: {name} ({place}): {reason}");
    }
    let left_out = catalogue.rejected.len() + rejected.len();
    let ages = objects.iter().map(|object| object.age());
    let [youngest, oldest] = [
        ages.clone().fold(f64::INFINITY, f64::min),
        ages.fold(0.0, f64::max),
    ];
    eprintln!(
        "{} objects, {left_out} left out, elements {youngest:.1} to {oldest:.1} days old at {start} UTC",
        objects.len()
    );

    let pool = ThreadPoolBuilder::new()
        .num_threads(arguments.threads)
        .build()?;
    let wants_covers = arguments.check.is_some();
    let screened = pool.install(|| screen(&objects, settings, start, wants_covers))?;
    print(&objects, start, &screened.approaches)?;
    match arguments.check {
        Some(count) => check(arguments, &objects, settings, count as usize, &screened),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// What a screening found.
struct Screened {
    approaches: Vec<Approach>,
    /// All hits, if a check wants them.
    covers: Vec<brute::Cover>,
}

fn screen(
    objects: &[Object],
    settings: Settings,
    start: NaiveDateTime,
    wants_covers: bool,
) -> Result<Screened, conjunctions::Error> {
    let begin = Instant::now();
    let detector = Detector::new();
    let simd = detector.settings().simd;
    let mut screen = Screen::new(objects, settings, detector)?;
    let (mut approaches, mut covers) = (Vec::new(), Vec::new());
    let mut told = Instant::now();
    while screen.next_step(&mut approaches)? {
        let done = screen.steps_done();
        if wants_covers {
            covers.extend(
                screen
                    .hits()
                    .iter()
                    .map(|hit| (done - 1, hit.objects, [hit.enter, hit.exit])),
            );
        }
        if told.elapsed() > Duration::from_secs(10) {
            told = Instant::now();
            let (steps, found, seconds) = (
                settings.steps(),
                approaches.len(),
                begin.elapsed().as_secs(),
            );
            eprintln!("step {done} of {steps}, {found} approaches, {seconds} s");
        }
    }
    let mut gone = 0;
    for absence in screen.absences() {
        gone += 1;
        let (name, borders) = (objects[absence.object as usize].name(), absence.borders);
        let (time, reason) = (utc(start, absence.time), &absence.reason);
        eprintln!("no position: {name} at {borders} borders of steps, first at {time}: {reason}");
    }
    for jump in screen.jumps() {
        let (name, time) = (objects[jump.object as usize].name(), utc(start, jump.time));
        eprintln!(
            "jump: SGP4 moves {name} by {:.3} km at once, in the step from {time} or before",
            jump.distance
        );
    }
    let timings = screen.timings();
    let steps = settings.steps();
    eprintln!(
        "{steps} steps of {} s, {} threads, {simd}: {} approaches below {} km, {gone} objects without a position \
         at times, {} jumps",
        settings.step(),
        rayon::current_num_threads(),
        approaches.len(),
        settings.below(),
        screen.jumps().len(),
    );
    let each = |total: u64| total as f64 / f64::from(steps);
    eprintln!(
        "candidates {:.1} a step, hits {:.1} a step",
        each(timings.pairs),
        each(timings.hits)
    );
    let parts = [
        timings.propagate,
        timings.candidates,
        timings.sweep,
        timings.refine,
    ];
    let [propagate, candidates, sweep, refine] = parts.map(|part| part.as_secs_f64());
    eprintln!(
        "{:.1} s: propagate {propagate:.1}, candidates {candidates:.1}, sweep {sweep:.1}, refine {refine:.1}",
        begin.elapsed().as_secs_f64()
    );
    Ok(Screened { approaches, covers })
}

/// A time in UTC, to the millisecond.
fn utc(start: NaiveDateTime, seconds: f64) -> String {
    let time = start + TimeDelta::milliseconds((seconds * 1e3).round() as i64);
    time.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

fn print(objects: &[Object], start: NaiveDateTime, approaches: &[Approach]) -> std::io::Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    writeln!(out, "time_utc\tdistance_km\tspeed_km_s\tobject_a\tobject_b")?;
    for each in approaches {
        let [a, b] = [each.a, each.b].map(|index| objects[index as usize].name());
        let (time, distance, speed) = (utc(start, each.time), each.distance, each.speed);
        writeln!(out, "{time}\t{distance:.6}\t{speed:.6}\t{a}\t{b}")?;
    }
    out.flush()
}

/// Compares a subset with brute force; a difference makes the program fail.
fn check(
    arguments: &Arguments,
    objects: &[Object],
    settings: Settings,
    count: usize,
    screened: &Screened,
) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let begin = Instant::now();
    let mut random = StdRng::seed_from_u64(arguments.seed);
    let mut found: Vec<_> = screened.approaches.iter().collect();
    found.shuffle(&mut random);
    let mut subset: BTreeSet<u32> = BTreeSet::new();
    for each in found {
        if subset.len() + 1 < count / 2 {
            subset.extend([each.a, each.b]);
        }
    }
    let mut rest: Vec<u32> = (0..objects.len() as u32).collect();
    rest.shuffle(&mut random);
    for index in rest {
        if subset.len() < count {
            subset.insert(index);
        }
    }
    let indices: Vec<u32> = subset.iter().copied().collect();
    let samples = (settings.step() * arguments.check_rate).ceil().max(1.0) as u32;
    let brute = brute::brute_force(objects, &indices, &settings, samples, &screened.covers)?;
    let ours = screened
        .approaches
        .iter()
        .filter(|each| subset.contains(&each.a) && subset.contains(&each.b));
    let ours: Vec<Approach> = ours.copied().collect();
    let difference = brute::compare(&ours, &brute.approaches);
    for (what, approaches) in [
        ("missing", &difference.missing),
        ("surplus", &difference.surplus),
    ] {
        for each in approaches {
            eprintln!("check: {what}: {each:?}");
        }
    }
    eprintln!(
        "check: {} objects, {samples} samples a step: {} approaches by brute force, {} missing, {} surplus, \
         distances within {:.1e} km, times within {:.1e} s; {} samples within {} km, {} not covered by a hit; {:.1} s",
        indices.len(),
        brute.approaches.len(),
        difference.missing.len(),
        difference.surplus.len(),
        difference.distance(),
        difference.time(),
        brute.within,
        settings.below(),
        brute.uncovered,
        begin.elapsed().as_secs_f64(),
    );
    let good =
        difference.missing.is_empty() && difference.surplus.is_empty() && brute.uncovered == 0;
    Ok(if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
