//! Fair measurements on a machine with other work: rounds in which each side takes a turn.

use std::time::{Duration, Instant};

/// Seconds of a call.
pub fn seconds(call: impl FnOnce()) -> f64 {
    let start = Instant::now();
    call();
    start.elapsed().as_secs_f64()
}

/// Number of rounds.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// Time after which rounds end, if there are enough of them.
    budget: Duration,
    min_rounds: usize,
    quick: bool,
}

impl Turns {
    /// Minimum time of a side's turn, unless it is a single call.
    const TURN: Duration = Duration::from_millis(4);
    /// Duration above which the contents of the caches hardly matter to a call.
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

    /// Requires at least this number of rounds, unless the run is quick.
    pub fn at_least(self, rounds: usize) -> Self {
        Turns {
            min_rounds: if self.quick { self.min_rounds } else { rounds },
            ..self
        }
    }

    /// Iterates over the rounds, starting the clock.
    pub fn rounds(self) -> impl Iterator<Item = usize> {
        let start = Instant::now();
        (0..Self::MAX_ROUNDS)
            .take_while(move |&round| round < self.min_rounds || start.elapsed() < self.budget)
    }

    /// Seconds of a call of each side, round by round.
    pub fn measure(self, sides: usize, mut call: impl FnMut(usize)) -> Vec<Vec<f64>> {
        let mut times = vec![Vec::new(); sides];
        for _ in self.rounds() {
            for (side, times) in times.iter_mut().enumerate() {
                times.push(Self::turn(|| call(side)));
            }
        }
        times
    }

    /// Seconds of a frame of each side, round by round. A turn begins with frames that are not measured, because they
    /// find the other side's data in the caches, and sleeping threads.
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

    /// Seconds of a call: a single call if it is long, otherwise the mean of warm calls that fill a turn.
    fn turn(mut call: impl FnMut()) -> f64 {
        let mut timed = |calls: u32| {
            let start = Instant::now();
            (0..calls).for_each(|_| call());
            start.elapsed()
        };
        // The first call finds the other side's data in the caches.
        let first = timed(1);
        if first >= Self::OUTLIVES_CACHES {
            return first.as_secs_f64();
        }
        let (mut calls, mut elapsed) = (1u32, first);
        loop {
            // Increase the number of calls slowly: the first calls predict later ones poorly.
            let short_by = Self::TURN.div_duration_f64(elapsed).ceil().clamp(1.0, 64.0);
            calls = calls.saturating_mul(short_by as u32);
            elapsed = timed(calls);
            if elapsed >= Self::TURN {
                return elapsed.as_secs_f64() / f64::from(calls);
            }
        }
    }
}
