//! Two boxes touch when they share a coordinate on each axis.

use dashu_int::IBig;
use phalanx::Aabb;

use super::Exact;
use super::exact::Scale;

pub fn exact(a: &Aabb, b: &Aabb, margin: f32) -> Exact {
    let corners = a.min.iter().chain(&a.max).chain(&b.min).chain(&b.max);
    let scale = Scale::of(corners.chain(&[margin]));
    let mut widest = IBig::ZERO;
    for k in 0..3 {
        for (low, high) in [(a.min[k], b.max[k]), (b.min[k], a.max[k])] {
            widest = widest.max(scale.int(low) - scale.int(high) - scale.int(margin));
        }
    }
    let hit = widest == IBig::ZERO;
    Exact::at_rest(
        hit,
        scale.f64(widest.to_f64().value()),
        super::U * f64::from(margin),
    )
}
