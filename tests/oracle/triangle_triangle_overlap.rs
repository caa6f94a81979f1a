//! Two triangles touch when they are no farther apart than the margin.

use dashu_int::IBig;
use phalanx::Triangle;

use super::exact::Scale;
use super::triangles::Corners;
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(a: &Triangle, b: &Triangle, margin: f32) -> Exact {
    let of_both = a.corners.iter().chain(&b.corners).flatten();
    let scale = Scale::of(of_both.chain(&[margin]));
    let [a, b] = [a, b].map(|triangle| Corners(triangle.corners.map(|corner| scale.vec(corner))));
    let (hit, gap) = a.to_triangle(&b).within(&scale.int(margin));
    // From any corner to any other: at most the offset between those from which the kernel measures.
    let offsets =
        a.0.iter()
            .flat_map(|p| b.0.iter().map(move |q| (q - p).norm_1()));
    let offset = offsets.max().unwrap_or(IBig::ZERO).to_f64().value();
    let [offset, a, b] = [offset, a.longest(), b.longest()].map(|x| scale.f64(x));
    let of_lengths = 240.0 * a.max(b) + 160.0 * a.min(b) + 44.0 * offset;
    let band = U * of_lengths + (0.74 + 16.0 * U) * f64::from(margin) + 2.0 * ORACLE_FLOOR;
    Exact::at_rest(hit, scale.f64(gap), band)
}
