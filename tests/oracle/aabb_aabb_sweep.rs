//! Two moving boxes touch at time t when they share a coordinate on each axis: six linear
//! inequalities in t.

use dashu_int::IBig;
use phalanx::{Aabb, TimeInterval};

use super::exact::Scale;
use super::{Exact, U};

/// `gap + t * growth <= 0`, in units of a scale.
pub struct Inequality {
    pub gap: IBig,
    pub growth: IBig,
}

/// A fraction with a positive denominator.
struct Fraction(IBig, IBig);

impl Fraction {
    fn less(&self, other: &Fraction) -> bool {
        &self.0 * &other.1 < &other.0 * &self.1
    }
}

pub fn exact(
    a: &(Aabb, [f32; 3]),
    b: &(Aabb, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let corners =
        a.0.min
            .iter()
            .chain(&a.0.max)
            .chain(&b.0.min)
            .chain(&b.0.max);
    let scale = Scale::of(corners.chain(&a.1).chain(&b.1).chain(&[margin]));
    let mut inequalities = Vec::new();
    let mut speed = IBig::ZERO;
    for k in 0..3 {
        let v = scale.int(b.1[k]) - scale.int(a.1[k]);
        speed = speed.max(&v * v.signum());
        for (low, high, growth) in [
            (a.0.min[k], b.0.max[k], -&v),
            (b.0.min[k], a.0.max[k], v.clone()),
        ] {
            let gap = scale.int(low) - scale.int(high) - scale.int(margin);
            inequalities.push(Inequality { gap, growth });
        }
    }
    let speed = scale.f64(speed.to_f64().value());
    let band = 12.0 * U * (speed + f64::from(margin)) + 2.0 * f64::from(f32::MIN_POSITIVE);
    let to_length = |units: &IBig| scale.f64(units.to_f64().value());
    judge(&inequalities, to_length, band, claim)
}

/// The truth about shapes that touch while all of these hold.
pub fn judge(
    inequalities: &[Inequality],
    to_length: impl Fn(&IBig) -> f64,
    band: f64,
    claim: Option<TimeInterval>,
) -> Exact {
    let (mut enter, mut exit) = (
        Fraction(IBig::ZERO, IBig::ONE),
        Fraction(IBig::ONE, IBig::ONE),
    );
    let mut hit = true;
    for Inequality { gap, growth } in inequalities {
        if *growth == IBig::ZERO {
            hit &= *gap <= IBig::ZERO;
            continue;
        }
        let bound = Fraction(-gap * growth.signum(), growth * growth.signum());
        if *growth < IBig::ZERO && enter.less(&bound) {
            enter = bound;
        } else if *growth > IBig::ZERO && bound.less(&exit) {
            exit = bound;
        }
    }
    hit &= !exit.less(&enter);

    let lines: Vec<(f64, f64)> = inequalities
        .iter()
        .map(|i| (to_length(&i.gap), to_length(&i.growth)))
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

/// The widest gap on any axis at a time.
fn gap_at(lines: &[(f64, f64)], time: f64) -> f64 {
    lines
        .iter()
        .map(|(gap, growth)| gap + time * growth)
        .fold(0.0, f64::max)
}

/// The widest gap on any axis, at the time of the frame when it is smallest: an end, or where two
/// lines cross.
fn smallest_gap(lines: &[(f64, f64)]) -> f64 {
    let mut times = vec![0.0, 1.0];
    for (i, (gap, growth)) in lines.iter().enumerate() {
        for (other_gap, other_growth) in &lines[..i] {
            let time = (other_gap - gap) / (growth - other_growth);
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
