//! A moving capsule touches a moving triangle when its axis is no farther away than the radius.

use dashu_int::IBig;
use phalanx::{Capsule, TimeInterval, Triangle};

use super::exact::Scale;
use super::triangles::{Corners, Path, swept};
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(
    capsule: &(Capsule, [f32; 3]),
    triangle: &(Triangle, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    with_band(
        capsule,
        triangle,
        margin,
        claim,
        [160.0, 272.0, 330.0, 206.0],
    )
}

/// The band is a weighted sum in u of the reach, the longest edge, the half axis and the relative displacement.
pub fn with_band(
    capsule: &(Capsule, [f32; 3]),
    triangle: &(Triangle, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
    band: [f64; 4],
) -> Exact {
    let lengths = [capsule.0.radius, margin];
    let of_axis = capsule.0.center.iter().chain(&capsule.0.half_axis);
    let of_triangle = triangle.0.corners.as_flattened().iter().chain(&triangle.1);
    let scale = Scale::of(of_axis.chain(&capsule.1).chain(of_triangle).chain(&lengths));
    let corners = Corners(triangle.0.corners.map(|corner| scale.vec(corner)));
    let path = Path {
        start: scale.vec(capsule.0.center),
        half_axis: scale.vec(capsule.0.half_axis),
        way: &scale.vec(capsule.1) - &scale.vec(triangle.1),
    };
    let reach: IBig = lengths.iter().map(|x| scale.int(*x)).sum();
    let [r, axis, motion] = [&reach, &path.half_axis.norm_1(), &path.way.norm_1()]
        .map(|x| scale.f64(x.to_f64().value()));
    let of_lengths = [r, scale.f64(corners.longest()), axis, motion];
    let sum: f64 = (0..4).map(|k| band[k] * of_lengths[k]).sum();
    swept(
        &corners,
        &path,
        &reach,
        claim,
        scale,
        U * sum + 2.0 * ORACLE_FLOOR,
    )
}
