//! Runs the contests of all benches: criterion on each side, then turns, then a record.

use std::cell::{Cell, LazyCell, RefCell};
use std::env;
use std::time::Duration;

use criterion::{Criterion, Throughput};

use crate::machine;
use crate::record::{Contest, FileError, Record, Role, Side};
use crate::turns::Turns;

/// A bench with the options of the command line.
pub struct Bench {
    name: &'static str,
    /// `None` if only turns are measured.
    criterion: Option<Criterion>,
    /// Only contests whose group has this in its name.
    filter: Option<String>,
    quick: bool,
    /// Whether to run everything once, as a test.
    is_test: bool,
    contests: Vec<Contest>,
}

/// Description of a contest: the parts of a [`Contest`] that are known before it is opened.
pub struct Label {
    pub name: String,
    pub scene: String,
    pub about: String,
    pub shapes: usize,
    pub items: usize,
    pub unit: &'static str,
}

/// A participant.
#[derive(Clone)]
pub struct Player {
    pub name: String,
    pub role: Role,
    pub call: Option<String>,
}

impl Player {
    pub fn phalanx(name: impl Into<String>) -> Self {
        Player {
            name: name.into(),
            role: Role::Phalanx,
            call: None,
        }
    }

    pub fn peer(name: &str, call: &str) -> Self {
        Player {
            name: name.into(),
            role: Role::Peer,
            call: Some(call.into()),
        }
    }
}

/// A contest with everything prepared, and the results checked.
pub struct Open<'s> {
    /// Does all the work, as the player of this number.
    pub call: Box<dyn FnMut(usize) + 's>,
    /// Number of tested pairs.
    pub pairs: Option<usize>,
    /// Number of touching pairs.
    pub hits: Option<usize>,
    /// Number of results of each player that differ from phalanx; empty if all agree.
    pub different: Vec<usize>,
}

impl<'s> Open<'s> {
    /// A contest without results to compare.
    pub fn unchecked(call: impl FnMut(usize) + 's) -> Self {
        Open {
            call: Box::new(call),
            pairs: None,
            hits: None,
            different: Vec::new(),
        }
    }
}

impl Bench {
    pub fn from_args(name: &'static str) -> Self {
        let arguments: Vec<String> = env::args().skip(1).collect();
        let has = |name: &str| arguments.iter().any(|argument| argument == name);
        let (only_turns, quick) = (has("table"), has("--quick"));
        let (warm_up, measurement) = if quick { (30, 70) } else { (300, 700) };
        let criterion = (!only_turns).then(|| {
            Criterion::default()
                .sample_size(10)
                .warm_up_time(Duration::from_millis(warm_up))
                .measurement_time(Duration::from_millis(measurement))
                .configure_from_args()
        });
        // Otherwise filtering is up to criterion.
        let filter = arguments
            .iter()
            .find(|argument| only_turns && *argument != "table" && !argument.starts_with('-'));
        Bench {
            name,
            criterion,
            filter: filter.cloned(),
            quick,
            // Criterion's rule.
            is_test: !has("--bench") || has("--test"),
            contests: Vec::new(),
        }
    }

    /// Whether to run on a small scale, as a test.
    pub fn is_quick(&self) -> bool {
        self.quick || self.is_test
    }

    pub fn turns(&self) -> Turns {
        Turns::new(self.quick)
    }

    /// Holds a contest. If a filter omits the contest, it is not opened.
    pub fn hold<'s>(&mut self, label: Label, players: &[Player], open: impl FnOnce() -> Open<'s>) {
        let players: Vec<_> = players.iter().map(|player| (player.clone(), 1)).collect();
        self.hold_shares(label, &players, open);
    }

    /// Like [`hold`](Self::hold), for players that do different amounts of work, as multiples of the label's.
    pub fn hold_shares<'s>(
        &mut self,
        label: Label,
        players: &[(Player, usize)],
        open: impl FnOnce() -> Open<'s>,
    ) {
        let (players, amounts): (Vec<_>, Vec<_>) = players.iter().cloned().unzip();
        let open = LazyCell::new(|| RefCell::new(open()));
        if self.is_wanted(&label, &players, &open) {
            let mut open = open.borrow_mut();
            let mut times = self.turns().measure(players.len(), &mut open.call);
            for (times, amount) in times.iter_mut().zip(amounts) {
                times.iter_mut().for_each(|time| *time /= amount as f64);
            }
            self.add(label, &players, &open, &times);
        }
    }

    /// Runs criterion. Returns whether turns are to be measured.
    pub fn is_wanted<'s>(
        &mut self,
        label: &Label,
        players: &[Player],
        open: &LazyCell<RefCell<Open<'s>>, impl FnOnce() -> RefCell<Open<'s>>>,
    ) -> bool {
        let group_name = format!("{}/{}", label.name, label.scene);
        let Some(criterion) = &mut self.criterion else {
            let filter = self.filter.as_ref();
            return filter.is_none_or(|filter| group_name.contains(filter));
        };
        let ran = Cell::new(false);
        let mut group = criterion.benchmark_group(group_name);
        group.throughput(Throughput::Elements(label.items as u64));
        for (k, player) in players.iter().enumerate() {
            let name = match player.role {
                Role::Phalanx => format!("phalanx {}", player.name),
                Role::Peer => player.name.clone(),
            };
            group.bench_function(name, |bencher| {
                let mut open = open.borrow_mut();
                bencher.iter(|| (open.call)(k));
                ran.set(true);
            });
        }
        group.finish();
        ran.get() && !self.is_test
    }

    /// Adds measurements: the seconds of each player, round by round.
    pub fn add(&mut self, label: Label, players: &[Player], open: &Open<'_>, times: &[Vec<f64>]) {
        let ns_per_item = |&seconds: &f64| four_digits(seconds * 1e9 / label.items as f64);
        let sides = players.iter().zip(times).enumerate();
        let sides = sides.map(|(k, (player, times))| Side {
            name: player.name.clone(),
            role: player.role,
            call: player.call.clone(),
            different: open.different.get(k).copied().unwrap_or(0),
            ns: times.iter().map(ns_per_item).collect(),
        });
        let sides = sides.collect();
        let contest = Contest {
            name: label.name,
            scene: label.scene,
            about: label.about,
            shapes: label.shapes,
            items: label.items,
            unit: label.unit.into(),
            pairs: open.pairs,
            hits: open.hits,
            sides,
        };
        if self.contests.is_empty() {
            println!("\n{}", machine::describe(self.quick));
            println!(
                "| work | scene | who | ns | of phalanx's time | differ |\n|---|---|---|--:|--:|--:|"
            );
        }
        print_rows(&contest);
        self.contests.push(contest);
    }

    /// The contests measured in turns so far.
    pub fn contests(&self) -> &[Contest] {
        &self.contests
    }

    /// Writes the record, if all of the bench was measured in turns.
    pub fn finish(self) -> Result<(), FileError> {
        match self.criterion {
            Some(criterion) => criterion.final_summary(),
            None if self.filter.is_some() => println!("\nnot written: only a part was measured"),
            None => {
                let record = Record {
                    machine: machine::describe(self.quick),
                    contests: self.contests,
                };
                println!("\nwritten to {}", record.write(self.name)?.display());
            }
        }
        Ok(())
    }
}

fn print_rows(contest: &Contest) {
    let Some(first) = contest.sides.first() else {
        return;
    };
    for side in &contest.sides {
        println!(
            "| {} | {} | {} | {:.2} per {} | {:.2} | {} |",
            contest.name,
            contest.scene,
            side.name,
            side.median(),
            contest.unit,
            first.times_as_fast_as(side),
            side.different,
        );
    }
}

/// Rounds to four digits: more than the precision of the clock, and files stay small.
fn four_digits(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}
