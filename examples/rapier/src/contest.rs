//! Both sides answer the same pairs; where they differ, exact arithmetic decides.

use std::fmt;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

use phalanx::{Error, Pair};
use rand::RngExt;
use rand::rngs::StdRng;

use crate::oracle::Exact;
use crate::scene::Frame;

/// Each side answers a list this many times in a row, and its fastest time counts: the others were
/// interrupted, or met cold caches.
const ROUNDS: usize = 7;

/// How many pairs of each list are checked exactly even if both sides agree.
const SAMPLES: usize = 100;

/// One kind of pairs, answered by phalanx and by parry3d.
pub trait Contest {
    /// What a pair is called in the output.
    const NAME: &'static str;

    fn pairs(frame: &Frame) -> &[Pair];

    /// Writes the shapes in the form that parry3d reads fastest. Not timed.
    fn prepare(&mut self, frame: &Frame);

    /// Lets phalanx answer all pairs.
    fn phalanx(&mut self, frame: &Frame) -> Result<(), Error>;

    /// Lets parry3d answer all pairs.
    fn parry(&mut self, frame: &Frame);

    /// Both answers for one pair.
    fn answers(&self, position: usize) -> Answers;

    /// How many pairs phalanx could not answer, because their shapes are bad.
    fn invalid_count(&self) -> usize;

    /// The exact answer for one pair.
    fn exact(&self, frame: &Frame, position: usize) -> Exact;
}

/// Who says that a pair touches.
#[derive(Clone, Copy)]
pub struct Answers {
    pub phalanx: bool,
    pub parry: bool,
}

/// How one list of pairs went, or all of them.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    pub pairs: usize,
    /// As phalanx counts them.
    pub hits: usize,
    /// Pairs that one side calls a hit and the other a miss.
    pub disagreements: usize,
    /// Pairs checked in exact arithmetic: every disagreement, and a sample of the others.
    pub judged: usize,
    /// Judged pairs where phalanx broke its promise.
    pub broken: usize,
    /// Judged misses that phalanx calls a hit because the gap is within its stated band.
    pub within_band: usize,
    /// Judged hits that parry3d calls a miss.
    pub parry_missed: usize,
    /// Judged misses that parry3d calls a hit.
    pub parry_false: usize,
    pub phalanx: Duration,
    pub parry: Duration,
}

/// A disagreement or a broken promise, in words.
pub struct Finding {
    pub text: String,
    pub broken: bool,
}

/// How a phalanx answer stands against the exact one.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Right,
    /// A false hit, but no farther off than phalanx says that it may be.
    WithinBand,
    BeyondBand,
    Missed,
    /// The reported times leave out part of the contact.
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

/// Lets both sides answer the frame's pairs, and judges the answers.
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

/// Compares both answers for one pair with the exact one.
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
