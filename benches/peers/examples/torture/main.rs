//! Every kernel against exact arithmetic on cases within ulps of contact, and other libraries on the same cases.
//!
//! ```text
//! cargo run --release -p phalanx-bench --example torture -- --cases 1000000
//! cargo run --release -p phalanx-bench --example torture -- --kernel obb_obb_overlap
//! ```
//!
//! The cases are those of `tests/near_contact.rs`: two random shapes, the second moved to where the answer changes from
//! hit to miss, then numbers of either stepped by an ulp or two. Lengths are of any order of magnitude, from lengths
//! whose squares underflow to the largest valid ones, near the origin and far from it. The oracle of the tests judges
//! each case in integers.
//!
//! **Other libraries**: parry3d and wreck, by their calls for the purpose, and the listings of the article that the
//! kernels come from. They get the same cases, except cases with a margin, which they do not support. None of them
//! makes the promises of phalanx: a miss at the last ulp is not a bug of theirs.
//!
//! **Columns**: cases; `hits`, pairs that touch in exact arithmetic; `missed`, touching pairs reported as misses;
//! `false hits`, separated pairs reported as hits; `late`, right hits whose times omit some time of contact. Only
//! claims count: for a library that reports only the start of a contact, the start must not be late. For phalanx, the
//! widest gap of a false hit as a share of the kernel's band, and the widest gap at a claimed time.
//!
//! **Contacts** of boxes have a separate table, with parry3d: see `contacts.rs`; so have **impacts** of rotating boxes:
//! see `impacts.rs`. **Climbs** towards the error band of contacts are in `climb.rs`.
//!
//! The example fails if phalanx missed a hit, reported a hit beyond its band, reported times that omit part of a
//! contact, reported a wrong contact, or broke a promise about an impact.

mod arguments;
mod article;
mod climb;
#[path = "../../../../tests/common/mod.rs"]
mod common;
mod contacts;
#[path = "../../../../tests/harness/mod.rs"]
mod harness;
mod impacts;
#[path = "../../../../tests/oracle/mod.rs"]
mod oracle;
mod peers;
mod picture;
mod run;
mod table;

use std::process::ExitCode;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use arguments::Arguments;
use peers::Registry;
use run::Outcome;

/// OBBs against boxes, whose exact answers take longest.
const SLOW: [&str; 4] = [
    "obb_obb_overlap",
    "obb_obb_sweep",
    "aabb_obb_overlap",
    "aabb_obb_sweep",
];

/// Number of broken promises that are printed with all their numbers.
const PRINTED: usize = 10;

/// A line of the index.
#[derive(Clone, Copy)]
pub struct Kernel {
    name: &'static str,
    /// Whether its results have times.
    sweeps: bool,
    /// Runs a shard of its cases.
    shard: fn(run::Shard, &Registry, &ProgressBar) -> Outcome,
}

macro_rules! list {
    ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
        [$(Kernel {
            name: stringify!($file),
            sweeps: stringify!($verb) == "sweep",
            shard: run::shard::<harness::cells::$file>,
        }),*]
    };
}

fn main() -> ExitCode {
    let start = Instant::now();
    let mut kernels = phalanx::kernels!(list).to_vec();
    let names = kernels.iter().map(|kernel| kernel.name);
    let names: Vec<_> = names
        .chain([contacts::NAME, climb::NAME, impacts::NAME])
        .collect();
    let arguments = match arguments::parse(lexopt::Parser::from_env(), &names) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("{error}\n\nSee --help.");
            return ExitCode::from(2);
        }
    };
    if arguments.help {
        println!("{}", arguments::HELP);
        return ExitCode::SUCCESS;
    }
    if let Some(path) = &arguments.picture {
        return match std::fs::write(path, picture::draw()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{}: {error}", path.display());
                ExitCode::from(2)
            }
        };
    }
    if let Some(name) = &arguments.kernel {
        kernels.retain(|kernel| kernel.name == name);
    }

    let outcomes = torture(&kernels, &arguments);
    if !kernels.is_empty() {
        table::print(&arguments, &kernels, &outcomes);
    }
    let wants = |own: &str| arguments.kernel.as_ref().is_none_or(|name| name == own);
    let of_contacts = wants(contacts::NAME).then(|| contacts::torture(arguments.cases));
    if let Some(outcome) = &of_contacts {
        contacts::print(outcome);
    }
    let of_climbs = wants(climb::NAME).then(|| climb::torture(arguments.cases));
    if let Some(outcomes) = &of_climbs {
        climb::print(outcomes);
    }
    let of_impacts = wants(impacts::NAME).then(|| impacts::torture(arguments.slow_cases));
    if let Some(outcome) = &of_impacts {
        impacts::print(outcome);
    }
    let broken: Vec<_> = outcomes
        .iter()
        .flat_map(|outcome| &outcome.broken)
        .chain(of_contacts.iter().flat_map(|outcome| &outcome.broken))
        .chain(
            of_climbs
                .iter()
                .flatten()
                .flat_map(|outcome| &outcome.broken),
        )
        .chain(of_impacts.iter().flat_map(|outcome| &outcome.broken))
        .collect();
    if !broken.is_empty() {
        println!("\nPROMISES BROKEN, for example:\n");
        for case in broken.iter().take(PRINTED) {
            println!("- {case}");
        }
    }
    eprintln!("\nin {:.1} s", start.elapsed().as_secs_f64());
    ExitCode::from(u8::from(!broken.is_empty()))
}

/// Outcome of each kernel's cases.
fn torture(kernels: &[Kernel], arguments: &Arguments) -> Vec<Outcome> {
    let mut registry = Registry::default();
    peers::add_to(&mut registry);
    article::add_to(&mut registry);

    let cases = kernels.iter().map(|k| cases_of(k, arguments) as u64).sum();
    let bar = ProgressBar::new(cases).with_style(
        ProgressStyle::with_template("{wide_bar} {human_pos} of {human_len} cases, {eta} left")
            .expect("the template is a good one"),
    );
    let outcomes = kernels
        .par_iter()
        .with_max_len(1)
        .map(|kernel| {
            run::shards(cases_of(kernel, arguments))
                .into_par_iter()
                .with_max_len(1)
                .map(|shard| (kernel.shard)(shard, &registry, &bar))
                .reduce_with(Outcome::merge)
                .unwrap_or_default()
        })
        .collect();
    bar.finish_and_clear();
    outcomes
}

fn cases_of(kernel: &Kernel, arguments: &Arguments) -> usize {
    if SLOW.contains(&kernel.name) {
        arguments.slow_cases
    } else {
        arguments.cases
    }
}
