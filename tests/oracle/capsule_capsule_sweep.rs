//! Two moving capsules touch at time t when the offset of their centers is at most both radii from a point of
//! the parallelogram of both axes.

use dashu_int::IBig;
use phalanx::{Capsule, TimeInterval};

use super::exact::Scale;
use super::moving_point::{self, Parallelogram, Path};
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(
    a: &(Capsule, [f32; 3]),
    b: &(Capsule, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let lengths = [a.0.radius, b.0.radius, margin];
    let of = |x: &(Capsule, [f32; 3])| [x.0.center, x.0.half_axis, x.1].as_flattened().to_vec();
    let scale = Scale::of(of(a).iter().chain(&of(b)).chain(&lengths));
    let path = Path {
        start: &scale.vec(b.0.center) - &scale.vec(a.0.center),
        moves: &scale.vec(b.1) - &scale.vec(a.1),
    };
    let axes = [a, b].map(|x| scale.vec(x.0.half_axis));
    let reach: IBig = lengths.iter().map(|x| scale.int(*x)).sum();
    let length = |units: IBig| scale.f64(units.to_f64().value());
    let [r, v] = [reach.clone(), path.moves.norm_1()].map(length);
    let [h, k] = axes.each_ref().map(|axis| length(axis.norm_1()));
    let band = U * (54.0 * r + 98.0 * h + 69.0 * k + 58.0 * v) + 4.0 * ORACLE_FLOOR;
    let [a, b] = axes;
    moving_point::exact(&path, &Parallelogram(a, b), &reach, claim, scale, band)
}
