//! A moving sphere touches a moving capsule at time t when the distance of its center to the axis is at most both
//! radii.

use dashu_int::IBig;
use phalanx::{Capsule, Sphere, TimeInterval};

use super::exact::Scale;
use super::moving_point::{self, Path, Segment};
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(
    sphere: &(Sphere, [f32; 3]),
    capsule: &(Capsule, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let lengths = [sphere.0.radius, capsule.0.radius, margin];
    let axis = capsule.0.center.iter().chain(&capsule.0.half_axis);
    let motions = sphere.1.iter().chain(&capsule.1);
    let numbers = sphere.0.center.iter().chain(axis).chain(motions);
    let scale = Scale::of(numbers.chain(&lengths));
    let path = Path {
        start: &scale.vec(sphere.0.center) - &scale.vec(capsule.0.center),
        moves: &scale.vec(sphere.1) - &scale.vec(capsule.1),
    };
    let half_axis = scale.vec(capsule.0.half_axis);
    let reach: IBig = lengths.iter().map(|x| scale.int(*x)).sum();
    let length = |units: IBig| scale.f64(units.to_f64().value());
    let (r, h, v) = (reach.clone(), half_axis.norm_1(), path.moves.norm_1());
    let band = U * (37.0 * length(r) + 18.0 * length(h) + 41.0 * length(v)) + ORACLE_FLOOR;
    moving_point::exact(&path, &Segment(half_axis), &reach, claim, scale, band)
}
