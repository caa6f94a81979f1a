//! A sphere touches a capsule when the distance of its center to the axis is at most both radii.

use dashu_int::IBig;
use phalanx::{Capsule, Sphere};

use super::exact::Scale;
use super::segments::from_point;
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(sphere: &Sphere, capsule: &Capsule, margin: f32) -> Exact {
    let lengths = [sphere.radius, capsule.radius, margin];
    let axis = capsule.center.iter().chain(&capsule.half_axis);
    let scale = Scale::of(sphere.center.iter().chain(axis).chain(&lengths));
    let offset = &scale.vec(sphere.center) - &scale.vec(capsule.center);
    let half_axis = scale.vec(capsule.half_axis);
    let reach: IBig = lengths.iter().map(|x| scale.int(*x)).sum();
    let (distance, along) = from_point(&offset, &half_axis);
    let (hit, gap) = distance.within(&reach);
    let way = along.abs() * scale.f64(half_axis.norm_1().to_f64().value());
    let reach = scale.f64(reach.to_f64().value());
    Exact::at_rest(
        hit,
        scale.f64(gap),
        U * (16.0 * reach + 15.0 * way) + ORACLE_FLOOR,
    )
}
