//! Two triangles touch when they are no farther apart than the margin.

use phalanx::Triangle;

use super::exact::Scale;
use super::triangles::Corners;
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(a: &Triangle, b: &Triangle, margin: f32) -> Exact {
    let of_both = a.corners.iter().chain(&b.corners).flatten();
    let scale = Scale::of(of_both.chain(&[margin]));
    let [a, b] = [a, b].map(|triangle| Corners(triangle.corners.map(|corner| scale.vec(corner))));
    let (hit, gap) = a.to_triangle(&b).within(&scale.int(margin));
    let offset = a.offset(&b).to_f64().value();
    let [offset, a, b] = [offset, a.longest(), b.longest()].map(|x| scale.f64(x));
    let of_lengths = 240.0 * a.max(b) + 160.0 * a.min(b) + 44.0 * offset;
    let band = U * of_lengths + (0.74 + 16.0 * U) * f64::from(margin) + 2.0 * ORACLE_FLOOR;
    Exact::at_rest(hit, scale.f64(gap), band)
}
