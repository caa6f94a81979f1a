//! Both libraries test the same pairs; where they differ, exact arithmetic decides.

use std::fmt;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

use phalanx::{Error, Pair};
use rand::RngExt;
use rand::rngs::StdRng;

use crate::oracle::Exact;
use crate::scene::Frame;

/// Number of runs of a list in a row. The fastest counts: slower runs were interrupted, or had cold caches.
const ROUNDS: usize = 7;

/// Number of pairs of each list that are checked exactly even if both sides agree.
const SAMPLES: usize = 100;

/// One kind of pairs, tested by phalanx and by parry3d.
pub trait Contest {
    /// Name of a pair in the output.
    const NAME: &'static str;

    fn pairs(frame: &Frame) -> &[Pair];

    /// Writes the shapes in the form that parry3d reads fastest. Not timed.
    fn prepare(&mut self, frame: &Frame);

    /// Runs phalanx on all pairs.
    fn phalanx(&mut self, frame: &Frame) -> Result<(), Error>;

    /// Runs parry3d on all pairs.
    fn parry(&mut self, frame: &Frame);

    /// Both results for one pair.
    fn answers(&self, position: usize) -> Answers;

    /// Number of invalid pairs by phalanx.
    fn invalid_count(&self) -> usize;

    /// The exact answer for one pair.
    fn exact(&self, frame: &Frame, position: usize) -> Exact;
}

/// Results of both libraries for a pair.
#[derive(Clone, Copy)]
pub struct Answers {
    pub phalanx: bool,
    pub parry: bool,
}

/// Statistics of one list of pairs, or of all lists.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    pub pairs: usize,
    /// Number of hits by phalanx.
    pub hits: usize,
    /// Pairs reported as a hit by one side and as a miss by the other.
    pub disagreements: usize,
    /// Pairs checked in exact arithmetic: every disagreement, and a sample of the others.
    pub judged: usize,
    /// Judged pairs where phalanx broke its promise.
    pub broken: usize,
    /// Judged misses that phalanx reports as hits because the gap is within its stated band.
    pub within_band: usize,
    /// Judged hits that parry3d misses.
    pub parry_missed: usize,
    /// Judged misses that parry3d reports as hits.
    pub parry_false: usize,
    pub phalanx: Duration,
    pub parry: Duration,
}

/// A disagreement or a broken promise, in words.
pub struct Finding {
    pub text: String,
    pub broken: bool,
}

/// Judgement of a phalanx result by the exact answer.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Right,
    /// A false hit within the stated band.
    WithinBand,
    BeyondBand,
    Missed,
    /// The reported times omit part of the contact.
    TooShort,
}

impl Verdict {
    fn of(hit: bool, exact: &Exact) -> Self {
        match (hit, exact.hit) {
            (true, true) if !exact.encloses => Verdict::TooShort,
            (true, false) if exact.gap <= exact.band => Verdict::WithinBand,
            (true, false) => Verdict::BeyondBand,
            (false, true) => Verdict::Missed,
            _ => Verdict::Right,
        }
    }

    fn breaks_promise(self) -> bool {
        !matches!(self, Verdict::Right | Verdict::WithinBand)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Right => "phalanx is right",
            Verdict::WithinBand => "phalanx is within its band",
            Verdict::BeyondBand => "PHALANX IS BEYOND ITS BAND",
            Verdict::Missed => "PHALANX MISSED IT",
            Verdict::TooShort => "PHALANX LEAVES OUT PART OF THE CONTACT",
        })
    }
}

/// Runs both sides on the frame's pairs, and judges the results.
pub fn hold<C: Contest>(
    contest: &mut C,
    frame: &Frame,
    rng: &mut StdRng,
    findings: &mut Vec<Finding>,
) -> Result<Tally, Error> {
    contest.prepare(frame);
    let mut tally = Tally {
        pairs: C::pairs(frame).len(),
        phalanx: fastest(|| contest.phalanx(frame))?,
        parry: fastest(|| {
            contest.parry(frame);
            Ok(())
        })?,
        ..Tally::default()
    };
    assert_eq!(
        contest.invalid_count(),
        0,
        "the engine keeps its shapes good"
    );
    for position in 0..tally.pairs {
        let answers = contest.answers(position);
        tally.hits += usize::from(answers.phalanx);
        if answers.phalanx != answers.parry {
            tally.disagreements += 1;
            judge(contest, frame, position, &mut tally, findings);
        }
    }
    for _ in 0..SAMPLES.min(tally.pairs) {
        let position = rng.random_range(0..tally.pairs);
        let answers = contest.answers(position);
        if answers.phalanx == answers.parry {
            judge(contest, frame, position, &mut tally, findings);
        }
    }
    Ok(tally)
}

fn fastest(mut work: impl FnMut() -> Result<(), Error>) -> Result<Duration, Error> {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}

/// Compares both results for one pair with the exact answer.
fn judge<C: Contest>(
    contest: &C,
    frame: &Frame,
    position: usize,
    tally: &mut Tally,
    findings: &mut Vec<Finding>,
) {
    let Answers { phalanx, parry } = contest.answers(position);
    let exact = contest.exact(frame, position);
    let verdict = Verdict::of(phalanx, &exact);

    tally.judged += 1;
    tally.broken += usize::from(verdict.breaks_promise());
    tally.within_band += usize::from(verdict == Verdict::WithinBand);
    tally.parry_missed += usize::from(exact.hit && !parry);
    tally.parry_false += usize::from(!exact.hit && parry);

    if phalanx != parry || verdict.breaks_promise() {
        let Pair { a, b } = C::pairs(frame)[position];
        let [says, parry_says, truth] = [phalanx, parry, exact.hit].map(word);
        let text = format!(
            "  {} {a} and {b}: phalanx {says}, parry3d {parry_says}, exactly a {truth} \
             (gap {:.1e}, band {:.1e}): {verdict}",
            C::NAME,
            exact.gap,
            exact.band,
        );
        findings.push(Finding {
            text,
            broken: verdict.breaks_promise(),
        });
    }
}

fn word(hit: bool) -> &'static str {
    if hit { "hit" } else { "miss" }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.pairs += other.pairs;
        self.hits += other.hits;
        self.disagreements += other.disagreements;
        self.judged += other.judged;
        self.broken += other.broken;
        self.within_band += other.within_band;
        self.parry_missed += other.parry_missed;
        self.parry_false += other.parry_false;
        self.phalanx += other.phalanx;
        self.parry += other.parry;
    }
}
