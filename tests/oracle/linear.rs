//! Gaps that are linear in time: shapes touch while no gap is open.

use dashu_int::IBig;
use phalanx::TimeInterval;

use super::Exact;
use super::exact::{Scale, abs, ratio, sq};

/// A gap, open while it is above zero.
pub struct Gap {
    pub start: IBig,
    /// Increase of the gap over the frame.
    pub growth: IBig,
    /// One unit of a scale in these numbers, squared.
    pub unit_sq: IBig,
}

impl Gap {
    /// Start and growth in units of the scale, rounded.
    fn line(&self) -> (f64, f64) {
        let length = |x: &IBig| {
            let size = ratio(&sq(x), &self.unit_sq).sqrt();
            if *x < IBig::ZERO { -size } else { size }
        };
        (length(&self.start), length(&self.growth))
    }
}

/// A fraction with a positive denominator.
struct Fraction(IBig, IBig);

impl Fraction {
    fn less(&self, other: &Fraction) -> bool {
        &self.0 * &other.1 < &other.0 * &self.1
    }
}

/// The exact answer for a pair that touches while no gap is open.
pub fn exact(gaps: &[Gap], scale: Scale, band: f64, claim: Option<TimeInterval>) -> Exact {
    let (mut enter, mut exit) = (
        Fraction(IBig::ZERO, IBig::ONE),
        Fraction(IBig::ONE, IBig::ONE),
    );
    let mut hit = true;
    for Gap { start, growth, .. } in gaps {
        if *growth == IBig::ZERO {
            hit &= *start <= IBig::ZERO;
            continue;
        }
        let bound = Fraction(-start * growth.signum(), abs(growth));
        if *growth < IBig::ZERO && enter.less(&bound) {
            enter = bound;
        } else if *growth > IBig::ZERO && bound.less(&exit) {
            exit = bound;
        }
    }
    hit &= !exit.less(&enter);

    let lines: Vec<(f64, f64)> = gaps
        .iter()
        .map(Gap::line)
        .map(|(start, growth)| (scale.f64(start), scale.f64(growth)))
        .collect();
    let gap = if hit { 0.0 } else { smallest_gap(&lines) };
    let Some(claim) = claim else {
        return Exact::at_rest(hit, gap, band);
    };
    let times = Scale::of(&[claim.enter, claim.exit, 1.0]);
    let claimed = |time: f32| Fraction(times.int(time), times.one());
    let encloses = claim.enter <= claim.exit
        && (!hit || (!enter.less(&claimed(claim.enter)) && !claimed(claim.exit).less(&exit)));
    let slack = gap_at(&lines, claim.enter.into()).max(gap_at(&lines, claim.exit.into()));
    Exact {
        hit,
        gap,
        band,
        encloses,
        slack: slack.max(0.0),
    }
}

/// The widest gap at a time.
fn gap_at(lines: &[(f64, f64)], time: f64) -> f64 {
    lines
        .iter()
        .map(|(start, growth)| start + time * growth)
        .fold(0.0, f64::max)
}

/// The least value of the widest gap during the frame: at an end, or where two lines cross.
fn smallest_gap(lines: &[(f64, f64)]) -> f64 {
    let mut times = vec![0.0, 1.0];
    for (i, (start, growth)) in lines.iter().enumerate() {
        for (other_start, other_growth) in &lines[..i] {
            let time = (other_start - start) / (growth - other_growth);
            if (0.0..=1.0).contains(&time) {
                times.push(time);
            }
        }
    }
    times
        .into_iter()
        .map(|time| gap_at(lines, time))
        .fold(f64::INFINITY, f64::min)
}
