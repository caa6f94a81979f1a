//! Comparison of results with exact answers.

use phalanx::TimeInterval;

use crate::oracle::Exact;

/// Statistics of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub cases: usize,
    /// Pairs that touch.
    pub hits: usize,
    /// Touching pairs reported as misses.
    pub missed: usize,
    /// Hits whose claimed times omit a time of contact.
    pub not_enclosed: usize,
    /// Separated pairs reported as hits.
    pub false_hits: usize,
    /// False hits, or claimed times, outside the band.
    pub outside_band: usize,
    /// The widest gap of a false hit, as a share of the band.
    pub worst_gap: f64,
    /// The widest gap at a claimed time, as a share of the band.
    pub worst_slack: f64,
}

impl Tally {
    /// Counts one result. Returns whether it keeps every promise.
    pub fn add(&mut self, answer: Option<TimeInterval>, exact: &Exact) -> bool {
        let before = self.broken();
        self.cases += 1;
        self.hits += usize::from(exact.hit);
        self.missed += usize::from(exact.hit && answer.is_none());
        if answer.is_some() {
            self.not_enclosed += usize::from(exact.hit && !exact.encloses);
            self.false_hits += usize::from(!exact.hit);
            let band = exact.band.max(f64::MIN_POSITIVE);
            self.outside_band += usize::from(exact.gap > band || exact.slack > band);
            self.worst_gap = self.worst_gap.max(exact.gap / band);
            self.worst_slack = self.worst_slack.max(exact.slack / band);
        }
        self.broken() == before
    }

    /// Number of broken promises.
    pub fn broken(&self) -> usize {
        self.missed + self.not_enclosed + self.outside_band
    }

    /// Merges the statistics of two runs.
    pub fn merge(self, other: Tally) -> Tally {
        Tally {
            cases: self.cases + other.cases,
            hits: self.hits + other.hits,
            missed: self.missed + other.missed,
            not_enclosed: self.not_enclosed + other.not_enclosed,
            false_hits: self.false_hits + other.false_hits,
            outside_band: self.outside_band + other.outside_band,
            worst_gap: self.worst_gap.max(other.worst_gap),
            worst_slack: self.worst_slack.max(other.worst_slack),
        }
    }
}
