//! One executor for all jobs: the calling thread, and helpers from the rayon pool if there is enough to do.
//!
//! **A call waits for nobody who has not begun to help.** The calling thread takes pieces of the job as long
//! as there are any, and runs no other work of the pool meanwhile. Helpers are spawned, and check in at a
//! [`Gate`] before they touch the job. Once no piece is left the caller closes the door, waits for helpers
//! that are inside, each at its last piece, and returns; who comes later finds the door closed and goes
//! home. So a lock that the caller holds, pool threads that wait for the caller or sleep, and cores that
//! other programs use can leave a call without help, but cannot hold it up.
//!
//! Jobs are shared behind a `dyn`: the plumbing is compiled once, not for each job.

use crate::lane::{STEP, Simd, Split};

/// The threads of a call, and the instruction set they use.
#[derive(Clone, Copy, Debug)]
pub struct Workers {
    pub simd: Simd,
    /// Whether the rayon pool helps with long jobs.
    #[cfg_attr(not(feature = "rayon"), allow(dead_code))]
    pub parallel: bool,
}

impl Workers {
    /// These with at most so many lanes.
    pub fn of_at_most(self, lanes: usize) -> Self {
        Workers {
            simd: self.simd.of_at_most(lanes),
            ..self
        }
    }

    /// Runs a job. Short ones never leave the calling thread.
    pub fn execute<J: Split>(self, job: J) -> J::Output {
        const { assert!(J::GRAIN >= STEP) };
        self.share(SplitJob(job))
    }

    /// Runs a function on pieces of a range, if it is worth sharing; `grain` is as [`Split::GRAIN`].
    pub fn divide<R: Divide>(self, range: R, grain: usize, run: fn(Simd, R)) {
        self.share(Divided { range, grain, run });
    }

    fn share<W: Work>(self, work: W) -> W::Output {
        #[cfg(feature = "rayon")]
        if self.parallel && work.len() >= 2 * work.grain() {
            let threads = pool::threads().min(work.len() / work.grain());
            if threads > 1 {
                return pool::share(self.simd, work, threads);
            }
        }
        // No more lanes than there are elements.
        let simd = self.simd.filled_by(work.len());
        work.run(simd)
    }
}

/// Inputs and outputs over a range, which threads can share.
#[cfg_attr(not(feature = "rayon"), allow(dead_code))]
pub trait Divide: Send + Sized {
    /// Number of elements.
    fn len(&self) -> usize;
    /// The first `middle` elements, a multiple of [`STEP`], and the others.
    fn split_at(self, middle: usize) -> (Self, Self);
}

/// What threads can share. The functions are those of [`Split`].
#[cfg_attr(not(feature = "rayon"), allow(dead_code))]
trait Work: Send + Sized {
    type Output: Send;
    fn grain(&self) -> usize;
    fn len(&self) -> usize;
    fn run(self, simd: Simd) -> Self::Output;
    fn split_at(self, middle: usize) -> (Self, Self);
    fn merge(one: Self::Output, other: Self::Output) -> Self::Output;
}

struct SplitJob<J>(J);

impl<J: Split> Work for SplitJob<J> {
    type Output = J::Output;

    fn grain(&self) -> usize {
        J::GRAIN
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn run(self, simd: Simd) -> J::Output {
        simd.run(self.0)
    }
    fn split_at(self, middle: usize) -> (Self, Self) {
        let (low, high) = self.0.split_at(middle);
        (SplitJob(low), SplitJob(high))
    }
    fn merge(one: J::Output, other: J::Output) -> J::Output {
        J::merge(one, other)
    }
}

/// A range with the function that is run on its pieces: compiled once for all kernels, which the function picks.
struct Divided<R> {
    range: R,
    grain: usize,
    run: fn(Simd, R),
}

impl<R: Divide> Work for Divided<R> {
    type Output = ();

    fn grain(&self) -> usize {
        self.grain
    }
    fn len(&self) -> usize {
        self.range.len()
    }
    fn run(self, simd: Simd) {
        (self.run)(simd, self.range);
    }
    fn split_at(self, middle: usize) -> (Self, Self) {
        let (low, high) = self.range.split_at(middle);
        let part = |range| Divided { range, ..self };
        (part(low), part(high))
    }
    fn merge((): (), (): ()) {}
}

#[cfg(feature = "rayon")]
#[allow(unsafe_code)]
mod pool {
    use core::any::Any;
    use core::hint::spin_loop;
    use core::sync::atomic::{AtomicUsize, Ordering};
    use std::boxed::Box;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

    use super::{STEP, Simd, Work};

    /// How many threads the pool has that the calling thread is one of, or the global one.
    pub fn threads() -> usize {
        static GLOBAL: OnceLock<usize> = OnceLock::new();
        if rayon::current_thread_index().is_some() {
            return rayon::current_num_threads();
        }
        *GLOBAL.get_or_init(|| {
            // A pool that cannot start is none. Where there are no threads at all, rayon knows what to do.
            if cfg!(not(target_family = "wasm"))
                && let Err(error) = rayon::ThreadPoolBuilder::new().build_global()
                && std::error::Error::source(&error).is_some()
            {
                return 1;
            }
            catch_unwind(rayon::current_num_threads).unwrap_or(1)
        })
    }

    /// Runs a job on the calling thread, and on up to `threads - 1` others.
    pub fn share<W: Work>(simd: Simd, job: W, threads: usize) -> W::Output {
        let shared = Shared {
            simd,
            threads,
            remaining: Mutex::new(Some(job)),
            result: Mutex::new(None),
        };
        // From outside one more: rayon may take a thread for awake that waits for the very CPU that the
        // caller runs on, and wakes no other one instead. One call in ten then had no help.
        let outside = usize::from(rayon::current_thread_index().is_none());
        run_with_helpers(&shared, threads - 1 + outside);
        let result = lock(&shared.result).take();
        result.unwrap_or_else(|| unreachable!("every piece has run, and there is at least one"))
    }

    /// A job that threads take pieces of.
    struct Shared<W: Work> {
        simd: Simd,
        /// How many threads it is worth.
        threads: usize,
        /// What no thread has taken yet.
        remaining: Mutex<Option<W>>,
        /// What was found in the pieces that are done.
        result: Mutex<Option<W::Output>>,
    }

    /// Work that several threads can do at once.
    trait PieceJob: Sync {
        /// Takes a piece and runs it. False if there was none.
        fn run_piece(&self) -> bool;
    }

    impl<W: Work> PieceJob for Shared<W> {
        fn run_piece(&self) -> bool {
            let piece = {
                let mut remaining = lock(&self.remaining);
                let Some(job) = remaining.take() else {
                    return false;
                };
                match next_length(job.len(), self.threads, job.grain()) {
                    Some(middle) => {
                        let (piece, others) = job.split_at(middle);
                        *remaining = Some(others);
                        piece
                    }
                    None => job,
                }
            };
            let own = piece.run(self.simd);
            let mut result = lock(&self.result);
            *result = Some(match result.take() {
                Some(others) => W::merge(others, own),
                None => own,
            });
            true
        }
    }

    /// The length of the next piece: large at first, so that few are taken, and small in the end, so that
    /// threads end together. None if all that is left is one piece.
    fn next_length(remaining: usize, threads: usize, grain: usize) -> Option<usize> {
        let least = (grain / 4).next_multiple_of(STEP);
        let piece = (remaining / (4 * threads))
            .next_multiple_of(STEP)
            .max(least);
        (piece + least <= remaining).then_some(piece)
    }

    /// Runs all pieces of a job, on this thread and on helpers that come in time.
    fn run_with_helpers(job: &dyn PieceJob, helpers: usize) {
        let gate = Arc::new(Gate::new(job, helpers));
        {
            // Also if a piece panics here: no helper is in the job when its memory goes.
            let _closing = AtEnd(|| gate.close());
            Gate::spawn_helpers(&gate);
            while job.run_piece() {}
        }
        if let Some(panic) = lock(&gate.panic).take() {
            resume_unwind(panic);
        }
    }

    /// What a caller shares with its helpers, which may come at any time, even when the job is long gone.
    struct Gate {
        job: *const (dyn PieceJob + 'static),
        /// Twice the number of helpers inside, and 1 once it is closed.
        state: AtomicUsize,
        /// How many helpers are still to be spawned.
        unspawned: AtomicUsize,
        /// What a helper's piece panicked with.
        panic: Mutex<Option<Box<dyn Any + Send>>>,
        /// Signalled when the last helper leaves a closed door.
        is_empty: Condvar,
        waiting: Mutex<()>,
    }

    const CLOSED: usize = 1;
    const HELPER: usize = 2;

    // SAFETY: all fields but `job` are. `job` points to a `PieceJob`, which is `Sync`, and is followed only between
    // `enter` and `leave`, while its owner waits in `close`.
    unsafe impl Send for Gate {}
    // SAFETY: as for `Send`.
    unsafe impl Sync for Gate {}

    impl Gate {
        fn new(job: &dyn PieceJob, helpers: usize) -> Self {
            let job: *const (dyn PieceJob + '_) = job;
            Gate {
                // SAFETY: only the lifetime changes. Nobody follows the pointer once the door is closed and
                // empty, and `run_with_helpers` sees to that before the job's lifetime ends.
                job: unsafe {
                    core::mem::transmute::<
                        *const (dyn PieceJob + '_),
                        *const (dyn PieceJob + 'static),
                    >(job)
                },
                state: AtomicUsize::new(0),
                unspawned: AtomicUsize::new(helpers),
                panic: Mutex::new(None),
                is_empty: Condvar::new(),
                waiting: Mutex::new(()),
            }
        }

        /// Spawns two helpers, if so many are still to be spawned. Each of them spawns two more: waking a
        /// thread takes 5 µs and more, and the caller does it only twice.
        fn spawn_helpers(self: &Arc<Self>) {
            for _ in 0..2 {
                let one_less = |helpers: usize| helpers.checked_sub(1);
                let remaining =
                    self.unspawned
                        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
                if remaining.is_err() {
                    return;
                }
                let Some(quota) = SpawnQuota::take() else {
                    return;
                };
                let gate = self.clone();
                rayon::spawn(move || {
                    drop(quota);
                    gate.run_pieces();
                });
            }
        }

        /// Runs pieces as a helper, if it comes in time.
        fn run_pieces(self: &Arc<Self>) {
            if !self.enter() {
                return;
            }
            let _leaving = AtEnd(|| self.leave());
            self.spawn_helpers();
            // SAFETY: the helper is inside, so `close` has not returned, and the job is there.
            let job = unsafe { &*self.job };
            let work = || while job.run_piece() {};
            if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
                *lock(&self.panic) = Some(panic);
            }
        }

        /// Goes in, unless the door is closed.
        fn enter(&self) -> bool {
            let go_in = |state: usize| (state & CLOSED == 0).then_some(state + HELPER);
            // What the caller wrote before it spawned this helper is visible by the spawn.
            self.state
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, go_in)
                .is_ok()
        }

        /// Goes out. What the helper wrote is visible to who sees that it is out.
        fn leave(&self) {
            if self.state.fetch_sub(HELPER, Ordering::Release) == CLOSED + HELPER {
                // With the lock: the caller does not look and then miss the signal.
                let _lock = lock(&self.waiting);
                self.is_empty.notify_one();
            }
        }

        /// Lets nobody in any more, and waits until nobody is inside.
        fn close(&self) {
            let is_empty = |state: usize| state & !CLOSED == 0;
            if is_empty(self.state.fetch_or(CLOSED, Ordering::Acquire)) {
                return;
            }
            // A last piece takes about as long as to sleep and wake up.
            for _ in 0..SPINS {
                if is_empty(self.state.load(Ordering::Acquire)) {
                    return;
                }
                spin_loop();
            }
            let mut waiting = lock(&self.waiting);
            while !is_empty(self.state.load(Ordering::Acquire)) {
                waiting = self
                    .is_empty
                    .wait(waiting)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Some 10 µs.
    const SPINS: usize = 1 << 8;

    /// Does something when it goes, also if that is by a panic.
    struct AtEnd<F: Fn()>(F);

    impl<F: Fn()> Drop for AtEnd<F> {
        fn drop(&mut self) {
            (self.0)();
        }
    }

    /// The right to spawn a helper. Helpers that no thread has time for stay in memory, so each thread may have
    /// spawned only so many that did not begin.
    struct SpawnQuota(Arc<AtomicUsize>);

    impl SpawnQuota {
        fn take() -> Option<SpawnQuota> {
            const MOST: usize = 256;
            std::thread_local!(static UNUSED: Arc<AtomicUsize> = Arc::new(AtomicUsize::new(MOST)));
            // None in a thread whose variables are gone.
            let unused = UNUSED.try_with(Arc::clone).ok()?;
            let one_less = |quotas: usize| quotas.checked_sub(1);
            let remaining = unused.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
            remaining.is_ok().then_some(SpawnQuota(unused))
        }
    }

    impl Drop for SpawnQuota {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Locks a mutex, which no thread leaves in a state that matters when it panics.
    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(all(test, not(target_family = "wasm")))]
    mod tests {
        use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
        use std::panic::{AssertUnwindSafe, catch_unwind};
        use std::time::Duration;

        use super::*;

        #[test]
        fn pieces_shrink_to_a_quarter_grain_and_the_last_is_not_much_longer() {
            for grain in [STEP, 6553, 49_152] {
                for len in [2 * grain, 2 * grain + 1, 1_000_003, 1 << 24] {
                    for most in [2, 3, 64] {
                        let threads = most.min(len / grain);
                        let least = (grain / 4).next_multiple_of(STEP);
                        let (mut remaining, mut previous) = (len, len / threads);
                        while let Some(piece) = next_length(remaining, threads, grain) {
                            assert!(piece.is_multiple_of(STEP) && piece >= least);
                            assert!(piece < remaining && piece <= previous);
                            (remaining, previous) = (remaining - piece, piece);
                        }
                        assert!(remaining >= least && 2 * remaining <= 5 * least);
                    }
                }
            }
        }

        /// Pieces that do something.
        struct Counted<F> {
            remaining: AtomicUsize,
            done: AtomicUsize,
            work: F,
        }

        impl<F: Fn() + Sync> Counted<F> {
            fn new(pieces: usize, work: F) -> Self {
                Counted {
                    remaining: AtomicUsize::new(pieces),
                    done: AtomicUsize::new(0),
                    work,
                }
            }
        }

        impl<F: Fn() + Sync> PieceJob for Counted<F> {
            fn run_piece(&self) -> bool {
                let one_less = |remaining: usize| remaining.checked_sub(1);
                let order = Ordering::Relaxed;
                if self.remaining.fetch_update(order, order, one_less).is_err() {
                    return false;
                }
                (self.work)();
                self.done.fetch_add(1, order);
                true
            }
        }

        const ROUNDS: usize = if cfg!(miri) { 3 } else { 300 };

        #[test]
        fn all_pieces_are_done_when_the_call_returns() {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(4)
                .build()
                .unwrap();
            for round in 0..ROUNDS {
                // On the stack of the caller, and gone after the call.
                let mut sum = std::vec![0usize; 100];
                let places = sum.iter_mut().map(Mutex::new).collect::<std::vec::Vec<_>>();
                let next = AtomicUsize::new(0);
                let job = Counted::new(100, || {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    **lock(&places[place]) += round;
                });
                if round % 2 == 0 {
                    pool.install(|| run_with_helpers(&job, 3));
                } else {
                    run_with_helpers(&job, 2);
                }
                assert_eq!(job.done.into_inner(), 100);
                assert!(sum.iter().all(|&x| x == round));
            }
        }

        #[test]
        fn a_panic_of_a_piece_reaches_the_caller_as_its_own() {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(4)
                .build()
                .unwrap();
            for helper_panics in [false, true] {
                for _ in 0..ROUNDS {
                    let caller = AtomicBool::new(false);
                    let own = std::sync::OnceLock::new();
                    let job = Counted::new(50, || {
                        let id = std::thread::current().id();
                        let is_caller = *own.get_or_init(|| id) == id;
                        if helper_panics != is_caller && !caller.swap(true, Ordering::Relaxed) {
                            std::panic::resume_unwind(Box::new("a piece"));
                        }
                        std::thread::sleep(Duration::from_micros(20));
                    });
                    pool.install(|| {
                        own.get_or_init(|| std::thread::current().id());
                        let said = catch_unwind(AssertUnwindSafe(|| run_with_helpers(&job, 2)));
                        match said {
                            Err(panic) => {
                                assert_eq!(panic.downcast_ref(), Some(&"a piece"));
                                assert!(caller.load(Ordering::Relaxed));
                            }
                            Ok(()) => assert!(helper_panics && !caller.load(Ordering::Relaxed)),
                        }
                    });
                }
            }
        }
    }
}
