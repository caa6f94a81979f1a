//! Runs jobs on the calling thread, and long jobs also on workers of the rayon pool, the helpers.
//!
//! Pieces of a job are claimed cooperatively, as in Box3D's `parallel_for`: the caller and each helper claim the next
//! piece until none is left. So a slow piece cannot strand the other threads. The caller runs no other work of the
//! pool.
//!
//! **The caller never waits for a worker that has not claimed a piece.** A helper enters the [`Gate`] as it claims its
//! first piece. When no piece is left, the caller closes the gate, waits for the helpers inside, each on its last
//! piece, and goes on. Workers scheduled later see the closed gate and return. So a held lock, a busy, sleeping or
//! blocked pool, and cores used by other programs may leave a call without helpers, but cannot stall it.
//!
//! A call of several jobs is a [team](Workers::together): its helpers stay from job to job and spin briefly in between.
//! Without a team each job would wake them again, so only long jobs would gain.
//!
//! Pieces run behind `dyn PieceJob`, so the scheduling code is compiled once, not for each job.

use crate::lane::{STEP, Simd, Split};

/// The threads of a call, and the instruction set they use.
#[derive(Clone, Copy)]
pub struct Workers<'t> {
    pub simd: Simd,
    /// Size of the part of a better tree that the call builds.
    pub build_step: usize,
    /// Whether the rayon pool helps with long jobs.
    #[cfg_attr(not(feature = "rayon"), allow(dead_code))]
    parallel: bool,
    /// The helpers that stay from job to job.
    #[cfg(feature = "rayon")]
    team: Option<&'t pool::Team>,
    #[cfg(not(feature = "rayon"))]
    team: core::marker::PhantomData<&'t ()>,
}

/// The team of several calls, if there is one.
#[derive(Clone, Default)]
pub struct Helpers {
    #[cfg(feature = "rayon")]
    team: Option<std::sync::Arc<pool::Team>>,
}

impl Helpers {
    /// Returns this team, or a new one.
    pub fn staying(&self) -> Self {
        Helpers {
            #[cfg(feature = "rayon")]
            team: Some(self.team.clone().unwrap_or_default()),
        }
    }

    /// The threads of a call.
    #[inline(always)]
    pub fn workers(&self, simd: Simd, parallel: bool) -> Workers<'_> {
        Workers {
            simd,
            build_step: 0,
            parallel,
            #[cfg(feature = "rayon")]
            team: self.team.as_deref(),
            #[cfg(not(feature = "rayon"))]
            team: core::marker::PhantomData,
        }
    }
}

/// Divisor of the grain within a team, where no thread has to be woken.
#[cfg_attr(not(feature = "rayon"), allow(dead_code))]
const PART_OF_GRAIN: usize = 8;

impl Workers<'_> {
    pub fn new(simd: Simd, parallel: bool) -> Self {
        Workers {
            simd,
            build_step: 0,
            parallel,
            team: Default::default(),
        }
    }

    /// Limits the threads to at most `lanes` lanes.
    pub fn of_at_most(self, lanes: usize) -> Self {
        Workers {
            simd: self.simd.of_at_most(lanes),
            ..self
        }
    }

    /// Runs a function of several jobs, whose helpers stay from job to job. Not for a few µs of work: it may wake
    /// helpers for jobs too short to wake them alone.
    pub fn together<T>(self, run: impl FnOnce(Workers<'_>) -> T) -> T {
        #[cfg(feature = "rayon")]
        if self.parallel && self.team.is_none() {
            let team = pool::Team::new();
            return run(Workers {
                team: Some(&team),
                ..self
            });
        }
        run(self)
    }

    /// Runs a job. Short jobs never leave the calling thread.
    pub fn execute<J: Split>(self, job: J) -> J::Output {
        const { assert!(J::GRAIN >= STEP) };
        self.share(SplitJob(job))
    }

    /// Runs a function on a range, or on pieces of it if it is long. `grain` is as [`Split::GRAIN`].
    #[inline(always)]
    pub fn divide<R: Divide>(self, range: R, grain: usize, run: fn(Simd, R)) {
        // Without a move into `Divided`, which costs a short call as much as ten pairs of spheres.
        if self.threads(range.len(), grain).is_none() {
            return run(self.simd.filled_by(range.len()), range);
        }
        self.share(Divided { range, grain, run });
    }

    #[inline(always)]
    fn share<W: Work>(self, work: W) -> W::Output {
        #[cfg(feature = "rayon")]
        if let Some(threads) = self.threads(work.len(), work.grain()) {
            return pool::share(self.simd, work, threads, self.team);
        }
        // At most one lane per element.
        let simd = self.simd.filled_by(work.len());
        work.run(simd)
    }

    /// Number of threads that share a range of `len`, and its grain for them; `None` if the caller runs it alone.
    #[inline(always)]
    fn threads(self, len: usize, grain: usize) -> Option<[usize; 2]> {
        #[cfg(feature = "rayon")]
        if self.parallel {
            let grain = match self.team {
                Some(_) => (grain / PART_OF_GRAIN).max(STEP),
                None => grain,
            };
            if len >= 2 * grain {
                let threads = pool::threads().min(len / grain);
                return (threads > 1).then_some([threads, grain]);
            }
        }
        let _ = (len, grain);
        None
    }
}

/// Inputs and outputs over a range that threads can share.
#[cfg_attr(not(feature = "rayon"), allow(dead_code))]
pub trait Divide: Send + Sized {
    /// Number of elements.
    fn len(&self) -> usize;
    /// Splits off the first `middle` elements, a multiple of [`STEP`].
    fn split_at(self, middle: usize) -> (Self, Self);
}

/// Work that threads can share. The functions are those of [`Split`].
#[cfg_attr(not(feature = "rayon"), allow(dead_code))]
trait Work: Send + Sized {
    type Output: Send;
    fn grain(&self) -> usize;
    fn len(&self) -> usize;
    fn run(self, simd: Simd) -> Self::Output;
    fn split_at(self, middle: usize) -> (Self, Self);
    fn take_memory(&mut self, own: &mut Option<Self::Output>, rest: Option<&mut Self>);
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
    fn take_memory(&mut self, own: &mut Option<J::Output>, rest: Option<&mut Self>) {
        self.0.take_memory(own, rest.map(|rest| &mut rest.0));
    }
    fn merge(one: J::Output, other: J::Output) -> J::Output {
        J::merge(one, other)
    }
}

/// A range and the function that runs on its pieces. The function pointer selects the kernel, so one type serves all.
struct Divided<R> {
    range: R,
    #[cfg_attr(not(feature = "rayon"), allow(dead_code))]
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
    fn take_memory(&mut self, _own: &mut Option<()>, _rest: Option<&mut Self>) {}
    fn merge((): (), (): ()) {}
}

#[cfg(feature = "rayon")]
#[allow(unsafe_code)]
mod pool {
    use core::any::Any;
    use core::hint::spin_loop;
    use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::boxed::Box;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

    use super::{STEP, Simd, Work};

    /// Number of threads of the calling thread's pool, or of the global one from outside any pool.
    pub fn threads() -> usize {
        static GLOBAL: OnceLock<usize> = OnceLock::new();
        if rayon::current_thread_index().is_some() {
            return rayon::current_num_threads();
        }
        *GLOBAL.get_or_init(|| {
            // A pool that cannot start counts as one thread. On targets without threads, rayon has a fallback.
            if cfg!(not(target_family = "wasm"))
                && let Err(error) = rayon::ThreadPoolBuilder::new().build_global()
                && std::error::Error::source(&error).is_some()
            {
                return 1;
            }
            catch_unwind(rayon::current_num_threads).unwrap_or(1)
        })
    }

    /// Runs a job on the calling thread and up to `threads - 1` helpers, of the team if there is one.
    pub fn share<W: Work>(
        simd: Simd,
        job: W,
        [threads, grain]: [usize; 2],
        team: Option<&Team>,
    ) -> W::Output {
        let shared = Shared {
            simd,
            threads,
            grain,
            remaining: Mutex::new(Some(job)),
            result: Mutex::new(None),
        };
        // Outside the pool, request one more helper. rayon may count a thread as awake that is waiting for the caller's
        // CPU, and then wakes no other. Without the extra helper, some calls run alone (notes: figures moved from the
        // source).
        let outside = usize::from(rayon::current_thread_index().is_none());
        let helpers = threads - 1 + outside;
        match team {
            Some(team) => team.run(&shared, helpers),
            None => Team::new().run(&shared, helpers),
        }
        let result = lock(&shared.result).take();
        result.unwrap_or_else(|| unreachable!("every piece has run, and there is at least one"))
    }

    /// A job whose pieces are claimed by several threads.
    struct Shared<W: Work> {
        simd: Simd,
        /// Number of threads that the job is shared among.
        threads: usize,
        grain: usize,
        /// The unclaimed part.
        remaining: Mutex<Option<W>>,
        /// The merged results of the finished threads.
        result: Mutex<Option<W::Output>>,
    }

    /// A job that several threads can run at once.
    trait PieceJob: Sync {
        /// Claims pieces and runs them, until none is left.
        fn run_pieces(&self);
    }

    impl<W: Work> Shared<W> {
        /// Claims a piece. `own` is the result of the thread's earlier pieces.
        fn claim(&self, own: &mut Option<W::Output>) -> Option<W> {
            let mut remaining = lock(&self.remaining);
            let mut job = remaining.take()?;
            match next_length(job.len(), self.threads, self.grain) {
                Some(middle) => {
                    let (mut piece, mut others) = job.split_at(middle);
                    piece.take_memory(own, Some(&mut others));
                    *remaining = Some(others);
                    Some(piece)
                }
                None => {
                    job.take_memory(own, None);
                    Some(job)
                }
            }
        }
    }

    /// Merges two results; one of them may be missing.
    fn merge<W: Work>(one: Option<W::Output>, other: Option<W::Output>) -> Option<W::Output> {
        match (one, other) {
            (Some(one), Some(other)) => Some(W::merge(one, other)),
            (one, other) => one.or(other),
        }
    }

    impl<W: Work> PieceJob for Shared<W> {
        fn run_pieces(&self) {
            let mut own = None;
            while let Some(piece) = self.claim(&mut own) {
                let result = piece.run(self.simd);
                own = merge::<W>(own, Some(result));
            }
            let mut result = lock(&self.result);
            *result = merge::<W>(result.take(), own);
        }
    }

    /// Length of the next piece: long at first, so that claims are few, and short at the end, so that threads
    /// finish together. `None` if the remainder is one piece.
    fn next_length(remaining: usize, threads: usize, grain: usize) -> Option<usize> {
        let least = (grain / 4).next_multiple_of(STEP);
        let piece = (remaining / (4 * threads))
            .next_multiple_of(STEP)
            .max(least);
        (piece + least <= remaining).then_some(piece)
    }

    /// The helpers of a call. They stay until the team is dropped, or until no job has come for a while.
    pub struct Team {
        gate: Arc<Gate>,
    }

    impl Team {
        /// A team without helpers.
        pub fn new() -> Self {
            Team {
                gate: Arc::new(Gate::new()),
            }
        }

        /// Runs all pieces of a job on this thread and on up to `helpers` helpers that start in time.
        fn run(&self, job: &dyn PieceJob, helpers: usize) {
            let gate = &self.gate;
            {
                // Closes during unwinding too: no helper may use the job after its memory is freed.
                let _closing = AtEnd(|| gate.close());
                gate.open(job, helpers);
                Gate::spawn_helpers(gate);
                job.run_pieces();
            }
            if let Some(panic) = lock(&gate.panic).take() {
                resume_unwind(panic);
            }
        }
    }

    impl Default for Team {
        fn default() -> Self {
            Team::new()
        }
    }

    impl Drop for Team {
        fn drop(&mut self) {
            self.gate.is_over.store(true, Ordering::Relaxed);
        }
    }

    /// State shared by a caller and its helpers. Helpers may start at any time, even after the job is dropped.
    struct Gate {
        /// The current or the last job.
        job: Mutex<Option<JobPointer>>,
        /// Number of the job times [`ROUND`], plus twice the number of helpers inside, plus 1 if closed.
        state: AtomicUsize,
        /// Whether the last job has been run.
        is_over: AtomicBool,
        /// Number of helpers still to spawn.
        unspawned: AtomicUsize,
        /// Number of spawned helpers that have not left the team.
        members: AtomicUsize,
        /// Payload of a panic in a helper's piece.
        panic: Mutex<Option<Box<dyn Any + Send>>>,
        /// Signalled when the last helper leaves a closed gate.
        is_empty: Condvar,
        waiting: Mutex<()>,
    }

    const CLOSED: usize = 1;
    const HELPER: usize = 2;
    const ROUND: usize = 1 << 16;

    #[derive(Clone, Copy)]
    struct JobPointer(*const (dyn PieceJob + 'static));

    // SAFETY: it points to a `PieceJob`, which is `Sync`. It is dereferenced only between `enter` and `leave`, and the
    // owner of the job waits in `close` until then.
    unsafe impl Send for JobPointer {}

    impl Gate {
        fn new() -> Self {
            Gate {
                job: Mutex::new(None),
                state: AtomicUsize::new(CLOSED),
                is_over: AtomicBool::new(false),
                unspawned: AtomicUsize::new(0),
                members: AtomicUsize::new(0),
                panic: Mutex::new(None),
                is_empty: Condvar::new(),
                waiting: Mutex::new(()),
            }
        }

        /// Opens for a job. The caller closes before the job's lifetime ends.
        fn open(&self, job: &dyn PieceJob, helpers: usize) {
            let job: *const (dyn PieceJob + '_) = job;
            // SAFETY: only the lifetime changes. No helper dereferences the pointer once the gate is closed
            // and empty, and `Team::run` closes and empties it before the job's lifetime ends.
            let job = JobPointer(unsafe {
                core::mem::transmute::<*const (dyn PieceJob + '_), *const (dyn PieceJob + 'static)>(
                    job,
                )
            });
            *lock(&self.job) = Some(job);
            let members = self.members.load(Ordering::Relaxed);
            let missing = helpers.saturating_sub(members);
            self.unspawned.store(missing, Ordering::Relaxed);
            let last = self.state.load(Ordering::Relaxed) & !(ROUND - 1);
            // Release: a helper that enters sees the caller's earlier writes.
            let next = last.wrapping_add(ROUND);
            self.state.store(next, Ordering::Release);
        }

        /// Spawns up to two of the missing helpers. Each helper spawns two more: waking a thread is slow, so
        /// the caller wakes only two (notes: figures moved from the source).
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
                let member = Member::new(self);
                rayon::spawn(move || {
                    drop(quota);
                    member.0.help();
                });
            }
        }

        /// Helps with one job after another, until the call is over or no job has come for a while.
        fn help(self: &Arc<Self>) {
            let (mut last, mut idle) = (None, 0);
            while idle < IDLE && !self.is_over.load(Ordering::Relaxed) {
                match self.enter(last) {
                    Some(round) => {
                        (last, idle) = (Some(round), 0);
                        let _leaving = AtEnd(|| self.leave());
                        self.spawn_helpers();
                        self.run_pieces();
                    }
                    None => {
                        idle += 1;
                        spin_loop();
                    }
                }
            }
        }

        /// Runs pieces of the current job. Only for helpers inside.
        fn run_pieces(&self) {
            let Some(JobPointer(job)) = *lock(&self.job) else {
                return;
            };
            // SAFETY: this helper is inside, so `close` has not returned and the job is alive.
            let job = unsafe { &*job };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| job.run_pieces())) {
                *lock(&self.panic) = Some(panic);
            }
        }

        /// Enters, unless the gate is closed or still open for the helper's last job. Returns the number of the job.
        fn enter(&self, last: Option<usize>) -> Option<usize> {
            let add_helper = |state: usize| {
                let is_open = state & CLOSED == 0 && Some(state / ROUND) != last;
                is_open.then_some(state + HELPER)
            };
            self.state
                .fetch_update(Ordering::Acquire, Ordering::Relaxed, add_helper)
                .map_or(None, |state| Some(state / ROUND))
        }

        /// Leaves. Release: a thread that sees the helper gone also sees the helper's writes.
        fn leave(&self) {
            let before = self.state.fetch_sub(HELPER, Ordering::Release);
            if before % ROUND == CLOSED + HELPER {
                // Under the lock, so that the signal cannot fall between the caller's test and its wait.
                let _lock = lock(&self.waiting);
                self.is_empty.notify_one();
            }
        }

        /// Closes the gate and waits until no helper is inside.
        fn close(&self) {
            let is_empty = |state: usize| (state % ROUND) & !CLOSED == 0;
            if is_empty(self.state.fetch_or(CLOSED, Ordering::Acquire)) {
                return;
            }
            // Spin first: a last piece takes about as long as parking and waking a thread.
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

    /// A helper's membership in a team, from its spawning on. It also ends if the helper is never run.
    struct Member(Arc<Gate>);

    impl Member {
        fn new(gate: &Arc<Gate>) -> Self {
            gate.members.fetch_add(1, Ordering::Relaxed);
            Member(gate.clone())
        }
    }

    impl Drop for Member {
        fn drop(&mut self) {
            self.0.members.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Iterations of the spin loop before the caller parks (notes: figures moved from the source).
    const SPINS: usize = 1 << 8;
    /// Iterations of the spin loop before a helper leaves its team: about 50 µs.
    const IDLE: usize = 1 << 11;

    /// Runs a closure on drop, including during unwinding.
    struct AtEnd<F: Fn()>(F);

    impl<F: Fn()> Drop for AtEnd<F> {
        fn drop(&mut self) {
            (self.0)();
        }
    }

    /// A permit to spawn one helper, returned when the helper starts. Helpers that never start stay in memory, so
    /// each thread has a limited number of permits.
    struct SpawnQuota(Arc<AtomicUsize>);

    impl SpawnQuota {
        fn take() -> Option<SpawnQuota> {
            const MOST: usize = 256;
            std::thread_local!(static UNUSED: Arc<AtomicUsize> = Arc::new(AtomicUsize::new(MOST)));
            // `None` in a thread whose thread-locals are destroyed.
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

    /// Locks a mutex. Poisoning is ignored: no panic leaves the protected data inconsistent.
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
        fn next_length_shrinks_to_a_quarter_grain() {
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

        /// A job of several pieces that each run a closure.
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
            fn run_pieces(&self) {
                let one_less = |remaining: usize| remaining.checked_sub(1);
                let order = Ordering::Relaxed;
                while self.remaining.fetch_update(order, order, one_less).is_ok() {
                    (self.work)();
                    self.done.fetch_add(1, order);
                }
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
                // On the caller's stack, dropped after the call.
                let mut sum = std::vec![0usize; 100];
                let places = sum.iter_mut().map(Mutex::new).collect::<std::vec::Vec<_>>();
                let next = AtomicUsize::new(0);
                let job = Counted::new(100, || {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    **lock(&places[place]) += round;
                });
                if round % 2 == 0 {
                    pool.install(|| Team::new().run(&job, 3));
                } else {
                    Team::new().run(&job, 2);
                }
                assert_eq!(job.done.into_inner(), 100);
                assert!(sum.iter().all(|&x| x == round));
            }
        }

        #[test]
        fn a_team_does_one_job_after_another() {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(4)
                .build()
                .unwrap();
            let team = Team::new();
            let helped = AtomicUsize::new(0);
            let caller = std::thread::current().id();
            for round in 0..ROUNDS {
                // Long jobs, which gain helpers, and long breaks, in which helpers leave.
                let length = [0, 0, 20, 200][round % 4];
                let job = Counted::new(8, || {
                    std::thread::sleep(Duration::from_micros(length));
                    if std::thread::current().id() != caller {
                        helped.fetch_add(1, Ordering::Relaxed);
                    }
                });
                if round.is_multiple_of(2) {
                    pool.in_place_scope(|_| team.run(&job, 3));
                } else {
                    team.run(&job, 3);
                }
                assert_eq!(job.done.into_inner(), 8);
                assert!(team.gate.members.load(Ordering::Relaxed) <= 3);
                if round % 10 == 9 {
                    std::thread::sleep(Duration::from_micros(500));
                }
            }
            assert!(cfg!(miri) || helped.into_inner() > 0);
            // The helpers leave once the team is dropped, and its gate is freed.
            let gate = team.gate.clone();
            drop(team);
            while Arc::strong_count(&gate) > 1 {
                std::thread::yield_now();
            }
            assert_eq!(gate.members.load(Ordering::Relaxed), 0);
        }

        #[test]
        fn a_team_outlives_a_panic_in_a_piece() {
            let team = Team::new();
            for round in 0..ROUNDS {
                let panics = AtomicBool::new(round.is_multiple_of(2));
                let job = Counted::new(20, || {
                    std::thread::sleep(Duration::from_micros(20));
                    if panics.swap(false, Ordering::Relaxed) {
                        std::panic::resume_unwind(Box::new("a piece"));
                    }
                });
                let result = catch_unwind(AssertUnwindSafe(|| team.run(&job, 2)));
                assert_eq!(result.is_err(), round.is_multiple_of(2));
                assert!(result.is_err() || job.done.into_inner() == 20);
            }
        }

        #[test]
        fn panic_in_a_piece_resumes_on_the_calling_thread() {
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
                        let result = catch_unwind(AssertUnwindSafe(|| Team::new().run(&job, 2)));
                        match result {
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
