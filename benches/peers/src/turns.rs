//! Fair measuring on a machine that has other work: rounds in which each side takes a turn.

use std::time::{Duration, Instant};

/// Seconds that a call takes.
pub fn seconds(call: impl FnOnce()) -> f64 {
    let start = Instant::now();
    call();
    start.elapsed().as_secs_f64()
}

/// How many rounds to hold.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// How long rounds go on, if there are enough of them.
    budget: Duration,
    min_rounds: usize,
    quick: bool,
}

impl Turns {
    /// How long a side's turn is at least, if not a single call.
    const TURN: Duration = Duration::from_millis(4);
    /// A call that takes longer hardly notices what it finds in the caches.
    const OUTLIVES_CACHES: Duration = Duration::from_millis(40);
    const MAX_ROUNDS: usize = 99;

    pub fn new(quick: bool) -> Self {
        let (milliseconds, min_rounds) = if quick { (50, 3) } else { (600, 5) };
        Turns {
            budget: Duration::from_millis(milliseconds),
            min_rounds,
            quick,
        }
    }

    /// Turns of this many rounds or more, unless the run is a quick one.
    pub fn at_least(self, rounds: usize) -> Self {
        Turns {
            min_rounds: if self.quick { self.min_rounds } else { rounds },
            ..self
        }
    }

    /// One element per round, from now on.
    pub fn rounds(self) -> impl Iterator<Item = usize> {
        let start = Instant::now();
        (0..Self::MAX_ROUNDS)
            .take_while(move |&round| round < self.min_rounds || start.elapsed() < self.budget)
    }

    /// The seconds that a call takes each side, round by round.
    pub fn measure(self, sides: usize, mut call: impl FnMut(usize)) -> Vec<Vec<f64>> {
        let mut times = vec![Vec::new(); sides];
        for _ in self.rounds() {
            for (side, times) in times.iter_mut().enumerate() {
                times.push(Self::turn(|| call(side)));
            }
        }
        times
    }

    /// The seconds of a frame that each side takes, round by round. A turn begins with frames that are not measured: they find the
    /// caches full of the other side's data, and threads asleep.
    pub fn measure_frames(
        self,
        sides: usize,
        [unmeasured, measured]: [usize; 2],
        mut frame: impl FnMut(usize, usize) -> f64,
    ) -> Vec<Vec<f64>> {
        let mut times = vec![Vec::new(); sides];
        for round in self.rounds() {
            for (side, times) in times.iter_mut().enumerate() {
                for k in 0..unmeasured {
                    frame(side, k);
                }
                let seconds: f64 = (0..measured).map(|k| frame(side, round + k)).sum();
                times.push(seconds / measured as f64);
            }
        }
        times
    }

    /// The seconds of a call: of one if it is long, else of as many as fill a turn, once warm.
    fn turn(mut call: impl FnMut()) -> f64 {
        let mut timed = |calls: u32| {
            let start = Instant::now();
            (0..calls).for_each(|_| call());
            start.elapsed()
        };
        // It finds the caches full of the other side's data.
        let first = timed(1);
        if first >= Self::OUTLIVES_CACHES {
            return first.as_secs_f64();
        }
        let (mut calls, mut elapsed) = (1u32, first);
        loop {
            // Not many more at once: the first calls say little about the next ones.
            let short_by = Self::TURN.div_duration_f64(elapsed).ceil().clamp(1.0, 64.0);
            calls = calls.saturating_mul(short_by as u32);
            elapsed = timed(calls);
            if elapsed >= Self::TURN {
                return elapsed.as_secs_f64() / f64::from(calls);
            }
        }
    }
}
