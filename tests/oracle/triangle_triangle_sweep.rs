//! Two moving triangles touch while they are no farther apart than the margin.

use dashu_int::IBig;
use phalanx::{TimeInterval, Triangle};

use super::exact::Scale;
use super::triangles::{Corners, swept_triangle};
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(
    a: &(Triangle, [f32; 3]),
    b: &(Triangle, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let of = |(triangle, motion): &(Triangle, [f32; 3])| {
        [triangle.corners.as_flattened(), motion].concat()
    };
    let scale = Scale::of([of(a), of(b), vec![margin]].concat().iter());
    let [first, second] =
        [a, b].map(|(triangle, _)| Corners(triangle.corners.map(|corner| scale.vec(corner))));
    let way = &scale.vec(b.1) - &scale.vec(a.1);
    let [offset, motion] = [first.offset(&second), way.norm_1()].map(|x: IBig| x.to_f64().value());
    let lengths = [first.longest(), second.longest(), offset, motion].map(|x| scale.f64(x));
    let [of_a, of_b, offset, motion] = lengths;
    let of_lengths = 568.0 * of_a + 458.0 * of_b + 81.0 * offset + 118.0 * motion;
    let band = U * of_lengths + (0.74 + 16.0 * U) * f64::from(margin) + 4.0 * ORACLE_FLOOR;
    swept_triangle(
        &first,
        &second,
        &way,
        &scale.int(margin),
        claim,
        scale,
        band,
    )
}
