//! The outcome as Markdown.

use phalanx::Simd;

use crate::harness::compare::Tally;
use crate::run::{Outcome, SHARD};
use crate::{Arguments, Kernel, SLOW};

pub fn print(arguments: &Arguments, kernels: &[Kernel], outcomes: &[Outcome]) {
    println!(
        "phalanx {} on {}, {} threads; {} cases per kernel, {} of {}.",
        env!("CARGO_PKG_VERSION"),
        Simd::best(),
        rayon::current_num_threads(),
        arguments.cases,
        arguments.slow_cases,
        SLOW.join(" and "),
    );
    println!(
        "Every {SHARD} cases have a generator of their own, seeded with the kernel's name and their \
         number: the same in each run, on any number of threads.\n"
    );
    println!(
        "| kernel | who | cases | hits | missed | false hits | late | worst gap / band | \
         worst gap at claimed times / band |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|");
    for (kernel, outcome) in kernels.iter().zip(outcomes) {
        let phalanx = &outcome.phalanx;
        let slack = if kernel.sweeps {
            format!("{:.3}", phalanx.worst_slack)
        } else {
            NONE.into()
        };
        let widest = format!("{:.3} | {slack}", phalanx.worst_gap);
        print_row(kernel.name, "**phalanx**", kernel, phalanx, &widest);
        for peer in &outcome.peers {
            let widest = format!("{NONE} | {NONE}");
            print_row("", peer.name, kernel, &peer.tally, &widest);
        }
    }
}

/// Text of a missing figure.
const NONE: &str = "–";

fn print_row(name: &str, who: &str, kernel: &Kernel, tally: &Tally, widest: &str) {
    let late = if kernel.sweeps {
        tally.not_enclosed.to_string()
    } else {
        NONE.into()
    };
    println!(
        "| {name} | {who} | {} | {} | {} | {} | {late} | {widest} |",
        tally.cases, tally.hits, tally.missed, tally.false_hits,
    );
}
