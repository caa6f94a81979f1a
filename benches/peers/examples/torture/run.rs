//! Cases of one kernel, and the judgement of each library.

use indicatif::ProgressBar;
use phalanx::TimeInterval;

use crate::common::rng;
use crate::harness::compare::Tally;
use crate::harness::contact::contact;
use crate::harness::{KernelCase, Moving, QueryRunner};
use crate::oracle::Exact;
use crate::peers::Registry;

/// Number of cases that share a generator. Shards do not depend on the number of threads, so that the cases are the
/// same on any machine.
pub const SHARD: usize = 50_000;

/// Number of broken promises that a shard keeps to print.
const KEPT: usize = 3;

/// A part of a kernel's cases.
#[derive(Clone, Copy)]
pub struct Shard {
    pub number: usize,
    pub cases: usize,
}

pub fn shards(cases: usize) -> Vec<Shard> {
    (0..cases.div_ceil(SHARD))
        .map(|number| Shard {
            number,
            cases: SHARD.min(cases - number * SHARD),
        })
        .collect()
}

/// Outcome of cases of a kernel.
#[derive(Default)]
pub struct Outcome {
    pub phalanx: Tally,
    pub peers: Vec<PeerTally>,
    /// The first cases in which phalanx broke a promise, with all their numbers.
    pub broken: Vec<String>,
}

#[derive(Clone, Copy)]
pub struct PeerTally {
    pub name: &'static str,
    pub tally: Tally,
}

impl Outcome {
    pub fn merge(mut self, other: Outcome) -> Outcome {
        for (mine, theirs) in self.peers.iter_mut().zip(&other.peers) {
            mine.tally = mine.tally.merge(theirs.tally);
        }
        self.broken.extend(other.broken);
        Outcome {
            phalanx: self.phalanx.merge(other.phalanx),
            ..self
        }
    }
}

/// Runs phalanx and all peers on the cases of a shard.
pub fn shard<C: KernelCase>(shard: Shard, registry: &Registry, bar: &ProgressBar) -> Outcome {
    let mut rng = rng(&format!("{} {}", C::NAME, shard.number));
    let mut asker = QueryRunner::<C>::default();
    let peers: Vec<_> = registry.of::<C>().collect();
    let mut outcome = Outcome {
        peers: peers
            .iter()
            .map(|&(name, _)| PeerTally {
                name,
                tally: Tally::default(),
            })
            .collect(),
        ..Outcome::default()
    };
    while outcome.phalanx.cases < shard.cases {
        let Some(contact) = contact(&mut rng, &mut asker) else {
            continue;
        };
        let before = outcome.phalanx.cases;
        let said = asker.ask(&contact.a, &contact.b, contact.margin);
        let pairs = contact.a.iter().zip(&contact.b);
        for (said, (a, b)) in said.iter().zip(pairs).take(shard.cases - before) {
            let time = said.time();
            let exact = C::exact(a, b, contact.margin, time);
            // All shapes are valid.
            let kept = outcome.phalanx.add(time, &exact) && !said.invalid;
            if !kept && outcome.broken.len() < KEPT {
                outcome.broken.push(format!(
                    "{}: {said:?}, {time:?}; margin {}; {a:?}; {b:?}; {exact:?}",
                    C::NAME,
                    contact.margin,
                ));
            }
            if contact.margin == 0.0 {
                for ((_, ask), peer) in peers.iter().zip(&mut outcome.peers) {
                    let answer = ask(a, b).map(claim);
                    let exact = exact_for::<C>(a, b, answer, &exact);
                    peer.tally.add(answer, &exact);
                }
            }
        }
        bar.inc((outcome.phalanx.cases - before) as u64);
    }
    outcome
}

/// The part of the frame that a peer claims; for meaningless times, an empty interval.
fn claim(TimeInterval { enter, exit }: TimeInterval) -> TimeInterval {
    if enter.is_nan() || exit.is_nan() {
        return TimeInterval {
            enter: 1.0,
            exit: 0.0,
        };
    }
    TimeInterval {
        enter: enter.clamp(0.0, 1.0),
        exit: exit.clamp(0.0, 1.0),
    }
}

/// The exact answer for a pair with a peer's claim, given the exact answer with phalanx's claim. Times of misses and of
/// overlaps are not judged.
fn exact_for<C: KernelCase>(
    a: &Moving<C::A>,
    b: &Moving<C::B>,
    answer: Option<TimeInterval>,
    exact: &Exact,
) -> Exact {
    let whole_frame = |time: TimeInterval| time.enter == 0.0 && time.exit == 1.0;
    if !exact.hit || answer.is_none_or(whole_frame) {
        return Exact {
            encloses: true,
            ..*exact
        };
    }
    C::exact(a, b, 0.0, answer)
}
