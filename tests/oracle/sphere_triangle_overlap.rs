//! A sphere touches a triangle when its center is no farther away than the radius.

use dashu_int::IBig;
use phalanx::{Sphere, Triangle};

use super::exact::Scale;
use super::triangles::Corners;
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(sphere: &Sphere, triangle: &Triangle, margin: f32) -> Exact {
    let lengths = [sphere.radius, margin];
    let corners = triangle.corners.as_flattened().iter();
    let scale = Scale::of(sphere.center.iter().chain(corners).chain(&lengths));
    let corners = Corners(triangle.corners.map(|corner| scale.vec(corner)));
    let reach: IBig = lengths.iter().map(|x| scale.int(*x)).sum();
    let distance = corners.to_point(&scale.vec(sphere.center));
    let (hit, gap) = distance.within(&reach);
    let [reach, longest] = [reach.to_f64().value(), corners.longest()].map(|x| scale.f64(x));
    let band = U * (96.0 * reach + 224.0 * longest) + 2.0 * ORACLE_FLOOR;
    Exact::at_rest(hit, scale.f64(gap), band)
}
