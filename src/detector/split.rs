//! One executor for all jobs: the calling thread, or halves of halves on the rayon pool.

use crate::detector::Settings;
use crate::lane::Job;

/// A job over a range, which two threads can share.
///
/// It is run with no more lanes than it has elements, so that a last group can begin earlier instead
/// of being cut short: one loop body serves every length.
#[cfg_attr(not(feature = "rayon"), allow(dead_code))]
pub trait Split: Job<Output: Send> + Send + Sized {
    /// The fewest elements worth a thread's while: some 50 µs of work. A thread that sleeps is awake
    /// after 10 to 20 µs; lists of half this length took up to twice as long on two threads as on one
    /// (Zen 4, a virtual machine).
    const GRAIN: usize;
    /// How many elements there are.
    fn len(&self) -> usize;
    /// The job on the first `middle` elements, a multiple of 64 or all, and on the others.
    fn split_at(self, middle: usize) -> (Self, Self);
    /// What both halves found.
    fn merge(first: Self::Output, second: Self::Output) -> Self::Output;
}

/// Runs a job. Short ones never leave the calling thread.
pub fn execute<J: Split>(settings: Settings, job: J) -> J::Output {
    #[cfg(feature = "rayon")]
    if settings.parallel && job.len() >= 2 * J::GRAIN && rayon::current_num_threads() > 1 {
        return in_halves(settings, job);
    }
    // A job is given no more lanes than it has elements.
    settings.simd.filled_by(job.len()).run(job)
}

#[cfg(feature = "rayon")]
fn in_halves<J: Split>(settings: Settings, job: J) -> J::Output {
    if job.len() < 2 * J::GRAIN {
        return settings.simd.run(job);
    }
    // A multiple of 64: no two halves write to one word of a mask.
    let middle = (job.len() / 2).next_multiple_of(64);
    let (first, second) = job.split_at(middle);
    let (first, second) = rayon::join(
        || in_halves(settings, first),
        || in_halves(settings, second),
    );
    J::merge(first, second)
}
