//! One executor for all jobs: the calling thread, and others of the rayon pool if there is enough to do.
//!
//! Threads take pieces of a job as long as there are any. So the calling thread works while others wake up, and
//! one that is held up, by another program or another virtual machine, holds up a piece and not half of all. With
//! halves of halves, by `rayon::join`, a call from outside of the pool slept while two threads woke up one after
//! the other: on two virtual CPUs lists of 131 k to 262 k pairs took 1.0 to 1.4 times as long as on one thread, and
//! take 0.6 to 0.8 times as long now (Cascade Lake).

use crate::detector::Settings;
use crate::lane::Job;

/// A job over a range, which threads can share.
///
/// It is run with no more lanes than it has elements, so that a last group can begin earlier instead
/// of being cut short: one loop body serves every length.
#[cfg_attr(not(feature = "rayon"), allow(dead_code))]
pub trait Split: Job<Output: Send> + Send + Sized {
    /// The fewest elements worth a thread's while: some 50 µs of work. A thread that sleeps is awake
    /// after 10 to 60 µs.
    const GRAIN: usize;
    /// How many elements there are.
    fn len(&self) -> usize;
    /// The job on the first `middle` elements, a multiple of 64 or all, and on the others. The executor splits at
    /// multiples of [`STEP`].
    fn split_at(self, middle: usize) -> (Self, Self);
    /// What two pieces found, whichever comes first.
    fn merge(one: Self::Output, other: Self::Output) -> Self::Output;
}

/// Whole words of masks, as no two threads may write to one; whole lines of rows; whole blocks of boxes.
pub const STEP: usize = 1024;

/// Runs a job. Short ones never leave the calling thread.
pub fn execute<J: Split>(settings: Settings, job: J) -> J::Output {
    #[cfg(feature = "rayon")]
    if settings.parallel && job.len() >= 2 * J::GRAIN {
        let threads = rayon::current_num_threads().min(job.len() / J::GRAIN);
        if threads > 1 {
            return shared::execute(settings.simd, job, threads);
        }
    }
    // A job is given no more lanes than it has elements.
    settings.simd.filled_by(job.len()).run(job)
}

#[cfg(feature = "rayon")]
mod shared {
    use core::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Mutex, MutexGuard, PoisonError};
    use std::thread::yield_now;

    use super::{STEP, Split};
    use crate::Simd;

    /// A job that threads take pieces of.
    struct Shared<J: Split> {
        simd: Simd,
        /// How many threads it is worth.
        threads: usize,
        /// What no thread has taken yet.
        left: Mutex<Option<J>>,
        /// What helpers found.
        found: Mutex<Option<J::Output>>,
        /// How many helpers have not ended. No more than a hint.
        unfinished: AtomicUsize,
    }

    /// Runs a job on the calling thread, and on others of the pool that it is one of, or of the global pool.
    pub fn execute<J: Split>(simd: Simd, job: J, threads: usize) -> J::Output {
        const { assert!(J::GRAIN >= STEP) };
        let half = threads / 2;
        let (first, others) = next_piece(job, threads);
        let shared = Shared {
            simd,
            threads,
            left: Mutex::new(others),
            found: Mutex::new(None),
            unfinished: AtomicUsize::new(threads),
        };
        let own = if rayon::current_thread_index().is_some() {
            rayon::join(|| shared.work(first), || shared.summon(threads - 1)).0
        } else {
            rayon::in_place_scope(|scope| {
                // As many as threads, besides the caller, and two at once: rayon may take a thread for awake that
                // waits for the very CPU that the caller runs on, and wakes no other one instead of it. One call in
                // ten then had no help.
                scope.spawn(|_| shared.summon(threads - half));
                scope.spawn(|_| shared.summon(half));
                let own = shared.work(first);
                shared.wait();
                own
            })
        };
        match lock(&shared.found).take() {
            Some(found) => J::merge(own, found),
            None => own,
        }
    }

    impl<J: Split> Shared<J> {
        /// Has helpers work. Each wakes up half of the others.
        ///
        /// By `join`, as a thread ends what nobody took of its own: what it spawned would wait until it is done with
        /// whatever it comes to do next.
        fn summon(&self, helpers: usize) {
            match helpers {
                0 => {}
                1 => self.help(),
                _ => {
                    let half = helpers / 2;
                    rayon::join(|| self.summon(helpers - half), || self.summon(half));
                }
            }
        }

        fn help(&self) {
            if let Some(piece) = self.take() {
                let own = self.work(piece);
                let mut found = lock(&self.found);
                *found = Some(match found.take() {
                    Some(found) => J::merge(found, own),
                    None => own,
                });
            }
            self.unfinished.fetch_sub(1, Ordering::Relaxed);
        }

        /// Runs a piece, then others while there are any.
        fn work(&self, piece: J) -> J::Output {
            let mut found = self.simd.run(piece);
            while let Some(piece) = self.take() {
                found = J::merge(found, self.simd.run(piece));
            }
            found
        }

        fn take(&self) -> Option<J> {
            let mut left = lock(&self.left);
            let (piece, others) = next_piece(left.take()?, self.threads);
            *left = others;
            Some(piece)
        }

        /// Waits for the helpers' last pieces, which take less time than to sleep and wake up, and gives up its CPU,
        /// as one of them may need it. The scope waits for certain.
        fn wait(&self) {
            const MOST: usize = 64;
            for _ in 0..MOST {
                let all_ended = self.unfinished.load(Ordering::Relaxed) == 0;
                yield_now();
                if all_ended {
                    return;
                }
            }
        }
    }

    /// The next piece of a job, and the others: large at first, so that few are taken, and small in the end, so
    /// that threads end together.
    fn next_piece<J: Split>(job: J, threads: usize) -> (J, Option<J>) {
        match length_of_next(job.len(), threads, J::GRAIN) {
            Some(middle) => {
                let (piece, others) = job.split_at(middle);
                (piece, Some(others))
            }
            None => (job, None),
        }
    }

    /// With a quarter of a grain left at least; or none, if all that is left is one piece.
    fn length_of_next(left: usize, threads: usize, grain: usize) -> Option<usize> {
        let least = (grain / 4).next_multiple_of(STEP);
        let piece = (left / (4 * threads)).next_multiple_of(STEP).max(least);
        (piece + least <= left).then_some(piece)
    }

    /// No thread panics while it holds a lock.
    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    mod tests {
        use super::{STEP, length_of_next};

        #[test]
        fn pieces_shrink_to_a_quarter_grain_and_the_last_is_not_much_longer() {
            for grain in [STEP, 6553, 49_152] {
                for len in [2 * grain, 2 * grain + 1, 1_000_003, 1 << 24] {
                    for most in [2, 3, 64] {
                        let threads = most.min(len / grain);
                        let least = (grain / 4).next_multiple_of(STEP);
                        let (mut left, mut previous) = (len, len / threads);
                        while let Some(piece) = length_of_next(left, threads, grain) {
                            assert!(piece.is_multiple_of(STEP) && piece >= least);
                            assert!(piece < left && piece <= previous);
                            (left, previous) = (left - piece, piece);
                        }
                        assert!(left >= least && 2 * left <= 5 * least);
                    }
                }
            }
        }
    }
}
