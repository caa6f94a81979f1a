//! Two capsules touch when their axes are at most both radii apart.

use dashu_int::IBig;
use phalanx::Capsule;

use super::exact::Scale;
use super::segments::between;
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(a: &Capsule, b: &Capsule, margin: f32) -> Exact {
    let lengths = [a.radius, b.radius, margin];
    let axis = |capsule: &Capsule| [capsule.center, capsule.half_axis].concat();
    let scale = Scale::of(axis(a).iter().chain(&axis(b)).chain(&lengths));
    let offset = &scale.vec(a.center) - &scale.vec(b.center);
    let (half_a, half_b) = (scale.vec(a.half_axis), scale.vec(b.half_axis));
    let reach: IBig = lengths.iter().map(|x| scale.int(*x)).sum();
    let (hit, gap) = between(&offset, &half_a, &half_b).within(&reach);
    let axes = half_a.norm_1() + half_b.norm_1();
    let [reach, axes] = [reach, axes].map(|x| scale.f64(x.to_f64().value()));
    Exact::at_rest(
        hit,
        scale.f64(gap),
        U * (21.0 * reach + 43.0 * axes) + ORACLE_FLOOR,
    )
}
