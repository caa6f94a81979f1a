//! A moving point touches a moving triangle when it is no farther from it than the margin.

use phalanx::{Point, TimeInterval, Triangle};

use super::exact::Scale;
use super::triangles::{Corners, Path, swept};
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(
    point: &(Point, [f32; 3]),
    triangle: &(Triangle, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let of_point = point.0.position.iter().chain(&point.1);
    let of_triangle = triangle.0.corners.as_flattened().iter().chain(&triangle.1);
    let scale = Scale::of(of_point.chain(of_triangle).chain(&[margin]));
    let corners = Corners(triangle.0.corners.map(|corner| scale.vec(corner)));
    let path = Path {
        start: scale.vec(point.0.position),
        half_axis: scale.vec([0.0; 3]),
        way: &scale.vec(point.1) - &scale.vec(triangle.1),
    };
    let size = (path.offset(&corners) + path.way.norm_1()).to_f64().value();
    let [longest, size] = [corners.longest(), size].map(|x| scale.f64(x));
    let reach = scale.int(margin);
    let margin = f64::from(margin);
    let band =
        U * (160.0 * longest + 54.0 * size) + (0.74 + 16.0 * U) * margin + 2.0 * ORACLE_FLOOR;
    swept(&corners, &path, &reach, claim, scale, band)
}
