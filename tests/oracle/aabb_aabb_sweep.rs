//! Two moving boxes touch at time t when they share a coordinate on each axis: six linear
//! inequalities in t.

use dashu_int::IBig;
use phalanx::{Aabb, TimeInterval};

use super::exact::{Scale, abs};
use super::linear::{self, Gap};
use super::{Exact, U};

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
    let mut gaps = Vec::new();
    let mut speed = IBig::ZERO;
    for k in 0..3 {
        let v = scale.int(b.1[k]) - scale.int(a.1[k]);
        speed = speed.max(abs(&v));
        for (low, high, growth) in [
            (a.0.min[k], b.0.max[k], -&v),
            (b.0.min[k], a.0.max[k], v.clone()),
        ] {
            gaps.push(Gap {
                start: scale.int(low) - scale.int(high) - scale.int(margin),
                growth,
                unit_sq: IBig::ONE,
            });
        }
    }
    let speed = scale.f64(speed.to_f64().value());
    let band = 12.0 * U * (speed + f64::from(margin)) + 2.0 * f64::from(f32::MIN_POSITIVE);
    linear::exact(&gaps, scale, band, claim)
}
