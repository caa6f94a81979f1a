//! A moving sphere touches a moving triangle when its center is no farther away than the radius.

use dashu_int::IBig;
use phalanx::{Sphere, TimeInterval, Triangle};

use super::exact::Scale;
use super::triangles::{Corners, Path, swept};
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(
    sphere: &(Sphere, [f32; 3]),
    triangle: &(Triangle, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let lengths = [sphere.0.radius, margin];
    let of_sphere = sphere.0.center.iter().chain(&sphere.1);
    let of_triangle = triangle.0.corners.as_flattened().iter().chain(&triangle.1);
    let scale = Scale::of(of_sphere.chain(of_triangle).chain(&lengths));
    let corners = Corners(triangle.0.corners.map(|corner| scale.vec(corner)));
    let path = Path {
        start: scale.vec(sphere.0.center),
        half_axis: scale.vec([0.0; 3]),
        way: &scale.vec(sphere.1) - &scale.vec(triangle.1),
    };
    let reach: IBig = lengths.iter().map(|x| scale.int(*x)).sum();
    let [r, motion] = [&reach, &path.way.norm_1()].map(|x| scale.f64(x.to_f64().value()));
    let longest = scale.f64(corners.longest());
    let band = U * (136.0 * r + 256.0 * longest + 164.0 * motion) + 2.0 * ORACLE_FLOOR;
    swept(&corners, &path, &reach, claim, scale, band)
}
