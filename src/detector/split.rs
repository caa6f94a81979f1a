//! One executor for all jobs: the calling thread, and others of the rayon pool if there is enough to do.
//!
//! Threads take pieces of a job as long as there are any. So the calling thread never waits for others to wake
//! up, and one that is held up, by another program or another virtual machine, holds up no more than its piece.
//! With halves of halves, by `rayon::join`, a call from outside of the pool slept while two threads woke up one
//! after the other: on two virtual CPUs lists of 131 k to 262 k pairs took 1.0 to 1.4 times as long as on one
//! thread. They take 0.5 to 0.75 of that (Cascade Lake).

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
    /// The job on the first `middle` elements, a multiple of 1024 and not all, and on the others.
    fn split_at(self, middle: usize) -> (Self, Self);
    /// What two pieces found, whichever comes first.
    fn merge(one: Self::Output, other: Self::Output) -> Self::Output;
}

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

    use rayon::Scope;

    use super::Split;
    use crate::Simd;

    /// A job that threads take pieces of.
    struct Shared<J: Split> {
        simd: Simd,
        threads: usize,
        /// What no thread has taken yet.
        left: Mutex<Option<J>>,
        /// What helpers found.
        found: Mutex<Option<J::Output>>,
        /// How many helpers have not ended.
        helpers: AtomicUsize,
    }

    /// Runs a job on the calling thread, and on others of the pool that it is one of, or of the global pool.
    pub fn execute<J: Split>(simd: Simd, job: J, threads: usize) -> J::Output {
        let is_of_pool = rayon::current_thread_index().is_some();
        // One more than there is work for, from outside: rayon may take a thread for awake that waits for the
        // very CPU that the caller runs on, and wakes no other one for it. One job in ten then had no helper.
        let helpers = if is_of_pool { threads - 1 } else { threads };
        let (first, others) = next_piece(job, threads);
        let shared = Shared {
            simd,
            threads,
            left: Mutex::new(others),
            found: Mutex::new(None),
            helpers: AtomicUsize::new(helpers),
        };
        let own = rayon::in_place_scope(|scope| {
            shared.summon(scope, helpers);
            let own = shared.work(first);
            // A thread of the pool runs helpers that have not begun. Another one would sleep until they end.
            if !is_of_pool {
                shared.wait();
            }
            own
        });
        match lock(&shared.found).take() {
            Some(found) => J::merge(own, found),
            None => own,
        }
    }

    impl<J: Split> Shared<J> {
        /// Has helpers work. The first one wakes up half of the others, and so on.
        fn summon<'s>(&'s self, scope: &Scope<'s>, helpers: usize) {
            let mut left = helpers;
            while left > 0 {
                let half = left.div_ceil(2);
                scope.spawn(move |scope| {
                    self.summon(scope, half - 1);
                    self.help();
                });
                left -= half;
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
            self.helpers.fetch_sub(1, Ordering::Release);
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

        /// Waits for the helpers' last pieces, which take less time than to sleep and wake up. Gives up its CPU, as
        /// one of them may need it.
        fn wait(&self) {
            const MOST: usize = 64;
            for _ in 0..MOST {
                if self.helpers.load(Ordering::Acquire) == 0 {
                    return;
                }
                yield_now();
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

    /// A multiple of 1024, with more than that left; or none, if all that is left is one piece.
    fn length_of_next(left: usize, threads: usize, grain: usize) -> Option<usize> {
        let least = (grain / 4).next_multiple_of(1024);
        let piece = (left / (4 * threads)).next_multiple_of(1024).max(least);
        (piece + least <= left).then_some(piece)
    }

    /// No thread panics while it holds a lock.
    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    mod tests {
        use super::length_of_next;

        #[test]
        fn pieces_shrink_to_a_quarter_grain_and_the_last_is_not_much_longer() {
            for len in [2048_usize, 98_304, 98_305, 1_000_003, 1 << 24] {
                for grain in [1000_usize, 49_152] {
                    for most in [2, 3, 64] {
                        let threads = (len / grain).clamp(1, most);
                        let least = (grain / 4).next_multiple_of(1024);
                        let (mut left, mut previous) = (len, len / threads + 1024);
                        while let Some(piece) = length_of_next(left, threads, grain) {
                            assert!(piece.is_multiple_of(1024) && piece >= least);
                            assert!(piece < left && piece <= previous);
                            (left, previous) = (left - piece, piece);
                        }
                        assert!(left > 0 && 2 * left <= 5 * least);
                    }
                }
            }
        }
    }
}
